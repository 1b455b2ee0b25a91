"""The players, for every game of the contract: random, greedy, alphabeta, mcts and optimal.

A player is an `Agent` (its numbers), a vector of feature weights, and a `Workspace` that it may scribble on. All values
are from the first seat's view: the first seat maximises, the second minimises, whoever moves how often in a row.
Budgets are depths and simulations, never seconds, so a game depends on nothing but its seed.

Evaluations carry a noise of size ``temperature``, drawn by hashing the position with the game's seed. A search sees
one fixed, slightly different heuristic a game, so pruning stays sound and games differ.
"""

from __future__ import annotations

from typing import Any

from workbench.engine.contract import FIRST, preferred, seat
from workbench.engine.jit import copy, spliced
from workbench.engine.players import ALPHABETA, GREEDY, MCTS, OPTIMAL, RANDOM
from workbench.engine.rng import below, draw, unit
from workbench.engine.search.alphabeta import alphabeta
from workbench.engine.search.evaluation import chance
from workbench.engine.search.greedy import greedy, optimal
from workbench.engine.search.mcts import TREE_CHILD, TREE_MOVE, TREE_PROVEN, TREE_VISITS, mcts
from workbench.engine.solver import look_up, state_word


@spliced
def choose(rules: Any, state: Any, moves: Any, n: int, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any) -> int:
    """The move that an agent plays in ``state``, whose n legal moves are ``moves[:n]``; n is at least 1."""
    if agent.style != 0:
        n = preferred(rules, state, moves, n, agent.style)
    if n == 1:
        return moves[0]
    if agent.kind == RANDOM or (agent.epsilon > 0.0 and unit(draw(rng)) < agent.epsilon):
        return moves[below(rng, n)]
    copy(state, ws.states[0])
    for i in range(n):
        ws.moves[0, i] = moves[i]
    if agent.kind == GREEDY:
        return greedy(rules, agent, weights, ws, salt, rng, n)
    if agent.kind == ALPHABETA:
        return alphabeta(rules, agent, weights, ws, salt, rng, n)
    if agent.kind == OPTIMAL:
        return optimal(rules, ws, rng, n)
    return mcts(rules, agent, weights, ws, salt, rng, n)


@spliced
def judged(rules: Any, state: Any, moves: Any, n: int, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any) -> float:
    """The first seat's expected score, from -1 to 1, of a position with n legal moves, as an agent sees it.

    It is the value of the move that the agent thinks best: from its search (or, for greedy, one look at each move), its
    simulations, or the solution.
    """
    copy(state, ws.states[0])
    for i in range(n):
        ws.moves[0, i] = moves[i]
    if agent.kind == OPTIMAL:
        known = look_up(ws.solution_words, ws.solution_values, state_word(state))
        return 1.0 if known > 0 else -1.0 if known < 0 else 0.0
    if agent.kind == MCTS:
        move = mcts(rules, agent, weights, ws, salt, rng, n)
        child = ws.tree_info[0, TREE_CHILD]
        while ws.tree_info[child, TREE_MOVE] != move:
            child += 1
        proven = ws.tree_info[child, TREE_PROVEN]
        if proven != 0:
            return 1.0 if proven == FIRST else -1.0
        return ws.tree_sums[child] / ws.tree_info[child, TREE_VISITS]
    # Greedy has depth 0: no round of the search is played, and each move keeps the value of one look.
    alphabeta(rules, agent, weights, ws, salt, rng, n)
    best = ws.values[0, 0]
    for i in range(1, n):
        best = max(best, ws.values[0, i])
    return chance(best if seat(rules, state) == 0 else -best)
