"""The other tables of an analysis, against records and chances that are known."""

from __future__ import annotations

import dataclasses
import itertools
import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.optimize import brentq
from scipy.stats import chi2, ncx2, norm
from statsmodels.duration.survfunc import SurvfuncRight
from statsmodels.stats.multitest import multipletests

from tests.toy import drawn, games, plan_for, ruleset
from workbench import games as families
from workbench.statistics import METRICS, Analysis, AnalysisPlan, analyse, metrics
from workbench.statistics.diagnostics import CODES, steadiness, warnings
from workbench.statistics.factorial import _Fit, factorial
from workbench.statistics.intervals import score_interval
from workbench.statistics.lengths import curve, quantiles
from workbench.statistics.overview import CRITERIA, VARIANTS, _pareto
from workbench.statistics.styles import equilibrium, matrices, placements, value_bound
from workbench.statistics.tables import CELL, cells
from workbench.statistics.variety import _cumulants, diversity, entropies, openings

SEED = 20080209


def rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


# Lengths


def test_the_curve_is_that_of_kaplan_and_meier() -> None:
    rng = np.random.default_rng(SEED)
    true = rng.exponential(60, size=500).round() + 1
    plies, finished = np.minimum(true, 100), true < 100
    curves = curve(plies, finished)
    survival = SurvfuncRight(plies, finished)
    at = dict(zip(survival.surv_times, survival.surv_prob, strict=True))
    assert curves["alive"].iloc[0] == 1 and curves["plies"].iloc[0] == 0
    assert all(row["alive"] == pytest.approx(at[row["plies"]]) for row in rows(curves)[1:])
    assert curves["alive"].iloc[-1] == pytest.approx((~finished).mean())
    assert (curves["alive_low"] <= curves["alive"]).all() and (curves["alive"] <= curves["alive_high"]).all()


