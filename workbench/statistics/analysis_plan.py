"""The analysis plan: what an experiment asks, and the designs, pairings and margins by which its records are judged.

It is made from the experiment where games are planned or played, and from ``provenance.json`` where a report folder is
read (`AnalysisPlan.from_provenance`); both are equal but for facts known only after training.

An experiment with ``until: decided`` is judged at a few interim analyses (its ``looks``), fixed in advance, at equal
steps up to its ceiling. Under no difference a statistic z(k), times √(k / K), is then a Brownian motion observed at K
times; the probability that it ever exceeds ±b is its `crossing_probability`. So its largest absolute value so far gives
a p-value that is valid at every analysis, and is corrected over many comparisons like any other.

Whoever sees an undecided result may raise the number of games and analyse again. So no stage spends the whole error:
the first has the share `error_share` (1), the first extension `error_share` (2), and so on without end. Divided by its
share, the p-value of each stage is valid for all of them, and the smallest one may be read at any time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from workbench import games as families
from workbench.base.errors import InputError, Problem, expected
from workbench.base.language import tr, trn
from workbench.experiments import measures
from workbench.experiments.experiment import Experiment
from workbench.experiments.experiment_files import DrawnLines
from workbench.experiments.measures import FAIRNESS, FIRST_SCORE, Measure
from workbench.players.agents import AgentSpec
from workbench.records.records import LINE
from workbench.records.trials import CellName, Trials
from workbench.rules.rulesets import Ruleset
from workbench.statistics.intervals import CLUSTER, CONFIDENCE, LARGEST_CRITICAL, Floats
from workbench.statistics.tables import BALANCED_WITHIN, Target, target_band

ALPHA = 1 - CONFIDENCE
POWER = 0.8
"""The required probability of finding a true difference."""
GRID_POINTS = 257
FIRST_SHARE, EXTENSION_SHARE = 0.8, 0.06
TYPICAL_CHANGE = 0.05
"""The prior standard deviation of the effect of a rule change on a score, for forecasts."""


def error_share(number: int) -> float:
    """Return the share of the error that a stage may spend, by its number from 1: 0.8, 0.06, 0.03, 0.015, and so on.

    Source: error spending over an open number of stages, by Boole's inequality. See P. Bauer, K. Köhne, "Evaluation of
    experiments with adaptive interim analyses", Biometrics 50, 1994, and M. A. Proschan, S. A. Hunsberger, "Designed
    extension of studies based on conditional power", Biometrics 51, 1995, for the cost of a careless extension.
    Limits: the shares add up to 0.92, because the size of an extension is chosen with knowledge of the results. If it
    is chosen in the worst way every time, a comparison reaches the whole error (found by dynamic programming, see the
    tests), and one of 42 comparisons, each with its part of the error, reaches 112 % of that part. But no size is the
    worst for all comparisons at once.
    """
    return FIRST_SHARE if number <= 1 else EXTENSION_SHARE / 2 ** (number - 2)


def analysis_sizes(games: int, analyses: int) -> list[int]:
    """Return the games per cell at each analysis: equal steps up to the ceiling."""
    return sorted({math.ceil(games * number / analyses) for number in range(1, analyses + 1)})


def crossing_probability(bound: npt.ArrayLike, analyses: int) -> Floats:
    """Return the probability that Brownian motion on [0, 1] exceeds ±``bound`` at one of ``analyses`` equal steps.

    For one analysis it is the two-sided p-value of the normal distribution.

    Source: the flat boundary on the scale of B is P. C. O'Brien, T. R. Fleming, "A multiple testing procedure for
    clinical trials", Biometrics 35, 1979; the integration from one analysis to the next is P. Armitage, C. K.
    McPherson, B. C. Rowe, "Repeated significance tests on accumulating data", JRSS A 132, 1969. For p-values that are
    valid at every analysis: C. Jennison, B. W. Turnbull, "Group Sequential Methods", 2000, section 8.4.
    Limits: analyses are fixed in advance, and the first has enough games for a normal distribution. The relative error
    is about 1e-6; the result is never below the probability for a single analysis at the end.
    """
    values = np.asarray(bound, dtype=np.float64)
    probabilities = np.array([_bound_crossing(float(b), analyses) for b in values.ravel()])
    return probabilities.reshape(values.shape)


@lru_cache(maxsize=65_536)
def _bound_crossing(b: float, analyses: int) -> float:
    if math.isnan(b):
        return math.nan
    if b <= 0:
        return 1.0
    if analyses == 1 or b >= LARGEST_CRITICAL:
        return float(2 * ndtr(-b))
    # Gauss-Legendre nodes between the boundaries: smooth integrands need few of them.
    nodes, weights = _quadrature_nodes()
    x, w = nodes * b, weights * b
    step = math.sqrt(1 / analyses)
    probability = float(2 * ndtr(-b / step))
    density = np.exp(-0.5 * (x / step) ** 2) / (step * math.sqrt(2 * math.pi))
    exit_probability = ndtr((x - b) / step) + ndtr((-x - b) / step)
    distance = (x[:, None] - x[None, :]) / step
    kernel = np.exp(-0.5 * distance**2) / (step * math.sqrt(2 * math.pi)) * w[None, :]
    for remaining in range(analyses - 1, 0, -1):
        probability += float(np.sum(w * density * exit_probability))
        if remaining > 1:
            density = kernel @ density
    return min(1.0, probability)


@lru_cache(maxsize=1)
def _quadrature_nodes() -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(GRID_POINTS)


@lru_cache(maxsize=4_096)
def critical_value(alpha: float = ALPHA, analyses: int = 1) -> float:
    """Return the bound with the `crossing_probability` ``alpha``; for one analysis, the usual critical value."""
    if analyses == 1:
        return float(ndtri(1 - alpha / 2))
    return float(brentq(lambda b: math.log(_bound_crossing(b, analyses) / alpha), 1e-3, 12.0, xtol=1e-9))


def interim_critical_value(games: npt.ArrayLike, ceiling: int, analyses: int, alpha: float = ALPHA) -> Floats:
    """Return the critical value after ``games`` of a cell with which all analyses together keep ``alpha``.

    Source: repeated confidence intervals, C. Jennison, B. W. Turnbull, JRSS B 51, 1989.
    Limits: see `crossing_probability`. Intervals at early analyses are wide.
    """
    share = np.clip(np.asarray(games, dtype=np.float64) / ceiling, 1 / analyses, 1.0)
    return np.asarray(critical_value(alpha, analyses) / np.sqrt(share), dtype=np.float64)


def games_for_precision(precision: float, variance: float = 0.25) -> int:
    """Return the games per cell for a score interval of ± ``precision``, given a game's ``variance``.

    The variance of a game without draws is 0.25; a share d of draws reduces it by d / 4.
    """
    return math.ceil(variance * (critical_value() / precision) ** 2)


def games_for_gain(
    gain: float, comparisons: int = 1, analyses: int = 1, variances: Sequence[float] = (0.25, 0.25)
) -> int:
    """Return the games per cell that find a gain in fairness with the probability `POWER`, over all ``comparisons``.

    n = (c + z)² (v₁ + v₂) / gain², where c is the critical value of the smallest p-value among ``comparisons``
    (Bonferroni, the first step of Holm) in a stage with its `error_share` of the error, and z the normal quantile of
    √`POWER`. The root covers the hardest case, a perfectly fair proposal, whose estimate strays to both sides, so that
    two tests must succeed at once.

    Limits: normal distributions. A proposal that is better, but not perfectly fair, needs up to a fifth less.
    """
    return math.ceil(sum(variances) * (_detectable_distance(comparisons, analyses, 1) / gain) ** 2)


def smallest_gain(
    games: int, comparisons: int = 1, analyses: int = 1, variances: Sequence[float] = (0.25, 0.25), stage: int = 1
) -> float:
    """Return the smallest gain that ``games`` per cell find with the probability `POWER`; see `games_for_gain`."""
    return _detectable_distance(comparisons, analyses, stage) * math.sqrt(sum(variances) / games)


def _detectable_distance(comparisons: int, analyses: int, stage: int) -> float:
    return _smallest_p_critical(comparisons, analyses, stage) + float(ndtri(math.sqrt(POWER)))


def _smallest_p_critical(comparisons: int, analyses: int, stage: int) -> float:
    """Return the critical value of the smallest p-value among ``comparisons``."""
    return critical_value(error_share(stage) * ALPHA / max(1, comparisons), analyses)


def games_for_equivalence(
    margin: float, comparisons: int = 1, analyses: int = 1, variances: Sequence[float] = (0.25, 0.25),
    power: float | None = None, stage: int = 1,
) -> int:  # fmt: skip
    """Return the games per cell that show equivalence to ± ``margin`` with a ``power`` if there is no difference.

    n = (c + z)² (v₁ + v₂) / margin², where c is the critical value of the smallest p-value among ``comparisons``, as in
    `games_for_gain`, and z the normal quantile of (1 + power) / 2, since the estimate must stray to neither side.
    Without ``power`` z is 0: with fewer games the verdict is out of reach, even for an observed difference of 0.

    Source: S.-C. Chow, J. Shao, H. Wang, "Sample Size Calculations in Clinical Research", 2008, section 3.2.3.
    Limits: normal distributions, at the last analysis. A true difference of half the margin takes four times as many
    games.
    """
    z = float(ndtri((1 + (power or 0.0)) / 2))
    return math.ceil(sum(variances) * ((_smallest_p_critical(comparisons, analyses, stage) + z) / margin) ** 2)


def decision_chance(
    least: Floats, most: Floats, error: Floats, times: Floats, separate: Floats, close: Floats, margin: Floats,
    typical: float | Floats = TYPICAL_CHANGE,
) -> Floats:  # fmt: skip
    """Return the probability that a comparison is decided once it has ``times`` as many games as now.

    ``least`` and ``most`` bound the current estimate of the difference, ``error`` is its standard error. The true
    difference is distributed as the estimate implies, shrunk towards 0 by a prior with the standard deviation
    ``typical``; the estimate after more games follows from that. It decides if it lies ``separate`` standard errors
    from 0, or with ``close`` standard errors to spare within ± ``margin`` (NaN: there is no such verdict).

    Source: predictive power, D. J. Spiegelhalter, L. S. Freedman, P. R. Blackburn, "Monitoring clinical trials:
    conditional or predictive power?", Controlled Clinical Trials 7, 1986.
    Limits: normal distributions, an unchanged share of capped games, one analysis. A gain in fairness whose scores lie
    within a standard error of ½ is found a little later than a difference of scores.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        shrinkage = typical**2 / (typical**2 + error**2)
        new_fraction = 1 - 1 / times
        # The mean and the standard deviation of the change of the estimate.
        shift = -new_fraction * (1 - shrinkage) * (least + most) / 2
        spread = np.maximum(
            new_fraction * np.sqrt(error**2 * shrinkage + error**2 / np.maximum(times - 1, 1e-12)), 1e-12
        )
        final_error = error / np.sqrt(times)
        upper_bound, lower_bound = separate * final_error - least, -separate * final_error - most
        low, high = close * final_error - margin - least, margin - close * final_error - most
        low, high = (np.where(np.isnan(limit) | ~(low < high), 0.0, limit) for limit in (low, high))

        def below(end: Floats) -> Floats:
            return np.asarray(ndtr((end - shift) / spread), dtype=np.float64)

        outside = below(lower_bound) + 1 - below(upper_bound)
        inside = np.maximum(below(np.minimum(high, upper_bound)) - below(np.maximum(low, lower_bound)), 0.0)
    return np.minimum(outside + inside, 1.0)


