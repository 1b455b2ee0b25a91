"""A ladder: how strong players are, what the first move is worth, and how drawish the game is, from games in pairs.

The model is Davidson's, with an order effect. For a difference d of two players' strengths, plus the order effect, as
the first seat sees it, the odds of its win, a draw and its loss are exp(d / 2) : nu : exp(-d / 2). Strengths are told
in Elo: 400 / ln 10 times d, so that 400 Elo are odds of ten wins to one loss. Draws pull a score towards one half
beside that: at the same distance in Elo a drawish game has scores nearer to one half.

*Estimates* maximise the likelihood with the penalty of Jeffreys, which takes away the first-order bias of the plain
estimate and is finite after perfect scores. *Intervals* are of the profile of the plain likelihood, without a penalty:
where every game between the players below and above a step was won by the same side, nothing bounds the step from
above, and the interval has one end alone. Games that begin with the same opening line are a cluster: an interval is
that of independent games, or that of as many fewer games as the cluster-robust variance of its number exceeds theirs,
with the critical value of Student's t, whichever is wider. Where one end is open, each line counts as one game.

Source: R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison experiments",
J. of the American Statistical Association 65, 1970; R. R. Davidson, R. J. Beaver, "On extending the Bradley-Terry model
to incorporate within-pair order effects", Biometrics 33, 1977 (their multiplicative order effect; nu is theirs at
evened odds). Penalty: D. Firth, "Bias reduction of maximum likelihood estimates", Biometrika 80, 1993; that it is
finite, I. Kosmidis, D. Firth, "Jeffreys-prior penalty, finiteness and shrinkage in binomial-response generalized linear
models", Biometrika 108, 2021. Intervals: D. J. Venzon, S. H. Moolgavkar, "A method for computing
profile-likelihood-based confidence intervals", Applied Statistics 37, 1988; scaled for clusters, R. E. Chandler, S.
Bate, "Inference for clustered data using the independence loglikelihood", Biometrika 94, 2007.
Limits: one order effect and one nu for all strengths, and strengths on one line: `LadderFit.pairs` says where games do
not fit that. Twenty lines or more. A strength is that over the mixture of these lines: were each line fitted by itself,
players would lie farther apart, the more so the more lines differ.
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
"""The farthest end of an interval; what reaches farther is open."""
OUTCOMES = ("first", "draw", "second")
"""Results of a game, in the order in which they are counted."""
_RIDGE = 1e-7
"""Keeps the plain likelihood's maximum finite where every game of a step was won by one side; it changes no end."""
_FEATURES = np.array([[0.5, 0.0], [0.0, 1.0], [-0.5, 0.0]])
"""The features of each outcome: of the difference of strengths, and of the logarithm of nu."""


class Disconnected(WorkbenchError):
    """Some players met no others, not even by way of third ones: no number compares them."""

    def __init__(self, groups: Sequence[Sequence[str]]) -> None:
        """``groups``: players that met, directly or by others."""
        said = tr(
            "these players cannot be compared, for no games connect them: {groups}. Strengths need a chain of "
            "games from every player to every other.",
            groups=SEMICOLON.join(", ".join(group) for group in groups),
        )
        super().__init__(said)


