"""Star written from the rule text, sentence by sentence: slow, without tables, without cleverness.

It exists to be compared with the compiled kernel and shares no code with it. A cell is ``(x, y)``: column and row
from the top left corner, both from 0. Sides are 0 (○, "first") and 1 (●, "second").
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

Square = tuple[int, int]
Shape = tuple[frozenset[Square], Square]
"""What a player sees who looks at the own pieces and the star only."""
Settings = Mapping[str, str | int | float | bool]

FIRST, SECOND = 0, 1
SEATS = ("first", "second")
PIECES, STAR, EMPTY = "○●", "★", "□"


@dataclass(frozen=True, slots=True)
class Position:
    """All that the rules ask of a game at one moment; two equal positions have the same future."""

    size: int
    pieces: tuple[frozenset[Square], frozenset[Square]]
    """Where First's and Second's pieces stand."""
    star: Square
    to_move: int
    seen: tuple[Shape | None, Shape | None]
    """Each player's own pieces and the star at the start of that player's previous turn.

    None before the first turn, and always where no action is a foul.
    """


# --- Cells, notation, boards as the rule text prints them -------------------------------------------------------------


def cells(size: int) -> list[Square]:
    """Every cell of the board."""
    return [(x, y) for y in range(size) for x in range(size)]


def name(cell: Square) -> str:
    """The cell in the notation of the rules: a1 is the upper left corner."""
    return "abcde"[cell[0]] + str(cell[1] + 1)


def cell_of(text: str) -> Square:
    """The cell that a name such as "b2" stands for."""
    return "abcde".index(text[0]), int(text[1:]) - 1


def steps(size: int, cell: Square, distance: int) -> list[Square]:
    """The cells of the board that lie so many cells up, down, left or right."""
    x, y = cell
    around = [(x - distance, y), (x + distance, y), (x, y - distance), (x, y + distance)]
    return [other for other in around if 0 <= other[0] < size and 0 <= other[1] < size]


def neighbours(size: int, cell: Square) -> list[Square]:
    """The orthogonally adjacent cells."""
    return steps(size, cell, 1)


def empty(position: Position, cell: Square) -> bool:
    """Whether neither a piece nor the star stands there."""
    return cell != position.star and cell not in position.pieces[FIRST] and cell not in position.pieces[SECOND]


def drawn(position: Position) -> str:
    """The board as one line of text, such as "★○□/●□○/●●○": the rows from the top."""
    symbols = {cell: PIECES[side] for side in (FIRST, SECOND) for cell in position.pieces[side]}
    symbols[position.star] = STAR
    rows = range(position.size)
    return "/".join("".join(symbols.get((x, y), EMPTY) for x in rows) for y in rows)


def read(board: str) -> tuple[tuple[frozenset[Square], frozenset[Square]], Square]:
    """The pieces of both sides and the star on a board given as text."""
    symbols = {(x, y): symbol for y, row in enumerate(board.split("/")) for x, symbol in enumerate(row)}
    first, second = (frozenset(cell for cell, symbol in symbols.items() if symbol == piece) for piece in PIECES)
    (star,) = (cell for cell, symbol in symbols.items() if symbol == STAR)
    return (first, second), star


# --- The game ---------------------------------------------------------------------------------------------------------


def start(settings: Settings) -> Position:
    """The star on a1 of the empty board, First to move."""
    return Position(
        size=int(settings["size"]), pieces=(frozenset(), frozenset()), star=(0, 0), to_move=FIRST, seen=(None, None)
    )


def from_setup(settings: Settings, setup: Mapping[str, Any]) -> Position:
    """The position with the ``board`` and ``to_move`` of the setup.

    ``before`` may give the boards of the positions that led to it, the oldest first, and with them what the players saw
    at the start of their previous turns: the opponent of the side to move one board ago, that side two boards ago.
    """
    pieces, star = read(setup["board"])
    to_move = SEATS.index(setup["to_move"])
    seen: list[Shape | None] = [None, None]
    if settings["foul"] != "off":
        for back, board in enumerate(reversed(setup.get("before", ())[-2:]), start=1):
            side = (to_move + back) % 2
            pieces_then, star_then = read(board)
            seen[side] = (pieces_then[side], star_then)
    return Position(int(settings["size"]), pieces, star, to_move, (seen[FIRST], seen[SECOND]))


def shape(position: Position, side: int) -> Shape:
    """What a player sees now."""
    return position.pieces[side], position.star


def seat(settings: Settings, position: Position) -> int:
    """The side that chooses the next move."""
    return position.to_move


def with_own(position: Position, pieces: frozenset[Square]) -> Position:
    """The board with other pieces of the side to move; the turn has not passed yet."""
    if position.to_move == FIRST:
        return replace(position, pieces=(pieces, position.pieces[SECOND]))
    return replace(position, pieces=(position.pieces[FIRST], pieces))


def actions(settings: Settings, position: Position) -> Iterator[tuple[str, Position]]:
    """Every action and the board after it, fouls included; the turn has not passed yet."""
    own = position.pieces[position.to_move]
    if len(own) < int(settings["pieces"]):
        for cell in cells(position.size):
            if empty(position, cell):
                yield name(cell), with_own(position, own | {cell})
    for piece in own:
        for cell in neighbours(position.size, piece):
            if empty(position, cell):
                yield f"{name(piece)}-{name(cell)}", with_own(position, own - {piece} | {cell})
    for landing in steps(position.size, position.star, 2):
        over = ((position.star[0] + landing[0]) // 2, (position.star[1] + landing[1]) // 2)
        if over in own and empty(position, landing):
            yield f"*{name(landing)}", replace(position, star=landing)


def is_foul(settings: Settings, position: Position, after: Position) -> bool:
    """Whether the action that leads to the board ``after`` repeats what may not be repeated."""
    before = position.seen[position.to_move]
    if before is None:
        return False
    now = shape(after, position.to_move)
    same_pieces = now[0] == before[0]
    if settings["foul"] == "shape":
        return now == before
    if settings["foul"] == "own-pieces":
        return same_pieces
    star_jumped = after.star != position.star
    return now == before if star_jumped else same_pieces


def continuations(settings: Settings, position: Position) -> dict[str, Position]:
    """What each legal action of the side to move leads to."""
    side = position.to_move
    saw = shape(position, side) if settings["foul"] != "off" else None
    seen = (saw, position.seen[SECOND]) if side == FIRST else (position.seen[FIRST], saw)
    return {
        text: replace(after, to_move=1 - side, seen=seen)
        for text, after in actions(settings, position)
        if not is_foul(settings, position, after)
    }


def legal_moves(settings: Settings, position: Position) -> set[str]:
    """The legal actions of the side to move, as text."""
    return set(continuations(settings, position))


def play(settings: Settings, position: Position, move_text: str) -> Position:
    """The position after a legal action; the given one stays as it was."""
    return continuations(settings, position)[move_text]


def surrounds(position: Position, side: int) -> bool:
    """Whether all cells next to the star hold pieces of that side."""
    return all(cell in position.pieces[side] for cell in neighbours(position.size, position.star))


def repetition_key(settings: Settings, position: Position) -> Hashable:
    """What two positions share that count as the same: the board, the side to move, and what may be a foul."""
    if settings["foul"] == "own-pieces":
        remembered: Hashable = tuple(before and before[0] for before in position.seen)
    else:
        remembered = position.seen
    return position.pieces, position.star, position.to_move, remembered


def outcome(settings: Settings, position: Position, history: Sequence[Hashable] = ()) -> tuple[str, str | None]:
    """The result ("ongoing", "first", "second", "draw") and how it came about.

    ``history`` holds the keys of the positions before this one, for the rule about repetition.
    """
    to_move, acted = position.to_move, 1 - position.to_move
    if surrounds(position, acted):
        return SEATS[acted], "surrounded"
    if surrounds(position, to_move) and settings["opponent_completes"] == "wins":
        return SEATS[to_move], "surrounded"
    if not legal_moves(settings, position):
        return (SEATS[acted] if settings["stuck"] == "loss" else "draw"), "stuck"
    times = int(settings["repetition"])
    if times and 1 + list(history).count(repetition_key(settings, position)) >= times:
        return "draw", "repetition"
    return "ongoing", None
