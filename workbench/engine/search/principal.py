"""Principal variation search: alpha-beta with a node budget.

Iterative deepening until the budget is spent, null windows after a position's first move, and a transposition table.
Moves come in stages: the move of the table; tactical moves that win units, largest gain first; quiet moves by killers
and history; tactical moves that lose units. Positions where the search must not stop, such as check, extend it by a
ply. Late quiet moves are reduced. Near the end of the search the following are pruned: late moves, moves that lose
units, and positions far outside the window, but not moves that must be answered, such as checks, unless these have
rarely paid in this game. Beyond the depth, tactical moves are followed until the position is quiet, with the right to
stand pat, except those that lose units or cannot win enough.

A search is not recursive: a frame per ply holds its variables. Values are whole numbers, thousandths of log-odds, from
the first seat's view; a won game is worth `WIN_SCORE` minus the plies until the win. A seat may move several times in a
row, so neither side's window is mirrored.

Sources: T. A. Marsland, "A Review of Game-Tree Pruning", 1986 (null windows, aspiration, transposition table, history);
reductions and pruning as in chess programs since about 2005, with margins that depend on the game (`Workspace.swing`,
the number of moves).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.engine import contract
from workbench.engine.contract import quiet
from workbench.engine.jit import copy, inline_ir, njit
from workbench.engine.players import DEEPEST
from workbench.engine.search import memory
from workbench.engine.search.evaluation import WIN, delay_win, end_value, evaluate, one_ply_value, win_score

SCALE = 1000
"""A unit of log-odds."""
WIN_SCORE = SCALE * 1_000_000
SURE = WIN_SCORE // 2
"""Values above this are forced wins."""
INFINITE = 2 * WIN_SCORE
MOST = SCALE * 100_000
"""Maximum heuristic value."""

DEPTH, STAGE, COUNT, NEXT, SEAT, BEST_MOVE, OWN = 0, 1, 2, 3, 4, 5, 6
"""A search frame: remaining depth, stage, number of moves, index of the next move, seat to move, best move so far, and
whether all plies up to the next belong to the searcher's turn."""
ALPHA, BETA, BEST, ALPHA_BEFORE, BETA_BEFORE = 7, 8, 9, 10, 11
"""The frame's window (now and on entry) and value."""
TABLE_MOVE, TRIED, MOVE, SEARCHED, REDUCED, NARROW, STATIC, KNOWN_STATIC, PRUNED = 12, 13, 14, 15, 16, 17, 18, 19, 20
"""Move of the transposition table, number of tactical moves before the quiet ones, current move, number of searched
moves, reduction, whether the window is null, heuristic value and whether it is known, and whether moves were pruned."""
FROM_TABLE, TACTICAL, ALL, EVERYTHING, FORCING = 0, 1, 2, 3, 4
"""Stages: the table's move, tactical moves, all others, and only moves that must be answered; `EVERYTHING` is a single
stage for positions that are not quiet."""


@inline_ir
def integer_end_value(result: int, ply: int) -> int:
    """Return the value of a game that ends ``ply`` plies ahead, as an integer."""
    return np.int64(SCALE * end_value(result, ply))


@njit
def static_value(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, ply: int) -> int:
    """Return the heuristic value of the position at ``ply``."""
    value = evaluate(rules, ws.states[ply], agent, weights, ws, salt)
    return np.int64(max(-MOST, min(MOST, SCALE * value)))


@inline_ir
def history_index(move: int) -> int:
    """Return a move's index in the history table."""
    return (move ^ (move >> 5) ^ (move >> 13)) & (memory.HISTORY - 1)


@inline_ir
def history_row(ws: Any, mover: int) -> int:
    """Return the history table's row for a seat's moves; each searching seat has its own rows."""
    return 2 * ws.frames[0, SEAT] + mover


@inline_ir
def repetition_result(rules: Any, ws: Any, ply: int, key: Any) -> int:
    """Return the result if a position ends the game by repetition, otherwise `ONGOING`."""
    count = memory.occurrences(ws, ply, key)
    if count == 1:
        return contract.ONGOING
    result, _ = contract.repetition(rules, ws.states[ply], count)
    return result