class Likelihood:
    """Counts of results with the differences of strengths that they depend on, linear in the parameters.

    The last parameter is the logarithm of nu. ``counts`` (rows x 3) are wins of the first seat, draws and its losses;
    ``design`` (rows x parameters) and ``offset`` give the difference of each row.
    """

    def __init__(self, design: Floats, counts: Floats, offset: Floats | None = None) -> None:
        self.design, self.counts = design, counts
        self.offset = np.zeros(len(design)) if offset is None else offset
        self.totals = counts.sum(axis=1)
        self.size = design.shape[1]
        draw = np.zeros(self.size)
        draw[-1] = 1.0
        # (rows, 3, parameters): what each outcome counts for each parameter.
        self.features = _FEATURES[None, :, :1] * design[:, None, :] + _FEATURES[None, :, 1:] * draw

    def outcome_chances(self, theta: Floats) -> Floats:
        """Return the chances of the three results in each row."""
        logits = self.features @ theta + self.offset[:, None] * _FEATURES[:, 0]
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def centred(self, shares: Floats) -> Floats:
        """Return the features less their means (rows x 3 x parameters)."""
        return np.asarray(self.features - np.einsum("ko,kop->kp", shares, self.features)[:, None, :])

    def information(self, shares: Floats) -> Floats:
        """Fisher's information; the model is an exponential family, so it is the observed one, too."""
        centred = self.centred(shares)
        weights = self.totals[:, None] * shares
        return np.asarray(np.einsum("ko,kop,koq->pq", weights, centred, centred))

    def log_likelihood(self, theta: Floats) -> float:
        """Return the logarithm of the likelihood, with its ridge."""
        shares = np.maximum(self.outcome_chances(theta), 1e-300)
        return float((self.counts * np.log(shares)).sum() - 0.5 * _RIDGE * theta @ theta)

    def slope(self, theta: Floats, shares: Floats) -> Floats:
        """Return the derivative of `log_likelihood`."""
        residuals = self.counts - self.totals[:, None] * shares
        return np.asarray(np.einsum("ko,kop->p", residuals, self.features) - _RIDGE * theta)

    def maximum(self, start: Floats, basis: Floats | None = None) -> Floats:
        """The maximum of `log_likelihood` among ``start`` plus the columns of ``basis``: Newton, with halved steps."""
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
        """Return the maximum of the likelihood with the penalty of Jeffreys."""
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
    """Estimates of one likelihood, with intervals that allow for clusters."""

    def __init__(self, likelihood: Likelihood, rows: npt.NDArray[np.intp], outcomes: npt.NDArray[np.intp],
                 lines: npt.NDArray[np.intp]) -> None:  # fmt: skip
        """``rows`` and ``outcomes`` say for each game where it is counted; ``lines`` its opening line, -1 for none."""
        self.likelihood = likelihood
        self.theta = likelihood.penalised_maximum()
        shares = likelihood.outcome_chances(self.theta)
        self.covariance = np.linalg.inv(likelihood.information(shares) + 1e-12 * np.eye(likelihood.size))
        residuals = likelihood.centred(shares)[rows, outcomes]
        # A game without a line is one of its own.
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
        """The maximum of the plain likelihood."""
        return self.likelihood.maximum(np.clip(self.theta, -8.0, 8.0))

    def design_effect(self, contrast: Floats) -> float:
        """By what the cluster-robust variance of a contrast exceeds that of independent games, or falls short of it."""
        scaled_contrast = self.covariance @ contrast
        return float(scaled_contrast @ self.robust @ scaled_contrast) / max(float(contrast @ scaled_contrast), 1e-300)

    def squared_critical(self, effect: float) -> float:
        """The squared quantile at which an interval ends: that of independent games, or of clusters if it is larger."""
        return max(Z**2, effect * float(t_from_normal(Z, self.lines if self.games_per_line > 1 else math.inf)) ** 2)

    def estimate(self, contrast: Floats) -> Estimate:
        """Return a linear function of the parameters with its interval."""
        # One line does not say how much lines differ.
        effect = self.design_effect(contrast) if self.lines > 1 else self.games_per_line
        limit = self.squared_critical(effect if self.games_per_line > 1 else 1.0)
        low, high = self._interval_end(contrast, -1, limit), self._interval_end(contrast, 1, limit)
        if not (math.isfinite(low) and math.isfinite(high)):
            limit = max(limit, self.squared_critical(self.games_per_line))
            low, high = self._interval_end(contrast, -1, limit), self._interval_end(contrast, 1, limit)
        value = float(contrast @ self.theta)
        return Estimate(value, min(low, value), max(high, value))

    def _interval_end(self, contrast: Floats, side: int, limit: float) -> float:
        """The end of the profile-likelihood interval on one side; infinite if there is none within `FARTHEST_END`."""
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
        if inner == outer:  # the plain maximum lies beyond what is looked at
            return side * math.inf
        constrained = self.plain_maximum
        return float(brentq(excess, inner, outer, xtol=5e-4, rtol=1e-5))


def _orthogonal_basis(contrast: Floats) -> Floats:
    """Return a basis of all that is orthogonal to a contrast."""
    q, _ = np.linalg.qr(np.column_stack([contrast, np.eye(len(contrast))]))
    return np.asarray(q[:, 1 : len(contrast)])


@dataclass(frozen=True)
class RungFit:
    """Estimates from the games of one player, against its neighbours."""

    player: str
    games: int
    first_move: Estimate
    """In Elo, for these games alone; the strengths are those of the ladder."""
    draw_rate: float
    """Drawn games among these."""


