"""Notation of Chatra's moves and boards, and reasons why a move is illegal.

Source: R. Konuma, Chatra rules, mixi community, 2007-2008: ``f9`` drops a subject, ``Ok2`` places or moves the object,
``e12-e2`` moves a subject.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from workbench.base.language import tr
from workbench.engine.contract import start
from workbench.games import boards as positions
from workbench.games.chatra import kernel
from workbench.games.chatra import kernel_board as b
from workbench.games.chatra import kernel_moves as drops
from workbench.games.chatra.kernel_board import TOGGLES
from workbench.games.chatra.rules import PLAYERS
from workbench.games.declaration import Board
from workbench.games.results import SEATS

SQUARE = r"([a-o])([1-9]|1[0-5])"
PATTERN = re.compile(rf"(O)?{SQUARE}|{SQUARE}-{SQUARE}")
SYMBOLS = ("●", "○", "★", "☆")
"""Black's and White's subjects, Black's and White's object."""


def square(cell: int) -> str:
    """Return the name of a cell."""
    return f"{'abcdefghijklmno'[cell & 15]}{(cell >> 4) + 1}"


def _cell(name: str) -> int:
    return 16 * (int(name[1:]) - 1) + "abcdefghijklmno".index(name[0])


def format_move(rules: Any, state: Any, move: int) -> str:
    """Return a move in the game's notation."""
    kind, origin, cell = move >> 16, (move >> 8) & 255, move & 255
    if kind == b.MOVE:
        return f"{square(origin)}-{square(cell)}"
    return ("O" if kind == b.OBJECT else "") + square(cell)


def parse_move(rules: Any, state: Any, text: str) -> int:
    """Return the move that a text denotes, whether legal or not.

    Raises:
        ValueError: the text is not a move on this board.
    """
    match = PATTERN.fullmatch(text)
    if not match:
        message = tr(
            "'{move}' is not a move; write f9 (drop a subject), Ok2 (place or move the object) or e12-e2 "
            "(move a subject)"
        )
        raise ValueError(message.format(move=text))
    is_object, *names = match.groups()
    cells = [_cell(column + row) for column, row in zip(names[::2], names[1::2], strict=True) if column]
    for cell in cells:
        if (cell & 15) >= rules.size or (cell >> 4) >= rules.size:
            raise ValueError(tr("{square} is not on the {size}×{size} board", square=square(cell), size=rules.size))
    if len(cells) == 2:
        return b.MOVE << 16 | cells[0] << 8 | cells[1]
    return (b.OBJECT if is_object else b.DROP) << 16 | cells[0]


def board(rules: Any, state: Any) -> Board:
    """Return the position as a grid in which every other zone is shaded."""
    n = rules.size
    state_words = state.tolist()

    def symbol(cell: int) -> str:
        for side in (0, 1):
            # Equivalent to `b.has`, which would otherwise be compiled for this call alone.
            if state_words[side * b.SET_WORDS + (cell >> 6)] >> (cell & 63) & 1:
                return SYMBOLS[side]
            if state_words[b.OBJECT_CELL + side] == cell:
                return SYMBOLS[2 + side]
        return ""

    notes = []
    if rules.subjects:
        black, white = state[b.HAND], state[b.HAND + 1]
        notes.append(tr("in hand: Black {black}, White {white}", black=black, white=white))
    if rules.white_extra_moves and state[b.EXTRA] and state[b.TURN] == 1:
        notes.append(tr("extra moves left for White: {n}", n=state[b.EXTRA]))
    if state[b.OBJECT_CELL] >= 0 and state[b.OBJECT_CELL + 1] >= 0:
        limits_ended = state[b.LIMITS_ENDED]
        notes.append(tr("the drop limits have ended") if limits_ended else tr("the drop limits still hold"))
    check = tr("{player} is in check", player=PLAYERS[state[b.TURN]]) if state[b.IN_CHECK] else ""
    return Board(
        cells=tuple(tuple(symbol(16 * y + x) for x in range(n)) for y in range(n)),
        columns=tuple("abcdefghijklmno"[:n]),
        rows=tuple(str(y + 1) for y in range(n)),
        shaded=_shaded(n),
        notes=(*notes, *filter(None, [check])),
        check=check,
    )


