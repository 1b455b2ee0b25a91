"""Plays the games of an experiment on several processes and keeps every finished block on disk.

A report folder holds ``provenance.json``, ``blocks/`` while games are still missing and ``trials.parquet`` once all are
played. A block file is named by its cell's key (a hash of everything that decides its games) and its first game. So
"what is already played" is read off the folder itself, and the same command continues a run that was stopped in any
way. The finished file depends on the experiment and the engine alone: not on the number of workers, the size of the
blocks or on how often the run was interrupted.

Every file is checked before anything is made of it. What is damaged is named and played again, and that alone; what
cannot be read at present stops the run. Games of two engines are never mixed: each file says whose games it holds.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import errno
import functools
import importlib
import os
import re
import shutil
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import workbench
from workbench import games
from workbench.errors import BAD_INPUT, FAILED, INTERRUPTED, UserError
from workbench.exact import solutions
from workbench.files import output
from workbench.questions.experiment import Block, Cell, Experiment
from workbench.run import manifest
from workbench.run.worker import BEAT, begin, silent, timed
from workbench.store import provenance, records

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from rich.console import Console

TRIALS, BLOCKS = provenance.TRIALS, provenance.BLOCKS
_BLOCK = re.compile(r"[0-9a-f]{16}-[0-9]{8}\.parquet")

SILENCE = 120.0
"""Seconds without a sign of life after which a worker process is replaced. Even while a machine swaps, or a function is
compiled, a thread of a process has its turn many times within this."""
MOST_DEATHS = 3
"""Worker processes that may die over one block before the run gives up."""

Play = Callable[..., Mapping[str, Any]]
"""The engine's ``run_block``; see `arguments` for what it is called with."""
AsText = Callable[[str, Any, list[int]], list[str]]
"""``moves_as_text(game, codes, moves)``."""


class Stopped(UserError):
    """A run that did not reach its end; its text tells the user why and what to do."""

    exit_code = FAILED


class Differs(Stopped):
    """The folder holds games of another experiment than the one that is asked for."""

    exit_code = BAD_INPUT

    def __init__(self, folder: Path, differences: Sequence[str]) -> None:
        """Keeps ``differences``: one line for each thing that is not the same."""
        self.folder = folder
        self.differences = tuple(differences)
        lines = "\n".join(f"  {line}" for line in differences)
        super().__init__(
            f"{folder} holds games that this experiment did not ask for, so they cannot be continued:\n{lines}\n"
            "Undo the change, give the experiment another name, or begin again with --fresh."
        )


class Busy(Stopped):
    """Another run works in the folder."""

    exit_code = BAD_INPUT

    def __init__(self, folder: Path) -> None:
        """Says which folder."""
        super().__init__(f"{folder} is in use by another run; wait for it to end, or stop it.")


class Unwritten(Stopped):
    """The folder cannot be written: its disk is full, say."""

    exit_code = BAD_INPUT

    def __init__(self, folder: Path, error: output.Unwritable, kept: int, total: int, command: str) -> None:
        """Says why, how many games are on disk and how to go on."""
        self.kept, self.total = kept, total
        how = f"{kept:,} of {total:,} games are kept. To continue: {command}"
        super().__init__(str(output.Unwritable(folder, error.reason, how)))


class Unavailable(Stopped):
    """A file of the folder cannot be read at present, so nobody can say what is in it."""

    exit_code = BAD_INPUT

    def __init__(self, error: records.Unavailable, command: str) -> None:
        """Says which file and why."""
        super().__init__(
            f"{error}. Nothing was changed. Make it readable, then: {command}\n"
            "If it is lost for good, delete it: its games are then played again."
        )


class Interrupted(Stopped):
    """The user stopped the run."""

    exit_code = INTERRUPTED

    def __init__(self, kept: int, total: int, command: str) -> None:
        """Says how many games are on disk and how to go on."""
        self.kept, self.total = kept, total
        super().__init__(f"Stopped. {kept:,} of {total:,} games are kept. To continue: {command}")


class WorkerDied(Stopped):
    """Worker processes died again and again while they played the same block, alone and with fewer workers, too."""

    def __init__(self, block: Block, kept: int, total: int, command: str) -> None:
        """Names the block."""
        self.block = block
        super().__init__(
            f"{MOST_DEATHS} worker processes died, one after the other, while they played {block.cell.title}, games "
            f"{block.start} to {block.stop - 1}. "
            "Usual causes: the machine ran out of memory, or something killed the process. "
            f"{kept:,} of {total:,} games are kept. To continue (fewer workers need less memory): {command}"
        )


