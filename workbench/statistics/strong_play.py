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
what estimates have in common because they began with the same opening lines. Budgets within `WINDOW` doublings of the
largest one take part.

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

from workbench.questions.agents import AgentSpec
from workbench.statistics.clusters import clusters_of, widened
from workbench.statistics.comparisons import gain
from workbench.statistics.intervals import Floats, Range, Z
from workbench.statistics.plan import AnalysisPlan
from workbench.statistics.sequential import ALPHA, critical
from workbench.store.trials import CELL, Trials

WINDOW = 3.4
"""How many doublings below the largest budget a budget may lie and take part in the line: a little over a factor 10."""
SPREAD = 0.03
"""The scale of the priors of shares near one half: by about so much the same cell varied with temperature, parity and
training (measured in Chatra and chess: 3 to 4 points). Of rarer things it is less: the same in log-odds."""
_MIDDLES = (np.arange(14) + 0.5) / 14
SPREADS = np.sqrt(2 * _MIDDLES**2 / (1 - _MIDDLES**2))
"""Where the priors are evaluated, in units of `SPREAD`: in the middle of each fourteenth of them, so that all of these
weigh the same."""

MEASURES = ("first_score", "draw_rate", "decisive_first")
"""Of games that ended: the first seat's score, draws, and the first seat's share of the games that somebody won."""
RUNGS = [
    "ruleset", "measure", "compared", "nodes", "search", "players", "games", "value", "low", "high", "spread", "q",
    "q_p", "i2",
]  # fmt: skip
PLAYERS = [
    "ruleset", "player", "search", "training", "nodes", "measure", "compared", "games", "value", "low", "high",
]  # fmt: skip
VERDICTS = [
    "ruleset", "measure", "compared", "verdict", "direction", "reason", "nodes", "players", "searches", "now",
    "now_low", "now_high", "change", "change_low", "change_high", "next", "next_low", "next_high", "player_low",
    "player_high", "spread", "margin", "fairness", "more_games", "next_positions",
]  # fmt: skip

Config = tuple[str, int, tuple[Any, ...]]
"""The family of a search, its training (0: none), and its other settings."""


@dataclass(frozen=True)
class Rung:
    """A configuration at one budget."""

    config: Config
    nodes: int
    label: str


@dataclass(frozen=True)
class Normal:
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
        middle = self.value
        reach = float(np.abs(self.means - middle).max()) + (z + 3) * float(self.deviations.max()) + 1e-12

        def beyond(x: float, side: float) -> float:
            return float(self.weights @ ndtr(side * (x - self.means) / self.deviations)) - tail

        low = brentq(beyond, middle - reach, middle + reach, args=(1.0,), xtol=1e-7)
        high = brentq(beyond, middle - reach, middle + reach, args=(-1.0,), xtol=1e-7)
        return middle - self.stretch * (middle - low), middle + self.stretch * (high - middle)


@dataclass(frozen=True)
class Trend:
    """What the line near the strongest players says."""

    now: Normal
    change: Normal
    next: Normal
    player: Normal
    """What another configuration would say after one more doubling."""
    spread: float
    """How much configurations differ at one budget: the standard deviation of u_c + w_cn, its mean."""


