"""Best-first minimax with completion, which extends the line that both sides would most likely choose.

The tree is stored. At each step the leaf that is most likely to be reached, if both sides prefer better values, gets
all its moves, each with a one-ply value; minimax values are backed up to the root, together with proven results: a won,
lost or drawn position is never searched again. A value is trusted only after `principal` has followed the tactical
moves to a quiet position. A one-ply value is usually too good for the mover, because the opponent has yet to answer, so
only the best child is followed (if it turns out worse, the next best), and positions that are not quiet.

Sources: R. E. Korf and D. M. Chickering, "Best-First Minimax Search", 1996 (the order, and why values of leaves with
one side to move must be made comparable with those of the other); Q. Cohen-Solal, "Learning to Play Two-Player
Perfect-Information Games without Knowledge", 2020, and "Completeness of Unbounded Best-First Minimax and Descent
Minimax", 2021 (completion); R. L. Rivest, "Game Tree Searching by Min/Max Approximation", 1987 (somewhat worse moves
are searched, too, but later).

Values are those of `principal`: whole numbers, from the first seat's view. A seat may move several times in a row, so
the seat to move is a property of each position.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.engine import contract
from workbench.engine.jit import copy, njit
from workbench.engine.players import DEEPEST
from workbench.engine.search.evaluation import WIN, win_score
from workbench.engine.search.memory import shuffle
from workbench.engine.search.principal import (
    INFINITE,
    OWN,
    SCALE,
    SEAT,
    SURE,
    integer_end_value,
    repetition_result,
    search,
    static_value,
)

CHILD, CHILDREN, MOVE, PROVEN, EXACT, FAVOURITE, TURN = 0, 1, 2, 3, 4, 5, 6
"""A node's integers: index of its first child, number of children, move to it, proven result (or `CLOSED`), whether its
value is more than a one-ply value (or `UNKNOWN`), child on the way to the likeliest open leaf, and the seat to move at
the leaf that determines its value: 1 the first, -1 the second, 0 none."""
CLOSED = 4
"""Unproven, but all lines have the maximum length or are proven."""
UNKNOWN = -1
"""The one-ply value is meaningless because of a check or a forced capture, or because the mover moves again."""
VALUE, REACH = 0, 1
"""A node's floats: the minimax value (whole), and the probability of its likeliest open leaf."""
REPLIES, GAIN = 0, 1
"""Statistics of a search: leaves of one side's turn replaced by leaves of the other's, and the mover's total gain."""
LARGEST_GAIN = 2.0 * SCALE
"""Maximum counted gain, since a mate says little about other moves."""
SPREAD = 0.2 * SCALE
"""Difference in value at which a move is about a third as likely as the best."""
FADE = 0.9
"""Factor of the probability per ply."""
DOUBT = 4.0
"""Prior number of replies without gain."""
CHASES = 8
"""Minimum number of moves whose tactical moves can be followed within the budget, which a single chase of jumps and
checks on a large board could otherwise use up."""
LONGEST = DEEPEST - 2
"""Maximum length of a line in plies."""


@njit
def _add_children(
    rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, node: int, ply: int, used: int, n: int
) -> int:
    """Add a child with a one-ply value for each move of the node at ``ply``; return the number of nodes in use."""
    state, after, moves = ws.states[ply], ws.states[ply + 1], ws.moves[ply]
    ws.tree_info[node, CHILD], ws.tree_info[node, CHILDREN] = used, n
    turn = 1 if contract.seat(rules, state) == 0 else -1
    for i in range(n):
        child = used + i
        copy(state, after)
        contract.play(rules, after, moves[i])
        ws.nodes[0] += 1
        result, _ = contract.terminal(rules, after, ws.moves[ply + 1])
        if result == contract.ONGOING and contract.counts_positions(rules):
            result = repetition_result(rules, ws, ply + 1, contract.key(rules, after))
        info, values = ws.tree_info[child], ws.tree_values[child]
        info[:] = 0
        info[MOVE], info[PROVEN] = moves[i], result
        values[REACH] = 1.0
        if result != contract.ONGOING:
            info[EXACT] = 1
            values[VALUE] = integer_end_value(result, ply + 1)
        else:
            info[TURN] = 1 if contract.seat(rules, after) == 0 else -1
            values[VALUE] = static_value(rules, agent, weights, ws, salt, ply + 1)
            quiet = False
            if info[TURN] != turn:
                _, quiet = contract.tactical_moves(rules, after, ws.moves[ply + 1])
            info[EXACT] = 0 if quiet else UNKNOWN
    return used + n


