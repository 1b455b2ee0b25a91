"""What a search by budget knows of a ply: frames of whole numbers, instead of the variables of a recursion.

Values are whole numbers, thousandths of log-odds, from the first seat's view; a won game is worth `WIN_SCORE` less the
plies to it. A seat may move several times in a row, so neither side's window is ever mirrored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.contract import ONGOING, repetition
from workbench.engine.jit import inlined, njit
from workbench.engine.search.evaluation import evaluate, settled
from workbench.engine.search.memory import HISTORY, occurrences

SCALE = 1000
"""Whole numbers to a unit of log-odds."""
WIN_SCORE = SCALE * 1_000_000
SURE = WIN_SCORE // 2
"""From here on a value is a forced win."""
INFINITE = 2 * WIN_SCORE
MOST = SCALE * 100_000
"""No heuristic's value is greater."""

DEPTH, STAGE, COUNT, NEXT, SEAT, BEST_MOVE, OWN = 0, 1, 2, 3, 4, 5, 6
"""A search frame: depth left, where its moves come from, how many there are, the next to try, who moves, the best so
far, and whether the searcher has made all plies up to here and makes the next."""
ALPHA, BETA, BEST, ALPHA_BEFORE, BETA_BEFORE = 7, 8, 9, 10, 11
"""Its window and its value."""
TABLE_MOVE, TRIED, MOVE, SEARCHED, REDUCED, NARROW, STATIC, KNOWN_STATIC = 12, 13, 14, 15, 16, 17, 18, 19
"""The move of the transposition table, how many tactical moves came before the quiet ones, the move that is searched
now, how many were searched before, by how much less deep, whether with a null window, and what the heuristic says."""
PRUNED = 20
"""Whether moves were left out because they could not matter."""
FROM_TABLE, TACTICAL, ALL, EVERYTHING, FORCING = 0, 1, 2, 3, 4
"""Stages: the move of the table, tactical moves, all others, and in the end only those that must be answered; or all
moves at once, where the position is not quiet."""


@inlined
def value_of_end(result: int, ply: int) -> int:
    """Return the value of a finished game, ``ply`` plies ahead."""
    return np.int64(SCALE * settled(result, ply))


@njit
def static_value(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, ply: int) -> int:
    """What the heuristic says of the position at ``ply``."""
    value = evaluate(rules, ws.states[ply], agent, weights, ws, salt)
    return np.int64(max(-MOST, min(MOST, SCALE * value)))


@inlined
def spot(move: int) -> int:
    """Return the place of a move in the history table."""
    return (move ^ (move >> 5) ^ (move >> 13)) & (HISTORY - 1)


@inlined
def row_of(ws: Any, who: int) -> int:
    """Return the row of the history table of a seat's moves: each searcher keeps its own through the game."""
    return 2 * ws.frames[0, SEAT] + who


@inlined
def repeated(rules: Any, ws: Any, ply: int, word: Any) -> int:
    """Return the result, if the position ends the game by repetition."""
    count = occurrences(ws, ply, word)
    if count == 1:
        return ONGOING
    result, _ = repetition(rules, ws.states[ply], count)
    return result
