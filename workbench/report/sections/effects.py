"""The effects of a factorial experiment: a chart for each measure, and sentences for the answer."""

from __future__ import annotations

import math

import numpy as np

from workbench.language import capitalized, join, listed, sentences, tr, verbatim
from workbench.questions.measures import FAIRNESS
from workbench.report.labels import pairing_text
from workbench.report.marks import Dot, Interval, Line, Panel, Row, fit_scale
from workbench.report.model import Chart, Paragraph, Part, Section, Table, TableCell
from workbench.report.names import Names, unit_factor, verdict_cell
from workbench.report.numbers import (
    format_change,
    format_difference,
    format_points,
    format_signed,
    points_label,
    sort_value,
)
from workbench.report.sections.rows import Record, difference_name, pairing_rows
from workbench.statistics import Analysis


def _effects_by_measure(analysis: Analysis, names: Names) -> dict[str, list[Record]]:
    """The effects between the strongest players, the measure that was asked first, the largest first."""
    if analysis.effects.empty:
        return {}
    table = pairing_rows(analysis.effects, names.strongest)
    return {
        str(measure): sorted(rows.to_dict("records"), key=lambda row: -abs(row["effect"]))
        for measure, rows in table.groupby("measure", sort=False)
    }


def effect_sentences(analysis: Analysis, names: Names) -> list[str]:
    """What factors do that is shown beyond chance, a sentence for each measure; nothing if none does anything."""
    texts: list[str] = []
    for measure, rows in _effects_by_measure(analysis, names).items():
        each = [_effect_sentence(row, measure, names) for row in rows if row["kind"] == "main" and is_significant(row)]
        if each:
            text = tr("{measure} between the strongest players ({level}): {each}.")
            if texts:
                text = tr("{measure}: {each}.")
            what = capitalized(names.measure_name(measure))
            texts.append(text.format(measure=what, level=pairing_text(names.strongest), each=listed(each)))
    return texts


def other_effect_sentences(analysis: Analysis, names: Names) -> list[str]:
    """What two levels do together beyond the sum of both, and what shows no effect."""
    effects = _effects_by_measure(analysis, names)
    texts = []
    for measure, rows in effects.items():
        each = [
            _effect_sentence(row, measure, names)
            for row in rows
            if row["kind"] == "interaction" and is_significant(row)
        ]
        if each:
            text = tr("Together beyond the sum of what each does alone, {measure}: {each}.")
            texts.append(text.format(measure=names.measure_name(measure), each=listed(each)))
    for measure, rows in effects.items():
        none = [effect_name(row, names) for row in rows if row["kind"] == "main" and not is_significant(row)]
        if none:
            text = tr("No effect on {measure} is shown beyond chance (Holm): {none}.")
            texts.append(text.format(measure=names.measure_name(measure), none=listed(none)))
    return texts


def _effect_sentence(row: Record, measure: str, names: Names) -> str:
    change = format_change(row["effect"], row["low"], row["high"], names.unit_name(measure), unit_factor(measure))
    return join(" ", (effect_name(row, names), change))


def significant_effects(analysis: Analysis, names: Names) -> dict[str, str]:
    """For each measure the effects of a factorial experiment that are shown beyond chance, in a sentence."""
    texts = {}
    for measure, rows in _effects_by_measure(analysis, names).items():
        clear = [_effect_sentence(row, measure, names) for row in rows if is_significant(row)]
        if clear:
            text = tr("{measure}, shown beyond chance (Holm): {clear}.")
            texts[measure] = text.format(measure=capitalized(names.measure_name(measure)), clear=listed(clear))
    return texts


def is_significant(effect: Record) -> bool:
    """Whether an effect is beyond chance, corrected for their number; nothing is, before the run is finished."""
    withheld = effect.get("withheld")
    return not (isinstance(withheld, bool | np.bool_) and withheld) and bool(effect["p_holm"] < 0.05)


def effect_name(row: Record, names: Names) -> str:
    """What an effect compares: a level with the reference, or ``×``, two levels together with the sum of both alone."""
    factor, level = names.factor_name(str(row["factor"])), names.level_name(str(row["factor"]), str(row["level"]))
    if row["kind"] == "main":
        return tr("{factor}: {level} instead of {reference}").format(
            factor=factor, level=level, reference=names.level_name(str(row["factor"]), str(row["reference"]))
        )
    return tr("{factor}: {level} × {factor2}: {level2}").format(
        factor=factor,
        level=level,
        factor2=names.factor_name(str(row["factor2"])),
        level2=names.level_name(str(row["factor2"]), str(row["level2"])),
    )


def effects_section(analysis: Analysis, names: Names) -> Section | None:
    """What each factor of a factorial experiment does, alone and together with another."""
    if analysis.effects.empty:
        return None
    parts: list[Part] = []
    chosen = pairing_rows(analysis.effects, names.strongest)
    shown = significant_effects(analysis, names)
    for measure in dict.fromkeys(chosen["measure"]):
        factor = unit_factor(str(measure))
        rows, values = [], []
        for row in chosen[chosen["measure"] == measure].to_dict("records"):
            text = verbatim(format_difference(row["effect"], math.nan, math.nan, factor))
            dot = Dot(row["effect"], hollow=not is_significant(row))
            label = effect_name(row, names)
            rows.append(Row(str(label), label, (Line(0, (Interval(row["low"], row["high"]), dot), text),)))
            values += [row["low"], row["high"]]
        scale = fit_scale(values, points_label if factor == 100 else _plies_label, 0.0)
        title = names.measure_name(str(measure))
        nothing = tr("No effect is shown beyond chance (Holm).")
        unit = tr("In {unit}").format(unit=names.unit_name(str(measure)))
        rest = tr(
            "{unit}, with 95 % intervals; hollow: not shown. ×: what two levels do together beyond "
            "the sum of what each does alone. Players: {level}."
        ).format(unit=unit, level=pairing_text(names.strongest))
        chart = f"chart-effects-{measure}"
        caption = sentences([shown.get(str(measure), nothing), rest])
        parts.append(Chart(chart, Panel(scale, tuple(rows)), caption, (), f"effects_{measure}", capitalized(title)))
    return Section("effects", tr("What each factor does"), parts)


def _plies_label(value: float) -> str:
    return format_signed(value, 0).replace("±0", "0")


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
