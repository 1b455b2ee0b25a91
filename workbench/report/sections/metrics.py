"""What the numbers of the tables mean, and how to read them."""

from __future__ import annotations

from workbench import statistics
from workbench.language import tr, trc, verbatim
from workbench.report.model import Bullets, Part, Section, Table, TableCell
from workbench.report.names import UNITS

GUIDE = (
    tr("Read the verdict before the numbers. “Undecided” means too few games, never “no difference”."),
    tr("Compare bars, not dots: a bar is the 95 % interval of a number, and holds the true value in 19 of 20 cases."),
    tr("Trust the strongest players most. Random players do not use what makes a rule unfair."),
    tr(
        "Capped games were stopped at the limit of plies. They are no draws: where there are "
        "many, the score is known only within the bounds that are shown. An experiment may have "
        "them adjudicated by its strongest player; the report then says how many were, and the "
        "others stay open."
    ),
)
WORDS = {
    "games": tr("games"), "share": tr("share"), "plies": UNITS["plies"], "moves": UNITS["moves"],
    "count": trc("metrics", "number"), "a count": trc("metrics", "a count"),
    "less": trc("metrics", "less"), "more": trc("metrics", "more"), "near 1/2": trc("metrics", "near 1/2"),
    "target": trc("metrics", "target"), "none": trc("metrics", "none"),
}  # fmt: skip
"""Units, directions and sources of `METRICS` in words."""


def metrics_section() -> Section:
    """How to read the numbers, and the definition of each."""
    rows = [
        [
            TableCell(verbatim(metric.name)),
            TableCell(metric.sentence),
            TableCell(verbatim(metric.formula)),
            *(TableCell(WORDS.get(part, verbatim(part))) for part in (metric.unit, metric.direction, metric.source)),
        ]
        for metric in statistics.METRICS.values()
    ]
    heads = [
        TableCell(head)
        for head in (
            tr("column"),
            tr("meaning"),
            tr("formula"),
            tr("unit"),
            tr("better"),
            tr("source"),
        )
    ]
    caption = tr("All numbers of the tables: meaning, formula, unit, the better direction, source.")
    parts: list[Part] = [Bullets(GUIDE), Table(caption, heads, rows, folded=True)]
    return Section("numbers", tr("What the numbers mean"), parts)
