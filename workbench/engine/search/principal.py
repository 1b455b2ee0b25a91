"""Principal variation search: alpha-beta with a budget of nodes.

Iterative deepening until the budget is spent; null windows after the first move of a position; a transposition table;
tactical moves are ordered by what they win in units, others by killer moves and the history heuristic. Where there is
no place to stop, as in check, the search goes a ply deeper. Late quiet moves are searched less deep; near the end of
the search they are left out, as are moves that lose units and positions far outside of the window. Beyond the depth,
tactical moves are followed until the position is quiet, with the right to stand pat; not those that lose units or
cannot win enough.

Sources: T. A. Marsland, "A Review of Game-Tree Pruning", 1986 (null windows, aspiration, transposition table, history);
what is searched less deep or left out is what chess programs have treated so since about 2005, by margins that depend
on the game (`Workspace.swing`, the number of moves).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.engine.contract import (
    ONGOING,
    counts_positions,
    key,
    outcome,
    play,
    seat,
    terminal,
)
from workbench.engine.jit import copy, inlined, njit
from workbench.engine.search.evaluation import WIN, chance, evaluate, later_win, value_of_move
from workbench.engine.search.frames import (
    ALL,
    ALPHA,
    ALPHA_BEFORE,
    BEST,
    BEST_MOVE,
    BETA,
    BETA_BEFORE,
    COUNT,
    DEPTH,
    EVERYTHING,
    FORCING,
    FROM_TABLE,
    INFINITE,
    KNOWN_STATIC,
    MOST,
    MOVE,
    NARROW,
    NEXT,
    OWN,
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
    repeated,
    row_of,
    spot,
    static_value,
    value_of_end,
)
from workbench.engine.search.memory import (
    EXACT,
    FOLLOWED,
    HISTORY,
    LOWER,
    OWN_TURN,
    UPPER,
)
from workbench.engine.search.ordering import shuffle, sort_best_first
from workbench.engine.search.stages import (
    FORCED,
    PAID,
    followed,
    keep_promising,
    next_move,
    order_answers,
    order_by_gain,
)

AGING = 4
"""Every so many moves of the game what was learnt of quiet moves is halved as often."""


@njit
def _open(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, ply: int) -> bool:
    """Enter the position at ``ply``; returns whether its value is known at once, which is then the frame's `BEST`."""
    state, frame = ws.states[ply], ws.frames[ply]
    who = seat(rules, state)
    frame[OWN] = 1 if ws.frames[ply - 1, OWN] != 0 and who == ws.frames[0, SEAT] else 0
    if frame[DEPTH] <= 0 and frame[OWN] and ply < OWN_TURN:
        frame[DEPTH] = 1
    depth = frame[DEPTH]
    frame[NEXT] = 0
    frame[COUNT] = 0
    frame[TRIED] = 0
    frame[SEARCHED] = 0
    frame[SEAT] = who
    frame[BEST_MOVE] = -1
    frame[TABLE_MOVE] = -1
    frame[PRUNED] = 0
    frame[ALPHA_BEFORE], frame[BETA_BEFORE] = frame[ALPHA], frame[BETA]
    frame[BEST] = -INFINITE if who == 0 else INFINITE
    word = np.uint64(0)
    if depth > 0 or counts_positions(rules):
        word = key(rules, state)
        ws.path[ply] = word
    if counts_positions(rules):
        result = repeated(rules, ws, ply, word)
        if result != ONGOING:
            frame[BEST] = value_of_end(result, ply)
            return True
    if depth <= 0:
        n, quiet = followed(rules, agent, state, ws.moves[ply])
        frame[STAGE] = TACTICAL if quiet else EVERYTHING
        frame[COUNT] = n
        # A tactical move is a legal move: only without one it must be asked whether there is any.
        result, _ = outcome(rules, state, n) if n > 0 else terminal(rules, state, ws.moves[ply])
        if result != ONGOING:
            frame[BEST] = value_of_end(result, ply)
            return True
        if quiet or depth <= -FOLLOWED:
            frame[STATIC] = static_value(rules, agent, weights, ws, salt, ply)
            frame[BEST] = frame[STATIC]
            if n == 0 or depth <= -FOLLOWED:
                return True
            if who == 0:
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
    result, _ = outcome(rules, state, 1)
    if result != ONGOING:
        frame[BEST] = value_of_end(result, ply)
        return True
    code = word ^ salt
    first = np.int64(code & np.uint64(ws.table_keys.shape[0] - 2))
    for entry in range(first, first + 2):
        if ws.table_keys[entry] != code:
            continue
        info = ws.table_info[entry]
        frame[TABLE_MOVE] = ((info >> 16) & 0xFFFFFFFF) - 1
        if (info & 255) >= depth:
            value = later_win(ws.table_scores[entry], SCALE * ply, SURE)
            bound = (info >> 8) & 3
            if (
                bound == EXACT
                or (bound == LOWER and value >= frame[BETA])
                or (bound == UPPER and value <= frame[ALPHA])
            ):
                frame[BEST] = value
                return True
        break
    frame[STAGE] = FROM_TABLE
    return False


