"""What players choose for themselves: matrices with their equilibria, and where objects were placed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from workbench.games.game_state import GameState
from workbench.language import listed, sentences, tr, verbatim
from workbench.report.labels import format_percent, format_share, pairing_text
from workbench.report.marks import Heat, HeatCell
from workbench.report.model import Diagram, HeatMap, Paragraph, Part, Section, SmallMultiples
from workbench.report.names import Names
from workbench.report.sections.rows import extreme_rows, pairing_rows
from workbench.statistics import Analysis
from workbench.statistics.styles import STYLE

CHOICE = ["ruleset", "choice", "agents"]
"""The columns that tell one matrix of choices from another."""


def game_of_choice(matrix: pd.DataFrame, names: Names) -> tuple[str, str]:
    """What a matrix is about, its ruleset or board, and what is chosen there."""
    ruleset, code, agents = (str(matrix[column].iloc[0]) for column in CHOICE)
    name = verbatim(names.short(ruleset)) if code == STYLE else names.name_without_choices(ruleset)
    if agents:
        name = tr("{name} ({agents})", name=name, agents=agents)
    return name, names.choice_name(code)


def game_value_sentence(balance: pd.DataFrame, names: Names) -> str:
    """What a game of free choice is worth to the first player, and what both choose; from rows of `equilibria`."""
    name, choice = game_of_choice(balance, names)
    first, second = names.seat_names(str(balance["ruleset"].iloc[0]))
    top = balance.iloc[0]
    played = {}
    for seat in ("first", "second"):
        of_seat = balance[(balance["seat"] == seat) & (balance["share"] > 0.005)].sort_values("share", ascending=False)
        played[seat] = listed(
            [f"{row['option']} {format_percent(row['share'], 0)}" for row in of_seat.to_dict("records")]
        )
    text = tr(
        "If both choose their {choice} freely, {name} is worth {value} to the first player: "
        "{first} plays {first_plays}; {second} plays {second_plays}."
    )
    return text.format(
        name=name,
        choice=choice,
        value=format_share(top["value"], top["value_low"], top["value_high"]),
        first=first,
        second=second,
        first_plays=played["first"],
        second_plays=played["second"],
    )


def ranking_sentence(balance: pd.DataFrame, names: Names) -> str:
    """The options from the strongest to the weakest, by their mean score in both seats."""
    name, choice = game_of_choice(balance, names)
    means = balance.groupby("option", sort=False)["mean_score"].mean().sort_values(ascending=False, kind="stable")
    text = tr("{name}: mean score of each {choice} against all, in both seats: {each}.")
    each = listed([f"{option} {format_percent(mean, 0)}" for option, mean in means.items()])
    return text.format(name=name, choice=choice, each=each)


MOST_BOARDS = 6
"""Rulesets whose boards with placements are drawn."""
SHADES = 8


def styles_section(analysis: Analysis, names: Names) -> Section | None:
    """The matrices of what players choose for themselves with their equilibria, and where objects were placed."""
    parts: list[Part] = []
    chosen: list[str] = []
    for what, matrix in analysis.matrices.groupby(CHOICE, sort=False):
        equilibria = analysis.equilibria[(analysis.equilibria[CHOICE] == list(what)).all(axis=1)]
        parts += _matrix_parts(matrix, equilibria, names, len(chosen) + 1)
        chosen.append(names.choice_name(str(matrix["choice"].iloc[0])))
    parts += _placement_parts(analysis, names)
    if not parts:
        return None
    title = tr("Choice of place")
    if chosen:
        title = tr("Free choice of {what}", what=listed(list(dict.fromkeys(chosen))))
    return Section("styles", title, parts)


def _matrix_parts(matrix: pd.DataFrame, balance: pd.DataFrame, names: Names, number: int) -> list[Part]:
    """A matrix, the experiment's ``number``-th, and the equilibrium of its game in a sentence."""
    name, choice = game_of_choice(matrix, names)
    rows = list(dict.fromkeys(matrix["row"]))
    columns = list(dict.fromkeys(matrix["column"]))
    cells = {(row["row"], row["column"]): row for row in matrix.to_dict("records")}
    first, second = names.seat_names(str(matrix["ruleset"].iloc[0]))
    corner = tr("{first} ↓ / {second} →", first=first, second=second)
    caption = tr(
        "{name}: score of the first player for each choice of {choice}. Blue: first player "
        "ahead; orange: second; no colour: the 95 % interval holds 50 %."
    ).format(name=name, choice=choice)
    heat = Heat(
        corner,
        tuple(rows),
        tuple(columns),
        [[_heat_cell(cells.get((row, column))) for column in columns] for row in rows],
    )
    parts: list[Part] = [HeatMap(caption, heat, name, f"matrix_{number}" if number > 1 else "matrix")]
    return [*parts, Paragraph(game_value_sentence(balance, names))] if len(balance) else parts


