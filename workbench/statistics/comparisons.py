"""Proposals against the baseline: how much they differ, how surely, and the verdict.

Fairness is the distance of the first seat's score from one half: the smaller, the fairer. The *gain* of a proposal is
the baseline's distance less its own. It is no linear function of the two scores, and its estimate strays to one side
where a score is near one half; `gain` says why its intervals and tests hold all the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from statsmodels.stats.multitest import multipletests

from workbench.statistics.intervals import (
    Floats,
    Range,
    bounded_score,
    bounded_share,
    difference,
    imbens_manski,
    mean_interval,
    reach,
    total,
)
from workbench.statistics.sequential import ALPHA, critical, crossing, look_sizes
from workbench.statistics.setup import Cell, Setup
from workbench.statistics.tables import CELL, places

MEASURES = (
    "fairness",
    "first_score",
    "first_win_rate",
    "second_win_rate",
    "draw_rate",
    "capped_rate",
    "plies_mean",
    "legal_moves",
)
"""What is compared. ``fairness`` has the verdict."""

COLUMNS = [
    *CELL, "measure", "games", "baseline_games", "value", "baseline_value", "difference", "least", "most", "low",
    "high", "simultaneous_low", "simultaneous_high", "p", "p_holm", "chosen", "p_equivalent", "margin",
    "verdict", "reason", "games_needed",
]  # fmt: skip

COUNTED = {"first_win_rate": "first", "second_win_rate": "second", "draw_rate": "draw", "capped_rate": "unfinished"}

Tally = Mapping[str, Floats]
"""What was counted, an array over cells for each name."""
Pair = tuple[Tally, Tally]
LIKELY = 0.8416
"""The normal quantile of 80 %: with so many standard errors to spare, a test succeeds four times out of five."""


def gain(apart: Range, added: Range) -> Range:
    """|b - ½| - |p - ½| with its interval, of a baseline's score b and a proposal's p; above 0 the proposal is fairer.

    ``apart`` is A = b - p and ``added`` is B = b + p - 1. The gain is positive if and only if A and B are both positive
    or both negative. So "fairer" is claimed only if the intervals of A and of B lie on the same side of 0, and the
    lower end is max(min(low A, low B), min(-high A, -high B)); the upper end likewise with p and b in each other's
    place.

    Source: two tests that must both succeed, each at the full level, keep that level: R. L. Berger, "Multiparameter
    hypothesis testing and acceptance sampling", Technometrics 24, 1982; for cones of this shape S. Sasabuchi, "A test
    of a multivariate normal mean with composite hypotheses determined by linear inequalities", Biometrika 67, 1980.
    The intervals of A and B are those of `difference` and `total`.
    Limits: a proposal that is no fairer is called fairer by a 95 % interval in at most 5 % of experiments, usually in
    2.5 %. Where a true score is near ½ the estimate of the gain is too small (proposal) or too large (baseline) by up
    to 0.8 standard errors of that score. The interval covers at least 95 % but for a fraction of a percent.
    With capped games the intervals of `imbens_manski` keep the 5 % for the *sign* of the gain, where both of two tests
    must err at once; an end on the far side of 0 (and equivalence) needs the usual ones, since there either of the two
    may err: with those of `imbens_manski` it would cover 90 % where a score is ½.
    """

    def ends(a_low: Floats, a_high: Floats, b_low: Floats, b_high: Floats) -> tuple[Floats, Floats]:
        low = np.maximum(np.minimum(a_low, b_low), np.minimum(-a_high, -b_high))
        high = np.minimum(np.maximum(a_high, -b_low), np.maximum(-a_low, b_high))
        return low, high

    bare = ends(apart.least, apart.most, added.least, added.most)
    return Range(*bare, *ends(apart.low, apart.high, added.low, added.high))


def tally(trials: pd.DataFrame, cells: Sequence[Cell], stop: int | None = None) -> Tally:
    """What comparisons need to know of the first ``stop`` games of each cell (None: of all), an entry for each cell."""
    some = trials if stop is None else trials[trials["game"] < stop]
    place = {cell: row for row, cell in enumerate(dict.fromkeys(cells))}
    at = places(some, list(place))
    known = at >= 0
    at = at[known]
    result = some["result"].to_numpy(dtype=object)[known]
    plies = some["plies"].to_numpy(dtype=np.float64)[known]
    moves = some["legal_moves"].to_numpy(dtype=np.float64)[known] * plies

    def added(values: npt.NDArray[Any]) -> Floats:
        return np.bincount(at, values.astype(np.float64), len(place)).astype(np.float64)

    found = {word: added(result == word) for word in ("first", "second", "draw", "unfinished")}
    n = found["games"] = added(np.ones(len(at)))
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = found["plies_mean"] = added(plies) / n
        found["plies_mean_error"] = np.sqrt(added((plies - mean[at]) ** 2) / (n - 1) / n)
        # A ratio of sums; its error follows from what the games add to both.
        ratio = found["legal_moves"] = added(moves) / added(plies)
        found["legal_moves_error"] = np.sqrt(added((moves - ratio[at] * plies) ** 2)) / added(plies)
    return {name: values[[place[cell] for cell in cells]] for name, values in found.items()}


def estimate(found: Tally, measure: str) -> Floats:
    """The estimate of a measure in each cell of a `tally`; NaN without games."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure in ("first_score", "fairness"):
            score = (found["first"] + found["draw"] / 2) / (found["games"] - found["unfinished"])
            return score if measure == "first_score" else np.abs(score - 0.5)
        return found[COUNTED[measure]] / found["games"] if measure in COUNTED else found[measure]


