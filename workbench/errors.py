"""Errors that a user can mend: each says what is wrong and what to do, and has the exit code of its command."""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, ParamSpec, TypeVar

from workbench.language import translated

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
        return _held, (type(self), self.args, self.__dict__)

    def told(self, language: str | None = None) -> str:
        """The error in a language; that which is spoken, if none is named."""
        return translated(str(self), language)


class NotCompiled(WorkbenchError):
    """A kernel that Numba cannot compile; the text says where, why and what kernels are made of."""

    @classmethod
    def of(cls, error: BaseException) -> NotCompiled | None:
        """The same error in words; None if it is no error of the compiler."""
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
        return cls(
            f"{where}: this does not compile: {reason}. Kernels are loops over whole numbers and arrays of them, "
            "without texts, dictionaries or lists of different things; workbench check-game runs them as plain Python "
            "first."
        )


_PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
_COLOURS = re.compile("\x1b\\[[0-9;]*m")
_PLACE = re.compile(r'(?:File "|\bat )([^"\n]+?\.py)(?:", line | \()([0-9]+)')
LONGEST_REASON = 200
"""Characters."""


@contextlib.contextmanager
def compiler_in_words() -> Iterator[None]:
    """Within it, what Numba cannot compile is an error in words."""
    try:
        yield
    except Exception as error:
        if told := NotCompiled.of(error):
            raise told from None
        raise


def _held(kind: type[WorkbenchError], arguments: tuple[Any, ...], held: dict[str, Any]) -> WorkbenchError:
    """An error of a kind that holds this."""
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(held)
    return error


def without_internals(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """The function, whose errors are raised as from itself: a traceback ends at the line that called it."""

    @functools.wraps(function)
    def called(*arguments: _Arguments.args, **options: _Arguments.kwargs) -> _Result:
        try:
            with compiler_in_words():
                return function(*arguments, **options)
        except WorkbenchError as error:
            raise error.with_traceback(None) from None

    return called
