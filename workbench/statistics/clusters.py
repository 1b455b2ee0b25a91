"""Games that begin with the same line: what they are worth together, and what two rulesets have in common by them.

Lines that were drawn are a sample of all lines, and each is a cluster: two games of one line resemble each other more
than two games of different ones. An interval allows for it by the design effect of its number, the factor by which the
cluster-robust variance exceeds that of independent games: its ends lie √(design effect) times as far from the estimate,
as if there were so many fewer games. The critical value is that of Student's t with one degree of freedom less than
there are lines. Two rulesets that share lines are compared line by line: what a line does under both cancels, by the
correlation of the two estimates.

Lines that were given are the question itself and no sample: an interval is one of these lines. Every line is played as
often as the others, and independent games of a mixture vary no less than games with fixed shares of it; so nothing is
done about them here, and intervals are a little too wide.

Source: the variance, with the factor G / (G - 1) for G lines and t with G - 1 degrees of freedom, K.-Y. Liang, S. L.
Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73, 1986; A. C. Cameron, D. L. Miller,
"A practitioner's guide to cluster-robust inference", J. of Human Resources 50, 2015. Intervals of shares with as many
fewer games: E. L. Korn, B. I. Graubard, "Confidence intervals for proportions with small expected number of positive
counts estimated from survey data", Survey Methodology 24, 1998. Given lines: W. G. Cochran, "Sampling Techniques",
1977, section 5.6.
That correlation is itself an estimate, and of a few lines, or of lines from which both happened to do the same, it
would be 1: the difference would be certain. So it is never larger than if both did the same from all lines, and had
nothing in common from `UNSHARED_LINES` further ones (as many as A. Agresti, B. A. Coull, "Approximate is better than
exact for interval estimation of binomial proportions", The American Statistician 52, 1998, add).
Limits: twenty lines or more. A design effect below 1 is chance, and taken to be 1. Where all games ended alike nobody
knows how alike lines are: each line then counts as one game.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.statistics.intervals import Floats, mean_interval

CLUSTER = "cluster"
"""The column of the number of a game's line, equal for all rulesets that share the line."""
UNSHARED_LINES = 4
"""Lines on which two rulesets have nothing in common, which are added to those of both: the square of 1.96."""
Indices = npt.NDArray[np.intp]


def clusters_of(trials: pd.DataFrame) -> Indices | None:
    """The cluster of each game; None where every game is on its own."""
    return trials[CLUSTER].to_numpy(dtype=np.intp) if CLUSTER in trials else None


def line_sums(residuals: Floats, clusters: Indices, cell_of_game: Indices, cells: int) -> Floats:
    """The sum over the games of each line in each cell (cells x clusters), by the cell of each game."""
    line_count = int(clusters.max(initial=-1)) + 1
    sums = np.bincount(cell_of_game * line_count + clusters, residuals, cells * line_count).astype(np.float64)
    return sums.reshape(cells, line_count)


def line_counts(clusters: Indices, cell_of_game: Indices, cells: int) -> Floats:
    """The lines of each cell, of which some have several games; infinite where each game has a line of its own."""
    counts = line_sums(np.ones(len(clusters)), clusters, cell_of_game, cells)
    lines = (counts > 0).sum(axis=1).astype(np.float64)
    return np.where(lines < counts.sum(axis=1), lines, np.inf)


