"""Questions about proposals, asked at three levels, and experiment tasks for the studio's worker processes.

A question compares proposals with a baseline. Each of its levels is an ordinary experiment, ``experiments/ask-….yaml``,
with an ordinary report; ``workbench run`` plays it. Unsaved rules are stored as ``rulesets/GAME/tried/…``, which can be
named but are not listed. File names contain a digest of the rulesets: the same rules lead to the same experiments and
continue their games.

The number of a quick experiment's games is determined once, when its file is written: a pilot tells how many games this
machine, as busy as it is, plays in about a minute. The number of games of a night depends on a pilot, too.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlencode

from workbench.base import output
from workbench.base.errors import InputError, WorkbenchError
from workbench.base.language import SOURCE, speaking, tr, translated, trc
from workbench.base.project import Project
from workbench.base.yamlfile import read_yaml
from workbench.experiments.experiment import STRONG_GAMES, Experiment, load_experiment, with_strong_players
from workbench.players.library import can_share
from workbench.rules import edits
from workbench.rules.ruleset_files import TRIED
from workbench.rules.rulesets import Ruleset, is_tried, load_ruleset, with_saved_titles
from workbench.studio.documents.experiments import QUICK_PLAYERS, SCHEMA_LINE, compared_title, strong_text

if TYPE_CHECKING:
    from workbench.studio.documents.rulesets import RulesetDocument

RECIPE = 3
"""The version of the experiments' design."""
LEVELS = (trc("asking", "Quick"), tr("Strong players"), trc("asking", "Overnight"))
QUICK, STRONG, OVERNIGHT = range(len(LEVELS))
SUFFIXES = ("", "-strong", "-overnight")
_NAME = re.compile(r"ask-.+-[0-9a-f]{8}(|-strong|-overnight)")
ANALYSES = 24
LEAST, MOST = 20, 300
"""Minimum and maximum of games per cell at the first interim analysis."""
QUICK_SECONDS, SPARE_SECONDS = 26.0, 8.0
"""The longest duration of a quick experiment for each ruleset, and that of its preparation and report."""
NIGHT_SECONDS = 8 * 3600.0
BLOCKS, LEAST_BLOCK = 4, 5
"""The number of blocks per cell and interim analysis, and the least number of games of a block."""
QUICK_PILOT, STRONG_PILOT = 0.6, 4.0
"""Durations of the pilots that time games, in seconds."""


class AskedRules(NamedTuple):
    """Rules to ask about."""

    ruleset: Ruleset
    text: str
    """The text of a new file for the rules; "" if they have a file."""

    @classmethod
    def of(cls, draft: RulesetDocument) -> AskedRules:
        """Return a draft's rules; raises `InputError` if they have problems."""
        reading = draft.read()
        ruleset = reading.ruleset
        if ruleset is None:
            raise InputError(list(reading.problems))
        if not draft.dirty:
            return cls(load_ruleset(draft.base, draft.project), "")
        stem = draft.base if draft.new else draft.name
        name = f"{draft.game}/{TRIED}/{stem.rpartition('/')[2]}-{ruleset.fingerprint[:8]}"
        title = draft.title(reading)
        titles = {"title": str(title), "title_ja": translated(title, "ja")}
        text = re.sub(r"(?m)^(# yaml-language-server: \$schema=)\.\./(?=ruleset)", r"\1../../", draft.text)
        for key, words in titles.items():
            text = edits.set_text_key(text, key, words)
        asked = replace(ruleset, name=name, title=titles["title"], title_ja=titles["title_ja"])
        return cls(asked, text if text.endswith("\n") else f"{text}\n")


