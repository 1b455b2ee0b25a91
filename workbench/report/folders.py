"""Report folders: read the records of a run, analyse them, write the report, and export games."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from rich.console import Console

from workbench import games, statistics
from workbench.base import project
from workbench.base.errors import InputError, Problem, display_path, expected, guess, input_error
from workbench.base.language import OR, quoted, tr
from workbench.base.project import Project, find_project
from workbench.experiments import experiment_files
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
from workbench.report.labels import SOLVED_BY, games_command
from workbench.report.model import Document
from workbench.rules import rulesets
from workbench.rules.ruleset_files import KnownValue
from workbench.rules.rulesets import Ruleset, with_saved_titles
from workbench.runs.executor import Executor
from workbench.runs.worker import Call
from workbench.statistics import AnalysisPlan
from workbench.statistics.analysis import games_per_cell
from workbench.statistics.portrait import depth_table
from workbench.statistics.tables import cell_indices

BEST_PLAY_COLUMNS = (
    *("ruleset", "first", "second", "best_play", "source", "solved", "best_plies", "random_score"),
    *("first_score", "first_score_low", "first_score_high", "balance", "agrees", "wins", "loses"),
    *("winning_moves", "losing_moves"),
)


def load_best_play(workspace: Project, families: Collection[str] | None = None) -> dict[str, KnownValue]:
    """Return known values under best play by fingerprint, from the solver's results and from ruleset files.

    Values from ruleset files take precedence; ``families`` limits which of these files are read.
    """
    solved = {
        key: KnownValue(result.value, f"{SOLVED_BY} {result.ruleset}")
        for key, result in library.load_exact_results(workspace).items()
    }
    return solved | rulesets.known_values_by_fingerprint(workspace, families)


def best_play_table(provenance: Mapping[str, Any], trials: Trials, cells: pd.DataFrame) -> pd.DataFrame:
    """Compare known values under best play with the scores in their rulesets' cells, one row per cell.

    Columns: ``ruleset``, ``first``, ``second``; ``best_play`` (first, second or draw) with its ``source``; ``solved``,
    the value that the workbench found, or ""; ``best_plies``, the plies to a win under best play; ``random_score``,
    the first player's exact score in random play; the first player's score with its interval and ``balance``;
    ``agrees``: yes or no, or "" if the balance is undecided; ``wins`` and ``loses``, the shares of games that start
    with one of ``winning_moves`` and ``losing_moves``, missing if these are unknown or the openings were prescribed.
    """
    workspace = project.find_project()
    families = {str(ruleset["name"]).partition("/")[0] for ruleset in provenance["rulesets"]}
    known_values, solved = load_best_play(workspace, families), library.load_exact_results(workspace)
    fingerprints = {ruleset["name"]: str(ruleset.get("fingerprint")) for ruleset in provenance["rulesets"]}
    prescribed = bool(provenance["experiment"].get("openings"))
    rows = []
    for cell in cells.to_dict("records"):
        fingerprint = fingerprints[cell["ruleset"]]
        value, exact = known_values.get(fingerprint), solved.get(fingerprint)
        if value is None:
            continue
        name = (cell["ruleset"], cell["first"], cell["second"])
        shares: list[float | None] = [None, None]
        moves = (value.winning_first_moves, value.losing_first_moves)
        if any(moves) and len(trials.cell(name)) and not prescribed:
            first_moves = trials.column(name, "opening").astype(str).str.partition(" ")[0]
            shares = [float(first_moves.isin(group).mean()) if group else None for group in moves]
        balance = "balanced" if value.best_play == "draw" else value.best_play
        rows.append(
            {column: cell[column] for column in BEST_PLAY_COLUMNS if column in cell}
            | {
                "best_play": value.best_play,
                "source": value.source,
                "solved": exact.value if exact else "",
                "best_plies": exact.plies if exact else None,
                "random_score": exact.first_score if exact else None,
                "agrees": "" if cell["balance"] in ("undecided", "") else ("no", "yes")[cell["balance"] == balance],
                **dict(zip(("wins", "loses"), shares, strict=True)),
                **dict(zip(("winning_moves", "losing_moves"), map(" ".join, moves), strict=True)),
            }
        )
    return pd.DataFrame(rows, columns=BEST_PLAY_COLUMNS)


EXACT_COLUMNS = (
    *("ruleset", "first", "second", "exact", "first_score", "first_score_low", "first_score_high", "inside"),
    *("plies_exact", "plies_mean"),
)


def exact_score_table(provenance: Mapping[str, Any], trials: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Compare exact with estimated scores for solved rulesets if both players are random or both are optimal.

    Columns: ``ruleset``, ``first``, ``second``; the first player's ``exact`` score, the estimate ``first_score`` with
    its interval, ``inside`` (true if the interval contains the exact score), ``plies_exact`` and ``plies_mean``.
    The estimates ignore games without a result.
    """
    # Exact values hold for the initial position only.
    solved = {} if provenance["experiment"].get("openings") else library.load_exact_results(project.find_project())
    by_name = {ruleset["name"]: ruleset for ruleset in provenance["rulesets"]}
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
        ruleset = by_name[cell["ruleset"]]
        exact, players = solved.get(str(ruleset.get("fingerprint"))), kinds[cell["first"], cell["second"]]
        if exact is None or not cell["finished"] or players not in ({("random", 0.0)}, {("optimal", 0.0)}):
            continue
        score: float = SCORES[exact.value]
        # If sides may be swapped, players who lose in any case do not delay their loss before the swap.
        swaps = ruleset.get("settings", {}).get(SWAP, NO_SWAP) != NO_SWAP
        plies = float(exact.plies) if exact.plies and not swaps else np.nan
        if players == {("random", 0.0)}:
            if exact.random is None or exact.first_score is None:
                continue
            score, plies = exact.first_score, exact.random["plies"]
        rows.append(
            {name: cell[name] for name in EXACT_COLUMNS if name in cell}
            | {
                "exact": score,
                "inside": cell["first_score_low"] <= score <= cell["first_score_high"],
                "plies_exact": plies,
                "plies_mean": means[cell["ruleset"], cell["first"], cell["second"]],
            }
        )
    return pd.DataFrame(rows, columns=EXACT_COLUMNS)


