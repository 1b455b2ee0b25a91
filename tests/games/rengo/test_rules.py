"""The mixed game's rules, one by one, in positions set up by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.games.rengo import twin
from tests.games.rengo.positions import SIZES, at, hand, legal, moves_as_cells, outcome, played, position, prisoners
from workbench.games.rengo import kernel, notation
from workbench.games.rengo.rules import DECLARATION
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

# --- Hands and drops --------------------------------------------------------------------------------------------------


def test_captured_shogi_pieces_and_othello_stones_go_to_the_hand_others_are_prisoners() -> None:
    game_state = position("飛+歩'翻'兵'..... ......... ......... 碁'........")
    played(game_state, "a1-b1", "pass", "b1-c1", "pass", "c1-d1", "pass")
    assert hand(game_state, 0, "歩") == 1
    assert hand(game_state, 0, "翻") == 1
    assert prisoners(game_state, 0) == 1
    assert hand(game_state, 1, "歩") == 0


def test_no_mate_by_a_dropped_pawn() -> None:
    board = "香'玉'香'...... ......... 金.金...... " + "......... " * 5 + "玉........"
    game_state = position(board, hands={"first": {"歩": 1, "銀": 1}})
    assert "歩*b2" not in legal(game_state)
    assert "銀*b2" in legal(game_state)
    assert "mate" in game_state.why_not("歩*b2")
    # With one way out it is no mate.
    assert "歩*b2" in legal(position(board.replace("香'玉'香'", "香'玉'."), hands={"first": {"歩": 1}}))


# --- Draughts ---------------------------------------------------------------------------------------------------------


def test_draughts_men_alone() -> None:
    """Source: the published counts of international draughts, e.g. A. Bik, 'Computing deep perft', 2012."""
    rows = [
        "".join(("平'" if y < 4 else "平" if y > 5 else ".") if (x + y) % 2 else "." for x in range(10))
        for y in range(10)
    ]
    game_state = position(" ".join(rows), "draughts10")
    assert [game_state.perft(depth) for depth in range(1, 7)] == [9, 81, 658, 4265, 27117, 167140]


def test_most_units_must_be_captured() -> None:
    board = "......... .歩'....... ......... ...歩'..... ....平.... .....歩'... ......... ......... 飛........"
    assert legal(position(board)) == {"e5-a1+:b2,d4"}
    free = legal(position(board, rules={"draughts_duty": "off"}))
    assert {"e5-a1+:b2,d4", "e5-g7:f6", "a9-a8", "pass"} <= free
    assert "e5-c3:d4" not in free, "a capture goes on while it can"


def test_a_ring_of_four_is_jumped_once_around() -> None:
    """Either way round it is the same move; the cell where it began counts as empty."""
    game_state = position("......... ......... ......... ..歩'.歩'.... .平....... ..歩'.歩'....")
    assert legal(game_state) == {"b5-b5:c4,c6,e4,e6"}
    assert at(played(game_state, "b5-b5"), "b5") == "平"
    assert hand(game_state, 0, "歩") == 4


def test_jumped_units_stay_until_the_end_of_the_move() -> None:
    """The Turkish stroke: from g1 the crown sees b6 only through d4, which it has jumped already."""
    game_state = position("冠........ .......歩'. ......... ...歩'...歩'. ......... .歩'.......")
    assert legal(game_state) == {"a1-g1:d4,h2,h4"}


def test_a_jump_over_the_king_is_check() -> None:
    board = "玉'........ ......... ......... ......... ....平'.... ...玉..... ......... ......... ........."
    game_state = position(board)
    # c7 is where the man would land; the king may step there, too, and no longer be jumped.
    assert "pass" not in legal(game_state)
    assert "d6-e5" in legal(game_state)
    assert "d6-d7" in legal(game_state)
    chain = "玉'........ ......... ......平'.. .....碁... ......... ...玉..... ......... ......... 飛........"
    game_state = position(chain)
    assert "pass" not in legal(game_state), "the man jumps f4 to e5, and then the king"


# --- Go ---------------------------------------------------------------------------------------------------------------


def test_a_surrounded_group_of_any_units_is_captured() -> None:
    game_state = position(".碁碁...... 碁歩'兵'...... .碁碁......", hands={"first": {"碁": 1}})
    played(game_state, "碁*d2")
    assert at(game_state, "b2") == at(game_state, "c2") == ""
    assert hand(game_state, 0, "歩") == 1 and prisoners(game_state, 0) == 1


@pytest.mark.parametrize(
    ("board", "move", "square", "left"),
    [
        (".碁碁...... 碁歩'兵'...... .碁歩......", "碁*d2", "b2", "歩'"),
        (".碁碁...... 碁歩'兵'...... .碁碁金.....", "d3-d2", "b2", "歩'"),
        # An edge needs no stone, and own stones capture nothing of one's own.
        ("兵'碁....... .........", "碁*a2", "a1", ""),
        ("兵碁....... .........", "碁*a2", "a1", "兵"),
    ],
)
def test_only_enemy_go_stones_surround(board: str, move: str, square: str, left: str) -> None:
    assert at(played(position(board, hands={"first": {"碁": 1}}), move), square) == left


def test_cross_of_five_stones() -> None:
    """The source's figure: a bishop takes the middle of a cross of five stones and would stand on a forbidden cell."""
    cross = "......... ...碁'..... ..碁'碁'碁'.... ...碁'..... ......... 角........ ......... ......... ........."
    game_state = position(cross)
    assert "a6-d3" not in moves_as_cells(game_state)
    assert "enclosed" in game_state.why_not("a6-d3")
    opened = position(cross.replace("..碁'碁'碁'....", "..碁'碁'....."))
    assert "a6-d3" in moves_as_cells(opened)
    assert "a6-d3" in moves_as_cells(position(cross, rules={"go_capture": "off"}))


