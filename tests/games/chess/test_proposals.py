"""Proposed changes of chess: what each is, asked of twin and kernel; refusals, and what files may not say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engines import Engine
from tests.games.chess import engines as c
from tests.games.chess.engines import at, begin, rules
from tests.games.chess.test_kernel import ATOMIC, PLACED, PLAY_ON, SMALL, ZH
from tests.test_drawings import derived, loaded, told
from workbench.engine import contract
from workbench.games.chess.rules import DECLARATION
from workbench.games.declaration import Setting
from workbench.games.drawings import Drawing, shown
from workbench.positions.game_state import GameState, IllegalMove
from workbench.rules import rulesets
from workbench.rules.settings import find_conflicts

engine = c.engine
pytestmark = pytest.mark.usefixtures("in_the_checkout")

BACK: dict[str, Setting] = {"pawn_extra": "back"}
SIDEWAYS: dict[str, Setting] = {"pawn_extra": "sideways"}
SELF_CAPTURE: dict[str, Setting] = {"self_capture": "any-but-king"}
LATE: dict[str, Setting] = {"castling": "after-move-10"}


def after(settings: Mapping[str, Setting], setup: dict[str, str] | None, *moves: str) -> GameState:
    """A game after these moves."""
    game_state = begin(settings, setup)
    for move in moves:
        game_state.push_text(move)
    return game_state


# --- Castling ---------------------------------------------------------------------------------------------------------


def test_a_wait_for_castling_is_part_of_the_position() -> None:
    settings = rules(LATE | {"repetition": 2})
    rooks = "r3k2r/8/8/8/8/8/8/R3K2R w {} - 0 1"
    there_and_back = ["e1e2", "e8e7", "e2e1", "e7e8"]
    assert after(settings, at(rooks.format("-")), *there_and_back).outcome()[0] == contract.DRAW
    knights = ["g1f3", "g8f6", "f3g1", "f6g8"]
    assert after(settings, None, *knights).outcome()[0] == contract.ONGOING, "castling is four plies nearer"
    late = at("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 30")
    assert after(settings, late, *knights).outcome()[0] == contract.DRAW


def test_a_position_with_a_wait_is_read_back() -> None:
    for plies in range(24):
        game_state = after(rules(LATE), None, *(["g1f3", "g8f6", "f3g1", "f6g8"] * 6)[:plies])
        fen = game_state.notation.position(game_state.rules, game_state.state)
        again = begin(rules(LATE), fen)
        assert np.array_equal(again.state, game_state.state), plies
        assert fen["fen"].split()[5] == str(min(11, plies // 2 + 1))


# --- What goes together ----------------------------------------------------------------------------------------------


NO_SENSE: list[tuple[dict[str, Setting], str]] = [
    ({"castling": "never", "turns": "triple", **c.OTHER_PIECE, **c.KING_AND_ROOK}, "has no effect"),
    (c.SAFE, "turns: triple or balanced"),
    (c.OTHER_PIECE | c.PROGRESSIVE, "turns: triple or balanced"),
    (c.KING_AND_ROOK | c.TRIPLE, "castling_moves"),
    ({"capture": "obligatory", "turns": "triple", **c.SAFE}, "capture: optional"),
    ({"capture": "obligatory", "turns": "triple", **c.OTHER_PIECE}, "same_piece: allowed"),
    ({"capture": "obligatory", **SELF_CAPTURE}, "self_capture: none"),
    (c.ANTICHESS | {"goal": "king"}, "goal: lose-all"),
    ({"goal": "lose-all"}, "king: ordinary"),
    (c.ANTICHESS | {"castling": "standard", "turns": "triple"}, "castling: never"),
    (c.ANTICHESS | {"insufficient_material": "draw"}, "play-on"),
    (c.ANTICHESS | {"capture": "optional", **SELF_CAPTURE}, "self_capture: none"),
]


@pytest.mark.parametrize(("changes", "way_out"), NO_SENSE, ids=str)
def test_what_makes_no_sense_together_is_refused_with_a_way_out(changes: dict[str, Setting], way_out: str) -> None:
    found: list[Any] = list(find_conflicts(DECLARATION, rules(changes)))
    assert any(way_out in conflict.message for conflict in found), found
    assert not list(find_conflicts(DECLARATION, rules(c.ANTICHESS)))


# --- Endings ---------------------------------------------------------------------------------------------------------


def test_the_position_of_a_pawn_at_its_goal_is_read_again() -> None:
    answered = rules({"flag": "P *8; p *1", "flag_when": "end-of-round", **PLAY_ON})
    game_state = begin(answered, at("r7/4P2k/8/8/8/8/5p2/1K6 w - - 0 1"))
    assert "is not promoted" in game_state.why_not("e8=Q")
    game_state.push_text("e8")
    written = game_state.notation.position(game_state.rules, game_state.state)
    assert written["fen"].startswith("r3P3/7k/")
    assert len(begin(answered, written).legal()) == len(game_state.legal())


def test_the_checks_of_a_position_are_set_up_and_written(engine: Engine) -> None:
    settings = rules({"checks_to_win": 3, **PLAY_ON})
    place = {**at("4k3/8/8/8/8/8/8/K6R w - - 0 1"), "checks": "2+0"}
    assert engine.outcome(settings, ["h1h8"], place) == ("first", "checks")
    game_state = begin(settings, {**place, "checks": "1+2"})
    game_state.push_text("h1h8")
    assert game_state.notation.position(game_state.rules, game_state.state)["checks"] == "2+2"
    assert any("White 2, Black 2" in note for note in game_state.board().notes)


def test_a_goal_is_said_in_words(tmp_path: Path) -> None:
    sentence = DECLARATION.toggle("flag").sentence("K *8; kq *1 d* e5")
    assert sentence.endswith("a white king on rank 8; a black queen or black king on rank 1, file d or e5.")
    assert DECLARATION.toggle("flag").sentence("P *8").endswith("rank 8. A pawn is not promoted there.")
    ruleset = loaded(tmp_path, "chess", "flag: 'Kk  d4 e4'", "insufficient_material: play-on")
    assert ruleset.settings["flag"] == "Kk d4 e4"


# --- Drops, explosions, own turns, other arrays --------------------------------------------------------------------


GKR: dict[str, Setting] = {"start_position": "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq"}


def test_a_check_ends_a_turn_of_two_plies(engine: Engine) -> None:
    settings = rules({"turns": "double"})
    assert engine.seat(settings, ["e2e4"]) == "first"
    assert engine.seat(settings, ["e2e4", "d1h5"]) == "second"
    assert engine.seat(settings, ["e2e4", "a2a3", "f7f6", "a7a6", "d1h5"]) == "second"
    # A pawn of the first ply cannot be captured en passant any more.
    passing = at("4k3/8/8/8/3p4/8/P3P3/4K3 w - - 0 1", "2/1")
    assert "d4e3" in engine.legal(settings, ["a2a3", "e2e4"], passing)
    assert "d4e3" not in engine.legal(settings, ["e2e4", "a2a3"], passing)


def test_castling_of_another_array_goes_to_the_rook(engine: Engine) -> None:
    settings = rules({"start_position": "4k3/8/8/8/8/8/8/1R3KR1 w GB"})
    assert {"f1g1", "f1b1"} <= engine.legal(settings)
    assert c.fen(engine, settings, ["f1g1"]) == "4k3/8/8/8/8/8/8/1R3RK1 b"
    assert c.fen(engine, settings, ["f1b1"]) == "4k3/8/8/8/8/8/8/2KR2R1 b"
    game_state = begin(settings)
    assert {"O-O", "O-O-O"} <= set(game_state.legal_texts())
    game_state.push_text("O-O")
    assert game_state.texts == ["O-O"]


def test_the_same_rules_have_the_same_fingerprint() -> None:
    orthodox = rulesets.load_ruleset("chess/orthodox").fingerprint
    assert derived("chess", promotion_to="NBRQ").fingerprint == orthodox
    assert derived("chess", pawn_moves="fcFfmW").fingerprint == orthodox
    assert derived("chess", knight_moves="N/N").fingerprint == orthodox
    array = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w"
    assert derived("chess", start_position=f"{array} HAha").fingerprint == orthodox


def test_rules_are_said_in_words(tmp_path: Path) -> None:
    def sentence(name: str, text: str) -> str:
        return str(DECLARATION.toggle(name).sentence(text))

    assert sentence("promotion_to", "RBN") == "A promoted pawn becomes a knight, bishop or rook."
    assert sentence("extinction", "PNB k1").endswith(
        "white pawn, white knight and white bishop: none; black king: 1 or fewer."
    )
    assert "White's leap" in sentence("knight_moves", "N/NC") and "Black's leap" in sentence("knight_moves", "N/NC")
    assert loaded(tmp_path, "chess", "extinction: 'q   r1'", "insufficient_material: play-on").settings[
        "extinction"
    ] == ("q r1")


def test_a_small_board_is_drawn() -> None:
    toggle = DECLARATION.toggle("start_position")
    assert isinstance(toggle, Drawing)
    drawn = shown("chess", toggle, {**rules(), "start_position": SMALL})
    assert (len(drawn.board.rows), drawn.board.columns) == (6, tuple("abcde"))
    board: Any = begin(rules({"start_position": SMALL})).board()
    assert board.rows == drawn.board.rows and board.cells == drawn.board.cells and board.shaded == drawn.board.shaded


@pytest.mark.parametrize(
    ("changes", "fen", "text", "reason"),
    [
        (ZH, "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1", "P@e8", "is occupied"),
        (ZH, "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1", "P@a1", "may not be dropped on the first or last rank"),
        (ZH, "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1", "N@a3", "There is no knight in hand"),
        ({}, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "N@a3", "may not be dropped"),
        (PLACED, "8/pppppppp/8/8/8/8/PPPPPPPP/2B5[KBk] w - - 0 1", "K@e3", "on the player's own first rank"),
        (PLACED, "8/pppppppp/8/8/8/8/PPPPPPPP/2B5[KBk] w - - 0 1", "B@e1", "on alternating colours"),
        (PLACED, "8/pppppppp/8/8/8/8/PPPPPPPP/2B5[KBk] w - - 0 1", "e2e4", "must first place one"),
        (ATOMIC, "4k3/8/8/8/8/8/3p4/4K3 w - - 0 1", "e1d2", "blow up their own king"),
        (ATOMIC, "k3r3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e1a5", "does not move like that"),
        ({"giving_check": "forbidden"}, "4k3/8/8/8/8/8/8/K6R w - - 0 1", "h1h8", "may not give check"),
        ({"promotion_to": "RBN"}, "7k/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "cannot become a queen"),
        ({"pawn_moves": "fmFfcW"}, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e3", "only to capture"),
        ({"giving_check": "forbidden"}, "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "e1d2", ""),
        ({}, "4k3/8/8/8/8/8/4K3/R3r2R w - - 0 1", "O-O", "king or rook has moved"),
        ({}, "r1b1k2r/8/8/8/8/8/4K3/R4B1R b kq - 0 1", "0-0-0", "c8 is occupied"),
        ({"king": "capture"}, "4k3/8/8/8/8/4r3/8/4KB1R w K - 0 1", "O-O", "f1 is occupied"),
        (GKR, "6kr/8/8/8/8/8/8/5RKR w KQk - 0 1", "O-O", "f1 is occupied"),
        (GKR, "6kr/8/8/8/8/8/8/5RKR w KQk - 0 1", "g1h1", "f1 is occupied"),
        (GKR, "6kr/8/8/8/8/8/8/5RK1 w Qk - 0 1", "O-O", "king or rook has moved"),
        (GKR, "6kr/8/8/8/8/8/8/5RK1 b Qk - 0 1", "O-O-O", "king or rook has moved"),
        (GKR, "6kr/8/2r5/8/8/8/8/5RK1 w Qk - 0 1", "O-O-O", "c1 is attacked"),
        (GKR, "6kr/8/4r3/8/8/8/8/5RK1 w Qk - 0 1", "g1f1", "e1 is attacked"),
        (GKR, "6kr/8/6r1/8/8/8/8/5RK1 w Qk - 0 1", "O-O-O", "out of check"),
        (GKR, "6kr/8/8/8/8/8/6K1/5R2 w k - 0 1", "O-O-O", "king or rook has moved"),
        (GKR | {"giving_check": "forbidden"}, "3k3r/8/8/8/8/8/8/5RK1 w Q - 0 1", "O-O-O", "may not give check"),
        (GKR | {"castling": "after-move-10"}, "6kr/8/8/8/8/8/8/5RK1 w Q - 0 3", "O-O-O", "from move 11 on"),
        ({"castling": "never"}, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", "Castling is not allowed."),
        (LATE, "4k3/8/8/8/8/8/8/4K2R w K - 0 4", "O-O", "White may castle only from move 11 on, and this is move 4."),
        ({"pawn_double_step": "never"}, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", "Pawns move only one square."),
        ({"pawn_double_step": "second-and-third"}, "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "e4e6", "second or third"),
        ({}, "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "e4d4", "A pawn cannot step sideways."),
        (BACK, "4k3/8/8/8/8/8/4P3/3K4 w - - 0 1", "e2e1", "A pawn never steps back to its first rank."),
        (SIDEWAYS, "4k3/8/8/8/3pP3/8/8/4K3 w - - 0 1", "e4d4", "A pawn cannot capture sideways: d4 is occupied."),
        (c.ANTICHESS, "8/8/8/3p4/4P3/8/8/8 w - - 0 1", "e4e5", "White must capture, for example with e4d5."),
        (SELF_CAPTURE, "4k3/8/8/8/8/8/8/3RK3 w - - 0 1", "d1e1", "e1 is occupied by White's king."),
        ({}, "8/4P3/8/8/8/k7/8/4K3 w - - 0 1", "e8=K", "A pawn cannot become a king now."),
        ({"rook_moves": "R4"}, "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a6", "a rook does not move like that"),
        ({"queen_moves": "QN"}, "4k3/8/8/8/3P4/8/3Q4/4K3 w - - 0 1", "d2d5", "cannot move past the piece on d4"),
        ({"rook_moves": "mRcB"}, "4k3/8/8/8/n7/8/8/R3K3 w - - 0 1", "a1a4", "only if it is empty"),
        ({"rook_moves": "mRcB"}, "4k3/8/8/8/n7/8/8/R3K3 w - - 0 1", "a1b2", "only to capture"),
        ({"knight_moves": "NN", **PLAY_ON}, "7k/8/5n2/8/4B3/8/3K4/8 w - - 0 1", "e4d5", "is pinned"),
        ({"knight_moves": "NN", **PLAY_ON}, "7k/8/5n2/8/8/8/3K4/8 w - - 0 1", "d2e4", "does not move like that"),
    ],
)
def test_why_a_move_is_not_legal(changes: dict[str, Setting], fen: str, text: str, reason: str) -> None:
    game_state = begin(rules(changes), at(fen))
    if reason:
        with pytest.raises(IllegalMove, match=reason):
            game_state.push_text(text)
    else:
        assert game_state.why_not(text)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["pawn_moves: mWcF"], "pawns that only move forward"),
        (["pawn_moves: fmFfcW", "pawn_extra: back"], "pawn_extra: none, since pawn_moves"),
        (["pawn_moves: fmFfcW", "turns: triple"], "turns: single with pawn_moves"),
        (["promotion_to: RR"], "each letter once"),
        (["promotion_to: QK"], "no K, since"),
        (["drops: captured"], "insufficient_material: play-on"),
        (["drops: captured", "turns: triple", "insufficient_material: play-on"], "moving enemy pieces"),
        (["drops: placement", "castling: after-move-10"], "no rule states how these two combine"),
        (["start_position: 4k3/pppp4/8/8/8/8/PPPP4/4K3 b -", "swap: after-first"], "who moves first"),
        (["start_position: 4k3/pppp4/8/8/8/8/PPPP4/4K3 b -", "draw_value: 0"], "who moves first"),
        (["start_position: rnbqkkbqnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNBQKKBQNR w -"], "at most 8 files and ranks"),
        (["extinction: kK", "insufficient_material: play-on"], "pieces of one colour such as PNBRQ"),
        (["extinction: N2", "insufficient_material: play-on"], "more of N at the start"),
        (["extinction_result: win"], "extinction_result has no effect without extinction"),
        (["start_position: rnbqk/ppppp/5/PPPPP/RNBQK w KQ"], "boards other than"),
        (["start_position: 4k3/8/8/8/8/8/8/R3KR1R w HF"], "one castling rook on each side"),
        (["flag: Kk d9"], "expected pieces and squares such as Kk d4 e4 d5 e5"),
        (["flag: K e1"], "squares on which no such piece starts, found K e1"),
        (["flag: Kk e4"], "insufficient_material: play-on, since"),
        (["flag: P *8"], "insufficient_material: play-on, since"),
        (["flag_when: end-of-round"], "flag_when has no effect without flag"),
        (["checks_to_win: 3"], "even with few pieces: write insufficient_material: play-on"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, lines: list[str], message: str) -> None:
    assert message in told(tmp_path, "chess", *lines)[2]
