"""An agent in a game that is played elsewhere: as in games between agents, and with a memory of one game."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench import games
from workbench.base.project import Project
from workbench.engine import agents as engine_agents
from workbench.engine import trials
from workbench.engine.players import BlockArguments, Player
from workbench.engine.trials import Adviser
from workbench.players import agents
from workbench.players import external as players
from workbench.players.agents import AgentSpec
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

RULESET = rulesets.load_ruleset("star/5x5")
CODES = RULESET.codes()
PLIES = 30
SEEDS = np.arange(3, 6, dtype=np.uint64)
WITHOUT_TABLE = ("random", "greedy", "best-first:nodes=300")
KINDS = (*WITHOUT_TABLE, "alphabeta:depth=3", "alphabeta:nodes=300", "alphabeta:nodes=300,epsilon=0.3")
OTHER = "greedy:temperature=0.3"
"""Draws no random numbers, since with noise no two moves are worth the same, and fills no table."""
REPLAY = """\
class Replay:
    def __init__(self, games):
        self.games = [[int(move) for move in game.split()] for game in games.split("/")]
        self.game = -1

    def new_game(self, seat, seed):
        self.game += 1

    def choose(self, position):
        return self.games[self.game][position.plies]
"""


def player(words: str) -> Player:
    return agents.agent_from_text(words).player(games.declaration("star"))


def replaying(moves: Any, folder: Path) -> AgentSpec:
    """A class that plays its side of recorded games, -1 after their ends."""
    (folder / "players").mkdir()
    (folder / "players/replay.py").write_text(REPLAY, encoding="utf-8")
    written = "/".join(" ".join(str(move) for move in game if move >= 0) for game in moves)
    return agents.agent_from_text(
        f"python:players.replay:Replay,options.games={written}", (), "--agent", Project(folder)
    )


@pytest.fixture
def memories(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The most plies of each memory that advisers asked for."""
    asked: list[int] = []

    def prepare_workspace(rules: Any, max_plies: int, *players: Player) -> Any:
        if len(players) == 1:  # a block asks for its two players and its judge at once
            asked.append(max_plies)
        return engine_agents.prepare_workspace(rules, max_plies, *players)

    monkeypatch.setattr(trials, "prepare_workspace", prepare_workspace)
    return asked


@pytest.mark.thorough
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("words", KINDS)
def test_an_agent_plays_an_outsider_move_for_move_as_it_plays_an_agent(
    words: str, seat: int, tmp_path: Path, memories: list[int]
) -> None:
    one, two = (player(words), player(OTHER)) if seat == 0 else (player(OTHER), player(words))
    random = player("random")
    lines = trials.run_block(BlockArguments("star", CODES, random, random, SEEDS, 3, keep=3))["opening"]
    lines[0] = -1
    recorded = trials.run_block(BlockArguments("star", CODES, one, two, SEEDS, PLIES, keep=PLIES, lines=lines))
    agent, replay = agents.agent_from_text(words), replaying(recorded["opening"], tmp_path)
    first, second = (agent, replay) if seat == 0 else (replay, agent)
    play = players.block_runner(first, second, RULESET)
    played = play(BlockArguments("star", CODES, one, two, SEEDS, PLIES, keep=PLIES, lines=lines))
    np.testing.assert_array_equal(played["opening"], recorded["opening"])
    np.testing.assert_array_equal(played["game_hash"], recorded["game_hash"])
    assert 0 < len(memories) <= len(SEEDS), "one for each game in which it is asked"


def game_with(adviser: Adviser, begun: Sequence[int], plies: int, reply: int) -> list[int]:
    game_state = GameState("star", CODES)
    for move in begun:
        game_state.push(move)
    while game_state.plies < plies and (legal := game_state.legal()):
        mine = game_state.seat == 0
        game_state.push(adviser.choose(game_state.played) if mine else legal[reply % len(legal)])
    return game_state.played


@pytest.mark.parametrize("words", KINDS)
def test_where_moves_are_taken_back_the_same_moves_are_answered_alike(words: str, memories: list[int]) -> None:
    adviser = Adviser("star", CODES, player(words), 1, PLIES)
    played = game_with(adviser, (), 7, 0)
    assert played == game_with(adviser, (), 7, 0) == game_with(adviser, played[:4], 7, 0)
    assert len(memories) == 1
    another = game_with(adviser, played[:1], 7, 3)
    assert another[1] != played[1]
    assert len(memories) == 2, "what was learned of other positions is forgotten"
    assert another == game_with(adviser, played[:1], 7, 3) and played == game_with(adviser, (), 7, 0)
    if words in WITHOUT_TABLE:
        assert another == game_with(Adviser("star", CODES, player(words), 1, PLIES), (), 7, 3)
