"""The memory of the players: search frames, transposition table, the tree of best-first, the positions of a game."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from workbench.engine.contract import FOLDS, MOST_UNITS, board_size, feature_count, max_moves, packed_bytes, state_size
from workbench.engine.jit import by_reference, inline_ir, njit
from workbench.engine.players import DEEPEST, SEARCHES
from workbench.engine.rng import below
from workbench.engine.search.units import HIDDEN, Placing, input_table, placing

MAX_DEPTH = 12
EXTENSION = 6
"""Plies that a search may follow checks and the like beyond its depth."""
FOLLOWED = 16
"""Plies that a search by budget may follow tactical moves beyond its depth."""
STACK = DEEPEST + FOLLOWED + 4

TABLE, LARGEST_TABLE = 1 << 15, 1 << 20
"""Entries of the transposition table: of a search by depth, and of the largest budget of nodes. An entry carries the
game's salt in its key. A search by depth replaces every entry, so that what an earlier game left behind is never found;
one by budget finds the table empty at its first move of a game. So games do not depend on their block."""
FRAME = 21
"""Columns of a search frame."""
HISTORY = 1 << 13

EXACT, LOWER, UPPER = 0, 1, 2
"""What a value of the transposition table is: the value, no more than a lower bound of it, or an upper one."""
OWN_TURN = 3
"""Plies of the searcher's own turn that are searched in any case: own, enemy and own piece in 007 chess."""

WORTH, LATE, EARLY_PLACES, LATE_PLACES, FULL, SIZE = range(6)
"""The parts of a row of weights, all floats in log-odds of the first seat's win; the row begins with a weight for each
feature. Then: the worth of one unit of each kind, by which captures are ordered. Learned weights go on: the weights of
features late in the game (the first ones are then those early in it), the worth of a unit by place, early and late, and
the number of units on the board from which on it is early; between early and late all changes in proportion to the
units left. `SIZE` is the length of it all."""


def layout(feature_count: int, places: Placing) -> Any:
    """Where the parts of a row of weights begin: int64, by `WORTH` and so on."""
    late = feature_count + places.kinds
    early_places = late + feature_count
    full = early_places + 2 * places.total
    return np.array([feature_count, late, early_places, early_places + places.total, full, full + 1], np.int64)


@by_reference
class Workspace(NamedTuple):
    """Memory for the players of one process.

    Only the seen positions, the transposition table and what was learnt of quiet moves outlive the choice of a move,
    and they end with the game.

    The columns of ``frames`` and ``bounds`` are named in `alphabeta`, those that a search by budget uses in
    `frames`, and those of ``tree_info`` in `bestfirst`.
    """

    states: Any
    moves: Any
    values: Any
    features: Any
    path: Any
    frames: Any
    bounds: Any
    killers: Any
    history: Any
    table_keys: Any
    table_values: Any
    table_info: Any
    seen_keys: Any
    seen_counts: Any
    tree_info: Any
    solution_words: Any
    solution_values: Any
    nodes: Any
    """How many positions the players have looked at."""
    score: Any
    """What the player that chose last thinks of its move: the first seat's expected score, from -1 to 1."""
    orders: Any
    """A search by budget: what its moves are ordered by."""
    tried: Any
    """The tactical moves that it has searched at each ply."""
    table_scores: Any
    searches: Any
    """How many searches by budget each seat has made in the game so far."""
    swing: Any
    """By how much a quiet move changes what the heuristic says."""
    learnt: Any
    """What each seat has learnt in the game of moves that are seldom worth a look (`stages.ASKED` …)."""
    tree_values: Any
    """The numbers of the nodes of a best-first tree; its integers are in ``tree_info``."""
    line: Any
    """Its nodes from the root to the end that is looked at further."""
    trend: Any
    """What it learns about the right to move."""
    units: Any
    """The units of the position that is being evaluated."""
    places: Any
    """`Placing.of_words`."""
    layout: Any
    """Where the parts of a row of weights begin: `WORTH` …"""
    players: Any
    """Where the machine code of each kind of player is; 0: this kind does not play."""
    packed: Any
    """The position after a move as solutions know it."""
    branch: Any
    """A position off the game that is being played."""
    net_inputs: Any
    """`nets.input_table`."""
    net_sums: Any
    """float64: what the hidden units of a net sum up as each seat sees the position that was asked last."""
    net_held: Any
    """The units that are in these sums, …"""
    net_count: Any
    """… and how many there are."""
    net_surplus: Any
    """By word: how many more there are in a position than in the sums, while these are brought up to date."""
    net_terms: Any
    """What each hidden unit adds to the value: the mover's, and the other seat's."""
    net_mark: Any
    """The net whose sums they are."""


