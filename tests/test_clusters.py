"""Games of one line resemble each other: intervals, tests and forecasts that allow for it, where the truth is known."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from scipy.stats import t as student
from statsmodels.regression.linear_model import OLS

from tests.toy import plan_for, with_keys
from workbench.experiments.experiment_files import DrawnLines, GivenLines
from workbench.statistics import AnalysisPlan, analyse, cell_table, comparison_table, score_interval, target_table
from workbench.statistics.analysis import games_per_cell
from workbench.statistics.analysis_plan import prepare_trials
from workbench.statistics.intervals import clustered_critical, design_effects, normal_from_t, t_from_normal
from workbench.statistics.openings import given_line_table, line_difference_table
from workbench.statistics.tables import lasting_share, tally_pairs

SPREAD = 0.3
"""The standard deviation of the lines' own scores; 0.5 would be lines that decide the game."""


def played(rng: np.random.Generator, games: int, scores: np.ndarray, name: str, agent: str = "greedy") -> pd.DataFrame:
    """Games of a cell: game i has line i mod lines, and is won by the first seat with the chance of its line."""
    line = np.arange(games) % len(scores)
    won = rng.random(games) < scores[line]
    return pd.DataFrame({
        "ruleset": name, "first": agent, "second": agent, "game": range(games),
        "result": np.where(won, "first", "second"), "termination": "mate",
        "plies": rng.poisson(20 + 30 * scores[line]), "legal_moves": 5.0, "line": line,
        "game_hash": [f"{name}{agent}{number:016x}" for number in range(games)],
    })  # fmt: skip


def of_lines(rng: np.random.Generator, lines: int) -> np.ndarray:
    """What each of some random lines is worth to the first seat: on average one half."""
    shape = (1 / (4 * SPREAD**2) - 1) / 2
    return rng.beta(shape, shape, lines)


def plan_of(lines: int, *rulesets: str, shared: int | None = None, **options: Any) -> AnalysisPlan:
    """The plan of an experiment with drawn lines, of which the first ``shared`` are those of all rulesets."""
    same = lines if shared is None else shared
    texts = {name: tuple(f"l{k}" if k < same else f"{name}{k}" for k in range(lines)) for name in rulesets}
    return plan_for(*rulesets, openings=DrawnLines(2, lines), line_texts=texts, **options)


def test_the_design_effect_is_that_of_the_sandwich() -> None:
    rng = np.random.default_rng(1)
    line = rng.integers(0, 25, 400)
    values = rng.normal(size=400) + rng.normal(size=25)[line]
    robust = OLS(values, np.ones(400)).fit(cov_type="cluster", cov_kwds={"groups": line})
    plain = values.std(ddof=1) / math.sqrt(400)
    effect = design_effects(values - values.mean(), line, np.zeros(400, np.intp), 1)[0]
    assert plain * math.sqrt(effect) == pytest.approx(robust.bse[0], rel=2e-3)
    assert clustered_critical(1.96, values, line)[0] == pytest.approx(t_from_normal(1.96, 25) * math.sqrt(effect))
    alone = clustered_critical(1.96, values, np.arange(400))
    assert alone == clustered_critical(1.96, values, None) == 1.96, "games with a line each are independent"


def test_lines_of_which_nothing_is_known_count_as_a_game_each() -> None:
    line = np.repeat(np.arange(20), 10)
    assert clustered_critical(1.96, np.ones(200), line)[0] == pytest.approx(t_from_normal(1.96, 20) * math.sqrt(10))


@pytest.mark.parametrize("lines", [10, 20, 100, 500])
def test_quantiles_of_t(lines: int) -> None:
    z = np.array([0.5, 1.96, 3.3, 5.0])
    expected = student.isf(norm.sf(z), lines - 1)
    np.testing.assert_allclose(t_from_normal(z, lines), expected, rtol=0.02 if lines < 20 else 4e-3)
    np.testing.assert_allclose(normal_from_t(t_from_normal(z, lines), lines), z)
    np.testing.assert_array_equal(t_from_normal(z, math.inf), z)


