"""Counting move sequences: the classic proof that a kernel knows its rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.contract import ONGOING, legal_moves, max_moves, outcome, play, state_size
from workbench.engine.jit import njit


@njit
def _count(rules: Any, states: Any, moves: Any, ply: int, depth: int) -> int:
    n = legal_moves(rules, states[ply], moves[ply])
    result, _ = outcome(rules, states[ply], n)
    if result != ONGOING:
        return 0
    if ply + 1 == depth:
        return n
    total = 0
    for i in range(n):
        states[ply + 1][:] = states[ply]
        play(rules, states[ply + 1], moves[ply, i])
        total += _count(rules, states, moves, ply + 1, depth)
    return total


@njit
def perft(rules: Any, state: Any, depth: int) -> int:
    """The number of sequences of ``depth`` legal moves from ``state``; the last ply is counted, not played.

    A finished game has no continuation. Repetition is not looked at: it belongs to a game, not to a position.
    """
    if depth <= 0:
        return 1
    states = np.zeros((depth, state_size(rules)), np.int64)
    moves = np.zeros((depth, max_moves(rules)), np.int32)
    states[0][:] = state
    return _count(rules, states, moves, 0, depth)
