"""Charts as matplotlib figures, for PNG and SVG files, without windows or global state.

Each series has its own colour and marker; colour-blind readers can tell the colours apart (M. Okabe, K. Ito, "Color
Universal Design", 2008). Artists with data have a ``gid`` such as ``dot/chatra/C+D/greedy``, by which tests and scripts
in the SVG find them.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import RegularPolygon
from matplotlib.textpath import text_to_path

from workbench.base import output
from workbench.base.language import sentences, tr, translated
from workbench.games.declaration import Board
from workbench.report import model
from workbench.report.model import Chart, HeatMap, Scatter, SmallMultiples

POINT = 1 / 72
"""Inches."""
TICK_LETTER = 0.6 * 8.5 * POINT
"""Width of a tick label's letter, in inches."""
NO_START = "、。，．・：；？！ー）」』】…％,.:;?!)"  # noqa: RUF001 - these are the Japanese signs
"""Characters that must not start a line."""
_UNIT = re.compile(rf"\s+|[^\s\u2e80-\uffef]+|[（「『【]*[\u2e80-\uffef][{re.escape(NO_START)}]*")
"""An unbreakable unit: spaces, a word, or a Japanese character with adjacent punctuation."""


def figure_style() -> AbstractContextManager[None]:
    """Return a context manager with the settings of all figures: a Japanese font and literal dollar signs."""
    return mpl.rc_context(
        {"font.family": _font_families(), "svg.hashsalt": "workbench", "svg.fonttype": "path", "text.parse_math": False}
    )


def _font_families() -> list[str]:
    return ["DejaVu Sans", *_japanese_font()]


@cache
def _japanese_font() -> tuple[str, ...]:
    """Register the font of matplotlib-fontja and return its name, or an empty tuple if that package is missing.

    Importing the package would change the settings of the whole process.
    """
    spec = importlib.util.find_spec("matplotlib_fontja")
    if spec is None or spec.origin is None:
        return ()
    path = Path(spec.origin).parent / "fonts" / "ipaexg.ttf"
    if not path.is_file():
        return ()
    font_manager.fontManager.addfont(str(path))
    added = font_manager.fontManager.ttflist[-1]
    # The font has one weight; without an entry for bold, matplotlib warns before falling back to it.
    font_manager.fontManager.ttflist.append(dataclasses.replace(added, weight=700))
    return (added.name,)


@cache
def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return the width of a line of text in inches, using the fonts of `figure_style`."""
    return float(text_to_path.get_text_width_height_descent(text, _font(size, bold), ismath=False)[0]) * POINT


@cache
def _font(size: float, bold: bool) -> font_manager.FontProperties:
    return font_manager.FontProperties(family=_font_families(), size=size, weight="bold" if bold else "normal")


def wrap_text(text: str, width: float, size: float, bold: bool = False) -> list[str]:
    """Split a text into lines of at most ``width`` inches; longer words stay whole, Japanese breaks anywhere."""
    lines = [""]
    for unit in _UNIT.findall(text):
        if text_width((lines[-1] + unit).rstrip(), size, bold) <= width or not lines[-1]:
            lines[-1] += unit if lines[-1] else unit.lstrip()
        else:
            lines.append(unit.lstrip())
    return [line.rstrip() for line in lines if line.strip()]


def truncate_lines(lines: list[str], limit: int) -> list[str]:
    """Return at most ``limit`` lines, with an ellipsis if lines were dropped."""
    return lines if len(lines) <= limit else [*lines[: limit - 1], lines[limit - 1][:-1] + "…"]


COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8C6D31")
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "p")
INK, QUIET, FAINT, STRIPE, BAND = "#1a1a1a", "#5f6368", "#c9ccd1", "#f5f6f8", "#ffe9a8"
DPI = 150
TEXT_LINE = 0.15
"""The line height of a row's names, in inches."""
LINE, TALL_LINE, HIGH_LINE = 0.19, 0.42, 0.85
"""The heights of a plain line, a line with an area, and a line with a course, in inches."""
MARGIN, EDGE, GAP = 0.3, 0.1, 0.2
"""The spaces to the left of the text, to the right of the panels, and between two panels, in inches."""
CELL = (1.1, 0.55)
"""The minimum width and the height of a matrix cell, in inches."""
ALONE, BESIDE = 6.4, (1.5, 2.6)
"""The width of a single panel, and the minimum and maximum width of panels side by side, in inches."""
NAMES, TITLES, NAMES_ALONE = 2.4, 3.0, 5.4
"""The widths for names, for titles, and for names that leave no room for titles, in inches."""
MAX_HEIGHT = 60.0
"""The maximum height of the drawn rows in inches, although at least `MIN_ROWS` are drawn; tables have all rows."""
MIN_ROWS = 10
BASELINE = tr("baseline")
OMISSION = tr("Shown: the first {most} of {all}; the tables list all.")