def ko_position(**more: Any) -> GameState:
    #   a b c d
    # 1 . 碁 碁' .
    # 2 碁 碁' . 碁'
    # 3 . 碁 碁' .
    board = ".碁碁'...... 碁碁'.碁'..... .碁碁'......"
    return position(board, hands={"first": {"碁": 9, "歩": 1}, "second": {"碁": 9, "歩": 1, "金": 1}}, **more)


def test_ko() -> None:
    game_state = played(ko_position(), "碁*c2")
    assert at(game_state, "b2") == ""
    assert "碁*b2" not in legal(game_state) and "金*b2" not in legal(game_state)
    assert "ko" in game_state.why_not("碁*b2").lower()
    played(game_state, "碁*h8", "碁*h9")
    assert "碁*b2" in legal(game_state)
    assert "碁*b2" in legal(played(ko_position(rules={"ko": "allowed"}), "碁*c2"))


def test_snapback() -> None:
    #   a  b  c  d        first throws in on b1; second takes the one stone on c1, but his chain of five then has only
    # 1 碁' .  .  碁       the liberty b1, and taking it all is no ko.
    # 2 碁' 碁' 碁' 碁
    # 3 碁 碁 碁 .
    held = {"first": {"碁": 2}, "second": {"碁": 1}}
    game_state = position("碁'..碁..... 碁'碁'碁'碁..... 碁碁碁......", hands=held)
    played(game_state, "碁*b1", "碁*c1")
    assert at(game_state, "b1") == ""
    assert "碁*b1" in legal(game_state)
    played(game_state, "碁*b1")
    assert all(at(game_state, square) == "" for square in ("a1", "c1", "a2", "b2", "c2"))
    assert prisoners(game_state, 0) == 5 and prisoners(game_state, 1) == 1


def test_a_king_in_atari_is_in_check() -> None:
    board = "玉'碁....... ......... " + "......... " * 6 + "玉........"
    game_state = position(board, to_move="second", hands={"first": {"碁": 1}})
    assert "pass" not in legal(game_state)
    assert legal(game_state) <= {"a1-a2", "a1-b1", "a1-b2"}
    none_left = position(board, to_move="second")
    assert "pass" in legal(none_left)
    mated = position(board, hands={"first": {"碁": 1}})
    assert "碁*a2" in legal(mated) and outcome(played(mated, "碁*a2")) == ("first", "mate")


