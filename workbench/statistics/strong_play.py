"""What stronger players would say: how scores change with the strength of the players, and whether they have settled.

Players here are searches with a budget of nodes that play themselves. A *configuration* is all of a player but its
budget: the family of its search, its evaluation, the training whose weights it has. The configurations of an experiment
are a sample of the players that one could have taken; so an answer about a rule must allow for how much they differ,
not for chance in games alone.

The model is one line near the strongest players. An estimate y of configuration c with n nodes (a score, or a
proposal's score less the baseline's of the same configuration and budget) is::

    y = now + change * log2(n / most nodes) + u_c + w_cn + error

``now`` is the value at the largest budget, ``change`` what each doubling of the nodes adds, ``next`` = now + change
what one more doubling would give; nothing is extrapolated beyond that. u_c (a configuration) and w_cn (a configuration
at one budget: parity, noise) are normal with standard deviations about which little is known beforehand: each has a
half-t prior (two degrees of freedom), and the answer is averaged over them. The errors are those of the games, with
what estimates have in common because they began with the same opening lines. Budgets within `WINDOW_DOUBLINGS`
doublings of the largest one take part.

Source: random effects of players, as of studies in a meta-analysis: J. P. T. Higgins, S. G. Thompson, D. J.
Spiegelhalter, "A re-evaluation of random-effects meta-analysis", J. of the Royal Statistical Society A 172, 2009 (the
prediction interval too); priors for few studies: C. Röver, R. Bender, S. Dias and others, "On weakly informative prior
distributions for the heterogeneity parameter in Bayesian random-effects meta-analysis", Research Synthesis Methods 12,
2021. Q and I²: W. G. Cochran, "The combination of estimates from different experiments", Biometrics 10, 1954; J. P. T.
Higgins, S. G. Thompson, "Quantifying heterogeneity in a meta-analysis", Statistics in Medicine 21, 2002. Clusters:
`workbench.statistics.clusters`.
Limits: strength is nodes, the same under all rulesets, and not skill: players learn some rules better than others.
Configurations have much in common (the features of the family, the engine's way of searching); what all of them get
wrong is not seen. There is no law by which an advantage grows with strength, and none is assumed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.questions import measures
from workbench.questions.agents import AgentSpec
from workbench.questions.measures import DECISIVE_FIRST, FINISHED, FIRST_SCORE, Measure
from workbench.statistics.clusters import clusters_of, t_from_normal
from workbench.statistics.comparisons import fairness_gain
from workbench.statistics.intervals import Floats, Range, Z
from workbench.statistics.plan import AnalysisPlan
from workbench.statistics.sequential import ALPHA, critical_value
from workbench.store.trials import CELL, Trials

WINDOW_DOUBLINGS = 3.4
"""How many doublings below the largest budget a budget may lie and take part in the line: a little over a factor 10."""
PRIOR_SCALE = 0.03
"""The scale of the priors of shares near one half: by about so much the same cell varied with temperature, parity and
training (measured in Chatra and chess: 3 to 4 points). Of rarer things it is less: the same in log-odds."""
_PRIOR_LEVELS = (np.arange(14) + 0.5) / 14
PRIOR_QUANTILES = np.sqrt(2 * _PRIOR_LEVELS**2 / (1 - _PRIOR_LEVELS**2))
"""Where the priors are evaluated, in units of `PRIOR_SCALE`: in the middle of each fourteenth of them, so that all of
these weigh the same."""

MEASURES = (measures.MEASURES[FIRST_SCORE], measures.MEASURES["draw_rate"], DECISIVE_FIRST)
"""What is estimated, of games that ended."""
RUNG_COLUMNS = [
    "ruleset", "measure", "compared", "nodes", "search", "players", "games", "value", "low", "high", "spread", "q",
    "q_p", "i2",
]  # fmt: skip
PLAYER_COLUMNS = [
    "ruleset", "player", "search", "training", "nodes", "measure", "compared", "games", "value", "low", "high",
]  # fmt: skip
VERDICT_COLUMNS = [
    "ruleset", "measure", "compared", "verdict", "direction", "reason", "nodes", "players", "searches", "now",
    "now_low", "now_high", "change", "change_low", "change_high", "next", "next_low", "next_high", "player_low",
    "player_high", "spread", "margin", "fairness", "more_games", "next_positions",
]  # fmt: skip

Configuration = tuple[str, int, tuple[Any, ...]]
"""The family of a search, its training (0: none), and its other settings."""


@dataclass(frozen=True)
class Rung:
    """A configuration at one budget."""

    config: Configuration
    nodes: int
    label: str


@dataclass(frozen=True)
class NormalMixture:
    """What is known of a number: the mixture of normal distributions over the spreads of players."""

    means: Floats
    deviations: Floats
    weights: Floats
    stretch: float = 1.0
    """How many times as far as the normal quantile an end lies: Student's t for few lines."""

    @property
    def value(self) -> float:
        """The mean."""
        return float(self.weights @ self.means)

    def interval(self, z: float = Z) -> tuple[float, float]:
        """The ends beyond which lies as much on either side as beyond ``z`` standard deviations of a normal."""
        from scipy.optimize import brentq
        from scipy.special import ndtr

        tail = float(ndtr(-z))
        mean = self.value
        reach = float(np.abs(self.means - mean).max()) + (z + 3) * float(self.deviations.max()) + 1e-12

        def tail_excess(x: float, side: float) -> float:
            return float(self.weights @ ndtr(side * (x - self.means) / self.deviations)) - tail

        low = brentq(tail_excess, mean - reach, mean + reach, args=(1.0,), xtol=1e-7)
        high = brentq(tail_excess, mean - reach, mean + reach, args=(-1.0,), xtol=1e-7)
        return mean - self.stretch * (mean - low), mean + self.stretch * (high - mean)


