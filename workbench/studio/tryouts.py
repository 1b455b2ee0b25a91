"""Rules tried out by quick players, and tasks about experiments for the studio's worker processes.

A try-out is an experiment as anybody might write it, ``experiments/try-….yaml``: ``workbench run`` plays it, and its
report is one like all others. Rules that have no file yet, or have changed since they were saved, are kept as they
were tried in ``rulesets/GAME/tried/``: known by name, but in no list of rulesets. The names end in a digest of both
rules: the same rules give the same experiment, and go on with its games.

The number of games is measured once, when the file is written: the first interim analysis is to come within seconds on
this machine. From then on it stands in the file, for everybody who plays it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.base import output
from workbench.base.errors import InputError, WorkbenchError, text_of
from workbench.base.language import SOURCE, speaking, tr, translated
from workbench.base.project import Project
from workbench.experiments.experiment import Experiment, load_experiment
from workbench.games import processes
from workbench.rules import edits, rulesets
from workbench.rules.edits import RulesetReading
from workbench.rules.ruleset_files import TRIED
from workbench.rules.rulesets import Ruleset
from workbench.studio.documents.experiments import QUICK_PLAYERS, SCHEMA_LINE
from workbench.studio.documents.rulesets import RulesetDocument

RECIPE = 2
"""Counts up when the same rules are to be tried out in another way."""
ANALYSES = 24
FIRST_ANALYSIS_SECONDS = 3.5
"""Seconds of play up to the first interim analysis. Some more pass before the first game."""
LEAST, MOST = 20, 300
"""Games of a cell at the first interim analysis."""
OFFERED = (120, 480, 1_200, 4_800)
"""Games of a cell that may be chosen instead of as many as suit the machine."""
TRYOUT_PILOT = 0.6
"""Seconds of the pilot that tells how long a game takes."""
BLOCKS = 4
"""Blocks of a cell from one interim analysis to the next."""
PILOT = 4.0
"""Seconds of a pilot on one core: a page is waited for."""
_TRYOUT_COMMENT = tr("Written by the studio, to try rules out with quick players. To continue it elsewhere:")


@dataclass(frozen=True)
class Tryout:
    """Rules, and the ruleset with which they are compared."""

    project: Project
    own: Ruleset
    base: Ruleset
    text: str
    """The text of the rules' file, if they are to be kept; "" where they have one."""

    @property
    def differs(self) -> bool:
        """True if there is anything to find out."""
        return self.own.fingerprint != self.base.fingerprint

    @property
    def path(self) -> Path:
        """The file of the experiment."""
        about = (RECIPE, QUICK_PLAYERS, self.own.name, self.own.fingerprint, self.base.name, self.base.fingerprint)
        digest = hashlib.sha256(json.dumps(about).encode()).hexdigest()[:8]
        game, own = self.own.game, self.base.name if self.text else self.own.name
        return self.project.experiments / f"try-{game}-{own.rpartition('/')[2]}-{digest}.yaml"

    @property
    def ruleset_path(self) -> Path:
        """The file of the rules, if they are to be kept."""
        return self.project.rulesets / f"{self.own.name}.yaml"

    @property
    def written(self) -> bool:
        """True if all of its files are there."""
        return self.path.exists() and (not self.text or self.ruleset_path.exists())

    @property
    def title(self) -> str:
        """The title of the experiment."""
        return tr("Tried out: {own} – against {base}", own=self.own.heading, base=self.base.heading)

    @property
    def pilot_text(self) -> str:
        """The text of an experiment of the base alone, whose games are timed: the rules may have no file yet."""
        return (
            f"title: {_quoted(self.path.stem)}\nrulesets: [{_quoted(self.base.name)}]\n"
            f"agents: [{', '.join(QUICK_PLAYERS)}]\ngames: {ANALYSES * LEAST}\nblock: {LEAST // BLOCKS}\nseed: 1\n"
        )

    def experiment_text(self, games: int, block: int, looks: int = ANALYSES, language: str = SOURCE) -> str:
        """Return the text of the experiment's file, its comment in a language."""
        return (
            f"{SCHEMA_LINE}"
            "#\n"
            f"# {translated(_TRYOUT_COMMENT, language)}\n"
            f"#     workbench run {self.path.stem}\n"
            f"title: {_quoted(str(self.title))}\n"
            f"title_ja: {_quoted(translated(self.title, 'ja'))}\n"
            f"rulesets: [{_quoted(self.base.name)}, {_quoted(self.own.name)}]\n"
            f"baseline: {_quoted(self.base.name)}\n"
            f"agents: [{', '.join(QUICK_PLAYERS)}]\n"
            f"games: {games}\n"
            "until: decided\n"
            f"looks: {looks}\n"
            f"block: {block}\n"
            "seed: 1\n"
        )

    def write_rules(self) -> None:
        """Write the file of rules that have none, unless that was done before; raises as `write` does."""
        if self.text:
            self._write_once(self.ruleset_path, self.text)

    def write(self, seconds: float, games: int = 0, language: str = SOURCE) -> None:
        """Write the experiment's file, unless that was done before; ``seconds`` and ``games`` as in `games_of_cell`."""
        games = games_of_cell(seconds, games)
        looks = min(ANALYSES, games // LEAST)
        text = self.experiment_text(games, max(5, games // looks // BLOCKS), looks, language)
        self._write_once(self.path, text)

    def _write_once(self, path: Path, text: str) -> None:
        if not os.path.lexists(path):
            self.project.require_place(path)
            output.write_file(output.make_folder(path.parent) / path.name, text.encode(), new=True)


def games_of_cell(seconds: float, chosen: int = 0) -> int:
    """Return the largest number of games of a ruleset and player: as chosen, or (0) as suits the machine.

    ``seconds``: the duration of a game in each cell, together.
    """
    if chosen:
        return max(chosen, LEAST)
    first = min(max(FIRST_ANALYSIS_SECONDS * (os.cpu_count() or 1) / max(seconds, 1e-6), LEAST), MOST)
    step = 5 if first < 50 else 10 if first < 200 else 50
    return ANALYSES * int(first // step) * step


def make_tryout(draft: RulesetDocument, reading: RulesetReading, base: str) -> Tryout:
    """Return the rules of a draft, against those of a ruleset."""
    own = reading.ruleset
    if own is None:
        raise InputError(list(reading.problems))
    against = rulesets.load_ruleset(base, draft.project)
    if not draft.new and not draft.dirty:
        return Tryout(draft.project, own, against, "")
    stem = base if draft.new else draft.name
    name = f"{draft.game}/{TRIED}/{stem.rpartition('/')[2]}-{own.fingerprint[:8]}"
    title = draft.title(reading)
    titles = {"title": str(title), "title_ja": translated(title, "ja")}
    text = re.sub(r"(?m)^(# yaml-language-server: \$schema=)\.\./(?=ruleset)", r"\1../../", draft.text)
    for key, words in titles.items():
        text = edits.set_text_key(text, key, words)
    own = replace(own, name=name, title=titles["title"], title_ja=titles["title_ja"])
    return Tryout(draft.project, own, against, text if text.endswith("\n") else f"{text}\n")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


# Tasks of worker processes


def measure_game_seconds(path: Path, project: Project, text: str, own: Ruleset) -> float:
    """Return the seconds of a game in each cell of an experiment, together, from a short pilot; needs machine code.

    They are seconds of the processor: a machine that is busy just now is no reason for a smaller experiment.

    ``own``: rules that are played besides those of the text.
    """
    from workbench.runs import planning

    loaded = load_experiment(path, project, text)
    loaded = replace(loaded, rulesets=(*loaded.rulesets, own))
    paces = planning.plan_experiment(loaded, TRYOUT_PILOT, clock=time.process_time).paces
    return len(loaded.rulesets) * sum(pace.seconds for pace in paces)


def describe_outlook(path: Path, project: Project, text: str) -> dict[str, Any]:
    """Return the prospects of a text before a game is played.

    ``problems`` with its opening lines, the effects that it can find (``lines``), and whether it starts ``programs``.
    """
    from workbench.experiments import experiment_files
    from workbench.records import provenance
    from workbench.runs import planning

    loaded = load_experiment(path, project, text)
    return {
        "problems": experiment_files.check_given_lines(loaded.openings, loaded.rulesets),
        "lines": planning.describe_power(loaded, provenance.read_provenance(project.reports / loaded.name)),
        "programs": starts_programs(loaded),
    }


def starts_programs(experiment: Experiment) -> bool:
    """True if players from outside take part: a page may never allow that, only who opens the studio."""
    return any(agent.outside is not None for pairing in experiment.pairings for agent in pairing)


def pilot_must_compile(path: Path, project: Project, text: str) -> bool:
    """True if machine code is still to be made before a pilot."""
    loaded = load_experiment(path, project, text)
    return processes.games_must_compile((player.function for player in loaded.players), loaded.families())


def plan_costs(path: Path, project: Project, text: str, programs: bool) -> dict[str, Any]:
    """A pilot, and the costs of each target at its pace: a `workbench.runs.planning.CostPlan`, its notes in English.

    ``programs``: players from outside may be started.
    """
    from workbench.runs import planning

    loaded = load_experiment(path, project, text)
    if starts_programs(loaded) and not programs:
        raise WorkbenchError(tr("starts programs from outside, which only the terminal may allow"))
    made = planning.plan_experiment(loaded, PILOT)
    return {**made.as_json(), "notes": made.notes()}


def write_partial_report(folder: Path, language: str) -> str:
    """Write the report of a folder, even of an unfinished run, in a language; return the reason of a failure, or ""."""
    from workbench import report

    try:
        with speaking(language):
            report.write_report(folder)
    except WorkbenchError as error:
        return text_of(error)
    return ""
