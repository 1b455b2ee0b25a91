"""The swap of sides among the moves of a game: how it is written, and lists of moves without it.

Families know nothing of it: what they are asked is the game on the board, whoever plays which side.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any

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


def on_board(moves: Iterable[int]) -> list[int]:
    """The moves of a game without the swap of sides."""
    return [int(move) for move in moves if move != SWAP]
