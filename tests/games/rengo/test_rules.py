"""The mixed game's rules, one by one, in positions set up by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.rengo import twin
from tests.games.rengo.positions import at, hand, legal, moves_as_cells, outcome, played, position
from workbench.games.rengo import kernel, notation
from workbench.games.rengo.rules import DECLARATION
from workbench.positions.game_state import GameState


def test_no_mate_by_a_dropped_pawn() -> None:
    board = "香'玉'香'...... ......... 金.金...... " + "......... " * 5 + "玉........"
    game_state = position(board, hands={"first": {"歩": 1, "銀": 1}})
    assert "歩*b2" not in legal(game_state)
    assert "銀*b2" in legal(game_state)
    assert "mate" in game_state.why_not("歩*b2")
    # With one way out it is no mate.
    assert "歩*b2" in legal(position(board.replace("香'玉'香'", "香'玉'."), hands={"first": {"歩": 1}}))


def test_draughts_men_alone() -> None:
    """Source: the published counts of international draughts, e.g. A. Bik, 'Computing deep perft', 2012."""
    rows = [
        "".join(("平'" if y < 4 else "平" if y > 5 else ".") if (x + y) % 2 else "." for x in range(10))
        for y in range(10)
    ]
    game_state = position(" ".join(rows), "draughts10")
    assert [game_state.perft(depth) for depth in range(1, 7)] == [9, 81, 658, 4265, 27117, 167140]


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


WALL = "....碁碁'... "
"""First's columns a-d, a wall of each side, and second's columns g-i."""


def walled(unit: str) -> str:
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


OTHELLO = "........ ........ ........ ...翻'翻... ...翻翻'..."


def test_othello_stones_alone() -> None:
    """Source: the published perft numbers of Othello, e.g. A. Bik, 'Reversi deep perft', 2012."""
    both = {"first": {"翻": 60}, "second": {"翻": 60}}
    game_state = position(OTHELLO, "othello8", hands=both)
    assert [game_state.perft(depth) for depth in range(1, 8)] == [4, 12, 56, 244, 1396, 8200, 55092]


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
    assert outcome(played(position(board, hands={"first": {"珠": 1}}), move)) == ("first", "five")


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


def shuttled(game_state: GameState, moves: str, times: int) -> tuple[str, str | None]:
    """The outcome when four moves have brought the same position so many times; there is none before."""
    for ply in range(4 * (times - 1)):
        assert outcome(game_state)[1] is None
        game_state.push_text(moves.split()[ply % 4])
    return outcome(game_state)


@pytest.mark.parametrize(("king", "times"), [("玉", 4), ("王", 3), ("帥", 3), ("楚", 3), ("君", 3)])
def test_repetition_by_the_second_players_king(king: str, times: int) -> None:
    game_state = position(f"{king}'........ " + "......... " * 7 + "........君")
    assert shuttled(game_state, "i9-h9 a1-b1 h9-i9 b1-a1", times) == ("draw", "repetition")


@pytest.mark.parametrize(("king", "times", "result"), [("玉", 4, "second"), ("帥", 3, "second"), ("王", 3, "draw")])
def test_perpetual_check(king: str, times: int, result: str) -> None:
    game_state = position(f"{king}'........ ........." + " ........." * 6 + " .飛......君")
    termination = "perpetual-check" if result == "second" else "repetition"
    assert shuttled(game_state, "b9-a9 a1-b1 a9-b9 b1-a1", times) == (result, termination)


def test_perpetual_check_from_a_position_that_begins_in_check() -> None:
    game_state = position("........ " * 4 + "....飛.玉. ........ ........ 俥....玉'..", "othello8", "second")
    assert shuttled(game_state, "f8-f7 a8-a7 f7-f8 a7-a8", 4) == ("second", "perpetual-check")


def test_words_for_moves() -> None:
    game_state = position("......... 兵........ ......... ......... 飛........", hands={"first": {"歩": 1, "碁": 1}})
    for written, meant in (("P*e5", "歩*e5"), ("I*e5", "碁*e5"), ("a2-a1=Q", "a2-a1=后"), ("a5-a3+", "a5-a3+")):
        move = game_state.notation.parse_move(game_state.rules, game_state.state, written)
        assert game_state.format(move) == meant
    for wrong in ("", "a1", "a0-a1", "x*a1", "后*a1", "a1-z9", "j1-j2", "a2-a1=K", "歩*e10"):
        with pytest.raises(ValueError, match=r"write|board|hand|promotion"):
            game_state.notation.parse_move(game_state.rules, game_state.state, wrong)


CHECKED = "玉'...飛'.... " + "......... " * 7 + "....玉...."
PINNED = "玉'...飛'.... " + "......... " * 6 + "....金.... ....玉...."


@pytest.mark.parametrize(
    ("board", "hands", "move", "words"),
    [
        (".........", {}, "a1-a2", "nothing on a1"), ("歩'........", {}, "a1-a2", "First's turn"),
        ("碁........", {}, "a1-a2", "never moves"), ("飛歩.......", {}, "a1-b1", "your own 歩"),
        ("飛........", {}, "a1-b2", "cannot reach"), ("歩........", {}, "碁*b1", "no 碁 in hand"),
        ("歩........", {"碁": 1}, "碁*a1", "occupied"), ("歩........", {"歩": 1}, "歩*b1", "never move again"),
        ("......... 歩........", {"歩": 1}, "歩*a5", "unpromoted 歩"),
        ("......... 翻........", {"翻": 1}, "翻*e5", "brackets nothing"), (".........", {"珠": 1}, "珠*e6", "own half"),
        (".碁'....... 碁'........", {"碁": 1}, "碁*a1", "enclosed"),
        ("平........ .歩'....... ......... 飛........", {}, "a4-a5", "must capture"),
        ("平........ .歩'....... ......... 飛........", {}, "pass", "must capture"),
        (CHECKED, {}, "e9-e8", "does not end the check"), (CHECKED, {}, "pass", "cannot pass"),
        (PINNED, {}, "e8-d8", "leave your king in check"),
    ],
)  # fmt: skip
def test_why_not(board: str, hands: dict[str, int], move: str, words: str) -> None:
    game_state = position(board, hands={"first": hands})
    assert words in game_state.why_not(move)


def test_setups_that_make_no_sense_are_refused() -> None:
    for board in ("...", "?........ " + "......... " * 8):
        with pytest.raises(ValueError, match="expected 9 rows|is not a unit"):
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
