"""Chatra's rules, figure by figure, asked of every engine that plays it.

Positions are reached by moves, or set up when the moves would hide the point. Where a number stands, a comment says how
it is counted by hand.
"""

from __future__ import annotations

import pytest

from tests.engines import Engine
from tests.games.chatra import engines as c
from workbench.games.declaration import Setting

engine = c.engine


def test_drops_after_the_third_diagram(engine: Engine) -> None:
    line = ["f9", "Oi3", "Oi5"]
    settings = c.rules(c.RULES_2007_09)
    # White: the upper right zone less i3 itself and i4, j4 (check by a drop), and the three left zones.
    white = engine.legal(settings, line)
    assert c.drops(white) == (c.UPPER_RIGHT - {"i3", "i4", "j4"}) | c.UPPER_LEFT | c.LEFT | c.LOWER_LEFT
    assert c.object_moves(white) == {"h2", "i2", "j2", "h3", "j3"}
    # Black, after a1: all zones but upper centre, upper right and centre, less a1, f9, i5 and all next to a subject.
    black = engine.legal(settings, [*line, "a1"])
    zones = c.UPPER_LEFT | c.LEFT | c.LOWER_LEFT | c.LOWER_CENTRE | c.LOWER_RIGHT | c.RIGHT
    assert c.drops(black) == zones - {"a1", "f9", "i5"} - c.around("a1") - c.around("f9")
    assert c.moves_of("f9", black) == c.around("f9")
    assert c.object_moves(black) == {"h5", "j5", "h6", "i6", "j6"}
    assert (len(white), len(black)) == (61 + 5, 85 + 8 + 5)


def test_offside_among_equally_near_subjects_takes_any_pair_that_may_be_the_nearest(engine: Engine) -> None:
    # f5 is nearest to f2, c4 and i4 are equally near second: two lines; the line c4-i4 is none of them.
    settings = {"adjacent_drops": "allowed"}
    setup = c.position("c4 f5 i4", white_object="f2")
    nearest = engine.legal_from(c.rules(settings), setup)
    assert "e4" not in nearest and "a4" in nearest and "l4" in nearest
    assert "e4" in engine.legal_from(c.rules(settings, {"offside": "any-two"}), setup)


@pytest.mark.parametrize("black", ["k6 k8", "i6 h8", "h5 f7"])
def test_offside_gives_nothing_with_the_enemy_object_on_the_line(engine: Engine, black: str) -> None:
    # Column k; the slope from k2 over i6 to h8; the diagonal k2, h5, f7.
    legal = engine.legal_from(c.rules(), c.position(black, white_object="k2"))
    assert not c.drops(legal) & (c.UPPER_RIGHT | c.UPPER_CENTRE | c.CENTRE | c.RIGHT)


def test_offside_segment_before_which_a_subject_stands_is_no_front(engine: Engine) -> None:
    # d7-l7 has e4 before its straight line, but not in the triangle with the object on k2; j5 stands in it.
    front = c.rules({"offside": "front", "offside_line": "segment"})
    assert "h9" in engine.legal_from(front, c.position("d7 l7", white_object="k2"))
    assert "h9" in engine.legal_from(front, c.position("d7 l7 d3", white_object="k2"))


def test_positions_before_and_after_the_limits_end_are_different(engine: Engine) -> None:
    # White's object walks into the centre and out again: the board of ply 3 comes back, its limits do not.
    line = ["f9", "Oh4", "Oi10", "Oh5", "Oi11", "Oh4", "Oi10"]
    twice = {"repetition_count": 2}
    assert engine.outcome(c.rules(twice), line) == ("ongoing", None)
    assert engine.outcome(c.rules(c.RULES_2007_09, twice), line) == ("first", "repetition")


def test_first_check_makes_a_different_position_where_it_opens_the_centre(engine: Engine) -> None:
    settings = c.rules({"limits_end": "never", "repetition_count": 2})
    setup = c.position("f4", "a1", black_object="d6", white_object="h4")
    line = ["f4-g4", "Oi3", "g4-f4", "Oh4"]
    assert engine.outcome_from(settings, setup, line) == ("second", "repetition")
    assert engine.outcome_from(settings | c.E, setup, line) == ("ongoing", None)
    assert engine.outcome_from(settings | c.E, setup | {"checked": True}, line) == ("second", "repetition")


