"""Chatra, compiled.

A cell is ``16 * y + x``: x the column from the left, y the row from the top. Row y of a set of cells is the 16-bit lane
y of four 64-bit words; lane bit 15 is always empty, so bit 63 never is set and right shifts need no care:

        x 0 1 2 …            word 0: rows 0-3, word 1: rows 4-7, word 2: rows 8-11, word 3: rows 12-15
      y 0 a1 b1 c1 …
        1 a2 b2 c2 …
        …

A set keeps its rows, columns and both kinds of diagonals as such lanes (`SET_WORDS` words), so that everything that
happens on a line is read from one lane:

        kind of line      lane            position in the lane
        0 row             y               x
        1 column          x               y
        2 diagonal \\      x - y + 14      x
        3 diagonal /      x + y           x

A state holds three such sets (Black's subjects, White's subjects, both objects) and the words named below. A move is
``kind << 16 | from << 8 | to``.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from workbench.engine.contract import DRAW, FIRST, ONGOING, REPETITION, SECOND, implement
from workbench.engine.jit import highest, inlined, lowest, njit, popcount, scratch
from workbench.engine.rng import below, mix


class Rules(NamedTuple):
    """A variant: one integer a toggle, coded as the declaration says."""

    size: int
    opening: int
    object_area: int
    later_object: int
    object_into_centre: int
    limits_end: int
    offside: int
    subjects: int
    adjacent_drops: int
    drop_check: int
    middle_piece: int
    enemy_object_cuts: int
    repetition: int
    repetition_count: int
    stuck: int


OBJECTS_FIRST = 1
AWAY_FROM_CENTRE = 1
OUTSIDE_ENEMY_ZONE, AWAY_FROM_ENEMY_ZONE = 1, 2
AFTER_FIRST_CHECK = 1
END_CHECK_OR_CENTRE, END_NEVER = 0, 2
NEAREST_TWO, FRONT, OFFSIDE_OFF = 0, 1, 3
FORBIDDEN = 0
NO_LINKS = 0
INITIATOR_LOSES, REPETITION_OFF = 0, 2
STUCK_IS_DRAW = 0

MATE, STUCK = 8, 9
DROP, OBJECT, MOVE = 0, 1, 2

SET_WORDS = 24
FIRST_WORD = (0, 4, 8, 16)
"""Where the lanes of each kind of line begin within a set."""
OBJECTS = 2 * SET_WORDS
OBJECT_CELL = 3 * SET_WORDS
"""The object's cell of each side, or -1 before it is placed (two words)."""
HAND = OBJECT_CELL + 2
"""Subjects in hand of each side, where the supply is limited (two words)."""
LIMITS_ENDED = HAND + 2
CHECKED = LIMITS_ENDED + 1
"""Whether there has been a check in this game."""
TURN = CHECKED + 1
IN_CHECK = TURN + 1
"""Whether the object of the side to move is attacked."""
PLIES = IN_CHECK + 1
STATE_WORDS = PLIES + 1

LANE = 0x7FFF
EVERY_LANE = 0x0001000100010001
CELLS = 256
SIZES = (9, 12, 15)
STEPS = (1, 16, 17, -15)
"""The step of each kind of line towards higher positions in its lane."""
KING = (-17, -16, -15, -1, 1, 15, 16, 17)
"""The steps to the eight neighbours."""


