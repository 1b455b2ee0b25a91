"""The moves of the mixed game: what each unit can do, and which of it is legal."""

from __future__ import annotations

from typing import Any

from workbench.engine.jit import inlined, njit, scratch
from workbench.games.rengo.kernel_board import (
    CROWN_SHORT,
    DRAUGHTS_BOARD,
    DUTY_ABOVE_CHECK,
    DUTY_OFF,
    GROUP_COUNT,
    HAND,
    LARGEST_STATE,
    MOST_CELLS,
    MOST_CHAINS,
    MOST_JUMPS,
    MOVERS,
    OTHELLO_BOARD,
    PASSING_BY_BOARD,
    RENJU_BOARD,
    RESULT,
    SECOND_KING,
    TURN,
    belongs,
    cell_at,
    chains,
    from_rank,
    jump_beside,
    kind_of,
    listed,
    step_of,
    unblocked,
)
from workbench.games.rengo.kernel_effects import (
    DROP,
    EXPOSED,
    IMPOSSIBLE,
    JUMP,
    LEGAL,
    MOVE,
    THE_PASS,
    apply,
    can_move_on,
    capturable,
    droppable,
    from_of,
    size_of_state,
    tried,
    type_of,
)
from workbench.games.rengo.kernel_units import (
    BISHOP,
    CANNON,
    CHOOSES_ON_LAST_ROW,
    CROWN,
    HELD_KIND,
    HOPPER,
    HORSE,
    JANGGI_KING,
    JUMPERS,
    KEEPS,
    LAME,
    LEAP_X,
    LEAP_Y,
    LEAPING,
    MAN,
    PAWN,
    PROMOTED,
    PROMOTES_AT_WILL,
    PROMOTES_IN_ZONE,
    PROMOTES_PAST_MIDDLE,
    PROMOTION,
    QUEEN,
    QUIET,
    RIDE_TAKES,
    RIDES,
    ROOK,
    SLOTS,
    SOLDIERS,
    TAKES,
)

ROOM = 8192
"""Words for the moves that units can make, legal or not; far above what is met."""
MOST_JUMP_MOVES = 1024
MOST_MOVES = MOST_JUMP_MOVES + ROOM + SLOTS * MOST_CELLS + 1


@inlined
def _emit(rules: Any, side: int, kind: int, origin: int, cell: int, out: Any, n: int) -> int:
    """Writes the move from ``origin`` to ``cell`` with every promotion that is open or forced; returns the new n."""
    move = MOVE << 20 | origin << 10 | cell
    how, size = PROMOTION[kind], rules.board
    if how == KEEPS:
        out[n] = move
        return n + 1
    if how == PROMOTES_AT_WILL:
        if can_move_on(rules, side, kind, cell):
            out[n] = move
            n += 1
        if from_rank(rules, side, cell, size + 1 - SOLDIERS[size]):
            out[n] = move | PROMOTED[kind] << 22
            n += 1
        return n
    if how == CHOOSES_ON_LAST_ROW:
        if from_rank(rules, side, cell, size):
            for promoted in (QUEEN, ROOK, BISHOP, HORSE):
                out[n] = move | promoted << 22
                n += 1
            return n
        out[n] = move
        return n + 1
    if how == PROMOTES_IN_ZONE:
        rank = size + 1 - SOLDIERS[size]
    elif how == PROMOTES_PAST_MIDDLE:
        rank = size // 2 + 1
    else:
        rank = size
    out[n] = move | (PROMOTED[kind] << 22 if from_rank(rules, side, cell, rank) else 0)
    return n + 1


@njit
def unit_moves(rules: Any, state: Any, origin: int, out: Any, n: int) -> int:
    """Appends what the piece on ``origin`` can do, jumps and its king's safety aside; returns the new n."""
    piece = state[origin]
    side, kind = (piece >> 6) & 1, kind_of(piece)
    pitch = rules.board + 3
    turned = 1 - 2 * side
    quiet, takes, rides, ride_takes = QUIET[kind], TAKES[kind], RIDES[kind], RIDE_TAKES[kind]
    if kind == CROWN and rules.crown == CROWN_SHORT:
        quiet, rides = rides, 0
    if (quiet | takes | rides) != 0:
        for d in range(8):
            step = turned * step_of(rules, d)
            cell = origin + step
            if (rides >> d) & 1:
                while state[cell] == 0:
                    n = _emit(rules, side, kind, origin, cell, out, n)
                    cell += step
                if (ride_takes >> d) & 1 and belongs(state[cell], 1 - side):
                    n = _emit(rules, side, kind, origin, cell, out, n)
                    continue
                cell = origin + step
            if state[cell] == 0:
                if (quiet >> d) & 1:
                    n = _emit(rules, side, kind, origin, cell, out, n)
            elif (takes >> d) & 1 and belongs(state[cell], 1 - side):
                n = _emit(rules, side, kind, origin, cell, out, n)
    if LEAPING[kind] != 0:
        for i in range(20):
            if (LEAPING[kind] >> i) & 1:
                cell = origin + turned * (LEAP_X[i] + LEAP_Y[i] * pitch)
                if state[cell] != 0 and not belongs(state[cell], 1 - side):
                    continue
                if LAME[kind] and not unblocked(rules, state, side, origin, i):
                    continue
                n = _emit(rules, side, kind, origin, cell, out, n)
    if kind in (CANNON, HOPPER):
        for d in range(4):
            step = step_of(rules, d)
            cell = origin + step
            while state[cell] == 0:
                cell += step
            screen = kind_of(state[cell])
            if screen == 0 or (kind == HOPPER and screen == HOPPER):
                continue
            cell += step
            while state[cell] == 0:
                if kind == HOPPER:
                    n = _emit(rules, side, kind, origin, cell, out, n)
                cell += step
            if belongs(state[cell], 1 - side) and not (kind == HOPPER and kind_of(state[cell]) == HOPPER):
                n = _emit(rules, side, kind, origin, cell, out, n)
    return n


