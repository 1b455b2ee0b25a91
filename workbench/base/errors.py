"""Errors that a user can correct, with their causes, remedies and exit codes."""

from __future__ import annotations

import contextlib
import copyreg
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
    """An error whose text explains to the user what is wrong and how to fix it; the base of all our errors.

    The command line prints it without a traceback.
    """

    exit_code: ClassVar[int] = BAD_INPUT

    def __reduce__(self) -> tuple[Any, ...]:
        # Subclasses take other arguments than the text, so unpickling must not call them.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]

    @property
    def text(self) -> str:
        """The text of the error, a message."""
        return error_text(self)

    def told(self, language: str | None = None) -> str:
        """Return the text in a language, by default the current one."""
        return translated(self.text, language)


def error_text(error: BaseException) -> str:
    """Return the text of an error; it has translations if the error was raised with a message."""
    return error.args[0] if len(error.args) == 1 and isinstance(error.args[0], Message) else str(error)


def system_reason(error: BaseException) -> str:
    """Return the operating system's reason for an error."""
    return from_catalogue(getattr(error, "strerror", None) or str(error))


REASONS = (
    tr("No such file or directory"), tr("Permission denied"), tr("No space left on device"),
    tr("Read-only file system"), tr("Is a directory"), tr("Not a directory"), tr("File name too long"),
    tr("Too many levels of symbolic links"),
)  # fmt: skip
"""Common reasons given by operating systems."""


MOST_REPORTED = 100
"""The number of problems reported at once."""


@dataclass(frozen=True)
class Problem:
    """One mistake in a user's input."""

    file: str
    """The path as the user would type it; empty for command-line arguments."""
    line: int | None
    """Counted from 1; None if no line applies."""
    key: str | None
    """Dotted, such as ``agents[1].alphabeta.depth``."""
    message: str
    """The expected and the actual value."""
    hint: str = ""
    """The suggested correction."""

    def __str__(self) -> str:
        return str(self.text)

    @property
    def text(self) -> str:
        """The problem on one line."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        text = join(": ", (part for part in (place, self.key, self.message) if part))
        return tr("{problem} ({hint})", problem=text, hint=self.hint) if self.hint else text

    def told(self, language: str) -> str:
        """Return the problem on one line, in a language."""
        return translated(self.text, language)


NONE, MORE = trc("found", "none"), trc("found", "more")


def expected(expectation: str, found: object = None) -> str:
    """Return a message about an expected value and, if given, the value found instead."""
    template = tr("expected {what}, found {found}") if found is not None else tr("expected {what}")
    return template.format(what=expectation, found=found)


class InputError(WorkbenchError):
    """Invalid input; `problems` holds one `Problem` for each mistake."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return str(self.text)

    @property
    def text(self) -> str:
        """All problems, one per line."""
        lines: list[str] = [problem.text for problem in self.problems[:MOST_REPORTED]]
        if (more := len(self.problems) - MOST_REPORTED) > 0:
            lines.append(tr("... and {more:,} more problems", more=more))
        return join("\n", lines)


class PlayerFailed(WorkbenchError):
    """The failure of an external player to start, answer or move legally."""

    exit_code = FAILED


def input_error(
    message: str, hint: str = "", *, file: str = "", line: int | None = None, key: str | None = None
) -> InputError:
    """Return an error with a single problem; see `Problem`."""
    return InputError([Problem(file, line, key, message, hint)])


class NotCompiled(WorkbenchError):
    """A kernel that Numba cannot compile; the text gives the place, the reason and the restrictions on kernels."""

    @classmethod
    def of(cls, error: BaseException) -> NotCompiled | None:
        """Return a compiler error reworded for the user, or None for any other error."""
        if type(error).__module__ != "numba.core.errors":
            return None
        text = _COLOURS.sub("", str(error))
        lines = [line.strip(" >") for line in text.splitlines() if line.strip() and not line.startswith("Failed in ")]
        reason = " ".join(lines[: 2 if lines[0].endswith(":") else 1])
        reason = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}…"
        # The compiler lists its own files, the invalid line and the calls that led there.
        places = [place for place in _PLACE.findall(text) if "site-packages" not in place[0]]
        user_places = [place for place in places if not os.path.abspath(place[0]).startswith(_PACKAGE)]
        location = "{}, line {}".format(*(user_places or places)[0]) if places else "kernel.py"
        message = tr(
            "{where}: this does not compile: {reason}. Kernels are loops over integers and integer arrays, without "
            "strings, dictionaries or mixed lists; workbench check-game first runs them as plain Python."
        )
        return cls(message.format(where=location, reason=reason))


_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_COLOURS = re.compile("\x1b\\[[0-9;]*m")
_PLACE = re.compile(r'(?:File "|\bat )([^"\n]+?\.py)(?:", line | \()([0-9]+)')
LONGEST_REASON = 200
"""Maximum number of characters."""


LOADED_CODE: dict[str, Path] = {}
"""The folders of added games whose code has been loaded in this process, by game."""


