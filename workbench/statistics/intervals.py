"""Intervals for shares, for scores with draws, for means and medians, and for differences.

Every function takes the critical value ``z``: the distance of an end from the estimate in standard errors. It is `Z`,
for 95 %, unless there were interim analyses (`workbench.statistics.analysis_plan`) or intervals are simultaneous.

**Drawn lines** are a sample of all lines, and each is a cluster: two games of one line resemble each other more than
two games of different lines. Intervals allow for it by the design effect, the factor by which the cluster-robust
variance exceeds that of independent games: their ends are √(design effect) times as far from the estimate, as with so
many fewer games. The critical value is that of Student's t with one degree of freedom less than the number of lines.
Two rulesets with shared lines are compared line by line: the common effect of a line cancels, by the correlation of the
two estimates. With few lines, or lines with equal results under both, the correlation would be 1, and the difference
certain; so it is bounded by its value if all lines had equal results, and `UNSHARED_LINES` further lines had nothing in
common.

**Given lines** are the question itself and no sample. Each is played as often as the others, and independent games of a
mixture vary no less than games with fixed shares of it; so they are ignored, and intervals are a little too wide.

Source: the variance, with the factor G / (G - 1) for G lines and t with G - 1 degrees of freedom, K.-Y. Liang, S. L.
Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73, 1986; A. C. Cameron, D. L. Miller,
"A practitioner's guide to cluster-robust inference", J. of Human Resources 50, 2015. Intervals of shares with as many
fewer games: E. L. Korn, B. I. Graubard, "Confidence intervals for proportions with small expected number of positive
counts estimated from survey data", Survey Methodology 24, 1998. Given lines: W. G. Cochran, "Sampling Techniques",
1977, section 5.6. As many further lines as A. Agresti, B. A. Coull, "Approximate is better than exact for interval
estimation of binomial proportions", The American Statistician 52, 1998, add.
Limits: at least twenty lines. A design effect below 1 is due to chance, and set to 1. If all games ended alike, the
resemblance within lines is unknown: each line then counts as one game.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import bdtr, log_ndtr, logit, ndtr, ndtri

CONFIDENCE = 0.95
"""The share of intervals that contain the true value, over many experiments."""
Z = float(ndtri((1 + CONFIDENCE) / 2))
"""The critical value of a pointwise interval."""
FEWEST_GAMES = 30
"""The fewest games whose mean has an interval: fewer observed lengths are not representative."""
ROUNDING_ERROR = 1e-9
"""Smaller relative standard errors of a mean are due to rounding."""
LARGEST_CRITICAL = 37.0
"""The largest critical value of interest, for probabilities of about 1e-299."""
MOST_STEPS = 24
"""The most steps of the search for an end; usually eight suffice."""

Floats = npt.NDArray[np.float64]


class Range(NamedTuple):
    """Arrays of estimates with their intervals.

    ``least`` and ``most`` are equal unless capped games leave the estimate open. Then the true value is only partially
    identified, and they are estimates of its bounds. ``low`` lies below ``least``, ``high`` above ``most``.
    """

    least: Floats
    most: Floats
    low: Floats
    high: Floats


class Estimate(NamedTuple):
    """A number with its interval; an unbounded end is infinite."""

    value: float
    low: float
    high: float

    @classmethod
    def around(cls, value: float, half_width: float) -> Estimate:
        """Return the estimate with the interval value ± half width."""
        return cls(value, value - half_width, value + half_width)

    def scaled(self, factor: float) -> Estimate:
        """Return the estimate multiplied by a factor."""
        return Estimate(factor * self.value, factor * self.low, factor * self.high)

    def plus(self, constant: float) -> Estimate:
        """Return the estimate with a constant added."""
        return Estimate(self.value + constant, self.low + constant, self.high + constant)

    def columns(self, name: str) -> dict[str, float]:
        """Return the value and its ends by column name: ``name``, ``name_low`` and ``name_high``."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}

    def direction(self, margin: float) -> str:
        """Return the certain direction, ``none`` (within the margin of 0), ``more`` or ``less``; otherwise ""."""
        if -margin <= self.low and self.high <= margin:
            return "none"
        return "more" if self.low > 0 else "less" if self.high < 0 else ""

    @property
    def wider_side(self) -> float:
        """The distance of the farther end."""
        return max(self.high - self.value, self.value - self.low)

    def as_json(self) -> dict[str, float | None]:
        """Return the value and its ends as plain data; None for an open end."""
        return {name: round(end, 3) if math.isfinite(end) else None for name, end in self._asdict().items()}


