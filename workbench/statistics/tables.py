"""Trial records -> tallies of cells, and their tables: scores and rates, strengths of agents, lengths, and targets."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.base.errors import expected
from workbench.base.language import tr
from workbench.engine.players import NUMBERS
from workbench.experiments.measures import (
    FAIRNESS,
    FIRST_SCORE,
    MEASURES,
    RESULTS,
    TARGETS,
    Estimator,
    Measure,
    compared_measures,
    measure_by_name,
)
from workbench.players.agent_kinds import KINDS
from workbench.records.records import STOPPED
from workbench.records.trials import CELL, CellName, Trials
from workbench.statistics import intervals
from workbench.statistics.intervals import Floats, Indices, Range, Z, bounded_score, bounded_share, imbens_manski

FIRST, SECOND, DRAW, UNFINISHED, OTHER = range(5)
RESULT_CODES = {"first": FIRST, "second": SECOND, "draw": DRAW, "unfinished": UNFINISHED}
RATE_MEASURES = [measure for measure in MEASURES.values() if measure.results]
"""Shares of all games."""
NUMBER_ESTIMATORS = (Estimator.MEAN, Estimator.OCCURRENCE, Estimator.RATIO, Estimator.WEIGHTED_MEAN)
"""Estimators from a number of each game."""

FEWEST_RESULTS = 3
"""The fewest games whose results are compared: of two games each, one pair in eight is won here and lost there."""

Tally = Mapping[str, Floats]
"""Counts and estimates by name, each an array over cells."""
TallyPair = tuple[Tally, Tally]
"""The tallies of proposals and of their baselines."""

BALANCED_WITHIN = 0.025
"""The default margin of balance: the whole interval of the score lies within 2.5 points of 50 %."""

Target = str | Sequence[float]
"""``[low, high]``, both included, or a limit as text: ``<0.05``, ``<=0.05``, ``>40``, ``>=40``."""

BY_STRENGTH = tuple(kind.name for kind in KINDS.values() if not kind.solved)
"""Kinds of agents, from weak to strong."""


def cell_indices(trials: pd.DataFrame, cells: Sequence[CellName]) -> Indices:
    """Return the index of each game's cell in ``cells``, which are distinct; -1 for other cells."""
    game_keys = np.zeros(len(trials), dtype=np.int64)
    cell_keys = np.zeros(len(cells), dtype=np.int64)
    has_games = np.ones(len(cells), dtype=np.bool_)
    for part, name in enumerate(CELL):
        column = trials[name].astype("category").cat
        label_codes = {str(label): code for code, label in enumerate(column.categories)}
        codes = np.array([label_codes.get(cell[part], -1) for cell in cells], dtype=np.int64)
        has_games &= codes >= 0
        game_keys = game_keys * len(label_codes) + column.codes.to_numpy(dtype=np.int64)
        cell_keys = cell_keys * len(label_codes) + codes
    # Keys of cells with games are unique.
    candidates = np.flatnonzero(has_games)
    order = candidates[np.argsort(cell_keys[candidates])]
    if not len(order):
        return np.full(len(trials), -1, dtype=np.intp)
    nearest = np.minimum(np.searchsorted(cell_keys[order], game_keys), len(order) - 1)
    return np.where(cell_keys[order][nearest] == game_keys, order[nearest], -1)


def encode_words(column: pd.Series, values: Mapping[str, float], other: float) -> Floats:
    """Return a column of words, few of them distinct, as numbers; ``other`` stands for words without a value."""
    words = column.astype("category").cat
    table = np.array([*(values.get(str(word), other) for word in words.categories), other], dtype=np.float64)
    return np.asarray(table[words.codes.to_numpy()])


# Tallies


def tally(trials: Trials | pd.DataFrame, cells: Sequence[CellName]) -> Tally:
    """Return counts and estimates of the games of each cell.

    ``games`` is their number; ``first``, ``second``, ``draw`` and ``unfinished`` count the results; see `line_counts`
    for ``lines``. Each compared measure x of recorded numbers has its estimate ``x``, the number ``x_games`` of games
    with a value, and ``x_error``, or ``x_count`` for a share. If games begin with lines, ``x_inflation`` is the
    square root of each measure's design effect.
    """
    return tally_with_correlations(trials, cells)[0]


def tally_pairs(
    trials: Trials | pd.DataFrame,
    cells: Sequence[CellName],
    stop: int | None = None,
    extra_measures: Iterable[str] = (),
) -> TallyPair:
    """Return the tallies of the first half of ``cells``, the proposals, and of their baselines, the second half.

    If all games are in memory, ``x_correlation`` is the correlation of both estimates of each measure x.
    """
    half = len(cells) // 2
    tallies, by_measure = tally_with_correlations(trials, cells, stop, extra_measures)
    a, b = ({name: values[part] for name, values in tallies.items()} for part in (slice(half), slice(half, None)))
    correlations = {f"{name}_correlation": np.diag(matrix[:half, half:]) for name, matrix in by_measure.items()}
    return a | correlations, b | correlations


