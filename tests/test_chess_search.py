"""The players of chess see what a run of plies can do, and are the stronger the more they search."""

from __future__ import annotations

import pytest

from tests import chess_engines as c
from tests.chess_engines import begin, rules
from workbench.engine.advice import best_move
from workbench.games.chess.rules import DECLARATION
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