def wilson(count: npt.ArrayLike, games: npt.ArrayLike, z: npt.ArrayLike = Z) -> tuple[Floats, Floats]:
    """Return the ends of Wilson's interval for ``count / games``, NaN if there are no games.

    With p = count / games and n = games the ends are::

        (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927;
    recommended by L. D. Brown, T. T. Cai, A. DasGupta, "Interval estimation for a binomial proportion", Statistical
    Science 16, 2001.
    Limits: for one share at a time, of independent games. Scores with draws have `score_interval`.
    """
    games = np.asarray(games, dtype=np.float64)
    count = np.asarray(count, dtype=np.float64)
    divisor = np.where(games > 0, games, 1.0)
    p = np.where(games > 0, count, 0.0) / divisor
    z = np.minimum(np.asarray(z, dtype=np.float64), LARGEST_CRITICAL)
    middle = p + z * z / (2 * divisor)
    half_width = z * np.sqrt(p * (1 - p) / divisor + z * z / (4 * divisor * divisor))
    low, high = ((middle + side * half_width) / (1 + z * z / divisor) for side in (-1, 1))
    # The formula misses 0 and 1 by rounding.
    low, high = np.where(count <= 0, 0.0, low), np.where(count >= games, 1.0, high)
    return np.where(games > 0, low, np.nan), np.where(games > 0, high, np.nan)


def score_interval(
    wins: npt.ArrayLike, draws: npt.ArrayLike, losses: npt.ArrayLike, z: npt.ArrayLike = Z
) -> tuple[Floats, Floats]:
    """Return the ends of the score interval for (wins + draws / 2) / games, NaN if there are no games.

    It contains every score s that a test of "the true score is s" does not reject: n (estimate - s)² ≤ z² v(s), where
    v(s) is the variance of a game with the score s and the most likely share of draws. With u half that share,
    v = s (1 - s) - u / 2, and u is the smaller root of n u² - (D + W (1 - s) + L s) u + D s (1 - s) = 0. Without draws
    this is `wilson`; draws reduce the variance of a game, and shorten the interval. If all games ended alike, the ends
    are estimate n / (n + z²) and (estimate n + z²) / (n + z²).

    Source: T. Tango, "Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design", Statistics in Medicine 17, 1998: there for the difference b - c of the two kinds of discordant pairs, which
    is equivalent, a score being (1 + wins - losses) / 2. The ends are found by iteration.
    Limits: independent games. Covers 94 to 96 % for at least a few dozen games. If nearly all games are draws, the
    coverage varies with the count as for every interval of counts: never below 93 %, up to 100 %.
    """
    w, d, lost, z = np.broadcast_arrays(*(np.asarray(values, dtype=np.float64) for values in (wins, draws, losses, z)))
    n = w + d + lost
    divisor = np.where(n > 0, n, 1.0)
    estimate = (w + d / 2) / divisor

    def excess(s: Floats) -> Floats:
        """Return the distance of the score s from the interval; negative inside."""
        product = s * (1 - s)
        x, y = w * (1 - s), lost * s
        # √((d + x + y)² - 4 n d s (1 - s)) as a sum, so that u is no difference of two large numbers.
        b = d + x + y + np.hypot(d * (1 - 2 * s) + x - y, 2 * np.sqrt(x * y))
        u = np.divide(2 * d * product, b, out=np.zeros_like(b), where=b > 0)
        return np.abs(estimate - s) - z * np.sqrt(np.maximum(product - u / 2, 0.0) / divisor)  # type: ignore[no-any-return]

    one_result = (w == n) | (d == n) | (lost == n)
    closed_form = np.stack([estimate * n, estimate * n + z * z]) / (divisor + z * z)
    bounds = np.stack([np.zeros_like(estimate), np.ones_like(estimate)])
    # At the estimate itself the variance may be 0, and the search would stay there.
    low, high = np.where(one_result, closed_form, _sign_change(excess, estimate + 1e-9 * (bounds - estimate), bounds))
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def bounded_score(
    wins: npt.ArrayLike, draws: npt.ArrayLike, losses: npt.ArrayLike, capped: npt.ArrayLike, z: npt.ArrayLike = Z
) -> Range:
    """Return the score of all games if every capped game were lost (``least``, ``low``) or won (``most``, ``high``).

    Each end lies ``z`` standard errors from its own bound; `imbens_manski` turns it into an interval.

    Source: `score_interval` for both ends; assume nothing about unobserved results: C. F. Manski, "Nonparametric bounds
    on treatment effects", American Economic Review 80, 1990.
    Limits: see `imbens_manski`.
    """
    w, d, lost, c = (np.asarray(values, dtype=np.float64) for values in (wins, draws, losses, capped))
    n = w + d + lost + c
    divisor = np.where(n > 0, n, np.nan)
    low, high = score_interval(w, d, lost + c, z)
    if c.any():
        high = score_interval(w + c, d, lost, z)[1]
    return Range((w + d / 2) / divisor, (w + d / 2 + c) / divisor, low, high)


