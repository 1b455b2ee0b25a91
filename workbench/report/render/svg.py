"""Charts as inline SVG, for the page: one row per ruleset, in each a strip whose places are shares of its width.

A strip scales with the page while its dots, lines and text keep their size, so that one drawing serves a phone, a desk
and paper; its colours are the style sheet's, which has others for the dark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from markupsafe import Markup

from workbench.language import LANGUAGES, in_all, tr, verbatim
from workbench.report.marks import Bounds, Course, Dot, Exact, Interval, Line, Mark, Median, Panel, Row, Scale, Survival
from workbench.report.model import Chart, Point, Scatter

LINE = 18
"""Height of a line, in pixels."""
TALL_LINE = 30
"""Height of a line that has an area in it."""
HIGH_LINE = 72
"""Height of a line that has a course in it."""
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
WIDE = 26
"""Letters of a name that takes three lines or more beside its strip, unless it is given more room."""
MAX_ROWS_WITH_ONE_AXIS = 12
"""Rows of a chart that is read without a second axis below them."""
MAX_OPEN_ROWS = 40
"""Rows of a chart or a table; more of them are moved past under their heads."""
MAX_TICKS = 3
"""Ticks that a narrow screen has room for."""


def panel_svg(panel: Panel, label: str, compact: bool = False) -> Markup:
    """A panel; ``label`` is the id of the sentence that says what it shows.

    ``compact``: several stand beside each other, so names have no titles and the baseline is not pointed out.
    """
    parts = [_axis(panel.scale, panel.scale.even)]
    names = [row.label if compact else _name(row) for row in panel.rows]
    for row, name in zip(panel.rows, names, strict=True):
        height = sum(map(_height, row.lines))
        drawn, values, y = _background(panel.scale, height), Markup(""), 0
        for line in row.lines:
            drawn += _line(line, panel.scale, y)
            values += Markup('<div style="height:{}px">{}</div>').format(_height(line), line.text)
            y += _height(line)
        title = Markup('<span class="small">{}</span>').format(row.title) if row.title and not compact else ""
        parts.append(
            Markup(
                '<div class="row"><div class="name">{}{}</div><svg class="strip" height="{}">{}</svg>'
                '<div class="values">{}</div></div>'
            ).format(name, title, height, drawn, values)
        )
    if len(panel.rows) > MAX_ROWS_WITH_ONE_AXIS:
        parts.append(_axis(panel.scale))
    longest = max((len(text) for name in names for text in in_all(name)), default=0)
    long = (" long" if longest > LONG else "") + (" wide" if longest > WIDE else "")
    drawn_plot = Markup('<div class="plot{}" role="img" aria-labelledby="{}">{}</div>').format(
        long, label, Markup("").join(parts)
    )
    if len(panel.rows) <= MAX_OPEN_ROWS:
        return drawn_plot
    return Markup('<div class="window" tabindex="0" role="region" aria-labelledby="{}">{}</div>').format(
        label, drawn_plot
    )


def strip_svg(chart: Chart, row: str) -> Markup:
    """One row of a chart by itself, with its axis below it; nothing where the chart has no such row."""
    found = next((one for one in chart.panel.rows if one.name == row), None)
    if found is None:
        return Markup("")
    scale, height = chart.panel.scale, sum(map(_height, found.lines))
    grid = Markup("".join(_upright(scale, tick, 0, height, "grid") for tick, _ in scale.ticks))
    lines = Markup("").join(_line(line, scale, 0) for line in found.lines)
    ticks = Markup("").join(_tick(scale, tick, height + 15, label) for tick, label in scale.ticks)
    return Markup('<svg class="strip" height="{}" role="img" aria-labelledby="{}">{}{}{}</svg>').format(
        height + 20, chart.id, grid, lines, ticks
    )


SCATTER_HEIGHT = 320
"""Height of a scatter plot, in pixels."""


def scatter_svg(part: Scatter) -> Markup:
    """Points by two numbers; the plot is as wide as the page, its dots and words keep their size."""
    height, room = SCATTER_HEIGHT, 34
    inner = height - room

    def y_of(value: float) -> float:
        return inner * (1 - part.up.share(value))

    drawn = []
    if part.across.band:
        low, high = (100 * part.across.share(end) for end in part.across.band)
        drawn.append(f'<rect x="{low:.2f}%" y="0" width="{high - low:.2f}%" height="{inner}" class="band"/>')
    if part.up.band:
        high, low = (y_of(end) for end in part.up.band)
        drawn.append(f'<rect x="0" y="{low:.1f}" width="100%" height="{high - low:.1f}" class="band across"/>')
    drawn += [_upright(part.across, tick, 0, inner, "grid") for tick, _ in part.across.ticks]
    for tick, _ in part.up.ticks:
        drawn.append(f'<line x1="0" x2="100%" y1="{y_of(tick):.1f}" y2="{y_of(tick):.1f}" class="grid"/>')
    lines = Markup("".join(drawn))
    ticks = Markup("").join(_tick(part.across, tick, inner + 16, label) for tick, label in part.across.ticks)
    for tick, label in part.up.ticks:
        ticks += Markup('<text x="4" y="{}" class="tick">{}</text>').format(
            f"{y_of(tick) - 3:.1f}", _in_svg(verbatim(label))
        )
    points = Markup("").join(_point(part.across, y_of(point.up), point) for point in part.points)
    return Markup(
        '<div class="scatter" role="group" aria-labelledby="{}"><p class="small">{}</p>'
        '<svg class="strip" height="{}">{}{}{}</svg><p class="small side">{}</p></div>'
    ).format(part.id, part.up_title, height - 12, lines, ticks, points, part.across_title)


def _point(scale: Scale, y: float, point: Point) -> Markup:
    size = 5 if point.kind == "main" else 3.5 if point.kind == "shown" else 2
    label = (
        Markup('<text x="9" y="4" class="label">{}</text>').format(_in_svg(verbatim(point.label)))
        if point.label
        else Markup("")
    )
    dot = Markup('<circle r="{}"/>{}<title>{}</title>').format(size, label, in_all(point.text)[0])
    if point.link:
        names = Markup(" ").join(
            Markup('data-{}="{}"').format(language, text)
            for language, text in zip(LANGUAGES, in_all(point.text), strict=True)
        )
        dot = Markup('<a href="{}" aria-label="{}" {}>{}</a>').format(point.link, in_all(point.text)[0], names, dot)
    return Markup('<svg x="{}" y="{}" width="1" height="1" class="at point {}">{}</svg>').format(
        place_on_strip(scale, point.across), f"{y:.1f}", point.kind, dot
    )


def legend_key(series: int) -> Markup:
    """A series' line and dot."""
    return Markup(
        '<svg class="s{}" aria-hidden="true"><path d="M0 7h28" class="interval"/>'
        '<svg x="50%" y="7" width="1" height="1" class="at"><path d="{}" class="dot"/></svg></svg>'
    ).format(series % 8, Markup(SHAPES[series % 8]))


