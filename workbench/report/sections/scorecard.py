"""The criteria of all rulesets side by side."""

from __future__ import annotations

import math

from workbench.language import sentences, tr, verbatim
from workbench.questions.measures import FAIRNESS
from workbench.report.labels import pairing_text
from workbench.report.model import Section, Table, TableCell, numeric_cell
from workbench.report.names import VERDICTS, Names
from workbench.report.numbers import format_amount, format_amounts, format_kinds, format_percent, sort_value
from workbench.report.sections.rows import Record, measure_text, pairing_rows, primary_comparisons, rows_by_cell
from workbench.statistics import Analysis

SCORED = (FAIRNESS, "variety", "decisive_rate")
"""Measures that the scorecard has a column for, whatever was asked."""


def scorecard_section(analysis: Analysis, names: Names) -> Section | None:
    """The criteria side by side, for the strongest players."""
    chosen = pairing_rows(analysis.scorecard, names.strongest) if not analysis.scorecard.empty else analysis.scorecard
    if chosen.empty:
        return None
    compared = rows_by_cell(primary_comparisons(analysis))
    rows = []
    measure = names.plan.question_measure.name
    drama = "drama" in chosen and chosen["drama"].notna().any()
    for row in chosen.to_dict("records"):
        cells = [
            names.ruleset_cell(row["ruleset"]),
            numeric_cell(format_amount(row["changed_toggles"]), row["changed_toggles"]),
            numeric_cell(format_amount(row["rule_words"]), row["rule_words"]),
            numeric_cell(
                format_amount(100 * row["unfairness"], 1),
                row["unfairness"],
                format_amounts(100 * row["unfairness_low"], 100 * row["unfairness_high"], 1),
            ),
            numeric_cell(
                format_kinds(row["variety"]),
                row["variety"],
                ""
                if math.isnan(row["variety"])
                else f"{format_kinds(row['variety_low'])}–{format_kinds(row['variety_high'])}",
            ),
            numeric_cell(format_amount(row["plies_median"]), row["plies_median"]),
            numeric_cell(format_percent(row["decisive_rate"]), row["decisive_rate"]),
        ]
        if measure not in SCORED:
            verdict = compared.get((row["ruleset"], *names.strongest))
            value = measure_text(analysis, names, row["ruleset"], names.strongest)
            below = VERDICTS[verdict["verdict"]] if verdict else None
            small = tr("{sign} {text}", sign=below[1], text=below[0]) if below else verbatim("")
            cells.insert(1, TableCell(value, small, sort_value(verdict["value"]) if verdict else None, "number"))
        if drama:
            cells.append(numeric_cell(format_percent(row["drama"]), row["drama"]))
        cells.append(_pareto_cell(row, names))
        rows.append(cells)
    heads = [
        TableCell(tr("ruleset")),
        TableCell(tr("rules changed"), kind="number"),
        TableCell(tr("words in the rules"), kind="number"),
        TableCell(tr("points from even"), kind="number"),
        TableCell(tr("different openings (estimate)"), kind="number"),
        TableCell(tr("median plies"), kind="number"),
        TableCell(tr("decided games"), kind="number"),
    ]
    if measure not in SCORED:
        heads.insert(1, TableCell(names.measure_name(measure), kind="number"))
    if drama:
        heads.append(TableCell(tr("drama"), kind="number"))
    heads.append(TableCell(tr("all in all")))
    caption = tr(
        "Simplicity (first two columns), fairness and variety, and how games go, between the "
        "strongest players ({level}). Unbeaten: no other ruleset is at least as good on "
        "simplicity, fairness and variety and better on one; that is no verdict on a ruleset, "
        "the more criteria the more rulesets are unbeaten. Below it, how sure that is: the share of "
        "cases in which it holds when the numbers vary within their uncertainty."
    )
    caption = caption.format(level=pairing_text(names.strongest))
    if chosen["variety"].isna().all():
        unknown = tr("How many openings there are is not known (see Openings): variety decides nothing here.")
        caption = sentences([caption, unknown])
    baseline = next((i for i, row in enumerate(chosen["ruleset"]) if row == names.plan.baseline), None)
    table = Table(caption, heads, rows, baseline)
    return Section("scorecard", tr("Scorecard"), [table])


def _pareto_cell(row: Record, names: Names) -> TableCell:
    share = float(row["pareto_share"])
    held = tr("certainty {share}", share=format_percent(share if row["pareto"] else 1 - share, 0))
    if row["pareto"]:
        # A verdict on its games is another matter: unbeaten is what most rulesets are, and no reason to take one.
        return TableCell(tr("unbeaten"), held, -share, "whole")
    by = names.short(str(row["beaten_by"]))
    beaten = tr("beaten by {by}").format(by=by) if row["beaten_by"] else tr("no")
    return TableCell(beaten, held, 1 - share, "whole quiet" if len(by) <= 16 else "quiet")
