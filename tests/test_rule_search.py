"""The search for rulesets: its model against plain linear algebra, and searches of spaces whose truth is known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from workbench.statistics.intervals import Floats
from workbench.statistics.rule_search import (
    WIDE,
    Allocation,
    Data,
    Indices,
    Observations,
    Posterior,
    Scales,
    Space,
    first_sample,
)


def space_of(*counts: int, ordered: tuple[bool, ...] = ()) -> Space:
    """All combinations of factors with so many levels."""
    levels = np.array(list(itertools.product(*map(range, counts))))
    return Space(levels, ordered or (False,) * len(counts))


def play(scores: Floats, asked: Indices, games: int, rng: np.random.Generator) -> Observations:
    """Games without draws whose first seat wins with the chance that is the score of the ruleset."""
    number = np.zeros(len(scores))
    np.add.at(number, asked, games)
    wins = rng.binomial(number.astype(int), scores).astype(float)
    return Observations(number, wins, wins)


def columns(space: Space, scales: Scales) -> Floats:
    """A column for the level, each level of a factor and each pair of levels: the model as textbooks write it.

    Each is multiplied by the standard deviation of its effect.
    """
    made = [np.full(len(space), WIDE)]
    factors = range(space.levels.shape[1])
    for f in factors:
        made += [scales.main * (space.levels[:, f] == level) for level in range(space.counts[f])]
    for f, g in itertools.combinations(factors, 2):
        for a, b in itertools.product(range(space.counts[f]), range(space.counts[g])):
            made.append(scales.pair * ((space.levels[:, f] == a) & (space.levels[:, g] == b)))
    return np.array(made).T


def test_draws_have_the_mean_and_the_variance_of_a_regression_with_normal_effects() -> None:
    space, scales, rng = space_of(2, 3, 2), Scales(0.05, 0.02, 0.01), np.random.default_rng(1)
    seen = play(np.linspace(0.3, 0.7, len(space)), np.array([0, 3, 4, 7, 7, 10]), 40, rng)
    x = np.hstack([columns(space, scales), scales.remainder * np.eye(len(space))])
    played = seen.games > 0
    noise = np.diag(seen.variance / seen.games[played])
    gain = x @ x[played].T @ np.linalg.inv(x[played] @ x[played].T + noise)
    mean = 0.5 + gain @ (seen.total[played] / seen.games[played] - 0.5)
    spread = np.sqrt(np.diag(x @ x.T - gain @ x[played] @ x.T))
    draws = Posterior(Data(space, seen), scales).draws(40_000, rng)
    assert draws.mean(axis=0) == pytest.approx(mean, abs=0.002)
    assert draws.std(axis=0) == pytest.approx(spread, rel=0.03)


def test_the_likelihood_prefers_the_scales_that_made_the_values() -> None:
    space, rng = space_of(2, 3, 2, 2), np.random.default_rng(2)
    small, large = Scales(0.01, 0.003, 0.003), Scales(0.08, 0.003, 0.003)
    for true, other in ((small, large), (large, small)):
        better = 0
        for _ in range(20):
            values = 0.5 + space.prior_draws(true, 1, rng)[0] * 0.5
            seen = play(np.clip(values, 0.05, 0.95), np.arange(len(space)), 2_000, rng)
            likely = [Posterior(Data(space, seen), scales).log_likelihood for scales in (true, other)]
            better += likely[0] > likely[1]
        assert better >= 16


def test_levels_in_order_walk() -> None:
    space = space_of(6, ordered=(True,))
    main, _ = space.kernels(np.arange(6), np.arange(6))
    assert np.diag(main).mean() == pytest.approx(1)
    distance = np.diag(main)[:, None] + np.diag(main)[None, :] - 2 * main
    assert all(distance[0, i] < distance[0, i + 1] for i in range(5)), "the farther, the less alike"
    assert distance[0, 1] == pytest.approx(distance[4, 5]), "each step is as large as every other"


def test_the_first_sample_has_every_level_about_as_often() -> None:
    space = space_of(2, 3, 4, 2)
    chosen = first_sample(space, 24, np.random.default_rng(3))
    assert len(set(chosen.tolist())) == 24
    for f, count in enumerate(space.counts):
        times = np.bincount(space.levels[chosen, f], minlength=count)
        assert times.max() - times.min() <= 3


def searched(scores: Floats, space: Space, prices: Floats, seed: int, games: int) -> tuple[Allocation, list[int]]:
    """A search by games of chance, and its finalists."""
    search = Allocation(space, lambda values: 100 * np.abs(values - 0.5) + prices, seed)
    rng = np.random.default_rng(seed + 1_000_000)
    while search.seen.games.sum() < games:
        search.tell(play(scores, search.ask(), search.games, rng))
    return search, list(search.finalists(6))


def test_the_same_games_ask_for_the_same_rulesets() -> None:
    space = space_of(2, 2, 3)
    scores = np.linspace(0.4, 0.7, len(space))
    one, two, other = (searched(scores, space, np.zeros(len(space)), seed, 600) for seed in (5, 5, 6))
    assert one[1] == two[1] and (one[0].seen.games == two[0].seen.games).all()
    assert (one[0].seen.games != other[0].seen.games).any()


def test_games_go_to_rulesets_that_may_be_the_best() -> None:
    space = space_of(2, 2, 2, 2)
    scores = np.where(space.levels[:, 0] == 1, 0.5, 0.75)
    search, best = searched(scores, space, np.zeros(len(space)), 7, 3_000)
    even = space.levels[:, 0] == 1
    assert search.seen.games[even].sum() > 2 * search.seen.games[~even].sum()
    assert even[best].all()


def synthetic(seed: int) -> tuple[Space, Floats, Floats]:
    """A space of 968 rulesets with effects of single choices, of pairs, and remainders; scores and prices."""
    counts = (2, 2, 2, 3, 3, 2, 2, 2, 2)
    rng = np.random.default_rng(seed)
    levels = np.array(list(itertools.product(*map(range, counts))))
    refused = (levels[:, 0] == 1) & (levels[:, 1] == 1) & (levels[:, 3] == 2)
    refused |= (levels[:, 4] == 2) & (levels[:, 5] == 1) & (levels[:, 6] == 1)
    levels = levels[~refused]
    scores = np.full(len(levels), 0.62)
    for f, count in enumerate(counts):
        scores += np.append(0, rng.normal(0, 0.03, count - 1))[levels[:, f]]
    for f, g in itertools.combinations(range(len(counts)), 2):
        effects = np.zeros((counts[f], counts[g]))
        effects[1:, 1:] = rng.normal(0, 0.01, (counts[f] - 1, counts[g] - 1))
        scores += effects[levels[:, f], levels[:, g]]
    scores += rng.normal(0, 0.006, len(levels))
    return Space(levels, (False,) * len(counts)), np.clip(scores, 0.02, 0.98), 0.4 * (levels > 0).sum(axis=1)


@pytest.mark.slow
def test_searches_of_a_known_space_come_within_two_points_of_its_best() -> None:
    """60 % of 12,000 games search, the rest confirm six finalists; the choice is by the model with all games.

    Of 100 searches 83 came so near (27 November 2026); with a first sample a third as large 87.
    """
    near, optimism = [], []
    for seed in range(100):
        space, scores, prices = synthetic(seed)
        loss = 100 * np.abs(scores - 0.5) + prices
        search, best = searched(scores, space, prices, seed, 7_200)
        rng = np.random.default_rng(seed + 2_000_000)
        fresh = play(scores, np.array(best), 800, rng)
        search.tell(fresh)
        chosen = next(one for one in search.finalists(len(space)) if one in best)
        near.append(loss[chosen] - loss.min() <= 2)
        optimism.append(abs(fresh.total[chosen] / 800 - 0.5) - abs(scores[chosen] - 0.5))
    assert np.mean(near) >= 0.75
    assert abs(100 * np.mean(optimism)) <= 1.0
