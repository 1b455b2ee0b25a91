"""What is new in the 007 family of chess, asked of every engine that plays it: turns, promotion, taken kings.

Source: Edward Jackman, 007 Chess, 1995 (Japanese translation: Katsutoshi Seki).
"""

from __future__ import annotations

import chess
import pytest

from tests import chess_engines as c
from tests.chess_engines import at, begin, in_uci, origins, rules, targets
from tests.engines import ONGOING, Engine, Outcome
from workbench.games.game_state import IllegalMove
from workbench.questions import rulesets

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
