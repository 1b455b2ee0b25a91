"""Which rulesets of a space to play next, and which come near what is aimed at: a model of all of them, and its draws.

A number of ruleset x, such as the first player's score, is::

    f(x) = level + Σ effect of each choice + Σ effect of each two choices together + remainder of x

All effects of one kind are normal with one variance; a ruleset that was never played has an estimate, too. The three
variances have the greatest marginal likelihood of a grid. A choice among numbers is a walk: its neighbours differ by
one step. What is played next are the best rulesets of draws from the posterior, or the second best with probability
one half (top-two Thompson sampling), so that games go to rulesets that may be the best.

Source: D. Russo, "Simple Bayesian algorithms for best-arm identification", Operations Research 68, 2020; draws by
conditioning a draw of the prior: J. Wilson and others, "Pathwise conditioning of Gaussian processes", Journal of
Machine Learning Research 22, 2021; pooled effects: A. Gelman, "Analysis of variance: why it is more important than
ever", Annals of Statistics 33, 2005.
Limits: normal distributions on the scale of the number, also near its ends; three and more choices together only have
the remainder; the variances are taken as known once they are fitted.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve

from workbench.statistics.intervals import Floats

Indices = npt.NDArray[np.intp]
Loss = Callable[[Floats], Floats]
"""What values of a number cost, draws × rulesets, as an array of the same shape; less is better."""

EVEN = 0.5
"""What the level is expected to be."""
WIDE = 0.3
"""The standard deviation of the level, of which nothing is known beforehand."""
MAIN, PAIR, REMAINDER = (0.01, 0.03, 0.08), (0.003, 0.012, 0.03), (0.003, 0.01, 0.025)
"""The grid of standard deviations, in shares near one half."""
REFIT = 4
"""Rounds after which the variances are fitted anew."""
DRAWS = 400
"""Draws of the posterior that expected losses are means of."""


@dataclass(frozen=True)
class Space:
    """The rulesets that may be played: for each the number of its level of every factor.

    ``ordered`` tells of each factor whether its levels are numbers in order.
    """

    levels: Indices
    """An array of rulesets × factors."""
    ordered: tuple[bool, ...]
    counts: tuple[int, ...] = field(init=False)
    """Levels of each factor."""
    roots: tuple[Floats, ...] = field(init=False)
    """For each factor a square root of the covariance of its levels' effects, in units of the variance of an effect."""

    def __post_init__(self) -> None:
        counts = tuple(int(count) for count in self.levels.max(axis=0) + 1)
        object.__setattr__(self, "counts", counts)
        roots = [_walk(count) if walks else np.eye(count) for count, walks in zip(counts, self.ordered, strict=True)]
        object.__setattr__(self, "roots", tuple(roots))

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def effects(self) -> int:
        """Effects of choices and of two choices together."""
        return sum(self.counts) + sum(a * b for a, b in itertools.combinations(self.counts, 2))

    def kernels(self, rows: Indices, columns: Indices) -> tuple[Floats, Floats]:
        """The covariances of rulesets by effects of choices, and of two together, for variances of 1."""
        total = np.zeros((len(rows), len(columns)))
        squares = np.zeros_like(total)
        for factor, root in enumerate(self.roots):
            covariance = root @ root.T
            one = covariance[np.ix_(self.levels[rows, factor], self.levels[columns, factor])]
            total += one
            squares += one * one
        return total, (total * total - squares) / 2

    def prior_draws(self, scales: Scales, draws: int, rng: np.random.Generator) -> Floats:
        """Draws of the prior for all rulesets, an array of draws × rulesets."""
        level = rng.normal(0, WIDE, (draws, 1))
        values = level + rng.normal(0, scales.remainder, (draws, len(self)))
        for factor, root in enumerate(self.roots):
            effects = rng.normal(0, scales.main, (draws, self.counts[factor])) @ root.T
            values += effects[:, self.levels[:, factor]]
        for a, b in itertools.combinations(range(len(self.counts)), 2):
            if self.counts[a] > 1 and self.counts[b] > 1:
                effects = rng.normal(0, scales.pair, (draws, self.counts[a], self.counts[b]))
                effects = self.roots[a] @ effects @ self.roots[b].T
                values += effects[:, self.levels[:, a], self.levels[:, b]]
        return values


def _walk(count: int) -> Floats:
    """Levels in order: each is a step from the one before, and all of them vary by 1 on average."""
    steps = np.tril(np.ones((count, count)))
    steps -= steps.mean(axis=0)
    return np.asarray(steps / math.sqrt(max(1e-12, float((steps**2).sum() / count))))


@dataclass(frozen=True)
class Scales:
    """Standard deviations of the effects of choices, of two together, and of remainders."""

    main: float = MAIN[1]
    pair: float = PAIR[1]
    remainder: float = REMAINDER[1]


@dataclass(frozen=True)
class Observations:
    """What the games say: sums over games, an array with an entry for each ruleset."""

    games: Floats
    total: Floats
    squares: Floats

    @classmethod
    def none(cls, rulesets: int) -> Observations:
        """No games yet."""
        return cls(*(np.zeros(rulesets) for _ in range(3)))

    def __add__(self, other: Observations) -> Observations:
        return Observations(self.games + other.games, self.total + other.total, self.squares + other.squares)

    @property
    def variance(self) -> float:
        """That of one game, within rulesets, over all of them."""
        played = self.games > 0
        within = self.squares[played] - self.total[played] ** 2 / self.games[played]
        freedom = float(self.games[played].sum()) - played.sum()
        return float(max(within.sum() / max(freedom, 1.0), 1e-6))


