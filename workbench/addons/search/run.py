"""Plays a search for rulesets: round after round, each an experiment of its own, and then the finalists once more.

The folder of a search, ``reports/searches/<name>``, holds ``search.json`` (what was asked, and how far it is),
``rounds/01``… (the games of each round, as `workbench.runs.runner` keeps them) and, for every ruleset, what is known of
it. What is played next follows from the games on disk and the seed alone: a search that was stopped in any way goes on
where it was, and has the same games for any number of workers.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from workbench import games
from workbench.addons.search.neighbours import Neighbour, neighbours
from workbench.addons.search.question import (
    CANDIDATES,
    EFFECTS,
    EXTRAS_FILE,
    Candidates,
    RuleSearch,
    kept_search,
    list_candidates,
    search_folder,
)
from workbench.addons.search.statistics import (
    DRAWS,
    RACE,
    RACING,
    ROUNDS,
    SAMPLE,
    SIEVE,
    Allocation,
    Budget,
    FreshEstimates,
    Observations,
    Request,
    Space,
    compare_finalists,
    estimate_fresh,
    goal_of,
    judge_band,
    measured_values,
    observed_sums,
    search_verdict,
)
from workbench.base import output
from workbench.base.errors import display_path, input_error
from workbench.base.language import LANGUAGES, in_all, tr, translated
from workbench.base.project import BEYOND, CONFIRMED, SEARCH, Project
from workbench.experiments.design import Point
from workbench.experiments.experiment import Cell, Experiment, splitmix
from workbench.experiments.experiment_files import DrawnLines
from workbench.experiments.measures import FIRST_SCORE, PLIES
from workbench.games.wording import changes_words
from workbench.players.agent_kinds import SEEDS
from workbench.players.agents import AgentSpec
from workbench.players.external import play_against_itself
from workbench.records import records
from workbench.rules.rulesets import Ruleset
from workbench.runs import runner, training
from workbench.runs.executor import Executor
from workbench.runs.progress import Progress, hold_folder_lock, run_files
from workbench.runs.runner import compile_in_parallel, game_preparation
from workbench.runs.worker import engine_digests
from workbench.statistics.intervals import Floats

if TYPE_CHECKING:
    from rich.console import Console

    from workbench.experiments.experiment import Seeds


WATCHED = (FIRST_SCORE, "draw_rate", PLIES)
"""The measures estimated for every ruleset, whatever the targets."""
COLUMNS = ["ruleset", "first", "result", "plies"]
"""The columns that a search reads of its games."""
FRESH_COLUMNS = [*COLUMNS, "game", "line"]
"""The columns that it reads of fresh games."""
ALLOCATION = 3
"""Counts the ways in which games were given to rulesets: a search of another way cannot go on."""
ESTIMATED_EVERY = 3
"""Rounds after which the tables of estimates are written anew, for who watches."""
LEAST_CONFIRMED = 20
"""Games of each cell of the confirmation, at least."""
OPENINGS = DrawnLines(4, 400)
"""Lines of strong players, where the file says nothing."""


@dataclass(frozen=True)
class Status:
    """The progress of a search."""

    stage: str
    """A stage of `workbench.addons.search.statistics`, or ``confirmation``."""
    games: int
    total: int
    """Games of strong players, and how many there will be."""
    leaders: Sequence[str] = ()
    """The rulesets of least expected loss at the last look."""


class OfSearch(Experiment):
    """Games of a search: as many of each ruleset, since it asks of all how near they are and not how they differ."""

    def games_of(self, cell: Cell) -> int:
        """Return how many games a cell has."""
        return self.games


class Round(OfSearch):
    """A round of a search, in which a game meets another chance under each ruleset.

    A search looks for scores near one half, not for differences: luck that all rulesets of a round have in common would
    move what it thinks of them all.
    """

    def seeds(self, cell: Cell, start: int, stop: int) -> Seeds:
        """Return the seeds of games of a cell, uint64, by the fingerprint of its rules besides."""
        about = (self.seed, cell.ruleset.fingerprint, cell.first.canonical(), cell.second.canonical())
        return splitmix(about, start, stop)


CONFIRMATION = "confirmation"
ROUNDS_FOLDER = "rounds"
Report = Callable[[Status], object]


@dataclass
class Search:
    """A search that is being played."""

    search: RuleSearch
    candidates: Candidates
    idle: IdleRules
    budget: Budget
    confirm_games: int
    """Games of the confirmation, all in all."""
    folder: Path
    project: Project
    executor: Executor | None = None
    command: str = ""
    say: Callable[[str], object] = lambda line: None
    """Hears of trainings that are needed, and of each that is done."""
    on_training: training.OnProgress | None = None
    allocation: Allocation = field(init=False)
    rounds: list[dict[str, Any]] = field(default_factory=list)
    chosen: list[int] = field(default_factory=list)
    """The finalists, by their index in the model."""
    outcome: dict[str, Any] | None = None
    """The value of `result`."""

    def __post_init__(self) -> None:
        """Make the model of what may be played: of rulesets that differ in idle rules alone, the cheapest."""
        self.classes = self.idle.classes(self.candidates.points, self.candidates.prices)
        self.places = [members[0] for members in self.classes]
        points = np.array([self.candidates.points[place] for place in self.places], dtype=np.intp)
        # Levels that no ruleset has are none.
        numbers, columns = [], []
        for factor, listed in enumerate(self.search.numbers()):
            kept, column = np.unique(points[:, factor], return_inverse=True)
            columns.append(column)
            numbers.append(tuple(int(np.flatnonzero(kept == level)[0]) for level in listed if level in kept))
        space = Space(np.array(columns, dtype=np.intp).T, tuple(numbers))
        goal = goal_of(self.search, [self.candidates.prices[place] for place in self.places])
        players = len(self.search.players_of_confirmation())
        self.allocation = Allocation(space, goal, self.budget, self.search.seed, players, WATCHED)

    @property
    def rulesets(self) -> list[Ruleset]:
        """The rulesets of the model, by their index."""
        return [self.candidates.rulesets[place] for place in self.places]

    # Rounds

    def play_rounds(self, report: Report = lambda status: None) -> None:
        """Play what the search still needs before the confirmation, after the trainings that a race needs.

        Raises:
            FolderBusy: another process plays this search.
        """
        with hold_folder_lock(self.folder):
            while (asked := self.allocation.ask()) is not None:
                number, before = len(self.rounds) + 1, self.allocation.played
                leaders = self.rounds[-1]["leaders"] if self.rounds else []
                experiment = self.experiment_of(asked, number)
                folder = self.folder / ROUNDS_FOLDER / f"{number:02}"
                progress = self._progress(report, asked.stage, before, leaders, counted=not asked.quick)
                trials = self.play(experiment, folder, COLUMNS, progress, self._schedule(experiment, asked))
                players = self.search.quick if asked.quick else self.search.players_of_confirmation()
                self.allocation.tell(asked, self.observations(trials, players))
                leaders = [self.rulesets[one].name for one in self.allocation.finalists(self.search.finalists)]
                self.rounds.append({"stage": asked.stage, "games": sum(asked.games.values()), "leaders": leaders})
                self.save()
                if number % ESTIMATED_EVERY == 0 or asked.stage == SAMPLE:
                    self.save_estimates()
                report(Status(asked.stage, self.allocation.played, self.games, leaders))

    @property
    def games(self) -> int:
        """Games of strong players, all in all."""
        return self.budget.strong + self.confirm_games

    def _progress(
        self, report: Report, stage: str, before: int, leaders: Sequence[str] = (), counted: bool = True
    ) -> Callable[[Progress], object]:
        return lambda now: report(Status(stage, before + now.done * counted, self.games, leaders))

    def experiment_of(self, asked: Request, number: int) -> Experiment:
        """Return the games of a round as an experiment: its own seed, and so its own lines and games."""
        search, players = self.search, self.players_of(asked.stage)
        chosen = [self.rulesets[one] for one in asked.games]
        count = -(-max(asked.games.values()) // len(players))
        title = tr("Round {number} of {title}", number=number, title=search.heading)
        experiment = self.experiment(f"{search.name}-{number:02}", title, chosen, players, count, number, Round)
        return replace(experiment, openings=None) if asked.quick else experiment

    def experiment(
        self, name: str, title: str, rulesets: Sequence[Ruleset], players: Sequence[AgentSpec], count: int, number: int,
        kind: type[Experiment] = OfSearch, **more: Any,
    ) -> Experiment:  # fmt: skip
        """Return games of rulesets, the first of which is the baseline; the number of a round decides the seed."""
        search = self.search
        return kind(
            name=name, path=self.command, title=translated(title, "en"), title_ja=translated(title, "ja"),
            rulesets=tuple(rulesets), baseline=rulesets[0].name, pairings=tuple((one, one) for one in players),
            games=count, max_plies=search.max_plies, openings=search.openings or OPENINGS,
            seed=round_seed(search.seed, number), **more,
        )  # fmt: skip

    def fresh_experiment(
        self, name: str, title: str, rulesets: Sequence[Ruleset], players: Sequence[AgentSpec], number: int
    ) -> Experiment:
        """Return the games that confirm: with the targets, and as many of each ruleset as the confirmation allows."""
        count = max(LEAST_CONFIRMED, self.confirm_games // (len(rulesets) * len(players)))
        targets = dict(self.search.targets) | dict(self.search.must)
        return self.experiment(name, title, rulesets, players, count, number, targets=targets)

    def players_of(self, stage: str) -> tuple[AgentSpec, ...]:
        """Return the players of a stage."""
        if stage == SIEVE:
            return self.search.quick
        learned = stage == RACING and self.budget.fixed_race
        return self.search.players_of_race() if learned else self.search.players_of_rounds()

    def play(
        self, experiment: Experiment, folder: Path, columns: Sequence[str], on_progress: Callable[[Progress], object],
        schedule: runner.Schedule | None = None,
    ) -> pd.DataFrame:  # fmt: skip
        """Plays an experiment, after the trainings that it needs; columns of its records."""
        training.ensure_trained(
            training.experiment_trainings(experiment), self.project, say=self.say, executor=self.executor,
            command=self.command, on_progress=self.on_training,
        )  # fmt: skip
        outcome = runner.run_experiment(
            experiment, folder, executor=self.executor, command=self.command, on_progress=on_progress,
            schedule=schedule,
        )  # fmt: skip
        return pd.read_parquet(outcome.trials, columns=list(columns))

    def _schedule(self, experiment: Experiment, asked: Request) -> runner.Schedule:
        pairings = experiment.pairings
        asked_games = {
            (self.rulesets[one].name, first.label, second.label): -(-count // len(pairings))
            for one, count in asked.games.items()
            for first, second in pairings
        }
        return lambda trials: asked_games

    def observations(self, trials: pd.DataFrame, players: Sequence[AgentSpec]) -> dict[str, Observations]:
        """Return the observations of each measure in games of players against themselves."""
        place = {ruleset.name: number for number, ruleset in enumerate(self.rulesets)}
        column = {player.label: number for number, player in enumerate(players)}
        trials = trials[trials["ruleset"].astype(str).isin(place)]
        rows = np.array([place[name] for name in trials["ruleset"].astype(str)], dtype=np.intp)
        columns = np.array([column[name] for name in trials["first"].astype(str)], dtype=np.intp)
        shape = len(place), len(column)
        return {
            name: observed_sums(rows, columns, measured_values(trials, name), shape)
            for name in self.allocation.measures
        }

    # The end

    def choose_finalists(self) -> list[Ruleset]:
        """The rulesets of the space that go to confirmation, the most promising first; the base is always there."""
        self.chosen = self.allocation.finalists(self.search.finalists)
        if (base := self.candidates.base) in self.places and self.places.index(base) not in self.chosen:
            self.chosen.append(self.places.index(base))
        return self.finalists

    @property
    def finalists(self) -> list[Ruleset]:
        """The rulesets that were chosen, the most promising first."""
        return [self.rulesets[one] for one in self.chosen]

    def best_ruleset(self) -> Ruleset:
        """Return the best finalist, after the confirmation."""
        assert self.outcome is not None
        name = self.outcome["finalists"][0]["ruleset"]
        return next(ruleset for ruleset in (self.search.base, *self.rulesets) if ruleset.name == name)

    def confirm(self, report: Report = lambda status: None) -> tuple[Experiment, Path]:
        """Plays the confirmation, fresh games under the finalists and the base; the experiment and its report folder.

        Raises:
            FolderBusy: another process plays this search.
        """
        with hold_folder_lock(self.folder):
            search, base = self.search, self.search.base
            rulesets = (base, *(one for one in self.choose_finalists() if one.fingerprint != base.fingerprint))
            title = tr("{title}: the finalists by fresh games", title=search.heading)
            players = search.players_of_confirmation()
            experiment = self.fresh_experiment(CONFIRMED.format(name=search.name), title, rulesets, players, 0)
            folder = self.project.report(experiment.name)
            progress = self._progress(report, CONFIRMATION, self.allocation.played)
            self.outcome = self.result(self.play(experiment, folder, FRESH_COLUMNS, progress))
            self.save_estimates()
            self.save()
            return experiment, folder

    # What is known

    def estimates(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the estimates of each ruleset and of the effect of each rule, from all games of the search.

        Rulesets: their place, name, price, the changes, games, each measure with its standard deviation, the expected
        loss and the probability of being the best. Rules: factor, level, what it is compared with, and for each measure
        the mean difference, all else equal, with the ends of its 95 % interval.
        """
        allocation, search = self.allocation, self.search
        rng = np.random.default_rng([search.seed, 3])
        draws = allocation.draws(allocation.measures, DRAWS, rng)
        losses = allocation.goal.loss(draws)
        losses[:, ~allocation.alive] = np.inf
        best = np.bincount(losses.argmin(axis=1), minlength=len(self.places)) / len(losses)
        table = pd.DataFrame(
            {
                "place": self.places,
                "ruleset": [ruleset.name for ruleset in self.rulesets],
                "price": [self.candidates.prices[place] for place in self.places],
                "alike": [len(members) for members in self.classes],
                "games": allocation.seen[PLIES].games_of.astype(int),
                "left_out": ~allocation.alive,
                "loss": np.where(allocation.alive, losses.mean(axis=0), np.nan),
                "best": best,
            }
        )
        for name, values in draws.items():
            table[name], table[f"{name}_sd"] = values.mean(axis=0), values.std(axis=0)
        return table, self._effects(draws)

    def _effects(self, draws: Mapping[str, Floats]) -> pd.DataFrame:
        """Return the effect of each level, beside the level of the base or, if it has none, beside the first one."""
        rows = []
        points = np.array([self.candidates.points[place] for place in self.places], dtype=np.intp)
        space = Space(points)
        for number, (factor, base) in enumerate(zip(self.search.factors, self.search.base_point(), strict=True)):
            reference = base or 0
            for level in range(len(factor.levels)):
                if level == reference:
                    continue
                row: dict[str, Any] = {"factor": factor.name, "level": factor.levels[level].name,
                                       "beside": factor.levels[reference].name}  # fmt: skip
                for name, values in draws.items():
                    effect = space.contrasts(values, number, level, reference)
                    if np.isnan(effect).any():
                        break
                    low, high = np.quantile(effect, [0.025, 0.975])
                    row |= {name: effect.mean(), f"{name}_low": low, f"{name}_high": high}
                else:
                    rows.append(row)
        return pd.DataFrame(rows)

    def fresh(self, trials: pd.DataFrame) -> tuple[dict[str, FreshEstimates], list[int]]:
        """Return the estimates of each measure by the confirmation, and the rulesets in it by their index in the model.

        A base that is not in the space is -1.
        """
        names = {ruleset.name: number for number, ruleset in enumerate(self.rulesets)}
        shown = list(dict.fromkeys(trials["ruleset"].astype(str)))
        order = sorted(shown, key=lambda name: self.chosen.index(names[name]) if names.get(name) in self.chosen else -1)
        found = {measure: estimate_fresh(trials, measure, order) for measure in self.allocation.measures}
        return found, [names[name] if names.get(name) in self.chosen else -1 for name in order]

    def result(self, trials: pd.DataFrame) -> dict[str, Any]:
        """Return the result of the confirmation as plain data, the best finalist first.

        Fresh games alone decide which is the best; what changes buy is known by all games.
        """
        fresh, order = self.fresh(trials)
        own = trials[trials["ruleset"].astype(str).isin({ruleset.name for ruleset in self.finalists})]
        self.allocation.add(self.observations(own, self.search.players_of_confirmation()))
        self.allocation.refit()
        draws = self.allocation.draws(self.allocation.measures, DRAWS, np.random.default_rng([self.search.seed, 4]))
        rulesets = [self.rulesets[one] if one >= 0 else self.search.base for one in order]
        prices = [self.candidates.prices[self.places[one]] if one >= 0 else 0.0 for one in order]
        base = [ruleset.fingerprint for ruleset in rulesets].index(self.search.base.fingerprint)
        compared = compare_finalists(goal_of(self.search, prices), fresh, self._tolerance(), self.search.seed, base)
        finalists = []
        for row, one in enumerate(order):
            changes = self.candidates.changes(self.search, self.places[one]) if one >= 0 else ()
            finalists.append({
                **self.describe(rulesets[row], fresh, row),
                "price": prices[row],
                "changes": [{"factor": factor.name, "level": level.name} for factor, level in changes],
                **{name: float(values[row]) for name, values in vars(compared).items()},
                "buys": self._buys(one, draws) if one >= 0 else [],
            })  # fmt: skip
        of_base = finalists[base]
        finalists.sort(key=lambda each: each["loss"])
        return {
            "verdict": search_verdict(finalists[0]["targets"].values(), finalists[0]["nearer"]),
            "finalists": finalists,
            "base": of_base,
            "players": [player.label for player in self.search.players_of_confirmation()],
        }

    def _tolerance(self) -> float:
        """Return the difference of the loss that does not matter: that of the first player's score."""
        weights = [aim.weight / aim.unit for aim in self.allocation.goal.aims if aim.measure == FIRST_SCORE]
        return self.search.indifferent * max(weights, default=0.0)

    def describe(self, ruleset: Ruleset, fresh: Mapping[str, FreshEstimates], row: int) -> dict[str, Any]:
        """Return a ruleset with its measures by fresh games, and which of its targets it meets."""
        values, met = {}, {}
        for name, estimates in fresh.items():
            low, high = estimates.interval
            values[name] = {"value": float(estimates.mean[row]), "low": float(low[row]), "high": float(high[row])}
        for aim in (*self.allocation.goal.aims, *self.allocation.goal.musts):
            met[aim.measure] = judge_band(aim, values[aim.measure]["low"], values[aim.measure]["high"])
        return {
            "ruleset": ruleset.name, "title": in_languages(self.title_of(ruleset)), "values": values, "targets": met,
        }  # fmt: skip

    def title_of(self, ruleset: Ruleset) -> str:
        """Return the changes of a ruleset in words, or the title of the base."""
        base, family = self.search.base, games.declaration(self.search.base.game)
        words = changes_words(family.name, family.toggles, base.settings, ruleset.settings, len(family.toggles))
        return words if ruleset.fingerprint != base.fingerprint else base.heading

    def _buys(self, one: int, draws: Mapping[str, Floats]) -> list[dict[str, Any]]:
        """Return the effect of each change of a ruleset beside the same ruleset without it, by all games."""
        points = {self.candidates.points[place]: index for index, place in enumerate(self.places)}
        place, base = list(self.candidates.points[self.places[one]]), self.search.base_point()
        bought = []
        for number, factor in enumerate(self.search.factors):
            reference = base[number]
            if reference is None or place[number] == reference:
                continue
            without = points.get((*place[:number], reference, *place[number + 1 :]))
            if without is None:
                continue
            entry: dict[str, Any] = {"factor": factor.name, "level": factor.levels[place[number]].name}
            for name, values in draws.items():
                low, middle, high = np.quantile(values[:, one] - values[:, without], [0.025, 0.5, 0.975])
                entry[name] = {"value": float(middle), "low": float(low), "high": float(high)}
            bought.append(entry)
        return bought

    def idle_factors(self) -> list[str]:
        """Factors that change no game; see `find_idle_rules`."""
        return [self.search.factors[factor].name for factor in self.idle.factors]

    # What is kept

    def save_estimates(self) -> None:
        """Write the tables of `estimates`."""
        rulesets, effects = self.estimates()
        owned = output.claim_folder(self.folder, [SEARCH, CANDIDATES, EFFECTS])
        output.write_file(owned.path / CANDIDATES, records.to_csv(rulesets, "%.6g").encode())
        output.write_file(owned.path / EFFECTS, records.to_csv(effects, "%.6g").encode())

    def save(self) -> None:
        """Write ``search.json``."""
        content = {
            **identity(self.search, self.candidates),
            "title": self.search.title,
            "title_ja": self.search.title_ja,
            "budget": {"strong": self.budget.strong, "quick": self.budget.quick, "each": self.budget.each,
                       "confirm": self.confirm_games, "race_learns": self.budget.fixed_race},
            "rounds": self.rounds,
            "played": self.allocation.played,
            "space": {
                "combinations": self.candidates.combinations, "rulesets": len(self.candidates),
                "models": len(self.places), "unwanted": self.candidates.unwanted,
                "repeated": self.candidates.repeated, "complete": self.candidates.complete,
                "refused": [[each.count, each.shared, each.reason] for each in self.candidates.refused],
                "idle": self.idle_factors(),
                "looked": self.idle.games,
                "left_out": int((~self.allocation.alive).sum()),
            },
            "targets": dict(self.search.targets), "must": dict(self.search.must),
            "indifferent": self.search.indifferent,
            "result": self.outcome,
        }  # fmt: skip
        _write_json(self.folder, SEARCH, content)


