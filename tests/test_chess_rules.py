"""What is new in the 007 family of chess, asked of every engine that plays it: turns, promotion, taken kings.

Source: Edward Jackman, 007 Chess, 1995 (Japanese translation: Katsutoshi Seki).
"""

from __future__ import annotations

import chess
import pytest

from tests import chess_engines as c
from tests.chess_engines import at, begin, in_uci, rules, targets
from tests.engines import ONGOING, Engine
from workbench.games.game_state import IllegalMove

engine = c.engine


# --- The sample game --------------------------------------------------------------------------------------------------

# Balanced 007 Detente. The plies in brackets were chosen by White's player, Edward Jackman; the others by Hunter.
SAMPLE_GAME = "f3 [h6 e4] e5 g4 Qh4+ [Ke2 Qh3 Qe1] Be7 g5 Qe6 [gxh6 g5 Bh3] Qc4+ Ke3 Bc5+ [d4 d6 Bxc8] Rxh6 Qe2 Qxd4#"


def choosers_in_brackets(game: str) -> list[str]:
    """Who chose each ply of a game printed with White's player's choices in brackets."""
    choosers, inside = [], False
    for word in game.split():
        inside = inside or word.startswith("[")
        choosers.append("first" if inside else "second")
        inside = inside and not word.endswith("]")
    return choosers


def as_uci(game: str) -> list[str]:
    """The moves of a game printed like that, in UCI."""
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
    for ply, (chooser, move) in enumerate(zip(choosers, SAMPLE_UCI, strict=True)):
        before = SAMPLE_UCI[:ply]
        assert engine.outcome(settings, before) == ONGOING
        assert engine.seat(settings, before) == chooser, ply
        assert move in engine.legal(settings, before), ply


def test_sample_games_forced_moves(engine: Engine) -> None:
    settings = rules(c.BALANCED_DETENTE)
    legal = [engine.legal(settings, SAMPLE_UCI[:ply]) for ply in range(len(SAMPLE_UCI))]
    # The source says so of d4; Ke2 after Qh4+ is the other ply without a choice.
    assert [SAMPLE_UCI[ply] for ply, moves in enumerate(legal) if len(moves) == 1] == ["e1e2", "d2d4"]


def test_sample_games_end(engine: Engine) -> None:
    settings = rules(c.BALANCED_DETENTE)
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


# --- Who chooses ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turns", "choosers"),
    [
        ("single", "w b w b w b w b w b w b w b w b w b w b w b"),
        ("triple", "www bbb www bbb www bbb www b"),
        ("balanced", "b ww bbb www bbb www bbb www b"),
        ("progressive", "w bb www bbbb wwwww bbbbbb w"),
    ],
)
def test_schedule_of_turns(engine: Engine, turns: str, choosers: str) -> None:
    settings = rules({"turns": turns}, c.ENDLESS)
    expected = [{"w": "first", "b": "second"}[letter] for letter in choosers.replace(" ", "")]
    assert len(expected) >= 22
    for ply, chooser in enumerate(expected):
        moves = (c.SHUFFLE * 6)[:ply]
        assert engine.seat(settings, moves) == chooser, ply
        # White and Black move alternately all the same.
        assert c.fen(engine, settings, moves).endswith("wb"[ply % 2])


@pytest.mark.parametrize(
    ("turns", "run", "colour", "choosers"),
    [
        ("single", "1/1", "b", "bwb"),
        ("triple", "3/1", "w", "wwwbbbw"),
        ("triple", "3/2", "w", "bbwwwb"),
        ("triple", "3/3", "w", "wbbbw"),
        ("triple", "3/2", "b", "wwbbbw"),
        ("balanced", "1/1", "w", "bwwbbbwww"),
        ("balanced", "2/1", "b", "wwbbbw"),
        ("balanced", "2/2", "w", "wbbbw"),
        ("balanced", "3/2", "b", "wwbbbw"),
        ("progressive", "2/2", "w", "bwwwbbbbw"),
        ("progressive", "3/1", "b", "wwwbbbbw"),
        ("progressive", "4/1", "w", "bbbbwwwwwb"),
        ("progressive", "4/4", "b", "bwwwwwb"),
    ],
)
def test_turns_go_on_from_a_place_in_the_run(engine: Engine, turns: str, run: str, colour: str, choosers: str) -> None:
    settings = rules({"turns": turns}, c.ENDLESS)
    setup = at(f"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR {colour} KQkq - 0 1", run)
    cycle = c.SHUFFLE if colour == "w" else ["g8f6", "g1f3", "f6g8", "f3g1"]
    for ply, letter in enumerate(choosers):
        assert engine.seat(settings, (cycle * 3)[:ply], setup) == {"w": "first", "b": "second"}[letter], ply


