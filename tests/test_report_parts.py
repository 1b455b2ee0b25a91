"""What a report is made of: words, boards, games to look at, changes, scales."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from markupsafe import Markup

from workbench.games.declaration import Board
from workbench.questions import rulesets
from workbench.questions.rulesets import Ruleset
from workbench.report import replays
from workbench.report.boards import Pieces, svg
from workbench.report.changes import changes
from workbench.report.figures import Mark, Row, scale, strips
from workbench.report.numbers import amount, difference, interval, percent, signed
from workbench.report.words import Words, joined, same, sentences
from workbench.statistics import AnalysisPlan
from workbench.store import records

SAMPLE = Path(__file__).resolve().parent.parent / "reports" / "sample"
TINY = Board((("●", ""), ("", "王")), ("a", "b"), ("1", "2"), frozenset({(0, 1)}), owners=((-1, -1), (-1, 1)))


@pytest.fixture(scope="module")
def provenance() -> dict[str, Any]:
    found = json.loads((SAMPLE / "provenance.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def trials() -> pd.DataFrame:
    return records.read(SAMPLE / "trials.parquet")


# Words and numbers


def test_words_are_shown_in_both_languages_and_are_safe() -> None:
    assert Words("<b> & a", "い").__html__() == '<span lang="en">&lt;b&gt; &amp; a</span><span lang="ja">い</span>'
    assert same("a < b").__html__() == "a &lt; b"
    filled = Words("{name} of {n}", "{n}の{name}").format(name=Words("game", "対局"), n=3)
    assert filled == Words("game of 3", "3の対局")
    assert Markup("<p>{}</p>").format(same("<")) == "<p>&lt;</p>"


def test_lists_and_sentences() -> None:
    assert joined(["A", "B", "C"]) == Words("A, B and C", "A、B、C")
    assert joined(["A"]) == same("A")
    assert joined([]) == same("")
    assert sentences([Words("One.", "一。"), Words("Two.", "二。")]) == Words("One. Two.", "一。二。")


def test_numbers_say_what_is_not_known() -> None:
    assert (percent(0.123), percent(math.nan)) == ("12.3\N{NO-BREAK SPACE}%", "–")
    assert (signed(2.04), signed(-2.06), signed(0.01), signed(math.inf)) == ("+2.0", "−2.1", "±0.0", "∞")
    assert difference(0.021, -0.01, 0.052) == "+2.1 (−1.0…+5.2)"
    assert (amount(12345.6), amount(math.inf), amount(math.nan)) == ("12,346", "∞", "–")
    assert interval(0.1, math.nan) == ""


# Boards


def test_a_board_is_drawn_with_its_pieces_names_and_shades() -> None:
    pieces = Pieces()
    drawn = svg(TINY, pieces, {"open": [(0, 1)]}, "caption")
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
    drawn = svg(Board((("<",),), ("&",), ("1",)), pieces)
    assert "&amp;</text>" in drawn
    assert "&lt;" in pieces.definitions()


def test_no_sign_turns_into_an_emoji() -> None:
    pieces = Pieces()
    pieces.number(("♟", -1))
    assert "♟\ufe0e" in pieces.definitions()


def test_frames_hold_what_changes() -> None:
    pieces = Pieces()
    one, two = (Board((cells,), ("a", "b", "c"), ("1",)) for cells in (("x", "", "y"), ("", "x", "y")))
    assert replays.frames([one, two, two, one], pieces.numbers) == [[0, 1, 2, 2], [0, 0, 1, 1], [], [0, 1, 1, 0]]


# Games to look at


def test_games_are_chosen_by_length_and_ending(trials: pd.DataFrame, provenance: dict[str, Any]) -> None:
    names = [variant["name"] for variant in provenance["rulesets"]]
    pairings = [(pair["first"], pair["second"]) for pair in provenance["pairings"]]
    chosen = replays.choose(trials, names, pairings)
    assert len(chosen) <= replays.MOST
    assert set(chosen["termination"]) == set(trials["termination"])
    assert list(dict.fromkeys(chosen["ruleset"])) == names
    of_a = trials[(trials["ruleset"] == "chatra/A") & (trials["first"] == "alphabeta-2")]
    mine = chosen[(chosen["ruleset"] == "chatra/A") & (chosen["first"] == "alphabeta-2")]
    by_reason = {reason.en: row for row in mine.to_dict("records") for reason in row["reasons"]}
    assert by_reason["the shortest"]["plies"] == of_a["plies"].min()
    assert by_reason["the longest that finished"]["plies"] == of_a["plies"].max()
    assert abs(by_reason["a typical length"]["plies"] - of_a["plies"].median()) <= 1
    again = replays.choose(trials.sample(frac=1, random_state=1), names, pairings)
    assert set(again.index) == set(chosen.index), "the order of the records does not matter"


def test_games_are_played_again_from_their_seeds(trials: pd.DataFrame, provenance: dict[str, Any]) -> None:
    chosen = trials[trials["first"] == "greedy"].head(3)
    chosen = chosen.assign(reasons=pd.Series([[same("x")]] * 3, chosen.index, dtype=object))
    chosen.loc[chosen.index[1], "game_hash"] = "0" * 16
    plan = AnalysisPlan.from_provenance(provenance)
    first, wrong, third = replays.replay(chosen, plan, provenance["weights"])
    assert wrong.moves is None, "another game than the one on record"
    for found in (first, third):
        assert found.moves is not None and len(found.moves) == found.plies
        assert " ".join(found.game_state.texts).startswith(
            str(chosen.loc[chosen["game"] == found.game, "opening"].item())
        )
        assert found.game_state.outcome()[1] == (found.termination if found.result != "unfinished" else None)
        assert len(found.seats()) == found.plies and set(found.seats()) <= {"0", "1"}


def test_toggles_that_are_younger_than_the_record_have_their_defaults() -> None:
    (variant,) = variants("chatra/2007-09")
    codes = Ruleset.from_provenance(variant).codes()
    del variant["settings"]["stuck"]
    assert Ruleset.from_provenance(variant).codes() == codes


# Changes


def variants(*names: str) -> list[dict[str, Any]]:
    found = [rulesets.load(name) for name in names]
    return [{"name": one.name, "game": one.game, "settings": dict(one.settings)} for one in found]


def test_each_change_is_told_once_with_its_proposals_and_a_position() -> None:
    found = changes(variants("chatra/2007-09", "chatra/C", "chatra/D", "chatra/C+D"), "chatra/2007-09", Pieces())
    told = [(change.toggle, change.was[0], change.now[0], change.proposals) for change in found]
    assert told == [
        ("opening", "subject-first", "objects-first", ("chatra/C", "chatra/C+D")),
        ("object_area", "outside-centre", "away-from-centre", ("chatra/D", "chatra/C+D")),
    ]
    area = found[1].position
    assert area is not None and area.marked
    assert area.about == "away-from-centre" and area.plays == "f9"
    assert area.shut is not None and area.opened is None
    assert "(17 moves)" in area.shut.en and "17手" in area.shut.ja
    assert area.picture.count('class="shut"') == 17
    assert all(change.now[1].ja != change.now[1].en for change in found)


def test_a_change_back_to_the_default_shows_the_witness_of_the_old_setting() -> None:
    (change,) = changes(variants("chatra/2007-09", "chatra/2008-02"), "chatra/2007-09", Pieces())
    assert (change.was[0], change.now[0]) == ("check", "check-or-centre")
    assert change.position is not None and change.position.about == "check"
    assert change.position.opened is not None and change.position.shut is None


def test_a_change_of_the_result_is_told_in_words() -> None:
    base, other = variants("chatra/2007-09", "chatra/2007-09")
    other |= {"name": "draw", "settings": {**other["settings"], "repetition": "draw"}}
    (change,) = changes([base, other], "chatra/2007-09", Pieces())
    assert change.position is not None and change.position.outcome is not None
    assert change.position.outcome.en == (
        "Baseline: the first player wins (repetition); proposal: a draw (repetition)."
    )
    assert change.position.opened is None and not change.position.marked


def test_without_a_baseline_nothing_is_compared() -> None:
    assert changes(variants("chatra/C"), "", Pieces()) == []


# Charts


def test_a_scale_holds_what_it_shows_on_round_ticks() -> None:
    on = scale([0.412, 0.587, math.nan, math.inf], str, even=0.5, band=(0.48, math.inf))
    assert on.low < 0.412 < 0.587 < on.high
    assert on.ticks == pytest.approx([0.45, 0.5, 0.55])
    assert [on.at(value) for value in (-9, 9)] == ["0.00%", "100.00%"]
    assert scale([3.0], str, zero=True, whole=True).ticks == (0, 1, 2, 3)
    one = scale([0.5], str)
    assert one.low < 0.5 < one.high


def test_marks_are_drawn_where_they_belong() -> None:
    on = scale([0.0, 1.0], str, even=0.5)
    mark = Mark(1, 0.5, same("half"), 0.25, 0.75, -9.0, 9.0, hollow=True, exact=0.6)
    drawn = strips([Row(same("A"), same(""), (mark,))], on, "label")
    middle = on.at(0.5)
    assert f'<line x1="{on.at(0.25)}" x2="{on.at(0.75)}"' in drawn
    assert f'<svg x="{middle}"' in drawn and "dot hollow" in drawn and 'class="exact"' in drawn
    assert drawn.count('class="bounds"') == 1, "bounds beyond the scale end in arrows"
    assert 'role="img" aria-labelledby="label"' in drawn


def test_unknown_values_leave_their_place_empty() -> None:
    drawn = strips([Row(same("A"), same(""), (Mark(0, math.nan, same("no games yet")),))], scale([1.0], str), "x")
    assert "nan" not in drawn and "no games yet" in drawn


def test_a_curve_falls_in_steps() -> None:
    mark = Mark(0, 10.0, same(""), 5.0, math.inf, area=((4.0, 0.75), (10.0, 0.5)))
    drawn = strips([Row(same("A"), same(""), (mark,))], scale([20.0], str, zero=True), "x")
    path = re.search(r'd="(M0 100V0[^"]*)" class="area"', drawn)
    assert path is not None
    heights = [float(part) for part in re.findall(r"V([\d.]+)", path[1])]
    assert heights == [0, 25, 50, 100]
    assert np.isinf(mark.high) and 'class="dot"' in drawn, "an arrow where the bar runs beyond the cap"