def _write_json(folder: Path, name: str, content: Mapping[str, Any]) -> None:
    owned = output.claim_folder(folder, [name])
    output.write_file(owned.path / name, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def identity(search: RuleSearch, candidates: Candidates) -> dict[str, Any]:
    """Return a name, the base and a fingerprint of all that decides the games of a search, but for their number."""
    decides = {
        "base": search.base.fingerprint,
        "candidates": [
            [ruleset.fingerprint, price] for ruleset, price in zip(candidates.rulesets, candidates.prices, strict=True)
        ],
        "targets": [dict(search.targets), dict(search.must), dict(search.weights)],
        "players": [[agent.canonical() for agent in search.quick], [a.canonical() for a in search.players_of_rounds()]],
        "openings": (search.openings or OPENINGS).canonical(),
        "seed": search.seed,
        "max_plies": search.max_plies,
        "finalists": search.finalists,
        "asked": dict(search.budget),
        "allocation": ALLOCATION,
        "engine": engine_digests([search.base.game])[search.base.game],
    }
    digest = hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:16]
    return {"name": search.name, "base": search.base.name, "fingerprint": digest}


def begin_search(
    search: RuleSearch,
    project: Project,
    *,
    executor: Executor | None = None,
    command: str = "",
    candidates: Candidates | None = None,
) -> Search:
    """Return a search as its folder has it, ready to be played on: its candidates, and how many games it gets.

    ``candidates`` are those of `list_candidates`, if they are known.

    Raises:
        InputError: the space is empty, or the folder holds another search of this name.
    """
    candidates = candidates or list_candidates(search)
    folder = search_folder(project, search.name)
    kept, own = kept_search(folder), identity(search, candidates)
    if kept and kept.get("fingerprint") != own["fingerprint"]:
        message = tr("the folder holds another search of this name: rules, players, targets, budget or engine differ")
        hint = tr("give the file another name, or begin anew with --fresh")
        raise input_error(message, hint, file=display_path(folder))
    executor = executor or Executor()
    workers = max(1, executor.size())
    code = game_preparation(search.base, {agent.code for agent in all_players(search)})
    compile_in_parallel(code, workers)
    if kept:
        budget, space = kept["budget"], kept["space"]
        names = [factor.name for factor in search.factors]
        idle = IdleRules(tuple(names.index(name) for name in space["idle"]), space["looked"])
    else:
        idle = find_idle_rules(candidates.rulesets, candidates.points, search.max_plies)
        count = len(idle.classes(candidates.points, candidates.prices))

        def training_seconds(ruleset: Ruleset) -> float:
            return training.estimate_seconds([training.Training(ruleset, SEEDS[0])], 1, project)

        budget = plan_games(search, count, workers, game_seconds, training_seconds)
    begun = Search(
        search, candidates, idle,
        Budget(budget["strong"], budget["quick"], budget["each"], fixed_race=budget["race_learns"]),
        budget["confirm"],
        folder, project, executor, command,
    )  # fmt: skip
    output.make_folder(folder)
    if not kept:
        begun.save()
    return begun


