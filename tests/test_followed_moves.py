"""What searches by nodes follow beside tactical moves: all that takes enemy units, told from the units themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests import few
from workbench.engine import contract, jit
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

RULESETS = ["chatra/9x9", "chatra/limited-7", "rengo/othello8", "chatra/2008-02", "chatra/C+D", "rengo/go9",
            "rengo/draughts10"]  # fmt: skip


def units_of(rules: Any, state: Any, seat: int) -> int:
    words = np.zeros(contract.MOST_UNITS, np.int64)
    n = contract.units(rules, state, words)
    owners = [contract.unit_owner(word) for word in map(int, words[:n]) if contract.unit_cell(word) != contract.HAND]
    return owners.count(seat)


@pytest.mark.kernel
@pytest.mark.parametrize("name", few.first(1, RULESETS))
def test_all_that_takes_units_is_followed(name: str) -> None:
    ruleset = rulesets.load_ruleset(name)
    chance = np.random.default_rng(7)
    rules = GameState(ruleset.game, ruleset.codes()).rules
    room = np.zeros(int(contract.max_moves(rules)), np.int32)
    captures = positions = 0
    for _ in range(1 if jit.DISABLED else 6):
        game = GameState(ruleset.game, ruleset.codes())
        for _ in range(40 if jit.DISABLED else 120):
            if game.outcome()[0] != contract.ONGOING:
                break
            taking = set()
            n, stops = contract.followed_moves(rules, game.state, room)
            if stops:
                before = units_of(rules, game.state, 1 - game.seat)
                for move in game.legal():
                    after = game.state.copy()
                    contract.play(rules, after, move)
                    if units_of(rules, after, 1 - game.seat) < before:
                        taking.add(move)
                assert {int(move) for move in room[:n]} == taking, game.texts
                captures += len(taking)
                positions += 1
            # Captures are played more often than by chance, so that units meet.
            some = sorted(taking) if taking and chance.random() < 0.3 else game.legal()
            game.push(some[chance.integers(len(some))])
    assert positions > 20
    assert captures > 0
