"""Rating model of a ladder: strengths, the value of the first move and the draw rate, estimated from paired games.

The model is Davidson's, with an order effect. For a difference d of two players' strengths, plus the order effect, from
the view of the first seat, the odds of win, draw and loss are exp(d / 2) : nu : exp(-d / 2). Strengths are reported in
Elo: 400 / ln 10 times d, so that 400 Elo are odds of ten wins to one loss. Draws pull scores towards one half: at equal
distance in Elo, scores of a drawish game are nearer to one half.

*Estimates* maximise the likelihood with the Jeffreys penalty, which removes the first-order bias and is finite after
perfect scores. *Intervals* are profile-likelihood intervals without a penalty: if the same side won every game between
the players below and above a step, the interval has no upper end. Games with the same opening line form a cluster: an
interval is the wider of that for independent games and that with the effective sample size by the cluster-robust
variance and the critical value of Student's t. If an end is open, each line counts as one game.

Source: R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison experiments",
J. of the American Statistical Association 65, 1970; R. R. Davidson, R. J. Beaver, "On extending the Bradley-Terry model
to incorporate within-pair order effects", Biometrics 33, 1977 (their multiplicative order effect; nu is theirs at
evened odds). Penalty: D. Firth, "Bias reduction of maximum likelihood estimates", Biometrika 80, 1993; that it is
finite, I. Kosmidis, D. Firth, "Jeffreys-prior penalty, finiteness and shrinkage in binomial-response generalized linear
models", Biometrika 108, 2021. Intervals: D. J. Venzon, S. H. Moolgavkar, "A method for computing
profile-likelihood-based confidence intervals", Applied Statistics 37, 1988; scaled for clusters, R. E. Chandler, S.
Bate, "Inference for clustered data using the independence loglikelihood", Biometrika 94, 2007.
Limits: one order effect and one nu for all strengths, and one-dimensional strengths: `LadderFit.pairs` shows misfits.
At least twenty lines. A strength refers to the mixture of these lines: separate fits for each line would give larger
distances, the more so the more lines differ.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.base.errors import WorkbenchError
from workbench.base.language import SEMICOLON, tr
from workbench.statistics.intervals import ELO, Estimate, Floats, Z, t_from_normal

FARTHEST_END = 5000 / ELO
"""An interval is open if its end is farther than this."""
OUTCOMES = ("first", "draw", "second")
_RIDGE = 1e-7
"""Ridge penalty that keeps the maximum finite if one side won every game of a step; it does not affect intervals."""
_FEATURES = np.array([[0.5, 0.0], [0.0, 1.0], [-0.5, 0.0]])
"""Each outcome's coefficients of the strength difference and of the logarithm of nu."""


class Disconnected(WorkbenchError):
    """Raised if players cannot be compared because no games connect them."""

    def __init__(self, groups: Sequence[Sequence[str]]) -> None:
        """``groups``: the groups of connected players."""
        message = tr(
            "these players cannot be compared because no games connect them: {groups}. A chain of games must "
            "link every player to every other.",
            groups=SEMICOLON.join(", ".join(group) for group in groups),
        )
        super().__init__(message)


