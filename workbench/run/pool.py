"""Blocks of games, played in this process, shared out to several that are watched and replaced, or on a cluster."""

from __future__ import annotations

import atexit
import collections
import contextlib
import functools
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.engine.players import SEARCHES, Player
from workbench.files.limits import require_open_files
from workbench.language import tr
from workbench.learning import library
from workbench.questions.cells import Block
from workbench.questions.experiment import Experiment
from workbench.questions.rulesets import Ruleset
from workbench.run import cluster as clusters
from workbench.run import node
from workbench.run.cluster import Cluster, Work
from workbench.run.cutting import BlockCutter
from workbench.run.errors import MAX_DEATHS, WorkerDied
from workbench.run.lines import ExperimentLines
from workbench.run.processes import run_unordered
from workbench.run.storage import traced_games
from workbench.run.worker import HEARTBEAT_SECONDS, OpeningTexts, PlayBlock, Tracing, play_block, worker_silences
from workbench.store import records, traces

MAX_SILENCE = 120.0
"""Seconds without a sign of life after which a worker process is replaced. Even while a machine swaps, or a function is
compiled, a thread of a process has its turn many times within this."""

OPEN_FILES, OPEN_FILES_OF_WORKER = 64, 8
"""What the parent process opens at a time, for itself and for each worker, and some to spare."""


def block_arguments(experiment: Experiment, block: Block, lines: ExperimentLines) -> tuple[Any, ...]:
    """What the engine's ``run_block`` takes for a block; ``lines`` are those of the experiment's rulesets."""
    ruleset = block.cell.ruleset
    numbers = (
        ruleset.game,
        ruleset.codes(),
        library.engine_player(block.cell.first, ruleset),
        library.engine_player(block.cell.second, ruleset),
        experiment.seeds(block.cell, block.start, block.stop),
        experiment.max_plies,
        records.OPENING_PLIES,
    )
    judge = (
        (library.engine_player(experiment.judge.judge(), ruleset), experiment.adjudicate) if experiment.judge else None
    )
    if lines:
        moves = lines[ruleset.name].moves[
            experiment.line_numbers(block.cell.first, block.cell.second, block.start, block.stop)
        ]
        return (*numbers, judge, moves)
    return (*numbers, judge) if judge else numbers


def game_preparation(ruleset: Ruleset, kinds: Collection[int]) -> node.Preparation:
    """The machine code for games between such kinds of players under a ruleset, or another one of its family."""
    from workbench.engine import trials

    functions = (
        "kernel.legal_moves",
        "trials._play_block",
        *sorted({SEARCHES[kind].function for kind in kinds} - {""}),
    )
    return node.Preparation(functions, ruleset.game, trials.warm_up, (ruleset.game, ruleset.codes(), kinds))


