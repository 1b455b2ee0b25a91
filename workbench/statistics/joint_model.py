"""One model for all rulesets of a game in an experiment: effects of rules, estimated from all players and rulesets.

The score of ruleset r among player p, a search of family f, configuration c (training, evaluation) and n nodes, is::

    y = level of f + slope of f * x + c + p        the players, under all rulesets
        + effect of r + change of r * x            the rules, for all players; x = log2(n / most nodes)
        + (r, f) + (r, c) + (r, p)                 interactions with families, configurations and players
        + ((r, f) + (r, c)) * x                    and with strength
        + error                                    games, and the lines that they share

The effect of a ruleset is a single number. Where the rulesets of an experiment combine several rule changes (a
factorial, `rule_factors`), it is a sum of the effects of each change and of each pair, and a remainder of the ruleset;
so all rulesets with a change contribute to its estimate. Effects of changes, or of rulesets that combine nothing, have
wide normal priors (`WIDE`); those of pairs, remainders, changes by strength and all terms of families, configurations
and players are normal with estimated standard deviations: each has a half-t prior with two degrees of freedom, and
answers are averaged over their posterior.

Estimates are means over *these families of search* (two of them do not show how much families differ in general) and
over all configurations of which the played ones are a sample.

Source: effects of factors pooled by a hierarchical model: A. Gelman, "Analysis of variance: why it is more important
than ever", Annals of Statistics 33, 2005; priors of standard deviations: A. Gelman, "Prior distributions for variance
parameters in hierarchical models", Bayesian Analysis 1, 2006; importance sampling of the few of them: A. Gelman and
others, "Bayesian Data Analysis", 2013, section 10.4. Estimates of scores as normal data with known errors: C. Röver,
R. Bender, S. Dias and others, Research Synthesis Methods 12, 2021.
Limits: normal distributions on the scale of scores, also near 0 and 1, where differences shrink with the root of
p (1 - p). Interactions of three or more rules only have a common standard deviation. The differences between players
are estimated from all rulesets together, as suits proposals for one game; compare endings and whole games separately.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import lapack, solve_triangular
from scipy.optimize import minimize
from scipy.special import ndtr
from threadpoolctl import threadpool_limits

from workbench.experiments.design import combined_changes
from workbench.games.declaration import Setting
from workbench.statistics.intervals import Floats

WIDE = 0.3
"""The prior standard deviation of effects and levels, in shares."""
WIDE_SLOPE = 0.1
"""The prior standard deviation of the change of a level by a doubling of the nodes."""
SCALES = {
    "configuration": 0.03, "player": 0.02, "pair": 0.02, "remainder": 0.01, "change": 0.02, "change apart": 0.02,
    "family": 0.03, "rule by configuration": 0.02, "ruleset by configuration": 0.03, "ruleset by player": 0.02,
}  # fmt: skip
"""Scales of the half-t priors of standard deviations, in shares near one half: temperature, parity and training changed
the same cell by about 3 points in Chatra and chess."""
TYPICAL = {
    "configuration": 0.006, "player": 0.006, "pair": 0.009, "remainder": 0.007, "change": 0.007, "change apart": 0.004,
    "family": 0.005, "rule by configuration": 0.006, "ruleset by configuration": 0.006, "ruleset by player": 0.006,
}  # fmt: skip
"""The estimates in Chatra and chess, November 2026: the scales of forecasts."""
SMALLEST, LARGEST = 1e-4, 0.5
"""The search range of standard deviations."""
GRID, ROUND, ROUNDS = 18, 100, 2
"""Points of each profile; draws of the standard deviations per round; rounds after the first."""
DRAWS = 8_000
POINTS, FORECASTS = 100, 12
"""The numbers of standard deviations behind the draws of answers, and behind forecasts; some are repeated."""
RULES_SCALE = 0.03
"""The scale of the half-t prior of the standard deviation of rule effects, where it is estimated."""
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class CellEstimates:
    """Estimates of a number for each player under each ruleset of one game; arrays are over cells."""

    values: Floats
    covariance: Floats
    ruleset: Indices
    player: Indices
    unit: Floats  # By ruleset: 2 √(p (1 - p)) of the mean share p; 1 near one half
    configuration: Indices  # By player
    family: Indices  # By player
    doublings: Floats  # By player: log2 of its nodes over the most nodes, 0 or less


@dataclass(frozen=True)
class RuleFactors:
    """The rule changes that the rulesets of an experiment combine."""

    names: tuple[str, ...]  # The toggle of each factor, or the toggles that change together
    levels: tuple[tuple[str, ...], ...]  # The values of each factor, the baseline's first
    points: Indices  # Ruleset x factor: the number of its level

    @cached_property
    def columns(self) -> list[tuple[int, int]]:
        """The factor and the level index of each effect: all levels but the first."""
        return [(k, level) for k, levels in enumerate(self.levels) for level in range(1, len(levels))]

    @cached_property
    def mains(self) -> Floats:
        """Ruleset x effect: indicators of the levels, centred over the full grid."""
        columns = [(self.points[:, k] == level) - 1 / len(self.levels[k]) for k, level in self.columns]
        return np.column_stack(columns).astype(np.float64)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of effects of different factors that some ruleset combines, as indices in ``columns``."""
        return [
            (a, b)
            for a, b in itertools.combinations(range(len(self.columns)), 2)
            if self.columns[a][0] != self.columns[b][0] and (self.has(a) & self.has(b)).any()
        ]

    def has(self, effect: int) -> npt.NDArray[np.bool_]:
        """Return a mask of the rulesets with the level of an effect."""
        k, level = self.columns[effect]
        return np.asarray(self.points[:, k] == level)

    @cached_property
    def averages(self) -> Floats:
        """Effect x ruleset: weights of the mean over all combinations with a change minus the mean without it.

        Combinations that were not played have no weight: the expectation of their remainder is 0.
        """
        combinations = math.prod(map(len, self.levels))
        rows = []
        for k, level in self.columns:
            points = self.points[:, k]
            rows.append(((points == level) * 1.0 - (points == 0)) * len(self.levels[k]) / combinations)
        return np.array(rows)

    @cached_property
    def pair_averages(self) -> Floats:
        """Pair x ruleset: weights of the interaction of two changes."""
        combinations = math.prod(map(len, self.levels))
        rows = [self.averages[a] * self.averages[b] * combinations for a, b in self.pairs]
        return np.array(rows).reshape(len(self.pairs), len(self.points))

    @cached_property
    def pair_products(self) -> Floats:
        """Ruleset x pair: products of the two columns of ``mains``."""
        columns = [self.mains[:, a] * self.mains[:, b] for a, b in self.pairs]
        return np.column_stack(columns or [np.zeros((len(self.points), 0))])


