"""What a heuristic thinks that a unit of each kind is worth, found out by asking it."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.contract import (
    FOLDS,
    ONGOING,
    kind_of_unit,
    legal_moves,
    max_moves,
    outcome,
    play,
    start,
    state_size,
    surplus_of_unit,
    units,
)
from workbench.engine.jit import njit
from workbench.engine.rng import below
from workbench.engine.search.evaluation import heuristic

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
