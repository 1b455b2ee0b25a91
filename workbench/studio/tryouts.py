"""Try-outs of rules by quick players, and experiment tasks for the studio's worker processes.

A try-out is an ordinary experiment, ``experiments/try-….yaml``, with an ordinary report; ``workbench run`` plays it.
Unsaved rules are stored as ``rulesets/GAME/tried/…``, which can be named but are not listed. File names end in a digest
of both rulesets: the same rules lead to the same experiment and continue its games.

The number of games is determined once, when the file is written: the first interim analysis should follow within
seconds on this machine. Later runs read it from the file.
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
from workbench.base.errors import InputError, WorkbenchError, error_text
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
"""The version of the try-out's design."""
ANALYSES = 24
FIRST_ANALYSIS_SECONDS = 3.5
"""Playing time until the first interim analysis, excluding preparation."""
LEAST, MOST = 20, 300
"""Minimum and maximum of games per cell at the first interim analysis."""
OFFERED = (120, 480, 1_200, 4_800)
"""Numbers of games per cell that can be chosen instead of a number that suits the machine."""
TRYOUT_PILOT = 0.6
"""Duration of the pilot that times games, in seconds."""
BLOCKS = 4
"""The number of blocks per cell and interim analysis."""
PILOT = 4.0
"""Duration in seconds of a pilot on one core while a page waits."""


