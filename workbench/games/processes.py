"""Processes that run games with or without machine code, and checks whether machine code must be compiled.

Without machine code, kernels run as plain Python. A position takes milliseconds, so a few queries finish long before a
compiler would.
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


def process_pool(compiled: bool) -> ProcessPoolExecutor:
    """Return a pool of one process with or without machine code; its first task starts the process."""
    return ProcessPoolExecutor(
        1, mp_context=multiprocessing.get_context("spawn"), initializer=_initialise, initargs=(compiled,)
    )


def end(pool: ProcessPoolExecutor) -> None:
    """Terminate the pool's process, even during a task."""
    for child in list((pool._processes or {}).values()):
        child.terminate()
    pool.shutdown(wait=False, cancel_futures=True)


def _initialise(compiled: bool) -> None:
    """Initialise the process: disable the compiler unless ``compiled``, ignore Ctrl-C, and exit with the parent."""
    if not compiled:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()


def _exit_with_parent(parent: Any) -> None:
    parent.join()
    os._exit(1)


def must_compile(functions: Iterable[str], families: Iterable[str]) -> bool:
    """Check whether any function's machine code is missing on disk for any of the families.

    Without families, checks whether any function's code is missing for all families. Empty names, which stand for
    players without machine code, are ignored.
    """
    from workbench.engine import jit

    return jit.must_compile(
        {*functions} - {""}, [games.folder(family) / "kernel.py" for family in dict.fromkeys(families)]
    )


def games_must_compile(searches: Iterable[str], families: Iterable[str]) -> bool:
    """Check whether games of these families must wait for compilation, given the players' searches."""
    return must_compile(["trials._play_block", *searches], families)