TESTED, LOST, FORCED, PAID = 0, 1, 2, 3
"""Counts in this game: quiet moves tested for a loss of units, and losing ones; forcing moves (which must be answered)
searched among pruned moves, and those that raised the value. The tests soon end if `gain` rarely reports a loss, as in
families that only count captures. If most forcing moves are blunders, as in draughts, they are pruned like others."""
SEARCHED_BEFORE, LOSING = np.int64(-(1 << 60)), np.int64(-(1 << 59))
"""Ordering values of a move searched in an earlier stage, and of a tactical move that loses units."""
KILLER, OLDER_KILLER = np.int64(1 << 50), np.int64(1 << 49)
"""Ordering values of the quiet moves that refuted the last positions at the same ply."""
TOO_GOOD_DEPTH, HOPELESS_DEPTH, LATE_DEPTH, LOSING_DEPTH, LOSING_QUIET_DEPTH = 7, 2, 6, 4, 3
"""Maximum depth of each kind of pruning (`_too_good`, `_hopeless`, `_choose_pruning`)."""
EARLY_MOVES, USUAL_WIDTH = 3, 32
"""A move is late after `EARLY_MOVES` plus the squared depth times the number of moves in units of the usual width."""
MIN_TESTS, TESTS_PER_LOSS = 64, 16
"""Limits of tests for a loss of units by quiet moves."""
MIN_FORCED, FORCED_PER_PAID = 512, 64
"""Limits of forcing moves searched among pruned moves. Measured: one in 17 to 38 pays in the mixed game, chess and
Chatra, one in 130 to 340 in draughts."""
PRUNE_NONE, PRUNE_ONE, PRUNE_REST, PRUNE_QUIET_REST = 0, 1, 2, 3
"""Pruning of no move, the next move, all remaining moves, or all remaining moves that need no answer."""
AGING = 4
"""Interval, in searches of a game, at which the history is divided by 2**`AGING`."""


@njit
def order_by_gain(rules: Any, weights: Any, ws: Any, ply: int, n: int) -> None:
    """Set the ordering values of moves to their gain in units."""
    worth = weights[ws.layout[memory.WORTH] : ws.layout[memory.LATE]]
    for i in range(n):
        gain = contract.gain(rules, ws.states[ply], ws.moves[ply, i], worth, ws.states[ply + 1])
        ws.orders[ply, i] = np.int64(SCALE * gain)


@njit
def _order_quiet(ws: Any, ply: int, n: int, tried: int, losing: int) -> None:
    """Set the ordering values by killers and history; losing tactical moves come last, searched ones are excluded."""
    moves, values, frame = ws.moves[ply], ws.orders[ply], ws.frames[ply]
    history = ws.history[history_row(ws, frame[SEAT])]
    for i in range(n):
        move = moves[i]
        if move == ws.killers[ply, 0]:
            values[i] = KILLER
        elif move == ws.killers[ply, 1]:
            values[i] = OLDER_KILLER
        else:
            values[i] = history[history_index(move)]
        if move == frame[TABLE_MOVE]:
            values[i] = SEARCHED_BEFORE
        else:
            for j in range(tried + losing):
                if move == ws.tried[ply, j]:
                    values[i] = SEARCHED_BEFORE if j < tried else LOSING
                    break


@njit
def order_answers(rules: Any, weights: Any, ws: Any, ply: int, n: int) -> None:
    """Set the ordering values in a position that is not quiet, by gain in units and then by history."""
    frame = ws.frames[ply]
    if n == 1:
        # Frequent in games with obligatory captures.
        ws.orders[ply, 0] = SEARCHED_BEFORE if ws.moves[ply, 0] == frame[TABLE_MOVE] else 0
        return
    order_by_gain(rules, weights, ws, ply, n)
    history = ws.history[history_row(ws, frame[SEAT])]
    for i in range(n):
        move = ws.moves[ply, i]
        if move == frame[TABLE_MOVE]:
            ws.orders[ply, i] = SEARCHED_BEFORE
        else:
            ws.orders[ply, i] = (ws.orders[ply, i] << 30) + history[history_index(move)]


