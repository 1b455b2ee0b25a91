"""What the compiled draughts keeps beside the moves: hash, features and event counters, each checked another way."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from tests import few
from workbench import games
from workbench.engine import contract
from workbench.engine.trials import best_move
from workbench.games.declaration import Setting
from workbench.games.draughts import kernel, notation
from workbench.games.draughts import kernel_board as b
from workbench.games.draughts.kernel_board import TOGGLES
from workbench.players.agents import AgentSpec
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

DECLARATION = games.declaration("draughts")
EVENTS = [event.name for event in DECLARATION.events]
FEATURES = [feature.name for feature in DECLARATION.features]


def game_state_of(name: str, fen: str = "") -> GameState:
    return GameState("draughts", rulesets.load_ruleset(name).codes(), {"fen": fen} if fen else None)


def walk(name: str, games_played: int) -> Iterator[GameState]:
    """The positions of some random games, each before its move is made; the game state is the same object."""
    chance = random.Random(name)
    for _ in range(games_played):
        game_state = game_state_of(name)
        while legal := game_state.legal():
            yield game_state
            game_state.push(chance.choice(legal))


def features(rules: Any, state: Any) -> Any:
    out = np.zeros(len(FEATURES))
    contract.features(rules, state, out)
    return out


def turned(rules: Any, state: Any) -> Any:
    w = b.WORDS if b.wide(rules) else 1
    squares = [bit for row in notation.cells(rules) for bit in row if bit >= 0]
    after = state.copy()
    after[b.SETS :] = 0
    after[b.TURN] = 1 - state[b.TURN]
    for which, other in ((0, 1), (1, 0), (b.KINGS, b.KINGS), (b.ROYALS, b.ROYALS)):
        for bit, opposite in zip(squares, squares[::-1], strict=True):
            if b.has(state, b.SETS + which * w, bit):
                after[b.SETS + other * w + (opposite >> 6)] |= b.bit(opposite)
    after[b.HASH] = kernel.position_hash(rules, after)
    return after


@few.every_ruleset("draughts/")
def test_hash_is_kept_up_to_date(name: str) -> None:
    for game_state in walk(name, 3):
        assert game_state.state[b.HASH] == kernel.position_hash(game_state.rules, game_state.state)


@few.every_ruleset("draughts/")
def test_features_of_the_turned_position_are_the_negative(name: str) -> None:
    for game_state in walk(name, 2):
        values = features(game_state.rules, game_state.state)
        assert np.array_equal(features(game_state.rules, turned(game_state.rules, game_state.state)), -values)


@pytest.mark.parametrize(
    ("name", "fen", "expected"),
    [
        # A man on its back row and one that has advanced three rows, with one and two steps; Black's king has four.
        ("english", "W:W29,18:BK11", {"men": -2, "kings": 1, "mobility": 1, "back_row": -1, "advancement": -3}),
        # Either man could capture the other; what hangs is what the side to move can capture.
        ("english", "B:W18:B14", {"hanging": -1, "threatened": 1, "tempo": 1}),
        ("english", "W:W18:B14", {"hanging": 1, "threatened": -1, "tempo": -1}),
        ("english", "W:W19,24:B10,15,14", {"men": 1}),
        ("giveaway", "B:W18:B14,1", {"men": -1, "hanging": 1, "threatened": -1, "tempo": -1}),
        # The king has six squares up to the man on its only diagonal, and the man two.
        ("international", "W:WK46:B14", {"flying_kings": 1, "kings": 0, "men": -1, "mobility": 4}),
        ("tobishogo", "W:WRe1,d2:BRe5,f2", {"royal_attacked": 0, "men": 0, "kings": 0}),
        ("tobishogo", "B:WRe5,a1:BRi9,d6", {"royal_attacked": 1}),
    ],
)
def test_features_by_hand(name: str, fen: str, expected: dict[str, int]) -> None:
    game_state = game_state_of(f"draughts/{name}", fen)
    values = dict(zip(FEATURES, features(game_state.rules, game_state.state), strict=True))
    assert {feature: values[feature] for feature in expected} == expected


@few.every_ruleset("draughts/", quick=few.ONE_EACH)
def test_events_are_what_the_texts_of_the_moves_tell(name: str) -> None:
    for game_state in walk(name, 1):
        rules, before = game_state.rules, game_state.state
        legal = game_state.legal()
        captures = [move for move in legal if "x" in notation.full(rules, before, move)]
        free = rules._replace(capture_choice=TOGGLES.capture_choice.any, capture=1)
        all_moves = [notation.full(free, before, move) for move in notation._legal(free, before)]
        quiet = [text for text in all_moves if "x" not in text]
        obliged = rules.capture == TOGGLES.capture.obligatory
        for move in legal:
            after = before.copy()
            contract.play(rules, after, move)
            counts = np.zeros(len(EVENTS), np.int32)
            contract.events(rules, before, move, after, counts)
            taken = notation.captured(rules, before, move)
            men = [notation.pieces_fen(rules, state).count("K") for state in (before, after)]
            gone = [move & 255] if notation.full(rules, before, move).startswith("huff") else taken
            lost = sum(notation._has(rules, before, b.KINGS, square) for square in gone)
            royal = sum(notation._has(rules, before, b.ROYALS, square) for square in taken if rules.royal)
            crowned = men[1] - men[0] + lost - royal
            assert dict(zip(EVENTS, counts.tolist(), strict=True)) == {
                "captures": int(bool(taken)),
                "multi_captures": int(len(taken) > 1),
                "forced_captures": int(obliged and bool(taken) and bool(quiet)),
                "choice_bound": int(bool(taken) and len(captures) < len(all_moves) - len(quiet)),
                "crownings": crowned,
                "crownings_in_capture": crowned if taken else 0,
            }


FIRST_KING: dict[str, Setting] = {"goal": "first-king"}
PLAYERS = [
    AgentSpec.of("alphabeta", depth=1),
    AgentSpec.of("alphabeta", nodes=100),
    AgentSpec.of("best-first", nodes=100),
]


def position(fen: str, changes: Mapping[str, Setting] = FIRST_KING) -> GameState:
    return GameState("draughts", DECLARATION.codes({**DECLARATION.defaults(), **changes}), {"fen": fen})


def tactical(game: GameState) -> tuple[set[str], bool]:
    """The moves that a search must look at, and whether it may stop there."""
    moves = np.zeros(int(contract.max_moves(game.rules)), np.int32)
    n, quiet = contract.tactical_moves(game.rules, game.state, moves)
    return {game.format(int(move)) for move in moves[:n]}, bool(quiet)


def gain(game: GameState, move: str) -> float:
    worth = np.array([1.0, 0.0, 0.0])
    after = np.zeros(int(contract.state_size(game.rules)), np.int64)
    wanted = game.notation.parse_move(game.rules, game.state, move)
    return float(contract.gain(game.rules, game.state, wanted, worth, after))


def chosen(game: GameState, player: AgentSpec, seed: int = 1) -> str:
    numbers = player.player(games.declaration("draughts"))
    return game.format(best_move("draughts", game.codes, numbers, seed, game.played, game._states[0]))


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("fen", "changes", "moves"),
    [
        ("B:W5,12:B1,26", {}, {"1-6", "26-30", "26-31"}),
        ("W:W7,32:B13,19", {}, {"7-2", "7-3", "32-27", "32-28"}),
        ("B:W5,12:B1,22", {}, set()),
        ("B:W31,30:B26,5", {}, set()),
        ("B:W15:B11,26", {}, {"11x18"}),
        ("B:W26,9:B22,2", {"capture": "optional"}, {"22x31", "22-25", "2-6", "2-7"}),
        ("B:W15,9:B11,2", {"capture": "optional"}, set()),
        ("B:Wa1:Bh2", {"squares": "all", "rows": 2}, {"h2-h1"}),
        ("W:W8,50:B45", {"size": 10}, {"8-2", "8-3", "50-44"}),
        ("W:W8,65:B54", {"size": 12}, {"8-1", "8-2", "65-59", "65-60"}),
        # Where kings do not end the game.
        ("B:W5,12:B1,26", {"goal": DECLARATION.toggle("goal").default}, set()),
    ],
)
def test_a_position_in_which_the_first_king_can_be_made_is_not_quiet(
    fen: str, changes: Mapping[str, Setting], moves: set[str]
) -> None:
    assert tactical(position(fen, {**FIRST_KING, **changes})) == (moves, not moves)


@pytest.mark.kernel
def test_the_first_king_gains_more_than_any_capture() -> None:
    """However little a king is worth to a player who never saw one."""
    for fen, move in (("B:W5,12:B1,26", "26-31"), ("B:W26,27,5:B22", "22x31")):
        assert gain(position(fen), move) > 24
        assert gain(position(fen, {}), move) == (0.0 if "x" in move else -1.0)
    assert gain(position("B:W15:B11"), "11x18") == 1.0


@pytest.mark.kernel
@pytest.mark.parametrize("player", PLAYERS, ids=str)
def test_a_man_that_keeps_the_enemy_from_a_king_stays(player: AgentSpec) -> None:
    """Black's man on 1 stands in the way of White's on 5, which would win on its next move."""
    for seed in range(5):
        assert chosen(position("B:W5,32:B1,12"), player, seed) == "12-16"
