"""What the heuristic of the mixed game sees in a position, and what is counted in a game."""

from __future__ import annotations

from typing import Any

from workbench.engine.contract import HAND, unit_word
from workbench.engine.jit import njit, scratch
from workbench.games.rengo import kernel_board as b
from workbench.games.rengo import kernel_effects as e
from workbench.games.rengo import kernel_moves as m
from workbench.games.rengo import kernel_units as u
from workbench.games.rengo.kernel_board import ENDINGS, EVENTS, FEATURES, MOST_CELLS, TOGGLES
from workbench.games.rengo.kernel_moves import ROOM


@njit
def _stones(rules: Any, state: Any, out: Any) -> None:
    """Adds what stones and empty cells show: costs, liberties, units in atari, open rows, territory."""
    n = rules.board
    cells = scratch(MOST_CELLS)
    go = rules.go_capture != TOGGLES.go_capture.off
    rows = rules.five != TOGGLES.five.off
    stones = state[b.GROUP_COUNT + u.STONES_OF_GO] + state[b.GROUP_COUNT + 8 + u.STONES_OF_GO] > 0
    for y in range(n):
        for x in range(n):
            start = b.cell_at(rules, x, y)
            word = state[start]
            kind = b.kind_of(word)
            if kind != 0:
                sign = 1.0 - 2.0 * b.side_of(word)
                out[FEATURES.board_cost] += sign * u.COST[kind]
                if u.SOLDIER[kind]:
                    out[FEATURES.advance] += n - 1 - y if sign > 0 else -y
                if kind == u.OTHELLO_STONE:
                    out[FEATURES.othello_stones] += sign
            elif stones and go:
                first = second = False
                for d in range(4):
                    beside = state[start + b.step_of(rules, d)]
                    first |= b.belongs(beside, 0) and b.kind_of(beside) == u.GO_STONE
                    second |= b.belongs(beside, 1) and b.kind_of(beside) == u.GO_STONE
                out[FEATURES.liberties] += (1.0 if first else 0.0) - (1.0 if second else 0.0)
            if rows and (kind == 0 or kind == u.RENJU_STONE):
                # Rows of five cells that begin here and hold 珠 of one side and nothing else.
                for d in (1, 3, 6, 7):
                    step = b.step_of(rules, d)
                    firsts = seconds = 0
                    at = start
                    for _ in range(5):
                        beside = state[at] & ~b.MARK
                        if beside != 0 and b.kind_of(beside) != u.RENJU_STONE:
                            firsts = seconds = 1
                            break
                        if beside != 0:
                            if b.side_of(beside) == 0:
                                firsts += 1
                            else:
                                seconds += 1
                        at += step
                    if firsts > 1 and seconds == 0:
                        out[FEATURES.open_rows if firsts < 4 else FEATURES.fours] += firsts - 1
                    elif seconds > 1 and firsts == 0:
                        out[FEATURES.open_rows if seconds < 4 else FEATURES.fours] -= seconds - 1
            if stones and kind != u.GO_STONE and (word & b.MARK) == 0:
                state[start] = word | b.MARK
                cells[0] = start
                count, done = 1, 0
                first = second = False
                empty = 0
                while done < count:
                    empty += b.kind_of(state[cells[done]]) == 0
                    for d in range(4):
                        cell = cells[done] + b.step_of(rules, d)
                        beside = state[cell]
                        if b.kind_of(beside) == u.GO_STONE:
                            first |= b.belongs(beside, 0)
                            second |= b.belongs(beside, 1)
                        elif (beside & b.MARK) == 0 and beside != b.WALL:
                            state[cell] = beside | b.MARK
                            cells[count] = cell
                            count += 1
                    done += 1
                if first != second:
                    out[FEATURES.territory] += empty if first else -empty
    if stones:
        for y in range(n):
            for x in range(n):
                state[b.cell_at(rules, x, y)] &= ~b.MARK


@njit
def _flippable(rules: Any, state: Any, side: int) -> int:
    """The most units that a side turns over with one 翻 of its hand."""
    if state[b.HAND + u.SLOTS * side + u.SLOT[u.OTHELLO_STONE]] == 0 or not e.may_turn(rules, state, side):
        return 0
    cells = scratch(MOST_CELLS)
    most = 0
    for y in range(rules.board):
        for x in range(rules.board):
            cell = b.cell_at(rules, x, y)
            if state[cell] == 0:
                most = max(most, e.bracketed(rules, state, side, cell, cells))
    return most


