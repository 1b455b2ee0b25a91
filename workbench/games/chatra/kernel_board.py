r"""Chatra's board, compiled: sets of cells, lines, links between subjects, and what they attack.

A cell is ``16 * y + x``: x the column from the left, y the row from the top. Row y of a set of cells is lane y
(16 bits) of four 64-bit words. Lane bit 15 is always empty, so bit 63 is never set and right shifts are safe:

        x 0 1 2 …            word 0: rows 0-3, word 1: rows 4-7, word 2: rows 8-11, word 3: rows 12-15
      y 0 a1 b1 c1 …
        1 a2 b2 c2 …
        …

A set stores rows, columns and both kinds of diagonals as such lanes (`SET_WORDS` words), so that any line can be read
from a single lane:

        kind of line      lane            position in the lane
        0 row             y               x
        1 column          x               y
        2 diagonal \       x - y + 14      x
        3 diagonal /      x + y           x

A state contains three such sets (Black's subjects, White's subjects, both objects) and the words named below.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.bits import highest, lowest
from workbench.engine.jit import by_reference, inline_ir, njit, scratch
from workbench.games.chatra.rules import DECLARATION
from workbench.games.declaration import kernel_names, rules_type

Rules = by_reference(rules_type(DECLARATION, __name__))
"""The toggles."""
TOGGLES, FEATURES, EVENTS, ENDINGS, STYLES, UNITS = kernel_names(DECLARATION)

DROP, OBJECT, MOVE = 0, 1, 2

SET_WORDS = 24
FIRST_WORD = (0, 4, 8, 16, SET_WORDS)
"""The first word of each kind of line within a set, followed by the end."""
OBJECTS = 2 * SET_WORDS
OBJECT_CELL = 3 * SET_WORDS
"""The cell of each side's object, or -1 before its placement (two words)."""
HAND = OBJECT_CELL + 2
"""Each side's subjects in hand if the supply is limited (two words)."""
LIMITS_ENDED = HAND + 2
CHECKED = LIMITS_ENDED + 1
"""Whether there has been a check in this game."""
TURN = CHECKED + 1
IN_CHECK = TURN + 1
"""Whether the object of the side to move is attacked."""
PLIES = IN_CHECK + 1
STATE_WORDS = PLIES + 1
EXTRA = STATE_WORDS
"""White's remaining extra moves; states under other rules do not have this word."""

LANE = 0x7FFF
LANE_LENGTH = 15
PAIRS, SLIDES = 904, 5404
"""Number of words for the pairs in line and the slides of 225 subjects."""
EVERY_LANE = 0x0001000100010001
ABOVE_LANES = np.int64(-0x7FFF7FFF7FFF8000)
"""Bit 15 of each lane, which is always empty."""
CELLS = 256
SIZES = (3, 6, 9, 12, 15)
STEPS = (1, 16, 17, -15)
"""The step of each kind of line towards higher positions in its lane."""
KING = (-17, -16, -15, -1, 1, 15, 16, 17)
"""The steps to the eight neighbours."""


def _zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.int64)


LINE, LINE_WORD, LINE_SHIFT, POSITION = (_zeros(4, CELLS) for _ in range(4))
"""By kind of line, each cell's lane, the word and shift of that lane in a set, and the position in the lane."""
ORIGIN = _zeros(SET_WORDS, 4)
"""The cell at position 0 of each lane."""
AROUND, INSIDE = _zeros(CELLS, 4), _zeros(8, CELLS)
"""Each cell's neighbours, and whether there is one in each direction of `KING`."""
BOARD, CLOSED_RING, MIRRORED_COLUMNS = _zeros(len(SIZES), 4), _zeros(len(SIZES), 4), _zeros(len(SIZES), 16)
ROOM_UP, ROOM_DOWN = _zeros(len(SIZES), 4, CELLS), _zeros(len(SIZES), 4, CELLS)
ZONE, ZONE_CELLS, TOUCHING = _zeros(len(SIZES), CELLS), _zeros(len(SIZES), 9, 4), _zeros(len(SIZES), 9, 4)
"""Tables by board size (`size_index`): cells, steps to the edge along each kind of line, and zones."""


