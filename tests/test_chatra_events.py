"""What Chatra counts for the questions of its discussion, by twin and by kernel, in games that one can follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from tests.chatra_engines import position, rules
from tests.engines import Settings, Twin
from tests.naive import chatra_events as twin_events
from workbench.engine import contract
from workbench.games.chatra.rules import DECLARATION
from workbench.games.declaration import Setting
from workbench.games.game_state import GameState

NAMES = [event.name for event in DECLARATION.events]
RULES_2007_09: dict[str, Setting] = {"limits_end": "check"}


def by_twin(settings: Settings, moves: list[str], setup: Mapping[str, object] | None = None) -> Counter[str]:
    """What the slow twin counts in a game."""
    played = Twin("chatra").played(settings, moves, setup)
    counts: Counter[str] = Counter()
    for before, move, after in zip(played, moves, played[1:], strict=False):
        counts.update(twin_events.of_move(settings, before, move, after))
    return +counts


def by_kernel(settings: Settings, moves: list[str], setup: Mapping[str, object] | None = None) -> Counter[str]:
    """What the kernel counts in a game."""
    game_state = GameState("chatra", DECLARATION.codes(settings), setup)
    counts = np.zeros(len(NAMES), np.int32)
    for move in moves:
        before = game_state.state.copy()
        game_state.push_text(move)
        contract.events(game_state.rules, before, game_state.played[-1], game_state.state, counts)
    return Counter({name: int(n) for name, n in zip(NAMES, counts, strict=True) if n})


Count = Callable[..., Counter[str]]
both = pytest.mark.parametrize("counted", [by_twin, by_kernel])


@both
def test_the_squares_open_to_drops(counted: Count) -> None:
    # In the upper right zone and in the three on the left: 64 squares, less that of the own object on i3. On i4 a
    # subject would give check; another rule forbids that.
    seen = counted(rules(RULES_2007_09), ["f9", "Oi3", "Oi5", "a1"])
    assert (seen["second_plies_elsewhere"], seen["second_squares_elsewhere"]) == (1, 63)
    assert not any(name.startswith("first_") for name in seen)
    # Both in the upper right zone: it is open but for the objects, and the five zones that do not touch it are, but for
    # f9 and its five neighbours there.
    seen = counted(rules(RULES_2007_09), ["f9", "Ok2", "Oi4", "a1"])
    assert seen["second_plies_one_zone"] == 1
    assert seen["second_squares_one_zone"] == (16 - 2) + (5 * 16 - 6)


@both
def test_a_player_without_subjects_in_hand_has_no_square(counted: Count) -> None:
    setup = position("f9", "a1", black_object="i10", white_object="h5", hands=[0, 6])
    seen = counted(rules({"subjects": 7}), ["f9-f8"], setup)
    assert seen["first_plies_enemy_centre"] == 1 and "first_squares_enemy_centre" not in seen
