"""The application: shared options and output, groups of commands, translated help, and exit codes of errors."""

from __future__ import annotations

import gettext
import inspect
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from workbench.base import errors, language
from workbench.base.console import discard_unwritten, filled
from workbench.base.errors import BAD_INPUT, FAILED, WorkbenchError, display_path, expected, reword_errors
from workbench.base.language import LANGUAGES, OR, from_catalogue, join, join_list, quoted, tr, translated, untranslated
from workbench.base.project import find_project

if TYPE_CHECKING:
    from rich.console import Console

    from workbench.players.agents import AgentSpec
    from workbench.records.trials import Trials
    from workbench.rules.rulesets import Ruleset


UNBOUNDED_WIDTH = 100_000
"""The width of output that is not a terminal, in columns, so that no table is cropped."""


def echo(text: object = "", err: bool = False) -> None:
    """Print a text or an error in the current language."""
    typer.echo(translated(text.text if isinstance(text, WorkbenchError) else untranslated(text)), err=err)


def console(**options: Any) -> Console:
    """Return a Rich console that prints texts, headings and table cells in the current language."""
    from rich.console import Console
    from rich.table import Table

    code = language.current()
    if code == "en":
        return Console(**options)

    def translate(value: Any) -> Any:
        if isinstance(value, str):
            return translated(value, code)
        if isinstance(value, Table):
            value.title, value.caption = translate(value.title), translate(value.caption)
            for column in value.columns:
                column.header, column.footer = translate(column.header), translate(column.footer)
                column._cells = [translate(cell) for cell in column._cells]
        return value

    class TranslatingConsole(Console):
        def print(self, *objects: Any, **style: Any) -> None:
            super().print(*map(translate, objects), **style)

        def status(self, status: Any, **style: Any) -> Any:
            return super().status(translate(status), **style)

    return TranslatingConsole(**options)


def refuse(message: str, option: str | None = None) -> NoReturn:
    """End the command with its usage and a message about an option or an argument."""
    raise typer.BadParameter(translated(message), param_hint=option)


def require_new_file(path: Path | None, option: str) -> None:
    """End the command if a file exists or cannot be written."""
    from workbench.experiments import workspace

    if path and (problem := workspace.new_file_problem(path)):
        refuse(problem, option)


def whole_number(text: str, low: int = 1) -> int:
    """Return a whole number of at least ``low``, whose digits may be grouped, as in 2_000_000."""
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
    """Return the folder with a name; reject an empty name, which would mean the current folder."""
    if not text.strip():
        refuse(expected(tr("a folder"), tr("an empty name")))
    return Path(text)


Out = Annotated[
    Path | None,
    typer.Option(parser=folder_name, metavar="DIR", help="The report folder.", show_default="reports/EXPERIMENT"),
]
IntoExisting = Annotated[
    bool, typer.Option("--into-existing", help="Allow a folder with other contents, which are not replaced.")
]

AllowPrograms = Annotated[
    bool, typer.Option("--allow-programs", help="Start the programs and Python classes named as players in the file.")
]

Workers = Annotated[int | None, typer.Option(min=1, max=4096, help="Processes.", show_default="one per core")]
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
        help="The initial language of the report and its pictures; readers may switch.",
        show_default="the reader's browser language; pictures: en",
    ),
]


def run_folder(name: str) -> Path:
    """Return the folder of a run, given its path or its name among the reports."""
    return find_project().existing_report_folder(folder_name(name))


def load_ruleset(name: str) -> Ruleset:
    """Return a ruleset, given its name, such as chatra/2008-02, or its YAML file."""
    from workbench.rules import rulesets

    return rulesets.load_ruleset(name)


def make_console(pipe: int = UNBOUNDED_WIDTH) -> Console:
    """Return a console on stdout that crops no table unless the user set a width; ``pipe`` is the width for pipes."""
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() and int(columns) else pipe
    return console(highlight=False, width=None if sys.stdout.isatty() else width)


def announce_compiling(function: str, rulesets: Iterable[Ruleset] = (), players: Iterable[AgentSpec] = ()) -> None:
    """Announce on stderr that the command must first compile ``function`` or a player's search."""
    from workbench.engine import jit
    from workbench.games.processes import must_compile

    functions = [function, *(player.function for player in players)]
    if must_compile(functions, {ruleset.game for ruleset in rulesets}):
        when = tr("first run only")
        if jit.NO_CACHE:
            when = tr("on every command, since the machine code cannot be cached: {no_cache}", no_cache=jit.NO_CACHE)
        echo(tr("compiling ({when}; this may take a minute)…", when=when), err=True)


