"""Charts and boards as inline SVG.

A chart has one row per ruleset, each with a strip whose positions are percentages of its width. It scales with the
page while dots, lines and text keep their size: one drawing serves phones, desktops and paper. The style sheet
has the colours, for light and dark.

A board is drawn from the cell grid of a family's notation. Each piece on a page is defined once as a numbered SVG
symbol, which all its boards and the page's replay script use.
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
"""Height of a line with an area."""
HIGH_LINE = 72
"""Height of a line with a course."""
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
"""Outlines of the series' dots, distinguishable without colour."""
EXACT = "M0-6.5L6.5 0L0 6.5L-6.5 0z"
LONG = 14
"""Longer names, in letters, need a narrower strip next to other charts."""
WIDE = 26
"""Longer names, in letters, need extra room."""
MAX_ROWS_WITH_ONE_AXIS = 12
"""Charts with more rows have a second axis below the rows."""
MAX_OPEN_ROWS = 40
"""Charts and tables with more rows scroll under their head."""
STRIPS = (4, 6, 9, 14, 22)
"""Least widths of strips, in rem, which decide what ticks are labelled: the style sheet hides the classes n0, n1, …"""
LETTER = 0.5
"""Width of a tick label's letter, in rem."""


def panel_svg(panel: m.Panel, label: str, compact: bool = False) -> Markup:
    """Return a panel's markup; ``label`` is the id of its caption.

    ``compact``: omit the row titles and the word "baseline", for panels side by side.
    """
    parts = [_axis(panel.scale, panel.scale.even)]
    names = [
        tr("{name} (baseline)", name=row.label) if row.baseline and not compact else row.label for row in panel.rows
    ]
    for row, name in zip(panel.rows, names, strict=True):
        height = sum(map(_height, row.lines))
        strip, values, y = _background(panel.scale, height), Markup(""), 0
        for line in row.lines:
            strip += _line(line, panel.scale, y)
            values += Markup('<div style="height:{}px">{}</div>').format(_height(line), line.text)
            y += _height(line)
        title = Markup('<span class="small">{}</span>').format(row.title) if row.title and not compact else ""
        strip = Markup('<svg class="strip" height="{}" aria-hidden="true">{}</svg>').format(height, strip)
        row_markup = Markup('<div class="row"><div class="name">{}{}</div>{}<div class="values">{}</div></div>')
        parts.append(row_markup.format(name, title, strip, values))
    if len(panel.rows) > MAX_ROWS_WITH_ONE_AXIS:
        parts.append(_axis(panel.scale))
    longest = max((len(text) for name in names for text in in_all(name)), default=0)
    kind = (" long" if longest > LONG else "") + (" wide" if longest > WIDE else "")
    plot = Markup('<div class="plot{}" role="group" aria-labelledby="{}">{}</div>')
    plot = plot.format(kind, label, Markup("").join(parts))
    if len(panel.rows) <= MAX_OPEN_ROWS:
        return plot
    window = Markup('<div class="window" tabindex="0" role="region" aria-labelledby="{}">{}</div>')
    return window.format(label, plot)


def strip_svg(chart: m.Chart, row: str) -> Markup:
    """Return a single row of a chart with an axis below it, or empty markup if the chart lacks the row."""
    lines = next((candidate.lines for candidate in chart.panel.rows if candidate.name == row), None)
    if lines is None:
        return Markup("")
    scale, height = chart.panel.scale, sum(map(_height, lines))
    grid = _background(scale, height)
    strip = Markup("").join(_line(line, scale, 0) for line in lines)
    fitted = Markup('<div class="fit"><svg class="strip" height="{}" aria-hidden="true">{}{}{}</svg></div>')
    return fitted.format(height + 20, grid, strip, _ticks(scale, height + 15))


SCATTER_HEIGHT = 320
"""Height of a scatter plot, in pixels."""


