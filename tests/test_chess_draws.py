"""What the 007 family keeps of chess, asked of every engine that plays it: draws, castling, en passant."""

from __future__ import annotations

import pytest

from tests import chess_engines as c
from tests.chess_engines import at, rules
from tests.engines import ONGOING, Engine, Outcome
from workbench.questions import rulesets

engine = c.engine


# --- Draws ------------------------------------------------------------------------------------------------------------


def test_third_occurrence_is_a_draw(engine: Engine) -> None:
    moves = c.SHUFFLE * 2
    for ply in range(8):
        assert engine.outcome(rules(), moves[:ply]) == ONGOING
    assert engine.outcome(rules(), moves) == ("draw", "repetition")


@pytest.mark.parametrize(("turns", "plies"), [("triple", 24), ("balanced", 27)])
def test_place_in_the_run_is_part_of_the_position(engine: Engine, turns: str, plies: int) -> None:
    # The board comes back every 4 plies, the place in the run and the player every 6 (in Balanced from ply 4 on).
    moves = (c.SHUFFLE * 7)[:plies]
    assert engine.outcome(rules({"turns": turns}), moves[:-1]) == ONGOING
    assert engine.outcome(rules({"turns": turns}), moves) == ("draw", "repetition")


def test_castling_rights_are_part_of_the_position(engine: Engine) -> None:
    fen = "4k3/p7/8/8/8/8/8/4K2R w {} - 0 1"
    moves = ["h1h2", "e8d8", "h2h1", "d8e8"]
    twice = rules({"repetition": 2})
    assert engine.outcome(twice, moves, at(fen.format("K"))) == ONGOING
    assert engine.outcome(twice, moves, at(fen.format("-"))) == ("draw", "repetition")


@pytest.mark.parametrize(
    ("fen", "outcome"),
    [
        # Nobody can capture on e3: the square does not count.
        ("4k3/8/8/8/8/8/4P3/4K2N w - - 0 1", ("draw", "repetition")),
        # The pawn on d4 can, once.
        ("4k3/8/8/8/3p4/8/4P3/4K2N w - - 0 1", ONGOING),
        # It is pinned by the rook on d1.
        ("3k4/8/8/8/3p4/8/4P3/3RK2N w - - 0 1", ("draw", "repetition")),
    ],
)
def test_en_passant_is_part_of_the_position_where_it_is_legal(engine: Engine, fen: str, outcome: Outcome) -> None:
    king = fen.partition("k")[0]
    home, step = ("e8", "e7") if king == "4" else ("d8", "d7")
    moves = ["e2e4", home + step, "h1g3", step + home, "g3h1"]
    assert engine.outcome(rules({"repetition": 2}), moves, at(fen)) == outcome


def test_en_passant_of_a_pinned_pawn_counts_where_kings_are_captured(engine: Engine) -> None:
    setup = at("3k4/8/8/8/3p4/8/4P3/3RK2N w - - 0 1")
    moves = ["e2e4", "d8d7", "h1g3", "d7d8", "g3h1"]
    assert engine.outcome(rules(c.TAKE_KINGS, {"repetition": 2}), moves, setup) == ONGOING


def test_piece_moved_with_the_first_ply_is_part_of_the_position(engine: Engine) -> None:
    # The same board twice at the second ply of a run: reached by the king, then by the rook.
    setup = at("7k/8/8/8/8/8/8/R3K3 w - - 0 1", "3/1")
    moves = ["e1e2", "h8g8", "a1a2", "g8g7", "a2a3", "g7h8", "a3a1"]
    twice = rules(c.TRIPLE, {"repetition": 2})
    assert engine.outcome(twice, moves, setup) == ("draw", "repetition")
    assert engine.outcome(twice | c.OTHER_PIECE, moves, setup) == ONGOING


def test_safe_piece_is_part_of_the_position(engine: Engine) -> None:
    # The same board twice at the third ply: the rook may be captured, then it may not.
    setup = at("1r5k/8/8/8/8/8/8/1R2K3 w - - 0 1", "3/1")
    moves = ["e1e2", "h8h7", "e2e3", "b8b7", "e3d2", "b7b6", "d2e2", "b6b8"]
    twice = rules(c.TRIPLE, {"repetition": 2})
    assert engine.outcome(twice, moves, setup) == ("draw", "repetition")
    assert engine.outcome(twice | c.SAFE, moves, setup) == ONGOING


