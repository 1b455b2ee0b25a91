"""Fixed-depth players: greedy, optimal (by a solution) and alpha-beta."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.engine import contract
from workbench.engine.jit import copy, inline_source, njit
from workbench.engine.rng import below
from workbench.engine.search import memory
from workbench.engine.search.evaluation import WIN, delay_win, end_value, evaluate, one_ply_value, win_score
from workbench.engine.solver import look_up, packed_word


@njit
def _pick_best(values: Any, n: int, rng: Any) -> int:
    """Return the index of the best of n values; ties are broken at random."""
    ties, chosen = 0, 0
    for i in range(n):
        if i == 0 or values[i] > values[chosen]:
            ties, chosen = 1, i
        elif values[i] == values[chosen]:
            ties += 1
            if below(rng, ties) == 0:
                chosen = i
    return chosen


@njit
def greedy(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    """Return the move whose resulting position has the best heuristic value; ties are broken at random."""
    sign = 1.0 if contract.seat(rules, ws.states[0]) == 0 else -1.0
    for i in range(n):
        ws.values[0, i] = sign * one_ply_value(rules, agent, weights, ws, salt, 0, ws.moves[0, i])
    chosen = _pick_best(ws.values[0], n, rng)
    ws.score[0] = win_score(sign * ws.values[0, chosen])
    return ws.moves[0, chosen]


@njit
def optimal(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    """Return the move to the state that the solution values highest; ties are broken at random."""
    sign = 1 if contract.seat(rules, ws.states[0]) == 0 else -1
    child = ws.states[1]
    for i in range(n):
        copy(ws.states[0], child)
        contract.play(rules, child, ws.moves[0, i])
        contract.pack(rules, child, ws.packed)
        ws.values[0, i] = sign * look_up(ws.solution_words, ws.solution_values, packed_word(ws.packed))
    chosen = _pick_best(ws.values[0], n, rng)
    best = ws.values[0, chosen]
    ws.score[0] = sign if best > 0 else -sign if best < 0 else 0.0
    if best == 0 and contract.counts_positions(rules) and rules.draw_value != contract.DRAW:
        # Neither side can force a win, so the position is repeated, which wins for one side.
        ws.score[0] = 1.0 if rules.draw_value == contract.FIRST else -1.0
    return ws.moves[0, chosen]


DEPTH, COUNT, NEXT, SEAT, BEST_MOVE, OWN, PREFERRED = 0, 1, 2, 3, 4, 5, 6
"""A search frame's integers: remaining depth, number of moves, index of the next move, seat to move, best move so far,
whether all plies up to the next belong to the searcher's turn, and number of remaining moves with positive values."""
ALPHA, BETA, BEST, ALPHA_BEFORE, BETA_BEFORE = 0, 1, 2, 3, 4
"""A search frame's floats: window (now and on entry) and value."""


@inline_source
def _open(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, ply: int) -> bool:
    """Enter the position at ``ply`` and list its moves; return True if its value, in the frame's `BEST`, is final.

    Beyond the depth (`DEPTH` <= 0) only tactical moves are followed, except in the first `OWN_TURN` plies of the
    searcher's own turn.
    """
    state, moves, frame, bounds = ws.states[ply], ws.moves[ply], ws.frames[ply], ws.bounds[ply]
    mover = contract.seat(rules, state)
    frame[OWN] = 1 if ws.frames[ply - 1, OWN] != 0 and mover == ws.frames[0, SEAT] else 0
    if frame[DEPTH] <= 0 and frame[OWN] and ply < memory.OWN_TURN:
        frame[DEPTH] = 1
    depth = frame[DEPTH]
    frame[NEXT] = 0
    frame[SEAT] = mover
    frame[BEST_MOVE] = frame[PREFERRED] = 0
    bounds[ALPHA_BEFORE], bounds[BETA_BEFORE] = bounds[ALPHA], bounds[BETA]
    bounds[BEST] = -math.inf if mover == 0 else math.inf
    # The searcher's first move may end the game by repetition at any depth.
    key = contract.key(rules, state) if depth > 0 or ply == 1 else np.uint64(0)
    if depth > 0 or ply == 1:
        result, _ = contract.repetition(rules, state, memory.occurrences(ws, ply, key))
        if result != contract.ONGOING:
            bounds[BEST] = end_value(result, ply)
            return True
    if depth <= 0:
        n, quiet = contract.tactical_moves(rules, state, moves)
        frame[COUNT] = n
        # Tactical moves are legal, so a legal move must be searched for only if there are none.
        result, _ = contract.outcome(rules, state, n) if n > 0 else contract.terminal(rules, state, moves)
        if result != contract.ONGOING:
            bounds[BEST] = end_value(result, ply)
            return True
        if quiet or depth <= -memory.EXTENSION:
            bounds[BEST] = evaluate(rules, state, agent, weights, ws, salt)
            if n == 0 or depth <= -memory.EXTENSION:
                return True
            if mover == 0:
                bounds[ALPHA] = max(bounds[ALPHA], bounds[BEST])
            else:
                bounds[BETA] = min(bounds[BETA], bounds[BEST])
        return False
    ws.path[ply] = key
    entry = np.int64((key ^ salt) & np.uint64(memory.TABLE - 1))
    table_move = -1
    if ws.table_keys[entry] == key ^ salt:
        info = ws.table_info[entry]
        table_move = info >> 16
        if (info & 255) >= depth:
            value = delay_win(ws.table_values[entry], ply, WIN / 2)
            bound = (info >> 8) & 255
            if (
                bound == memory.EXACT
                or (bound == memory.LOWER and value >= bounds[BETA])
                or (bound == memory.UPPER and value <= bounds[ALPHA])
            ):
                bounds[BEST] = value
                return True
    n = contract.legal_moves(rules, state, moves)
    frame[COUNT] = n
    result, _ = contract.outcome(rules, state, n)
    if result != contract.ONGOING:
        bounds[BEST] = end_value(result, ply)
        return True
    values = ws.values[ply]
    for i in range(n):
        move = moves[i]
        values[i] = ws.history[mover, (move ^ (move >> 5)) & (memory.HISTORY - 1)]
        if move == table_move:
            values[i] = 1e18
        elif move == ws.killers[ply, 0]:
            values[i] = 1e17
        elif move == ws.killers[ply, 1]:
            values[i] = 1e16
        frame[PREFERRED] += 1 if values[i] > 0.0 else 0
    return False


