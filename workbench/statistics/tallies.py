"""What was counted in each cell: estimates of every measure, their ranges, and what cells have in common by lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.questions.primary import question
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

COUNTED = {
    "first_win_rate": "first",
    "second_win_rate": "second",
    "draw_rate": "draw",
    "capped_rate": "unfinished",
    "decisive_rate": "decided",
}
FIRST, SECOND, DRAW, UNFINISHED, OTHER = range(5)
RESULTS = {"first": FIRST, "second": SECOND, "draw": DRAW, "unfinished": UNFINISHED}
"""How games end, as numbers."""
WORDS = {"first": [FIRST], "second": [SECOND], "draw": [DRAW], "unfinished": [UNFINISHED], "decided": [FIRST, SECOND]}
"""The results that each of them counts."""

FEWEST_RESULTS = 3
"""The fewest games whose results are compared: of two games each, one pair in eight is won here and lost there."""

Tally = Mapping[str, Floats]
"""What was counted, an array over cells for each name."""
Pair = tuple[Tally, Tally]
"""Of proposals, and of the baselines that belong to them."""


def tally(trials: Trials | pd.DataFrame, cells: Sequence[CellName], stop: int | None = None, event: str = "") -> Tally:
    """Sums and means over the first ``stop`` games of each cell (None: over all), an entry for each cell.

    ``event`` is the measure of an event, if one is asked for: its mean or its ratio to another with its error, or the
    games in which it happened and those of the families that count it. ``lines`` is how many lines the games begin with
    (`lines_played`); where there are some, ``x_inflation`` is the root of the design effect of each measure x.
    """
    return _tally(Trials.of(trials), cells, stop, event)[0]


def pair(trials: Trials | pd.DataFrame, cells: Sequence[CellName], stop: int | None = None, event: str = "") -> Pair:
    """The tallies of the first half of the ``cells``, proposals, and of the second half, the baseline of each.

    Where games begin with lines, ``x_correlation`` is that of the two estimates of each measure x.
    """
    half = len(cells) // 2
    both, alike = together(trials, cells, stop, event)
    a, b = ({name: each[part] for name, each in both.items()} for part in (slice(half), slice(half, None)))
    correlations = {f"{measure}_correlation": np.diag(each[:half, half:]) for measure, each in alike.items()}
    return a | correlations, b | correlations


def together(
    trials: Trials | pd.DataFrame, cells: Sequence[CellName], stop: int | None = None, event: str = ""
) -> tuple[Tally, dict[str, Floats]]:
    """The tally of the cells, and for each measure how their estimates are correlated by lines (cells x cells).

    Where games begin with none, nothing is.
    """
    tallied, games = _tally(Trials.of(trials), cells, stop, event)
    return tallied, games.correlations() if games else {}


def _tally(trials: Trials, cells: Sequence[CellName], stop: int | None, event: str) -> tuple[Tally, _Games | None]:
    """The tally, and the games if all were taken together, as those that begin with lines must be."""
    if trials.files and cells and CLUSTER not in trials.games:
        # Of very many games there is no room for arrays of all of them.
        own = {cell: _Games(trials.cell(cell), [cell], stop, event).tally() for cell in dict.fromkeys(cells)}
        return {name: np.concatenate([own[cell][name] for cell in cells]) for name in own[cells[0]]}, None
    games = _Games(trials.games, cells, stop, event)
    return games.tally(), games


class _Games:
    """The games of some cells, as arrays."""

    def __init__(self, trials: pd.DataFrame, cells: Sequence[CellName], stop: int | None, event: str) -> None:
        some = trials if stop is None else trials[trials["game"] < stop]
        self.cells = cells
        self.place = {cell: row for row, cell in enumerate(dict.fromkeys(cells))}
        at = places(some, list(self.place))
        known = at >= 0
        self.at: Places = at[known]
        self.result = coded(some["result"], RESULTS, OTHER).astype(np.int8)[known]
        self.plies = some["plies"].to_numpy(dtype=np.float64)[known]
        self.moves = some["legal_moves"].to_numpy(dtype=np.float64)[known] * self.plies
        self.asked = question(event) if event else None
        self.counts = some[self.asked.columns[0]].to_numpy(dtype=np.float64)[known] if self.asked else None
        self.per: Floats | None = None
        """What the event that is asked for is counted for each of."""
        if self.asked and self.asked.per:
            per = self.asked.columns[1] if len(self.asked.columns) > 1 else "plies"
            self.per = some[per].to_numpy(dtype=np.float64)[known]
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

    def tally(self) -> Tally:
        ends = np.bincount(self.at * (OTHER + 1) + self.result, minlength=len(self.place) * (OTHER + 1))
        ends = ends.reshape(-1, OTHER + 1).astype(np.float64)
        sums = {word: ends[:, results].sum(axis=1) for word, results in WORDS.items()}
        games = sums["games"] = ends.sum(axis=1)
        sums["lines"] = np.full(len(games), np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            sums["plies_mean"], sums["plies_mean_error"] = self._averaged(self.plies)
            sums["legal_moves"], sums["legal_moves_error"] = self._ratio(self.moves, self.plies)
            if self.asked and self.counts is not None:
                event, there = self.asked.name, ~np.isnan(self.counts)
                n = sums[f"{event}_games"] = self._added(np.ones(len(there)), there)
                if self.asked.is_share:
                    count = sums[f"{event}_count"] = self._added(self.counts > 0, there)
                    sums[event] = count / n
                elif self.per is not None:
                    sums[event], sums[f"{event}_error"] = self._ratio(self.counts, self.per, there)
                else:
                    sums[event], sums[f"{event}_error"] = self._averaged(self.counts, there)
            if self.clusters is not None:
                sums["lines"] = lines_played(self.clusters, self.at, len(games))
                for measure, residuals, scale in self._residuals(sums):
                    effect = design_effects(residuals, self.clusters, self.at, len(games))
                    if measure not in self.errors:
                        of_lines = line_sums(residuals, self.clusters, self.at, len(games)) / scale[:, None]
                        squares = self._added(residuals**2) / scale**2 * games / (games - 1)
                        self.errors[measure] = of_lines, squares
                    self.effects[measure] = np.maximum(effect, self.effects.get(measure, 1.0))
                sums |= {f"{measure}_inflation": np.sqrt(effect) for measure, effect in self.effects.items()}
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

        def counted(measure: str, values: Floats) -> tuple[str, Floats, Floats]:
            return measure, values - (self._added(values) / games)[at], games

        if capped.any():
            yield counted("first_score", points)
            yield counted("first_score", points + capped)
        for measure, word in COUNTED.items():
            values = np.isin(self.result, WORDS[word]).astype(np.float64)
            yield counted(measure, values)
            if capped.any() and word != "unfinished":
                yield counted(measure, values + capped)
        yield counted("plies_mean", self.plies)
        yield "legal_moves", self.moves - sums["legal_moves"][at] * self.plies, self._added(self.plies)
        if self.asked and self.counts is not None:
            there = ~np.isnan(self.counts)
            if self.per is not None:
                ratio = np.nan_to_num(sums[self.asked.name])[at]
                yield (
                    self.asked.name,
                    np.where(there, self.counts - ratio * self.per, 0.0),
                    self._added(self.per, there),
                )
                return
            values = (self.counts > 0).astype(np.float64) if self.asked.is_share else np.nan_to_num(self.counts)
            n = self._added(np.ones(len(there)), there)
            mean = self._added(values, there) / n
            yield self.asked.name, np.where(there, values - np.nan_to_num(mean)[at], 0.0), n

    def correlations(self) -> dict[str, Floats]:
        """For each measure how much the estimates of two cells have in common by the lines of both (cells x cells)."""
        if self.clusters is None:
            return {}
        at = [self.place[cell] for cell in self.cells]
        counts = line_sums(np.ones(len(self.clusters)), self.clusters, self.at, len(self.place)) > 0
        lines = counts.sum(axis=1)
        shared = counts.astype(np.float64) @ counts.T
        correlations = {}
        for measure, (sums, squares) in self.errors.items():
            with np.errstate(divide="ignore", invalid="ignore"):
                scaled = sums * np.sqrt(lines / (lines - 1) / squares / self.effects[measure])[:, None]
            scaled = np.nan_to_num(scaled, posinf=0.0, neginf=0.0)
            most = shared / (shared + UNSHARED)
            alike = np.clip(scaled @ scaled.T, -most, most)
            np.fill_diagonal(alike, 1.0)
            correlations[measure] = alike[np.ix_(at, at)]
        return correlations


def score_of(measure: str) -> str:
    """The measure, or for ``fairness`` the score that it is made of."""
    return "first_score" if measure == "fairness" else measure


def estimate(tallied: Tally, measure: str) -> Floats:
    """The estimate of a measure in each cell of a `tally`; NaN without games."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure in ("first_score", "fairness"):
            score = (tallied["first"] + tallied["draw"] / 2) / (tallied["games"] - tallied["unfinished"])
            return score if measure == "first_score" else np.abs(score - 0.5)
        return tallied[COUNTED[measure]] / tallied["games"] if measure in COUNTED else tallied[measure]


