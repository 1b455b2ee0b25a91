"""Rating model of a ladder: strengths, the value of the first move and the draw rate, from paired games.

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
"""Farthest end of an interval; beyond it the end is open."""
OUTCOMES = ("first", "draw", "second")
_RIDGE = 1e-7
"""Ridge penalty: keeps the maximum finite if one side won every game of a step; it does not change interval ends."""
_FEATURES = np.array([[0.5, 0.0], [0.0, 1.0], [-0.5, 0.0]])
"""Features of each outcome: coefficients of the strength difference and of the logarithm of nu."""


class Disconnected(WorkbenchError):
    """Some players are not connected by games, so their strengths cannot be compared."""

    def __init__(self, groups: Sequence[Sequence[str]]) -> None:
        """``groups``: connected players."""
        message = tr(
            "these players cannot be compared, since no games connect them: {groups}. Every player must be "
            "linked to every other by a chain of games.",
            groups=SEMICOLON.join(", ".join(group) for group in groups),
        )
        super().__init__(message)


class Likelihood:
    """Likelihood of counts, with strength differences that are linear in the parameters.

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
        """Return the probabilities of the three results in each row."""
        logits = self.features @ theta + self.offset[:, None] * _FEATURES[:, 0]
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def centred(self, shares: Floats) -> Floats:
        """Return the features minus their means: rows x 3 x parameters."""
        return np.asarray(self.features - np.einsum("ko,kop->kp", shares, self.features)[:, None, :])

    def information(self, shares: Floats) -> Floats:
        """Return the Fisher information, which equals the observed one in an exponential family."""
        centred = self.centred(shares)
        weights = self.totals[:, None] * shares
        return np.asarray(np.einsum("ko,kop,koq->pq", weights, centred, centred))

    def log_likelihood(self, theta: Floats) -> float:
        """Return the log-likelihood with the ridge penalty."""
        shares = np.maximum(self.outcome_chances(theta), 1e-300)
        return float((self.counts * np.log(shares)).sum() - 0.5 * _RIDGE * theta @ theta)

    def slope(self, theta: Floats, shares: Floats) -> Floats:
        """Return the gradient of `log_likelihood`."""
        residuals = self.counts - self.totals[:, None] * shares
        return np.asarray(np.einsum("ko,kop->p", residuals, self.features) - _RIDGE * theta)

    def maximum(self, start: Floats, basis: Floats | None = None) -> Floats:
        """Maximise `log_likelihood` over ``start`` plus the span of ``basis``, by Newton's method with step halving."""
        theta = start
        basis = np.eye(self.size) if basis is None else basis
        best = self.log_likelihood(theta)
        for _ in range(200):
            shares = self.outcome_chances(theta)
            slope = basis.T @ self.slope(theta, shares)
            curve = basis.T @ (self.information(shares) + _RIDGE * np.eye(self.size)) @ basis
            step = basis @ np.linalg.solve(curve, slope)
            longest = float(np.abs(step).max(initial=0.0))
            step *= min(1.0, 3.0 / longest) if longest > 0 else 1.0
            while (proposed := self.log_likelihood(theta + step)) < best - 1e-12 and np.abs(step).max() > 1e-12:
                step = step / 2
            theta, gain, best = theta + step, proposed - best, proposed
            if gain < 1e-9:
                break
        return theta

    def penalised_maximum(self) -> Floats:
        """Maximise the likelihood with the Jeffreys penalty."""
        from scipy.optimize import minimize

        def loss(theta: Floats) -> tuple[float, Floats]:
            shares = self.outcome_chances(theta)
            information = self.information(shares) + 1e-12 * np.eye(self.size)
            centred = self.centred(shares)
            sign, size = np.linalg.slogdet(information)
            leverage = np.einsum("kop,pq,koq->ko", centred, np.linalg.inv(information), centred)
            pull = 0.5 * np.einsum("k,ko,ko,kop->p", self.totals, shares, leverage, centred)
            penalty = 0.5 * size if sign > 0 else -1e12
            return -self.log_likelihood(theta) - penalty, -self.slope(theta, shares) - pull

        best = minimize(loss, np.zeros(self.size), jac=True, method="BFGS", options={"gtol": 1e-6, "maxiter": 500})
        return np.asarray(best.x, dtype=np.float64)


