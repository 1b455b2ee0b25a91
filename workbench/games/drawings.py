"""Drawings: toggles whose setting may be a text that describes a board.

Such a text is a start position, or an area of the board as a map:

    start_position: rbnqknbr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKNBR w KQkq
    object_area: |
      .........
      .xxxxxxx.
      …

As a setting it is one line, rows with slashes between. What it means depends on the other settings (the size of the
board, say): the family's module ``drawings`` reads it with ``read(toggle, text, settings)``, which gives whole numbers
for the kernel or raises `DrawingError`. A kernel gets an array in any case, empty for the default, and reads nothing of
a drawing but its length and its numbers.
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
"""Characters of a drawing."""
MARKED, UNMARKED = "x", "."
"""The signs of a map: marked squares, and all others."""


class DrawingError(ValueError):
    """A mistake in a drawing; ``row``, from 0, is its place if that is known."""

    def __init__(self, what: str, found: object, row: int | None = None) -> None:
        super().__init__(expected(what, found))
        self.row = row


@dataclass(frozen=True)
class Drawing(Toggle):
    """A toggle whose setting is a named value or a drawing."""

    what: str = tr("rows of x and . such as x.x/.x./x.x")
    """A noun for the drawing, for messages."""
    form: str = r"[A-Za-z.]+(/[A-Za-z.]+)+"
    """A regular expression for the text of a setting; by default rows of signs."""
    fields: tuple[str, ...] = ()
    """The defaults of the words of the text ("" for a required word)."""
    kept: int = 0
    """The number of words that are stored; the others must be the defaults."""
    pieces: str = ""
    """The signs of the pieces in the drawing; empty for maps."""
    pictured: bool = True
    """True if there is a picture of it."""
    painted: bool = True
    """True if its picture can be edited square by square."""
    pattern: str = r"[./:]"
    """A regular expression that matches drawings but no names of values, for editors."""
    drawn: str = ""
    """The rule sentence of a drawing, followed by the text or accompanied by a picture."""
    settled: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The toggles that have no effect if a regular expression matches the drawing."""

    def makes_irrelevant(self, setting: Setting) -> tuple[str, ...]:
        """Return the toggles that have no effect under this setting, whatever the other settings are."""
        if not self.is_drawn(setting):
            return ()
        return tuple(name for form, names in self.settled.items() if re.search(form, str(setting)) for name in names)

    def is_drawn(self, setting: object) -> bool:
        """Return whether a setting is a drawing rather than a named value."""
        return isinstance(setting, str) and not any(equal_settings(value.name, setting) for value in self.values)

    def allows(self, setting: object) -> bool:
        """Return whether a ruleset may give this value; `read` checks a drawing against the other settings."""
        return super().allows(setting) or (
            isinstance(setting, str) and len(setting) <= LONGEST and re.fullmatch(self.form, setting) is not None
        )

    def code(self, setting: Setting) -> tuple[int, ...]:
        """Return the index of a named value, or nothing for the default and for drawings, which `read` interprets."""
        for place, value in enumerate(self.values):
            if equal_settings(value.name, setting):
                return () if equal_settings(setting, self.default) else (place,)
        if not self.allows(setting):
            raise ValueError(f"{self.name} cannot be {setting!r}")
        return ()

    def named(self, content: Sequence[int]) -> Setting | None:
        """Return the named value with the same meaning as a drawing that was read, or None."""
        return next((value.name for value in self.values if self.code(value.name) == tuple(content)), None)

    def canonical(self, text: str) -> str:
        """Return a drawing as a setting: on one line and without needless spaces."""
        if len(text) > LONGEST:
            raise DrawingError(tr("at most {longest:,} characters", longest=LONGEST), len(text))
        if self.fields:
            words = text.split()
            if not 1 <= len(words) <= len(self.fields):
                raise DrawingError(tr("1 to {count} words with spaces between", count=len(self.fields)), len(words))
            words += self.fields[len(words) :]
            if words[self.kept :] != list(self.fields[self.kept :]):
                rest, found = " ".join(self.fields[self.kept :]), " ".join(words[self.kept :])
                raise DrawingError(tr("'{rest}' at its end, because a game starts there", rest=rest), quoted(found))
            text = " ".join(words[: self.kept])
        else:
            text = "/".join("".join(line.split()) for line in text.strip().splitlines())
        if not re.fullmatch(self.form, text):
            shown = text if len(text) <= 60 else f"{text[:57]}..."
            raise DrawingError(self.what, quoted(shown))
        return text

    def understand(self, text: str) -> None:
        """Raise `DrawingError` if a drawing is invalid under all settings."""

    def sentence(self, setting: Setting) -> str:
        """Return the rule book's sentence."""
        return with_setting(self.drawn, setting) if self.is_drawn(setting) else super().sentence(setting)

    def choices(self) -> str:
        """Return the allowed values in words, for messages."""
        return join(OR, [super().choices(), self.what])


