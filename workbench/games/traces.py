"""How games went, ply by ply: what the workers of a run note of the first games of each cell.

Imports NumPy, the engine and a family's kernel, and nothing else, so that workers start fast. Nothing here chooses a
move: the moves of games that were played are played once more, so neither the games nor their records depend on it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from workbench import games
from workbench.engine import contract
from workbench.engine.agents import memory_of, rows_of
from workbench.engine.players import RANDOM, Player
from workbench.engine.search.evaluation import chance, heuristic
from workbench.engine.trials import Codes, rules_of
from workbench.games import swapping

UNIT = 1000
"""Evaluations are kept in thousandths."""


class Trace(NamedTuple):
    """One game, ply by ply."""

    evaluations: Any
    """The first seat's expected score after each ply, -1 to 1, in thousandths: int16."""
    legal_moves: Any
    """How many moves were legal before each ply: int32."""


def traces(game: str, codes: Codes, first: Player, second: Player, moves: Any) -> list[Trace]:
    """The trace of each game, from its list of moves; none where both players move at random.

    ``moves`` has a line of move codes for each game; -1 fills the lines of shorter games. A position is evaluated by
    the mean of both players' weights, without noise, as `trials._play_game` does for lead changes and drama.
    """
    if first.agent.kind == RANDOM and second.agent.kind == RANDOM:
        return []
    rules = rules_of(game, codes)
    games.kernel(game)
    # No search is made: tables of the size that the players search with would be filled with zeros for nothing.
    idle = [player._replace(agent=player.agent._replace(kind=RANDOM), solution="") for player in (first, second)]
    ws = memory_of(rules, 1, *idle)
    rows = rows_of(rules, ws, *idle)
    # Where neither has learned, the value is linear in the weights, and one look is enough.
    looks = (
        [(first.agent, rows[0], 0.5), (second.agent, rows[1], 0.5)]
        if first.agent.learned or second.agent.learned
        else [(first.agent, rows.mean(axis=0), 1.0)]
    )
    state = np.zeros(int(contract.state_size(rules)), np.int64)
    buffer = np.zeros(int(contract.max_moves(rules)), np.int32)
    found = []
    for line in np.asarray(moves):
        contract.start(rules, state)
        evaluations, legal = [], []
        for move in line[line >= 0]:
            legal.append(contract.legal_moves(rules, state, buffer))
            swapping.play(rules, state, move)
            value = sum(share * heuristic(rules, state, agent, row, ws) for agent, row, share in looks)
            evaluations.append(chance(value))
        thousandths = np.rint(UNIT * np.array(evaluations, np.float64)).astype(np.int16)
        found.append(Trace(thousandths, np.array(legal, np.int32)))
    return found
