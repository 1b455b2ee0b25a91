"""Monte Carlo tree search."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.engine.contract import FIRST, ONGOING, SECOND, legal_moves, outcome, play, seat, terminal
from workbench.engine.jit import copy, njit, scratch, spliced
from workbench.engine.rng import below
from workbench.engine.search.evaluation import WIN, chance, evaluate, settled, value_of_move
from workbench.engine.search.memory import SIMULATIONS, STACK

TREE_VISITS, TREE_CHILD, TREE_CHILDREN, TREE_MOVE, TREE_PROVEN = 0, 1, 2, 3, 4
"""A node's integers: visits, its first child, how many there are, the move that leads to it, and who wins for sure."""


@njit
def _grow(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, node: int, used: int) -> int:
    """Gives a node its children, each with the value of one look at it; returns the nodes in use.

    A child that wins for the mover proves the node.
    """
    state = ws.states[0]
    moves = ws.moves[0]
    n = legal_moves(rules, state, moves)
    if used + n > ws.tree_sums.shape[0]:
        return used
    ws.tree_info[node, TREE_CHILD] = used
    ws.tree_info[node, TREE_CHILDREN] = n
    for i in range(n):
        value = value_of_move(rules, agent, weights, ws, salt, 0, moves[i])
        child = used + i
        ws.tree_info[child, TREE_VISITS] = 1
        ws.tree_info[child, TREE_CHILD] = 0
        ws.tree_info[child, TREE_CHILDREN] = 0
        ws.tree_info[child, TREE_MOVE] = moves[i]
        ws.tree_info[child, TREE_PROVEN] = 0
        if value > WIN / 2:
            ws.tree_info[child, TREE_PROVEN] = FIRST
        elif value < -WIN / 2:
            ws.tree_info[child, TREE_PROVEN] = SECOND
        ws.tree_sums[child] = chance(value)
    return used + n


@njit
def _prove(ws: Any, node: int, who: int) -> None:
    """Marks a node whose mover has a winning child, or only losing ones."""
    first, n = ws.tree_info[node, TREE_CHILD], ws.tree_info[node, TREE_CHILDREN]
    mine = FIRST if who == 0 else SECOND
    all_lost = n > 0
    for child in range(first, first + n):
        proven = ws.tree_info[child, TREE_PROVEN]
        if proven == mine:
            ws.tree_info[node, TREE_PROVEN] = mine
            return
        if proven == 0:
            all_lost = False
    if all_lost:
        ws.tree_info[node, TREE_PROVEN] = FIRST + SECOND - mine


@njit
def _select(ws: Any, node: int, who: int, exploration: float) -> int:
    """The child to visit next by UCT; children that are proven lost for the mover come last."""
    # As an int of the full length, so that what takes a node is compiled for one type, and for no literal number.
    first: Any = np.int64(ws.tree_info[node, TREE_CHILD])
    n = ws.tree_info[node, TREE_CHILDREN]
    log = math.log(ws.tree_info[node, TREE_VISITS] + 1.0)
    mine = FIRST if who == 0 else SECOND
    best, chosen = -math.inf, first
    for child in range(first, first + n):
        visits = ws.tree_info[child, TREE_VISITS]
        mean = ws.tree_sums[child] / visits
        value = (mean if who == 0 else -mean) + exploration * math.sqrt(log / visits)
        proven = ws.tree_info[child, TREE_PROVEN]
        if proven == mine:
            value += 100.0
        elif proven != 0:
            value -= 100.0
        if value > best:
            best, chosen = value, child
    return chosen


@spliced
def _rollout(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any) -> float:
    """The expected score after some random plies from ``ws.states[0]``, judged there by the heuristic."""
    state = ws.states[0]
    for _ in range(agent.rollout):
        n = legal_moves(rules, state, ws.moves[0])
        result, _ = outcome(rules, state, n)
        if result != ONGOING:
            return chance(settled(result, 0))
        play(rules, state, ws.moves[0, below(rng, n)])
    result, _ = terminal(rules, state, ws.moves[0])
    if result != ONGOING:
        return chance(settled(result, 0))
    return chance(evaluate(rules, state, agent, weights, ws, salt))


