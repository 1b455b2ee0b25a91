"""The model of all rulesets at once, where the truth is known: effects, families, trainings and lines drawn from it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from workbench.statistics.intervals import Floats
from workbench.statistics.joint_model import CellEstimates, JointModel, RuleFactors, rule_factors
from workbench.statistics.search_games import Rung, cell_means
from workbench.statistics.strong_verdicts import SimultaneousLevel

FACTORS = RuleFactors(
    ("who", "where", "how", "when"),
    (("a", "b"), ("a", "b"), ("a", "b", "c"), ("a", "b")),
    np.array([(c, d, a, e) for c in (0, 1) for a in (0, 1, 2) for d in (0, 1) for e in (0, 1)], dtype=np.intp),
)
"""Those of an experiment with 24 rulesets."""
FEW_FACTORS = RuleFactors(
    ("who", "where", "how"),
    (("a", "b"),) * 3,
    np.array([(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)], dtype=np.intp),
)
"""Those of one with eight."""


@dataclass(frozen=True)
class World:
    """How large effects are, in shares: their standard deviations, but for those of rules, which are given."""

    rules: tuple[float, ...] = (-0.04, 0.02, -0.02, -0.08, 0.0)
    pair: float = 0.01
    remainder: float = 0.01
    change: float = 0.007
    family: float = 0.0
    configuration: float = 0.015
    player: float = 0.01
    line: float = 0.16
    games: int = 150
    lines: int = 150
    trainings: int = 4
    budgets: int = 2
    level: float = 0.55
    own_lines: bool = False
    """Whether every player begins with lines in an order of its own, the same under all rulesets."""


def play(world: World, seed: int, factors: RuleFactors | None = FACTORS) -> tuple[CellEstimates, Floats, Floats]:
    """Games of every ruleset and player: their estimates, the truth of each ruleset and that of each change of rules.

    A line moves the normal quantile of the chance, so that its mean over all lines stays what it is, near 0 and 1 too.

    The truth is that of these two families of search, the mean over all trainings that one could have made. Without
    ``factors`` there are two rulesets, of which the second has the first effect.
    """
    chance = np.random.default_rng(seed)
    mains = factors.mains if factors else np.array([[0.0], [1.0]])
    rulesets, effects = mains.shape
    own = np.column_stack([mains, np.eye(rulesets) / 2])
    rules = np.array(world.rules[:effects])
    value = world.level + mains @ rules + chance.normal(0, world.remainder if factors else 0.0, rulesets)
    if factors:
        value += factors.pair_products @ chance.normal(0, world.pair, len(factors.pairs))
    of_family = chance.normal(0, 1, (own.shape[1], 2)) * world.family
    configs = 2 * world.trainings
    of_config = chance.normal(0, world.configuration, (own.shape[1], configs))
    family = np.repeat([0, 1], world.trainings * world.budgets)
    config = np.repeat(np.arange(configs), world.budgets)
    doublings = np.tile(2.0 * np.arange(1 - world.budgets, 1), configs)
    change = own @ chance.normal(0, world.change, own.shape[1])
    players = len(config)
    chances = value[:, None] + change[:, None] * doublings + (own @ of_family)[:, family] + (own @ of_config)[:, config]
    chances += chance.normal(0, world.player, (rulesets, players)) + chance.normal(0, 0.02, configs)[config]
    line = np.tile(np.arange(world.games) % world.lines, (players, 1))
    if world.own_lines:
        line = np.array([chance.permutation(world.lines)[each] for each in line])
    common = math.sin(2 * math.pi * world.line**2)
    quantiles = (
        ndtri(np.clip(chances, 0.005, 0.995)) + math.sqrt(common) * chance.normal(size=world.lines)[line].T[:, None]
    )
    won = chance.random((rulesets, players, world.games)) < ndtr(np.moveaxis(quantiles, 0, 2) / math.sqrt(1 - common))
    cell = np.repeat(np.arange(rulesets * players), world.games)
    rungs = tuple(
        Rung(("ab"[f], str(c), ()), 1, f"{c}-{i}") for i, (f, c) in enumerate(zip(family, config, strict=True))
    )
    ruleset, player = np.repeat(np.arange(rulesets), players), np.tile(np.arange(players), rulesets)
    names = tuple(map(str, range(rulesets)))
    means = cell_means(names, rungs, ruleset, player, won.ravel().astype(float), cell, np.tile(line.ravel(), rulesets))
    units = 2 * np.sqrt(means.unit_variance.reshape(rulesets, players).mean(axis=1))
    cells = CellEstimates(means.values, means.covariance, ruleset, player, units, config, family, doublings)
    truth = value + (own @ of_family).mean(axis=1)
    return cells, truth, factors.averages @ truth if factors else rules


@dataclass(frozen=True)
class Score:
    """How simultaneous intervals of differences from the first ruleset did, over some experiments."""

    half_width: float
    held: float
    """The share of single intervals, of 95 %, that held the truth."""
    all_held: float
    """The share of experiments all of whose simultaneous intervals did."""
    effects_held: float
    effect_half_width: float
    """Of single intervals of the effects of rules."""
    found: float
    """Of true differences of 8 points and more, the share that were shown."""
    level_bias: float
    """The mean error of levels, in shares."""
    levels_held: float
    levels_all_held: float


def score(world: World, experiments: int, seed: int = 0, factors: RuleFactors | None = FACTORS) -> Score:
    """Plays and analyses experiments."""
    widths, held, all_held, effects_held, effect_widths, found = [], [], [], [], [], []
    bias, levels_held, levels_all_held = [], [], []
    for number in range(experiments):
        cells, truth, rules = play(world, seed + number, factors)
        posterior = JointModel(cells, factors).posterior()
        now = posterior.draws[:, posterior.slices["now"]]
        off = np.abs(truth - now.mean(axis=0)) / now.std(axis=0)
        bias.append(float((now.mean(axis=0) - truth).mean()))
        levels_held.append(float((off < 1.96).mean()))
        levels_all_held.append(bool((off < SimultaneousLevel.of(now, 0.05, world.lines).critical).all()))
        draws = now[:, 1:] - now[:, :1]
        mean, deviation, true = draws.mean(axis=0), draws.std(axis=0), truth[1:] - truth[0]
        critical = SimultaneousLevel.of(draws, 0.05, world.lines).critical
        off = np.abs(true - mean) / deviation
        widths.append(float((critical * deviation).mean()))
        held.append(float((off < 1.96).mean()))
        all_held.append(bool((off < critical).all()))
        found += (np.abs(mean) > critical * deviation)[np.abs(true) >= 0.08].tolist()
        if factors:
            effects = posterior.draws[:, posterior.slices["effects"]]
            off = np.abs(rules - effects.mean(axis=0)) / effects.std(axis=0)
            effects_held.append(float((off < 1.96).mean()))
            effect_widths.append(float((1.96 * effects.std(axis=0)).mean()))
    empty = [float("nan")]
    of_all = (widths, held, all_held, effects_held, effect_widths, found, bias, levels_held, levels_all_held)
    return Score(*(float(np.mean(each or empty)) for each in of_all))


def test_what_rules_do_is_found_in_a_factorial() -> None:
    cells, truth, rules = play(World(games=60, lines=60, trainings=2), seed=3)
    posterior = JointModel(cells, FACTORS).posterior()
    effects = [posterior.draws @ posterior.effect(i).now for i in range(len(rules))]
    for draws, true in zip(effects, rules, strict=True):
        assert abs(draws.mean() - true) < 3.5 * draws.std()
    # The change that takes eight points away is the one that is known to.
    assert [float((draws < 0).mean()) > 0.999 for draws in effects].index(True) in (0, 3)
    level = posterior.draws @ posterior.level(0).now
    assert abs(level.mean() - truth[0]) < 3.5 * level.std()


@pytest.mark.thorough
def test_the_same_games_say_the_same() -> None:
    cells, _, _ = play(World(games=30, lines=30, trainings=2, budgets=1), seed=1)
    first, second = (JointModel(cells, FACTORS).posterior().draws for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.thorough
def test_more_games_make_answers_surer_but_for_how_much_players_differ() -> None:
    cells, _, _ = play(World(games=60, lines=60, trainings=2), seed=2)
    model = JointModel(cells, FACTORS)
    deviations = model.posterior().deviations
    variances = [np.diag(model.covariance(deviations, times)) for times in (1.0, 4.0, 1e9)]
    assert (variances[1] <= variances[0] + 1e-12).all() and variances[1].sum() < 0.8 * variances[0].sum()
    assert variances[2].sum() > 0.05 * variances[0].sum()


def test_changes_that_are_combined_are_factors() -> None:
    base = {"size": "8", "who": "a", "where": "x", "near": "1"}
    settings = [
        base,
        base | {"who": "b"},
        base | {"where": "y", "near": "2"},
        base | {"who": "b", "where": "y", "near": "2"},
    ]
    factors = rule_factors(settings, 0)
    assert factors is not None
    assert factors.names == ("who", "where, near")
    assert factors.levels == (("a", "b"), ("x, 1", "y, 2"))
    assert factors.points.tolist() == [[0, 0], [1, 0], [0, 1], [1, 1]]
    assert np.allclose(factors.mains.mean(axis=0), 0.0)


def test_single_changes_combine_nothing() -> None:
    base = {"who": "a", "where": "x"}
    assert rule_factors([base, base | {"who": "b"}, base | {"where": "y"}], 0) is None
    assert rule_factors([base, base], 0) is None


FEW = World((-0.04, 0.02, -0.02), games=60, lines=20, trainings=3, level=0.68)
RARE = replace(
    FEW, rules=(-0.01, 0.01, -0.02), pair=0.005, remainder=0.005, configuration=0.007, player=0.005, level=0.07,
    games=75, lines=75,
)  # fmt: skip
"""A share that is small, such as that of draws."""


def test_levels_are_not_drawn_away_from_one_half() -> None:
    """Lines that all players share make all cells err together; the raw mean of all cells is right on average."""
    off = []
    for seed in range(8):
        cells, _, _ = play(FEW, seed, FEW_FACTORS)
        posterior = JointModel(cells, FEW_FACTORS).posterior()
        off.append(posterior.mean[posterior.slices["now"]].mean() - cells.values.mean())
    assert abs(np.mean(off)) < 0.01, off


@pytest.mark.slow
@pytest.mark.parametrize(
    "world",
    [
        FEW, replace(FEW, games=75, lines=75), replace(FEW, level=0.9, rules=(-0.02, 0.02, -0.02)), RARE,
        replace(FEW, games=75, lines=75, line=0.3, family=0.04), replace(FEW, own_lines=True, games=75, lines=300),
    ],
)  # fmt: skip
def test_levels_are_right(world: World) -> None:
    result = score(world, 200, factors=FEW_FACTORS)
    print(world, result)
    assert abs(result.level_bias) <= 0.005 and result.levels_held >= 0.93 and result.levels_all_held >= 0.92, result
    assert result.held >= 0.93 and result.all_held >= 0.93 and result.effects_held >= 0.93, result


@pytest.mark.slow
def test_intervals_hold_in_a_few_experiments() -> None:
    result = score(World(games=75, lines=75, trainings=2), 40)
    assert result.held >= 0.9 and result.all_held >= 0.85 and result.effects_held >= 0.88, result


@pytest.mark.slow
@pytest.mark.parametrize("family", [0.0, 0.02, 0.04])
def test_intervals_of_the_size_of_a_large_experiment(family: float) -> None:
    """24 rulesets, 16 players, 150 games of each: 57,600 games; see docs/statistics.md for what came out."""
    result = score(World(family=family), 200)
    print(family, result)
    assert 0.93 <= result.held <= 0.98, result
    assert result.all_held >= 0.93, result
    assert 0.93 <= result.effects_held <= 0.98, result
    assert result.half_width <= (0.05 if not family else 0.056) and result.effect_half_width <= 0.025, result
    assert result.found >= 0.99, result
