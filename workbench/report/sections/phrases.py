"""Phrases that several sections share: a value, a difference, and the footnotes of verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from workbench.language import join, listed, tr, verbatim
from workbench.questions.measures import FAIRNESS
from workbench.report.names import NOTES, Names, Pairing, unit_factor
from workbench.report.numbers import format_amount, format_amounts, format_difference, format_share
from workbench.report.sections.lookup import Record, cell_row
from workbench.statistics import Analysis

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
        return tr("{n} of {all} proposals").format(n=len(short), all=len(names.proposals))
    return tr("{n} of {all} rulesets").format(n=len(short), all=len(names.rulesets))


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
    return tr("difference in {measure}").format(measure=names.measure_name(measure))