def bounded_share(count: npt.ArrayLike, capped: npt.ArrayLike, games: npt.ArrayLike, z: npt.ArrayLike = Z) -> Range:
    """Return the share of counted games if none, or all, of the capped games counted.

    Source, Limits: as `bounded_score`, with `wilson` for both ends.
    """
    count, capped, n = (np.asarray(values, dtype=np.float64) for values in (count, capped, games))
    divisor = np.where(n > 0, n, np.nan)
    return Range(count / divisor, (count + capped) / divisor, wilson(count, n, z)[0], wilson(count + capped, n, z)[1])


def imbens_manski(interval: Callable[[npt.ArrayLike], Range]) -> Callable[[npt.ArrayLike], Range]:
    """Return a function from the critical value to the interval for a value that capped games leave open.

    ``interval(c)`` returns the range with ends ``c`` standard errors beyond its bounds. If the bounds are equal, c is
    the critical value ``z``. The farther apart they are, the less likely it is that the true value, at worst one of
    them, is missed on both sides. With D the distance between the bounds in standard errors and Φ the normal
    distribution, c is the solution of::

        Φ(c + D) - Φ(-c) = 1 - 2 Φ(-z)

    For 95 % it falls from 1.96 to 1.645 as D grows. The standard error is the larger of those of the two bounds, each
    derived from its 95 % interval. The distance of an end from a value in standard errors gives the value's p-value by
    the same equation: a test rejects the values outside the interval.

    Source: G. W. Imbens, C. F. Manski, "Confidence intervals for partially identified parameters", Econometrica 72,
    2004. J. Stoye, "More on confidence intervals for partially identified parameters", Econometrica 77, 2009: it is
    valid for every true distance between the bounds, including 0, since their estimates never swap (lemma 3). The same
    is true of a difference of two scores: its bounds are again ordered normal estimates.
    Limits: covers the true value, anywhere between the bounds, in 95 % of experiments, but not the whole range between
    them. It is as good as the intervals of the two bounds, and no number of games closes the gap.
    """
    two_sided = interval(Z)
    width = two_sided.most - two_sided.least
    if not np.any(width > 0):
        return interval
    error = np.maximum(two_sided.least - two_sided.low, two_sided.high - two_sided.most) / Z
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.where(width > 0, width / error, 0.0)
    return lambda z: interval(_one_sided_critical(*np.broadcast_arrays(np.asarray(z, dtype=np.float64), distance)))


