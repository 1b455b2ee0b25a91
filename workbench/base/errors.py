"""Errors that a user can mend: each says what is wrong and what to do, and has the exit code of its command."""

from __future__ import annotations

import contextlib
import difflib
import functools
import os
import re
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, ParamSpec, TypeVar

from workbench.base.language import Message, edited, from_catalogue, join, tr, translated, trc

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class WorkbenchError(Exception):
    """An error whose text tells the user what is wrong and what to do; all of the workbench's own are of this kind.

    The command line prints it without a traceback.
    """

    exit_code: ClassVar[int] = BAD_INPUT

    def __reduce__(self) -> tuple[Any, ...]:
        # Made of what they hold: most are called with something else than the text that they keep.
        return _restore, (type(self), self.args, self.__dict__)

    @property
    def text(self) -> str:
        """The text of the error: a message."""
        return text_of(self)

    def told(self, language: str | None = None) -> str:
        """Return the error in a language; that which is spoken, if none is named."""
        return translated(self.text, language)


def text_of(error: BaseException) -> str:
    """Return the text of an error, with its translations if it was raised with a message."""
    return error.args[0] if len(error.args) == 1 and isinstance(error.args[0], Message) else str(error)


def reason_of(error: BaseException) -> str:
    """Why the system refuses a file, in a few words."""
    return from_catalogue(getattr(error, "strerror", None) or str(error))


REASONS = (
    tr("No such file or directory"),
    tr("Permission denied"),
    tr("No space left on device"),
    tr("Read-only file system"),
    tr("Is a directory"),
    tr("Not a directory"),
    tr("File name too long"),
    tr("Too many levels of symbolic links"),
)
"""Reasons that the system gives."""


MOST_TOLD = 100
"""Problems that are told at once; the rest are listed once these are mended."""


@dataclass(frozen=True)
class Problem:
    """One thing wrong with what a user wrote."""

    file: str
    """The path as the user would type it; empty for words of the command line."""
    line: int | None
    """From 1; None where no line is to blame."""
    key: str | None
    """Dotted, such as ``agents[1].alphabeta.depth``."""
    message: str
    """The value that was expected and the one that was found."""
    hint: str = ""
    """The correction to make."""

    def __str__(self) -> str:
        return str(self.text)

    @property
    def text(self) -> str:
        """The problem in a line."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        text = join(": ", (part for part in (place, self.key, self.message) if part))
        return tr("{problem} ({hint})", problem=text, hint=self.hint) if self.hint else text

    def told(self, language: str) -> str:
        """Return the problem in a line of a language."""
        return translated(self.text, language)


NONE, MORE = trc("found", "none"), trc("found", "more")


def expected(what: str, found: object = None) -> str:
    """Return the sentence that something else was expected than what was found, if anything was."""
    sentence = tr("expected {what}, found {found}") if found is not None else tr("expected {what}")
    return sentence.format(what=what, found=found)


class InputError(WorkbenchError):
    """Input that cannot be used; `problems` holds one `Problem` for each thing to mend."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return str(self.text)

    @property
    def text(self) -> str:
        """All problems, a line each."""
        lines: list[str] = [problem.text for problem in self.problems[:MOST_TOLD]]
        if (more := len(self.problems) - MOST_TOLD) > 0:
            lines.append(tr("... and {more:,} more problems", more=more))
        return join("\n", lines)


class PlayerFailed(WorkbenchError):
    """A player from outside that cannot be started, dies, hangs, raises or plays what is not legal.

    Its text is its only argument, so that it travels from process to process.
    """

    exit_code = FAILED


def input_error(
    message: str, hint: str = "", *, file: str = "", line: int | None = None, key: str | None = None
) -> InputError:
    """Return the error of one problem; see `Problem`."""
    return InputError([Problem(file, line, key, message, hint)])


class NotCompiled(WorkbenchError):
    """A kernel that Numba cannot compile; the text says where, why and what kernels are made of."""

    @classmethod
    def of(cls, error: BaseException) -> NotCompiled | None:
        """Return the same error in words; None if it is no error of the compiler."""
        if type(error).__module__ != "numba.core.errors":
            return None
        text = _COLOURS.sub("", str(error))
        lines = [line.strip(" >") for line in text.splitlines() if line.strip() and not line.startswith("Failed in ")]
        reason = " ".join(lines[: 2 if lines[0].endswith(":") else 1])
        reason = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}…"
        # The compiler names its own files, the line that is wrong, and the calls that led there.
        places = [place for place in _PLACE.findall(text) if "site-packages" not in place[0]]
        own = [place for place in places if not os.path.abspath(place[0]).startswith(_PACKAGE)]
        where = "{}, line {}".format(*(own or places)[0]) if places else "kernel.py"
        message = tr(
            "{where}: this does not compile: {reason}. Kernels are loops over whole numbers and "
            "arrays of them, without texts, dictionaries or lists of different things; workbench "
            "check-game runs them as plain Python first."
        )
        return cls(message.format(where=where, reason=reason))


_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_COLOURS = re.compile("\x1b\\[[0-9;]*m")
_PLACE = re.compile(r'(?:File "|\bat )([^"\n]+?\.py)(?:", line | \()([0-9]+)')
LONGEST_REASON = 200
"""Characters."""


CODE_OF_GAMES: dict[str, Path] = {}
"""The games whose code is at work in this process and not the workbench's own, and their folders."""


def in_a_line(error: BaseException) -> str:
    """Return the kind of an exception and what it says; of pages, as Numba writes them, the beginning."""
    text = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())
    return f"{type(error).__name__}: {text if len(text) <= 400 else f'{text[:400]}…'}"