def _fill_geometry() -> None:
    for y in range(15):
        for x in range(15):
            cell = 16 * y + x
            for kind, (lane, position) in enumerate(((y, x), (x, y), (x - y + 14, x), (x + y, x))):
                LINE_WORD[kind, cell] = FIRST_WORD[kind] + (lane >> 2)
                LINE_SHIFT[kind, cell] = (lane & 3) << 4
                POSITION[kind, cell] = position
                LINE[kind, cell] = lane
                ORIGIN[FIRST_WORD[kind] + (lane >> 2), lane & 3] = cell - position * STEPS[kind]
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if (dx or dy) and 0 <= x + dx < 15 and 0 <= y + dy < 15:
                        neighbour = cell + 16 * dy + dx
                        AROUND[cell, neighbour >> 6] |= 1 << (neighbour & 63)
                        INSIDE[KING.index(neighbour - cell), cell] = 1
            for s, n in enumerate(SIZES):
                if x >= n or y >= n:
                    continue
                ZONE[s, cell] = 3 * (y // (n // 3)) + x // (n // 3)
                word, bit = cell >> 6, 1 << (cell & 63)
                BOARD[s, word] |= bit
                ZONE_CELLS[s, ZONE[s, cell], word] |= bit
                if n // 3 - 1 <= x <= 2 * (n // 3) and n // 3 - 1 <= y <= 2 * (n // 3):
                    CLOSED_RING[s, word] |= bit
                for kind, (dx, dy) in enumerate(((1, 0), (0, 1), (1, 1), (1, -1))):
                    up_x, down_x = (n - 1 - x, x) if dx else (n, n)
                    up_y, down_y = (n - 1 - y, y) if dy == 1 else (y, n - 1 - y) if dy else (n, n)
                    ROOM_UP[s, kind, cell] = min(up_x, up_y)
                    ROOM_DOWN[s, kind, cell] = min(down_x, down_y)
    for s, n in enumerate(SIZES):
        for x in range(n):
            # Columns a, mirrored to 14 - a, whose reflections 2x - a are on the board.
            for a in range(max(0, 2 * x - n + 1), min(n - 1, 2 * x) + 1):
                MIRRORED_COLUMNS[s, x] |= EVERY_LANE << (14 - a)
        for z in range(9):
            for other in range(9):
                if abs(z // 3 - other // 3) <= 1 and abs(z % 3 - other % 3) <= 1:
                    TOUCHING[s, z] |= ZONE_CELLS[s, other]


_fill_geometry()
CENTRE_ZONE = 4
PARITY = np.array([[0x0000555500005555, 0x00002AAA00002AAA], [0x5555000055550000, 0x2AAA00002AAA0000]], np.int64)
"""The cells of a word whose row and column are even or odd, by the parity of row and column."""


@inline_ir
def size_index(rules: Any) -> int:
    """Return the index of the board size in the geometry tables."""
    return rules.size // 3 - 1


@inline_ir
def supply(rules: Any, side: int) -> int:
    """Return a side's initial number of subjects under a limited supply."""
    return rules.white_supply if side == 1 and rules.white_supply else rules.subjects


@inline_ir
def has(state: Any, base: int, cell: int) -> bool:
    """Return whether the set at ``base`` contains a cell."""
    return (state[base + (cell >> 6)] >> (cell & 63)) & 1 != 0


@inline_ir
def flip(state: Any, base: int, cell: int) -> None:
    """Toggle a cell in the set at ``base``."""
    for kind in range(4):
        state[base + LINE_WORD[kind, cell]] ^= 1 << (LINE_SHIFT[kind, cell] + POSITION[kind, cell])


@inline_ir
def lane_of(state: Any, base: int, kind: int, cell: int) -> int:
    """Return a set's cells on the line of this kind through ``cell``."""
    return (state[base + LINE_WORD[kind, cell]] >> LINE_SHIFT[kind, cell]) & LANE


@inline_ir
def on_line(kind: int, cell: int, other: int) -> bool:
    """Return whether two cells share a line of this kind."""
    return LINE[kind, cell] == LINE[kind, other]


@inline_ir
def segment(rules: Any, state: Any, side: int, kind: int, cell: int, target: int) -> int:
    """Return a side's subjects on a line, up to the enemy object on ``target`` if it cuts lines."""
    lane = lane_of(state, side * SET_WORDS, kind, cell)
    if rules.enemy_object_cuts and target >= 0 and on_line(kind, cell, target):
        cut = POSITION[kind, target]
        if cut < POSITION[kind, cell]:
            lane = (lane >> (cut + 1)) << (cut + 1)
        else:
            lane &= (1 << cut) - 1
    return lane


@inline_ir
def in_middle(rules: Any, state: Any, side: int, cell: int, target: int) -> bool:
    """Return whether a side has subjects on both sides of ``cell`` on some line; the enemy object is on ``target``."""
    for kind in range(4):
        lane = segment(rules, state, side, kind, cell, target)
        position = POSITION[kind, cell]
        if (lane & ((1 << position) - 1)) != 0 and (lane >> (position + 1)) != 0:
            return True
    return False


@njit
def unlinked(rules: Any, state: Any, side: int, cell: int, target: int) -> bool:
    """Return whether a subject has no links because it is in the middle of a line."""
    return rules.middle_piece == TOGGLES.middle_piece.no_links and in_middle(rules, state, side, cell, target)


@inline_ir
def between(a: int, middle: int, b: int) -> bool:
    """Return whether ``middle`` is strictly between ``a`` and ``b`` on a row, column or diagonal."""
    for kind in range(4):
        if LINE[kind, a] == LINE[kind, b] and LINE[kind, a] == LINE[kind, middle]:
            low, high = min(POSITION[kind, a], POSITION[kind, b]), max(POSITION[kind, a], POSITION[kind, b])
            return low < POSITION[kind, middle] < high
    return False


@inline_ir
def occupied_on(state: Any, kind: int, cell: int) -> int:
    """Return the occupied cells on the line of this kind through ``cell``."""
    word, shift = LINE_WORD[kind, cell], LINE_SHIFT[kind, cell]
    return ((state[word] | state[SET_WORDS + word] | state[OBJECTS + word]) >> shift) & LANE


@inline_ir
def steps_onto(state: Any, side: int, target: int) -> bool:
    """Return whether a subject or the object of ``side`` is adjacent to ``target``."""
    other = state[OBJECT_CELL + side]
    adjacent = other >= 0 and (AROUND[target, other >> 6] >> (other & 63)) & 1 != 0
    for word in range(4):
        adjacent |= state[side * SET_WORDS + word] & AROUND[target, word] != 0
    return adjacent


@inline_ir
def _fill_evasions(state: Any, target: int, front: int, back: int, step: int, is_slide: bool, evasions: Any) -> None:
    """Fill ``evasions`` for an attack along a line: its two subjects and, for a slide, the squares it passes."""
    for word in range(4):
        evasions[word] = 0
    evasions[front >> 6] |= 1 << (front & 63)
    evasions[back >> 6] |= 1 << (back & 63)
    if is_slide:
        cell = target + step
        while cell != front:
            evasions[cell >> 6] |= 1 << (cell & 63)
            cell += step


@inline_ir
def _find_attack(rules: Any, state: Any, side: int, target: int, evasions: Any) -> bool:
    """Return whether ``side`` attacks ``target``, the cell of the other side's object.

    If so, ``evasions`` receives the cells on which a piece must land, capturing or blocking, to end one of the attacks.
    """
    base = side * SET_WORDS
    for word in range(4):
        steps = state[base + word] & AROUND[target, word]
        if steps:
            for w in range(4):
                evasions[w] = 0
            evasions[word] = steps & -steps
            return True
    other = state[OBJECT_CELL + side]
    if other >= 0 and (AROUND[target, other >> 6] >> (other & 63)) & 1:
        for w in range(4):
            evasions[w] = 0
        return True
    # Links along a line: the nearest subject attacks, and the farthest is its partner.
    slides = rules.link_moves != TOGGLES.link_moves.flights
    for kind in range(4):
        lane = lane_of(state, base, kind, target)
        if lane & (lane - 1) == 0:
            continue
        place = POSITION[kind, target]
        up = lane >> (place + 1)
        down = lane & ((1 << place) - 1)
        if not rules.enemy_object_cuts and up != 0 and down != 0:
            continue
        if up & (up - 1):
            near, far = lowest(up) + 1, highest(up) + 1
            if far - near >= near:
                flight = far - near == near and rules.link_moves != TOGGLES.link_moves.slides
                front = target + near * STEPS[kind]
                back = target + far * STEPS[kind]
                if (
                    (flight or (slides and lowest(occupied_on(state, kind, target) >> (place + 1)) + 1 == near))
                    and not unlinked(rules, state, side, front, target)
                    and not unlinked(rules, state, side, back, target)
                ):
                    _fill_evasions(state, target, front, back, STEPS[kind], not flight, evasions)
                    return True
        if down & (down - 1):
            near, far = place - highest(down), place - lowest(down)
            if far - near >= near:
                flight = far - near == near and rules.link_moves != TOGGLES.link_moves.slides
                front = target - near * STEPS[kind]
                back = target - far * STEPS[kind]
                if (
                    (
                        flight
                        or (slides and place - highest(occupied_on(state, kind, target) & ((1 << place) - 1)) == near)
                    )
                    and not unlinked(rules, state, side, front, target)
                    and not unlinked(rules, state, side, back, target)
                ):
                    _fill_evasions(state, target, front, back, -STEPS[kind], not flight, evasions)
                    return True
    if rules.link_moves == TOGGLES.link_moves.slides:
        return False
    # Flights off the lines: the jumper has the target's parity, and a subject is on the midpoint.
    x, y = target & 15, target >> 4
    parity = PARITY[y & 1, x & 1]
    for word in range(4):
        partners = state[base + word] & parity
        while partners:
            jumper = word * 64 + lowest(partners)
            partners &= partners - 1
            dx, dy = (jumper & 15) - x, (jumper >> 4) - y
            if dx == 0 or dy == 0 or dx == dy or dx == -dy:
                continue
            pivot = (jumper + target) >> 1
            if (
                has(state, base, pivot)
                and not unlinked(rules, state, side, pivot, target)
                and not unlinked(rules, state, side, jumper, target)
            ):
                for w in range(4):
                    evasions[w] = 0
                evasions[jumper >> 6] |= 1 << (jumper & 63)
                evasions[pivot >> 6] |= 1 << (pivot & 63)
                return True
    return False


@njit
def attacked(rules: Any, state: Any, side: int, target: int) -> bool:
    """Return whether ``side`` attacks ``target``, the cell of the other side's object."""
    return _find_attack(rules, state, side, target, scratch(4))


@njit
def find_attack(rules: Any, state: Any, side: int, target: int, evasions: Any) -> bool:
    """Return whether ``side`` attacks ``target`` and, if so, fill ``evasions`` as `_find_attack` does."""
    return _find_attack(rules, state, side, target, evasions)


@inline_ir
def may_free_links(state: Any, base: int, cell: int) -> bool:
    """Return whether capturing the subject on ``cell`` may create links, which requires a line of three subjects."""
    for kind in range(4):
        lane = lane_of(state, base, kind, cell)
        lane &= lane - 1
        if lane & (lane - 1):
            return True
    return False


@inline_ir
def find_links(rules: Any, state: Any, side: int, target: int, linked: Any, backwards: Any, pairs: Any) -> int:
    """Find a side's links and return the number of its pairs in line.

    ``linked`` receives the subjects that may have links: all, or only those not in the middle of a line. ``backwards``
    (12 words) receives the same set rotated by 180 degrees, cell c to 254 - c, in words 4 to 7; it stays empty if there
    are no flights. ``pairs`` (`PAIRS` words) receives the ends of every line with a square between them, as ``cell of
    the lower end << 6 | kind << 4 | distance``, line by line; they are linked only if both are in ``linked``. If there
    are no slides, no pair is found.
    """
    base = side * SET_WORDS
    cuts = rules.enemy_object_cuts and target >= 0
    n = 0
    for word in range(12):
        backwards[word] = 0
    for word in range(4):
        linked[word] = state[base + word]
    for kind in range(4):
        for word in range(FIRST_WORD[kind], FIRST_WORD[kind + 1]):
            lanes = state[base + word]
            # Remove the lowest subject of each lane; lanes that are not empty have a pair.
            lanes_with_pairs = lanes & ((lanes | ABOVE_LANES) - EVERY_LANE)
            while lanes_with_pairs:
                number = lowest(lanes_with_pairs) >> 4
                lanes_with_pairs &= ~(LANE << (number << 4))
                lane = (lanes >> (number << 4)) & LANE
                cut = 0
                if cuts and LINE_WORD[kind, target] == word and LINE_SHIFT[kind, target] == number << 4:
                    cut = POSITION[kind, target]
                for run in (lane >> cut << cut, lane & ((1 << cut) - 1)):
                    if run & (run - 1) == 0:
                        continue
                    low, high = lowest(run), highest(run)
                    pairs[n] = (ORIGIN[word, number] + low * STEPS[kind]) << 6 | kind << 4 | (high - low)
                    n += 1 if high > low + 1 else 0
                    middle = run & (run - 1) & ~(1 << high)
                    while middle and rules.middle_piece == TOGGLES.middle_piece.no_links:
                        cell = ORIGIN[word, number] + lowest(middle) * STEPS[kind]
                        middle &= middle - 1
                        linked[cell >> 6] &= ~(1 << (cell & 63))
    if rules.link_moves != TOGGLES.link_moves.slides:
        for word in range(4):
            cells = linked[word]
            while cells:
                rotated = 254 - 64 * word - lowest(cells)
                cells &= cells - 1
                backwards[4 + (rotated >> 6)] |= 1 << (rotated & 63)
    return n if rules.link_moves != TOGGLES.link_moves.flights else 0


@inline_ir
def list_slides(rules: Any, state: Any, side: int, linked: Any, pairs: Any, count: int, slides: Any) -> int:
    """Fill ``slides`` (`SLIDES` words) with all slides of at least two squares, and return their number.

    A slide has three entries: the subject's cell, its step, and the number of squares in reach. The ends of a line
    slide away from each other, so they meet no subject of their side. They stop on an enemy piece, or before their
    object.
    """
    s = size_index(rules)
    object_cell = state[OBJECT_CELL + side]
    n = 0
    for i in range(count):
        cell, kind, distance = pairs[i] >> 6, (pairs[i] >> 4) & 3, pairs[i] & 15
        step = STEPS[kind]
        partner = cell + distance * step
        if not has(linked, 0, cell) or not has(linked, 0, partner):
            continue
        position = POSITION[kind, cell]
        occupied = occupied_on(state, kind, cell)
        below = occupied & ((1 << position) - 1)
        above = occupied >> (position + distance + 1)
        stop = position - highest(below) if below else 99
        reach = min(distance, ROOM_DOWN[s, kind, cell])
        if stop <= reach:
            reach = stop - 1 if object_cell == cell - stop * step else stop
        slides[n] = cell
        slides[n + 1] = -step
        slides[n + 2] = reach
        n += 3 if reach >= 2 else 0
        stop = lowest(above) + 1 if above else 99
        reach = min(distance, ROOM_UP[s, kind, partner])
        if stop <= reach:
            reach = stop - 1 if object_cell == partner + stop * step else stop
        slides[n] = partner
        slides[n + 1] = step
        slides[n + 2] = reach
        n += 3 if reach >= 2 else 0
    return n // 3


@inline_ir
def flights_about(rules: Any, state: Any, side: int, backwards: Any, pivot: int, target: int, landing: Any) -> None:
    """Fill ``landing`` with the squares, occupied or not, to which linked subjects can fly about ``pivot``.

    ``backwards`` is the rotated set of linked subjects. The reflection of c about p is 2p - c = (254 - c) + (2p - 254),
    so the flights are the rotated set, shifted.
    """
    s = size_index(rules)
    columns = MIRRORED_COLUMNS[s, pivot & 15]
    first_bit = 510 - 2 * pivot
    skip, shift = first_bit >> 6, first_bit & 63
    for word in range(4):
        low = (backwards[skip + word] & columns) >> shift
        high = ((backwards[skip + word + 1] & columns) << (63 - shift)) << 1
        # A subject cannot fly about itself.
        landing[word] = (low | high) & BOARD[s, word] & ~(1 << (pivot & 63) if word == pivot >> 6 else 0)
    if rules.middle_piece != TOGGLES.middle_piece.no_links:
        _unlink_middles(rules, state, side, pivot, target, landing)
    elif rules.enemy_object_cuts and target >= 0:
        dx, dy = (pivot & 15) - (target & 15), (pivot >> 4) - (target >> 4)
        if dx == 0 or dy == 0 or dx == dy or dx == -dy:
            for kind in range(4):
                if on_line(kind, pivot, target):
                    _unlink_across(rules, state, side, kind, pivot, target, landing)


@njit
def _unlink_across(rules: Any, state: Any, side: int, kind: int, pivot: int, target: int, landing: Any) -> None:
    """Remove from ``landing`` the flights of subjects beyond the enemy object on the line through ``pivot``."""
    lane = lane_of(state, side * SET_WORDS, kind, pivot)
    beyond = lane & ~segment(rules, state, side, kind, pivot, target)
    position = POSITION[kind, pivot]
    while beyond:
        jump = position - lowest(beyond)
        beyond &= beyond - 1
        _remove_landing(rules, landing, kind, pivot, jump)


@njit
def _remove_landing(rules: Any, landing: Any, kind: int, pivot: int, jump: int) -> None:
    """Remove the square ``jump`` steps from ``pivot`` along a line from ``landing``, if it is on the board."""
    s = size_index(rules)
    room = ROOM_UP[s, kind, pivot] if jump > 0 else ROOM_DOWN[s, kind, pivot]
    if abs(jump) <= room:
        cell = pivot + jump * STEPS[kind]
        landing[cell >> 6] &= ~(1 << (cell & 63))


@njit
def _unlink_middles(rules: Any, state: Any, side: int, pivot: int, target: int, landing: Any) -> None:
    """Remove from ``landing`` the flights along a line unless the pivot and the jumper are its two ends."""
    for kind in range(4):
        lane = lane_of(state, side * SET_WORDS, kind, pivot)
        run = segment(rules, state, side, kind, pivot, target)
        position = POSITION[kind, pivot]
        low, high = run & ((1 << position) - 1), run >> (position + 1)
        partner = -1
        if high == 0 and low != 0:
            partner = lowest(low)
        elif low == 0 and high != 0:
            partner = highest(high) + position + 1
        remaining = lane & ~(1 << position)
        while remaining:
            jumper = lowest(remaining)
            remaining &= remaining - 1
            if jumper != partner:
                _remove_landing(rules, landing, kind, pivot, position - jumper)
