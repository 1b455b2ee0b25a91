"""Handicaps to order: the curve, its interval, where games are played, and the command."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import numpy as np
import pytest

import workbench as wb
from tests.command_line import call, printed
from workbench.run.handicap import Handicap, Play, search_even
from workbench.statistics.handicap import even_amount


def games_of(true: float, slope: float, amounts: Sequence[float], draws: float, rng: np.random.Generator) -> Play:
    """Games whose first player scores one half at the true amount."""

    def play(place: int, start: int, stop: int) -> tuple[int, int, int]:
        score = 1 / (1 + math.exp(-slope * (amounts[place] - true)))
        drawn = draws * 4 * score * (1 - score)
        wins, even, losses = rng.multinomial(stop - start, [score - drawn / 2, drawn, 1 - score - drawn / 2])
        return int(wins), int(even), int(losses)

    return play


def test_the_curve_goes_through_scores_that_lie_on_one() -> None:
    amounts = [0.0, 2.0, 4.0, 6.0]
    results = [(round(1e6 / (1 + math.exp(0.4 * (x - 3)))), 0, 0) for x in amounts]
    found = even_amount(amounts, [(wins, 0, 1_000_000 - wins) for wins, _, _ in results])
    assert found.even == pytest.approx(3, abs=1e-3) and found.slope == pytest.approx(-0.4, abs=1e-3)
    assert found.score(3) == pytest.approx(0.5, abs=1e-3)
    assert found.low < 3 < found.high and found.high - found.low < 0.02
    # Draws make a score surer.
    few = even_amount([0, 1], [(30, 0, 20), (20, 0, 30)])
    drawn = even_amount([0, 1], [(10, 40, 0), (0, 40, 10)])
    assert few.even == pytest.approx(drawn.even, abs=1e-3)
    assert few.low < drawn.low < drawn.high < few.high


def test_where_the_amount_may_not_matter_the_interval_has_no_ends() -> None:
    found = even_amount([0, 1, 2], [(25, 0, 25), (26, 0, 24), (25, 0, 25)])
    assert (found.low, found.high) == (-math.inf, math.inf)
    certain = even_amount([0, 1], [(50, 0, 0), (0, 0, 50)])
    assert certain.even == pytest.approx(0.5) and 0 <= certain.low < certain.high <= 1


def test_games_are_played_near_the_answer() -> None:
    amounts = [k / 2 for k in range(101)]
    found = search_even(amounts, 1000, games_of(6.3, -0.3, amounts, 0.1, np.random.default_rng(1)))
    counts = [sum(result) for result in found.results]
    assert sum(counts) == 1000 and sum(counts[: amounts.index(12.5)]) > 750
    assert amounts[found.nearest] == pytest.approx(6.3, abs=1.5) and found.is_within


@pytest.mark.slow
@pytest.mark.parametrize(
    ("true", "slope", "amounts", "draws", "games"),
    [
        (5.6, -0.12, [k / 2 for k in range(41)], 0.0, 1000),
        (2.3, -0.5, list(range(8)), 0.3, 600),
        (0.4, 0.8, [0, 1, 2, 3], 0.1, 400),
        (6.5, -0.05, [k / 2 for k in range(41)], 0.0, 4000),
    ],
)
def test_the_interval_covers_in_95_of_100_cases(
    true: float, slope: float, amounts: list[float], draws: float, games: int
) -> None:
    rng, times = np.random.default_rng(7), 1000
    covered = 0
    for _ in range(times):
        found = search_even(amounts, games, games_of(true, slope, amounts, draws, rng)).found
        covered += found.low <= true <= found.high
    # Three standard errors of 1,000 tries.
    assert 0.925 <= covered / times <= 0.975


def test_several_rulesets_are_steps_of_a_handicap() -> None:
    names = ["star/four-pieces", "star/default", "star/two-pieces"]
    found = wb.handicap(names, agent="random", games=200, seed=3)
    assert found.table["games"].sum() == 200 and set(found.table["ruleset"]) <= set(names)
    assert found.nearest.name in names
    again = json.loads(printed("handicap", *names, "--agent", "random", "--games", "200", "--seed", "3", "--json"))
    assert [each["score"] for each in again["games"]] == pytest.approx(found.table["score"].tolist())
    assert (
        str(found).splitlines()
        == printed("handicap", *names, "--agent", "random", "--games", "200", "--seed", "3").splitlines()
    )


def test_a_rule_with_numbers_is_a_handicap() -> None:
    found = wb.handicap("star/default", "pieces", high=3, agent="random", games=100)
    assert found.table["amount"].tolist() == [2.0, 3.0]
    for words, told in (
        (("star/default", "--toggle", "foul"), "expected a rule that takes numbers, found 'foul'"),
        (("star/default",), "expected two amounts or more, found 1"),
        (("star/default", "star/4x4", "--toggle", "pieces"), "expected one ruleset with a toggle"),
    ):
        result = call("handicap", *words)
        assert result.exit_code == 2 and told in result.output


def test_an_answer_beyond_all_amounts_is_told() -> None:
    from workbench.run.handicap import describe

    results = ((900, 0, 100), (800, 0, 200))
    told = describe(Handicap((0.0, 1.0), results, even_amount([0, 1], results)), ["a", "b"], "greedy")
    assert str(told[-1]) == "That is beyond the amounts that may be played."
    flat = describe(Handicap((0.0, 1.0), ((5, 0, 5),) * 2, even_amount([0, 1], [(5, 0, 5)] * 2)), ["a", "b"], "greedy")
    assert "no amount can be named" in flat[-1]
