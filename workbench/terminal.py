"""What commands share when they speak to a terminal: boards, wrapped text, Ctrl-C during compiled work."""

from __future__ import annotations

import contextlib
import shutil
import signal
import textwrap
import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from workbench.games.declaration import Board

if TYPE_CHECKING:
    from rich.text import Text

WIDEST = 100
"""Characters; longer lines are hard to read."""
SHADE, MARK = "on grey15", "bold yellow"


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


def changed(before: Board, after: Board) -> frozenset[tuple[int, int]]:
    """The cells, as (row, column), that the move between two positions touched."""
    return frozenset(
        (y, x)
        for y, (old, new) in enumerate(zip(before.pieces(), after.pieces(), strict=True))
        for x, (was, now) in enumerate(zip(old, new, strict=True))
        if was != now
    )


def drawn(board: Board, marked: frozenset[tuple[int, int]] = frozenset()) -> Text:
    """A position in a box: marked cells in brackets, empty cells of shaded areas as colons, notes below.

    Marks and shades are characters first and colours second, so that a pipe or a file shows them too.
    """
    from rich.cells import cell_len
    from rich.text import Text

    cells = [[f"v{symbol}" if owner == 1 else symbol for symbol, owner in row] for row in board.pieces()]
    # A Japanese letter takes the room of two others.
    cell_width = 2 + max((cell_len(symbol) for row in cells for symbol in row), default=1)
    cell_width = max(cell_width, 3)
    margin = max(len(name) for name in board.rows)
    names = "".join(name.center(cell_width) for name in board.columns)
    line = "─" * (cell_width * len(board.columns))
    text = Text(no_wrap=True)
    text.append(f"{'':{margin}}  {names}\n{'':{margin}} ┌{line}┐\n", "dim")
    for y, (name, row) in enumerate(zip(board.rows, cells, strict=True)):
        text.append(f"{name:>{margin}} │", "dim")
        for x, symbol in enumerate(row):
            shade = SHADE if (y, x) in board.shaded else ""
            inner = symbol or (":" if shade else "·")
            style = "bold" if symbol else "dim"
            inner = inner.center(cell_width - 2 - cell_len(inner) + len(inner))
            if (y, x) in marked:
                text.append(f"[{inner}]", f"{MARK} {shade}".strip())
            else:
                text.append(f" {inner} ", f"{style} {shade}".strip())
        text.append(f"│ {name}\n", "dim")
    text.append(f"{'':{margin}} └{line}┘\n{'':{margin}}  {names}", "dim")
    for note in board.notes:
        text.append(f"\n{'':{margin}}  {note}")
    return text


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


def why_not_kept() -> str:
    """Why machine code is not kept on disk, in words; "" if it is (imports Numba)."""
    from workbench.engine import jit

    return jit.NO_CACHE


def must_compile(function: str) -> bool:
    """Whether a compiled function, such as ``trials._play_block``, has no machine code on disk yet (imports Numba)."""
    from workbench.engine import jit

    if jit.DISABLED:
        return False
    return jit.CACHE is None or not any(jit.CACHE.glob(f"**/{function}-*.nbc"))
