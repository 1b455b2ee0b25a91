"""Games whose moves are known, followed ply by ply: who moved, and what happened."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.contract import (
    MOVE,
    SWAP,
    event_count,
    events,
    legal_moves,
    max_moves,
    play,
    seat,
    start,
    state_size,
)
from workbench.engine.jit import copy, njit
from workbench.engine.trials import Codes, rules_of


@njit
def _follow(
    rules: Any, lines: Any, state: Any, before: Any, counts: Any, which: Any, seats: Any, happened: Any
) -> None:
    at = 0
    for game in range(lines.shape[0]):
        start(rules, state)
        counts[:] = 0
        swapped = 0
        for ply in range(lines.shape[1]):
            if lines[game, ply] < 0:
                break
            seats[at] = seat(rules, state) ^ swapped
            copy(state, before)
            for i in range(which.shape[0]):
                happened[i, at] = -counts[which[i]]
            if lines[game, ply] == SWAP:
                swapped = 1
            else:
                play(rules, state, MOVE(lines[game, ply]))
                events(rules, before, MOVE(lines[game, ply]), state, counts)
            for i in range(which.shape[0]):
                happened[i, at] += counts[which[i]]
            at += 1


def follow(game: str, codes: Codes, lines: Any, which: Any) -> tuple[Any, Any]:
    """For each ply of games, one game behind the other, the player who moved, and what it added to some event counters.

    ``lines`` int32 (games x plies, -1 after the end) are legal moves, ``which`` the numbers of the counters; the answer
    is int8 (plies) and int32 (counters x plies).
    """
    rules = rules_of(game, codes)
    plies = int(np.count_nonzero(lines >= 0))
    state, counts = np.zeros(state_size(rules), np.int64), np.zeros(event_count(rules), np.int32)
    seats, happened = np.zeros(plies, np.int8), np.zeros((len(which), plies), np.int32)
    lines, which = np.ascontiguousarray(lines, np.int32), np.asarray(which, np.int64)
    _follow(rules, lines, state, state.copy(), counts, which, seats, happened)
    return seats, happened


@njit
def _walk(rules: Any, line: Any, states: Any, legal: Any, counts: Any) -> None:
    start(rules, states[0])
    for ply in range(states.shape[0]):
        counts[ply] = legal_moves(rules, states[ply], legal[ply])
        if ply + 1 < states.shape[0]:
            copy(states[ply], states[ply + 1])
            if line[ply] != SWAP:
                play(rules, states[ply + 1], MOVE(line[ply]))


def walk(game: str, codes: Codes, line: Any) -> tuple[Any, Any, Any]:
    """The states before each ply of a game, int64 (plies x words), with their legal moves and how many these are.

    ``line`` are its legal moves; the moves are int32 (plies x room). Swapping sides is not among them.
    """
    rules, line = rules_of(game, codes), np.ascontiguousarray(line, np.int32)
    states = np.zeros((len(line), state_size(rules)), np.int64)
    legal, counts = np.zeros((len(line), max_moves(rules)), np.int32), np.zeros(len(line), np.int32)
    _walk(rules, line, states, legal, counts)
    return states, legal, counts
