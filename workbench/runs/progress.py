"""Progress of a run, and the errors with which it ends before its end: why, what is left on disk, and how to go on."""

from __future__ import annotations

import contextlib
import itertools
import re
import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base import output
from workbench.base.errors import BAD_INPUT, FAILED, INTERRUPTED, WorkbenchError, display_path
from workbench.base.language import join, tr, translated, trn
from workbench.experiments.experiment import Block, Cell
from workbench.records import records

if TYPE_CHECKING:
    from rich.console import Console


@dataclass
class Progress:
    """The progress of a run; games, pace and time left agree: what is left takes so long at this pace."""

    total: int
    """Games that are wanted: up to the next interim analysis, where there are any."""
    kept: int
    """Games that were on disk before."""
    played: int = 0
    """Games played by this run."""
    most: int = 0
    """Games in the end, should no further cell end early."""
    pace: float = 0.0
    """Games a second: of those that are left, as far as it is known what they take; until then, of those played."""
    left: float | None = None
    """Seconds left, should no further cell end early, once every pairing has been timed."""
    workers: int = 1
    """Workers that play at present."""

    @property
    def done(self) -> int:
        """Games on disk."""
        return self.kept + self.played

    def __str__(self) -> str:
        counts = {"done": self.done, "most": self.most or self.total}
        if self.left is None:
            return str(tr("{done:,} of {most:,} games are played.", **counts))
        text = tr("{done:,} of {most:,} games are played, {pace:,.0f} a second; {left} left.")
        return str(text.format(**counts, pace=self.pace, left=format_duration(self.left)))


class Clock:
    """Keeps the `Progress` of a run up to date.

    The time left is that of the games that are left, as measured in this run for each pairing, since agents differ a
    thousandfold.
    """

    def __init__(self, progress: Progress) -> None:
        self.begin = time.perf_counter()
        self.progress = progress
        self.missing: dict[tuple[str, str, str], int] = {}
        self.timed: dict[tuple[str, str, str], tuple[float, int]] = {}

    def begin_stage(self, blocks: Iterable[Block], later: Iterable[tuple[Cell, int]]) -> None:
        """Take note of the blocks up to the next interim analysis, and of the games of cells that may come later."""
        counts = [*((block.cell, block.count) for block in blocks), *later]
        self.missing = {}
        for cell, count in counts:
            self.missing[_pairing(cell)] = self.missing.get(_pairing(cell), 0) + count
        self.progress.most = self.progress.done + sum(self.missing.values())
        self._update()

    def add(self, block: Block, seconds: float) -> None:
        """Count a block that took so many seconds of a worker."""
        pairing = _pairing(block.cell)
        self.missing[pairing] -= block.count
        spent, count = self.timed.get(pairing, (0.0, 0))
        self.timed[pairing] = (spent + seconds, count + block.count)
        self.progress.played += block.count
        self._update()

    def _update(self) -> None:
        progress, elapsed = self.progress, time.perf_counter() - self.begin
        progress.pace, progress.left = progress.played / elapsed if elapsed else 0.0, None
        waiting = {pairing: games for pairing, games in self.missing.items() if games}
        if waiting.keys() <= self.timed.keys():
            work = sum(games * self.timed[pairing][0] / self.timed[pairing][1] for pairing, games in waiting.items())
            progress.left = work / progress.workers
            progress.pace = sum(waiting.values()) / progress.left if progress.left else progress.pace


def _pairing(cell: Cell) -> tuple[str, str, str]:
    return (cell.ruleset.game, cell.first.label, cell.second.label)


