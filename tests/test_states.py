"""Packed states: what the solver keeps of a state holds all that its future depends on."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.engine import contract
from workbench.games.game_state import GameState
from workbench.questions import rulesets

pytestmark = pytest.mark.kernel


def packed(game_state: GameState) -> np.ndarray:
    """The bytes of a state."""
    content = np.full(contract.packed_bytes(game_state.rules), 255, np.uint8)
    contract.pack(game_state.rules, game_state.state, content)
    return content


@pytest.mark.parametrize("name", rulesets.names())
def test_a_state_that_was_packed_has_the_same_future(name: str) -> None:
    """Along random games, the state that was unpacked has the moves, the seat, the outcome and the key of the other."""
    codes, game = rulesets.load(name).codes(), name.partition("/")[0]
    chance = np.random.default_rng(7)
    for _ in range(2):
        original = GameState(game, codes)
        for _ in range(60):
            if not (legal := original.legal()):
                break
            other = GameState(game, codes)
            content = packed(original)
            other.state[:] = -1
            contract.unpack(other.rules, content, other.state)
            assert packed(other).tobytes() == content.tobytes()
            assert sorted(map(int, other.legal())) == sorted(map(int, legal))
            assert contract.seat(other.rules, other.state) == contract.seat(original.rules, original.state)
            assert contract.key(other.rules, other.state) == contract.key(original.rules, original.state)
            number = len(legal)
            assert contract.outcome(other.rules, other.state, number) == contract.outcome(
                original.rules, original.state, number
            )
            move = legal[int(chance.integers(number))]
            contract.play(other.rules, other.state, int(move))
            original.push(move)
            assert packed(other).tobytes() == packed(original).tobytes()
