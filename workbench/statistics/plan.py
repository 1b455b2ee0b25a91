"""The analysis plan: what an experiment asks, and by which designs, pairings and margins its records are judged.

It is made of the experiment itself where games are planned or played (`AnalysisPlan.from_experiment`), and of
``provenance.json`` where a folder of records is read (`AnalysisPlan.from_provenance`); both are equal, but for
what only training tells.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from workbench import games as families
from workbench.questions import measures
from workbench.questions.agents import AgentSpec
from workbench.questions.experiment import Experiment
from workbench.questions.lines import DrawnLines, Lines
from workbench.questions.measures import FAIRNESS, FIRST_SCORE, Measure
from workbench.questions.rulesets import Ruleset
from workbench.statistics.clusters import CLUSTER
from workbench.statistics.intervals import Floats
from workbench.statistics.sequential import (
    Schedule,
    analysis_sizes,
    critical_value,
    error_share,
    interim_critical_value,
)
from workbench.statistics.verdicts import BALANCED_WITHIN, Target, target_band
from workbench.store.records import LINE
from workbench.store.trials import CellName, Trials

RANDOM = "random"
"""The kind of agent, and its label if it has no other, whose games are a yardstick."""


@dataclass(frozen=True)
class Design:
    """What an experiment asked for at some time, as far as its verdicts depend on it, and how far it was looked at.

    ``provenance.json`` lists the designs of a folder, the present one last (see `provenance.updated_designs`).
    """

    games: int
    until: str = ""
    analyses: int = 1
    question: str = FIRST_SCORE
    """The question, as experiment files call it."""
    margin: float = BALANCED_WITHIN
    question_margin: float | None = None
    """See `AnalysisPlan`."""
    measures: tuple[str, ...] = (FAIRNESS,)
    """Those that were corrected together, that of the question first."""
    precision: float | None = None
    baseline: str = ""
    rulesets: Mapping[str, str] = field(default_factory=dict)
    """Name -> fingerprint."""
    pairings: tuple[tuple[str, str], ...] = ()
    analysis_games: tuple[int, ...] = ()
    """Games per cell at the analyses that were made; none if nothing was judged before the design was changed."""
    final_games: Mapping[CellName, int] = field(default_factory=dict)
    """Games of each cell at the end of a design with ``precision``, whose cells end apart."""

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> Design:
        """The design of an entry of ``provenance.json``."""
        question = str(entry.get("question") or FIRST_SCORE)
        margin = _split_margin(question, entry.get("margin"), entry.get("targets") or {})
        return cls(
            games=int(entry["games"]),
            until=str(entry.get("until") or ""),
            analyses=int(entry.get("looks") or 1),
            question=question,
            margin=margin[0],
            question_margin=margin[1],
            measures=tuple(
                dict.fromkeys((measures.measure_of_question(question).name, *(entry.get("measures") or ())))
            ),
            precision=entry.get("precision"),
            baseline=str(entry.get("baseline") or ""),
            rulesets=dict(entry.get("rulesets") or {}),
            pairings=tuple((str(first), str(second)) for first, second in entry.get("pairings") or ()),
            analysis_games=tuple(int(size) for size in entry.get("taken") or ()),
            final_games={(str(a), str(b), str(c)): int(n) for a, b, c, n in entry.get("counts") or ()},
        )

    @property
    def identity(self) -> tuple[object, ...]:
        """The settings of which any difference makes it another design for a comparison."""
        return (
            self.games,
            self.until,
            self.analyses if self.until else 1,
            self.equivalence_claim,
            self.measures,
            self.precision,
        )

    @property
    def equivalence_claim(self) -> tuple[object, ...]:
        """What "no meaningful difference" says: of which measure, and how small."""
        return (self.question, self.margin if self.question == FIRST_SCORE else self.question_margin)

    def compares(self, cell: CellName, baseline: str, fingerprints: Mapping[str, str]) -> bool:
        """Whether the design compared the cell, by these rules, with that baseline."""
        name, *pairing = cell
        same_rules = all(self.rulesets.get(each) == fingerprints.get(each) for each in (name, baseline))
        return same_rules and self.baseline == baseline and tuple(pairing) in self.pairings


@dataclass(frozen=True)
class Stage:
    """The analyses of a comparison that belong to one design, and the share of the error that they may spend."""

    share: float
    sizes: tuple[int, ...]
    """Games per cell; empty if all games there are are analysed once."""
    equivalence_claim: tuple[object, ...]
    """See `Design.equivalence_claim`."""
    measures: tuple[str, ...]
    steps: int = 0
    """The number of analyses at equal steps; 0 if the steps are not equal."""

    @property
    def schedule(self) -> Schedule:
        """When the analyses are made, as `crossing_probability` takes it."""
        if self.steps or not self.sizes:
            return self.steps or 1
        return tuple(size / self.sizes[-1] for size in self.sizes)


@dataclass(frozen=True)
class AnalysisPlan:
    """What the records of an experiment are judged by."""

    rulesets: tuple[Ruleset, ...]
    pairings: tuple[tuple[str, str], ...]
    """The labels of the agents in the first and in the second seat."""
    baseline: str = ""
    games: int = 0
    """Per cell; the ceiling if cells may end earlier."""
    max_plies: int = 0
    targets: Mapping[str, Target] = field(default_factory=dict)
    question: str = FIRST_SCORE
    """What the verdicts are about, as experiment files call it."""
    margin: float = BALANCED_WITHIN
    """The smallest difference in fairness that matters; scores surely within it of ½ are balanced."""
    question_margin: float | None = None
    """The smallest difference that matters of another question's measure, if the experiment says it."""
    measures: tuple[str, ...] = ()
    """Those whose p-values are corrected together with those of the question's measure."""
    agents: Mapping[str, AgentSpec] = field(default_factory=dict)
    """Label -> agent; of a label that is not here, the label itself is taken for the kind of the agent."""
    until: str = ""
    precision: float | None = None
    analyses: int = 1
    """The analyses of an experiment with ``until`` or ``precision`` (its key ``looks``), the final one included."""
    factors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What `vary` varied: factor -> levels, the first one being the reference."""
    levels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Ruleset -> factor -> level, for the rulesets that `vary` made."""
    left_out: tuple[str, ...] = ()
    adjudicator: str = ""
    """The player that adjudicated games that reached the cap; empty where they stay unfinished."""
    threshold: float = 1.0
    """From which expected score on."""
    openings: Lines | None = None
    """How the games begin; None: as the players choose."""
    date: str = field(default="", compare=False)
    """The day on which the records were begun, as ``2026.11.25``; "" if that is not known, or nothing was played."""
    line_texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Ruleset -> the lines of its games as players write them, in the order of their numbers."""
    opening_counts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Ruleset -> how many sequences of 1, 2, … moves its rules allow, as far as they were counted."""
    designs: tuple[Design, ...] = ()
    """Earlier designs of the same folder, in their order; the present one may be among them."""
    refused_trainings: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Ruleset -> trainings whose weights were not accepted: players of these play by the game's own weights. Known once
    they have been trained, so to provenance alone."""
    finished: bool = True
    """Whether all games are there that are wanted; verdicts of a run without interim analyses wait for that."""

    @classmethod
    def from_experiment(
        cls,
        experiment: Experiment,
        designs: Sequence[Mapping[str, Any]] = (),
        lines: Mapping[str, tuple[str, ...]] | None = None,
    ) -> AnalysisPlan:
        """The plan of an experiment, before or while it is played.

        ``designs`` are those of the folder that it is played into, as ``provenance.json`` lists them; ``lines`` are
        those of its rulesets, where they are known.
        """
        margin, question_margin = _split_margin(experiment.question, experiment.margin, experiment.targets)
        pairings = dict.fromkeys((first.label, second.label) for first, second in experiment.pairings)
        return cls(
            rulesets=experiment.rulesets,
            pairings=tuple(pairings),
            baseline=experiment.baseline,
            games=experiment.games,
            max_plies=experiment.max_plies,
            targets=experiment.targets,
            question=experiment.question,
            margin=margin,
            question_margin=question_margin,
            measures=experiment.measures,
            agents={agent.label: agent for pairing in experiment.pairings for agent in pairing},
            until=experiment.until,
            precision=experiment.precision,
            analyses=experiment.looks or 1,
            factors=experiment.factors,
            levels={
                ruleset.name: experiment.levels[ruleset.name]
                for ruleset in experiment.rulesets
                if experiment.levels.get(ruleset.name)
            },
            left_out=experiment.left_out,
            adjudicator=experiment.judge.label if experiment.judge else "",
            threshold=experiment.adjudicate or 1.0,
            openings=experiment.openings,
            line_texts=lines or {},
            designs=tuple(Design.from_entry(entry) for entry in designs),
        )

    @classmethod
    def from_provenance(cls, provenance: Mapping[str, Any]) -> AnalysisPlan:
        """The plan of a report folder, from its ``provenance.json``; what an older one does not say has defaults.

        Raises:
            InputError: a file that a setting of a ruleset names, such as an army, cannot be read.
        """
        lines = {str(name): tuple(entry["lines"]) for name, entry in (provenance.get("openings") or {}).items()}
        plan = cls.from_experiment(Experiment.from_provenance(provenance), provenance.get("designs") or (), lines)
        return replace(
            plan,
            # The player that was the strongest when games were played.
            adjudicator=str((provenance["experiment"].get("capped") or {}).get("judge") or ""),
            date=str(provenance.get("started") or "")[:10].replace("-", "."),
            refused_trainings={
                str(name): frozenset(int(seed) for seed, entry in of_ruleset.items() if not entry["accepted"])
                for name, of_ruleset in (provenance.get("learned") or {}).items()
                if not all(entry["accepted"] for entry in of_ruleset.values())
            },
        )

    @property
    def names(self) -> list[str]:
        """The rulesets' names."""
        return [ruleset.name for ruleset in self.rulesets]

    @cached_property
    def player_choices(self) -> list[tuple[str, dict[str, tuple[str, str]]]]:
        """Groups of rulesets that differ in nothing but what each player chooses for himself, such as armies.

        For each group what is chosen, and by ruleset the choices of the first and of the second player. Both have at
        least two options. There are none where other rulesets stand beside them: then rules are compared.
        """
        installed = set(families.names())
        groups: dict[tuple[object, ...], dict[str, tuple[str, str]]] = {}
        for ruleset in self.rulesets:
            choice = families.declaration(ruleset.game).own if ruleset.game in installed else None
            if choice and set(choice.toggles) <= set(ruleset.settings):
                mine, theirs = (str(ruleset.settings[toggle]) for toggle in choice.toggles)
                others = [(name, str(value)) for name, value in ruleset.settings.items() if name not in choice.toggles]
                groups.setdefault((choice.name, *sorted(others)), {})[ruleset.name] = (mine, theirs)
        varied = [
            (str(what), options)
            for (what, *_), options in groups.items()
            if all(len(set(of_seat)) > 1 for of_seat in zip(*options.values(), strict=True))
        ]
        return varied if sum(len(options) for _, options in varied) == len(self.rulesets) else []

    @property
    def proposals(self) -> list[str]:
        """The other rulesets of the baseline's game; none without a baseline, or where the players' own choices vary.

        Who chooses a stronger army proposes no rule: what such experiments say is in `own_choices`. Nor does another
        game: it can be shown beside the baseline, as controls are, but to take it would be no change of a rule.
        """
        if self.player_choices or self.baseline not in self.names:
            return []
        game = self.ruleset(self.baseline).game
        return [each.name for each in self.rulesets if each.game == game and each.name != self.baseline]

    @property
    def cells(self) -> list[CellName]:
        """All cells, ruleset by ruleset."""
        return [(name, *pairing) for name in self.names for pairing in self.pairings]

    @cached_property
    def question_measure(self) -> Measure:
        """The measure that the verdicts are about."""
        return measures.measure_of_question(self.question)

    @property
    def measure_columns(self) -> tuple[str, ...]:
        """The columns of records that measures are estimated from."""
        of_all = map(measures.measure_by_name, (*measures.compared_measures(), self.question_measure.name))
        return tuple(dict.fromkeys(column for one in of_all if one.of_games is None for column in one.columns))

    @property
    def primary_measures(self) -> tuple[str, ...]:
        """The measures whose comparisons are corrected together, that of the question first."""
        return tuple(dict.fromkeys((self.question_measure.name, *self.measures)))

    @property
    def primary_comparisons(self) -> int:
        """How many comparisons answer the question, all corrected together: proposals, pairings and measures."""
        return len(self.proposals) * (len(self.pairings) - len(self.yardsticks)) * len(self.primary_measures)

    def question_margins(self, baseline: Floats) -> Floats:
        """The smallest differences of the question's measure that matter, where the baseline has these values."""
        if self.question_measure.name == FAIRNESS:
            return np.full(len(baseline), self.margin)
        if self.question_margin is not None:
            return np.full(len(baseline), self.question_margin)
        return self.question_measure.margin * (
            np.abs(baseline) if self.question_measure.relative else np.ones(len(baseline))
        )

    @property
    def share_margin(self) -> float:
        """The smallest difference that matters where the question is about a score or a share."""
        return (
            self.margin
            if self.question_measure.name == FAIRNESS
            else self.question_margin or self.question_measure.margin
        )

    @cached_property
    def yardsticks(self) -> frozenset[tuple[str, str]]:
        """The pairings that no verdict is about: random players on both seats, unless there are no others.

        Such games do not use what a rule offers. They are shown beside the others, and nothing is tested on them.
        """
        labels = set().union(*self.pairings)
        random = {label for label in labels if (self.agents[label].kind if label in self.agents else label) == RANDOM}
        at_random = frozenset(pair for pair in self.pairings if random.issuperset(pair))
        return frozenset() if len(at_random) == len(set(self.pairings)) else at_random

    @property
    def mirrors(self) -> list[tuple[str, str]]:
        """The pairings of an agent with itself."""
        return [pairing for pairing in self.pairings if pairing[0] == pairing[1]]

    @property
    def verdict_analyses(self) -> int:
        """How often verdicts were, or may be, taken while games were still played: 1 without ``until``."""
        return self.analyses if self.until else 1

    def strongest_pairing(self) -> tuple[str, str]:
        """The pairing that a report puts first: the last agent that plays itself, or else the last pairing.

        Players that are a yardstick come last of all.
        """
        tested = [pair for pair in self.pairings if pair not in self.yardsticks]
        return ([pair for pair in tested if pair[0] == pair[1]] or tested)[-1]

    @cached_property
    def current_design(self) -> Design:
        """The present design."""
        return Design(
            games=self.games,
            until=self.until,
            analyses=self.analyses,
            question=self.question,
            margin=self.margin,
            question_margin=self.question_margin,
            measures=self.primary_measures,
            precision=self.precision,
            baseline=self.baseline,
            rulesets={ruleset.name: ruleset.fingerprint for ruleset in self.rulesets},
            pairings=self.pairings,
        )

    def stages(self, cell: CellName) -> tuple[Stage, ...]:
        """The analyses of a proposal's cell, design by design, the present one last.

        Designs that did not have the comparison do not count, and the same design twice counts once. A design that
        was changed before anything was judged spent nothing.
        """
        fingerprints = self.current_design.rulesets
        analysed = [each for each in self.designs if each.analysis_games]
        designs = [each for each in analysed if each.compares(cell, self.baseline, fingerprints)]
        following = [*(each.identity for each in designs[1:]), self.current_design.identity]
        compared = (cell, (self.baseline, *cell[1:]))
        stages: list[Stage] = []
        last = 0
        for design, after in zip(designs, following[: len(designs)], strict=True):
            if design.identity != after:
                final_games = [design.final_games[each] for each in compared if each in design.final_games]
                stages.append(_stage_of_design(design, len(stages) + 1, last, min(final_games, default=None)))
                last = max(last, min(final_games, default=max(design.analysis_games)))
        stages.append(_stage_of_design(self.current_design, len(stages) + 1, last))
        return tuple(stages)

    @property
    def design_number(self) -> int:
        """Which design of the folder the present one is, among those that were analysed."""
        identities = [*(each.identity for each in self.designs if each.analysis_games), self.current_design.identity]
        return 1 + sum(one != other for one, other in itertools.pairwise(identities))

    @cached_property
    def interim_sizes(self) -> list[int]:
        """Games per cell at the analyses of an experiment with ``until`` or ``precision``, under all its designs."""
        sizes = set(analysis_sizes(self.games, self.analyses))
        if self.until:
            sizes |= {size for design in self.designs for size in design.analysis_games if size < self.games}
        return sorted(sizes)

    def critical(self, games: int, alpha: float = 0.05) -> float:
        """The critical value of an interval of a cell with so many games.

        An extension has its `error_share` of the error in intervals, too; those of the first design are plain ones.
        """
        if not self.games:
            return critical_value(alpha)
        ends = sorted({design.games for design in self.designs if design.analysis_games and design.games < self.games})
        number = 1 + sum(end < games for end in ends)
        alpha *= error_share(number) if number > 1 else 1.0
        ceiling = [*ends, self.games][number - 1]
        if self.verdict_analyses == 1:
            return critical_value(alpha)
        return float(interim_critical_value(games, ceiling, self.verdict_analyses, alpha))

    def score_band(self) -> tuple[float, float]:
        """The first seat's scores that count as fair: the target, or else ½ ± the margin."""
        target = self.targets.get("first_score")
        return target_band(target) if target is not None else (0.5 - self.margin, 0.5 + self.margin)

    def ruleset(self, name: str) -> Ruleset:
        """The ruleset of that name."""
        return next(ruleset for ruleset in self.rulesets if ruleset.name == name)


