"""Results of an experiment's records: comparisons, a row for each cell, the report, and games played again."""

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
from workbench.api.rulesets import other_game_now, to_whole_number
from workbench.base import project
from workbench.base.errors import expected, guess, hide_internal_frames, input_error
from workbench.base.language import LANGUAGES, OR, join_list, preferred, quoted, speaking, tr
from workbench.engine.following import follow, walk
from workbench.engine.trials import rules_of
from workbench.experiments import measures
from workbench.experiments.measures import remove_measure
from workbench.games.results import SEATS
from workbench.positions.game_state import opening_texts
from workbench.records import records
from workbench.records.provenance import folder_stamp
from workbench.records.trials import CELL, Trials
from workbench.report.reading import AnalysedRecords, analyse_records, checked_provenance
from workbench.report.replaying import ReplayBatch
from workbench.report.sections.games import replay_games
from workbench.statistics import AnalysisPlan
from workbench.statistics.openings import even_opening_table

__all__ = ["compare", "even_openings", "measure", "moves", "remove_measure", "replay", "summary", "write_report"]

MAX_VALUES = 1 << 28
"""Values in a table of plies: one or two gigabytes of memory."""
TEXT, FEN, LEGAL = "text", "fen", "legal"
ASKED = (TEXT, FEN, LEGAL)
"""Columns of `moves` that are there if they are named."""
PLY_COLUMNS = ("trial", "ply", "seat", "move")
REQUIRED_COLUMNS = ("experiment", *CELL, "game", "seed", "plies", "result", "termination", "game_hash")


@hide_internal_frames
def compare(trials: pd.DataFrame | str | Path, measure: str = "") -> pd.DataFrame:
    """Every proposal against the baseline, with intervals and verdicts: a row for each proposal, pairing and measure.

    These are the numbers of the report (``tables/comparisons.csv``). ``difference`` is the estimate, ``low`` and
    ``high`` its 95 % interval, ``verdict`` what that says of the question; where it says ``undecided``, ``reason`` says
    why, and ``games_needed`` how many games it would take. ``p_holm`` is corrected for all comparisons of the question.

    Args:
        trials: what `run` or `load` returned, whole: to leave out games that one has seen would decide what is found.
            Or a report folder.
        measure: only this one, such as ``fairness`` or ``draw_rate``; all that were compared, if left out.

    Raises:
        InputError: these are no records of a run, or not all of them; or there is no such measure.
    """
    table = analyse_trials(trials).analysis.comparisons
    if not measure:
        return table.copy()
    known = list(dict.fromkeys(map(str, table["measure"])))
    if measure not in known:
        hint = guess(measure, known, tr("compared were {names}"))
        raise input_error(expected(tr("a measure"), quoted(measure)), hint, key="measure")
    return table[table["measure"] == measure].reset_index(drop=True)


