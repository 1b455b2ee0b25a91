"""What a heuristic thinks that a unit of each kind is worth, found out by asking it."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.contract import (
    FOLDS,
    MOST_UNITS,
    ONGOING,
    count_of_unit,
    feature_count,
    features,
    kind_of_unit,
    legal_moves,
    max_moves,
    outcome,
    owner_of_unit,
    play,
    start,
    state_size,
    units,
)
from workbench.engine.jit import njit
from workbench.engine.rng import below

GAMES, PLIES = 10, 90
"""How many random games are looked at, and how far."""
EVERY = 3
"""Plies between two positions of a game."""
RIDGE = 1.0
"""What keeps kinds that are never met at 0."""


@njit
def _sample(rules: Any, weights: Any, state: Any, moves: Any, rng: Any, words: Any, seen: Any, out: Any) -> int:
    """Fills rows of ``out`` with more units of each kind for the first seat, then the heuristic; returns how many."""
    kinds = out.shape[1] - 1
    n = 0
    for _ in range(GAMES):
        start(rules, state)
        for ply in range(PLIES):
            count = legal_moves(rules, state, moves)
            result, _ = outcome(rules, state, count)
            if result != ONGOING:
                break
            play(rules, state, moves[below(rng, count)])
            if ply % EVERY != EVERY - 1:
                continue
            features(rules, state, seen)
            value = 0.0
            for i in range(seen.shape[0]):
                value += weights[i] * seen[i]
            for i in range(units(rules, state, words)):
                more = count_of_unit(words[i]) if owner_of_unit(words[i]) == 0 else -count_of_unit(words[i])
                out[n, kind_of_unit(words[i])] += more
            out[n, kinds] = value
            n += 1
    return n


def worth_of_units(rules: Any, weights: tuple[float, ...]) -> Any:
    """The worth of a unit of each kind, float64: the heuristic's values in random games, regressed on the units.

    Rounded to hundredths of log-odds, so that no difference between machines' arithmetic changes the order of moves.
    """
    asked = (type(rules), *(np.asarray(field).tobytes() for field in rules), weights)
    if asked not in _KNOWN:
        _KNOWN[asked] = _regress(rules, np.array(weights, np.float64))
    return _KNOWN[asked]


_KNOWN: dict[Any, Any] = {}


def _regress(rules: Any, weights: Any) -> Any:
    kinds = len(FOLDS[type(rules)])
    rows = np.zeros((GAMES * PLIES // EVERY, kinds + 1))
    n = _sample(
        rules,
        weights,
        np.zeros(state_size(rules), np.int64),
        np.zeros(max_moves(rules), np.int32),
        np.ones(1, np.uint64),
        np.zeros(MOST_UNITS, np.int64),
        np.zeros(feature_count(rules)),
        rows,
    )
    more, values = rows[:n, :kinds], rows[:n, kinds]
    return np.round(np.linalg.solve(more.T @ more + RIDGE * np.eye(kinds), more.T @ values), 2)
