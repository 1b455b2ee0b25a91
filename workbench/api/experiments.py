"""Running experiments and loading their records."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from workbench.api.rulesets import Agent, to_whole_number
from workbench.base import project
from workbench.base.errors import abbreviated, expected, guess, hide_internal_frames, input_error
from workbench.base.language import tr
from workbench.experiments import experiment as experiments
from workbench.experiments.experiment import Experiment
from workbench.games.results import SEATS
from workbench.records import records
from workbench.report.folders import checked_provenance, read_report_trials
from workbench.rules.rulesets import Ruleset
from workbench.runs import runner, training
from workbench.runs.executor import open_executor
from workbench.runs.progress import Progress
from workbench.statistics import AnalysisPlan

__all__ = ["load", "run"]

WINNER = "winner"
"""The column of the winning agent, present in data frames only."""
MAX_VALUES = 1 << 27
"""The maximum size of a table of records, games times columns: one or two gigabytes of memory."""


@hide_internal_frames
def run(
    experiment: str | Path = "", *, rulesets: Sequence[str | Ruleset] | None = None,
    vary: Mapping[str, object] | None = None, design: str | None = None, baseline: str | Ruleset | None = None,
    agents: Sequence[Agent] | None = None, pairings: Sequence[Sequence[Agent]] | None = None, games: int | None = None,
    question: str | None = None, until: str | None = None, precision: float | None = None, looks: int | None = None,
    margin: float | None = None, measures: Sequence[str] | None = None, max_plies: int | None = None,
    capped: str | Mapping[str, object] | None = None, openings: Mapping[str, object] | Sequence[str] | None = None,
    seed: int | None = None, block: int | None = None, keep_moves: bool | None = None,
    targets: Mapping[str, object] | None = None, published: Mapping[str, object] | None = None,
    title: str | None = None, title_ja: str | None = None, out: str | Path | None = None, workers: int | None = None,
    on: str | None = None, fresh: bool = False, into_existing: bool = False, allow_programs: bool = False,
    progress: Callable[[Progress], object] | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Play the games of an experiment and return their records: one row per game, as in the files in ``trials``.

    ``first`` and ``second`` are the agents in the two seats; ``result`` is the winning seat (``first`` or ``second``),
    ``draw`` or ``unfinished``; ``winner`` is the winning agent, missing if there is none.

    With only a name or a path, the experiment is that of a YAML file, and the records equal those of ``workbench run``
    byte for byte; with ``games`` as well, it is a quick look with that many games per cell. With other keys, the
    experiment is the one that a file with these keys would define, and ``experiment`` is its name.

    Records go to a report folder, ``reports/<name>`` (``trials.attrs["folder"]``), block by block. Repeating the call
    plays only missing games; Ctrl-C, or *interrupt* in a notebook, stops it without loss.

    Examples:
        >>> both = ["star/default", "star/two-pieces"]
        >>> trials = run("two-or-three", rulesets=both, agents=["random"], games=50, seed=1)
        >>> trials.groupby("ruleset").size().to_dict()
        {'star/default': 50, 'star/two-pieces': 50}

    Args:
        experiment: a YAML file or its name without extension, or the name of an experiment defined by other keys.
            Without a name it is named after its content, so that the same call uses the same folder.
        rulesets: the rulesets to compare, or their names; the user guide explains this and all other keys.
        vary: toggles and the values to try.
        design: the combinations of ``vary`` to play.
        baseline: the ruleset that the others are compared with; by default the first.
        agents: agents that play against themselves.
        pairings: pairs of agents, for the first and the second seat.
        games: games per ruleset and pairing.
        question: the measure that the verdicts are about.
        until: ``decided``: cells stop as soon as the verdict is settled.
        precision: cells stop once the half-width of the score's interval is at most this.
        looks: the number of interim analyses for ``until`` or ``precision``.
        margin: the smallest difference that matters.
        measures: further measures to compare.
        max_plies: the number of plies after which a game is stopped.
        capped: how stopped games are treated.
        openings: the opening lines.
        seed: the seed of all random numbers.
        block: the number of games played and saved together.
        keep_moves: store the moves of every game, for `moves`.
        targets: targets for a good ruleset.
        published: published results to compare with.
        title: the question in words.
        title_ja: the Japanese title.
        out: the report folder, instead of the default.
        workers: the number of processes; by default one per core.
        on: a cluster to play on, such as ``dask:tcp://host:8786``; by default this machine.
        fresh: delete the records of earlier runs in the folder first, without asking.
        into_existing: allow a folder with other contents.
        allow_programs: start the external programs and classes named in the experiment.
        progress: called after every block, for example ``print``.

    Raises:
        InputError: the experiment is invalid (with all problems), or the folder cannot be used.
        Stopped: the run stopped early; the message states why, what is saved and how to continue.
    """
    keys = {name: value for name, value in locals().items() if name in _KEYS and value is not None}
    active_project = project.find_project()
    workers = None if workers is None else to_whole_number(workers, "workers", 1, 4096)
    loaded = _to_experiment(experiment, keys)
    folder = Path(out) if out else active_project.report(loaded.name)
    # Report a table that would be too large before its games are played.
    if not loaded.sequential:
        _refuse_too_many(len(loaded.cells()) * loaded.games, len(records.COLUMNS) + 1, "run")
    command = f"workbench.run({str(experiment)!r})" if set(keys) <= {"games"} else tr("the same call to workbench.run")
    with open_executor(on, workers) as executor:
        # Training runs take long and the caller did not request them explicitly, so report them.
        training.ensure_trained(
            training.experiment_trainings(loaded), active_project, say=lambda line: print(line, file=sys.stderr),
            executor=executor, command=command,
        )  # fmt: skip
        runner.run_experiment(
            loaded, folder, executor=executor, fresh=fresh, into_existing=into_existing, allow_programs=allow_programs,
            command=command, on_progress=progress,
        )  # fmt: skip
    return _load_records(folder)


