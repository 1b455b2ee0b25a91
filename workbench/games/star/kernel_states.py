"""The star game's states for the solver: packed without what no rule asks about."""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import get_bits, put_bits
from workbench.engine.jit import njit
from workbench.games.star import kernel as k

STAR_BITS = 5


@njit
def packed_bytes(rules: Any) -> int:
    """Two sets of pieces, the star, the turn, and for each seat whether the foul rule remembers something, and what."""
    cells, remembered = rules.size * rules.size, 0
    if rules.foul != k.TOGGLES.foul.off:
        remembered = 1 + cells + (0 if rules.foul == k.TOGGLES.foul.own_pieces else STAR_BITS)
    return (2 * cells + STAR_BITS + 1 + 2 * remembered + 7) // 8  # type: ignore[no-any-return]


@njit
def repetition_draws(rules: Any) -> bool:
    """Return a position that occurs too often is a draw."""
    return True


@njit
def _put_set(packed: Any, at: int, size: int, cells: int) -> int:
    for y in range(size):
        at = put_bits(packed, at, size, (cells >> (8 * y)) & ((1 << size) - 1))
    return at


@njit
def _get_set(packed: Any, at: int, size: int) -> int:
    cells = 0
    for y in range(size):
        cells |= get_bits(packed, at + y * size, size) << (8 * y)
    return cells


@njit
def pack(rules: Any, state: Any, packed: Any) -> None:
    """Pack pieces, star, turn and what the foul rule remembers."""
    for i in range(packed.shape[0]):
        packed[i] = 0
    at, n = 0, rules.size
    for side in range(2):
        at = _put_set(packed, at, n, state[k.PIECES + side])
    at = put_bits(packed, at, STAR_BITS, (state[k.STAR] >> 3) * n + (state[k.STAR] & 7))
    at = put_bits(packed, at, 1, state[k.TURN])
    if rules.foul == k.TOGGLES.foul.off:
        return
    for side in range(2):
        before = state[k.BEFORE + side]
        at = put_bits(packed, at, 1, 0 if before == k.NOTHING else 1)
        known = 0 if before == k.NOTHING else before
        at = _put_set(packed, at, n, known & k.BOARD[5])
        if rules.foul != k.TOGGLES.foul.own_pieces:
            star = known >> k.STAR_SHIFT
            at = put_bits(packed, at, STAR_BITS, (star >> 3) * n + (star & 7))


@njit
def unpack(rules: Any, packed: Any, state: Any) -> None:
    """Write the state that was packed."""
    at, n = 0, rules.size
    for side in range(2):
        state[k.PIECES + side] = _get_set(packed, at, n)
        at += n * n
    star = get_bits(packed, at, STAR_BITS)
    state[k.STAR] = (star // n) << 3 | (star % n)
    state[k.TURN] = get_bits(packed, at + STAR_BITS, 1)
    at += STAR_BITS + 1
    for side in range(2):
        state[k.BEFORE + side] = k.NOTHING
        if rules.foul == k.TOGGLES.foul.off:
            continue
        known = get_bits(packed, at, 1)
        before = _get_set(packed, at + 1, n)
        at += 1 + n * n
        if rules.foul != k.TOGGLES.foul.own_pieces:
            star = get_bits(packed, at, STAR_BITS)
            before |= ((star // n) << 3 | (star % n)) << k.STAR_SHIFT
            at += STAR_BITS
        if known:
            state[k.BEFORE + side] = before
