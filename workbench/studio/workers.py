"""Worker processes that keep pages responsive while games are played.

The drawing, quick and reading workers run the kernels as plain Python: a position takes some milliseconds, and the
first board needs no compilation. The others run machine code, compiling it if necessary.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Self

from workbench.base.errors import reword_errors
from workbench.games import processes


class Worker:
    """A process that runs one task at a time and starts with the first task."""

    def __init__(self, compiled: bool) -> None:
        """``compiled``: the process runs machine code."""
        self._compiled = compiled
        self._pool: ProcessPoolExecutor | None = None

    def begin(self, task: Callable[..., Any], *arguments: object) -> Future[Any]:
        """Submit a call of a module-level function; a killed process is replaced."""
        self._pool = self._pool or processes.process_pool(self._compiled)
        try:
            return self._pool.submit(_run_task, task, *arguments)
        except BrokenProcessPool:
            self._pool = None
            return self.begin(task, *arguments)

    async def run(self, task: Callable[..., Any], *arguments: object) -> Any:
        """Call a module-level function in the process and return its result."""
        try:
            return await asyncio.wrap_future(self.begin(task, *arguments))
        except BrokenProcessPool:
            # The process was killed, perhaps for lack of memory; try once more.
            return await asyncio.wrap_future(self.begin(task, *arguments))

    def end(self) -> None:
        """End the process immediately."""
        if self._pool is not None:
            processes.end(self._pool)
            self._pool = None


class Workers:
    """The processes of a studio, to be used in a ``with`` block."""

    def __init__(self) -> None:
        self.drawing, self.quick, self.reading = Worker(False), Worker(False), Worker(False)
        self.strong, self.planning = Worker(True), Worker(True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in vars(self).values():
            worker.end()


def _run_task(task: Callable[..., Any], *arguments: object) -> Any:
    with reword_errors():
        return task(*arguments)


def load_games() -> None:
    """Load everything needed for drawing, ahead of the first request."""
    from workbench import games

    importlib.import_module("workbench.studio.game_tasks")
    for name in games.names():
        games.declaration(name)
