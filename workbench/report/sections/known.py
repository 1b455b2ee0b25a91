"""What is known of best play, beside what the players scored."""

from __future__ import annotations

import math

import pandas as pd

from workbench.games.results import SCORES
from workbench.language.text import Text, joined
from workbench.report.known_values import SOLVED_BY
from workbench.report.labels import pairing_text
from workbench.report.model import Bullets, Paragraph, Part, Section, Table, TableCell, numeric
from workbench.report.names import BALANCES, Names
from workbench.report.numbers import percent
from workbench.report.sections.lookup import ByCell, Record, by_cell
from workbench.report.sections.rows import score_text, without_empty_columns
from workbench.statistics import Analysis

BEST_PLAY = {
    "first": Text("the first player wins", "先手の勝ち"),
    "second": Text("the second player wins", "後手の勝ち"),
    "draw": Text("a draw", "引き分け"),
}
AGREEMENTS = {
    "yes": (Text("yes", "はい"), "verdict good"),
    "no": (Text("no", "いいえ"), "verdict bad"),
    "": (Text("undecided", "未判定"), "verdict open"),
}


def known(table: pd.DataFrame, analysis: Analysis, names: Names) -> Section | None:
    """What is known of best play under the rulesets, as `report.known_values` has it; nothing where nothing is."""
    if table.empty:
        return None
    cells = table.to_dict("records")
    caption = Text(
        "Best play beside what the players of this experiment scored. Like best play: the side that wins with best "
        "play is ahead, or, where that is a draw, the score is balanced. Players who are not perfect may lean the "
        "other way: then what they score is not the value of the game.",
        "最善の結果と、この実験のプレイヤーの成績。「最善と同じか」は、最善で勝つ側が有利か、最善で引き分けなら互角かを示す。"
        "完全でないプレイヤーの成績は逆に傾くことがあり、そのとき成績はゲームの真の値を表していない。",
    )
    heads = [
        TableCell(Text("ruleset", "ルール")),
        TableCell(Text("best play", "最善")),
        TableCell(Text("solved here", "このツールでの解析")),
        TableCell(Text("players", "プレイヤー")),
        TableCell(Text("first player's score", "先手の得点率"), kind="number"),
        TableCell(Text("draws", "引き分け"), kind="number"),
        TableCell(Text("who is ahead", "有利な側")),
        TableCell(Text("like best play?", "最善と同じか")),
        TableCell(Text("began with a winning move", "勝つ初手の割合"), kind="number"),
        TableCell(Text("began with a losing move", "負ける初手の割合"), kind="number"),
    ]
    of_cells = by_cell(analysis.cells)
    of_rulesets = table.drop_duplicates("ruleset").to_dict("records")
    told = [row for row in of_rulesets if not str(row["source"]).startswith(SOLVED_BY)]
    parts: list[Part] = [
        *([Bullets([_statement(row, names) for row in told])] if told else []),
        *([_beside_random_play(table, of_cells, names)] if any(row["solved"] for row in of_rulesets) else []),
        Table(caption, *without_empty_columns(heads, [_row(row, of_cells, names) for row in cells])),
    ]
    for row in of_rulesets:
        if row["solved"] in ("", row["best_play"]):
            continue
        text = Text(
            "Of {ruleset} the source says: {said}. Solved here: {solved}. One of them is wrong.",
            "{ruleset}について出典は「{said}」とするが、このツールの解析では「{solved}」。どちらかが誤っている。",
        )
        said, solved = BEST_PLAY[row["best_play"]], BEST_PLAY[row["solved"]]
        parts.append(
            Paragraph(text.format(ruleset=names.short(str(row["ruleset"])), said=said, solved=solved), "warning")
        )
    return Section("known", Text("What is known of best play", "最善について知られていること"), parts)


def _beside_random_play(table: pd.DataFrame, of_cells: ByCell, names: Names) -> Table:
    """Of each solved ruleset what best play and random play come to, and what the players of each mirror scored."""
    mirrors = [pair for pair in names.plan.pairings if pair[0] == pair[1]]
    heads = [
        TableCell(Text("ruleset", "ルール")),
        TableCell(Text("best play", "最善")),
        TableCell(Text("plies of best play", "最善の手数"), kind="number"),
        TableCell(Text("score with best play", "最善での先手の得点率"), kind="number"),
        TableCell(Text("score in random play, exact", "乱数対局での得点率（厳密値）"), kind="number"),
        *(TableCell(pairing_text(pair), kind="number") for pair in mirrors),
    ]
    rows = []
    for row in table[table["solved"] != ""].drop_duplicates("ruleset").to_dict("records"):
        best = SCORES[row["solved"]]
        scores = [of_cells.get((str(row["ruleset"]), *pair)) for pair in mirrors]
        rows.append(
            [
                names.cell(str(row["ruleset"])),
                TableCell(BEST_PLAY[row["solved"]]),
                _plies(row["best_plies"]),
                numeric(percent(best), best),
                _share(row["random_score"]),
                *(numeric(score_text(cell), cell["first_score"]) if cell else TableCell() for cell in scores),
            ]
        )
    caption = Text(
        "Solved rulesets: who wins with best play and in how many plies (the winner hurries, the loser delays), and "
        "the first player's score with best play, in random play, and of the players of this experiment.",
        "完全解析したルール：最善で勝つ側と手数（勝つ側は最短、負ける側は最長）、先手の得点率（最善・乱数対局・この実験の"
        "プレイヤー）。",
    )
    return Table(caption, *without_empty_columns(heads, rows))


def _plies(value: float | None) -> TableCell:
    return TableCell() if value is None or math.isnan(value) else numeric(f"{value:.0f}", value)


def _row(row: Record, of_cells: ByCell, names: Names) -> list[TableCell]:
    pair = (str(row["first"]), str(row["second"]))
    cell = of_cells[str(row["ruleset"]), *pair]
    words, kind = AGREEMENTS[row["agrees"]]
    return [
        names.cell(str(row["ruleset"])),
        TableCell(BEST_PLAY[row["best_play"]]),
        TableCell(BEST_PLAY[row["solved"]]) if row["solved"] else TableCell(),
        TableCell(pairing_text(pair), sort=float(names.series(pair))),
        numeric(score_text(cell), cell["first_score"]),
        numeric(percent(cell["draw_rate"]), cell["draw_rate"]),
        TableCell(BALANCES[cell["balance"]]),
        TableCell(words, kind=kind),
        _share(row["wins"]),
        _share(row["loses"]),
    ]


def _statement(row: Record, names: Names) -> Text:
    """What is known of a ruleset, and who says so."""
    said = [BEST_PLAY[row["best_play"]]]
    for moves, text in (
        (row["winning_moves"], Text("first moves that win: {moves}", "勝つ初手は{moves}")),
        (row["losing_moves"], Text("first moves that lose: {moves}", "負ける初手は{moves}")),
    ):
        if moves:
            said.append(text.format(moves=joined(str(moves).split())))
    return Text("{ruleset}: {said} ({source}).", "{ruleset}：{said}（{source}）。").format(
        ruleset=names.short(str(row["ruleset"])), said=Text("; ", "。").join(said), source=row["source"]
    )


def _share(value: float | None) -> TableCell:
    """The share of the games that began with one of some moves; nothing where no such moves are known."""
    if value is None or math.isnan(value):
        return TableCell()
    return numeric(percent(value), value)
