"""Features, units and events of the mixed game."""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import popcount
from workbench.engine.contract import HAND, unit_word
from workbench.engine.jit import inline_ir, njit, scratch
from workbench.games.rengo import kernel_board as b
from workbench.games.rengo import kernel_moves as m
from workbench.games.rengo.kernel_board import ENDINGS, EVENTS, FEATURES, MOST_CELLS, TOGGLES
from workbench.games.rengo.kernel_moves import ROOM

ROWS = 21
"""Rows of bits for the largest board, with an empty row above and below."""
TWICE = 2 * ROWS


@njit
def _survey_units(rules: Any, state: Any, out: Any, othello: Any, renju: Any, filled: Any, go: Any) -> tuple[int, int]:
    """Add the costs of units, the advance of soldiers and the count of 翻 to ``out``; return the counts of 翻 and 珠.

    ``othello`` and ``renju`` receive the cells of 翻 and 珠. As rows of bits, with the top row at index 1, ``filled``
    receives all units, and ``go`` the first player's 碁, followed from `ROWS` on by the second player's.
    """
    n = rules.board
    othello_count = renju_count = 0
    for y in range(ROWS):
        filled[y] = go[y] = go[ROWS + y] = 0
    for y in range(n):
        start = b.cell_at(rules, 0, y)
        for cell in range(start, start + n):
            word = state[cell]
            if word == 0:
                continue
            bit = 1 << (cell - start)
            filled[y + 1] |= bit
            kind, side = b.kind_of(word), b.side_of(word)
            sign = 1.0 - 2.0 * side
            out[FEATURES.board_cost] += sign * b.COST[kind]
            if b.SOLDIER[kind]:
                out[FEATURES.advance] += n - 1 - y if sign > 0 else -y
            elif kind == b.GO_STONE:
                go[ROWS * side + y + 1] |= bit
            elif kind == b.OTHELLO_STONE:
                out[FEATURES.othello_stones] += sign
                othello[othello_count] = cell
                othello_count += 1
            elif kind == b.RENJU_STONE:
                renju[renju_count] = cell
                renju_count += 1
    return othello_count, renju_count


@inline_ir
def _adjacent(rows: Any, y: int) -> int:
    """Return the bits in row y that are adjacent to a set bit."""
    return rows[y] << 1 | rows[y] >> 1 | rows[y - 1] | rows[y + 1]


@inline_ir
def _spread(bits: int, free: int) -> int:
    """Return the runs of ``free`` bits in a row that contain any of ``bits``."""
    bits &= free
    # Adding a bit to a run flips all bits from there to the end of the run.
    bits |= (free ^ (free + bits)) & free
    for shift in (1, 2, 4, 8, 16):
        bits |= free & (bits >> shift)
        free &= free >> shift
    return bits


@njit
def _touched(go: Any, region: Any, n: int) -> bool:
    """Return whether a stone in ``go`` is adjacent to the region."""
    touched = False
    for y in range(1, n + 1):
        touched = touched or _adjacent(region, y) & go[y] != 0
    return touched


@njit
def _territory(rules: Any, out: Any, filled: Any, go: Any) -> None:
    """Add to ``out`` the empty cells next to 碁, and those of regions that only one side's 碁 touch."""
    n = rules.board
    full_row = (1 << n) - 1
    first, second = go[:ROWS], go[ROWS:]
    # All cells without 碁, and those not yet assigned to a region.
    free, unassigned, region = scratch(ROWS), scratch(ROWS), scratch(ROWS)
    for y in range(ROWS):
        free[y] = unassigned[y] = region[y] = 0
    for y in range(1, n + 1):
        free[y] = unassigned[y] = full_row & ~(first[y] | second[y])
        if rules.go_capture != TOGGLES.go_capture.off:
            empty = full_row & ~filled[y]
            out[FEATURES.liberties] += popcount(_adjacent(first, y) & empty) - popcount(_adjacent(second, y) & empty)
    for top in range(1, n + 1):
        while unassigned[top] != 0:
            for y in range(1, n + 1):
                region[y] = 0
            region[top] = _spread(unassigned[top] & -unassigned[top], free[top])
            # Sweep down and up until the region stops growing.
            changed = True
            while changed:
                changed = False
                for sweep in range(2 * n):
                    y = sweep + 1 if sweep < n else 2 * n - sweep
                    extended = _spread(region[y] | region[y - 1] | region[y + 1], free[y])
                    changed |= extended != region[y]
                    region[y] = extended
            empty = 0
            for y in range(top, n + 1):
                unassigned[y] &= ~region[y]
                empty += popcount(region[y] & ~filled[y])
            first_touches, second_touches = _touched(first, region, n), _touched(second, region, n)
            if first_touches != second_touches:
                out[FEATURES.territory] += empty if first_touches else -empty


@njit
def _open_rows(rules: Any, state: Any, cells: Any, count: int, out: Any) -> None:
    """Add to ``out`` the lines of five cells that contain at least two 珠 of one side and nothing else."""
    for i in range(count):
        stone = state[cells[i]]
        sign = 1.0 - 2.0 * b.side_of(stone)
        for d in (1, 3, 6, 7):
            step = b.step_of(rules, d)
            empty_before = 0
            while empty_before < 4 and state[cells[i] - (empty_before + 1) * step] == 0:
                empty_before += 1
            stones = 1
            for after in range(1, 5):
                word = state[cells[i] + after * step]
                if word == stone:
                    stones += 1
                elif word != 0:
                    break
                if stones > 1 and empty_before + after >= 4:
                    out[FEATURES.open_rows if stones < 4 else FEATURES.fours] += sign * (stones - 1)


