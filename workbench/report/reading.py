"""The records and the provenance that a run left in its folder: their analysis, and games of it as text."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench import games, statistics
from workbench.base import project
from workbench.base.errors import InputError, Problem, display_path, expected, guess, input_error
from workbench.base.language import OR, quoted, tr
from workbench.base.project import Project, find_project
from workbench.games.declaration import NO_SWAP, SWAP
from workbench.games.results import SCORES, SEATS
from workbench.players import library
from workbench.players.agents import AgentSpec
from workbench.positions.game_state import GameState
from workbench.records import provenance as provenances
from workbench.records import records
from workbench.records.records import OPENING_PLIES, RecordFile, read_traces
from workbench.records.trials import CellName, Trials, load_trials
from workbench.report import replaying
from workbench.report.model import Document
from workbench.rules import rulesets
from workbench.rules.ruleset_files import KnownValue
from workbench.rules.rulesets import Ruleset, with_saved_titles
from workbench.runs.executor import Executor
from workbench.runs.worker import Call
from workbench.statistics import AnalysisPlan
from workbench.statistics.analysis import games_per_cell
from workbench.statistics.tables import cell_indices

KNOWN_COLUMNS = (
    *("ruleset", "first", "second", "best_play", "source", "solved", "best_plies", "random_score"),
    *("first_score", "first_score_low"),
    *("first_score_high", "balance", "agrees", "wins", "loses", "winning_moves", "losing_moves"),
)

SOLVED_BY = "workbench solve"
"""The beginning of the source of a value that the workbench found."""


def load_best_play(here: Project, families: Collection[str] | None = None) -> dict[str, KnownValue]:
    """Known values under best play, by fingerprint: from the rulesets' files, else as the workbench solved it.

    Of the families, if they are named, and of others where it costs nothing.
    """
    solved = {
        key: KnownValue(each.value, f"{SOLVED_BY} {each.ruleset}")
        for key, each in library.load_exact_results(here).items()
    }
    return solved | rulesets.known_values_by_fingerprint(here, families)


def best_play_table(provenance: Mapping[str, Any], trials: Trials, cells: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each cell of the rulesets of which best play is known, by the fingerprint of their rules.

    It is known from the ruleset's file or because the workbench has solved it.

    Columns: ``ruleset``, ``first``, ``second``; ``best_play`` (first, second or draw) with its ``source``, and
    ``solved``, the same as the workbench found it ("" if it did not), with ``best_plies``, the plies that a win takes
    with best play, and ``random_score``, the first seat's exact score in random play, both missing where they are not
    known; the score of the first seat with its ends and
    ``balance``; ``agrees``, whether the side is ahead that best play lets win, or none where that is a draw: yes, no,
    or "" if undecided; ``wins`` and ``loses``, the shares of the games that began with a move of ``winning_moves`` and
    of ``losing_moves``, missing where no such moves are known or games began with given lines.
    """
    here = project.find_project()
    families = {str(ruleset["name"]).partition("/")[0] for ruleset in provenance["rulesets"]}
    known, solved = load_best_play(here, families), library.load_exact_results(here)
    prints = {str(ruleset["name"]): str(ruleset.get("fingerprint")) for ruleset in provenance["rulesets"]}
    given = bool(provenance["experiment"].get("openings"))
    rows = []
    for cell in cells.to_dict("records"):
        fingerprint = prints[cell["ruleset"]]
        value, exact = known.get(fingerprint), solved.get(fingerprint)
        if value is None:
            continue
        name = (str(cell["ruleset"]), str(cell["first"]), str(cell["second"]))
        shares: list[float | None] = [None, None]
        moves = (value.winning_first_moves, value.losing_first_moves)
        if any(moves) and len(trials.cell(name)) and not given:
            began = trials.column(name, "opening").astype(str).str.partition(" ")[0]
            shares = [float(began.isin(some).mean()) if some else None for some in moves]
        expected = {"draw": "balanced"}.get(value.best_play, value.best_play)
        rows.append(
            {column: cell[column] for column in KNOWN_COLUMNS if column in cell}
            | {
                "best_play": value.best_play,
                "source": value.source,
                "solved": exact.value if exact else "",
                "best_plies": exact.plies if exact else None,
                "random_score": exact.first_score if exact else None,
                "agrees": "" if cell["balance"] in ("undecided", "") else ("no", "yes")[cell["balance"] == expected],
                "wins": shares[0],
                "loses": shares[1],
                "winning_moves": " ".join(value.winning_first_moves),
                "losing_moves": " ".join(value.losing_first_moves),
            }
        )
    return pd.DataFrame(rows, columns=KNOWN_COLUMNS)


