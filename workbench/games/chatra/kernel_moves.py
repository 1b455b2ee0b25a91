"""Drops and moves of Chatra's subjects, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.bits import highest, lowest
from workbench.engine.contract import INT, MOVES, STATE, separately_compiled
from workbench.engine.jit import njit, scratch
from workbench.games.chatra import kernel_board as b
from workbench.games.chatra.kernel_board import PAIRS, SLIDES, TOGGLES


@njit
def _side_of(first: int, second: int, cell: int) -> int:
    """Return the side of the line through two cells on which a third lies: 1, -1, or 0 if on the line."""
    x, y = first & 15, first >> 4
    cross_product = ((second & 15) - x) * ((cell >> 4) - y) - ((second >> 4) - y) * ((cell & 15) - x)
    return 1 if cross_product > 0 else -1 if cross_product < 0 else 0


@njit
def _between_rays(first: int, second: int, target: int, cell: int) -> bool:
    """Return whether ``cell`` is in the angle at ``target`` between two cells, which are not in line with it."""
    orientation = _side_of(target, first, second)
    return _side_of(target, first, cell) != -orientation and _side_of(target, cell, second) != -orientation


@njit
def _beyond(first: int, second: int, target: int, cell: int) -> bool:
    """Return whether the path from ``target`` to ``cell`` meets the segment between two cells, all four collinear."""
    a, b, c, d = first & 15, second & 15, target & 15, cell & 15
    return max(c, d) >= min(a, b) and min(c, d) <= max(a, b)


@njit
def _is_exempt(rules: Any, first: int, second: int) -> bool:
    """Return whether two subjects open no cells because the enemy object is in line with them."""
    dx, dy = abs((first & 15) - (second & 15)), abs((first >> 4) - (second >> 4))
    return rules.offside_exemption == TOGGLES.offside_exemption.any_slope or dx == 0 or dy == 0 or dx == dy


@njit
def _open_beyond(rules: Any, first: int, second: int, target: int, word: int, cells: int) -> int:
    """Return the ``cells`` of a word that are on the offside line of two subjects, or beyond it from ``target``."""
    away = -_side_of(first, second, target)
    if away == 0 and _is_exempt(rules, first, second):
        return 0
    opened = 0
    remaining = cells
    while remaining:
        bit = remaining & -remaining
        remaining ^= bit
        cell = word * 64 + lowest(bit)
        side = _side_of(first, second, cell)
        if (side == 0 or side == away) and (
            rules.offside_line != TOGGLES.offside_line.segment
            or (_beyond(first, second, target, cell) if away == 0 else _between_rays(first, second, target, cell))
        ):
            opened |= bit
    return opened


@njit
def _is_front(rules: Any, first: int, second: int, target: int, own: Any, count: int) -> bool:
    """Return whether no subject in ``own[:count]`` is in front of the offside line, as seen from ``target``."""
    front = _side_of(first, second, target)
    if front == 0:
        return not _is_exempt(rules, first, second)
    for k in range(count):
        cell = own[k]
        if _side_of(first, second, cell) == front and (
            rules.offside_line != TOGGLES.offside_line.segment or _between_rays(first, second, target, cell)
        ):
            return False
    return True


@njit
def _add_offside(rules: Any, state: Any, open_cells: Any, candidates: Any) -> None:
    """Add to ``open_cells`` the ``candidates`` on which the offside rule allows a drop."""
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
            first, other = own[i], own[j]
            if rules.offside == TOGGLES.offside.nearest_two:
                if min(distance[i], distance[j]) != nearest or max(distance[i], distance[j]) != second:
                    continue
            elif rules.offside == TOGGLES.offside.front and not _is_front(rules, first, other, target, own, count):
                continue
            for word in range(4):
                missing = candidates[word] & ~open_cells[word]
                if missing:
                    open_cells[word] |= _open_beyond(rules, first, other, target, word, missing)


@njit
def open_zones(rules: Any, state: Any, side: int, open_cells: Any) -> None:
    """Fill ``open_cells`` with the cells of the zones that the drop limits leave open to a side."""
    s = b.size_index(rules)
    own = b.ZONE[s, state[b.OBJECT_CELL + side]]
    enemy = b.ZONE[s, state[b.OBJECT_CELL + 1 - side]]
    for word in range(4):
        open_cells[word] = (b.BOARD[s, word] & ~b.TOUCHING[s, enemy, word]) | b.ZONE_CELLS[s, own, word]


@njit
def free_cells(rules: Any, state: Any, cells: Any) -> None:
    """Fill ``cells`` with the empty cells, except those excluded by the rules on adjacent drops and drop areas."""
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
    # Spread each lane one column to both sides, then one row up and down.
    spread = scratch(6)
    spread[0] = 0
    spread[5] = 0
    for word in range(4):
        subjects = state[word] | state[b.SET_WORDS + word]
        spread[word + 1] = subjects | (subjects << 1) | (subjects >> 1)
    for word in range(4):
        above = spread[word + 1] << 16 | ((spread[word] >> 48) & 0xFFFF)
        below = ((spread[word + 1] >> 16) & 0xFFFFFFFFFFFF) | spread[word + 2] << 48
        cells[word] = b.BOARD[s, word] & ~(spread[word + 1] | above | below | state[b.OBJECTS + word])


@njit
def drop_cells(rules: Any, state: Any, cells: Any) -> None:
    """Fill ``cells`` with the cells on which the mover may drop a subject, ignoring checks and the hand."""
    free_cells(rules, state, cells)
    if state[b.OBJECT_CELL] < 0 or state[b.OBJECT_CELL + 1] < 0:
        for word in range(4):
            cells[word] &= ~b.ZONE_CELLS[b.size_index(rules), b.CENTRE_ZONE, word]
    elif not state[b.LIMITS_ENDED]:
        zones = scratch(4)
        open_zones(rules, state, state[b.TURN], zones)
        if rules.offside != TOGGLES.offside.off:
            _add_offside(rules, state, zones, cells)
        for word in range(4):
            cells[word] &= zones[word]


@njit
def _keep_evasions(rules: Any, state: Any, cells: Any) -> None:
    """Keep only the ``cells`` on which a dropped subject would end the check."""
    side = state[b.TURN]
    target = state[b.OBJECT_CELL + side]
    evasions = scratch(4)
    b.find_attack(rules, state, 1 - side, target, evasions)
    for word in range(4):
        remaining = cells[word] & evasions[word]
        cells[word] = 0
        while remaining:
            bit = remaining & -remaining
            remaining ^= bit
            cell = word * 64 + lowest(bit)
            b.flip(state, side * b.SET_WORDS, cell)
            if not b.attacked(rules, state, 1 - side, target):
                cells[word] |= bit
            b.flip(state, side * b.SET_WORDS, cell)


@njit
def gives_check(rules: Any, state: Any, side: int, cell: int, target: int) -> bool:
    """Return whether a subject dropped on ``cell`` would attack the enemy object on ``target``."""
    base = side * b.SET_WORDS
    b.flip(state, base, cell)
    check = b.attacked(rules, state, side, target)
    b.flip(state, base, cell)
    return check


@njit
def _remove_checking_drops(rules: Any, state: Any, cells: Any) -> None:
    """Remove the ``cells`` on which a drop would give check.

    A drop creates no links except its own, so the only cells tried are those next to the enemy object, on a line with
    it and a subject, or in position for a flight.
    """
    side = state[b.TURN]
    base = side * b.SET_WORDS
    target = state[b.OBJECT_CELL + 1 - side]
    tx, ty = target & 15, target >> 4
    for word in range(4):
        cells[word] &= ~b.AROUND[target, word]
    # On a line, the drop must be nearer than the nearest friendly subject, or beyond the farthest.
    for kind in range(4):
        lane = b.lane_of(state, base, kind, target)
        position = b.POSITION[kind, target]
        up, down = lane >> (position + 1), lane & ((1 << position) - 1)
        for direction in range(2):
            if direction == 0 and up:
                near, far, end, step = lowest(up) + 1, highest(up) + 1, b.LANE_LENGTH - position, b.STEPS[kind]
            elif direction == 1 and down:
                near, far, end, step = position - highest(down), position - lowest(down), position + 1, -b.STEPS[kind]
            else:
                continue
            for k in range(2, end):
                # The front subject must not be nearer to its partner than to the object.
                if near <= k <= far or (2 * k > far if k < near else k < 2 * near):
                    continue
                cell = target + k * step
                if cell < 0 or cell >= b.CELLS or (cell & 15) == 15:
                    break
                if b.has(cells, 0, cell) and gives_check(rules, state, side, cell, target):
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
            if inside and gives_check(rules, state, side, cell, target):
                cells[cell >> 6] &= ~(1 << (cell & 63))
            if (dx | dy) & 1 == 0:
                cell = (subject + target) >> 1
                if b.has(cells, 0, cell) and gives_check(rules, state, side, cell, target):
                    cells[cell >> 6] &= ~(1 << (cell & 63))


@separately_compiled(INT, STATE, MOVES, INT)
def append_drops(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Append the legal drops and return the new ``n``."""
    side = state[b.TURN]
    if rules.subjects and state[b.HAND + side] == 0:
        return n
    cells = scratch(4)
    drop_cells(rules, state, cells)
    if state[b.IN_CHECK]:
        _keep_evasions(rules, state, cells)
    if rules.drop_check == TOGGLES.drop_check.forbidden and state[b.OBJECT_CELL + 1 - side] >= 0:
        _remove_checking_drops(rules, state, cells)
    for word in range(4):
        remaining = cells[word]
        while remaining:
            moves[n] = word * 64 + lowest(remaining)
            remaining &= remaining - 1
            n += 1
    return n


