"""What Chatra's heuristic sees in a position, what a style likes, and what is counted in a game."""

from __future__ import annotations

from typing import Any

from workbench.engine.jit import lowest, njit, popcount, scratch
from workbench.games.chatra.kernel_board import (
    AROUND,
    BOARD,
    CENTRE_ZONE,
    DROP,
    FEATURES,
    HAND,
    IN_CHECK,
    LIMITS_ENDED,
    MOVE,
    OBJECT,
    OBJECT_CELL,
    OBJECTS,
    PAIRS,
    PLIES,
    SET_WORDS,
    SLIDES,
    TURN,
    ZONE,
    flights_about,
    has,
    linked_set,
    list_slides,
    size_index,
)
from workbench.games.chatra.kernel_drops import free_cells, open_zones


@njit
def _reach(rules: Any, state: Any, side: int, attack: Any, counts: Any) -> None:
    """Fills ``attack`` with the cells that ``side`` attacks or defends, and ``counts`` with what its subjects do.

    Words 4 to 7 of ``attack`` get the cells that subjects attack twice or more, words 8 to 11 those they attack at all.

    counts: 0 squares reached, 1 hits on the enemy object and around it, 2 those of them by links, 3 linked subjects,
    4 subjects, 5 subjects within three steps of the enemy object.
    """
    s = size_index(rules)
    own = side * SET_WORDS
    target = state[OBJECT_CELL + 1 - side]
    linked, backwards, landing = scratch(4), scratch(12), scratch(4)
    free, zone, once, twice, slides = scratch(4), scratch(4), scratch(4), scratch(4), scratch(SLIDES)
    pairs = scratch(PAIRS)
    in_line = linked_set(rules, state, side, target, linked, backwards, pairs)
    for w in range(4):
        once[w] = 0
        twice[w] = 0
        free[w] = BOARD[s, w] & ~(state[own + w] | state[OBJECTS + w])
        zone[w] = AROUND[target, w]
    zone[target >> 6] |= 1 << (target & 63)
    reached = hits = link_hits = linked_count = count = near = 0
    x, y = target & 15, target >> 4
    for word in range(4):
        subjects = state[own + word]
        linked_count += popcount(linked[word])
        count += popcount(subjects)
        while subjects:
            bit = subjects & -subjects
            subjects ^= bit
            origin = word * 64 + lowest(bit)
            near += 1 if max(abs((origin & 15) - x), abs((origin >> 4) - y)) <= 3 else 0
            for w in range(4):
                steps = AROUND[origin, w]
                twice[w] |= once[w] & steps
                once[w] |= steps
                reached += popcount(steps & free[w])
                hits += popcount(steps & zone[w])
            if linked[word] & bit:
                flights_about(rules, state, side, backwards, origin, target, landing)
                for w in range(4):
                    twice[w] |= once[w] & landing[w]
                    once[w] |= landing[w]
                    reached += popcount(landing[w] & free[w])
                    link_hits += popcount(landing[w] & zone[w])
    for i in range(list_slides(rules, state, side, linked, pairs, in_line, slides)):
        origin, step, reach = slides[3 * i], slides[3 * i + 1], slides[3 * i + 2]
        reached += reach - 1
        for k in range(2, reach + 1):
            cell = origin + k * step
            bit = 1 << (cell & 63)
            twice[cell >> 6] |= once[cell >> 6] & bit
            once[cell >> 6] |= bit
            link_hits += (zone[cell >> 6] >> (cell & 63)) & 1
    for w in range(4):
        attack[w] = once[w] | AROUND[state[OBJECT_CELL + side], w]
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
    """Fills ``out`` with each feature of the declaration: the first seat's number less the second's."""
    s = size_index(rules)
    for i in range(FEATURES):
        out[i] = 0.0
    if state[OBJECT_CELL] < 0 or state[OBJECT_CELL + 1] < 0:
        return
    attack, counts, free, zones = scratch(24), scratch(12), scratch(4), scratch(4)
    if not state[LIMITS_ENDED]:
        free_cells(rules, state, free)
    _reach(rules, state, 0, attack[:12], counts[:6])
    _reach(rules, state, 1, attack[12:], counts[6:])
    for side in range(2):
        sign = 1.0 - 2.0 * side
        mine, theirs = state[OBJECT_CELL + side], state[OBJECT_CELL + 1 - side]
        own, other = 12 * side, 12 * (1 - side)
        escapes = 0
        supported = 0
        for w in range(4):
            steps = AROUND[mine, w] & BOARD[s, w] & ~state[side * SET_WORDS + w]
            escapes += popcount(steps & ~attack[other + w])
            ring = AROUND[theirs, w] & BOARD[s, w] & ~(state[side * SET_WORDS + w] | state[OBJECTS + w])
            supported += popcount(ring & attack[own + 4 + w] & ~attack[other + 8 + w])
        out[0] += sign * escapes
        out[1] += sign * counts[6 * side + 1]
        out[2] += sign * counts[6 * side + 2]
        out[3] += sign * counts[6 * side]
        out[4] += sign * counts[6 * side + 4]
        out[5] += sign * counts[6 * side + 3]
        out[6] += sign * counts[6 * side + 5]
        if not state[LIMITS_ENDED] and (not rules.subjects or state[HAND + side] > 0):
            open_zones(rules, state, side, zones)
            for w in range(4):
                out[7] += sign * popcount(free[w] & zones[w])
        x, y = mine & 15, mine >> 4
        out[8] += sign * min(min(x, rules.size - 1 - x), min(y, rules.size - 1 - y))
        if rules.subjects:
            out[9] += sign * state[HAND + side]
        if escapes == 0:
            out[12] += sign
        if escapes <= 2:
            out[13] += sign
        out[14] += sign * supported
        if state[TURN] == side:
            out[15] += sign * supported
            out[10] += sign * state[IN_CHECK]
            out[11] += sign