class Data:
    """The games of the rulesets that were played, and how alike these are: what every choice of scales starts from."""

    def __init__(self, space: Space, seen: Observations) -> None:
        self.space = space
        self.played = np.flatnonzero(seen.games > 0)
        self.noise = seen.variance / seen.games[self.played]
        self.means = seen.total[self.played] / seen.games[self.played] - EVEN
        self.kernels = space.kernels(self.played, self.played)


class Posterior:
    """What is known of a number of every ruleset, given games and the scales of effects."""

    def __init__(self, data: Data, scales: Scales) -> None:
        self.data, self.scales = data, scales
        diagonal = np.diag(data.noise + scales.remainder**2)
        self.factor = cho_factor(self._covariance(*data.kernels) + diagonal, lower=True)

    def _covariance(self, main: Floats, pair: Floats) -> Floats:
        """The covariance of rulesets, without remainders, by their kernels."""
        return WIDE**2 + self.scales.main**2 * main + self.scales.pair**2 * pair

    @property
    def log_likelihood(self) -> float:
        """Of the scales, but for a constant."""
        means = self.data.means
        return float(-0.5 * means @ cho_solve(self.factor, means) - np.log(np.diag(self.factor[0])).sum())

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        """Draws of the number for all rulesets, an array of draws × rulesets."""
        space, played = self.data.space, self.data.played
        values = space.prior_draws(self.scales, count, rng)
        noise = rng.normal(0, np.sqrt(self.data.noise), (count, len(played)))
        weights = cho_solve(self.factor, (self.data.means - values[:, played] - noise).T)
        values += (self._covariance(*space.kernels(np.arange(len(space)), played)) @ weights).T
        values[:, played] += self.scales.remainder**2 * weights.T
        return np.asarray(values + EVEN)


def fit_scales(data: Data) -> Scales:
    """The scales of the grid that the games make most likely."""
    grid = [Scales(*each) for each in itertools.product(MAIN, PAIR, REMAINDER)]
    return max(grid, key=lambda scales: Posterior(data, scales).log_likelihood)


def first_sample(space: Space, size: int, rng: np.random.Generator) -> Indices:
    """Rulesets to begin with, in which every level of every factor occurs about as often as every other."""
    chosen: list[int] = []
    times = [np.zeros(count) for count in space.counts]
    left = rng.permutation(len(space))
    for _ in range(min(size, len(space))):
        # Of a few at random the one whose levels were rarest so far.
        offered = left[:8]
        seldom = np.array([sum(times[f][level] for f, level in enumerate(space.levels[one])) for one in offered])
        place = int(np.argmin(seldom))
        chosen.append(int(offered[place]))
        for f, level in enumerate(space.levels[offered[place]]):
            times[f][level] += 1
        left = np.delete(left, place)
    return np.array(chosen, dtype=np.intp)


def next_rulesets(posterior: Posterior, loss: Loss, batch: int, rng: np.random.Generator) -> Indices:
    """Which rulesets to play next: of each draw the best, or with probability one half the second best."""
    losses = loss(posterior.draws(batch, rng))
    best_two = np.argpartition(losses, 1, axis=1)[:, :2]
    ordered = np.take_along_axis(losses, best_two, axis=1)
    best_two = np.where((ordered[:, 0] <= ordered[:, 1])[:, None], best_two, best_two[:, ::-1])
    return np.asarray(best_two[np.arange(batch), rng.integers(0, 2, batch)])


def finalists(posterior: Posterior, loss: Loss, count: int, rng: np.random.Generator) -> Indices:
    """The rulesets of least expected loss, the best first."""
    expected = loss(posterior.draws(DRAWS, rng)).mean(axis=0)
    return np.asarray(np.argsort(expected, kind="stable")[:count])


@dataclass
class Allocation:
    """A search by the games that were played so far; what it asks for next depends on them and the seed alone."""

    space: Space
    loss: Loss
    seed: int
    batch: int = 16
    games: int = 10
    """Games that a ruleset gets each time."""
    begin: float = 1.2
    """Rulesets of the first sample for each effect of the space."""
    seen: Observations = field(init=False)
    rounds: int = field(default=0, init=False)
    scales: Scales = field(default_factory=Scales, init=False)

    def __post_init__(self) -> None:
        self.seen = Observations.none(len(self.space))

    def _rng(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, self.rounds, purpose])

    def ask(self) -> Indices:
        """The rulesets of the next round, each named as often as it gets `games` games."""
        if self.rounds == 0:
            return first_sample(self.space, math.ceil(self.begin * self.space.effects), self._rng(0))
        return next_rulesets(self.posterior(), self.loss, self.batch, self._rng(1))

    def tell(self, seen: Observations) -> None:
        """Adds the games of a round."""
        self.seen = self.seen + seen
        if self.rounds % REFIT == 0:
            self.scales = fit_scales(Data(self.space, self.seen))
        self.rounds += 1

    def posterior(self) -> Posterior:
        """What is known so far."""
        return Posterior(Data(self.space, self.seen), self.scales)

    def finalists(self, count: int) -> Sequence[int]:
        """The rulesets that go to confirmation, the most promising first."""
        return [int(one) for one in finalists(self.posterior(), self.loss, count, self._rng(2))]