@inline_ir
def keep_promising(agent: Any, ws: Any, frame: Any, moves: Any, orders: Any, n: int) -> int:
    """Discard tactical moves beyond the depth that cannot reach the window; return the number left."""
    if agent.reductions == 0:
        return n
    sign = 1 if frame[SEAT] == 0 else -1
    static, bound = sign * frame[STATIC], frame[ALPHA] if sign > 0 else -frame[BETA]
    upper_bound = static
    kept = 0
    for i in range(n):
        if orders[i] < 0:
            continue
        optimistic = static + orders[i] + ws.swing[0]
        if optimistic > bound:
            moves[kept], orders[kept] = moves[i], orders[i]
            kept += 1
        else:
            # The returned value must not be below a possible value of the position.
            upper_bound = max(upper_bound, optimistic)
    frame[BEST] = sign * upper_bound
    return kept


@inline_ir
def _prunes(agent: Any, frame: Any, depth: int) -> bool:
    """Check whether quiet moves may be pruned up to ``depth`` plies before the end of the search."""
    return agent.reductions != 0 and frame[DEPTH] <= depth and abs(frame[ALPHA]) < SURE and abs(frame[BETA]) < SURE


@inline_ir
def _too_good(ws: Any, frame: Any) -> bool:
    """Check whether a quiet position is so good for the mover that the opponent will avoid it."""
    swing = ws.swing[0] * frame[DEPTH]
    if frame[SEAT] == 0:
        return frame[STATIC] - swing >= frame[BETA]
    return frame[STATIC] + swing <= frame[ALPHA]


@inline_ir
def _hopeless(ws: Any, frame: Any) -> bool:
    """Check whether a position is so bad for the mover that no quiet move can reach the window."""
    swing = ws.swing[0] * frame[DEPTH]
    if frame[SEAT] == 0:
        return frame[STATIC] + swing <= frame[ALPHA]
    return frame[STATIC] - swing >= frame[BETA]


@inline_ir
def _keeps_forcing(agent: Any, ws: Any) -> bool:
    """Check whether moves that must be answered are exempt from pruning."""
    learnt = ws.learnt[ws.frames[0, SEAT]]
    return agent.follows != 0 and learnt[FORCED] < MIN_FORCED + FORCED_PER_PAID * learnt[PAID]


