"""Where Chatra's source can be read in two ways, or says what follows from elsewhere: asked of every engine."""

from __future__ import annotations

import pytest

from tests import chatra_engines
from tests.chatra_engines import drops, position, rules
from tests.engines import Engine
from workbench import games
from workbench.language import translated

engine = chatra_engines.engine
LITERAL = {"offside_exemption": "rows-columns-diagonals"}
SEGMENT = {"offside_line": "segment"}
FREE = {"drop_check": "allowed"}


def opened(engine: Engine, settings: dict[str, str], black: str, white_object: str) -> set[str]:
    """What the offside rule opens."""
    setup = position(black, white_object=white_object)
    return drops(engine.legal_from(rules(settings), setup)) - drops(
        engine.legal_from(rules(settings | {"offside": "off"}), setup)
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
    setup = position("b6", "h6 h12", black_object="a1", white_object="l1", limits_ended=True)
    line: list[str] = []
    for run in range(4):
        assert engine.outcome_from(rules(), setup, line) == ("ongoing", None), run
        one, two = black[run % len(black)], white[run % len(white)]
        line += [one, two, f"{one}-h6", f"{two}-h6"]
    assert engine.outcome_from(rules(), setup, line) == ("second", "repetition"), "Black began"


def test_the_rule_book_says_so() -> None:
    family = games.declaration("chatra")
    book = " ".join(text for _, text in family.sentences(family.defaults()))
    for words in (
        "straight from centre to centre",
        "on rows, columns and diagonals as on any other slope",
        "not moves",
    ):
        assert words in book
    book = " ".join(translated(text, "ja") for _, text in family.sentences(family.defaults()))
    for words in ("直線距離", "縦・横・斜め45度に限らず", "どこに打っても同じ手順"):
        assert words in book
