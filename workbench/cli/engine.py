"""Commands about the engine and the families that it plays: solve, bench, signature, check-game."""

from __future__ import annotations

import contextlib
import dataclasses
import shlex
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import FAILED, INTERRUPTED, display_path, input_error
from workbench.base.language import tr, translated, trn
from workbench.base.project import find_project
from workbench.cli.app import app, examples
from workbench.cli.common import (
    AsJson,
    RulesetName,
    announce_compiling,
    console,
    echo,
    load_ruleset,
    make_console,
    print_json,
    print_lines,
    whole_number,
)

if TYPE_CHECKING:
    from workbench.addons.solver.graph import SolutionStep
    from workbench.conformance.positions import Breach
    from workbench.rules.rulesets import Ruleset


def _gibibytes(text: str) -> float:
    """A positive number of GiB."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number < 1e6:
        raise typer.BadParameter(translated(tr("expected a number of GiB above 0, found '{found}'", found=text)))
    return number


@app.command(
    epilog=examples(
        "workbench solve star/default",
        "workbench solve star/4x4 --max-states 200_000_000 --memory 12",
        "workbench solve star/4x4-no-foul --no-random       best play alone, in half the time",
        "workbench solve star/default --save      for the agent optimal, play --explain and reports",
        "workbench solve hexapawn/5x5 --forward             who wins, where the states are too many to be listed",
        "workbench solve star/no-foul --json",
    )
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
    from workbench.addons.solver import graph, solutions

    ruleset = load_ruleset(name)
    if forward and save:
        raise typer.BadParameter(translated(tr("a proof is no solution that can be kept")), param_hint="--save")
    announce_compiling("proof.prove" if forward else "solver.expand", [ruleset])
    limit = int(memory * graph.GIB) if memory else min(solutions.DEFAULT_MEMORY, graph.available_memory() * 9 // 10)
    if forward:
        with solving() as progress:
            proof = solutions.prove_value(
                ruleset, min(limit, solutions.MOST_MEMORY) if memory is None else limit, progress
            )
        if as_json:
            print_json(proof.as_json())
        else:
            print_lines(solutions.describe_proof(proof, ruleset))
        return
    for line in solutions.describe_memory(ruleset, max_states, limit):
        echo(line, err=True)
    with solving() as progress:
        solution = solutions.solve_ruleset(ruleset, max_states, progress, memory=limit, random=random)
    exact = solution.exact
    files = solutions.save_solution(solution, ruleset, find_project()) if save else []
    if as_json:
        print_json(exact.as_json())
        return
    print_lines(solutions.describe_exact(exact, ruleset))
    for path in files:
        echo(tr("wrote {path}", path=display_path(path)))


@app.command(
    epilog=examples(
        "workbench bench",
        "workbench bench chatra/9x9 chatra/15x15 --agents random --agents alphabeta:depth=2",
        "workbench bench --seconds 1 --json",
    )
)
def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RULESETS]...", help="Rulesets.", show_default="the default of each game"),
    ] = None,
    which: Annotated[
        list[str] | None,
        typer.Option("--agents", metavar="AGENT", help="An agent; give it again for more.", show_default="one of each"),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.01, max=3600, help="CPU time for each ruleset and agent.")] = 3.0,
    versus: Annotated[
        str | None,
        typer.Option(
            "--vs",
            metavar="PROGRAM",
            help="Compare with another program instead: chess (python-chess).",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measures how fast one core plays.

    Games, plies and searched positions (nodes) a second of CPU time, which other programs do not change; the wall time
    of the same work stands beside it. Every agent plays itself. After a warm-up the same games are played in several
    rounds, and the fastest round counts.

    --vs chess measures random games of orthodox chess and perft, here and in python-chess, in the same run.
    """
    from workbench.players import agents
    from workbench.players.agent_kinds import KINDS

    where = find_project()
    specs = [agents.agent_from_text(word, (), "--agents") for words in which or [] for word in words.split()]
    rulesets = [load_ruleset(name) for name in names or []]
    announce_compiling("trials._play_block", rulesets, specs or [agents.agent_from_text(kind) for kind in KINDS])
    from workbench.runs import bench as benches

    machine = benches.describe_machine()
    if versus is not None:
        rows = [speed.as_json() for speed in benches.compare_programs(versus, seconds)]
        about = {"other": versus, "versus": rows}
    else:
        specs = specs or [agents.agent_from_text(words) for words in benches.AGENTS]
        rulesets = rulesets or benches.benchmark_rulesets(where)
        rows = [benches.measure_speed(ruleset, spec, seconds).as_json() for ruleset in rulesets for spec in specs]
        about = {"speeds": rows}
    if as_json:
        print_json({"machine": machine, "seconds": seconds} | about)
    else:
        make_console().print(benches.speed_table(machine, rows, versus or ""))


