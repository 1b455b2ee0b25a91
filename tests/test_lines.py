"""Lines, the opening moves that are played before the players choose: in the engine, in files, drawn, and in a run."""

from __future__ import annotations

import numpy as np
import pytest

from workbench import games
from workbench.engine import trials
from workbench.questions import agents, rulesets

EXACT = ("result", "termination", "plies", "turns", "game_hash", "events", "opening", "lead_changes", "drama")
SEEDS = np.arange(6, dtype=np.uint64)
CAP = 40


def block(name: str, first: str, second: str, lines: np.ndarray | None = None, cap: int = CAP) -> dict[str, np.ndarray]:
    ruleset = rulesets.load(name)
    players = [agents.agent(words).player(games.declaration(ruleset.game)) for words in (first, second)]
    codes = ruleset.codes()
    return trials.run_block(ruleset.game, codes, players[0], players[1], SEEDS, cap, keep=cap, lines=lines)


@pytest.mark.kernel
@pytest.mark.parametrize(("name", "player"), [("star/4x4", "random"), ("star/4x4", "greedy"), ("chatra/9x9", "greedy")])
def test_a_game_given_as_its_whole_line_is_the_same_game(name: str, player: str) -> None:
    played = block(name, player, player)
    again = block(name, player, player, played["opening"])
    for column in EXACT:
        np.testing.assert_array_equal(again[column], played[column], column)
    assert (played["plies"] > 5).any()
    stopped = block(name, player, player, played["opening"], cap=5)
    np.testing.assert_array_equal(stopped["plies"], np.minimum(played["plies"], 5))
    np.testing.assert_array_equal(stopped["opening"], played["opening"][:, :5])


@pytest.mark.kernel
@pytest.mark.parametrize("player", ["random", "greedy", "alphabeta-1"])
def test_the_players_go_on_where_the_line_ends(player: str) -> None:
    lines = block("star/4x4", "random", "random")["opening"][:, :4].copy()
    lines[0, 1:], lines[1] = -1, -1
    found = block("star/4x4", player, player, lines)
    length = (lines >= 0).sum(axis=1)
    for game, line in enumerate(lines):
        np.testing.assert_array_equal(found["opening"][game, : length[game]], line[: length[game]])
    assert (found["plies"] > length).all()
    assert (found["legal_moves"] > 1).all()
    free = block("star/4x4", player, player)
    assert found["game_hash"][1] == free["game_hash"][1], "a line without moves changes nothing"
    np.testing.assert_array_equal(block("star/4x4", player, player, lines[:, :0])["game_hash"], free["game_hash"])


@pytest.mark.kernel
def test_a_move_that_is_not_legal_is_an_error() -> None:
    lines = block("star/4x4", "random", "random")["opening"][:, :3].copy()
    lines[2, 2] = lines[2, 0]
    with pytest.raises(ValueError, match=r"the line of game 2 has a move at ply 3 that is not legal"):
        block("star/4x4", "random", "random", lines)
