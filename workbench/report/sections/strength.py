"""How strong the players are, where a ladder of a ruleset was kept."""

from __future__ import annotations

from workbench.language import listed, tr, verbatim
from workbench.report.model import Paragraph, Section, Table, TableCell, numeric_cell
from workbench.report.names import Names
from workbench.report.numbers import format_elo_estimate
from workbench.report.standings import Standings


def strength_section(standings: Standings, names: Names) -> Section | None:
    """Where the players stand on the ladders of the rulesets; nothing where there are none."""
    if not standings:
        return None
    labels = list(dict.fromkeys(label for pairing in names.plan.pairings for label in pairing))
    rows = []
    for ruleset in names.rulesets:
        if ruleset not in standings:
            continue
        ladder, entries = standings[ruleset]
        for label in labels:
            if label in entries:
                entry = entries[label]
                rows.append([
                    names.ruleset_cell(ruleset),
                    TableCell(verbatim(label), sort=float(labels.index(label))),
                    numeric_cell(format_elo_estimate(entry["elo"]), entry["elo"]["value"]),
                    numeric_cell(format_elo_estimate(entry["first_move"]), entry["first_move"]["value"]),
                    numeric_cell(f"{ladder['games']:,}", ladder["games"]),
                ])  # fmt: skip
    zeros = listed(list(dict.fromkeys(str(ladder["zero"]) for ladder, _ in standings.values())))
    heads = [TableCell(tr("ruleset")), TableCell(tr("player"))] + [
        TableCell(text, kind="number")
        for text in (
            "Elo",
            tr("worth of moving first"),
            tr("games of the ladder"),
        )
    ]
    caption = tr(
        "The players of this experiment on the ladders that were kept of its rulesets (workbench "
        "ladder), in Elo, with 95 % intervals; {zeros} is 0. Ladders of different rulesets have "
        "no common scale but that one player."
    ).format(zeros=zeros)
    parts: list[Paragraph | Table] = [Table(caption, heads, rows)]
    without = [names.short(ruleset) for ruleset in names.rulesets if ruleset not in standings]
    if without:
        missing = tr("No ladder is kept of {rulesets}.")
        parts.append(Paragraph(missing.format(rulesets=listed(without)), "note"))
    return Section("strength", tr("How strong the players are"), parts)