class Likelihood:
    """The likelihood of counts of results, with strength differences linear in the parameters.

    The last parameter is the logarithm of nu. ``counts`` (rows x 3) are wins, draws and losses of the first seat;
    ``design`` (rows x parameters) and ``offset`` define the difference in each row.
    """

    def __init__(self, design: Floats, counts: Floats, offset: Floats | None = None) -> None:
        self.design, self.counts = design, counts
        self.offset = np.zeros(len(design)) if offset is None else offset
        self.totals = counts.sum(axis=1)
        self.size = design.shape[1]
        draw = np.zeros(self.size)
        draw[-1] = 1.0
        # rows x 3 x parameters: the sufficient statistic of each outcome.
        self.features = _FEATURES[None, :, :1] * design[:, None, :] + _FEATURES[None, :, 1:] * draw

    def outcome_chances(self, theta: Floats) -> Floats:
        """Return the probabilities of the three outcomes in each row."""
        logits = self.features @ theta + self.offset[:, None] * _FEATURES[:, 0]
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def centred(self, chances: Floats) -> Floats:
        """Return the features minus their means: rows x 3 x parameters."""
        return np.asarray(self.features - np.einsum("ko,kop->kp", chances, self.features)[:, None, :])

    def information(self, chances: Floats) -> Floats:
        """Return the Fisher information, which equals the observed information in an exponential family."""
        centred = self.centred(chances)
        weights = self.totals[:, None] * chances
        return np.asarray(np.einsum("ko,kop,koq->pq", weights, centred, centred))

    def log_likelihood(self, theta: Floats) -> float:
        """Return the log-likelihood with the ridge penalty."""
        chances = np.maximum(self.outcome_chances(theta), 1e-300)
        return float((self.counts * np.log(chances)).sum() - 0.5 * _RIDGE * theta @ theta)

    def gradient(self, theta: Floats, chances: Floats) -> Floats:
        """Return the gradient of `log_likelihood`."""
        residuals = self.counts - self.totals[:, None] * chances
        return np.asarray(np.einsum("ko,kop->p", residuals, self.features) - _RIDGE * theta)

    def maximum(self, start: Floats, basis: Floats | None = None) -> Floats:
        """Maximise `log_likelihood` over ``start`` plus the span of ``basis`` by Newton's method with step halving."""
        theta = start
        basis = np.eye(self.size) if basis is None else basis
        current = self.log_likelihood(theta)
        for _ in range(200):
            chances = self.outcome_chances(theta)
            gradient = basis.T @ self.gradient(theta, chances)
            curvature = basis.T @ (self.information(chances) + _RIDGE * np.eye(self.size)) @ basis
            step = basis @ np.linalg.solve(curvature, gradient)
            max_step = float(np.abs(step).max(initial=0.0))
            step *= min(1.0, 3.0 / max_step) if max_step > 0 else 1.0
            while (proposed := self.log_likelihood(theta + step)) < current - 1e-12 and np.abs(step).max() > 1e-12:
                step = step / 2
            theta, gain, current = theta + step, proposed - current, proposed
            if gain < 1e-9:
                break
        return theta

    def penalised_maximum(self) -> Floats:
        """Maximise the likelihood with the Jeffreys penalty."""
        from scipy.optimize import minimize

        def loss(theta: Floats) -> tuple[float, Floats]:
            chances = self.outcome_chances(theta)
            information = self.information(chances) + 1e-12 * np.eye(self.size)
            centred = self.centred(chances)
            sign, size = np.linalg.slogdet(information)
            leverage = np.einsum("kop,pq,koq->ko", centred, np.linalg.inv(information), centred)
            penalty_slope = 0.5 * np.einsum("k,ko,ko,kop->p", self.totals, chances, leverage, centred)
            penalty = 0.5 * size if sign > 0 else -1e12
            return -self.log_likelihood(theta) - penalty, -self.gradient(theta, chances) - penalty_slope

        solution = minimize(loss, np.zeros(self.size), jac=True, method="BFGS", options={"gtol": 1e-6, "maxiter": 500})
        return np.asarray(solution.x, dtype=np.float64)