def with_line(error: BaseException, folder: str | Path) -> str:
    """An exception with the last line of the code in a folder that it came through; "" if it came through none."""
    asked = error.obj if isinstance(error, AttributeError) else None
    module = Path(str(vars(asked).get("__file__"))) if isinstance(asked, ModuleType) else None
    if module and module.parent == Path(folder):
        return tr("{path} has no {missing}", path=module.name, missing=str(getattr(error, "name", "")))
    places = [(one.filename, one.lineno) for one in traceback.extract_tb(error.__traceback__)]
    places += [(error.filename or "", error.lineno)] if isinstance(error, SyntaxError) else []
    for path, line in reversed(places):
        if Path(path).parent == Path(folder):
            return tr("{path}, line {line}: {error}", path=Path(path).name, line=line, error=in_a_line(error))
    return ""


@contextlib.contextmanager
def compiler_in_words() -> Iterator[None]:
    """A context in which errors of Numba, and of the code of added games, are put into words."""
    try:
        yield
    except Exception as error:
        if told := NotCompiled.of(error):
            raise told from None
        if not isinstance(error, WorkbenchError):
            for game, folder in CODE_OF_GAMES.items():
                if text := with_line(error, folder):
                    text = tr("{game}: {error} (workbench check-game {game} says more)", game=game, error=text)
                    raise WorkbenchError(text) from None
        raise


def _restore(kind: type[WorkbenchError], arguments: tuple[Any, ...], held: dict[str, Any]) -> WorkbenchError:
    """Return an error of a kind that holds this."""
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(held)
    return error


def hide_internal_frames(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """The function, whose errors are raised as from itself and name arguments of Python, not options of commands.

    A traceback ends at the line that called it.
    """

    @functools.wraps(function)
    def called(*arguments: _Arguments.args, **options: _Arguments.kwargs) -> _Result:
        try:
            with compiler_in_words():
                return function(*arguments, **options)
        except WorkbenchError as error:
            if isinstance(error, InputError):
                error.problems[:] = map(_problem_in_python, error.problems)
            else:
                error.args = tuple(edited(one, _in_python) if isinstance(one, str) else one for one in error.args)
            raise error.with_traceback(None) from None

    return called


_OPTION = re.compile(r"(workbench [a-z-]+ [^\n]*)|(\) )?(?<![a-zA-Z0-9_-])--([a-z][a-z-]*)")
_SWITCHES = ("allow_programs", "fresh", "into_existing")


def _problem_in_python(one: Problem) -> Problem:
    file, message, hint = (edited(text, _in_python) for text in (one.file, one.message, one.hint))
    return Problem(file, one.line, one.key and _in_python(one.key), message, hint)


def _in_python(text: str) -> str:
    """Return a text that names arguments where it named options of the command line; commands stay as they are."""

    def argument(found: re.Match[str]) -> str:
        if found[1]:
            return found[1]
        name = found[3].replace("-", "_")
        name = f"{name}=True" if name in _SWITCHES else name
        return f", {name})" if found[2] else name

    return _OPTION.sub(argument, text)


def nearest(word: str, names: Iterable[str]) -> str:
    """Return the name that a user most likely meant, or ``""``.

    >>> nearest("subject-frist", ["objects-first", "subject-first"])
    'subject-first'
    """
    typed = word.casefold()
    if not typed:
        return ""
    candidates = {name.casefold(): name for name in names}
    if close := difflib.get_close_matches(typed, candidates, n=1):
        return candidates[close[0]]
    starts = [name for folded, name in candidates.items() if folded.startswith(typed)]
    return starts[0] if len(starts) == 1 else ""


def guess(word: str, names: Iterable[str], what: str = tr("known are {names}")) -> str:
    """Return a hint for a wrong name: the nearest one, or else all ``names`` by the message ``what``."""
    names = list(names)
    if word.startswith("\u3000"):
        return tr("indent with spaces of half width")
    if narrowed(word) in names and (hint := half_width(word)):
        return hint
    if near := nearest(word, names):
        return tr("did you mean '{near}'?", near=near)
    return what.format(names=", ".join(names)) if 0 < len(names) <= 40 else ""


def abbreviated(text: str) -> str:
    """Text for a message: its beginning, if it is long."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def display_path(path: str | Path) -> str:
    """Return a path as the user would type it: from the current folder where that is shorter."""
    full = os.path.abspath(str(path).replace("\0", "?"))
    try:
        short = os.path.relpath(full)
    except ValueError:  # another drive
        return full
    return min(short, full, key=len).replace(os.sep, "/")


_WIDE_SIGNS = {0x3000: " ", 0x3001: ",", 0x3002: ".", 0x2212: "-", 0x30FC: "-", 0x201C: '"', 0x201D: '"', 0x2018: "'",
               0x2019: "'"}  # fmt: skip
NARROW = {**{wide: chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F)}, **_WIDE_SIGNS}
"""Signs of full width that keyboards for Japanese type, and curly quotes; and what YAML wants in their place."""


def narrowed(text: str) -> str:
    """Return the text with signs of half width where it has such of full width, without quotes and spaces around it.

    >>> narrowed("\uff11\uff10\uff10"), narrowed("\u3000games"), narrowed("\u201closs\u201d")
    ('100', 'games', 'loss')
    """
    return text.translate(NARROW).strip(" \"'")


def half_width(text: str) -> str:
    """A hint for a text that was meant to be written in ASCII, and has signs of full width in it; "" for others."""
    narrow = narrowed(text)
    if narrow and narrow.isascii() and not text.isascii():
        return tr("write {abbreviated} in half-width characters", abbreviated=abbreviated(narrow))
    return ""
