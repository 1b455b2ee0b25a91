"""Measures that a program has added, ruleset by ruleset."""

from __future__ import annotations

from workbench.language import tr
from workbench.questions import measures
from workbench.report.labels import pairing_text
from workbench.report.model import Part, Section, Table, TableCell, numeric_cell
from workbench.report.names import Names, unit_factor, verdict_cell
from workbench.report.numbers import format_amount, format_difference
from workbench.report.sections.lookup import pairing_rows
from workbench.statistics import Analysis


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
