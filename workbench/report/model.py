"""What a report says, apart from how it is written: sections of parts, each in both languages.

The page and the Markdown file are two ways of writing the same sections.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from workbench.report.changes import Change
from workbench.report.figures import Row, Scale
from workbench.report.replays import Replay
from workbench.report.words import NOTHING, Words, same


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; ``kind`` is ``lead``, ``note``, ``warning`` or nothing."""

    text: Words
    kind: str = ""


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    items: Sequence[Words]


@dataclass(frozen=True)
class Cell:
    """A cell of a table."""

    text: Words = NOTHING
    small: Words = NOTHING
    """What is said below it."""
    sort: float | str | None = None
    """What the column sorts by, where it is not the text."""
    kind: str = ""
    """``number``, ``verdict good``, ``verdict bad`` or ``verdict open``."""


def numeric(text: Words | str, value: float, small: str = "") -> Cell:
    """A cell with a number, which its column sorts by."""
    shown = text if isinstance(text, Words) else same(text)
    return Cell(shown, same(small), None if math.isnan(value) else float(value), "number")


@dataclass(frozen=True)
class Table:
    """A table whose columns sort; the first cell of a row is its heading."""

    caption: Words
    heads: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    emphasis: int | None = None
    """The row of the baseline."""
    folded: bool = False
    """Whether the page shows it only when asked."""
    heat: bool = False
    """Whether it is a matrix; ``shades`` then holds how far each cell is shown to be from even, -1 to 1."""
    shades: Sequence[Sequence[float]] = ()
    """0 where nothing is shown, NaN where there is no number."""


@dataclass(frozen=True)
class Chart:
    """A drawing, and the sentence that says what it shows."""

    id: str
    picture: Markup
    caption: Words
    legend: Sequence[tuple[Markup, Words]] = ()
    stem: str = ""
    """Name of the same chart as a PNG and an SVG file, where there is one."""
    title: Words = NOTHING
    small: bool = False
    """Whether several stand beside each other."""
    strips: tuple[Sequence[Row], Scale] | None = None
    """What is drawn, for the files."""


@dataclass(frozen=True)
class Facts:
    """Names and what they stand for."""

    items: Sequence[tuple[Words, Words]]
    code: bool = False


@dataclass(frozen=True)
class Changes:
    """What the proposals change, with their positions."""

    changes: Sequence[Change]
    short: dict[str, str]


@dataclass(frozen=True)
class Games:
    """The replay viewer."""

    replays: Sequence[Replay]
    short: dict[str, str]
    count: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """Games in each cell."""


Part = Paragraph | Bullets | Table | Chart | Facts | Changes | Games


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    id: str
    title: Words
    parts: Sequence[Part]
