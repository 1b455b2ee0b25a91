"""Charts and boards as inline SVG.

A chart is one row per ruleset, in each a strip whose places are shares of its width: it scales with the page while its
dots, lines and text keep their size, so that one drawing serves a phone, a desk and paper; its colours are the style
sheet's, which has others for the dark.

A board is drawn from the cell grid that every family's notation gives. Each piece that a page shows is drawn once, as
an SVG symbol with a number, and used by that number wherever it stands: in the pictures made here, and in those that
the page's script makes while a game is replayed.
"""

from __future__ import annotations

import functools
import hashlib
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from workbench.base.language import LANGUAGES, in_all, tr, untranslated
from workbench.games.declaration import Board
from workbench.report import model as m

if TYPE_CHECKING:
    from workbench.report.model import Highlights

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


def panel_svg(panel: m.Panel, label: str, compact: bool = False) -> Markup:
    """Return a panel; ``label`` is the id of the sentence that says what it shows.

    ``compact``: several stand beside each other, so names have no titles and the baseline is not pointed out.
    """
    parts = [_axis(panel.scale, panel.scale.even)]
    names = [
        tr("{name} (baseline)", name=row.label) if row.baseline and not compact else row.label for row in panel.rows
    ]
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


def strip_svg(chart: m.Chart, row: str) -> Markup:
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


def scatter_svg(part: m.Scatter) -> Markup:
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
            f"{y_of(tick) - 3:.1f}", _in_svg(untranslated(label))
        )
    points = Markup("").join(_point(part.across, y_of(point.up), point) for point in part.points)
    return Markup(
        '<div class="scatter" role="group" aria-labelledby="{}"><p class="small">{}</p>'
        '<svg class="strip" height="{}">{}{}{}</svg><p class="small side">{}</p></div>'
    ).format(part.id, part.up_title, height - 12, lines, ticks, points, part.across_title)


