"""How far a run is, how fast it goes, and how long it will still take."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.base.language import tr, translated, trn
from workbench.experiments.experiment import Block, Cell

if TYPE_CHECKING:
    from rich.console import Console


@dataclass
class Progress:
    """How far a run is; games, pace and time left agree: what is left takes so long at this pace."""

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
    """That play at present."""

    @property
    def done(self) -> int:
        """Games on disk."""
        return self.kept + self.played

    def __str__(self) -> str:
        told = {"done": self.done, "most": self.most or self.total, "pace": self.pace}
        if self.left is None:
            return str(tr("{done:,} of {most:,} games are played.", **told))
        left = format_duration(self.left)
        return str(tr("{done:,} of {most:,} games are played, {pace:,.0f} a second; {left} left.", **told, left=left))


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
        """Takes note of the blocks up to the next interim analysis, and of the games of cells that may come later."""
        counts = [*((block.cell, block.count) for block in blocks), *later]
        self.missing = {}
        for cell, count in counts:
            self.missing[_pairing(cell)] = self.missing.get(_pairing(cell), 0) + count
        self.progress.most = self.progress.done + sum(self.missing.values())
        self._update()

    def add(self, block: Block, seconds: float) -> None:
        """Counts a block that took so many seconds of a worker."""
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
