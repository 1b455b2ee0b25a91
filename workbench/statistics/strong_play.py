"""Strong play: how scores change with the strength of players, and verdicts on whether they have settled.

`workbench.statistics.joint_model` estimates the first seat's score and the share of draws under all rulesets of a game
at once, from self-play of searches with a budget of nodes (`workbench.statistics.search_games`). ``now`` is the value
at the largest budget, ``change`` the effect of each doubling of the nodes, ``next`` = now + change the forecast for one
more doubling; there is no extrapolation beyond that. Only budgets within `WINDOW_DOUBLINGS` doublings of the largest
one are used.

Intervals and directions of several rulesets, or rules, are simultaneous: the largest of all errors, each in its own
standard deviations, stays below the critical value in 95 of 100 cases. Interim analyses, and earlier plans of the same
folder, have spent their part of the error (`AnalysisPlan`). Differences of a score, draws, levels and effects of rules
are four questions, each with an error of 5 % for all of its answers.

Source: simultaneous intervals from the joint distribution of all estimates: T. Hothorn, F. Bretz, P. Westfall,
"Simultaneous inference in general parametric models", Biometrical Journal 50, 2008; expected loss and the probability
of being the best: D. V. Lindley, "Making Decisions", 1985; more games: D. J. Spiegelhalter, K. R. Abrams, J. P. Myles,
"Bayesian Approaches to Clinical Trials and Health-Care Evaluation", 2004, section 6.5 (predictive distributions of a
decision).
Limits: strength is nodes, the same under all rulesets, and not skill: players learn some rules better than others.
Configurations have much in common (the features of the family, the engine's searches); their common errors go
unnoticed. There is no law by which an advantage grows with strength, and none is assumed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from workbench.experiments.experiment_files import DrawnLines
from workbench.experiments.measures import DECISIVE_FIRST, FIRST_SCORE
from workbench.records.trials import Trials
from workbench.statistics import joint_model, search_games
from workbench.statistics.analysis_plan import ALPHA, AnalysisPlan, error_share, interim_critical_value
from workbench.statistics.intervals import Estimate, Floats, Z, t_from_normal
from workbench.statistics.joint_model import Contrast, Posterior, RuleFactors
from workbench.statistics.search_games import CellMeans, Configuration, Rung, SearchGames

FAMILY_SURE = 0.9
"""The least probability of a direction within each family of search."""


@dataclass(frozen=True)
class Findings:
    """The estimates that `judge` needs."""

    now: Estimate
    change: Estimate
    next: Estimate
    by_family: Sequence[tuple[float, float]]  # The mean and the standard deviation of ``now`` in each family
    weakest: Estimate  # The value at the smallest budget
    budgets: int  # The number of budgets near the largest one
    by_evaluation: Sequence[float] = ()
    """The mean of the strongest players of each evaluation, from their own games only."""
    bend: float = 0.0  # The deviation of the next change from the straight line, if the curvature is significant


def judge(findings: Findings, margin: float) -> tuple[str, str, str]:
    """Return the verdict on a number under strong play, its direction, and the reason if it is not settled.

    * ``settled``: one more doubling surely changes the number by less than the margin, and the number surely has a
      direction (``more``, ``less``), now and after that doubling, or is surely ``none`` (within the margin) now. If
      the line through three or more budgets surely bends, the doubling including its bend must be within the margin;
    * ``grows``, ``shrinks``: it surely changes, away from 0 or towards it; among the strongest players it has a sure
      direction, which persists after one more doubling (a shrinking number may become ``none``);
    * ``reverses``: the sure direction among the weakest players is the opposite of that now and after that doubling;
    * ``not_settled``, with a reason: ``one_strength`` (fewer than two budgets near the largest), ``one_search`` (a
      single family of search), ``players`` (some family of search lacks the direction), ``evaluations`` (the players
      of one evaluation have the opposite direction), ``games`` (more games of these players would decide),
      ``strength`` (it changes, but its limit is uncertain: only stronger players can decide).
    """
    now, change, after = findings.now, findings.change, findings.next
    direction, direction_now = after.direction(margin), now.direction(margin)
    is_stable = -margin <= change.low and change.high <= margin
    is_changing = change.low > 0 or change.high < 0
    if direction_now == "none" and is_stable and abs(after.value) <= margin:
        # A stable number within the margin needs no extrapolation.
        direction = "none"
    reason = ""
    if findings.budgets < 2:
        reason = "one_strength"
    elif len(findings.by_family) < 2:
        reason = "one_search"
    elif not direction or not (is_stable or is_changing):
        reason = "strength" if is_changing and direction_now else "games"
    elif direction_now != direction and not (is_changing and direction_now and direction == "none"):
        # The direction would rest on the next doubling alone.
        reason = "strength" if is_changing else "games"
    elif not _families_agree(findings.by_family, direction_now, margin):
        reason = "players"
    elif any(mean * {"more": 1, "less": -1, "none": 0}[direction_now] < 0 for mean in findings.by_evaluation):
        reason = "evaluations"
    if not reason and is_stable and abs(change.value + findings.bend) > margin:
        reason = "strength"
    if reason:
        return "not_settled", "", reason
    if {findings.weakest.direction(margin), direction} == {"more", "less"}:
        return "reverses", direction, ""
    if is_stable and direction_now == direction:
        return "settled", direction, ""
    return ("grows" if change.value * now.value > 0 else "shrinks"), direction, ""


def _families_agree(by_family: Sequence[tuple[float, float]], direction: str, margin: float) -> bool:
    """Return whether the direction is probable enough in each family of search."""
    for mean, deviation in by_family:
        above, below = ndtr((mean + margin) / deviation), ndtr((mean - margin) / deviation)
        chance = {"more": ndtr(mean / deviation), "less": ndtr(-mean / deviation), "none": above - below}[direction]
        if chance < (FAMILY_SURE if direction != "none" else 0.5):
            return False
    return True


@dataclass(frozen=True)
class SimultaneousLevel:
    """The error level of simultaneous intervals."""

    comparisons: float  # The equivalent number of independent comparisons
    alpha: float
    lines: float

    @classmethod
    def of(cls, draws: Floats, alpha: float, lines: float) -> SimultaneousLevel:
        """Return the level for numbers with these ``draws`` (draw x number)."""
        if not draws.shape[1]:
            return cls(1.0, alpha, lines)
        deviations = draws.std(axis=0)
        farthest = (np.abs(draws - draws.mean(axis=0)) / np.maximum(deviations, 1e-12)).max(axis=1)
        single = 2 * float(ndtr(-np.quantile(farthest, 1 - ALPHA)))
        return cls(max(1.0, math.log1p(-ALPHA) / math.log1p(-single)), alpha, lines)

    def at(self, alpha: float) -> SimultaneousLevel:
        """Return the level for the same numbers with another error."""
        return replace(self, alpha=alpha)

    @property
    def tail(self) -> float:
        """The two-sided error of each interval."""
        return -math.expm1(math.log1p(-self.alpha) / self.comparisons)

    @property
    def critical(self) -> float:
        """The critical value, in standard deviations."""
        return float(t_from_normal(-ndtri(self.tail / 2), self.lines))


WINDOW_DOUBLINGS = 3.4
"""The range of budgets that the line is fitted to, in doublings below the largest: a little over a factor 10."""
FUTURES = 120
TIMES = (2, 4, 8, 16, 64)
"""Factors by which forecasts multiply the games."""

MOST_LEFT = 0.9
"""The largest remaining share of the error for which more games are worth playing: above, players differ too much."""

RUNG_COLUMNS = [
    "ruleset", "measure", "compared", "nodes", "search", "evaluation", "players", "games", "value", "low", "high",
    "spread",
]  # fmt: skip
PLAYER_COLUMNS = [
    "ruleset", "player", "search", "training", "evaluation", "nodes", "measure", "compared", "games", "value", "low",
    "high",
]  # fmt: skip
VERDICT_COLUMNS = [
    "ruleset", "measure", "compared", "verdict", "direction", "reason", "nodes", "players", "searches", "now",
    "now_low", "now_high", "change", "change_low", "change_high", "next", "next_low", "next_high", "player_low",
    "player_high", "spread", "margin", "likely", "fairness", "likely_fairer", "more_games", "next_positions",
    "evaluations", "curvature", "curvature_low", "curvature_high",
]  # fmt: skip
EFFECT_COLUMNS = [
    "measure", "compared", "kind", "factor", "level", "reference", "factor2", "level2", "alone", "alone2", "verdict",
    "direction", "reason", "now", "now_low", "now_high", "change", "change_low", "change_high", "likely",
    "likely_fairer", "without", "more_games", "next_positions", "nodes", "rulesets", "evaluations",
]  # fmt: skip
RANK_COLUMNS = ["ruleset", "fairest", "loss", "distance"]


class StrongPlayTables(NamedTuple):
    """Tables about strong play; all are empty without self-play of searches by nodes."""

    players: pd.DataFrame  # Estimates for each player
    rungs: pd.DataFrame  # Estimates for the players of each budget: all together, by family, and by evaluation
    verdicts: pd.DataFrame
    effects: pd.DataFrame  # Effects of each rule change, where rulesets combine several
    ranks: pd.DataFrame
    """For each ruleset the probability of being the ``fairest``, the expected ``loss`` of choosing it (the distance of
    its score from one half, less that of the fairest), and the expected ``distance``."""


class StrongPlay:
    """The joint model of one measure under the rulesets of one game, and verdicts based on it."""

    def __init__(self, games: SearchGames, means: CellMeans, measure: str) -> None:
        """Fit the model to the ``means`` of a measure under the rulesets of one game."""
        self.games = games
        self.plan = games.plan
        self.measure = measure
        self.means = means
        self.near_top = means.nodes >= means.nodes.max() / 2**WINDOW_DOUBLINGS
        indices: list[int] = np.unique(means.ruleset[self.near_top]).tolist()
        self.modelled = [means.names[i] for i in indices]
        base = self.modelled.index(self.plan.baseline) if self.plan.baseline in self.modelled else 0
        self.factors = joint_model.rule_factors([self.plan.ruleset(name).settings for name in self.modelled], base)
        self.model = joint_model.JointModel(self._cells(indices), self.factors)
        self._forecasts: dict[float, list[tuple[Floats, Floats]]] = {}

    def _cells(self, indices: Sequence[int]) -> joint_model.CellEstimates:
        """Return the model's estimates in the cells near the largest budget, and count players and budgets."""
        means, near = self.means, np.flatnonzero(self.near_top)
        rungs = sorted(set(means.rung[near].tolist()))
        players = search_games.RungIndices.of([means.rungs[i] for i in rungs])
        self.searches, self.configurations = players.families, len(players.configurations)
        nodes = {means.rungs[i].nodes for i in rungs}
        self.most_nodes, self.budgets = max(nodes), len(nodes)
        self.doublings = math.log2(max(nodes) / min(nodes))
        units = [means.unit_variance[near][means.ruleset[near] == i].mean() for i in indices]
        ruleset, rung = np.searchsorted(indices, means.ruleset[near]), np.searchsorted(rungs, means.rung[near])
        return joint_model.CellEstimates(
            means.values[near], means.covariance[np.ix_(near, near)], ruleset, rung, 2 * np.sqrt(np.array(units)),
            players.configuration, players.family, players.doublings,
        )  # fmt: skip

    @cached_property
    def posterior(self) -> Posterior:
        """The posterior of the joint model."""
        return self.model.posterior()

    def forecasts(self, times: float) -> list[tuple[Floats, Floats]]:
        """Return the current mean of the answers, and their covariance with ``times`` as many games.

        There is one entry for each of a few draws of the standard deviations, which more games determine better.
        """
        if times not in self._forecasts:
            self._forecasts[times] = self.model.answer_moments(self.posterior.expected_squares(times), times)
        return self._forecasts[times]

    def contrast(self, name: str, baseline: str = "") -> Contrast:
        """Return the contrast for a ruleset's value, or for its difference from the baseline's."""
        level = self.posterior.level(self.modelled.index(name))
        return level - self.posterior.level(self.modelled.index(baseline)) if baseline else level

    def alpha(self, names: Sequence[str] = (), times: float = 1.0) -> float:
        """Return the error level for these rulesets (default: the mean ruleset) with ``times`` as many games.

        Interim analyses and earlier plans of the folder have already spent part of the error.
        """
        plan, played = self.plan, self.means.games
        alpha = ALPHA * error_share(plan.stage_number)
        if plan.verdict_analyses == 1 or not plan.games:
            return alpha
        chosen = np.isin(self.means.ruleset, [self.means.names.index(name) for name in names])
        games = times * (float(played[chosen].min()) if names else float(played.mean()))
        return 2 * float(ndtr(-interim_critical_value(games, plan.games, plan.verdict_analyses, alpha)))

    def simultaneous(self, contrasts: Sequence[Contrast]) -> SimultaneousLevel:
        """Return the level for the values ``now`` of contrasts."""
        return self.simultaneous_level(np.array([contrast.now for contrast in contrasts]).reshape(len(contrasts), -1))

    def simultaneous_level(self, weights: Floats) -> SimultaneousLevel:
        """Return the level for weighted sums of answers; ``weights`` has a row for each sum."""
        return SimultaneousLevel.of(self.posterior.draws @ weights.T, self.alpha(), self.means.lines)

    @cached_property
    def single(self) -> float:
        """The critical value of a pointwise interval."""
        return float(t_from_normal(Z, self.means.lines))

    def estimate(self, weights: Floats, critical: float, constant: float = 0.0) -> Estimate:
        """Return a weighted sum of answers plus a constant, with its interval."""
        draws = self.posterior.draws @ weights
        return Estimate.around(float(draws.mean()) + constant, critical * float(draws.std()))

    def verdict(
        self, contrast: Contrast, level: SimultaneousLevel, spread: float, constant: float = 0.0,
        weakest: Estimate | None = None, names: Sequence[str] = (), weights: Mapping[str, float] = MappingProxyType({}),
        bend: float = 0.0,
    ) -> dict[str, Any]:  # fmt: skip
        """Return the verdict on a contrast plus a ``constant``, with the estimates behind it.

        ``names`` are the rulesets involved (default: all), ``weights`` their weights in the contrast, ``spread`` is the
        standard deviation between players; see `Findings` for ``weakest`` and ``bend``.
        """
        draws = self.posterior.draws
        families = [draws @ weights + constant for weights in contrast.by_family]
        by_evaluation = self.evaluation_means(weights)
        findings = Findings(
            self.estimate(contrast.now, level.critical, constant),
            self.estimate(contrast.change, self.single),
            self.estimate(contrast.next, level.critical, constant),
            [(float(each.mean()), float(each.std())) for each in families] if len(self.searches) > 1 else [(0.0, 1.0)],
            weakest or Estimate(0.0, -math.inf, math.inf),
            self.budgets,
            [mean + constant for mean in by_evaluation.values()],
            bend,
        )
        margin = self.plan.margin
        verdict, direction, reason = judge(findings, margin)
        probability = float((self.posterior.shrunk @ contrast.now + constant > 0).mean())
        half_width = self.single * math.hypot(float((draws @ contrast.next).std()), spread)
        player = Estimate.around(findings.next.value, half_width)
        return {
            "verdict": verdict, "direction": direction, "reason": reason, "nodes": self.most_nodes,
            "players": self.configurations, "searches": len(self.searches),
            **findings.now.columns("now"), **findings.change.columns("change"), **findings.next.columns("next"),
            "player_low": player.low, "player_high": player.high, "spread": spread,
            "evaluations": "; ".join(f"{name}={mean + constant:.4f}" for name, mean in by_evaluation.items()),
            "margin": margin, "likely": probability,
            "more_games": self._more_games(contrast, findings, level, constant, names)
            if reason == "games" else math.nan,
        }  # fmt: skip

    def evaluation_means(self, weights: Mapping[str, float]) -> dict[str, float]:
        """Return a weighted sum of rulesets, averaged over the strongest players of each evaluation."""
        means, sums = self.means, dict[str, list[float]]()
        for index, rung in enumerate(means.rungs):
            cells = np.flatnonzero(means.rung == index)
            values = {means.names[means.ruleset[i]]: float(means.values[i]) for i in cells}
            if weights and rung.nodes == self.most_nodes and weights.keys() <= values.keys():
                weighted_sum = sum(weight * values[name] for name, weight in weights.items())
                sums.setdefault(rung.evaluation, []).append(weighted_sum)
        return {evaluation: float(np.mean(values)) for evaluation, values in sums.items()}

    def curvature(self, names: Sequence[str], critical: float) -> Estimate | None:
        """Return how much each doubling alters the change in a ruleset's value, or in the difference between two.

        It is the mean over families of least-squares fits to configurations with all budgets near the largest, or None
        with fewer than three budgets. Budgets of a configuration vary as in the joint model.
        """
        if self.budgets < 3:
            return None
        budgets = np.unique(self.means.nodes[self.near_top])
        columns = self.means.columns(*names)
        rungs_by_config: dict[Configuration, list[Rung]] = {}
        for rung in columns:
            if rung.nodes in budgets:
                rungs_by_config.setdefault(rung.config, []).append(rung)
        complete = [
            sorted(each, key=lambda rung: rung.nodes) for each in rungs_by_config.values() if len(each) == len(budgets)
        ]
        if not complete:
            return None
        slopes = 2 * np.linalg.pinv(np.vander(np.log2(budgets / budgets.max()), 3))[0]
        families = Counter(each[0].config[0] for each in complete)
        weights, variance = np.zeros(len(self.means.values)), 0.0
        player_variance = self.means.unit(names) ** 2 * len(names) * self.variance("ruleset by player")
        player_variance += self.variance("player") if len(names) == 1 else 0.0
        for rungs in complete:
            rung_weights = slopes / families[rungs[0].config[0]] / len(families)
            variance += float(rung_weights @ rung_weights) * player_variance
            for rung, weight in zip(rungs, rung_weights.tolist(), strict=True):
                for cell, sign in zip(columns[rung], (1, -1), strict=False):
                    weights[cell] += sign * weight
        value, game_variance = self.means.weighted(weights)
        return Estimate.around(value, critical * math.sqrt(game_variance + variance))

    def variance(self, *names: str) -> float:
        """Return the total variance of the named components, from the posterior means of their deviations."""
        return sum(self.posterior.deviations.get(name, 0.0) ** 2 for name in names)

    def player_spread(self, names: Sequence[str], families: bool = False) -> float:
        """Return the standard deviation of a ruleset's value, or of a difference, between players of the same strength.

        With ``families`` it is the deviation between players of all families of search instead of one.
        """
        family = ("family",) if families else ()
        variance = len(names) * self.means.unit(names) ** 2
        variance *= self.variance("ruleset by configuration", "ruleset by player", *family)
        if len(names) == 1:
            variance += self.variance("configuration", "player")
        if self.factors is not None:
            mains = [self.factors.mains[self.modelled.index(name)] for name in names if name in self.modelled]
            changes = mains[0] - mains[1] if len(mains) > 1 else sum(mains)
            variance += float(np.sum(np.square(changes))) * self.variance("rule by configuration", *family)
        return math.sqrt(variance)

    def error_left(self, contrast: Contrast, times: float) -> float:
        """Return the standard error of a contrast with ``times`` as many games, as a share of the current one."""
        current, future = (
            sum(float(contrast.now @ covariance @ contrast.now) for _, covariance in self.forecasts(factor))
            for factor in (1.0, times)
        )
        return math.sqrt(future / current)

    def _more_games(
        self, contrast: Contrast, current: Findings, level: SimultaneousLevel, constant: float, names: Sequence[str]
    ) -> float:
        """Return the smallest of `TIMES` that decides at least half of the simulated cases, or infinity if none does.

        With more games the estimates move as far as the current uncertainty allows; see the head of the module.
        """
        weights = np.array([contrast.now, contrast.change, contrast.next, *contrast.by_family])
        shift = np.array([constant, 0.0, constant, *[constant] * len(contrast.by_family)])
        moments = self.model.answer_moments(self.posterior.typical**2)
        moments_now = [(weights @ mean + shift, weights @ covariance @ weights.T) for mean, covariance in moments]
        random = np.random.default_rng(0)
        normal = random.standard_normal((len(moments_now), math.ceil(FUTURES / len(moments_now)), len(weights)))

        def decides(times: float) -> bool:
            critical = level.at(self.alpha(names, times)).critical
            settled: list[bool] = []
            for (mean, covariance), (_, answers), draws in zip(moments_now, self.forecasts(times), normal, strict=True):
                final_covariance = weights @ answers @ weights.T
                values, vectors = np.linalg.eigh(covariance - final_covariance)
                deviations = np.sqrt(np.diag(final_covariance))
                half_widths = (deviations[:3] * np.array([critical, self.single, critical])).tolist()
                for future in (mean + draws @ (vectors * np.sqrt(np.maximum(values, 0))).T).tolist():
                    value, change, following = map(Estimate.around, future[:3], half_widths)
                    findings = replace(
                        current, now=value, change=change, next=following, by_evaluation=(),
                        by_family=list(zip(future[3:], deviations[3:].tolist(), strict=True)),
                    )  # fmt: skip
                    settled.append(judge(findings, self.plan.margin)[0] != "not_settled")
            return sum(settled) >= len(settled) / 2

        return next((float(times) for times in TIMES if decides(times)), math.inf) if decides(TIMES[-1]) else math.inf


