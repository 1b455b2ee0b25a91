"""Results from an experiment's records: comparisons, summaries, the report, and replayed games."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from workbench import games, report
from workbench.api.experiments import load
from workbench.api.games import PlayedGame
from workbench.api.rulesets import changed_game_error, to_whole_number
from workbench.base import project
from workbench.base.errors import expected, guess, hide_internal_frames, input_error
from workbench.base.language import LANGUAGES, OR, join_list, preferred, quoted, speaking, tr
from workbench.engine.trials import follow, make_rules, walk
from workbench.experiments import measures
from workbench.experiments.measures import remove_measure
from workbench.games.results import SEATS
from workbench.positions.game_state import opening_texts
from workbench.records import records
from workbench.records.provenance import folder_stamp
from workbench.records.trials import CELL, Trials
from workbench.report.folders import AnalysedRecords, analyse_records, checked_provenance
from workbench.report.replaying import ReplayBatch
from workbench.report.sections.games import replay_games
from workbench.statistics import AnalysisPlan
from workbench.statistics.openings import even_opening_table

__all__ = ["compare", "even_openings", "measure", "moves", "remove_measure", "replay", "summary", "write_report"]

MAX_VALUES = 1 << 28
"""The maximum number of values in a table of plies: one or two gigabytes of memory."""
TEXT, FEN, LEGAL = "text", "fen", "legal"
ON_REQUEST = (TEXT, FEN, LEGAL)
"""Columns of `moves` that are present only on request."""
PLY_COLUMNS = ("trial", "ply", "seat", "move")
REQUIRED_COLUMNS = ("experiment", *CELL, "game", "seed", "plies", "result", "termination", "game_hash")


@hide_internal_frames
def compare(trials: pd.DataFrame | str | Path, measure: str = "") -> pd.DataFrame:
    """Compare every proposal with the baseline: a row for each proposal, pairing and measure.

    These are the numbers of the report (``tables/comparisons.csv``). ``difference`` is the estimate, ``low`` and
    ``high`` its 95 % interval, and ``verdict`` the answer to the question; if that is ``undecided``, ``reason``
    explains why, and ``games_needed`` estimates the number of games to decide it. ``p_holm`` is corrected for all
    comparisons of the question.

    Args:
        trials: the complete result of `run` or `load`, since leaving out games already seen would bias the
            verdicts; or a report folder.
        measure: the only measure to return, such as ``fairness`` or ``draw_rate``; by default all compared ones.

    Raises:
        InputError: these are not all the records of a run, or there is no such measure.
    """
    table = analyse_trials(trials).analysis.comparisons
    if not measure:
        return table.copy()
    measure_names = list(dict.fromkeys(map(str, table["measure"])))
    if measure not in measure_names:
        hint = guess(measure, measure_names, tr("compared were {names}"))
        raise input_error(expected(tr("a measure"), quoted(measure)), hint, key="measure")
    return table[table["measure"] == measure].reset_index(drop=True)


@hide_internal_frames
def measure(
    name: str, of_games: Callable[[pd.DataFrame], Any], *, title: str = "", unit: str = "", margin: float = 0.05,
    share: bool = False,
) -> None:  # fmt: skip
    """Add a custom measure to `compare`, `write_report` and the charts of this program.

    Its difference from the baseline has an interval and a p-value, corrected together with those of other measures
    outside the experiment's question; a mean has no interval with fewer than 30 games or if all values are equal.
    Adding a measure again replaces it; `remove_measure` removes it. `compare` and `summary` return the number of games
    behind each estimate. An error in ``of_games`` is reported with the measure's name.

    Args:
        name: the name in tables: letters, digits and ``_``.
        of_games: takes the table of records, a row per game, and returns one number per game; games with NaN, or
            missing from a returned series, are ignored. The estimate is the mean over games.
        title: the name in reports; by default ``name``.
        unit: the unit of the numbers, such as ``pieces``.
        margin: the smallest difference that matters, as a fraction of the baseline's value.
        share: treat the numbers as true or false (above 0 is true), and compare the share of true games.

    Raises:
        InputError: the name is invalid, or belongs to a built-in measure or a column of the records.

    Example: ``wb.measure("shouts_a_ply", lambda trials: trials["event_shout"] / trials["plies"])``
    """
    estimator, unit = (measures.Estimator.OCCURRENCE, "share") if share else (measures.Estimator.MEAN, unit)
    measures.add_measure(
        measures.Measure(
            name, estimator, unit, title or name, columns=(name,), margin=margin, relative=not share, of_games=of_games
        )
    )


@hide_internal_frames
def summary(trials: pd.DataFrame | str | Path) -> pd.DataFrame:
    """Return scores, draws, lengths, events and targets with intervals: a row for each ruleset and pairing.

    These are the numbers of the report's ``summary.csv``. ``x`` is an estimate, ``x_low`` and ``x_high`` its 95 %
    interval; ``balance`` states who is ahead. For user-defined measures, ``x_games`` is the number of games with a
    value.

    Args:
        trials: as for `compare`.

    Raises:
        InputError: these are not all the records of a run.
    """
    return analyse_trials(trials).cells.copy()


@hide_internal_frames
def even_openings(trials: pd.DataFrame | str | Path, plies: int = 2, *, every: bool = False) -> pd.DataFrame:
    """Return the openings of ``plies`` moves that are even between a run's players, the most even first.

    Their texts can be used for ``openings`` of an experiment; ``wb.Game(ruleset, opening)`` exports them as PGN or PDN.
    ``score`` is the first mover's score; ``low`` and ``high`` bound its interval, which is simultaneous for all
    openings of a ruleset and pairing and lies within the target, or else within ½ ± margin. Openings with fewer than
    thirty games are not judged. If the experiment specified its openings, these are used.

    Args:
        trials: as for `compare`.
        plies: the length of an opening, up to 6.
        every: include all judged openings, with their ``status``.

    Raises:
        InputError: these are not all the records of a run, or there are too many plies.
    """
    count = to_whole_number(plies, "plies", 1, records.OPENING_PLIES)
    analysed = analyse_trials(trials)
    table = even_opening_table(analysed.trials, analysed.analysis.plan, count)
    return table if every else table[table["status"] == "balanced"].drop(columns="status").reset_index(drop=True)


@hide_internal_frames
def write_report(trials: pd.DataFrame | str | Path, lang: str | None = None) -> Path:
    """Write the report and return the path of its page, ``report.html``.

    Args:
        trials: as for `compare`.
        lang: ``en`` or ``ja``: the initial language, and that of the charts. By default the page opens in the
            language of the reader's browser, and charts have the environment's (``WORKBENCH_LANG``, ``LANG``).

    Raises:
        InputError: these are not the records of a run, or there is no such language.
    """
    if lang is not None:
        check_language(lang)
    folder = find_report_folder(trials)
    with speaking(preferred(os.environ)):
        report.write_report(folder, lang)
    return folder / "report.html"


@hide_internal_frames
def replay(trial: pd.Series[Any] | Mapping[Any, Any], folder: str | Path | None = None) -> PlayedGame:
    """Return the game of a record, replayed from its seed with identical moves.

    Args:
        trial: a row of the result of `run` or `load`, such as ``trials.iloc[0]``.
        folder: the report folder; by default the row's own, or else the one of its experiment.

    Raises:
        InputError: this is not a row of records, its run is missing, or its players are not available.
        WorkbenchError: this engine plays a different game from the seed.
    """
    row = {str(name): value for name, value in trial.items()} if isinstance(trial, Mapping | pd.Series) else {}
    _require_columns(row, "trial", tr("such as trials.iloc[0]"))
    folder_or_name = folder or getattr(trial, "attrs", {}).get("folder") or str(row["experiment"])
    report_folder = project.find_project().existing_report_folder(folder_or_name)
    with checked_provenance(report_folder) as provenance:
        plan = AnalysisPlan.from_provenance(provenance)
        if row["ruleset"] not in plan.names:
            raise input_error(expected(tr("rulesets in the run"), quoted(row["ruleset"])), key="trial")
        row_table = pd.DataFrame([{**row, "reasons": ()}])
        replayed = replay_games(row_table, plan, provenance.get("weights", {}))
    if not replayed:
        message = tr("cannot replay the game {first} – {second}", first=row["first"], second=row["second"])
        hint = tr("a player is external, or its training run is missing")
        raise input_error(message, hint, key="trial")
    game = replayed[0]
    if game.moves is None:
        raise changed_game_error(row["seed"])
    return PlayedGame(
        plan.ruleset(game.ruleset), game.first, game.second, int(game.game), int(game.seed),
        tuple(game.game_state.texts), game.result, game.termination,
    )  # fmt: skip


@hide_internal_frames
def moves(trials: pd.DataFrame | str | Path, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the moves of many games, one row per ply, with the player and the events of each ply.

    Columns: ``trial``, the index label of the game's row in ``trials``; ``ply``, from 1; ``seat``, ``first`` or
    ``second``; ``move``, the engine's code of the move; ``event_x`` for each event of the games' families, which add
    up to the records' values; and, if named in ``columns``, ``text``, the move in the family's notation; ``fen``, the
    position before the ply (chess and draughts); ``legal``, an array of the legal moves there.

    Recorded moves (``keep_moves``) are read, a million plies within seconds. All others are replayed from their seeds,
    which is as fast for random players, and as slow as the original games for players that search.

    Examples:
        When does a game see its first capture? ::

            plies = wb.moves(trials)
            first = plies[plies["event_captures"] > 0].groupby("trial")["ply"].min()
            trials.assign(first_capture=first).groupby("ruleset")["first_capture"].median()

    Args:
        trials: the result of `run` or `load`, or some of its rows; or a report folder.
        columns: the columns to return. ``text`` takes 15 to 60 µs a ply, ``fen`` 5 to 10, and others far less.

    Raises:
        InputError: these are not rows of a run, a player's games cannot be replayed, there is no such column, or the
            table would be too large.
        WorkbenchError: this engine plays a different game from a seed.
    """
    rows = load(trials) if isinstance(trials, str | Path) else trials
    _require_columns(rows.columns if isinstance(rows, pd.DataFrame) else (), "trials")
    if not rows.index.is_unique:
        hint = tr("such as trials.reset_index(drop=True)")
        raise input_error(expected(tr("rows with distinct labels")), hint, key="trials")
    folder = project.find_project().existing_report_folder(rows.attrs.get("folder") or str(rows["experiment"].iloc[0]))
    with checked_provenance(folder) as provenance:
        plan = AnalysisPlan.from_provenance(provenance)
        if unknown := sorted({*map(str, rows["ruleset"].unique())} - {*plan.names}):
            raise input_error(expected(tr("rulesets in the run"), quoted(unknown[0])), key="trials")
        families = {plan.ruleset(str(name)).game for name in rows["ruleset"].unique()} & {*games.names()}
        declared = records.event_columns(games.declaration(family) for family in sorted(families))
        existing_columns = [*PLY_COLUMNS, *(column.name for column in declared)]
        requested = existing_columns if columns is None else list(dict.fromkeys(columns))
        if FEN in requested and (
            without_fen := [family for family in families if not hasattr(games.notation(family), "fens")]
        ):
            raise input_error(tr("there is no FEN for {game}", game=without_fen[0]), key="columns")
        if unknown_columns := [name for name in requested if name not in (*existing_columns, *ON_REQUEST)]:
            hint = guess(unknown_columns[0], (*existing_columns, *ON_REQUEST), tr("there are {names}"))
            raise input_error(tr("there is no column named '{wrong}'", wrong=unknown_columns[0]), hint, key="columns")
        if (plies := int(rows["plies"].sum())) * len(requested) > MAX_VALUES:
            message = tr(
                "{plies:,} plies in {count} columns exceed the limit of {most_values:,} values per table"
            ).format(plies=plies, count=len(requested), most_values=MAX_VALUES)
            raise input_error(message, tr("select columns: moves(trials, columns=['trial', 'ply', …])"), key="trials")
        parts = [
            _cell_plies(ReplayBatch.of(cell_rows, plan, provenance.get("weights", {})), cell_rows.index, requested)
            for _, cell_rows in rows.groupby(CELL, sort=False, observed=True)
        ]
    plies_table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=requested)
    order = rows.index.get_indexer(pd.Index(plies_table["trial"])) if "trial" in plies_table else None
    if order is not None and np.any(np.diff(order) < 0):
        plies_table = plies_table.iloc[np.argsort(order, kind="stable")].reset_index(drop=True)
    return plies_table


