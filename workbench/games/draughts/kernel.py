"""Draughts, compiled: the functions required by the engine. The board is explained in `kernel_board`.

A move is ``origin << 8 | destination``, with a mark for captures: `SINGLE` and the captured square starting at bit 16,
or `MULTI` and the index of the capture among this piece's captures. Playing a capture of several pieces recomputes the
captured squares. A huff is a separate move, after which the same side moves; its origin and destination are both the
square of the removed enemy piece.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from workbench.engine.bits import bits_for, get_bits, lowest, popcount, put_bits
from workbench.engine.contract import (
    BOOL,
    DRAW,
    FIRST,
    MOVES,
    ONGOING,
    REPETITION,
    SECOND,
    STATE,
    gain_by_playing,
    implement,
    separately_compiled,
)
from workbench.engine.jit import inline_ir, njit, scratch
from workbench.engine.rng import below, mix
from workbench.games.draughts import kernel_board as b
from workbench.games.draughts import kernel_moves as m
from workbench.games.draughts.kernel_board import ENDINGS, EVENTS, FEATURES, TOGGLES, Rules
from workbench.games.draughts.kernel_features import board_size as board_size
from workbench.games.draughts.kernel_features import events as events
from workbench.games.draughts.kernel_features import features as features
from workbench.games.draughts.kernel_features import units as units
from workbench.games.draughts.kernel_moves import MOST_CAPTURES, SET_ROOM
from workbench.games.draughts.rules import DECLARATION

DECISIVE = 1000.0
"""The gain of a winning move."""


@njit
def state_size(rules: Any) -> int:
    """Return the number of words in a state."""
    return b.runs_start(rules) + (2 if rules.king_run else 0)


@njit
def max_moves(rules: Any) -> int:
    """Return an upper bound on the number of legal moves."""
    return m.ROOM


@njit
def start(rules: Any, state: Any) -> None:
    """Write the initial position: rows of men, or the start position in the rules."""
    g, w = b.geometry(rules), b.words(rules)
    state[:] = 0
    setup = rules.start_position
    if setup.shape[0] > 0:
        # The format is that of `drawings.read`: seat, king and royal bits above the square.
        state[b.TURN] = setup[0]
        for i in range(1, setup.shape[0]):
            square, kind = setup[i] & 0xFFFF, setup[i] >> 16
            state[b.SETS + (kind & 1) * w + (square >> 6)] |= b.bit(square)
            if kind & 2:
                state[b.SETS + b.KINGS * w + (square >> 6)] |= b.bit(square)
            if kind & 4:
                state[b.SETS + b.ROYALS * w + (square >> 6)] |= b.bit(square)
        state[b.HASH] = position_hash(rules, state)
        start_ending_count(rules, state)
        return
    for row in range(rules.empty_back_rows, rules.empty_back_rows + rules.rows):
        for word in range(w):
            state[b.SETS + word] |= b.ROWS[g, row, word]
            state[b.SETS + w + word] |= b.ROWS[g, b.LAST[g] - row, word]
    if rules.royal:
        for square in (b.BACK_CENTRE[g], b.FAR_CENTRE[g]):
            state[b.SETS + b.KINGS * w + (square >> 6)] |= b.bit(square)
            state[b.SETS + b.ROYALS * w + (square >> 6)] |= b.bit(square)
    state[b.HASH] = position_hash(rules, state)


@njit
def start_ending_count(rules: Any, state: Any) -> None:
    """Start counting plies for the endgame limits."""
    plies = b.ending_plies(rules, state) if rules.endgame_limits else 0
    state[b.LEFT] = plies + 1 if plies else 0


@njit
def _count_ending(rules: Any, state: Any, changed: bool) -> None:
    """Count a ply for the endgame limits; ``changed`` is true if it captured or crowned a man."""
    plies_left = max(state[b.LEFT] - 1, 0)
    if changed:
        start_ending_count(rules, state)
        international = rules.endgame_limits == TOGGLES.endgame_limits.international
        if not international or plies_left == 0 or state[b.LEFT] <= plies_left:
            return
    state[b.LEFT] = plies_left


@njit
def _ending_is_drawn(rules: Any, state: Any) -> bool:
    """Return whether the endgame limits make the position a draw."""
    if rules.endgame_limits != TOGGLES.endgame_limits.turkish:
        return state[b.LEFT] == 1
    for side in range(2):
        pieces, kings = b.pieces_and_kings(rules, state, side)
        if pieces != 1 or kings != 1:
            return False
    return not m.can_capture(rules, state)


@njit
def _run_hash(rules: Any, state: Any) -> int:
    """Return the hash of the kings' consecutive moves."""
    run = state[b.runs_start(rules)] << 20 | state[b.runs_start(rules) + 1]
    return np.int64(mix(np.uint64(run))) if run else np.int64(0)


