"""Where Chatra's subjects may be dropped: zones, the offside rule, adjacent drops, and drops that give check."""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import highest, lowest
from workbench.engine.contract import INT, MOVES, STATE, separately_compiled
from workbench.engine.jit import njit, scratch
from workbench.games.chatra import kernel_board as b
from workbench.games.chatra.kernel_board import TOGGLES


@njit
def _side_of(one: int, two: int, cell: int) -> int:
    """Return the sign of the turn one-two-cell: on which side of the line through the first two the cell lies."""
    x, y = one & 15, one >> 4
    turn = ((two & 15) - x) * ((cell >> 4) - y) - ((two >> 4) - y) * ((cell & 15) - x)
    return 1 if turn > 0 else -1 if turn < 0 else 0


@njit
def _between_rays(one: int, two: int, target: int, cell: int) -> bool:
    """Whether ``cell`` lies in the angle at ``target`` between two cells, sides included; no three are in line."""
    turn = _side_of(target, one, two)
    return _side_of(target, one, cell) != -turn and _side_of(target, cell, two) != -turn


@njit
def _beyond(one: int, two: int, target: int, cell: int) -> bool:
    """Whether the way from ``target`` to ``cell`` meets the segment of two cells, all four in line and in no column."""
    a, b, c, d = one & 15, two & 15, target & 15, cell & 15
    return max(c, d) >= min(a, b) and min(c, d) <= max(a, b)


@njit
def _exempt(rules: Any, one: int, two: int) -> bool:
    """Return whether two subjects open nothing while the enemy object stands on the straight line through them."""
    dx, dy = abs((one & 15) - (two & 15)), abs((one >> 4) - (two >> 4))
    return rules.offside_exemption == TOGGLES.offside_exemption.any_slope or dx == 0 or dy == 0 or dx == dy


@njit
def _open_behind(rules: Any, one: int, two: int, target: int, word: int, cells: int) -> int:
    """Those of a word of cells that lie on the offside line of two subjects, or behind it seen from ``target``."""
    away = -_side_of(one, two, target)
    if away == 0 and _exempt(rules, one, two):
        return 0
    open_ones = 0
    rest = cells
    while rest:
        bit = rest & -rest
        rest ^= bit
        cell = word * 64 + lowest(bit)
        side = _side_of(one, two, cell)
        if (side == 0 or side == away) and (
            rules.offside_line != TOGGLES.offside_line.segment
            or (_beyond(one, two, target, cell) if away == 0 else _between_rays(one, two, target, cell))
        ):
            open_ones |= bit
    return open_ones


@njit
def _is_front(rules: Any, one: int, two: int, target: int, own: Any, count: int) -> bool:
    """Return whether none of the subjects ``own[:count]`` lies before the offside line, seen from ``target``."""
    before = _side_of(one, two, target)
    if before == 0:
        return not _exempt(rules, one, two)
    for k in range(count):
        cell = own[k]
        if _side_of(one, two, cell) == before and (
            rules.offside_line != TOGGLES.offside_line.segment or _between_rays(one, two, target, cell)
        ):
            return False
    return True


@njit
def _offside(rules: Any, state: Any, open_cells: Any, wanted: Any) -> None:
    """Add to ``open_cells`` those of the ``wanted`` cells on which the offside rule allows a drop."""
    side = state[b.TURN]
    base = side * b.SET_WORDS
    target = state[b.OBJECT_CELL + 1 - side]
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
    if rules.offside == TOGGLES.offside.nearest_two:
        kept = 0
        for i in range(count):
            if distance[i] <= second:
                own[kept], distance[kept] = own[i], distance[i]
                kept += 1
        count = kept
    for i in range(count):
        for j in range(i):
            one, two = own[i], own[j]
            if rules.offside == TOGGLES.offside.nearest_two:
                if min(distance[i], distance[j]) != nearest or max(distance[i], distance[j]) != second:
                    continue
            elif rules.offside == TOGGLES.offside.front and not _is_front(rules, one, two, target, own, count):
                continue
            for word in range(4):
                missing = wanted[word] & ~open_cells[word]
                if missing:
                    open_cells[word] |= _open_behind(rules, one, two, target, word, missing)


@njit
def open_zones(rules: Any, state: Any, side: int, open_cells: Any) -> None:
    """Fill ``open_cells`` with the cells of the zones that are open to a side's drops while the limits last."""
    s = b.size_index(rules)
    own = b.ZONE[s, state[b.OBJECT_CELL + side]]
    enemy = b.ZONE[s, state[b.OBJECT_CELL + 1 - side]]
    for word in range(4):
        open_cells[word] = (b.BOARD[s, word] & ~b.TOUCHING[s, enemy, word]) | b.ZONE_CELLS[s, own, word]


@njit
def free_cells(rules: Any, state: Any, cells: Any) -> None:
    """Fill ``cells`` with the empty cells that no rule on adjacent drops closes, and no map of the rules."""
    s = b.size_index(rules)
    _free_cells(rules, state, s, cells)
    for word in range(rules.drop_area.shape[0]):
        cells[word] &= rules.drop_area[word]


