"""The mixed game, compiled: the functions that the engine asks of it.

The board is explained in `kernel_board`, moves in `kernel_effects`.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from workbench.engine.contract import DRAW, FIRST, ONGOING, REPETITION, SECOND, implement
from workbench.engine.jit import inline_ir, njit, scratch
from workbench.engine.rng import below, mix
from workbench.games.rengo import kernel_board as b
from workbench.games.rengo import kernel_effects as e
from workbench.games.rengo import kernel_moves as m
from workbench.games.rengo import kernel_units as u
from workbench.games.rengo.kernel_board import ENDINGS, EVENTS, FEATURES, MOST_CELLS, TOGGLES, Rules
from workbench.games.rengo.kernel_features import board_size as board_size
from workbench.games.rengo.kernel_features import events as events
from workbench.games.rengo.kernel_features import features as features
from workbench.games.rengo.kernel_features import units as units
from workbench.games.rengo.kernel_moves import MOST_MOVES, ROOM
from workbench.games.rengo.kernel_units import SLOTS
from workbench.games.rengo.rules import DECLARATION

TRIES = 200
"""Candidates that the sampler draws before it leaves the position to the list."""


@njit
def state_size(rules: Any) -> int:
    """Return the words of a state."""
    return e.size_of_state(rules)


@njit
def max_moves(rules: Any) -> int:
    """Return a bound far above what is met (some hundreds)."""
    return MOST_MOVES


@njit
def clear(rules: Any, state: Any) -> None:
    """Write the empty board."""
    for i in range(e.size_of_state(rules)):
        state[i] = 0
    n = rules.board
    for i in range((n + 6) * (n + 3) + 3):
        state[b.BOARD + i] = b.WALL
    for y in range(n):
        for x in range(n):
            state[b.cell_at(rules, x, y)] = 0
    state[b.SECOND_KING] = u.SHOGI_KING


@njit
def _array(rules: Any, state: Any, side: int, army: Any) -> None:
    """Set up an army: ``army[0]`` units as ``kind << 16 | cell`` seen from the own side, then what is in hand."""
    n = rules.board
    for i in range(1, army.shape[0]):
        kind, number = army[i] >> 16, army[i] & 0xFFFF
        if i > army[0]:
            b.add_to_hand(state, side, u.SLOT[kind], number)
            continue
        x, y = number % n, number // n
        if side == 1:
            x, y = n - 1 - x, n - 1 - y
        b.put(rules, state, b.cell_at(rules, x, y), side, kind)


@njit
def begin(rules: Any, state: Any) -> None:
    """Completes a position that was set up: what the state remembers of the past begins here."""
    king = state[b.KING + 1]
    if king != 0:
        state[b.SECOND_KING] = b.kind_of(state[king])
    state[b.RING + state[b.PLIES] % b.RING_WORDS] = _key(rules, state)


@njit
def start(rules: Any, state: Any) -> None:
    """Write the initial position: both armies, the first player to move."""
    clear(rules, state)
    _array(rules, state, 0, rules.first_army)
    _array(rules, state, 1, rules.second_army)
    begin(rules, state)


@njit
def seat(rules: Any, state: Any) -> int:
    """Return the side to move."""
    return state[b.TURN]


@njit
def legal_moves(rules: Any, state: Any, moves: Any) -> int:
    """Fill ``moves`` with the legal moves: jumps, moves, drops, the pass."""
    candidates = scratch(MOST_MOVES)
    count = m.collect(rules, state, candidates, False)
    n = 0
    for i in range(count):
        if not m.mates_by_pawn(rules, state, candidates[i]):
            moves[n] = candidates[i]
            n += 1
    if n == 0 and count > 0 and m.passing(rules, state, True) and not e.capturable(rules, state, state[b.TURN]):
        moves[0] = e.THE_PASS
        n = 1
    return n


@njit
def has_move(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether there is a legal move; the first that is generated is one, unless it mates by a dropped 歩."""
    candidates = scratch(MOST_MOVES)
    if m.collect(rules, state, candidates, True) == 0:
        return False
    return not m.mates_by_pawn(rules, state, candidates[0]) or legal_moves(rules, state, moves) > 0


