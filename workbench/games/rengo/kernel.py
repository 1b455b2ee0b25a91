"""The mixed game, compiled: the functions that the engine asks of it.

The board is explained in `kernel_board`, moves in `kernel_effects`.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from workbench.engine.contract import DRAW, FIRST, ONGOING, REPETITION, SECOND, implement
from workbench.engine.jit import inlined, njit, scratch
from workbench.engine.rng import below, mix
from workbench.games.rengo.kernel_board import (
    BIKJANG,
    BOARD,
    COUNT,
    ENDING,
    FIVE,
    HAND,
    HASH,
    KING,
    KO,
    MARK,
    MATE,
    MOST_CELLS,
    NO_MOVE,
    PASSES,
    PERPETUAL,
    PLIES,
    PRISONERS,
    RENJU_BOARD,
    RESULT,
    RING,
    RING_WORDS,
    SECOND_KING,
    STREAK,
    TURN,
    WALL,
    Rules,
    add_to_hand,
    belongs,
    bikjang,
    cell_at,
    kind_of,
    put,
    step_of,
)
from workbench.games.rengo.kernel_effects import (
    DROP,
    LEGAL,
    PASS,
    THE_PASS,
    apply,
    capturable,
    droppable,
    has_five,
    size_of_state,
    tried,
    type_of,
)
from workbench.games.rengo.kernel_features import EVENTS, FEATURES
from workbench.games.rengo.kernel_features import events as events
from workbench.games.rengo.kernel_features import features as features
from workbench.games.rengo.kernel_moves import (
    MOST_MOVES,
    ROOM,
    can_jump,
    collect,
    mates_by_pawn,
    passing,
    side_moves,
)
from workbench.games.rengo.kernel_units import (
    CHESS_KING,
    GAME,
    GO_STONE,
    HELD_KIND,
    KINGS,
    MAKRUK_KING,
    OTHELLO,
    OTHELLO_STONE,
    SHOGI,
    SHOGI_KING,
    SLOT,
    SLOTS,
    XIANGQI_KING,
)

TRIES = 200
"""Candidates that the sampler draws before it leaves the position to the list."""


@njit
def state_size(rules: Any) -> int:
    """The words of a state."""
    return size_of_state(rules)


@njit
def max_moves(rules: Any) -> int:
    """A bound far above what is met (some hundreds)."""
    return MOST_MOVES


@njit
def feature_count(rules: Any) -> int:
    """The number of features."""
    return FEATURES


@njit
def event_count(rules: Any) -> int:
    """The number of event counters."""
    return EVENTS


@njit
def clear(rules: Any, state: Any) -> None:
    """Writes the empty board."""
    for i in range(size_of_state(rules)):
        state[i] = 0
    n = rules.board
    for i in range((n + 6) * (n + 3) + 3):
        state[BOARD + i] = WALL
    for y in range(n):
        for x in range(n):
            state[cell_at(rules, x, y)] = 0
    state[SECOND_KING] = SHOGI_KING


@njit
def _array(rules: Any, state: Any, side: int, army: Any) -> None:
    """Sets up an army: ``army[0]`` units as ``kind << 16 | cell`` seen from the own side, then what is in hand."""
    n = rules.board
    for i in range(1, army.shape[0]):
        kind, number = army[i] >> 16, army[i] & 0xFFFF
        if i > army[0]:
            add_to_hand(state, side, SLOT[kind], number)
            continue
        x, y = number % n, number // n
        if side == 1:
            x, y = n - 1 - x, n - 1 - y
        put(rules, state, cell_at(rules, x, y), side, kind)


@njit
def begin(rules: Any, state: Any) -> None:
    """Completes a position that was set up: what the state remembers of the past begins here."""
    king = state[KING + 1]
    if king != 0:
        state[SECOND_KING] = kind_of(state[king])
    state[RING + state[PLIES] % RING_WORDS] = _key(rules, state)


@njit
def start(rules: Any, state: Any) -> None:
    """Writes the initial position: both armies, the first player to move."""
    clear(rules, state)
    _array(rules, state, 0, rules.first_army)
    _array(rules, state, 1, rules.second_army)
    begin(rules, state)


@njit
def seat(rules: Any, state: Any) -> int:
    """The side to move."""
    return state[TURN]


@njit
def legal_moves(rules: Any, state: Any, moves: Any) -> int:
    """Fills ``moves`` with the legal moves: jumps, moves, drops, the pass."""
    found = scratch(MOST_MOVES)
    count = collect(rules, state, found, False)
    n = 0
    for i in range(count):
        if not mates_by_pawn(rules, state, found[i]):
            moves[n] = found[i]
            n += 1
    if n == 0 and count > 0 and passing(rules, state, True) and not capturable(rules, state, state[TURN]):
        moves[0] = THE_PASS
        n = 1
    return n


@njit
def has_move(rules: Any, state: Any, moves: Any) -> bool:
    """Whether there is a legal move: mostly the first that is found."""
    found = scratch(MOST_MOVES)
    if collect(rules, state, found, True) == 0:
        return False
    return not mates_by_pawn(rules, state, found[0]) or legal_moves(rules, state, moves) > 0


@njit
def sample_move(rules: Any, state: Any, rng: Any) -> int:
    """A uniformly random legal move, found without listing them all, or -1: list them.

    Drawn are the moves of pieces, every cell for each kind of unit in hand, and the pass where it is always open, until
    one is legal. Every legal move is one candidate, so each is equally likely.
    """
    if state[RESULT] != 0 or can_jump(rules, state):
        return -1
    side, n = state[TURN], rules.board
    able, held = scratch(ROOM), scratch(SLOTS)
    count = side_moves(rules, state, side, able)
    cells, kinds = n * n, 0
    for slot in range(SLOTS):
        if state[HAND + SLOTS * side + slot] > 0:
            held[kinds] = HELD_KIND[slot]
            kinds += 1
    total = count + kinds * cells + (1 if passing(rules, state, False) else 0)
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
            cell = cell_at(rules, pick - y * n, y)
            if state[cell] != 0 or not droppable(rules, state, side, held[which], cell):
                continue
            move = DROP << 20 | held[which] << 10 | cell
        else:
            move = THE_PASS
        if tried(rules, state, move) == LEGAL and not mates_by_pawn(rules, state, move):
            return move
    return -1


@njit
def tactical_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """All moves where a check must be answered or a draughts unit can jump; any other position is quiet."""
    if can_jump(rules, state) or capturable(rules, state, state[TURN]):
        return legal_moves(rules, state, moves), False
    return 0, True


@njit
def play(rules: Any, state: Any, move: int) -> None:
    """Applies a legal move."""
    side = state[TURN]
    faced = bikjang(rules, state)
    changed = scratch(MOST_CELLS)
    count = apply(rules, state, move, changed)
    state[TURN] = 1 - side
    state[PLIES] += 1
    state[PASSES] = state[PASSES] + 1 if type_of(move) == PASS else 0
    state[RING + state[PLIES] % RING_WORDS] = _key(rules, state)
    if state[RESULT] == ONGOING and has_five(rules, state, side, changed, count):
        state[RESULT] = 1 + side
        state[ENDING] = FIVE
    if state[SECOND_KING] in (SHOGI_KING, XIANGQI_KING):
        state[STREAK + side] = state[STREAK + side] + 1 if capturable(rules, state, 1 - side) else 0
    if state[RESULT] == ONGOING and faced and bikjang(rules, state) and not _mated(rules, state):
        state[RESULT] = DRAW
        state[ENDING] = BIKJANG
    if state[RESULT] == ONGOING and state[PASSES] == 2:
        state[RESULT] = _winner_by_count(rules, state)
        state[ENDING] = COUNT


@njit
def _mated(rules: Any, state: Any) -> bool:
    """Whether the side to move is in check and has no legal move."""
    if not capturable(rules, state, state[TURN]):
        return False
    found = scratch(MOST_MOVES)
    mated = True
    for i in range(collect(rules, state, found, False)):
        mated = mated and mates_by_pawn(rules, state, found[i])
    return mated


@njit
def points(rules: Any, state: Any, side: int) -> int:
    """What a side counts when both have passed: territory, prisoners and own 翻 on the board.

    A region is a connected set of cells without 碁. If only 碁 of one side touch it, it is that side's territory; enemy
    units in it, kings aside, are dead and leave the board.
    """
    total = state[PRISONERS + side]
    n = rules.board
    cells = scratch(MOST_CELLS)
    for y in range(n):
        for x in range(n):
            start = cell_at(rules, x, y)
            word = state[start]
            if word & MARK or kind_of(word) == GO_STONE:
                continue
            state[start] = word | MARK
            cells[0] = start
            count, done = 1, 0
            own, other = False, False
            while done < count:
                for d in range(4):
                    cell = cells[done] + step_of(rules, d)
                    word = state[cell]
                    if kind_of(word) == GO_STONE:
                        own |= belongs(word, side)
                        other |= belongs(word, 1 - side)
                    elif word & MARK == 0 and word != WALL:
                        state[cell] = word | MARK
                        cells[count] = cell
                        count += 1
                done += 1
            for i in range(count):
                word = state[cells[i]] & ~MARK
                kind = kind_of(word)
                if belongs(word, side) and kind == OTHELLO_STONE and (own or not other):
                    total += 1
                elif own and not other:
                    if kind == 0:
                        total += 1
                    elif belongs(word, 1 - side) and kind > KINGS:
                        total += 1 if GAME[kind] == SHOGI or GAME[kind] == OTHELLO else 2
    for y in range(n):
        for x in range(n):
            state[cell_at(rules, x, y)] &= ~MARK
    return total


@njit
def _winner_by_count(rules: Any, state: Any) -> int:
    """The result by points, komi for the second player included (`komi` is in half points)."""
    lead = 2 * (points(rules, state, 0) - points(rules, state, 1)) - rules.komi
    return FIRST if lead > 0 else SECOND if lead < 0 else DRAW


@njit
def outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """What the last move brought about, else mate, else what the table or the second player's king says of no move."""
    if state[RESULT] != ONGOING:
        return state[RESULT], state[ENDING]
    if n > 0:
        return ONGOING, 0
    winner = 2 - state[TURN]
    if capturable(rules, state, state[TURN]):
        return winner, MATE
    king = state[SECOND_KING]
    if rules.board == RENJU_BOARD and king in (CHESS_KING, MAKRUK_KING):
        return DRAW, NO_MOVE
    return winner, NO_MOVE


