"""A position at the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.games.declaration import Board
from workbench.language import translated

if TYPE_CHECKING:
    from rich.text import Text

SHADE, MARK = "on grey15", "bold yellow"


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
    if board.hexagonal:
        cell_width += cell_width % 2
    margin = max(len(name) for name in board.rows)
    names = "".join(name.center(cell_width) for name in board.columns)
    line = "─" * (cell_width * len(board.columns))
    text = Text(no_wrap=True)
    # Each row of hexagons begins half a cell farther to the right than the one above it.
    step, wall = (cell_width // 2, " ") if board.hexagonal else (0, "│")
    over, under = (f"{'':{margin}} ┌{line}┐\n", f"{'':{margin}} └{line}┘\n") if not board.hexagonal else ("", "")
    text.append(f"{'':{margin}}  {names}\n{over}", "dim")
    for y, (name, row) in enumerate(zip(board.rows, cells, strict=True)):
        text.append(f"{'':{y * step}}{name:>{margin}} {wall}", "dim")
        for x, symbol in enumerate(row):
            shade = SHADE if (y, x) in board.shaded else ""
            inner = symbol or (":" if shade else "·")
            style = "bold" if symbol else "dim"
            inner = inner.center(cell_width - 2 - cell_len(inner) + len(inner))
            if (y, x) in board.outside:
                text.append(" " * cell_width)
            elif (y, x) in marked:
                text.append(f"[{inner}]", f"{MARK} {shade}".strip())
            else:
                text.append(f" {inner} ", f"{style} {shade}".strip())
        text.append(f"{wall} {name}\n", "dim")
    text.append(f"{under}{'':{margin + len(cells) * step}}  {names}", "dim")
    for note in map(translated, board.notes):
        text.append(f"\n{'':{margin}}  {note}")
    return text
