"""The model of all rulesets at once, where the truth is known; `tests.test_simulations` has how often it is right."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulations.scoring import true_effect
from tests.simulations.worlds import Experiment, World
from tests.test_strong_play import plan_of, specs
from tests.toy import plan_for
from workbench.questions.agents import AgentSpec
from workbench.questions.measures import FIRST_SCORE
from workbench.statistics.joint_model import TYPICAL, rule_factors
from workbench.statistics.plan import prepare_trials
from workbench.statistics.search_games import SearchGames
from workbench.statistics.strong_play import SimultaneousLevel, StrongPlay, foreseen_reach

WORLD = World(levels=(3, 2, 2, 2), kinds=("own", "learned"), games=60, rule=6.0)


def play(experiment: Experiment) -> StrongPlay:
    """The games of an experiment, as the model takes them."""
    plan = experiment.world.plan()
    games = SearchGames(prepare_trials(experiment.records(), plan), plan)
    means = games.means(plan.names, FIRST_SCORE)
    assert means is not None
    return StrongPlay(games, means, FIRST_SCORE)


def test_what_rules_do_is_found_in_a_factorial() -> None:
    experiment = Experiment(WORLD, 1)
    fitted = play(experiment)
    truth, posterior = experiment.truth(FIRST_SCORE), fitted.posterior
    effects = [true_effect(WORLD, truth, change) for change in WORLD.changes]
    for number, true in enumerate(effects):
        draws = posterior.draws @ posterior.effect(number).now
        assert abs(draws.mean() - true) < 3.5 * draws.std()
        # Eight points are known from nothing.
        assert abs(true) < 0.08 or (np.sign(draws) == np.sign(true)).mean() > 0.999
    assert max(map(abs, effects)) > 0.08
    level = posterior.draws @ posterior.level(0).now
    assert abs(level.mean() - truth[0]) < 3.5 * level.std()


@pytest.mark.thorough
def test_the_same_games_say_the_same() -> None:
    model = play(Experiment(World(games=30), 1)).model
    assert np.array_equal(model.posterior().draws, model.posterior().draws)


@pytest.mark.thorough
def test_more_games_make_answers_surer_but_for_how_much_players_differ() -> None:
    model = play(Experiment(WORLD, 2)).model
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


def test_levels_are_not_drawn_away_from_one_half() -> None:
    """Lines that all players share make all cells err together; the raw mean of all cells is right on average."""
    world, off = World(levels=(2, 2, 2), games=60, pool=20, own_lines=False, score=0.68), []
    for seed in range(8):
        fitted = play(Experiment(world, seed))
        off.append(fitted.posterior.draws[:, fitted.posterior.slices["now"]].mean() - fitted.means.values.mean())
    assert abs(np.mean(off)) < 0.01, off


# How surely strong play will answer, foretold from the file of an experiment


def test_more_games_and_more_players_tell_more() -> None:
    players = specs(nodes=(1_000, 3_000), trainings=(0, 1))
    reaches = [foreseen_reach(plan_of(which, games=games)) for which, games in ((players, 100), (players, 400))]
    more = foreseen_reach(plan_of(specs(nodes=(1_000, 3_000), trainings=(0, 1, 2, 3)), games=100))
    assert reaches[0] and reaches[1] and more
    assert reaches[1].proposals < 0.8 * reaches[0].proposals and more.proposals < 0.85 * reaches[0].proposals
    assert reaches[0].effects is None, "one change is no combination"


def test_nothing_is_foretold_without_searches_or_proposals() -> None:
    assert foreseen_reach(plan_for("toy/base", "toy/new", games=100)) is None
    assert foreseen_reach(plan_for("toy/base", agents=[AgentSpec.of("alphabeta", nodes=100)], games=100)) is None


@pytest.mark.thorough
def test_it_comes_out_as_foretold() -> None:
    """An experiment whose players differ as typical ones do: its intervals are as wide as was said, to a quarter."""
    points = {name: 100 * deviation for name, deviation in TYPICAL.items()}
    world = World(
        levels=(3, 2, 2, 2), kinds=("learned", "learned"), games=80, pool=80, own_lines=False, pair=points["pair"],
        remainder=points["remainder"], change=points["change"], family=points["family"],
        training=points["rule by configuration"], player=points["ruleset by player"],
    )  # fmt: skip
    posterior = play(Experiment(world, 4)).posterior
    now, effects = (posterior.draws[:, posterior.slices[name]] for name in ("now", "effects"))
    foretold = foreseen_reach(world.plan())
    assert foretold and foretold.effects
    for draws, reach in ((now[:, 1:] - now[:, :1], foretold.proposals), (effects, foretold.effects)):
        critical = SimultaneousLevel.of(draws, 0.05, np.inf).critical
        assert reach == pytest.approx(float(critical * draws.std(axis=0).mean()), rel=0.25)
