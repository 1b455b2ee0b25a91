"""Charts and boards on axes that somebody else has made, or on new ones of pyplot: for programs and notebooks."""

from __future__ import annotations

import math

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import RegularPolygon

from workbench.games.declaration import Board
from workbench.language import translated
from workbench.report.model import Chart
from workbench.report.render.matplotlib import (
    BAND,
    BASELINE,
    INK,
    QUIET,
    STRIPE,
    draw_rows,
    draw_scale,
    figure_style,
    legend_artists,
    rows_height,
    text_width,
    wrap_text,
)

WIDTH, FRAME = 9.0, 1.9
"""Inches: the width of new axes with all that stands beside them, and what stands above and below."""
NARROWEST = 2.0
"""Inches of axes beside others."""
CELL = 0.42
"""Inches of a board's cell on new axes."""


def draw_chart(described: Chart, axes: Axes | None = None, lang: str = "en") -> Axes:
    """Draws a chart of the report: a row for each ruleset, its numbers at the right; returns the axes."""
    rows, scale = described.panel.rows, described.panel.scale
    row_height = rows_height(rows)
    with figure_style():
        axes = axes or _new_axes(WIDTH, FRAME + row_height * len(rows))
        draw_scale(axes, scale, max(len(rows), 1))
        names = [translated(row.label, lang) + f"\n{translated(BASELINE, lang)}" * row.baseline for row in rows]
        title, numbers = translated(described.title, lang), 0.0
        # Axes that somebody else has made have the fonts of their time.
        family = mpl.rcParams["font.family"]
        axes.set_yticks(range(len(rows)), names, family=family)
        axes.tick_params(axis="y", length=0)
        for place in range(0, len(rows), 2):
            axes.axhspan(place - 0.5, place + 0.5, color=STRIPE, linewidth=0, zorder=0)
        for line, y, gid in draw_rows(axes, rows, row_height):
            text = translated(line.text, lang)
            numbers = max(numbers, text_width(text, 8.5))
            axes.text(1.02, y, text, transform=axes.get_yaxis_transform(), va="center", size=8.5, color=INK,
                      gid=f"text/{gid}")  # fmt: skip
        told = scale.left is not None and scale.right is not None
        ends = f"← {translated(scale.left or '', lang)}   |   {translated(scale.right or '', lang)} →" if told else ""
        beside = max((text_width(line, 10) for name in names for line in name.splitlines()), default=0) + numbers + 0.4
        inner = max(NARROWEST, text_width(ends, 9))
        width = _make_room(axes, inner + beside, FRAME + row_height * len(rows)) - beside + numbers
        axes.set_title(
            "\n".join(wrap_text(title, width, 11, bold=True)), loc="left", size=11, weight="bold", family=family
        )
        axes.set_xlabel(ends, color=QUIET, size=9, family=family)
        if len(described.series) > 1:
            # Below the axis and what stands there, in letters: axes may be of any height.
            axes.legend(handles=legend_artists(described.series, lang), loc="upper left", bbox_to_anchor=(0, 0),
                        borderaxespad=4, ncols=min(len(described.series), 4), frameon=False, fontsize=9)  # fmt: skip
    return axes


def draw_board(drawn: Board, marked: frozenset[tuple[int, int]] = frozenset(), axes: Axes | None = None) -> Axes:
    """Draws a position, some of its cells marked; returns the axes."""
    rows, columns = len(drawn.cells), len(drawn.cells[0])
    # Rows of hexagons, which stand on a corner, are closer, and each lies half a cell to the right of the one above it.
    shift, pitch, corners, turned = (0.5, math.sqrt(3) / 2, 6, 0.0) if drawn.hexagonal else (0.0, 1.0, 4, math.pi / 4)
    radius = 0.5 / math.cos(math.pi / corners)
    with figure_style():
        axes = axes or _new_axes(CELL * (columns + shift * rows) + 1.0, CELL * pitch * rows + 1.0)
        for y, row in enumerate(drawn.pieces()):
            for x, (symbol, owner) in enumerate(row):
                if (y, x) in drawn.outside:
                    continue
                middle = x + shift * y, pitch * y
                fill = BAND if (y, x) in marked else STRIPE if (y, x) in drawn.shaded else "none"
                axes.add_patch(
                    RegularPolygon(middle, corners, radius=radius, orientation=turned, facecolor=fill, edgecolor=QUIET,
                                   linewidth=0.6, zorder=1, gid="last" if (y, x) in marked else None)
                )  # fmt: skip
                if symbol:
                    axes.text(*middle, symbol, ha="center", va="center", rotation=180 if owner == 1 else 0, zorder=3,
                              size=16 if len(symbol) == 1 else 9, color=INK, gid=f"piece/{y}/{x}")  # fmt: skip
        right, bottom = columns - 1 + shift * (rows - 1), pitch * (rows - 1)
        axes.set(xlim=(-0.6, right + 0.6), ylim=(bottom + 0.6, -0.6), aspect="equal")
        axes.set_xticks([x + shift * (rows - 1) for x in range(columns)], drawn.columns)
        axes.set_yticks([pitch * y for y in range(rows)], drawn.rows)
        axes.tick_params(length=0, colors=QUIET)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.set_xlabel("\n".join(drawn.notes), color=QUIET, size=9)
    return axes


def _make_room(axes: Axes, width: float, height: float) -> float:
    """Lays a figure out that nobody has laid out, large enough for such charts in all of its cells.

    Returns the inches of the axes' share of its width.
    """
    figure, cell = axes.figure, axes.get_subplotspec()
    if cell is None or not isinstance(figure, Figure):
        return WIDTH
    grid = cell.get_gridspec()
    columns, rows = grid.ncols / len(cell.colspan), grid.nrows / len(cell.rowspan)
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")
    size = figure.get_size_inches()
    figure.set_size_inches(max(size[0], columns * width), max(size[1], rows * height))
    return float(figure.get_size_inches()[0] / columns)


def _new_axes(width: float, height: float) -> Axes:
    """Axes of a new figure of pyplot, which a notebook shows."""
    from matplotlib import pyplot

    made: Axes = pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    return made