def test_lines_that_are_not_shared_are_other_clusters() -> None:
    rng = np.random.default_rng(2)
    plan = plan_of(30, "toy/base", "toy/new", shared=20)
    trials = pd.concat([played(rng, 60, of_lines(rng, 30), name) for name in plan.names], ignore_index=True)
    records = prepare_trials(trials, plan).games
    base, new = (records.loc[records["ruleset"] == name, "cluster"].to_numpy() for name in plan.names)
    np.testing.assert_array_equal(base[:20], new[:20])
    assert not set(base[20:30]) & set(new)
    assert prepare_trials(trials, plan_for(*plan.names, openings=GivenLines(("a",)))).games is trials
    assert prepare_trials(records, plan).games is records


def coverage(lines: int, games: int, replicates: int, seed: int, apart: float = 0.1) -> dict[str, tuple[float, float]]:
    """How often the intervals hold the truth, and how wide they are; each agent is an experiment."""
    rng = np.random.default_rng(seed)
    agents = [f"a{number}" for number in range(replicates)]
    plan = plan_of(lines, "toy/base", "toy/new", agents=agents)
    parts = []
    for agent in agents:
        worth = of_lines(rng, lines)
        other = worth * (1 - apart)
        parts += [played(rng, games, worth, "toy/base", agent), played(rng, games, other, "toy/new", agent)]
    trials = prepare_trials(pd.concat(parts, ignore_index=True), plan)
    table = cell_table(trials, plan.names, plan.pairings)
    base = table[table["ruleset"] == "toy/base"]
    compared = comparison_table(trials, plan, ("first_score", "plies_mean"))
    score = compared[compared["measure"] == "first_score"]
    plies = compared[compared["measure"] == "plies_mean"]
    won = base["first_wins"].to_numpy(dtype=float)
    naive = score_interval(won, 0, games - won)

    def held(low: Any, high: Any, truth: float) -> tuple[float, float]:
        low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        return float(((low <= truth) & (truth <= high)).mean()), float((high - low).mean())

    return {"score": held(base["first_score_low"], base["first_score_high"], 0.5), "naive": held(*naive, 0.5),
            "plies": held(base["plies_mean_low"], base["plies_mean_high"], 35.0),
            "difference": held(score["low"], score["high"], -apart / 2),
            "plies difference": held(plies["low"], plies["high"], -15 * apart)}  # fmt: skip


@pytest.mark.thorough
def test_intervals_hold_the_truth_where_lines_differ() -> None:
    covered = coverage(lines=40, games=400, replicates=300, seed=3)
    assert covered["naive"][0] < 0.75
    for name in ("score", "plies", "difference"):
        assert 0.91 <= covered[name][0] <= 0.985, (name, covered[name])
    # Under both rulesets a line makes games nearly as long (a correlation of 0.96): more than 40 lines can tell.
    assert covered["plies difference"][0] >= 0.95
    assert covered["difference"][1] < 0.8 * covered["score"][1]


@pytest.mark.slow
@pytest.mark.parametrize(("lines", "games"), [(20, 400), (100, 1000), (500, 1500), (500, 400)])
def test_coverage(lines: int, games: int) -> None:
    covered = coverage(lines, games, 1500, 4)
    for name in ("score", "plies", "difference"):
        assert 0.93 <= covered[name][0] <= 0.97, (name, covered[name])
    assert covered["plies difference"][0] >= 0.93
    if games > lines:
        assert covered["naive"][0] < 0.9, "ignoring lines would fail"
    if games >= 10 * lines:
        assert covered["difference"][1] < 0.8 * covered["score"][1], "what a line does under both rulesets cancels"


