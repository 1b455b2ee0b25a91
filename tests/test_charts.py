"""What the chart files show, read off their artists."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import colors, rcParams
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text as Written

from tests.toy import games, plan_from, ruleset
from workbench import statistics
from workbench.base.language import bilingual, untranslated
from workbench.report.labels import short_names
from workbench.report.model import (
    Chart,
    Dot,
    Heat,
    HeatCell,
    HeatMap,
    Interval,
    Line,
    Panel,
    Row,
    Scale,
    Series,
    SmallMultiples,
    fit_scale,
)
from workbench.report.names import Results
from workbench.report.render.matplotlib import MAX_HEIGHT, draw_figure, draw_heat_map, save_figure
from workbench.report.sections.scores import lengths_section as lengths_section
from workbench.report.sections.scores import scores_section
from workbench.statistics import Analysis, AnalysisPlan

TITLES = {
    "toy/base": ("The rules as they are", "現行ルール"),
    "toy/long": ("A much longer title that does not fit in one line of the chart and has to be broken", "長い題名"),
    "toy/bare": ("No Japanese title", ""),
}
AGENTS = ("random", "greedy", "best-first-1k")
CAP = 200
NO_EXACT = pd.DataFrame(columns=["ruleset", "first", "second", "exact", "plies_exact"])


def trials(n: int = 60) -> pd.DataFrame:
    """Records of three rulesets and three agents; only the random agent reaches the cap, and only sometimes."""
    rng = np.random.default_rng(1)
    parts = []
    for i, name in enumerate(TITLES):
        for agent in AGENTS:
            plies = rng.integers(20, 150, n)
            letters = rng.choice(list("wld"), n, p=[0.5 + 0.1 * i, 0.4 - 0.1 * i, 0.1])
            capped = 10 * (i + 1) if agent == "random" else 0
            plies[:capped], letters[:capped] = CAP, "u"
            parts.append(games("".join(letters), name, agent, agent, plies.tolist()))
    return pd.concat(parts, ignore_index=True)


def plan(*agents: str, **options: Any) -> AnalysisPlan:
    rulesets = tuple(
        replace(ruleset(name, fingerprint=name), title=en, title_ja=ja) for name, (en, ja) in TITLES.items()
    )
    return plan_from(rulesets, [(agent, agent) for agent in agents], max_plies=CAP, **options)


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return statistics.analyse(trials(), plan(*AGENTS, games=60, targets={"first_score": [0.48, 0.52]}))


def score_chart(analysis: Analysis, exact: pd.DataFrame = NO_EXACT) -> Chart:
    chart = scores_section(Results.of(analysis), exact).parts[0]
    assert isinstance(chart, Chart)
    return chart


def length_charts(analysis: Analysis) -> SmallMultiples:
    charts = lengths_section(Results.of(analysis), NO_EXACT).parts[0]
    assert isinstance(charts, SmallMultiples)
    return charts


@pytest.fixture(scope="module")
def score(analysis: Analysis) -> Figure:
    return draw_figure(score_chart(analysis), "en", "Which is fairer?")


@pytest.fixture(scope="module")
def lengths(analysis: Analysis) -> Figure:
    return draw_figure(length_charts(analysis), "en", "Which is fairer?")


def artists(figure: Figure, kind: str) -> dict[str, Any]:
    """The artists whose gid begins with a word, by the rest of it."""
    chosen = figure.findobj(lambda artist: (artist.get_gid() or "").startswith(f"{kind}/"))
    return {str(artist.get_gid()).removeprefix(f"{kind}/"): artist for artist in chosen}


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(Written) if isinstance(text, Written) and text.get_text()]


def panel(figure: Figure, number: int = 0) -> Any:
    """The axes of a panel; the first axes of a figure hold the names."""
    return figure.axes[number + 1]


def one_row(name: str, *lines: Line, title: str = "") -> Row:
    return Row(name, untranslated(name), lines, title)


def dot(value: float, low: float = math.nan, high: float = math.nan, series: int = 0, hollow: bool = False) -> Line:
    return Line(series, (Interval(low, high), Dot(value, hollow)), untranslated(f"{value}"), str(series))


def test_every_cell_has_its_dot_interval_and_bounds(analysis: Analysis, score: Figure) -> None:
    dots, intervals, bounds = (artists(score, kind) for kind in ("dot", "interval", "bounds"))
    left, right = panel(score).get_xlim()
    assert len(dots) == len(analysis.cells)
    for cell in analysis.cells.to_dict("records"):
        gid = f"{cell['ruleset']}/{cell['first']}"
        assert dots[gid].get_xdata()[0] == cell["first_score"]
        assert list(intervals[gid].get_xdata()) == [cell["first_score_low"], cell["first_score_high"]]
        assert colors.same_color(dots[gid].get_markerfacecolor(), "white") == (cell["balance"] == "undecided")
        assert (gid in bounds) == (cell["unfinished"] > 0)
        if gid in bounds:
            ends = np.clip([cell["first_score_lowest"], cell["first_score_highest"]], left, right)
            assert list(bounds[gid].get_xdata()) == list(ends)


def test_rulesets_are_rows_from_the_top_and_agents_do_not_overlap(score: Figure) -> None:
    heights = [float(dot.get_ydata()[0]) for dot in artists(score, "dot").values()]
    assert heights == sorted(heights), "in the order of the table"
    assert [round(height) for height in heights] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    bottom, top = panel(score).get_ylim()
    per_inch = abs(bottom - top) / (panel(score).get_position().height * score.get_figheight())
    assert min(np.diff(heights)) / per_inch * 72 > 10, "points between dots that are 6 points wide"


def test_the_text_of_a_line_stands_beside_it(score: Figure, lengths: Figure) -> None:
    for drawn, kind in ((score, "dot"), (lengths, "median")):
        texts = artists(drawn, "text")
        assert set(texts) == {f"{name}/{agent}" for name in TITLES for agent in AGENTS}
        for gid, mark in artists(drawn, kind).items():
            assert abs(texts[gid].get_position()[1] - float(mark.get_ydata()[0])) < 0.3


def test_agents_differ_in_colour_and_marker(score: Figure) -> None:
    dots = artists(score, "dot")
    looks = {(dots[f"toy/base/{agent}"].get_color(), dots[f"toy/base/{agent}"].get_marker()) for agent in AGENTS}
    assert len({colour for colour, _ in looks}) == len({marker for _, marker in looks}) == len(AGENTS)
    for agent in AGENTS:
        one_agent = [dots[f"{ruleset}/{agent}"] for ruleset in TITLES]
        assert len({dot.get_color() for dot in one_agent}) == 1


def test_even_line_target_and_sides(score: Figure) -> None:
    (even,) = score.findobj(lambda artist: artist.get_gid() == "even")
    (target,) = score.findobj(lambda artist: artist.get_gid() == "band")
    assert isinstance(even, Line2D) and list(np.asarray(even.get_xdata())) == [0.5, 0.5]
    assert isinstance(target, Rectangle)
    assert [target.get_x(), target.get_x() + target.get_width()] == pytest.approx([0.48, 0.52])
    sides = {side: text.get_text() for side, text in artists(score, "side").items()}
    assert sides == {"left": "← second player ahead", "right": "first player ahead →"}


def test_scale_shows_all_intervals_and_marks_bounds_beyond_it(analysis: Analysis, score: Figure) -> None:
    cells = analysis.cells
    left, right = panel(score).get_xlim()
    assert left < cells["first_score_low"].min() and cells["first_score_high"].max() < right
    beyond = cells[(cells["first_score_lowest"] < left) | (cells["first_score_highest"] > right)]
    assert set(artists(score, "beyond")) == {f"{cell['ruleset']}/{cell['first']}" for cell in beyond.to_dict("records")}


@pytest.mark.parametrize("name", ["score", "lengths"])
def test_names_titles_and_headings(name: str, request: pytest.FixtureRequest) -> None:
    drawn = request.getfixturevalue(name)
    shown = words(drawn)
    assert "Which is fairer?" in shown
    assert {"base", "long", "bare", "baseline", "The rules as they are"} <= set(shown)
    assert "現行ルール" not in shown, "one language"
    (baseline,) = drawn.findobj(lambda artist: artist.get_gid() == "baseline")
    base = artists(drawn, "name")["toy/base"]
    assert 0 < baseline.get_position()[1] - base.get_position()[1] < 0.5, "under the name of the baseline"


def test_charts_say_what_they_show_in_the_language_that_was_asked_for(analysis: Analysis, score: Figure) -> None:
    english = " ".join(words(score))
    assert (
        "Score of the first player" in english and "its 95 % interval" in english and "Shaded: the target." in english
    )
    assert any("%" in tick.get_text() for tick in panel(score).get_xticklabels())
    japanese = "".join(words(draw_figure(score_chart(analysis), "ja", "どれが公平か")))
    assert "先手の得点率" in japanese and "色の帯：目標。" in japanese and "基準" in japanese
    assert "現行ルール" in japanese and "長い題名" in japanese
    assert "Score of the first player" not in japanese and "The rules as they are" not in japanese


def test_exact_values_are_drawn_as_diamonds(analysis: Analysis) -> None:
    exact = pd.DataFrame([("toy/base", "random", "random", 0.51, 9.0)], columns=NO_EXACT.columns)
    drawn = draw_figure(score_chart(analysis, exact))
    (diamond,) = artists(drawn, "exact").items()
    assert diamond[0] == "toy/base/random" and diamond[1].get_xdata()[0] == 0.51
    assert "Open diamond: the exact value." in " ".join(words(drawn))


def texts_are_readable(drawn: Figure) -> None:
    """No text overlaps another or leaves the figure."""
    canvas = drawn.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    canvas.draw()  # type: ignore[no-untyped-call]
    off_scale = {
        id(label)
        for axes in drawn.axes
        for tick in axes.xaxis.get_major_ticks()
        for label in (tick.label1, tick.label2)
        if not axes.get_xlim()[0] <= tick.get_loc() <= axes.get_xlim()[1]
    }
    boxes = [
        (text.get_text(), text.get_window_extent())
        for text in drawn.findobj(Written)
        if isinstance(text, Written) and text.get_text().strip() and text.get_visible() and id(text) not in off_scale
    ]
    width, height = drawn.canvas.get_width_height()
    for i, (one, box) in enumerate(boxes):
        assert box.x0 >= 0 and box.x1 <= width and box.y0 >= 0 and box.y1 <= height, one
        for other, another in boxes[i + 1 :]:
            x = min(box.x1, another.x1) - max(box.x0, another.x0)
            y = min(box.y1, another.y1) - max(box.y0, another.y0)
            assert x <= 1 or y <= 1 + 0.35 * min(box.height, another.height), f"{one!r} and {other!r}"


def test_no_text_overlaps_another_or_leaves_the_figure(score: Figure, lengths: Figure) -> None:
    for drawn in (score, lengths):
        texts_are_readable(drawn)


def test_lengths_show_quartiles_and_medians(analysis: Analysis, lengths: Figure) -> None:
    halves, medians, texts = (artists(lengths, kind) for kind in ("interval", "median", "text"))
    for cell in analysis.cells.to_dict("records"):
        gid = f"{cell['ruleset']}/{cell['first']}"
        right = panel(lengths, AGENTS.index(cell["first"])).get_xlim()[1]
        # What falls among the capped games is not known: the bar ends in an arrow, and the median is a lower bound.
        lower, middle, upper = (cell[f"plies_{which}"] for which in ("lower_quartile", "median", "upper_quartile"))
        assert list(halves[gid].get_xdata()) == [lower, min(upper, right)]
        if math.isinf(middle):
            assert gid not in medians and texts[gid].get_text() == f">{CAP} plies"
        else:
            assert medians[gid].get_xdata()[0] == middle and texts[gid].get_text() == f"{middle:.0f} plies"
    assert set(artists(lengths, "beyond")) == {"toy/long/random", "toy/bare/random"}


def test_curves_fall_to_the_share_of_games_that_still_go_on(lengths: Figure) -> None:
    for gid, capped in (("toy/base/random", 1 / 6), ("toy/bare/random", 1 / 2), ("toy/bare/greedy", 0.0)):
        steps = artists(lengths, "survival")[gid].get_data()
        heights = (steps.baseline - np.asarray(steps.values)) / (steps.baseline - steps.values[0])
        assert list(heights) == sorted(heights, reverse=True)
        assert heights[-1] == pytest.approx(capped, abs=0.04), gid
        right = panel(lengths, AGENTS.index(gid.rpartition("/")[2])).get_xlim()[1]
        assert steps.edges[0] == 0 and (steps.edges[-1] == right) == (capped > 0)


def test_panels_of_small_multiples_are_named_and_captioned(lengths: Figure) -> None:
    assert [text.get_text() for text in artists(lengths, "panel").values()] == list(AGENTS)
    assert "random: 33.3\N{NO-BREAK SPACE}% of the games were stopped at 200 plies." in " ".join(words(lengths))


@pytest.mark.thorough
def test_cells_without_games_or_results_are_named_so() -> None:
    records = trials()
    some = records[records["ruleset"] != "toy/long"].copy()
    some.loc[some["ruleset"] == "toy/bare", ["result", "termination"]] = ["unfinished", "cap"]
    analysis = statistics.analyse(some, plan("greedy"))
    shown = words(draw_figure(score_chart(analysis)))
    assert "no games yet" in shown and "no game finished" in shown
    assert "no games yet" in words(draw_figure(length_charts(analysis)))


def test_a_chart_without_rows_is_drawn() -> None:
    empty = Chart("x", Panel(fit_scale([], str), ()), "", stem="x")
    assert draw_figure(empty).axes
    assert draw_figure(SmallMultiples("", [], "x")).get_figwidth() > 0


def test_height_follows_the_number_of_rulesets(score: Figure, analysis: Analysis) -> None:
    chart = score_chart(analysis)
    one = draw_figure(Chart("x", Panel(chart.panel.scale, chart.panel.rows[:1]), chart.caption, chart.series, "x"))
    assert one.get_figheight() < score.get_figheight()
    assert one.get_figwidth() == pytest.approx(score.get_figwidth(), abs=0.3)


@pytest.mark.thorough
def test_saved_files_are_equal_and_global_settings_are_kept(analysis: Analysis, tmp_path: Path) -> None:
    before = dict(rcParams)
    written = []
    for name in ("a", "b"):
        figures = draw_figure(score_chart(analysis)), draw_figure(length_charts(analysis))
        (tmp_path / name).mkdir()
        written.append(
            [path for i, drawn in enumerate(figures) for path in save_figure(drawn, tmp_path / name / str(i))]
        )
    for one, other in zip(*written, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name
    assert {path.name for path in (tmp_path / "a").iterdir()} == {"0.png", "0.svg", "1.png", "1.svg"}
    assert dict(rcParams) == before


@pytest.mark.thorough
def test_import_leaves_no_global_state() -> None:
    code = (
        "import sys, workbench.report.render.matplotlib; "
        "print({'matplotlib.pyplot', 'matplotlib_fontja'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


DOLLARS = "pay $5 or $x^{2_y $\\frac$ \\$"
"""What matplotlib would take for mathematics, and could not read."""


def test_dollars_are_no_mathematics(tmp_path: Path) -> None:
    text = untranslated(DOLLARS)
    row = Row(DOLLARS, text, (Line(0, (Dot(0.5),), text, DOLLARS),), text)
    scale = Scale(0, 1, ((0.5, DOLLARS),), 0.5, None, text, text)
    series = [Series(0, text), Series(1, text)]
    chart = Chart("x", Panel(scale, (row,)), text, series, "x", text)
    heat = Heat(text, (DOLLARS,), (DOLLARS,), [[HeatCell(0.5, DOLLARS)]])
    figures = [
        draw_figure(chart, "en", DOLLARS),
        draw_figure(SmallMultiples(text, [chart, chart], "x", text), "en", DOLLARS),
        draw_heat_map(HeatMap(text, heat, text, "x"), "en", DOLLARS),
    ]
    for drawn in figures:
        save_figure(drawn, tmp_path / "x")
        texts = [text for text in drawn.findobj(Written) if "$" in text.get_text()]
        assert texts and not any(text.get_parse_math() for text in texts)


@pytest.mark.thorough
def test_a_thousand_rulesets_are_folded() -> None:
    rows = tuple(one_row(f"toy/{i}", dot(0.5, 0.4, 0.6), title=untranslated(f"Ruleset {i}")) for i in range(1000))
    chart = Chart("x", Panel(fit_scale([0.4, 0.6], str), rows), untranslated("caption"), stem="x")
    names = tuple(str(i) for i in range(1000))
    matrix = HeatMap(untranslated("caption"), Heat("", names, names, [[HeatCell(0.5, "½")] * 1000] * 1000),
                     untranslated("Title"), "x")  # fmt: skip
    for drawn in (draw_figure(chart), draw_figure(SmallMultiples(untranslated("caption"), [chart, chart], "x"))):
        assert drawn.get_figheight() <= MAX_HEIGHT + 3
        shown = {text.get_text() for text in drawn.findobj(Written)}
        assert "toy/0" in shown and "Ruleset 0" in shown and "toy/999" not in shown
        assert "of 1,000; the tables have all." in " ".join(text.get_text() for text in drawn.texts)
    assert max(draw_heat_map(matrix).get_size_inches()) <= MAX_HEIGHT + 3


def test_what_lies_beyond_the_scale_ends_in_arrows() -> None:
    lines = (dot(0.02, -0.8, np.inf), dot(0.01, -0.02, 0.04, series=1, hollow=True))
    scale = Scale(-0.05, 0.05, ((0.0, "0"),), 0.0, (-0.02, 0.02))
    drawn = draw_figure(Chart("x", Panel(scale, (one_row("toy/base", *lines), one_row("toy/none"))), "", stem="x"))
    assert panel(drawn).get_xlim() == (-0.05, 0.05), "the weak do not squeeze the strong"
    assert list(artists(drawn, "interval")["toy/base/0"].get_xdata()) == [-0.05, 0.05]
    assert colors.same_color(artists(drawn, "dot")["toy/base/1"].get_markerfacecolor(), "white")
    arrows: list[Any] = drawn.findobj(lambda artist: (artist.get_gid() or "") == "beyond/toy/base/0")
    assert sorted((arrow.get_marker(), float(arrow.get_xdata()[0])) for arrow in arrows) == [("<", -0.05), (">", 0.05)]
    assert not drawn.findobj(lambda artist: (artist.get_gid() or "") == "beyond/toy/base/1")


def test_japanese_captions_and_long_pairings_stay_inside_the_figure() -> None:
    caption = (
        "最も強いプレイヤー（alphabeta-2）で改善幅が最も大きいのはC+D+Eで+1.5 (−8.2…+11.2)ポイント（未判定）。" * 4
    )
    scale = Scale(
        -1, 1, ((0.0, "0"),), 0.0, None, untranslated("先手の得点率が低い"), untranslated("先手の得点率が高い")
    )
    rows = tuple(one_row(name, dot(0.0)) for name in TITLES)
    chart = Chart("x", Panel(scale, rows), untranslated(caption), stem="x", title=untranslated("公平さの改善幅"))
    pairings = [f"alphabeta-2-{one} v alphabeta-2-{other}" for one, other in (("centre", "edge"), ("edge", "centre"))]
    panels = [Chart(name, Panel(scale, rows), "", title=untranslated(name)) for name in pairings]
    alone, beside = draw_figure(chart, "ja"), draw_figure(SmallMultiples(untranslated(caption), panels, "x"), "ja")
    for drawn in (alone, beside):
        texts_are_readable(drawn)
    lines = [one.get_text() for one in alone.findobj(Written) if one.get_gid() == "caption"]
    assert "".join(lines).replace(" ", "") == caption.replace(" ", "")
    assert not any(line[0] in "、。）" for line in lines)


def test_a_matrix_shows_its_numbers_and_colours_what_is_shown() -> None:
    cells = [
        [HeatCell(0.5, "50.0 %"), HeatCell(0.41, "41.0 %", shade=0.0)],
        [HeatCell(math.nan, "–", shade=math.nan), HeatCell(0.62, "62.0 %", shade=0.24)],
    ]
    heat = Heat(untranslated("Black / White"), ("centre", "edge"), ("centre", "edge"), cells)
    drawn = draw_heat_map(HeatMap(bilingual(en="Styles", ja="作戦"), heat, untranslated("Chatra"), "matrix"), "ja")
    numbers = {gid: text.get_text() for gid, text in artists(drawn, "share").items()}
    assert numbers == {"centre/centre": "50.0 %", "centre/edge": "41.0 %", "edge/edge": "62.0 %"}
    image: Any = next(iter(drawn.findobj(lambda artist: artist.get_gid() == "matrix")))
    np.testing.assert_array_equal(np.ma.filled(image.get_array(), np.nan), [[0.0, 0.0], [np.nan, 0.24]])
    assert {"作戦", "Chatra", "Black / White"} <= set(words(drawn))


def test_labels_leave_out_what_all_rulesets_share() -> None:
    assert short_names(["chatra/A", "chatra/B"]) == ["A", "B"]
    assert short_names(["chatra/A", "star/A"]) == ["chatra/A", "star/A"]
    assert short_names(["chatra/A size=9", "chatra/A size=12"]) == ["size=9", "size=12"]
    factors = ["x/A a=1, b=2", "x/A a=1, b=3", "x/A a=2, b=2", "x/A a=2, b=3"]
    assert short_names(factors) == ["A", "b=3", "a=2", "a=2 + b=3"]
    bases = ["x/A a=1, b=2", "x/A a=1, b=3", "x/B a=1, b=2", "x/B a=1, b=3"]
    assert short_names(bases) == ["A", "b=3", "B", "B + b=3"]
    assert short_names(["chatra/A", "chatra/A size=12"]) == ["A", "A size=12"]