class Word(NamedTuple):
    """A line of text on a sheet with its style and its artist's ``gid``."""

    text: str
    size: float
    colour: str
    gid: str
    weight: str = "normal"


class Sheet:
    """A figure with heading, title, captions and legend above a drawing area; all lengths are in inches."""

    def __init__(
        self, title: str, captions: Sequence[str], heading: str, lang: str, width: float, body: float,
        series: Sequence[model.Series] = (),
    ) -> None:  # fmt: skip
        """``body``: the height of the drawing area; ``lang``: the language of texts."""
        inner, title = width - 2 * MARGIN, translated(title, lang)
        blocks = [
            (0.25, [Word(line, 14, INK, "heading", "bold") for line in wrap_text(heading, inner, 14, bold=True)]),
            (0.21, [Word(line, 11, INK, "title", "bold") for line in wrap_text(title, inner, 11, bold=True)]),
            (0.17, [Word(line, 9, QUIET, "caption") for text in captions for line in wrap_text(text, inner, 9)]),
        ]
        handles = legend_artists(series, lang)
        widths = [text_width(str(handle.get_label()), 9) + 0.55 for handle in handles]
        columns = len(widths) if sum(widths) <= inner else max(1, int(inner / max(widths)))
        above = 0.2 + sum(len(words) * step + 0.05 for step, words in blocks if words)
        above += 0.14 + 0.2 * -(-len(handles) // columns) if handles else 0.0
        self.width, self.height = width, above + body
        self.figure = Figure(figsize=(self.width, self.height), dpi=DPI)
        FigureCanvasAgg(self.figure)
        y = self.height - 0.25
        for step, words in blocks:
            self.write(MARGIN, y, words, step)
            y -= len(words) * step + 0.05 if words else 0.0
        if handles:
            self.figure.legend(
                handles=handles, loc="upper left", ncols=columns, frameon=False, borderaxespad=0, borderpad=0,
                fontsize=9, handlelength=1.8, columnspacing=1.6,
                bbox_to_anchor=(MARGIN / self.width, (y + 0.06) / self.height),
            )  # fmt: skip

    def write(self, x: float, y: float, words: Iterable[Word], step: float = 0.0, side: str = "left") -> None:
        """Write lines ``step`` apart with their ``side`` (left or right) at ``x``."""
        for i, (text, size, colour, gid, weight) in enumerate(words):
            self.figure.text(x / self.width, (y - step * i) / self.height, text, size=size, color=colour, gid=gid,
                             weight=weight, va="center", ha=side)  # fmt: skip

    def axes(self, x: float, y: float, width: float, height: float, **options: Any) -> Axes:
        """Return new axes at a position."""
        rectangle = (x / self.width, y / self.height, width / self.width, height / self.height)
        return self.figure.add_axes(rectangle, **options)


def draw_figure(part: Chart | Scatter | SmallMultiples | HeatMap, lang: str = "en", heading: str = "") -> Figure:
    """Draw a chart with its caption, or charts side by side with one caption and aligned rows.

    ``heading`` is the title of the report, which identifies the file when it is moved.
    """
    if isinstance(part, HeatMap):
        return draw_heat_map(part, lang, heading)
    if isinstance(part, Scatter):
        return draw_scatter(part, lang, heading)
    charts = [part] if isinstance(part, Chart) else [item for item in part.items if isinstance(item, Chart)]
    is_single = len(charts) == 1
    all_rows = list({row.name: row for chart in charts for row in chart.panel.rows}.values())
    with figure_style():
        plots = rows_height(all_rows)
        rows = all_rows[: _rows_that_fit(len(all_rows), plots)]
        names, title_positions, left = _row_names(rows, lang)
        row_height = max(plots, max((TEXT_LINE * max(map(len, words)) for words in names), default=TEXT_LINE) + 0.1)
        rows = rows[: _rows_that_fit(len(rows), row_height)]
        count = max(1, len(rows))

        drawn_names = {row.name for row in rows}
        panel = ALONE if is_single else min(BESIDE[1], max(BESIDE[0], ALONE / max(1, len(charts))))
        value_widths = [
            max((text_width(translated(line.text, lang), 8.5) for row in chart.panel.rows if row.name in drawn_names
                 for line in row.lines), default=0.0) + 0.15
            for chart in charts
        ]  # fmt: skip
        panel_titles = [
            [] if is_single else wrap_text(translated(chart.title, lang), panel + value_width, 10, bold=True)
            for chart, value_width in zip(charts, value_widths, strict=True)
        ]
        captions = [translated(part.caption, lang)]
        if isinstance(part, SmallMultiples):
            captions.append(translated(sentences(chart.caption for chart in charts), lang))
        captions.append(_omission_note(len(rows), len(all_rows), lang))
        series = next((chart.series for chart in charts if len(chart.series) > 1), ())
        mirrored = count > MIN_ROWS
        tick_room = (0.34 if mirrored else 0.16) + 0.17 * max(map(len, panel_titles), default=0)
        bottom = 0.62 if is_single and charts[0].panel.scale.left is not None else 0.4
        height = count * row_height
        width = left + sum(panel + value_width + GAP for value_width in value_widths) - GAP + EDGE
        sheet = Sheet(part.title, captions, heading, lang, width, tick_room + height + bottom, series)

        background = _draw_background(sheet, names[: len(rows)], title_positions, bottom, row_height)
        x = left
        for number, (chart, value_width) in enumerate(zip(charts, value_widths, strict=True)):
            axes = sheet.axes(x, bottom, panel, height)
            axes.patch.set_visible(False)
            axes.set_yticks([])
            axes.spines["bottom"].set_color(FAINT)
            axes.tick_params(axis="x", colors=QUIET, labelsize=8.5, length=3, labeltop=mirrored)
            draw_scale(axes, chart.panel.scale, count)
            if is_single:
                _write_sides(sheet, chart.panel.scale, x, panel, bottom - 0.42, lang)
            by_name = {row.name: row for row in chart.panel.rows}
            for line, y, gid in draw_rows(axes, [by_name.get(row.name) for row in rows], row_height):
                offset = (0.5 * HIGH_LINE if line.has_course else 0.1 if line.has_area else 0.0) / row_height
                background.text(x + panel + 0.12, y - offset, translated(line.text, lang), va="center", size=8.5,
                                color=INK, gid=f"text/{gid}")  # fmt: skip
            # If there is no legend, a panel's title has the colour of its lines.
            series_number = next((line.series for row in chart.panel.rows for line in row.lines), number)
            ink = INK if series else series_style(series_number)[0]
            titles = [Word(line, 10, ink, f"panel/{chart.id}", "bold") for line in panel_titles[number]]
            sheet.write(x, bottom + height + tick_room - 0.06, titles, 0.17)
            x += panel + value_width + GAP
    return sheet.figure


def draw_scatter(part: Scatter, lang: str = "en", heading: str = "") -> Figure:
    """Draw a scatter plot with its caption."""
    with figure_style():
        sheet = Sheet(part.title, [translated(part.caption, lang)], heading, lang, 0.8 + ALONE + EDGE, 4.6, ())
        axes = sheet.axes(0.8, 0.6, ALONE, 3.9)
        for scale, span, limit in ((part.across, axes.axvspan, axes.set_xlim), (part.up, axes.axhspan, axes.set_ylim)):
            limit(scale.low, scale.high)
            if scale.band:
                ends = [max(scale.band[0], scale.low), min(scale.band[1], scale.high)]
                span(*ends, color=BAND, alpha=0.6, zorder=0)
        label_ticks(axes, part.across)
        axes.set_yticks([tick for tick, _ in part.up.ticks], [text for _, text in part.up.ticks])
        axes.tick_params(colors=QUIET, labelsize=8.5)
        axes.set_xlabel(translated(part.across_title, lang), size=9, color=QUIET)
        axes.set_ylabel(translated(part.up_title, lang), size=9, color=QUIET)
        for kind, size, colour in (("main", 40, COLOURS[1]), ("shown", 16, QUIET), ("faint", 6, FAINT)):
            points = [point for point in part.points if point.kind == kind]
            axes.scatter([p.across for p in points], [p.up for p in points], s=size, color=colour, gid=f"points/{kind}")
        for point in part.points:
            if point.label:
                axes.annotate(translated(point.label, lang), (point.across, point.up), (6, 2),
                              textcoords="offset points", size=9, weight="bold", color=INK)  # fmt: skip
    return sheet.figure


def rows_height(rows: Sequence[model.Row]) -> float:
    """Return the common height of rows in inches."""
    return max((sum(map(line_height, row.lines)) for row in rows), default=LINE) + 0.16


def _row_names(rows: Sequence[model.Row], lang: str) -> tuple[list[tuple[list[Word], list[Word]]], float, float]:
    """Return each row's name and title, and the positions of titles and panels."""
    widest = max((text_width(translated(row.label, lang), 9, bold=True) for row in rows), default=0.5)
    titled = widest <= NAMES and any(row.title for row in rows)
    width = NAMES if titled else NAMES_ALONE
    words = []
    for row in rows:
        label = truncate_lines(wrap_text(translated(row.label, lang), width, 9, bold=True), 3)
        name = [Word(line, 9, INK, f"name/{row.name}", "bold") for line in label]
        name += [Word(translated(BASELINE, lang), 7.5, QUIET, "baseline")] if row.baseline else []
        title = wrap_text(translated(row.title, lang) if titled else "", TITLES, 8.5)
        words.append((name, [Word(line, 8.5, INK, f"title/{row.name}") for line in truncate_lines(title, 3)]))
    title_x = MARGIN + min(width, max(widest, 0.6)) + 0.18
    return words, title_x, title_x + (TITLES if titled else 0.0) + 0.15


def _draw_background(
    sheet: Sheet, names: Sequence[tuple[list[Word], list[Word]]], title_x: float, bottom: float, row_height: float
) -> Axes:
    """Draw the row names and a stripe behind every other row, and return their axes, as wide as the sheet."""
    count = max(1, len(names))
    axes = sheet.axes(0, bottom, sheet.width, count * row_height, zorder=-1)
    axes.set(xlim=(0, sheet.width), ylim=(count - 0.5, -0.5))
    axes.set_axis_off()
    for row in range(0, count, 2):
        axes.fill_between([MARGIN - 0.1, sheet.width], row - 0.5, row + 0.5, color=STRIPE, linewidth=0)
    step = TEXT_LINE / row_height
    for row, columns in enumerate(names):
        top = row - (max(1, *map(len, columns)) - 1) / 2 * step
        for x, words in zip((MARGIN, title_x), columns, strict=True):
            for i, (text, size, colour, gid, weight) in enumerate(words):
                axes.text(x, top + i * step, text, va="center", size=size, weight=weight, color=colour, gid=gid)
    return axes


def _write_sides(sheet: Sheet, scale: model.Scale, x: float, width: float, y: float, lang: str) -> None:
    """Write the meaning of both sides of the even line below a panel."""
    if scale.even is None or scale.left is None or scale.right is None:
        return
    even = x + width * scale.share(scale.even)
    left, right = f"← {translated(scale.left, lang)}", f"{translated(scale.right, lang)} →"
    end = max(even - 0.11, MARGIN + text_width(left, 9))
    start = min(max(even + 0.11, end + 0.22), sheet.width - EDGE - text_width(right, 9))
    sheet.write(end, y, [Word(left, 9, QUIET, "side/left")], side="right")
    sheet.write(start, y, [Word(right, 9, QUIET, "side/right")])


def label_ticks(axes: Axes, scale: model.Scale) -> None:
    """Set the ticks of axes, with the labels that there is room for."""
    shown = scale.labelled(axes.get_window_extent().width / axes.figure.dpi / TICK_LETTER)
    labels = [label if i in shown else "" for i, (_, label) in enumerate(scale.ticks)]
    axes.set_xticks([tick for tick, _ in scale.ticks], labels)


def draw_scale(axes: Axes, scale: model.Scale, count: int) -> None:
    """Set the scale of axes with its band and even line, leaving room for ``count`` rows."""
    axes.set(xlim=(scale.low, scale.high), ylim=(count - 0.5, -0.5))
    label_ticks(axes, scale)
    axes.grid(axis="x", color=FAINT, linewidth=0.5, zorder=1)
    axes.set_axisbelow(True)
    axes.spines[["left", "right", "top"]].set_visible(False)
    if scale.band:
        low, high = (min(max(end, scale.low), scale.high) for end in scale.band)
        axes.axvspan(low, high, color=BAND, zorder=0.5, linewidth=0, gid="band")
    if scale.even is not None:
        axes.axvline(scale.even, color=INK, linewidth=1.0, zorder=1.5, gid="even")


def draw_rows(
    axes: Axes, rows: Sequence[model.Row | None], row_height: float
) -> Iterator[tuple[model.Line, float, str]]:
    """Draw rows of ``row_height`` inches and yield each line with its position and ``gid``."""
    for i, row in enumerate(rows):
        if row is None:
            continue
        y = i * row_height - sum(map(line_height, row.lines)) / 2
        for line in row.lines:
            height = line_height(line)
            y += height
            # An area rests on its line.
            middle = (y - 0.07 if line.has_area or line.has_course else y - height / 2) / row_height
            gid = "/".join(filter(None, (row.name, line.name)))
            for mark in line.marks:
                _draw_mark(axes, mark, series_style(line.series), middle, (height - 0.1) / row_height, gid)
            yield line, middle, gid


def line_height(line: model.Line) -> float:
    """Return the height of a line in inches."""
    return HIGH_LINE if line.has_course else TALL_LINE if line.has_area else LINE


def _draw_mark(axes: Axes, mark: model.Mark, style: tuple[str, str], y: float, height: float, gid: str) -> None:
    """Draw a mark at ``y``; areas extend ``height`` above it."""
    colour, marker = style
    left, right = axes.get_xlim()

    def put(kind: str, places: Any, shape: str = "", **options: Any) -> None:
        axes.plot(places, [y] * len(places), shape, gid=f"{kind}/{gid}", **{"color": colour, **options})

    def line(kind: str, low: float, high: float, **options: Any) -> None:
        """Draw a line with arrows at ends beyond the scale."""
        put(kind, np.clip([low, high], left, right), **options)
        for exceeds, edge, arrow in ((low < left, left, "<"), (high > right, right, ">")):
            if exceeds:
                put("beyond", [edge], arrow, markersize=5, clip_on=False, zorder=3)

    match mark:
        case model.Survival(steps) if steps:
            # Leave a gap above the bar.
            floor = y - 0.12 * height
            edges = np.clip([left, *(place for place, _ in steps)], left, right)
            shares = np.array([1.0, *(share for _, share in steps[:-1])])
            axes.stairs(floor - 0.88 * height * shares, edges, baseline=floor, fill=True, color=colour, alpha=0.3,
                        linewidth=0, gid=f"survival/{gid}")  # fmt: skip
        case model.Course():
            _draw_course(axes, mark, colour, y, height, gid)
        case model.Bounds(low, high) if math.isfinite(low) and math.isfinite(high):
            line("bounds", low, high, linewidth=0.9, zorder=2)
            put("bounds-ends", [end for end in (low, high) if left <= end <= right], "|", markersize=5, zorder=2)
        case model.Interval(low, high) if not math.isnan(low) and not math.isnan(high):
            line("interval", low, high, linewidth=2.4, solid_capstyle="butt", zorder=3)
        case model.Dot(value, hollow) if math.isfinite(value):
            face = "white" if hollow else colour
            put("dot", [value], marker, markersize=6, markerfacecolor=face, zorder=4, markeredgewidth=1.3)
        case model.Median(value) if math.isfinite(value):
            put("median", [value], "|", markersize=9, markeredgewidth=2, color=INK, zorder=4)
        case model.Exact(value) if math.isfinite(value):
            put("exact", [value], "D", markersize=7, markerfacecolor="none", markeredgecolor=INK, zorder=4.5)


def _draw_course(axes: Axes, course: model.Course, colour: str, y: float, height: float, gid: str) -> None:
    """Draw a course above ``y`` with its band and reference curve."""
    left, right = axes.get_xlim()
    axes.fill_between([left, right], y, y - height, color="none", edgecolor=FAINT, linewidth=0.5, zorder=1)
    if course.points:
        at, low, middle, high = (np.array(column) for column in zip(*course.points, strict=True))
        axes.fill_between(at, y - height * low, y - height * high, color=colour, alpha=0.28, linewidth=0, zorder=2,
                          gid=f"band/{gid}")  # fmt: skip
        axes.plot(at, y - height * middle, color=colour, linewidth=1.6, zorder=4, gid=f"course/{gid}")
    if course.level is not None:
        axes.plot([left, right], [y - height * course.level] * 2, color=QUIET, linewidth=0.6, zorder=2.5)
    if course.reference:
        at, middle = (np.array(column) for column in zip(*course.reference, strict=True))
        axes.plot(at, y - height * middle, color=QUIET, linewidth=1.4, linestyle=(0, (4, 2)), zorder=3,
                  gid=f"behind/{gid}")  # fmt: skip
    for text, place, side in zip(course.ends, (y, y - height), ("bottom", "top"), strict=True):
        axes.text(left, place, f" {text}", size=6.5, color=QUIET, va=side, ha="left", zorder=5)


def legend_artists(series: Sequence[model.Series], lang: str) -> list[Artist]:
    """Return a legend artist for each series."""
    styles = [(entry, *series_style(entry.number)) for entry in series]
    return [
        Line2D([], [], color=colour, marker=marker, markersize=6, linewidth=2.4, label=translated(entry.label, lang))
        for entry, colour, marker in styles
    ]


def _rows_that_fit(count: int, size: float) -> int:
    """Return the number of rows of ``size`` inches that are drawn."""
    return min(count, max(MIN_ROWS, int(MAX_HEIGHT / size)))


def _omission_note(drawn_count: int, count: int, lang: str) -> str:
    return translated(OMISSION.format(most=drawn_count, all=f"{count:,}"), lang) if drawn_count < count else ""


def draw_heat_map(part: HeatMap, lang: str = "en", heading: str = "") -> Figure:
    """Draw a matrix with its numbers: blue significantly above one half, orange significantly below."""
    heat = part.heat
    with figure_style():
        columns = heat.columns[: _rows_that_fit(len(heat.columns), CELL[0])]
        cell = max(CELL[0], max((text_width(name, 9) for name in columns), default=0.0) + 0.15)
        columns = columns[: _rows_that_fit(len(columns), cell)]
        rows = heat.rows[: _rows_that_fit(len(heat.rows), CELL[1])]
        omission_note = _omission_note(len(rows), len(heat.rows), lang)
        omission_note = omission_note or _omission_note(len(columns), len(heat.columns), lang)
        left = MARGIN + max((text_width(name, 9) for name in rows), default=0.0) + 0.15
        width, height = cell * len(columns), CELL[1] * len(rows)
        captions = translated(part.caption, lang), omission_note
        sheet = Sheet(part.title, captions, heading, lang, max(left + width + MARGIN, 5.0), 0.7 + height + 0.25)
        axes = sheet.axes(left, 0.25, width, height)
        cells = [line[: len(columns)] for line in heat.cells[: len(rows)]]
        shades = np.array([[item.shade for item in line] for line in cells], dtype=np.float64).reshape(len(rows), -1)
        colours = LinearSegmentedColormap.from_list("seats", [COLOURS[1], "white", COLOURS[0]])
        # Scores beyond 80 % or 20 % do not become darker.
        axes.imshow(shades, cmap=colours, vmin=-0.6, vmax=0.6, aspect="auto", gid="matrix")
        for y, line in enumerate(cells):
            for x, item in enumerate(line):
                if not math.isnan(item.value):
                    ink = "white" if abs(item.shade) > 0.48 else INK
                    axes.text(x, y, item.text, ha="center", va="center", size=9, color=ink,
                              gid=f"share/{rows[y]}/{columns[x]}")  # fmt: skip
        axes.set_xticks(range(len(columns)), columns, size=9)
        axes.set_yticks(range(len(rows)), rows, size=9)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        sheet.write(left, 0.25 + height + 0.42, [Word(translated(heat.corner, lang), 8.5, QUIET, "corner")])
    return sheet.figure


def series_style(series: int) -> tuple[str, str]:
    """Return a series' colour and marker; when colours repeat, markers differ."""
    return COLOURS[series % 8], MARKERS[(series + series // 8) % 8]


def render_figure(figure: Figure, kind: str) -> bytes:
    """Return a figure as the bytes of a png or svg file.

    The result is reproducible with the same version of matplotlib: it contains no dates or random identifiers.
    """
    buffer = io.BytesIO()
    metadata = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
    with figure_style():
        # Stronger compression would take as long as drawing and save a few per cent.
        options: Any = {"pil_kwargs": {"compress_level": 3}} if kind == "png" else {}
        figure.savefig(buffer, format=kind, dpi=DPI, metadata=metadata, facecolor="white", **options)
    return buffer.getvalue()


def save_figure(figure: Figure, stem: Path) -> list[Path]:
    """Write ``stem``.png and ``stem``.svg atomically and return their paths."""
    return [
        output.write_file(stem.with_name(f"{stem.name}.{kind}"), render_figure(figure, kind)) for kind in ("png", "svg")
    ]


WIDTH, FRAME = 9.0, 1.9
"""The width of new axes with their labels and the height above and below them, in inches."""
NARROWEST = 2.0
"""The minimum width of axes side by side, in inches."""
CELL_INCHES = 0.42
"""The width of a board's cell on new axes."""


def draw_chart(chart: Chart, axes: Axes | None = None, lang: str = "en") -> Axes:
    """Draw a chart of the report with a row per ruleset and numbers on the right, and return the axes."""
    rows, scale = chart.panel.rows, chart.panel.scale
    row_height = rows_height(rows)
    height = FRAME + row_height * len(rows)
    with figure_style():
        axes = axes or _new_axes(WIDTH, height)
        draw_scale(axes, scale, max(len(rows), 1))
        names = [translated(row.label, lang) + f"\n{translated(BASELINE, lang)}" * row.baseline for row in rows]
        # The caller's axes keep their own fonts.
        family = mpl.rcParams["font.family"]
        axes.set_yticks(range(len(rows)), names, family=family)
        axes.tick_params(axis="y", length=0)
        for i in range(0, len(rows), 2):
            axes.axhspan(i - 0.5, i + 0.5, color=STRIPE, linewidth=0, zorder=0)
        widest = 0.0
        for line, y, gid in draw_rows(axes, rows, row_height):
            text = translated(line.text, lang)
            widest = max(widest, text_width(text, 8.5))
            axes.text(1.02, y, text, transform=axes.get_yaxis_transform(), va="center", size=8.5, color=INK,
                      gid=f"text/{gid}")  # fmt: skip
        side_labels = ""
        if scale.left is not None and scale.right is not None:
            side_labels = f"← {translated(scale.left, lang)}   |   {translated(scale.right, lang)} →"
        margins = max((text_width(line, 10) for name in names for line in name.splitlines()), default=0) + widest + 0.4
        inner_width = max(NARROWEST, text_width(side_labels, 9))
        width = _make_room(axes, inner_width + margins, height) - margins + widest
        title = "\n".join(wrap_text(translated(chart.title, lang), width, 11, bold=True))
        axes.set_title(title, loc="left", size=11, weight="bold", family=family)
        axes.set_xlabel(side_labels, color=QUIET, size=9, family=family)
        if len(chart.series) > 1:
            # The legend is below the axis label; padding is in font sizes because axes may have any height.
            axes.legend(handles=legend_artists(chart.series, lang), loc="upper left", bbox_to_anchor=(0, 0),
                        borderaxespad=4, ncols=min(len(chart.series), 4), frameon=False, fontsize=9)  # fmt: skip
    return axes


def draw_board(board: Board, highlighted: frozenset[tuple[int, int]] = frozenset(), axes: Axes | None = None) -> Axes:
    """Draw a position with highlighted cells and return the axes."""
    rows, columns = len(board.cells), len(board.cells[0])
    # Rows of hexagons (with a corner at the top) are closer, each half a cell to the right of the previous one.
    shift, pitch, corners, angle = (0.5, math.sqrt(3) / 2, 6, 0.0) if board.hexagonal else (0.0, 1.0, 4, math.pi / 4)
    radius = 0.5 / math.cos(math.pi / corners)
    with figure_style():
        axes = axes or _new_axes(CELL_INCHES * (columns + shift * rows) + 1.0, CELL_INCHES * pitch * rows + 1.0)
        for y, row in enumerate(board.pieces()):
            for x, (symbol, owner) in enumerate(row):
                if (y, x) in board.outside:
                    continue
                middle = x + shift * y, pitch * y
                fill = BAND if (y, x) in highlighted else STRIPE if (y, x) in board.shaded else "none"
                axes.add_patch(
                    RegularPolygon(middle, corners, radius=radius, orientation=angle, facecolor=fill, edgecolor=QUIET,
                                   linewidth=0.6, zorder=1, gid="last" if (y, x) in highlighted else None)
                )  # fmt: skip
                if symbol:
                    axes.text(*middle, symbol, ha="center", va="center", rotation=180 if owner == 1 else 0, zorder=3,
                              size=16 if len(symbol) == 1 else 9, color=INK, gid=f"piece/{y}/{x}")  # fmt: skip
        right, bottom = columns - 1 + shift * (rows - 1), pitch * (rows - 1)
        axes.set(xlim=(-0.6, right + 0.6), ylim=(bottom + 0.6, -0.6), aspect="equal")
        axes.set_xticks([x + shift * (rows - 1) for x in range(columns)], board.columns)
        axes.set_yticks([pitch * y for y in range(rows)], board.rows)
        axes.tick_params(length=0, colors=QUIET)
        axes.spines[:].set_visible(False)
        axes.set_xlabel("\n".join(board.notes), color=QUIET, size=9)
    return axes


def _make_room(axes: Axes, width: float, height: float) -> float:
    """Enlarge a figure so that axes of this size fit in each of its cells; return the axes' width in inches."""
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
    """Return the axes of a new pyplot figure, which notebooks display."""
    from matplotlib import pyplot

    axes: Axes = pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    return axes
