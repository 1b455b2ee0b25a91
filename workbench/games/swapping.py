"""The plies of a game: moves of its kernel, and the swap of sides, which is none.

Families know nothing of the swap: what they are asked is the game on the board, whoever plays which side. Outside of
compiled code a kernel is handed a ply by `play` and `count_events` alone, a contract of the linter.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any

from workbench.engine import contract
from workbench.engine.contract import SWAP
from workbench.games import results


def formatted(notation: ModuleType, rules: Any, state: Any, move: int) -> str:
    """A move as players write it."""
    return results.SWAP if move == SWAP else str(notation.format_move(rules, state, move))


def parsed(notation: ModuleType, rules: Any, state: Any, text: str) -> int:
    """The move that a text stands for.

    Raises:
        ValueError: it is no text of a move in this position; whether the move is legal is not asked.
    """
    return SWAP if text.strip().casefold() == results.SWAP else int(notation.parse_move(rules, state, text))


def play(rules: Any, state: Any, ply: int) -> None:
    """Applies a legal ply in place; a swap changes nothing on the board."""
    if ply != SWAP:
        contract.play(rules, state, ply)  # noqa: TID251


def count_events(rules: Any, before: Any, ply: int, after: Any, counts: Any) -> None:
    """Adds what a ply did to the int32 counters of the game; a swap counts nowhere."""
    if ply != SWAP:
        contract.events(rules, before, ply, after, counts)  # noqa: TID251


def on_board(moves: Iterable[int]) -> list[int]:
    """The moves of a game without the swap of sides."""
    return [int(move) for move in moves if move != SWAP]
