"""Chess by the general way: other pawns, drops, explosions, own turns, other castling, smaller boards."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests import chess_engines as c
from tests import few
from tests.chess_engines import Engine, at, begin, in_uci, rules
from tests.test_chess_kernel import compare
from tests.test_drawings import derived, loaded, told
from workbench.engine import contract
from workbench.games.chess.rules import DECLARATION
from workbench.games.declaration import Setting
from workbench.games.drawings import Drawing, shown
from workbench.games.game_state import IllegalMove
from workbench.games.uci_variants import UciVariant, uci_variant
from workbench.questions import rulesets

engine = c.engine
pytestmark = pytest.mark.usefixtures("in_the_checkout")

PLAY_ON: dict[str, Setting] = {"insufficient_material": "play-on"}
ENDLESS: dict[str, Setting] = {"repetition": 0, "move_limit": 0}
ZH: dict[str, Setting] = {"drops": "captured", **PLAY_ON}
PLACED: dict[str, Setting] = {"drops": "placement"}
ATOMIC: dict[str, Setting] = {"blast": "around", **PLAY_ON}
GKR: dict[str, Setting] = {"start_position": "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq"}
SMALL = "rbnkq/ppppp/5/5/PPPPP/QKNBR w -"
RACE: dict[str, Setting] = {
    "start_position": "8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w -",
    "flag": "Kk *8",
    "flag_when": "end-of-round",
    "giving_check": "forbidden",
    "castling": "never",
    **PLAY_ON,
}
CROWDS = "4k3/8/PPPP4/4PPPP/ppppp3/8/8/4K3 w -"
"""Pawns on their way."""
LIMITED = "rnbqk3/1PP5/5PPP/8/8/5ppp/1pp5/RNBQK3 w -"
MIXTURES: list[dict[str, Setting]] = [
    {**ZH, "checks_to_win": 3},
    {**ZH, "pawn_moves": "fmFfcW/fmWfcF", "king": "capture"},
    {**ZH, "giving_check": "forbidden", "capture": "obligatory"},
    {**ZH, "start_position": SMALL},
    {**ZH, "drops": "captured-as-they-are", "start_position": CROWDS},
    {**PLACED, "start_position": "1rkbnb1r/pppppppp/8/8/8/8/PPPPPPPP/R3K1R1 w AGbh", "flag": "Kk d4 e4", **PLAY_ON},
    {**PLACED, "start_position": SMALL, "giving_check": "forbidden", "turns": "double"},
    {**ATOMIC, "turns": "double", "knight_moves": "NN"},
    {**ATOMIC, "castling": "after-move-10", "repetition": 2},
    {"turns": "double-balanced", "king": "capture", **PLAY_ON},
    {"turns": "progressive-own", "pawn_double_step": "second-and-third"},
    {"start_position": "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq"},
    {"start_position": "1rk4r/pppppppp/8/8/8/8/PPPPPPPP/R3K1R1 w AGbh", "castling": "after-move-10"},
    {"knight_moves": "N/NC", "queen_moves": "RN/QN", "king_moves": "K/KA", **PLAY_ON},
    {"knight_moves": "fhNfRsR/WD", "bishop_moves": "BmW/BcW", "turns": "triple", **PLAY_ON},
    {"pawn_moves": "fmWfmFfcFfcW", "pawn_double_step": "anywhere"},
    {"promotion_limit": "captured", "promotion_rank": "seventh", "promotion_to": "RN", "pawn_extra": "back"},
    {"promotion_limit": "captured", "start_position": LIMITED, "pawn_double_step": "anywhere"},
    {"start_position": "rnnnknnr/pppppppp/8/8/8/8/PPPPPPPP/R1QQK1QR w KQkq", "self_capture": "any-but-king"},
    {"start_position": "qqqqkqqq/pppppppp/pppppppp/8/8/PPPPPPPP/PPPPPPPP/QQQQKQQQ w -", "king": "capture", **PLAY_ON},
    {"extinction": "NB qr1", "extinction_result": "win", **PLAY_ON},
    {"king": "ordinary", "extinction": "K k", "promotion_to": "KN", **PLAY_ON},
    {"king": "ordinary", "goal": "lose-all", "capture": "obligatory", "castling": "after-move-10", **PLAY_ON},
    {"self_capture": "any-but-king", "promotion_to": "Q", "pawn_extra": "sideways", "giving_check": "forbidden"},
]
KNOWN: dict[str, dict[str, Setting]] = {
    "crazyhouse": ZH,
    "atomic": ATOMIC,
    "racing kings": RACE,
    "loop": {"drops": "captured-as-they-are", **PLAY_ON},
    "placement": PLACED,
    "horde": dict(rulesets.load_ruleset("chess/horde").settings),
    "berolina": {"pawn_moves": "fmFfcW"},
    "los alamos": dict(rulesets.load_ruleset("chess/los-alamos").settings),
    "gardner": dict(rulesets.load_ruleset("chess/gardner").settings),
    "six": {"start_position": "rnqknr/pppppp/6/6/PPPPPP/RNQKNR w -", "castling": "never"},
    "seventh": {"promotion_rank": "seventh", "start_position": CROWDS},
    "limited": {"promotion_limit": "captured", "start_position": LIMITED},
    "light brigade": {"start_position": "nnnnknnn/pppppppp/8/8/8/8/PPPPPPPP/1Q1QK1Q1 w -"},
    "queens": {"start_position": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RQQQKQQR w KQkq"},
    "extinction": dict(rulesets.load_ruleset("chess/extinction").settings),
    "two kings": dict(rulesets.load_ruleset("chess/two-kings").settings),
}


@pytest.mark.kernel
@pytest.mark.parametrize("changes", few.first(1, MIXTURES, thorough=6), ids=str)
def test_kernel_and_twin_play_the_same(changes: dict[str, Setting]) -> None:
    for seed in range(3):
        compare(rules(changes), seed, plies=120, fens=True)


def against_fairy_stockfish(
    settings: dict[str, Setting], name: str, fen: str, games: int, chess960: bool = False
) -> Counter[str | None]:
    """Plays random games, move lists and results compared ply by ply; returns how they ended."""
    pyffish = pytest.importorskip("pyffish")
    endings = Counter[str | None]()
    for seed in range(games):
        chance, game_state, played = random.Random(seed), begin(settings), list[str]()
        while len(played) < 120:
            result, why = game_state.outcome()
            moves = in_uci(game_state)
            theirs = pyffish.legal_moves(name, fen, played, chess960)
            ended, score = pyffish.is_immediate_game_end(name, fen, played, chess960)
            if result != contract.ONGOING:
                score = score if ended else pyffish.game_result(name, fen, played, chess960)
                mine = {contract.FIRST: 1, contract.SECOND: -1, contract.DRAW: 0}[result] * (-1) ** len(played)
                assert why == "insufficient-material" or (score > 0) - (score < 0) == mine, (played, why)
                endings[why] += 1
                break
            assert sorted(moves.values()) == sorted(theirs), played
            if ended:
                # Where Black may answer, it looks ahead whether there is an answer.
                assert settings["flag_when"] == "end-of-round"
                break
            move = chance.choice(list(moves))
            played.append(moves[move])
            game_state.push(move)
    return endings


@pytest.mark.parametrize("name", few.first(0, KNOWN, thorough=4))
def test_fairy_stockfish_plays_the_same(name: str) -> None:
    pyffish = pytest.importorskip("pyffish")
    settings = rules(KNOWN[name], ENDLESS)
    said = uci_variant("chess", settings)
    assert isinstance(said, UciVariant)
    pyffish.load_variant_config(said.ini)
    fen = said.start.removeprefix("fen ") if said.start != "startpos" else pyffish.start_fen(said.name)
    against_fairy_stockfish(settings, said.name, fen, 6)


@pytest.mark.parametrize(
    "start",
    few.first(
        0,
        [
            "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq",
            "4k3/pppppppp/8/8/8/8/PPPPPPPP/1R1K2R1 w BG",
            "rk5r/pppppppp/8/8/8/8/PPPPPPPP/R5KR w KQkq",
        ],
        thorough=1,
    ),
)
def test_fairy_stockfish_castles_the_same(start: str) -> None:
    settings = rules({"start_position": start, **ENDLESS})
    against_fairy_stockfish(settings, "chess", f"{start} - 0 1", 12, chess960=True)


PERFT: dict[str, tuple[dict[str, Setting], list[int]]] = {
    # As Fairy-Stockfish counts (F. Fichter, tests/perft.sh has deeper levels), and lichess for the first four.
    "crazyhouse": (ZH, [20, 400, 8902]),
    "atomic": (ATOMIC, [20, 400, 8902]),
    "placement": (PLACED, [40, 1600, 50560]),
    "horde": (KNOWN["horde"], [8, 128, 1274]),
    "racing kings": (RACE, [21, 421, 11264]),
    "los alamos": (KNOWN["los alamos"], [10, 100, 1212]),
    "gardner": (KNOWN["gardner"], [7, 53, 506]),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", PERFT)
def test_perft_is_as_published(name: str) -> None:
    changes, nodes = PERFT[name]
    assert [begin(rules(changes)).perft(depth) for depth in (1, 2, 3)] == nodes


def test_promoted_pieces_go_to_the_hand_as_pawns(engine: Engine) -> None:
    place = at("7k/1P6/8/8/8/8/8/r3K3[] w - - 0 1")
    hands = engine.legal(rules(ZH), ["e1e2", "a1b1", "b7b8q", "b1b8", "e2e3"], place)
    assert "P@e4" in hands and "Q@e4" not in hands


def test_an_explosion_spares_pawns_and_kings_that_touch_are_not_in_check(engine: Engine) -> None:
    settings = rules(ATOMIC)
    assert engine.fen(settings, ["e1e5"], at("7k/8/3np3/4b3/8/8/8/K3R3 w - - 0 1")) == "7k/8/4p3/8/8/8/8/K7 b"
    touching = at("8/8/8/3kK3/8/8/8/3r4 w - - 0 1")
    assert "e5e4" in engine.legal(settings, setup=touching)
    assert "e5e6" in engine.legal(settings, setup=at("8/8/8/3kK2r/8/8/8/8 w - - 0 1"))


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
    assert engine.fen(settings, ["f1g1"]) == "4k3/8/8/8/8/8/8/1R3RK1 b"
    assert engine.fen(settings, ["f1b1"]) == "4k3/8/8/8/8/8/8/2KR2R1 b"
    game_state = begin(settings)
    assert {"O-O", "O-O-O"} <= set(game_state.legal_texts())
    game_state.push_text("O-O")
    assert game_state.texts == ["O-O"]


def test_moves_are_written_and_read_back() -> None:
    for changes in (ZH, {"pawn_moves": "fmFfcW"}, {"start_position": SMALL}, ATOMIC):
        game_state, chance = begin(rules(changes)), random.Random(3)
        for _ in range(60):
            if game_state.outcome()[0] != contract.ONGOING:
                break
            for move in game_state.legal():
                for text in (
                    game_state.format(move),
                    game_state.notation.uci(game_state.rules, game_state.state, move),
                ):
                    assert game_state.notation.parse_move(game_state.rules, game_state.state, text) == move, text
            place = game_state.notation.position(game_state.rules, game_state.state)
            again = begin(rules(changes), place)
            assert again.notation.position(again.rules, again.state) == place
            assert sorted(in_uci(again).values()) == sorted(in_uci(game_state).values())
            game_state.push(chance.choice(game_state.legal()))


@pytest.mark.parametrize(
    ("changes", "fen", "text", "reason"),
    [
        (ZH, "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1", "P@e8", "is occupied"),
        (ZH, "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1", "P@a1", "not dropped on the first or the last rank"),
        (ZH, "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1", "N@a3", "There is no knight in hand"),
        ({}, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "N@a3", "not dropped"),
        (PLACED, "8/pppppppp/8/8/8/8/PPPPPPPP/2B5[KBk] w - - 0 1", "K@e3", "on the own first rank"),
        (PLACED, "8/pppppppp/8/8/8/8/PPPPPPPP/2B5[KBk] w - - 0 1", "B@e1", "squares of unlike colours"),
        (PLACED, "8/pppppppp/8/8/8/8/PPPPPPPP/2B5[KBk] w - - 0 1", "e2e4", "places one of them first"),
        (ATOMIC, "4k3/8/8/8/8/8/3p4/4K3 w - - 0 1", "e1d2", "blow up the own king"),
        (ATOMIC, "k3r3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e1a5", "does not move so"),
        ({"giving_check": "forbidden"}, "4k3/8/8/8/8/8/8/K6R w - - 0 1", "h1h8", "gives check is not legal"),
        ({"promotion_to": "RBN"}, "7k/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "does not become a queen"),
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
        (GKR | {"giving_check": "forbidden"}, "3k3r/8/8/8/8/8/8/5RK1 w Q - 0 1", "O-O-O", "gives check is not legal"),
        (GKR | {"castling": "after-move-10"}, "6kr/8/8/8/8/8/8/5RK1 w Q - 0 3", "O-O-O", "from move 11 on"),
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
        (["pawn_moves: mWcF"], "pawns that only go forward"),
        (["pawn_moves: fmFfcW", "pawn_extra: back"], "pawn_extra: none beside pawn_moves"),
        (["pawn_moves: fmFfcW", "turns: triple"], "turns: single beside pawn_moves"),
        (["promotion_to: RR"], "each letter once"),
        (["promotion_to: QK"], "no K, since"),
        (["drops: captured"], "insufficient_material: play-on"),
        (["drops: captured", "turns: triple", "insufficient_material: play-on"], "in which players move enemy pieces"),
        (["drops: placement", "castling: after-move-10"], "no rule says how these two go together"),
        (["start_position: 4k3/pppp4/8/8/8/8/PPPP4/4K3 b -", "swap: after-first"], "who moves first"),
        (["start_position: 4k3/pppp4/8/8/8/8/PPPP4/4K3 b -", "draw_value: 0"], "who moves first"),
        (["start_position: rnbqkkbqnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNBQKKBQNR w -"], "at most 8 files and ranks"),
        (["extinction: kK", "insufficient_material: play-on"], "pieces of one colour such as PNBRQ"),
        (["extinction: N2", "insufficient_material: play-on"], "more of N at the start"),
        (["extinction_result: win"], "it needs extinction"),
        (["start_position: rnbqk/ppppp/5/PPPPP/RNBQK w KQ"], "another size"),
        (["start_position: 4k3/8/8/8/8/8/8/4K3 w KQ"], "king and rook on their first rank"),
        (["start_position: rnbqk/ppppp/5/PPPPP/RNBQ w -"], "the same number of squares in each rank"),
        (["start_position: 4k3/8/8/4K3 w -"], "from 5 to 8 ranks"),
        (["start_position: 4k3/8/8/8/8/8/8/R3KR1R w HF"], "one rook on each side"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, lines: list[str], message: str) -> None:
    assert message in told(tmp_path, "chess", *lines)[2]


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

    assert sentence("promotion_to", "RBN") == "A pawn that is promoted becomes a knight, bishop or rook."
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
    ("changes", "why"),
    [
        ({"turns": "double"}, "turns: double"),
        ({"knight_moves": "N/NC", **PLAY_ON}, "knight_moves"),
        ({"pawn_moves": "fmWfcW"}, "pawn_moves"),
        ({"start_position": "4k3/8/8/8/8/8/8/1R3KR1 w GB"}, "castling from other squares"),
        ({"extinction": "NB qr1", **PLAY_ON}, "extinction"),
        ({"promotion_limit": "captured", "start_position": "4k3/8/8/8/8/8/P7/R3K3 w -"}, "promotion_limit"),
    ],
)
def test_what_fairy_stockfish_cannot_be_told_is_said(changes: dict[str, Setting], why: str) -> None:
    assert why in str(uci_variant("chess", rules(changes)))
