"""How many ways the games take: openings, how common and how balanced they are."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import digamma

from workbench.statistics.intervals import Floats, Z, score_interval, wilson
from workbench.statistics.plan import AnalysisPlan
from workbench.statistics.tables import CELL

DEEPEST = 6
"""Plies of an opening that a record keeps."""
POINTS = {"first": 1.0, "draw": 0.5, "second": 0.0}
COMMON = 30
"""Games that an opening needs to be judged."""
LISTED = 12
"""Openings that are listed for each cell and ply."""
SEEN = 0.9
"""The share of games that should open in a way that was seen before, if openings are to be counted at that depth."""
REPLICATES = 200
"""Samples that an interval is made of."""
SEED = 2013

COLUMNS = [
    *CELL, "ply", "shown", "games", "different", "possible", "entropy", "effective", "effective_low", "effective_high",
    "coverage", "common", "balanced", "lopsided", "undecided",
]  # fmt: skip
LINES = [
    *CELL, "ply", "opening", "games", "share", "finished", "score", "score_low", "score_high", "status",
]  # fmt: skip


class Diversity(NamedTuple):
    """Entropy in bits with the ends of its interval, and the coverage of the sample."""

    entropy: float
    low: float
    high: float
    coverage: float


def diversity(counts: npt.ArrayLike, z: float = Z, possible: float = math.inf) -> Diversity:
    """How varied kinds are, of which some may not have been seen; ``counts`` are how often each occurred.

    ``possible`` is the number of kinds that there are, where that is known: no more are assumed or reported. The
    coverage is C = 1 - f₁ / n, with f₁ kinds seen once among n: the chance that the next one was seen before. With a
    coverage below `SEEN` too much is unseen to be estimated, and only the coverage is known.

    The interval is a parametric bootstrap. Samples are drawn from an `assemblage` whose entropy is known; their
    estimates stray from it as the one of the records strays from the truth: their mean says by how much it is off,
    their spread and skewness how far on either side (quantiles of Pearson's type III, by Wilson and Hilferty). Where
    only one kind was seen, the upper end is the entropy with a second one at the upper end of `wilson`'s interval.

    Source: for the entropy see `entropies`; coverage: I. J. Good, Biometrika 40, 1953; bootstrap: A. Chao, L. Jost,
    "Estimating diversity and entropy profiles via discovery rates of new species", Methods in Ecology and Evolution 6,
    2015. Two to the power of the entropy is the effective number of kinds: L. Jost, "Entropy and diversity", Oikos 113,
    2006.
    Limits: holds the true value in 93 to 98 % of samples of 200 to 10,000 from even kinds (16, 100, 300) and uneven
    ones (Zipf's law, 300 and 3,000 kinds), where the coverage allows one; a little too often for a few even kinds in
    many games. The same counts give the same interval.
    """
    seen = np.sort(np.asarray(counts, dtype=np.int64))[::-1]
    seen = seen[seen > 0]
    n = int(seen.sum())
    once = int((seen == 1).sum())
    coverage = 1 - once / n if n else math.nan
    if not n or coverage < SEEN:
        return Diversity(math.nan, math.nan, math.nan, coverage)
    most = math.log2(possible)
    if len(seen) == 1:
        other = min(float(wilson(0, n, z)[1]), 0.5)
        return Diversity(0.0, 0.0, min(-other * math.log2(other) - (1 - other) * math.log2(1 - other), most), coverage)
    found = float(entropies(seen[None, :])[0])
    shares = assemblage(seen, possible)
    true = float(-(shares * np.log2(shares)).sum())
    strayed = entropies(np.random.default_rng(SEED).multinomial(n, shares, size=REPLICATES)) - true
    off, error = float(strayed.mean()), float(strayed.std(ddof=1))
    skewness = float(((strayed - off) ** 3).mean()) / error**3
    ends = (found - off - error * _quantile(end, skewness) for end in (z, -z))
    low, high = (min(max(end, 0.0), most) for end in ends)
    found = min(max(found, 0.0), most)
    return Diversity(found, min(low, found), max(high, found), coverage)


def _quantile(z: float, skewness: float) -> float:
    """The quantile at the level of the normal ``z`` of a distribution with mean 0, variance 1 and that skewness."""
    if abs(skewness) < 1e-3:
        return z
    root = max(1 + skewness * z / 6 - skewness**2 / 36, 0.0)
    return 2 / skewness * (root**3 - 1)


def entropies(counts: npt.NDArray[np.int64]) -> Floats:
    """The entropy in bits behind each row of counts; all rows add up to the same number, at least 2.

    With ψ the digamma function, n observations, and f₁, f₂ kinds that were seen once and twice: Σ x/n (ψ(n) - ψ(x))
    over the counts x, plus f₁/n Σ (1 - A)ᵏ / (n + k - 1) over k ≥ 1 for what is still unseen, where
    A = 2 f₂ / ((n - 1) f₁ + 2 f₂), or 2 / ((n - 1) (f₁ - 1) + 2) without kinds seen twice.

    Source: A. Chao, Y. T. Wang, L. Jost, "Entropy and the species accumulation curve: a novel entropy estimator via
    discovery rates of new species", Methods in Ecology and Evolution 4, 2013. Their second term is (1 - A)^(1-n) times
    what is left of the series of -log A, which is the series above, term by term; it is computed as the integral of
    q e^-y / (n (1 - q e^(-y/n))) over y > 0, q = 1 - A, by the trapezoidal rule on log y.
    Limits: with a low coverage a lower bound.
    """
    n = int(counts[0].sum())
    terms = np.append(0.0, np.arange(1, n + 1) / n * (digamma(n) - digamma(np.arange(1, n + 1))))
    once, twice = ((counts == times).sum(axis=1).astype(np.float64) for times in (1, 2))
    with np.errstate(invalid="ignore"):
        a = np.where(twice > 0, 2 * twice / ((n - 1) * once + 2 * twice), 2 / ((n - 1) * np.maximum(once - 1, 0) + 2))
    q = (1 - np.where(once > 0, a, 1.0))[:, None]
    log_y = np.arange(-30.0, 4.6, 0.1)
    y = np.exp(log_y)
    unseen = (q * np.exp(-y) * y / (1 - q * np.exp(-y / n))).sum(axis=1) * 0.1 / n
    found: Floats = (terms[counts].sum(axis=1) + once / n * unseen) / math.log(2)
    return found


def assemblage(counts: npt.NDArray[np.int64], possible: float = math.inf) -> Floats:
    """Shares of all kinds, the unseen ones included, that a sample with such counts could come from.

    As many kinds are added as Chao's estimate says, but not more than are ``possible``, and what they take is taken
    from the rare ones; then all shares are drawn to their mean by as much as chance alone makes the counts uneven.

    Source: A. Chao, L. Jost, Methods in Ecology and Evolution 6, 2015, appendix S2, with the number of A. Chao,
    Scandinavian J. of Statistics 11, 1984; shrinkage: J. Hausser, K. Strimmer, "Entropy inference and the James-Stein
    estimator", J. of Machine Learning Research 10, 2009. Without it, samples of even kinds would come out more uneven
    than they are, and intervals too wide by 70 %.
    """
    seen = counts[counts > 0].astype(np.float64)
    n = seen.sum()
    once, twice = float((seen == 1).sum()), float((seen == 2).sum())
    added = (n - 1) / n * (once**2 / (2 * twice) if twice else once * (once - 1) / 2)
    unseen = int(min(math.ceil(added), max(possible - len(seen), 0)))
    p = seen / n
    left = once / n * (n * added / (n * added + once) if once else 0.0) if unseen else 0.0
    missed = p * (1 - p) ** n
    shares = p - (left / missed.sum() * missed if left else 0.0)
    shares = np.append(shares, np.full(unseen, left / max(unseen, 1)))
    mean = 1 / len(shares)
    uneven = float(((np.append(p, np.zeros(unseen)) - mean) ** 2).sum())
    drawn = min(1.0, (1 - float((p**2).sum())) / ((n - 1) * uneven)) if uneven > 0 else 1.0
    shares = drawn * mean + (1 - drawn) * shares
    found: Floats = shares / shares.sum()
    return found


def openings(trials: pd.DataFrame, plan: AnalysisPlan) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One row per cell and ply k: how many openings of k plies there are; and a table of the commonest ones.

    * ``different``: openings seen; ``possible``: how many the rules allow, where that is known;
      ``entropy`` (bits), ``effective`` = 2^entropy with its interval: as many equally common openings would be as hard
      to guess; ``coverage``: see `diversity`. All but the coverage are NaN where it is below `SEEN`.
    * ``common``: openings with at least `COMMON` finished games. Of these, ``balanced``: all of the interval of the
      first seat's score lies in the target (or ½ ± margin); ``lopsided``: none of it does; ``undecided``: the rest.
    * ``shown``: whether the ply is the one to compare rulesets at. It is the same for all rulesets of a pairing: the
      deepest at which each has a coverage of at least `SEEN`; none, if there is no such ply.

    The second table has up to `LISTED` openings per cell and ply, the commonest first: ``share`` of the games, the
    first seat's ``score`` with its interval, and ``status``: balanced, first, second (the seat that is ahead beyond
    the target) or undecided.

    Source: `diversity`; `score_interval`; Schuirmann 1987 for "balanced" (see `balance`).
    Limits: openings are move lists: mirror images of one another count as different, and so do other orders of moves.
    Many openings are judged, each by its own 95 % interval: of twenty, one is misjudged. Games stopped at the cap have
    no score; an opening whose games are often stopped is judged by the others.
    """
    low, high = plan.score_band()
    rows: list[list[object]] = []
    lines: list[list[object]] = []
    have = "opening" in trials
    groups = {tuple(map(str, key)): games for key, games in trials.groupby(CELL, sort=False, observed=True)}
    for cell in plan.cells if have else []:
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
            sequences = plan.sequences.get(cell[0], ())
            possible = sequences[ply - 1] if len(sequences) >= ply else math.nan
            # Records that hold more than there can be are not of these rules: then nothing is known.
            possible = possible if possible >= len(kinds) else math.nan
            varied = diversity(counts, plan.critical(n), math.inf if math.isnan(possible) else possible)
            rows.append([
                *cell, ply, False, n, len(kinds), possible, varied.entropy, 2**varied.entropy, 2**varied.low,
                2**varied.high, varied.coverage, int(judged.sum()), int((judged & inside).sum()),
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
            deepest = int(fit.index.get_level_values("ply").max()) if len(fit) else 0
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