def strong_play_tables(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> StrongPlayTables:
    """Return all tables about strong play.

    ``compared`` rows are differences from the baseline; other rows are values of the ruleset itself (for the score, its
    distance above one half). ``likely`` is the probability that the number is above 0, ``likely_fairer`` that the
    proposal's score is nearer to one half than the baseline's. ``fairness`` of a verdict on the first seat's score is
    ``fairer``, ``less_fair`` or ``same`` than the baseline now and after one more doubling, or empty; reports only show
    it if the verdict is settled. Two more reasons prevent a settled verdict: ``capped_games`` (more of the strongest
    players' games than the margin have no result) and ``not_finished`` (games are missing). ``more_games`` is the
    factor for the number of games that would probably decide (inf: none), ``next_positions`` the number of positions
    that twice the largest budget would search in as many games. ``curvature`` is the amount by which a doubling alters
    ``change``, with a simultaneous interval; it is empty with fewer than three budgets near the largest.
    """
    games = SearchGames(trials, plan)
    players, rungs, ranks = list[list[object]](), list[list[object]](), list[list[object]]()
    verdicts, effects = list[dict[str, Any]](), list[dict[str, Any]]()
    by_game: dict[str, list[str]] = {}
    for ruleset in plan.rulesets if games.rungs else ():
        by_game.setdefault(ruleset.game, []).append(ruleset.name)
    for names in by_game.values():
        plays: dict[str, StrongPlay] = {}
        for measure in search_games.MEASURES:
            means = games.means(names, measure.name)
            if means is None:
                continue
            if measure is not DECISIVE_FIRST:
                play = plays[measure.name] = StrongPlay(games, means, measure.name)
                proposals = [name for name in plan.proposals if name in play.modelled]
                is_score = measure.name == FIRST_SCORE
                verdicts += verdict_rows(play, play.modelled) if is_score else []
                if proposals and plan.baseline in play.modelled:
                    verdicts += verdict_rows(play, proposals, plan.baseline)
                    effects += effect_rows(play)
                    ranks += rank_rows(play) if is_score else []
            # In decisive games players are assumed to differ as they do in the score.
            play = plays.get(measure.name, plays[FIRST_SCORE])
            for name in means.names:
                for baseline in ("", plan.baseline) if name in plan.proposals else ("",):
                    players += _player_rows(means, measure.name, name, baseline)
                    rungs += _rung_rows(means, measure.name, name, baseline, play)
    return StrongPlayTables(
        pd.DataFrame(players, columns=PLAYER_COLUMNS), pd.DataFrame(rungs, columns=RUNG_COLUMNS),
        pd.DataFrame(verdicts, columns=VERDICT_COLUMNS), pd.DataFrame(effects, columns=EFFECT_COLUMNS),
        pd.DataFrame(ranks, columns=RANK_COLUMNS),
    )  # fmt: skip


def _player_rows(means: CellMeans, measure: str, name: str, baseline: str) -> list[list[object]]:
    """Return each player's estimate for a ruleset, or for its difference from the baseline."""
    rows: list[list[object]] = []
    for rung, cells in means.columns(name, baseline).items():
        value, variance = means.contrast([cells])
        half_width = float(t_from_normal(Z, min(means.cell_lines[i] for i in cells))) * math.sqrt(variance)
        rows.append([
            name, rung.label, *rung.config[:2], rung.evaluation, rung.nodes, measure, bool(baseline),
            int(min(means.games[i] for i in cells)), value, value - half_width, value + half_width,
        ])  # fmt: skip
    return rows


def _rung_rows(means: CellMeans, measure: str, name: str, baseline: str, play: StrongPlay) -> list[list[object]]:
    """Return estimates for each budget, its families and its evaluations; ``play`` supplies the spread of players."""
    columns = means.columns(name, baseline)
    critical = float(t_from_normal(Z, means.lines))
    spread = play.player_spread([name, baseline] if baseline else [name])
    rows: list[list[object]] = []
    for nodes in sorted({rung.nodes for rung in columns}):
        rungs = {rung: cells for rung, cells in columns.items() if rung.nodes == nodes}
        searches = sorted({rung.config[0] for rung in rungs})
        groups = [("", ""), *[(search, "") for search in searches if len(searches) > 1]]
        groups += [("", evaluation) for evaluation in dict.fromkeys(rung.evaluation for rung in rungs)]
        for search, evaluation in groups:
            selected = [
                cells for rung, cells in rungs.items()
                if search in ("", rung.config[0]) and evaluation in ("", rung.evaluation)
            ]  # fmt: skip
            games = int(sum(min(means.games[i] for i in cells) for cells in selected))
            estimate = budget_estimate(means, selected, spread, critical)
            rows.append([
                name, measure, bool(baseline), nodes, search, evaluation, len(selected), games, *estimate, spread,
            ])  # fmt: skip
    return rows


def budget_estimate(means: CellMeans, cells: Sequence[Sequence[int]], spread: float, critical: float) -> Estimate:
    """Return the mean over players with an interval that includes their spread; see `CellMeans.contrast`."""
    value, variance = means.contrast(cells)
    return Estimate.around(value, critical * math.sqrt(variance + spread**2 / len(cells)))


def verdict_rows(play: StrongPlay, names: Sequence[str], baseline: str = "") -> list[dict[str, Any]]:
    """Return simultaneous verdicts on the side ahead under each ruleset, or on differences from the baseline."""
    level = play.simultaneous([play.contrast(name, baseline) for name in names])
    return [ruleset_verdict(play, name, baseline, level) for name in names]


def ruleset_verdict(
    play: StrongPlay, name: str, baseline: str = "", level: SimultaneousLevel | None = None
) -> dict[str, Any]:
    """Return a row of the verdict table; without a ``level`` its intervals are pointwise."""
    contrast = play.contrast(name, baseline)
    names = [name, baseline] if baseline else [name]
    level = (level or play.simultaneous([contrast])).at(play.alpha(names))
    constant = -0.5 if play.measure == FIRST_SCORE and not baseline else 0.0
    columns = play.means.columns(name, baseline)
    lowest = min(rung.nodes for rung in columns)
    cells = [player_cells for rung, player_cells in columns.items() if rung.nodes == lowest]
    weakest = budget_estimate(play.means, cells, play.player_spread(names), level.critical).plus(constant)
    row = {"ruleset": name, "measure": play.measure, "compared": bool(baseline)}
    weights = {name: 1.0} | ({baseline: -1.0} if baseline else {})
    curvature, bend = play.curvature(names, level.critical), 0.0
    if curvature is not None:
        row |= curvature.columns("curvature")
        # A least-squares line has the slope of the curve in the middle of the budgets.
        bend = curvature.value * (play.doublings + 1) / 2 if curvature.low * curvature.high > 0 else 0.0
    spread = play.player_spread(names, families=True)
    row |= play.verdict(contrast, level, spread, constant, weakest, names, weights, bend)
    fairness, probability = "", math.nan
    if baseline and play.measure == FIRST_SCORE:
        fairness, probability = _fairness(play, name, baseline, level)
    return row | {"fairness": fairness, "likely_fairer": probability} | _reservations(play, row, names)


def _reservations(play: StrongPlay, row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return ``next_positions``, and changes to the verdict if games are missing or too many have no result."""
    games = play.games
    strongest = [rung for rung in games.ruleset_rungs(names[0]) if rung.nodes == play.most_nodes]
    positions = 2 * sum(games.positions(name, rung) for name in names for rung in strongest)
    capped = max(games.unfinished_share(name, rung.label) for name in names for rung in strongest)
    reason = "capped_games" if capped > play.plan.margin and row["reason"] in ("", "games", "strength") else ""
    reason = reason if play.plan.finished else "not_finished"
    changes = {"verdict": "not_settled", "direction": "", "reason": reason} if reason else {}
    return {"next_positions": positions} | changes


def _fairness(play: StrongPlay, name: str, baseline: str, level: SimultaneousLevel) -> tuple[str, float]:
    """Return the verdict on a proposal's fairness, now and after a doubling, and the probability that it is fairer."""
    contrasts = play.contrast(baseline), play.contrast(name)

    def gains(draws: Floats, moment: str) -> Floats:
        before, after = (np.abs(draws @ getattr(contrast, moment) - 0.5) for contrast in contrasts)
        return np.asarray(before - after)

    directions = set()
    for moment in ("next", "now"):
        gain = gains(play.posterior.draws, moment)
        low, high = np.quantile(gain, [level.tail / 2, 1 - level.tail / 2])
        directions.add(Estimate(float(gain.mean()), float(low), float(high)).direction(play.plan.margin))
    direction = directions.pop() if len(directions) == 1 else ""
    probability = float((gains(play.posterior.shrunk, "now") > 0).mean())
    return {"more": "fairer", "less": "less_fair", "none": "same"}.get(direction, ""), probability


def contenders(play: StrongPlay) -> list[str]:
    """Return the ruleset most often the fairest, and those that may still be fairer by more than the margin.

    A challenger remains while the probability of this exceeds its share of the error, which is 5 % over all challengers
    and interim analyses.

    Source: a leader and its challengers, D. Russo, "Simple Bayesian Algorithms for Best-Arm Identification", Operations
    Research 68, 2020; elimination with an indifference zone, S.-H. Kim, B. L. Nelson, "A fully sequential procedure for
    indifference-zone selection in simulation", ACM Transactions on Modeling and Computer Simulation 11, 2001.
    """
    distance = _distances(play, play.posterior.draws)
    leader = int(np.bincount(distance.argmin(axis=1), minlength=len(play.modelled)).argmax())
    probabilities = (distance < distance[:, [leader]] - play.plan.margin).mean(axis=0)
    level = play.simultaneous([play.contrast(name) for name in play.modelled])
    threshold = level.at(ALPHA / max(1, play.plan.verdict_analyses)).tail
    order = sorted(range(len(play.modelled)), key=lambda i: i != leader)
    return [play.modelled[i] for i in order if i == leader or probabilities[i] > threshold]


def undecided_rulesets(play: StrongPlay) -> list[str]:
    """Return the rulesets that should get more games, including any baseline.

    For a question about the score these are the `contenders`, while there are several and games can separate them
    (`MOST_LEFT`); for all questions, the rulesets whose difference from the baseline is not settled for want of games
    but probably will be within the experiment's number of games; for the score, only the contenders among them.
    """
    base = play.plan.baseline
    proposals = [name for name in play.plan.proposals if name in play.modelled]
    if base not in play.modelled or not proposals:
        return []
    played = {name: float(play.means.games[play.means.ruleset == i].min()) for i, name in enumerate(play.means.names)}
    undecided = set()
    if play.measure == FIRST_SCORE:
        leader, *challengers = contenders(play)
        for name in challengers:
            contrast = play.contrast(name) - play.contrast(leader)
            if play.error_left(contrast, play.plan.games / played[name]) < MOST_LEFT:
                undecided |= {leader, name}
        proposals = [name for name in proposals if name in (leader, *challengers)]
    for row in verdict_rows(play, proposals, base):
        # Half of the forecast games may already decide.
        if row["reason"] == "games" and row["more_games"] / 2 * played[row["ruleset"]] < play.plan.games:
            undecided.add(row["ruleset"])
    return sorted(undecided | {base}) if undecided else []


def effect_rows(play: StrongPlay) -> list[dict[str, Any]]:
    """Return each rule change's effect over all combinations of the others, and the interactions of pairs."""
    factors = play.factors
    if factors is None:
        return []
    contrasts = [play.posterior.effect(i) for i in range(len(factors.columns))]
    ruleset_weights = np.linalg.pinv(np.column_stack([np.ones(len(factors.points)), factors.mains]))[1:]
    level = play.simultaneous(contrasts)
    spread = math.sqrt(play.variance("rule by configuration", "family"))
    rows = []

    def factor_columns(effect: int) -> dict[str, Any]:
        k, value = factors.columns[effect]
        return {"factor": factors.names[k], "level": factors.levels[k][value], "reference": factors.levels[k][0]}

    for i, contrast in enumerate(contrasts):
        weights = dict(zip(play.modelled, ruleset_weights[i].tolist(), strict=True))
        row = play.verdict(contrast, level, spread, weights=weights)
        row |= _reservations(play, row, play.modelled) | _effect_fairness(play, factors, i) | factor_columns(i)
        rows.append(row | {
            "measure": play.measure, "compared": True, "kind": "main", "rulesets": int(factors.has(i).sum()),
            "factor2": "", "level2": "", "alone": _single_change(play, factors, i), "alone2": "",
        })  # fmt: skip
    pairs = np.array([play.posterior.pair(j) for j in range(len(factors.pairs))]).reshape(len(factors.pairs), -1)
    level = play.simultaneous_level(pairs)
    for (a, b), answer_weights in zip(factors.pairs, pairs, strict=True):
        estimate, second = play.estimate(answer_weights, level.critical), factor_columns(b)
        direction = estimate.direction(play.plan.margin)
        rows.append(factor_columns(a) | estimate.columns("now") | {
            "measure": play.measure, "compared": True, "kind": "pair", "direction": direction,
            "reason": "" if direction else "games", "verdict": "settled" if direction else "not_settled",
            "likely": float((play.posterior.shrunk @ answer_weights > 0).mean()),
            "rulesets": int((factors.has(a) & factors.has(b)).sum()), "factor2": second["factor"],
            "level2": second["level"], "alone": _single_change(play, factors, a),
            "alone2": _single_change(play, factors, b),
        })  # fmt: skip
    return rows


def _effect_fairness(play: StrongPlay, factors: RuleFactors, effect: int) -> dict[str, Any]:
    """Return the mean score without a rule change, and the probability that it is nearer to one half with it."""
    without = factors.points[:, factors.columns[effect][0]] == 0
    names = [name for name, is_without in zip(play.modelled, without, strict=True) if is_without]
    score = play.posterior.shrunk @ np.mean([play.contrast(name).now for name in names], axis=0)
    changed = score + play.posterior.shrunk @ play.posterior.effect(effect).now
    probability = float((np.abs(changed - 0.5) < np.abs(score - 0.5)).mean())
    is_score = play.measure == FIRST_SCORE
    return {"without": float(score.mean()), "likely_fairer": probability if is_score else math.nan}


def _single_change(play: StrongPlay, factors: RuleFactors, effect: int) -> str:
    """Return the ruleset with a rule change and no other; "" if there is none."""
    single = factors.has(effect) & ((factors.points > 0).sum(axis=1) == 1)
    return next((name for name, is_single in zip(play.modelled, single, strict=True) if is_single), "")


def rank_rows(play: StrongPlay) -> list[list[object]]:
    """Return the rows of `StrongPlayTables.ranks`."""
    distance = _distances(play, play.posterior.shrunk)
    fairest = np.bincount(distance.argmin(axis=1), minlength=len(play.modelled)) / len(distance)
    loss = (distance - distance.min(axis=1, keepdims=True)).mean(axis=0)
    rows = zip(play.modelled, fairest.tolist(), loss.tolist(), distance.mean(axis=0).tolist(), strict=True)
    return [list(row) for row in rows]


def _distances(play: StrongPlay, draws: Floats) -> Floats:
    """Return the distance of the first seat's score from one half: draw x ruleset."""
    levels = np.column_stack([draws @ play.contrast(name).now for name in play.modelled])
    return np.asarray(np.abs(levels - 0.5))


LINE_SHARE = 0.1
"""The share of a game's variance due to lines under all rulesets, as estimated in Chatra, November 2026."""
DRAWS = 4_000


class HalfWidths(NamedTuple):
    """Mean half widths of simultaneous intervals, in shares."""

    proposals: float  # For the difference of a proposal from the baseline
    effects: float | None  # For the effect of a rule change, where rulesets combine several


def planned_half_widths(plan: AnalysisPlan) -> HalfWidths | None:
    """Return the expected half widths for a complete experiment; None without proposals or without searches by nodes.

    Limits: results near one half without draws, and players that differ as they did in Chatra and chess (`TYPICAL`).
    """
    rungs = [rung for first, _ in plan.mirrors if (rung := search_games.agent_rung(first, plan.agents.get(first)))]
    if not rungs or not plan.proposals or not plan.games:
        return None
    most = max(rung.nodes for rung in rungs)
    rungs = [rung for rung in rungs if rung.nodes >= most / 2**WINDOW_DOUBLINGS]
    names = [plan.baseline, *plan.proposals]
    players = search_games.RungIndices.of(rungs)
    cells = len(names) * len(rungs)
    samples_lines = isinstance(plan.experiment.openings, DrawnLines)
    share = LINE_SHARE if samples_lines else 0.0
    lines = min(plan.experiment.line_count, plan.games) if samples_lines else plan.games
    covariance = np.eye(cells) * 0.25 * (1 - share) / plan.games + 0.25 * share / lines
    estimates = joint_model.CellEstimates(
        np.full(cells, 0.5), covariance, np.repeat(np.arange(len(names)), len(rungs)),
        np.tile(np.arange(len(rungs)), len(names)), np.ones(len(names)), players.configuration, players.family,
        players.doublings,
    )  # fmt: skip
    model = joint_model.JointModel(estimates, joint_model.rule_factors([plan.ruleset(name).settings for name in names]))
    answers = model.covariance(joint_model.TYPICAL)
    now, effects = (answers[model.slices[name], model.slices[name]] for name in ("now", "effects"))
    change = np.eye(len(names))[1:] - np.eye(len(names))[0]
    return HalfWidths(_mean_half_width(change @ now @ change.T), _mean_half_width(effects) if len(effects) else None)


def _mean_half_width(covariance: Floats) -> float:
    """Return the mean half width of simultaneous intervals for estimates with this covariance."""
    values, vectors = np.linalg.eigh(covariance)
    normal = np.random.default_rng(0).standard_normal((DRAWS, len(values)))
    draws = normal @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    critical = SimultaneousLevel.of(draws, ALPHA * error_share(1), np.inf).critical
    return float(critical * np.sqrt(np.diag(covariance)).mean())
