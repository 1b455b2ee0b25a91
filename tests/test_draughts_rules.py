"""The rules of the draughts family, game by game, asked of every engine that plays them.

Positions are reached by moves, or set up when the moves would hide the point. Moves are written in full, with the
captured squares behind a colon; the numbers of the squares are drawn in workbench/games/draughts/witnesses.yaml.
"""

from __future__ import annotations

import functools

import pytest

from tests.engines import Engine, Settings, engines, with_defaults
from workbench.errors import InputError
from workbench.games.declaration import Setting
from workbench.games.draughts.rules import DECLARATION
from workbench.questions import rulesets

FLYING: dict[str, Setting] = {"king_move": "flying", "king_capture": "flying"}
BACKWARDS: dict[str, Setting] = {"men_capture": "all-directions"}
MOST: dict[str, Setting] = {"capture_choice": "most-pieces"}
ORTHOGONAL: dict[str, Setting] = {"squares": "all", "men_step": "forward-and-sideways"}
ROYAL: dict[str, Setting] = {"size": 9, "royal": "back-centre"}


rules = functools.partial(with_defaults, DECLARATION)
"""Every toggle: the defaults, which are English draughts, then the changes."""


def shipped(name: str) -> Settings:
    """The settings of a shipped ruleset."""
    return rulesets.load_ruleset(f"draughts/{name}").settings


engine = engines("draughts")


def moves_of(square: str, moves: set[str]) -> set[str]:
    """The squares to which the piece on a square goes without capturing."""
    return {move.split("-")[1] for move in moves if move.startswith(square + "-")}


# --- The games as printed ---------------------------------------------------------------------------------------------


def test_paths_of_one_capture_are_one_move(engine: Engine) -> None:
    # Round a square and back to 22, either way.
    assert engine.legal(rules(), setup="B:W18,19,26,27:BK22") == {"22x22:18,19,26,27"}
    # With other captured pieces the same way from 2 to 18 is another move.
    assert engine.legal(rules(), setup="B:W6,7,14,15,31:B2") == {"2x18:6,14", "2x18:7,15"}


def test_kings_of_the_encyclopedia_glide_but_capture_as_in_english(engine: Engine) -> None:
    settings = shipped("encyclopedia")
    # 15 is not next to the king: it is neither captured nor jumped.
    assert moves_of("29", engine.legal(settings, setup="W:WK29:B15")) == {"25", "22", "18"}
    # Next to 18 there is nothing to choose: it lands directly behind.
    assert engine.legal(settings, setup="W:WK22:B18") == {"22x15:18"}


# --- Flying kings -----------------------------------------------------------------------------------------------------


def test_captured_pieces_stay_until_the_end_and_are_not_jumped_twice(engine: Engine) -> None:
    # 19 over 8 to 3, over 7 to 16, over 43 to 49. To take 30 first, to 35, and then go back for 8 is to pass over 30.
    ten = rules(FLYING, BACKWARDS, MOST, {"size": 10, "rows": 4})
    assert engine.legal(ten, setup="W:WK19:B7,8,30,43") == {"19x49:7,8,43"}
    assert engine.legal(ten | {"removal": "at-once"}, setup="W:WK19:B7,8,30,43") == {"19x49:7,8,30,43"}
    # Nor does a man go round a square twice.
    assert engine.legal(ten, setup="W:W38:B22,23,32,33") == {"38x38:22,23,32,33"}


# --- Which capture ----------------------------------------------------------------------------------------------------


def test_spanish_takes_the_most_pieces_then_the_most_kings(engine: Engine) -> None:
    spanish = rules({"capture_choice": "spanish"})
    assert engine.legal(spanish, setup="W:W11:B21,14,15,K23") == {"11x27:15,23"}
    assert engine.legal(spanish, setup="W:W11:B21,14,K15") == {"11x25:14,21"}
    assert engine.legal(spanish, setup="W:W11:B21,K14,15,K23") == {"11x25:14,21", "11x27:15,23"}


def test_italian_then_takes_the_most_kings_then_the_king_that_comes_first(engine: Engine) -> None:
    italian = rules({"capture_choice": "italian", "men_may_take_kings": False})
    assert engine.legal(italian, setup="W:WK22:B12,19,18,K10") == {"22x6:10,18"}
    assert engine.legal(italian, setup="W:WK22:B12,K19,18,K10") == {"22x8:12,19"}
    assert engine.legal(italian, setup="W:WK22:BK12,19,18,K10") == {"22x8:12,19", "22x6:10,18"}
    # Two kings late go before one at once.
    assert engine.legal(italian, setup="W:WK30:BK27,20,12,26,K18,K10") == {"30x5:10,18,26"}


