"""The mixed game's states for the solver: a list of units, without the order in which they came and past positions."""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import bits_for, get_bits, put_bits
from workbench.engine.jit import njit
from workbench.games.rengo import kernel_board as b
from workbench.games.rengo import kernel_units as u
from workbench.games.rengo.kernel import clear

KIND_AND_SIDE, RESULT_BITS, ENDING_BITS, PASS_BITS = 7, 2, 5, 2


@njit
def _units_in_hand(army: Any) -> int:
    number = 0
    for i in range(army[0] + 1, army.shape[0]):
        number += army[i] & 0xFFFF
    return number


@njit
def _most_units(rules: Any) -> int:
    """How many units there are in the game: none is ever added."""
    armies = rules.first_army[0] + rules.second_army[0]
    return armies + _units_in_hand(rules.first_army) + _units_in_hand(rules.second_army)  # type: ignore[no-any-return]


@njit
def packed_bytes(rules: Any) -> int:
    """Each unit with its cell, both hands, prisoners, turn, passes, ko, and how the game has ended."""
    most, cell_bits = _most_units(rules), bits_for(rules.board * rules.board)
    bits = most * (cell_bits + KIND_AND_SIDE) + (2 * u.SLOTS + 2) * bits_for(most)
    return (bits + 1 + PASS_BITS + cell_bits + RESULT_BITS + ENDING_BITS + 7) // 8


@njit
def repetition_draws(rules: Any) -> bool:
    """Return whether a position that occurs too often can only be a draw: with 玉 and 帥 perpetual check loses."""
    for i in range(1, rules.second_army[0] + 1):
        if rules.second_army[i] >> 16 in (u.SHOGI_KING, u.XIANGQI_KING):
            return False
    return True


@njit
def pack(rules: Any, state: Any, packed: Any) -> None:
    """Pack the units in the order of their cells."""
    for i in range(packed.shape[0]):
        packed[i] = 0
    n, most = rules.board, _most_units(rules)
    cell_bits, count_bits = bits_for(n * n), bits_for(most)
    at, ko = 0, 0
    for y in range(n):
        for x in range(n):
            cell = b.cell_at(rules, x, y)
            if cell == state[b.KO]:
                ko = n * y + x + 1
            word = state[cell]
            if b.kind_of(word) != 0:
                at = put_bits(packed, at, cell_bits, n * y + x + 1)
                at = put_bits(packed, at, KIND_AND_SIDE, word & 127)
    at = most * (cell_bits + KIND_AND_SIDE)
    for place in range(2 * u.SLOTS):
        at = put_bits(packed, at, count_bits, state[b.HAND + place])
    for side in range(2):
        at = put_bits(packed, at, count_bits, state[b.PRISONERS + side])
    at = put_bits(packed, at, 1, state[b.TURN])
    at = put_bits(packed, at, PASS_BITS, min(state[b.PASSES], 3))
    at = put_bits(packed, at, cell_bits, ko)
    at = put_bits(packed, at, RESULT_BITS, state[b.RESULT])
    put_bits(packed, at, ENDING_BITS, state[b.ENDING])


@njit
def unpack(rules: Any, packed: Any, state: Any) -> None:
    """Write a state with these units, and no past."""
    n, most = rules.board, _most_units(rules)
    cell_bits, count_bits = bits_for(n * n), bits_for(most)
    clear(rules, state)
    for i in range(most):
        place = get_bits(packed, i * (cell_bits + KIND_AND_SIDE), cell_bits)
        if place == 0:
            break
        word = get_bits(packed, i * (cell_bits + KIND_AND_SIDE) + cell_bits, KIND_AND_SIDE)
        b.put(rules, state, b.cell_at(rules, (place - 1) % n, (place - 1) // n), word >> 6, word & b.KIND_MASK)
    at = most * (cell_bits + KIND_AND_SIDE)
    for place in range(2 * u.SLOTS):
        number = get_bits(packed, at, count_bits)
        at += count_bits
        if number > 0:
            b.add_to_hand(state, place // u.SLOTS, place % u.SLOTS, number)
    for side in range(2):
        state[b.PRISONERS + side] = get_bits(packed, at, count_bits)
        at += count_bits
    state[b.TURN] = get_bits(packed, at, 1)
    state[b.PASSES] = get_bits(packed, at + 1, PASS_BITS)
    at += 1 + PASS_BITS
    ko = get_bits(packed, at, cell_bits)
    if ko > 0:
        state[b.KO] = b.cell_at(rules, (ko - 1) % n, (ko - 1) // n)
    state[b.RESULT] = get_bits(packed, at + cell_bits, RESULT_BITS)
    state[b.ENDING] = get_bits(packed, at + cell_bits + RESULT_BITS, ENDING_BITS)
    for i in range(1, rules.second_army[0] + 1):
        if rules.second_army[i] >> 16 <= u.KINGS:
            state[b.SECOND_KING] = rules.second_army[i] >> 16
