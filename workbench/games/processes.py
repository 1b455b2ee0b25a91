"""Processes that run games with or without machine code, and checks whether machine code must be compiled.

Without machine code the kernels run as plain Python: a position takes milliseconds, so that a few queries finish long
before a compiler would.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from workbench import games


def process(compiled: bool) -> ProcessPoolExecutor:
    """Return a pool of one process that starts with its first task; ``compiled``: with machine code."""
    return ProcessPoolExecutor(
        1, mp_context=multiprocessing.get_context("spawn"), initializer=_begin, initargs=(compiled,)
    )


def end(pool: ProcessPoolExecutor) -> None:
    """Terminate the process, even in the middle of a task."""
    for child in list((pool._processes or {}).values()):
        child.terminate()
    pool.shutdown(wait=False, cancel_futures=True)


def _begin(compiled: bool) -> None:
    """Initialise the process: disable the compiler if asked to, ignore Ctrl-C, and exit with the parent."""
    if not compiled:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def must_compile(functions: Iterable[str], families: Iterable[str]) -> bool:
    """Return whether one of the functions has no machine code on disk for one of the families.

    Without families: whether one of them lacks it for every family. Empty names (players without machine code) are
    ignored.
    """
    from workbench.engine import jit

    return jit.must_compile(
        {*functions} - {""}, [games.folder(family) / "kernel.py" for family in dict.fromkeys(families)]
    )


def games_must_compile(searches: Iterable[str], families: Iterable[str]) -> bool:
    """Return whether games of these families with players of these searches must wait for machine code."""
    return must_compile(["trials._play_block", *searches], families)