# --- Turkish ----------------------------------------------------------------------------------------------------------


def test_turkish_men_step_and_capture_forwards_and_sideways(engine: Engine) -> None:
    turkish = shipped("turkish")
    assert engine.legal(turkish, setup="W:Wd4:Bh8") == {"d4-d5", "d4-c4", "d4-e4"}
    assert engine.legal(turkish, setup="W:Wd4:Bd5,c4,e4,d3") == {"d4xd6:d5", "d4xb4:c4", "d4xf4:e4"}
    assert engine.legal(turkish, setup="W:Wd4:Bd5,c4,e4,e6") == {"d4xf6:d5,e6"}
    assert "d4xd2:d3" in engine.legal(rules(ORTHOGONAL, BACKWARDS), setup="W:Wd4:Bd3")


def test_turkish_man_goes_on_as_a_man_and_is_crowned_at_the_end(engine: Engine) -> None:
    turkish = shipped("turkish")
    fen = "W:Wd6:Bd7,e8,h3"
    assert engine.legal(turkish, setup=fen) == {"d6xf8:d7,e8"}
    king = engine.legal(turkish, ["d6xf8:d7,e8", "h3-h2"], fen)
    assert moves_of("f8", king) == {f"f{rank}" for rank in range(1, 8)} | {f"{file}8" for file in "abcdegh"}
    assert engine.legal(turkish, setup="W:Wd6:Bd7,f8") == {"d6xd8:d7"}


def test_no_half_turn_within_a_capture(engine: Engine) -> None:
    fen = "W:WKd4:Bf4,b4"
    assert engine.legal(shipped("turkish"), setup=fen) == {"d4xg4:f4", "d4xh4:f4", "d4xa4:b4"}
    turning = {**shipped("turkish"), "reverse_turn": "allowed"}
    assert engine.legal(turning, setup=fen) == {"d4xa4:b4,f4", "d4xg4:b4,f4", "d4xh4:b4,f4"}
    # Nor where the king may go on another way.
    assert engine.legal(shipped("turkish"), setup="W:WKd4:Bf4,g6,b4") == {"d4xg7:f4,g6", "d4xg8:f4,g6"}
    # A half turn in two quarters is none.
    assert engine.legal(shipped("turkish"), setup="W:WKd4:Bf4,g6,b7") == {"d4xa7:b7,f4,g6"}


# --- Other lines, huffs and kings in a row ----------------------------------------------------------------------------


def test_frisian_choice_weighs_kings_as_a_man_and_a_half_and_prefers_those_of_a_king(engine: Engine) -> None:
    frisian = shipped("frisian")
    # Two kings go before three men, and four men before them.
    assert engine.legal(frisian, setup="W:W28:BK18,K9,33,42,43") == {"28x10:9,18"}
    assert engine.legal(frisian, setup="W:W28:BK18,K9,33,42,43,27") == {"28x19:18,27,33,42,43"}
    # A king goes before a man.
    assert engine.legal(frisian, setup="W:W28:BK18,32") == {"28x8:18"}
    # Equal, and one by a king.
    assert engine.legal(frisian, setup="W:W40,K5:B34,4") == {"5x1:4", "5x2:4", "5x3:4"}


def test_a_king_rests_after_three_moves_while_a_man_is_left(engine: Engine) -> None:
    settings = rules({"king_run": 3, "repetition": 0})
    line = ["1-6", "32-28", "6-1", "28-32", "1-6", "32-28"]
    assert engine.legal(settings, line, "B:WK32:BK1,12") == {"12-16"}
    assert moves_of("1", engine.legal(settings, line[:4], "B:WK32:BK1,12")) == {"5", "6"}
    # Another piece moves, and the king is free again. Who has kings alone moves on, and so does another king.
    assert "6-1" in engine.legal(settings, [*line, "12-16", "28-32"], "B:WK32:BK1,12")
    assert "6-1" in engine.legal(settings, line, "B:WK32:BK1")
    assert moves_of("4", engine.legal(settings, line, "B:WK32:BK1,K4,12")) == {"8"}
    # It captures, whatever it did before; and whoever cannot move otherwise has lost.
    assert engine.legal(settings, [*line[:5], "18-15"], "B:W18,K32:BK1,12") != set()
    assert engine.outcome(settings, line, "B:WK32,19,16:BK1,12") == ("second", "stuck")


