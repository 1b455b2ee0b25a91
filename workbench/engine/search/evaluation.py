"""What a position is worth: to the rules, if it is an end, and to a player's heuristic."""

from __future__ import annotations

import math
from typing import Any

from workbench.engine.contract import FIRST, ONGOING, SECOND, features, key, play, repetition, terminal
from workbench.engine.jit import copy, inlined, njit
from workbench.engine.rng import mix, unit
from workbench.engine.search.memory import NODES, slot

WIN = 1.0e6
"""The value of a won position, less the plies to it; no heuristic comes near."""


@njit
def evaluate(rules: Any, state: Any, agent: Any, weights: Any, seen: Any, salt: Any) -> float:
    """The heuristic value of a position for the first seat, noise included; ``seen`` is room for the features."""
    features(rules, state, seen)
    value = 0.0
    for i in range(weights.shape[0]):
        value += weights[i] * seen[i]
    if agent.temperature > 0.0:
        value += agent.temperature * (2.0 * unit(mix(key(rules, state) ^ salt)) - 1.0)
    return value


@inlined
def settled(result: int, ply: int) -> float:
    """The value of a finished game, ``ply`` plies ahead."""
    if result == FIRST:
        return WIN - ply
    if result == SECOND:
        return ply - WIN
    return 0.0


@njit
def value_of_move(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, ply: int, move: int) -> float:
    """The value of a move by one look at the position after it: won, lost, drawn, or the heuristic's word.

    The position is left at ``ws.states[ply + 1]``.
    """
    child = ws.states[ply + 1]
    copy(ws.states[ply], child)
    play(rules, child, move)
    ws.counters[NODES] += 1
    result, _ = terminal(rules, child, ws.moves[ply + 1])
    if result != ONGOING:
        return settled(result, ply + 1)
    result, _ = repetition(rules, child, 1 + ws.seen_counts[slot(ws, key(rules, child))])
    if result != ONGOING:
        return settled(result, ply + 1)
    return evaluate(rules, child, agent, weights, ws.features, salt)


@njit
def chance(value: float) -> float:
    """The first seat's expected score, from -1 to 1, of an evaluation in log-odds."""
    if value > 30.0:
        return 1.0
    if value < -30.0:
        return -1.0
    return math.tanh(0.5 * value)
