"""Trial records -> one row per cell, one row per pair of agents; whom a score favours, and whether targets are met."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.base.errors import expected
from workbench.base.language import tr
from workbench.engine.players import NUMBERS
from workbench.experiments.measures import MEASURES, RESULTS, TARGETS
from workbench.players.agent_kinds import KINDS
from workbench.records.records import STOPPED
from workbench.records.trials import CELL, CellName, Trials
from workbench.statistics.intervals import (
    CLUSTER,
    ClusterWidths,
    Floats,
    Z,
    bounded_score,
    bounded_share,
    clusters_of,
    imbens_manski,
    lines_and_inflation,
    median_interval,
    score_interval,
    t_from_normal,
    wilson,
)

RATE_MEASURES = [one for one in MEASURES.values() if one.results]
"""Shares of all games."""

BALANCED_WITHIN = 0.025
"""The farthest from 50 % that the interval of a balanced score reaches, unless the experiment says: 2.5 points."""

Target = str | Sequence[float]
"""``[low, high]``, both allowed themselves, or one limit as text: ``<0.05``, ``<=0.05``, ``>40``, ``>=40``."""

BY_STRENGTH = tuple(kind.name for kind in KINDS.values() if not kind.solved)
"""Kinds of agents from weak to strong, as they are named."""


def cell_indices(trials: pd.DataFrame, cells: Sequence[CellName]) -> npt.NDArray[np.intp]:
    """Return the place of each game's cell in ``cells``, which are distinct; -1 if it is not among them."""
    key_of_game = np.zeros(len(trials), dtype=np.int64)
    key_of_cell = np.zeros(len(cells), dtype=np.int64)
    has_games = np.ones(len(cells), dtype=np.bool_)
    for part, name in enumerate(CELL):
        column = trials[name].astype("category").cat
        code_of_label = {str(label): code for code, label in enumerate(column.categories)}
        codes = np.array([code_of_label.get(cell[part], -1) for cell in cells], dtype=np.int64)
        has_games &= codes >= 0
        key_of_game = key_of_game * len(code_of_label) + column.codes.to_numpy(dtype=np.int64)
        key_of_cell = key_of_cell * len(code_of_label) + codes
    # Each cell with games has a number of its own.
    candidates = np.flatnonzero(has_games)
    order = candidates[np.argsort(key_of_cell[candidates])]
    if not len(order):
        return np.full(len(trials), -1, dtype=np.intp)
    nearest = np.minimum(np.searchsorted(key_of_cell[order], key_of_game), len(order) - 1)
    return np.where(key_of_cell[order][nearest] == key_of_game, order[nearest], -1)


def encode_words(column: pd.Series, values: Mapping[str, float], other: float) -> Floats:
    """Return a column of few distinct words as numbers; ``other`` stands for words that have none."""
    words = column.astype("category").cat
    table = np.array([*(values.get(str(word), other) for word in words.categories), other], dtype=np.float64)
    numbers: Floats = table[words.codes.to_numpy()]
    return numbers


