"""What the charts show, read off their artists."""

from __future__ import annotations

import itertools
import subprocess
import sys
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
from matplotlib.text import Text

from tests.toy import games
from workbench import statistics
from workbench.report import charts

TITLES = {
    "toy/base": ("The rules as they are", "現行ルール"),
    "toy/long": ("A much longer title that does not fit in one line of the chart and has to be broken", "長い題名"),
    "toy/bare": ("No Japanese title", ""),
}
AGENTS = ("random", "greedy", "mcts-400")
CAP = 200


def trials(n: int = 60) -> pd.DataFrame:
    """Records of three rulesets and three agents; only the random agent reaches the cap, and only sometimes."""
    rng = np.random.default_rng(1)
    parts = []
    for i, ruleset in enumerate(TITLES):
        for j, agent in enumerate(AGENTS):
            plies = rng.integers(20, 150, n)
            result = rng.choice(["first", "second", "draw"], n, p=[0.5 + 0.1 * i, 0.4 - 0.1 * i, 0.1]).astype(object)
            if agent == "random":
                plies[: 10 * (i + 1)] = CAP
                result[: 10 * (i + 1)] = "unfinished"
            parts.append(
                pd.DataFrame(
                    {
                        "ruleset": ruleset, "first": agent, "second": agent, "result": result, "plies": plies,
                        "termination": np.where(plies == CAP, "cap", "mate"),
                        "legal_moves": 9.0, "game_hash": np.arange(n), "game": np.arange(n), "row": j,
                    }
                )
            )  # fmt: skip
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def cells() -> pd.DataFrame:
    return statistics.cells(trials(), list(TITLES), [(agent, agent) for agent in AGENTS], "toy/base")


@pytest.fixture(scope="module")
def score(cells: pd.DataFrame) -> Figure:
    return charts.first_score_chart(cells, TITLES, "Which is fairer?", {"first_score": [0.48, 0.52]})


@pytest.fixture(scope="module")
def lengths() -> Figure:
    return charts.lengths_chart(trials(), TITLES, "Which is fairer?", baseline="toy/base", max_plies=CAP)


def artists(figure: Figure, kind: str) -> dict[str, Any]:
    """The artists whose gid begins with a word, by the rest of it."""
    found = figure.findobj(lambda artist: (artist.get_gid() or "").startswith(f"{kind}/"))
    return {str(artist.get_gid()).removeprefix(f"{kind}/"): artist for artist in found}


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text) if isinstance(text, Text) and text.get_text()]


def test_every_cell_has_its_dot_interval_and_bounds(cells: pd.DataFrame, score: Figure) -> None:
    dots, intervals, bounds = (artists(score, kind) for kind in ("score", "interval", "bounds"))
    assert len(dots) == len(cells)
    for cell in cells.to_dict("records"):
        gid = f"{cell['ruleset']}/{cell['first']}"
        dot, interval = dots[gid], intervals[gid]
        assert dot.get_xdata()[0] == cell["first_score"]
        assert list(interval.get_xdata()) == [cell["first_score_low"], cell["first_score_high"]]
        assert colors.same_color(dot.get_markerfacecolor(), "white") == (cell["balance"] == "undecided")
        assert (gid in bounds) == (cell["unfinished"] > 0)
        if gid in bounds:
            whisker = bounds[gid]
            assert list(whisker.get_xdata()) == [cell["first_score_lowest"], cell["first_score_highest"]]


def test_rulesets_are_rows_from_the_top_and_agents_do_not_overlap(score: Figure) -> None:
    heights = [float(dot.get_ydata()[0]) for dot in artists(score, "score").values()]
    assert heights == sorted(heights), "in the order of the table"
    assert [round(height) for height in heights] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    bottom, top = score.axes[1].get_ylim()
    per_inch = abs(bottom - top) / (score.axes[1].get_position().height * score.get_figheight())
    assert min(np.diff(heights)) / per_inch * 72 > 10, "points between dots that are 6 points wide"