@njit
def position_hash(rules: Any, state: Any) -> int:
    """Return the hash of the pieces and side to move, computed from scratch; `play` updates it incrementally.

    It includes huffable pieces and, if limited, a king's consecutive moves.
    """
    w = b.words(rules)
    hash_value = b.ZOBRIST_TURN if state[b.TURN] else 0
    if rules.king_run:
        hash_value ^= _run_hash(rules, state)
    for side in range(2):
        for word in range(w):
            squares = state[b.SETS + side * w + word]
            while squares:
                square = 64 * word + lowest(squares)
                squares &= squares - 1
                king = 2 if b.has(state, b.SETS + b.KINGS * w, square) else 0
                hash_value ^= b.ZOBRIST[side + king, square]
                if b.has(state, b.SETS + b.ROYALS * w, square):
                    hash_value ^= b.ZOBRIST[4 + side, square]
    return hash_value


@njit
def seat(rules: Any, state: Any) -> int:
    """Return the side to move."""
    return state[b.TURN]


@njit
def legal_moves(rules: Any, state: Any, moves: Any) -> int:
    """Fill ``moves`` with the legal moves.

    Quiet moves come before captures, and are omitted if a capture is obligatory. Huffs come last.
    """
    if m.can_capture(rules, state):
        quiet_moves = 0 if rules.capture == TOGGLES.capture.obligatory else m.list_quiet(rules, state, moves)
        n = m.append_captures(rules, state, rules.capture_choice, moves, quiet_moves)
    else:
        n = m.list_quiet(rules, state, moves)
    return m.append_huffs(rules, state, moves, n) if rules.capture == TOGGLES.capture.huffing else n