@njit
def counts_positions(rules: Any) -> bool:
    """Every king has a rule about repetition."""
    return True


@inlined
def _within(rules: Any, state: Any, side: int) -> int:
    """How often the position stood on the board since the moves of ``side`` all gave check."""
    plies, streak = state[PLIES], state[STREAK + side]
    if streak == 0:
        return 0
    # So far back all moves of that side gave check; one more position stands before the enemy's move between.
    back = min(2 * streak, RING_WORDS - 1)
    count = 0
    for i in range(min(back, plies) + 1):
        count += state[RING + (plies - i) % RING_WORDS] == state[RING + plies % RING_WORDS]
    return count


@njit
def repetition(rules: Any, state: Any, count: int) -> tuple[int, int]:
    """By the second player's king: a draw at the third time (玉: fourth); with 玉 and 帥 perpetual check loses."""
    king = state[SECOND_KING]
    if count < (4 if king == SHOGI_KING else 3):
        return ONGOING, 0
    if king in (SHOGI_KING, XIANGQI_KING):
        first, second = _within(rules, state, 0) >= count, _within(rules, state, 1) >= count
        if first != second:
            return (SECOND if first else FIRST), PERPETUAL
    return DRAW, REPETITION


@inlined
def _key(rules: Any, state: Any) -> int:
    word = state[TURN] | min(state[PASSES], 3) << 1 | state[KO] << 3
    return state[HASH] ^ np.int64(mix(np.uint64((1 << 22) | word)) >> np.uint64(2))


@njit
def key(rules: Any, state: Any) -> Any:
    """A hash of cells, hands, the side to move, the ko cell and whether the last move was a pass."""
    return np.uint64(_key(rules, state))


implement(Rules, sys.modules[__name__])