def print_json(content: Any) -> None:
    """Print a value as one line of JSON, with null for numbers that are not finite."""
    finite = json.loads(json.dumps(content), parse_constant=lambda constant: None)
    typer.echo(json.dumps(finite, ensure_ascii=False))


def print_lines(lines: Iterable[str]) -> None:
    """Print lines one by one."""
    for line in lines:
        echo(line)


def echo_written(paths: Iterable[Path]) -> None:
    """Print the names of written files."""
    for path in paths:
        echo(tr("wrote {path}", path=display_path(path)))


def games_line(trials: Trials) -> str:
    """Return a line with the number of games and their digest, which identifies equal games."""
    return tr("{count:,} games, digest {digest}", count=len(trials), digest=trials.digest()[:32])


def confirm_fresh(files: list[Path], folder: str, yes: bool) -> None:
    """Ask for confirmation before deleting the files of earlier runs; end the command if it is refused."""
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


GROUPS = MAIN, RULES, QUESTIONS, PLAYERS, GAMES, DEVELOPERS = (
    *(tr("Main commands"), tr("Rules"), tr("Questions and answers")),
    *(tr("Players"), tr("Games"), tr("For developers")),
)
"""The groups of commands in the help. Within a group commands stand in the order in which they were added."""

TRUST = "--trust"
_command_line: ContextVar[tuple[str, ...]] = ContextVar("command_line")
_NO_ROOM = re.compile("failed to map segment")
"""The system's message about a library for which there is not enough memory."""


def requested_language(arguments: Sequence[str]) -> str:
    """Return the language of a command line: that of its last ``--lang``, or else the environment's."""
    languages = split_language(arguments)[1]
    return languages[-1] if languages and languages[-1] in language.LANGUAGES else language.preferred(os.environ)


