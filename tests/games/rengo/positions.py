"""Positions of the mixed game that tests set up by hand.

A position is written as rows from the top; a cell is a dot or a unit, the second player's units have an apostrophe.
Most have no kings: what is tested is then not mixed up with check.
"""

from __future__ import annotations

import functools
from typing import Any

from workbench.games.declaration import Setting
from workbench.games.rengo import kernel_board as b
from workbench.games.results import RESULTS
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

SIZES = {"go9": 9, "go13": 13, "go19": 19, "othello8": 8, "renju15": 15, "draughts10": 10}


@functools.cache
def codes(changes: tuple[tuple[str, Setting], ...]) -> Any:
    base = rulesets.load_ruleset("rengo/go9")
    return rulesets.derive_ruleset(base, dict(changes), "test", "test").codes()


def position(board: str, where: str = "go9", to_move: str = "first", rules: Any = None, **setup: Any) -> GameState:
    """A set-up position; ``board`` may leave out empty rows at the bottom and be indented."""
    n = SIZES[where]
    lines = board.split()
    lines += ["." * n] * (n - len(lines))
    changes = {"board": where, **(rules or {})}
    return GameState(
        "rengo", codes(tuple(sorted(changes.items()))), {"board": "/".join(lines), "to_move": to_move, **setup}
    )


def legal(game_state: GameState) -> set[str]:
    return set(game_state.legal_texts())


def played(game_state: GameState, *moves: str) -> GameState:
    for move in moves:
        game_state.push_text(move)
    return game_state


def rows(game_state: GameState) -> list[list[str]]:
    """The board as positions are written: the second player's units have an apostrophe."""
    return [[symbol + "'" * (owner == 1) for symbol, owner in row] for row in game_state.board().pieces()]


def at(game_state: GameState, square: str) -> str:
    return rows(game_state)[int(square[1:]) - 1]["abcdefghijklmnopqrs".index(square[0])]


def outcome(game_state: GameState) -> tuple[str, str | None]:
    result, termination = game_state.outcome()
    return RESULTS[result], termination


def hand(game_state: GameState, seat: int, letter: str) -> int:
    return int(game_state.state[b.HAND + b.SLOTS * seat + b.HELD.index(letter)])


def prisoners(game_state: GameState, seat: int) -> int:
    return int(game_state.state[b.PRISONERS + seat])


def moves_as_cells(game_state: GameState) -> set[str]:
    return {move.rstrip("+") for move in game_state.legal_texts()}
