"""Tallies of cells: estimates of every measure, their ranges, and the correlations of cells by lines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.experiments.measures import (
    FAIRNESS,
    FIRST_SCORE,
    MEASURES,
    Estimator,
    Measure,
    compared_measures,
    measure_by_name,
)
from workbench.records.trials import CellName, Trials
from workbench.statistics.intervals import (
    CLUSTER,
    UNSHARED_LINES,
    Floats,
    Indices,
    Range,
    Z,
    bounded_score,
    bounded_share,
    clusters_of,
    design_effects,
    line_counts,
    line_sums,
    mean_interval,
    t_from_normal,
    wilson,
)
from workbench.statistics.tables import cell_indices, encode_words

FIRST, SECOND, DRAW, UNFINISHED, OTHER = range(5)
RESULTS = {"first": FIRST, "second": SECOND, "draw": DRAW, "unfinished": UNFINISHED}
"""Results of games, as numbers."""
RESULT_MEASURES = [one for one in MEASURES.values() if one.results]
"""The measures that count results."""
NUMBER_ESTIMATORS = (Estimator.MEAN, Estimator.OCCURRENCE, Estimator.RATIO, Estimator.WEIGHTED_MEAN)
"""Estimators of measures from a number of each game."""

FEWEST_RESULTS = 3
"""The fewest games whose results are compared: of two games each, one pair in eight is won here and lost there."""

Tally = Mapping[str, Floats]
"""Counts, an array over cells for each name."""
TallyPair = tuple[Tally, Tally]
"""The tallies of proposals, and of the baselines that belong to them."""


def tally(trials: Trials | pd.DataFrame, cells: Sequence[CellName]) -> Tally:
    """Sums and means over the games of each cell, an entry for each cell.

    There are ``first``, ``second``, ``draw`` and ``unfinished`` games, and for each measure x of numbers of the games
    that experiments compare its estimate ``x`` with ``x_games``, the games that have the number, and ``x_error``, or
    ``x_count`` of a share. ``lines`` is how many lines the games begin
    with (`line_counts`); where there are some, ``x_inflation`` is the root of the design effect of each measure x.
    """
    return _tally_cells(Trials.of(trials), cells, None, ())[0]


def tally_pairs(
    trials: Trials | pd.DataFrame,
    cells: Sequence[CellName],
    stop: int | None = None,
    extra_measures: Iterable[str] = (),
) -> TallyPair:
    """Return the tallies of the first half of the ``cells``, proposals, and of the second half, the baseline of each.

    Where all games are in memory, ``x_correlation`` is that of the two estimates of each measure x.
    """
    half = len(cells) // 2
    tallied, by_measure = tally_with_correlations(trials, cells, stop, extra_measures)
    a, b = ({name: each[part] for name, each in tallied.items()} for part in (slice(half), slice(half, None)))
    correlations = {f"{name}_correlation": np.diag(each[:half, half:]) for name, each in by_measure.items()}
    return a | correlations, b | correlations


def tally_with_correlations(
    trials: Trials | pd.DataFrame,
    cells: Sequence[CellName],
    stop: int | None = None,
    extra_measures: Iterable[str] = (),
) -> tuple[Tally, dict[str, Floats]]:
    """The tally of the first ``stop`` games of each cell, with ``extra_measures``, and how estimates are correlated.

    Correlations (cells x cells) are by lines, or where games begin with none by their numbers; there are none where not
    all games are in memory.
    """
    tallied, games = _tally_cells(Trials.of(trials), cells, stop, extra_measures)
    return tallied, games.correlations() if games else {}


def _tally_cells(
    trials: Trials, cells: Sequence[CellName], stop: int | None, extra_measures: Iterable[str]
) -> tuple[Tally, _CellGames | None]:
    """Return the tally, and the games if all were taken together, as those that begin with lines must be."""
    if trials.files and cells and CLUSTER not in trials.games:
        # Of very many games there is no room for arrays of all of them.
        one_by_one = (_CellGames(trials.cell(cell), [cell], stop, extra_measures) for cell in dict.fromkeys(cells))
        by_cell = {each.cells[0]: each.tally() for each in one_by_one}
        return {name: np.concatenate([by_cell[cell][name] for cell in cells]) for name in by_cell[cells[0]]}, None
    games = _CellGames(trials.games, cells, stop, extra_measures)
    return games.tally(), games


class _CellGames:
    """The games of some cells, as arrays."""

    def __init__(
        self, trials: pd.DataFrame, cells: Sequence[CellName], stop: int | None, extra_measures: Iterable[str]
    ) -> None:
        selected = trials if stop is None else trials[trials["game"] < stop]
        self.cells = cells
        self.cell_index = {cell: row for row, cell in enumerate(dict.fromkeys(cells))}
        cell_of_game = cell_indices(selected, list(self.cell_index))
        in_cells = cell_of_game >= 0
        self.cell_of_game: Indices = cell_of_game[in_cells]
        self.result = encode_words(selected["result"], RESULTS, OTHER).astype(np.int8)[in_cells]
        asked = [measure_by_name(name) for name in dict.fromkeys((*compared_measures(), *extra_measures))]
        of_numbers = [one for one in asked if one.estimator in NUMBER_ESTIMATORS]
        self.measures = [one for one in of_numbers if set(one.columns) <= set(selected.columns)]
        columns = dict.fromkeys(column for one in self.measures for column in one.columns)
        self.numbers = {column: selected[column].to_numpy(dtype=np.float64)[in_cells] for column in columns}
        clusters = clusters_of(selected)
        self.clusters = clusters[in_cells] if clusters is not None else None
        self.game: Indices = selected["game"].to_numpy(dtype=np.intp)[in_cells]
        self.effects: dict[str, Floats] = {}
        """The design effects of each measure, the largest ones of the ways in which capped games may have ended."""
        self.errors: dict[str, tuple[Floats, Floats]] = {}
        """By measure, the products of line sums of two cells' errors, and its variance without lines."""

    def _cell_sums(self, values: npt.NDArray[Any], selected: npt.NDArray[np.bool_] | None = None) -> Floats:
        at = self.cell_of_game if selected is None else self.cell_of_game[selected]
        values = values if selected is None else values[selected]
        return np.bincount(at, values.astype(np.float64), len(self.cell_index)).astype(np.float64)

    def _cell_ratios(
        self, values: Floats, divisors: Floats, selected: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Floats, Floats]:
        """Ratios of two sums and their standard errors, which follow from what the games add to both."""
        total = self._cell_sums(divisors, selected)
        ratio = self._cell_sums(values, selected) / total
        return ratio, np.sqrt(self._cell_sums((values - ratio[self.cell_of_game] * divisors) ** 2, selected)) / total

    def _cell_means(self, values: Floats, selected: npt.NDArray[np.bool_] | None = None) -> tuple[Floats, Floats]:
        n = self._cell_sums(np.ones(len(values)), selected)
        mean = self._cell_sums(values, selected) / n
        return mean, np.sqrt(self._cell_sums((values - mean[self.cell_of_game]) ** 2, selected) / (n - 1) / n)

    def _sum_and_divisor(self, measure: Measure) -> tuple[Floats, npt.NDArray[np.bool_], Floats]:
        """Return the values that a measure adds up, the games that have it, and the divisors of the sum."""
        values = self.numbers[measure.columns[0]]
        has_value = ~np.isnan(values)
        if measure.estimator is Estimator.OCCURRENCE:
            values = (values > 0).astype(np.float64)
        divisors = self.numbers[measure.columns[1]] if len(measure.columns) > 1 else np.ones(len(values))
        if measure.estimator is Estimator.WEIGHTED_MEAN:
            values = values * divisors
        return np.nan_to_num(values), has_value, divisors

    def tally(self) -> Tally:
        kinds = OTHER + 1
        counts = np.bincount(self.cell_of_game * kinds + self.result, minlength=len(self.cell_index) * kinds)
        result_counts = counts.reshape(-1, kinds).astype(np.float64)
        sums: dict[str, Floats] = {word: result_counts[:, result].copy() for word, result in RESULTS.items()}
        games = sums["games"] = result_counts.sum(axis=1)
        sums["lines"] = np.full(len(games), np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            for measure in self.measures:
                values, has_value, divisors = self._sum_and_divisor(measure)
                n = sums[f"{measure.name}_games"] = self._cell_sums(np.ones(len(has_value)), has_value)
                if measure.estimator is Estimator.OCCURRENCE:
                    count = sums[f"{measure.name}_count"] = self._cell_sums(values, has_value)
                    sums[measure.name] = count / n
                elif measure.estimator is Estimator.MEAN:
                    sums[measure.name], sums[f"{measure.name}_error"] = self._cell_means(values, has_value)
                else:
                    sums[measure.name], sums[f"{measure.name}_error"] = self._cell_ratios(values, divisors, has_value)
            for name, residuals, scale in self._residuals(sums):
                if name not in self.errors:
                    of_lines = line_sums(residuals, self._paired_by, self.cell_of_game, len(games)) / scale[:, None]
                    squares = self._cell_sums(residuals**2) / scale**2 * games / (games - 1)
                    self.errors[name] = of_lines @ of_lines.T, squares
                if self.clusters is not None:
                    effect = design_effects(residuals, self.clusters, self.cell_of_game, len(games))
                    self.effects[name] = np.maximum(effect, self.effects.get(name, 1.0))
            if self.clusters is not None:
                sums["lines"] = line_counts(self.clusters, self.cell_of_game, len(games))
                sums |= {f"{name}_inflation": np.sqrt(effect) for name, effect in self.effects.items()}
        return {name: values[[self.cell_index[cell] for cell in self.cells]] for name, values in sums.items()}

    def _residuals(self, sums: Mapping[str, Floats]) -> Iterator[tuple[str, Floats, Floats]]:
        """Each measure, what each game adds to the error of its estimate, and what the sum of it is divided by.

        First as the estimate counts the game; then, where capped games leave a result open, as they may have ended.
        """
        cell_of_game, games = self.cell_of_game, sums["games"]
        capped = self.result == UNFINISHED
        points = np.select([self.result == FIRST, self.result == DRAW], [1.0, 0.5], 0.0)
        finished = games - sums["unfinished"]
        score = (sums["first"] + sums["draw"] / 2) / finished
        yield "first_score", np.where(capped, 0.0, points - np.nan_to_num(score)[cell_of_game]), finished

        def counted(name: str, values: Floats) -> tuple[str, Floats, Floats]:
            return name, values - (self._cell_sums(values) / games)[cell_of_game], games

        if capped.any():
            yield counted("first_score", points)
            yield counted("first_score", points + capped)
        for measure in RESULT_MEASURES:
            values = np.isin(self.result, [RESULTS[word] for word in measure.results]).astype(np.float64)
            yield counted(measure.name, values)
            if capped.any() and "unfinished" not in measure.results:
                yield counted(measure.name, values + capped)
        for measure in self.measures:
            values, has_value, divisors = self._sum_and_divisor(measure)
            estimate = np.nan_to_num(sums[measure.name])[cell_of_game]
            residuals = np.where(has_value, values - estimate * divisors, 0.0)
            yield measure.name, residuals, self._cell_sums(divisors, has_value)

    @property
    def _paired_by(self) -> Indices:
        """The pairing of games of two rulesets: by their line, or by the random numbers of their number."""
        return self.game if self.clusters is None else self.clusters

    def correlations(self) -> dict[str, Floats]:
        """Return the correlations of the estimates of two cells, for each measure (cells x cells).

        By the lines of both; without lines by the numbers of games, which are the same chance to the same players,
        where it surely is above 0: else it would add an error of its own.
        """
        cell_index = [self.cell_index[cell] for cell in self.cells]
        line_played = line_sums(np.ones(len(self.game)), self._paired_by, self.cell_of_game, len(self.cell_index)) > 0
        lines = line_played.sum(axis=1)
        shared = line_played.astype(np.float64) @ line_played.T
        if self.clusters is None:
            pairings = list(dict.fromkeys(cell[1:] for cell in self.cell_index))
            pairing = np.array([pairings.index(cell[1:]) for cell in self.cell_index])
            shared *= pairing[:, None] == pairing[None, :]
        correlations = {}
        for name, (products, squares) in self.errors.items():
            with np.errstate(divide="ignore", invalid="ignore"):
                scale = np.sqrt(lines / (lines - 1) / squares / self.effects.get(name, 1.0))
                scaled = products * scale[:, None] * scale[None, :]
            bound = shared / (shared + UNSHARED_LINES)
            correlation = np.clip(np.nan_to_num(scaled, posinf=0.0, neginf=0.0), -bound, bound)
            if self.clusters is None:
                correlation = np.where(correlation * np.sqrt(shared) > Z, correlation, 0.0)
            np.fill_diagonal(correlation, 1.0)
            correlations[name] = correlation[np.ix_(cell_index, cell_index)]
        return correlations


def score_behind(name: str) -> str:
    """Return the measure, or for fairness the score that it is made of."""
    return FIRST_SCORE if name == FAIRNESS else name


def measure_estimate(tally: Tally, name: str) -> Floats:
    """Return the estimate of a measure in each cell of a `tally`; NaN without games."""
    one = measure_by_name(name)
    with np.errstate(divide="ignore", invalid="ignore"):
        if one.is_score:
            score = (tally["first"] + tally["draw"] / 2) / (tally["games"] - tally["unfinished"])
            return score if one.estimator is Estimator.SCORE else np.abs(score - 0.5)
        return _count_results(tally, one) / tally["games"] if one.results else tally[name]


def _count_results(tally: Tally, measure: Measure) -> Floats:
    return np.sum([tally[word] for word in measure.results], axis=0)  # type: ignore[no-any-return]


def error_inflation(tally: Tally, name: str) -> Floats | float:
    """Return the ratio of the standard error of a measure to that of games without lines in common."""
    return tally.get(f"{score_behind(name)}_inflation", 1.0)


def measure_ranges(tally: Tally, name: str, z: npt.ArrayLike) -> Range:
    """Estimate of a measure, capped games as they might have ended, and ends ``z`` standard errors outside of them.

    For ``fairness`` they are those of the score. Where games begin with lines, the errors allow for it. Of fewer than
    `FEWEST_RESULTS` games a share or a score may be anything.
    """
    w, d, lost, c, n = (tally[name] for name in ("first", "draw", "second", "unfinished", "games"))
    z = np.asarray(z, dtype=np.float64) * error_inflation(tally, name)
    one = measure_by_name(name)
    if one.is_score:
        return _widen_few(bounded_score(w, d, lost, c, z), n)
    if one.results:
        open_games = 0.0 if "unfinished" in one.results else c
        return _widen_few(bounded_share(_count_results(tally, one), open_games, n, z), n)
    if f"{name}_count" in tally:
        count, n = tally[f"{name}_count"], tally[f"{name}_games"]
        return _widen_few(Range(tally[name], tally[name], *wilson(count, n, z)), n)
    if f"{name}_spread_low" in tally:
        # On the scale of the logarithm an interval grows evenly with the critical value.
        value = tally[name]
        low, high = (value * tally[f"{name}_spread_{end}"] ** np.asarray(z) for end in ("low", "high"))
        return Range(value, value, low, np.where(np.asarray(z) > 0, high, value))
    value, games, lines = tally[name], tally.get(f"{name}_games", n), tally.get("lines", np.inf)
    # Lines have widened the critical value already; one alone does not say how much lines differ.
    z = np.where(np.isinf(lines), t_from_normal(z, games), z)
    counted_games, least = np.where(lines > 1, games, 0.0), -math.inf if one.of_games else 0.0
    return Range(value, value, *mean_interval(value, tally[f"{name}_error"], counted_games, z, least))


def _widen_few(measure_range: Range, games: Floats) -> Range:
    few = (games > 0) & (games < FEWEST_RESULTS)
    low, high = np.where(few, 0.0, measure_range.low), np.where(few, 1.0, measure_range.high)
    return measure_range._replace(low=low, high=high)


def estimate_correlation(a: Tally, name: str) -> Floats | float:
    """Return the correlation of the proposals' estimates with their baselines', by the lines that both played."""
    return a.get(f"{score_behind(name)}_correlation", 0.0)


def fewest_lines(a: Tally, b: Tally) -> Floats | float:
    """Return the lines that each comparison rests on; infinite where every game is on its own."""
    return np.minimum(a.get("lines", np.inf), b.get("lines", np.inf))


def lasting_share(a: Tally, b: Tally, name: str) -> Floats:
    """The part of a difference's variance that more games of the same lines would leave: how lines themselves differ.

    With m games of each line and the design effect D, lines make m (D - 1) / ((m - 1) D) of an estimate's variance.

    Source: one-way analysis of variance, S. R. Searle, G. Casella, C. E. McCulloch, "Variance Components", 1992.
    Limits: 0 while games are still to come that begin with other lines.
    """
    if f"{score_behind(name)}_inflation" not in a:
        return np.zeros(len(a["games"]))
    variances, within = [], []
    for tally in (a, b):
        effect = np.asarray(error_inflation(tally, name)) ** 2
        games_of_line = tally["games"] / tally["lines"]
        ends = measure_ranges(tally, name, 1.0)
        variance = ((ends.high - ends.low - ends.most + ends.least) / 2) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            part = games_of_line * (effect - 1) / ((games_of_line - 1) * effect)
            within.append(variance * (1 - np.clip(np.nan_to_num(part, nan=0.0, posinf=0.0), 0.0, 1.0)))
        variances.append(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = variances[0] + variances[1] - 2 * estimate_correlation(a, name) * np.sqrt(variances[0] * variances[1])
        share = 1 - (within[0] + within[1]) / total
    return np.where(np.isfinite(a["lines"]) & np.isfinite(b["lines"]), np.clip(np.nan_to_num(share), 0.0, 0.999), 0.0)
