"""The application: the order of the commands, and how their errors end."""

from __future__ import annotations

import gettext
import inspect
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from workbench.base import language
from workbench.base.console import discard_unwritten, filled, require_address_space, require_open_files
from workbench.base.errors import BAD_INPUT, FAILED, WorkbenchError, compiler_in_words, expected, reason_of
from workbench.base.language import OR, from_catalogue, join, join_list, quoted, tr, translated
from workbench.cli.common import echo

GROUPS = MAIN, RULES, QUESTIONS, PLAYERS, GAMES, DEVELOPERS = (
    *(tr("Main commands"), tr("Rules"), tr("Questions and answers")),
    *(tr("Players"), tr("Games"), tr("For developers")),
)
"""The groups of commands in the help. Within a group commands stand in the order in which they were added."""

LANG_DEFAULT = "that of WORKBENCH_LANG or the system"

TRUST = "--trust"

OPEN_FILES = 64
"""What one process with all its libraries opens at a time, and some to spare."""

ADDRESS_SPACE = 3 << 29
"""In bytes: what one process with all its libraries and the machine code of a game takes, and some to spare."""

_NO_ROOM = re.compile("failed to map segment")
"""What the system says of a library for which there is no memory."""


def asked_for(arguments: Sequence[str]) -> str:
    """The language of a command line: that of its last ``--lang``, or else that of the environment."""
    said = without_language(arguments)[1]
    return said[-1] if said and said[-1] in language.LANGUAGES else language.preferred(os.environ)