def _geometry() -> tuple[np.ndarray, ...]:
    line_word = np.zeros((4, CELLS), np.int64)
    line_shift = np.zeros((4, CELLS), np.int64)
    position = np.zeros((4, CELLS), np.int64)
    line = np.zeros((4, CELLS), np.int64)
    columns = np.zeros((3, 16), np.int64)
    room_up = np.zeros((3, 4, CELLS), np.int64)
    room_down = np.zeros((3, 4, CELLS), np.int64)
    board = np.zeros((3, 4), np.int64)
    zone_cells = np.zeros((3, 9, 4), np.int64)
    touching = np.zeros((3, 9, 4), np.int64)
    ring = np.zeros((3, 4), np.int64)
    zone = np.zeros((3, CELLS), np.int64)
    around = np.zeros((CELLS, 4), np.int64)
    inside = np.zeros((8, CELLS), np.int64)
    for y in range(15):
        for x in range(15):
            cell = 16 * y + x
            for kind, (lane, place) in enumerate(((y, x), (x, y), (x - y + 14, x), (x + y, x))):
                line_word[kind, cell] = FIRST_WORD[kind] + (lane >> 2)
                line_shift[kind, cell] = (lane & 3) << 4
                position[kind, cell] = place
                line[kind, cell] = lane
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if (dx or dy) and 0 <= x + dx < 15 and 0 <= y + dy < 15:
                        near = cell + 16 * dy + dx
                        around[cell, near >> 6] |= 1 << (near & 63)
                        inside[KING.index(near - cell), cell] = 1
            for s, n in enumerate(SIZES):
                if x >= n or y >= n:
                    continue
                zone[s, cell] = 3 * (y // (n // 3)) + x // (n // 3)
                word, bit = cell >> 6, 1 << (cell & 63)
                board[s, word] |= bit
                zone_cells[s, zone[s, cell], word] |= bit
                if n // 3 - 1 <= x <= 2 * (n // 3) and n // 3 - 1 <= y <= 2 * (n // 3):
                    ring[s, word] |= bit
                for kind, (dx, dy) in enumerate(((1, 0), (0, 1), (1, 1), (1, -1))):
                    up_x, down_x = (n - 1 - x, x) if dx else (n, n)
                    up_y, down_y = (n - 1 - y, y) if dy == 1 else (y, n - 1 - y) if dy else (n, n)
                    room_up[s, kind, cell] = min(up_x, up_y)
                    room_down[s, kind, cell] = min(down_x, down_y)
    for s, n in enumerate(SIZES):
        for x in range(n):
            # Columns a, turned to 14 - a, whose reflection 2x - a is on the board.
            for a in range(max(0, 2 * x - n + 1), min(n - 1, 2 * x) + 1):
                columns[s, x] |= EVERY_LANE << (14 - a)
        for z in range(9):
            for other in range(9):
                if abs(z // 3 - other // 3) <= 1 and abs(z % 3 - other % 3) <= 1:
                    touching[s, z] |= zone_cells[s, other]
    return (
        line_word,
        line_shift,
        position,
        line,
        columns,
        room_up,
        room_down,
        board,
        zone_cells,
        touching,
        ring,
        zone,
        around,
        inside,
    )


(
    LINE_WORD,
    LINE_SHIFT,
    POSITION,
    LINE,
    MIRRORED_COLUMNS,
    ROOM_UP,
    ROOM_DOWN,
    BOARD,
    ZONE_CELLS,
    TOUCHING,
    CLOSED_RING,
    ZONE,
    AROUND,
    INSIDE,
) = _geometry()
"""Tables of the board's geometry; the first index of most is the board's size (`_size_index`)."""

CENTRE_ZONE = 4
EVEN_COLUMNS = 0x5555555555555555
EVEN_ROWS = 0x0000FFFF0000FFFF


@inlined
def _size_index(rules: Any) -> int:
    return rules.size // 3 - 3


@njit
def state_size(rules: Any) -> int:
    """The words of a state."""
    return STATE_WORDS


@njit
def max_moves(rules: Any) -> int:
    """A bound far above what is met (about 250): a drop on every cell, and 64 moves for each of 225 subjects."""
    return 225 * 65 + 8


@njit
def feature_count(rules: Any) -> int:
    """The number of features."""
    return 12


@njit
def event_count(rules: Any) -> int:
    """The number of event counters."""
    return 10


@inlined
def has(state: Any, base: int, cell: int) -> bool:
    """Whether the set at ``base`` contains a cell."""
    return (state[base + (cell >> 6)] >> (cell & 63)) & 1 != 0


@inlined
def flip(state: Any, base: int, cell: int) -> None:
    """Puts a cell into the set at ``base``, or takes it out."""
    for kind in range(4):
        state[base + LINE_WORD[kind, cell]] ^= 1 << (LINE_SHIFT[kind, cell] + POSITION[kind, cell])


@inlined
def _lane(state: Any, base: int, kind: int, cell: int) -> int:
    """The set's cells on the line of this kind through ``cell``."""
    return (state[base + LINE_WORD[kind, cell]] >> LINE_SHIFT[kind, cell]) & LANE


@inlined
def _on_line(kind: int, cell: int, other: int) -> bool:
    return LINE[kind, cell] == LINE[kind, other]


@inlined
def _segment(rules: Any, state: Any, side: int, kind: int, cell: int, target: int) -> int:
    """Own subjects on a line through ``cell``, on its side of the enemy object at ``target`` where that cuts."""
    lane = _lane(state, side * SET_WORDS, kind, cell)
    if rules.enemy_object_cuts and target >= 0 and _on_line(kind, cell, target):
        cut = POSITION[kind, target]
        if cut < POSITION[kind, cell]:
            lane = (lane >> (cut + 1)) << (cut + 1)
        else:
            lane &= (1 << cut) - 1
    return lane


@inlined
def _middle(rules: Any, state: Any, side: int, cell: int, target: int) -> bool:
    """Whether own subjects stand on both sides of ``cell`` on some line (the enemy object being at ``target``)."""
    for kind in range(4):
        lane = _segment(rules, state, side, kind, cell, target)
        place = POSITION[kind, cell]
        if (lane & ((1 << place) - 1)) != 0 and (lane >> (place + 1)) != 0:
            return True
    return False


@inlined
def _middle_elsewhere(rules: Any, state: Any, side: int, cell: int, target: int) -> bool:
    """Whether a subject has no links because it stands in the middle of a line, be it another line."""
    return rules.middle_piece == NO_LINKS and _middle(rules, state, side, cell, target)


@inlined
def _between(a: int, middle: int, b: int) -> bool:
    """Whether ``middle`` lies strictly between a and b on a row, column or diagonal."""
    for kind in range(4):
        if LINE[kind, a] == LINE[kind, b] and LINE[kind, a] == LINE[kind, middle]:
            low, high = min(POSITION[kind, a], POSITION[kind, b]), max(POSITION[kind, a], POSITION[kind, b])
            return low < POSITION[kind, middle] < high
    return False


@inlined
def _occupied(state: Any, kind: int, cell: int) -> int:
    """All pieces on a line."""
    word, shift = LINE_WORD[kind, cell], LINE_SHIFT[kind, cell]
    return ((state[word] | state[SET_WORDS + word] | state[OBJECTS + word]) >> shift) & LANE


@njit
def attacked(rules: Any, state: Any, side: int, target: int) -> bool:
    """Whether subjects or object of ``side`` attack ``target``, where the other side's object stands."""
    base = side * SET_WORDS
    for word in range(4):
        if state[base + word] & AROUND[target, word]:
            return True
    other = state[OBJECT_CELL + side]
    if other >= 0 and (AROUND[target, other >> 6] >> (other & 63)) & 1:
        return True
    # Links along a line: the nearest subject is the front, the farthest its partner.
    for kind in range(4):
        lane = _lane(state, base, kind, target)
        if lane & (lane - 1) == 0:
            continue
        place = POSITION[kind, target]
        up = lane >> (place + 1)
        down = lane & ((1 << place) - 1)
        if not rules.enemy_object_cuts and up != 0 and down != 0:
            continue
        if up & (up - 1):
            near, far = lowest(up), highest(up)
            if far - near >= near + 1:
                reaches = far - near == near + 1 or lowest(_occupied(state, kind, target) >> (place + 1)) == near
                front = target + (near + 1) * STEPS[kind]
                back = target + (far + 1) * STEPS[kind]
                if (
                    reaches
                    and not _middle_elsewhere(rules, state, side, front, target)
                    and not _middle_elsewhere(rules, state, side, back, target)
                ):
                    return True
        if down & (down - 1):
            near, far = highest(down), lowest(down)
            if near - far >= place - near:
                occupied = _occupied(state, kind, target) & ((1 << place) - 1)
                reaches = near - far == place - near or highest(occupied) == near
                front = target - (place - near) * STEPS[kind]
                back = target - (place - far) * STEPS[kind]
                if (
                    reaches
                    and not _middle_elsewhere(rules, state, side, front, target)
                    and not _middle_elsewhere(rules, state, side, back, target)
                ):
                    return True
    # Flights that follow no line: partners of the target's parity whose midpoint holds a subject.
    x, y = target & 15, target >> 4
    parity = (EVEN_COLUMNS << (x & 1)) & (EVEN_ROWS << (16 * (y & 1)))
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
                and not _middle_elsewhere(rules, state, side, pivot, target)
                and not _middle_elsewhere(rules, state, side, jumper, target)
            ):
                return True
    return False


@njit
def start(rules: Any, state: Any) -> None:
    """Writes the empty board."""
    state[:] = 0
    state[OBJECT_CELL] = -1
    state[OBJECT_CELL + 1] = -1
    state[HAND] = rules.subjects
    state[HAND + 1] = rules.subjects


@njit
def seat(rules: Any, state: Any) -> int:
    """The side to move."""
    return state[TURN]


@njit
def _placing(rules: Any, state: Any) -> int:
    """What the opening asks for: 1 an object, 0 a subject outside the centre zone, -1 nothing any more."""
    ply = state[PLIES]
    if state[OBJECT_CELL] >= 0 and state[OBJECT_CELL + 1] >= 0:
        return -1
    return 1 if rules.opening == OBJECTS_FIRST or ply > 0 else 0


@njit
def _placements(rules: Any, state: Any, moves: Any) -> int:
    """The legal placements of the object of the side to move."""
    s, side = _size_index(rules), state[TURN]
    first = state[OBJECT_CELL + 1 - side]
    n = 0
    for word in range(4):
        cells = BOARD[s, word]
        cells &= ~(CLOSED_RING[s, word] if rules.object_area == AWAY_FROM_CENTRE else ZONE_CELLS[s, CENTRE_ZONE, word])
        cells &= ~(state[word] | state[SET_WORDS + word] | state[OBJECTS + word])
        if first >= 0:
            if rules.later_object == OUTSIDE_ENEMY_ZONE:
                cells &= ~ZONE_CELLS[s, ZONE[s, first], word]
            elif rules.later_object == AWAY_FROM_ENEMY_ZONE:
                cells &= ~TOUCHING[s, ZONE[s, first], word]
        while cells:
            cell = word * 64 + lowest(cells)
            cells &= cells - 1
            flip(state, OBJECTS, cell)
            safe = not attacked(rules, state, 1 - side, cell)
            flip(state, OBJECTS, cell)
            if safe:
                moves[n] = OBJECT << 16 | cell
                n += 1
    return n


@njit
def _side_of(a: int, b: int, c: int) -> int:
    """The sign of the turn a-b-c: on which side of the line through a and b the cell c lies."""
    ax, ay = a & 15, a >> 4
    turn = ((b & 15) - ax) * ((c >> 4) - ay) - ((b >> 4) - ay) * ((c & 15) - ax)
    return 1 if turn > 0 else -1 if turn < 0 else 0


@njit
def _open_behind(a: int, b: int, target: int, word: int, cells: int) -> int:
    """Those of a word of cells that lie on the line through a and b, or on the side away from ``target``."""
    away = -_side_of(a, b, target)
    if away == 0:
        return 0
    found = 0
    rest = cells
    while rest:
        bit = rest & -rest
        rest ^= bit
        turn = _side_of(a, b, word * 64 + lowest(bit))
        if turn == away or turn == 0:
            found |= bit
    return found


@njit
def _offside(rules: Any, state: Any, open_cells: Any, wanted: Any) -> None:
    """Adds to ``open_cells`` those of the ``wanted`` cells on which the offside rule allows a drop."""
    side = state[TURN]
    base = side * SET_WORDS
    target = state[OBJECT_CELL + 1 - side]
    own = scratch(256)
    distance = scratch(256)
    count = 0
    nearest = second = 1 << 20
    for word in range(4):
        cells = state[base + word]
        while cells:
            cell = word * 64 + lowest(cells)
            cells &= cells - 1
            dx, dy = (cell & 15) - (target & 15), (cell >> 4) - (target >> 4)
            own[count] = cell
            distance[count] = dx * dx + dy * dy
            if distance[count] < nearest:
                second = nearest
                nearest = distance[count]
            elif distance[count] < second:
                second = distance[count]
            count += 1
    if rules.offside == NEAREST_TWO:
        kept = 0
        for i in range(count):
            if distance[i] <= second:
                own[kept], distance[kept] = own[i], distance[i]
                kept += 1
        count = kept
    for i in range(count):
        for j in range(i):
            a, b = own[i], own[j]
            if rules.offside == NEAREST_TWO:
                if min(distance[i], distance[j]) != nearest or max(distance[i], distance[j]) != second:
                    continue
            elif rules.offside == FRONT:
                ahead = _side_of(a, b, target)
                front = ahead != 0
                for k in range(count):
                    if front and _side_of(a, b, own[k]) == ahead:
                        front = False
                if not front:
                    continue
            for word in range(4):
                missing = wanted[word] & ~open_cells[word]
                if missing:
                    open_cells[word] |= _open_behind(a, b, target, word, missing)


@njit
def _zones_open(rules: Any, state: Any, open_cells: Any) -> None:
    """Fills ``open_cells`` with the cells of the zones that are open to drops while the limits last."""
    s, side = _size_index(rules), state[TURN]
    own = ZONE[s, state[OBJECT_CELL + side]]
    enemy = ZONE[s, state[OBJECT_CELL + 1 - side]]
    for word in range(4):
        open_cells[word] = (BOARD[s, word] & ~TOUCHING[s, enemy, word]) | ZONE_CELLS[s, own, word]


@njit
def _drop_cells(rules: Any, state: Any, cells: Any) -> None:
    """Fills ``cells`` with the cells where the side to move may drop a subject, check aside; its hand is not asked."""
    s = _size_index(rules)
    if rules.adjacent_drops == FORBIDDEN:
        # Each lane smeared one column either way, then one row up and down.
        above = 0
        smeared = scratch(6)
        smeared[0] = 0
        smeared[5] = 0
        for word in range(4):
            both = state[word] | state[SET_WORDS + word]
            smeared[word + 1] = both | (both << 1) | (both >> 1)
        for word in range(4):
            above = smeared[word + 1] << 16 | ((smeared[word] >> 48) & 0xFFFF)
            below = ((smeared[word + 1] >> 16) & 0xFFFFFFFFFFFF) | smeared[word + 2] << 48
            cells[word] = BOARD[s, word] & ~(smeared[word + 1] | above | below | state[OBJECTS + word])
    else:
        for word in range(4):
            cells[word] = BOARD[s, word] & ~(state[word] | state[SET_WORDS + word] | state[OBJECTS + word])
    if state[OBJECT_CELL] < 0 or state[OBJECT_CELL + 1] < 0:
        for word in range(4):
            cells[word] &= ~ZONE_CELLS[s, CENTRE_ZONE, word]
    elif not state[LIMITS_ENDED]:
        zones = scratch(4)
        _zones_open(rules, state, zones)
        if rules.offside != OFFSIDE_OFF:
            _offside(rules, state, zones, cells)
        for word in range(4):
            cells[word] &= zones[word]


@njit
def _blocks(rules: Any, state: Any, cells: Any) -> None:
    """Keeps those of ``cells`` on which a dropped subject would end the check to the side to move."""
    side = state[TURN]
    target = state[OBJECT_CELL + side]
    for word in range(4):
        rest = cells[word]
        kept = 0
        while rest:
            bit = rest & -rest
            rest ^= bit
            cell = word * 64 + lowest(bit)
            on_some_line = False
            for kind in range(4):
                on_some_line |= _on_line(kind, cell, target)
            if on_some_line:
                flip(state, side * SET_WORDS, cell)
                if not attacked(rules, state, 1 - side, target):
                    kept |= bit
                flip(state, side * SET_WORDS, cell)
        cells[word] = kept


@njit
def _try_drop(rules: Any, state: Any, side: int, cell: int, target: int) -> bool:
    """Whether a subject dropped on ``cell`` would attack the enemy object at ``target``."""
    base = side * SET_WORDS
    flip(state, base, cell)
    check = attacked(rules, state, side, target)
    flip(state, base, cell)
    return check


@njit
def _without_check(rules: Any, state: Any, cells: Any) -> None:
    """Takes from ``cells`` those on which a drop would give check.

    A drop makes no links but its own, so only cells next to the enemy object, on a line with it and a subject of the
    dropper, or at the right place of a flight are tried.
    """
    side = state[TURN]
    base = side * SET_WORDS
    target = state[OBJECT_CELL + 1 - side]
    tx, ty = target & 15, target >> 4
    for word in range(4):
        cells[word] &= ~AROUND[target, word]
    # On a line: nearer than the nearest own subject, or beyond the farthest.
    for kind in range(4):
        lane = _lane(state, base, kind, target)
        place = POSITION[kind, target]
        up = lane >> (place + 1)
        down = lane & ((1 << place) - 1)
        step = STEPS[kind]
        if up:
            near, far = lowest(up) + 1, highest(up) + 1
            for k in range(2, LANE_LENGTH - place):
                if near <= k <= far:
                    continue
                cell = target + k * step
                if cell < 0 or cell >= CELLS or (cell & 15) == 15:
                    break
                if has(cells, 0, cell) and _try_drop(rules, state, side, cell, target):
                    cells[cell >> 6] &= ~(1 << (cell & 63))
        if down:
            near, far = place - highest(down), place - lowest(down)
            for k in range(2, place + 1):
                if near <= k <= far:
                    continue
                cell = target - k * step
                if cell < 0 or cell >= CELLS or (cell & 15) == 15:
                    break
                if has(cells, 0, cell) and _try_drop(rules, state, side, cell, target):
                    cells[cell >> 6] &= ~(1 << (cell & 63))
    for word in range(4):
        own = state[base + word]
        while own:
            subject = word * 64 + lowest(own)
            own &= own - 1
            dx, dy = (subject & 15) - tx, (subject >> 4) - ty
            if dx == 0 or dy == 0 or dx == dy or dx == -dy:
                continue
            x, y = tx + 2 * dx, ty + 2 * dy
            if 0 <= x < 15 and 0 <= y < 15 and has(cells, 0, 16 * y + x):
                if _try_drop(rules, state, side, 16 * y + x, target):
                    cells[(16 * y + x) >> 6] &= ~(1 << ((16 * y + x) & 63))
            if (dx | dy) & 1 == 0:
                cell = (subject + target) >> 1
                if has(cells, 0, cell) and _try_drop(rules, state, side, cell, target):
                    cells[cell >> 6] &= ~(1 << (cell & 63))


LANE_LENGTH = 15


@njit
def _drops(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Appends the legal drops."""
    side = state[TURN]
    if rules.subjects and state[HAND + side] == 0:
        return n
    cells = scratch(4)
    _drop_cells(rules, state, cells)
    if state[IN_CHECK]:
        _blocks(rules, state, cells)
    if rules.drop_check == FORBIDDEN and state[OBJECT_CELL + 1 - side] >= 0:
        _without_check(rules, state, cells)
    for word in range(4):
        rest = cells[word]
        while rest:
            moves[n] = word * 64 + lowest(rest)
            rest &= rest - 1
            n += 1
    return n


@njit
def _object_step(rules: Any, state: Any, direction: int) -> int:
    """The object's move in one of the eight directions, or -1 if it is not legal."""
    s, side = _size_index(rules), state[TURN]
    own, enemy = side * SET_WORDS, (1 - side) * SET_WORDS
    origin = state[OBJECT_CELL + side]
    cell = (origin + KING[direction]) & 255
    word, bit = cell >> 6, cell & 63
    if not INSIDE[direction, origin] or not (BOARD[s, word] >> bit) & 1:
        return -1
    if ((state[own + word] | state[OBJECTS + word]) >> bit) & 1:
        return -1
    if (
        rules.object_into_centre == AFTER_FIRST_CHECK
        and not state[CHECKED]
        and ZONE[s, cell] == CENTRE_ZONE
        and ZONE[s, origin] != CENTRE_ZONE
    ):
        return -1
    captures = has(state, enemy, cell)
    flip(state, OBJECTS, origin)
    flip(state, OBJECTS, cell)
    if captures:
        flip(state, enemy, cell)
    safe = not attacked(rules, state, 1 - side, cell)
    if captures:
        flip(state, enemy, cell)
    flip(state, OBJECTS, cell)
    flip(state, OBJECTS, origin)
    return OBJECT << 16 | cell if safe else -1


@njit
def _object_steps(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Appends the legal moves of the object."""
    for direction in range(8):
        move = _object_step(rules, state, direction)
        if move >= 0:
            moves[n] = move
            n += 1
    return n


@njit
def _exposes(rules: Any, state: Any, side: int, origin: int, cell: int) -> bool:
    """Whether moving a subject from ``origin`` to ``cell`` leaves the own object attacked: by trying it."""
    own, enemy = side * SET_WORDS, (1 - side) * SET_WORDS
    captures = has(state, enemy, cell)
    flip(state, own, origin)
    flip(state, own, cell)
    if captures:
        flip(state, enemy, cell)
    exposed = attacked(rules, state, 1 - side, state[OBJECT_CELL + side])
    if captures:
        flip(state, enemy, cell)
    flip(state, own, cell)
    flip(state, own, origin)
    return exposed


@njit
def _pinned(rules: Any, state: Any, side: int, pinned: Any) -> None:
    """Fills ``pinned`` with the subjects that may shield the own object from a slide: each the only piece between."""
    target = state[OBJECT_CELL + side]
    own, enemy = side * SET_WORDS, (1 - side) * SET_WORDS
    for word in range(4):
        pinned[word] = 0
    for kind in range(4):
        threat = _lane(state, enemy, kind, target)
        if threat & (threat - 1) == 0:
            continue
        place = POSITION[kind, target]
        mine = _lane(state, own, kind, target)
        occupied = _occupied(state, kind, target)
        up, down = threat >> (place + 1), threat & ((1 << place) - 1)
        if up & (up - 1) and highest(up) - lowest(up) >= lowest(up) + 1:
            between = (occupied >> (place + 1)) & ((up & -up) - 1)
            if between != 0 and between & (between - 1) == 0 and between & (mine >> (place + 1)):
                cell = target + (lowest(between) + 1) * STEPS[kind]
                pinned[cell >> 6] |= 1 << (cell & 63)
        if down & (down - 1) and highest(down) - lowest(down) >= place - highest(down):
            between = (occupied & ((1 << place) - 1)) >> (highest(down) + 1)
            if between != 0 and between & (between - 1) == 0 and between & (mine >> (highest(down) + 1)):
                cell = target - (place - highest(down) - 1 - lowest(between)) * STEPS[kind]
                pinned[cell >> 6] |= 1 << (cell & 63)


@inlined
def _frees_links(state: Any, base: int, cell: int) -> bool:
    """Whether capturing the subject on ``cell`` may give others of its side new links: it stands in a three."""
    for kind in range(4):
        lane = _lane(state, base, kind, cell)
        lane &= lane - 1
        if lane & (lane - 1):
            return True
    return False


@inlined
def _linked_set(rules: Any, state: Any, side: int, target: int, linked: Any, backwards: Any) -> None:
    """Fills ``linked`` with the subjects that may have links: all, or those in the middle of no line.

    ``backwards`` (12 words) gets the same set turned by 180 degrees, cell c to 254 - c, in its words 4 to 7.
    """
    base = side * SET_WORDS
    for word in range(12):
        backwards[word] = 0
    for word in range(4):
        cells = state[base + word]
        linked[word] = cells
        while cells:
            bit = cells & -cells
            cells ^= bit
            cell = word * 64 + lowest(bit)
            if rules.middle_piece == NO_LINKS and _middle(rules, state, side, cell, target):
                linked[word] ^= bit
            else:
                backwards[4 + ((254 - cell) >> 6)] |= 1 << ((254 - cell) & 63)


@inlined
def _slides(rules: Any, state: Any, side: int, linked: Any, target: int, slides: Any) -> int:
    """Fills ``slides`` with all slides of two or more squares and returns their number.

    Each takes three entries: the subject's cell, its step, and how many squares it reaches. The ends of a line slide
    away from each other, so they meet no own subject; they stop on an enemy piece, and before their own object.
    """
    s = _size_index(rules)
    mine = state[OBJECT_CELL + side]
    n = 0
    for word in range(4):
        subjects = linked[word]
        while subjects:
            cell = word * 64 + lowest(subjects)
            subjects &= subjects - 1
            for kind in range(4):
                lane = _segment(rules, state, side, kind, cell, target)
                place = POSITION[kind, cell]
                high = lane >> (place + 1)
                # Each linked line is met once, at its lower end.
                if high == 0 or (lane & ((1 << place) - 1)) != 0:
                    continue
                step = STEPS[kind]
                distance = highest(high) + 1
                partner = cell + distance * step
                if distance < 2 or not has(linked, 0, partner):
                    continue
                occupied = _occupied(state, kind, cell)
                below = occupied & ((1 << place) - 1)
                above = occupied >> (place + distance + 1)
                stop = place - highest(below) if below else 99
                reach = min(distance, ROOM_DOWN[s, kind, cell])
                if stop <= reach:
                    reach = stop - 1 if mine == cell - stop * step else stop
                slides[n] = cell
                slides[n + 1] = -step
                slides[n + 2] = reach
                n += 3 if reach >= 2 else 0
                stop = lowest(above) + 1 if above else 99
                reach = min(distance, ROOM_UP[s, kind, partner])
                if stop <= reach:
                    reach = stop - 1 if mine == partner + stop * step else stop
                slides[n] = partner
                slides[n + 1] = step
                slides[n + 2] = reach
                n += 3 if reach >= 2 else 0
    return n // 3


@inlined
def _flights(rules: Any, state: Any, side: int, backwards: Any, pivot: int, target: int, landing: Any) -> None:
    """Fills ``landing`` with the squares to which linked subjects fly about ``pivot``, whatever stands there.

    ``backwards`` is the turned set of linked subjects. The point reflection of c about p is 2p - c = (254 - c) +
    (2p - 254): the turned set, shifted.
    """
    s = _size_index(rules)
    columns = MIRRORED_COLUMNS[s, pivot & 15]
    begin = 510 - 2 * pivot
    skip, shift = begin >> 6, begin & 63
    for word in range(4):
        low = (backwards[skip + word] & columns) >> shift
        high = ((backwards[skip + word + 1] & columns) << (63 - shift)) << 1
        landing[word] = (low | high) & BOARD[s, word]
    # A subject does not fly over itself.
    landing[pivot >> 6] &= ~(1 << (pivot & 63))
    if rules.middle_piece != NO_LINKS:
        _unlink_middles(rules, state, side, pivot, target, landing)
    elif rules.enemy_object_cuts and target >= 0:
        dx, dy = (pivot & 15) - (target & 15), (pivot >> 4) - (target >> 4)
        if dx == 0 or dy == 0 or dx == dy or dx == -dy:
            for kind in range(4):
                if _on_line(kind, pivot, target):
                    _unlink_across(rules, state, side, kind, pivot, target, landing)


@njit
def _unlink_across(rules: Any, state: Any, side: int, kind: int, pivot: int, target: int, landing: Any) -> None:
    """Takes from ``landing`` the flights of subjects beyond the enemy object on the line through ``pivot``."""
    lane = _lane(state, side * SET_WORDS, kind, pivot)
    beyond = lane & ~_segment(rules, state, side, kind, pivot, target)
    place = POSITION[kind, pivot]
    while beyond:
        jump = place - lowest(beyond)
        beyond &= beyond - 1
        _remove(rules, landing, kind, pivot, jump)


@njit
def _remove(rules: Any, landing: Any, kind: int, pivot: int, jump: int) -> None:
    """Takes the square ``jump`` steps up the line from ``pivot`` out of ``landing``, where that is on the board."""
    s = _size_index(rules)
    room = ROOM_UP[s, kind, pivot] if jump > 0 else ROOM_DOWN[s, kind, pivot]
    if abs(jump) <= room:
        cell = pivot + jump * STEPS[kind]
        landing[cell >> 6] &= ~(1 << (cell & 63))


@njit
def _unlink_middles(rules: Any, state: Any, side: int, pivot: int, target: int, landing: Any) -> None:
    """Takes from ``landing`` the flights along lines on which pivot and jumper are not the two ends."""
    for kind in range(4):
        lane = _lane(state, side * SET_WORDS, kind, pivot)
        segment = _segment(rules, state, side, kind, pivot, target)
        place = POSITION[kind, pivot]
        low, high = segment & ((1 << place) - 1), segment >> (place + 1)
        partner = -1
        if high == 0 and low != 0:
            partner = lowest(low)
        elif low == 0 and high != 0:
            partner = highest(high) + place + 1
        rest = lane & ~(1 << place)
        while rest:
            other = lowest(rest)
            rest &= rest - 1
            if other != partner:
                _remove(rules, landing, kind, pivot, place - other)


@njit
def _keep_safe(rules: Any, state: Any, side: int, pinned: Any, moves: Any, begin: int, n: int) -> int:
    """Keeps those of ``moves[begin:n]``, moves of subjects, that do not expose the own object; returns the new n.

    Only what may expose it is tried: answers to a check, moves of pinned subjects, and captures that may give the
    enemy new links.
    """
    enemy = (1 - side) * SET_WORDS
    in_check = state[IN_CHECK] != 0
    target = state[OBJECT_CELL + side]
    kept = begin
    for i in range(begin, n):
        move = moves[i]
        origin, cell = (move >> 8) & 255, move & 255
        captures = has(state, enemy, cell)
        if in_check and not captures:
            # Nothing but a capture or a piece in a slide's way ends a check.
            dx, dy = (cell & 15) - (target & 15), (cell >> 4) - (target >> 4)
            if dx != 0 and dy != 0 and dx != dy and dx != -dy:
                continue
        risky = in_check or has(pinned, 0, origin) or (captures and _frees_links(state, enemy, cell))
        if not risky or not _exposes(rules, state, side, origin, cell):
            moves[kept] = move
            kept += 1
    return kept


@njit
def _subject_moves(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Appends the legal moves of the subjects.

    Squares are tried without branches: every candidate is written, and only counted if it is a move. Captures go to
    the other end of the buffer first, because some of them must be tried out.
    """
    s, side = _size_index(rules), state[TURN]
    own, enemy = side * SET_WORDS, (1 - side) * SET_WORDS
    target = state[OBJECT_CELL + 1 - side]
    linked, pinned, open_cells, enemies = scratch(4), scratch(4), scratch(4), scratch(4)
    backwards, landing = scratch(12), scratch(4)
    slides = scratch(768)
    _linked_set(rules, state, side, target, linked, backwards)
    _pinned(rules, state, side, pinned)
    any_pinned = (pinned[0] | pinned[1] | pinned[2] | pinned[3]) != 0
    for w in range(4):
        enemies[w] = state[enemy + w]
        open_cells[w] = BOARD[s, w] & ~(state[own + w] | state[OBJECTS + w] | enemies[w])
    begin = n
    spare = moves.shape[0] // 2
    captures = spare
    for word in range(4):
        subjects = state[own + word]
        while subjects:
            bit = subjects & -subjects
            subjects ^= bit
            origin = word * 64 + lowest(bit)
            code = MOVE << 16 | origin << 8
            for i in range(8):
                # Beyond the edge lies the empty 16th column or a cell outside of 0-255, brought back by the mask.
                cell = (origin + KING[i]) & 255
                moves[n] = code | cell
                n += (open_cells[cell >> 6] >> (cell & 63)) & 1 & INSIDE[i, origin]
                moves[captures] = code | cell
                captures += (enemies[cell >> 6] >> (cell & 63)) & 1 & INSIDE[i, origin]
            if linked[word] & bit:
                _flights(rules, state, side, backwards, origin, target, landing)
                for w in range(4):
                    quiet = landing[w] & open_cells[w]
                    while quiet:
                        cell = w * 64 + lowest(quiet)
                        quiet &= quiet - 1
                        moves[n] = MOVE << 16 | (2 * origin - cell) << 8 | cell
                        n += 1
                    taken = landing[w] & enemies[w]
                    while taken:
                        cell = w * 64 + lowest(taken)
                        taken &= taken - 1
                        moves[captures] = MOVE << 16 | (2 * origin - cell) << 8 | cell
                        captures += 1
    for i in range(_slides(rules, state, side, linked, target, slides)):
        origin, step, reach = slides[3 * i], slides[3 * i + 1], slides[3 * i + 2]
        last = origin + reach * step
        code = MOVE << 16 | origin << 8
        for k in range(2, reach):
            moves[n] = code | (origin + k * step)
            n += 1
        if has(enemies, 0, last):
            moves[captures] = code | last
            captures += 1
        elif has(open_cells, 0, last):
            moves[n] = code | last
            n += 1
    if state[IN_CHECK] or any_pinned:
        n = _keep_safe(rules, state, side, pinned, moves, begin, n)
    captures = _keep_safe(rules, state, side, pinned, moves, spare, captures)
    for i in range(spare, captures):
        moves[n] = moves[i]
        n += 1
    return n


@njit
def legal_moves(rules: Any, state: Any, moves: Any) -> int:
    """Fills ``moves`` with the legal moves: drops, the object's, the subjects'."""
    placing = _placing(rules, state)
    if placing == 1:
        return _placements(rules, state, moves)
    n = _drops(rules, state, moves, 0)
    if placing == 0:
        return n
    n = _object_steps(rules, state, moves, n)
    return _subject_moves(rules, state, moves, n)


@njit
def sample_move(rules: Any, state: Any, rng: Any) -> int:
    """A uniformly random legal move, found without listing them all, or -1: list them.

    A candidate is drawn from a larger set that is easily numbered (each open drop, eight steps of each piece, each
    ordered pair for a flight, each subject, direction and length for a slide) until one is legal. Every legal move is
    one candidate, so each is equally likely; giving up after a fixed number of draws does not change that.
    """
    if _placing(rules, state) >= 0 or state[IN_CHECK] or rules.middle_piece != NO_LINKS:
        return -1
    s, side = _size_index(rules), state[TURN]
    own, enemy = side * SET_WORDS, (1 - side) * SET_WORDS
    mine, target = state[OBJECT_CELL + side], state[OBJECT_CELL + 1 - side]
    cells, subjects = scratch(4), scratch(256)
    drops = 0
    if not rules.subjects or state[HAND + side] > 0:
        _drop_cells(rules, state, cells)
        for word in range(4):
            drops += popcount(cells[word])
    count = 0
    for word in range(4):
        rest = state[own + word]
        while rest:
            subjects[count] = word * 64 + lowest(rest)
            rest &= rest - 1
            count += 1
    lengths = (rules.size - 1) // 2 - 1
    object_steps = drops + 8
    steps = object_steps + 8 * count
    flights = steps + count * (count - 1)
    total = flights + 8 * lengths * count
    for _ in range(400):
        pick = below(rng, total)
        if pick < drops:
            word = 0
            while pick >= popcount(cells[word]):
                pick -= popcount(cells[word])
                word += 1
            rest = cells[word]
            for _ in range(pick):
                rest &= rest - 1
            cell = word * 64 + lowest(rest)
            if rules.drop_check != FORBIDDEN or not _try_drop(rules, state, side, cell, target):
                return cell
            continue
        if pick < object_steps:
            n = _object_step(rules, state, pick - drops)
            if n >= 0:
                return n
            continue
        if pick < steps:
            origin = subjects[(pick - object_steps) >> 3]
            direction = (pick - object_steps) & 7
            cell = (origin + KING[direction]) & 255
            if not INSIDE[direction, origin]:
                continue
        elif pick < flights:
            pair = pick - steps
            i = pair // (count - 1)
            j = pair - i * (count - 1)
            origin, pivot = subjects[i], subjects[j + 1 if j >= i else j]
            x, y = 2 * (pivot & 15) - (origin & 15), 2 * (pivot >> 4) - (origin >> 4)
            if x < 0 or y < 0 or x >= rules.size or y >= rules.size:
                continue
            cell = 16 * y + x
            if has(state, own, cell):
                continue
            if rules.enemy_object_cuts and _between(origin, target, pivot):
                continue
            if _middle(rules, state, side, origin, target) or _middle(rules, state, side, pivot, target):
                continue
        else:
            slide = pick - flights
            origin = subjects[slide // (8 * lengths)]
            slide %= 8 * lengths
            kind, up, length = slide & 3, (slide >> 2) & 1, (slide >> 3) + 2
            lane = _segment(rules, state, side, kind, origin, target)
            place = POSITION[kind, origin]
            low, high = lane & ((1 << place) - 1), lane >> (place + 1)
            occupied = _occupied(state, kind, origin)
            if up:
                if high != 0 or low == 0 or length > ROOM_UP[s, kind, origin] or length > place - lowest(low):
                    continue
                ahead = occupied >> (place + 1)
                if ahead != 0 and lowest(ahead) + 1 < length:
                    continue
                cell = origin + length * STEPS[kind]
                partner = origin - (place - lowest(low)) * STEPS[kind]
            else:
                if low != 0 or high == 0 or length > ROOM_DOWN[s, kind, origin] or length > highest(high) + 1:
                    continue
                ahead = occupied & ((1 << place) - 1)
                if ahead != 0 and place - highest(ahead) < length:
                    continue
                cell = origin - length * STEPS[kind]
                partner = origin + (highest(high) + 1) * STEPS[kind]
            if _middle(rules, state, side, origin, target) or _middle(rules, state, side, partner, target):
                continue
        if not has(state, own, cell) and (BOARD[s, cell >> 6] >> (cell & 63)) & 1 and cell != mine and cell != target:
            captures = has(state, enemy, cell)
            dx, dy = (origin & 15) - (mine & 15), (origin >> 4) - (mine >> 4)
            shields = dx == 0 or dy == 0 or dx == dy or dx == -dy
            risky = shields or (captures and _frees_links(state, enemy, cell))
            if not risky or not _exposes(rules, state, side, origin, cell):
                return MOVE << 16 | origin << 8 | cell
    return -1


@njit
def tactical_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """All answers to a check; any other position is quiet."""
    if state[IN_CHECK]:
        return legal_moves(rules, state, moves), False
    return 0, True


@njit
def play(rules: Any, state: Any, move: int) -> None:
    """Applies a legal move."""
    s, side = _size_index(rules), state[TURN]
    own, enemy = side * SET_WORDS, (1 - side) * SET_WORDS
    kind, origin, cell = move >> 16, (move >> 8) & 255, move & 255
    entered = False
    if kind == DROP:
        flip(state, own, cell)
        if rules.subjects:
            state[HAND + side] -= 1
    else:
        if has(state, enemy, cell):
            flip(state, enemy, cell)
            if rules.subjects:
                state[HAND + side] += 1
        if kind == OBJECT:
            before = state[OBJECT_CELL + side]
            if before >= 0:
                flip(state, OBJECTS, before)
                entered = ZONE[s, cell] == CENTRE_ZONE and ZONE[s, before] != CENTRE_ZONE
            flip(state, OBJECTS, cell)
            state[OBJECT_CELL + side] = cell
        else:
            flip(state, own, origin)
            flip(state, own, cell)
    state[TURN] = 1 - side
    state[PLIES] += 1
    target = state[OBJECT_CELL + 1 - side]
    check = target >= 0 and attacked(rules, state, side, target)
    state[IN_CHECK] = 1 if check else 0
    if check:
        state[CHECKED] = 1
        if rules.limits_end != END_NEVER:
            state[LIMITS_ENDED] = 1
    if entered and rules.limits_end == END_CHECK_OR_CENTRE:
        state[LIMITS_ENDED] = 1


@njit
def outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Mate or stuck where there is no legal move."""
    if n > 0:
        return ONGOING, 0
    winner = FIRST if state[TURN] == 1 else SECOND
    if state[IN_CHECK]:
        return winner, MATE
    return (DRAW if rules.stuck == STUCK_IS_DRAW else winner), STUCK


@njit
def repetition(rules: Any, state: Any, count: int) -> tuple[int, int]:
    """The side to move began the sequence: it loses when the position occurs too often."""
    if rules.repetition == REPETITION_OFF or count < rules.repetition_count:
        return ONGOING, 0
    if rules.repetition == INITIATOR_LOSES:
        return (FIRST if state[TURN] == 1 else SECOND), REPETITION
    return DRAW, REPETITION


@njit
def key(rules: Any, state: Any) -> Any:
    """A hash of board, side to move, whether the limits have ended, and hands where the supply is limited.

    Under ``object_into_centre: after-first-check`` it matters, too, whether there has been a check.
    """
    word = (
        (state[OBJECT_CELL] + 1)
        | (state[OBJECT_CELL + 1] + 1) << 9
        | state[TURN] << 18
        | state[LIMITS_ENDED] << 19
        | (state[CHECKED] & rules.object_into_centre) << 20
    )
    if rules.subjects:
        word |= state[HAND] << 24 | state[HAND + 1] << 36
    mixed = mix(np.uint64(word))
    for i in range(4):
        mixed = mix(mixed ^ np.uint64(state[i])) + np.uint64(i)
        mixed = mix(mixed ^ np.uint64(state[SET_WORDS + i])) + np.uint64(i)
    return mixed


@njit
def _reach(rules: Any, state: Any, side: int, attack: Any, counts: Any) -> None:
    """Fills ``attack`` with the cells that ``side`` attacks or defends, and ``counts`` with what its subjects do.

    counts: 0 squares reached, 1 hits on the enemy object and around it, 2 those of them by links, 3 linked subjects,
    4 subjects, 5 subjects within three steps of the enemy object.
    """
    s = _size_index(rules)
    own = side * SET_WORDS
    target = state[OBJECT_CELL + 1 - side]
    linked, backwards, landing = scratch(4), scratch(12), scratch(4)
    free, zone, slides = scratch(4), scratch(4), scratch(768)
    _linked_set(rules, state, side, target, linked, backwards)
    for i in range(6):
        counts[i] = 0
    for w in range(4):
        attack[w] = AROUND[state[OBJECT_CELL + side], w]
        free[w] = BOARD[s, w] & ~(state[own + w] | state[OBJECTS + w])
        zone[w] = AROUND[target, w]
    zone[target >> 6] |= 1 << (target & 63)
    for word in range(4):
        subjects = state[own + word]
        counts[3] += popcount(linked[word])
        counts[4] += popcount(subjects)
        while subjects:
            bit = subjects & -subjects
            subjects ^= bit
            origin = word * 64 + lowest(bit)
            if max(abs((origin & 15) - (target & 15)), abs((origin >> 4) - (target >> 4))) <= 3:
                counts[5] += 1
            for w in range(4):
                steps = AROUND[origin, w]
                attack[w] |= steps
                counts[0] += popcount(steps & free[w])
                counts[1] += popcount(steps & zone[w])
            if linked[word] & bit:
                _flights(rules, state, side, backwards, origin, target, landing)
                for w in range(4):
                    attack[w] |= landing[w]
                    counts[0] += popcount(landing[w] & free[w])
                    counts[2] += popcount(landing[w] & zone[w])
    for i in range(_slides(rules, state, side, linked, target, slides)):
        origin, step, reach = slides[3 * i], slides[3 * i + 1], slides[3 * i + 2]
        counts[0] += reach - 1
        for k in range(2, reach + 1):
            cell = origin + k * step
            attack[cell >> 6] |= 1 << (cell & 63)
            counts[2] += (zone[cell >> 6] >> (cell & 63)) & 1
    counts[1] += counts[2]


@njit
def _freedom(rules: Any, state: Any, side: int) -> int:
    """The number of cells where a side could drop a subject if it were its turn, check aside."""
    if rules.subjects and state[HAND + side] == 0:
        return 0
    cells = scratch(4)
    turn = state[TURN]
    state[TURN] = side
    _drop_cells(rules, state, cells)
    state[TURN] = turn
    return popcount(cells[0]) + popcount(cells[1]) + popcount(cells[2]) + popcount(cells[3])


@njit
def features(rules: Any, state: Any, out: Any) -> None:
    """Fills ``out`` with each feature of the declaration: the first seat's number less the second's."""
    s = _size_index(rules)
    for i in range(12):
        out[i] = 0.0
    if state[OBJECT_CELL] < 0 or state[OBJECT_CELL + 1] < 0:
        return
    attack, counts = scratch(8), scratch(12)
    _reach(rules, state, 0, attack[:4], counts[:6])
    _reach(rules, state, 1, attack[4:], counts[6:])
    shared = state[LIMITS_ENDED] != 0
    for side in range(2):
        sign = 1.0 - 2.0 * side
        mine = state[OBJECT_CELL + side]
        escapes = 0
        for w in range(4):
            steps = AROUND[mine, w] & BOARD[s, w] & ~state[side * SET_WORDS + w]
            escapes += popcount(steps & ~attack[4 * (1 - side) + w])
        out[0] += sign * escapes
        out[1] += sign * counts[6 * side + 1]
        out[2] += sign * counts[6 * side + 2]
        out[3] += sign * counts[6 * side]
        out[4] += sign * counts[6 * side + 4]
        out[5] += sign * counts[6 * side + 3]
        out[6] += sign * counts[6 * side + 5]
        if not shared:
            out[7] += sign * _freedom(rules, state, side)
        x, y = mine & 15, mine >> 4
        out[8] += sign * min(min(x, rules.size - 1 - x), min(y, rules.size - 1 - y))
        if rules.subjects:
            out[9] += sign * state[HAND + side]
    turn = 1.0 - 2.0 * state[TURN]
    out[10] = turn * state[IN_CHECK]
    out[11] = turn


@njit
def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Counts what a move did; the two last counters hold the ply after which the limits ended."""
    s, side = _size_index(rules), before[TURN]
    kind, origin, cell = move >> 16, (move >> 8) & 255, move & 255
    if kind == DROP:
        counts[0] += 1
        if before[OBJECT_CELL] >= 0 and before[OBJECT_CELL + 1] >= 0 and not before[LIMITS_ENDED]:
            zones = scratch(4)
            _zones_open(rules, before, zones)
            if not has(zones, 0, cell):
                counts[1] += 1
    if kind == MOVE:
        dx, dy = (cell & 15) - (origin & 15), (cell >> 4) - (origin >> 4)
        if max(abs(dx), abs(dy)) > 1:
            # A slide never passes an own subject, and a flight's midpoint always is one.
            flew = (dx | dy) & 1 == 0 and has(before, side * SET_WORDS, (origin + cell) >> 1)
            counts[3 if flew else 2] += 1
    if kind != DROP and has(before, (1 - side) * SET_WORDS, cell):
        counts[4] += 1
    entered = False
    if kind == OBJECT and before[OBJECT_CELL + side] >= 0:
        counts[5] += 1
        entered = ZONE[s, cell] == CENTRE_ZONE and ZONE[s, before[OBJECT_CELL + side]] != CENTRE_ZONE
    if after[IN_CHECK]:
        counts[6] += 1
    if entered:
        counts[7] += 1
    if after[LIMITS_ENDED] and not before[LIMITS_ENDED]:
        counts[8 if after[IN_CHECK] else 9] = after[PLIES]


implement(Rules, sys.modules[__name__])
