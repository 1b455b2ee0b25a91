"""Guards of a run: the lock that keeps other runs out of its folder, and the handling of signals."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from workbench.run.errors import FolderBusy

LOCK_ATTEMPTS, LOCK_PAUSE = 10, 0.02
"""How often the lock is tried, and the seconds in between: `is_folder_in_use` holds it for a moment."""


@contextlib.contextmanager
def hold_folder_lock(folder: Path) -> Iterator[None]:
    """Holds the folder for this run alone; the lock ends with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows: no such lock, no protection
        yield
        return
    place = os.open(folder, os.O_RDONLY)
    try:
        for attempt in range(LOCK_ATTEMPTS):
            try:
                fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                # Some network file systems know no locks; that is no reason not to play.
                if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                    break
                if attempt == LOCK_ATTEMPTS - 1:
                    raise FolderBusy(folder) from None
                time.sleep(LOCK_PAUSE)
            else:
                break
        yield
    finally:
        os.close(place)


def is_folder_in_use(folder: Path) -> bool:
    """Whether a run works in the folder at this moment; where there are no locks nobody knows, and it is False."""
    try:
        import fcntl

        place = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        return False
    try:
        fcntl.flock(place, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in (errno.EWOULDBLOCK, errno.EACCES)
    finally:
        os.close(place)
    return False


@contextlib.contextmanager
def interrupt_on(number: signal.Signals) -> Iterator[None]:
    """Lets a signal stop this process as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(number, stop)
    try:
        yield
    finally:
        signal.signal(number, before)


@contextlib.contextmanager
def ignore_signals(*numbers: signal.Signals) -> Iterator[None]:
    """Ignores signals for a moment; processes that are started meanwhile ignore them for good."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
