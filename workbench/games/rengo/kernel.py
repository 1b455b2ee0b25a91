"""The mixed game, compiled: the functions required by the engine.

The board is explained in `kernel_board`, moves in `kernel_moves`.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from workbench.engine.bits import bits_for, get_bits, put_bits
from workbench.engine.contract import DRAW, FIRST, ONGOING, REPETITION, SECOND, implement
from workbench.engine.jit import inline_ir, njit, scratch
from workbench.engine.rng import below, mix
from workbench.games.rengo import kernel_board as b
from workbench.games.rengo import kernel_moves as m
from workbench.games.rengo import rules as r
from workbench.games.rengo.kernel_board import ENDINGS, EVENTS, FEATURES, MOST_CELLS, SLOTS, TOGGLES, Rules
from workbench.games.rengo.kernel_features import board_size as board_size
from workbench.games.rengo.kernel_features import events as events
from workbench.games.rengo.kernel_features import features as features
from workbench.games.rengo.kernel_features import units as units
from workbench.games.rengo.kernel_moves import MOST_MOVES, ROOM
from workbench.games.rengo.kernel_moves import state_size as state_size
from workbench.games.rengo.rules import DECLARATION

TRIES = 200
"""The maximum number of candidates that are sampled before moves must be listed."""


@njit
def max_moves(rules: Any) -> int:
    """Return an upper bound on the number of legal moves, far above the hundreds that occur."""
    return MOST_MOVES


@njit
def clear(rules: Any, state: Any) -> None:
    """Write an empty board."""
    for i in range(state_size(rules)):
        state[i] = 0
    n = rules.board
    for i in range((n + 6) * (n + 3) + 3):
        state[b.BOARD + i] = b.WALL
    for y in range(n):
        for x in range(n):
            state[b.cell_at(rules, x, y)] = 0
    state[b.SECOND_KING] = b.SHOGI_KING


@njit
def _place_army(rules: Any, state: Any, side: int, army: Any) -> None:
    """Set up an army: ``army[0]`` units as ``kind << 16 | cell`` from the owner's view, then the hand."""
    n = rules.board
    for i in range(1, army.shape[0]):
        kind, number = army[i] >> 16, army[i] & 0xFFFF
        if i > army[0]:
            b.add_to_hand(state, side, b.SLOT[kind], number)
            continue
        x, y = number % n, number // n
        if side == 1:
            x, y = n - 1 - x, n - 1 - y
        b.put(rules, state, b.cell_at(rules, x, y), side, kind)


@njit
def start_history(rules: Any, state: Any) -> None:
    """Initialise the repetition history of a new position."""
    king = state[b.KING + 1]
    if king != 0:
        state[b.SECOND_KING] = b.kind_of(state[king])
    state[b.RING + state[b.PLIES] % b.RING_WORDS] = _key(rules, state)


@njit
def start(rules: Any, state: Any) -> None:
    """Write the initial position, with both armies and the first player to move."""
    clear(rules, state)
    _place_army(rules, state, 0, rules.first_army)
    _place_army(rules, state, 1, rules.second_army)
    start_history(rules, state)


@njit
def seat(rules: Any, state: Any) -> int:
    """Return the side to move."""
    return state[b.TURN]


@njit
def legal_moves(rules: Any, state: Any, moves: Any) -> int:
    """Fill ``moves`` with the legal moves: jumps, moves, drops and the pass."""
    candidates = scratch(MOST_MOVES)
    count = m.collect_moves(rules, state, candidates, False)
    n = 0
    for i in range(count):
        if not m.mates_by_dropped_pawn(rules, state, candidates[i]):
            moves[n] = candidates[i]
            n += 1
    if n == 0 and count > 0 and m.may_pass(rules, state, True) and not m.capturable(rules, state, state[b.TURN]):
        moves[0] = m.THE_PASS
        n = 1
    return n


