"""The moves of the mixed game: what each unit can do, and which of it is legal."""

from __future__ import annotations

from typing import Any

from workbench.engine.contract import BOOL, INT, STATE, separately_compiled
from workbench.engine.jit import inline_ir, njit, scratch
from workbench.games.rengo import kernel_board as b
from workbench.games.rengo import kernel_effects as e
from workbench.games.rengo import kernel_units as u
from workbench.games.rengo.kernel_board import LARGEST_STATE, MOST_CELLS, MOST_CHAINS, MOST_JUMPS, TOGGLES

ROOM = 8192
"""Words for the moves that units can make, legal or not; far above what is met."""
MOST_JUMP_MOVES = 1024
MOST_MOVES = MOST_JUMP_MOVES + ROOM + u.SLOTS * MOST_CELLS + 1


@inline_ir
def _emit(rules: Any, side: int, kind: int, origin: int, cell: int, out: Any, n: int) -> int:
    """Write the move from ``origin`` to ``cell`` with every promotion that is open or forced; returns the new n."""
    move = e.MOVE << 20 | origin << 10 | cell
    how, size = u.PROMOTION[kind], rules.board
    if how == u.KEEPS:
        out[n] = move
        return n + 1
    if how == u.PROMOTES_AT_WILL:
        if e.can_move_on(rules, side, kind, cell):
            out[n] = move
            n += 1
        if b.from_rank(rules, side, cell, size + 1 - u.SOLDIERS[size]):
            out[n] = move | u.PROMOTED[kind] << 22
            n += 1
        return n
    if how == u.CHOOSES_ON_LAST_ROW:
        if b.from_rank(rules, side, cell, size):
            for promoted in (u.QUEEN, u.ROOK, u.BISHOP, u.HORSE):
                out[n] = move | promoted << 22
                n += 1
            return n
        out[n] = move
        return n + 1
    if how == u.PROMOTES_IN_ZONE:
        rank = size + 1 - u.SOLDIERS[size]
    elif how == u.PROMOTES_PAST_MIDDLE:
        rank = size // 2 + 1
    else:
        rank = size
    out[n] = move | (u.PROMOTED[kind] << 22 if b.from_rank(rules, side, cell, rank) else 0)
    return n + 1


@njit
def unit_moves(rules: Any, state: Any, origin: int, out: Any, n: int) -> int:
    """Append what the piece on ``origin`` can do, jumps and its king's safety aside; returns the new n."""
    piece = state[origin]
    side, kind = (piece >> 6) & 1, b.kind_of(piece)
    pitch = rules.board + 3
    turned = 1 - 2 * side
    quiet, takes, rides, ride_takes = u.QUIET[kind], u.TAKES[kind], u.RIDES[kind], u.RIDE_TAKES[kind]
    if kind == u.CROWN and rules.crown == TOGGLES.crown.short:
        quiet, rides = rides, 0
    if (quiet | takes | rides) != 0:
        for d in range(8):
            step = turned * b.step_of(rules, d)
            cell = origin + step
            if (rides >> d) & 1:
                while state[cell] == 0:
                    n = _emit(rules, side, kind, origin, cell, out, n)
                    cell += step
                if (ride_takes >> d) & 1 and b.belongs(state[cell], 1 - side):
                    n = _emit(rules, side, kind, origin, cell, out, n)
                    continue
                cell = origin + step
            if state[cell] == 0:
                if (quiet >> d) & 1:
                    n = _emit(rules, side, kind, origin, cell, out, n)
            elif (takes >> d) & 1 and b.belongs(state[cell], 1 - side):
                n = _emit(rules, side, kind, origin, cell, out, n)
    if u.LEAPING[kind] != 0:
        for i in range(20):
            if (u.LEAPING[kind] >> i) & 1:
                cell = origin + turned * (u.LEAP_X[i] + u.LEAP_Y[i] * pitch)
                if state[cell] != 0 and not b.belongs(state[cell], 1 - side):
                    continue
                if u.LAME[kind] and not b.unblocked(rules, state, side, origin, i):
                    continue
                n = _emit(rules, side, kind, origin, cell, out, n)
    if kind in (u.CANNON, u.HOPPER):
        for d in range(4):
            step = b.step_of(rules, d)
            cell = origin + step
            while state[cell] == 0:
                cell += step
            screen = b.kind_of(state[cell])
            if screen == 0 or (kind == u.HOPPER and screen == u.HOPPER):
                continue
            cell += step
            while state[cell] == 0:
                if kind == u.HOPPER:
                    n = _emit(rules, side, kind, origin, cell, out, n)
                cell += step
            if b.belongs(state[cell], 1 - side) and not (kind == u.HOPPER and b.kind_of(state[cell]) == u.HOPPER):
                n = _emit(rules, side, kind, origin, cell, out, n)
    return n


