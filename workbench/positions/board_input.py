"""Moves and positions entered on a board with mouse, finger or arrow keys, and the equivalent typed text."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from workbench import games
from workbench.base.keys import yaml_flow
from workbench.base.language import from_catalogue, tr
from workbench.engine.contract import SWAP
from workbench.games.declaration import Board
from workbench.games.results import SEATS
from workbench.positions.game_state import GameState

Cell = tuple[int, int]
"""Row and column of the board as it is drawn."""
_SQUARE = re.compile(r"([a-z])([0-9]+)")
_LETTERED = {"chatra": ("O", ("★", "☆")), "star": ("*", ("★", "★"))}
"""The unit whose moves are written without an origin, since a side has only one: its prefix, and its sign by seat."""


class InputMove(NamedTuple):
    """A legal move with the squares to select."""

    move: int
    text: str
    origin: Cell | None = None
    """The starting square; None if the move starts off the board."""
    target: Cell | None = None
    """The final square; None for a move without a square, such as a pass."""
    hand: str = ""
    """The piece dropped from the hand; "" if there is no choice."""


def input_moves(game_state: GameState) -> list[InputMove]:
    """Return the legal moves in the kernel's order, each with the squares to select."""
    cells = {name: cell for cell, name in cell_names(game_state).items()}
    return [_input_move(game_state, move, cells) for move in game_state.legal()]


def input_move(game_state: GameState, move: int) -> InputMove:
    """Return a legal move with the squares to select."""
    return _input_move(game_state, move, {name: cell for cell, name in cell_names(game_state).items()})


def _input_move(game_state: GameState, move: int, cells: dict[str, Cell]) -> InputMove:
    game, text = game_state.game, game_state.format(move)
    if move == SWAP:
        return InputMove(move, text)
    written = game_state.notation.uci(game_state.rules, game_state.state, move) if game == "chess" else text
    body = str(written).partition(":")[0]
    parts = re.split("[-x]", body) if game == "draughts" else ["".join(square) for square in _SQUARE.findall(body)]
    squares = [cells[part] for part in parts if part in cells]
    if not squares:
        return InputMove(move, text)
    if len(squares) > 1:
        return InputMove(move, text, squares[0], squares[-1])
    prefix = _SQUARE.split(body)[0]
    origin = _lettered_unit_cell(game_state) if prefix and prefix == _LETTERED.get(game, ("",))[0] else None
    return InputMove(move, text, origin, squares[0], "" if origin else prefix)


def cell_names(game_state: GameState) -> dict[Cell, str]:
    """Return the names of the board's cells."""
    if game_state.game == "draughts":
        square_names = game_state.notation.names(game_state.rules)
        rows = enumerate(game_state.notation.cells(game_state.rules))
        return {(y, x): square_names[bit] for y, row in rows for x, bit in enumerate(row) if bit in square_names}
    board = game_state.board()
    return {(y, x): f"{column}{row}" for y, row in enumerate(board.rows) for x, column in enumerate(board.columns)}


def typed_text(game_state: GameState, origin: Cell | None, target: Cell, hand: str = "") -> str:
    """Return the text that one would type for one or two selected squares, even if the move is illegal."""
    names = cell_names(game_state)
    if target not in names or (origin is not None and origin not in names):
        return "?"
    if origin is None:
        return f"{hand}{names[target]}"
    if origin == _lettered_unit_cell(game_state):
        return f"{_LETTERED[game_state.game][0]}{names[target]}"
    return f"{names[origin]}{'' if game_state.game == 'chess' else '-'}{names[target]}"


def _lettered_unit_cell(game_state: GameState) -> Cell | None:
    """Return the cell of the mover's unit that is written as a letter; None if it is off the board."""
    if game_state.game not in _LETTERED:
        return None
    sign = _LETTERED[game_state.game][1][game_state.side]
    rows = enumerate(game_state.board().cells)
    return next(((y, x) for y, row in rows for x, symbol in enumerate(row) if symbol == sign), None)


SIGNS: Mapping[str, tuple[str, str]] = {
    "chatra": ("●★", "○☆"),
    "chess": ("♙♘♗♖♕♔", "♟♞♝♜♛♚"),
    "draughts": ("○◎☆", "●◉★"),
    "star": ("○", "●"),
}
"""The signs of each side's units by family, in the order of its declaration."""
COLOURS = (tr("White"), tr("Black"))
"""The sides of draughts, where the rules determine which of them begins."""