def scatter_svg(plot: m.Scatter) -> Markup:
    """Return a scatter plot as wide as the page, with dots and labels of fixed size."""
    plot_height = SCATTER_HEIGHT - 34

    def y_position(value: float) -> float:
        return plot_height * (1 - plot.up.share(value))

    shapes = []
    if plot.across.band:
        low, high = (100 * plot.across.share(end) for end in plot.across.band)
        shapes.append(f'<rect x="{low:.2f}%" y="0" width="{high - low:.2f}%" height="{plot_height}" class="band"/>')
    if plot.up.band:
        high, low = (y_position(end) for end in plot.up.band)
        shapes.append(f'<rect x="0" y="{low:.1f}" width="100%" height="{high - low:.1f}" class="band across"/>')
    shapes += [_vertical_line(plot.across, tick, 0, plot_height, "grid") for tick, _ in plot.across.ticks]
    for tick, _ in plot.up.ticks:
        shapes.append(f'<line x1="0" x2="100%" y1="{y_position(tick):.1f}" y2="{y_position(tick):.1f}" class="grid"/>')
    ticks = _ticks(plot.across, plot_height + 16)
    for tick, label in plot.up.ticks:
        text = Markup('<text x="4" y="{}" class="tick">{}</text>')
        ticks += text.format(f"{y_position(tick) - 3:.1f}", _in_svg(untranslated(label)))
    points = Markup("").join(_point(plot.across, y_position(point.up), point) for point in plot.points)
    return Markup(
        '<div class="scatter" role="group" aria-labelledby="{}"><p class="small">{}</p>'
        '<div class="fit"><svg class="strip" height="{}">{}{}{}</svg></div><p class="small side">{}</p></div>'
    ).format(plot.id, plot.up_title, SCATTER_HEIGHT - 12, Markup("".join(shapes)), ticks, points, plot.across_title)


def _point(scale: m.Scale, y: float, point: m.Point) -> Markup:
    size = {"main": 5, "shown": 3.5}.get(point.kind, 2)
    label, texts = Markup(""), in_all(point.text)
    if point.label:
        label = Markup('<text x="9" y="4" class="label">{}</text>').format(_in_svg(untranslated(point.label)))
    dot = Markup('<circle r="{}"/>{}<title>{}</title>').format(size, label, texts[0])
    if point.link:
        data = [Markup('data-{}="{}"').format(*pair) for pair in zip(LANGUAGES, texts, strict=True)]
        link = Markup('<a href="{}" aria-label="{}" {}>{}</a>')
        dot = link.format(point.link, texts[0], Markup(" ").join(data), dot)
    return Markup('<svg x="{}" y="{}" width="1" height="1" class="at point {}">{}</svg>').format(
        place_on_strip(scale, point.across), f"{y:.1f}", point.kind, dot
    )


def legend_key(series: int) -> Markup:
    """Return a series' line and dot for a legend."""
    return Markup(
        '<svg class="s{}" aria-hidden="true"><path d="M0 7h28" class="interval"/>'
        '<svg x="50%" y="7" width="1" height="1" class="at"><path d="{}" class="dot"/></svg></svg>'
    ).format(series % 8, Markup(SHAPES[series % 8]))


def place_on_strip(scale: m.Scale, value: float) -> str:
    """Return a position as a percentage of the strip's width."""
    return f"{100 * scale.share(value):.2f}%"


def _height(line: m.Line) -> int:
    return HIGH_LINE if line.has_course else TALL_LINE if line.has_area else LINE


def _axis(scale: m.Scale, even: float | None = None) -> Markup:
    """Return a row of ticks, with the meaning of both sides if ``even`` is given."""
    room = Markup('<div class="fit"><svg class="strip" height="16" aria-hidden="true">{}{}</svg></div>')
    ticks = _ticks(scale, 12)
    if even is None or scale.left is None or scale.right is None:
        return Markup('<div class="row axis"><div class="name"></div>{}<div class="values"></div></div>').format(
            room.format("", ticks)
        )
    side = Markup('<text x="{}" dx="{}" y="-3" text-anchor="{}" class="tick side">{}{}{}</text>')
    x = place_on_strip(scale, even)
    sides = side.format(x, -8, "end", "← ", _in_svg(scale.left), "")
    sides += side.format(x, 8, "start", "", _in_svg(scale.right), " →")
    return Markup(
        '<div class="row axis sided"><div class="sides"><span>← {}</span><span>{} →</span></div>'
        '<div class="name"></div>{}<div class="values"></div></div>'
    ).format(scale.left, scale.right, room.format(sides, ticks))


