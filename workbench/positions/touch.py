"""Moves by the squares that one touches to make them, for boards played on with mouse, finger or arrow keys."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from workbench import games
from workbench.base.language import from_catalogue, tr
from workbench.engine.contract import SWAP
from workbench.games.declaration import Board
from workbench.games.results import SEATS
from workbench.positions.game_state import GameState

Cell = tuple[int, int]
"""Row and column of the board as it is drawn."""
_SQUARE = re.compile(r"([a-z])([0-9]+)")
_LETTERED = {"chatra": ("O", ("★", "☆")), "star": ("*", ("★", "★"))}
"""The unit whose moves are written without an origin, since there is only one: their prefix, and its sign by seat."""


class Touch(NamedTuple):
    """A legal move as something to touch."""

    move: int
    text: str
    origin: Cell | None
    """Where it begins on the board; None if it begins elsewhere."""
    target: Cell | None
    """Where it ends; None for a move without a square, such as a pass."""
    hand: str
    """The piece that is placed, for a move that begins in the hand; "" where only one could be."""


def touches(game_state: GameState) -> list[Touch]:
    """Return the legal moves, in the kernel's order."""
    places = {name: cell for cell, name in names(game_state).items()}
    return [_touch(game_state, move, places) for move in game_state.legal()]


def names(game_state: GameState) -> dict[Cell, str]:
    """Return the names of the cells of the board."""
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
    """Return the text that one would type for touching a square, or two, whether or not the rules allow it."""
    name = names(game_state)
    if target not in name or (origin is not None and origin not in name):
        return "?"
    if origin is None:
        return f"{hand}{name[target]}"
    if origin == _lettered_at(game_state):
        return f"{_LETTERED[game_state.game][0]}{name[target]}"
    return f"{name[origin]}{'' if game_state.game == 'chess' else '-'}{name[target]}"


def touch_of(game_state: GameState, move: int) -> Touch:
    """Return a legal move as something to touch."""
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
    """Return a move with both of its squares."""
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
    """Return a piece such as "White pawn" by its sign, which has an apostrophe where the board says whose it is.

    What stands for nobody and has no other name is called by its sign, and nothing by nothing.
    """
    family = games.declaration(game)
    if not sign:
        return ""
    for seat, signs in enumerate(SIGNS.get(game, ())):
        if sign in signs:
            unit = family.units[signs.index(sign)]
            side = COLOURS[seat] if game == "draughts" else family.seats[seat]
            return tr("{side} {piece}", side=side, piece=unit.title or from_catalogue(unit.name))
    if game == "rengo":
        return tr("{side} {piece}", side=family.seats[sign.endswith("'")], piece=sign.removesuffix("'"))
    return tr("star") if (game, sign) == ("star", "★") else sign


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
    """The names of the cells that pieces may stand on."""
    side: int
    """The side that moves next: the colour, in chess, whichever player chooses."""
    setup: Mapping[str, Any]
    """The rest of the position, as the family's ``notation.set_up`` reads it."""

    @classmethod
    def of(cls, game_state: GameState) -> Painting:
        """Return the position of a game."""
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
        """Return the position with a piece on a cell, or with nothing on it."""
        if cell not in self.names:
            return self
        y, x = cell
        rows = [list(row) for row in self.cells]
        rows[y][x] = sign
        return dataclasses.replace(self, cells=tuple(map(tuple, rows)))

    def empty(self) -> Painting:
        """Return the position without any piece."""
        return dataclasses.replace(self, cells=tuple(("",) * len(row) for row in self.cells))

    def board(self, like: Board) -> Board:
        """Return the position to be drawn, on the board of another one."""
        return dataclasses.replace(
            like,
            cells=tuple(tuple(sign.removesuffix("'") for sign in row) for row in self.cells),
            owners=tuple(tuple(int(sign.endswith("'")) if sign else -1 for sign in row) for row in self.cells)
            if like.owners
            else (),
            notes=(),
        )

    def text(self) -> str:
        """Return the position as one types it."""
        return _WRITERS.get(self.game, _rows_text)(self)


def palette(game_state: GameState) -> list[tuple[str, int]]:
    """Return the pieces that may be painted, each with the seat that it belongs to; -1 for what belongs to neither.

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

    hands, prisoners = {}, {}
    for side, seat in enumerate(SEATS):
        held = {letter: int(state[b.HAND + b.SLOTS * side + slot]) for slot, letter in enumerate(b.HELD)}
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


def _painted_squares(painting: Painting, sign: str) -> list[str]:
    return [name for (y, x), name in painting.names.items() if painting.cells[y][x] == sign]


def _chatra_text(painting: Painting) -> str:
    setup: dict[str, Any] = {"black": _painted_squares(painting, "●"), "white": _painted_squares(painting, "○")}
    for key, sign in (("black_object", "★"), ("white_object", "☆")):
        # Two objects of one player are told as a square that is none.
        if squares := _painted_squares(painting, sign):
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
