"""The players of chess see what a run of plies can do, and are the stronger the more they search."""

from __future__ import annotations

import numpy as np
import pytest

from tests import chess_engines as c
from tests import few
from tests.chess_engines import begin, rules
from workbench.engine import trials
from workbench.engine.advice import best_move
from workbench.games.chess.rules import DECLARATION
from workbench.games.declaration import Setting
from workbench.questions import agents

SCHOLAR = ["e4", "e5", "h3"]
"""White's player has made these plies; Qh4 Ke2 Qxe4 is mate by Black's player alone."""


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_mate_with_the_last_ply_of_the_own_turn_is_seen(depth: int, seed: int) -> None:
    game_state = begin(rules(c.TRIPLE))
    for text in SCHOLAR:
        game_state.push_text(text)
    numbers = agents.agent_from_text(f"alphabeta:depth={depth}").player(DECLARATION)
    while game_state.outcome()[0] == 0 and game_state.seat == 1:
        game_state.push(best_move("chess", game_state.codes, numbers, seed, game_state.played))
    assert game_state.outcome() == (2, "mate"), game_state.texts
    assert game_state.plies <= 6


def score(settings: dict[str, Setting], better: str, worse: str, games: int) -> float:
    """The share of points that one player takes from another, with seats swapped."""
    codes = DECLARATION.codes(settings)
    one, other = (agents.agent_from_text(words).player(DECLARATION) for words in (better, worse))
    seeds = np.arange(games, dtype=np.uint64)
    as_first = trials.run_block("chess", codes, one, other, seeds, 300)["result"]
    as_second = trials.run_block("chess", codes, other, one, seeds, 300)["result"]
    won = (as_first == 1).sum() + (as_second == 2).sum()
    lost = (as_first == 2).sum() + (as_second == 1).sum()
    return float(0.5 + (won - lost) / (4 * games))


@pytest.mark.parametrize(
    "changes",
    few.first(1, [c.TRIPLE, {}, c.DETENTE, c.BALANCED | c.SAFE | c.OTHER_PIECE, c.PROGRESSIVE]),
    ids=str,
)
def test_players_that_look_further_win(changes: dict[str, Setting]) -> None:
    assert score(rules(changes), "greedy", "random", 10) > 0.7
    # 20 games a seat: in 007 chess, 10 gave exactly 0.8 since greedy sees every end of a game.
    assert score(rules(changes), "alphabeta:depth=2", "greedy", 20) > 0.8
