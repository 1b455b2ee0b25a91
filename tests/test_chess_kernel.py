"""The compiled kernel and the naive twin play the same chess: compared ply by ply over random games."""

from __future__ import annotations

import collections
import random
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pytest

from tests.chess_engines import begin, in_uci
from tests.naive import chess as twin
from workbench import rulesets
from workbench.engine import contract
from workbench.games.chess.kernel_moves import count_moves
from workbench.games.chess.rules import DECLARATION
from workbench.games.declaration import Setting
from workbench.session import RESULTS, terminations

MIXTURES: list[dict[str, Setting]] = [
    {"turns": "triple", "moved_enemy": "safe", "king": "capture", "promotion_by": "owner"},
    {"turns": "triple", "same_piece": "only-if-forced", "stalemate": "loss", "repetition": 2},
    {"turns": "balanced", "moved_enemy": "safe", "stalemate": "win", "move_limit": 9},
    {"turns": "progressive", "promotion_by": "owner", "repetition": 2, "insufficient_material": "play-on"},
    {"king": "capture", "stalemate": "loss", "move_limit": 0},
]


def compare(settings: Mapping[str, Setting], seed: int, plies: int) -> tuple[int, str | None]:
    """Plays a random game on both; returns the positions compared and how the game ended."""
    chance = random.Random(seed)
    session = begin(settings)
    position = twin.start(settings)
    names = terminations(DECLARATION)
    history: list[Hashable] = []
    seen: collections.Counter[int] = collections.Counter()
    for ply in range(plies):
        where = (seed, session.played)
        moves = in_uci(session)
        expected = twin.outcome(settings, position, history)
        # The kernel gives no moves to a colour whose king has been taken.
        legal = twin.legal_moves(settings, position) if expected[1] != "king-captured" else set()
        assert set(moves.values()) == legal, (*where, set(moves.values()) ^ legal)
        assert len(moves) == len(legal) == count_moves(session.rules, session.state), where
        now = int(contract.key(session.rules, session.state))
        seen[now] += 1
        result, termination = contract.outcome(session.rules, session.state, len(moves))
        if result == contract.ONGOING:
            result, termination = contract.repetition(session.rules, session.state, seen[now])
        ended = names[int(termination)].name if termination else None
        assert (RESULTS[result] if result else "ongoing", ended) == expected, where
        if ended:
            return ply + 1, ended
        assert session.seat == twin.seat(settings, position), where
        move = chance.choice(sorted(legal))
        history.append(twin.repetition_key(settings, position))
        position = twin.play(settings, position, move)
        as_the_engine_plays: Any = np.int32(next(code for code, text in moves.items() if text == move))
        state = session.state.copy()
        contract.play(session.rules, state, as_the_engine_plays)
        session._states.append(state)
        session.played.append(int(as_the_engine_plays))
    return plies, None


CHESS = [name for name in rulesets.names() if name.startswith("chess/")]


@pytest.mark.parametrize("name", CHESS)
def test_kernel_and_twin_agree_on_every_shipped_ruleset(name: str) -> None:
    for seed in range(4):
        assert compare(rulesets.load(name).settings, seed, plies=250)[0] > 3


@pytest.mark.kernel
@pytest.mark.parametrize("changes", MIXTURES, ids=str)
def test_kernel_and_twin_agree_on_mixed_toggles(changes: dict[str, Setting]) -> None:
    assert compare(DECLARATION.defaults() | changes, seed=2, plies=70)[0] > 3


@pytest.mark.slow
@pytest.mark.parametrize("name", CHESS)
def test_kernel_and_twin_agree_over_a_thousand_games(name: str) -> None:
    settings = rulesets.load(name).settings
    endings = collections.Counter(compare(settings, seed, plies=2000)[1] for seed in range(1000))
    assert endings.total() == 1000
    assert len(endings) > 2
