"""Fairy-Stockfish (pyffish) plays the same chess: legal moves and results of random games, ply by ply."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests import few
from tests.games.chess import engines as c
from tests.games.chess import test_kernel as k
from tests.games.chess.engines import at, begin, in_uci, rules
from workbench.engine import contract
from workbench.games.chess.rules import DECLARATION
from workbench.games.declaration import Setting
from workbench.games.uci_variants import UciVariant, uci_variant
from workbench.rules import rulesets

pyffish: Any = pytest.importorskip("pyffish")

SHIPPED = {
    name: dict(rulesets.load_ruleset(name).settings)
    for name in rulesets.ruleset_names()
    if name.startswith("chess/") and isinstance(uci_variant("chess", rulesets.load_ruleset(name).settings), UciVariant)
}
MORE: list[dict[str, Setting]] = [
    {"stalemate": "win"},
    {"king": "capture", **k.PLAY_ON},
    {"drops": "captured-as-they-are", **k.PLAY_ON},
    {"start_position": "rnqknr/pppppp/6/6/PPPPPP/RNQKNR w -", "castling": "never"},
    {"promotion_rank": "seventh", "start_position": k.CROWDS},
    {"promotion_limit": "captured", "start_position": k.LIMITED},
    {"start_position": "nnnnknnn/pppppppp/8/8/8/8/PPPPPPPP/1Q1QK1Q1 w -"},
    {"start_position": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RQQQKQQR w KQkq"},
    k.HILL,
    {"flag": "K *8 a*; k *1", **k.PLAY_ON},
    {"flag": "P *8; p *1", "start_position": k.PAWNS_AND_KINGS, **k.PLAY_ON},
    {"flag": "P e8 f8 g8; p a1", "start_position": "4k3/ppp5/8/8/8/8/5PPP/4K3 w -", **k.PLAY_ON},
    {"checks_to_win": 3, **k.PLAY_ON},
    {"bare_king": "loses", **k.PLAY_ON, "start_position": "4k3/4p3/8/8/8/8/4P3/4K3 w -"},
    {"knight_moves": "NN", "rook_moves": "mRcB2", "king_moves": "KN", **k.PLAY_ON},
    {"bishop_moves": "fBbsNmW", "pawn_double_step": "anywhere", "queen_moves": "fhNbK", **k.PLAY_ON},
    {"knight_moves": "ffNlrW", "capture": "obligatory", **k.PLAY_ON},
]
"""Besides the shipped rulesets that it can be told."""
MIDDLE_GAMES = (
    k.MIDDLE_GAME,
    "4k3/pp1pp1pp/2p5/5p2/2P2P2/8/PP1PP1PP/4K3 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
)
CASTLING = {"e1h1": "e1g1", "e1a1": "e1c1", "e8h8": "e8g8", "e8a8": "e8c8"}
"""How castling is written where any king and rook may castle, and elsewhere."""


def agree(
    name: str,
    fen: str,
    settings: dict[str, Setting],
    seed: int,
    setup: dict[str, str] | None = None,
    ours: Callable[[str, int], str] = lambda move, colour: move,
    chess960: bool = False,
) -> tuple[int, str | None]:
    """Plays a random game on both; returns the number of positions compared and how the game ended.

    ``ours`` writes a move of theirs as the workbench does.
    """
    chance, game_state, played = random.Random(seed), begin(settings, setup), list[str]()
    black_begins = fen.split()[1] == "b"
    for ply in range(150):
        colour = (ply + black_begins) % 2
        result, why = game_state.outcome()
        moves = {text: move for move, text in in_uci(game_state).items()}
        theirs = {ours(move, colour): move for move in pyffish.legal_moves(name, fen, played, chess960)}
        for to_rook, castling in CASTLING.items():
            if to_rook in theirs and to_rook not in moves:
                theirs[castling] = theirs.pop(to_rook)
        ended, score = pyffish.is_immediate_game_end(name, fen, played, chess960)
        if result != contract.ONGOING:
            if why in ("move-limit", "repetition"):
                assert pyffish.is_optional_game_end(name, fen, played)[0], (played, why)
            elif why != "insufficient-material":
                score = score if ended else pyffish.game_result(name, fen, played, chess960)
                assert ended or not theirs, (played, why)
                mine = {contract.FIRST: 1, contract.SECOND: -1, contract.DRAW: 0}[result] * (-1) ** colour
                # In armageddon a draw is one here, and counts as Black's win.
                assert (score > 0) - (score < 0) == mine or "armageddon" in name, (played, why)
            return ply, why
        if ended:
            # Where Black may answer, it looks ahead whether there is an answer, and names no moves where there is none.
            assert settings["flag_when"] == "end-of-round", played
            for answer in moves.values():
                game_state.push(answer)
                assert game_state.outcome() == (contract.FIRST, "flag"), played
                game_state.undo()
            return ply + 1, None
        assert sorted(moves) == sorted(theirs), (played, set(moves) ^ set(theirs))
        move = chance.choice(sorted(moves))
        played.append(theirs[move])
        game_state.push(moves[move])
    return 150, None


def from_middle_games(settings: dict[str, Setting]) -> bool:
    usual = ("start_position", "drops", "blast", "extinction", "flag", "checks_to_win", "bare_king", "pawn_moves")
    return settings["king"] != "capture" and all(settings[each] == DECLARATION.toggle(each).default for each in usual)


@pytest.mark.parametrize(
    "changes",
    few.first(2, [SHIPPED["chess/torpedo"], k.ATOMIC, *SHIPPED.values(), *MORE]),
    ids=lambda changes: str(changes)[:60],
)
def test_fairy_stockfish_plays_the_same(changes: dict[str, Setting]) -> None:
    # It is asked for moves, not for draws: the games here go on.
    settings = rules(changes, c.ENDLESS)
    said = uci_variant("chess", settings)
    assert isinstance(said, UciVariant), said
    pyffish.load_variant_config(said.ini)
    fen = said.start.removeprefix("fen ") if said.start != "startpos" else pyffish.start_fen(said.name)
    ends = Counter(agree(said.name, fen, settings, seed)[1] for seed in range(6))
    assert sum(ends.values()) == 6
    for middle_game in MIDDLE_GAMES if from_middle_games(settings) else ():
        begun = middle_game.replace("KQkq", "-") if settings["castling"] == "never" else middle_game
        agree(said.name, begun, settings, 1, at(begun))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "start",
    [
        "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq",
        "4k3/pppppppp/8/8/8/8/PPPPPPPP/1R1K2R1 w BG",
        "rk5r/pppppppp/8/8/8/8/PPPPPPPP/R5KR w KQkq",
    ],
)
def test_fairy_stockfish_castles_the_same(start: str) -> None:
    settings = rules({"start_position": start}, c.ENDLESS)
    for seed in range(8):
        agree("chess", f"{start} - 0 1", settings, seed, chess960=True)


PERFT: dict[str, tuple[dict[str, Setting], list[int]]] = {
    # As Fairy-Stockfish counts (F. Fichter, tests/perft.sh has deeper levels), and lichess for the first four.
    "crazyhouse": (k.ZH, [20, 400, 8902]),
    "atomic": (k.ATOMIC, [20, 400, 8902]),
    "placement": (k.PLACED, [40, 1600, 50560]),
    "horde": (SHIPPED["chess/horde"], [8, 128, 1274]),
    "racing kings": (SHIPPED["chess/racing-kings"], [21, 421, 11264]),
    "los alamos": (SHIPPED["chess/los-alamos"], [10, 100, 1212]),
    "gardner": (SHIPPED["chess/gardner"], [7, 53, 506]),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", PERFT)
def test_perft_is_as_published(name: str) -> None:
    changes, nodes = PERFT[name]
    assert [begin(rules(changes)).perft(depth) for depth in (1, 2, 3)] == nodes


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"turns": "double"}, "turns: double"),
        ({"knight_moves": "N/NC", **k.PLAY_ON}, "knight_moves"),
        ({"pawn_moves": "fmWfcW"}, "pawn_moves"),
        ({"start_position": "4k3/8/8/8/8/8/8/1R3KR1 w GB"}, "castling from squares other"),
        ({"extinction": "NB qr1", **k.PLAY_ON}, "extinction"),
        ({"promotion_limit": "captured", "start_position": "4k3/8/8/8/8/8/P7/R3K3 w -"}, "promotion_limit"),
        ({"castling": "after-move-10"}, "castling"),
        ({"self_capture": "any-but-king"}, "self_capture"),
        ({"pawn_double_step": "anywhere", "pawn_extra": "back", **c.TAKE_KINGS}, "pawn_extra"),
        ({"rook_moves": "RDD"}, "UCI cannot express DD in rook_moves: RDD"),
        ({"flag": "KQ e4", **k.PLAY_ON}, "one kind of piece"),
        ({"flag": "P *8", "promotion_rank": "seventh", **k.PLAY_ON}, "pawns that win"),
        ({"stalemate_black": "loss"}, "stalemate_black"),
    ],
    ids=str,
)
def test_what_fairy_stockfish_cannot_be_told_is_said(changes: dict[str, Setting], why: str) -> None:
    said = uci_variant("chess", rules(changes))
    assert isinstance(said, str) and why in said
