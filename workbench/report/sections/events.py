"""What happened in the games."""

from __future__ import annotations

import math
from collections.abc import Callable

import pandas as pd

from workbench.language import tr, verbatim
from workbench.report.labels import pairing_text
from workbench.report.model import Section, Table, TableCell
from workbench.report.names import Names
from workbench.report.numbers import format_amount, format_percent, format_ratio
from workbench.report.sections.lookup import Record, pairing_rows, rows_by_cell
from workbench.statistics import Analysis


def events_section(analysis: Analysis, names: Names) -> Section | None:
    """How often things happened, for the strongest players: in a game, or for each of something else."""
    chosen = pairing_rows(analysis.events, names.strongest) if not analysis.events.empty else analysis.events
    if chosen.empty:
        return None
    counted = chosen["per"] == ""
    counts = tr(
        "How often things happened in a game, or at which ply, between the strongest players "
        "({level}): the mean over the games in which it happened, and below it the share of "
        "these games where it is not all."
    )
    ratios = tr(
        "What happened for each of something else, such as for each ply, between the strongest "
        "players ({level}): the ratio of both sums over all games, and below it its 95 % "
        "interval, if there are enough games that differ."
    )
    tables = [
        _table(part, caption.format(level=pairing_text(names.strongest)), cell, names)
        for part, caption, cell in ((chosen[counted], counts, _count_cell), (chosen[~counted], ratios, _ratio_cell))
        if not part.empty
    ]
    return Section("events", tr("What happened in the games"), tables)


def _table(chosen: pd.DataFrame, caption: str, cell: Callable[[Record], TableCell], names: Names) -> Table:
    """A row for each event, a column for each ruleset."""
    rows = []
    for event, per in dict.fromkeys(zip(chosen["event"].astype(str), chosen["per"].astype(str), strict=True)):
        each = tr("for each of: {per}").format(per=names.event_sentence(per)) if per else verbatim("")
        cells = [TableCell(names.event_sentence(event), each)]
        by_cell = rows_by_cell(
            pairing_rows(chosen[(chosen["event"] == event) & (chosen["per"] == per)], names.strongest)
        )
        for ruleset in names.rulesets:
            row = by_cell.get((ruleset, *names.strongest))
            cells.append(TableCell() if row is None else cell(row))
        rows.append(cells)
    heads = [
        TableCell(tr("event")),
        *(TableCell(verbatim(names.short(name)), kind="number") for name in names.rulesets),
    ]
    return Table(caption, heads, rows, folded=True)


def _count_cell(row: Record) -> TableCell:
    """How often an event happened in a game in which it did, and in how many games."""
    if math.isnan(row["mean"]):
        return TableCell()
    below = verbatim(format_percent(row["share"], 0)) if row["share"] < 0.9995 else verbatim("")
    return TableCell(
        verbatim(format_amount(row["when_fired"], 1) if row["share"] else "–"), below, row["mean"], "number"
    )


def _ratio_cell(row: Record) -> TableCell:
    """How often an event happened for each of another."""
    if math.isnan(row["ratio"]):
        return TableCell()
    ends = (row["ratio_low"], row["ratio_high"])
    around = "–".join(map(format_ratio, ends)) if all(map(math.isfinite, ends)) else ""
    return TableCell(verbatim(format_ratio(row["ratio"])), verbatim(around), row["ratio"], "number")
