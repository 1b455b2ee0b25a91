"""Exact solutions of small games: perft, the values of all states, and proofs by forward search.

The states of a game with its moves are a graph. `expand` lists it breadth first through the contract; a state is stored
as packed by its family (`contract.pack`), and states are equal if these bytes are. For a family without a packing,
``layout`` (int64, a row per word of a state: `LOW`, `HIGH`, `BITS`) has the limits and the number of bits of each word;
a state outside the limits is reported, not stored. `settle` computes values in passes backwards from the finished
states, one ply of best play per pass.

States are numbered in the order in which they are found, from the start, 0. ``degrees`` (uint16) is the number of a
state's moves, 0 if it is finished, with the seat to move in the highest bit. ``values`` (int16) is 1 plus the plies to
a forced win of the first seat, the negative of that for the second, `DRAWN` for a finished draw, and 0 if unknown, or
if neither side can force a win. ``targets`` (uint32) are the states after moves, concatenated for the states of a
chunk.

`prove` decides by proof-number search whether a seat, the attacker, can force a goal, where the states are too many to
list. A position's proof number is the minimum number of unfinished positions that must be won to prove it, its disproof
number the minimum that must be lost to disprove it; the search always goes to a position that counts for both, depth
first, within limits at which another one becomes more promising. Results are in a table of fixed size, in which entries
of least work are replaced. Proofs are of trees: they are valid only where no position can be repeated in a game, so a
repeated position ends the search.

Sources: L. V. Allis, M. van der Meulen, H. J. van den Herik, "Proof-number search", Artificial Intelligence 66, 1994;
A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002; J. Pawlewicz, L. Lew, "Improving
depth-first PN-search: 1 + epsilon trick", 2006.

Limits: a forward search identifies positions by a hash of 63 bits: of ten million, two collide with probability 5 in a
million.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine import contract
from workbench.engine.bits import get_bits, put_bits
from workbench.engine.jit import copy, inline_ir, njit
from workbench.engine.rng import mix


def perft(rules: Any, state: Any, depth: int) -> int:
    """Count the sequences of ``depth`` legal moves from ``state``, ignoring repetition rules.

    Moves of the last ply are counted without being played.
    """
    if depth <= 0:
        return 1
    states = np.zeros((depth, contract.state_size(rules)), np.int64)
    states[0] = state
    moves = np.zeros((depth, contract.max_moves(rules)), np.int32)
    return int(_count_sequences(rules, states, moves, np.zeros(depth, np.int64)))


@njit
def _count_sequences(rules: Any, states: Any, moves: Any, remaining: Any) -> int:
    depth = remaining.shape[0]
    total = 0
    ply = 0
    entering = True
    while ply >= 0:
        if entering:
            if ply + 1 == depth:
                n = contract.count_moves(rules, states[ply], moves[ply])
            else:
                n = contract.legal_moves(rules, states[ply], moves[ply])
            result, _ = contract.outcome(rules, states[ply], n)
            remaining[ply] = n if result == contract.ONGOING else 0
            if ply + 1 == depth:
                total += remaining[ply]
                remaining[ply] = 0
        if remaining[ply] == 0:
            ply -= 1
            entering = False
            continue
        remaining[ply] -= 1
        copy(states[ply], states[ply + 1])
        contract.play(rules, states[ply + 1], moves[ply, remaining[ply]])
        ply += 1
        entering = True
    return total


FOUND, EXPANDED, EDGES, MISFITS = 0, 1, 2, 3
"""Words of the counters: states found, states expanded, transitions in the current chunk, states outside the layout."""
LOW, HIGH, BITS = 0, 1, 2
WHOLE = 64
"""Number of bits of a word that is stored unchanged."""
LONGEST = 1_000_000
"""Values for players and reports are `LONGEST` minus the plies to a forced win of the first seat, the negative of that
for the second, or 0."""
DRAWN = -32768
MOST_PLIES = 32_000
SECOND_TO_MOVE, MOVES_MASK = 1 << 15, (1 << 15) - 1
TERMINATIONS = 64


@inline_ir
def put_state(rules: Any, layout: Any, state: Any, packed: Any) -> bool:
    """Pack a state; return False if it is outside the layout."""
    if layout.shape[0] == 0:
        contract.pack(rules, state, packed)
        return True
    for i in range(packed.shape[0]):
        packed[i] = 0
    offset = 0
    for i in range(layout.shape[0]):
        if state[i] < layout[i, LOW] or state[i] > layout[i, HIGH]:
            return False
        bits = layout[i, BITS]
        if bits > 0:
            offset = put_bits(packed, offset, bits, state[i] if bits == WHOLE else state[i] - layout[i, LOW])
    return True


@inline_ir
def _get_state(rules: Any, layout: Any, packed: Any, state: Any) -> None:
    """Unpack a state."""
    if layout.shape[0] == 0:
        contract.unpack(rules, packed, state)
        return
    offset: Any = 0
    for i in range(layout.shape[0]):
        bits = layout[i, BITS]
        if bits == WHOLE:
            state[i] = get_bits(packed, offset, WHOLE)
        else:
            state[i] = layout[i, LOW] + get_bits(packed, offset, bits)
        offset += bits


@njit
def get_states(rules: Any, layout: Any, packed: Any, states: Any) -> None:
    """Unpack states into the rows of ``states``."""
    for i in range(states.shape[0]):
        _get_state(rules, layout, packed[i], states[i])


@njit
def repack(rules: Any, layout: Any, packed: Any, wider: Any, repacked: Any, count: int, state: Any) -> None:
    """Pack ``count`` states again, using a wider layout."""
    for i in range(count):
        _get_state(rules, layout, packed[i], state)
        put_state(rules, wider, state, repacked[i])


@inline_ir
def packed_word(packed: Any) -> Any:
    """Return the uint64 hash of a packed state."""
    hash_value = np.uint64(0)
    for offset in range(0, packed.shape[0], 8):
        part = np.uint64(0)
        for i in range(offset, min(offset + 8, packed.shape[0])):
            part |= np.uint64(packed[i]) << np.uint64(8 * (i - offset))
        hash_value = mix(hash_value ^ part) + np.uint64(offset)
    return hash_value


@njit
def index(states: Any, table: Any, count: int) -> None:
    """Enter ``count`` states into an empty hash table with open addressing, as their numbers plus 1."""
    mask = table.shape[0] - 1
    for i in range(count):
        slot = np.int64(packed_word(states[i]) & np.uint64(mask))
        while table[slot] != 0:
            slot = (slot + 1) & mask
        table[slot] = i + 1


@inline_ir
def _find_or_add(states: Any, table: Any, packed: Any, count: int) -> int:
    """Return the number of a state. A new state is stored with the number ``count``."""
    mask = table.shape[0] - 1
    slot = np.int64(packed_word(packed) & np.uint64(mask))
    while table[slot] != 0:
        number = np.int64(table[slot]) - 1
        i = 0
        while i < packed.shape[0] and states[number, i] == packed[i]:
            i += 1
        if i == packed.shape[0]:
            return number
        slot = (slot + 1) & mask
    for i in range(packed.shape[0]):
        states[count, i] = packed[i]
    table[slot] = count + 1
    return count


@njit
def expand(
    rules: Any, layout: Any, states: Any, table: Any, degrees: Any, values: Any, targets: Any, counters: Any, endings:
    Any, moves: Any, state: Any, after: Any, packed: Any, until: int,
) -> None:  # fmt: skip
    """Continue listing states and transitions until ``until`` states are expanded or an array is full.

    Listing also stops at a state outside the layout, which is then in ``after``; it can continue with a wider
    layout. ``endings`` counts the finished states by termination. ``targets`` is filled from ``counters[EDGES]``; if it
    is empty, transitions are not stored. The table is at most 2/3 full.
    """
    stores_targets, width = targets.shape[0] > 0, moves.shape[0]
    limit = min(states.shape[0], 2 * (table.shape[0] // 3)) - width
    while counters[EXPANDED] < min(counters[FOUND], until):
        if counters[FOUND] > limit or (stores_targets and counters[EDGES] + width > targets.shape[0]):
            return
        i = counters[EXPANDED]
        _get_state(rules, layout, states[i], state)
        n = contract.legal_moves(rules, state, moves)
        result, termination = contract.outcome(rules, state, n)
        if result == contract.ONGOING:
            edges = counters[EDGES]
            for m in range(n):
                copy(state, after)
                contract.play(rules, after, moves[m])
                if not put_state(rules, layout, after, packed):
                    counters[EDGES] = edges
                    counters[MISFITS] += 1
                    return
                target = _find_or_add(states, table, packed, counters[FOUND])
                if target == counters[FOUND]:
                    counters[FOUND] += 1
                if stores_targets:
                    targets[counters[EDGES]] = target
                counters[EDGES] += 1
            degrees[i] = n | (SECOND_TO_MOVE if contract.seat(rules, state) == 1 else 0)
        else:
            values[i] = 1 if result == contract.FIRST else -1 if result == contract.SECOND else DRAWN
            endings[termination] += 1
        counters[EXPANDED] = i + 1


@njit
def regenerate(
    rules: Any, layout: Any, states: Any, table: Any, degrees: Any, targets: Any, low: int, high: int, moves: Any,
    state: Any, after: Any, packed: Any,
) -> int:  # fmt: skip
    """Fill ``targets`` for the states from ``low`` to ``high`` that fit, and return the first state that does not."""
    edges = 0
    for i in range(low, high):
        if edges + moves.shape[0] > targets.shape[0]:
            return i
        if degrees[i] & MOVES_MASK == 0:
            continue
        _get_state(rules, layout, states[i], state)
        for m in range(contract.legal_moves(rules, state, moves)):
            copy(state, after)
            contract.play(rules, after, moves[m])
            put_state(rules, layout, after, packed)
            targets[edges] = _find_or_add(states, table, packed, 0)
            edges += 1
    return high


@njit
def settle(degrees: Any, values: Any, targets: Any, low: int, high: int, last_value: int) -> int:
    """Set the values of states from ``low`` to ``high`` that are one ply beyond ``last_value``; return their number.

    Values up to ``last_value`` must be set already. The winner chooses the shortest win, the loser the longest loss.
    """
    settled = 0
    first_edge: Any = 0
    for i in range(low, high):
        n = np.int64(degrees[i]) & MOVES_MASK
        if n > 0 and values[i] == 0:
            sign = -1 if degrees[i] & SECOND_TO_MOVE else 1
            wins: Any = False
            loses: Any = True
            for edge in range(first_edge, first_edge + n):
                value = sign * np.int64(values[targets[edge]])
                if value == last_value:
                    wins = True
                    break
                # Ignore values set in this pass.
                loses &= -last_value <= value < 0
            if wins:
                values[i] = sign * (last_value + 1)
                settled += 1
            elif loses:
                values[i] = -sign * (last_value + 1)
                settled += 1
        first_edge += n
    return settled


@njit
def spread(degrees: Any, targets: Any, low: int, high: int, shares: Any, after: Any) -> None:
    """Add to ``after`` the probabilities (float64) of states after a random move from states ``low`` to ``high``."""
    first_edge: Any = 0
    for i in range(low, high):
        n = np.int64(degrees[i]) & MOVES_MASK
        if n > 0 and shares[i] != 0.0:
            share = shares[i] * (1.0 / n)
            for edge in range(first_edge, first_edge + n):
                after[targets[edge]] += share
        first_edge += n


@njit
def tally(degrees: Any, values: Any, shares: Any, sums: Any) -> None:
    """Fill ``sums`` with the total shares of first-seat wins, second-seat wins, draws and unfinished states."""
    for i in range(4):
        sums[i] = 0.0
    for i in range(shares.shape[0]):
        if degrees[i] & MOVES_MASK:
            sums[3] += shares[i]
        elif values[i] == DRAWN:
            sums[2] += shares[i]
        else:
            sums[0 if values[i] > 0 else 1] += shares[i]


@njit
def fill_keys(rules: Any, layout: Any, states: Any, low: int, high: int, state: Any, keys: Any) -> None:
    """Fill the uint64 array ``keys`` with the keys of the states from ``low`` to ``high``."""
    for i in range(low, high):
        _get_state(rules, layout, states[i], state)
        keys[i] = contract.key(rules, state)


@njit
def hash_states(packed: Any, hashes: Any) -> None:
    """Fill the uint64 array ``hashes`` with the hashes of packed states."""
    for i in range(hashes.shape[0]):
        hashes[i] = packed_word(packed[i])


@njit
def hash_stored(rules: Any, layout: Any, states: Any, state: Any, packed: Any, hashes: Any) -> None:
    """Fill ``hashes`` with those of stored states as packed by the family; ``state`` and ``packed`` are buffers."""
    for i in range(hashes.shape[0]):
        if layout.shape[0] == 0:
            hashes[i] = packed_word(states[i])
        else:
            _get_state(rules, layout, states[i], state)
            contract.pack(rules, state, packed)
            hashes[i] = packed_word(packed)


@njit
def look_up(keys: Any, values: Any, key: Any) -> int:
    """Return a state's value by binary search in the sorted ``keys``, or 0 if it is missing."""
    low, high = 0, keys.shape[0]
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low < keys.shape[0] and keys[low] == key:
        return values[low]
    return 0


