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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode

from workbench.base.errors import InputError, WorkbenchError
from workbench.base.language import COMMA, SOURCE, join, speaking, tr, translated, trc
from workbench.base.project import Project
from workbench.base.yamlfile import read_yaml
from workbench.experiments.experiment import (
    MOST_GAMES,
    STRONG_GAMES,
    STRONG_PLIES,
    Experiment,
    load_experiment,
    with_strong_players,
)
from workbench.experiments.experiment_files import DrawnLines
from workbench.experiments.measures import FIRST_SCORE, measure_for_question
from workbench.players.library import can_share
from workbench.rules import edits
from workbench.rules.ruleset_files import TRIED
from workbench.rules.rulesets import Ruleset, is_tried, load_ruleset, with_saved_titles
from workbench.studio.documents import write_once

if TYPE_CHECKING:
    from starlette.datastructures import QueryParams

    from workbench.studio.documents.rulesets import RulesetDocument

RECIPE = 3
"""The version of the experiments' design."""
LEVELS = (trc("asking", "Quick"), tr("Strong players"), trc("asking", "Overnight"))
QUICK, STRONG, OVERNIGHT = range(len(LEVELS))
SUFFIXES = ("", "-strong", "-overnight")
_NAME = re.compile(r"ask-.+-[0-9a-f]{8}(|-strong|-overnight)")
QUICK_PLAYERS = ("greedy", "alphabeta-2")
PLAYERS = ("random", "greedy", "alphabeta-2", "alphabeta-1k", "alphabeta-10k")
"""The players that can be chosen for the quick level, by strength."""
USUAL_QUESTIONS = (FIRST_SCORE, "draw_rate", "plies", "variety", "decisive", "legal_moves")
"""The measures that can be chosen."""
MOST_OPENING = 40
"""The most random plies at the start."""
MOST_TITLES = 3
"""The most rulesets listed in a title."""
SCHEMA_LINE = "# yaml-language-server: $schema=experiment.schema.json\n"
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


class Wishes(NamedTuple):
    """What is asked and how it is played, where this differs from what the levels do."""

    measure: str = FIRST_SCORE
    """The experiments' ``question``."""
    games: int = 0
    """Games per cell of the quick level, or also of strong players; 0 for the levels' own numbers."""
    plies: int = 0
    """The random plies at the start; 0 for the levels' own openings."""
    players: tuple[str, ...] = QUICK_PLAYERS
    """The players of the quick level."""

    @classmethod
    def of_address(cls, query: QueryParams) -> Wishes:
        """Return the wishes in a page's address; impossible ones are ignored."""
        measure, numbers = query.get("measure", FIRST_SCORE), {"games": MOST_GAMES, "plies": MOST_OPENING}
        games, plies = (
            number if (text := query.get(key, "")).isdecimal() and (number := int(text[:9])) <= most else 0
            for key, most in numbers.items()
        )
        players = tuple(player for player in PLAYERS if player in query.getlist("players")) or QUICK_PLAYERS
        return cls(measure if measure in USUAL_QUESTIONS else FIRST_SCORE, games, plies, players)

    @classmethod
    def of_experiment(cls, quick: Experiment) -> Wishes:
        """Return the wishes that a quick experiment fulfils."""
        plies = quick.openings.plies if isinstance(quick.openings, DrawnLines) else 0
        players = tuple(first.label for first, _ in quick.pairings)
        return cls(quick.question, 0 if quick.sequential else quick.games, plies, players)

    @property
    def changed(self) -> dict[str, Any]:
        """The wishes that differ from what the levels do, as parts of an address."""
        return {key: wish for key, wish in self._asdict().items() if wish != self._field_defaults[key]}


AS_USUAL = Wishes()


