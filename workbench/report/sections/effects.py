"""The effects of a factorial experiment: a chart for each measure, and sentences for the answer."""

from __future__ import annotations

import math

import numpy as np

from workbench.language.text import Text, joined, sentences, verbatim
from workbench.report.labels import pairing_text
from workbench.report.marks import Dot, Interval, Line, Panel, Row, fit_scale
from workbench.report.model import Chart, Part, Section
from workbench.report.names import Names, scaling
from workbench.report.numbers import change, difference, points_label, signed
from workbench.report.sections.lookup import Record, of_pairing
from workbench.report.sections.phrases import capitalized
from workbench.statistics import Analysis


def _effects_by_measure(analysis: Analysis, names: Names) -> dict[str, list[Record]]:
    """The effects between the strongest players, the measure that was asked first, the largest first."""
    table = of_pairing(analysis.effects, names.strongest) if not analysis.effects.empty else analysis.effects
    return {
        str(measure): sorted(rows.to_dict("records"), key=lambda row: -abs(row["effect"]))
        for measure, rows in table.groupby("measure", sort=False)
    }


def effects_in_words(analysis: Analysis, names: Names) -> list[Text]:
    """What factors do that is shown beyond chance, a sentence for each measure; nothing if none does anything."""
    texts: list[Text] = []
    for measure, rows in _effects_by_measure(analysis, names).items():
        each = [_effect(row, measure, names) for row in rows if row["kind"] == "main" and is_shown(row)]
        if each:
            text = Text(
                "{measure} between the strongest players ({level}): {each}.",
                "{measure}（最も強いプレイヤー：{level}）への効果：{each}。",
            )
            if texts:
                text = Text("{measure}: {each}.", "{measure}：{each}。")
            what = capitalized(names.measure(measure))
            texts.append(text.format(measure=what, level=pairing_text(names.strongest), each=joined(each)))
    return texts


def other_effects(analysis: Analysis, names: Names) -> list[Text]:
    """What two levels do together beyond the sum of both, and what shows no effect."""
    effects = _effects_by_measure(analysis, names)
    texts = []
    for measure, rows in effects.items():
        each = [_effect(row, measure, names) for row in rows if row["kind"] == "interaction" and is_shown(row)]
        if each:
            text = Text(
                "Together beyond the sum of what each does alone, {measure}: {each}.",
                "単独の効果の和を超える組み合わせ（{measure}）：{each}。",
            )
            texts.append(text.format(measure=names.measure(measure), each=joined(each)))
    for measure, rows in effects.items():
        none = [effect_name(row, names) for row in rows if row["kind"] == "main" and not is_shown(row)]
        if none:
            text = Text(
                "No effect on {measure} is shown beyond chance (Holm): {none}.",
                "{measure}への効果が示されないもの（ホルム法）：{none}。",
            )
            texts.append(text.format(measure=names.measure(measure), none=joined(none)))
    return texts


def _effect(row: Record, measure: str, names: Names) -> Text:
    """An effect with its unit and interval."""
    told = change(row["effect"], row["low"], row["high"], names.unit(measure), scaling(measure))
    return Text("{what} {told}", "{what} {told}").format(what=effect_name(row, names), told=told)


def effects_shown(analysis: Analysis, names: Names) -> dict[str, Text]:
    """For each measure the effects of a factorial experiment that are shown beyond chance, in a sentence."""
    texts = {}
    for measure, rows in _effects_by_measure(analysis, names).items():
        clear = [_effect(row, measure, names) for row in rows if is_shown(row)]
        if clear:
            text = Text(
                "{measure}, shown beyond chance (Holm): {clear}.",
                "{measure}について、偶然とは言えない効果（ホルム法）：{clear}。",
            )
            texts[measure] = text.format(measure=capitalized(names.measure(measure)), clear=joined(clear))
    return texts


def is_shown(effect: Record) -> bool:
    """Whether an effect is beyond chance, corrected for their number; nothing is, before the run is finished."""
    withheld = effect.get("withheld")
    return not (isinstance(withheld, bool | np.bool_) and withheld) and bool(effect["p_holm"] < 0.05)


def effect_name(row: Record, names: Names) -> Text:
    """What an effect compares: a level with the reference, or ``×``, two levels together with the sum of both alone."""
    factor, level = names.factor(str(row["factor"])), names.level(str(row["factor"]), str(row["level"]))
    if row["kind"] == "main":
        return Text("{factor}: {level} instead of {reference}", "{factor}：{reference}→{level}").format(
            factor=factor, level=level, reference=names.level(str(row["factor"]), str(row["reference"]))
        )
    return Text("{factor}: {level} × {factor2}: {level2}", "{factor}：{level}×{factor2}：{level2}").format(
        factor=factor,
        level=level,
        factor2=names.factor(str(row["factor2"])),
        level2=names.level(str(row["factor2"]), str(row["level2"])),
    )


def effects(analysis: Analysis, names: Names) -> Section | None:
    """What each factor of a factorial experiment does, alone and together with another."""
    if analysis.effects.empty:
        return None
    parts: list[Part] = []
    chosen = of_pairing(analysis.effects, names.strongest)
    shown = effects_shown(analysis, names)
    for measure in dict.fromkeys(chosen["measure"]):
        factor = scaling(str(measure))
        rows, values = [], []
        for row in chosen[chosen["measure"] == measure].to_dict("records"):
            text = verbatim(difference(row["effect"], math.nan, math.nan, factor))
            dot = Dot(row["effect"], hollow=not is_shown(row))
            label = effect_name(row, names)
            rows.append(Row(label.en, label, (Line(0, (Interval(row["low"], row["high"]), dot), text),)))
            values += [row["low"], row["high"]]
        scale = fit_scale(values, points_label if factor == 100 else _plies_label, 0.0)
        title = names.measure(str(measure))
        nothing = Text("No effect is shown beyond chance (Holm).", "偶然と区別できる効果はない（ホルム法）。")
        unit = Text("In {unit}", "単位は{unit}").format(unit=names.unit(str(measure)))
        rest = Text(
            "{unit}, with 95 % intervals; hollow: not shown. ×: what two levels do together beyond the sum of what "
            "each does alone. Players: {level}.",
            "{unit}、95%信頼区間。白抜きは示されない効果。×は二つの変更の相乗効果（単独の和との差）。プレイヤー：{level}。",
        ).format(unit=unit, level=pairing_text(names.strongest))
        chart = f"chart-effects-{measure}"
        caption = sentences([shown.get(str(measure), nothing), rest])
        parts.append(Chart(chart, Panel(scale, tuple(rows)), caption, (), f"effects_{measure}", capitalized(title)))
    return Section("effects", Text("What each factor does", "要因ごとの効果"), parts)


def _plies_label(value: float) -> str:
    return signed(value, 0).replace("±0", "0")