def tally_with_correlations(
    trials: Trials | pd.DataFrame,
    cells: Sequence[CellName],
    stop: int | None = None,
    extra_measures: Iterable[str] = (),
) -> tuple[Tally, dict[str, Floats]]:
    """Return the `tally` of each cell's first ``stop`` games, and the correlations of estimates (cells x cells).

    Games are paired by their lines or, without lines, by their numbers. There are no correlations if some columns are
    not in memory.
    """
    trials = Trials.of(trials)
    names = dict.fromkeys((*compared_measures(), *extra_measures))
    measures = [measure for measure in map(measure_by_name, names) if measure.estimator in NUMBER_ESTIMATORS]
    distinct = list(dict.fromkeys(cells))
    rows = [distinct.index(cell) for cell in cells]

    def first_games(games: pd.DataFrame) -> pd.DataFrame:
        return games if stop is None else games[games["game"] < stop]

    if trials.files and cells and intervals.CLUSTER not in trials.games:
        # Arrays of very many games would not fit in memory.
        parts = [_CellGames(first_games(trials.cell(cell)), [cell], measures).tally() for cell in distinct]
        return {name: np.concatenate([part[name] for part in parts])[rows] for name in parts[0]}, {}
    games = _CellGames(first_games(trials.games), distinct, measures)
    tallies = {name: values[rows] for name, values in games.tally().items()}
    return tallies, {name: matrix[np.ix_(rows, rows)] for name, matrix in games.correlations().items()}