@inlined
def _close(ws: Any, salt: Any, ply: int) -> None:
    """Leave a position whose moves have been searched: what was learnt goes to the table."""
    frame = ws.frames[ply]
    if frame[DEPTH] <= 0:
        return
    best, bound = frame[BEST], EXACT
    if best >= frame[BETA_BEFORE]:
        bound = LOWER
    elif best <= frame[ALPHA_BEFORE]:
        bound = UPPER
    word = ws.path[ply] ^ salt
    entry = np.int64(word & np.uint64(ws.table_keys.shape[0] - 2))
    # The deeper of two stays, unless it is of another search.
    searcher = ws.frames[0, SEAT]
    now = (2 * ws.searches[searcher] + searcher) & 255
    if ws.table_keys[entry] != word:
        info = ws.table_info[entry]
        if ws.table_keys[entry + 1] == word or ((info >> 56) & 255 == now and (info & 255) > frame[DEPTH]):
            entry += 1
    ws.table_keys[entry] = word
    ws.table_scores[entry] = later_win(best, -SCALE * ply, SURE)
    ws.table_info[entry] = now << 56 | (frame[BEST_MOVE] + 1) << 16 | bound << 8 | min(frame[DEPTH], 255)


@inlined
def _reduction(ws: Any, agent: Any, frame: Any) -> int:
    """How much less deep a late quiet move is searched."""
    late, depth = frame[SEARCHED], frame[DEPTH]
    if agent.reductions == 0 or frame[STAGE] != ALL or depth < 3 or late < 3:
        return 0
    return min(depth - 2, np.int64(0.9 + math.log(depth) * math.log(late) * 0.5))


@inlined
def _descend(rules: Any, ws: Any, ply: int, reduced: int, narrow: int) -> None:
    """Play the frame's move and sets the depth and the window of the position after it."""
    frame, below_ = ws.frames[ply], ws.frames[ply + 1]
    copy(ws.states[ply], ws.states[ply + 1])
    play(rules, ws.states[ply + 1], frame[MOVE])
    ws.nodes[0] += 1
    frame[REDUCED], frame[NARROW] = reduced, narrow
    below_[DEPTH] = frame[DEPTH] - 1 - reduced
    below_[ALPHA], below_[BETA] = frame[ALPHA], frame[BETA]
    if narrow:
        if frame[SEAT] == 0:
            below_[BETA] = frame[ALPHA] + 1
        else:
            below_[ALPHA] = frame[BETA] - 1
    below_[KNOWN_STATIC] = 0


@njit
def search(
    rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, top: int, depth: int, alpha: int, beta: int, limit: int
) -> tuple[int, bool]:
    """Return the value of ``ws.states[top]``, and whether it was found before ``limit`` nodes were spent.

    Fail-soft, and without recursion: frame ``ply`` of the workspace holds what a recursive call would hold.
    """
    ply: Any = np.int64(top)
    frame = ws.frames[ply]
    frame[DEPTH], frame[ALPHA], frame[BETA], frame[KNOWN_STATIC] = depth, alpha, beta, 0
    entering, known = True, False
    while True:
        if ws.nodes[0] >= limit:
            return 0, False
        if entering:
            known = _open(rules, agent, weights, ws, salt, ply)
            entering = False
        frame = ws.frames[ply]
        if not known:
            move = -1
            if frame[ALPHA] < frame[BETA]:
                move = next_move(rules, agent, weights, ws, salt, ply)
                if move < 0 and frame[DEPTH] > 0 and frame[SEARCHED] == 0 and frame[PRUNED] == 0:
                    result, _ = outcome(rules, ws.states[ply], 0)
                    frame[BEST] = value_of_end(result, ply)
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
        known = False
        frame = ws.frames[ply]
        who, move = frame[SEAT], frame[MOVE]
        better = value > frame[ALPHA] if who == 0 else value < frame[BETA]
        inside = frame[ALPHA] < value < frame[BETA]
        if better and (frame[REDUCED] > 0 or (frame[NARROW] and inside)):
            # Better than was thought: once more, as deep as the others or with the whole window.
            _descend(rules, ws, ply, 0, 1 if frame[REDUCED] > 0 and frame[NARROW] else 0)
            ply += 1
            entering = True
            continue
        if frame[STAGE] == FORCING:
            learnt = ws.learnt[ws.frames[0, SEAT]]
            learnt[FORCED] += 1
            learnt[PAID] += 1 if better else 0
        frame[SEARCHED] += 1
        if (value > frame[BEST]) if who == 0 else (value < frame[BEST]):
            frame[BEST] = value
            if better:
                frame[BEST_MOVE] = move
        if who == 0:
            frame[ALPHA] = max(frame[ALPHA], value)
        else:
            frame[BETA] = min(frame[BETA], value)
        if frame[ALPHA] >= frame[BETA] and frame[DEPTH] > 0 and frame[STAGE] >= ALL:
            if ws.killers[ply, 0] != move:
                ws.killers[ply, 1] = ws.killers[ply, 0]
                ws.killers[ply, 0] = move
            gain = frame[DEPTH] * frame[DEPTH]
            history = ws.history[row_of(ws, who)]
            history[spot(move)] += gain
            for i in range(frame[NEXT] - 1):
                history[spot(ws.moves[ply, i])] -= gain


