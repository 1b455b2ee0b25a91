"""What happened in the games."""

from __future__ import annotations

import math

from workbench.report.labels import pairing_text
from workbench.report.model import Section, Table, TableCell
from workbench.report.names import Names
from workbench.report.numbers import amount, percent
from workbench.report.sections.lookup import of_pairing, row_of
from workbench.report.text import Text, verbatim
from workbench.statistics import Analysis


def events(analysis: Analysis, names: Names) -> Section | None:
    """How often things happened, for the strongest players."""
    chosen = of_pairing(analysis.events, names.strongest) if not analysis.events.empty else analysis.events
    if chosen.empty:
        return None
    rows = []
    for event in dict.fromkeys(str(name) for name in chosen["event"]):
        cells = [TableCell(names.event(event))]
        for ruleset in names.rulesets:
            row = row_of(chosen[chosen["event"] == event], ruleset, names.strongest)
            if row is None or math.isnan(row["mean"]):
                cells.append(TableCell())
                continue
            below = verbatim(percent(row["share"], 0)) if row["share"] < 0.9995 else verbatim("")
            cells.append(
                TableCell(verbatim(amount(row["when_fired"], 1) if row["share"] else "–"), below, row["mean"], "number")
            )
        rows.append(cells)
    heads = [
        TableCell(Text("event", "出来事")),
        *(TableCell(verbatim(names.short(name)), kind="number") for name in names.rulesets),
    ]
    caption = Text(
        "How often things happened in a game, or at which ply, between the strongest players ({level}): the mean over "
        "the games in which it happened, and below it the share of these games where it is not all.",
        "1局あたりの回数、または何手目か（最も強いプレイヤー：{level}）。起きた対局での平均と、"
        "全局でないときはその割合。",
    )
    table = Table(caption.format(level=pairing_text(names.strongest)), heads, rows, folded=True)
    return Section("events", Text("What happened in the games", "対局中の出来事"), [table])