@dataclass(frozen=True)
class _Component:
    """Effects with a common standard deviation, and their loadings on cells and answers."""

    name: str
    cell_loadings: Floats
    answer_loadings: Floats
    fixed: float = 0.0  # The standard deviation, where it is not estimated


@dataclass(frozen=True)
class Contrast:
    """A quantity of interest, as weights of the model's answers."""

    now: Floats  # At the most nodes, the mean over families
    change: Floats  # The change by a doubling
    by_family: Floats  # Family x answer: ``now`` of each family

    def __sub__(self, other: Contrast) -> Contrast:
        return Contrast(self.now - other.now, self.change - other.change, self.by_family - other.by_family)

    @property
    def next(self) -> Floats:
        """The number after one more doubling."""
        return self.now + self.change


@dataclass(frozen=True)
class Posterior:
    """Draws of all answers: the model's outputs, which contrasts combine."""

    draws: Floats  # Draw x answer
    shrunk: Floats  # The same with an estimated standard deviation of rule effects, for probabilities
    slices: Mapping[str, slice]
    families: int
    deviations: Mapping[str, float]  # The posterior means of the estimated standard deviations
    typical: Floats  # A few draws of them, reweighted by `TYPICAL`
    squares: Floats  # The posterior mean of their squares

    def expected_squares(self, times: float) -> Floats:
        """Return each draw's expected squares of the standard deviations with ``times`` as many games.

        Their uncertainty is assumed to shrink at the rate of standard errors.
        """
        rate = 1 / math.sqrt(times)
        mean = np.array(list(self.deviations.values()))
        spread = self.squares - 2 * mean * self.typical + self.typical**2
        return np.asarray(self.typical**2 + 2 * rate * self.typical * (mean - self.typical) + rate**2 * spread)

    def _unit(self, name: str, index: int) -> Floats:
        weights = np.zeros(self.draws.shape[1])
        weights[self.slices[name]][index] = 1.0
        return weights

    def _contrast(self, now: str, change: str, by_family: str, index: int) -> Contrast:
        part = self.slices[by_family]
        size = (part.stop - part.start) // self.families
        families = [self._unit(by_family, f * size + index) for f in range(self.families)]
        return Contrast(self._unit(now, index), self._unit(change, index), np.array(families))

    def level(self, ruleset: int) -> Contrast:
        """Return the contrast for a ruleset's value."""
        return self._contrast("now", "change", "by_family", ruleset)

    def effect(self, effect: int) -> Contrast:
        """Return the contrast for a rule change's mean effect over all combinations (`RuleFactors.columns`)."""
        return self._contrast("effects", "effect_changes", "effects_by_family", effect)

    def pair(self, pair: int) -> Floats:
        """Return the weights of an interaction: the gain in one effect from the other change (`RuleFactors.pairs`)."""
        return self._unit("pairs", pair)