@njit
def _flippable(rules: Any, state: Any, side: int, stones: Any, count: int) -> int:
    """Return the maximum number of units that a side can flip by dropping a 翻; ``stones`` are the cells of all 翻."""
    if state[b.HAND + b.SLOTS * side + b.SLOT[b.OTHELLO_STONE]] == 0 or not m.must_bracket(rules, state, side):
        return 0
    ends, flipped = scratch(MOST_CELLS), scratch(MOST_CELLS)
    largest = n_ends = 0
    for i in range(count):
        if not b.belongs(state[stones[i]], side):
            continue
        for d in range(8):
            step = b.step_of(rules, d)
            cell = stones[i] + step
            length = 0
            while m.can_flip(rules, state[cell], 1 - side):
                length += 1
                cell += step
            if length == 0 or state[cell] != 0:
                continue
            index = 0
            while index < n_ends and ends[index] != cell:
                index += 1
            if index == n_ends:
                ends[index], flipped[index] = cell, 0
                n_ends += 1
            flipped[index] += length
            largest = max(largest, flipped[index])
    return largest


@njit
def features(rules: Any, state: Any, out: Any) -> None:
    """Fill ``out`` with the features: the first seat's values minus the second's."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    buffer, othello_cells, renju_cells = scratch(ROOM), scratch(MOST_CELLS), scratch(MOST_CELLS)
    filled, go = scratch(ROWS), scratch(TWICE)
    othello_count, renju_count = _survey_units(rules, state, out, othello_cells, renju_cells, filled, go)
    if state[b.GROUP_COUNT + b.GO_STONES] + state[b.GROUP_COUNT + 8 + b.GO_STONES] > 0:
        _territory(rules, out, filled, go)
    if rules.five != TOGGLES.five.off and renju_count > 1:
        _open_rows(rules, state, renju_cells, renju_count, out)
    for side in range(2):
        sign = 1.0 - 2.0 * side
        for slot in range(b.SLOTS):
            out[FEATURES.hand_cost] += sign * b.COST[b.HELD_KIND[slot]] * state[b.HAND + b.SLOTS * side + slot]
        out[FEATURES.mobility] += sign * m.side_moves(rules, state, side, buffer)
        king = state[b.KING + side]
        if king != 0:
            exits = guards = 0
            # The king is removed so that attacks reach the cells behind it.
            word = state[king]
            state[king] = 0
            for d in range(8):
                cell = king + b.step_of(rules, d)
                if state[cell] == b.WALL:
                    continue
                if b.belongs(state[cell], side):
                    guards += 1
                elif not b.attacked(rules, state, 1 - side, cell):
                    exits += 1
            state[king] = word
            out[FEATURES.king_exits] += sign * exits
            out[FEATURES.king_guard] += sign * guards
        out[FEATURES.flippable] += sign * _flippable(rules, state, side, othello_cells, othello_count)
        out[FEATURES.prisoners] += sign * state[b.PRISONERS + side]
    mover = 1.0 - 2.0 * state[b.TURN]
    out[FEATURES.in_check] = mover if m.capturable(rules, state, state[b.TURN]) else 0.0
    out[FEATURES.tempo] = mover


@njit
def board_size(rules: Any) -> int:
    """Return the side length of the board."""
    return rules.board


@njit
def units(rules: Any, state: Any, words: Any) -> int:
    """Fill ``words`` with the units on the board and in hand; a kind's code is one less than in a cell's word."""
    n = 0
    for y in range(rules.board):
        start = b.cell_at(rules, 0, y)
        for x in range(rules.board):
            word = state[start + x]
            if word != 0:
                words[n] = unit_word(b.kind_of(word) - 1, b.side_of(word), y << 5 | x, 1)
                n += 1
    for side in range(2):
        for slot in range(b.SLOTS):
            count = state[b.HAND + b.SLOTS * side + slot]
            if count > 0:
                words[n] = unit_word(b.HELD_KIND[slot] - 1, side, HAND, count)
                n += 1
    return n


@njit
def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Count the events of a move."""
    side, action, cell = before[b.TURN], m.move_type(move), m.move_target(move)
    enemy = 1 - side
    if action == m.PASS:
        counts[EVENTS.passes] += 1
    elif action == m.DROP:
        counts[EVENTS.drops] += 1
        kind = m.move_origin(move)
        if kind in (b.GO_STONE, b.OTHELLO_STONE):
            for y in range(rules.board):
                for x in range(rules.board):
                    target = b.cell_at(rules, x, y)
                    if b.belongs(before[target], enemy):
                        counts[EVENTS.go_captures] += after[target] == 0
                        counts[EVENTS.flips] += b.belongs(after[target], side)
    else:
        if action == m.JUMP:
            for group in range(8):
                counts[EVENTS.jumped] += (
                    before[b.GROUP_COUNT + 8 * enemy + group] - after[b.GROUP_COUNT + 8 * enemy + group]
                )
        elif before[cell] != 0:
            counts[EVENTS.captures] += 1
        counts[EVENTS.promotions] += b.kind_of(after[cell]) != b.kind_of(before[m.move_origin(move)])
    counts[EVENTS.duty_forced] += rules.draughts_duty != TOGGLES.draughts_duty.off and action == m.JUMP
    counts[EVENTS.fives] += after[b.ENDING] == ENDINGS.five
    counts[EVENTS.bikjang] += b.bikjang(rules, after)
    counts[EVENTS.counts] += after[b.ENDING] == ENDINGS.count
    counts[EVENTS.checks] += action != m.PASS and m.capturable(rules, after, enemy)
