"""How far a solution is, on a terminal: states found, then values, random play, and the time left where it is known."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

import typer

from workbench.cli.spoken import console, echo
from workbench.errors import INTERRUPTED
from workbench.exact.graph import Step
from workbench.exact.solutions import in_gib
from workbench.language import translated

STAGES = {
    "states": "listing the states",
    "random": "following random play",
    "values": "valuing the states",
    "positions": "counting positions",
}
DRAWN_EVERY = 0.2
"""Seconds."""


@contextlib.contextmanager
def solving() -> Iterator[Callable[[Step], None]]:
    """A bar on stderr, if that is a terminal; what it gives is called to draw it anew.

    Ctrl-C ends the command with a sentence and exit code 130.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    begin, last, latest = time.perf_counter(), 0.0, None
    terminal = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=20), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=terminal, transient=True, disable=not terminal.is_terminal) as bar:
        task = bar.add_task(translated(STAGES["states"]), total=None)
        stage = "states"

        def draw(step: Step) -> None:
            nonlocal last, latest, stage
            latest = step
            now = time.perf_counter()
            if step.stage != stage:
                stage = step.stage
                bar.reset(task, total=None if step.share is None else 1.0)
            elif now - last < DRAWN_EVERY:
                return
            last = now
            rate = step.states / (now - begin)
            speed = f", {rate:,.0f} a second" if stage == "states" else ""
            text = f"{STAGES[stage]}: {step.states:,} found{speed}, {step.detail}, {in_gib(step.memory)}"
            bar.update(
                task,
                description=translated(text),
                completed=step.share or 0.0,
                total=None if step.share is None else 1.0,
            )

        try:
            yield draw
        except KeyboardInterrupt:
            bar.stop()
            found = f" after {latest.states:,} states were found" if latest else ""
            echo(f"Stopped{found}: nothing was kept.", err=True)
            raise typer.Exit(INTERRUPTED) from None
