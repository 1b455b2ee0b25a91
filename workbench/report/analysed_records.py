"""The records of a folder with their statistical analysis, as reports and programs read them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from workbench import games, statistics
from workbench.errors import InputError, Problem
from workbench.files.project import Project, find_project
from workbench.games.game_state import GameState
from workbench.language import tr
from workbench.questions.rulesets import Ruleset, with_saved_titles
from workbench.report.exact_values import exact_score_table
from workbench.report.reading import read_report_trials, read_run_provenance
from workbench.statistics import stopping
from workbench.store import record_files
from workbench.store.records import OPENING_PLIES
from workbench.store.traces import read_traces
from workbench.store.trials import Trials


@dataclass(frozen=True)
class AnalysedRecords:
    """The records of a folder, and their analysis by the plan of their experiment."""

    folder: Path
    provenance: Mapping[str, Any]
    trials: Trials
    analysis: statistics.Analysis
    cells: pd.DataFrame
    """Those of the analysis, with a column ``target_x`` for each target."""
    exact: pd.DataFrame
    """`exact_score_table`."""
    planned: int
    """Games that the experiment asks for."""


@contextmanager
def checked_provenance(folder: Path) -> Iterator[dict[str, Any]]:
    """What the run of a folder says of itself.

    Raises:
        InputError: the folder has no provenance, or its records change while they are read.
    """
    provenance = read_run_provenance(folder)
    try:
        yield provenance
    except record_files.Unreadable as error:
        # Of very many games most columns are read when they are needed.
        raise InputError(
            [Problem(str(folder), None, None, tr("changed while it was read: {error}", error=error), tr("try again"))]
        ) from error


def analyse_records(folder: Path, provenance: Mapping[str, Any]) -> AnalysedRecords:
    """The records of a folder and their analysis.

    Raises:
        InputError: the folder holds no records of an experiment, or they cannot be read.
    """
    plan, trials, planned = planned_records(folder, provenance)
    analysis = statistics.analyse(trials, plan, read_traces(folder))
    cells = analysis.cells.copy()
    for name in plan.experiment.targets:
        cells[f"target_{name}"] = analysis.targets.loc[analysis.targets["target"] == name, "verdict"].to_numpy()
    exact = exact_score_table(provenance, trials.games, cells)
    return AnalysedRecords(folder, provenance, trials, analysis, cells, exact, planned)


def planned_records(folder: Path, provenance: Mapping[str, Any]) -> tuple[statistics.AnalysisPlan, Trials, int]:
    """The plan of a folder, its games, and how many the experiment asks for.

    Of a run that is not finished, each cell counts the games from its first one up to the first that is missing: were
    every block counted that happens to be there, quick games would be too many.

    Raises:
        InputError: the folder holds no records of an experiment, or they cannot be read.
    """
    plan = _with_saved_titles(statistics.AnalysisPlan.from_provenance(provenance), find_project(folder))
    trials = read_report_trials(folder, provenance, plan.pairings, plan.measure_columns)
    plan = dataclasses.replace(plan, opening_counts=opening_sequence_counts(plan.rulesets))
    planned = max(sum(stopping.games_per_cell(trials, plan).values()), len(trials))
    plan = dataclasses.replace(plan, finished=len(trials) >= planned)
    return plan, trials, planned


def _with_saved_titles(plan: statistics.AnalysisPlan, project: Project) -> statistics.AnalysisPlan:
    """The plan, in which rules that were tried out and saved since are called as their file calls them."""
    experiment = plan.experiment
    title, title_ja = experiment.title, experiment.title_ja
    called = with_saved_titles(experiment.rulesets, project)
    for old, new in zip(experiment.rulesets, called, strict=True):
        if old is not new:
            title, title_ja = title.replace(old.title, new.title), title_ja.replace(old.title_ja, new.title_ja)
    experiment = dataclasses.replace(experiment, rulesets=called, title=title, title_ja=title_ja)
    return dataclasses.replace(plan, experiment=experiment)


def opening_sequence_counts(rulesets: Iterable[Ruleset]) -> dict[str, tuple[int, ...]]:
    """How many openings of each length the rulesets allow, where these are few enough to count and the game is here."""
    known = set(games.names())
    return {
        ruleset.name: GameState(ruleset.game, ruleset.codes()).sequences(OPENING_PLIES)
        for ruleset in rulesets
        if ruleset.game in known
    }
