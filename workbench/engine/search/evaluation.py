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
    count_of_unit,
    features,
    key,
    kind_of_unit,
    owner_of_unit,
    play,
    repetition,
    terminal,
    units,
)
from workbench.engine.jit import copy, inlined, njit
from workbench.engine.rng import mix, unit
from workbench.engine.search.memory import EARLY_PLACES, FULL, LATE, LATE_PLACES, NODES, slot

WIN = 1.0e6
"""The value of a won position, less the plies to it; no heuristic comes near."""


@inlined
def earliness(rules: Any, state: Any, weights: Any, ws: Any) -> float:
    """Writes the units of a position to ``ws.units``; returns how early in the game it is, from 0 to 1."""
    n = units(rules, state, ws.units)
    ws.unit_count[0] = n
    on_board = 0
    for i in range(n):
        if cell_of_unit(ws.units[i]) != HAND:
            on_board += 1
    return min(1.0, on_board / weights[ws.layout[FULL]])


@inlined
def place_of_unit(ws: Any, word: int) -> int:
    """The place in the tables of a unit: its kind's cells, folded as the family says, seen by its owner."""
    kind = kind_of_unit(word)
    return ws.unit_places[kind, 0] + ws.folds[ws.unit_places[kind, 1], owner_of_unit(word), cell_of_unit(word)]


@njit
def _learned(rules: Any, state: Any, weights: Any, ws: Any) -> float:
    """What learned weights say of a position; its features are in ``ws.features``."""
    early = earliness(rules, state, weights, ws)
    first, late = 0.0, 0.0
    for i in range(ws.features.shape[0]):
        first += weights[i] * ws.features[i]
        late += weights[ws.layout[LATE] + i] * ws.features[i]
    for i in range(ws.unit_count[0]):
        word = ws.units[i]
        count = count_of_unit(word) if owner_of_unit(word) == 0 else -count_of_unit(word)
        place = place_of_unit(ws, word)
        first += count * weights[ws.layout[EARLY_PLACES] + place]
        late += count * weights[ws.layout[LATE_PLACES] + place]
    return early * first + (1.0 - early) * late


@njit
def heuristic(rules: Any, state: Any, agent: Any, weights: Any, ws: Any) -> float:
    """The heuristic value of a position for the first seat, without noise."""
    features(rules, state, ws.features)
    if agent.learned != 0:
        return _learned(rules, state, weights, ws)
    value = 0.0
    for i in range(ws.features.shape[0]):
        value += weights[i] * ws.features[i]
    return value


@njit
def evaluate(rules: Any, state: Any, agent: Any, weights: Any, ws: Any, salt: Any) -> float:
    """The heuristic value of a position for the first seat, noise included."""
    value = heuristic(rules, state, agent, weights, ws)
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


@inlined
def later_win(value: Any, plies: Any, sure: Any) -> Any:
    """A value, with a forced win (beyond ``sure``) so much later.

    A won game counts its plies from the root of a search, but from the position itself in the transposition table.
    """
    if value > sure:
        return value - plies
    if value < -sure:
        return value + plies
    return value


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
    return evaluate(rules, child, agent, weights, ws, salt)


@njit
def chance(value: float) -> float:
    """The first seat's expected score, from -1 to 1, of an evaluation in log-odds."""
    if value > 30.0:
        return 1.0
    if value < -30.0:
        return -1.0
    return math.tanh(0.5 * value)