class _Inference:
    """Estimates of a likelihood, with intervals that account for clusters."""

    def __init__(self, likelihood: Likelihood, rows: npt.NDArray[np.intp], outcomes: npt.NDArray[np.intp],
                 lines: npt.NDArray[np.intp]) -> None:  # fmt: skip
        """``rows`` and ``outcomes`` are the indices of each game in ``counts``, ``lines`` its line or -1."""
        self.likelihood = likelihood
        self.theta = likelihood.penalised_maximum()
        shares = likelihood.outcome_chances(self.theta)
        self.covariance = np.linalg.inv(likelihood.information(shares) + 1e-12 * np.eye(likelihood.size))
        residuals = likelihood.centred(shares)[rows, outcomes]
        # A game without a line is a cluster of its own.
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
        """Maximum of the likelihood without the Jeffreys penalty."""
        return self.likelihood.maximum(np.clip(self.theta, -8.0, 8.0))

    def design_effect(self, contrast: Floats) -> float:
        """Return the ratio of a contrast's cluster-robust variance to that of independent games."""
        scaled_contrast = self.covariance @ contrast
        return float(scaled_contrast @ self.robust @ scaled_contrast) / max(float(contrast @ scaled_contrast), 1e-300)

    def squared_critical(self, effect: float) -> float:
        """Return the squared critical value of an interval: the larger of those for independent games and clusters."""
        return max(Z**2, effect * float(t_from_normal(Z, self.lines if self.games_per_line > 1 else math.inf)) ** 2)

    def estimate(self, contrast: Floats) -> Estimate:
        """Estimate a linear function of the parameters with its interval."""
        # A single line does not show how much lines differ.
        effect = self.design_effect(contrast) if self.lines > 1 else self.games_per_line
        limit = self.squared_critical(effect if self.games_per_line > 1 else 1.0)
        low, high = self._interval_end(contrast, -1, limit), self._interval_end(contrast, 1, limit)
        if not (math.isfinite(low) and math.isfinite(high)):
            limit = max(limit, self.squared_critical(self.games_per_line))
            low, high = self._interval_end(contrast, -1, limit), self._interval_end(contrast, 1, limit)
        value = float(contrast @ self.theta)
        return Estimate(value, min(low, value), max(high, value))

    def _interval_end(self, contrast: Floats, side: int, limit: float) -> float:
        """Return one end of the profile-likelihood interval; infinite if it is beyond `FARTHEST_END`."""
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
    """Estimates from the games of one player."""

    player: str
    games: int
    first_move: Estimate
    """Value of moving first in Elo, given the strengths of the ladder."""
    draw_rate: float


@dataclass(frozen=True)
class LadderFit:
    """Fitted strengths of players."""

    players: tuple[str, ...]
    """Players in ascending order of strength."""
    zero: str
    games: dict[str, int]
    elo: dict[str, Estimate]
    """Strength of each player relative to ``zero``."""
    steps: dict[str, Estimate]
    """Strength of each player relative to the next weaker one."""
    first_move: Estimate
    """Value of moving first, in Elo."""
    draws: Estimate
    """Share of draws between equal players without the order effect: nu / (2 + nu)."""
    order: float
    log_nu: float
    pairs: pd.DataFrame
    misfit: float | None
    """P-value of Pearson's statistic of the pairs' scores; None without degrees of freedom."""
    rungs: tuple[RungFit, ...]
    lines: int
    """Number of clusters: opening lines, or games without lines."""

    def score(self, player: str, other: str) -> float:
        """Return the expected score of a player against another one, averaged over both seats."""
        theta = np.array([self.order, self.log_nu])
        d = (self.elo[player].value - self.elo[other].value) / ELO
        seatings = Likelihood(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.zeros((2, 3)), np.array([d, d]))
        both = seatings.outcome_chances(theta)
        return float((both[:, 0] + both[:, 1] / 2).mean())

    @property
    def first_score(self) -> float:
        """Expected score of the first of two equal players."""
        theta = np.array([self.order, self.log_nu])
        shares = Likelihood(np.array([[1.0, 0.0]]), np.zeros((1, 3))).outcome_chances(theta)[0]
        return float(shares[0] + shares[1] / 2)