def place_on_strip(scale: Scale, value: float) -> str:
    """A place as a share of the strip's width."""
    return f"{100 * scale.share(value):.2f}%"


def _name(row: Row) -> str:
    return tr("{name} (baseline)", name=row.label) if row.baseline else row.label


def _height(line: Line) -> int:
    return HIGH_LINE if line.high else TALL_LINE if line.tall else LINE


def _axis(scale: Scale, even: float | None = None) -> Markup:
    """The ticks in a row; at ``even`` stands what lies to its left and right."""
    # On a narrow screen every second tick of many is left out, counted from the even line.
    middle = scale.even
    begin = next((i for i, (tick, _) in enumerate(scale.ticks) if middle is not None and math.isclose(tick, middle)), 0)
    many = len(scale.ticks) > MAX_TICKS
    ticks = Markup("").join(
        _tick(scale, tick, 12, label, " minor" if many and (i - begin) % 2 else "")
        for i, (tick, label) in enumerate(scale.ticks)
    )
    if even is None or scale.left is None or scale.right is None:
        return Markup(
            '<div class="row axis"><div class="name"></div><svg class="strip" height="16">{}</svg>'
            '<div class="values"></div></div>'
        ).format(ticks)
    sides = Markup("").join(
        Markup('<text x="{}" dx="{}" y="-3" text-anchor="{}" class="tick side">{}{}{}</text>').format(
            place_on_strip(scale, even), shift, anchor, before, _in_svg(text), after
        )
        for text, before, after, anchor, shift in (
            (scale.left, "← ", "", "end", -8),
            (scale.right, "", " →", "start", 8),
        )
    )
    return Markup(
        '<div class="row axis sided"><div class="sides"><span>← {}</span><span>{} →</span></div>'
        '<div class="name"></div><svg class="strip" height="16">{}{}</svg><div class="values"></div></div>'
    ).format(scale.left, scale.right, sides, ticks)


def _tick(scale: Scale, tick: float, y: int, label: str, kind: str = "") -> Markup:
    share = (tick - scale.low) / (scale.high - scale.low)
    anchor = "start" if share < 0.04 else "end" if share > 0.96 else "middle"
    return Markup('<text x="{}" y="{}" text-anchor="{}" class="tick{}">{}</text>').format(
        place_on_strip(scale, tick), y, anchor, kind, label
    )


def _in_svg(text: str) -> Markup:
    return Markup("").join(
        Markup('<tspan lang="{}">{}</tspan>').format(*pair) for pair in zip(LANGUAGES, in_all(text), strict=True)
    )


def _background(scale: Scale, height: int) -> Markup:
    """What lies behind the marks: the band, the grid and the even line."""
    parts = []
    if scale.band:
        low, high = (float(place_on_strip(scale, end).rstrip("%")) for end in scale.band)
        parts.append(f'<rect x="{low:.2f}%" width="{high - low:.2f}%" y="-6" height="{height + 12}" class="band"/>')
    lines = [(tick, "grid") for tick, _ in scale.ticks] + ([(scale.even, "even")] if scale.even is not None else [])
    return Markup("".join([*parts, *(_upright(scale, value, -6, height + 6, kind) for value, kind in lines)]))