@njit
def exposes_object(rules: Any, state: Any, side: int, origin: int, cell: int) -> bool:
    """Return whether a subject's move from ``origin`` to ``cell`` would expose its object, by trying it."""
    if rules.flight_captures != TOGGLES.flight_captures.landing:
        return _exposes_by_overflight(rules, state, side, origin, cell)
    own, enemy = side * b.SET_WORDS, (1 - side) * b.SET_WORDS
    captures = b.has(state, enemy, cell)
    b.flip(state, own, origin)
    b.flip(state, own, cell)
    if captures:
        b.flip(state, enemy, cell)
    exposed = b.attacked(rules, state, 1 - side, state[b.OBJECT_CELL + side])
    if captures:
        b.flip(state, enemy, cell)
    b.flip(state, own, cell)
    b.flip(state, own, origin)
    return exposed


@njit
def toggle_subjects(state: Any, side: int, subjects: Any) -> int:
    """Remove a set of a side's subjects from the board, or put it back, and return its size."""
    n = 0
    for word in range(4):
        remaining = subjects[word]
        while remaining:
            b.flip(state, side * b.SET_WORDS, word * 64 + lowest(remaining))
            remaining &= remaining - 1
            n += 1
    return n


@njit
def find_overflown(state: Any, side: int, origin: int, cell: int, overflown: Any) -> bool:
    """Fill ``overflown`` with the enemy subjects that a subject's move flies over; return whether there are any.

    A flight has a friendly subject at its midpoint, which no slide passes.
    """
    enemy, any_found = (1 - side) * b.SET_WORDS, False
    for word in range(4):
        overflown[word] = 0
    dx, dy = (cell & 15) - (origin & 15), (cell >> 4) - (origin >> 4)
    if (dx | dy) & 1 or not b.has(state, side * b.SET_WORDS, (origin + cell) >> 1):
        return False
    parts, remainder = abs(dx), abs(dy)
    while remainder:
        parts, remainder = remainder, parts % remainder
    step = (cell - origin) // parts
    for i in range(1, parts):
        crossed = origin + i * step
        if b.has(state, enemy, crossed):
            overflown[crossed >> 6] |= np.int64(1) << np.int64(crossed & 63)
            any_found = True
    return any_found