def _require_columns(present: Collection[str], key: str, hint: str = "") -> None:
    if missing := [name for name in REQUIRED_COLUMNS if name not in present]:
        actual = tr("one without {missing}", missing=", ".join(missing))
        raise input_error(expected(tr("rows from the records"), actual), hint, key=key)


def check_language(lang: str) -> None:
    """Raise `InputError` if the workbench is not translated into a language."""
    if lang not in LANGUAGES:
        raise input_error(expected(join_list(LANGUAGES, OR), quoted(lang)), key="lang")


def find_report_folder(trials: object) -> Path:
    """Return the report folder of records, or the one with a given name; raise `InputError` if there is none."""
    if isinstance(trials, str | Path) and str(trials).strip():
        return project.find_project().existing_report_folder(trials)
    folder = trials.attrs.get("folder") if isinstance(trials, pd.DataFrame) else None
    if not folder:
        message = expected(tr("records returned by 'run' or 'load', or a report folder"), tr("something else"))
        raise input_error(message, key="trials")
    return project.find_project().existing_report_folder(str(folder))


def analyse_trials(trials: object) -> AnalysedRecords:
    """Return the analysis of all records of a run; raise `InputError` if some records are missing."""
    folder = find_report_folder(trials)
    analysed = _analyse_folder(os.path.abspath(folder), folder_stamp(folder), measures.added_measures())
    if isinstance(trials, pd.DataFrame):
        is_complete = len(trials) == len(analysed.trials) and set(records.GAME_COLUMNS) <= set(trials.columns)
        if not is_complete or Trials.of(trials).digest() != analysed.trials.digest():
            message = expected(
                tr("all {count:,} unchanged records of the run", count=len(analysed.trials)),
                tr("{count:,} others", count=len(trials)),
            )
            raise input_error(
                message, tr("verdicts require all planned games: filter the result instead"), key="trials"
            )
    return analysed