@functools.cache
def _shaded(n: int) -> frozenset[tuple[int, int]]:
    """Return the squares of every other zone as (row, column)."""
    return frozenset((y, x) for y in range(n) for x in range(n) if b.ZONE[n // 3 - 1, 16 * y + x] % 2 == 0)


def set_up(rules: Any, state: Any, setup: Mapping[str, Any]) -> None:
    """Write a position after the opening into ``state``.

    ``setup`` contains the squares of ``black`` and ``white`` subjects, ``black_object``, ``white_object``, ``to_move``
    ("first" or "second"), and optionally ``limits_ended``, ``checked`` and ``hands``.

    Raises:
        ValueError: the position is invalid on this board.
    """
    cell_name = positions.Field(
        tr("a square on the {size}×{size} board, such as e5", size=rules.size),
        lambda value: isinstance(value, str) and _is_square(rules, value),
    )
    fields = positions.read(
        setup,
        black=positions.several(cell_name, rules.size**2),
        white=positions.several(cell_name, rules.size**2),
        black_object=cell_name,
        white_object=cell_name,
        to_move=positions.one_of(SEATS),
        limits_ended=positions.truth(False),
        checked=positions.truth(False),
        hands=positions.each(positions.whole(0, rules.size**2), 2, ()),
    )
    names = [*fields["black"], *fields["white"], fields["black_object"], fields["white_object"]]
    if duplicate := next((name for name in names if names.count(name) > 1), ""):
        raise ValueError(tr("two pieces on {twice}", twice=duplicate))
    start(rules, state)
    state[: b.OBJECT_CELL] = 0
    state[b.STATE_WORDS :] = 0
    state[b.HAND : b.HAND + 2] = [b.supply(rules, side) for side in (0, 1)]
    for side, owner in enumerate(("black", "white")):
        for name in fields[owner]:
            b.flip(state, side * b.SET_WORDS, _cell(name))
        cell = _cell(fields[f"{owner}_object"])
        b.flip(state, b.OBJECTS, cell)
        state[b.OBJECT_CELL + side] = cell
        if rules.subjects and fields["hands"]:
            state[b.HAND + side] = fields["hands"][side]
    side = SEATS.index(fields["to_move"])
    state[b.TURN] = side
    state[b.PLIES] = 4 + side
    state[b.LIMITS_ENDED] = int(fields["limits_ended"])
    state[b.CHECKED] = int(fields["checked"])
    state[b.IN_CHECK] = int(b.attacked(rules, state, 1 - side, state[b.OBJECT_CELL + side]))


def _is_square(rules: Any, name: str) -> bool:
    if not re.fullmatch(SQUARE, name):
        return False
    cell = _cell(name)
    return bool((cell & 15) < rules.size and (cell >> 4) < rules.size)


def explain(rules: Any, state: Any, text: str, move: int) -> str:
    """Return the reason why a move is illegal, as a sentence; ``text`` is the move as typed."""
    kind, origin, cell = move >> 16, (move >> 8) & 255, move & 255
    side = int(state[b.TURN])
    placed = state[b.OBJECT_CELL + side] >= 0
    both_placed = placed and state[b.OBJECT_CELL + 1 - side] >= 0
    if not both_placed and kernel.opening_phase(rules, state) == 1 and kind != b.OBJECT:
        return tr("The opening requires the object now: write O{square}.", square=square(cell))
    if not both_placed and kernel.opening_phase(rules, state) == 0 and kind != b.DROP:
        return tr("The opening requires a subject now: write only the square, such as f9.")
    if kind == b.DROP:
        reason = _drop_reason(rules, state, side, cell, both_placed)
    elif kind == b.OBJECT:
        reason = _object_reason(rules, state, side, cell, placed)
    else:
        reason = _move_reason(rules, state, side, origin, cell)
    if reason:
        return reason
    if state[b.IN_CHECK]:
        return tr("Your object is in check, and this move does not end the check.")
    return tr("This move would leave your own object under attack.")


def _piece_on(state: Any, cell: int) -> str:
    for side, owner in enumerate(PLAYERS):
        if b.has(state, side * b.SET_WORDS, cell):
            return tr("{owner}'s subject", owner=owner)
        if state[b.OBJECT_CELL + side] == cell:
            return tr("{owner}'s object", owner=owner)
    return ""


def _are_adjacent(cell: int, other: int) -> bool:
    return max(abs((cell & 15) - (other & 15)), abs((cell >> 4) - (other >> 4))) == 1


def _drop_reason(rules: Any, state: Any, side: int, cell: int, both_placed: bool) -> str:
    if _piece_on(state, cell):
        return tr("{square} is occupied by {piece_on}.", square=square(cell), piece_on=_piece_on(state, cell))
    if rules.subjects and state[b.HAND + side] == 0:
        return tr("You have no subject in hand.")
    if rules.adjacent_drops == TOGGLES.adjacent_drops.forbidden:
        for other in range(b.CELLS):
            if _are_adjacent(cell, other) and "subject" in _piece_on(state, other):
                message = tr("Adjacent drops are forbidden: {square} is next to the subject on {neighbour}.")
                return message.format(square=square(cell), neighbour=square(other))
    if rules.drop_area.shape[0] and not b.has(rules.drop_area, 0, cell):
        return tr("The rules do not allow subjects to be dropped on {square}.", square=square(cell))
    zone = b.ZONE[rules.size // 3 - 1, cell]
    if not both_placed:
        return tr("The first subject may not be dropped in the centre zone.") if zone == b.CENTRE_ZONE else ""
    cells = np.zeros(4, np.int64)
    drops.drop_cells(rules, state, cells)
    if not b.has(cells, 0, cell):
        enemy = b.ZONE[rules.size // 3 - 1, state[b.OBJECT_CELL + 1 - side]]
        where = tr("in the enemy zone") if zone == enemy else tr("in a zone that touches the enemy zone")
        off = "" if rules.offside == TOGGLES.offside.off else tr(", and the offside rule does not open it")
        return tr("The drop limits still hold: {square} lies {where}{off}.", square=square(cell), where=where, off=off)
    own = side * b.SET_WORDS
    after = state.copy()
    b.flip(after, own, cell)
    if b.attacked(rules, after, 1 - side, state[b.OBJECT_CELL + side]):
        return ""
    if rules.drop_check == TOGGLES.drop_check.forbidden and b.attacked(
        rules, after, side, state[b.OBJECT_CELL + 1 - side]
    ):
        return tr("A drop may not give check.")
    return ""


def _object_reason(rules: Any, state: Any, side: int, cell: int, placed: bool) -> str:
    s = rules.size // 3 - 1
    zone = b.ZONE[s, cell]
    if placed and not _are_adjacent(cell, state[b.OBJECT_CELL + side]):
        message = tr("The object moves one step; from {origin} it cannot reach {target}.")
        return message.format(origin=square(state[b.OBJECT_CELL + side]), target=square(cell))
    owner, piece = PLAYERS[side], _piece_on(state, cell)
    if piece and (not placed or piece.startswith(owner) or "object" in piece):
        return tr("{square} is occupied by {piece}.", square=square(cell), piece=piece)
    if placed:
        if (
            rules.object_into_centre == TOGGLES.object_into_centre.after_first_check
            and not state[b.CHECKED]
            and zone == b.CENTRE_ZONE
            and b.ZONE[s, state[b.OBJECT_CELL + side]] != b.CENTRE_ZONE
        ):
            return tr("An object may enter the centre zone only after the first check of the game.")
        return ""
    if rules.object_area.shape[0] == 4 and not b.has(rules.object_area, 0, cell):
        return tr("The rules do not allow objects to be placed on {square}.", square=square(cell))
    if zone == b.CENTRE_ZONE and rules.object_area.shape[0] < 4:
        return tr("Objects may not be placed in the centre zone.")
    if rules.object_area.shape[0] == 1 and (b.CLOSED_RING[s, cell >> 6] >> (cell & 63)) & 1:
        return tr("Objects may not be placed on squares that touch the centre zone.")
    enemy_object = state[b.OBJECT_CELL + 1 - side]
    if enemy_object >= 0 and rules.later_object:
        enemy = b.ZONE[s, enemy_object]
        if zone == enemy:
            return tr("The object placed second may not be in the enemy zone.")
        if (
            rules.later_object == TOGGLES.later_object.away_from_enemy_zone
            and (b.TOUCHING[s, enemy, cell >> 6] >> (cell & 63)) & 1
        ):
            return tr("The object placed second may not be in a zone that touches the enemy zone.")
    return tr("The object would be under attack there.")


def _move_reason(rules: Any, state: Any, side: int, origin: int, cell: int) -> str:
    owner = PLAYERS[side]
    piece, target_piece = _piece_on(state, origin), _piece_on(state, cell)
    if not piece:
        return tr("There is no piece on {square}.", square=square(origin))
    if not piece.startswith(owner):
        return tr("{square} holds {piece}; it is {owner}'s turn.", square=square(origin), piece=piece, owner=owner)
    if "object" in piece:
        return tr("{square} holds the object: write O{target} to move it.", square=square(origin), target=square(cell))
    if target_piece.startswith(owner):
        return tr("{square} is occupied by {met}.", square=square(cell), met=target_piece)
    if "object" in target_piece:
        return tr("An object is never captured: it is mated.")
    if _reaches(rules, state, side, origin, cell):
        return ""
    target = int(state[b.OBJECT_CELL + 1 - side])
    if rules.middle_piece == TOGGLES.middle_piece.no_links and b.in_middle(rules, state, side, origin, target):
        return tr(
            "The subject on {square} is between two others of its side on a line, so it has no links and can "
            "make only a king step.",
            square=square(origin),
        )
    message = tr(
        "The subject on {origin} cannot reach {target}: this is not a king step, and no link allows a flight "
        "or slide that far."
    )
    return message.format(origin=square(origin), target=square(cell))


def _reaches(rules: Any, state: Any, side: int, origin: int, cell: int) -> bool:
    """Return whether a subject can reach a cell, ignoring its object's safety."""
    if _are_adjacent(origin, cell):
        return True
    linked, backwards, landing = np.zeros(4, np.int64), np.zeros(12, np.int64), np.zeros(4, np.int64)
    target = int(state[b.OBJECT_CELL + 1 - side])
    pairs = np.zeros(b.PAIRS, np.int64)
    in_line = b.find_links(rules, state, side, target, linked, backwards, pairs)
    if not b.has(linked, 0, origin):
        return False
    slides = np.zeros(b.SLIDES, np.int64)
    for i in range(b.list_slides(rules, state, side, linked, pairs, in_line, slides)):
        start, step, reach = slides[3 * i : 3 * i + 3]
        if start == origin and cell in [origin + n * step for n in range(2, reach + 1)]:
            return True
    pivot = (origin + cell) >> 1
    if ((cell & 15) - (origin & 15)) % 2 or ((cell >> 4) - (origin >> 4)) % 2 or not b.has(linked, 0, pivot):
        return False
    b.flights_about(rules, state, side, backwards, pivot, target, landing)
    return bool(b.has(landing, 0, cell))
