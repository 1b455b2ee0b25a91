"""Plays the games of an experiment on several processes and keeps every finished block on disk.

What is already played is read off the report folder itself (`workbench.run.storage`), and the same command continues a
run that was stopped in any way. What is damaged is named and played again, and that alone; what cannot be read at
present stops the run. Games of two engines are never mixed: each file says whose games it holds.
"""

from __future__ import annotations

import contextlib
import importlib
import signal
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.files import output, project
from workbench.language import AND, tr, translated
from workbench.outside import PlayerFailed
from workbench.questions.experiment import Block, Cell, Experiment
from workbench.run import manifest, training
from workbench.run.blocks import BlockCalls, compile_in_parallel, for_executor, game_preparation
from workbench.run.errors import FolderMismatch, FolderUnreadable, FolderUnwritable, RunInterrupted, Stopped
from workbench.run.executor import Executor, ExecutorLost
from workbench.run.guards import hold_folder_lock, ignore_signals, interrupt_on
from workbench.run.lines import ExperimentLines, describe_lines, draw_experiment_lines
from workbench.run.permission import changed_players, probe_outside_players
from workbench.run.progress import Clock, Progress, progress_bar
from workbench.run.storage import Inventory, Storage, run_files
from workbench.run.worker import OpeningTexts, PlayBlock, Preparation
from workbench.store import provenance, record_files, records
from workbench.store.record_files import TRIALS

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from workbench.statistics.analysis import InterimAnalyses


Schedule = Callable[["pd.DataFrame"], Mapping[tuple[str, str, str], int]]
"""The games that each cell (ruleset, first, second) should have, as far as the records so far tell; none: no games."""
SCHEDULE_COLUMNS = ["ruleset", "first", "second", "game", "result"]
"""The columns that a schedule sees, and the line of each game where there are lines."""


@dataclass(frozen=True)
class RunOutcome:
    """What a run did."""

    trials: Path
    """The folder of files with all games."""
    total: int
    resumed: int
    played: int
    notes: tuple[str, ...] = ()
    """What the user should know: what was added, what was damaged and played again, which workers died."""


def run_experiment(
    experiment: Experiment,
    folder: Path,
    *,
    workers: int | None = None,
    fresh: bool = False,
    into_existing: bool = False,
    allow_programs: bool = False,
    command: str = "",
    console: Console | None = None,
    on_progress: Callable[[Progress], object] | None = None,
    play: PlayBlock | None = None,
    opening_texts: OpeningTexts | None = None,
    schedule: Schedule | None = None,
    executor: Executor | None = None,
) -> RunOutcome:
    """Plays all games that the folder does not hold yet and leaves them there; see `workbench.store.record_files`.

    Args:
        experiment: what to play.
        folder: the report folder; made if it does not exist.
        workers: number of processes; 1 plays in this process; None means one for each core, or an ``executor``.
        fresh: deletes `run_files` first. The caller has asked the user.
        into_existing: also writes into a folder that holds other things than a run's; none of them is replaced.
        allow_programs: starts the programs and classes of players from outside. The user has said so.
        command: what the user types to run this again; for messages and the provenance.
        console: where a progress bar and messages go; None is silent.
        on_progress: called after each block.
        play: plays one block; None is the workbench's engine.
        opening_texts: writes the first moves of games; None is the workbench's notation.
        schedule: says how many games each cell gets, up to ``experiment.games``; None: as the experiment says. It must
            follow from the records alone, and never ask for fewer games than there are.
        executor: plays the games instead of so many processes of this machine.

    Raises:
        FolderMismatch: the folder holds the games of another question.
        ProgramsNotAllowed: there are players from outside, and nobody has said that they may be started.
        Stopped: a player from outside failed, the cluster is gone, or workers died again and again in the same block;
            what is finished is kept.
        FolderBusy: another run works in the folder.
        RunInterrupted: the user pressed Ctrl-C, or the process was asked to end (SIGTERM).
        FolderUnwritable: the folder cannot be written.
        FolderUnreadable: a file of the folder cannot be read at present.
        InputError: the folder holds other things than a run's, or a link in the place of a file; or a player has not
            learned what it plays by.
    """
    experiment = training.with_learned_digests(experiment, project.find_project())
    command = command or f"workbench run {experiment.path}"
    executor = executor or Executor(workers)
    most = experiment.total_games
    try:
        owned = provenance.claim_report_folder(folder, into_existing)
        with hold_folder_lock(folder):
            before = provenance.read_provenance(folder)
            if fresh:
                for path in run_files(folder):
                    path.unlink()
            storage = Storage(experiment, owned)
            storage.prepare()
            the_run = _Run(storage, executor, command, console, on_progress, play, opening_texts)
            the_run.schedule = schedule
            the_run.before = before
            the_run.allow_programs = allow_programs
            try:
                with interrupt_on(signal.SIGTERM):
                    the_run.draw_lines(None if fresh else before)
                    return the_run.execute()
            except KeyboardInterrupt:
                with ignore_signals(signal.SIGINT, signal.SIGTERM):
                    raise RunInterrupted(the_run.games_on_disk(), the_run.progress.total, command) from None
            except (ExecutorLost, PlayerFailed) as error:
                text = tr("{error}\n{kept:,} of {total:,} games are kept. To continue: {command}")
                kept, total = the_run.games_on_disk(), the_run.progress.total
                raise Stopped(text.format(error=error, kept=kept, total=total, command=command)) from None
            except output.Unwritable as error:
                kept = the_run.games_on_disk()
                raise FolderUnwritable(folder, error, kept, the_run.progress.total, command) from error
            except record_files.Unreadable as error:
                # It was whole a moment ago.
                raise Stopped(
                    tr(
                        "{error}. It was damaged while it was read. To try again: {command}",
                        error=error,
                        command=command,
                    )
                ) from error
    except output.Unwritable as error:
        raise FolderUnwritable(folder, error, 0, most, command) from error
    except record_files.Unavailable as error:
        raise FolderUnreadable(error, command) from error


