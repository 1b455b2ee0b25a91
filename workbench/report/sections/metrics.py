"""What the numbers of the tables mean, and how to read them."""

from __future__ import annotations

from workbench import statistics
from workbench.language.text import Text, verbatim
from workbench.report.model import Bullets, Part, Section, Table, TableCell

GUIDE = (
    Text(
        "Read the verdict before the numbers. “Undecided” means too few games, never “no difference”.",
        "数値より先に判定を読む。「未判定」は対局数が足りないという意味で、「差がない」という意味ではない。",
    ),
    Text(
        "Compare bars, not dots: a bar is the 95 % interval of a number, and holds the true value in 19 of 20 cases.",
        "点ではなく帯を比べる。帯は95%信頼区間で、20回のうち19回は真の値を含む。",
    ),
    Text(
        "Trust the strongest players most. Random players do not use what makes a rule unfair.",
        "最も強いプレイヤーの結果を重んじる。ランダムなプレイヤーは、不公平の原因になる手を選ばない。",
    ),
    Text(
        "Capped games were stopped at the limit of plies. They are no draws: where there are many, the score is known "
        "only within the bounds that are shown. An experiment may have them adjudicated by its strongest player; "
        "the report then says how many were, and the others stay open.",
        "打ち切りは上限の手数で止めた対局で、引き分けではない。多いときは、得点率は示した範囲のどこかとしか言えない。"
        "実験で最も強いプレイヤーに裁定させることもできる。そのときは裁定の割合を示し、残りは結果なしのままとする。",
    ),
)


def metrics() -> Section:
    """How to read the numbers, and the definition of each."""
    rows = [
        [
            TableCell(verbatim(metric.name)),
            TableCell(Text(metric.sentence, metric.ja)),
            *(TableCell(verbatim(part)) for part in (metric.formula, metric.unit, metric.direction, metric.source)),
        ]
        for metric in statistics.METRICS.values()
    ]
    heads = [
        TableCell(head)
        for head in (
            Text("column", "列"),
            Text("meaning", "意味"),
            Text("formula", "式"),
            Text("unit", "単位"),
            Text("better", "望ましい向き"),
            Text("source", "出典"),
        )
    ]
    caption = Text(
        "All numbers of the tables: meaning, formula, unit, the better direction, source.",
        "表にあるすべての数値の意味・式・単位・望ましい向き・出典。",
    )
    parts: list[Part] = [Bullets(GUIDE), Table(caption, heads, rows, folded=True)]
    return Section("numbers", Text("What the numbers mean", "数値の意味"), parts)
