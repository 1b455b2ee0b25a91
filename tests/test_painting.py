"""Positions that are painted on the board, and the text that says the same."""

from __future__ import annotations

import random

import pytest

from workbench.games.game_state import GameState, IllegalMove, setup_of
from workbench.play.touch import Painting, palette
from workbench.questions import rulesets

pytestmark = pytest.mark.usefixtures("in_the_checkout")
RULESETS = [
    *("chess/orthodox", "chess/007", "draughts/english", "draughts/international", "draughts/turkish"),
    *("chatra/9x9", "chatra/limited-7", "star/default", "rengo/go9"),
]


def state(name: str, text: str = "") -> GameState:
    ruleset = rulesets.load_ruleset(name)
    return GameState(ruleset.game, ruleset.codes(), setup_of(ruleset.game, text))


@pytest.mark.parametrize("name", RULESETS)
def test_the_text_of_a_position_is_the_position(name: str) -> None:
    game_state = state(name)
    random_numbers = random.Random(3)
    for ply in range(24):
        painting = Painting.of(game_state)
        if game_state.game != "chatra" or ply > 2:
            again = state(name, painting.text())
            assert again.board().pieces() == game_state.board().pieces()
            assert again.seat == game_state.seat
            # What the star's foul rule remembers and how far a pawn has just come is told by no board.
            if game_state.game not in ("star", "chess"):
                assert sorted(again.legal_texts()) == sorted(game_state.legal_texts())
        if not game_state.legal():
            break
        game_state.push(random_numbers.choice(game_state.legal()))


@pytest.mark.parametrize("name", RULESETS)
def test_what_stands_on_the_board_can_be_painted(name: str) -> None:
    game_state = state(name)
    signs = {sign for sign, _ in palette(game_state)}
    painting = Painting.of(game_state)
    empty = painting.empty()
    assert not any(sign for row in empty.cells for sign in row)
    for cell in painting.names:
        sign = painting.cells[cell[0]][cell[1]]
        assert sign in signs | {""}
        empty = empty.painted(cell, sign)
    assert empty.cells == painting.cells and empty.text() == painting.text()


def test_pieces_stand_only_where_squares_are_used() -> None:
    painting = Painting.of(state("draughts/english"))
    assert painting.painted((0, 0), "●") == painting
    assert painting.painted((3, 0), "◉").text() == (
        "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12,K13"
    )


def test_castling_is_left_where_king_and_rook_still_stand() -> None:
    painting = Painting.of(state("chess/orthodox"))
    moved = painting.painted((7, 7), "").painted((0, 4), "").painted((1, 4), "♚")
    assert moved.text() == "rnbq1bnr/ppppkppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w Q - 0 1"
    back = moved.painted((7, 7), "♖")
    assert back.text().split()[2] == "KQ"


def test_what_is_wrong_with_a_painted_position_is_told_as_for_a_typed_one() -> None:
    painting = Painting.of(state("chess/orthodox")).painted((7, 4), "")
    with pytest.raises(IllegalMove, match="White has 0 kings"):
        state("chess/orthodox", painting.text())
    chatra = Painting.of(state("chatra/9x9")).painted((0, 0), "★").painted((0, 1), "★").painted((8, 8), "☆")
    with pytest.raises(IllegalMove, match="black_object: expected a square"):
        state("chatra/9x9", chatra.text())


def test_who_moves_is_painted_too() -> None:
    from dataclasses import replace

    for name in RULESETS:
        painting = Painting.of(state(name))
        if painting.game == "chatra":
            painting = painting.painted((0, 0), "★").painted((8, 8), "☆")
        other = state(name, replace(painting, side=1 - painting.side).text())
        assert Painting.of(other).side == 1 - painting.side, name