def test_hundred_plies_without_capture_or_pawn_move(engine: Engine) -> None:
    setup = at("4k3/8/8/8/8/8/P3r3/4K2R w K - 98 90")
    assert engine.outcome(rules(), ["e1f1"], setup) == ONGOING
    assert engine.outcome(rules(), ["e1f1", "e2e3"], setup) == ("draw", "move-limit")
    assert engine.outcome(rules(), ["e1f1", "e2a2"], setup) == ONGOING
    assert engine.outcome(rules({"move_limit": 0}), ["e1f1", "e2e3"], setup) == ONGOING
    assert engine.outcome(rules({"move_limit": 99}), ["e1f1"], setup) == ("draw", "move-limit")
    pawn = at("4k3/8/8/8/8/8/P3r3/6K1 w - - 99 90")
    assert engine.outcome(rules(), ["a2a3"], pawn) == ONGOING
    assert engine.outcome(rules(), ["g1f1"], pawn) == ("draw", "move-limit")


def test_mate_on_the_last_ply_counts(engine: Engine) -> None:
    setup = at("6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 90")
    assert engine.outcome(rules(), ["a1a8"], setup) == ("first", "mate")
    stalemate = at("7k/6R1/8/6K1/8/8/8/8 w - - 99 90")
    assert engine.outcome(rules({"stalemate": "loss"}), ["g5g6"], stalemate) == ("first", "stalemate")


def test_move_limit_is_asked_before_repetition(engine: Engine) -> None:
    settings = rules({"repetition": 2, "move_limit": 4})
    assert engine.outcome(settings, c.SHUFFLE) == ("draw", "move-limit")


@pytest.mark.parametrize(
    ("pieces", "draw"),
    [
        ("8/8/4k3/8/8/3K4/8/8", True),
        ("8/8/4k3/8/8/3K4/8/6N1", True),
        ("8/6n1/4k3/8/8/3K4/8/8", True),
        ("8/8/4k3/8/8/3K4/8/6B1", True),
        # Bishops of one square colour: c1, e3, f8 are dark.
        ("5b2/8/4k3/8/8/3K4/8/2B5", True),
        ("5b2/8/4k3/8/8/3KB3/8/2B5", True),
        ("2b5/8/4k3/8/8/3K4/8/2B5", False),
        ("8/8/4k3/8/8/3K4/8/2BB4", False),
        ("8/8/4k3/8/8/3K4/8/5BN1", False),
        ("8/6n1/4k3/8/8/3K4/8/5B2", False),
        ("8/6n1/4k3/8/8/3K4/8/6N1", False),
        ("8/8/4k3/8/8/3K4/8/5NN1", False),
        ("8/8/4k3/8/8/3K4/P7/8", False),
        ("8/p7/4k3/8/8/3K4/8/8", False),
        ("8/8/4k3/8/8/3K4/8/6R1", False),
        ("8/8/4k3/8/8/3K4/8/7Q", False),
    ],
)
def test_insufficient_material(engine: Engine, pieces: str, draw: bool) -> None:
    setup = at(f"{pieces} w - - 0 1")
    expected: Outcome = ("draw", "insufficient-material") if draw else ONGOING
    assert engine.outcome(rules(), setup=setup) == expected
    assert engine.outcome(rules({"insufficient_material": "play-on"}), setup=setup) == ONGOING


def test_insufficient_material_is_asked_before_the_move_limit_and_after_stalemate(engine: Engine) -> None:
    setup = at("8/8/4k3/8/8/3K4/8/6N1 w - - 100 90")
    assert engine.outcome(rules(), setup=setup) == ("draw", "insufficient-material")
    stalemate = at("k7/8/1K6/4B3/8/8/8/8 b - - 0 1")
    assert engine.outcome(rules(), setup=stalemate) == ("draw", "stalemate")
    assert engine.outcome(rules({"stalemate": "loss"}), setup=stalemate) == ("first", "stalemate")


def test_bare_kings_play_on_where_kings_are_captured(engine: Engine) -> None:
    settings = dict(rulesets.load_ruleset("chess/007-king-capture").settings)
    setup = at("8/8/8/8/4k3/8/8/4K3 w - - 0 1", "3/1")
    assert engine.outcome(settings, setup=setup) == ONGOING
    # White's player moves the own king, then Black's next to it, then takes it.
    assert engine.outcome(settings, ["e1e2", "e4e3"], setup) == ONGOING
    assert engine.outcome(settings, ["e1e2", "e4e3", "e2e3"], setup) == ("first", "king-captured")