@dataclass
class Progress:
    """How far a run is."""

    total: int
    kept: int
    """Games that were on disk before."""
    played: int = 0
    """Games played by this run."""
    pace: float = 0.0
    """Games a second, over this run."""
    left: float | None = None
    """Seconds left, once every pairing has been timed."""

    @property
    def done(self) -> int:
        """Games on disk."""
        return self.kept + self.played


@dataclass(frozen=True)
class Outcome:
    """What a run did."""

    trials: Path
    total: int
    kept: int
    played: int
    notes: tuple[str, ...] = ()
    """What the user should know: what was added, what was damaged and played again, which workers died."""


@dataclass
class _Piece:
    """Some games of one cell that are on disk."""

    path: Path
    start: int
    stop: int
    row: int = 0
    """Row of the file that holds game ``start``."""


@dataclass
class _Stock:
    """What a folder holds already."""

    pieces: dict[str, list[_Piece]] = field(default_factory=dict)
    """Cell key -> its games, without overlaps, in order."""
    finished: Mapping[str, Any] | None = None
    """The note of ``trials.parquet``, if the file is whole."""
    sha256: str = ""
    """Of ``trials.parquet``, if the file is whole."""
    sealed: bool = True
    """Whether ``trials.parquet`` and the blocks hold digests; those of version 0.1 do not."""
    foreign: bool = False
    """Whether there are games of cells, or beyond the number of games, that the experiment does not have."""
    damaged: list[str] = field(default_factory=list)
    engines: dict[str, set[str]] = field(default_factory=dict)
    """Family -> digests of the engines that played its games; "" where the file does not say."""

    def games(self) -> int:
        return sum(piece.stop - piece.start for pieces in self.pieces.values() for piece in pieces)


def own_files(folder: Path) -> list[Path]:
    """The files that a run writes into its folder and that a fresh start deletes; nothing else is ever deleted."""
    if folder.is_symlink() or (folder / BLOCKS).is_symlink():
        return []
    blocks = [path for path in sorted((folder / BLOCKS).glob("*.parquet")) if _BLOCK.fullmatch(path.name)]
    found = [*blocks, folder / TRIALS, folder / provenance.FILE]
    names = output.marked(folder)
    mine = {TRIALS, BLOCKS, provenance.FILE} & names if names is not None else {TRIALS, BLOCKS, provenance.FILE}
    return [path for path in found if path.is_file() and path.relative_to(folder).parts[0] in mine]


def run(
    experiment: Experiment,
    folder: Path,
    *,
    workers: int | None = None,
    fresh: bool = False,
    into_existing: bool = False,
    command: str = "",
    console: Console | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    play: Play | None = None,
    as_text: AsText | None = None,
) -> Outcome:
    """Plays all games that the folder does not hold yet and leaves them in ``folder/trials.parquet``.

    Args:
        experiment: what to play.
        folder: the report folder; made if it does not exist.
        workers: number of processes; 1 plays in this process; None means one for each core.
        fresh: deletes `own_files` first. The caller has asked the user.
        into_existing: also writes into a folder that holds other things than a run's; none of them is replaced.
        command: what the user types to run this again; for messages and the provenance.
        console: where a progress bar and messages go; None is silent.
        on_progress: called after each block.
        play: plays one block; None is the workbench's engine.
        as_text: writes moves; None is the workbench's notation.

    Raises:
        Differs: the folder holds games of another experiment.
        Busy: another run works in the folder.
        Interrupted: the user pressed Ctrl-C, or the process was asked to end (SIGTERM).
        WorkerDied: worker processes died again and again in the same block.
        Unwritten: the folder cannot be written.
        Unavailable: a file of the folder cannot be read at present.
        InputError: the folder holds other things than a run's, or a link in the place of a file.
    """
    command = command or f"workbench run {experiment.path}"
    workers = workers or os.cpu_count() or 1
    most = len(experiment.cells()) * experiment.games
    try:
        owned = provenance.folder(folder, into_existing)
        with _locked(folder):
            remembered: list[dict[str, Any]] = []
            if fresh:
                new = manifest.of(experiment, experiment.cells(), workers, command)
                remembered = provenance.kept_designs(provenance.read(folder), new)
                for path in own_files(folder):
                    path.unlink()
            owned.sweep()
            owned.sweep(BLOCKS, after=0)
            the_run = _Run(experiment, owned, workers, command, console, on_progress, play, as_text)
            the_run.designs = remembered
            try:
                with _interrupted_by(signal.SIGTERM):
                    return the_run.all()
            except KeyboardInterrupt:
                with _deaf(signal.SIGINT, signal.SIGTERM):
                    raise Interrupted(the_run.on_disk(), the_run.progress.total, command) from None
            except output.Unwritable as error:
                raise Unwritten(folder, error, the_run.on_disk(), the_run.progress.total, command) from error
            except records.Unreadable as error:
                # It was whole a moment ago.
                raise Stopped(f"{error}. It was damaged while it was read. To try again: {command}") from error
    except output.Unwritable as error:
        raise Unwritten(folder, error, 0, most, command) from error
    except records.Unavailable as error:
        raise Unavailable(error, command) from error