def inflation(tallied: Tally, measure: str) -> Floats | float:
    """How many times as large the standard error of a measure is as that of games without lines in common."""
    return tallied.get(f"{score_of(measure)}_inflation", 1.0)


def ranges(tallied: Tally, measure: str, z: npt.ArrayLike) -> Range:
    """Estimates of a measure, capped games as they might have ended, and ends ``z`` standard errors outside of them.

    For ``fairness`` they are those of the score. Where games begin with lines, the errors allow for it. Of fewer than
    `FEWEST_RESULTS` games a share or a score may be anything.
    """
    w, d, lost, c, n = (tallied[name] for name in ("first", "draw", "second", "unfinished", "games"))
    z = np.asarray(z, dtype=np.float64) * inflation(tallied, measure)
    if measure in ("first_score", "fairness"):
        return _of_results(bounded_score(w, d, lost, c, z), n)
    if measure in COUNTED:
        return _of_results(bounded_share(tallied[COUNTED[measure]], 0.0 if measure == "capped_rate" else c, n, z), n)
    if f"{measure}_count" in tallied:
        count, n = tallied[f"{measure}_count"], tallied[f"{measure}_games"]
        return _of_results(Range(tallied[measure], tallied[measure], *wilson(count, n, z)), n)
    if f"{measure}_spread_low" in tallied:
        # On the scale of the logarithm an interval grows evenly with the critical value.
        value = tallied[measure]
        low, high = (value * tallied[f"{measure}_spread_{end}"] ** np.asarray(z) for end in ("low", "high"))
        return Range(value, value, low, np.where(np.asarray(z) > 0, high, value))
    value, games, lines = tallied[measure], tallied.get(f"{measure}_games", n), tallied.get("lines", np.inf)
    # Lines have widened the critical value already; one alone does not say how much lines differ.
    z = np.where(np.isinf(lines), widened(z, games), z)
    return Range(value, value, *mean_interval(value, tallied[f"{measure}_error"], np.where(lines > 1, games, 0.0), z))