@dataclass(frozen=True)
class Trend:
    """What the line near the strongest players says."""

    now: NormalMixture
    change: NormalMixture
    next: NormalMixture
    predictive: NormalMixture
    """What another configuration would say after one more doubling."""
    heterogeneity: float
    """How much configurations differ at one budget: the standard deviation of u_c + w_cn, its mean."""


def fit_trend(
    values: Floats,
    covariance: Floats,
    configs: npt.NDArray[np.intp],
    doublings: Floats,
    lines: float = math.inf,
    scale: float = PRIOR_SCALE,
) -> Trend:
    """The line through estimates of several configurations at several budgets; see the head of the module.

    ``doublings`` are those of each budget above the largest one (0 or less); with one budget alone the change is
    unknown, and comes out as a normal about 0 with ten times the ``scale``. ``lines`` are those that the games share.
    """
    n = len(values)
    same_configuration = (configs[:, None] == configs[None, :]).astype(np.float64)
    grid = scale * PRIOR_QUANTILES
    # Where each configuration has one budget, its two effects are one.
    one_budget_each = len(set(configs.tolist())) == n
    of_config, of_rung = (
        each.ravel() for each in np.meshgrid(grid, grid[:1] * 0 if one_budget_each else grid, indexing="ij")
    )
    v = covariance + of_config[:, None, None] ** 2 * same_configuration + of_rung[:, None, None] ** 2 * np.eye(n)
    design = np.column_stack([np.ones(n), doublings])
    # A change of a doubling beyond ten times the spread is not looked for; without two budgets nothing else says it.
    prior_information = np.diag([0.0, (10 * scale) ** -2])
    inverse = np.linalg.inv(v)
    information = design.T @ inverse @ design + prior_information
    cov = np.linalg.inv(information)
    means = np.einsum("gpq,gqn,n->gp", cov, design.T @ inverse, values)
    residuals = values - means @ design.T
    fit = np.einsum("gn,gnm,gm->g", residuals, inverse, residuals)
    fit += (means[:, 1] / (10 * scale)) ** 2
    log_weight = -0.5 * (np.linalg.slogdet(v)[1] + np.linalg.slogdet(information)[1] + fit)
    posterior_weights = np.exp(log_weight - log_weight.max())
    posterior_weights /= posterior_weights.sum()
    stretch = float(t_from_normal(Z, lines)) / Z

    def posterior_of(contrast: Sequence[float], added: Floats | float = 0.0) -> NormalMixture:
        c = np.asarray(contrast, dtype=np.float64)
        variance = np.einsum("p,gpq,q->g", c, cov, c) + added
        return NormalMixture(means @ c, np.sqrt(np.maximum(variance, 1e-18)), posterior_weights, stretch)

    between_variance = of_config**2 + of_rung**2
    return Trend(
        posterior_of([1.0, 0.0]),
        posterior_of([0.0, 1.0]),
        posterior_of([1.0, 1.0]),
        posterior_of([1.0, 1.0], between_variance),
        float(posterior_weights @ np.sqrt(between_variance)),
    )