@njit
def _exposes_by_overflight(rules: Any, state: Any, side: int, origin: int, cell: int) -> bool:
    """Return the result of `exposes_object` under rules by which flights capture what they fly over."""
    own, captured = side * b.SET_WORDS, scratch(4)
    find_overflown(state, side, origin, cell, captured)
    if b.has(state, (1 - side) * b.SET_WORDS, cell):
        captured[cell >> 6] |= np.int64(1) << np.int64(cell & 63)
    b.flip(state, own, origin)
    b.flip(state, own, cell)
    toggle_subjects(state, 1 - side, captured)
    exposed = b.attacked(rules, state, 1 - side, state[b.OBJECT_CELL + side])
    toggle_subjects(state, 1 - side, captured)
    b.flip(state, own, cell)
    b.flip(state, own, origin)
    return exposed


@njit
def _find_pinned(rules: Any, state: Any, side: int, pinned: Any) -> None:
    """Fill ``pinned`` with the subjects that alone stand between their object and a possible slide."""
    target = state[b.OBJECT_CELL + side]
    own, enemy = side * b.SET_WORDS, (1 - side) * b.SET_WORDS
    for word in range(4):
        pinned[word] = 0
    for kind in range(4):
        threat = b.lane_of(state, enemy, kind, target)
        if threat & (threat - 1) == 0:
            continue
        position = b.POSITION[kind, target]
        own_lane = b.lane_of(state, own, kind, target)
        occupied = b.occupied_on(state, kind, target)
        up, down = threat >> (position + 1), threat & ((1 << position) - 1)
        if up & (up - 1) and highest(up) - lowest(up) >= lowest(up) + 1:
            inner = (occupied >> (position + 1)) & ((up & -up) - 1)
            if inner != 0 and inner & (inner - 1) == 0 and inner & (own_lane >> (position + 1)):
                cell = target + (lowest(inner) + 1) * b.STEPS[kind]
                pinned[cell >> 6] |= 1 << (cell & 63)
        if down & (down - 1) and highest(down) - lowest(down) >= position - highest(down):
            inner = (occupied & ((1 << position) - 1)) >> (highest(down) + 1)
            if inner != 0 and inner & (inner - 1) == 0 and inner & (own_lane >> (highest(down) + 1)):
                cell = target - (position - highest(down) - 1 - lowest(inner)) * b.STEPS[kind]
                pinned[cell >> 6] |= 1 << (cell & 63)