def times_to_decide(
    least: Floats, most: Floats, error: Floats, separate: Floats, close: Floats, margin: Floats,
    typical: float | Floats = TYPICAL_CHANGE, chance: float = POWER, last_analysis: float | Floats = 1.0,
) -> Floats:  # fmt: skip
    """Return the smallest factor on the games with a `decision_chance` of ``chance``; infinite if there is none.

    The critical values are those at the ``last_analysis``, a factor on the games; at a smaller factor f they are
    √(last_analysis / f) times as large (boundaries by O'Brien and Fleming). The result is up to 2 % too large.
    """
    factors = np.full(np.shape(least), np.inf)
    for factor_range in np.split(np.geomspace(1.02, 1e6, 700), 14):
        factor = factor_range[:, None]
        early = np.sqrt(np.maximum(last_analysis / factor, 1.0))
        enough = decision_chance(least, most, error, factor, early * separate, early * close, margin, typical) >= chance
        factors = np.minimum(factors, np.where(enough.any(axis=0), factor_range[np.argmax(enough, axis=0)], np.inf))
        if not np.isinf(factors).any():
            break
    return factors


@dataclass(frozen=True)
class PowerAnalysis:
    """The power of an experiment's comparisons; shares: 0.02 is two points."""

    games: int  # Per cell, at most
    comparisons: int  # The number of verdicts that are corrected together
    margin: float
    smallest_difference: float  # The smallest difference found with a probability of 80 %
    equivalence_games: int  # The fewest games per cell that can show equivalence, if no difference at all is observed
    likely_equivalence_games: int  # The games per cell that show equivalence with a probability of 80 %, if it is exact
    question: str = FIRST_SCORE  # As in experiment files

    def describe(self) -> list[str]:
        """Describe the power in sentences for the terminal."""
        claims = tr("Fairer, less fair")
        if self.question != FIRST_SCORE:
            claims = tr("More, less ({question})", question=self.question)
        if self.smallest_difference >= 0.5:
            differences = tr(
                "{words}: out of reach; with so few games, no difference can be detected, however large.", words=claims
            )
        else:
            differences = trn(
                "{words}: differences of at least {smallest_difference:.1f} points are detected (80 %).",
                "{words}: differences of at least {smallest_difference:.1f} points are detected (80 %), with "
                "{n} verdicts corrected together.",
                self.comparisons, words=claims, smallest_difference=100 * self.smallest_difference,
            )  # fmt: skip
        games = {"equivalence_games": self.equivalence_games, "likely_equivalence_games": self.likely_equivalence_games}
        if self.games < self.equivalence_games:
            none = tr(
                "out of reach; needs {equivalence_games:,} games per cell even if no difference at all is observed, "
                "and {likely_equivalence_games:,} for 80 % power (fewer with many draws, more if games are capped).",
                **games,
            )
        elif self.games < self.likely_equivalence_games:
            none = tr(
                "possible with at least {equivalence_games:,} games per cell, but unlikely; 80 % power takes "
                "{likely_equivalence_games:,}.",
                **games,
            )
        else:
            none = tr(
                "shown with 80 % power if there is none, because {games:,} games per cell are enough.", games=self.games
            )
        return [
            differences,
            tr("No difference that matters (margin: {margin:.3g} points): {none}", margin=100 * self.margin, none=none),
        ]