def _ticks(scale: m.Scale, y: int) -> Markup:
    """Return the labels of the ticks; each names the widths of strips on which there is no room for it."""
    shown = [scale.labelled(width / LETTER) for width in STRIPS]
    labels = Markup("")
    for i, (tick, label) in enumerate(scale.ticks):
        share = (tick - scale.low) / (scale.high - scale.low)
        anchor = "start" if share < 0.04 else "end" if share > 0.96 else "middle"
        hidden = "".join(f" n{number}" for number, indices in enumerate(shown) if i not in indices)
        labels += Markup('<text x="{}" y="{}" text-anchor="{}" class="tick{}">{}</text>').format(
            place_on_strip(scale, tick), y, anchor, hidden, label
        )
    return labels


def _in_svg(text: str) -> Markup:
    return Markup("").join(
        Markup('<tspan lang="{}">{}</tspan>').format(*pair) for pair in zip(LANGUAGES, in_all(text), strict=True)
    )


def _background(scale: m.Scale, height: int) -> Markup:
    """Return the band, the grid lines and the line at the even value."""
    parts = []
    if scale.band:
        low, high = (float(place_on_strip(scale, end).rstrip("%")) for end in scale.band)
        parts.append(f'<rect x="{low:.2f}%" width="{high - low:.2f}%" y="-6" height="{height + 12}" class="band"/>')
    lines = [(tick, "grid") for tick, _ in scale.ticks] + ([(scale.even, "even")] if scale.even is not None else [])
    return Markup("".join([*parts, *(_vertical_line(scale, value, -6, height + 6, kind) for value, kind in lines)]))


def _vertical_line(scale: m.Scale, value: float, top: int, bottom: int, kind: str) -> str:
    x = place_on_strip(scale, value)
    return f'<line x1="{x}" x2="{x}" y1="{top}" y2="{bottom}" class="{kind}"/>'


def _line(line: m.Line, scale: m.Scale, top: int) -> Markup:
    height = _height(line)
    y = top + (height - 5 if line.has_area else height / 2)
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
    """Return a line that has an arrow at each end beyond the scale and the shape ``end`` at any other end."""
    low, high = (place_on_strip(scale, value) for value in ends)
    parts = f'<line x1="{low}" x2="{high}" y1="{y:g}" y2="{y:g}" class="{kind}"/>'
    for value, arrow in zip(ends, arrows, strict=True):
        if shape := end if scale.contains(value) else f'<path d="{arrow}" class="dot"/>':
            parts += _shape_at(scale, value, y, shape)
    return parts


def _shape_at(scale: m.Scale, value: float, y: float, shape: str) -> str:
    """Return a shape of fixed size at a position on the strip."""
    return f'<svg x="{place_on_strip(scale, value)}" y="{y:g}" width="1" height="1" class="at">{shape}</svg>'


def _stretched(top: int, height: int, content: str) -> str:
    """Return content of 1000 by 100 units stretched to the width of the strip."""
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
    """Return a course with its band, reference curve and end labels."""

    def path(points: Iterable[tuple[float, float]], kind: str, close: str = "") -> str:
        corners = "L".join(f"{_thousandths(scale, at)} {100 * (1 - share):.1f}" for at, share in points)
        return f'<path d="M{corners}{close}" class="{kind}"/>' if corners else ""

    band = [(at, low) for at, low, _, _ in course.points] + [(at, up) for at, _, _, up in reversed(course.points)]
    parts = path(band, "area", "z")
    if course.level is not None:
        parts += f'<path d="M0 {100 * (1 - course.level):.1f}H1000" class="level"/>'
    parts += path(course.reference, "behind") + path([(at, middle) for at, _, middle, _ in course.points], "course")
    labels = "".join(
        f'<text x="0" dx="3" y="{y}" class="tick end">{text}</text>'
        for text, y in zip(course.ends, (top + height - 3, top + 10), strict=True)
        if text
    )
    return _stretched(top, height, parts) + labels


def _thousandths(scale: m.Scale, value: float) -> str:
    return f"{10 * float(place_on_strip(scale, value).rstrip('%')):.0f}"


CELL, EDGE = 10, 7
"""The sizes of a cell and of the margin that contains the names of columns and rows."""
WIDEST, ROOMY = 26, 0.28
"""The maximum width of a board on screen, in total and for each of its units, in rem."""
PIXELS = 2.6
"""Pixels per unit of a standalone board."""
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
"""Signs that are drawn because their size differs between fonts; all others are text."""
WHITE = dict(zip("♔♕♖♗♘♙", "♚♛♜♝♞♟", strict=True))
"""White chess pieces use the solid black signs in white because outlines let the board show through."""
TEXT_STYLE = "\ufe0e"
"""Requests the text form of a sign that phones would show as an emoji."""
Piece = tuple[str, int]
"""A symbol and its owner, as in `Board.pieces`."""


