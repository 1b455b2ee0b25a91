"""Detente, a rule of the 007 family of chess, asked of every engine that plays it: which pieces it protects and binds.

Source: Edward Jackman, 007 Chess, 1995 (Japanese translation: Katsutoshi Seki).
"""

from __future__ import annotations

from tests import chess_engines as c
from tests.chess_engines import at, origins, rules
from tests.engines import ONGOING, Engine
from workbench.questions import rulesets

engine = c.engine


# --- Detente, rule 1: the enemy piece that was moved is safe ----------------------------------------------------------


def test_moved_enemy_piece_is_safe(engine: Engine) -> None:
    moves = ["e2e4", "d7d5"]
    free = engine.legal(rules(c.TRIPLE), moves)
    assert "e4d5" in free
    assert engine.legal(rules(c.TRIPLE, c.SAFE), moves) == free - {"e4d5"}
    # It is safe in its own run only: Black's player may have it captured with the next run's second ply.
    assert "e4d5" in engine.legal(rules(c.TRIPLE, c.SAFE), [*moves, "a2a3", "a7a6"])


def test_moved_enemy_pawn_is_safe_from_en_passant(engine: Engine) -> None:
    setup = at("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "3/2")
    free = engine.legal(rules(c.TRIPLE), ["d7d5"], setup)
    assert {"e5d6", "e5e6"} <= free
    assert engine.legal(rules(c.TRIPLE, c.SAFE), ["d7d5"], setup) == free - {"e5d6"}
    # Black's player may choose it, with the first ply of the next run's pieces.
    other = at("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "3/1")
    assert "e5d6" in engine.legal(rules(c.TRIPLE, c.SAFE), ["d7d5"], other)


def test_castled_king_is_safe_and_its_rook_where_castling_moves_both(engine: Engine) -> None:
    # In chess nothing attacks a rook that has just castled; it takes castling across attacked squares.
    settings = rules(c.TRIPLE, c.TAKE_KINGS)
    setup = at("4k2r/8/8/8/8/8/8/4KRR1 b k - 0 1", "3/2")
    attacks = {"f1f8", "g1g8"}
    assert attacks & engine.legal(settings, ["e8g8"], setup) == attacks
    assert attacks & engine.legal(settings | c.SAFE, ["e8g8"], setup) == {"f1f8"}
    assert attacks & engine.legal(settings | c.SAFE | c.KING_AND_ROOK, ["e8g8"], setup) == set()
    # Had the king walked, the rook that stayed would not be safe.
    walked = at("4k2r/8/8/8/8/8/8/4KR1R b k - 0 1", "3/2")
    assert "h1h8" in engine.legal(settings | c.SAFE | c.KING_AND_ROOK, ["e8f8"], walked)


def test_detente_may_leave_a_mate(engine: Engine) -> None:
    # White's player has the rook give check; only the bishop could take it.
    setup = at("r3k3/8/5B2/8/8/8/6PP/7K b - - 0 1", "3/2")
    assert engine.legal(rules(c.TRIPLE), ["a8a1"], setup) == {"f6a1"}
    assert engine.outcome(rules(c.TRIPLE), ["a8a1"], setup) == ONGOING
    assert engine.legal(rules(c.TRIPLE, c.SAFE), ["a8a1"], setup) == set()
    assert engine.outcome(rules(c.TRIPLE, c.SAFE), ["a8a1"], setup) == ("second", "mate")


# --- Detente, rule 2: another piece than before -----------------------------------------------------------------------


def test_third_ply_moves_another_piece_than_the_first(engine: Engine) -> None:
    moves = ["g1f3", "a7a6"]
    free = engine.legal(rules(c.TRIPLE), moves)
    assert {"f3e5", "f3g1"} <= free
    assert engine.legal(rules(c.TRIPLE, c.OTHER_PIECE), moves) == {move for move in free if not move.startswith("f3")}
    # The same piece may move in the next run, where it is the other player's second ply, and after.
    assert "f3e5" in engine.legal(rules(c.TRIPLE, c.OTHER_PIECE), [*moves, "a2a3", "b7b6"])


def test_same_piece_may_move_if_no_other_can(engine: Engine) -> None:
    alone = at("4k3/p7/8/8/8/8/8/4K3 w - - 0 1", "3/1")
    forced = engine.legal(rules(c.DETENTE), ["e1e2", "a7a6"], alone)
    assert forced == engine.legal(rules(c.TRIPLE), ["e1e2", "a7a6"], alone) and len(forced) == 8
    with_pawn = at("4k3/p7/8/8/8/8/P7/4K3 w - - 0 1", "3/1")
    assert engine.legal(rules(c.DETENTE), ["e1e2", "a7a6"], with_pawn) == {"a2a3", "a2a4"}
    blocked = at("4k3/8/p7/P7/8/8/8/4K3 w - - 0 1", "3/1")
    assert origins(engine.legal(rules(c.DETENTE), ["e1e2", "e8e7"], blocked)) == {"e2"}


def test_same_piece_may_move_if_only_it_ends_a_check(engine: Engine) -> None:
    setup = at("4k2r/8/8/8/8/8/P7/4K3 w - - 0 1", "3/1")
    legal = engine.legal(rules(c.DETENTE), ["e1e2", "h8h2"], setup)
    assert legal and origins(legal) == {"e2"}
    # A rook that can come between must.
    rook = at("4k2r/8/8/8/8/R7/P7/4K3 w - - 0 1", "3/1")
    assert engine.legal(rules(c.DETENTE), ["e1d2", "h8h2"], rook) >= {"d2c1"}
    between = at("4k2r/8/8/8/5R2/8/P7/4K3 w - - 0 1", "3/1")
    assert engine.legal(rules(c.DETENTE), ["e1d2", "h8h2"], between) == {"f4f2"}


def test_castling_moves_king_and_rook(engine: Engine) -> None:
    settings = rules(c.DETENTE, c.KING_AND_ROOK)
    setup = at("4k3/p7/8/8/8/8/8/R3K2R w KQ - 0 1", "3/1")
    assert origins(engine.legal(settings, ["e1g1", "a7a6"], setup)) == {"a1"}
    assert origins(engine.legal(settings, ["e1c1", "a7a6"], setup)) == {"h1"}
    alone = at("4k3/p7/8/8/8/8/8/4K2R w K - 0 1", "3/1")
    assert origins(engine.legal(settings, ["e1g1", "a7a6"], alone)) == {"f1", "g1"}
    black = at("r3k2r/8/8/8/8/8/P7/4K3 b kq - 0 1", "3/1")
    assert origins(engine.legal(settings, ["e8c8", "a2a3"], black)) == {"h8"}


def test_captured_piece_forbids_nothing(engine: Engine) -> None:
    setup = at("4k3/8/8/8/1p6/8/P7/1N2K3 w - - 0 1", "3/1")
    moves = ["b1c3", "b4c3"]
    assert engine.legal(rules(c.DETENTE), moves, setup) == engine.legal(rules(c.TRIPLE), moves, setup)
    # En passant.
    passed = at("4k3/8/8/8/1p6/8/P7/1N2K3 w - - 0 1", "3/1")
    moves = ["a2a4", "b4a3"]
    free = engine.legal(rules(c.TRIPLE), moves, passed)
    assert engine.legal(rules(c.TRIPLE, c.OTHER_PIECE), moves, passed) == free
    assert engine.legal(rules(c.DETENTE), moves, passed) == free - {"b1a3"}


def test_run_of_two_in_balanced_is_second_and_third_ply(engine: Engine) -> None:
    settings = rules(c.BALANCED_DETENTE)
    legal = engine.legal(settings, ["e2e4", "d7d5"])
    # Rule 1 binds; rule 2 does not, for it was Black's player who moved the pawn.
    assert "e4d5" not in legal and "e4e5" in legal
    assert "e4d5" in engine.legal(settings, ["e2e4", "d7d5", "a2a3", "a7a6"])
    # From the third run on both bind.
    moves = ["e2e4", "h7h6", "g1f3", "d7d5", "e4d5"]
    assert {"d8d5", "g8f6"} <= engine.legal(rules(c.BALANCED), moves)
    assert not {"d8d5", "d5d4"} & engine.legal(settings, moves)
    assert "d5d4" in engine.legal(rules(c.BALANCED), ["e2e4", "h7h6", "g1f3", "d7d5", "a2a3"])
    assert "d5d4" not in engine.legal(settings, ["e2e4", "h7h6", "g1f3", "d7d5", "a2a3"])


def test_the_rule_book_of_balanced_detente_speaks_of_the_turn_of_two() -> None:
    for name in ("007-detente", "007-balanced-detente"):
        said = "the second of the turn of two with which White's player begins in Balanced 007"
        assert said in "\n".join(rulesets.load_ruleset(f"chess/{name}").text())
