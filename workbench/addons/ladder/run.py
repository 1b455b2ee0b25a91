"""Playing of a ladder: paired games on shared opening lines until the steps between players are precise enough.

`workbench.runs.runner` plays a ladder as an experiment, which can continue after an interruption. The folder's name is
a fingerprint of everything that determines the games.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from workbench.addons.ladder.statistics import LadderSchedule, count_first_games, fit_ladder, ladder_as_json
from workbench.base import output, project
from workbench.base.errors import NONE, InputError, Problem, expected
from workbench.base.language import tr, translated
from workbench.engine import trials
from workbench.engine.players import BlockArguments
from workbench.experiments.experiment import DEFAULT_MAX_PLIES, Experiment
from workbench.experiments.experiment_files import THRESHOLD, DrawnLines
from workbench.players import agents, library
from workbench.players.agent_kinds import KINDS
from workbench.players.agents import AgentSpec
from workbench.players.external import block_runner
from workbench.records.provenance import LADDER_FILE, ladder_folder
from workbench.rules.rulesets import Ruleset
from workbench.runs import runner, training
from workbench.runs.executor import Executor
from workbench.runs.runner import compile_games
from workbench.runs.worker import PlayBlock, engine_digests

if TYPE_CHECKING:
    from rich.console import Console


NODES = (1_000, 3_000, 10_000, 30_000, 100_000)
REPEATS = 10
"""Maximum number of games of a pair on the same line in the same seats."""


def default_rungs() -> list[str]:
    """Return the default players in command-line syntax, weakest first."""
    fast = [kind.name for kind in KINDS.values() if kind.is_fast]
    by_nodes = [kind.name for kind in KINDS.values() if kind.has_node_budget]
    suffixes = ("", ",evaluation=learned,training=1")
    return [*fast, *(f"{kind}:nodes={nodes}{suffix}" for nodes in NODES for kind in by_nodes for suffix in suffixes)]


@dataclass(frozen=True)
class Ladder:
    """The definition of a ladder."""

    ruleset: Ruleset
    players: tuple[AgentSpec, ...]
    """The players in the expected order of strength."""
    openings: DrawnLines
    seed: int = 0
    max_plies: int = DEFAULT_MAX_PLIES

    @property
    def name(self) -> str:
        """The name of the experiment."""
        return f"ladder-{self.ruleset.name.replace('/', '-')}"

    @cached_property
    def engine(self) -> str:
        """The digest of the engine."""
        return engine_digests([self.ruleset.game])[self.ruleset.game]

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that determines the games except their number: 16 hex digits."""
        content = {
            "rules": [self.ruleset.game, self.ruleset.fingerprint],
            "players": [player.canonical() for player in self.players],
            "openings": self.openings.canonical(),
            "seed": self.seed,
            "max_plies": self.max_plies,
            "engine": self.engine,
        }
        if learned := training.with_learned_digests(self.experiment, project.find_project()).learned:
            content["learned"] = sorted([key, digest] for (_, key), digest in learned.items())
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    @cached_property
    def experiment(self) -> Experiment:
        """The experiment with all pairings; the schedule selects those that are played."""
        title = tr("How strong are the players of {ruleset}?", ruleset=self.ruleset.name)
        return Experiment(
            name=self.name, path=f"workbench ladder {self.ruleset.name}", title=str(title),
            title_ja=translated(title, "ja"), rulesets=(self.ruleset,), baseline=self.ruleset.name,
            pairings=tuple(itertools.permutations(self.players, 2)), games=REPEATS * self.openings.lines,
            max_plies=self.max_plies, adjudicate=THRESHOLD if agents.strongest_player(self.players) else None,
            openings=self.openings, seed=self.seed,
        )  # fmt: skip

    def check_players(self, games: int) -> None:
        """Raise `InputError` if the players or the number of games are unsuitable for a ladder."""
        problems: list[Problem] = []
        labels = [player.label for player in self.players]

        def refuse(option: str, message: str, hint: str = "") -> None:
            problems.append(Problem("", None, option, message, hint))

        if len(labels) < 2:
            refuse("--agents", expected(tr("at least two players"), ", ".join(labels) or NONE))
        for first, second in itertools.combinations(self.players, 2):
            if first.canonical() == second.canonical():
                refuse("--agents", expected(tr("players that differ"), tr("{name} again", name=first.label)))
            elif first.label == second.label:
                duplicate = tr("two '{one}' with different options", one=first.label)
                message = expected(tr("players with distinct labels"), duplicate)
                refuse("--agents", message, tr("name one of them: alphabeta:depth=2,name=calm"))
        if not problems and games < (minimum := count_first_games(len(labels))):
            requirement = tr("at least {least:,} games for {count} players that each meet the next two in both seats")
            requirement = requirement.format(least=minimum, count=len(labels))
            refuse("--games", expected(requirement, f"{games:,}"), tr("or use fewer players"))
        if problems:
            raise InputError(problems)


