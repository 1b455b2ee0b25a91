"""The command about games of records: games."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from workbench.cli.app import app, examples
from workbench.cli.common import announce_compiling, echo, kept_folder
from workbench.errors import FAILED
from workbench.language import tr, translated


@app.command(
    epilog=examples(
        "workbench games quickstart --ruleset C --agent greedy",
        "workbench games chess-proposals --ruleset 007 --agent alphabeta-2 --n 100 --export pgn --out 007.pgn",
        "workbench games reports/draughts-national --n 50 --export pdn > games.pdn",
        "workbench games quickstart --ruleset C --agent greedy --ending mate --result second --n 3",
        "workbench games quickstart --ruleset C --agent greedy --game 12 --game 57 --export json",
    )
)
def games(
    folder: Annotated[
        str,
        typer.Argument(
            metavar="REPORT", help="A folder that a run wrote, or its name in reports/.", show_default=False
        ),
    ],
    ruleset: Annotated[
        str, typer.Option(metavar="NAME", help="Games of this ruleset: chatra/C, or C.", show_default="all")
    ] = "",
    agent: Annotated[
        str, typer.Option(metavar="AGENT", help="Games of this agent with itself.", show_default="all")
    ] = "",
    first: Annotated[str, typer.Option(metavar="AGENT", help="Who sits first.", show_default="all")] = "",
    second: Annotated[str, typer.Option(metavar="AGENT", help="Who sits second.", show_default="all")] = "",
    numbers: Annotated[
        list[int] | None,
        typer.Option("--game", min=1, metavar="NUMBER", help="Only this game of a cell, from 1; may be repeated."),
    ] = None,
    result: Annotated[
        str, typer.Option(metavar="RESULT", help="Only games that ended so: first, second, draw or unfinished.")
    ] = "",
    ending: Annotated[str, typer.Option(metavar="NAME", help="Only games that ended this way, such as mate.")] = "",
    count: Annotated[int, typer.Option("--n", min=1, max=10_000_000, help="At most so many games of each cell.")] = 20,
    export: Annotated[
        str, typer.Option(metavar="FORMAT", help="pgn (chess), pdn (draughts), json (one object a line) or text.")
    ] = "text",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write them to a new file.", show_default="the output")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Processes.", show_default="one for each core")
    ] = None,
) -> None:
    """Gives the games of a report, played again from their seeds.

    Records hold the seed of each game and a hash of its moves, by which it is checked that the very same game was
    played. Games of players from outside cannot be had so. JSON: {"ruleset", "first", "second", "game", "seed",
    "moves", "result", "termination", "plies"}; games are counted from 1 in their cell (ruleset and pairing).
    """
    from workbench.questions import workspace

    path = kept_folder(folder)
    if agent and (first or second):
        raise typer.BadParameter(
            translated(tr("it sits in both seats: leave --first and --second out")), param_hint="--agent"
        )
    if out and (problem := workspace.cannot_write_new(out)):
        raise typer.BadParameter(translated(problem), param_hint="--out")
    from workbench.report import reading

    wanted = reading.GameSelection(ruleset, agent or first, agent or second, numbers or (), result, ending, count)
    found = reading.export_games(path, wanted, export, workers)
    announce_compiling("trials._play_block", found.rulesets, found.players)
    lost = 0
    with _stream(out) as stream:
        for texts in found.texts:
            lost += sum(text is None for text in texts)
            stream.write("".join(filter(None, texts)).encode())
            stream.flush()
    if out:
        echo(
            tr(
                "wrote {count:,} games as {formats} to {out}",
                count=found.count - lost,
                formats=reading.export_formats(found.families)[export],
                out=out,
            ),
            err=True,
        )
    if lost:
        echo(
            tr(
                "{lost:,} of {count:,} games are left out: from their seeds this version of the "
                "workbench plays other games than those on record.",
                lost=lost,
                count=found.count,
            ),
            err=True,
        )
        raise typer.Exit(FAILED)


@contextmanager
def _stream(out: Path | None) -> Iterator[BinaryIO]:
    """A new file, which is there whole or not at all, or the output."""
    if out is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        return
    from workbench.files import output

    with output.atomic_write(Path(os.path.realpath(out)), new=True) as stream:
        yield stream