def _of_results(found: Range, games: Floats) -> Range:
    few = (games > 0) & (games < FEWEST_RESULTS)
    return found._replace(low=np.where(few, 0.0, found.low), high=np.where(few, 1.0, found.high))


def correlation(a: Tally, measure: str) -> Floats | float:
    """That of the proposals' estimates with those of their baselines, by the lines that both played."""
    return a.get(f"{score_of(measure)}_correlation", 0.0)


def lines_of(a: Tally, b: Tally) -> Floats | float:
    """The lines that each comparison rests on; infinite where every game is on its own."""
    return np.minimum(a.get("lines", np.inf), b.get("lines", np.inf))


def lasting(a: Tally, b: Tally, measure: str) -> Floats:
    """The part of a difference's variance that more games of the same lines would leave: how lines themselves differ.

    With m games of each line and the design effect D, lines make m (D - 1) / ((m - 1) D) of an estimate's variance.

    Source: one-way analysis of variance, S. R. Searle, G. Casella, C. E. McCulloch, "Variance Components", 1992.
    Limits: 0 while games are still to come that begin with other lines.
    """
    if f"{score_of(measure)}_inflation" not in a:
        return np.zeros(len(a["games"]))
    variances, within = [], []
    for tallied in (a, b):
        effect = np.asarray(inflation(tallied, measure)) ** 2
        games_of_line = tallied["games"] / tallied["lines"]
        ends = ranges(tallied, measure, 1.0)
        variance = ((ends.high - ends.low - ends.most + ends.least) / 2) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            part = games_of_line * (effect - 1) / ((games_of_line - 1) * effect)
            within.append(variance * (1 - np.clip(np.nan_to_num(part, nan=0.0, posinf=0.0), 0.0, 1.0)))
        variances.append(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        both = variances[0] + variances[1] - 2 * correlation(a, measure) * np.sqrt(variances[0] * variances[1])
        lasting = 1 - (within[0] + within[1]) / both
    return np.where(np.isfinite(a["lines"]) & np.isfinite(b["lines"]), np.clip(np.nan_to_num(lasting), 0.0, 0.999), 0.0)
