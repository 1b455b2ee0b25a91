"""How many ways the games take: openings, how common and how balanced they are."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.statistics.intervals import Floats, score_interval
from workbench.statistics.setup import Setup
from workbench.statistics.tables import CELL

DEEPEST = 6
"""Plies of an opening that a record keeps."""
POINTS = {"first": 1.0, "draw": 0.5, "second": 0.0}
COMMON = 30
"""Games that an opening needs to be judged."""
LISTED = 12
"""Openings that are listed for each cell and ply."""
SEEN = 0.5
"""The share of games that should open in a way that was seen before, if openings are to be counted at that depth."""

COLUMNS = [
    *CELL, "ply", "shown", "games", "different", "entropy", "effective", "effective_low", "effective_high", "coverage",
    "common", "balanced", "lopsided", "undecided",
]  # fmt: skip
LINES = [
    *CELL, "ply", "opening", "games", "share", "finished", "score", "score_low", "score_high", "status",
]  # fmt: skip


def diversity(counts: npt.ArrayLike) -> tuple[float, float, float]:
    """Entropy in bits, its standard error, and the coverage of a sample; ``counts`` are how often each kind occurred.

    The sample's own entropy is too small where kinds are still unseen. With f₁ the kinds that were seen once and n all
    observations, the sample covers C = 1 - f₁ / n of what there is; each p = count / n shrinks to C p, and each term
    -p log p is divided by the chance 1 - (1 - p)ⁿ of having been seen.

    Source: A. Chao, T.-J. Shen, "Nonparametric estimation of Shannon's index of diversity when there are unseen
    species in sample", Environmental and Ecological Statistics 10, 2003; the coverage is I. J. Good, Biometrika 40,
    1953; the error is that of the sample's own entropy, G. P. Basharin, Theory of Probability and Its Applications 4,
    1959. Two to the power of the entropy is the effective number of kinds: L. Jost, "Entropy and diversity", Oikos
    113, 2006.
    Limits: a coverage below one half means that most kinds are unseen: the entropy is then a lower bound, its interval
    too narrow.
    """
    seen = np.asarray(counts, dtype=np.float64)
    seen = seen[seen > 0]
    n = seen.sum()
    if n == 0:
        return math.nan, math.nan, math.nan
    once = min(float((seen == 1).sum()), n - 1)
    coverage = 1 - once / n
    p = coverage * seen / n
    log = np.log2(p)
    with np.errstate(invalid="ignore"):
        entropy = float((-p * log / -np.expm1(n * np.log1p(-np.minimum(p, 1 - 1e-15)))).sum())
    raw = seen / n
    own = float(-(raw * np.log2(raw)).sum())
    variance = max(float((raw * np.log2(raw) ** 2).sum()) - own**2, 0.0) / n
    return max(entropy, 0.0), math.sqrt(variance), coverage


def openings(trials: pd.DataFrame, setup: Setup) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One row per cell and ply k: how many openings of k plies there are; and a table of the commonest ones.

    * ``different``: openings seen; ``entropy`` (bits), ``effective`` = 2^entropy with its interval: as many equally
      common openings would be as hard to guess; ``coverage``: see `diversity`. With a coverage below one half there is
      no upper end.
    * ``common``: openings with at least `COMMON` finished games. Of these, ``balanced``: all of the interval of the
      first seat's score lies in the target (or ½ ± margin); ``lopsided``: none of it does; ``undecided``: the rest.
    * ``shown``: whether the ply is the one to compare rulesets at. It is the same for all rulesets of a pairing: the
      deepest at which each has a coverage of at least one half.

    The second table has up to `LISTED` openings per cell and ply, the commonest first: ``share`` of the games, the
    first seat's ``score`` with its interval, and ``status``: balanced, first, second (the seat that is ahead beyond
    the target) or undecided.

    Source: `diversity`; `score_interval`; Schuirmann 1987 for "balanced" (see `balance`).
    Limits: openings are move lists: mirror images of one another count as different, and so do other orders of moves.
    Many openings are judged, each by its own 95 % interval: of twenty, one is misjudged. Games stopped at the cap have
    no score; an opening whose games are often stopped is judged by the others.
    """
    low, high = setup.score_band()
    rows: list[list[object]] = []
    lines: list[list[object]] = []
    have = "opening" in trials
    groups = {tuple(map(str, key)): games for key, games in trials.groupby(CELL, sort=False, observed=True)}
    for cell in setup.cells if have else []:
        games = groups.get(cell)
        if games is None:
            continue
        words = [text.split() for text in games["opening"].fillna("")]
        length = np.array([len(each) for each in words])
        points: Floats = np.array([POINTS.get(result, np.nan) for result in games["result"]], dtype=np.float64)
        for ply in range(1, DEEPEST + 1):
            reached = length >= ply
            if not reached.any():
                break
            names = np.array([" ".join(each[:ply]) for each in words if len(each) >= ply], dtype=object)
            kinds, at, counts = np.unique(names, return_inverse=True, return_counts=True)
            n = int(counts.sum())
            found = _scores(at, points[reached], len(kinds))
            judged = found["finished"] >= COMMON
            inside, outside = _inside(found, low, high)
            entropy, error, coverage = diversity(counts)
            z = setup.critical(n)
            highest = 2 ** (entropy + z * error) if coverage >= SEEN else math.inf
            rows.append([
                *cell, ply, False, n, len(kinds), entropy, 2**entropy, 2 ** max(entropy - z * error, 0.0),
                highest, coverage, int(judged.sum()), int((judged & inside).sum()),
                int((judged & outside).sum()), int((judged & ~inside & ~outside).sum()),
            ])  # fmt: skip
            status = np.where(inside, "balanced", np.where(~outside, "undecided", "first"))
            status = np.where(outside & (found["score"] < 0.5), "second", status)
            for i in np.lexsort((kinds, -counts))[:LISTED]:
                score = [found[name][i] for name in ("finished", "score", "score_low", "score_high")]
                lines.append([*cell, ply, kinds[i], int(counts[i]), counts[i] / n, *score, status[i]])
    table = pd.DataFrame(rows, columns=COLUMNS)
    if len(table):
        ends = table.groupby(["first", "second", "ply"], sort=False)["coverage"].agg(["min", "count"])
        for (first, second), of_pairing in ends.groupby(level=[0, 1], sort=False):
            fit = of_pairing[(of_pairing["min"] >= SEEN) & (of_pairing["count"] == of_pairing["count"].max())]
            deepest = int(fit.index.get_level_values("ply").max()) if len(fit) else 1
            here = (table["first"] == first) & (table["second"] == second) & (table["ply"] == deepest)
            table["shown"] = table["shown"] | here
    return table, pd.DataFrame(lines, columns=LINES).astype({"finished": int} if lines else {})


def _scores(at: npt.NDArray[np.intp], points: Floats, kinds: int) -> dict[str, Floats]:
    """The first seat's score in the finished games of each kind, with its interval; ``at`` is the kind of each game."""
    wins, draws, losses = (np.bincount(at[points == value], minlength=kinds) for value in (1.0, 0.5, 0.0))
    finished = (wins + draws + losses).astype(np.float64)
    low, high = score_interval(wins, draws, losses)
    score = np.divide(wins + draws / 2, finished, out=np.full(kinds, np.nan), where=finished > 0)
    return {"finished": finished, "score": score, "score_low": low, "score_high": high}


def _inside(found: dict[str, Floats], low: float, high: float) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Whether an interval lies in the target, and whether it lies outside of it."""
    return (found["score_low"] >= low) & (found["score_high"] <= high), (found["score_high"] < low) | (
        found["score_low"] > high
    )
