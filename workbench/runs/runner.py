"""Runs of experiments: playing their games in several processes and saving every finished block.

The report folder shows what has been played (`workbench.runs.progress`), so the same command continues a run that was
stopped in any way. Only damaged files are replayed, and a file that cannot be read at present stops the run. Games of
two engines are never mixed.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import workbench
from workbench import games
from workbench.base import output, project
from workbench.base.console import handle_signals
from workbench.base.errors import PlayerFailed
from workbench.base.language import AND, tr, translated
from workbench.engine import trials
from workbench.engine.players import SEARCHES, BlockArguments, Player
from workbench.experiments.experiment import Block, Cell, Experiment
from workbench.players import library
from workbench.players.external import ExternalPlayer, block_runner, probe_player
from workbench.positions.game_state import opening_texts, traces
from workbench.records import provenance, records
from workbench.records.records import TRIALS
from workbench.rules.rulesets import Ruleset
from workbench.runs import progress, training, worker
from workbench.runs.executor import Executor, ExecutorLost, Stopped
from workbench.runs.lines import ExperimentLines, describe_lines, draw_experiment_lines

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from workbench.statistics.analysis import InterimAnalyses

Schedule = Callable[["pd.DataFrame"], Mapping[tuple[str, str, str], int]]
"""Returns the number of games of each cell (ruleset, first, second), given the records so far."""
SCHEDULE_COLUMNS = ["ruleset", "first", "second", "game", "result"]
"""The columns that a schedule receives, besides ``line`` if there are opening lines."""


@dataclass(frozen=True)
class RunOutcome:
    """The result of a run."""

    trials: Path
    """The folder of record files."""
    total: int
    resumed: int
    played: int
    notes: tuple[str, ...] = ()
    """Notes for the user about added games, damaged files and dead workers."""


def run_experiment(
    experiment: Experiment, folder: Path, *, workers: int | None = None, fresh: bool = False,
    into_existing: bool = False, allow_programs: bool = False, command: str = "", console: Console | None = None,
    on_progress: Callable[[progress.Progress], object] | None = None, play: worker.PlayBlock | None = None,
    opening_texts: worker.OpeningTexts = opening_texts, schedule: Schedule | None = None,
    executor: Executor | None = None,
) -> RunOutcome:  # fmt: skip
    """Play all games that are missing in a report folder, and save them there; see `workbench.records.records`.

    Args:
        experiment: the experiment.
        folder: the report folder, created if it does not exist.
        workers: the number of processes, by default one per core; 1 plays in this process.
        fresh: delete `run_files` first; the caller has asked the user.
        into_existing: allow a folder with other contents, which are never replaced.
        allow_programs: start external programs and classes; the user has allowed it.
        command: the command that repeats this run, for messages and the provenance.
        console: receives a progress bar and messages, if any.
        on_progress: called after each block.
        play: plays one block, by default the engine.
        opening_texts: formats the first moves of games.
        schedule: returns the games of each cell, up to ``experiment.games``. It must be a function of the records, and
            never request fewer games than there are.
        executor: plays the games, by default ``workers`` processes of this machine.

    Raises:
        FolderMismatch: the folder contains the games of a different question.
        ProgramsNotAllowed: there are external players, which the user has not allowed.
        Stopped: an external player failed, the cluster is gone, or workers died repeatedly in the same block;
            finished games are saved.
        FolderBusy: another run is using the folder.
        RunInterrupted: the user pressed Ctrl-C, or the process received SIGTERM.
        FolderUnwritable: the folder cannot be written.
        FolderUnreadable: a file of the folder cannot be read at present.
        InputError: the folder has other contents or a link in place of a file, or a player is not trained.
    """
    experiment = training.with_learned_digests(experiment, project.find_project())
    command = command or f"workbench run {experiment.path}"
    executor = executor or Executor(workers)
    total_games = experiment.total_games
    try:
        owned = provenance.claim_report_folder(folder, into_existing)
        with progress.hold_folder_lock(folder):
            before = provenance.read_provenance(folder)
            if fresh:
                for path in progress.run_files(folder):
                    path.unlink()
            storage = progress.Storage(experiment, owned)
            storage.prepare()
            run = _Run(
                storage, executor, command, console, on_progress, play, opening_texts, schedule, allow_programs, before
            )
            try:
                with handle_signals(signal.default_int_handler, signal.SIGTERM):
                    run.draw_lines(None if fresh else before)
                    return run.execute()
            except KeyboardInterrupt:
                with handle_signals(signal.SIG_IGN, signal.SIGINT, signal.SIGTERM):
                    raise progress.RunInterrupted(run.games_on_disk(), run.progress.total, command) from None
            except (ExecutorLost, PlayerFailed) as error:
                text = tr("{error}\n{kept:,} of {total:,} games are saved. To continue: {command}")
                kept, total = run.games_on_disk(), run.progress.total
                raise Stopped(text.format(error=error, kept=kept, total=total, command=command)) from None
            except output.Unwritable as error:
                kept = run.games_on_disk()
                raise progress.FolderUnwritable(folder, error, kept, run.progress.total, command) from error
            except records.Unreadable as error:
                text = tr("{error}. It was damaged while being read. To try again: {command}")
                raise Stopped(text.format(error=error, command=command)) from error
    except output.Unwritable as error:
        raise progress.FolderUnwritable(folder, error, 0, total_games, command) from error
    except records.Unavailable as error:
        raise progress.FolderUnreadable(error, command) from error


@dataclass
class _Run:
    """One call of `run_experiment`."""

    storage: progress.Storage
    executor: Executor
    command: str
    console: Console | None
    on_progress: Callable[[progress.Progress], object] | None
    play: worker.PlayBlock | None
    opening_texts: worker.OpeningTexts
    schedule: Schedule | None
    allow_programs: bool
    before: dict[str, Any] | None
    """The previous provenance of the folder, even if its records were deleted."""
    trace: Callable[..., list[Any]] | None = None
    preparations: tuple[worker.Preparation, ...] = ()
    lines: ExperimentLines = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    earlier_games: Sequence[int] = ()
    timed: tuple[int, float] = (0, 0.0)
    """Games played by this run, and the worker seconds that they took."""

    def __post_init__(self) -> None:
        self.experiment, self.cells, self.folder = self.storage.experiment, self.storage.cells, self.storage.folder
        self.progress = progress.Progress(total=self.experiment.total_games, kept=0)

    def draw_lines(self, before: Mapping[str, Any] | None) -> None:
        """Draw the opening lines that are not recorded in ``before``."""
        if self.experiment.openings is not None:
            with self._show_status(tr("Choosing the openings")):
                self.lines = draw_experiment_lines(self.experiment, before)
            for line in describe_lines(self.experiment, self.lines):
                self._say(line, keep=False)

    def execute(self) -> RunOutcome:
        """Check the folder, play the missing games stage by stage, and write the finished files."""
        storage = self.storage
        inventory = storage.take_inventory()
        recorded = provenance.read_provenance(self.folder)
        manifest = run_manifest(self.experiment, self.cells, self.executor.size(), self.command, self.lines)
        changes = provenance.question_changes(self.before, manifest) if self.before else []
        kept = inventory.games
        if inventory.foreign or (kept and changes):
            missing_message = tr("{file} is missing or damaged", file=provenance.FILE)
            foreign_message = tr("some of its records belong to other games")
            raise self._mismatch(changes or [foreign_message if recorded else missing_message])
        self.progress = progress.Progress(total=self.experiment.total_games, kept=kept)
        self.clock = progress.Clock(self.progress)
        self.earlier_games = [] if changes else earlier_games(self.before, self.experiment)
        goal = self._goal(inventory)
        self.progress.total = sum(goal.values())
        missing = storage.missing_blocks(inventory, goal)
        if mixed := self._mixed_engines(inventory, missing):
            raise self._mismatch(mixed)
        players = previous = (recorded or {}).get("players") or {}
        if missing:
            players = probe_external_players(self.experiment, self.allow_programs, self.command, self._say)
            text = tr("player {label}: was {previous}, is now {player}")
            changed_players = [
                text.format(label=label, previous=previous[label].get("name"), player=player["name"])
                for label, player in players.items()
                if label in previous and previous[label].get("name") != player["name"]
            ]
            if kept and changed_players:
                raise self._mismatch(changed_players)
        for path, line in inventory.damaged.items():
            self._say(tr("{line}: played again", line=line))
            path.unlink()
        if kept and recorded is None:
            text = tr("{file} was missing or damaged: recreated from the experiment, without date and machine")
            self._say(text.format(file=provenance.FILE))
        engines = self._recorded_engines(inventory)
        content = {**manifest, "engines": engines}
        content |= {"earlier_games": self.earlier_games} if self.earlier_games else {}
        content |= {"players": players} if players else {}
        if not missing:
            digests = self._finish(inventory, goal)
            if recorded is None:
                provenance.write_provenance(self.folder, None, content, digests, lost=True)
            elif any(recorded.get(name) != content.get(name) for name in ("experiment", "earlier_games", "openings")):
                provenance.write_provenance(self.folder, recorded, content, digests)
            elif recorded.get("digests") != digests:
                provenance.save_provenance(self.folder, recorded, digests)
            self._say(tr("All {kept:,} games have already been played; nothing to do.", kept=kept), keep=False)
            storage.clear(digests)
            return RunOutcome(self.folder / TRIALS, kept, kept, 0, tuple(self.notes))
        if kept:
            if recorded and recorded["experiment"]["games"] < self.experiment.games:
                line = tr("games per cell: was {before}, is now {now}")
                line = line.format(before=recorded["experiment"]["games"], now=self.experiment.games)
                self._say(tr("Changed since the last run: {line}", line=line))
            self._say(
                tr(
                    "Continuing: {kept:,} of {total:,} games have already been played.",
                    kept=kept,
                    total=self.progress.total,
                ),
                keep=False,
            )
        is_lost = bool(kept) and recorded is None
        written = provenance.write_provenance(self.folder, recorded if kept else None, content, lost=is_lost)
        while missing:
            played = inventory.games
            self._play(missing, goal)
            # The new games may extend the goal of sequential experiments.
            inventory = storage.take_inventory()
            goal = self._goal(inventory)
            self.progress.total = sum(goal.values())
            if inventory.games == played:
                text = tr("The games already played cannot be read back from {folder}. To try again: {command}")
                raise Stopped(text.format(folder=self.folder, command=self.command))
            missing = storage.missing_blocks(inventory, goal)
        digests = self._finish(inventory, goal)
        if self.timed[0]:
            written = {**written, "timed": {"games": self.timed[0], "seconds": round(self.timed[1], 1)}}
        provenance.save_provenance(self.folder, written, digests)
        storage.clear(digests)
        total, most = self.progress.total, self.experiment.total_games
        if total < most and not self.schedule:
            self._say(tr("Done after {total:,} of at most {most:,} games.", total=total, most=most), keep=False)
        return RunOutcome(self.folder / TRIALS, total, kept, self.progress.played, tuple(self.notes))

    def games_on_disk(self) -> int:
        """Return the number of games on disk, which may exceed the progress by a block."""
        try:
            return self.storage.take_inventory().games
        except records.Unavailable:
            return self.progress.done

    def _goal(self, inventory: progress.Inventory) -> dict[str, int]:
        """Return the number of games that each cell digest should have, based on the games on disk."""
        if not self.schedule and not self.experiment.sequential:
            return {cell.digest: self.experiment.cell_games(cell) for cell in self.cells}
        line = [records.LINE.name] if self.experiment.openings else []
        if self.schedule:
            counts = self.schedule(self.storage.games_table(inventory, [*SCHEDULE_COLUMNS, *line]))
        else:
            columns = dict.fromkeys((*records.JUDGED, *line, *self._analyses.plan.measure_columns))
            counts = self._analyses.games_per_cell(self.storage.games_table(inventory, [*columns]))
        return {
            cell.digest: counts.get((cell.ruleset.name, cell.first.label, cell.second.label), 0) for cell in self.cells
        }

    @cached_property
    def _analyses(self) -> InterimAnalyses:
        """The interim analyses of this run, including those before ``games`` was raised."""
        from workbench.statistics import AnalysisPlan
        from workbench.statistics.analysis import InterimAnalyses

        texts = {name: lines.texts for name, lines in self.lines.items()}
        positions = {name: lines.positions for name, lines in self.lines.items()}
        return InterimAnalyses(AnalysisPlan(self.experiment, texts, positions, tuple(self.earlier_games)))

    def _mismatch(self, differences: Sequence[str]) -> progress.FolderMismatch:
        """Return the error about a folder that contains different games."""
        command = self.command if self.command.startswith("workbench run ") else ""
        return progress.FolderMismatch(self.folder, differences, command)

    def _recorded_engines(self, inventory: progress.Inventory) -> dict[str, str]:
        """Return each family's engine digest; `_mixed_engines` ensures that there is only one."""
        current = worker.engine_digests(self.storage.declarations)
        return {family: min(inventory.engines.get(family) or {current[family]}) for family in current}

    def _mixed_engines(self, inventory: progress.Inventory, missing: Sequence[Block]) -> list[str]:
        """Describe each family whose recorded games and missing games have different engines."""
        lines = []
        to_play = {block.cell.ruleset.game for block in missing}
        text = tr(
            "engine: the games of {family} were played by {theirs}, but this is {now} (source digests): the "
            "same seed may give a different game"
        )
        for family, current in worker.engine_digests(self.storage.declarations).items():
            recorded = inventory.engines.get(family, set())
            if len(recorded) > 1 or (family in to_play and recorded - {current}):
                lines.append(text.format(family=family, theirs=AND.join(sorted(recorded)), now=current))
        return lines

    def _play_blocks(self, blocks: Sequence[Block]) -> Generator[tuple[Block, tuple[float, Mapping[str, Any]]]]:
        """Compile the code that blocks need, then yield each block with its seconds and arrays."""
        if is_first := self.play is None:
            self.play = trials.run_block
            # Schedules, such as a ladder's, have too many cells to trace.
            self.trace = None if self.schedule else traces
            rulesets = {block.cell.ruleset.game: block.cell.ruleset for block in blocks}
            self.preparations = tuple(game_preparation(rules, self.experiment.kinds) for rules in rulesets.values())
        if is_first and not self.executor.remote:
            for preparation in self.preparations:
                self._prepare(preparation, min(self.executor.size(), len(blocks)))
        calls = BlockCalls(self.experiment, self.lines, self.play, self.opening_texts, self.trace, self.preparations)
        return self.executor.as_completed(blocks, calls.call, self._say)

    def _prepare(self, preparation: worker.Preparation, workers: int) -> None:
        """Compile a family's missing code; workers load existing code themselves."""
        if workers > 1 and not preparation.is_missing():
            return
        with self._show_status(
            tr("Preparing {family} (takes a while after installation)", family=preparation.family)
        ) as show:

            def show_done(part: int, parts: int) -> None:
                text = tr("Compiling {family}, once after installation: {part} of {parts} parts")
                show(text.format(family=preparation.family, part=part, parts=parts))

            if workers > 1:
                compile_in_parallel(preparation, workers, show_done)
            if workers == 1 or preparation.is_missing():
                preparation.make(*preparation.arguments)

    def _play(self, blocks: list[Block], goal: Mapping[str, int]) -> None:
        blocks = join_blocks(blocks, self.executor)
        self.progress.workers = max(1, min(self.executor.size(), len(blocks)))
        cells = {block.cell.digest: block.cell for block in blocks}.items()
        until = self.experiment.until and not self.schedule
        # Games that the cells may play after the next interim analysis.
        later = [(cell, self.experiment.games - goal[digest]) for digest, cell in cells] if until else []
        self.clock.begin_stage(blocks, later)
        with (
            contextlib.closing(self._play_blocks(blocks)) as results,
            progress.progress_bar(self.console, self.progress) as show,
        ):
            show(self.progress)
            for block, (seconds, arrays) in results:
                self.storage.save_block(block, arrays)
                self.progress.workers = min(self.executor.size() or self.progress.workers, len(blocks))
                self.clock.add(block, seconds)
                self.timed = (self.timed[0] + block.count, self.timed[1] + seconds)
                show(self.progress)
                if self.on_progress:
                    self.on_progress(self.progress)

    def _finish(self, inventory: progress.Inventory, goal: Mapping[str, int]) -> dict[str, str]:
        """Write the files of a finished run, and return their digests."""
        if inventory.games > self.progress.total:
            text = tr("{cell}: it should have stopped after {goal:,} games, but more were played")
            messages = [
                text.format(cell=cell.title, goal=goal[cell.digest])
                for cell in self.cells
                if inventory.count_games(cell.digest) > goal[cell.digest]
            ]
            raise self._mismatch(messages)
        with self._show_status(tr("Writing the records")):
            return self.storage.finish_records(inventory, goal, self._recorded_engines(inventory))

    def _say(self, line: str, keep: bool = True) -> None:
        if keep:
            self.notes.append(line)
        if self.console:
            self.console.print(line, markup=False, highlight=False)

    @contextlib.contextmanager
    def _show_status(self, text: str) -> Iterator[Callable[[str], object]]:
        """Show a status line while the context is active; yield a function that changes it."""
        if self.console is None:
            yield lambda text: None
            return
        with self.console.status(text) as status:
            yield lambda text: status.update(translated(text))