class _Inference:
    """Estimates from a likelihood with intervals that account for clusters."""

    def __init__(self, likelihood: Likelihood, rows: npt.NDArray[np.intp], outcomes: npt.NDArray[np.intp],
                 lines: npt.NDArray[np.intp]) -> None:  # fmt: skip
        """``rows`` and ``outcomes`` are each game's indices in ``counts``; ``lines`` is its line or -1."""
        self.likelihood = likelihood
        self.theta = likelihood.penalised_maximum()
        chances = likelihood.outcome_chances(self.theta)
        self.covariance = np.linalg.inv(likelihood.information(chances) + 1e-12 * np.eye(likelihood.size))
        residuals = likelihood.centred(chances)[rows, outcomes]
        # Each game without a line is a separate cluster.
        clusters = np.where(lines < 0, lines.max(initial=-1) + 1 + np.arange(len(lines)), lines)
        _, line_index = np.unique(clusters, return_inverse=True)
        self.lines = int(line_index.max(initial=-1)) + 1
        self.games_per_line = len(rows) / max(1, self.lines)
        sums = np.zeros((self.lines, likelihood.size))
        np.add.at(sums, line_index, residuals)
        sums -= sums.mean(axis=0)
        self.robust = sums.T @ sums * (self.lines / max(1, self.lines - 1))

    @cached_property
    def plain_maximum(self) -> Floats:
        """The maximum of the likelihood without the Jeffreys penalty."""
        return self.likelihood.maximum(np.clip(self.theta, -8.0, 8.0))

    def design_effect(self, contrast: Floats) -> float:
        """Return the ratio of a contrast's cluster-robust variance to its variance for independent games."""
        scaled_contrast = self.covariance @ contrast
        return float(scaled_contrast @ self.robust @ scaled_contrast) / max(float(contrast @ scaled_contrast), 1e-300)

    def squared_critical(self, effect: float) -> float:
        """Return the larger of an interval's squared critical values for independent games and for clusters."""
        return max(Z**2, effect * float(t_from_normal(Z, self.lines if self.games_per_line > 1 else math.inf)) ** 2)

    def estimate(self, contrast: Floats) -> Estimate:
        """Estimate a linear function of the parameters with its interval."""
        # A single line does not show the variation between lines.
        effect = self.design_effect(contrast) if self.lines > 1 else self.games_per_line
        limit = self.squared_critical(effect if self.games_per_line > 1 else 1.0)
        low, high = self._interval_end(contrast, -1, limit), self._interval_end(contrast, 1, limit)
        if not (math.isfinite(low) and math.isfinite(high)):
            limit = max(limit, self.squared_critical(self.games_per_line))
            low, high = self._interval_end(contrast, -1, limit), self._interval_end(contrast, 1, limit)
        value = float(contrast @ self.theta)
        return Estimate(value, min(low, value), max(high, value))

    def _interval_end(self, contrast: Floats, side: int, limit: float) -> float:
        """Return an end of the profile-likelihood interval; infinite if it is farther than `FARTHEST_END`."""
        from scipy.optimize import brentq

        top = self.likelihood.log_likelihood(self.plain_maximum)
        basis = _orthogonal_basis(contrast)
        toward = contrast / float(contrast @ contrast)
        estimate = float(contrast @ self.plain_maximum)
        constrained = self.plain_maximum

        def excess(value: float) -> float:
            nonlocal constrained
            start = constrained + (value - float(contrast @ constrained)) * toward
            constrained = self.likelihood.maximum(start, basis)
            return top - self.likelihood.log_likelihood(constrained) - limit / 2

        step = max(math.sqrt(limit * float(contrast @ self.covariance @ contrast)), 0.05)
        inner = outer = max(-FARTHEST_END, min(FARTHEST_END, estimate))
        while excess(outer) < 0:
            if abs(outer) >= FARTHEST_END and outer * side > 0:
                return side * math.inf
            inner, outer = outer, max(-FARTHEST_END, min(FARTHEST_END, outer + side * step))
            step *= 1.5
        if inner == outer:  # the maximum is beyond `FARTHEST_END`
            return side * math.inf
        constrained = self.plain_maximum
        return float(brentq(excess, inner, outer, xtol=5e-4, rtol=1e-5))


def _orthogonal_basis(contrast: Floats) -> Floats:
    """Return a basis of the orthogonal complement of a contrast."""
    q, _ = np.linalg.qr(np.column_stack([contrast, np.eye(len(contrast))]))
    return np.asarray(q[:, 1 : len(contrast)])