def test_hands_make_a_different_position_where_they_are_limited(engine: Engine) -> None:
    # White captures what Black drops, and all others come back to where they stood.
    twice: dict[str, Setting] = {"repetition_count": 2}
    setup = c.position("", "b5", hands=[3, 3])
    line = ["b3", "b5-b4", "Oa11", "b4-b3", "Ob11", "b3-b4", "Oa12", "b4-b5"]
    assert engine.outcome_from(c.rules(twice), setup, line) == ("second", "repetition")
    assert engine.outcome_from(c.rules(twice, {"subjects": 7}), setup, line) == ("ongoing", None)


LITERAL = {"offside_exemption": "rows-columns-diagonals"}
SEGMENT = {"offside_line": "segment"}
FREE = {"drop_check": "allowed"}


def opened(engine: Engine, settings: dict[str, str], black: str, white_object: str) -> set[str]:
    setup = c.position(black, white_object=white_object)
    return c.drops(engine.legal_from(c.rules(settings), setup)) - c.drops(
        engine.legal_from(c.rules(settings | {"offside": "off"}), setup)
    )


def test_the_enemy_object_on_a_line_of_another_slope_leaves_the_line_open(engine: Engine) -> None:
    # Two columns to a row: b2, d3, f4, h5, j6, l7. With b2, a drop on d3 would attack f4.
    assert opened(engine, {}, "b2 l7", "f4") == set()
    assert opened(engine, LITERAL, "b2 l7", "f4") == {"h5", "j6"}
    assert opened(engine, LITERAL | FREE, "b2 l7", "f4") == {"d3", "h5", "j6"}


def test_of_a_segment_the_line_is_open_between_and_behind(engine: Engine) -> None:
    # b4, d5, f6, h7, j8, l9. What lies before the segment, or on the other side of the object, it does not hide.
    assert opened(engine, LITERAL | FREE, "h7 l9", "f6") == {"b4", "d5", "j8"}
    assert opened(engine, LITERAL | FREE | SEGMENT, "h7 l9", "f6") == {"j8"}
    assert opened(engine, LITERAL | FREE | SEGMENT, "j8 l9", "f6") == set()
    # An object on the segment itself is before nothing.
    assert opened(engine, LITERAL | FREE | SEGMENT, "d5 h7", "f6") == {"b4", "j8", "l9"}


@pytest.mark.parametrize("black", ["k6 k8", "h5 f7", "f2 h2"])
def test_rows_columns_and_diagonals_stay_exempt(engine: Engine, black: str) -> None:
    assert not opened(engine, LITERAL, black, "k2")


def test_a_line_through_the_enemy_object_has_nobody_before_it(engine: Engine) -> None:
    front = {"offside": "front"}
    assert opened(engine, front | FREE, "h7 l9", "f6") == set()
    assert opened(engine, front | FREE | LITERAL, "h7 l9", "f6") == {"b4", "d5", "j8"}


@pytest.mark.parametrize(
    ("black", "yes", "no"),
    [
        # From f2, d3 is the nearest. Then f6, 4 squares away, and not i5: three steps of a king, but 4.2 squares.
        ("d3 f6 i5", "b1", "k8"),
        # Then i5, and not f7: five squares away, which is less than the six along rows and columns to i5.
        ("d3 i5 f7", "k8", "b1"),
    ],
)
def test_near_is_measured_in_a_straight_line(engine: Engine, black: str, yes: str, no: str) -> None:
    here = opened(engine, {}, black, "f2")
    assert yes in here and no not in here


@pytest.mark.parametrize("places", [("e6", "h9"), ("e6 f6", "h8 h9"), ("f6 e6 e6 f6", "h9 h9 h8 h8")])
def test_a_fight_for_a_square_is_one_sequence_wherever_the_pieces_were_dropped(
    engine: Engine, places: tuple[str, str]
) -> None:
    # Black drops on row 6 and slides to h6, with b6 behind; White drops on column h and slides there, with h12 behind.
    black, white = (each.split() for each in places)
    setup = c.position("b6", "h6 h12", black_object="a1", white_object="l1", limits_ended=True)
    line: list[str] = []
    for run in range(4):
        assert engine.outcome_from(c.rules(), setup, line) == ("ongoing", None), run
        one, two = black[run % len(black)], white[run % len(white)]
        line += [one, two, f"{one}-h6", f"{two}-h6"]
    assert engine.outcome_from(c.rules(), setup, line) == ("second", "repetition"), "Black began"
