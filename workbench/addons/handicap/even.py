"""Search for the handicap that makes a game even, using a curve fitted to scores and more games near the answer.

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
"""Ridge penalty, which keeps the curve finite if all scores are 0 or 1."""
STEPS = 60
NEAR = 6.0
"""Maximum difference in log-odds within a pool, times the square root of the number of games."""
POOLS = 6
"""A pool is full when it contains one game in this many."""
FEWEST = 10
"""Minimum number of games in a pool whose score is compared with one half."""
EXPECTED = 5.0
"""Minimum of expected points won, and lost, in a pool for the test of the curve; also the weight of all games in the
variance at an amount."""
LEVEL = 0.05
VALUES = np.array([1.0, 0.5, 0.0])
NAMED, MISFIT, OPEN = "named", "misfit", "open"


@dataclass(frozen=True)
class EvenAmount:
    """The amount at which the first player's score is one half."""

    verdict: str
    """`NAMED`; `MISFIT` if the curve does not fit, or is not monotonic; `OPEN` if scores may not cross one half."""
    root: float
    """The amount at which the curve crosses one half, even if it does not fit; NaN for a flat curve."""
    slope: float
    """The curve's change in log-odds per unit of the amount."""
    even: float = math.nan
    low: float = math.nan
    high: float = math.nan
    """The amount with its 95 % interval; NaN unless the verdict is `NAMED`."""


def even_amount(amounts: npt.ArrayLike, results: npt.ArrayLike) -> EvenAmount:
    """Return the amount at which the first player scores one half, with its interval.

    ``results`` are wins, draws and losses of the first player for each of the ascending ``amounts``.

    The score is modelled as a logistic function of the amount, fitted by quasi-likelihood with a draw as one half. An
    amount is named only if a chi-square test on pooled amounts does not reject the curve. The interval does not depend
    on the curve: it extends from the last amount whose score is significantly on one side of one half to the first that
    is significantly on the other side, by the intervals of the measured scores, with linear interpolation. A misfit
    that the test overlooks is therefore harmless.

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
    crossings = _crossing_ranges(x, counts, NEAR / math.sqrt(max(games.sum(), 1.0)) / max(abs(slope), 1e-9))
    if len(crossings) > 1 or _fit_p_value(_curve(design @ beta), counts) < LEVEL:
        return EvenAmount(MISFIT, root, slope)
    estimate = (float(np.clip(root, *crossings[0])), *crossings[0]) if crossings else ()
    return EvenAmount(NAMED if crossings else OPEN, root, slope, *estimate)


def _curve(log_odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -30, 30))), dtype=np.float64)


def _pool_indices(sizes: Floats, x: Floats, minimum: float, span: float = math.inf) -> npt.NDArray[np.intp]:
    """Return the index of each amount's pool; a pool ends when it reaches ``minimum`` in size or exceeds ``span``."""
    pools, pool_size, start = [], 0.0, 0
    for i, size in enumerate(sizes):
        if is_start := pool_size >= minimum or x[i] - x[start] > span:
            pool_size, start = 0.0, i
        pools.append(is_start)
        pool_size += float(size)
    return np.cumsum(pools)


def _crossing_ranges(x: Floats, counts: Floats, max_span: float) -> list[tuple[float, float]]:
    """Return the ends of each range of amounts in which the score crosses one half."""
    games = counts.sum(axis=1)
    pools = _pool_indices(games, x, games.sum() / POOLS, max_span)
    pooled_counts = np.column_stack([np.bincount(pools, column) for column in counts.T])
    middle = np.bincount(pools, x * games) / pooled_counts.sum(axis=1)
    wins, draws, losses = pooled_counts.T
    low, high = score_interval(wins, draws, losses, Z)
    is_small = pooled_counts.sum(axis=1) < FEWEST
    grid = np.union1d(np.linspace(x[0], x[-1], 1001), middle)
    above = np.interp(grid, middle, np.where(is_small, 0.0, low)) > 0.5
    below = np.interp(grid, middle, np.where(is_small, 1.0, high)) < 0.5
    significant = above | below
    grid, above = grid[significant], above[significant]
    crossings = np.flatnonzero(np.diff(above))
    return [(float(grid[i]), float(grid[i + 1])) for i in crossings]


def _fit_p_value(p: Floats, counts: Floats) -> float:
    """Return the p-value of the test that the curve fits, or 1 if there are too few amounts for the test.

    Draws reduce a game's variance below p (1 - p) by a factor that is estimated for each amount.
    """
    games = counts.sum(axis=1)
    pools = _pool_indices(games * np.minimum(p, 1 - p), games, EXPECTED)
    mean = (counts @ VALUES) / games
    within, maximum = (counts * (VALUES - mean[:, None]) ** 2).sum(axis=1), games * mean * (1 - mean)
    factor = (within.sum() + 1e-3) / (maximum.sum() + 1e-3)
    variance = np.bincount(pools, games * p * (1 - p) * (within + EXPECTED * factor) / (maximum + EXPECTED))
    squares = (np.bincount(pools, counts @ VALUES - games * p) ** 2 / variance).sum()
    return float(chi2.sf(squares, len(variance) - 2)) if len(variance) > 2 else 1.0