class LadderGames:
    """Counts of results between players, the input of a fit."""

    def __init__(self, trials: pd.DataFrame, players: Sequence[str]) -> None:
        """``trials`` contains the columns ``first``, ``second``, ``result`` and optionally ``line``.

        Unfinished games count as draws: no side was clearly ahead when they were stopped.
        """
        self.players = tuple(players)
        number_of_player = {player: i for i, player in enumerate(self.players)}
        first = np.array([number_of_player[name] for name in trials["first"].astype(str)], dtype=np.intp)
        second = np.array([number_of_player[name] for name in trials["second"].astype(str)], dtype=np.intp)
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
        for one, other in self.seatings.tolist():
            old, new = group[one], group[other]
            group = [new if each == old else each for each in group]
        connected: dict[int, list[str]] = {}
        for name, number in zip(self.players, group, strict=True):
            connected.setdefault(number, []).append(name)
        if len(connected) > 1:
            raise Disconnected([*connected.values()])

    def design(self, seatings: npt.NDArray[np.intp]) -> Floats:
        """Return the design matrix of ordered pairs: strengths except the first player's, order effect, nu."""
        design = np.zeros((len(seatings), len(self.players) + 2))
        rows = np.arange(len(seatings))
        design[rows, seatings[:, 0]] += 1.0
        design[rows, seatings[:, 1]] -= 1.0
        design[:, -2] = 1.0
        return design[:, 1:]

    @cached_property
    def inference(self) -> _Inference:
        """Fitted parameters: strengths relative to the first player, order effect, logarithm of nu."""
        return _Inference(Likelihood(self.design(self.seatings), self.counts), self.rows, self.outcomes, self.lines)

    @property
    def strengths(self) -> Floats:
        """Strength of each player relative to the first one, in the model's unit."""
        return np.array([0.0, *self.inference.theta[: len(self.players) - 1]])

    @property
    def order(self) -> list[int]:
        """Indices of the players in ascending order of strength."""
        return [int(place) for place in np.argsort(self.strengths, kind="stable")]

    def contrast(self, player: int, other: int) -> Floats:
        """Return the contrast between the strengths of two players."""
        contrast = np.zeros(len(self.players) + 2)
        contrast[player] += 1.0
        contrast[other] -= 1.0
        return contrast[1:]


def fit_ladder(trials: pd.DataFrame, players: Sequence[str], zero: str = "") -> LadderFit:
    """Fit the strengths of players to their games (see `LadderGames`); ``zero`` or the weakest player has strength 0.

    Raises:
        Disconnected: games do not connect all players.
    """
    from scipy.stats import chi2

    games = LadderGames(trials, players)
    inference = games.inference
    order = games.order
    names = [games.players[place] for place in order]
    zero = zero or names[0]
    origin = games.players.index(zero)

    def above(player: int, other: int) -> Estimate:
        if player == other:
            return Estimate(0.0, 0.0, 0.0)
        return inference.estimate(games.contrast(player, other)).scaled(ELO)

    units = np.eye(inference.likelihood.size)
    first_move = inference.estimate(units[-2])
    log_nu = inference.estimate(units[-1])
    pairs = pair_table(games)
    rungs = tuple(_fit_rung(games, place) for place in order)
    freedom = len(pairs) - (len(players) - 1)
    return LadderFit(
        players=tuple(names), zero=zero, games={rung.player: rung.games for rung in rungs},
        elo={games.players[place]: above(place, origin) for place in order},
        steps={games.players[upper]: above(upper, lower) for lower, upper in itertools.pairwise(order)},
        first_move=first_move.scaled(ELO), draws=Estimate(*map(_share_of_draws, log_nu)),
        order=float(inference.theta[-2]), log_nu=float(inference.theta[-1]), pairs=pairs,
        misfit=float(chi2.sf((pairs["z"] ** 2).sum(), freedom)) if freedom > 0 else None, rungs=rungs,
        lines=inference.lines,
    )  # fmt: skip


