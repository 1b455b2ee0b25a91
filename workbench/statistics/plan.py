"""The analysis plan: what an experiment asks, and by which designs, pairings and margins its records are judged.

It is made of the experiment where games are planned or played, and of ``provenance.json`` where a folder of records is
read (`AnalysisPlan.from_provenance`); both are equal, but for what only training tells.
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
from workbench.base.errors import InputError, Problem, expected
from workbench.base.language import tr
from workbench.experiments import measures
from workbench.experiments.experiment import Experiment
from workbench.experiments.experiment_files import DrawnLines
from workbench.experiments.measures import FAIRNESS, FIRST_SCORE, Measure
from workbench.players.agents import AgentSpec
from workbench.records.records import LINE
from workbench.records.trials import CellName, Trials
from workbench.rules.rulesets import Ruleset
from workbench.statistics.intervals import CLUSTER, Floats
from workbench.statistics.sequential import analysis_sizes, critical_value, error_share, interim_critical_value
from workbench.statistics.tables import BALANCED_WITHIN, Target, target_band

RANDOM = "random"
"""The kind of agent whose games are a yardstick."""


@dataclass(frozen=True)
class Stage:
    """The analyses up to one number of games, and the share of the error that they may spend."""

    share: float
    sizes: tuple[int, ...]
    """Games per cell, in equal steps; empty if all games there are are analysed once."""

    @property
    def analyses(self) -> int:
        """How often the stage is analysed at most."""
        return len(self.sizes) or 1


@dataclass(frozen=True)
class AnalysisPlan:
    """What the records of an experiment are judged by: the experiment, and what only its folder tells."""

    experiment: Experiment
    line_texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Ruleset -> the lines of its games as players write them, in the order of their numbers."""
    line_positions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Ruleset -> what tells the position after each of these lines from others, in whatever order it came about."""
    earlier_games: tuple[int, ...] = ()
    """Games per cell at which the folder was judged before ``games`` was raised, in ascending order."""
    opening_counts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Ruleset -> how many sequences of 1, 2, … moves its rules allow, as far as they were counted."""
    refused_trainings: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Ruleset -> trainings whose weights were not accepted: players of these play by the game's own weights. Known once
    they have been trained, so to provenance alone."""
    finished: bool = True
    """Whether all games are there that are wanted; verdicts of a run without interim analyses wait for that."""
    date: str = field(default="", compare=False)
    """The day on which the records were begun, as ``2026.11.25``; "" if that is not known, or nothing was played."""

    @classmethod
    def from_provenance(cls, provenance: Mapping[str, Any]) -> AnalysisPlan:
        """The plan of a report folder, from its ``provenance.json``.

        Raises:
            InputError: a file that a setting of a ruleset names, such as an army, cannot be read.
        """
        openings = provenance.get("openings", {})
        return cls(
            Experiment.from_provenance(provenance),
            {str(name): tuple(entry["lines"]) for name, entry in openings.items()},
            {str(name): tuple(entry["positions"]) for name, entry in openings.items()},
            tuple(provenance.get("earlier_games", ())),
            date=str(provenance.get("started") or "")[:10].replace("-", "."),
            refused_trainings={
                str(name): frozenset(str(key) for key, entry in of_ruleset.items() if not entry["accepted"])
                for name, of_ruleset in (provenance.get("learned") or {}).items()
                if not all(entry["accepted"] for entry in of_ruleset.values())
            },
        )

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """The rulesets of the experiment."""
        return self.experiment.rulesets

    @property
    def baseline(self) -> str:
        """The name of the ruleset that the others are compared with."""
        return self.experiment.baseline

    @property
    def games(self) -> int:
        """Per cell; the ceiling if cells may end earlier."""
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
        """The analyses of an experiment with ``until`` or ``precision``, the final one included."""
        return self.experiment.looks or 1

    @cached_property
    def margin(self) -> float:
        """The smallest difference in fairness that matters; scores surely within it of ½ are balanced."""
        given = self.experiment.margin if self.experiment.question == FIRST_SCORE else None
        return float(given or default_margin(self.experiment.targets))

    @property
    def question_margin(self) -> float | None:
        """The smallest difference that matters of another question's measure, if the experiment says it."""
        given = self.experiment.margin
        return float(given) if given and self.experiment.question != FIRST_SCORE else None

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
            choice = families.declaration(ruleset.game).player_choice if ruleset.game in installed else None
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

        Who chooses a stronger army proposes no rule: what such experiments say is in `player_choices`. Nor does another
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
        return measures.measure_of_question(self.experiment.question)

    @property
    def measure_columns(self) -> tuple[str, ...]:
        """The columns of records that measures are estimated from."""
        of_all = map(measures.measure_by_name, (*measures.compared_measures(), self.question_measure.name))
        return tuple(dict.fromkeys(column for one in of_all if one.of_games is None for column in one.columns))

    @property
    def primary_measures(self) -> tuple[str, ...]:
        """The measures whose comparisons are corrected together, that of the question first."""
        return tuple(dict.fromkeys((self.question_measure.name, *self.experiment.measures)))

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
        of_value = np.abs(baseline) if self.question_measure.relative else np.ones(len(baseline))
        return self.question_measure.margin * of_value

    @property
    def share_margin(self) -> float:
        """The smallest difference that matters where the question is about a score or a share."""
        of_measure = self.question_margin or self.question_measure.margin
        return self.margin if self.question_measure.name == FAIRNESS else of_measure

    @cached_property
    def yardsticks(self) -> frozenset[tuple[str, str]]:
        """The pairings that no verdict is about: random players on both seats, unless there are no others.

        Such games do not use what a rule offers. They are shown beside the others, and nothing is tested on them.
        """
        labels = set().union(*self.pairings)
        random = {label for label in labels if self.agents[label].kind == RANDOM}
        at_random = frozenset(pair for pair in self.pairings if random.issuperset(pair))
        return frozenset() if len(at_random) == len(set(self.pairings)) else at_random

    @property
    def mirrors(self) -> list[tuple[str, str]]:
        """The pairings of an agent with itself."""
        return [pairing for pairing in self.pairings if pairing[0] == pairing[1]]

    @property
    def verdict_analyses(self) -> int:
        """How often verdicts may be taken before all games are there, the end included: 1 without ``until``.

        An extension is judged once, when all of its games are there.
        """
        return self.analyses if self.experiment.until and not self.earlier_games else 1

    def strongest_pairing(self) -> tuple[str, str]:
        """The pairing that a report puts first: the last agent that plays itself, or else the last pairing tested."""
        tested = [pair for pair in self.pairings if pair not in self.yardsticks]
        return ([pair for pair in tested if pair[0] == pair[1]] or tested)[-1]

    @property
    def number(self) -> int:
        """Number of the present stage: 1, or more if ``games`` was raised after the folder had been judged."""
        return 1 + len(self.earlier_games)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """The analyses of comparisons up to each number of games that was asked for, the present one last.

        Where cells end apart by ``precision``, and where nobody said how many games there are to be, only all games
        together are analysed.
        """
        if not self.games or self.experiment.precision:
            return (Stage(error_share(self.number), ()),)
        first, *later = (*self.earlier_games, self.games)
        sizes = [analysis_sizes(first, self.analyses if self.experiment.until else 1), *([games] for games in later)]
        return tuple(Stage(error_share(number), tuple(each)) for number, each in enumerate(sizes, start=1))

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
        """The plan by which cells got so many games: this one, or that before ``games`` was raised."""
        number = sum(end < games for end in self.earlier_games)
        if number == len(self.earlier_games):
            return self
        experiment = replace(self.experiment, games=self.earlier_games[number])
        return replace(self, experiment=experiment, earlier_games=self.earlier_games[:number])

    def critical(self, games: int, alpha: float = 0.05) -> float:
        """The critical value of an interval of a cell with so many games.

        An extension has its `error_share` of the error in intervals, too; those of the first stage are plain ones.
        """
        if not self.games:
            return critical_value(alpha)
        if number := sum(end < games for end in self.earlier_games):
            return critical_value(alpha * error_share(number + 1))
        first, analyses = (*self.earlier_games, self.games)[0], self.analyses if self.experiment.until else 1
        return float(interim_critical_value(games, first, analyses, alpha))

    def score_band(self) -> tuple[float, float]:
        """The first seat's scores that count as fair: the target, or else ½ ± the margin."""
        target = self.experiment.targets.get(FIRST_SCORE)
        return target_band(target) if target is not None else (0.5 - self.margin, 0.5 + self.margin)

    def ruleset(self, name: str) -> Ruleset:
        """The ruleset of that name."""
        return next(ruleset for ruleset in self.rulesets if ruleset.name == name)


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
    """The records with the column `CLUSTER` where lines were drawn; lines that led to one position are one cluster."""
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
        codes = np.array([numbers.setdefault((game, each), len(numbers)) for each in positions], dtype=np.intp)
        of_ruleset = names == name
        clusters[of_ruleset] = codes[lines[of_ruleset]]
    return trials.assign(**{CLUSTER: clusters})