@functools.lru_cache(maxsize=4)
def _analyse_folder(folder: str, stamp: tuple[int, ...], added: tuple[measures.Measure, ...]) -> AnalysedRecords:
    """Return the cached analysis of a folder; ``stamp`` changes with its records."""
    with checked_provenance(Path(folder)) as provenance:
        return analyse_records(Path(folder), provenance)


def _cell_plies(cell: ReplayBatch, labels: pd.Index, columns: Sequence[str]) -> pd.DataFrame:
    lines, played, differs = cell.replay()
    if differs.any():
        raise changed_game_error(played[int(np.argmax(differs))]["seed"])
    family, codes = cell.ruleset.game, cell.ruleset.codes()
    lengths = np.count_nonzero(lines >= 0, axis=1)
    content: dict[str, Any] = {
        "trial": np.repeat(labels.to_numpy(), lengths),
        "ply": np.nonzero(lines >= 0)[1].astype(np.int32) + 1,
        "move": lines[lines >= 0],
    }
    events = [f"event_{event.name}" for event in games.declaration(family).events]
    event_columns = [name for name in events if name in columns]
    if event_columns or "seat" in columns:
        seats, event_counts = follow(family, codes, lines, [events.index(name) for name in event_columns])
        content["seat"] = pd.Categorical.from_codes(np.asarray(seats, np.int8), pd.Index(SEATS))
        content |= dict(zip(event_columns, event_counts, strict=True))
    if TEXT in columns:
        content[TEXT] = [move for text in opening_texts(family, codes, lines) for move in text.split()]
    if FEN in columns or LEGAL in columns:
        content |= _positions(family, codes, [line[line >= 0] for line in lines], FEN in columns)
    missing_columns = {name: np.zeros(int(lengths.sum()), np.int32) for name in columns if name not in content}
    return pd.DataFrame({name: (content | missing_columns)[name] for name in columns}, copy=False)


def _positions(family: str, codes: Any, lines: Sequence[Any], with_fen: bool) -> dict[str, list[Any]]:
    """Return the legal moves and, if requested, the FEN of the position before each ply."""
    rules, notation = make_rules(family, codes), games.notation(family)
    content: dict[str, list[Any]] = {LEGAL: []} | ({FEN: []} if with_fen else {})
    for line in filter(len, lines):
        states, legal, counts = walk(family, codes, line)
        content[LEGAL] += [moves[:count].copy() for moves, count in zip(legal, counts.tolist(), strict=True)]
        if with_fen:
            content[FEN] += notation.fens(rules, states)
    return content
