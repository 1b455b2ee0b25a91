"""Drawings: toggles whose setting may be a text that describes a board.

Such a text is a start position, or an area of the board as a map:

    start_position: rbnqknbr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKNBR w KQkq
    object_area: |
      .........
      .xxxxxxx.
      …

As a setting it is one line, with rows separated by slashes. Its meaning may depend on other settings, such as the size
of the board. The function ``read(toggle, text, settings)`` of the family's module ``drawings`` converts it into whole
numbers for the kernel or raises `DrawingError`. The kernel always gets an array, which is empty for the default.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench import games
from workbench.base.errors import abbreviated, expected
from workbench.base.language import OR, join, quoted, tr
from workbench.games.declaration import COMMON, Board, Setting, Toggle, equal_settings, with_setting

LONGEST = 1000
"""Maximum number of characters in a drawing."""
MARKED, UNMARKED = "x", "."
"""The signs of a map for marked and other squares."""


class DrawingError(ValueError):
    """Raised for a mistake in a drawing; ``row`` is the mistake's row, counted from 0, or None."""

    def __init__(self, expectation: str, found: object, row: int | None = None) -> None:
        super().__init__(expected(expectation, found))
        self.row = row


@dataclass(frozen=True)
class Drawing(Toggle):
    """A toggle whose setting is a named value or a drawing."""

    what: str = tr("rows of x and . such as x.x/.x./x.x")
    """A noun phrase for the drawing, used in messages."""
    form: str = r"[A-Za-z.]+(/[A-Za-z.]+)+"
    """A regular expression for valid texts; by default, rows of signs."""
    fields: tuple[str, ...] = ()
    """The default of each word of the text, or "" for a required word."""
    kept: int = 0
    """The number of words that are stored; the remaining words must be defaults."""
    pieces: str = ""
    """The signs for pieces; empty for maps."""
    pictured: bool = True
    """True if the drawing can be shown as a picture."""
    painted: bool = True
    """True if the picture can be edited square by square."""
    pattern: str = r"[./:]"
    """A regular expression by which editors distinguish drawings from named values."""
    drawn: str = ""
    """The rule sentence for drawings, shown before the text or beside a picture."""
    settled: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The toggles made irrelevant by drawings that match a regular expression."""

    def makes_irrelevant(self, setting: Setting) -> tuple[str, ...]:
        """Return the toggles that have no effect under this setting, regardless of other settings."""
        if not self.is_drawn(setting):
            return ()
        return tuple(name for form, names in self.settled.items() if re.search(form, str(setting)) for name in names)

    def is_drawn(self, setting: object) -> bool:
        """Return whether a setting is a drawing rather than a named value."""
        return isinstance(setting, str) and not any(equal_settings(value.name, setting) for value in self.values)

    def allows(self, setting: object) -> bool:
        """Return whether a setting is well-formed; `read` checks a drawing against the other settings."""
        return super().allows(setting) or (
            isinstance(setting, str) and len(setting) <= LONGEST and re.fullmatch(self.form, setting) is not None
        )

    def code(self, setting: Setting) -> tuple[int, ...]:
        """Return a tuple with the index of a named value, empty for the default and for drawings (see `read`)."""
        for index, value in enumerate(self.values):
            if equal_settings(value.name, setting):
                return () if equal_settings(setting, self.default) else (index,)
        if not self.allows(setting):
            raise ValueError(f"{self.name} cannot be {setting!r}")
        return ()

    def named(self, content: Sequence[int]) -> Setting | None:
        """Return the named value with this content, or None."""
        return next((value.name for value in self.values if self.code(value.name) == tuple(content)), None)

    def canonical(self, text: str) -> str:
        """Return a drawing as a setting: a single line without redundant spaces."""
        if len(text) > LONGEST:
            raise DrawingError(tr("at most {longest:,} characters", longest=LONGEST), len(text))
        if self.fields:
            words = text.split()
            if not 1 <= len(words) <= len(self.fields):
                raise DrawingError(tr("1 to {count} words separated by spaces", count=len(self.fields)), len(words))
            words += self.fields[len(words) :]
            if words[self.kept :] != list(self.fields[self.kept :]):
                ending, surplus = " ".join(self.fields[self.kept :]), " ".join(words[self.kept :])
                raise DrawingError(tr("'{rest}' at the end, as at the start of a game", rest=ending), quoted(surplus))
            text = " ".join(words[: self.kept])
        else:
            text = "/".join("".join(line.split()) for line in text.strip().splitlines())
        if not re.fullmatch(self.form, text):
            excerpt = text if len(text) <= 60 else f"{text[:57]}..."
            raise DrawingError(self.what, quoted(excerpt))
        return text

    def validate(self, text: str) -> None:
        """Raise `DrawingError` if a drawing is invalid regardless of other settings."""

    def sentence(self, setting: Setting) -> str:
        """Return the rule book's sentence about a setting."""
        return with_setting(self.drawn, setting) if self.is_drawn(setting) else super().sentence(setting)

    def choices(self) -> str:
        """Return the allowed values in words, for messages."""
        return join(OR, [super().choices(), self.what])


