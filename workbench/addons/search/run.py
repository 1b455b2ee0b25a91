"""Playing of a rule search: rounds, each of which is an experiment, and a confirmation of the finalists.

The folder of a search, ``reports/searches/<name>``, contains ``search.json`` (the request and its progress), the games
of each round (``rounds/01``…) and the estimates of every ruleset. The next games depend only on the saved games and the
seed: an interrupted search continues where it stopped and plays the same games with any number of workers.
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
from workbench.addons.search import statistics as model
from workbench.addons.search.neighbours import Neighbour, neighbours
from workbench.addons.search.question import (
    CANDIDATES,
    EFFECTS,
    EXTRAS_FILE,
    STAGES,
    Candidates,
    RuleSearch,
    list_candidates,
    load_results,
    search_folder,
)
from workbench.addons.search.statistics import Allocation, Budget, FreshEstimates, Observations, Request, Space
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
from workbench.runs.worker import engine_digests
from workbench.statistics.intervals import Floats

if TYPE_CHECKING:
    from rich.console import Console

    from workbench.experiments.experiment import Seeds


WATCHED = (FIRST_SCORE, "draw_rate", PLIES)
"""Measures that are estimated for every ruleset, whatever the targets."""
COLUMNS = ["ruleset", "first", "result", "plies"]
FRESH_COLUMNS = [*COLUMNS, "game", "line"]
"""The columns of the records that are read after a round and after the confirmation."""
ALLOCATION = 3
"""The version of the allocation of games; a search with another version cannot continue."""
ESTIMATE_INTERVAL = 3
"""The number of rounds between updates of the tables of estimates."""
MIN_CONFIRMATION_GAMES = 20
OPENINGS = DrawnLines(4, 400)
"""The default opening lines, chosen by strong players."""
CONFIRMATION = "confirmation"
ROUNDS_FOLDER = "rounds"


@dataclass(frozen=True)
class Status:
    """The progress of a search."""

    stage: str
    games: int
    total: int
    """Games of strong players: played so far (``games``) and in total."""
    leaders: Sequence[str] = ()
    """The rulesets with the smallest expected loss after the last round."""


OnStatus = Callable[[Status], object]


class EqualGames(Experiment):
    """An experiment with equally many games in each cell because a search measures levels, not differences."""

    def cell_games(self, cell: Cell) -> int:
        """Return the number of games in a cell."""
        return self.games


class Round(EqualGames):
    """A round of a search; its seeds depend on the ruleset because shared luck would shift all estimates together."""

    def seeds(self, cell: Cell, start: int, stop: int) -> Seeds:
        """Return the seeds of a cell's games, uint64."""
        key = (self.seed, cell.ruleset.fingerprint, cell.first.canonical(), cell.second.canonical())
        return splitmix(key, start, stop)


