"""What runs in a worker process: one block of games, timed and numbered.

Workers import this module and the compiled engine, nothing else of the workbench: that keeps their start fast.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any


def timed(number: int, play: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[int, float, Any]:
    """The block's number, the seconds it took and what ``play`` returned for it; not for the parent process."""
    # Ctrl-C reaches every process of the terminal; the parent alone decides what becomes of the blocks in flight.
    # Workers that loky starts later than the first ones have not inherited this.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    begin = time.perf_counter()
    found = play(*arguments)
    return number, time.perf_counter() - begin, found
