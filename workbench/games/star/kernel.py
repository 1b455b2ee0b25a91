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
"""The result of `_forbidden_action` if every jump is a foul."""
STEPS = (1, -1, 8, -8)

BOARD = np.array(
    [sum(1 << (8 * y + x) for y in range(n) for x in range(n)) if n >= 3 else 0 for n in range(6)], np.int64
)
"""The cells of a board of each size."""


@inline_ir
def _shifted(cells: int, step: int) -> int:
    """Shift the cells by one step; cells that leave the board land outside `BOARD`."""
    return cells << step if step > 0 else cells >> -step


@inline_ir
def _neighbours(rules: Any, cells: int) -> int:
    """Return the neighbours of a set of cells."""
    return (cells << 1 | cells >> 1 | cells << 8 | cells >> 8) & BOARD[rules.size]


@inline_ir
def _empty(rules: Any, state: Any) -> int:
    return BOARD[rules.size] & ~(state[PIECES] | state[PIECES + 1] | 1 << state[STAR])


@inline_ir
def _landings(rules: Any, state: Any, own: int, empty: int) -> int:
    """Return the cells that the star can jump to over the pieces ``own``."""
    star = 1 << state[STAR]
    across = (star << 1 & own) << 1 | (star >> 1 & own) >> 1
    return (across | (star << 8 & own) << 8 | (star >> 8 & own) >> 8) & empty


@inline_ir
def _forbidden_action(rules: Any, state: Any, own: int, empty: int) -> int:
    """Return the action that the foul rule forbids, or `NOTHING` or `ALL_JUMPS`."""
    # From one of a player's turns to the next, only the player's own action changes their pieces.
    before = state[BEFORE + state[TURN]]
    if before == NOTHING:
        return NOTHING
    pieces, star = before & BOARD[5], before >> STAR_SHIFT
    if pieces == own:
        if rules.foul == TOGGLES.foul.own_pieces:
            return ALL_JUMPS
        target = 1 << star
        jumped = own & _neighbours(rules, 1 << state[STAR]) & _neighbours(rules, target)
        straight = abs(star - state[STAR]) in (2, 16)
        return JUMP << 16 | star if straight and jumped and target & empty else NOTHING
    origin, destination = own & ~pieces, pieces & ~own & empty & _neighbours(rules, own & ~pieces)
    if destination == 0 or (rules.foul == TOGGLES.foul.shape and star != state[STAR]):
        return NOTHING
    return MOVE << 16 | lowest(origin) << 8 | lowest(destination)


@njit
def state_size(rules: Any) -> int:
    """Return the number of words in a state."""
    return STATE_WORDS


@njit
def max_moves(rules: Any) -> int:
    """Return an upper bound on the number of actions: placements and moves of up to four pieces, and four jumps."""
    return 48


@inline_ir
def start(rules: Any, state: Any) -> None:
    """Write the initial position, with the star on a1 and all pieces in hand."""
    for i in range(STATE_WORDS):
        state[i] = 0
    state[BEFORE] = NOTHING
    state[BEFORE + 1] = NOTHING


@inline_ir
def legal_moves(rules: Any, state: Any, moves: Any) -> int:
    """Fill ``moves`` with the legal actions: placements, then moves, then jumps."""
    own, empty = state[PIECES + state[TURN]], _empty(rules, state)
    banned = _forbidden_action(rules, state, own, empty)
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
    """Return whether there is a legal action."""
    own, empty = state[PIECES + state[TURN]], _empty(rules, state)
    if empty and popcount(own) < rules.pieces:
        return True
    banned = _forbidden_action(rules, state, own, empty)
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
    """Return a random legal action, redrawing an action that the foul rule forbids.

    The action is selected from six sets of cells without branches, which would be mispredicted for random choices.
    """
    own, empty = state[PIECES + state[TURN]], _empty(rules, state)
    banned = _forbidden_action(rules, state, own, empty)
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
    """Return no moves, since every position is quiet."""
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
    # A finished game clears the memory, so that equal final positions are equal states.
    if surrounds(rules, state, 0) or surrounds(rules, state, 1):
        state[BEFORE] = NOTHING
        state[BEFORE + 1] = NOTHING


@inline_ir
def seat(rules: Any, state: Any) -> int:
    """Return the side to move."""
    return state[TURN]


@inline_ir
def surrounds(rules: Any, state: Any, side: int) -> bool:
    """Return whether a side surrounds the star in a way that wins."""
    if _neighbours(rules, 1 << state[STAR]) & ~state[PIECES + side]:
        return False
    return rules.opponent_completes == TOGGLES.opponent_completes.wins or side != state[TURN]


