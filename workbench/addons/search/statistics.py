"""A Gaussian model of all rulesets in a space, which determines a search's next games and judges its finalists.

A measure of ruleset x, such as the first player's score, is::

    f(x) = level + Σ effect of each choice + Σ interaction of each two choices + slope · guide(x) + remainder of x

All effects of one kind are normal with one variance, which also yields estimates of rulesets that were never played.
The guide is the estimate of the same measure from games of quick players; if it does not predict strong players, its
slope is fitted as 0. The variances maximise the marginal likelihood on a grid. Numeric levels form a random walk. The
next games go to the best ruleset in posterior draws, or to the second best with probability one half (top-two Thompson
sampling); in the last phase only the most promising rulesets are eligible.

Source: D. Russo, "Simple Bayesian algorithms for best-arm identification", Operations Research 68, 2020; draws by
conditioning a draw of the prior: J. Wilson and others, "Pathwise conditioning of Gaussian processes", Journal of
Machine Learning Research 22, 2021; pooled effects: A. Gelman, "Analysis of variance: why it is more important than
ever", Annals of Statistics 33, 2005; guide by quick players: M. Kennedy and A. O'Hagan, "Predicting the output from
a complex computer code when fast approximations are available", Biometrika 87, 2000.
Limits: distributions are normal on the scale of the measure, even near its ends; interactions of three and more choices
are part of the remainder; fitted variances are treated as exact; measures are modelled independently.
"""

from __future__ import annotations

import functools
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
"""Standard deviation of the level around the mean of all games, in standard deviations of one game."""
GRID: Mapping[str, tuple[float, ...]] = {
    "main": (0.02, 0.06, 0.16, 0.5),
    "pair": (0.006, 0.024, 0.06, 0.2),
    "remainder": (0.006, 0.02, 0.05, 0.2),
    "slope": (0.0, 0.02, 0.06, 0.16, 0.5),
}
REFIT = 4
"""The number of rounds between fits of the variances."""
DRAWS = 400
"""The number of posterior draws for expected losses."""
FIRST, MOST_FIRST = 2, 0.3
"""Number of rulesets in the first sample per effect of the space, and the sample's maximum share of the games."""
RACE = 0.5
"""The share of the games after which the race starts, in which only the most promising rulesets are played."""
QUICK_GAMES = 20
VETO = 0.99
"""A ruleset is dropped if quick players show at least this probability of failing a condition."""
LEXICAL, FAILED = 100.0, 1e4
"""Weight of a miss by one unit if targets take precedence over the price; loss for failing a condition."""


