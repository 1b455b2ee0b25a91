"""The moves of an agent in a game that is played elsewhere: against a person, or a player from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.engine.agents import choose, choose_even, memory_of, wants_to_swap, weight_rows
from workbench.engine.contract import (
    SWAP,
    counts_positions,
    key,
    legal_moves,
    max_moves,
    play,
    sample_move,
    seat,
    start,
    state_size,
)
from workbench.engine.jit import njit
from workbench.engine.players import RANDOM, Player
from workbench.engine.rng import mix
from workbench.engine.search.memory import remember
from workbench.engine.trials import COUNT_EVERY, S1, S2, Codes, rules_of

CLOSED, OPEN, OFFERED = 0, 1, 2
"""Whether sides may be swapped: not, or not any more; later; or now, by the player whose turn it is."""


@njit
def _advise(
    rules: Any,
    agent: Any,
    weights: Any,
    seed: Any,
    plies: int,
    later: Any,
    ws: Any,
    state: Any,
    moves: Any,
    rng: Any,
    swapped: int,
    swap: int,
) -> int:
    """The move after the ``plies`` that led to ``state`` and those of ``later``, chosen as in `trials._play_game`.

    ``swapped`` is 1 where the seats have the other sides, ``swap`` whether they may take them (`OPEN` …).
    """
    counting = counts_positions(rules)
    if counting and plies == 0:
        remember(ws, key(rules, state))
    for ply in range(later.shape[0]):
        if later[ply] == SWAP:
            continue
        play(rules, state, later[ply])
        if counting:
            remember(ws, key(rules, state))
    plies += later.shape[0]
    quick = agent.kind == RANDOM and agent.style == 0 and plies % COUNT_EVERY != 0
    # Where sides are, or were just, offered, the game has listed the moves.
    if quick and swap != OFFERED and (later.shape[0] == 0 or later[later.shape[0] - 1] != SWAP):
        move = sample_move(rules, state, rng)
        if move >= 0:
            return move
    n = legal_moves(rules, state, moves)
    if n == 0:
        return -1
    mover = seat(rules, state) ^ swapped
    salt = mix(seed ^ S2) if mover == 0 else mix(seed + S2)
    if swap == OFFERED and wants_to_swap(rules, state, moves, n, agent, weights, ws, salt, rng):
        return SWAP
    if swap == OPEN and mover == 0:
        return choose_even(rules, state, moves, n, agent, weights, ws, salt, rng)
    return choose(rules, state, moves, n, agent, weights, ws, salt, rng)


class Adviser:
    """An agent in one game, with the memory that it keeps through the game.

    It plays as `trials.run_block` lets it play: the same seed and the same moves of a second player who draws no random
    numbers and fills no table get the same answers. Where moves were taken back, it answers again what it answered
    before; in a position that is new it goes on with an empty table, and with the random numbers that were next when
    the moves that still stand had been made.
    """

    def __init__(self, game: str, codes: Codes, player: Player, seed: int, max_plies: int, begin: Any = None) -> None:
        """Prepare a game of at most ``max_plies`` plies; ``begin`` is the state in which it begins, if not the start.

        The moves and the seed alone decide what is answered.
        """
        self._rules = rules_of(game, codes)
        self._player = player
        self._max_plies = max_plies
        self._seed = np.uint64(seed)
        self._begin = np.zeros(state_size(self._rules), np.int64)
        if begin is None:
            start(self._rules, self._begin)
        else:
            self._begin[:] = begin
        self._moves = np.zeros(max_moves(self._rules), np.int32)
        self._answers: dict[tuple[int, ...], tuple[int, int]] = {}
        """What was answered after some moves, and the word of the random numbers then."""
        self._forget(())
        self._weights = weight_rows(self._rules, self._memory, player)[0]

    def _forget(self, played: tuple[int, ...]) -> None:
        """Begin anew, with the random numbers as they were at the last answer before these moves."""
        self._memory = memory_of(self._rules, self._max_plies, self._player)
        self._state = self._begin.copy()
        self._played: tuple[int, ...] = ()
        asked = next((played[:ply] for ply in reversed(range(len(played))) if played[:ply] in self._answers), None)
        word = mix(self._seed ^ S1) if asked is None else self._answers[asked][1]
        self._random = np.full(1, word, np.uint64)

    def choose(self, played_moves: Sequence[int], swap: int = CLOSED) -> int:
        """Return the move that the agent plays after all the moves of the game so far; -1 if no move is legal there.

        ``swap`` says whether sides may be swapped (`OPEN` …): where they are offered, the answer may be `SWAP`.
        """
        played = tuple(played_moves)
        if played not in self._answers:
            known = len(self._played)
            if played[:known] != self._played:
                self._forget(played)
                known = 0
            move = _advise(
                self._rules,
                self._player.agent,
                self._weights,
                self._seed,
                known,
                np.array(played[known:], np.int32),
                self._memory,
                self._state,
                self._moves,
                self._random,
                int(SWAP in played),
                swap,
            )
            self._played = played
            self._answers[played] = int(move), int(self._random[0])
        return self._answers[played][0]


def best_move(
    game: str, codes: Codes, player: Player, seed: int, played_moves: Sequence[int], begin: Any = None
) -> int:
    """Return the first move that an `Adviser` chooses in a game, after ``played_moves`` of others."""
    return Adviser(game, codes, player, seed, len(played_moves) + 1, begin).choose(played_moves)