@hide_internal_frames
def measure(
    name: str,
    of_games: Callable[[pd.DataFrame], Any],
    *,
    title: str = "",
    unit: str = "",
    margin: float = 0.05,
    share: bool = False,
) -> None:
    """Add a measure of one's own: `compare`, `write_report` and charts of this program have it beside the others.

    Its difference from the baseline has an interval and a p-value, corrected together with the other measures that the
    experiment does not ask about; of fewer than 30 games, or games all alike, a mean has no interval. A measure of the
    same name that was added before is replaced; `remove_measure` takes it away. `compare` and `summary` give the number
    of games behind each estimate. Where ``of_games`` fails, they say which measure it was.

    Args:
        name: letters, digits and ``_``; as the tables call it.
        of_games: takes the table of records, a row a game, and returns a number for each game; NaN leaves a game out,
            and so does a series without the game's label. The estimate is the mean over games.
        title: what reports call it; the name, if left out.
        unit: what the numbers are in, such as ``pieces``.
        margin: the smallest difference that matters, as a part of the baseline's value.
        share: the numbers are true or false (or 0 and above), and the share of games above 0 is compared.

    Raises:
        InputError: it cannot be called so, or a measure that is always there is, or a column of the records.

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
    """Scores, draws, lengths, events and targets with their intervals: a row for each ruleset and pairing.

    These are the numbers of the report's ``summary.csv``. ``x`` is an estimate, ``x_low`` and ``x_high`` its 95 %
    interval; ``balance`` says who is ahead. Of measures of one's own, ``x_games`` says how many games have a value.

    Args:
        trials: as for `compare`.

    Raises:
        InputError: these are no records of a run, or not all of them.
    """
    return analyse_trials(trials).cells.copy()


@hide_internal_frames
def even_openings(trials: pd.DataFrame | str | Path, plies: int = 2, *, every: bool = False) -> pd.DataFrame:
    """The openings of so many plies after which the sides are even, between the players of a run; the most even first.

    Their texts may stand under ``openings`` of an experiment; ``wb.Game(ruleset, opening)`` writes them as PGN or PDN.
    ``score`` is the first mover's score, ``low`` and ``high`` the interval that holds for all openings of a ruleset and
    pairing at once: it lies in the target, or else within ½ ± margin. Openings of fewer than thirty games are not
    judged. Where the experiment chose how games begin, openings are its lines.

    Args:
        trials: as for `compare`.
        plies: how long an opening is, up to 6.
        every: all openings that were judged, with their ``status``, and not only the even ones.

    Raises:
        InputError: these are no records of a run, or not all of them, or the plies are too many.
    """
    count = to_whole_number(plies, "plies", 1, records.OPENING_PLIES)
    analysed = analyse_trials(trials)
    table = even_opening_table(analysed.trials, analysed.analysis.plan, count)
    return table if every else table[table["status"] == "balanced"].drop(columns="status").reset_index(drop=True)


@hide_internal_frames
def write_report(trials: pd.DataFrame | str | Path, lang: str | None = None) -> Path:
    """Write the report, and returns the path of its page, ``report.html``.

    Args:
        trials: as for `compare`.
        lang: ``en`` or ``ja``: the language in which it opens, and in which its charts are drawn. If left out, it opens
            in the language of the reader's browser, and charts have the environment's (``WORKBENCH_LANG``, ``LANG``).

    Raises:
        InputError: these are no records of a run, or there is no such language.
    """
    if lang is not None:
        check_language(lang)
    folder = find_report_folder(trials)
    with speaking(preferred(os.environ)):
        report.write_report(folder, lang)
    return folder / "report.html"


@hide_internal_frames
def replay(trial: pd.Series[Any] | Mapping[Any, Any], folder: str | Path | None = None) -> PlayedGame:
    """The game of a record, with its moves and positions: played again from its seed, and the same move for move.

    Args:
        trial: a row of what `run` or `load` returned, such as ``trials.iloc[0]``.
        folder: the report folder; that which the row comes from, or else the one of its experiment.

    Raises:
        InputError: this is no such row, its run is not there, or its players cannot be had.
        WorkbenchError: this engine no longer plays the game that was played.
    """
    row = {str(name): value for name, value in trial.items()} if isinstance(trial, Mapping | pd.Series) else {}
    _require_columns(row, "trial", tr("such as trials.iloc[0]"))
    known = folder or getattr(trial, "attrs", {}).get("folder") or str(row["experiment"])
    where = project.find_project().existing_report_folder(known)
    with checked_provenance(where) as provenance:
        plan = AnalysisPlan.from_provenance(provenance)
        if row["ruleset"] not in plan.names:
            raise input_error(expected(tr("rulesets of the run"), quoted(row["ruleset"])), key="trial")
        chosen = pd.DataFrame([{**row, "reasons": ()}])
        found = replay_games(chosen, plan, provenance.get("weights", {}))
    if not found:
        message = tr("cannot play the game of {first} – {second} again", first=row["first"], second=row["second"])
        hint = tr("a player comes from outside, or what it plays by is not there")
        raise input_error(message, hint, key="trial")
    again = found[0]
    if again.moves is None:
        raise other_game_now(row["seed"])
    return PlayedGame(
        plan.ruleset(again.ruleset), again.first, again.second, int(again.game), int(again.seed),
        tuple(again.game_state.texts), again.result, again.termination,
    )  # fmt: skip


@hide_internal_frames
def moves(trials: pd.DataFrame | str | Path, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the moves of many games, a row a ply: whose it was, and what it added to each event counter.

    Columns: ``trial``, the label of the game's row in ``trials``, by which the two are joined; ``ply``, from 1;
    ``seat``, ``first`` or ``second``; ``move``, a number that stands for the move (two plies of a ruleset with the same
    number are the same move); ``event_x`` for each event of the games' families, whose sums are those of the records;
    and, where they are named in ``columns``, ``text``, the move as players write it; ``fen``, the position before the
    ply (chess and draughts); ``legal``, the legal moves there, an array of numbers as in ``move``.

    Moves that the records hold (``keep_moves``) are read: a million plies take some seconds. All others are played
    again from their seeds: by random players as fast, by players that search in the time that they took.

    Examples:
        When does a game see its first capture? ::

            plies = wb.moves(trials)
            first = plies[plies["event_captures"] > 0].groupby("trial")["ply"].min()
            trials.assign(first_capture=first).groupby("ruleset")["first_capture"].median()

    Args:
        trials: what `run` or `load` returned, or some rows of it; or a report folder.
        columns: only these. ``text`` takes far longer than all others, some 15 to 60 µs a ply; ``fen`` 5 to 10.

    Raises:
        InputError: these are no rows of a run, a player's games cannot be played again, or there is no such column; or
            it is too much for one table.
        WorkbenchError: this engine no longer plays a game that was played.
    """
    rows = load(trials) if isinstance(trials, str | Path) else trials
    _require_columns(rows.columns if isinstance(rows, pd.DataFrame) else (), "trials")
    if not rows.index.is_unique:
        hint = tr("such as trials.reset_index(drop=True)")
        raise input_error(expected(tr("rows with different labels")), hint, key="trials")
    folder = project.find_project().existing_report_folder(rows.attrs.get("folder") or str(rows["experiment"].iloc[0]))
    with checked_provenance(folder) as provenance:
        plan = AnalysisPlan.from_provenance(provenance)
        if unknown := sorted({*map(str, rows["ruleset"].unique())} - {*plan.names}):
            raise input_error(expected(tr("rulesets of the run"), quoted(unknown[0])), key="trials")
        families = {plan.ruleset(str(name)).game for name in rows["ruleset"].unique()} & {*games.names()}
        declared = records.event_columns(games.declaration(family) for family in sorted(families))
        there = [*PLY_COLUMNS, *(column.name for column in declared)]
        wanted = there if columns is None else list(dict.fromkeys(columns))
        if FEN in wanted and (
            without := [family for family in families if not hasattr(games.notation(family), "fens")]
        ):
            raise input_error(tr("there is no FEN of games of {game}", game=without[0]), key="columns")
        if wrong := [name for name in wanted if name not in (*there, *ASKED)]:
            hint = guess(wrong[0], (*there, *ASKED), tr("there are {names}"))
            raise input_error(tr("there is no column '{wrong}'", wrong=wrong[0]), hint, key="columns")
        if (plies := int(rows["plies"].sum())) * len(wanted) > MAX_VALUES:
            message = tr(
                "{plies:,} plies with {count} columns are too much for one table of {most_values:,} values"
            ).format(plies=plies, count=len(wanted), most_values=MAX_VALUES)
            raise input_error(
                message, tr("name some columns: moves(trials, columns=['trial', 'ply', …])"), key="trials"
            )
        parts = [
            _cell_plies(ReplayBatch.of(some, plan, provenance.get("weights", {})), some.index, wanted)
            for _, some in rows.groupby(CELL, sort=False, observed=True)
        ]
    whole = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=wanted)
    order = rows.index.get_indexer(pd.Index(whole["trial"])) if "trial" in whole else None
    if order is not None and np.any(np.diff(order) < 0):
        whole = whole.iloc[np.argsort(order, kind="stable")].reset_index(drop=True)
    return whole