def cell_table(
    trials: Trials | pd.DataFrame,
    rulesets: Sequence[str] | None = None,
    pairings: Sequence[tuple[str, str]] | None = None,
    baseline: str | None = None,
    critical: Callable[[int], float] = lambda games: Z,
    margin: float = BALANCED_WITHIN,
) -> pd.DataFrame:
    """One row per cell (ruleset, agent in the first seat, agent in the second).

    ``rulesets`` and ``pairings`` give the order of the rows, ruleset by ruleset, and make a row for a cell that has no
    games yet: its counts are 0 and all else is NaN. Without them the order is that of first appearance in ``trials``,
    and only cells with games have rows.

    ``critical`` gives the critical value of a cell's intervals, from its number of games: more than `Z` where the games
    were looked at before. ``margin`` is how far from 50 % a balanced score may be.

    * ``games`` = ``finished`` + ``unfinished`` (stopped at the cap, and not adjudicated);
      ``finished`` = ``first_wins`` + ``second_wins`` + ``draws``.
    * ``first_score`` = (first_wins + draws / 2) / finished, with `score_interval`'s ``_low``, ``_high``.
    * ``first_score_lowest``, ``first_score_highest``: the score over *all* games, should the first seat lose, or win,
      every game that was stopped at the cap. ``first_score_surely_low``, ``first_score_surely_high``: the interval of
      the true score of all games, wherever between these two it lies (see `imbens_manski`). Without capped games all
      these are the plain ones.
    * ``unfairness``: |first_score - ½|; ``_low`` and ``_high`` are the least and the most that the surely interval
      allows.
    * ``balance``: what the score says in a word, see `balance_verdicts`.
    * ``first_win_rate``, ``second_win_rate``, ``draw_rate``, ``capped_rate``: shares of *all* games (they add up to 1),
      each with `wilson`'s interval; ``decisive_rate`` is the sum of the first two.
    * ``ended_by_x`` for each termination x: games that ended so, with ``ended_by_x_rate`` and its interval, a share of
      *all* games;
    * ``plies_median``, ``plies_lower_quartile``, ``plies_upper_quartile``: over all games, of the Kaplan-Meier curve
      (see `length_quantiles`): infinite where they fall among the games that were stopped at the cap, adjudicated or
      not. ``plies_median_low``, ``plies_median_high``: `median_interval`. ``plies_mean``: the mean up to the cap, a
      capped game counting the plies it reached; with its interval.
    * ``legal_moves``: legal moves at a ply, the mean over all plies of all games; with its interval.
    * ``distinct_games``: different move lists; ``distinct_share`` = distinct_games / games; ``effective_games`` =
      games² / Σ copies², what the games are worth if a copy tells nothing new.
    * the numbers of `workbench.engine.players`: means over the games that recorded them, with intervals.
    * Where lines were drawn: ``lines``, how many the games begin with, and ``x_design_effect`` of the score and of each
      rate: by what the lines make the variance larger; intervals allow for it.
    * For each event: ``event_x_mean``, how often it happened in a game, the mean over all games; ``event_x_share``, the
      share of games in which it happened at least once; ``event_x_when_fired``, the mean over those games alone (for
      an event that notes a ply number, the mean ply). NaN where the ruleset's family has no such event.

    Source: Tango 1998 (see `score_interval`); Wilson 1927 (see `wilson`); for the bounds, C. F. Manski, "Nonparametric
    bounds on treatment effects", American Economic Review 80, 1990: assume nothing of what was not seen, with the
    interval of G. W. Imbens, C. F. Manski, Econometrica 72, 2004; for the mean up to the cap, P. Royston, M. K. B.
    Parmar, BMC Medical Research Methodology 13, 2013; for games that are worth fewer, L. Kish, "Survey Sampling", 1965;
    legal moves: a ratio of sums, W. G. Cochran, "Sampling Techniques", 1977.
    Limits: each interval stands alone: of twenty, one misses its true value on average. Games with equal moves are
    still independent draws of what these agents do: few effective games do not make the intervals wrong, they say that
    the agents know few games. ``distinct_share`` falls as games are added: compare it between cells of equal size only.
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
    widths = [ClusterWidths(critical(len(part)), clusters_of(part)) for part in map(trials.cell, keys)]
    rows = [
        {"ruleset": key[0], "first": key[1], "second": key[2], "baseline": key[0] == baseline}
        | _cell_numbers(trials, key, events, endings, width)
        for key, width in zip(keys, widths, strict=True)
    ]
    without_games = _cell_numbers(trials, ("", "", ""), events, endings, ClusterWidths(critical(0)))
    table = pd.DataFrame(rows, columns=[*CELL, "baseline", *without_games])
    inflated = [_error_inflations(trials.cell(key), endings, width) for key, width in zip(keys, widths, strict=True)]
    names_of_rates = _error_inflations(trials.games.iloc[:0], endings, ClusterWidths(Z))
    spread = {name: np.array([each[name] for each in inflated]) for name in names_of_rates}
    table = _add_intervals(table, endings, np.array([width.critical for width in widths]), spread, margin)
    if CLUSTER not in trials.games:
        return table
    of_lines = ("first_score", *(one.name for one in RATE_MEASURES))
    effects = {f"{name}_design_effect": spread[name] ** 2 for name in of_lines}
    return table.assign(lines=[int(trials.cell(key)[CLUSTER].nunique()) for key in keys], **effects)


def _error_inflations(games: pd.DataFrame, endings: Sequence[str], width: ClusterWidths) -> dict[str, float]:
    """The factors by which lines enlarge the standard errors of the score and rates of one cell; see `ClusterWidths`.

    Where capped games leave a number open, it is the largest of those that they allow.
    """
    if width.clusters is None:
        rates = [one.name for one in RATE_MEASURES] + [f"ended_by_{ending}_rate" for ending in endings]
        return dict.fromkeys(["first_score", *rates], 1.0)
    results = games["result"].to_numpy(dtype=object)
    capped = results == "unfinished"
    points: Floats = np.select([results == "first", results == "draw"], [1.0, 0.5], 0.0).astype(np.float64)
    score = [points]
    if capped.any():
        finished = points[~capped].mean() if not capped.all() else 0.5
        score += [points + capped, np.where(capped, finished, points)]
    inflations = {"first_score": width.inflation(*score)}
    for one in RATE_MEASURES:
        values: Floats = np.isin(results, one.results).astype(np.float64)
        inflations[one.name] = width.inflation(values, values if "unfinished" in one.results else values + capped)
    endings_of = games["termination"].to_numpy(dtype=object)
    return inflations | {
        f"ended_by_{ending}_rate": width.inflation((endings_of == ending).astype(np.float64)) for ending in endings
    }


def _cell_numbers(
    trials: Trials, cell: CellName, events: Sequence[str], endings: Sequence[str], width: ClusterWidths
) -> dict[str, int | float]:
    """Return the counts and means of the games of one cell, in the order of the columns."""
    games = trials.cell(cell)
    n = len(games)
    results = games["result"].value_counts()
    wins, losses, draws, capped = (int(results.get(name, 0)) for name in ("first", "second", "draw", "unfinished"))
    plies = games["plies"].to_numpy(dtype=np.float64)
    stopped = games["termination"].isin(STOPPED).to_numpy()
    lower, median, upper = length_quantiles(plies, ~stopped, (0.25, 0.5, 0.75))
    longer_than_median = plies > median if math.isfinite(median) else ~stopped
    critical = width.critical_for(longer_than_median.astype(np.float64)) if n else width.z
    median_low, median_high = median_interval(plies, int(stopped.sum()), critical)
    copies = trials.column(cell, "game_hash").value_counts().to_numpy(dtype=np.float64)
    measures: dict[str, int | float] = {
        "games": n, "finished": n - capped, "first_wins": wins, "second_wins": losses, "draws": draws,
        "unfinished": capped,
        **{f"ended_by_{ending}": int((games["termination"] == ending).sum()) for ending in endings},
        "plies_median": median, "plies_median_low": median_low, "plies_median_high": median_high,
        "plies_lower_quartile": lower, "plies_upper_quartile": upper, **_mean_columns("plies_mean", plies, width),
        **_ratio_columns("legal_moves", games["legal_moves"].to_numpy(dtype=np.float64), plies, width),
        "distinct_games": len(copies), "distinct_share": len(copies) / n if n else math.nan,
        "effective_games": float(n**2 / (copies**2).sum()) if n else math.nan,
    }  # fmt: skip
    for name in (number.name for number in NUMBERS):
        if name in trials.columns:
            values = trials.column(cell, name).to_numpy(dtype=np.float64)
            recorded = ~np.isnan(values)
            measures |= _mean_columns(name, values[recorded], width.subset(recorded))
    for event in events:
        counts = trials.column(cell, event).dropna().to_numpy(dtype=np.float64)
        fired = counts[counts > 0]
        measures[f"{event}_mean"] = float(counts.mean()) if len(counts) else math.nan
        measures[f"{event}_share"] = len(fired) / len(counts) if len(counts) else math.nan
        measures[f"{event}_when_fired"] = float(fired.mean()) if len(fired) else math.nan
    return measures


def _mean_columns(name: str, values: Floats, width: ClusterWidths) -> dict[str, float]:
    """Return a mean and its interval, NaN where there is none."""
    n = len(values)
    mean = float(values.mean()) if n else math.nan
    error = float(values.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    low, high = width.interval_of_mean(mean, error, values)
    return {name: mean, f"{name}_low": low, f"{name}_high": high}


def _ratio_columns(name: str, values: Floats, weights: Floats, width: ClusterWidths) -> dict[str, float]:
    positive = weights > 0
    values, weights, width = values[positive], weights[positive], width.subset(positive)
    if not len(values):
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"), math.nan)
    ratio = float(np.average(values, weights=weights))
    residuals = (values - ratio) * weights
    error = math.sqrt(float((residuals**2).sum())) / float(weights.sum())
    low, high = width.interval_of_mean(ratio, error, residuals)
    return {name: ratio, f"{name}_low": low, f"{name}_high": high}


def _add_intervals(
    table: pd.DataFrame, endings: Sequence[str], z: Floats, inflations: Mapping[str, Floats], margin: float
) -> pd.DataFrame:
    """Return the counts with the scores, rates, intervals and bounds that follow from them, after the counts."""
    games, finished, capped, wins, draws, losses = (
        table[name].to_numpy(dtype=np.float64)
        for name in ("games", "finished", "unfinished", "first_wins", "draws", "second_wins")
    )
    points = wins + draws / 2
    inflation = inflations["first_score"]
    low, high = score_interval(wins, draws, losses, z * inflation)
    bounded = imbens_manski(lambda c: bounded_score(wins, draws, losses, capped, np.asarray(c) * inflation))(z)
    score = _share(points, finished)
    below, above = 0.5 - bounded.low, bounded.high - 0.5
    added = {
        "first_score": score, "first_score_low": low, "first_score_high": high, "first_score_lowest": bounded.least,
        "first_score_highest": bounded.most, "first_score_surely_low": bounded.low,
        "first_score_surely_high": bounded.high, "unfairness": np.abs(score - 0.5),
        "unfairness_low": np.maximum(np.maximum(-below, -above), 0.0), "unfairness_high": np.maximum(below, above),
    }  # fmt: skip
    verdicts = balance_verdicts(bounded.low, bounded.high, margin)
    counted = {one.name: [RESULTS[result] for result in one.results] for one in RATE_MEASURES}
    counted |= {f"ended_by_{ending}_rate": [f"ended_by_{ending}"] for ending in endings}
    for rate, columns in counted.items():
        count = table[columns].sum(axis=1).to_numpy(dtype=np.float64)
        low, high = wilson(count, games, z * inflations[rate])
        added |= {rate: _share(count, games), f"{rate}_low": low, f"{rate}_high": high}
    middle = pd.DataFrame(added, index=table.index)
    middle.insert(list(added).index("first_score_surely_high") + 1, "balance", verdicts)
    split = list(table.columns).index("unfinished") + 1
    return pd.concat([table.iloc[:, :split], middle, table.iloc[:, split:]], axis=1)


def stopped_games(cells: pd.DataFrame) -> Floats:
    """The games of each row of `cell_table` that were stopped at the cap: the unfinished ones and those adjudicated."""
    counts = [cells[name] for name in ("unfinished", "ended_by_adjudicated") if name in cells]
    return np.sum([count.to_numpy(dtype=np.float64) for count in counts], axis=0)  # type: ignore[no-any-return]


def strength_table(trials: pd.DataFrame) -> pd.DataFrame:
    """One row per pair of different agents that met: how well ``agent`` does against ``opponent``.

    ``score`` = (wins of the agent + half the draws + half the capped games) / games, over both ways of seating them
    added together, with `score_interval`'s ``score_low``, ``score_high``. ``games_as_first`` says in how many of the
    games the agent had the first seat. The agent is the one whose name says that it is stronger (`BY_STRENGTH`, then by
    their numbers; other names come last, by alphabet): fixed before any game is played, so that the choice does not
    push the score up.

    Source: Tango 1998 (see `score_interval`).
    Limits: draws and capped games count half, which pulls the score towards 50 %; ``unfinished`` says how many were
    capped. Added together, the seats cancel only if both ways were played equally often. Over several rulesets the
    score is a mean over games, not over rulesets.
    """
    columns = ["agent", "opponent", "games", "games_as_first", "wins", "losses", "draws", "unfinished"]
    meetings = trials[trials["first"].astype(object) != trials["second"].astype(object)]
    met = {str(label) for seat in ("first", "second") for label in meetings[seat].unique()}
    labels = sorted(met, key=_strength_key)
    rank = {label: number for number, label in enumerate(labels)}
    seats: dict[tuple[str, str], np.ndarray] = {}
    for key, games in meetings.groupby([*CELL[1:], "result"], sort=False, observed=True)["plies"].size().items():
        first, second, result = (str(part) for part in key)  # type: ignore[attr-defined]
        as_first = rank[first] > rank[second]
        counts = seats.setdefault((first, second) if as_first else (second, first), np.zeros(6, dtype=np.int64))
        won = (result == "first") == as_first
        column = {"draw": 4, "unfinished": 5}.get(result, 2 if won else 3)
        counts[[0, column]] += games
        counts[1] += games if as_first else 0
    rows = sorted(seats, key=lambda key: (rank[key[0]], rank[key[1]]))
    table = pd.DataFrame([[*row, *(int(n) for n in seats[row])] for row in rows], columns=columns)
    games_played = table["games"].to_numpy(dtype=np.float64)
    points = (table["wins"] + (table["draws"] + table["unfinished"]) / 2).to_numpy(dtype=np.float64)
    table["score"] = _share(points, games_played)
    half = (table["draws"] + table["unfinished"]).to_numpy(dtype=np.float64)
    z = [_strength_critical(meetings, *pair) for pair in rows]
    table["score_low"], table["score_high"] = score_interval(table["wins"], half, table["losses"], z)
    return table


def _strength_critical(meetings: pd.DataFrame, agent: str, opponent: str) -> float:
    """The critical value of the interval of a pair's score, where games begin with lines; see `ClusterWidths`."""
    if CLUSTER not in meetings:
        return Z
    first, second = (meetings[seat].astype(str).to_numpy(dtype=object) for seat in ("first", "second"))
    of_pair = ((first == agent) & (second == opponent)) | ((first == opponent) & (second == agent))
    results = meetings["result"].to_numpy(dtype=object)[of_pair]
    points: Floats = np.select([results == "first", results == "second"], [1.0, 0.0], 0.5).astype(np.float64)
    widths = ClusterWidths(Z, meetings[CLUSTER].to_numpy(dtype=np.intp)[of_pair])
    return widths.critical_for(np.where(first[of_pair] == agent, points, 1 - points))