def _one_sided_critical(z: Floats, distance: Floats) -> Floats:
    """Return the solution of the equation of `imbens_manski`, at least 0."""

    def excess(c: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            log_error = np.logaddexp(log_ndtr(-c), log_ndtr(-c - distance))
        return math.log(2) + log_ndtr(-z) - log_error  # type: ignore[no-any-return]

    least = np.zeros_like(distance)
    solution = _sign_change(excess, least, z)
    return np.where(excess(least) >= 0, 0.0, solution)


def _sign_change(
    function: Callable[[Floats], Floats], inside: Floats, outside: Floats, tolerance: float = 1e-12
) -> Floats:
    """Return the point between ``inside`` and ``outside`` where a function becomes positive, by default ``outside``.

    Source: regula falsi in the Illinois form, M. Dowell, P. Jarratt, BIT 11, 1971: the sign change stays bracketed.
    SciPy's ``elementwise.find_root`` gives the same ends, but a report makes thousands of these searches over a few
    dozen numbers each, and its statistics would take two and a half times as long (measured with SciPy 1.17).
    """
    a, b = inside, outside
    fa, fb = function(a), function(b)
    never, settled = fb <= 0, (fb <= 0) | (fa > 0)
    for _ in range(MOST_STEPS):
        with np.errstate(invalid="ignore", divide="ignore"):
            middle = np.where(fb != fa, b - fb * (b - a) / (fb - fa), (a + b) / 2)
        middle = np.clip(middle, np.minimum(a, b), np.maximum(a, b))
        value = function(middle)
        same_side = (value > 0) == (fb > 0)
        a, fa = np.where(same_side, a, b), np.where(same_side, fa / 2, fb)
        b, fb = middle, value
        if np.all((np.abs(value) < tolerance) | np.isnan(value) | settled):
            break
    return np.where(never, outside, b)


def mean_interval(
    mean: npt.ArrayLike, error: npt.ArrayLike, games: npt.ArrayLike, z: npt.ArrayLike = Z, least: float = 0.0
) -> tuple[Floats, Floats]:
    """Return the ends mean ± z error; ``least`` and infinity if the standard error is unknown.

    It is unknown with fewer than `FEWEST_GAMES` games, or if all values are equal. ``least`` is the smallest possible
    value: 0 for counts, else -∞. Both ends are NaN without a mean.

    Source: the central limit theorem, with quantiles of Student's t as ``z``: W. S. Gosset, "The probable error of a
    mean", Biometrika 6, 1908.
    Limits: with 30 games the coverage is 92 to 96 % in simulations with lengths like those of Chatra, with normal,
    exponential or geometric numbers, 91 % with lognormal ones of deviation 0.8, 88 % of deviation 1 (92 % with 100
    games). Equal means of two rulesets are distinguished in 3 to 5 % of these, in up to 8 % if one has four times the
    games of the other. The interval does not allow for rare, huge values that have not occurred.
    """
    mean, error, games, z = (np.asarray(values, dtype=np.float64) for values in (mean, error, games, z))
    estimable = (games >= FEWEST_GAMES) & (error > ROUNDING_ERROR * np.abs(mean))
    with np.errstate(invalid="ignore"):
        half_width = np.where(estimable, z * error, 0.0)
    low, high = np.where(estimable, mean - half_width, least), np.where(estimable, mean + half_width, math.inf)
    return np.where(np.isnan(mean), np.nan, low), np.where(np.isnan(mean), np.nan, high)


def difference_interval(a: Range, b: Range, correlation: Floats | float = 0.0) -> Range:
    """Return the difference a - b with its interval, given the ranges of both for the same ``z``.

    With x = a - low of a, y = high of b - b and r the ``correlation`` of the two estimates, the lower end lies
    √(x² + y² - 2 r x y) below the difference, the upper end likewise above. If capped games leave both open, the
    difference lies between the least and the most that they allow together.

    Source: R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in
    Medicine 17, 1998, method 10; G. Y. Zou, A. Donner, "Construction of confidence limits about effect measures: a
    general approach", Statistics in Medicine 27, 2008 (MOVER); with a correlation G. Y. Zou, "Toward using confidence
    intervals to compare correlations", Psychological Methods 12, 2007.
    Limits: those of the two intervals. Capped games of the two rulesets may have opposite results, so 5 % of them on
    either side leave 10 points open.
    """
    return sum_interval(a, Range(-b.most, -b.least, -b.high, -b.low), -correlation)


def sum_interval(a: Range, b: Range, correlation: Floats | float = 0.0) -> Range:
    """Return the sum a + b with its interval; see `difference_interval`."""
    least, most = a.least + b.least, a.most + b.most
    low = least - _side_length(a.least - a.low, b.least - b.low, correlation)
    return Range(least, most, low, most + _side_length(a.high - a.most, b.high - b.most, correlation))


def _side_length(x: Floats, y: Floats, correlation: Floats | float) -> Floats:
    """Return √(x² + y² + 2 r x y), the length of one side of a sum's interval; infinite if x or y is."""
    if not np.any(correlation):
        return np.hypot(x, y)
    with np.errstate(invalid="ignore"):
        length = np.sqrt(np.maximum(x * x + y * y + 2 * correlation * x * y, 0.0))
    return np.where(np.isinf(x) | np.isinf(y), math.inf, length)


def largest_critical(distance: Callable[[Floats], Floats], like: npt.ArrayLike) -> Floats:
    """Return the largest critical values with a positive ``distance``, or 0 if it is never positive.

    ``distance`` is a decreasing function of critical values, an array with the shape of ``like``; it returns the
    distances of the intervals from the tested value.
    """
    start = np.zeros(np.shape(like))
    critical = _sign_change(lambda z: -distance(z), start, np.full_like(start, LARGEST_CRITICAL), 1e-9)
    return np.where(distance(start) > 0, critical, 0.0)


def median_interval(values: npt.ArrayLike, capped: int = 0, z: float = Z) -> tuple[float, float]:
    """Return the ends of a distribution-free interval for the median.

    The ends are the k-th smallest and the k-th largest of n values, with the largest k such that P(B < k) ≤ 2.5 % (or
    half of the error of ``z``), B binomial with n trials and probability ½. The largest ``capped`` values are games
    that were stopped and would have lasted longer, so an upper end among them is infinite. With fewer than 6 values no
    two of them give 95 %: the ends are 0 and infinity. Both are NaN without values.

    Source: W. R. Thompson, Annals of Mathematical Statistics 7, 1936; H. A. David, H. N. Nagaraja, "Order Statistics",
    3rd ed., section 7.1.
    Limits: independent, non-negative values. Ties make the interval wider than necessary.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    n = len(ordered)
    if n == 0:
        return math.nan, math.nan
    k = int(np.searchsorted(bdtr(np.arange(n), n, 0.5), ndtr(-z)))
    low = float(ordered[k - 1]) if k > 0 else 0.0
    high = float(ordered[n - k]) if k > 0 and n - k < n - capped else math.inf
    return low, high


def holm(p: npt.ArrayLike) -> Floats:
    """Return p-values corrected for the familywise error rate.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian J. of Statistics 6, 1979.
    Limits: p-values may depend on each other in any way; none may be NaN.
    """
    return step_down(p, np.arange(np.size(p), 0, -1))


def step_down(p: npt.ArrayLike, factors: npt.ArrayLike) -> Floats:
    """Return p-values multiplied by ``factors`` in ascending order, made monotone."""
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    corrected = np.empty(len(values))
    corrected[order] = np.minimum(np.maximum.accumulate(values[order] * np.asarray(factors)), 1.0)
    return corrected


CLUSTER = "cluster"
"""The column of a game's cluster: the number of its line, equal for all rulesets that share the line."""
UNSHARED_LINES = 4
"""The number of hypothetical lines without correlation added to the shared ones: the square of 1.96."""
Indices = npt.NDArray[np.intp]


def game_clusters(trials: pd.DataFrame) -> Indices | None:
    """Return the cluster of each game; None if games are independent."""
    return trials[CLUSTER].to_numpy(dtype=np.intp) if CLUSTER in trials else None


def line_sums(residuals: Floats, clusters: Indices, game_cells: Indices, cells: int) -> Floats:
    """Return the sums of ``residuals`` over the games of each line in each cell (cells x clusters)."""
    line_count = int(clusters.max(initial=-1)) + 1
    sums = np.bincount(game_cells * line_count + clusters, residuals, cells * line_count).astype(np.float64)
    return sums.reshape(cells, line_count)


def line_counts(clusters: Indices, game_cells: Indices, cells: int) -> Floats:
    """Return the number of lines in each cell; infinite if no line has several games."""
    counts = line_sums(np.ones(len(clusters)), clusters, game_cells, cells)
    lines = (counts > 0).sum(axis=1).astype(np.float64)
    return np.where(lines < counts.sum(axis=1), lines, np.inf)


def design_effects(residuals: Floats, clusters: Indices, game_cells: Indices, cells: int) -> Floats:
    """Return the variance of each cell's sum of ``residuals`` (mean 0) relative to that of independent games.

    It is Σ (sum of a line)² G / (G - 1) over Σ residual² n / (n - 1), for n games of G lines, and at least 1.
    """
    sums = line_sums(residuals, clusters, game_cells, cells)
    n = np.bincount(game_cells, minlength=cells).astype(np.float64)
    lines = (line_sums(np.ones(len(clusters)), clusters, game_cells, cells) > 0).sum(axis=1)
    squares = np.bincount(game_cells, residuals**2, cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        robust = (sums**2).sum(axis=1) * lines / (lines - 1)
        effect = robust / (squares * n / (n - 1))
    games_per_line = np.divide(n, lines, out=np.ones(cells), where=lines > 0)
    estimable = (squares > 1e-12 * n) & (lines > 1) & (lines < n)
    return np.asarray(
        np.where(estimable, np.clip(np.nan_to_num(effect, nan=1.0), 1.0, n), games_per_line), dtype=np.float64
    )


def t_from_normal(z: npt.ArrayLike, lines: npt.ArrayLike) -> Floats:
    """Return Student's t with lines - 1 degrees of freedom at the level of the normal quantile ``z``.

    Source: D. L. Wallace, "Bounds on normal approximations to Student's and the chi-square distributions", Annals of
    Mathematical Statistics 30, 1959, solved for t: within 0.1 % for at least 10 lines, and easily inverted.
    """
    z, lines = np.asarray(z, dtype=np.float64), np.asarray(lines, dtype=np.float64)
    df = np.where(np.isinf(lines), 1.0, np.maximum(lines - 1, 1.0))
    with np.errstate(over="ignore"):
        t = np.sqrt(df * np.expm1((z * (8 * df + 3) / (8 * df + 1)) ** 2 / df))
    return np.where(np.isinf(lines), z, np.copysign(t, z))


def normal_from_t(t: npt.ArrayLike, lines: npt.ArrayLike) -> Floats:
    """Return the normal quantile at the level of Student's ``t``, the inverse of `t_from_normal`."""
    t, lines = np.asarray(t, dtype=np.float64), np.asarray(lines, dtype=np.float64)
    df = np.where(np.isinf(lines), 1.0, np.maximum(lines - 1, 1.0))
    z = np.sqrt(df * np.log1p(t * t / df)) * (8 * df + 1) / (8 * df + 3)
    return np.where(np.isinf(lines), t, np.copysign(z, t))


def clustered_critical(
    z: float, values: Floats, clusters: Indices | None, game_cells: Indices | None = None, cells: int = 1
) -> Floats:
    """Return each cell's critical value for the mean of ``values``, in standard errors of independent games."""
    if clusters is None or not len(values):
        return np.full(cells, z)
    game_cells = np.zeros(len(values), np.intp) if game_cells is None else game_cells
    means = np.bincount(game_cells, values, cells) / np.bincount(game_cells, minlength=cells)
    effects = design_effects(values - means[game_cells], clusters, game_cells, cells)
    return t_from_normal(z, line_counts(clusters, game_cells, cells)) * np.sqrt(effects)


def lines_and_inflation(cells: pd.DataFrame, name: str) -> tuple[Floats, Floats]:
    """Return each row's number of lines and the square root of a measure's design effect, from a cell table."""
    if "lines" not in cells:
        return np.full(len(cells), np.inf), np.ones(len(cells))
    lines, games = (cells[column].to_numpy(dtype=np.float64) for column in ("lines", "games"))
    return np.where(lines < games, lines, np.inf), np.sqrt(cells[f"{name}_design_effect"].to_numpy(dtype=np.float64))


# The first move and draws, by Davidson's model

ELO = 400 / math.log(10)
"""Elo per unit of the log odds of a win against a loss."""


def first_move_elo(share_of_decisive: float) -> float:
    """Return gamma, the advantage of moving first in Elo, from the first seat's share of the decisive games."""
    return ELO * float(logit(share_of_decisive))


def drawishness(draws: Estimate, decisive: Estimate) -> Estimate:
    """Return nu with its interval, from the share of draws and the first seat's share of the decisive games."""
    draw_logits = Estimate(*map(float, logit(draws)))
    evenness = Estimate(*map(_evenness, decisive))
    # The evenness is smallest with as many wins as losses.
    least = _evenness(0.5) if decisive.low <= 0.5 <= decisive.high else min(evenness)
    most = max(evenness)
    value = draw_logits.value + evenness.value
    ends = draw_logits.low + least, draw_logits.high + most
    if math.isfinite(value):
        ends = (
            value - math.hypot(draw_logits.value - draw_logits.low, evenness.value - least),
            value + math.hypot(draw_logits.high - draw_logits.value, most - evenness.value),
        )
    return Estimate(*map(float, np.exp([value, *ends])))


def _evenness(share_of_decisive: float) -> float:
    """Return the log ratio of the number of decisive games to the geometric mean of wins and losses."""
    product = share_of_decisive * (1 - share_of_decisive)
    return -0.5 * math.log(product) if product > 0 else math.inf