@njit
def side_moves(rules: Any, state: Any, side: int, out: Any) -> int:
    """Fill ``out`` with what the pieces of a side can do, jumps and its king's safety aside; returns how much."""
    n = 0
    for place in range(state[b.MOVERS + side]):
        if n < ROOM - 1024:
            n = unit_moves(rules, state, state[b.listed(rules, side, place)], out, n)
    return n


@njit
def can_jump(rules: Any, state: Any) -> bool:
    """Return whether a draughts unit of the side to move can jump something."""
    side = state[b.TURN]
    if state[b.GROUP_COUNT + 8 * side + u.JUMPERS] == 0:
        return False
    for place in range(state[b.MOVERS + side]):
        cell = state[b.listed(rules, side, place)]
        kind = b.kind_of(state[cell])
        if kind in (u.MAN, u.CROWN) and b.jump_beside(rules, state, cell):
            return True
    return False


@njit
def _jumps(rules: Any, state: Any, out: Any) -> tuple[int, bool]:
    """Fill ``out`` with the legal jumps; returns their number and whether nothing else is allowed."""
    side = state[b.TURN]
    ends, sizes, victims = scratch(MOST_CHAINS), scratch(MOST_CHAINS), scratch(MOST_JUMPS)
    count, longest = 0, 0
    possible = False
    for place in range(state[b.MOVERS + side]):
        cell = state[b.listed(rules, side, place)]
        kind = b.kind_of(state[cell])
        if kind not in (u.MAN, u.CROWN) or not b.jump_beside(rules, state, cell):
            continue
        chain_count = b.chains(rules, state, cell, 0, 0, 0, ends, sizes, victims)
        for i in range(chain_count):
            number = 0
            for k in range(i):
                number += ends[k] == ends[i]
            if sizes[i] < longest and rules.draughts_duty != TOGGLES.draughts_duty.off:
                continue
            move = e.JUMP << 20 | cell << 10 | ends[i] | number << 22
            answer = e.tried(rules, state, move)
            if answer == e.IMPOSSIBLE or (
                answer == e.EXPOSED and rules.draughts_duty != TOGGLES.draughts_duty.above_check
            ):
                continue
            possible = True
            if sizes[i] > longest and rules.draughts_duty != TOGGLES.draughts_duty.off:
                count = 0
            longest = max(longest, sizes[i])
            if answer == e.LEGAL and count < MOST_JUMP_MOVES:
                out[count] = move
                count += 1
    return count, possible and rules.draughts_duty != TOGGLES.draughts_duty.off


@njit
def passing(rules: Any, state: Any, stuck: bool) -> bool:
    """Whether the table allows to pass: at any time on a go board; if stuck on 8×8, and on 15×15 if a 楚 is second."""
    if rules.passing != TOGGLES.passing.by_board or rules.board == TOGGLES.board.draughts10:
        return False
    if rules.board == TOGGLES.board.othello8:
        return stuck
    if rules.board == TOGGLES.board.renju15:
        return stuck and state[b.SECOND_KING] == u.JANGGI_KING
    return True


