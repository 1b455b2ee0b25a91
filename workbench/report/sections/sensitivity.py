"""The verdicts under other conventions and on half of the games."""

from __future__ import annotations

import math

from workbench.language.text import Text, joined
from workbench.questions.measures import FAIRNESS
from workbench.report.labels import pairing_text
from workbench.report.model import Paragraph, Section, Table, TableCell
from workbench.report.names import Names, scaling, verdict_cell
from workbench.report.numbers import change, number, points
from workbench.report.sections.lookup import of_pairing
from workbench.report.sections.phrases import difference_name
from workbench.statistics import Analysis

VARIANTS = {
    "main": Text("as above", "本分析"),
    "draws_zero": Text("draws count 0", "引き分けを0点とする"),
    "draws_out": Text("draws left out", "引き分けを除く"),
    "capped_half": Text("capped games count ½", "打ち切りを½点とする"),
    "unadjudicated": Text("adjudicated games left open", "裁定を用いない"),
    "first_half": Text("first half of the seeds", "乱数の前半のみ"),
    "second_half": Text("second half of the seeds", "乱数の後半のみ"),
    "distinct": Text("each game once", "同一の棋譜は1局と数える"),
}


def sensitivity(analysis: Analysis, names: Names) -> Section | None:
    """The verdicts again, with draws and capped games counted otherwise, and with half of the games."""
    chosen = (
        of_pairing(analysis.sensitivity, names.strongest) if not analysis.sensitivity.empty else analysis.sensitivity
    )
    chosen = chosen[chosen["ruleset"].isin(names.proposals)]
    if chosen.empty:
        return None
    measure = names.plan.question_measure.name
    variants = [code for code in VARIANTS if code in set(chosen["variant"])]
    rows, turned = [], []
    for name in names.proposals:
        of_name = {row["variant"]: row for row in chosen[chosen["ruleset"] == name].to_dict("records")}
        cells = [names.cell(name)]
        for code in variants:
            row = of_name[code]
            gain = points(row["gain"])
            if measure != FAIRNESS:
                gain = change(row["gain"], math.nan, math.nan, names.unit(measure), scaling(measure))
            small = gain if row["same"] else Text(f"{gain.en} ≠", f"{gain.ja} ≠")
            cells.append(verdict_cell(row["verdict"], small, number(row["gain"])))
        rows.append(cells)
        if not all(row["same"] for row in of_name.values()):
            turned.append(names.short(name))
    text = (
        Text("The verdict on {names} changes in at least one column.", "{names}の判定は、少なくとも1つの列で変わる。")
        if turned
        else Text("No verdict changes in any column.", "どの列でも判定は変わらない。")
    )
    caption = Text(
        "The same question asked otherwise, between the strongest players ({level}); below each verdict the {gain}. "
        "≠: not the verdict of the first column. Halves of the games are less sure: their verdicts are often "
        "undecided.",
        "条件を変えた場合の判定（最も強いプレイヤー：{level}）。判定の下は{gain}。≠は最初の列と異なる判定。"
        "半数の対局では確かさが下がり、未判定になりやすい。",
    )
    heads = [TableCell(Text("proposal", "案")), *(TableCell(VARIANTS[code]) for code in variants)]
    table = Table(caption.format(level=pairing_text(names.strongest), gain=difference_name(names)), heads, rows)
    parts = [Paragraph(text.format(names=joined(turned)))]
    return Section("sensitivity", Text("Does the answer hold?", "結論は条件によって変わるか"), [*parts, table])