def design_effects(residuals: Floats, clusters: Indices, cell_of_game: Indices, cells: int) -> Floats:
    """By what the variance of each cell's sum of ``residuals``, whose mean is 0, exceeds that of independent games.

    It is Σ (sum of a line)² G / (G - 1) over Σ residual² n / (n - 1), for n games of G lines, and at least 1.
    """
    sums = line_sums(residuals, clusters, cell_of_game, cells)
    n = np.bincount(cell_of_game, minlength=cells).astype(np.float64)
    lines = (line_sums(np.ones(len(clusters)), clusters, cell_of_game, cells) > 0).sum(axis=1)
    squares = np.bincount(cell_of_game, residuals**2, cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        robust = (sums**2).sum(axis=1) * lines / (lines - 1)
        effect = robust / (squares * n / (n - 1))
    games_per_line = np.divide(n, lines, out=np.ones(cells), where=lines > 0)
    estimable = (squares > 1e-12 * n) & (lines > 1) & (lines < n)
    return np.asarray(
        np.where(estimable, np.clip(np.nan_to_num(effect, nan=1.0), 1.0, n), games_per_line), dtype=np.float64
    )


def t_from_normal(z: npt.ArrayLike, lines: npt.ArrayLike) -> Floats:
    """The quantile of Student's t, with one degree of freedom less than lines, at the level of the normal ``z``.

    Source: D. L. Wallace, "Bounds on normal approximations to Student's and the chi-square distributions", Annals of
    Mathematical Statistics 30, 1959, solved for t: within 0.1 % from 10 lines on, and easily turned round.
    """
    z, lines = np.asarray(z, dtype=np.float64), np.asarray(lines, dtype=np.float64)
    df = np.where(np.isinf(lines), 1.0, np.maximum(lines - 1, 1.0))
    with np.errstate(over="ignore"):
        t = np.sqrt(df * np.expm1((z * (8 * df + 3) / (8 * df + 1)) ** 2 / df))
    return np.where(np.isinf(lines), z, np.copysign(t, z))


def normal_from_t(t: npt.ArrayLike, lines: npt.ArrayLike) -> Floats:
    """The normal quantile at the level of a quantile of Student's t; turns `t_from_normal` round."""
    t, lines = np.asarray(t, dtype=np.float64), np.asarray(lines, dtype=np.float64)
    df = np.where(np.isinf(lines), 1.0, np.maximum(lines - 1, 1.0))
    z = np.sqrt(df * np.log1p(t * t / df)) * (8 * df + 1) / (8 * df + 3)
    return np.where(np.isinf(lines), t, np.copysign(z, t))


@dataclass(frozen=True)
class ClusterWidths:
    """How far the ends of the intervals of one cell lie from its estimates, in standard errors of independent games."""

    z: float
    clusters: Indices | None = None

    def subset(self, selected: npt.NDArray[np.bool_]) -> ClusterWidths:
        """Those of a number that some of the games alone have."""
        if selected.all():
            return self
        return ClusterWidths(self.z, None if self.clusters is None else self.clusters[selected])

    @cached_property
    def lines(self) -> float:
        """See `line_counts`."""
        if self.clusters is None or not len(self.clusters):
            return math.inf
        return float(line_counts(self.clusters, np.zeros(len(self.clusters), np.intp), 1)[0])

    @property
    def critical(self) -> float:
        """The critical value of the cell's intervals."""
        return float(t_from_normal(self.z, self.lines))

    def inflation(self, *values: Floats) -> float:
        """The root of the design effect of the mean of a number, the largest one of several."""
        if self.clusters is None or not len(self.clusters):
            return 1.0
        return float(self.inflations(np.stack(values)).max())

    def inflations(self, values: Floats) -> Floats:
        """The inflation of each number, a row of ``values``: numbers x games."""
        if self.clusters is None or not values.size:
            return np.ones(len(values))
        numbers = np.repeat(np.arange(len(values)), len(self.clusters))
        residuals = values - values.mean(axis=1, keepdims=True)
        clusters = np.tile(self.clusters, len(values))
        return np.sqrt(design_effects(residuals.ravel(), clusters, numbers, len(values)))

    def critical_for(self, *values: Floats) -> float:
        """The critical value times the inflation."""
        return float(self.criticals(np.stack(values)).max())

    def criticals(self, values: Floats) -> Floats:
        """The critical value times the inflation of each number, a row of ``values``: numbers x games."""
        return self.critical * self.inflations(values)

    def interval_of_mean(self, mean: float, error: float, values: Floats) -> tuple[float, float]:
        """The interval of a mean, or of a ratio to which the games add ``values``, with its error for single games."""
        low, high = self.intervals_of_means(np.array([mean]), np.array([error]), values[None])
        return float(low[0]), float(high[0])

    def intervals_of_means(self, means: Floats, errors: Floats, values: Floats) -> tuple[Floats, Floats]:
        """The intervals of several means (see `interval_of_mean`), from ``values``: means x games."""
        n = values.shape[1]
        z = t_from_normal(self.z, min(self.lines, n)) * self.inflations(values)
        # One line does not say how much lines differ.
        return mean_interval(means, errors, n if self.lines > 1 else 0, z)


def lines_and_inflation(cells: pd.DataFrame, name: str) -> tuple[Floats, Floats]:
    """For each row of a table of cells the lines (see `line_counts`), and the inflation of a number in the row."""
    if "lines" not in cells:
        return np.full(len(cells), np.inf), np.ones(len(cells))
    lines, games = (cells[column].to_numpy(dtype=np.float64) for column in ("lines", "games"))
    return np.where(lines < games, lines, np.inf), np.sqrt(cells[f"{name}_design_effect"].to_numpy(dtype=np.float64))