@dataclass(frozen=True)
class Text(Drawing):
    """A drawing in words, for which no picture can be painted."""

    pictured: bool = False
    painted: bool = False

    def canonical(self, text: str) -> str:
        """Return the words with single spaces between them."""
        text = " ".join(text.split())
        if len(text) > LONGEST or not re.fullmatch(self.form, text):
            raise DrawingError(self.what, quoted(abbreviated(text)))
        return text


def rows_of(text: str) -> list[str]:
    """Return the rows of a drawing."""
    return text.split("/")


def marked(text: str, size: int) -> list[tuple[int, int]]:
    """Return the marked squares of a map as (row, column) from the top left, in reading order.

    A map of half the rows is mirrored vertically, one of half the columns horizontally; on boards with an odd side the
    half includes the middle.
    """
    rows, half = rows_of(text), (size + 1) // 2
    if len(rows) not in (size, half):
        raise DrawingError(tr("{size} rows, or {half} mirrored ones", size=size, half=half), len(rows))
    width = len(rows[0])
    for number, row in enumerate(rows):
        if len(row) not in (size, half) or len(row) != width:
            fits = tr("{size} squares, or {half} mirrored ones", size=size, half=half)
            fits = tr("{width} squares", width=width) if width in (size, half) else fits
            raise DrawingError(fits, tr("{count} in row {row}", count=len(row), row=number + 1), number)
    whole = [row if width == size else row + row[: size - half][::-1] for row in rows]
    whole += [] if len(rows) == size else whole[: size - half][::-1]
    return [(y, x) for y, row in enumerate(whole) for x, sign in enumerate(row) if sign == MARKED]


def read(family: str, toggle: Drawing, setting: Setting, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    """Return the kernel's numbers for a drawing, given the other settings."""
    content: tuple[int, ...] = _module(family).read(toggle.name, str(setting), settings)
    return content


@dataclass(frozen=True)
class Shown:
    """A setting of a `Drawing`, square by square, as far as it can be interpreted."""

    signs: Mapping[tuple[int, int], str]
    """The letter of a piece or `MARKED` by row and column as drawn; other squares are missing."""
    names: Mapping[tuple[int, int], str]
    """The names of the squares on which pieces can stand."""
    board: Board
    """The board with the pieces; it does not show the marks of a map."""


def shown(family: str, toggle: Drawing, settings: Mapping[str, Setting]) -> Shown:
    """Return the squares of a toggle's setting on the board of the other settings."""
    drawn: Shown = _module(family).shown(toggle.name, settings[toggle.name], settings)
    return drawn


def drawn_text(
    family: str, toggle: Drawing, settings: Mapping[str, Setting], signs: Mapping[tuple[int, int], str]
) -> str:
    """Return the setting that places these signs on the squares and is otherwise unchanged."""
    return str(_module(family).text(toggle.name, signs, settings))


def symbols(family: str) -> Mapping[str, str]:
    """Return the board symbols of the letters that stand for pieces in drawings."""
    known: Mapping[str, str] = _module(family).SYMBOLS
    return known


def rows_of_signs(signs: Mapping[tuple[int, int], str], size: int, empty: str = UNMARKED) -> list[str]:
    """Return the rows of a drawing, given the signs on its squares."""
    return ["".join(signs.get((y, x), empty) for x in range(size)) for y in range(size)]


def _module(family: str) -> Any:
    return games.module(family, "drawings")


def check_first_mover(settings: Mapping[str, Setting], seat: int) -> None:
    """Refuse a position with the second seat to move if the rules refer to the first mover.

    In records, values and reports the first player is the first seat, whoever moves first; under these rules the
    reports would name the wrong player.
    """
    spoken_of = [toggle.name for toggle in COMMON if not equal_settings(settings[toggle.name], toggle.default)]
    if seat and spoken_of:
        first = tr(
            "a starting position with the first player to move: {toggle} refers to who moves first", toggle=spoken_of[0]
        )
        raise DrawingError(first, tr("one with the second player to move"))


def signed(word: int) -> int:
    """Return a 64-bit set as a signed integer."""
    return word - (1 << 64) if word >> 63 else word