WALL = "....碁碁'... "
"""First's columns a-d, a wall of each side, and second's columns g-i."""


def walled(unit: str) -> str:
    """Walls, with a unit on b5 in first's columns."""
    return WALL * 4 + f".{unit}..碁碁'... " + WALL * 4


@pytest.mark.parametrize(
    ("board", "first", "second"),
    [
        # An own unit in the own territory takes one cell away; dead units count as cell and, if not for the hand, as
        # prisoner.
        (walled("."), 36, 27),
        (walled("歩"), 35, 27),
        (walled("碁"), 35, 27),
        (walled("歩'"), 36, 27),
        (walled("俥'"), 37, 27),
        (walled("王'"), 35, 27),
        # 翻 on the board count for their owner, dead ones do not.
        (walled("翻"), 36, 27),
        (walled("翻'"), 36, 27),
        # Open to both: nobody's, as a region with a single enemy 碁 in it.
        ("......... " + WALL * 8, 0, 0),
        (walled("碁'"), 0, 27),
    ],
)
def test_points(board: str, first: int, second: int) -> None:
    game_state = position(board)
    assert [kernel.count_points(game_state.rules, game_state.state.copy(), side) for side in (0, 1)] == [first, second]
    assert game_state.setup is not None
    same = twin.from_setup(DECLARATION.defaults(), game_state.setup)
    assert [twin.points(same, side) for side in (0, 1)] == [first, second]


def test_points_count_prisoners_and_komi_decides() -> None:
    board = "...碁.碁'... " * 9  # 27 cells each; column e touches both
    game_state = position(board, prisoners={"first": 7})
    assert outcome(played(game_state, "pass", "pass")) == ("first", "count")
    game_state = position(board, prisoners={"first": 6})
    assert outcome(played(game_state, "pass", "pass")) == ("second", "count")
    game_state = position(board, prisoners={"first": 6}, rules={"komi": 6})
    assert outcome(played(game_state, "pass", "pass")) == ("draw", "count")


# --- Othello ----------------------------------------------------------------------------------------------------------

OTHELLO = "........ ........ ........ ...翻'翻... ...翻翻'..."


def test_othello_stones_alone() -> None:
    """Source: the published perft numbers of Othello, e.g. A. Bik, 'Reversi deep perft', 2012."""
    both = {"first": {"翻": 60}, "second": {"翻": 60}}
    game_state = position(OTHELLO, "othello8", hands=both)
    assert [game_state.perft(depth) for depth in range(1, 8)] == [4, 12, 56, 244, 1396, 8200, 55092]


def test_units_are_turned_and_keep_their_kind() -> None:
    game_state = position("翻+飛'騎'碁'.....", hands={"first": {"翻": 1}})
    played(game_state, "翻*e1")
    assert game_state.board().cells[0][:5] == ("翻", "+飛", "騎", "碁", "翻")
    assert prisoners(game_state, 0) == 0 and hand(game_state, 0, "飛") == 0
    assert "b1-b9" in moves_as_cells(played(game_state, "pass"))


def test_turned_go_stones_capture() -> None:
    """翻 on c3 turns the 碁 on c2, which closes the last side of the pawn on b2."""
    game_state = position(".碁翻...... 碁歩'碁'...... .碁.......", hands={"first": {"翻": 1}})
    played(game_state, "翻*c3")
    assert at(game_state, "c2") == "碁" and at(game_state, "b2") == ""
    assert hand(game_state, 0, "歩") == 1