def ranges(found: Tally, measure: str, z: npt.ArrayLike) -> Range:
    """Estimates of a measure, capped games as they might have ended, and ends ``z`` standard errors outside of them.

    For ``fairness`` they are those of the score.
    """
    w, d, lost, c, n = (found[name] for name in ("first", "draw", "second", "unfinished", "games"))
    if measure in ("first_score", "fairness"):
        return bounded_score(w, d, lost, c, z)
    if measure in COUNTED:
        return bounded_share(found[COUNTED[measure]], 0.0 if measure == "capped_rate" else c, n, z)
    return Range(found[measure], found[measure], *mean_interval(found[measure], found[f"{measure}_error"], z))


def comparisons(trials: pd.DataFrame, setup: Setup, measures: Sequence[str] = MEASURES) -> pd.DataFrame:
    """One row per proposal, pairing and measure: proposal less baseline, and for ``fairness`` the `gain` and verdict.

    * ``difference``; ``least`` and ``most``: what capped games could make of it; ``low``, ``high``: its 95 % interval,
      wherever between these two the truth lies; ``simultaneous_low``, ``simultaneous_high``: the same for all chosen
      comparisons at once.
    * ``p``: of "there is no difference", whatever the capped games; the smallest level at which the interval leaves 0
      out, looks at fewer games included. ``p_holm``: corrected over all proposals, pairings and chosen measures.
    * ``p_equivalent``: of "the gain is ``margin`` or more, in either direction" (fairness only).
    * ``verdict`` for fairness: ``no_meaningful_difference`` if p_equivalent ≤ 5 %, else ``fairer`` or ``less_fair`` if
      p_holm ≤ 5 %, else ``undecided``; for other measures ``higher``, ``lower`` or ``no_difference_shown``.
    * ``reason`` of an undecided verdict: ``no_games``, ``capped_games`` (they leave open more than chance does, or so
      much that no number of games would decide), ``no_look`` (no look was reached yet), ``together`` (the interval,
      that of one comparison, leaves 0 out, but p_holm is above 5 %) or ``too_few_games``; ``games_needed``: further
      games per cell that decide with a chance of 80 %, should what was found be the truth; 0 if decided.

    In an experiment with ``until``, a comparison is that of the last look that both cells reached.

    Source: `gain`, `difference`, `imbens_manski`, `crossing`; S. Holm, "A simple sequentially rejective multiple test
    procedure", Scandinavian J. of Statistics 6, 1979 (statsmodels), with looks: Y. Ye, A. Li, L. Liu, B. Yao, "A group
    sequential Holm procedure with multiple primary endpoints", Statistics in Medicine 32, 2013; equivalence: D. J.
    Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987, with the 95 % interval, since at ½ both of its sides
    can err.
    Limits: the baseline's games take part in all comparisons of a pairing; Holm holds for that. Equivalence is shown
    for each proposal alone. Differences that were not chosen are told apart by p alone: they are hints. After an early
    end the estimates stray a little to the far side.
    """
    rows = [(name, *pairing) for name in setup.proposals for pairing in setup.pairings]
    if not rows:
        return _empty()
    looks = setup.verdict_looks
    sizes = look_sizes(setup.games, looks) if looks > 1 else []
    every = _pair(trials, rows, setup.baseline)
    games = np.minimum(every[0]["games"], every[1]["games"])
    reached = np.array([sum(n >= size for size in sizes) if sizes else int(n > 0) for n in games])
    # A look's games belong to the looks after it: what is compared is what the last look saw.
    snapshots = [_pair(trials, rows, setup.baseline, size) for size in sizes] or [every]
    final = _chosen_look([*snapshots, every] if sizes else snapshots, np.where(reached > 0, reached - 1, len(sizes)))
    family = len(rows) * len({"fairness", *setup.measures} & set(measures))
    parts = []
    for measure in measures:
        away, sign, equal = (np.zeros(len(rows)) for _ in range(3))
        for look, (a, b) in enumerate(snapshots, start=1):
            z, towards = _separation(a, b, measure)
            z *= math.sqrt(look / looks)
            further = (reached >= look) & (z > away)
            away, sign = np.where(further, z, away), np.where(further, towards, sign)
            if measure == "fairness":
                near = _closeness(a, b, setup.margin) * math.sqrt(look / looks)
                equal = np.where(reached >= look, np.maximum(near, equal), equal)
        known = (reached > 0) & ~np.isnan(estimate(final[0], measure) - estimate(final[1], measure))
        part = pd.DataFrame(rows, columns=CELL).assign(
            measure=measure,
            p=np.where(known, crossing(away, looks), np.nan),
            sign=sign,
            chosen=measure in setup.measures or measure == "fairness",
            p_equivalent=np.where(known, crossing(equal, looks), np.nan) if measure == "fairness" else np.nan,
            margin=setup.margin if measure == "fairness" else np.nan,
        )
        parts.append(part.join(_estimates(*final, measure, setup, family)))
    table = pd.concat(parts, ignore_index=True)
    table["p_holm"] = np.nan
    # What has no p-value yet can show nothing, but belongs to the family all the same.
    corrected = multipletests(table.loc[table["chosen"], "p"].fillna(1.0), alpha=ALPHA, method="holm")[1]
    table.loc[table["chosen"], "p_holm"] = corrected
    table.loc[table["p"].isna(), "p_holm"] = np.nan
    _judge(table, looks)
    order = {row: place for place, row in enumerate(rows)}
    row = table[CELL].apply(tuple, axis=1).map(order)
    return table.iloc[np.argsort(row, kind="stable")].reset_index(drop=True)[COLUMNS]