def test_agents_differ_in_colour_and_marker(score: Figure) -> None:
    dots = artists(score, "score")
    looks = {(dots[f"toy/base/{agent}"].get_color(), dots[f"toy/base/{agent}"].get_marker()) for agent in AGENTS}
    assert len({colour for colour, _ in looks}) == len({marker for _, marker in looks}) == len(AGENTS)
    for agent in AGENTS:
        one_agent = [dots[f"{ruleset}/{agent}"] for ruleset in TITLES]
        assert len({dot.get_color() for dot in one_agent}) == 1


def test_even_line_and_target(score: Figure) -> None:
    (even,) = score.findobj(lambda artist: artist.get_gid() == "even")
    (target,) = score.findobj(lambda artist: artist.get_gid() == "target")
    assert isinstance(even, Line2D) and list(np.asarray(even.get_xdata())) == [0.5, 0.5]
    assert isinstance(target, Rectangle)
    assert [target.get_x(), target.get_x() + target.get_width()] == pytest.approx([0.48, 0.52])


def test_scale_shows_all_intervals_and_marks_bounds_beyond_it(cells: pd.DataFrame, score: Figure) -> None:
    axes = score.axes[1]
    left, right = axes.get_xlim()
    assert left < cells["first_score_low"].min() and cells["first_score_high"].max() < right
    beyond = cells[(cells["first_score_lowest"] < left) | (cells["first_score_highest"] > right)]
    assert set(artists(score, "beyond")) == {f"{cell['ruleset']}/{cell['first']}" for cell in beyond.to_dict("records")}


@pytest.mark.parametrize("name", ["score", "lengths"])
def test_words(name: str, request: pytest.FixtureRequest) -> None:
    figure = request.getfixturevalue(name)
    shown = words(figure)
    assert "Which is fairer?" in shown
    assert {"base", "long", "bare", "baseline", "現行ルール", "長い題名", "The rules as they are"} <= set(shown)
    (baseline,) = figure.findobj(lambda artist: artist.get_gid() == "baseline")
    base = artists(figure, "name")["toy/base"]
    assert 0 < baseline.get_position()[1] - base.get_position()[1] < 0.5, "under the name of the baseline"


def test_score_chart_says_what_it_shows(score: Figure) -> None:
    subtitle = " ".join(words(score))
    assert "60 games per dot" in subtitle and "95 % interval" in subtitle
    assert "target 48–52 %" in subtitle and "hollow: undecided" in subtitle
    assert any("%" in tick.get_text() for tick in score.axes[1].get_xticklabels())


def test_no_text_overlaps_another_or_leaves_the_figure(score: Figure, lengths: Figure) -> None:
    for figure in (score, lengths):
        canvas = figure.canvas
        assert isinstance(canvas, FigureCanvasAgg)
        canvas.draw()  # type: ignore[no-untyped-call]
        off_scale = {
            id(label)
            for axes in figure.axes
            for tick in axes.xaxis.get_major_ticks()
            for label in (tick.label1, tick.label2)
            if not axes.get_xlim()[0] <= tick.get_loc() <= axes.get_xlim()[1]
        }
        boxes = [
            (text.get_text(), text.get_window_extent())
            for text in figure.findobj(Text)
            if isinstance(text, Text) and text.get_text().strip() and text.get_visible() and id(text) not in off_scale
        ]
        width, height = figure.canvas.get_width_height()
        for i, (one, box) in enumerate(boxes):
            assert box.x0 >= 0 and box.x1 <= width and box.y0 >= 0 and box.y1 <= height, one
            for other, another in boxes[i + 1 :]:
                x = min(box.x1, another.x1) - max(box.x0, another.x0)
                y = min(box.y1, another.y1) - max(box.y0, another.y0)
                assert x <= 1 or y <= 1 + 0.35 * min(box.height, another.height), f"{one!r} and {other!r}"


