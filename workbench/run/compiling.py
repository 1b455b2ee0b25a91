"""The machine code for the games of a ruleset, made by several processes at once."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from concurrent.futures import as_completed

from workbench.run.node import Preparation
from workbench.run.worker import start_worker


def compile_in_parallel(
    needed: Preparation, workers: int, done: Callable[[int, int], object] = lambda part, parts: None
) -> None:
    """Compiles what is ``needed`` for games (`pool.game_preparation`) and missing, in processes that end afterwards.

    With one worker nothing is gained by others. ``done`` is told how many of the parts are compiled, and how many there
    are. What does not compile is left to the process that plays, which says why.
    """
    from joblib.externals.loky.backend.context import get_context
    from joblib.externals.loky.process_executor import ProcessPoolExecutor

    from workbench.engine import trials

    count = min(workers, os.cpu_count() or 1)
    if count == 1 or not trials.KEEPS_MACHINE_CODE or not needed.is_missing():
        return
    game, codes, kinds = needed.arguments
    # Processes of their own, not those that play: `trials.compile_part` makes them unfit for that.
    pool = ProcessPoolExecutor(count, context=get_context("loky"), initializer=start_worker, initargs=(os.getpid(), ""))
    try:
        calls = [pool.submit(trials.compile_part, game, codes, part) for part in trials.parts(game, codes, kinds)]
        with contextlib.suppress(Exception):
            for number, call in enumerate(as_completed(calls), start=1):
                call.result()
                done(number, len(calls))
    finally:
        pool.shutdown(kill_workers=True)
