"""Boards as SVG, drawn from the cell grid that every family's notation gives.

Each piece that a page shows is drawn once, as an SVG symbol with a number, and used by that number wherever it stands:
in the pictures made here, and in those that the page's script makes while a game is replayed.
"""

from __future__ import annotations

import functools
import hashlib
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from workbench.games.declaration import Board

if TYPE_CHECKING:
    from workbench.report.model import Highlights

CELL, EDGE = 10, 7
"""Size of a cell, and of the margin with the names of columns and rows."""
WIDEST, ROOMY = 26, 0.28
"""How wide a board is on screen at most, and for each of its units, in rem."""
PIXELS = 2.6
"""Of each unit of a board that stands by itself."""
STYLES = Path(__file__).parent / "boards.css"
STAR = "0,-4 1.03,-1.42 3.8,-1.24 1.66,0.54 2.35,3.24 0,1.75 -2.35,3.24 -1.66,0.54 -3.8,-1.24 -1.03,-1.42"
WEDGE = "0,-4.4 3.2,-2.9 3.9,4.2 -3.9,4.2 -3.2,-2.9"
SHAPES = {
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
        """The number of a piece; a new one is added."""
        return self._numbers.setdefault(piece, len(self._numbers))

    def numbers(self, board: Board) -> list[int]:
        """The numbers of all cells, row by row."""
        return [self.number(piece) for row in board.pieces() for piece in row]

    def symbols(self) -> Markup:
        """The symbols, to be used by their numbers."""
        parts = [
            Markup('<g id="{}-{}" data-piece="{}" data-owner="{}">{}</g>').format(
                self.name, n, *piece, _piece_markup(*piece)
            )
            for piece, n in self._numbers.items()
            if n
        ]
        return Markup("<defs>{}</defs>").format(Markup("").join(parts))

    def definitions(self) -> Markup:
        """The symbols, as an SVG that itself shows nothing; comes before what uses them is on screen."""
        empty = Markup('<svg class="defs" width="0" height="0" aria-hidden="true">{}</svg>')
        return empty.format(self.symbols())


def _piece_markup(symbol: str, owner: int) -> Markup:
    if owner == -1 and symbol in SHAPES:
        return Markup(SHAPES[symbol])
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
    """A piece by itself, in the size of the text around it."""
    picture = Markup('<svg class="piece" viewBox="-5 -5 10 10" aria-hidden="true">{}</svg>')
    return picture.format(_piece_markup(symbol, owner))


@dataclass(frozen=True)
class Grid:
    """Where the cells of a board lie in its picture: squares, or hexagons that stand on a corner."""

    rows: int
    columns: int
    hexagonal: bool

    @classmethod
    def from_board(cls, board: Board) -> Grid:
        """The grid of a board."""
        return cls(len(board.cells), len(board.cells[0]), board.hexagonal)

    @property
    def shift(self) -> float:
        """How much farther to the right a row lies than the one above it."""
        return CELL / 2 if self.hexagonal else 0.0

    @property
    def pitch(self) -> float:
        """How much lower a row lies than the one above it."""
        return round(CELL * math.sqrt(3) / 2, 2) if self.hexagonal else float(CELL)

    @property
    def width(self) -> float:
        """That of the picture, without margins."""
        return self.columns * CELL + (self.rows - 1) * self.shift

    @property
    def height(self) -> float:
        """That of the picture, without margins."""
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
        """The left upper corner of the square around a cell's piece."""
        return x * CELL + y * self.shift, y * self.pitch

    def outline(self, y: int, x: int) -> str:
        """The outline of a cell as an SVG path."""
        left, top = self.corner(y, x)
        return f"M{left:g} {top:g}{self.shape}"

    def edge(self, side: int) -> str:
        """The outer lines of the cells at the top (0), right, bottom or left edge as an SVG path."""
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
        """What a script that moves pieces must know of hexagons."""
        if not self.hexagonal:
            return Markup("")
        return Markup(' data-shift="{:g}" data-pitch="{:g}" data-shape="{}"').format(self.shift, self.pitch, self.shape)


def board_svg(board: Board, pieces: Pieces, highlights: Highlights | None = None, label: str = "") -> Markup:
    """A position as an SVG picture.

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
    """A position as an SVG document with its own styles, for a file or a notebook.

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
    """The style sheet for what lies in the element of a name, and in the symbols that are called after it.

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
    """What lies below the pieces, and what above them."""
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
