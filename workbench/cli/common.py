"""Options of several commands, and functions to load, refuse and print."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from workbench.base import language
from workbench.base.errors import BAD_INPUT, WorkbenchError, display_path, expected
from workbench.base.language import LANGUAGES, quoted, tr, translated, untranslated
from workbench.base.project import find_project

if TYPE_CHECKING:
    from rich.console import Console

    from workbench.players.agents import AgentSpec
    from workbench.records.trials import Trials
    from workbench.rules.rulesets import Ruleset

UNBOUNDED_WIDTH = 100_000
"""The width of an output that is no terminal, in columns: no table is cropped."""


def echo(text: object = "", err: bool = False) -> None:
    """Print a text of the workbench, or an error, in the current language."""
    typer.echo(translated(text.text if isinstance(text, WorkbenchError) else untranslated(text)), err=err)


def console(**options: Any) -> Console:
    """Return a console of rich that prints texts, headings and cells of tables in the current language."""
    from rich.console import Console
    from rich.table import Table

    spoken = language.current()
    if spoken == "en":
        return Console(**options)

    def told(thing: Any) -> Any:
        if isinstance(thing, str):
            return translated(thing, spoken)
        if isinstance(thing, Table):
            thing.title, thing.caption = told(thing.title), told(thing.caption)
            for column in thing.columns:
                column.header, column.footer = told(column.header), told(column.footer)
                column._cells = [told(cell) for cell in column._cells]
        return thing

    class Spoken(Console):
        def print(self, *objects: Any, **how: Any) -> None:
            super().print(*(told(thing) for thing in objects), **how)

        def status(self, status: Any, **how: Any) -> Any:
            return super().status(told(status), **how)

    return Spoken(**options)


def refuse(message: str, option: str | None = None) -> NoReturn:
    """Ends the command with the usage, and a message about an option or argument."""
    raise typer.BadParameter(translated(message), param_hint=option)


def require_new_file(path: Path | None, option: str) -> None:
    """End the command if a file cannot be written, or is there already."""
    from workbench.experiments import workspace

    if path and (problem := workspace.cannot_write_new(path)):
        refuse(problem, option)


def whole_number(text: str, low: int = 1) -> int:
    """Return a whole number of at least 1, or another number; 2_000_000 may be written so."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < low:
        refuse(expected(tr("a whole number of at least {low}", low=low), quoted(text)))
    return number


RulesetName = Annotated[
    str, typer.Argument(metavar="RULESET", help="A name such as chatra/2008-02, or a YAML file.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]


def folder_name(text: str) -> Path:
    """Return the folder of a name; an empty name, which would mean the current folder, is refused."""
    if not text.strip():
        refuse(expected(tr("a folder"), tr("an empty name")))
    return Path(text)


Out = Annotated[
    Path | None,
    typer.Option(parser=folder_name, metavar="DIR", help="The report folder.", show_default="reports/EXPERIMENT"),
]
IntoExisting = Annotated[
    bool, typer.Option("--into-existing", help="Also a folder that holds other things; none of them is replaced.")
]

AllowPrograms = Annotated[
    bool, typer.Option("--allow-programs", help="Start the programs and Python classes that the file names as players.")
]

Workers = Annotated[int | None, typer.Option(min=1, max=4096, help="Processes.", show_default="one for each core")]
On = Annotated[
    str | None,
    typer.Option(
        metavar="CLUSTER",
        help="Play on a cluster: dask:tcp://HOST:8786, dask:local; see docs/cluster.md.",
        show_default="this machine",
    ),
]


Language = StrEnum("Language", [(code.upper(), code) for code in LANGUAGES])  # type: ignore[misc]
"""The language in which a report opens."""
Lang = Annotated[
    Language | None,
    typer.Option(
        help="The language in which the report opens, and that of its pictures; its reader may switch.",
        show_default="that of the reader's browser; pictures: en",
    ),
]


def kept_folder(name: str) -> Path:
    """Return the folder of a run, by its path or by its name among the reports."""
    return find_project().existing_report_folder(folder_name(name))


def load_ruleset(name: str) -> Ruleset:
    """Return the ruleset of a name such as chatra/2008-02, or of a YAML file."""
    from workbench.rules import rulesets

    return rulesets.load_ruleset(name)


def make_console(pipe: int = UNBOUNDED_WIDTH) -> Console:
    """A console on stdout that crops no table unless the user set a width; ``pipe``: columns of what is no terminal."""
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() and int(columns) else pipe
    return console(highlight=False, width=None if sys.stdout.isatty() else width)


def announce_compiling(function: str, rulesets: Iterable[Ruleset] = (), players: Iterable[AgentSpec] = ()) -> None:
    """Say on stderr that the command takes a while if it must compile ``function`` or a player first."""
    from workbench.engine import jit
    from workbench.games.processes import must_compile

    functions = [function, *(player.function for player in players)]
    if must_compile(functions, {ruleset.game for ruleset in rulesets}):
        when = tr("first run only")
        if jit.NO_CACHE:
            when = tr("by every command, for the machine code cannot be kept: {no_cache}", no_cache=jit.NO_CACHE)
        echo(tr("compiling ({when}; may take a minute)…", when=when), err=True)


def print_json(content: Any) -> None:
    """Print a value as one line of JSON, with null for numbers that are not finite."""
    finite = json.loads(json.dumps(content), parse_constant=lambda constant: None)
    typer.echo(json.dumps(finite, ensure_ascii=False))


def print_lines(lines: Iterable[str]) -> None:
    """Print lines as they come."""
    for line in lines:
        echo(line)


def echo_written(paths: Iterable[Path]) -> None:
    """Print the names of files that were written."""
    for path in paths:
        echo(tr("wrote {path}", path=display_path(path)))


def games_line(trials: Trials) -> str:
    """Return the number of games and their digest, by which two people compare what they played."""
    return tr("{count:,} games, digest {digest}", count=len(trials), digest=trials.digest()[:32])


def confirm_fresh(files: list[Path], folder: str, yes: bool) -> None:
    """Ask whether to delete the files of earlier runs, if there are any."""
    if yes or not files:
        return
    count = len(files)
    if not sys.stdin.isatty():
        echo(tr("--fresh would delete {count} files in {folder}: confirm with --yes", count=count, folder=folder), True)
        raise typer.Exit(BAD_INPUT)
    question = tr("Delete the records of earlier runs in {folder} ({count} files)?", folder=folder, count=count)
    if not typer.confirm(translated(question)):
        echo(tr("Nothing was deleted."))
        raise typer.Exit(1)