@app.command(
    epilog=examples(
        "workbench signature",
        "workbench signature > tests/signature.txt",
        "workbench signature --check tests/signature.txt",
    )
)
def signature(
    against: Annotated[
        Path | None,
        typer.Option("--check", metavar="FILE", help="Compare with a file; exit code 1 if lines differ."),
    ] = None,
) -> None:
    """Prints hashes of fixed games, to show changed behaviour.

    There is a line for each ruleset and agent. A line changes if and only if behaviour does: the rules, the agents,
    their weights or the random numbers.
    """
    from workbench.base.yamlfile import read_small_file
    from workbench.rules import rulesets

    expected = (
        read_small_file(against, tr("file of hashes")).decode("utf-8", "replace").splitlines() if against else None
    )
    every_ruleset = rulesets.load_all_rulesets(find_project())
    announce_compiling("trials._play_block", every_ruleset)
    from workbench.runs import bench as benches

    if expected is None:
        print_lines(benches.signature_lines(every_ruleset))
        return
    lines = list(benches.signature_lines(every_ruleset))
    differing = [f"- {line}" for line in expected if line not in lines]
    differing += [f"+ {line}" for line in lines if line not in expected]
    print_lines(differing)
    if differing:
        echo(tr("Behaviour differs from {against}: - is the file, + is now.", against=against), err=True)
        raise typer.Exit(1)
    echo(tr("All {count} lines are as in {against}.", count=len(lines), against=against))


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

    from workbench.addons.solver.solutions import format_gib

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


@app.command(
    "check-game",
    epilog=examples(
        "workbench check-game star",
        "workbench check-game hexapawn --trust      code in games/ of the project runs only if you say so",
        "workbench check-game star/5x5 --seeds 20   longer, of one ruleset",
    ),
)
def check_game(
    name: Annotated[str, typer.Argument(metavar="GAME", help="A game, or one of its rulesets.", show_default=False)],
    seeds: Annotated[int, typer.Option(min=1, max=10_000, help="Random games of each ruleset.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Asks a game all laws that every game must hold.

    In random games and in games of every kind of player, first without machine code, then compiled. A law that is
    broken is told with the ruleset, the seed and the moves. The exit code is 1 if there is any.

    JSON: {"game", "rulesets", "laws": {name: sentence}, "breaches": [{"law", "ruleset", "said", "seed", "players",
    "moves"}]}.
    """
    from workbench.rules import rulebook, rulesets

    game = name.partition("/")[0]
    rulebook.find_family(game)
    asked = [
        rulesets.load_ruleset(each) for each in rulesets.ruleset_names() if each == name or each.startswith(f"{name}/")
    ]
    if not asked and "/" in name:
        asked = [rulesets.load_ruleset(name)]
    if not asked:
        hint = tr("write rulesets/{game}/standard.yaml: game: {game}, and a title", game=game)
        raise input_error(tr("there is no ruleset of {game} to be asked", game=game), hint)
    announce_compiling("trials._play_block", asked)
    from workbench.conformance import families, positions

    breaches = families.check(game, asked, seeds, lambda line: echo(line, err=True))
    if as_json:
        laws = {one.name: one.sentence for one in (*positions.RULESETS, *families.FAMILIES)}
        said = [dataclasses.asdict(breach) for breach in breaches]
        print_json({"game": game, "rulesets": [one.name for one in asked], "laws": laws, "breaches": said})
    else:
        _tell(game, asked, breaches)
    if breaches:
        raise typer.Exit(FAILED)


def _tell(game: str, asked: list[Ruleset], breaches: list[Breach]) -> None:
    for breach in breaches:
        _tell_breach(breach, game)
    broken = {breach.ruleset for breach in breaches}
    for ruleset in asked if "" not in broken else ():
        if ruleset.name not in broken:
            echo(
                tr("{ruleset}: fine", ruleset=ruleset.name)
                if not breaches
                else tr("{ruleset}: nothing found so far", ruleset=ruleset.name)
            )
    if breaches:
        echo(trn("{game}: {n} law is broken.", "{game}: {n} laws are broken.", len(breaches), game=game))
    else:
        echo(
            trn(
                "{game} holds all laws, under {n} ruleset.",
                "{game} holds all laws, under {n} rulesets.",
                len(asked),
                game=game,
            )
        )


def _tell_breach(breach: Breach, game: str) -> None:
    from workbench.conformance import families

    law: Any = families.law(breach.law)
    echo(tr("{ruleset} breaks a law: {sentence}", ruleset=breach.ruleset or game, sentence=law.sentence))
    echo(tr("  found: {found}", found=breach.said))
    if breach.ruleset:
        if breach.players:
            echo(tr("  players {players}", players=breach.players))
        echo(tr("  seed {seed}", seed=breach.seed))
    if breach.moves is not None:
        moves = " ".join(breach.moves)
        echo(tr("  after: {moves}", moves=moves) if moves else tr("  at the start"))
        more = f" --moves {shlex.quote(moves)}" if moves else ""
        echo(tr("  see it: workbench moves {ruleset}{more}", ruleset=breach.ruleset, more=more))
    echo()
