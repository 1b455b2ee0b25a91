"""A small network beside learned weights: what it makes of the units of a position, brought up to date by differences.

Every unit is an input twice, once as each seat sees the board: its kind, whether it is the viewer's, and its cell, or a
hand. The sums of the hidden units' weights over the inputs are whole numbers, so that they are the same whatever way
led to a position, on every machine; they are kept in floats, which hold them exactly. Squared, clipped to 0 … 1,
those of the mover and of the other seat are weighed, early and late in the game as learned weights are, and the whole
is added to what these say.

Source: Y. Nasu, "Efficiently updatable neural-network-based evaluation functions for computer shogi", 2018; squared
clipped activations as in the Stockfish engine's networks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.engine.contract import (
    FIRST,
    FOLDS,
    HAND,
    ONGOING,
    SECOND,
    cell_of_unit,
    count_of_unit,
    features,
    key,
    kind_of_unit,
    legal_moves,
    max_moves,
    outcome,
    play,
    repetition,
    seat,
    start,
    state_size,
    surplus_of_unit,
    terminal,
    units,
    without_count,
)
from workbench.engine.jit import copy, inline_ir, njit
from workbench.engine.players import WITH_NET
from workbench.engine.rng import below, mix, unit
from workbench.engine.search.memory import EARLY_PLACES, FULL, LATE, LATE_PLACES, SIZE, slot
from workbench.engine.search.units import HIDDEN, input_count

ONE = 4096.0
"""What a hidden unit's sum of whole numbers is divided by: the sum at which it is fully active, less its bias."""
MARK, BIAS = 0, 1
"""Where the parts of a net begin, after a row of learned weights: a number that no other net has, the bias of each
hidden unit, …"""
EARLY_OWN, EARLY_OTHER, LATE_OWN, LATE_OTHER = (BIAS + HIDDEN * part for part in range(1, 5))
"""… what the mover's hidden units weigh and the other seat's, early and late, in log-odds, …"""
EVEN_EARLY = LATE_OTHER + HIDDEN
EVEN_LATE, INPUTS = EVEN_EARLY + 1, EVEN_EARLY + 2
"""… what the right to move weighs, and a row of whole numbers, one for each hidden unit, of every input."""


def net_size(rules: Any) -> int:
    """Return the numbers of a net, which a row of weights holds after those of learned weights."""
    return INPUTS + HIDDEN * input_count(rules)


@inline_ir
def _add(sums: Any, row: Any, times: float) -> None:
    """Add an input's row to the sums of the hidden units, so many times.

    A loop whose length is known when it is compiled would be unrolled instead of made one of vectors.
    """
    for h in range(sums.shape[0]):
        sums[h] += times * row[h]


@inline_ir
def _settle(ws: Any, weights: Any, inputs: int, word: int) -> None:
    """Add what there are more of a unit now than in the sums, to what both seats see."""
    more = ws.net_surplus[word]
    if more != 0:
        ws.net_surplus[word] = 0
        for viewer in range(2):
            at = inputs + HIDDEN * ws.net_inputs[viewer, word]
            _add(ws.net_sums[viewer], weights[at : at + HIDDEN], np.float64(more))


@inline_ir
def _catch_up(weights: Any, ws: Any, net: int, n: int) -> None:
    """Bring the sums from the units of the position that was asked before to the first n of ``ws.units``."""
    units, held, surplus, inputs = ws.units, ws.net_held, ws.net_surplus, net + INPUTS
    if ws.net_mark[0] != weights[net + MARK]:
        ws.net_mark[0] = weights[net + MARK]
        ws.net_count[0] = 0
        ws.net_sums[:] = 0.0
    # Families write units in one order, so that lists of near positions begin and end alike.
    begin, end, old_end = 0, n, ws.net_count[0]
    while begin < min(end, old_end) and units[begin] == held[begin]:
        begin += 1
    while min(end, old_end) > begin and units[end - 1] == held[old_end - 1]:
        end, old_end = end - 1, old_end - 1
    for i in range(begin, old_end):
        surplus[without_count(held[i])] -= count_of_unit(held[i])
    for i in range(begin, end):
        surplus[without_count(units[i])] += count_of_unit(units[i])
    for i in range(begin, old_end):
        _settle(ws, weights, inputs, without_count(held[i]))
    for i in range(begin, end):
        _settle(ws, weights, inputs, without_count(units[i]))
    for i in range(begin, n):
        held[i] = units[i]
    ws.net_count[0] = n