@dataclass(frozen=True)
class Question:
    """Proposals with the ruleset they are compared with."""

    project: Project
    base: Ruleset
    proposals: tuple[AskedRules, ...]
    wishes: Wishes = AS_USUAL

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """The base and the proposals."""
        return self.base, *(proposal.ruleset for proposal in self.proposals)

    @property
    def strong_games(self) -> int:
        """The games per cell of strong players."""
        return self.wishes.games or STRONG_GAMES

    @property
    def address(self) -> str:
        """The address of its page."""
        return question_address(self.rulesets, self.wishes)

    def path(self, level: int) -> Path:
        """Return the file of a level's experiment."""
        identity = [RECIPE, QUICK_PLAYERS, [ruleset.fingerprint for ruleset in self.rulesets]]
        identity += [self.wishes.changed] if self.wishes.changed else []
        digest = hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:8]
        stem = self.base.name.replace("/", "-")
        return self.project.experiments / f"ask-{stem}-{digest}{SUFFIXES[level]}.yaml"

    @property
    def paths(self) -> list[Path]:
        """The files of all levels."""
        return [self.path(level) for level in range(len(LEVELS))]

    def text(self, level: int, games: int, language: str = SOURCE) -> str:
        """Return the text of a level's file with a comment in ``language``."""
        comment = tr("Written by the studio to ask about rules. To continue it elsewhere:")
        title = level_title(level, self.rulesets, self.base.name, self.wishes.measure)
        keys = {"title": _quoted(str(title)), "title_ja": _quoted(translated(title, "ja"))}
        text = self._text(keys, self._names(), level, games)
        return f"{SCHEMA_LINE}#\n# {translated(comment, language)}\n#     workbench run {self.path(level).stem}\n{text}"

    def _text(self, titles: Mapping[str, str], names: Sequence[str], level: int, games: int) -> str:
        players = [first.label for first, _ in self.strong().pairings] if level else self.wishes.players
        plies = self.wishes.plies or (STRONG_PLIES if level else 0)
        is_decided = level == QUICK and len(names) > 1 and not self.wishes.games
        looks = min(ANALYSES, games // LEAST)
        keys = {
            **titles,
            "rulesets": f"[{', '.join(map(_quoted, names))}]",
            "baseline": _quoted(self.base.name),
            "agents": f"[{', '.join(players)}]",
            "games": games,
            "question": self.wishes.measure,
            **({"until": "decided", "looks": looks} if is_decided else {}),
            "block": max(LEAST_BLOCK, games // looks // BLOCKS) if is_decided else LEAST_BLOCK,
            "seed": 1,
            **({"openings": f"{{plies: {plies}}}"} if plies else {}),
        }
        return "".join(f"{key}: {value}\n" for key, value in keys.items())

    def pilot(self) -> Experiment:
        """Return the quick experiment, whose proposals may have no files yet."""
        text = self._text({"title": "pilot"}, [self.base.name], QUICK, ANALYSES * LEAST)
        return replace(load_experiment(self.path(QUICK), self.project, text), rulesets=self.rulesets)

    def strong(self) -> Experiment:
        """Return an experiment with strong players."""
        return with_strong_players(self.pilot(), share=can_share(self.rulesets))

    def _names(self) -> list[str]:
        """Return the rulesets' names, which stay those of the first level after a proposal was saved."""
        for path in filter(Path.exists, self.paths):
            return [str(name) for name in read_yaml(path, []).plain()["rulesets"]]
        return [ruleset.name for ruleset in self.rulesets]

    def write_rules(self) -> None:
        """Write the new files for the rules unless they exist."""
        for ruleset, text in self.proposals:
            if text:
                write_once(self.project, self.project.rulesets / f"{ruleset.name}.yaml", text)

    def write(self, level: int, games: int, language: str = SOURCE) -> None:
        """Write a level's file unless it exists."""
        write_once(self.project, self.path(level), self.text(level, games, language))


class Estimate(NamedTuple):
    """The expected durations of a question with strong players on this machine, in seconds."""

    training: float
    game: float
    """The duration of one game in each cell."""
    games: int = STRONG_GAMES
    """The games per cell of the strong level."""

    @property
    def night_games(self) -> int:
        """The games per cell of a night."""
        return max(2 * self.games, int(NIGHT_SECONDS / max(self.game, 1e-6) / 50) * 50)

    @property
    def seconds(self) -> tuple[float, float]:
        """The durations of the levels after the quick one, each after the previous one."""
        return self.training + self.games * self.game, (self.night_games - self.games) * self.game


def level_of(name: str) -> int | None:
    """Return the level of an experiment with a name, or None if it is not a question of the studio."""
    match = _NAME.fullmatch(name)
    return SUFFIXES.index(match[1]) if match else None


def question_of(name: str) -> str:
    """Return what the names of a question's levels have in common, or the name of any other experiment."""
    return name.removesuffix(SUFFIXES[level_of(name) or QUICK])


def level_title(level: int, rulesets: Sequence[Ruleset], baseline: str, question: str) -> str:
    """Return the title of a level's experiment, which lists the compared rulesets."""
    base = next(ruleset for ruleset in rulesets if ruleset.name == baseline or not baseline)
    proposals = [ruleset.heading for ruleset in rulesets if ruleset is not base]
    own = join(COMMA, proposals) if len(proposals) <= MOST_TITLES else tr("{n} rulesets", n=len(proposals))
    told = tr("{own} – against {base}", own=own, base=base.heading)
    if question != FIRST_SCORE:
        told = tr("{told} ({measure})", told=told, measure=measure_for_question(question).title)
    return tr("{level}: {told}", level=LEVELS[level], told=told)


def present_title(loaded: Experiment, title: str, project: Project) -> str:
    """Return an experiment's title, in which proposals have their present names."""
    level = level_of(loaded.name)
    if level is None:
        return title
    return level_title(level, with_saved_titles(loaded.rulesets, project), loaded.baseline, loaded.question)


def page_address(loaded: Experiment, project: Project) -> str:
    """Return the address of an experiment's page, which for a question is that of its first proposal."""
    if level_of(loaded.name) is None or len(loaded.rulesets) < 2:
        return f"/report/{quote(loaded.name, safe='')}"
    wishes = AS_USUAL
    with contextlib.suppress(InputError):
        wishes = Wishes.of_experiment(
            load_experiment(project.experiments / f"{question_of(loaded.name)}.yaml", project)
        )
    return question_address(loaded.rulesets, wishes)


def question_address(rulesets: Sequence[Ruleset], wishes: Wishes) -> str:
    """Return the address of a question about the first ruleset, the baseline, and proposals."""
    base, name, *others = [ruleset.name for ruleset in rulesets]
    area = "tried/ask" if is_tried(name) else "ask/file"
    return f"/{area}/{quote(name)}?{urlencode({'against': base, 'with': others, **wishes.changed}, doseq=True)}"


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

    loaded = question.pilot()
    seconds = len(loaded.rulesets) * sum(pace.seconds for pace in planning.plan_experiment(loaded, QUICK_PILOT).paces)
    games = question.wishes.games or quick_games(seconds, len(loaded.rulesets))
    if question.path(QUICK).exists():
        games = int(read_yaml(question.path(QUICK), []).plain()["games"])
    return games, SPARE_SECONDS + games * seconds / (os.cpu_count() or 1)


def estimate_strong(question: Question) -> Estimate:
    """Return the expected durations with strong players, from a pilot."""
    return Estimate(*expected_seconds(question.strong()), question.strong_games)


def expected_seconds(loaded: Experiment) -> tuple[float, float]:
    """Return the duration of an experiment's training, and that of one game in each cell, from a pilot."""
    from workbench.runs import planning

    plan = planning.plan_experiment(loaded, STRONG_PILOT)
    return plan.training.seconds if plan.training else 0.0, (plan.wishes[0].seconds or 0.0) / loaded.games


def starts_programs(experiment: Experiment) -> bool:
    """Return True if external players, which pages may start only with the command's option, take part."""
    return any(agent.outside is not None for pairing in experiment.pairings for agent in pairing)


def write_partial_report(folder: Path, language: str) -> None:
    """Write the report of a possibly unfinished run in a language, unless it cannot be written."""
    from workbench import report

    with contextlib.suppress(WorkbenchError), speaking(language):
        report.write_report(folder)
