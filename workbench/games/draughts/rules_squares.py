"""Squares of draughts: their geometry, names and numbers, and mirrored boards.

Source: the ``GameType`` of "Portable Draughts Notation", version 3.0: ``21,B,8,8,N1,0`` means that Black moves first,
that numbers (N) start in corner 1 as seen by the first player, and that the bottom left corner is in use (0).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from workbench.base.errors import expected
from workbench.base.language import tr
from workbench.games.declaration import Setting, SquareNaming, all_match

LETTERS = "abcdefghijkl"
BOTTOM_LEFT, BOTTOM_RIGHT, TOP_LEFT, TOP_RIGHT = range(4)
"""Corners as seen by the first player, numbered as in a ``GameType``."""
ENTRY = re.compile(r"([KR]?)([a-l]?[0-9]+)(?:-([KR]?)([a-l]?[0-9]+))?")


@dataclass(frozen=True, kw_only=True)
class Naming(SquareNaming):
    """The names of squares under some settings."""

    lettered: bool = False
    corner: int
    mirrored: bool = False
    """True if the bottom right corner is a playing square instead of the bottom left corner."""

    @property
    def first(self) -> str:
        """The colour that moves first."""
        return "B" if self.turned else "W"


OBLONG = ((4, 6), (6, 8), (8, 10), (10, 8), (12, 10))
"""Columns and rows of the rectangular boards."""
EXTENTS: dict[Setting, tuple[int, int]] = {
    **{n: (n, n) for n in (4, 6, 8, 9, 10, 12)},
    **{f"{files}x{ranks}": (files, ranks) for files, ranks in OBLONG},
}
"""Columns and rows of every size."""

LETTERED = Naming(
    when={},
    sentence=tr(
        "Squares are written a1, b2 and so on: columns are lettered from White's left, rows numbered from "
        "White's side. White moves first."
    ),
    lettered=True,
    corner=BOTTOM_LEFT,
)
ENGLISH = Naming(
    when={"size": (4, 6, 8), "king_capture": ("adjacent",), "capture_choice": ("any",)},
    sentence=tr("Squares are numbered row by row from Black's side, from Black's right to left. Black moves first."),
    turned=True,
    corner=BOTTOM_RIGHT,
)
INTERNATIONAL = Naming(
    when={"size": (10, 12)},
    sentence=tr("Squares are numbered row by row from Black's side, from White's left to right. White moves first."),
    corner=TOP_LEFT,
)
NAMINGS = (
    replace(LETTERED, when={"squares": ("all",)}),
    replace(LETTERED, when={"size": tuple(size for size, (files, ranks) in EXTENTS.items() if files != ranks)}),
    INTERNATIONAL,
    Naming(
        when={"size": (4, 6, 8), "capture_choice": ("italian",)},
        sentence=tr(
            "The board is mirrored, so White's right-hand corner square is in play. Squares are numbered row "
            "by row from Black's side, from White's left to right. White moves first."
        ),
        corner=TOP_LEFT,
        mirrored=True,
    ),
    Naming(
        when={"size": (4, 6, 8), "capture_choice": ("spanish",)},
        sentence=tr(
            "The board is mirrored, so White's right-hand corner square is in play. Squares are numbered row "
            "by row from White's side, from White's right to left. White moves first."
        ),
        corner=BOTTOM_RIGHT,
        mirrored=True,
    ),
    ENGLISH,
    replace(ENGLISH, when={"size": (4, 6, 8), "endgame_limits": ("pool",)}),
    replace(INTERNATIONAL, when={"size": (4, 6, 8), "king_capture": ("adjacent",)}),
    LETTERED,
)
"""The first match applies."""


class Square(NamedTuple):
    """The coordinates of a square."""

    x: int
    """The kernel's column, from the first player's left on an unmirrored board."""
    y: int
    """The kernel's row, from the first player's back row."""
    row: int
    """The displayed row from the top, with White at the bottom."""
    column: int
    """The displayed column from the left."""


def square_naming(settings: Mapping[str, Setting]) -> Naming:
    """Return the naming of squares under some settings."""
    return next(naming for naming in NAMINGS if all_match(naming.when, settings))


def squares(settings: Mapping[str, Setting]) -> dict[str, Square]:
    """Return the squares by name, in counting order."""
    number, size = NAMINGS.index(square_naming(settings)), settings["size"]
    return dict(_squares(number, EXTENTS[size], settings["squares"] == "all"))


@cache
def _squares(number: int, extent: tuple[int, int], all_squares: bool) -> dict[str, Square]:
    naming, (files, ranks) = NAMINGS[number], extent
    columns = range(files) if naming.corner in (BOTTOM_LEFT, TOP_LEFT) else range(files - 1, -1, -1)
    rows = range(ranks) if naming.corner in (BOTTOM_LEFT, BOTTOM_RIGHT) else range(ranks - 1, -1, -1)
    squares_by_name: dict[str, Square] = {}
    for y in rows:
        for column in columns:
            x = files - 1 - column if naming.mirrored else column
            if all_squares or (x + y) % 2 == 0:
                name = f"{LETTERS[column]}{y + 1}" if naming.lettered else str(len(squares_by_name) + 1)
                cell = (ranks - 1 - y, column) if naming.first == "W" else (y, files - 1 - column)
                squares_by_name[name] = Square(x, y, *cell)
    return squares_by_name


def square_numbers(settings: Mapping[str, Setting]) -> dict[str, str]:
    """Return the number that other programs use for each lettered square; empty if squares are not lettered.

    Square boards are numbered row by row from the top.
    """
    numbered = settings["squares"] != "all" and settings["size"] in (4, 6, 8, 10, 12)
    if not numbered or not square_naming(settings).lettered:
        return {}
    squares_by_name = squares(settings)
    order = sorted(squares_by_name, key=lambda name: (-squares_by_name[name].y, squares_by_name[name].x))
    return {name: str(number) for number, name in enumerate(order, start=1)}


DARK, ALL = 0, 1
"""The codes of the toggle `squares`."""


def extent(code: int) -> tuple[int, int]:
    """Return the numbers of columns and rows of a board, given the code of its size."""
    return code & 15, code >> 4 or code


def width(squares: int, size: tuple[int, int]) -> int:
    """Return the number of bits (half bits on dark squares) from one row to the next."""
    files = size[0]
    if squares == DARK:
        return files + 1 + files % 2
    return files if size == (8, 8) else files + 1


def square_bit(squares: int, size: tuple[int, int], x: int, y: int) -> int:
    """Return the bit of a square on a board with these columns and rows, or -1."""
    if not (0 <= x < size[0] and 0 <= y < size[1]) or (squares == DARK and (x + y) % 2):
        return -1
    bit = y * width(squares, size) + x
    return bit // 2 if squares == DARK else bit


def steps(squares: int) -> tuple[tuple[int, int], ...]:
    """Return the eight directions as (column, row) steps."""
    diagonal, orthogonal = ((-1, 1), (1, 1), (-1, -1), (1, -1)), ((0, 1), (1, 0), (-1, 0), (0, -1))
    if squares == DARK:
        return (*diagonal, *((2 * x, 2 * y) for x, y in orthogonal))
    return (*orthogonal, *diagonal)


class FenError(ValueError):
    """Raised if the pieces in a FEN do not fit the board."""

    def __init__(self, what: str, found: str) -> None:
        super().__init__(expected(what, found))
        self.what, self.found = what, found


def read_pieces(text: str, settings: Mapping[str, Setting]) -> Iterator[tuple[str, str]]:
    """Yield the prefix ("", K or R) and the square name of each of one side's pieces in a FEN.

    ``31-50`` and ``K50-K31`` include all squares between their ends in counting order; ``a1-h2`` includes a1 to h1 and
    a2 to h2. Boards with lettered squares accept numbers, too; see `square_numbers`.

    Raises:
        FenError: an entry is not a square or range on the board.
    """
    order = list(squares(settings))
    numbers = {number: name for name, number in square_numbers(settings).items()}
    by_number = sorted(numbers, key=int)
    for entry in filter(None, text.split(",")):
        # A lower-case k is a king unless the board has a file k; an upper-case A3 is a square.
        spelled = (entry, entry.lower(), re.sub("[kr](?=[a-l]?[0-9])", lambda kind: kind[0].upper(), entry.lower()))
        matches = filter(None, map(ENTRY.fullmatch, spelled))
        match = next((m for m in matches if {m[2], m[4] or m[2]} <= {*order, *numbers}), None)
        if match is None:
            files, ranks = EXTENTS[settings["size"]]
            requirement = tr("squares on the {files}×{ranks} board, such as {first} or K{last}")
            raise FenError(requirement.format(files=files, ranks=ranks, first=order[0], last=order[-1]), f"'{entry}'")
        if match[3] and match[3] != match[1]:
            requirement = tr("one kind of piece in a range, such as {piece}{first}-{piece}{last}")
            raise FenError(requirement.format(piece=match[1], first=match[2], last=match[4]), f"'{entry}'")
        sequence = order if match[2] in order else by_number
        if (match[4] or match[2]) not in sequence:
            raise FenError(tr("two letters or two numbers in a range"), f"'{entry}'")
        low, high = sorted((sequence.index(match[2]), sequence.index(match[4] or match[2])))
        for name in sequence[low : high + 1]:
            yield match[1], numbers.get(name, name)
