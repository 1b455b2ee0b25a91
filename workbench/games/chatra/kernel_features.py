"""What Chatra's heuristic sees in a position, and what a style likes."""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import lowest, popcount
from workbench.engine.contract import HAND, unit_word
from workbench.engine.jit import inline_ir, njit, scratch
from workbench.games.chatra import kernel_board as b
from workbench.games.chatra.kernel_board import FEATURES, PAIRS, SLIDES, STYLES, UNITS
from workbench.games.chatra.kernel_drops import free_cells, open_zones

EVERY_CELL = b.EVERY_LANE * b.LANE


@inline_ir
def _row_beside(cells: Any, word: int, up: bool) -> int:
    """Return a word of cells, moved from the row above or from the row below."""
    if up:
        return (cells[word] << 16) | (cells[word - 1] >> 48)
    return (cells[word] >> 16) | (cells[word + 1] << 48)


@njit
def _reach(rules: Any, state: Any, side: int, attack: Any, counts: Any) -> None:
    """Fill ``attack`` with the cells that ``side`` attacks or defends, and ``counts`` with what its subjects do.

    Words 4 to 7 of ``attack`` get the cells that subjects attack twice or more, words 8 to 11 those they attack at all.

    counts: 0 squares reached, 1 hits on the enemy object and around it, 2 those of them by links, 3 linked subjects,
    4 subjects, 5 subjects within three steps of the enemy object.
    """
    s = b.size_index(rules)
    own = side * b.SET_WORDS
    target = state[b.OBJECT_CELL + 1 - side]
    linked, backwards, landing = scratch(4), scratch(12), scratch(4)
    free, zone, once, twice, slides = scratch(6), scratch(6), scratch(4), scratch(4), scratch(SLIDES)
    any_of, two_of = scratch(6), scratch(6)
    pairs = scratch(PAIRS)
    in_line = b.linked_set(rules, state, side, target, linked, backwards, pairs)
    for w in range(4):
        free[w + 1] = b.BOARD[s, w] & ~(state[own + w] | state[b.OBJECTS + w])
        zone[w + 1] = b.AROUND[target, w]
    free[0] = free[5] = zone[0] = zone[5] = any_of[0] = any_of[5] = two_of[0] = two_of[5] = 0
    zone[1 + (target >> 6)] |= 1 << (target & 63)
    reached = hits = link_hits = linked_count = count = near = 0
    # Steps of all subjects at a time: to the right and left, and with these and straight to the rows above and below.
    for w in range(4):
        subjects = state[own + w]
        right, left = (subjects << 1) & EVERY_CELL, (subjects >> 1) & EVERY_CELL
        once[w], twice[w] = right | left, right & left
        any_of[w + 1], two_of[w + 1] = subjects | right | left, subjects & (right | left) | right & left
        count += popcount(subjects)
        linked_count += popcount(linked[w])
        reached += popcount(right & free[w + 1]) + popcount(left & free[w + 1])
        hits += popcount(right & zone[w + 1]) + popcount(left & zone[w + 1])
        for up in (False, True):
            cells, aims = _row_beside(free, w + 1, up), _row_beside(zone, w + 1, up)
            reached += popcount(subjects & cells) + popcount(right & cells) + popcount(left & cells)
            hits += popcount(subjects & aims) + popcount(right & aims) + popcount(left & aims)
    for w in range(4):
        for up in (False, True):
            steps = _row_beside(any_of, w + 1, up)
            twice[w] |= _row_beside(two_of, w + 1, up) | once[w] & steps
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
                link_hits += popcount(landing[w] & zone[w + 1])
    for i in range(b.list_slides(rules, state, side, linked, pairs, in_line, slides)):
        origin, step, reach = slides[3 * i], slides[3 * i + 1], slides[3 * i + 2]
        reached += reach - 1
        for k in range(2, reach + 1):
            cell = origin + k * step
            bit = 1 << (cell & 63)
            twice[cell >> 6] |= once[cell >> 6] & bit
            once[cell >> 6] |= bit
            link_hits += (zone[1 + (cell >> 6)] >> (cell & 63)) & 1
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
    """Fill ``out`` with each feature of the declaration: the first seat's number less the second's."""
    s = b.size_index(rules)
    for i in range(out.shape[0]):
        out[i] = 0.0
    if state[b.OBJECT_CELL] < 0 or state[b.OBJECT_CELL + 1] < 0:
        return
    attack, counts, free, zones = scratch(24), scratch(12), scratch(4), scratch(4)
    if not state[b.LIMITS_ENDED]:
        free_cells(rules, state, free)
    _reach(rules, state, 0, attack[:12], counts[:6])
    _reach(rules, state, 1, attack[12:], counts[6:])
    for side in range(2):
        sign = 1.0 - 2.0 * side
        mine, theirs = state[b.OBJECT_CELL + side], state[b.OBJECT_CELL + 1 - side]
        own, other = 12 * side, 12 * (1 - side)
        escapes = 0
        supported = 0
        for w in range(4):
            steps = b.AROUND[mine, w] & b.BOARD[s, w] & ~state[side * b.SET_WORDS + w]
            escapes += popcount(steps & ~attack[other + w])
            ring = b.AROUND[theirs, w] & b.BOARD[s, w] & ~(state[side * b.SET_WORDS + w] | state[b.OBJECTS + w])
            supported += popcount(ring & attack[own + 4 + w] & ~attack[other + 8 + w])
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
        x, y = mine & 15, mine >> 4
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
    """Return the cells of a side of the board."""
    return rules.size


