"""Commands about the engine itself: solve, bench, signature."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.app import app, examples
from workbench.cli.common import (
    AsJson,
    RulesetName,
    announce_compiling,
    echo,
    load_ruleset,
    make_console,
    print_json,
    print_lines,
    whole_number,
)
from workbench.errors import display_path
from workbench.language import tr, translated


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
    from workbench.cli.solving import solving
    from workbench.exact import graph, solutions
    from workbench.files import project

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
    files = solutions.save_solution(solution, ruleset, project.find_project()) if save else []
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
    from workbench.files import project
    from workbench.questions import agents
    from workbench.questions.agent_kinds import KINDS

    where = project.find_project()
    specs = [agents.agent_from_text(word, (), "--agents") for words in which or [] for word in words.split()]
    rulesets = [load_ruleset(name) for name in names or []]
    announce_compiling("trials._play_block", rulesets, specs or [agents.agent_from_text(kind) for kind in KINDS])
    from workbench.run import bench as benches

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
    from workbench.files import project
    from workbench.files.yamlfile import read_small_file
    from workbench.questions import rulesets

    expected = (
        read_small_file(against, tr("file of hashes")).decode("utf-8", "replace").splitlines() if against else None
    )
    every_ruleset = rulesets.load_all_rulesets(project.find_project())
    announce_compiling("trials._play_block", every_ruleset)
    from workbench.run import bench as benches

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
