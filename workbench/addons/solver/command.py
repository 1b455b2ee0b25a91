"""The command ``solve``."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from workbench import games
from workbench.base.errors import INTERRUPTED, expected
from workbench.base.language import join, quoted, tr, translated
from workbench.base.project import find_project
from workbench.cli import application as cli
from workbench.games.results import ending_text

if TYPE_CHECKING:
    from workbench.addons.solver.solving import Proof, SolutionStep
    from workbench.players.library import ExactResult
    from workbench.rules.rulesets import Ruleset


def _parse_gib(text: str) -> float:
    """Parse a positive number of GiB."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number < 1e6:
        cli.refuse(expected(tr("a number of GiB above 0"), quoted(text)))
    return number


@cli.app.command(
    cli.PLAYERS,
    "workbench solve star/default",
    "workbench solve star/4x4 --max-states 200_000_000 --memory 12",
    "workbench solve star/4x4-no-foul --no-random       best play only, in half the time",
    "workbench solve star/default --save      for the agent optimal, play --explain and reports",
    "workbench solve hexapawn/5x5 --forward             who wins, if there are too many states to list",
    "workbench solve star/no-foul --json",
)
def solve(
    name: cli.RulesetName,
    max_states: Annotated[
        int,
        typer.Option(
            parser=cli.whole_number, metavar="N", help="Maximum number of states.", show_default="100_000_000"
        ),
    ] = 100_000_000,
    memory: Annotated[
        float | None,
        typer.Option(
            parser=_parse_gib, metavar="GIB", help="Maximum memory in GiB.", show_default="16, or 90 % of free memory"
        ),
    ] = None,
    random: Annotated[bool, typer.Option(help="Also evaluate random play.")] = True,
    save: Annotated[bool, typer.Option("--save", help="Save the solution in reports/solutions/.")] = False,
    forward: Annotated[
        bool, typer.Option("--forward", help="Only prove who wins, by forward search from the start.")
    ] = False,
    as_json: cli.AsJson = False,
) -> None:
    """Solve a small game exactly, for best and random play.

    Lists all reachable states, evaluates them backwards from the finished ones (a state from which neither side can
    force a win is a draw), and follows the probabilities of random play to the end. Prints the expected memory use
    first, and stops with exit code 2 if it is exceeded. JSON: {"value", "plies", "positions", "states", "transitions",
    "terminals", "random": {"first", "second", "draw", "plies"}}; random is null with --no-random, and if repetition is
    a draw, which affects random play but not best play.

    --forward does not list the states: a proof-number search examines only the positions needed to prove who wins,
    often a small fraction. It requires a game whose positions cannot repeat, determines neither the length of a win nor
    the outcome of random play, and its result cannot be saved. JSON: {"value", "looked_at"}.
    """
    from workbench.addons.solver import solving

    ruleset = cli.load_ruleset(name)
    if forward and save:
        cli.refuse(tr("a proof cannot be saved as a solution"), "--save")
    cli.announce_compiling("solver.prove" if forward else "solver.expand", [ruleset])
    limit = int(memory * solving.GIB) if memory else min(solving.DEFAULT_MEMORY, solving.available_memory() * 9 // 10)
    if forward:
        with progress_bar() as progress:
            proof = solving.prove_value(ruleset, limit if memory else min(limit, solving.MOST_MEMORY), progress)
        if as_json:
            cli.print_json(dataclasses.asdict(proof))
        else:
            cli.print_lines(_describe_proof(proof, ruleset))
        return
    for line in _describe_memory(ruleset, max_states, limit):
        cli.echo(line, err=True)
    with progress_bar() as progress:
        solution = solving.solve_ruleset(ruleset, max_states, progress, memory=limit, random=random)
    files = solving.save_solution(solution, ruleset, find_project()) if save else []
    if as_json:
        cli.print_json(solution.exact.as_json())
        return
    cli.print_lines(_describe_exact(solution.exact, ruleset))
    cli.echo_written(files)


def _describe_memory(ruleset: Ruleset, max_states: int, memory: int) -> Iterator[str]:
    """Yield lines about the memory that a solution is expected to need."""
    from workbench.addons.solver.solving import format_gib, sample_states

    expected, _ = sample_states(ruleset.rules())
    text = tr(
        "{ruleset}: a state takes {packed} bytes, or about {each:.0f} including its {moves:.1f} moves and all "
        "other data"
    )
    bytes_each = expected.bytes_per_state
    yield text.format(ruleset=ruleset.name, packed=expected.packed, each=bytes_each, moves=expected.moves)
    if (max_fitting := int(memory / bytes_each)) >= max_states:
        text = tr("memory: at most {in_gib}, for {max_states:,} states")
        yield text.format(in_gib=format_gib(max_states * bytes_each), max_states=max_states)
        return
    max_slow = min(int(memory / expected.bytes_without_transitions), max_states)
    text = tr(
        "memory: {in_gib} holds about {fitting:,} states, or {slowly:,} at lower speed; --max-states is {max_states:,}"
    )
    yield text.format(in_gib=format_gib(memory), fitting=max_fitting, slowly=max_slow, max_states=max_states)


def _describe_exact(exact: ExactResult, ruleset: Ruleset) -> Iterator[str]:
    """Yield lines about the exact result."""
    from workbench.addons.solver.solving import MAX_RANDOM_PLIES

    seats = dict(zip(("first", "second"), games.declaration(ruleset.game).seats, strict=True))
    yield join(": ", (ruleset.name, ruleset.heading))
    if exact.value in seats and ruleset.swap_ply:
        seats = {"first": tr("the first player"), "second": tr("the second player")}
    if exact.value in seats and exact.plies is None:
        yield tr("With best play {winner} wins; a draw counts as a win.", winner=seats[exact.value])
    elif exact.value in seats:
        yield tr("With best play {winner} wins in {plies} plies.", winner=seats[exact.value], plies=exact.plies)
    else:
        yield tr("With best play neither side can force a win: the game is a draw.")
    text = tr("{positions:,} positions, {states:,} states, {transitions:,} transitions")
    yield text.format(positions=exact.positions, states=exact.states, transitions=exact.transitions)
    for name, count in exact.terminals.items():
        ending = ending_text(games.declaration(ruleset.game), name)
        yield tr("  {count:,} finished states: {name}", count=count, name=ending)
    if exact.random is None:
        return
    yield tr("If both play at random, with all legal moves equally likely:")
    for seat, name in seats.items():
        yield tr("  {name} wins with probability {random:.12f}", name=name, random=exact.random[seat])
    yield tr("  the game is a draw with probability {random:.12f}", random=exact.random["draw"])
    if "unfinished" in exact.random:
        text = tr("  the game is still unfinished after {followed:,} plies with probability {random:.12f}")
        yield text.format(followed=MAX_RANDOM_PLIES, random=exact.random["unfinished"])
    yield tr("  a game takes {random:.12f} plies on average", random=exact.random["plies"])


def _describe_proof(proof: Proof, ruleset: Ruleset) -> Iterator[str]:
    """Yield lines about a proof."""
    seats = dict(zip(("first", "second"), games.declaration(ruleset.game).seats, strict=True))
    yield join(": ", (ruleset.name, ruleset.heading))
    if proof.value in seats:
        yield tr("With best play {winner} wins.", winner=seats[proof.value])
    else:
        yield tr("With best play neither side can force a win: the game is a draw.")
    yield tr("{count:,} positions were searched", count=proof.looked_at)


STAGES = {
    "states": tr("listing the states"),
    "random": tr("following random play"),
    "values": tr("valuing the states"),
    "positions": tr("counting positions"),
    "proof": tr("searching for a proof"),
}


@contextlib.contextmanager
def progress_bar() -> Iterator[Callable[[SolutionStep], None]]:
    """Return a context manager with a progress bar on stderr if it is a terminal; Ctrl-C exits with a message."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from workbench.addons.solver.solving import format_gib

    start_time, latest = time.perf_counter(), None
    terminal = cli.console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=20), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=terminal, transient=True, disable=not terminal.is_terminal) as bar:
        task = bar.add_task(translated(STAGES["states"]), total=None)
        stage = "states"

        def update(step: SolutionStep) -> None:
            nonlocal latest, stage
            latest = step
            if step.stage != stage:
                stage = step.stage
                bar.reset(task)
            rate = step.states / (time.perf_counter() - start_time)
            speed = tr(", {rate:,.0f} per second", rate=rate) if stage in ("states", "proof") else ""
            fields = {"stages": STAGES[stage], "states": step.states, "speed": speed, "detail": step.detail}
            fields["in_gib"] = format_gib(step.memory)
            if stage == "proof":
                text = tr("{stages}: {states:,} positions searched{speed}, {detail}, {in_gib}", **fields)
            else:
                text = tr("{stages}: {states:,} found{speed}, {detail}, {in_gib}", **fields)
            total = None if step.share is None else 1.0
            bar.update(task, description=translated(text), completed=step.share or 0.0, total=total)

        try:
            yield update
        except KeyboardInterrupt:
            bar.stop()
            if latest and latest.stage == "proof":
                progress_text = tr(" after examining {states:,} positions", states=latest.states)
            else:
                progress_text = tr(" after {states:,} states were found", states=latest.states) if latest else ""
            cli.echo(tr("Stopped{found}: nothing was saved.", found=progress_text), err=True)
            raise typer.Exit(INTERRUPTED) from None