@njit
def _free_cells(rules: Any, state: Any, s: int, cells: Any) -> None:
    if rules.adjacent_drops != TOGGLES.adjacent_drops.forbidden:
        for word in range(4):
            cells[word] = b.BOARD[s, word] & ~(state[word] | state[b.SET_WORDS + word] | state[b.OBJECTS + word])
        return
    # Each lane smeared one column either way, then one row up and down.
    smeared = scratch(6)
    smeared[0] = 0
    smeared[5] = 0
    for word in range(4):
        both = state[word] | state[b.SET_WORDS + word]
        smeared[word + 1] = both | (both << 1) | (both >> 1)
    for word in range(4):
        above = smeared[word + 1] << 16 | ((smeared[word] >> 48) & 0xFFFF)
        below = ((smeared[word + 1] >> 16) & 0xFFFFFFFFFFFF) | smeared[word + 2] << 48
        cells[word] = b.BOARD[s, word] & ~(smeared[word + 1] | above | below | state[b.OBJECTS + word])


@njit
def drop_cells(rules: Any, state: Any, cells: Any) -> None:
    """Fill ``cells`` with the cells where the side to move may drop a subject, check aside; its hand is not asked."""
    free_cells(rules, state, cells)
    if state[b.OBJECT_CELL] < 0 or state[b.OBJECT_CELL + 1] < 0:
        for word in range(4):
            cells[word] &= ~b.ZONE_CELLS[b.size_index(rules), b.CENTRE_ZONE, word]
    elif not state[b.LIMITS_ENDED]:
        zones = scratch(4)
        open_zones(rules, state, state[b.TURN], zones)
        if rules.offside != TOGGLES.offside.off:
            _offside(rules, state, zones, cells)
        for word in range(4):
            cells[word] &= zones[word]


@njit
def _blocks(rules: Any, state: Any, cells: Any) -> None:
    """Keep those of ``cells`` on which a dropped subject would end the check to the side to move."""
    side = state[b.TURN]
    target = state[b.OBJECT_CELL + side]
    remedies = scratch(4)
    b.find_attack(rules, state, 1 - side, target, remedies)
    for word in range(4):
        rest = cells[word] & remedies[word]
        cells[word] = 0
        while rest:
            bit = rest & -rest
            rest ^= bit
            cell = word * 64 + lowest(bit)
            b.flip(state, side * b.SET_WORDS, cell)
            if not b.attacked(rules, state, 1 - side, target):
                cells[word] |= bit
            b.flip(state, side * b.SET_WORDS, cell)


@njit
def drop_checks(rules: Any, state: Any, side: int, cell: int, target: int) -> bool:
    """Return whether a subject dropped on ``cell`` would attack the enemy object at ``target``."""
    base = side * b.SET_WORDS
    b.flip(state, base, cell)
    check = b.attacked(rules, state, side, target)
    b.flip(state, base, cell)
    return check


@njit
def _without_check(rules: Any, state: Any, cells: Any) -> None:
    """Take from ``cells`` those on which a drop would give check.

    A drop makes no links but its own, so only cells next to the enemy object, on a line with it and a subject of the
    dropper, or at the right place of a flight are tried.
    """
    side = state[b.TURN]
    base = side * b.SET_WORDS
    target = state[b.OBJECT_CELL + 1 - side]
    tx, ty = target & 15, target >> 4
    for word in range(4):
        cells[word] &= ~b.AROUND[target, word]
    # On a line: nearer than the nearest own subject, or beyond the farthest.
    for kind in range(4):
        lane = b.lane_of(state, base, kind, target)
        place = b.POSITION[kind, target]
        up = lane >> (place + 1)
        down = lane & ((1 << place) - 1)
        step = b.STEPS[kind]
        if up:
            near, far = lowest(up) + 1, highest(up) + 1
            for k in range(2, b.LANE_LENGTH - place):
                # The front must be no nearer to its partner than to the object.
                if near <= k <= far or (2 * k > far if k < near else k < 2 * near):
                    continue
                cell = target + k * step
                if cell < 0 or cell >= b.CELLS or (cell & 15) == 15:
                    break
                if b.has(cells, 0, cell) and drop_checks(rules, state, side, cell, target):
                    cells[cell >> 6] &= ~(1 << (cell & 63))
        if down:
            near, far = place - highest(down), place - lowest(down)
            for k in range(2, place + 1):
                # The front must be no nearer to its partner than to the object.
                if near <= k <= far or (2 * k > far if k < near else k < 2 * near):
                    continue
                cell = target - k * step
                if cell < 0 or cell >= b.CELLS or (cell & 15) == 15:
                    break
                if b.has(cells, 0, cell) and drop_checks(rules, state, side, cell, target):
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
            inside = 0 <= x < 15 and 0 <= y < 15 and b.has(cells, 0, cell)
            if inside and drop_checks(rules, state, side, cell, target):
                cells[cell >> 6] &= ~(1 << (cell & 63))
            if (dx | dy) & 1 == 0:
                cell = (subject + target) >> 1
                if b.has(cells, 0, cell) and drop_checks(rules, state, side, cell, target):
                    cells[cell >> 6] &= ~(1 << (cell & 63))


@separately_compiled(INT, STATE, MOVES, INT)
def append_drops(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Append the legal drops."""
    side = state[b.TURN]
    if rules.subjects and state[b.HAND + side] == 0:
        return n
    cells = scratch(4)
    drop_cells(rules, state, cells)
    if state[b.IN_CHECK]:
        _blocks(rules, state, cells)
    if rules.drop_check == TOGGLES.drop_check.forbidden and state[b.OBJECT_CELL + 1 - side] >= 0:
        _without_check(rules, state, cells)
    for word in range(4):
        rest = cells[word]
        while rest:
            moves[n] = word * 64 + lowest(rest)
            rest &= rest - 1
            n += 1
    return n