@dataclass(frozen=True)
class LadderResult:
    """The result of playing a ladder."""

    folder: Path
    content: Mapping[str, Any]
    games_played: int


def drop_slow_players(
    ladder: Ladder, seconds: float, workers: int, play: PlayBlock | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[Ladder, dict[str, float]]:  # fmt: skip
    """Return the ladder without slow players, and the estimated duration in seconds for each removed player.

    The estimate is based on two games of each player against itself. A player is removed if the initial games with it
    would take longer than ``seconds``. At least two players remain.
    """
    if play is None:
        compile_games(ladder.ruleset, ladder.experiment.kinds, workers)
        play = trials.run_block
    times: list[float] = []
    removed: dict[str, float] = {}
    selected: list[AgentSpec] = []
    for player in ladder.players:
        engine_player = library.engine_player(player, ladder.ruleset)
        play_games = block_runner(player, player, ladder.ruleset, play)
        start_time = clock()
        game, codes, seeds = ladder.ruleset.game, ladder.ruleset.codes(), np.arange(2, dtype=np.uint64)
        play_games(BlockArguments(game, codes, engine_player, engine_player, seeds, ladder.max_plies))
        trial_times = [*times, (clock() - start_time) / 2]
        pairs = [*itertools.pairwise(trial_times), *zip(trial_times, trial_times[2:], strict=False)]
        seconds_needed = sum(count_first_games(2) * (first + second) / 2 for first, second in pairs) / workers
        if len(selected) >= 2 and seconds_needed > seconds:
            removed[player.label] = seconds_needed
            continue
        times, selected = trial_times, [*selected, player]
    return replace(ladder, players=tuple(selected)), removed


def play_ladder(
    ladder: Ladder, reports: Path, *, precision: float, games: int, zero: str = "", executor: Executor | None = None,
    allow_programs: bool = False, command: str = "", console: Console | None = None,
    play_block: PlayBlock | None = None,
) -> LadderResult:  # fmt: skip
    """Play a ladder's missing games and save it in the reports folder."""
    ladder.check_players(games)
    labels = [player.label for player in ladder.players]
    folder = ladder_folder(reports, ladder.ruleset.name, ladder.fingerprint)
    experiment = ladder.experiment
    schedule = LadderSchedule(labels, precision, games, experiment.games)

    def requested_games(trials: pd.DataFrame) -> dict[tuple[str, str, str], int]:
        return {(ladder.ruleset.name, *seating): count for seating, count in schedule.games_per_seating(trials).items()}

    command = command or f"workbench ladder {ladder.ruleset.name}"
    try:
        outcome = runner.run_experiment(
            experiment, folder, executor=executor, allow_programs=allow_programs, command=command, console=console,
            schedule=requested_games, play=play_block,
        )  # fmt: skip
    except InputError as error:
        hint = tr("use fewer --lines or longer ones (--plies)")
        raise InputError(
            replace(problem, key="--lines", hint=hint) if problem.key == "openings" else problem
            for problem in error.problems
        ) from None
    trials = pd.read_parquet(outcome.trials, columns=[*runner.SCHEDULE_COLUMNS, "line", "termination"])
    content = ladder_content(ladder, trials, zero or ("random" if "random" in labels else ""))
    file = output.claim_folder(folder, [LADDER_FILE]).path / LADDER_FILE
    output.write_file(file, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())
    return LadderResult(folder, content, outcome.played)


def ladder_content(ladder: Ladder, trials: pd.DataFrame, zero: str) -> dict[str, Any]:
    """Return the content of ``ladder.json``, given the ladder's records."""
    fitted = ladder_as_json(fit_ladder(trials, [player.label for player in ladder.players], zero))
    by_label = {player.label: player for player in ladder.players}

    def player_entry(label: str) -> dict[str, Any]:
        player = by_label[label]
        learned = {"learned": library.require_learned(player, ladder.ruleset).digest} if player.training else {}
        return {"player": label, "options": player.canonical(), **learned}

    players = [player_entry(entry["player"]) | entry for entry in fitted.pop("players")]
    return {
        "ruleset": ladder.ruleset.name,
        "title": ladder.ruleset.title,
        "title_ja": ladder.ruleset.title_ja,
        "rules": {"game": ladder.ruleset.game, "fingerprint": ladder.ruleset.fingerprint},
        "fingerprint": ladder.fingerprint,
        "engine": ladder.engine,
        "seed": ladder.seed,
        "max_plies": ladder.max_plies,
        "openings": ladder.openings.canonical(),
        "games": len(trials),
        "stopped": int((trials["result"].astype(str) == "unfinished").sum()),
        "adjudicated": int((trials["termination"].astype(str) == "adjudicated").sum()),
        "players": players,
        "irreproducible": [player.label for player in ladder.players if not player.reproducible],
        **fitted,
    }
