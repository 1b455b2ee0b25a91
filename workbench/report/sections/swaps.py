"""Where players may swap sides: whether that makes the game even, how often they do, and which first moves are even."""

from __future__ import annotations

from workbench.language import sentences, tr, verbatim
from workbench.report.labels import pairing_text
from workbench.report.model import Paragraph, Part, Section, Table, TableCell, numeric_cell
from workbench.report.names import BALANCES, Names
from workbench.report.numbers import format_amount, format_interval, format_percent, format_share
from workbench.report.sections.rows import Record, cell_headings, pairing_rows, rows_by_cell, score_text
from workbench.statistics import Analysis


def swaps_section(analysis: Analysis, names: Names) -> Section | None:
    """The pie rule at work; None where nobody may swap sides."""
    if analysis.swaps.empty:
        return None
    about = tr(
        "The second player may swap sides, and does where the first side looks better; so the first player makes the "
        "sides as even as they look. The result of a game is that of the players, not of the sides."
    )
    parts: list[Part] = [Paragraph(sentences([about, *_said(analysis, names)])), _swaps(analysis, names)]
    if not analysis.first_moves.empty:
        parts.append(_first_moves(analysis, names))
    return Section("swaps", tr("Swapping sides"), parts)


def _said(analysis: Analysis, names: Names) -> list[str]:
    """What comes of it between the strongest players, ruleset by ruleset."""
    cells, texts = rows_by_cell(analysis.cells), []
    for row in pairing_rows(analysis.swaps, names.strongest).to_dict("records"):
        cell = cells[str(row["ruleset"]), *names.strongest]
        told = tr(
            "Between the strongest players ({level}) sides were swapped in {share} of the games under {ruleset}, and "
            "the first player scores {score}"
        )
        told = told.format(
            level=pairing_text(names.strongest),
            share=format_percent(row["share"]),
            ruleset=names.short(str(row["ruleset"])),
            score=score_text(cell),
        )
        if row["without"]:
            told = tr("{told}; without the swap {score}").format(
                told=told,
                score=format_share(row["score_without"], row["score_without_low"], row["score_without_high"]),
            )
        texts.append(tr("{told}.").format(told=told))
    return texts


def _swaps(analysis: Analysis, names: Names) -> Table:
    cells = rows_by_cell(analysis.cells)
    rows = []
    for row in analysis.swaps.to_dict("records"):
        cell = cells[str(row["ruleset"]), str(row["first"]), str(row["second"])]
        rows.append(
            [
                *cell_headings(names, row),
                numeric_cell(format_amount(row["games"]), row["games"]),
                numeric_cell(format_share(row["share"], row["share_low"], row["share_high"]), row["share"]),
                numeric_cell(score_text(cell), cell["first_score"]),
                _score_cell(row, "score_without"),
                _score_cell(row, "side_score"),
            ]
        )
    heads = [
        TableCell(tr("ruleset")),
        TableCell(tr("players")),
        *(
            TableCell(head, kind="number")
            for head in (
                tr("games"),
                tr("sides were swapped"),
                tr("first player's score"),
                tr("without the swap"),
                tr("score of the side that moved first"),
            )
        ),
    ]
    caption = tr(
        "The first player's score with the swap, and without it where the experiment has the same rules without a "
        "swap; and what the side that moved first scores, whoever played it in the end."
    )
    return Table(caption, heads, rows)


def _first_moves(analysis: Analysis, names: Names) -> Table:
    rows = [
        [
            *cell_headings(names, row),
            TableCell(verbatim(row["move"])),
            numeric_cell(format_amount(row["games"]), row["games"]),
            numeric_cell(format_share(row["share"], row["share_low"], row["share_high"]), row["share"]),
            numeric_cell(format_percent(row["swapped"]), row["swapped"]),
            _score_cell(row, "score"),
            TableCell(verbatim(format_interval(row["simultaneous_low"], row["simultaneous_high"])), kind="number"),
            TableCell(BALANCES[row["status"]]),
        ]
        for row in analysis.first_moves.to_dict("records")
    ]
    heads = [
        TableCell(tr("ruleset")),
        TableCell(tr("players")),
        TableCell(tr("first move")),
        *(
            TableCell(head, kind="number")
            for head in (
                tr("games"),
                tr("share"),
                tr("sides were swapped"),
                tr("score of the side that moved first"),
                tr("interval, all moves at once"),
            )
        ),
        TableCell(tr("who is ahead")),
    ]
    caption = tr(
        "The first moves that players chose, and what the side scores that made them, whoever played it afterwards. "
        "A move is balanced if the interval that holds for all moves at once lies in the target."
    )
    return Table(caption, heads, rows, folded=len(rows) > 30)


def _score_cell(row: Record, name: str) -> TableCell:
    return numeric_cell(format_share(row[name], row[f"{name}_low"], row[f"{name}_high"]), row[name])
