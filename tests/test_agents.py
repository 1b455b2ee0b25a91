"""The players keep their promises: they see a loss two plies ahead, break ties evenly, and are ordered by strength."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests import few
from workbench import games
from workbench.engine.players import BlockArguments
from workbench.engine.trials import best_move, run_block
from workbench.games.results import RESULTS
from workbench.players.agents import AgentSpec
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

RULESET = rulesets.load_ruleset("chatra/2007-09")
CODES = RULESET.codes()
DECLARATION = games.declaration("chatra")


def numbers(kind: str, **options: Any) -> Any:
    return AgentSpec.of(kind, **options).player(DECLARATION)


def mated_games() -> list[list[int]]:
    block = run_block(BlockArguments("chatra", CODES, numbers("greedy"), numbers("greedy"), np.arange(30), 150, 150))
    endings = zip(block["opening"], block["plies"], block["termination"], strict=True)
    mated = [[int(move) for move in moves[:plies]] for moves, plies, ending in endings if ending == 8]
    return mated[:8]


def at(moves: list[int]) -> GameState:
    game_state = GameState("chatra", CODES)
    for move in moves:
        game_state.push(move)
    return game_state


def mates(game_state: GameState) -> set[int]:
    mating = set()
    for move in game_state.legal():
        game_state.push(move)
        if game_state.outcome()[1] == "mate":
            mating.add(move)
        game_state.undo()
    return mating


def allows_mate(game_state: GameState, move: int) -> bool:
    game_state.push(move)
    lost = game_state.outcome()[0] == 0 and bool(mates(game_state))
    game_state.undo()
    return lost


@pytest.mark.thorough
def test_a_mate_in_one_is_not_allowed_where_that_can_be_helped() -> None:
    asked = 0
    for moves in mated_games():
        game_state = at(moves[:-2])
        if all(allows_mate(game_state, move) for move in game_state.legal()):
            continue
        asked += 1
        searches = numbers("alphabeta", depth=2), numbers("alphabeta", nodes=2_000), numbers("best-first", nodes=20_000)
        for agent in searches:
            chosen = best_move("chatra", CODES, agent, 1, moves[:-2])
            assert not allows_mate(game_state, chosen), (agent, game_state.texts)
    assert asked >= 2


@pytest.mark.thorough
@pytest.mark.parametrize("kind", few.first(1, ["greedy", "alphabeta"]))
def test_ties_are_broken_evenly(kind: str) -> None:
    blind = {feature.name: 0.0 for feature in DECLARATION.features}
    agent = numbers(kind, temperature=0.0, weights=blind, **({"depth": 1} if kind == "alphabeta" else {}))
    chosen = [best_move("chatra", CODES, agent, seed, []) for seed in range(1280)]
    counts = np.unique(chosen, return_counts=True)[1]
    assert len(counts) == 128
    assert stats.chisquare(counts).pvalue > 1e-4


def score(stronger: Any, weaker: Any, games_each: int) -> float:
    """The stronger agent's score with seats swapped; draws and capped games count half."""
    seeds = np.arange(games_each, dtype=np.uint64)
    first = run_block(BlockArguments("chatra", CODES, stronger, weaker, seeds, 400))["result"]
    second = run_block(BlockArguments("chatra", CODES, weaker, stronger, seeds + np.uint64(10**6), 400))["result"]
    wins = np.sum(first == RESULTS.index("first")) + np.sum(second == RESULTS.index("second"))
    losses = np.sum(first == RESULTS.index("second")) + np.sum(second == RESULTS.index("first"))
    return float((wins + (2 * games_each - wins - losses) / 2) / (2 * games_each))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stronger", "weaker", "least"),
    [(("greedy", {}), ("random", {}), 0.98), (("alphabeta", {"depth": 2}), ("greedy", {}), 0.80),
     (("alphabeta", {"depth": 3}), ("alphabeta", {"depth": 2}), 0.60),
     (("best-first", {"nodes": 2_000}), ("greedy", {}), 0.80)],
    ids=["greedy", "alphabeta-2", "alphabeta-3", "best-first-2k"],
)  # fmt: skip
def test_strength_is_real(stronger: tuple[str, Any], weaker: tuple[str, Any], least: float) -> None:
    assert score(numbers(stronger[0], **stronger[1]), numbers(weaker[0], **weaker[1]), 100) >= least