@njit
def _keep_legal(rules: Any, state: Any, side: int, pinned: Any, moves: Any, first: int, n: int) -> int:
    """Keep the subjects' moves in ``moves[first:n]`` that do not expose their object; return the new ``n``.

    Only moves that may expose it are tried: check evasions, moves of pinned subjects, and captures that may give the
    enemy new links.
    """
    enemy = (1 - side) * b.SET_WORDS
    # If flights capture en route, any flight may end a check or expose the mover's object.
    in_check = state[b.IN_CHECK] != 0 or rules.flight_captures != TOGGLES.flight_captures.landing
    kept = first
    for i in range(first, n):
        move = moves[i]
        origin, cell = (move >> 8) & 255, move & 255
        risky = (
            in_check or b.has(pinned, 0, origin) or (b.has(state, enemy, cell) and b.may_free_links(state, enemy, cell))
        )
        if not risky or not exposes_object(rules, state, side, origin, cell):
            moves[kept] = move
            kept += 1
    return kept


@njit
def _sort(numbers: Any, n: int) -> None:
    """Sort ``numbers[:n]`` in ascending order."""
    for i in range(1, n):
        number, j = numbers[i], i - 1
        while j >= 0 and numbers[j] > number:
            numbers[j + 1] = numbers[j]
            j -= 1
        numbers[j + 1] = number


ANY, CAPTURES = 1, 0
"""The kinds of moves that `subject_moves` generates."""


