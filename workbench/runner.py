"""Plays the games of an experiment on several processes and keeps every finished block on disk.

A report folder holds ``provenance.json``, ``blocks/`` while games are still missing and ``trials.parquet`` once all are
played. A block file is named by its cell's key (a hash of everything that decides its games) and its first game. So
"what is already played" is read off the folder itself, and the same command continues a run that was stopped in any
way. The finished file depends on the experiment alone: not on the number of workers, the size of the blocks or on how
often the run was interrupted.
"""

from __future__ import annotations

import contextlib
import datetime
import errno
import importlib
import json
import os
import platform
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import workbench
from workbench import games, records, solutions
from workbench.experiment import Block, Cell, Experiment
from workbench.worker import timed

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

TRIALS = "trials.parquet"
PROVENANCE = "provenance.json"
BLOCKS = "blocks"

Play = Callable[..., Mapping[str, Any]]
"""The engine's ``run_block(game, codes, first, second, seeds, max_plies)``."""
AsText = Callable[[str, Any, list[int]], list[str]]
"""``moves_as_text(game, codes, moves)``."""


class Stopped(Exception):
    """A run that did not reach its end; its text tells the user why and what to do."""


class Differs(Stopped):
    """The folder holds games of another experiment than the one that is asked for."""

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

    def __init__(self, folder: Path) -> None:
        """Says which folder."""
        super().__init__(f"{folder} is in use by another run; wait for it to end, or stop it.")


class Interrupted(Stopped):
    """The user stopped the run."""

    def __init__(self, kept: int, total: int, command: str) -> None:
        """Says how many games are on disk and how to go on."""
        self.kept, self.total = kept, total
        super().__init__(f"Stopped. {kept:,} of {total:,} games are kept. To continue: {command}")