def all_players(search: RuleSearch) -> list[AgentSpec]:
    """Everybody who plays, or judges lines."""
    judge = (search.openings or OPENINGS).judge  # type: ignore[union-attr]
    return list(dict.fromkeys([*search.quick, *search.players_of_confirmation(), AgentSpec.of("random"), judge]))


def in_languages(text: str) -> dict[str, str]:
    """Return a text in each language, as plain data."""
    return dict(zip(LANGUAGES, in_all(text), strict=True))


def round_seed(seed: int, number: int) -> int:
    """Return the seed of a round; the confirmation is round 0, and what lies beyond the space round -1."""
    return int.from_bytes(hashlib.sha256(f"search {seed} {number}".encode()).digest()[:7], "big")


# Files


def files_of_search(folder: Path, *reports: Path) -> list[Path]:
    """Return the files of a search, and of its reports, that ``--fresh`` deletes."""
    own = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    return [*own, *(path for report in reports for path in run_files(report) if path.is_file())]


def forget(folder: Path, *reports: Path) -> None:
    """Delete the files of a search, and the folders that are empty then."""
    for path in files_of_search(folder, *reports):
        path.unlink()
    for path in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
        with contextlib.suppress(OSError):
            path.rmdir()


# How many games

LEAST_EACH = 8
"""Games that a ruleset gets each time, at least: as many for each player."""
USED = 0.85
"""The share of the time that games take: the rest is for starting processes, lines and reports."""
MOST_LEARNING = 0.3
"""The share of the time that learning for the race may take; where it takes more, the race goes without."""
LEARNING_RACE = 100
"""Games of each ruleset of a race from which on players learn its rules: fewer are not worth a training."""
MOST_ROUNDS, MOST_GAMES = 60, 10_000_000
"""Rounds of strong players, about, however many games there are; and games that hours may come to."""
PILOT_GAMES = 4


