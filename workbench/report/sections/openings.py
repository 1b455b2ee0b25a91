"""The variety of openings, how many are balanced, and the commonest lines."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from workbench.language import listed, sentences, tr, verbatim
from workbench.report.labels import pairing_text
from workbench.report.marks import Dot, Interval, Panel, Row, fit_scale
from workbench.report.model import Chart, Paragraph, Part, Section, Table, TableCell, numeric_cell
from workbench.report.names import BALANCES, Names, Pairing
from workbench.report.numbers import format_amount, format_kinds, format_percent, format_share
from workbench.report.sections.rows import (
    cell_row,
    extreme_rows,
    pairing_line,
    pairing_rows,
    pairing_series,
    rows_by_cell,
    ruleset_row,
)
from workbench.statistics import Analysis


def openings_section(analysis: Analysis, names: Names) -> Section | None:
    """How many openings there are, and how many of them are balanced."""
    if analysis.openings.empty:
        return None
    title = tr("Openings")
    chosen = analysis.openings[analysis.openings["shown"].astype(bool)]
    pairings = [pair for pair in names.plan.pairings if not pairing_rows(chosen, pair).empty]
    hidden = [
        pair for pair in names.plan.pairings if pair not in pairings and not pairing_rows(analysis.openings, pair).empty
    ]
    if chosen.empty:
        return Section("openings", title, [Paragraph(_uncounted_sentence(hidden))])
    by_cell = rows_by_cell(chosen)
    rows: list[Row] = []
    values: list[float] = []
    for ruleset in names.rulesets:
        lines = []
        for pair in pairings:
            record = by_cell.get((ruleset, *pair))
            if record is None:
                continue
            value, low, high = (_log(record[f"effective{end}"]) for end in ("", "_low", "_high"))
            text = verbatim(format_kinds(record["effective"]))
            lines.append(pairing_line(names, pair, text, Interval(low, high), Dot(value)))
            values += [low, high]
        rows.append(ruleset_row(names, ruleset, lines))
    scale = fit_scale(values, lambda power: f"{2**power:.0f}", whole=True)
    best = pairing_rows(chosen, names.strongest)
    sense = []
    if len(best):
        fewest, most = extreme_rows(best, "effective")
        sense.append(
            tr(
                "Between the strongest players ({level}), from an estimated {low} different openings "
                "({least}) to {high} ({most}), those that these games did not show included."
            ).format(
                level=pairing_text(names.strongest),
                low=format_kinds(fewest["effective"]),
                high=format_kinds(most["effective"]),
                least=names.short(str(fewest["ruleset"])),
                most=names.short(str(most["ruleset"])),
            )
        )
    sense.append(
        tr(
            "Effective number of openings up to {ply}, the deepest at which nine of ten games open "
            "in a way that was seen before: as many equally frequent ones would be as varied. It is "
            "an estimate for any number of games, and so may exceed the number of those seen in "
            "these games (table below). Doubling scale, 95 % intervals."
        ).format(ply=_plies_sentence(chosen, pairings))
    )
    if hidden:
        sense.append(_uncounted_sentence(hidden))
    chart = Chart(
        "chart-openings",
        Panel(scale, tuple(rows)),
        sentences(sense),
        pairing_series(names, pairings),
        "openings",
        tr("Different openings"),
    )
    parts: list[Part] = [chart, _opening_counts(chosen, names), *_opening_lines(analysis, names, best)]
    return Section("openings", title, parts)


def _uncounted_sentence(pairings: Sequence[Pairing]) -> str:
    """For whom no number of openings is given, and why."""
    return tr(
        "Not counted between {players}: too many openings are new, even after one ply, to say "
        "how many there are. More games would tell."
    ).format(players=listed([pairing_text(pair) for pair in pairings]))


def _plies_sentence(chosen: pd.DataFrame, pairings: Sequence[Pairing]) -> str:
    """How many plies an opening has: for each pair of players as many as leave 9 of 10 games in openings seen."""
    plies = {pair: int(pairing_rows(chosen, pair)["ply"].iloc[0]) for pair in pairings}
    if len(set(plies.values())) == 1:
        return tr("ply {ply}").format(ply=str(plies[pairings[0]]))
    each = [tr("ply {ply} ({level})").format(ply=str(ply), level=pairing_text(pair)) for pair, ply in plies.items()]
    return listed(each)


def _log(value: float) -> float:
    return math.log2(value) if value > 0 else math.nan


def _opening_counts(chosen: pd.DataFrame, names: Names) -> Table:
    """How many of the common openings are balanced, for the strongest players."""
    rows = []
    for ruleset in names.rulesets:
        row = cell_row(chosen, ruleset, names.strongest)
        if row is None:
            continue
        counts = [row[name] for name in ("different", "common", "balanced", "lopsided", "undecided")]
        rows.append([names.ruleset_cell(ruleset), *(numeric_cell(format_amount(count), count) for count in counts)])
    heads = [TableCell(tr("ruleset"))]
    heads += [
        TableCell(head, kind="number")
        for head in (
            tr("openings seen in these games"),
            tr("common enough to judge"),
            tr("balanced"),
            tr("lopsided"),
            tr("undecided"),
        )
    ]
    caption = tr(
        "Openings between the strongest players ({level}): balanced if the whole interval of the "
        "opening's own score lies in the target, lopsided if all of it lies outside."
    )
    return Table(caption.format(level=pairing_text(names.strongest)), heads, rows)


def _opening_lines(analysis: Analysis, names: Names, best: pd.DataFrame) -> list[Part]:
    lines = analysis.opening_lines
    if lines.empty or best.empty:
        return []
    ply = int(best["ply"].iloc[0])
    lines = pairing_rows(lines[lines["ply"] == ply], names.strongest)
    rows = [
        [
            TableCell(verbatim(names.short(str(line["ruleset"]))), sort=float(names.rulesets.index(line["ruleset"]))),
            TableCell(verbatim(line["opening"])),
            numeric_cell(format_amount(line["games"]), line["games"]),
            numeric_cell(format_percent(line["share"]), line["share"]),
            numeric_cell(format_share(line["score"], line["score_low"], line["score_high"]), line["score"]),
            TableCell(BALANCES[line["status"]]),
        ]
        for line in lines.to_dict("records")
    ]
    heads = [
        TableCell(tr("ruleset")),
        TableCell(tr("opening")),
        TableCell(tr("games"), kind="number"),
        TableCell(tr("share"), kind="number"),
        TableCell(tr("first player's score"), kind="number"),
        TableCell(tr("who is ahead")),
    ]
    caption = tr("The commonest openings of each ruleset.")
    return [Table(caption, heads, rows, folded=True)] if rows else []