def power_analysis(
    games: int, comparisons: int, margin: float, analyses: int = 1, stage: int = 1, variance: float = 0.25,
    question: str = FIRST_SCORE,
) -> PowerAnalysis:  # fmt: skip
    """Return the power of ``games`` per cell for any players; ``stage`` 2 is the first extension.

    ``variance`` is that of a game's measure, at most ¼ for a score or a share. Draws reduce the variance of scores, so
    that smaller differences can be detected.

    Source: `smallest_gain`, `games_for_equivalence`.
    Limits: normal distributions; capped games are ignored, although they may hide a difference as large as their share.
    """
    design = comparisons, analyses, (variance, variance)
    return PowerAnalysis(
        games, comparisons, margin, smallest_gain(games, *design, stage=stage),
        games_for_equivalence(margin, *design, stage=stage), games_for_equivalence(margin, *design, POWER, stage),
        question,
    )  # fmt: skip


RANDOM = "random"
"""The kind of agent whose games are a yardstick."""


@dataclass(frozen=True)
class Stage:
    """The analyses up to one number of games, and their share of the error."""

    share: float
    sizes: tuple[int, ...]  # Games per cell, in equal steps; empty if there is one analysis of all games

    @property
    def analyses(self) -> int:
        """The largest number of analyses of the stage."""
        return len(self.sizes) or 1