class _Run:
    """One call of `run`."""

    def __init__(
        self,
        experiment: Experiment,
        owned: output.Folder,
        workers: int,
        command: str,
        console: Console | None,
        on_progress: Callable[[Progress], None] | None,
        play: Play | None,
        as_text: AsText | None,
    ) -> None:
        self.experiment = experiment
        self.owned = owned
        self.folder = owned.path
        self.workers = workers
        self.command = command
        self.console = console
        self.on_progress = on_progress
        self.play = play
        self.as_text = as_text
        self.notes: list[str] = []
        self.designs: list[dict[str, Any]] = []
        """What was asked of these games, and looked at, before and now; see `provenance.designs`."""
        self.cells = experiment.cells()
        self.declarations = {name: games.declaration(name) for name in experiment.families()}
        self.columns = records.COLUMNS + records.event_columns(self.declarations.values())
        self.fields = records.schema(self.columns)
        self.progress = Progress(total=len(self.cells) * experiment.games, kept=0)

    def all(self) -> Outcome:
        stock = self._stock()
        old, new = provenance.read(self.folder), manifest.of(self.experiment, self.cells, self.workers, self.command)
        breaking, harmless = provenance.differences(old, new) if old else ([], [])
        if stock.foreign:
            raise Differs(self.folder, breaking or harmless or [f"{provenance.FILE} is missing or damaged"])
        kept = stock.games()
        self.progress = Progress(total=len(self.cells) * self.experiment.games, kept=kept)
        before = old if kept else {"designs": self.designs}
        # A finished file was judged, even if nobody knows any more by which design.
        finished = int((stock.finished or {}).get("games") or 0)
        self.designs = provenance.designs(before, new, [finished] if kept and finished else [])
        wanted = self._wanted(stock)
        self.progress.total = sum(wanted.values())
        missing = _missing(self.experiment, self.cells, stock, wanted)
        if mixed := self._mixed(stock, old, missing):
            raise Differs(self.folder, mixed)
        for line in stock.damaged:
            self._say(f"{line}: played again")
        if kept and not stock.sealed:
            self._say("These records are of version 0.1, without digests: the checksums of their pages were compared")
        if kept and old is None:
            what = "damaged" if (self.folder / provenance.FILE).exists() else "missing"
            self._say(f"{provenance.FILE} is {what}: made again from the experiment, without date and machine")
        note = _note(self.experiment, self.cells, wanted, self._engines(stock))
        if kept == self.progress.total and stock.finished and _same(stock.finished, note):
            digests = {TRIALS: stock.sha256}
            now = {**new, "engines": note["engines"], "designs": self.designs}
            if old is None:
                provenance.write(self.folder, None, now, digests, lost=True)
            elif (old["experiment"], old.get("designs")) != (new["experiment"], self.designs):
                # Nothing to play, but something else is asked of the games.
                provenance.write(self.folder, old, now, digests)
            elif old.get("digests") != digests:
                provenance.save(self.folder, old, digests)
            self._clear_blocks()
            self._looked(wanted)
            self._say(f"All {kept:,} games were already played; nothing to do.", keep=False)
            return Outcome(self.folder / TRIALS, kept, kept, 0, tuple(self.notes))
        if kept:
            for line in [*breaking, *harmless]:
                self._say(f"Changed since the last run: {line}")
            self._say(f"Continuing: {kept:,} of {self.progress.total:,} games are already played.", keep=False)
        lost = bool(kept) and old is None
        now = {**new, "engines": note["engines"], "designs": self.designs}
        written = provenance.write(self.folder, old if kept else None, now, lost=lost)
        output.refuse_links(self.folder / BLOCKS)
        output.make(self.folder / BLOCKS)
        while missing:
            played = stock.games()
            self._play(missing)
            # What the games say decides which cells go on; the last stage ends when none does.
            stock = self._stock()
            if self.experiment.until:
                written = self._looked(wanted) or written
            wanted = self._wanted(stock)
            self.progress.total = sum(wanted.values())
            if stock.games() == played:
                raise Stopped(
                    f"Games that were played cannot be read back from {self.folder}. To try again: {self.command}"
                )
            missing = _missing(self.experiment, self.cells, stock, wanted)
        self._merge(stock, wanted, written)
        self._looked(wanted)
        total, most = self.progress.total, len(self.cells) * self.experiment.games
        if total < most:
            self._say(f"Done after {total:,} of at most {most:,} games.", keep=False)
        return Outcome(self.folder / TRIALS, total, kept, self.progress.played, tuple(self.notes))

    def _stock(self) -> _Stock:
        return _stock(self.experiment, self.cells, self.folder, self.fields)

    def _engines(self, stock: _Stock) -> dict[str, str]:
        """Family -> the engine of its games; "" if some of them do not say. Two never get here: see `_mixed`."""
        now = manifest.engines(self.declarations)
        return {family: min(stock.engines.get(family) or {now[family]}) for family in now}

    def _mixed(self, stock: _Stock, old: Mapping[str, Any] | None, missing: Sequence[Block]) -> list[str]:
        """Why games that are played now must not come beside those that the folder holds; in lines for the user."""
        lines = []
        to_play = {block.cell.ruleset.game for block in missing}
        for family, now in manifest.engines(self.declarations).items():
            theirs = stock.engines.get(family, set()) - {""}
            if len(theirs) > 1 or (family in to_play and theirs - {now}):
                lines.append(
                    f"engine: the games of {family} were played by {' and '.join(sorted(theirs))}, this is {now} "
                    "(digests of the sources): the same seed may give another game"
                )
            elif family in to_play and "" in stock.engines.get(family, set()):
                # Records of version 0.1.
                version = old["versions"].get("workbench") if old else None
                if version != workbench.__version__:
                    by = f"version {version}" if version else "an unknown version"
                    lines.append(
                        f"workbench: the games of {family} were played by {by}, this is {workbench.__version__}"
                    )
        return lines

    def _wanted(self, stock: _Stock) -> dict[str, int]:
        """The games that each cell should have, by its key, as far as the games on disk can tell."""
        if not self.experiment.sequential:
            return {cell.key: self.experiment.games for cell in self.cells}
        from workbench.statistics import AnalysisPlan, stopping

        content = manifest.of(self.experiment, self.cells, self.workers, self.command)
        plan = AnalysisPlan.from_provenance(content | {"designs": self.designs})
        goal = stopping.wanted(self._seen(stock, [*records.JUDGED, *plan.asked.columns]), plan)
        return {cell.key: goal[cell.ruleset.name, cell.first.label, cell.second.label] for cell in self.cells}

    def _looked(self, wanted: Mapping[str, int]) -> dict[str, Any] | None:
        """Notes the looks that the games on disk allow: what was seen once stays seen. Returns the provenance."""
        counts: list[tuple[Any, ...]] = []
        taken = [self.experiment.games]
        if self.experiment.until:
            from workbench.statistics.sequential import look_sizes

            most = max(wanted.values())
            taken = [n for n in look_sizes(self.experiment.games, self.experiment.looks or 1) if n <= most]
        elif self.experiment.precision:
            counts = [(cell.ruleset.name, cell.first.label, cell.second.label, wanted[cell.key]) for cell in self.cells]
        return provenance.looked(self.folder, taken, counts)

    def _seen(self, stock: _Stock, columns: list[str]) -> pd.DataFrame:
        """What the games on disk say, each cell from its first game up to the first that is missing."""
        import pandas as pd

        parts = []
        for cell in self.cells:
            at = 0
            for piece in stock.pieces.get(cell.key, []):
                if piece.start != at:
                    break
                at = piece.stop
                for part in records.rows(piece.path, self.fields, piece.row, piece.row + piece.stop - piece.start):
                    names = _names(self.experiment, cell)
                    parts.append(records.renamed(part, names).select(columns).to_pandas())
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)

    def on_disk(self) -> int:
        """Games that the folder holds; it may be a block more than was counted when the run was interrupted."""
        try:
            return self._stock().games()
        except records.Unavailable:
            return self.progress.done

    def _say(self, line: str, keep: bool = True) -> None:
        if keep:
            self.notes.append(line)
        if self.console:
            self.console.print(line, markup=False, highlight=False)

    # Playing

    def _play(self, blocks: list[Block]) -> None:
        if not blocks:
            return
        if self.play is None:
            trials = importlib.import_module("workbench.engine.trials")
            self.play = trials.run_block
            for ruleset in {block.cell.ruleset.game: block.cell.ruleset for block in blocks}.values():
                with self._waiting(f"Preparing {ruleset.game} (takes a while after an installation)"):
                    trials.warm_up(ruleset.game, tuple(ruleset.codes().values()))
        if self.as_text is None:
            self.as_text = importlib.import_module("workbench.games.game_state").moves_as_text
        # A worker without a block would only take time and memory to start.
        workers = min(self.workers, len(blocks))
        clock = _Clock(self.progress, blocks, workers)
        with self._bar() as show, contextlib.closing(self._results(blocks, workers)) as results:
            show(self.progress)
            for block, seconds, arrays in results:
                self._save(block, arrays)
                clock.add(block, seconds)
                show(self.progress)
                if self.on_progress:
                    self.on_progress(self.progress)

    def _results(self, blocks: list[Block], workers: int) -> Generator[tuple[Block, float, Mapping[str, Any]]]:
        """Every block, its seconds and its arrays, in the order in which they end."""
        assert self.play is not None
        if workers == 1:
            for block in blocks:
                started = time.perf_counter()
                arrays = self.play(*arguments(self.experiment, block))
                yield block, time.perf_counter() - started, arrays
            return
        from joblib.externals.loky.process_executor import BrokenProcessPool

        waiting = dict(enumerate(blocks))
        deaths: collections.Counter[int] = collections.Counter()
        lost = 0
        while waiting:
            flying: set[int] = set()
            # A block that was in flight when a worker died plays alone: further deaths then name its block.
            alone = sorted(number for number in waiting if deaths[number])
            batch = {alone[0]: waiting[alone[0]]} if alone else dict(waiting)
            try:
                with _watched(self._say), contextlib.closing(self._parallel(batch, flying, workers)) as results:
                    for number, seconds, arrays in results:
                        flying.discard(number)
                        deaths.pop(number, None)
                        yield waiting.pop(number), seconds, arrays
            except BrokenProcessPool:
                lost += 1
                deaths.update(flying)
                for number in alone[:1]:
                    if deaths[number] >= MOST_DEATHS:
                        progress = self.progress
                        raise WorkerDied(waiting[number], progress.done, progress.total, self.command) from None
                cells = ", ".join(dict.fromkeys(waiting[number].cell.title for number in sorted(flying)))
                self._say(f"A worker process died; its blocks are played once more ({cells})")
                if lost >= 2 and workers > 2:
                    workers = max(2, workers // 2)
                    self._say(f"Going on with {workers} workers, which need less memory.")

    def _parallel(
        self, blocks: Mapping[int, Block], flying: set[int], workers: int
    ) -> Generator[tuple[int, float, Any]]:
        import joblib

        def tasks() -> Iterator[Any]:
            for number, block in blocks.items():
                flying.add(number)
                yield joblib.delayed(timed)(number, self.play, arguments(self.experiment, block))

        parallel = joblib.Parallel(
            n_jobs=workers,
            backend="loky",
            return_as="generator_unordered",
            pre_dispatch=2 * workers,
            batch_size=1,
            max_nbytes=None,
            initializer=begin,
            initargs=(os.getpid(), _beats()),
        )
        with _deaf(signal.SIGINT):
            results = parallel(tasks())
        try:
            # Not `yield from`: it would close the results itself, before the warning can be silenced.
            for result in results:  # noqa: UP028
                yield result
        finally:
            with warnings.catch_warnings():
                # joblib warns that blocks in flight are given up: that is what is wanted here.
                warnings.simplefilter("ignore", UserWarning)
                results.close()

    def _save(self, block: Block, arrays: Mapping[str, Any]) -> None:
        ruleset = block.cell.ruleset
        codes = tuple(ruleset.codes().values())
        as_text = self.as_text
        assert as_text is not None
        found = records.table(
            _names(self.experiment, block.cell),
            block.start,
            self.experiment.seeds(block.cell, block.start, block.stop),
            arrays,
            self.declarations[ruleset.game],
            self.columns,
            lambda moves: as_text(ruleset.game, codes, moves),
        )
        path = self.folder / BLOCKS / f"{block.cell.key}-{block.start:08d}.parquet"
        engine = manifest.engines([ruleset.game])[ruleset.game]
        note = {"cell": block.cell.key, "start": block.start, "stop": block.stop, "engine": engine}
        records.write(path, [found], self.fields, note)

    # Merging

    def _merge(self, stock: _Stock, wanted: Mapping[str, int], written: Mapping[str, Any]) -> None:
        """Writes the finished file from what is on disk, then its digest, and only then removes the blocks."""
        if stock.games() > self.progress.total:
            more = [
                f"{cell.title}: it ends after {wanted[cell.key]:,} games, and more were played"
                for cell in self.cells
                if sum(piece.stop - piece.start for piece in stock.pieces.get(cell.key, [])) > wanted[cell.key]
            ]
            raise Differs(self.folder, more)
        with self._waiting("Writing the records"):
            note = _note(self.experiment, self.cells, wanted, self._engines(stock))
            sha256 = records.write(self.folder / TRIALS, self._parts(stock), self.fields, note)
            provenance.save(self.folder, written, {TRIALS: sha256})
        self._clear_blocks()

    def _parts(self, stock: _Stock) -> Iterator[pa.Table]:
        for cell in self.cells:
            names = _names(self.experiment, cell)
            for piece in stock.pieces[cell.key]:
                length = piece.stop - piece.start
                for part in records.rows(piece.path, self.fields, piece.row, piece.row + length):
                    yield records.renamed(part, names)

    def _clear_blocks(self) -> None:
        for path in own_files(self.folder):
            if path.parent.name == BLOCKS:
                path.unlink()
        self.owned.sweep(BLOCKS, after=0)
        with contextlib.suppress(OSError):
            (self.folder / BLOCKS).rmdir()

    # What the user sees

    @contextlib.contextmanager
    def _waiting(self, text: str) -> Iterator[None]:
        if self.console is None:
            yield
            return
        with self.console.status(text):
            yield

    @contextlib.contextmanager
    def _bar(self) -> Iterator[Callable[[Progress], None]]:
        if self.console is None or not self.console.is_terminal:
            yield lambda progress: None
            return
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        columns = (
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.completed:,.0f} of {task.total:,.0f} games"),
            TextColumn("{task.fields[pace]}"),
            TextColumn("{task.fields[left]}"),
        )
        with Bar(*columns, console=self.console, transient=True) as bar:
            task = bar.add_task("", total=self.progress.total, pace="", left="")

            def show(progress: Progress) -> None:
                bar.update(
                    task,
                    completed=progress.done,
                    pace=f"{progress.pace:,.0f} games/s" if progress.played else "",
                    left=f"{duration(progress.left)} left" if progress.left is not None else "",
                )

            yield show


