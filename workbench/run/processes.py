"""Calls in several processes, whose results come as they are done."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Generator, Iterable
from typing import Any

from workbench.run.guards import ignore_signals
from workbench.run.worker import start_worker


def run_unordered(calls: Iterable[Any], workers: int, ahead: int, beats: str = "") -> Generator[Any]:
    """The results of `joblib.delayed` calls, in the order in which they are done.

    So many calls are handed out at once as ``ahead`` says. In the folder ``beats``, if there is one, the processes give
    signs of life. Closing the generator gives up what is in flight.
    """
    import joblib

    parallel = joblib.Parallel(
        n_jobs=workers,
        backend="loky",
        return_as="generator_unordered",
        pre_dispatch=ahead,
        batch_size=1,
        max_nbytes=None,
        initializer=start_worker,
        initargs=(os.getpid(), beats),
    )
    with ignore_signals(signal.SIGINT):
        results = parallel(calls)
    try:
        # Not `yield from`: it would close the results itself, before the warning can be silenced.
        for result in results:  # noqa: UP028
            yield result
    finally:
        with warnings.catch_warnings():
            # joblib warns that calls in flight are given up: that is what is wanted here.
            warnings.simplefilter("ignore", UserWarning)
            results.close()
