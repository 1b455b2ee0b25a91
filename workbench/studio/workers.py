"""Processes beside the server, so that no page waits for a game.

Those that draw and those that answer quickly run the kernels as plain Python: a position takes some milliseconds, and
nothing has to be compiled before a designer sees the first board. The strong one runs machine code, and compiles it
where there is none yet.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Self

from workbench.base.errors import compiler_in_words
from workbench.games import processes


class Worker:
    """A process that runs one task after the other; it starts with the first."""

    def __init__(self, compiled: bool) -> None:
        """``compiled``: it runs machine code."""
        self._compiled = compiled
        self._pool: ProcessPoolExecutor | None = None

    async def run(self, task: Callable[..., Any], *arguments: object) -> Any:
        """Return the result of a module's function, called in the process."""
        for last in (False, True):
            pool = self._pool = self._pool or processes.process(self._compiled)
            try:
                return await asyncio.wrap_future(pool.submit(_run_task, task, *arguments))
            except BrokenProcessPool:
                # It was killed, perhaps for want of memory: one more attempt.
                if self._pool is pool:
                    self._pool = None
                if last:
                    raise
        raise AssertionError

    def begin(self, task: Callable[..., Any]) -> None:
        """Submit a module's function whose result nobody waits for."""
        self._pool = self._pool or processes.process(self._compiled)
        # The next task replaces a process that was killed.
        with contextlib.suppress(BrokenProcessPool):
            self._pool.submit(_run_task, task)

    def end(self) -> None:
        """End the process, whatever it does."""
        if self._pool is not None:
            processes.end(self._pool)
            self._pool = None


class Workers:
    """The processes of a studio, for the length of a ``with`` block."""

    def __init__(self) -> None:
        self.drawing, self.quick, self.strong = Worker(False), Worker(False), Worker(True)
        self.reading, self.planning, self.outside = Worker(False), Worker(True), Worker(True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in (self.drawing, self.quick, self.strong, self.reading, self.planning, self.outside):
            worker.end()


def _run_task(task: Callable[..., Any], *arguments: object) -> Any:
    with compiler_in_words():
        return task(*arguments)


def load_games() -> None:
    """Load all that pictures are drawn with, before the first is asked for."""
    from workbench import games

    importlib.import_module("workbench.studio.game_tasks")
    for name in games.names():
        games.declaration(name)
