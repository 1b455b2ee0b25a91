"""Trial records -> one row per cell, one row per pair of agents."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from workbench.statistics.intervals import Floats, median_interval, wilson
from workbench.statistics.verdicts import balance

CELL = ["ruleset", "first", "second"]
"""The columns that name a cell: a ruleset and the agents in its two seats."""

RATES = {
    "first_win_rate": "first_wins",
    "second_win_rate": "second_wins",
    "draw_rate": "draws",
    "capped_rate": "unfinished",
}
"""Each rate and the count that it is the share of, over all games."""

RANGE_LIMIT = 5.0
"""Standard errors by which cell means must spread before an event counts as different: Tukey's studentized range at
5 % for 20 groups is 5.0, and less for fewer."""

KINDS = ("random", "greedy", "alphabeta", "mcts")
"""Kinds of agents from weak to strong, as they are named."""


def cells(
    trials: pd.DataFrame,
    rulesets: Sequence[str] | None = None,
    pairings: Sequence[tuple[str, str]] | None = None,
    baseline: str | None = None,
) -> pd.DataFrame:
    """One row per cell (ruleset, agent in the first seat, agent in the second).

    ``rulesets`` and ``pairings`` give the order of the rows, ruleset by ruleset, and make a row for a cell that has no
    games yet: its counts are 0 and all else is NaN. Without them the order is that of first appearance in ``trials``,
    and only cells with games have rows.

    * ``baseline``: whether the ruleset is the one that the others are compared with.
    * ``games`` = ``finished`` + ``unfinished`` (stopped at the cap);
      ``finished`` = ``first_wins`` + ``second_wins`` + ``draws``.
    * ``first_score`` = (first_wins + draws / 2) / finished, with `wilson`'s interval ``_low``, ``_high``.
    * ``first_score_lowest``, ``first_score_highest``: the score over *all* games, should the first seat lose, or win,
      every game that was stopped at the cap. ``first_score_surely_low``, ``first_score_surely_high``: the lower end of
      the interval of the one, the upper end of that of the other. Without capped games all these are the plain ones.
    * ``balance``: what the score says in a word, see `workbench.statistics.balance`.
    * ``first_win_rate``, ``second_win_rate``, ``draw_rate``, ``capped_rate``: shares of *all* games (they add up to 1),
      each with `wilson`'s interval.
    * ``ended_by_x`` for each termination x: games that ended so, with ``ended_by_x_rate`` and its interval, a share of
      *all* games;
    * ``plies_median``, ``plies_lower_quartile``, ``plies_upper_quartile``: over all games, a capped one counting the
      plies it reached: where a quantile falls among the capped games, the true one is larger.
      ``plies_median_low``, ``plies_median_high``: `median_interval`.
    * ``legal_moves``: legal moves at a ply, the mean over all plies of all games.
    * ``distinct_games``: different move lists; ``distinct_share`` = distinct_games / games.
    * For each event: ``event_x_mean``, how often it happened in a game, the mean over all games; ``event_x_share``, the
      share of games in which it happened at least once; ``event_x_when_fired``, the mean over those games alone (for
      an event that notes a ply number, the mean ply). NaN where the ruleset's family has no such event.

    Source: Wilson 1927; Brown, Cai and DasGupta 2001 (see `wilson`); for the bounds, C. F. Manski, "Nonparametric
    bounds on treatment effects", American Economic Review 80, 1990: assume nothing of what was not seen.
    Limits: `wilson` is conservative for a score with draws. Each interval stands alone: of twenty, one misses its true
    value on average. ``distinct_share`` falls as games are added: compare it between cells of equal size only.
    """
    found: dict[tuple[str, str, str], pd.DataFrame] = {}
    for key, games in trials.groupby(CELL, sort=False, observed=True):
        ruleset, first, second = (str(part) for part in key)
        found[ruleset, first, second] = games
    if rulesets is None and pairings is None:
        keys = list(found)
    else:
        names = _unique(trials["ruleset"]) if rulesets is None else list(rulesets)
        pairs = list(dict.fromkeys((f, s) for _, f, s in found)) if pairings is None else list(pairings)
        keys = [(name, first, second) for name in names for first, second in pairs]
    events = [str(column) for column in trials.columns if str(column).startswith("event_")]
    endings = sorted(str(ending) for ending in trials["termination"].unique())
    none = trials.iloc[:0]
    rows = [
        {"ruleset": key[0], "first": key[1], "second": key[2], "baseline": key[0] == baseline}
        | _measures(found.get(key, none), events, endings)
        for key in keys
    ]
    names_of_columns = [*CELL, "baseline", *_measures(none, events, endings)]
    return _with_intervals(pd.DataFrame(rows, columns=names_of_columns), endings)


def _measures(games: pd.DataFrame, events: Sequence[str], endings: Sequence[str]) -> dict[str, int | float]:
    """What is counted in the games of one cell, in the order of the columns."""
    n = len(games)
    results = games["result"].value_counts()
    wins, losses, draws, capped = (int(results.get(name, 0)) for name in ("first", "second", "draw", "unfinished"))
    plies = games["plies"].to_numpy(dtype=np.float64)
    legal = games["legal_moves"].to_numpy(dtype=np.float64)
    moved = plies > 0
    lower, median, upper = np.quantile(plies, [0.25, 0.5, 0.75]) if n else (math.nan,) * 3
    median_low, median_high = median_interval(plies, capped)
    distinct = int(games["game_hash"].nunique())
    measures: dict[str, int | float] = {
        "games": n,
        "finished": n - capped,
        "first_wins": wins,
        "second_wins": losses,
        "draws": draws,
        "unfinished": capped,
        **{f"ended_by_{ending}": int((games["termination"] == ending).sum()) for ending in endings},
        "plies_median": float(median),
        "plies_median_low": median_low,
        "plies_median_high": median_high,
        "plies_lower_quartile": float(lower),
        "plies_upper_quartile": float(upper),
        "legal_moves": float(np.average(legal[moved], weights=plies[moved])) if moved.any() else math.nan,
        "distinct_games": distinct,
        "distinct_share": distinct / n if n else math.nan,
    }
    for event in events:
        counts = games[event].dropna().to_numpy(dtype=np.float64)
        fired = counts[counts > 0]
        measures[f"{event}_mean"] = float(counts.mean()) if len(counts) else math.nan
        measures[f"{event}_share"] = len(fired) / len(counts) if len(counts) else math.nan
        measures[f"{event}_when_fired"] = float(fired.mean()) if len(fired) else math.nan
    return measures


def _with_intervals(table: pd.DataFrame, endings: Sequence[str]) -> pd.DataFrame:
    """The counts with the scores, rates, intervals and bounds that follow from them, after the counts."""
    games, finished, capped = (table[name].to_numpy(dtype=np.float64) for name in ("games", "finished", "unfinished"))
    points = table["first_wins"].to_numpy(dtype=np.float64) + table["draws"].to_numpy(dtype=np.float64) / 2
    low, high = wilson(points, finished)
    added = {
        "first_score": _share(points, finished),
        "first_score_low": low,
        "first_score_high": high,
        "first_score_lowest": _share(points, games),
        "first_score_highest": _share(points + capped, games),
        "first_score_surely_low": wilson(points, games)[0],
        "first_score_surely_high": wilson(points + capped, games)[1],
    }
    word = balance(added["first_score_surely_low"], added["first_score_surely_high"])
    for rate, counted in (RATES | {f"ended_by_{ending}_rate": f"ended_by_{ending}" for ending in endings}).items():
        count = table[counted].to_numpy(dtype=np.float64)
        low, high = wilson(count, games)
        added |= {rate: _share(count, games), f"{rate}_low": low, f"{rate}_high": high}
    middle = pd.DataFrame(added, index=table.index)
    middle.insert(list(added).index("first_score_surely_high") + 1, "balance", word)
    at = list(table.columns).index("unfinished") + 1
    return pd.concat([table.iloc[:, :at], middle, table.iloc[:, at:]], axis=1)


def strength(trials: pd.DataFrame, agents: Sequence[str] | None = None, by_ruleset: bool = False) -> pd.DataFrame:
    """One row per pair of different agents that met: how well ``agent`` does against ``opponent``.

    ``score`` = (wins of the agent + half the draws + half the capped games) / games, over both ways of seating them
    added together, with `wilson`'s interval ``score_low``, ``score_high``. ``games_as_first`` says in how many of the
    games the agent had the first seat. With ``by_ruleset`` there is a row for each ruleset and pair.
    The agent is the one of the pair that comes later in ``agents``. Without ``agents`` it is the one whose name says
    that it is stronger (random, greedy, alphabeta, mcts, then by their numbers; other names come last, by alphabet):
    fixed before any game is played, so that the choice does not push the score up.

    Source: Wilson 1927; Brown, Cai and DasGupta 2001 (see `wilson`).
    Limits: draws and capped games count half, which pulls the score towards 50 %; ``unfinished`` says how many were
    capped. Added together, the seats cancel only if both ways were played equally often. Over several rulesets the
    score is a mean over games, not over rulesets.
    """
    columns = ["agent", "opponent", "games", "games_as_first", "wins", "losses", "draws", "unfinished"]
    met = trials[trials["first"].astype(object) != trials["second"].astype(object)]
    labels = sorted({str(label) for seat in ("first", "second") for label in met[seat]}, key=_strength_of_name)
    if agents is not None:
        labels.sort(key=lambda label: list(agents).index(label) if label in agents else -1)
    rank = {label: number for number, label in enumerate(labels)}
    seats: dict[tuple[str, ...], np.ndarray] = {}
    for key, games in met.groupby([*CELL, "result"], sort=False, observed=True)["plies"].size().items():
        ruleset, first, second, result = (str(part) for part in key)  # type: ignore[attr-defined]
        as_first = rank[first] > rank[second]
        pair = (first, second) if as_first else (second, first)
        kept = seats.setdefault((ruleset, *pair) if by_ruleset else pair, np.zeros(6, dtype=np.int64))
        won = (result == "first") == as_first
        place = {"draw": 4, "unfinished": 5}.get(result, 2 if won else 3)
        kept[[0, place]] += games
        kept[1] += games if as_first else 0
    order = _unique(trials["ruleset"])
    rows = sorted(seats, key=lambda key: (order.index(key[0]) if by_ruleset else 0, rank[key[-2]], rank[key[-1]]))
    if by_ruleset:
        columns.insert(0, "ruleset")
    table = pd.DataFrame([[*row, *(int(n) for n in seats[row])] for row in rows], columns=columns)
    games_played = table["games"].to_numpy(dtype=np.float64)
    points = (table["wins"] + (table["draws"] + table["unfinished"]) / 2).to_numpy(dtype=np.float64)
    table["score"] = _share(points, games_played)
    table["score_low"], table["score_high"] = wilson(points, games_played)
    return table


def differing_events(trials: pd.DataFrame) -> list[str]:
    """The event columns whose mean per game differs between rulesets by more than chance, in the order of the columns.

    For one pairing at a time: (largest - smallest cell mean) / √(mean of s²/n over the cells) > `RANGE_LIMIT`, with s²
    the variance in a cell and n its games. One such pairing is enough.

    Source: J. W. Tukey's range test; with unequal variances in the manner of P. A. Games, J. F. Howell, Journal of
    Educational Statistics 1, 1976.
    Limits: chooses what a table shows; it is no proof. The mean of cells with fewer than a few dozen games is not
    normal enough for the limit to mean 5 %.
    """
    names = [str(column) for column in trials.columns if str(column).startswith("event_")]
    if not names:
        return []
    grouped = trials.groupby(CELL, sort=False, observed=True)[names]
    mean, n = grouped.mean(), grouped.count()
    chance = grouped.var() / n.where(n > 1)
    per_pairing = ["first", "second"]
    spread = mean.groupby(per_pairing).max() - mean.groupby(per_pairing).min()
    error = chance.groupby(per_pairing).mean() ** 0.5
    differ = ((spread > RANGE_LIMIT * error) & (spread > 0)).any()
    return [name for name in names if differ[name]]


def _share(count: Floats, games: Floats) -> Floats:
    shares: Floats = np.divide(count, games, out=np.full(games.shape, np.nan), where=games > 0)
    return shares


def _unique(names: Iterable[object]) -> list[str]:
    return list(dict.fromkeys(str(name) for name in names))


def _strength_of_name(label: str) -> tuple[int, int, str]:
    kind = label.partition("-")[0]
    number = re.search(r"\d+", label)
    return KINDS.index(kind) if kind in KINDS else len(KINDS), int(number.group()) if number else 0, label
