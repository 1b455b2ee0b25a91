"""Many games ply by ply, as one table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from workbench import games
from workbench.api.arguments import argument_error, other_game_now
from workbench.api.experiments import load
from workbench.engine.following import follow, walk
from workbench.engine.trials import rules_of
from workbench.errors import guess
from workbench.files import project
from workbench.games.playing import opening_texts
from workbench.games.results import SEATS
from workbench.language import tr
from workbench.play.match import Again
from workbench.report.reading import checked_provenance
from workbench.statistics import AnalysisPlan
from workbench.store import records
from workbench.store.trials import CELL

MAX_VALUES = 1 << 28
"""Values in a table of plies: one or two gigabytes of memory."""
TEXT, FEN, LEGAL = "text", "fen", "legal"
ASKED = (TEXT, FEN, LEGAL)
"""Columns that are there if they are named."""
PLY_COLUMNS = ("trial", "ply", "seat", "move")
REQUIRED_COLUMNS = ("experiment", *CELL, "game", "seed", "plies", "result", "termination", "game_hash")


def plies_table(trials: pd.DataFrame | str | Path, columns: Sequence[str] | None) -> pd.DataFrame:
    """See `workbench.api.results.moves`."""
    rows = load(trials) if isinstance(trials, str | Path) else trials
    missing = (
        [name for name in REQUIRED_COLUMNS if name not in rows.columns]
        if isinstance(rows, pd.DataFrame)
        else list(REQUIRED_COLUMNS)
    )
    if missing:
        raise argument_error(
            "trials", tr("expected rows of the records, found some without {missing}", missing=", ".join(missing))
        )
    if not rows.index.is_unique:
        raise argument_error(
            "trials", tr("expected rows with different labels"), tr("such as trials.reset_index(drop=True)")
        )
    folder = project.find_project().existing_report_folder(rows.attrs.get("folder") or str(rows["experiment"].iloc[0]))
    with checked_provenance(folder) as provenance:
        plan = AnalysisPlan.from_provenance(provenance)
        if unknown := sorted({*map(str, rows["ruleset"].unique())} - {*plan.names}):
            raise argument_error("trials", tr("expected rulesets of the run, found '{unknown}'", unknown=unknown[0]))
        families = {plan.ruleset(str(name)).game for name in rows["ruleset"].unique()} & {*games.names()}
        declared = records.event_columns(games.declaration(family) for family in sorted(families))
        there = [*PLY_COLUMNS, *(column.name for column in declared)]
        wanted = there if columns is None else list(dict.fromkeys(columns))
        if FEN in wanted and (without := [one for one in families if not hasattr(games.notation(one), "fens")]):
            raise argument_error("columns", tr("there is no FEN of games of {game}", game=without[0]))
        if wrong := [name for name in wanted if name not in (*there, *ASKED)]:
            raise argument_error(
                "columns",
                tr("there is no column '{wrong}'", wrong=wrong[0]),
                guess(wrong[0], (*there, *ASKED), tr("there are {names}")),
            )
        if (plies := int(rows["plies"].sum())) * len(wanted) > MAX_VALUES:
            message = tr(
                "{plies:,} plies with {count} columns are too much for one table of {most_values:,} values",
                plies=plies,
                count=len(wanted),
                most_values=MAX_VALUES,
            )
            raise argument_error("trials", message, tr("name some columns: moves(trials, columns=['trial', 'ply', …])"))
        parts = [
            _cell_plies(Again.of(some, plan, provenance.get("weights", {})), some.index, wanted)
            for _, some in rows.groupby(CELL, sort=False, observed=True)
        ]
    whole = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=wanted)
    order = rows.index.get_indexer(pd.Index(whole["trial"])) if "trial" in whole else None
    if order is not None and np.any(np.diff(order) < 0):
        whole = whole.iloc[np.argsort(order, kind="stable")].reset_index(drop=True)
    return whole


def _cell_plies(cell: Again, labels: pd.Index, wanted: Sequence[str]) -> pd.DataFrame:
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
