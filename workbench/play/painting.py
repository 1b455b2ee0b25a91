"""Positions that are set up by painting pieces on a board, and the text that says the same.

A cell of a painted board holds what `Board` draws there, the second player's units of one sign with an apostrophe.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.games.declaration import Board
from workbench.games.game_state import GameState
from workbench.games.results import SEATS
from workbench.play.touch import Cell, names

_LETTERS = dict(zip("♙♘♗♖♕♔♟♞♝♜♛♚", "PNBRQKpnbrqk", strict=True))
Cells = tuple[tuple[str, ...], ...]
_CHIEFS = {"chatra": ("★", "☆"), "chess": ("♔", "♚")}
"""The unit of each seat that the game is about."""
_CASTLING = {"K": (7, 4, 7, "♔♖"), "Q": (7, 4, 0, "♔♖"), "k": (0, 4, 7, "♚♜"), "q": (0, 4, 0, "♚♜")}
"""For each right the row, the king's column and the rook's as they are drawn, and their signs."""


@dataclass(frozen=True)
class Painting:
    """A painted position."""

    game: str
    cells: Cells
    names: Mapping[Cell, str]
    """What players call the cells that pieces may stand on."""
    side: int
    """Who moves next: the colour, in chess, whoever chooses."""
    setup: Mapping[str, Any]
    """What else is said of the position, as the family's ``notation.set_up`` reads it."""

    @classmethod
    def of(cls, game_state: GameState) -> Painting:
        """The position of a game."""
        rules, state, notation = game_state.rules, game_state.state, game_state.notation
        game = game_state.game
        cells = tuple(
            tuple(f"{sign}'" if owner == 1 else sign for sign, owner in row) for row in game_state.board().pieces()
        )
        side = game_state.side
        setup: dict[str, Any] = {}
        if game == "chess":
            setup = dict(notation.position(rules, state))
            side = "wb".index(setup["fen"].split()[1])
        elif game == "draughts":
            setup = {"colours": notation.colours(rules)}
        elif game == "chatra":
            setup = _chatra(rules, state)
        elif game == "rengo":
            setup = _rengo(state)
        return cls(game, cells, names(game_state), side, setup)

    def painted(self, cell: Cell, sign: str) -> Painting:
        """The position with a piece on a cell, or with nothing on it."""
        if cell not in self.names:
            return self
        y, x = cell
        rows = [list(row) for row in self.cells]
        rows[y][x] = sign
        return dataclasses.replace(self, cells=tuple(map(tuple, rows)))

    def empty(self) -> Painting:
        """The position without any piece."""
        return dataclasses.replace(self, cells=tuple(("",) * len(row) for row in self.cells))

    def board(self, like: Board) -> Board:
        """The position to be drawn, on the board of another one."""
        return dataclasses.replace(
            like,
            cells=tuple(tuple(sign.removesuffix("'") for sign in row) for row in self.cells),
            owners=tuple(tuple(int(sign.endswith("'")) if sign else -1 for sign in row) for row in self.cells)
            if like.owners
            else (),
            notes=(),
        )

    def text(self) -> str:
        """The position as one types it."""
        return _WRITERS.get(self.game, _rows_text)(self)


