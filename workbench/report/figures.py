"""Charts of the page: one row per ruleset, in each a strip whose places are shares of its width.

A strip scales with the page while its dots, lines and words keep their size, so that one drawing serves a phone, a
desk and paper; its colours are the style sheet's, which has others for the dark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from workbench.report.words import Words

LINE = 18
"""Height of a mark's line."""
HILL = 30
"""Height of a line that has an area in it."""
SHAPES = (
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
    "M-4-4h8v8h-8z",
    "M0-5.5L5.5 0L0 5.5L-5.5 0z",
    "M0-5L5 4H-5z",
    "M0 5L5-4H-5z",
    "M-5-2H-2V-5H2V-2H5V2H2V5H-2V2H-5z",
    "M-4.5-2.5L0-5L4.5-2.5V2.5L0 5L-4.5 2.5z",
    "M-5-1.5L0-5L5-1.5L3 4.5H-3z",
)
"""Outlines of the series' dots: they differ for those who see no colours, too."""
EXACT = "M0-6.5L6.5 0L0 6.5L-6.5 0z"
LONG = 14
"""Letters of a name that leaves its strip too little room where several charts stand beside each other."""


@dataclass(frozen=True)
class Mark:
    """An estimate with its interval, in a line of its own."""

    series: int
    value: float
    text: Words
    """The estimate in words, beside the strip."""
    low: float = math.nan
    high: float = math.nan
    lowest: float = math.nan
    """Bounds beyond the interval."""
    highest: float = math.nan
    hollow: bool = False
    exact: float = math.nan
    area: tuple[tuple[float, float], ...] = ()
    """Steps (place, share) of a curve that falls from 1."""


@dataclass(frozen=True)
class Row:
    """A ruleset and its marks."""

    name: Words
    small: Words
    """What is said below the name."""
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Scale:
    """The values that a strip shows, and what stands out among them."""

    low: float
    high: float
    ticks: tuple[float, ...]
    label: Callable[[float], str]
    even: float | None = None
    band: tuple[float, float] | None = None
    left: Words | None = None
    """What values to the left of ``even`` mean, and those to the right."""
    right: Words | None = None

    def at(self, value: float) -> str:
        """A place as a share of the strip's width; values beyond the scale lie at its ends."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{100 * share:.2f}%"

    def holds(self, value: float) -> bool:
        """Whether the value lies on the scale."""
        return self.low <= value <= self.high


def scale(
    values: Iterable[float],
    label: Callable[[float], str],
    even: float | None = None,
    band: tuple[float, float] | None = None,
    left: Words | None = None,
    right: Words | None = None,
    zero: bool = False,
    whole: bool = False,
) -> Scale:
    """A scale that holds all finite values, the even line and the finite ends of the band, with a handful of ticks.

    ``zero``: it begins at 0; ``whole``: no ticks between whole numbers.
    """
    ends = [value for value in values if math.isfinite(value)]
    ends += [even] if even is not None else []
    ends += [end for end in band or () if math.isfinite(end)]
    ends += [0.0] if zero else []
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    if high - low < 1e-9:
        low, high = low - 0.05, high + 0.05
    room = 0.06 * (high - low)
    low, high = (0.0 if zero and low >= 0 else low - room), high + room
    rough = max((high - low) / 5, 1.0 if whole else 0.0)
    power = 10 ** math.floor(math.log10(rough))
    step = next(size * power for size in (1, 2, 5, 10) if size * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    ticks = tuple(n * step for n in range(first, math.floor(high / step + 1e-9) + 1))
    return Scale(low, high, ticks, label, even, band, left, right)


def strips(rows: Sequence[Row], on: Scale, label: str) -> Markup:
    """A chart; ``label`` is the id of the sentence that says what it shows."""
    parts = [_axis(on)]
    for row in rows:
        height = sum(_height(mark) for mark in row.marks)
        drawn: list[Markup] = [_ground(on, height)]
        values = []
        y = 0
        for mark in row.marks:
            drawn.append(_mark(mark, on, y))
            values.append(Markup('<div style="height:{}px">{}</div>').format(_height(mark), mark.text))
            y += _height(mark)
        parts.append(
            Markup(
                '<div class="row"><div class="name">{}{}</div><svg class="strip" height="{}">{}</svg>'
                '<div class="values">{}</div></div>'
            ).format(
                row.name,
                Markup('<span class="small">{}</span>').format(row.small) if row.small.en else "",
                height,
                Markup("").join(drawn),
                Markup("").join(values),
            )
        )
    long = " long" if any(max(map(len, row.name)) > LONG for row in rows) else ""
    return Markup('<div class="plot{}" role="img" aria-labelledby="{}">{}</div>').format(
        long, label, Markup("").join(parts)
    )


def key(series: int) -> Markup:
    """A series' line and dot, for legends."""
    return Markup(
        '<svg class="s{}" aria-hidden="true"><path d="M0 7h28" class="interval"/>'
        '<svg x="50%" y="7" width="1" height="1" class="at"><path d="{}" class="dot"/></svg></svg>'
    ).format(series % 8, Markup(SHAPES[series % 8]))


def _height(mark: Mark) -> int:
    return HILL if mark.area else LINE