def read_run_provenance(folder: Path) -> dict[str, Any]:
    """Read a run's provenance.

    Raises:
        InputError: the file is missing or damaged.
    """
    path = folder / provenances.FILE
    try:
        return provenances.load_provenance(folder)
    except FileNotFoundError:
        hint = tr("a report needs the folder written by a run; if the records are there, run the experiment again")
        raise input_error(tr("there is no such file"), hint, file=str(path)) from None
    except (provenances.Damaged, records.Unavailable) as error:
        message = tr("is not a valid run file ({error})", error=str(error).removeprefix(f"{path}: "))
        remedy = "workbench run makes it again, and plays nothing that is there"
        raise input_error(message, remedy, file=str(path)) from error


def read_report_trials(
    folder: Path, provenance: Mapping[str, Any], pairings: Sequence[tuple[str, str]], extra_columns: Sequence[str] = ()
) -> Trials:
    """Load the games of all cells, each up to its first missing game.

    ``extra_columns`` are loaded into memory for any number of games.

    Raises:
        InputError: there are no games, or they cannot be read.
    """
    cells = [(str(ruleset["name"]), *pairing) for ruleset in provenance["rulesets"] for pairing in pairings]
    cell_order = {cell: number for number, cell in enumerate(dict.fromkeys(cells))}

    def file_order(file: RecordFile) -> tuple[int, int]:
        first = file.note.segments[0]
        return cell_order.get((first.ruleset, first.first, first.second), len(cell_order)), first.start

    try:
        files = [records.read_file(path) for path in records.file_paths(folder)]
        files.sort(key=file_order)
        trials = load_trials(files, extra_columns)
    except (records.Unreadable, records.Unavailable) as error:
        hint = tr("make it readable")
        if isinstance(error, records.Unreadable):
            hint = tr("run the experiment again: only what is missing or damaged is played again")
        raise input_error(tr("cannot be read: {error}", error=error), hint, file=str(folder)) from error
    if missing := records.missing_files(provenance.get("digests"), files):
        message = tr("{place} is listed in {file} but missing", place=missing[0], file=provenances.FILE)
        hint = tr("run the experiment again: it checks whether these are its games and plays only the missing ones")
        raise input_error(message, hint, file=str(folder))
    if not len(trials):
        raise input_error(tr("it contains no games yet"), file=str(folder))
    rows = _rows_before_gaps(trials.games, list(cell_order))
    return trials if np.array_equal(rows, np.arange(len(trials))) else trials.take(rows)


def _rows_before_gaps(games: pd.DataFrame, cells: Sequence[CellName]) -> npt.NDArray[np.intp]:
    """Return the rows of each cell's games up to its first missing game."""
    cell, number = cell_indices(games, cells), games["game"].to_numpy()
    steps = np.diff(cell)
    in_order = (steps >= 0).all() and ((np.diff(number) > 0) | (steps > 0)).all()
    order = np.arange(len(games)) if in_order else np.lexsort((number, cell))
    order = order[cell[order] >= 0]
    # If a game is in two files, the first copy counts.
    repeated = (np.diff(cell[order], prepend=-1) == 0) & (np.diff(number[order], prepend=-1) == 0)
    order = order[~repeated]
    starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
    offsets = np.repeat(starts, np.diff(starts, append=len(order)))
    rows: npt.NDArray[np.intp] = order[number[order] == np.arange(len(order)) - offsets]
    return rows


