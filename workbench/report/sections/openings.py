"""The variety of openings, how many are balanced, and the commonest lines."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from workbench.language.text import Text, joined, sentences, verbatim
from workbench.report.labels import pairing_text
from workbench.report.marks import Dot, Interval, Panel, Row, fit_scale
from workbench.report.model import Chart, Paragraph, Part, Section, Table, TableCell, numeric
from workbench.report.names import BALANCES, Names, Pairing
from workbench.report.numbers import amount, kinds, percent, share
from workbench.report.sections.lookup import by_cell, extremes, of_pairing, row_of
from workbench.report.sections.rows import pairing_line, ruleset_row, series_of
from workbench.statistics import Analysis


def openings(analysis: Analysis, names: Names) -> Section | None:
    """How many openings there are, and how many of them are balanced."""
    if analysis.openings.empty:
        return None
    title = Text("Openings", "序盤")
    chosen = analysis.openings[analysis.openings["shown"].astype(bool)]
    pairings = [pair for pair in names.plan.pairings if not of_pairing(chosen, pair).empty]
    hidden = [
        pair for pair in names.plan.pairings if pair not in pairings and not of_pairing(analysis.openings, pair).empty
    ]
    if chosen.empty:
        return Section("openings", title, [Paragraph(_too_new(hidden))])
    told = by_cell(chosen)
    rows: list[Row] = []
    values: list[float] = []
    for ruleset in names.rulesets:
        lines = []
        for pair in pairings:
            record = told.get((ruleset, *pair))
            if record is None:
                continue
            value, low, high = (_log(record[f"effective{end}"]) for end in ("", "_low", "_high"))
            text = verbatim(kinds(record["effective"]))
            lines.append(pairing_line(names, pair, text, Interval(low, high), Dot(value)))
            values += [low, high]
        rows.append(ruleset_row(names, ruleset, lines))
    scale = fit_scale(values, lambda power: f"{2**power:.0f}", whole=True)
    best = of_pairing(chosen, names.strongest)
    sense = []
    if len(best):
        fewest, most = extremes(best, "effective")
        sense.append(
            Text(
                "Between the strongest players ({level}), from an estimated {low} different openings ({least}) to "
                "{high} ({most}), those that these games did not show included.",
                "最も強いプレイヤー（{level}）では、実質{low}種（{least}）から{high}種（{most}）と推定される"
                "（この対局数では現れなかったものも含む推定値）。",
            ).format(
                level=pairing_text(names.strongest),
                low=kinds(fewest["effective"]),
                high=kinds(most["effective"]),
                least=names.short(str(fewest["ruleset"])),
                most=names.short(str(most["ruleset"])),
            )
        )
    sense.append(
        Text(
            "Effective number of openings up to {ply}, the deepest at which nine of ten games open in a way that was "
            "seen before: as many equally frequent ones would be as varied. It is an estimate for any number of games, "
            "and so may exceed the number of those seen in these games (table below). Doubling scale, 95 % intervals.",
            "{ply}までの実質的な序盤の種類数（同じ頻度で現れる序盤が何種あるのと同じ多様さか）。10局のうち9局の序盤が"
            "既に現れたものである、最も深い手数を選んだ。対局数によらない推定値なので、この対局で実際に現れた数"
            "（下の表）を上回ることがある。対数目盛、95%信頼区間。",
        ).format(ply=_plies(chosen, pairings))
    )
    if hidden:
        sense.append(_too_new(hidden))
    chart = Chart(
        "chart-openings",
        Panel(scale, tuple(rows)),
        sentences(sense),
        series_of(names, pairings),
        "openings",
        Text("Different openings", "序盤の種類"),
    )
    parts: list[Part] = [chart, _opening_counts(chosen, names), *_opening_lines(analysis, names, best)]
    return Section("openings", title, parts)


def _too_new(pairings: Sequence[Pairing]) -> Text:
    """For whom no number of openings is given, and why."""
    return Text(
        "Not counted between {players}: too many openings are new, even after one ply, to say how many there are. More "
        "games would tell.",
        "{players}では、1手目でさえ初めて現れるものが多すぎて、序盤の種類数を推定できない。対局を増やせば分かる。",
    ).format(players=joined([pairing_text(pair) for pair in pairings]))


def _plies(chosen: pd.DataFrame, pairings: Sequence[Pairing]) -> Text:
    """How many plies an opening has: for each pair of players as many as leave 9 of 10 games in openings seen."""
    plies = {pair: int(of_pairing(chosen, pair)["ply"].iloc[0]) for pair in pairings}
    if len(set(plies.values())) == 1:
        return Text("ply {ply}", "{ply}手目").format(ply=str(plies[pairings[0]]))
    each = [
        Text("ply {ply} ({level})", "{ply}手目（{level}）").format(ply=str(ply), level=pairing_text(pair))
        for pair, ply in plies.items()
    ]
    return joined(each)


def _log(value: float) -> float:
    return math.log2(value) if value > 0 else math.nan


def _opening_counts(chosen: pd.DataFrame, names: Names) -> Table:
    """How many of the common openings are balanced, for the strongest players."""
    rows = []
    for ruleset in names.rulesets:
        row = row_of(chosen, ruleset, names.strongest)
        if row is None:
            continue
        counts = [row[name] for name in ("different", "common", "balanced", "lopsided", "undecided")]
        rows.append([names.cell(ruleset), *(numeric(amount(count), count) for count in counts)])
    heads = [TableCell(Text("ruleset", "ルール"))]
    heads += [
        TableCell(head, kind="number")
        for head in (
            Text("openings seen in these games", "この対局で現れた序盤"),
            Text("common enough to judge", "判定できる頻度のもの"),
            Text("balanced", "互角"),
            Text("lopsided", "一方が有利"),
            Text("undecided", "未判定"),
        )
    ]
    caption = Text(
        "Openings between the strongest players ({level}): balanced if the whole interval of the opening's own score "
        "lies in the target, lopsided if all of it lies outside.",
        "最も強いプレイヤー（{level}）の序盤。その序盤の得点率の区間全体が目標の内にあれば互角、"
        "外にあれば一方が有利とする。",
    )
    return Table(caption.format(level=pairing_text(names.strongest)), heads, rows)


def _opening_lines(analysis: Analysis, names: Names, best: pd.DataFrame) -> list[Part]:
    lines = analysis.opening_lines
    if lines.empty or best.empty:
        return []
    ply = int(best["ply"].iloc[0])
    lines = of_pairing(lines[lines["ply"] == ply], names.strongest)
    rows = [
        [
            TableCell(verbatim(names.short(str(line["ruleset"]))), sort=float(names.rulesets.index(line["ruleset"]))),
            TableCell(verbatim(line["opening"])),
            numeric(amount(line["games"]), line["games"]),
            numeric(percent(line["share"]), line["share"]),
            numeric(share(line["score"], line["score_low"], line["score_high"]), line["score"]),
            TableCell(BALANCES[line["status"]]),
        ]
        for line in lines.to_dict("records")
    ]
    heads = [
        TableCell(Text("ruleset", "ルール")),
        TableCell(Text("opening", "序盤")),
        TableCell(Text("games", "対局数"), kind="number"),
        TableCell(Text("share", "割合"), kind="number"),
        TableCell(Text("first player's score", "先手の得点率"), kind="number"),
        TableCell(Text("who is ahead", "有利な側")),
    ]
    caption = Text("The commonest openings of each ruleset.", "各ルールでよく現れた序盤。")
    return [Table(caption, heads, rows, folded=True)] if rows else []