def _require_columns(present: Collection[str], key: str, hint: str = "") -> None:
    if missing := [name for name in REQUIRED_COLUMNS if name not in present]:
        without = tr("one without {missing}", missing=", ".join(missing))
        raise input_error(expected(tr("rows of the records"), without), hint, key=key)


def check_language(lang: str) -> None:
    """Raise `InputError` if the workbench does not speak a language."""
    if lang not in LANGUAGES:
        raise input_error(expected(join_list(LANGUAGES, OR), quoted(lang)), key="lang")


def find_report_folder(trials: object) -> Path:
    """Return the report folder of records, or that which is named.

    Raises:
        InputError: they come from no folder, or there is none.
    """
    if isinstance(trials, str | Path) and str(trials).strip():
        return project.find_project().existing_report_folder(trials)
    folder = trials.attrs.get("folder") if isinstance(trials, pd.DataFrame) else None
    if not folder:
        message = expected(tr("the records that 'run' or 'load' returned, or a report folder"), tr("something else"))
        raise input_error(message, key="trials")
    return project.find_project().existing_report_folder(str(folder))


def analyse_trials(trials: object) -> AnalysedRecords:
    """Return the analysis of all records of a run.

    Raises:
        InputError: the records are not all that the folder holds.
    """
    folder = find_report_folder(trials)
    found = _analyse_folder(os.path.abspath(folder), folder_stamp(folder), measures.added_measures())
    if isinstance(trials, pd.DataFrame):
        same = len(trials) == len(found.trials) and set(records.GAME_COLUMNS) <= set(trials.columns)
        if not same or Trials.of(trials).digest() != found.trials.digest():
            message = expected(
                tr("all {count:,} records of the run as they are", count=len(found.trials)),
                tr("{count:,} others", count=len(trials)),
            )
            raise input_error(
                message, tr("verdicts are about the games that were planned: filter the table instead"), key="trials"
            )
    return found


