"""Progress of a run, and the errors that end it early: the reason, what is on disk, and how to continue."""

from __future__ import annotations

import contextlib
import itertools
import re
import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.base import output
from workbench.base.errors import BAD_INPUT, FAILED, INTERRUPTED, WorkbenchError, display_path
from workbench.base.language import join, tr, translated, trn
from workbench.experiments.experiment import Block, Cell
from workbench.records import records

if TYPE_CHECKING:
    from rich.console import Console


@dataclass
class Progress:
    """The progress of a run."""

    total: int
    """Games to play up to the next interim analysis, if any."""
    kept: int
    """Games that were already on disk."""
    played: int = 0
    """Games played by this run."""
    most: int = 0
    """Games at the end of the run if no further cell ends early."""
    pace: float = 0.0
    """Games per second: the rate expected for the remaining games, or the rate so far until every pairing is timed."""
    left: float | None = None
    """Seconds left if no further cell ends early, once every pairing has been timed."""
    workers: int = 1
    """Workers that are playing."""

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
    """Updates the `Progress` of a run, with times measured for each pairing, as agents differ a thousandfold."""

    def __init__(self, progress: Progress) -> None:
        self.begin = time.perf_counter()
        self.progress = progress
        self.missing: Counter[tuple[str, str, str]] = Counter()
        self.timed: dict[tuple[str, str, str], tuple[float, int]] = {}

    def begin_stage(self, blocks: Iterable[Block], later: Iterable[tuple[Cell, int]]) -> None:
        """Set the blocks up to the next interim analysis, and the games that cells may get later."""
        self.missing = Counter()
        for cell, count in [*((block.cell, block.count) for block in blocks), *later]:
            self.missing[_pairing(cell)] += count
        self.progress.most = self.progress.done + sum(self.missing.values())
        self._update()

    def add(self, block: Block, seconds: float) -> None:
        """Add a block and the seconds of its worker."""
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
    """Format a duration with a precision of about two digits."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{round(seconds)} s"
    if minutes < 100:
        return tr("{minutes} min", minutes=minutes)
    return tr("{minutes} h {minutes2} min", minutes=minutes // 60, minutes2=minutes % 60)


@contextlib.contextmanager
def terminal_bar(console: Console | None, total: float, counts: str, *fields: str) -> Iterator[Callable[..., None]]:
    """Show a progress bar, if ``console`` is a terminal; yield a function that updates ``completed`` and ``fields``.

    ``counts`` is the text of the numbers, formatted with rich's ``task``.
    """
    if console is None or not console.is_terminal:
        yield lambda **values: None
        return
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    texts = ("{task.percentage:>3.0f}%", translated(counts), *(f"{{task.fields[{name}]}}" for name in fields))
    with Bar(BarColumn(), *map(TextColumn, texts), console=console, transient=True) as bar:
        blank: dict[str, Any] = dict.fromkeys(fields, "")
        task = bar.add_task("", total=total, **blank)

        def update(**values: Any) -> None:
            bar.update(task, **values | {name: translated(values[name]) for name in fields})

        yield update


@contextlib.contextmanager
def progress_bar(console: Console | None, progress: Progress) -> Iterator[Callable[[Progress], None]]:
    """Show a bar in a terminal; yield a function that redraws it."""
    counts = tr("{task.completed:,.0f} of {task.total:,.0f} games")
    with terminal_bar(console, progress.most, counts, "workers", "pace", "left") as update:
        yield lambda progress: update(
            completed=progress.done, total=progress.most,
            workers=trn("{n:,} worker", "{n:,} workers", progress.workers),
            pace=tr("{pace:,.0f} games/s", pace=progress.pace) if progress.played else "",
            left="" if progress.left is None else tr("{time} left", time=format_duration(progress.left)),
        )  # fmt: skip


class Stopped(WorkbenchError):
    """A run that ended early; the text tells the user why and what to do."""

    exit_code = FAILED


class FolderMismatch(Stopped):
    """The folder contains the games of a different question."""

    exit_code = BAD_INPUT

    def __init__(self, folder: Path, differences: Sequence[str], command: str = "") -> None:
        """Build the text from a line per difference; ``command`` would play the new question."""
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
    """The experiment would start external programs or classes, which the user has not allowed."""

    exit_code = BAD_INPUT

    def __init__(self, starts: Sequence[str], command: str) -> None:
        lines = join("\n", (join("  ", ("", start)) for start in starts))
        text = tr(
            "This experiment starts programs or classes from outside the workbench, which may do all that you may do:\n"
            "{lines}\nTo allow it: {command} --allow-programs"
        )
        super().__init__(text.format(lines=lines, command=command))


class FolderBusy(Stopped):
    """Another run is using the folder."""

    exit_code = BAD_INPUT

    def __init__(self, folder: Path) -> None:
        super().__init__(tr("{folder} is in use by another run; wait for it to end, or stop it.", folder=folder))


class FolderUnwritable(Stopped):
    """The folder cannot be written, for instance because its disk is full."""

    exit_code = BAD_INPUT

    def __init__(self, folder: Path, error: output.Unwritable, kept: int, total: int, command: str) -> None:
        self.kept, self.total = kept, total
        how = tr("{kept:,} of {total:,} games are kept. To continue: {command}")
        how = how.format(kept=kept, total=total, command=command)
        super().__init__(str(output.Unwritable(folder, error.reason, how)))


class FolderUnreadable(Stopped):
    """A file of the folder cannot be read at present, so its content is unknown."""

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