@dataclass(frozen=True)
class AnalysisPlan:
    """The experiment by which records are judged, and facts found only in its folder."""

    experiment: Experiment
    line_texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Ruleset -> the lines of its games in notation, by line number."""
    line_positions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Ruleset -> a key of the position after each of these lines, whatever the order of moves."""
    earlier_games: tuple[int, ...] = ()
    """Games per cell at which the folder was judged before ``games`` was raised, in ascending order."""
    opening_counts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Ruleset -> the number of legal sequences of 1, 2, … moves, as far as they were counted."""
    refused_trainings: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Ruleset -> trainings whose weights were rejected: their players use hand-tuned weights. Only provenance has them,
    once they have been trained."""
    finished: bool = True
    """True if all planned games are played; verdicts of a run without interim analyses wait for that."""
    date: str = field(default="", compare=False)
    """The start date of the records, as ``2026.11.25``; "" if unknown, or if nothing was played."""

    @classmethod
    def from_provenance(cls, provenance: Mapping[str, Any]) -> AnalysisPlan:
        """Return the plan of a report folder, from its ``provenance.json``.

        Raises:
            InputError: a file named by a setting of a ruleset, such as an army, cannot be read.
        """
        openings = provenance.get("openings", {})
        return cls(
            Experiment.from_provenance(provenance),
            {str(name): tuple(entry["lines"]) for name, entry in openings.items()},
            {str(name): tuple(entry["positions"]) for name, entry in openings.items()},
            tuple(provenance.get("earlier_games", ())),
            date=str(provenance.get("started") or "")[:10].replace("-", "."),
            refused_trainings={
                str(name): frozenset(str(key) for key, entry in trainings.items() if not entry["accepted"])
                for name, trainings in (provenance.get("learned") or {}).items()
                if not all(entry["accepted"] for entry in trainings.values())
            },
        )

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """The rulesets of the experiment."""
        return self.experiment.rulesets

    @property
    def baseline(self) -> str:
        """The name of the baseline ruleset."""
        return self.experiment.baseline

    @property
    def games(self) -> int:
        """Games per cell; the ceiling if cells may end earlier."""
        return self.experiment.games

    @cached_property
    def pairings(self) -> tuple[tuple[str, str], ...]:
        """The labels of the agents in the first and in the second seat."""
        return tuple(dict.fromkeys((first.label, second.label) for first, second in self.experiment.pairings))

    @cached_property
    def agents(self) -> Mapping[str, AgentSpec]:
        """Label -> agent."""
        return {agent.label: agent for agent in self.experiment.players}

    @property
    def analyses(self) -> int:
        """The number of analyses with ``until`` or ``precision``, including the final one."""
        return self.experiment.looks or 1

    @cached_property
    def margin(self) -> float:
        """The smallest meaningful difference in fairness; scores surely within it of ½ are balanced."""
        margin = self.experiment.margin if self.experiment.question == FIRST_SCORE else None
        return float(margin or default_margin(self.experiment.targets))

    @property
    def question_margin(self) -> float | None:
        """The experiment's margin for a question other than fairness, if any."""
        margin = self.experiment.margin
        return float(margin) if margin and self.experiment.question != FIRST_SCORE else None

    @property
    def names(self) -> list[str]:
        """The rulesets' names."""
        return [ruleset.name for ruleset in self.rulesets]

    @cached_property
    def player_choices(self) -> list[tuple[str, dict[str, tuple[str, str]]]]:
        """Groups of rulesets that differ only in the players' own choices, such as armies.

        Each group has the name of the choice and, by ruleset, the options of the first and of the second player. Both
        have at least two options. There are no groups if a ruleset belongs to none, since rules are compared then.
        """
        installed = set(families.names())
        groups: dict[tuple[object, ...], dict[str, tuple[str, str]]] = {}
        for ruleset in self.rulesets:
            choice = families.declaration(ruleset.game).player_choice if ruleset.game in installed else None
            if choice and set(choice.toggles) <= set(ruleset.settings):
                first, second = (str(ruleset.settings[toggle]) for toggle in choice.toggles)
                others = [(name, str(value)) for name, value in ruleset.settings.items() if name not in choice.toggles]
                groups.setdefault((choice.name, *sorted(others)), {})[ruleset.name] = (first, second)
        varied = [
            (str(choice_name), options)
            for (choice_name, *_), options in groups.items()
            if all(len(set(seat_options)) > 1 for seat_options in zip(*options.values(), strict=True))
        ]
        return varied if sum(len(options) for _, options in varied) == len(self.rulesets) else []

    @property
    def proposals(self) -> list[str]:
        """The other rulesets of the baseline's game; empty without a baseline or if players' own choices vary.

        Neither a stronger army (see `player_choices`) nor another game, which may serve as a control, is a proposal.
        """
        if self.player_choices or self.baseline not in self.names:
            return []
        game = self.ruleset(self.baseline).game
        return [ruleset.name for ruleset in self.rulesets if ruleset.game == game and ruleset.name != self.baseline]

    @property
    def cells(self) -> list[CellName]:
        """All cells, ruleset by ruleset."""
        return [(name, *pairing) for name in self.names for pairing in self.pairings]

    @cached_property
    def question_measure(self) -> Measure:
        """The measure of the verdicts."""
        return measures.measure_for_question(self.experiment.question)

    @property
    def measure_columns(self) -> tuple[str, ...]:
        """The columns of records that measures are estimated from."""
        compared = map(measures.measure_by_name, (*measures.compared_measures(), self.question_measure.name))
        return tuple(dict.fromkeys(name for entry in compared if entry.of_games is None for name in entry.columns))

    @property
    def primary_measures(self) -> tuple[str, ...]:
        """The measures whose comparisons are corrected together, the question's first."""
        return tuple(dict.fromkeys((self.question_measure.name, *self.experiment.measures)))

    @property
    def primary_comparisons(self) -> int:
        """The number of comparisons that are corrected together: proposals times pairings times measures."""
        return len(self.proposals) * (len(self.pairings) - len(self.yardsticks)) * len(self.primary_measures)

    def question_margins(self, baseline: Floats) -> Floats:
        """Return the smallest meaningful differences of the question's measure from these ``baseline`` values."""
        if self.question_measure.name == FAIRNESS:
            return np.full(len(baseline), self.margin)
        if self.question_margin is not None:
            return np.full(len(baseline), self.question_margin)
        scale = np.abs(baseline) if self.question_measure.relative else np.ones(len(baseline))
        return self.question_measure.margin * scale

    @property
    def share_margin(self) -> float:
        """The smallest meaningful difference for a question about a score or a share."""
        default = self.question_margin or self.question_measure.margin
        return self.margin if self.question_measure.name == FAIRNESS else default

    @cached_property
    def yardsticks(self) -> frozenset[tuple[str, str]]:
        """Pairings without verdicts: random players in both seats, unless there are no others.

        Random players do not exploit the rules, so their games are shown for comparison but not tested.
        """
        labels = set().union(*self.pairings)
        random_labels = {label for label in labels if self.agents[label].kind == RANDOM}
        random_pairings = frozenset(pair for pair in self.pairings if random_labels.issuperset(pair))
        return frozenset() if len(random_pairings) == len(set(self.pairings)) else random_pairings

    @property
    def mirrors(self) -> list[tuple[str, str]]:
        """The pairings of an agent with itself."""
        return [pairing for pairing in self.pairings if pairing[0] == pairing[1]]

    @property
    def verdict_analyses(self) -> int:
        """The number of analyses with verdicts, including the last one: 1 without ``until``, and for extensions."""
        return self.analyses if self.experiment.until and not self.earlier_games else 1

    def strongest_pairing(self) -> tuple[str, str]:
        """Return the pairing that a report shows first: the last tested mirror, or else the last tested pairing."""
        tested = [pair for pair in self.pairings if pair not in self.yardsticks]
        return ([pair for pair in tested if pair[0] == pair[1]] or tested)[-1]

    @property
    def stage_number(self) -> int:
        """The number of the current stage: 1, or more if ``games`` was raised after the folder had been judged."""
        return 1 + len(self.earlier_games)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """The stages of comparisons, one for each planned number of games, the current one last.

        With ``precision``, or without a planned number, there is only one analysis of all games.
        """
        if not self.games or self.experiment.precision:
            return (Stage(error_share(self.stage_number), ()),)
        first, *later = (*self.earlier_games, self.games)
        sizes = [analysis_sizes(first, self.analyses if self.experiment.until else 1), *([games] for games in later)]
        return tuple(Stage(error_share(number), tuple(steps)) for number, steps in enumerate(sizes, start=1))

    @cached_property
    def interim_sizes(self) -> list[int]:
        """Games per cell at the analyses of an experiment with ``until`` or ``precision``."""
        ends = (*self.earlier_games, self.games)
        sizes = analysis_sizes(ends[0], self.analyses)
        for before, games in itertools.pairwise(ends):
            steps = self.analyses if self.experiment.precision else 1
            sizes += [size for size in analysis_sizes(games, steps) if size > before]
        return sizes

    def until_games(self, games: int) -> AnalysisPlan:
        """Return the plan in force at ``games`` per cell: this one, or one before ``games`` was raised."""
        number = sum(end < games for end in self.earlier_games)
        if number == len(self.earlier_games):
            return self
        experiment = replace(self.experiment, games=self.earlier_games[number])
        return replace(self, experiment=experiment, earlier_games=self.earlier_games[:number])

    def critical(self, games: int, alpha: float = 0.05) -> float:
        """Return the critical value for an interval in a cell with ``games``.

        Intervals of the first stage use the whole error, and those of an extension its `error_share`.
        """
        if not self.games:
            return critical_value(alpha)
        if number := sum(end < games for end in self.earlier_games):
            return critical_value(alpha * error_share(number + 1))
        first, analyses = (*self.earlier_games, self.games)[0], self.analyses if self.experiment.until else 1
        return float(interim_critical_value(games, first, analyses, alpha))

    def score_band(self) -> tuple[float, float]:
        """Return the fair scores of the first seat: the target, or else ½ ± the margin."""
        target = self.experiment.targets.get(FIRST_SCORE)
        return target_band(target) if target is not None else (0.5 - self.margin, 0.5 + self.margin)

    def ruleset(self, name: str) -> Ruleset:
        """Return the ruleset with this name."""
        return next(ruleset for ruleset in self.rulesets if ruleset.name == name)