# Provenance


def run_manifest(
    experiment: Experiment, cells: Sequence[Cell], workers: int, command: str, lines: ExperimentLines | None = None
) -> dict[str, Any]:
    """Return the provenance of a run: experiment, rules, agents, lines, versions, machine, command and date."""
    families = {ruleset.game: games.declaration(ruleset.game) for ruleset in experiment.rulesets}
    learned = training.record_trainings(training.experiment_trainings(experiment), project.find_project())
    pairings = {(cell.first.label, cell.second.label): (cell.first, cell.second) for cell in cells}
    levels = experiment.levels
    return {
        "experiment": experiment.canonical(),
        "rulesets": [
            ruleset_entry(ruleset) | ({"levels": dict(levels[ruleset.name])} if ruleset.name in levels else {})
            for ruleset in experiment.rulesets
        ],
        "pairings": [
            {
                "first": first.label, "second": second.label,
                "first_options": first.canonical(), "second_options": second.canonical(),
                **({} if first.reproducible and second.reproducible else {"reproducible": False}),
            }
            for first, second in pairings.values()
        ],
        "weights": {
            name: {feature.name: feature.weight for feature in declaration.features}
            for name, declaration in families.items()
        },
        **({"learned": learned} if learned else {}),
        **({"openings": {name: entry.as_json() for name, entry in lines.items()}} if lines else {}),
        **machine_entries(families, workers, command),
    }  # fmt: skip


