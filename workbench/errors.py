"""Errors that a user can mend: each says what is wrong and what to do, and has the exit code of its command."""

from __future__ import annotations

import functools
from collections.abc import Callable
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
            return function(*arguments, **options)
        except WorkbenchError as error:
            raise error.with_traceback(None) from None

    return called
