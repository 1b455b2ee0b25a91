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

from typing import Any

import numpy as np

from workbench.engine.contract import count_of_unit, seat, without_count
from workbench.engine.jit import inlined, njit
from workbench.engine.search.inputs import HIDDEN, input_count
from workbench.engine.search.memory import SIZE

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


@inlined
def _add(sums: Any, row: Any, times: float) -> None:
    """Add an input's row to the sums of the hidden units, so many times.

    A loop whose length is known when it is compiled would be unrolled instead of made one of vectors.
    """
    for h in range(sums.shape[0]):
        sums[h] += times * row[h]


@inlined
def _settle(ws: Any, weights: Any, inputs: int, word: int) -> None:
    """Add what there are more of a unit now than in the sums, to what both seats see."""
    more = ws.net_surplus[word]
    if more != 0:
        ws.net_surplus[word] = 0
        for viewer in range(2):
            at = inputs + HIDDEN * ws.net_inputs[viewer, word]
            _add(ws.net_sums[viewer], weights[at : at + HIDDEN], np.float64(more))


@inlined
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


@inlined
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