def _share(count: Floats, games: Floats) -> Floats:
    shares: Floats = np.divide(count, games, out=np.full(games.shape, np.nan), where=games > 0)
    return shares


def _strength_key(label: str) -> tuple[int, int, str]:
    place = next((i for i, kind in enumerate(BY_STRENGTH) if f"{label}-".startswith(f"{kind}-")), len(BY_STRENGTH))
    number = re.search(r"(\d+)(k?)", label)
    return place, int(number[1]) * (1000 if number[2] else 1) if number else 0, label


MOST_POINTS = 200
"""Most points of a curve that are kept."""


def survival_curve(plies: npt.ArrayLike, finished: npt.ArrayLike, width: ClusterWidths | None = None) -> pd.DataFrame:
    """The share of games that still go on after so many plies: ``plies``, ``alive`` (with interval), ``at_risk``.

    ``finished`` is false for games that were stopped at the cap: they are known to have lasted at least so long.
    ``at_risk`` counts the games that had not ended before. It begins with all games at ply 0; curves of more than
    `MOST_POINTS` plies are thinned. ``width`` is what its intervals are made with, that of 95 % if left out.

    Source: E. L. Kaplan, P. Meier, "Nonparametric estimation from incomplete observations", JASA 53, 1958. Every game
    has the same cap, so that the curve is a share of all games, counted in whole games, with `wilson`'s interval.
    Limits: the curve ends at the cap; what comes after is not known.
    """
    lengths, ended = np.asarray(plies, dtype=np.float64), np.asarray(finished, dtype=bool)
    n = len(lengths)
    columns = ["plies", "alive", "alive_low", "alive_high", "at_risk"]
    if n == 0:
        return pd.DataFrame(columns=columns, dtype=np.float64)
    ends, survivors = _survivors(lengths, ended)
    times, going_on = np.append(0.0, ends), np.append(n, survivors)
    at_risk = np.append(n, going_on[:-1])
    if len(times) > MOST_POINTS:
        thinned = np.arange(MOST_POINTS) * (len(times) - 1) // (MOST_POINTS - 1)
        times, going_on, at_risk = times[thinned], going_on[thinned], at_risk[thinned]
    width = width or ClusterWidths(Z)
    z: npt.ArrayLike = width.z
    if width.clusters is not None:
        z = width.criticals((lengths > times[:, None]).astype(np.float64))
    low, high = wilson(going_on, np.full(len(times), n), z)
    values = (times, going_on / n, low, high, at_risk.astype(np.float64))
    return pd.DataFrame(dict(zip(columns, values, strict=True)))


