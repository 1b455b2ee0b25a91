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
from workbench.outside.players import Outsider, SeatPlayer, WorkbenchPlayer, open_player
from workbench.questions.agents import AgentSpec
from workbench.questions.rulesets import Ruleset

RunBlock = Callable[..., Mapping[str, Any]]
"""The engine's ``run_block``."""


def block_runner(first: AgentSpec, second: AgentSpec, ruleset: Ruleset, play: RunBlock = trials.run_block) -> RunBlock:
    """The function that plays the blocks of a cell: ``play``, or `run_outside_block` if a player is from outside.

    Raises:
        PlayerFailed: the protocol of a player cannot express the ruleset.
    """
    outsiders = (Outsider.of(first, ruleset), Outsider.of(second, ruleset))
    return play if outsiders == (None, None) else functools.partial(run_outside_block, outsiders, play)


def run_outside_block(
    outsiders: tuple[Outsider | None, Outsider | None],
    replay: RunBlock,
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

    The moves are chosen here; ``replay`` (the engine) plays them again as lines, and makes the records. ``first`` and
    ``second`` are the workbench's agents; for a player from outside, the one whose weights evaluate positions. Each
    seat has a process of its own, which ends with the block.

    Raises:
        PlayerFailed: a player cannot be started, dies, hangs, raises or plays what is not legal.
    """
    games = []
    with contextlib.ExitStack() as stack:
        seats = [
            WorkbenchPlayer(player, int(max_plies)) if outsider is None else stack.enter_context(open_player(outsider))
            for outsider, player in zip(outsiders, (first, second), strict=True)
        ]
        for game_number, seed in enumerate(np.asarray(seeds, np.uint64).tolist()):
            opening = [] if lines is None else [int(move) for move in lines[game_number] if move >= 0]
            games.append(play_game(game, codes, seats, int(seed), int(max_plies), opening))
    moves = np.full((len(games), max(map(len, games), default=0)), -1, np.int32)
    for row, played in zip(moves, games, strict=True):
        row[: len(played)] = played
    arrays = replay(game, codes, first, second, seeds, max_plies, keep, judge, moves)
    if arrays["plies"].tolist() != [len(row) for row in games]:
        raise AssertionError("games ended elsewhere when they were played again")
    return arrays


def play_game(
    game: str, codes: Codes, seats: Sequence[SeatPlayer], seed: int, max_plies: int, opening: Sequence[int]
) -> list[int]:
    """The moves of one game, which begins with those of ``opening``, to its end or to ``max_plies``."""
    game_state = GameState(game, codes)
    for seat, player in enumerate(seats):
        player.new_game(seat, seed)
    while game_state.plies < max_plies and game_state.outcome()[0] == contract.ONGOING:
        if game_state.plies < len(opening):
            game_state.push(opening[game_state.plies])
        else:
            game_state.push(seats[game_state.seat].choose(game_state))
    return game_state.played
