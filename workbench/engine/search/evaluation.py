"""What a position is worth: to the rules, if it is an end, and to a player's heuristic."""

from __future__ import annotations

import math
from typing import Any

from workbench.engine.contract import (
    FIRST,
    HAND,
    ONGOING,
    SECOND,
    cell_of_unit,
    features,
    key,
    play,
    repetition,
    surplus_of_unit,
    terminal,
    units,
    without_count,
)
from workbench.engine.jit import copy, inlined, njit
from workbench.engine.players import WITH_NET
from workbench.engine.rng import mix, unit
from workbench.engine.search.memory import EARLY_PLACES, FULL, LATE, LATE_PLACES, slot
from workbench.engine.search.nets import net_value

WIN = 1.0e6
"""The value of a won position, less the plies to it; no heuristic comes near."""


@inlined
def place_of_unit(ws: Any, word: int) -> int:
    """Return the place in the tables of a unit: its kind's cells, folded as the family says, seen by its owner."""
    return ws.places[without_count(word)]


@inlined
def earliness(on_board: int, weights: Any, ws: Any) -> float:
    """How early it is in a game with so many units on the board, from 0 to 1."""
    return min(1.0, on_board / weights[ws.layout[FULL]])


@njit
def _learned(rules: Any, state: Any, agent: Any, weights: Any, ws: Any) -> float:
    """What learned weights say of a position, and a net beside them; its features are in ``ws.features``."""
    first, late = 0.0, 0.0
    late_features, early_places, late_places = ws.layout[LATE], ws.layout[EARLY_PLACES], ws.layout[LATE_PLACES]
    for i in range(ws.features.shape[0]):
        first += weights[i] * ws.features[i]
        late += weights[late_features + i] * ws.features[i]
    on_board, n = 0, units(rules, state, ws.units)
    for i in range(n):
        word = ws.units[i]
        if cell_of_unit(word) != HAND:
            on_board += 1
        count, place = surplus_of_unit(word), place_of_unit(ws, word)
        first += count * weights[early_places + place]
        late += count * weights[late_places + place]
    early = earliness(on_board, weights, ws)
    value = early * first + (1.0 - early) * late
    if agent.learned == WITH_NET:
        value += net_value(rules, state, weights, ws, n, early)
    return value


@njit
def heuristic(rules: Any, state: Any, agent: Any, weights: Any, ws: Any) -> float:
    """Return the heuristic value of a position for the first seat, without noise."""
    features(rules, state, ws.features)
    if agent.learned != 0:
        return _learned(rules, state, agent, weights, ws)
    value = 0.0
    for i in range(ws.features.shape[0]):
        value += weights[i] * ws.features[i]
    return value


@njit
def evaluate(rules: Any, state: Any, agent: Any, weights: Any, ws: Any, salt: Any) -> float:
    """Return the heuristic value of a position for the first seat, noise included."""
    value = heuristic(rules, state, agent, weights, ws)
    if agent.temperature > 0.0:
        value += agent.temperature * (2.0 * unit(mix(key(rules, state) ^ salt)) - 1.0)
    return value


@inlined
def settled(result: int, ply: int) -> float:
    """Return the value of a finished game, ``ply`` plies ahead."""
    if result == FIRST:
        return WIN - ply
    if result == SECOND:
        return ply - WIN
    return 0.0


@inlined
def later_win(value: Any, plies: Any, sure: Any) -> Any:
    """Return a value, with a forced win (beyond ``sure``) so much later.

    A won game counts its plies from the root of a search, but from the position itself in the transposition table.
    """
    if value > sure:
        return value - plies
    if value < -sure:
        return value + plies
    return value


@njit
def value_of_move(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, ply: int, move: int) -> float:
    """Return the value of a move by one look at the position after it: won, lost, drawn, or the heuristic's word.

    The position is left at ``ws.states[ply + 1]``.
    """
    child = ws.states[ply + 1]
    copy(ws.states[ply], child)
    play(rules, child, move)
    ws.nodes[0] += 1
    result, _ = terminal(rules, child, ws.moves[ply + 1])
    if result != ONGOING:
        return settled(result, ply + 1)
    result, _ = repetition(rules, child, 1 + ws.seen_counts[slot(ws, key(rules, child))])
    if result != ONGOING:
        return settled(result, ply + 1)
    return evaluate(rules, child, agent, weights, ws, salt)


@njit
def chance(value: float) -> float:
    """Return the first seat's expected score, from -1 to 1, of an evaluation in log-odds."""
    if value > 30.0:
        return 1.0
    if value < -30.0:
        return -1.0
    return math.tanh(0.5 * value)
