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
"""A column of data frames only: the agent that won."""
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
    """Plays the games of an experiment, and returns their records: a row a game, as the files in ``trials`` have them.

    ``first`` and ``second`` are the agents in the two seats; ``result`` names the seat that has won (``first``,
    ``second``) or is ``draw`` or ``unfinished``. ``winner`` is the agent that has won, missing where neither has.

    With nothing but a name or a path, the experiment is that of a YAML file, and the records are byte for byte those of
    ``workbench run``; with ``games``, it is a quick look at it with so many games a cell. With other keys, it is what a
    file with these keys would be, and ``experiment`` is its name.

    Records go to a report folder, ``reports/<name>``, block by block. The same call again plays only what is missing;
    Ctrl-C, or *interrupt* in a notebook, stops it without loss. ``trials.attrs["folder"]`` says where they are.

    Examples:
        >>> both = ["star/default", "star/two-pieces"]
        >>> trials = run("two-or-three", rulesets=both, agents=["random"], games=50, seed=1)
        >>> trials.groupby("ruleset").size().to_dict()
        {'star/default': 50, 'star/two-pieces': 50}

    Args:
        experiment: a YAML file, or the stem of its name; or, with keys of an experiment, what it is called. Without a
            name it is called after what it says, so that the same call has the same folder.
        rulesets: the rulesets to compare, or their names; see the user guide for this and all keys of an experiment.
        vary: toggles and the values to try.
        design: which combinations of ``vary`` are played.
        baseline: what the others are compared with; the first ruleset, if left out.
        agents: agents that play themselves.
        pairings: pairs of agents, for the first and the second seat.
        games: games of each ruleset and pairing.
        question: the measure that the verdicts are about.
        until: ``decided``: cells end as soon as the verdict is sure.
        precision: cells end as soon as the score's interval is so narrow.
        looks: how often ``until`` or ``precision`` look.
        margin: the smallest difference that matters.
        measures: what else is compared.
        max_plies: games are stopped here.
        capped: what becomes of games that are stopped.
        openings: how games begin.
        seed: where all chance comes from.
        block: games that are played and saved together.
        keep_moves: the records hold the moves of every game, for `moves`.
        targets: what a good ruleset should reach.
        published: what others published.
        title: the question in words.
        title_ja: the same in Japanese.
        out: the report folder, if it is to be another one.
        workers: processes; one for each core, if left out.
        on: a cluster that plays, such as ``dask:tcp://host:8786``; this machine, if left out.
        fresh: deletes the records of earlier runs in the folder first, and does not ask.
        into_existing: also a folder that holds other things.
        allow_programs: starts the programs and classes from outside that the experiment names.
        progress: is told of every block; ``print`` will do.

    Raises:
        InputError: all that is wrong with the experiment, or the folder cannot be used.
        Stopped: the run did not reach its end; the text says why, what is kept and how to go on.
    """
    keys = {name: value for name, value in locals().items() if name in _KEYS and value is not None}
    where = project.find_project()
    workers = None if workers is None else to_whole_number(workers, "workers", 1, 4096)
    loaded = _to_experiment(experiment, keys)
    folder = Path(out) if out else where.report(loaded.name)
    # Whoever waits for them is not told at the end that he cannot have them.
    if not loaded.sequential:
        _refuse_too_many(len(loaded.cells()) * loaded.games, len(records.COLUMNS) + 1, "run")
    again = f"workbench.run({str(experiment)!r})" if set(keys) <= {"games"} else tr("the same call of workbench.run")
    with open_executor(on, workers) as executor:
        # They take long, and were not asked for in so many words.
        training.ensure_trained(
            training.experiment_trainings(loaded), where, say=lambda line: print(line, file=sys.stderr),
            executor=executor, command=again,
        )  # fmt: skip
        runner.run_experiment(
            loaded, folder, executor=executor, fresh=fresh, into_existing=into_existing, allow_programs=allow_programs,
            command=again, on_progress=progress,
        )  # fmt: skip
    return _load_records(folder)


