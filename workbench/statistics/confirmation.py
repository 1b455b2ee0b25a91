"""What fresh games say of the finalists of a search: simultaneous intervals, and which of them is probably the best.

Every finalist was played by the same players. Players are a sample, and so are the lines that their games begin with:
how much players differ about a ruleset, the luck of their games, and what lines do that several of them meet, are in
the covariance of the means, clustered by players and by lines (A. C. Cameron, J. B. Gelbach, D. L. Miller, "Robust
inference with multiway clustering", Journal of Business and Economic Statistics 29, 2011). A player meets the same
lines and the same chance under all rulesets, so that the means of finalists go together. Intervals are those of the
multivariate t distribution, so wide that with 95 % all of them cover the true value (T. Hothorn, F. Bretz, P. Westfall,
"Simultaneous inference in general parametric models", Biometrical Journal 50, 2008).

Limits: what players differ by beyond their games is one variance about all rulesets and one about each; measures are
judged each by itself; what is common to all these players, such as an error that all make, is in no interval.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.statistics.intervals import Floats
from workbench.statistics.rule_search import Aim, Goal, Indices

LEVEL = 0.95
DRAWS = 20_000
LEAST_SHARE = 0.1
"""The variance of a mean is at least this share of the average one: that of a measure which never varied is not 0."""


@dataclass(frozen=True)
class FreshEstimates:
    """A measure of each finalist; arrays with one entry a ruleset."""

    mean: Floats
    covariance: Floats
    """Of the errors of the means."""
    freedom: float
    """Degrees of freedom of that covariance."""

    @cached_property
    def interval(self) -> tuple[Floats, Floats]:
        """The simultaneous interval of each."""
        error = np.sqrt(np.diag(self.covariance))
        farthest = (np.abs(self.draws(np.random.default_rng(0)) - self.mean) / error).max(axis=1)
        reach = np.quantile(farthest, LEVEL) * error
        return self.mean - reach, self.mean + reach

    def draws(self, rng: np.random.Generator) -> Floats:
        """Values that these games allow, draws × rulesets."""
        errors = rng.multivariate_normal(np.zeros(len(self.mean)), self.covariance, DRAWS, method="eigh")
        return np.asarray(self.mean + errors * np.sqrt(self.freedom / rng.chisquare(self.freedom, (DRAWS, 1))))


def fresh_estimates(values: Floats, lines: Indices) -> FreshEstimates:
    """Estimates from the value of each game, rulesets × players × games; NaN: it was not played, or does not count.

    ``lines`` are those of players × games. Games of one number have the same line, and may share chance, under all
    rulesets. A player none of whose games of a ruleset counts is taken to find what the others find.
    """
    rulesets, players, _ = values.shape
    counted = ~np.isnan(values)
    games = counted.sum(axis=2)
    sums = np.where(counted, values, 0.0).sum(axis=2)
    heard = games > 0
    by_player = sums / np.maximum(games, 1)
    mean = by_player.sum(axis=1) / np.maximum(heard.sum(axis=1), 1)
    by_player = np.where(heard, by_player, mean[:, None])
    scale = 1 / (players * np.sqrt(np.maximum(games * (games - 1), 1)))
    rest = np.where(counted, (values - by_player[:, :, None]) * scale[:, :, None], 0.0)
    numbers = np.unique(lines, return_inverse=True)[1].reshape(lines.shape)
    count = int(numbers.max()) + 1
    sums_of_lines = np.array([[np.bincount(n, r, count) for n, r in zip(numbers, one, strict=True)] for one in rest])
    by_cell = np.einsum("apl,bpl->ab", sums_of_lines, sums_of_lines)
    total = sums_of_lines.sum(axis=1)
    covariance = total @ total.T * count / max(count - 1, 1)
    freedom = float(max(count - 1, 1))
    if players > 1:
        between = np.cov(by_player, ddof=1).reshape(rulesets, rulesets) / players
        # What players differ by beyond their games: about a ruleset, and about two alike.
        excess = between - by_cell
        own = max(0.0, float(np.diag(excess).mean()))
        apart = ~np.eye(rulesets, dtype=bool)
        common = float(np.clip(excess[apart].mean(), 0.0, own)) if rulesets > 1 else 0.0
        covariance += common + (own - common) * np.eye(rulesets)
        if own:
            spread = np.sqrt(np.maximum(np.diag(between), 1e-12))
            alike = float(((between / np.outer(spread, spread)) ** 2).mean())
            freedom = min(freedom, (players - 1) / max(alike, 1 / rulesets))
    variances = np.diag(covariance)
    least = max(LEAST_SHARE * float(variances.mean()), 1e-12)
    return FreshEstimates(mean, covariance + np.diag(np.maximum(least - variances, 0)), freedom)


@dataclass(frozen=True)
class Verdicts:
    """How the finalists compare by the loss; arrays with one entry a ruleset."""

    alike: Floats
    """The probability that its loss is within the tolerance of the least."""
    regret: Floats
    """How much more than the best it is expected to miss the targets, in units; the price aside."""
    loss: Floats
    """The loss that is expected of it: the best has the least."""
    nearer: Floats
    """The probability that it misses targets and conditions by less than the base does; the price aside."""


def compare_finalists(
    goal: Goal, fresh: Mapping[str, FreshEstimates], tolerance: float, seed: int, base: int = 0
) -> Verdicts:
    """The probabilities of being as good as the best, and nearer to the targets than the base, by fresh games alone.

    ``goal`` has the prices of the finalists, of which one is the ``base``.
    """
    rng = np.random.default_rng(seed)
    draws = {name: fresh[name].draws(rng) for name in goal.measures}
    losses = goal.loss(draws)
    alike = losses <= losses.min(axis=1, keepdims=True) + tolerance + 1e-12
    misses = sum((aim.misses(draws[aim.measure]) for aim in goal.aims), np.zeros_like(losses))
    regret = (misses - misses.min(axis=1, keepdims=True)).mean(axis=0)
    unpriced = losses - goal.prices
    nearer = (unpriced < unpriced[:, [base]] - 1e-9).mean(axis=0)
    return Verdicts(alike.mean(axis=0), regret, losses.mean(axis=0), nearer)


MET, MISSED, OPEN = "met", "missed", "open"
NEAREST, PROMISING, BASE_AS_NEAR = "nearest", "promising", "base_as_near"


def judge_band(aim: Aim, low: float, high: float) -> str:
    """Whether an interval lies in a band, outside of it, or across one of its ends."""
    if low >= aim.low and high <= aim.high:
        return MET
    return MISSED if high < aim.low or low > aim.high else OPEN


def search_verdict(targets: Collection[str], nearer: float) -> str:
    """What is said of the best finalist, by which ``targets`` it meets and the probability that the base is farther.

    `MET`: it meets all of them. `NEAREST`: none does, and it is surely nearer to them than the base; `PROMISING`: so it
    is, and may meet them. `BASE_AS_NEAR`: fresh games do not surely tell it from the base, or it is the base.
    """
    if set(targets) == {MET}:
        return MET
    if nearer < LEVEL:
        return BASE_AS_NEAR
    return NEAREST if MISSED in targets else PROMISING
