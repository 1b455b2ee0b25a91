"""Units of the mixed game promote as the tables of the boards say; how they move `tests/test_rengo_library.py` asks."""

from __future__ import annotations

import pytest

from tests.rengo_positions import SIZES, at, legal, played, position

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
