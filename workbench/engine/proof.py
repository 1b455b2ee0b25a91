"""Who wins, by a forward search of proof numbers, where the states are too many to be listed.

A search asks whether a seat, the attacker, reaches a goal whatever the other does. A position's proof number is the
least number of unfinished positions that have to be won to prove it, its disproof number the least that have to be lost
to disprove it; the search always goes to a position that counts for both, depth first, within limits that tell it when
another one has become more promising. What is known of positions stands in a table of fixed size, in which those that
took least work make room for others.

Proofs are of trees: they hold only where no position can come again in a game, so a position that does ends the search.

Sources: L. V. Allis, M. van der Meulen, H. J. van den Herik, "Proof-number search", Artificial Intelligence 66, 1994;
A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002; J. Pawlewicz, L. Lew, "Improving
depth-first PN-search: 1 + epsilon trick", 2006.

Limits: positions are told apart by a hash of 63 bits: of ten million, two have the same one with probability 5 in a
million.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.contract import DRAW, ONGOING, legal_moves, outcome, pack, play, seat, terminal
from workbench.engine.jit import copy, inlined, njit
from workbench.engine.solver import packed_word

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


@inlined
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


@inlined
def _word(rules: Any, state: Any, packed: Any) -> Any:
    """Return the hash of a position; never 0, which stands for an empty place."""
    pack(rules, state, packed)
    return packed_word(packed) | np.uint64(1)


@inlined
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


@inlined
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