def trend(
    values: Floats,
    covariance: Floats,
    configs: npt.NDArray[np.intp],
    doublings: Floats,
    lines: float = math.inf,
    scale: float = SPREAD,
) -> Trend:
    """The line through estimates of several configurations at several budgets; see the head of the module.

    ``doublings`` are those of each budget above the largest one (0 or less); with one budget alone the change is
    unknown, and comes out as a normal about 0 with ten times the ``scale``. ``lines`` are those that the games share.
    """
    n = len(values)
    same = (configs[:, None] == configs[None, :]).astype(np.float64)
    grid = scale * SPREADS
    # Where each configuration has one budget, its two effects are one.
    alone = len(set(configs.tolist())) == n
    of_config, of_rung = (each.ravel() for each in np.meshgrid(grid, grid[:1] * 0 if alone else grid, indexing="ij"))
    v = covariance + of_config[:, None, None] ** 2 * same + of_rung[:, None, None] ** 2 * np.eye(n)
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
    posterior = np.exp(log_weight - log_weight.max())
    posterior /= posterior.sum()
    stretch = float(widened(Z, lines)) / Z

    def told(contrast: Sequence[float], added: Floats | float = 0.0) -> Normal:
        c = np.asarray(contrast, dtype=np.float64)
        variance = np.einsum("p,gpq,q->g", c, cov, c) + added
        return Normal(means @ c, np.sqrt(np.maximum(variance, 1e-18)), posterior, stretch)

    between = of_config**2 + of_rung**2
    return Trend(
        told([1.0, 0.0]),
        told([0.0, 1.0]),
        told([1.0, 1.0]),
        told([1.0, 1.0], between),
        float(posterior @ np.sqrt(between)),
    )


class Strengths:
    """The games of an experiment's searches by nodes that play themselves."""

    def __init__(self, games: Trials | pd.DataFrame, plan: AnalysisPlan) -> None:
        self.plan = plan
        self.rungs = {
            first: rung for first, _ in plan.mirrors if (rung := _rung(first, plan.agents.get(first))) is not None
        }
        trials = Trials.of(games).games
        played = trials[(trials["first"] == trials["second"]) & trials["first"].isin(list(self.rungs))]
        self.clusters = clusters_of(played)
        self.kinds = int(self.clusters.max(initial=-1)) + 1 if self.clusters is not None else 0
        result = played["result"].to_numpy(dtype=object)
        first, draw, second = (result == word for word in ("first", "draw", "second"))
        ended = first | draw | second
        self._of = {
            "first_score": np.where(ended, first + 0.5 * draw, np.nan),
            "draw_rate": np.where(ended, draw, np.nan),
            "decisive_first": np.where(first | second, first, np.nan),
        }
        self._ended = ended
        self._plies = played["plies"].to_numpy(dtype=np.float64)
        self._rows = played.groupby(CELL[:2], sort=False, observed=True).indices
        self._known: dict[tuple[str, str, str], _Cell | None] = {}

    def of(self, ruleset: str) -> list[Rung]:
        """The rungs that were played under a ruleset; of players that play alike there, one."""
        refused = self.plan.refused.get(ruleset, frozenset())
        own = {(rung.config[0], rung.config[2], rung.nodes) for rung in self.rungs.values() if not rung.config[1]}
        return [
            rung
            for label, rung in self.rungs.items()
            if (ruleset, label) in self._rows
            and not (rung.config[1] in refused and (rung.config[0], rung.config[2], rung.nodes) in own)
        ]

    def cell(self, ruleset: str, label: str, measure: str) -> _Cell | None:
        """What a cell says of a measure; None without games that say something."""
        asked = ruleset, label, measure
        if asked not in self._known:
            rows = self._rows.get((ruleset, label), np.zeros(0, np.intp))
            values = self._of[measure][rows]
            there = ~np.isnan(values)
            n = int(there.sum())
            self._known[asked] = None
            if n:
                clusters = self.clusters[rows][there] if self.clusters is not None else None
                self._known[asked] = _Cell.of(values[there], clusters, self.kinds)
        return self._known[asked]

    def open_share(self, ruleset: str, label: str) -> float:
        """The share of a cell's games that have no result."""
        rows = self._rows.get((ruleset, label), np.zeros(0, np.intp))
        return float(1 - self._ended[rows].mean()) if len(rows) else 0.0

    def positions(self, ruleset: str, rung: Rung) -> float:
        """The positions that the searches of a cell's games looked at, at most."""
        rows = self._rows.get((ruleset, rung.label), np.zeros(0, np.intp))
        return float(self._plies[rows].sum()) * rung.nodes


