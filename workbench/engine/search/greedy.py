"""Players that look one ply ahead: greedy by the heuristic, optimal by the solution."""

from __future__ import annotations

import math
from typing import Any

from workbench.engine.contract import DRAW, FIRST, counts_positions, pack, play, seat
from workbench.engine.jit import copy, njit
from workbench.engine.rng import below
from workbench.engine.search.evaluation import chance, value_of_move
from workbench.engine.solver import look_up, packed_word


@njit
def greedy(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    """Return the move after which the heuristic likes the position best; among equals each is equally likely."""
    maximise = seat(rules, ws.states[0]) == 0
    best, ties, chosen = -math.inf, 0, 0
    for i in range(n):
        value = value_of_move(rules, agent, weights, ws, salt, 0, ws.moves[0, i])
        if not maximise:
            value = -value
        if value > best:
            best, ties, chosen = value, 1, i
        elif value == best:
            ties += 1
            if below(rng, ties) == 0:
                chosen = i
    ws.score[0] = chance(best if maximise else -best)
    return ws.moves[0, chosen]


@njit
def optimal(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    """Return the move to the best state for the mover, by the solution's values; among equals each equally likely."""
    sign = 1 if seat(rules, ws.states[0]) == 0 else -1
    best, ties, chosen = -(1 << 40), 0, 0
    child = ws.states[1]
    for i in range(n):
        copy(ws.states[0], child)
        play(rules, child, ws.moves[0, i])
        pack(rules, child, ws.packed)
        value = sign * look_up(ws.solution_words, ws.solution_values, packed_word(ws.packed))
        if value > best:
            best, ties, chosen = value, 1, i
        elif value == best:
            ties += 1
            if below(rng, ties) == 0:
                chosen = i
    ws.score[0] = sign if best > 0 else -sign if best < 0 else 0.0
    if best == 0 and counts_positions(rules) and rules.draw_value != DRAW:
        # Who is not beaten repeats the position, and a draw is won by one side.
        ws.score[0] = 1.0 if rules.draw_value == FIRST else -1.0
    return ws.moves[0, chosen]
