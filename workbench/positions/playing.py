"""Plies outside of compiled code: moves of a family's kernel, and the swap of sides; openings and traces of games.

Families know nothing of the swap: they see the game on the board, not which player has which side. Outside of compiled
code a kernel is handed a ply by `play` and `count_events` alone, a contract of the linter.

Imports NumPy, the engine and a family's kernel and notation, and nothing else, so that workers start fast.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from workbench import games
from workbench.engine import contract
from workbench.engine.agents import prepare_workspace, weight_rows
from workbench.engine.contract import SWAP
from workbench.engine.players import RANDOM, Codes, Player
from workbench.engine.search.evaluation import heuristic, win_score
from workbench.engine.trials import make_rules
from workbench.games import results


def formatted(notation: ModuleType, rules: Any, state: Any, move: int) -> str:
    """Return a move as players write it."""
    return results.SWAP if move == SWAP else str(notation.format_move(rules, state, move))


def parsed(notation: ModuleType, rules: Any, state: Any, text: str) -> int:
    """Return the move that a text stands for.

    Raises:
        ValueError: it is no text of a move in this position; whether the move is legal is not asked.
    """
    return SWAP if text.strip().casefold() == results.SWAP else int(notation.parse_move(rules, state, text))


def play(rules: Any, state: Any, ply: int) -> None:
    """Apply a legal ply in place; a swap changes nothing on the board."""
    if ply != SWAP:
        contract.play(rules, state, ply)  # noqa: TID251


def count_events(rules: Any, before: Any, ply: int, after: Any, counts: Any) -> None:
    """Add what a ply did to the int32 counters of the game; a swap counts nowhere."""
    if ply != SWAP:
        contract.events(rules, before, ply, after, counts)  # noqa: TID251


def on_board(moves: Iterable[int]) -> list[int]:
    """Return the moves of a game without the swap of sides."""
    return [int(move) for move in moves if move != SWAP]


def opening_texts(game: str, codes: Codes, openings: Any) -> list[str]:
    """Return the first moves of each game as players write them, with spaces between.

    ``openings`` has a line of move codes for each game; -1 fills lines of shorter games. A position that several games
    share is played once.
    """
    rules = make_rules(game, codes)
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
            moves.append(formatted(notation, rules, positions[ply], move))
            positions[ply + 1] = positions[ply]
            play(rules, positions[ply + 1], move)
            played.append(move)
        texts.append(" ".join(moves))
    return [texts[number] for number in line_of_game.reshape(-1).tolist()]


def opening_moves(game: str, codes: Codes, texts: Sequence[str]) -> Any:
    """Return the move codes of lines as `opening_texts` writes them: int32 (lines x plies), -1 after the end."""
    rules = make_rules(game, codes)
    notation = games.notation(game)
    lines = [text.split() for text in texts]
    moves = np.full((len(lines), max(map(len, lines), default=0)), -1, np.int32)
    state = np.zeros(int(contract.state_size(rules)), np.int64)
    for line, words in zip(moves, lines, strict=True):
        contract.start(rules, state)
        for ply, word in enumerate(words):
            line[ply] = parsed(notation, rules, state, word)
            play(rules, state, int(line[ply]))
    return moves


UNIT = 1000
"""Evaluations are kept in thousandths."""


class Trace(NamedTuple):
    """One game, ply by ply."""

    evaluations: Any
    """The first seat's expected score after each ply, -1 to 1, in thousandths: int16."""
    legal_moves: Any
    """The number of legal moves before each ply: int32."""


def traces(game: str, codes: Codes, first: Player, second: Player, moves: Any) -> list[Trace]:
    """Return the trace of each game, whose moves are played once more; none where both players move at random.

    ``moves`` has a line of move codes for each game; -1 fills the lines of shorter games. A position is evaluated by
    the mean of both players' weights, without noise, as `trials._play_game` does for lead changes and drama.
    """
    if first.agent.kind == RANDOM and second.agent.kind == RANDOM:
        return []
    rules = make_rules(game, codes)
    games.kernel(game)
    # No search is made: tables of the size that the players search with would be filled with zeros for nothing.
    idle = [player._replace(agent=player.agent._replace(kind=RANDOM), solution="") for player in (first, second)]
    ws = prepare_workspace(rules, 1, *idle)
    rows = weight_rows(rules, ws, *idle)
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
            play(rules, state, move)
            value = sum(share * heuristic(rules, state, agent, row, ws) for agent, row, share in looks)
            evaluations.append(win_score(value))
        thousandths = np.rint(UNIT * np.array(evaluations, np.float64)).astype(np.int16)
        found.append(Trace(thousandths, np.array(legal, np.int32)))
    return found