def ruleset_entry(ruleset: Ruleset) -> dict[str, Any]:
    """Return the entry of a ruleset in the provenance."""
    return {
        "name": ruleset.name, "title": ruleset.title, "title_ja": ruleset.title_ja,
        **({"label": ruleset.label} if ruleset.label else {}),
        "game": ruleset.game, "fingerprint": ruleset.fingerprint, "settings": dict(ruleset.settings),
    }  # fmt: skip


def machine_entries(families: Iterable[str], workers: int, command: str) -> dict[str, Any]:
    """Return the entries of versions, engines, machine, command and date in the provenance."""
    commit = current_commit()
    return {
        "versions": {
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in ("numpy", "numba", "pandas", "pyarrow")},
            "workbench": workbench.__version__, **({"commit": commit} if commit else {}),
        },
        "engines": worker.engine_digests(families), "cpu": cpu_name(), "workers": workers, "command": command,
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }  # fmt: skip


@cache
def current_commit() -> str:
    """Return the commit of the checkout, followed by ``+`` if it has changes; "" for an installed package."""
    root = Path(workbench.__file__).resolve().parents[1]
    if not (root / ".git").exists():
        return ""
    command = ["git", "--no-optional-locks", "-C", str(root)]
    command += ["describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=+"]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    return ""


