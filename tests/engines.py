"""The slow twin and the compiled kernel of a family behind one interface, and random games that compare them.

Moves are written in full: draughts with all captured squares behind a colon (11x25:15,22), chess in UCI. Where in chess
a pawn's owner chooses the piece, the pawn's move is "e7e8" and the owner's decision "=q".
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import pytest

from tests.games.chatra import twin as chatra
from tests.games.chess import twin as chess
from tests.games.draughts import twin as draughts
from tests.games.rengo import twin as rengo
from tests.games.star import twin as star
from workbench.games.declaration import Declaration, Setting
from workbench.games.results import RESULTS, SEATS
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

Settings = Mapping[str, Setting]
Setup = Mapping[str, Any] | str
"""A position to begin from, as the family's notation reads it; a text is its FEN."""
Outcome = tuple[str, str | None]
"""Result, "ongoing" as long as there is none, and termination."""
ONGOING: Outcome = ("ongoing", None)
TWINS: dict[str, Any] = {"chatra": chatra, "chess": chess, "draughts": draughts, "rengo": rengo, "star": star}
NATURAL_END = 2_000
"""Plies that no random game reaches whose rules end it."""


def with_defaults(declaration: Declaration, *changes: Settings) -> dict[str, Setting]:
    """Every toggle of a family: the defaults, then the changes in their order."""
    settings = declaration.defaults()
    for change in changes:
        settings |= change
    return settings


def begin(family: str, settings: Settings, setup: Setup | None = None) -> GameState:
    placed = {"fen": setup} if isinstance(setup, str) else setup
    return GameState(family, rulesets.kernel_codes(family, settings), placed)


COUNTS_AS: dict[object, str] = {0.5: "draw", 1: "first", 0: "second"}
"""The result that a draw is, by its value to the first seat."""


def outcome_of(game_state: GameState) -> Outcome:
    result, termination = game_state.outcome()
    return (RESULTS[result] if result else "ongoing"), termination


def full_moves(game_state: GameState) -> dict[str, int]:
    rules, state, notation = game_state.rules, game_state.state, game_state.notation
    written = {"chess": "uci", "draughts": "full"}.get(game_state.game, "format_move")
    listed = game_state._generate()
    moves = {getattr(notation, written)(rules, state, move): move for move in listed}
    assert len(moves) == len(listed), "a move is listed twice"
    return moves


class Engine:
    """What a test may ask of twin and kernel; settings name every toggle, and an illegal move raises ValueError."""

    def __init__(self, family: str) -> None:
        self.family = family

    def legal(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> set[str]:
        """The legal moves after these moves from the start or a set-up position."""
        raise NotImplementedError

    def outcome(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> Outcome:
        """Result and termination there, with the repetitions on the way."""
        raise NotImplementedError

    def seat(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> str:
        """Who chooses the next move: "first" or "second"."""
        raise NotImplementedError

    def legal_from(self, settings: Settings, setup: Setup, moves: Sequence[str] = ()) -> set[str]:
        return self.legal(settings, moves, setup)

    def outcome_from(self, settings: Settings, setup: Setup, moves: Sequence[str] = ()) -> Outcome:
        return self.outcome(settings, moves, setup)


class Twin(Engine):
    def played(self, settings: Settings, moves: Sequence[str], setup: Setup | None) -> list[Any]:
        """Every position of a game, the first included."""
        twin = TWINS[self.family]
        setup = {"fen": setup} if isinstance(setup, str) else setup
        positions = [twin.start(settings) if setup is None else twin.from_setup(settings, setup)]
        for ply, move in enumerate(moves, start=1):
            if move not in twin.legal_moves(settings, positions[-1]):
                raise ValueError(f"move {ply}, {move}, is not legal")
            positions.append(twin.play(settings, positions[-1], move))
        return positions

    def legal(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> set[str]:
        return set(TWINS[self.family].legal_moves(settings, self.played(settings, moves, setup)[-1]))

    def outcome(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> Outcome:
        twin = TWINS[self.family]
        *before, last = self.played(settings, moves, setup)
        result: Outcome = twin.outcome(settings, last, [twin.repetition_key(settings, each) for each in before])
        return result

    def seat(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> str:
        return SEATS[TWINS[self.family].seat(settings, self.played(settings, moves, setup)[-1])]


class Kernel(Engine):
    def played(self, settings: Settings, moves: Sequence[str], setup: Setup | None) -> GameState:
        game_state = begin(self.family, settings, setup)
        for ply, move in enumerate(moves, start=1):
            legal = full_moves(game_state)
            if move not in legal or not game_state.legal():
                raise ValueError(f"move {ply}, {move}, is not legal")
            game_state.push(legal[move])
        return game_state

    def legal(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> set[str]:
        return set(full_moves(self.played(settings, moves, setup)))

    def outcome(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> Outcome:
        return outcome_of(self.played(settings, moves, setup))

    def seat(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> str:
        return SEATS[self.played(settings, moves, setup).seat]


def engines(family: str) -> Any:
    """The fixture ``engine`` of a family: its slow twin, then its compiled kernel."""

    @pytest.fixture(name="engine", params=[Twin, Kernel], ids=["twin", "kernel"])
    def engine(request: pytest.FixtureRequest) -> Any:
        return request.param(family)

    return engine


def any_of(chance: random.Random, legal: list[str], position: Any) -> str:
    return chance.choice(legal)


def compare(
    family: str, settings: Settings, seed: int | str, plies: int = NATURAL_END, setup: Setup | None = None,
    choose: Callable[[random.Random, list[str], Any], str] = any_of,
    look: Callable[[Settings, GameState, list[Any], str], None] | None = None,
) -> tuple[int, str | None]:  # fmt: skip
    """Plays a random game on both; returns the number of positions compared and how the game ended.

    ``look`` compares more: it is given the twin's positions so far, and what an error should say.
    """
    twin, chance = TWINS[family], random.Random(seed)
    game_state = begin(family, settings, setup)
    positions = Twin(family).played(settings, (), setup)
    history: list[Hashable] = []
    for ply in range(plies):
        position = positions[-1]
        where = f"seed {seed}, {settings}, from {setup}, after {game_state.texts}"
        outcome, (result, termination) = outcome_of(game_state), twin.outcome(settings, position, history)
        if result == "draw":
            result = COUNTS_AS[settings.get("draw_value", 0.5)]
        assert outcome == (result, termination), where
        assert game_state.seat == twin.seat(settings, position), where
        if look is not None:
            look(settings, game_state, positions, where)
        if outcome[1]:
            return ply + 1, outcome[1]
        moves, legal = full_moves(game_state), twin.legal_moves(settings, position)
        assert set(moves) == legal, f"{where}: {set(moves) ^ legal}"
        move = choose(chance, sorted(legal), position)
        history.append(twin.repetition_key(settings, position))
        positions.append(twin.play(settings, position, move))
        game_state.push(moves[move])
    return plies, None