def plan_games(
    search: RuleSearch,
    count: int,
    workers: int,
    seconds_of: Callable[[Ruleset, AgentSpec], float],
    seconds_to_learn: Callable[[Ruleset], float],
) -> dict[str, int]:
    """Return the games of each kind within the budget, for so many rulesets, and whether players of the race learn."""
    players = search.players_of_rounds()
    race = min(Budget(0).race, count)
    total, learns = search.budget.get("games"), search.players_of_race() != players
    if total is None:
        seconds = float(np.mean([seconds_of(search.base, player) for player in players]))
        left = time_left = 3600 * search.budget["hours"] * USED * workers
        if search.players_of_confirmation() != players:
            each = seconds_to_learn(search.base)
            learns = race * each <= MOST_LEARNING * time_left
            confirmed = len(SEEDS) * (search.finalists + 1)
            left -= each * (confirmed + (race - search.finalists if learns else 0))
        total = min(MOST_GAMES, int(max(left, time_left / 2) / max(seconds, 1e-9)))
    learns = learns and (1 - search.confirm) * total * (1 - RACE) >= LEARNING_RACE * race
    rounds = Budget(0).batch * MOST_ROUNDS
    most = len(search.players_of_race() if learns else players)
    each_time = math.ceil(max(LEAST_EACH, (1 - search.confirm) * total / rounds) / most) * most
    strong = max(each_time, round((1 - search.confirm) * total / each_time) * each_time)
    quick = min(20 * count, 2 * strong) if search.quick else 0
    confirm = max(1, int(total) - strong)
    return {"strong": strong, "quick": quick, "each": each_time, "confirm": confirm, "race_learns": learns}