class _Run:
    """One call of `run_experiment`."""

    def __init__(
        self,
        storage: Storage,
        executor: Executor,
        command: str,
        console: Console | None,
        on_progress: Callable[[Progress], object] | None,
        play: PlayBlock | None,
        opening_texts: OpeningTexts | None,
    ) -> None:
        self.storage = storage
        self.experiment = storage.experiment
        self.cells = storage.cells
        self.folder = storage.folder
        self.executor = executor
        self.command = command
        self.console = console
        self.on_progress = on_progress
        self.play = play
        self.opening_texts = opening_texts
        self.trace: Callable[..., list[Any]] | None = None
        self.preparations: tuple[Preparation, ...] = ()
        self.lines: ExperimentLines = {}
        self.schedule: Schedule | None = None
        self.notes: list[str] = []
        self.allow_programs = False
        self.before: dict[str, Any] | None = None
        """The provenance that the folder had, even if its records were deleted: the same seed plays the same games."""
        self.earlier_games: list[int] = []
        self.progress = Progress(total=self.experiment.total_games, kept=0)
        self.timed = (0, 0.0)
        """Games that were played, and the seconds that they took workers."""

    def draw_lines(self, before: Mapping[str, Any] | None) -> None:
        """Draws the lines with which the games begin, where the experiment asks for them and ``before`` has none."""
        if self.experiment.openings is not None:
            with self._show_status(tr("Choosing the openings")):
                self.lines = draw_experiment_lines(self.experiment, before)
            for line in describe_lines(self.experiment, self.lines):
                self._say(line, keep=False)

    def execute(self) -> RunOutcome:
        storage = self.storage
        inventory = storage.take_inventory()
        old = provenance.read_provenance(self.folder)
        new = manifest.run_manifest(self.experiment, self.cells, self.executor.size(), self.command, self.lines)
        changes = provenance.question_changes(self.before, new) if self.before else []
        kept = inventory.games
        if inventory.foreign or (kept and changes):
            unknown = tr("{file} is missing or damaged", file=provenance.FILE)
            strange = tr("some of its records are of other games")
            raise self._mismatch(changes or [strange if old else unknown])
        self.progress = Progress(total=self.experiment.total_games, kept=kept)
        self.clock = Clock(self.progress)
        self.earlier_games = [] if changes else manifest.earlier_games(self.before, self.experiment)
        goal = self._goal(inventory)
        self.progress.total = sum(goal.values())
        missing = storage.missing_blocks(inventory, goal)
        if mixed := self._mixed_engines(inventory, missing):
            raise self._mismatch(mixed)
        players = (old or {}).get("players") or {}
        if missing:
            now_playing = probe_outside_players(self.experiment, self.allow_programs, self.command, self._say)
            if kept and (others := changed_players(old, now_playing)):
                raise self._mismatch(others)
            players = now_playing
        for path, line in inventory.damaged.items():
            self._say(tr("{line}: played again", line=line))
            path.unlink()
        if kept and old is None:
            what = "damaged" if (self.folder / provenance.FILE).exists() else "missing"
            self._say(
                tr(
                    "{file} is {what}: made again from the experiment, without date and machine",
                    file=provenance.FILE,
                    what=what,
                )
            )
        engines = self._recorded_engines(inventory)
        now = {**new, "engines": engines}
        now |= {"earlier_games": self.earlier_games} if self.earlier_games else {}
        now |= {"players": players} if players else {}
        if not missing and storage.is_finished(inventory, goal, engines):
            digests = self._finish(inventory, goal)
            if old is None:
                provenance.write_provenance(self.folder, None, now, digests, lost=True)
            elif any(old.get(name) != now.get(name) for name in ("experiment", "earlier_games", "openings")):
                # Nothing to play: cells have ended, or the experiment is called otherwise.
                provenance.write_provenance(self.folder, old, now, digests)
            elif old.get("digests") != digests:
                provenance.save_provenance(self.folder, old, digests)
            self._say(tr("All {kept:,} games were already played; nothing to do.", kept=kept), keep=False)
            storage.clear(digests)
            return RunOutcome(self.folder / TRIALS, kept, kept, 0, tuple(self.notes))
        if kept:
            if old and old["experiment"]["games"] < self.experiment.games:
                line = tr(
                    "games: was {before} per cell, is now {now}",
                    before=old["experiment"]["games"],
                    now=self.experiment.games,
                )
                self._say(tr("Changed since the last run: {line}", line=line))
            self._say(
                tr("Continuing: {kept:,} of {total:,} games are already played.", kept=kept, total=self.progress.total),
                keep=False,
            )
        lost = bool(kept) and old is None
        written = provenance.write_provenance(self.folder, old if kept else None, now, lost=lost)
        while missing:
            played = inventory.games
            self._play(missing, goal)
            # What the games say decides which cells go on; the last stage ends when none does.
            inventory = storage.take_inventory()
            goal = self._goal(inventory)
            self.progress.total = sum(goal.values())
            if inventory.games == played:
                raise Stopped(
                    tr(
                        "Games that were played cannot be read back from {folder}. To try again: {command}",
                        folder=self.folder,
                        command=self.command,
                    )
                )
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
        """Games that the folder holds; it may be a block more than was counted when the run was interrupted."""
        try:
            return self.storage.take_inventory().games
        except record_files.Unavailable:
            return self.progress.done

    # What is to be played

    def _goal(self, inventory: Inventory) -> dict[str, int]:
        """The games that each cell should have, by its digest, as far as the games on disk can tell."""
        if self.schedule:
            line = [records.LINE.name] if self.experiment.openings else []
            asked = self.schedule(self.storage.games_table(inventory, [*SCHEDULE_COLUMNS, *line]))
            return {cell.digest: asked.get((cell.ruleset.name, cell.first.label, cell.second.label), 0)
                    for cell in self.cells}  # fmt: skip
        if not self.experiment.sequential:
            return {cell.digest: self.experiment.games_of(cell) for cell in self.cells}
        line = [records.LINE.name] if self.experiment.openings else []
        columns = dict.fromkeys((*records.JUDGED, *line, *self._analyses.plan.measure_columns))
        goal = self._analyses.games_per_cell(self.storage.games_table(inventory, [*columns]))
        return {cell.digest: goal[cell.ruleset.name, cell.first.label, cell.second.label] for cell in self.cells}

    @cached_property
    def _analyses(self) -> InterimAnalyses:
        """The interim analyses of this run, and of those before ``games`` was raised."""
        from workbench.statistics import AnalysisPlan
        from workbench.statistics.analysis import InterimAnalyses

        texts = {name: lines.texts for name, lines in self.lines.items()}
        positions = {name: lines.positions for name, lines in self.lines.items()}
        return InterimAnalyses(AnalysisPlan(self.experiment, texts, positions, tuple(self.earlier_games)))

    def _mismatch(self, differences: Sequence[str]) -> FolderMismatch:
        """The error that the folder holds other games, with the command that takes another folder."""
        command = self.command if self.command.startswith("workbench run ") else ""
        return FolderMismatch(self.folder, differences, command)

    def _recorded_engines(self, inventory: Inventory) -> dict[str, str]:
        """Family -> the engine of its games: one, since `_mixed_engines` has refused two."""
        now = manifest.engine_digests(self.storage.declarations)
        return {family: min(inventory.engines.get(family) or {now[family]}) for family in now}

    def _mixed_engines(self, inventory: Inventory, missing: Sequence[Block]) -> list[str]:
        """Why games that are played now must not come beside those that the folder holds; in lines for the user."""
        lines = []
        to_play = {block.cell.ruleset.game for block in missing}
        for family, now in manifest.engine_digests(self.storage.declarations).items():
            theirs = inventory.engines.get(family, set())
            if len(theirs) > 1 or (family in to_play and theirs - {now}):
                lines.append(
                    tr(
                        "engine: the games of {family} were played by {theirs}, this is {now} (digests of the "
                        "sources): the same seed may give another game",
                        family=family,
                        theirs=AND.join(sorted(theirs)),
                        now=now,
                    )
                )
        return lines

    # Playing and merging

    def _play_blocks(self, blocks: Sequence[Block]) -> Generator[tuple[Block, tuple[float, Mapping[str, Any]]]]:
        """Compiles what blocks need; then yields them with their seconds and arrays."""
        if first := self.play is None:
            trials = importlib.import_module("workbench.engine.trials")
            self.play = trials.run_block
            # The games of a schedule, such as a ladder's, are between too many players to be looked at each.
            self.trace = None if self.schedule else importlib.import_module("workbench.games.playing").traces
            of_family = {block.cell.ruleset.game: block.cell.ruleset for block in blocks}
            self.preparations = tuple(game_preparation(each, self.experiment.kinds) for each in of_family.values())
        if self.opening_texts is None:
            self.opening_texts = importlib.import_module("workbench.games.playing").opening_texts
        assert self.play is not None and self.opening_texts is not None
        if first and not self.executor.remote:
            for needed in self.preparations:
                self._prepare(needed, min(self.executor.size(), len(blocks)))
        calls = BlockCalls(self.experiment, self.lines, self.play, self.opening_texts, self.trace, self.preparations)
        return self.executor.as_completed(blocks, calls.call, self._say)

    def _prepare(self, needed: Preparation, workers: int) -> None:
        """Sees to it that there is machine code for a family; workers load by themselves what is there already."""
        if workers > 1 and not needed.is_missing():
            return
        with self._show_status(
            tr("Preparing {family} (takes a while after an installation)", family=needed.family)
        ) as show:

            def done(part: int, parts: int) -> None:
                show(
                    tr(
                        "Compiling {family}, once after an installation: {part} of {parts} parts",
                        family=needed.family,
                        part=part,
                        parts=parts,
                    )
                )

            if workers > 1:
                compile_in_parallel(needed, workers, done)
            if workers == 1 or needed.is_missing():
                needed.make(*needed.arguments)

    def _play(self, blocks: list[Block], goal: Mapping[str, int]) -> None:
        blocks = for_executor(blocks, self.executor)
        self.progress.workers = max(1, min(self.executor.size(), len(blocks)))
        self.clock.begin_stage(blocks, self._later_games(blocks, goal))
        with (
            contextlib.closing(self._play_blocks(blocks)) as results,
            progress_bar(self.console, self.progress) as show,
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

    def _later_games(self, blocks: Iterable[Block], goal: Mapping[str, int]) -> Iterator[tuple[Cell, int]]:
        """The games that the cells of these blocks may have beyond the next interim analysis."""
        if self.experiment.until and not self.schedule:
            for digest, cell in {block.cell.digest: block.cell for block in blocks}.items():
                yield cell, self.experiment.games - goal[digest]

    def _finish(self, inventory: Inventory, goal: Mapping[str, int]) -> dict[str, str]:
        """Leaves the games on disk in the files of a finished run; returns their digests."""
        if inventory.games > self.progress.total:
            more = [
                tr(
                    "{cell}: it ends after {goal:,} games, and more were played",
                    cell=cell.title,
                    goal=goal[cell.digest],
                )
                for cell in self.cells
                if inventory.count_games(cell) > goal[cell.digest]
            ]
            raise self._mismatch(more)
        with self._show_status(tr("Writing the records")):
            return self.storage.finish_records(inventory, goal, self._recorded_engines(inventory))

    # What the user sees

    def _say(self, line: str, keep: bool = True) -> None:
        if keep:
            self.notes.append(line)
        if self.console:
            self.console.print(line, markup=False, highlight=False)

    @contextlib.contextmanager
    def _show_status(self, text: str) -> Iterator[Callable[[str], object]]:
        """Shows what is being done, until the end of the block; what it yields shows something else instead."""
        if self.console is None:
            yield lambda text: None
            return
        with self.console.status(text) as status:
            yield lambda text: status.update(translated(text))
