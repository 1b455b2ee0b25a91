"""Verdicts on proposals, against games with known chances: how often they err, and what they find."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

from tests import few
from tests.toy import drawn, games, plan_for, with_keys
from workbench.experiments.measures import COMPARED
from workbench.statistics import comparison_table, comparisons, score_interval
from workbench.statistics.analysis import games_per_cell
from workbench.statistics.analysis_plan import (
    ALPHA,
    analysis_sizes,
    critical_value,
    crossing_probability,
    games_for_gain,
    games_for_precision,
    interim_critical_value,
)
from workbench.statistics.comparisons import _difference_interval, _equivalence, _separation, shaffer_factors
from workbench.statistics.tables import Tally

SEED = 20080209


def test_the_score_interval_at_the_edges() -> None:
    low, high = score_interval([0, 5, 0, 0], [0, 0, 9, 0], [0, 0, 0, 7])
    assert math.isnan(low[0]) and (high[1], low[3]) == (1, 0)
    assert low[2] < 0.5 < high[2], "nine draws do not prove that all games are drawn"
    assert low[2] == pytest.approx(1 - high[2])


def tango(wins: int, draws: int, losses: int, z: float) -> list[float]:
    """The interval in Tango's own letters, as printed in 1998: b and c discordant pairs, λ = (b - c) / n; 40 digits."""
    n, b, c = (Decimal(number) for number in (wins + draws + losses, wins, losses))

    def outside(difference: Decimal) -> bool:
        big_a, big_c = 2 * n, -c * difference * (1 - difference)
        big_b = -b - c + (2 * n - b + c) * difference
        q21 = (max(big_b * big_b - 4 * big_a * big_c, Decimal(0)).sqrt() - big_b) / (2 * big_a)
        variance = max(n * (2 * q21 + difference * (1 - difference)), Decimal(0))
        return (b - c - n * difference) ** 2 > Decimal(z) ** 2 * variance

    ends = []
    for edge in (Decimal(-1), Decimal(1)):
        inner, outer = (b - c) / n, edge
        for _ in range(60 if outside(edge) else 0):
            middle = (inner + outer) / 2
            inner, outer = (inner, middle) if outside(middle) else (middle, outer)
        ends.append(float((outer + 1) / 2))
    return ends


def test_the_score_interval_is_tangos() -> None:
    """All kinds of games, none of a kind, one game, all games drawn: no cancellation anywhere."""
    numbers = [counts for counts in itertools.product((0, 1, 3, 30, 5000), repeat=3) if sum(counts)]
    with localcontext() as context:
        context.prec = 40
        for z in (0.1, 1.96, 4.5):
            expected = [tango(wins, draws, losses, z) for wins, draws, losses in numbers]
            wins, draws, losses = np.array(numbers).T
            intervals = np.column_stack(score_interval(wins, draws, losses, z))
            np.testing.assert_allclose(intervals, expected, atol=1e-10, rtol=0)


def test_three_draws_prove_nothing() -> None:
    base = games("w" * 130 + "l" * 70)
    for draws in (1, 3, 10):
        trials = pd.concat([base, games("d" * draws, "toy/a")])
        row = comparison_table(trials, plan_for("toy/base", "toy/a"), ("fairness",)).iloc[0]
        assert row["verdict"] == "undecided" and row["p"] > 0.05 and row["low"] < 0
    trials = pd.concat([base, games("d" * 100, "toy/a")])
    assert comparison_table(trials, plan_for("toy/base", "toy/a"), ("fairness",)).iloc[0]["verdict"] == "fairer"


def test_an_undecided_verdict_beside_a_clear_interval_has_its_reason() -> None:
    names = [f"toy/{letter}" for letter in "abcdefghijklmn"]
    # In an order of their own: games with the same number are compared.
    clear = games("".join(np.random.default_rng(1).permutation(list("w" * 560 + "l" * 440))), names[0])
    trials = pd.concat([games("w" * 620 + "l" * 380), clear, *(games("w" * 62 + "l" * 38, name) for name in names[1:])])
    table = comparison_table(trials, plan_for("toy/base", *names), ("fairness",)).set_index("ruleset")
    row = table.loc[names[0]]
    assert row["low"] > 0 and row["p"] < 0.05 < row["p_holm"]
    assert (row["verdict"], row["reason"]) == ("undecided", "together")
    assert set(table.loc[names[1:], "reason"]) == {"too_few_games"}
    alone = comparison_table(trials, plan_for("toy/base", names[0]), ("fairness",)).iloc[0]
    assert (alone["verdict"], alone["reason"]) == ("fairer", "")