@inline_ir
def outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Return the result and the ending: a surrounded star, or no legal action."""
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
        remaining = state[PIECES + side]
        words[n] = unit_word(UNITS.piece, side, HAND, rules.pieces - popcount(remaining))
        n += 1
        while remaining:
            cell = lowest(remaining)
            words[n] = unit_word(UNITS.piece, side, (cell >> 3) << 5 | (cell & 7), 1)
            n += 1
            remaining &= remaining - 1
    return n


@njit
def features(rules: Any, state: Any, out: Any) -> None:
    """Fill ``out`` with the features: the first seat's values minus the second's."""
    empty = _empty(rules, state)
    neighbours = _neighbours(rules, 1 << state[STAR])
    for i in range(out.shape[0]):
        out[i] = 0.0
    for side in range(2):
        sign = 1.0 - 2.0 * side
        own = state[PIECES + side]
        out[FEATURES.neighbours] += sign * popcount(neighbours & own)
        missing = neighbours & ~own
        if popcount(missing) == 1 and missing & empty:
            out[FEATURES.one_short] += sign
        out[FEATURES.actions] += sign * (
            popcount(_neighbours(rules, own) & empty) + popcount(_landings(rules, state, own, empty))
        )
        out[FEATURES.in_hand] += sign * (rules.pieces - popcount(own))
    out[FEATURES.tempo] = 1.0 - 2.0 * state[TURN]


@inline_ir
def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Count placements, jumps, and turns in which the foul rule forbids an action."""
    kind = move >> 16
    counts[EVENTS.placements] += 1 if kind == PLACE else 0
    counts[EVENTS.jumps] += 1 if kind == JUMP else 0
    own, empty = before[PIECES + before[TURN]], _empty(rules, before)
    banned = _forbidden_action(rules, before, own, empty)
    if banned == ALL_JUMPS:
        banned = MOVE if _landings(rules, before, own, empty) else NOTHING
    counts[EVENTS.fouls] += 1 if banned != NOTHING else 0


STAR_BITS = 5


@njit
def packed_bytes(rules: Any) -> int:
    """Return the size of a packed state in bytes."""
    cells, remembered = rules.size * rules.size, 0
    if rules.foul != TOGGLES.foul.off:
        remembered = 1 + cells + (0 if rules.foul == TOGGLES.foul.own_pieces else STAR_BITS)
    return (2 * cells + STAR_BITS + 1 + 2 * remembered + 7) // 8


@njit
def repetition_draws(rules: Any) -> bool:
    """Return True, since a repeated position can only be a draw."""
    return True


@njit
def _put_set(packed: Any, offset: int, size: int, cells: int) -> int:
    for y in range(size):
        offset = put_bits(packed, offset, size, (cells >> (8 * y)) & ((1 << size) - 1))
    return offset


@njit
def _get_set(packed: Any, offset: int, size: int) -> int:
    cells = 0
    for y in range(size):
        cells |= get_bits(packed, offset + y * size, size) << (8 * y)
    return cells


@njit
def pack(rules: Any, state: Any, packed: Any) -> None:
    """Pack pieces, star, turn and the foul rule's memory."""
    for i in range(packed.shape[0]):
        packed[i] = 0
    offset, n = 0, rules.size
    for side in range(2):
        offset = _put_set(packed, offset, n, state[PIECES + side])
    offset = put_bits(packed, offset, STAR_BITS, (state[STAR] >> 3) * n + (state[STAR] & 7))
    offset = put_bits(packed, offset, 1, state[TURN])
    if rules.foul == TOGGLES.foul.off:
        return
    for side in range(2):
        before = state[BEFORE + side]
        offset = put_bits(packed, offset, 1, 0 if before == NOTHING else 1)
        memory = 0 if before == NOTHING else before
        offset = _put_set(packed, offset, n, memory & BOARD[5])
        if rules.foul != TOGGLES.foul.own_pieces:
            star = memory >> STAR_SHIFT
            offset = put_bits(packed, offset, STAR_BITS, (star >> 3) * n + (star & 7))


@njit
def unpack(rules: Any, packed: Any, state: Any) -> None:
    """Restore a packed state."""
    offset, n = 0, rules.size
    for side in range(2):
        state[PIECES + side] = _get_set(packed, offset, n)
        offset += n * n
    star = get_bits(packed, offset, STAR_BITS)
    state[STAR] = (star // n) << 3 | (star % n)
    state[TURN] = get_bits(packed, offset + STAR_BITS, 1)
    offset += STAR_BITS + 1
    for side in range(2):
        state[BEFORE + side] = NOTHING
        if rules.foul == TOGGLES.foul.off:
            continue
        remembered = get_bits(packed, offset, 1)
        before = _get_set(packed, offset + 1, n)
        offset += 1 + n * n
        if rules.foul != TOGGLES.foul.own_pieces:
            star = get_bits(packed, offset, STAR_BITS)
            before |= ((star // n) << 3 | (star % n)) << STAR_SHIFT
            offset += STAR_BITS
        if remembered:
            state[BEFORE + side] = before


implement(Rules, sys.modules[__name__], len(FEATURES), len(EVENTS), tuple(kind.fold for kind in DECLARATION.units))
