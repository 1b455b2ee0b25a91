"""The criteria of all rulesets side by side."""

from __future__ import annotations

import math

from workbench.language.text import Text, sentences, verbatim
from workbench.questions.measures import FAIRNESS
from workbench.report.labels import pairing_text
from workbench.report.model import Section, Table, TableCell, numeric
from workbench.report.names import VERDICTS, Names
from workbench.report.numbers import amount, amounts, kinds, number, percent
from workbench.report.sections.lookup import Record, asked_comparisons, by_cell, of_pairing
from workbench.report.sections.phrases import value_of
from workbench.statistics import Analysis

SCORED = (FAIRNESS, "variety", "decisive_rate")
"""Measures that the scorecard has a column for, whatever was asked."""


def scorecard(analysis: Analysis, names: Names) -> Section | None:
    """The criteria side by side, for the strongest players."""
    chosen = of_pairing(analysis.scorecard, names.strongest) if not analysis.scorecard.empty else analysis.scorecard
    if chosen.empty:
        return None
    compared = by_cell(asked_comparisons(analysis))
    rows = []
    measure = names.plan.question_measure.name
    drama = "drama" in chosen and chosen["drama"].notna().any()
    for row in chosen.to_dict("records"):
        cells = [
            names.cell(row["ruleset"]),
            numeric(amount(row["changed_toggles"]), row["changed_toggles"]),
            numeric(amount(row["rule_words"]), row["rule_words"]),
            numeric(
                amount(100 * row["unfairness"], 1),
                row["unfairness"],
                amounts(100 * row["unfairness_low"], 100 * row["unfairness_high"], 1),
            ),
            numeric(
                kinds(row["variety"]),
                row["variety"],
                "" if math.isnan(row["variety"]) else f"{kinds(row['variety_low'])}–{kinds(row['variety_high'])}",
            ),
            numeric(amount(row["plies_median"]), row["plies_median"]),
            numeric(percent(row["decisive_rate"]), row["decisive_rate"]),
        ]
        if measure not in SCORED:
            told = compared.get((row["ruleset"], *names.strongest))
            value = value_of(analysis, names, row["ruleset"], names.strongest)
            below = VERDICTS[told["verdict"]] if told else None
            small = Text(f"{below[1]} {below[0].en}", f"{below[1]} {below[0].ja}") if below else verbatim("")
            cells.insert(1, TableCell(value, small, number(told["value"]) if told else None, "number"))
        if drama:
            cells.append(numeric(percent(row["drama"]), row["drama"]))
        cells.append(_unbeaten(row, names))
        rows.append(cells)
    heads = [
        TableCell(Text("ruleset", "ルール")),
        TableCell(Text("rules changed", "変更した規則"), kind="number"),
        TableCell(Text("words in the rules", "ルールの語数"), kind="number"),
        TableCell(Text("points from even", "50%との差"), kind="number"),
        TableCell(Text("different openings (estimate)", "序盤の種類（推定）"), kind="number"),
        TableCell(Text("median plies", "手数の中央値"), kind="number"),
        TableCell(Text("decided games", "勝敗のつく割合"), kind="number"),
    ]
    if measure not in SCORED:
        heads.insert(1, TableCell(names.measure(measure), kind="number"))
    if drama:
        heads.append(TableCell(Text("drama", "逆転の度合い"), kind="number"))
    heads.append(TableCell(Text("unbeaten", "上回られない")))
    caption = Text(
        "Simplicity (first two columns), fairness and variety, and how games go, between the strongest players "
        "({level}). Unbeaten: no other ruleset is at least as good on simplicity, fairness and variety and better on "
        "one; that is no verdict on a ruleset, the more criteria the more rulesets are unbeaten. Below it, how often "
        "that holds when the numbers are drawn anew within their uncertainty.",
        "単純さ（左の2列）、公平さ、多様さと対局の様子（最も強いプレイヤー：{level}）。「上回られない」は、"
        "単純さ・公平さ・多様さのすべてで同等以上かつどれかで勝るルールが"
        "他にないこと。基準が多いほど当てはまるルールも多く、良いルールだという判定ではない。"
        "下の数字は、誤差の範囲で数値を引き直したときにそれが成り立つ割合。",
    )
    caption = caption.format(level=pairing_text(names.strongest))
    if chosen["variety"].isna().all():
        unknown = Text(
            "How many openings there are is not known (see Openings): variety decides nothing here.",
            "序盤の種類数は不明なので（「序盤」を参照）、多様さは考慮していない。",
        )
        caption = sentences([caption, unknown])
    baseline = next((i for i, row in enumerate(chosen["ruleset"]) if row == names.plan.baseline), None)
    table = Table(caption, heads, rows, baseline)
    return Section("scorecard", Text("Scorecard", "評価表"), [table])


def _unbeaten(row: Record, names: Names) -> TableCell:
    held = verbatim(percent(row["pareto_share"], 0))
    if row["pareto"]:
        # A verdict on its games is another matter: unbeaten is what most rulesets are, and no reason to take one.
        return TableCell(Text("yes", "はい"), held, -float(row["pareto_share"]), "whole")
    by = names.short(str(row["beaten_by"]))
    beaten = Text("beaten by {by}", "{by}が上回る").format(by=by) if row["beaten_by"] else Text("no", "いいえ")
    return TableCell(beaten, held, 1 - float(row["pareto_share"]), "whole quiet" if len(by) <= 16 else "quiet")
