"""How surely strong play will answer, foretold from the file of an experiment."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulations.worlds import Experiment, World
from tests.test_joint_model import play
from tests.test_strong_play import plan_of, specs
from tests.toy import plan_for
from workbench.questions.agents import AgentSpec
from workbench.statistics.joint_model import TYPICAL
from workbench.statistics.strong_play import SimultaneousLevel, foreseen_reach


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