class _Clock:
    """Keeps a `Progress` up to date: the time left is estimated per cell, since agents differ a thousandfold."""

    def __init__(self, progress: Progress, blocks: Iterable[Block], workers: int) -> None:
        self.begin = time.perf_counter()
        self.progress = progress
        self.workers = workers
        self.missing: dict[tuple[str, str, str], int] = {}
        self.timed: dict[tuple[str, str, str], tuple[float, int]] = {}
        for block in blocks:
            kind = self._kind(block)
            self.missing[kind] = self.missing.get(kind, 0) + block.count

    def add(self, block: Block, seconds: float) -> None:
        kind = self._kind(block)
        self.missing[kind] -= block.count
        spent, count = self.timed.get(kind, (0.0, 0))
        self.timed[kind] = (spent + seconds, count + block.count)
        self.progress.played += block.count
        elapsed = time.perf_counter() - self.begin
        self.progress.pace = self.progress.played / elapsed if elapsed else 0.0
        if all(kind in self.timed for kind in self.missing):
            work = sum(left * self.timed[kind][0] / self.timed[kind][1] for kind, left in self.missing.items())
            self.progress.left = work / self.workers

    @staticmethod
    def _kind(block: Block) -> tuple[str, str, str]:
        return (block.cell.ruleset.game, block.cell.first.label, block.cell.second.label)