def _point(scale: m.Scale, y: float, point: m.Point) -> Markup:
    size = 5 if point.kind == "main" else 3.5 if point.kind == "shown" else 2
    label = (
        Markup('<text x="9" y="4" class="label">{}</text>').format(_in_svg(untranslated(point.label)))
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
    """Return a series' line and dot."""
    return Markup(
        '<svg class="s{}" aria-hidden="true"><path d="M0 7h28" class="interval"/>'
        '<svg x="50%" y="7" width="1" height="1" class="at"><path d="{}" class="dot"/></svg></svg>'
    ).format(series % 8, Markup(SHAPES[series % 8]))


def place_on_strip(scale: m.Scale, value: float) -> str:
    """Return a place as a share of the strip's width."""
    return f"{100 * scale.share(value):.2f}%"


def _height(line: m.Line) -> int:
    return HIGH_LINE if line.high else TALL_LINE if line.tall else LINE


def _axis(scale: m.Scale, even: float | None = None) -> Markup:
    """Return the ticks in a row; at ``even`` stands what lies to its left and right."""
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


def _tick(scale: m.Scale, tick: float, y: int, label: str, kind: str = "") -> Markup:
    share = (tick - scale.low) / (scale.high - scale.low)
    anchor = "start" if share < 0.04 else "end" if share > 0.96 else "middle"
    return Markup('<text x="{}" y="{}" text-anchor="{}" class="tick{}">{}</text>').format(
        place_on_strip(scale, tick), y, anchor, kind, label
    )


def _in_svg(text: str) -> Markup:
    return Markup("").join(
        Markup('<tspan lang="{}">{}</tspan>').format(*pair) for pair in zip(LANGUAGES, in_all(text), strict=True)
    )


def _background(scale: m.Scale, height: int) -> Markup:
    """Return the background of the marks: the band, the grid and the even line."""
    parts = []
    if scale.band:
        low, high = (float(place_on_strip(scale, end).rstrip("%")) for end in scale.band)
        parts.append(f'<rect x="{low:.2f}%" width="{high - low:.2f}%" y="-6" height="{height + 12}" class="band"/>')
    lines = [(tick, "grid") for tick, _ in scale.ticks] + ([(scale.even, "even")] if scale.even is not None else [])
    return Markup("".join([*parts, *(_upright(scale, value, -6, height + 6, kind) for value, kind in lines)]))


def _upright(scale: m.Scale, value: float, top: int, bottom: int, kind: str) -> str:
    x = place_on_strip(scale, value)
    return f'<line x1="{x}" x2="{x}" y1="{top}" y2="{bottom}" class="{kind}"/>'


def _line(line: m.Line, scale: m.Scale, top: int) -> Markup:
    height = _height(line)
    y = top + (height - 5 if line.tall else height / 2)
    parts = "".join(_mark(mark, line.series, scale, y, top, height) for mark in line.marks)
    return Markup('<g class="s{}">{}</g>').format(line.series % 8, Markup(parts))


def _mark(mark: m.Mark, series: int, scale: m.Scale, y: float, top: int, height: int) -> str:
    match mark:
        case m.Survival(steps):
            return _area(steps, scale, top, height - 10) if steps else ""
        case m.Course():
            return _course(mark, scale, top, height)
        case m.Bounds(low, high) if math.isfinite(low) and math.isfinite(high):
            arrows, end = ("M-1-4l-5 4 5 4z", "M1-4l5 4-5 4z"), '<path d="M0-4v8" class="bounds"/>'
            return _segment(scale, (low, high), y, "bounds", arrows, end)
        case m.Interval(low, high) if not math.isnan(low) and not math.isnan(high):
            return _segment(scale, (low, high), y, "interval", ("M0-4l-6 4 6 4z", "M0-4l6 4-6 4z"))
        case m.Dot(value, hollow) if math.isfinite(value):
            kind = "dot hollow" if hollow else "dot"
            return _shape_at(scale, value, y, f'<path d="{SHAPES[series % 8]}" class="{kind}"/>')
        case m.Median(value) if math.isfinite(value):
            return _shape_at(scale, value, y, '<path d="M0-6v12" class="median"/>')
        case m.Exact(value) if math.isfinite(value):
            return _shape_at(scale, value, y, f'<path d="{EXACT}" class="exact"/>')
    return ""


def _segment(
    scale: m.Scale, ends: tuple[float, float], y: float, kind: str, arrows: tuple[str, str], end: str = ""
) -> str:
    """A line with an arrow at each end that lies beyond the scale, and something else at an end that does not."""
    low, high = (place_on_strip(scale, value) for value in ends)
    parts = f'<line x1="{low}" x2="{high}" y1="{y:g}" y2="{y:g}" class="{kind}"/>'
    for value, arrow in zip(ends, arrows, strict=True):
        if shape := end if scale.holds(value) else f'<path d="{arrow}" class="dot"/>':
            parts += _shape_at(scale, value, y, shape)
    return parts


def _shape_at(scale: m.Scale, value: float, y: float, shape: str) -> str:
    """Return a shape of fixed size at a place that scales."""
    return f'<svg x="{place_on_strip(scale, value)}" y="{y:g}" width="1" height="1" class="at">{shape}</svg>'


def _stretched(top: int, height: int, content: str) -> str:
    """Content of 1000 by 100, stretched to the width of the strip."""
    return (
        f'<svg x="0" y="{top}" width="100%" height="{height}" viewBox="0 0 1000 100" preserveAspectRatio="none">'
        f"{content}</svg>"
    )


def _area(steps: tuple[tuple[float, float], ...], scale: m.Scale, top: int, height: int) -> str:
    """Return the area under a falling step curve."""
    path = f"M{_thousandths(scale, scale.low)} 100V0"
    path += "".join(f"H{_thousandths(scale, value)}V{100 * (1 - after):.1f}" for value, after in steps)
    return _stretched(top, height, f'<path d="{path}V100z" class="area"/>')


def _course(course: m.Course, scale: m.Scale, top: int, height: int) -> str:
    """Return a course with its band, and behind it what it is compared with."""

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


def _thousandths(scale: m.Scale, value: float) -> str:
    return f"{10 * float(place_on_strip(scale, value).rstrip('%')):.0f}"


CELL, EDGE = 10, 7
"""Size of a cell, and of the margin with the names of columns and rows."""
WIDEST, ROOMY = 26, 0.28
"""The width of a board on screen at most, and for each of its units, in rem."""
PIXELS = 2.6
"""Pixels of each unit of a board that stands by itself."""
STYLES = Path(__file__).parent / "boards.css"
STAR = "0,-4 1.03,-1.42 3.8,-1.24 1.66,0.54 2.35,3.24 0,1.75 -2.35,3.24 -1.66,0.54 -3.8,-1.24 -1.03,-1.42"
WEDGE = "0,-4.4 3.2,-2.9 3.9,4.2 -3.9,4.2 -3.2,-2.9"
SIGNS = {
    "●": '<circle r="3.6" class="dark"/>',
    "○": '<circle r="3.6" class="light"/>',
    "★": f'<polygon points="{STAR}" class="dark"/>',
    "☆": f'<polygon points="{STAR}" class="light"/>',
    "⛂": '<circle r="3.6" class="dark"/>',
    "⛀": '<circle r="3.6" class="light"/>',
    "⛃": '<circle r="3.6" class="dark"/><circle r="1.8" class="light"/>',
    "⛁": '<circle r="3.6" class="light"/><circle r="1.8" class="dark"/>',
}
"""Signs that fonts draw in very different sizes; all others are text."""
WHITE = dict(zip("♔♕♖♗♘♙", "♚♛♜♝♞♟", strict=True))
"""White pieces of chess are drawn as the filled signs of the black ones, in white: outlines let the board through."""
TEXT_STYLE = "\ufe0e"
"""Asks for the plain form of a sign that phones would show as an emoji."""
Piece = tuple[str, int]
"""A symbol and its owner, as `Board.pieces` gives them."""


class Pieces:
    """The pieces of a page and their numbers, from 1; 0 is the empty cell.

    ``name`` begins the names of their symbols, and tells those of pictures apart that come to one page by themselves.
    """

    def __init__(self, name: str = "piece") -> None:
        self.name = name
        self._numbers: dict[Piece, int] = {("", -1): 0}

    def number(self, piece: Piece) -> int:
        """Return the number of a piece; a new one is added."""
        return self._numbers.setdefault(piece, len(self._numbers))

    def numbers(self, board: Board) -> list[int]:
        """Return the numbers of all cells, row by row."""
        return [self.number(piece) for row in board.pieces() for piece in row]

    def symbols(self) -> Markup:
        """Return the symbols, to be used by their numbers."""
        parts = [
            Markup('<g id="{}-{}" data-piece="{}" data-owner="{}">{}</g>').format(
                self.name, n, *piece, _piece_markup(*piece)
            )
            for piece, n in self._numbers.items()
            if n
        ]
        return Markup("<defs>{}</defs>").format(Markup("").join(parts))

    def definitions(self) -> Markup:
        """Return the symbols, as an SVG that itself shows nothing; comes before what uses them is on screen."""
        empty = Markup('<svg class="defs" width="0" height="0" aria-hidden="true">{}</svg>')
        return empty.format(self.symbols())


def _piece_markup(symbol: str, owner: int) -> Markup:
    if owner == -1 and symbol in SIGNS:
        return Markup(SIGNS[symbol])
    size = 8.4 if len(symbol) == 1 else max(3.0, 9.5 / len(symbol))
    kind = "sign white" if symbol in WHITE else "sign"
    symbol = WHITE.get(symbol, symbol)
    shown = symbol + TEXT_STYLE if len(symbol) == 1 and not symbol.isalnum() else symbol
    if owner == -1:
        return Markup('<text font-size="{:.3g}" class="{}">{}</text>').format(size, kind, shown)
    size = 5.6 if len(symbol) == 1 else max(2.6, 7 / len(symbol))
    turned = Markup(' transform="rotate(180)"') if owner == 1 else ""
    return Markup(
        '<g{}><polygon points="{}" class="wedge owner-{}"/><text y="0.7" font-size="{:.3g}" class="sign">{}</text></g>'
    ).format(turned, WEDGE, owner, size, shown)


def piece_svg(symbol: str, owner: int) -> Markup:
    """Return a piece by itself, in the size of the text around it."""
    picture = Markup('<svg class="piece" viewBox="-5 -5 10 10" aria-hidden="true">{}</svg>')
    return picture.format(_piece_markup(symbol, owner))


@dataclass(frozen=True)
class Grid:
    """The places of a board's cells in its picture: squares, or hexagons that stand on a corner."""

    rows: int
    columns: int
    hexagonal: bool

    @classmethod
    def from_board(cls, board: Board) -> Grid:
        """Return the grid of a board."""
        return cls(len(board.cells), len(board.cells[0]), board.hexagonal)

    @property
    def shift(self) -> float:
        """The offset of a row to the right of the one above it."""
        return CELL / 2 if self.hexagonal else 0.0

    @property
    def pitch(self) -> float:
        """The offset of a row below the one above it."""
        return round(CELL * math.sqrt(3) / 2, 2) if self.hexagonal else float(CELL)

    @property
    def width(self) -> float:
        """The width of the picture, without margins."""
        return self.columns * CELL + (self.rows - 1) * self.shift

    @property
    def height(self) -> float:
        """The height of the picture, without margins."""
        return (self.rows - 1) * self.pitch + CELL

    @property
    def shape(self) -> str:
        """The outline of a cell, as an SVG path from the left upper corner of the square around its piece."""
        if not self.hexagonal:
            return f"h{CELL}v{CELL}h-{CELL}z"
        half, side = CELL / 2, CELL / math.sqrt(3)
        return (
            f"m0 {half - side / 2:.2f}l{half:g}-{side / 2:.2f} {half:g} {side / 2:.2f}v{side:.2f}"
            f"l-{half:g} {side / 2:.2f}-{half:g}-{side / 2:.2f}z"
        )

    def corner(self, y: int, x: int) -> tuple[float, float]:
        """Return the left upper corner of the square around a cell's piece."""
        return x * CELL + y * self.shift, y * self.pitch

    def outline(self, y: int, x: int) -> str:
        """Return the outline of a cell as an SVG path."""
        left, top = self.corner(y, x)
        return f"M{left:g} {top:g}{self.shape}"

    def edge(self, side: int) -> str:
        """Return the outer lines of the cells at the top (0), right, bottom or left edge as an SVG path."""
        cells = [
            [(0, x) for x in range(self.columns)],
            [(y, self.columns - 1) for y in range(self.rows)],
            [(self.rows - 1, x) for x in range(self.columns)],
            [(y, 0) for y in range(self.rows)],
        ][side]
        half, arm = CELL / 2, CELL / math.sqrt(3)
        corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
        lines = [corners[:2], corners[1:3], corners[2:], [corners[3], corners[0]]]
        if self.hexagonal:
            top, right, low, bottom, left_low, left = (
                (0.0, -arm), (half, -arm / 2), (half, arm / 2), (0.0, arm), (-half, arm / 2), (-half, -arm / 2)
            )  # fmt: skip
            lines = [[left, top, right], [top, right, low], [low, bottom, left_low], [left, left_low, bottom]]
        paths = []
        for y, x in cells:
            left_edge, upper_edge = self.corner(y, x)
            points = [f"{left_edge + half + dx:.2f} {upper_edge + half + dy:.2f}" for dx, dy in lines[side]]
            paths.append(f"M{'L'.join(points)}")
        return "".join(paths)

    @property
    def attributes(self) -> Markup:
        """The data on hexagons for a script that moves pieces."""
        if not self.hexagonal:
            return Markup("")
        return Markup(' data-shift="{:g}" data-pitch="{:g}" data-shape="{}"').format(self.shift, self.pitch, self.shape)


def board_svg(board: Board, pieces: Pieces, highlights: Highlights | None = None, label: str = "") -> Markup:
    """Return a position as an SVG picture.

    ``label`` is the id of the element that says in words what the picture shows. The pieces lie in a group of the
    class ``pieces`` and the marks in one of the class ``marks``, where a script may replace them.
    """
    grid = Grid.from_board(board)
    width, height = grid.width, grid.height
    shades = "".join(grid.outline(y, x) for y, x in sorted(board.shaded))
    ground = f'<rect width="{width:g}" height="{height:g}" class="ground"/>'
    lines = "".join(f"M{x * CELL} 0v{height:g}" for x in range(grid.columns + 1))
    lines += "".join(f"M0 {y * CELL}h{width:g}" for y in range(grid.rows + 1))
    if board.hexagonal or board.outside:
        places = [(y, x) for y in range(grid.rows) for x in range(grid.columns) if (y, x) not in board.outside]
        lines = "".join(grid.outline(*place) for place in places)
        ground = f'<path d="{lines}" class="ground"/>'
    names = [
        _coordinate(left + CELL / 2, y, name)
        for x, name in enumerate(board.columns)
        for left, y in ((grid.corner(0, x)[0], -EDGE / 2), (grid.corner(grid.rows - 1, x)[0], height + EDGE / 2))
    ]
    names += [
        _coordinate(x, top + CELL / 2, name)
        for y, name in enumerate(board.rows)
        for left, top in (grid.corner(y, 0),)
        for x in (left - EDGE / 2, left + grid.columns * CELL + EDGE / 2)
    ]
    below, above = _highlight_layers(highlights or {}, grid)
    parts = [
        ground,
        f'<path d="{shades}" class="shade"/>' if shades else "",
        f'<g class="marks">{below}</g>',
        f'<path d="{lines}" class="lines"/>',
        *(
            f'<path d="{grid.edge(side)}" class="goal owner-{seat}"/>'
            for side, seat in enumerate(board.goals)
            if seat >= 0
        ),
        f'<g class="names">{"".join(names)}</g>',
        f'<g class="pieces">{_piece_uses(pieces, board)}</g>',
        above,
    ]
    role = Markup('role="img" aria-labelledby="{}"').format(label) if label else Markup('aria-hidden="true"')
    view = f"{-EDGE} {-EDGE} {width + 2 * EDGE:g} {height + 2 * EDGE:g}"
    # A small board need not fill the column that a large one needs.
    widest = min(WIDEST, ROOMY * (width + 2 * EDGE))
    return Markup('<svg class="board" viewBox="{}" data-columns="{}"{} style="max-width:{:.3g}rem" {}>{}</svg>').format(
        view, grid.columns, grid.attributes, widest, role, Markup("".join(parts))
    )


def standalone_board_svg(board: Board, highlights: Highlights | None = None) -> str:
    """Return a position as an SVG document with its own styles, for a file or a notebook.

    Its identifiers are made of its content, so that several may stand on one page, and the same is always the same.
    """
    drawn = board_svg(board, Pieces(""), highlights)
    name = f"wb{hashlib.sha256(drawn.encode()).hexdigest()[:10]}"
    pieces = Pieces(name)
    drawn = board_svg(board, pieces, highlights).removeprefix("<svg ")
    described = drawn.partition(">")[0]
    view = re.search(r'viewBox="(\S+) (\S+) (\S+) (\S+)"', described)
    assert view
    width, height = float(view[3]) * PIXELS, float(view[4]) * PIXELS
    head = f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" width="{width:g}" height="{height:g}" {described}>'
    inside = drawn.removeprefix(described).removeprefix(">")
    return f"{head}<style>{_styles(name)}</style>{pieces.symbols()}{inside}"


@functools.cache
def _style_sheet() -> tuple[tuple[str, str], ...]:
    """The rules of the style sheet of boards by daylight, each with its selector; its variables have their values."""
    text = re.sub(r"/\*.*?\*/", "", STYLES.read_text(encoding="utf-8"), flags=re.DOTALL)
    day, _, rest = text.partition("@media")
    text = day + rest.partition("}\n}")[2]
    values = {"--quiet": "#5a5f66", "--mark": "#ffd34d", **dict(re.findall(r"(--[\w-]+): ([^;]+);", day))}
    text = re.sub(r"var\((--[\w-]+)\)", lambda found: values[found[1]], text)
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", text)
    return tuple((selector.strip(), body.strip()) for selector, body in rules if ":root" not in selector)


def _styles(name: str) -> str:
    """Return the style sheet for what lies in the element of a name, and in the symbols that are called after it.

    A symbol that is used stands, for browsers, in no other element than itself.
    """
    return "".join(
        f"[id^={name}] {selector.removeprefix('.board ')} {{ {body} }}"
        for selector, body in _style_sheet()
        if not selector.startswith("svg")
    )


def _coordinate(x: float, y: float, name: str) -> str:
    return f'<text x="{x:g}" y="{y:g}">{escape(name)}</text>'


def _piece_uses(pieces: Pieces, board: Board) -> str:
    grid, half, name = Grid.from_board(board), CELL // 2, escape(pieces.name)
    corners = [grid.corner(y, x) for y in range(grid.rows) for x in range(grid.columns)]
    return "".join(
        f'<use href="#{name}-{n}" x="{left + half:g}" y="{top + half:g}"/>'
        for (left, top), n in zip(corners, pieces.numbers(board), strict=True)
        if n
    )


def _highlight_layers(highlights: Highlights, grid: Grid) -> tuple[str, str]:
    """Return the layers below the pieces and above them."""
    below, above = [], []
    for kind, cells in highlights.items():
        for y, x in sorted(cells):
            left, top = grid.corner(y, x)
            if kind == "open":
                above.append(f'<circle cx="{left + CELL / 2}" cy="{top + CELL / 2}" r="1.9" class="open"/>')
            elif kind == "shut":
                cross = f"M{left + 3:g} {top + 3:g}l4 4m0-4l-4 4"
                above.append(f'<path d="{cross}" class="shut"/>')
            elif grid.hexagonal:
                below.append(f'<path d="{grid.outline(y, x)}" class="{escape(kind)}"/>')
            else:
                place = f'x="{left:g}" y="{top:g}" width="{CELL}" height="{CELL}"'
                below.append(f'<rect {place} class="{escape(kind)}"/>')
    return "".join(below), "".join(above)