@dataclass(frozen=True)
class Question:
    """Proposals with the ruleset they are compared with."""

    project: Project
    base: Ruleset
    proposals: tuple[AskedRules, ...]

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """The base and the proposals."""
        return self.base, *(proposal.ruleset for proposal in self.proposals)

    def path(self, level: int) -> Path:
        """Return the file of a level's experiment."""
        identity = (RECIPE, QUICK_PLAYERS, [ruleset.fingerprint for ruleset in self.rulesets])
        digest = hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:8]
        stem = self.base.name.replace("/", "-")
        return self.project.experiments / f"ask-{stem}-{digest}{SUFFIXES[level]}.yaml"

    @property
    def paths(self) -> list[Path]:
        """The files of all levels."""
        return [self.path(level) for level in range(len(LEVELS))]

    @property
    def pilot_text(self) -> str:
        """The text of an experiment with the base alone, because the proposals may have no files yet."""
        return (
            f"title: pilot\nrulesets: [{_quoted(self.base.name)}]\nbaseline: {_quoted(self.base.name)}\n"
            f"agents: [{', '.join(QUICK_PLAYERS)}]\ngames: {ANALYSES * LEAST}\nblock: {LEAST_BLOCK}\nseed: 1\n"
        )

    def text(self, level: int, games: int, language: str = SOURCE) -> str:
        """Return the text of a level's file with a comment in ``language``."""
        comment = tr("Written by the studio to ask about rules. To continue it elsewhere:")
        title = level_title(level, self.rulesets, self.base.name)
        looks = min(ANALYSES, games // LEAST)
        block = LEAST_BLOCK if level else max(LEAST_BLOCK, games // looks // BLOCKS)
        text = (
            f"{SCHEMA_LINE}#\n# {translated(comment, language)}\n#     workbench run {self.path(level).stem}\n"
            f"title: {_quoted(str(title))}\n"
            f"title_ja: {_quoted(translated(title, 'ja'))}\n"
            f"rulesets: [{', '.join(map(_quoted, self._names()))}]\n"
            f"baseline: {_quoted(self.base.name)}\n"
            f"agents: [{', '.join(QUICK_PLAYERS)}]\n"
            f"games: {games}\nuntil: decided\nlooks: {looks}\nblock: {block}\nseed: 1\n"
        )
        return strong_text(text, self.rulesets, games) if level else text

    def _names(self) -> list[str]:
        """Return the rulesets' names, which stay those of the first level after a proposal was saved."""
        for path in filter(Path.exists, self.paths):
            return [str(name) for name in read_yaml(path, []).plain()["rulesets"]]
        return [ruleset.name for ruleset in self.rulesets]

    def write_rules(self) -> None:
        """Write the new files for the rules unless they exist."""
        for ruleset, text in self.proposals:
            if text:
                self._write_once(self.project.rulesets / f"{ruleset.name}.yaml", text)

    def write(self, level: int, games: int, language: str = SOURCE) -> None:
        """Write a level's file unless it exists."""
        self._write_once(self.path(level), self.text(level, games, language))

    def _write_once(self, path: Path, text: str) -> None:
        if not os.path.lexists(path):
            self.project.require_place(path)
            output.write_file(output.make_folder(path.parent) / path.name, text.encode(), new=True)


class Estimate(NamedTuple):
    """The expected durations of a question with strong players on this machine, in seconds."""

    training: float
    game: float
    """The duration of one game in each cell."""

    @property
    def night_games(self) -> int:
        """The games per cell of a night."""
        return max(2 * STRONG_GAMES, int(NIGHT_SECONDS / max(self.game, 1e-6) / 50) * 50)

    @property
    def seconds(self) -> tuple[float, float]:
        """The durations of the levels after the quick one, each after the previous one."""
        return self.training + STRONG_GAMES * self.game, (self.night_games - STRONG_GAMES) * self.game


def level_of(name: str) -> int | None:
    """Return the level of an experiment with a name, or None if it is not a question of the studio."""
    match = _NAME.fullmatch(name)
    return SUFFIXES.index(match[1]) if match else None


def question_of(name: str) -> str:
    """Return what the names of a question's levels have in common, or the name of any other experiment."""
    return name.removesuffix(SUFFIXES[level_of(name) or QUICK])


def level_title(level: int, rulesets: Sequence[Ruleset], baseline: str) -> str:
    """Return the title of a level's experiment."""
    return tr("{level}: {told}", level=LEVELS[level], told=compared_title(rulesets, baseline))


def present_title(loaded: Experiment, title: str, project: Project) -> str:
    """Return an experiment's title, in which proposals have their present names."""
    level = level_of(loaded.name)
    return title if level is None else level_title(level, with_saved_titles(loaded.rulesets, project), loaded.baseline)


def page_address(loaded: Experiment) -> str:
    """Return the address of an experiment's page, which for a question is that of its first proposal."""
    own = level_of(loaded.name) is None or len(loaded.rulesets) < 2
    return f"/experiment/{quote(loaded.name, safe='')}" if own else question_address(loaded.rulesets)


def question_address(rulesets: Sequence[Ruleset]) -> str:
    """Return the address of a question about the first ruleset, the baseline, and proposals."""
    base, name, *others = [ruleset.name for ruleset in rulesets]
    area = "tried/ask" if is_tried(name) else "ask/file"
    return f"/{area}/{quote(name)}?{urlencode({'against': base, 'with': others}, doseq=True)}"


def quick_games(seconds: float, rulesets: int = 2) -> int:
    """Return the maximum number of games per cell, given the duration of one game in each cell on one core."""
    games = QUICK_SECONDS * rulesets * (os.cpu_count() or 1) / max(seconds, 1e-6)
    analyses = int(min(max(games // LEAST, 2), ANALYSES))
    first_analysis = min(max(games / analyses, LEAST), MOST)
    step = 5 if first_analysis < 50 else 10 if first_analysis < 200 else 50
    return analyses * int(first_analysis // step) * step


def begin_night(folder: Path) -> None:
    """Let the run of a night begin with the games of the strong players in ``folder``'s neighbour."""
    previous = folder.with_name(folder.name.removesuffix(SUFFIXES[OVERNIGHT]) + SUFFIXES[STRONG])
    if level_of(folder.name) == OVERNIGHT and previous.is_dir() and not os.path.lexists(folder):
        unfinished = folder.with_name(f".{folder.name}")
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(previous, unfinished, ignore=shutil.ignore_patterns("report.*", "tables", "*.png", "*.svg"))
        unfinished.rename(folder)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


# Tasks of worker processes


def design_quick(question: Question) -> tuple[int, float]:
    """Return the games per cell of a quick experiment and its longest duration, from a short compiled pilot."""
    from workbench.runs import planning

    loaded = _loaded(question)
    seconds = len(loaded.rulesets) * sum(pace.seconds for pace in planning.plan_experiment(loaded, QUICK_PILOT).paces)
    games = quick_games(seconds, len(loaded.rulesets))
    if question.path(QUICK).exists():
        games = int(read_yaml(question.path(QUICK), []).plain()["games"])
    return games, SPARE_SECONDS + games * seconds / (os.cpu_count() or 1)


def estimate_strong(question: Question) -> Estimate:
    """Return the expected durations with strong players, from a pilot."""
    loaded = _loaded(question)
    return Estimate(*expected_seconds(with_strong_players(loaded, share=can_share(loaded.rulesets))))


def expected_seconds(loaded: Experiment) -> tuple[float, float]:
    """Return the duration of an experiment's training, and that of one game in each cell, from a pilot."""
    from workbench.runs import planning

    plan = planning.plan_experiment(loaded, STRONG_PILOT)
    return plan.training.seconds if plan.training else 0.0, (plan.wishes[0].seconds or 0.0) / loaded.games


def _loaded(question: Question) -> Experiment:
    loaded = load_experiment(question.path(QUICK), question.project, question.pilot_text)
    return replace(loaded, rulesets=question.rulesets)


def starts_programs(experiment: Experiment) -> bool:
    """Return True if external players, which pages may start only with the command's option, take part."""
    return any(agent.outside is not None for pairing in experiment.pairings for agent in pairing)


def write_partial_report(folder: Path, language: str) -> None:
    """Write the report of a possibly unfinished run in a language, unless it cannot be written."""
    from workbench import report

    with contextlib.suppress(WorkbenchError), speaking(language):
        report.write_report(folder)