def test_a_king_shut_in_by_turning_stones_is_in_check() -> None:
    """翻 on b3 turns the 碁 on b2, and then 碁 stand on every side of the king."""
    board = "碁翻....... 玉'碁'....... 碁........" + " ........." * 5 + " 玉........"
    game_state = position(board, to_move="second", hands={"first": {"翻": 1}})
    assert "pass" not in legal(game_state)
    assert "pass" in legal(position(board, to_move="second"))
    assert outcome(played(position(board, hands={"first": {"翻": 1}}), "翻*b3")) == ("first", "mate")


def test_no_legal_move_on_the_othello_board_is_a_pass() -> None:
    game_state = position("翻翻翻翻翻翻翻翻", "othello8", "second")
    assert legal(game_state) == {"pass"}
    assert outcome(played(game_state, "pass", "pass")) == ("first", "count")
    assert "pass" not in legal(position(OTHELLO, "othello8", hands={"first": {"翻": 1}}))


# --- Renju ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("board", "move"),
    [
        ("珠珠珠珠.....", "珠*e1"),
        ("珠珠.珠珠珠...", "珠*c1"),
        ("珠........ .珠....... ..珠...... ...珠.....", "珠*e5"),
        ("....珠.... ...珠..... ..珠...... .珠.......", "珠*a5"),
        ("珠........ 珠........ 珠........ 珠........", "珠*a5"),
    ],
)
def test_five_wins(board: str, move: str) -> None:
    game_state = position(board, hands={"first": {"珠": 1}})
    assert outcome(played(game_state, move)) == ("first", "five")
    assert outcome(played(position(board, hands={"first": {"珠": 1}}, rules={"five": "off"}), move))[1] is None


def test_stones_that_are_turned_make_five() -> None:
    game_state = position("......... ..翻...... 珠珠珠'珠珠....", hands={"first": {"翻": 1}})
    assert outcome(played(game_state, "翻*c4")) == ("first", "five")


# --- Kings, ends ------------------------------------------------------------------------------------------------------


def test_bikjang() -> None:
    board = "....楚'.... ......... ....金.... ......... ......... ......... ......... ......... ....楚...."
    game_state = played(position(board), "e3-d3")
    assert outcome(game_state)[1] is None
    assert outcome(played(game_state, "pass")) == ("draw", "bikjang")
    game_state = played(position(board), "e3-d3", "e1-f1")
    assert outcome(game_state)[1] is None
    assert outcome(played(position(board, rules={"bikjang": "off"}), "e3-d3", "pass"))[1] is None
    # Nobody need have made it: who has to move must end it.
    assert outcome(played(position(board.replace("金", ".")), "pass")) == ("draw", "bikjang")


@pytest.mark.parametrize(
    ("king", "result"), [("玉", "first"), ("王", "draw"), ("帥", "first"), ("楚", None), ("君", "draw")]
)
def test_no_legal_move_by_the_second_players_king(king: str, result: str | None) -> None:
    """On the renju board; the cornered king is second's, who is not in check."""
    rows = [["."] * 15 for _ in range(15)]
    rows[0][0] = king + "'"
    rows[1][7] = rows[7][1] = "飛"
    rows[14][14] = "玉"
    game_state = position(" ".join("".join(row) for row in rows), "renju15", "second")
    if result is None:
        assert legal(game_state) == {"pass"}
        never = position(" ".join("".join(row) for row in rows), "renju15", "second", rules={"passing": "never"})
        assert outcome(never) == ("first", "no-move")
    else:
        assert outcome(game_state) == (result, "no-move")


def test_passing_at_any_time_on_go_boards_alone() -> None:
    for where in SIZES:
        game_state = position("", where, hands={"first": {"碁": 1}})
        assert ("pass" in legal(game_state)) == where.startswith("go")


def shuttle(game_state: GameState, *moves: str) -> Iterator[tuple[str, str | None]]:
    while True:
        for move in moves:
            game_state.push_text(move)
            yield outcome(game_state)