@separately_compiled(INT, STATE, STATE, BOOL)
def collect(rules: Any, state: Any, out: Any, first_only: bool) -> int:
    """Fill ``out`` with the legal moves, mate by a dropped 歩 aside; returns their number.

    With ``first_only`` one move is enough.
    """
    side = state[b.TURN]
    if state[b.RESULT] != 0:
        return 0
    n, bound = 0, False
    if can_jump(rules, state):
        n, bound = _jumps(rules, state, out)
    if not bound and not (first_only and n > 0):
        able, marks = scratch(ROOM), scratch(LARGEST_STATE)
        for place in range(state[b.MOVERS + side]):
            for i in range(unit_moves(rules, state, state[b.listed(rules, side, place)], able, 0)):
                if n < ROOM and e.tried(rules, state, able[i]) == e.LEGAL:
                    out[n] = able[i]
                    n += 1
                    if first_only:
                        return n
        safe = not first_only and e.drops_are_safe(rules, state, side)
        for slot in range(u.SLOTS):
            if state[b.HAND + u.SLOTS * side + slot] == 0:
                continue
            kind = u.HELD_KIND[slot]
            turns = kind == u.OTHELLO_STONE and e.may_turn(rules, state, side)
            if turns:
                e.mark_takings(rules, state, side, True, False, marks)
            for y in range(rules.board):
                start = b.cell_at(rules, 0, y)
                for cell in range(start, start + rules.board):
                    if state[cell] != 0:
                        continue
                    if marks[cell] == 0 if turns else not e.droppable(rules, state, side, kind, cell):
                        continue
                    move = e.DROP << 20 | kind << 10 | cell
                    if e.dropped(rules, state, move, safe) == e.LEGAL:
                        out[n] = move
                        n += 1
                        if first_only:
                            return n
    if (not bound or n == 0) and passing(rules, state, n == 0) and not e.capturable(rules, state, side):
        out[n] = e.THE_PASS
        n += 1
    return n


@njit
def takings(rules: Any, state: Any, out: Any) -> int:
    """Fill ``out`` with the legal moves that take or turn enemy units, but for jumps; returns their number."""
    side = state[b.TURN]
    able = scratch(ROOM)
    n = 0
    for i in range(side_moves(rules, state, side, able)):
        if state[e.to_of(able[i])] != 0 and e.tried(rules, state, able[i]) == e.LEGAL:
            out[n] = able[i]
            n += 1
    turns = e.may_turn(rules, state, side) and state[b.HAND + u.SLOTS * side + u.SLOT[u.OTHELLO_STONE]] > 0
    shuts_in = rules.go_capture != TOGGLES.go_capture.off and state[b.HAND + u.SLOTS * side + u.SLOT[u.GO_STONE]] > 0
    if not (turns or shuts_in):
        return n
    marks = scratch(LARGEST_STATE)
    e.mark_takings(rules, state, side, turns, shuts_in, marks)
    for y in range(rules.board):
        start = b.cell_at(rules, 0, y)
        for cell in range(start, start + rules.board):
            if marks[cell] == 0 or state[cell] != 0:
                continue
            if marks[cell] & e.TURNS:
                move = e.DROP << 20 | u.OTHELLO_STONE << 10 | cell
                if e.dropped(rules, state, move, False) == e.LEGAL:
                    out[n] = move
                    n += 1
            if marks[cell] & e.BESIDE and e.shuts_in(rules, state, side, cell):
                move = e.DROP << 20 | u.GO_STONE << 10 | cell
                if e.dropped(rules, state, move, False) == e.LEGAL:
                    out[n] = move
                    n += 1
    return n


@njit
def mates_by_pawn(rules: Any, state: Any, move: int) -> bool:
    """Return whether a legal move drops a 歩 that mates."""
    if e.type_of(move) != e.DROP or e.from_of(move) != u.PAWN:
        return False
    copy, changed, replies = scratch(LARGEST_STATE), scratch(MOST_CELLS), scratch(ROOM)
    for i in range(e.size_of_state(rules)):
        copy[i] = state[i]
    e.apply(rules, copy, move, changed)
    copy[b.TURN] = 1 - state[b.TURN]
    return e.capturable(rules, copy, copy[b.TURN]) and collect(rules, copy, replies, True) == 0
