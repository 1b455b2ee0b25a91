"""What the numbers of the tables mean, and the measures that a program has added."""

from __future__ import annotations

from workbench import statistics
from workbench.language import tr, trc, verbatim
from workbench.questions import measures
from workbench.report.labels import pairing_text
from workbench.report.model import Bullets, Part, Section, Table, TableCell, numeric_cell
from workbench.report.names import UNITS, Names, unit_factor, verdict_cell
from workbench.report.numbers import format_amount, format_difference
from workbench.report.sections.rows import pairing_rows
from workbench.statistics import Analysis

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


def added_measures_section(analysis: Analysis, names: Names) -> Section | None:
    """A table for each measure: what it is between the strongest players, and how it differs from the baseline."""
    parts: list[Part] = []
    compared = pairing_rows(analysis.comparisons, names.strongest)
    for one in measures.added_measures():
        rows = compared[compared["measure"] == one.name].to_dict("records")
        heads = [
            TableCell(tr("Ruleset")),
            TableCell(tr("Value")),
            TableCell(tr("Difference, {unit}").format(unit=names.unit_name(one.name))),
            TableCell(tr("Verdict")),
        ]
        factor = unit_factor(one.name)
        cells = [
            [
                names.ruleset_cell(str(row["ruleset"])),
                numeric_cell(format_amount(factor * row["value"], 2), row["value"]),
                numeric_cell(format_difference(row["difference"], row["low"], row["high"], factor), row["difference"]),
                verdict_cell(str(row["verdict"])),
            ]
            for row in rows
        ]
        if cells:
            played = pairing_rows(analysis.cells, names.strongest)[["games", f"{one.name}_games"]].sum()
            without = int(played["games"] - played[f"{one.name}_games"])
            caption = (
                tr("{measure} between {players}; {without:,} of {games:,} games have no value")
                if without
                else tr("{measure} between {players}")
            )
            players = pairing_text(names.strongest)
            text = caption.format(measure=one.title, players=players, without=without, games=int(played["games"]))
            parts.append(Table(text, heads, cells))
    return Section("added-measures", tr("Measures of one's own"), parts) if parts else None