@dataclass(frozen=True)
class _Cell:
    """The mean of a number over the games of a cell, with what each line adds to its error."""

    value: float
    games: int
    variance: float
    of_lines: Floats | None
    lines: npt.NDArray[np.bool_] | None
    """Which lines its games began with."""
    width: float
    """p (1 - p) of the share p that it is: a quarter near one half, little where it hardly ever happens."""

    @classmethod
    def of(cls, values: Floats, clusters: npt.NDArray[np.intp] | None, kinds: int) -> _Cell:
        n, mean = len(values), float(values.mean())
        # With one more game of either kind, so that what never happened is not taken to be impossible.
        variance = (float(((values - mean) ** 2).sum()) + mean**2 + (1 - mean) ** 2) / (n + 2) ** 2
        of_lines = lines = None
        if clusters is not None:
            of_lines = np.bincount(clusters, (values - mean) / n, kinds).astype(np.float64)
            lines = np.bincount(clusters, minlength=kinds) > 0
        share = (mean * n + 1) / (n + 2)
        return cls(mean, n, variance, of_lines, lines, share * (1 - share))


def _rung(label: str, agent: AgentSpec | None) -> Rung | None:
    """A search with a budget of nodes and no errors of its own; None for other players."""
    if agent is None or not agent.nodes or agent.depth or agent.epsilon or agent.style or agent.outside:
        return None
    others = (agent.temperature, agent.weights)
    return Rung((agent.kind, agent.training, others), agent.nodes, label)


@dataclass(frozen=True)
class Estimates:
    """Estimates of one number by several rungs, and how they hang together."""

    rungs: tuple[Rung, ...]
    values: Floats
    covariance: Floats
    games: Floats
    lines: float
    scale: float = SPREAD
    """That of the priors: how much players of one strength may be expected to differ."""

    def among(self, some: Sequence[int] | npt.NDArray[np.intp]) -> Estimates:
        """Those of some of the rungs."""
        at = np.asarray(some, dtype=np.intp)
        return replace(
            self,
            rungs=tuple(self.rungs[i] for i in at),
            values=self.values[at],
            covariance=self.covariance[np.ix_(at, at)],
            games=self.games[at],
        )

    @property
    def nodes(self) -> npt.NDArray[np.int64]:
        """The budget of each."""
        return np.array([rung.nodes for rung in self.rungs], dtype=np.int64)

    def near_top(self) -> Estimates:
        """Those within `WINDOW` of the largest budget."""
        return self.among(np.flatnonzero(np.log2(self.nodes.max() / self.nodes) <= WINDOW))

    def trend(self) -> Trend:
        """The line through them."""
        names = list(dict.fromkeys(rung.config for rung in self.rungs))
        configs = np.array([names.index(rung.config) for rung in self.rungs])
        doublings = np.log2(self.nodes / self.nodes.max())
        return trend(self.values, self.covariance, configs, doublings, self.lines, self.scale)

    def heterogeneity(self) -> tuple[float, float, float]:
        """Cochran's Q of the estimates, its p-value, and I²."""
        from scipy.stats import chi2

        inverse = np.linalg.inv(self.covariance)
        one = np.ones(len(self.values))
        mean = float(one @ inverse @ self.values) / float(one @ inverse @ one)
        off = self.values - mean
        q, df = float(off @ inverse @ off), len(self.values) - 1
        return q, float(chi2.sf(q, df)) if df else math.nan, max(0.0, 1 - df / q) if q > 0 and df else 0.0