def test_armenian_men_step_diagonally_forward_and_capture_straight(engine: Engine) -> None:
    armenian = shipped("armenian")
    assert engine.legal(armenian, setup="W:Wd4:Bh8") == {f"d4-{square}" for square in ("c4", "e4", "d5", "c5", "e5")}
    assert engine.legal(armenian, setup="W:Wd4:Be5,h8") == {"d4-c4", "d4-e4", "d4-d5", "d4-c5"}
    assert engine.legal(armenian, setup="W:Wd4:Be4,h8") == {"d4xf4:e4"}
    king = moves_of("d4", engine.legal(armenian, setup="W:WKd4:Bh7"))
    assert {"a1", "g7", "h8", "a7", "g1", "d8", "h4"} <= king


def test_who_does_not_capture_is_huffed_and_who_huffs_moves(engine: Engine) -> None:
    huffing, fen = shipped("huffing"), "B:W15,32:B11,1"
    assert engine.legal(huffing, setup=fen) == {"11x18:15", "11-16", "1-5", "1-6"}
    assert engine.legal(huffing, ["1-5"], fen) == {"huff11", "15x8:11", "15-10", "32-27", "32-28"}
    # The piece itself may have moved; after the huff the same side moves, and huffs no more.
    assert engine.legal(huffing, ["11-16"], fen) == {"huff16", "15-10", "15-11", "32-27", "32-28"}
    assert engine.legal(huffing, ["11-16", "huff16"], fen) == {"15-10", "15-11", "32-27", "32-28"}
    assert engine.legal(huffing, ["11-16", "huff16", "32-27"], fen) == {"1-5", "1-6"}
    # Who captured is not huffed, and who was not huffed at once is not huffed later.
    assert not any("huff" in move for move in engine.legal(huffing, ["11x18:15"], fen))
    assert not any("huff" in move for move in engine.legal(huffing, ["11-16", "32-27", "16-20"], fen))
    assert engine.outcome(huffing, ["11-16", "huff16"], "B:W15:B11") == ("second", "no-pieces")


# --- The royal piece --------------------------------------------------------------------------------------------------


def test_capture_of_the_royal_piece_wins(engine: Engine) -> None:
    settings = rules(ROYAL)
    fen = "W:Wc3,Ra1:BRd4,a7,c7"
    assert engine.outcome(settings, setup=fen) == ("ongoing", None)
    assert engine.outcome(settings, ["c3xe5:d4"], fen) == ("first", "royal-captured")
    # No other capture wins while a piece is left.
    assert engine.outcome(settings, ["c3xe5:d4"], "W:Wc3,Ra1:Bd4,Ra7") == ("ongoing", None)


def test_royal_piece_stays_royal_on_the_last_row(engine: Engine) -> None:
    settings = rules(ROYAL)
    line = ["d8-c9", "b6-a7", "c9-b8", "a7xc9:b8"]
    assert engine.outcome(settings, line, "W:WRd8,a1:BKb6,Ri9") == ("second", "royal-captured")


def test_men_reach_the_last_row_as_kings_and_not_as_royal_pieces(engine: Engine) -> None:
    settings = rules(ROYAL)
    line = ["d8-c9", "b6-a7", "c9-b8", "a7xc9:b8"]
    assert engine.outcome(settings, line, "W:Wd8,Ra1:BKb6,Ri9") == ("ongoing", None)


# --- The end ----------------------------------------------------------------------------------------------------------


def test_the_first_king_wins_also_where_its_last_victim_was_the_last_piece(engine: Engine) -> None:
    settings = rules({"goal": "first-king"})
    assert engine.outcome(settings, ["22x31:26"], "B:W26:B22") == ("first", "first-king")
    assert engine.outcome(settings, ["11x18:15"], "B:W15:B11") == ("first", "no-pieces")
    assert engine.outcome(settings, setup="B:W16,19:B12") == ("second", "stuck")