@pytest.mark.slow
def test_no_difference_is_seldom_found_where_there_is_none() -> None:
    """With looks: lines that are shared, and lines that are not, at the same score."""
    rng = np.random.default_rng(5)
    agents = [f"a{number}" for number in range(800)]
    for shared in (50, 0):
        plan = plan_of(50, "toy/base", "toy/new", shared=shared, agents=agents, games=500, until="decided", looks=5,
                       question="decisive")  # fmt: skip
        parts = []
        for agent in agents:
            worth = of_lines(rng, 50)
            other = worth if shared else of_lines(rng, 50)
            parts += [played(rng, 500, worth, "toy/base", agent), played(rng, 500, other, "toy/new", agent)]
        trials = pd.concat(parts, ignore_index=True)
        trials["result"] = np.where(trials["result"] == "second", "draw", "first")
        table = comparison_table(trials, plan, ())
        wrong = (table["p"] <= 0.05).mean()
        assert 0.02 <= wrong <= 0.055, (shared, wrong)


def test_more_games_of_the_same_lines_leave_what_lines_do() -> None:
    rng = np.random.default_rng(6)
    plan = plan_of(30, "toy/base", "toy/new", shared=0)
    for games, low, high in ((30, 0.0, 0.0), (60, 0.3, 0.9), (3000, 0.95, 1.0)):
        worth = [of_lines(rng, 30) for _ in plan.names]
        parts = [played(rng, games, each, name) for each, name in zip(worth, plan.names, strict=True)]
        trials = prepare_trials(pd.concat(parts, ignore_index=True), plan)
        a, b = tally_pairs(trials.games, [("toy/new", "greedy", "greedy"), ("toy/base", "greedy", "greedy")])
        assert low <= lasting_share(a, b, "fairness")[0] <= high
    table = comparison_table(trials, plan)
    assert table.loc[0, "reason"] == "too_few_lines" and np.isinf(table["games_needed"].to_numpy()[0])


def test_games_without_lines_in_common_are_judged_as_before() -> None:
    rng = np.random.default_rng(7)
    plan = plan_of(300, "toy/base", "toy/new", shared=0, targets={"draw_rate": "<0.5"})
    trials = pd.concat([played(rng, 300, of_lines(rng, 300), name) for name in plan.names], ignore_index=True)
    bare = plan_for(*plan.names, targets=plan.experiment.targets)
    with_lines, without = prepare_trials(trials, plan), trials.drop(columns="line")
    # Games of one number meet the same chance, which these did not.
    without["game"] = np.where(without["ruleset"] == "toy/new", 299 - without["game"], without["game"])
    table = cell_table(with_lines, plan.names, plan.pairings)
    same = cell_table(without, plan.names, plan.pairings)
    pd.testing.assert_frame_equal(table[same.columns.tolist()], same)
    assert (table["lines"] == 300).all()
    pd.testing.assert_frame_equal(comparison_table(trials, plan), comparison_table(without, bare), rtol=1e-9)
    targets = plan.experiment.targets
    pd.testing.assert_frame_equal(target_table(table, targets), target_table(same, targets))


def test_games_with_the_same_number_meet_the_same_chance() -> None:
    """Without lines, too: half of the games come out alike, and the interval of the difference is narrower for it."""
    rng = np.random.default_rng(7)
    plan = plan_for("toy/base", "toy/new")
    base = played(rng, 400, np.full(400, 0.5), "toy/base").drop(columns="line")
    other = played(rng, 400, np.full(400, 0.5), "toy/new").drop(columns="line")
    alike = other.assign(result=np.where(np.arange(400) % 2 == 0, base["result"], other["result"]))
    widths = []
    for new in (other, alike):
        table = comparison_table(pd.concat([base, new], ignore_index=True), plan, ["first_score"])
        row = table[table["measure"] == "first_score"].iloc[0]
        widths.append(row["high"] - row["low"])
    assert widths[1] / widths[0] == pytest.approx(math.sqrt(0.5), abs=0.08)