@njit
def features(rules: Any, state: Any, out: Any) -> None:
    """Fills ``out`` with each feature of the declaration: the first seat's number less the second's."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    _stones(rules, state, out)
    able = scratch(ROOM)
    for side in range(2):
        sign = 1.0 - 2.0 * side
        for slot in range(u.SLOTS):
            out[FEATURES.hand_cost] += sign * u.COST[u.HELD_KIND[slot]] * state[b.HAND + u.SLOTS * side + slot]
        out[FEATURES.mobility] += sign * m.side_moves(rules, state, side, able)
        king = state[b.KING + side]
        if king != 0:
            exits = own = 0
            # The king is lifted: what attacks through it attacks the cell behind it, too.
            word = state[king]
            state[king] = 0
            for d in range(8):
                cell = king + b.step_of(rules, d)
                if state[cell] == b.WALL:
                    continue
                if b.belongs(state[cell], side):
                    own += 1
                elif not b.attacked(rules, state, 1 - side, cell):
                    exits += 1
            state[king] = word
            out[FEATURES.king_exits] += sign * exits
            out[FEATURES.king_guard] += sign * own
        out[FEATURES.flippable] += sign * _flippable(rules, state, side)
        out[FEATURES.prisoners] += sign * state[b.PRISONERS + side]
    mover = 1.0 - 2.0 * state[b.TURN]
    out[FEATURES.in_check] = mover if e.capturable(rules, state, state[b.TURN]) else 0.0
    out[FEATURES.tempo] = mover


@njit
def board_size(rules: Any) -> int:
    """The cells of a side of the board."""
    return rules.board


@njit
def units(rules: Any, state: Any, words: Any) -> int:
    """Fills ``words`` with the units on the board and in hand; a kind's code is one less than in a cell's word."""
    n = 0
    for y in range(rules.board):
        start = b.cell_at(rules, 0, y)
        for x in range(rules.board):
            word = state[start + x]
            if word != 0:
                words[n] = unit_word(b.kind_of(word) - 1, b.side_of(word), y << 5 | x, 1)
                n += 1
    for side in range(2):
        for slot in range(u.SLOTS):
            held = state[b.HAND + u.SLOTS * side + slot]
            if held > 0:
                words[n] = unit_word(u.HELD_KIND[slot] - 1, side, HAND, held)
                n += 1
    return n


@njit
def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Counts what a move did."""
    side, kind_of_move, cell = before[b.TURN], e.type_of(move), e.to_of(move)
    enemy = 1 - side
    if kind_of_move == e.PASS:
        counts[EVENTS.passes] += 1
    elif kind_of_move == e.DROP:
        counts[EVENTS.drops] += 1
        kind = e.from_of(move)
        if kind in (u.GO_STONE, u.OTHELLO_STONE):
            for y in range(rules.board):
                for x in range(rules.board):
                    at = b.cell_at(rules, x, y)
                    if b.belongs(before[at], enemy):
                        counts[EVENTS.go_captures] += after[at] == 0
                        counts[EVENTS.flips] += b.belongs(after[at], side)
    else:
        if kind_of_move == e.JUMP:
            for group in range(8):
                counts[EVENTS.jumped] += (
                    before[b.GROUP_COUNT + 8 * enemy + group] - after[b.GROUP_COUNT + 8 * enemy + group]
                )
        elif before[cell] != 0:
            counts[EVENTS.captures] += 1
        counts[EVENTS.promotions] += b.kind_of(after[cell]) != b.kind_of(before[e.from_of(move)])
    counts[EVENTS.duty_forced] += rules.draughts_duty != TOGGLES.draughts_duty.off and kind_of_move == e.JUMP
    counts[EVENTS.fives] += after[b.ENDING] == ENDINGS.five
    counts[EVENTS.bikjang] += b.bikjang(rules, after)
    counts[EVENTS.counts] += after[b.ENDING] == ENDINGS.count
    counts[EVENTS.checks] += kind_of_move != e.PASS and e.capturable(rules, after, enemy)
