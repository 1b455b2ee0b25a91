"""What is told about strong play holds in experiments whose true values are known; see `tests.simulations`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.simulations.__main__ import calibration, coverage, forecasts, verdicts, world_of
from tests.simulations.scoring import outcome_of
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


def played(world: str, experiments: int, asks_forecasts: bool = False) -> Sequence[dict[str, Any]]:
    """Experiments of a world of `tests.simulations`."""
    return [outcome_of(Experiment(world_of(world, seed), seed), asks_forecasts).plain() for seed in range(experiments)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("world", "experiments"),
    [
        ("plain", 60), ("wide", 60), ("twenty-lines", 60), ("score-90", 60), ("draws-7", 40), ("draws-58", 40),
        ("lines-all", 40), ("capped", 40), ("two", 60), ("changing", 60), ("pairs", 60), ("large", 12),
        ("three-budgets", 40), ("large-wide", 20), ("common", 40), ("common-lines", 40), ("mixed", 40), ("single", 40),
    ],
)  # fmt: skip
def test_intervals_cover_the_true_values(world: str, experiments: int) -> None:
    """Fewer experiments than in docs/statistics.md, so that bounds allow for three Monte Carlo errors."""
    outcomes = played(world, experiments)
    for name, of in coverage(outcomes).items():
        print(world, name, of)
        # Experiments are few: an error of 0 is chance.
        error = max(of.single.error, (0.05 * 0.95 / experiments / 2) ** 0.5)
        assert of.single.value > 0.94 - 3 * error, name
        # Changes, and what one more player would say, have intervals of their own.
        if not name.startswith(("change", "budget", "draws: level")) and "one more player" not in name:
            assert of.together.value > 0.94 - 3 * (0.05 * 0.95 / experiments) ** 0.5, name
        assert abs(of.bias.value) < 3.5 * of.bias.error + 0.002, name
    for name, (_, decided, wrong, _, _) in verdicts(outcomes).items():
        assert wrong <= 1 + 0.02 * decided, name


@pytest.mark.slow
def test_what_is_said_to_be_likely_is_so_as_often_as_said() -> None:
    outcomes = played("probabilities", 150)
    for name in ("fairer", "fairest"):
        for low, high, said, right, count in calibration(outcomes, name):
            print(name, low, high, count, said, right)
            assert right.value > said - 3 * right.error - 0.02, name


@pytest.mark.slow
def test_as_many_games_as_are_said_to_tell_do_in_half_of_the_cases() -> None:
    told = forecasts(played("forecasts", 60, True))
    print(told)
    for times, share in told.items():
        if times == float("inf"):
            assert share.value < 0.25 + 2 * share.error
        else:
            assert share.value > 0.45 - 3 * share.error


@pytest.mark.slow
@pytest.mark.parametrize("world", ["race", "race-equal"])
def test_races_do_not_favour_survivors(world: str) -> None:
    """The ruleset that is taken is hardly more often off by the margin than with all games of all rulesets."""
    outcomes = played(world, 40)
    races = {name: sum(each["race"][name] for each in outcomes) / len(outcomes) for name in outcomes[0]["race"]}
    print(races)
    assert races["missed"] <= max(0.1, races["missed_with_all"] + 0.08) and races["games"] < 0.9
    assert all(wrong <= 1 for _, _, wrong, _, _ in verdicts(outcomes).values())
    bias = coverage(outcomes)["level"].bias
    assert abs(bias.value) < 3.5 * bias.error + 0.002
