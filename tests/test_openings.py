"""The first moves of games are written by the worker that played them, as a game in hand would write them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from workbench import games
from workbench.engine import trials
from workbench.engine.players import BlockArguments
from workbench.players import agents
from workbench.positions.game_state import GameState, opening_texts
from workbench.rules import rulesets
from workbench.statistics.openings import FirstMoves

RULESETS = {"chatra": "chatra/9x9", "chess": "chess/007", "draughts": "draughts/international", "star": "star/4x4",
            "rengo": "rengo/othello8"}  # fmt: skip


@pytest.mark.parametrize("name", [RULESETS[family] for family in games.names()])
def test_texts_are_those_of_the_game_in_hand(name: str) -> None:
    ruleset = rulesets.load_ruleset(name)
    codes = ruleset.codes()
    random = agents.agent_from_text("random").player(games.declaration(ruleset.game))
    arrays = trials.run_block(BlockArguments(ruleset.game, codes, random, random, np.arange(40), 8, keep=5))
    openings = arrays["opening"]
    openings[0], openings[1, 2:], openings[3] = -1, -1, openings[2]  # nothing played, a short game, the same game
    expected = []
    for line in openings.tolist():
        game_state = GameState(ruleset.game, codes)
        for move in line:
            if move >= 0:
                game_state.push(move)
        expected.append(" ".join(game_state.texts))
    assert opening_texts(ruleset.game, codes, openings) == expected
    assert expected[0] == "" and len(expected[1].split()) == 2 and len(set(expected)) > 5


@pytest.mark.thorough
def test_writing_them_takes_the_compiled_world_and_notation_alone() -> None:
    code = "import sys, workbench.runs.worker, workbench.positions.game_state; from workbench import games\n"
    code += "for family in games.shipped(): games.notation(family)\nprint(*sys.modules)"
    root = Path(__file__).parent.parent
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "workbench.games.star.notation" in loaded
    assert not {"pandas", "pyarrow", "rich", "joblib", "matplotlib"} & loaded  # Numba itself reads YAML
    rooms = ("workbench.experiments", "workbench.rules", "workbench.records", "workbench.base.")
    light = {"workbench.base.errors", "workbench.base.language"}
    assert not {name for name in loaded - light if name.startswith(rooms)}


def test_first_moves_are_taken_apart_as_texts_are() -> None:
    texts = ["a1 b10", "a1 b1", "", "a1 b1 c1", "b1", None, "a1 b10 c1 d1 e1 f1 g1"]
    moves = FirstMoves.from_openings(pd.Series(texts))
    for kind in ("category", object):
        again = FirstMoves.from_openings(pd.Series(texts).astype(kind))
        assert again.words == moves.words and np.array_equal(again.codes, moves.codes)
    for ply, reached, kinds, at, counts in moves.openings_by_ply():
        long = [" ".join(text.split()[:ply]) for text in texts if text and len(text.split()) >= ply]
        assert [moves.text(int(game), ply) for game in kinds] == sorted(set(long))
        assert [moves.text(int(kinds[place]), ply) for place in at] == long
        assert counts.tolist() == [long.count(text) for text in sorted(set(long))]
        assert reached.sum() == len(long)
    assert FirstMoves.from_openings(pd.Series(["", None], dtype=object)).words == ()