_KEYS = frozenset(inspect.signature(run).parameters) - {
    *("experiment", "out", "workers", "on", "fresh", "into_existing", "allow_programs", "progress")
}
"""The parameters of `run` that are keys of an experiment."""


def _to_experiment(name: str | Path, keys: Mapping[str, Any]) -> Experiment:
    expected_source = tr("an experiment's name or path, or rulesets and agents")
    if not isinstance(name, str | Path):
        raise input_error(expected(expected_source, abbreviated(repr(name))), key="experiment")
    if keys.keys() - {"games"}:
        return experiments.experiment_from_values(keys, str(name))
    if not str(name):
        raise input_error(expected(expected_source, tr("nothing")), key="experiment")
    loaded = experiments.load_experiment(experiments.find_experiment(str(name)))
    if "games" in keys:
        return experiments.quick_look(loaded, to_whole_number(keys["games"], "games", 1, experiments.MOST_GAMES))
    return loaded


@hide_internal_frames
def load(folder: str | Path, columns: Sequence[str] | None = None, ruleset: str = "") -> pd.DataFrame:
    """Return the records of a report folder in the form in which `run` returns them.

    An unfinished run has each cell's games from the first one up to the first missing one. Very many games do not fit
    in one table: select some columns or the games of one ruleset.

    Args:
        folder: a report folder, or its name in ``reports/``.
        columns: the columns to return, such as ``["ruleset", "result", "plies"]``; by default all.
        ruleset: the full name of the only ruleset to return; by default all.

    Raises:
        InputError: the folder, a column or the ruleset does not exist, the folder cannot be read, or the table would be
            too large; the text explains the remedy.
    """
    if not isinstance(folder, str | Path) or not str(folder).strip():
        raise input_error(expected(tr("a report folder with its records"), repr(folder)), key="folder")
    return _load_records(project.find_project().existing_report_folder(folder), columns, ruleset)


def _load_records(folder: Path, columns: Sequence[str] | None = None, ruleset: str = "") -> pd.DataFrame:
    with checked_provenance(folder) as provenance:
        plan = AnalysisPlan.from_provenance(provenance)
        trials = read_report_trials(folder, provenance, plan.pairings)
    result_index = trials.columns.index("result") + 1
    existing_columns = [*trials.columns[:result_index], WINNER, *trials.columns[result_index:]]
    if unknown := [name for name in columns or () if name not in existing_columns]:
        hint = guess(str(unknown[0]), existing_columns, tr("there are {names}"))
        raise input_error(tr("the records have no column named '{unknown}'", unknown=unknown[0]), hint, key="columns")
    if ruleset and ruleset not in plan.names:
        hint = guess(ruleset, plan.names, tr("there are {names}"))
        raise input_error(tr("the records have no ruleset named '{ruleset}'", ruleset=ruleset), hint, key="ruleset")
    if ruleset:
        trials = trials.select((trials.games["ruleset"] == ruleset).to_numpy())
    requested = existing_columns if columns is None else list(dict.fromkeys(columns))
    _refuse_too_many(len(trials), len(requested), str(folder))
    source_columns = ["first", "second", "result"] if WINNER in requested else []
    frame = trials.frame([name for name in dict.fromkeys([*requested, *source_columns]) if name != WINNER])
    if source_columns:
        first, second = (frame[seat].where(frame["result"] == seat) for seat in SEATS)
        frame = frame.assign(**{WINNER: first.fillna(second)})[requested]
    frame.attrs["folder"] = str(folder)
    return frame


def _refuse_too_many(games: int, columns: int, folder: str) -> None:
    if games * columns > MAX_VALUES:
        message = tr(
            "{games:,} games in {columns} columns exceed the limit of {most_values:,} values per table"
        ).format(games=games, columns=columns, most_values=MAX_VALUES)
        hint = tr("select columns or a ruleset: load(folder, columns=['ruleset', 'result', 'plies'], ruleset='…')")
        raise input_error(message, hint, key=folder)
