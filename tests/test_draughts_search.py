"""Players see the first king coming where it wins: before their search ends, and among the first moves they look at."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from workbench import games
from workbench.engine import contract
from workbench.engine.advice import best_move
from workbench.games.declaration import Setting
from workbench.games.draughts.rules import DECLARATION
from workbench.games.game_state import GameState
from workbench.questions import rulesets
from workbench.questions.agents import AgentSpec

FIRST_KING: dict[str, Setting] = {"goal": "first-king"}
PLAYERS = [
    AgentSpec.of("alphabeta", depth=1),
    AgentSpec.of("alphabeta", nodes=100),
    AgentSpec.of("best-first", nodes=100),
]


def position(fen: str, changes: Mapping[str, Setting] = FIRST_KING) -> GameState:
    return GameState("draughts", DECLARATION.codes({**DECLARATION.defaults(), **changes}), {"fen": fen})


def tactical(game: GameState) -> tuple[set[str], bool]:
    """The moves that a search must look at, and whether it may stop there."""
    moves = np.zeros(int(contract.max_moves(game.rules)), np.int32)
    n, quiet = contract.tactical_moves(game.rules, game.state, moves)
    return {game.format(int(move)) for move in moves[:n]}, bool(quiet)


def gain(game: GameState, move: str) -> float:
    worth = np.array([1.0, 0.0, 0.0])
    after = np.zeros(int(contract.state_size(game.rules)), np.int64)
    wanted = game.notation.parse_move(game.rules, game.state, move)
    return float(contract.gain(game.rules, game.state, wanted, worth, after))


def chosen(game: GameState, player: AgentSpec, seed: int = 1) -> str:
    numbers = player.player(games.declaration("draughts"))
    return game.format(best_move("draughts", game.codes, numbers, seed, game.played, game._states[0]))


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("fen", "changes", "moves"),
    [
        ("B:W5,12:B1,26", {}, {"1-6", "26-30", "26-31"}),
        ("W:W7,32:B13,19", {}, {"7-2", "7-3", "32-27", "32-28"}),
        ("B:W5,12:B1,22", {}, set()),
        ("B:W31,30:B26,5", {}, set()),
        ("B:W15:B11,26", {}, {"11x18"}),
        ("B:W26,9:B22,2", {"capture": "optional"}, {"22x31", "22-25", "2-6", "2-7"}),
        ("B:W15,9:B11,2", {"capture": "optional"}, set()),
        ("B:Wa1:Bh2", {"squares": "all", "rows": 2}, {"h2-h1"}),
        ("W:W8,50:B45", {"size": 10}, {"8-2", "8-3", "50-44"}),
        ("W:W8,65:B54", {"size": 12}, {"8-1", "8-2", "65-59", "65-60"}),
    ],
)
def test_a_position_in_which_the_first_king_can_be_made_is_not_quiet(
    fen: str, changes: Mapping[str, Setting], moves: set[str]
) -> None:
    assert tactical(position(fen, {**FIRST_KING, **changes})) == (moves, not moves)


@pytest.mark.kernel
def test_where_kings_do_not_end_the_game_a_position_without_captures_is_quiet() -> None:
    assert tactical(position("B:W5,12:B1,26", {})) == (set(), True)


@pytest.mark.kernel
def test_the_first_king_gains_more_than_any_capture() -> None:
    """However little a king is worth to a player who never saw one."""
    for fen, move in (("B:W5,12:B1,26", "26-31"), ("B:W26,27,5:B22", "22x31")):
        assert gain(position(fen), move) > 24
        assert gain(position(fen, {}), move) == (0.0 if "x" in move else -1.0)
    assert gain(position("B:W15:B11"), "11x18") == 1.0


@pytest.mark.kernel
@pytest.mark.parametrize("player", PLAYERS, ids=str)
def test_a_man_that_keeps_the_enemy_from_a_king_stays(player: AgentSpec) -> None:
    """Black's man on 1 stands in the way of White's on 5, which would win on its next move."""
    for seed in range(5):
        assert chosen(position("B:W5,32:B1,12"), player, seed) == "12-16"


@pytest.mark.kernel
def test_the_solved_game_is_won_against_every_defence() -> None:
    """Kingscourt on 4×4, a win for First in seven plies."""
    codes = rulesets.load_ruleset("draughts/kingscourt-4x4").codes()
    player = AgentSpec.of("alphabeta", depth=6)
    ends = []

    def play(game: GameState) -> None:
        if game.outcome()[0] != contract.ONGOING:
            ends.append((game.outcome()[0], game.plies))
            return
        texts = [chosen(game, player)] if game.seat == 0 else game.legal_texts()
        for text in texts:
            game.push_text(text)
            play(game)
            game.undo()

    play(GameState("draughts", codes))
    assert {result for result, _ in ends} == {contract.FIRST}
    assert max(plies for _, plies in ends) == 7
