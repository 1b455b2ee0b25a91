"""What the chart files show, read off their artists."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import colors, rcParams
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text as Written

from tests.toy import games, plan_from, ruleset
from workbench import statistics
from workbench.base.language import bilingual, untranslated
from workbench.report import model as m
from workbench.report.labels import short_names
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


def score_chart(analysis: Analysis, exact: pd.DataFrame = NO_EXACT) -> m.Chart:
    chart = scores_section(Results.of(analysis), exact).parts[0]
    assert isinstance(chart, m.Chart)
    return chart


def length_charts(analysis: Analysis) -> m.SmallMultiples:
    charts = lengths_section(Results.of(analysis), NO_EXACT).parts[0]
    assert isinstance(charts, m.SmallMultiples)
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


def one_row(name: str, *lines: m.Line, title: str = "") -> m.Row:
    return m.Row(name, untranslated(name), lines, title)


def dot(value: float, low: float = math.nan, high: float = math.nan, series: int = 0, hollow: bool = False) -> m.Line:
    return m.Line(series, (m.Interval(low, high), m.Dot(value, hollow)), untranslated(f"{value}"), str(series))


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


def test_the_text_of_a_line_stands_beside_it(score: Figure, lengths: Figure) -> None:
    for drawn, kind in ((score, "dot"), (lengths, "median")):
        texts = artists(drawn, "text")
        assert set(texts) == {f"{name}/{agent}" for name in TITLES for agent in AGENTS}
        for gid, mark in artists(drawn, kind).items():
            assert abs(texts[gid].get_position()[1] - float(mark.get_ydata()[0])) < 0.3


def test_even_line_target_and_sides(score: Figure) -> None:
    even: Any = score.findobj(lambda artist: artist.get_gid() == "even")[0]
    target: Any = score.findobj(lambda artist: artist.get_gid() == "band")[0]
    assert list(np.asarray(even.get_xdata())) == [0.5, 0.5]
    assert [target.get_x(), target.get_x() + target.get_width()] == pytest.approx([0.48, 0.52])
    assert artists(score, "side")["left"].get_text() == "← second player ahead"


def test_names_titles_and_headings(score: Figure, lengths: Figure) -> None:
    for drawn in (score, lengths):
        shown = set(words(drawn))
        assert {"Which is fairer?", "base", "long", "bare", "baseline", "The rules as they are"} <= shown
        baseline: Any = drawn.findobj(lambda artist: artist.get_gid() == "baseline")[0]
        base = artists(drawn, "name")["toy/base"]
        assert 0 < baseline.get_position()[1] - base.get_position()[1] < 0.5, "under the name of the baseline"


def test_charts_say_what_they_show_in_the_language_that_was_asked_for(analysis: Analysis, score: Figure) -> None:
    english = " ".join(words(score))
    assert "its 95 % interval" in english and "Shaded: the target." in english
    assert any("%" in tick.get_text() for tick in panel(score).get_xticklabels())
    japanese = "".join(words(draw_figure(score_chart(analysis), "ja", "どれが公平か")))
    assert all(
        text in japanese
        for text in ("先手勝率（引き分けは0.5勝）", "色の帯：目標です。", "基準", "現行ルール", "長い題名")
    )
    assert not re.search("Score of|The rules", japanese)


def test_exact_values_are_drawn_as_diamonds(analysis: Analysis) -> None:
    exact = pd.DataFrame([("toy/base", "random", "random", 0.51, 9.0)], columns=NO_EXACT.columns)
    drawn = draw_figure(score_chart(analysis, exact))
    (diamond,) = artists(drawn, "exact").items()
    assert diamond[0] == "toy/base/random" and diamond[1].get_xdata()[0] == 0.51
    assert "Open diamond: the exact value." in " ".join(words(drawn))


def texts_are_readable(drawn: Figure) -> None:
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


@pytest.mark.thorough
def test_cells_without_games_or_results_are_named_so() -> None:
    records = trials()
    some = records[records["ruleset"] != "toy/long"].copy()
    some.loc[some["ruleset"] == "toy/bare", ["result", "termination"]] = ["unfinished", "cap"]
    analysis = statistics.analyse(some, plan("greedy"))
    shown = words(draw_figure(score_chart(analysis)))
    assert "no games yet" in shown and "no game finished" in shown
    assert "no games yet" in words(draw_figure(length_charts(analysis)))


@pytest.mark.thorough
def test_saved_files_are_equal_and_global_settings_are_kept(analysis: Analysis, tmp_path: Path) -> None:
    before = dict(rcParams)
    written = []
    for name in ("a", "b"):
        figures = draw_figure(score_chart(analysis)), draw_figure(length_charts(analysis))
        (tmp_path / name).mkdir()
        paths = [path for i, drawn in enumerate(figures) for path in save_figure(drawn, tmp_path / name / str(i))]
        written.append({path.name: path.read_bytes() for path in paths})
    assert written[0] == written[1] and written[0].keys() == {"0.png", "0.svg", "1.png", "1.svg"}
    assert dict(rcParams) == before


DOLLARS = "pay $5 or $x^{2_y $\\frac$ \\$"
"""What matplotlib would take for mathematics, and could not read."""


def test_dollars_are_no_mathematics(tmp_path: Path) -> None:
    text = untranslated(DOLLARS)
    row = m.Row(DOLLARS, text, (m.Line(0, (m.Dot(0.5),), text, DOLLARS),), text)
    scale = m.Scale(0, 1, ((0.5, DOLLARS),), 0.5, None, text, text)
    series = [m.Series(0, text), m.Series(1, text)]
    chart = m.Chart("x", m.Panel(scale, (row,)), text, series, "x", text)
    heat = m.Heat(text, (DOLLARS,), (DOLLARS,), [[m.HeatCell(0.5, DOLLARS)]])
    figures = [
        draw_figure(chart, "en", DOLLARS),
        draw_figure(m.SmallMultiples(text, [chart, chart], "x", text), "en", DOLLARS),
        draw_heat_map(m.HeatMap(text, heat, text, "x"), "en", DOLLARS),
    ]
    for drawn in figures:
        save_figure(drawn, tmp_path / "x")
        texts = [text for text in drawn.findobj(Written) if "$" in text.get_text()]
        assert texts and not any(text.get_parse_math() for text in texts)


@pytest.mark.thorough
def test_a_thousand_rulesets_are_folded() -> None:
    rows = tuple(one_row(f"toy/{i}", dot(0.5, 0.4, 0.6), title=untranslated(f"Ruleset {i}")) for i in range(1000))
    chart = m.Chart("x", m.Panel(m.fit_scale([0.4, 0.6], str), rows), untranslated("caption"), stem="x")
    names = tuple(str(i) for i in range(1000))
    matrix = m.HeatMap(untranslated("caption"), m.Heat("", names, names, [[m.HeatCell(0.5, "½")] * 1000] * 1000),
                     untranslated("Title"), "x")  # fmt: skip
    for drawn in (draw_figure(chart), draw_figure(m.SmallMultiples(untranslated("caption"), [chart, chart], "x"))):
        assert drawn.get_figheight() <= MAX_HEIGHT + 3
        shown = {text.get_text() for text in drawn.findobj(Written)}
        assert "toy/0" in shown and "Ruleset 0" in shown and "toy/999" not in shown
        assert "of 1,000; the tables list all." in " ".join(text.get_text() for text in drawn.texts)
    assert max(draw_heat_map(matrix).get_size_inches()) <= MAX_HEIGHT + 3


def test_what_lies_beyond_the_scale_ends_in_arrows() -> None:
    lines = (dot(0.02, -0.8, np.inf), dot(0.01, -0.02, 0.04, series=1, hollow=True))
    scale = m.Scale(-0.05, 0.05, ((0.0, "0"),), 0.0, (-0.02, 0.02))
    drawn = draw_figure(m.Chart("x", m.Panel(scale, (one_row("toy/base", *lines), one_row("toy/none"))), "", stem="x"))
    assert panel(drawn).get_xlim() == (-0.05, 0.05), "the weak do not squeeze the strong"
    assert list(artists(drawn, "interval")["toy/base/0"].get_xdata()) == [-0.05, 0.05]
    assert colors.same_color(artists(drawn, "dot")["toy/base/1"].get_markerfacecolor(), "white")
    arrows: list[Any] = drawn.findobj(lambda artist: (artist.get_gid() or "") == "beyond/toy/base/0")
    assert sorted((arrow.get_marker(), float(arrow.get_xdata()[0])) for arrow in arrows) == [("<", -0.05), (">", 0.05)]
    assert not drawn.findobj(lambda artist: (artist.get_gid() or "") == "beyond/toy/base/1")


def test_japanese_captions_and_long_pairings_stay_inside_the_figure() -> None:
    caption = "最も強いプレイヤーで改善幅が最も大きいのはC+D+Eで+1.5 (−8.2…+11.2)ポイント（未判定）。" * 5
    scale = m.Scale(-1, 1, ((0.0, "0"),), 0.0, None, untranslated("先手が低い"), untranslated("先手が高い"))
    rows = tuple(one_row(name, dot(0.0)) for name in TITLES)
    chart = m.Chart("x", m.Panel(scale, rows), untranslated(caption), stem="x", title=untranslated("公平さの改善"))
    pairings = [f"alphabeta-2-{one} v alphabeta-2-{other}" for one, other in (("centre", "edge"), ("edge", "centre"))]
    panels = [m.Chart(name, m.Panel(scale, rows), "", title=untranslated(name)) for name in pairings]
    alone, beside = draw_figure(chart, "ja"), draw_figure(m.SmallMultiples(untranslated(caption), panels, "x"), "ja")
    for drawn in (alone, beside):
        texts_are_readable(drawn)
    lines = [one.get_text() for one in alone.findobj(Written) if one.get_gid() == "caption"]
    assert "".join(lines).replace(" ", "") == caption.replace(" ", "")
    assert not any(line[0] in "、。）" for line in lines)


def test_a_matrix_shows_its_numbers_and_colours_what_is_shown() -> None:
    cells = [
        [m.HeatCell(0.5, "50.0 %"), m.HeatCell(0.41, "41.0 %", shade=0.0)],
        [m.HeatCell(math.nan, "–", shade=math.nan), m.HeatCell(0.62, "62.0 %", shade=0.24)],
    ]
    heat = m.Heat(untranslated("Black / White"), ("centre", "edge"), ("centre", "edge"), cells)
    drawn = draw_heat_map(m.HeatMap(bilingual(en="Styles", ja="作戦"), heat, untranslated("Chatra"), "matrix"), "ja")
    numbers = {gid: text.get_text() for gid, text in artists(drawn, "share").items()}
    assert numbers == {"centre/centre": "50.0 %", "centre/edge": "41.0 %", "edge/edge": "62.0 %"}
    image: Any = next(iter(drawn.findobj(lambda artist: artist.get_gid() == "matrix")))
    np.testing.assert_array_equal(np.ma.filled(image.get_array(), np.nan), [[0.0, 0.0], [np.nan, 0.24]])
    assert {"作戦", "Chatra", "Black / White"} <= set(words(drawn))


def test_labels_leave_out_what_all_rulesets_share() -> None:
    assert short_names(["chatra/A", "chatra/B"]) == ["A", "B"]
    assert short_names(["chatra/A", "star/A"]) == ["chatra/A", "star/A"]
    assert short_names(["chatra/A size=9", "chatra/A size=12"]) == ["size=9", "size=12"]
    bases = ["x/A a=1, b=2", "x/A a=1, b=3", "x/B a=1, b=2", "x/B a=1, b=3"]
    assert short_names(bases) == ["A", "b=3", "B", "B + b=3"]
    assert short_names(["chatra/A", "chatra/A size=12"]) == ["A", "A size=12"]
