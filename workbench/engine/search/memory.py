"""The memory of players: search frames, transposition table, best-first tree, position counts; and move ordering."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from workbench.engine.contract import FOLDS, MOST_UNITS, board_size, feature_count, max_moves, packed_bytes, state_size
from workbench.engine.jit import by_reference, inline_ir, njit
from workbench.engine.players import DEEPEST, SEARCHES
from workbench.engine.rng import below
from workbench.engine.search.units import HIDDEN, UnitPlaces, input_table, unit_places

MAX_DEPTH = 12
EXTENSION = 6
"""Maximum plies that a search follows checks and the like beyond its depth."""
FOLLOWED = 16
"""Maximum plies that a node-budget search follows tactical moves beyond its depth."""
STACK = DEEPEST + FOLLOWED + 4

TABLE, LARGEST_TABLE = 1 << 15, 1 << 20
"""Entries of the transposition table: for a fixed depth, and for the largest node budget. An entry's key includes the
game's salt. A fixed-depth search replaces every entry, so that entries of earlier games are never found; a node-budget
search clears the table at its first move of a game. So games do not depend on their block."""
FRAME = 21
"""Columns of a search frame."""
HISTORY = 1 << 13

EXACT, LOWER, UPPER = 0, 1, 2
"""Bounds of values in the transposition table."""
OWN_TURN = 3
"""Plies of the searcher's own turn that are always searched: own, enemy and own piece in 007 chess."""

WORTH, LATE, EARLY_PLACES, LATE_PLACES, FULL, SIZE = range(6)
"""Parts of a row of weights, all floats in log-odds of the first seat's win. The row begins with a weight per feature,
followed by the worth of each kind of unit, by which captures are ordered. Learned rows continue: feature weights late
in the game (the first ones apply early), the worth of a unit by place, early and late, and the number of units on the
board at which the game is early; weights are interpolated by the units left. `SIZE` is the total length."""


def weight_layout(feature_count: int, places: UnitPlaces) -> Any:
    """Return the beginnings of the parts of a row of weights: int64, indexed by `WORTH` and so on."""
    late = feature_count + places.kinds
    early_places = late + feature_count
    full = early_places + 2 * places.total
    return np.array([feature_count, late, early_places, early_places + places.total, full, full + 1], np.int64)


@by_reference
class Workspace(NamedTuple):
    """Memory for the players of one process.

    Only counts of positions, transposition table, history and ``learnt`` outlive the choice of a move, and they end
    with the game. The columns of ``frames``, ``bounds`` and ``tree_info`` are named in the modules of the searches.
    """

    states: Any
    moves: Any
    values: Any
    orders: Any
    """A node-budget search's move ordering."""
    tried: Any
    """Tactical moves that it has searched, by ply."""
    features: Any
    units: Any
    path: Any
    """Keys of the positions from the root."""
    frames: Any
    bounds: Any
    killers: Any
    history: Any
    table_keys: Any
    table_values: Any
    table_scores: Any
    """Values of a node-budget search, whole numbers."""
    table_info: Any
    seen_keys: Any
    seen_counts: Any
    searches: Any
    """Node-budget searches in this game, by seat."""
    swing: Any
    """Typical change of the evaluation by a quiet move."""
    learnt: Any
    """Statistics of this game by seat, to prune moves that rarely matter (`principal.ASKED` …)."""
    tree_info: Any
    tree_values: Any
    line: Any
    """Nodes of the best-first tree from the root to the expanded leaf."""
    trend: Any
    """Best-first estimate of the worth of the move."""
    solution_words: Any
    solution_values: Any
    packed: Any
    nodes: Any
    """Number of positions searched by the players."""
    score: Any
    """The first seat's expected score after the last search, from -1 to 1."""
    places: Any
    """`UnitPlaces.by_word`."""
    layout: Any
    """`weight_layout`."""
    players: Any
    """Address of each kind of player; 0: not compiled."""
    branch: Any
    """A position off the game, for training."""
    net_inputs: Any
    """`units.input_table`."""
    net_sums: Any
    """Sums of the hidden units at the last evaluated position, as each seat sees it."""
    net_units: Any
    """The units in these sums."""
    net_count: Any
    net_changes: Any
    """Differences of unit counts between a position and the sums, by unit word, during an update."""
    net_terms: Any
    """Contribution of each hidden unit to the value: of the mover, and of the other seat."""
    net_mark: Any
    """The net in these sums."""


