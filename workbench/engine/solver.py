"""All states of a small game, found from its start, and their values: what there is to know of it exactly.

The states of a game with its moves are a graph. `expand` lists it breadth first, through the engine's contract alone;
`retrograde` values every state backwards from the finished ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.contract import FIRST, ONGOING, SECOND, key, legal_moves, outcome, play, seat
from workbench.engine.jit import copy, inlined, njit
from workbench.engine.rng import mix

FOUND, EXPANDED, EDGES = 0, 1, 2
"""Words of the counters: states found, states expanded, transitions."""
LONGEST = 1_000_000
"""A value is `LONGEST` less the plies to a forced win of the first seat, the negative of that for the second, or 0."""


@inlined
def state_word(state: Any) -> Any:
    """A uint64 hash of a whole state."""
    word = np.uint64(0)
    for i in range(state.shape[0]):
        word = mix(word ^ np.uint64(state[i])) + np.uint64(i)
    return word


@njit
def index(states: Any, table: Any, counters: Any) -> None:
    """Enters all states found into an empty hash table (numbers from 1, a power of two of places, open addressing)."""
    mask = table.shape[0] - 1
    for i in range(counters[FOUND]):
        place = np.int64(state_word(states[i]) & np.uint64(mask))
        while table[place] != 0:
            place = (place + 1) & mask
        table[place] = i + 1


@inlined
def _number(states: Any, table: Any, counters: Any, state: Any) -> int:
    """The number of a state; one that is new gets the next and is kept."""
    mask = table.shape[0] - 1
    place = np.int64(state_word(state) & np.uint64(mask))
    while table[place] != 0:
        other = table[place] - 1
        i = 0
        while i < state.shape[0] and states[other, i] == state[i]:
            i += 1
        if i == state.shape[0]:
            return other
        place = (place + 1) & mask
    found = counters[FOUND]
    copy(state, states[found])
    table[place] = found + 1
    counters[FOUND] = found + 1
    return found


@njit
def expand(
    rules: Any,
    states: Any,
    table: Any,
    first_edge: Any,
    targets: Any,
    results: Any,
    terminations: Any,
    seats: Any,
    keys: Any,
    counters: Any,
    moves: Any,
    after: Any,
    until: int,
) -> None:
    """Goes on listing states and transitions, until none is left, ``until`` are expanded, or an array may overflow.

    ``states`` (capacity x words) holds the states in the order they are found, the start first; ``first_edge[i]`` is
    where the transitions of state i begin in ``targets``, one for each legal move; ``results``, ``terminations``,
    ``seats`` and ``keys`` get what the rules say of each state.
    """
    while counters[EXPANDED] < min(counters[FOUND], until):
        if counters[FOUND] + moves.shape[0] > states.shape[0] or counters[EDGES] + moves.shape[0] > targets.shape[0]:
            return
        i = counters[EXPANDED]
        state = states[i]
        n = legal_moves(rules, state, moves)
        results[i], terminations[i] = outcome(rules, state, n)
        seats[i] = seat(rules, state)
        keys[i] = key(rules, state)
        first_edge[i] = counters[EDGES]
        if results[i] == ONGOING:
            for m in range(n):
                copy(state, after)
                play(rules, after, moves[m])
                targets[counters[EDGES]] = _number(states, table, counters, after)
                counters[EDGES] += 1
        counters[EXPANDED] = i + 1
        first_edge[i + 1] = counters[EDGES]


@njit
def retrograde(first_edge: Any, sources: Any, results: Any, seats: Any, left: Any, values: Any, queue: Any) -> None:
    """Fills ``values`` (see `LONGEST`) backwards from the finished states.

    ``sources[first_edge[i] : first_edge[i + 1]]`` are the states with a move to state i; ``left`` holds each state's
    number of moves, and is used up; ``queue`` is room for all states. A queue meets the states in order of the plies
    left, so the winner's way is the shortest and the loser's the longest. What is never reached can be forced by
    neither side: 0, a draw.
    """
    head, tail = 0, 0
    for i in range(results.shape[0]):
        values[i] = 0
        if results[i] == FIRST or results[i] == SECOND:
            values[i] = LONGEST if results[i] == FIRST else -LONGEST
            queue[tail] = i
            tail += 1
    while head < tail:
        i = queue[head]
        head += 1
        value = values[i] - 1 if values[i] > 0 else values[i] + 1
        for edge in range(first_edge[i], first_edge[i + 1]):
            source = sources[edge]
            if values[source] != 0:
                continue
            left[source] -= 1
            if (value > 0) == (seats[source] == 0) or left[source] == 0:
                values[source] = value
                queue[tail] = source
                tail += 1


@njit
def hash_states(states: Any, words: Any) -> None:
    """Fills the uint64 array ``words`` with the hash of each state."""
    for i in range(words.shape[0]):
        words[i] = state_word(states[i])


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
