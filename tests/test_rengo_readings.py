"""What the mixed game's rule book says of dead stones and of a duty that exposes the king, and that it is so."""

from __future__ import annotations

import pytest

from tests.naive import rengo as twin
from tests.rengo_positions import legal, outcome, played, position
from workbench.games.game_state import GameState
from workbench.games.rengo import kernel
from workbench.games.rengo.rules import DECLARATION
from workbench.questions import rulesets

WALL = "....碁碁'... "


def points(game_state: GameState) -> list[int]:
    return [int(kernel.points(game_state.rules, game_state.state.copy(), side)) for side in (0, 1)]


def with_unit(unit: str) -> GameState:
    """First's columns a-d with a unit on b5 in them, and second's columns g-i."""
    return position(WALL * 4 + f".{unit}..碁碁'... " + WALL * 4)


@pytest.mark.parametrize(("unit", "first"), [(".", 36), ("碁'", 0), ("俥'", 37), ("翻'", 36), ("王'", 35), ("碁", 35)])
def test_one_enemy_go_stone_makes_a_region_nobodys_and_other_units_are_dead(unit: str, first: int) -> None:
    game_state = with_unit(unit)
    assert points(game_state) == [first, 27]
    assert game_state.setup is not None
    same = twin.from_setup(DECLARATION.defaults(), game_state.setup)
    assert [twin.points(same, side) for side in (0, 1)] == [first, 27]


def test_that_stone_turns_a_won_count() -> None:
    assert outcome(played(with_unit("俥'"), "pass", "pass")) == ("first", "count")
    assert outcome(played(with_unit("碁'"), "pass", "pass")) == ("second", "count")


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
    assert "a single enemy 碁 in it makes all of it nobody's" in book
    assert "nothing is left but to pass; who may not pass has no legal move" in book