def _share_of_draws(log_nu: float) -> float:
    return 1 / (1 + 2 * math.exp(-log_nu)) if log_nu > -700 else 0.0


def pair_table(games: LadderGames) -> pd.DataFrame:
    """Return the observed and predicted scores of each pair.

    Columns: ``player`` (the stronger), ``other``, ``games``, ``score`` of the player, ``predicted`` score, and ``z``,
    their difference in standard deviations with the design effect of lines.
    """
    inference = games.inference
    shares = inference.likelihood.outcome_chances(inference.theta)
    strengths = games.strengths
    points = np.array([1.0, 0.5, 0.0])
    means = shares @ points
    variances = shares @ points**2 - means**2
    totals: dict[tuple[int, int], list[float]] = {}
    for row, (first, second) in enumerate(games.seatings.tolist()):
        stronger, weaker = sorted((first, second), key=lambda place: (strengths[place], place), reverse=True)
        n = float(games.counts[row].sum())
        observed, expected = float(games.counts[row] @ points), n * float(means[row])
        if stronger != first:
            observed, expected = n - observed, n - expected
        totals_of_pair = totals.setdefault((stronger, weaker), [0.0, 0.0, 0.0, 0.0])
        for i, value in enumerate((n, observed, expected, n * float(variances[row]))):
            totals_of_pair[i] += value
    rows = []
    for (player, other), (n, observed, expected, variance) in totals.items():
        effect = max(1.0, inference.design_effect(games.contrast(player, other))) if player != other else 1.0
        rows.append({
            "player": games.players[player], "other": games.players[other], "games": int(n), "score": observed / n,
            "predicted": expected / n, "z": (observed - expected) / math.sqrt(max(variance * effect, 1e-12)),
        })  # fmt: skip
    return pd.DataFrame(rows, columns=["player", "other", "games", "score", "predicted", "z"])


def _fit_rung(games: LadderGames, player: int) -> RungFit:
    """Fit the value of moving first to the games of one player."""
    has_player = (games.seatings == player).any(axis=1)
    strengths = games.strengths
    counts, seatings = games.counts[has_player], games.seatings[has_player]
    design = np.tile([1.0, 0.0], (len(seatings), 1))
    likelihood = Likelihood(design, counts, strengths[seatings[:, 0]] - strengths[seatings[:, 1]])
    renumbered = np.cumsum(has_player) - 1
    game_has_player = has_player[games.rows]
    rows, outcomes, lines = (each[game_has_player] for each in (games.rows, games.outcomes, games.lines))
    inference = _Inference(likelihood, renumbered[rows], outcomes, lines)
    first_move = inference.estimate(np.array([1.0, 0.0])).scaled(ELO)
    n = float(counts.sum())
    return RungFit(games.players[player], int(n), first_move, float(counts[:, 1].sum() / n))


def ladder_as_json(ladder: LadderFit) -> dict[str, Any]:
    """Return a ladder as plain data; see `workbench.records.provenance`."""
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
"""Least number of lines of each pair at distance one or two, each played twice; fewer do not show how lines differ."""
HIGH_ENOUGH = 400.0
"""Lower end of a step, in Elo, above which it needs no more games: ten wins to one loss."""
GROWTH = 4
"""A batch has one line for this many lines of the pair, and at least `MIN_LINES`."""
PlayerPair = tuple[int, int]