@pytest.mark.parametrize(("king", "times"), [("玉", 4), ("王", 3), ("帥", 3), ("楚", 3), ("君", 3)])
def test_repetition_by_the_second_players_king(king: str, times: int) -> None:
    board = f"{king}'........ " + "......... " * 7 + "........君"
    game_state = position(board)
    ends = shuttle(game_state, "i9-h9", "a1-b1", "h9-i9", "b1-a1")
    for _ in range(4 * (times - 1) - 1):
        assert next(ends)[1] is None
    assert next(ends) == ("draw", "repetition")


@pytest.mark.parametrize(("king", "times", "result"), [("玉", 4, "second"), ("帥", 3, "second"), ("王", 3, "draw")])
def test_perpetual_check(king: str, times: int, result: str) -> None:
    """First's rook checks for ever along the first two columns."""
    board = f"{king}'........ ........." + " ........." * 6 + " .飛......君"
    game_state = position(board)
    ends = shuttle(game_state, "b9-a9", "a1-b1", "a9-b9", "b1-a1")
    for _ in range(4 * (times - 1) - 1):
        assert next(ends)[1] is None
    assert next(ends) == (result, "perpetual-check" if result == "second" else "repetition")


def test_perpetual_check_from_a_position_that_begins_in_check() -> None:
    board = "........ " * 4 + "....飛.玉. ........ ........ 俥....玉'.."
    ends = shuttle(position(board, "othello8", "second"), "f8-f7", "a8-a7", "f7-f8", "a7-a8")
    for _ in range(11):
        assert next(ends)[1] is None
    assert next(ends) == ("second", "perpetual-check")


# --- Words ------------------------------------------------------------------------------------------------------------


def test_words_for_moves() -> None:
    game_state = position("......... 兵........ ......... ......... 飛........", hands={"first": {"歩": 1, "碁": 1}})
    for written, meant in (("P*e5", "歩*e5"), ("I*e5", "碁*e5"), ("a2-a1=Q", "a2-a1=后"), ("a5-a3+", "a5-a3+")):
        move = game_state.notation.parse_move(game_state.rules, game_state.state, written)
        assert game_state.format(move) == meant
    for wrong in ("", "a1", "a0-a1", "x*a1", "后*a1", "a1-z9", "j1-j2", "a2-a1=K", "歩*e10"):
        with pytest.raises(ValueError, match=r"write|board|hand|promotion"):
            game_state.notation.parse_move(game_state.rules, game_state.state, wrong)


@pytest.mark.parametrize(
    ("board", "hands", "move", "words"),
    [
        (".........", {}, "a1-a2", "nothing on a1"),
        ("歩'........", {}, "a1-a2", "First's turn"),
        ("碁........", {}, "a1-a2", "never moves"),
        ("飛歩.......", {}, "a1-b1", "your own 歩"),
        ("飛........", {}, "a1-b2", "cannot reach"),
        ("歩........", {}, "碁*b1", "no 碁 in hand"),
        ("歩........", {"碁": 1}, "碁*a1", "occupied"),
        ("歩........", {"歩": 1}, "歩*b1", "never move again"),
        ("......... 歩........", {"歩": 1}, "歩*a5", "unpromoted 歩"),
        ("......... 翻........", {"翻": 1}, "翻*e5", "brackets nothing"),
        (".........", {"珠": 1}, "珠*e6", "own half"),
        (".碁'....... 碁'........", {"碁": 1}, "碁*a1", "enclosed"),
        ("平........ .歩'....... ......... 飛........", {}, "a4-a5", "must capture"),
        ("平........ .歩'....... ......... 飛........", {}, "pass", "must capture"),
    ],
)
def test_why_not(board: str, hands: dict[str, int], move: str, words: str) -> None:
    game_state = position(board, hands={"first": hands})
    assert words in game_state.why_not(move)


def test_why_not_with_kings() -> None:
    game_state = position("玉'...飛'.... " + "......... " * 7 + "....玉....")
    assert "does not end the check" in game_state.why_not("e9-e8")
    assert "cannot pass" in game_state.why_not("pass")
    pinned = position("玉'...飛'.... " + "......... " * 6 + "....金.... ....玉....")
    assert "would leave your king in check" in pinned.why_not("e8-d8")
    assert pinned.why_not("e8-e7") == ""


