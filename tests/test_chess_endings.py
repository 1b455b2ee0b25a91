"""Endings of chess by proposals: goals on the board, checks that are counted, bare kings, and stalemate of Black."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tests import chess_engines as c
from tests import few
from tests.chess_engines import Engine, at, begin, in_uci, rules
from tests.test_chess_kernel import compare
from tests.test_drawings import loaded, told
from workbench.engine import contract
from workbench.games import results
from workbench.games.chess.rules import DECLARATION
from workbench.games.declaration import Setting
from workbench.games.uci_variants import UciVariant, uci_variant
from workbench.questions import rulesets

engine = c.engine
pytestmark = pytest.mark.usefixtures("in_the_checkout")

PLAY_ON: dict[str, Setting] = {"insufficient_material": "play-on"}
HILL: dict[str, Setting] = {"flag": "Kk d4 e4 d5 e5", **PLAY_ON}
PAWNS_AND_KINGS = "4k3/4p2b/8/8/8/8/4P2B/4K3 w -"
MIXTURES: list[dict[str, Setting]] = [
    {"flag": "Kk *4; Qq *4 b*", "flag_when": "end-of-round", **PLAY_ON, **c.TRIPLE},
    {"flag": "P *8; p *1", "flag_when": "end-of-round", "pawn_double_step": "anywhere", **PLAY_ON},
    {"flag": "P d8 e8; pn *2", "pawn_extra": "sideways", "start_position": PAWNS_AND_KINGS, **PLAY_ON},
    {"checks_to_win": 2, **HILL},
    {"checks_to_win": 3, **c.TRIPLE, **PLAY_ON},
    {"checks_to_win": 4, "checks_of_black": 2, **PLAY_ON},
    {"bare_king": "loses", **PLAY_ON, "start_position": PAWNS_AND_KINGS},
    {"bare_king": "loses-unless-bared", **PLAY_ON, "start_position": PAWNS_AND_KINGS},
    {"stalemate_black": "loss", "stalemate": "win", "start_position": "k7/8/1K6/8/8/8/7Q/8 w -"},
]
KNOWN: list[dict[str, Setting]] = [
    HILL,
    {"flag": "K *8 a*; k *1", **PLAY_ON},
    {"flag": "P *8; p *1", "start_position": PAWNS_AND_KINGS, **PLAY_ON},
    {"flag": "P e8 f8 g8; p a1", "start_position": "4k3/ppp5/8/8/8/8/5PPP/4K3 w -", **PLAY_ON},
    {"checks_to_win": 3, **PLAY_ON},
    {"bare_king": "loses", **PLAY_ON, "start_position": "4k3/4p3/8/8/8/8/4P3/4K3 w -"},
]
"""What ends at the same ply at Fairy-Stockfish: where an answer is allowed it looks ahead whether there is one."""


@pytest.mark.kernel
@pytest.mark.parametrize("changes", few.first(1, MIXTURES), ids=str)
def test_kernel_and_twin_end_the_same(changes: dict[str, Setting]) -> None:
    for seed in range(4):
        compare(rules(changes), seed, plies=300, fens=True)


@pytest.mark.parametrize("changes", few.first(0, KNOWN, thorough=1), ids=str)
def test_fairy_stockfish_ends_the_same(changes: dict[str, Setting]) -> None:
    pyffish = pytest.importorskip("pyffish")
    settings = rules({**changes, "repetition": 0, "move_limit": 0})
    said = uci_variant("chess", settings)
    assert isinstance(said, UciVariant)
    pyffish.load_variant_config(said.ini)
    fen = said.start.removeprefix("fen ") if said.start != "startpos" else pyffish.start_fen(said.name)
    endings = Counter[str | None]()
    for seed in range(20):
        chance, game_state, played = random.Random(seed), begin(settings), list[str]()
        while len(played) < 200:
            result, why = game_state.outcome()
            moves = in_uci(game_state)
            ended, score = pyffish.is_immediate_game_end(said.name, fen, played)
            theirs = pyffish.legal_moves(said.name, fen, played)
            if result != contract.ONGOING:
                score = score if ended else pyffish.game_result(said.name, fen, played)
                mine = {contract.FIRST: 1, contract.SECOND: -1, contract.DRAW: 0}[result] * (-1) ** len(played)
                assert (score > 0) - (score < 0) == mine, (played, why)
                endings[why] += 1
                break
            assert not ended and sorted(moves.values()) == sorted(theirs), played
            move = chance.choice(list(moves))
            played.append(moves[move])
            game_state.push(move)
    assert endings.total() - endings["mate"] > 3


def test_a_goal_is_answered_and_draws(engine: Engine) -> None:
    answered = rules({"flag": "Kk *4", "flag_when": "end-of-round", **PLAY_ON})
    place = at("8/8/8/1K4k1/8/8/8/8 w - - 0 1")
    assert engine.outcome(answered, ["b5b4"], place) == ("ongoing", None)
    assert engine.outcome(answered, ["b5b4", "g5g4"], place) == ("draw", "both-at-goal")
    assert engine.outcome(answered, ["b5b4", "g5g6"], place) == ("first", "flag")
    assert engine.outcome(rules({"flag": "Kk *4", **PLAY_ON}), ["b5b4"], place) == ("first", "flag")


def test_a_draw_at_the_goals_says_that_both_have_arrived(engine: Engine) -> None:
    settings = rulesets.load_ruleset("chess/racing-kings").settings
    place = at("K7/7k/8/8/8/8/8/8 b - - 0 1")
    assert engine.outcome(settings, ["h7h8"], place) == ("draw", "both-at-goal")
    assert engine.outcome(settings, ["h7g6"], place) == ("first", "flag")
    named = results.ending(DECLARATION, "both-at-goal")
    assert named is not None and "Both colours" in named.sentence and "draw" in named.sentence


def test_a_pawn_at_its_goal_stays_a_pawn(engine: Engine) -> None:
    """It wins by its last rank, where a queen that gets there does not, and elsewhere it is promoted."""
    race = rules({"flag": "P *8; p *1", **PLAY_ON})
    place = at("8/4P2k/8/8/8/8/3Q4/K7 w - - 0 1")
    assert {move for move in engine.legal(race, [], place) if move.startswith("e7")} == {"e7e8"}
    assert engine.outcome(race, ["e7e8"], place) == ("first", "flag")
    assert engine.outcome(race, ["d2d8"], place) == ("ongoing", None)
    some = rules({"flag": "P d8", **PLAY_ON})
    assert engine.legal(some, [], at("3r4/4P2k/8/8/8/8/8/K7 w - - 0 1")) >= {"e7d8", "e7e8q", "e7e8n"}
    answered = rules({"flag": "P *8; p *1", "flag_when": "end-of-round", **PLAY_ON})
    place = at("r7/4P2k/8/8/8/8/5p2/1K6 w - - 0 1")
    assert engine.outcome(answered, ["e7e8", "h7g7"], place) == ("first", "flag")
    assert engine.outcome(answered, ["e7e8", "a8e8"], place) == ("ongoing", None)
    assert engine.outcome(answered, ["e7e8", "f2f1"], place) == ("draw", "both-at-goal")


def test_the_position_of_a_pawn_at_its_goal_is_read_again() -> None:
    answered = rules({"flag": "P *8; p *1", "flag_when": "end-of-round", **PLAY_ON})
    game_state = begin(answered, at("r7/4P2k/8/8/8/8/5p2/1K6 w - - 0 1"))
    assert "does not become another piece" in game_state.why_not("e8=Q")
    game_state.push_text("e8")
    written = game_state.notation.position(game_state.rules, game_state.state)
    assert written["fen"].startswith("r3P3/7k/")
    assert len(begin(answered, written).legal()) == len(game_state.legal())


def test_the_checks_of_a_position_are_set_up_and_written(engine: Engine) -> None:
    settings = rules({"checks_to_win": 3, **PLAY_ON})
    place = {**at("4k3/8/8/8/8/8/8/K6R w - - 0 1"), "checks": "2+0"}
    assert engine.outcome(settings, ["h1h8"], place) == ("first", "checks")
    game_state = begin(settings, {**place, "checks": "1+2"})
    game_state.push_text("h1h8")
    assert game_state.notation.position(game_state.rules, game_state.state)["checks"] == "2+2"
    assert any("White 2, Black 2" in note for note in game_state.board().notes)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("flag: Kk d9", "expected pieces and squares such as Kk d4 e4 d5 e5"),
        ("flag: K e1", "squares on which no such piece begins, found K e1"),
        ("flag: Kk e4", "insufficient_material: play-on beside it"),
        ("flag: P *8", "insufficient_material: play-on beside it"),
        ("flag_when: end-of-round", "it needs flag"),
        ("checks_to_win: 3", "by few pieces, too: write insufficient_material: play-on"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, line: str, message: str) -> None:
    assert message in told(tmp_path, "chess", line)[2]


def test_a_goal_is_said_in_words(tmp_path: Path) -> None:
    sentence = DECLARATION.toggle("flag").sentence("K *8; kq *1 d* e5")
    assert sentence.endswith("a white king on rank 8; a black queen or black king on rank 1, file d or e5.")
    assert DECLARATION.toggle("flag").sentence("P *8").endswith("rank 8. A pawn does not become another piece there.")
    ruleset = loaded(tmp_path, "chess", "flag: 'Kk  d4 e4'", "insufficient_material: play-on")
    assert ruleset.settings["flag"] == "Kk d4 e4"


def test_what_fairy_stockfish_cannot_be_told_is_said() -> None:
    assert "one kind of piece" in str(uci_variant("chess", rules({"flag": "KQ e4", **PLAY_ON})))
    assert "pawns that win" in str(
        uci_variant("chess", rules({"flag": "P *8", "promotion_rank": "seventh", **PLAY_ON}))
    )
    assert "stalemate_black" in str(uci_variant("chess", rules({"stalemate_black": "loss"})))