CENTRE, EDGE, CORNER = 1, 2, 3
"""Styles, in the order of the declaration."""
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
    """Brings the moves that a style likes to the front, in their order, and returns how many they are; all if none is.

    The style decides where the object is placed. During the first plies the style ``centre`` then brings the object
    nearer to the centre zone as long as it can, and the others do not enter that zone.
    """
    if state[PLIES] >= STYLE_PLIES:
        return n
    s, side = size_index(rules), state[TURN]
    own = state[OBJECT_CELL + side]
    nearest = rules.size if own < 0 else _off_centre(rules, own)
    if style == CENTRE:
        for i in range(n):
            if moves[i] >> 16 == OBJECT:
                nearest = min(nearest, _off_centre(rules, moves[i] & 255))
        if own >= 0 and nearest == _off_centre(rules, own):
            return n
    kept = 0
    for i in range(n):
        cell = moves[i] & 255
        zone = ZONE[s, cell]
        # Zones are numbered row by row: corners are even, sides are odd, the centre is 4.
        if moves[i] >> 16 != OBJECT:
            likes = style != CENTRE
        elif style == CENTRE:
            likes = _off_centre(rules, cell) == nearest
        elif own >= 0:
            likes = zone != CENTRE_ZONE
        elif style == EDGE:
            likes = zone & 1 == 1 and _off_centre(rules, cell) > 1
        else:
            likes = zone & 1 == 0 and zone != CENTRE_ZONE
        if likes:
            moves[kept], moves[i] = moves[i], moves[kept]
            kept += 1
    return kept if kept > 0 else n


@njit
def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Counts what a move did; the two last counters hold the ply after which the limits ended."""
    s, side = size_index(rules), before[TURN]
    kind, origin, cell = move >> 16, (move >> 8) & 255, move & 255
    if kind == DROP:
        counts[0] += 1
        if before[OBJECT_CELL] >= 0 and before[OBJECT_CELL + 1] >= 0 and not before[LIMITS_ENDED]:
            zones = scratch(4)
            open_zones(rules, before, side, zones)
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
