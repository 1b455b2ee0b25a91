"""The application: the order of the commands, and how their errors end."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from workbench import language
from workbench.cli.spoken import Speaking, asked_for, echo, errors_of_the_parser, help_text, without_language
from workbench.errors import BAD_INPUT, FAILED, WorkbenchError, compiler_in_words, reason_of
from workbench.files.limits import discard_unwritten, require_address_space, require_open_files
from workbench.language import OR, join, listed, tr, translated

ORDER = (
    *("run", "plan", "report", "search", "effects", "why", "ladder", "handicap", "train", "show-player", "check"),
    *("studio", "list", "rules", "show", "diff", "idea", "schema"),
    *("moves", "perft", "play", "games", "import-games"),
    *("solve", "bench", "signature"),
    *("new", "import-rules", "init", "check-game"),
)
"""The order of the commands in the help: first what most people come for."""


LANG_DEFAULT = "that of WORKBENCH_LANG or the system"

TRUST = "--trust"

OPEN_FILES = 64
"""What one process with all its libraries opens at a time, and some to spare."""

ADDRESS_SPACE = 3 << 29
"""In bytes: what one process with all its libraries and the machine code of a game takes, and some to spare."""

_NO_ROOM = re.compile("failed to map segment")
"""What the system says of a library for which there is no memory."""


class Commands(Speaking, TyperGroup):
    """The commands in the order of the help; a user's error ends in a sentence and an exit code, never a traceback."""

    def main(self, args: Sequence[str] | None = None, *others: Any, **options: Any) -> Any:
        """Runs a command line in the language that it asks for."""
        with language.speaking(asked_for(sys.argv[1:] if args is None else args)):
            return super().main(args, *others, **options)

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the commands, in the order of the help."""
        return sorted(super().list_commands(ctx), key=ORDER.index)

    def invoke(self, ctx: Any) -> Any:
        """Runs the command that was typed; each YAML file is read once."""
        from workbench.files.project import refuse_settings_of_the_compiler
        from workbench.files.yamlfile import snapshot

        try:
            require_open_files(OPEN_FILES, tr("the workbench"))
            require_address_space(ADDRESS_SPACE, tr("the workbench"))
            _require_working_directory()
            refuse_settings_of_the_compiler()
            with snapshot(), errors_of_the_parser(), compiler_in_words():
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
            tr("the working directory is gone ({strerror}): change to one that is there", strerror=reason_of(error))
        ) from None


def examples(*lines: str) -> str:
    """The end of a help text: commands to copy."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


class Command(Speaking, TyperCommand):
    """A command; ``--lang`` and ``--trust`` may stand behind it, too, and its help may speak of ``{agents}``."""

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Writes the docstring of the command, with the kinds of agents that there are."""
        if self.help and "{agents}" in self.help:
            from workbench.questions.agent_kinds import KINDS

            # Paragraphs are translated before the names are put in.
            translation = "\n\n".join(map(help_text, re.split(r"\n\s*\n", inspect.cleandoc(self.help))))
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(translation.replace("{agents}", ", ".join(KINDS)))
            return
        super().format_help_text(ctx, formatter)

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

    def command(self, name: str | None = None, **options: Any) -> Callable[[_Function], _Function]:
        """Adds a command."""
        return super().command(name, **{"cls": Command, **options})


app = Application(
    name="workbench",
    cls=Commands,
    help="Compares proposals for the rules of a board game by playing thousands of games under each.\n\n"
    "Proposals are YAML files in rulesets/, questions are YAML files in experiments/, answers go to reports/.",
    epilog=examples(
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
            translated(tr("expected {languages}, found '{lang}'", languages=listed(language.LANGUAGES, OR), lang=said)),
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