@separately_compiled(INT, STATE, INT, MOVES, INT)
def subject_moves(rules: Any, state: Any, kind: int, moves: Any, n: int) -> int:
    """Append the subjects' legal moves, or only their captures, and return the new ``n``.

    Squares are tried without branches: every candidate is written, but counted only if it is a move. Captures are first
    written to the second half of the buffer, because some of them must be tested for legality.
    """
    s, side = b.size_index(rules), state[b.TURN]
    own, enemy = side * b.SET_WORDS, (1 - side) * b.SET_WORDS
    target = state[b.OBJECT_CELL + 1 - side]
    linked, pinned, open_cells, enemies = scratch(4), scratch(4), scratch(4), scratch(4)
    backwards, landing = scratch(12), scratch(4)
    slides = scratch(SLIDES)
    pairs = scratch(PAIRS)
    in_line = b.find_links(rules, state, side, target, linked, backwards, pairs)
    _sort(pairs, in_line)
    _find_pinned(rules, state, side, pinned)
    any_pinned = (pinned[0] | pinned[1] | pinned[2] | pinned[3]) != 0
    for w in range(4):
        enemies[w] = state[enemy + w]
        open_cells[w] = b.BOARD[s, w] & ~(state[own + w] | state[b.OBJECTS + w] | enemies[w]) & -kind
    by_overflight = rules.flight_captures != TOGGLES.flight_captures.landing
    if state[b.IN_CHECK] and not by_overflight:
        # Only a piece that lands on one of these cells can end the check.
        b.find_attack(rules, state, 1 - side, state[b.OBJECT_CELL + side], landing)
        for w in range(4):
            enemies[w] &= landing[w]
            open_cells[w] &= landing[w]
    first = n
    spare = moves.shape[0] // 2
    captures = spare
    for word in range(4):
        subjects = state[own + word]
        while subjects:
            bit = subjects & -subjects
            subjects ^= bit
            origin = word * 64 + lowest(bit)
            code = b.MOVE << 16 | origin << 8
            for i in range(8):
                # Steps beyond the edge lead to the empty 16th column or outside 0-255, which the mask wraps around.
                cell = (origin + b.KING[i]) & 255
                moves[n] = code | cell
                n += (open_cells[cell >> 6] >> (cell & 63)) & 1 & b.INSIDE[i, origin]
                moves[captures] = code | cell
                captures += (enemies[cell >> 6] >> (cell & 63)) & 1 & b.INSIDE[i, origin]
            if linked[word] & bit:
                b.flights_about(rules, state, side, backwards, origin, target, landing)
                for w in range(4):
                    quiet = landing[w] & open_cells[w]
                    while quiet:
                        cell = w * 64 + lowest(quiet)
                        quiet &= quiet - 1
                        moves[n] = b.MOVE << 16 | (2 * origin - cell) << 8 | cell
                        n += 1
                    captured = landing[w] & enemies[w]
                    while captured:
                        cell = w * 64 + lowest(captured)
                        captured &= captured - 1
                        moves[captures] = b.MOVE << 16 | (2 * origin - cell) << 8 | cell
                        captures += 1
    for i in range(b.list_slides(rules, state, side, linked, pairs, in_line, slides)):
        origin, step, reach = slides[3 * i], slides[3 * i + 1], slides[3 * i + 2]
        end = origin + reach * step
        code = b.MOVE << 16 | origin << 8
        for k in range(2, reach if kind == ANY else 2):
            moves[n] = code | (origin + k * step)
            n += 1
        if b.has(enemies, 0, end):
            moves[captures] = code | end
            captures += 1
        elif b.has(open_cells, 0, end):
            moves[n] = code | end
            n += 1
    if state[b.IN_CHECK] or any_pinned or by_overflight:
        n = _keep_legal(rules, state, side, pinned, moves, first, n)
    captures = _keep_legal(rules, state, side, pinned, moves, spare, captures)
    for i in range(spare, captures):
        moves[n] = moves[i]
        n += 1
    return n
