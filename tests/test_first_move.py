"""The value of moving first and drawishness, against games of known odds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from workbench.statistics.intervals import Estimate, drawishness, first_move_elo, wilson


def test_the_worth_of_the_first_move_is_that_of_its_odds() -> None:
    # Ten wins to one loss are 400 Elo.
    assert first_move_elo(10 / 11) == pytest.approx(400)
    assert first_move_elo(1 / 11) == pytest.approx(-400)
    assert first_move_elo(0.5) == 0
    assert (first_move_elo(1.0), first_move_elo(0.0)) == (math.inf, -math.inf)


def sure(value: float) -> Estimate:
    return Estimate(value, value, value)


def test_drawishness_is_davidsons() -> None:
    # A draw in two games, and of the others as many wins as losses: draws are twice either of them.
    assert drawishness(sure(0.5), sure(0.5)) == pytest.approx(sure(2.0))
    assert drawishness(sure(0.0), sure(0.7)) == sure(0.0)
    assert drawishness(sure(0.9), sure(1.0)).value == math.inf
    # Without a single draw among them, games still leave room for some.
    none = drawishness(Estimate(0.0, 0.0, 0.02), Estimate(0.5, 0.4, 0.6))
    assert none.value == none.low == 0.0 and 0.04 < none.high < 0.05


@pytest.mark.parametrize(("draw", "first"), [(0.25, 0.55), (0.6, 0.8), (0.05, 0.5), (0.9, 0.65)])
def test_the_interval_of_drawishness_holds_the_truth_as_often_as_it_says(draw: float, first: float) -> None:
    rng = np.random.default_rng(7)
    truth = draw / (1 - draw) / math.sqrt(first * (1 - first))
    games, times, held = 400, 4_000, 0
    counts = rng.multinomial(games, [draw, (1 - draw) * first, (1 - draw) * (1 - first)], size=times)
    for drawn, wins, losses in counts.tolist():
        shares = ((k / n, *map(float, wilson(k, n))) for k, n in ((drawn, games), (wins, wins + losses)))
        nu = drawishness(*(Estimate(*share) for share in shares))
        held += nu.low <= truth <= nu.high
    assert 0.94 < held / times < 0.97
