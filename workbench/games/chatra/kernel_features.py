"""Features, units, styles and events of Chatra."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.bits import lowest, popcount
from workbench.engine.contract import HAND, unit_word
from workbench.engine.jit import inline_ir, njit, scratch
from workbench.games.chatra import kernel_board as b
from workbench.games.chatra.kernel_board import EVENTS, FEATURES, PAIRS, SLIDES, STYLES, TOGGLES, UNITS
from workbench.games.chatra.kernel_moves import drop_cells, find_overflown, free_cells, open_zones

EVERY_CELL = b.EVERY_LANE * b.LANE


@inline_ir
def _shifted_row(cells: Any, word: int, down: bool) -> int:
    """Return a word of cells shifted by one row, down or up."""
    if down:
        return (cells[word] << 16) | (cells[word - 1] >> 48)
    return (cells[word] >> 16) | (cells[word + 1] << 48)


@njit
def _survey_side(rules: Any, state: Any, side: int, attack: Any, counts: Any) -> None:
    """Fill ``attack`` with the cells that ``side`` attacks or defends, and ``counts`` with its subjects' activity.

    Words 4 to 7 of ``attack`` receive the cells that subjects attack at least twice, words 8 to 11 all cells that they
    attack. The entries of ``counts`` are, from 0: squares reached, attacks on the enemy object and its neighbours, such
    attacks by links, linked subjects, subjects, and subjects within three steps of the enemy object.
    """
    s = b.size_index(rules)
    own = side * b.SET_WORDS
    target = state[b.OBJECT_CELL + 1 - side]
    linked, backwards, landing = scratch(4), scratch(12), scratch(4)
    free, ring, once, twice, slides = scratch(6), scratch(6), scratch(4), scratch(4), scratch(SLIDES)
    near_any, near_two = scratch(6), scratch(6)
    pairs = scratch(PAIRS)
    in_line = b.find_links(rules, state, side, target, linked, backwards, pairs)
    for w in range(4):
        free[w + 1] = b.BOARD[s, w] & ~(state[own + w] | state[b.OBJECTS + w])
        ring[w + 1] = b.AROUND[target, w]
    free[0] = free[5] = ring[0] = ring[5] = near_any[0] = near_any[5] = near_two[0] = near_two[5] = 0
    ring[1 + (target >> 6)] |= 1 << (target & 63)
    reached = hits = link_hits = linked_count = count = near = 0
    # All subjects step at once: right and left, then to the rows above and below, straight and diagonally.
    for w in range(4):
        subjects = state[own + w]
        right, left = (subjects << 1) & EVERY_CELL, (subjects >> 1) & EVERY_CELL
        once[w], twice[w] = right | left, right & left
        near_any[w + 1], near_two[w + 1] = subjects | right | left, subjects & (right | left) | right & left
        count += popcount(subjects)
        linked_count += popcount(linked[w])
        reached += popcount(right & free[w + 1]) + popcount(left & free[w + 1])
        hits += popcount(right & ring[w + 1]) + popcount(left & ring[w + 1])
        for down in (False, True):
            cells, aims = _shifted_row(free, w + 1, down), _shifted_row(ring, w + 1, down)
            reached += popcount(subjects & cells) + popcount(right & cells) + popcount(left & cells)
            hits += popcount(subjects & aims) + popcount(right & aims) + popcount(left & aims)
    for w in range(4):
        for down in (False, True):
            steps = _shifted_row(near_any, w + 1, down)
            twice[w] |= _shifted_row(near_two, w + 1, down) | once[w] & steps
            once[w] |= steps
    near_columns = ((127 << (target & 15)) >> 3) & b.LANE
    for y in range(max(0, (target >> 4) - 3), min(15, (target >> 4) + 4)):
        near += popcount((state[own + (y >> 2)] >> ((y & 3) << 4)) & near_columns)
    for word in range(4):
        subjects = linked[word]
        while subjects:
            origin = word * 64 + lowest(subjects)
            subjects &= subjects - 1
            b.flights_about(rules, state, side, backwards, origin, target, landing)
            for w in range(4):
                twice[w] |= once[w] & landing[w]
                once[w] |= landing[w]
                reached += popcount(landing[w] & free[w + 1])
                link_hits += popcount(landing[w] & ring[w + 1])
    for i in range(b.list_slides(rules, state, side, linked, pairs, in_line, slides)):
        origin, step, reach = slides[3 * i], slides[3 * i + 1], slides[3 * i + 2]
        reached += reach - 1
        for k in range(2, reach + 1):
            cell = origin + k * step
            bit = 1 << (cell & 63)
            twice[cell >> 6] |= once[cell >> 6] & bit
            once[cell >> 6] |= bit
            link_hits += (ring[1 + (cell >> 6)] >> (cell & 63)) & 1
    for w in range(4):
        attack[w] = once[w] | b.AROUND[state[b.OBJECT_CELL + side], w]
        attack[4 + w] = twice[w]
        attack[8 + w] = once[w]
    counts[0] = reached
    counts[1] = hits + link_hits
    counts[2] = link_hits
    counts[3] = linked_count
    counts[4] = count
    counts[5] = near


@njit
def features(rules: Any, state: Any, out: Any) -> None:
    """Fill ``out`` with each feature's value for the first seat minus that for the second."""
    s = b.size_index(rules)
    for i in range(out.shape[0]):
        out[i] = 0.0
    if state[b.OBJECT_CELL] < 0 or state[b.OBJECT_CELL + 1] < 0:
        return
    attack, counts, free, zones = scratch(24), scratch(12), scratch(4), scratch(4)
    if not state[b.LIMITS_ENDED]:
        free_cells(rules, state, free)
    _survey_side(rules, state, 0, attack[:12], counts[:6])
    _survey_side(rules, state, 1, attack[12:], counts[6:])
    for side in range(2):
        sign = 1.0 - 2.0 * side
        object_cell, target = state[b.OBJECT_CELL + side], state[b.OBJECT_CELL + 1 - side]
        base, enemy_base = 12 * side, 12 * (1 - side)
        escapes = 0
        supported = 0
        for w in range(4):
            steps = b.AROUND[object_cell, w] & b.BOARD[s, w] & ~state[side * b.SET_WORDS + w]
            escapes += popcount(steps & ~attack[enemy_base + w])
            ring = b.AROUND[target, w] & b.BOARD[s, w] & ~(state[side * b.SET_WORDS + w] | state[b.OBJECTS + w])
            supported += popcount(ring & attack[base + 4 + w] & ~attack[enemy_base + 8 + w])
        out[FEATURES.escape_squares] += sign * escapes
        out[FEATURES.attackers] += sign * counts[6 * side + 1]
        out[FEATURES.aimed_links] += sign * counts[6 * side + 2]
        out[FEATURES.mobility] += sign * counts[6 * side]
        out[FEATURES.subjects] += sign * counts[6 * side + 4]
        out[FEATURES.linked] += sign * counts[6 * side + 3]
        out[FEATURES.near] += sign * counts[6 * side + 5]
        if not state[b.LIMITS_ENDED] and (not rules.subjects or state[b.HAND + side] > 0):
            open_zones(rules, state, side, zones)
            for w in range(4):
                out[FEATURES.drop_freedom] += sign * popcount(free[w] & zones[w])
        x, y = object_cell & 15, object_cell >> 4
        out[FEATURES.centre] += sign * min(min(x, rules.size - 1 - x), min(y, rules.size - 1 - y))
        if rules.subjects:
            out[FEATURES.hand] += sign * state[b.HAND + side]
        if escapes == 0:
            out[FEATURES.trapped] += sign
        if escapes <= 2:
            out[FEATURES.cramped] += sign
        out[FEATURES.supported_checks] += sign * supported
        if state[b.TURN] == side:
            out[FEATURES.initiative] += sign * supported
            out[FEATURES.in_check] += sign * state[b.IN_CHECK]
            out[FEATURES.tempo] += sign


