"""Rows of charts and of tables that several sections have in common."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.language import tr, verbatim
from workbench.report.labels import pairing_label, pairing_text
from workbench.report.marks import Line, Mark, Row, Series
from workbench.report.model import TableCell
from workbench.report.names import Names, Pairing
from workbench.report.numbers import format_share, format_signed
from workbench.report.sections.lookup import Record


def pairing_series(names: Names, pairings: Sequence[Pairing]) -> list[Series]:
    """What tells the pairings of a chart apart."""
    return [Series(names.series_number(pair), pairing_text(pair)) for pair in pairings]


def pairing_line(names: Names, pairing: Pairing, text: str, *marks: Mark) -> Line:
    """The line of a pairing in a ruleset's row."""
    return Line(names.series_number(pairing), marks, text, pairing_label(*pairing))


def ruleset_row(names: Names, ruleset: str, lines: Sequence[Line], titled: bool = False) -> Row:
    """The row of a ruleset."""
    # In a factorial experiment the name says already what differs.
    title = names.title(ruleset) if titled and not names.plan.experiment.factors else ""
    return Row(ruleset, verbatim(names.short(ruleset)), tuple(lines), title, ruleset == names.plan.baseline)


def score_text(cell: Record) -> str:
    """The score of a cell with its interval, or why there is none."""
    if not cell["games"]:
        return tr("no games yet")
    if not cell["finished"]:
        return tr("no game finished")
    return format_share(cell["first_score"], cell["first_score_low"], cell["first_score_high"])


def number_label(value: float) -> str:
    """A difference at a tick of a scale."""
    digits = 0 if abs(value - round(value)) < 1e-6 else 1
    return format_signed(value, digits).replace("±0", "0")


def cell_headings(names: Names, row: Record) -> list[TableCell]:
    """The headings of a cell's row: ruleset and players."""
    pair = (str(row["first"]), str(row["second"]))
    return [
        TableCell(verbatim(names.short(str(row["ruleset"]))), sort=float(names.rulesets.index(row["ruleset"]))),
        TableCell(pairing_text(pair), sort=float(names.series_number(pair))),
    ]


def without_empty_columns(
    heads: Sequence[TableCell], rows: Sequence[Sequence[TableCell]]
) -> tuple[list[TableCell], list[list[TableCell]]]:
    """The table without the columns in which no row has anything."""
    kept = [i for i in range(len(heads)) if any(row[i].text for row in rows)]
    return [heads[i] for i in kept], [[row[i] for i in kept] for row in rows]