def duration(seconds: float) -> str:
    """A time in words, to two places."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{round(seconds)} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def arguments(experiment: Experiment, block: Block) -> tuple[Any, ...]:
    """What the engine's ``run_block`` takes for a block."""
    ruleset = block.cell.ruleset
    found = (
        ruleset.game,
        tuple(ruleset.codes().values()),
        solutions.numbers(block.cell.first, ruleset),
        solutions.numbers(block.cell.second, ruleset),
        experiment.seeds(block.cell, block.start, block.stop),
        experiment.max_plies,
    )
    if experiment.judge is None:
        return found
    judge = solutions.numbers(experiment.judge.judge(), ruleset)
    return (*found, records.OPENING_PLIES, (judge, experiment.adjudicate))


def _names(experiment: Experiment, cell: Cell) -> dict[str, str | int]:
    """The columns that are the same for all games of a cell."""
    return {
        "experiment": experiment.name,
        "ruleset": cell.ruleset.name,
        "fingerprint": cell.ruleset.fingerprint,
        "first": cell.first.label,
        "second": cell.second.label,
        "cell": cell.index,
    }


def _note(
    experiment: Experiment, cells: Sequence[Cell], wanted: Mapping[str, int], engines: Mapping[str, str]
) -> dict[str, Any]:
    """What the finished file says of itself: enough to know whether it is the one that is asked for."""
    return {
        "experiment": experiment.name,
        "games": experiment.games,
        "cells": [
            [cell.key, cell.ruleset.name, cell.first.label, cell.second.label, wanted[cell.key]] for cell in cells
        ],
        "engines": dict(engines),
    }


