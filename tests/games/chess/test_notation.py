"""Chess as text: SAN and UCI, FEN with the place in the run, PGN that another program reads, and reasons."""

from __future__ import annotations

import io
import random
import re
from typing import Any

import chess
import chess.pgn
import numpy as np
import pytest

from tests import few
from tests.engines import Settings
from tests.games.chess import engines as c
from tests.games.chess.engines import at, begin, in_uci, rules
from tests.games.chess.test_kernel import some_place
from workbench.games.chess import notation
from workbench.games.chess.rules import DECLARATION
from workbench.games.results import RESULTS
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

CHESS = [name for name in rulesets.ruleset_names() if name.startswith("chess/")]
LENIENT = "e4 d5 exd5# Ng8f6 Bb5 c6 dc6 a6 cb7 Bd7 bxa8Q e6 Nf3 Be7 0-0"


def random_game(name: str, seed: int, plies: int, setup: dict[str, str] | None = None) -> GameState:
    chance = random.Random(seed)
    game_state = begin(rulesets.load_ruleset(name).settings, setup)
    while game_state.plies < plies and (moves := game_state.legal()):
        game_state.push(chance.choice(moves))
    return game_state


@pytest.mark.parametrize("seed", range(3))
def test_san_is_that_of_python_chess(seed: int) -> None:
    chance, game_state, board = random.Random(seed), begin(rules()), chess.Board()
    for _ in range(150):
        moves = game_state.legal()
        if not moves:
            break
        assert set(in_uci(game_state).values()) == {move.uci() for move in board.legal_moves}
        for move in moves:
            uci = notation.uci(game_state.rules, game_state.state, move)
            text = game_state.format(move)
            assert text == board.san(chess.Move.from_uci(uci))
            assert notation.parse_move(game_state.rules, game_state.state, text) == move
            assert notation.parse_move(game_state.rules, game_state.state, uci) == move
        move = chance.choice(moves)
        board.push_uci(notation.uci(game_state.rules, game_state.state, move))
        game_state.push(move)


def test_san_need_not_be_perfect() -> None:
    game_state = begin(rules())
    for text in LENIENT.split():
        game_state.push_text(text)
    assert " ".join(game_state.texts) == "e4 d5 exd5 Nf6 Bb5+ c6 dxc6 a6 cxb7+ Bd7 bxa8=Q e6 Nf3 Be7 O-O"


@few.every_ruleset("chess/")
def test_a_position_is_read_as_it_was_written(name: str) -> None:
    game_state, settings = random_game(name, 5, 120), rulesets.load_ruleset(name).settings
    for state in game_state._states:
        again = begin(settings, notation.position(game_state.rules, state)).state
        assert np.array_equal(again, state), notation.position(game_state.rules, state)


