"""Proposed changes of chess: what each is, asked of twin and kernel; refusals, and what files may not say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.games.chess import engines as c
from tests.games.chess.engines import at, begin, rules
from tests.games.chess.test_kernel import ATOMIC, PLACED, PLAY_ON, SMALL, ZH
from tests.test_drawings import derived, loaded, told
from workbench.games.chess.rules import DECLARATION
from workbench.games.declaration import Setting
from workbench.games.drawings import Drawing, shown
from workbench.positions.game_state import IllegalMove
from workbench.rules import rulesets
from workbench.rules.settings import find_conflicts

pytestmark = pytest.mark.usefixtures("in_the_checkout")

BACK: dict[str, Setting] = {"pawn_extra": "back"}
SIDEWAYS: dict[str, Setting] = {"pawn_extra": "sideways"}
SELF_CAPTURE: dict[str, Setting] = {"self_capture": "any-but-king"}
LATE: dict[str, Setting] = {"castling": "after-move-10"}


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


def test_the_position_of_a_pawn_at_its_goal_is_read_again() -> None:
    answered = rules({"flag": "P *8; p *1", "flag_when": "end-of-round", **PLAY_ON})
    game_state = begin(answered, at("r7/4P2k/8/8/8/8/5p2/1K6 w - - 0 1"))
    assert "is not promoted" in game_state.why_not("e8=Q")
    game_state.push_text("e8")
    written = game_state.notation.position(game_state.rules, game_state.state)
    assert written["fen"].startswith("r3P3/7k/")
    assert len(begin(answered, written).legal()) == len(game_state.legal())


GKR: dict[str, Setting] = {"start_position": "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq"}


def test_the_same_rules_have_the_same_fingerprint() -> None:
    orthodox = rulesets.load_ruleset("chess/orthodox").fingerprint
    assert derived("chess", promotion_to="NBRQ").fingerprint == orthodox
    assert derived("chess", pawn_moves="fcFfmW").fingerprint == orthodox
    assert derived("chess", knight_moves="N/N").fingerprint == orthodox
    array = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w"
    assert derived("chess", start_position=f"{array} HAha").fingerprint == orthodox


def test_rules_are_said_in_words(tmp_path: Path) -> None:
    sentence = DECLARATION.toggle("extinction").sentence("PNB k1")
    assert sentence.endswith("white pawn, white knight and white bishop: none; black king: 1 or fewer.")
    sentence = DECLARATION.toggle("knight_moves").sentence("N/NC")
    assert "White's leap" in sentence and "Black's leap" in sentence
    ruleset = loaded(tmp_path, "chess", "extinction: 'q   r1'", "insufficient_material: play-on")
    assert ruleset.settings["extinction"] == "q r1"


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
        (PLACED, "8/pppppppp/8/8/8/8/PPPPPPPP/2B5[KBk] w - - 0 1", "e2e4", "must place one first"),
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
        (GKR, "6kr/8/8/8/8/8/8/5RK1 b Qk - 0 1", "O-O-O", "king or rook has moved"),
        (GKR, "6kr/8/2r5/8/8/8/8/5RK1 w Qk - 0 1", "O-O-O", "c1 is attacked"),
        (GKR, "6kr/8/4r3/8/8/8/8/5RK1 w Qk - 0 1", "g1f1", "e1 is attacked"),
        (GKR, "6kr/8/6r1/8/8/8/8/5RK1 w Qk - 0 1", "O-O-O", "out of check"),
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
