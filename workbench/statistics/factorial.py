"""Experiments that vary several toggles: what each does, and what two of them do together."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtr

from workbench.experiments.measures import Estimator
from workbench.statistics.intervals import Floats, Z, holm, normal_from_t, t_from_normal
from workbench.statistics.plan import AnalysisPlan
from workbench.statistics.tallies import (
    Tally,
    error_inflation,
    measure_estimate,
    measure_ranges,
    score_behind,
    tally_with_correlations,
)

EFFECT_MEASURES = ("first_score", "draw_rate", "plies_mean")
"""What effects are estimated of in every experiment, besides what it asks."""
TOLERANCE = 1e-8

_PAIR = ["factor", "level", "factor2", "level2"]
EFFECT_COLUMNS = [
    "first", "second", "measure", "kind", "factor", "level", "reference", "factor2", "level2", "reference2", "effect",
    "low", "high", "p", "p_holm", "games",
]  # fmt: skip
MEAN_COLUMNS = ["first", "second", "measure", *_PAIR, "mean", "low", "high"]

Point = tuple[str, ...]
"""A level of each factor."""
Factors = Mapping[str, Sequence[str]]


def factorial_effects(trials: pd.DataFrame, plan: AnalysisPlan) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The effects of the varied factors, and the means that they follow from, per pairing and measure.

    The model says that a game's number (the first seat's score; whether it is a draw; its plies up to the cap) is a sum
    of what each factor's level and each two levels of two factors add. Its means at the points of the full grid of
    levels are averaged with equal weights:

    * ``main``: mean at ``level`` less mean at ``reference`` (the first level), over all levels of the other factors;
    * ``interaction``: by how much the effect of ``level`` is larger at ``level2`` than at ``reference2``.

    ``p_holm`` is corrected over all effects, of all pairings and measures; random players beside others are a
    yardstick and have none (`AnalysisPlan.yardsticks`). The measure that the experiment asks about comes first, if it
    is a number of each game, as openings and the ratio of legal moves to plies are not. Means of one level have
    ``factor2`` = "". Where a design cannot tell an effect from others, as fractional ones may not, there is no
    row for it; if it cannot tell the main effects from interactions, the model leaves out all interactions.

    Source: Holm 1979; linear probability model by least squares over all games. An effect is then a weighted sum of the
    means of the rulesets, each with its own variance: B. L. Welch, Biometrika 34, 1947; with what lines give them in
    common: `workbench.statistics.intervals`. Effects are differences in points, not ratios of odds: J. D. Angrist,
    J.-S. Pischke, "Mostly Harmless Econometrics", 2009, section 3.4.
    Limits: higher interactions are taken to be none, which is only so if the design is far from 0 and 1. Capped games
    have no score and are left out of it; where many are, read the bounds of the cells. An effect has no interval, and
    no verdict, where the mean of one of its rulesets has none (`mean_interval`).
    """
    points = {
        name: tuple(levels[factor] for factor in plan.experiment.factors)
        for name, levels in plan.experiment.levels.items()
        if plan.experiment.factors and all(factor in levels for factor in plan.experiment.factors)
    }
    effects: list[list[object]] = []
    means: list[list[object]] = []
    for first, second in plan.pairings if len(points) > 1 else []:
        games = trials[(trials["first"] == first) & (trials["second"] == second)]
        games = games[games["ruleset"].isin(list(points))]
        for measure in effect_measures(plan):
            fit = _LinearModel.from_games(games, (first, second), measure, points, plan)
            if fit is not None:
                effects += _effects(fit, plan, [first, second, measure])
                means += [[first, second, measure, *row] for row in fit.marginal_means()]
    table = pd.DataFrame(effects, columns=EFFECT_COLUMNS)
    tested = [pair not in plan.yardsticks for pair in zip(table["first"], table["second"], strict=True)]
    if any(tested):
        table.loc[tested, "p_holm"] = holm(table.loc[tested, "p"])
    return table, pd.DataFrame(means, columns=MEAN_COLUMNS)


