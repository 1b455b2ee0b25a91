"""The verdicts under other conventions and on half of the games."""

from __future__ import annotations

import math

from workbench.language import listed, tr
from workbench.questions.measures import FAIRNESS
from workbench.report.labels import pairing_text
from workbench.report.model import Paragraph, Section, Table, TableCell
from workbench.report.names import Names, unit_factor, verdict_cell
from workbench.report.numbers import format_change, format_points, sort_value
from workbench.report.sections.lookup import pairing_rows
from workbench.report.sections.phrases import difference_name
from workbench.statistics import Analysis

VARIANTS = {
    "main": tr("as above"),
    "draws_zero": tr("draws count 0"),
    "draws_out": tr("draws left out"),
    "capped_half": tr("capped games count ½"),
    "unadjudicated": tr("adjudicated games left open"),
    "first_half": tr("first half of the seeds"),
    "second_half": tr("second half of the seeds"),
    "distinct": tr("each game once"),
}


def sensitivity_section(analysis: Analysis, names: Names) -> Section | None:
    """The verdicts again, with draws and capped games counted otherwise, and with half of the games."""
    chosen = (
        pairing_rows(analysis.sensitivity, names.strongest) if not analysis.sensitivity.empty else analysis.sensitivity
    )
    chosen = chosen[chosen["ruleset"].isin(names.proposals)]
    if chosen.empty:
        return None
    measure = names.plan.question_measure.name
    variants = [code for code in VARIANTS if code in set(chosen["variant"])]
    rows, turned = [], []
    for name in names.proposals:
        of_name = {row["variant"]: row for row in chosen[chosen["ruleset"] == name].to_dict("records")}
        cells = [names.ruleset_cell(name)]
        for code in variants:
            row = of_name[code]
            gain = format_points(row["gain"])
            if measure != FAIRNESS:
                gain = format_change(row["gain"], math.nan, math.nan, names.unit_name(measure), unit_factor(measure))
            small = gain if row["same"] else tr("{gain} ≠", gain=gain)
            cells.append(verdict_cell(row["verdict"], small, sort_value(row["gain"])))
        rows.append(cells)
        if not all(row["same"] for row in of_name.values()):
            turned.append(names.short(name))
    decided = chosen.loc[chosen["variant"] == variants[0], "verdict"] != "undecided"
    text = tr("No verdict changes in any column.")
    if turned:
        text = tr("The verdict on {names} changes in at least one column.")
    elif not decided.any():
        text = tr("Nothing was decided, so nothing could change; see how far the numbers swing between the columns.")
    caption = tr(
        "The same question asked otherwise, between the strongest players ({level}); below each "
        "verdict the {gain}. ≠: not the verdict of the first column. Halves of the games are "
        "less sure: their verdicts are often undecided."
    )
    heads = [TableCell(tr("proposal")), *(TableCell(VARIANTS[code]) for code in variants)]
    table = Table(caption.format(level=pairing_text(names.strongest), gain=difference_name(names)), heads, rows)
    parts = [Paragraph(text.format(names=listed(turned)))]
    return Section("sensitivity", tr("Does the answer hold?"), [*parts, table])
