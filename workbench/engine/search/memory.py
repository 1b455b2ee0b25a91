"""The memory of players: search frames, transposition table, best-first tree, position counts; and move ordering."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from workbench.engine.contract import FOLDS, MOST_UNITS, board_size, feature_count, max_moves, packed_bytes, state_size
from workbench.engine.jit import by_reference, inline_ir, njit
from workbench.engine.players import DEEPEST, SEARCHES
from workbench.engine.rng import below
from workbench.engine.search.units import HIDDEN, UnitPlaces, input_table, unit_places

MAX_DEPTH = 12
EXTENSION = 6
"""Maximum plies for which a search follows checks and similar moves beyond its depth."""
FOLLOWED = 16
"""Maximum plies for which a node-budget search follows tactical moves beyond its depth."""
STACK = DEEPEST + FOLLOWED + 4

TABLE, LARGEST_TABLE = 1 << 15, 1 << 20
"""Entries of the transposition table: for a fixed depth, and for the largest node budget. An entry's key includes the
game's salt. A fixed-depth search replaces every entry, so that entries of earlier games are never found; a node-budget
search clears the table at its first move of a game. Thus games do not depend on their block."""
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
    """Return the start of each part of a row of weights: int64, indexed by `WORTH` and so on."""
    late = feature_count + places.kinds
    early_places = late + feature_count
    full = early_places + 2 * places.total
    return np.array([feature_count, late, early_places, early_places + places.total, full, full + 1], np.int64)


_ARRAYS: dict[str, tuple[type, tuple[str | int, ...]]] = {
    "states": (np.int64, ("stack", "state")),
    "moves": (np.int32, ("stack", "moves")),
    "values": (np.float64, ("stack", "moves")),
    "orders": (np.int64, ("stack", "moves")),  # move ordering of a node-budget search
    "tried": (np.int32, ("stack", "moves")),  # tactical moves searched by a node-budget search
    "features": (np.float64, ("features",)),
    "units": (np.int64, (MOST_UNITS,)),
    "path": (np.uint64, ("stack",)),  # keys of the positions from the root
    "frames": (np.int64, ("stack", FRAME)),
    "bounds": (np.float64, ("stack", 5)),
    "killers": (np.int32, ("stack", 2)),
    "history": (np.int64, (4, HISTORY)),
    "table_keys": (np.uint64, ("table",)),
    "table_values": (np.float64, ("table",)),
    "table_scores": (np.int64, ("table",)),  # integer values of a node-budget search
    "table_info": (np.int64, ("table",)),
    "seen_keys": (np.uint64, ("seen",)),
    "seen_counts": (np.int32, ("seen",)),
    "searches": (np.int64, (2,)),  # node-budget searches in this game, by seat
    "swing": (np.int64, (1,)),  # typical change of the evaluation by a quiet move
    "learnt": (np.int64, (2, 4)),  # statistics of this game by seat, for pruning (`principal.TESTED` …)
    "tree_info": (np.int32, ("tree", 7)),
    "tree_values": (np.float64, ("tree", 2)),
    "line": (np.int64, ("stack",)),  # nodes of the best-first tree from the root to the expanded leaf
    "trend": (np.float64, (2,)),  # best-first estimate of the worth of the move
    "packed": (np.uint8, ("packed",)),
    "nodes": (np.int64, (1,)),  # number of positions searched by the players
    "score": (np.float64, (1,)),  # the first seat's expected score after the last search, from -1 to 1
    "players": (np.int64, (max(SEARCHES) + 1,)),  # address of each kind of player; 0: not compiled
    "branch": (np.int64, ("state",)),  # a branch position, for training
    "net_sums": (np.float64, (2, HIDDEN)),  # sums of the hidden units at the last evaluated position, by viewer
    "net_units": (np.int64, (MOST_UNITS,)),  # the units included in these sums
    "net_count": (np.int64, (1,)),  # the number of these units
    "net_changes": (np.int16, ("words",)),  # changes of unit counts during an update, by unit word
    "net_terms": (np.float64, (2, HIDDEN)),  # contributions of the hidden units: mover, other seat
    "net_mark": (np.float64, (1,)),  # the net used for these sums
}
"""Arrays of a workspace by name: type and shape. The columns of ``frames``, ``bounds`` and ``tree_info`` are named in
the modules of the searches."""
_TABLES = "places", "layout", "net_inputs", "solution_words", "solution_values"
Workspace: Any = by_reference(namedtuple("Workspace", (*_ARRAYS, *_TABLES)))
"""Memory for the players of one process, with `UnitPlaces.by_word`, `weight_layout`, `units.input_table` and a
solution.