@dataclass(frozen=True)
class AnalysedRecords:
    """A folder's records with their analysis."""

    folder: Path
    provenance: Mapping[str, Any]
    trials: Trials
    analysis: statistics.Analysis
    cells: pd.DataFrame
    """The analysed cells with a column ``target_x`` for each target."""
    exact: pd.DataFrame
    """`exact_score_table`."""
    planned: int
    """The number of games planned by the experiment."""

    @property
    def partial(self) -> bool:
        """True if games are still missing."""
        return len(self.trials) < self.planned


@dataclass(frozen=True)
class Report(AnalysedRecords):
    """Analysed records with their report."""

    document: Document
    files: tuple[Path, ...]


GUIDES = {"en": "how-to-read.md", "ja": "how-to-read.ja.md"}
"""The detailed guide, next to the report folders."""
ANALYSED, COMPOSED, WRITTEN = 0.5, 0.6, 0.7
"""Progress when the tables, the sections and the page are ready, measured with ten thousand games."""


def write_report(
    folder: Path, lang: str | None = None, on_progress: Callable[[float], object] = lambda share: None
) -> Report:
    """Write all files of a folder's report in the language ``lang``.

    If ``lang`` is None, the page opens in the language of its reader's browser; the other files, and a page without
    scripts, use the current language. ``on_progress`` receives the approximate share of the work done, 0 to 1.

    Raises:
        InputError: the folder contains no records of an experiment, or they cannot be read.
    """
    with checked_provenance(folder) as provenance:
        on_progress(0.0)
        records_read = analyse_records(folder, provenance)
        on_progress(ANALYSED)
        return _write_files(records_read, lang, on_progress)


def _write_files(analysed: AnalysedRecords, lang: str | None, on_progress: Callable[[float], object]) -> Report:
    from workbench.report.render.documents import publish
    from workbench.report.sections.document import build_document
    from workbench.report.sections.strong import depths_by_ruleset, ladder_standings

    folder, provenance, analysis, cells = analysed.folder, analysed.provenance, analysed.analysis, analysed.cells
    target = provenances.claim_report_folder(folder)
    publication = experiment_files.published_from_provenance(provenance["experiment"].get("published"))
    published = statistics.published_differences(
        publication, analysis.comparisons, analysis.strong_verdicts, analysis.plan
    )
    best_play = best_play_table(provenance, analysed.trials, cells)
    depths = depths_by_ruleset(provenance)
    document = build_document(
        analysed.trials, provenance, analysis, analysed.exact, analysed.planned, ladder_standings(provenance),
        best_play, published, depths,
    )  # fmt: skip
    tables_by_name = {**analysis.tables, "exact": analysed.exact, "known": best_play, "published": published,
             "depths": depth_table(depths)}  # fmt: skip
    cell_columns = (cells[column] for column in ("ruleset", "first", "second", "games"))
    commands = [games_command(name, (first, second)) if count else ""
                for name, first, second, count in zip(*cell_columns, strict=True)]  # fmt: skip
    tables = {"summary.csv": cells.assign(games_again=commands)} | {
        f"tables/{name}.csv": table for name, table in tables_by_name.items() if len(table) and name != "cells"
    }
    unchanged = tr(
        "Nothing was changed, and the records are safe. To try again: workbench report {folder}",
        folder=display_path(folder),
    )
    guides = {lang: folder.absolute().parent / name for lang, name in GUIDES.items()}
    links = {lang: f"../{path.name}" for lang, path in guides.items() if path.is_file()}
    on_progress(COMPOSED)
    files = publish(
        document, target, lang, tables, unchanged, links, lambda share: on_progress(WRITTEN + (1 - WRITTEN) * share)
    )
    return Report(**vars(analysed), document=document, files=tuple(files))


def print_report(report: Report, console: Console, tables: bool = False) -> None:
    """Print the answer of a report, and its main ``tables``."""
    from workbench.report.render.documents import print_document

    print_document(report.document, console, tables)


@contextmanager
def checked_provenance(folder: Path) -> Iterator[dict[str, Any]]:
    """Return a context manager for a run's provenance.

    Raises:
        InputError: the folder has no provenance, or its records change while they are read.
    """
    provenance = read_run_provenance(folder)
    try:
        yield provenance
    except records.Unreadable as error:
        # If there are very many games, most columns are loaded on demand.
        message = tr("changed while being read: {error}", error=error)
        raise input_error(message, tr("try again"), file=str(folder)) from error


