"""Where Chatra's subjects may be dropped: zones, the offside rule, adjacent drops, and drops that give check."""

from __future__ import annotations

from typing import Any

from workbench.engine.jit import highest, lowest, njit, scratch
from workbench.games.chatra.kernel_board import (
    AROUND,
    BOARD,
    CELLS,
    CENTRE_ZONE,
    FORBIDDEN,
    FRONT,
    HAND,
    IN_CHECK,
    LANE_LENGTH,
    LIMITS_ENDED,
    NEAREST_TWO,
    OBJECT_CELL,
    OBJECTS,
    OFFSIDE_OFF,
    POSITION,
    SEGMENT,
    SET_WORDS,
    STEPS,
    TOUCHING,
    TURN,
    ZONE,
    ZONE_CELLS,
    attacked,
    find_attack,
    flip,
    has,
    lane_of,
    size_index,
)


@njit
def _side_of(a: int, b: int, c: int) -> int:
    """The sign of the turn a-b-c: on which side of the line through a and b the cell c lies."""
    ax, ay = a & 15, a >> 4
    turn = ((b & 15) - ax) * ((c >> 4) - ay) - ((b >> 4) - ay) * ((c & 15) - ax)
    return 1 if turn > 0 else -1 if turn < 0 else 0


@njit
def _between_rays(a: int, b: int, target: int, cell: int) -> bool:
    """Whether ``cell`` lies in the angle at ``target`` between a and b, sides included; the three are not in line."""
    turn = _side_of(target, a, b)
    return _side_of(target, a, cell) != -turn and _side_of(target, cell, b) != -turn


@njit
def _open_behind(rules: Any, a: int, b: int, target: int, word: int, cells: int) -> int:
    """Those of a word of cells that lie on the offside line of a and b, or behind it seen from ``target``."""
    away = -_side_of(a, b, target)
    if away == 0:
        return 0
    found = 0
    rest = cells
    while rest:
        bit = rest & -rest
        rest ^= bit
        cell = word * 64 + lowest(bit)
        if _side_of(a, b, cell) != -away and (rules.offside_line != SEGMENT or _between_rays(a, b, target, cell)):
            found |= bit
    return found


@njit
def _is_front(rules: Any, a: int, b: int, target: int, own: Any, count: int) -> bool:
    """Whether none of the subjects ``own[:count]`` lies before the offside line of a and b, seen from ``target``."""
    before = _side_of(a, b, target)
    if before == 0:
        return False
    for k in range(count):
        cell = own[k]
        if _side_of(a, b, cell) == before and (rules.offside_line != SEGMENT or _between_rays(a, b, target, cell)):
            return False
    return True


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
            elif rules.offside == FRONT and not _is_front(rules, a, b, target, own, count):
                continue
            for word in range(4):
                missing = wanted[word] & ~open_cells[word]
                if missing:
                    open_cells[word] |= _open_behind(rules, a, b, target, word, missing)


@njit
def open_zones(rules: Any, state: Any, side: int, open_cells: Any) -> None:
    """Fills ``open_cells`` with the cells of the zones that are open to a side's drops while the limits last."""
    s = size_index(rules)
    own = ZONE[s, state[OBJECT_CELL + side]]
    enemy = ZONE[s, state[OBJECT_CELL + 1 - side]]
    for word in range(4):
        open_cells[word] = (BOARD[s, word] & ~TOUCHING[s, enemy, word]) | ZONE_CELLS[s, own, word]


@njit
def free_cells(rules: Any, state: Any, cells: Any) -> None:
    """Fills ``cells`` with the empty cells that no rule on adjacent drops closes."""
    s = size_index(rules)
    if rules.adjacent_drops != FORBIDDEN:
        for word in range(4):
            cells[word] = BOARD[s, word] & ~(state[word] | state[SET_WORDS + word] | state[OBJECTS + word])
        return
    # Each lane smeared one column either way, then one row up and down.
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


@njit
def drop_cells(rules: Any, state: Any, cells: Any) -> None:
    """Fills ``cells`` with the cells where the side to move may drop a subject, check aside; its hand is not asked."""
    free_cells(rules, state, cells)
    if state[OBJECT_CELL] < 0 or state[OBJECT_CELL + 1] < 0:
        for word in range(4):
            cells[word] &= ~ZONE_CELLS[size_index(rules), CENTRE_ZONE, word]
    elif not state[LIMITS_ENDED]:
        zones = scratch(4)
        open_zones(rules, state, state[TURN], zones)
        if rules.offside != OFFSIDE_OFF:
            _offside(rules, state, zones, cells)
        for word in range(4):
            cells[word] &= zones[word]


@njit
def _blocks(rules: Any, state: Any, cells: Any) -> None:
    """Keeps those of ``cells`` on which a dropped subject would end the check to the side to move."""
    side = state[TURN]
    target = state[OBJECT_CELL + side]
    remedies = scratch(4)
    find_attack(rules, state, 1 - side, target, remedies)
    for word in range(4):
        rest = cells[word] & remedies[word]
        cells[word] = 0
        while rest:
            bit = rest & -rest
            rest ^= bit
            cell = word * 64 + lowest(bit)
            flip(state, side * SET_WORDS, cell)
            if not attacked(rules, state, 1 - side, target):
                cells[word] |= bit
            flip(state, side * SET_WORDS, cell)


@njit
def drop_checks(rules: Any, state: Any, side: int, cell: int, target: int) -> bool:
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
        lane = lane_of(state, base, kind, target)
        place = POSITION[kind, target]
        up = lane >> (place + 1)
        down = lane & ((1 << place) - 1)
        step = STEPS[kind]
        if up:
            near, far = lowest(up) + 1, highest(up) + 1
            for k in range(2, LANE_LENGTH - place):
                # The front must be no nearer to its partner than to the object.
                if near <= k <= far or (2 * k > far if k < near else k < 2 * near):
                    continue
                cell = target + k * step
                if cell < 0 or cell >= CELLS or (cell & 15) == 15:
                    break
                if has(cells, 0, cell) and drop_checks(rules, state, side, cell, target):
                    cells[cell >> 6] &= ~(1 << (cell & 63))
        if down:
            near, far = place - highest(down), place - lowest(down)
            for k in range(2, place + 1):
                # The front must be no nearer to its partner than to the object.
                if near <= k <= far or (2 * k > far if k < near else k < 2 * near):
                    continue
                cell = target - k * step
                if cell < 0 or cell >= CELLS or (cell & 15) == 15:
                    break
                if has(cells, 0, cell) and drop_checks(rules, state, side, cell, target):
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
            cell = 16 * y + x
            inside = 0 <= x < 15 and 0 <= y < 15 and has(cells, 0, cell)
            if inside and drop_checks(rules, state, side, cell, target):
                cells[cell >> 6] &= ~(1 << (cell & 63))
            if (dx | dy) & 1 == 0:
                cell = (subject + target) >> 1
                if has(cells, 0, cell) and drop_checks(rules, state, side, cell, target):
                    cells[cell >> 6] &= ~(1 << (cell & 63))


@njit
def append_drops(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Appends the legal drops."""
    side = state[TURN]
    if rules.subjects and state[HAND + side] == 0:
        return n
    cells = scratch(4)
    drop_cells(rules, state, cells)
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