def _empty() -> pd.DataFrame:
    words = (*CELL, "measure", "verdict", "reason")
    kinds: dict[str, type] = {**dict.fromkeys(COLUMNS, float), **dict.fromkeys(words, object), "chosen": bool}
    return pd.DataFrame({name: pd.Series(dtype=kinds[name]) for name in COLUMNS})


def _column(found: pd.DataFrame, name: str) -> Floats:
    return found[name].to_numpy(dtype=np.float64)


def _pair(trials: pd.DataFrame, rows: Sequence[Cell], baseline: str, stop: int | None = None) -> Pair:
    """The tallies of the proposals, and those of the baseline that belong to them, row by row."""
    both = tally(trials, [*rows, *((baseline, first, second) for _, first, second in rows)], stop)
    count = len(rows)
    return {name: each[:count] for name, each in both.items()}, {name: each[count:] for name, each in both.items()}


def _chosen_look(looks: Sequence[Pair], which: npt.NDArray[np.int64]) -> Pair:
    """In each row the tallies of another look."""
    rows = np.arange(len(which))
    one, two = (
        {name: np.stack([pair[side][name] for pair in looks])[which, rows] for name in looks[0][side]}
        for side in (0, 1)
    )
    return one, two


def _ends(a: Tally, b: Tally, measure: str, z: npt.ArrayLike) -> Range:
    """The difference (or gain) of a measure and its interval; ``a`` are the proposals, ``b`` their baselines."""
    sharp = _sharp(a, b, measure)(z)
    if measure != "fairness":
        return sharp
    usual = gain(*_apart_and_added(a, b, z))
    low = np.where(sharp.low > 0, sharp.low, usual.low)
    return Range(sharp.least, sharp.most, low, np.where(sharp.high < 0, sharp.high, usual.high))


def _sharp(a: Tally, b: Tally, measure: str) -> Callable[[npt.ArrayLike], Range]:
    """As `_ends`, but for ``fairness`` the ends tell no more than the sign of the gain; see `gain`."""
    if measure != "fairness":
        return imbens_manski(lambda c: difference(ranges(a, measure, c), ranges(b, measure, c)))
    if not (a["unfinished"].any() or b["unfinished"].any()):
        return lambda z: gain(*_apart_and_added(a, b, z))
    apart = imbens_manski(lambda c: _apart_and_added(a, b, c)[0])
    added = imbens_manski(lambda c: _apart_and_added(a, b, c)[1])
    return lambda z: gain(apart(z), added(z))


def _apart_and_added(a: Tally, b: Tally, z: npt.ArrayLike) -> tuple[Range, Range]:
    """What `gain` takes, from ends ``z`` standard errors outside of their bounds."""
    proposal, baseline = ranges(a, "fairness", z), ranges(b, "fairness", z)
    return difference(baseline, proposal), Range(*(end - 1 for end in total(baseline, proposal)))