def test_quantiles_beyond_the_cap_are_infinite() -> None:
    plies = np.array([10.0, 20, 30, 40, 40])
    assert quantiles(plies, plies < 40, (0.25, 0.5, 0.75)) == [20, 30, math.inf]
    assert quantiles(plies, np.ones(5, dtype=bool), (0.75,)) == [40]
    assert quantiles(plies, np.zeros(5, dtype=bool), (0.5,)) == [math.inf]
    assert math.isnan(quantiles(plies[:0], plies[:0] > 0, (0.5,))[0])
    for n in range(2, 60, 2):
        half = np.append(np.arange(1.0, n / 2 + 1), np.full(n // 2, 99.0))
        assert quantiles(half, half < 99, (0.5,)) == [math.inf], "half of the games go on: no median is seen"
    assert curve([], []).empty and list(curve([40, 40], [False, False])["alive"]) == [1]


def test_a_censored_median_is_that_of_the_games_without_a_cap() -> None:
    """Counting stopped games as ended would make it too small; leaving them out, smaller still."""
    rng = np.random.default_rng(SEED)
    medians = []
    for _ in range(200):
        true = rng.exponential(80, size=400)
        plies = np.minimum(true, 100)
        medians.append(quantiles(plies, true < 100, (0.5,))[0])
    assert np.mean(medians) == pytest.approx(80 * math.log(2), rel=0.01)


# Openings


def shares_of(kinds: str) -> np.ndarray:
    """Even kinds (``even-16``), kinds by Zipf's law, or one common kind among many rare ones (``one-100``)."""
    law, count = kinds.split("-")
    size = int(count)
    weights = {
        "even": np.ones(size),
        "zipf": 1 / np.arange(1, size + 1),
        "one": np.append(9.0 * size, np.ones(size)),
    }[law]
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def bits(shares: np.ndarray) -> float:
    return float(-(shares * np.log2(shares)).sum())


@pytest.mark.parametrize("kinds", [1, 4, 100])
def test_diversity_finds_the_number_of_equally_common_kinds(kinds: int) -> None:
    rng = np.random.default_rng(SEED)
    numbers = [diversity(np.bincount(rng.integers(0, kinds, 400))).entropy for _ in range(20)]
    assert np.mean(np.exp2(numbers)) == pytest.approx(kinds, rel=0.02)


def test_the_entropy_is_that_of_chao_wang_and_jost() -> None:
    """Their formula as printed, in 60 digits: it is the small difference of two large numbers."""
    for counts in ([4, 3, 2, 2, 1, 1, 1], [30, 9, 1, 1, 1], [5, 2, 2, 1], [90, 1], [3, 3], [400] + [1] * 30 + [2]):
        n, once, twice = sum(counts), counts.count(1), counts.count(2)
        with localcontext() as context:
            context.prec = 60
            entropy = sum(Decimal(x) / n * sum(Decimal(1) / k for k in range(x, n)) for x in counts)
            if once and (twice or once > 1):
                up, down = (2 * twice, (n - 1) * once + 2 * twice) if twice else (2, (n - 1) * (once - 1) + 2)
                a = Decimal(up) / down
                rest = -a.ln() - sum((1 - a) ** r / r for r in range(1, n))
                entropy += Decimal(once) / n * (1 - a) ** (1 - n) * rest
            expected = float(entropy / Decimal(2).ln())
        assert entropies(np.array([counts]))[0] == pytest.approx(expected, abs=1e-9), counts


def test_diversity_corrects_what_a_sample_has_not_seen() -> None:
    rng = np.random.default_rng(SEED)
    weights = shares_of("zipf-300")
    true = bits(weights)
    samples = rng.multinomial(400, weights, size=200)
    corrected = entropies(samples).mean()
    plain = np.mean([bits(p) for sample in samples for p in [sample[sample > 0] / 400]])
    assert abs(corrected - true) < 0.06 < 0.2 < true - plain
    coverage = np.mean([diversity(sample).coverage for sample in samples])
    assert coverage == pytest.approx(np.mean([weights[sample > 0].sum() for sample in samples]), abs=0.01)
    assert all(math.isnan(end) for end in diversity(samples[0])[:3]), "a fifth is unseen: no estimate"


def entropy_covered(kinds: str, n: int, times: int) -> tuple[float, int]:
    """How often the interval holds the true entropy, of the samples that have one; and how many these are."""
    shares = shares_of(kinds)
    true = bits(shares)
    samples = [diversity(sample) for sample in np.random.default_rng(SEED).multinomial(n, shares, size=times)]
    held = [each.low <= true <= each.high for each in samples if not math.isnan(each.low)]
    return float(np.mean(held)), len(held)


@pytest.mark.parametrize(("kinds", "n"), [("even-16", 5_000), ("even-100", 500), ("zipf-300", 2_000)])
def test_the_interval_of_the_entropy_covers_it(kinds: str, n: int) -> None:
    covered, shown = entropy_covered(kinds, n, 60)
    assert 0.88 <= covered <= 1 and shown >= 55


def test_the_interval_of_even_kinds_is_the_one_of_chi_square() -> None:
    """The estimate strays by n ln 2 / 2 times a χ² with its noncentrality; an interval inverts its two tails."""
    kinds, n = 16, 20_000
    for unevenness in (0.0, 12.0, 40.0):
        shift = math.sqrt(unevenness / n) * np.tile([1.0, -1.0], kinds // 2)
        counts = np.round(n / kinds * (1 + shift)).astype(int)
        squared = float(((counts - n / kinds) ** 2).sum() / (n / kinds))
        bit = 2 * n * math.log(2)

        def tail(noncentrality: float, end: float, squared: float = squared) -> float:
            return float(ncx2.cdf(squared, kinds - 1, max(noncentrality, 1e-9))) - end

        even = diversity(counts)
        if tail(0, 0.975) > 0:
            most = brentq(tail, 0, 500, args=(0.025,))
            least = brentq(tail, 0, 500, args=(0.975,))
            expected = 4 - most / bit, 4 - least / bit
        elif tail(0, 0.025) > 0:
            expected = 4 - brentq(tail, 0, 500, args=(0.025,)) / bit, 4 + (chi2.ppf(0.975, kinds - 1) - squared) / bit
        else:
            expected = tuple(4 + (chi2.ppf(end, kinds - 1) - squared) / bit for end in (0.025, 0.975))
        assert (even.low, even.high) == pytest.approx(expected, abs=0.04 * (expected[1] - expected[0])), unevenness


def test_the_moments_of_estimates_are_those_of_samples() -> None:
    """What the interval takes from sums over Poisson distributions, asked of 4,000 drawn samples."""
    for kinds, n in (("even-3", 500), ("even-16", 200), ("even-100", 300), ("zipf-300", 1_000), ("one-100", 500)):
        shares, times = np.unique(shares_of(kinds), return_counts=True)
        mean, variance, third = _cumulants(shares, times.astype(float), n)
        drawn = entropies(np.random.default_rng(SEED).multinomial(n, shares_of(kinds), size=4_000))
        error = drawn.std()
        assert mean == pytest.approx(drawn.mean(), abs=0.06 * error), kinds
        assert math.sqrt(variance) == pytest.approx(error, rel=0.05), kinds
        skewness = ((drawn - drawn.mean()) ** 3).mean() / error**3
        assert third / error**3 == pytest.approx(skewness, abs=0.2 + abs(skewness) / 10), kinds


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kinds", "n"),
    [
        *(("even-16", n) for n in (200, 500, 1_000, 2_000, 5_000)),
        *(("even-30", n) for n in (700, 3_000)),
        *(("even-100", n) for n in (300, 500, 1_000, 2_000, 5_000)),
        *(("even-300", n) for n in (1_000, 2_000, 5_000)),
        *(("zipf-300", n) for n in (1_000, 2_000, 5_000)),
        ("zipf-3000", 10_000), ("one-100", 500), ("one-100", 2_000),
    ],
)  # fmt: skip
def test_the_interval_of_the_entropy_covers_it_wherever_it_is_shown(kinds: str, n: int) -> None:
    times = 5_000
    covered, shown = entropy_covered(kinds, n, times)
    # 93 to 97 %, and 0.3 points, one standard error of a simulation of 5,000.
    slack = 0.003
    assert 0.93 - slack <= covered <= 0.97 + slack and shown >= 0.8 * times


@pytest.mark.parametrize(
    ("kinds", "n"), [("even-100", 200), ("even-300", 500), ("zipf-300", 500), ("zipf-3000", 5_000)]
)
def test_where_too_much_is_unseen_nothing_is_estimated(kinds: str, n: int) -> None:
    samples = np.random.default_rng(SEED).multinomial(n, shares_of(kinds), size=20)
    assert np.mean([math.isnan(diversity(sample).entropy) for sample in samples]) >= 0.8


def test_no_more_kinds_are_reported_than_there_are() -> None:
    """128 first plies, all legal and equally likely: an estimate may not say 140."""
    for sample in np.random.default_rng(SEED).multinomial(400, np.full(128, 1 / 128), size=20):
        free, bound = diversity(sample), diversity(sample, possible=128)
        assert bound.entropy <= 7 and bound.low <= 7 and 7 >= bound.high > 6.9
        assert free.high > 7 and bound.low == pytest.approx(min(free.low, bound.low), abs=0.1)


def test_one_opening_only_leaves_room_for_another() -> None:
    once, often = diversity([30]), diversity([3_000])
    assert once.entropy == often.entropy == once.low == 0 and once.high > 0.4 > often.high > 0
    assert diversity([30], possible=1).high == 0
    assert all(math.isnan(diversity(counts).entropy) for counts in ([], [1], [1, 1, 1]))


def test_equal_counts_have_equal_intervals_in_any_order() -> None:
    assert diversity([40, 30, 20, 1, 1]) == diversity([1, 20, 0, 40, 1, 30])


def test_openings_are_counted_and_judged() -> None:
    lines = ["a b c"] * 4_000 + ["a c"] * 4_000 + ["b"] * 40 + ["d e"]
    results = "wl" * 2_000 + "wwl" * 1_333 + "w" + "wl" * 20 + "u"
    trials = games(results, plies=[len(line.split()) for line in lines], opening=lines)  # type: ignore[arg-type]
    table, listed = openings(trials, plan_for("toy/base", margin=0.03))
    first, second, third = rows(table)
    assert (first["ply"], first["different"], first["games"]) == (1, 3, 8041)
    assert (first["common"], first["balanced"], first["lopsided"], first["undecided"]) == (2, 0, 1, 1)
    assert (second["different"], second["common"], second["balanced"], second["lopsided"]) == (3, 2, 1, 1)
    assert (third["different"], third["effective"], third["games"]) == (1, 1, 4000)
    assert [row["shown"] for row in (first, second, third)] == [False, False, True]
    assert first["effective"] == pytest.approx(1.04, abs=0.01)
    assert second["effective"] == pytest.approx(2, abs=0.01)
    two = {row["opening"]: row for row in rows(listed) if row["ply"] == 2}
    assert [(name, row["games"], row["status"]) for name, row in two.items()] == [
        ("a b", 4000, "balanced"), ("a c", 4000, "first"), ("d e", 1, "undecided"),
    ]  # fmt: skip
    assert two["a b"]["score"] == 0.5 and math.isnan(two["d e"]["score"])


def test_openings_are_no_more_than_the_rules_allow_and_hidden_where_most_are_new() -> None:
    rng = np.random.default_rng(SEED)
    first = [f"{move}" for move in rng.integers(0, 128, 400)]
    lines = [f"{move} {reply}" for move, reply in zip(first, rng.integers(0, 128, 400), strict=True)]
    trials = games("wl" * 200, opening=lines)  # type: ignore[arg-type]
    plan = plan_for("toy/base", sequences={"toy/base": (128, 128 * 128)})
    one, two = rows(openings(trials, plan)[0])
    assert (one["shown"], two["shown"]) == (True, False)
    assert one["possible"] == 128 >= one["effective_high"] >= one["effective"] >= one["effective_low"] > 110
    assert math.isnan(two["effective"]) and two["coverage"] < 0.1 and two["different"] > 390
    free = rows(openings(trials, plan_for("toy/base"))[0])[0]
    assert free["effective_high"] > 128 and math.isnan(free["possible"])
    few = openings(trials[:100], plan)[0]
    assert not few["shown"].any(), "half of the first moves are new: nothing is compared"
    assert openings(trials, plan_for("toy/base", sequences={"toy/base": (3,)}))[0]["possible"].isna().all()


# Factorial


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
    return {name: tuple(levels.values()) for name, levels in plan.levels.items()}


def test_effects_are_those_that_were_planted() -> None:
    plan, points = factors(2, 3)
    rng = np.random.default_rng(SEED)
    scores = {name: 0.5 + 0.1 * a - 0.05 * (b == 2) + 0.08 * a * (b == 1) for name, (a, b) in points.items()}
    trials = pd.concat(drawn(rng, 4_000, score, 0.2, ruleset=name) for name, score in scores.items())
    effects, means = factorial(trials, plan)
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
    effects, _ = factorial(trials, plan)
    spots = np.array([points[name] for name in trials["ruleset"]], dtype=np.float64)
    design = sm.add_constant(np.column_stack([spots, spots.prod(axis=1)]))
    y = trials["result"].map({"first": 1.0, "draw": 0.5, "second": 0.0})
    fit = sm.OLS(y.to_numpy(), design).fit(cov_type="HC0")
    tested = fit.t_test(np.array([[0, 1, 0, 0.5], [0, 0, 1, 0.5], [0, 0, 0, 1.0]]))
    mine = effects[effects["measure"] == "first_score"]
    assert list(mine["effect"]) == pytest.approx(list(tested.effect))
    assert list((mine["high"] - mine["effect"]) / 1.959964) == pytest.approx(list(tested.sd.ravel()))
    assert list(mine["p"]) == pytest.approx(list(tested.pvalue.ravel()))


def test_effects_that_a_design_cannot_tell_have_no_rows() -> None:
    plan, points = factors(2, 2, 2)
    half = [name for name, spot in points.items() if sum(spot) % 2 == 0]
    rng = np.random.default_rng(SEED)
    trials = pd.concat(drawn(rng, 2_000, 0.5 + 0.1 * points[name][0], ruleset=name) for name in half)
    effects, _ = factorial(trials, plan)
    score = effects[effects["measure"] == "first_score"]
    assert list(score["kind"]) == ["main"] * 3, "four points tell three main effects and no interactions"
    assert score["effect"].iloc[0] == pytest.approx(0.1, abs=0.04)
    one_missing = pd.concat(drawn(rng, 2_000, 0.5, ruleset=name) for name in list(points)[:-1])
    effects, _ = factorial(one_missing, plan)
    assert list(effects.loc[effects["measure"] == "first_score", "kind"]) == ["main"] * 3 + ["interaction"] * 3


def test_effects_are_corrected_over_all_measures_and_pairings() -> None:
    plan, points = factors(2, 2)
    agents = ("random", "greedy", "alphabeta-2")
    plan = dataclasses.replace(plan, pairings=tuple((agent, agent) for agent in agents), question="decisive")
    rng = np.random.default_rng(SEED)
    trials = pd.concat(
        drawn(rng, 300, 0.5 + 0.1 * spot[0], 0.2, ruleset=name, agent=agent)
        for name, spot in points.items()
        for agent in agents
    )
    effects, _ = factorial(trials, plan)
    assert list(dict.fromkeys(effects["measure"])) == ["decisive_rate", "first_score", "draw_rate", "plies_mean"]
    tested = effects[effects["first"] != "random"]
    assert len(tested) == 2 * 4 * 3
    assert list(tested["p_holm"]) == pytest.approx(list(multipletests(tested["p"], method="holm")[1]))
    assert effects.loc[effects["first"] == "random", "p_holm"].isna().all(), "a yardstick is not tested"


def test_of_twenty_factorial_experiments_without_effects_one_claims_any() -> None:
    plan, points = factors(2, 2)
    plan = dataclasses.replace(plan, pairings=(("greedy", "greedy"), ("alphabeta-2", "alphabeta-2")))
    rng = np.random.default_rng(SEED)
    claimed = []
    for _ in range(120):
        trials = pd.concat(
            drawn(rng, 200, 0.5, 0.2, ruleset=name, agent=first) for name in points for first, _ in plan.pairings
        )
        claimed.append(bool((factorial(trials, plan)[0]["p_holm"] <= 0.05).any()))
    # Corrected for each pairing and measure alone, a quarter would.
    assert np.mean(claimed) <= 0.1


def test_effects_are_missed_as_often_as_they_should_be() -> None:
    plan, points = factors(2, 2)
    rng = np.random.default_rng(SEED)
    covered = []
    names = np.repeat(list(points), 300)
    scores = np.repeat([0.3 + 0.2 * a for a, _ in points.values()], 300)
    for _ in range(400):
        wins = rng.random(1_200) < scores
        fit = _Fit.of(pd.DataFrame({"ruleset": names, "result": np.where(wins, "first", "second")}), "first_score",
                      points_of(plan), plan)  # fmt: skip
        assert fit is not None
        for (kind, _, contrast), true in zip(fit.contrasts(), (0.2, 0.0, 0.0), strict=True):
            value, error = fit.value(contrast)
            covered.append((kind, abs(value - true) <= 1.96 * error))
    assert 0.935 <= np.mean([hit for kind, hit in covered if kind == "main"]) <= 0.97
    assert 0.92 <= np.mean([hit for kind, hit in covered if kind == "interaction"]) <= 0.98


# Strategies


def test_equilibria_of_known_games() -> None:
    mine, theirs, value = equilibrium([[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]])
    assert list(mine) == pytest.approx([1 / 3] * 3) and list(theirs) == pytest.approx([1 / 3] * 3)
    assert value == pytest.approx(0.5)
    # Matching pennies with unequal stakes: value (ad - bc) / (a + d - b - c).
    mine, theirs, value = equilibrium([[0.9, 0.2], [0.4, 0.6]])
    assert value == pytest.approx((0.9 * 0.6 - 0.2 * 0.4) / (0.9 + 0.6 - 0.2 - 0.4))
    assert list(mine) == pytest.approx([2 / 9, 7 / 9]) and list(theirs) == pytest.approx([4 / 9, 5 / 9])
    mine, theirs, value = equilibrium([[0.6, 0.7], [0.5, 0.9]])
    assert list(mine) == list(theirs) == [1, 0] and value == pytest.approx(0.6)


def met(scores: dict[tuple[str, str], float], n: int, rng: np.random.Generator) -> pd.DataFrame:
    parts = []
    for (first, second), score in scores.items():
        parts.append(drawn(rng, n, score).assign(first=first, second=second))
    return pd.concat(parts)


def test_the_equilibrium_of_styles_that_met() -> None:
    styles = {("a", "a"): 0.6, ("a", "b"): 0.4, ("b", "a"): 0.45, ("b", "b"): 0.65}
    plan = dataclasses.replace(plan_for("toy/base"), pairings=tuple(styles))
    table, equilibria = matrices(cells(met(styles, 400, np.random.default_rng(SEED))), plan)
    value = equilibria.iloc[0]
    assert len(table) == 4 and not value["pure"]
    assert value["value_low"] < value["value"] < value["value_high"]
    assert list(equilibria["seat"]) == ["first", "first", "second", "second"]
    assert equilibria.groupby("seat")["share"].sum().tolist() == pytest.approx([1, 1])


def test_the_value_of_the_matrix_is_covered() -> None:
    covered, _, width = value_covered(np.array([[0.6, 0.4], [0.45, 0.65]]), 400, 30)
    assert covered >= 0.93 and width < 0.12


def value_covered(true: np.ndarray, n: int, times: int) -> tuple[float, float, float]:
    """How often the interval of the value holds it, the value's bias, and how wide the interval is on average."""
    options = [f"{i}" for i in range(len(true))]
    cell = [("toy/base", one, other) for one in options for other in options]
    plan = dataclasses.replace(plan_for("toy/base"), pairings=tuple((one, other) for _, one, other in cell))
    value = equilibrium(true)[2]
    rng = np.random.default_rng(SEED)
    intervals = []
    for _ in range(times):
        wins = rng.binomial(n, true).ravel()
        low, high = score_interval(wins, 0, n - wins)
        table = pd.DataFrame(cell, columns=CELL).assign(
            games=n, finished=n, first_wins=wins, draws=0, second_wins=n - wins, first_score=wins / n,
            first_score_low=low, first_score_high=high,
        )  # fmt: skip
        first = matrices(table, plan)[1].iloc[0]
        intervals.append((first["value"], first["value_low"], first["value_high"]))
    values, lows, highs = np.array(intervals).T
    return (
        float(np.mean((lows <= value) & (value <= highs))),
        float(np.mean(values) - value),
        float((highs - lows).mean()),
    )


def matrix_of(kind: str) -> np.ndarray:
    """Eight options of both seats: one row is best by 10 points, in every column or but for one; or none is."""
    true = np.full((8, 8), 0.5 if kind == "even" else 0.4)
    if kind != "even":
        true[0] = 0.5
    if kind == "hole":
        true[0] = 0.6
        true[0, 3] = 0.4
    return true


def test_the_value_is_covered_where_one_choice_of_eight_is_best() -> None:
    """The columns that look bad for the best row are chosen for their luck: the value itself is far too low."""
    covered, bias, width = value_covered(matrix_of("row"), 100, 5)
    assert bias < -0.03 and covered == 1.0 and width < 0.3


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["row", "hole", "even"])
def test_the_value_is_covered_whichever_choice_is_best(kind: str) -> None:
    covered, _, width = value_covered(matrix_of(kind), 100, 200)
    assert covered >= 0.93 and width < 0.3


def test_a_value_bound_is_that_of_the_entries_where_nothing_is_to_be_chosen() -> None:
    room = np.array([[0.03]])
    assert value_bound(np.array([[0.5]]), room) == pytest.approx(0.53)
    # Equal rows: mixing both halves the variance, yet one alone has the larger bound.
    assert value_bound(np.array([[0.5], [0.5]]), np.full((2, 1), 0.1)) == pytest.approx(0.6)
    # Equal columns: the worst of both.
    assert value_bound(np.array([[0.5, 0.4]]), np.full((1, 2), 0.1)) == pytest.approx(0.5)
    scores, wide = np.array([[0.9, 0.2], [0.4, 0.6]]), np.full((2, 2), 0.05)
    mixtures = np.linspace(0, 1, 20_001)
    means = mixtures[:, None] * scores[0] + (1 - mixtures[:, None]) * scores[1]
    brute = (means + 0.05 * np.hypot(mixtures, 1 - mixtures)[:, None]).min(axis=1).max()
    assert value_bound(scores, wide) == pytest.approx(brute, abs=2e-4)


def test_armies_of_rulesets_that_differ_in_nothing_else_make_a_matrix() -> None:
    scores = {("a", "a"): 0.5, ("a", "b"): 0.8, ("b", "a"): 0.2, ("b", "b"): 0.5}
    rng = np.random.default_rng(SEED)
    rulesets, trials = [], []
    for board in ("go9", "othello8"):
        for (one, other), score in scores.items():
            name = f"rengo/{board}-{one}{other}"
            settings = {"board": board, "first_army": one, "second_army": other}
            rulesets.append(ruleset(name, "rengo", settings))
            trials.append(drawn(rng, 300, score if board == "go9" else 1 - score, ruleset=name))
    plan = dataclasses.replace(plan_for(rulesets[0].name), rulesets=tuple(rulesets))
    table, equilibria = matrices(cells(pd.concat(trials)), plan)
    assert list(dict.fromkeys(zip(table["ruleset"], table["choice"], table["agents"], strict=True))) == [
        ("rengo/go9-aa", "army", "greedy"), ("rengo/othello8-aa", "army", "greedy"),
    ]  # fmt: skip
    best = equilibria[equilibria["share"] > 0.99]
    assert list(best["option"]) == ["a", "a", "b", "b"] and best["pure"].all()
    assert table.set_index(["ruleset", "row", "column"])["score"]["rengo/othello8-aa", "a", "b"] < 0.4


def test_only_agents_who_all_met_make_a_matrix() -> None:
    rng = np.random.default_rng(SEED)
    scores = dict.fromkeys(itertools.product("ab", "ab"), 0.5) | {("c", "c"): 0.5, ("a", "c"): 0.5}
    table, _ = matrices(cells(met(scores, 20, rng)), plan_for("toy/base"))
    assert set(table["row"]) == {"a", "b"}
    assert matrices(cells(met({("c", "c"): 0.5, ("a", "a"): 0.5}, 20, rng)), plan_for("toy/base"))[0].empty


def test_placements_score_the_first_choice_of_each_seat() -> None:
    plan = dataclasses.replace(plan_for("chatra/x"), rulesets=(ruleset("chatra/x", "chatra"),))
    lines = ["f9 Ok2 Oc3 Od4 Oc2", "f9 Ok2 Oc3", "f9 Oa1 Oc3", "f9 Oa1", "f9"]
    trials = games("wdlwu", "chatra/x", opening=lines)  # type: ignore[arg-type]
    of_choice = {(row["seat"], row["cell"]): row for row in rows(placements(trials, plan))}
    assert {key: (row["games"], row["score"]) for key, row in of_choice.items()} == {
        ("first", "c3"): (3, 0.5), ("second", "a1"): (2, 0.5), ("second", "k2"): (2, 0.75),
    }  # fmt: skip
    k2 = of_choice["second", "k2"]
    assert (k2["column"], k2["row"], k2["share"], k2["landmark"]) == ("k", "2", 0.4, "object")


def test_squares_that_are_the_same_from_another_side_are_one_place() -> None:
    sized = ruleset("chatra/x", "chatra", {"size": 12})
    plan = dataclasses.replace(plan_for("chatra/x"), rulesets=(sized,))
    lines = ["f9 Ok2 Oc3", "f9 Ok11 Oj3", "f9 Ob2 Oc10", "f9 Oe1 Od4", "f9 Oa8 Ol1"]
    table = placements(games("wwwll", "chatra/x", opening=lines), plan)  # type: ignore[arg-type]
    of_choice = {(row["seat"], row["cell"]): row for row in rows(table)}
    assert {(seat, tuple(row["cells"].split()), row["games"]) for (seat, _), row in of_choice.items()} == {
        ("second", ("b2", "b11", "k2", "k11"), 3),
        ("second", ("a5", "a8", "e1", "e12", "h1", "h12", "l5", "l8"), 2),
        ("first", ("c3", "c10", "j3", "j10"), 3),
        ("first", ("d4", "d9", "i4", "i9"), 1),
        ("first", ("a1", "a12", "l1", "l12"), 1),
    }
    # Three wins of three: 2 · (1/2)³; of the five places the smallest p counts five times.
    assert of_choice["first", "c3"]["p"] == pytest.approx(0.25)
    assert of_choice["first", "c3"]["p_holm"] == 1.0


def test_noise_hardly_ever_colours_a_square() -> None:
    """Even games: of 100 experiments with 21 squares, one in twenty at most calls a square lopsided."""
    rng = np.random.default_rng(SEED)
    plan = dataclasses.replace(plan_for("chatra/x"), rulesets=(ruleset("chatra/x", "chatra", {"size": 12}),))
    seen = 0
    for _ in range(100):
        squares = [f"f9 O{column}{row}" for column, row in zip(rng.choice(list("abcdefghijkl"), 200),
                                                              rng.integers(1, 13, 200), strict=True)]  # fmt: skip
        trials = games("".join(rng.choice(["w", "l"], 200)), "chatra/x", opening=squares)  # type: ignore[arg-type]
        table = placements(trials, plan)
        assert len(table) <= 21, "a board of 12×12 has 21 squares that are not images of one another"
        seen += bool((table["p_holm"] < 0.05).any())
    assert seen <= 10
    lines = ["f9 Oa1"] * 60 + ["f9 Ob1"] * 60
    tilted = games("w" * 60 + "l" * 60, "chatra/x", opening=lines)  # type: ignore[arg-type]
    assert (placements(tilted, plan)["p_holm"] < 0.05).all()


# Sick data


def found_codes(trials: pd.DataFrame, plan: AnalysisPlan) -> list[tuple[str, str]]:
    table = cells(trials, plan.names, plan.pairings, plan.baseline)
    return [(row["code"], row["ruleset"]) for row in rows(warnings(trials, table, plan))]


def test_each_sickness_is_found_and_health_is_not() -> None:
    rng = np.random.default_rng(SEED)
    well = [drawn(rng, 4_000, 0.5, 0.2, ruleset=name) for name in ("toy/base", "toy/b")]
    plan = plan_for("toy/base", "toy/b", games=4_000)
    assert found_codes(pd.concat(well), plan) == []
    few = pd.concat([well[0], well[1][well[1]["game"] < 100]])
    assert found_codes(few, plan) == [("few_games", "toy/b")]
    assert found_codes(well[0], plan) == [("no_games", "toy/b")]
    capped = pd.concat([well[0], well[1].assign(result="unfinished", termination="cap")])
    assert ("no_finished_games", "toy/b") in found_codes(capped, plan)
    copied = pd.concat([well[0], well[1].assign(game_hash=(well[1]["game"] % 50).astype(str))])
    assert found_codes(copied, plan) == [("copies", "toy/b")]
    stuck = well[1].copy()
    stuck.loc[stuck["game"] > 3_500, "result"] = "first"
    assert found_codes(pd.concat([well[0], stuck]), plan) == [("unsteady", "toy/b")]
    twins = dataclasses.replace(
        plan, rulesets=tuple(dataclasses.replace(each, fingerprint="0") for each in plan.rulesets)
    )
    assert found_codes(pd.concat(well), twins) == [("equal_fingerprints", "toy/b")]
    noted = dataclasses.replace(plan, left_out=("a with b: no",))
    assert found_codes(pd.concat(well), noted) == [("left_out", "")]


def test_steady_cells_are_rarely_called_unsteady() -> None:
    rng = np.random.default_rng(SEED)
    plan = plan_for("toy/base", games=1_000)
    p_values = [steadiness(drawn(rng, 1_000, 0.55, 0.1, 0.05), plan)["p"] for _ in range(200)]
    assert 0.02 <= np.mean(np.concatenate(p_values) < 0.05) <= 0.08


def test_a_toggle_whose_rule_never_came_up_is_named() -> None:
    base = families.declaration("chatra").defaults()
    plan = dataclasses.replace(
        plan_for("chatra/x"),
        rulesets=(
            ruleset("chatra/x", "chatra", base),
            ruleset("chatra/y", "chatra", {**base, "offside": "any-two", "stuck": "loss"}),
        ),
    )
    counts: dict[str, Any] = {f"event_{event.name}": [1] * 40 for event in families.declaration("chatra").events}
    trials = pd.concat(games("wl" * 20, name, **counts) for name in ("chatra/x", "chatra/y"))

    def idle(table: pd.DataFrame) -> set[tuple[str, str]]:
        made = warnings(table, cells(table, plan.names, plan.pairings), plan)
        return {(row["code"], row["subject"]) for row in rows(made) if row["code"] != "few_games"}

    assert idle(trials) == {("toggle_never_fired", "stuck")}
    drawn_once = trials.assign(termination=["stuck", *trials["termination"][1:]])
    assert idle(drawn_once) == set()
    # Nothing is said twice, and nothing of what no ruleset here is about.
    assert idle(drawn_once.assign(event_offside_drops=0)) == {("toggle_never_fired", "offside")}
    assert idle(drawn_once.assign(event_limits_ended_by_centre=0, event_captures=0)) == set()


# All together


def whole() -> Analysis:
    rng = np.random.default_rng(SEED)
    names = ("toy/base", "toy/fair", "toy/turned", "toy/drawn")
    scores = {"random": (0.5, 0.5, 0.5, 0.5), "greedy": (0.65, 0.5, 0.35, 0.55)}
    parts = []
    for agent, of_agent in scores.items():
        for name, score in zip(names, of_agent, strict=True):
            games_of = drawn(rng, 2_000, score, 0.6 if name == "toy/drawn" else 0.05, 0.01, name, agent)
            moves = rng.integers(0, 5 if name == "toy/fair" else 3, (2_000, 3)).astype(str)
            parts.append(
                games_of.assign(opening=[" ".join(line) for line in moves], event_checks=rng.poisson(2, 2_000))
            )
    plan = plan_for(*names, agents=("random", "greedy"), games=2_000, targets={"plies": [40, 60]}, margin=0.03)
    return analyse(pd.concat(parts), plan)


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return whole()


def tables(analysis: Analysis) -> dict[str, pd.DataFrame]:
    each = {field.name: getattr(analysis, field.name) for field in dataclasses.fields(analysis)}
    return {name: table for name, table in each.items() if isinstance(table, pd.DataFrame)}


def test_every_cell_has_its_rows(analysis: Analysis) -> None:
    assert len(analysis.cells) == 8 and len(analysis.comparisons) == 6 * 9
    assert len(analysis.targets) == 8 and len(analysis.events) == 8
    assert len(analysis.scorecard) == 8 and len(analysis.flips) == 4
    assert len(analysis.sensitivity) == 8 * (len(VARIANTS) - 1), "nothing was adjudicated"
    assert set(analysis.lengths["ruleset"]) == set(analysis.plan.names)
    assert not analysis.openings.empty and not analysis.opening_lines.empty
    for name in ("effects", "means", "matrices", "equilibria", "placements", "strength"):
        assert tables(analysis)[name].empty and len(tables(analysis)[name].columns)


def test_verdicts_flip_between_strengths_only_where_they_do(analysis: Analysis) -> None:
    flips = {row["ruleset"]: row for row in rows(analysis.flips)}
    assert flips["toy/fair"]["verdicts"].split(" | ")[1] == "fairer"
    assert flips["toy/turned"]["balances"].split(" | ")[1] == "second"
    assert flips["toy/base"]["verdicts"] == ""
    assert not any(row["verdict_flips"] or row["side_flips"] for row in flips.values())


@pytest.mark.parametrize(("weaker", "flips"), [("greedy", True), ("random", False)])
def test_flips_are_seen_between_players_that_are_no_yardstick(weaker: str, flips: bool) -> None:
    rng = np.random.default_rng(SEED)
    scores = {
        ("toy/base", weaker): 0.7,
        ("toy/a", weaker): 0.55,
        ("toy/base", "alphabeta-2"): 0.6,
        ("toy/a", "alphabeta-2"): 0.2,
    }
    trials = pd.concat(drawn(rng, 1_000, score, ruleset=name, agent=agent) for (name, agent), score in scores.items())
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
        costs = [
            [
                (-1 if name in ("variety", "decisive_rate") else 1) * row[name]
                for name in CRITERIA
                if row[name] == row[name]
            ]
            for (_, first), row in scorecard.items()
            if first == agent
        ]
        best = [row["pareto"] for (_, first), row in scorecard.items() if first == agent]
        for i, mine in enumerate(costs):
            beaten = any(all(a <= b for a, b in zip(other, mine, strict=True)) and other != mine for other in costs)
            assert best[i] != beaten


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


def test_the_pareto_share_redraws_the_score_and_not_its_fold() -> None:
    """Two scores of 50 and 53 % that are off by 2.5 points each: the first is nearer to one half in 68 % of cases."""
    plan = plan_for("toy/a", "toy/b", games=400)
    numbers = {"games": 400, "changed_toggles": 0, "rule_words": 9, "decisive_rate": 1.0, "length_off_target": 0.0}
    numbers |= {"decisive_rate_low": 1.0, "decisive_rate_high": 1.0}
    table = pd.DataFrame({"ruleset": ["toy/a", "toy/b"], **numbers, "first_score": [0.5, 0.53]})
    table = table.assign(**dict.fromkeys(("variety", "variety_low", "variety_high"), 8.0))
    p = norm.cdf(0.03 / (0.025 * math.sqrt(2)))
    # Whoever was looked at more often has wider intervals, not other errors.
    for each in (plan, dataclasses.replace(plan, games=2_000, until="decided", analyses=5)):
        wide = each.critical(400) * 0.025
        low, high = table["first_score"] - wide, table["first_score"] + wide
        seen = table.assign(
            first_score_surely_low=low,
            first_score_surely_high=high,
            unfairness=(table["first_score"] - 0.5).abs(),
            unfairness_low=0.0,
            unfairness_high=high - 0.5,
        )
        _, _, shares = _pareto(seen, each)
        assert shares[0] == pytest.approx(p**2 + (1 - p) ** 2, abs=0.07)
        assert sum(shares) == pytest.approx(1)


def test_simplicity_counts_what_a_proposal_changes() -> None:
    base = families.declaration("chatra").defaults()
    plan = dataclasses.replace(
        plan_for("chatra/x"),
        rulesets=(
            ruleset("chatra/x", "chatra", {**base, "limits_end": "check"}),
            ruleset("chatra/y", "chatra", {**base, "limits_end": "check", "opening": "objects-first"}),
        ),
    )
    trials = pd.concat(games("wl" * 20, name) for name in ("chatra/x", "chatra/y"))
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


def test_every_number_of_every_table_is_in_the_dictionary(analysis: Analysis) -> None:
    plan, points = factors(2, 2)
    rng = np.random.default_rng(SEED)
    varied = analyse(pd.concat(drawn(rng, 100, 0.5, ruleset=name) for name in points), plan)
    styles = met(dict.fromkeys(itertools.product("ab", "ab"), 0.5), 50, rng).assign(opening="f9 Ok2 Oc3")
    matched = analyse(
        styles.assign(ruleset="chatra/x", lead_changes=1, drama=0.1, drama_max=0.2),
        dataclasses.replace(
            plan_for("chatra/x"),
            rulesets=(ruleset("chatra/x", "chatra"),),
            pairings=tuple(itertools.product("ab", "ab")),
        ),
    )
    known = set(METRICS)
    used = set()
    for name, table in [pair for each in (analysis, varied, matched) for pair in tables(each).items()]:
        numbers = {str(c) for c in table if pd.api.types.is_numeric_dtype(table[c]) and table[c].dtype != bool}
        names = {
            metrics.base(column) for column in numbers if not (name == "placements" and column in ("row", "column"))
        }
        assert names <= known, f"{name}: {sorted(names - known)}"
        used |= names
    assert known <= used, f"in the dictionary, but in no table: {sorted(known - used)}"


def test_the_dictionary_says_everything_of_every_number() -> None:
    for metric in METRICS.values():
        assert metric.direction in ("more", "less", "near 1/2", "target", "none"), metric.name
        assert all(
            (metric.formula, metric.unit, metric.source, metric.sentence.endswith("."), metric.ja.endswith("。"))
        )


def test_warnings_use_the_declared_codes(analysis: Analysis) -> None:
    assert set(analysis.warnings["code"]) <= set(CODES)
    assert list(analysis.warnings.columns) == ["code", *CELL, "subject", "value", "limit", "p"]


def test_no_records_and_partial_records_have_tables_too() -> None:
    plan = plan_for("toy/base", "toy/a", agents=("random", "greedy"), targets={"plies": [1, 2]})
    empty = analyse(games("").assign(opening=""), plan)
    assert set(empty.warnings["code"]) == {"no_games"}
    assert set(empty.comparisons["reason"]) <= {"no_games", ""}
    some = analyse(games("wl", agent := "toy/a"), plan)
    assert agent in set(some.cells["ruleset"])
    columns = {name: list(table.columns) for name, table in tables(empty).items()}
    assert columns == {name: list(table.columns) for name, table in tables(some).items() if name in columns} | {
        "cells": columns["cells"]
    }