@njit
def sample_move(rules: Any, state: Any, rng: Any) -> int:
    """Return a uniformly random legal move, found without listing them all, or -1: list them.

    Drawn are the moves of pieces, every cell for each kind of unit in hand, and the pass where it is always open, until
    one is legal. Every legal move is one candidate, so each is equally likely.
    """
    if state[b.RESULT] != 0 or m.can_jump(rules, state):
        return -1
    side, n = state[b.TURN], rules.board
    able, held = scratch(ROOM), scratch(SLOTS)
    count = m.side_moves(rules, state, side, able)
    cells, kinds = n * n, 0
    for slot in range(SLOTS):
        if state[b.HAND + SLOTS * side + slot] > 0:
            held[kinds] = u.HELD_KIND[slot]
            kinds += 1
    total = count + kinds * cells + (1 if m.passing(rules, state, False) else 0)
    if total == 0:
        return -1
    for _ in range(TRIES):
        pick = below(rng, total)
        if pick < count:
            move = able[pick]
        elif pick < count + kinds * cells:
            pick -= count
            which = pick // cells
            pick -= which * cells
            y = pick // n
            cell = b.cell_at(rules, pick - y * n, y)
            if state[cell] != 0 or not e.droppable(rules, state, side, held[which], cell):
                continue
            move = e.DROP << 20 | held[which] << 10 | cell
        else:
            move = e.THE_PASS
        if e.tried(rules, state, move) == e.LEGAL and not m.mates_by_pawn(rules, state, move):
            return move
    return -1


@njit
def tactical_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """All moves where a check must be answered or a draughts unit can jump; any other position is quiet."""
    if not quiet(rules, state, moves):
        return legal_moves(rules, state, moves), False
    return 0, True


@njit
def followed_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """As tactical moves, and in a quiet position what takes, turns over or shuts in enemy units."""
    n, stops = tactical_moves(rules, state, moves)
    if stops and state[b.RESULT] == ONGOING:
        n = m.takings(rules, state, moves)
    return n, stops