@njit
def has_move(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether there is a legal move; flying kings that can move can also move by one square."""
    g, side = b.geometry(rules), state[b.TURN]
    for window in range(b.WINDOW_COUNT[g]):
        base = b.WINDOW_BASE[g, window]
        men, kings, _, _, empty = b.window_pieces(rules, state, g, side, base, b.WINDOW_OWN[g, window])
        if rules.king_run:
            kings &= ~b.barred_king_in_window(rules, state, side, base)
        origins = m.step_origins(rules, g, side, men, kings, empty)
        if origins[0] | origins[1] | origins[2] | origins[3]:
            return True
    if m.can_capture(rules, state) or (
        rules.step_lines != TOGGLES.step_lines.own and m.can_step_other_lines(rules, state, side)
    ):
        return True
    return rules.capture == TOGGLES.capture.huffing and m.append_huffs(rules, state, moves, 0) > 0


@inline_ir
def _nth(squares: int, n: int) -> int:
    """Return the n-th lowest square of a set, counting from 0."""
    for _ in range(n):
        squares &= squares - 1
    return lowest(squares)


@inline_ir
def _simple_moves(rules: Any, state: Any, g: int) -> Any:
    """Return the legal moves as sets, for boards of one word if the other lines are not used.

    Returns the kind of moves (1 for single captures by short jumps, 0 for quiet moves, -1 if moves must be listed), the
    moving pieces by direction, and the flying kings, whose quiet moves are excluded.
    """
    side = state[b.TURN]
    men, kings, theirs, all_kings, empty = b.window_pieces(rules, state, g, side, 0, -1)
    by_man, by_king = b.jump_origins(rules, g, b.man_captures(rules, side), theirs, all_kings, empty)
    shorts = kings if rules.king_capture == TOGGLES.king_capture.adjacent else 0
    must_list = rules.king_capture != TOGGLES.king_capture.adjacent and m.flying_capture(
        rules, state, g, kings, theirs, empty
    )
    jumpers = (
        (men & (by_man[0] | by_man[1] | by_man[2] | by_man[3]))
        | (shorts & (by_king[0] | by_king[1] | by_king[2] | by_king[3]))
    )  # fmt: skip
    if jumpers != 0 or must_list:
        single, deep = m.split_jumps(rules, g, side, men, shorts, by_man, by_king)
        # If the choice of captures depends on kings, captures of equal length may differ in rank.
        unequal = rules.capture_choice > TOGGLES.capture_choice.most_pieces and all_kings != 0
        if must_list or deep != 0 or unequal or rules.capture != TOGGLES.capture.obligatory:
            return -1, single, 0
        return 1, single, 0
    flying = kings if rules.king_move != TOGGLES.king_move.one_step else 0
    return 0, m.step_origins(rules, g, side, men, kings & ~flying, empty), flying


@inline_ir
def _count_flights(g: int, kings: int, occupied: int) -> int:
    """Count the quiet moves of flying kings."""
    total = 0
    while kings:
        square = lowest(kings)
        kings &= kings - 1
        for d in range(4):
            total += popcount(b.free_ray(g, d, square, occupied))
    return total


@inline_ir
def _must_list(rules: Any) -> bool:
    """Return whether the rules include moves that `_simple_moves` does not cover."""
    special = rules.step_lines | rules.capture_lines | rules.king_run | (rules.capture & TOGGLES.capture.huffing)
    return b.wide(rules) | (special != 0)


@njit
def count_moves(rules: Any, state: Any, moves: Any) -> int:
    """Return the number of legal moves; ``moves`` is a buffer."""
    if _must_list(rules):
        return legal_moves(rules, state, moves)
    g = b.geometry(rules)
    kind, origins, flying = _simple_moves(rules, state, g)
    if kind < 0:
        return legal_moves(rules, state, moves)
    total = popcount(origins[0]) + popcount(origins[1]) + popcount(origins[2]) + popcount(origins[3])
    return total + _count_flights(g, flying, state[b.SETS] | state[b.SETS + 1])


@njit
def sample_move(rules: Any, state: Any, rng: Any) -> int:
    """Return a uniformly random legal move, or -1 if the moves must be listed or there is none."""
    if _must_list(rules):
        return -1
    g = b.geometry(rules)
    kind, origins, flying = _simple_moves(rules, state, g)
    if kind < 0:
        return -1
    first = popcount(origins[0])
    second = first + popcount(origins[1])
    third = second + popcount(origins[2])
    step_count = third + popcount(origins[3])
    occupied = state[b.SETS] | state[b.SETS + 1]
    total = step_count + _count_flights(g, flying, occupied)
    if total == 0:
        return -1
    pick = below(rng, total)
    if pick < step_count:
        if pick < second:
            d, squares = (0, origins[0]) if pick < first else (1, origins[1])
            pick -= 0 if pick < first else first
        else:
            d, squares = (2, origins[2]) if pick < third else (3, origins[3])
            pick -= second if pick < third else third
        origin = _nth(squares, pick)
        shift = b.SHIFT[g, d] if d < 2 else -b.SHIFT[g, d]
        if kind == 0:
            return origin << 8 | (origin + shift)
        return m.SINGLE | (origin + shift) << 16 | origin << 8 | (origin + 2 * shift)
    pick -= step_count
    while True:
        origin = lowest(flying)
        flying &= flying - 1
        for d in range(4):
            free = b.free_ray(g, d, origin, occupied)
            count = popcount(free)
            if pick < count:
                return origin << 8 | _nth(free, pick)
            pick -= count


@inline_ir
def _makes_king(rules: Any, state: Any, move: int) -> bool:
    """Return whether a move crowns a man."""
    side = state[b.TURN]
    return (
        not b.has(state, b.SETS + b.KINGS * b.words(rules), (move >> 8) & 255)
        and m.crowns_man(rules, b.geometry(rules), side, move)
        and not m.is_huff(move)
    )


@inline_ir
def _king_wins(rules: Any, state: Any) -> bool:
    """Return whether one more king would win for the side to move."""
    if rules.goal < TOGGLES.goal.first_king:
        return False
    return rules.goal == TOGGLES.goal.first_king or b.pieces_and_kings(rules, state, state[b.TURN])[1] == 1


@separately_compiled(BOOL, STATE, MOVES)
def _can_make_king(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether the side to move, which need not capture, can crown a man; ``moves`` is a buffer."""
    g, side = b.geometry(rules), state[b.TURN]
    row = b.CROWN[g, side]
    for window in range(b.WINDOW_COUNT[g]):
        base = b.WINDOW_BASE[g, window]
        men, _, _, _, empty = b.window_pieces(rules, state, g, side, base, b.WINDOW_OWN[g, window])
        origins = m.step_origins(rules, g, side, men, 0, empty & b.window_bits(row, 0, base))
        if origins[0] | origins[1] | origins[2] | origins[3]:
            return True
    if rules.step_lines != TOGGLES.step_lines.own:
        for i in range(m.append_other_lines(rules, state, moves, 0)):
            if _makes_king(rules, state, moves[i]):
                return True
    if rules.capture != TOGGLES.capture.obligatory and m.can_capture(rules, state):
        for i in range(m.append_captures(rules, state, rules.capture_choice, moves, 0)):
            if _makes_king(rules, state, moves[i]):
                return True
    return False


@njit
def tactical_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """Fill ``moves`` with obligatory captures, or with all moves if one of them can make a winning king."""
    if rules.capture == TOGGLES.capture.obligatory and m.can_capture(rules, state):
        return m.append_captures(rules, state, rules.capture_choice, moves, 0), False
    if _king_wins(rules, state) and _can_make_king(rules, state, moves):
        return legal_moves(rules, state, moves), False
    return 0, True


@njit
def quiet(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether no capture is obligatory and no winning king can be made."""
    if rules.capture == TOGGLES.capture.obligatory and m.can_capture(rules, state):
        return False
    return not (_king_wins(rules, state) and _can_make_king(rules, state, moves))


@njit
def gain(rules: Any, state: Any, move: int, worth: Any, after: Any) -> float:
    """Return a move's material gain; a winning king exceeds all material."""
    if _king_wins(rules, state) and _makes_king(rules, state, move):
        return DECISIVE
    return gain_by_playing(rules, state, move, worth, after)


@inline_ir
def _remove(rules: Any, state: Any, side: int, square: int) -> int:
    """Remove a side's piece from the board and return the change in the hash."""
    w = b.words(rules)
    word, mask = square >> 6, b.bit(square)
    state[b.SETS + side * w + word] ^= mask
    if state[b.SETS + b.KINGS * w + word] & mask == 0:
        return b.ZOBRIST[side, square]
    state[b.SETS + b.KINGS * w + word] ^= mask
    if state[b.SETS + b.ROYALS * w + word] & mask == 0:
        return b.ZOBRIST[2 + side, square]
    state[b.SETS + b.ROYALS * w + word] ^= mask
    return b.ZOBRIST[2 + side, square] ^ b.ZOBRIST[4 + side, square]


@njit
def captured(rules: Any, state: Any, move: int, out: Any) -> None:
    """Fill ``out`` with the set of pieces captured by a multiple capture."""
    w = b.words(rules)
    captures, sets = scratch(MOST_CAPTURES), scratch(SET_ROOM)
    m.captures_from(rules, state, (move >> 8) & 255, rules.capture_choice, -1, captures, sets)
    index = (move >> 16) & (MOST_CAPTURES - 1)
    for word in range(w):
        out[word] = sets[index * w + word]


@njit
def _remove_many(rules: Any, state: Any, side: int, move: int) -> int:
    """Remove the pieces captured by a multiple capture and return the change in the hash."""
    squares = scratch(3)
    captured(rules, state, move, squares)
    hash_change = np.int64(0)
    for word in range(b.words(rules)):
        remaining = squares[word]
        while remaining:
            hash_change ^= _remove(rules, state, side, 64 * word + lowest(remaining))
            remaining &= remaining - 1
    return hash_change


@njit
def _record_huffable(rules: Any, state: Any, move: int) -> None:
    """Record the pieces that could capture instead of making ``move``, on their squares after it."""
    side, w = state[b.TURN], b.words(rules)
    capturing = scratch(3)
    m.capturing_pieces(rules, state, capturing)
    for word in range(w):
        word_index = b.SETS + b.HUFFABLE * w + word
        old_squares = state[word_index]
        while old_squares:
            state[b.HASH] ^= b.ZOBRIST[5 - side, 64 * word + lowest(old_squares)]
            old_squares &= old_squares - 1
        state[word_index] = 0
    if move >= m.SINGLE or m.is_huff(move):
        return
    origin, destination = move >> 8, move & 255
    if b.has(capturing, 0, origin):
        capturing[origin >> 6] ^= b.bit(origin)
        capturing[destination >> 6] |= b.bit(destination)
    for word in range(w):
        state[b.SETS + b.HUFFABLE * w + word] = capturing[word]
        while capturing[word]:
            state[b.HASH] ^= b.ZOBRIST[4 + side, 64 * word + lowest(capturing[word])]
            capturing[word] &= capturing[word] - 1


@njit
def _count_run(rules: Any, state: Any, side: int, origin: int, destination: int) -> None:
    """Count a king's consecutive quiet move; ``origin`` is -1 for any other move."""
    state[b.HASH] ^= _run_hash(rules, state)
    word_index = b.runs_start(rules) + side
    if origin >= 0:
        count = state[word_index] >> 8 if state[word_index] & 255 == origin else 0
        state[word_index] = min(count + 1, rules.king_run) << 8 | destination
    else:
        state[word_index] = 0
    _clear_ended_runs(rules, state)
    state[b.HASH] ^= _run_hash(rules, state)


@njit
def _clear_ended_runs(rules: Any, state: Any) -> None:
    """Clear the counts of captured kings and of sides without men."""
    w = b.words(rules)
    for side in range(2):
        men, word_index = 0, b.runs_start(rules) + side
        for word in range(w):
            men |= state[b.SETS + side * w + word] & ~state[b.SETS + b.KINGS * w + word]
        if men == 0 or not b.has(state, b.SETS + side * w, state[word_index] & 255):
            state[word_index] = 0


@njit
def _huff(rules: Any, state: Any, square: int) -> None:
    """Remove an enemy piece that failed to capture; the side to move changes only if it was the last piece."""
    side = state[b.TURN]
    state[b.HASH] ^= _remove(rules, state, 1 - side, square)
    state[b.QUIET] = 0
    if b.pieces_and_kings(rules, state, 1 - side)[0] == 0:
        state[b.TURN] = 1 - side
        state[b.HASH] ^= b.ZOBRIST_TURN
    if rules.endgame_limits:
        _count_ending(rules, state, True)
    if rules.king_run:
        state[b.HASH] ^= _run_hash(rules, state)
        _clear_ended_runs(rules, state)
        state[b.HASH] ^= _run_hash(rules, state)


@njit
def play(rules: Any, state: Any, move: int) -> None:
    """Apply a legal move."""
    g, side, w = b.geometry(rules), state[b.TURN], b.words(rules)
    destination, origin = move & 255, (move >> 8) & 255
    if rules.capture == TOGGLES.capture.huffing:
        _record_huffable(rules, state, move)
        if m.is_huff(move):
            _huff(rules, state, destination)
            return
    new_hash = state[b.HASH] ^ b.ZOBRIST_TURN
    # Without a limit, a count of quiet plies would only make equal positions differ.
    quiet = state[b.QUIET] + 1 if rules.quiet_limit else 0
    if move >= m.SINGLE:
        quiet = 0
        if move < m.MULTI:
            new_hash ^= _remove(rules, state, 1 - side, (move >> 16) & 255)
        else:
            new_hash ^= _remove_many(rules, state, 1 - side, move)
    own, kings, royals = b.SETS + side * w, b.SETS + b.KINGS * w, b.SETS + b.ROYALS * w
    was_king = b.has(state, kings, origin)
    changed = move >= m.SINGLE
    state[own + (origin >> 6)] ^= b.bit(origin)
    state[own + (destination >> 6)] ^= b.bit(destination)
    if was_king:
        state[kings + (origin >> 6)] ^= b.bit(origin)
        state[kings + (destination >> 6)] ^= b.bit(destination)
        new_hash ^= b.ZOBRIST[2 + side, origin] ^ b.ZOBRIST[2 + side, destination]
        if rules.royal and b.has(state, royals, origin):
            state[royals + (origin >> 6)] ^= b.bit(origin)
            state[royals + (destination >> 6)] ^= b.bit(destination)
            new_hash ^= b.ZOBRIST[4 + side, origin] ^ b.ZOBRIST[4 + side, destination]
    else:
        quiet = 0
        new_hash ^= b.ZOBRIST[side, origin]
        if m.crowns_man(rules, g, side, move):
            changed = True
            state[kings + (destination >> 6)] |= b.bit(destination)
            new_hash ^= b.ZOBRIST[2 + side, destination]
        else:
            new_hash ^= b.ZOBRIST[side, destination]
    state[b.HASH] = new_hash
    state[b.QUIET] = quiet
    state[b.TURN] = 1 - side
    if rules.endgame_limits:
        _count_ending(rules, state, changed)
    if rules.king_run:
        _count_run(rules, state, side, origin if was_king and move < m.SINGLE else -1, destination)


@inline_ir
def _royal_lost(rules: Any, state: Any) -> bool:
    """Return whether the side to move has lost its royal piece."""
    if not rules.royal:
        return False
    w = b.words(rules)
    royal = 0
    for word in range(w):
        royal |= state[b.SETS + state[b.TURN] * w + word] & state[b.SETS + b.ROYALS * w + word]
    return royal == 0


@njit
def outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Return the result and the ending: loss of the royal piece or all pieces, kings made, no move, or a draw rule."""
    side, w = state[b.TURN], b.words(rules)
    loser = SECOND if side else FIRST
    winner = FIRST + SECOND - loser
    if rules.goal == TOGGLES.goal.lose_all:
        winner = loser
    if _royal_lost(rules, state):
        return winner, ENDINGS.royal_captured
    if rules.goal >= TOGGLES.goal.first_king:
        required_kings = 1 if rules.goal == TOGGLES.goal.first_king else 2
        # In a start position with kings of both sides, that of the last mover decides.
        for owner in (1 - side, side):
            if b.pieces_and_kings(rules, state, owner)[1] >= required_kings:
                return (SECOND if owner else FIRST), ENDINGS.first_king if required_kings == 1 else ENDINGS.two_kings
    pieces = state[b.SETS + side * w]
    if b.wide(rules):
        pieces |= state[b.SETS + side * w + 1] | state[b.SETS + side * w + 2]
    if pieces == 0:
        return winner, ENDINGS.lose_all if rules.goal == TOGGLES.goal.lose_all else ENDINGS.no_pieces
    if n == 0:
        return (winner if rules.stuck == TOGGLES.stuck.loss else DRAW), ENDINGS.stuck
    if rules.endgame_limits and _ending_is_drawn(rules, state):
        return DRAW, ENDINGS.endgame_limit
    if rules.quiet_limit and state[b.QUIET] >= rules.quiet_limit:
        return DRAW, ENDINGS.quiet_limit
    return ONGOING, 0


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
    """Return the hash of the pieces and the side to move."""
    return np.uint64(state[b.HASH])


@njit
def _set_count(rules: Any) -> int:
    """Return the number of packed sets: both seats' pieces, kings, and royal or huffable pieces if any."""
    return 4 if rules.royal or rules.capture == TOGGLES.capture.huffing else 3


@njit
def _run_bits(rules: Any) -> int:
    """Return the number of bits for a seat's consecutive king moves: a square and a count of at most 20."""
    return 13 if rules.king_run else 0


@njit
def _ending_bits(rules: Any) -> int:
    """Return the number of bits for the plies remaining under the endgame limits, at most 120."""
    return 7 if rules.endgame_limits else 0


@njit
def packed_bytes(rules: Any) -> int:
    """Return the size of a packed state in bytes."""
    g, squares = b.geometry(rules), 0
    for word in range(b.words(rules)):
        for bit in range(64):
            squares += (b.BOARD[g, word] >> bit) & 1
    return (
        1 + bits_for(rules.quiet_limit) + _ending_bits(rules) + 2 * _run_bits(rules) + _set_count(rules) * squares + 7
    ) // 8


@njit
def repetition_draws(rules: Any) -> bool:
    """Return True, since a repeated position can only be a draw."""
    return True


@njit
def pack(rules: Any, state: Any, packed: Any) -> None:
    """Pack everything except the hash."""
    for i in range(packed.shape[0]):
        packed[i] = 0
    g, w, quiet_bits = b.geometry(rules), b.words(rules), bits_for(rules.quiet_limit)
    offset = put_bits(packed, 0, 1, state[b.TURN])
    offset = put_bits(packed, offset, quiet_bits, min(state[b.QUIET], rules.quiet_limit))
    offset = put_bits(packed, offset, _ending_bits(rules), state[b.LEFT])
    for seat in range(2 if rules.king_run else 0):
        offset = put_bits(packed, offset, _run_bits(rules), state[b.runs_start(rules) + seat])
    for kind in range(_set_count(rules)):
        for word in range(w):
            board, squares = b.BOARD[g, word], state[b.SETS + kind * w + word]
            while board:
                lowest_bit = board & -board
                board &= board - 1
                offset = put_bits(packed, offset, 1, 1 if squares & lowest_bit else 0)


@njit
def unpack(rules: Any, packed: Any, state: Any) -> None:
    """Restore a packed state and its hash."""
    g, w, quiet_bits = b.geometry(rules), b.words(rules), bits_for(rules.quiet_limit)
    state[:] = 0
    state[b.TURN] = get_bits(packed, 0, 1)
    state[b.QUIET] = get_bits(packed, 1, quiet_bits)
    state[b.LEFT] = get_bits(packed, 1 + quiet_bits, _ending_bits(rules))
    offset = 1 + quiet_bits + _ending_bits(rules)
    for seat in range(2 if rules.king_run else 0):
        state[b.runs_start(rules) + seat] = get_bits(packed, offset, _run_bits(rules))
        offset += _run_bits(rules)
    for kind in range(_set_count(rules)):
        for word in range(w):
            board, squares = b.BOARD[g, word], 0
            while board:
                lowest_bit = board & -board
                board &= board - 1
                squares |= lowest_bit if get_bits(packed, offset, 1) else 0
                offset += 1
            state[b.SETS + kind * w + word] = squares
    state[b.HASH] = position_hash(rules, state)


implement(Rules, sys.modules[__name__], len(FEATURES), len(EVENTS), tuple(kind.fold for kind in DECLARATION.units))
