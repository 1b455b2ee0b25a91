"""Tables -> figures, one row per ruleset. Figures are values: nothing is drawn on screen, no global state is kept.

* `first_score_chart`: how much the first seat scores under each ruleset, with intervals and bounds;
* `lengths_chart`: how long the games are, how they spread, and how many reached the cap;
* `estimates_chart`: estimates with their intervals on any scale;
* `matrix_chart`: a table of shares as a heat map;
* `save`: a figure as PNG and SVG; the same figure gives the same bytes.

Each pairing of agents has one colour and one marker, told apart by colour-blind readers too (M. Okabe, K. Ito, "Color
Universal Design", 2008). Artists that carry data have a ``gid`` such as ``score/chatra/C+D/greedy``, so that a test (or
a script in the SVG) can find them.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import io
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib import font_manager
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FuncFormatter, MaxNLocator

from workbench.files import output
from workbench.statistics import band
from workbench.statistics.lengths import quantiles
from workbench.statistics.verdicts import Target
from workbench.store import records

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8C6D31")
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "p")
INK, QUIET, FAINT, STRIPE, BAND = "#1a1a1a", "#5f6368", "#c9ccd1", "#f5f6f8", "#ffe9a8"
DPI = 150
POINT = 1 / 72
"""Inches."""
LINE = 0.15
"""Inches from line to line of a ruleset's titles."""
TALLEST = 60.0
"""Inches: as many rulesets are drawn as fit, and at least `FEWEST`; tables have them all."""
FEWEST = 10

Titles = Mapping[str, tuple[str, str]]
"""Full name of a ruleset -> its title and its Japanese title (which may be empty)."""


def first_score_chart(
    cells: pd.DataFrame,
    titles: Titles,
    title: str = "",
    targets: Mapping[str, Target] | None = None,
    exact: pd.DataFrame | None = None,
) -> Figure:
    """A forest chart: a row per ruleset, and in it a dot with its 95 % interval per pairing of agents.

    ``cells`` is the table of `workbench.statistics.cells`; rows and pairings keep its order. The thin whisker spans
    what the score could be if the capped games were all lost or all won by the first seat, and ends in an arrow where
    that is off the scale, which shows all intervals; a dot is hollow where the table calls the balance undecided. A
    target for ``first_score`` is a shaded band. ``exact`` has the true scores that are known (``ruleset``, ``first``,
    ``second``, ``exact``): an upright tick each.
    """
    names, pairings = _unique(cells["ruleset"]), pairings_of(cells)
    step = 0.19
    names, folded = _fitting(names, len(pairings) * step + 0.16)
    cells = cells[cells["ruleset"].isin(names)]
    counts = cells["games"].unique()
    size = (
        f"{counts[0]:,} games"
        if len(counts) == 1
        else f"{min(counts, default=0):,} to {max(counts, default=0):,} games"
    )
    subtitle = (
        f"Score of the first seat: wins and half the draws, as a share of the finished games. {size} per dot. "
        "Thick whisker: 95 % interval." + folded
    )
    wanted = band(targets["first_score"]) if targets and "first_score" in targets else None
    handles: list[Artist] = [
        Line2D([], [], color=colour, marker=marker, markersize=6, linewidth=2.4, label=pairing_label(*pair))
        for pair, (colour, marker) in zip(pairings, map(_look, range(len(pairings))), strict=True)
    ]
    if "undecided" in set(cells["balance"]):
        hollow = {"marker": "o", "markersize": 6, "markerfacecolor": "white", "markeredgecolor": QUIET}
        handles.append(Line2D([], [], color="none", label="hollow: undecided", **hollow))  # type: ignore[arg-type]
    if cells["unfinished"].any():
        handles.append(Line2D([], [], color=QUIET, linewidth=0.9, marker="|", label="if capped games were lost or won"))
    truths = {} if exact is None else exact.set_index(["ruleset", "first", "second"])["exact"].to_dict()
    if truths:
        handles.append(
            Line2D([], [], color="none", marker="|", markersize=13, markeredgecolor=INK, label="exact value")
        )
    if wanted:
        handles.append(Patch(color=BAND, label=f"target {_percent_range(*wanted)}"))
    with _style():
        page = _Page(names, titles, _baseline(cells), title, subtitle, handles, [6.4], len(pairings) * step + 0.16)
        axes = page.axes[0]
        ends = cells[["first_score_low", "first_score_high"]].to_numpy(dtype=np.float64).ravel()
        ends = np.append(ends[~np.isnan(ends)], [0.45, 0.55])
        if wanted:
            ends = np.append(ends, [end for end in wanted if 0 <= end <= 1])
        room = 0.08 * (ends.max() - ends.min())
        axes.set_xlim(max(-0.01, ends.min() - room), min(1.01, ends.max() + room))
        if wanted:
            low, high = max(wanted[0], 0.0), min(wanted[1], 1.0)
            axes.axvspan(low, high, color=BAND, zorder=0.5, linewidth=0, gid="target")
        axes.axvline(0.5, color=INK, linewidth=1.0, zorder=1.5, gid="even")
        for row, name in enumerate(names):
            of_name = cells[cells["ruleset"] == name].set_index(["first", "second"])
            for i, pair in enumerate(pairings):
                y = row + (i - (len(pairings) - 1) / 2) * step / page.row_height
                if pair in of_name.index:
                    _draw_score(axes, of_name.loc[[pair]].iloc[0], y, i, f"{name}/{pairing_label(*pair)}")
                if (name, *pair) in truths:
                    gid = f"exact/{name}/{pairing_label(*pair)}"
                    axes.plot([truths[name, *pair]], [y], "|", color=INK, markersize=13, zorder=4, gid=gid)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=9, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{100 * x:.0f} %"))
        axes.tick_params(axis="x", labeltop=True)
        for words, side, shift in (("← second seat ahead", "right", -8), ("first seat ahead →", "left", 8)):
            axes.annotate(
                words, (0.5, 0), (shift, -28), xycoords=axes.get_xaxis_transform(), textcoords="offset points",
                ha=side, size=9, color=QUIET,
            )  # fmt: skip
    return page.figure