def count_first_games(players: int) -> int:
    """Return the number of initial games of a ladder."""
    return 2 * MIN_LINES * len(_neighbours(range(players)))


def _neighbours(order: Sequence[int]) -> list[PlayerPair]:
    """Return the pairs at distance one or two, each with the smaller index first."""
    chained = [*itertools.pairwise(order), *zip(order, order[2:], strict=False)]
    return [(min(pair), max(pair)) for pair in chained]


class LadderSchedule:
    """Adaptive schedule of the games of a ladder."""

    def __init__(self, players: Sequence[str], precision: float, games: int, most_lines: int) -> None:
        """Schedule games until steps are precise enough.

        Args:
            players: labels in the expected order of strength.
            precision: greatest distance in Elo between a step and an end of its interval.
            games: greatest total number of games.
            most_lines: greatest number of games of a pair in each seating.
        """
        self.players = tuple(players)
        self.precision, self.games, self.most_lines = precision, games, most_lines
        self.lines: dict[PlayerPair, int] = dict.fromkeys(_neighbours(range(len(self.players))), MIN_LINES)
        self._is_open = True

    def games_per_seating(self, trials: pd.DataFrame) -> dict[tuple[str, str], int]:
        """Return the number of games by first and second player; ``trials`` include the games of earlier calls."""
        while self._is_open and (requested := self._requested_games(trials)) is not None:
            self._is_open = self._extend(LadderGames(requested, self.players))
        requests = self._requests()
        # Games of earlier runs count, which may have required more precision.
        played = Counter(zip(trials["first"].astype(str), trials["second"].astype(str), strict=True))
        for seating, count in played.items():
            requests[seating] = max(requests.get(seating, 0), count)
        return requests

    def _requests(self) -> dict[tuple[str, str], int]:
        """Return the games of each seating requested so far."""
        requests: dict[tuple[str, str], int] = {}
        for (one, other), lines in self.lines.items():
            first, second = self.players[one], self.players[other]
            requests |= dict.fromkeys(((first, second), (second, first)), lines)
        return requests

    def _requested_games(self, trials: pd.DataFrame) -> pd.DataFrame | None:
        """Return the games requested so far; None if some are missing."""
        requests = self._requests()
        names = zip(trials["first"].astype(str), trials["second"].astype(str), strict=True)
        limits = np.array([requests.get(seating, 0) for seating in names], dtype=np.intp)
        requested = trials[trials["game"].to_numpy(dtype=np.intp) < limits]
        return requested if len(requested) == sum(requests.values()) else None

    def _extend(self, games: LadderGames) -> bool:
        """Request more lines for imprecise steps; return whether there are any."""
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
            best: tuple[float, PlayerPair, int, Floats] | None = None
            for pair in candidates:
                batch = self._batch(pair)
                if not batch:
                    continue
                more = information + batch * self._information(games, pair)
                # The reduction of the step's variance per line.
                gain = float(contrast @ (np.linalg.inv(information) - np.linalg.inv(more)) @ contrast) / batch
                if best is None or gain > best[0] * (1 + 1e-9):
                    best = gain, pair, batch, more
            if best is not None:
                _, pair, batch, information = best
                self.lines[pair] = self.lines.get(pair, 0) + batch
                extended = True
        return extended

    def _batch(self, pair: PlayerPair) -> int:
        """Return the number of additional lines that a pair may have."""
        current = self.lines.get(pair, 0)
        remaining = (self.games - 2 * sum(self.lines.values())) // 2
        return max(0, min(max(MIN_LINES, current // GROWTH), self.most_lines - current, remaining))

    @staticmethod
    def _information(games: LadderGames, pair: PlayerPair) -> Floats:
        """Return the information of one line that is played in both seatings."""
        one_line = Likelihood(games.design(np.array([pair, pair[::-1]])), np.array([[1.0, 0.0, 0.0]] * 2))
        return one_line.information(one_line.outcome_chances(games.inference.theta))
