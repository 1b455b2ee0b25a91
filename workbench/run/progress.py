"""How far a run is, how fast it goes, and how long it will still take."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.language import tr, translated, trn
from workbench.questions.cells import Block

if TYPE_CHECKING:
    from rich.console import Console


@dataclass
class Progress:
    """How far a run is."""

    total: int
    kept: int
    """Games that were on disk before."""
    played: int = 0
    """Games played by this run."""
    pace: float = 0.0
    """Games a second, since the last interim analysis of this run."""
    left: float | None = None
    """Seconds left, once every pairing has been timed."""
    workers: int = 1
    """That play at present."""

    @property
    def done(self) -> int:
        """Games on disk."""
        return self.kept + self.played


class Clock:
    """Keeps a `Progress` up to date. The time left is estimated per pairing, since agents differ a thousandfold."""

    def __init__(self, progress: Progress, blocks: Iterable[Block], workers: int) -> None:
        self.begin = time.perf_counter()
        self.progress = progress
        progress.workers = workers
        self.before = progress.played
        self.missing: dict[tuple[str, str, str], int] = {}
        self.timed: dict[tuple[str, str, str], tuple[float, int]] = {}
        for block in blocks:
            kind = self._kind(block)
            self.missing[kind] = self.missing.get(kind, 0) + block.count

    def add(self, block: Block, seconds: float) -> None:
        """Counts a block that took so many seconds of a worker."""
        kind = self._kind(block)
        self.missing[kind] -= block.count
        spent, count = self.timed.get(kind, (0.0, 0))
        self.timed[kind] = (spent + seconds, count + block.count)
        self.progress.played += block.count
        elapsed = time.perf_counter() - self.begin
        self.progress.pace = (self.progress.played - self.before) / elapsed if elapsed else 0.0
        if all(kind in self.timed for kind in self.missing):
            work = sum(left * self.timed[kind][0] / self.timed[kind][1] for kind, left in self.missing.items())
            self.progress.left = work / self.progress.workers

    @staticmethod
    def _kind(block: Block) -> tuple[str, str, str]:
        return (block.cell.ruleset.game, block.cell.first.label, block.cell.second.label)


def format_duration(seconds: float) -> str:
    """A time in words, to two places."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{round(seconds)} s"
    return (
        tr("{minutes} min", minutes=minutes)
        if minutes < 100
        else tr("{minutes} h {minutes2} min", minutes=minutes // 60, minutes2=minutes % 60)
    )


@contextlib.contextmanager
def progress_bar(console: Console | None, total: int) -> Iterator[Callable[[Progress], None]]:
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
        task = bar.add_task("", total=total, workers="", pace="", left="")

        def show(progress: Progress) -> None:
            bar.update(
                task,
                completed=progress.done,
                workers=translated(trn("{n:,} worker", "{n:,} workers", progress.workers)),
                pace=translated(tr("{pace:,.0f} games/s", pace=progress.pace)) if progress.played else "",
                left=translated(tr("{time} left", time=format_duration(progress.left)))
                if progress.left is not None
                else "",
            )

        yield show
