"""What a user can do something about: errors that say so in words, and the exit code with which a command ends."""

from __future__ import annotations

from typing import ClassVar

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


class UserError(Exception):
    """An error whose text tells the user what is wrong and what to do; it is printed without a traceback."""

    exit_code: ClassVar[int] = BAD_INPUT