def with_added_numbers(trials: Trials | pd.DataFrame) -> Trials:
    """The records with a column for each measure that was added; NaN where a game has no number.

    Raises:
        InputError: some measures fail, or do not give a number for each game.
    """
    trials, columns, problems = Trials.of(trials), dict[str, Floats](), list[Problem]()
    missing = [one for one in measures.added_measures() if one.name not in trials.columns]
    records = trials.frame().reset_index(drop=True) if missing else trials.games
    for one in missing:
        try:
            columns[one.name] = _added_numbers(one, records.copy())
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            message = tr("the measure '{name}' failed: {error}", name=one.name, error=why)
            hint = tr("add it again, mended, or take it away: wb.remove_measure('{name}')", name=one.name)
            problems.append(Problem("", None, "", message, hint))
    if problems:
        raise InputError(problems)
    return trials.assign(**columns)


def _added_numbers(one: Measure, records: pd.DataFrame) -> Floats:
    """The number of each game by a measure; a series tells by its index of which games its numbers are."""
    index, numbers = records.index, one.of_games(records) if one.of_games else None
    if isinstance(numbers, pd.Series) and len(numbers):
        numbers = numbers.reindex(index).astype(np.float64) if numbers.index.isin(index).all() else None
    values = np.asarray(numbers, dtype=np.float64)
    if values.shape != index.shape:
        raise ValueError(expected(tr("a number for each of {count:,} games", count=len(index))))
    if np.isinf(values).any():
        raise ValueError(expected(tr("finite numbers, or NaN of games to leave out")))
    return values
