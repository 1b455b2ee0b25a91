"""How surely strong play will answer, foretold from the file of an experiment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.test_joint_model import FACTORS, World, play
from tests.test_strong_play import plan_of, specs
from tests.toy import plan_for, plan_from, ruleset
from workbench.questions.agents import AgentSpec
from workbench.questions.lines import DrawnLines
from workbench.statistics.joint_model import TYPICAL, JointModel
from workbench.statistics.strong_forecast import foreseen_reach
from workbench.statistics.strong_verdicts import SimultaneousLevel


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
    world = World(
        games=80, lines=80, trainings=2, pair=TYPICAL["pair"], remainder=TYPICAL["remainder"], change=TYPICAL["change"],
        family=TYPICAL["family"], configuration=TYPICAL["ruleset by configuration"],
        player=TYPICAL["ruleset by player"],
    )  # fmt: skip
    cells, _ = play(world, seed=4)
    posterior = JointModel(cells, FACTORS).posterior()
    now = posterior.draws[:, posterior.slices["now"]]
    draws = now[:, 1:] - now[:, :1]
    reach = float(SimultaneousLevel.of(draws, 0.05, np.inf).critical * draws.std(axis=0).mean())
    names = [f"toy/{i}" for i in range(len(FACTORS.points))]
    settings: list[dict[str, Any]] = [
        {name: FACTORS.levels[k][level] for k, (name, level) in enumerate(zip(FACTORS.names, point, strict=True))}
        for point in FACTORS.points.tolist()
    ]
    players = [
        AgentSpec.of(search, nodes=nodes, training=training)
        for search in ("alphabeta", "best-first") for training in (0, 1) for nodes in (500, 2_000)
    ]  # fmt: skip
    plan = plan_from(
        [ruleset(name, settings=each) for name, each in zip(names, settings, strict=True)],
        [(player, player) for player in players], games=80, openings=DrawnLines(4, 80),
    )  # fmt: skip
    foretold = foreseen_reach(plan)
    assert foretold and foretold.effects
    assert foretold.proposals == pytest.approx(reach, rel=0.25)
    effects = posterior.draws[:, posterior.slices["effects"]]
    reach = float(SimultaneousLevel.of(effects, 0.05, np.inf).critical * effects.std(axis=0).mean())
    assert foretold.effects == pytest.approx(reach, rel=0.25)