class _CellGames:
    """The games of distinct cells as arrays."""

    def __init__(self, games: pd.DataFrame, cells: Sequence[CellName], measures: Iterable[Measure]) -> None:
        self.cells = cells
        game_cells = cell_indices(games, cells)
        in_cells = game_cells >= 0
        self.game_cells: Indices = game_cells[in_cells]
        self.result = encode_words(games["result"], RESULT_CODES, OTHER).astype(np.int8)[in_cells]
        self.measures = [measure for measure in measures if set(measure.columns) <= set(games.columns)]
        columns = dict.fromkeys(column for measure in self.measures for column in measure.columns)
        self.numbers = {column: games[column].to_numpy(dtype=np.float64)[in_cells] for column in columns}
        clusters = intervals.game_clusters(games)
        self.clusters = clusters[in_cells] if clusters is not None else None
        # Games of two rulesets are paired by their line, or by the random numbers of their number.
        self.paired_by: Indices = (
            games["game"].to_numpy(dtype=np.intp)[in_cells] if self.clusters is None else self.clusters
        )
        self.effects: dict[str, Floats] = {}
        """The design effect of each measure, the largest over all ways in which capped games may have ended."""
        self.errors: dict[str, tuple[Floats, Floats]] = {}
        """By measure, products of line sums of two cells' errors, and the variance without lines."""

    def _cell_sums(self, values: npt.NDArray[Any], selected: npt.NDArray[np.bool_] | None = None) -> Floats:
        cells = self.game_cells if selected is None else self.game_cells[selected]
        values = values if selected is None else values[selected]
        return np.bincount(cells, values.astype(np.float64), len(self.cells)).astype(np.float64)

    def _values_and_divisors(self, measure: Measure) -> tuple[Floats, npt.NDArray[np.bool_], Floats]:
        """Return each game's value of a measure, a mask of games with a value, and each game's divisor."""
        values = self.numbers[measure.columns[0]]
        has_value = ~np.isnan(values)
        if measure.estimator is Estimator.OCCURRENCE:
            values = (values > 0).astype(np.float64)
        divisors = self.numbers[measure.columns[1]] if len(measure.columns) > 1 else np.ones(len(values))
        if measure.estimator is Estimator.WEIGHTED_MEAN:
            values = values * divisors
        return np.nan_to_num(values), has_value, divisors

    def tally(self) -> dict[str, Floats]:
        kinds, count = OTHER + 1, len(self.cells)
        counts = np.bincount(self.game_cells * kinds + self.result, minlength=count * kinds)
        result_counts = counts.reshape(-1, kinds).astype(np.float64)
        sums = {result: result_counts[:, code].copy() for result, code in RESULT_CODES.items()}
        games = sums["games"] = result_counts.sum(axis=1)
        sums["lines"] = np.full(count, np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            for measure in self.measures:
                name = measure.name
                values, has_value, divisors = self._values_and_divisors(measure)
                n = sums[f"{name}_games"] = self._cell_sums(np.ones(len(has_value)), has_value)
                if measure.estimator is Estimator.OCCURRENCE:
                    sums[f"{name}_count"] = self._cell_sums(values, has_value)
                    sums[name] = sums[f"{name}_count"] / n
                    continue
                total = self._cell_sums(divisors, has_value)
                sums[name] = self._cell_sums(values, has_value) / total
                squares = self._cell_sums((values - sums[name][self.game_cells] * divisors) ** 2, has_value)
                is_mean = measure.estimator is Estimator.MEAN
                sums[f"{name}_error"] = np.sqrt(squares / (n - 1) / n) if is_mean else np.sqrt(squares) / total
            for name, residuals, scale in self._residuals(sums):
                if name not in self.errors:
                    line_errors = (
                        intervals.line_sums(residuals, self.paired_by, self.game_cells, count) / scale[:, None]
                    )
                    squares = self._cell_sums(residuals**2) / scale**2 * games / (games - 1)
                    self.errors[name] = line_errors @ line_errors.T, squares
                if self.clusters is not None:
                    effect = intervals.design_effects(residuals, self.clusters, self.game_cells, count)
                    self.effects[name] = np.maximum(effect, self.effects.get(name, 1.0))
            if self.clusters is not None:
                sums["lines"] = intervals.line_counts(self.clusters, self.game_cells, count)
                sums |= {f"{name}_inflation": np.sqrt(effect) for name, effect in self.effects.items()}
        return sums

    def _residuals(self, sums: Mapping[str, Floats]) -> Iterator[tuple[str, Floats, Floats]]:
        """Yield each measure with the residual of each game and the divisor of the residuals' sum.

        Measures recur with capped games counted as they may have ended.
        """
        game_cells, games = self.game_cells, sums["games"]
        capped = self.result == UNFINISHED
        points = np.select([self.result == FIRST, self.result == DRAW], [1.0, 0.5], 0.0)
        finished = games - sums["unfinished"]
        score = (sums["first"] + sums["draw"] / 2) / finished
        yield "first_score", np.where(capped, 0.0, points - np.nan_to_num(score)[game_cells]), finished

        def centred(name: str, values: Floats) -> tuple[str, Floats, Floats]:
            return name, values - (self._cell_sums(values) / games)[game_cells], games

        if capped.any():
            yield centred("first_score", points)
            yield centred("first_score", points + capped)
        for measure in RATE_MEASURES:
            values = np.isin(self.result, [RESULT_CODES[word] for word in measure.results]).astype(np.float64)
            yield centred(measure.name, values)
            if capped.any() and "unfinished" not in measure.results:
                yield centred(measure.name, values + capped)
        for measure in self.measures:
            values, has_value, divisors = self._values_and_divisors(measure)
            estimate = np.nan_to_num(sums[measure.name])[game_cells]
            residuals = np.where(has_value, values - estimate * divisors, 0.0)
            yield measure.name, residuals, self._cell_sums(divisors, has_value)

    def correlations(self) -> dict[str, Floats]:
        """Return the correlations between the cells' estimates for each measure; call `tally` first.

        They are due to common lines. Without lines they are due to equal game numbers, which give the same players the
        same random events; then those that are not significantly positive are 0, as they would only add noise.
        """
        ones = np.ones(len(self.paired_by))
        line_played = intervals.line_sums(ones, self.paired_by, self.game_cells, len(self.cells)) > 0
        lines = line_played.sum(axis=1)
        shared = line_played.astype(np.float64) @ line_played.T
        if self.clusters is None:
            pairings = list(dict.fromkeys(cell[1:] for cell in self.cells))
            pairing_indices = np.array([pairings.index(cell[1:]) for cell in self.cells])
            shared *= pairing_indices[:, None] == pairing_indices[None, :]
        correlations = {}
        for name, (products, squares) in self.errors.items():
            with np.errstate(divide="ignore", invalid="ignore"):
                scale = np.sqrt(lines / (lines - 1) / squares / self.effects.get(name, 1.0))
                scaled = products * scale[:, None] * scale[None, :]
            bound = shared / (shared + intervals.UNSHARED_LINES)
            correlation = np.clip(np.nan_to_num(scaled, posinf=0.0, neginf=0.0), -bound, bound)
            if self.clusters is None:
                correlation = np.where(correlation * np.sqrt(shared) > Z, correlation, 0.0)
            np.fill_diagonal(correlation, 1.0)
            correlations[name] = correlation
        return correlations


def underlying_score(name: str) -> str:
    """Return the name of a measure; for fairness, of the score behind it."""
    return FIRST_SCORE if name == FAIRNESS else name


def measure_estimate(tally: Tally, name: str) -> Floats:
    """Return the estimate of a measure in each cell of a `tally`; NaN without games."""
    measure = measure_by_name(name)
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure.is_score:
            score = (tally["first"] + tally["draw"] / 2) / (tally["games"] - tally["unfinished"])
            return score if measure.estimator is Estimator.SCORE else np.abs(score - 0.5)
        return _count_results(tally, measure) / tally["games"] if measure.results else tally[name]


def _count_results(tally: Tally, measure: Measure) -> Floats:
    return np.sum([tally[word] for word in measure.results], axis=0)  # type: ignore[no-any-return]


def error_inflation(tally: Tally, name: str) -> Floats | float:
    """Return a measure's standard error relative to that of independent games."""
    return tally.get(f"{underlying_score(name)}_inflation", 1.0)


def measure_ranges(tally: Tally, name: str, z: npt.ArrayLike) -> Range:
    """Return the range of a measure, with ends ``z`` standard errors beyond the results that capped games allow.

    For ``fairness`` it is the range of the score. The errors allow for common opening lines. With fewer than
    `FEWEST_RESULTS` games the range of a share or a score is unlimited.
    """
    w, d, lost, c, n = (tally[name] for name in ("first", "draw", "second", "unfinished", "games"))
    z = np.asarray(z, dtype=np.float64) * error_inflation(tally, name)
    measure = measure_by_name(name)
    if measure.is_score:
        return _widen_few(bounded_score(w, d, lost, c, z), n)
    if measure.results:
        open_games = 0.0 if "unfinished" in measure.results else c
        return _widen_few(bounded_share(_count_results(tally, measure), open_games, n, z), n)
    value = tally[name]
    if f"{name}_count" in tally:
        count, n = tally[f"{name}_count"], tally[f"{name}_games"]
        return _widen_few(Range(value, value, *intervals.wilson(count, n, z)), n)
    if f"{name}_spread_low" in tally:
        # On the scale of the logarithm an interval grows evenly with the critical value.
        low, high = (value * tally[f"{name}_spread_{end}"] ** np.asarray(z) for end in ("low", "high"))
        return Range(value, value, low, np.where(np.asarray(z) > 0, high, value))
    return Range(value, value, *_mean_ends(tally, name, z, -math.inf if measure.of_games else 0.0))


def _mean_ends(tally: Tally, name: str, z: Floats, least: float = 0.0) -> tuple[Floats, Floats]:
    """Return the interval of a mean or ratio; ``z`` already allows for lines."""
    games, lines = tally.get(f"{name}_games", tally["games"]), tally.get("lines", np.inf)
    z = np.where(np.isinf(lines), intervals.t_from_normal(z, games), z)
    # A single line does not show how much lines differ.
    return intervals.mean_interval(tally[name], tally[f"{name}_error"], np.where(lines > 1, games, 0.0), z, least)


def _widen_few(measure_range: Range, games: Floats) -> Range:
    few = (games > 0) & (games < FEWEST_RESULTS)
    low, high = np.where(few, 0.0, measure_range.low), np.where(few, 1.0, measure_range.high)
    return measure_range._replace(low=low, high=high)


def estimate_correlation(a: Tally, name: str) -> Floats | float:
    """Return the correlation between the proposals' estimates and those of their baselines, due to shared lines."""
    return a.get(f"{underlying_score(name)}_correlation", 0.0)


def fewest_lines(a: Tally, b: Tally) -> Floats | float:
    """Return the number of lines behind each comparison; infinite if all games are independent."""
    return np.minimum(a.get("lines", np.inf), b.get("lines", np.inf))


def lasting_share(a: Tally, b: Tally, name: str) -> Floats:
    """Return the share of a difference's variance that more games of the same lines cannot remove.

    With m games of each line and the design effect D, lines cause m (D - 1) / ((m - 1) D) of an estimate's variance.

    Source: one-way analysis of variance, S. R. Searle, G. Casella, C. E. McCulloch, "Variance Components", 1992.
    Limits: the result is 0 while games with other lines are still to be played.
    """
    if f"{underlying_score(name)}_inflation" not in a:
        return np.zeros(len(a["games"]))
    variances, within = [], []
    with np.errstate(divide="ignore", invalid="ignore"):
        for tally in (a, b):
            effect = np.asarray(error_inflation(tally, name)) ** 2
            games_per_line = tally["games"] / tally["lines"]
            ends = measure_ranges(tally, name, 1.0)
            variances.append(((ends.high - ends.low - ends.most + ends.least) / 2) ** 2)
            line_share = games_per_line * (effect - 1) / ((games_per_line - 1) * effect)
            within.append(variances[-1] * (1 - np.clip(np.nan_to_num(line_share, nan=0.0, posinf=0.0), 0.0, 1.0)))
        total = variances[0] + variances[1] - 2 * estimate_correlation(a, name) * np.sqrt(variances[0] * variances[1])
        share = 1 - (within[0] + within[1]) / total
    return np.where(np.isfinite(a["lines"]) & np.isfinite(b["lines"]), np.clip(np.nan_to_num(share), 0.0, 0.999), 0.0)


def cell_estimates(
    trials: Trials,
    cell: CellName,
    measures: Iterable[Measure],
    z: float,
    numbers: Mapping[str, pd.Series] | None = None,
) -> dict[str, float]:
    """Return a cell's ``x``, ``x_low``, ``x_high`` and ``x_games`` for each measure x of recorded numbers.

    Each measure is estimated from the games with a value. ``lines`` and ``x_inflation`` are those of `tally`.
    ``numbers`` adds columns that are not in the records.
    """
    measures, numbers = list(measures), numbers or {}
    columns = {column for measure in measures for column in measure.columns}
    games = trials.cell(cell)
    games = games[[name for name in (*CELL, "game", "result", intervals.CLUSTER) if name in games]].assign(
        **{name: trials.column(cell, name) for name in columns & set(trials.columns)}, **numbers
    )
    groups: dict[bytes, list[Measure]] = {np.ones(len(games), np.bool_).tobytes(): []}
    for measure in measures:
        if set(measure.columns) <= set(games.columns):
            groups.setdefault(games[measure.columns[0]].notna().to_numpy().tobytes(), []).append(measure)
    estimates: dict[str, float] = {}
    for has_number, group in groups.items():
        cell_tally = _CellGames(games[np.frombuffer(has_number, np.bool_)], [cell], group).tally()
        for name in (measure.name for measure in group):
            critical = intervals.t_from_normal(z, cell_tally["lines"]) * error_inflation(cell_tally, name)
            if f"{name}_count" in cell_tally:
                low, high = intervals.wilson(cell_tally[f"{name}_count"], cell_tally[f"{name}_games"], critical)
            else:
                low, high = _mean_ends(cell_tally, name, critical)
            cell_tally |= {f"{name}_low": low, f"{name}_high": high}
        estimates = {name: float(values[0]) for name, values in cell_tally.items()} | estimates
    return estimates


# Tables of cells


def cell_table(
    trials: Trials | pd.DataFrame,
    rulesets: Sequence[str] | None = None,
    pairings: Sequence[tuple[str, str]] | None = None,
    baseline: str | None = None,
    critical: Callable[[int], float] = lambda games: Z,
    margin: float = BALANCED_WITHIN,
) -> pd.DataFrame:
    """Return one row per cell (ruleset, agent in the first seat, agent in the second).

    ``rulesets`` and ``pairings`` order the rows, ruleset by ruleset, and add cells without games, whose counts are 0
    and other values NaN. By default, rows are the cells with games in order of appearance. ``critical`` returns the
    critical value of a cell's intervals for its number of games, which exceeds `Z` after interim analyses. A score is
    balanced within ``margin`` of 50 %.

    * ``games`` = ``finished`` + ``unfinished`` (stopped at the cap, and not adjudicated);
      ``finished`` = ``first_wins`` + ``second_wins`` + ``draws``.
    * ``first_score`` = (first_wins + draws / 2) / finished, with `score_interval`'s ``_low``, ``_high``.
    * ``first_score_lowest``, ``first_score_highest``: the score over *all* games if the first seat lost, or won, every
      capped game. ``first_score_surely_low``, ``first_score_surely_high``: the interval for any true score of all games
      between these two (see `imbens_manski`). Without capped games all these equal the plain ones.
    * ``unfairness``: |first_score - ½|; ``_low`` and ``_high`` are the least and the most that the surely interval
      allows. ``balance``: see `balance_verdicts`.
    * ``first_win_rate``, ``second_win_rate``, ``draw_rate``, ``capped_rate``: shares of *all* games, which add up to 1,
      each with `wilson`'s interval; ``decisive_rate`` is the sum of the first two.
    * ``ended_by_x``: games with the termination x; ``ended_by_x_rate``: their share of *all* games, with its interval.
    * ``plies_median``, ``plies_lower_quartile``, ``plies_upper_quartile``: quantiles of all games' Kaplan-Meier curve
      (see `length_quantiles`); infinite among the games that were stopped at the cap, adjudicated or not.
      ``plies_median_low``, ``plies_median_high``: `median_interval`. ``plies_mean``: the mean length up to the cap.
    * ``legal_moves``: legal moves at a ply, the mean over all plies of all games.
    * ``distinct_games``: different move lists; ``distinct_share`` = distinct_games / games; ``effective_games`` =
      games² / Σ copies², the effective number of games if a copy adds no information.
    * the numbers of `workbench.engine.players`: means over the games that recorded them, with intervals.
    * If lines were drawn: ``lines``, the number of different ones, and ``x_design_effect`` of the score and of each
      rate, the factor by which lines increase the variance; intervals allow for it.
    * For each event: ``event_x_mean``, its mean count in a game; ``event_x_share``, the share of games with it;
      ``event_x_when_fired``, its mean over those games (the mean ply for an event that records a ply number). They are
      NaN if the ruleset's family has no such event.

    Source: Tango 1998 (see `score_interval`); Wilson 1927 (see `wilson`); for the bounds, C. F. Manski, "Nonparametric
    bounds on treatment effects", American Economic Review 80, 1990: assume nothing about unobserved results, with the
    interval of G. W. Imbens, C. F. Manski, Econometrica 72, 2004; for the mean up to the cap, P. Royston, M. K. B.
    Parmar, BMC Medical Research Methodology 13, 2013; for effective games, L. Kish, "Survey Sampling", 1965; legal
    moves: a ratio of sums, W. G. Cochran, "Sampling Techniques", 1977.
    Limits: intervals are pointwise, so one in twenty misses its true value on average. Identical games are still
    independent samples of the agents' play, so few effective games do not invalidate the intervals, but show that the
    agents play few different games. Compare ``distinct_share`` only between cells of equal size: more games reduce it.
    """
    trials = Trials.of(trials)
    if rulesets is None and pairings is None:
        keys = trials.cells
    else:
        names = [str(name) for name in trials.games["ruleset"].unique()] if rulesets is None else list(rulesets)
        pairs = list(dict.fromkeys((f, s) for _, f, s in trials.cells)) if pairings is None else list(pairings)
        keys = [(name, first, second) for name in names for first, second in pairs]
    events = [column for column in trials.columns if column.startswith("event_")]
    endings = sorted(str(ending) for ending in trials.games["termination"].unique())
    # The last row, of a cell without games, gives an empty table its columns.
    row_cells = [*keys, ("", "", "")]
    z = np.array([critical(len(trials.cell(key))) for key in row_cells])
    estimates = [_estimate_cell(trials, *row, endings) for row in zip(row_cells, z.tolist(), strict=True)]
    table = pd.DataFrame([
        dict(zip(CELL, key, strict=True)) | {"baseline": key[0] == baseline}
        | _cell_numbers(trials, key, events, endings, each, critical_value)
        for key, each, critical_value in zip(row_cells, estimates, z.tolist(), strict=True)
    ])  # fmt: skip
    rates = {rate.name: [RESULTS[result] for result in rate.results] for rate in RATE_MEASURES}
    inflations = {
        name: np.array([estimate.get(f"{name}_inflation", 1.0) for estimate in estimates])
        for name in ("first_score", *rates, *(f"ended_by_{ending}_rate" for ending in endings))
    }
    z = intervals.t_from_normal(z, [estimate["lines"] for estimate in estimates])
    scores = _score_columns(
        table, rates | {f"ended_by_{ending}_rate": [f"ended_by_{ending}"] for ending in endings}, z, inflations, margin
    )
    split = list(table.columns).index("unfinished") + 1
    table = pd.concat([table.iloc[:, :split], scores, table.iloc[:, split:]], axis=1)
    if intervals.CLUSTER in trials.games:
        lines = [int(trials.cell(key)[intervals.CLUSTER].nunique()) for key in row_cells]
        effects = {f"{name}_design_effect": inflations[name] ** 2 for name in ("first_score", *rates)}
        table = table.assign(lines=lines, **effects)
    return table.iloc[:-1]


def _estimate_cell(trials: Trials, cell: CellName, z: float, endings: Sequence[str]) -> dict[str, float]:
    """Return the `cell_estimates` of a table row, with ``ended_by_x_rate`` for each ending."""
    measures = [MEASURES["plies_mean"], MEASURES["legal_moves"]]
    measures += [Measure(number.name, Estimator.MEAN, "", "", columns=(number.name,)) for number in NUMBERS]
    numbers = {f"ended_by_{ending}": trials.cell(cell)["termination"] == ending for ending in endings}
    measures += [Measure(f"{name}_rate", Estimator.OCCURRENCE, "", "", columns=(name,)) for name in numbers]
    return cell_estimates(trials, cell, measures, z, numbers)


def _cell_numbers(
    trials: Trials,
    cell: CellName,
    events: Sequence[str],
    endings: Sequence[str],
    estimates: Mapping[str, float],
    z: float,
) -> dict[str, int | float]:
    """Return the counts, lengths and means of one cell, in the order of the columns."""
    games = trials.cell(cell)
    n = len(games)
    results = games["result"].value_counts()
    wins, losses, draws, capped = (int(results.get(name, 0)) for name in RESULT_CODES)
    plies = games["plies"].to_numpy(dtype=np.float64)
    stopped = games["termination"].isin(STOPPED).to_numpy()
    lower, median, upper = length_quantiles(plies, ~stopped, (0.25, 0.5, 0.75))
    longer = (plies > median if math.isfinite(median) else ~stopped).astype(np.float64)
    median_low, median_high = intervals.median_interval(
        plies, int(stopped.sum()), intervals.clustered_critical(z, longer, intervals.game_clusters(games))[0]
    )
    copies = trials.column(cell, "game_hash").value_counts().to_numpy(dtype=np.float64)

    def with_ends(name: str) -> dict[str, float]:
        return {f"{name}{end}": estimates[f"{name}{end}"] for end in ("", "_low", "_high")}

    numbers: dict[str, int | float] = {
        "games": n, "finished": n - capped, "first_wins": wins, "second_wins": losses, "draws": draws,
        "unfinished": capped,
        **{f"ended_by_{ending}": int((games["termination"] == ending).sum()) for ending in endings},
        "plies_median": median, "plies_median_low": median_low, "plies_median_high": median_high,
        "plies_lower_quartile": lower, "plies_upper_quartile": upper, **with_ends("plies_mean"),
        **with_ends("legal_moves"), "distinct_games": len(copies), "distinct_share": len(copies) / n if n else math.nan,
        "effective_games": float(n**2 / (copies**2).sum()) if n else math.nan,
    }  # fmt: skip
    for name in (number.name for number in NUMBERS if number.name in trials.columns):
        numbers |= with_ends(name)
    for event in events:
        counts = trials.column(cell, event).dropna().to_numpy(dtype=np.float64)
        fired = counts[counts > 0]
        numbers[f"{event}_mean"] = float(counts.mean()) if len(counts) else math.nan
        numbers[f"{event}_share"] = len(fired) / len(counts) if len(counts) else math.nan
        numbers[f"{event}_when_fired"] = float(fired.mean()) if len(fired) else math.nan
    return numbers


def _score_columns(
    table: pd.DataFrame, rates: Mapping[str, Sequence[str]], z: Floats, inflations: Mapping[str, Floats], margin: float
) -> pd.DataFrame:
    """Return the score and the ``rates`` (name: counts that are added up) with their intervals and bounds."""
    games, finished, capped, wins, draws, losses = (
        table[name].to_numpy(dtype=np.float64)
        for name in ("games", "finished", "unfinished", "first_wins", "draws", "second_wins")
    )
    inflation = inflations["first_score"]
    low, high = intervals.score_interval(wins, draws, losses, z * inflation)
    bounded = imbens_manski(lambda c: bounded_score(wins, draws, losses, capped, np.asarray(c) * inflation))(z)
    score = _share(wins + draws / 2, finished)
    below, above = 0.5 - bounded.low, bounded.high - 0.5
    columns: dict[str, Any] = {
        "first_score": score, "first_score_low": low, "first_score_high": high, "first_score_lowest": bounded.least,
        "first_score_highest": bounded.most, "first_score_surely_low": bounded.low,
        "first_score_surely_high": bounded.high, "balance": balance_verdicts(bounded.low, bounded.high, margin),
        "unfairness": np.abs(score - 0.5), "unfairness_low": np.maximum(np.maximum(-below, -above), 0.0),
        "unfairness_high": np.maximum(below, above),
    }  # fmt: skip
    for rate, counts in rates.items():
        count = table[list(counts)].sum(axis=1).to_numpy(dtype=np.float64)
        low, high = intervals.wilson(count, games, z * inflations[rate])
        columns |= {rate: _share(count, games), f"{rate}_low": low, f"{rate}_high": high}
    return pd.DataFrame(columns)


def stopped_games(cells: pd.DataFrame) -> Floats:
    """Return the number of games stopped at the cap in each row of `cell_table`, adjudicated ones included."""
    counts = [cells[name] for name in ("unfinished", "ended_by_adjudicated") if name in cells]
    return np.sum([count.to_numpy(dtype=np.float64) for count in counts], axis=0)  # type: ignore[no-any-return]


def strength_table(trials: pd.DataFrame) -> pd.DataFrame:
    """Return one row per pair of different agents that met: the score of ``agent`` against ``opponent``.

    ``score`` = (wins of the agent + half the draws + half the capped games) / games, over both seatings together, with
    `score_interval`'s ``score_low``, ``score_high``. ``games_as_first`` counts games with the agent in the first seat.
    The agent is the one with the stronger name (`BY_STRENGTH`, then by number; other names are last, alphabetically),
    which is fixed before any game is played, so that the choice does not inflate the score.

    Source: Tango 1998 (see `score_interval`).
    Limits: draws and capped games (``unfinished``) count half, which pulls the score towards 50 %. The seats only
    cancel if both seatings were played equally often. Over several rulesets the score is a mean over games, not over
    rulesets.
    """
    meetings = trials[trials["first"].astype(object) != trials["second"].astype(object)]
    met_labels = {str(label) for seat in ("first", "second") for label in meetings[seat].unique()}
    labels = sorted(met_labels, key=_strength_key)
    ranks = {label: float(rank) for rank, label in enumerate(labels)}
    first, second = (encode_words(meetings[seat], ranks, -1).astype(np.intp) for seat in ("first", "second"))
    as_first = first > second
    pairs, pair = np.unique(np.maximum(first, second) * len(labels) + np.minimum(first, second), return_inverse=True)
    result = encode_words(meetings["result"], RESULT_CODES, OTHER).astype(np.intp)
    # The result as the agent sees it: FIRST and SECOND are 0 and 1.
    result = np.where(as_first | (result > SECOND), result, 1 - result)
    kinds = OTHER + 1
    counts = np.bincount(pair * kinds + result, minlength=len(pairs) * kinds).reshape(-1, kinds)
    wins, losses, draws, unfinished, _ = counts.T
    games, halves = counts.sum(axis=1), (draws + unfinished).astype(np.float64)
    points = np.array([1.0, 0.0, 0.5, 0.5, 0.5])[result]
    z = intervals.clustered_critical(Z, points, intervals.game_clusters(meetings), pair, len(pairs))
    low, high = intervals.score_interval(wins, halves, losses, z)
    names = np.array(labels, dtype=object)  # text, even where nobody met
    return pd.DataFrame({
        "agent": names[pairs // max(len(labels), 1)],
        "opponent": names[pairs % max(len(labels), 1)],
        "games": games, "games_as_first": np.bincount(pair[as_first], minlength=len(pairs)), "wins": wins,
        "losses": losses, "draws": draws, "unfinished": unfinished,
        "score": _share(wins + halves / 2, games.astype(np.float64)), "score_low": low, "score_high": high,
    })  # fmt: skip


def _share(count: Floats, games: Floats) -> Floats:
    return np.asarray(np.divide(count, games, out=np.full(games.shape, np.nan), where=games > 0))


def _strength_key(label: str) -> tuple[int, int, str]:
    rank = next((i for i, kind in enumerate(BY_STRENGTH) if f"{label}-".startswith(f"{kind}-")), len(BY_STRENGTH))
    number = re.search(r"(\d+)(k?)", label)
    return rank, int(number[1]) * (1000 if number[2] else 1) if number else 0, label


# Lengths

MOST_POINTS = 200
"""The most points of a stored curve."""


def survival_curve(
    plies: npt.ArrayLike, finished: npt.ArrayLike, z: float = Z, clusters: Indices | None = None
) -> pd.DataFrame:
    """Return the share of games that last longer than each number of plies: ``alive`` (with interval), ``at_risk``.

    ``finished`` is false for games stopped at the cap, whose length is censored. ``at_risk`` counts the games that had
    not ended before. The curve starts with all games at ply 0; a curve of more than `MOST_POINTS` points is thinned.

    Source: E. L. Kaplan, P. Meier, "Nonparametric estimation from incomplete observations", JASA 53, 1958. Every game
    has the same cap, so that the curve is a share of all games, counted in whole games, with `wilson`'s interval.
    Limits: the curve ends at the cap.
    """
    lengths, ended = np.asarray(plies, dtype=np.float64), np.asarray(finished, dtype=bool)
    n = len(lengths)
    columns = ["plies", "alive", "alive_low", "alive_high", "at_risk"]
    if n == 0:
        return pd.DataFrame(columns=columns, dtype=np.float64)
    ends, survivors = _survivors(lengths, ended)
    times, still_playing = np.append(0.0, ends), np.append(n, survivors)
    at_risk = np.append(n, still_playing[:-1])
    if len(times) > MOST_POINTS:
        thinned = np.arange(MOST_POINTS) * (len(times) - 1) // (MOST_POINTS - 1)
        times, still_playing, at_risk = times[thinned], still_playing[thinned], at_risk[thinned]
    critical = np.full(len(times), z)
    if clusters is not None:
        point = np.repeat(np.arange(len(times)), n)
        longer = (lengths > times[:, None]).astype(np.float64).ravel()
        critical = intervals.clustered_critical(z, longer, np.tile(clusters, len(times)), point, len(times))
    low, high = intervals.wilson(still_playing, np.full(len(times), n), critical)
    values = (times, still_playing / n, low, high, at_risk.astype(np.float64))
    return pd.DataFrame(dict(zip(columns, values, strict=True)))


def _survivors(lengths: Floats, ended: npt.NDArray[np.bool_]) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return the plies at which games ended, and the number of longer games for each."""
    times, counts = np.unique(lengths[ended], return_counts=True)
    return times, len(lengths) - np.cumsum(counts)


def length_quantiles(plies: Floats, finished: npt.NDArray[np.bool_], shares: Sequence[float]) -> list[float]:
    """Return the length that each share of the games does not exceed; infinite beyond the cap, NaN without games.

    Source: Kaplan and Meier 1958: the first ply with a smaller share of longer games. Where exactly half of the games
    are longer, and were stopped, the median is unknown.
    """
    if len(plies) == 0:
        return [math.nan] * len(shares)
    times, still_playing = _survivors(plies, finished)
    below = [np.flatnonzero(still_playing < (1 - share) * len(plies)) for share in shares]
    return [float(times[indices[0]]) if len(indices) else math.inf for indices in below]


# Balance and targets


def balance_verdicts(low: npt.ArrayLike, high: npt.ArrayLike, margin: float = BALANCED_WITHIN) -> list[str]:
    """Return the verdict on each interval of the first seat's score.

    * ``balanced``: the whole interval is within ± ``margin`` of 50 %, so that any advantage is too small to matter. It
      takes precedence: with very many games the interval may exclude 50 % and still lie within the margin.
    * ``first``, ``second``: the seat that is ahead; the whole interval is on its side of 50 %.
    * ``undecided``: the interval contains 50 % and exceeds the margin. A game is never balanced for lack of games.
    * Empty if there is no interval.

    Pass the interval that allows for the capped games either way (``first_score_surely``).

    Source: D. J. Schuirmann, "A comparison of the two one-sided tests procedure ...", J. Pharmacokinetics and
    Biopharmaceutics 15, 1987, with 95 % intervals, which is the stricter choice. ±2.5 points take at least 1,540 games.
    Limits: verdicts are on single cells; one in twenty balanced cells is called ``first`` or ``second`` by chance.
    """
    band = 0.5 - margin, 0.5 + margin
    ends = zip(np.atleast_1d(low).astype(float), np.atleast_1d(high).astype(float), strict=True)
    return ["" if math.isnan(a) or math.isnan(b) else band_verdict(a, b, band) for a, b in ends]


def band_verdict(low: float, high: float, band: tuple[float, float]) -> str:
    """Return the verdict of `balance_verdicts` on one interval; ``balanced`` means within the ``band``."""
    if low >= band[0] and high <= band[1]:
        return "balanced"
    return "first" if low > 0.5 else "second" if high < 0.5 else "undecided"


def target_band(target: Target) -> tuple[float, float]:
    """Return the smallest and the largest value that meet a target; ``<`` and ``>`` exclude the limit.

    >>> target_band([40, 120])
    (40.0, 120.0)
    >>> target_band(">=0.5")
    (0.5, inf)

    Raises:
        ValueError: the target is neither two numbers in order nor a limit.
    """
    if isinstance(target, str):
        match = re.fullmatch(r"\s*([<>])(=?)\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*", target)
        if not match:
            raise ValueError(expected(tr("[low, high] or a limit such as '<0.05'"), repr(target)))
        sign, closed, number = match.groups()
        limit = float(number)
        if sign == "<":
            return -math.inf, limit if closed else math.nextafter(limit, -math.inf)
        return limit if closed else math.nextafter(limit, math.inf), math.inf
    try:
        low, high = (float(end) for end in target)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not low <= high:
        raise ValueError(expected(tr("[low, high] or a limit such as '<0.05'"), repr(target)))
    return low, high


TARGET_COLUMNS = [*CELL, "target", "wanted", "value", "low", "high", "verdict", "reason"]


def target_table(
    cells: pd.DataFrame, targets: Mapping[str, Target], critical: Callable[[int], float] = lambda games: Z
) -> pd.DataFrame:
    """Return one row per cell and target: the verdict ``met``, ``missed`` or ``undecided``, with its interval.

    ``value`` is the estimate, ``low`` and ``high`` are the ends of the interval. A target is ``met`` if the whole
    interval lies in it, ``missed`` if no part does, else ``undecided`` for a ``reason``: ``no_games``,
    ``too_few_games`` or ``capped_games``. The interval leaves the results of capped games open (see `imbens_manski`);
    for ``plies`` it is the `median_interval`. See `cell_table` for ``critical``.

    Source: Tango 1998, Wilson 1927; Imbens and Manski 2004 with capped games; order statistics for the median
    (`median_interval`).
    Limits: each verdict is pointwise, at 95 %. ``met`` means that the true value lies in the target, which takes far
    more games than an estimate within it.

    Raises:
        ValueError: a target is not one of `TARGETS`, or its value is invalid.
    """
    parts = []
    for name, target in targets.items():
        if name not in TARGETS:
            names = ", ".join(TARGETS)
            raise ValueError(tr("there is no target {name!r}; the targets are {targets}", name=name, targets=names))
        least, most = target_band(target)
        low, high, low_uncapped, high_uncapped = _target_intervals(cells, name, critical)
        verdict, uncapped = (
            np.select([(least <= a) & (b <= most), (b < least) | (a > most)], ["met", "missed"], "undecided")
            for a, b in ((low, high), (low_uncapped, high_uncapped))
        )
        few = (uncapped == "undecided") & ~np.isnan(low_uncapped)
        reason = np.where(verdict == "undecided", np.where(few, "too_few_games", "capped_games"), "")
        target_text = target if isinstance(target, str) else tr("{least:g} to {most:g}", least=least, most=most)
        parts.append(cells[CELL].assign(
            target=name, wanted=[target_text] * len(cells),
            value=cells["plies_median" if name == "plies" else name].to_numpy(dtype=np.float64), low=low, high=high,
            verdict=verdict.astype(object), reason=np.where(np.isnan(low), "no_games", reason).astype(object),
        ))  # fmt: skip
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=TARGET_COLUMNS)


def _target_intervals(cells: pd.DataFrame, name: str, critical: Callable[[int], float]) -> tuple[Floats, ...]:
    """Return each cell's interval for the verdict, and the interval that ignores capped games."""

    def columns(*names: str) -> list[Floats]:
        return [cells[column].to_numpy(dtype=np.float64) for column in names]

    if name == "plies":
        median, low, high = columns("plies_median", "plies_median_low", "plies_median_high")
        stopped = np.isinf(high) & (stopped_games(cells) > 0)
        return low, high, low, np.where(stopped, np.where(np.isinf(median), low, median), high)
    if name == "first_score":
        return tuple(columns(*(f"first_score{end}" for end in ("_surely_low", "_surely_high", "_low", "_high"))))
    low, high = columns(f"{name}_low", f"{name}_high")
    if "unfinished" in MEASURES[name].results:
        return low, high, low, high
    count = np.sum(columns(*(RESULTS[word] for word in MEASURES[name].results)), axis=0)
    capped, games = columns("unfinished", "games")
    lines, inflation = intervals.lines_and_inflation(cells, name)
    z = intervals.t_from_normal(np.array([critical(int(n)) for n in games], dtype=np.float64), lines)
    bounded = imbens_manski(lambda c: bounded_share(count, capped, games, np.asarray(c) * inflation))(z)
    return bounded.low, bounded.high, low, high
