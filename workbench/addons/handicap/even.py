"""The amount of a handicap that makes a game even: a curve through scores, and games where the answer seems to be."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from workbench.base.language import tr
from workbench.experiments.experiment import splitmix
from workbench.players.agents import AgentSpec
from workbench.players.external import play_against_itself
from workbench.rules.rulesets import Ruleset
from workbench.statistics.intervals import Floats, Z, score_interval

RIDGE = 1e-4
"""Added to the information of the curve, so that scores of 0 and 1 alone do not make it infinitely steep."""
STEPS = 60
NEAR = 6.0
"""Amounts are near each other whose log-odds, by the curve, differ by less than this over the root of all games."""
POOLS = 6
"""Amounts near each other are taken together up to this part of all games."""
FEWEST = 10
"""Games of fewer say of no amount on which side of one half its score is."""
EXPECTED = 5.0
"""Points won, and points lost, that the curve is to expect of games which are compared with it; and by how much of
p (1 - p) the games of an amount outweigh those of all in what draws take off the variance there."""
LEVEL = 0.05
"""The level of the test of the curve."""
VALUES = np.array([1.0, 0.5, 0.0])
NAMED, MISFIT, OPEN = "named", "misfit", "open"


@dataclass(frozen=True)
class EvenAmount:
    """The amount at which the first player's score is one half."""

    verdict: str
    """`NAMED`; `MISFIT`: scores do not lie on the curve, or pass one half more than once; `OPEN`: they may not pass it
    within these amounts at all."""
    root: float
    """The amount at which the curve passes one half, be it right or not; NaN where it is flat."""
    slope: float
    """By how much each unit of the amount changes the log-odds of the first player's score, by the curve."""
    even: float = math.nan
    low: float = math.nan
    high: float = math.nan
    """The amount with its 95 % interval; NaN where none is named."""


def even_amount(amounts: npt.ArrayLike, results: npt.ArrayLike) -> EvenAmount:
    """Return the amount at which the first player scores one half, with its interval.

    Args:
        amounts: one for each row of the results, in order.
        results: wins, draws and losses of the first player at each amount.

    The score is a logistic curve of the amount, fitted by quasi-likelihood, in which a draw counts one half. An amount
    is named only if the scores do not contradict the curve: the squared differences of pooled amounts, over their
    variances, are below the 95 % quantile of chi-square. The interval does not rest on the curve. It has all amounts
    between the last one whose score is surely on one side of one half and the first that is surely on the other, by the
    intervals of the scores that were measured, and between these amounts by a straight line. So an error of the curve
    that the test overlooks does no harm.

    Source: L. E. Papke, J. M. Wooldridge, "Econometric methods for fractional response variables", J. Applied
    Econometrics 11, 1996, for the fit; D. J. Finney, "Probit Analysis", 1971, for the test of the fit to pooled doses;
    W. G. Cochran, "Some methods for strengthening the common χ² tests", Biometrics 10, 1954, for what is pooled.
    Limits: of true logistic curves the test refuses 5 to 10 %. Intervals are 1.5 to 2 times as wide as if the curve
    were known to be logistic. Between two amounts that were played the score is taken to change steadily.
    """
    x, counts = np.asarray(amounts, dtype=np.float64), np.asarray(results, dtype=np.float64)
    games, points = counts.sum(axis=1), counts @ VALUES
    centre, spread = float(x.mean()), max(float(x.std()), 1e-9)
    design = np.column_stack([np.ones(len(x)), (x - centre) / spread])
    beta: Floats = np.zeros(2)
    for _ in range(STEPS):
        p = _curve(design @ beta)
        information = design.T @ (design * (games * p * (1 - p))[:, None]) + RIDGE * np.eye(2)
        step = np.linalg.solve(information, design.T @ (points - games * p) - RIDGE * beta)
        # A step too far would leave the curve without any information.
        size = float(np.abs(step).max())
        beta = beta + step * min(1.0, 2.0 / max(size, 1e-12))
        if size < 1e-9:
            break
    slope = float(beta[1]) / spread
    root = centre - float(beta[0]) / slope if slope else math.nan
    ends = _even_ends(x, counts, NEAR / math.sqrt(max(games.sum(), 1.0)) / max(abs(slope), 1e-9))
    if len(ends) > 1 or _lack_of_fit(_curve(design @ beta), counts) < LEVEL:
        return EvenAmount(MISFIT, root, slope)
    named = (float(np.clip(root, *ends[0])), *ends[0]) if ends else ()
    return EvenAmount(NAMED if ends else OPEN, root, slope, *named)


