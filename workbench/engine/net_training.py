"""The fit of a net: gradients of the cross entropy over positions that were kept, and steps along them (Adam).

What is fitted is a net and the learned weights beside it, which stay near what they were. Everything is summed in one
order and by exact operations alone, the logistic function among them, so that a training gives the same numbers on
every machine.

Source: D. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from workbench.engine.jit import inlined, njit
from workbench.engine.rng import below, draw, unit
from workbench.engine.search.inputs import HIDDEN
from workbench.engine.search.memory import EARLY_PLACES, LATE, LATE_PLACES

LOG2, HIGH, LOW = 1.4426950408889634, 0.693145751953125, 1.4286068203094172e-06
"""1 / ln 2, and ln 2 in two parts, of which the first has few digits."""
TERMS = 12
"""Of the series of the exponential function, within half of ln 2 of 0."""
FIRST_MOMENT, SECOND_MOMENT, TINY = 0.9, 0.999, 1e-8


class Fit(NamedTuple):
    """What is fitted, its gradient, or a moment of it: float32 arrays."""

    inputs: Any
    """Inputs × hidden units."""
    bias: Any
    out: Any
    """(early, late) × (mover, other seat) × hidden units."""
    even: Any
    """Early and late: what the right to move is worth."""
    features: Any
    """Early and late × features."""
    places: Any
    """Early and late × places."""


def no_fit(inputs: int, features: int, places: int) -> Fit:
    """One that is 0 everywhere."""
    shapes = ((inputs, HIDDEN), (HIDDEN,), (2, 2, HIDDEN), (2,), (2, features), (2, places))
    return Fit(*(np.zeros(shape, np.float32) for shape in shapes))


@inlined
def logistic(z: float) -> float:
    """1 / (1 + e^-z), the same on every machine: libraries round the exponential function differently."""
    x = -min(30.0, abs(z))
    k = math.floor(x * LOG2 + 0.5)
    r = x - k * HIGH - k * LOW
    term, power = 1.0, 1.0
    for i in range(1, TERMS + 1):
        term *= r / i
        power += term
    power = math.ldexp(power, int(k))
    return 1.0 / (1.0 + power) if z >= 0.0 else power / (1.0 + power)


@njit
def add_gradients(
    order: Any, mirrors: Any, rows: Any, table: Any, mirrored: Any, target: Any, fit: Any, slope: Any, sums: Any
) -> float:
    """Add the gradients at the rows of ``order`` to ``slope``; returns the sum of squared errors.

    Each row is seen as its place in ``mirrors`` says. With ``slope`` empty only errors are summed. ``sums`` is
    float32, seats × hidden units.
    """
    squares = 0.0
    learn = slope.bias.shape[0] > 0
    one, none = np.float32(1.0), np.float32(0.0)
    for q in range(order.shape[0]):
        r, mirror = order[q], mirrored[mirrors[q]]
        early = rows.early[r]
        late = one - early
        begin, end = rows.begins[r], rows.begins[r + 1]
        who = rows.movers[r]
        value = none
        for i in range(rows.features.shape[1]):
            value += (early * fit.features[0, i] + late * fit.features[1, i]) * rows.features[r, i]
        for viewer in range(2):
            for h in range(HIDDEN):
                sums[viewer, h] = fit.bias[h]
        for u in range(begin, end):
            count = np.float32(rows.counts[u])
            value += count * (early * fit.places[0, rows.places[u]] + late * fit.places[1, rows.places[u]])
            many = abs(count)
            for viewer in range(2):
                row = fit.inputs[mirror[table[viewer, rows.words[u]]]]
                for h in range(HIDDEN):
                    sums[viewer, h] += many * row[h]
        net = early * fit.even[0] + late * fit.even[1]
        for side in range(2):
            seen = sums[who if side == 0 else 1 - who]
            for h in range(HIDDEN):
                x = min(one, max(none, seen[h]))
                net += x * x * (early * fit.out[0, side, h] + late * fit.out[1, side, h])
        sign = one if who == 0 else -one
        error = np.float32(logistic(np.float64(value + sign * net)) - np.float64(target[r]))
        squares += np.float64(error) * np.float64(error)
        if not learn:
            continue
        at_early, at_late = error * early, error * late
        for i in range(rows.features.shape[1]):
            slope.features[0, i] += at_early * rows.features[r, i]
            slope.features[1, i] += at_late * rows.features[r, i]
        slope.even[0] += sign * at_early
        slope.even[1] += sign * at_late
        for side in range(2):
            seen = sums[who if side == 0 else 1 - who]
            for h in range(HIDDEN):
                x = min(one, max(none, seen[h]))
                slope.out[0, side, h] += sign * at_early * x * x
                slope.out[1, side, h] += sign * at_late * x * x
                steep = x + x if seen[h] < one else none
                weight = early * fit.out[0, side, h] + late * fit.out[1, side, h]
                seen[h] = sign * error * steep * weight
                slope.bias[h] += seen[h]
        for u in range(begin, end):
            count = np.float32(rows.counts[u])
            slope.places[0, rows.places[u]] += at_early * count
            slope.places[1, rows.places[u]] += at_late * count
            many = abs(count)
            for viewer in range(2):
                row = slope.inputs[mirror[table[viewer, rows.words[u]]]]
                for h in range(HIDDEN):
                    row[h] += many * sums[viewer, h]
    return squares


@njit
def step(
    weights: Any, slope: Any, first: Any, second: Any, begin: Any, rate: float, decay: float, rows: int, ones: Any
) -> None:
    """A step of Adam along a gradient that was summed over so many rows, which is emptied.

    ``decay`` draws towards ``begin``. ``ones`` are 1 less the powers of the moments' shares. All arrays are flat.
    """
    share, pull, length = np.float32(1.0 / rows), np.float32(decay), np.float32(rate)
    a, b = np.float32(FIRST_MOMENT), np.float32(SECOND_MOMENT)
    one = np.float32(1.0)
    for i in range(weights.shape[0]):
        g = slope[i] * share + pull * (weights[i] - begin[i])
        first[i] = a * first[i] + (one - a) * g
        second[i] = b * second[i] + (one - b) * g * g
        weights[i] -= length * (first[i] / ones[0]) / (np.sqrt(second[i] / ones[1]) + np.float32(TINY))
        slope[i] = np.float32(0.0)


@njit
def fill_uniform(numbers: Any, rng: Any) -> None:
    """Fill an array with random numbers from 0 to 1."""
    for i in range(numbers.shape[0]):
        numbers[i] = unit(draw(rng))


@njit
def shuffle(order: Any, rng: Any) -> None:
    """Bring numbers into a random order."""
    for i in range(order.shape[0] - 1, 0, -1):
        j = below(rng, i + 1)
        order[i], order[j] = order[j], order[i]


def start_fit(row: Any, layout: Any, sizes: Any, inputs: int) -> Fit:
    """The fit that says what learned weights say: features in units of their sizes, and a net that adds nothing."""
    features, places = int(layout[0]), int(layout[LATE_PLACES] - layout[EARLY_PLACES])
    fit = no_fit(inputs, features, places)
    late, early_places, late_places = (int(layout[part]) for part in (LATE, EARLY_PLACES, LATE_PLACES))
    fit.features[0], fit.features[1] = row[:features] * sizes, row[late : late + features] * sizes
    fit.places[0], fit.places[1] = row[early_places:late_places], row[late_places : late_places + places]
    return fit