def piece_title(game: str, sign: str) -> str:
    """Return the title of a piece with a sign, such as "White pawn".

    The sign ends with an apostrophe for the second side's pieces on boards that record owners. A neutral sign without
    a title stands for itself.
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
_ROYALS = {"chatra": ("★", "☆"), "chess": ("♔", "♚")}
"""Each seat's royal unit."""
_CASTLING = {"K": (7, 4, 7, "♔♖"), "Q": (7, 4, 0, "♔♖"), "k": (0, 4, 7, "♚♜"), "q": (0, 4, 0, "♚♜")}
"""For each castling right the drawn row, the king's and the rook's column, and their signs."""


@dataclass(frozen=True)
class EditedPosition:
    """A position set up by hand."""

    game: str
    cells: tuple[tuple[str, ...], ...]
    names: Mapping[Cell, str]
    """The names of the cells where pieces may be placed."""
    side: int
    """The side to move; in chess the colour, whichever player chooses."""
    setup: Mapping[str, Any]
    """The rest of the position, as the family's ``notation.set_up`` reads it."""

    @classmethod
    def of(cls, game_state: GameState) -> EditedPosition:
        """Return the position of a game for editing."""
        game, rules, state, notation = game_state.game, game_state.rules, game_state.state, game_state.notation
        rows = game_state.board().pieces()
        cells = tuple(tuple(f"{sign}'" if owner == 1 else sign for sign, owner in row) for row in rows)
        side, setup = game_state.side, dict[str, Any]()
        if game == "chess":
            setup = dict(notation.position(rules, state))
            side = "wb".index(setup["fen"].split()[1])
        elif game == "draughts":
            setup = {"colours": notation.colours(rules)}
        elif game == "chatra":
            setup = _chatra_setup(rules, state)
        elif game == "rengo":
            setup = _rengo_setup(state)
        return cls(game, cells, cell_names(game_state), side, setup)

    def with_piece(self, cell: Cell, sign: str) -> EditedPosition:
        """Return the position with a sign on a cell; "" empties the cell."""
        if cell not in self.names:
            return self
        rows = [list(row) for row in self.cells]
        rows[cell[0]][cell[1]] = sign
        return dataclasses.replace(self, cells=tuple(map(tuple, rows)))

    def without_pieces(self) -> EditedPosition:
        """Return the position with an empty board."""
        return dataclasses.replace(self, cells=tuple(("",) * len(row) for row in self.cells))

    def board(self, like: Board) -> Board:
        """Return the board to display, with the shape of ``like``."""
        cells = tuple(tuple(sign.removesuffix("'") for sign in row) for row in self.cells)
        owners = tuple(tuple(int(sign.endswith("'")) if sign else -1 for sign in row) for row in self.cells)
        return dataclasses.replace(like, cells=cells, owners=owners if like.owners else (), notes=())

    def text(self) -> str:
        """Return the position as one would type it."""
        return _WRITERS.get(self.game, _rows_text)(self)


