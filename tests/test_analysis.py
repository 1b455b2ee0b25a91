"""The other tables of an analysis, against records and chances that are known."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.stats import norm
from statsmodels.duration.survfunc import SurvfuncRight
from statsmodels.stats.multitest import multipletests

from tests.test_strategies import met, rows
from tests.toy import drawn, games, plan_for, plan_from, ruleset, traces, with_keys
from workbench import games as families
from workbench.base.language import translated
from workbench.engine.players import NUMBERS
from workbench.experiments.experiment_files import DrawnLines, GivenLines
from workbench.records.trials import CELL
from workbench.report.sections.answer import WARNINGS
from workbench.report.sections.scores import visible_steps
from workbench.statistics import METRICS, Analysis, AnalysisPlan, analyse
from workbench.statistics.comparisons import _LinearModel, factorial_effects
from workbench.statistics.overview import CRITERIA, VARIANTS, _pareto, steadiness_tests, warning_table
from workbench.statistics.portrait import Depth, depth_table
from workbench.statistics.tables import cell_table, length_quantiles, survival_curve

SEED = 20080209


def test_the_curve_is_that_of_kaplan_and_meier() -> None:
    rng = np.random.default_rng(SEED)
    true = rng.exponential(60, size=500).round() + 1
    plies, finished = np.minimum(true, 100), true < 100
    curves = survival_curve(plies, finished)
    survival = SurvfuncRight(plies, finished)
    at = dict(zip(survival.surv_times, survival.surv_prob, strict=True))
    assert curves["alive"].iloc[0] == 1 and curves["plies"].iloc[0] == 0
    assert all(row["alive"] == pytest.approx(at[row["plies"]]) for row in rows(curves)[1:])
    assert curves["alive"].iloc[-1] == pytest.approx((~finished).mean())
    assert (curves["alive_low"] <= curves["alive"]).all() and (curves["alive"] <= curves["alive_high"]).all()


@pytest.mark.parametrize("games", [50, 150, 200, 300, 1000])
def test_which_steps_of_a_curve_are_drawn_is_not_left_to_the_last_digit(games: int) -> None:
    """Shares that a library rounds in its own way are the same games."""
    curves = survival_curve(np.arange(1, games + 1), np.ones(games, dtype=bool))
    shifted = (curves.assign(alive=curves["alive"] * (1 + off)) for off in (-3e-16, 0.0, 3e-16))
    steps = [[plies for plies, _ in visible_steps(curve, games)] for curve in shifted]
    assert steps[0] == steps[1] == steps[2] and len(steps[0]) <= 52


def test_quantiles_beyond_the_cap_are_infinite() -> None:
    plies = np.array([10.0, 20, 30, 40, 40])
    assert length_quantiles(plies, plies < 40, (0.25, 0.5, 0.75)) == [20, 30, math.inf]
    assert length_quantiles(plies, np.ones(5, dtype=bool), (0.75,)) == [40]
    assert length_quantiles(plies, np.zeros(5, dtype=bool), (0.5,)) == [math.inf]
    assert math.isnan(length_quantiles(plies[:0], plies[:0] > 0, (0.5,))[0])
    for n in range(2, 60, 2):
        half = np.append(np.arange(1.0, n / 2 + 1), np.full(n // 2, 99.0))
        assert length_quantiles(half, half < 99, (0.5,)) == [math.inf], "half of the games go on: no median is seen"
    assert survival_curve([], []).empty and list(survival_curve([40, 40], [False, False])["alive"]) == [1]


def codes_of(trials: pd.DataFrame, plan: AnalysisPlan) -> list[tuple[str, str]]:
    table = cell_table(trials, plan.names, plan.pairings, plan.baseline)
    return [(row["code"], row["ruleset"]) for row in rows(warning_table(trials, table, plan))]


def test_each_condition_is_told_and_none_of_sound_data() -> None:
    rng = np.random.default_rng(SEED)
    well = [drawn(rng, 4_000, 0.5, 0.2, ruleset=name) for name in ("toy/base", "toy/b")]
    plan = plan_for("toy/base", "toy/b", games=4_000)
    assert codes_of(pd.concat(well), plan) == []
    few = pd.concat([well[0], well[1][well[1]["game"] < 100]])
    assert codes_of(few, plan) == [("few_games", "toy/b")]
    assert codes_of(well[0], plan) == [("no_games", "toy/b")]
    capped = pd.concat([well[0], well[1].assign(result="unfinished", termination="cap")])
    assert ("no_finished_games", "toy/b") in codes_of(capped, plan)
    copied = pd.concat([well[0], well[1].assign(game_hash=(well[1]["game"] % 50).astype(str))])
    assert codes_of(copied, plan) == [("copies", "toy/b")]
    stuck = well[1].copy()
    stuck.loc[stuck["game"] > 3_500, "result"] = "first"
    assert codes_of(pd.concat([well[0], stuck]), plan) == [("unsteady", "toy/b")]
    twins = with_keys(plan, rulesets=tuple(dataclasses.replace(each, fingerprint="0") for each in plan.rulesets))
    assert codes_of(pd.concat(well), twins) == [("equal_fingerprints", "toy/b")]
    noted = with_keys(plan, left_out=("a with b: no",))
    assert codes_of(pd.concat(well), noted) == [("left_out", "")]


@pytest.mark.thorough
def test_steady_cells_are_rarely_called_unsteady() -> None:
    rng = np.random.default_rng(SEED)
    plan = plan_for("toy/base", games=1_000)
    p_values = [steadiness_tests(drawn(rng, 1_000, 0.55, 0.1, 0.05), plan)["p"] for _ in range(200)]
    assert 0.02 <= np.mean(np.concatenate(p_values) < 0.05) <= 0.08


def test_a_toggle_whose_rule_never_came_up_is_named() -> None:
    base = families.declaration("chatra").defaults()
    settings = {"chatra/x": base, "chatra/y": base | {"offside": "any-two", "stuck": "loss"}}
    plan = plan_from([ruleset(name, "chatra", each) for name, each in settings.items()], [("greedy", "greedy")])
    counts: dict[str, Any] = {f"event_{event.name}": [1] * 40 for event in families.declaration("chatra").events}
    trials = pd.concat(games("wl" * 20, name, **counts) for name in settings)

    def idle(table: pd.DataFrame) -> set[tuple[str, str]]:
        made = warning_table(table, cell_table(table, plan.names, plan.pairings), plan)
        return {(row["code"], row["subject"]) for row in rows(made) if row["code"] != "few_games"}

    assert idle(trials) == {("toggle_never_fired", "stuck")}
    drawn_once = trials.assign(termination=["stuck", *trials["termination"][1:]])
    assert idle(drawn_once) == set()
    assert idle(drawn_once.assign(event_offside_drops=0)) == {("toggle_never_fired", "offside")}
    assert idle(drawn_once.assign(event_limits_ended_by_centre=0, event_captures=0)) == set()


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    rng = np.random.default_rng(SEED)
    names = ("toy/base", "toy/fair", "toy/turned", "toy/drawn")
    scores = {"random": (0.5, 0.5, 0.5, 0.5), "greedy": (0.65, 0.5, 0.35, 0.55)}
    parts = []
    for agent, of_agent in scores.items():
        for name, score in zip(names, of_agent, strict=True):
            games_of = drawn(rng, 2_000, score, 0.6 if name == "toy/drawn" else 0.05, 0.01, name, agent)
            moves = rng.integers(0, 5 if name == "toy/fair" else 3, (2_000, 3)).astype(str)
            played = games_of.assign(opening=[" ".join(line) for line in moves], event_checks=rng.poisson(2, 2_000))
            parts.append(played)
    plan = plan_for(*names, agents=("random", "greedy"), games=2_000, targets={"plies": [40, 60]}, margin=0.03)
    return analyse(pd.concat(parts), plan)


@pytest.mark.thorough
def test_every_cell_has_its_rows(analysis: Analysis) -> None:
    assert len(analysis.cells) == 8 and len(analysis.comparisons) == 6 * 9
    assert len(analysis.targets) == 8 and len(analysis.events) == 8
    assert len(analysis.scorecard) == 8 and len(analysis.flips) == 4
    assert len(analysis.sensitivity) == 8 * (len(VARIANTS) - 1), "nothing was adjudicated"
    assert set(analysis.lengths["ruleset"]) == set(analysis.plan.names)
    assert not analysis.openings.empty and not analysis.opening_lines.empty
    assert set(analysis.warnings["code"]) <= set(WARNINGS)
    assert list(analysis.warnings.columns) == ["code", *CELL, "subject", "value", "limit", "p"]
    for name in ("effects", "means", "matrices", "equilibria", "placements", "strength"):
        assert analysis.tables[name].empty and len(analysis.tables[name].columns)


def test_verdicts_flip_between_strengths_only_where_they_do(analysis: Analysis) -> None:
    flips = {row["ruleset"]: row for row in rows(analysis.flips)}
    assert flips["toy/fair"]["verdicts"].split(" | ")[1] == "fairer"
    assert flips["toy/turned"]["balances"].split(" | ")[1] == "second"
    assert flips["toy/base"]["verdicts"] == ""
    assert not any(row["verdict_flips"] or row["side_flips"] for row in flips.values())


@pytest.mark.thorough
@pytest.mark.parametrize(("weaker", "flips"), [("greedy", True), ("random", False)])
def test_flips_are_seen_between_players_that_are_no_yardstick(weaker: str, flips: bool) -> None:
    rng = np.random.default_rng(SEED)
    scores = {weaker: {"toy/base": 0.7, "toy/a": 0.55}, "alphabeta-2": {"toy/base": 0.6, "toy/a": 0.2}}
    cells = [(agent, name, score) for agent, of_agent in scores.items() for name, score in of_agent.items()]
    trials = pd.concat(drawn(rng, 1_000, score, ruleset=name, agent=agent) for agent, name, score in cells)
    analysis = analyse(trials, plan_for("toy/base", "toy/a", agents=(weaker, "alphabeta-2")))
    row = analysis.flips.iloc[1]
    assert row["agents"] == f"{weaker} | alphabeta-2"
    assert row["verdicts"] == ("fairer" if flips else "yardstick") + " | less_fair"
    assert (row["verdict_flips"], row["side_flips"]) == (flips, flips)


def test_the_scorecard_and_its_pareto_set(analysis: Analysis) -> None:
    scorecard = {(row["ruleset"], row["first"]): row for row in rows(analysis.scorecard)}
    fair, worse = scorecard["toy/fair", "greedy"], scorecard["toy/drawn", "greedy"]
    assert fair["verdict"] == "fairer" and scorecard["toy/base", "greedy"]["verdict"] == ""
    assert fair["variety"] == pytest.approx(125, rel=0.1) and worse["variety"] == pytest.approx(27, rel=0.1)
    assert fair["pareto"] and fair["pareto_share"] > 0.9 and fair["beaten_by"] == ""
    assert worse["beaten_by"] == "toy/fair" and worse["decisive_rate"] < 0.5
    assert all(row["length_off_target"] == 0 for row in scorecard.values())
    for agent in ("random", "greedy"):
        of_agent = [row for (_, first), row in scorecard.items() if first == agent]
        signs = {name: -1 if name in ("variety", "decisive_rate") else 1 for name in CRITERIA}
        costs = [[sign * row[name] for name, sign in signs.items() if row[name] == row[name]] for row in of_agent]
        for row, mine in zip(of_agent, costs, strict=True):
            beaten = any(all(a <= b for a, b in zip(other, mine, strict=True)) and other != mine for other in costs)
            assert row["pareto"] != beaten


def test_the_question_is_followed_by_scorecard_flips_and_sensitivity() -> None:
    rng = np.random.default_rng(SEED)
    draws = {("toy/base", "greedy"): 0.2, ("toy/a", "greedy"): 0.4, ("toy/base", "alphabeta-2"): 0.4,
             ("toy/a", "alphabeta-2"): 0.2}  # fmt: skip
    trials = pd.concat(drawn(rng, 3_000, 0.5, rate, 0, name, agent) for (name, agent), rate in draws.items())
    analysis = analyse(trials, plan_for("toy/base", "toy/a", agents=("greedy", "alphabeta-2"), question="draw_rate"))
    assert analysis.flips.iloc[1]["verdicts"] == "more | less" and analysis.flips.iloc[1]["verdict_flips"]
    assert [row["verdict"] for row in rows(analysis.scorecard) if row["ruleset"] == "toy/a"] == ["more", "less"]
    variants = [row for row in rows(analysis.sensitivity) if row["ruleset"] == "toy/a" and row["first"] == "greedy"]
    assert [row["variant"] for row in variants] == ["main", "capped_half", "first_half", "second_half", "distinct"]
    assert all(row["verdict"] == "more" and row["gain"] == pytest.approx(0.2, abs=0.04) for row in variants)


def test_another_game_is_shown_beside_the_baseline_and_not_compared_with_it() -> None:
    rng = np.random.default_rng(SEED)
    scores = {"toy/base": 0.6, "toy/a": 0.5, "ball/a": 0.5, "ball/b": 0.7}
    trials = pd.concat([drawn(rng, 2_000, score, ruleset=name) for name, score in scores.items()])
    plan = plan_from([ruleset(name, name.split("/")[0]) for name in scores], [("greedy", "greedy")])
    analysis = analyse(trials, plan)
    assert set(analysis.comparisons["ruleset"]) == {"toy/a"} and plan.primary_comparisons == 1
    beaten = {row["ruleset"]: row["beaten_by"] for row in rows(analysis.scorecard)}
    assert beaten["toy/base"] in ("toy/a", "") and beaten["ball/b"] in ("ball/a", "")
    assert set(analysis.cells["ruleset"]) == set(scores)


def test_the_pareto_share_redraws_the_score_and_not_its_fold() -> None:
    """Two scores of 50 and 53 % that are off by 2.5 points each: the first is nearer to one half in 68 % of cases."""
    plan = plan_for("toy/a", "toy/b", games=400)
    numbers = {"games": 400, "changed_toggles": 0, "rule_words": 9, "decisive_rate": 1.0, "length_off_target": 0.0}
    numbers |= {"decisive_rate_low": 1.0, "decisive_rate_high": 1.0}
    table = pd.DataFrame({"ruleset": ["toy/a", "toy/b"], **numbers, "first_score": [0.5, 0.53]})
    table = table.assign(**dict.fromkeys(("variety", "variety_low", "variety_high"), 8.0))
    p = norm.cdf(0.03 / (0.025 * math.sqrt(2)))
    # Whoever was looked at more often has wider intervals, not other errors.
    for each in (plan, with_keys(plan, games=2_000, until="decided", looks=5)):
        wide = each.critical(400) * 0.025
        low, high = table["first_score"] - wide, table["first_score"] + wide
        seen = table.assign(first_score_surely_low=low, first_score_surely_high=high,
                            unfairness=(table["first_score"] - 0.5).abs(), unfairness_low=0.0,
                            unfairness_high=high - 0.5)  # fmt: skip
        _, _, shares = _pareto(seen, each)
        assert shares[0] == pytest.approx(p**2 + (1 - p) ** 2, abs=0.07)
        assert sum(shares) == pytest.approx(1)


def test_simplicity_counts_what_a_proposal_changes() -> None:
    base = families.declaration("chatra").defaults() | {"limits_end": "check"}
    settings = {"chatra/x": base, "chatra/y": base | {"opening": "objects-first"}}
    plan = plan_from([ruleset(name, "chatra", each) for name, each in settings.items()], [("greedy", "greedy")])
    trials = pd.concat(games("wl" * 20, name) for name in settings)
    scorecard = analyse(trials, plan).scorecard
    assert list(scorecard["changed_toggles"]) == [0, 1]
    assert (scorecard["rule_words"] > 300).all() and scorecard["rule_words"].nunique() == 2


def test_sensitivity(analysis: Analysis) -> None:
    variants = {(row["ruleset"], row["first"], row["variant"]): row for row in rows(analysis.sensitivity)}
    main = variants["toy/drawn", "greedy", "main"]
    assert main["score"] == pytest.approx(0.55, abs=0.03)
    assert variants["toy/drawn", "greedy", "draws_zero"]["score"] == pytest.approx(0.25, abs=0.03)
    assert variants["toy/drawn", "greedy", "draws_out"]["score"] == pytest.approx(0.55 - 0.3 + 0.375, abs=0.04)
    halves = [variants["toy/fair", "greedy", half] for half in ("first_half", "second_half")]
    assert [row["games"] for row in halves] == [1000, 1000] and all(row["verdict"] == "fairer" for row in halves)
    assert variants["toy/fair", "greedy", "main"]["same"]
    assert variants["toy/fair", "greedy", "capped_half"]["games"] == 2000
    assert variants["toy/base", "greedy", "main"]["verdict"] == ""


def metric_of_column(column: str) -> str:
    """The name in `METRICS` of a table's column: without the ends of intervals, and without an event's own name."""
    if column.endswith("_design_effect"):
        return "design_effect"
    for suffix in ("_surely_low", "_surely_high", "_lowest", "_highest", "_low", "_high"):
        if column.endswith(suffix) and column.removesuffix(suffix):
            column = column.removesuffix(suffix)
            break
    if column.startswith("ended_by_"):
        return "share" if column.endswith("_rate") else "ended_by"
    if column.startswith("event_"):
        return next((name for name in ("when_fired", "share", "mean") if column.endswith(f"_{name}")), column)
    return column


@pytest.mark.thorough
def test_every_number_of_every_table_is_in_the_dictionary(analysis: Analysis) -> None:
    plan, points = factors(2, 2)
    rng = np.random.default_rng(SEED)
    varied = analyse(pd.concat(drawn(rng, 100, 0.5, ruleset=name) for name in points), plan)
    styles = met(dict.fromkeys(itertools.product("ab", "ab"), 0.5), 50, rng).assign(opening="f9 Ok2 Oc3")
    pairs = plan_from([ruleset("chatra/x", "chatra")], itertools.product("ab", "ab"))
    matched = analyse(styles.assign(ruleset="chatra/x", **{number.name: 0.2 for number in NUMBERS}), pairs)
    begun = games("wlwwl" * 20).assign(line=list(range(20)) * 5)
    lines = {"toy/base": tuple(f"l{number}" for number in range(20))}
    by_line = [
        analyse(begun.assign(line=begun["line"] % n), plan_for("toy/base", openings=openings, line_texts=lines))
        for n, openings in ((20, DrawnLines(1, 20)), (2, GivenLines(("l0", "l1"))))
    ]
    traced = analyse(games("w" * 20).assign(drama_max=0.6), plan_for("toy/base"), traces("toy/base", [[0.9] * 10] * 20))
    deep = {"depths": depth_table({"toy/base": [Depth("greedy", "greedy", "random", 3.0, 2.0, 4.0)]})}
    known = set(METRICS)
    used = set()
    every = [each.tables for each in (analysis, varied, matched, *by_line, traced)] + [deep]
    for name, table in [pair for each in every for pair in each.items()]:
        numbers = {str(c) for c in table if pd.api.types.is_numeric_dtype(table[c]) and table[c].dtype != bool}
        places = {"row", "column"} if name == "placements" else set()
        names = {metric_of_column(column) for column in numbers - places}
        assert names <= known, f"{name}: {sorted(names - known)}"
        used |= names | (set(table["measure"]) if name == "comparisons" else set())
    assert known <= used, f"in the dictionary, but in no table: {sorted(known - used)}"


def test_the_dictionary_says_everything_of_every_number() -> None:
    for metric in METRICS.values():
        assert metric.direction in ("more", "less", "near 1/2", "target", "none"), metric.name
        assert metric.formula and metric.unit and metric.source and metric.sentence.endswith("."), metric.name
        assert translated(metric.sentence, "ja").endswith("。")


@pytest.mark.thorough
def test_no_records_and_partial_records_have_tables_too() -> None:
    plan = plan_for("toy/base", "toy/a", agents=("random", "greedy"), targets={"plies": [1, 2]})
    empty = analyse(games("").assign(opening=""), plan)
    assert set(empty.warnings["code"]) == {"no_games"}
    assert set(empty.comparisons["reason"]) <= {"no_games", ""}
    some = analyse(games("wl", agent := "toy/a"), plan)
    assert agent in set(some.cells["ruleset"])
    columns = {name: list(table.columns) for name, table in empty.tables.items()}
    others = {name: list(table.columns) for name, table in some.tables.items() if name in columns}
    assert columns == others | {"cells": columns["cells"]}


def factors(*levels: int) -> tuple[AnalysisPlan, dict[str, tuple[int, ...]]]:
    """A full factorial of toy rulesets, and the levels of each as numbers."""
    names = {f"f{i}": tuple(str(level) for level in range(count)) for i, count in enumerate(levels)}
    points = {"toy/" + "".join(map(str, spot)): spot for spot in itertools.product(*map(range, levels))}
    of_points = {name: {f"f{i}": str(level) for i, level in enumerate(spot)} for name, spot in points.items()}
    return plan_for(*points, games=1000, factors=names, levels=of_points), points


def test_effects_are_those_that_were_planted() -> None:
    plan, points = factors(2, 3)
    rng = np.random.default_rng(SEED)
    scores = {name: 0.5 + 0.1 * a - 0.05 * (b == 2) + 0.08 * a * (b == 1) for name, (a, b) in points.items()}
    trials = pd.concat(drawn(rng, 4_000, score, 0.2, ruleset=name) for name, score in scores.items())
    effects, means = factorial_effects(trials, plan)
    of_score = rows(effects[effects["measure"] == "first_score"])
    by_factor = {(row["kind"], row["factor"], row["level"], row["level2"]): row for row in of_score}
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
    of_f0 = rows(means[(means["measure"] == "first_score") & (means["factor"] == "f0")])
    mean = {(row["level"], row["level2"]): row["mean"] for row in of_f0}
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
    cells = [(name, 0.5 + 0.1 * spot[0], agent) for name, spot in points.items() for agent in agents]
    trials = pd.concat(drawn(rng, 300, score, 0.2, ruleset=name, agent=agent) for name, score, agent in cells)
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
        cells = [(name, first) for name in points for first, _ in plan.pairings]
        trials = pd.concat(drawn(rng, 200, 0.5, 0.2, ruleset=name, agent=agent) for name, agent in cells)
        claimed.append(bool((factorial_effects(trials, plan)[0]["p_holm"] <= 0.05).any()))
    # Corrected for each pairing and measure alone, a quarter would.
    assert np.mean(claimed) <= 0.1


@pytest.mark.thorough
def test_effects_are_missed_as_often_as_they_should_be() -> None:
    plan, points = factors(2, 2)
    rng = np.random.default_rng(SEED)
    covered = []
    spots = {name: tuple(levels.values()) for name, levels in plan.experiment.levels.items()}
    names = np.repeat(list(points), 300)
    scores = np.repeat([0.3 + 0.2 * a for a, _ in points.values()], 300)
    for _ in range(400):
        wins = rng.random(1_200) < scores
        played = pd.DataFrame({
            "ruleset": names, "first": "greedy", "second": "greedy", "game": range(1_200), "plies": 10.0,
            "legal_moves": 5.0, "result": np.where(wins, "first", "second"),
        })  # fmt: skip
        fit = _LinearModel.from_games(played, ("greedy", "greedy"), "first_score", spots, plan)
        assert fit is not None
        for (kind, _, contrast), true in zip(fit.contrasts(), (0.2, 0.0, 0.0), strict=True):
            value, error = fit.value(contrast)
            covered.append((kind, abs(value - true) <= 1.96 * error))
    assert 0.935 <= np.mean([hit for kind, hit in covered if kind == "main"]) <= 0.97
    assert 0.92 <= np.mean([hit for kind, hit in covered if kind == "interaction"]) <= 0.98