SURE = 1 << 30
"""The disproof number of a proved position, and the proof number of a disproved one."""
DEPTH, ENTERING, SEARCHED, END = 0, 1, 2, 3
"""Words of the search: plies from the root, whether the position is new, number of searched positions, and `END`."""
SEARCHING, PROVED, DISPROVED, RECURS, TOO_DEEP = 0, 1, 2, 3, 4
"""States of a search."""
PROOF, DISPROOF, WORK = 0, 1, 2
"""Columns of the table (uint32): both numbers, and the number of positions searched to find them."""
MOVES, BEGUN, FOLLOWED, PROOF_LIMIT, DISPROOF_LIMIT = 0, 1, 2, 3, 4
"""Columns of the path (int64): number of moves, `SEARCHED` on entry, index of the followed move, and both limits."""
PLACES = 4
"""Number of table slots in which a position may be stored."""


@inline_ir
def _find_slot(key: Any, keys: Any) -> Any:
    """Return a position's slot in the table, or -1."""
    mask = np.uint64(keys.shape[0] - 1)
    for i in range(PLACES):
        slot = np.int64((key + np.uint64(i)) & mask)
        if keys[slot] == key:
            return slot
    return -1


@njit
def _enter(key: Any, keys: Any, table: Any, proof: int, disproof: int, work: int) -> None:
    """Store a position's proof and disproof numbers, replacing the entry with the least work if no slot is free."""
    mask = np.uint64(keys.shape[0] - 1)
    best = np.int64(key & mask)
    for i in range(PLACES):
        slot = np.int64((key + np.uint64(i)) & mask)
        if keys[slot] == key or keys[slot] == 0:
            best = slot
            break
        if table[slot, WORK] < table[best, WORK]:
            best = slot
    keys[best] = key
    table[best, PROOF], table[best, DISPROOF], table[best, WORK] = proof, disproof, min(work, SURE)