FIRST_AMOUNTS = 5
"""The number of evenly spread amounts for the first games."""
MAX_DISTANCE, NARROWING = 0.6, 6.0
"""Distance of games from the even amount in log-odds: its maximum, and its product with the root of their number.
Games near the even amount determine the level of the curve, distant ones its slope."""

Result = tuple[int, int, int]
"""The first player's wins, draws and losses."""
Play = Callable[[int, int, int], Result]
"""Function of an amount's index that plays its games from ``start`` to ``stop``."""


@dataclass(frozen=True)
class Handicap:
    """Results at each amount and the even amount."""

    amounts: tuple[float, ...]
    results: tuple[Result, ...]
    """The result at each amount; stopped games count as draws."""
    even: EvenAmount

    @property
    def nearest(self) -> int:
        """The index of the amount nearest to the even one or, if there is none, of that with the score nearest to ½."""
        if self.even.verdict == NAMED:
            return min(range(len(self.amounts)), key=lambda i: abs(self.amounts[i] - self.even.even))
        played = [index for index, result in enumerate(self.results) if sum(result)]
        return min(played, key=lambda index: abs(self.score(index) - 0.5))

    def score(self, i: int) -> float:
        """Return the first player's measured score at an amount."""
        return (self.results[i][0] + self.results[i][1] / 2) / sum(self.results[i])