@dataclass(frozen=True)
class LadderFit:
    """Strengths of players from their games; see the head of the module."""

    players: tuple[str, ...]
    """In the order of their strength, weakest first."""
    zero: str
    """The player whose strength is 0."""
    games: dict[str, int]
    """Games of each player."""
    elo: dict[str, Estimate]
    """The strength of each player above the ``zero``, whose own interval is a point."""
    steps: dict[str, Estimate]
    """The strength of each player above the next weaker one; none for the weakest."""
    first_move: Estimate
    """The worth of moving first, in Elo."""
    draws: Estimate
    """Draws between players of equal strength, the first move evened out, as a share: nu / (2 + nu)."""
    order: float
    """The order effect itself, in the model's unit."""
    log_nu: float
    pairs: pd.DataFrame
    """`pair_table`: what the model predicts of each pair, and what was observed."""
    misfit: float | None
    """The p-value of Pearson's statistic of the pairs' scores; None where all pairs are needed for the strengths."""
    rungs: tuple[RungFit, ...]
    lines: int
    """Opening lines that the games began with; the number of games, where they have none."""

    def score(self, player: str, other: str) -> float:
        """Return the expected score of a player against another one over both seats."""
        theta = np.array([self.order, self.log_nu])
        d = (self.elo[player].value - self.elo[other].value) / ELO
        seatings = Likelihood(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.zeros((2, 3)), np.array([d, d]))
        both = seatings.outcome_chances(theta)
        return float((both[:, 0] + both[:, 1] / 2).mean())

    @property
    def first_score(self) -> float:
        """The expected score of the first of two equal players."""
        theta = np.array([self.order, self.log_nu])
        shares = Likelihood(np.array([[1.0, 0.0]]), np.zeros((1, 3))).outcome_chances(theta)[0]
        return float(shares[0] + shares[1] / 2)


class LadderGames:
    """Results of games between players, counted; what a fit and a schedule begin with."""

    def __init__(self, trials: pd.DataFrame, players: Sequence[str]) -> None:
        """``trials`` has the columns ``first``, ``second``, ``result`` (one of `OUTCOMES`) and, maybe, ``line``.

        Games without a result (``unfinished``) count as draws: nobody was ahead by much when they were stopped.

        Raises:
            Disconnected: no chain of games leads from some players to others.
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
        """Return the design matrix of ordered pairs: strengths without the first player's, order effect, nu."""
        design = np.zeros((len(seatings), len(self.players) + 2))
        rows = np.arange(len(seatings))
        design[rows, seatings[:, 0]] += 1.0
        design[rows, seatings[:, 1]] -= 1.0
        design[:, -2] = 1.0
        return design[:, 1:]

    @cached_property
    def inference(self) -> _Inference:
        """The fitted parameters: strengths above the first player's, order effect, logarithm of nu."""
        return _Inference(Likelihood(self.design(self.seatings), self.counts), self.rows, self.outcomes, self.lines)

    @property
    def strengths(self) -> Floats:
        """The strength of each player above the first one of the list, in the model's unit."""
        return np.array([0.0, *self.inference.theta[: len(self.players) - 1]])

    @property
    def order(self) -> list[int]:
        """The numbers of the players, weakest first; equal ones as they are listed."""
        return [int(place) for place in np.argsort(self.strengths, kind="stable")]

    def contrast(self, player: int, other: int) -> Floats:
        """Return the contrast for the strength of a player above another one."""
        contrast = np.zeros(len(self.players) + 2)
        contrast[player] += 1.0
        contrast[other] -= 1.0
        return contrast[1:]


def fit_ladder(trials: pd.DataFrame, players: Sequence[str], zero: str = "") -> LadderFit:
    """The ladder of some players from their games (see `LadderGames`); ``zero`` has strength 0, or else the weakest.

    Raises:
        Disconnected: no chain of games leads from some players to others.
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
        players=tuple(names),
        zero=zero,
        games={rung.player: rung.games for rung in rungs},
        elo={games.players[place]: above(place, origin) for place in order},
        steps={games.players[upper]: above(upper, lower) for lower, upper in itertools.pairwise(order)},
        first_move=first_move.scaled(ELO),
        draws=Estimate(*map(_share_of_draws, log_nu)),
        order=float(inference.theta[-2]),
        log_nu=float(inference.theta[-1]),
        pairs=pairs,
        misfit=float(chi2.sf((pairs["z"] ** 2).sum(), freedom)) if freedom > 0 else None,
        rungs=rungs,
        lines=inference.lines,
    )


def _share_of_draws(log_nu: float) -> float:
    return 1 / (1 + 2 * math.exp(-log_nu)) if log_nu > -700 else 0.0


def pair_table(games: LadderGames) -> pd.DataFrame:
    """Return a row for each pair that met: what was observed, and what the model says.

    Columns: ``player`` (the stronger), ``other``, ``games``, ``score`` of the player, the ``predicted`` score, and
    ``z``, how many standard deviations of so many games, with the design effect of lines, lie between the two.
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
    """Fit the worth of moving first to the games of one player."""
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
    """Return a ladder as plain data: see `workbench.records.provenance`."""
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


