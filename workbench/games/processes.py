"""Processes of their own in which the games are asked, with machine code or without; and whether that is there already.

Without it the kernels run as plain Python: a position takes some milliseconds, and a few questions are answered long
before a compiler would be done.
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
    """One process that does one thing after the other; it begins with the first. ``compiled``: it runs machine code."""
    return ProcessPoolExecutor(
        1, mp_context=multiprocessing.get_context("spawn"), initializer=_begin, initargs=(compiled,)
    )


def end(pool: ProcessPoolExecutor) -> None:
    """End the process, whatever it does."""
    for child in list((pool._processes or {}).values()):
        child.terminate()
    pool.shutdown(wait=False, cancel_futures=True)


def _begin(compiled: bool) -> None:
    """Prepare the process: no compiler where none is wanted, no Ctrl-C of its own, no life after its parent's."""
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
    """Return whether a function, such as ``trials._play_block``, lacks machine code on disk for one of the families.

    Without families: whether it has none for any. Empty names, of players without machine code, are passed over.
    """
    from workbench.engine import jit

    return jit.must_compile(
        {*functions} - {""}, [games.folder(family) / "kernel.py" for family in dict.fromkeys(families)]
    )


def games_must_compile(searches: Iterable[str], families: Iterable[str]) -> bool:
    """Return whether games of these families, whose players search so, wait for machine code."""
    return must_compile(["trials._play_block", *searches], families)