def _survivors(lengths: Floats, ended: npt.NDArray[np.bool_]) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return the plies at which games ended, and how many games go on after each."""
    times, counts = np.unique(lengths[ended], return_counts=True)
    return times, len(lengths) - np.cumsum(counts)


def length_quantiles(plies: Floats, finished: npt.NDArray[np.bool_], shares: Sequence[float]) -> list[float]:
    """Return the lengths that a share of the games does not exceed; infinite beyond the cap, NaN without games.

    Source: Kaplan and Meier 1958: the first ply after which fewer than the rest go on. Where exactly half go on, and
    were stopped, the median is not known.
    """
    if len(plies) == 0:
        return [math.nan] * len(shares)
    times, going_on = _survivors(plies, finished)
    below = [np.flatnonzero(going_on < (1 - share) * len(plies)) for share in shares]
    return [float(times[plies_below[0]]) if len(plies_below) else math.inf for plies_below in below]


def balance_verdicts(low: npt.ArrayLike, high: npt.ArrayLike, margin: float = BALANCED_WITHIN) -> list[str]:
    """The word for each interval of the first seat's score: ``first``, ``second``, ``balanced`` or ``undecided``.

    * ``balanced``: all of the interval lies within ± ``margin`` of 50 %: what may be left to either seat is too little
      to matter. This goes before the next two: of very many games the interval may leave 50 % out, and yet lie there.
    * ``first``, ``second``: the seat that is ahead; all of the interval lies on its side of 50 %.
    * ``undecided``: it contains 50 %, and more. Few games never make a game balanced.
    * Empty where there is no interval.

    The interval to give is the one that allows for the capped games either way (``first_score_surely``).

    Source: D. J. Schuirmann, "A comparison of the two one-sided tests procedure ...", J. Pharmacokinetics and
    Biopharmaceutics 15, 1987, with 95 % intervals, which is the stricter side. ±2.5 points take at least 1,540 games.
    Limits: one cell at a time; of twenty balanced cells one is called ``first`` or ``second`` by chance.
    """
    band = 0.5 - margin, 0.5 + margin
    ends = zip(np.atleast_1d(low).astype(float), np.atleast_1d(high).astype(float), strict=True)
    return ["" if math.isnan(a) or math.isnan(b) else band_verdict(a, b, band) for a, b in ends]


def band_verdict(low: float, high: float, band: tuple[float, float]) -> str:
    """Return the word of `balance_verdicts` for one interval; ``balanced`` is what lies in ``band``."""
    if low >= band[0] and high <= band[1]:
        return "balanced"
    return "first" if low > 0.5 else "second" if high < 0.5 else "undecided"


def target_band(target: Target) -> tuple[float, float]:
    """Return the smallest and the largest value that meet a target; ``<`` and ``>`` leave out the limit itself.

    >>> target_band([40, 120])
    (40.0, 120.0)
    >>> target_band(">=0.5")
    (0.5, inf)

    Raises:
        ValueError: it is neither two numbers in order nor a limit.
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