def test_man_moves_and_captures_begin_the_count_of_quiet_plies_anew(engine: Engine) -> None:
    settings = rules({"quiet_limit": 4})
    line = ["1-6", "21-17", "6-1", "32-28", "1-6", "28-32"]
    assert engine.outcome(settings, line[:-1], "B:WK32,21:BK1") == ("ongoing", None)
    assert engine.outcome(settings, line, "B:WK32,21:BK1") == ("draw", "quiet-limit")
    line = ["1-6", "21x14:17", "6-1", "32-28", "1-6", "28-32"]
    assert engine.outcome(settings, line[:-1], "B:WK32,K21:BK1,17") == ("ongoing", None)
    assert engine.outcome(settings, line, "B:WK32,K21:BK1,17") == ("draw", "quiet-limit")


def test_other_endings_come_before_the_quiet_limit_and_this_before_repetition(engine: Engine) -> None:
    assert engine.outcome(rules({"quiet_limit": 1}), ["11-16"], "W:WK11,19:B12") == ("second", "stuck")
    shuffle = ["1-6", "32-28", "6-1", "28-32"] * 2
    assert engine.outcome(rules({"quiet_limit": 8}), shuffle, "B:WK32:BK1") == ("draw", "quiet-limit")


def test_third_occurrence_is_a_draw(engine: Engine) -> None:
    shuffle = ["1-6", "32-28", "6-1", "28-32"] * 2
    for length in range(8):
        assert engine.outcome(rules(), shuffle[:length], "B:WK32:BK1") == ("ongoing", None)
    assert engine.outcome(rules(), shuffle, "B:WK32:BK1") == ("draw", "repetition")
    assert engine.outcome(rules({"repetition": 0}), shuffle, "B:WK32:BK1") == ("ongoing", None)


def test_other_side_to_move_is_a_different_position(engine: Engine) -> None:
    # Black goes a triangle while White goes to and fro, then the other way round.
    line = ["b8-c7", "g1-f2", "c7-d6", "f2-g1", "d6-b8", "g1-f2", "b8-c7", "f2-e3", "c7-b8", "e3-g1"]
    assert engine.outcome(rules(FLYING), line, "B:WKg1:BKb8") == ("ongoing", None)
    assert engine.outcome(rules(FLYING), line * 2, "B:WKg1:BKb8") == ("draw", "repetition")


# --- Limits of endings ------------------------------------------------------------------------------------------------


TO_AND_FRO = ["1-6", "32-28", "6-1", "28-32"]


def to_and_fro(plies: int) -> list[str]:
    """So many plies of the kings on 1 and 32."""
    return (TO_AND_FRO * plies)[:plies]


def limited(value: str) -> Settings:
    """English draughts with limits of endings, and without other draws."""
    return rules({"endgame_limits": value, "repetition": 0, "quiet_limit": 0})


@pytest.mark.parametrize(
    ("value", "fen", "plies"),
    [
        ("international", "B:WK32,K31,K30:BK1", 32),
        ("international", "B:WK32,21,22:BK1", 32),
        ("international", "B:WK32,K31:BK1", 10),
        ("international", "B:WK32,21:BK1", 10),
        ("international", "B:WK32:BK1", 10),
        ("international", "B:WK32:BK1,K4", 10),
        ("russian", "B:WK32,K31:BK1", 10),
        ("russian", "B:WK32:BK1", 10),
        ("russian", "B:WK32,K31,K30:BK1", 30),
        ("russian", "B:WK32,K31,K30,K29,K21:BK1", 30),
        ("russian", "B:WK32:BK1,K2,K3,K4", 30),
        ("russian", "B:WK32,K31,30:BK1", 60),
        ("russian", "B:WK32,K31,30:BK1,4", 60),
        ("russian", "B:WK32,31,30:BK1,4,3,12", 120),
        ("pool", "B:WK32,K31,K30:BK1", 26),
        ("pool", "B:WK32:BK1,K2,K3", 26),
    ],
)
def test_an_ending_is_a_draw_after_the_moves_that_its_rule_gives_it(
    engine: Engine, value: str, fen: str, plies: int
) -> None:
    assert engine.outcome(limited(value), to_and_fro(plies - 1), fen) == ("ongoing", None)
    assert engine.outcome(limited(value), to_and_fro(plies), fen) == ("draw", "endgame-limit")
    assert engine.outcome(limited("none"), to_and_fro(plies), fen) == ("ongoing", None)