def test_setups_that_make_no_sense_are_refused() -> None:
    for board in ("...", "?........ " + "......... " * 8):
        with pytest.raises(ValueError, match="expected 9 rows|is no unit"):
            notation.set_up(
                position("").rules, position("").state, {"board": board.replace(" ", "/"), "to_move": "first"}
            )


def pinned(size: int) -> str:
    """The man on d6 shields the king below from the rook on d1, and can jump the pawn on e5."""
    rows = [["."] * size for _ in range(size)]
    rows[0][3], rows[4][4], rows[5][3], rows[-1][3] = "飛'", "歩'", "平", "玉"
    return " ".join("".join(row) for row in rows)


@pytest.mark.parametrize(("where", "size"), [("go9", 9), ("othello8", 8), ("draughts10", 10)])
def test_a_duty_that_exposes_the_king_leaves_a_pass_or_nothing(where: str, size: int) -> None:
    here = position(pinned(size), where)
    if where == "draughts10":
        assert legal(here) == set() and outcome(here) == ("second", "no-move")
    else:
        assert legal(here) == {"pass"}
    free = legal(position(pinned(size), where, rules={"draughts_duty": "below-check"}))
    assert len(free) > 1 and not any(":" in move for move in free)


def test_the_rule_book_says_both() -> None:
    book = "\n".join(rulesets.load_ruleset("rengo/go9").text())
    assert "makes all of it neutral" in book
    assert "only a pass remains; a player" in book


ROWS = {  # rows from the own edge: shogi and 貝, 卒
    "go9": (7, 5),
    "go13": (10, 7),
    "go19": (16, 10),
    "othello8": (7, 5),
    "renju15": (12, 8),
    "draughts10": (7, 6),
}


@pytest.mark.parametrize("where", SIZES)
def test_promotion_rows_of_every_board(where: str) -> None:
    n = SIZES[where]
    zone, middle = ROWS[where]
    for seat in (0, 1):
        for rank in range(2, n + 1):
            for letter, row in (("銀", zone), ("貝", zone), ("卒", middle), ("兵", n), ("平", n)):
                if letter == "銀" and rank == n:
                    continue
                # The unit stands one row before ``rank``; 平 steps sideways, too.
                y = n - rank + 1 if seat == 0 else rank - 2
                rows = [["."] * n for _ in range(n)]
                rows[y][3] = letter + ("", "'")[seat]
                game_state = position(" ".join("".join(row) for row in rows), where, ("first", "second")[seat])
                ahead = y - 1 if seat == 0 else y + 1
                column = "c" if letter == "平" else "d"
                texts = {move for move in legal(game_state) if move.startswith(f"d{y + 1}-{column}{ahead + 1}")}
                plain = f"d{y + 1}-{column}{ahead + 1}"
                if rank < row:
                    assert texts == {plain}
                elif letter == "銀":
                    assert texts == {plain, plain + "+"}
                elif letter == "兵":
                    assert texts == {f"{plain}={choice}" for choice in "后城僧騎"}
                else:
                    assert texts == {plain + "+"}


def test_forced_promotion_where_a_piece_could_not_move_again() -> None:
    game_state = position("......... 歩........ .香....... ..桂......")
    forced = {"a2-a1+", "b3-b1+", "c4-b2+", "c4-d2+"}
    assert legal(game_state) == {*forced, "b3-b2", "b3-b2+", "pass"}


def test_promoted_units_and_what_becomes_of_them() -> None:
    game_state = played(position("......... 兵平......."), "a2-a1=后", "pass", "b2-c1+", "pass")
    assert (at(game_state, "a1"), at(game_state, "c1")) == ("后", "冠")
    game_state = played(position("......... ......... ......... 貝........"), "a4-a3+", "pass")
    assert at(game_state, "a3") == "核"
    game_state = position("......... " * 5 + "卒........")
    assert at(played(game_state, "a6-a5+"), "a5") == "+卒"
