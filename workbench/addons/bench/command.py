"""The commands ``bench`` and ``signature``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.base.language import tr
from workbench.base.project import find_project
from workbench.cli import application as cli


@cli.app.command(
    cli.DEVELOPERS,
    "workbench bench",
    "workbench bench chatra/9x9 chatra/15x15 --agents random --agents alphabeta:depth=2",
    "workbench bench --seconds 1 --json",
)
def bench(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[RULESETS]...", help="Rulesets.", show_default="each game's default")
    ] = None,
    agent_names: Annotated[
        list[str] | None,
        typer.Option("--agents", metavar="AGENT", help="An agent; may be repeated.", show_default="one of each"),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.01, max=3600, help="CPU time for each ruleset and agent.")] = 3.0,
    versus: Annotated[
        str | None,
        typer.Option(
            "--vs", metavar="PROGRAM", help="Compare with another program: chess (python-chess).", show_default=False
        ),
    ] = None,
    as_json: cli.AsJson = False,
) -> None:
    """Measure how fast one core plays.

    Reports games, plies and searched positions (nodes) per second of CPU time, which other programs do not affect,
    together with wall time. Each agent plays against itself. After a warm-up, the same games are played in several
    rounds; the fastest round counts.

    --vs chess times perft and random games of orthodox chess, both in this program and in python-chess.
    """
    from workbench.players import agents
    from workbench.players.agent_kinds import KINDS

    project = find_project()
    specs = [agents.agent_from_text(text, (), "--agents") for option in agent_names or [] for text in option.split()]
    rulesets = [cli.load_ruleset(name) for name in names or []]
    cli.announce_compiling("trials._play_block", rulesets, specs or [agents.agent_from_text(kind) for kind in KINDS])
    from workbench.addons.bench import speeds

    machine = speeds.describe_machine()
    if versus is not None:
        rows = speeds.compare_programs(versus, seconds)
        result = {"other": versus, "versus": rows}
    else:
        specs = specs or [agents.agent_from_text(option) for option in speeds.AGENTS]
        rulesets = rulesets or speeds.benchmark_rulesets(project)
        rows = [speeds.measure_speed(ruleset, spec, seconds) for ruleset in rulesets for spec in specs]
        result = {"speeds": rows}
    if as_json:
        cli.print_json({"machine": machine, "seconds": seconds} | result)
    else:
        cli.make_console().print(speeds.speed_table(machine, rows, versus or ""))


@cli.app.command(
    cli.DEVELOPERS,
    "workbench signature",
    "workbench signature > tests/signature.txt",
    "workbench signature --check tests/signature.txt",
)
def signature(
    against: Annotated[
        Path | None,
        typer.Option("--check", metavar="FILE", help="Compare with a file; exit with code 1 if lines differ."),
    ] = None,
) -> None:
    """Print hashes of fixed games to detect changes in behaviour.

    Prints one line per ruleset and agent. A line changes if and only if behaviour changes, whether in the rules, the
    agents, their weights or the random numbers.
    """
    from workbench.base.yamlfile import read_small_file
    from workbench.rules import rulesets

    expected = (
        read_small_file(against, tr("file of hashes")).decode("utf-8", "replace").splitlines() if against else None
    )
    every_ruleset = rulesets.load_all_rulesets(find_project())
    cli.announce_compiling("trials._play_block", every_ruleset)
    from workbench.addons.bench import speeds

    if expected is None:
        cli.print_lines(speeds.signature_lines(every_ruleset))
        return
    lines = list(speeds.signature_lines(every_ruleset))
    differing = [f"- {line}" for line in expected if line not in lines]
    differing += [f"+ {line}" for line in lines if line not in expected]
    cli.print_lines(differing)
    if differing:
        cli.echo(tr("Behaviour differs from {against} (- file, + now).", against=against), err=True)
        raise typer.Exit(1)
    cli.echo(tr("All {count} lines match {against}.", count=len(lines), against=against))
