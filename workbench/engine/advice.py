"""One move of an agent, for games in which a person plays against it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.engine.agents import choose, memory_of, rows_of
from workbench.engine.contract import key, legal_moves, max_moves, play, seat, start, state_size
from workbench.engine.jit import njit
from workbench.engine.players import Player
from workbench.engine.rng import mix
from workbench.engine.search.memory import forget, remember
from workbench.engine.trials import S1, S2, Codes, rules_of


@njit
def _advise(
    rules: Any, agent: Any, weights: Any, seed: Any, played: Any, ws: Any, state: Any, moves: Any, rng: Any
) -> int:
    plies = played.shape[0]
    rng[0] = mix(seed ^ S1) + np.uint64(plies)
    salt = mix(seed ^ S2)
    forget(ws)
    remember(ws, key(rules, state))
    for ply in range(plies):
        play(rules, state, played[ply])
        remember(ws, key(rules, state))
    n = legal_moves(rules, state, moves)
    if n == 0:
        return -1
    if seat(rules, state) == 1:
        salt = mix(seed + S2)
    return choose(rules, state, moves, n, agent, weights, ws, salt, rng)


def best_move(
    game: str, codes: Codes, player: Player, seed: int, played_moves: Sequence[int], begin: Any = None
) -> int:
    """The move that an agent plays after ``played_moves``; -1 if no move is legal there.

    ``begin`` is the state in which they begin, None the start of the game.

    It depends on the seed and on the moves alone: taking moves back and playing them again gets the same answer.
    """
    rules = rules_of(game, codes)
    state = np.zeros(state_size(rules), np.int64)
    if begin is None:
        start(rules, state)
    else:
        state[:] = begin
    ws = memory_of(rules, len(played_moves) + 1, player)
    return int(
        _advise(
            rules,
            player.agent,
            rows_of(rules, ws, player)[0],
            np.uint64(seed),
            np.array(played_moves, np.int32),
            ws,
            state,
            np.zeros(max_moves(rules), np.int32),
            np.zeros(1, np.uint64),
        )
    )
