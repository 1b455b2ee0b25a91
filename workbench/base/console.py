"""Helpers for commands: wrapped text, Ctrl-C and other signals, and the limits that the system sets."""

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
"""Characters; longer lines are hard to read."""
_WIDE = "\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60"
_OPENING = "\uff08\u300c\u300e\u3010"
_CLOSING = "\u3001\u3002\uff0c\uff09\u300d\u300f\u3011\uff01\uff1f\uff1a\u30fb\u2026\u30fc\u3005\u301c"
_CLOSING += (
    "\u3041\u3043\u3045\u3047\u3049\u3063\u3083\u3085\u3087\u30a1\u30a3\u30a5\u30a7\u30a9\u30c3\u30e3\u30e5\u30e7"
)
"""Signs that no line ends with, and those that none begins with: brackets, stops and small kana."""
_EAST_ASIAN = re.compile(f"[{_WIDE}]")
_PIECES = re.compile(rf"[{_OPENING}]*(?:[^\s{_WIDE}]+|[{_WIDE}])[{_CLOSING}]*\s*|\s+")
"""Parts that no line break divides: a word or a sign, with the brackets and stops that cling to it."""


def wrapped(text: str, indent: str = "", hanging: str | None = None, width: int = 0) -> str:
    """Return the text, in the current language, in lines that fit the terminal, or ``width``.

    Later lines begin with ``hanging``, or else ``indent``.
    """
    return filled(translated(text), indent, indent if hanging is None else hanging, width or _terminal_width())


def _terminal_width() -> int:
    return max(min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns), 40)


def filled(text: str, first: str, hanging: str, width: int) -> str:
    """Return the text in lines of a width; signs of East Asia count twice, and a line may end behind each of them."""
    if not _EAST_ASIAN.search(text):
        return textwrap.fill(
            text, width, initial_indent=first, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
        )
    lines, line, bare = [], first, True
    for piece in _PIECES.findall(re.sub(r"\s", " ", text)):
        if not bare and width_of(line) + width_of(piece.rstrip()) > width:
            lines.append(line.rstrip())
            line, bare = hanging, True
        line += piece.lstrip() if bare else piece
        bare = bare and not piece.strip()
    return "\n".join([*lines, line.rstrip()])


def width_of(text: str) -> int:
    """Return the columns that a text takes in a terminal.

    >>> width_of("Elo"), width_of("対局")
    (3, 4)
    """
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else not unicodedata.combining(sign) for sign in text)


def padded(text: str, width: int) -> str:
    """Return a text in the current language, followed by spaces up to a width."""
    text = translated(text)
    return text + " " * (width - width_of(text))


def stoppable() -> AbstractContextManager[None]:
    """Let Ctrl-C end the process at once: Python itself would hear it only after the compiled call has returned."""
    return _handled_by(signal.SIG_DFL, signal.SIGINT)


def interrupt_on(number: signal.Signals) -> AbstractContextManager[None]:
    """Let a signal stop this process as Ctrl-C does."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    return _handled_by(stop, number)


def ignore_signals(*numbers: signal.Signals) -> AbstractContextManager[None]:
    """Ignores signals for a moment; processes that are started meanwhile ignore them for good."""
    return _handled_by(signal.SIG_IGN, *numbers)


@contextlib.contextmanager
def _handled_by(handler: Callable[..., object] | signal.Handlers, *numbers: signal.Signals) -> Iterator[None]:
    """Give signals another handler for a moment, in the main thread, which alone may."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


resource: Any = importlib.import_module("resource") if importlib.util.find_spec("resource") else None
"""Limits of the process; there are none on Windows."""

STREAMS = ("stdin", "stdout", "stderr")


def open_standard_streams() -> list[str]:
    """Redirects closed standard streams to the null device, so that no other file gets their number; returns which."""
    closed = [name for name in STREAMS if getattr(sys, name) is None]
    for name in closed:
        stream = open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8")  # noqa: SIM115 (open till the end)
        if stream.fileno() == STREAMS.index(name):
            os.set_inheritable(stream.fileno(), True)
        setattr(sys, name, stream)
    return closed


def discard_unwritten() -> None:
    """Discards buffered text that stdout or stderr cannot write (full disk, no reader): Python complains at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with contextlib.suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)


def require_open_files(needed: int, what: str) -> None:
    """Raise `WorkbenchError` unless the process may open so many files, after raising the limit if that is allowed."""
    message = tr("{what} needs {needed:,} open files, and the system allows {allowed:,}: raise the limit (ulimit -n).")
    _require("RLIMIT_NOFILE", needed, 1, what, message)


def require_address_space(needed: int, what: str) -> None:
    """Ensures that the process has so many bytes of address space; raises the limit if the system allows it.

    Asked before libraries in machine code are loaded: with too few, some of them neither start nor give up.
    """
    message = tr(
        "{what} needs {needed:,} MiB of address space, and the system allows {allowed:,} MiB: "
        "raise the limit (ulimit -v)."
    )
    _require("RLIMIT_AS", needed, 1 << 20, what, message)


def _require(limit: str, needed: int, unit: int, what: str, message: str) -> None:
    """Raise a limit to what is needed, or else the error of the message, which counts in some unit."""
    if resource is None:
        return
    number = getattr(resource, limit)
    soft, hard = resource.getrlimit(number)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    try:
        resource.setrlimit(number, (needed, hard))
    except (OSError, ValueError):
        text = message.format(what=what, needed=needed // unit, allowed=soft // unit)
        raise WorkbenchError(text) from None