@dataclass(frozen=True)
class RungFit:
    """Estimates from one player's games."""

    player: str
    games: int
    first_move: Estimate
    """The value of moving first in Elo, given the ladder's strengths."""
    draw_rate: float


@dataclass(frozen=True)
class LadderFit:
    """The fitted ladder."""

    players: tuple[str, ...]
    """The players in ascending order of strength."""
    zero: str
    games: dict[str, int]
    elo: dict[str, Estimate]
    """Each player's strength relative to ``zero``."""
    steps: dict[str, Estimate]
    """Each player's strength relative to the next weaker player."""
    first_move: Estimate
    """The value of moving first in Elo."""
    draws: Estimate
    """The share of draws between equal players without the order effect: nu / (2 + nu)."""
    order: float
    log_nu: float
    pairs: pd.DataFrame
    misfit: float | None
    """The p-value of Pearson's statistic for the pairs' scores; None if there are no degrees of freedom."""
    rungs: tuple[RungFit, ...]
    lines: int
    """The number of clusters: opening lines, or games without lines."""

    def score(self, player: str, other: str) -> float:
        """Return a player's expected score against another, averaged over both seats."""
        theta = np.array([self.order, self.log_nu])
        d = (self.elo[player].value - self.elo[other].value) / ELO
        seatings = Likelihood(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.zeros((2, 3)), np.array([d, d]))
        chances = seatings.outcome_chances(theta)
        return float((chances[:, 0] + chances[:, 1] / 2).mean())

    @property
    def first_score(self) -> float:
        """The expected score of the first of two equal players."""
        theta = np.array([self.order, self.log_nu])
        chances = Likelihood(np.array([[1.0, 0.0]]), np.zeros((1, 3))).outcome_chances(theta)[0]
        return float(chances[0] + chances[1] / 2)


class LadderGames:
    """Counts of results between players, which are the input of a fit."""

    def __init__(self, trials: pd.DataFrame, players: Sequence[str]) -> None:
        """Count the games in ``trials`` (columns ``first``, ``second``, ``result`` and optionally ``line``).

        Unfinished games count as draws because no side was clearly ahead when they were stopped.
        """
        self.players = tuple(players)
        player_numbers = {player: i for i, player in enumerate(self.players)}
        first = np.array([player_numbers[name] for name in trials["first"].astype(str)], dtype=np.intp)
        second = np.array([player_numbers[name] for name in trials["second"].astype(str)], dtype=np.intp)
        results = trials["result"].astype(str).replace("unfinished", "draw")
        self.outcomes = np.array([OUTCOMES.index(result) for result in results], dtype=np.intp)
        lines = trials["line"] if "line" in trials else np.full(len(trials), -1)
        self.lines = np.asarray(lines, dtype=np.intp)
        seatings, self.rows = np.unique(np.column_stack([first, second]), axis=0, return_inverse=True)
        self.seatings = seatings.reshape(-1, 2)
        self.rows = self.rows.reshape(-1)
        self.counts = np.zeros((len(self.seatings), 3))
        np.add.at(self.counts, (self.rows, self.outcomes), 1)
        group = list(range(len(self.players)))
        for first_player, second_player in self.seatings.tolist():
            old, new = group[first_player], group[second_player]
            group = [new if member == old else member for member in group]
        connected: dict[int, list[str]] = {}
        for name, number in zip(self.players, group, strict=True):
            connected.setdefault(number, []).append(name)
        if len(connected) > 1:
            raise Disconnected([*connected.values()])

    def design(self, seatings: npt.NDArray[np.intp]) -> Floats:
        """Return the design matrix of seatings: strengths except the first player's, order effect, nu."""
        design = np.zeros((len(seatings), len(self.players) + 2))
        rows = np.arange(len(seatings))
        design[rows, seatings[:, 0]] += 1.0
        design[rows, seatings[:, 1]] -= 1.0
        design[:, -2] = 1.0
        return design[:, 1:]

    @cached_property
    def inference(self) -> _Inference:
        """The fitted parameters: strengths relative to the first player, order effect, logarithm of nu."""
        return _Inference(Likelihood(self.design(self.seatings), self.counts), self.rows, self.outcomes, self.lines)

    @property
    def strengths(self) -> Floats:
        """Each player's strength relative to the first player in the model's unit."""
        return np.array([0.0, *self.inference.theta[: len(self.players) - 1]])

    @property
    def order(self) -> list[int]:
        """The players' indices in ascending order of strength."""
        return [int(i) for i in np.argsort(self.strengths, kind="stable")]

    def contrast(self, player: int, other: int) -> Floats:
        """Return the contrast between the strengths of two players."""
        contrast = np.zeros(len(self.players) + 2)
        contrast[player] += 1.0
        contrast[other] -= 1.0
        return contrast[1:]


