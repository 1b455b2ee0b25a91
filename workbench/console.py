"""What commands share when they speak to a terminal: wrapped text, columns, Ctrl-C during compiled work."""

from __future__ import annotations

import contextlib
import shutil
import signal
import textwrap
import threading
from collections.abc import Iterable, Iterator

WIDEST = 100
"""Characters; longer lines are hard to read."""


def wrapped(text: str, indent: str = "", hanging: str | None = None, width: int = 0) -> str:
    """The text in lines that fit the terminal, or ``width``; later lines begin with ``hanging``, or else ``indent``."""
    return textwrap.fill(
        text,
        width or max(min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns), 40),
        initial_indent=indent,
        subsequent_indent=indent if hanging is None else hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


def columns(words: Iterable[str], indent: str = "") -> str:
    """The words beside each other, with two spaces between, in lines that fit the terminal."""
    return wrapped("  ".join(words), indent)


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """Lets Ctrl-C end the process at once: Python itself would hear it only after the compiled call has returned."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