def default_margin(targets: Mapping[str, Target]) -> float:
    """Return half the width of the target for the first seat's score, or `BALANCED_WITHIN` if there is none.

    >>> default_margin({"first_score": [0.48, 0.52]})
    0.02
    """
    target = targets.get("first_score")
    if isinstance(target, str) or not isinstance(target, Sequence):
        return BALANCED_WITHIN
    low, high = target_band(target)
    return round((high - low) / 2, 6) or BALANCED_WITHIN


def prepare_trials(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> Trials:
    """Return the records with the column `CLUSTER` if lines were drawn; lines to the same position are one cluster."""
    trials = Trials.of(trials)
    games = trials.games
    if CLUSTER in games or LINE.name not in games or not isinstance(plan.experiment.openings, DrawnLines):
        return trials
    numbers: dict[tuple[str, str], int] = {}
    clusters = np.full(len(trials), -1, dtype=np.intp)
    names = games["ruleset"].astype(str).to_numpy(dtype=object)
    lines = games[LINE.name].to_numpy(dtype=np.intp)
    for name, positions in (plan.line_positions or plan.line_texts).items():
        game = plan.ruleset(name).game
        codes = np.array([numbers.setdefault((game, key), len(numbers)) for key in positions], dtype=np.intp)
        in_ruleset = names == name
        clusters[in_ruleset] = codes[lines[in_ruleset]]
    return trials.assign(**{CLUSTER: clusters})


def with_added_numbers(trials: Trials | pd.DataFrame) -> Trials:
    """Return the records with a column for each added measure, NaN for games without a value.

    Raises:
        InputError: a measure fails, or does not return a number for each game.
    """
    trials, columns, problems = Trials.of(trials), dict[str, Floats](), list[Problem]()
    missing = [measure for measure in measures.added_measures() if measure.name not in trials.columns]
    records = trials.frame().reset_index(drop=True) if missing else trials.games
    for measure in missing:
        try:
            columns[measure.name] = _measure_games(measure, records.copy())
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            message = tr("the measure '{name}' failed: {error}", name=measure.name, error=reason)
            hint = tr("add a corrected version, or remove it: wb.remove_measure('{name}')", name=measure.name)
            problems.append(Problem("", None, "", message, hint))
    if problems:
        raise InputError(problems)
    return trials.assign(**columns)


def _measure_games(measure: Measure, records: pd.DataFrame) -> Floats:
    """Return each game's value of an added measure; its series may omit games."""
    index, numbers = records.index, measure.of_games(records) if measure.of_games else None
    if isinstance(numbers, pd.Series) and len(numbers):
        numbers = numbers.reindex(index).astype(np.float64) if numbers.index.isin(index).all() else None
    values = np.asarray(numbers, dtype=np.float64)
    if values.shape != index.shape:
        raise ValueError(expected(tr("one number for each of {count:,} games", count=len(index))))
    if np.isinf(values).any():
        raise ValueError(expected(tr("finite numbers, or NaN for games without one")))
    return values
