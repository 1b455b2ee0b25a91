"""Finds the amount of a handicap that makes a game even, by a curve through scores and games near the answer.

`handicap` is part of the Python API.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import chi2

from workbench import games as families
from workbench.api.rulesets import Agent, to_agent, to_ruleset, to_whole_number
from workbench.base.errors import InputError, expected, guess, hide_internal_frames, input_error
from workbench.base.language import quoted, tr
from workbench.experiments.experiment import splitmix
from workbench.games.declaration import Toggle, setting_text
from workbench.players.agents import AgentSpec
from workbench.players.external import play_against_itself
from workbench.rules.rulesets import Ruleset
from workbench.statistics.intervals import Floats, Z, score_interval

RIDGE = 1e-4
"""Ridge penalty, which keeps the curve finite if all scores are 0 and 1."""
STEPS = 60
NEAR = 6.0
"""Greatest difference of log-odds within a pool, times the root of the number of games."""
POOLS = 6
"""Reciprocal of the share of the games at which a pool is full."""
FEWEST = 10
"""Least number of games of a pool that shows on which side of one half its score is."""
EXPECTED = 5.0
"""Least number of expected points won, and lost, of a pool in the test of the curve; also the weight of all games in
the variance of an amount."""
LEVEL = 0.05
VALUES = np.array([1.0, 0.5, 0.0])
NAMED, MISFIT, OPEN = "named", "misfit", "open"


@dataclass(frozen=True)
class EvenAmount:
    """Amount at which the first player's score is one half."""

    verdict: str
    """`NAMED`; `MISFIT` if the curve does not fit, or is not monotonic; `OPEN` if scores may not cross one half."""
    root: float
    """Amount at which the curve crosses one half, whether it fits or not; NaN for a flat curve."""
    slope: float
    """Change of the log-odds per unit of the amount, by the curve."""
    even: float = math.nan
    low: float = math.nan
    high: float = math.nan
    """Amount with its 95 % interval; NaN unless it is named."""


def even_amount(amounts: npt.ArrayLike, results: npt.ArrayLike) -> EvenAmount:
    """Return the amount at which the first player scores one half, with its interval.

    ``results`` are wins, draws and losses of the first player for each of the ascending ``amounts``.

    The score is modelled as a logistic function of the amount, fitted by quasi-likelihood with a draw as one half. An
    amount is named only if a chi-square test on pooled amounts does not reject the curve. The interval does not depend
    on the curve: it reaches from the last amount whose score is significantly on one side of one half to the first that
    is significantly on the other side, by the intervals of the measured scores, with linear interpolation. So a misfit
    that the test overlooks does no harm.

    Source: L. E. Papke, J. M. Wooldridge, "Econometric methods for fractional response variables", J. Applied
    Econometrics 11, 1996, for the fit; D. J. Finney, "Probit Analysis", 1971, for the test of the fit to pooled doses;
    W. G. Cochran, "Some methods for strengthening the common χ² tests", Biometrics 10, 1954, for the pooling.
    Limits: the test rejects 5 to 10 % of logistic curves. Intervals are 1.5 to 2 times as wide as with a known logistic
    curve. Scores are assumed to change steadily between two amounts.
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
        # A longer step could end where the curve has no information.
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
    """Return the pool of each amount; a pool ends when it has the fewest games, or exceeds the span."""
    pools, size, start = [], 0.0, 0
    for place, own in enumerate(sizes):
        if begins := size >= fewest or x[place] - x[start] > span:
            size, start = 0.0, place
        pools.append(begins)
        size += float(own)
    return np.cumsum(pools)


def _even_ends(x: Floats, counts: Floats, near: float) -> list[tuple[float, float]]:
    """Return the ends of each range of amounts within which the score crosses one half."""
    games = counts.sum(axis=1)
    pools = _pooled(games, x, games.sum() / POOLS, near)
    pooled = np.column_stack([np.bincount(pools, each) for each in counts.T])
    middle = np.bincount(pools, x * games) / pooled.sum(axis=1)
    wins, draws, losses = pooled.T
    low, high = score_interval(wins, draws, losses, Z)
    few = pooled.sum(axis=1) < FEWEST
    places = np.union1d(np.linspace(x[0], x[-1], 1001), middle)
    above = np.interp(places, middle, np.where(few, 0.0, low)) > 0.5
    below = np.interp(places, middle, np.where(few, 1.0, high)) < 0.5
    significant = above | below
    places, above = places[significant], above[significant]
    turns = np.flatnonzero(np.diff(above))
    return [(float(places[turn]), float(places[turn + 1])) for turn in turns]


def _lack_of_fit(p: Floats, counts: Floats) -> float:
    """Return the p-value of the curve; 1 with too few amounts to test it.

    Draws make the variance of a game smaller than p (1 - p), by a factor that is estimated for each amount.
    """
    games = counts.sum(axis=1)
    pools = _pooled(games * np.minimum(p, 1 - p), games, EXPECTED)
    mean = (counts @ VALUES) / games
    within, most = (counts * (VALUES - mean[:, None]) ** 2).sum(axis=1), games * mean * (1 - mean)
    factor = (within.sum() + 1e-3) / (most.sum() + 1e-3)
    variance = np.bincount(pools, games * p * (1 - p) * (within + EXPECTED * factor) / (most + EXPECTED))
    squares = (np.bincount(pools, counts @ VALUES - games * p) ** 2 / variance).sum()
    return float(chi2.sf(squares, len(variance) - 2)) if len(variance) > 2 else 1.0


FIRST_AMOUNTS = 5
"""Amounts of the first games, evenly spread."""
MAX_DISTANCE, NARROWING = 0.6, 6.0
"""Distance of games from the even amount in log-odds: its maximum, and its product with the root of the games so far.
Games near the even amount determine the level of the curve, distant ones its slope."""

Result = tuple[int, int, int]
"""Wins, draws and losses of the first player."""
Play = Callable[[int, int, int], Result]
"""Plays the games ``start`` to ``stop`` of an amount, given the index of the amount."""


@dataclass(frozen=True)
class Handicap:
    """Games at each amount, and the even amount."""

    amounts: tuple[float, ...]
    results: tuple[Result, ...]
    """Result at each amount; stopped games count as draws."""
    found: EvenAmount

    @property
    def nearest(self) -> int:
        """Index of the amount nearest to the even one, or with the score nearest to ½ if none is named."""
        if self.found.verdict == NAMED:
            return min(range(len(self.amounts)), key=lambda place: abs(self.amounts[place] - self.found.even))
        played = [place for place, result in enumerate(self.results) if sum(result)]
        return min(played, key=lambda place: abs(self.score(place) - 0.5))

    def score(self, place: int) -> float:
        """Return the first player's measured score."""
        return (self.results[place][0] + self.results[place][1] / 2) / sum(self.results[place])


