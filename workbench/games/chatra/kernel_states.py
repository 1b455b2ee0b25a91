"""Chatra's states for the solver: packed without the number of plies, and without what the rules do not ask about."""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import bits_for, get_bits, put_bits
from workbench.engine.jit import njit
from workbench.games.chatra import kernel_board as b


@njit
def packed_bytes(rules: Any) -> int:
    """Both sides' subjects, the objects' cells, hands where the supply is limited, and four flags."""
    cells = rules.size * rules.size
    bits = 2 * cells + 2 * bits_for(cells) + 2 * _hand_bits(rules) + 4 + bits_for(rules.white_extra_moves)
    return (bits + 7) // 8  # type: ignore[no-any-return]


@njit
def _hand_bits(rules: Any) -> int:
    """Return the bits of a hand, which may have all subjects."""
    return bits_for(b.supply(rules, 0) + b.supply(rules, 1))


@njit
def repetition_draws(rules: Any) -> bool:
    """Return whether a position that occurs too often is a draw."""
    return rules.repetition == b.TOGGLES.repetition.draw  # type: ignore[no-any-return]


@njit
def _has_begun(state: Any) -> bool:
    """Return whether anything has been put on the board."""
    if state[b.OBJECT_CELL] >= 0 or state[b.OBJECT_CELL + 1] >= 0:
        return True
    subjects = 0
    for word in range(4):
        subjects |= state[word] | state[b.SET_WORDS + word]
    return subjects != 0


@njit
def pack(rules: Any, state: Any, packed: Any) -> None:
    """Pack board, hands, turn, check, and whether the limits have ended or a check has been, where that counts."""
    for i in range(packed.shape[0]):
        packed[i] = 0
    n, at = rules.size, 0
    for side in range(2):
        for y in range(n):
            row = (state[side * b.SET_WORDS + (y >> 2)] >> ((y & 3) << 4)) & ((1 << n) - 1)
            at = put_bits(packed, at, n, row)
    for side in range(2):
        cell = state[b.OBJECT_CELL + side]
        at = put_bits(packed, at, bits_for(n * n), n * (cell >> 4) + (cell & 15) + 1 if cell >= 0 else 0)
        at = put_bits(packed, at, _hand_bits(rules), state[b.HAND + side])
    at = put_bits(packed, at, 1, state[b.TURN])
    at = put_bits(packed, at, 1, state[b.IN_CHECK])
    at = put_bits(packed, at, 1, state[b.LIMITS_ENDED])
    if rules.object_into_centre == b.TOGGLES.object_into_centre.after_first_check:
        put_bits(packed, at, 1, state[b.CHECKED])
    if rules.white_extra_moves:
        put_bits(packed, at + 1, bits_for(rules.white_extra_moves), state[b.EXTRA])


@njit
def unpack(rules: Any, packed: Any, state: Any) -> None:
    """Write the state that was packed, as if the opening were just over."""
    n, at = rules.size, 0
    state[:] = 0
    for side in range(2):
        for y in range(n):
            row = get_bits(packed, at, n)
            at += n
            for x in range(n):
                if (row >> x) & 1:
                    b.flip(state, side * b.SET_WORDS, 16 * y + x)
    for side in range(2):
        place = get_bits(packed, at, bits_for(n * n))
        at += bits_for(n * n)
        state[b.HAND + side] = get_bits(packed, at, _hand_bits(rules))
        at += _hand_bits(rules)
        state[b.OBJECT_CELL + side] = -1
        if place > 0:
            cell = 16 * ((place - 1) // n) + (place - 1) % n
            state[b.OBJECT_CELL + side] = cell
            b.flip(state, b.OBJECTS, cell)
    state[b.TURN] = get_bits(packed, at, 1)
    state[b.IN_CHECK] = get_bits(packed, at + 1, 1)
    state[b.LIMITS_ENDED] = get_bits(packed, at + 2, 1)
    state[b.CHECKED] = get_bits(packed, at + 3, 1)
    if rules.white_extra_moves:
        state[b.EXTRA] = get_bits(packed, at + 4, bits_for(rules.white_extra_moves))
    state[b.PLIES] = 4 + state[b.TURN] if _has_begun(state) else 0