def cpu_name() -> str:
    """Return the processor's name."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def earlier_games(before: Mapping[str, Any] | None, experiment: Experiment) -> list[int]:
    """Return the numbers of games per cell at which verdicts were reached before ``games`` was raised.

    Unfinished runs have verdicts only if their cells may end early. ``before`` is the folder's provenance, if any.
    """
    if not before:
        return []
    games, has_verdicts = before["experiment"]["games"], "digests" in before or experiment.sequential
    return [*before.get("earlier_games", ()), *([games] if has_verdicts and games < experiment.games else [])]


# External players


def probe_external_players(
    experiment: Experiment, allowed: bool, command: str, say: Callable[[str], None]
) -> dict[str, dict[str, Any]]:
    """Start each external player briefly, and a program once per ruleset, to find faults before the first game.

    Returns:
        The reported name and the file of each player, by label.

    Raises:
        ProgramsNotAllowed: there are external players, and the user has not ``allowed`` them.
        PlayerFailed: one cannot be started, does not support a ruleset, or plays by other rules.
    """
    external_players: dict[Any, tuple[ExternalPlayer, Ruleset]] = {}
    for cell in experiment.cells():
        for agent in (cell.first, cell.second):
            if player := ExternalPlayer.of(agent, cell.ruleset):
                rules = cell.ruleset.fingerprint if player.variant else ""
                external_players.setdefault((player.label, rules), (player, cell.ruleset))
    start_lines = list(dict.fromkeys(player.describe() for player, _ in external_players.values()))
    if start_lines and not allowed:
        raise progress.ProgramsNotAllowed(start_lines, command)
    for line in start_lines:
        say(tr("Starts {line}", line=line))
    players = {}
    for player, ruleset in external_players.values():
        name, note = probe_player(player, ruleset)
        players[player.label] = {"name": name, "file": player.program_file()}
        if note:
            say(note)
    return players


JOINED, MAX_GAMES = 30, 20_000
"""The most blocks, and games, to join for a cluster, where many small files would overload the driver."""
BLOCKS_PER_WORKER = 4
"""The minimum number of blocks per worker of a cluster, so that all finish together."""


def block_arguments(experiment: Experiment, block: Block, lines: ExperimentLines) -> BlockArguments:
    """Return the engine's arguments for a block; ``lines`` are those of the experiment's rulesets."""
    cell, games, ruleset = block.cell, (block.start, block.stop), block.cell.ruleset
    first, second = (library.engine_player(player, ruleset) for player in (cell.first, cell.second))
    judge = None
    if experiment.judge and experiment.adjudicate is not None:
        judge = library.engine_player(experiment.judge.judge(), ruleset), experiment.adjudicate
    moves = lines[ruleset.name].moves[experiment.line_numbers(cell.first, cell.second, *games)] if lines else None
    return BlockArguments(
        ruleset.game, ruleset.codes(), first, second, experiment.seeds(cell, *games), experiment.max_plies,
        records.OPENING_PLIES, judge, moves,
    )  # fmt: skip


@dataclass(frozen=True)
class BlockCalls:
    """Creates the calls that play blocks of an experiment."""

    experiment: Experiment
    lines: ExperimentLines
    play: worker.PlayBlock
    opening_texts: worker.OpeningTexts
    trace: Callable[..., list[Any]] | None = None
    """Traces the first games of each cell, if given; see `workbench.positions.game_state`."""
    preparations: tuple[worker.Preparation, ...] = ()

    def call(self, block: Block) -> worker.Call:
        """Return the call for the seconds and the arrays of a block; see `worker.play_block`."""
        cell = block.cell
        play = block_runner(cell.first, cell.second, cell.ruleset, self.play)
        tracing = None
        if self.trace and (count := progress.traced_games(block)):
            tracing = worker.Tracing(self.trace, count, min(self.experiment.max_plies, records.MAX_TRACED_PLIES))
        arguments = block_arguments(self.experiment, block, self.lines)
        game = cell.ruleset.game
        return worker.Call(
            worker.call_timed,
            (worker.play_block, play, self.opening_texts, arguments, tracing, self.experiment.keep_moves),
            tr("{cell}, games {start} to {stop}", cell=cell.title, start=block.start, stop=block.stop - 1),
            (game,), tuple(code for code in self.preparations if code.family == game), solution_files(arguments),
        )  # fmt: skip


def solution_files(arguments: tuple[Any, ...]) -> tuple[str, ...]:
    """Return the solution files of players among nested arguments."""

    def files(value: Any) -> Iterator[str]:
        if isinstance(value, Player):
            yield from [value.solution] if value.solution else []
        elif isinstance(value, tuple):
            for item in value:
                yield from files(item)

    return tuple(sorted({*files(arguments)}))


def join_blocks(blocks: Sequence[Block], executor: Executor) -> list[Block]:
    """Join consecutive blocks of a cell for a cluster; this changes no record."""
    limit = min(JOINED, len(blocks) // (BLOCKS_PER_WORKER * max(1, executor.size()))) if executor.remote else 1
    cells: dict[str, list[Block]] = {}
    for block in blocks:
        joined = cells.setdefault(block.cell.digest, [])
        last = joined[-1] if joined else block
        if last.stop == block.start and block.stop - last.start <= min(limit * block.count, MAX_GAMES):
            joined[-1] = Block(block.cell, last.start, block.stop)
        else:
            joined.append(block)
    return sorted((block for joined in cells.values() for block in joined), key=lambda b: (b.start, b.cell.index))


# Machine code


def game_preparation(ruleset: Ruleset, kinds: Collection[int]) -> worker.Preparation:
    """Return the machine code that games between some kinds of players need, for a ruleset's family."""
    functions = "kernel.legal_moves", "trials._play_block", *sorted({SEARCHES[kind].function for kind in kinds} - {""})
    return worker.Preparation(functions, ruleset.game, trials.warm_up, (ruleset.game, ruleset.codes(), kinds))


