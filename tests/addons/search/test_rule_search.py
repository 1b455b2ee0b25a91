"""The search for rulesets: its model against plain linear algebra, and searches of spaces whose truth is known."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.addons.search.search_games import Chance, observed
from workbench.addons.search import statistics as stats
from workbench.statistics.intervals import Floats

SOLVED = Path(__file__).parents[2] / "calibration" / "solved_space.csv"


def space_of(*counts: int) -> stats.Space:
    return stats.Space(np.array(list(itertools.product(*map(range, counts)))))


def play(
    scores: Floats,
    asked: stats.Indices,
    games: stats.Indices | int,
    rng: np.random.Generator,
    draws: Floats | float = 0.0,
    players: int = 1,
) -> stats.Observations:
    """Games by chance: the first seat scores as the ruleset has it, and so many games are drawn.

    Scores may be those of each player (rulesets × players); the first ``players`` play as many games each.
    """
    scores = scores.reshape(len(scores), -1)
    number = np.zeros(scores.shape, dtype=int)
    np.add.at(number, asked, np.where(np.arange(scores.shape[1]) < players, np.reshape(games, (-1, 1)) // players, 0))
    drawn_share = np.broadcast_to(np.asarray(draws).reshape(-1, 1), scores.shape)
    won = np.clip(scores - drawn_share / 2, 0, 1)
    wins = rng.binomial(number, won)
    drawn = rng.binomial(number - wins, np.clip(drawn_share / np.maximum(1 - won, 1e-9), 0, 1))
    return stats.Observations(number.astype(float), wins + drawn / 2, wins + drawn / 4)


def columns(space: stats.Space, scales: stats.Scales, guide: Floats) -> Floats:
    """A column for the level, each level of a factor, each pair of levels and the guide, as textbooks write the model.

    Each is multiplied by the standard deviation of its effect.
    """
    made = [np.full(len(space), stats.WIDE)]
    factors = range(space.levels.shape[1])
    for f in factors:
        made += [scales.main * (space.levels[:, f] == level) for level in range(space.counts[f])]
    for f, g in itertools.combinations(factors, 2):
        for a, b in itertools.product(range(space.counts[f]), range(space.counts[g])):
            made.append(scales.pair * ((space.levels[:, f] == a) & (space.levels[:, g] == b)))
    made.append(scales.slope * (guide - guide.mean()) / guide.std())
    return np.array(made).T


def test_draws_have_the_mean_and_the_variance_of_a_regression_with_normal_effects() -> None:
    space, scales, rng = space_of(2, 3, 2), stats.Scales(0.1, 0.04, 0.02, 0.06), np.random.default_rng(1)
    guide = rng.normal(0, 3, len(space))
    seen = play(np.linspace(0.3, 0.7, len(space)), np.array([0, 3, 4, 7, 7, 10]), 40, rng)
    game, center = np.sqrt(seen.variance), seen.total.sum() / seen.games.sum()
    x = game * np.hstack([columns(space, scales, guide), scales.remainder * np.eye(len(space))])
    games, total = seen.games[:, 0], seen.total[:, 0]
    played = games > 0
    noise = np.diag(seen.variance / games[played])
    gain = x @ x[played].T @ np.linalg.inv(x[played] @ x[played].T + noise)
    mean = center + gain @ (total[played] / games[played] - center)
    spread = np.sqrt(np.diag(x @ x.T - gain @ x[played] @ x.T))
    posterior = stats.Posterior(stats.Data(space, seen, guide), scales)
    draws = posterior.draws(40_000, rng)
    assert posterior.mean == pytest.approx(mean)
    assert draws.mean(axis=0) == pytest.approx(mean, abs=0.002)
    assert draws.std(axis=0) == pytest.approx(spread, rel=0.03)


def test_the_likelihood_prefers_the_scales_that_made_the_values() -> None:
    space, rng = space_of(2, 3, 2, 2), np.random.default_rng(2)
    small, large = stats.Scales(0.02, 0.006, 0.006), stats.Scales(0.16, 0.006, 0.006)
    for true, other in ((small, large), (large, small)):
        better = 0
        for _ in range(20):
            values = 0.5 + 0.25 * space.prior_draws(true, 1, rng)[0]
            seen = play(np.clip(values, 0.05, 0.95), np.arange(len(space)), 2_000, rng)
            likely = [stats.Posterior(stats.Data(space, seen), scales).log_likelihood for scales in (true, other)]
            better += likely[0] > likely[1]
        assert better >= 16


def test_a_guide_counts_where_it_tells_something_and_is_dropped_where_not() -> None:
    space, rng = space_of(4, 3, 3, 2, 2), np.random.default_rng(4)
    scores = 0.5 + rng.normal(0, 0.1, len(space))
    seen = play(scores, np.arange(0, len(space), 2), 1_000, rng)
    good, useless = scores + rng.normal(0, 0.02, len(space)), rng.normal(0, 1, len(space))
    wrong = {}
    for name, guide in (("good", good), ("useless", useless), ("none", None)):
        data = stats.Data(space, seen, guide)
        scales = stats.fit_scales(data, stats.Scales(slope=0.06))
        wrong[name] = np.abs(stats.Posterior(data, scales).mean - scores)[1::2].mean()
        assert scales.slope >= 0.06 or name != "good"
    assert wrong["good"] < 0.5 * wrong["none"] and wrong["useless"] < 1.15 * wrong["none"]


def test_numbers_walk_and_names_stand_alone() -> None:
    space = stats.Space(np.arange(7)[:, None], ((1, 2, 3, 4, 5, 6),))
    main, _ = space.kernels(np.arange(7))
    assert np.diag(main)[1:].mean() == pytest.approx(1)
    distance = np.diag(main)[:, None] + np.diag(main)[None, :] - 2 * main
    assert all(distance[1, i] < distance[1, i + 1] for i in range(1, 6)), "the farther, the less alike"
    assert distance[1, 2] == pytest.approx(distance[5, 6]), "each step is as large as every other"
    assert (main[0, 1:] == 0).all() and main[0, 0] == 1


def test_what_players_differ_by_is_in_the_error_of_a_mean_however_many_games_they_play() -> None:
    """Six players who differ by 5 points about each of 60 rulesets, and 10 points about all of them."""
    space, rng = space_of(5, 4, 3), np.random.default_rng(5)
    level = rng.normal(0, 0.1, 6)
    for sd in (0.05, 0.0):
        scores = np.clip(0.5 + level + rng.normal(0, sd, (len(space), 6)), 0.01, 0.99)
        sums = rng.binomial(20_000, scores).astype(float)
        seen = stats.Observations(np.full(scores.shape, 20_000.0), sums, sums)
        assert np.sqrt(seen.player_variance) == pytest.approx(sd, abs=0.005)
        error = np.sqrt(stats.Data(space, seen).noise) * np.sqrt(seen.variance)
        expected = np.sqrt(sd**2 / 6 + seen.variance / 120_000)
        assert error == pytest.approx(expected, rel=0.1, abs=0.001)


def test_players_who_join_late_are_no_bias() -> None:
    space, rng = space_of(5, 4, 3), np.random.default_rng(5)
    scores = np.linspace(0.3, 0.6, len(space))[:, None] + np.array([0.0, 0.0, 0.2, 0.2])
    games = np.where((np.arange(len(space)) % 3 == 0)[:, None] | (np.arange(4) < 2), 20_000.0, 0.0)
    sums = rng.binomial(games.astype(int), scores).astype(float)
    seen = stats.Observations(games, sums, sums)
    assert seen.levels == pytest.approx([-0.1, -0.1, 0.1, 0.1], abs=0.005)
    data = stats.Data(space, seen)
    means = data.center + data.unit * data.means
    assert means == pytest.approx(scores.mean(axis=1), abs=0.01)


def test_the_first_sample_has_every_level_about_as_often() -> None:
    space = space_of(2, 3, 4, 2)
    chosen = stats.first_sample(space, 24, np.arange(len(space)), np.random.default_rng(3))
    assert len(set(chosen.tolist())) == 24
    for f, count in enumerate(space.counts):
        times = np.bincount(space.levels[chosen, f], minlength=count)
        assert times.max() - times.min() <= 3


def test_a_contrast_compares_rulesets_that_differ_in_nothing_else() -> None:
    levels = np.array([each for each in itertools.product(range(2), range(3)) if each != (1, 2)])
    space = stats.Space(levels)
    values = np.array([[0.0, 1, 5, 10, 12], [0, 0, 0, 1, 2]])
    assert space.contrasts(values, 0, 1) == pytest.approx([10.5, 1.5])
    assert np.isnan(space_of(1, 2).contrasts(np.zeros((1, 2)), 0, 1)).all()


def test_the_loss_counts_misses_prices_and_what_must_be() -> None:
    aims = (stats.Aim("first_score", 0.47, 0.53, 0.03, 2), stats.Aim("draw_rate", -np.inf, 0.05, 0.025))
    goal = stats.Goal(aims, (stats.Aim("capped_rate", -np.inf, 0.02, 0.01),), np.array([0.0, 1, 2]))
    values = {"first_score": [0.5, 0.56, 0.44], "draw_rate": [0.05, 0.10, 0], "capped_rate": [0, 0, 0.03]}
    losses = goal.loss({name: np.array([each]) for name, each in values.items()})
    assert losses[0] == pytest.approx([0, 1 + 2 + 2, 2 + 2 + stats.FAILED])


def fairness(prices: Floats) -> stats.Goal:
    return stats.Goal((stats.Aim("first_score", 0.5, 0.5, 0.01),), (), prices)


STAGES = {stats.ROUNDS: 1, stats.SAMPLE: 1, stats.RACING: 1}


def searched(
    scores: Floats,
    space: stats.Space,
    prices: Floats,
    seed: int,
    games: int,
    draws: Floats | float = 0.0,
    players: Mapping[str, int] = STAGES,
    chance: Chance | None = None,
) -> tuple[stats.Allocation, list[int]]:
    """A search by games of chance, and its finalists; so many players play the stages. ``chance`` has lines besides."""
    most = scores.reshape(len(scores), -1).shape[1]
    budget = stats.Budget(
        games, each=max(10, *players.values()), fixed_race=players[stats.RACING] > players[stats.ROUNDS]
    )
    search = stats.Allocation(space, fairness(prices), budget, seed, most)
    rng = np.random.default_rng(seed + 1_000_000)
    while asked := search.ask():
        count = players[asked.stage]
        if chance:
            seen = chance.round(scores, *listed(asked.games), count, rng)
        else:
            seen = play(scores, *listed(asked.games), rng, draws, count)
        search.tell(asked, {"first_score": seen})
    return search, list(search.finalists(6))


def listed(games: Mapping[int, int]) -> tuple[stats.Indices, stats.Indices]:
    return np.array([*games]), np.array([*games.values()])


def test_the_same_games_ask_for_the_same_rulesets() -> None:
    space = space_of(2, 2, 3)
    scores = np.linspace(0.4, 0.7, len(space))
    one, two, other = (searched(scores, space, np.zeros(len(space)), seed, 600) for seed in (5, 5, 6))
    games = [search.seen["first_score"].ruleset_games for search, _ in (one, two, other)]
    assert one[1] == two[1] and (games[0] == games[1]).all() and games[0].sum() == 600
    assert (games[0] != games[2]).any()


def test_games_go_to_rulesets_that_may_be_the_best() -> None:
    space = space_of(2, 2, 2, 2)
    scores = np.where(space.levels[:, 0] == 1, 0.5, 0.75)
    search, best = searched(scores, space, np.zeros(len(space)), 7, 3_000)
    even, games = space.levels[:, 0] == 1, search.seen["first_score"].ruleset_games
    assert games[even].sum() > 2 * games[~even].sum()
    assert even[best].all()


def test_quick_players_leave_out_what_fails_a_must_and_nothing_else() -> None:
    space = space_of(2, 3, 2)
    stuck = np.where(space.levels[:, 1] == 2, 0.5, 0.0)
    must = stats.Aim("capped_rate", -np.inf, 0.05, 0.025)
    goal = stats.Goal((stats.Aim("first_score", 0.5, 0.5, 0.01),), (must,), np.zeros(len(space)))
    search = stats.Allocation(space, goal, stats.Budget(600, quick=240), 8)
    rng = np.random.default_rng(9)
    asked = search.ask()
    assert asked and asked.quick and set(asked.games) == set(range(12))
    played = listed(asked.games)
    # By quick players the first player wins nearly always: no reason to leave a ruleset out.
    search.tell(asked, {"first_score": play(np.full(12, 0.95), *played, rng), "capped_rate": play(stuck, *played, rng)})
    assert (search.alive == (stuck == 0)).all()
    asked = search.ask()
    assert asked and not asked.quick and all(stuck[one] == 0 for one in asked.games)


def synthetic(seed: int) -> tuple[stats.Space, Floats, Floats]:
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
    return stats.Space(levels), np.clip(scores, 0.02, 0.98), 0.4 * (levels > 0).sum(axis=1)


DRAWN = 0.3
"""Share of games between equals that are drawn."""


def known_search(
    space: stats.Space, scores: Floats, prices: Floats, seed: int, games: int, chance: Chance
) -> tuple[float, float, bool]:
    """A search with so many games, of which 40 % confirm four finalists.

    Four players play the rounds, these and four more the race, and eight more besides the confirmation. Scores are
    those of all players that there might be.

    How much more than the best it loses in points, how much nearer to one half all games let expect it than it is, and
    whether the simultaneous intervals of fresh games cover the scores of all finalists.
    """
    losses, rng = 100 * np.abs(scores - 0.5) + prices, np.random.default_rng(seed + 2_000_000)
    played = chance.of_players(scores, 16, rng)
    stages = {stats.SAMPLE: 4, stats.ROUNDS: 4, stats.RACING: 8}
    search, _ = searched(played, space, prices, seed, int(0.6 * games), players=stages, chance=chance)
    best = np.array(search.finalists(4))
    lines = chance.lines(16, (games - search.played) // len(best) // 16, rng)
    values = chance.games(played[best], lines, rng)
    search.add({"first_score": observed(values, best, played.shape)})
    search.refit()
    chosen = next(one for one in search.finalists(len(space)) if one in best)
    low, high = stats.fresh_estimates(values, lines).interval
    expected = np.abs(search.posterior("first_score").draws(400, np.random.default_rng(seed))[:, chosen] - 0.5).mean()
    regret = losses[chosen] - losses.min()
    optimism = 100 * (abs(scores[chosen] - 0.5) - expected)
    return regret, optimism, bool(((low <= scores[best]) & (scores[best] <= high)).all())


WORLDS = {
    "games only": Chance(drawn=DRAWN),
    "lines": Chance(line=0.15, drawn=DRAWN, common=0.6),
    "lines of much weight": Chance(line=0.25, drawn=DRAWN, common=0.6),
    "players": Chance(line=0.15, player=0.03, drawn=DRAWN, common=0.6),
}


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_searches_of_a_synthetic_space_come_within_two_points_of_its_best(world: str) -> None:
    """12,000 games, and 30 % of games between equals drawn; finalists share chance, rounds do not."""
    results = [known_search(*synthetic(seed), seed, 12_000, WORLDS[world]) for seed in range(100)]
    regret, optimism, covered = np.array(results, dtype=float).T
    assert np.mean(regret <= 2) >= 0.82
    assert abs(optimism.mean()) <= 0.5
    assert covered.mean() >= 0.9


@pytest.mark.slow
def test_searches_of_solved_rulesets_need_a_fifth_of_the_games_of_a_full_factorial() -> None:
    """168 draughts rulesets on 4×4 squares, whose score between random players is known exactly."""
    table = pd.read_csv(SOLVED)
    table = table[
        (table["capture"] != "huffing")
        & (table["goal"] != "two-kings")
        & table["capture_choice"].isin(["any", "most-pieces"])
        & table["crowning_in_capture"].isin(["ends-move", "becomes-king-and-goes-on"])
    ]
    levels = np.array([pd.factorize(table[name])[0] for name in table.columns[:8]]).T
    levels = levels[:, levels.max(axis=0) > 0]
    assert len(table) == 168
    space, prices = stats.Space(levels), 0.4 * (levels != levels[0]).sum(axis=1)
    drawn = table["draw"].to_numpy()
    scores = table["first"].to_numpy() + drawn / 2
    losses = 100 * np.abs(scores - 0.5) + prices

    def factorial(games: int, seed: int) -> bool:
        each = games // len(space)
        seen = play(scores, np.arange(len(space)), each, np.random.default_rng(seed), drawn)
        return bool(losses[np.argmin(100 * np.abs(seen.total[:, 0] / each - 0.5) + prices)] <= losses.min() + 2)

    games = 12_000
    assert np.mean([factorial(5 * games, seed) for seed in range(200)]) < 0.9
    chance = Chance(drawn=float((drawn / np.maximum(1 - np.abs(2 * scores - 1), 0.05)).mean()))
    found = np.array([known_search(space, scores, prices, seed, games, chance) for seed in range(200)], dtype=float)
    regret, optimism, covered = found.T
    assert np.mean(regret <= 2) >= 0.9
    assert abs(optimism.mean()) <= 0.6
    assert covered.mean() >= 0.9


@pytest.mark.slow
def test_a_space_in_which_nothing_matters_is_rarely_called_fairer() -> None:
    """All 968 rulesets score 60 %: a finalist is called fairer only if its simultaneous interval says so."""
    space, _, _ = synthetic(0)
    scores, prices = np.full(len(space), 0.6), np.zeros(len(space))
    fairer = 0
    for seed in range(100):
        search, _ = searched(scores, space, prices, seed, 3_600, DRAWN)
        best = search.finalists(4)
        fresh = play(scores, np.array([*best, 0]), 480, np.random.default_rng(seed + 2_000_000), DRAWN)
        mean = (fresh.total / np.maximum(fresh.games, 1))[:, 0]
        error = np.sqrt(2 * fresh.variance / 480)
        fairer += any(abs(mean[0] - 0.5) - abs(mean[one] - 0.5) > 2.50 * error for one in best if one != 0)
    assert fairer <= 5