def _separation(a: Tally, b: Tally, measure: str) -> tuple[Floats, Floats]:
    """The largest critical value at which the interval leaves 0 out, and the sign of the difference."""
    sharp = _sharp(a, b, measure)

    def apart(z: Floats) -> Floats:
        ends = sharp(z)
        return np.fmax(ends.low, -ends.high)

    bare = sharp(0.0)
    return reach(apart, bare.least), np.where(bare.least > 0, 1.0, np.where(bare.most < 0, -1.0, 0.0))


def _closeness(a: Tally, b: Tally, margin: float) -> Floats:
    """The largest critical value at which the interval of the gain lies within ± ``margin``."""

    def within(z: Floats) -> Floats:
        ends = gain(*_apart_and_added(a, b, z))
        return np.minimum(ends.low + margin, margin - ends.high)

    return reach(within, np.zeros(len(a["games"])))


def _estimates(a: Tally, b: Tally, measure: str, setup: Setup, family: int) -> pd.DataFrame:
    """The columns of numbers of `comparisons`, p-values aside."""
    games = np.minimum(a["games"], b["games"])
    value, other = estimate(a, measure), estimate(b, measure)
    single = np.array([setup.critical(int(n)) for n in games])
    many = np.array([setup.critical(int(n), ALPHA / family) for n in games])
    ends, together = _ends(a, b, measure, single), _ends(a, b, measure, many)
    return pd.DataFrame({
        "games": a["games"].astype(int),
        "baseline_games": b["games"].astype(int),
        "value": value,
        "baseline_value": other,
        "difference": other - value if measure == "fairness" else value - other,
        "least": ends.least,
        "most": ends.most,
        "low": ends.low,
        "high": ends.high,
        "simultaneous_low": together.low,
        "simultaneous_high": together.high,
        "critical": single,
    })  # fmt: skip


def _judge(table: pd.DataFrame, looks: int) -> None:
    """Adds verdicts, reasons and the games that are needed."""
    fairness = (table["measure"] == "fairness").to_numpy()
    p = table["p_holm"].where(table["chosen"], table["p"]).to_numpy(dtype=np.float64)
    sign = _column(table, "sign")
    clear = (p <= ALPHA) & (sign != 0)
    equal = fairness & (_column(table, "p_equivalent") <= ALPHA)
    words = np.where(fairness, np.where(sign > 0, "fairer", "less_fair"), np.where(sign > 0, "higher", "lower"))
    words = np.where(clear, words, np.where(fairness, "undecided", "no_difference_shown"))
    table["verdict"] = np.where(equal, "no_meaningful_difference", words).astype(object)
    missing = ((table["games"] == 0) | (table["baseline_games"] == 0)).to_numpy()
    unrefused = max(1, int((table["chosen"] & ~(p <= ALPHA)).sum()))
    needed = _games_needed(table, critical(ALPHA / unrefused, looks), critical(ALPHA, looks))
    decided = table["verdict"].isin(["fairer", "less_fair", "no_meaningful_difference"]).to_numpy()
    table["games_needed"] = np.where(fairness, np.where(decided, 0.0, needed), np.nan)
    least, most, low, high = (_column(table, name) for name in ("least", "most", "low", "high"))
    alone = (low > 0) | (high < 0)
    reason = np.where(alone, "together", "too_few_games")
    reason = np.where((table["p"].isna() & table["difference"].notna()).to_numpy() & (looks > 1), "no_look", reason)
    by_caps = np.isinf(needed) | ~alone & (most - least > (high - most) + (least - low))
    reason = np.where(by_caps, "capped_games", reason)
    reason = np.where(missing, "no_games", reason)
    table["reason"] = np.where(fairness & ~decided, reason, "").astype(object)


def _games_needed(table: pd.DataFrame, separate: float, close: float) -> Floats:
    """Further games per cell after which either the gain or its absence will probably be shown."""
    least, most, games, margin = (_column(table, name) for name in ("least", "most", "games", "margin"))
    with np.errstate(divide="ignore", invalid="ignore"):
        error = (_column(table, "high") - most + least - _column(table, "low")) / (2 * _column(table, "critical"))
        distance = np.where(least > 0, least, np.where(most < 0, -most, 0.0))
        room = np.maximum(margin - np.maximum(np.abs(least), np.abs(most)), 0.0)
        times = np.fmin(((separate + LIKELY) * error / distance) ** 2, ((close + LIKELY) * error / room) ** 2)
        further = np.maximum(np.ceil(games * (times - 1)), 1.0)
    return np.where(np.isnan(further) & (games > 0), np.inf, further)
