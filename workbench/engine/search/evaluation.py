"""Evaluation of positions: finished games, hand-tuned and learned weights, nets, and the worth of units.

A net is added to learned weights. Every unit is an input twice, once as each seat sees the board: its kind, whether it
is the viewer's, and its cell or the hand. The hidden units' sums over the inputs are updated by differences; they are
whole numbers, so that they do not depend on the order of updates or the machine, in floats that represent them exactly.
The sums of the mover and of the other seat are clipped to 0 … 1, squared and weighted, early and late in the game as
learned weights are.

Source: Y. Nasu, "Efficiently updatable neural-network-based evaluation functions for computer shogi", 2018; squared
clipped activations as in the Stockfish engine's networks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.engine import contract
from workbench.engine.contract import units
from workbench.engine.jit import copy, inline_ir, njit
from workbench.engine.players import WITH_NET
from workbench.engine.rng import below, mix, unit
from workbench.engine.search.memory import EARLY_PLACES, FULL, LATE, LATE_PLACES, SIZE, position_slot
from workbench.engine.search.units import HIDDEN, input_count

WIN = 1.0e6
"""Value of a won position, minus the plies until the win; heuristic values are far smaller."""

# Nets

ONE = 4096.0
"""The sum at which a hidden unit with zero bias is fully active."""
MARK, BIAS = 0, 1
"""The first parts of a net, after a row of learned weights: its unique number and the bias of each hidden unit."""
EARLY_OWN, EARLY_OTHER, LATE_OWN, LATE_OTHER = (BIAS + HIDDEN * part for part in range(1, 5))
"""The next parts: output weights of the mover's and the other seat's hidden units, early and late, in log-odds."""
EVEN_EARLY = LATE_OTHER + HIDDEN
EVEN_LATE, INPUTS = EVEN_EARLY + 1, EVEN_EARLY + 2
"""The last parts: the worth of having the move, and for each input a whole number per hidden unit."""


def net_size(rules: Any) -> int:
    """Return the length of a net, which follows the learned weights in a row."""
    return INPUTS + HIDDEN * input_count(rules)


@inline_ir
def _add(sums: Any, row: Any, factor: float) -> None:
    """Add an input's row, multiplied by ``factor``, to the sums of the hidden units.

    The loop length is unknown at compile time; otherwise LLVM would unroll the loop instead of vectorising it.
    """
    for h in range(sums.shape[0]):
        sums[h] += factor * row[h]


@inline_ir
def _apply_change(ws: Any, weights: Any, inputs: int, word: int) -> None:
    """Apply the change in a unit's count to both seats' sums."""
    change = ws.net_changes[word]
    if change != 0:
        ws.net_changes[word] = 0
        for viewer in range(2):
            start = inputs + HIDDEN * ws.net_inputs[viewer, word]
            _add(ws.net_sums[viewer], weights[start : start + HIDDEN], np.float64(change))


@inline_ir
def _update_sums(weights: Any, ws: Any, net: int, n: int) -> None:
    """Update the sums from the last evaluated position's units to the first n of ``ws.units``."""
    units, previous, changes, inputs = ws.units, ws.net_units, ws.net_changes, net + INPUTS
    if ws.net_mark[0] != weights[net + MARK]:
        ws.net_mark[0] = weights[net + MARK]
        ws.net_count[0] = 0
        ws.net_sums[:] = 0.0
    # Families list units in a fixed order, so lists of similar positions share a prefix and a suffix.
    prefix, end, old_end = 0, n, ws.net_count[0]
    while prefix < min(end, old_end) and units[prefix] == previous[prefix]:
        prefix += 1
    while min(end, old_end) > prefix and units[end - 1] == previous[old_end - 1]:
        end, old_end = end - 1, old_end - 1
    for i in range(prefix, old_end):
        changes[contract.strip_count(previous[i])] -= contract.unit_count(previous[i])
    for i in range(prefix, end):
        changes[contract.strip_count(units[i])] += contract.unit_count(units[i])
    for i in range(prefix, old_end):
        _apply_change(ws, weights, inputs, contract.strip_count(previous[i]))
    for i in range(prefix, end):
        _apply_change(ws, weights, inputs, contract.strip_count(units[i]))
    for i in range(prefix, n):
        previous[i] = units[i]
    ws.net_count[0] = n


