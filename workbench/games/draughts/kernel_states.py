"""Draughts' states for the solver: the squares of the board, the side to move and the quiet plies, if they count."""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import bits_for, get_bits, put_bits
from workbench.engine.jit import njit
from workbench.games.draughts import kernel_board as b
from workbench.games.draughts import kernel_tables as t
from workbench.games.draughts.kernel import position_hash
from workbench.games.draughts.kernel_board import TOGGLES


@njit
def _sets(rules: Any) -> int:
    """How many sets of squares are packed: the pieces of either seat, the kings, and what may be royal or huffed."""
    return 4 if rules.royal or rules.capture == TOGGLES.capture.huffing else 3


@njit
def _run_bits(rules: Any) -> int:
    """Return the bits of a seat's moves in a row: a square, and 20 at most."""
    return 13 if rules.king_run else 0


@njit
def _ending_bits(rules: Any) -> int:
    """Return the bits of what the rule on endings leaves: 120 plies at most."""
    return 7 if rules.endgame_limits else 0


@njit
def packed_bytes(rules: Any) -> int:
    """Return the turn, the quiet plies, and a bit a set for each square."""
    g, squares = b.geometry(rules), 0
    for word in range(b.words(rules)):
        for bit in range(64):
            squares += (t.BOARD[g, word] >> bit) & 1
    return (
        1 + bits_for(rules.quiet_limit) + _ending_bits(rules) + 2 * _run_bits(rules) + _sets(rules) * squares + 7
    ) // 8


@njit
def repetition_draws(rules: Any) -> bool:
    """Return a position that occurs too often is a draw."""
    return True


@njit
def pack(rules: Any, state: Any, packed: Any) -> None:
    """Pack all but the hash."""
    for i in range(packed.shape[0]):
        packed[i] = 0
    g, w, quiet = b.geometry(rules), b.words(rules), bits_for(rules.quiet_limit)
    at = put_bits(packed, 0, 1, state[b.TURN])
    at = put_bits(packed, at, quiet, min(state[b.QUIET], rules.quiet_limit))
    at = put_bits(packed, at, _ending_bits(rules), state[b.LEFT])
    for seat in range(2 if rules.king_run else 0):
        at = put_bits(packed, at, _run_bits(rules), state[b.runs(rules) + seat])
    for kind in range(_sets(rules)):
        for word in range(w):
            board, squares = t.BOARD[g, word], state[b.SETS + kind * w + word]
            while board:
                lowest_bit = board & -board
                board &= board - 1
                at = put_bits(packed, at, 1, 1 if squares & lowest_bit else 0)


@njit
def unpack(rules: Any, packed: Any, state: Any) -> None:
    """Write the state that was packed, its hash anew."""
    g, w, quiet = b.geometry(rules), b.words(rules), bits_for(rules.quiet_limit)
    state[:] = 0
    state[b.TURN] = get_bits(packed, 0, 1)
    state[b.QUIET] = get_bits(packed, 1, quiet)
    state[b.LEFT] = get_bits(packed, 1 + quiet, _ending_bits(rules))
    at = 1 + quiet + _ending_bits(rules)
    for seat in range(2 if rules.king_run else 0):
        state[b.runs(rules) + seat] = get_bits(packed, at, _run_bits(rules))
        at += _run_bits(rules)
    for kind in range(_sets(rules)):
        for word in range(w):
            board, squares = t.BOARD[g, word], 0
            while board:
                lowest_bit = board & -board
                board &= board - 1
                squares |= lowest_bit if get_bits(packed, at, 1) else 0
                at += 1
            state[b.SETS + kind * w + word] = squares
    state[b.HASH] = position_hash(rules, state)