Only position counts, transposition table, history and ``learnt`` persist between moves of a game."""


def make_workspace(
    rules: Any, max_plies: int, tree: int = 1, solution: tuple[Any, Any] | None = None, nodes: int = 0
) -> Any:
    """Return a workspace for games of at most ``max_plies`` plies.

    ``tree`` is the number of nodes for a search tree, ``solution`` belongs to an optimal player, and the transposition
    table suits a search of ``nodes`` positions per move.
    """
    table, slots = TABLE, 64
    while table < min(4 * nodes, LARGEST_TABLE):
        table *= 2
    while slots < 2 * max_plies + 2:
        slots *= 2
    words, values = solution or (np.zeros(0, np.uint64), np.zeros(0, np.int32))
    places, features = unit_places(rules), feature_count(rules)
    sizes: dict[Any, Any] = {
        "stack": STACK, "state": state_size(rules), "moves": max_moves(rules), "features": features, "table": table,
        "seen": slots, "tree": tree, "packed": packed_bytes(rules) if len(words) else 0, "words": len(places.by_word),
    }  # fmt: skip
    arrays: list[Any] = [np.zeros([sizes.get(n, n) for n in shape], kind) for kind, shape in _ARRAYS.values()]
    inputs = input_table(FOLDS[type(rules)], board_size(rules))
    return Workspace(*arrays, places.by_word, weight_layout(features, places), inputs, words, values)


@inline_ir
def position_slot(ws: Any, key: Any) -> int:
    """Return the slot of a position in the hash table of the game's positions, or a free slot for it."""
    mask = ws.seen_keys.shape[0] - 1
    i = np.int64(key & np.uint64(mask))
    while ws.seen_counts[i] != 0 and ws.seen_keys[i] != key:
        i = (i + 1) & mask
    return i


@inline_ir
def occurrences(ws: Any, ply: int, key: Any) -> int:
    """Count the occurrences of a position in the game and on the search path, including this one."""
    count = 1 + ws.seen_counts[position_slot(ws, key)]
    for i in range(1, ply):
        if ws.path[i] == key:
            count += 1
    return count


@njit
def clear_positions(ws: Any) -> None:
    """Clear the position counts for a new game."""
    ws.seen_counts[:] = 0


@njit
def count_position(ws: Any, key: Any) -> int:
    """Count another occurrence of a position and return the total."""
    i = position_slot(ws, key)
    ws.seen_keys[i] = key
    ws.seen_counts[i] += 1
    return ws.seen_counts[i]


@njit
def shuffle(moves: Any, n: int, rng: Any) -> None:
    """Shuffle ``moves[:n]`` in place."""
    for i in range(n - 1, 0, -1):
        j = below(rng, i + 1)
        moves[i], moves[j] = moves[j], moves[i]


@inline_ir
def bring_best_forward(moves: Any, values: Any, i: int, n: int) -> None:
    """Swap the first move with the highest value in ``moves[i:n]`` to index i."""
    best = i
    for j in range(i + 1, n):
        if values[j] > values[best]:
            best = j
    moves[i], moves[best] = moves[best], moves[i]
    values[i], values[best] = values[best], values[i]


@njit
def sort_best_first(moves: Any, values: Any, n: int) -> None:
    """Sort moves by decreasing value, stably."""
    for i in range(1, n):
        move, value = moves[i], values[i]
        j = i - 1
        while j >= 0 and values[j] < value:
            moves[j + 1], values[j + 1] = moves[j], values[j]
            j -= 1
        moves[j + 1], values[j + 1] = move, value
