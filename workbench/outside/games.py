"""Games in which players from outside take part, as blocks of records like all others."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from workbench.engine import contract, trials
from workbench.engine.players import Player
from workbench.engine.trials import Codes, Judge
from workbench.games.game_state import GameState
from workbench.outside.players import Outsider, Own, Seated, seated
from workbench.questions.agents import AgentSpec
from workbench.questions.rulesets import Ruleset

PlayBlock = Callable[..., Mapping[str, Any]]
"""The engine's ``run_block``."""


def player_of_blocks(
    first: AgentSpec, second: AgentSpec, ruleset: Ruleset, play: PlayBlock = trials.run_block
) -> PlayBlock:
    """What plays the blocks of a cell: ``play`` itself, or, with a player from outside, `run_block` before it.

    Raises:
        PlayerFailed: a player cannot be told the ruleset.
    """
    outsiders = (Outsider.of(first, ruleset), Outsider.of(second, ruleset))
    return play if outsiders == (None, None) else functools.partial(run_block, outsiders, play)


def run_block(
    outsiders: tuple[Outsider | None, Outsider | None],
    record: PlayBlock,
    game: str,
    codes: Codes,
    first: Player,
    second: Player,
    seeds: Any,
    max_plies: int,
    keep: int = 0,
    judge: Judge | None = None,
    lines: Any = None,
) -> Mapping[str, Any]:
    """Plays one game for each seed and returns what the engine's ``run_block`` does.

    The moves are chosen here, and played again by ``record``, which takes them as lines: it alone counts. ``first`` and
    ``second`` are the workbench's own agents; for a player from outside it is the one whose weights say who leads. Each
    seat has a process of its own, which ends with the block.

    Raises:
        PlayerFailed: a player cannot be started, dies, hangs, raises or plays what is not legal.
    """
    rows = []
    with contextlib.ExitStack() as stack:
        seats = [
            Own(player, int(max_plies)) if outsider is None else stack.enter_context(seated(outsider))
            for outsider, player in zip(outsiders, (first, second), strict=True)
        ]
        for number, seed in enumerate(np.asarray(seeds, np.uint64).tolist()):
            begun = [] if lines is None else [int(move) for move in lines[number] if move >= 0]
            rows.append(played(game, codes, seats, int(seed), int(max_plies), begun))
    moves = np.full((len(rows), max(map(len, rows), default=0)), -1, np.int32)
    for row, chosen in zip(moves, rows, strict=True):
        row[: len(chosen)] = chosen
    arrays = record(game, codes, first, second, seeds, max_plies, keep, judge, moves)
    if arrays["plies"].tolist() != [len(row) for row in rows]:
        raise AssertionError("games ended elsewhere when they were played again")
    return arrays


def played(
    game: str, codes: Codes, seats: Sequence[Seated], seed: int, max_plies: int, begun: Sequence[int]
) -> list[int]:
    """The moves of one game, which begins with those of ``begun``, to its end or to ``max_plies``."""
    game_state = GameState(game, codes)
    for seat, player in enumerate(seats):
        player.new_game(seat, seed)
    while game_state.plies < max_plies and game_state.outcome()[0] == contract.ONGOING:
        if game_state.plies < len(begun):
            game_state.push(begun[game_state.plies])
        else:
            game_state.push(seats[game_state.seat].choose(game_state))
    return game_state.played
