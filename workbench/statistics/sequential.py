"""Looking at games more than once: critical values that stay valid, and the number of games that a wish costs.

An experiment with ``until: decided`` is judged at a few looks, fixed beforehand, at equal steps up to its ceiling.
Under no difference a statistic z(k), times √(k / K), is then a Brownian motion watched at K times, and the chance that
it ever strays by b is `crossing(b, K)`. So one number, the farthest that it strayed so far, gives a p-value that may
be read at every look, and corrected over many comparisons like any other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import norm

from workbench.statistics.intervals import CONFIDENCE, FARTHEST, Floats

ALPHA = 1 - CONFIDENCE
POWER = 0.8
"""How often a difference that is there shall be found."""
GRID = 257


def look_sizes(games: int, looks: int) -> list[int]:
    """The games per cell at which an experiment is judged: equal steps, the last one its ceiling."""
    return sorted({math.ceil(games * look / looks) for look in range(1, looks + 1)})


def crossing(strayed: npt.ArrayLike, looks: int) -> Floats:
    """The chance that |B(k / K)| reaches ``strayed`` at any of K ``looks``; B is Brownian motion on [0, 1].

    For one look it is the two-sided p-value of the normal distribution.

    Source: the flat boundary on the scale of B is P. C. O'Brien, T. R. Fleming, "A multiple testing procedure for
    clinical trials", Biometrics 35, 1979; the integration from look to look is P. Armitage, C. K. McPherson, B. C.
    Rowe, "Repeated significance tests on accumulating data", JRSS A 132, 1969. For p-values that hold at every look:
    C. Jennison, B. W. Turnbull, "Group Sequential Methods", 2000, section 8.4.
    Limits: looks at equal steps, fixed beforehand; enough games at the first look for a normal distribution. Right to
    about six digits, relatively; never below the chance of one look at the end.
    """
    values = np.asarray(strayed, dtype=np.float64)
    found = np.array([_crossing(float(b), looks) for b in values.ravel()])
    return found.reshape(values.shape)


@lru_cache(maxsize=65_536)
def _crossing(b: float, looks: int) -> float:
    if math.isnan(b):
        return math.nan
    if b <= 0:
        return 1.0
    if looks == 1 or b >= FARTHEST:
        return float(2 * norm.sf(b))
    step = math.sqrt(1 / looks)
    # Gauss-Legendre nodes between the boundaries: smooth integrands need few of them.
    nodes, weights = _nodes()
    x, w = nodes * b, weights * b
    chance = float(2 * norm.sf(b / step))
    density = np.exp(-0.5 * (x / step) ** 2) / (step * math.sqrt(2 * math.pi))
    kernel = np.exp(-0.5 * ((x[:, None] - x[None, :]) / step) ** 2) / (step * math.sqrt(2 * math.pi)) * w[None, :]
    leaves = ndtr((x - b) / step) + ndtr((-x - b) / step)
    for look in range(2, looks + 1):
        chance += float(np.sum(w * density * leaves))
        if look < looks:
            density = kernel @ density
    return min(1.0, chance)


@lru_cache(maxsize=1)
def _nodes() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(GRID)
    return nodes, weights


@lru_cache(maxsize=4_096)
def critical(alpha: float = ALPHA, looks: int = 1) -> float:
    """What |B| must reach at some look for a p-value of ``alpha``; with one look, the usual critical value."""
    if looks == 1:
        return float(norm.ppf(1 - alpha / 2))
    return float(brentq(lambda b: math.log(_crossing(b, looks) / alpha), 1e-3, 12.0, xtol=1e-9))


def critical_at(games: npt.ArrayLike, ceiling: int, looks: int, alpha: float = ALPHA) -> Floats:
    """The critical value of an interval after so many ``games`` of a cell, so that all looks together keep ``alpha``.

    Source: repeated confidence intervals, C. Jennison, B. W. Turnbull, JRSS B 51, 1989.
    Limits: see `crossing`. Intervals at early looks are wide: that is the price of looking.
    """
    share = np.clip(np.asarray(games, dtype=np.float64) / ceiling, 1 / looks, 1.0)
    return np.asarray(critical(alpha, looks) / np.sqrt(share), dtype=np.float64)


def games_for_precision(precision: float, variance: float = 0.25, z: float | None = None) -> int:
    """Games per cell for an interval of the score of ± ``precision``; ``variance`` is that of one game.

    A game without draws has the variance 0.25; a share d of draws takes d / 4 off it.
    """
    z = critical() if z is None else z
    return math.ceil(variance * (z / precision) ** 2)


def games_for_gain(
    gain: float, comparisons: int = 1, looks: int = 1, variances: Sequence[float] = (0.25, 0.25), power: float = POWER
) -> int:
    """Games per cell with which a gain in fairness is found with the chance ``power``, over so many comparisons.

    n = (c + z)² (v₁ + v₂) / gain², where c is the critical value of the smallest p-value among ``comparisons``
    (Bonferroni, the first step of Holm) and z the normal quantile of √power. The root stands for the hardest case, a
    proposal that is perfectly fair: there its estimate strays to both sides, and two tests must succeed at once.

    Limits: normal distributions. A proposal that is better, but not perfectly fair, needs up to a fifth less.
    """
    reach = critical(ALPHA / max(1, comparisons), looks) + float(norm.ppf(math.sqrt(power)))
    return math.ceil(sum(variances) * (reach / gain) ** 2)