def analyse_records(folder: Path, provenance: Mapping[str, Any]) -> AnalysedRecords:
    """Read and analyse a folder's records.

    Raises:
        InputError: the folder contains no records of an experiment, or they cannot be read.
    """
    plan, trials, planned = planned_records(folder, provenance)
    analysis = statistics.analyse(trials, plan, read_traces(folder))
    cells = analysis.cells.copy()
    for name in plan.experiment.targets:
        cells[f"target_{name}"] = analysis.targets.loc[analysis.targets["target"] == name, "verdict"].to_numpy()
    exact = exact_score_table(provenance, trials.games, cells)
    return AnalysedRecords(folder, provenance, trials, analysis, cells, exact, planned)


def planned_records(folder: Path, provenance: Mapping[str, Any]) -> tuple[statistics.AnalysisPlan, Trials, int]:
    """Return a folder's plan, its games, and the planned number of games.

    In an unfinished run each cell's games count up to the first missing one; counting every available block would
    overrepresent quick games.

    Raises:
        InputError: the folder contains no records of an experiment, or they cannot be read.
    """
    plan = _with_saved_titles(statistics.AnalysisPlan.from_provenance(provenance), find_project(folder))
    trials = read_report_trials(folder, provenance, plan.pairings, plan.measure_columns)
    plan = dataclasses.replace(plan, opening_counts=opening_sequence_counts(plan.rulesets))
    planned = max(sum(games_per_cell(trials, plan).values()), len(trials))
    plan = dataclasses.replace(plan, finished=len(trials) >= planned)
    return plan, trials, planned


def _with_saved_titles(plan: statistics.AnalysisPlan, project: Project) -> statistics.AnalysisPlan:
    """Update the titles of tried rulesets that were saved to a file after the run."""
    experiment = plan.experiment
    title, title_ja = experiment.title, experiment.title_ja
    titled = with_saved_titles(experiment.rulesets, project)
    for old, new in zip(experiment.rulesets, titled, strict=True):
        if old is not new:
            title, title_ja = title.replace(old.title, new.title), title_ja.replace(old.title_ja, new.title_ja)
    experiment = dataclasses.replace(experiment, rulesets=titled, title=title, title_ja=title_ja)
    return dataclasses.replace(plan, experiment=experiment)


def opening_sequence_counts(rulesets: Iterable[Ruleset]) -> dict[str, tuple[int, ...]]:
    """Count the openings of each length under each ruleset of an installed game."""
    return {
        ruleset.name: GameState(ruleset.game, ruleset.codes()).sequences(OPENING_PLIES)
        for ruleset in rulesets
        if ruleset.game in games.names()
    }


# Export of games


@dataclass(frozen=True)
class GameSelection:
    """A selection of games; empty fields select all."""

    ruleset: str = ""
    """A name with or without its family."""
    first: str = ""
    second: str = ""
    numbers: Sequence[int] = ()
    """Game numbers within each cell, from 1."""
    result: str = ""
    ending: str = ""
    count: int = 20
    """The most games per cell."""


@dataclass
class GameExport:
    """A folder's games as text, ordered by ruleset, pairing and number."""

    kind: str
    texts: Iterator[list[str | None]]
    """Lists of texts, one per block; None for a game that this version of the workbench plays differently."""
    count: int
    rulesets: list[Ruleset]
    players: list[AgentSpec]

    @property
    def families(self) -> set[str]:
        """The families of the games."""
        return {ruleset.game for ruleset in self.rulesets}


def export_formats(families: set[str]) -> dict[str, str]:
    """Return the formats that all these families share: name -> title."""
    family_formats = {getattr(games.notation(family), "EXPORT", "") for family in families if family in games.names()}
    shared = {kind.lower(): kind for kind in family_formats if kind and len(family_formats) == 1}
    return shared | {replaying.JSON: "JSON", replaying.TEXT: "text"}