class SearchGames:
    """The games of an experiment's searches by nodes that play themselves."""

    def __init__(self, games: Trials | pd.DataFrame, plan: AnalysisPlan) -> None:
        self.plan = plan
        self.rungs = {
            first: rung for first, _ in plan.mirrors if (rung := _rung(first, plan.agents.get(first))) is not None
        }
        trials = Trials.of(games).games
        played = trials[(trials["first"] == trials["second"]) & trials["first"].isin(list(self.rungs))]
        self.clusters = clusters_of(played)
        self.cluster_count = int(self.clusters.max(initial=-1)) + 1 if self.clusters is not None else 0
        result = played["result"].to_numpy(dtype=object)
        self._values_by_measure = {one.name: _values(one, result) for one in MEASURES}
        self._is_finished = np.isin(result, FINISHED)
        self._plies = played["plies"].to_numpy(dtype=np.float64)
        self._rows = played.groupby(CELL[:2], sort=False, observed=True).indices
        self._cell_cache: dict[tuple[str, str, str], _CellMean | None] = {}

    def rungs_of(self, ruleset: str) -> list[Rung]:
        """The rungs that were played under a ruleset; of players that play alike there, one."""
        refused = self.plan.refused_trainings.get(ruleset, frozenset())
        untrained = {(rung.config[0], rung.config[2], rung.nodes) for rung in self.rungs.values() if not rung.config[1]}
        return [
            rung
            for label, rung in self.rungs.items()
            if (ruleset, label) in self._rows
            and not (rung.config[1] in refused and (rung.config[0], rung.config[2], rung.nodes) in untrained)
        ]

    def cell(self, ruleset: str, label: str, measure: str) -> _CellMean | None:
        """What a cell says of a measure; None without games that say something."""
        key = ruleset, label, measure
        if key not in self._cell_cache:
            rows = self._rows.get((ruleset, label), np.zeros(0, np.intp))
            values = self._values_by_measure[measure][rows]
            has_value = ~np.isnan(values)
            n = int(has_value.sum())
            self._cell_cache[key] = None
            if n:
                clusters = self.clusters[rows][has_value] if self.clusters is not None else None
                self._cell_cache[key] = _CellMean.from_values(values[has_value], clusters, self.cluster_count)
        return self._cell_cache[key]

    def unfinished_share(self, ruleset: str, label: str) -> float:
        """The share of a cell's games that have no result."""
        rows = self._rows.get((ruleset, label), np.zeros(0, np.intp))
        return float(1 - self._is_finished[rows].mean()) if len(rows) else 0.0

    def positions(self, ruleset: str, rung: Rung) -> float:
        """The positions that the searches of a cell's games looked at, at most."""
        rows = self._rows.get((ruleset, rung.label), np.zeros(0, np.intp))
        return float(self._plies[rows].sum()) * rung.nodes


def _values(measure: Measure, results: npt.NDArray[Any]) -> Floats:
    """What each game counts for a measure, by its result; NaN of games that do not count."""
    values = np.full(len(results), np.nan)
    for word in FINISHED:
        values[results == word] = measure.value_of(word)
    return values


@dataclass(frozen=True)
class _CellMean:
    """The mean of a number over the games of a cell, with what each line adds to its error."""

    value: float
    games: int
    variance: float
    line_sums: Floats | None
    lines_seen: npt.NDArray[np.bool_] | None
    """Which lines its games began with."""
    unit_variance: float
    """p (1 - p) of the share p that it is: a quarter near one half, little where it hardly ever happens."""

    @classmethod
    def from_values(cls, values: Floats, clusters: npt.NDArray[np.intp] | None, cluster_count: int) -> _CellMean:
        n, mean = len(values), float(values.mean())
        # With one more game of either kind, so that what never happened is not taken to be impossible.
        variance = (float(((values - mean) ** 2).sum()) + mean**2 + (1 - mean) ** 2) / (n + 2) ** 2
        line_sums = lines = None
        if clusters is not None:
            line_sums = np.bincount(clusters, (values - mean) / n, cluster_count).astype(np.float64)
            lines = np.bincount(clusters, minlength=cluster_count) > 0
        share = (mean * n + 1) / (n + 2)
        return cls(mean, n, variance, line_sums, lines, share * (1 - share))