class JointModel:
    """The model of one number under all rulesets of a game; see the head of the module."""

    def __init__(self, cells: CellEstimates, factors: RuleFactors | None) -> None:
        self.cells = cells
        self.factors = factors
        self.components = self._components()
        self._estimated = [component for component in self.components if not component.fixed]
        known = [component for component in self.components if component.fixed]
        fixed = [component.cell_loadings * component.fixed for component in known]
        n = len(cells.values)
        # Symmetric matrices in LAPACK's rectangular full packed format.
        self._errors = _packed(cells.covariance)
        self._base = self._errors + _packed(sum((z @ z.T for z in fixed), np.zeros((n, n))))
        self._parts = np.array([_packed(part.cell_loadings @ part.cell_loadings.T) for part in self._estimated])
        self._twice = _packed(2 - np.eye(n))
        self._scales = np.array([SCALES[component.name] for component in self._estimated])
        self._answers = self.slices["rules"].stop

        def products(parts: Sequence[_Component], other: str) -> Floats:
            """Return the covariances of answers with cells, or answers, by component."""
            matrices = [part.answer_loadings @ getattr(part, other).T for part in parts]
            return np.array([(part.fixed or 1.0) ** 2 * each for part, each in zip(parts, matrices, strict=True)])

        self._cross = products(self._estimated, "cell_loadings").reshape(len(self._estimated), -1)
        self._prior = products(self._estimated, "answer_loadings").reshape(len(self._estimated), -1)
        self._base_cross, self._base_prior = (
            products(known, "cell_loadings").sum(0),
            products(known, "answer_loadings").sum(0),
        )
        self._center = float(np.mean(cells.values))
        self._data = cells.values - self._center

    def _components(self) -> list[_Component]:
        cells, factors = self.cells, self.factors
        ruleset, player = cells.ruleset, cells.player
        rulesets, families = len(cells.unit), int(cells.family.max()) + 1
        family, config, x = cells.family[player], cells.configuration[player], cells.doublings[player]
        units = cells.unit[:, None] * np.eye(rulesets)
        # Answers: now and change by ruleset, now by family and ruleset, and the same for effects.
        mains = factors.mains if factors else np.eye(rulesets)
        effects = mains.shape[1] if factors else 0
        pairs = len(factors.pairs) if factors else 0
        n_answers = (rulesets + effects) * (2 + families) + pairs + mains.shape[1]
        self.slices: dict[str, slice] = {}
        slices = self.slices
        start = 0
        for name, size in (
            ("now", rulesets), ("change", rulesets), ("by_family", rulesets * families), ("effects", effects),
            ("effect_changes", effects), ("effects_by_family", effects * families), ("pairs", pairs),
            ("rules", mains.shape[1]),
        ):  # fmt: skip
            slices[name] = slice(start, start + size)
            start += size

        def answers(columns: int, **parts: npt.NDArray[np.floating[Any]]) -> Floats:
            loadings = np.zeros((n_answers, columns))
            for name, values in parts.items():
                loadings[slices[name]] = values
            return loadings

        def one_hot(numbers: Indices, count: int | None = None) -> Floats:
            return np.asarray(np.eye(int(numbers.max()) + 1 if count is None else count)[numbers])

        def interaction(groups: Floats, ruleset_columns: Floats) -> Floats:
            """Return the products of groups and ruleset columns: cells x (groups x columns)."""
            return np.asarray((groups[:, :, None] * ruleset_columns[ruleset][:, None, :]).reshape(len(ruleset), -1))

        family_onehot = one_hot(family, families)
        mean = np.full((1, families), 1 / families)
        ones = np.ones((rulesets, 1))
        levels = answers(families, now=ones @ mean, by_family=np.kron(np.eye(families), ones))
        slopes = answers(families, change=ones @ mean)
        identity = np.eye(effects)
        family_ones = np.ones((families, 1))
        result = [
            _Component("level", family_onehot, levels, WIDE),
            _Component("slope", family_onehot * x[:, None], slopes, WIDE_SLOPE),
            _Component("configuration", one_hot(config), answers(int(config.max()) + 1)),
        ]
        several_budgets = len(set(config.tolist())) < len(set(player.tolist()))
        if several_budgets:
            result.append(_Component("player", one_hot(player), answers(int(player.max()) + 1)))
        rules = answers(mains.shape[1], now=mains, by_family=np.kron(family_ones, mains), rules=np.eye(mains.shape[1]))
        if factors:
            rules += answers(effects, effects=identity, effects_by_family=np.kron(family_ones, identity))
        result.append(_Component("rules", mains[ruleset], rules, WIDE))
        # A rule's own term is common to all rulesets with it, and each ruleset has a remainder.
        own = np.column_stack([mains, units]) if factors else units
        averages = factors.averages * cells.unit if factors else np.zeros((0, rulesets))
        effect_loadings = np.column_stack([identity, averages]) if factors else averages
        pair_averages = factors.pair_averages * cells.unit if factors else averages
        pair_loadings = np.column_stack([np.zeros((pairs, effects)), pair_averages])
        if factors:
            products = factors.pair_products
            result += [
                _Component(
                    "pair", products[ruleset],
                    answers(pairs, now=products, by_family=np.kron(family_ones, products), pairs=np.eye(pairs)),
                ),
                _Component(
                    "remainder", units[ruleset],
                    answers(
                        rulesets, now=units, by_family=np.kron(family_ones, units), effects=averages,
                        effects_by_family=np.kron(family_ones, averages), pairs=pair_averages,
                    ),
                ),
            ]  # fmt: skip
        # With one budget there is no information on changes, and their prior remains.
        change_loadings = answers(own.shape[1], change=own)
        change_loadings[slices["effect_changes"]] = effect_loadings
        result.append(_Component("change", own[ruleset] * x[:, None], change_loadings))
        config_onehot = one_hot(config)
        if several_budgets:
            z = interaction(np.column_stack([family_onehot, config_onehot] if families > 1 else [config_onehot]), own)
            apart_loadings = answers(z.shape[1])
            if families > 1:
                apart_loadings[slices["change"], : families * own.shape[1]] = np.kron(mean, own)
                apart_loadings[slices["effect_changes"], : families * own.shape[1]] = np.kron(mean, effect_loadings)
            result.append(_Component("change apart", z * x[:, None], apart_loadings))
        if families > 1:
            by_family = np.kron(np.eye(families), own)
            loadings = answers(families * own.shape[1], now=np.kron(mean, own), by_family=by_family)
            loadings[slices["effects"]] = np.kron(mean, effect_loadings)
            loadings[slices["effects_by_family"]] = np.kron(np.eye(families), effect_loadings)
            loadings[slices["pairs"]] = np.kron(mean, pair_loadings)
            result.append(_Component("family", interaction(family_onehot, own), loadings))
        if factors:
            z = interaction(config_onehot, mains)
            result.append(_Component("rule by configuration", z, answers(z.shape[1])))
        z = interaction(config_onehot, units)
        result.append(_Component("ruleset by configuration", z, answers(z.shape[1])))
        if several_budgets:
            z = interaction(one_hot(player), units)
            result.append(_Component("ruleset by player", z, answers(z.shape[1])))
        return result

    def _log_posterior(self, logs: Floats, gradient: bool = False) -> tuple[float, Floats]:
        """Return the unnormalized log posterior of the log standard deviations, and optionally its gradient."""
        n = len(self._data)
        squares = np.exp(2 * logs)
        packed = _checked(lapack.dpftrf(n, self._base + squares @ self._parts))
        root = _checked(lapack.dtfttr(n, packed))
        half = _checked(lapack.dtrtrs(root, self._data, trans=1))
        value = -float(np.log(np.diag(root)).sum()) - 0.5 * float(half @ half)
        ratio = np.exp(2 * (logs - np.log(self._scales)))
        value += float((logs - 1.5 * np.log1p(ratio / 2)).sum())
        if not gradient:
            return value, logs
        inverse, a = _checked(lapack.dpftri(n, packed)), _checked(lapack.dtrtrs(root, half))
        slopes = squares * (self._parts @ (self._twice * (_packed(np.outer(a, a)) - inverse)))
        return value, slopes + 1 - 1.5 * ratio / (1 + ratio / 2)

    def posterior(self, seed: int = 0) -> Posterior:
        """Return draws of all answers from their posterior distribution."""
        random = np.random.default_rng(seed)
        with threadpool_limits(1):
            logs, weights = self._standard_deviations(random)
            deviations = weights @ np.exp(logs)
            indices, counts = np.unique(_resample(random, weights, POINTS), return_counts=True)
            points = [_Point.of(*self._answer_moments(np.exp(2 * logs[index]))) for index in indices]
            draws = _draws(random, points, counts)
            shrunk_points, counts = _shrink_rule_effects(
                random, points, counts, self.slices["rules"], float(self.cells.unit.mean())
            )
            shrunk = _draws(random, shrunk_points, counts)
        for name in ("now", "by_family"):
            draws[:, self.slices[name]] += self._center
            shrunk[:, self.slices[name]] += self._center
        names = [component.name for component in self._estimated]
        squares = np.exp(2 * logs)
        scales = np.array([TYPICAL[name] for name in names])
        typical = 1.5 * (np.log1p(squares / self._scales**2 / 2) - np.log1p(squares / scales**2 / 2)).sum(axis=1)
        families = int(self.cells.family.max()) + 1
        return Posterior(
            draws, shrunk, self.slices, families, dict(zip(names, deviations.tolist(), strict=True)),
            np.exp(logs[_resample(random, _weights(np.log(weights + 1e-300) + typical), FORECASTS)]),
            weights @ squares,
        )  # fmt: skip

    def answer_moments(self, squares: Floats, times: float = 1.0) -> list[tuple[Floats, Floats]]:
        """Return the mean and the covariance of the answers, given ``times`` as many games and lines.

        There is one entry for each row of ``squares``, which are taken as the squares of the standard deviations.
        """
        with threadpool_limits(1):
            answers = [self._answer_moments(row, times) for row in squares]
        for mean, _ in answers:
            for name in ("now", "by_family"):
                mean[self.slices[name]] += self._center
        return answers

    def covariance(self, deviations: Mapping[str, float], times: float = 1.0) -> Floats:
        """Return the covariance of the answers for known standard deviations; see `answer_moments`."""
        return self.answer_moments(np.array([[deviations[part.name] ** 2 for part in self._estimated]]), times)[0][1]

    def _answer_moments(self, squares: Floats, times: float = 1.0) -> tuple[Floats, Floats]:
        """Return the mean and the covariance of the answers for these squares of the standard deviations."""
        n = len(self._data)
        packed = self._base + squares @ self._parts + (1 / times - 1) * self._errors
        root = _checked(lapack.dtfttr(n, _checked(lapack.dpftrf(n, packed))))
        cross = self._base_cross + (squares @ self._cross).reshape(self._answers, n)
        half = _checked(lapack.dtrtrs(root, np.column_stack([cross.T, self._data]), trans=1))
        explained, data = half[:, :-1], half[:, -1]
        prior = self._base_prior + (squares @ self._prior).reshape(self._answers, self._answers)
        return explained.T @ data, prior - explained.T @ explained

    def _standard_deviations(self, random: np.random.Generator) -> tuple[Floats, Floats]:
        """Return draws of the log standard deviations, and their importance weights.

        The first round draws each independently from its profile at the mode; later rounds draw from Student's t
        distributions fitted to the weighted draws so far.
        """
        low, high = math.log(SMALLEST), math.log(LARGEST)
        mode = minimize(
            lambda logs: tuple(-value for value in self._log_posterior(logs, gradient=True)),
            np.log(self._scales) - 0.7, jac=True, method="L-BFGS-B", bounds=[(low, high)] * len(self._scales),
            options={"maxiter": 40},
        ).x  # fmt: skip
        grid = np.linspace(low, high, GRID)
        profiles = np.empty((len(mode), GRID))
        for k, i in np.ndindex(profiles.shape):
            profiles[k, i] = self._log_posterior(np.concatenate([mode[:k], grid[i : i + 1], mode[k + 1 :]]))[0]
        proposals: list[_Profiles | _Student] = [_Profiles(grid, profiles)]
        draws = proposals[0].draw(random, ROUND)
        densities = np.array([self._log_posterior(draw)[0] for draw in draws])
        for _ in range(ROUNDS):
            mixture = np.logaddexp.reduce([proposal.log_density(draws) for proposal in proposals], axis=0)
            proposals.append(_Student.like(draws, densities - mixture))
            new_draws = np.clip(proposals[-1].draw(random, ROUND), low, high)
            draws = np.concatenate([draws, new_draws])
            densities = np.concatenate([densities, [self._log_posterior(draw)[0] for draw in new_draws]])
        mixture = np.logaddexp.reduce([proposal.log_density(draws) for proposal in proposals], axis=0)
        return draws, _weights(densities - mixture)


