"""The command ``import-games``."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from workbench.base.language import tr
from workbench.base.project import find_project
from workbench.cli import application as cli
from workbench.cli.experiments import write_and_print

SHOWN = 10
INTERVAL = 5.0


@cli.app.command(
    cli.GAMES,
    "workbench import-games month.pgn --ruleset chess/orthodox --games 100_000 --out reports/month",
    "workbench import-games games.pgn --ruleset chess/orthodox --under chess/no-castling --under chess/torpedo",
    "workbench import-games lidraughts.pdn --ruleset draughts/international --band 200 --beside draughts-national",
    "workbench import-games played.txt --ruleset chatra/2008-02 --out our-games",
)
def import_games(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…",
            help="PGN, PDN, or output of workbench games, optionally compressed; - for standard input.",
            show_default=False,
        ),
    ],
    ruleset: Annotated[str, typer.Option(metavar="RULESET", help="The rules of the games.")],
    out: Annotated[
        Path | None,
        typer.Option(parser=cli.folder_name, metavar="DIR", help="The report folder.", show_default="reports/FILE"),
    ] = None,
    under: Annotated[
        list[str] | None,
        typer.Option(metavar="RULESET", help="Check whether the games are legal under these rules; may be repeated."),
    ] = None,
    beside: Annotated[
        str, typer.Option(metavar="REPORT", help="A report whose records are included for comparison.")
    ] = "",
    band: Annotated[int, typer.Option(min=10, max=5000, help="Width of a rating band.")] = 400,
    limit: Annotated[
        int | None,
        typer.Option(
            "--games", parser=cli.whole_number, metavar="N", help="The maximum number of games.", show_default="all"
        ),
    ] = None,
    positions: Annotated[
        int,
        typer.Option(
            "--positions",
            min=0,
            max=10_000,
            help="Positions per rating band in which the ladder players choose a move.",
        ),
    ] = 50,
    title: Annotated[str, typer.Option(help="Report title.", show_default="the ruleset's title")] = "",
    into_existing: cli.IntoExisting = False,
    lang: cli.Lang = None,
) -> None:
    """Import games played by people and report on them.

    Every move is checked against the rules. Games that contain an illegal move, belong to another variant (according to
    the Variant and GameType tags) or have no moves are excluded and listed in left-out.csv with file, line, number,
    ply, move and reason. Records include both ratings, date, event, result and ending. Players are grouped by mean
    rating and can be compared with those of a run (--beside).
    """
    from workbench.addons.people import importing

    project = find_project()
    folder = out or project.report(Path(files[0]).name.split(".")[0] if files[0] != "-" else "people")
    last_message = time.monotonic()

    def progress(games_read: int) -> None:
        nonlocal last_message
        if time.monotonic() - last_message >= INTERVAL:
            last_message = time.monotonic()
            cli.echo(tr("{read:,} games read", read=games_read), err=True)

    result = importing.import_games(
        files, cli.load_ruleset(ruleset), folder, band=band, limit=limit,
        under=[cli.load_ruleset(name) for name in under or ()],
        beside=project.existing_report_folder(beside) if beside else None, positions=positions, title=title,
        command=" ".join(["workbench", *sys.argv[1:]]), into_existing=into_existing, on_progress=progress,
        on_player=lambda label: cli.echo(tr("comparing moves with {label}", label=label), err=True),
    )  # fmt: skip
    cli.print_lines(importing.summary_lines(result, SHOWN))
    write_and_print(folder, cli.make_console(), lang)
