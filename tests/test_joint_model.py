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
    change_apart: float = 0.004
    """By family and by configuration."""
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
    alike: tuple[float, float] = (0.0, 0.0)
    """The chance that a game meets the same chance as under all rulesets: of trainings with weights in common (the
    first half) under the first and the last ruleset, linear between. Of the others it is a fifth."""


def play(world: World, seed: int, factors: RuleFactors | None = FACTORS) -> tuple[CellEstimates, dict[str, Floats]]:
    """Games of every ruleset and player: their estimates, and the truth by the names of answers.

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
    change_of_family = chance.normal(0, world.change_apart, (own.shape[1], 2))
    change_of_config = chance.normal(0, world.change_apart, (own.shape[1], configs))
    change = (own @ chance.normal(0, world.change, own.shape[1]))[:, None]
    changes = change + (own @ change_of_family)[:, family] + (own @ change_of_config)[:, config]
    players = len(config)
    is_common = config % world.trainings < world.trainings / 2
    chances = value[:, None] + changes * doublings + (own @ of_family)[:, family] + (own @ of_config)[:, config]
    chances += chance.normal(0, world.player, (rulesets, players)) + chance.normal(0, 0.02, configs)[config]
    line = np.tile(np.arange(world.games) % world.lines, (players, 1))
    if world.own_lines:
        line = np.array([chance.permutation(world.lines)[each] for each in line])
    common = math.sin(2 * math.pi * world.line**2)
    quantiles = (
        ndtri(np.clip(chances, 0.005, 0.995)) + math.sqrt(common) * chance.normal(size=world.lines)[line].T[:, None]
    )
    share = np.linspace(*world.alike, rulesets)[:, None] * np.where(is_common, 1.0, 0.2)
    everywhere = chance.random((rulesets, players, world.games)) < share[:, :, None]
    luck = np.where(everywhere, chance.random((players, world.games)), chance.random((rulesets, players, world.games)))
    won = luck < ndtr(np.moveaxis(quantiles, 0, 2) / math.sqrt(1 - common))
    cell = np.repeat(np.arange(rulesets * players), world.games)
    rungs = tuple(
        Rung(("ab"[f], f"shared-{c + 1}" if is_common[i] else str(c + 1), ()), 1, f"{c}-{i}")
        for i, (f, c) in enumerate(zip(family, config, strict=True))
    )
    ruleset, player = np.repeat(np.arange(rulesets), players), np.tile(np.arange(players), rulesets)
    names = tuple(map(str, range(rulesets)))
    means = cell_means(
        names,
        rungs,
        ruleset,
        player,
        won.ravel().astype(float),
        cell,
        np.tile(line.ravel(), rulesets),
        np.tile(np.arange(world.games), rulesets * players),
    )
    units = 2 * np.sqrt(means.unit_variance.reshape(rulesets, players).mean(axis=1))
    cells = CellEstimates(means.values, means.covariance, ruleset, player, units, config, family, doublings)
    now, change = value + (own @ of_family).mean(axis=1), change[:, 0] + (own @ change_of_family).mean(axis=1)
    averages, pairs = (factors.averages, factors.pair_averages) if factors else (np.zeros((0, rulesets)),) * 2
    return cells, {
        "now": now, "change": change, "effects": averages @ now, "effect_changes": averages @ change,
        "pairs": pairs @ now,
    }  # fmt: skip


@dataclass(frozen=True)
class Score:
    """How intervals of one kind of number did, over some experiments."""

    bias: float
    held: float
    """The share of single intervals, of 95 %, that cover the true value."""
    all_held: float
    """The share of experiments all of whose simultaneous intervals do."""
    half_width: float
    """Of simultaneous intervals."""
    single_half_width: float
    found: float
    """Of true values of 8 points and more, the share that were shown to have their sign."""

    def __str__(self) -> str:
        return (
            f"bias {100 * self.bias:.2f}, held {self.held:.3f}, all {self.all_held:.3f}, +-{100 * self.half_width:.1f}"
        )


KINDS = ("level", "difference", "change", "change of difference", "effect", "change of effect", "pair")


def score(world: World, experiments: int, seed: int = 0, factors: RuleFactors | None = FACTORS) -> dict[str, Score]:
    """Plays and analyses experiments; the score of each of `KINDS`."""
    of_all: dict[str, list[list[float]]] = {}
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    slices = ("now", "now", "change", "change", "effects", "effect_changes", "pairs")
    for number in range(experiments):
        cells, truth = play(world, seed + number, factors)
        posterior = JointModel(cells, factors).posterior()
        for kind, name in zip(KINDS, slices, strict=True):
            draws, true = posterior.draws[:, posterior.slices[name]], truth[name]
            if kind.endswith("difference"):
                draws, true = draws[:, 1:] - draws[:, :1], true[1:] - true[0]
            if not len(true):
                continue
            mean, deviation = draws.mean(axis=0), draws.std(axis=0)
            critical = SimultaneousLevel.of(draws, 0.05, world.lines).critical
            off = np.abs(true - mean) / deviation
            numbers = (mean - true, off < 1.96, (off < critical).all(), critical * deviation, 1.96 * deviation)
            of_all.setdefault(kind, []).append([float(np.mean(each)) for each in numbers])
            found[kind] += (mean * np.sign(true) > critical * deviation)[np.abs(true) >= 0.08].tolist()
    result = {}
    for kind, each in of_all.items():
        bias, held, all_held, half_width, single = np.array(each).mean(axis=0).tolist()
        result[kind] = Score(bias, held, all_held, half_width, single, float(np.mean([*found[kind]] or [math.nan])))
    return result


def test_what_rules_do_is_found_in_a_factorial() -> None:
    cells, truth = play(World(games=60, lines=60, trainings=2), seed=3)
    posterior = JointModel(cells, FACTORS).posterior()
    effects = [posterior.draws @ posterior.effect(i).now for i in range(len(truth["effects"]))]
    for draws, true in zip(effects, truth["effects"], strict=True):
        assert abs(draws.mean() - true) < 3.5 * draws.std()
    # The change that takes eight points away is the one that is known to.
    assert [float((draws < 0).mean()) > 0.999 for draws in effects].index(True) in (0, 3)
    level = posterior.draws @ posterior.level(0).now
    assert abs(level.mean() - truth["now"][0]) < 3.5 * level.std()


@pytest.mark.thorough
def test_the_same_games_say_the_same() -> None:
    cells, _ = play(World(games=30, lines=30, trainings=2, budgets=1), seed=1)
    first, second = (JointModel(cells, FACTORS).posterior().draws for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.thorough
def test_more_games_make_answers_surer_but_for_how_much_players_differ() -> None:
    cells, _ = play(World(games=60, lines=60, trainings=2), seed=2)
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
        cells, _ = play(FEW, seed, FEW_FACTORS)
        posterior = JointModel(cells, FEW_FACTORS).posterior()
        off.append(posterior.draws[:, posterior.slices["now"]].mean() - cells.values.mean())
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
    scores = score(world, 200, factors=FEW_FACTORS)
    print(world, *(f"{kind}: {each}" for kind, each in scores.items()), sep="\n")
    assert abs(scores["level"].bias) <= 0.005
    assert all(each.held >= 0.93 and each.all_held >= 0.92 for each in scores.values()), scores


@pytest.mark.slow
def test_intervals_hold_in_a_few_experiments() -> None:
    scores = score(World(games=75, lines=75, trainings=2), 40)
    assert all(each.held >= 0.9 and each.all_held >= 0.85 for each in scores.values()), scores


@pytest.mark.slow
@pytest.mark.parametrize("family", [0.0, 0.02, 0.04])
def test_intervals_of_the_size_of_a_large_experiment(family: float) -> None:
    """24 rulesets, 16 players, 150 games of each: 57,600 games; see docs/statistics.md for what came out."""
    scores = score(World(family=family), 200)
    print(family, *(f"{kind}: {each}" for kind, each in scores.items()), sep="\n")
    assert all(0.93 <= each.held <= 0.985 and each.all_held >= 0.93 for each in scores.values()), scores
    difference, effect = scores["difference"], scores["effect"]
    assert difference.half_width <= (0.05 if not family else 0.056) and effect.single_half_width <= 0.025
    assert difference.found >= 0.99