def _upright(scale: Scale, value: float, top: int, bottom: int, kind: str) -> str:
    x = place_on_strip(scale, value)
    return f'<line x1="{x}" x2="{x}" y1="{top}" y2="{bottom}" class="{kind}"/>'


def _line(line: Line, scale: Scale, top: int) -> Markup:
    height = _height(line)
    y = top + (height - 5 if line.tall else height / 2)
    parts = "".join(_mark(mark, line.series, scale, y, top, height) for mark in line.marks)
    return Markup('<g class="s{}">{}</g>').format(line.series % 8, Markup(parts))


def _mark(mark: Mark, series: int, scale: Scale, y: float, top: int, height: int) -> str:
    match mark:
        case Survival(steps):
            return _area(steps, scale, top, height - 10) if steps else ""
        case Course():
            return _course(mark, scale, top, height)
        case Bounds(low, high) if math.isfinite(low) and math.isfinite(high):
            arrows, end = ("M-1-4l-5 4 5 4z", "M1-4l5 4-5 4z"), '<path d="M0-4v8" class="bounds"/>'
            return _segment(scale, (low, high), y, "bounds", arrows, end)
        case Interval(low, high) if not math.isnan(low) and not math.isnan(high):
            return _segment(scale, (low, high), y, "interval", ("M0-4l-6 4 6 4z", "M0-4l6 4-6 4z"))
        case Dot(value, hollow) if math.isfinite(value):
            kind = "dot hollow" if hollow else "dot"
            return _shape_at(scale, value, y, f'<path d="{SHAPES[series % 8]}" class="{kind}"/>')
        case Median(value) if math.isfinite(value):
            return _shape_at(scale, value, y, '<path d="M0-6v12" class="median"/>')
        case Exact(value) if math.isfinite(value):
            return _shape_at(scale, value, y, f'<path d="{EXACT}" class="exact"/>')
    return ""


def _segment(
    scale: Scale, ends: tuple[float, float], y: float, kind: str, arrows: tuple[str, str], end: str = ""
) -> str:
    """A line with an arrow at each end that lies beyond the scale, and something else at an end that does not."""
    low, high = (place_on_strip(scale, value) for value in ends)
    parts = f'<line x1="{low}" x2="{high}" y1="{y:g}" y2="{y:g}" class="{kind}"/>'
    for value, arrow in zip(ends, arrows, strict=True):
        if shape := end if scale.holds(value) else f'<path d="{arrow}" class="dot"/>':
            parts += _shape_at(scale, value, y, shape)
    return parts


def _shape_at(scale: Scale, value: float, y: float, shape: str) -> str:
    """A shape of fixed size at a place that scales."""
    return f'<svg x="{place_on_strip(scale, value)}" y="{y:g}" width="1" height="1" class="at">{shape}</svg>'


def _stretched(top: int, height: int, content: str) -> str:
    """Content of 1000 by 100, stretched to the width of the strip."""
    return (
        f'<svg x="0" y="{top}" width="100%" height="{height}" viewBox="0 0 1000 100" preserveAspectRatio="none">'
        f"{content}</svg>"
    )


def _area(steps: tuple[tuple[float, float], ...], scale: Scale, top: int, height: int) -> str:
    """The area under a falling step curve."""
    path = f"M{_thousandths(scale, scale.low)} 100V0"
    path += "".join(f"H{_thousandths(scale, value)}V{100 * (1 - after):.1f}" for value, after in steps)
    return _stretched(top, height, f'<path d="{path}V100z" class="area"/>')


def _course(course: Course, scale: Scale, top: int, height: int) -> str:
    """A course with its band, and behind it what it is compared with."""

    def path(points: Iterable[tuple[float, float]], kind: str, close: str = "") -> str:
        corners = "L".join(f"{_thousandths(scale, at)} {100 * (1 - share):.1f}" for at, share in points)
        return f'<path d="M{corners}{close}" class="{kind}"/>' if corners else ""

    band = [(at, low) for at, low, _, _ in course.points] + [(at, up) for at, _, _, up in reversed(course.points)]
    parts = path(band, "area", "z")
    if course.level is not None:
        parts += f'<path d="M0 {100 * (1 - course.level):.1f}H1000" class="level"/>'
    parts += path(course.behind, "behind") + path([(at, middle) for at, _, middle, _ in course.points], "course")
    words = "".join(
        f'<text x="0" dx="3" y="{y}" class="tick end">{text}</text>'
        for text, y in zip(course.ends, (top + height - 3, top + 10), strict=True)
        if text
    )
    return _stretched(top, height, parts) + words


def _thousandths(scale: Scale, value: float) -> str:
    return f"{10 * float(place_on_strip(scale, value).rstrip('%')):.0f}"