def one_line(error: BaseException) -> str:
    """Return an exception's type and text on one line; long texts, such as Numba's, are truncated."""
    text = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())
    return f"{type(error).__name__}: {text if len(text) <= 400 else f'{text[:400]}…'}"


def error_with_line(error: BaseException, folder: str | Path) -> str:
    """Return an exception's text with the last line of a folder's code in its traceback, or "" if there is none."""
    if isinstance(error, AttributeError) and isinstance(error.obj, ModuleType):
        module = Path(str(vars(error.obj).get("__file__")))
        if module.parent == Path(folder):
            return tr("{path} does not define {missing}", path=module.name, missing=str(getattr(error, "name", "")))
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    places += [(error.filename or "", error.lineno)] if isinstance(error, SyntaxError) else []
    for path, line in reversed(places):
        if Path(path).parent == Path(folder):
            return tr("{path}, line {line}: {error}", path=Path(path).name, line=line, error=one_line(error))
    return ""


@contextlib.contextmanager
def reword_errors() -> Iterator[None]:
    """Reword errors of Numba and of added games' code that are raised within this context."""
    try:
        yield
    except Exception as error:
        if not_compiled := NotCompiled.of(error):
            raise not_compiled from None
        if not isinstance(error, WorkbenchError):
            for game, folder in LOADED_CODE.items():
                if text := error_with_line(error, folder):
                    text = tr("{game}: {error} (for details: workbench check-game {game})", game=game, error=text)
                    raise WorkbenchError(text) from None
        raise


def hide_internal_frames(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Wrap an API function: tracebacks end at the call, and messages name Python arguments instead of options."""

    @functools.wraps(function)
    def wrapper(*arguments: _Arguments.args, **options: _Arguments.kwargs) -> _Result:
        try:
            with reword_errors():
                return function(*arguments, **options)
        except WorkbenchError as error:
            if isinstance(error, InputError):
                error.problems[:] = [
                    Problem(edited(problem.file, _in_python), problem.line, problem.key and _in_python(problem.key),
                            edited(problem.message, _in_python), edited(problem.hint, _in_python))
                    for problem in error.problems
                ]  # fmt: skip
            else:
                error.args = tuple(edited(part, _in_python) if isinstance(part, str) else part for part in error.args)
            raise error.with_traceback(None) from None

    return wrapper


_OPTION = re.compile(r"(workbench [a-z-]+ [^\n]*)|(\) )?(?<![a-zA-Z0-9_-])--([a-z][a-z-]*)")
_SWITCHES = ("allow_programs", "fresh", "into_existing")


def _in_python(text: str) -> str:
    """Return a text with command options replaced by Python arguments; whole commands remain unchanged."""

    def argument(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        name = match[3].replace("-", "_")
        name = f"{name}=True" if name in _SWITCHES else name
        return f", {name})" if match[2] else name

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
    completions = [name for folded, name in candidates.items() if folded.startswith(typed)]
    return completions[0] if len(completions) == 1 else ""


def guess(word: str, names: Iterable[str], listing: str = tr("known are {names}")) -> str:
    """Return a hint for an unknown name: the nearest of the ``names``, or all of them in the message ``listing``."""
    names = list(names)
    if word.startswith("\u3000"):
        return tr("indent with ASCII spaces")
    if narrowed(word) in names and (hint := half_width(word)):
        return hint
    if nearest_name := nearest(word, names):
        return tr("did you mean '{near}'?", near=nearest_name)
    return listing.format(names=", ".join(names)) if 0 < len(names) <= 40 else ""


def abbreviated(text: str) -> str:
    """Return a text for a message, truncated if long."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def display_path(path: str | Path) -> str:
    """Return a path as the user would type it, relative to the current folder if that is shorter."""
    full = os.path.abspath(str(path).replace("\0", "?"))
    try:
        short = os.path.relpath(full)
    except ValueError:  # another drive
        return full
    return min(short, full, key=len).replace(os.sep, "/")


_WIDE_SIGNS = {0x3000: " ", 0x3001: ",", 0x3002: ".", 0x2212: "-", 0x30FC: "-", 0x201C: '"', 0x201D: '"', 0x2018: "'",
               0x2019: "'"}  # fmt: skip
NARROW = {**{wide: chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F)}, **_WIDE_SIGNS}
"""Full-width characters of Japanese keyboards, and curly quotes, with their ASCII equivalents for YAML."""


def narrowed(text: str) -> str:
    """Return a text with full-width characters made half-width, without surrounding quotes and spaces.

    >>> narrowed("\uff11\uff10\uff10"), narrowed("\u3000games"), narrowed("\u201closs\u201d")
    ('100', 'games', 'loss')
    """
    return text.translate(NARROW).strip(" \"'")


def half_width(text: str) -> str:
    """Return a hint to write text in half-width ASCII characters; "" if it has no full-width ones."""
    narrowed_text = narrowed(text)
    if narrowed_text and narrowed_text.isascii() and not text.isascii():
        return tr("write {text} in half-width characters", text=abbreviated(narrowed_text))
    return ""