def _rung(label: str, agent: AgentSpec | None) -> Rung | None:
    """A search with a budget of nodes and no errors of its own; None for other players."""
    if agent is None or not agent.nodes or agent.depth or agent.epsilon or agent.style or agent.outside:
        return None
    others = (agent.temperature, agent.weights)
    return Rung((agent.kind, agent.training, others), agent.nodes, label)


@dataclass(frozen=True)
class RungEstimates:
    """Estimates of one number by several rungs, and how they hang together."""

    rungs: tuple[Rung, ...]
    values: Floats
    covariance: Floats
    games: Floats
    lines: float
    scale: float = PRIOR_SCALE
    """That of the priors: how much players of one strength may be expected to differ."""

    def subset(self, indices: Sequence[int] | npt.NDArray[np.intp]) -> RungEstimates:
        """Those of some of the rungs."""
        selected = np.asarray(indices, dtype=np.intp)
        return replace(
            self,
            rungs=tuple(self.rungs[i] for i in selected),
            values=self.values[selected],
            covariance=self.covariance[np.ix_(selected, selected)],
            games=self.games[selected],
        )

    @property
    def nodes(self) -> npt.NDArray[np.int64]:
        """The budget of each."""
        return np.array([rung.nodes for rung in self.rungs], dtype=np.int64)

    def near_top(self) -> RungEstimates:
        """Those within `WINDOW_DOUBLINGS` of the largest budget."""
        return self.subset(np.flatnonzero(np.log2(self.nodes.max() / self.nodes) <= WINDOW_DOUBLINGS))

    def trend(self) -> Trend:
        """The line through them."""
        names = list(dict.fromkeys(rung.config for rung in self.rungs))
        configs = np.array([names.index(rung.config) for rung in self.rungs])
        doublings = np.log2(self.nodes / self.nodes.max())
        return fit_trend(self.values, self.covariance, configs, doublings, self.lines, self.scale)

    def heterogeneity(self) -> tuple[float, float, float]:
        """Cochran's Q of the estimates, its p-value, and I²."""
        from scipy.stats import chi2

        inverse = np.linalg.inv(self.covariance)
        unit = np.ones(len(self.values))
        mean = float(unit @ inverse @ self.values) / float(unit @ inverse @ unit)
        deviations = self.values - mean
        q, df = float(deviations @ inverse @ deviations), len(self.values) - 1
        return q, float(chi2.sf(q, df)) if df else math.nan, max(0.0, 1 - df / q) if q > 0 and df else 0.0


def rung_estimates(
    strengths: SearchGames, measure: str, terms: Mapping[str, float], constant: float = 0.0
) -> RungEstimates:
    """A sum of rulesets' values of a measure, rung by rung: ``terms`` are the rulesets with their factors."""
    common_rungs = strengths.rungs_of(next(iter(terms)))
    for name in terms:
        labels = {rung.label for rung in strengths.rungs_of(name)}
        common_rungs = [rung for rung in common_rungs if rung.label in labels]
    rungs, values, variances, games, sums, unit_variances = [], [], [], [], [], []
    lines = np.zeros(strengths.cluster_count, dtype=np.bool_)
    for rung in common_rungs:
        cells = [(factor, strengths.cell(name, rung.label, measure)) for name, factor in terms.items()]
        if any(cell is None for _, cell in cells):
            continue
        cell_means = [(factor, cell) for factor, cell in cells if cell is not None]
        rungs.append(rung)
        values.append(constant + sum(factor * cell.value for factor, cell in cell_means))
        variances.append(sum(factor**2 * cell.variance for factor, cell in cell_means))
        games.append(min(cell.games for _, cell in cell_means))
        unit_variances += [cell.unit_variance for _, cell in cell_means]
        line_sums = [factor * cell.line_sums for factor, cell in cell_means if cell.line_sums is not None]
        sums.append(np.sum(line_sums, axis=0) if line_sums else np.zeros(0))
        for _, cell in cell_means:
            lines |= cell.lines_seen if cell.lines_seen is not None else False
    covariance = np.diag(variances) if variances else np.zeros((0, 0))
    line_count = math.inf
    if rungs and strengths.clusters is not None:
        covariance, line_count = _line_covariance(np.array(sums), np.array(variances), int(lines.sum()))
    scale = 2 * PRIOR_SCALE * math.sqrt(float(np.mean(unit_variances))) if unit_variances else PRIOR_SCALE
    return RungEstimates(
        tuple(rungs), np.array(values), covariance, np.array(games, dtype=np.float64), line_count, scale
    )


