"""The star game, compiled.

Sets of cells are bit sets: bit ``8 * row + column``, rows from the top. A move is ``kind << 16 | from << 8 | to``.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from workbench.engine.bits import get_bits, lowest, popcount, put_bits
from workbench.engine.contract import DRAW, FIRST, HAND, ONGOING, REPETITION, SECOND, implement, unit_word
from workbench.engine.jit import by_reference, inline_ir, njit
from workbench.engine.rng import below, mix
from workbench.games.declaration import kernel_names, rules_type
from workbench.games.star.rules import DECLARATION

Rules = by_reference(rules_type(DECLARATION, __name__))
"""The toggles."""
TOGGLES, FEATURES, EVENTS, ENDINGS, STYLES, UNITS = kernel_names(DECLARATION)

PIECES, STAR, TURN, BEFORE, STATE_WORDS = 0, 2, 3, 4, 6
"""Words of a state: two sets of pieces, the star's cell, the side to move, and for each seat the foul rule's memory:
its pieces (and the star, shifted by `STAR_SHIFT`) at the start of its previous turn, or `NOTHING`."""
NOTHING, STAR_SHIFT = -1, 40
PLACE, MOVE, JUMP = 0, 1, 2
ALL_JUMPS = -2
"""The result of `_banned` if every jump is a foul."""
STEPS = (1, -1, 8, -8)

BOARD = np.array(
    [sum(1 << (8 * y + x) for y in range(n) for x in range(n)) if n >= 3 else 0 for n in range(6)], np.int64
)
"""The cells of a board of each size."""


@inline_ir
def _shifted(cells: int, step: int) -> int:
    """Return the cells shifted by one step; cells that leave the board land outside `BOARD`."""
    return cells << step if step > 0 else cells >> -step


@inline_ir
def _around(rules: Any, cells: int) -> int:
    """Return the neighbours of the given cells."""
    return (cells << 1 | cells >> 1 | cells << 8 | cells >> 8) & BOARD[rules.size]


@inline_ir
def _empty(rules: Any, state: Any) -> int:
    return BOARD[rules.size] & ~(state[PIECES] | state[PIECES + 1] | 1 << state[STAR])


@inline_ir
def _landings(rules: Any, state: Any, own: int, empty: int) -> int:
    """Return the cells that the star can jump to."""
    star = 1 << state[STAR]
    across = (star << 1 & own) << 1 | (star >> 1 & own) >> 1
    return (across | (star << 8 & own) << 8 | (star >> 8 & own) >> 8) & empty


@inline_ir
def _banned(rules: Any, state: Any, own: int, empty: int) -> int:
    """Return the action that the foul rule forbids, `NOTHING` or `ALL_JUMPS`."""
    # Only the player changes its pieces between two of its turns, by at most one action.
    before = state[BEFORE + state[TURN]]
    if before == NOTHING:
        return NOTHING
    pieces, star = before & BOARD[5], before >> STAR_SHIFT
    if pieces == own:
        if rules.foul == TOGGLES.foul.own_pieces:
            return ALL_JUMPS
        at = 1 << star
        over = own & _around(rules, 1 << state[STAR]) & _around(rules, at)
        straight = abs(star - state[STAR]) in (2, 16)
        return JUMP << 16 | star if straight and over and at & empty else NOTHING
    left, wanted = own & ~pieces, pieces & ~own & empty & _around(rules, own & ~pieces)
    if wanted == 0 or (rules.foul == TOGGLES.foul.shape and star != state[STAR]):
        return NOTHING
    return MOVE << 16 | lowest(left) << 8 | lowest(wanted)


@njit
def state_size(rules: Any) -> int:
    """Return the number of words in a state."""
    return STATE_WORDS


@njit
def max_moves(rules: Any) -> int:
    """Return an upper bound: placements or moves of up to four pieces, and four jumps."""
    return 48


@inline_ir
def start(rules: Any, state: Any) -> None:
    """Write the initial position: the star on a1, all pieces in hand."""
    for i in range(STATE_WORDS):
        state[i] = 0
    state[BEFORE] = NOTHING
    state[BEFORE + 1] = NOTHING


@inline_ir
def legal_moves(rules: Any, state: Any, moves: Any) -> int:
    """Fill ``moves`` with the legal actions: placements, then moves, then jumps."""
    own, empty = state[PIECES + state[TURN]], _empty(rules, state)
    banned = _banned(rules, state, own, empty)
    n = 0
    if popcount(own) < rules.pieces:
        cells = empty
        while cells:
            moves[n] = lowest(cells)
            n += 1
            cells &= cells - 1
    for step in STEPS:
        cells = _shifted(own, step) & empty
        while cells:
            to = lowest(cells)
            move = MOVE << 16 | (to - step) << 8 | to
            if move != banned:
                moves[n] = move
                n += 1
            cells &= cells - 1
    cells = _landings(rules, state, own, empty) if banned != ALL_JUMPS else 0
    while cells:
        move = JUMP << 16 | lowest(cells)
        if move != banned:
            moves[n] = move
            n += 1
        cells &= cells - 1
    return n


@inline_ir
def has_move(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether there is an action that the foul rule allows."""
    own, empty = state[PIECES + state[TURN]], _empty(rules, state)
    if empty and popcount(own) < rules.pieces:
        return True
    banned = _banned(rules, state, own, empty)
    n = popcount((own << 1) & empty) + popcount((own >> 1) & empty)
    n += popcount((own << 8) & empty) + popcount((own >> 8) & empty)
    n += popcount(_landings(rules, state, own, empty)) if banned != ALL_JUMPS else 0
    return n > (1 if banned >= 0 else 0)