def estimates(strengths: Strengths, measure: str, terms: Mapping[str, float], constant: float = 0.0) -> Estimates:
    """A sum of rulesets' values of a measure, rung by rung: ``terms`` are the rulesets with their factors."""
    shared = strengths.of(next(iter(terms)))
    for name in terms:
        labels = {rung.label for rung in strengths.of(name)}
        shared = [rung for rung in shared if rung.label in labels]
    kept, values, variances, games, sums, widths = [], [], [], [], [], []
    lines = np.zeros(strengths.kinds, dtype=np.bool_)
    for rung in shared:
        cells = [(factor, strengths.cell(name, rung.label, measure)) for name, factor in terms.items()]
        if any(cell is None for _, cell in cells):
            continue
        known = [(factor, cell) for factor, cell in cells if cell is not None]
        kept.append(rung)
        values.append(constant + sum(factor * cell.value for factor, cell in known))
        variances.append(sum(factor**2 * cell.variance for factor, cell in known))
        games.append(min(cell.games for _, cell in known))
        widths += [cell.width for _, cell in known]
        of_lines = [factor * cell.of_lines for factor, cell in known if cell.of_lines is not None]
        sums.append(np.sum(of_lines, axis=0) if of_lines else np.zeros(0))
        for _, cell in known:
            lines |= cell.lines if cell.lines is not None else False
    covariance = np.diag(variances) if variances else np.zeros((0, 0))
    played = math.inf
    if kept and strengths.clusters is not None:
        covariance, played = _of_lines(np.array(sums), np.array(variances), int(lines.sum()))
    scale = 2 * SPREAD * math.sqrt(float(np.mean(widths))) if widths else SPREAD
    return Estimates(tuple(kept), np.array(values), covariance, np.array(games, dtype=np.float64), played, scale)


def _of_lines(sums: Floats, variances: Floats, lines: int) -> tuple[Floats, float]:
    """The covariance of estimates that share lines, and how many lines count; ``sums`` are rungs by lines.

    What two estimates have in common is itself estimated: it is drawn towards 0 by the number of estimates to that of
    lines. A line that varies less than single games do is chance.
    """
    k = len(sums)
    raw = sums @ sums.T * (lines / max(1, lines - 1))
    spread = np.sqrt(np.maximum(np.diag(raw), 1e-300))
    alike = raw / spread[:, None] / spread[None, :] * (lines / (lines + k))
    np.fill_diagonal(alike, 1.0)
    deviations = np.sqrt(np.maximum(np.diag(raw), variances))
    return deviations[:, None] * alike * deviations[None, :], float(max(lines, 2))


def _side(low: float, high: float, margin: float) -> str:
    """``none`` (no farther from 0 than the margin), ``more``, ``less``, or nothing."""
    if -margin <= low and high <= margin:
        return "none"
    return "more" if low > 0 else "less" if high < 0 else ""