@dataclass(frozen=True)
class Space:
    """Playable rulesets with their levels of every factor."""

    levels: Indices
    """An array of rulesets × factors."""
    numbers: tuple[tuple[int, ...], ...] = ()
    """Each factor's numeric levels in ascending order of the numbers."""
    counts: tuple[int, ...] = field(init=False)
    roots: tuple[Floats, ...] = field(init=False)
    """The square root of the covariance of each factor's level effects, in units of an effect's variance."""
    _kernels: dict[bytes, tuple[Floats, Floats]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """A cache with one entry because all measures use the kernels of the same rulesets."""

    def __post_init__(self) -> None:
        counts = tuple(int(count) for count in self.levels.max(axis=0) + 1)
        object.__setattr__(self, "counts", counts)
        numbers = self.numbers or ((),) * len(counts)
        object.__setattr__(self, "roots", tuple(itertools.starmap(_root, zip(counts, numbers, strict=True))))

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def effects(self) -> int:
        """The total degrees of freedom of main effects and interactions."""
        degrees = [count - 1 for count in self.counts]
        return sum(degrees) + sum(a * b for a, b in itertools.combinations(degrees, 2))

    @cached_property
    def columns(self) -> tuple[Floats, Floats]:
        """The rulesets' loadings on independent main effects and interactions of variance 1, effects × rulesets."""
        mains = [root[self.levels[:, factor]].T for factor, root in enumerate(self.roots)]
        pairs = itertools.combinations([main for main in mains if len(main) > 1], 2)
        products = [(a[:, None] * b[None]).reshape(-1, len(self)) for a, b in pairs]
        return np.concatenate(mains), np.concatenate([np.zeros((1, len(self))), *products])

    def kernels(self, played: Indices) -> tuple[Floats, Floats]:
        """Return the covariances of all rulesets with the played ones due to main effects and interactions."""
        key = played.tobytes()
        if key not in self._kernels:
            self._kernels.clear()
            main, pair = (loadings.T @ loadings[:, played] for loadings in self.columns)
            self._kernels[key] = main, pair
        return self._kernels[key]

    def prior_draws(self, scales: Scales, draws: int, rng: np.random.Generator) -> Floats:
        """Return prior draws (draws × rulesets) without level and guide, in standard deviations of a game."""
        values = rng.normal(0, scales.remainder, (draws, len(self)))
        for scale, columns in zip((scales.main, scales.pair), self.columns, strict=True):
            values += rng.normal(0, scale, (draws, len(columns))) @ columns
        return values

    def contrasts(self, values: Floats, factor: int, level: int, reference: int = 0) -> Floats:
        """Return a level's mean effect relative to ``reference``, all else equal, in each draw.

        ``values`` are draws × rulesets. The effect is NaN if no two rulesets differ only in these levels.
        """
        others = np.delete(self.levels, factor, axis=1)
        bases = {tuple(levels): index for index, levels in enumerate(others) if self.levels[index, factor] == reference}
        candidates = np.flatnonzero(self.levels[:, factor] == level)
        pairs = [(index, bases[levels]) for index in candidates if (levels := tuple(others[index])) in bases]
        if not pairs:
            return np.full(len(values), np.nan)
        after, before = np.array(pairs).T
        return np.asarray((values[:, after] - values[:, before]).mean(axis=1))


def _root(count: int, numbers: Sequence[int]) -> Floats:
    """Return the covariance root of a factor (mean variance 1): independent levels, or a random walk over numbers."""
    root = np.eye(count)
    if len(numbers) > 1:
        steps = np.tril(np.ones((len(numbers), len(numbers))))
        steps -= steps.mean(axis=0)
        steps /= math.sqrt(float((steps**2).sum() / len(numbers)))
        root[np.ix_(numbers, numbers)] = steps
    return root


@dataclass(frozen=True)
class Scales:
    """Standard deviations of main effects, interactions, remainders and guide, in standard deviations of a game."""

    main: float = 0.06
    pair: float = 0.024
    remainder: float = 0.02
    slope: float = 0.0


@dataclass(frozen=True)
class Observations:
    """Sums of a measure over games, as arrays of rulesets × players."""

    games: Floats
    total: Floats
    squares: Floats

    @classmethod
    def empty(cls, rulesets: int, players: int = 1) -> Observations:
        """Return observations of no games: all sums are zero."""
        return cls(*(np.zeros((rulesets, players)) for _ in range(3)))

    def __add__(self, other: Observations) -> Observations:
        return Observations(self.games + other.games, self.total + other.total, self.squares + other.squares)

    @property
    def ruleset_games(self) -> Floats:
        """The number of games of each ruleset."""
        return np.asarray(self.games.sum(axis=1))

    @cached_property
    def variance(self) -> float:
        """The pooled variance of one game within rulesets and players."""
        played = self.games > 0
        within = self.squares[played] - self.total[played] ** 2 / self.games[played]
        degrees = float(self.games[played].sum()) - played.sum()
        return float(max(within.sum() / max(degrees, 1.0), 1e-6))

    @cached_property
    def _compared(self) -> Floats:
        """Game counts of the rulesets played by more than one player, rulesets × players."""
        return np.asarray(self.games[(self.games > 0).sum(axis=1) > 1])

    @cached_property
    def _deviations(self) -> Floats:
        """The deviation of each player's mean from the ruleset's mean; undefined for players without games."""
        games, total = self._compared, self.total[(self.games > 0).sum(axis=1) > 1]
        means = total.sum(axis=1, keepdims=True) / games.sum(axis=1, keepdims=True)
        return np.asarray(total / np.maximum(games, 1) - means)

    @cached_property
    def levels(self) -> Floats:
        """The effect of each player relative to the mean of all players, the same for all rulesets; 0 without games.

        It is fitted to rulesets with several players by least squares, with a separate mean per ruleset.
        """
        levels = np.zeros(self.games.shape[1])
        active = self._compared.sum(axis=0) > 0
        if active.any():
            games = self._compared[:, active]
            within = np.diag(games.sum(axis=0)) - games.T @ (games / games.sum(axis=1, keepdims=True))
            levels[active] = np.linalg.lstsq(within, (games * self._deviations[:, active]).sum(axis=0))[0]
            levels[active] -= levels[active].mean()
        return levels

    @cached_property
    def player_variance(self) -> float:
        """The variance of the interaction between players and rulesets by the method of moments, weighted by games.

        Source: R. DerSimonian and N. Laird, "Meta-analysis in clinical trials", Controlled Clinical Trials 7, 1986.
        """
        games, ruleset_games = self._compared, self._compared.sum(axis=1, keepdims=True)
        rulesets, cells, players = len(games), int((games > 0).sum()), int((games.sum(axis=0) > 0).sum())
        degrees = cells - rulesets - players + 1
        if players < 2 or degrees < 1:
            return 0.0
        residuals = self._deviations - self.levels + (games @ self.levels)[:, None] / ruleset_games
        spread = float((ruleset_games[:, 0] - (games**2).sum(axis=1) / ruleset_games[:, 0]).sum())
        excess = float((games * residuals**2).sum()) - degrees * self.variance
        return max(0.0, excess / (spread * degrees / (cells - rulesets)))


class Data:
    """The input of a `Posterior`: mean and error of each played ruleset, and kernels.

    Players are treated as a sample: their interaction with a ruleset is part of the error of its mean for any number
    of games. Their main effects are removed, which allows rulesets to have different players.
    """

    def __init__(self, space: Space, observations: Observations, guide: Floats | None = None) -> None:
        """``guide``: quick players' estimate for every ruleset on any scale; None if there is none."""
        self.space = space
        self.played = np.flatnonzero(observations.ruleset_games > 0)
        self.unit = math.sqrt(observations.variance)
        games = observations.games[self.played]
        values = observations.total[self.played] / np.maximum(games, 1) - observations.levels
        self.center = float((games * values).sum() / max(games.sum(), 1.0))
        with np.errstate(divide="ignore"):
            weights = np.where(games > 0, 1 / (observations.player_variance / observations.variance + 1 / games), 0.0)
        means = (values - self.center) / self.unit
        self.noise = 1 / weights.sum(axis=1)
        self.means = (weights * means).sum(axis=1) * self.noise
        self.kernels = space.kernels(self.played)
        self.played_kernels = self.kernels[0][self.played], self.kernels[1][self.played]
        spread = 0.0 if guide is None else float(guide.std())
        self.guide = np.zeros(len(space)) if guide is None or spread == 0 else (guide - guide.mean()) / spread


class Posterior:
    """The posterior of a measure for every ruleset, given games and the scales of effects."""

    def __init__(self, data: Data, scales: Scales) -> None:
        self.data, self.scales = data, scales
        diagonal = np.diag(data.noise + scales.remainder**2)
        covariance = self._covariance(*data.played_kernels, data.guide[data.played])
        self.factor = cho_factor(covariance + diagonal, lower=True)

    def _covariance(self, main: Floats, pair: Floats, rows: Floats) -> Floats:
        """Return the covariance with the played rulesets, excluding the remainders."""
        scales = self.scales
        total = WIDE**2 + scales.main**2 * main + scales.pair**2 * pair
        if scales.slope:
            total += scales.slope**2 * np.outer(rows, self.data.guide[self.data.played])
        return total

    @property
    def log_likelihood(self) -> float:
        """The log likelihood of the scales up to a constant."""
        means = self.data.means
        return float(-0.5 * means @ cho_solve(self.factor, means) - np.log(np.diag(self.factor[0])).sum())

    @cached_property
    def _cross_covariance(self) -> Floats:
        played = self.data.played
        covariance = self._covariance(*self.data.kernels, self.data.guide)
        covariance[played, np.arange(len(played))] += self.scales.remainder**2
        return covariance

    @property
    def mean(self) -> Floats:
        """The expected value of every ruleset."""
        data = self.data
        return np.asarray(data.center + data.unit * (self._cross_covariance @ cho_solve(self.factor, data.means)))

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        """Return draws of the measure, draws × rulesets."""
        data = self.data
        values = data.space.prior_draws(self.scales, count, rng)
        values += rng.normal(0, WIDE, (count, 1))
        values += rng.normal(0, self.scales.slope, (count, 1)) * data.guide
        noise = rng.normal(0, np.sqrt(data.noise), (count, len(data.played)))
        weights = cho_solve(self.factor, (data.means - values[:, data.played] - noise).T)
        values += (self._cross_covariance @ weights).T
        return np.asarray(data.center + data.unit * values)


def fit_scales(data: Data, start: Scales) -> Scales:
    """Return the most likely scales in the grid, found by coordinate ascent."""
    log_likelihood = functools.cache(lambda scales: Posterior(data, scales).log_likelihood)
    grid = {name: sizes for name, sizes in GRID.items() if name != "slope" or data.guide.any()}
    current, previous = start if data.guide.any() else replace(start, slope=0.0), None
    while current != previous:
        previous = current
        for name, sizes in grid.items():
            current = max((replace(current, **{name: size}) for size in sizes), key=log_likelihood)
    return current


@dataclass(frozen=True)
class Aim:
    """The target band of a measure; ends may be infinite."""

    measure: str
    low: float
    high: float
    unit: float
    """The size of a miss that counts as 1: half the band's width or a substitute; see `target_band`."""
    weight: float = 1.0

    def misses(self, values: Floats) -> Floats:
        """Return the distance of values from the band in units."""
        return np.asarray(np.maximum(np.maximum(self.low - values, values - self.high), 0) / self.unit)


@dataclass(frozen=True)
class Goal:
    """A loss function of rulesets, defined by target bands, conditions and prices."""

    aims: tuple[Aim, ...]
    musts: tuple[Aim, ...]
    prices: Floats
    """The weighted price of each ruleset."""

    @property
    def measures(self) -> list[str]:
        """The measures on which the loss depends."""
        return list(dict.fromkeys(aim.measure for aim in (*self.aims, *self.musts)))

    def loss(self, values: Mapping[str, Floats]) -> Floats:
        """Return rulesets' losses, given their measures (draws × rulesets each); smaller is better."""
        total = np.zeros_like(next(iter(values.values()))) + self.prices
        for aim in self.aims:
            total += aim.weight * aim.misses(values[aim.measure])
        for condition in self.musts:
            total += FAILED * (condition.misses(values[condition.measure]) > 0)
        return total


def first_sample(space: Space, size: int, among: Indices, rng: np.random.Generator) -> Indices:
    """Return a sample of rulesets in which each factor's levels occur about equally often."""
    sample: list[int] = []
    occurrences = np.zeros((len(space.counts), max(space.counts)))
    factors = np.arange(len(space.counts))
    remaining = rng.permutation(among)
    for _ in range(min(size, len(among))):
        # Among a few random rulesets, take the one with the rarest levels so far.
        i = int(np.argmin(occurrences[factors, space.levels[remaining[:8]]].sum(axis=1)))
        sample.append(int(remaining[i]))
        occurrences[factors, space.levels[remaining[i]]] += 1
        remaining = np.delete(remaining, i)
    return np.array(sample, dtype=np.intp)


def top_two(losses: Floats, rng: np.random.Generator) -> Indices:
    """Return each draw's best ruleset, or with probability one half the second best (losses: draws × rulesets)."""
    if losses.shape[1] == 1:
        return np.zeros(len(losses), dtype=np.intp)
    best_two = np.argpartition(losses, 1, axis=1)[:, :2]
    ordered = np.take_along_axis(losses, best_two, axis=1)
    best_two = np.where((ordered[:, 0] <= ordered[:, 1])[:, None], best_two, best_two[:, ::-1])
    return np.asarray(best_two[np.arange(len(losses)), rng.integers(0, 2, len(losses))])


SIEVE, SAMPLE, ROUNDS, RACING = "sieve", "first sample", "rounds", "race"
"""The stages of a search before the confirmation."""


@dataclass(frozen=True)
class Budget:
    """The numbers of games of a search before the confirmation."""

    strong: int
    quick: int = 0
    each: int = 10
    """Games per ruleset each time it is selected."""
    batch: int = 16
    """Rulesets selected in a round, with repetitions."""
    race: int = 16
    fixed_race: bool = False
    """True if the race's rulesets are fixed because others would need training; else they change each round."""


@dataclass(frozen=True)
class Request:
    """The next games to play, by ruleset."""

    stage: str
    games: Mapping[int, int]

    @property
    def quick(self) -> bool:
        """True if quick players play."""
        return self.stage == SIEVE


@dataclass
class Allocation:
    """The allocation of games to rulesets; each request depends only on the seed and the previous games."""

    space: Space
    goal: Goal
    budget: Budget
    seed: int
    players: int = 1
    """The number of strong players in all stages."""
    watched: Sequence[str] = ()
    seen: dict[str, Observations] = field(init=False)
    guides: dict[str, Floats] = field(default_factory=dict, init=False)
    """Quick players' estimates for every ruleset by measure."""
    alive: npt.NDArray[np.bool_] = field(init=False)
    """A mask of the rulesets that quick players did not eliminate."""
    racing: list[int] = field(default_factory=list, init=False)
    played: int = field(default=0, init=False)
    rounds: int = field(default=0, init=False)
    scales: dict[str, Scales] = field(init=False)

    def __post_init__(self) -> None:
        self.seen = {name: Observations.empty(len(self.space), self.players) for name in self.measures}
        self.scales = dict.fromkeys(self.measures, Scales())
        self.alive = np.ones(len(self.space), dtype=bool)

    @property
    def measures(self) -> list[str]:
        """The estimated measures."""
        return list(dict.fromkeys((*self.goal.measures, *self.watched)))

    def _rng(self, stream: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, self.rounds, stream])

    def ask(self) -> Request | None:
        """Return the next games to play, or None if all games of the search are played."""
        budget, rng = self.budget, self._rng(0)
        eligible = np.flatnonzero(self.alive)
        if self.rounds == 0 and budget.quick >= QUICK_GAMES:
            selected = first_sample(self.space, budget.quick // QUICK_GAMES, eligible, rng)
            return Request(SIEVE, dict.fromkeys(selected.tolist(), QUICK_GAMES))
        if self.played >= budget.strong:
            return None
        if self.played == 0:
            max_size = max(1, int(MOST_FIRST * budget.strong) // budget.each)
            size = min(math.ceil(FIRST * max(self.space.effects, 1)), max_size)
            selected = first_sample(self.space, size, eligible, rng)
            return Request(SAMPLE, dict.fromkeys(selected.tolist(), budget.each))
        if self.racing:
            eligible = np.array(self.racing, dtype=np.intp)
        selected = eligible[top_two(self.losses(budget.batch, rng)[:, eligible], rng)]
        batches = -(-(budget.strong - self.played) // budget.each)
        rulesets, counts = np.unique(selected[:batches], return_counts=True)
        games = dict(zip(rulesets.tolist(), (counts * budget.each).tolist(), strict=True))
        return Request(RACING if self.racing else ROUNDS, games)

    def tell(self, request: Request, observations: Mapping[str, Observations]) -> None:
        """Add the games of a round."""
        if request.quick:
            self._sift(observations)
        else:
            self.played += sum(request.games.values())
            self.add(observations)
            if self.rounds % REFIT == 0 or request.stage == SAMPLE:
                self.refit()
            if self.played >= RACE * self.budget.strong and not (self.racing and self.budget.fixed_race):
                self.racing = self.finalists(self.budget.race)
        self.rounds += 1

    def _sift(self, observations: Mapping[str, Observations]) -> None:
        """Fit the guides to quick players' games, and eliminate rulesets that almost surely fail a condition."""
        rng = self._rng(1)
        for name, observed in observations.items():
            data = Data(self.space, observed)
            posterior = Posterior(data, fit_scales(data, Scales()))
            self.guides[name] = posterior.mean
            for condition in self.goal.musts:
                if condition.measure == name:
                    failing = (condition.misses(posterior.draws(DRAWS, rng)) > 0).mean(axis=0)
                    self.alive &= failing < VETO
        if not self.alive.any():
            # If all rulesets fail, strong players decide between them.
            self.alive[:] = True

    def add(self, observations: Mapping[str, Observations]) -> None:
        """Add games to the observations."""
        self.seen = {name: before + observations[name] for name, before in self.seen.items()}

    def refit(self) -> None:
        """Fit the variances to all games."""
        self.scales = {name: fit_scales(self._data(name), scales) for name, scales in self.scales.items()}

    def _data(self, name: str) -> Data:
        return Data(self.space, self.seen[name], self.guides.get(name))

    def posterior(self, name: str) -> Posterior:
        """Return a measure's posterior given the games so far."""
        return Posterior(self._data(name), self.scales[name])

    def draws(self, names: Sequence[str], count: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Return posterior draws by measure, draws × rulesets."""
        return {name: self.posterior(name).draws(count, rng) for name in names}

    def losses(self, count: int, rng: np.random.Generator) -> Floats:
        """Return draws of the loss, draws × rulesets; eliminated rulesets have infinite loss."""
        losses = self.goal.loss(self.draws(self.goal.measures, count, rng))
        losses[:, ~self.alive] = np.inf
        return losses

    def finalists(self, count: int) -> list[int]:
        """Return the rulesets with the smallest expected loss, best first."""
        expected = self.losses(DRAWS, self._rng(2)).mean(axis=0)
        order = np.argsort(expected, kind="stable")[:count]
        return order[np.isfinite(expected[order])].tolist()  # type: ignore[no-any-return]


def measured_values(trials: pd.DataFrame, name: str) -> Floats:
    """Return a measure's value in each game, or NaN if the game does not count."""
    if name == PLIES:
        return np.asarray(trials["plies"], dtype=float)
    measure = MEASURES[name]
    values = {result: measure.result_value(result) for result in ("first", "draw", "second", "unfinished")}
    return np.asarray(trials["result"].astype(str).map(values), dtype=float)


def observed_sums(rows: Indices, columns: Indices, values: Floats, shape: tuple[int, int]) -> Observations:
    """Return the sums of a measure over games, by ruleset and player; NaN values do not count."""
    counted = ~np.isnan(values)
    cells, values = np.ravel_multi_index((rows[counted], columns[counted]), shape), values[counted]
    size = shape[0] * shape[1]
    sums = np.array([np.bincount(cells, values**power, size) for power in range(3)], dtype=float)
    return Observations(*sums.reshape(3, *shape))


def estimate_fresh(trials: pd.DataFrame, measure: str, order: Sequence[str]) -> FreshEstimates:
    """Estimate a measure from fresh games for the rulesets in ``order``."""
    rows = pd.Index(order).get_indexer(pd.Index(trials["ruleset"].astype(str)))
    columns, players = pd.factorize(trials["first"].astype(str))
    game_numbers = trials["game"].to_numpy(dtype=np.intp)
    shape = len(players), int(game_numbers.max()) + 1
    values, lines = np.full((len(order), *shape), np.nan), np.zeros(shape, dtype=np.intp)
    values[rows, columns, game_numbers] = measured_values(trials, measure)
    lines[columns, game_numbers] = trials["line"]
    return fresh_estimates(values, lines)


def search_goal(search: RuleSearch, prices: Sequence[float]) -> Goal:
    """Return the loss function of a search."""
    weights = search.weights
    default = 0.0 if weights else LEXICAL
    aims = tuple(target_band(name, target, weights.get(name, default)) for name, target in search.targets.items())
    musts = tuple(target_band(name, target) for name, target in search.must.items())
    return Goal(aims, musts, (weights.get(PRICE, 0.0) if weights else 1.0) * np.array(prices, dtype=float))


def target_band(measure: str, target: Target, weight: float = 1.0) -> Aim:
    """Return a target as a band; its unit is half its width, half a limit, or 0.01 if it is a point."""
    if isinstance(target, str):
        limit = float(target.lstrip("<>= "))
        low, high = (-math.inf, limit) if target.startswith("<") else (limit, math.inf)
        return Aim(measure, low, high, max(limit / 2, 0.01), weight)
    low, high = target
    return Aim(measure, low, high, (high - low) / 2 or 0.01, weight)


LEVEL = 0.95
REPEATS = 20_000
LEAST_SHARE = 0.1
"""Minimum variance of a mean as a share of the average variance, for measures that never varied."""


@dataclass(frozen=True)
class FreshEstimates:
    """Each finalist's estimate of a measure."""

    mean: Floats
    covariance: Floats
    freedom: float
    """The covariance's degrees of freedom."""

    @cached_property
    def interval(self) -> tuple[Floats, Floats]:
        """The ends of simultaneous intervals."""
        error = np.sqrt(np.diag(self.covariance))
        farthest = np.fmax.reduce(np.abs(self.draws(np.random.default_rng(0)) - self.mean) / error, axis=1)
        half_width = np.quantile(farthest, LEVEL) * error
        return self.mean - half_width, self.mean + half_width

    def draws(self, rng: np.random.Generator) -> Floats:
        """Return draws of the true values, draws × rulesets."""
        errors = rng.multivariate_normal(np.zeros(len(self.mean)), self.covariance, REPEATS, method="cholesky")
        return np.asarray(self.mean + errors * np.sqrt(self.freedom / rng.chisquare(self.freedom, (REPEATS, 1))))


def fresh_estimates(values: Floats, lines: Indices) -> FreshEstimates:
    """Estimate a measure from its value in each game (rulesets × players × games, NaN for missing games).

    ``lines`` (players × games) are the opening lines. Games with the same number have the same line under all rulesets
    and may be correlated. A player without counted games under a ruleset gets the other players' mean. If a ruleset has
    no counted games, its mean is NaN.
    """
    rulesets, players, _ = values.shape
    counted = ~np.isnan(values)
    games = counted.sum(axis=2)
    sums = np.where(counted, values, 0.0).sum(axis=2)
    played = games > 0
    by_player = sums / np.maximum(games, 1)
    mean = by_player.sum(axis=1) / np.maximum(played.sum(axis=1), 1)
    by_player = np.where(played, by_player, mean[:, None])
    scale = 1 / (players * np.sqrt(np.maximum(games * (games - 1), 1)))
    residuals = np.where(counted, (values - by_player[:, :, None]) * scale[:, :, None], 0.0)
    numbers = np.unique(lines, return_inverse=True)[1].reshape(lines.shape)
    count = int(numbers.max()) + 1
    line_sums = np.array([[np.bincount(n, r, count) for n, r in zip(numbers, rows, strict=True)] for rows in residuals])
    by_cell = np.einsum("apl,bpl->ab", line_sums, line_sums)
    total = line_sums.sum(axis=1)
    covariance = total @ total.T * count / max(count - 1, 1)
    degrees = float(max(count - 1, 1))
    if players > 1:
        between = np.cov(by_player, ddof=1).reshape(rulesets, rulesets) / players
        # Variance between players in excess of chance, for a ruleset and shared by two rulesets.
        excess = between - by_cell
        variance = max(0.0, float(np.diag(excess).mean()))
        off_diagonal = ~np.eye(rulesets, dtype=bool)
        shared_variance = float(np.clip(excess[off_diagonal].mean(), 0.0, variance)) if rulesets > 1 else 0.0
        covariance += shared_variance + (variance - shared_variance) * np.eye(rulesets)
        if variance:
            spread = np.sqrt(np.maximum(np.diag(between), 1e-12))
            correlation = float(((between / np.outer(spread, spread)) ** 2).mean())
            degrees = min(degrees, (players - 1) / max(correlation, 1 / rulesets))
    variances = np.diag(covariance)
    typical = max(float(variances.mean()), 1e-12)
    mean = np.where(played.any(axis=1), mean, np.nan)
    # Draws need a covariance of full rank even if finalists played the same games.
    added = np.maximum(LEAST_SHARE * typical - variances, 1e-9 * typical)
    return FreshEstimates(mean, covariance + np.diag(added), degrees)


@dataclass(frozen=True)
class Verdicts:
    """The comparison of the finalists."""

    alike: Floats
    """The probability that the loss is within the tolerance of the smallest loss."""
    regret: Floats
    """The expected miss of the targets in excess of the best ruleset's, in units, excluding the price."""
    loss: Floats
    nearer: Floats
    """The probability of missing targets and conditions by less than the base, excluding the price."""


def compare_finalists(
    goal: Goal, fresh: Mapping[str, FreshEstimates], tolerance: float, seed: int, base: int = 0
) -> Verdicts:
    """Compare finalists by fresh games; ``goal`` contains their prices and ``base`` is the base's index."""
    rng = np.random.default_rng(seed)
    draws = {name: fresh[name].draws(rng) for name in goal.measures}
    losses = np.nan_to_num(goal.loss(draws), nan=FAILED)
    is_equivalent = losses <= losses.min(axis=1, keepdims=True) + tolerance + 1e-12
    misses = sum((aim.misses(draws[aim.measure]) for aim in goal.aims), np.zeros_like(losses))
    misses = np.nan_to_num(misses, nan=FAILED)
    regret = (misses - misses.min(axis=1, keepdims=True)).mean(axis=0)
    unpriced = losses - goal.prices
    nearer = (unpriced < unpriced[:, [base]] - 1e-9).mean(axis=0)
    return Verdicts(is_equivalent.mean(axis=0), regret, losses.mean(axis=0), nearer)


MET, MISSED, OPEN = "met", "missed", "open"
NEAREST, PROMISING, BASE_AS_NEAR = "nearest", "promising", "base_as_near"


def judge_band(aim: Aim, low: float, high: float) -> str:
    """Return `MET` or `MISSED` if an interval lies inside or outside a band, or `OPEN` if it crosses an end."""
    if low >= aim.low and high <= aim.high:
        return MET
    return MISSED if high < aim.low or low > aim.high else OPEN


def search_verdict(targets: Collection[str], nearer: float) -> str:
    """Return the verdict on the best finalist, given its ``targets`` and its probability of being nearer than the base.

    `MET`: it meets all targets. `NEAREST`: it misses a target but is nearer than the base. `PROMISING`: it is nearer
    and may meet all targets. `BASE_AS_NEAR`: fresh games do not distinguish it from the base, or it is the base.
    """
    if set(targets) == {MET}:
        return MET
    if nearer < LEVEL:
        return BASE_AS_NEAR
    return NEAREST if MISSED in targets else PROMISING
