"""What is new in the 007 family of chess, asked of every engine that plays it: the sample game, Detente, draws.

Source: Edward Jackman, 007 Chess, 1995 (Japanese translation: Katsutoshi Seki).
"""

from __future__ import annotations

import chess
import pytest

from tests.engines import ONGOING, Engine, Outcome, Settings
from tests.games.chess import engines as c
from tests.games.chess.engines import at, begin, in_uci, rules
from workbench.positions.game_state import IllegalMove

engine = c.engine


# Balanced 007 Detente. The plies in brackets were chosen by White's player, Edward Jackman; the others by Hunter.
SAMPLE_GAME = "f3 [h6 e4] e5 g4 Qh4+ [Ke2 Qh3 Qe1] Be7 g5 Qe6 [gxh6 g5 Bh3] Qc4+ Ke3 Bc5+ [d4 d6 Bxc8] Rxh6 Qe2 Qxd4#"


def choosers_in_brackets(game: str) -> list[str]:
    choosers, inside = [], False
    for word in game.split():
        inside = inside or word.startswith("[")
        choosers.append("first" if inside else "second")
        inside = inside and not word.endswith("]")
    return choosers


def as_uci(game: str) -> list[str]:
    board = chess.Board()
    for san in game.replace("[", "").replace("]", "").split():
        # Not every text that python-chess can read is how a move is written.
        assert board.san(board.parse_san(san)) == san
        board.push_san(san)
    return [move.uci() for move in board.move_stack]


SAMPLE_UCI = as_uci(SAMPLE_GAME)


def test_sample_game_move_by_move(engine: Engine) -> None:
    settings = rules(c.BALANCED_DETENTE)
    choosers = choosers_in_brackets(SAMPLE_GAME)
    assert "".join(chooser[0] for chooser in choosers) == "sff" + "sssfff" * 3 + "sss"
    forced: list[str] = []
    for ply, (chooser, move) in enumerate(zip(choosers, SAMPLE_UCI, strict=True)):
        before = SAMPLE_UCI[:ply]
        assert engine.outcome(settings, before) == ONGOING
        assert engine.seat(settings, before) == chooser, ply
        legal = engine.legal(settings, before)
        assert move in legal, ply
        forced += [move] if len(legal) == 1 else []
    # The source says so of d4; Ke2 after Qh4+ is the other ply without a choice.
    assert forced == ["e1e2", "d2d4"]
    # White: king e3, queen e2, rooks a1 h1, knights b1 g1, bishops c1 c8, pawns a2 b2 c2 e4 f3 h2.
    # Black: king e8, queen d4, rooks a8 h6, knights b8 g8, bishop c5, pawns a7 b7 c7 d6 e5 f7 g5.
    assert c.fen(engine, settings, SAMPLE_UCI) == "rnB1k1n1/ppp2p2/3p3r/2b1p1p1/3qP3/4KP2/PPP1Q2P/RNB3NR w"
    assert engine.outcome(settings, SAMPLE_UCI) == ("second", "mate")
    assert engine.legal(settings, SAMPLE_UCI) == set()


def test_sample_game_is_read_and_written_in_san() -> None:
    game_state = begin(rules(c.BALANCED_DETENTE))
    words = SAMPLE_GAME.replace("[", "").replace("]", "").split()
    for ply, san in enumerate(words):
        if san == "Rxh6":
            # The source prints Rxh7, but h7 is empty: the final diagram has the rook on h6.
            with pytest.raises(IllegalMove, match=f"ply {ply + 1}, Rxh7"):
                game_state.push_text("Rxh7")
            assert "h8h7" in in_uci(game_state).values()
        game_state.push_text(san)
    assert game_state.texts == words


def test_en_passant_may_leave_the_king_open(engine: Engine) -> None:
    # Both pawns leave the fifth rank.
    setup = at("4k3/8/8/K1Pp3r/8/8/8/8 w - d6 0 1")
    assert "c5d6" not in engine.legal(rules(), setup=setup)
    assert "c5d6" in engine.legal(rules(c.TAKE_KINGS), setup=setup)


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


@pytest.mark.parametrize(("turns", "plies"), [("triple", 24), ("balanced", 27)])
def test_place_in_the_run_is_part_of_the_position(engine: Engine, turns: str, plies: int) -> None:
    # The board comes back every 4 plies, the place in the run and the player every 6 (in Balanced from ply 4 on).
    moves = (c.SHUFFLE * 7)[:plies]
    assert engine.outcome(rules({"turns": turns}), moves[:-1]) == ONGOING
    assert engine.outcome(rules({"turns": turns}), moves) == ("draw", "repetition")


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


@pytest.mark.parametrize(
    ("fen", "moves", "more"),
    [
        # The same board twice at the second ply of a run: reached by the king, then by the rook.
        ("7k/8/8/8/8/8/8/R3K3", "e1e2 h8g8 a1a2 g8g7 a2a3 g7h8 a3a1", c.OTHER_PIECE),
        # The same board twice at the third ply: the rook may be captured, then it may not.
        ("1r5k/8/8/8/8/8/8/1R2K3", "e1e2 h8h7 e2e3 b8b7 e3d2 b7b6 d2e2 b6b8", c.SAFE),
    ],
)
def test_what_detente_forbids_is_part_of_the_position(engine: Engine, fen: str, moves: str, more: Settings) -> None:
    setup, twice = at(f"{fen} w - - 0 1", "3/1"), rules(c.TRIPLE, {"repetition": 2})
    assert engine.outcome(twice, moves.split(), setup) == ("draw", "repetition")
    assert engine.outcome({**twice, **more}, moves.split(), setup) == ONGOING


def test_mate_on_the_last_ply_counts(engine: Engine) -> None:
    setup = at("6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 90")
    assert engine.outcome(rules(), ["a1a8"], setup) == ("first", "mate")
    stalemate = at("7k/6R1/8/6K1/8/8/8/8 w - - 99 90")
    assert engine.outcome(rules({"stalemate": "loss"}), ["g5g6"], stalemate) == ("first", "stalemate")