def effect_measures(plan: AnalysisPlan) -> list[str]:
    """What effects are estimated of, what the experiment asks about first."""
    question_measure = plan.question_measure
    name = score_behind(question_measure.name)
    ratios = (Estimator.RATIO, Estimator.WEIGHTED_MEAN, Estimator.OPENINGS)
    return list(dict.fromkeys(EFFECT_MEASURES if question_measure.estimator in ratios else [name, *EFFECT_MEASURES]))


def _effects(fit: _LinearModel, plan: AnalysisPlan, names: list[object]) -> list[list[object]]:
    z = float(t_from_normal(plan.critical(fit.games), fit.lines))
    rows: list[list[object]] = []
    for kind, words, contrast in fit.contrasts():
        value, error = fit.value(contrast)
        if not math.isnan(value):
            p = float(2 * ndtr(-normal_from_t(abs(value) / error, fit.lines)))
            rows.append([*names, kind, *words, value, value - z * error, value + z * error, p, math.nan, fit.games])
    return rows


class _LinearModel:
    """A linear model of a game's number: a weight for each level, and for each two levels of two factors."""

    def __init__(
        self, tally: Tally, measure: str, correlations: Floats, points: Sequence[Point], factors: Factors,
        has_interactions: bool,
    ) -> None:  # fmt: skip
        """Fits the means of a measure, and their correlations, in cells that were played at these points."""
        design = np.array([_design_row(spot, factors, has_interactions) for spot in points])
        self.correlations = correlations
        self.factors = factors
        self.has_interactions = has_interactions
        games = tally.get(f"{measure}_games", tally["games"])
        self.games = int(games.sum())
        # Without lines the quantiles are those of all games but one for each mean.
        self.lines = min(float(tally["lines"].min()), max(self.games - len(games), 1) + 1.0)
        self.means, self.errors = _means_and_errors(tally, measure, games)
        # Columns that the points cannot tell apart would make the regressors collinear: orthonormal combinations of
        # them, as many as can be told apart, stand for them.
        _, sizes, combinations = np.linalg.svd(design, full_matrices=False)
        self.basis: Floats = combinations[sizes > TOLERANCE * sizes[0]].T
        regressors = design @ self.basis
        weighted = regressors.T * games
        self.cell_weights: Floats = self.basis @ np.linalg.solve(weighted @ regressors, weighted)
        """What the mean of each cell counts for each coefficient, by least squares over all games."""

    @classmethod
    def from_games(
        cls, games: pd.DataFrame, pairing: tuple[str, str], measure: str, points: dict[str, Point], plan: AnalysisPlan
    ) -> _LinearModel | None:
        """The model of the games of a pairing, or None if there is nothing to tell apart."""
        asked = plan.question_measure
        question_measure = asked if asked.columns and asked.name == measure else None
        if measure == "first_score":
            games = games[games["result"] != "unfinished"]
        elif question_measure:
            games = games[games[question_measure.columns[0]].notna()]
        names = sorted(games["ruleset"].astype(str).unique())
        if len(names) < 2:
            return None
        extra_measures = (question_measure.name,) if question_measure else ()
        cells = [(name, *pairing) for name in names]
        tally, correlations = tally_with_correlations(games, cells, extra_measures=extra_measures)
        if measure != "capped_rate":
            # A game that was stopped is none of those that a share counts.
            tally = {**tally, "unfinished": np.zeros(len(names))}
        values = measure_estimate(tally, measure)
        spread = tally.get(f"{measure}_error", values * (1 - values))
        if (values == values[0]).all() and not spread.any():
            return None
        factors: Factors = {name: levels for name, levels in plan.experiment.factors.items() if len(levels) > 1}
        factor_names = list(plan.experiment.factors)
        cell_points = [tuple(points[name][factor_names.index(factor)] for factor in factors) for name in names]
        fit, correlation = None, correlations.get(measure, np.eye(len(names)))
        for has_interactions in (True, False):
            fit = cls(tally, measure, correlation, cell_points, factors, has_interactions)
            if all(fit.is_estimable(contrast) for kind, _, contrast in fit.contrasts() if kind == "main"):
                break
        return fit

    def is_estimable(self, contrast: Floats) -> bool:
        """Whether the design can tell this combination of coefficients from others."""
        projection = contrast @ self.basis @ self.basis.T
        return bool(np.abs(contrast - projection).max() < TOLERANCE * max(1.0, np.abs(contrast).max()))

    def value(self, contrast: Floats) -> tuple[float, float]:
        """A combination of coefficients and its standard error, infinite where games do not tell it.

        Both are NaN if the design cannot tell the combination.
        """
        if not self.is_estimable(contrast):
            return math.nan, math.nan
        counts = contrast @ self.cell_weights
        counts[np.abs(counts) < TOLERANCE] = 0.0
        told = counts != 0
        parts = counts[told] * self.errors[told]
        variance = parts @ self.correlations[np.ix_(told, told)] @ parts if np.isfinite(parts).all() else math.inf
        return float(counts @ self.means), math.sqrt(variance)

    def mean_weights(self, levels: Mapping[str, str]) -> Floats:
        """The coefficients' weights in the mean over the grid where the given factors have these levels."""
        grid = itertools.product(*([levels[name]] if name in levels else all for name, all in self.factors.items()))
        weights: Floats = np.mean([_design_row(point, self.factors, self.has_interactions) for point in grid], axis=0)
        return weights

    def contrasts(self) -> list[tuple[str, list[object], Floats]]:
        """Kind, words (factor, level, reference, the same of a second one) and weights of every effect."""
        contrasts: list[tuple[str, list[object], Floats]] = []
        mean = self.mean_weights
        for name, levels in self.factors.items():
            for level in levels[1:]:
                words: list[object] = [name, level, levels[0], "", "", ""]
                contrasts.append(("main", words, mean({name: level}) - mean({name: levels[0]})))
        pairs = itertools.combinations(self.factors.items(), 2) if self.has_interactions else ()
        for (factor, (reference, *levels)), (factor2, (reference2, *levels2)) in pairs:
            for a, b in itertools.product(levels, levels2):
                at_level = mean({factor: a, factor2: b}) - mean({factor: reference, factor2: b})
                at_reference = mean({factor: a, factor2: reference2}) - mean({factor: reference, factor2: reference2})
                words = [factor, a, reference, factor2, b, reference2]
                contrasts.append(("interaction", words, at_level - at_reference))
        return contrasts

    def marginal_means(self) -> list[list[object]]:
        """The mean at each level and at each two levels of two factors, with intervals."""
        spots: list[dict[str, str]] = [{name: level} for name, levels in self.factors.items() for level in levels]
        if self.has_interactions:
            for (factor, levels), (factor2, levels2) in itertools.combinations(self.factors.items(), 2):
                spots += [{factor: a, factor2: b} for a, b in itertools.product(levels, levels2)]
        rows: list[list[object]] = []
        for level_of_factor in spots:
            value, error = self.value(self.mean_weights(level_of_factor))
            if not math.isnan(value):
                words = [word for pair in level_of_factor.items() for word in pair]
                half_width = float(t_from_normal(Z, self.lines)) * error
                rows.append([*words, *[""] * (4 - len(words)), value, value - half_width, value + half_width])
        return rows


