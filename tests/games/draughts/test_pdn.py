"""Positions and games of draughts as the standard writes them: names of squares, FEN, results and tags."""

from __future__ import annotations

import random

import draughts
import numpy as np
import pytest
from draughts.PDN import PDNReader, PDNWriter

from tests.games.draughts.test_kernel import game_state_of
from workbench.addons.people.reading import read_result, split_games
from workbench.base.errors import InputError
from workbench.engine import contract
from workbench.games.draughts import notation
from workbench.games.draughts.notation import game_type
from workbench.games.draughts.rules import DECLARATION
from workbench.positions.game_state import GameState
from workbench.rules import rulesets


def of(name: str, fen: str = "") -> GameState:
    return game_state_of(rulesets.load_ruleset(f"draughts/{name}").settings, fen)


def read(text: str) -> tuple[dict[str, str], list[str], int]:
    ((_, game),) = split_games(text, 1)
    result = read_result(game.tags.get("Result") or game.results[0])
    assert result
    return game.tags, game.words, result[0]


@pytest.mark.parametrize(
    ("name", "top", "bottom"),
    [
        # The first two rows of the board and the last, White below, as they are drawn.
        ("english", ". 1 . 2 . 3 . 4", "29 . 30 . 31 . 32 ."),
        ("italian", "1 . 2 . 3 . 4 .", ". 29 . 30 . 31 . 32"),
        ("spanish", "32 . 31 . 30 . 29 .", ". 4 . 3 . 2 . 1"),
        ("russian", ". b8 . d8 . f8 . h8", "a1 . c1 . e1 . g1 ."),
        ("brazilian", ". b8 . d8 . f8 . h8", "a1 . c1 . e1 . g1 ."),
        ("international", ". 1 . 2 . 3 . 4 . 5", "46 . 47 . 48 . 49 . 50 ."),
        ("turkish", "a8 b8 c8 d8 e8 f8 g8 h8", "a1 b1 c1 d1 e1 f1 g1 h1"),
        ("tobishogo", "a9 . c9 . e9 . g9 . i9", "a1 . c1 . e1 . g1 . i1"),
    ],
)
def test_boards_are_named_as_in_the_standard(name: str, top: str, bottom: str) -> None:
    rules = of(name).rules
    named = notation.names(rules)
    drawn = [" ".join(named.get(bit, ".") for bit in row) for row in notation.cells(rules)]
    assert (drawn[0], drawn[-1]) == (top, bottom)


def test_an_italian_board_is_drawn_mirrored() -> None:
    board = of("italian").board()
    assert board.cells[7][7] and not board.cells[7][0]
    assert (7, 7) in board.shaded and (7, 0) not in board.shaded


@pytest.mark.parametrize(
    ("name", "down", "up", "counts"),
    [
        ("international", "W:W50-41,31-35:B1-20", "W:W41-50,31-35:B1-20", (15, 20)),
        ("international", "W:WK50-K46:B1", "W:WK46-K50:B1", (5, 1)),
        ("english", "B:W32-21:B12-1", "B:W21-32:B1-12", (12, 12)),
        ("russian", "W:Wg3-a1:Bh8-b6", "W:Wa1-g3:Bb6-h8", (12, 12)),
    ],
)
def test_a_range_is_the_same_squares_upwards_and_downwards(
    name: str, down: str, up: str, counts: tuple[int, int]
) -> None:
    one, other = of(name, down), of(name, up)
    assert np.array_equal(one.state, other.state)
    _, *pieces = notation.pieces_fen(one.rules, one.state).split(":")
    assert tuple(part.count(",") + 1 for part in pieces) == counts