@inline_source
def _close(ws: Any, salt: Any, ply: int) -> None:
    """Leave a position whose moves have been searched, and store its result in the table."""
    frame, bounds = ws.frames[ply], ws.bounds[ply]
    if frame[DEPTH] <= 0:
        return
    best = bounds[BEST]
    bound = memory.EXACT
    if best >= bounds[BETA_BEFORE]:
        bound = memory.LOWER
    elif best <= bounds[ALPHA_BEFORE]:
        bound = memory.UPPER
    key = ws.path[ply] ^ salt
    entry = np.int64(key & np.uint64(memory.TABLE - 1))
    ws.table_keys[entry] = key
    ws.table_values[entry] = delay_win(best, -ply, WIN / 2)
    ws.table_info[entry] = frame[BEST_MOVE] << 16 | bound << 8 | frame[DEPTH]


@inline_source
def _search(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, depth: int, alpha: float, beta: float) -> float:
    """Return the fail-soft alpha-beta value of ``ws.states[1]``, using transposition table, killers and history.

    The search is not recursive: a frame per ply contains its variables.
    """
    ply = 1
    ws.frames[ply, DEPTH] = depth
    ws.bounds[ply, ALPHA], ws.bounds[ply, BETA] = alpha, beta
    entering, is_known = True, False
    while True:
        if entering:
            is_known = _open(rules, agent, weights, ws, salt, ply)
            entering = False
        frame, bounds = ws.frames[ply], ws.bounds[ply]
        i = frame[NEXT]
        if not is_known and i < frame[COUNT] and bounds[ALPHA] < bounds[BETA]:
            if frame[PREFERRED] > 0:  # no value is below 0
                memory.bring_best_forward(ws.moves[ply], ws.values[ply], i, frame[COUNT])
                frame[PREFERRED] -= 1
            frame[NEXT] = i + 1
            ply += 1
            copy(ws.states[ply - 1], ws.states[ply])
            contract.play(rules, ws.states[ply], ws.moves[ply - 1, i])
            ws.nodes[0] += 1
            ws.frames[ply, DEPTH] = frame[DEPTH] - 1
            ws.bounds[ply, ALPHA], ws.bounds[ply, BETA] = bounds[ALPHA], bounds[BETA]
            entering = True
            continue
        if not is_known:
            _close(ws, salt, ply)
        value = bounds[BEST]
        ply -= 1
        if ply == 0:
            return value
        is_known = False
        frame, bounds = ws.frames[ply], ws.bounds[ply]
        mover = frame[SEAT]
        move = ws.moves[ply, frame[NEXT] - 1]
        if (value > bounds[BEST]) if mover == 0 else (value < bounds[BEST]):
            bounds[BEST] = value
            frame[BEST_MOVE] = move
        if mover == 0:
            bounds[ALPHA] = max(bounds[ALPHA], value)
        else:
            bounds[BETA] = min(bounds[BETA], value)
        if bounds[ALPHA] >= bounds[BETA] and frame[DEPTH] > 0:
            if ws.killers[ply, 0] != move:
                ws.killers[ply, 1] = ws.killers[ply, 0]
                ws.killers[ply, 0] = move
            ws.history[mover, (move ^ (move >> 5)) & (memory.HISTORY - 1)] += frame[DEPTH] * frame[DEPTH]


@njit
def alphabeta(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    """Return the best move by iterative deepening; moves are shuffled to break ties at random."""
    state, moves, values = ws.states[0], ws.moves[0], ws.values[0]
    memory.shuffle(moves, n, rng)
    ws.killers[:] = -1
    ws.history[:] = 0
    sign = 1.0 if contract.seat(rules, state) == 0 else -1.0
    ws.frames[0, SEAT], ws.frames[0, OWN] = contract.seat(rules, state), 1
    ws.path[0] = contract.key(rules, state)
    for i in range(n):
        values[i] = sign * one_ply_value(rules, agent, weights, ws, salt, 0, moves[i])
    child = ws.states[1]
    for depth in range(1, agent.depth + 1):
        memory.sort_best_first(moves, values, n)
        if values[0] > WIN / 2:
            break
        if depth == 1 and agent.depth > 1:
            continue
        best = -math.inf
        for i in range(n):
            copy(state, child)
            contract.play(rules, child, moves[i])
            ws.nodes[0] += 1
            lower, upper = (best, math.inf) if sign > 0 else (-math.inf, -best)
            value = sign * _search(rules, agent, weights, ws, salt, depth - 1, lower, upper)
            # The value of a move that is not better than the best is only a bound, which must not tie.
            values[i] = value if value > best else min(value, best) - 1e-9
            best = max(best, value)
    chosen = 0
    for i in range(1, n):
        if values[i] > values[chosen]:
            chosen = i
    ws.score[0] = win_score(sign * values[chosen])
    return moves[chosen]
