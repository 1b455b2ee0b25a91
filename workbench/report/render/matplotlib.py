"""Charts as figures of matplotlib, for PNG and SVG files. Figures are values: no window, no global state.

Each series has one colour and one marker, told apart by colour-blind readers too (M. Okabe, K. Ito, "Color Universal
Design", 2008). Artists that carry data have a ``gid`` such as ``dot/chatra/C+D/greedy``, so that a test (or a script in
the SVG) can find them.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from workbench.files import output
from workbench.language.text import LANGUAGES, Text
from workbench.report.marks import (
    Bounds,
    Course,
    Dot,
    Exact,
    Interval,
    Line,
    Mark,
    Median,
    Row,
    Scale,
    Series,
    Survival,
)
from workbench.report.model import Chart, HeatMap, SmallMultiples
from workbench.report.render.typesetting import shortened, style, width_of, wrap

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8C6D31")
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "p")
INK, QUIET, FAINT, STRIPE, BAND = "#1a1a1a", "#5f6368", "#c9ccd1", "#f5f6f8", "#ffe9a8"
DPI = 150
TEXT_LINE = 0.15
"""Inches from line to line of a row's names."""
LINE, TALL_LINE, HIGH_LINE = 0.19, 0.42, 0.85
"""Inches that a line of a row takes, one that has an area in it, and one that has a course."""
MARGIN, EDGE = 0.3, 0.1
"""Inches of paper to the left of the text and to the right of the panels."""
ALONE, BESIDE = 6.4, (1.5, 2.6)
"""Inches that the panel of a single chart is wide, and each of several at least and at most."""
NAMES, TITLES, NAMES_ALONE = 2.4, 3.0, 5.4
"""Inches for names and for titles; names that need more get the room of both, and tell what the titles would."""
TALLEST = 60.0
"""Inches: as many rows are drawn as fit, and at least `FEWEST`; tables have them all."""
FEWEST = 10
BASELINE = Text("baseline", "基準")
FOLDED = Text(
    "Drawn: the first {most} of {all}; the tables have all.", "図は全{all}件のうち最初の{most}件。表にはすべてある。"
)


def figure(part: Chart | SmallMultiples, lang: str = "en", heading: str = "") -> Figure:
    """A chart with its caption, or several with one caption beside each other; a row of each stands in one line.

    ``heading``: what the report is called, since a file may lie anywhere.
    """
    which = LANGUAGES.index(lang)
    charts = [part] if isinstance(part, Chart) else [item for item in part.items if isinstance(item, Chart)]
    with style():
        sheet = _Sheet(part, charts, which, heading)
        for number, (axes, chart) in enumerate(zip(sheet.axes, charts, strict=True)):
            draw_scale(axes, chart.panel.scale)
            if len(charts) == 1:
                sheet.write_sides(axes, chart.panel.scale)
            of_name = {row.name: row for row in chart.panel.rows}
            for place, row in enumerate(sheet.rows):
                if row.name in of_name:
                    for line, y, height in lines_of(of_name[row.name], place, sheet.row_height):
                        draw_line(axes, line, y, height, "/".join(filter(None, (row.name, line.name))))
                        sheet.write_value(number, line, y, "/".join(filter(None, (row.name, line.name))))
    return sheet.figure


def lines_of(row: Row, place: int, row_height: float) -> Iterator[tuple[Line, float, float]]:
    """The lines of a row, each with its place and height, in rows of the panel; an area stands on its line.

    ``row_height`` is that of the panel's rows, in inches.
    """
    y = place * row_height - sum(map(height_of, row.lines)) / 2
    for line in row.lines:
        height = height_of(line)
        y += height
        middle = y - 0.07 if line.tall or line.high else y - height / 2
        yield line, middle / row_height, (height - 0.1) / row_height


