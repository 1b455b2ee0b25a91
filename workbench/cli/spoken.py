"""The border at which the command line becomes Japanese: what it prints, its help, and the errors of its parser."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from workbench import language
from workbench.console import WIDEST, filled, width_of
from workbench.errors import WorkbenchError
from workbench.language import SEMICOLON, looked_up, translated, trc, verbatim
from workbench.language.libraries import from_library

if TYPE_CHECKING:
    from rich.console import Console

PLACEHOLDERS = (
    trc("help", "<int range>"),
    trc("help", "<float range>"),
    trc("help", "<str>"),
    trc("help", "[OPTIONS]"),
    trc("help", "COMMAND [ARGS]..."),
)
"""What the parser writes in a help text where something of the user's stands."""


def echo(text: object = "", err: bool = False) -> None:
    """Prints a text of the workbench, or an error, in the language that is spoken."""
    typer.echo(translated(text.text if isinstance(text, WorkbenchError) else verbatim(text)), err=err)


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


def console(**options: Any) -> Console:
    """A console of rich that prints texts, headings and cells of tables in the language that is spoken now."""
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


@contextmanager
def errors_of_the_parser() -> Iterator[None]:
    """Lets errors of the command line's parser show themselves in the language that is spoken."""
    try:
        yield
    except Exception as error:
        show = getattr(error, "show", None)
        if show is not None and language.current() != "en" and not getattr(error, "spoken", False):
            error.spoken = True  # type: ignore[attr-defined]
            error.message = translated(getattr(error, "message", ""))  # type: ignore[attr-defined]

            def spoken(file: Any = None) -> None:
                written = io.StringIO()
                show(file=written)
                lines = written.getvalue().splitlines()
                print("\n".join(translated(from_library(line)) for line in lines), file=file or sys.stderr)

            error.show = spoken  # type: ignore[attr-defined]
        raise


class Help:
    """A help text in Japanese: the parts that Typer gives a formatter, translated, and wrapped by their width."""

    width = 10_000
    """What the parser believes: it must not cut sentences short before they are translated."""

    def __init__(self, columns: int = WIDEST - 2) -> None:
        self.columns = columns
        self.current_indent = 0
        self.lines: list[str] = []

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """The line about the order of words."""
        start = f"{help_text(prefix.strip() if prefix else 'Usage:')} {prog} "
        args = _placed(args)
        self.lines.append(filled(args, start, " " * width_of(start), self.columns) if args else start.rstrip())

    def write_heading(self, heading: str) -> None:
        """A heading of a section."""
        self.lines.append(f"{' ' * self.current_indent}{help_text(f'{heading}:')}")

    def write_paragraph(self) -> None:
        """An empty line, but none at the start."""
        if self.lines:
            self.lines.append("")

    def write_text(self, text: str) -> None:
        """Paragraphs; one that begins with a backspace keeps its lines, which are commands with what they do."""
        indent = " " * self.current_indent
        for number, paragraph in enumerate(re.split(r"\n\s*\n", text)):
            if number:
                self.lines.append("")
            if paragraph.startswith("\b"):
                self.lines += [indent + example(line) for line in paragraph.removeprefix("\b").strip("\n").splitlines()]
            else:
                self.lines.append(filled(help_text(paragraph), indent, indent, self.columns))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Names and what they mean, beside each other."""
        rows = [(_placed(name), meaning) for name, meaning in rows]
        indent = " " * self.current_indent
        column = min(max((width_of(name) for name, _ in rows), default=0), col_max) + col_spacing
        for name, meaning in rows:
            if not meaning:
                self.lines.append(indent + name)
                continue
            margin = indent + " " * column
            start = f"{indent}{name}{' ' * (column - width_of(name))}"
            if width_of(name) > column - col_spacing:
                self.lines.append(indent + name)
                start = margin
            self.lines.append(filled(meaning_of(meaning), start, margin, self.columns))

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        """A section under its heading."""
        self.write_paragraph()
        self.write_heading(name)
        with self.indentation():
            yield

    @contextmanager
    def indentation(self) -> Iterator[None]:
        """Parts that stand farther right."""
        self.indent()
        try:
            yield
        finally:
            self.dedent()

    def indent(self) -> None:
        """Two signs to the right from here on."""
        self.current_indent += 2

    def dedent(self) -> None:
        """Two signs to the left from here on."""
        self.current_indent -= 2

    def getvalue(self) -> str:
        """The whole text."""
        return "\n".join(self.lines) + "\n"


def _placed(text: str) -> str:
    for placeholder in PLACEHOLDERS:
        text = text.replace(str(placeholder), translated(placeholder))
    return text


def help_text(text: str) -> str:
    """A text of the help in the current language: one of the source, or of the library that reads the command line."""
    return translated(from_library(" ".join(text.split()), looked_up))


def meaning_of(text: str) -> str:
    """What an option means, and in brackets its default or range, or that it is required."""
    text = " ".join(text.split())
    sentence, bracket, rest = text.rpartition("  [") if "  [" in text else _bracketed(text)
    if not bracket:
        return help_text(text)
    notes = translated(SEMICOLON).join(help_text(note) for note in re.split(r"; (?![^()]*\))", rest.removesuffix("]")))
    return f"{help_text(sentence)}  [{notes}]".strip()


def _bracketed(text: str) -> tuple[str, str, str]:
    match = re.fullmatch(r"(.*?)\s*\[((?:default|required|env var|\d|x)[^\]]*)\]", text)
    return (match[1], "[", match[2]) if match else (text, "", "")


def example(line: str) -> str:
    """A command of the examples, with what it does."""
    command, gap, meaning = (re.fullmatch(r"(\s*\S.*?)(\s{2,})(\S.*)", line) or re.fullmatch("(.*)()()", line)).groups()  # type: ignore[union-attr]
    return f"{command}{gap}{help_text(meaning)}" if gap else line if line.startswith(" ") else help_text(line)


class Speaking:
    """What a command of Typer has besides: its help, and the errors of its parser, in the language that is spoken."""

    def make_context(self, *args: Any, **options: Any) -> Any:
        """What is known of a call; its errors speak the language."""
        with errors_of_the_parser():
            return super().make_context(*args, **options)  # type: ignore[misc]

    def get_help(self, ctx: Any) -> str:
        """The whole help text."""
        if language.current() == "en":
            return str(super().get_help(ctx))  # type: ignore[misc]
        columns = os.environ.get("COLUMNS", "")
        formatter = Help(int(columns) - 2 if columns.isdecimal() and int(columns) > 40 else WIDEST - 2)
        self.format_help(ctx, formatter)  # type: ignore[attr-defined]
        return formatter.getvalue().rstrip("\n")