def game_seconds(ruleset: Ruleset, player: AgentSpec) -> float:
    """Seconds of one core for a game of a player against itself: the mean of a few."""
    seeds, begin = np.arange(PILOT_GAMES, dtype=np.uint64), time.perf_counter()
    play_against_itself(ruleset, replace(player, training=0), seeds, 400)
    return (time.perf_counter() - begin) / PILOT_GAMES


# Rules that change no game

LOOKS, MOST_LOOKS = (20, 200, 2_000), 60_000
"""Random games of a ruleset, step by step, and how many of them a step may take in all."""
PAIRS, GREEDY_GAMES = 10, 40
"""Of each rule that changes no random game, how many pairs of rulesets are looked at by games of greedy players."""


@dataclass(frozen=True)
class IdleRules:
    """Factors of which no game of a space depends."""

    factors: tuple[int, ...]
    games: int
    """Random games of each ruleset that were compared."""

    def classes(self, points: Sequence[Point], prices: Sequence[float]) -> list[list[int]]:
        """Return the rulesets that differ in idle factors alone, together; the cheapest of each class first."""
        together: dict[Point, list[int]] = {}
        for place, point in enumerate(points):
            rest = tuple(level for factor, level in enumerate(point) if factor not in self.factors)
            together.setdefault(rest, []).append(place)
        return sorted(sorted(members, key=lambda one: (prices[one], one)) for members in together.values())