@inline_ir
def _position_hash(rules: Any, state: Any, packed: Any) -> Any:
    """Return the hash of a position; never 0, which marks an empty slot."""
    contract.pack(rules, state, packed)
    return packed_word(packed) | np.uint64(1)


@inline_ir
def _is_won(result: int, attacker: int, draw_wins: bool) -> bool:
    """Check whether a result achieves the attacker's goal."""
    return draw_wins if result == contract.DRAW else result == 1 + attacker


@njit
def begin(rules: Any, states: Any, hashes: Any, path: Any, packed: Any, search: Any) -> None:
    """Start a proof of the position in ``states[0]``."""
    hashes[0] = _position_hash(rules, states[0], packed)
    path[0, PROOF_LIMIT] = path[0, DISPROOF_LIMIT] = SURE
    search[:] = 0
    search[ENTERING] = 1


@njit
def _expand_position(
    rules: Any, attacker: int, draw_wins: bool, states: Any, moves: Any, children: Any, numbers: Any, hashes: Any,
    path: Any, words: Any, table: Any, packed: Any, buffer: Any, search: Any,
) -> bool:  # fmt: skip
    """List the moves of a new position and detect finished games; return False if the position itself is finished."""
    depth = search[DEPTH]
    state = states[depth]
    search[SEARCHED] += 1
    n = contract.legal_moves(rules, state, moves[depth])
    path[depth, MOVES], path[depth, BEGUN] = n, search[SEARCHED]
    result, _ = contract.outcome(rules, state, n)
    if result != contract.ONGOING:
        won = _is_won(result, attacker, draw_wins)
        _enter(hashes[depth], words, table, 0 if won else SURE, SURE if won else 0, 1)
        return False
    for i in range(n):
        after = states[depth + 1]
        copy(state, after)
        contract.play(rules, after, moves[depth, i])
        key = _position_hash(rules, after, packed)
        children[depth, i] = key
        for ancestor in range(depth + 1):
            if hashes[ancestor] == key:
                search[END] = RECURS
        slot = _find_slot(key, words)
        if slot >= 0:
            numbers[depth, i, PROOF], numbers[depth, i, DISPROOF] = table[slot, PROOF], table[slot, DISPROOF]
            continue
        result, _ = contract.terminal(rules, after, buffer)
        won = _is_won(result, attacker, draw_wins)
        numbers[depth, i, PROOF] = 1 if result == contract.ONGOING else 0 if won else SURE
        numbers[depth, i, DISPROOF] = 1 if result == contract.ONGOING else SURE if won else 0
    return True


