"""The first moves of many games, as text and as move codes: what the workers of a run write into its records.

Imports NumPy, the engine and a family's kernel and notation, and nothing else, so that workers start fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench import games
from workbench.engine import contract
from workbench.engine.trials import Codes, rules_of
from workbench.games import swapping


def opening_texts(game: str, codes: Codes, openings: Any) -> list[str]:
    """The first moves of each game as players write them, with spaces between.

    ``openings`` has a line of move codes for each game; -1 fills lines of shorter games. A position that several games
    share is played once.
    """
    rules = rules_of(game, codes)
    notation = games.notation(game)
    openings = np.asarray(openings)
    lines, line_of_game = np.unique(openings, axis=0, return_inverse=True)
    # The position before each ply of the line in hand; lines are sorted, so each shares its beginning with the last.
    positions = np.zeros((openings.shape[1] + 1, int(contract.state_size(rules))), np.int64)
    contract.start(rules, positions[0])
    played: list[int] = []
    moves: list[str] = []
    texts = []
    for line in lines.tolist():
        shared = 0
        while shared < len(played) and line[shared] == played[shared]:
            shared += 1
        del played[shared:], moves[shared:]
        for ply in range(shared, len(line)):
            move = line[ply]
            if move < 0:
                break
            moves.append(swapping.formatted(notation, rules, positions[ply], move))
            positions[ply + 1] = positions[ply]
            swapping.play(rules, positions[ply + 1], move)
            played.append(move)
        texts.append(" ".join(moves))
    return [texts[number] for number in line_of_game.reshape(-1).tolist()]


def opening_moves(game: str, codes: Codes, texts: Sequence[str]) -> Any:
    """The move codes of lines that are written as `opening_texts` writes them: int32 (lines x plies), -1 after the end.

    Raises:
        ValueError: a text is none of a move in its position; whether the move is legal is not asked.
    """
    rules = rules_of(game, codes)
    notation = games.notation(game)
    lines = [text.split() for text in texts]
    moves = np.full((len(lines), max(map(len, lines), default=0)), -1, np.int32)
    state = np.zeros(int(contract.state_size(rules)), np.int64)
    for line, words in zip(moves, lines, strict=True):
        contract.start(rules, state)
        for ply, word in enumerate(words):
            line[ply] = swapping.parsed(notation, rules, state, word)
            swapping.play(rules, state, int(line[ply]))
    return moves
