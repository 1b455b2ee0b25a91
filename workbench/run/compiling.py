"""The machine code for the games of a ruleset, made by several processes at once."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection
from concurrent.futures import as_completed
from typing import TYPE_CHECKING

from workbench.run.worker import begin

if TYPE_CHECKING:
    from workbench.engine.trials import Codes


def compile_apart(
    needed: tuple[str, Codes, Collection[int]],
    workers: int,
    done: Callable[[int, int], object] = lambda part, parts: None,
) -> None:
    """Compiles in processes that end afterwards what is ``needed``: by a family, some codes, and kinds of players.

    ``done`` is told how many of the parts are compiled, and how many there are. What does not compile is left to the
    process that plays, which says why.
    """
    from joblib.externals.loky.backend.context import get_context
    from joblib.externals.loky.process_executor import ProcessPoolExecutor

    from workbench.engine import trials

    if not trials.KEEPS_MACHINE_CODE:
        return
    # Processes of their own, not those that play: `trials.compile_part` makes them unfit for that.
    count = min(workers, os.cpu_count() or 1)
    pool = ProcessPoolExecutor(count, context=get_context("loky"), initializer=begin, initargs=(os.getpid(), ""))
    try:
        calls = [pool.submit(trials.compile_part, *needed[:2], part) for part in trials.parts(*needed)]
        with contextlib.suppress(Exception):
            for number, call in enumerate(as_completed(calls), start=1):
                call.result()
                done(number, len(calls))
    finally:
        pool.shutdown(kill_workers=True)
