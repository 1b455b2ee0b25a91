"""The first moves of many games as text: what the workers of a run write into its records.

Imports NumPy, the engine and a family's kernel and notation, and nothing else, so that workers start fast.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench import games
from workbench.engine import contract
from workbench.engine.trials import Codes, rules_of


def opening_texts(game: str, codes: Codes, openings: Any) -> list[str]:
    """The first moves of each game as players write them, with spaces between.

    ``openings`` has a line of move codes for each game; -1 fills lines of shorter games. A position that several games
    share is played once.
    """
    rules = rules_of(game, codes)
    format_move = games.notation(game).format_move
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
            moves.append(str(format_move(rules, positions[ply], move)))
            positions[ply + 1] = positions[ply]
            contract.play(rules, positions[ply + 1], move)
            played.append(move)
        texts.append(" ".join(moves))
    return [texts[number] for number in line_of_game.reshape(-1).tolist()]