class Pieces:
    """The pieces of a page, numbered from 1; 0 is the empty cell.

    ``name`` is the prefix of their symbols' ids, which must differ between pictures inserted into the same page. Boards
    with ``turned`` pieces are drawn from the other side.
    """

    def __init__(self, name: str = "piece", turned: bool = False) -> None:
        self.name, self.turned = name, turned
        self._numbers: dict[Piece, int] = {("", -1): 0}

    def number(self, piece: Piece) -> int:
        """Return a piece's number, adding the piece if it is new."""
        return self._numbers.setdefault(piece, len(self._numbers))

    def numbers(self, board: Board) -> list[int]:
        """Return the piece numbers of all cells, row by row."""
        return [self.number(piece) for row in board.pieces() for piece in row]

    def symbols(self) -> Markup:
        """Return the definitions of the symbols."""
        symbol, parts = Markup('<g id="{}-{}" data-piece="{}" data-owner="{}"{}>{}</g>'), []
        for (sign, owner), n in self._numbers.items():
            # Pieces that point to their owner's opponent turn with the board; others stay upright.
            turn = Markup(' transform="rotate(180)"') if self.turned and owner == -1 else ""
            if n:
                parts.append(symbol.format(self.name, n, sign, owner, turn, _piece_markup(sign, owner)))
        return Markup("<defs>{}</defs>").format(Markup("").join(parts))

    def definitions(self) -> Markup:
        """Return the symbols as an invisible SVG that must precede the pictures using them."""
        empty = Markup('<svg class="defs" width="0" height="0" aria-hidden="true">{}</svg>')
        return empty.format(self.symbols())


def _piece_markup(symbol: str, owner: int) -> Markup:
    if owner == -1 and symbol in SIGNS:
        return Markup(SIGNS[symbol])
    single = len(symbol) == 1
    kind = "sign white" if symbol in WHITE else "sign"
    symbol = WHITE.get(symbol, symbol)
    displayed = symbol + TEXT_STYLE if single and not symbol.isalnum() else symbol
    if owner == -1:
        size = 8.4 if single else max(3.0, 9.5 / len(symbol))
        return Markup('<text font-size="{:.3g}" class="{}">{}</text>').format(size, kind, displayed)
    size = 5.6 if single else max(2.6, 7 / len(symbol))
    rotation = Markup(' transform="rotate(180)"') if owner == 1 else ""
    return Markup(
        '<g{}><polygon points="{}" class="wedge owner-{}"/><text y="0.7" font-size="{:.3g}" class="sign">{}</text></g>'
    ).format(rotation, WEDGE, owner, size, displayed)


def piece_svg(symbol: str, owner: int) -> Markup:
    """Return a piece at the size of the surrounding text."""
    picture = Markup('<svg class="piece" viewBox="-5 -5 10 10" aria-hidden="true">{}</svg>')
    return picture.format(_piece_markup(symbol, owner))