def draw_scale(axes: Axes, scale: Scale) -> None:
    """Gives axes a scale, with the band and the even line of it."""
    axes.set_xlim(scale.low, scale.high)
    axes.set_xticks([place for place, _ in scale.ticks], [label for _, label in scale.ticks])
    if scale.band:
        low, high = (min(max(end, scale.low), scale.high) for end in scale.band)
        axes.axvspan(low, high, color=BAND, zorder=0.5, linewidth=0, gid="band")
    if scale.even is not None:
        axes.axvline(scale.even, color=INK, linewidth=1.0, zorder=1.5, gid="even")


def draw_line(axes: Axes, line: Line, y: float, height: float, gid: str) -> None:
    """Draws the marks of a line at ``y``; an area ends ``height`` above it."""
    for mark in line.marks:
        _draw_mark(axes, mark, line.series, y, height, gid)


def _draw_mark(axes: Axes, mark: Mark, series: int, y: float, height: float, gid: str) -> None:
    colour, marker = look(series)
    left, right = axes.get_xlim()
    match mark:
        case Survival(steps) if steps:
            # The bar below it is a little apart.
            floor = y - 0.12 * height
            edges = np.clip([left, *(place for place, _ in steps)], left, right)
            shares = np.array([1.0, *(share for _, share in steps[:-1])])
            axes.stairs(floor - 0.88 * height * shares, edges, baseline=floor, fill=True, color=colour, alpha=0.3,
                        linewidth=0, gid=f"survival/{gid}")  # fmt: skip
        case Course():
            _draw_course(axes, mark, colour, y, height, gid)
        case Bounds(low, high) if math.isfinite(low) and math.isfinite(high):
            axes.plot(np.clip([low, high], left, right), [y, y], color=colour, linewidth=0.9, zorder=2,
                      gid=f"bounds/{gid}")  # fmt: skip
            axes.plot([end for end in (low, high) if left <= end <= right],
                      [y for end in (low, high) if left <= end <= right], "|", color=colour, markersize=5, zorder=2,
                      gid=f"bounds-ends/{gid}")  # fmt: skip
            _draw_arrows(axes, low, high, y, colour, gid)
        case Interval(low, high) if not math.isnan(low) and not math.isnan(high):
            axes.plot(np.clip([low, high], left, right), [y, y], color=colour, linewidth=2.4, solid_capstyle="butt",
                      zorder=3, gid=f"interval/{gid}")  # fmt: skip
            _draw_arrows(axes, low, high, y, colour, gid)
        case Dot(value, hollow) if math.isfinite(value):
            face = "white" if hollow else colour
            axes.plot([value], [y], marker=marker, markersize=6, color=colour, markerfacecolor=face, zorder=4,
                      markeredgewidth=1.3, gid=f"dot/{gid}")  # fmt: skip
        case Median(value) if math.isfinite(value):
            axes.plot([value], [y], marker="|", markersize=9, markeredgewidth=2, color=INK, zorder=4,
                      gid=f"median/{gid}")  # fmt: skip
        case Exact(value) if math.isfinite(value):
            axes.plot([value], [y], marker="D", markersize=7, markerfacecolor="none", markeredgecolor=INK, zorder=4.5,
                      gid=f"exact/{gid}")  # fmt: skip


def _draw_course(axes: Axes, course: Course, colour: str, y: float, height: float, gid: str) -> None:
    """A course with its band, and behind it what it is compared with, on a floor at ``y``."""
    left, right = axes.get_xlim()
    axes.fill_between([left, right], y, y - height, color="none", edgecolor=FAINT, linewidth=0.5, zorder=1)
    if course.points:
        at, low, middle, high = (np.array(column) for column in zip(*course.points, strict=True))
        axes.fill_between(at, y - height * low, y - height * high, color=colour, alpha=0.28, linewidth=0, zorder=2,
                          gid=f"band/{gid}")  # fmt: skip
        axes.plot(at, y - height * middle, color=colour, linewidth=1.6, zorder=4, gid=f"course/{gid}")
    if course.level is not None:
        axes.plot([left, right], [y - height * course.level] * 2, color=QUIET, linewidth=0.6, zorder=2.5)
    if course.behind:
        at, middle = (np.array(column) for column in zip(*course.behind, strict=True))
        axes.plot(at, y - height * middle, color=QUIET, linewidth=1.4, linestyle=(0, (4, 2)), zorder=3,
                  gid=f"behind/{gid}")  # fmt: skip
    for text, place, side in zip(course.ends, (y, y - height), ("bottom", "top"), strict=True):
        axes.text(left, place, f" {text}", size=6.5, color=QUIET, va=side, ha="left", zorder=5)