@inline_ir
def _weigh(sums: Any, bias: Any, early_weights: Any, late_weights: Any, early: float, terms: Any) -> None:
    """What each hidden unit adds to the value, by the sums of one seat."""
    for h in range(sums.shape[0]):
        active = min(1.0, max(0.0, sums[h] / ONE + bias[h]))
        terms[h] = active * active * (early * early_weights[h] + (1.0 - early) * late_weights[h])


@njit
def net_value(rules: Any, state: Any, weights: Any, ws: Any, n: int, early: float) -> float:
    """What the net of a row of weights says of a position for the first seat; its n units are in ``ws.units``."""
    net = ws.layout[SIZE]
    _catch_up(weights, ws, net, n)
    who = seat(rules, state)
    bias = weights[net + BIAS : net + EARLY_OWN]
    own_early, own_late = weights[net + EARLY_OWN : net + EARLY_OTHER], weights[net + LATE_OWN : net + LATE_OTHER]
    other_early, other_late = weights[net + EARLY_OTHER : net + LATE_OWN], weights[net + LATE_OTHER : net + EVEN_EARLY]
    _weigh(ws.net_sums[who], bias, own_early, own_late, early, ws.net_terms[0])
    _weigh(ws.net_sums[1 - who], bias, other_early, other_late, early, ws.net_terms[1])
    total = early * weights[net + EVEN_EARLY] + (1.0 - early) * weights[net + EVEN_LATE]
    for h in range(HIDDEN):
        total += ws.net_terms[0, h]
        total += ws.net_terms[1, h]
    return total if who == 0 else -total


WIN = 1.0e6
"""The value of a won position, less the plies to it; no heuristic comes near."""


@inline_ir
def place_of_unit(ws: Any, word: int) -> int:
    """Return the place in the tables of a unit: its kind's cells, folded as the family says, seen by its owner."""
    return ws.places[without_count(word)]


@inline_ir
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


@inline_ir
def settled(result: int, ply: int) -> float:
    """Return the value of a finished game, ``ply`` plies ahead."""
    if result == FIRST:
        return WIN - ply
    if result == SECOND:
        return ply - WIN
    return 0.0


@inline_ir
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


GAMES, PLIES = 10, 90
"""How many random games are looked at, and how far."""
FEW_KINDS = 6
"""So many kinds are met often enough in these games; for every four further ones there are as many games again."""
EVERY = 3
"""Plies between two positions of a game."""
RIDGE = 1.0
"""What keeps kinds that are never met at 0."""


@njit
def _sample(rules: Any, agent: Any, row: Any, ws: Any, games: int, state: Any, moves: Any, rng: Any, out: Any) -> int:
    """Fill rows of ``out`` with more units of each kind for the first seat, then the heuristic; returns how many."""
    kinds = out.shape[1] - 1
    n = 0
    for _ in range(games):
        start(rules, state)
        for ply in range(PLIES):
            count = legal_moves(rules, state, moves)
            result, _ = outcome(rules, state, count)
            if result != ONGOING:
                break
            play(rules, state, moves[below(rng, count)])
            if ply % EVERY != EVERY - 1:
                continue
            out[n, kinds] = heuristic(rules, state, agent, row, ws)
            for i in range(units(rules, state, ws.units)):
                out[n, kind_of_unit(ws.units[i])] += surplus_of_unit(ws.units[i])
            n += 1
    return n


_KNOWN: dict[Any, Any] = {}
MOST_KNOWN = 200


def known_worth(rules: Any, agent: Any, row: Any, ws: Any) -> Any:
    """`worth_of_units`, found out once for the same rules and weights."""
    asked = (type(rules), *(np.asarray(field).tobytes() for field in rules), row.tobytes())
    if asked not in _KNOWN:
        if len(_KNOWN) >= MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[asked] = worth_of_units(rules, agent, row, ws)
    return _KNOWN[asked]


def worth_of_units(rules: Any, agent: Any, row: Any, ws: Any) -> Any:
    """Return the worth of a unit of each kind, float64: the heuristic's values in random games, regressed on the units.

    Rounded to hundredths of log-odds, so that no difference between machines' arithmetic changes the order of moves.
    """
    kinds = len(FOLDS[type(rules)])
    games = GAMES * (1 + max(0, kinds - FEW_KINDS) // 4)
    rows = np.zeros((games * PLIES // EVERY, kinds + 1))
    state, moves = np.zeros(state_size(rules), np.int64), np.zeros(max_moves(rules), np.int32)
    n = _sample(rules, agent, row, ws, games, state, moves, np.ones(1, np.uint64), rows)
    more, values = rows[:n, :kinds], rows[:n, kinds]
    return np.round(np.linalg.solve(more.T @ more + RIDGE * np.eye(kinds), more.T @ values), 2)
