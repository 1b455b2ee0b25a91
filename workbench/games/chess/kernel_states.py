"""States of chess for the solver: which squares are taken and by what, and of the rest what the rules ask about."""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import bits_for, get_bits, popcount, put_bits
from workbench.engine.jit import njit
from workbench.games.chess import kernel_board as b
from workbench.games.chess import kernel_general as g
from workbench.games.chess.kernel import complete
from workbench.games.chess.kernel_board import TOGGLES

PIECE_BITS, RIGHTS_BITS, SQUARE_BITS = 4, 4, 6
"""What a piece takes with its colour, the castling that is left, and the square of a capture in passing."""
GIVEN_BITS, MORE_BITS = 16, 4 * 64
"""What the checks take, where they are counted, and what hands, pieces that were pawns, and the pawn that is passed."""
LONGEST_RUN_BITS = 16
"""What the length of a run takes where runs grow without end."""


@njit
def _pieces(rules: Any) -> int:
    """How many pieces there are at the start; no rule brings more of them."""
    drawn = rules.start_position
    return popcount(drawn[b.WHITE] | drawn[b.BLACK]) if drawn.shape[0] > 0 else 32


@njit
def _run_bits(rules: Any) -> int:
    """How many bits the length of a run takes, and as many again how far it has come; 0 where all runs are one ply."""
    if rules.turns == TOGGLES.turns.single:
        return 0
    grows = rules.turns == TOGGLES.turns.progressive or rules.turns == TOGGLES.turns.progressive_own
    return LONGEST_RUN_BITS if grows else 2


@njit
def _wait_bits(rules: Any) -> int:
    """How many bits the plies take that castling has to wait."""
    return bits_for(b.LONGEST_WAIT) if rules.castling == TOGGLES.castling.after_move_10 else 0


@njit
def packed_bytes(rules: Any) -> int:
    """Which squares are taken and by what, colour, seat, castling, en passant, and what the rules count or remember."""
    bits = 64 + PIECE_BITS * _pieces(rules) + 2 + RIGHTS_BITS + SQUARE_BITS
    bits += bits_for(rules.move_limit) + _wait_bits(rules) + 2 * _run_bits(rules)
    bits += GIVEN_BITS if rules.checks_to_win else 0
    bits += MORE_BITS if b.changes(rules) & b.GENERAL else 0
    return (bits + (64 if b.remembers_pieces(rules) else 0) + 7) // 8


@njit
def repetition_draws(rules: Any) -> bool:
    """Return a position that occurs too often is a draw."""
    return True


@njit
def pack(rules: Any, state: Any, packed: Any) -> None:
    """Pack all but the hash and what else follows from the position."""
    for i in range(packed.shape[0]):
        packed[i] = 0
    taken = state[b.WHITE] | state[b.BLACK]
    at = put_bits(packed, 0, 64, taken)
    at = put_bits(packed, at, 1, state[b.COLOUR])
    at = put_bits(packed, at, 1, state[b.SEAT])
    at = put_bits(packed, at, RIGHTS_BITS, state[b.CASTLING])
    at = put_bits(packed, at, SQUARE_BITS, state[b.PASSANT])
    at = put_bits(packed, at, bits_for(rules.move_limit), min(state[b.CLOCK], rules.move_limit))
    at = put_bits(packed, at, _wait_bits(rules), state[b.WAIT])
    at = put_bits(packed, at, _run_bits(rules), state[b.RUN])
    at = put_bits(packed, at, _run_bits(rules), state[b.DONE])
    if rules.checks_to_win:
        at = put_bits(packed, at, GIVEN_BITS, state[b.GIVEN])
    if state[b.CHANGED] & b.GENERAL:
        for word in range(b.HAND, b.PASSED + 1):
            at = put_bits(packed, at, 64, state[word])
    if b.remembers_pieces(rules):
        at = put_bits(packed, at, 64, state[b.MOVED])
    # A position that was set up may have more pieces than the start: what does not go in is left out.
    while taken and at + PIECE_BITS <= 8 * packed.shape[0]:
        square = taken & -taken
        taken ^= square
        kind = 0
        while state[kind] & square == 0:
            kind += 1
        at = put_bits(packed, at, PIECE_BITS, 2 * kind + (1 if state[b.BLACK] & square else 0))


@njit
def unpack(rules: Any, packed: Any, state: Any) -> None:
    """Write the state that was packed, and what follows from it."""
    state[:] = 0
    state[b.CHANGED] = b.changes(rules)
    taken = get_bits(packed, 0, 64)
    state[b.COLOUR] = get_bits(packed, 64, 1)
    state[b.SEAT] = get_bits(packed, 65, 1)
    state[b.CASTLING] = get_bits(packed, 66, RIGHTS_BITS)
    at = 66 + RIGHTS_BITS
    state[b.PASSANT] = get_bits(packed, at, SQUARE_BITS)
    at += SQUARE_BITS
    state[b.CLOCK] = get_bits(packed, at, bits_for(rules.move_limit))
    at += bits_for(rules.move_limit)
    state[b.WAIT] = get_bits(packed, at, _wait_bits(rules))
    at += _wait_bits(rules)
    state[b.RUN] = 1
    run = _run_bits(rules)
    if run:
        state[b.RUN], state[b.DONE] = get_bits(packed, at, run), get_bits(packed, at + run, run)
        at += 2 * run
    if rules.checks_to_win:
        state[b.GIVEN] = get_bits(packed, at, GIVEN_BITS)
        at += GIVEN_BITS
    if state[b.CHANGED] & b.GENERAL:
        g.set_board(rules, state)
        for word in range(b.HAND, b.PASSED + 1):
            state[word] = get_bits(packed, at, 64)
            at += 64
    if b.remembers_pieces(rules):
        state[b.MOVED] = get_bits(packed, at, 64)
        at += 64
    while taken and at + PIECE_BITS <= 8 * packed.shape[0]:
        square = taken & -taken
        taken ^= square
        piece = get_bits(packed, at, PIECE_BITS)
        state[piece >> 1] |= square
        state[b.WHITE + (piece & 1)] |= square
        at += PIECE_BITS
    complete(rules, state)
