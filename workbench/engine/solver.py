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

from workbench.engine.bits import get_bits, put_bits
from workbench.engine.contract import (
    DRAW,
    FIRST,
    ONGOING,
    SECOND,
    count_moves,
    key,
    legal_moves,
    max_moves,
    outcome,
    pack,
    play,
    seat,
    state_size,
    terminal,
    unpack,
)
from workbench.engine.jit import copy, inline_ir, njit
from workbench.engine.rng import mix


def perft(rules: Any, state: Any, depth: int) -> int:
    """Return the number of sequences of ``depth`` legal moves from ``state``; the last ply is counted, not played.

    A finished game has no continuation. Repetition is not looked at: it belongs to a game, not to a position.
    """
    if depth <= 0:
        return 1
    states = np.zeros((depth, state_size(rules)), np.int64)
    states[0] = state
    moves = np.zeros((depth, max_moves(rules)), np.int32)
    return int(_count(rules, states, moves, np.zeros(depth, np.int64)))


@njit
def _count(rules: Any, states: Any, moves: Any, left: Any) -> int:
    depth = left.shape[0]
    total = 0
    ply = 0
    entering = True
    while ply >= 0:
        if entering:
            if ply + 1 == depth:
                n = count_moves(rules, states[ply], moves[ply])
            else:
                n = legal_moves(rules, states[ply], moves[ply])
            result, _ = outcome(rules, states[ply], n)
            left[ply] = n if result == ONGOING else 0
            if ply + 1 == depth:
                total += left[ply]
                left[ply] = 0
        if left[ply] == 0:
            ply -= 1
            entering = False
            continue
        left[ply] -= 1
        copy(states[ply], states[ply + 1])
        play(rules, states[ply + 1], moves[ply, left[ply]])
        ply += 1
        entering = True
    return total


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


@inline_ir
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


@inline_ir
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
def repack(rules: Any, layout: Any, packed: Any, wider: Any, again: Any, found: int, state: Any) -> None:
    """Pack the first states that were found by another layout, into ``again``."""
    for i in range(found):
        _get(rules, layout, packed[i], state)
        _put(rules, wider, state, again[i])


@inline_ir
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


@inline_ir
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
def hash_stored(rules: Any, layout: Any, states: Any, state: Any, packed: Any, words: Any) -> None:
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


SURE = 1 << 30
"""The number of what is proved or disproved the other way."""
DEPTH, ENTERING, LOOKED_AT, END = 0, 1, 2, 3
"""Words of the search: plies from the root, whether the position there is new to it, positions looked at, and `END`."""
SEARCHING, PROVED, DISPROVED, RECURS, TOO_DEEP = 0, 1, 2, 3, 4
"""How the search has ended."""
PROOF, DISPROOF, WORK = 0, 1, 2
"""Columns of the table (uint32): both numbers, and the positions looked at for them."""
MOVES, BEGUN, FOLLOWED, PROOF_LIMIT, DISPROOF_LIMIT = 0, 1, 2, 3, 4
"""Columns of the path (int64): a position's moves, `LOOKED_AT` when it was entered, the move that is followed, and its
limits."""
PLACES = 4
"""Places of the table at which a position may stand."""


@inline_ir
def _place(word: Any, words: Any) -> Any:
    """Where a position stands in the table, or -1."""
    mask = np.uint64(words.shape[0] - 1)
    for i in range(PLACES):
        place = np.int64((word + np.uint64(i)) & mask)
        if words[place] == word:
            return place
    return -1


@njit
def _enter(word: Any, words: Any, table: Any, proof: int, disproof: int, work: int) -> None:
    """Enter what is known of a position, instead of what took least work if there is no room."""
    mask = np.uint64(words.shape[0] - 1)
    best = np.int64(word & mask)
    for i in range(PLACES):
        place = np.int64((word + np.uint64(i)) & mask)
        if words[place] == word or words[place] == 0:
            best = place
            break
        if table[place, WORK] < table[best, WORK]:
            best = place
    words[best] = word
    table[best, PROOF], table[best, DISPROOF], table[best, WORK] = proof, disproof, min(work, SURE)


@inline_ir
def _word(rules: Any, state: Any, packed: Any) -> Any:
    """Return the hash of a position; never 0, which stands for an empty place."""
    pack(rules, state, packed)
    return packed_word(packed) | np.uint64(1)


@inline_ir
def _is_won(result: int, attacker: int, draw_wins: bool) -> bool:
    """Return whether the end of a game is the attacker's goal."""
    return draw_wins if result == DRAW else result == 1 + attacker


@njit
def begin(rules: Any, states: Any, hashes: Any, path: Any, packed: Any, search: Any) -> None:
    """Begin at the position in ``states[0]``."""
    hashes[0] = _word(rules, states[0], packed)
    path[0, PROOF_LIMIT] = path[0, DISPROOF_LIMIT] = SURE
    search[:] = 0
    search[ENTERING] = 1