class WorkerDied(Stopped):
    """A worker process died twice while it played the same block."""

    def __init__(self, block: Block, kept: int, total: int, command: str) -> None:
        """Names the block."""
        self.block = block
        super().__init__(
            f"A worker process died twice while it played {block.cell.title}, games {block.start} to {block.stop - 1}. "
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
    """The note of ``trials.parquet``."""
    foreign: bool = False
    """Whether there are games of cells, or beyond the number of games, that the experiment does not have."""
    damaged: list[str] = field(default_factory=list)

    def games(self) -> int:
        return sum(piece.stop - piece.start for pieces in self.pieces.values() for piece in pieces)


def own_files(folder: Path) -> list[Path]:
    """The files that a run writes into its folder and that a fresh start deletes; nothing else is ever deleted."""
    blocks = [path for kind in ("*.parquet", "*.parquet.tmp") for path in sorted((folder / BLOCKS).glob(kind))]
    names = (TRIALS, f"{TRIALS}.tmp", PROVENANCE, f"{PROVENANCE}.tmp")
    return blocks + [folder / name for name in names if (folder / name).is_file()]


def run(
    experiment: Experiment,
    folder: Path,
    *,
    workers: int | None = None,
    fresh: bool = False,
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
        command: what the user types to run this again; for messages and the provenance.
        console: where a progress bar and messages go; None is silent.
        on_progress: called after each block.
        play: plays one block; None is the workbench's engine.
        as_text: writes moves; None is the workbench's notation.

    Raises:
        Differs: the folder holds games of another experiment.
        Busy: another run works in the folder.
        Interrupted: the user pressed Ctrl-C.
        WorkerDied: a worker process died twice in the same block.
    """
    command = command or f"workbench run {experiment.path}"
    workers = workers or os.cpu_count() or 1
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        if fresh:
            for path in own_files(folder):
                path.unlink()
        the_run = _Run(experiment, folder, workers, command, console, on_progress, play, as_text)
        try:
            return the_run.all()
        except KeyboardInterrupt:
            with _deaf():
                raise Interrupted(the_run.on_disk(), the_run.progress.total, command) from None


class _Run:
    """One call of `run`."""

    def __init__(
        self,
        experiment: Experiment,
        folder: Path,
        workers: int,
        command: str,
        console: Console | None,
        on_progress: Callable[[Progress], None] | None,
        play: Play | None,
        as_text: AsText | None,
    ) -> None:
        self.experiment = experiment
        self.folder = folder
        self.workers = workers
        self.command = command
        self.console = console
        self.on_progress = on_progress
        self.play = play
        self.as_text = as_text
        self.notes: list[str] = []
        self.cells = experiment.cells()
        self.declarations = {name: games.declaration(name) for name in experiment.families()}
        self.columns = records.COLUMNS + records.event_columns(self.declarations.values())
        self.fields = records.schema(self.columns)
        self.progress = Progress(total=len(self.cells) * experiment.games, kept=0)

    def all(self) -> Outcome:
        stock = _stock(self.experiment, self.cells, self.folder, self.fields)
        old, new = _read_provenance(self.folder), _provenance(self.experiment, self.cells, self.workers, self.command)
        breaking, harmless = _differences(old, new) if old else ([], [])
        if stock.foreign:
            raise Differs(self.folder, breaking or harmless or [f"{PROVENANCE} is missing or cannot be read"])
        kept = stock.games()
        self.progress = Progress(total=len(self.cells) * self.experiment.games, kept=kept)
        if kept < self.progress.total and kept and old and old["versions"].get("workbench") != workbench.__version__:
            raise Differs(
                self.folder,
                [f"workbench: the games were played by version {old['versions'].get('workbench')}, "
                 f"this is {workbench.__version__}"],
            )  # fmt: skip
        for line in stock.damaged:
            self._say(f"{line}: its games are played again")
        wanted = _note(self.experiment, self.cells)
        if kept == self.progress.total and stock.finished == wanted:
            self._clear_blocks()
            self._say(f"All {kept:,} games were already played; nothing to do.", keep=False)
            return Outcome(self.folder / TRIALS, kept, kept, 0, tuple(self.notes))
        if kept:
            for line in [*breaking, *harmless]:
                self._say(f"Changed since the last run: {line}")
            self._say(f"Continuing: {kept:,} of {self.progress.total:,} games are already played.", keep=False)
        _write_provenance(self.folder, old if kept else None, new)
        (self.folder / BLOCKS).mkdir(exist_ok=True)
        self._play(_missing(self.experiment, self.cells, stock))
        self._merge(wanted)
        return Outcome(self.folder / TRIALS, self.progress.total, kept, self.progress.played, tuple(self.notes))

    def on_disk(self) -> int:
        """Games that the folder holds; it may be a block more than was counted when the run was interrupted."""
        return _stock(self.experiment, self.cells, self.folder, self.fields).games()

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
            self.as_text = importlib.import_module("workbench.session").moves_as_text
        clock = _Clock(self.progress, blocks, self.workers)
        with self._bar() as show, contextlib.closing(self._results(blocks)) as results:
            show(self.progress)
            for block, seconds, arrays in results:
                self._save(block, arrays)
                clock.add(block, seconds)
                show(self.progress)
                if self.on_progress:
                    self.on_progress(self.progress)

    def _results(self, blocks: list[Block]) -> Generator[tuple[Block, float, Mapping[str, Any]]]:
        """Every block, its seconds and its arrays, in the order in which they end."""
        assert self.play is not None
        if self.workers == 1:
            for block in blocks:
                begin = time.perf_counter()
                arrays = self.play(*_arguments(self.experiment, block))
                yield block, time.perf_counter() - begin, arrays
            return
        from joblib.externals.loky.process_executor import BrokenProcessPool

        waiting = dict(enumerate(blocks))
        died: set[int] = set()
        while waiting:
            flying: set[int] = set()
            # A block that was in flight when a worker died plays alone: a second death then names its block.
            alone = sorted(died & set(waiting))
            batch = {alone[0]: waiting[alone[0]]} if alone else dict(waiting)
            try:
                with contextlib.closing(self._parallel(batch, flying)) as results:
                    for number, seconds, arrays in results:
                        flying.discard(number)
                        died.discard(number)
                        yield waiting.pop(number), seconds, arrays
            except BrokenProcessPool:
                if alone:
                    block = waiting[alone[0]]
                    raise WorkerDied(block, self.progress.done, self.progress.total, self.command) from None
                died |= flying
                cells = ", ".join(dict.fromkeys(waiting[number].cell.title for number in sorted(flying)))
                self._say(f"A worker process died; its blocks are played once more ({cells})")

    def _parallel(self, blocks: Mapping[int, Block], flying: set[int]) -> Generator[tuple[int, float, Any]]:
        import joblib

        def tasks() -> Iterator[Any]:
            for number, block in blocks.items():
                flying.add(number)
                yield joblib.delayed(timed)(number, self.play, _arguments(self.experiment, block))

        parallel = joblib.Parallel(
            n_jobs=self.workers,
            backend="loky",
            return_as="generator_unordered",
            pre_dispatch=2 * self.workers,
            batch_size=1,
            max_nbytes=None,
        )
        with _deaf():
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
        note = {"cell": block.cell.key, "start": block.start, "stop": block.stop}
        records.write(path, [found], self.fields, note)

    # Merging

    def _merge(self, note: Mapping[str, Any]) -> None:
        """Writes the finished file from what is on disk, and only then removes the blocks."""
        stock = _stock(self.experiment, self.cells, self.folder, self.fields)
        if stock.games() != self.progress.total:
            lost = self.progress.total - stock.games()
            raise Stopped(f"{lost:,} games cannot be read back from {self.folder}. To play them again: {self.command}")
        with self._waiting("Writing the records"):
            records.write(self.folder / TRIALS, self._parts(stock), self.fields, note)
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
            if path.parent.name == BLOCKS or path.suffix == ".tmp":
                path.unlink()
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
                    left=f"{_duration(progress.left)} left" if progress.left is not None else "",
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


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{round(seconds)} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def _arguments(experiment: Experiment, block: Block) -> tuple[Any, ...]:
    ruleset = block.cell.ruleset
    return (
        ruleset.game,
        tuple(ruleset.codes().values()),
        solutions.numbers(block.cell.first, ruleset),
        solutions.numbers(block.cell.second, ruleset),
        experiment.seeds(block.cell, block.start, block.stop),
        experiment.max_plies,
    )


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


def _note(experiment: Experiment, cells: Sequence[Cell]) -> dict[str, Any]:
    """What the finished file says of itself: enough to know whether it is the one that is asked for."""
    return {
        "experiment": experiment.name,
        "games": experiment.games,
        "cells": [[cell.key, cell.ruleset.name, cell.first.label, cell.second.label] for cell in cells],
    }


# What is on disk


def _stock(experiment: Experiment, cells: Sequence[Cell], folder: Path, fields: pa.Schema) -> _Stock:
    """What the folder holds of the experiment; unreadable files are named and count as not there."""
    stock = _Stock()
    known = {cell.key: cell for cell in cells}
    pieces: list[tuple[str, _Piece]] = []
    path = folder / TRIALS
    if path.exists():
        try:
            note, count = records.note_of(path)
            keys, per_cell = [line[0] for line in note["cells"]], int(note["games"])
            if count != len(keys) * per_cell:
                raise records.Unreadable(f"{path}: {count} rows")
            stock.finished = note
            pieces += [(key, _Piece(path, 0, per_cell, i * per_cell)) for i, key in enumerate(keys)]
        except (records.Unreadable, KeyError, TypeError, ValueError, IndexError):
            stock.damaged.append(f"{path} cannot be read")
    complete = stock.finished is not None and stock.finished == _note(experiment, cells)
    for path in [] if complete else sorted((folder / BLOCKS).glob("*.parquet")):
        key, _, start = path.stem.partition("-")
        try:
            note, count = records.note_of(path)
            piece = _Piece(path, int(note["start"]), int(note["stop"]))
            if note["cell"] != key or piece.start != int(start) or count != piece.stop - piece.start:
                raise records.Unreadable(f"{path}: {count} rows")
            if key in known:
                _check_block(experiment, known[key], piece, fields)
            pieces.append((key, piece))
        except (records.Unreadable, KeyError, TypeError, ValueError):
            stock.damaged.append(f"{path} cannot be read")
    # The finished file came first and wins over blocks that a killed run left beside it.
    pieces.sort(key=lambda item: item[1].start)
    for key, piece in pieces:
        if key not in known or piece.stop > experiment.games:
            stock.foreign = True
            continue
        of_cell = stock.pieces.setdefault(key, [])
        if not of_cell or of_cell[-1].stop <= piece.start:
            of_cell.append(piece)
    return stock


def _check_block(experiment: Experiment, cell: Cell, piece: _Piece, fields: pa.Schema) -> None:
    """Raises `Unreadable` unless the block's rows are the games that its name promises."""
    import numpy as np

    seeds = experiment.seeds(cell, piece.start, piece.stop)
    at = 0
    for part in records.rows(piece.path, fields):
        size = part.num_rows
        right = (
            part["fingerprint"].unique().to_pylist() == [cell.ruleset.fingerprint]
            and np.array_equal(part["seed"].to_numpy(), seeds[at : at + size])
            and np.array_equal(part["game"].to_numpy(), np.arange(piece.start + at, piece.start + at + size))
        )
        if not right:
            raise records.Unreadable(f"{piece.path}: other games than its name says")
        at += size


def _missing(experiment: Experiment, cells: Sequence[Cell], stock: _Stock) -> list[Block]:
    """The blocks to play, such that at any time all cells are played about equally far."""
    blocks = []
    for cell in cells:
        size = experiment.block_size(cell)
        at = 0
        edges = [(piece.start, piece.stop) for piece in stock.pieces.get(cell.key, [])]
        for start, stop in [*edges, (experiment.games, experiment.games)]:
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


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """Ignores Ctrl-C for a moment, so that the processes started meanwhile ignore it for good."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# Provenance


def _provenance(experiment: Experiment, cells: Sequence[Cell], workers: int, command: str) -> dict[str, Any]:
    pairings = {(cell.first.label, cell.second.label): cell for cell in cells}
    families = {ruleset.game: games.declaration(ruleset.game) for ruleset in experiment.rulesets}
    return {
        "experiment": experiment.canonical(),
        "rulesets": [
            {
                "name": ruleset.name,
                "title": ruleset.title,
                "title_ja": ruleset.title_ja,
                "game": ruleset.game,
                "fingerprint": ruleset.fingerprint,
                "settings": dict(ruleset.settings),
            }
            for ruleset in experiment.rulesets
        ],
        "pairings": [
            {
                "first": cell.first.label,
                "second": cell.second.label,
                "first_options": cell.first.canonical(),
                "second_options": cell.second.canonical(),
            }
            for cell in pairings.values()
        ],
        "weights": {
            name: {feature.name: feature.weight for feature in declaration.features}
            for name, declaration in families.items()
        },
        "versions": {
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in ("numpy", "numba", "pandas", "pyarrow")},
            "workbench": workbench.__version__,
        },
        "cpu": _cpu(),
        "workers": workers,
        "command": command,
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _write_provenance(folder: Path, old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> None:
    """Writes ``provenance.json``; a continued run keeps the date and the machine of the first."""
    content = dict(new)
    if old:
        machine = ("versions", "cpu", "workers", "command", "started")
        content |= {name: old[name] for name in machine if name in old}
        content["continued"] = [*old.get("continued", []), {name: new[name] for name in machine}]
    path = folder / PROVENANCE
    beside = path.with_name(f"{PROVENANCE}.tmp")
    beside.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    records.settle(beside, path)


def _read_provenance(folder: Path) -> dict[str, Any] | None:
    try:
        found = json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))
        for name, kind in (("experiment", dict), ("rulesets", list), ("pairings", list), ("versions", dict)):
            if not isinstance(found[name], kind):
                return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    assert isinstance(found, dict)
    return found


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """What changed from one provenance to the next, in words: what makes played games wrong, and what does not."""
    breaking: list[str] = []
    harmless: list[str] = []
    before, now = old["experiment"], new["experiment"]
    for name in ("name", "seed", "max_plies"):
        if before.get(name) != now[name]:
            (harmless if name == "name" else breaking).append(f"{name}: was {before.get(name)}, is now {now[name]}")
    if before.get("games") != now["games"]:
        more = isinstance(before.get("games"), int) and before["games"] < now["games"]
        (harmless if more else breaking).append(f"games: was {before.get('games')} per cell, is now {now['games']}")
    rulesets = {ruleset["name"]: ruleset for ruleset in old["rulesets"]}
    for ruleset in new["rulesets"]:
        was = rulesets.pop(ruleset["name"], None)
        if was is None:
            harmless.append(f"ruleset {ruleset['name']} was added")
        elif was["fingerprint"] != ruleset["fingerprint"]:
            changes = _changes(was["settings"], ruleset["settings"])
            breaking.append(f"ruleset {ruleset['name']}: {changes or 'its game family now plays by other rules'}")
    breaking += [f"ruleset {name} is no longer in the experiment" for name in rulesets]
    pairs = {(pair["first"], pair["second"]): pair for pair in old["pairings"]}
    agents: dict[str, str] = {}
    for pair in new["pairings"]:
        was = pairs.pop((pair["first"], pair["second"]), None)
        if was is None:
            harmless.append(f"pairing {pair['first']} – {pair['second']} was added")
            continue
        for seat in ("first", "second"):
            if was[f"{seat}_options"] != pair[f"{seat}_options"]:
                agents[pair[seat]] = _changes(was[f"{seat}_options"], pair[f"{seat}_options"])
    breaking += [f"agent {label}: {changes}" for label, changes in agents.items()]
    breaking += [f"pairing {first} – {second} is no longer in the experiment" for first, second in pairs]
    for game, weights in new["weights"].items():
        changes = _changes(old.get("weights", {}).get(game, weights), weights)
        if changes:
            breaking.append(f"default weights of {game}: {changes}")
    return breaking, harmless


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    words = []
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            was, now = (json.dumps(side[name]) if name in side else "not there" for side in (old, new))
            words.append(f"{name} was {was}, is now {now}")
    return "; ".join(words)


def _cpu() -> str:
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