def test_a_precision_waits_for_what_lines_allow() -> None:
    rng = np.random.default_rng(8)
    plan = plan_of(40, "toy/base", precision=0.05, games=4000, looks=10)
    trials = played(rng, 4000, of_lines(rng, 40), "toy/base")
    goal = games_per_cell(trials, plan)
    assert set(goal.values()) == {4000}, "the mean of 40 lines is not known to five points"
    alone = plan_for("toy/base", precision=0.05, games=4000, looks=10)
    assert set(games_per_cell(trials.drop(columns="line"), alone).values()) == {400}


def test_an_analysis_with_lines_has_no_openings_of_its_own() -> None:
    rng = np.random.default_rng(9)
    plan = plan_of(40, "toy/base", "toy/new", targets={"draw_rate": "<0.05", "first_score": [0.4, 0.6]})
    parts = [played(rng, 200, of_lines(rng, 40), name).assign(opening="a b", event_shout=1) for name in plan.names]
    analysis = analyse(pd.concat(parts, ignore_index=True), plan)
    assert analysis.openings.empty and analysis.opening_lines.empty and analysis.given_lines.empty
    assert (analysis.cells["first_score_design_effect"] > 1.2).all()
    assert analysis.scorecard["variety"].isna().all()


def test_the_lines_that_were_given_are_told_one_by_one() -> None:
    scores = np.array([0.9, 0.5, 0.2])
    rng = np.random.default_rng(10)
    plan = plan_for("toy/base", openings=GivenLines(("a b", "c", "d")), agents=("random", "greedy"))
    trials = pd.concat([played(rng, 900, scores, "toy/base", agent) for agent in ("random", "greedy")])
    table = given_line_table(trials.reset_index(drop=True), plan)
    ours = table[table["first"] == "greedy"]
    assert ours["status"].tolist()[::2] == ["first", "second"] and ours["opening"].tolist() == ["a b", "c", "d"]
    assert ours["games"].tolist() == [300, 300, 300] and ours["p_holm"].iloc[0] < 1e-9
    assert (ours["simultaneous_low"] < ours["score_low"]).all()
    assert table.loc[table["first"] == "random", "p_holm"].isna().all(), "random players are a yardstick"
    first = ours.iloc[0].to_dict()
    low, high = score_interval(first["first_wins"], 0, first["second_wins"])
    assert first["score_low"] == pytest.approx(float(low)) and first["score_high"] == pytest.approx(float(high))
    unfinished = dataclasses.replace(with_keys(plan, games=2000), finished=False)
    waiting = given_line_table(trials.reset_index(drop=True), unfinished)
    assert set(waiting["status"]) == {"undecided"}, "a run that is not finished decides nothing"
    sequential = with_keys(plan, games=2000, until="decided", looks=5)
    looked = given_line_table(trials.reset_index(drop=True), sequential)
    assert (looked["simultaneous_low"][3:] < table["simultaneous_low"][3:]).all()
    assert (looked["p"] >= table["p"]).all()
    apart = line_difference_table(trials.reset_index(drop=True), plan)
    ours = apart[apart["first"] == "greedy"]
    assert ours[["line", "line2"]].to_numpy().tolist() == [[1, 2], [1, 3], [2, 3]]
    assert (ours["low"] > 0).all() and (ours["p_holm"] < 1e-6).all()
    assert ours["difference"].iloc[1] == pytest.approx(0.7, abs=0.07)


def test_targets_allow_for_games_that_share_a_line() -> None:
    """Lines decide which games are drawn: without capped games the target is judged by the interval of the table."""
    rng = np.random.default_rng(11)
    plan = plan_of(20, "toy/base", shared=0, targets={"draw_rate": "<0.5"})
    trials = played(rng, 400, of_lines(rng, 20), "toy/base")
    trials["result"] = trials["result"].where(trials["line"] >= 7, "draw")
    table = cell_table(prepare_trials(trials, plan), plan.names, plan.pairings)
    assert table["draw_rate_design_effect"].item() > 10
    judged = target_table(table, plan.experiment.targets)
    width = (table["draw_rate_high"] - table["draw_rate_low"]).item()
    assert (judged["high"] - judged["low"]).item() == pytest.approx(width, rel=0.15)