@njit
def board_size(rules: Any) -> int:
    """Return the side length of the board."""
    return rules.size


@njit
def units(rules: Any, state: Any, words: Any) -> int:
    """Fill ``words`` with the objects and subjects on the board and, if limited, in hand; return their number."""
    n = 0
    for side in range(2):
        for word in range(4):
            remaining = state[side * b.SET_WORDS + word]
            while remaining:
                cell = 64 * word + lowest(remaining)
                words[n] = unit_word(UNITS.subject, side, (cell >> 4) << 5 | (cell & 15), 1)
                n += 1
                remaining &= remaining - 1
        cell = state[b.OBJECT_CELL + side]
        if cell >= 0:
            words[n] = unit_word(UNITS.object, side, (cell >> 4) << 5 | (cell & 15), 1)
            n += 1
        if rules.subjects and state[b.HAND + side] > 0:
            words[n] = unit_word(UNITS.subject, side, HAND, state[b.HAND + side])
            n += 1
    return n


STYLE_PLIES = 12
"""Number of plies during which a style applies."""


@njit
def _centre_distance(rules: Any, cell: int) -> int:
    """Return the number of king steps from a cell to the centre zone."""
    width = rules.size // 3
    x, y = cell & 15, cell >> 4
    return max(max(width - x, x - 2 * width + 1), max(max(width - y, y - 2 * width + 1), 0))


