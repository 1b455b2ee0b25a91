"""Which games a ladder plays: neighbours first, then where steps are unsure, always the same ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.addons.ladder.test_ladder_statistics import chances
from workbench.addons.ladder.statistics import MIN_LINES, OUTCOMES, LadderSchedule, count_first_games, fit_ladder

Goal = dict[tuple[str, str], int]
PLAYERS = ["p0", "p1", "p2", "p3"]


def outcome(elo: dict[str, float], first: str, second: str, game: int) -> str:
    rng = np.random.default_rng([*map(ord, first + second), game])
    return OUTCOMES[int((chances(elo[first] - elo[second], 30, 0.3).cumsum() < rng.random()).sum())]


def records(goal: Goal, elo: dict[str, float]) -> pd.DataFrame:
    rows = [
        (first, second, game, game, outcome(elo, first, second, game))
        for (first, second), count in goal.items()
        for game in range(count)
    ]
    return pd.DataFrame(rows, columns=["first", "second", "game", "line", "result"])


def run(schedule: LadderSchedule, elo: dict[str, float]) -> tuple[Goal, list[Goal]]:
    goal: Goal = {}
    asked = []
    while (now := schedule.games_per_seating(records(goal, elo))) != goal:
        goal = now
        asked.append(goal)
    return goal, asked


ELO = dict(zip(PLAYERS, (0.0, 200.0, 260.0, 500.0), strict=True))


def test_it_begins_with_neighbours_and_next_neighbours_in_both_seats() -> None:
    _, asked = run(LadderSchedule(PLAYERS, 60, 2_000, 500), ELO)
    pairs = {frozenset(seating) for seating in asked[0]}
    assert pairs == {frozenset(pair) for pair in (("p0", "p1"), ("p1", "p2"), ("p2", "p3"), ("p0", "p2"), ("p1", "p3"))}
    assert set(asked[0].values()) == {MIN_LINES}
    assert sum(asked[0].values()) == count_first_games(4) == 200


def test_it_ends_when_all_steps_are_as_sure_as_asked() -> None:
    goal, asked = run(LadderSchedule(PLAYERS, 60, 20_000, 2_000), ELO)
    ladder = fit_ladder(records(goal, ELO), PLAYERS)
    assert all(step.wider_side <= 60 or step.low >= 400 for step in ladder.steps.values())
    before = fit_ladder(records(asked[-2], ELO), PLAYERS)
    assert any(step.wider_side > 60 and step.low < 400 for step in before.steps.values())
    assert all(goal[first, second] == goal[second, first] for first, second in goal)


@pytest.mark.parametrize("games", [200, 250, 700])
def test_it_never_asks_for_more_games_than_it_may(games: int) -> None:
    goal, _ = run(LadderSchedule(PLAYERS, 1, games, 10_000), ELO)
    assert games - 2 < sum(goal.values()) <= games


def test_no_pair_plays_more_than_its_lines_bear() -> None:
    goal, _ = run(LadderSchedule(PLAYERS, 1, 100_000, 30), ELO)
    assert max(goal.values()) == 30


def test_the_same_games_are_asked_for_however_many_are_there_already() -> None:
    goal, asked = run(LadderSchedule(PLAYERS, 60, 20_000, 2_000), ELO)
    assert len(asked) > 2
    # After a kill a new schedule sees what is there; part of a stage is not enough to go on.
    part = records(asked[1], ELO)
    assert LadderSchedule(PLAYERS, 60, 20_000, 2_000).games_per_seating(part[part["game"] < MIN_LINES]) == asked[1]
    # Less certainty takes nothing back.
    for precision in (60, 200):
        assert LadderSchedule(PLAYERS, precision, 20_000, 2_000).games_per_seating(records(goal, ELO)) == goal


def test_games_go_to_the_players_whose_order_is_unsure() -> None:
    elo = {"p0": 0.0, "p1": 600.0, "p2": 610.0, "p3": 1_100.0}
    goal, _ = run(LadderSchedule(PLAYERS, 40, 4_000, 5_000), elo)
    assert goal["p1", "p2"] > 5 * goal["p0", "p1"]


def test_players_that_turn_out_in_another_order_meet_their_true_neighbours() -> None:
    elo = {"p0": 400.0, "p1": 0.0, "p2": 200.0, "p3": 420.0}
    goal, asked = run(LadderSchedule(PLAYERS, 60, 6_000, 5_000), elo)
    assert ("p0", "p3") not in asked[0]
    assert goal["p0", "p3"] > MIN_LINES
