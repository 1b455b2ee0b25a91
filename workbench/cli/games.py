"""Commands about many games: games, from records, and import-games, of people."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from workbench.base.errors import FAILED
from workbench.base.language import tr, translated
from workbench.base.project import find_project
from workbench.cli.app import app, examples
from workbench.cli.common import (
    IntoExisting,
    Lang,
    announce_compiling,
    echo,
    folder_name,
    kept_folder,
    load_ruleset,
    make_console,
    print_lines,
    whole_number,
)
from workbench.cli.experiments import write_and_print


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
    from workbench.experiments import workspace

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
    from workbench.base import output

    with output.atomic_write(Path(os.path.realpath(out)), new=True) as stream:
        yield stream


SHOWN = 10
"""Games that were left out and are named on the screen."""
EVERY = 5.0
"""Seconds between two lines on how far it is."""


@app.command(
    "import-games",
    epilog=examples(
        "workbench import-games month.pgn --ruleset chess/orthodox --games 100_000 --out reports/month",
        "workbench import-games games.pgn --ruleset chess/orthodox --under chess/no-castling --under chess/torpedo",
        "workbench import-games lidraughts.pdn --ruleset draughts/international --band 200 --beside draughts-national",
        "workbench import-games played.txt --ruleset chatra/2008-02 --out our-games",
    ),
)
def import_games(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…",
            help="PGN, PDN, or what workbench games writes; also packed. - reads the input.",
            show_default=False,
        ),
    ],
    ruleset: Annotated[str, typer.Option(metavar="RULESET", help="The rules by which people played.")],
    out: Annotated[
        Path | None,
        typer.Option(parser=folder_name, metavar="DIR", help="The report folder.", show_default="reports/FILE"),
    ] = None,
    under: Annotated[
        list[str] | None,
        typer.Option(metavar="RULESET", help="Would the games have been legal under these rules? May be repeated."),
    ] = None,
    beside: Annotated[
        str, typer.Option(metavar="REPORT", help="A report whose players, or people, are shown beside them.")
    ] = "",
    band: Annotated[int, typer.Option(min=10, max=5000, help="Width of a band of ratings.")] = 400,
    most: Annotated[
        int | None,
        typer.Option("--games", parser=whole_number, metavar="N", help="At most so many games.", show_default="all"),
    ] = None,
    asked: Annotated[
        int,
        typer.Option(
            "--positions", min=0, max=10_000, help="Positions of each band in which a ladder's players choose a move."
        ),
    ] = 50,
    title: Annotated[str, typer.Option(help="Title of the report.", show_default="that of the ruleset")] = "",
    into_existing: IntoExisting = False,
    lang: Lang = None,
) -> None:
    """Reads games that people have played, and reports on them.

    Every move is checked by the rules. A game with a move that they forbid, of another game (by its tags Variant and
    GameType) or without moves is left out, counted and named, with file, line, number, ply, move and reason
    (left-out.csv). Records keep both ratings, date, event, result and how the game
    ended. Players are grouped by the mean of both ratings, and can be shown beside those of a run (--beside).
    """
    from workbench.addons.people import importing

    rules = load_ruleset(ruleset)
    others = [load_ruleset(name) for name in under or ()]
    where = find_project()
    folder = out or where.report(Path(files[0]).name.split(".")[0] if files[0] != "-" else "people")
    wanted = importing.Wanted(
        files,
        rules,
        band=band,
        most=most,
        under=others,
        beside=where.existing_report_folder(beside) if beside else None,
        asked=asked,
        title=title,
        command=" ".join(["workbench", *sys.argv[1:]]),
    )
    last = time.monotonic()

    def progress(read: int) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            echo(tr("{read:,} games read", read=read), err=True)

    def player(label: str) -> None:
        echo(tr("what would {label} have played?", label=label), err=True)

    found = importing.import_games(wanted, folder, into_existing, progress, player)
    print_lines(importing.summary_lines(found, SHOWN))
    write_and_print(folder, make_console(), lang)