def _draw_arrows(axes: Axes, low: float, high: float, y: float, colour: str, gid: str) -> None:
    """Arrows at the edges of the scale beyond which a line goes on."""
    left, right = axes.get_xlim()
    for beyond, edge, arrow in ((low < left, left, "<"), (high > right, right, ">")):
        if beyond:
            axes.plot([edge], [y], marker=arrow, markersize=5, color=colour, clip_on=False, zorder=3,
                      gid=f"beyond/{gid}")  # fmt: skip


class _Sheet:
    """A figure with a heading, a column of names, and panels whose rows stand beside the names."""

    def __init__(self, part: Chart | SmallMultiples, charts: Sequence[Chart], which: int, heading: str) -> None:
        """``which``: 0 for English, 1 for Japanese."""
        self.which = which
        every_row = list({row.name: row for chart in charts for row in chart.panel.rows}.values())
        plots = max((sum(map(height_of, row.lines)) for row in every_row), default=LINE) + 0.16
        candidates = every_row[: _fitting(len(every_row), plots)]
        self._layout_names(candidates)
        most = max((max(len(label) + row.baseline, len(title)) for row, label, title in
                    zip(candidates, self.labels, self.titles, strict=True)), default=1)  # fmt: skip
        text = TEXT_LINE * most + 0.1
        self.row_height = max(plots, text)
        self.rows = candidates[: _fitting(len(candidates), self.row_height)]
        folded = _folded(len(self.rows), len(every_row), which)
        self.count = max(1, len(self.rows))
        left = MARGIN + self.name_width + self.title_width + 0.15
        panel = ALONE if len(charts) == 1 else min(BESIDE[1], max(BESIDE[0], ALONE / max(1, len(charts))))
        drawn = {row.name for row in self.rows}
        lines = [
            [line.text[which] for row in chart.panel.rows if row.name in drawn for line in row.lines]
            for chart in charts
        ]
        values = [max((width_of(text, 8.5) for text in texts), default=0.0) + 0.15 for texts in lines]
        gap = 0.2
        self.width = left + sum(panel + value + gap for value in values) - gap + EDGE
        inner = self.width - 2 * MARGIN
        above = [] if len(charts) <= 1 else [wrap(chart.title[which], panel + value, 10, bold=True) for chart, value in
                                             zip(charts, values, strict=True)]  # fmt: skip
        captions = [part.caption[which]]
        if isinstance(part, SmallMultiples):
            captions.append((" " if which == 0 else "").join(chart.caption[which] for chart in charts))
        small = [line for caption in [*captions, folded] if caption for line in wrap(caption, inner, 9)]
        blocks = [(wrap(heading, inner, 14, bold=True), 14.0, 0.25, "bold", INK, "heading"),
                  (wrap(part.title[which], inner, 11, bold=True), 11.0, 0.21, "bold", INK, "title"),
                  (small, 9.0, 0.17, "normal", QUIET, "caption")]  # fmt: skip
        handles = legend(next((chart.series for chart in charts if len(chart.series) > 1), ()), which)
        columns, legend_height = _legend_size(handles, inner)
        self.sided = len(charts) == 1 and charts[0].panel.scale.left is not None
        mirrored = self.count > FEWEST
        tick_room = (0.34 if mirrored else 0.16) + 0.17 * max(map(len, above), default=0)
        top = 0.2 + sum(len(lines) * step + 0.05 for lines, _, step, *_ in blocks if lines) + legend_height + tick_room
        self.bottom = 0.62 if self.sided else 0.4
        self.height = top + self.count * self.row_height + self.bottom
        self.figure = Figure(figsize=(self.width, self.height), dpi=DPI)
        FigureCanvasAgg(self.figure)
        self._ground = self._add_ground()
        self._write_names()
        self.axes: list[Axes] = []
        self.value_places: list[float] = []
        x = left
        for i, (chart, value) in enumerate(zip(charts, values, strict=True)):
            self.axes.append(self._add_panel(x, panel, mirrored=mirrored))
            self.value_places.append(x + panel + 0.12)
            if above:
                self._write(x, self.height - top + tick_room - 0.06, above[i], 10, 0.17, "bold",
                            look(_series(chart, i))[0] if not handles else INK, f"panel/{chart.id}")  # fmt: skip
            x += panel + value + gap
        y = self.height - 0.25
        for lines_of_block, size, step, weight, colour, gid in blocks:
            if lines_of_block:
                self._write(MARGIN, y, lines_of_block, size, step, weight, colour, gid)
                y -= len(lines_of_block) * step + 0.05
        if handles:
            self.figure.legend(
                handles=list(handles), loc="upper left", ncols=columns, frameon=False, borderaxespad=0, borderpad=0,
                fontsize=9, handlelength=1.8, columnspacing=1.6,
                bbox_to_anchor=(MARGIN / self.width, (y + 0.06) / self.height),
            )  # fmt: skip

    def _layout_names(self, rows: Sequence[Row]) -> None:
        """Breaks names and titles into lines, and takes the width that they need."""
        names = [row.label[self.which] for row in rows]
        widest = max((width_of(name, 9, bold=True) for name in names), default=0.5)
        titled = widest <= NAMES and any(row.title.en for row in rows)
        self.title_width = TITLES if titled else 0.0
        room = NAMES if titled else NAMES_ALONE
        self.name_width = min(room, max(widest, 0.6)) + 0.18
        self.labels = [shortened(wrap(name, room, 9, bold=True), 3) for name in names]
        self.titles: list[list[tuple[str, str]]] = []
        for row in rows:
            english, japanese = row.title if titled else ("", "")
            lines = [(line, "title") for line in shortened(wrap(english, TITLES, 8.5), 2)]
            if japanese != english:
                lines += [(line, "title_ja") for line in shortened(wrap(japanese, TITLES, 8), 2)]
            self.titles.append(lines)

    def write_value(self, panel: int, line: Line, y: float, gid: str) -> None:
        """Writes the text of a line to the right of its panel."""
        lift = (0.5 * HIGH_LINE if line.high else 0.1 if line.tall else 0.0) / self.row_height
        self._ground.text(self.value_places[panel], y - lift, line.text[self.which], va="center", size=8.5, color=INK,
                          gid=f"text/{gid}")  # fmt: skip

    def write_sides(self, axes: Axes, scale: Scale) -> None:
        """Writes below a panel what it means to be left and right of its even line."""
        if scale.even is None or scale.left is None or scale.right is None:
            return
        box = axes.get_position()
        even = self.width * (box.x0 + box.width * scale.share(scale.even))
        left, right = f"← {scale.left[self.which]}", f"{scale.right[self.which]} →"
        end = max(even - 0.11, MARGIN + width_of(left, 9))
        start = min(max(even + 0.11, end + 0.22), self.width - EDGE - width_of(right, 9))
        y = (self.bottom - 0.42) / self.height
        self.figure.text(end / self.width, y, left, ha="right", size=9, color=QUIET, va="center", gid="side/left")
        self.figure.text(start / self.width, y, right, ha="left", size=9, color=QUIET, va="center", gid="side/right")

    def _add_ground(self) -> Axes:
        """The rows over the whole width, with a stripe behind every second one."""
        axes = self.figure.add_axes((0, self.bottom / self.height, 1, self.count * self.row_height / self.height),
                                    zorder=-1)  # fmt: skip
        axes.set(xlim=(0, self.width), ylim=(self.count - 0.5, -0.5))
        axes.set_axis_off()
        for row in range(0, self.count, 2):
            axes.fill_between([MARGIN - 0.1, self.width], row - 0.5, row + 0.5, color=STRIPE, linewidth=0)
        return axes

    def _write_names(self) -> None:
        """Writes what the rows are called: their names, and beside these their titles in both languages."""
        line = TEXT_LINE / self.row_height
        for place, (row, label, titles) in enumerate(zip(self.rows, self.labels, self.titles, strict=False)):
            below = [BASELINE[self.which]] if row.baseline else []
            first = place - (max(len(titles), len(label) + len(below), 1) - 1) / 2 * line
            for i, text in enumerate(label):
                self._ground.text(MARGIN, first + i * line, text, va="center", size=9, weight="bold", color=INK,
                                  gid=f"name/{row.name}")  # fmt: skip
            for text in below:
                self._ground.text(MARGIN, first + len(label) * line, text, va="center", size=7.5, color=QUIET,
                                  gid="baseline")  # fmt: skip
            for i, (text, kind) in enumerate(titles):
                size, colour = (8.5, INK) if kind == "title" else (8.0, QUIET)
                self._ground.text(MARGIN + self.name_width, first + i * line, text, va="center", size=size,
                                  color=colour, gid=f"{kind}/{row.name}")  # fmt: skip

    def _add_panel(self, x: float, width: float, mirrored: bool) -> Axes:
        """Axes for a panel; ``mirrored``: ticks are labelled above, too."""
        place = (x, self.bottom, width, self.count * self.row_height)
        axes = self.figure.add_axes(
            (place[0] / self.width, place[1] / self.height, place[2] / self.width, place[3] / self.height)
        )
        axes.patch.set_visible(False)
        axes.set_ylim(self.count - 0.5, -0.5)
        axes.set_yticks([])
        for side in ("left", "right", "top"):
            axes.spines[side].set_visible(False)
        axes.spines["bottom"].set_color(FAINT)
        axes.tick_params(axis="x", colors=QUIET, labelsize=8.5, length=3, labeltop=mirrored)
        axes.grid(axis="x", color=FAINT, linewidth=0.5, zorder=1)
        axes.set_axisbelow(True)
        return axes

    def _write(
        self, x: float, y: float, lines: Sequence[str], size: float, step: float, weight: str, colour: str, gid: str
    ) -> None:
        for i, line in enumerate(lines):
            at = (x / self.width, (y - step * i) / self.height)
            self.figure.text(*at, line, size=size, color=colour, weight=weight, va="center", gid=gid)