class _Point(NamedTuple):
    """The normal distribution of the answers for known standard deviations, with a root of the covariance."""

    mean: Floats
    covariance: Floats
    root: Floats

    @classmethod
    def of(cls, mean: Floats, covariance: Floats) -> _Point:
        """Return the distribution with this mean and covariance."""
        values, vectors = np.linalg.eigh(covariance)
        return cls(mean, covariance, vectors * np.sqrt(np.maximum(values, 0.0)))


def _draws(random: np.random.Generator, points: Sequence[_Point], counts: Indices) -> Floats:
    """Return draws from each point in proportion to its count."""
    sizes = np.diff(np.round(np.cumsum([0, *counts]) * DRAWS / counts.sum()).astype(np.intp))
    return np.concatenate([
        point.mean + random.standard_normal((size, len(point.mean))) @ point.root.T
        for point, size in zip(points, sizes.tolist(), strict=True)
    ])  # fmt: skip


def _shrink_rule_effects(
    random: np.random.Generator, points: Sequence[_Point], counts: Indices, rules: slice, unit: float
) -> tuple[list[_Point], Indices]:
    """Return the points with an estimated standard deviation of rule effects instead of `WIDE`.

    A known deviation multiplies the density by that of one observation of 0 for each effect; an estimated one is
    averaged over a grid.
    """
    grid, prior = _rules_prior(unit)
    errors = 1 / (1 / grid**2 - 1 / WIDE**2)
    logs = np.empty((len(points), GRID))
    for k, (mean, covariance, _) in enumerate(points):
        values, vectors = np.linalg.eigh(covariance[rules, rules])
        squares = (vectors.T @ mean[rules]) ** 2
        spread = np.maximum(values, 0.0)[:, None] + errors
        logs[k] = prior - 0.5 * (np.log(spread / errors * (grid / WIDE) ** 2) + squares[:, None] / spread).sum(axis=0)
    weights = _weights((logs + np.log(counts)[:, None]).ravel())
    indices, counts = np.unique(_resample(random, weights, POINTS), return_counts=True)
    shrunk_points = []
    for index in indices:
        mean, covariance, _ = points[index // GRID]
        observed_covariance = covariance[rules, rules] + errors[index % GRID] * np.eye(rules.stop - rules.start)
        gain = np.linalg.solve(observed_covariance, covariance[rules]).T
        shrunk_points.append(_Point.of(mean - gain @ mean[rules], covariance - gain @ covariance[rules]))
    return shrunk_points, counts


def _rules_prior(unit: float) -> tuple[Floats, Floats]:
    """Return a logarithmic grid of standard deviations of rule effects, and their log prior."""
    grid = np.geomspace(SMALLEST * 10, WIDE * 0.99, GRID)
    return grid, np.log(grid) - 1.5 * np.log1p((grid / (RULES_SCALE * unit)) ** 2 / 2)


def probability_above(difference: float, error: float) -> float:
    """Return the probability that a difference of shares is positive, given its estimate and standard error."""
    grid, prior = _rules_prior(1.0)
    variances = 2 * grid**2 + error**2
    weights = _weights(prior - 0.5 * (np.log(variances) + difference**2 / variances))
    return float(weights @ ndtr(difference / error * np.sqrt(2 / variances) * grid))


def _resample(random: np.random.Generator, weights: Floats, count: int) -> Indices:
    """Return ``count`` indices drawn by weight (systematic resampling)."""
    positions = (random.random() + np.arange(count)) / count
    return np.minimum(np.searchsorted(np.cumsum(weights), positions), len(weights) - 1)


def _packed(matrix: Floats) -> Floats:
    """Return the upper triangle of a symmetric matrix in packed format."""
    return _checked(lapack.dtrttf(matrix))


def _checked(result: tuple[Floats, int]) -> Floats:
    """Return the result of a LAPACK routine, or raise an exception with its error code."""
    if result[1]:
        raise np.linalg.LinAlgError(result[1])
    return result[0]


class _Profiles:
    """Independent variables, each with a density on a grid."""

    def __init__(self, grid: Floats, log_densities: Floats) -> None:
        mass = np.exp(0.8 * (log_densities - log_densities.max(axis=1, keepdims=True)))
        between = (mass[:, 1:] + mass[:, :-1]) / 2 + 1e-6
        self._grid = grid
        self._shares = between / between.sum(axis=1, keepdims=True)

    def draw(self, random: np.random.Generator, count: int) -> Floats:
        """Return ``count`` draws, evenly spread in each variable."""
        columns = []
        for shares in self._shares:
            level = random.permutation((np.arange(count) + random.random(count)) / count)
            columns.append(np.interp(level, np.concatenate([[0.0], np.cumsum(shares)]), self._grid))
        return np.column_stack(columns)

    def log_density(self, draws: Floats) -> Floats:
        """Return the log density of each draw."""
        step = self._grid[1] - self._grid[0]
        bins = np.clip(((draws - self._grid[0]) / step).astype(np.intp), 0, self._shares.shape[1] - 1)
        return np.asarray(np.log(np.take_along_axis(self._shares.T, bins, axis=0) / step).sum(axis=1))


class _Student:
    """Student's multivariate t with five degrees of freedom."""

    def __init__(self, mean: Floats, covariance: Floats) -> None:
        self._mean = mean
        self._root = np.linalg.cholesky(covariance)

    @classmethod
    def like(cls, draws: Floats, log_weights: Floats) -> _Student:
        """Return the distribution with the moments of weighted draws, flattening weights if few draws dominate."""
        for power in (1.0, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05):
            weights = _weights(power * log_weights)
            if 1 / (weights @ weights) > 5 * draws.shape[1]:
                break
        mean = weights @ draws
        residuals = draws - mean
        return cls(mean, (residuals.T * weights) @ residuals + 0.01 * np.eye(draws.shape[1]))

    def draw(self, random: np.random.Generator, count: int) -> Floats:
        """Return ``count`` draws."""
        normal = random.standard_normal((count, len(self._mean)))
        return self._mean + normal / np.sqrt(random.chisquare(5, count) / 5)[:, None] @ self._root.T

    def log_density(self, draws: Floats) -> Floats:
        """Return the log density of each draw."""
        k = len(self._mean)
        z = solve_triangular(self._root, (draws - self._mean).T, lower=True)
        constant = math.lgamma((5 + k) / 2) - math.lgamma(2.5) - k / 2 * math.log(5 * math.pi)
        return np.asarray(constant - np.log(np.diag(self._root)).sum() - (5 + k) / 2 * np.log1p((z**2).sum(axis=0) / 5))


def _weights(logs: Floats) -> Floats:
    """Return weights proportional to the exponentials, normalized to a sum of 1."""
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def rule_factors(settings: Sequence[Mapping[str, Setting]], baseline: int = 0) -> RuleFactors | None:
    """Return the factors behind the resolved settings of rulesets, or None if they combine no changes.

    Toggles that change together are one factor. Rulesets combine changes if there are fewer effects than proposals.
    """
    groups = combined_changes(settings, baseline)
    if not groups:
        return None
    levels = []
    for numbers, toggles in groups.items():
        texts = (", ".join(str(chosen.get(toggle, "")) for toggle in toggles) for chosen in settings)
        level_texts = dict(zip(numbers, texts, strict=True))
        levels.append(tuple(level_texts[number] for number in range(max(numbers) + 1)))
    names = tuple(", ".join(toggles) for toggles in groups.values())
    return RuleFactors(names, tuple(levels), np.array(list(groups), np.intp).T)