@njit
def preferred(rules: Any, state: Any, moves: Any, n: int, style: int) -> int:
    """Move the moves that a style prefers to the front and return their number, or ``n`` if there are none.

    The style determines where the object is placed. During the first plies, ``centre`` then moves the object closer to
    the centre zone if possible, ``edge`` and ``corner`` avoid that zone, and ``near_centre`` has no preference.
    """
    s, side = b.size_index(rules), state[b.TURN]
    object_cell = state[b.OBJECT_CELL + side]
    if state[b.PLIES] >= STYLE_PLIES or (style == STYLES.near_centre and object_cell >= 0):
        return n
    nearest = rules.size if object_cell < 0 else _centre_distance(rules, object_cell)
    to_centre = style in (STYLES.centre, STYLES.near_centre)
    if to_centre:
        for i in range(n):
            if moves[i] >> 16 == b.OBJECT:
                nearest = min(nearest, _centre_distance(rules, moves[i] & 255))
        if object_cell >= 0 and nearest == _centre_distance(rules, object_cell):
            return n
    kept = 0
    for i in range(n):
        cell = moves[i] & 255
        zone = b.ZONE[s, cell]
        # Zones are numbered row by row, so corners are even, sides are odd, and the centre is 4.
        if moves[i] >> 16 != b.OBJECT:
            preferred_move = not to_centre
        elif to_centre:
            preferred_move = _centre_distance(rules, cell) == nearest
        elif object_cell >= 0:
            preferred_move = zone != b.CENTRE_ZONE
        elif style == STYLES.edge:
            preferred_move = zone & 1 == 1 and _centre_distance(rules, cell) > 1
        else:
            preferred_move = zone & 1 == 0 and zone != b.CENTRE_ZONE
        if preferred_move:
            moves[kept], moves[i] = moves[i], moves[kept]
            kept += 1
    return kept if kept > 0 else n