@njit
def side_moves(rules: Any, state: Any, side: int, out: Any) -> int:
    """Fills ``out`` with what the pieces of a side can do, jumps and its king's safety aside; returns how much."""
    n = 0
    for place in range(state[MOVERS + side]):
        if n < ROOM - 1024:
            n = unit_moves(rules, state, state[listed(rules, side, place)], out, n)
    return n


@njit
def can_jump(rules: Any, state: Any) -> bool:
    """Whether a draughts unit of the side to move can jump something."""
    side = state[TURN]
    if state[GROUP_COUNT + 8 * side + JUMPERS] == 0:
        return False
    for place in range(state[MOVERS + side]):
        cell = state[listed(rules, side, place)]
        kind = kind_of(state[cell])
        if kind in (MAN, CROWN) and jump_beside(rules, state, cell):
            return True
    return False


@njit
def _jumps(rules: Any, state: Any, out: Any) -> tuple[int, bool]:
    """Fills ``out`` with the legal jumps; returns their number and whether nothing else is allowed."""
    side = state[TURN]
    ends, sizes, victims = scratch(MOST_CHAINS), scratch(MOST_CHAINS), scratch(MOST_JUMPS)
    count, longest = 0, 0
    possible = False
    for place in range(state[MOVERS + side]):
        cell = state[listed(rules, side, place)]
        kind = kind_of(state[cell])
        if kind not in (MAN, CROWN) or not jump_beside(rules, state, cell):
            continue
        found = chains(rules, state, cell, 0, 0, 0, ends, sizes, victims)
        for i in range(found):
            number = 0
            for k in range(i):
                number += ends[k] == ends[i]
            if sizes[i] < longest and rules.draughts_duty != DUTY_OFF:
                continue
            move = JUMP << 20 | cell << 10 | ends[i] | number << 22
            answer = tried(rules, state, move)
            if answer == IMPOSSIBLE or (answer == EXPOSED and rules.draughts_duty != DUTY_ABOVE_CHECK):
                continue
            possible = True
            if sizes[i] > longest and rules.draughts_duty != DUTY_OFF:
                count = 0
            longest = max(longest, sizes[i])
            if answer == LEGAL and count < MOST_JUMP_MOVES:
                out[count] = move
                count += 1
    return count, possible and rules.draughts_duty != DUTY_OFF


@njit
def passing(rules: Any, state: Any, stuck: bool) -> bool:
    """Whether the table allows to pass: at any time on a go board; if stuck on 8×8, and on 15×15 if a 楚 is second."""
    if rules.passing != PASSING_BY_BOARD or rules.board == DRAUGHTS_BOARD:
        return False
    if rules.board == OTHELLO_BOARD:
        return stuck
    if rules.board == RENJU_BOARD:
        return stuck and state[SECOND_KING] == JANGGI_KING
    return True


@njit
def collect(rules: Any, state: Any, out: Any, first_only: bool) -> int:
    """Fills ``out`` with the legal moves, mate by a dropped 歩 aside; returns their number.

    With ``first_only`` one move is enough.
    """
    side = state[TURN]
    if state[RESULT] != 0:
        return 0
    n, bound = 0, False
    if can_jump(rules, state):
        n, bound = _jumps(rules, state, out)
    if not bound and not (first_only and n > 0):
        able = scratch(ROOM)
        for place in range(state[MOVERS + side]):
            for i in range(unit_moves(rules, state, state[listed(rules, side, place)], able, 0)):
                if n < ROOM and tried(rules, state, able[i]) == LEGAL:
                    out[n] = able[i]
                    n += 1
                    if first_only:
                        return n
        for slot in range(SLOTS):
            if state[HAND + SLOTS * side + slot] == 0:
                continue
            kind = HELD_KIND[slot]
            for y in range(rules.board):
                for x in range(rules.board):
                    cell = cell_at(rules, x, y)
                    if state[cell] != 0 or not droppable(rules, state, side, kind, cell):
                        continue
                    move = DROP << 20 | kind << 10 | cell
                    if tried(rules, state, move) == LEGAL:
                        out[n] = move
                        n += 1
                        if first_only:
                            return n
    if (not bound or n == 0) and passing(rules, state, n == 0) and not capturable(rules, state, side):
        out[n] = THE_PASS
        n += 1
    return n


@njit
def mates_by_pawn(rules: Any, state: Any, move: int) -> bool:
    """Whether a legal move drops a 歩 that mates."""
    if type_of(move) != DROP or from_of(move) != PAWN:
        return False
    copy, changed, replies = scratch(LARGEST_STATE), scratch(MOST_CELLS), scratch(ROOM)
    for i in range(size_of_state(rules)):
        copy[i] = state[i]
    apply(rules, copy, move, changed)
    copy[TURN] = 1 - state[TURN]
    return capturable(rules, copy, copy[TURN]) and collect(rules, copy, replies, True) == 0