def fit_ladder(trials: pd.DataFrame, players: Sequence[str], zero: str = "") -> LadderFit:
    """Fit players' strengths to games (see `LadderGames`); ``zero`` or else the weakest player has strength 0.

    Raises:
        Disconnected: games do not connect all players.
    """
    from scipy.stats import chi2

    games = LadderGames(trials, players)
    inference = games.inference
    order = games.order
    names = [games.players[i] for i in order]
    zero = zero or names[0]
    origin = games.players.index(zero)

    def relative_strength(player: int, other: int) -> Estimate:
        if player == other:
            return Estimate(0.0, 0.0, 0.0)
        return inference.estimate(games.contrast(player, other)).scaled(ELO)

    unit_vectors = np.eye(inference.likelihood.size)
    first_move = inference.estimate(unit_vectors[-2])
    log_nu = inference.estimate(unit_vectors[-1])
    pairs = pair_table(games)
    rungs = tuple(_fit_rung(games, i) for i in order)
    degrees = len(pairs) - (len(players) - 1)
    return LadderFit(
        players=tuple(names), zero=zero, games={rung.player: rung.games for rung in rungs},
        elo={games.players[i]: relative_strength(i, origin) for i in order},
        steps={games.players[upper]: relative_strength(upper, lower) for lower, upper in itertools.pairwise(order)},
        first_move=first_move.scaled(ELO), draws=Estimate(*map(_share_of_draws, log_nu)),
        order=float(inference.theta[-2]), log_nu=float(inference.theta[-1]), pairs=pairs,
        misfit=float(chi2.sf((pairs["z"] ** 2).sum(), degrees)) if degrees > 0 else None, rungs=rungs,
        lines=inference.lines,
    )  # fmt: skip


def _share_of_draws(log_nu: float) -> float:
    return 1 / (1 + 2 * math.exp(-log_nu)) if log_nu > -700 else 0.0


def pair_table(games: LadderGames) -> pd.DataFrame:
    """Return observed and predicted scores by pair.

    Columns: ``player`` (the stronger), ``other``, ``games``, ``score`` of the player, ``predicted`` score, and ``z``,
    their difference in standard deviations with the design effect of lines.
    """
    inference = games.inference
    chances = inference.likelihood.outcome_chances(inference.theta)
    strengths = games.strengths
    points = np.array([1.0, 0.5, 0.0])
    means = chances @ points
    variances = chances @ points**2 - means**2
    totals: dict[tuple[int, int], list[float]] = {}
    for row, (first, second) in enumerate(games.seatings.tolist()):
        stronger, weaker = sorted((first, second), key=lambda number: (strengths[number], number), reverse=True)
        n = float(games.counts[row].sum())
        observed, expected = float(games.counts[row] @ points), n * float(means[row])
        if stronger != first:
            observed, expected = n - observed, n - expected
        pair_totals = totals.setdefault((stronger, weaker), [0.0, 0.0, 0.0, 0.0])
        for i, value in enumerate((n, observed, expected, n * float(variances[row]))):
            pair_totals[i] += value
    rows = []
    for (player, other), (n, observed, expected, variance) in totals.items():
        effect = max(1.0, inference.design_effect(games.contrast(player, other))) if player != other else 1.0
        rows.append({
            "player": games.players[player], "other": games.players[other], "games": int(n), "score": observed / n,
            "predicted": expected / n, "z": (observed - expected) / math.sqrt(max(variance * effect, 1e-12)),
        })  # fmt: skip
    return pd.DataFrame(rows, columns=["player", "other", "games", "score", "predicted", "z"])


