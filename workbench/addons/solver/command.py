"""The command ``solve``."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.base.errors import INTERRUPTED, expected
from workbench.base.language import quoted, tr, translated
from workbench.base.project import find_project
from workbench.cli.app import PLAYERS, app
from workbench.cli.common import (
    AsJson,
    RulesetName,
    announce_compiling,
    console,
    echo,
    echo_written,
    load_ruleset,
    print_json,
    print_lines,
    refuse,
    whole_number,
)

if TYPE_CHECKING:
    from workbench.addons.solver.graph import SolutionStep


def _gibibytes(text: str) -> float:
    """A positive number of GiB."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number < 1e6:
        refuse(expected(tr("a number of GiB above 0"), quoted(text)))
    return number


@app.command(
    PLAYERS,
    "workbench solve star/default",
    "workbench solve star/4x4 --max-states 200_000_000 --memory 12",
    "workbench solve star/4x4-no-foul --no-random       best play alone, in half the time",
    "workbench solve star/default --save      for the agent optimal, play --explain and reports",
    "workbench solve hexapawn/5x5 --forward             who wins, where the states are too many to be listed",
    "workbench solve star/no-foul --json",
)
def solve(
    name: RulesetName,
    max_states: Annotated[
        int,
        typer.Option(
            parser=whole_number, metavar="N", help="Give up beyond so many states.", show_default="100_000_000"
        ),
    ] = 100_000_000,
    memory: Annotated[
        float | None,
        typer.Option(
            parser=_gibibytes,
            metavar="GIB",
            help="Give up beyond so many GiB of memory.",
            show_default="16, or 90 % of what is free",
        ),
    ] = None,
    random: Annotated[bool, typer.Option(help="Follow random play, too.")] = True,
    save: Annotated[bool, typer.Option("--save", help="Keep the solution in reports/solutions/.")] = False,
    forward: Annotated[
        bool, typer.Option("--forward", help="Prove only who wins, by a search forward from the start.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Solves a small game exactly, for best and random play.

    Lists every state that can be reached, values them backwards from the finished ones (what neither side can force
    to a win is a draw), and follows the probabilities of random play to the end. Says first what memory that takes, and
    gives up with exit code 2 where it would take more. JSON: {"value", "plies", "positions", "states", "transitions",
    "terminals", "random": {"first", "second", "draw", "plies"}}; random is null where repetition is a draw, on which
    random play depends but best play does not, and with --no-random.

    With --forward the states are not listed: a search of proof numbers looks at the positions that it needs to prove
    who wins, often few of them, in games in which no position can come again. It tells neither how long a win takes nor
    random play, and nothing can be kept of it. JSON: {"value", "looked_at"}.
    """
    from workbench.addons.solver import graph, solving

    ruleset = load_ruleset(name)
    if forward and save:
        refuse(tr("a proof is no solution that can be kept"), "--save")
    announce_compiling("proof.prove" if forward else "solver.expand", [ruleset])
    limit = int(memory * graph.GIB) if memory else min(solving.DEFAULT_MEMORY, graph.available_memory() * 9 // 10)
    if forward:
        with progress_bar() as progress:
            proof = solving.prove_value(ruleset, min(limit, solving.MOST_MEMORY) if memory is None else limit, progress)
        if as_json:
            print_json(proof.as_json())
        else:
            print_lines(solving.describe_proof(proof, ruleset))
        return
    for line in solving.describe_memory(ruleset, max_states, limit):
        echo(line, err=True)
    with progress_bar() as progress:
        solution = solving.solve_ruleset(ruleset, max_states, progress, memory=limit, random=random)
    exact = solution.exact
    files = solving.save_solution(solution, ruleset, find_project()) if save else []
    if as_json:
        print_json(exact.as_json())
        return
    print_lines(solving.describe_exact(exact, ruleset))
    echo_written(files)


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
def progress_bar() -> Iterator[Callable[[SolutionStep], None]]:
    """A bar on stderr, if that is a terminal; what it gives is called to draw it anew.

    Ctrl-C ends the command with a sentence and exit code 130.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from workbench.addons.solver.solving import format_gib

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