@njit
def _follow_tactics(
    rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, ply: int, child: int, mover: int, bound: int, limit: int
) -> bool:
    """Follow the tactical moves after a move at ``ply``; return False if the budget is spent.

    A value of at most ``bound`` for the mover is only an upper bound and is not marked as `EXACT`.
    """
    info, values = ws.tree_info[child], ws.tree_values[child]
    copy(ws.states[ply], ws.states[ply + 1])
    contract.play(rules, ws.states[ply + 1], info[MOVE])
    ws.frames[ply, OWN] = 0
    low: Any = np.int64(bound if mover == 0 else -INFINITE)
    high: Any = np.int64(INFINITE if mover == 0 else -bound)
    stop = min(limit, ws.nodes[0] + agent.nodes // CHASES)
    value, finished = search(rules, agent, weights, ws, salt, ply + 1, 0, low, high, stop)
    if not finished:
        info[EXACT] = 1
        return ws.nodes[0] < limit
    own = value if mover == 0 else -value
    values[VALUE] = value
    info[EXACT] = 1 if own > bound or own < -SURE else 0
    if info[EXACT] != 0 and abs(value) > SURE:
        info[PROVEN] = contract.FIRST if value > 0 else contract.SECOND
        info[TURN] = 0
    return True


@njit
def _initiative(ws: Any) -> int:
    """Return the worth of having the move: half of the mover's mean gain."""
    return np.int64(0.5 * ws.trend[GAIN] / (ws.trend[REPLIES] + DOUBT))


@njit
def _back_up(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, node: int, ply: int, limit: int) -> bool:
    """Update the node at ``ply`` from its children; return False if the budget is spent."""
    values, info = ws.tree_values, ws.tree_info
    mover = contract.seat(rules, ws.states[ply])
    sign = 1 if mover == 0 else -1
    first: Any = np.int64(info[node, CHILD])
    last = first + info[node, CHILDREN]
    initiative = _initiative(ws)
    # The initiative makes leaves with either side to move comparable.
    while True:
        best: Any = np.int64(-INFINITE)
        bound: Any = np.int64(-INFINITE)
        chosen = first
        for child in range(first, last):
            value = sign * (np.int64(values[child, VALUE]) + initiative * info[child, TURN])
            exact = info[child, EXACT]
            if exact > 0:
                bound = max(bound, value)
            if exact == UNKNOWN:
                chosen = child
                break
            if value > best or (value == best and exact > info[chosen, EXACT]):
                best, chosen = value, child
        if info[chosen, EXACT] > 0:
            break
        plain_bound = max(bound - sign * initiative * info[chosen, TURN], -INFINITE)
        if not _follow_tactics(rules, agent, weights, ws, salt, ply, chosen, mover, plain_bound, limit):
            return False
    total, largest_reach, favourite, closed = 0.0, 0.0, -1, False
    for child in range(first, last):
        value = sign * (np.int64(values[child, VALUE]) + initiative * info[child, TURN])
        deficit = min((best - value) / SPREAD, 1e4)
        # Decreases like an exponential at first, then more slowly; uses sums and products only.
        likelihood = 1.0 / (1.0 + deficit * (1.0 + deficit * (0.5 + deficit / 6.0)))
        total += likelihood
        if info[child, PROVEN] == 0:
            if likelihood * values[child, REACH] > largest_reach:
                largest_reach, favourite = likelihood * values[child, REACH], child
        elif info[child, PROVEN] == CLOSED:
            closed = True
    values[node, VALUE], values[node, REACH] = values[chosen, VALUE], FADE * largest_reach / total
    info[node, EXACT], info[node, TURN], info[node, FAVOURITE] = 1, info[chosen, TURN], favourite
    win = contract.FIRST if mover == 0 else contract.SECOND
    if info[chosen, PROVEN] == win:
        info[node, PROVEN] = win
    elif favourite < 0:
        info[node, PROVEN] = CLOSED if closed else info[chosen, PROVEN]
    return True


@njit
def best_first(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    """Return the move with the best minimax value once the budget is spent; ties are broken at random."""
    values, info = ws.tree_values, ws.tree_info
    shuffle(ws.moves[0], n, rng)
    ws.killers[:] = -1
    ws.history[:] = 0
    ws.trend[:] = 0.0
    mover = contract.seat(rules, ws.states[0])
    ws.frames[0, SEAT] = mover
    # Part of the budget is reserved for the final check of the best moves.
    reserve = min(2 * n, agent.nodes // 4)
    limit: Any = ws.nodes[0] + agent.nodes - reserve
    # 64-bit constants, so that functions of a node or a ply are compiled for one type.
    root_ply: Any = np.int64(0)
    root: Any = np.int64(0)
    info[root, :] = 0
    values[root, VALUE] = static_value(rules, agent, weights, ws, salt, root_ply)
    used = _add_children(rules, agent, weights, ws, salt, root, root_ply, root + 1, n)
    swing: Any = np.int64(0)
    for child in range(root + 1, used):
        swing += min(2 * SCALE, abs(np.int64(values[child, VALUE]) - np.int64(values[root, VALUE])))
    ws.swing[0] = 2 * swing // n
    within_budget = _back_up(rules, agent, weights, ws, salt, root, root_ply, limit)
    while within_budget and info[root, PROVEN] == 0:
        node, ply = root, root_ply
        ws.line[0] = node
        while info[node, CHILDREN] > 0:
            node = np.int64(info[node, FAVOURITE])
            copy(ws.states[ply], ws.states[ply + 1])
            ply += 1
            contract.play(rules, ws.states[ply], info[node, MOVE])
            ws.line[ply] = node
            if contract.counts_positions(rules):
                ws.path[ply] = contract.key(rules, ws.states[ply])
        if ply >= LONGEST:
            info[node, PROVEN] = CLOSED
        else:
            count = contract.legal_moves(rules, ws.states[ply], ws.moves[ply])
            if ws.nodes[0] + count > limit:
                break
            old_value, turn = values[node, VALUE], info[node, TURN] * max(0, info[node, EXACT])
            used = _add_children(rules, agent, weights, ws, salt, node, ply, used, count)
            within_budget = _back_up(rules, agent, weights, ws, salt, node, ply, limit)
            if within_budget and turn * info[node, TURN] == -1:
                ws.trend[REPLIES] += 1.0
                ws.trend[GAIN] += max(-LARGEST_GAIN, min(LARGEST_GAIN, turn * (values[node, VALUE] - old_value)))
        while within_budget and ply > 0:
            ply -= 1
            within_budget = _back_up(rules, agent, weights, ws, salt, ws.line[ply], ply, limit)
    # A move is played only after its answers have been searched, since one of them may win at once.
    limit += reserve
    chosen = _best_child(ws, root, mover)
    while info[chosen, PROVEN] == 0 and info[chosen, CHILDREN] == 0:
        copy(ws.states[0], ws.states[1])
        contract.play(rules, ws.states[1], info[chosen, MOVE])
        if contract.counts_positions(rules):
            ws.path[1] = contract.key(rules, ws.states[1])
        count = contract.legal_moves(rules, ws.states[1], ws.moves[1])
        if ws.nodes[0] + count > limit:
            break
        used = _add_children(rules, agent, weights, ws, salt, chosen, root_ply + 1, used, count)
        if not _back_up(rules, agent, weights, ws, salt, chosen, root_ply + 1, limit):
            break
        if not _back_up(rules, agent, weights, ws, salt, root, root_ply, limit):
            break
        chosen = _best_child(ws, root, mover)
    if info[chosen, PROVEN] == 0 and info[chosen, CHILDREN] == 0:
        chosen = _best_answered(ws, root, mover, chosen)
    value = values[chosen, VALUE]
    ws.score[0] = win_score(value / SCALE if abs(value) < SURE else math.copysign(WIN, value))
    return info[chosen, MOVE]


@njit
def _best_child(ws: Any, node: int, mover: int) -> int:
    """Return the best child for the mover, excluding inexact values if the node's value is exact."""
    values, info = ws.tree_values, ws.tree_info
    first: Any = np.int64(info[node, CHILD])
    initiative = _initiative(ws)
    best, chosen = -math.inf, first
    for child in range(first, first + info[node, CHILDREN]):
        value = values[child, VALUE] + initiative * info[child, TURN]
        value = value if mover == 0 else -value
        if value > best and info[child, EXACT] >= info[node, EXACT]:
            best, chosen = value, child
    return chosen


@njit
def _best_answered(ws: Any, node: int, mover: int, fallback: int) -> int:
    """Return the best child whose answers have been searched, or ``fallback`` if all lose."""
    values, info = ws.tree_values, ws.tree_info
    best, chosen = -SURE, fallback
    first: Any = np.int64(info[node, CHILD])
    for child in range(first, first + info[node, CHILDREN]):
        value = values[child, VALUE] if mover == 0 else -values[child, VALUE]
        if value > best and (info[child, CHILDREN] > 0 or info[child, PROVEN] != 0):
            best, chosen = value, child
    return chosen
