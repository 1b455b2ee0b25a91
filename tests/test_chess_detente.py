"""Detente, a rule of the 007 family of chess, asked of every engine that plays it: which pieces it protects and binds.

Source: Edward Jackman, 007 Chess, 1995 (Japanese translation: Katsutoshi Seki).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests import chess_engines as c
from tests.chess_engines import Engine, at, begin, origins, rules
from tests.engines import ONGOING, Settings
from tests.naive import chess as twin
from workbench.errors import InputError
from workbench.files.project import Project
from workbench.games.declaration import Setting
from workbench.games.game_state import IllegalMove
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


def test_other_enemy_pieces_are_not_safe(engine: Engine) -> None:
    setup = at("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "3/2")
    assert "e4d5" in engine.legal(rules(c.TRIPLE, c.SAFE), ["a7a6"], setup)
    # With the first and the second ply everything may be captured.
    assert "d5e4" in engine.legal(rules(c.TRIPLE, c.SAFE), setup=setup)
    first = at("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1", "3/1")
    assert "e4d5" in engine.legal(rules(c.TRIPLE, c.SAFE), setup=first)


def test_enemy_piece_that_has_captured_is_safe(engine: Engine) -> None:
    setup = at("4k3/8/8/8/1p6/8/P7/1N2K3 w - - 0 1", "3/1")
    moves = ["a2a3", "b4a3"]
    assert "b1a3" in engine.legal(rules(c.TRIPLE), moves, setup)
    assert "b1a3" not in engine.legal(rules(c.TRIPLE, c.SAFE), moves, setup)


def test_moved_enemy_pawn_is_safe_from_en_passant(engine: Engine) -> None:
    setup = at("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "3/2")
    free = engine.legal(rules(c.TRIPLE), ["d7d5"], setup)
    assert {"e5d6", "e5e6"} <= free
    assert engine.legal(rules(c.TRIPLE, c.SAFE), ["d7d5"], setup) == free - {"e5d6"}
    # Black's player may choose it, with the first ply of the next run's pieces.
    other = at("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "3/1")
    assert "e5d6" in engine.legal(rules(c.TRIPLE, c.SAFE), ["d7d5"], other)


def test_square_behind_a_moved_pawn_is_not_safe(engine: Engine) -> None:
    # The pawn on d6 has not moved; d7 has, past another file.
    setup = at("4k3/5p2/3p4/4P3/8/8/8/4K3 b - - 0 1", "3/2")
    legal = engine.legal(rules(c.TRIPLE, c.SAFE), ["f7f5"], setup)
    assert "e5d6" in legal and "e5f6" not in legal


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


def test_promoted_enemy_pawn_is_safe(engine: Engine) -> None:
    setup = at("4k3/8/8/8/8/8/p7/2R1K3 b - - 0 1", "3/2")
    assert "c1a1" in engine.legal(rules(c.TRIPLE), ["a2a1n"], setup)
    assert "c1a1" not in engine.legal(rules(c.TRIPLE, c.SAFE), ["a2a1n"], setup)
    owner = rules(c.TRIPLE, c.SAFE, c.OWNER)
    assert "c1a1" not in engine.legal(owner, ["a2a1", "=n"], setup)


def test_detente_may_leave_a_mate(engine: Engine) -> None:
    # White's player has the rook give check; only the bishop could take it.
    setup = at("r3k3/8/5B2/8/8/8/6PP/7K b - - 0 1", "3/2")
    assert engine.legal(rules(c.TRIPLE), ["a8a1"], setup) == {"f6a1"}
    assert engine.outcome(rules(c.TRIPLE), ["a8a1"], setup) == ONGOING
    assert engine.legal(rules(c.TRIPLE, c.SAFE), ["a8a1"], setup) == set()
    assert engine.outcome(rules(c.TRIPLE, c.SAFE), ["a8a1"], setup) == ("second", "mate")


@pytest.mark.parametrize(("stalemate", "result"), [("draw", "draw"), ("loss", "second"), ("win", "first")])
def test_detente_may_leave_a_stalemate(engine: Engine, stalemate: str, result: str) -> None:
    # White's player moves the rook next to the king, who could only take it.
    setup = at("7k/1r6/8/8/8/8/8/K7 b - - 0 1", "3/2")
    assert engine.legal(rules(c.TRIPLE), ["b7b2"], setup) == {"a1b2"}
    settings = rules(c.TRIPLE, c.SAFE, {"stalemate": stalemate})
    assert engine.outcome(settings, ["b7b2"], setup) == (result, "stalemate")


# --- Detente, rule 2: another piece than before -----------------------------------------------------------------------


def test_third_ply_moves_another_piece_than_the_first(engine: Engine) -> None:
    moves = ["g1f3", "a7a6"]
    free = engine.legal(rules(c.TRIPLE), moves)
    assert {"f3e5", "f3g1"} <= free
    assert engine.legal(rules(c.TRIPLE, c.OTHER_PIECE), moves) == {move for move in free if not move.startswith("f3")}
    # The same piece may move in the next run, where it is the other player's second ply, and after.
    assert "f3e5" in engine.legal(rules(c.TRIPLE, c.OTHER_PIECE), [*moves, "a2a3", "b7b6"])


def test_rule_2_binds_both_players(engine: Engine) -> None:
    moves = ["a2a3", "a7a6", "b2b3", "g8f6", "c2c3"]
    assert "f6" not in origins(engine.legal(rules(c.TRIPLE, c.OTHER_PIECE), moves))
    assert "f6" in origins(engine.legal(rules(c.TRIPLE), moves))


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


def test_capture_that_rule_1_forbids_forces_the_same_piece(engine: Engine) -> None:
    # The king could only take the rook; the knight has moved.
    setup = at("7k/1r6/8/8/8/8/7N/K7 w - - 0 1", "3/1")
    moves = ["h2f3", "b7b2"]
    assert engine.legal(rules(c.TRIPLE, c.OTHER_PIECE), moves, setup) == {"a1b2"}
    legal = engine.legal(rules(c.DETENTE), moves, setup)
    assert legal and origins(legal) == {"f3"}


def test_castling_moves_the_king(engine: Engine) -> None:
    setup = at("4k3/p7/8/8/8/8/8/R3K2R w KQ - 0 1", "3/1")
    assert origins(engine.legal(rules(c.DETENTE), ["e1g1", "a7a6"], setup)) == {"a1", "f1"}
    assert origins(engine.legal(rules(c.DETENTE), ["e1c1", "a7a6"], setup)) == {"h1", "d1"}
    black = at("r3k2r/8/8/8/8/8/P7/4K3 b kq - 0 1", "3/1")
    assert origins(engine.legal(rules(c.DETENTE), ["e8c8", "a2a3"], black)) == {"h8", "d8"}


def test_castling_moves_king_and_rook(engine: Engine) -> None:
    settings = rules(c.DETENTE, c.KING_AND_ROOK)
    setup = at("4k3/p7/8/8/8/8/8/R3K2R w KQ - 0 1", "3/1")
    assert origins(engine.legal(settings, ["e1g1", "a7a6"], setup)) == {"a1"}
    assert origins(engine.legal(settings, ["e1c1", "a7a6"], setup)) == {"h1"}
    alone = at("4k3/p7/8/8/8/8/8/4K2R w K - 0 1", "3/1")
    assert origins(engine.legal(settings, ["e1g1", "a7a6"], alone)) == {"f1", "g1"}
    black = at("r3k2r/8/8/8/8/8/P7/4K3 b kq - 0 1", "3/1")
    assert origins(engine.legal(settings, ["e8c8", "a2a3"], black)) == {"h8"}


def test_castling_with_the_other_rook_is_another_piece(engine: Engine) -> None:
    setup = at("4k3/p7/8/8/8/8/8/R3K2R w KQ - 0 1", "3/1")
    legal = engine.legal(rules(c.DETENTE), ["a1a2", "a7a6"], setup)
    assert "e1g1" in legal and origins(legal) == {"e1", "h1"}


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


def test_rook_that_has_castled_and_was_captured_leaves_the_king_bound(engine: Engine) -> None:
    setup = at("4kr2/8/8/8/8/8/P7/4K2R w K - 0 1", "3/1")
    settings = rules(c.TRIPLE, c.OTHER_PIECE, c.KING_AND_ROOK, c.TAKE_KINGS)
    legal = engine.legal(settings, ["e1g1", "f8f1"], setup)
    assert legal == {"a2a3", "a2a4"}


def test_promoted_pawn_is_still_the_same_piece(engine: Engine) -> None:
    setup = at("8/P7/8/8/8/k7/7P/4K3 w - - 0 1", "3/1")
    legal = engine.legal(rules(c.DETENTE), ["a7a8n", "a3b3"], setup)
    assert origins(legal) == {"e1", "h2"}


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


def test_detente_perft() -> None:
    def leaves(settings: Settings, position: twin.Position, depth: int) -> int:
        legal = twin.legal_moves(settings, position)
        if depth == 1:
            return len(legal)
        return sum(leaves(settings, twin.play(settings, position, move), depth - 1) for move in legal)

    # Of the 8,902 lines 34 capture, with the third ply, what the second has moved.
    assert leaves(rules(), twin.start(rules()), 3) == 8902
    assert leaves(rules(c.BALANCED_DETENTE), twin.start(rules(c.BALANCED_DETENTE)), 3) == 8868
    assert leaves(rules(c.DETENTE), twin.start(rules(c.DETENTE)), 3) == 8242
    # Rooks may move after castling, or not.
    kiwipete = at("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "3/1")
    for settings, count in ((rules(c.DETENTE), 86640), (rules(c.DETENTE, c.KING_AND_ROOK), 86339)):
        assert leaves(settings, twin.from_setup(settings, kiwipete), 3) == count


# --- What a player is told --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "forbidden", "setup"),
    [
        ("e4 d5", "exd5", None),
        ("Nf3 a6", "Ne5", None),
        ("d5", "exd6", at("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "3/2")),
        ("d5", "e5d6", at("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "3/2")),
    ],
)
def test_a_move_that_detente_forbids_is_refused_with_the_rule(
    moves: str, forbidden: str, setup: dict[str, str] | None
) -> None:
    game_state = begin(rules(c.DETENTE), setup)
    for move in moves.split():
        game_state.push_text(move)
    with pytest.raises(IllegalMove, match="Detente"):
        game_state.push_text(forbidden)


# --- Rules that make no sense together --------------------------------------------------------------------------------


def refused(folder: Path, *settings: Mapping[str, Setting]) -> str:
    """What is said of a ruleset file with these settings."""
    file = folder / "rulesets" / "chess" / "mine.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    written = {toggle: value for change in settings for toggle, value in change.items()}
    file.write_text(yaml.safe_dump({"game": "chess", "title": "mine", "rules": written}), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        rulesets.load_ruleset("chess/mine", Project(folder))
    return str(caught.value)


@pytest.mark.parametrize("toggle", [c.SAFE, c.OTHER_PIECE], ids=str)
@pytest.mark.parametrize("turns", [{}, c.PROGRESSIVE], ids=str)
def test_detente_is_refused_without_runs_of_three(
    tmp_path: Path, toggle: dict[str, Setting], turns: dict[str, Setting]
) -> None:
    message = refused(tmp_path, toggle, turns)
    assert "mine.yaml" in message and "turns: triple or balanced" in message
    assert next(iter(toggle)) in message


@pytest.mark.parametrize("turns", [{}, c.TRIPLE, c.PROGRESSIVE], ids=str)
def test_what_castling_moves_is_refused_where_it_does_nothing(tmp_path: Path, turns: dict[str, Setting]) -> None:
    assert "castling_moves" in refused(tmp_path, c.KING_AND_ROOK, turns)