@njit
def principal(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    """The move that is best at the greatest depth that the budget reaches; among equals each is equally likely."""
    state, moves = ws.states[0], ws.moves[0]
    shuffle(moves, n, rng)
    who = seat(rules, state)
    sign = 1.0 if who == 0 else -1.0
    root = ws.frames[0]
    root[SEAT], root[OWN], root[DEPTH] = who, 1, 0
    ws.killers[:] = -1
    if ws.searches[0] == 0 and ws.searches[1] == 0:
        # A game begins.
        ws.history[:] = 0
        ws.learnt[:] = 0
        ws.table_keys[:] = 0
        ws.table_info[:] = 0
    ws.searches[who] += 1
    if ws.searches[who] % AGING == 0:
        for row in range(row_of(ws, 0), row_of(ws, 2)):
            for i in range(HISTORY):
                ws.history[row, i] >>= AGING
    ws.path[0] = key(rules, state)
    limit: Any = ws.nodes[0] + agent.nodes if agent.nodes > 0 else np.int64(1 << 62)
    now = sign * evaluate(rules, state, agent, weights, ws, salt)
    swing = 0.0
    # By one look at each, the best first: a budget that is too small for a search plays that move.
    for i in range(n):
        move = moves[i]
        ws.values[0, i] = sign * value_of_move(rules, agent, weights, ws, salt, 0, move)
        swing += min(2.0, abs(ws.values[0, i] - now))
    sort_best_first(moves, ws.values[0], n)
    ws.swing[0] = np.int64(2.0 * SCALE * swing / n)
    chosen = moves[0]
    score: Any = np.int64(max(-MOST, min(MOST, SCALE * ws.values[0, 0])))
    for depth in range(1, agent.depth + 1):
        root[DEPTH] = depth
        # From the mover's view.
        best: Any = np.int64(-INFINITE)
        low: Any = np.int64(-INFINITE)
        high: Any = np.int64(INFINITE)
        move_found, finished = -1, True
        if depth > 3 and abs(score) < SURE:
            low, high = score - 300, score + 300
        i = 0
        while i < n:
            copy(state, ws.states[1])
            play(rules, ws.states[1], moves[i])
            ws.nodes[0] += 1
            lower, upper = max(best, low), high
            if i > 0 and best > low:
                upper = best + 1
            value, finished = _ahead(rules, agent, weights, ws, salt, depth - 1, who, lower, upper, limit)
            if finished and i > 0 and value >= upper and upper < high:
                upper = high
                value, finished = _ahead(rules, agent, weights, ws, salt, depth - 1, who, lower, upper, limit)
            if finished and (value >= upper < INFINITE or (i == 0 and value <= low > -INFINITE)):
                # Outside of what was expected: the whole window.
                low, high = np.int64(-INFINITE), np.int64(INFINITE)
                value, finished = _ahead(rules, agent, weights, ws, salt, depth - 1, who, max(best, low), high, limit)
            if not finished:
                break
            if value > best:
                best = value
                move_found = moves[i]
                # To the front, and those before it one place back: the next round begins with it.
                for j in range(i, 0, -1):
                    moves[j] = moves[j - 1]
                moves[0] = move_found
            i += 1
        if move_found >= 0:
            chosen, score = move_found, best
        if not finished or abs(score) > SURE:
            break
    own = score / SCALE if abs(score) < SURE else math.copysign(WIN, score)
    ws.score[0] = chance(own if who == 0 else -own)
    return chosen


@njit
def _ahead(
    rules: Any,
    agent: Any,
    weights: Any,
    ws: Any,
    salt: Any,
    depth: int,
    who: int,
    lower: int,
    upper: int,
    limit: int,
) -> tuple[int, bool]:
    """Return the value of ``ws.states[1]`` and whether it was found, with window and value from the view of ``who``."""
    if who == 0:
        return search(rules, agent, weights, ws, salt, 1, depth, lower, upper, limit)
    value, finished = search(rules, agent, weights, ws, salt, 1, depth, -upper, -lower, limit)
    return -value, finished
