"""What is told about strong play holds in experiments whose true values are known; see `tests.simulations`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.simulations.worlds import Experiment, World

WORTH = {"first": 1.0, "draw": 0.5, "second": 0.0}


def test_true_values_are_the_means_of_very_many_games_and_players() -> None:
    """Of one game of each of many configurations, line by line, the mean is what quadrature says."""
    world = World(levels=(2,), kinds=("own",) * 150, nodes=(500,), games=40, pool=5_000, draws=0.3, training=4, line=25)
    world = replace(world, line_ruleset=8, line_player=8, line_cell=8)
    one = Experiment(world, 1)
    records = one.records()
    means = records.assign(score=records["result"].map(WORTH), draw=records["result"] == "draw").groupby("ruleset")
    assert means["score"].mean().to_numpy() == pytest.approx(one.truth("first_score"), abs=0.025)
    assert means["draw"].mean().to_numpy() == pytest.approx(one.truth("draw_rate"), abs=0.025)
    # Further players are of the same population.
    assert one.further_players("first_score", 2_000).mean(axis=1) == pytest.approx(
        one.truth("first_score", 1.0), abs=0.01
    )


def test_games_of_one_number_share_lines_and_chances_between_rulesets_and_not_between_players() -> None:
    world = World(levels=(2, 2), kinds=("own", "learned"), nodes=(500,), games=400, untouched=(0.9, 0.3), line=0.0)
    records = Experiment(replace(world, rule=0.0, training=0.0), 1).records()
    by_cell = records.pivot(index="game", columns=["first", "ruleset"], values="line")
    own, learned, other, _ = (by_cell[each.label] for each in world.players)
    assert (own["toy/00"] == own["toy/11"]).all() and not (own["toy/00"] == learned["toy/00"]).any()
    assert (own["toy/00"] == other["toy/00"]).mean() < 0.05 and own["toy/00"].nunique() == 400
    hashes = records.pivot(index="game", columns=["first", "ruleset"], values="game_hash")
    same = hashes[world.players[0].label]
    assert (same["toy/00"] == same["toy/10"]).mean() == pytest.approx(0.9, abs=0.06)
    assert (same["toy/00"] == same["toy/01"]).mean() == pytest.approx(0.3, abs=0.08)
    assert (same["toy/10"] == same["toy/01"]).mean() == pytest.approx(0.27, abs=0.08)
    apart = hashes[world.players[1].label]
    assert (apart["toy/00"] == apart["toy/10"]).mean() == pytest.approx(0.1, abs=0.06)


def test_more_games_leave_the_first_ones_as_they_are() -> None:
    one = Experiment(World(games=30, untouched=(0.5,), missing=0.2), 4)
    few, many = one.records(), one.records(4)
    first = many[many["game"] < 30].reset_index(drop=True)
    assert len(many) == 4 * len(few) and few.equals(first)