@inline_ir
def _nth(cells: int, n: int) -> int:
    """Return the n-th cell of a set, counting from 0."""
    for _ in range(n):
        cells &= cells - 1
    return lowest(cells)


@inline_ir
def sample_move(rules: Any, state: Any, rng: Any) -> int:
    """Return a random legal action; an action that the foul rule forbids is redrawn.

    The action is selected from six sets of cells without branches, which would be mispredicted for random choices.
    """
    own, empty = state[PIECES + state[TURN]], _empty(rules, state)
    banned = _banned(rules, state, own, empty)
    place = empty if popcount(own) < rules.pieces else 0
    right, left, down, up = (own << 1) & empty, (own >> 1) & empty, (own << 8) & empty, (own >> 8) & empty
    jump = _landings(rules, state, own, empty) if banned != ALL_JUMPS else 0
    n_place = popcount(place)
    n_right = n_place + popcount(right)
    n_left = n_right + popcount(left)
    n_down = n_left + popcount(down)
    n_up = n_down + popcount(up)
    total = n_up + popcount(jump)
    if total == 0:
        return -1
    for _ in range(8):
        i = below(rng, total)
        cells, kind, step, skip = place, PLACE << 16, 0, 0
        if i >= n_place:
            cells, kind, step, skip = right, MOVE << 16, 1, n_place
        if i >= n_right:
            cells, step, skip = left, -1, n_right
        if i >= n_left:
            cells, step, skip = down, 8, n_left
        if i >= n_down:
            cells, step, skip = up, -8, n_down
        if i >= n_up:
            cells, kind, step, skip = jump, JUMP << 16, 0, n_up
        to = _nth(cells, i - skip)
        move = kind | to | ((to - step) << 8 if step else 0)
        if move != banned:
            return move
    return -1


@njit
def tactical_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """Return no moves: every position is quiet."""
    return 0, True


