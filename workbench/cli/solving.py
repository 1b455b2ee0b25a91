"""How far a solution is, on a terminal: states found, then values, random play, and the time left where it is known."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

import typer

from workbench.cli.common import console, echo
from workbench.errors import INTERRUPTED
from workbench.exact.graph import SolutionStep
from workbench.exact.solutions import format_gib
from workbench.language import tr, translated

STAGES = {
    "states": tr("listing the states"),
    "random": tr("following random play"),
    "values": tr("valuing the states"),
    "positions": tr("counting positions"),
    "proof": tr("searching for a proof"),
}
DRAWN_EVERY = 0.2
"""Seconds."""


@contextlib.contextmanager
def solving() -> Iterator[Callable[[SolutionStep], None]]:
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

        def draw(step: SolutionStep) -> None:
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
            speed = tr(", {rate:,.0f} a second", rate=rate) if stage in ("states", "proof") else ""
            fields = {"stages": STAGES[stage], "states": step.states, "speed": speed, "detail": step.detail}
            fields["in_gib"] = format_gib(step.memory)
            if stage == "proof":
                text = tr("{stages}: {states:,} positions looked at{speed}, {detail}, {in_gib}", **fields)
            else:
                text = tr("{stages}: {states:,} found{speed}, {detail}, {in_gib}", **fields)
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
            if latest and latest.stage == "proof":
                found = tr(" after {states:,} positions were looked at", states=latest.states)
            else:
                found = tr(" after {states:,} states were found", states=latest.states) if latest else ""
            echo(tr("Stopped{found}: nothing was kept.", found=found), err=True)
            raise typer.Exit(INTERRUPTED) from None