LEAST_LINES = 20
"""Lines of every pair of neighbours and next neighbours, each played twice; fewer do not tell how much lines differ."""
HIGH_ENOUGH = 400.0
"""A step that is surely as high is high enough: ten wins to one loss."""
GROWTH = 4
"""A batch of further lines is one part in so many of those that a pair has, and at least `LEAST_LINES`."""
PlayerPair = tuple[int, int]


def count_first_games(players: int) -> int:
    """Return the games with which a ladder begins."""
    return 2 * LEAST_LINES * len(_neighbours(range(players)))


def _neighbours(order: Sequence[int]) -> list[PlayerPair]:
    """Return the pairs of neighbours and next neighbours, each with the smaller number first."""
    chained = [*itertools.pairwise(order), *zip(order, order[2:], strict=False)]
    return [(min(pair), max(pair)) for pair in chained]


class LadderSchedule:
    """The games of a ladder while it is played; what was decided once is not decided again."""

    def __init__(self, players: Sequence[str], precision: float, games: int, most_lines: int) -> None:
        """``precision``: how far the interval of a step may reach, in Elo; ``games``: at most so many in all.

        ``most_lines``: at most so many games of a pair in each seating. The ``players`` are in the order in which they
        are thought to be strong.
        """
        self.players = tuple(players)
        self.precision, self.games, self.most_lines = precision, games, most_lines
        self.lines: dict[PlayerPair, int] = dict.fromkeys(_neighbours(range(len(self.players))), LEAST_LINES)
        self._is_open = True

    def games_per_seating(self, trials: pd.DataFrame) -> dict[tuple[str, str], int]:
        """Return the games of each first and second player; ``trials`` have at least the games of earlier calls."""
        while self._is_open and (requested := self._requested_games(trials)) is not None:
            self._is_open = self._extend(LadderGames(requested, self.players))
        wanted = self._wanted()
        # Nothing that was played is taken back: earlier calls may have asked for more certainty.
        played = Counter(zip(trials["first"].astype(str), trials["second"].astype(str), strict=True))
        for seating, count in played.items():
            wanted[seating] = max(wanted.get(seating, 0), count)
        return wanted

    def _wanted(self) -> dict[tuple[str, str], int]:
        """Return the games of each seating that were asked for so far."""
        wanted: dict[tuple[str, str], int] = {}
        for (one, other), lines in self.lines.items():
            first, second = self.players[one], self.players[other]
            wanted |= dict.fromkeys(((first, second), (second, first)), lines)
        return wanted

    def _requested_games(self, trials: pd.DataFrame) -> pd.DataFrame | None:
        """Return the games that were asked for so far; None if some are missing."""
        wanted = self._wanted()
        names = zip(trials["first"].astype(str), trials["second"].astype(str), strict=True)
        limits = np.array([wanted.get(seating, 0) for seating in names], dtype=np.intp)
        requested = trials[trials["game"].to_numpy(dtype=np.intp) < limits]
        return requested if len(requested) == sum(wanted.values()) else None

    def _extend(self, games: LadderGames) -> bool:
        """Ask for further lines where steps are wide; returns whether it did."""
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
                # The variance of the step by each game that is played for it.
                gain = float(contrast @ (np.linalg.inv(information) - np.linalg.inv(more)) @ contrast) / batch
                if best is None or gain > best[0] * (1 + 1e-9):
                    best = gain, pair, batch, more
            if best is not None:
                _, pair, batch, information = best
                self.lines[pair] = self.lines.get(pair, 0) + batch
                extended = True
        return extended

    def _batch(self, pair: PlayerPair) -> int:
        """Return the further lines that a pair may have."""
        current = self.lines.get(pair, 0)
        remaining = (self.games - 2 * sum(self.lines.values())) // 2
        return max(0, min(max(LEAST_LINES, current // GROWTH), self.most_lines - current, remaining))

    @staticmethod
    def _information(games: LadderGames, pair: PlayerPair) -> Floats:
        """Return the information of one line, played twice with seats swapped."""
        one_line = Likelihood(games.design(np.array([pair, pair[::-1]])), np.array([[1.0, 0.0, 0.0]] * 2))
        return one_line.information(one_line.outcome_chances(games.inference.theta))