@inline_ir
def _compute_terms(sums: Any, bias: Any, early_weights: Any, late_weights: Any, early: float, terms: Any) -> None:
    """Compute each hidden unit's contribution to the value from one seat's sums."""
    for h in range(sums.shape[0]):
        active = min(1.0, max(0.0, sums[h] / ONE + bias[h]))
        terms[h] = active * active * (early * early_weights[h] + (1.0 - early) * late_weights[h])


@njit
def net_value(rules: Any, state: Any, weights: Any, ws: Any, n: int, early: float) -> float:
    """Return a net's value of a position for the first seat; its n units must be in ``ws.units``."""
    net = ws.layout[SIZE]
    _update_sums(weights, ws, net, n)
    mover = contract.seat(rules, state)
    bias = weights[net + BIAS : net + EARLY_OWN]
    own_early, own_late = weights[net + EARLY_OWN : net + EARLY_OTHER], weights[net + LATE_OWN : net + LATE_OTHER]
    other_early, other_late = weights[net + EARLY_OTHER : net + LATE_OWN], weights[net + LATE_OTHER : net + EVEN_EARLY]
    _compute_terms(ws.net_sums[mover], bias, own_early, own_late, early, ws.net_terms[0])
    _compute_terms(ws.net_sums[1 - mover], bias, other_early, other_late, early, ws.net_terms[1])
    total = early * weights[net + EVEN_EARLY] + (1.0 - early) * weights[net + EVEN_LATE]
    for h in range(HIDDEN):
        total += ws.net_terms[0, h]
        total += ws.net_terms[1, h]
    return total if mover == 0 else -total


# Values of positions


@inline_ir
def unit_place(ws: Any, word: int) -> int:
    """Return a unit's place index in learned weights."""
    return ws.places[contract.strip_count(word)]


@inline_ir
def earliness(on_board: int, weights: Any, ws: Any) -> float:
    """Return the interpolation weight of early values, from 0 to 1, with ``on_board`` units on the board."""
    return min(1.0, on_board / weights[ws.layout[FULL]])


@njit
def _learned_value(rules: Any, state: Any, agent: Any, weights: Any, ws: Any) -> float:
    """Return a position's value by learned weights and, if any, the net; its features must be in ``ws.features``."""
    early_sum, late_sum = 0.0, 0.0
    late_features, early_places, late_places = ws.layout[LATE], ws.layout[EARLY_PLACES], ws.layout[LATE_PLACES]
    for i in range(ws.features.shape[0]):
        early_sum += weights[i] * ws.features[i]
        late_sum += weights[late_features + i] * ws.features[i]
    on_board, n = 0, units(rules, state, ws.units)
    for i in range(n):
        word = ws.units[i]
        if contract.unit_cell(word) != contract.HAND:
            on_board += 1
        count, place = contract.signed_count(word), unit_place(ws, word)
        early_sum += count * weights[early_places + place]
        late_sum += count * weights[late_places + place]
    early = earliness(on_board, weights, ws)
    value = early * early_sum + (1.0 - early) * late_sum
    if agent.learned == WITH_NET:
        value += net_value(rules, state, weights, ws, n, early)
    return value


@njit
def heuristic(rules: Any, state: Any, agent: Any, weights: Any, ws: Any) -> float:
    """Return a position's heuristic value for the first seat, without noise."""
    contract.features(rules, state, ws.features)
    if agent.learned != 0:
        return _learned_value(rules, state, agent, weights, ws)
    value = 0.0
    for i in range(ws.features.shape[0]):
        value += weights[i] * ws.features[i]
    return value


@njit
def evaluate(rules: Any, state: Any, agent: Any, weights: Any, ws: Any, salt: Any) -> float:
    """Return a position's heuristic value for the first seat, with noise."""
    value = heuristic(rules, state, agent, weights, ws)
    if agent.temperature > 0.0:
        value += agent.temperature * (2.0 * unit(mix(contract.key(rules, state) ^ salt)) - 1.0)
    return value


@inline_ir
def end_value(result: int, ply: int) -> float:
    """Return the value of a game that ends ``ply`` plies ahead."""
    if result == contract.FIRST:
        return WIN - ply
    if result == contract.SECOND:
        return ply - WIN
    return 0.0


