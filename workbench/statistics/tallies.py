"""What was counted in each cell: estimates of every measure, their ranges, and what cells have in common by lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.questions.measures import FAIRNESS, FIRST_SCORE, MEASURES, Estimator, Measure, compared, measure
from workbench.statistics.clusters import (
    CLUSTER,
    UNSHARED,
    Places,
    clusters_of,
    design_effects,
    line_sums,
    lines_played,
    widened,
)
from workbench.statistics.intervals import Floats, Range, bounded_score, bounded_share, mean_interval, wilson
from workbench.statistics.tables import coded, places
from workbench.store.trials import CellName, Trials

FIRST, SECOND, DRAW, UNFINISHED, OTHER = range(5)
RESULTS = {"first": FIRST, "second": SECOND, "draw": DRAW, "unfinished": UNFINISHED}
"""How games end, as numbers."""
COUNTED = [one for one in MEASURES.values() if one.results]
"""The measures that count results."""
OF_NUMBERS = (Estimator.MEAN, Estimator.OCCURRENCE, Estimator.RATIO, Estimator.WEIGHTED_MEAN)
"""How measures are estimated from numbers of each game."""

FEWEST_RESULTS = 3
"""The fewest games whose results are compared: of two games each, one pair in eight is won here and lost there."""

Tally = Mapping[str, Floats]
"""What was counted, an array over cells for each name."""
Pair = tuple[Tally, Tally]
"""Of proposals, and of the baselines that belong to them."""


def tally(
    trials: Trials | pd.DataFrame, cells: Sequence[CellName], stop: int | None = None, also: Iterable[str] = ()
) -> Tally:
    """Sums and means over the first ``stop`` games of each cell (None: over all), an entry for each cell.

    There are ``first``, ``second``, ``draw`` and ``unfinished`` games, and for each measure x of numbers of the games,
    of those that every experiment compares and those of ``also``, its estimate ``x`` with ``x_games``, the games that
    have the number, and ``x_error``, or ``x_count`` of a share. ``lines`` is how many lines the games begin with
    (`lines_played`); where there are some, ``x_inflation`` is the root of the design effect of each measure x.
    """
    return _tally(Trials.of(trials), cells, stop, also)[0]


def pair(
    trials: Trials | pd.DataFrame, cells: Sequence[CellName], stop: int | None = None, also: Iterable[str] = ()
) -> Pair:
    """The tallies of the first half of the ``cells``, proposals, and of the second half, the baseline of each.

    Where games begin with lines, ``x_correlation`` is that of the two estimates of each measure x.
    """
    half = len(cells) // 2
    both, alike = together(trials, cells, stop, also)
    a, b = ({name: each[part] for name, each in both.items()} for part in (slice(half), slice(half, None)))
    correlations = {f"{name}_correlation": np.diag(each[:half, half:]) for name, each in alike.items()}
    return a | correlations, b | correlations


def together(
    trials: Trials | pd.DataFrame, cells: Sequence[CellName], stop: int | None = None, also: Iterable[str] = ()
) -> tuple[Tally, dict[str, Floats]]:
    """The tally of the cells, and for each measure how their estimates are correlated by lines (cells x cells).

    Where games begin with none, nothing is.
    """
    tallied, games = _tally(Trials.of(trials), cells, stop, also)
    return tallied, games.correlations() if games else {}


def _tally(
    trials: Trials, cells: Sequence[CellName], stop: int | None, also: Iterable[str]
) -> tuple[Tally, _Games | None]:
    """The tally, and the games if all were taken together, as those that begin with lines must be."""
    if trials.files and cells and CLUSTER not in trials.games:
        # Of very many games there is no room for arrays of all of them.
        own = {cell: _Games(trials.cell(cell), [cell], stop, also).tally() for cell in dict.fromkeys(cells)}
        return {name: np.concatenate([own[cell][name] for cell in cells]) for name in own[cells[0]]}, None
    games = _Games(trials.games, cells, stop, also)
    return games.tally(), games


class _Games:
    """The games of some cells, as arrays."""

    def __init__(self, trials: pd.DataFrame, cells: Sequence[CellName], stop: int | None, also: Iterable[str]) -> None:
        some = trials if stop is None else trials[trials["game"] < stop]
        self.cells = cells
        self.place = {cell: row for row, cell in enumerate(dict.fromkeys(cells))}
        at = places(some, list(self.place))
        known = at >= 0
        self.at: Places = at[known]
        self.result = coded(some["result"], RESULTS, OTHER).astype(np.int8)[known]
        wanted = map(measure, dict.fromkeys((*compared(), *also)))
        self.measures = [one for one in wanted if one.estimator in OF_NUMBERS and set(one.columns) <= set(some.columns)]
        columns = dict.fromkeys(column for one in self.measures for column in one.columns)
        self.numbers = {column: some[column].to_numpy(dtype=np.float64)[known] for column in columns}
        clusters = clusters_of(some)
        self.clusters = clusters[known] if clusters is not None else None
        self.effects: dict[str, Floats] = {}
        """The design effects of each measure, the largest ones of the ways in which capped games may have ended."""
        self.errors: dict[str, tuple[Floats, Floats]] = {}
        """For each measure what the lines add to the error of its estimate, and its variance without design effects."""

    def _added(self, values: npt.NDArray[Any], some: npt.NDArray[np.bool_] | None = None) -> Floats:
        at = self.at if some is None else self.at[some]
        values = values if some is None else values[some]
        return np.bincount(at, values.astype(np.float64), len(self.place)).astype(np.float64)

    def _ratio(self, values: Floats, per: Floats, some: npt.NDArray[np.bool_] | None = None) -> tuple[Floats, Floats]:
        """Ratios of two sums and their standard errors, which follow from what the games add to both."""
        total = self._added(per, some)
        ratio = self._added(values, some) / total
        return ratio, np.sqrt(self._added((values - ratio[self.at] * per) ** 2, some)) / total

    def _averaged(self, values: Floats, some: npt.NDArray[np.bool_] | None = None) -> tuple[Floats, Floats]:
        """Means and their standard errors."""
        n = self._added(np.ones(len(values)), some)
        mean = self._added(values, some) / n
        return mean, np.sqrt(self._added((values - mean[self.at]) ** 2, some) / (n - 1) / n)

    def _of(self, one: Measure) -> tuple[Floats, npt.NDArray[np.bool_], Floats]:
        """What a measure adds up, the games that have it, and what the sum is divided by."""
        values = self.numbers[one.columns[0]]
        there = ~np.isnan(values)
        if one.estimator is Estimator.OCCURRENCE:
            values = (values > 0).astype(np.float64)
        per = self.numbers[one.columns[1]] if len(one.columns) > 1 else np.ones(len(values))
        if one.estimator is Estimator.WEIGHTED_MEAN:
            values = values * per
        return np.nan_to_num(values), there, per

    def tally(self) -> Tally:
        ends = np.bincount(self.at * (OTHER + 1) + self.result, minlength=len(self.place) * (OTHER + 1))
        ends = ends.reshape(-1, OTHER + 1).astype(np.float64)
        sums: dict[str, Floats] = {word: ends[:, result].astype(np.float64) for word, result in RESULTS.items()}
        games = sums["games"] = ends.sum(axis=1)
        sums["lines"] = np.full(len(games), np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            for one in self.measures:
                values, there, per = self._of(one)
                n = sums[f"{one.name}_games"] = self._added(np.ones(len(there)), there)
                if one.estimator is Estimator.OCCURRENCE:
                    count = sums[f"{one.name}_count"] = self._added(values, there)
                    sums[one.name] = count / n
                elif one.estimator is Estimator.MEAN:
                    sums[one.name], sums[f"{one.name}_error"] = self._averaged(values, there)
                else:
                    sums[one.name], sums[f"{one.name}_error"] = self._ratio(values, per, there)
            if self.clusters is not None:
                sums["lines"] = lines_played(self.clusters, self.at, len(games))
                for name, residuals, scale in self._residuals(sums):
                    effect = design_effects(residuals, self.clusters, self.at, len(games))
                    if name not in self.errors:
                        of_lines = line_sums(residuals, self.clusters, self.at, len(games)) / scale[:, None]
                        squares = self._added(residuals**2) / scale**2 * games / (games - 1)
                        self.errors[name] = of_lines, squares
                    self.effects[name] = np.maximum(effect, self.effects.get(name, 1.0))
                sums |= {f"{name}_inflation": np.sqrt(effect) for name, effect in self.effects.items()}
        return {name: values[[self.place[cell] for cell in self.cells]] for name, values in sums.items()}

    def _residuals(self, sums: Mapping[str, Floats]) -> Iterator[tuple[str, Floats, Floats]]:
        """Each measure, what each game adds to the error of its estimate, and what the sum of it is divided by.

        First as the estimate counts the game; then, where capped games leave a result open, as they may have ended.
        """
        at, games = self.at, sums["games"]
        capped = self.result == UNFINISHED
        points = np.select([self.result == FIRST, self.result == DRAW], [1.0, 0.5], 0.0)
        finished = games - sums["unfinished"]
        score = (sums["first"] + sums["draw"] / 2) / finished
        yield "first_score", np.where(capped, 0.0, points - np.nan_to_num(score)[at]), finished

        def counted(name: str, values: Floats) -> tuple[str, Floats, Floats]:
            return name, values - (self._added(values) / games)[at], games

        if capped.any():
            yield counted("first_score", points)
            yield counted("first_score", points + capped)
        for one in COUNTED:
            values = np.isin(self.result, [RESULTS[word] for word in one.results]).astype(np.float64)
            yield counted(one.name, values)
            if capped.any() and "unfinished" not in one.results:
                yield counted(one.name, values + capped)
        for one in self.measures:
            values, there, per = self._of(one)
            divisor = self._added(per, there)
            ratio = np.nan_to_num(self._added(values, there) / divisor)[at]
            yield one.name, np.where(there, values - ratio * per, 0.0), divisor

    def correlations(self) -> dict[str, Floats]:
        """For each measure how much the estimates of two cells have in common by the lines of both (cells x cells)."""
        if self.clusters is None:
            return {}
        at = [self.place[cell] for cell in self.cells]
        counts = line_sums(np.ones(len(self.clusters)), self.clusters, self.at, len(self.place)) > 0
        lines = counts.sum(axis=1)
        shared = counts.astype(np.float64) @ counts.T
        correlations = {}
        for name, (sums, squares) in self.errors.items():
            with np.errstate(divide="ignore", invalid="ignore"):
                scaled = sums * np.sqrt(lines / (lines - 1) / squares / self.effects[name])[:, None]
            scaled = np.nan_to_num(scaled, posinf=0.0, neginf=0.0)
            most = shared / (shared + UNSHARED)
            alike = np.clip(scaled @ scaled.T, -most, most)
            np.fill_diagonal(alike, 1.0)
            correlations[name] = alike[np.ix_(at, at)]
        return correlations


def score_of(name: str) -> str:
    """The measure, or for fairness the score that it is made of."""
    return FIRST_SCORE if name == FAIRNESS else name


def estimate(tallied: Tally, name: str) -> Floats:
    """The estimate of a measure in each cell of a `tally`; NaN without games."""
    one = measure(name)
    with np.errstate(divide="ignore", invalid="ignore"):
        if one.is_score:
            score = (tallied["first"] + tallied["draw"] / 2) / (tallied["games"] - tallied["unfinished"])
            return score if one.estimator is Estimator.SCORE else np.abs(score - 0.5)
        return _count(tallied, one) / tallied["games"] if one.results else tallied[name]


def _count(tallied: Tally, one: Measure) -> Floats:
    """The games that a measure of results counts."""
    return np.sum([tallied[word] for word in one.results], axis=0)  # type: ignore[no-any-return]


def inflation(tallied: Tally, name: str) -> Floats | float:
    """How many times as large the standard error of a measure is as that of games without lines in common."""
    return tallied.get(f"{score_of(name)}_inflation", 1.0)


def ranges(tallied: Tally, name: str, z: npt.ArrayLike) -> Range:
    """Estimates of a measure, capped games as they might have ended, and ends ``z`` standard errors outside of them.

    For ``fairness`` they are those of the score. Where games begin with lines, the errors allow for it. Of fewer than
    `FEWEST_RESULTS` games a share or a score may be anything.
    """
    w, d, lost, c, n = (tallied[name] for name in ("first", "draw", "second", "unfinished", "games"))
    z = np.asarray(z, dtype=np.float64) * inflation(tallied, name)
    one = measure(name)
    if one.is_score:
        return _of_results(bounded_score(w, d, lost, c, z), n)
    if one.results:
        open_games = 0.0 if "unfinished" in one.results else c
        return _of_results(bounded_share(_count(tallied, one), open_games, n, z), n)
    if f"{name}_count" in tallied:
        count, n = tallied[f"{name}_count"], tallied[f"{name}_games"]
        return _of_results(Range(tallied[name], tallied[name], *wilson(count, n, z)), n)
    if f"{name}_spread_low" in tallied:
        # On the scale of the logarithm an interval grows evenly with the critical value.
        value = tallied[name]
        low, high = (value * tallied[f"{name}_spread_{end}"] ** np.asarray(z) for end in ("low", "high"))
        return Range(value, value, low, np.where(np.asarray(z) > 0, high, value))
    value, games, lines = tallied[name], tallied.get(f"{name}_games", n), tallied.get("lines", np.inf)
    # Lines have widened the critical value already; one alone does not say how much lines differ.
    z = np.where(np.isinf(lines), widened(z, games), z)
    return Range(value, value, *mean_interval(value, tallied[f"{name}_error"], np.where(lines > 1, games, 0.0), z))


def _of_results(found: Range, games: Floats) -> Range:
    few = (games > 0) & (games < FEWEST_RESULTS)
    return found._replace(low=np.where(few, 0.0, found.low), high=np.where(few, 1.0, found.high))


def correlation(a: Tally, name: str) -> Floats | float:
    """That of the proposals' estimates with those of their baselines, by the lines that both played."""
    return a.get(f"{score_of(name)}_correlation", 0.0)


