"""The two intervals of the workbench: Wilson's for shares and scores, order statistics for the median."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

CONFIDENCE = 0.95
"""How often an interval holds the true value, over many experiments."""

Floats = npt.NDArray[np.float64]


def wilson(count: npt.ArrayLike, games: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The ends of Wilson's 95 % interval of ``count / games``, NaN where there are no games.

    With p = count / games, n = games and z = 1.96 the ends are::

        (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)

    ``count`` may hold halves: a score counts a draw as half a win.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927;
    recommended by L. D. Brown, T. T. Cai, A. DasGupta, "Interval estimation for a binomial proportion", Statistical
    Science 16, 2001. Computed by statsmodels.
    Limits: for one share at a time, of independent games. For a score with draws the interval is conservative (too
    wide): a draw makes the variance of a game smaller than p(1-p), by a quarter of the draw rate.
    """
    games = np.asarray(games, dtype=np.float64)
    count = np.asarray(count, dtype=np.float64)
    some = np.where(games > 0, games, 1.0)
    low, high = proportion_confint(np.where(games > 0, count, 0.0), some, alpha=1 - CONFIDENCE, method="wilson")
    return np.where(games > 0, low, np.nan), np.where(games > 0, high, np.nan)


def median_interval(values: npt.ArrayLike, capped: int = 0) -> tuple[float, float]:
    """The ends of a 95 % interval of the median that assumes no shape of the distribution.

    With n values in order, the ends are the values number k and n + 1 - k, where k is the largest number for which
    P(B < k) ≤ 2.5 %, B binomial with n tries and chance ½.
    ``capped`` of the values, the largest, are games that were stopped: they would have lasted longer, so an upper end
    that falls among them is infinite. With fewer than 6 values no two of them give 95 %: the ends are 0 and infinity.
    Both are NaN without values.

    Source: W. R. Thompson, Annals of Mathematical Statistics 7, 1936; H. A. David, H. N. Nagaraja, "Order Statistics",
    3rd ed., section 7.1.
    Limits: independent values that are not negative. Equal values make the interval wider than it need be.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    n = len(ordered)
    if n == 0:
        return math.nan, math.nan
    k = int(binom.ppf((1 - CONFIDENCE) / 2, n, 0.5))
    low = float(ordered[k - 1]) if k > 0 else 0.0
    high = float(ordered[n - k]) if k > 0 and n - k < n - capped else math.inf
    return low, high


def open_quantile(share: float, games: int, capped: int) -> bool:
    """Whether the quantile of that share falls among the capped games, so that the true one is larger than it says."""
    return math.ceil(share * (games - 1)) >= games - capped