def _same(note: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two notes ask for the same records, whoever played them."""
    return all(note.get(name) == other.get(name) for name in ("experiment", "games", "cells"))


# What is on disk


def _stock(experiment: Experiment, cells: Sequence[Cell], folder: Path, fields: pa.Schema) -> _Stock:
    """What the folder holds of the experiment; what is damaged is named and counts as not there.

    Raises:
        records.Unavailable: a file cannot be read at present.
    """
    stock = _Stock()
    known = {cell.key: cell for cell in cells}
    pieces: list[tuple[str, _Piece, str]] = []
    path = folder / TRIALS
    if path.exists():
        try:
            pieces += _finished(experiment, known, path, fields, stock)
        except (records.Unreadable, KeyError, TypeError, ValueError, IndexError, AttributeError):
            stock.damaged.append(f"{path} is damaged: all of its games")
    # Beside the whole file of a fixed number of games, blocks have nothing to add.
    everything = _note(experiment, cells, {cell.key: experiment.games for cell in cells}, {})
    complete = stock.finished is not None and _same(stock.finished, everything)
    for path in [] if complete else sorted((folder / BLOCKS).glob("*.parquet")):
        if not _BLOCK.fullmatch(path.name):
            continue
        key, _, start = path.stem.partition("-")
        try:
            checked = records.check(path)
            note = checked.note
            piece = _Piece(path, int(note["start"]), int(note["stop"]))
            whole = not checked.damaged and checked.count == piece.stop - piece.start
            if not whole or note["cell"] != key or piece.start != int(start):
                raise records.Unreadable(f"{path}: {checked.count} rows")
            if key in known:
                _check_games(experiment, known[key], piece, fields)
            stock.sealed &= checked.sealed
            pieces.append((key, piece, str(note.get("engine") or "")))
        except (records.Unreadable, KeyError, TypeError, ValueError):
            games_of = f"games from {int(start):,} of {known[key].title}" if key in known else "its games"
            stock.damaged.append(f"{path} is damaged: {games_of}")
    # The finished file came first and wins over blocks that a killed run left beside it.
    pieces.sort(key=lambda item: item[1].start)
    for key, piece, engine in pieces:
        if key not in known or piece.stop > experiment.games:
            stock.foreign = True
            continue
        of_cell = stock.pieces.setdefault(key, [])
        if not of_cell or of_cell[-1].stop <= piece.start:
            of_cell.append(piece)
            stock.engines.setdefault(known[key].ruleset.game, set()).add(engine)
    return stock


def _finished(
    experiment: Experiment, known: Mapping[str, Cell], path: Path, fields: pa.Schema, stock: _Stock
) -> list[tuple[str, _Piece, str]]:
    """The games of the finished file that are whole, by the key of their cell, with the engine that played them."""
    checked = records.check(path)
    note = checked.note
    # Records of version 0.1 had as many games in each cell, and did not say so twice.
    sizes = [(str(line[0]), int(line[4] if len(line) > 4 else note["games"])) for line in note["cells"]]
    if checked.count != sum(size for _, size in sizes):
        raise records.Unreadable(f"{path}: {checked.count} rows")
    engines = note.get("engines", {})
    pieces: list[tuple[str, _Piece, str]] = []
    row = 0
    for key, size in sizes:
        family = known[key].ruleset.game if key in known else ""
        engine = str(engines.get(family) or "")
        at = 0
        for low, high in [*checked.damaged, (row + size, row + size)]:
            low, high = min(max(low - row, 0), size), min(max(high - row, 0), size)
            if at < low:
                piece = _Piece(path, at, low, row + at)
                if key in known and not checked.sealed:
                    _check_games(experiment, known[key], piece, fields)
                pieces.append((key, piece, engine))
            at = max(at, high)
        row += size
    if checked.damaged:
        stock.damaged += [f"{path} is damaged: {lost}" for lost in records.games_of(note, checked.damaged)]
    else:
        stock.finished, stock.sha256 = note, checked.sha256
    stock.sealed &= checked.sealed
    return pieces


def _check_games(experiment: Experiment, cell: Cell, piece: _Piece, fields: pa.Schema) -> None:
    """Raises `Unreadable` unless the rows are the games that the file promises."""
    import numpy as np

    seeds = experiment.seeds(cell, piece.start, piece.stop)
    at = 0
    for part in records.rows(piece.path, fields, piece.row, piece.row + piece.stop - piece.start):
        size = part.num_rows
        right = (
            part["fingerprint"].unique().to_pylist() == [cell.ruleset.fingerprint]
            and np.array_equal(part["seed"].to_numpy(), seeds[at : at + size])
            and np.array_equal(part["game"].to_numpy(), np.arange(piece.start + at, piece.start + at + size))
        )
        if not right:
            raise records.Unreadable(f"{piece.path}: other games than its name says")
        at += size


def _missing(experiment: Experiment, cells: Sequence[Cell], stock: _Stock, wanted: Mapping[str, int]) -> list[Block]:
    """The blocks to play, such that at any time all cells are played about equally far."""
    blocks = []
    for cell in cells:
        size = experiment.block_size(cell)
        at = 0
        edges = [(piece.start, piece.stop) for piece in stock.pieces.get(cell.key, [])]
        for start, stop in [*edges, (wanted[cell.key], wanted[cell.key])]:
            while at < start:
                end = min(start, at - at % size + size)
                blocks.append(Block(cell, at, end))
                at = end
            at = stop
    return sorted(blocks, key=lambda block: (block.start, block.cell.index))


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Holds the folder for this run alone; the lock ends with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows: no such lock, no protection
        yield
        return
    place = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            # Some network file systems know no locks; that is no reason not to play.
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                raise Busy(folder) from None
        yield
    finally:
        os.close(place)


@functools.cache
def _beats() -> str:
    """The folder in which the workers of this process give signs of life; "" if there can be none."""
    try:
        folder = tempfile.mkdtemp(prefix="workbench-")
    except OSError:
        return ""
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@contextlib.contextmanager
def _watched(say: Callable[[str], None]) -> Iterator[None]:
    """Kills workers that have given no sign of life for long, so that their blocks are played by others."""
    folder, ended = _beats(), threading.Event()

    def watch() -> None:
        seen: dict[int, tuple[int, float]] = {}
        before = time.monotonic()
        while not ended.wait(BEAT):
            now = time.monotonic()
            if now - before > 5 * BEAT:
                seen.clear()  # this process itself was stopped for a while, and its workers may have been, too
            before = now
            for process, seconds in silent(Path(folder), seen, now).items():
                if seconds > SILENCE:
                    say(f"Worker process {process} has stood still for {seconds:.0f} seconds: it is replaced.")
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


@contextlib.contextmanager
def _interrupted_by(number: signal.Signals) -> Iterator[None]:
    """Lets a signal stop this process as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(number, stop)
    try:
        yield
    finally:
        signal.signal(number, before)


@contextlib.contextmanager
def _deaf(*numbers: signal.Signals) -> Iterator[None]:
    """Ignores signals for a moment; processes that are started meanwhile ignore them for good."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