def find_idle_rules(rulesets: Sequence[Ruleset], points: Sequence[Point], max_plies: int) -> IdleRules:
    """Return the factors none of whose levels changes a game, whatever the others are.

    ``points`` are the levels of the rulesets. Random games decide first, then some of greedy players: a rule about
    what only good play reaches may still be among them.
    """
    alike, games = _alike(rulesets, max_plies)
    idle = []
    for factor in range(len(points[0])):
        contexts: dict[Point, list[int]] = {}
        for place, point in enumerate(points):
            contexts.setdefault((*point[:factor], *point[factor + 1 :]), []).append(place)
        several = [members for members in contexts.values() if len(members) > 1]
        if several and all(len({alike[one] for one in members}) == 1 for members in several):
            chosen = several[:: max(1, len(several) // PAIRS)][:PAIRS]
            greedy = AgentSpec.of("greedy")
            seeds = np.arange(GREEDY_GAMES, dtype=np.uint64)
            if all(len({_games(rulesets[one], greedy, seeds, max_plies) for one in some}) == 1 for some in chosen):
                idle.append(factor)
    return IdleRules(tuple(idle), games)


def _alike(rulesets: Sequence[Ruleset], max_plies: int) -> tuple[list[int], int]:
    """For each ruleset a number that those share which no random game tells apart; and of how many games."""
    groups, begin = [list(range(len(rulesets)))], 0
    for most in LOOKS:
        waiting = sum(len(group) for group in groups if len(group) > 1)
        end = min(most, begin + MOST_LOOKS // max(waiting, 1))
        seeds = np.arange(begin, end, dtype=np.uint64)
        parted: list[list[int]] = []
        for group in groups:
            by_games: dict[bytes, list[int]] = {}
            for one in group:
                same = _games(rulesets[one], AgentSpec.of("random"), seeds, max_plies) if len(group) > 1 else b""
                by_games.setdefault(same, []).append(one)
            parted += by_games.values()
        groups, begin = parted, end
    number = {one: place for place, group in enumerate(groups) for one in group}
    return [number[one] for one in range(len(rulesets))], begin


def _games(
    ruleset: Ruleset, player: AgentSpec, seeds: np.ndarray[tuple[int], np.dtype[np.uint64]], plies: int
) -> bytes:
    """All that tells the games of these seeds from others."""
    arrays = play_against_itself(ruleset, player, seeds, plies)
    return bytes(arrays["game_hash"].tobytes() + arrays["result"].tobytes())


# What a search tells


def describe_space(search: RuleSearch, candidates: Candidates) -> list[str]:
    """Return the number of rulesets, and those that are refused with the reasons, in sentences."""
    said = [tr("{combinations:,} combinations: {count:,} rulesets that differ.", combinations=candidates.combinations,
               count=len(candidates))]  # fmt: skip
    if not candidates.complete:
        said.append(tr("That is too many: a random part of them is looked at, and all that is near the base."))
    for group in candidates.refused:
        which = tr("{count:,} combinations ({shared})", count=group.count, shared=group.shared)
        said.append(tr("Refused: {which}: {reason}", which=which, reason=group.reason))
    if candidates.unwanted:
        said.append(tr("Not wanted: {count:,} combinations.", count=candidates.unwanted))
    if candidates.repeated:
        said.append(tr("The same rules as another: {count:,} combinations.", count=candidates.repeated))
    if candidates.base is None:
        said.append(tr("The base itself is not in the space; it is a finalist all the same."))
    return said


def describe_budget(begun: Search) -> list[str]:
    """Return the number of games and the smallest differences that they show, in sentences."""
    search, players = begun.search, len(begun.search.players_of_confirmation())
    each = begun.confirm_games / (search.finalists + 1)
    # The half-width of a simultaneous interval of a score, with a third of the games drawn.
    reach = float(stats.norm.ppf((1 + 0.95 ** (1 / search.finalists)) / 2)) * math.sqrt(0.17 / each)
    plan = tr(
        "{models:,} rulesets are searched by {games:,} games of {players} players; {fresh:,} fresh games confirm."
    )
    shown = tr("Scores of finalists will be known to about ±{points:.1f} points, besides what the {players} players "
               "differ by.")  # fmt: skip
    said = [
        plan.format(models=len(begun.places), games=begun.budget.strong, players=len(search.players_of_rounds()),
                    fresh=begun.confirm_games),
        shown.format(points=100 * reach, players=players),
    ]  # fmt: skip
    if reach > search.indifferent:
        more = tr(
            "That is more than the {points:g} points that do not matter: for these it takes about {games:,} games."
        )
        needed = int(round(begun.games * (reach / search.indifferent) ** 2, -2))
        said.append(more.format(points=100 * search.indifferent, games=needed))
    if names := ", ".join(begun.idle_factors()):
        said.append(tr("None of {games:,} random games depends on: {names}.", games=begun.idle.games, names=names))
    return said


STAGES: Mapping[str, str] = {
    SIEVE: tr("what cannot be played"),
    SAMPLE: tr("first sample"),
    ROUNDS: tr("what may be the best"),
    RACING: tr("race of the most promising"),
    CONFIRMATION: tr("confirmation"),
}


@contextlib.contextmanager
def progress_display(console: Console | None) -> Iterator[Report]:
    """A bar in a terminal, with the stage and the time left."""
    if console is None or not console.is_terminal:
        yield lambda status: None
        return
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    text = translated(tr("{task.completed:,.0f} of {task.total:,.0f} games"))
    columns = (BarColumn(), TextColumn(text), TimeRemainingColumn(), TextColumn("{task.fields[stage]}"))
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=1, stage="")
        yield lambda status: bar.update(
            task, completed=status.games, total=status.total, stage=translated(STAGES[status.stage])
        )


# One step beyond the space


def play_beyond(begun: Search, most: int, report: Report = lambda status: None) -> Path | None:
    """Plays the finalists and at most so many rulesets one step from them that the space does not have.

    The best finalist is the baseline, and the players are those of the rounds. Returns the report folder; None if there
    is nothing beyond the space.
    """
    search = begun.search
    known = {search.base.fingerprint, *(ruleset.fingerprint for ruleset in begun.candidates.rulesets)}
    steps = neighbours(begun.finalists, known, most)
    if not steps:
        return None
    title = tr("{title}: one step beyond the space", title=search.heading)
    played = [*begun.finalists, *(step.ruleset for step in steps)]
    experiment = begun.fresh_experiment(BEYOND.format(name=search.name), title, played, search.players_of_rounds(), -1)
    folder = begun.project.report(experiment.name)
    trials = begun.play(
        experiment, folder, FRESH_COLUMNS, lambda now: report(Status(CONFIRMATION, now.done, now.total))
    )
    update_extras(begun.folder, {"beyond": neighbour_rows(begun, steps, trials)})
    return folder


def neighbour_rows(begun: Search, steps: list[Neighbour], trials: pd.DataFrame) -> list[dict[str, Any]]:
    """Finalists and what lies beside them, as plain data, those first that miss the targets by least.

    Intervals of a measure hold at once with 95 %. ``change`` is the step in words, ``beside`` the finalist.
    """
    told: list[tuple[Any, str, Any]] = [(ruleset, "", None) for ruleset in begun.finalists]
    told += [(step.ruleset, step.change, step.beside) for step in steps]
    order = [ruleset.name for ruleset, _, _ in told]
    aims = (*begun.allocation.goal.aims, *begun.allocation.goal.musts)
    fresh = {measure: estimate_fresh(trials, measure, order) for measure in begun.allocation.measures}
    rows = [
        begun.describe(ruleset, fresh, place)
        | {
            "misses": sum(float(aim.misses(fresh[aim.measure].mean)[place]) for aim in aims),
            "change": in_languages(change),
            "beside": in_languages(begun.title_of(beside)) if beside else None,
        }
        for place, (ruleset, change, beside) in enumerate(told)
    ]
    return sorted(rows, key=lambda row: row["misses"])


def update_extras(folder: Path, more: Mapping[str, Any]) -> None:
    """Add to what was asked besides a search."""
    path = folder / EXTRAS_FILE
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    _write_json(folder, EXTRAS_FILE, {**known, **more})


def keep_notes(folder: Path, name: str, sentences: list[str]) -> None:
    """Keep sentences of the page that were asked for besides, in all languages."""
    update_extras(folder, {name: [in_languages(sentence) for sentence in sentences]})