@pytest.mark.parametrize(
    ("value", "fen"),
    [
        ("international", "B:WK32,K31,K30,K29:BK1"),
        ("international", "B:WK32,K31:BK1,4"),
        ("russian", "B:WK32,K31,K30,29,21:BK1,4,3"),
        ("pool", "B:WK32,K31,30:BK1"),
        ("pool", "B:WK32,K31:BK1"),
        ("pool", "B:WK32,K31,K30,K29:BK1"),
    ],
)
def test_other_endings_have_no_limit(engine: Engine, value: str, fen: str) -> None:
    assert engine.outcome(limited(value), to_and_fro(130), fen) == ("ongoing", None)


@pytest.mark.parametrize(("value", "spent", "more"), [("international", 26, 1), ("russian", 22, 10)])
def test_a_capture_lengthens_an_ending_of_russian_draughts_alone(
    engine: Engine, value: str, spent: int, more: int
) -> None:
    # Three kings against one, until a king goes to 9 and is taken from 5: two are left, which have 5 moves of each
    # player in Russian draughts, and in international what is left of 16.
    line = [*to_and_fro(spent), "6-1", "14-9", "1-5", "28-32", "5x14:9"]
    fen, after = "B:WK32,K31,K14:BK1", ["32-28", "14-10", "28-32", "10-14"] * 3
    assert engine.outcome(limited(value), [*line, *after[: more - 1]], fen) == ("ongoing", None)
    assert engine.outcome(limited(value), [*line, *after[:more]], fen) == ("draw", "endgame-limit")


def test_a_new_king_begins_the_count_of_russian_draughts_anew(engine: Engine) -> None:
    # The third ply makes a king on 1: three pieces as before, and 5 moves of each player from there.
    fen, line = "W:WK32,5:BK4", ["32-28", "4-8", "5-1", "8-4"]
    after = ["28-32", "4-8", "32-28", "8-4"] * 3
    assert engine.outcome(limited("russian"), [*line, *after[:8]], fen) == ("ongoing", None)
    assert engine.outcome(limited("russian"), [*line, *after[:9]], fen) == ("draw", "endgame-limit")
    assert engine.outcome(limited("international"), [*line, *after[:6]], fen) == ("draw", "endgame-limit")


def test_a_turkish_king_each_is_a_draw_unless_one_can_be_taken(engine: Engine) -> None:
    turkish = shipped("turkish")
    assert engine.outcome(turkish, setup="W:WKa1:BKh8") == ("draw", "endgame-limit")
    assert engine.outcome(turkish, setup="B:WKa1:BKh8") == ("draw", "endgame-limit")
    assert engine.outcome(turkish, setup="W:WKa1:BKa4") == ("ongoing", None)
    assert engine.outcome(turkish, ["a1xa5:a4"], "W:WKa1:BKa4") == ("first", "no-pieces")
    assert engine.outcome(turkish, setup="W:WKa1:Bh6") == ("ongoing", None)
    assert engine.outcome(turkish, ["a1xa5:a4"], "W:WKa1:Ba4,Kh8") == ("draw", "endgame-limit")


# --- Conflicts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"king_capture": "flying"},
        {"endgame_limits": "international", "goal": "first-king"},
        {"endgame_limits": "turkish", "goal": "first-king"},
        {"capture": "optional", "capture_choice": "most-pieces"},
        {"capture": "optional", "capture_choice": "spanish"},
        {"capture": "optional", "capture_choice": "italian"},
        {"rows": 4},
        {"empty_back_rows": 1},
        {"size": 4},
        {"size": 4, "rows": 2},
        {"size": 4, "rows": 1, "empty_back_rows": 1},
        {"size": 6},
        {"size": 10, "rows": 5},
        {"size": 12, "rows": 5, "empty_back_rows": 1},
        {"royal": "back-centre"},
        {"royal": "back-centre", "size": 10},
        {"royal": "back-centre", "size": 9, "empty_back_rows": 1},
        {"royal": "back-centre", "size": 4, "rows": 1},
        {"royal": "back-centre", "size": 9, "goal": "first-king"},
        {"men_step": "forward-and-sideways"},
    ],
    ids=str,
)
def test_conflicts_are_refused(changes: dict[str, Setting]) -> None:
    with pytest.raises(InputError):
        rulesets.derive_ruleset(rulesets.load_ruleset("draughts/english"), changes, "test", "test")