def _draw_score(axes: Axes, cell: pd.Series, y: float, series: int, gid: str) -> None:
    colour, marker = _look(series)
    if cell["finished"] == 0:
        words = "no games yet" if cell["games"] == 0 else "no game finished"
        axes.text(
            0.995, y, words, transform=axes.get_yaxis_transform(), ha="right", va="center", size=7.5, color=colour
        )
        return
    if cell["unfinished"] > 0:
        bounds = [cell["first_score_lowest"], cell["first_score_highest"]]
        axes.plot(bounds, [y, y], color=colour, linewidth=0.9, marker="|", markersize=5, zorder=2, gid=f"bounds/{gid}")
        _draw_arrows(axes, (bounds[0], bounds[1]), y, colour, gid)
    ends = [cell["first_score_low"], cell["first_score_high"]]
    axes.plot(ends, [y, y], color=colour, linewidth=2.4, solid_capstyle="butt", zorder=3, gid=f"interval/{gid}")
    face = "white" if cell["balance"] == "undecided" else colour
    axes.plot(
        [cell["first_score"]], [y], marker=marker, markersize=6, color=colour, markerfacecolor=face, zorder=4,
        markeredgewidth=1.3, gid=f"score/{gid}",
    )  # fmt: skip


def _draw_arrows(axes: Axes, ends: tuple[float, float], y: float, colour: str, gid: str) -> None:
    """Arrows at the edges of the scale beyond which an interval goes on."""
    left, right = axes.get_xlim()
    for beyond, edge, arrow in ((ends[0] < left, left, "<"), (ends[1] > right, right, ">")):
        if beyond:
            axes.plot([edge], [y], marker=arrow, markersize=5, color=colour, clip_on=False, zorder=3,
                      gid=f"beyond/{gid}")  # fmt: skip