@dataclass(frozen=True)
class Text(Drawing):
    """A drawing in words, which cannot be shown as a picture."""

    pictured: bool = False
    painted: bool = False

    def canonical(self, text: str) -> str:
        """Return the words separated by single spaces."""
        text = " ".join(text.split())
        if len(text) > LONGEST or not re.fullmatch(self.form, text):
            raise DrawingError(self.what, quoted(abbreviated(text)))
        return text


def drawing_rows(text: str) -> list[str]:
    """Return the rows of a drawing."""
    return text.split("/")


def marked(text: str, size: int) -> list[tuple[int, int]]:
    """Return the marked squares of a map as (row, column) from the top left, in reading order.

    A map of half the board is mirrored, vertically or horizontally; if the side is odd, it includes the middle line.
    """
    rows, half = drawing_rows(text), (size + 1) // 2
    if len(rows) not in (size, half):
        raise DrawingError(tr("{size} rows, or {half} to be mirrored", size=size, half=half), len(rows))
    width = len(rows[0])
    for number, row in enumerate(rows):
        if len(row) not in (size, half) or len(row) != width:
            expectation = tr("{size} squares, or {half} to be mirrored", size=size, half=half)
            expectation = tr("{width} squares", width=width) if width in (size, half) else expectation
            raise DrawingError(expectation, tr("{count} in row {row}", count=len(row), row=number + 1), number)
    full_rows = [row if width == size else row + row[: size - half][::-1] for row in rows]
    full_rows += [] if len(rows) == size else full_rows[: size - half][::-1]
    return [(y, x) for y, row in enumerate(full_rows) for x, sign in enumerate(row) if sign == MARKED]


def read(family: str, toggle: Drawing, setting: Setting, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    """Convert a drawing into the kernel's numbers, given the other settings."""
    content: tuple[int, ...] = _module(family).read(toggle.name, str(setting), settings)
    return content


@dataclass(frozen=True)
class Shown:
    """A `Drawing` square by square, as far as it can be interpreted."""

    signs: Mapping[tuple[int, int], str]
    """A piece's letter or `MARKED`, by row and column; other squares are omitted."""
    names: Mapping[tuple[int, int], str]
    """The names of the squares that can hold pieces."""
    board: Board
    """The board with its pieces, but without the marks of a map."""


def shown(family: str, toggle: Drawing, settings: Mapping[str, Setting]) -> Shown:
    """Return the squares of a toggle's drawing, given the other settings."""
    squares: Shown = _module(family).shown(toggle.name, settings[toggle.name], settings)
    return squares


def replace_signs(
    family: str, toggle: Drawing, settings: Mapping[str, Setting], signs: Mapping[tuple[int, int], str]
) -> str:
    """Return the setting with the given signs on their squares and everything else unchanged."""
    return str(_module(family).text(toggle.name, signs, settings))


def symbols(family: str) -> Mapping[str, str]:
    """Return the board symbol for each letter that stands for a piece in drawings."""
    symbols_by_letter: Mapping[str, str] = _module(family).SYMBOLS
    return symbols_by_letter


def join_signs(signs: Mapping[tuple[int, int], str], size: int, empty: str = UNMARKED) -> list[str]:
    """Return the rows of a drawing from the signs on its squares."""
    return ["".join(signs.get((y, x), empty) for x in range(size)) for y in range(size)]


def _module(family: str) -> Any:
    return games.module(family, "drawings")


def check_first_mover(settings: Mapping[str, Setting], seat: int) -> None:
    """Raise `DrawingError` if the second seat moves first under rules that refer to the first mover.

    Records, values and reports identify the first player with the first seat even if the second seat moves first, so
    under these rules reports would name the wrong player.
    """
    dependent = [toggle.name for toggle in COMMON if not equal_settings(settings[toggle.name], toggle.default)]
    if seat and dependent:
        expectation = tr(
            "a starting position with the first player to move: {toggle} depends on who moves first",
            toggle=dependent[0],
        )
        raise DrawingError(expectation, tr("the second player to move"))


def signed(bits: int) -> int:
    """Reinterpret a 64-bit set as a signed integer."""
    return bits - (1 << 64) if bits >> 63 else bits