def format_duration(seconds: float) -> str:
    """Return a time in words, to two places."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{round(seconds)} s"
    return (
        tr("{minutes} min", minutes=minutes)
        if minutes < 100
        else tr("{minutes} h {minutes2} min", minutes=minutes // 60, minutes2=minutes % 60)
    )


@contextlib.contextmanager
def progress_bar(console: Console | None, progress: Progress) -> Iterator[Callable[[Progress], None]]:
    """A bar in a terminal; what it gives is called to draw it anew, and does nothing if there is no terminal."""
    if console is None or not console.is_terminal:
        yield lambda progress: None
        return
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn(translated(tr("{task.completed:,.0f} of {task.total:,.0f} games"))),
        TextColumn("{task.fields[workers]}"),
        TextColumn("{task.fields[pace]}"),
        TextColumn("{task.fields[left]}"),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=progress.most, workers="", pace="", left="")

        def show(progress: Progress) -> None:
            bar.update(
                task,
                completed=progress.done,
                total=progress.most,
                workers=translated(trn("{n:,} worker", "{n:,} workers", progress.workers)),
                pace=translated(tr("{pace:,.0f} games/s", pace=progress.pace)) if progress.played else "",
                left=translated(tr("{time} left", time=format_duration(progress.left)))
                if progress.left is not None
                else "",
            )

        yield show


class Stopped(WorkbenchError):
    """A run that did not reach its end; its text tells the user why and what to do."""

    exit_code = FAILED


class FolderMismatch(Stopped):
    """The folder holds the games of another question than the one that is asked."""

    exit_code = BAD_INPUT

    def __init__(self, folder: Path, differences: Sequence[str], command: str = "") -> None:
        """Keep ``differences``, one line for each thing that is not the same; ``command`` would ask it again."""
        self.folder = folder
        self.differences = tuple(differences)
        lines = join("\n", (join("  ", ("", line)) for line in differences))
        text = tr("{folder} holds the games of another question:\n{lines}", folder=folder, lines=lines)
        how = tr("A folder has one question. Undo the change, or begin anew with --fresh.")
        if command:
            place = folder.absolute()
            other = next(path for n in itertools.count(2) if not (path := Path(f"{place}-{n}")).exists())
            how = tr(
                "A folder has one question. Undo the change, begin anew with --fresh, or ask it in another folder: "
                "{command} --out {other}",
                command=re.sub(r" --out ('[^']*'|\S+)", "", command),
                other=shlex.quote(display_path(other)),
            )
        super().__init__(join("\n", (text, how)))


class ProgramsNotAllowed(Stopped):
    """The experiment starts programs or classes from outside, and the user has not said that it may."""

    exit_code = BAD_INPUT

    def __init__(self, starts: Sequence[str], command: str) -> None:
        lines = join("\n", (join("  ", ("", start)) for start in starts))
        text = tr(
            "This experiment starts programs or classes from outside the workbench, which may do all that you may do:\n"
            "{lines}\nTo allow it: {command} --allow-programs"
        )
        super().__init__(text.format(lines=lines, command=command))


class FolderBusy(Stopped):
    """Another run works in the folder."""

    exit_code = BAD_INPUT

    def __init__(self, folder: Path) -> None:
        super().__init__(tr("{folder} is in use by another run; wait for it to end, or stop it.", folder=folder))


class FolderUnwritable(Stopped):
    """The folder cannot be written: its disk is full, say."""

    exit_code = BAD_INPUT

    def __init__(self, folder: Path, error: output.Unwritable, kept: int, total: int, command: str) -> None:
        self.kept, self.total = kept, total
        how = tr(
            "{kept:,} of {total:,} games are kept. To continue: {command}", kept=kept, total=total, command=command
        )
        super().__init__(str(output.Unwritable(folder, error.reason, how)))


class FolderUnreadable(Stopped):
    """A file of the folder cannot be read at present, so nobody can say what is in it."""

    exit_code = BAD_INPUT

    def __init__(self, error: records.Unavailable, command: str) -> None:
        text = tr(
            "{error}. Nothing was changed. Make it readable, then: {command}\nIf it is lost for good, delete it: its "
            "games are then played again."
        )
        super().__init__(text.format(error=error, command=command))


class RunInterrupted(Stopped):
    """The user stopped the run."""

    exit_code = INTERRUPTED

    def __init__(self, kept: int, total: int, command: str) -> None:
        self.kept, self.total = kept, total
        text = tr("Stopped. {kept:,} of {total:,} games are kept. To continue: {command}")
        super().__init__(text.format(kept=kept, total=total, command=command))