def _fit_rung(games: LadderGames, player: int) -> RungFit:
    """Estimate the value of moving first from one player's games."""
    has_player = (games.seatings == player).any(axis=1)
    strengths = games.strengths
    counts, seatings = games.counts[has_player], games.seatings[has_player]
    design = np.tile([1.0, 0.0], (len(seatings), 1))
    likelihood = Likelihood(design, counts, strengths[seatings[:, 0]] - strengths[seatings[:, 1]])
    renumbered = np.cumsum(has_player) - 1
    game_has_player = has_player[games.rows]
    rows, outcomes, lines = (array[game_has_player] for array in (games.rows, games.outcomes, games.lines))
    inference = _Inference(likelihood, renumbered[rows], outcomes, lines)
    first_move = inference.estimate(np.array([1.0, 0.0])).scaled(ELO)
    n = float(counts.sum())
    return RungFit(games.players[player], int(n), first_move, float(counts[:, 1].sum() / n))


def ladder_as_json(ladder: LadderFit) -> dict[str, Any]:
    """Return a ladder as plain data for `workbench.records.provenance`."""
    weaker: dict[str, str] = dict(zip(ladder.players[1:], ladder.players[:-1], strict=True))
    by_name = {rung.player: rung for rung in ladder.rungs}
    return {
        "zero": ladder.zero,
        "players": [
            {
                "player": player,
                "games": ladder.games[player],
                "elo": ladder.elo[player].as_json(),
                "above": weaker.get(player),
                "step": ladder.steps[player].as_json() if player in weaker else None,
                "score": round(ladder.score(player, weaker[player]), 4) if player in weaker else None,
                "first_move": by_name[player].first_move.as_json(),
                "draw_rate": round(by_name[player].draw_rate, 4),
            }
            for player in ladder.players
        ],
        "first_move": ladder.first_move.as_json(),
        "first_score": round(ladder.first_score, 4),
        "draws": ladder.draws.as_json(),
        "lines": ladder.lines,
        "misfit": None if ladder.misfit is None else round(ladder.misfit, 4),
        "pairs": [
            {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}
            for row in ladder.pairs.to_dict("records")
        ],
    }


MIN_LINES = 20
"""Minimum number of lines per pair at distance one or two; fewer do not show the variation between lines."""
HIGH_ENOUGH = 400.0
"""A step needs no more games if its lower end in Elo exceeds this: ten wins to one loss."""
GROWTH = 4
"""A batch has one line for every this many lines of the pair, and at least `MIN_LINES`."""
PlayerPair = tuple[int, int]


def count_first_games(players: int) -> int:
    """Return a ladder's number of initial games."""
    return 2 * MIN_LINES * len(_neighbours(range(players)))


def _neighbours(order: Sequence[int]) -> list[PlayerPair]:
    """Return the pairs at distance one or two with the smaller index first."""
    pairs = [*itertools.pairwise(order), *zip(order, order[2:], strict=False)]
    return [(min(pair), max(pair)) for pair in pairs]