def height_of(line: Line) -> float:
    """Inches that a line of a row takes."""
    return HIGH_LINE if line.high else TALL_LINE if line.tall else LINE


def _series(chart: Chart, place: int) -> int:
    """Whose colour the title of a panel has: that of its lines, of whatever series the first of them is."""
    return next((line.series for row in chart.panel.rows for line in row.lines), place)


def legend(series: Sequence[Series], which: int) -> list[Artist]:
    """What stands for each series in a legend."""
    return [
        Line2D([], [], color=look(one.number)[0], marker=look(one.number)[1], markersize=6, linewidth=2.4,
               label=one.label[which])
        for one in series
    ]  # fmt: skip


def _legend_size(handles: Sequence[Artist], room: float) -> tuple[int, float]:
    """Columns of a legend, and the inches that it is high."""
    if not handles:
        return 0, 0.0
    widths = [width_of(str(handle.get_label()), 9) + 0.55 for handle in handles]
    columns = len(widths) if sum(widths) <= room else max(1, int(room / max(widths)))
    return columns, 0.14 + 0.2 * -(-len(handles) // columns)


def _fitting(count: int, size: float) -> int:
    """How many rows, each so many inches high, are drawn."""
    return min(count, max(FEWEST, int(TALLEST / size)))


def _folded(drawn: int, count: int, which: int) -> str:
    """A sentence that says so where not all are drawn."""
    return FOLDED.format(most=drawn, all=f"{count:,}")[which] if drawn < count else ""


def heat_map(part: HeatMap, lang: str = "en", heading: str = "") -> Figure:
    """A matrix, blue above one half and orange below where that is shown, with the numbers in it."""
    which = LANGUAGES.index(lang)
    heat = part.heat
    columns = heat.columns[: _fitting(len(heat.columns), 1.1)]
    with style():
        cell_width = max(1.1, max((width_of(name, 9) for name in columns), default=0.0) + 0.15)
    columns = columns[: _fitting(len(columns), cell_width)]
    rows = heat.rows[: _fitting(len(heat.rows), 0.55)]
    folded = _folded(len(rows), len(heat.rows), which) or _folded(len(columns), len(heat.columns), which)
    cells = [line[: len(columns)] for line in heat.cells[: len(rows)]]
    shades = np.array([[cell.shade for cell in line] for line in cells], dtype=np.float64).reshape(len(rows), -1)
    colours = LinearSegmentedColormap.from_list("seats", [COLOURS[1], "white", COLOURS[0]])
    with style():
        named = max((width_of(name, 9) for name in rows), default=0.0)
        left = MARGIN + named + 0.15
        width = max(left + cell_width * len(columns) + MARGIN, 5.0)
        inner = width - 2 * MARGIN
        blocks = [(wrap(heading, inner, 14, bold=True), 14.0, 0.25, "bold", INK),
                  (wrap(part.title[which], inner, 11, bold=True), 11.0, 0.21, "bold", INK),
                  ([line for text in (part.caption[which], folded) if text
                    for line in wrap(text, inner, 9)], 9.0, 0.17, "normal", QUIET)]  # fmt: skip
        top = 0.25 + sum(len(lines) * step + 0.05 for lines, _, step, *_ in blocks if lines) + 0.65
        height = top + 0.55 * len(rows) + 0.25
        drawn = Figure(figsize=(width, height), dpi=DPI)
        FigureCanvasAgg(drawn)
        axes = drawn.add_axes(
            (left / width, 0.25 / height, cell_width * len(columns) / width, 0.55 * len(rows) / height)
        )
        # Half of the way to a sure win is as dark as it gets.
        axes.imshow(shades, cmap=colours, vmin=-0.6, vmax=0.6, aspect="auto", gid="matrix")
        for y, line in enumerate(cells):
            for x, cell in enumerate(line):
                if not math.isnan(cell.value):
                    ink = "white" if abs(cell.shade) > 0.48 else INK
                    axes.text(x, y, cell.text, ha="center", va="center", size=9, color=ink,
                              gid=f"share/{rows[y]}/{columns[x]}")  # fmt: skip
        axes.set_xticks(range(len(columns)), columns, size=9)
        axes.set_yticks(range(len(rows)), rows, size=9)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        y_text = height - 0.25
        for lines, size, step, weight, colour in blocks:
            for text in lines:
                drawn.text(MARGIN / width, y_text / height, text, size=size, color=colour, weight=weight, va="center")
                y_text -= step
            y_text -= 0.05 if lines else 0.0
        drawn.text(left / width, (height - top + 0.42) / height, heat.corner[which], size=8.5, color=QUIET, va="center")
    return drawn


def look(series: int) -> tuple[str, str]:
    """Colour and marker of a series; where colours begin again, the markers differ."""
    return COLOURS[series % 8], MARKERS[(series + series // 8) % 8]


def drawn(figure: Figure, kind: str) -> bytes:
    """A figure as a file, png or svg.

    The same figure gives the same bytes with the same version of matplotlib: no dates, no random identifiers.
    """
    buffer = io.BytesIO()
    metadata = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
    with style():
        # The last few per cent of a picture's size cost as much time as drawing it.
        quick: Any = {"pil_kwargs": {"compress_level": 3}} if kind == "png" else {}
        figure.savefig(buffer, format=kind, dpi=DPI, metadata=metadata, facecolor="white", **quick)
    return buffer.getvalue()


def save(figure: Figure, stem: Path) -> list[Path]:
    """Writes ``stem``.png and ``stem``.svg, each whole or not at all, and returns their paths; see `drawn`."""
    return [output.write(stem.with_name(f"{stem.name}.{kind}"), drawn(figure, kind)) for kind in ("png", "svg")]