def _means_and_errors(tally: Tally, measure: str, games: Floats) -> tuple[Floats, Floats]:
    """The mean of a measure in each cell, and its standard error.

    That of a share, or of a score, is made with one more game of either kind, so that what never happened is not taken
    to be impossible. That of other means is infinite where games do not tell it (`mean_interval`).
    """
    means = measure_estimate(tally, measure)
    if f"{measure}_error" in tally:
        ends = measure_ranges(tally, measure, 1.0)
        return means, ends.high - means
    draws = tally["draw"] if measure == "first_score" else 0.0
    squares = games * means * (1 - means) - draws / 4
    errors = np.sqrt((squares + means**2 + (1 - means) ** 2) / (games * (games + 1)))
    return means, np.asarray(errors * error_inflation(tally, measure))


def _design_row(point: Point, factors: Factors, has_interactions: bool) -> Floats:
    """The design's row for a point: 1, a column for each level but the first, and products of two factors' columns."""
    columns = [
        [float(level == played_level) for level in levels[1:]]
        for played_level, levels in zip(point, factors.values(), strict=True)
    ]
    row = [1.0, *itertools.chain.from_iterable(columns)]
    if has_interactions:
        row += [a * b for one, two in itertools.combinations(columns, 2) for a, b in itertools.product(one, two)]
    return np.array(row)
