"""Draughts, compiled: the functions that the engine asks of it. The board is explained in `kernel_board`.

A move is ``origin << 8 | destination``, with a mark if it captures: `SINGLE` and the square of the captured piece from
bit 16 on, or `MULTI` and the number of the capture among those of this piece. What a capture of several pieces takes is
found again when it is played.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from workbench.engine.contract import DRAW, FIRST, ONGOING, REPETITION, SECOND, implement
from workbench.engine.jit import inlined, lowest, njit, popcount, scratch
from workbench.engine.rng import below
from workbench.games.draughts.kernel_board import (
    ADJACENT,
    HASH,
    KINGS,
    LOSE_ALL,
    LOST_ALL,
    MOST_PIECES,
    NO_PIECES,
    OBLIGATORY,
    ONE_STEP,
    QUIET,
    QUIET_LIMIT,
    ROYAL_CAPTURED,
    ROYALS,
    SETS,
    STUCK,
    STUCK_IS_LOSS,
    TURN,
    Rules,
    bit,
    free_ray,
    geometry,
    has,
    jump_origins,
    man_captures,
    man_steps,
    step,
    view,
    wide,
    words,
)
from workbench.games.draughts.kernel_captures import (
    CROWNED,
    MOST_FROM_ONE,
    MULTI,
    ROOM,
    SET_ROOM,
    SINGLE,
    append_captures,
    can_capture,
    captures_from,
    flying_capture,
    last_row,
    split_jumps,
)
from workbench.games.draughts.kernel_features import EVENTS, FEATURES
from workbench.games.draughts.kernel_features import events as events
from workbench.games.draughts.kernel_features import features as features
from workbench.games.draughts.kernel_tables import (
    BACK_CENTRE,
    FAR_CENTRE,
    NEXT,
    ROWS,
    SHIFT,
    WINDOW_BASE,
    WINDOW_COUNT,
    WINDOW_OWN,
    ZOBRIST,
    ZOBRIST_TURN,
)


@njit
def state_size(rules: Any) -> int:
    """The words of a state."""
    return SETS + 4 * words(rules)


@njit
def max_moves(rules: Any) -> int:
    """A bound of the number of legal moves: far more than was met."""
    return ROOM


@njit
def feature_count(rules: Any) -> int:
    """The number of features."""
    return FEATURES


@njit
def event_count(rules: Any) -> int:
    """The number of event counters."""
    return EVENTS


@njit
def start(rules: Any, state: Any) -> None:
    """Writes the initial position."""
    g, w = geometry(rules), words(rules)
    state[:] = 0
    for row in range(rules.empty_back_rows, rules.empty_back_rows + rules.rows):
        for word in range(w):
            state[SETS + word] |= ROWS[g, row, word]
            state[SETS + w + word] |= ROWS[g, rules.size - 1 - row, word]
    if rules.royal:
        for square in (BACK_CENTRE[g], FAR_CENTRE[g]):
            state[SETS + KINGS * w + (square >> 6)] |= bit(square)
            state[SETS + ROYALS * w + (square >> 6)] |= bit(square)
    state[HASH] = position_hash(rules, state)


@njit
def position_hash(rules: Any, state: Any) -> int:
    """The hash of pieces and side to move, from scratch; `play` keeps it up to date."""
    w = words(rules)
    hashed = ZOBRIST_TURN if state[TURN] else 0
    for side in range(2):
        for word in range(w):
            squares = state[SETS + side * w + word]
            while squares:
                square = 64 * word + lowest(squares)
                squares &= squares - 1
                king = 2 if has(state, SETS + KINGS * w, square) else 0
                hashed ^= ZOBRIST[side + king, square]
                if has(state, SETS + ROYALS * w, square):
                    hashed ^= ZOBRIST[4 + side, square]
    return hashed


@njit
def seat(rules: Any, state: Any) -> int:
    """The side to move."""
    return state[TURN]


@inlined
def _step_origins(rules: Any, g: int, side: int, men: int, kings: int, empty: int) -> Any:
    """The men and kings that can step: four sets, by direction."""
    directions = man_steps(rules, side)
    return (
        ((men & -(directions & 1)) | kings) & step(empty, g, 3),
        ((men & -((directions >> 1) & 1)) | kings) & step(empty, g, 2),
        ((men & -((directions >> 2) & 1)) | kings) & step(empty, g, 1),
        ((men & -(directions >> 3)) | kings) & step(empty, g, 0),
    )


@inlined
def _append_steps(g: int, d: int, base: int, origins: int, moves: Any, n: int) -> int:
    """Appends the steps in one direction."""
    shift = SHIFT[g, d] if d < 2 else -SHIFT[g, d]
    while origins:
        origin = base + lowest(origins)
        origins &= origins - 1
        moves[n] = origin << 8 | (origin + shift)
        n += 1
    return n


@njit
def append_quiet(rules: Any, state: Any, moves: Any) -> int:
    """Fills ``moves`` with the moves that capture nothing, whether or not a capture is obligatory."""
    g, side, w = geometry(rules), state[TURN], words(rules)
    n = 0
    for window in range(WINDOW_COUNT[g]):
        base = WINDOW_BASE[g, window]
        men, kings, _, _, empty = view(rules, state, g, side, base, WINDOW_OWN[g, window])
        kings = kings if rules.king_move == ONE_STEP else 0
        origins = _step_origins(rules, g, side, men, kings, empty)
        n = _append_steps(g, 0, base, origins[0], moves, n)
        n = _append_steps(g, 1, base, origins[1], moves, n)
        n = _append_steps(g, 2, base, origins[2], moves, n)
        n = _append_steps(g, 3, base, origins[3], moves, n)
    if rules.king_move != ONE_STEP:
        for word in range(w):
            kings = state[SETS + side * w + word] & state[SETS + KINGS * w + word]
            while kings:
                origin = 64 * word + lowest(kings)
                kings &= kings - 1
                for d in range(4):
                    square = NEXT[g, origin, d]
                    while square >= 0 and not (has(state, SETS, square) or has(state, SETS + w, square)):
                        moves[n] = origin << 8 | square
                        n += 1
                        square = NEXT[g, square, d]
    return n


@njit
def legal_moves(rules: Any, state: Any, moves: Any) -> int:
    """Fills ``moves`` with the legal moves: captures where they are obligatory and possible, else quiet moves first."""
    if can_capture(rules, state):
        begin = 0 if rules.capture == OBLIGATORY else append_quiet(rules, state, moves)
        return append_captures(rules, state, rules.capture_choice, moves, begin)
    return append_quiet(rules, state, moves)


@njit
def has_move(rules: Any, state: Any, moves: Any) -> bool:
    """Whether there is a legal move: a step, which a king that flies can make, too, or a capture."""
    g, side = geometry(rules), state[TURN]
    for window in range(WINDOW_COUNT[g]):
        men, kings, _, _, empty = view(rules, state, g, side, WINDOW_BASE[g, window], WINDOW_OWN[g, window])
        origins = _step_origins(rules, g, side, men, kings, empty)
        if origins[0] | origins[1] | origins[2] | origins[3]:
            return True
    return can_capture(rules, state)


@inlined
def _nth(squares: int, n: int) -> int:
    """The n-th lowest square of a set, counted from 0."""
    for _ in range(n):
        squares &= squares - 1
    return lowest(squares)


@inlined
def _simple_moves(rules: Any, state: Any, g: int) -> Any:
    """The legal moves without a list, if none needs one; on boards of one word.

    Returns whether they are captures of one piece each by a short jump (1), quiet moves (0) or must be listed (-1); the
    pieces that make them in each direction; and the kings that fly, whose quiet moves are not among these.
    """
    side = state[TURN]
    men, kings, theirs, all_kings, empty = view(rules, state, g, side, 0, -1)
    by_man, by_king = jump_origins(rules, g, man_captures(rules, side), theirs, all_kings, empty)
    shorts = kings if rules.king_capture == ADJACENT else 0
    must_list = rules.king_capture != ADJACENT and flying_capture(rules, state, g, kings, theirs, empty)
    jumpers = (
        (men & (by_man[0] | by_man[1] | by_man[2] | by_man[3]))
        | (shorts & (by_king[0] | by_king[1] | by_king[2] | by_king[3]))
    )  # fmt: skip
    if jumpers != 0 or must_list:
        single, deep = split_jumps(rules, g, side, men, shorts, by_man, by_king)
        # Where kings matter to the choice among captures, equal length is not enough.
        unequal = rules.capture_choice > MOST_PIECES and all_kings != 0
        if must_list or deep != 0 or unequal or rules.capture != OBLIGATORY:
            return -1, single, 0
        return 1, single, 0
    flying = kings if rules.king_move != ONE_STEP else 0
    return 0, _step_origins(rules, g, side, men, kings & ~flying, empty), flying


@inlined
def _flights(g: int, kings: int, occupied: int) -> int:
    """The number of squares that flying kings can move to."""
    total = 0
    while kings:
        square = lowest(kings)
        kings &= kings - 1
        for d in range(4):
            total += popcount(free_ray(g, d, square, occupied))
    return total


@njit
def count_moves(rules: Any, state: Any, moves: Any) -> int:
    """The number of legal moves."""
    if wide(rules):
        return legal_moves(rules, state, moves)
    g = geometry(rules)
    kind, by, flying = _simple_moves(rules, state, g)
    if kind < 0:
        return legal_moves(rules, state, moves)
    total = popcount(by[0]) + popcount(by[1]) + popcount(by[2]) + popcount(by[3])
    return total + _flights(g, flying, state[SETS] | state[SETS + 1])


@njit
def sample_move(rules: Any, state: Any, rng: Any) -> int:
    """A uniformly random legal move; -1 if the moves are to be listed, or there is none."""
    if wide(rules):
        return -1
    g = geometry(rules)
    kind, by, flying = _simple_moves(rules, state, g)
    if kind < 0:
        return -1
    first = popcount(by[0])
    second = first + popcount(by[1])
    third = second + popcount(by[2])
    stepping = third + popcount(by[3])
    occupied = state[SETS] | state[SETS + 1]
    total = stepping + _flights(g, flying, occupied)
    if total == 0:
        return -1
    pick = below(rng, total)
    if pick < stepping:
        if pick < second:
            d, squares = (0, by[0]) if pick < first else (1, by[1])
            pick -= 0 if pick < first else first
        else:
            d, squares = (2, by[2]) if pick < third else (3, by[3])
            pick -= second if pick < third else third
        origin = _nth(squares, pick)
        shift = SHIFT[g, d] if d < 2 else -SHIFT[g, d]
        if kind == 0:
            return origin << 8 | (origin + shift)
        return SINGLE | (origin + shift) << 16 | origin << 8 | (origin + 2 * shift)
    pick -= stepping
    while True:
        origin = lowest(flying)
        flying &= flying - 1
        for d in range(4):
            free = free_ray(g, d, origin, occupied)
            count = popcount(free)
            if pick < count:
                return origin << 8 | _nth(free, pick)
            pick -= count


@njit
def tactical_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """All captures where they are obligatory; any other position is quiet."""
    if rules.capture == OBLIGATORY and can_capture(rules, state):
        return append_captures(rules, state, rules.capture_choice, moves, 0), False
    return 0, True


@inlined
def _remove(rules: Any, state: Any, side: int, square: int) -> int:
    """Takes a piece of ``side`` off the board; returns what that does to the hash."""
    w = words(rules)
    word, mask = square >> 6, bit(square)
    state[SETS + side * w + word] ^= mask
    if state[SETS + KINGS * w + word] & mask == 0:
        return ZOBRIST[side, square]
    state[SETS + KINGS * w + word] ^= mask
    if state[SETS + ROYALS * w + word] & mask == 0:
        return ZOBRIST[2 + side, square]
    state[SETS + ROYALS * w + word] ^= mask
    return ZOBRIST[2 + side, square] ^ ZOBRIST[4 + side, square]


@njit
def captured(rules: Any, state: Any, move: int, out: Any) -> None:
    """Fills the words of ``out`` with the set of pieces that a capture of several takes."""
    w = words(rules)
    found, sets = scratch(MOST_FROM_ONE), scratch(SET_ROOM)
    captures_from(rules, state, (move >> 8) & 255, rules.capture_choice, -1, found, sets)
    index = (move >> 16) & (MOST_FROM_ONE - 1)
    for word in range(w):
        out[word] = sets[index * w + word]


@njit
def _remove_many(rules: Any, state: Any, side: int, move: int) -> int:
    """Takes what a capture of several takes off the board; returns what that does to the hash."""
    squares = scratch(3)
    captured(rules, state, move, squares)
    hashed = np.int64(0)
    for word in range(words(rules)):
        rest = squares[word]
        while rest:
            hashed ^= _remove(rules, state, side, 64 * word + lowest(rest))
            rest &= rest - 1
    return hashed


@njit
def play(rules: Any, state: Any, move: int) -> None:
    """Applies a legal move."""
    g, side, w = geometry(rules), state[TURN], words(rules)
    destination, origin = move & 255, (move >> 8) & 255
    hashed = state[HASH] ^ ZOBRIST_TURN
    quiet = state[QUIET] + 1
    if move >= SINGLE:
        quiet = 0
        if move < MULTI:
            hashed ^= _remove(rules, state, 1 - side, (move >> 16) & 255)
        else:
            hashed ^= _remove_many(rules, state, 1 - side, move)
    own, kings, royals = SETS + side * w, SETS + KINGS * w, SETS + ROYALS * w
    was_king = has(state, kings, origin)
    state[own + (origin >> 6)] ^= bit(origin)
    state[own + (destination >> 6)] ^= bit(destination)
    if was_king:
        state[kings + (origin >> 6)] ^= bit(origin)
        state[kings + (destination >> 6)] ^= bit(destination)
        hashed ^= ZOBRIST[2 + side, origin] ^ ZOBRIST[2 + side, destination]
        if rules.royal and has(state, royals, origin):
            state[royals + (origin >> 6)] ^= bit(origin)
            state[royals + (destination >> 6)] ^= bit(destination)
            hashed ^= ZOBRIST[4 + side, origin] ^ ZOBRIST[4 + side, destination]
    else:
        quiet = 0
        hashed ^= ZOBRIST[side, origin]
        if last_row(rules, g, side, destination) or (move >= MULTI and move & CROWNED):
            state[kings + (destination >> 6)] |= bit(destination)
            hashed ^= ZOBRIST[2 + side, destination]
        else:
            hashed ^= ZOBRIST[side, destination]
    state[HASH] = hashed
    state[QUIET] = quiet
    state[TURN] = 1 - side


@inlined
def _royal_lost(rules: Any, state: Any) -> bool:
    """Whether the royal piece of the side to move has been captured."""
    if not rules.royal:
        return False
    w = words(rules)
    royal = 0
    for word in range(w):
        royal |= state[SETS + state[TURN] * w + word] & state[SETS + ROYALS * w + word]
    return royal == 0


@njit
def outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """The ends of a game: a royal piece or all pieces captured, no legal move, too many quiet plies."""
    side, w = state[TURN], words(rules)
    loser = SECOND if side else FIRST
    winner = FIRST + SECOND - loser
    if rules.goal == LOSE_ALL:
        winner = loser
    if _royal_lost(rules, state):
        return winner, ROYAL_CAPTURED
    pieces = state[SETS + side * w]
    if wide(rules):
        pieces |= state[SETS + side * w + 1] | state[SETS + side * w + 2]
    if pieces == 0:
        return winner, LOST_ALL if rules.goal == LOSE_ALL else NO_PIECES
    if n == 0:
        return (winner if rules.stuck == STUCK_IS_LOSS else DRAW), STUCK
    if rules.quiet_limit and state[QUIET] >= rules.quiet_limit:
        return DRAW, QUIET_LIMIT
    return ONGOING, 0


@njit
def counts_positions(rules: Any) -> bool:
    """Whether there is a rule about repetition."""
    return rules.repetition != 0


@njit
def repetition(rules: Any, state: Any, count: int) -> tuple[int, int]:
    """A draw when the position occurs too often."""
    if rules.repetition == 0 or count < rules.repetition:
        return ONGOING, 0
    return DRAW, REPETITION


@njit
def key(rules: Any, state: Any) -> Any:
    """The hash of pieces and side to move."""
    return np.uint64(state[HASH])


implement(Rules, sys.modules[__name__])
