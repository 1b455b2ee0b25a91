"""Notation of the star game's actions and boards, and reasons why an action is illegal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workbench.base.errors import expected
from workbench.base.language import tr
from workbench.engine.contract import start
from workbench.games import boards as positions
from workbench.games.declaration import Board
from workbench.games.results import SEATS
from workbench.games.star import kernel as k
from workbench.games.star.kernel import TOGGLES

SQUARE = r"[a-e][1-5]"
PATTERN = re.compile(rf"(\*)?({SQUARE})|({SQUARE})-({SQUARE})")
SYMBOLS = "○●"
POSITION = "board"
"""The name of a position on the command line, for `set_up`."""


def square(cell: int) -> str:
    """Return the name of a cell."""
    return f"{'abcdefgh'[cell & 7]}{(cell >> 3) + 1}"


def _cell(name: str) -> int:
    return 8 * (int(name[1]) - 1) + "abcde".index(name[0])


def format_move(rules: Any, state: Any, move: int) -> str:
    """Return an action in the game's notation."""
    kind, origin, cell = move >> 16, (move >> 8) & 255, move & 255
    if kind == k.MOVE:
        return f"{square(origin)}-{square(cell)}"
    return ("*" if kind == k.JUMP else "") + square(cell)


def parse_move(rules: Any, state: Any, text: str) -> int:
    """Return the action that a text denotes, whether legal or not.

    Raises:
        ValueError: the text is not an action on this board; the message explains the notation.
    """
    match = PATTERN.fullmatch(text)
    if not match:
        message = tr("'{action}' is not an action; write b2 (place), b2-b1 (move) or *a3 (the star jumps to a3)")
        raise ValueError(message.format(action=text))
    star, *names = match.groups()
    cells = [_cell(name) for name in names if name]
    for cell in cells:
        if not int(k.BOARD[rules.size]) >> cell & 1:
            raise ValueError(tr("{square} is not on the {size}×{size} board", square=square(cell), size=rules.size))
    if len(cells) == 2:
        return k.MOVE << 16 | cells[0] << 8 | cells[1]
    return (k.JUMP if star else k.PLACE) << 16 | cells[0]


def _piece_on(state: Any, cell: int) -> str:
    if state[k.STAR] == cell:
        return "★"
    return next((SYMBOLS[side] for side in (0, 1) if int(state[k.PIECES + side]) >> cell & 1), "")


def board(rules: Any, state: Any) -> Board:
    """Return the position as a grid, with the hands as a note."""
    n = rules.size
    hands = [rules.pieces - int(state[k.PIECES + side]).bit_count() for side in (0, 1)]
    return Board(
        cells=tuple(tuple(_piece_on(state, 8 * y + x) for x in range(n)) for y in range(n)),
        columns=tuple("abcde"[:n]),
        rows=tuple(str(y + 1) for y in range(n)),
        notes=(tr("in hand: ○ {first}, ● {second}", first=hands[0], second=hands[1]),),
    )


def set_up(rules: Any, state: Any, setup: Mapping[str, Any]) -> None:
    """Write a position into ``state``.

    ``setup`` has the ``board``, as rows from the top separated by ``/`` (``★□○/●○○/●□●``). It may have ``to_move``, by
    default "first", and ``before``, the previous boards from oldest to newest, which the foul rule remembers.

    Raises:
        ValueError: the board does not fit the rules.
    """
    rows = positions.words(tr("rows of ★ □ ○ ● separated by /"))
    fields = positions.read(
        setup, board=rows, to_move=positions.one_of(SEATS, "first"), before=positions.several(rows, 1000, ())
    )
    start(rules, state)
    side = SEATS.index(fields["to_move"])
    boards = [*fields["before"], fields["board"]]
    for plies_ago, diagram in enumerate(reversed(boards[-3:])):
        pieces, star = _parse_board(rules, diagram)
        if plies_ago == 0:
            state[k.PIECES], state[k.PIECES + 1], state[k.STAR] = *pieces, star
            state[k.TURN] = side
        elif rules.foul != TOGGLES.foul.off:
            # The mover's previous turn started with this position.
            mover = side if plies_ago == 2 else 1 - side
            memory = pieces[mover] if rules.foul == TOGGLES.foul.own_pieces else pieces[mover] | star << k.STAR_SHIFT
            state[k.BEFORE + mover] = memory


def _parse_board(rules: Any, diagram: str) -> tuple[list[int], int]:
    rows = diagram.split("/")
    if len(rows) != rules.size or any(len(row) != rules.size for row in rows) or set(diagram) - set("★□○●/"):
        expectation = tr("{size} rows of {size} cells (★ □ ○ ●)", size=rules.size)
        raise ValueError(expected(expectation, positions.shortened(diagram)))
    cells = {8 * y + x: symbol for y, row in enumerate(rows) for x, symbol in enumerate(row)}
    stars = [cell for cell, symbol in cells.items() if symbol == "★"]
    if len(stars) != 1:
        raise ValueError(expected(tr("one ★"), tr("{count} in '{drawn}'", count=len(stars), drawn=diagram)))
    pieces = [sum(1 << cell for cell, symbol in cells.items() if symbol == player_symbol) for player_symbol in SYMBOLS]
    if max(map(int.bit_count, pieces)) > rules.pieces:
        message = tr("each player has {pieces} pieces; '{drawn}' has more")
        raise ValueError(message.format(pieces=rules.pieces, drawn=diagram))
    return pieces, stars[0]


def explain(rules: Any, state: Any, text: str, move: int) -> str:
    """Return a sentence on the rule that forbids an action; ``text`` is the action as typed."""
    kind, origin, cell = move >> 16, (move >> 8) & 255, move & 255
    side = int(state[k.TURN])
    own = int(state[k.PIECES + side])
    if _piece_on(state, cell):
        return tr("{square} is occupied by {piece_on}.", square=square(cell), piece_on=_piece_on(state, cell))
    if kind == k.PLACE:
        return tr("You have no piece in hand.")
    if kind == k.MOVE:
        if not own >> origin & 1:
            return tr("{symbols} has no piece on {square}.", symbols=SYMBOLS[side], square=square(origin))
        if abs((cell & 7) - (origin & 7)) + abs((cell >> 3) - (origin >> 3)) != 1:
            return tr("A piece moves one cell up, down, left or right.")
    else:
        star = int(state[k.STAR])
        jumped = (star + cell) // 2
        if not _jumps(star, cell):
            message = tr("The star jumps straight over one cell; from {origin} it cannot reach {target}.")
            return message.format(origin=square(star), target=square(cell))
        if not own >> jumped & 1:
            message = tr("The star jumps only over the player's own pieces; {symbols} has none on {square}.")
            return message.format(symbols=SYMBOLS[side], square=square(jumped))
    if rules.foul == TOGGLES.foul.no_undo:
        restored = tr("your own pieces and the star") if kind == k.JUMP else tr("your own pieces")
        return tr("Foul: this returns {pieces} to where they were at the start of your previous turn.", pieces=restored)
    if rules.foul == TOGGLES.foul.shape:
        return tr("Foul: your pieces and the star would be where they were at the start of your previous turn.")
    return tr("Foul: your pieces would be where they were at the start of your previous turn.")


def _jumps(star: int, cell: int) -> bool:
    across, down = abs((cell & 7) - (star & 7)), abs((cell >> 3) - (star >> 3))
    return (across, down) in ((2, 0), (0, 2))
