"""Choice of moves by players of all kinds (`players.SEARCHES`), for every game that implements the contract.

A player is an `Agent`, a row of weights and a `Workspace` as memory. All values are from the first seat's view: the
first seat maximises, the second minimises, however often in a row either moves. Budgets are depths and nodes, never
seconds, so a game depends on its seed only. Evaluations have noise of size ``temperature``, a hash of the position with
the game's seed: a search sees one fixed heuristic per game, so pruning remains sound and games differ.

Each search is a compiled function that finds the position in ``ws.states[0]`` and its n legal moves in ``ws.moves[0]``,
returns a move and writes the first seat's expected score, from -1 to 1, into ``ws.score``. Games call it by address, so
only the kinds in use are compiled.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from workbench.engine import jit
from workbench.engine.contract import FIRST, ONGOING, SECOND, legal_moves, max_moves, outcome, play, preferred
from workbench.engine.jit import DISABLED, copy, inline_ir, inline_source
from workbench.engine.players import RANDOM, SEARCHES, Player
from workbench.engine.rng import below, draw, unit
from workbench.engine.search.evaluation import cached_unit_worth
from workbench.engine.search.memory import LATE, WORTH, make_workspace


def _import_search(function: str) -> Callable[..., int]:
    module, _, name = function.partition(".")
    return getattr(importlib.import_module(f"workbench.engine.search.{module}"), name)


FUNCTIONS: Mapping[int, Callable[..., int]] = {
    kind: _import_search(search.function) for kind, search in SEARCHES.items() if search.function
}
"""The search of each kind of agent but `RANDOM`."""


def prepare_workspace(rules: Any, max_plies: int, *players: Player) -> Any:
    """Return a workspace for the players, with their compiled searches and any player's solution."""
    kinds = {player.agent.kind for player in players} - {RANDOM}
    solution = load_solution(next((player.solution for player in players if player.solution), ""))
    table_nodes = max((player.agent.nodes for player in players if SEARCHES[player.agent.kind].table), default=0)
    # Every searched position is a node of the tree, in addition to the root and its children.
    searched = max((player.agent.nodes for player in players if SEARCHES[player.agent.kind].tree), default=None)
    tree_nodes = 1 if searched is None else searched + max_moves(rules) + 1
    ws = make_workspace(rules, max_plies, tree_nodes, solution, table_nodes)
    if not DISABLED:
        arguments = jit.player_types(*map(jit.typeof, (rules, players[0].agent, ws)))
        for kind in kinds:
            ws.players[kind] = jit.machine_code_address(FUNCTIONS[kind], jit.PLAYER[0], arguments)
    return ws


def weight_rows(rules: Any, ws: Any, *players: Player) -> Any:
    """Return the players' weights for compiled code (`memory.WORTH` and so on): float64, one row per player."""
    rows = np.zeros((len(players), max(ws.layout[LATE], *(len(player.weights) for player in players))))
    for row, player in zip(rows, players, strict=True):
        row[: len(player.weights)] = player.weights
        if SEARCHES[player.agent.kind].worth and not player.agent.learned:
            row[ws.layout[WORTH] : ws.layout[LATE]] = cached_unit_worth(rules, player.agent, row, ws)
    return rows


@functools.lru_cache(maxsize=2)
def load_solution(file: str) -> tuple[Any, Any]:
    """Return the hashes (uint64, sorted) and values (int32) of a solved ruleset; empty arrays without a file."""
    if not file:
        return np.zeros(0, np.uint64), np.zeros(0, np.int32)
    # NumPy does not close a damaged file that it opened itself.
    with open(file, "rb") as stream, np.load(stream) as solution:
        return solution["words"], solution["values"]


def _search_in_python(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    return FUNCTIONS[agent.kind](rules, agent, weights, ws, salt, rng, n)


@inline_ir
def _search_by_address(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    return jit.call_player(ws.players[agent.kind], rules, agent, weights, ws, salt, rng, n)


search = _search_in_python if DISABLED else _search_by_address
"""Return the move chosen by the search of the agent's kind."""


@inline_ir
def plays_randomly(agent: Any, rng: Any) -> bool:
    """Decide whether the agent plays its next move at random."""
    return agent.kind == RANDOM or (agent.epsilon > 0.0 and unit(draw(rng)) < agent.epsilon)


@inline_ir
def _set_root(state: Any, moves: Any, n: int, ws: Any) -> None:
    copy(state, ws.states[0])
    for i in range(n):
        ws.moves[0, i] = moves[i]


@inline_source
def choose(rules: Any, state: Any, moves: Any, n: int, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any) -> int:
    """Return the agent's move in ``state``, whose n >= 1 legal moves are ``moves[:n]``."""
    if agent.style != 0:
        n = preferred(rules, state, moves, n, agent.style)
    if n == 1:
        return moves[0]
    if plays_randomly(agent, rng):
        return moves[below(rng, n)]
    _set_root(state, moves, n, ws)
    return search(rules, agent, weights, ws, salt, rng, n)


@inline_source
def expected_score(
    rules: Any, state: Any, moves: Any, n: int, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any
) -> float:
    """Return the first seat's expected score, from -1 to 1, according to the agent's search.

    A greedy agent uses the value of its best move, an optimal agent that of the solution.
    """
    _set_root(state, moves, n, ws)
    search(rules, agent, weights, ws, salt, rng, n)
    return ws.score[0]


@inline_source
def choose_even(
    rules: Any, state: Any, moves: Any, n: int, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any
) -> int:
    """Return the move that the agent's search considers most even, for use while the opponent may still swap sides.

    Each move is judged by a separate search, as the opponent will judge the position. Ties are broken at random.
    """
    if agent.style != 0:
        n = preferred(rules, state, moves, n, agent.style)
    if n == 1:
        return moves[0]
    if plays_randomly(agent, rng):
        return moves[below(rng, n)]
    smallest_lead, ties, chosen = 2.0, 0, 0
    for i in range(n):
        copy(state, ws.states[0])
        play(rules, ws.states[0], moves[i])
        count = legal_moves(rules, ws.states[0], ws.moves[0])
        result, _ = outcome(rules, ws.states[0], count)
        if result == ONGOING:
            search(rules, agent, weights, ws, salt, rng, count)
            lead = abs(ws.score[0])
        else:
            lead = 1.0 if result in (FIRST, SECOND) else 0.0
        if lead < smallest_lead:
            smallest_lead, ties, chosen = lead, 1, i
        elif lead == smallest_lead:
            ties += 1
            if below(rng, ties) == 0:
                chosen = i
    return moves[chosen]


@inline_source
def wants_to_swap(
    rules: Any, state: Any, moves: Any, n: int, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any
) -> bool:
    """Decide whether the agent takes the first side, which it does if that side's expected score is above one half.

    An agent that plays randomly, or considers the sides even, swaps with probability one half.
    """
    at_random = plays_randomly(agent, rng)
    lead = 0.0 if at_random else expected_score(rules, state, moves, n, agent, weights, ws, salt, rng)
    return below(rng, 2) == 0 if lead == 0.0 else lead > 0.0
