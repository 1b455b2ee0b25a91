"""Interim analyses: extended experiments, unfinished runs, forecasts, and what is out of reach."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr
from scipy.stats import norm

from tests.toy import drawn, games, plan_for, with_keys
from workbench.base import project
from workbench.experiments import experiment
from workbench.runs import planning
from workbench.statistics import AnalysisPlan, analyse, analysis_plan, comparison_table
from workbench.statistics.analysis import InterimAnalyses, decides_by_strong_play, games_per_cell
from workbench.statistics.analysis_plan import ALPHA, critical_value, error_share, games_for_equivalence, power_analysis
from workbench.statistics.comparisons import FUTILITY_CHANCE, _Analyses, _equivalence, _separation, corrected_p_values

ROOT = Path(__file__).parent.parent
SEED = 20080209


def extended(first: AnalysisPlan, *games: int) -> AnalysisPlan:
    """The plan after ``games`` was raised to these numbers, one after the other, and the folder read each time."""
    ends = (first.games, *games)
    return dataclasses.replace(with_keys(first, games=ends[-1]), earlier_games=ends[:-1])


def trials_of(rng: np.random.Generator, games: int, **scores: float) -> pd.DataFrame:
    return pd.concat([drawn(rng, games, score, ruleset=f"toy/{name}") for name, score in scores.items()])


MARGIN = 0.025
SCORES = {"base": 0.6, "a": 0.6, "b": 0.6, "c": 0.57}
"""c is fairer by more than the margin; a and b are as fair as the baseline."""
EQUAL, FAIR = dict.fromkeys(SCORES, 0.6), dict.fromkeys(SCORES, 0.5)
DOUBLED, A_FEW_MORE = (500, 1_000, 2_000, 4_000, 8_000), (1_000, 1_100, 1_200, 1_300, 1_400)


def wrong_words(scores: Mapping[str, float], name: str) -> set[str]:
    """Verdicts on a proposal that are not true."""
    if scores[name] == scores["base"]:
        return {"fairer", "less_fair"}
    return {"less_fair", "no_meaningful_difference"}


def asked(games: int, until: str) -> AnalysisPlan:
    plan = plan_for(*(f"toy/{name}" for name in SCORES), games=games, margin=MARGIN, until=until)
    return with_keys(plan, looks=5) if until else plan


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scores", "games", "until"),
    [(EQUAL, DOUBLED, ""), (EQUAL, DOUBLED, "decided"), (EQUAL, A_FEW_MORE, ""), (FAIR, DOUBLED, ""),
     (SCORES, DOUBLED, "decided")],
)  # fmt: skip
def test_raising_games_keeps_wrong_verdicts_rare(scores: dict[str, float], games: tuple[int, ...], until: str) -> None:
    """Known truth, by the functions that judge records; `docs/statistics.md` has the figures.

    ``games`` is raised whatever the reading before said, and a wrong claim at any reading counts.
    """
    rng, times = np.random.default_rng(SEED), 20_000
    analyses = _Analyses(extended(asked(games[0], until), *games[1:]))
    steps = np.diff(analyses.sizes, prepend=0)
    results = {
        name: np.cumsum([rng.multinomial(step, (score, 1 - score, 0.0), times) for step in steps], axis=0).astype(float)
        for name, score in scores.items()
    }

    def tallies(name: str) -> list[dict[str, np.ndarray]]:
        rest = [{"unfinished": np.zeros(times), "games": np.full(times, float(size))} for size in analyses.sizes]
        counts = [dict(zip(("first", "second", "draw"), each.T, strict=True)) for each in results[name]]
        return [one | other for one, other in zip(counts, rest, strict=True)]

    seen = np.column_stack([np.ones((times, len(steps)), dtype=bool), np.zeros(times, dtype=bool)])
    p, sign, equal = (np.empty((times, 3)) for _ in range(3))
    for column, name in enumerate("abc"):
        pairs = list(zip(tallies(name), tallies("base"), strict=True))
        p[:, column], sign[:, column] = analyses.p_value([_separation(a, b, "fairness") for a, b in pairs], seen)
        close = [(_equivalence(a, b, MARGIN), np.ones(times)) for a, b in pairs]
        equal[:, column] = analyses.p_value(close, seen)[0]
    wrong = 0
    for row in range(times):
        different, alike = corrected_p_values(p[row], equal[row])
        words = [{"fairer" if one > 0 else "less_fair": p_apart, "no_meaningful_difference": p_same}
                 for p_apart, p_same, one in zip(different, alike, sign[row], strict=True)]  # fmt: skip
        said = [{word for word, value in each.items() if value <= ALPHA} for each in words]
        wrong += any(each & wrong_words(scores, name) for name, each in zip("abc", said, strict=True))
    print(f"{scores} {until or 'fixed'} {games}: {100 * wrong / times:.2f} %")
    assert wrong <= times * ALPHA + 2 * math.sqrt(times * ALPHA * (1 - ALPHA))


@pytest.mark.parametrize("until", ["", "decided"])
@pytest.mark.parametrize(
    "times", [pytest.param(20, marks=pytest.mark.thorough), pytest.param(400, marks=pytest.mark.slow)]
)
def test_records_that_are_read_again_and_again_rarely_get_a_wrong_verdict(times: int, until: str) -> None:
    """The same from records, by the games that a run would play and the whole table."""
    rng, games, wrong = np.random.default_rng(SEED), (250, 500, 1_000, 2_000), 0
    for _ in range(times):
        every = trials_of(rng, games[-1], **SCORES)
        said: set[tuple[str, str]] = set()
        for number in range(1, len(games) + 1):
            now = extended(asked(games[0], until), *games[1:number])
            goal = games_per_cell(every[every["game"] < now.games], now)
            stop = every["ruleset"].map({name: count for (name, _, _), count in goal.items()})
            table = comparison_table(every[every["game"] < stop], now, ("fairness",))
            said |= set(zip(table["ruleset"], table["verdict"], strict=True))
        wrong += any(word in wrong_words(SCORES, name.removeprefix("toy/")) for name, word in said)
    assert wrong <= times * ALPHA + 2 * math.sqrt(times * ALPHA * (1 - ALPHA))


def test_records_are_judged_stage_by_stage() -> None:
    every = trials_of(np.random.default_rng(SEED), 800, base=0.6, a=0.6)
    sizes = (200, 400, 800)
    now = extended(plan_for("toy/base", "toy/a", games=200, margin=0.02), 400, 800)
    table = comparison_table(every, now, ("fairness",)).iloc[0]
    each = []
    for number, size in enumerate(sizes, start=1):
        alone = plan_for("toy/base", "toy/a", games=size, margin=0.02)
        p = comparison_table(every[every["game"] < size], alone, ("fairness",))["p"].iloc[0]
        each.append(float(p) * error_share(1) / error_share(number))
    assert float(table["p"]) == pytest.approx(min(1.0, *each))


def test_an_earlier_verdict_stands_and_ends_its_cells() -> None:
    """The others go on to the new number of games at once, also those that were given up."""
    rng = np.random.default_rng(4)
    fixed = plan_for("toy/base", "toy/a", "toy/b", games=1_000, until="decided", looks=2)
    every = trials_of(rng, 4_000, base=0.7, a=0.5, b=0.69)
    assert games_per_cell(every[every["game"] < 1_000], fixed)["toy/a", "greedy", "greedy"] == 500
    now = extended(fixed, 4_000)
    assert [(stage.share, stage.sizes) for stage in now.stages] == [(0.8, (500, 1_000)), (0.06, (4_000,))]
    seen = every[(every["game"] < 500) | ((every["ruleset"] != "toy/a") & (every["game"] < 1_000))]
    wanted = games_per_cell(seen, now)
    assert wanted["toy/a", "greedy", "greedy"] == 500 and wanted["toy/b", "greedy", "greedy"] == 4_000
    assert comparison_table(seen, now, ("fairness",))["verdict"].iloc[0] == "fairer"


def test_an_experiment_with_a_precision_goes_on_from_where_its_cells_were() -> None:
    rng = np.random.default_rng(SEED)
    plan = plan_for("toy/base", "toy/a", games=1_000, precision=0.03, looks=5)
    every = trials_of(rng, 3_000, base=0.9, a=0.5)
    now = extended(plan, 1_700)
    assert now.interim_sizes == [200, 400, 600, 800, 1_000, 1_020, 1_360, 1_700]
    goal = games_per_cell(every, now)
    assert goal["toy/base", "greedy", "greedy"] == 400 and goal["toy/a", "greedy", "greedy"] == 1_360
    assert [(stage.share, stage.sizes) for stage in now.stages] == [(0.06, ())]


def test_shares_hold_even_if_extensions_are_chosen_in_the_worst_way() -> None:
    """A dynamic programme over z and the number of the extension: each size is chosen to err as often as possible."""
    stages = 6
    c = [float(norm.isf(ALPHA * error_share(number) / 2)) for number in range(1, stages + 1)]
    assert sum(error_share(number) for number in range(1, 60)) < 1
    x = np.linspace(-max(c), max(c), 401)
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    value = np.zeros_like(x)
    for limit in c[:0:-1]:
        best = np.zeros_like(x)
        for old in np.concatenate([[0.0, 0.02, 0.05], np.linspace(0.1, 0.98, 30)]):
            mean, spread = math.sqrt(old) * x, math.sqrt(1 - old)
            after = mean[:, None] + spread * nodes[None, :]
            go_on = np.where(abs(after) < limit, np.interp(after, x, value), 0) @ (weights / weights.sum())
            best = np.maximum(best, ndtr((mean - limit) / spread) + ndtr((-mean - limit) / spread) + go_on)
        value = best
    inside = np.where(abs(x) < c[0], value * norm.pdf(x), 0)
    assert 0.9 * ALPHA < 2 * norm.sf(c[0]) + np.trapezoid(inside, x) <= ALPHA


@pytest.mark.thorough
def test_an_unfinished_run_of_fixed_size_has_estimates_and_no_verdicts() -> None:
    rng = np.random.default_rng(SEED)
    plan = plan_for("toy/base", "toy/a", games=2_000, targets={"first_score": [0.4, 0.6]})
    every = pd.concat([drawn(rng, 2_000, 0.9), drawn(rng, 2_000, 0.5, ruleset="toy/a")]).assign(opening="")
    part = analyse(every[every["game"] < 1_500], plan)
    fairness = part.comparisons[part.comparisons["measure"] == "fairness"].iloc[0]
    assert (fairness["verdict"], fairness["reason"], fairness["games"]) == ("undecided", "not_finished", 1_500)
    assert fairness["difference"] == pytest.approx(0.4, abs=0.05) and fairness["low"] > 0
    assert part.comparisons["p"].isna().all()
    assert set(part.cells["balance"]) == {"undecided"} and set(part.targets["reason"]) == {"not_finished"}
    whole = analyse(every, plan)
    assert "fairer" in set(whole.comparisons["verdict"]) and "first" in set(whole.cells["balance"])
    assert set(whole.targets["verdict"]) == {"met", "missed"}


def test_forecasts_come_true_four_times_out_of_five() -> None:
    """Averaged over rule changes of the size that is assumed; each undecided one is played on as far as is said."""
    rng = np.random.default_rng(SEED)
    n, margin, size = 1_000, 0.02, 4_000
    error = np.full(size, math.sqrt(0.5 / n))
    alphas = [ALPHA * error_share(number) for number in (1, 2)]
    limits = [(critical_value(alpha), critical_value(alpha / 6)) for alpha in alphas]
    truth = analysis_plan.TYPICAL_CHANGE * rng.standard_normal(size)
    seen = truth + error * rng.standard_normal(size)

    def decided(estimate: np.ndarray, error: np.ndarray, close: float, separate: float) -> np.ndarray:
        return (abs(estimate) > separate * error) | (abs(estimate) + close * error < margin)

    left = ~decided(seen, error, *limits[0])
    truth, seen, error = truth[left], seen[left], error[left]
    close, separate = limits[1]
    full = np.ones_like(seen)
    times = analysis_plan.times_to_decide(seen, seen, error, separate * full, close * full, margin * full)
    assert np.isfinite(times).all()
    new = truth + error / np.sqrt(times - 1) * rng.standard_normal(len(seen))
    after = seen / times + (1 - 1 / times) * new
    came_true = decided(after, error / np.sqrt(times), close, separate)
    assert 0.77 <= came_true.mean() <= 0.83, "standard error: 0.007"
    # Also of those that would have been tempting to count apart.
    for some in (abs(seen) < 0.02, abs(seen) > 0.04):
        assert 0.74 <= came_true[some].mean() <= 0.86


def test_what_cannot_be_decided_any_more_is_not_played_on_for() -> None:
    """2,000 games show no equality to ±2 points; after 1,000 equal ones a difference is hardly to be expected."""
    plan = plan_for("toy/base", "toy/a", games=2_000, until="decided", looks=4, margin=0.02)
    # Not in the same order: games with the same number are compared.
    every = pd.concat([games("wwwwwwwlll" * 200, "toy/base"), games("lwwlwwwlww" * 200, "toy/a")])
    compared = comparison_table(every[every["game"] < 1_000], plan, ("fairness",)).iloc[0]
    assert (compared["verdict"], compared["reason"]) == ("undecided", "too_few_games")
    assert compared["chance_left"] < FUTILITY_CHANCE and compared["games_needed"] > 1_000
    assert set(games_per_cell(every, plan).values()) == {1_000}
    # With a margin that the ceiling can show, the same games go on.
    assert min(games_per_cell(every, with_keys(plan, margin=0.06)).values()) > 1_000


def test_a_few_games_more_do_not_reach_the_boundary_of_an_early_analysis() -> None:
    """At the first of 24 analyses a difference has to be 4.9 times as large as at the last one, in standard errors."""
    plan = plan_for("toy/base", "toy/a", games=1_440, until="decided", looks=24, margin=0.05)
    first = pd.concat([games("wwwlllwwlwll" * 5, "toy/base"), games("wwwwwwwwwlll" * 5, "toy/a")])
    compared = comparison_table(first, plan, ("fairness",)).iloc[0]
    assert (compared["verdict"], compared["reason"]) == ("undecided", "too_few_games")
    # 25 points with a standard error of 8.5 by now: with f times the games 25 > 2.3 · 8.5 · √24 / f, from f = 3.9 on.
    assert 2.9 * 60 < compared["games_needed"] < 8 * 60


@pytest.mark.parametrize("proposal", [0.6, 0.56])
def test_giving_up_costs_hardly_any_power_and_adds_no_wrong_verdict(proposal: float) -> None:
    """Played on Brownian paths of a difference with four analyses: with and without giving up."""
    rng = np.random.default_rng(SEED)
    analyses, ceiling, margin, size = 4, 6_000, 0.03, 20_000
    true = 0.6 - proposal
    c = critical_value(ALPHA * error_share(1), analyses)
    full = np.ones(size)
    total, decided_at, plain = np.zeros(size), np.zeros(size), np.zeros(size, dtype=bool)
    given_up, shown = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    step = ceiling // analyses
    for number in range(1, analyses + 1):
        n = step * number
        total += step * true + math.sqrt(0.5 * step) * rng.standard_normal(size)
        seen, error, wide = total / n, math.sqrt(0.5 / n), c * math.sqrt(analyses / number)
        hit = (abs(seen) > wide * error) | (abs(seen) + wide * error < margin)
        far = abs(seen) > wide * error
        plain |= far
        shown |= far & ~given_up & (decided_at == 0)
        decided_at = np.where(hit & (decided_at == 0), n, decided_at)
        planned = [error * full, ceiling / n * full, c * full, c * full, margin * full]
        chance = analysis_plan.decision_chance(seen, seen, *planned)
        given_up |= (decided_at == 0) & (chance < FUTILITY_CHANCE)
    assert shown.mean() <= plain.mean()
    if true:
        assert plain.mean() - shown.mean() <= 0.02
    else:
        assert shown.mean() <= 0.05


def every_verdict_is_likely(power: analysis_plan.PowerAnalysis) -> bool:
    """Whether every verdict has a good chance to be found where it is true."""
    return power.games >= power.likely_equivalence_games and power.smallest_difference < 0.5


@pytest.mark.parametrize("path", sorted((ROOT / "experiments").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_verdict_of_shipped_experiments_with_an_early_end_is_within_reach(path: Path) -> None:
    loaded = experiment.load_experiment(path, project.Project(ROOT))
    # What is said of strong play has another forecast.
    if loaded.until and not decides_by_strong_play(AnalysisPlan(loaded)):
        reachable = planning.experiment_power(loaded)
        assert reachable and every_verdict_is_likely(reachable)


def test_the_experiment_that_could_not_find_equality_is_told_so() -> None:
    alone, in_all = power_analysis(4_800, 1, 0.02, 5), power_analysis(4_800, 42, 0.02, 5)
    assert alone.games < alone.equivalence_games and 5_200 < alone.equivalence_games < 6_000
    assert in_all.games < in_all.equivalence_games
    assert in_all.equivalence_games > 2 * alone.equivalence_games, "judged together with 41 others"
    assert "out of reach" in in_all.describe()[1] and f"{in_all.equivalence_games:,}" in in_all.describe()[1]
    assert every_verdict_is_likely(power_analysis(30_000, 42, 0.02, 5))
    assert "out of reach" in power_analysis(20, 42, 0.02).describe()[0]
    assert analysis_plan.games_for_gain(analysis_plan.smallest_gain(2_000, 5), 5) in (2_000, 2_001)


def test_with_fewer_games_equality_is_never_found_and_with_the_planned_ones_four_times_out_of_five() -> None:
    rng = np.random.default_rng(SEED)

    def share_equal(n: int, times: int, same: bool = False) -> float:
        wins = rng.binomial(n, 0.6, (2, times)).astype(float)
        if same:
            wins[:] = round(0.5 * n)
        a, b = ({"first": each, "second": n - each, "draw": 0 * each, "unfinished": 0 * each,
                 "games": np.full(times, float(n))} for each in wins)  # fmt: skip
        return float(np.mean(_equivalence(a, b, 0.02) >= critical_value(ALPHA * error_share(1))))

    assert share_equal(games_for_equivalence(0.02) - 60, 1, same=True) == 0
    assert share_equal(games_for_equivalence(0.02) + 60, 1, same=True) == 1
    assert share_equal(games_for_equivalence(0.02, power=analysis_plan.POWER), 4_000) == pytest.approx(0.81, abs=0.03)


@pytest.mark.thorough
def test_health_counts_both_cells_of_a_comparison() -> None:
    rng = np.random.default_rng(SEED)
    n = 4_000
    every = pd.concat([drawn(rng, n, 0.5), drawn(rng, n, 0.5, ruleset="toy/a")]).assign(opening="")
    plan = plan_for("toy/base", "toy/a", games=n, margin=0.02)
    warned = analyse(every, plan).warnings
    few = warned[warned["code"] == "few_games"]
    assert len(few) == 2 and set(few["limit"]) == {games_for_equivalence(0.02)} and games_for_equivalence(0.02) > 5_200
    alone = analyse(every[every["ruleset"] == "toy/base"], with_keys(plan, rulesets=plan.rulesets[:1]))
    assert "few_games" not in set(alone.warnings["code"]), "one cell alone takes 2,401 games"


def test_every_interim_analysis_of_a_run_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_for("toy/base", "toy/a", "toy/b", games=400, until="decided", looks=4, margin=0.02)
    rng = np.random.default_rng(3)
    every = pd.concat(drawn(rng, 400, score, 0.1, ruleset=name) for name, score in
                      (("toy/base", 0.7), ("toy/a", 0.5), ("toy/b", 0.68)))  # fmt: skip
    compared: list[int] = []

    def counted(trials: pd.DataFrame, *rest: Any) -> pd.DataFrame:
        compared.append(len(trials))
        return comparison_table(trials, *rest)

    monkeypatch.setattr("workbench.statistics.analysis.comparison_table", counted)
    analyses = InterimAnalyses(plan)
    goal = analyses.games_per_cell(every.iloc[:0])
    assert set(goal.values()) == {100} and not compared
    for _ in range(4):
        stop = every["ruleset"].map({name: games for (name, _, _), games in goal.items()})
        goal = analyses.games_per_cell(every[every["game"] < stop])
    assert 1 < len(compared) <= 3 and compared == sorted(set(compared)), "each takes more games than the one before"
    assert goal == games_per_cell(every, plan)
    assert len(set(goal.values())) > 1, "cells end apart"