def lengths_chart(
    trials: pd.DataFrame,
    titles: Titles,
    title: str = "",
    pairings: Sequence[tuple[str, str]] | None = None,
    baseline: str | None = None,
    max_plies: int | None = None,
) -> Figure:
    """Small multiples of game lengths: a row per ruleset (in the order of ``titles``), a column per pairing of agents.

    Each field shows the distribution of the finished games' plies (its peak is as high as the share of games that
    finished: full height if all did), a bar from the lower to the upper quartile with the median on it, and the median
    as a number; beside it the share of games stopped at the cap. The quartiles and the median are over all games; where
    one falls among the capped games it is a lower bound: the number has a ``+`` and the bar an arrow. Columns have
    their own scales, which end where the longest 0.5 % of the finished games begin.
    """
    names, folded = _fitting(list(titles), 0.46)
    pairs = pairings_of(trials) if pairings is None else list(pairings)
    capped_somewhere = bool(trials["termination"].isin(records.STOPPED).any())
    cap = f"the cap of {max_plies} plies" if max_plies else "the cap"
    subtitle = (
        "Plies per game. Hill: finished games; it is low where few finish. "
        "Bar: middle half of all games, with the median. "
        + (f"Right: median, and share of games stopped at {cap}." if capped_somewhere else f"No game reached {cap}.")
        + folded
    )
    width = min(2.6, max(1.5, 6.6 / max(1, len(pairs))))
    strip = 0.62 if capped_somewhere else 0.0
    gap = 0.62 + strip + 0.1
    with _style():
        heads = [_wrap(pairing_label(*pair), width + gap - 0.2, 10, bold=True) for pair in pairs]
        above = max(map(len, heads), default=1)
        page = _Page(names, titles, baseline, title, subtitle, [], [width] * len(pairs), 0.46, gap=gap, above=above)
        for i, (pair, axes) in enumerate(zip(pairs, page.axes, strict=True)):
            chosen = trials[(trials["first"] == pair[0]) & (trials["second"] == pair[1])]
            colour = _look(i)[0]
            side = page.beside(axes, 0.62, strip - 0.08) if capped_somewhere else None
            axes.annotate(
                "\n".join(heads[i]), (0, 1), (0, 22), xycoords="axes fraction", textcoords="offset points",
                weight="bold", size=10, color=colour, gid=f"pairing/{pairing_label(*pair)}",
            )  # fmt: skip
            _draw_lengths(axes, side, chosen, names, colour, pairing_label(*pair))
    return page.figure


