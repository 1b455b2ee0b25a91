"""Plays a search for rulesets: round after round, each an experiment of its own, and then the finalists once more.

The folder of a search, ``reports/searches/<name>``, holds ``search.json`` (what was asked, and how far it is),
``rounds/01``… (the games of each round, as `workbench.run.runner` keeps them) and, for every ruleset, what is known of
it. What is played next follows from the games on disk and the seed alone: a search that was stopped in any way goes on
where it was, and has the same games for any number of workers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from workbench import games
from workbench.errors import display_path, input_error
from workbench.files import output
from workbench.files.project import CONFIRMED, Project
from workbench.games.wording import changes_words
from workbench.language import LANGUAGES, in_all, tr, translated
from workbench.questions.agents import AgentSpec
from workbench.questions.experiment import Cell, Experiment, splitmix
from workbench.questions.lines import DrawnLines
from workbench.questions.measures import FIRST_SCORE, PLIES
from workbench.questions.rule_search import Candidates, RuleSearch, list_candidates
from workbench.questions.rulesets import Ruleset
from workbench.run import manifest, runner, training
from workbench.run.blocks import compile_in_parallel, game_preparation
from workbench.run.executor import Executor
from workbench.run.guards import hold_folder_lock
from workbench.run.idle_rules import IdleRules, find_idle_rules
from workbench.run.progress import Progress
from workbench.run.search_budget import game_seconds, plan_games, training_seconds
from workbench.run.search_files import CANDIDATES, EFFECTS, FILE, ROUNDS, kept_search, search_folder
from workbench.statistics.intervals import Floats
from workbench.statistics.rule_search import (
    DRAWS,
    RACING,
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
from workbench.store import records

if TYPE_CHECKING:
    from workbench.questions.experiment import Seeds

WATCHED = (FIRST_SCORE, "draw_rate", PLIES)
"""What is told of every ruleset, whatever the targets."""
COLUMNS = ["ruleset", "first", "result", "plies"]
"""What a search reads of its games."""
FRESH_COLUMNS = [*COLUMNS, "game", "line"]
"""What it reads of fresh ones."""
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
    """How far a search is."""

    stage: str
    """A stage of `workbench.statistics.rule_search`, or ``confirmation``."""
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
    """What `result` gave."""

    def __post_init__(self) -> None:
        """Makes the model of what may be played: of rulesets that differ in idle rules alone, the cheapest."""
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
        """Those of the model, by their index in it."""
        return [self.candidates.rulesets[place] for place in self.places]

    # Rounds

    def play_rounds(self, report: Report = lambda status: None) -> None:
        """Plays what the search still needs before the confirmation, after the trainings that a race needs.

        Raises:
            FolderBusy: another process plays this search.
        """
        with hold_folder_lock(self.folder):
            self._play_rounds(report)

    def _play_rounds(self, report: Report) -> None:
        while (asked := self.allocation.ask()) is not None:
            number = len(self.rounds) + 1
            before = self.allocation.played
            total = self.budget.strong + self.confirm_games
            known = Status(asked.stage, before, total, self.rounds[-1]["leaders"] if self.rounds else [])

            def progress(now: Progress, known: Status = known, quick: bool = asked.quick) -> None:
                report(replace(known, games=known.games + (0 if quick else now.done)))

            experiment = self.experiment_of(asked, number)
            folder = self.folder / ROUNDS / f"{number:02}"
            self._train(experiment)
            outcome = runner.run_experiment(
                experiment, folder, executor=self.executor, command=self.command, on_progress=progress,
                schedule=self._schedule(experiment, asked),
            )  # fmt: skip
            trials = pd.read_parquet(outcome.trials, columns=COLUMNS)
            players = self.search.quick if asked.quick else self.search.players_of_confirmation()
            self.allocation.tell(asked, self.observations(trials, players))
            leaders = [self.rulesets[one].name for one in self.allocation.finalists(self.search.finalists)]
            self.rounds.append({"stage": asked.stage, "games": sum(asked.games.values()), "leaders": leaders})
            self.save()
            if number % ESTIMATED_EVERY == 0 or asked.stage == SAMPLE:
                self.save_estimates()
            report(Status(asked.stage, self.allocation.played, total, leaders))

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
        """Who plays a stage of the search."""
        if stage == SIEVE:
            return self.search.quick
        learned = stage == RACING and self.budget.fixed_race
        return self.search.players_of_race() if learned else self.search.players_of_rounds()

    def _train(self, experiment: Experiment) -> None:
        training.ensure_trained(
            training.experiment_trainings(experiment), self.project, say=self.say, executor=self.executor,
            command=self.command, on_progress=self.on_training,
        )  # fmt: skip

    def _schedule(self, experiment: Experiment, asked: Request) -> runner.Schedule:
        pairings = experiment.pairings
        asked_games = {
            (self.rulesets[one].name, first.label, second.label): -(-count // len(pairings))
            for one, count in asked.games.items()
            for first, second in pairings
        }
        return lambda trials: asked_games

    def observations(self, trials: pd.DataFrame, players: Sequence[AgentSpec]) -> dict[str, Observations]:
        """What games of players against themselves say of each measure of the search."""
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
        return [self.rulesets[one] for one in self.chosen]

    def best_ruleset(self) -> Ruleset:
        """The best finalist, after the confirmation."""
        assert self.outcome is not None
        name = self.outcome["finalists"][0]["ruleset"]
        return next(ruleset for ruleset in (self.search.base, *self.rulesets) if ruleset.name == name)

    def confirmation(self) -> Experiment:
        """The experiment that confirms the finalists: fresh games under these and the base."""
        search, base = self.search, self.search.base
        rulesets = (base, *(one for one in self.choose_finalists() if one.fingerprint != base.fingerprint))
        title = tr("{title}: the finalists by fresh games", title=search.heading)
        players = search.players_of_confirmation()
        return self.fresh_experiment(CONFIRMED.format(name=search.name), title, rulesets, players, 0)

    def confirm(self, report: Report = lambda status: None) -> tuple[Experiment, Path]:
        """Plays the confirmation, after the trainings that it needs; the experiment and its report folder.

        Raises:
            FolderBusy: another process plays this search.
        """
        with hold_folder_lock(self.folder):
            return self._confirm(report)

    def _confirm(self, report: Report) -> tuple[Experiment, Path]:
        experiment = self.confirmation()
        folder = self.project.report(experiment.name)
        self._train(experiment)
        before, total = self.allocation.played, self.budget.strong + self.confirm_games
        outcome = runner.run_experiment(
            experiment, folder, executor=self.executor, command=self.command,
            on_progress=lambda now: report(Status(CONFIRMATION, before + now.done, total)),
        )  # fmt: skip
        self.outcome = self.result(pd.read_parquet(outcome.trials, columns=FRESH_COLUMNS))
        self.save_estimates()
        self.save()
        return experiment, folder

    # What is known

    def estimates(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """What is known of each ruleset, and what each rule does, by all games of the search.

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
        """What each level of a factor does beside that of the base, or beside the first one where it has none."""
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
        """What the games of the confirmation say of each measure, and of which rulesets, by their index in the model.

        A base that is not in the space is -1.
        """
        names = {ruleset.name: number for number, ruleset in enumerate(self.rulesets)}
        shown = list(dict.fromkeys(trials["ruleset"].astype(str)))
        order = sorted(shown, key=lambda name: self.chosen.index(names[name]) if names.get(name) in self.chosen else -1)
        found = {measure: estimate_fresh(trials, measure, order) for measure in self.allocation.measures}
        return found, [names[name] if names.get(name) in self.chosen else -1 for name in order]

    def result(self, trials: pd.DataFrame) -> dict[str, Any]:
        """What came out, as plain data, after the games of the confirmation; the finalists with the best first.

        Fresh games alone decide which is the best; what changes buy is known by all games.
        """
        fresh, order = self.fresh(trials)
        own = trials[trials["ruleset"].astype(str).isin({self.rulesets[one].name for one in self.chosen})]
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
        """The difference of the loss that does not matter: that of the first player's score."""
        weights = [aim.weight / aim.unit for aim in self.allocation.goal.aims if aim.measure == FIRST_SCORE]
        return self.search.indifferent * max(weights, default=0.0)

    def describe(self, ruleset: Ruleset, fresh: Mapping[str, FreshEstimates], row: int) -> dict[str, Any]:
        """A ruleset with its measures by fresh games, and which of its targets it meets."""
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
        """What a ruleset changes, in words; of the base its title."""
        base, family = self.search.base, games.declaration(self.search.base.game)
        words = changes_words(family.name, family.toggles, base.settings, ruleset.settings, len(family.toggles))
        return words if ruleset.fingerprint != base.fingerprint else base.heading

    def _buys(self, one: int, draws: Mapping[str, Floats]) -> list[dict[str, Any]]:
        """What each change of a ruleset does beside the same ruleset without it, by all games of the search."""
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
        """Factors that change no game; see `workbench.run.idle_rules`."""
        return [self.search.factors[factor].name for factor in self.idle.factors]

    # What is kept

    def save_estimates(self) -> None:
        """Writes the tables of `estimates`."""
        rulesets, effects = self.estimates()
        owned = output.claim_folder(self.folder, [FILE, CANDIDATES, EFFECTS])
        output.write_file(owned.path / CANDIDATES, records.to_csv(rulesets, "%.6g").encode())
        output.write_file(owned.path / EFFECTS, records.to_csv(effects, "%.6g").encode())

    def save(self) -> None:
        """Writes ``search.json``."""
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
        owned = output.claim_folder(self.folder, [FILE])
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        output.write_file(owned.path / FILE, text.encode())


def identity(search: RuleSearch, candidates: Candidates) -> dict[str, Any]:
    """What decides which games a search plays, but for how many: plain data."""
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
        "engine": manifest.engine_digests([search.base.game])[search.base.game],
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
    seconds_of: Callable[[Ruleset, AgentSpec], float] | None = None,
    seconds_to_learn: Callable[[Ruleset], float] | None = None,
) -> Search:
    """A search as its folder has it, ready to be played on: its candidates, and how many games it gets.

    ``candidates`` are those of `list_candidates`, if they are known; ``seconds_of`` measures what a game of a player
    takes, and ``seconds_to_learn`` a training; by default by a few games and positions.

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
        budget = plan_games(search, count, workers, seconds_of or game_seconds, seconds_to_learn or training_seconds)
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
    """A text in each language, as plain data."""
    return dict(zip(LANGUAGES, in_all(text), strict=True))


def round_seed(seed: int, number: int) -> int:
    """The seed of a round; the confirmation is round 0, and what lies beyond the space round -1."""
    return int.from_bytes(hashlib.sha256(f"search {seed} {number}".encode()).digest()[:7], "big")