def _stage_of_design(design: Design, number: int, last: int, final_games: int | None = None) -> Stage:
    """The analyses of a design that come after ``last`` games; ``final_games``: where its precision was reached."""
    sizes: list[int] = []
    if final_games:
        sizes = [final_games]
    elif design.games and not design.precision:
        all_sizes = analysis_sizes(design.games, design.analyses if design.until else 1)
        # The question alone may have changed: then the games are analysed once more.
        sizes = [size for size in all_sizes if size > last] or [design.games]
    steps = design.analyses if design.until and len(sizes) == design.analyses else 0
    return Stage(error_share(number), tuple(sizes), design.equivalence_claim, design.measures, steps)


def _split_margin(question: str, margin: Any, targets: Mapping[str, Target]) -> tuple[float, float | None]:
    """The margin of fairness, and that of another question, of an experiment that gives this ``margin`` or none."""
    given = float(margin) if margin else None
    if question == FIRST_SCORE:
        return given or default_margin(targets), None
    return default_margin(targets), given


def default_margin(targets: Mapping[str, Target]) -> float:
    """The smallest difference that matters, if nobody said: half the width of the target for the first seat's score.

    >>> default_margin({"first_score": [0.48, 0.52]})
    0.02
    """
    target = targets.get("first_score")
    if isinstance(target, str) or not isinstance(target, Sequence):
        return BALANCED_WITHIN
    low, high = target_band(target)
    return round((high - low) / 2, 6) or BALANCED_WITHIN


def prepare_trials(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> Trials:
    """The records with the numbers of measures that were added, and the column `CLUSTER`, where lines were drawn."""
    trials = Trials.of(trials)
    if missing := [one for one in measures.added_measures() if one.name not in trials.columns]:
        frame = trials.frame()
        trials = trials.assign(**{one.name: np.asarray(one.of_games(frame), float) for one in missing if one.of_games})
    games = trials.games
    if CLUSTER in games or LINE.name not in games or not isinstance(plan.openings, DrawnLines):
        return trials
    numbers: dict[tuple[str, str], int] = {}
    clusters = np.full(len(trials), -1, dtype=np.intp)
    names = games["ruleset"].astype(str).to_numpy(dtype=object)
    lines = games[LINE.name].to_numpy(dtype=np.intp)
    for name, texts in plan.line_texts.items():
        game = plan.ruleset(name).game
        codes = np.array([numbers.setdefault((game, text), len(numbers)) for text in texts], dtype=np.intp)
        of_ruleset = names == name
        clusters[of_ruleset] = codes[lines[of_ruleset]]
    return trials.assign(**{CLUSTER: clusters})