def palette(game_state: GameState) -> list[tuple[str, int]]:
    """The pieces that may be painted, each with the seat that it belongs to; -1 for what belongs to neither.

    A family that nothing more is known of names the signs of its pieces in turn, as ``notation.SYMBOLS``.
    """
    notation, rules = game_state.notation, game_state.rules
    if game_state.game == "chess":
        return [(sign, place // 6) for place, sign in enumerate(notation.SYMBOLS)]
    if game_state.game == "draughts":
        kinds = 3 if rules.royal else 2
        colours = notation.colours(rules)
        return [(sign, seat) for seat, colour in enumerate(colours) for sign in notation.SYMBOLS[colour][:kinds]]
    if game_state.game == "chatra":
        return [(notation.SYMBOLS[place], place % 2) for place in (0, 2, 1, 3)]
    if game_state.game == "star":
        return [*((sign, seat) for seat, sign in enumerate(notation.SYMBOLS)), ("★", -1)]
    if game_state.game == "rengo":
        letters = [str(letter) for letter in notation.u.LETTERS if letter]
        return [*((letter, 0) for letter in letters), *((f"{letter}'", 1) for letter in letters)]
    return [(sign, place % 2) for place, sign in enumerate(getattr(notation, "SYMBOLS", ()))]


def seat_pieces(game_state: GameState) -> tuple[tuple[str, int], tuple[str, int]]:
    """A piece of each seat to know it by, the chief one if there is one; with owners as `Board.pieces` has them."""
    owned, choices = bool(game_state.board().owners), palette(game_state)
    found = [next((sign.removesuffix("'") for sign, seat in choices if seat == each), "") for each in (0, 1)]
    first, second = _CHIEFS.get(game_state.game, (found[0], found[1]))
    return (first, 0 if owned else -1), (second, 1 if owned else -1)


def _chatra(rules: Any, state: Any) -> dict[str, Any]:
    from workbench.games.chatra import kernel_board as b

    setup: dict[str, Any] = {name: True for name in ("limits_ended", "checked") if state[getattr(b, name.upper())]}
    return setup | ({"hands": [int(state[b.HAND + side]) for side in (0, 1)]} if rules.subjects else {})


def _rengo(state: Any) -> dict[str, Any]:
    from workbench.games.rengo import kernel_board as b
    from workbench.games.rengo import kernel_units as u

    hands, prisoners = {}, {}
    for side, seat in enumerate(SEATS):
        held = {letter: int(state[b.HAND + u.SLOTS * side + slot]) for slot, letter in enumerate(u.HELD)}
        hands[seat] = {letter: number for letter, number in held.items() if number}
        prisoners[seat] = int(state[b.PRISONERS + side])
    setup: dict[str, Any] = {}
    if any(hands.values()):
        setup["hands"] = {seat: held for seat, held in hands.items() if held}
    if any(prisoners.values()):
        setup["prisoners"] = prisoners
    return setup


def _fen(painting: Painting) -> str:
    """FEN; castling as far as it was allowed before, and king and rook still stand on their first squares."""
    before = painting.setup["fen"].split()
    rows = []
    for row in painting.cells:
        text, gap = "", 0
        for sign in row:
            if sign:
                text += (str(gap) if gap else "") + _LETTERS[sign]
            gap = 0 if sign else gap + 1
        rows.append(text + (str(gap) if gap else ""))
    castling = "".join(
        right
        for right, (y, king, rook, signs) in _CASTLING.items()
        if right in before[2] and (painting.cells[y][king], painting.cells[y][rook]) == tuple(signs)
    )
    place, (board, bracket, hand) = "/".join(rows), before[0].partition("[")
    same = place == board.replace("~", "") and "wb"[painting.side] == before[1]
    rest = before[3:5] if same else ["-", "0"]
    board = board if same else place
    fen = " ".join([board + bracket + hand, "wb"[painting.side], castling or "-", *rest, before[5]])
    of_place = ("run", "moved") if same and painting.setup.get("run", "1/1") != "1/1" else ()
    more = {name: painting.setup[name] for name in (*of_place, "checks") if name in painting.setup}
    return _yaml({"fen": fen, **more}) if more else fen


def _draughts_fen(painting: Painting) -> str:
    kinds = {"○": ("W", ""), "◎": ("W", "K"), "☆": ("W", "R"), "●": ("B", ""), "◉": ("B", "K"), "★": ("B", "R")}
    pieces: dict[str, list[str]] = {"W": [], "B": []}
    for (y, x), name in painting.names.items():
        if sign := painting.cells[y][x]:
            colour, kind = kinds[sign]
            pieces[colour].append(kind + name)
    turn = painting.setup["colours"][painting.side]
    return f"{turn}:W{','.join(pieces['W'])}:B{','.join(pieces['B'])}"


def _squares(painting: Painting, sign: str) -> list[str]:
    return [name for (y, x), name in painting.names.items() if painting.cells[y][x] == sign]


def _chatra_text(painting: Painting) -> str:
    setup: dict[str, Any] = {"black": _squares(painting, "●"), "white": _squares(painting, "○")}
    for key, sign in (("black_object", "★"), ("white_object", "☆")):
        # Two objects of one player are told as a square that is none.
        if squares := _squares(painting, sign):
            setup[key] = " ".join(squares)
    return _yaml({**setup, "to_move": SEATS[painting.side], **painting.setup})


def _star_text(painting: Painting) -> str:
    board = "/".join("".join(sign or "□" for sign in row) for row in painting.cells)
    return board if painting.side == 0 else _yaml({"board": board, "to_move": SEATS[painting.side]})


def _rows_text(painting: Painting) -> str:
    board = "/".join("".join(sign or "." for sign in row) for row in painting.cells)
    return _yaml({"board": board, "to_move": SEATS[painting.side], **painting.setup})


_WRITERS: Mapping[str, Callable[[Painting], str]] = {
    "chess": _fen,
    "draughts": _draughts_fen,
    "chatra": _chatra_text,
    "star": _star_text,
}


def _yaml(content: Mapping[str, Any]) -> str:
    """YAML in braces, on one line."""
    return f"{{{', '.join(f'{key}: {_value(value)}' for key, value in content.items())}}}"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return _yaml(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value.isalnum() and not value.isdigit():
        return value
    return json.dumps(value, ensure_ascii=False)
