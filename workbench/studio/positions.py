"""Positions that show what a setting means, drawn by a process of its own.

That process runs the kernels as plain Python: a position takes some milliseconds, and nothing has to be compiled before
a designer sees the first board. The server only waits for it, so a page never stands still.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.files.yamlfile import Problem
    from workbench.games.declaration import Setting

Shown = dict[str, Any]
"""A drawn position as plain data: its ``picture``, and in both languages what stands below it."""


class Positions:
    """The process that draws, for the length of a ``with`` block."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._shown: dict[tuple[str, str, Setting, Setting], Shown | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    async def witness(self, game: str, toggle: str, was: Setting, now: Setting) -> Shown | None:
        """The position in which two settings of a toggle differ; None if none is known."""
        key = (game, toggle, was, now)
        if key not in self._shown:
            self._shown[key] = await self._done(_witness, *key)
        return self._shown[key]

    async def first_moves(self, root: Path, name: str, text: str) -> list[Problem]:
        """What is wrong with the first moves of which the text of a ruleset says that something is known."""
        problems: list[Problem] = await self._done(_first_moves, root, name, text)
        return problems

    async def _done(self, task: Callable[..., Any], *arguments: object) -> Any:
        for last in (False, True):
            if self._pool is None:
                context = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=_begin)
            try:
                return await asyncio.wrap_future(self._pool.submit(task, *arguments))
            except BrokenProcessPool:
                # It was killed, perhaps for want of memory: one more attempt.
                self._pool = None
                if last:
                    raise
        raise AssertionError


def _begin() -> None:
    """Prepares the process: no compiler, no Ctrl-C of its own, and no life after the server's."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def _witness(game: str, toggle: str, was: Setting, now: Setting) -> Shown | None:
    from markupsafe import Markup

    from workbench import games
    from workbench.report.render.boards import Pieces, svg
    from workbench.report.witness_positions import shown_position

    shown = shown_position(game, games.declaration(game).toggle(toggle), was, now)
    if shown is None:
        return None
    pieces = Pieces(f"{toggle}-{_plain(was)}-{_plain(now)}")
    picture = svg(shown.board, pieces, shown.highlights)
    return {
        "picture": str(Markup("{}{}").format(pieces.definitions(), picture)),
        "sentence": shown.sentence,
        "about": shown.about,
        "notes": (list(shown.board.notes), list(shown.board.notes_ja or shown.board.notes)),
        "plays": shown.plays,
        "opened": shown.opened,
        "shut": shown.shut,
        "outcome": shown.outcome,
    }


def _plain(setting: Setting) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in str(setting))


def _first_moves(root: Path, name: str, text: str) -> list[Problem]:
    from workbench.files.project import Project
    from workbench.questions import known_values, rulesets
    from workbench.questions.ruleset_files import Library

    return known_values.check(rulesets.load(name, library=Library(Project(root), {name: text})))
