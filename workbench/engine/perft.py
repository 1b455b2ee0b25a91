"""Counting move sequences: the classic proof that a kernel knows its rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.contract import ONGOING, count_moves, legal_moves, max_moves, outcome, play, state_size
from workbench.engine.jit import copy, njit


def perft(rules: Any, state: Any, depth: int) -> int:
    """Return the number of sequences of ``depth`` legal moves from ``state``; the last ply is counted, not played.

    A finished game has no continuation. Repetition is not looked at: it belongs to a game, not to a position.
    """
    if depth <= 0:
        return 1
    states = np.zeros((depth, state_size(rules)), np.int64)
    states[0] = state
    moves = np.zeros((depth, max_moves(rules)), np.int32)
    return int(_count(rules, states, moves, np.zeros(depth, np.int64)))


@njit
def _count(rules: Any, states: Any, moves: Any, left: Any) -> int:
    depth = left.shape[0]
    total = 0
    ply = 0
    entering = True
    while ply >= 0:
        if entering:
            if ply + 1 == depth:
                n = count_moves(rules, states[ply], moves[ply])
            else:
                n = legal_moves(rules, states[ply], moves[ply])
            result, _ = outcome(rules, states[ply], n)
            left[ply] = n if result == ONGOING else 0
            if ply + 1 == depth:
                total += left[ply]
                left[ply] = 0
        if left[ply] == 0:
            ply -= 1
            entering = False
            continue
        left[ply] -= 1
        copy(states[ply], states[ply + 1])
        play(rules, states[ply + 1], moves[ply, left[ply]])
        ply += 1
        entering = True
    return total
