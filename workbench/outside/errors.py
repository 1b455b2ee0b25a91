"""What can go wrong with players from outside."""

from __future__ import annotations

from workbench.errors import FAILED, WorkbenchError


class PlayerFailed(WorkbenchError):
    """A player from outside that cannot be started, dies, hangs, raises or plays what is not legal.

    Its text is its only argument, so that it travels from process to process.
    """

    exit_code = FAILED