def compile_games(ruleset: Ruleset, kinds: Collection[int], workers: int) -> None:
    """Compile the code for games in ``workers`` processes, and load it into this one."""
    code = game_preparation(ruleset, kinds)
    compile_in_parallel(code, workers)
    code.make(*code.arguments)


def compile_in_parallel(
    preparation: worker.Preparation, workers: int, on_part: Callable[[int, int], object] = lambda part, parts: None
) -> None:
    """Compile missing code in several processes; ``on_part`` receives the finished parts and their total."""
    executor = Executor(min(workers, os.cpu_count() or 1))
    if executor.size() == 1 or not trials.HAS_CACHE or not preparation.is_missing():
        return
    game, codes, kinds = preparation.arguments
    block_part, *other_parts = trials.compiled_parts(game, codes, kinds)
    # The kernel's largest part is compiled next to the block: two similar parts would both compile what they share.
    parts = [block_part, *sorted(other_parts, key=lambda part: part != trials.BLOCK and 1 + isinstance(part, str))]
    calls = executor.as_completed(parts, lambda part: worker.Call(trials.compile_part, (game, codes, part), str(part)))
    # `trials.compile_part` makes these processes unfit to play.
    executor.restart()
    try:
        with contextlib.suppress(Exception):
            for number, _ in enumerate(calls, start=1):
                on_part(number, len(parts))
    finally:
        executor.restart()