@dataclass(frozen=True)
class Grid:
    """The layout of a board's cells: squares, or hexagons with a corner at the top."""

    rows: int
    columns: int
    hexagonal: bool

    @classmethod
    def from_board(cls, board: Board) -> Grid:
        """Return the grid of a board."""
        return cls(len(board.cells), len(board.cells[0]), board.hexagonal)

    @property
    def shift(self) -> float:
        """The offset of a row to the right of the previous one."""
        return CELL / 2 if self.hexagonal else 0.0

    @property
    def pitch(self) -> float:
        """The offset of a row below the previous one."""
        return round(CELL * math.sqrt(3) / 2, 2) if self.hexagonal else float(CELL)

    @property
    def width(self) -> float:
        """The width of the picture without margins."""
        return self.columns * CELL + (self.rows - 1) * self.shift

    @property
    def height(self) -> float:
        """The height of the picture without margins."""
        return (self.rows - 1) * self.pitch + CELL

    @property
    def shape(self) -> str:
        """The outline of a cell as an SVG path that starts at the upper left corner of its piece's square."""
        if not self.hexagonal:
            return f"h{CELL}v{CELL}h-{CELL}z"
        half, side = CELL / 2, CELL / math.sqrt(3)
        return (
            f"m0 {half - side / 2:.2f}l{half:g}-{side / 2:.2f} {half:g} {side / 2:.2f}v{side:.2f}"
            f"l-{half:g} {side / 2:.2f}-{half:g}-{side / 2:.2f}z"
        )

    def corner(self, y: int, x: int) -> tuple[float, float]:
        """Return the upper left corner of the square for a cell's piece."""
        return x * CELL + y * self.shift, y * self.pitch

    def outline(self, y: int, x: int) -> str:
        """Return a cell's outline as an SVG path."""
        left, top = self.corner(y, x)
        return f"M{left:g} {top:g}{self.shape}"

    def edge(self, side: int) -> str:
        """Return the outer sides of the cells along one edge (0 to 3: top, right, bottom, left) as an SVG path."""
        rows, columns = range(self.rows), range(self.columns)
        cells = [
            [(0, x) for x in columns], [(y, columns[-1]) for y in rows], [(rows[-1], x) for x in columns],
            [(y, 0) for y in rows],
        ][side]  # fmt: skip
        half, size = CELL / 2, CELL / math.sqrt(3)
        corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
        lines = [corners[:2], corners[1:3], corners[2:], [corners[3], corners[0]]]
        if self.hexagonal:
            top, right, low, bottom, left_low, left = (
                (0.0, -size), (half, -size / 2), (half, size / 2), (0.0, size), (-half, size / 2), (-half, -size / 2)
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
        """The data attributes of a hexagonal grid, for a script that moves pieces; empty for squares."""
        data = Markup(' data-shift="{:g}" data-pitch="{:g}" data-shape="{}"')
        return data.format(self.shift, self.pitch, self.shape) if self.hexagonal else Markup("")


def board_svg(board: Board, pieces: Pieces, highlights: Highlights | None = None, label: str = "") -> Markup:
    """Return a position as an SVG picture.

    ``label`` is the id of the element that describes the picture. A script may replace the content of the groups
    ``pieces`` and ``marks``.
    """
    grid = Grid.from_board(board)
    width, height = grid.width, grid.height
    shades = "".join(grid.outline(y, x) for y, x in sorted(board.shaded))
    ground = f'<rect width="{width:g}" height="{height:g}" class="ground"/>'
    lines = "".join(f"M{x * CELL} 0v{height:g}" for x in range(grid.columns + 1))
    lines += "".join(f"M0 {y * CELL}h{width:g}" for y in range(grid.rows + 1))
    if board.hexagonal or board.outside:
        cells = [(y, x) for y in range(grid.rows) for x in range(grid.columns) if (y, x) not in board.outside]
        lines = "".join(grid.outline(*place) for place in cells)
        ground = f'<path d="{lines}" class="ground"/>'
    names = [
        _coordinate(left + CELL / 2, y, name, pieces.turned)
        for x, name in enumerate(board.columns)
        for left, y in ((grid.corner(0, x)[0], -EDGE / 2), (grid.corner(grid.rows - 1, x)[0], height + EDGE / 2))
    ]
    names += [
        _coordinate(x, top + CELL / 2, name, pieces.turned)
        for y, name in enumerate(board.rows)
        for left, top in (grid.corner(y, 0),)
        # A number is that of the first square only.
        for x in (left - EDGE / 2, left + grid.columns * CELL + EDGE / 2)[: 2 if board.columns[0].strip() else 1]
    ]
    goals = [
        f'<path d="{grid.edge(side)}" class="goal owner-{seat}"/>' for side, seat in enumerate(board.goals) if seat >= 0
    ]
    below, above = _highlight_layers(highlights or {}, grid)
    parts = [
        ground,
        f'<path d="{shades}" class="shade"/>' if shades else "",
        f'<g class="marks">{below}</g>',
        f'<path d="{lines}" class="lines"/>',
        *goals,
        f'<g class="names">{"".join(names)}</g>',
        f'<g class="pieces">{_piece_uses(pieces, board)}</g>',
        above,
    ]
    if pieces.turned:
        parts = [f'<g transform="rotate(180 {width / 2:g} {height / 2:g})">', *parts, "</g>"]
    role = Markup('role="img" aria-labelledby="{}"').format(label) if label else Markup('aria-hidden="true"')
    view = f"{-EDGE} {-EDGE} {width + 2 * EDGE:g} {height + 2 * EDGE:g}"
    # A small board does not fill a column made for a large one.
    max_width = min(WIDEST, ROOMY * (width + 2 * EDGE))
    return Markup('<svg class="board" viewBox="{}" data-columns="{}"{} style="max-width:{:.3g}rem" {}>{}</svg>').format(
        view, grid.columns, grid.attributes, max_width, role, Markup("".join(parts))
    )


def standalone_board_svg(board: Board, highlights: Highlights | None = None) -> str:
    """Return a position as an SVG document with its own styles, for a file or a notebook.

    Ids are derived from the content, so they are reproducible and do not clash on a shared page.
    """
    picture = board_svg(board, Pieces(""), highlights)
    name = f"wb{hashlib.sha256(picture.encode()).hexdigest()[:10]}"
    pieces = Pieces(name)
    attributes, _, content = board_svg(board, pieces, highlights).removeprefix("<svg ").partition(">")
    view = re.search(r'viewBox="(\S+) (\S+) (\S+) (\S+)"', attributes)
    assert view
    width, height = float(view[3]) * PIXELS, float(view[4]) * PIXELS
    head = f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" width="{width:g}" height="{height:g}" {attributes}>'
    return f"{head}<style>{_styles(name)}</style>{pieces.symbols()}{content}"


@functools.cache
def _style_sheet() -> tuple[tuple[str, str], ...]:
    """Return (selector, body) for each rule of the boards' light style sheet, with variables replaced."""
    text = re.sub(r"/\*.*?\*/", "", STYLES.read_text(encoding="utf-8"), flags=re.DOTALL)
    light, _, remainder = text.partition("@media")
    text = light + remainder.partition("}\n}")[2]
    values = {"--quiet": "#5a5f66", "--mark": "#ffd34d", **dict(re.findall(r"(--[\w-]+): ([^;]+);", light))}
    text = re.sub(r"var\((--[\w-]+)\)", lambda match: values[match[1]], text)
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", text)
    return tuple((selector.strip(), body.strip()) for selector, body in rules if ":root" not in selector)


def _styles(name: str) -> str:
    """Return the style sheet for the elements and symbols whose ids start with ``name``."""
    # Browsers match the symbol of a <use> element as if it had no ancestors.
    return "".join(
        f"[id^={name}] {selector.removeprefix('.board ')} {{ {body} }}"
        for selector, body in _style_sheet()
        if not selector.startswith("svg")
    )


def _coordinate(x: float, y: float, name: str, turned: bool) -> str:
    turn = f' transform="rotate(180 {x:g} {y:g})"' if turned else ""
    return f'<text x="{x:g}" y="{y:g}"{turn}>{escape(name)}</text>'


def _piece_uses(pieces: Pieces, board: Board) -> str:
    grid, half, name = Grid.from_board(board), CELL // 2, escape(pieces.name)
    corners = [grid.corner(y, x) for y in range(grid.rows) for x in range(grid.columns)]
    return "".join(
        f'<use href="#{name}-{n}" x="{left + half:g}" y="{top + half:g}"/>'
        for (left, top), n in zip(corners, pieces.numbers(board), strict=True)
        if n
    )


def _highlight_layers(highlights: Highlights, grid: Grid) -> tuple[str, str]:
    """Return the highlight layers below and above the pieces."""
    below, above = [], []
    for kind, cells in highlights.items():
        for y, x in sorted(cells):
            left, top = grid.corner(y, x)
            if kind == "open":
                above.append(f'<circle cx="{left + CELL / 2}" cy="{top + CELL / 2}" r="1.9" class="open"/>')
            elif kind == "shut":
                above.append(f'<path d="M{left + 3:g} {top + 3:g}l4 4m0-4l-4 4" class="shut"/>')
            elif grid.hexagonal:
                below.append(f'<path d="{grid.outline(y, x)}" class="{escape(kind)}"/>')
            else:
                position = f'x="{left:g}" y="{top:g}" width="{CELL}" height="{CELL}"'
                below.append(f'<rect {position} class="{escape(kind)}"/>')
    return "".join(below), "".join(above)