def search_even(amounts: Sequence[float], games: int, play: Play) -> Handicap:
    """Play a number of games in total, increasingly near the amount that makes the game even.

    The first games are spread over the amounts. Each further round is played at the amounts nearest to the root of the
    curve fitted so far, and a little above and below it.

    Source: C. F. J. Wu, "Efficient sequential designs with binary data", J. American Statistical Association 80, 1985.
    """
    places = sorted({round(place) for place in np.linspace(0, len(amounts) - 1, FIRST_AMOUNTS)})
    batch = max(2, games // 20)
    counts = np.zeros((len(amounts), 3), dtype=int)

    def add(place: int, count: int) -> None:
        done = int(counts[place].sum())
        counts[place] += play(place, done, done + count)

    def fit() -> EvenAmount:
        played = counts.any(axis=1)
        return even_amount(np.asarray(amounts)[played], counts[played])

    for place in places:
        add(place, batch)
    while (left := games - int(counts.sum())) > 0:
        curve = fit()
        step = min(MAX_DISTANCE, NARROWING / math.sqrt(games - left)) / max(abs(curve.slope), 1e-9)
        targets = (curve.root - step, curve.root, curve.root + step) if curve.slope else (amounts[0], amounts[-1])
        places = [min(range(len(amounts)), key=lambda place: abs(amounts[place] - target)) for target in targets]
        if places[0] == places[-1] and len(amounts) > 1:
            places[-1] += 1 if places[-1] + 1 < len(amounts) else -1
        for number, place in enumerate(places):
            if (count := min(batch, left - number * batch)) > 0:
                add(place, count)
    return Handicap(tuple(amounts), tuple((won, drawn, lost) for won, drawn, lost in counts.tolist()), fit())


def play_handicap(
    rulesets: Sequence[Ruleset], amounts: Sequence[float], player: AgentSpec, games: int, seed: int, max_plies: int
) -> Handicap:
    """Search for the even amount by games of a player against itself in this process; each amount has a ruleset."""

    def play(place: int, start: int, stop: int) -> Result:
        ruleset = rulesets[place]
        seeds = splitmix(("handicap", seed, ruleset.fingerprint, player.canonical()), start, stop)
        results = play_against_itself(ruleset, player, seeds, max_plies)["result"]
        wins, losses = (int((results == code).sum()) for code in (1, 2))
        return wins, len(seeds) - wins - losses, losses

    return search_even(amounts, games, play)


NOT_NAMED = {
    MISFIT: tr("No even amount: the scores do not fit a logistic curve, or they cross one half more than once."),
    OPEN: tr(
        "No even amount: it is not certain that the scores cross one half between these amounts. Play more "
        "games, or try other amounts."
    ),
}


def describe(handicap: Handicap, names: Sequence[str], player: str) -> list[str]:
    """Return the result in sentences, given the names of the amounts."""
    found, nearest = handicap.found, handicap.nearest
    lines = []
    for place, result in enumerate(handicap.results):
        if sum(result):
            low, high = (100 * float(end) for end in score_interval(*result))
            text = tr("{name}: {games:,} games, the first player scores {score:.1f} % ({low:.1f} to {high:.1f})")
            score = 100 * handicap.score(place)
            lines.append(text.format(name=names[place], games=sum(result), score=score, low=low, high=high))
    if found.verdict != NAMED:
        return [
            *lines,
            NOT_NAMED[found.verdict],
            tr("The score nearest to one half is that of {name}.", name=names[nearest]),
        ]
    named = tr("For two {player} players the game is even at {even:.2f} (95 %: {low:.2f} to {high:.2f}).")
    named = named.format(player=player, even=found.even, low=found.low, high=found.high)
    return [*lines, named, tr("The nearest ruleset is {name}.", name=names[nearest])]


@dataclass(frozen=True)
class EvenGame:
    """The result of `handicap`."""

    verdict: str
    """``named``; ``misfit`` if the scores do not lie on a curve that crosses one half once; ``open`` if they may not
    cross one half between these amounts."""
    even: float
    """Amount at which the first player is expected to score one half, in the unit of the toggle; NaN unless named."""
    low: float
    """Lower end of the 95 % interval; NaN unless named."""
    high: float
    """Upper end of the 95 % interval; NaN unless named."""
    nearest: Ruleset
    """Playable ruleset nearest to the even amount, or with the score nearest to ½."""
    table: pd.DataFrame
    """Row for each amount with games: ``amount``, ``ruleset``, ``games``, ``score`` of the first player (0 to 1)."""
    sentences: tuple[str, ...]
    """Summary in sentences."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.sentences))


@hide_internal_frames
def handicap(
    rulesets: str | Path | Ruleset | Sequence[str | Path | Ruleset], toggle: str = "", *, low: float | None = None,
    high: float | None = None, agent: Agent = "greedy", games: int = 1000, seed: int = 0, max_plies: int = 400,
) -> EvenGame:  # fmt: skip
    """Search for the amount of a handicap that makes the game even between two players of equal strength.

    Games are played in this process, increasingly near the answer, and a curve is fitted to the scores. If the curve
    does not fit, no amount is named.

    Examples:
        >>> found = handicap(["star/default", "star/two-pieces"], games=200)
        >>> int(found.table["games"].sum())
        200

    Args:
        rulesets: one ruleset, whose ``toggle`` is the handicap; or several in the order of their handicap, with the
            amounts 0, 1, 2 and so on.
        toggle: a rule with numeric values, such as ``komi``.
        low: the least amount of the toggle to try.
        high: the greatest amount of the toggle to try.
        agent: the player of both sides, such as ``alphabeta-1k``.
        games: total number of games.
        seed: seed of the games.
        max_plies: plies after which a game is stopped and counts as a draw.

    Raises:
        InputError: there is no such ruleset, toggle or agent, or fewer than two amounts.
    """
    several = isinstance(rulesets, Sequence) and not isinstance(rulesets, str)
    bases = [to_ruleset(each) for each in rulesets] if several else [to_ruleset(rulesets)]  # type: ignore[union-attr, arg-type]
    if toggle and len(bases) > 1:
        raise input_error(expected(tr("one ruleset with a toggle, or several without")), key="toggle")
    steps = _toggle_steps(bases[0], toggle, low, high) if toggle else list(enumerate(bases))
    if len(steps) < 2:
        raise input_error(expected(tr("at least two amounts"), len(steps)), key="toggle" if toggle else "rulesets")
    spec = to_agent(agent, bases[0], "agent")
    amounts, variants = [float(amount) for amount, _ in steps], [variant for _, variant in steps]
    names = [f"{toggle} {setting_text(variant.settings[toggle])}" if toggle else variant.name for variant in variants]
    played = play_handicap(
        variants, amounts, spec,
        to_whole_number(games, "games", 100, 10_000_000),
        to_whole_number(seed, "seed", 0, 2**63),
        to_whole_number(max_plies, "max_plies", 1, 100_000),
    )  # fmt: skip
    rows = [
        [amounts[place], variants[place].name, sum(result), played.score(place)]
        for place, result in enumerate(played.results)
        if sum(result)
    ]
    table = pd.DataFrame(rows, columns=["amount", "ruleset", "games", "score"])
    found, sentences = played.found, tuple(describe(played, names, spec.label))
    return EvenGame(found.verdict, found.even, found.low, found.high, variants[played.nearest], table, sentences)


def _toggle_steps(base: Ruleset, name: str, low: float | None, high: float | None) -> list[tuple[Any, Ruleset]]:
    """Return the numbers of a toggle with their rulesets, without combinations that the rules exclude."""
    toggles = {toggle.name: toggle for toggle in families.declaration(base.game).toggles}
    numeric = [toggle.name for toggle in toggles.values() if _numbers(toggle)]
    if name not in numeric:
        hint = guess(name, numeric, tr("rules with numbers: {names}"))
        raise input_error(expected(tr("a numeric rule"), quoted(name)), hint, key="toggle")
    steps = []
    for number in _numbers(toggles[name]):
        if (low is None or number >= low) and (high is None or number <= high):
            try:
                steps.append((number, base.derive(**{name: number})))
            except InputError:
                continue
    return steps


def _numbers(toggle: Toggle) -> list[Any]:
    named = [value.name for value in toggle.values if type(value.name) in (int, float)]
    return sorted({*named, *(toggle.span.numbers() if toggle.span else ())}) if toggle.span or len(named) > 1 else []