def test_a_check_by_an_own_ply_must_be_answered_by_the_next_ply(engine: Engine) -> None:
    # White's player gives check and must now choose Black's answer; then the other way round.
    moves = ["e2e4", "f7f6", "d2d3", "a7a6", "a2a3", "b7b6", "d1h5"]
    assert engine.seat(rules(c.TRIPLE), moves) == "first"
    assert engine.legal(rules(c.TRIPLE), moves) == {"g7g6"}
    assert engine.seat(rules(c.TRIPLE), ["f2f3", "e7e5", "g2g3", "d8h4"]) == "second"
    assert engine.legal(rules(c.TRIPLE), ["f2f3", "e7e5", "a2a3", "d8h4"]) == {"g2g3"}


# --- How a game ends --------------------------------------------------------------------------------------------------

FOOLS_MATE = ["f2f3", "e7e5", "g2g4", "d8h4"]


def test_fools_mate(engine: Engine) -> None:
    assert engine.outcome(rules(), FOOLS_MATE) == ("second", "mate")
    # With runs of three Black's player gives it with the first ply of the run, and the run ends there.
    assert engine.seat(rules(c.TRIPLE), FOOLS_MATE[:3]) == "second"
    assert engine.outcome(rules(c.TRIPLE), FOOLS_MATE) == ("second", "mate")


def test_a_player_may_mate_himself(engine: Engine) -> None:
    setup = at("rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2", "3/1")
    # White's player moves g4 and then Black's queen.
    assert engine.seat(rules(c.TRIPLE), ["g2g4"], setup) == "first"
    assert engine.outcome(rules(c.TRIPLE), ["g2g4", "d8h4"], setup) == ("second", "mate")


@pytest.mark.parametrize(("stalemate", "result"), [("draw", "draw"), ("loss", "first"), ("win", "second")])
@pytest.mark.parametrize(("turns", "run"), [("single", "1/1"), ("triple", "3/1"), ("triple", "3/2"), ("triple", "3/3")])
def test_stalemate_ends_the_game_at_once(engine: Engine, turns: str, run: str, stalemate: str, result: str) -> None:
    # It is the colour without a move that counts, in the middle of a run, too, and whoever is to choose.
    settings = rules({"turns": turns, "stalemate": stalemate})
    setup = at("7k/7P/8/6K1/8/8/8/8 w - - 0 1", run)
    assert engine.outcome(settings, ["g5g6"], setup) == (result, "stalemate")
    assert engine.legal(settings, ["g5g6"], setup) == set()
    assert engine.outcome(settings, ["g5f6"], setup) == ONGOING


# --- Promotion by the owner -------------------------------------------------------------------------------------------

BACK_RANK = "6k1/P4ppp/8/8/8/8/8/K7 w - - 0 1"


def test_opponent_moves_the_pawn_and_its_owner_chooses_the_piece(engine: Engine) -> None:
    settings = rules(c.TRIPLE, c.OWNER)
    setup = at("8/4P3/8/8/8/k7/8/4K3 w - - 0 1", "3/2")
    assert engine.seat(settings, setup=setup) == "second"
    legal = engine.legal(settings, setup=setup)
    assert targets("e7", legal) == {"e8"} and all(len(move) == 4 for move in legal)
    assert engine.outcome(settings, ["e7e8"], setup) == ONGOING
    assert engine.seat(settings, ["e7e8"], setup) == "first"
    assert engine.legal(settings, ["e7e8"], setup) == {"=q", "=r", "=b", "=n"}
    for letter in "qrb":
        assert c.fen(engine, settings, ["e7e8", f"={letter}"], setup) == f"4{letter.upper()}3/8/8/8/8/k7/8/4K3 b"
        # Then Black's player goes on with the third ply of the run.
        assert engine.seat(settings, ["e7e8", f"={letter}"], setup) == "second"


def test_owner_who_moves_the_pawn_chooses_as_he_moves(engine: Engine) -> None:
    for run in ("3/1", "3/3"):
        legal = engine.legal(rules(c.TRIPLE, c.OWNER), setup=at(BACK_RANK, run))
        assert {"a7a8q", "a7a8r", "a7a8b", "a7a8n"} <= legal and "a7a8" not in legal


def test_owner_may_mate_with_the_piece(engine: Engine) -> None:
    settings = rules(c.TRIPLE, c.OWNER)
    setup = at(BACK_RANK, "3/2")
    assert engine.outcome(settings, ["a7a8", "=q"], setup) == ("first", "mate")
    assert engine.outcome(settings, ["a7a8", "=r"], setup) == ("first", "mate")
    assert engine.outcome(settings, ["a7a8", "=n"], setup) == ONGOING