@pytest.mark.parametrize(
    ("fen", "said"),
    [
        ("W:W31-K50:B1", "expected one kind of piece in a range, such as 31-50, found '31-K50'"),
        ("W:WK31-R50:B1", "such as K31-K50"),
        ("W:W31-51:B1", "squares on the 10×10 board, such as 1 or K50"),
        ("W:Wa1:B1", "squares on the 10×10 board"),
    ],
)
def test_what_is_no_piece_or_range_is_refused_in_words(fen: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        of("international", fen)


@pytest.mark.parametrize(
    "fen",
    ["", "W", "X:W1:B2", "W:W1", "W:W1:W2", "W:W33:B1", "W:Wa1:B1", "W:W9,9:B1", "W:W9:B9", "W:W3:B9", "W:WQ9:B1"],
)
def test_bad_fen_is_refused(fen: str) -> None:
    codes = DECLARATION.codes(DECLARATION.defaults())
    with pytest.raises(ValueError, match=r"."):
        GameState("draughts", codes, {"fen": fen})


@pytest.mark.parametrize("fen", ["W:We1,c3:Be9,d4", "W:Wa1-i3:Ba7-i9", "W:WRe1:Be9", "W:WRe1,Rc3:BRe9"])
def test_a_position_without_one_royal_piece_on_each_side_is_refused_with_its_letter(fen: str) -> None:
    with pytest.raises(ValueError, match=r"expected one royal piece of (White|Black) \(R before .*\), found [02]"):
        of("tobishogo", fen)


def test_a_start_position_written_downwards_is_the_whole_position() -> None:
    base = rulesets.load_ruleset("draughts/international")

    def derived(fen: str) -> str:
        return rulesets.derive_ruleset(base, {"start_position": fen}, "draughts/x", "X").fingerprint

    assert derived("W:W50-41,31-35:B1-20") == derived("W:W31-35,41-50:B1-20") != base.fingerprint
    assert derived("W:W50-31:B20-1") == base.fingerprint
    with pytest.raises(InputError, match="one kind of piece in a range"):
        derived("W:W50-K31:B20-1")


def test_letters_are_read_in_russian_draughts() -> None:
    # Over g7 to f8, where it becomes a king, over c5 to b4, over d2 to e1.
    assert set(of("russian", "W:Wh6:Bg7,c5,d2").legal_texts()) == {"h6xe1"}
    game = of("russian")
    for text in ("c3-d4", "b6a5"):
        game.push_text(text)
    assert game.texts == ["c3-d4", "b6-a5"]


def test_numbers_are_read_where_squares_have_letters() -> None:
    assert np.array_equal(of("russian", "W:W21-32:B1-12").state, of("russian").state)
    game = of("brazilian")
    game.push_text("22-18")
    assert game.texts == ["c3-d4"]


def test_men_on_their_last_row_and_sides_without_pieces() -> None:
    with pytest.raises(ValueError, match="a man cannot be on 4, which is its last row"):
        of("international", "W:W4:B49")
    assert of("international", "B:W50:B").outcome()[1] == "no-pieces"


def test_pdn_in_print() -> None:
    game_state = of("english")
    for text in ("11-15", "22-18", "15x22", "25x18"):
        game_state.push_text(text)
    assert notation.pdn(game_state.rules, game_state.texts) == (
        '[Result "*"]\n[GameType "21,B,8,8,N1,0"]\n\n1. 11-15 22-18 2. 15x22 25x18 *\n'
    )
    begun = notation.pdn(game_state.rules, ["26-23"], 2, None, {"fen": "W:W26:B1"})
    assert begun == ('[Result "0-1"]\n[GameType "21,B,8,8,N1,0"]\n[SetUp "1"]\n[FEN "W:W26:B1"]\n\n1... 26-23 0-1\n')


@pytest.mark.parametrize(
    ("name", "game_type"),
    [
        ("english", "21,B,8,8,N1,0"), ("italian", "22,W,8,8,N2,1"), ("spanish", "24,W,8,8,N1,1"),
        ("russian", "25,W,8,8,A0,0"), ("brazilian", "26,W,8,8,A0,0"), ("czech", "29,W,8,8,A0,0"),
        ("turkish", "30,W,8,8,A0,0"), ("pool", "23,B,8,8,N1,0"), ("pool-unified", "23,W,8,8,A0,0"),
        ("international", "20,W,10,10,N2,0"), ("canadian", "27,W,12,12,N2,0"),
    ],
)  # fmt: skip
def test_game_type_and_results_are_those_of_the_standard(name: str, game_type: str) -> None:
    rules, results = of(name).rules, ("1-0", "0-1", "1/2-1/2") if ",8,8," in game_type else ("2-0", "0-2", "1-1")
    for result, said in enumerate(results, start=1):
        tags, _, code = read(notation.pdn(rules, [], result))
        assert (tags["GameType"], tags["Result"], code) == (game_type, said, result)


@pytest.mark.parametrize("name", ["giveaway", "kingscourt", "tobishogo", "encyclopedia", "german", "english-4x4"])
def test_games_that_the_standard_does_not_know_have_no_game_type(name: str) -> None:
    assert "GameType" not in notation.pdn(of(name).rules, [])


def test_other_draws_and_another_start_leave_the_game_type() -> None:
    base = rulesets.load_ruleset("draughts/russian")
    changes: dict[str, str | int | float | bool] = {"repetition": 0, "quiet_limit": 99, "start_position": "W:Wa1:Bh8"}
    rules = game_state_of(rulesets.derive_ruleset(base, changes, "draughts/x", "X").settings).rules
    written = notation.pdn(rules, ["a1-b2"])
    assert '[GameType "25,W,8,8,A0,0"]' in written and '[FEN "W:Wa1:Bh8"]' in written


@pytest.mark.parametrize("variant", [*("english", "italian", "russian", "brazilian", "standard")])
def test_another_library_reads_the_variant_and_plays_the_moves(variant: str) -> None:
    game_state, chance = of(variant.replace("standard", "international")), random.Random(variant)
    while (moves := game_state.legal()) and game_state.plies < 80:
        game_state.push(chance.choice(moves))
    written = notation.pdn(game_state.rules, game_state.texts, game_state.outcome()[0] % 4)
    (theirs,) = PDNReader(written).games
    assert (theirs.variant, theirs.game_ending) == (variant, read(written)[0]["Result"])
    assert len(theirs.moves) == game_state.plies
    board = draughts.Board(variant=variant)
    for text in theirs.moves:
        board.push(draughts.Move(board, pdn_move=text))


@pytest.mark.parametrize(
    ("variant", "result", "code"), [("standard", "2-0", 1), ("english", "0-1", 2), ("brazilian", "1/2-1/2", 3)]
)
def test_what_another_library_writes_is_read(variant: str, result: str, code: int) -> None:
    game_state, board = of(variant.replace("standard", "international")), draughts.Board(variant=variant)
    for _ in range(20):
        board.push(board.legal_moves()[0])
    text = PDNWriter("", board, tags={"Result": result}, game_ending=result).pdn_text
    tags, moves, read_as = read(text)
    assert read_as == code and tags["GameType"] == game_type(game_state.rules)
    for one in moves:
        game_state.push_text(one)


def test_american_pool_checkers_are_read_by_numbers_and_black_begins() -> None:
    game_state = of("pool")
    assert "Black" in DECLARATION.square_naming(rulesets.load_ruleset("draughts/pool").settings)[0]
    _, moves, result = read('[GameType "23"]\n1. 11-15 22-18 2. 15x22 25x18 0-1')
    for text in moves:
        game_state.push_text(text)
    assert (game_state.texts, result) == (["11-15", "22-18", "15x22", "25x18"], contract.SECOND)
    assert of("pool-unified").why_not("11-15")


def exported(name: str, moves: list[str], result: str, tags: dict[str, str]) -> str:
    return notation.export(of(name).rules, [], moves, result, ("Ada", "Bob"), {"Site": "rule workbench", **tags})


def test_a_game_won_by_black_who_moved_first_counts_for_the_first_player() -> None:
    written = exported("english", ["11-15"], "first", {})
    assert '[White "Bob"]\n[Black "Ada"]\n[Result "1-0"]' in written
    assert '[Date "????.??.??"]' in written
    assert read(written)[2] == 1


def test_the_tags_of_tournaments_come_first() -> None:
    written = exported("russian", ["c3-d4"], "second", {"Seed": "7", "Round": "1", "Date": "2026.11.25"})
    names = [line[1:].partition(" ")[0] for line in written.splitlines() if line.startswith("[")]
    assert names == ["Site", "Date", "Round", "White", "Black", "Result", "GameType", "Seed"]