@njit
def has_move(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether there is a legal move; the first candidate is one unless it mates by a dropped 歩."""
    candidates = scratch(MOST_MOVES)
    if m.collect_moves(rules, state, candidates, True) == 0:
        return False
    return not m.mates_by_dropped_pawn(rules, state, candidates[0]) or legal_moves(rules, state, moves) > 0


@njit
def sample_move(rules: Any, state: Any, rng: Any) -> int:
    """Return a uniformly random legal move without listing all moves, or -1 if listing is necessary.

    Candidates are the pieces' moves, drops of each kind of unit in hand on every cell, and the pass if it is always
    allowed. They are sampled until one is legal. Every legal move is exactly one candidate, so all are equally likely.
    """
    if state[b.RESULT] != 0 or m.can_jump(rules, state):
        return -1
    side, n = state[b.TURN], rules.board
    pseudo, held_kinds = scratch(ROOM), scratch(SLOTS)
    count = m.side_moves(rules, state, side, pseudo)
    cells, kinds = n * n, 0
    for slot in range(SLOTS):
        if state[b.HAND + SLOTS * side + slot] > 0:
            held_kinds[kinds] = b.HELD_KIND[slot]
            kinds += 1
    total = count + kinds * cells + (1 if m.may_pass(rules, state, False) else 0)
    if total == 0:
        return -1
    for _ in range(TRIES):
        pick = below(rng, total)
        if pick < count:
            move = pseudo[pick]
        elif pick < count + kinds * cells:
            pick -= count
            index = pick // cells
            pick -= index * cells
            y = pick // n
            cell = b.cell_at(rules, pick - y * n, y)
            if state[cell] != 0 or not m.droppable(rules, state, side, held_kinds[index], cell):
                continue
            move = m.DROP << 20 | held_kinds[index] << 10 | cell
        else:
            move = m.THE_PASS
        if m.move_status(rules, state, move) == m.LEGAL and not m.mates_by_dropped_pawn(rules, state, move):
            return move
    return -1


@njit
def tactical_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """Fill ``moves`` if there is a check or a draughts jump; return their number and whether the position is quiet."""
    if not quiet(rules, state, moves):
        return legal_moves(rules, state, moves), False
    return 0, True


@njit
def followed_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """Fill ``moves`` like `tactical_moves`, but in quiet positions with captures, flips and enclosures."""
    n, is_quiet = tactical_moves(rules, state, moves)
    if is_quiet and state[b.RESULT] == ONGOING:
        n = m.capturing_moves(rules, state, moves)
    return n, is_quiet


@njit
def quiet(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether the mover is not in check and no draughts unit can jump."""
    return not (m.can_jump(rules, state) or m.capturable(rules, state, state[b.TURN]))


@njit
def play(rules: Any, state: Any, move: int) -> None:
    """Apply a legal move."""
    side = state[b.TURN]
    was_facing = b.bikjang(rules, state)
    changed = scratch(MOST_CELLS)
    count = m.apply_move(rules, state, move, changed)
    state[b.TURN] = 1 - side
    state[b.PLIES] += 1
    state[b.PASSES] = state[b.PASSES] + 1 if m.move_type(move) == m.PASS else 0
    state[b.RING + state[b.PLIES] % b.RING_WORDS] = _key(rules, state)
    if state[b.RESULT] == ONGOING and m.makes_five(rules, state, side, changed, count):
        state[b.RESULT] = 1 + side
        state[b.ENDING] = ENDINGS.five
    if state[b.SECOND_KING] in (b.SHOGI_KING, b.XIANGQI_KING):
        state[b.STREAK + side] = state[b.STREAK + side] + 1 if m.capturable(rules, state, 1 - side) else 0
    if state[b.RESULT] == ONGOING and was_facing and b.bikjang(rules, state) and not _is_mated(rules, state):
        state[b.RESULT] = DRAW
        state[b.ENDING] = ENDINGS.bikjang
    if state[b.RESULT] == ONGOING and state[b.PASSES] == 2:
        state[b.RESULT] = _winner_by_count(rules, state)
        state[b.ENDING] = ENDINGS.count


@njit
def _is_mated(rules: Any, state: Any) -> bool:
    """Return whether the side to move is in check and has no legal move."""
    if not m.capturable(rules, state, state[b.TURN]):
        return False
    candidates = scratch(MOST_MOVES)
    mated = True
    for i in range(m.collect_moves(rules, state, candidates, False)):
        mated = mated and m.mates_by_dropped_pawn(rules, state, candidates[i])
    return mated


@njit
def count_points(rules: Any, state: Any, side: int) -> int:
    """Return a side's score after both players pass: territory, prisoners and 翻 on the board.

    A region is a connected set of cells without 碁. It is a side's territory if only that side's 碁 touch it. Enemy
    units in it, except kings, are dead and leave the board.
    """
    total = state[b.PRISONERS + side]
    n = rules.board
    cells = scratch(MOST_CELLS)
    for y in range(n):
        for x in range(n):
            origin = b.cell_at(rules, x, y)
            word = state[origin]
            if word & b.MARK or b.kind_of(word) == b.GO_STONE:
                continue
            state[origin] = word | b.MARK
            cells[0] = origin
            count, expanded = 1, 0
            own_border, other_border = False, False
            while expanded < count:
                for d in range(4):
                    cell = cells[expanded] + b.step_of(rules, d)
                    word = state[cell]
                    if b.kind_of(word) == b.GO_STONE:
                        own_border |= b.belongs(word, side)
                        other_border |= b.belongs(word, 1 - side)
                    elif word & b.MARK == 0 and word != b.WALL:
                        state[cell] = word | b.MARK
                        cells[count] = cell
                        count += 1
                expanded += 1
            for i in range(count):
                word = state[cells[i]] & ~b.MARK
                kind = b.kind_of(word)
                if b.belongs(word, side) and kind == b.OTHELLO_STONE and (own_border or not other_border):
                    total += 1
                elif own_border and not other_border:
                    if kind == 0:
                        total += 1
                    elif b.belongs(word, 1 - side) and kind > b.KINGS:
                        total += 1 if b.GAME[kind] == r.SHOGI or b.GAME[kind] == r.OTHELLO else 2
    for y in range(n):
        for x in range(n):
            state[b.cell_at(rules, x, y)] &= ~b.MARK
    return total


@njit
def _winner_by_count(rules: Any, state: Any) -> int:
    """Return the result by score, including the second player's komi (`komi` is in half points)."""
    lead = 2 * (count_points(rules, state, 0) - count_points(rules, state, 1)) - rules.komi
    return FIRST if lead > 0 else SECOND if lead < 0 else DRAW


@njit
def outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Return the result and the ending, caused by the last move, by mate or by the lack of a legal move.

    The result without a legal move depends on the board and on the second player's king.
    """
    if state[b.RESULT] != ONGOING:
        return state[b.RESULT], state[b.ENDING]
    if n > 0:
        return ONGOING, 0
    winner = 2 - state[b.TURN]
    if m.capturable(rules, state, state[b.TURN]):
        return winner, ENDINGS.mate
    king = state[b.SECOND_KING]
    if rules.board == TOGGLES.board.renju15 and king in (b.CHESS_KING, b.MAKRUK_KING):
        return DRAW, ENDINGS.no_move
    return winner, ENDINGS.no_move


@njit
def counts_positions(rules: Any) -> bool:
    """Return True, since every king has a repetition rule."""
    return True


@inline_ir
def _checked_repetitions(rules: Any, state: Any, side: int) -> int:
    """Count the occurrences of the position during the current series of checks by ``side``."""
    plies, streak = state[b.PLIES], state[b.STREAK + side]
    if streak == 0:
        return 0
    # In this window, all of the side's moves gave check; it includes the position before the first reply.
    window = min(2 * streak, b.RING_WORDS - 1)
    count = 0
    for i in range(min(window, plies) + 1):
        count += state[b.RING + (plies - i) % b.RING_WORDS] == state[b.RING + plies % b.RING_WORDS]
    return count


@njit
def repetition(rules: Any, state: Any, count: int) -> tuple[int, int]:
    """Return the result by the rule of the second player's king: a draw, or for 玉 and 帥 a loss by perpetual check."""
    king = state[b.SECOND_KING]
    if count < (4 if king == b.SHOGI_KING else 3):
        return ONGOING, 0
    if king in (b.SHOGI_KING, b.XIANGQI_KING):
        first, second = _checked_repetitions(rules, state, 0) >= count, _checked_repetitions(rules, state, 1) >= count
        if first != second:
            return (SECOND if first else FIRST), ENDINGS.perpetual_check
    return DRAW, REPETITION


@inline_ir
def _key(rules: Any, state: Any) -> int:
    word = state[b.TURN] | min(state[b.PASSES], 3) << 1 | state[b.KO] << 3
    return state[b.HASH] ^ np.int64(mix(np.uint64((1 << 22) | word)) >> np.uint64(2))


@njit
def key(rules: Any, state: Any) -> Any:
    """Return a hash of cells, hands, side to move, ko cell and consecutive passes."""
    return np.uint64(_key(rules, state))


KIND_AND_SIDE, RESULT_BITS, ENDING_BITS, PASS_BITS = 7, 2, 5, 2


@njit
def _units_in_hand(army: Any) -> int:
    number = 0
    for i in range(army[0] + 1, army.shape[0]):
        number += army[i] & 0xFFFF
    return number


@njit
def _most_units(rules: Any) -> int:
    """Return the number of units at the start, which later positions never exceed."""
    armies = rules.first_army[0] + rules.second_army[0]
    return armies + _units_in_hand(rules.first_army) + _units_in_hand(rules.second_army)


@njit
def packed_bytes(rules: Any) -> int:
    """Return the size of a packed state in bytes."""
    units, cell_bits = _most_units(rules), bits_for(rules.board * rules.board)
    bits = units * (cell_bits + KIND_AND_SIDE) + (2 * b.SLOTS + 2) * bits_for(units)
    return (bits + 1 + PASS_BITS + cell_bits + RESULT_BITS + ENDING_BITS + 7) // 8


@njit
def repetition_draws(rules: Any) -> bool:
    """Return whether a repeated position can only be a draw; for 玉 and 帥, perpetual check loses."""
    for i in range(1, rules.second_army[0] + 1):
        if rules.second_army[i] >> 16 in (b.SHOGI_KING, b.XIANGQI_KING):
            return False
    return True


@njit
def pack(rules: Any, state: Any, packed: Any) -> None:
    """Pack the units in cell order, hands, counters and the result."""
    for i in range(packed.shape[0]):
        packed[i] = 0
    n, units = rules.board, _most_units(rules)
    cell_bits, count_bits = bits_for(n * n), bits_for(units)
    offset, ko = 0, 0
    for y in range(n):
        for x in range(n):
            cell = b.cell_at(rules, x, y)
            if cell == state[b.KO]:
                ko = n * y + x + 1
            word = state[cell]
            if b.kind_of(word) != 0:
                offset = put_bits(packed, offset, cell_bits, n * y + x + 1)
                offset = put_bits(packed, offset, KIND_AND_SIDE, word & 127)
    offset = units * (cell_bits + KIND_AND_SIDE)
    for slot in range(2 * b.SLOTS):
        offset = put_bits(packed, offset, count_bits, state[b.HAND + slot])
    for side in range(2):
        offset = put_bits(packed, offset, count_bits, state[b.PRISONERS + side])
    offset = put_bits(packed, offset, 1, state[b.TURN])
    offset = put_bits(packed, offset, PASS_BITS, min(state[b.PASSES], 3))
    offset = put_bits(packed, offset, cell_bits, ko)
    offset = put_bits(packed, offset, RESULT_BITS, state[b.RESULT])
    put_bits(packed, offset, ENDING_BITS, state[b.ENDING])


@njit
def unpack(rules: Any, packed: Any, state: Any) -> None:
    """Restore a packed state, without its history."""
    n, units = rules.board, _most_units(rules)
    cell_bits, count_bits = bits_for(n * n), bits_for(units)
    clear(rules, state)
    for i in range(units):
        place = get_bits(packed, i * (cell_bits + KIND_AND_SIDE), cell_bits)
        if place == 0:
            break
        word = get_bits(packed, i * (cell_bits + KIND_AND_SIDE) + cell_bits, KIND_AND_SIDE)
        b.put(rules, state, b.cell_at(rules, (place - 1) % n, (place - 1) // n), word >> 6, word & b.KIND_MASK)
    offset = units * (cell_bits + KIND_AND_SIDE)
    for slot in range(2 * b.SLOTS):
        number = get_bits(packed, offset, count_bits)
        offset += count_bits
        if number > 0:
            b.add_to_hand(state, slot // b.SLOTS, slot % b.SLOTS, number)
    for side in range(2):
        state[b.PRISONERS + side] = get_bits(packed, offset, count_bits)
        offset += count_bits
    state[b.TURN] = get_bits(packed, offset, 1)
    state[b.PASSES] = get_bits(packed, offset + 1, PASS_BITS)
    offset += 1 + PASS_BITS
    ko = get_bits(packed, offset, cell_bits)
    if ko > 0:
        state[b.KO] = b.cell_at(rules, (ko - 1) % n, (ko - 1) // n)
    state[b.RESULT] = get_bits(packed, offset + cell_bits, RESULT_BITS)
    state[b.ENDING] = get_bits(packed, offset + cell_bits + RESULT_BITS, ENDING_BITS)
    for i in range(1, rules.second_army[0] + 1):
        if rules.second_army[i] >> 16 <= b.KINGS:
            state[b.SECOND_KING] = rules.second_army[i] >> 16


implement(Rules, sys.modules[__name__], len(FEATURES), len(EVENTS), tuple(kind.fold for kind in DECLARATION.units))
