"""The players, for every game of the contract; their kinds are `players.SEARCHES`.

A player is an `Agent` (its numbers), a vector of feature weights, and a `Workspace` that it may scribble on. All values
are from the first seat's view: the first seat maximises, the second minimises, whoever moves how often in a row.
Budgets are depths and nodes, never seconds, so a game depends on nothing but its seed.

Evaluations carry a noise of size ``temperature``, drawn by hashing the position with the game's seed. A search sees
one fixed, slightly different heuristic a game, so pruning stays sound and games differ.

Each kind of player is one compiled function, which finds the position in ``ws.states[0]`` and its n legal moves in
``ws.moves[0]``, returns the move it plays and leaves in ``ws.score`` what it thinks of it: the first seat's expected
score, from -1 to 1. Games call it by its address, so that only the kinds that play are compiled.
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
from workbench.engine.search.evaluation import known_worth
from workbench.engine.search.memory import LATE, WORTH, Workspace, workspace


def _compiled(function: str) -> Callable[..., int]:
    """Return a function of a module of `engine.search`, such as ``greedy.optimal``."""
    module, _, name = function.partition(".")
    return getattr(importlib.import_module(f"workbench.engine.search.{module}"), name)


FUNCTIONS: Mapping[int, Callable[..., int]] = {
    kind: _compiled(search.function) for kind, search in SEARCHES.items() if search.function
}
"""What chooses the moves of each kind; `RANDOM` needs none."""


def memory_of(rules: Any, max_plies: int, *players: Player) -> Workspace:
    """The workspace that some players need, with their machine code and the solution that one of them may play by."""
    kinds = {player.agent.kind for player in players} - {RANDOM}
    solution = load_solution(next((player.solution for player in players if player.solution), ""))
    nodes = max((player.agent.nodes for player in players if SEARCHES[player.agent.kind].table), default=0)
    # A node of a tree is a position that was looked at, but for the root and the moves there.
    grown = max((player.agent.nodes for player in players if SEARCHES[player.agent.kind].tree), default=None)
    tree = 1 if grown is None else grown + int(max_moves(rules)) + 1
    ws = workspace(rules, max_plies, tree, solution, nodes)
    if not DISABLED:
        arguments = jit.player_types(*(jit.typeof(one) for one in (rules, players[0].agent, ws)))
        for kind in kinds:
            ws.players[kind] = jit.address_of(FUNCTIONS[kind], jit.PLAYER[0], arguments)
    return ws


def weight_rows(rules: Any, ws: Workspace, *players: Player) -> Any:
    """The weights of some players as compiled code reads them (`memory.WORTH` …): float64, a row each, equally long."""
    rows = np.zeros((len(players), max(ws.layout[LATE], *(len(player.weights) for player in players))))
    for row, player in zip(rows, players, strict=True):
        row[: len(player.weights)] = player.weights
        if SEARCHES[player.agent.kind].worth and not player.agent.learned:
            row[ws.layout[WORTH] : ws.layout[LATE]] = known_worth(rules, player.agent, row, ws)
    return rows


@functools.lru_cache(maxsize=2)
def load_solution(file: str) -> tuple[Any, Any]:
    """Return the hashes (uint64, sorted) and values (int32) of the states of a solved ruleset; nothing for no file."""
    if not file:
        return np.zeros(0, np.uint64), np.zeros(0, np.int32)
    # NumPy leaves a file open that it opened itself and found damaged.
    with open(file, "rb") as stream, np.load(stream) as solution:
        return solution["words"], solution["values"]


def _ask(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    return FUNCTIONS[agent.kind](rules, agent, weights, ws, salt, rng, n)


@inline_ir
def _ask_by_address(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    return jit.call_player(ws.players[agent.kind], rules, agent, weights, ws, salt, rng, n)


ask = _ask if DISABLED else _ask_by_address
"""The move that the player of the agent's kind chooses."""


@inline_ir
def at_random(agent: Any, rng: Any) -> bool:
    """Return whether an agent chooses this time without looking."""
    return agent.kind == RANDOM or (agent.epsilon > 0.0 and unit(draw(rng)) < agent.epsilon)


@inline_source
def choose(rules: Any, state: Any, moves: Any, n: int, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any) -> int:
    """Return the move that an agent plays in ``state``, whose n legal moves are ``moves[:n]``; n is at least 1."""
    if agent.style != 0:
        n = preferred(rules, state, moves, n, agent.style)
    if n == 1:
        return moves[0]
    if at_random(agent, rng):
        return moves[below(rng, n)]
    copy(state, ws.states[0])
    for i in range(n):
        ws.moves[0, i] = moves[i]
    return ask(rules, agent, weights, ws, salt, rng, n)


@inline_source
def expected_score(
    rules: Any, state: Any, moves: Any, n: int, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any
) -> float:
    """Return the first seat's expected score, from -1 to 1, of a position with n legal moves, as an agent sees it.

    It is the value of the move that the agent thinks best: from its search (or, for greedy, one look at each move), or
    the solution.
    """
    copy(state, ws.states[0])
    for i in range(n):
        ws.moves[0, i] = moves[i]
    ask(rules, agent, weights, ws, salt, rng, n)
    return ws.score[0]


@inline_source
def choose_even(
    rules: Any, state: Any, moves: Any, n: int, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any
) -> int:
    """The move after which an agent thinks the sides most even: what the first player plays who may lose their side.

    Each move is judged as the second player will judge the position, by a search of its own; among equals each is
    equally likely.
    """
    if agent.style != 0:
        n = preferred(rules, state, moves, n, agent.style)
    if n == 1:
        return moves[0]
    if at_random(agent, rng):
        return moves[below(rng, n)]
    least, ties, chosen = 2.0, 0, 0
    for i in range(n):
        copy(state, ws.states[0])
        play(rules, ws.states[0], moves[i])
        count = legal_moves(rules, ws.states[0], ws.moves[0])
        result, _ = outcome(rules, ws.states[0], count)
        if result == ONGOING:
            ask(rules, agent, weights, ws, salt, rng, count)
            lead = abs(ws.score[0])
        else:
            lead = 1.0 if result in (FIRST, SECOND) else 0.0
        if lead < least:
            least, ties, chosen = lead, 1, i
        elif lead == least:
            ties += 1
            if below(rng, ties) == 0:
                chosen = i
    return moves[chosen]


@inline_source
def wants_to_swap(
    rules: Any, state: Any, moves: Any, n: int, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any
) -> bool:
    """Return whether an agent takes the first side, which it does where it expects more than half of the points for it.

    Of sides that it thinks even, and at random, it takes either as often.
    """
    lead = 0.0 if at_random(agent, rng) else expected_score(rules, state, moves, n, agent, weights, ws, salt, rng)
    return below(rng, 2) == 0 if lead == 0.0 else lead > 0.0
