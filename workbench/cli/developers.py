"""Commands for developers: perft, schema."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from workbench.base.errors import expected
from workbench.base.language import OR, join_list, quoted
from workbench.base.project import find_project
from workbench.cli import application as cli
from workbench.cli.games import Moves, Position, Run, game_after


@cli.app.command(
    cli.DEVELOPERS,
    "workbench perft chatra/2007-09 3",
    'workbench perft chatra/9x9 2 --moves "a1 Oh8" --divide',
    "workbench perft chatra/2008-02 3 --json",
)
def perft(
    name: cli.RulesetName,
    depth: Annotated[int, typer.Argument(metavar="DEPTH", min=1, max=64, help="Plies.", show_default=False)],
    played: Moves = "",
    position: Position = "",
    run: Run = "",
    divide: Annotated[bool, typer.Option("--divide", help="Also print the count for each first move.")] = False,
    as_json: cli.AsJson = False,
) -> None:
    """Count the legal move sequences from a position.

    Prints the counts for 1, 2, ... DEPTH plies, to check that two programs agree on the rules. JSON: {"ruleset",
    "counts"}, and with --divide also "divide", the count at DEPTH by first move.
    """
    from workbench.base.console import stoppable
    from workbench.engine import contract
    from workbench.positions.game_state import without_swap

    ruleset = cli.load_ruleset(name)
    cli.announce_compiling("solver._count", [ruleset])
    game_state = game_after(ruleset, played, position, run)
    over = game_state.outcome()[0] != contract.ONGOING
    counts = []
    counts_by_move = {}
    with stoppable():
        for plies in range(1, depth + 1):
            counts.append(0 if over else game_state.perft(plies))
            if not as_json:
                cli.echo(f"{plies} {counts[-1]}")
        for move in without_swap(game_state.legal()) if divide else []:
            text = game_state.format(move)
            game_state.push(move)
            counts_by_move[text] = game_state.perft(depth - 1)
            game_state.undo()
            if not as_json:
                cli.echo(f"{text}: {counts_by_move[text]}")
    if as_json:
        cli.print_json({"ruleset": ruleset.name, "counts": counts} | ({"divide": counts_by_move} if divide else {}))


@cli.app.command(
    cli.DEVELOPERS,
    "workbench schema ruleset",
    "workbench schema experiment > experiment.schema.json",
    "workbench schema --write      writes them where the files refer to them",
)
def schema(
    kind: Annotated[
        str, typer.Argument(metavar="[KIND]", help="The kind of file; all kinds by default.", show_default=False)
    ] = "",
    write: Annotated[bool, typer.Option("--write", help="Write the files instead of printing them.")] = False,
) -> None:
    """Print JSON Schemas for rulesets, experiments and searches.

    Editors use them for completion and help. Without a kind, all schemas are printed as one object.
    """
    from workbench.experiments import workspace

    project = find_project()
    if kind and kind not in workspace.SCHEMAS:
        message = expected(join_list(workspace.SCHEMAS, OR), quoted(kind))
        cli.refuse(message, "KIND")
    if write:
        cli.echo_written(workspace.write_schemas(project, [kind] if kind else workspace.SCHEMAS))
        return
    schemas = workspace.schemas(project)
    typer.echo(json.dumps(schemas[kind] if kind else schemas, indent=2, ensure_ascii=False))