def _curve(log_odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -30, 30))), dtype=np.float64)


def _pooled(sizes: Floats, x: Floats, fewest: float, span: float = math.inf) -> npt.NDArray[np.intp]:
    """For each amount its pool: the next ones join until it has the fewest, or the span is left."""
    pools, size, start = [], 0.0, 0
    for place, own in enumerate(sizes):
        if begins := size >= fewest or x[place] - x[start] > span:
            size, start = 0.0, place
        pools.append(begins)
        size += float(own)
    return np.cumsum(pools)


def _even_ends(x: Floats, counts: Floats, near: float) -> list[tuple[float, float]]:
    """Return the ends of each stretch of amounts in which the score surely passes one half."""
    games = counts.sum(axis=1)
    pools = _pooled(games, x, games.sum() / POOLS, near)
    pooled = np.column_stack([np.bincount(pools, each) for each in counts.T])
    middle = np.bincount(pools, x * games) / pooled.sum(axis=1)
    wins, draws, losses = pooled.T
    low, high = score_interval(wins, draws, losses, Z)
    few = pooled.sum(axis=1) < FEWEST
    places = np.union1d(np.linspace(x[0], x[-1], 1001), middle)
    surely_more = np.interp(places, middle, np.where(few, 0.0, low)) > 0.5
    surely_less = np.interp(places, middle, np.where(few, 1.0, high)) < 0.5
    sure = surely_more | surely_less
    places, surely_more = places[sure], surely_more[sure]
    turns = np.flatnonzero(np.diff(surely_more))
    return [(float(places[turn]), float(places[turn + 1])) for turn in turns]


def _lack_of_fit(p: Floats, counts: Floats) -> float:
    """Return the p-value of the curve with these scores; 1 where there are too few amounts to test it.

    Draws make the variance of a game smaller than p (1 - p), at each amount in its own way.
    """
    games = counts.sum(axis=1)
    pools = _pooled(games * np.minimum(p, 1 - p), games, EXPECTED)
    mean = (counts @ VALUES) / games
    within, most = (counts * (VALUES - mean[:, None]) ** 2).sum(axis=1), games * mean * (1 - mean)
    of_all = (within.sum() + 1e-3) / (most.sum() + 1e-3)
    variance = np.bincount(pools, games * p * (1 - p) * (within + EXPECTED * of_all) / (most + EXPECTED))
    squares = (np.bincount(pools, counts @ VALUES - games * p) ** 2 / variance).sum()
    return float(chi2.sf(squares, len(variance) - 2)) if len(variance) > 2 else 1.0


FIRST_AMOUNTS = 5
"""Amounts that are tried at first, evenly spread."""
BESIDE, NARROWING = 0.6, 6.0
"""The distance of games from the even amount, in log-odds: at most, and as a part of the root of the games so far:
near enough for the level, and apart for the slope."""

Play = Callable[[int, int, int], tuple[int, int, int]]
"""Wins, draws and losses of the first player in the games from, up to, of an amount, by its place among the amounts."""


@dataclass(frozen=True)
class Handicap:
    """The games at each amount and the even amount."""

    amounts: tuple[float, ...]
    results: tuple[tuple[int, int, int], ...]
    """Wins, draws and losses of the first player at each amount; games that were stopped count as draws."""
    found: EvenAmount

    @property
    def nearest(self) -> int:
        """The place of the amount nearest to the even one; where none is named, of the measured score nearest to ½."""
        if self.found.verdict == NAMED:
            return min(range(len(self.amounts)), key=lambda place: abs(self.amounts[place] - self.found.even))
        played = [place for place, result in enumerate(self.results) if sum(result)]
        return min(played, key=lambda place: abs(self.score(place) - 0.5))

    def score(self, place: int) -> float:
        """Return the first player's score as it was measured."""
        return (self.results[place][0] + self.results[place][1] / 2) / sum(self.results[place])


