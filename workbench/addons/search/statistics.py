"""A model of all rulesets of a space, by which a search chooses what to play next and which rulesets meet its targets.

A measure of ruleset x, such as the first player's score, is::

    f(x) = level + Σ effect of each choice + Σ effect of each two choices together + slope · guide(x) + remainder of x

All effects of one kind are normal with one variance; a ruleset that was never played has an estimate, too. The guide is
what quick players show of the same measure; where it says nothing of the strong ones the slope is fitted as 0. The
variances have the greatest marginal likelihood of a grid. A choice among numbers is a walk: its neighbours differ by
one step. What is played next are the best rulesets of draws from the posterior, or the second best with probability
one half (top-two Thompson sampling), so that games go to rulesets that may be the best; at last among a few only.

Source: D. Russo, "Simple Bayesian algorithms for best-arm identification", Operations Research 68, 2020; draws by
conditioning a draw of the prior: J. Wilson and others, "Pathwise conditioning of Gaussian processes", Journal of
Machine Learning Research 22, 2021; pooled effects: A. Gelman, "Analysis of variance: why it is more important than
ever", Annals of Statistics 33, 2005; quick players as a guide: M. Kennedy and A. O'Hagan, "Predicting the output from
a complex computer code when fast approximations are available", Biometrika 87, 2000.
Limits: normal distributions on the scale of the measure, also near its ends; three and more choices together only have
the remainder; the variances are taken as known once they are fitted; measures are modelled each by itself.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.linalg import cho_factor, cho_solve

from workbench.addons.search.question import PRICE, RuleSearch
from workbench.experiments.experiment_files import Target
from workbench.experiments.measures import MEASURES, PLIES
from workbench.statistics.intervals import Floats

Indices = npt.NDArray[np.intp]

WIDE = 0.6
"""The standard deviation of the level about the mean of all games, in standard deviations of one game."""
GRID: Mapping[str, tuple[float, ...]] = {
    "main": (0.02, 0.06, 0.16, 0.5),
    "pair": (0.006, 0.024, 0.06, 0.2),
    "remainder": (0.006, 0.02, 0.05, 0.2),
    "slope": (0.0, 0.02, 0.06, 0.16, 0.5),
}
"""The values that `Scales` are chosen from."""
REFIT = 4
"""Rounds after which the variances are fitted anew."""
DRAWS = 400
"""Draws of the posterior that expected losses are means of."""
FIRST, MOST_FIRST = 2, 0.3
"""Rulesets of the first sample for each effect of the space, and the share of the games that they may take."""
RACE = 0.5
"""The share of the games after which the most promising rulesets race: only these are played on."""
QUICK_GAMES = 20
"""Games of quick players for a ruleset."""
VETO = 0.99
"""A ruleset is left out if by quick players it fails a condition with this probability."""
LEXICAL, FAILED = 100.0, 1e4
"""The weight of a miss by one unit where targets come before the price, and the loss for failing a condition."""


@dataclass(frozen=True)
class Space:
    """The rulesets that may be played: for each the number of its level of every factor."""

    levels: Indices
    """An array of rulesets × factors."""
    numbers: tuple[tuple[int, ...], ...] = ()
    """For each factor those of its levels that are numbers, in their order; none where names are chosen among."""
    counts: tuple[int, ...] = field(init=False)
    """Levels of each factor."""
    roots: tuple[Floats, ...] = field(init=False)
    """For each factor a square root of the covariance of its levels' effects, in units of the variance of an effect."""
    _kernels: dict[bytes, tuple[Floats, Floats]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The last ones, which all measures share."""

    def __post_init__(self) -> None:
        counts = tuple(int(count) for count in self.levels.max(axis=0) + 1)
        object.__setattr__(self, "counts", counts)
        numbers = self.numbers or ((),) * len(counts)
        object.__setattr__(self, "roots", tuple(itertools.starmap(_root, zip(counts, numbers, strict=True))))

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def effects(self) -> int:
        """Effects of choices and of two choices together that can differ from those of the first choices."""
        free = [count - 1 for count in self.counts]
        return sum(free) + sum(a * b for a, b in itertools.combinations(free, 2))

    @cached_property
    def columns(self) -> tuple[Floats, Floats]:
        """Loadings of rulesets on independent effects of variance 1, of choices and of pairs: effects × rulesets."""
        one = [root[self.levels[:, factor]].T for factor, root in enumerate(self.roots)]
        pairs = itertools.combinations([each for each in one if len(each) > 1], 2)
        two = [(a[:, None] * b[None]).reshape(-1, len(self)) for a, b in pairs]
        return np.concatenate(one), np.concatenate([np.zeros((1, len(self))), *two])

    def kernels(self, played: Indices) -> tuple[Floats, Floats]:
        """The covariances of all rulesets with some, by effects of choices, and of two together, of variance 1."""
        key = played.tobytes()
        if key not in self._kernels:
            self._kernels.clear()
            one, two = (each.T @ each[:, played] for each in self.columns)
            self._kernels[key] = one, two
        return self._kernels[key]

    def prior_draws(self, scales: Scales, draws: int, rng: np.random.Generator) -> Floats:
        """Draws of the prior without level and guide for all rulesets, for a game's SD of 1: draws × rulesets."""
        values = rng.normal(0, scales.remainder, (draws, len(self)))
        for scale, columns in zip((scales.main, scales.pair), self.columns, strict=True):
            values += rng.normal(0, scale, (draws, len(columns))) @ columns
        return values

    def contrasts(self, values: Floats, factor: int, level: int, reference: int = 0) -> Floats:
        """Return the effect of a level beside another one, all else equal: the mean over rulesets, for each draw.

        ``values`` are draws × rulesets. NaN where no two rulesets differ in just this.
        """
        others = np.delete(self.levels, factor, axis=1)
        place = {tuple(rest): index for index, rest in enumerate(others) if self.levels[index, factor] == reference}
        changed = np.flatnonzero(self.levels[:, factor] == level)
        pairs = [(index, place[rest]) for index in changed if (rest := tuple(others[index])) in place]
        if not pairs:
            return np.full(len(values), np.nan)
        now, was = np.array(pairs).T
        return np.asarray((values[:, now] - values[:, was]).mean(axis=1))


def _root(count: int, numbers: Sequence[int]) -> Floats:
    """Levels that are names vary alone; among numbers each is a step from the one before. All vary by 1 on average."""
    root = np.eye(count)
    if len(numbers) > 1:
        steps = np.tril(np.ones((len(numbers), len(numbers))))
        steps -= steps.mean(axis=0)
        steps /= math.sqrt(float((steps**2).sum() / len(numbers)))
        root[np.ix_(numbers, numbers)] = steps
    return root


@dataclass(frozen=True)
class Scales:
    """Standard deviations of effects of choices, of two together, of remainders and of what the guide tells.

    In standard deviations of one game.
    """

    main: float = 0.06
    pair: float = 0.024
    remainder: float = 0.02
    slope: float = 0.0


@dataclass(frozen=True)
class Observations:
    """Sums of one measure over games: arrays of rulesets × players."""

    games: Floats
    total: Floats
    squares: Floats

    @classmethod
    def none(cls, rulesets: int, players: int = 1) -> Observations:
        """No games yet."""
        return cls(*(np.zeros((rulesets, players)) for _ in range(3)))

    def __add__(self, other: Observations) -> Observations:
        return Observations(self.games + other.games, self.total + other.total, self.squares + other.squares)

    @property
    def games_of(self) -> Floats:
        """The games of each ruleset."""
        return np.asarray(self.games.sum(axis=1))

    @cached_property
    def variance(self) -> float:
        """The variance of one game, within rulesets and players, over all of them."""
        played = self.games > 0
        within = self.squares[played] - self.total[played] ** 2 / self.games[played]
        freedom = float(self.games[played].sum()) - played.sum()
        return float(max(within.sum() / max(freedom, 1.0), 1e-6))

    @cached_property
    def _compared(self) -> Floats:
        """The games of the rulesets that several players played: rulesets × players."""
        return np.asarray(self.games[(self.games > 0).sum(axis=1) > 1])

    @cached_property
    def _deviations(self) -> Floats:
        """By how much each player's mean is above the ruleset's, of these rulesets; of no games it has no meaning."""
        games, total = self._compared, self.total[(self.games > 0).sum(axis=1) > 1]
        of_ruleset = total.sum(axis=1, keepdims=True) / games.sum(axis=1, keepdims=True)
        return np.asarray(total / np.maximum(games, 1) - of_ruleset)

    @cached_property
    def levels(self) -> Floats:
        """By how much each player's mean is above that of all players, whatever the ruleset; 0 for who never played.

        Least squares with a mean for each ruleset, over the rulesets that several players played.
        """
        levels = np.zeros(self.games.shape[1])
        heard = self._compared.sum(axis=0) > 0
        if heard.any():
            games = self._compared[:, heard]
            within = np.diag(games.sum(axis=0)) - games.T @ (games / games.sum(axis=1, keepdims=True))
            levels[heard] = np.linalg.lstsq(within, (games * self._deviations[:, heard]).sum(axis=0))[0]
            levels[heard] -= levels[heard].mean()
        return levels

    @cached_property
    def player_variance(self) -> float:
        """The variance between players about a ruleset, beyond their differences about all rulesets; by moments.

        Cells count by their games; R. DerSimonian and N. Laird, "Meta-analysis in clinical trials", Controlled Clinical
        Trials 7, 1986.
        """
        games, each = self._compared, self._compared.sum(axis=1, keepdims=True)
        rulesets, cells, players = len(games), int((games > 0).sum()), int((games.sum(axis=0) > 0).sum())
        freedom = cells - rulesets - players + 1
        if players < 2 or freedom < 1:
            return 0.0
        rest = self._deviations - self.levels + (games @ self.levels)[:, None] / each
        spread = float((each[:, 0] - (games**2).sum(axis=1) / each[:, 0]).sum())
        excess = float((games * rest**2).sum()) - freedom * self.variance
        return max(0.0, excess / (spread * freedom / (cells - rulesets)))


class Data:
    """The games of the rulesets that were played, and how alike these are: what every choice of scales starts from.

    Players are a sample: what they differ by about a ruleset is in the error of its mean, however many games they play.
    What they differ by about all rulesets is taken off, so that rulesets may be played by different ones.
    """

    def __init__(self, space: Space, seen: Observations, guide: Floats | None = None) -> None:
        """``guide``: for every ruleset what quick players show of the measure, on any scale; None: nothing."""
        self.space = space
        self.played = np.flatnonzero(seen.games_of > 0)
        self.unit = math.sqrt(seen.variance)
        games = seen.games[self.played]
        values = seen.total[self.played] / np.maximum(games, 1) - seen.levels
        self.center = float((games * values).sum() / max(games.sum(), 1.0))
        with np.errstate(divide="ignore"):
            weights = np.where(games > 0, 1 / (seen.player_variance / seen.variance + 1 / games), 0.0)
        means = (values - self.center) / self.unit
        self.noise = 1 / weights.sum(axis=1)
        self.means = (weights * means).sum(axis=1) * self.noise
        self.kernels = space.kernels(self.played)
        self.kernels_of_played = self.kernels[0][self.played], self.kernels[1][self.played]
        spread = 0.0 if guide is None else float(guide.std())
        self.guide = np.zeros(len(space)) if guide is None or spread == 0 else (guide - guide.mean()) / spread


class Posterior:
    """The posterior of a measure for every ruleset, given games and the scales of effects."""

    def __init__(self, data: Data, scales: Scales) -> None:
        self.data, self.scales = data, scales
        diagonal = np.diag(data.noise + scales.remainder**2)
        covariance = self._covariance(*data.kernels_of_played, data.guide[data.played])
        self.factor = cho_factor(covariance + diagonal, lower=True)

    def _covariance(self, main: Floats, pair: Floats, rows: Floats) -> Floats:
        """The covariance of rulesets with those that were played, without remainders, by their kernels and guides."""
        scales = self.scales
        total = WIDE**2 + scales.main**2 * main + scales.pair**2 * pair
        if scales.slope:
            total += scales.slope**2 * np.outer(rows, self.data.guide[self.data.played])
        return total

    @property
    def log_likelihood(self) -> float:
        """The log likelihood of the scales, but for a constant."""
        means = self.data.means
        return float(-0.5 * means @ cho_solve(self.factor, means) - np.log(np.diag(self.factor[0])).sum())

    @cached_property
    def _to_all(self) -> Floats:
        played = self.data.played
        covariance = self._covariance(*self.data.kernels, self.data.guide)
        covariance[played, np.arange(len(played))] += self.scales.remainder**2
        return covariance

    @property
    def mean(self) -> Floats:
        """The expected value of every ruleset."""
        data = self.data
        return np.asarray(data.center + data.unit * (self._to_all @ cho_solve(self.factor, data.means)))

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        """Draws of the measure for all rulesets, an array of draws × rulesets."""
        data = self.data
        values = data.space.prior_draws(self.scales, count, rng)
        values += rng.normal(0, WIDE, (count, 1))
        values += rng.normal(0, self.scales.slope, (count, 1)) * data.guide
        noise = rng.normal(0, np.sqrt(data.noise), (count, len(data.played)))
        weights = cho_solve(self.factor, (data.means - values[:, data.played] - noise).T)
        values += (self._to_all @ weights).T
        return np.asarray(data.center + data.unit * values)


def fit_scales(data: Data, start: Scales) -> Scales:
    """Return the scales of the grid that the games make most likely, one after the other until none changes."""
    likelihood: dict[Scales, float] = {}

    def likely(scales: Scales) -> float:
        if scales not in likelihood:
            likelihood[scales] = Posterior(data, scales).log_likelihood
        return likelihood[scales]

    best = start if data.guide.any() else replace(start, slope=0.0)
    while True:
        before = best
        for name, sizes in GRID.items():
            if name != "slope" or data.guide.any():
                best = max((replace(best, **{name: size}) for size in sizes), key=likely)
        if best == before:
            return best


@dataclass(frozen=True)
class Aim:
    """A band that a measure should be in; ends may be infinite."""

    measure: str
    low: float
    high: float
    unit: float
    """A miss by so much counts 1: half the width of the band, or what stands for it."""
    weight: float = 1.0

    def misses(self, values: Floats) -> Floats:
        """Return the distance of values from the band, in units."""
        return np.asarray(np.maximum(np.maximum(self.low - values, values - self.high), 0) / self.unit)


@dataclass(frozen=True)
class Goal:
    """Bands, prices and conditions, as one loss."""

    aims: tuple[Aim, ...]
    musts: tuple[Aim, ...]
    prices: Floats
    """The price of each ruleset, as it counts in the loss."""

    @property
    def measures(self) -> list[str]:
        """All that the loss depends on."""
        return list(dict.fromkeys(aim.measure for aim in (*self.aims, *self.musts)))

    def loss(self, values: Mapping[str, Floats]) -> Floats:
        """Return the loss of rulesets, given their measures (draws × rulesets each); less is better."""
        total = np.zeros_like(next(iter(values.values()))) + self.prices
        for aim in self.aims:
            total += aim.weight * aim.misses(values[aim.measure])
        for must in self.musts:
            total += FAILED * (must.misses(values[must.measure]) > 0)
        return total


def first_sample(space: Space, size: int, among: Indices, rng: np.random.Generator) -> Indices:
    """Rulesets to begin with, in which every level of every factor occurs about as often as every other."""
    chosen: list[int] = []
    times = [np.zeros(count) for count in space.counts]
    left = rng.permutation(among)
    for _ in range(min(size, len(among))):
        # Of a few at random the one whose levels were rarest so far.
        offered = left[:8]
        seldom = np.array([sum(times[f][level] for f, level in enumerate(space.levels[one])) for one in offered])
        place = int(np.argmin(seldom))
        chosen.append(int(offered[place]))
        for f, level in enumerate(space.levels[offered[place]]):
            times[f][level] += 1
        left = np.delete(left, place)
    return np.array(chosen, dtype=np.intp)


def top_two(losses: Floats, rng: np.random.Generator) -> Indices:
    """Return the best ruleset of each draw (draws × rulesets), or with probability one half the second best."""
    if losses.shape[1] == 1:
        return np.zeros(len(losses), dtype=np.intp)
    best_two = np.argpartition(losses, 1, axis=1)[:, :2]
    ordered = np.take_along_axis(losses, best_two, axis=1)
    best_two = np.where((ordered[:, 0] <= ordered[:, 1])[:, None], best_two, best_two[:, ::-1])
    return np.asarray(best_two[np.arange(len(losses)), rng.integers(0, 2, len(losses))])


SIEVE, SAMPLE, ROUNDS, RACING = "sieve", "first sample", "rounds", "race"
"""The stages of a search."""


@dataclass(frozen=True)
class Budget:
    """Games of a search, without those of the confirmation."""

    strong: int
    quick: int = 0
    each: int = 10
    """Games that a ruleset gets each time it is asked for."""
    batch: int = 16
    """Requests for a ruleset in one round."""
    race: int = 16
    """Rulesets of the race."""
    fixed_race: bool = False
    """True if these are chosen once, since others would have to learn first: else anew before each round."""


@dataclass(frozen=True)
class Request:
    """The games to play next."""

    stage: str
    games: Mapping[int, int]
    """Ruleset -> games."""

    @property
    def quick(self) -> bool:
        """True if quick players play."""
        return self.stage == SIEVE


@dataclass
class Allocation:
    """A search by the games that were played so far; what it asks for next depends on them and the seed alone."""

    space: Space
    goal: Goal
    budget: Budget
    seed: int
    players: int = 1
    """Strong players, of all stages."""
    watched: Sequence[str] = ()
    """Measures that are estimated besides those of the goal."""
    seen: dict[str, Observations] = field(init=False)
    """Observations of strong players, by measure."""
    guides: dict[str, Floats] = field(default_factory=dict, init=False)
    """Estimates by quick players, by measure, for every ruleset."""
    alive: npt.NDArray[np.bool_] = field(init=False)
    """Rulesets that were not left out by quick players."""
    racing: list[int] = field(default_factory=list, init=False)
    """The rulesets that race next, once the race has begun."""
    played: int = field(default=0, init=False)
    """Games of strong players."""
    rounds: int = field(default=0, init=False)
    scales: dict[str, Scales] = field(init=False)

    def __post_init__(self) -> None:
        self.seen = {name: Observations.none(len(self.space), self.players) for name in self.measures}
        self.scales = dict.fromkeys(self.measures, Scales())
        self.alive = np.ones(len(self.space), dtype=bool)

    @property
    def measures(self) -> list[str]:
        """All that is estimated."""
        return list(dict.fromkeys((*self.goal.measures, *self.watched)))

    def _rng(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, self.rounds, purpose])

    def ask(self) -> Request | None:
        """Return the next games to play; None when all games of the search are played."""
        budget, rng = self.budget, self._rng(0)
        everyone = np.flatnonzero(self.alive)
        if self.rounds == 0 and budget.quick >= QUICK_GAMES:
            chosen = first_sample(self.space, budget.quick // QUICK_GAMES, everyone, rng)
            return Request(SIEVE, {int(one): QUICK_GAMES for one in chosen})
        if self.played >= budget.strong:
            return None
        if self.played == 0:
            most = max(1, int(MOST_FIRST * budget.strong) // budget.each)
            size = min(math.ceil(FIRST * max(self.space.effects, 1)), most)
            chosen = first_sample(self.space, size, everyone, rng)
            return Request(SAMPLE, {int(one): budget.each for one in chosen})
        if self.racing:
            everyone = np.array(self.racing, dtype=np.intp)
        chosen = everyone[top_two(self.losses(budget.batch, rng)[:, everyone], rng)]
        left = -(-(budget.strong - self.played) // budget.each)
        rulesets, times = np.unique(chosen[:left], return_counts=True)
        games = {int(one): int(count) * budget.each for one, count in zip(rulesets, times, strict=True)}
        return Request(RACING if self.racing else ROUNDS, games)

    def tell(self, asked: Request, seen: Mapping[str, Observations]) -> None:
        """Add the games of a round."""
        if asked.quick:
            self._sift(seen)
        else:
            self.played += sum(asked.games.values())
            self.add(seen)
            if self.rounds % REFIT == 0 or asked.stage == SAMPLE:
                self.refit()
            if self.played >= RACE * self.budget.strong and not (self.racing and self.budget.fixed_race):
                self.racing = self.finalists(self.budget.race)
        self.rounds += 1

    def _sift(self, seen: Mapping[str, Observations]) -> None:
        """Learn the guides from quick players, and leaves out what fails a must almost surely."""
        rng = self._rng(1)
        for name, observed in seen.items():
            data = Data(self.space, observed)
            posterior = Posterior(data, fit_scales(data, Scales()))
            self.guides[name] = posterior.mean
            for must in self.goal.musts:
                if must.measure == name:
                    failing = (must.misses(posterior.draws(DRAWS, rng)) > 0).mean(axis=0)
                    self.alive &= failing < VETO
        if not self.alive.any():
            # Where all fail, strong players may tell which fails least.
            self.alive[:] = True

    def add(self, seen: Mapping[str, Observations]) -> None:
        """Add games, such as those of a confirmation."""
        self.seen = {name: before + seen[name] for name, before in self.seen.items()}

    def refit(self) -> None:
        """Fit the variances to all games."""
        for name, observed in self.seen.items():
            self.scales[name] = fit_scales(self._data(name, observed), self.scales[name])

    def _data(self, name: str, observed: Observations) -> Data:
        return Data(self.space, observed, self.guides.get(name))

    def posterior(self, name: str) -> Posterior:
        """Return the posterior of a measure so far."""
        return Posterior(self._data(name, self.seen[name]), self.scales[name])

    def draws(self, names: Sequence[str], count: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws of some measures, draws × rulesets."""
        return {name: self.posterior(name).draws(count, rng) for name in names}

    def losses(self, count: int, rng: np.random.Generator) -> Floats:
        """Draws of the loss, draws × rulesets; infinite for what quick players left out."""
        losses = self.goal.loss(self.draws(self.goal.measures, count, rng))
        losses[:, ~self.alive] = np.inf
        return losses

    def finalists(self, count: int) -> list[int]:
        """Return the rulesets of least expected loss, the best first."""
        expected = self.losses(DRAWS, self._rng(2)).mean(axis=0)
        return [int(one) for one in np.argsort(expected, kind="stable")[:count] if math.isfinite(expected[one])]


def measured_values(trials: pd.DataFrame, name: str) -> Floats:
    """Return the value of each game for a measure; NaN where it does not count."""
    if name == PLIES:
        return np.asarray(trials["plies"], dtype=float)
    measure = MEASURES[name]
    values = {result: measure.value_of(result) for result in ("first", "draw", "second", "unfinished")}
    return np.asarray(trials["result"].astype(str).map(values), dtype=float)


def observed_sums(rows: Indices, columns: Indices, values: Floats, shape: tuple[int, int]) -> Observations:
    """Games, sums and sums of squares of rulesets × players; NaN does not count."""
    counted = ~np.isnan(values)
    cells = np.ravel_multi_index((rows[counted], columns[counted]), shape)
    values = values[counted]

    def total(weights: Floats | None = None) -> Floats:
        return np.bincount(cells, weights=weights, minlength=shape[0] * shape[1]).astype(float).reshape(shape)

    return Observations(total(), total(values), total(values**2))


def estimate_fresh(trials: pd.DataFrame, measure: str, order: Sequence[str]) -> FreshEstimates:
    """Return the estimates of a measure from fresh games, for named rulesets in their order."""
    rows = pd.Index(order).get_indexer(pd.Index(trials["ruleset"].astype(str)))
    columns, players = pd.factorize(trials["first"].astype(str))
    number = trials["game"].to_numpy(dtype=np.intp)
    shape = len(players), int(number.max()) + 1
    values, lines = np.full((len(order), *shape), np.nan), np.zeros(shape, dtype=np.intp)
    values[rows, columns, number] = measured_values(trials, measure)
    lines[columns, number] = trials["line"]
    return fresh_estimates(values, lines)


def goal_of(search: RuleSearch, prices: Sequence[float]) -> Goal:
    """Return the loss that a file asks for."""
    weights = search.weights
    usual = 0.0 if weights else LEXICAL
    aims = tuple(aim_of(name, target, weights.get(name, usual)) for name, target in search.targets.items())
    musts = tuple(aim_of(name, target) for name, target in search.must.items())
    return Goal(aims, musts, (weights.get(PRICE, 0.0) if weights else 1.0) * np.array(prices, dtype=float))


def aim_of(measure: str, target: Target, weight: float = 1.0) -> Aim:
    """Return a target as a band; the unit of a limit is half of it, that of a point is a hundredth."""
    if isinstance(target, str):
        limit = float(target.lstrip("<>= "))
        low, high = (-math.inf, limit) if target.startswith("<") else (limit, math.inf)
        return Aim(measure, low, high, max(limit / 2, 0.01), weight)
    low, high = target
    return Aim(measure, low, high, (high - low) / 2 or 0.01, weight)


LEVEL = 0.95
REPEATS = 20_000
LEAST_SHARE = 0.1
"""The variance of a mean is at least this share of the average one: that of a measure which never varied is not 0."""


@dataclass(frozen=True)
class FreshEstimates:
    """A measure of each finalist; arrays with one entry a ruleset."""

    mean: Floats
    covariance: Floats
    """The covariance of the errors of the means."""
    freedom: float
    """Degrees of freedom of that covariance."""

    @cached_property
    def interval(self) -> tuple[Floats, Floats]:
        """The simultaneous interval of each."""
        error = np.sqrt(np.diag(self.covariance))
        farthest = np.fmax.reduce(np.abs(self.draws(np.random.default_rng(0)) - self.mean) / error, axis=1)
        reach = np.quantile(farthest, LEVEL) * error
        return self.mean - reach, self.mean + reach

    def draws(self, rng: np.random.Generator) -> Floats:
        """Values that these games allow, draws × rulesets."""
        errors = rng.multivariate_normal(np.zeros(len(self.mean)), self.covariance, REPEATS, method="cholesky")
        return np.asarray(self.mean + errors * np.sqrt(self.freedom / rng.chisquare(self.freedom, (REPEATS, 1))))


def fresh_estimates(values: Floats, lines: Indices) -> FreshEstimates:
    """Estimate from the value of each game, rulesets × players × games; NaN: it was not played, or does not count.

    ``lines`` are those of players × games. Games of one number have the same line, and may share chance, under all
    rulesets. A player none of whose games of a ruleset counts is taken to find what the others find; where no game of
    a ruleset counts its mean is NaN.
    """
    rulesets, players, _ = values.shape
    counted = ~np.isnan(values)
    games = counted.sum(axis=2)
    sums = np.where(counted, values, 0.0).sum(axis=2)
    heard = games > 0
    by_player = sums / np.maximum(games, 1)
    mean = by_player.sum(axis=1) / np.maximum(heard.sum(axis=1), 1)
    by_player = np.where(heard, by_player, mean[:, None])
    scale = 1 / (players * np.sqrt(np.maximum(games * (games - 1), 1)))
    rest = np.where(counted, (values - by_player[:, :, None]) * scale[:, :, None], 0.0)
    numbers = np.unique(lines, return_inverse=True)[1].reshape(lines.shape)
    count = int(numbers.max()) + 1
    sums_of_lines = np.array([[np.bincount(n, r, count) for n, r in zip(numbers, one, strict=True)] for one in rest])
    by_cell = np.einsum("apl,bpl->ab", sums_of_lines, sums_of_lines)
    total = sums_of_lines.sum(axis=1)
    covariance = total @ total.T * count / max(count - 1, 1)
    freedom = float(max(count - 1, 1))
    if players > 1:
        between = np.cov(by_player, ddof=1).reshape(rulesets, rulesets) / players
        # What players differ by beyond their games: about a ruleset, and about two alike.
        excess = between - by_cell
        own = max(0.0, float(np.diag(excess).mean()))
        apart = ~np.eye(rulesets, dtype=bool)
        common = float(np.clip(excess[apart].mean(), 0.0, own)) if rulesets > 1 else 0.0
        covariance += common + (own - common) * np.eye(rulesets)
        if own:
            spread = np.sqrt(np.maximum(np.diag(between), 1e-12))
            alike = float(((between / np.outer(spread, spread)) ** 2).mean())
            freedom = min(freedom, (players - 1) / max(alike, 1 / rulesets))
    variances = np.diag(covariance)
    typical = max(float(variances.mean()), 1e-12)
    mean = np.where(heard.any(axis=1), mean, np.nan)
    # A trace of it also where finalists played the same games: draws need a covariance of full rank.
    added = np.maximum(LEAST_SHARE * typical - variances, 1e-9 * typical)
    return FreshEstimates(mean, covariance + np.diag(added), freedom)


@dataclass(frozen=True)
class Verdicts:
    """Comparisons of the finalists by the loss; arrays with one entry a ruleset."""

    alike: Floats
    """The probability that its loss is within the tolerance of the least."""
    regret: Floats
    """The expected miss of the targets beyond that of the best, in units; the price aside."""
    loss: Floats
    """The loss that is expected of it: the best has the least."""
    nearer: Floats
    """The probability that it misses targets and conditions by less than the base does; the price aside."""


def compare_finalists(
    goal: Goal, fresh: Mapping[str, FreshEstimates], tolerance: float, seed: int, base: int = 0
) -> Verdicts:
    """The probabilities of being as good as the best, and nearer to the targets than the base, by fresh games alone.

    ``goal`` has the prices of the finalists, of which one is the ``base``.
    """
    rng = np.random.default_rng(seed)
    draws = {name: fresh[name].draws(rng) for name in goal.measures}
    losses = np.nan_to_num(goal.loss(draws), nan=FAILED)
    alike = losses <= losses.min(axis=1, keepdims=True) + tolerance + 1e-12
    misses = sum((aim.misses(draws[aim.measure]) for aim in goal.aims), np.zeros_like(losses))
    misses = np.nan_to_num(misses, nan=FAILED)
    regret = (misses - misses.min(axis=1, keepdims=True)).mean(axis=0)
    unpriced = losses - goal.prices
    nearer = (unpriced < unpriced[:, [base]] - 1e-9).mean(axis=0)
    return Verdicts(alike.mean(axis=0), regret, losses.mean(axis=0), nearer)


MET, MISSED, OPEN = "met", "missed", "open"
NEAREST, PROMISING, BASE_AS_NEAR = "nearest", "promising", "base_as_near"


def judge_band(aim: Aim, low: float, high: float) -> str:
    """Return whether an interval lies in a band, outside of it, or across one of its ends."""
    if low >= aim.low and high <= aim.high:
        return MET
    return MISSED if high < aim.low or low > aim.high else OPEN


def search_verdict(targets: Collection[str], nearer: float) -> str:
    """Return the verdict on the best finalist, given which ``targets`` it meets and how surely it is nearer.

    `MET`: it meets all of them. `NEAREST`: none does, and it is surely nearer to them than the base; `PROMISING`: so it
    is, and may meet them. `BASE_AS_NEAR`: fresh games do not surely tell it from the base, or it is the base.
    """
    if set(targets) == {MET}:
        return MET
    if nearer < LEVEL:
        return BASE_AS_NEAR
    return NEAREST if MISSED in targets else PROMISING