@njit
def units(rules: Any, state: Any, words: Any) -> int:
    """Fill ``words`` with subjects, on the board and in a limited hand, and objects."""
    n = 0
    for side in range(2):
        for word in range(4):
            rest = state[side * b.SET_WORDS + word]
            while rest:
                cell = 64 * word + lowest(rest)
                words[n] = unit_word(UNITS.subject, side, (cell >> 4) << 5 | (cell & 15), 1)
                n += 1
                rest &= rest - 1
        cell = state[b.OBJECT_CELL + side]
        if cell >= 0:
            words[n] = unit_word(UNITS.object, side, (cell >> 4) << 5 | (cell & 15), 1)
            n += 1
        if rules.subjects and state[b.HAND + side] > 0:
            words[n] = unit_word(UNITS.subject, side, HAND, state[b.HAND + side])
            n += 1
    return n


STYLE_PLIES = 12
"""Plies after which a style has had its say."""


@njit
def _off_centre(rules: Any, cell: int) -> int:
    """King's steps from a cell to the centre zone; 0 inside of it."""
    width = rules.size // 3
    x, y = cell & 15, cell >> 4
    return max(max(width - x, x - 2 * width + 1), max(max(width - y, y - 2 * width + 1), 0))


@njit
def preferred(rules: Any, state: Any, moves: Any, n: int, style: int) -> int:
    """Bring the moves that a style likes to the front, in their order, and returns how many they are; all if none is.

    The style decides where the object is placed. During the first plies the style ``centre`` then brings the object
    nearer to the centre zone as long as it can, ``edge`` and ``corner`` do not enter that zone, and ``near_centre``
    likes all moves.
    """
    s, side = b.size_index(rules), state[b.TURN]
    own = state[b.OBJECT_CELL + side]
    if state[b.PLIES] >= STYLE_PLIES or (style == STYLES.near_centre and own >= 0):
        return n
    nearest = rules.size if own < 0 else _off_centre(rules, own)
    to_centre = style in (STYLES.centre, STYLES.near_centre)
    if to_centre:
        for i in range(n):
            if moves[i] >> 16 == b.OBJECT:
                nearest = min(nearest, _off_centre(rules, moves[i] & 255))
        if own >= 0 and nearest == _off_centre(rules, own):
            return n
    kept = 0
    for i in range(n):
        cell = moves[i] & 255
        zone = b.ZONE[s, cell]
        # Zones are numbered row by row: corners are even, sides are odd, the centre is 4.
        if moves[i] >> 16 != b.OBJECT:
            likes = not to_centre
        elif to_centre:
            likes = _off_centre(rules, cell) == nearest
        elif own >= 0:
            likes = zone != b.CENTRE_ZONE
        elif style == STYLES.edge:
            likes = zone & 1 == 1 and _off_centre(rules, cell) > 1
        else:
            likes = zone & 1 == 0 and zone != b.CENTRE_ZONE
        if likes:
            moves[kept], moves[i] = moves[i], moves[kept]
            kept += 1
    return kept if kept > 0 else n
