"""Terminal output: wrapping, signals, standard streams, and the limit on open files."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import re
import shutil
import signal
import sys
import textwrap
import threading
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from workbench.base.errors import WorkbenchError
from workbench.base.language import tr, translated

WIDEST = 100
"""The maximum line length, for readability."""
_WIDE = "\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60"
_OPENING = "\uff08\u300c\u300e\u3010"
_CLOSING = "\u3001\u3002\uff0c\uff09\u300d\u300f\u3011\uff01\uff1f\uff1a\u30fb\u2026\u30fc\u3005\u301c"
_CLOSING += (
    "\u3041\u3043\u3045\u3047\u3049\u3063\u3083\u3085\u3087\u30a1\u30a3\u30a5\u30a7\u30a9\u30c3\u30e3\u30e5\u30e7"
)
"""Characters that cannot end a line, and others that cannot begin one: brackets, punctuation, small kana."""
_EAST_ASIAN = re.compile(f"[{_WIDE}]")
_PIECES = re.compile(rf"[{_OPENING}]*(?:[^\s{_WIDE}]+|[{_WIDE}])[{_CLOSING}]*\s*|\s+")
"""Unbreakable parts: a word or an East Asian character, with adjacent brackets and punctuation."""


def wrapped(text: str, indent: str = "", hanging: str | None = None, width: int = 0) -> str:
    """Wrap a text to ``width`` (default: the terminal's); later lines begin with ``hanging`` (default: ``indent``)."""
    width = width or max(min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns), 40)
    return filled(translated(text), indent, indent if hanging is None else hanging, width)


def filled(text: str, first: str, hanging: str, width: int) -> str:
    """Wrap a text to a width; East Asian characters count as two columns and may end a line."""
    if not _EAST_ASIAN.search(text):
        return textwrap.fill(
            text, width, initial_indent=first, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
        )
    lines, line, is_blank = [], first, True
    for piece in _PIECES.findall(re.sub(r"\s", " ", text)):
        if not is_blank and display_width(line) + display_width(piece.rstrip()) > width:
            lines.append(line.rstrip())
            line, is_blank = hanging, True
        line += piece.lstrip() if is_blank else piece
        is_blank = is_blank and not piece.strip()
    return "\n".join([*lines, line.rstrip()])


def display_width(text: str) -> int:
    """Return the number of terminal columns that a text occupies.

    >>> display_width("Elo"), display_width("対局")
    (3, 4)
    """
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else not unicodedata.combining(char) for char in text)


def padded(text: str, width: int) -> str:
    """Return a text in the current language, padded with spaces to a width."""
    text = translated(text)
    return text + " " * (width - display_width(text))


def stoppable() -> AbstractContextManager[None]:
    """Let Ctrl-C end the process at once; Python would handle it only after a compiled call has returned."""
    return handle_signals(signal.SIG_DFL, signal.SIGINT)


@contextlib.contextmanager
def handle_signals(handler: Callable[..., object] | signal.Handlers, *signals: signal.Signals) -> Iterator[None]:
    """Set a temporary signal handler, in the main thread only; child processes inherit `SIG_IGN` permanently."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {number: signal.signal(number, handler) for number in signals}
    try:
        yield
    finally:
        for number, previous_handler in previous.items():
            signal.signal(number, previous_handler)


resource: Any = importlib.import_module("resource") if importlib.util.find_spec("resource") else None
"""The limits of the process; not available on Windows."""

STREAMS = ("stdin", "stdout", "stderr")


def open_standard_streams() -> list[str]:
    """Redirect closed standard streams to the null device, to reserve their descriptors; return their names."""
    closed = [name for name in STREAMS if getattr(sys, name) is None]
    for name in closed:
        stream = open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8")  # noqa: SIM115 (open till the end)
        if stream.fileno() == STREAMS.index(name):
            os.set_inheritable(stream.fileno(), True)
        setattr(sys, name, stream)
    return closed


def discard_unwritten() -> None:
    """Discard buffered output that cannot be written (disk full, no reader); Python would complain at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with contextlib.suppress(OSError, ValueError):
                null_device = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null_device, stream.fileno())
                os.close(null_device)


def require_open_files(needed: int, consumer: str) -> None:
    """Raise the limit on open files if it is too low; raise `WorkbenchError` if the system refuses."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    except (OSError, ValueError):
        message = tr(
            "{what} needs {needed:,} open files, but the system allows {allowed:,}: raise the limit (ulimit -n)."
        )
        raise WorkbenchError(message.format(what=consumer, needed=needed, allowed=soft)) from None
