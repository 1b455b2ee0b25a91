"""Moves by the squares that one touches to make them, for boards played on with mouse, finger or arrow keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from workbench import games
from workbench.engine.contract import SWAP
from workbench.games.game_state import GameState
from workbench.language import looked_up, tr

Cell = tuple[int, int]
"""Row and column of the board as it is drawn."""
_SQUARE = re.compile(r"([a-z])([0-9]+)")
_LETTERED = {"chatra": ("O", ("★", "☆")), "star": ("*", ("★", "★"))}
"""The unit of which a game writes no origin, since there is only one: how its moves begin, and its sign by seat."""


class Touch(NamedTuple):
    """A legal move as something to touch."""

    move: int
    text: str
    origin: Cell | None
    """Where it begins on the board; None if it begins elsewhere."""
    target: Cell | None
    """Where it ends; None for a move without a square, such as a pass."""
    hand: str
    """What is placed, for a move that begins in the hand; "" where only one thing could be."""


def touches(game_state: GameState) -> list[Touch]:
    """The legal moves, in the kernel's order."""
    places = {name: cell for cell, name in names(game_state).items()}
    return [_touch(game_state, move, places) for move in game_state.legal()]


def names(game_state: GameState) -> dict[Cell, str]:
    """What players call each cell of the board."""
    board = game_state.board()
    if game_state.game == "draughts":
        notation = game_state.notation
        named = notation.names(game_state.rules)
        return {
            (y, x): named[bit]
            for y, row in enumerate(notation.cells(game_state.rules))
            for x, bit in enumerate(row)
            if bit in named
        }
    return {(y, x): f"{column}{row}" for y, row in enumerate(board.rows) for x, column in enumerate(board.columns)}


def attempt(game_state: GameState, origin: Cell | None, target: Cell, hand: str = "") -> str:
    """What one would type for touching a square, or two, whether or not the rules allow it."""
    name = names(game_state)
    if target not in name or (origin is not None and origin not in name):
        return "?"
    if origin is None:
        return f"{hand}{name[target]}"
    if origin == _lettered_at(game_state):
        return f"{_LETTERED[game_state.game][0]}{name[target]}"
    return f"{name[origin]}{'' if game_state.game == 'chess' else '-'}{name[target]}"


def touch_of(game_state: GameState, move: int) -> Touch:
    """A legal move as something to touch."""
    return _touch(game_state, move, {name: cell for cell, name in names(game_state).items()})


def _touch(game_state: GameState, move: int, places: dict[str, Cell]) -> Touch:
    text = game_state.format(move)
    if move == SWAP:
        return Touch(move, text, None, None, "")
    written = _full(game_state, move, text)
    squares = _squares(game_state.game, written, places)
    if not squares:
        return Touch(move, text, None, None, "")
    if len(squares) > 1:
        return Touch(move, text, squares[0], squares[-1], "")
    before = _SQUARE.split(written.partition(":")[0])[0]
    standing = _lettered_at(game_state) if before and before == _LETTERED.get(game_state.game, ("",))[0] else None
    return Touch(move, text, standing, squares[0], "" if standing else before)


def _lettered_at(game_state: GameState) -> Cell | None:
    """Where the mover's unit stands that is written by a letter; None if it is not on the board yet."""
    if game_state.game not in _LETTERED:
        return None
    sign = _LETTERED[game_state.game][1][game_state.side]
    rows = enumerate(game_state.board().cells)
    return next(((y, x) for y, row in rows for x, each in enumerate(row) if each == sign), None)


def _full(game_state: GameState, move: int, text: str) -> str:
    """A move with both of its squares."""
    if game_state.game == "chess":
        return str(game_state.notation.uci(game_state.rules, game_state.state, move))
    return text


def _squares(game: str, written: str, places: dict[str, Cell]) -> list[Cell]:
    body = written.partition(":")[0]
    parts = re.split("[-x]", body) if game == "draughts" else ["".join(found) for found in _SQUARE.findall(body)]
    return [places[part] for part in parts if part in places]


SIGNS: Mapping[str, tuple[str, str]] = {
    "chatra": ("●★", "○☆"),
    "chess": ("♙♘♗♖♕♔", "♟♞♝♜♛♚"),
    "draughts": ("○◎☆", "●◉★"),
    "star": ("○", "●"),
}
"""By family the signs of each side, as its declaration lists the units."""
COLOURS = (tr("White"), tr("Black"))
"""The sides of draughts, where rules say which of them begins."""


def piece_title(game: str, sign: str) -> str:
    """A piece such as "White pawn" by its sign, which has an apostrophe where the board says whose it is.

    What stands for nobody and has no other name is called by its sign, and nothing by nothing.
    """
    family = games.declaration(game)
    if not sign:
        return ""
    for seat, signs in enumerate(SIGNS.get(game, ())):
        if sign in signs:
            unit = family.units[signs.index(sign)]
            side = COLOURS[seat] if game == "draughts" else family.seats[seat]
            return tr("{side} {piece}", side=side, piece=unit.title or looked_up(unit.name))
    if game == "rengo":
        return tr("{side} {piece}", side=family.seats[sign.endswith("'")], piece=sign.removesuffix("'"))
    return tr("star") if (game, sign) == ("star", "★") else sign