def _heat_cell(cell: Mapping[Any, Any] | None) -> HeatCell:
    """A score with its interval, coloured where the interval leaves out one half."""
    if cell is None:
        return HeatCell(math.nan, "–", shade=math.nan)
    score, low, high = (float(cell[name]) for name in ("score", "score_low", "score_high"))
    shade = math.nan if math.isnan(score) else 0.0 if low <= 0.5 <= high else 2 * score - 1
    return HeatCell(score, format_percent(score), f"{100 * low:.1f}–{100 * high:.1f}", shade)


def _placement_parts(analysis: Analysis, names: Names) -> list[Part]:
    """Boards with the share of games in which a landmark was placed on each cell, coloured by who scored."""
    table = pairing_rows(analysis.placements, names.strongest) if not analysis.placements.empty else analysis.placements
    diagrams: list[Diagram] = []
    for ruleset in [name for name in names.rulesets if name in set(table["ruleset"])][:MOST_BOARDS]:
        of_ruleset = table[table["ruleset"] == ruleset]
        rules = names.plan.ruleset(ruleset)
        empty = GameState(rules.game, rules.codes()).board()
        for (_, seat), cells in of_ruleset.groupby(["landmark", "seat"], sort=False):
            # Dark where it often stands, blue where the first player is ahead from there, orange where the second.
            squares = {cell["cell"]: str(cell["cells"]).split() for cell in cells.to_dict("records")}
            most = max(cell["share"] / len(squares[cell["cell"]]) for cell in cells.to_dict("records"))
            highlights: dict[str, list[tuple[int, int]]] = {}
            for cell in cells.to_dict("records"):
                images = squares[cell["cell"]]
                weight = max(1, round(SHADES * cell["share"] / len(images) / most)) if most else 0
                shown = cell["p_holm"] < 0.05
                side = "even" if not shown else "warm" if cell["score"] > 0.5 else "cold"
                highlights.setdefault(f"{side} heat-{weight}", []).extend(
                    (empty.rows.index(image[1:]), empty.columns.index(image[0])) for image in images
                )
            commonest = extreme_rows(cells, "share")[1]
            who = names.seat_names(ruleset)[str(seat) == "second"]
            title = tr("{name}, {who}", name=names.short(ruleset), who=who)
            caption = tr("Most often on {cell} ({share}); the first player then scores {score}.").format(
                cell=_place_name(squares[commonest["cell"]]),
                share=format_percent(commonest["share"]),
                score=format_share(commonest["score"], commonest["score_low"], commonest["score_high"]),
            )
            diagrams.append(Diagram(f"chart-place-{len(diagrams)}", empty, highlights, caption, title))
    if not diagrams:
        return []
    sense = tr(
        "The stronger the colour, the more often; squares that the board's turns and mirror "
        "images make of one another count together. Blue: the first player is shown to be ahead "
        "from there; orange: the second; grey: neither is (Holm, corrected for all squares of "
        "these boards). Players: {level}."
    ).format(level=pairing_text(names.strongest))
    caption = sentences([*(names.landmark_sentence(str(name)) for name in table["landmark"].unique()), sense])
    return [SmallMultiples(caption, diagrams)]


def _place_name(squares: list[str]) -> str:
    """A place: its first square, and how many others are the same from another side of the board."""
    if len(squares) == 1:
        return verbatim(squares[0])
    return tr("{cell} and its {n} images", cell=squares[0], n=str(len(squares) - 1))
