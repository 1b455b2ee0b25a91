"""Charts and boards on axes that somebody else has made, or on new ones of pyplot: for programs and notebooks."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from workbench.games.declaration import Board
from workbench.language.text import LANGUAGES
from workbench.report.model import Chart
from workbench.report.render.matplotlib import (
    BAND,
    BASELINE,
    INK,
    QUIET,
    STRIPE,
    draw_rows,
    draw_scale,
    legend,
    room_for,
)
from workbench.report.render.typesetting import style

WIDTH, FRAME = 9.0, 1.9
"""Inches: the width of new axes with all that stands beside them, and what stands above and below."""
CELL = 0.42
"""Inches of a board's cell on new axes."""


def chart(described: Chart, axes: Axes | None = None, lang: str = "en") -> Axes:
    """Draws a chart of the report: a row for each ruleset, its numbers at the right; returns the axes."""
    which = LANGUAGES.index(lang)
    rows, scale = described.panel.rows, described.panel.scale
    row_height = room_for(rows)
    with style():
        axes = axes or _new(WIDTH, FRAME + row_height * len(rows))
        draw_scale(axes, scale, max(len(rows), 1))
        names = [f"{row.label[which]}\n{BASELINE[which]}" if row.baseline else row.label[which] for row in rows]
        axes.set_yticks(range(len(rows)), names)
        axes.tick_params(axis="y", length=0)
        for place in range(0, len(rows), 2):
            axes.axhspan(place - 0.5, place + 0.5, color=STRIPE, linewidth=0, zorder=0)
        for line, y, gid in draw_rows(axes, rows, row_height):
            axes.text(1.02, y, line.text[which], transform=axes.get_yaxis_transform(), va="center", size=8.5,
                      color=INK, gid=f"text/{gid}")  # fmt: skip
        axes.set_title(described.title[which], loc="left", size=11, weight="bold")
        if scale.left is not None and scale.right is not None:
            axes.set_xlabel(f"← {scale.left[which]}   |   {scale.right[which]} →", color=QUIET, size=9)
        if len(described.series) > 1:
            # Below the axis and what stands there, in letters: axes may be of any height.
            axes.legend(handles=legend(described.series, which), loc="upper left", bbox_to_anchor=(0, 0),
                        borderaxespad=4, ncols=min(len(described.series), 4), frameon=False, fontsize=9)  # fmt: skip
    return axes


def board(drawn: Board, marked: frozenset[tuple[int, int]] = frozenset(), axes: Axes | None = None) -> Axes:
    """Draws a position, some of its cells marked; returns the axes."""
    rows, columns = len(drawn.cells), len(drawn.cells[0])
    with style():
        axes = axes or _new(CELL * columns + 1.0, CELL * rows + 1.0)
        for y, x in drawn.shaded:
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=STRIPE, edgecolor="none", zorder=0))
        for y, x in marked:
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=BAND, edgecolor="none", zorder=1, gid="last"))
        for edge in range(columns + 1):
            axes.plot([edge - 0.5] * 2, [-0.5, rows - 0.5], color=QUIET, linewidth=0.6, zorder=2)
        for edge in range(rows + 1):
            axes.plot([-0.5, columns - 0.5], [edge - 0.5] * 2, color=QUIET, linewidth=0.6, zorder=2)
        for y, row in enumerate(drawn.pieces()):
            for x, (symbol, owner) in enumerate(row):
                if symbol:
                    axes.text(x, y, symbol, ha="center", va="center", rotation=180 if owner == 1 else 0, zorder=3,
                              size=16 if len(symbol) == 1 else 9, color=INK, gid=f"piece/{y}/{x}")  # fmt: skip
        axes.set(xlim=(-0.6, columns - 0.4), ylim=(rows - 0.4, -0.6), aspect="equal")
        axes.set_xticks(range(columns), drawn.columns)
        axes.set_yticks(range(rows), drawn.rows)
        axes.tick_params(length=0, colors=QUIET)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.set_xlabel("\n".join(drawn.notes), color=QUIET, size=9)
    return axes


def _new(width: float, height: float) -> Axes:
    """Axes of a new figure of pyplot, which a notebook shows."""
    from matplotlib import pyplot

    made: Axes = pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    return made