def test_before_the_first_look_no_verdict_is_due() -> None:
    trials = pd.concat([games("w" * 450 + "l" * 50), games("wl" * 250, "toy/a")])
    plan = plan_for("toy/base", "toy/a", games=5_000, until="decided", looks=5)
    row = comparison_table(trials, plan, ("fairness",)).iloc[0]
    assert row["low"] > 0 and (row["verdict"], row["reason"]) == ("undecided", "no_look")
    row = comparison_table(trials, with_keys(plan, games=2_500), ("fairness",)).iloc[0]
    assert (row["verdict"], row["reason"]) == ("fairer", "")


def test_boundaries_are_those_of_obrien_and_fleming() -> None:
    # Jennison and Turnbull 2000, table 2.3: two-sided, 5 %.
    for analyses, constant in ((1, 1.960), (2, 1.977), (3, 2.004), (4, 2.024), (5, 2.040), (10, 2.087)):
        assert critical_value(0.05, analyses) == pytest.approx(constant, abs=6e-4)
        assert crossing_probability(critical_value(0.05, analyses), analyses) == pytest.approx(0.05, rel=1e-6)


def test_crossing_is_the_normal_p_value_for_one_look_and_never_smaller() -> None:
    b = np.linspace(0, 9, 40)
    np.testing.assert_allclose(crossing_probability(b, 1), 2 * norm.sf(b), rtol=1e-12)
    assert (crossing_probability(b, 5) >= crossing_probability(b, 1)).all()
    assert (np.diff(crossing_probability(b, 5)) < 0).all()
    assert math.isnan(crossing_probability(math.nan, 5))


def test_interim_analyses_and_the_games_that_they_take() -> None:
    assert analysis_sizes(3000, 5) == [600, 1200, 1800, 2400, 3000]
    assert analysis_sizes(7, 3) == [3, 5, 7]
    assert analysis_sizes(2, 5) == [1, 2]
    assert interim_critical_value([600, 3000], 3000, 5) == pytest.approx([2.0401 * math.sqrt(5), 2.0401], rel=1e-4)
    assert games_for_precision(0.01) == 9604
    assert games_for_precision(0.01, variance=0.125) == 4802


def counted(counts: np.ndarray) -> Tally:
    """Counts of wins, losses and draws, a row for each cell, as `comparison_table` reads them."""
    names = dict(zip(("first", "second", "draw"), counts.T.astype(np.float64), strict=True))
    return {**names, "unfinished": 0 * names["first"], "games": counts.sum(axis=1).astype(np.float64)}


def chances(score: float | np.ndarray) -> np.ndarray:
    """Of a win, a loss and a draw; one game in ten is drawn."""
    return np.stack(np.broadcast_arrays(score - 0.05, 0.95 - score, 0.1), axis=-1)


def played(rng: np.random.Generator, measure: str, true: np.ndarray, n: int, times: int) -> np.ndarray:
    """Sums of ``n`` games each, experiments × rulesets: of wins, losses and draws, or of plies.

    Mean lengths have normal errors, as those of thousands of games have.
    """
    shape = (times, len(true))
    if measure == "plies_mean":
        return rng.normal(true * n, 25 * math.sqrt(n), shape)[..., np.newaxis]
    shares = chances(true) if measure == "fairness" else np.stack([1 - true, 0 * true, true], axis=-1)
    return rng.multinomial(n, shares, shape)


def tallied(measure: str, sums: np.ndarray, size: int) -> Tally:
    """The tallies of cells of ``size`` games, a row of sums for each."""
    if measure != "plies_mean":
        return counted(sums)
    none, every = np.zeros(len(sums)), np.full(len(sums), float(size))
    results = dict.fromkeys(("first", "second", "draw", "unfinished"), none)
    return {**results, "games": every, measure: sums[:, 0] / size, f"{measure}_error": 25 / np.sqrt(every)}


class Rates(NamedTuple):
    """How often, over many experiments, some proposal, or a proposal, got a verdict."""

    some_fairer: float
    some_less_fair: float
    some_equal: float
    fairer: float
    equal: float


