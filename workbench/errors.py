"""Errors that a user can mend: each says what is wrong and what to do, and has the exit code of its command."""

from __future__ import annotations

from typing import ClassVar

from workbench.language import translated

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


class UserError(Exception):
    """An error whose text tells the user what is wrong and what to do; it is printed without a traceback."""

    exit_code: ClassVar[int] = BAD_INPUT

    def told(self, language: str | None = None) -> str:
        """The error in a language; that which is spoken, if none is named."""
        return translated(str(self), language)
