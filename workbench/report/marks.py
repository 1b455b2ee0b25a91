"""What charts are made of.

A chart is described once, by these values, and drawn twice: by `render.svg` for the page and by `render.matplotlib` for
files. A **panel** has a scale and rows; a **row** stands for a ruleset (or a factor) and has lines; a **line** is one
estimate, of one **series**, with the text that stands beside it and the **marks** that show it on the scale. A mark
whose numbers are not known (NaN) is not drawn; what lies beyond the scale ends in an arrow. A **heat map** has cells
instead of marks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Dot:
    """An estimate; ``hollow`` where it decides nothing."""

    value: float
    hollow: bool = False


@dataclass(frozen=True)
class Interval:
    """A thick line: a confidence interval, or the middle half of a distribution."""

    low: float
    high: float


@dataclass(frozen=True)
class Bounds:
    """A thin whisker: how far the value could lie if the games without a result had one."""

    low: float
    high: float


@dataclass(frozen=True)
class Exact:
    """An open diamond: the value that is known exactly."""

    value: float


@dataclass(frozen=True)
class Median:
    """An upright tick."""

    value: float


@dataclass(frozen=True)
class Survival:
    """The area under a step curve that starts at 1: ``steps`` are places on the scale, and the share from there on."""

    steps: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Course:
    """What becomes of a quantity along the scale; heights are shares of the row, 0 at its bottom and 1 at its top."""

    points: tuple[tuple[float, float, float, float], ...]
    """Places on the scale, each with the lower edge of a band, the middle and the upper edge."""
    behind: tuple[tuple[float, float], ...] = ()
    """What it is compared with: places, each with a height."""
    level: float | None = None
    """Where a line stands across."""
    ends: tuple[str, str] = ("", "")
    """What the bottom and the top are."""


Mark = Dot | Interval | Bounds | Exact | Median | Survival | Course


@dataclass(frozen=True)
class Series:
    """What a colour and a shape stand for."""

    number: int
    label: str


@dataclass(frozen=True)
class Line:
    """An estimate in a line of its own: its marks, the hindmost first, and its text, which stands beside them."""

    series: int
    marks: tuple[Mark, ...]
    text: str
    name: str = ""
    """What tells it from the other lines of its row."""

    @property
    def tall(self) -> bool:
        """Whether it has an area in it."""
        return any(isinstance(mark, Survival) and mark.steps for mark in self.marks)

    @property
    def high(self) -> bool:
        """Whether it has a course in it, and needs more room still."""
        return any(isinstance(mark, Course) for mark in self.marks)


@dataclass(frozen=True)
class Row:
    """A ruleset, or what else is compared, and its lines."""

    name: str
    """Full name, unique within the chart."""
    label: str
    lines: tuple[Line, ...]
    title: str = ""
    """What stands below or beside the label."""
    baseline: bool = False


@dataclass(frozen=True)
class Scale:
    """The values that a panel shows, and what stands out among them."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    """Places, and what is written there."""
    even: float | None = None
    """Where a line stands."""
    band: tuple[float, float] | None = None
    """What is shaded."""
    left: str | None = None
    """What values to the left of ``even`` mean, and those to the right."""
    right: str | None = None

    def share(self, value: float) -> float:
        """A place as a share of the scale's width; values beyond the scale lie at its ends."""
        return (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)

    def holds(self, value: float) -> bool:
        """Whether the value lies on the scale."""
        return self.low <= value <= self.high


def interval_ends(rows: Iterable[Row]) -> list[float]:
    """The ends of all intervals of some rows."""
    marks = [mark for row in rows for line in row.lines for mark in line.marks if isinstance(mark, Interval)]
    return [end for mark in marks for end in (mark.low, mark.high)]


def round_up(number: float) -> float:
    """The next of 1, 2 and 5 times a power of ten, from a positive number on."""
    power = 10 ** math.floor(math.log10(number))
    return float(next(size * power for size in (1, 2, 5, 10) if size * power >= number * 0.999))


def fit_scale(
    values: Iterable[float],
    label: Callable[[float], str],
    even: float | None = None,
    band: tuple[float, float] | None = None,
    left: str | None = None,
    right: str | None = None,
    from_zero: bool = False,
    whole: bool = False,
) -> Scale:
    """A scale that holds all finite values, the even line and the finite ends of the band, with a handful of ticks.

    ``from_zero``: it begins at 0; ``whole``: no ticks between whole numbers.
    """
    ends = [value for value in values if math.isfinite(value)]
    ends += [even] if even is not None else []
    ends += [end for end in band or () if math.isfinite(end)]
    ends += [0.0] if from_zero else []
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    if high - low < 1e-9:
        low, high = low - 0.05, high + 0.05
    room = 0.06 * (high - low)
    low, high = (0.0 if from_zero and low >= 0 else low - room), high + room
    step = round_up(max((high - low) / 5, 1.0 if whole else 0.0))
    first = math.ceil(low / step - 1e-9)
    ticks = tuple((n * step, label(n * step)) for n in range(first, math.floor(high / step + 1e-9) + 1))
    return Scale(low, high, ticks, even, band, left, right)


@dataclass(frozen=True)
class Panel:
    """Rows on a common scale."""

    scale: Scale
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class HeatCell:
    """A number of a heat map."""

    value: float
    text: str
    below: str = ""
    shade: float = 0.0
    """How far it is shown to be from even, -1 to 1; 0 where nothing is shown, NaN where there is no number."""


@dataclass(frozen=True)
class Heat:
    """A matrix of numbers, coloured by what is shown."""

    corner: str
    """What its rows and columns are."""
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Sequence[Sequence[HeatCell]]