def _line_covariance(sums: Floats, variances: Floats, lines: int) -> tuple[Floats, float]:
    """The covariance of estimates that share lines, and how many lines count; ``sums`` are rungs by lines.

    What two estimates have in common is itself estimated: it is drawn towards 0 by the number of estimates to that of
    lines. A line that varies less than single games do is chance.
    """
    k = len(sums)
    raw_covariance = sums @ sums.T * (lines / max(1, lines - 1))
    spread = np.sqrt(np.maximum(np.diag(raw_covariance), 1e-300))
    correlations = raw_covariance / spread[:, None] / spread[None, :] * (lines / (lines + k))
    np.fill_diagonal(correlations, 1.0)
    deviations = np.sqrt(np.maximum(np.diag(raw_covariance), variances))
    return deviations[:, None] * correlations * deviations[None, :], float(max(lines, 2))


def _direction(low: float, high: float, margin: float) -> str:
    """``none`` (no farther from 0 than the margin), ``more``, ``less``, or nothing."""
    if -margin <= low and high <= margin:
        return "none"
    return "more" if low > 0 else "less" if high < 0 else ""


def judge_strong_play(
    estimates: RungEstimates, margin: float, z: float = Z, with_more_games: bool = True
) -> dict[str, Any]:
    """The verdict about strong play of a difference from the baseline, with the numbers that it rests on.

    * ``settled``: one more doubling surely changes the difference by less than the margin, and it surely has a
      direction (``more``, ``less``), now and after that doubling, or is surely ``none`` (within the margin) now;
    * ``grows``, ``shrinks``: it surely changes, away from 0 or towards it; what the strongest say has a sure direction,
      which one more doubling keeps (what shrinks may come to be ``none``);
    * ``reverses``: the weakest players surely said the opposite of what the strongest say, now and after that doubling;
    * ``not_settled``, with a ``reason``: ``one_strength`` (fewer than two budgets near the largest), ``one_search``
      (one family of search alone), ``players`` (the two families contradict each other), ``games`` (more games of these
      players would tell), ``strength`` (it changes, and where to is not sure: stronger players must tell).

    ``z`` is the critical value of the direction; the change has its own interval of 95 %. ``with_more_games``: whether
    to find out how many more games would tell.
    """
    top = estimates.near_top()
    fitted = top.trend()
    now, change, next_interval = fitted.now.interval(z), fitted.change.interval(), fitted.next.interval(z)
    predictive_interval = fitted.predictive.interval()
    direction, direction_now = _direction(*next_interval, margin), _direction(*now, margin)
    is_stable = -margin <= change[0] and change[1] <= margin
    is_changing = change[0] > 0 or change[1] < 0
    if direction_now == "none" and is_stable and abs(fitted.next.value) <= margin:
        # What is too small to matter and hardly changes need not be extrapolated.
        direction = "none"
    weakest = estimates.subset(np.flatnonzero(estimates.nodes == estimates.nodes.min()))
    weakest_direction = _direction(*weakest.trend().now.interval(z), margin)
    searches = sorted({rung.config[0] for rung in top.rungs})
    reason = ""
    if len(set(top.nodes.tolist())) < 2:
        reason = "one_strength"
    elif len(searches) < 2:
        reason = "one_search"
    elif _searches_contradict(top, searches, margin):
        reason = "players"
    elif not direction or not (is_stable or is_changing):
        # More games make the interval of the change as narrow as the players' spread allows.
        reason = "strength" if is_changing and direction_now else "games"
    elif direction_now != direction and not (is_changing and direction_now and direction == "none"):
        # The direction would rest on the next doubling alone.
        reason = "strength" if is_changing else "games"
    verdict = "not_settled"
    if not reason:
        if {weakest_direction, direction} == {"more", "less"}:
            verdict = "reverses"
        elif is_stable and direction_now == direction:
            verdict = "settled"
        else:
            verdict = "grows" if fitted.change.value * fitted.now.value > 0 else "shrinks"
    more_games = math.nan
    if reason == "games" and with_more_games:
        more_games = _games_factor(estimates, margin, z)
    return {
        "verdict": verdict, "direction": direction if verdict != "not_settled" else "", "reason": reason,
        "nodes": int(top.nodes.max()), "players": len({rung.config for rung in top.rungs}),
        "searches": len(searches),
        "now": fitted.now.value, "now_low": now[0], "now_high": now[1],
        "change": fitted.change.value, "change_low": change[0], "change_high": change[1],
        "next": fitted.next.value, "next_low": next_interval[0], "next_high": next_interval[1],
        "player_low": predictive_interval[0], "player_high": predictive_interval[1],
        "spread": fitted.heterogeneity, "margin": margin, "more_games": more_games,
    }  # fmt: skip


