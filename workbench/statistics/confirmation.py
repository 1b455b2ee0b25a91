"""What fresh games say of the finalists of a search: simultaneous intervals, and which of them is probably the best.

Every finalist was played by the same players, as many games by each. Players are a sample: how much they differ about
a ruleset, and the luck of their games, are in the variance of their means, which is pooled over all rulesets. Intervals
are those of Student's t, so wide that with 95 % all of them hold at once (Z. Šidák, "Rectangular confidence regions for
the means of multivariate normal distributions", Journal of the American Statistical Association 62, 1967).

Limits: the variance between players is taken to be the same under all rulesets; measures are judged each by itself;
what is common to all these players, such as an error that all make, is in no interval.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from scipy import stats

from workbench.statistics.intervals import Floats
from workbench.statistics.rule_search import Aim, Goal

LEVEL = 0.95
DRAWS = 4_000


@dataclass(frozen=True)
class FreshEstimates:
    """A measure of each finalist; arrays with one entry a ruleset."""

    mean: Floats
    error: float
    """The standard error of each mean."""
    freedom: float
    """Degrees of freedom of that error."""

    def interval(self) -> tuple[Floats, Floats]:
        """The simultaneous interval of each."""
        share = LEVEL ** (1 / max(len(self.mean), 1))
        reach = float(stats.t.ppf((1 + share) / 2, self.freedom)) * self.error
        return self.mean - reach, self.mean + reach

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        """Values that these games allow, count × rulesets."""
        spread = rng.standard_t(self.freedom, (count, len(self.mean)))
        return np.asarray(self.mean + self.error * spread)


def fresh_estimates(means: Floats, variances: Floats) -> FreshEstimates:
    """Estimates from the mean of each ruleset by each player, and the variances of these means by their games alone.

    Both are arrays of rulesets × players. With one player the variance is that of the games.
    """
    rulesets, players = means.shape
    each = means.mean(axis=1)
    if players == 1:
        return FreshEstimates(each, math.sqrt(float(variances.mean())), 1e6)
    freedom = rulesets * (players - 1)
    between = float(((means - each[:, None]) ** 2).sum()) / freedom
    # Never less than what the games alone leave open, as for a measure that is 0 in all but a few games.
    return FreshEstimates(each, math.sqrt(max(between, float(variances.mean()), 1e-12) / players), float(freedom))


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
    draws = {name: fresh[name].draws(DRAWS, rng) for name in goal.measures}
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
