"""Which amount of a handicap makes a game even, from scores at some amounts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.statistics.intervals import Floats, Z

RIDGE = 1e-4
"""What is added to the information of the curve, so that scores of 0 and 1 alone do not make it infinitely steep."""
STEPS = 60


@dataclass(frozen=True)
class EvenAmount:
    """Where the first player's score is one half."""

    even: float
    """The estimate; NaN where the score does not change with the amount."""
    low: float
    high: float
    """The 95 % interval; it ends at infinity where the score may not change with the amount."""
    level: float
    slope: float
    """The log-odds of the first player's score at amount 0, and by how much each unit of the amount changes them."""

    def score(self, amount: float) -> float:
        """The first player's score at an amount, by the curve."""
        return float(1 / (1 + math.exp(-self.level - self.slope * amount)))


def even_amount(amounts: npt.ArrayLike, results: npt.ArrayLike, z: float = Z) -> EvenAmount:
    """The amount at which the first player scores one half, with its interval.

    Args:
        amounts: one for each row of the results.
        results: wins, draws and losses of the first player at each amount.
        z: the critical value.

    The score is a logistic curve of the amount, fitted by quasi-likelihood, in which a draw counts one half; its
    variance is that of the results about the curve. The interval is Fieller's: all amounts x at which a + b x differs
    from 0 by less than z standard errors.

    Source: L. E. Papke, J. M. Wooldridge, "Econometric methods for fractional response variables", J. Applied
    Econometrics 11, 1996, for the fit and its variance; E. C. Fieller, "Some problems in interval estimation", J. Royal
    Statistical Society B 16, 1954; D. J. Finney, "Probit Analysis", 1971, for doses with half of an effect.
    Limits: the log-odds are a straight line near the even amount; amounts far from it should have few games.
    """
    x, counts = np.asarray(amounts, dtype=np.float64), np.asarray(results, dtype=np.float64)
    centre, spread = float(x.mean()), max(float(x.std()), 1e-9)
    design = np.column_stack([np.ones(len(x)), (x - centre) / spread])
    games, points = counts.sum(axis=1), counts @ np.array([1.0, 0.5, 0.0])
    beta: Floats = np.zeros(2)
    for _ in range(STEPS):
        p = _curve(design @ beta)
        information = design.T @ (design * (games * p * (1 - p))[:, None]) + RIDGE * np.eye(2)
        step = np.linalg.solve(information, design.T @ (points - games * p) - RIDGE * beta)
        # A step too far would leave the curve without any information.
        beta = beta + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))
    p = _curve(design @ beta)
    squares = counts[:, 0] * (1 - p) ** 2 + counts[:, 1] * (0.5 - p) ** 2 + counts[:, 2] * p**2
    bread = np.linalg.inv(design.T @ (design * (games * p * (1 - p))[:, None]) + RIDGE * np.eye(2))
    variance = bread @ (design.T @ (design * squares[:, None])) @ bread
    a, b = map(float, beta)
    even, low, high = (centre + spread * end for end in (-a / b if b else math.nan, *_fieller(a, b, variance, z)))
    return EvenAmount(even, low, high, a - b * centre / spread, b / spread)


def _curve(log_odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -30, 30))), dtype=np.float64)


def _fieller(a: float, b: float, variance: Floats, z: float) -> tuple[float, float]:
    """The x at which a + b x is within z standard errors of 0: an interval, or all numbers where b may be 0."""
    square = b * b - z * z * float(variance[1, 1])
    half = a * b - z * z * float(variance[0, 1])
    constant = a * a - z * z * float(variance[0, 0])
    inside = half * half - square * constant
    if square <= 0 or inside < 0:
        return -math.inf, math.inf
    return (-half - math.sqrt(inside)) / square, (-half + math.sqrt(inside)) / square
