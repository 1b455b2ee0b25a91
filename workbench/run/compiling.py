"""The machine code for the games of a ruleset, made by several processes at once."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from concurrent.futures import as_completed
from typing import TYPE_CHECKING

from workbench.run.worker import begin

if TYPE_CHECKING:
    from workbench.engine.trials import Codes


def compile_apart(workers: int, game: str, codes: Codes, kinds: Collection[int]) -> None:
    """Compiles what games between some kinds of players need, in processes that end afterwards.

    What does not compile is left to the process that plays, which says why.
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
        calls = [pool.submit(trials.compile_part, game, codes, part) for part in trials.parts(game, codes, kinds)]
        with contextlib.suppress(Exception):
            for call in as_completed(calls):
                call.result()
    finally:
        pool.shutdown(kill_workers=True)