def _draw_lengths(
    axes: Axes, side: Axes | None, trials: pd.DataFrame, names: Sequence[str], colour: str, label: str
) -> None:
    of_name = {str(name): games for name, games in trials.groupby("ruleset", sort=False, observed=True)}
    finished = {
        name: games.loc[~games["termination"].isin(records.STOPPED), "plies"] for name, games in of_name.items()
    }
    ends = [float(np.quantile(plies, 0.995)) for plies in finished.values() if len(plies)]
    ends += [float(np.quantile(games["plies"], 0.75)) for games in of_name.values() if len(games)]
    longest = max(ends, default=1.0)
    # An odd width would set games that end on odd plies against those that end on even ones: combs, not shapes.
    width = 1 if longest <= 40 else 2 * int(np.ceil(longest / 80))
    edges = np.arange(0, longest + 2 * width, width) - 0.5
    axes.set_xlim(0, edges[-1])
    if side is not None:
        side.set_xlim(0, 1)
        side.annotate(
            "capped", (0, 1), (0, 4), xycoords="axes fraction", textcoords="offset points", size=7.5, color=QUIET
        )
    axes.annotate(
        "median",
        (1, 1),
        (34, 4),
        xycoords="axes fraction",
        textcoords="offset points",
        size=7.5,
        color=QUIET,
        ha="right",
    )
    for row, name in enumerate(names):
        gid = f"{name}/{label}"
        games = of_name.get(name)
        if games is None or games.empty:
            axes.text(
                0.02, row, "no games yet", transform=axes.get_yaxis_transform(), va="center", size=7.5, color=QUIET
            )
            continue
        floor = row + 0.22
        counts, _ = np.histogram(finished[name], edges)
        if counts.max() > 0:
            heights = floor - 0.64 * len(finished[name]) / len(games) * counts / counts.max()
            axes.stairs(
                heights, edges, baseline=floor, fill=True, color=colour, alpha=0.35, linewidth=0, gid=f"hill/{gid}"
            )
        stopped = games["termination"].isin(records.STOPPED).to_numpy()
        capped = int(stopped.sum())
        plies = games["plies"].to_numpy(dtype=np.float64)
        found = quantiles(plies, ~stopped, (0.25, 0.5, 0.75))
        beyond = [bool(np.isinf(value)) for value in found]
        # What falls among the capped games is drawn where the last of them was stopped.
        lower, median, upper = (float(plies.max()) if np.isinf(value) else value for value in found)
        bar = floor + 0.09
        axes.plot(
            [lower, upper],
            [bar, bar],
            color=colour,
            linewidth=3.2,
            solid_capstyle="butt",
            zorder=3,
            gid=f"middle-half/{gid}",
        )
        if beyond[2]:
            axes.plot(
                [upper], [bar], marker=">", markersize=5, color=colour, zorder=3, clip_on=False, gid=f"open/{gid}"
            )
        axes.plot(
            [median], [bar], marker="|", markersize=9, markeredgewidth=2, color=INK, zorder=4, gid=f"median/{gid}"
        )
        axes.annotate(
            f"{median:.0f}{'+' if beyond[1] else ''}", (1, row), (34, 0), xycoords=axes.get_yaxis_transform(),
            textcoords="offset points", ha="right", va="center", size=8.5, color=INK, gid=f"median-text/{gid}",
        )  # fmt: skip
        if side is not None and capped:
            share = capped / len(games)
            side.barh(row, share, height=0.5, color=colour, alpha=0.45, gid=f"capped/{gid}")
            side.text(0.05, row, percent(share), va="center", size=8, color=INK, gid=f"capped-text/{gid}")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10], integer=True))
    axes.set_xlabel("plies")


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A dot and its interval in `estimates_chart`."""

    series: int
    value: float
    low: float
    high: float
    hollow: bool = False


def estimates_chart(
    titles: Titles,
    estimates: Sequence[Sequence[Estimate]],
    labels: Sequence[str],
    ticks: Sequence[tuple[float, str]],
    title: str,
    subtitle: str = "",
    even: float | None = None,
    wanted: tuple[float, float] | None = None,
    baseline: str | None = None,
    limits: tuple[float, float] | None = None,
) -> Figure:
    """A forest chart of anything: a row for each of ``titles``, and in it a dot with its interval per series.

    ``labels`` names the series, ``ticks`` the places of the scale, ``even`` is a line and ``wanted`` a shaded band.
    What lies beyond ``limits`` ends there in an arrow; without them the scale holds all that is finite.
    """
    handles: list[Artist] = [
        Line2D([], [], color=_look(i)[0], marker=_look(i)[1], markersize=6, linewidth=2.4, label=label)
        for i, label in enumerate(labels)
    ]
    most = max((len(row) for row in estimates), default=1)
    step = 0.19
    names, folded = _fitting(list(titles), most * step + 0.16)
    estimates = estimates[: len(names)]
    subtitle += folded
    with _style():
        page = _Page(names, titles, baseline, title, subtitle, handles, [6.4], most * step + 0.16)
        axes = page.axes[0]
        ends = [end for row in estimates for mark in row for end in (mark.low, mark.high, mark.value)]
        ends += [place for place, _ in ticks] + ([] if even is None else [even])
        finite = [end for end in ends if np.isfinite(end)] or [0.0, 1.0]
        room = 0.04 * (max(finite) - min(finite)) or 0.5
        axes.set_xlim(*(limits or (min(finite) - room, max(finite) + room)))
        if wanted:
            low, high = np.clip(wanted, *axes.get_xlim())
            axes.axvspan(float(low), float(high), color=BAND, zorder=0.5, linewidth=0, gid="band")
        if even is not None:
            axes.axvline(even, color=INK, linewidth=1.0, zorder=1.5, gid="even")
        for row, (name, marks) in enumerate(zip(names, estimates, strict=True)):
            for i, mark in enumerate(marks):
                colour, marker = _look(mark.series)
                y = row + (i - (len(marks) - 1) / 2) * step / page.row_height
                gid = f"{name}/{mark.series}"
                if not np.isnan(mark.low):
                    interval = np.clip([mark.low, mark.high], *axes.get_xlim())
                    axes.plot(interval, [y, y], color=colour, linewidth=2.4, solid_capstyle="butt", zorder=3,
                              gid=f"interval/{gid}")  # fmt: skip
                    _draw_arrows(axes, (mark.low, mark.high), y, colour, gid)
                face = "white" if mark.hollow else colour
                axes.plot([mark.value], [y], marker=marker, markersize=6, color=colour, markerfacecolor=face,
                          markeredgewidth=1.3, zorder=4, gid=f"estimate/{gid}")  # fmt: skip
        axes.set_xticks([place for place, _ in ticks], [words for _, words in ticks])
    return page.figure


def matrix_chart(
    rows: Sequence[str],
    columns: Sequence[str],
    shares: npt.ArrayLike,
    title: str,
    subtitle: str = "",
    shown: npt.ArrayLike | None = None,
) -> Figure:
    """A heat map of shares, blue above one half and orange below, with the numbers in it; NaN cells stay empty.

    ``shown``: where the share is shown to differ from one half; elsewhere the number has no colour.
    """
    values = np.asarray(shares, dtype=np.float64)
    coloured = values if shown is None else np.where(np.asarray(shown, dtype=bool) | np.isnan(values), values, 0.5)
    rows, folded = _fitting(rows, 0.55)
    columns, folded_across = _fitting(columns, 1.1)
    values, coloured = (each[: len(rows), : len(columns)] for each in (values, coloured))
    subtitle += folded or folded_across
    colours = LinearSegmentedColormap.from_list("seats", [COLOURS[1], "white", COLOURS[0]])
    with _style():
        figure = Figure(figsize=(2.2 + 1.1 * len(columns), 1.6 + 0.55 * len(rows)), dpi=DPI, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.imshow(coloured, cmap=colours, vmin=0.2, vmax=0.8, aspect="auto", gid="matrix")
        for (row, column), value in np.ndenumerate(values):
            if not np.isnan(value):
                ink = "white" if abs(coloured[row, column] - 0.5) > 0.24 else INK
                axes.text(column, row, f"{100 * value:.1f} %", ha="center", va="center", size=9, color=ink,
                          gid=f"share/{rows[row]}/{columns[column]}")  # fmt: skip
        axes.set_xticks(range(len(columns)), columns, size=9)
        axes.set_yticks(range(len(rows)), rows, size=9)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        figure.suptitle(title, x=0.02, ha="left", weight="bold", size=12)
        axes.set_xlabel(subtitle, size=8.5, color=QUIET)
    return figure


class _Page:
    """A figure with a heading, a column of ruleset names, and one or more panels whose rows are the rulesets."""

    def __init__(
        self,
        names: Sequence[str],
        titles: Titles,
        baseline: str | None,
        title: str,
        subtitle: str,
        handles: Sequence[Artist],
        panels: Sequence[float],
        row_height: float,
        gap: float = 0.25,
        above: int = 1,
    ) -> None:
        """``above`` are the lines of text above the panels, ``gap`` the inches between these."""
        self.count = max(1, len(names))
        short = short_names(names)
        widest = max((_width(name, 9, bold=True) for name in short), default=0.5)
        # Names so long tell what the rulesets set: they take the room of the titles, which would say it again.
        named, title_width = (2.4, 3.0) if widest <= 2.4 else (5.4, 0.0)
        titles = titles if title_width else {}
        short_width = min(named, widest) + 0.18
        wrapped = [_shortened(_wrap(titles.get(name, ("", ""))[0], title_width, 8.5), 2) for name in names]
        said = [titles.get(name, ("", "")) for name in names]
        japanese = [_shortened(_wrap(ja if ja != en else "", title_width, 8), 2) for en, ja in said]
        lines = max((len(a) + len(b) for a, b in zip(wrapped, japanese, strict=True)), default=1)
        self.row_height = max(row_height, LINE * lines + 0.1)
        margin = 0.3
        left = margin + short_width + title_width + 0.15
        self.width = left + sum(panels) + gap * len(panels) + 0.1
        heading = _wrap(title, self.width - 2 * margin, 14, bold=True)
        small = _wrap(subtitle, self.width - 2 * margin, 9)
        room = self.width - 2 * margin
        widths = [_width(str(handle.get_label()), 9) + 0.55 for handle in handles]
        columns = len(widths) if sum(widths) <= room else max(1, int(room / max(widths)))
        legend = 0.34 + 0.2 * (-(-len(handles) // columns) - 1) if columns else 0.1
        top = 0.28 + 0.25 * len(heading) + 0.17 * len(small) + legend + 0.46 + 0.17 * (above - 1)
        bottom = 0.62
        self.height = top + self.count * self.row_height + bottom
        self.figure = Figure(figsize=(self.width, self.height), dpi=DPI)
        FigureCanvasAgg(self.figure)
        self.axes: list[Axes] = []
        self._rows = self.figure.add_axes(
            (0, bottom / self.height, 1, self.count * self.row_height / self.height), zorder=-1
        )
        self._rows.set(xlim=(0, self.width), ylim=(self.count - 0.5, -0.5))
        self._rows.set_axis_off()
        for row in range(0, self.count, 2):
            stripe = [margin - 0.1, self.width - 0.1]
            self._rows.fill_between(stripe, row - 0.5, row + 0.5, color=STRIPE, linewidth=0)
        x = left
        for panel in panels:
            self.axes.append(self._add(x, bottom, panel))
            x += panel + gap
        y = self.height - 0.25
        self._text(margin, y, heading, 14, INK, 0.25, weight="bold", gid="title")
        y -= 0.25 * len(heading) + 0.03
        self._text(margin, y, small, 9, QUIET, 0.17, gid="subtitle")
        y -= 0.17 * len(small) + 0.06
        if handles:
            self.figure.legend(
                handles=list(handles), loc="upper left", bbox_to_anchor=(margin / self.width, y / self.height),
                ncols=columns, frameon=False, borderaxespad=0, borderpad=0, fontsize=9, handlelength=1.8,
                columnspacing=1.6,
            )  # fmt: skip
        for row, name in enumerate(names):
            self._name(row, name, short[row], wrapped[row], japanese[row], margin, short_width, name == baseline)

    def _name(
        self,
        row: int,
        name: str,
        short: str,
        title: Sequence[str],
        title_ja: Sequence[str],
        margin: float,
        short_width: float,
        is_baseline: bool,
    ) -> None:
        """Writes what a row is called: its short name, and beside that its titles."""
        lines = [(line, 8.5, INK, f"title/{name}") for line in title]
        lines += [(line, 8.0, QUIET, f"title_ja/{name}") for line in title_ja]
        first = row - (max(len(lines), 1 + is_baseline) - 1) / 2 * LINE / self.row_height
        self._rows.text(margin, first, short, va="center", size=9, weight="bold", color=INK, gid=f"name/{name}")
        if is_baseline:
            below = first + LINE / self.row_height
            self._rows.text(margin, below, "baseline", va="center", size=7.5, color=QUIET, gid="baseline")
        for i, (line, size, colour, gid) in enumerate(lines):
            y = first + i * LINE / self.row_height
            self._rows.text(margin + short_width, y, line, va="center", size=size, color=colour, gid=gid)

    def beside(self, axes: Axes, offset: float, width: float) -> Axes:
        """Narrow axes with the same rows, ``offset`` inches to the right of a panel."""
        box = axes.get_position()
        added = self._add(box.x1 * self.width + offset, box.y0 * self.height, width)
        added.set_xticks([])
        added.spines["bottom"].set_visible(False)
        return added

    def _add(self, x: float, y: float, width: float) -> Axes:
        axes = self.figure.add_axes(
            (x / self.width, y / self.height, width / self.width, self.count * self.row_height / self.height)
        )
        axes.patch.set_visible(False)
        axes.set_ylim(self.count - 0.5, -0.5)
        axes.set_yticks([])
        for side in ("left", "right", "top"):
            axes.spines[side].set_visible(False)
        axes.spines["bottom"].set_color(FAINT)
        axes.tick_params(axis="x", colors=QUIET, labelsize=8.5, length=3)
        axes.grid(axis="x", color=FAINT, linewidth=0.5, zorder=1)
        axes.set_axisbelow(True)
        axes.xaxis.label.set(size=9, color=QUIET)
        return axes

    def _text(
        self,
        x: float,
        y: float,
        lines: Sequence[str],
        size: float,
        colour: str,
        step: float,
        weight: str = "normal",
        gid: str = "",
    ) -> None:
        for i, line in enumerate(lines):
            at = (x / self.width, (y - step * i) / self.height)
            self.figure.text(*at, line, size=size, color=colour, weight=weight, va="center", gid=gid)


def calibration_chart(table: pd.DataFrame, coverage: tuple[float, float]) -> Figure:
    """Two panels, a row per ruleset: how far estimates are from the exact score, and how often intervals hold it.

    ``table`` is that of `workbench.exact.calibration.Calibration`; ``coverage`` the range that is wanted, shaded.
    """
    names = _unique(table["ruleset"])
    with _style():
        figure = Figure(figsize=(9.2, 1.6 + 0.42 * len(names)), layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
        for series, (honest, label) in enumerate(((True, "random play"), (False, "one biased move in a hundred"))):
            colour, marker = _look(series)
            of_kind = table[table["honest"] == honest]
            rows = np.array([names.index(name) for name in of_kind["ruleset"]]) + (0.16 if series else -0.16)
            middle = 100 * (of_kind["first_score"] - of_kind["exact"])
            spans = [
                100 * (of_kind["first_score"] - of_kind["first_score_low"]),
                100 * (of_kind["first_score_high"] - of_kind["first_score"]),
            ]
            left.errorbar(middle, rows, xerr=spans, fmt=marker, color=colour, markersize=5, linewidth=2, label=label)
            right.plot(100 * of_kind["coverage"], rows, marker, color=colour, markersize=6)
        left.axvline(0, color=INK, linewidth=1, zorder=0.8)
        right.axvspan(100 * coverage[0], 100 * coverage[1], color=BAND, zorder=0.5, linewidth=0)
        left.set_yticks(range(len(names)), short_names(names))
        left.invert_yaxis()
        left.set_title("Estimate less exact score, in points (95 % interval)", fontsize=9, loc="left")
        right.set_title("Small experiments whose interval holds it", fontsize=9, loc="left")
        right.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.0f} %"))
        for axes in (left, right):
            axes.grid(axis="x", color=FAINT, linewidth=0.5, zorder=0)
            axes.tick_params(labelsize=8, length=0)
            for side in ("top", "right", "left"):
                axes.spines[side].set_visible(False)
        figure.legend(loc="outside lower left", ncols=2, fontsize=8, frameon=False)
        return figure


def save(figure: Figure, stem: Path) -> list[Path]:
    """Writes ``stem``.png and ``stem``.svg and returns their paths; a file is either whole or not there.

    The same figure gives the same bytes with the same version of matplotlib: no dates, no random identifiers.
    """
    written = []
    for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None, "Creator": None})):
        buffer = io.BytesIO()
        with _style():
            figure.savefig(buffer, format=kind, dpi=DPI, metadata=metadata, facecolor="white")
        written.append(output.write(stem.with_name(f"{stem.name}.{kind}"), buffer.getvalue()))
    return written


def _style() -> AbstractContextManager[None]:
    """Settings for making and for saving a figure: text that has Japanese in it needs a second font.

    A dollar is a dollar: what users write is no mathematics.
    """
    families = ["DejaVu Sans", *_japanese_font()]
    return mpl.rc_context(
        {"font.family": families, "svg.hashsalt": "workbench", "svg.fonttype": "path", "text.parse_math": False}
    )


@cache
def _japanese_font() -> tuple[str, ...]:
    """The name of the font of matplotlib-fontja, made known to matplotlib; empty without that package.

    The package is not imported: doing so would change the settings of the whole process.
    """
    spec = importlib.util.find_spec("matplotlib_fontja")
    if spec is None or spec.origin is None:
        return ()
    path = Path(spec.origin).parent / "fonts" / "ipaexg.ttf"
    if not path.is_file():
        return ()
    font_manager.fontManager.addfont(str(path))
    added = font_manager.fontManager.ttflist[-1]
    # The font has one weight; without an entry for bold, matplotlib complains before it uses that one all the same.
    font_manager.fontManager.ttflist.append(dataclasses.replace(added, weight=700))
    return (added.name,)


@cache
def _width(text: str, size: float, bold: bool = False) -> float:
    """How many inches a line of text takes in the fonts of `_style`."""
    with _style():
        font = font_manager.FontProperties(size=size, weight="bold" if bold else "normal")
        return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]) * POINT


NO_START = "、。，．・：；？！ー）」』】…％,.:;?!)"  # noqa: RUF001 - these are the Japanese signs
"""Signs that begin no line."""
_UNIT = re.compile(rf"\s+|[^\s\u2e80-\uffef]+|[（「『【]*[\u2e80-\uffef][{re.escape(NO_START)}]*")
"""What is not broken: spaces, a word, or a Japanese letter with the signs around it."""


def _wrap(text: str, width: float, size: float, bold: bool = False) -> list[str]:
    """The text in lines of at most that many inches, if no word is longer; Japanese breaks between any two letters."""
    lines = [""]
    for unit in _UNIT.findall(text):
        if _width((lines[-1] + unit).rstrip(), size, bold) <= width or not lines[-1]:
            lines[-1] += unit if lines[-1] else unit.lstrip()
        else:
            lines.append(unit.lstrip())
    return [line.rstrip() for line in lines if line.strip()]


def _shortened(lines: list[str], most: int) -> list[str]:
    """The first lines of a text; an ellipsis says that there were more."""
    return lines if len(lines) <= most else [*lines[: most - 1], lines[most - 1][:-1] + "…"]


def _fitting(names: Sequence[str], height: float) -> tuple[list[str], str]:
    """The rows of a figure, each so many inches high, that are drawn, and a sentence if those are not all."""
    most = max(FEWEST, int(TALLEST / max(height, 4 * LINE + 0.1)))
    if len(names) <= most:
        return list(names), ""
    return list(names[:most]), f" Drawn: the first {most} of {len(names):,}; the tables have all."


def _unique(values: pd.Series) -> list[str]:
    return [str(value) for value in values.unique()]


def pairings_of(table: pd.DataFrame) -> list[tuple[str, str]]:
    """The pairings of a table's rows, (first, second), in order of appearance."""
    return list(dict.fromkeys((str(a), str(b)) for a, b in zip(table["first"], table["second"], strict=True)))