def test_lengths_show_quartiles_median_and_capped_share(lengths: Figure) -> None:
    table = statistics.cells(trials())
    halves, medians, texts = (artists(lengths, kind) for kind in ("middle-half", "median", "median-text"))
    bars, hills = artists(lengths, "capped"), artists(lengths, "hill")
    for cell in table.to_dict("records"):
        gid = f"{cell['ruleset']}/{cell['first']}"
        half, median, text = halves[gid], medians[gid], texts[gid]
        # What falls among the capped games is drawn at the cap.
        lower, middle, upper = (min(cell[f"plies_{x}"], 200) for x in ("lower_quartile", "median", "upper_quartile"))
        assert list(half.get_xdata()) == [lower, upper]
        assert median.get_xdata()[0] == middle
        assert text.get_text().rstrip("+") == f"{middle:.0f}"
        assert gid in hills
    assert {gid: round(bar.get_width(), 3) for gid, bar in bars.items()} == {
        "toy/base/random": 0.167, "toy/long/random": 0.333, "toy/bare/random": 0.5,
    }  # fmt: skip


def test_lengths_are_open_where_a_quantile_falls_among_the_capped(lengths: Figure) -> None:
    assert set(artists(lengths, "open")) == {"toy/long/random", "toy/bare/random"}
    texts = {gid: text.get_text() for gid, text in artists(lengths, "median-text").items()}
    assert [gid for gid, text in texts.items() if text.endswith("+")] == ["toy/bare/random"]


def test_a_game_that_was_stopped_early_may_have_gone_on(cells: pd.DataFrame) -> None:
    """One median: that of the table, whenever games were stopped."""
    lengths = [10, 12, 14, 15, 15, 15, 40, 50, 60, 70]
    records = games("wlw" + "uuu" + "wlwl", plies=lengths)
    row = statistics.cells(records).iloc[0]
    figure = charts.lengths_chart(records, {"toy/base": ("", "")})
    (median,), (text,), (half,) = (artists(figure, kind).values() for kind in ("median", "median-text", "middle-half"))
    assert median.get_xdata()[0] == row["plies_median"] == 50 and text.get_text() == "50"
    assert list(half.get_xdata()) == [row["plies_lower_quartile"], row["plies_upper_quartile"]]


def test_cells_without_games_or_results_are_named_so(cells: pd.DataFrame) -> None:
    records = trials()
    some = records[records["ruleset"] != "toy/long"].copy()
    some.loc[some["ruleset"] == "toy/bare", "result"] = "unfinished"
    table = statistics.cells(some, list(TITLES), [("greedy", "greedy")])
    shown = words(charts.first_score_chart(table, TITLES))
    assert "no games yet" in shown and "no game finished" in shown
    assert "no games yet" in words(charts.lengths_chart(some, TITLES))
    nothing = records.iloc[:0]
    assert charts.first_score_chart(statistics.cells(nothing), {}).axes
    assert charts.lengths_chart(nothing, {}).axes


def test_height_follows_the_number_of_rulesets(cells: pd.DataFrame, score: Figure) -> None:
    one = charts.first_score_chart(cells[cells["ruleset"] == "toy/base"], TITLES, "Which is fairer?")
    assert one.get_figheight() < score.get_figheight()
    assert one.get_figwidth() == pytest.approx(score.get_figwidth(), abs=0.3)