@njit
def _choose_pruning(rules: Any, agent: Any, weights: Any, ws: Any, ply: int, i: int) -> int:
    """Return the pruning (`PRUNE_NONE` and so on) of the remaining moves at ``ply``, which are sorted up to index i."""
    frame, order = ws.frames[ply], ws.orders[ply, i]
    if frame[SEARCHED] == 0 or frame[BETA] - frame[ALPHA] > 1 or not _prunes(agent, frame, LATE_DEPTH):
        return PRUNE_NONE
    depth, learnt = frame[DEPTH], ws.learnt[ws.frames[0, SEAT]]
    if order == LOSING:
        return PRUNE_REST if depth <= LOSING_DEPTH else PRUNE_NONE
    if frame[SEARCHED] > EARLY_MOVES + depth * depth * max(1, frame[COUNT] // USUAL_WIDTH):
        return PRUNE_QUIET_REST if _keeps_forcing(agent, ws) else PRUNE_REST
    may_test = learnt[TESTED] < MIN_TESTS + TESTS_PER_LOSS * learnt[LOST]
    if may_test and depth <= LOSING_QUIET_DEPTH and order < OLDER_KILLER:
        worth = weights[ws.layout[memory.WORTH] : ws.layout[memory.LATE]]
        learnt[TESTED] += 1
        if contract.gain(rules, ws.states[ply], ws.moves[ply, i], worth, ws.states[ply + 1]) < 0.0:
            learnt[LOST] += 1
            return PRUNE_ONE
    return PRUNE_NONE


@inline_ir
def list_tactical(rules: Any, agent: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """Fill ``moves[:n]`` with the tactical moves that the agent follows; return n and whether the position is quiet."""
    if agent.follows:
        return contract.followed_moves(rules, state, moves)
    return contract.tactical_moves(rules, state, moves)


@njit
def _next_forcing(rules: Any, ws: Any, ply: int, i: int) -> int:
    """Return the index of the next move at or after i that must be answered, or the number of moves."""
    child, n = ws.states[ply + 1], ws.frames[ply, COUNT]
    while i < n:
        if ws.orders[ply, i] > LOSING:
            copy(ws.states[ply], child)
            contract.play(rules, child, ws.moves[ply, i])
            if not quiet(rules, child, ws.moves[ply + 1]):
                break
        i += 1
    return i


@njit
def next_move(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, ply: int) -> int:
    """Return the next move to search at ``ply``, or -1 if none remains."""
    frame, moves, orders = ws.frames[ply], ws.moves[ply], ws.orders[ply]
    if frame[STAGE] == FROM_TABLE:
        frame[STAGE] = TACTICAL
        frame[COUNT] = -1
        if frame[TABLE_MOVE] >= 0:
            return frame[TABLE_MOVE]
    while True:
        if frame[COUNT] < 0:
            n, is_quiet = list_tactical(rules, agent, ws.states[ply], moves)
            frame[COUNT], frame[NEXT] = n, 0
            if is_quiet:
                if _prunes(agent, frame, TOO_GOOD_DEPTH):
                    if frame[KNOWN_STATIC] == 0:
                        frame[STATIC], frame[KNOWN_STATIC] = static_value(rules, agent, weights, ws, salt, ply), 1
                    if frame[TABLE_MOVE] < 0 and frame[BETA] - frame[ALPHA] == 1 and _too_good(ws, frame):
                        result, _ = contract.terminal(rules, ws.states[ply], ws.moves[ply + 1])
                        if result == contract.ONGOING:
                            frame[BEST], frame[PRUNED] = frame[STATIC], 1
                            return -1
                order_by_gain(rules, weights, ws, ply, n)
                for i in range(n):
                    if moves[i] == frame[TABLE_MOVE]:
                        orders[i] = SEARCHED_BEFORE
            else:
                parent = ws.frames[ply - 1]
                if _keeps_forcing(agent, ws):
                    # A move that must be answered is searched without reduction.
                    frame[DEPTH] += parent[REDUCED]
                    parent[REDUCED] = 0
                # A position with few answers, or where the search must not stop, is searched a ply deeper, within twice
                # the depth and the number of frames.
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
            memory.bring_best_forward(moves, orders, i, n)
            if frame[STAGE] == TACTICAL and frame[DEPTH] > 0:
                if orders[i] >= 0:
                    frame[NEXT] = i + 1
                    ws.tried[ply, i] = moves[i]
                    frame[TRIED] = i + 1
                    return moves[i]
                for j in range(i, n):
                    ws.tried[ply, j] = moves[j]
                losing = n - i
            elif orders[i] != SEARCHED_BEFORE:
                frame[NEXT] = i + 1
                pruning = PRUNE_NONE
                if frame[STAGE] == ALL:
                    pruning = _choose_pruning(rules, agent, weights, ws, ply, i)
                if pruning == PRUNE_NONE:
                    return moves[i]
                # The returned value must not be below a possible value of the position.
                if frame[SEAT] == 0:
                    frame[BEST] = max(frame[BEST], frame[ALPHA])
                else:
                    frame[BEST] = min(frame[BEST], frame[BETA])
                if pruning == PRUNE_ONE:
                    continue
                if pruning == PRUNE_QUIET_REST:
                    frame[STAGE], frame[NEXT] = FORCING, i
                    continue
                return -1
        if frame[STAGE] != TACTICAL or frame[DEPTH] <= 0:
            return -1
        frame[STAGE] = ALL
        hopeless = False
        if _prunes(agent, frame, HOPELESS_DEPTH) and frame[KNOWN_STATIC] and _hopeless(ws, frame):
            result = contract.ONGOING
            if frame[SEARCHED] == 0:
                result, _ = contract.terminal(rules, ws.states[ply], moves)
            if result == contract.ONGOING:
                swing = ws.swing[0] * frame[DEPTH]
                if frame[SEAT] == 0:
                    frame[BEST] = max(frame[BEST], frame[STATIC] + swing)
                else:
                    frame[BEST] = min(frame[BEST], frame[STATIC] - swing)
                frame[PRUNED] = 1
                if not _keeps_forcing(agent, ws):
                    return -1
                hopeless = True
        n = contract.legal_moves(rules, ws.states[ply], moves)
        if n == 0:
            return -1
        frame[COUNT], frame[NEXT] = n, 0
        _order_quiet(ws, ply, n, frame[TRIED], losing)
        if hopeless:
            frame[STAGE] = FORCING


@njit
def _open(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, ply: int) -> bool:
    """Enter the position at ``ply``; return True if its value, in the frame's `BEST`, is final."""
    state, frame = ws.states[ply], ws.frames[ply]
    mover = contract.seat(rules, state)
    frame[OWN] = 1 if ws.frames[ply - 1, OWN] != 0 and mover == ws.frames[0, SEAT] else 0
    if frame[DEPTH] <= 0 and frame[OWN] and ply < memory.OWN_TURN:
        frame[DEPTH] = 1
    depth = frame[DEPTH]
    frame[NEXT] = frame[COUNT] = frame[TRIED] = frame[SEARCHED] = frame[PRUNED] = 0
    frame[SEAT] = mover
    frame[BEST_MOVE] = frame[TABLE_MOVE] = -1
    frame[ALPHA_BEFORE], frame[BETA_BEFORE] = frame[ALPHA], frame[BETA]
    frame[BEST] = -INFINITE if mover == 0 else INFINITE
    key = np.uint64(0)
    if depth > 0 or contract.counts_positions(rules):
        key = contract.key(rules, state)
        ws.path[ply] = key
    if contract.counts_positions(rules):
        result = repetition_result(rules, ws, ply, key)
        if result != contract.ONGOING:
            frame[BEST] = integer_end_value(result, ply)
            return True
    if depth <= 0:
        n, quiet = list_tactical(rules, agent, state, ws.moves[ply])
        frame[STAGE] = TACTICAL if quiet else EVERYTHING
        frame[COUNT] = n
        # Tactical moves are legal, so a legal move must be searched for only if there are none.
        result, _ = contract.outcome(rules, state, n) if n > 0 else contract.terminal(rules, state, ws.moves[ply])
        if result != contract.ONGOING:
            frame[BEST] = integer_end_value(result, ply)
            return True
        if quiet or depth <= -memory.FOLLOWED:
            frame[STATIC] = static_value(rules, agent, weights, ws, salt, ply)
            frame[BEST] = frame[STATIC]
            if n == 0 or depth <= -memory.FOLLOWED:
                return True
            if mover == 0:
                frame[ALPHA] = max(frame[ALPHA], frame[BEST])
            else:
                frame[BETA] = min(frame[BETA], frame[BEST])
            if frame[ALPHA] >= frame[BETA]:
                return True
            order_by_gain(rules, weights, ws, ply, n)
            frame[COUNT] = keep_promising(agent, ws, frame, ws.moves[ply], ws.orders[ply], n)
            return frame[COUNT] == 0
        order_answers(rules, weights, ws, ply, n)
        return False
    result, _ = contract.outcome(rules, state, 1)
    if result != contract.ONGOING:
        frame[BEST] = integer_end_value(result, ply)
        return True
    table_key = key ^ salt
    first_entry = np.int64(table_key & np.uint64(ws.table_keys.shape[0] - 2))
    for entry in range(first_entry, first_entry + 2):
        if ws.table_keys[entry] != table_key:
            continue
        info = ws.table_info[entry]
        frame[TABLE_MOVE] = ((info >> 16) & 0xFFFFFFFF) - 1
        if (info & 255) >= depth:
            value = delay_win(ws.table_scores[entry], SCALE * ply, SURE)
            bound = (info >> 8) & 3
            if (
                bound == memory.EXACT
                or (bound == memory.LOWER and value >= frame[BETA])
                or (bound == memory.UPPER and value <= frame[ALPHA])
            ):
                frame[BEST] = value
                return True
        break
    frame[STAGE] = FROM_TABLE
    return False


@inline_ir
def _close(ws: Any, salt: Any, ply: int) -> None:
    """Leave a position whose moves have been searched, and store its result in the table."""
    frame = ws.frames[ply]
    if frame[DEPTH] <= 0:
        return
    best, bound = frame[BEST], memory.EXACT
    if best >= frame[BETA_BEFORE]:
        bound = memory.LOWER
    elif best <= frame[ALPHA_BEFORE]:
        bound = memory.UPPER
    key = ws.path[ply] ^ salt
    entry = np.int64(key & np.uint64(ws.table_keys.shape[0] - 2))
    # Keep the deeper entry, unless it belongs to another search.
    searcher = ws.frames[0, SEAT]
    generation = (2 * ws.searches[searcher] + searcher) & 255
    if ws.table_keys[entry] != key:
        info = ws.table_info[entry]
        if ws.table_keys[entry + 1] == key or ((info >> 56) & 255 == generation and (info & 255) > frame[DEPTH]):
            entry += 1
    ws.table_keys[entry] = key
    ws.table_scores[entry] = delay_win(best, -SCALE * ply, SURE)
    ws.table_info[entry] = generation << 56 | (frame[BEST_MOVE] + 1) << 16 | bound << 8 | min(frame[DEPTH], 255)


@inline_ir
def _reduction(ws: Any, agent: Any, frame: Any) -> int:
    """Return the depth reduction of a late quiet move, in plies."""
    late, depth = frame[SEARCHED], frame[DEPTH]
    if agent.reductions == 0 or frame[STAGE] != ALL or depth < 3 or late < 3:
        return 0
    return min(depth - 2, np.int64(0.9 + math.log(depth) * math.log(late) * 0.5))


@inline_ir
def _descend(rules: Any, ws: Any, ply: int, reduced: int, narrow: int) -> None:
    """Play the frame's move and set the depth and window of the resulting position."""
    frame, child = ws.frames[ply], ws.frames[ply + 1]
    copy(ws.states[ply], ws.states[ply + 1])
    contract.play(rules, ws.states[ply + 1], frame[MOVE])
    ws.nodes[0] += 1
    frame[REDUCED], frame[NARROW] = reduced, narrow
    child[DEPTH] = frame[DEPTH] - 1 - reduced
    child[ALPHA], child[BETA] = frame[ALPHA], frame[BETA]
    if narrow:
        if frame[SEAT] == 0:
            child[BETA] = frame[ALPHA] + 1
        else:
            child[ALPHA] = frame[BETA] - 1
    child[KNOWN_STATIC] = 0


@njit
def search(
    rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, top: int, depth: int, alpha: int, beta: int, limit: int
) -> tuple[int, bool]:
    """Return the fail-soft value of ``ws.states[top]``, and whether ``limit`` nodes sufficed."""
    ply: Any = np.int64(top)
    frame = ws.frames[ply]
    frame[DEPTH], frame[ALPHA], frame[BETA], frame[KNOWN_STATIC] = depth, alpha, beta, 0
    entering, is_known = True, False
    while True:
        if ws.nodes[0] >= limit:
            return 0, False
        if entering:
            is_known = _open(rules, agent, weights, ws, salt, ply)
            entering = False
        frame = ws.frames[ply]
        if not is_known:
            move = -1
            if frame[ALPHA] < frame[BETA]:
                move = next_move(rules, agent, weights, ws, salt, ply)
                if move < 0 and frame[DEPTH] > 0 and frame[SEARCHED] == 0 and frame[PRUNED] == 0:
                    result, _ = contract.outcome(rules, ws.states[ply], 0)
                    frame[BEST] = integer_end_value(result, ply)
            if move >= 0:
                frame[MOVE] = move
                narrow = frame[SEARCHED] > 0 and frame[DEPTH] > 0 and frame[BETA] - frame[ALPHA] > 1
                _descend(rules, ws, ply, _reduction(ws, agent, frame), 1 if narrow else 0)
                ply += 1
                entering = True
                continue
            _close(ws, salt, ply)
        value = frame[BEST]
        ply -= 1
        if ply < top:
            return value, True
        is_known = False
        frame = ws.frames[ply]
        mover, move = frame[SEAT], frame[MOVE]
        better = value > frame[ALPHA] if mover == 0 else value < frame[BETA]
        inside = frame[ALPHA] < value < frame[BETA]
        if better and (frame[REDUCED] > 0 or (frame[NARROW] and inside)):
            # Better than expected: search again, without reduction or with the whole window.
            _descend(rules, ws, ply, 0, 1 if frame[REDUCED] > 0 and frame[NARROW] else 0)
            ply += 1
            entering = True
            continue
        if frame[STAGE] == FORCING:
            learnt = ws.learnt[ws.frames[0, SEAT]]
            learnt[FORCED] += 1
            learnt[PAID] += 1 if better else 0
        frame[SEARCHED] += 1
        if (value > frame[BEST]) if mover == 0 else (value < frame[BEST]):
            frame[BEST] = value
            if better:
                frame[BEST_MOVE] = move
        if mover == 0:
            frame[ALPHA] = max(frame[ALPHA], value)
        else:
            frame[BETA] = min(frame[BETA], value)
        if frame[ALPHA] >= frame[BETA] and frame[DEPTH] > 0 and frame[STAGE] >= ALL:
            if ws.killers[ply, 0] != move:
                ws.killers[ply, 1] = ws.killers[ply, 0]
                ws.killers[ply, 0] = move
            bonus = frame[DEPTH] * frame[DEPTH]
            history = ws.history[history_row(ws, mover)]
            history[history_index(move)] += bonus
            for i in range(frame[NEXT] - 1):
                history[history_index(ws.moves[ply, i])] -= bonus


@njit
def principal(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    """Return the best move of the deepest search within the budget; ties are broken at random."""
    state, moves = ws.states[0], ws.moves[0]
    memory.shuffle(moves, n, rng)
    mover = contract.seat(rules, state)
    sign = 1.0 if mover == 0 else -1.0
    root = ws.frames[0]
    root[SEAT], root[OWN], root[DEPTH] = mover, 1, 0
    ws.killers[:] = -1
    if ws.searches[0] == 0 and ws.searches[1] == 0:
        ws.history[:] = 0
        ws.learnt[:] = 0
        ws.table_keys[:] = 0
        ws.table_info[:] = 0
    ws.searches[mover] += 1
    if ws.searches[mover] % AGING == 0:
        for row in range(history_row(ws, 0), history_row(ws, 2)):
            for i in range(memory.HISTORY):
                ws.history[row, i] >>= AGING
    ws.path[0] = contract.key(rules, state)
    limit: Any = ws.nodes[0] + agent.nodes if agent.nodes > 0 else np.int64(1 << 62)
    static = sign * evaluate(rules, state, agent, weights, ws, salt)
    swing = 0.0
    # Moves are sorted by one-ply values; if the budget is too small for a search, the first is played.
    for i in range(n):
        move = moves[i]
        ws.values[0, i] = sign * one_ply_value(rules, agent, weights, ws, salt, 0, move)
        swing += min(2.0, abs(ws.values[0, i] - static))
    memory.sort_best_first(moves, ws.values[0], n)
    ws.swing[0] = np.int64(2.0 * SCALE * swing / n)
    chosen = moves[0]
    score: Any = np.int64(max(-MOST, min(MOST, SCALE * ws.values[0, 0])))
    for depth in range(1, agent.depth + 1):
        root[DEPTH] = depth
        # Values are from the mover's view.
        best: Any = np.int64(-INFINITE)
        low: Any = np.int64(-INFINITE)
        high: Any = np.int64(INFINITE)
        move_found, finished = -1, True
        if depth > 3 and abs(score) < SURE:
            low, high = score - 300, score + 300
        i = 0
        while i < n:
            copy(state, ws.states[1])
            contract.play(rules, ws.states[1], moves[i])
            ws.nodes[0] += 1
            lower, upper = max(best, low), high
            if i > 0 and best > low:
                upper = best + 1
            value, finished = _search_child(rules, agent, weights, ws, salt, depth - 1, mover, lower, upper, limit)
            if finished and i > 0 and value >= upper and upper < high:
                upper = high
                value, finished = _search_child(rules, agent, weights, ws, salt, depth - 1, mover, lower, upper, limit)
            if finished and (value >= upper < INFINITE or (i == 0 and value <= low > -INFINITE)):
                # Outside the aspiration window: search again with the whole window.
                low, high = np.int64(-INFINITE), np.int64(INFINITE)
                value, finished = _search_child(
                    rules, agent, weights, ws, salt, depth - 1, mover, max(best, low), high, limit
                )
            if not finished:
                break
            if value > best:
                best = value
                move_found = moves[i]
                # The next iteration searches the best move first.
                for j in range(i, 0, -1):
                    moves[j] = moves[j - 1]
                moves[0] = move_found
            i += 1
        if move_found >= 0:
            chosen, score = move_found, best
        if not finished or abs(score) > SURE:
            break
    own = score / SCALE if abs(score) < SURE else math.copysign(WIN, score)
    ws.score[0] = win_score(own if mover == 0 else -own)
    return chosen


@njit
def _search_child(
    rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, depth: int, mover: int, lower: int, upper: int, limit: int
) -> tuple[int, bool]:
    """Call `search` for ``ws.states[1]``, with window and value from the mover's view."""
    if mover == 0:
        return search(rules, agent, weights, ws, salt, 1, depth, lower, upper, limit)
    value, finished = search(rules, agent, weights, ws, salt, 1, depth, -upper, -lower, limit)
    return -value, finished
