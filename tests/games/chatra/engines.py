"""Names for rules, positions, moves and areas of Chatra in tests."""

from __future__ import annotations

import functools
from typing import Any

from tests import engines
from tests.engines import with_defaults
from tests.games.chatra import twin
from workbench.games.chatra.rules import DECLARATION
from workbench.games.declaration import Setting

RULES_2007_09: dict[str, Setting] = {"limits_end": "check"}
A: dict[str, Setting] = {"later_object": "outside-enemy-zone"}
E: dict[str, Setting] = {"object_into_centre": "after-first-check"}


rules = functools.partial(with_defaults, DECLARATION)


def position(black: str = "", white: str = "", to_move: str = "first", **more: Any) -> dict[str, Any]:
    """A setup; squares are separated by spaces, and the objects stand in far corners unless told otherwise."""
    corners = {"black_object": "a12", "white_object": "l12"}
    return corners | {"black": black.split(), "white": white.split(), "to_move": to_move} | more


def drops(moves: set[str]) -> set[str]:
    return {move for move in moves if not move.startswith("O") and "-" not in move}


def object_moves(moves: set[str]) -> set[str]:
    return {move[1:] for move in moves if move.startswith("O")}


def moves_of(square: str, moves: set[str]) -> set[str]:
    return {move.split("-")[1] for move in moves if move.startswith(square + "-")}


def block(corners: str) -> set[str]:
    """The squares of a rectangle such as "a1-d4"."""
    (left, top), (right, bottom) = (twin.cell_of(corner) for corner in corners.split("-"))
    return {twin.name((x, y)) for y in range(top, bottom + 1) for x in range(left, right + 1)}


def around(square: str) -> set[str]:
    return {twin.name(cell) for cell in twin.neighbours(12, twin.cell_of(square))}


CENTRE = block("e5-h8")
UPPER_LEFT, UPPER_CENTRE, UPPER_RIGHT = block("a1-d4"), block("e1-h4"), block("i1-l4")
LEFT, RIGHT = block("a5-d8"), block("i5-l8")
LOWER_LEFT, LOWER_CENTRE, LOWER_RIGHT = block("a9-d12"), block("e9-h12"), block("i9-l12")

engine = engines.engines("chatra")
