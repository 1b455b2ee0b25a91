"""The effects of factors: those that were planted, least squares, and designs that cannot tell some."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from statsmodels.stats.multitest import multipletests

from tests.toy import drawn, plan_for, with_keys
from workbench.statistics import AnalysisPlan
from workbench.statistics.factorial import _LinearModel, factorial_effects

SEED = 20080209


def rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def factors(*levels: int) -> tuple[AnalysisPlan, dict[str, tuple[int, ...]]]:
    """A full factorial of toy rulesets, and the levels of each as numbers."""
    names = {f"f{i}": tuple(str(level) for level in range(count)) for i, count in enumerate(levels)}
    points = {"toy/" + "".join(map(str, spot)): spot for spot in itertools.product(*map(range, levels))}
    plan = plan_for(
        *points,
        games=1000,
        factors=names,
        levels={name: {f"f{i}": str(level) for i, level in enumerate(spot)} for name, spot in points.items()},
    )
    return plan, points


def points_of(plan: AnalysisPlan) -> dict[str, tuple[str, ...]]:
    return {name: tuple(levels.values()) for name, levels in plan.experiment.levels.items()}


def test_effects_are_those_that_were_planted() -> None:
    plan, points = factors(2, 3)
    rng = np.random.default_rng(SEED)
    scores = {name: 0.5 + 0.1 * a - 0.05 * (b == 2) + 0.08 * a * (b == 1) for name, (a, b) in points.items()}
    trials = pd.concat(drawn(rng, 4_000, score, 0.2, ruleset=name) for name, score in scores.items())
    effects, means = factorial_effects(trials, plan)
    by_factor = {
        (row["kind"], row["factor"], row["level"], row["level2"]): row
        for row in rows(effects)
        if row["measure"] == "first_score"
    }
    true = {
        ("main", "f0", "1", ""): 0.1 + 0.08 / 3, ("main", "f1", "1", ""): 0.04, ("main", "f1", "2", ""): -0.05,
        ("interaction", "f0", "1", "1"): 0.08, ("interaction", "f0", "1", "2"): 0.0,
    }  # fmt: skip
    assert set(by_factor) == set(true)
    for key, effect in true.items():
        row = by_factor[key]
        error = (row["high"] - row["low"]) / 3.92
        assert abs(row["effect"] - effect) < 3.5 * error and error < 0.02
        assert row["p_holm"] >= row["p"]
    assert by_factor["main", "f0", "1", ""]["p_holm"] < 0.001
    assert by_factor["interaction", "f0", "1", "2"]["p_holm"] > 0.05
    mean = {
        (row["level"], row["level2"]): row["mean"]
        for row in rows(means)
        if row["measure"] == "first_score" and row["factor"] == "f0"
    }
    assert mean["1", "1"] == pytest.approx(scores["toy/11"], abs=0.02)
    assert mean["1", ""] == pytest.approx(np.mean([mean["1", level] for level in "012"]), abs=1e-9)


def test_effects_equal_least_squares_of_statsmodels_over_all_games() -> None:
    plan, points = factors(2, 2)
    rng = np.random.default_rng(SEED)
    sizes = dict(zip(points, (300, 500, 200, 400), strict=True))
    trials = pd.concat(drawn(rng, n, 0.6, 0.3, ruleset=name) for name, n in sizes.items())
    effects, _ = factorial_effects(trials, plan)
    spots = np.array([points[name] for name in trials["ruleset"]], dtype=np.float64)
    design = sm.add_constant(np.column_stack([spots, spots.prod(axis=1)]))
    y = trials["result"].map({"first": 1.0, "draw": 0.5, "second": 0.0})
    fit = sm.OLS(y.to_numpy(), design).fit(cov_type="HC0")
    tested = fit.t_test(np.array([[0, 1, 0, 0.5], [0, 0, 1, 0.5], [0, 0, 0, 1.0]]))
    mine = effects[effects["measure"] == "first_score"]
    assert list(mine["effect"]) == pytest.approx(list(tested.effect))
    # One game of either kind more makes hardly a difference.
    assert list((mine["high"] - mine["effect"]) / 1.959964) == pytest.approx(list(tested.sd.ravel()), rel=0.01)
    assert list(mine["p"]) == pytest.approx(list(tested.pvalue.ravel()), rel=0.05)


def test_effects_that_a_design_cannot_tell_have_no_rows() -> None:
    plan, points = factors(2, 2, 2)
    half = [name for name, spot in points.items() if sum(spot) % 2 == 0]
    rng = np.random.default_rng(SEED)
    trials = pd.concat(drawn(rng, 2_000, 0.5 + 0.1 * points[name][0], ruleset=name) for name in half)
    effects, _ = factorial_effects(trials, plan)
    score = effects[effects["measure"] == "first_score"]
    assert list(score["kind"]) == ["main"] * 3, "four points tell three main effects and no interactions"
    assert score["effect"].iloc[0] == pytest.approx(0.1, abs=0.04)
    one_missing = pd.concat(drawn(rng, 2_000, 0.5, ruleset=name) for name in list(points)[:-1])
    effects, _ = factorial_effects(one_missing, plan)
    assert list(effects.loc[effects["measure"] == "first_score", "kind"]) == ["main"] * 3 + ["interaction"] * 3


def test_effects_are_corrected_over_all_measures_and_pairings() -> None:
    plan, points = factors(2, 2)
    agents = ("random", "greedy", "alphabeta-2")
    plan = with_keys(plan, pairings=tuple((agent, agent) for agent in agents), question="decisive")
    rng = np.random.default_rng(SEED)
    trials = pd.concat(
        drawn(rng, 300, 0.5 + 0.1 * spot[0], 0.2, ruleset=name, agent=agent)
        for name, spot in points.items()
        for agent in agents
    )
    effects, _ = factorial_effects(trials, plan)
    assert list(dict.fromkeys(effects["measure"])) == ["decisive_rate", "first_score", "draw_rate", "plies_mean"]
    tested = effects[effects["first"] != "random"]
    assert len(tested) == 2 * 4 * 3
    assert list(tested["p_holm"]) == pytest.approx(list(multipletests(tested["p"], method="holm")[1]))
    assert effects.loc[effects["first"] == "random", "p_holm"].isna().all(), "a yardstick is not tested"


@pytest.mark.thorough
def test_of_twenty_factorial_experiments_without_effects_one_claims_any() -> None:
    plan, points = factors(2, 2)
    plan = with_keys(plan, pairings=(("greedy", "greedy"), ("alphabeta-2", "alphabeta-2")))
    rng = np.random.default_rng(SEED)
    claimed = []
    for _ in range(120):
        trials = pd.concat(
            drawn(rng, 200, 0.5, 0.2, ruleset=name, agent=first) for name in points for first, _ in plan.pairings
        )
        claimed.append(bool((factorial_effects(trials, plan)[0]["p_holm"] <= 0.05).any()))
    # Corrected for each pairing and measure alone, a quarter would.
    assert np.mean(claimed) <= 0.1


@pytest.mark.thorough
def test_effects_are_missed_as_often_as_they_should_be() -> None:
    plan, points = factors(2, 2)
    rng = np.random.default_rng(SEED)
    covered = []
    names = np.repeat(list(points), 300)
    scores = np.repeat([0.3 + 0.2 * a for a, _ in points.values()], 300)
    for _ in range(400):
        wins = rng.random(1_200) < scores
        played = pd.DataFrame({
            "ruleset": names, "first": "greedy", "second": "greedy", "game": range(1_200), "plies": 10.0,
            "legal_moves": 5.0, "result": np.where(wins, "first", "second"),
        })  # fmt: skip
        fit = _LinearModel.from_games(played, ("greedy", "greedy"), "first_score", points_of(plan), plan)
        assert fit is not None
        for (kind, _, contrast), true in zip(fit.contrasts(), (0.2, 0.0, 0.0), strict=True):
            value, error = fit.value(contrast)
            covered.append((kind, abs(value - true) <= 1.96 * error))
    assert 0.935 <= np.mean([hit for kind, hit in covered if kind == "main"]) <= 0.97
    assert 0.92 <= np.mean([hit for kind, hit in covered if kind == "interaction"]) <= 0.98