def palette(game_state: GameState) -> list[tuple[str, int]]:
    """Return the pieces that can be placed, each with the seat of its owner, or -1 for neutral pieces.

    A family from an add-on lists its signs in ``notation.SYMBOLS``, alternating between the seats.
    """
    notation, rules = game_state.notation, game_state.rules
    if game_state.game == "chess":
        return [(sign, index // 6) for index, sign in enumerate(notation.SYMBOLS)]
    if game_state.game == "draughts":
        kinds = 3 if rules.royal else 2
        colours = notation.colours(rules)
        return [(sign, seat) for seat, colour in enumerate(colours) for sign in notation.SYMBOLS[colour][:kinds]]
    if game_state.game == "chatra":
        return [(notation.SYMBOLS[index], index % 2) for index in (0, 2, 1, 3)]
    if game_state.game == "star":
        return [*((sign, seat) for seat, sign in enumerate(notation.SYMBOLS)), ("★", -1)]
    if game_state.game == "rengo":
        letters = notation.r.LETTERS[1:]
        return [*((letter, 0) for letter in letters), *((f"{letter}'", 1) for letter in letters)]
    return [(sign, index % 2) for index, sign in enumerate(getattr(notation, "SYMBOLS", ()))]


def seat_pieces(game_state: GameState) -> tuple[tuple[str, int], tuple[str, int]]:
    """Return a piece for each seat, a royal one if possible, with its owner as in `Board.pieces`."""
    has_owners, choices = bool(game_state.board().owners), palette(game_state)
    signs = [next((sign.removesuffix("'") for sign, owner in choices if owner == seat), "") for seat in (0, 1)]
    first, second = _ROYALS.get(game_state.game, (signs[0], signs[1]))
    return (first, 0 if has_owners else -1), (second, 1 if has_owners else -1)


def _chatra_setup(rules: Any, state: Any) -> dict[str, Any]:
    from workbench.games.chatra import kernel_board as b

    setup: dict[str, Any] = {name: True for name in ("limits_ended", "checked") if state[getattr(b, name.upper())]}
    return setup | ({"hands": [int(state[b.HAND + side]) for side in (0, 1)]} if rules.subjects else {})


def _rengo_setup(state: Any) -> dict[str, Any]:
    from workbench.games.rengo import kernel_board as b

    hands, prisoners = {}, {}
    for side, seat in enumerate(SEATS):
        counts = {letter: int(state[b.HAND + b.SLOTS * side + slot]) for slot, letter in enumerate(b.HELD)}
        hands[seat] = {letter: number for letter, number in counts.items() if number}
        prisoners[seat] = int(state[b.PRISONERS + side])
    setup: dict[str, Any] = {}
    if any(hands.values()):
        setup["hands"] = {seat: counts for seat, counts in hands.items() if counts}
    if any(prisoners.values()):
        setup["prisoners"] = prisoners
    return setup


def _fen(edited: EditedPosition) -> str:
    """Return the FEN; a castling right remains while king and rook are on their original squares."""
    fields = edited.setup["fen"].split()
    rows = ("".join(_LETTERS.get(sign, ".") for sign in row) for row in edited.cells)
    placement = re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(rows))
    castling = "".join(
        right
        for right, (y, king, rook, signs) in _CASTLING.items()
        if right in fields[2] and (edited.cells[y][king], edited.cells[y][rook]) == tuple(signs)
    )
    board, bracket, hand = fields[0].partition("[")
    unchanged = placement == board.replace("~", "") and "wb"[edited.side] == fields[1]
    counters = fields[3:5] if unchanged else ["-", "0"]
    pieces = (board if unchanged else placement) + bracket + hand
    fen = " ".join([pieces, "wb"[edited.side], castling or "-", *counters, fields[5]])
    history = ("run", "moved") if unchanged and edited.setup.get("run", "1/1") != "1/1" else ()
    extras = {name: edited.setup[name] for name in (*history, "checks") if name in edited.setup}
    return yaml_flow({"fen": fen, **extras}) if extras else fen


def _draughts_fen(edited: EditedPosition) -> str:
    kinds = {"○": ("W", ""), "◎": ("W", "K"), "☆": ("W", "R"), "●": ("B", ""), "◉": ("B", "K"), "★": ("B", "R")}
    pieces: dict[str, list[str]] = {"W": [], "B": []}
    for (y, x), name in edited.names.items():
        if sign := edited.cells[y][x]:
            colour, kind = kinds[sign]
            pieces[colour].append(kind + name)
    turn = edited.setup["colours"][edited.side]
    return f"{turn}:W{','.join(pieces['W'])}:B{','.join(pieces['B'])}"


def _chatra_text(edited: EditedPosition) -> str:
    squares: dict[str, list[str]] = {sign: [] for sign in "●○★☆"}
    for (y, x), name in edited.names.items():
        squares.setdefault(edited.cells[y][x], []).append(name)
    setup: dict[str, Any] = {"black": squares["●"], "white": squares["○"]}
    # Two objects of one player make an invalid square, which set_up reports.
    setup |= {
        key: " ".join(squares[sign]) for key, sign in (("black_object", "★"), ("white_object", "☆")) if squares[sign]
    }
    return yaml_flow({**setup, "to_move": SEATS[edited.side], **edited.setup})


def _star_text(edited: EditedPosition) -> str:
    board = "/".join("".join(sign or "□" for sign in row) for row in edited.cells)
    return board if edited.side == 0 else yaml_flow({"board": board, "to_move": SEATS[edited.side]})


def _rows_text(edited: EditedPosition) -> str:
    board = "/".join("".join(sign or "." for sign in row) for row in edited.cells)
    return yaml_flow({"board": board, "to_move": SEATS[edited.side], **edited.setup})


_WRITERS: Mapping[str, Callable[[EditedPosition], str]] = {
    "chess": _fen,
    "draughts": _draughts_fen,
    "chatra": _chatra_text,
    "star": _star_text,
}
