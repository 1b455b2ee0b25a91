"""The variety of openings: entropy and its interval where kinds were not seen, and the counts of each ply."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import chi2, ncx2

from tests.toy import games, plan_for
from workbench.statistics.openings import _entropy_cumulants, entropies, estimate_diversity, opening_tables

SEED = 20080209


def shares_of(kinds: str) -> np.ndarray:
    """Even kinds (``even-16``), kinds by Zipf's law, or one common kind among many rare ones (``one-100``)."""
    law, count = kinds.split("-")
    size = int(count)
    laws = {"even": np.ones(size), "zipf": 1 / np.arange(1, size + 1), "one": np.append(9.0 * size, np.ones(size))}
    return np.asarray(laws[law] / laws[law].sum(), dtype=np.float64)


def bits(shares: np.ndarray) -> float:
    return float(-(shares * np.log2(shares)).sum())


@pytest.mark.parametrize("kinds", [1, 4, 100])
def test_diversity_finds_the_number_of_equally_common_kinds(kinds: int) -> None:
    rng = np.random.default_rng(SEED)
    numbers = [estimate_diversity(np.bincount(rng.integers(0, kinds, 400))).entropy for _ in range(20)]
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
    coverage = np.mean([estimate_diversity(sample).coverage for sample in samples])
    assert coverage == pytest.approx(np.mean([weights[sample > 0].sum() for sample in samples]), abs=0.01)
    assert all(math.isnan(end) for end in estimate_diversity(samples[0])[:3]), "a fifth is unseen: no estimate"


def entropy_covered(kinds: str, n: int, times: int) -> tuple[float, int]:
    """How often the interval holds the true entropy, of the samples that have one; and how many these are."""
    shares = shares_of(kinds)
    true = bits(shares)
    samples = [estimate_diversity(sample) for sample in np.random.default_rng(SEED).multinomial(n, shares, size=times)]
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

        even = estimate_diversity(counts)
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
        mean, variance, third = _entropy_cumulants(shares, times.astype(float), n)
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
    assert np.mean([math.isnan(estimate_diversity(sample).entropy) for sample in samples]) >= 0.8


def test_no_more_kinds_are_reported_than_there_are() -> None:
    """128 first plies, all legal and equally likely: an estimate may not say 140."""
    for sample in np.random.default_rng(SEED).multinomial(400, np.full(128, 1 / 128), size=20):
        free, bound = estimate_diversity(sample), estimate_diversity(sample, possible=128)
        assert bound.entropy <= 7 and bound.low <= 7 and 7 >= bound.high > 6.9
        assert free.high > 7 and bound.low == pytest.approx(min(free.low, bound.low), abs=0.1)


def test_one_opening_only_leaves_room_for_another() -> None:
    once, often = estimate_diversity([30]), estimate_diversity([3_000])
    assert once.entropy == often.entropy == once.low == 0 and once.high > 0.4 > often.high > 0
    assert estimate_diversity([30], possible=1).high == 0
    assert all(math.isnan(estimate_diversity(counts).entropy) for counts in ([], [1], [1, 1, 1]))


def test_equal_counts_have_equal_intervals_in_any_order() -> None:
    assert estimate_diversity([40, 30, 20, 1, 1]) == estimate_diversity([1, 20, 0, 40, 1, 30])


def test_openings_are_counted_and_judged() -> None:
    lines = ["a b c"] * 4_000 + ["a c"] * 4_000 + ["b"] * 40 + ["d e"]
    results = "wl" * 2_000 + "wwl" * 1_333 + "w" + "wl" * 20 + "u"
    trials = games(results, plies=[len(line.split()) for line in lines], opening=lines)  # type: ignore[arg-type]
    table, listed = opening_tables(trials, plan_for("toy/base", margin=0.03))
    first, second, third = table.to_dict("records")
    assert (first["ply"], first["different"], first["games"]) == (1, 3, 8041)
    assert (first["common"], first["balanced"], first["lopsided"], first["undecided"]) == (2, 0, 1, 1)
    assert (second["different"], second["common"], second["balanced"], second["lopsided"]) == (3, 2, 1, 1)
    assert (third["different"], third["effective"], third["games"]) == (1, 1, 4000)
    assert [row["shown"] for row in (first, second, third)] == [False, False, True]
    assert first["effective"] == pytest.approx(1.04, abs=0.01)
    assert second["effective"] == pytest.approx(2, abs=0.01)
    two = {row["opening"]: row for row in listed.to_dict("records") if row["ply"] == 2}
    assert [(name, row["games"], row["status"]) for name, row in two.items()] == [
        ("a b", 4000, "balanced"), ("a c", 4000, "first"), ("d e", 1, "undecided"),
    ]  # fmt: skip
    assert two["a b"]["score"] == 0.5 and math.isnan(two["d e"]["score"])


def test_openings_are_no_more_than_the_rules_allow_and_hidden_where_most_are_new() -> None:
    rng = np.random.default_rng(SEED)
    first = [f"{move}" for move in rng.integers(0, 128, 400)]
    lines = [f"{move} {reply}" for move, reply in zip(first, rng.integers(0, 128, 400), strict=True)]
    trials = games("wl" * 200, opening=lines)  # type: ignore[arg-type]
    plan = plan_for("toy/base", opening_counts={"toy/base": (128, 128 * 128)})
    one, two = opening_tables(trials, plan)[0].to_dict("records")
    assert (one["shown"], two["shown"]) == (True, False)
    assert one["possible"] == 128 >= one["effective_high"] >= one["effective"] >= one["effective_low"] > 110
    assert math.isnan(two["effective"]) and two["coverage"] < 0.1 and two["different"] > 390
    free = opening_tables(trials, plan_for("toy/base"))[0].iloc[0]
    assert free["effective_high"] > 128 and math.isnan(free["possible"])
    few = opening_tables(trials[:100], plan)[0]
    assert not few["shown"].any(), "half of the first moves are new: nothing is compared"
    assert opening_tables(trials, plan_for("toy/base", opening_counts={"toy/base": (3,)}))[0]["possible"].isna().all()