@njit
def quiet(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether there is no check to answer and no draughts unit that can jump."""
    return not (m.can_jump(rules, state) or e.capturable(rules, state, state[b.TURN]))


@njit
def play(rules: Any, state: Any, move: int) -> None:
    """Apply a legal move."""
    side = state[b.TURN]
    faced = b.bikjang(rules, state)
    changed = scratch(MOST_CELLS)
    count = e.apply(rules, state, move, changed)
    state[b.TURN] = 1 - side
    state[b.PLIES] += 1
    state[b.PASSES] = state[b.PASSES] + 1 if e.type_of(move) == e.PASS else 0
    state[b.RING + state[b.PLIES] % b.RING_WORDS] = _key(rules, state)
    if state[b.RESULT] == ONGOING and e.has_five(rules, state, side, changed, count):
        state[b.RESULT] = 1 + side
        state[b.ENDING] = ENDINGS.five
    if state[b.SECOND_KING] in (u.SHOGI_KING, u.XIANGQI_KING):
        state[b.STREAK + side] = state[b.STREAK + side] + 1 if e.capturable(rules, state, 1 - side) else 0
    if state[b.RESULT] == ONGOING and faced and b.bikjang(rules, state) and not _mated(rules, state):
        state[b.RESULT] = DRAW
        state[b.ENDING] = ENDINGS.bikjang
    if state[b.RESULT] == ONGOING and state[b.PASSES] == 2:
        state[b.RESULT] = _winner_by_count(rules, state)
        state[b.ENDING] = ENDINGS.count


@njit
def _mated(rules: Any, state: Any) -> bool:
    """Return whether the side to move is in check and has no legal move."""
    if not e.capturable(rules, state, state[b.TURN]):
        return False
    candidates = scratch(MOST_MOVES)
    mated = True
    for i in range(m.collect(rules, state, candidates, False)):
        mated = mated and m.mates_by_pawn(rules, state, candidates[i])
    return mated


@njit
def points(rules: Any, state: Any, side: int) -> int:
    """What a side counts when both have passed: territory, prisoners and own 翻 on the board.

    A region is a connected set of cells without 碁. If only 碁 of one side touch it, it is that side's territory; enemy
    units in it, kings aside, are dead and leave the board.
    """
    total = state[b.PRISONERS + side]
    n = rules.board
    cells = scratch(MOST_CELLS)
    for y in range(n):
        for x in range(n):
            start = b.cell_at(rules, x, y)
            word = state[start]
            if word & b.MARK or b.kind_of(word) == u.GO_STONE:
                continue
            state[start] = word | b.MARK
            cells[0] = start
            count, done = 1, 0
            own, other = False, False
            while done < count:
                for d in range(4):
                    cell = cells[done] + b.step_of(rules, d)
                    word = state[cell]
                    if b.kind_of(word) == u.GO_STONE:
                        own |= b.belongs(word, side)
                        other |= b.belongs(word, 1 - side)
                    elif word & b.MARK == 0 and word != b.WALL:
                        state[cell] = word | b.MARK
                        cells[count] = cell
                        count += 1
                done += 1
            for i in range(count):
                word = state[cells[i]] & ~b.MARK
                kind = b.kind_of(word)
                if b.belongs(word, side) and kind == u.OTHELLO_STONE and (own or not other):
                    total += 1
                elif own and not other:
                    if kind == 0:
                        total += 1
                    elif b.belongs(word, 1 - side) and kind > u.KINGS:
                        total += 1 if u.GAME[kind] == u.SHOGI or u.GAME[kind] == u.OTHELLO else 2
    for y in range(n):
        for x in range(n):
            state[b.cell_at(rules, x, y)] &= ~b.MARK
    return total


@njit
def _winner_by_count(rules: Any, state: Any) -> int:
    """Return the result by points, komi for the second player included (`komi` is in half points)."""
    lead = 2 * (points(rules, state, 0) - points(rules, state, 1)) - rules.komi
    return FIRST if lead > 0 else SECOND if lead < 0 else DRAW


@njit
def outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """How the game has ended: by what the last move did, by mate, or because there is no legal move.

    What having no move means is decided by the table and by the second player's king.
    """
    if state[b.RESULT] != ONGOING:
        return state[b.RESULT], state[b.ENDING]
    if n > 0:
        return ONGOING, 0
    winner = 2 - state[b.TURN]
    if e.capturable(rules, state, state[b.TURN]):
        return winner, ENDINGS.mate
    king = state[b.SECOND_KING]
    if rules.board == TOGGLES.board.renju15 and king in (u.CHESS_KING, u.MAKRUK_KING):
        return DRAW, ENDINGS.no_move
    return winner, ENDINGS.no_move


@njit
def counts_positions(rules: Any) -> bool:
    """Always: every king has a rule about repetition."""
    return True


@inline_ir
def _within(rules: Any, state: Any, side: int) -> int:
    """How often the position has stood on the board in the present series of checks by ``side``; 0 without one."""
    plies, streak = state[b.PLIES], state[b.STREAK + side]
    if streak == 0:
        return 0
    # So far back all moves of that side gave check; one more position stands before the enemy's move between.
    back = min(2 * streak, b.RING_WORDS - 1)
    count = 0
    for i in range(min(back, plies) + 1):
        count += state[b.RING + (plies - i) % b.RING_WORDS] == state[b.RING + plies % b.RING_WORDS]
    return count


@njit
def repetition(rules: Any, state: Any, count: int) -> tuple[int, int]:
    """By the second player's king: a draw at the third time (玉: fourth); with 玉 and 帥 perpetual check loses."""
    king = state[b.SECOND_KING]
    if count < (4 if king == u.SHOGI_KING else 3):
        return ONGOING, 0
    if king in (u.SHOGI_KING, u.XIANGQI_KING):
        first, second = _within(rules, state, 0) >= count, _within(rules, state, 1) >= count
        if first != second:
            return (SECOND if first else FIRST), ENDINGS.perpetual_check
    return DRAW, REPETITION


@inline_ir
def _key(rules: Any, state: Any) -> int:
    word = state[b.TURN] | min(state[b.PASSES], 3) << 1 | state[b.KO] << 3
    return state[b.HASH] ^ np.int64(mix(np.uint64((1 << 22) | word)) >> np.uint64(2))


@njit
def key(rules: Any, state: Any) -> Any:
    """Return a hash of cells, hands, the side to move, the ko cell and whether the last move was a pass."""
    return np.uint64(_key(rules, state))


implement(Rules, sys.modules[__name__], len(FEATURES), len(EVENTS), tuple(kind.fold for kind in DECLARATION.units))
