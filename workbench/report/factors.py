"""What was varied on purpose, in the players and in the rules: styles and where they place, factors and effects."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from workbench.games.game_state import GameState
from workbench.report.answers import CHOICE, at, effect_name, effects_shown, ends, game_of_choice, is_shown, worth
from workbench.report.boards import Pieces
from workbench.report.boards import svg as board_svg
from workbench.report.figures import Mark, scale, strips
from workbench.report.figures import Row as Strip
from workbench.report.model import Cell, Chart, Paragraph, Part, Section, Table
from workbench.report.names import Names, pair_words, scaling
from workbench.report.numbers import difference, number, percent, points_label, share, signed
from workbench.report.words import Words, joined, same, sentences
from workbench.statistics import Analysis

MOST_BOARDS = 6
"""Rulesets whose boards with placements are drawn."""
SHADES = 8


def styles(found: Analysis, names: Names, pieces: Pieces) -> Section | None:
    """The matrices of what players choose for themselves with their equilibria, and where objects were placed."""
    parts: list[Part] = []
    chosen = []
    for what, matrix in found.matrices.groupby(CHOICE, sort=False):
        equilibria = found.equilibria[(found.equilibria[CHOICE] == list(what)).all(axis=1)]
        parts += _matrix(matrix, equilibria, names)
        chosen.append(names.choice(str(matrix["choice"].iloc[0])))
    parts += _placements(found, names, pieces)
    if not parts:
        return None
    title = Words("Choice of place", "配置の選択")
    if chosen:
        title = Words("Free choice of {what}", "{what}の選択").format(what=joined(list(dict.fromkeys(chosen))))
    return Section("styles", title, parts)


def _matrix(matrix: pd.DataFrame, balance: pd.DataFrame, names: Names) -> list[Part]:
    """A matrix, and in words the equilibrium of its game."""
    name, choice = game_of_choice(matrix, names)
    rows_of = list(dict.fromkeys(matrix["row"]))
    columns = list(dict.fromkeys(matrix["column"]))
    cells = {(row["row"], row["column"]): row for row in matrix.to_dict("records")}
    first, second = names.seats(str(matrix["ruleset"].iloc[0]))
    table = []
    shades = []
    for row in rows_of:
        line = [cells.get((row, column)) for column in columns]
        table.append(
            [Cell(same(row))]
            + [
                Cell(
                    same(percent(cell["score"]) if cell else "–"),
                    same(f"{100 * cell['score_low']:.1f}–{100 * cell['score_high']:.1f}" if cell else ""),
                    number(cell["score"]) if cell else None,
                    "number",
                )
                for cell in line
            ]
        )
        shades.append([_shade(cell) for cell in line])
    corner = Words("{first} ↓ / {second} →", "{first}↓／{second}→").format(first=first, second=second)
    caption = Words(
        "{name}: score of the first player for each choice of {choice}. Blue: first player ahead; orange: second; no "
        "colour: the 95 % interval holds 50 %.",
        "{name}：{choice}の組み合わせごとの先手の得点率。青は先手有利、橙は後手有利、無色は95%信頼区間が50%を含む。",
    ).format(name=name, choice=choice)
    parts: list[Part] = [
        Table(caption, [Cell(corner), *(Cell(same(column)) for column in columns)], table, heat=True, shades=shades)
    ]
    return [*parts, Paragraph(worth(balance, names))] if len(balance) else parts


def _shade(cell: Mapping[Any, Any] | None) -> float:
    """How far a score is from even, -1 to 1, where its interval shows that it is; NaN without a score."""
    if cell is None or math.isnan(cell["score"]):
        return math.nan
    return 0.0 if cell["score_low"] <= 0.5 <= cell["score_high"] else float(2 * cell["score"] - 1)


def _placements(found: Analysis, names: Names, pieces: Pieces) -> list[Part]:
    """Boards with the share of games in which a landmark was placed on each cell, coloured by who scored."""
    table = at(found.placements, names.strongest) if not found.placements.empty else found.placements
    drawn: list[Part] = []
    for ruleset in [name for name in names.rulesets if name in set(table["ruleset"])][:MOST_BOARDS]:
        of_ruleset = table[table["ruleset"] == ruleset]
        rules = names.plan.ruleset(ruleset)
        empty = GameState(rules.game, tuple(rules.codes().values())).board()
        for (_, seat), cells in of_ruleset.groupby(["landmark", "seat"], sort=False):
            # Dark where it often stands, blue where the first player is ahead from there, orange where the second.
            squares = {cell["cell"]: str(cell["cells"]).split() for cell in cells.to_dict("records")}
            most = max(cell["share"] / len(squares[cell["cell"]]) for cell in cells.to_dict("records"))
            marks: dict[str, list[tuple[int, int]]] = {}
            for cell in cells.to_dict("records"):
                images = squares[cell["cell"]]
                weight = max(1, round(SHADES * cell["share"] / len(images) / most)) if most else 0
                shown = cell["p_holm"] < 0.05
                side = "even" if not shown else "warm" if cell["score"] > 0.5 else "cold"
                marks.setdefault(f"{side} heat-{weight}", []).extend(
                    (empty.rows.index(image[1:]), empty.columns.index(image[0])) for image in images
                )
            commonest = ends(cells, "share")[1]
            who = names.seats(ruleset)[str(seat) == "second"]
            title = Words("{name}, {who}", "{name}、{who}").format(name=names.short(ruleset), who=who)
            chart = f"chart-place-{len(drawn)}"
            caption = Words(
                "Most often on {cell} ({share}); the first player then scores {score}.",
                "最も多いのは{cell}（{share}）。そのときの先手の得点率は{score}。",
            ).format(
                cell=_place(squares[commonest["cell"]]),
                share=percent(commonest["share"]),
                score=share(commonest["score"], commonest["score_low"], commonest["score_high"]),
            )
            drawn.append(Chart(chart, board_svg(empty, pieces, marks, chart), caption, title=title, small=True))
    if drawn:
        sense = Words(
            "The stronger the colour, the more often; squares that the board's turns and mirror images make of one "
            "another count together. Blue: the first player is shown to be ahead from there; orange: the second; grey: "
            "neither is (Holm, corrected for all squares of these boards). Players: {level}.",
            "色が濃いほど多い。盤を回転・反転すると重なるマスはまとめて数える。青はそこから先手有利、橙は後手有利と言え"
            "るマス、灰色はどちらとも言えないマス（すべての盤のマス数について補正、ホルム法）。プレイヤー：{level}。",
        ).format(level=pair_words(names.strongest))
        drawn.insert(
            0, Paragraph(sentences([*(names.landmark(str(name)) for name in table["landmark"].unique()), sense]))
        )
    return drawn


def _place(squares: list[str]) -> Words:
    """A place: its first square, and how many others are the same from another side of the board."""
    if len(squares) == 1:
        return same(squares[0])
    return Words("{cell} and its {n} images", "{cell}（対称な{n}マスを含む）").format(
        cell=squares[0], n=str(len(squares) - 1)
    )


def effects(found: Analysis, names: Names) -> Section | None:
    """What each factor of a factorial experiment does, alone and together with another."""
    if found.effects.empty:
        return None
    parts: list[Part] = []
    chosen = at(found.effects, names.strongest)
    shown = effects_shown(found, names)
    for measure in dict.fromkeys(chosen["measure"]):
        factor = scaling(str(measure))
        rows, values = [], []
        for row in chosen[chosen["measure"] == measure].to_dict("records"):
            text = same(difference(row["effect"], math.nan, math.nan, factor))
            mark = Mark(0, row["effect"], text, row["low"], row["high"], hollow=not is_shown(row))
            rows.append(Strip(effect_name(row, names), same(""), (mark,)))
            values += [row["low"], row["high"]]
        label = points_label if factor == 100 else _plies_label
        on = scale(values, label, 0.0)
        title = names.measure(str(measure))
        nothing = Words("No effect is shown beyond chance (Holm).", "偶然と区別できる効果はない（ホルム法）。")
        unit = Words("In {unit}", "単位は{unit}").format(unit=names.unit(str(measure)))
        rest = Words(
            "{unit}, with 95 % intervals; hollow: not shown. ×: what two levels do together beyond the sum of what "
            "each does alone. Players: {level}.",
            "{unit}、95%信頼区間。白抜きは示されない効果。×は二つの変更の相乗効果（単独の和との差）。プレイヤー：{level}。",
        ).format(unit=unit, level=pair_words(names.strongest))
        chart = f"chart-effects-{measure}"
        caption = sentences([shown.get(str(measure), nothing), rest])
        picture = strips(rows, on, chart)
        parts.append(Chart(chart, picture, caption, (), f"effects_{measure}", title, strips=(rows, on)))
    return Section("effects", Words("What each factor does", "要因ごとの効果"), parts)


def _plies_label(value: float) -> str:
    return signed(value, 0).replace("±0", "0")
