"""All states of a small game, found from its start, and their values: what there is to know of it exactly.

The states of a game with its moves are a graph. `expand` lists it breadth first, through the engine's contract alone;
a state is kept as the bytes that the family packs it into (`contract.pack`), and states are told apart by these bytes.
Where the family has no packing of its own, ``layout`` (int64, a row for each word of a state: `LOW`, `HIGH`, `BITS`)
says within which limits each word is kept, in how many bits; a state that leaves them is not kept, but told.
`settle` values the states in passes backwards from the finished ones, a ply of best play in each.

A state has a number, by the order in which it is found; the start is 0. ``degrees`` (uint16) holds the number of its
moves, 0 if it is finished, and in the highest bit whose turn it is. ``values`` (int16) holds 1 more than the plies to
a forced win of the first seat, the negative of that for the second, `DRAWN` for a finished draw, and 0 for what is not
known, or for good if neither side can force a win. ``targets`` (uint32) holds the states that moves lead to, those of
one state behind those of another, for the states of one chunk.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.contract import FIRST, ONGOING, SECOND, key, legal_moves, outcome, pack, play, seat, unpack
from workbench.engine.jit import copy, inlined, njit
from workbench.engine.packing import get_bits, put_bits
from workbench.engine.rng import mix

FOUND, EXPANDED, EDGES, MISFITS = 0, 1, 2, 3
"""Words of the counters: states found, states expanded, transitions in the present chunk, and whether `expand` came to
a state that the layout has no room for."""
LOW, HIGH, BITS = 0, 1, 2
WHOLE = 64
"""Bits of a word that is kept as it is."""
LONGEST = 1_000_000
"""What players and reports call a value: `LONGEST` less the plies to a forced win of the first seat, the negative of
that for the second, or 0."""
DRAWN = -32768
MOST_PLIES = 32_000
SECOND_TO_MOVE, MOVES_MASK = 1 << 15, (1 << 15) - 1
TERMINATIONS = 64


@inlined
def _put(rules: Any, layout: Any, state: Any, packed: Any) -> bool:
    """Pack a state; False if the layout has no room for it."""
    if layout.shape[0] == 0:
        pack(rules, state, packed)
        return True
    for i in range(packed.shape[0]):
        packed[i] = 0
    at = 0
    for i in range(layout.shape[0]):
        if state[i] < layout[i, LOW] or state[i] > layout[i, HIGH]:
            return False
        bits = layout[i, BITS]
        if bits > 0:
            at = put_bits(packed, at, bits, state[i] if bits == WHOLE else state[i] - layout[i, LOW])
    return True


@inlined
def _get(rules: Any, layout: Any, packed: Any, state: Any) -> None:
    """Write the state that was packed."""
    if layout.shape[0] == 0:
        unpack(rules, packed, state)
        return
    at: Any = 0
    for i in range(layout.shape[0]):
        bits = layout[i, BITS]
        if bits == WHOLE:
            state[i] = get_bits(packed, at, WHOLE)
        else:
            state[i] = layout[i, LOW] + get_bits(packed, at, bits)
        at += bits


@njit
def put_state(rules: Any, layout: Any, state: Any, packed: Any) -> bool:
    """Pack a state; False if the layout has no room for it."""
    return _put(rules, layout, state, packed)


@njit
def get_states(rules: Any, layout: Any, packed: Any, states: Any) -> None:
    """Write the states that were packed, a row each."""
    for i in range(states.shape[0]):
        _get(rules, layout, packed[i], states[i])


@njit
def packed_anew(rules: Any, layout: Any, packed: Any, wider: Any, again: Any, found: int, state: Any) -> None:
    """Pack the first states that were found by another layout, into ``again``."""
    for i in range(found):
        _get(rules, layout, packed[i], state)
        _put(rules, wider, state, again[i])


@inlined
def packed_word(packed: Any) -> Any:
    """Return a uint64 hash of a packed state."""
    word = np.uint64(0)
    for begin in range(0, packed.shape[0], 8):
        part = np.uint64(0)
        for i in range(begin, min(begin + 8, packed.shape[0])):
            part |= np.uint64(packed[i]) << np.uint64(8 * (i - begin))
        word = mix(word ^ part) + np.uint64(begin)
    return word


@njit
def index(states: Any, table: Any, found: int) -> None:
    """Enter all states found into an empty hash table (numbers from 1, a power of two of places, open addressing)."""
    mask = table.shape[0] - 1
    for i in range(found):
        place = np.int64(packed_word(states[i]) & np.uint64(mask))
        while table[place] != 0:
            place = (place + 1) & mask
        table[place] = i + 1


@inlined
def _number(states: Any, table: Any, packed: Any, found: int) -> int:
    """Return the number of a state; one that is new is kept and gets ``found``."""
    mask = table.shape[0] - 1
    place = np.int64(packed_word(packed) & np.uint64(mask))
    while table[place] != 0:
        other = np.int64(table[place]) - 1
        i = 0
        while i < packed.shape[0] and states[other, i] == packed[i]:
            i += 1
        if i == packed.shape[0]:
            return other
        place = (place + 1) & mask
    for i in range(packed.shape[0]):
        states[found, i] = packed[i]
    table[place] = found + 1
    return found


@njit
def expand(
    rules: Any,
    layout: Any,
    states: Any,
    table: Any,
    degrees: Any,
    values: Any,
    targets: Any,
    counters: Any,
    endings: Any,
    moves: Any,
    state: Any,
    after: Any,
    packed: Any,
    until: int,
) -> None:
    """Go on listing states and transitions, until none is left, ``until`` are expanded, or an array may overflow.

    It stops as well at a state that the layout has no room for, which is then in ``after``; by a wider layout it goes
    on as if there had been none.

    ``endings`` counts the finished states by termination. ``targets`` is filled from ``counters[EDGES]`` on; if it is
    empty, transitions are not kept. The table is never more than 2/3 full.
    """
    keeps, width = targets.shape[0] > 0, moves.shape[0]
    most = min(states.shape[0], 2 * (table.shape[0] // 3)) - width
    while counters[EXPANDED] < min(counters[FOUND], until):
        if counters[FOUND] > most or (keeps and counters[EDGES] + width > targets.shape[0]):
            return
        i = counters[EXPANDED]
        _get(rules, layout, states[i], state)
        n = legal_moves(rules, state, moves)
        result, termination = outcome(rules, state, n)
        if result == ONGOING:
            edges = counters[EDGES]
            for m in range(n):
                copy(state, after)
                play(rules, after, moves[m])
                if not _put(rules, layout, after, packed):
                    counters[EDGES] = edges
                    counters[MISFITS] += 1
                    return
                target = _number(states, table, packed, counters[FOUND])
                if target == counters[FOUND]:
                    counters[FOUND] += 1
                if keeps:
                    targets[counters[EDGES]] = target
                counters[EDGES] += 1
            degrees[i] = n | (SECOND_TO_MOVE if seat(rules, state) == 1 else 0)
        else:
            values[i] = 1 if result == FIRST else -1 if result == SECOND else DRAWN
            endings[termination] += 1
        counters[EXPANDED] = i + 1


@njit
def regenerate(
    rules: Any, layout: Any, states: Any, table: Any, degrees: Any, targets: Any, low: int, high: int, moves: Any,
    state: Any, after: Any, packed: Any,
) -> int:  # fmt: skip
    """Fill ``targets`` anew for the states from ``low`` on that have room in it, before ``high``; returns the next."""
    edges = 0
    for i in range(low, high):
        if edges + moves.shape[0] > targets.shape[0]:
            return i
        if degrees[i] & MOVES_MASK == 0:
            continue
        _get(rules, layout, states[i], state)
        for m in range(legal_moves(rules, state, moves)):
            copy(state, after)
            play(rules, after, moves[m])
            _put(rules, layout, after, packed)
            targets[edges] = _number(states, table, packed, 0)
            edges += 1
    return high


@njit
def settle(degrees: Any, values: Any, targets: Any, low: int, high: int, known: int) -> int:
    """Values the states from ``low`` to ``high`` whose best play ends one ply later than ``known``; how many these are.

    ``known`` is a value (see above) such that all states up to it have theirs. The winner takes the shortest way, the
    loser the longest.
    """
    settled = 0
    begin: Any = 0
    for i in range(low, high):
        n = np.int64(degrees[i]) & MOVES_MASK
        if n > 0 and values[i] == 0:
            sign = -1 if degrees[i] & SECOND_TO_MOVE else 1
            wins: Any = False
            loses: Any = True
            for edge in range(begin, begin + n):
                value = sign * np.int64(values[targets[edge]])
                if value == known:
                    wins = True
                    break
                # What was settled in this very pass is not yet known.
                loses &= -known <= value < 0
            if wins:
                values[i] = sign * (known + 1)
                settled += 1
            elif loses:
                values[i] = -sign * (known + 1)
                settled += 1
        begin += n
    return settled


@njit
def spread(degrees: Any, targets: Any, low: int, high: int, now: Any, after: Any) -> None:
    """Add to ``after`` where random moves from the states between ``low`` and ``high`` lead; float64, by state."""
    begin: Any = 0
    for i in range(low, high):
        n = np.int64(degrees[i]) & MOVES_MASK
        if n > 0 and now[i] != 0.0:
            share = now[i] * (1.0 / n)
            for edge in range(begin, begin + n):
                after[targets[edge]] += share
        begin += n


@njit
def tally(degrees: Any, values: Any, now: Any, sums: Any) -> None:
    """Fill ``sums`` with the parts of ``now`` in states won by the first, by the second seat, drawn, and going on."""
    for i in range(4):
        sums[i] = 0.0
    for i in range(now.shape[0]):
        if degrees[i] & MOVES_MASK:
            sums[3] += now[i]
        elif values[i] == DRAWN:
            sums[2] += now[i]
        else:
            sums[0 if values[i] > 0 else 1] += now[i]


@njit
def keys_of(rules: Any, layout: Any, states: Any, low: int, high: int, state: Any, keys: Any) -> None:
    """Fill the uint64 array ``keys`` with the keys of the positions of some states."""
    for i in range(low, high):
        _get(rules, layout, states[i], state)
        keys[i] = key(rules, state)


@njit
def hash_states(packed: Any, words: Any) -> None:
    """Fill the uint64 array ``words`` with the hash of each state as its family packs it."""
    for i in range(words.shape[0]):
        words[i] = packed_word(packed[i])


@njit
def hash_kept(rules: Any, layout: Any, states: Any, state: Any, packed: Any, words: Any) -> None:
    """The same of states that are kept in a layout; ``state`` and ``packed`` are room."""
    for i in range(words.shape[0]):
        if layout.shape[0] == 0:
            words[i] = packed_word(states[i])
        else:
            _get(rules, layout, states[i], state)
            pack(rules, state, packed)
            words[i] = packed_word(packed)


@njit
def look_up(words: Any, values: Any, word: Any) -> int:
    """The value that a solution gives to a state, by binary search in its sorted ``words``; 0 if it is not there."""
    low, high = 0, words.shape[0]
    while low < high:
        middle = (low + high) >> 1
        if words[middle] < word:
            low = middle + 1
        else:
            high = middle
    if low < words.shape[0] and words[low] == word:
        return values[low]
    return 0
