"""Processes of their own in which the games are asked, with machine code or without.

Without it the kernels run as plain Python: a position takes some milliseconds, and a few questions are answered long
before a compiler would be done.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from typing import Any


def process(compiled: bool) -> ProcessPoolExecutor:
    """One process that does one thing after the other; it begins with the first. ``compiled``: it runs machine code."""
    return ProcessPoolExecutor(
        1, mp_context=multiprocessing.get_context("spawn"), initializer=_begin, initargs=(compiled,)
    )


def end(pool: ProcessPoolExecutor) -> None:
    """Ends the process, whatever it does."""
    for child in list((pool._processes or {}).values()):
        child.terminate()
    pool.shutdown(wait=False, cancel_futures=True)


def _begin(compiled: bool) -> None:
    """Prepares the process: no compiler where none is wanted, no Ctrl-C of its own, no life after its parent's."""
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