@pytest.mark.parametrize(
    ("setup", "reason"),
    [
        ({"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}, "0 kings"),
        ({"fen": "4k3/8/8/8/8/8/8/4K2 w - - 0 1"}, "rank 1 has 7 squares"),
        ({"fen": "4k3/8/8/8/8/8/4K3 w - - 0 1"}, "8 ranks"),
        ({"fen": "4k3/8/8/8/4x3/8/8/4K3 w - - 0 1"}, "'x' in rank 4"),
        ({"fen": "4k3/8/8/8/8/8/8/4K3 x - - 0 1"}, "colour to move"),
        ({"fen": "4k3/8/8/QQQQQ3/PPPPP3/8/8/4K3 w - - 0 1"}, "more pieces than eight promotions"),
        ({"fen": "4k3/8/8/8/8/8/8/4K3 w K - 0 1"}, "castling right K"),
        ({"fen": "4k3/8/8/8/8/8/8/4K3 w - e6 0 1"}, "no pawn has just passed e6"),
        ({"fen": "4k3/8/8/8/8/8/8/P3K3 w - - 0 1"}, "there is a pawn on"),
        ({"fen": "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1"}, "king could be captured"),
        ({"fen": "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "run": "2/3"}, "place"),
        ({"fen": "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "run": "three"}, "write 3/2"),
    ],
)
def test_positions_that_make_no_sense_are_refused(setup: dict[str, str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        begin(rules(c.TRIPLE), setup)


PINNED = {"fen": "4r1k1/8/8/8/8/8/4N3/4K2R w K - 0 1"}
CHECKED = {"fen": "4r1k1/8/8/8/8/8/8/R3K2R w KQ - 0 1"}
BEFORE_PROMOTION = {"fen": "7k/P7/8/8/8/8/8/K7 w - - 0 1", "run": "3/2"}
TWO_ROOKS = {"fen": "6k1/8/8/8/8/8/4K3/R6R w - - 0 1"}


@pytest.mark.parametrize(
    ("changes", "setup", "moves", "text", "reason"),
    [
        ({}, None, "", "e5", "no pawn of White can move to e5"),
        ({}, None, "", "e2e5", "cannot move to e5"),
        ({}, None, "", "xyz", "is not a move"),
        ({}, None, "", "e7e5", "White is to move"),
        ({}, None, "", "e4e5", "no piece on e4"),
        ({}, None, "", "Nd2", "no knight of White can move to d2"),
        ({}, None, "", "b1d2", "occupied by White's pawn"),
        ({}, None, "", "exd3", "nothing to capture on d3"),
        ({}, None, "e4 e5 Ke2 d6 Ke1 d5", "O-O", "king or rook has moved"),
        ({}, PINNED, "", "Nd4", "e2 is pinned"),
        ({}, CHECKED, "", "Ra2", "does not end the check"),
        ({}, CHECKED, "", "Ke2", "would be in check there"),
        ({}, TWO_ROOKS, "", "Rd1", "could be"),
        ({}, {"fen": "7k/P7/8/8/8/8/8/K7 w - - 0 1"}, "", "a8", "State what the pawn becomes"),
        (c.TRIPLE | c.OWNER, BEFORE_PROMOTION, "", "a8=Q", "owner chooses"),
        (c.TRIPLE | c.OWNER, BEFORE_PROMOTION, "a8", "Kg7", "promoted first"),
        (c.TRIPLE, None, "", "=Q", "No pawn is waiting"),
        (c.DETENTE, None, "e4 d5", "exd5", "d5 was moved on the previous ply and is safe"),
        (c.DETENTE, None, "e4 d6", "e5", "e4 was already moved this turn"),
    ],
)
def test_the_rule_that_forbids_a_move_is_said(
    changes: dict[str, Any], setup: dict[str, str] | None, moves: str, text: str, reason: str
) -> None:
    game_state = begin(rules(changes), setup)
    for move in moves.split():
        game_state.push_text(move)
    assert reason in game_state.why_not(text)


@few.every_ruleset("chess/", nightly_in=3)
def test_every_illegal_move_has_a_reason_and_no_legal_one(name: str) -> None:
    game_state = random_game(name, 8, 60)
    for state in game_state._states[::7]:
        game_state._states = [state]
        rules = game_state.rules
        legal = {notation.uci(rules, state, move) for move in notation.legal(rules, state)}
        for origin in range(64):
            for target in range(0, 64, 3):
                text = notation.square(origin) + notation.square(target)
                assert (game_state.why_not(text) == "") == (text in legal), text


def whole_moves(settings: Settings, game_state: GameState) -> tuple[list[str], list[int]]:
    """The plies of a game in UCI, the owner's choice of a promotion joined to the pawn's move; and who chose each."""
    moves: list[str] = []
    choosers: list[int] = []
    again = begin(settings, game_state.setup)
    for move in game_state.played:
        text = in_uci(again)[move]
        if text.startswith("="):
            moves[-1] += text[1]
        else:
            moves.append(text)
            choosers.append(again.seat)
        again.push(move)
    return moves, choosers


def read_back(game_state: GameState) -> chess.pgn.Game:
    tags = {"Variant": "Three-check"} if game_state.rules.checks_to_win == 3 else {}
    text = game_state.notation.pgn(game_state.rules, game_state.played, tags, setup=game_state.setup)
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None and not game.errors, text
    return game


def choosers_in_comments(game: chess.pgn.Game) -> list[int]:
    """Who chose each ply: {W} or {B} before a run says it; {W promotes} is another matter."""
    choosers: list[int] = []
    chooser = -1
    for child in game.mainline():
        for letter in re.findall(r"\b([WB])\b(?! promotes)", child.parent.comment):
            chooser = "WB".index(letter)
        choosers.append(chooser)
    return choosers


@pytest.mark.parametrize("name", few.first(2, [name for name in CHESS if c.read_by_python_chess(name)]))
def test_python_chess_reads_the_games_back(name: str) -> None:
    settings = rulesets.load_ruleset(name).settings
    for seed in range(6):
        setup = some_place(settings, random.Random(seed)) if seed > 1 else None
        game_state = random_game(name, seed, 150, setup)
        if "=q" in in_uci(game_state).values():
            game_state.undo()  # a pawn that waits for its piece is no move of chess yet
        moves, choosers = whole_moves(settings, game_state)
        game = read_back(game_state)
        assert [move.uci() for move in game.mainline_moves()] == moves
        result = RESULTS[game_state.outcome()[0]]
        assert game.headers["Result"] == {"first": "1-0", "second": "0-1", "draw": "1/2-1/2"}.get(result, "*"), seed
        if settings["turns"] != "single":
            assert choosers_in_comments(game) == choosers


def test_san_tells_a_move_apart_from_those_that_detente_forbids_too() -> None:
    # The rook from a1 has moved and may not go to d1; readers of the record do not know.
    settings = DECLARATION.defaults() | {"turns": "triple", "same_piece": "only-if-forced"}
    game_state = begin(settings, at("4k3/p7/8/8/8/8/4K3/R6R w - - 0 1", "3/1"))
    for move in ("a1b1", "a7a6", "h1c1"):
        game_state.push_text(move)
    assert game_state.texts[-1] == "Rhc1"
    assert [node.san() for node in read_back(game_state).mainline()] == game_state.texts