@njit
def _most_visited(ws: Any, who: int) -> int:
    """The child of the root that was visited most; proven wins come first, proven losses last."""
    mine = FIRST if who == 0 else SECOND
    best, chosen = -math.inf, 0
    first = ws.tree_info[0, TREE_CHILD]
    for child in range(first, first + ws.tree_info[0, TREE_CHILDREN]):
        visits = ws.tree_info[child, TREE_VISITS]
        mean = ws.tree_sums[child] / visits
        value = visits + 0.5 * (mean if who == 0 else -mean)
        proven = ws.tree_info[child, TREE_PROVEN]
        if proven == mine:
            value += 1e9
        elif proven != 0:
            value -= 1e9
        if value > best:
            best, chosen = value, child
    return chosen


@njit
def mcts(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    """UCT (Kocsis and Szepesvari 2006) with one-look values for new children and proven wins and losses.

    The root position is kept at ``ws.states[STACK - 1]``; ``ws.states[0]`` walks down the tree.
    """
    root = ws.states[STACK - 1]
    copy(ws.states[0], root)
    ws.tree_info[0, :] = 0
    ws.tree_sums[0] = 0.0
    # As ints of the full length, for the same reason.
    top: Any = np.int64(0)
    used = _grow(rules, agent, weights, ws, salt, top, top + 1)
    line = scratch(256)
    _prove(ws, 0, seat(rules, root))
    for _ in range(agent.simulations):
        if ws.tree_info[0, TREE_PROVEN] != 0:
            break
        ws.counters[SIMULATIONS] += 1
        state = ws.states[0]
        copy(root, state)
        node, length = 0, 0
        while ws.tree_info[node, TREE_CHILDREN] > 0 and ws.tree_info[node, TREE_PROVEN] == 0 and length < 250:
            line[length] = node
            length += 1
            node = _select(ws, node, seat(rules, state), agent.exploration)
            play(rules, state, ws.tree_info[node, TREE_MOVE])
        proven = ws.tree_info[node, TREE_PROVEN]
        if proven == 0 and ws.tree_info[node, TREE_VISITS] >= 2 and ws.tree_info[node, TREE_CHILDREN] == 0:
            result, _ = terminal(rules, state, ws.moves[0])
            if result == ONGOING:
                used = _grow(rules, agent, weights, ws, salt, node, used)
                _prove(ws, node, seat(rules, state))
                proven = ws.tree_info[node, TREE_PROVEN]
        if proven != 0:
            value = 1.0 if proven == FIRST else -1.0
        else:
            value = _rollout(rules, agent, weights, ws, salt, rng)
        line[length] = node
        for i in range(length, -1, -1):
            ws.tree_info[line[i], TREE_VISITS] += 1
            ws.tree_sums[line[i]] += value
        # Proofs climb as far as they hold.
        if proven != 0:
            for i in range(length - 1, -1, -1):
                if ws.tree_info[line[i], TREE_PROVEN] != 0:
                    continue
                copy(root, state)
                for j in range(1, i + 1):
                    play(rules, state, ws.tree_info[line[j], TREE_MOVE])
                _prove(ws, line[i], seat(rules, state))
                if ws.tree_info[line[i], TREE_PROVEN] == 0:
                    break
    who = seat(rules, root)
    chosen = _most_visited(ws, who)
    # A move that was hardly looked at may still allow a win in one: look once more, and take the next best if so.
    while ws.tree_info[chosen, TREE_PROVEN] == 0 and ws.tree_info[chosen, TREE_CHILDREN] == 0:
        copy(root, ws.states[0])
        play(rules, ws.states[0], ws.tree_info[chosen, TREE_MOVE])
        result, _ = terminal(rules, ws.states[0], ws.moves[0])
        if result != ONGOING:
            break
        before = used
        used = _grow(rules, agent, weights, ws, salt, chosen, used)
        if used == before:
            break
        _prove(ws, chosen, seat(rules, ws.states[0]))
        chosen = _most_visited(ws, who)
    copy(root, ws.states[0])
    proven = ws.tree_info[chosen, TREE_PROVEN]
    if proven != 0:
        ws.score[0] = 1.0 if proven == FIRST else -1.0
    else:
        ws.score[0] = ws.tree_sums[chosen] / ws.tree_info[chosen, TREE_VISITS]
    return ws.tree_info[chosen, TREE_MOVE]