def judge(found: Estimates, margin: float, z: float = Z, ask_for_more: bool = True) -> dict[str, Any]:
    """The verdict about strong play of a difference from the baseline, with the numbers that it rests on.

    * ``settled``: one more doubling surely changes the difference by less than the margin, and it surely has a
      direction (``more``, ``less``), now and after that doubling, or is surely ``none`` (within the margin) now;
    * ``grows``, ``shrinks``: it surely changes, away from 0 or towards it; what the strongest say has a sure direction,
      which one more doubling keeps (what shrinks may come to be ``none``);
    * ``reverses``: the weakest players surely said the opposite of what the strongest say, now and after that doubling;
    * ``not_settled``, with a ``reason``: ``one_strength`` (fewer than two budgets near the largest), ``one_search``
      (one family of search alone), ``players`` (the two families contradict each other), ``games`` (more games of these
      players would tell), ``strength`` (it changes, and where to is not sure: stronger players must tell).

    ``z`` is the critical value of the direction; the change has its own interval of 95 %. ``ask_for_more``: whether to
    find out how many more games would tell.
    """
    top = found.near_top()
    said = top.trend()
    now, change, after = said.now.interval(z), said.change.interval(), said.next.interval(z)
    one_more = said.player.interval()
    direction, at_top = _side(*after, margin), _side(*now, margin)
    still = -margin <= change[0] and change[1] <= margin
    moves = change[0] > 0 or change[1] < 0
    if at_top == "none" and still and abs(said.next.value) <= margin:
        # What is too small to matter and hardly changes need not be extrapolated.
        direction = "none"
    earliest = found.among(np.flatnonzero(found.nodes == found.nodes.min())).trend().now.interval(z)
    before = _side(*earliest, margin)
    searches = sorted({rung.config[0] for rung in top.rungs})
    reason = ""
    if len(set(top.nodes.tolist())) < 2:
        reason = "one_strength"
    elif len(searches) < 2:
        reason = "one_search"
    elif _contradict(top, searches, margin):
        reason = "players"
    elif not direction or not (still or moves):
        # More games make the interval of the change as narrow as the players' spread allows.
        reason = "strength" if moves and at_top else "games"
    elif at_top != direction and not (moves and at_top and direction == "none"):
        # The direction would rest on the next doubling alone.
        reason = "strength" if moves else "games"
    verdict = "not_settled"
    if not reason:
        if {before, direction} == {"more", "less"}:
            verdict = "reverses"
        elif still and at_top == direction:
            verdict = "settled"
        else:
            verdict = "grows" if said.change.value * said.now.value > 0 else "shrinks"
    more_games = math.nan
    if reason == "games" and ask_for_more:
        more_games = _more_games(found, margin, z)
    return {
        "verdict": verdict, "direction": direction if verdict != "not_settled" else "", "reason": reason,
        "nodes": int(top.nodes.max()), "players": len({rung.config for rung in top.rungs}),
        "searches": len(searches),
        "now": said.now.value, "now_low": now[0], "now_high": now[1],
        "change": said.change.value, "change_low": change[0], "change_high": change[1],
        "next": said.next.value, "next_low": after[0], "next_high": after[1],
        "player_low": one_more[0], "player_high": one_more[1], "spread": said.spread, "margin": margin,
        "more_games": more_games,
    }  # fmt: skip


def _contradict(top: Estimates, searches: Sequence[str], margin: float) -> bool:
    """Whether two families of search surely differ by more than the margin at the largest budgets."""
    sides = []
    for search in searches:
        mine = [i for i, rung in enumerate(top.rungs) if rung.config[0] == search]
        said = top.among(mine).trend().now
        sides.append((said.value, said.interval()))
    for value, (low, high) in sides:
        for other, (other_low, other_high) in sides:
            apart = math.hypot(value - low, other_high - other)
            if (
                value - other - apart > 0
                and value - other > margin
                and _side(low, high, margin) != _side(other_low, other_high, margin)
            ):
                return True
    return False


def _more_games(found: Estimates, margin: float, z: float) -> float:
    """How many times as many games would tell, should these be typical; infinite if no number of games would."""
    for times in (2, 4, 8, 16, 64):
        thinner = replace(found, covariance=found.covariance / times)
        if judge(thinner, margin, z, ask_for_more=False)["verdict"] != "not_settled":
            return float(times)
    return math.inf