def split_language(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split a command line into the words other than ``--lang`` options and the values of these options."""
    other_words: list[str] = []
    languages: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "--":
            return [*other_words, word, *words], languages
        if word == "--lang":
            languages.append(next(words, ""))
        elif word.startswith("--lang="):
            languages.append(word.removeprefix("--lang="))
        else:
            other_words.append(word)
    return other_words, languages


class TranslatedHelp:
    """A Typer command with help in the current language."""

    help: str | None
    epilog: str | None

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help; Typer translates its headings by gettext."""
        if language.current() != language.SOURCE:
            params = self.get_params(ctx)  # type: ignore[attr-defined]
            names = [record[0] for param in params if (record := param.get_help_record(ctx))]
            help_width = formatter.width - 4 - min(max(map(len, names)), 30)
            self.help, self.epilog = (_translate_help(text, formatter.width - 2) for text in (self.help, self.epilog))
            for param in params:
                param.help = _translate_help(param.help, help_width)
                if isinstance(param.show_default, str):
                    param.show_default = translated(from_catalogue(param.show_default))
        if self.help and "{agents}" in self.help:
            from workbench.players.agent_kinds import KINDS

            self.help = self.help.replace("{agents}", ", ".join(KINDS))
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the first sentence of the help, for the list of commands."""
        return translated(from_catalogue(" ".join(_PARAGRAPHS.split(self.help or "")[0].split())))


def _translate_help(text: str | None, width: int) -> str | None:
    """Return help in the current language, wrapped according to the width of its characters."""
    if not text:
        return text

    def translate(paragraph: str) -> str:
        if paragraph.startswith("\b"):  # its lines stay as they are: commands and their meanings
            return _MEANING.sub(lambda line: line[1] + translated(from_catalogue(line[2])), paragraph)
        return f"\b\n{filled(translated(from_catalogue(' '.join(paragraph.split()))), '', '', width)}"

    return "\n\n".join(map(translate, _PARAGRAPHS.split(inspect.cleandoc(text))))


_PARAGRAPHS = re.compile(r"\n\s*\n")
_MEANING = re.compile(r"(?m)^(  \S.*?\S  +|)(Examples:$|\S.*$)")
HEADINGS = (tr("Arguments"), tr("Options"), tr("Examples:"), tr("default: {default}"), tr("required"),
            tr("No such command {name!r}."))  # fmt: skip
HELP_OPTION = tr("Show this message and exit.")
"""Typer's texts in every command's help, together with `HEADINGS`."""


class Commands(TranslatedHelp, TyperGroup):
    """The command group, in order of definition; users' errors end in a message and an exit code, not a traceback."""

    def main(self, args: Sequence[str] | None = None, *others: Any, **options: Any) -> Any:
        """Run a command line in its requested language."""
        requested = requested_language(sys.argv[1:] if args is None else args)
        # Typer translates its headings by gettext.
        gettext.bindtextdomain(language.DOMAIN, language.FOLDER)
        gettext.textdomain(language.DOMAIN)
        os.environ["LANGUAGE"] = requested
        with language.speaking(requested):
            return super().main(args, *others, **options)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands by group."""
        width = max(map(len, self.commands))
        for group in GROUPS:
            with formatter.section(translated(group)):
                formatter.write_dl(
                    [
                        (name.ljust(width), command.get_short_help_str())
                        for name, command in self.commands.items()
                        if command.rich_help_panel == group  # type: ignore[attr-defined]
                    ]
                )

    def invoke(self, ctx: Any) -> Any:
        """Run the command; each YAML file is read only once."""
        from workbench.base.project import reject_numba_config_file
        from workbench.base.yamlfile import snapshot

        try:
            reject_numba_config_file()
            with snapshot(), reword_errors():
                return super().invoke(ctx)
        except WorkbenchError as error:
            typer.echo(error.told(), err=True)
            raise typer.Exit(error.exit_code) from None
        except BrokenPipeError:
            # The reader of the output has ended, as in `workbench rules chatra | head -1`.
            discard_unwritten()
            raise typer.Exit(FAILED) from None
        except (OSError, MemoryError, ImportError) as error:
            if isinstance(error, ImportError) and not _NO_ROOM.search(str(error)):
                raise
            discard_unwritten()
            reason = tr("There is not enough memory: raise the limit (ulimit -v), or use fewer workers.")
            if isinstance(error, OSError):
                reason = join(": ", filter(None, (str(error.filename or ""), errors.system_reason(error))))
            echo(reason, err=True)
            raise typer.Exit(BAD_INPUT) from None


def example_lines(*lines: str) -> str:
    """Return the end of a help text: example commands."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


class Command(TranslatedHelp, TyperCommand):
    """A command that also accepts ``--lang`` and ``--trust``, and whose help may contain ``{agents}``."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse the command line; ``--lang`` has already been handled unless the command has its own."""
        if not any(param.name == "lang" for param in self.params):
            args, languages = split_language(args)
            for code in languages:
                _require_language(code)
        words = args[: args.index("--")] if "--" in args else args
        if TRUST in words:
            _trust()
            args = [word for word in words if word != TRUST] + args[len(words) :]
        _command_line.set((ctx.info_name, *args))
        ctx.allow_extra_args = True  # Typer's refusal is English
        if extra := super().parse_args(ctx, args):
            ctx.fail(translated(tr("unexpected: {words}", words=" ".join(extra))))
        return extra


_Function = TypeVar("_Function", bound=Callable[..., Any])


class Application(typer.Typer):
    """The application, whose commands belong to groups."""

    def command(self, group: str, *examples: str, name: str | None = None) -> Callable[[_Function], _Function]:  # type: ignore[override]
        """Add a command to a group, named after its function; ``examples`` are complete commands."""
        return super().command(name, cls=Command, rich_help_panel=group, epilog=example_lines(*examples))


app = Application(
    name="workbench", cls=Commands,
    help="Compares proposed rules for a board game by playing thousands of games under each.\n\n"
    "Proposals are YAML files in rulesets/, questions are YAML files in experiments/, and answers go to reports/.",
    epilog=example_lines(
        "workbench run quickstart            runs an experiment and shows the results",
        "workbench show chatra/2008-02       the rules of a ruleset in plain language",
        "workbench play chatra/A --first human --second alphabeta",
        "workbench init my-rules             your own working folder",
    ),
    add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)  # fmt: skip


def _trust() -> None:
    """Trust the code of the project's games, and report newly trusted games."""
    from workbench.games import added

    for folder in added.trust_project():
        echo(tr("trusted in its current state: {place}", place=folder), err=True)


def _require_language(code: str) -> None:
    if code not in language.LANGUAGES:
        refuse(expected(join_list(language.LANGUAGES, OR), quoted(code)), "--lang")


def repeated_command(*left_out: str) -> str:
    """Return the current command line without some options, for the user to run again."""
    return shlex.join(["workbench", *(word for word in _command_line.get() if word not in left_out)])


@app.callback(invoke_without_command=True)
def _top(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    lang: Annotated[
        str,
        typer.Option(
            metavar=f"[{'|'.join(language.LANGUAGES)}]",
            help="The language of all output; may also come after the command.",
            show_default="from WORKBENCH_LANG or the system",
        ),
    ] = "",
    trust: Annotated[
        bool,
        typer.Option(
            TRUST, help="Trust the current game code in the project's games/; may also come after the command."
        ),
    ] = False,
) -> None:
    if lang:
        _require_language(lang)
    if trust:
        _trust()
    if version:
        import workbench

        typer.echo(f"workbench {workbench.__version__}")
        raise typer.Exit
