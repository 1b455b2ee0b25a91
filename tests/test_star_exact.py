"""The twin alone comes to the exact values of Star that were computed independently of it and of the engine."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache

import pytest

from tests.naive import star as twin
from tests.naive import star_exact as exact

DEFAULTS: dict[str, str | int | bool] = {
    "foul": "no-undo",
    "pieces": 3,
    "size": 3,
    "opponent_completes": "wins",
    "repetition": 0,
    "stuck": "loss",
}


@lru_cache(maxsize=1)
def graph(foul: str) -> exact.Graph:
    """All states under a reading of the foul; only the last is kept, for each takes some 400 MB."""
    return exact.enumerate_states(DEFAULTS | {"foul": foul})


def value(solved: exact.Graph) -> tuple[int, int]:
    """What the start is worth, and in how many plies."""
    values, plies = exact.solve(solved)
    return values[0], plies[0]


def state(of: twin.Position) -> Hashable:
    """The state itself."""
    return of


def test_game_without_foul() -> None:
    solved = graph("off")
    assert len(solved.states) == solved.count(exact.position) == 22_657
    assert solved.count(exact.board) == 12_217
    assert value(solved) == (exact.DRAW, 0)
    chances = exact.random_play(solved)
    assert chances["first"] == pytest.approx(0.514804420035, abs=5e-13)
    assert chances["plies"] == pytest.approx(14.848426363, abs=5e-10)
    assert chances["draw"] == 0


@pytest.mark.parametrize("foul", ["off", pytest.param("no-undo", marks=pytest.mark.slow)])
def test_opponent_never_completes_a_surrounding(foul: str) -> None:
    # What opponent_completes asks: the piece that a jump passes over stands next to the star's new place, and a piece
    # that is placed or moved is not the other player's.
    assert not any(twin.surrounds(state, state.to_move) for state in graph(foul).states)


@pytest.mark.slow
def test_default_game_has_the_published_size() -> None:
    solved = graph("no-undo")
    assert solved.count(exact.board) == 12_217
    assert solved.count(exact.position) == 22_657
    assert solved.count(exact.state_without_past_at_its_end) == 462_411
    assert solved.count(exact.state_with_last_actions) == 287_609
    assert solved.transitions() == 2_042_636
    assert solved.count(exact.state_without_past_at_its_end, "surrounded") == 1_528
    assert solved.count(state, "stuck") == 6_792


@pytest.mark.slow
@pytest.mark.parametrize(
    ("foul", "first", "plies"),
    [
        ("no-undo", 0.511133708735, 11.778382126),
        ("shape", 0.510871235924, 11.900780242),
        ("own-pieces", 0.511131901467, 11.778290972),
    ],
)
def test_first_wins_in_29_plies_and_random_play_is_nearly_even(foul: str, first: float, plies: float) -> None:
    solved = graph(foul)
    assert value(solved) == (twin.FIRST, 29)
    chances = exact.random_play(solved)
    assert chances["first"] == pytest.approx(first, abs=5e-13)
    assert chances["second"] == pytest.approx(1 - first, abs=5e-13)
    assert chances["plies"] == pytest.approx(plies, abs=5e-10)
    assert chances["draw"] == 0
