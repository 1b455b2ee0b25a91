"""Proposed changes of chess: Fairy-Stockfish plays the same, moves can be written and read, and refusals say why."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests import chess_engines as c
from tests import few
from tests.chess_engines import Engine, at, begin, in_uci, rules, targets
from workbench.engine import contract
from workbench.games.chess.rules import DECLARATION
from workbench.games.declaration import Setting
from workbench.games.game_state import GameState
from workbench.games.uci_variants import UciVariant, uci_variant
from workbench.questions import rulesets
from workbench.questions.settings import find_conflicts

engine = c.engine

TORPEDO: dict[str, Setting] = {"pawn_double_step": "anywhere"}
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


# --- Fairy-Stockfish --------------------------------------------------------------------------------------------------

KNOWN = [
    "torpedo",
    "semi-torpedo",
    "pawn-one-square",
    "pawn-back",
    "pawn-sideways",
    "no-castling",
    "stalemate-wins",
    "antichess",
]
"""Rulesets that Fairy-Stockfish can be told."""
MIDDLE_GAMES = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "4k3/pp1pp1pp/2p5/5p2/2P2P2/8/PP1PP1PP/4K3 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
)


class Fairy:
    """A ruleset as Fairy-Stockfish plays it."""

    def __init__(self, name: str) -> None:
        self.pyffish = pytest.importorskip("pyffish")
        said = uci_variant("chess", rulesets.load_ruleset(f"chess/{name}").settings)
        assert isinstance(said, UciVariant), said
        self.variant = said.name
        if said.ini:
            self.pyffish.load_variant_config(said.ini)
            assert self.variant in self.pyffish.variants()

    def legal(self, fen: str, moves: list[str]) -> list[str]:
        return sorted(self.pyffish.legal_moves(self.variant, fen, moves))

    def is_over(self, fen: str, moves: list[str]) -> bool:
        """Whether the last move won."""
        return bool(self.pyffish.is_immediate_game_end(self.variant, fen, moves)[0])

    def perft(self, fen: str, moves: list[str], depth: int) -> int:
        legal = [] if self.is_over(fen, moves) else self.legal(fen, moves)
        return len(legal) if depth == 1 else sum(self.perft(fen, [*moves, move], depth - 1) for move in legal)


@pytest.mark.parametrize("name", few.first(0, KNOWN, thorough=3))
def test_fairy_stockfish_has_the_same_moves_in_random_games(name: str) -> None:
    fairy, ruleset = Fairy(name), rulesets.load_ruleset(f"chess/{name}")
    plies = 0
    # Fairy-Stockfish is asked for moves, not for draws: the games here go on.
    endless = dict(ruleset.settings) | {"repetition": 0, "move_limit": 0}
    for seed in range(24):
        if plies > 1_000:
            break
        chance = random.Random(f"{name} {seed}")
        setup = at(chance.choice(MIDDLE_GAMES)) if seed % 2 else None
        if setup and name in ("no-castling", "antichess"):
            setup = at(setup["fen"].replace("KQkq", "-"))
        begin_fen = setup["fen"] if setup else "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        if name in ("no-castling", "antichess"):
            begin_fen = begin_fen.replace("KQkq", "-")
        game_state, played = begin(endless, setup), list[str]()
        for _ in range(120):
            if game_state.outcome()[0] != contract.ONGOING:
                break
            moves = in_uci(game_state)
            assert sorted(moves.values()) == fairy.legal(begin_fen, played), (begin_fen, played)
            move = chance.choice(list(moves))
            played.append(moves[move])
            game_state.push(move)
            plies += 1
    assert plies > 800


@pytest.mark.parametrize("name", few.first(1, KNOWN))
def test_fairy_stockfish_counts_the_same_from_middle_games(name: str) -> None:
    fairy, ruleset = Fairy(name), rulesets.load_ruleset(f"chess/{name}")
    for fen in MIDDLE_GAMES:
        fen = fen.replace("KQkq", "-") if name in ("no-castling", "antichess") else fen
        game_state = begin(ruleset.settings, at(fen))
        assert [game_state.perft(depth) for depth in (1, 2)] == [fairy.perft(fen, [], depth) for depth in (1, 2)], fen


def test_what_fairy_stockfish_cannot_be_told_is_said() -> None:
    for name, toggle in (("no-castling-10", "castling"), ("self-capture", "self_capture")):
        said = uci_variant("chess", rulesets.load_ruleset(f"chess/{name}").settings)
        assert isinstance(said, str) and toggle in said
    said = uci_variant(
        "chess", DECLARATION.defaults() | TORPEDO | BACK | {"king": "capture", "insufficient_material": "play-on"}
    )
    assert isinstance(said, str) and "pawn_extra" in said


# --- Castling ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("fen", "may"), [("w - - 0 10", False), ("b - - 0 10", False), ("w - - 0 11", True)])
def test_ten_moves_of_each_colour_come_before_castling(engine: Engine, fen: str, may: bool) -> None:
    board = "r3k2r/8/8/8/8/8/8/R3K2R " + fen.replace("-", "KQkq", 1)
    assert (targets("e1", engine.legal(rules(LATE), [], at(board))) >= {"g1", "c1"}) == may
    if fen.startswith("b"):
        legal = engine.legal(rules(LATE), ["a8b8", "a1b1"], at(board))
        assert {"e8g8"} <= legal, "the eleventh move of Black"


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


# --- Pawns ------------------------------------------------------------------------------------------------------------


def test_every_double_step_can_be_answered_en_passant(engine: Engine) -> None:
    setup = at("4k3/8/8/3p4/8/2P5/8/4K3 w - - 0 1")
    for settings in (TORPEDO, {"pawn_double_step": "second-and-third"}):
        assert "d5c4" in engine.legal(rules(settings), ["c3c5"], setup)
        assert engine.fen(rules(settings), ["c3c5", "d5c4"], setup).startswith("4k3/8/8/8/2p5/8/8/4K3")
        assert "d5c4" not in engine.legal(rules(settings), ["c3c5", "e8e7", "e1e2"], setup)


def test_a_double_step_may_promote(engine: Engine) -> None:
    setup = at("8/8/2P5/8/8/k2p4/8/4K3 b - - 0 1")
    assert targets("d3", engine.legal(rules(TORPEDO), [], setup)) == {"d2", "d1"}
    assert {"d3d1q", "d3d1n"} <= engine.legal(rules(TORPEDO), [], setup)
    assert {"c6c8q", "c6c8n", "c6c7"} <= engine.legal(rules(TORPEDO), ["a3a2"], setup)


def test_a_pawn_steps_back_and_double_steps_again(engine: Engine) -> None:
    setup = at("4k3/8/8/8/8/3P4/8/4K3 w - - 5 1")
    assert targets("d3", engine.legal(rules(BACK), [], setup)) == {"d4", "d2"}
    assert targets("d2", engine.legal(rules(BACK), ["d3d2", "e8e7"], setup)) == {"d3", "d4"}


def test_moves_of_pawns_that_may_step_back_are_no_progress(engine: Engine) -> None:
    setup = at("4k3/8/8/8/8/3P4/8/4K3 w - - 99 90")
    assert engine.outcome(rules(BACK), ["d3d4"], setup) == ("draw", "move-limit")
    assert engine.outcome(rules(SIDEWAYS), ["d3e3"], setup)[0] == "ongoing"
    passed = at("4k3/3p4/8/4P3/8/8/8/4K3 b - - 90 90")
    captured = ["d7d5", "e5d6", *["e8f8", "e1f1", "f8e8", "f1e1"] * 3]
    assert engine.outcome(rules(BACK | {"repetition": 0}), captured, passed)[0] == "ongoing"


def test_a_step_sideways_is_no_capture_en_passant(engine: Engine) -> None:
    setup = at("4k3/4p3/3P4/3P4/8/8/8/4K3 b - - 0 1")
    settings = rules(SIDEWAYS)
    assert {"d6e6", "d5e6"} <= engine.legal(settings, ["e7e5"], setup)
    beside = engine.fen(settings, ["e7e5", "d6e6"], at("4k3/4p3/3P4/8/8/8/8/4K3 b - - 0 1"))
    assert beside.startswith("4k3/8/4P3/4p3/8/8/8/4K3")


def test_pinned_pawns_step_along_their_pin_only(engine: Engine) -> None:
    beside = at("4k3/8/8/8/K2P3r/8/8/8 w - - 0 1")
    assert targets("d4", engine.legal(rules(SIDEWAYS), [], beside)) == {"c4", "e4"}
    ahead = at("3rk3/8/8/8/3P4/8/8/3K4 w - - 0 1")
    assert targets("d4", engine.legal(rules(SIDEWAYS), [], ahead)) == {"d5"}
    assert targets("d4", engine.legal(rules(BACK), [], ahead)) == {"d5", "d3"}


# --- Captures ---------------------------------------------------------------------------------------------------------


def test_a_captured_own_rook_takes_castling_with_it() -> None:
    game_state = after(rules(SELF_CAPTURE), at("4k3/8/8/8/8/8/8/4K2R w K - 9 30"), "h1h8", "e8e7", "h8h1")
    assert game_state.outcome()[0] == contract.ONGOING
    setup = at("4k3/8/8/8/4B3/8/8/4K2R w K - 9 30")
    game_state = after(rules(SELF_CAPTURE), setup, "e4h1")
    fen = game_state.notation.position(game_state.rules, game_state.state)["fen"]
    assert fen == "4k3/8/8/8/8/8/8/4K2B b - - 0 1"
    assert game_state.texts == ["Bxh1"]


def test_a_piece_of_the_same_kind_can_be_captured(engine: Engine) -> None:
    setup = at("4k3/8/8/8/8/3P4/2P5/4K3 w - - 0 1")
    assert engine.fen(rules(SELF_CAPTURE), ["c2d3"], setup).startswith("4k3/8/8/8/8/3P4/8/4K3 b")


def test_the_duty_to_capture_leaves_the_choice_which(engine: Engine) -> None:
    setup = at("8/8/8/3p1p2/4P3/8/8/R7 w - - 0 1")
    assert engine.legal(rules(c.ANTICHESS), [], setup) == {"e4d5", "e4f5"}
    assert "a1a8" in engine.legal(rules(c.ANTICHESS | {"capture": "optional"}), [], setup)


def test_who_is_blocked_or_has_nothing_left_wins_antichess(engine: Engine) -> None:
    blocked = at("8/8/8/8/p7/P7/8/8 w - - 0 1")
    assert engine.outcome(rules(c.ANTICHESS), [], blocked) == ("first", "stalemate")
    last = at("8/8/8/8/8/1p6/P7/7r w - - 0 1")
    assert engine.outcome(rules(c.ANTICHESS), ["a2b3", "h1b1", "b3b4", "b1b4"], last) == ("first", "lose-all")


# --- Words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", few.first(1, [*KNOWN, "no-castling-10", "self-capture"]))
def test_moves_are_read_as_they_are_written(name: str) -> None:
    settings = rulesets.load_ruleset(f"chess/{name}").settings
    for seed in range(6):
        chance, game_state = random.Random(f"{name} {seed}"), begin(settings)
        for _ in range(80):
            listed = in_uci(game_state)
            if game_state.outcome()[0] != contract.ONGOING:
                break
            written = {game_state.notation.format_move(game_state.rules, game_state.state, move) for move in listed}
            assert len(written) == len(listed), "no two moves are written alike"
            for move, uci in listed.items():
                text = game_state.notation.format_move(game_state.rules, game_state.state, move)
                for words in (text, uci):
                    assert game_state.notation.parse_move(game_state.rules, game_state.state, words) == move, words
            game_state.push(chance.choice(list(listed)))


REFUSED: list[tuple[dict[str, Setting], str, str, str]] = [
    ({"castling": "never"}, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", "There is no castling."),
    (LATE, "4k3/8/8/8/8/8/8/4K2R w K - 0 4", "O-O", "White may castle from move 11 on, and this is move 4."),
    ({"pawn_double_step": "never"}, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", "Pawns move one square only."),
    (
        {"pawn_double_step": "second-and-third"},
        "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1",
        "e4e6",
        "A pawn moves two squares from its second and its third rank only.",
    ),
    ({}, "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "e4d4", "A pawn does not step sideways."),
    (BACK, "4k3/8/8/8/8/8/4P3/3K4 w - - 0 1", "e2e1", "A pawn never steps back to its own first rank."),
    (SIDEWAYS, "4k3/8/8/8/3pP3/8/8/4K3 w - - 0 1", "e4d4", "A pawn does not capture sideways: d4 is occupied."),
    (
        c.ANTICHESS,
        "8/8/8/3p4/4P3/8/8/8 w - - 0 1",
        "e4e5",
        "White can capture, and has to: e4d5 is a capture.",
    ),
    (SELF_CAPTURE, "4k3/8/8/8/8/8/8/3RK3 w - - 0 1", "d1e1", "e1 is occupied by White's king."),
    ({}, "8/4P3/8/8/8/k7/8/4K3 w - - 0 1", "e8=K", "A pawn does not become a king now."),
]


@pytest.mark.parametrize(("changes", "fen", "move", "reason"), REFUSED, ids=lambda value: str(value)[:20])
def test_a_refusal_names_the_rule(changes: dict[str, Setting], fen: str, move: str, reason: str) -> None:
    assert begin(rules(changes), at(fen)).why_not(move) == reason


NO_SENSE: list[tuple[dict[str, Setting], str]] = [
    ({"castling": "never", "turns": "triple", **c.OTHER_PIECE, **c.KING_AND_ROOK}, "would do nothing"),
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