def target_table(
    cells: pd.DataFrame, targets: Mapping[str, Target], critical: Callable[[int], float] = lambda games: Z
) -> pd.DataFrame:
    """One row per cell and target: ``met``, ``missed`` or ``undecided``, with the interval that says so.

    ``value`` is the estimate and ``low``, ``high`` the interval that is judged: ``met`` if all of it lies in the
    target, ``missed`` if none of it does, else ``undecided``, and ``reason`` says what is in the way: ``no_games``,
    ``too_few_games`` or ``capped_games``. The interval leaves open how capped games would have ended: it reaches from
    below the smallest value that they allow to above the largest (see `imbens_manski`); for ``plies`` it is that of the
    median (`median_interval`), with no upper end where that falls among the capped games. ``critical`` is that of
    `cell_table`, for the one interval that is not in the table.

    Source: Tango 1998, Wilson 1927; Imbens and Manski 2004 with capped games; order statistics for the median
    (`median_interval`).
    Limits: each verdict stands alone at 95 %. ``met`` says that the true value lies in the target, which takes far more
    games than an estimate that lies in it.

    Raises:
        ValueError: a target has another name than `TARGETS`, or is not a target.
    """
    rows = []
    for name, target in targets.items():
        if name not in TARGETS:
            known = ", ".join(TARGETS)
            raise ValueError(tr("there is no target {name!r}; targets are {targets}", name=name, targets=known))
        least, most = target_band(target)
        low, high, without_cap = _target_interval(cells, name, critical)
        value = cells["plies_median" if name == "plies" else name].to_numpy(dtype=np.float64)
        for row, cell in enumerate(cells[["ruleset", "first", "second"]].itertuples(index=False)):
            verdict = _target_verdict(low[row], high[row], least, most)
            reason = ""
            if math.isnan(low[row]):
                reason = "no_games"
            elif verdict == "undecided":
                plain = without_cap[row]
                few = _target_verdict(*plain, least, most) == "undecided" and not math.isnan(plain[0])
                reason = "too_few_games" if few else "capped_games"
            wanted = target if isinstance(target, str) else tr("{least:g} to {most:g}", least=least, most=most)
            rows.append((*cell, name, wanted, value[row], low[row], high[row], verdict, reason))
    columns = ["ruleset", "first", "second", "target", "wanted", "value", "low", "high", "verdict", "reason"]
    return pd.DataFrame(rows, columns=columns)