def lines_of(a: Tally, b: Tally) -> Floats | float:
    """The lines that each comparison rests on; infinite where every game is on its own."""
    return np.minimum(a.get("lines", np.inf), b.get("lines", np.inf))


def lasting(a: Tally, b: Tally, name: str) -> Floats:
    """The part of a difference's variance that more games of the same lines would leave: how lines themselves differ.

    With m games of each line and the design effect D, lines make m (D - 1) / ((m - 1) D) of an estimate's variance.

    Source: one-way analysis of variance, S. R. Searle, G. Casella, C. E. McCulloch, "Variance Components", 1992.
    Limits: 0 while games are still to come that begin with other lines.
    """
    if f"{score_of(name)}_inflation" not in a:
        return np.zeros(len(a["games"]))
    variances, within = [], []
    for tallied in (a, b):
        effect = np.asarray(inflation(tallied, name)) ** 2
        games_of_line = tallied["games"] / tallied["lines"]
        ends = ranges(tallied, name, 1.0)
        variance = ((ends.high - ends.low - ends.most + ends.least) / 2) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            part = games_of_line * (effect - 1) / ((games_of_line - 1) * effect)
            within.append(variance * (1 - np.clip(np.nan_to_num(part, nan=0.0, posinf=0.0), 0.0, 1.0)))
        variances.append(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        both = variances[0] + variances[1] - 2 * correlation(a, name) * np.sqrt(variances[0] * variances[1])
        lasting = 1 - (within[0] + within[1]) / both
    return np.where(np.isfinite(a["lines"]) & np.isfinite(b["lines"]), np.clip(np.nan_to_num(lasting), 0.0, 0.999), 0.0)