def search_even(amounts: Sequence[float], games: int, play: Play) -> Handicap:
    """Play ``games`` games in total, approaching the amount that makes the game even.

    The first games are spread over the amounts. Each further round is played at the amounts nearest to the root of the
    fitted curve and to points slightly above and below it.

    Source: C. F. J. Wu, "Efficient sequential designs with binary data", J. American Statistical Association 80, 1985.
    """
    indices = sorted({round(i) for i in np.linspace(0, len(amounts) - 1, FIRST_AMOUNTS)})
    batch = max(2, games // 20)
    counts = np.zeros((len(amounts), 3), dtype=int)

    def play_games(i: int, count: int) -> None:
        start = int(counts[i].sum())
        counts[i] += play(i, start, start + count)

    def fit() -> EvenAmount:
        tested = counts.any(axis=1)
        return even_amount(np.asarray(amounts)[tested], counts[tested])

    for i in indices:
        play_games(i, batch)
    while (remaining := games - int(counts.sum())) > 0:
        curve = fit()
        step = min(MAX_DISTANCE, NARROWING / math.sqrt(games - remaining)) / max(abs(curve.slope), 1e-9)
        targets = (curve.root - step, curve.root, curve.root + step) if curve.slope else (amounts[0], amounts[-1])
        indices = [min(range(len(amounts)), key=lambda i: abs(amounts[i] - target)) for target in targets]
        if indices[0] == indices[-1] and len(amounts) > 1:
            indices[-1] += 1 if indices[-1] + 1 < len(amounts) else -1
        for rank, i in enumerate(indices):
            if (count := min(batch, remaining - rank * batch)) > 0:
                play_games(i, count)
    return Handicap(tuple(amounts), tuple((won, drawn, lost) for won, drawn, lost in counts.tolist()), fit())


def play_handicap(
    rulesets: Sequence[Ruleset], amounts: Sequence[float], player: AgentSpec, games: int, seed: int, max_plies: int
) -> Handicap:
    """Search for the even amount with games of a player against itself in this process, one ruleset per amount."""

    def play(i: int, start: int, stop: int) -> Result:
        ruleset = rulesets[i]
        seeds = splitmix(("handicap", seed, ruleset.fingerprint, player.canonical()), start, stop)
        results = play_against_itself(ruleset, player, seeds, max_plies)["result"]
        wins, losses = (int((results == code).sum()) for code in (1, 2))
        return wins, len(seeds) - wins - losses, losses

    return search_even(amounts, games, play)


NOT_NAMED = {
    MISFIT: tr("No even amount: the scores do not fit a logistic curve, or cross one half more than once."),
    OPEN: tr(
        "No even amount: it is not certain that the scores cross one half between these amounts. Play more "
        "games, or try other amounts."
    ),
}


def describe(handicap: Handicap, names: Sequence[str], player: str) -> list[str]:
    """Describe the result in sentences; ``names`` are the names of the amounts."""
    even, nearest = handicap.even, handicap.nearest
    lines = []
    for i, result in enumerate(handicap.results):
        if sum(result):
            low, high = (100 * float(end) for end in score_interval(*result))
            text = tr("{name}: {games:,} games; the first player scores {score:.1f} % ({low:.1f} to {high:.1f})")
            score = 100 * handicap.score(i)
            lines.append(text.format(name=names[i], games=sum(result), score=score, low=low, high=high))
    if even.verdict != NAMED:
        return [*lines, NOT_NAMED[even.verdict], tr("{name} has the score closest to one half.", name=names[nearest])]
    message = tr("Between two {player} players the game is even at {even:.2f} (95 %: {low:.2f} to {high:.2f}).")
    message = message.format(player=player, even=even.even, low=even.low, high=even.high)
    return [*lines, message, tr("The nearest ruleset is {name}.", name=names[nearest])]


@dataclass(frozen=True)
class EvenGame:
    """The result of `handicap`."""

    verdict: str
    """``named``; ``misfit`` if the scores do not lie on a curve that crosses one half once; ``open`` if they may not
    cross one half between these amounts."""
    even: float
    """The amount, in the toggle's unit, at which the first player should score one half; NaN unless named."""
    low: float
    """The lower end of the 95 % interval; NaN unless named."""
    high: float
    """The upper end of the 95 % interval; NaN unless named."""
    nearest: Ruleset
    """The playable ruleset nearest to the even amount, or with the score nearest to ½."""
    table: pd.DataFrame
    """A row for each amount with games: ``amount``, ``ruleset``, ``games``, first player's ``score`` (0 to 1)."""
    sentences: tuple[str, ...]
    """A summary in sentences."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.sentences))


@hide_internal_frames
def handicap(
    rulesets: str | Path | Ruleset | Sequence[str | Path | Ruleset], toggle: str = "", *, low: float | None = None,
    high: float | None = None, agent: Agent = "greedy", games: int = 1000, seed: int = 0, max_plies: int = 400,
) -> EvenGame:  # fmt: skip
    """Search for the amount of a handicap that makes the game even between two players of equal strength.

    Games are played in this process at amounts increasingly close to the answer, and a curve is fitted to the scores.
    If the curve does not fit, no amount is named.

    Examples:
        >>> result = handicap(["star/default", "star/two-pieces"], games=200)
        >>> int(result.table["games"].sum())
        200

    Args:
        rulesets: one ruleset, whose ``toggle`` is the handicap; or several in the order of their handicap, with the
            amounts 0, 1, 2 and so on.
        toggle: a rule with numeric values, such as ``komi``.
        low: the smallest value of the toggle to try.
        high: the largest value of the toggle to try.
        agent: the player of both sides, such as ``alphabeta-1k``.
        games: total number of games.
        seed: seed of the games.
        max_plies: plies after which a game is stopped and counts as a draw.

    Raises:
        InputError: there is no such ruleset, toggle or agent, or fewer than two amounts.
    """
    is_sequence = isinstance(rulesets, Sequence) and not isinstance(rulesets, str)
    bases = [to_ruleset(source) for source in rulesets] if is_sequence else [to_ruleset(rulesets)]  # type: ignore[union-attr, arg-type]
    if toggle and len(bases) > 1:
        raise input_error(expected(tr("a toggle for one ruleset, or several rulesets")), key="toggle")
    steps = _toggle_steps(bases[0], toggle, low, high) if toggle else list(enumerate(bases))
    if len(steps) < 2:
        raise input_error(expected(tr("at least two amounts"), len(steps)), key="toggle" if toggle else "rulesets")
    spec = to_agent(agent, bases[0], "agent")
    amounts, variants = [float(amount) for amount, _ in steps], [variant for _, variant in steps]
    names = [f"{toggle} {setting_text(variant.settings[toggle])}" if toggle else variant.name for variant in variants]
    result = play_handicap(
        variants, amounts, spec,
        to_whole_number(games, "games", 100, 10_000_000),
        to_whole_number(seed, "seed", 0, 2**63),
        to_whole_number(max_plies, "max_plies", 1, 100_000),
    )  # fmt: skip
    rows = [
        [amounts[i], variants[i].name, sum(counts), result.score(i)]
        for i, counts in enumerate(result.results)
        if sum(counts)
    ]
    table = pd.DataFrame(rows, columns=["amount", "ruleset", "games", "score"])
    even, sentences = result.even, tuple(describe(result, names, spec.label))
    return EvenGame(even.verdict, even.even, even.low, even.high, variants[result.nearest], table, sentences)


def _toggle_steps(base: Ruleset, name: str, low: float | None, high: float | None) -> list[tuple[Any, Ruleset]]:
    """Return a toggle's numeric values with their rulesets, except values that the other settings exclude."""
    toggles = {toggle.name: toggle for toggle in families.declaration(base.game).toggles}
    numeric = [toggle.name for toggle in toggles.values() if _numbers(toggle)]
    if name not in numeric:
        hint = guess(name, numeric, tr("rules with numeric values: {names}"))
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
