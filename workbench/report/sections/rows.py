"""Rows of the tables of the analysis, and what several sections say with them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from workbench.language import join, listed, tr, verbatim
from workbench.questions.measures import FAIRNESS
from workbench.report.labels import (
    format_amount,
    format_amounts,
    format_difference,
    format_share,
    format_signed,
    pairing_label,
    pairing_text,
)
from workbench.report.marks import Line, Mark, Row, Series
from workbench.report.model import TableCell
from workbench.report.names import NOTES, Names, Pairing, unit_factor
from workbench.statistics import Analysis
from workbench.statistics.strong_play import Estimate

Record = Mapping[Any, Any]
ByCell = Mapping[tuple[str, str, str], Record]
"""Rows by ruleset, agent in the first seat and agent in the second."""


def primary_comparisons(analysis: Analysis) -> pd.DataFrame:
    """The comparisons that give the verdicts: those of the measure that the experiment asks about."""
    chosen: pd.DataFrame = analysis.comparisons[analysis.comparisons["measure"] == analysis.plan.question_measure.name]
    return chosen


def pairing_rows(table: pd.DataFrame, pairing: Pairing) -> pd.DataFrame:
    """The rows of a pairing."""
    return table[(table["first"] == pairing[0]) & (table["second"] == pairing[1])]


def cell_row(table: pd.DataFrame, ruleset: str, pairing: Pairing) -> Record | None:
    """The row of a cell."""
    rows = pairing_rows(table[table["ruleset"] == ruleset], pairing).to_dict("records")
    return rows[0] if rows else None


def rows_by_cell(table: pd.DataFrame) -> ByCell:
    """The rows of a table that has one for each cell, by ruleset and pairing; for loops, where `cell_row` is slow."""
    rows = table.to_dict("records")
    return {(str(row["ruleset"]), str(row["first"]), str(row["second"])): row for row in reversed(rows)}


def strong_levels(analysis: Analysis) -> dict[str, Estimate]:
    """The first player's score with strong play, by ruleset; empty where it was not asked."""
    table = analysis.strong_verdicts
    rows = table[(table["measure"] == "first_score") & ~table["compared"].astype(bool)].to_dict("records")
    return {
        str(row["ruleset"]): Estimate(*(float(row[f"now{end}"]) for end in ("", "_low", "_high"))).plus(0.5)
        for row in rows
    }


def extreme_rows(table: pd.DataFrame, column: str) -> tuple[Record, Record]:
    """The rows with the smallest and with the largest value."""
    rows = table.dropna(subset=[column]).to_dict("records")
    return min(rows, key=lambda row: float(row[column])), max(rows, key=lambda row: float(row[column]))


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


MAX_NAMES = 12
"""Undecided proposals, or unbeaten rulesets, that are named; more are counted."""
MAX_LETTERS = 200
"""Letters of the names of rulesets in a list; longer lists are counted."""


def measure_text(analysis: Analysis, names: Names, ruleset: str, pairing: Pairing) -> str:
    """The measure that was asked in a cell, with its interval."""
    question = names.plan.question_measure
    column = question.name
    row = cell_row(analysis.cells, ruleset, pairing)
    if question.event:
        row = cell_row(analysis.events[analysis.events["event"] == question.event], ruleset, pairing)
        column = "share" if question.is_share else "ratio" if question.per else "mean"
    elif column == "variety":
        row = cell_row(analysis.openings[analysis.openings["shown"].astype(bool)], ruleset, pairing)
        column = "effective"
    if row is None or math.isnan(row[column]):
        return verbatim("–")
    value, low, high = (float(row[f"{column}{end}"]) for end in ("", "_low", "_high"))
    if question.is_share:
        return format_share(value, low, high)
    text = tr("{value} {unit} ({around})")
    factor = unit_factor(question.name)
    unit = names.unit_name(question.name)
    return text.format(
        value=format_amount(factor * value, 1), unit=unit, around=format_amounts(factor * low, factor * high, 1)
    )


def list_rulesets(rulesets: Sequence[str], names: Names, proposals: bool = False) -> str:
    """The short names of rulesets, or how many of all (of all ``proposals``) they are if the list is long."""
    short = [names.short(ruleset) for ruleset in rulesets]
    if len(short) <= MAX_NAMES and sum(map(len, short)) <= MAX_LETTERS:
        return listed(short)
    if proposals:
        return tr("{n} of {all} proposals", n=len(short), all=len(names.proposals))
    return tr("{n} of {all} rulesets", n=len(short), all=len(names.rulesets))


def difference_text(row: Record, names: Names) -> str:
    """A difference with its interval, marked where the verdict says less than the interval seems to."""
    difference = format_difference(
        row["difference"], row["low"], row["high"], unit_factor(names.plan.question_measure.name)
    )
    mark, _ = NOTES.get(str(row["reason"]), ("", ""))
    return join(" ", [difference, mark]) if mark else difference


def footnotes(verdicts: pd.DataFrame, analysis: Analysis) -> list[str]:
    """What the marks of `difference_text` say, of those that occur."""
    texts = [text for reason, (_, text) in NOTES.items() if (verdicts["reason"] == reason).any()]
    others = int(analysis.comparisons["chosen"].astype(bool).sum()) - 1
    sizes = analysis.plan.interim_sizes
    return [text.format(others=f"{others:,}", first_look=f"{sizes[0]:,}" if sizes else "") for text in texts]


def difference_name(names: Names) -> str:
    """What a difference in the measure that was asked is called."""
    measure = names.plan.question_measure.name
    if measure == FAIRNESS:
        return tr("gain in fairness")
    return tr("difference in {measure}", measure=names.measure_name(measure))