def strong_play(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """What players of growing strength say: of each player (`PLAYERS`), of each budget (`RUNGS`), and `VERDICTS`.

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
    strengths = Strengths(trials, plan)
    players: list[list[object]] = []
    rungs: list[list[object]] = []
    verdicts: list[dict[str, Any]] = []
    if strengths.rungs:
        z = critical(ALPHA / max(1, len(plan.proposals)))
        for measure in MEASURES:
            for name in plan.names:
                level = estimates(strengths, measure, {name: 1.0})
                _tell(level, name, measure, False, players, rungs)
                if measure == "first_score" and len(level.values):
                    even = replace(level, values=level.values - 0.5)
                    told = _verdict(strengths, even, (name,), measure, Z)
                    verdicts.append({"ruleset": name, "measure": measure, "compared": False} | told)
            for name in plan.proposals:
                both = estimates(strengths, measure, {name: 1.0, plan.baseline: -1.0})
                _tell(both, name, measure, True, players, rungs)
                if measure != "decisive_first" and len(both.values):
                    told = _verdict(strengths, both, (name, plan.baseline), measure, z)
                    verdicts.append({"ruleset": name, "measure": measure, "compared": True} | told)
    return (
        pd.DataFrame(players, columns=PLAYERS),
        pd.DataFrame(rungs, columns=RUNGS),
        pd.DataFrame(verdicts, columns=VERDICTS),
    )


def ruled(strengths: Strengths, found: Estimates, rulesets: Sequence[str], z: float = Z) -> dict[str, Any]:
    """`judge`, but nothing is settled where the strongest leave games open, or games are missing; and what more costs.

    ``found`` are estimates of a number of these ``rulesets``.
    """
    plan = strengths.plan
    told = judge(found, plan.margin, z)
    top = found.near_top()
    strongest = [rung for rung in top.rungs if rung.nodes == top.nodes.max()]
    capped = max(strengths.open_share(each, rung.label) for each in rulesets for rung in strongest)
    if capped > plan.margin and told["reason"] in ("", "games", "strength"):
        told |= {"verdict": "not_settled", "direction": "", "reason": "capped_games"}
    if not plan.finished:
        told |= {"verdict": "not_settled", "direction": "", "reason": "not_finished"}
    positions = sum(strengths.positions(each, rung) for each in rulesets for rung in strongest)
    return told | {"next_positions": 2 * positions}


def _verdict(strengths: Strengths, both: Estimates, rulesets: Sequence[str], measure: str, z: float) -> dict[str, Any]:
    """The verdict on a ruleset or on a proposal and its baseline, with what it means for fairness."""
    fairness = _fairness(strengths, rulesets[0], z) if measure == "first_score" and len(rulesets) > 1 else ""
    return ruled(strengths, both, rulesets, z) | {"fairness": fairness}


def _fairness(strengths: Strengths, name: str, z: float) -> str:
    """Whether a proposal is fairer than the baseline, now and after one more doubling; nothing where it is not sure."""
    base, margin = strengths.plan.baseline, strengths.plan.margin
    apart = estimates(strengths, "first_score", {base: 1.0, name: -1.0}).near_top().trend()
    added = estimates(strengths, "first_score", {base: 1.0, name: 1.0}, -1.0).near_top().trend()
    words = set()
    for one, other in ((apart.now, added.now), (apart.next, added.next)):
        ranges = []
        for said in (one, other):
            low, high = said.interval(z)
            value = np.array([said.value])
            ranges.append(Range(value, value, np.array([low]), np.array([high])))
        both = gain(*ranges)
        words.add(_side(float(both.low[0]), float(both.high[0]), margin))
    word = words.pop() if len(words) == 1 else ""
    return {"more": "fairer", "less": "less_fair", "none": "same"}.get(word, "")


def _tell(
    found: Estimates, name: str, measure: str, compared: bool, players: list[list[object]], rungs: list[list[object]]
) -> None:
    """Adds what each player says, and what each budget says: all families of search together, and each by itself."""
    for i, rung in enumerate(found.rungs):
        reach = float(widened(Z, found.lines)) * math.sqrt(found.covariance[i, i])
        value = float(found.values[i])
        players.append([
            name, rung.label, rung.config[0], rung.config[1], rung.nodes, measure, compared, int(found.games[i]), value,
            value - reach, value + reach,
        ])  # fmt: skip
    for nodes in sorted(set(found.nodes.tolist())):
        here = found.among(np.flatnonzero(found.nodes == nodes))
        searches = sorted({rung.config[0] for rung in here.rungs})
        for search in ("", *(searches if len(searches) > 1 else ())):
            mine = here.among([i for i, rung in enumerate(here.rungs) if search in ("", rung.config[0])])
            said = mine.trend()
            q, p, i2 = mine.heterogeneity()
            rungs.append([
                name, measure, compared, nodes, search, len(mine.rungs), int(mine.games.sum()), said.now.value,
                *said.now.interval(), said.spread, q, p, i2,
            ])  # fmt: skip