@inline_ir
def _leave(numbers: Any, path: Any, search: Any, proof: Any, disproof: Any) -> None:
    """Return to the parent position with this position's numbers; at the root, end the search."""
    depth = search[DEPTH]
    if depth == 0:
        search[END] = PROVED if proof == 0 else DISPROVED
        return
    followed = path[depth - 1, FOLLOWED]
    numbers[depth - 1, followed, PROOF], numbers[depth - 1, followed, DISPROOF] = proof, disproof
    search[DEPTH] = depth - 1


@njit
def prove(
    rules: Any, attacker: int, draw_wins: bool, states: Any, moves: Any, children: Any, numbers: Any, hashes: Any,
    path: Any, words: Any, table: Any, packed: Any, buffer: Any, search: Any, until: int,
) -> None:  # fmt: skip
    """Continue a proof search until it ends or has searched ``until`` positions.

    ``states`` (int64), ``moves`` (int32), ``children`` and ``hashes`` (uint64), ``numbers`` (int64, both numbers of
    each child) and ``path`` (int64) have a row per ply, so positions on the path cannot be replaced. ``words`` (uint64,
    length a power of two) and ``table`` (uint32) form the table; ``packed`` and ``buffer`` are buffers. If
    ``draw_wins``, a draw also achieves the attacker's goal.
    """
    while search[END] == SEARCHING and search[SEARCHED] < until:
        depth = search[DEPTH]
        if depth + 1 >= states.shape[0]:
            search[END] = TOO_DEEP
            return
        if search[ENTERING]:
            continues = _expand_position(
                rules, attacker, draw_wins, states, moves, children, numbers, hashes, path, words, table, packed,
                buffer, search,
            )  # fmt: skip
            search[ENTERING] = 0
            if search[END] == RECURS:
                return
            if not continues:
                slot = _find_slot(hashes[depth], words)
                _leave(numbers, path, search, np.int64(table[slot, PROOF]), np.int64(table[slot, DISPROOF]))
                continue
        # The minimum of one number, the sum of the other, and the second smallest, which limits the followed move.
        attacks = contract.seat(rules, states[depth]) == attacker
        smallest, second, total, best, best_other = SURE, SURE, 0, 0, 0
        for i in range(path[depth, MOVES]):
            slot = _find_slot(children[depth, i], words)
            if slot >= 0:
                numbers[depth, i, PROOF], numbers[depth, i, DISPROOF] = table[slot, PROOF], table[slot, DISPROOF]
            number, other = numbers[depth, i, 1 - attacks], numbers[depth, i, 0 + attacks]
            total = min(SURE, total + other)
            if number < smallest:
                smallest, second, best, best_other = number, smallest, i, other
            elif number < second:
                second = number
        if total == SURE and smallest != 0:
            total = SURE - 1  # a sum is not a proof
        proof, disproof = (smallest, total) if attacks else (total, smallest)
        if proof == 0 or disproof == 0 or proof >= path[depth, PROOF_LIMIT] or disproof >= path[depth, DISPROOF_LIMIT]:
            _enter(hashes[depth], words, table, proof, disproof, search[SEARCHED] - path[depth, BEGUN] + 1)
            _leave(numbers, path, search, proof, disproof)
            continue
        own = PROOF_LIMIT if attacks else DISPROOF_LIMIT
        opposite = DISPROOF_LIMIT if attacks else PROOF_LIMIT
        path[depth + 1, own] = min(path[depth, own], second + 1 + (second >> 2))
        path[depth + 1, opposite] = min(SURE, path[depth, opposite] - total + best_other)
        copy(states[depth], states[depth + 1])
        contract.play(rules, states[depth + 1], moves[depth, best])
        hashes[depth + 1], path[depth, FOLLOWED] = children[depth, best], best
        search[DEPTH], search[ENTERING] = depth + 1, 1