def without_language(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of a command line without its ``--lang``, and the languages that these name."""
    rest: list[str] = []
    said: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "--":
            return [*rest, word, *words], said
        if word == "--lang":
            said.append(next(words, ""))
        elif word.startswith("--lang="):
            said.append(word.removeprefix("--lang="))
        else:
            rest.append(word)
    return rest, said


class Speaking:
    """What a command of Typer has besides: the help that the workbench writes, in the language that is spoken."""

    help: str | None
    epilog: str | None

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the help; Typer asks gettext for its own headings."""
        if language.current() != language.SOURCE:
            names = [record[0] for one in self.get_params(ctx) if (record := one.get_help_record(ctx))]  # type: ignore[attr-defined]
            beside = formatter.width - 4 - min(max(map(len, names)), 30)
            self.help, self.epilog = (_spoken(text, formatter.width - 2) for text in (self.help, self.epilog))
            for one in self.params:  # type: ignore[attr-defined]
                one.help = _spoken(one.help, beside)
                if isinstance(one.show_default, str):
                    one.show_default = translated(from_catalogue(one.show_default))
        if self.help and "{agents}" in self.help:
            from workbench.players.agent_kinds import KINDS

            self.help = self.help.replace("{agents}", ", ".join(KINDS))
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def get_short_help_str(self, limit: int = 45) -> str:
        """The first sentence of the help, for the list of commands."""
        return translated(from_catalogue(" ".join(_PARAGRAPHS.split(self.help or "")[0].split())))


def _spoken(text: str | None, width: int) -> str | None:
    """Help in the language that is spoken, wrapped by the columns that its signs take."""
    if not text:
        return text

    def spoken(paragraph: str) -> str:
        if paragraph.startswith("\b"):  # its lines stay as they are: commands, and what they do
            return _MEANING.sub(lambda line: line[1] + translated(from_catalogue(line[2])), paragraph)
        return f"\b\n{filled(translated(from_catalogue(' '.join(paragraph.split()))), '', '', width)}"

    return "\n\n".join(map(spoken, _PARAGRAPHS.split(inspect.cleandoc(text))))


_PARAGRAPHS = re.compile(r"\n\s*\n")
_MEANING = re.compile(r"(?m)^(  \S.*?\S  +|)(Examples:$|\S.*$)")
HEADINGS = (tr("Arguments"), tr("Options"), tr("Examples:"), tr("default: {default}"), tr("required"))
"""What stands in the help of every command."""


class Commands(Speaking, TyperGroup):
    """The commands in the order of the help; a user's error ends in a sentence and an exit code, never a traceback."""

    def main(self, args: Sequence[str] | None = None, *others: Any, **options: Any) -> Any:
        """Runs a command line in the language that it asks for."""
        spoken = asked_for(sys.argv[1:] if args is None else args)
        # Typer asks gettext for its headings.
        gettext.bindtextdomain(language.DOMAIN, language.FOLDER)
        gettext.textdomain(language.DOMAIN)
        os.environ["LANGUAGE"] = spoken
        with language.speaking(spoken):
            return super().main(args, *others, **options)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the list of commands, group by group."""
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
        """Runs the command that was typed; each YAML file is read once."""
        from workbench.base.project import refuse_settings_of_the_compiler
        from workbench.base.yamlfile import snapshot

        try:
            require_open_files(OPEN_FILES, tr("the workbench"))
            require_address_space(ADDRESS_SPACE, tr("the workbench"))
            _require_working_directory()
            refuse_settings_of_the_compiler()
            with snapshot(), compiler_in_words():
                return super().invoke(ctx)
        except WorkbenchError as error:
            typer.echo(error.told(), err=True)
            raise typer.Exit(error.exit_code) from None
        except BrokenPipeError:
            # Whoever read the output has seen enough, as in `workbench rules chatra | head -1`: nothing to tell.
            discard_unwritten()
            raise typer.Exit(FAILED) from None
        except OSError as error:
            discard_unwritten()
            reason = reason_of(error)
            echo(join(": ", (str(error.filename), reason)) if error.filename else reason, err=True)
            raise typer.Exit(BAD_INPUT) from None
        except (MemoryError, ImportError) as error:
            if isinstance(error, ImportError) and not _NO_ROOM.search(str(error)):
                raise
            discard_unwritten()
            echo(tr("There is not enough memory: raise the limit (ulimit -v), or use fewer workers."), err=True)
            raise typer.Exit(BAD_INPUT) from None


def _require_working_directory() -> None:
    try:
        os.getcwd()
    except OSError as error:
        raise WorkbenchError(
            tr("the working directory is gone ({reason}): change to one that is there", reason=reason_of(error))
        ) from None


def example_lines(*lines: str) -> str:
    """The end of a help text: commands to copy."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


class Command(Speaking, TyperCommand):
    """A command; ``--lang`` and ``--trust`` may stand behind it, too, and its help may speak of ``{agents}``."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Reads the command line; a language that the command has no option for has been read before."""
        if not any(param.name == "lang" for param in self.params):
            args, said = without_language(args)
            for one in said:
                _require_language(one)
        words = args[: args.index("--")] if "--" in args else args
        if TRUST in words:
            _trust()
            args = [word for word in words if word != TRUST] + args[len(words) :]
        return super().parse_args(ctx, args)


_Function = TypeVar("_Function", bound=Callable[..., Any])


class Application(typer.Typer):
    """The application, whose commands speak."""

    def command(self, group: str, *examples: str, name: str | None = None) -> Callable[[_Function], _Function]:  # type: ignore[override]
        """Adds a command to a group, by the name of its function; ``examples`` are commands to copy."""
        return super().command(name, cls=Command, rich_help_panel=group, epilog=example_lines(*examples))


app = Application(
    name="workbench",
    cls=Commands,
    help="Compares proposals for the rules of a board game by playing thousands of games under each.\n\n"
    "Proposals are YAML files in rulesets/, questions are YAML files in experiments/, answers go to reports/.",
    epilog=example_lines(
        "workbench run quickstart            plays an experiment and shows what came out",
        "workbench show chatra/2008-02       the rules of a ruleset in plain language",
        "workbench play chatra/A --first human --second alphabeta",
        "workbench init my-rules             a folder of your own to work in",
    ),
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _trust() -> None:
    """Lets the code of the project's games run, and says so where that is new."""
    from workbench.games import added

    for place in added.trust_project():
        echo(tr("trusted as it is now: {place}", place=place), err=True)


def _require_language(said: str) -> None:
    if said not in language.LANGUAGES:
        raise typer.BadParameter(
            translated(expected(join_list(language.LANGUAGES, OR), quoted(said))),
            param_hint="--lang",
        )


@app.callback(invoke_without_command=True)
def _top(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    lang: Annotated[
        str,
        typer.Option(
            metavar=f"[{'|'.join(language.LANGUAGES)}]",
            help="The language of all that is printed; also after a command.",
            show_default=LANG_DEFAULT,
        ),
    ] = "",
    trust: Annotated[
        bool,
        typer.Option(TRUST, help="Let the games in games/ of the project run as they are now; also after a command."),
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