@dataclass
class Search:
    """A search in progress."""

    spec: RuleSearch
    candidates: Candidates
    redundant: RedundantFactors
    budget: Budget
    confirmation_games: int
    folder: Path
    project: Project
    executor: Executor | None = None
    command: str = ""
    say: Callable[[str], object] = lambda line: None
    """Receives a line when a training run is needed and when it ends."""
    on_training: training.OnProgress | None = None
    allocation: Allocation = field(init=False)
    rounds: list[dict[str, Any]] = field(default_factory=list)
    finalist_indices: list[int] = field(default_factory=list)
    """The finalists' indices in the model, most promising first."""
    outcome: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        """Build the model; the cheapest ruleset represents those that differ only in redundant factors."""
        self.classes = self.redundant.classes(self.candidates.points, self.candidates.prices)
        self.representatives = [members[0] for members in self.classes]
        # Levels that no ruleset has are dropped.
        numbers, columns = [], []
        for factor, numeric in enumerate(self.spec.numbers()):
            levels, column = np.unique(self._points[:, factor], return_inverse=True)
            columns.append(column)
            numbers.append(tuple(int(np.flatnonzero(levels == level)[0]) for level in numeric if level in levels))
        space = Space(np.array(columns, dtype=np.intp).T, tuple(numbers))
        goal = model.search_goal(self.spec, [self.candidates.prices[index] for index in self.representatives])
        players = len(self.spec.confirmation_players)
        self.allocation = Allocation(space, goal, self.budget, self.spec.seed, players, WATCHED)

    @property
    def _points(self) -> model.Indices:
        return np.array([self.candidates.points[index] for index in self.representatives], dtype=np.intp)

    @property
    def rulesets(self) -> list[Ruleset]:
        """The rulesets of the model by index."""
        return [self.candidates.rulesets[index] for index in self.representatives]

    @property
    def finalists(self) -> list[Ruleset]:
        """The finalists, most promising first."""
        return [self.rulesets[index] for index in self.finalist_indices]

    @property
    def total_games(self) -> int:
        """The games of strong players, including the confirmation."""
        return self.budget.strong + self.confirmation_games

    # Rounds

    def play_rounds(self, on_status: OnStatus = lambda status: None) -> None:
        """Play all missing rounds, after the training runs that the race needs."""
        with hold_folder_lock(self.folder):
            while (request := self.allocation.ask()) is not None:
                number, games_before = len(self.rounds) + 1, self.allocation.played
                leaders = self.rounds[-1]["leaders"] if self.rounds else []
                experiment = self.round_experiment(request, number)
                trials = self.play(
                    experiment, self.folder / ROUNDS_FOLDER / f"{number:02}", COLUMNS,
                    self._on_progress(on_status, request.stage, games_before, leaders, counts=not request.quick),
                    self._schedule(experiment, request),
                )  # fmt: skip
                players = self.spec.quick if request.quick else self.spec.confirmation_players
                self.allocation.tell(request, self.observations(trials, players))
                leaders = [self.rulesets[index].name for index in self.allocation.finalists(self.spec.finalists)]
                self.rounds.append({"stage": request.stage, "games": sum(request.games.values()), "leaders": leaders})
                self.save()
                if number % ESTIMATE_INTERVAL == 0 or request.stage == model.SAMPLE:
                    self.save_estimates()
                on_status(Status(request.stage, self.allocation.played, self.total_games, leaders))

    def _on_progress(
        self, on_status: OnStatus, stage: str, before: int, leaders: Sequence[str] = (), counts: bool = True
    ) -> Callable[[Progress], object]:
        return lambda progress: on_status(Status(stage, before + progress.done * counts, self.total_games, leaders))

    def round_experiment(self, request: Request, number: int) -> Experiment:
        """Return a round as an experiment with its own seed, and thus its own lines and games."""
        players = self.stage_players(request.stage)
        rulesets = [self.rulesets[index] for index in request.games]
        count = -(-max(request.games.values()) // len(players))
        title = tr("Round {number} of {title}", number=number, title=self.spec.heading)
        experiment = self.experiment(f"{self.spec.name}-{number:02}", title, rulesets, players, count, number, Round)
        return replace(experiment, openings=None) if request.quick else experiment

    def experiment(
        self, name: str, title: str, rulesets: Sequence[Ruleset], players: Sequence[AgentSpec], count: int, number: int,
        kind: type[Experiment] = EqualGames, **options: Any,
    ) -> Experiment:  # fmt: skip
        """Return an experiment on ``rulesets``, baseline first; the round's ``number`` determines the seed."""
        return kind(
            name=name, path=self.command, title=translated(title, "en"), title_ja=translated(title, "ja"),
            rulesets=tuple(rulesets), baseline=rulesets[0].name, pairings=tuple((player, player) for player in players),
            games=count, max_plies=self.spec.max_plies, openings=self.spec.openings or OPENINGS,
            seed=round_seed(self.spec.seed, number), **options,
        )  # fmt: skip

    def fresh_experiment(
        self, name: str, title: str, rulesets: Sequence[Ruleset], players: Sequence[AgentSpec], number: int
    ) -> Experiment:
        """Return an experiment with the targets and as many games per ruleset as the confirmation allows."""
        count = max(MIN_CONFIRMATION_GAMES, self.confirmation_games // (len(rulesets) * len(players)))
        targets = dict(self.spec.targets) | dict(self.spec.must)
        return self.experiment(name, title, rulesets, players, count, number, targets=targets)

    def stage_players(self, stage: str) -> tuple[AgentSpec, ...]:
        """Return a stage's players."""
        if stage == model.SIEVE:
            return self.spec.quick
        return self.spec.race_players if stage == model.RACING and self.budget.fixed_race else self.spec.round_players

    def play(
        self, experiment: Experiment, folder: Path, columns: Sequence[str], on_progress: Callable[[Progress], object],
        schedule: runner.Schedule | None = None,
    ) -> pd.DataFrame:  # fmt: skip
        """Play an experiment after the training runs that it needs, and return columns of its records."""
        training.ensure_trained(
            training.experiment_trainings(experiment), self.project, say=self.say, executor=self.executor,
            command=self.command, on_progress=self.on_training,
        )  # fmt: skip
        outcome = runner.run_experiment(
            experiment, folder, executor=self.executor, command=self.command, on_progress=on_progress,
            schedule=schedule,
        )  # fmt: skip
        return pd.read_parquet(outcome.trials, columns=list(columns))

    def _schedule(self, experiment: Experiment, request: Request) -> runner.Schedule:
        requested = {
            (self.rulesets[index].name, first.label, second.label): -(-count // len(experiment.pairings))
            for index, count in request.games.items()
            for first, second in experiment.pairings
        }
        return lambda trials: requested

    def observations(self, trials: pd.DataFrame, players: Sequence[AgentSpec]) -> dict[str, Observations]:
        """Return the observations of each measure in games of ``players`` against themselves."""
        names, labels = [ruleset.name for ruleset in self.rulesets], [player.label for player in players]
        rows = pd.Index(names).get_indexer(pd.Index(trials["ruleset"].astype(str)))
        trials, rows = trials[rows >= 0], rows[rows >= 0]
        columns = pd.Index(labels).get_indexer(pd.Index(trials["first"].astype(str)))
        shape = len(names), len(labels)
        return {
            name: model.observed_sums(rows, columns, model.measured_values(trials, name), shape)
            for name in self.allocation.measures
        }

    # Confirmation

    def choose_finalists(self) -> list[Ruleset]:
        """Choose the rulesets to confirm, most promising first; they include the base if the space contains it."""
        self.finalist_indices = self.allocation.finalists(self.spec.finalists)
        if self.candidates.base in self.representatives:
            base = self.representatives.index(self.candidates.base)
            if base not in self.finalist_indices:
                self.finalist_indices.append(base)
        return self.finalists

    def best_ruleset(self) -> Ruleset:
        """Return the best finalist in the confirmation."""
        assert self.outcome is not None
        name = self.outcome["finalists"][0]["ruleset"]
        return next(ruleset for ruleset in (self.spec.base, *self.rulesets) if ruleset.name == name)

    def confirm(self, on_status: OnStatus = lambda status: None) -> tuple[Experiment, Path]:
        """Play fresh games of the finalists and the base; return the experiment and its report folder."""
        with hold_folder_lock(self.folder):
            base = self.spec.base
            rulesets = (base, *(item for item in self.choose_finalists() if item.fingerprint != base.fingerprint))
            title = tr("{title}: the finalists in fresh games", title=self.spec.heading)
            name = CONFIRMED.format(name=self.spec.name)
            experiment = self.fresh_experiment(name, title, rulesets, self.spec.confirmation_players, 0)
            folder = self.project.report(experiment.name)
            on_progress = self._on_progress(on_status, CONFIRMATION, self.allocation.played)
            self.outcome = self.result(self.play(experiment, folder, FRESH_COLUMNS, on_progress))
            self.save_estimates()
            self.save()
            return experiment, folder

    # Estimates

    def _draws(self, stream: int) -> dict[str, Floats]:
        """Return posterior draws of all measures."""
        rng = np.random.default_rng([self.spec.seed, stream])
        return self.allocation.draws(self.allocation.measures, model.DRAWS, rng)

    def estimates(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return tables of estimates for each ruleset and for each level's effect, based on all games of the search.

        Rulesets: index, name, price, games, expected loss, probability of being the best, and each measure with its
        standard deviation. Effects: factor, level and reference level, and for each measure the mean difference, all
        else equal, with the ends of its 95 % interval.
        """
        allocation, draws = self.allocation, self._draws(3)
        losses = allocation.goal.loss(draws)
        losses[:, ~allocation.alive] = np.inf
        best = np.bincount(losses.argmin(axis=1), minlength=len(self.classes)) / len(losses)
        table = pd.DataFrame(
            {
                "place": self.representatives,
                "ruleset": [ruleset.name for ruleset in self.rulesets],
                "price": [self.candidates.prices[index] for index in self.representatives],
                "alike": [len(members) for members in self.classes],
                "games": allocation.seen[PLIES].ruleset_games.astype(int),
                "left_out": ~allocation.alive,
                "loss": np.where(allocation.alive, losses.mean(axis=0), np.nan),
                "best": best,
            }
        )
        for name, values in draws.items():
            table[name], table[f"{name}_sd"] = values.mean(axis=0), values.std(axis=0)
        return table, self._effects(draws)

    def _effects(self, draws: Mapping[str, Floats]) -> pd.DataFrame:
        """Return each level's effect relative to the base's level, or to the first level if the base has none."""
        rows = []
        space = Space(self._points)
        for number, (factor, base) in enumerate(zip(self.spec.factors, self.spec.base_point(), strict=True)):
            reference = base or 0
            for level in range(len(factor.levels)):
                effects = {name: space.contrasts(values, number, level, reference) for name, values in draws.items()}
                if level == reference or any(np.isnan(effect).any() for effect in effects.values()):
                    continue
                row: dict[str, Any] = {"factor": factor.name, "level": factor.levels[level].name,
                                       "beside": factor.levels[reference].name}  # fmt: skip
                for name, effect in effects.items():
                    low, high = np.quantile(effect, [0.025, 0.975])
                    row |= {name: effect.mean(), f"{name}_low": low, f"{name}_high": high}
                rows.append(row)
        return pd.DataFrame(rows)

    def fresh(self, trials: pd.DataFrame) -> tuple[dict[str, FreshEstimates], list[int]]:
        """Return the confirmation's estimates of each measure, and its rulesets' indices in the model.

        A base outside the space has index -1.
        """
        indices = {self.rulesets[index].name: index for index in self.finalist_indices}
        rank = {name: i for i, name in enumerate(indices)}
        order = sorted(trials["ruleset"].astype(str).unique(), key=lambda name: rank.get(name, -1))
        estimates = {measure: model.estimate_fresh(trials, measure, order) for measure in self.allocation.measures}
        return estimates, [indices.get(name, -1) for name in order]

    def result(self, trials: pd.DataFrame) -> dict[str, Any]:
        """Return the confirmation's result as plain data, best finalist first.

        Only fresh games decide the order; the effects of single changes are estimated from all games.
        """
        fresh, order = self.fresh(trials)
        finalist_trials = trials[trials["ruleset"].astype(str).isin({ruleset.name for ruleset in self.finalists})]
        self.allocation.add(self.observations(finalist_trials, self.spec.confirmation_players))
        self.allocation.refit()
        draws = self._draws(4)
        rulesets = [self.rulesets[index] if index >= 0 else self.spec.base for index in order]
        prices = [self.candidates.prices[self.representatives[index]] if index >= 0 else 0.0 for index in order]
        base = [ruleset.fingerprint for ruleset in rulesets].index(self.spec.base.fingerprint)
        goal = model.search_goal(self.spec, prices)
        verdicts = model.compare_finalists(goal, fresh, self._tolerance(), self.spec.seed, base)
        finalists = []
        for row, index in enumerate(order):
            changes = self.candidates.changes(self.spec, self.representatives[index]) if index >= 0 else ()
            finalists.append({
                **self.describe(rulesets[row], fresh, row),
                "price": prices[row],
                "changes": [{"factor": factor.name, "level": level.name} for factor, level in changes],
                **{name: float(values[row]) for name, values in vars(verdicts).items()},
                "buys": self._change_effects(index, draws) if index >= 0 else [],
            })  # fmt: skip
        base_entry = finalists[base]
        finalists.sort(key=lambda finalist: finalist["loss"])
        return {
            "verdict": model.search_verdict(finalists[0]["targets"].values(), finalists[0]["nearer"]),
            "finalists": finalists,
            "base": base_entry,
            "players": [player.label for player in self.spec.confirmation_players],
        }

    def _tolerance(self) -> float:
        """Return the loss that corresponds to the tolerated difference in the first player's score."""
        weights = [aim.weight / aim.unit for aim in self.allocation.goal.aims if aim.measure == FIRST_SCORE]
        return self.spec.indifferent * max(weights, default=0.0)

    def describe(self, ruleset: Ruleset, fresh: Mapping[str, FreshEstimates], row: int) -> dict[str, Any]:
        """Return a ruleset's measures from fresh games and the verdict on each target."""
        values = {}
        for name, estimates in fresh.items():
            low, high = estimates.interval
            values[name] = {"value": float(estimates.mean[row]), "low": float(low[row]), "high": float(high[row])}
        targets = {
            aim.measure: model.judge_band(aim, values[aim.measure]["low"], values[aim.measure]["high"])
            for aim in (*self.allocation.goal.aims, *self.allocation.goal.musts)
        }
        title = in_languages(self.changes_title(ruleset))
        return {"ruleset": ruleset.name, "title": title, "values": values, "targets": targets}

    def changes_title(self, ruleset: Ruleset) -> str:
        """Return a ruleset's changes in words, or the base's title."""
        base, family = self.spec.base, games.declaration(self.spec.base.game)
        words = changes_words(family.name, family.toggles, base.settings, ruleset.settings, len(family.toggles))
        return words if ruleset.fingerprint != base.fingerprint else base.heading

    def _change_effects(self, index: int, draws: Mapping[str, Floats]) -> list[dict[str, Any]]:
        """Return each of a ruleset's changes with its effect relative to the ruleset without it, based on all games."""
        indices = {self.candidates.points[i]: number for number, i in enumerate(self.representatives)}
        point = self.candidates.points[self.representatives[index]]
        entries = []
        for number, (factor, reference) in enumerate(zip(self.spec.factors, self.spec.base_point(), strict=True)):
            if reference is None or point[number] == reference:
                continue
            index_without = indices.get((*point[:number], reference, *point[number + 1 :]))
            if index_without is None:
                continue
            entry: dict[str, Any] = {"factor": factor.name, "level": factor.levels[point[number]].name}
            for name, values in draws.items():
                low, middle, high = np.quantile(values[:, index] - values[:, index_without], [0.025, 0.5, 0.975])
                entry[name] = {"value": float(middle), "low": float(low), "high": float(high)}
            entries.append(entry)
        return entries

    def redundant_names(self) -> list[str]:
        """Return the names of the factors that affect no game; see `find_redundant_factors`."""
        return [self.spec.factors[factor].name for factor in self.redundant.factors]

    # Files

    def save_estimates(self) -> None:
        """Write the tables from `estimates`."""
        target = output.claim_folder(self.folder, [SEARCH, CANDIDATES, EFFECTS])
        for name, table in zip((CANDIDATES, EFFECTS), self.estimates(), strict=True):
            output.write_file(target.path / name, records.to_csv(table, "%.6g").encode())

    def save(self) -> None:
        """Write ``search.json``."""
        content = {
            **identity(self.spec, self.candidates),
            "title": self.spec.title,
            "title_ja": self.spec.title_ja,
            "budget": {"strong": self.budget.strong, "quick": self.budget.quick, "each": self.budget.each,
                       "confirm": self.confirmation_games, "race_learns": self.budget.fixed_race},
            "rounds": self.rounds,
            "played": self.allocation.played,
            "space": {
                "combinations": self.candidates.combinations, "rulesets": len(self.candidates),
                "models": len(self.classes), "unwanted": self.candidates.unwanted,
                "repeated": self.candidates.repeated, "complete": self.candidates.complete,
                "refused": [[group.count, group.shared, group.reason] for group in self.candidates.refused],
                "idle": self.redundant_names(),
                "looked": self.redundant.games,
                "left_out": int((~self.allocation.alive).sum()),
            },
            "targets": dict(self.spec.targets), "must": dict(self.spec.must),
            "indifferent": self.spec.indifferent,
            "result": self.outcome,
        }  # fmt: skip
        _write_json(self.folder, SEARCH, content)


def _write_json(folder: Path, name: str, content: Mapping[str, Any]) -> None:
    target = output.claim_folder(folder, [name])
    output.write_file(target.path / name, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def save_extras(folder: Path, **entries: Any) -> None:
    """Add entries to a search's further results."""
    path = folder / EXTRAS_FILE
    saved = json.loads(path.read_text("utf-8")) if path.exists() else {}
    _write_json(folder, EXTRAS_FILE, {**saved, **entries})


def identity(search: RuleSearch, candidates: Candidates) -> dict[str, Any]:
    """Return the name, the base and a fingerprint of everything that determines the games except their number."""
    content = {
        "base": search.base.fingerprint,
        "candidates": [
            [ruleset.fingerprint, price] for ruleset, price in zip(candidates.rulesets, candidates.prices, strict=True)
        ],
        "targets": [dict(search.targets), dict(search.must), dict(search.weights)],
        "players": [[agent.canonical() for agent in players] for players in (search.quick, search.round_players)],
        "openings": (search.openings or OPENINGS).canonical(),
        "seed": search.seed,
        "max_plies": search.max_plies,
        "finalists": search.finalists,
        "asked": dict(search.budget),
        "allocation": ALLOCATION,
        "engine": engine_digests([search.base.game])[search.base.game],
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
    return {"name": search.name, "base": search.base.name, "fingerprint": digest}


def open_search(
    spec: RuleSearch, project: Project, *, executor: Executor | None = None, command: str = "",
    candidates: Candidates | None = None,
) -> Search:  # fmt: skip
    """Return a search that is ready to continue; the games of a new search are planned.

    Args:
        spec: the search.
        project: the project that contains the search's folder.
        executor: plays the games.
        command: the command that continues the search, for messages.
        candidates: the result of `list_candidates`, if available.

    Raises:
        InputError: the space is empty, or the folder contains another search with this name.
    """
    candidates = candidates or list_candidates(spec)
    folder = search_folder(project, spec.name)
    saved = load_results(folder)
    if saved and saved.get("fingerprint") != identity(spec, candidates)["fingerprint"]:
        message = tr(
            "the folder contains another search with this name: rules, players, targets, budget or engine differ"
        )
        hint = tr("rename the file, or start again with --fresh")
        raise input_error(message, hint, file=display_path(folder))
    executor = executor or Executor()
    workers = max(1, executor.size())
    preparation = runner.game_preparation(spec.base, {agent.code for agent in all_players(spec)})
    runner.compile_in_parallel(preparation, workers)
    if saved:
        budget, space = saved["budget"], saved["space"]
        names = [factor.name for factor in spec.factors]
        redundant = RedundantFactors(tuple(names.index(name) for name in space["idle"]), space["looked"])
    else:
        redundant = find_redundant_factors(candidates.rulesets, candidates.points, spec.max_plies)
        count = len(redundant.classes(candidates.points, candidates.prices))

        def training_seconds(ruleset: Ruleset) -> float:
            return training.estimate_seconds([training.Training(ruleset, SEEDS[0])], 1, project)

        budget = plan_games(spec, count, workers, game_seconds, training_seconds)
    games_budget = Budget(budget["strong"], budget["quick"], budget["each"], fixed_race=budget["race_learns"])
    search = Search(spec, candidates, redundant, games_budget, budget["confirm"], folder, project, executor, command)
    output.make_folder(folder)
    if not saved:
        search.save()
    return search


def all_players(search: RuleSearch) -> list[AgentSpec]:
    """Return all agents that play games or judge opening lines."""
    judge = (search.openings or OPENINGS).judge  # type: ignore[union-attr]
    return list(dict.fromkeys([*search.quick, *search.confirmation_players, AgentSpec.of("random"), judge]))


def in_languages(text: str) -> dict[str, str]:
    """Return a text by language as plain data."""
    return dict(zip(LANGUAGES, in_all(text), strict=True))


def round_seed(seed: int, number: int) -> int:
    """Return a round's seed; the confirmation is round 0, the neighbours of the space are round -1."""
    return int.from_bytes(hashlib.sha256(f"search {seed} {number}".encode()).digest()[:7], "big")


def search_files(folder: Path, *reports: Path) -> list[Path]:
    """Return the files of a search and its reports, which ``--fresh`` deletes."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    return [*files, *(path for report in reports for path in run_files(report) if path.is_file())]


def delete_search(folder: Path, *reports: Path) -> None:
    """Delete the files of a search and the folders left empty."""
    for path in search_files(folder, *reports):
        path.unlink()
    for path in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
        with contextlib.suppress(OSError):
            path.rmdir()


# Number of games

MIN_BATCH = 8
"""Minimum number of games per ruleset in a round; rounded up to a multiple of the number of players."""
PLAYING_SHARE = 0.85
"""The share of the time spent on games; processes, lines and reports take the rest."""
MAX_LEARNING_SHARE = 0.3
"""Maximum share of the time spent on training for the race; if it takes more, players do not train."""
LEARNING_RACE = 100
"""Minimum number of games per ruleset in a race for which players are trained."""
MAX_ROUNDS, MAX_GAMES = 60, 10_000_000
"""Approximate maximum number of rounds of strong players, and maximum number of games derived from hours."""
PILOT_GAMES = 4


def plan_games(
    search: RuleSearch, count: int, workers: int, seconds_per_game: Callable[[Ruleset, AgentSpec], float],
    training_seconds: Callable[[Ruleset], float],
) -> dict[str, int]:  # fmt: skip
    """Return the numbers of games for ``count`` rulesets; ``race_learns`` is true if players train for the race."""
    players = search.round_players
    race_size = min(Budget(0).race, count)
    total, trains = search.budget.get("games"), search.race_players != players
    if total is None:
        seconds = float(np.mean([seconds_per_game(search.base, player) for player in players]))
        remaining = time_left = 3600 * search.budget["hours"] * PLAYING_SHARE * workers
        if search.confirmation_players != players:
            ruleset_seconds = training_seconds(search.base)
            trains = race_size * ruleset_seconds <= MAX_LEARNING_SHARE * time_left
            max_confirmed = len(SEEDS) * (search.finalists + 1)
            remaining -= ruleset_seconds * (max_confirmed + (race_size - search.finalists if trains else 0))
        total = min(MAX_GAMES, int(max(remaining, time_left / 2) / max(seconds, 1e-9)))
    trains = trains and (1 - search.confirm) * total * (1 - model.RACE) >= LEARNING_RACE * race_size
    rounds = Budget(0).batch * MAX_ROUNDS
    player_count = len(search.race_players if trains else players)
    batch = math.ceil(max(MIN_BATCH, (1 - search.confirm) * total / rounds) / player_count) * player_count
    strong = max(batch, round((1 - search.confirm) * total / batch) * batch)
    quick = min(20 * count, 2 * strong) if search.quick else 0
    confirm = max(1, int(total) - strong)
    return {"strong": strong, "quick": quick, "each": batch, "confirm": confirm, "race_learns": trains}


def game_seconds(ruleset: Ruleset, player: AgentSpec) -> float:
    """Return the CPU seconds per game of a player against itself, averaged over a few games."""
    seeds, start_time = np.arange(PILOT_GAMES, dtype=np.uint64), time.perf_counter()
    play_against_itself(ruleset, replace(player, training=0), seeds, 400)
    return (time.perf_counter() - start_time) / PILOT_GAMES


# Rules that change no game

RANDOM_GAMES, MAX_RANDOM_GAMES = (20, 200, 2_000), 60_000
"""Random games per ruleset after each step, and the maximum number of games per step."""
GREEDY_PAIRS, GREEDY_GAMES = 10, 40
"""Groups of rulesets, and games per ruleset, in which greedy players test factors that affect no random game."""


@dataclass(frozen=True)
class RedundantFactors:
    """Factors that have no effect on the games of a space."""

    factors: tuple[int, ...]
    games: int
    """The number of compared random games per ruleset."""

    def classes(self, points: Sequence[Point], prices: Sequence[float]) -> list[list[int]]:
        """Return classes of rulesets that differ only in these factors, each with the cheapest ruleset first."""
        classes: dict[Point, list[int]] = {}
        for i, point in enumerate(points):
            other_levels = tuple(level for factor, level in enumerate(point) if factor not in self.factors)
            classes.setdefault(other_levels, []).append(i)
        return sorted(sorted(members, key=lambda i: (prices[i], i)) for members in classes.values())


def find_redundant_factors(rulesets: Sequence[Ruleset], points: Sequence[Point], max_plies: int) -> RedundantFactors:
    """Return the factors whose level never affects a game, whatever the other levels are.

    ``points`` are the rulesets' levels. Random games decide first, then a few games of greedy players; a rule that
    matters only in good play may therefore be declared redundant.
    """
    random_classes, games = _random_game_classes(rulesets, max_plies)
    greedy, seeds = AgentSpec.of("greedy"), np.arange(GREEDY_GAMES, dtype=np.uint64)
    redundant = []
    for factor in range(len(points[0])):
        contexts: dict[Point, list[int]] = {}
        for i, point in enumerate(points):
            contexts.setdefault((*point[:factor], *point[factor + 1 :]), []).append(i)
        groups = [members for members in contexts.values() if len(members) > 1]
        if groups and all(len({random_classes[i] for i in members}) == 1 for members in groups):
            sample = groups[:: max(1, len(groups) // GREEDY_PAIRS)][:GREEDY_PAIRS]
            if all(len({_game_bytes(rulesets[i], greedy, seeds, max_plies) for i in members}) == 1
                   for members in sample):  # fmt: skip
                redundant.append(factor)
    return RedundantFactors(tuple(redundant), games)


def _random_game_classes(rulesets: Sequence[Ruleset], max_plies: int) -> tuple[list[int], int]:
    """Return the rulesets' class numbers, which are equal if random games are equal, and the number of games."""
    groups, start = [list(range(len(rulesets)))], 0
    for limit in RANDOM_GAMES:
        open_rulesets = sum(len(group) for group in groups if len(group) > 1)
        end = min(limit, start + MAX_RANDOM_GAMES // max(open_rulesets, 1))
        seeds = np.arange(start, end, dtype=np.uint64)
        split: list[list[int]] = []
        for group in groups:
            by_games: dict[bytes, list[int]] = {}
            for i in group:
                games = _game_bytes(rulesets[i], AgentSpec.of("random"), seeds, max_plies) if len(group) > 1 else b""
                by_games.setdefault(games, []).append(i)
            split += by_games.values()
        groups, start = split, end
    number = {i: index for index, group in enumerate(groups) for i in group}
    return [number[i] for i in range(len(rulesets))], start


def _game_bytes(ruleset: Ruleset, player: AgentSpec, seeds: Seeds, plies: int) -> bytes:
    """Return the hashes and results of a player's games against itself as bytes."""
    arrays = play_against_itself(ruleset, player, seeds, plies)
    return bytes(arrays["game_hash"].tobytes() + arrays["result"].tobytes())


# Messages


def describe_space(search: RuleSearch, candidates: Candidates) -> list[str]:
    """Return sentences about the number of rulesets, and about rejected ones with the reasons."""
    lines = [tr("{combinations:,} combinations: {count:,} different rulesets.", combinations=candidates.combinations,
                count=len(candidates))]  # fmt: skip
    if not candidates.complete:
        lines.append(
            tr("That is too many: only the rulesets near the base and a random sample of the others are examined.")
        )
    for group in candidates.refused:
        group_text = tr("{count:,} combinations ({shared})", count=group.count, shared=group.shared)
        lines.append(tr("Refused: {which}: {reason}", which=group_text, reason=group.reason))
    if candidates.unwanted:
        lines.append(tr("Excluded: {count:,} combinations.", count=candidates.unwanted))
    if candidates.repeated:
        lines.append(tr("Same rules as another: {count:,} combinations.", count=candidates.repeated))
    if candidates.base is None:
        lines.append(tr("The base is not in the space, but it is a finalist."))
    return lines


def describe_budget(search: Search) -> list[str]:
    """Return sentences about the number of games and the smallest differences that they can show."""
    spec, players = search.spec, len(search.spec.confirmation_players)
    games_each = search.confirmation_games / (spec.finalists + 1)
    # This is the half-width of a score's simultaneous interval if a third of the games are drawn.
    half_width = float(stats.norm.ppf((1 + 0.95 ** (1 / spec.finalists)) / 2)) * math.sqrt(0.17 / games_each)
    lines = [
        tr("{models:,} rulesets are searched with {games:,} games between {players} players; {fresh:,} fresh "
           "games confirm the finalists.",
           models=len(search.classes), games=search.budget.strong, players=len(spec.round_players),
           fresh=search.confirmation_games),
        tr("The finalists' scores will have errors of about ±{points:.1f} points, in addition to the variation "
           "between the {players} players.", points=100 * half_width, players=players),
    ]  # fmt: skip
    if half_width > spec.indifferent:
        needed = int(round(search.total_games * (half_width / spec.indifferent) ** 2, -2))
        lines.append(
            tr("That is more than the {points:g} points that do not matter; resolving such small differences "
               "takes about {games:,} games.",
               points=100 * spec.indifferent, games=needed)
        )  # fmt: skip
    if names := ", ".join(search.redundant_names()):
        lines.append(
            tr("None of {games:,} random games depends on: {names}.", games=search.redundant.games, names=names)
        )
    return lines


@contextlib.contextmanager
def progress_display(console: Console | None) -> Iterator[OnStatus]:
    """Return a context manager that shows a progress bar with the stage and the remaining time in a terminal."""
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


# Neighbours of the space


def play_neighbours(search: Search, limit: int, on_status: OnStatus = lambda status: None) -> Path | None:
    """Play the finalists and at most ``limit`` rulesets outside the space that are one step from a finalist.

    The best finalist is the baseline, and the games use the same players as the search rounds. Returns the report
    folder, or None if there is no such ruleset.
    """
    spec = search.spec
    excluded = {spec.base.fingerprint, *(ruleset.fingerprint for ruleset in search.candidates.rulesets)}
    steps = neighbours(search.finalists, excluded, limit)
    if not steps:
        return None
    title = tr("{title}: one step outside the search space", title=spec.heading)
    rulesets = [*search.finalists, *(step.ruleset for step in steps)]
    experiment = search.fresh_experiment(BEYOND.format(name=spec.name), title, rulesets, spec.round_players, -1)
    folder = search.project.report(experiment.name)
    trials = search.play(
        experiment, folder, FRESH_COLUMNS,
        lambda progress: on_status(Status(CONFIRMATION, progress.done, progress.total)),
    )  # fmt: skip
    save_extras(search.folder, beyond=neighbour_rows(search, steps, trials))
    return folder


def neighbour_rows(search: Search, steps: list[Neighbour], trials: pd.DataFrame) -> list[dict[str, Any]]:
    """Return finalists and their neighbours as plain data, sorted by their distance from the targets.

    The intervals of a measure are simultaneous at 95 %. ``change`` is the step in words, ``beside`` the finalist.
    """
    entries: list[tuple[Ruleset, str, Ruleset | None]] = [(ruleset, "", None) for ruleset in search.finalists]
    entries += [(step.ruleset, step.change, step.origin) for step in steps]
    order = [ruleset.name for ruleset, _, _ in entries]
    aims = (*search.allocation.goal.aims, *search.allocation.goal.musts)
    fresh = {measure: model.estimate_fresh(trials, measure, order) for measure in search.allocation.measures}
    rows = [
        search.describe(ruleset, fresh, i)
        | {
            "misses": sum(float(aim.misses(fresh[aim.measure].mean)[i]) for aim in aims),
            "change": in_languages(change),
            "beside": in_languages(search.changes_title(origin)) if origin else None,
        }
        for i, (ruleset, change, origin) in enumerate(entries)
    ]
    return sorted(rows, key=lambda row: row["misses"])
