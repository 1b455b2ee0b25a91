"""The command that opens the studio."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.base.project import find_project
from workbench.cli.app import app, examples
from workbench.cli.common import AllowPrograms, On, echo


@app.command(
    epilog=examples(
        "workbench studio                 opens a page in your browser",
        "workbench studio --no-open       prints the address only, to be opened elsewhere",
        "workbench studio --port 8080",
    )
)
def studio(
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="The port to listen on; 0: any.",
            show_default="the one of last time, else 8765; any if these are taken",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen on; others reach this one only from here.")
    ] = "127.0.0.1",
    show: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the browser.")] = True,
    allow_programs: AllowPrograms = False,
    on: On = None,
) -> None:
    """Opens a page in the browser to write and try rules.

    Choose what each toggle says, read the rule book as it changes, play it, let quick players say what it changes,
    and save it as a ruleset; make experiments, let them run, and read their reports. The page comes from this
    machine, needs no network, and speaks English and Japanese. Its address holds a key: whoever has it may write
    and play in this project, until Ctrl-C ends the studio.
    """
    from workbench.studio import server

    if on:
        from workbench.runs.executor import parse_cluster_address

        parse_cluster_address(on)
    server.serve_studio(find_project(), host, port, show, echo, allow_programs, on or "")
