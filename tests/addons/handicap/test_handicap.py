"""Handicaps to order: the curve, its interval, where games are played, and the command."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import workbench as wb
from tests.command_line import call, printed
from workbench.addons.handicap.even import MISFIT, NAMED, OPEN, Handicap, Play, describe, even_amount, search_even
from workbench.base.language import translated

HALVES = [k / 2 for k in range(41)]
TWELVE = list(range(13))


def logistic(log_odds: Any) -> Any:
    return 1 / (1 + np.exp(-np.asarray(log_odds, dtype=float)))


def line(even: float, slope: float) -> Callable[[Any], Any]:
    return lambda x: logistic(slope * (x - even))


def kinked(even: float, slope: float, times: float) -> Callable[[Any], Any]:
    return lambda x: logistic(np.where(x < even, slope, slope * times) * (x - even))


def points(*scores: float) -> Callable[[Any], Any]:
    """Scores at 0, 1, 2 …, and straight lines between them."""
    return lambda x: np.interp(x, range(len(scores)), scores)


CURVES: dict[str, tuple[Sequence[float], Callable[[Any], Any]]] = {
    "falls": (HALVES, line(6.3, -0.3)),
    "falls slowly": (HALVES, line(6.5, -0.05)),
    "falls in few steps": (range(8), line(2.3, -0.5)),
    "rises": (range(4), line(0.4, 0.8)),
    "kink at the even amount": (HALVES, kinked(8.3, -0.2, 2.2)),
    "kink, few amounts": (TWELVE, kinked(6, -0.25, 2.2)),
    "sharp kink": (HALVES, kinked(8.3, -0.2, 4)),
    "flatter above": (HALVES, kinked(8.3, -0.2, 1 / 2.2)),
    "flat at both ends": (HALVES, lambda x: 0.2 + 0.6 * logistic(-0.8 * (x - 9.2))),
    "flat below one half": (HALVES, lambda x: 0.44 + 0.5 * np.exp(-x / 4)),
    "step": (HALVES, lambda x: 0.3 + 0.4 * logistic(-8 * (x - 7.3))),
    "falls and rises": (HALVES, lambda x: logistic(0.03 * (x - 10) ** 2 - 1)),
    "falls and rises, never even": (HALVES, lambda x: logistic(0.02 * (x - 10) ** 2 + 0.1)),
    "rises and falls": (TWELVE, lambda x: logistic(1 - 0.06 * (x - 3) ** 2)),
    "rises and falls, never even": (HALVES, lambda x: logistic(-0.02 * (x - 10) ** 2 - 0.1)),
    "waves": (HALVES, lambda x: logistic(0.8 * np.sin(x))),
    "waves on a slope": (HALVES, lambda x: logistic(-0.1 * (x - 10) + 0.5 * np.sin(1.5 * x))),
    "even and odd sizes": (range(9), points(0.5, 0.85, 0.2, 0.8, 0.3, 0.775, 0.35, 0.7, 0.4)),
    "one size apart": (range(8), points(0.7, 0.7, 0.7, 0.7, 0.45, 0.7, 0.7, 0.7)),
    "falls at the end": (range(8), points(0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.58, 0.45)),
    "always even": (TWELVE, points(0.5, 0.5)),
    "nearly even": (TWELVE, points(0.53, 0.53)),
    "never even": (TWELVE, points(0.6, 0.6)),
    "falls, never even": (TWELVE, lambda x: 0.52 + 0.3 * np.exp(-x / 3)),
}


def games_of(curve: Callable[[Any], Any], amounts: Sequence[float], draws: float, rng: np.random.Generator) -> Play:
    """Games of a curve, of which so many are drawn between equals."""

    def play(place: int, start: int, stop: int) -> tuple[int, int, int]:
        score = float(curve(amounts[place]))
        drawn = draws * 2 * min(score, 1 - score)
        wins, even, losses = rng.multinomial(stop - start, [score - drawn / 2, drawn, 1 - score - drawn / 2])
        return int(wins), int(even), int(losses)

    return play


def outcomes(name: str, games: int, draws: float, times: int) -> tuple[float, float]:
    amounts, curve = CURVES[name]
    grid = np.linspace(amounts[0], amounts[-1], 20_001)
    even = grid[:-1][np.diff(curve(grid) > 0.5)]
    rng, named, wrong = np.random.default_rng([games, *name.encode()]), 0, 0
    for _ in range(times):
        found = search_even(amounts, games, games_of(curve, amounts, draws, rng)).even
        if found.verdict == NAMED:
            named += 1
            assert amounts[0] <= found.low <= found.even <= found.high <= amounts[-1]
            wrong += not ((even >= found.low - 0.001) & (even <= found.high + 0.001)).any()
        else:
            assert all(map(math.isnan, (found.even, found.low, found.high)))
    return named / times, wrong / times


def test_the_curve_goes_through_scores_that_lie_on_one() -> None:
    amounts = [0.0, 2.0, 4.0, 6.0]
    wins = [round(1e6 * float(line(3, -0.4)(x))) for x in amounts]
    found = even_amount(amounts, [(won, 0, 1_000_000 - won) for won in wins])
    assert found.verdict == NAMED
    assert found.even == pytest.approx(3, abs=1e-3) and found.slope == pytest.approx(-0.4, abs=1e-3)
    assert found.low < 3 < found.high and found.high - found.low < 0.03
    # Draws make a score surer.
    few = even_amount([0, 1], [(300, 0, 200), (200, 0, 300)])
    drawn = even_amount([0, 1], [(100, 400, 0), (0, 400, 100)])
    assert few.even == pytest.approx(drawn.even, abs=1e-3)
    assert few.low < drawn.low < drawn.high < few.high


def test_where_the_score_may_not_pass_one_half_no_amount_is_named() -> None:
    for results in ([(25, 0, 25), (26, 0, 24), (25, 0, 25)], [(900, 0, 100), (800, 0, 200), (700, 0, 300)]):
        found = even_amount([0, 1, 2], results)
        assert found.verdict == OPEN and math.isnan(found.even) and math.isnan(found.low)
    certain = even_amount([0, 1], [(50, 0, 0), (0, 0, 50)])
    assert certain.even == pytest.approx(0.5, abs=0.01) and 0 <= certain.low < certain.high <= 1


def test_what_was_measured_is_not_contradicted() -> None:
    """Size 5 scored 77.5 % of 400 games: no curve may say 45.5 % of it."""
    sizes = (3.0, 4.0, 5.0, 6.0, 7.0)
    results = ((12, 0, 38), (160, 0, 40), (310, 0, 90), (60, 0, 240), (15, 0, 35))
    found = Handicap(sizes, results, even_amount(sizes, results))
    assert found.even.verdict == MISFIT and sizes[found.nearest] == 7
    said = [translated(text, "en") for text in describe(found, [f"size {size:g}" for size in sizes], "greedy")]
    assert said[2] == "size 5: 400 games; the first player scores 77.5 % (73.2 to 81.3)"
    assert "No even amount" in said[5] and not any("even at" in text for text in said)


def test_games_are_played_near_the_answer() -> None:
    amounts = [k / 2 for k in range(101)]
    found = search_even(amounts, 1000, games_of(line(6.3, -0.3), amounts, 0.1, np.random.default_rng(1)))
    counts = [sum(result) for result in found.results]
    assert sum(counts) == 1000 and sum(counts[: amounts.index(12.5)]) > 750
    assert found.even.verdict == NAMED and amounts[found.nearest] == pytest.approx(6.3, abs=1.5)


@pytest.mark.thorough
def test_an_even_amount_is_seldom_wrong_whatever_the_curve() -> None:
    """Each of these was wrong in most searches when the curve was believed; see the slow test for all of them."""
    times = 25
    for name in ("kink at the even amount", "sharp kink", "even and odd sizes", "one size apart", "falls, never even"):
        assert outcomes(name, 400, 0.2, times)[1] <= 0.08, name
    assert outcomes("falls", 400, 0.2, times)[0] >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize("draws", [0, 0.6])
@pytest.mark.parametrize("games", [100, 400, 2000, 6000])
@pytest.mark.parametrize("name", CURVES)
def test_an_even_amount_is_wrong_in_at_most_one_of_twenty_searches(name: str, games: int, draws: float) -> None:
    times = 300
    named, wrong = outcomes(name, games, draws, times)
    assert wrong <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / times)
    if name in ("falls", "falls in few steps") and games > 100:
        assert named >= 0.85


def test_several_rulesets_are_steps_of_a_handicap() -> None:
    names = ["star/four-pieces", "star/default", "star/two-pieces"]
    found = wb.handicap(names, agent="random", games=200, seed=3)
    assert found.table["games"].sum() == 200 and set(found.table["ruleset"]) <= set(names)
    assert found.nearest.name in names and found.verdict in (NAMED, MISFIT, OPEN)
    again = json.loads(printed("handicap", *names, "--agent", "random", "--games", "200", "--seed", "3", "--json"))
    assert again["verdict"] == found.verdict and (again["even"] is None) == math.isnan(found.even)
    assert [each["score"] for each in again["games"]] == pytest.approx(found.table["score"].tolist())
    assert (
        str(found).splitlines()
        == printed("handicap", *names, "--agent", "random", "--games", "200", "--seed", "3").splitlines()
    )


def test_a_rule_with_numbers_is_a_handicap() -> None:
    found = wb.handicap("star/default", "pieces", high=3, agent="random", games=100)
    assert found.table["amount"].tolist() == [2.0, 3.0]
    for words, told in (
        (("star/default", "--toggle", "foul"), "expected a numeric rule, found 'foul'"),
        (("star/default",), "expected at least two amounts, found 1"),
        (("star/default", "star/4x4", "--toggle", "pieces"), "expected a toggle for one ruleset"),
    ):
        result = call("handicap", *words)
        assert result.exit_code == 2 and told in result.output


def test_what_is_told_follows_the_verdict() -> None:
    high, low, none = (900, 0, 100), (200, 0, 800), (0, 0, 0)
    for results, words in (
        ((high, (800, 0, 200)), "not certain that the scores cross one half"),
        ((high, low), "the game is even at 0.6"),
        ((high, none, low), ""),
    ):
        amounts = [float(number) for number, result in enumerate(results) if result != none]
        found = even_amount(amounts, [result for result in results if result != none])
        told = describe(Handicap(tuple(map(float, range(len(results)))), results, found), ["a", "b", "b"], "greedy")
        assert words in told[-2] and re.search(r"\bb\b", told[-1])