def _searches_contradict(top: RungEstimates, searches: Sequence[str], margin: float) -> bool:
    """Whether two families of search surely differ by more than the margin at the largest budgets."""
    estimates = []
    for search in searches:
        indices = [i for i, rung in enumerate(top.rungs) if rung.config[0] == search]
        posterior = top.subset(indices).trend().now
        estimates.append((posterior.value, posterior.interval()))
    for value, (low, high) in estimates:
        for other, (other_low, other_high) in estimates:
            half_width = math.hypot(value - low, other_high - other)
            if (
                value - other - half_width > 0
                and value - other > margin
                and _direction(low, high, margin) != _direction(other_low, other_high, margin)
            ):
                return True
    return False


def _games_factor(estimates: RungEstimates, margin: float, z: float) -> float:
    """How many times as many games would tell, should these be typical; infinite if no number of games would."""
    for times in (2, 4, 8, 16, 64):
        with_more_games = replace(estimates, covariance=estimates.covariance / times)
        if judge_strong_play(with_more_games, margin, z, with_more_games=False)["verdict"] != "not_settled":
            return float(times)
    return math.inf


def strong_play_tables(
    trials: Trials | pd.DataFrame, plan: AnalysisPlan
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The estimates of each player and of each budget, and the verdicts about strong play: three tables.

    ``compared`` tells a difference from the baseline from a value of the ruleset itself, of whose score the verdict is
    about how far it is above one half. ``fairness`` of a verdict on
    the first seat's score is ``fairer``, ``less_fair`` or ``same`` than the baseline now and after one more doubling,
    or nothing. Two more reasons why nothing is settled: ``capped_games`` (of the strongest players' games more than the
    margin have no result), ``not_finished`` (games are still missing). ``more_games``: how many times as many games
    would probably tell (inf: none would); ``next_positions``: the positions that searches of twice the largest budget
    would look at in as many games.

    The direction of a difference is judged at the level of all proposals together (Bonferroni); a change by itself.
    Tables are empty where no search by nodes plays itself.
    """
    strengths = SearchGames(trials, plan)
    players: list[list[object]] = []
    rungs: list[list[object]] = []
    verdicts: list[dict[str, Any]] = []
    if strengths.rungs:
        z = critical_value(ALPHA / max(1, len(plan.proposals)))
        for one in MEASURES:
            measure = one.name
            for name in plan.names:
                level = rung_estimates(strengths, measure, {name: 1.0})
                _add_rows(level, name, measure, False, players, rungs)
                if one.is_score and len(level.values):
                    centred = replace(level, values=level.values - 0.5)
                    verdict = _verdict(strengths, centred, (name,), measure, Z)
                    verdicts.append({"ruleset": name, "measure": measure, "compared": False} | verdict)
            for name in plan.proposals:
                differences = rung_estimates(strengths, measure, {name: 1.0, plan.baseline: -1.0})
                _add_rows(differences, name, measure, True, players, rungs)
                if one is not DECISIVE_FIRST and len(differences.values):
                    verdict = _verdict(strengths, differences, (name, plan.baseline), measure, z)
                    verdicts.append({"ruleset": name, "measure": measure, "compared": True} | verdict)
    return (
        pd.DataFrame(players, columns=PLAYER_COLUMNS),
        pd.DataFrame(rungs, columns=RUNG_COLUMNS),
        pd.DataFrame(verdicts, columns=VERDICT_COLUMNS),
    )


def judge_with_reservations(
    strengths: SearchGames, estimates: RungEstimates, rulesets: Sequence[str], z: float = Z
) -> dict[str, Any]:
    """As `judge_strong_play`, but nothing is settled where the strongest players leave games open or games are missing.

    ``estimates`` are estimates of a number of these ``rulesets``. Adds ``next_positions``, what more strength would
    cost.
    """
    plan = strengths.plan
    verdict = judge_strong_play(estimates, plan.margin, z)
    top = estimates.near_top()
    strongest = [rung for rung in top.rungs if rung.nodes == top.nodes.max()]
    capped = max(strengths.unfinished_share(each, rung.label) for each in rulesets for rung in strongest)
    if capped > plan.margin and verdict["reason"] in ("", "games", "strength"):
        verdict |= {"verdict": "not_settled", "direction": "", "reason": "capped_games"}
    if not plan.finished:
        verdict |= {"verdict": "not_settled", "direction": "", "reason": "not_finished"}
    positions = sum(strengths.positions(each, rung) for each in rulesets for rung in strongest)
    return verdict | {"next_positions": 2 * positions}


def _verdict(
    strengths: SearchGames, estimates: RungEstimates, rulesets: Sequence[str], measure: str, z: float
) -> dict[str, Any]:
    """The verdict on a ruleset or on a proposal and its baseline, with what it means for fairness."""
    fairness = _fairness(strengths, rulesets[0], z) if measure == FIRST_SCORE and len(rulesets) > 1 else ""
    return judge_with_reservations(strengths, estimates, rulesets, z) | {"fairness": fairness}


def _fairness(strengths: SearchGames, name: str, z: float) -> str:
    """Whether a proposal is fairer than the baseline, now and after one more doubling; nothing where it is not sure."""
    base, margin = strengths.plan.baseline, strengths.plan.margin
    difference = rung_estimates(strengths, FIRST_SCORE, {base: 1.0, name: -1.0}).near_top().trend()
    total = rung_estimates(strengths, FIRST_SCORE, {base: 1.0, name: 1.0}, -1.0).near_top().trend()
    words = set()
    for of_difference, of_sum in ((difference.now, total.now), (difference.next, total.next)):
        ranges = []
        for posterior in (of_difference, of_sum):
            low, high = posterior.interval(z)
            value = np.array([posterior.value])
            ranges.append(Range(value, value, np.array([low]), np.array([high])))
        gain = fairness_gain(*ranges)
        words.add(_direction(float(gain.low[0]), float(gain.high[0]), margin))
    word = words.pop() if len(words) == 1 else ""
    return {"more": "fairer", "less": "less_fair", "none": "same"}.get(word, "")


def _add_rows(
    estimates: RungEstimates, name: str, measure: str, compared: bool,
    players: list[list[object]], rungs: list[list[object]],
) -> None:  # fmt: skip
    """Adds what each player says, and what each budget says: all families of search together, and each by itself."""
    for i, rung in enumerate(estimates.rungs):
        half_width = float(t_from_normal(Z, estimates.lines)) * math.sqrt(estimates.covariance[i, i])
        value = float(estimates.values[i])
        players.append([
            name, rung.label, rung.config[0], rung.config[1], rung.nodes, measure, compared, int(estimates.games[i]),
            value, value - half_width, value + half_width,
        ])  # fmt: skip
    for nodes in sorted(set(estimates.nodes.tolist())):
        of_budget = estimates.subset(np.flatnonzero(estimates.nodes == nodes))
        searches = sorted({rung.config[0] for rung in of_budget.rungs})
        for search in ("", *(searches if len(searches) > 1 else ())):
            indices = [i for i, rung in enumerate(of_budget.rungs) if search in ("", rung.config[0])]
            of_search = of_budget.subset(indices)
            fitted = of_search.trend()
            q, p, i2 = of_search.heterogeneity()
            rungs.append([
                name, measure, compared, nodes, search, len(of_search.rungs), int(of_search.games.sum()),
                fitted.now.value, *fitted.now.interval(), fitted.heterogeneity, q, p, i2,
            ])  # fmt: skip