def make_workspace(
    rules: Any, max_plies: int, tree: int = 1, solution: tuple[Any, Any] | None = None, nodes: int = 0
) -> Workspace:
    """Return a workspace for games of at most ``max_plies`` plies.

    It has ``tree`` nodes for a search tree, the ``solution`` of an optimal player, and a transposition table for a
    search of ``nodes`` positions per move.
    """
    table = TABLE
    while table < min(4 * nodes, LARGEST_TABLE):
        table *= 2
    seen = 64
    while seen < 2 * max_plies + 2:
        seen *= 2
    words, values = solution or (np.zeros(0, np.uint64), np.zeros(0, np.int32))
    width, state, places = max_moves(rules), state_size(rules), unit_places(rules)
    return Workspace(
        states=np.zeros((STACK, state), np.int64),
        moves=np.zeros((STACK, width), np.int32),
        values=np.zeros((STACK, width), np.float64),
        orders=np.zeros((STACK, width), np.int64),
        tried=np.zeros((STACK, width), np.int32),
        features=np.zeros(feature_count(rules), np.float64),
        units=np.zeros(MOST_UNITS, np.int64),
        path=np.zeros(STACK, np.uint64),
        frames=np.zeros((STACK, FRAME), np.int64),
        bounds=np.zeros((STACK, 5), np.float64),
        killers=np.zeros((STACK, 2), np.int32),
        history=np.zeros((4, HISTORY), np.int64),
        table_keys=np.zeros(table, np.uint64),
        table_values=np.zeros(table, np.float64),
        table_scores=np.zeros(table, np.int64),
        table_info=np.zeros(table, np.int64),
        seen_keys=np.zeros(seen, np.uint64),
        seen_counts=np.zeros(seen, np.int32),
        searches=np.zeros(2, np.int64),
        swing=np.zeros(1, np.int64),
        learnt=np.zeros((2, 4), np.int64),
        tree_info=np.zeros((tree, 7), np.int32),
        tree_values=np.zeros((tree, 2), np.float64),
        line=np.zeros(STACK, np.int64),
        trend=np.zeros(2, np.float64),
        solution_words=words,
        solution_values=values,
        packed=np.zeros(packed_bytes(rules) if len(words) else 0, np.uint8),
        nodes=np.zeros(1, np.int64),
        score=np.zeros(1, np.float64),
        places=places.by_word,
        layout=weight_layout(feature_count(rules), places),
        players=np.zeros(max(SEARCHES) + 1, np.int64),
        branch=np.zeros(state, np.int64),
        net_inputs=input_table(FOLDS[type(rules)], board_size(rules)),
        net_sums=np.zeros((2, HIDDEN), np.float64),
        net_units=np.zeros(MOST_UNITS, np.int64),
        net_count=np.zeros(1, np.int64),
        net_changes=np.zeros(places.by_word.shape, np.int16),
        net_terms=np.zeros((2, HIDDEN), np.float64),
        net_mark=np.zeros(1, np.float64),
    )


@inline_ir
def position_slot(ws: Any, word: Any) -> int:
    """Return the index of a position in the hash table of this game's positions, or of the slot for it."""
    mask = ws.seen_keys.shape[0] - 1
    i = np.int64(word & np.uint64(mask))
    while ws.seen_counts[i] != 0 and ws.seen_keys[i] != word:
        i = (i + 1) & mask
    return i


@inline_ir
def occurrences(ws: Any, ply: int, word: Any) -> int:
    """Return the occurrences of a position in the game and on the search path, including this one."""
    count = 1 + ws.seen_counts[position_slot(ws, word)]
    for i in range(1, ply):
        if ws.path[i] == word:
            count += 1
    return count


@njit
def clear_positions(ws: Any) -> None:
    """Clear the counts of positions for a new game."""
    ws.seen_counts[:] = 0


@njit
def count_position(ws: Any, word: Any) -> int:
    """Count the position on the board and return its occurrences."""
    i = position_slot(ws, word)
    ws.seen_keys[i] = word
    ws.seen_counts[i] += 1
    return ws.seen_counts[i]


@njit
def shuffle(moves: Any, n: int, rng: Any) -> None:
    """Shuffle ``moves[:n]``."""
    for i in range(n - 1, 0, -1):
        j = below(rng, i + 1)
        moves[i], moves[j] = moves[j], moves[i]


@inline_ir
def bring_best_forward(moves: Any, values: Any, i: int, n: int) -> None:
    """Swap the first move of the highest value in ``moves[i:n]`` to index i."""
    best = i
    for j in range(i + 1, n):
        if values[j] > values[best]:
            best = j
    moves[i], moves[best] = moves[best], moves[i]
    values[i], values[best] = values[best], values[i]


@njit
def sort_best_first(moves: Any, values: Any, n: int) -> None:
    """Sort moves by decreasing value; the sort is stable."""
    for i in range(1, n):
        move, value = moves[i], values[i]
        j = i - 1
        while j >= 0 and values[j] < value:
            moves[j + 1], values[j + 1] = moves[j], values[j]
            j -= 1
        moves[j + 1], values[j + 1] = move, value