class LadderSchedule:
    """An adaptive schedule of a ladder's games."""

    def __init__(self, players: Sequence[str], precision: float, games: int, max_lines: int) -> None:
        """Schedule games until steps are precise enough.

        Args:
            players: labels in the expected order of strength.
            precision: maximum distance in Elo between a step and an end of its interval.
            games: maximum total number of games.
            max_lines: maximum number of games of a pair in each seating.
        """
        self.players = tuple(players)
        self.precision, self.games, self.max_lines = precision, games, max_lines
        self.lines: dict[PlayerPair, int] = dict.fromkeys(_neighbours(range(len(self.players))), MIN_LINES)
        self._is_open = True

    def games_per_seating(self, trials: pd.DataFrame) -> dict[tuple[str, str], int]:
        """Return the number of games by first and second player; ``trials`` are all games played so far."""
        while self._is_open and (requested := self._requested_games(trials)) is not None:
            self._is_open = self._extend(LadderGames(requested, self.players))
        requests = self._requests()
        # Games of earlier runs count even if these required more precision.
        played = Counter(zip(trials["first"].astype(str), trials["second"].astype(str), strict=True))
        for seating, count in played.items():
            requests[seating] = max(requests.get(seating, 0), count)
        return requests

    def _requests(self) -> dict[tuple[str, str], int]:
        """Return the number of games requested so far by seating."""
        requests: dict[tuple[str, str], int] = {}
        for (a, b), lines in self.lines.items():
            first, second = self.players[a], self.players[b]
            requests |= dict.fromkeys(((first, second), (second, first)), lines)
        return requests

    def _requested_games(self, trials: pd.DataFrame) -> pd.DataFrame | None:
        """Return the games requested so far, or None if some are missing."""
        requests = self._requests()
        names = zip(trials["first"].astype(str), trials["second"].astype(str), strict=True)
        limits = np.array([requests.get(seating, 0) for seating in names], dtype=np.intp)
        requested = trials[trials["game"].to_numpy(dtype=np.intp) < limits]
        return requested if len(requested) == sum(requests.values()) else None

    def _extend(self, games: LadderGames) -> bool:
        """Request more lines for imprecise steps; return True if any lines were requested."""
        inference = games.inference
        order = games.order
        open_steps: list[tuple[float, Floats]] = []
        for lower, upper in itertools.pairwise(order):
            contrast = games.contrast(upper, lower)
            step = inference.estimate(contrast).scaled(ELO)
            if step.wider_side > self.precision and step.low < HIGH_ENOUGH:
                open_steps.append((step.wider_side, contrast))
        information = inference.likelihood.information(inference.likelihood.outcome_chances(inference.theta))
        information += 1e-12 * np.eye(len(information))
        extended = False
        candidates = _neighbours(order)
        for _, contrast in sorted(open_steps, key=lambda step: -step[0]):
            choice: tuple[float, PlayerPair, int, Floats] | None = None
            for pair in candidates:
                batch = self._batch(pair)
                if not batch:
                    continue
                larger = information + batch * self._information(games, pair)
                # The gain is the reduction in the step's variance per line.
                gain = float(contrast @ (np.linalg.inv(information) - np.linalg.inv(larger)) @ contrast) / batch
                if choice is None or gain > choice[0] * (1 + 1e-9):
                    choice = gain, pair, batch, larger
            if choice is not None:
                _, pair, batch, information = choice
                self.lines[pair] = self.lines.get(pair, 0) + batch
                extended = True
        return extended

    def _batch(self, pair: PlayerPair) -> int:
        """Return the number of additional lines that a pair may have."""
        current = self.lines.get(pair, 0)
        remaining = (self.games - 2 * sum(self.lines.values())) // 2
        return max(0, min(max(MIN_LINES, current // GROWTH), self.max_lines - current, remaining))

    @staticmethod
    def _information(games: LadderGames, pair: PlayerPair) -> Floats:
        """Return the information of one line that is played in both seatings."""
        one_line = Likelihood(games.design(np.array([pair, pair[::-1]])), np.array([[1.0, 0.0, 0.0]] * 2))
        return one_line.information(one_line.outcome_chances(games.inference.theta))
