"""Players from outside: programs that speak UCI and Python classes, started only where the user has allowed it.

`players.run_outside_block` plays their games move by move; the engine then replays the moves and counts.
"""

from __future__ import annotations

from workbench.base.errors import FAILED, WorkbenchError


class PlayerFailed(WorkbenchError):
    """A player from outside that cannot be started, dies, hangs, raises or plays what is not legal.

    Its text is its only argument, so that it travels from process to process.
    """

    exit_code = FAILED