@inline_ir
def play(rules: Any, state: Any, move: int) -> None:
    """Apply a legal action."""
    side = state[TURN]
    kind, origin, cell = move >> 16, (move >> 8) & 255, move & 255
    own, star = state[PIECES + side], state[STAR]
    if rules.foul != TOGGLES.foul.off:
        state[BEFORE + side] = own if rules.foul == TOGGLES.foul.own_pieces else own | star << STAR_SHIFT
    if kind == JUMP:
        state[STAR] = cell
    elif kind == MOVE:
        state[PIECES + side] = own ^ (1 << origin | 1 << cell)
    else:
        state[PIECES + side] = own | 1 << cell
    state[TURN] = 1 - side
    # A finished game clears the memory, so that all ways to reach it lead to one state.
    if surrounds(rules, state, 0) or surrounds(rules, state, 1):
        state[BEFORE] = NOTHING
        state[BEFORE + 1] = NOTHING


@inline_ir
def seat(rules: Any, state: Any) -> int:
    """Return the side to move."""
    return state[TURN]


@inline_ir
def surrounds(rules: Any, state: Any, side: int) -> bool:
    """Return whether a side surrounds the star in a way that counts as a win."""
    if _around(rules, 1 << state[STAR]) & ~state[PIECES + side]:
        return False
    return rules.opponent_completes == TOGGLES.opponent_completes.wins or side != state[TURN]


@inline_ir
def outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Return the result and the ending: the star is surrounded, or the side to move has no legal action."""
    if surrounds(rules, state, 0):
        return FIRST, ENDINGS.surrounded
    if surrounds(rules, state, 1):
        return SECOND, ENDINGS.surrounded
    if n > 0:
        return ONGOING, 0
    if rules.stuck == TOGGLES.stuck.draw:
        return DRAW, ENDINGS.stuck
    return (FIRST if state[TURN] == 1 else SECOND), ENDINGS.stuck


@njit
def counts_positions(rules: Any) -> bool:
    """Return whether there is a repetition rule."""
    return rules.repetition != 0


@njit
def repetition(rules: Any, state: Any, count: int) -> tuple[int, int]:
    """Return a draw if the position has occurred too often."""
    if rules.repetition == 0 or count < rules.repetition:
        return ONGOING, 0
    return DRAW, REPETITION


@njit
def key(rules: Any, state: Any) -> Any:
    """Return a hash of the board, the side to move and, under a repetition rule, the foul rule's memory."""
    word = mix(np.uint64(state[PIECES] | state[STAR] << 48 | state[TURN] << 60))
    word = mix(word ^ np.uint64(state[PIECES + 1]))
    if rules.repetition == 0:
        return word
    return mix(mix(word ^ np.uint64(state[BEFORE])) ^ np.uint64(state[BEFORE + 1]))


@inline_ir
def board_size(rules: Any) -> int:
    """Return the side length of the board."""
    return rules.size


@njit
def units(rules: Any, state: Any, words: Any) -> int:
    """Fill ``words`` with the pieces on the board and in hand."""
    n = 0
    for side in range(2):
        rest = state[PIECES + side]
        words[n] = unit_word(UNITS.piece, side, HAND, rules.pieces - popcount(rest))
        n += 1
        while rest:
            place = lowest(rest)
            words[n] = unit_word(UNITS.piece, side, (place >> 3) << 5 | (place & 7), 1)
            n += 1
            rest &= rest - 1
    return n


@njit
def features(rules: Any, state: Any, out: Any) -> None:
    """Fill ``out`` with the features, the first seat's minus the second's."""
    empty = _empty(rules, state)
    around = _around(rules, 1 << state[STAR])
    for i in range(out.shape[0]):
        out[i] = 0.0
    for side in range(2):
        sign = 1.0 - 2.0 * side
        own = state[PIECES + side]
        out[FEATURES.neighbours] += sign * popcount(around & own)
        missing = around & ~own
        if popcount(missing) == 1 and missing & empty:
            out[FEATURES.one_short] += sign
        out[FEATURES.actions] += sign * (
            popcount(_around(rules, own) & empty) + popcount(_landings(rules, state, own, empty))
        )
        out[FEATURES.in_hand] += sign * (rules.pieces - popcount(own))
    out[FEATURES.tempo] = 1.0 - 2.0 * state[TURN]