def search_even(amounts: Sequence[float], games: int, play: Play) -> Handicap:
    """Plays so many games in all, more and more of them near the amount that makes the game even.

    The first games are spread over the amounts. Each further round is played at the amounts nearest to where the curve
    that was fitted to all games so far passes one half, and to where it is a little above and below.

    Source: C. F. J. Wu, "Efficient sequential designs with binary data", J. American Statistical Association 80, 1985:
    the next trials are where the curve fitted so far has its root.
    """
    places = sorted({round(place) for place in np.linspace(0, len(amounts) - 1, FIRST_AMOUNTS)})
    batch = max(2, games // 20)
    results = [(0, 0, 0)] * len(amounts)

    def add(place: int, count: int) -> None:
        done = sum(results[place])
        more = play(place, done, done + count)
        results[place] = tuple(a + b for a, b in zip(results[place], more, strict=True))  # type: ignore[assignment]

    for place in places:
        add(place, batch)
    while (left := games - sum(map(sum, results))) > 0:
        found = _fitted(amounts, results)
        step = min(BESIDE, NARROWING / math.sqrt(games - left)) / max(abs(found.slope), 1e-9)
        targets = (found.root - step, found.root, found.root + step) if found.slope else (amounts[0], amounts[-1])
        wanted = [min(range(len(amounts)), key=lambda place: abs(amounts[place] - target)) for target in targets]
        if wanted[0] == wanted[-1] and len(amounts) > 1:
            wanted[-1] += 1 if wanted[-1] + 1 < len(amounts) else -1
        for number, place in enumerate(wanted):
            if (count := min(batch, left - number * batch)) > 0:
                add(place, count)
    return Handicap(tuple(amounts), tuple(results), _fitted(amounts, results))


def _fitted(amounts: Sequence[float], results: Sequence[tuple[int, int, int]]) -> EvenAmount:
    played = [place for place, result in enumerate(results) if sum(result)]
    return even_amount([amounts[place] for place in played], [results[place] for place in played])


def play_handicap(
    rulesets: Sequence[Ruleset], amounts: Sequence[float], player: AgentSpec, games: int, seed: int, max_plies: int
) -> Handicap:
    """Play in this process for the even amount between two players of one kind; each amount has a ruleset."""

    def play(place: int, start: int, stop: int) -> tuple[int, int, int]:
        ruleset = rulesets[place]
        seeds = splitmix(("handicap", seed, ruleset.fingerprint, player.canonical()), start, stop)
        results = play_against_itself(ruleset, player, seeds, max_plies)["result"]
        wins, losses = (int((results == code).sum()) for code in (1, 2))
        return wins, len(seeds) - wins - losses, losses

    return search_even(amounts, games, play)


NOT_NAMED = {
    MISFIT: tr(
        "No even amount is named: these scores do not lie on a curve whose log-odds are a straight line, or they pass "
        "one half more than once."
    ),
    OPEN: tr(
        "No even amount is named: the scores do not surely pass one half between these amounts. Play more games, or "
        "try other amounts."
    ),
}


def describe(handicap: Handicap, names: Sequence[str], player: str) -> list[str]:
    """Return the result in sentences; ``names`` are those of the amounts."""
    found, nearest = handicap.found, handicap.nearest
    lines = []
    for place, result in enumerate(handicap.results):
        if sum(result):
            low, high = (100 * float(end) for end in score_interval(*result))
            lines.append(
                tr(
                    "{name}: {games:,} games, the first player scores {score:.1f} % ({low:.1f} to {high:.1f})",
                    name=names[place],
                    games=sum(result),
                    score=100 * handicap.score(place),
                    low=low,
                    high=high,
                )
            )
    if found.verdict != NAMED:
        return [*lines, NOT_NAMED[found.verdict], tr("Of those, {name} is nearest to one half.", name=names[nearest])]
    named = tr(
        "Between two {player} the game is even at {even:.2f} (95 %: {low:.2f} to {high:.2f}).",
        player=player,
        even=found.even,
        low=found.low,
        high=found.high,
    )
    return [*lines, named, tr("Nearest to it is {name}.", name=names[nearest])]