def _zone_counters() -> tuple[np.ndarray, np.ndarray]:
    """Return the event counters for a ply before the first check, indexed by the zones of both objects.

    The first table, by both zones, has the counters of plies and first checks by the relation of the objects. The
    second, by the seat to move and the zones of its object and the other, has those of plies and squares open to drops.
    """
    relations = {
        "one zone": (EVENTS.plies_one_zone, EVENTS.fights_one_zone),
        "side by side": (EVENTS.plies_side_by_side, EVENTS.fights_side_by_side),
        "corner": (EVENTS.plies_corner, EVENTS.fights_corner),
        "facing": (EVENTS.plies_facing, EVENTS.fights_facing),
        "far": (EVENTS.plies_far, EVENTS.fights_far),
    }
    cases = {
        (0, "one zone"): (EVENTS.first_plies_one_zone, EVENTS.first_squares_one_zone),
        (0, "both centre"): (EVENTS.first_plies_both_centre, EVENTS.first_squares_both_centre),
        (0, "own centre"): (EVENTS.first_plies_own_centre, EVENTS.first_squares_own_centre),
        (0, "enemy centre"): (EVENTS.first_plies_enemy_centre, EVENTS.first_squares_enemy_centre),
        (0, "elsewhere"): (EVENTS.first_plies_elsewhere, EVENTS.first_squares_elsewhere),
        (1, "one zone"): (EVENTS.second_plies_one_zone, EVENTS.second_squares_one_zone),
        (1, "both centre"): (EVENTS.second_plies_both_centre, EVENTS.second_squares_both_centre),
        (1, "own centre"): (EVENTS.second_plies_own_centre, EVENTS.second_squares_own_centre),
        (1, "enemy centre"): (EVENTS.second_plies_enemy_centre, EVENTS.second_squares_enemy_centre),
        (1, "elsewhere"): (EVENTS.second_plies_elsewhere, EVENTS.second_squares_elsewhere),
    }
    by_relation = np.zeros((9, 9, 2), np.int64)
    by_case = np.zeros((2, 9, 9, 2), np.int64)
    steps = {(0, 0): "one zone", (0, 1): "side by side", (1, 1): "corner", (0, 2): "facing"}
    for own in range(9):
        for enemy in range(9):
            columns, rows = abs(own % 3 - enemy % 3), abs(own // 3 - enemy // 3)
            by_relation[own, enemy] = relations[steps.get((min(columns, rows), max(columns, rows)), "far")]
            case = {own: "own centre", enemy: "enemy centre"}.get(b.CENTRE_ZONE, "elsewhere")
            if own == enemy:
                case = "both centre" if own == b.CENTRE_ZONE else "one zone"
            for side in range(2):
                by_case[side, own, enemy] = cases[side, case]
    return by_relation, by_case


BY_RELATION, BY_PLACE = _zone_counters()


@njit
def _early_events(rules: Any, before: Any, first_check: bool, counts: Any) -> None:
    """Count a ply before the first check, with both objects placed; ``first_check`` is true if it gives that check."""
    s, side = b.size_index(rules), before[b.TURN]
    own, enemy = b.ZONE[s, before[b.OBJECT_CELL + side]], b.ZONE[s, before[b.OBJECT_CELL + 1 - side]]
    counts[EVENTS.early_plies] += 1
    counts[BY_RELATION[own, enemy, 0]] += 1
    counts[BY_PLACE[side, own, enemy, 0]] += 1
    if first_check:
        counts[BY_RELATION[own, enemy, 1]] += 1
    if not rules.subjects or before[b.HAND + side] > 0:
        cells = scratch(4)
        drop_cells(rules, before, cells)
        squares = popcount(cells[0]) + popcount(cells[1]) + popcount(cells[2]) + popcount(cells[3])
        counts[BY_PLACE[side, own, enemy, 1]] += squares


@njit
def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Count the events of a move; ``limits_ended_by_…`` receive the ply after which the limits ended."""
    s, side = b.size_index(rules), before[b.TURN]
    kind, origin, cell = move >> 16, (move >> 8) & 255, move & 255
    opening_over = before[b.OBJECT_CELL] >= 0 and before[b.OBJECT_CELL + 1] >= 0
    if opening_over and not before[b.CHECKED]:
        _early_events(rules, before, after[b.CHECKED] != 0, counts)
    if kind == b.DROP:
        counts[EVENTS.drops] += 1
        if opening_over and not before[b.LIMITS_ENDED]:
            zones = scratch(4)
            open_zones(rules, before, side, zones)
            if not b.has(zones, 0, cell):
                counts[EVENTS.offside_drops] += 1
    elif kind == b.MOVE or before[b.OBJECT_CELL + side] >= 0:
        counts[EVENTS.moves] += 1
        if not before[b.IN_CHECK] and not after[b.IN_CHECK]:
            counts[EVENTS.quiet_moves] += 1
    if kind == b.MOVE:
        dx, dy = (cell & 15) - (origin & 15), (cell >> 4) - (origin >> 4)
        if max(abs(dx), abs(dy)) > 1:
            # The midpoint of a flight is always a friendly subject, which slides never pass.
            is_flight = (dx | dy) & 1 == 0 and b.has(before, side * b.SET_WORDS, (origin + cell) >> 1)
            counts[EVENTS.flights if is_flight else EVENTS.slides] += 1
    if kind != b.DROP and b.has(before, (1 - side) * b.SET_WORDS, cell):
        counts[EVENTS.captures] += 1
    if kind == b.MOVE and rules.flight_captures != TOGGLES.flight_captures.landing:
        jumped = scratch(4)
        find_overflown(before, side, origin, cell, jumped)
        counts[EVENTS.captures] += popcount(jumped[0]) + popcount(jumped[1]) + popcount(jumped[2]) + popcount(jumped[3])
    entered_centre = False
    if kind == b.OBJECT and before[b.OBJECT_CELL + side] >= 0:
        counts[EVENTS.object_moves] += 1
        entered_centre = b.ZONE[s, cell] == b.CENTRE_ZONE and b.ZONE[s, before[b.OBJECT_CELL + side]] != b.CENTRE_ZONE
    if after[b.IN_CHECK]:
        counts[EVENTS.checks] += 1
    if entered_centre:
        counts[EVENTS.centre_entries] += 1
    if after[b.LIMITS_ENDED] and not before[b.LIMITS_ENDED]:
        counts[EVENTS.limits_ended_by_check if after[b.IN_CHECK] else EVENTS.limits_ended_by_centre] = after[b.PLIES]