@inline_ir
def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Count placements, jumps, and turns in which the foul rule forbade an action."""
    kind = move >> 16
    counts[EVENTS.placements] += 1 if kind == PLACE else 0
    counts[EVENTS.jumps] += 1 if kind == JUMP else 0
    own, empty = before[PIECES + before[TURN]], _empty(rules, before)
    banned = _banned(rules, before, own, empty)
    if banned == ALL_JUMPS:
        banned = MOVE if _landings(rules, before, own, empty) else NOTHING
    counts[EVENTS.fouls] += 1 if banned != NOTHING else 0


STAR_BITS = 5


@njit
def packed_bytes(rules: Any) -> int:
    """Return the bytes of a packed state."""
    cells, remembered = rules.size * rules.size, 0
    if rules.foul != TOGGLES.foul.off:
        remembered = 1 + cells + (0 if rules.foul == TOGGLES.foul.own_pieces else STAR_BITS)
    return (2 * cells + STAR_BITS + 1 + 2 * remembered + 7) // 8


@njit
def repetition_draws(rules: Any) -> bool:
    """Return True: a repeated position can only be a draw."""
    return True


@njit
def _put_set(packed: Any, at: int, size: int, cells: int) -> int:
    for y in range(size):
        at = put_bits(packed, at, size, (cells >> (8 * y)) & ((1 << size) - 1))
    return at


@njit
def _get_set(packed: Any, at: int, size: int) -> int:
    cells = 0
    for y in range(size):
        cells |= get_bits(packed, at + y * size, size) << (8 * y)
    return cells


@njit
def pack(rules: Any, state: Any, packed: Any) -> None:
    """Pack pieces, star, turn and the foul rule's memory."""
    for i in range(packed.shape[0]):
        packed[i] = 0
    at, n = 0, rules.size
    for side in range(2):
        at = _put_set(packed, at, n, state[PIECES + side])
    at = put_bits(packed, at, STAR_BITS, (state[STAR] >> 3) * n + (state[STAR] & 7))
    at = put_bits(packed, at, 1, state[TURN])
    if rules.foul == TOGGLES.foul.off:
        return
    for side in range(2):
        before = state[BEFORE + side]
        at = put_bits(packed, at, 1, 0 if before == NOTHING else 1)
        known = 0 if before == NOTHING else before
        at = _put_set(packed, at, n, known & BOARD[5])
        if rules.foul != TOGGLES.foul.own_pieces:
            star = known >> STAR_SHIFT
            at = put_bits(packed, at, STAR_BITS, (star >> 3) * n + (star & 7))


@njit
def unpack(rules: Any, packed: Any, state: Any) -> None:
    """Write the state that was packed."""
    at, n = 0, rules.size
    for side in range(2):
        state[PIECES + side] = _get_set(packed, at, n)
        at += n * n
    star = get_bits(packed, at, STAR_BITS)
    state[STAR] = (star // n) << 3 | (star % n)
    state[TURN] = get_bits(packed, at + STAR_BITS, 1)
    at += STAR_BITS + 1
    for side in range(2):
        state[BEFORE + side] = NOTHING
        if rules.foul == TOGGLES.foul.off:
            continue
        known = get_bits(packed, at, 1)
        before = _get_set(packed, at + 1, n)
        at += 1 + n * n
        if rules.foul != TOGGLES.foul.own_pieces:
            star = get_bits(packed, at, STAR_BITS)
            before |= ((star // n) << 3 | (star % n)) << STAR_SHIFT
            at += STAR_BITS
        if known:
            state[BEFORE + side] = before


implement(Rules, sys.modules[__name__], len(FEATURES), len(EVENTS), tuple(kind.fold for kind in DECLARATION.units))