@functools.lru_cache(maxsize=4)
def _analyse_folder(folder: str, stamp: tuple[int, ...], added: tuple[measures.Measure, ...]) -> AnalysedRecords:
    """Return the analysis of a folder as it is now; the last ones are remembered."""
    with checked_provenance(Path(folder)) as provenance:
        return analyse_records(Path(folder), provenance)


def _cell_plies(cell: ReplayBatch, labels: pd.Index, wanted: Sequence[str]) -> pd.DataFrame:
    lines, played, others = cell.lists()
    if others.any():
        raise other_game_now(played[int(np.argmax(others))]["seed"])
    family, codes = cell.ruleset.game, cell.ruleset.codes()
    lengths = np.count_nonzero(lines >= 0, axis=1)
    content: dict[str, Any] = {
        "trial": np.repeat(labels.to_numpy(), lengths),
        "ply": np.nonzero(lines >= 0)[1].astype(np.int32) + 1,
        "move": lines[lines >= 0],
    }
    events = [f"event_{event.name}" for event in games.declaration(family).events]
    counted = [name for name in events if name in wanted]
    if counted or "seat" in wanted:
        seats, happened = follow(family, codes, lines, [events.index(name) for name in counted])
        content["seat"] = pd.Categorical.from_codes(np.asarray(seats, np.int8), pd.Index(SEATS))
        content |= dict(zip(counted, happened, strict=True))
    if TEXT in wanted:
        content[TEXT] = [word for text in opening_texts(family, codes, lines) for word in text.split()]
    if FEN in wanted or LEGAL in wanted:
        content |= _positions(family, codes, [line[line >= 0] for line in lines], FEN in wanted)
    absent = {name: np.zeros(int(lengths.sum()), np.int32) for name in wanted if name not in content}
    return pd.DataFrame({name: (content | absent)[name] for name in wanted}, copy=False)


def _positions(family: str, codes: Any, lines: Sequence[Any], written: bool) -> dict[str, list[Any]]:
    """Of the position before each ply its FEN, if that is wanted, and its legal moves, as ``move`` has them."""
    rules, notation = rules_of(family, codes), games.notation(family)
    content: dict[str, list[Any]] = {LEGAL: []} | ({FEN: []} if written else {})
    for line in filter(len, lines):
        states, legal, counts = walk(family, codes, line)
        content[LEGAL] += [moves[:count].copy() for moves, count in zip(legal, counts.tolist(), strict=True)]
        if written:
            content[FEN] += notation.fens(rules, states)
    return content
