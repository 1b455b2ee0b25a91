"""What each change of the rules does for strong play, where an experiment combines several; and what to take."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from workbench import games
from workbench.base.language import capitalized, join, join_list, sentences, tr, trc, untranslated
from workbench.experiments.measures import FAIRNESS
from workbench.games.declaration import Setting, equal_settings
from workbench.games.wording import sentence_beside, setting_words
from workbench.report import labels
from workbench.report.marks import Dot, Interval, Line, Panel, Row, fit_scale, interval_ends
from workbench.report.model import (
    Chart,
    Column,
    Paragraph,
    Part,
    RuleChange,
    RuleChanges,
    Section,
    Table,
    TableCell,
    numeric_cell,
)
from workbench.report.names import Names, Record, pairing_rows, strong_levels, unit_factor
from workbench.report.sections.strong import estimate_cell, evaluations_text, verdict_cell
from workbench.report.verdicts import DIRECTIONS, UNDECIDED, VERDICTS
from workbench.report.witness_positions import shown_position
from workbench.statistics import Analysis

MEASURE_WORDS = {"first_score": tr("first player's score"), "draw_rate": tr("share of draws")}


RANKS_SHOWN = 12
"""Rulesets that the answer ranks, so that it takes no more than two sheets of paper; the appendix ranks all."""


def rule_effects_section(analysis: Analysis, names: Names) -> Section | None:
    """What each rule does, over all combinations with the others, and the chance of each ruleset to be the fairest."""
    parts: list[Part] = []
    effects = analysis.strong_effects
    if len(effects):
        parts.append(_effect_table(effects[effects["kind"] == "main"], names))
    if len(analysis.strong_ranks):
        parts.append(_rank_table(analysis, names, RANKS_SHOWN))
    return Section("rules", tr("What each rule does for strong play"), parts) if parts else None


def further_rule_tables(analysis: Analysis, names: Names) -> list[Part]:
    """What two rules do together, and all ranks where the answer has some of them, as folded tables."""
    parts: list[Part] = []
    effects = analysis.strong_effects
    pairs = effects[effects["kind"] == "pair"] if len(effects) else effects
    if len(pairs):
        parts.append(_pair_table(pairs, names))
    if len(analysis.strong_ranks) > RANKS_SHOWN:
        parts.append(replace(_rank_table(analysis, names, len(analysis.strong_ranks)), folded=True))
    return parts


def rule_name(row: Record, names: Names, second: str = "") -> str:
    """A change of the rules: the ruleset that makes it alone, or its toggle (of a pair's ``second``, "2")."""
    alone = str(row[f"alone{second}"])
    if alone:
        return untranslated(names.short(alone))
    return join(": ", (names.factor_name(str(row[f"factor{second}"])), untranslated(row[f"level{second}"])))


def _effect_table(effects: pd.DataFrame, names: Names) -> Table:
    def likeliest(row: Record) -> TableCell:
        likely = float(row["likely"])
        side = DIRECTIONS[str(row["measure"]), True]["more" if likely >= 0.5 else "less"]
        return TableCell(side, labels.format_percent(max(likely, 1 - likely)), max(likely, 1 - likely))

    columns = (
        Column.plain(
            tr("change of the rules"), lambda row: TableCell(rule_name(row, names), names.title(str(row["alone"])))
        ),
        Column.text(tr("measure"), lambda row: MEASURE_WORDS[str(row["measure"])]),
        Column.number(tr("what it does"), lambda row: estimate_cell(row, "now")),
        Column.plain(tr("most likely"), likeliest),
        Column.number(tr("a doubling adds"), lambda row: estimate_cell(row, "change")),
        Column.text(tr("by evaluation"), evaluations_text),
        Column.plain(trc("rules", "verdict"), verdict_cell),
        Column.number(tr("rulesets with it"), lambda row: numeric_cell(str(row["rulesets"]), float(row["rulesets"]))),
    )
    caption = tr(
        "What each change does, the mean over all combinations with the other changes, in points, with intervals that "
        "hold for all changes at once (95 %). All rulesets with a change say what it does, so this is known better "
        "than what a single ruleset does. Most likely: the side, and its probability. By evaluation: the strongest "
        "players of each by their own games."
    )
    return Table.of(caption, columns, effects.to_dict("records"))


def _pair_table(pairs: pd.DataFrame, names: Names) -> Table:
    def both(row: Record) -> str:
        return tr("{rule} with {other}", rule=rule_name(row, names), other=rule_name(row, names, "2"))

    def direction(row: Record) -> str:
        return DIRECTIONS[str(row["measure"]), True].get(str(row["direction"]), UNDECIDED)

    columns = (
        Column.text(tr("changes"), both),
        Column.text(tr("measure"), lambda row: MEASURE_WORDS[str(row["measure"])]),
        Column.number(tr("beyond their sum"), lambda row: estimate_cell(row, "now")),
        Column.text(trc("rules", "verdict"), direction),
    )
    caption = tr(
        "What two changes do together beyond the sum of both: by how much the effect of one is larger with the other, "
        "in points, with intervals that hold for all pairs at once. Estimates are drawn towards 0 by how little all "
        "pairs do."
    )
    return Table.of(caption, columns, pairs.to_dict("records"), folded=True)


def _rank_table(analysis: Analysis, names: Names, most: int) -> Table:
    """Which ruleset is the fairest, and what it costs if another one is, of so many at ``most``."""
    levels = {name: each.value for name, each in strong_levels(analysis).items()}

    def level(row: Record) -> TableCell:
        return numeric_cell(labels.format_percent(levels[str(row["ruleset"])]), levels[str(row["ruleset"])])

    columns = (
        names.ruleset_column(titled=True),
        Column.number(tr("first player's score"), level),
        Column.percent(tr("the fairest with probability"), "fairest"),
        Column.number(
            tr("expected loss (points)"), lambda row: numeric_cell(f"{100 * row['loss']:.1f}", float(row["loss"]))
        ),
    )
    ranks = analysis.strong_ranks.sort_values("loss", kind="stable")[:most].to_dict("records")
    caption = tr(
        "Which ruleset to take, if fairness is all that counts: the probability that it is the fairest of all, and by "
        "how many points its score is farther from 50 % than that of the fairest, on average over what is not known."
    )
    if len(ranks) < len(analysis.strong_ranks):
        some = tr("These are the {n} fairest of {all}; the appendix has all.")
        caption = sentences([caption, some.format(n=len(ranks), all=len(analysis.strong_ranks))])
    return Table.of(caption, columns, ranks)


def distinct_changes(variants: Sequence[Mapping[str, Any]], baseline: str) -> list[RuleChange]:
    """The distinct changes of all proposals, in the order of the families' toggles.

    ``variants`` are the rulesets as provenance holds them. A proposal of another game than the baseline's changes more
    than toggles, and is left out; so is what has no effect in either of two rulesets.
    """
    of_name = {str(variant["name"]): variant for variant in variants}
    base = of_name.get(baseline)
    if base is None or base.get("game") not in games.names():
        return []
    declaration = games.declaration(str(base["game"]))
    settings = {
        name: declaration.defaults() | variant.get("settings", {})
        for name, variant in of_name.items()
        if variant.get("game") == base["game"]
    }
    idle = {name: declaration.without_effect(each) for name, each in settings.items()}
    changes: list[RuleChange] = []
    for toggle in declaration.toggles:
        was = settings[baseline][toggle.name]
        users: dict[Setting, list[str]] = {}
        for name, each in settings.items():
            now = each[toggle.name]
            if not equal_settings(was, now) and toggle.name not in idle[baseline] & idle[name]:
                users.setdefault(now, []).append(name)
        for now, names in users.items():
            position = shown_position(declaration.name, toggle, was, settings[names[0]])
            changes.append(
                RuleChange(
                    len(changes) + 1,
                    toggle.name,
                    toggle.title,
                    (setting_words(declaration.name, toggle, settings[baseline]), sentence_beside(toggle, was)),
                    (setting_words(declaration.name, toggle, settings[names[0]]), sentence_beside(toggle, now)),
                    tuple(names),
                    position,
                )
            )
    return changes


def rule_changes_section(provenance: Mapping[str, Any], names: Names) -> Section | None:
    """What each proposal changes, and each distinct change with a position; nothing without a baseline."""
    changes = distinct_changes(provenance["rulesets"], names.plan.baseline)
    if not changes:
        return None
    rows = []
    for name in names.plan.proposals:
        own = [change for change in changes if name in change.proposals]
        what = [tr("{number}. {change}", number=change.number, change=change.title) for change in own]
        if names.plan.ruleset(name).game != names.plan.ruleset(names.plan.baseline).game:
            what = [tr("another game")]
        rows.append([names.ruleset_cell(name, titled=True), TableCell(tr("; ").join(what))])
    caption = tr("What each proposal changes in {baseline}.")
    heads = [TableCell(tr("proposal")), TableCell(tr("changes"))]
    table = Table(caption.format(baseline=names.short(names.plan.baseline)), heads, rows)
    parts: list[Part] = [table, RuleChanges(changes, names.short_names)]
    return Section("changes", tr("What the proposals change"), parts)


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
            texts.append(text.format(measure=what, level=labels.pairing_text(names.strongest), each=join_list(each)))
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
            texts.append(text.format(measure=names.measure_name(measure), each=join_list(each)))
    for measure, rows in effects.items():
        none = [effect_name(row, names) for row in rows if row["kind"] == "main" and not is_significant(row)]
        if none:
            text = tr("No effect on {measure} is shown beyond chance (Holm): {none}.")
            texts.append(text.format(measure=names.measure_name(measure), none=join_list(none)))
    return texts


def _effect_sentence(row: Record, measure: str, names: Names) -> str:
    return join(" ", (effect_name(row, names), names.change_text(measure, row["effect"], row["low"], row["high"])))


def significant_effects(analysis: Analysis, names: Names) -> dict[str, str]:
    """For each measure the effects of a factorial experiment that are shown beyond chance, in a sentence."""
    texts = {}
    for measure, rows in _effects_by_measure(analysis, names).items():
        clear = [_effect_sentence(row, measure, names) for row in rows if is_significant(row)]
        if clear:
            text = tr("{measure}, shown beyond chance (Holm): {clear}.")
            texts[measure] = text.format(measure=capitalized(names.measure_name(measure)), clear=join_list(clear))
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
        rows = []
        for row in chosen[chosen["measure"] == measure].to_dict("records"):
            text = untranslated(labels.format_difference(row["effect"], math.nan, math.nan, factor))
            dot = Dot(row["effect"], hollow=not is_significant(row))
            label = effect_name(row, names)
            rows.append(Row(str(label), label, (Line(0, (Interval(row["low"], row["high"]), dot), text),)))
        scale = fit_scale(interval_ends(rows), labels.points_label if factor == 100 else labels.whole_label, 0.0)
        title = names.measure_name(str(measure))
        nothing = tr("No effect is shown beyond chance (Holm).")
        unit = tr("In {unit}", unit=names.unit_name(str(measure)))
        rest = tr(
            "{unit}, with 95 % intervals; hollow: not shown. ×: what two levels do together beyond "
            "the sum of what each does alone. Players: {level}."
        ).format(unit=unit, level=labels.pairing_text(names.strongest))
        chart = f"chart-effects-{measure}"
        caption = sentences([shown.get(str(measure), nothing), rest])
        parts.append(Chart(chart, Panel(scale, tuple(rows)), caption, (), f"effects_{measure}", capitalized(title)))
    return Section("effects", tr("What each factor does"), parts)


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
    chosen = pairing_rows(analysis.sensitivity, names.strongest)
    chosen = chosen[chosen["ruleset"].isin(names.plan.proposals)]
    if chosen.empty:
        return None
    measure = names.plan.question_measure.name
    variants = [code for code in VARIANTS if code in set(chosen["variant"])]
    rows, turned = [], []
    for name in names.plan.proposals:
        of_name = {row["variant"]: row for row in chosen[chosen["ruleset"] == name].to_dict("records")}
        cells = [names.ruleset_cell(name)]
        for code in variants:
            row = of_name[code]
            gain = labels.format_points(row["gain"])
            if measure != FAIRNESS:
                gain = names.change_text(measure, row["gain"])
            small = gain if row["same"] else tr("{gain} ≠", gain=gain)
            cells.append(VERDICTS[row["verdict"]].cell(small, labels.sort_value(row["gain"])))
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
        "The same question asked otherwise, between the strongest players ({level}); below each verdict the {gain}. ≠: "
        "not the verdict of the first column. Halves of the games are less sure: their verdicts are often undecided."
    )
    heads = [TableCell(tr("proposal")), *(TableCell(VARIANTS[code]) for code in variants)]
    table = Table(caption.format(level=labels.pairing_text(names.strongest), gain=names.difference_name()), heads, rows)
    parts = [Paragraph(text.format(names=join_list(turned)))]
    return Section("sensitivity", tr("Does the answer hold?"), [*parts, table])