@inline_ir
def delay_win(value: Any, plies: Any, sure: Any) -> Any:
    """Delay the forced win in a value beyond ``sure`` by ``plies``; return other values unchanged.

    Values of wins count plies from the root in a search, but from the position itself in the transposition table.
    """
    if value > sure:
        return value - plies
    if value < -sure:
        return value + plies
    return value


@njit
def one_ply_value(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, ply: int, move: int) -> float:
    """Return the value of the position after a move, and leave that position in ``ws.states[ply + 1]``."""
    child = ws.states[ply + 1]
    copy(ws.states[ply], child)
    contract.play(rules, child, move)
    ws.nodes[0] += 1
    result, _ = contract.terminal(rules, child, ws.moves[ply + 1])
    if result != contract.ONGOING:
        return end_value(result, ply + 1)
    result, _ = contract.repetition(rules, child, 1 + ws.seen_counts[position_slot(ws, contract.key(rules, child))])
    if result != contract.ONGOING:
        return end_value(result, ply + 1)
    return evaluate(rules, child, agent, weights, ws, salt)


@njit
def win_score(value: float) -> float:
    """Return the first seat's expected score, from -1 to 1, for a value in log-odds."""
    if value > 30.0:
        return 1.0
    if value < -30.0:
        return -1.0
    return math.tanh(0.5 * value)


# The worth of units

GAMES, PLIES, INTERVAL = 10, 90, 3
"""Random games, their plies, and the interval of sampled positions."""
FEW_KINDS = 6
"""Number of kinds for which these games suffice. Every four more kinds need as many games again."""
RIDGE = 1.0
"""Penalty, which keeps kinds that never occur at 0."""
MAX_CACHED = 200
_CACHE: dict[Any, Any] = {}


@njit
def _sample(
    rules: Any, agent: Any, weights: Any, ws: Any, games: int, state: Any, moves: Any, rng: Any, out: Any
) -> int:
    """Play random games; fill rows of ``out`` with the balance of each unit kind and the value; return their number."""
    kinds = out.shape[1] - 1
    n = 0
    for _ in range(games):
        contract.start(rules, state)
        for ply in range(PLIES):
            count = contract.legal_moves(rules, state, moves)
            result, _ = contract.outcome(rules, state, count)
            if result != contract.ONGOING:
                break
            contract.play(rules, state, moves[below(rng, count)])
            if ply % INTERVAL != INTERVAL - 1:
                continue
            out[n, kinds] = heuristic(rules, state, agent, weights, ws)
            for i in range(units(rules, state, ws.units)):
                out[n, contract.unit_kind(ws.units[i])] += contract.signed_count(ws.units[i])
            n += 1
    return n


def cached_unit_worth(rules: Any, agent: Any, weights: Any, ws: Any) -> Any:
    """Return `unit_worth`, computed only once per combination of rules and weights."""
    arguments = (type(rules), *(np.asarray(field).tobytes() for field in rules), weights.tobytes())
    if arguments not in _CACHE:
        if len(_CACHE) >= MAX_CACHED:
            _CACHE.clear()
        _CACHE[arguments] = unit_worth(rules, agent, weights, ws)
    return _CACHE[arguments]


def unit_worth(rules: Any, agent: Any, weights: Any, ws: Any) -> Any:
    """Return the worth of each kind of unit (float64) by regressing the heuristic on units in random games.

    Rounded to hundredths of log-odds, so that rounding differences between machines do not change the order of moves.
    """
    kinds = len(contract.FOLDS[type(rules)])
    games = GAMES * (1 + max(0, kinds - FEW_KINDS) // 4)
    rows = np.zeros((games * PLIES // INTERVAL, kinds + 1))
    state, moves = np.zeros(contract.state_size(rules), np.int64), np.zeros(contract.max_moves(rules), np.int32)
    n = _sample(rules, agent, weights, ws, games, state, moves, np.ones(1, np.uint64), rows)
    balance, values = rows[:n, :kinds], rows[:n, kinds]
    return np.round(np.linalg.solve(balance.T @ balance + RIDGE * np.eye(kinds), balance.T @ values), 2)
