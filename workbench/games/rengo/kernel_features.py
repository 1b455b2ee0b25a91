"""What the heuristic of the mixed game sees in a position, and what is counted in a game."""

from __future__ import annotations

from typing import Any

from workbench.engine.jit import njit, scratch
from workbench.games.rengo.kernel_board import (
    COUNT,
    DUTY_OFF,
    ENDING,
    FIVE,
    FIVE_OFF,
    GO_OFF,
    GROUP_COUNT,
    HAND,
    KING,
    MARK,
    MOST_CELLS,
    PRISONERS,
    TURN,
    WALL,
    attacked,
    belongs,
    bikjang,
    cell_at,
    kind_of,
    side_of,
    step_of,
)
from workbench.games.rengo.kernel_effects import (
    DROP,
    JUMP,
    PASS,
    bracketed,
    capturable,
    from_of,
    may_turn,
    to_of,
    type_of,
)
from workbench.games.rengo.kernel_moves import ROOM, side_moves
from workbench.games.rengo.kernel_units import (
    COST,
    GO_STONE,
    HELD_KIND,
    OTHELLO_STONE,
    RENJU_STONE,
    SLOT,
    SLOTS,
    SOLDIER,
    STONES_OF_GO,
)

FEATURES = 15
EVENTS = 12


@njit
def _stones(rules: Any, state: Any, out: Any) -> None:
    """Adds what stones and empty cells show: costs, liberties, units in atari, open rows, territory."""
    n = rules.board
    cells = scratch(MOST_CELLS)
    go = rules.go_capture != GO_OFF
    rows = rules.five != FIVE_OFF
    stones = state[GROUP_COUNT + STONES_OF_GO] + state[GROUP_COUNT + 8 + STONES_OF_GO] > 0
    for y in range(n):
        for x in range(n):
            start = cell_at(rules, x, y)
            word = state[start]
            kind = kind_of(word)
            if kind != 0:
                sign = 1.0 - 2.0 * side_of(word)
                out[0] += sign * COST[kind]
                if SOLDIER[kind]:
                    out[14] += n - 1 - y if sign > 0 else -y
                if kind == OTHELLO_STONE:
                    out[11] += sign
            elif stones and go:
                first = second = False
                for d in range(4):
                    beside = state[start + step_of(rules, d)]
                    first |= belongs(beside, 0) and kind_of(beside) == GO_STONE
                    second |= belongs(beside, 1) and kind_of(beside) == GO_STONE
                out[5] += (1.0 if first else 0.0) - (1.0 if second else 0.0)
            if rows and (kind == 0 or kind == RENJU_STONE):
                # Rows of five cells that begin here and hold 珠 of one side and nothing else.
                for d in (1, 3, 6, 7):
                    step = step_of(rules, d)
                    firsts = seconds = 0
                    at = start
                    for _ in range(5):
                        beside = state[at] & ~MARK
                        if beside != 0 and kind_of(beside) != RENJU_STONE:
                            firsts = seconds = 1
                            break
                        if beside != 0:
                            if side_of(beside) == 0:
                                firsts += 1
                            else:
                                seconds += 1
                        at += step
                    if firsts > 1 and seconds == 0:
                        out[7 if firsts < 4 else 8] += firsts - 1
                    elif seconds > 1 and firsts == 0:
                        out[7 if seconds < 4 else 8] -= seconds - 1
            if stones and kind != GO_STONE and (word & MARK) == 0:
                state[start] = word | MARK
                cells[0] = start
                count, done = 1, 0
                first = second = False
                empty = 0
                while done < count:
                    empty += kind_of(state[cells[done]]) == 0
                    for d in range(4):
                        cell = cells[done] + step_of(rules, d)
                        beside = state[cell]
                        if kind_of(beside) == GO_STONE:
                            first |= belongs(beside, 0)
                            second |= belongs(beside, 1)
                        elif (beside & MARK) == 0 and beside != WALL:
                            state[cell] = beside | MARK
                            cells[count] = cell
                            count += 1
                    done += 1
                if first != second:
                    out[10] += empty if first else -empty
    if stones:
        for y in range(n):
            for x in range(n):
                state[cell_at(rules, x, y)] &= ~MARK


@njit
def _flippable(rules: Any, state: Any, side: int) -> int:
    """The most units that a side turns over with one 翻 of its hand."""
    if state[HAND + SLOTS * side + SLOT[OTHELLO_STONE]] == 0 or not may_turn(rules, state, side):
        return 0
    cells = scratch(MOST_CELLS)
    most = 0
    for y in range(rules.board):
        for x in range(rules.board):
            cell = cell_at(rules, x, y)
            if state[cell] == 0:
                most = max(most, bracketed(rules, state, side, cell, cells))
    return most


@njit
def features(rules: Any, state: Any, out: Any) -> None:
    """Fills ``out`` with each feature of the declaration: the first seat's number less the second's."""
    for i in range(FEATURES):
        out[i] = 0.0
    _stones(rules, state, out)
    able = scratch(ROOM)
    for side in range(2):
        sign = 1.0 - 2.0 * side
        for slot in range(SLOTS):
            out[1] += sign * COST[HELD_KIND[slot]] * state[HAND + SLOTS * side + slot]
        out[2] += sign * side_moves(rules, state, side, able)
        king = state[KING + side]
        if king != 0:
            exits = own = 0
            # The king is lifted: what attacks through it attacks the cell behind it, too.
            word = state[king]
            state[king] = 0
            for d in range(8):
                cell = king + step_of(rules, d)
                if state[cell] == WALL:
                    continue
                if belongs(state[cell], side):
                    own += 1
                elif not attacked(rules, state, 1 - side, cell):
                    exits += 1
            state[king] = word
            out[3] += sign * exits
            out[4] += sign * own
        out[9] += sign * _flippable(rules, state, side)
        out[12] += sign * state[PRISONERS + side]
    mover = 1.0 - 2.0 * state[TURN]
    out[6] = mover if capturable(rules, state, state[TURN]) else 0.0
    out[13] = mover


@njit
def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Counts what a move did."""
    side, kind_of_move, cell = before[TURN], type_of(move), to_of(move)
    enemy = 1 - side
    if kind_of_move == PASS:
        counts[9] += 1
    elif kind_of_move == DROP:
        counts[0] += 1
        kind = from_of(move)
        if kind in (GO_STONE, OTHELLO_STONE):
            for y in range(rules.board):
                for x in range(rules.board):
                    at = cell_at(rules, x, y)
                    if belongs(before[at], enemy):
                        counts[3] += after[at] == 0
                        counts[4] += belongs(after[at], side)
    else:
        if kind_of_move == JUMP:
            for group in range(8):
                counts[2] += before[GROUP_COUNT + 8 * enemy + group] - after[GROUP_COUNT + 8 * enemy + group]
        elif before[cell] != 0:
            counts[1] += 1
        counts[7] += kind_of(after[cell]) != kind_of(before[from_of(move)])
    counts[6] += rules.draughts_duty != DUTY_OFF and kind_of_move == JUMP
    counts[5] += after[ENDING] == FIVE
    counts[8] += bikjang(rules, after)
    counts[10] += after[ENDING] == COUNT
    counts[11] += kind_of_move != PASS and capturable(rules, after, enemy)