def test_saved_files_are_equal_and_global_settings_are_kept(cells: pd.DataFrame, tmp_path: Path) -> None:
    before = dict(rcParams)
    written = []
    for name in ("a", "b"):
        figures = charts.first_score_chart(cells, TITLES), charts.lengths_chart(trials(), TITLES)
        (tmp_path / name).mkdir()
        written.append([p for i, figure in enumerate(figures) for p in charts.save(figure, tmp_path / name / str(i))])
    for one, other in zip(*written, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name
    assert {path.name for path in (tmp_path / "a").iterdir()} == {"0.png", "0.svg", "1.png", "1.svg"}
    assert dict(rcParams) == before


def test_import_leaves_no_global_state() -> None:
    code = "import sys, workbench.report.charts; print({'matplotlib.pyplot', 'matplotlib_fontja'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_hills_are_as_high_as_the_share_of_finished_games(lengths: Figure) -> None:
    def height(gid: str) -> float:
        hill = artists(lengths, "hill")[gid]
        data = hill.get_data()
        return float(data.baseline - np.min(data.values))

    assert height("toy/bare/random") == pytest.approx(height("toy/bare/greedy") / 2)


DOLLARS = "pay $5 or $x^{2_y $\\frac$ \\$"
"""What matplotlib would take for mathematics, and could not read."""


def test_dollars_are_no_mathematics(tmp_path: Path) -> None:
    name = f"toy/{DOLLARS}"
    games = trials().assign(first=DOLLARS, second=DOLLARS)
    games = games[games["ruleset"] == "toy/base"].assign(ruleset=name)
    titles, estimate = {name: (DOLLARS, DOLLARS)}, charts.Estimate(0, 0.5, 0.4, 0.6)
    figures = [
        charts.first_score_chart(statistics.cells(games, [name], [(DOLLARS, DOLLARS)], name), titles, DOLLARS),
        charts.lengths_chart(games, titles, DOLLARS, baseline=name, max_plies=CAP),
        charts.estimates_chart(titles, [[estimate]], [DOLLARS], [(0.5, DOLLARS)], DOLLARS, DOLLARS),
        charts.matrix_chart([DOLLARS], [DOLLARS], [[0.5]], DOLLARS, DOLLARS),
    ]
    for figure in figures:
        charts.save(figure, tmp_path / "x")
        texts = [text for text in figure.findobj(Text) if "$" in text.get_text()]
        assert texts and not any(text.get_parse_math() for text in texts)


def test_a_thousand_rulesets_are_folded() -> None:
    titles = {f"toy/{i}": (f"Ruleset {i}", "") for i in range(1000)}
    estimate = charts.Estimate(0, 0.5, 0.4, 0.6)
    rows = charts.estimates_chart(titles, [[estimate]] * 1000, ["x"], [(0.5, "50 %")], "Title")
    lengths = charts.lengths_chart(trials(), titles, pairings=[("random", "random")])
    matrix = charts.matrix_chart(list(titles), list(titles), np.full((1000, 1000), 0.5), "Title")
    for figure, last in ((rows, 84), (lengths, 84)):
        assert figure.get_figheight() <= charts.TALLEST + 3
        assert {text.get_text() for text in figure.findobj(Text)} >= {str(last), "Ruleset 0"}
        said = " ".join(text.get_text() for text in figure.texts)
        assert "Drawn: the first 85 of 1,000; the tables have all." in said
    assert max(matrix.get_size_inches()) <= charts.TALLEST + 3


def test_estimates_are_drawn_in_rows_with_their_intervals() -> None:
    marks = [
        [charts.Estimate(0, 0.02, -0.01, 0.05), charts.Estimate(1, 0.0, -0.03, np.inf, hollow=True)],
        [charts.Estimate(0, -0.04, -0.06, -0.02)],
        [],
    ]
    ticks = [(-0.05, "−5"), (0.0, "0"), (0.05, "+5")]
    figure = charts.estimates_chart(TITLES, marks, ["weak", "strong"], ticks, "Gain", "note", 0.0, (-0.02, 0.02))
    dots, intervals = artists(figure, "estimate"), artists(figure, "interval")
    assert set(dots) == {"toy/base/0", "toy/base/1", "toy/long/0"}
    assert list(intervals["toy/base/0"].get_xdata()) == [-0.01, 0.05]
    assert np.isfinite(intervals["toy/base/1"].get_xdata()).all(), "an open end stops at the edge"
    assert colors.same_color(dots["toy/base/1"].get_markerfacecolor(), "white")
    assert {"Gain", "note", "weak", "strong", "−5", "+5"} <= set(words(figure))
    assert figure.findobj(lambda artist: artist.get_gid() == "band")


def test_what_lies_beyond_the_limits_ends_in_arrows() -> None:
    marks = [[charts.Estimate(0, 0.02, -0.8, 0.8), charts.Estimate(1, 0.01, -0.02, 0.04)], [], []]
    figure = charts.estimates_chart(TITLES, marks, ["weak", "strong"], [(0.0, "0")], "Gain", limits=(-0.05, 0.05))
    assert figure.axes[1].get_xlim() == (-0.05, 0.05), "the weak do not squeeze the strong"
    arrows: list[Any] = figure.findobj(lambda artist: (artist.get_gid() or "") == "beyond/toy/base/0")
    assert sorted((arrow.get_marker(), float(arrow.get_xdata()[0])) for arrow in arrows) == [("<", -0.05), (">", 0.05)]
    assert not figure.findobj(lambda artist: (artist.get_gid() or "") == "beyond/toy/base/1")


def test_japanese_captions_and_long_pairings_stay_inside_the_figure() -> None:
    caption = (
        "最も強いプレイヤー（alphabeta-2）で改善幅が最も大きいのはC+D+Eで+1.5 (−8.2…+11.2)ポイント（未判定）。" * 4
    )
    figure = charts.estimates_chart(TITLES, [[], [], []], ["弱い"], [(0.0, "0")], "公平さの改善幅", caption)
    pair = ("alphabeta-2-centre", "alphabeta-2-corner")
    table = pd.concat([trials().assign(first=one, second=other) for one, other in (pair, pair[::-1])])
    for each in (figure, charts.lengths_chart(table, TITLES, "T")):
        each.canvas.draw()
        width = each.canvas.get_width_height()[0]
        kinds = ("subtitle", "pairing/")
        texts = [one for one in each.findobj(Text) if (one.get_gid() or "").startswith(kinds)]
        boxes = sorted((one.get_window_extent() for one in texts), key=lambda box: (-box.y0, box.x0))
        assert len(boxes) > 1 and all(box.x0 >= 0 and box.x1 <= width for box in boxes)
        beside = [(a, b) for a, b in itertools.pairwise(boxes) if abs(a.y0 - b.y0) < 1]
        assert all(a.x1 < b.x0 for a, b in beside)
    lines = [one.get_text() for one in figure.findobj(Text) if one.get_gid() == "subtitle"]
    assert "".join(lines).replace(" ", "") == caption.replace(" ", "")
    assert not any(line[0] in "、。）" for line in lines)


def test_a_matrix_shows_its_shares() -> None:
    shares = [[0.5, 0.41], [np.nan, 0.62]]
    figure = charts.matrix_chart(["centre", "edge"], ["centre", "edge"], shares, "Styles", "Black / White")
    found = {gid: text.get_text() for gid, text in artists(figure, "share").items()}
    assert found == {"centre/centre": "50.0 %", "centre/edge": "41.0 %", "edge/edge": "62.0 %"}
    shown = [[False, False], [False, True]]
    plain = charts.matrix_chart(["centre", "edge"], ["centre", "edge"], shares, "Styles", shown=shown)
    image: Any = next(iter(plain.findobj(lambda artist: artist.get_gid() == "matrix")))
    np.testing.assert_array_equal(np.ma.filled(image.get_array(), np.nan), [[0.5, 0.5], [np.nan, 0.62]])
    assert {gid: text.get_text() for gid, text in artists(plain, "share").items()} == found


def test_labels_leave_out_what_all_rulesets_share() -> None:
    assert charts.short_names(["chatra/A", "chatra/B"]) == ["A", "B"]
    assert charts.short_names(["chatra/A", "star/A"]) == ["chatra/A", "star/A"]
    assert charts.short_names(["chatra/A size=9", "chatra/A size=12"]) == ["size=9", "size=12"]
    factors = ["x/A a=1, b=2", "x/A a=1, b=3", "x/A a=2, b=2", "x/A a=2, b=3"]
    assert charts.short_names(factors) == ["A", "b=3", "a=2", "a=2 + b=3"]
    bases = ["x/A a=1, b=2", "x/A a=1, b=3", "x/B a=1, b=2", "x/B a=1, b=3"]
    assert charts.short_names(bases) == ["A", "b=3", "B", "B + b=3"]
    assert charts.short_names(["chatra/A", "chatra/A size=12"]) == ["A", "A size=12"]