@dataclass
class Pool:
    """Worker processes for the blocks of an experiment."""

    experiment: Experiment
    lines: ExperimentLines
    play: PlayBlock
    opening_texts: OpeningTexts
    workers: int
    """Processes; 1 plays in this process."""
    say: Callable[[str], None]
    """Tells the user of workers that died or stood still."""
    death_error: Callable[[Block], WorkerDied]
    """Makes the error for a block that has killed `MAX_DEATHS` workers."""
    trace: Callable[..., list[Any]] | None = None
    """Makes traces of the first games of each cell, if there are to be any; see `workbench.games.traces`."""
    cluster: Cluster | None = None
    """Plays the blocks instead of processes of this machine."""
    preparations: tuple[node.Preparation, ...] = ()
    """Machine code that the workers of a cluster need."""

    def play_blocks(self, blocks: Sequence[Block]) -> Generator[tuple[Block, float, Mapping[str, Any]]]:
        """Every block, its seconds and its arrays (see `worker.play_block`), in the order in which they end.

        On a cluster the same games come in other blocks; see `workbench.run.cutting`.
        """
        if self.cluster:
            yield from self._on_cluster(self.cluster, blocks)
            return
        workers = self.workers
        if workers == 1:
            for block in blocks:
                _, seconds, arrays = play_block(*self._task(0, block))
                yield block, seconds, arrays
            return
        require_open_files(
            OPEN_FILES + OPEN_FILES_OF_WORKER * workers, tr("a run with {workers} workers", workers=workers)
        )
        from joblib.externals.loky.process_executor import BrokenProcessPool

        waiting = dict(enumerate(blocks))
        deaths: collections.Counter[int] = collections.Counter()
        lost = 0
        while waiting:
            in_flight: set[int] = set()
            # A block that was in flight when a worker died plays alone: further deaths then name its block.
            alone = sorted(number for number in waiting if deaths[number])
            batch = {alone[0]: waiting[alone[0]]} if alone else dict(waiting)
            try:
                with _watch_workers(self.say), contextlib.closing(self._parallel(batch, in_flight, workers)) as results:
                    for number, seconds, arrays in results:
                        in_flight.discard(number)
                        deaths.pop(number, None)
                        yield waiting.pop(number), seconds, arrays
            except BrokenProcessPool:
                lost += 1
                deaths.update(in_flight)
                for number in alone[:1]:
                    if deaths[number] >= MAX_DEATHS:
                        raise self.death_error(waiting[number]) from None
                cells = ", ".join(dict.fromkeys(waiting[number].cell.title for number in sorted(in_flight)))
                self.say(tr("A worker process died; its blocks are played once more ({cells})", cells=cells))
                if lost >= 2 and workers > 2:
                    workers = max(2, workers // 2)
                    self.say(tr("Going on with {workers} workers, which need less memory.", workers=workers))

    def _task(self, number: int, block: Block) -> tuple[Any, ...]:
        """What `play_block` takes for a block."""
        play, cell = self.play, block.cell
        if cell.first.outside or cell.second.outside:
            from workbench.outside.players import block_runner

            play = block_runner(cell.first, cell.second, cell.ruleset, play)
        tracing = None
        if self.trace and (count := traced_games(block)):
            tracing = Tracing(self.trace, count, min(self.experiment.max_plies, traces.MAX_TRACED_PLIES))
        return (
            number,
            play,
            self.opening_texts,
            block_arguments(self.experiment, block, self.lines),
            tracing,
            self.experiment.keep_moves,
        )

    def _on_cluster(
        self, cluster: Cluster, blocks: Sequence[Block]
    ) -> Generator[tuple[Block, float, Mapping[str, Any]]]:
        cutter = BlockCutter(blocks)
        versions = node.engine_versions({block.cell.ruleset.game for block in blocks})

        def calls() -> Iterator[Work]:
            cutter.workers = max(1, cluster.size())
            for block in cutter:
                task, family = self._task(0, block), block.cell.ruleset.game
                needed = tuple(code for code in self.preparations if code.family == family)
                yield Work(block, node.Call(play_block, task, versions, needed, tuple(sorted({*solution_files(task)}))))
                cutter.workers = max(1, cluster.size())

        results = clusters.run_calls(cluster, calls(), self.say, self.death_error, lambda block: str(block.cell.title))
        with contextlib.closing(results):
            for block, (_, seconds, arrays) in results:
                cutter.record_time(block, seconds)
                yield block, seconds, arrays

    def _parallel(
        self, blocks: Mapping[int, Block], in_flight: set[int], workers: int
    ) -> Generator[tuple[int, float, Any]]:
        import joblib

        def tasks() -> Iterator[Any]:
            for number, block in blocks.items():
                in_flight.add(number)
                yield joblib.delayed(play_block)(*self._task(number, block))

        yield from run_unordered(tasks(), workers, 2 * workers, _heartbeat_folder())


def solution_files(value: Any) -> Iterator[str]:
    """The files that players among a task's arguments play by."""
    if isinstance(value, Player):
        yield from [value.solution] if value.solution else []
    elif isinstance(value, tuple):
        for item in value:
            yield from solution_files(item)


@functools.cache
def _heartbeat_folder() -> str:
    """The folder in which the workers of this process give signs of life; "" if there can be none."""
    try:
        folder = tempfile.mkdtemp(prefix="workbench-")
    except OSError:
        return ""
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@contextlib.contextmanager
def _watch_workers(say: Callable[[str], None]) -> Iterator[None]:
    """Kills workers that have given no sign of life for long, so that their blocks are played by others."""
    folder, ended = _heartbeat_folder(), threading.Event()

    def watch() -> None:
        seen: dict[int, tuple[int, float]] = {}
        before = time.monotonic()
        while not ended.wait(HEARTBEAT_SECONDS):
            now = time.monotonic()
            if now - before > 5 * HEARTBEAT_SECONDS:
                seen.clear()  # this process itself was stopped for a while, and its workers may have been, too
            before = now
            for process, seconds in worker_silences(Path(folder), seen, now).items():
                if seconds > MAX_SILENCE:
                    say(
                        tr(
                            "Worker process {process} has stood still for {seconds:.0f} seconds: it is replaced.",
                            process=process,
                            seconds=seconds,
                        )
                    )
                    with contextlib.suppress(OSError):
                        os.kill(process, signal.SIGKILL)

    thread = threading.Thread(target=watch, name="watch over workers", daemon=True)
    if folder:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        if folder:
            thread.join()