def shown(away: np.ndarray, equal: np.ndarray, analyses: int) -> tuple[np.ndarray, np.ndarray]:
    """Which claims of difference and of equality stand: rows of experiments, what each comparison strayed.

    As `corrected_p_values`, on the scale of the boundary, where many experiments are quick to judge.
    """
    count = away.shape[1]
    both = np.concatenate([away, equal], axis=1)
    limits = np.array([critical_value(ALPHA / each, analyses) for each in shaffer_factors(count, both.shape[1])])
    order = np.argsort(-both, axis=1)
    refused = np.minimum.accumulate(np.take_along_axis(both, order, axis=1) >= limits, axis=1)
    stand = np.zeros(both.shape, dtype=bool)
    np.put_along_axis(stand, order, refused, axis=1)
    return stand[:, :count], stand[:, count:]


def claims(
    measure: str, baseline: float, proposals: list[float], n: int, times: int, margin: float, analyses: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which claims (more or fairer, less, equal) are made where true values are known; rows of experiments.

    The functions are the very ones that judge records.
    """
    rng = np.random.default_rng(SEED)
    shape = (times, len(proposals))
    base = mine = np.zeros(1)
    away, sign, equal = (np.zeros(times * len(proposals)) for _ in range(3))
    before = 0
    for number, size in enumerate(analysis_sizes(n, analyses), start=1):
        base = base + played(rng, measure, np.array([baseline]), size - before, times)
        mine = mine + played(rng, measure, np.array(proposals), size - before, times)
        before = size
        rows = mine, np.broadcast_to(base, mine.shape)
        a, b = (tallied(measure, each.reshape(-1, mine.shape[-1]), size) for each in rows)
        z, towards = _separation(a, b, measure)
        z *= math.sqrt(number / analyses)
        sign = np.where(z > away, towards, sign)
        away = np.maximum(z, away)
        equal = np.maximum(equal, _equivalence(a, b, margin, measure) * math.sqrt(number / analyses))
    clear, same = shown(away.reshape(shape), equal.reshape(shape), analyses)
    more, less = (clear & ~same & (way * sign.reshape(shape) > 0) for way in (1, -1))
    return more, less, same


def experiments(
    baseline: float, proposal: float, n: int, analyses: int, proposals: int, times: int, margin: float = 0.02
) -> Rates:
    fairer, worse, same = claims("fairness", baseline, [proposal] * proposals, n, times, margin, analyses)
    some_fairer, some_worse, some_equal = (each.any(axis=1).mean() for each in (fairer, worse, same))
    return Rates(some_fairer, some_worse, some_equal, fairer.mean(), same.mean())


@pytest.mark.parametrize("analyses", [1, 5])
@pytest.mark.parametrize("score", few.first(1, [0.5, 0.515, 0.55, 0.8]))
@pytest.mark.thorough
def test_no_difference_is_called_fairer_in_at_most_one_of_twenty_experiments(analyses: int, score: float) -> None:
    """Over all fourteen proposals together, with and without interim analyses."""
    shares = experiments(score, score, 1_000, analyses, proposals=14, times=1_000)
    assert shares.some_fairer <= 0.05 and shares.some_fairer + shares.some_less_fair <= 0.06


@pytest.mark.parametrize("analyses", [1, 5])
@pytest.mark.parametrize(("baseline", "proposal"), few.first(1, [(0.55, 0.5), (0.6, 0.55), (0.44, 0.51), (0.58, 0.47)]))
def test_a_gain_of_five_points_is_found_with_the_planned_games(analyses: int, baseline: float, proposal: float) -> None:
    """In 80 % of experiments where the proposal is even, which is hardest to tell; in more elsewhere."""
    n = games_for_gain(0.05, analyses=analyses, variances=(0.225, 0.225))
    found = experiments(baseline, proposal, n, analyses, proposals=1, times=4_000).fairer
    assert 0.785 <= found <= (0.85 if proposal == 0.5 else 0.94)


def test_a_gain_of_five_points_is_found_among_fourteen_proposals() -> None:
    """The planned number lets each alone be found in spite of the others: Holm only makes it easier."""
    n = games_for_gain(0.05, comparisons=14, analyses=5)
    assert n < 2 * games_for_gain(0.05)
    assert experiments(0.55, 0.5, n, 5, proposals=14, times=300).fairer >= 0.8


@pytest.mark.parametrize(("baseline", "proposal"), few.first(1, [(0.52, 0.5), (0.5, 0.52), (0.55, 0.53), (0.46, 0.56)]))
@pytest.mark.parametrize("analyses", [1, 5])
def test_a_gain_as_large_as_the_margin_is_seldom_called_none(analyses: int, baseline: float, proposal: float) -> None:
    assert experiments(baseline, proposal, 8_000, analyses, proposals=1, times=6_000).equal <= 0.056


@pytest.mark.parametrize("analyses", [1, 5])
def test_of_many_gains_as_large_as_the_margin_none_is_called_too_small_in_nineteen_of_twenty(analyses: int) -> None:
    """Without the correction some "no meaningful difference" would be wrong in a fifth of these experiments."""
    shares = experiments(0.6, 0.58, 8_000, analyses, proposals=14, times=1_000 if analyses == 1 else 300)
    assert shares.some_equal <= 0.05 and shares.some_equal + shares.some_less_fair <= 0.05


def test_equal_rulesets_are_called_so_with_enough_games() -> None:
    assert experiments(0.55, 0.55, 12_000, 1, proposals=1, times=1_000).equal >= 0.8


@pytest.mark.parametrize("games_each", [(2_000, 2_000), (4_000, 1_000), (500, 4_000)])
def test_the_interval_of_the_gain_covers(games_each: tuple[int, int]) -> None:
    rng = np.random.default_rng(SEED)
    for off_baseline, off_proposal in ((0, 0), (0, 0.05), (0.05, 0), (0.01, 0.02), (0.06, 0.06), (0.03, 0.1)):
        base = counted(rng.multinomial(games_each[0], chances(0.5 + off_baseline), size=10_000))
        mine = counted(rng.multinomial(games_each[1], chances(0.5 - off_proposal), size=10_000))
        intervals = _difference_interval(mine, base, "fairness", 1.96)
        true = off_baseline - off_proposal
        assert np.mean((intervals.low <= true) & (true <= intervals.high)) >= 0.94


def table(trials: pd.DataFrame, *names: str, **options: Any) -> dict[tuple[str, str], dict[str, Any]]:
    rows = comparison_table(trials, plan_for(*names, **options)).to_dict("records")
    return {(str(row["ruleset"]), str(row["measure"])): {str(name): x for name, x in row.items()} for row in rows}


def test_verdicts_reasons_and_games_needed() -> None:
    rng = np.random.default_rng(1)
    names = ("toy/base", "toy/fair", "toy/same", "toy/worse", "toy/unclear", "toy/capped")
    scores = (0.6, 0.5, 0.6, 0.75, 0.57, 0.5)
    cells = zip(names, scores, (0.0, 0.0, 0.0, 0.0, 0.0, 0.3), strict=True)
    trials = pd.concat(drawn(rng, 12_000, score, capped=capped, ruleset=name) for name, score, capped in cells)
    few = trials[(trials["ruleset"] != "toy/unclear") | (trials["game"] < 300)]
    compared = table(few, *names, "toy/none", games=12_000, margin=0.03)
    fairness = {name: row for (name, measure), row in compared.items() if measure == "fairness"}
    verdicts = {name: (row["verdict"], row["reason"]) for name, row in fairness.items()}
    assert verdicts == {"toy/fair": ("fairer", ""), "toy/same": ("no_meaningful_difference", ""),
                        "toy/worse": ("less_fair", ""), "toy/unclear": ("undecided", "not_finished"),
                        "toy/capped": ("undecided", "capped_games"),
                        "toy/none": ("undecided", "no_games")}  # fmt: skip
    assert math.isnan(fairness["toy/unclear"]["games_needed"]) and math.isnan(fairness["toy/unclear"]["p"])
    compared = table(few, *names, "toy/none", games=0, margin=0.02)
    fairness = {name: row for (name, measure), row in compared.items() if measure == "fairness"}
    assert (fairness["toy/unclear"]["verdict"], fairness["toy/unclear"]["reason"]) == ("undecided", "too_few_games")
    needed = {name: row["games_needed"] for name, row in fairness.items()}
    assert needed["toy/fair"] == 0 and 500 < needed["toy/unclear"] < 50_000 and needed["toy/capped"] == math.inf
    assert compared["toy/fair", "first_score"]["verdict"] == "lower"
    assert compared["toy/capped", "capped_rate"]["verdict"] == "higher"
    row = compared["toy/fair", "fairness"]
    assert row["difference"] == pytest.approx(row["baseline_value"] - row["value"])
    assert row["simultaneous_low"] < row["low"] < row["difference"] < row["high"] < row["simultaneous_high"]


def test_a_proposal_that_favours_the_other_seat_as_much_is_no_fairer() -> None:
    rng = np.random.default_rng(2)
    trials = pd.concat([drawn(rng, 4_000, 0.6), drawn(rng, 4_000, 0.4, ruleset="toy/turned")])
    compared = table(trials, "toy/base", "toy/turned")
    assert compared["toy/turned", "first_score"]["verdict"] == "lower"
    assert compared["toy/turned", "fairness"]["verdict"] in ("undecided", "no_meaningful_difference")
    assert abs(compared["toy/turned", "fairness"]["difference"]) < 0.03


def test_p_values_are_corrected_over_proposals_pairings_and_measures() -> None:
    rng = np.random.default_rng(3)
    names, agents = ("toy/base", "toy/a", "toy/b"), ("greedy", "alphabeta-2")
    trials = pd.concat(drawn(rng, 500, 0.55, 0.1, ruleset=name, agent=agent) for name in names for agent in agents)
    compared = comparison_table(trials, plan_for(*names, agents=agents, measures=("fairness", "draw_rate")))
    assert list(compared["measure"][:9]) == list(COMPARED) and len(compared) == 4 * len(COMPARED)
    chosen = compared[compared["chosen"]]
    assert set(chosen["measure"]) == {"fairness", "draw_rate"} and len(chosen) == 8
    # By hand: of 8 comparisons and 4 claims of equality, 12 claims, at most 8 are wrong.
    claims = sorted([*chosen["p"], *chosen["p_equivalent"].dropna()])
    raised = np.minimum(np.maximum.accumulate(np.array(claims) * [8, 8, 8, 8, 8, 7, 6, 5, 4, 3, 2, 1]), 1)
    assert sorted([*chosen["p_holm"], *chosen["p_equivalent_holm"].dropna()]) == pytest.approx(list(raised))
    # What the experiment does not ask about is a family of its own, with one claim a comparison: Holm.
    others = compared[~compared["chosen"]]
    assert list(others["p_holm"]) == pytest.approx(list(multipletests(others["p"], method="holm")[1]))
    shown = others["verdict"].isin(["higher", "lower"])
    assert list(shown) == list(others["p_holm"] <= 0.05)


def test_what_has_one_claim_is_corrected_by_holm_and_what_has_two_by_what_can_be_wrong() -> None:
    p = np.array([0.001, 0.04, 0.03, 0.2])
    assert list(comparisons.corrected_p_values(p, np.full(4, np.nan))[0]) == pytest.approx([0.004, 0.09, 0.09, 0.2])
    different, equal = comparisons.corrected_p_values(np.array([0.001, 0.9, np.nan]), np.array([0.8, 0.01, np.nan]))
    assert list(different[:2]) == pytest.approx([0.003, 1.0]) and math.isnan(different[2])
    assert list(equal[:2]) == pytest.approx([1.0, 0.03]) and math.isnan(equal[2])
    assert list(shaffer_factors(3, 6)) == [3, 3, 3, 3, 2, 1] and list(shaffer_factors(3, 3)) == [3, 2, 1]


def test_random_players_are_a_yardstick_beside_others() -> None:
    rng = np.random.default_rng(8)
    scores = {"toy/base": 0.7, "toy/a": 0.5, "toy/b": 0.68}
    agents = ("random", "greedy")
    trials = pd.concat(drawn(rng, 2_000, scores[name], 0.1, 0, name, agent) for name in scores for agent in agents)
    compared = comparison_table(trials, plan_for(*scores, agents=agents))
    yardstick = compared[compared["first"] == "random"]
    assert set(yardstick["verdict"]) == {"yardstick"} and not yardstick["chosen"].any()
    assert yardstick[["p_holm", "p_equivalent", "p_equivalent_holm", "simultaneous_low"]].isna().all(axis=None)
    assert yardstick[["p", "low", "high"]].notna().all(axis=None), "its numbers stay"
    without = comparison_table(trials[trials["first"] == "greedy"], plan_for(*scores, agents=("greedy",)))
    pd.testing.assert_frame_equal(compared[compared["first"] == "greedy"].reset_index(drop=True), without)
    alone = comparison_table(trials[trials["first"] == "random"], plan_for(*scores, agents=("random",)))
    assert set(alone["verdict"]) >= {"fairer"} and alone["p_holm"].notna().all()
    mixed = with_keys(plan_for(*scores), pairings=(("random", "random"), ("random", "greedy")))
    assert mixed.yardsticks == {("random", "random")} and mixed.strongest_pairing() == ("random", "greedy")


def test_a_yardstick_does_not_keep_an_experiment_going() -> None:
    rng = np.random.default_rng(9)
    scores = {("toy/base", "greedy"): 0.9, ("toy/a", "greedy"): 0.5, ("toy/base", "random"): 0.5,
              ("toy/a", "random"): 0.5}  # fmt: skip
    trials = pd.concat(drawn(rng, 3_000, score, ruleset=name, agent=agent) for (name, agent), score in scores.items())
    plan = plan_for("toy/base", "toy/a", agents=("random", "greedy"), games=3_000, until="decided", looks=5)
    assert set(games_per_cell(trials, plan).values()) == {600}


def asked_games(rng: np.random.Generator, n: int, name: str, draws: float, plies: float, checks: float) -> pd.DataFrame:
    """Records of games of about so many plies with so many checks on average, and a share that nobody checks in."""
    lengths = np.maximum(rng.normal(plies, 20, n).round(), 1).astype(int).tolist()
    trials = drawn(rng, n, 0.6, draws, ruleset=name).assign(plies=lengths, event_checks=rng.poisson(checks, n))
    return trials.assign(opening=rng.integers(0, 20 if draws > 0.35 else 12, n).astype(str))


ASKED = {
    "draw_rate": "draw_rate", "decisive": "decisive_rate", "plies": "plies_mean", "variety": "variety",
    "event_checks_mean": "event_checks_mean", "event_checks_share": "event_checks_share",
    "event_checks_per_plies": "event_checks_per_plies", "second_win_rate": "second_win_rate",
}  # fmt: skip


@pytest.mark.parametrize("question", few.first(3, ASKED))
def test_the_question_has_the_verdict(question: str) -> None:
    """Names of records with a known truth; the measure that is asked comes first and alone has four verdicts."""
    rng = np.random.default_rng(10)
    names = {"toy/base": (0.3, 60, 1.0), "toy/same": (0.3, 60, 1.0), "toy/up": (0.4, 90, 2.0)}
    trials = pd.concat(asked_games(rng, 20_000, name, *about) for name, about in names.items())
    compared = comparison_table(trials, plan_for(*names, question=question))
    first = compared.groupby("ruleset", sort=False).first()
    assert set(first["measure"]) == {ASKED[question]}
    turned = question in ("decisive", "second_win_rate")
    assert list(first["verdict"]) == ["no_meaningful_difference", "less" if turned else "more"]
    others = compared[compared["measure"] != ASKED[question]]
    assert set(others["verdict"]) <= {"higher", "lower", "no_difference_shown", "fairer", "less_fair"}
    assert others["p_equivalent"].isna().all() and others["games_needed"].isna().all()
    assert (first["low"] <= first["difference"]).all() and (first["difference"] <= first["high"]).all()
    few = trials[trials["game"] < 30]
    undecided = comparison_table(few, plan_for(*names, question=question)).groupby("ruleset", sort=False).first()
    assert undecided.loc["toy/same", "verdict"] == "undecided"
    assert undecided.loc["toy/same", "reason"] == "too_few_games"


def test_margins_are_those_of_the_file_or_a_part_of_the_baseline() -> None:
    rng = np.random.default_rng(11)
    trials = pd.concat([asked_games(rng, 5_000, *cell, 1.0) for cell in (("toy/base", 0.3, 60), ("toy/a", 0.3, 62))])
    row = comparison_table(trials, plan_for("toy/base", "toy/a", question="plies")).iloc[0]
    assert row["margin"] == pytest.approx(0.05 * row["baseline_value"])
    assert row["baseline_value"] == pytest.approx(60, abs=1)
    assert row["verdict"] == "no_meaningful_difference", "two plies of sixty do not matter"
    strict = comparison_table(trials, plan_for("toy/base", "toy/a", question="plies", margin=1.0)).iloc[0]
    assert strict["margin"] == 1.0 and strict["verdict"] == "more"


def test_records_that_lack_a_number_are_compared_by_all_others() -> None:
    trials = pd.concat([games("wl" * 20), games("wd" * 20, "toy/a")]).drop(columns="legal_moves")
    compared = comparison_table(trials, plan_for("toy/base", "toy/a"))
    assert set(COMPARED) - set(compared["measure"]) == {"legal_moves"}


def test_an_event_that_another_family_does_not_count_is_compared_where_it_is() -> None:
    rng = np.random.default_rng(12)
    parts = [asked_games(rng, 500, name, 0.3, 60, 1.0) for name in ("toy/base", "toy/a", "toy/b")]
    trials = pd.concat([*parts[:2], parts[2].drop(columns="event_checks")])
    compared = comparison_table(trials, plan_for("toy/base", "toy/a", "toy/b", question="event_checks_mean"))
    one, other = compared[compared["measure"] == "event_checks_mean"].to_dict("records")
    assert one["p"] <= 1 and math.isnan(other["p"])
    assert other["verdict"] == "undecided"


def test_until_decided_waits_for_the_verdict_on_the_question() -> None:
    rng = np.random.default_rng(13)
    # The score is decided at once; the draws, the same ones in both, never are.
    parts = [drawn(rng, 3_000, 0.9, 0.1)]
    results = parts[0]["result"].where(parts[0]["result"] == "draw", rng.choice(["first", "second"], 3_000))
    parts.append(parts[0].assign(ruleset="toy/a", result=results))
    options: dict[str, Any] = {"games": 3_000, "until": "decided", "looks": 5}
    # That the draws do not differ by half a point cannot be shown with so many games: it is given up in the middle.
    for question, margin, games_each in (("first_score", 0.025, 600), ("draw_rate", 0.005, 1_800)):
        plan = plan_for("toy/base", "toy/a", question=question, margin=margin, **options)
        assert set(games_per_cell(pd.concat(parts), plan).values()) == {games_each}


def wrong_claims(
    measure: str, value: float, margin: float, n: int, times: int, analyses: int, far: int, near: int
) -> float:
    """The share of experiments with any wrong claim: ``far`` proposals change just what matters, ``near`` nothing."""
    proposals = [value + margin] * far + [value] * near
    more, less, same = claims(measure, value, proposals, n, times, margin, analyses)
    wrong = np.concatenate([(less | same)[:, :far], (more | less)[:, far:]], axis=1)
    return float(wrong.any(axis=1).mean())


SIZES = [("draw_rate", 0.3, 0.025, 8_000), ("plies_mean", 60.0, 3.0, 1_500)]


@pytest.mark.parametrize("analyses", [1, 5])
@pytest.mark.parametrize(("measure", "value", "margin", "n"), SIZES)
def test_one_of_twenty_makes_a_wrong_claim(measure: str, value: float, margin: float, n: int, analyses: int) -> None:
    """Fourteen proposals that change nothing, or just what matters, or half of them this and half that."""
    times = 1_000 if analyses == 1 else 500
    for far, near in ((0, 14), (14, 0), (7, 7)):
        assert wrong_claims(measure, value, margin, n, times, analyses, far, near) <= 0.06


@pytest.mark.slow
@pytest.mark.parametrize("analyses", [1, 5])
@pytest.mark.parametrize("n", [500, 2_000, 8_000, 32_000])
@pytest.mark.parametrize(
    ("measure", "value", "margin"), [("draw_rate", 0.3, 0.025), ("draw_rate", 0.02, 0.01), ("plies_mean", 60.0, 3.0)]
)
def test_wrong_claims_of_both_kinds_together_are_made_in_one_of_twenty_experiments(
    measure: str, value: float, margin: float, n: int, analyses: int
) -> None:
    for far, near in ((0, 1), (1, 0), (0, 10), (5, 5), (10, 0), (0, 28), (14, 14)):
        wrong = wrong_claims(measure, value, margin, n, 6_000, analyses, far, near)
        assert wrong <= 0.0555, f"{far} far, {near} near"


def test_what_differs_and_what_does_not_is_found_with_enough_games() -> None:
    more, less, same = claims("draw_rate", 0.3, [0.35] * 7 + [0.3] * 7, 12_000, 200, 0.025)
    assert more[:, :7].mean() >= 0.95 and same[:, 7:].mean() >= 0.8
    assert not less[:, :7].any()


def test_without_a_baseline_nothing_is_compared() -> None:
    one, two = (comparison_table(games("wl"), plan_for(*names)) for names in (("toy/base",), ("toy/base", "toy/a")))
    assert one.empty and list(one.columns) == list(two.columns)


def test_a_verdict_of_an_early_look_stands() -> None:
    rng = np.random.default_rng(5)
    trials = pd.concat([drawn(rng, 3_000, 0.9), drawn(rng, 600, 0.5, ruleset="toy/a")])
    compared = table(trials, "toy/base", "toy/a", games=3_000, until="decided", looks=5)
    row = compared["toy/a", "fairness"]
    assert (row["verdict"], row["games"], row["baseline_games"]) == ("fairer", 600, 600)
    plain = table(trials[trials["game"] < 600], "toy/base", "toy/a")["toy/a", "fairness"]
    widths = [row["high"] - row["low"] for row in (row, plain)]
    assert widths[0] / widths[1] == pytest.approx(critical_value(0.05, 5) * math.sqrt(5) / 1.96, rel=0.02)


def test_which_cells_go_on() -> None:
    rng = np.random.default_rng(6)
    agents = ("greedy", "random")
    cells = {("toy/base", "greedy"): 0.9, ("toy/a", "greedy"): 0.5, ("toy/b", "greedy"): 0.9,
             ("toy/base", "random"): 0.9, ("toy/a", "random"): 0.5, ("toy/b", "random"): 0.5}  # fmt: skip
    every = pd.concat(drawn(rng, 3_000, score, ruleset=name, agent=agent) for (name, agent), score in cells.items())
    plan = plan_for("toy/base", "toy/a", "toy/b", agents=agents, games=3_000, until="decided", looks=5)

    def wanted(seen: pd.DataFrame) -> dict[tuple[str, str], int]:
        return {(name, first): n for (name, first, _), n in games_per_cell(seen, plan).items()}

    assert set(wanted(every.iloc[:0]).values()) == {600}
    assert set(wanted(every[every["game"] < 599]).values()) == {600}, "an incomplete analysis is none"
    for have in (600, 900, 3_000):
        games_wanted = wanted(every[every["game"] < have])
        more = dict.fromkeys([("toy/base", "greedy"), ("toy/b", "greedy")], min(3_000, have // 600 * 600 + 600))
        assert games_wanted == dict.fromkeys(cells, 600) | more


def test_cells_that_no_number_of_games_decides_end_at_the_first_look() -> None:
    rng = np.random.default_rng(7)
    plan = plan_for("toy/base", "toy/a", games=2_000, until="decided", looks=4)
    # With 10 % of the games stopped, 2,000 games of equal rulesets show neither a difference nor its absence.
    for capped, score, ends in ((0.7, 0.5, {500}), (0.1, 0.5, {500}), (0.0, 0.57, {1_000, 1_500, 2_000})):
        parts = [drawn(rng, 2_000, 0.5, capped=capped), drawn(rng, 2_000, score, capped=capped, ruleset="toy/a")]
        assert set(games_per_cell(pd.concat(parts), plan).values()) <= ends


def test_a_single_ruleset_goes_on_until_its_targets_are_decided() -> None:
    plan = plan_for("toy/base", games=2_000, until="decided", looks=4, targets={"draw_rate": "<0.2"})
    few, many = games("wd" * 1_000), games("wwwwd" * 400)
    assert list(games_per_cell(few, plan).values()) == [500]
    assert list(games_per_cell(many, plan).values()) == [2_000]


def test_precision_takes_the_games_that_it_takes() -> None:
    plan = plan_for("toy/base", "toy/b", games=2_000, precision=0.05, looks=20)
    trials = pd.concat([games("wl" * 1_000), games("wwwwwwwwwl" * 200, "toy/b")])
    assert list(games_per_cell(trials, plan).values()) == [400, 200]
    trials = pd.concat([games("u" * 2_000), games("w" * 2_000, "toy/b")])
    assert list(games_per_cell(trials, plan).values()) == [2_000, 100]
