"""Which move a search by budget tries next, and what it leaves out.

Moves come in stages: the move of the transposition table; tactical moves that win units, the most first; then the quiet
ones by killers and history, and last the tactical ones that lose. Near the end of the search, positions far outside of
the window and moves that are late or lose units are left out, but not moves that must be answered, such as checks,
unless these have hardly ever paid in this game.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.contract import (
    ONGOING,
    followed_moves,
    gain,
    legal_moves,
    play,
    quiet,
    tactical_moves,
    terminal,
)
from workbench.engine.jit import copy, inlined, njit
from workbench.engine.players import DEEPEST
from workbench.engine.search.frames import (
    ALL,
    ALPHA,
    BEST,
    BETA,
    COUNT,
    DEPTH,
    EVERYTHING,
    FORCING,
    FROM_TABLE,
    KNOWN_STATIC,
    NEXT,
    PRUNED,
    REDUCED,
    SCALE,
    SEARCHED,
    SEAT,
    STAGE,
    STATIC,
    SURE,
    TABLE_MOVE,
    TACTICAL,
    TRIED,
    row_of,
    spot,
    static_value,
)
from workbench.engine.search.memory import LATE, WORTH
from workbench.engine.search.ordering import bring_best_forward

ASKED, LOST, FORCED, PAID = 0, 1, 2, 3
"""How often it was asked in this game whether a quiet move loses units, and how often it did; how often a move that
must be answered was searched where others are left out, and how often it was better than what was known. Where `gain`
seldom or never says that units are lost, as in families that only count what a move takes, it is soon asked no more;
where most moves that must be answered are blunders, as in draughts, they are left out as others are."""
GONE = np.int64(-(1 << 60))
"""The ordering value of a move that was searched in an earlier stage."""
LAST = np.int64(-(1 << 59))
"""The ordering value of a tactical move that loses units."""
KILLER, OLDER_KILLER = np.int64(1 << 50), np.int64(1 << 49)
"""The ordering values of the quiet moves that refuted the last positions at the same ply."""
TOO_GOOD, HOPELESS, LATE_LEFT_OUT, LOSING_LEFT_OUT, LOSING_QUIET_LEFT_OUT = 7, 2, 6, 4, 3
"""Up to which depth positions and moves are left out, each for its reason (`_too_good`, `_hopeless`, `_left_out`)."""
EARLY_MOVES, USUAL_WIDTH = 3, 32
"""Moves are late after so many, and as many more as the square of the depth: for each so many that there are."""
SAMPLE, SELDOM = 64, 16
"""It is asked so often at least whether quiet moves lose units, and further if more than one of so many did."""
NOTHING, THIS, ALL_LEFT, ALL_BUT_FORCING = 0, 1, 2, 3
"""What is left out near the end of the search: no move, the one in turn, all that remain, or those of them that need no
answer."""
TRIALS, RARELY = 512, 64
"""So many moves that must be answered are searched at least, and further ones if more than one of so many paid.
Measured: one in 17 to 38 pays in the mixed game, chess and Chatra, one in 130 to 340 in draughts."""


@njit
def order_by_gain(rules: Any, weights: Any, ws: Any, ply: int, n: int) -> None:
    """Order moves by what they win in units."""
    worth = weights[ws.layout[WORTH] : ws.layout[LATE]]
    for i in range(n):
        won = gain(rules, ws.states[ply], ws.moves[ply, i], worth, ws.states[ply + 1])
        ws.orders[ply, i] = np.int64(SCALE * won)


@njit
def _order_quiet(ws: Any, ply: int, n: int, tried: int, losing: int) -> None:
    """Order all moves by killers and history.

    Of the tactical moves, those that were searched before are gone, and those that lose come last.
    """
    moves, values, frame = ws.moves[ply], ws.orders[ply], ws.frames[ply]
    history = ws.history[row_of(ws, frame[SEAT])]
    for i in range(n):
        move = moves[i]
        if move == ws.killers[ply, 0]:
            values[i] = KILLER
        elif move == ws.killers[ply, 1]:
            values[i] = OLDER_KILLER
        else:
            values[i] = history[spot(move)]
        if move == frame[TABLE_MOVE]:
            values[i] = GONE
        else:
            for j in range(tried + losing):
                if move == ws.tried[ply, j]:
                    values[i] = GONE if j < tried else LAST
                    break


@njit
def order_answers(rules: Any, weights: Any, ws: Any, ply: int, n: int) -> None:
    """Order all moves of a position that is not quiet: what wins units first, then by history."""
    frame = ws.frames[ply]
    if n == 1:
        # Where captures are obligatory there is often but one.
        ws.orders[ply, 0] = GONE if ws.moves[ply, 0] == frame[TABLE_MOVE] else 0
        return
    order_by_gain(rules, weights, ws, ply, n)
    history = ws.history[row_of(ws, frame[SEAT])]
    for i in range(n):
        move = ws.moves[ply, i]
        if move == frame[TABLE_MOVE]:
            ws.orders[ply, i] = GONE
        else:
            ws.orders[ply, i] = (ws.orders[ply, i] << 30) + history[spot(move)]


@inlined
def keep_promising(agent: Any, ws: Any, frame: Any, moves: Any, orders: Any, n: int) -> int:
    """Keeps, of tactical moves beyond the depth, those that may still matter; returns how many."""
    if agent.reductions == 0:
        return n
    sign = 1 if frame[SEAT] == 0 else -1
    static, needed = sign * frame[STATIC], frame[ALPHA] if sign > 0 else -frame[BETA]
    most = static
    kept = 0
    for i in range(n):
        if orders[i] < 0:
            continue
        hoped = static + orders[i] + ws.swing[0]
        if hoped > needed:
            moves[kept], orders[kept] = moves[i], orders[i]
            kept += 1
        else:
            # What is returned must not be below what the position may be worth.
            most = max(most, hoped)
    frame[BEST] = sign * most
    return kept


@inlined
def _prunes(agent: Any, frame: Any, depth: int) -> bool:
    """Return whether quiet moves may be left out so near to the end of the search."""
    return agent.reductions != 0 and frame[DEPTH] <= depth and abs(frame[ALPHA]) < SURE and abs(frame[BETA]) < SURE


@inlined
def _too_good(ws: Any, frame: Any) -> bool:
    """Return whether a quiet position is so good for the mover that the other side will not allow it."""
    swing = ws.swing[0] * frame[DEPTH]
    if frame[SEAT] == 0:
        return frame[STATIC] - swing >= frame[BETA]
    return frame[STATIC] + swing <= frame[ALPHA]


@inlined
def _hopeless(ws: Any, frame: Any) -> bool:
    """Return whether a position is so bad for the mover that no quiet move will do."""
    swing = ws.swing[0] * frame[DEPTH]
    if frame[SEAT] == 0:
        return frame[STATIC] + swing <= frame[ALPHA]
    return frame[STATIC] - swing >= frame[BETA]


@inlined
def _forcing_pays(agent: Any, ws: Any) -> bool:
    """Return whether moves that must be answered are searched where others are left out."""
    learnt = ws.learnt[ws.frames[0, SEAT]]
    return agent.follows != 0 and learnt[FORCED] < TRIALS + RARELY * learnt[PAID]


@njit
def _left_out(rules: Any, agent: Any, weights: Any, ws: Any, ply: int, i: int) -> int:
    """Which of the moves left at ``ply``, sorted up to the i-th, are not searched (`NOTHING` …)."""
    frame, order = ws.frames[ply], ws.orders[ply, i]
    if frame[SEARCHED] == 0 or frame[BETA] - frame[ALPHA] > 1 or not _prunes(agent, frame, LATE_LEFT_OUT):
        return NOTHING
    depth, learnt = frame[DEPTH], ws.learnt[ws.frames[0, SEAT]]
    if order == LAST:
        return ALL_LEFT if depth <= LOSING_LEFT_OUT else NOTHING
    if frame[SEARCHED] > EARLY_MOVES + depth * depth * max(1, frame[COUNT] // USUAL_WIDTH):
        return ALL_BUT_FORCING if _forcing_pays(agent, ws) else ALL_LEFT
    ask = learnt[ASKED] < SAMPLE + SELDOM * learnt[LOST]
    if ask and depth <= LOSING_QUIET_LEFT_OUT and order < OLDER_KILLER:
        worth = weights[ws.layout[WORTH] : ws.layout[LATE]]
        learnt[ASKED] += 1
        if gain(rules, ws.states[ply], ws.moves[ply, i], worth, ws.states[ply + 1]) < 0.0:
            learnt[LOST] += 1
            return THIS
    return NOTHING


@inlined
def followed(rules: Any, agent: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """Return the moves that a search looks at before all others, or beyond its depth, and whether it may stop here."""
    if agent.follows:
        return followed_moves(rules, state, moves)
    return tactical_moves(rules, state, moves)


@njit
def _next_forcing(rules: Any, ws: Any, ply: int, i: int) -> int:
    """Where the next move that must be answered stands at ``ply``, from the i-th on; their number if there is none."""
    child, n = ws.states[ply + 1], ws.frames[ply, COUNT]
    while i < n:
        if ws.orders[ply, i] > LAST:
            copy(ws.states[ply], child)
            play(rules, child, ws.moves[ply, i])
            if not quiet(rules, child, ws.moves[ply + 1]):
                break
        i += 1
    return i


@njit
def next_move(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, ply: int) -> int:
    """Return the next move to search at ``ply``; -1 if there is none left."""
    frame, moves, orders = ws.frames[ply], ws.moves[ply], ws.orders[ply]
    if frame[STAGE] == FROM_TABLE:
        frame[STAGE] = TACTICAL
        frame[COUNT] = -1
        if frame[TABLE_MOVE] >= 0:
            return frame[TABLE_MOVE]
    while True:
        if frame[COUNT] < 0:
            # The tactical moves of a position that is searched in full.
            n, calm = followed(rules, agent, ws.states[ply], moves)
            frame[COUNT], frame[NEXT] = n, 0
            if calm:
                if _prunes(agent, frame, TOO_GOOD):
                    if frame[KNOWN_STATIC] == 0:
                        frame[STATIC], frame[KNOWN_STATIC] = static_value(rules, agent, weights, ws, salt, ply), 1
                    if frame[TABLE_MOVE] < 0 and frame[BETA] - frame[ALPHA] == 1 and _too_good(ws, frame):
                        result, _ = terminal(rules, ws.states[ply], ws.moves[ply + 1])
                        if result == ONGOING:
                            frame[BEST], frame[PRUNED] = frame[STATIC], 1
                            return -1
                order_by_gain(rules, weights, ws, ply, n)
                for i in range(n):
                    if moves[i] == frame[TABLE_MOVE]:
                        orders[i] = GONE
            else:
                above = ws.frames[ply - 1]
                if _forcing_pays(agent, ws):
                    # What must be answered is searched as deep as what came before it.
                    frame[DEPTH] += above[REDUCED]
                    above[REDUCED] = 0
                # There are few answers, or it is no position to stop in: a ply deeper, within twice the depth and
                # within the frames that there are.
                if frame[SEARCHED] == 0 and ply < 2 * ws.frames[0, DEPTH] and ply + frame[DEPTH] < DEEPEST:
                    frame[DEPTH] += 1
                frame[STAGE] = EVERYTHING
                order_answers(rules, weights, ws, ply, n)
        i, n = frame[NEXT], frame[COUNT]
        if frame[STAGE] == FORCING:
            i = _next_forcing(rules, ws, ply, i)
            frame[NEXT] = i + 1
            return moves[i] if i < n else -1
        losing = 0
        if i < n:
            bring_best_forward(moves, orders, i, n)
            if frame[STAGE] == TACTICAL and frame[DEPTH] > 0:
                if orders[i] >= 0:
                    frame[NEXT] = i + 1
                    ws.tried[ply, i] = moves[i]
                    frame[TRIED] = i + 1
                    return moves[i]
                for j in range(i, n):
                    ws.tried[ply, j] = moves[j]
                losing = n - i
            elif orders[i] != GONE:
                frame[NEXT] = i + 1
                left_out = _left_out(rules, agent, weights, ws, ply, i) if frame[STAGE] == ALL else NOTHING
                if left_out == NOTHING:
                    return moves[i]
                # What is returned must not be below what the position may be worth.
                if frame[SEAT] == 0:
                    frame[BEST] = max(frame[BEST], frame[ALPHA])
                else:
                    frame[BEST] = min(frame[BEST], frame[BETA])
                if left_out == THIS:
                    continue
                if left_out == ALL_BUT_FORCING:
                    frame[STAGE], frame[NEXT] = FORCING, i
                    continue
                return -1
        if frame[STAGE] != TACTICAL or frame[DEPTH] <= 0:
            return -1
        frame[STAGE] = ALL
        hopeless = False
        if _prunes(agent, frame, HOPELESS) and frame[KNOWN_STATIC] and _hopeless(ws, frame):
            result = ONGOING
            if frame[SEARCHED] == 0:
                result, _ = terminal(rules, ws.states[ply], moves)
            if result == ONGOING:
                swing = ws.swing[0] * frame[DEPTH]
                if frame[SEAT] == 0:
                    frame[BEST] = max(frame[BEST], frame[STATIC] + swing)
                else:
                    frame[BEST] = min(frame[BEST], frame[STATIC] - swing)
                frame[PRUNED] = 1
                if not _forcing_pays(agent, ws):
                    return -1
                hopeless = True
        n = legal_moves(rules, ws.states[ply], moves)
        if n == 0:
            return -1
        frame[COUNT], frame[NEXT] = n, 0
        _order_quiet(ws, ply, n, frame[TRIED], losing)
        if hopeless:
            frame[STAGE] = FORCING
