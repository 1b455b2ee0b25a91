"""What commands share when they speak to a terminal: wrapped text, columns, Ctrl-C and other signals."""

from __future__ import annotations

import contextlib
import re
import shutil
import signal
import textwrap
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager

from workbench.language import translated

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
"""What stays on one line: a word or a sign, with the brackets and stops that cling to it."""


def wrapped(text: str, indent: str = "", hanging: str | None = None, width: int = 0) -> str:
    """The text, in the current language, in lines that fit the terminal, or ``width``.

    Later lines begin with ``hanging``, or else ``indent``.
    """
    return filled(translated(text), indent, indent if hanging is None else hanging, width or _terminal_width())


def _terminal_width() -> int:
    return max(min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns), 40)


def filled(text: str, first: str, hanging: str, width: int) -> str:
    """The text in lines of a width; signs of East Asia count twice, and a line may end behind each of them."""
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
    """The columns that a text takes in a terminal.

    >>> width_of("Elo"), width_of("対局")
    (3, 4)
    """
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else not unicodedata.combining(sign) for sign in text)


def padded(text: str, width: int) -> str:
    """A text in the current language, followed by spaces up to a width."""
    text = translated(text)
    return text + " " * (width - width_of(text))


def columns(words: Iterable[str], indent: str = "") -> str:
    """The words beside each other, with two spaces between, in lines that fit the terminal."""
    return filled("  ".join(words), indent, indent, _terminal_width())


def stoppable() -> AbstractContextManager[None]:
    """Lets Ctrl-C end the process at once: Python itself would hear it only after the compiled call has returned."""
    return _handled_by(signal.SIG_DFL, signal.SIGINT)


def interrupt_on(number: signal.Signals) -> AbstractContextManager[None]:
    """Lets a signal stop this process as Ctrl-C does."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    return _handled_by(stop, number)


def ignore_signals(*numbers: signal.Signals) -> AbstractContextManager[None]:
    """Ignores signals for a moment; processes that are started meanwhile ignore them for good."""
    return _handled_by(signal.SIG_IGN, *numbers)


@contextlib.contextmanager
def _handled_by(handler: Callable[..., object] | signal.Handlers, *numbers: signal.Signals) -> Iterator[None]:
    """Gives signals another handler for a moment, in the main thread, which alone may."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