def test_draws_wait_for_the_owners_choice(engine: Engine) -> None:
    # King and knight cannot mate; until the knight is chosen there is a pawn on the board.
    settings = rules(c.TRIPLE, c.OWNER)
    setup = at("8/4P3/8/8/8/k7/8/4K3 w - - 99 90", "3/2")
    assert engine.outcome(settings, ["e7e8"], setup) == ONGOING
    assert engine.outcome(settings, ["e7e8", "=n"], setup) == ("draw", "insufficient-material")
    assert engine.outcome(settings, ["e7e8", "=r"], setup) == ONGOING


def test_pawn_that_takes_its_owners_enemy_king_leaves_nothing_to_choose(engine: Engine) -> None:
    # Black's player takes Black's king with White's pawn.
    settings = rules(c.TRIPLE, c.OWNER, c.TAKE_KINGS)
    setup = at("3k4/4P3/8/8/8/8/8/4K3 w - - 0 1", "3/2")
    assert targets("e7", engine.legal(settings, setup=setup)) == {"d8", "e8"}
    assert engine.outcome(settings, ["e7d8"], setup) == ("first", "king-captured")


# --- Kings that are captured ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", ["3/1", "3/2", "3/3"])
def test_taking_the_own_king_loses(engine: Engine, run: str) -> None:
    # Whoever chooses: White's rook has taken Black's king.
    settings = rules(c.TRIPLE, c.TAKE_KINGS)
    setup = at("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", run)
    assert engine.seat(settings, setup=setup) == ("second" if run == "3/2" else "first")
    assert engine.outcome(settings, ["e1e8"], setup) == ("first", "king-captured")


def test_a_taken_king_ends_the_game_before_any_draw(engine: Engine) -> None:
    setup = at("4k3/8/8/8/8/8/8/4RK2 w - - 99 90")
    assert engine.outcome(rules(c.TAKE_KINGS), ["e1e8"], setup) == ("first", "king-captured")
    # Black has nothing left to move with.
    by_king = at("8/8/8/8/8/8/5k2/4K2R w - - 0 1")
    assert engine.outcome(rules(c.TAKE_KINGS, {"stalemate": "win"}), ["e1f2"], by_king) == ("first", "king-captured")


def test_check_and_mate_are_ignored(engine: Engine) -> None:
    assert engine.outcome(rules(c.TAKE_KINGS), FOOLS_MATE) == ONGOING
    assert engine.legal(rules(c.TAKE_KINGS), FOOLS_MATE) >= {"a2a3", "e1f2"}
    # A pinned piece moves, and a king steps next to a king.
    setup = at("4r3/8/8/8/8/3k4/4B3/4K3 w - - 0 1")
    assert {"e2h5", "e1d2"} <= engine.legal(rules(c.TAKE_KINGS), setup=setup)


def test_castling_out_of_through_and_into_check(engine: Engine) -> None:
    for checks in ("4r3", "5r2", "6r1"):
        setup = at(f"{checks}/1k6/8/8/8/8/8/R3K2R w KQ - 0 1")
        assert "e1g1" in engine.legal(rules(c.TAKE_KINGS), setup=setup)
        assert "e1g1" not in engine.legal(rules(), setup=setup)
    assert engine.outcome(rules(c.TAKE_KINGS), ["e1g1", "g8g1"], at("6r1/k7/8/8/8/8/8/4K2R w K - 0 1")) == (
        "second",
        "king-captured",
    )


def test_en_passant_may_leave_the_king_open(engine: Engine) -> None:
    # Both pawns leave the fifth rank.
    setup = at("4k3/8/8/K1Pp3r/8/8/8/8 w - d6 0 1")
    assert "c5d6" not in engine.legal(rules(), setup=setup)
    assert "c5d6" in engine.legal(rules(c.TAKE_KINGS), setup=setup)


@pytest.mark.parametrize(("stalemate", "result"), [("draw", "draw"), ("loss", "second"), ("win", "first")])
def test_stalemate_where_kings_are_captured(engine: Engine, stalemate: str, result: str) -> None:
    # No white piece can move at all; the knight's attack on a1 is nothing to a side that ignores check.
    setup = at("4k3/8/8/8/p7/Pp1p4/RPnP4/KRB5 w - - 0 1")
    assert engine.legal(rules(c.TAKE_KINGS), setup=setup) == set()
    assert engine.outcome(rules(c.TAKE_KINGS, {"stalemate": stalemate}), setup=setup) == (result, "stalemate")
    assert engine.outcome(rules({"stalemate": stalemate}), setup=setup) == ("second", "mate")


def test_moved_enemy_king_is_safe(engine: Engine) -> None:
    # White's player moves Black's king onto the rook's file.
    settings = rules(c.TRIPLE, c.TAKE_KINGS)
    setup = at("3k4/8/8/8/8/8/8/4RK2 b - - 0 1", "3/2")
    assert "e1e8" in engine.legal(settings, ["d8e8"], setup)
    assert "e1e8" not in engine.legal(settings | c.SAFE, ["d8e8"], setup)