def _target_interval(
    cells: pd.DataFrame, name: str, critical: Callable[[int], float]
) -> tuple[Floats, Floats, list[tuple[float, float]]]:
    """Return the interval to judge in each cell, and the one that there would be without capped games."""

    def column(of: str) -> Floats:
        return cells[of].to_numpy(dtype=np.float64)

    if name == "plies":
        low, high = column("plies_median_low"), column("plies_median_high")
        stopped = np.isinf(high) & (stopped_games(cells) > 0)
        median = column("plies_median")
        return low, high, list(zip(low, np.where(stopped, np.where(np.isinf(median), low, median), high), strict=True))
    if name == "first_score":
        low, high = column("first_score_surely_low"), column("first_score_surely_high")
        return low, high, list(zip(column("first_score_low"), column("first_score_high"), strict=True))
    low, high = column(f"{name}_low"), column(f"{name}_high")
    plain = list(zip(low, high, strict=True))
    if "unfinished" not in MEASURES[name].results:
        count = np.sum([column(RESULTS[word]) for word in MEASURES[name].results], axis=0)
        capped, games = column("unfinished"), column("games")
        lines, inflation = lines_and_inflation(cells, name)
        z = t_from_normal(np.array([critical(int(n)) for n in games], dtype=np.float64), lines)
        sure = imbens_manski(lambda c: bounded_share(count, capped, games, np.asarray(c) * inflation))(z)
        low, high = sure.low, sure.high
    return low, high, plain


def _target_verdict(low: float, high: float, least: float, most: float) -> str:
    if math.isnan(low) or math.isnan(high):
        return "undecided"
    if least <= low and high <= most:
        return "met"
    if high < least or low > most:
        return "missed"
    return "undecided"
