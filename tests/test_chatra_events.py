"""What Chatra counts for the questions of its discussion, by twin and by kernel, in games that one can follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from tests.chatra_engines import D, E, position, rules
from tests.engines import Settings, Twin
from tests.naive import chatra as twin
from tests.naive import chatra_events as twin_events
from workbench.engine import contract
from workbench.games.chatra.rules import DECLARATION
from workbench.games.chatra.rules_events import PLACES, RELATIONS
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
@pytest.mark.parametrize(
    ("white", "black", "relation"),
    [
        ("k2", "i4", "one_zone"),
        ("i3", "i5", "side_by_side"),
        ("d4", "f2", "side_by_side"),
        ("h4", "i6", "corner"),
        ("a12", "d4", "facing"),
        ("g3", "g10", "facing"),
        ("h4", "i10", "far"),
        ("a1", "l12", "far"),
    ],
)
def test_how_the_objects_stand_to_each_other(counted: Count, white: str, black: str, relation: str) -> None:
    line = ["f9", f"O{white}", f"O{black}"]
    assert counted(rules(RULES_2007_09), line) == {"drops": 1}, "both objects stand only now"
    stay = counted(rules(RULES_2007_09), [*line, "O" + ("k3" if white == "k2" else beside(white))])
    told = {name for name in stay if name.startswith("plies_")}
    assert told == {f"plies_{relation}"} and stay["early_plies"] == 1
    assert {name.removeprefix("plies_") for name in NAMES if name.startswith("plies_")} == set(RELATIONS)


def beside(square: str) -> str:
    """A neighbour that is farther from the middle of the board."""
    x, y = twin.cell_of(square)
    x, y = (x - 1 if x < 6 else x + 1), (y - 1 if y < 6 else y + 1)
    return twin.name((min(max(x, 0), 11), y if 0 <= y < 12 else (1 if y < 0 else 10)))


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
def test_an_enemy_object_in_the_centre_leaves_the_own_zone_unless_it_ends_the_limits(
    counted: Count,
) -> None:
    line = ["f9", "Oh4", "Oi10", "Oh5", "l12", "a1"]
    seen = counted(rules(RULES_2007_09), line)
    # The lower right zone without the object on i10.
    assert (seen["first_plies_enemy_centre"], seen["first_squares_enemy_centre"]) == (1, 15)
    assert seen["second_plies_own_centre"] == 1 and seen["second_plies_elsewhere"] == 1
    # Everywhere but on the objects, f9 and its eight neighbours.
    seen = counted(rules(), line)
    assert seen["first_squares_enemy_centre"] == 144 - 2 - 9
    # White: nor on l12 and its three neighbours.
    assert seen["second_squares_own_centre"] == 144 - 2 - 9 - 4


@both
def test_with_both_objects_in_the_centre_the_centre_alone_is_open_and_what_does_not_touch_it(counted: Count) -> None:
    # All zones touch the centre, which is the own one of both: White has its 16 squares less the objects on e5 and h8,
    # Black then those that g6 and its eight neighbours leave.
    seen = counted(rules(RULES_2007_09), ["a12", "Oe4", "Oh9", "Oe5", "Oh8", "g6", "Oh9"])
    assert (seen["second_plies_both_centre"], seen["second_squares_both_centre"]) == (1, 14)
    assert (seen["first_plies_both_centre"], seen["first_squares_both_centre"]) == (1, 5)
    assert "first_plies_one_zone" not in seen


@both
def test_a_player_without_subjects_in_hand_has_no_square(counted: Count) -> None:
    setup = position("f9", "a1", black_object="i10", white_object="h5", hands=[0, 6])
    seen = counted(rules({"subjects": 7}), ["f9-f8"], setup)
    assert seen["first_plies_enemy_centre"] == 1 and "first_squares_enemy_centre" not in seen


@both
def test_the_fight_begins_with_the_first_check(counted: Count) -> None:
    seen = counted(rules(RULES_2007_09), ["f9", "Ok2", "Oi4", "a1", "l4", "a12", "l4-l3", "Ol3", "l12", "Ol2"])
    assert (seen["early_plies"], seen["plies_one_zone"], seen["fights_one_zone"]) == (4, 4, 1)
    assert seen["checks"] == 1
    # The check and the answer to it are moves, but no quiet ones.
    assert (seen["drops"], seen["moves"], seen["quiet_moves"]) == (5, 3, 1)


@both
def test_who_stands_in_the_centre_in_the_discussions_line(counted: Count) -> None:
    line = ["f9", "Og3", "Oc5", "e4", "Od6", "h4", "Oe6", "l1", "a12"]
    seen = counted(rules(RULES_2007_09, D), line)
    assert seen["centre_entries"] == 1
    places = {name: n for name, n in seen.items() if "_plies_" in name}
    assert places == {
        "first_plies_elsewhere": 2,
        "second_plies_elsewhere": 2,
        "second_plies_enemy_centre": 1,
        "first_plies_own_centre": 1,
    }
    assert {name.partition("_plies_")[2] for name in NAMES if "_plies_" in name} == set(PLACES)


@both
def test_no_object_is_in_the_centre_before_the_fighting_under_e(counted: Count) -> None:
    seen = counted(rules(RULES_2007_09, E), ["f9", "Oh4", "Oi10", "Oh3", "Oi9", "Oh4"])
    assert seen["first_plies_elsewhere"] + seen["second_plies_elsewhere"] == seen["early_plies"] == 3
