"""What a report is made of: words, boards, games to look at, changes, scales."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from markupsafe import Markup, escape

from workbench.games.declaration import Board
from workbench.language import given, in_all, verbatim
from workbench.questions import rulesets
from workbench.questions.rulesets import Ruleset
from workbench.report.labels import format_amount, format_difference, format_interval, format_percent, format_signed
from workbench.report.marks import (
    Bounds,
    Dot,
    Exact,
    Interval,
    Line,
    Mark,
    Median,
    Panel,
    Row,
    Scale,
    Survival,
    fit_scale,
)
from workbench.report.render.replay import board_changes
from workbench.report.render.svg import Pieces, board_svg, panel_svg, place_on_strip
from workbench.report.sections import games
from workbench.report.sections.games import MAX_GAMES, choose_games
from workbench.statistics import AnalysisPlan

SAMPLE = Path(__file__).resolve().parent.parent / "reports" / "sample"
TINY = Board((("●", ""), ("", "王")), ("a", "b"), ("1", "2"), frozenset({(0, 1)}), owners=((-1, -1), (-1, 1)))


@pytest.fixture(scope="module")
def provenance() -> dict[str, Any]:
    content = json.loads((SAMPLE / "provenance.json").read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


@pytest.fixture(scope="module")
def trials() -> pd.DataFrame:
    return pd.read_parquet(SAMPLE / "trials")


# Text and numbers


def test_words_are_shown_in_both_languages_and_are_safe() -> None:
    shown = escape(given(en="<b> & a", ja="い"))
    assert shown == '<span lang="en">&lt;b&gt; &amp; a</span><span lang="ja">い</span>'
    assert escape(verbatim("a < b")) == "a &lt; b"
    filled = given(en="{name} of {n}", ja="{n}の{name}").format(name=given(en="game", ja="対局"), n=3)
    assert in_all(filled) == ("game of 3", "3の対局")
    assert Markup("<p>{}</p>").format(verbatim("<")) == "<p>&lt;</p>"


def test_numbers_say_what_is_not_known() -> None:
    assert (format_percent(0.123), format_percent(math.nan)) == ("12.3\N{NO-BREAK SPACE}%", "–")
    assert (format_signed(2.04), format_signed(-2.06), format_signed(0.01), format_signed(math.inf)) == (
        "+2.0",
        "−2.1",
        "±0.0",
        "∞",
    )
    assert format_difference(0.021, -0.01, 0.052) == "+2.1 (−1.0…+5.2)"
    assert (format_amount(12345.6), format_amount(math.inf), format_amount(math.nan)) == ("12,346", "∞", "–")
    assert format_interval(0.1, math.nan) == ""


# Boards


def test_a_board_is_drawn_with_its_pieces_names_and_shades() -> None:
    pieces = Pieces()
    drawn = board_svg(TINY, pieces, {"open": [(0, 1)]}, "caption")
    assert 'aria-labelledby="caption"' in drawn
    assert re.findall(r'<use href="#piece-(\d)" x="(\d+)" y="(\d+)"/>', drawn) == [("1", "5", "5"), ("2", "15", "15")]
    assert 'class="shade"' in drawn and 'd="M10 0h10v10h-10z"' in drawn
    assert '<circle cx="15.0" cy="5.0" r="1.9" class="open"/>' in drawn
    assert drawn.count(">a</text>") == drawn.count(">2</text>") == 2


def test_pieces_are_defined_once_and_those_of_the_second_seat_point_down() -> None:
    pieces = Pieces()
    assert pieces.numbers(TINY) == [1, 0, 0, 2]
    assert pieces.number(("王", 0)) == 3
    assert pieces.numbers(TINY) == [1, 0, 0, 2]
    drawn = pieces.definitions()
    assert drawn.count("<g id=") == 3
    parts = dict(re.findall(r'<g id="piece-(\d)"(.*?)</g>', drawn))
    assert "rotate(180)" in parts["2"] and "rotate" not in parts["3"] and "王" in parts["3"]
    assert "<circle" in parts["1"], "fonts draw this sign in different sizes"


def test_symbols_are_text_and_never_markup() -> None:
    pieces = Pieces()
    drawn = board_svg(Board((("<",),), ("&",), ("1",)), pieces)
    assert "&amp;</text>" in drawn
    assert "&lt;" in pieces.definitions()


def test_no_sign_turns_into_an_emoji() -> None:
    pieces = Pieces()
    pieces.number(("♟", -1))
    assert "♟\ufe0e" in pieces.definitions()


def test_frames_hold_what_changes() -> None:
    pieces = Pieces()
    one, two = (Board((cells,), ("a", "b", "c"), ("1",)) for cells in (("x", "", "y"), ("", "x", "y")))
    assert board_changes([one, two, two, one], pieces.numbers) == [[0, 1, 2, 2], [0, 0, 1, 1], [], [0, 1, 1, 0]]


# Games to look at


def test_games_are_chosen_by_length_and_ending(trials: pd.DataFrame, provenance: dict[str, Any]) -> None:
    names = [variant["name"] for variant in provenance["rulesets"]]
    pairings = [(pair["first"], pair["second"]) for pair in provenance["pairings"]]
    chosen = choose_games(trials, names, pairings)
    assert len(chosen) <= MAX_GAMES
    assert set(chosen["termination"]) == set(trials["termination"])
    assert list(dict.fromkeys(chosen["ruleset"])) == names
    of_a = trials[(trials["ruleset"] == "chatra/A") & (trials["first"] == "alphabeta-2")]
    mine = chosen[(chosen["ruleset"] == "chatra/A") & (chosen["first"] == "alphabeta-2")]
    by_reason = {reason: row for row in mine.to_dict("records") for reason in row["reasons"]}
    assert by_reason["the shortest"]["plies"] == of_a["plies"].min()
    assert by_reason["the longest that finished"]["plies"] == of_a["plies"].max()
    assert abs(by_reason["a typical length"]["plies"] - of_a["plies"].median()) <= 1
    again = choose_games(trials.sample(frac=1, random_state=1), names, pairings)
    assert set(again.index) == set(chosen.index), "the order of the records does not matter"


def test_games_are_played_again_from_their_seeds(trials: pd.DataFrame, provenance: dict[str, Any]) -> None:
    chosen = trials[trials["first"] == "greedy"].head(3)
    chosen = chosen.assign(reasons=pd.Series([[verbatim("x")]] * 3, chosen.index, dtype=object))
    chosen.loc[chosen.index[1], "game_hash"] = "0" * 16
    plan = AnalysisPlan.from_provenance(provenance)
    first, wrong, third = games.replay_games(chosen, plan, provenance["weights"])
    assert wrong.moves is None, "another game than the one on record"
    for replay in (first, third):
        assert replay.moves is not None and len(replay.moves) == replay.plies
        assert " ".join(replay.game_state.texts).startswith(
            str(chosen.loc[chosen["game"] == replay.game, "opening"].item())
        )
        assert replay.game_state.outcome()[1] == (replay.termination if replay.result != "unfinished" else None)
        assert len(replay.seats()) == replay.plies and set(replay.seats()) <= {"0", "1"}


def test_toggles_that_are_younger_than_the_record_have_their_defaults() -> None:
    (variant,) = variants("chatra/2007-09")
    codes = Ruleset.from_provenance(variant).codes()
    del variant["settings"]["stuck"]
    assert Ruleset.from_provenance(variant).codes() == codes


# Changes


def variants(*names: str) -> list[dict[str, Any]]:
    loaded = [rulesets.load_ruleset(name) for name in names]
    return [{"name": one.name, "game": one.game, "settings": dict(one.settings)} for one in loaded]


# Charts


def row(*marks: Mark, text: str = "", series: int = 0) -> Row:
    return Row("A", verbatim("A"), (Line(series, marks, verbatim(text)),))


def drawn(scale: Scale, *rows: Row) -> Markup:
    return panel_svg(Panel(scale, rows), "label")


def test_a_scale_holds_what_it_shows_on_round_ticks() -> None:
    scale = fit_scale([0.412, 0.587, math.nan, math.inf], str, even=0.5, band=(0.48, math.inf))
    assert scale.low < 0.412 < 0.587 < scale.high
    assert [tick for tick, _ in scale.ticks] == pytest.approx([0.45, 0.5, 0.55])
    assert [scale.share(value) for value in (-9, 9)] == [0.0, 1.0]
    assert [place_on_strip(scale, value) for value in (-9, 9)] == ["0.00%", "100.00%"]
    assert [tick for tick, _ in fit_scale([3.0], str, from_zero=True, whole=True).ticks] == [0, 1, 2, 3]
    one = fit_scale([0.5], str)
    assert one.low < 0.5 < one.high


def test_marks_are_drawn_where_they_belong() -> None:
    scale = fit_scale([0.0, 1.0], str, even=0.5)
    marks = (Bounds(-9.0, 9.0), Interval(0.25, 0.75), Dot(0.5, hollow=True), Exact(0.6))
    picture = drawn(scale, row(*marks, text="half", series=1))
    middle = place_on_strip(scale, 0.5)
    assert f'<line x1="{place_on_strip(scale, 0.25)}" x2="{place_on_strip(scale, 0.75)}"' in picture
    assert f'<svg x="{middle}"' in picture and "dot hollow" in picture and 'class="exact"' in picture
    assert picture.count('class="bounds"') == 1, "bounds beyond the scale end in arrows"
    assert 'role="img" aria-labelledby="label"' in picture


def test_unknown_values_leave_their_place_empty() -> None:
    unknown = (Bounds(math.nan, math.nan), Interval(math.nan, math.nan), Dot(math.nan), Exact(math.nan), Survival(()))
    picture = drawn(fit_scale([1.0], str), row(*unknown, text="no games yet"))
    assert "nan" not in picture and "no games yet" in picture


def test_names_have_titles_and_the_baseline_is_named_but_where_charts_stand_beside_each_other() -> None:
    line = Line(0, (Dot(0.5),), verbatim("x"))
    base = Row("toy/base", verbatim("base"), (line,), given(en="As it is", ja="現行"), baseline=True)
    panel = Panel(fit_scale([0.0, 1.0], str), (base,))
    for kind in ("base (baseline)", "base（基準）", "As it is"):
        assert kind in panel_svg(panel, "x") and kind not in panel_svg(panel, "x", compact=True)


def test_many_rows_stand_between_two_axes_and_long_names_have_more_room() -> None:
    scale = fit_scale([0.0, 1.0], str, even=0.5)
    few, many = (drawn(scale, *[row(Dot(0.5))] * count) for count in (12, 13))
    assert (few.count("row axis"), many.count("row axis")) == (1, 2)
    assert 'class="plot"' in few
    long = Row("x", verbatim("opening=objects-first + size=9"), (Line(0, (Dot(0.5),), verbatim("")),))
    assert 'class="plot long wide"' in drawn(scale, long)


def test_very_many_rows_are_moved_past_under_their_axis() -> None:
    scale = fit_scale([0.0, 1.0], str, even=0.5)
    few, many = (drawn(scale, *[row(Dot(0.5))] * count) for count in (40, 41))
    assert "window" not in few
    assert many.startswith('<div class="window" tabindex="0" role="region" aria-labelledby="label"><div class="plot"')


def test_few_ticks_are_all_shown_on_a_narrow_screen() -> None:
    few, many = (Scale(0, 1, tuple((i / 4, str(i)) for i in range(count))) for count in (3, 4))
    assert drawn(few, row(Dot(0.5))).count("tick minor") == 0
    assert drawn(many, row(Dot(0.5))).count("tick minor") == 2


def test_a_curve_falls_in_steps() -> None:
    marks = (Survival(((4.0, 0.75), (10.0, 0.5))), Interval(5.0, math.inf), Median(10.0))
    picture = drawn(fit_scale([20.0], str, from_zero=True), row(*marks))
    path = re.search(r'd="(M0 100V0[^"]*)" class="area"', picture)
    assert path is not None
    heights = [float(part) for part in re.findall(r"V([\d.]+)", path[1])]
    assert heights == [0, 25, 50, 100]
    assert 'class="dot"' in picture, "an arrow where the bar runs beyond the cap"
    assert 'class="median"' in picture