def _axis(on: Scale) -> Markup:
    # On a narrow screen every second tick is left out, counted from the even line.
    begin = next((i for i, tick in enumerate(on.ticks) if on.even is not None and math.isclose(tick, on.even)), 0)
    ticks = Markup("").join(
        Markup('<text x="{}" y="12" text-anchor="{}" class="tick{}">{}</text>').format(
            on.at(tick), _anchor(on, tick), " minor" if (i - begin) % 2 else "", on.label(tick)
        )
        for i, tick in enumerate(on.ticks)
    )
    if on.even is None or on.left is None or on.right is None:
        return Markup(
            '<div class="row axis"><div class="name"></div><svg class="strip" height="16">{}</svg>'
            '<div class="values"></div></div>'
        ).format(ticks)
    sides = Markup("").join(
        Markup('<text x="{}" dx="{}" y="-3" text-anchor="{}" class="tick side">{}{}{}</text>').format(
            on.at(on.even), shift, anchor, before, _in_svg(words), after
        )
        for words, before, after, anchor, shift in ((on.left, "← ", "", "end", -8), (on.right, "", " →", "start", 8))
    )
    return Markup(
        '<div class="row axis sided"><div class="sides"><span>← {}</span><span>{} →</span></div>'
        '<div class="name"></div><svg class="strip" height="16">{}{}</svg><div class="values"></div></div>'
    ).format(on.left, on.right, sides, ticks)


def _anchor(on: Scale, tick: float) -> str:
    share = (tick - on.low) / (on.high - on.low)
    return "start" if share < 0.04 else "end" if share > 0.96 else "middle"


def _in_svg(words: Words) -> Markup:
    return Markup('<tspan lang="en">{}</tspan><tspan lang="ja">{}</tspan>').format(*words)


def _ground(on: Scale, height: int) -> Markup:
    parts = []
    if on.band:
        low, high = (float(on.at(end).rstrip("%")) for end in on.band)
        parts.append(f'<rect x="{low:.2f}%" width="{high - low:.2f}%" y="-6" height="{height + 12}" class="band"/>')
    for tick in on.ticks:
        parts.append(f'<line x1="{on.at(tick)}" x2="{on.at(tick)}" y1="-6" y2="{height + 6}" class="grid"/>')
    if on.even is not None:
        parts.append(f'<line x1="{on.at(on.even)}" x2="{on.at(on.even)}" y1="-6" y2="{height + 6}" class="even"/>')
    return Markup("".join(parts))


def _mark(mark: Mark, on: Scale, top: int) -> Markup:
    height = _height(mark)
    y = top + (height - 5 if mark.area else height / 2)
    parts = []
    if mark.area:
        parts.append(_area(mark.area, on, top, height - 10))
    if math.isfinite(mark.lowest) and math.isfinite(mark.highest):
        parts.append(_line(on, mark.lowest, mark.highest, y, "bounds"))
        for end, arrow in ((mark.lowest, "M-1-4l-5 4 5 4z"), (mark.highest, "M1-4l5 4-5 4z")):
            shape = f'<path d="{arrow}" class="dot"/>' if not on.holds(end) else '<path d="M0-4v8" class="bounds"/>'
            parts.append(_at(on, end, y, shape))
    if not math.isnan(mark.low) and not math.isnan(mark.high):
        parts.append(_line(on, mark.low, mark.high, y, "interval"))
        for end, arrow in ((mark.low, "M0-4l-6 4 6 4z"), (mark.high, "M0-4l6 4-6 4z")):
            if not on.holds(end):
                parts.append(_at(on, end, y, f'<path d="{arrow}" class="dot"/>'))
    if math.isfinite(mark.value):
        hollow = " hollow" if mark.hollow else ""
        shape = '<path d="M0-6v12" class="median"/>' if mark.area else ""
        parts.append(_at(on, mark.value, y, shape or f'<path d="{SHAPES[mark.series % 8]}" class="dot{hollow}"/>'))
    if math.isfinite(mark.exact):
        parts.append(_at(on, mark.exact, y, f'<path d="{EXACT}" class="exact"/>'))
    return Markup('<g class="s{}">{}</g>').format(mark.series % 8, Markup("".join(parts)))


def _line(on: Scale, low: float, high: float, y: float, kind: str) -> str:
    return f'<line x1="{on.at(low)}" x2="{on.at(high)}" y1="{y:g}" y2="{y:g}" class="{kind}"/>'


def _at(on: Scale, value: float, y: float, shape: str) -> str:
    """A shape of fixed size at a place that scales."""
    return f'<svg x="{on.at(value)}" y="{y:g}" width="1" height="1" class="at">{shape}</svg>'


def _area(steps: Sequence[tuple[float, float]], on: Scale, top: int, height: int) -> str:
    """The area under a falling step curve, stretched to the width of the strip."""
    path = f"M{_thousandths(on, on.low)} 100V0"
    for place, after in steps:
        path += f"H{_thousandths(on, place)}V{100 * (1 - after):.1f}"
    path += "V100z"
    return (
        f'<svg x="0" y="{top}" width="100%" height="{height}" viewBox="0 0 1000 100" preserveAspectRatio="none">'
        f'<path d="{path}" class="area"/></svg>'
    )


def _thousandths(on: Scale, value: float) -> str:
    return f"{10 * float(on.at(value).rstrip('%')):.0f}"