_KEYS = frozenset(inspect.signature(run).parameters) - {
    *("experiment", "out", "workers", "on", "fresh", "into_existing", "allow_programs", "progress")
}
"""The parameters of `run` that are keys of an experiment."""


def _to_experiment(name: str | Path, keys: Mapping[str, Any]) -> Experiment:
    what = tr("an experiment's name or path, or rulesets and agents")
    if not isinstance(name, str | Path):
        raise input_error(expected(what, abbreviated(repr(name))), key="experiment")
    if keys.keys() - {"games"}:
        return experiments.experiment_from_values(keys, str(name))
    if not str(name):
        raise input_error(expected(what, tr("nothing")), key="experiment")
    loaded = experiments.load_experiment(experiments.find_experiment(str(name)))
    if "games" in keys:
        return experiments.quick_look(loaded, to_whole_number(keys["games"], "games", 1, experiments.MOST_GAMES))
    return loaded


@hide_internal_frames
def load(folder: str | Path, columns: Sequence[str] | None = None, ruleset: str = "") -> pd.DataFrame:
    """Return the records of a report folder, as `run` returns them.

    Of a run that is not finished, each cell has the games from its first one up to the first that is missing. Very many
    games are too much for one table: some of their columns, or the games of one ruleset, are not.

    Args:
        folder: a report folder, or its name in ``reports/``.
        columns: only these, such as ``["ruleset", "result", "plies"]``; all of them, if left out.
        ruleset: only the games of this one, by its full name.

    Raises:
        InputError: there is no such folder, column or ruleset, it cannot be read, or it is too much for one table; the
            text says what to do.
    """
    if not isinstance(folder, str | Path) or not str(folder).strip():
        raise input_error(expected(tr("a report folder with its records"), repr(folder)), key="folder")
    return _load_records(project.find_project().existing_report_folder(folder), columns, ruleset)


def _load_records(folder: Path, columns: Sequence[str] | None = None, ruleset: str = "") -> pd.DataFrame:
    with checked_provenance(folder) as provenance:
        plan = AnalysisPlan.from_provenance(provenance)
        trials = read_report_trials(folder, provenance, plan.pairings)
    at = trials.columns.index("result") + 1
    there = [*trials.columns[:at], WINNER, *trials.columns[at:]]
    if unknown := [each for each in columns or () if each not in there]:
        hint = guess(str(unknown[0]), there, tr("there are {names}"))
        raise input_error(tr("the records have no column '{unknown}'", unknown=unknown[0]), hint, key="columns")
    if ruleset and ruleset not in plan.names:
        hint = guess(ruleset, plan.names, tr("there are {names}"))
        raise input_error(tr("the records have no ruleset '{ruleset}'", ruleset=ruleset), hint, key="ruleset")
    if ruleset:
        trials = trials.select((trials.games["ruleset"] == ruleset).to_numpy())
    wanted = there if columns is None else list(dict.fromkeys(columns))
    _refuse_too_many(len(trials), len(wanted), str(folder))
    needed = ["first", "second", "result"] if WINNER in wanted else []
    frame = trials.frame([each for each in dict.fromkeys([*wanted, *needed]) if each != WINNER])
    if needed:
        first, second = (frame[seat].where(frame["result"] == seat) for seat in SEATS)
        frame = frame.assign(**{WINNER: first.fillna(second)})[wanted]
    frame.attrs["folder"] = str(folder)
    return frame


def _refuse_too_many(games: int, columns: int, folder: str) -> None:
    if games * columns > MAX_VALUES:
        message = tr(
            "{games:,} games with {columns} columns exceed the limit of {most_values:,} values per table"
        ).format(games=games, columns=columns, most_values=MAX_VALUES)
        hint = tr("select columns or a ruleset: load(folder, columns=['ruleset', 'result', 'plies'], ruleset='…')")
        raise input_error(message, hint, key=folder)