@njit
def _look(
    rules: Any, attacker: int, draw_wins: bool, states: Any, moves: Any, children: Any, numbers: Any, hashes: Any,
    path: Any, words: Any, table: Any, packed: Any, room: Any, search: Any,
) -> bool:  # fmt: skip
    """Looks at a new position and the ends of games behind it; whether the game goes on there."""
    depth = search[DEPTH]
    state = states[depth]
    search[LOOKED_AT] += 1
    n = legal_moves(rules, state, moves[depth])
    path[depth, MOVES], path[depth, BEGUN] = n, search[LOOKED_AT]
    result, _ = outcome(rules, state, n)
    if result != ONGOING:
        won = _is_won(result, attacker, draw_wins)
        _enter(hashes[depth], words, table, 0 if won else SURE, SURE if won else 0, 1)
        return False
    for i in range(n):
        after = states[depth + 1]
        copy(state, after)
        play(rules, after, moves[depth, i])
        word = _word(rules, after, packed)
        children[depth, i] = word
        for above in range(depth + 1):
            if hashes[above] == word:
                search[END] = RECURS
        place = _place(word, words)
        if place >= 0:
            numbers[depth, i, PROOF], numbers[depth, i, DISPROOF] = table[place, PROOF], table[place, DISPROOF]
            continue
        result, _ = terminal(rules, after, room)
        won = _is_won(result, attacker, draw_wins)
        numbers[depth, i, PROOF] = 1 if result == ONGOING else 0 if won else SURE
        numbers[depth, i, DISPROOF] = 1 if result == ONGOING else SURE if won else 0
    return True


@inline_ir
def _leave(numbers: Any, path: Any, search: Any, proof: Any, disproof: Any) -> None:
    """Go back to the position before, which is told the numbers of this one; from the root, ends the search."""
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
    path: Any, words: Any, table: Any, packed: Any, room: Any, search: Any, until: int,
) -> None:  # fmt: skip
    """Go on with a search until it has ended, or has looked at ``until`` positions.

    ``states`` (int64), ``moves`` (int32), ``children`` and ``hashes`` (uint64), ``numbers`` (int64, both of each child)
    and ``path`` (int64) have a row for each ply: what stands there the table cannot lose. ``words`` (uint64, a power of
    two) and ``table`` (uint32) are the table, ``packed`` and ``room`` memory for a packed state and for moves.
    ``draw_wins``: whether a draw is the attacker's goal, too.
    """
    while search[END] == SEARCHING and search[LOOKED_AT] < until:
        depth = search[DEPTH]
        if depth + 1 >= states.shape[0]:
            search[END] = TOO_DEEP
            return
        if search[ENTERING]:
            goes_on = _look(
                rules, attacker, draw_wins, states, moves, children, numbers, hashes, path, words, table, packed, room,
                search,
            )  # fmt: skip
            search[ENTERING] = 0
            if search[END] == RECURS:
                return
            if not goes_on:
                place = _place(hashes[depth], words)
                _leave(numbers, path, search, np.int64(table[place, PROOF]), np.int64(table[place, DISPROOF]))
                continue
        # The least of one number, the sum of the other, and the least but one, which limits the move that is followed.
        attacks = seat(rules, states[depth]) == attacker
        least, second, total, best, best_other = SURE, SURE, 0, 0, 0
        for i in range(path[depth, MOVES]):
            place = _place(children[depth, i], words)
            if place >= 0:
                numbers[depth, i, PROOF], numbers[depth, i, DISPROOF] = table[place, PROOF], table[place, DISPROOF]
            one, other = numbers[depth, i, 1 - attacks], numbers[depth, i, 0 + attacks]
            total = min(SURE, total + other)
            if one < least:
                least, second, best, best_other = one, least, i, other
            elif one < second:
                second = one
        if total == SURE and least != 0:
            total = SURE - 1  # a sum of numbers that are not sure is none that is
        proof, disproof = (least, total) if attacks else (total, least)
        if proof == 0 or disproof == 0 or proof >= path[depth, PROOF_LIMIT] or disproof >= path[depth, DISPROOF_LIMIT]:
            _enter(hashes[depth], words, table, proof, disproof, search[LOOKED_AT] - path[depth, BEGUN] + 1)
            _leave(numbers, path, search, proof, disproof)
            continue
        own = PROOF_LIMIT if attacks else DISPROOF_LIMIT
        opposite = DISPROOF_LIMIT if attacks else PROOF_LIMIT
        path[depth + 1, own] = min(path[depth, own], second + 1 + (second >> 2))
        path[depth + 1, opposite] = min(SURE, path[depth, opposite] - total + best_other)
        copy(states[depth], states[depth + 1])
        play(rules, states[depth + 1], moves[depth, best])
        hashes[depth + 1], path[depth, FOLLOWED] = children[depth, best], best
        search[DEPTH], search[ENTERING] = depth + 1, 1