def export_games(folder: Path, query: GameSelection, kind: str, workers: int | None = None) -> GameExport:
    """Replay the selected games of a folder and return them as text.

    Raises:
        InputError: a name does not occur in the folder (the error lists the names that do), or no game matches.
    """
    provenance = read_run_provenance(folder)
    plan = AnalysisPlan.from_provenance(provenance)
    trials = read_report_trials(folder, provenance, plan.pairings)
    rulesets, pairings, problems = _selected_cells(plan, query)
    families = {plan.ruleset(name).game for name in rulesets}
    if kind not in (formats := export_formats(families)):
        valid = tr("{known} for games of {families}", known=OR.join(formats), families=", ".join(sorted(families)))
        hint = "" if kind in ("pgn", "pdn") else guess(kind, formats)
        problems.append(Problem("--export", None, None, expected(valid, quoted(kind)), hint))
    conditions = (("--result", "result", query.result), ("--ending", "termination", query.ending))
    for option, column, value in conditions:
        present = sorted({str(word) for cell in trials.cells for word in trials.cell(cell)[column].unique()})
        if value and value not in present:
            message = tr("no game in {folder} ended with '{asked}'", folder=display_path(folder), asked=value)
            problems.append(Problem(option, None, None, message, guess(value, present, tr("there are {names}"))))
    if problems:
        raise InputError(problems)
    selected = []
    for name, first, second in ((name, *pair) for name in rulesets for pair in pairings):
        cell = trials.cell((name, first, second))
        if query.numbers and len(cell):
            last = int(cell["game"].max()) + 1
            if excess := [number for number in query.numbers if number > last]:
                requirement = tr("{kind} from {low} to {high}", kind=tr("a number"), low=1, high=f"{last:,}")
                hint = tr("games of {name}, {first} v {second}", name=name, first=first, second=second)
                raise input_error(expected(requirement, f"{excess[0]:,}"), hint, file="--game")
            cell = cell[(cell["game"] + 1).isin(list(query.numbers))]
        for _, column, value in conditions:
            cell = cell[cell[column] == value] if value else cell
        if len(cell):
            selected.append(trials.rows(cell.sort_values("game").head(query.count).index.to_list()))
    if not selected:
        raise input_error(tr("no game in it matches"), file=display_path(folder))
    batches = [replaying.ReplayBatch.of(cell, plan, provenance.get("weights", {})) for cell in selected]
    return GameExport(
        kind,
        _game_texts(replaying.replay_blocks(batches, plan.agents), kind, workers),
        sum(map(len, selected)),
        [plan.ruleset(name) for name in rulesets],
        [plan.agents[label] for label in dict.fromkeys(label for pair in pairings for label in pair)],
    )


def _selected_cells(plan: AnalysisPlan, query: GameSelection) -> tuple[list[str], list[tuple[str, str]], list[Problem]]:
    """Return the selected rulesets and pairings, with problems about unknown names."""
    problems = []
    names = [ruleset.name for ruleset in plan.rulesets]
    rulesets = [name for name in names if query.ruleset in ("", name)]
    if not rulesets:
        rulesets = [name for name in names if name.partition("/")[2] == query.ruleset]
    if len(rulesets) != 1 and query.ruleset:
        accepted = [*names, *(name.partition("/")[2] for name in names)]
        message = tr("the report has no ruleset named '{ruleset}'", ruleset=query.ruleset)
        hint = guess(query.ruleset, accepted, tr("there are {names}"))
        if rulesets:
            message = tr("the report has several rulesets named '{ruleset}'", ruleset=query.ruleset)
            hint = tr("there are {rulesets}", rulesets=", ".join(rulesets))
        problems.append(Problem("--ruleset", None, None, message, hint))
    for seat, (option, label) in enumerate((("--first", query.first), ("--second", query.second))):
        labels = list(dict.fromkeys(pairing[seat] for pairing in plan.pairings))
        if label and label not in labels:
            message = tr("the report has no agent named '{asked}' in that seat", asked=label)
            problems.append(Problem(option, None, None, message, guess(label, labels, tr("there are {names}"))))
    pairings = [pair for pair in plan.pairings if query.first in ("", pair[0]) and query.second in ("", pair[1])]
    if not pairings and not problems:
        message = tr("{first} does not play {second} in this report", first=query.first, second=query.second)
        hint = tr("there are {known}", known=", ".join(f"{first} v {second}" for first, second in plan.pairings))
        problems.append(Problem("--second", None, None, message, hint))
    return rulesets or names, pairings, problems


def _game_texts(blocks: Sequence[replaying.ReplayBatch], kind: str, workers: int | None) -> Iterator[list[str | None]]:
    """Yield each block's texts in block order."""
    # The first block compiles missing machine code for all processes.
    yield replaying.replayed_texts(blocks[0], kind)
    finished: dict[int, list[str | None]] = {}
    next_number = 1
    calls = Executor(workers).as_completed(
        range(1, len(blocks)), lambda number: Call(replaying.replayed_texts, (blocks[number], kind), str(number))
    )
    for number, texts in calls:
        finished[number] = texts
        while next_number in finished:
            yield finished.pop(next_number)
            next_number += 1