EXACT_COLUMNS = (
    *("ruleset", "first", "second", "exact", "first_score", "first_score_low", "first_score_high", "inside"),
    *("plies_exact", "plies_mean"),
)


def exact_score_table(provenance: Mapping[str, Any], trials: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each cell of solved rulesets whose true score is known: both seats random, or both optimal.

    Columns: ``ruleset``, ``first``, ``second``; the ``exact`` score of the first seat, the estimate ``first_score``
    with ``first_score_low`` and ``first_score_high``, and whether the exact value lies ``inside``; ``plies_exact`` and
    ``plies_mean``. Games without a result are no part of the estimates.
    """
    # What is known exactly is the value of the start, not that of lines.
    known = {} if provenance["experiment"].get("openings") else library.load_exact_results(project.find_project())
    prints = {ruleset["name"]: ruleset.get("fingerprint") for ruleset in provenance["rulesets"]}
    swapping = {
        entry["name"] for entry in provenance["rulesets"] if entry.get("settings", {}).get(SWAP, NO_SWAP) != NO_SWAP
    }
    kinds = {
        (pairing["first"], pairing["second"]): {
            (options.get("kind"), options.get("epsilon", 0.0))
            for options in (pairing.get(f"{seat}_options", {}) for seat in SEATS)
        }
        for pairing in provenance["pairings"]
    }
    means = trials.groupby(["ruleset", "first", "second"], observed=True)["plies"].mean()
    rows = []
    for cell in cells.to_dict("records"):
        exact = known.get(str(prints[cell["ruleset"]]))
        pairing = kinds[cell["first"], cell["second"]]
        if exact is None or not cell["finished"] or pairing not in ({("random", 0.0)}, {("optimal", 0.0)}):
            continue
        if pairing == {("random", 0.0)}:
            if exact.random is None or exact.first_score is None:
                continue
            score, plies = exact.first_score, exact.random["plies"]
        else:
            score = SCORES[exact.value]
            # Where sides may be swapped, players who lose in any case do not delay it before that.
            plies = float(exact.plies) if exact.plies and cell["ruleset"] not in swapping else np.nan
        rows.append(
            {name: cell[name] for name in ("ruleset", "first", "second")}
            | {
                "exact": score,
                **{name: cell[name] for name in ("first_score", "first_score_low", "first_score_high")},
                "inside": cell["first_score_low"] <= score <= cell["first_score_high"],
                "plies_exact": plies,
                "plies_mean": means[cell["ruleset"], cell["first"], cell["second"]],
            }
        )
    return pd.DataFrame(rows, columns=EXACT_COLUMNS)


REMEDY = "workbench run makes it again, and plays nothing that is there"


def read_run_provenance(folder: Path) -> dict[str, Any]:
    """Return the provenance of a run.

    Raises:
        InputError: the folder has none, or it is damaged.
    """
    path = folder / provenances.FILE
    try:
        return provenances.load_provenance(folder)
    except FileNotFoundError:
        hint = tr(
            "a report is made from the folder that a run wrote; if its records are there, run the experiment again"
        )
        raise input_error(tr("there is no such file"), hint, file=str(path)) from None
    except (provenances.Damaged, records.Unavailable) as error:
        message = tr("cannot be read as what a run writes ({error})", error=str(error).removeprefix(f"{path}: "))
        raise input_error(message, REMEDY, file=str(path)) from error


def read_report_trials(
    folder: Path, provenance: Mapping[str, Any], pairings: Sequence[tuple[str, str]], also: Sequence[str] = ()
) -> Trials:
    """Return the games of all cells, each from its first one up to the first that is missing.

    ``also`` names columns to be kept in memory, however many games there are.

    Raises:
        InputError: there are no games, or they cannot be read.
    """
    every = [(str(one["name"]), *pairing) for one in provenance["rulesets"] for pairing in pairings]
    planned = {cell: number for number, cell in enumerate(dict.fromkeys(every))}
    try:
        files = [records.read_file(path) for path in records.file_paths(folder)]
        files.sort(key=lambda file: _file_order(file, planned))
        trials = load_trials(files, also)
    except (records.Unreadable, records.Unavailable) as error:
        again = tr("run the experiment again: what is missing or damaged is played again, and that alone")
        hint = again if isinstance(error, records.Unreadable) else tr("make it readable")
        raise input_error(tr("cannot be read: {error}", error=error), hint, file=str(folder)) from error
    if missing := records.missing_files(provenance.get("digests"), files):
        message = tr("{place} is missing, though {file} lists it", place=missing[0], file=provenances.FILE)
        hint = tr("run the experiment again: it tells whether these are its games, and plays nothing that is there")
        raise input_error(message, hint, file=str(folder))
    if not len(trials):
        raise input_error(tr("no games are in it yet"), file=str(folder))
    counted = _rows_before_gaps(trials.games, list(planned))
    everything = len(counted) == len(trials) and bool((np.diff(counted) == 1).all())
    return trials if everything else trials.take(counted)


def _file_order(file: RecordFile, planned: Mapping[CellName, int]) -> tuple[int, int]:
    """Return the place of the first games of a file."""
    first = file.note.segments[0]
    return planned.get((first.ruleset, first.first, first.second), len(planned)), first.start


def _rows_before_gaps(games: pd.DataFrame, cells: Sequence[CellName]) -> npt.NDArray[np.intp]:
    """Return the places of the games that count: cell by cell, from the first game up to the first that is missing."""
    cell, number = cell_indices(games, cells), games["game"].to_numpy()
    steps = np.diff(cell)
    in_order = (steps >= 0).all() and ((np.diff(number) > 0) | (steps > 0)).all()
    order = np.arange(len(games)) if in_order else np.lexsort((number, cell))
    order = order[cell[order] >= 0]
    # Of games that are in two files, the one that comes first.
    again = (np.diff(cell[order], prepend=-1) == 0) & (np.diff(number[order], prepend=-1) == 0)
    order = order[~again]
    starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
    before = np.repeat(starts, np.diff(starts, append=len(order)))
    first_ones: npt.NDArray[np.intp] = order[number[order] == np.arange(len(order)) - before]
    return first_ones


@dataclass(frozen=True)
class AnalysedRecords:
    """The records of a folder, and their analysis by the plan of their experiment."""

    folder: Path
    provenance: Mapping[str, Any]
    trials: Trials
    analysis: statistics.Analysis
    cells: pd.DataFrame
    """The cells of the analysis, with a column ``target_x`` for each target."""
    exact: pd.DataFrame
    """`exact_score_table`."""
    planned: int
    """Games that the experiment asks for."""

    @property
    def partial(self) -> bool:
        """True if games are still missing."""
        return len(self.trials) < self.planned


@dataclass(frozen=True)
class Report(AnalysedRecords):
    """Analysed records whose report was written."""

    document: Document
    files: tuple[Path, ...]
    """The files that were written."""


@contextmanager
def checked_provenance(folder: Path) -> Iterator[dict[str, Any]]:
    """A context with the provenance of a run.

    Raises:
        InputError: the folder has no provenance, or its records change while they are read.
    """
    provenance = read_run_provenance(folder)
    try:
        yield provenance
    except records.Unreadable as error:
        # Of very many games most columns are read when they are needed.
        raise input_error(
            tr("changed while it was read: {error}", error=error), tr("try again"), file=str(folder)
        ) from error


def analyse_records(folder: Path, provenance: Mapping[str, Any]) -> AnalysedRecords:
    """Return the records of a folder and their analysis.

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
    """Return the plan of a folder, its games, and how many the experiment asks for.

    Of a run that is not finished, each cell counts the games from its first one up to the first that is missing: were
    every block counted that happens to be there, quick games would be too many.

    Raises:
        InputError: the folder holds no records of an experiment, or they cannot be read.
    """
    plan = _with_saved_titles(statistics.AnalysisPlan.from_provenance(provenance), find_project(folder))
    trials = read_report_trials(folder, provenance, plan.pairings, plan.measure_columns)
    plan = dataclasses.replace(plan, opening_counts=opening_sequence_counts(plan.rulesets))
    planned = max(sum(games_per_cell(trials, plan).values()), len(trials))
    plan = dataclasses.replace(plan, finished=len(trials) >= planned)
    return plan, trials, planned


def _with_saved_titles(plan: statistics.AnalysisPlan, project: Project) -> statistics.AnalysisPlan:
    """Return the plan, in which rules that were tried out and saved since are called as their file calls them."""
    experiment = plan.experiment
    title, title_ja = experiment.title, experiment.title_ja
    called = with_saved_titles(experiment.rulesets, project)
    for old, new in zip(experiment.rulesets, called, strict=True):
        if old is not new:
            title, title_ja = title.replace(old.title, new.title), title_ja.replace(old.title_ja, new.title_ja)
    experiment = dataclasses.replace(experiment, rulesets=called, title=title, title_ja=title_ja)
    return dataclasses.replace(plan, experiment=experiment)


def opening_sequence_counts(rulesets: Iterable[Ruleset]) -> dict[str, tuple[int, ...]]:
    """Return the numbers of openings of each length that rulesets allow, where they are few enough to count."""
    known = set(games.names())
    return {
        ruleset.name: GameState(ruleset.game, ruleset.codes()).sequences(OPENING_PLIES)
        for ruleset in rulesets
        if ruleset.game in known
    }


@dataclass(frozen=True)
class GameSelection:
    """Games that somebody asks for; what is left open is not asked."""

    ruleset: str = ""
    """Its name, or what stands behind the family in it."""
    first: str = ""
    second: str = ""
    numbers: Sequence[int] = ()
    """Games of each cell, from 1."""
    result: str = ""
    ending: str = ""
    count: int = 20
    """Games of each cell, the first ones that are asked for."""


@dataclass
class GameExport:
    """The games of a folder as text, in their order: by ruleset, pairing and number."""

    kind: str
    texts: Iterator[list[str | None]]
    """Block by block; None is a game that this version of the workbench does not play from its seed any more."""
    count: int
    rulesets: list[Ruleset]
    players: list[AgentSpec]

    @property
    def families(self) -> set[str]:
        """Whose games they are."""
        return {ruleset.game for ruleset in self.rulesets}


def export_formats(families: set[str]) -> dict[str, str]:
    """Return the formats for games of all these families: name -> title."""
    own = {getattr(games.notation(family), "EXPORT", "") for family in families if family in games.names()}
    exchanged = {kind.lower(): kind for kind in own if kind and len(own) == 1}
    return exchanged | {replaying.JSON: "JSON", replaying.TEXT: "text"}


def export_games(folder: Path, wanted: GameSelection, kind: str, workers: int | None = None) -> GameExport:
    """Plays the wanted games of a folder again.

    Raises:
        InputError: there is nothing of that name in the folder, and what there is; or no such games.
    """
    provenance = read_run_provenance(folder)
    plan = AnalysisPlan.from_provenance(provenance)
    trials = read_report_trials(folder, provenance, plan.pairings)
    rulesets, pairings, problems = _selected_cells(plan, wanted)
    families = {plan.ruleset(name).game for name in rulesets}
    if kind not in (known := export_formats(families)):
        what = tr("{known} for games of {families}", known=OR.join(known), families=", ".join(sorted(families)))
        message = expected(what, quoted(kind))
        problems.append(Problem("--export", None, None, message, guess(kind, known) if kind not in _ALL else ""))
    for option, column, asked in (("--result", "result", wanted.result), ("--ending", "termination", wanted.ending)):
        there = sorted({str(word) for cell in trials.cells for word in trials.cell(cell)[column].unique()})
        if asked and asked not in there:
            message = tr("no game of {folder} ended so: '{asked}'", folder=display_path(folder), asked=asked)
            problems.append(Problem(option, None, None, message, guess(asked, there, tr("there are {names}"))))
    if problems:
        raise InputError(problems)
    chosen = []
    for name in rulesets:
        for first, second in pairings:
            cell = trials.cell((name, first, second))
            if wanted.numbers and len(cell):
                last = int(cell["game"].max()) + 1
                if beyond := [number for number in wanted.numbers if number > last]:
                    what = tr("{kind} from {low} to {high}", kind=tr("a number"), low=1, high=f"{last:,}")
                    hint = tr("games of {name}, {first} v {second}", name=name, first=first, second=second)
                    raise input_error(expected(what, f"{beyond[0]:,}"), hint, file="--game")
                cell = cell[(cell["game"] + 1).isin(list(wanted.numbers))]
            for column, asked in (("result", wanted.result), ("termination", wanted.ending)):
                cell = cell[cell[column] == asked] if asked else cell
            some = cell.sort_values("game").head(wanted.count)
            chosen.append(trials.rows(some.index.to_list()))
    cells = [cell for cell in chosen if len(cell)]
    if not cells:
        raise input_error(tr("no game in it is like that"), file=display_path(folder))
    weights = provenance.get("weights", {})
    blocks = replaying.replay_blocks([replaying.ReplayBatch.of(cell, plan, weights) for cell in cells], plan.agents)
    return GameExport(
        kind,
        _game_texts(blocks, kind, workers),
        sum(map(len, cells)),
        [plan.ruleset(name) for name in rulesets],
        [plan.agents[label] for label in dict.fromkeys(label for pair in pairings for label in pair)],
    )


_ALL = ("pgn", "pdn", replaying.JSON, replaying.TEXT)


def _selected_cells(
    plan: AnalysisPlan, wanted: GameSelection
) -> tuple[list[str], list[tuple[str, str]], list[Problem]]:
    """Return the rulesets and pairings that are asked for, and what is wrong with their names."""
    problems = []
    names = [ruleset.name for ruleset in plan.rulesets]
    rulesets = [name for name in names if wanted.ruleset in ("", name)]
    if not rulesets:
        rulesets = [name for name in names if name.partition("/")[2] == wanted.ruleset]
    if len(rulesets) != 1 and wanted.ruleset:
        known = [*names, *(name.partition("/")[2] for name in names)]
        message = tr("the report has no ruleset '{ruleset}'", ruleset=wanted.ruleset)
        hint = guess(wanted.ruleset, known, tr("there are {names}"))
        if rulesets:
            message = tr("the report has several rulesets '{ruleset}'", ruleset=wanted.ruleset)
            hint = tr("there are {rulesets}", rulesets=", ".join(rulesets))
        problems.append(Problem("--ruleset", None, None, message, hint))
    for place, (option, asked) in enumerate((("--first", wanted.first), ("--second", wanted.second))):
        there = list(dict.fromkeys(pairing[place] for pairing in plan.pairings))
        if asked and asked not in there:
            message = tr("no agent of the report is called '{asked}' in that seat", asked=asked)
            problems.append(Problem(option, None, None, message, guess(asked, there, tr("there are {names}"))))
    pairings = [pair for pair in plan.pairings if wanted.first in ("", pair[0]) and wanted.second in ("", pair[1])]
    if not pairings and not problems:
        known = [f"{first} v {second}" for first, second in plan.pairings]
        message = tr("{first} does not play {second} in this report", first=wanted.first, second=wanted.second)
        problems.append(Problem("--second", None, None, message, tr("there are {known}", known=", ".join(known))))
    return rulesets or names, pairings, problems


def _game_texts(blocks: Sequence[replaying.ReplayBatch], kind: str, workers: int | None) -> Iterator[list[str | None]]:
    """Yield the texts of each block, in the order of the blocks."""
    # The first block compiles what is not compiled yet, for all processes.
    yield replaying.replayed_texts(blocks[0], kind)
    waiting: dict[int, list[str | None]] = {}
    due = 1
    calls = Executor(workers).as_completed(
        range(1, len(blocks)), lambda number: Call(replaying.replayed_texts, (blocks[number], kind), str(number))
    )
    for number, texts in calls:
        waiting[number] = texts
        while due in waiting:
            yield waiting.pop(due)
            due += 1