@dataclass(frozen=True)
class Tryout:
    """Rules with the ruleset they are compared with."""

    project: Project
    own: Ruleset
    base: Ruleset
    text: str
    """The text of a new file for the rules; "" if they have a file."""

    @property
    def differs(self) -> bool:
        """True if the rules differ from the base."""
        return self.own.fingerprint != self.base.fingerprint

    @property
    def path(self) -> Path:
        """The file of the experiment."""
        identity = (RECIPE, QUICK_PLAYERS, self.own.name, self.own.fingerprint, self.base.name, self.base.fingerprint)
        digest = hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:8]
        game, stem = self.own.game, self.base.name if self.text else self.own.name
        return self.project.experiments / f"try-{game}-{stem.rpartition('/')[2]}-{digest}.yaml"

    @property
    def ruleset_path(self) -> Path:
        """The path of the new file for the rules."""
        return self.project.rulesets / f"{self.own.name}.yaml"

    @property
    def written(self) -> bool:
        """True if all files of the try-out exist."""
        return self.path.exists() and (not self.text or self.ruleset_path.exists())

    @property
    def pilot_text(self) -> str:
        """The text of an experiment with the base alone, because the rules may have no file yet."""
        return (
            f"title: {_quoted(self.path.stem)}\nrulesets: [{_quoted(self.base.name)}]\n"
            f"agents: [{', '.join(QUICK_PLAYERS)}]\ngames: {ANALYSES * LEAST}\nblock: {LEAST // BLOCKS}\nseed: 1\n"
        )

    def experiment_text(self, games: int, block: int, looks: int = ANALYSES, language: str = SOURCE) -> str:
        """Return the text of the experiment's file with a comment in ``language``."""
        title = tr("Tried out: {own} – against {base}", own=self.own.heading, base=self.base.heading)
        comment = tr("Written by the studio to try rules out with quick players. To continue it elsewhere:")
        return (
            f"{SCHEMA_LINE}#\n# {translated(comment, language)}\n#     workbench run {self.path.stem}\n"
            f"title: {_quoted(str(title))}\n"
            f"title_ja: {_quoted(translated(title, 'ja'))}\n"
            f"rulesets: [{_quoted(self.base.name)}, {_quoted(self.own.name)}]\n"
            f"baseline: {_quoted(self.base.name)}\n"
            f"agents: [{', '.join(QUICK_PLAYERS)}]\n"
            f"games: {games}\nuntil: decided\nlooks: {looks}\nblock: {block}\nseed: 1\n"
        )

    def write_rules(self) -> None:
        """Write the new file for the rules unless it exists."""
        if self.text:
            self._write_once(self.ruleset_path, self.text)

    def write(self, seconds: float, games: int = 0, language: str = SOURCE) -> None:
        """Write the experiment's file unless it exists; `games_per_cell` explains ``seconds`` and ``games``."""
        games = games_per_cell(seconds, games)
        looks = min(ANALYSES, games // LEAST)
        text = self.experiment_text(games, max(5, games // looks // BLOCKS), looks, language)
        self._write_once(self.path, text)

    def _write_once(self, path: Path, text: str) -> None:
        if not os.path.lexists(path):
            self.project.require_place(path)
            output.write_file(output.make_folder(path.parent) / path.name, text.encode(), new=True)


def games_per_cell(seconds: float, choice: int = 0) -> int:
    """Return the maximum number of games per cell: ``choice``, or if it is 0, a number that suits the machine.

    ``seconds``: the total duration of one game in each cell.
    """
    if choice:
        return max(choice, LEAST)
    first_analysis = min(max(FIRST_ANALYSIS_SECONDS * (os.cpu_count() or 1) / max(seconds, 1e-6), LEAST), MOST)
    step = 5 if first_analysis < 50 else 10 if first_analysis < 200 else 50
    return ANALYSES * int(first_analysis // step) * step


def make_tryout(draft: RulesetDocument, reading: RulesetReading, base: str) -> Tryout:
    """Return the try-out of a draft against a ruleset."""
    ruleset = reading.ruleset
    if ruleset is None:
        raise InputError(list(reading.problems))
    baseline = rulesets.load_ruleset(base, draft.project)
    if not draft.new and not draft.dirty:
        return Tryout(draft.project, ruleset, baseline, "")
    stem = base if draft.new else draft.name
    name = f"{draft.game}/{TRIED}/{stem.rpartition('/')[2]}-{ruleset.fingerprint[:8]}"
    title = draft.title(reading)
    titles = {"title": str(title), "title_ja": translated(title, "ja")}
    text = re.sub(r"(?m)^(# yaml-language-server: \$schema=)\.\./(?=ruleset)", r"\1../../", draft.text)
    for key, words in titles.items():
        text = edits.set_text_key(text, key, words)
    ruleset = replace(ruleset, name=name, title=titles["title"], title_ja=titles["title_ja"])
    return Tryout(draft.project, ruleset, baseline, text if text.endswith("\n") else f"{text}\n")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


# Tasks of worker processes


def measure_game_seconds(path: Path, project: Project, text: str, own: Ruleset) -> float:
    """Return the total duration of one game in each cell of an experiment, from a short compiled pilot.

    Processor time is measured: a busy machine is no reason for a smaller experiment.

    ``own``: a ruleset added to those of the text.
    """
    from workbench.runs import planning

    loaded = load_experiment(path, project, text)
    loaded = replace(loaded, rulesets=(*loaded.rulesets, own))
    paces = planning.plan_experiment(loaded, TRYOUT_PILOT, clock=time.process_time).paces
    return len(loaded.rulesets) * sum(pace.seconds for pace in paces)


def describe_outlook(path: Path, project: Project, text: str) -> dict[str, Any]:
    """Return information about an experiment before its first game.

    The result contains the ``problems`` of its opening lines, sentences about detectable effects (``lines``), and
    ``programs``, which is true if it starts external programs.
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
    """Return True if external players, which pages may start only with the command's option, take part."""
    return any(agent.outside is not None for pairing in experiment.pairings for agent in pairing)


def pilot_must_compile(path: Path, project: Project, text: str) -> bool:
    """Return True if a pilot must compile machine code."""
    loaded = load_experiment(path, project, text)
    return processes.games_must_compile((player.function for player in loaded.players), loaded.families())


def plan_costs(path: Path, project: Project, text: str, programs: bool) -> dict[str, Any]:
    """Play a pilot and return the costs as a `workbench.runs.planning.CostPlan` with notes in English.

    ``programs``: external players may be started.
    """
    from workbench.runs import planning

    loaded = load_experiment(path, project, text)
    if starts_programs(loaded) and not programs:
        raise WorkbenchError(tr("starts external programs, which can be allowed only in the terminal"))
    plan = planning.plan_experiment(loaded, PILOT)
    return {**plan.as_json(), "notes": plan.notes()}


def write_partial_report(folder: Path, language: str) -> str:
    """Write the report of a possibly unfinished run in a language; return the reason for a failure, or ""."""
    from workbench import report

    try:
        with speaking(language):
            report.write_report(folder)
    except WorkbenchError as error:
        return error_text(error)
    return ""