def _look(series: int) -> tuple[str, str]:
    """Colour and marker of a pairing; where colours begin again, the markers differ."""
    return COLOURS[series % 8], MARKERS[(series + series // 8) % 8]


def pairing_label(first: str, second: str) -> str:
    """A pairing in a word: an agent that plays itself, or who plays whom."""
    return first if first == second else f"{first} v {second}"


def short_names(names: Sequence[str]) -> list[str]:
    """Names without the family, if all are of one, and without the ruleset, if all vary the same one.

    Of several factors only those are named whose level is not that of the first name, which is called by its ruleset.
    """
    if len({name.partition("/")[0] for name in names}) == 1:
        names = [name.partition("/")[2] or name for name in names]
    # Rulesets of several factors: what they vary, then each level.
    parts = [[name.partition(" ")[0], *name.partition(" ")[2].split(", ")] for name in names]
    counts = {len(each) for each in parts}
    if len(counts) == 1 and counts.pop() > 2 and all("=" in level for each in parts for level in each[1:]):
        return [
            " + ".join(one for one, first in zip(each, parts[0], strict=True) if one != first) or parts[0][0]
            for each in parts
        ]
    if len({name.partition(" ")[0] for name in names}) == 1 and all(" " in name for name in names):
        names = [name.partition(" ")[2] for name in names]
    return list(names)


def _baseline(cells: pd.DataFrame) -> str | None:
    marked = cells.loc[cells["baseline"].astype(bool), "ruleset"]
    return None if marked.empty else str(marked.iloc[0])


def percent(share: float) -> str:
    """A share above 0 in whole percent; what is not all is not shown as 100 %."""
    if 0.995 <= share < 1:
        return ">99 %"
    return f"{100 * share:.0f} %" if share >= 0.01 else "<1 %"


def _percent_range(low: float, high: float) -> str:
    if low == -np.inf:
        return f"up to {100 * high:.3g} %"
    return f"from {100 * low:.3g} %" if high == np.inf else f"{100 * low:.3g}–{100 * high:.3g} %"
