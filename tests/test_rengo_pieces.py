"""Every unit of the mixed game moves, captures and promotes as its diagram and the tables of the boards say."""

from __future__ import annotations

import pytest

from tests import few
from tests.rengo_positions import SIZES, at, legal, moves_of, played, position
from workbench.games.rengo import kernel_units as u

# The unit stands in the middle and moves up. x: moves and captures there; m: moves only; c: captures only; r: so on to
# the edge, moving and capturing; q: so on to the edge, moving only.
DIAGRAMS = {
    "玉 王 君 士": """
        .......
        .......
        ..xxx..
        ..x.x..
        ..xxx..
        .......
        .......""",
    "帥 楚": """
        .......
        .......
        ...x...
        ..x.x..
        ...x...
        .......
        .......""",
    "金 +銀 +桂 +香 +歩": """
        .......
        .......
        ..xxx..
        ..x.x..
        ...x...
        .......
        .......""",
    "銀 根": """
        .......
        .......
        ..xxx..
        .......
        ..x.x..
        .......
        .......""",
    "桂": """
        .......
        ..x.x..
        .......
        .......
        .......
        .......
        .......""",
    "香": """
        .......
        .......
        ...r...
        .......
        .......
        .......
        .......""",
    "飛 城 俥 车 船": """
        .......
        .......
        ...r...
        ..r.r..
        ...r...
        .......
        .......""",
    "角 僧": """
        .......
        .......
        ..r.r..
        .......
        ..r.r..
        .......
        .......""",
    "+飛": """
        .......
        .......
        ..xrx..
        ..r.r..
        ..xrx..
        .......
        .......""",
    "+角": """
        .......
        .......
        ..rxr..
        ..x.x..
        ..rxr..
        .......
        .......""",
    "后": """
        .......
        .......
        ..rrr..
        ..r.r..
        ..rrr..
        .......
        .......""",
    "歩 卒": """
        .......
        .......
        ...x...
        .......
        .......
        .......
        .......""",
    "+卒 卆": """
        .......
        .......
        ...x...
        ..x.x..
        .......
        .......
        .......""",
    "兵 貝": """
        .......
        .......
        ..cmc..
        .......
        .......
        .......
        .......""",
    "騎 午 傌 马": """
        .......
        ..x.x..
        .x...x.
        .......
        .x...x.
        ..x.x..
        .......""",
    "仕 種 核": """
        .......
        .......
        ..x.x..
        .......
        ..x.x..
        .......
        .......""",
    "相": """
        .......
        .x...x.
        .......
        .......
        .......
        .x...x.
        .......""",
    "象": """
        .x...x.
        x.....x
        .......
        .......
        .......
        x.....x
        .x...x.""",
    "炮": """
        .......
        .......
        ...q...
        ..q.q..
        ...q...
        .......
        .......""",
    "包": """
        .......
        .......
        .......
        .......
        .......
        .......
        .......""",
    "平": """
        .......
        .......
        ..m.m..
        .......
        .......
        .......
        .......""",
    "冠": """
        .......
        .......
        ..q.q..
        .......
        ..q.q..
        .......
        .......""",
}
PIECES = [(letter, diagram) for letters, diagram in DIAGRAMS.items() for letter in letters.split()]


def test_every_piece_has_its_diagram() -> None:
    assert sorted(letter for letter, _ in PIECES) == sorted(
        letter for letter in u.LETTERS if letter and letter not in "碁翻珠"
    )


def reached(diagram: str, seat: int, size: int, marks: str) -> set[str]:
    """The cells that a unit in the middle of an empty board reaches by the marks of its diagram."""
    middle = size // 2
    places = set()
    for y, row in enumerate(diagram.split()):
        for x, mark in enumerate(row):
            dx, dy = (x - 3, y - 3) if seat == 0 else (3 - x, 3 - y)
            if mark in marks:
                for steps in range(1, size if mark in "rq" else 2):
                    if 0 <= middle + steps * dx < size and 0 <= middle + steps * dy < size:
                        places.add((middle + steps * dx, middle + steps * dy))
    return {f"{'abcdefghijklmno'[x]}{y + 1}" for x, y in places}


@pytest.mark.parametrize("seat", few.first(1, [0, 1]))
@pytest.mark.parametrize(("letter", "diagram"), PIECES)
def test_piece_moves_and_captures_as_its_diagram(letter: str, diagram: str, seat: int) -> None:
    size, mark = 15, ("", "'")
    to_move = ("first", "second")[seat]
    empty = [["."] * size for _ in range(size)]
    empty[7][7] = letter + mark[seat]

    def board(cells: list[list[str]]) -> str:
        return " ".join("".join(row) for row in cells)

    game_state = position(board(empty), "renju15", to_move)
    assert moves_of(game_state, "h8") == reached(diagram, seat, size, "xmrq")
    captures = reached(diagram, seat, size, "xcr")
    for y in range(size):
        for x in range(size):
            if (x, y) != (7, 7):
                cells = [row[:] for row in empty]
                cells[y][x] = "珠" + mark[1 - seat]
                square = f"{'abcdefghijklmno'[x]}{y + 1}"
                over = letter in "平冠" and abs(x - 7) == abs(y - 7) and 0 < x < 14 and 0 < y < 14
                game_state = position(board(cells), "renju15", to_move)
                taken = square in moves_of(game_state, "h8")
                assert taken == (square in captures), square
                jumped = any(move.endswith(f":{square}") for move in legal(game_state))
                assert jumped == (over and (letter == "冠" or abs(x - 7) == 1)), square


@pytest.mark.parametrize(
    ("letter", "blocker", "lost"),
    [
        ("相", "d4", {"c3"}),
        ("傌", "e4", {"d3", "f3"}),
        ("马", "d5", {"c4", "c6"}),
        ("象", "e4", {"c2", "g2"}),
        ("象", "d3", {"c2"}),
        ("象", "f5", {"h3", "h7"}),
        ("騎", "e4", set()),
        ("桂", "e4", set()),
    ],
)
def test_lame_leaps_are_blocked(letter: str, blocker: str, lost: set[str]) -> None:
    rows = [["."] * 9 for _ in range(9)]
    rows[4][4] = letter
    free = moves_of(position(" ".join("".join(row) for row in rows)), "e5")
    rows[int(blocker[1]) - 1]["abcdefghi".index(blocker[0])] = "碁"
    assert moves_of(position(" ".join("".join(row) for row in rows)), "e5") == free - lost


def test_xiangqi_cannon_captures_over_exactly_one_screen() -> None:
    game_state = position("炮.碁.珠'.珠'..")
    assert {move for move in moves_of(game_state, "a1") if move.endswith("1")} == {"b1", "e1"}


def test_janggi_cannon_moves_and_captures_over_exactly_one_unit() -> None:
    game_state = position("包.碁.珠'.珠'..")
    assert {move for move in moves_of(game_state, "a1") if move.endswith("1")} == {"d1", "e1"}


def test_janggi_cannon_neither_jumps_nor_takes_its_like() -> None:
    assert moves_of(position("包.包'.珠'.珠'.."), "a1") == set()
    assert moves_of(position("包.碁.包'.珠'.."), "a1") == {"d1"}
    assert moves_of(position("包.炮'.包'.珠'.."), "a1") == {"d1"}


# --- Promotion --------------------------------------------------------------------------------------------------------

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