def workspace(rules: Any, max_plies: int, tree: int, solution: tuple[Any, Any], nodes: int = 0) -> Workspace:
    """Memory for games of at most ``max_plies`` plies.

    There are ``tree`` nodes for a search that keeps a tree, the ``solution`` for a player by it, and a transposition
    table for a search that looks at ``nodes`` positions a move.
    """
    table = TABLE
    while table < min(4 * nodes, LARGEST_TABLE):
        table *= 2
    seen = 64
    while seen < 2 * max_plies + 2:
        seen *= 2
    width = max_moves(rules)
    places = placing(rules)
    return Workspace(
        np.zeros((STACK, state_size(rules)), np.int64),
        np.zeros((STACK, width), np.int32),
        np.zeros((STACK, width), np.float64),
        np.zeros(feature_count(rules), np.float64),
        np.zeros(STACK, np.uint64),
        np.zeros((STACK, FRAME), np.int64),
        np.zeros((STACK, 5), np.float64),
        np.zeros((STACK, 2), np.int32),
        np.zeros((4, HISTORY), np.int64),
        np.zeros(table, np.uint64),
        np.zeros(table, np.float64),
        np.zeros(table, np.int64),
        np.zeros(seen, np.uint64),
        np.zeros(seen, np.int32),
        np.zeros((tree, 7), np.int32),
        solution[0],
        solution[1],
        np.zeros(1, np.int64),
        np.zeros(1, np.float64),
        np.zeros((STACK, width), np.int64),
        np.zeros((STACK, width), np.int32),
        np.zeros(table, np.int64),
        np.zeros(2, np.int64),
        np.zeros(1, np.int64),
        np.zeros((2, 4), np.int64),
        np.zeros((tree, 2), np.float64),
        np.zeros(STACK, np.int64),
        np.zeros(2, np.float64),
        np.zeros(MOST_UNITS, np.int64),
        places.of_words,
        layout(feature_count(rules), places),
        np.zeros(max(SEARCHES) + 1, np.int64),
        np.zeros(packed_bytes(rules) if len(solution[0]) else 0, np.uint8),
        np.zeros(state_size(rules), np.int64),
        input_table(FOLDS[type(rules)], int(board_size(rules))),
        np.zeros((2, HIDDEN), np.float64),
        np.zeros(MOST_UNITS, np.int64),
        np.zeros(1, np.int64),
        np.zeros(places.of_words.shape, np.int16),
        np.zeros((2, HIDDEN), np.float64),
        np.zeros(1, np.float64),
    )


@inline_ir
def slot(ws: Any, word: Any) -> int:
    """Where a position stands, or would stand, among those seen in this game."""
    mask = ws.seen_keys.shape[0] - 1
    i = np.int64(word & np.uint64(mask))
    while ws.seen_counts[i] != 0 and ws.seen_keys[i] != word:
        i = (i + 1) & mask
    return i


@inline_ir
def occurrences(ws: Any, ply: int, word: Any) -> int:
    """How often a position has occurred, in the game and on the search's own path, this time included."""
    count = 1 + ws.seen_counts[slot(ws, word)]
    for i in range(1, ply):
        if ws.path[i] == word:
            count += 1
    return count


@njit
def forget(ws: Any) -> None:
    """Empties the list of seen positions: a new game begins."""
    ws.seen_counts[:] = 0


@njit
def remember(ws: Any, word: Any) -> int:
    """Counts a position that stands on the board now; returns how often it has."""
    i = slot(ws, word)
    ws.seen_keys[i] = word
    ws.seen_counts[i] += 1
    return ws.seen_counts[i]


@njit
def shuffle(moves: Any, n: int, rng: Any) -> None:
    """Bring ``moves[:n]`` into a random order, each equally likely."""
    for i in range(n - 1, 0, -1):
        j = below(rng, i + 1)
        moves[i], moves[j] = moves[j], moves[i]


@inline_ir
def bring_best_forward(moves: Any, values: Any, i: int, n: int) -> None:
    """Swaps the move of the highest value among ``moves[i:n]`` to place i; the first among equals."""
    best = i
    for j in range(i + 1, n):
        if values[j] > values[best]:
            best = j
    moves[i], moves[best] = moves[best], moves[i]
    values[i], values[best] = values[best], values[i]


@njit
def sort_best_first(moves: Any, values: Any, n: int) -> None:
    """Sort moves by falling value; equals keep their order."""
    for i in range(1, n):
        move, value = moves[i], values[i]
        j = i - 1
        while j >= 0 and values[j] < value:
            moves[j + 1], values[j + 1] = moves[j], values[j]
            j -= 1
        moves[j + 1], values[j + 1] = move, value
