"""The players, for every game of the contract: random, greedy, alphabeta, mcts and optimal.

A player is an `Agent` (its numbers), a vector of feature weights, and a `Workspace` that it may scribble on. All values
are from the first seat's view: the first seat maximises, the second minimises, whoever moves how often in a row.
Budgets are depths and simulations, never seconds, so a game depends on nothing but its seed.

Evaluations carry a noise of size ``temperature``, drawn by hashing the position with the game's seed. A search sees
one fixed, slightly different heuristic a game, so pruning stays sound and games differ.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from workbench.engine.contract import (
    FIRST,
    ONGOING,
    SECOND,
    feature_count,
    features,
    key,
    legal_moves,
    max_moves,
    outcome,
    play,
    preferred,
    repetition,
    seat,
    state_size,
    tactical_moves,
    terminal,
)
from workbench.engine.jit import copy, inlined, njit, scratch, spliced
from workbench.engine.rng import below, draw, mix, unit
from workbench.engine.solver import look_up, state_word

RANDOM, GREEDY, ALPHABETA, MCTS, OPTIMAL = 0, 1, 2, 3, 4
"""Kinds of agents."""

MAX_DEPTH = 12
EXTENSION = 6
"""Plies that a search may follow checks and the like beyond its depth."""
STACK = MAX_DEPTH + EXTENSION + 4
OWN_TURN = 3
"""Plies of the searcher's own turn that are searched in any case: own, enemy and own piece in 007 chess."""

WIN = 1.0e6
"""The value of a won position, less the plies to it; no heuristic comes near."""

TABLE = 1 << 15
"""Entries of the transposition table. An entry is always replaced, and carries the game's salt in its key: what
an earlier game left behind is never found, so games do not depend on the block that they are played in."""
HISTORY = 1 << 13
EXACT, LOWER, UPPER = 0, 1, 2

TREE = 1 << 17
"""Nodes of an mcts tree; when it is full, leaves are evaluated but not expanded."""

NODES, SIMULATIONS = 0, 1
"""What ``Workspace.counters`` counts."""


class Agent(NamedTuple):
    """What makes a player, weights aside."""

    kind: int
    depth: int
    simulations: int
    rollout: int
    epsilon: float
    temperature: float
    exploration: float
    style: int
    """0: none."""


class Workspace(NamedTuple):
    """Memory for the players of one process; nothing in it outlives the choice of one move but the seen positions."""

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
    tree_sums: Any
    tree_info: Any
    solution_words: Any
    solution_values: Any
    counters: Any


DEPTH, COUNT, NEXT, SEAT, BEST_MOVE, OWN = 0, 1, 2, 3, 4, 5
"""A search frame's integers: depth left, number of moves, the next to try, who moves, the best so far, and whether the
searcher has made all plies up to here and makes the next."""
ALPHA, BETA, BEST, ALPHA_BEFORE, BETA_BEFORE = 0, 1, 2, 3, 4
"""A search frame's values."""
TREE_VISITS, TREE_CHILD, TREE_CHILDREN, TREE_MOVE, TREE_PROVEN = 0, 1, 2, 3, 4


def workspace(rules: Any, max_plies: int, tree: int, solution: tuple[Any, Any]) -> Workspace:
    """Memory for games of at most ``max_plies`` plies; ``tree`` nodes for mcts, the ``solution`` for optimal."""
    seen = 64
    while seen < 2 * max_plies + 2:
        seen *= 2
    width = max_moves(rules)
    return Workspace(
        np.zeros((STACK, state_size(rules)), np.int64),
        np.zeros((STACK, width), np.int32),
        np.zeros((STACK, width), np.float64),
        np.zeros(feature_count(rules), np.float64),
        np.zeros(STACK, np.uint64),
        np.zeros((STACK, 6), np.int64),
        np.zeros((STACK, 5), np.float64),
        np.zeros((STACK, 2), np.int32),
        np.zeros((2, HISTORY), np.int64),
        np.zeros(TABLE, np.uint64),
        np.zeros(TABLE, np.float64),
        np.zeros(TABLE, np.int64),
        np.zeros(seen, np.uint64),
        np.zeros(seen, np.int32),
        np.zeros(tree, np.float64),
        np.zeros((tree, 5), np.int32),
        solution[0],
        solution[1],
        np.zeros(2, np.int64),
    )


@inlined
def _slot(ws: Any, word: Any) -> int:
    """Where a position stands, or would stand, among those seen in this game."""
    mask = ws.seen_keys.shape[0] - 1
    i = np.int64(word & np.uint64(mask))
    while ws.seen_counts[i] != 0 and ws.seen_keys[i] != word:
        i = (i + 1) & mask
    return i


@njit
def forget(ws: Any) -> None:
    """Empties the list of seen positions: a new game begins."""
    ws.seen_counts[:] = 0


@njit
def remember(ws: Any, word: Any) -> int:
    """Counts a position that stands on the board now; returns how often it has."""
    i = _slot(ws, word)
    ws.seen_keys[i] = word
    ws.seen_counts[i] += 1
    return ws.seen_counts[i]


@spliced
def _occurrences(ws: Any, ply: int, word: Any) -> int:
    """How often a position has occurred, in the game and on the search's own path, this time included."""
    count = 1 + ws.seen_counts[_slot(ws, word)]
    for i in range(1, ply):
        if ws.path[i] == word:
            count += 1
    return count


@njit
def evaluate(rules: Any, state: Any, agent: Any, weights: Any, seen: Any, salt: Any) -> float:
    """The heuristic value of a position for the first seat, noise included; ``seen`` is room for the features."""
    features(rules, state, seen)
    value = 0.0
    for i in range(weights.shape[0]):
        value += weights[i] * seen[i]
    if agent.temperature > 0.0:
        value += agent.temperature * (2.0 * unit(mix(key(rules, state) ^ salt)) - 1.0)
    return value


@inlined
def _settled(result: int, ply: int) -> float:
    """The value of a finished game, ``ply`` plies ahead."""
    if result == FIRST:
        return WIN - ply
    if result == SECOND:
        return ply - WIN
    return 0.0


@njit
def _value_of_move(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, ply: int, move: int) -> float:
    """The value of a move by one look at the position after it: won, lost, drawn, or the heuristic's word.

    The position is left at ``ws.states[ply + 1]``.
    """
    child = ws.states[ply + 1]
    copy(ws.states[ply], child)
    play(rules, child, move)
    ws.counters[NODES] += 1
    result, _ = terminal(rules, child, ws.moves[ply + 1])
    if result != ONGOING:
        return _settled(result, ply + 1)
    result, _ = repetition(rules, child, 1 + ws.seen_counts[_slot(ws, key(rules, child))])
    if result != ONGOING:
        return _settled(result, ply + 1)
    return evaluate(rules, child, agent, weights, ws.features, salt)


@njit
def _greedy(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    maximise = seat(rules, ws.states[0]) == 0
    best, ties, chosen = -math.inf, 0, 0
    for i in range(n):
        value = _value_of_move(rules, agent, weights, ws, salt, 0, ws.moves[0, i])
        if not maximise:
            value = -value
        if value > best:
            best, ties, chosen = value, 1, i
        elif value == best:
            ties += 1
            if below(rng, ties) == 0:
                chosen = i
    return ws.moves[0, chosen]


@inlined
def _bring_best_forward(moves: Any, values: Any, i: int, n: int) -> None:
    """Swaps the move of the highest ordering value among ``moves[i:n]`` to place i."""
    best = i
    for j in range(i + 1, n):
        if values[j] > values[best]:
            best = j
    moves[i], moves[best] = moves[best], moves[i]
    values[i], values[best] = values[best], values[i]


@spliced
def _open(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, ply: int) -> bool:
    """Enters the position at ``ply``: either its value is known at once, or its moves are listed and ordered.

    Returns whether it is known; the value is then the frame's `BEST`. Beyond the depth (`DEPTH` <= 0) only checks and
    the like are followed, but not in the first `OWN_TURN` plies of the searcher's own turn.
    """
    state, moves, frame, bounds = ws.states[ply], ws.moves[ply], ws.frames[ply], ws.bounds[ply]
    who = seat(rules, state)
    frame[OWN] = 1 if ws.frames[ply - 1, OWN] != 0 and who == ws.frames[0, SEAT] else 0
    if frame[DEPTH] <= 0 and frame[OWN] and ply < OWN_TURN:
        frame[DEPTH] = 1
    depth = frame[DEPTH]
    frame[NEXT] = 0
    frame[SEAT] = who
    frame[BEST_MOVE] = 0
    bounds[ALPHA_BEFORE], bounds[BETA_BEFORE] = bounds[ALPHA], bounds[BETA]
    bounds[BEST] = -math.inf if who == 0 else math.inf
    # The searcher's own move may end the game by repetition at any depth.
    word = key(rules, state) if depth > 0 or ply == 1 else np.uint64(0)
    if depth > 0 or ply == 1:
        result, _ = repetition(rules, state, _occurrences(ws, ply, word))
        if result != ONGOING:
            bounds[BEST] = _settled(result, ply)
            return True
    if depth <= 0:
        n, quiet = tactical_moves(rules, state, moves)
        frame[COUNT] = n
        # A tactical move is a legal move: only without one it must be asked whether there is any.
        result, _ = outcome(rules, state, n) if n > 0 else terminal(rules, state, moves)
        if result != ONGOING:
            bounds[BEST] = _settled(result, ply)
            return True
        if quiet or depth <= -EXTENSION:
            bounds[BEST] = evaluate(rules, state, agent, weights, ws.features, salt)
            if n == 0 or depth <= -EXTENSION:
                return True
            if who == 0:
                bounds[ALPHA] = max(bounds[ALPHA], bounds[BEST])
            else:
                bounds[BETA] = min(bounds[BETA], bounds[BEST])
        ws.values[ply, :n] = 0.0
        return False
    ws.path[ply] = word
    entry = np.int64((word ^ salt) & np.uint64(TABLE - 1))
    best_known = -1
    if ws.table_keys[entry] == word ^ salt:
        info = ws.table_info[entry]
        best_known = info >> 16
        if (info & 255) >= depth:
            # A won game counts its plies from this position in the table, from the root in the search.
            value = ws.table_values[entry]
            if value > WIN / 2:
                value -= ply
            elif value < -WIN / 2:
                value += ply
            bound = (info >> 8) & 255
            if (
                bound == EXACT
                or (bound == LOWER and value >= bounds[BETA])
                or (bound == UPPER and value <= bounds[ALPHA])
            ):
                bounds[BEST] = value
                return True
    n = legal_moves(rules, state, moves)
    frame[COUNT] = n
    result, _ = outcome(rules, state, n)
    if result != ONGOING:
        bounds[BEST] = _settled(result, ply)
        return True
    values = ws.values[ply]
    for i in range(n):
        move = moves[i]
        values[i] = ws.history[who, (move ^ (move >> 5)) & (HISTORY - 1)]
        if move == best_known:
            values[i] = 1e18
        elif move == ws.killers[ply, 0]:
            values[i] = 1e17
        elif move == ws.killers[ply, 1]:
            values[i] = 1e16
    return False


@spliced
def _close(ws: Any, salt: Any, ply: int) -> None:
    """Leaves a position whose moves have been searched: what was learnt goes to the table."""
    frame, bounds = ws.frames[ply], ws.bounds[ply]
    if frame[DEPTH] <= 0:
        return
    best = bounds[BEST]
    bound = EXACT
    if best >= bounds[BETA_BEFORE]:
        bound = LOWER
    elif best <= bounds[ALPHA_BEFORE]:
        bound = UPPER
    if best > WIN / 2:
        best += ply
    elif best < -WIN / 2:
        best -= ply
    word = ws.path[ply] ^ salt
    entry = np.int64(word & np.uint64(TABLE - 1))
    ws.table_keys[entry] = word
    ws.table_values[entry] = best
    ws.table_info[entry] = frame[BEST_MOVE] << 16 | bound << 8 | frame[DEPTH]


@njit
def _search(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, depth: int, alpha: float, beta: float) -> float:
    """The value of ``ws.states[1]`` by alpha-beta with a transposition table, killer moves and the history heuristic.

    Fail-soft, and without recursion: frame ``ply`` of the workspace holds what a recursive call would hold.
    """
    ply = 1
    ws.frames[ply, DEPTH] = depth
    ws.bounds[ply, ALPHA], ws.bounds[ply, BETA] = alpha, beta
    entering, known = True, False
    while True:
        if entering:
            known = _open(rules, agent, weights, ws, salt, ply)
            entering = False
        frame, bounds = ws.frames[ply], ws.bounds[ply]
        i = frame[NEXT]
        if not known and i < frame[COUNT] and bounds[ALPHA] < bounds[BETA]:
            _bring_best_forward(ws.moves[ply], ws.values[ply], i, frame[COUNT])
            frame[NEXT] = i + 1
            ply += 1
            copy(ws.states[ply - 1], ws.states[ply])
            play(rules, ws.states[ply], ws.moves[ply - 1, i])
            ws.counters[NODES] += 1
            ws.frames[ply, DEPTH] = frame[DEPTH] - 1
            ws.bounds[ply, ALPHA], ws.bounds[ply, BETA] = bounds[ALPHA], bounds[BETA]
            entering = True
            continue
        if not known:
            _close(ws, salt, ply)
        value = bounds[BEST]
        ply -= 1
        if ply == 0:
            return value
        known = False
        frame, bounds = ws.frames[ply], ws.bounds[ply]
        who = frame[SEAT]
        move = ws.moves[ply, frame[NEXT] - 1]
        if (value > bounds[BEST]) if who == 0 else (value < bounds[BEST]):
            bounds[BEST] = value
            frame[BEST_MOVE] = move
        if who == 0:
            bounds[ALPHA] = max(bounds[ALPHA], value)
        else:
            bounds[BETA] = min(bounds[BETA], value)
        if bounds[ALPHA] >= bounds[BETA] and frame[DEPTH] > 0:
            if ws.killers[ply, 0] != move:
                ws.killers[ply, 1] = ws.killers[ply, 0]
                ws.killers[ply, 0] = move
            ws.history[who, (move ^ (move >> 5)) & (HISTORY - 1)] += frame[DEPTH] * frame[DEPTH]


@njit
def _shuffle(moves: Any, n: int, rng: Any) -> None:
    for i in range(n - 1, 0, -1):
        j = below(rng, i + 1)
        moves[i], moves[j] = moves[j], moves[i]


@njit
def _alphabeta(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    """Iterative deepening from a shuffled list: among equal moves each is equally likely."""
    state, moves, values = ws.states[0], ws.moves[0], ws.values[0]
    _shuffle(moves, n, rng)
    ws.killers[:] = -1
    ws.history[:] = 0
    sign = 1.0 if seat(rules, state) == 0 else -1.0
    ws.frames[0, SEAT], ws.frames[0, OWN] = seat(rules, state), 1
    ws.path[0] = key(rules, state)
    for i in range(n):
        values[i] = sign * _value_of_move(rules, agent, weights, ws, salt, 0, moves[i])
    child = ws.states[1]
    for depth in range(1, agent.depth + 1):
        # Stable insertion sort: best of the last round first.
        for i in range(1, n):
            move, value = moves[i], values[i]
            j = i - 1
            while j >= 0 and values[j] < value:
                moves[j + 1], values[j + 1] = moves[j], values[j]
                j -= 1
            moves[j + 1], values[j + 1] = move, value
        if values[0] > WIN / 2:
            break
        if depth == 1 and agent.depth > 1:
            continue
        best = -math.inf
        for i in range(n):
            copy(state, child)
            play(rules, child, moves[i])
            ws.counters[NODES] += 1
            if sign > 0:
                value = _search(rules, agent, weights, ws, salt, depth - 1, best, math.inf)
            else:
                value = -_search(rules, agent, weights, ws, salt, depth - 1, -math.inf, -best)
            # A move that is no better than the best has only a bound: it must not tie with it.
            values[i] = value if value > best else min(value, best) - 1e-9
            best = max(best, value)
    chosen = 0
    for i in range(1, n):
        if values[i] > values[chosen]:
            chosen = i
    return moves[chosen]


@njit
def chance(value: float) -> float:
    """The first seat's expected score, from -1 to 1, of an evaluation in log-odds."""
    if value > 30.0:
        return 1.0
    if value < -30.0:
        return -1.0
    return math.tanh(0.5 * value)


@njit
def _grow(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, node: int, used: int) -> int:
    """Gives a node its children, each with the value of one look at it; returns the nodes in use.

    A child that wins for the mover proves the node.
    """
    state = ws.states[0]
    moves = ws.moves[0]
    n = legal_moves(rules, state, moves)
    if used + n > ws.tree_sums.shape[0]:
        return used
    ws.tree_info[node, TREE_CHILD] = used
    ws.tree_info[node, TREE_CHILDREN] = n
    for i in range(n):
        value = _value_of_move(rules, agent, weights, ws, salt, 0, moves[i])
        child = used + i
        ws.tree_info[child, TREE_VISITS] = 1
        ws.tree_info[child, TREE_CHILD] = 0
        ws.tree_info[child, TREE_CHILDREN] = 0
        ws.tree_info[child, TREE_MOVE] = moves[i]
        ws.tree_info[child, TREE_PROVEN] = 0
        if value > WIN / 2:
            ws.tree_info[child, TREE_PROVEN] = FIRST
        elif value < -WIN / 2:
            ws.tree_info[child, TREE_PROVEN] = SECOND
        ws.tree_sums[child] = chance(value)
    return used + n


@njit
def _prove(ws: Any, node: int, who: int) -> None:
    """Marks a node whose mover has a winning child, or only losing ones."""
    first, n = ws.tree_info[node, TREE_CHILD], ws.tree_info[node, TREE_CHILDREN]
    mine = FIRST if who == 0 else SECOND
    all_lost = n > 0
    for child in range(first, first + n):
        proven = ws.tree_info[child, TREE_PROVEN]
        if proven == mine:
            ws.tree_info[node, TREE_PROVEN] = mine
            return
        if proven == 0:
            all_lost = False
    if all_lost:
        ws.tree_info[node, TREE_PROVEN] = FIRST + SECOND - mine


@njit
def _select(ws: Any, node: int, who: int, exploration: float) -> int:
    """The child to visit next by UCT; children that are proven lost for the mover come last."""
    first, n = ws.tree_info[node, TREE_CHILD], ws.tree_info[node, TREE_CHILDREN]
    log = math.log(ws.tree_info[node, TREE_VISITS] + 1.0)
    mine = FIRST if who == 0 else SECOND
    best, chosen = -math.inf, first
    for child in range(first, first + n):
        visits = ws.tree_info[child, TREE_VISITS]
        mean = ws.tree_sums[child] / visits
        value = (mean if who == 0 else -mean) + exploration * math.sqrt(log / visits)
        proven = ws.tree_info[child, TREE_PROVEN]
        if proven == mine:
            value += 100.0
        elif proven != 0:
            value -= 100.0
        if value > best:
            best, chosen = value, child
    return chosen


@njit
def _rollout(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any) -> float:
    """The expected score after some random plies from ``ws.states[0]``, judged there by the heuristic."""
    state = ws.states[0]
    for _ in range(agent.rollout):
        n = legal_moves(rules, state, ws.moves[0])
        result, _ = outcome(rules, state, n)
        if result != ONGOING:
            return chance(_settled(result, 0))
        play(rules, state, ws.moves[0, below(rng, n)])
    result, _ = terminal(rules, state, ws.moves[0])
    if result != ONGOING:
        return chance(_settled(result, 0))
    return chance(evaluate(rules, state, agent, weights, ws.features, salt))


@njit
def _most_visited(ws: Any, who: int) -> int:
    """The child of the root that was visited most; proven wins come first, proven losses last."""
    mine = FIRST if who == 0 else SECOND
    best, chosen = -math.inf, 0
    first = ws.tree_info[0, TREE_CHILD]
    for child in range(first, first + ws.tree_info[0, TREE_CHILDREN]):
        visits = ws.tree_info[child, TREE_VISITS]
        mean = ws.tree_sums[child] / visits
        value = visits + 0.5 * (mean if who == 0 else -mean)
        proven = ws.tree_info[child, TREE_PROVEN]
        if proven == mine:
            value += 1e9
        elif proven != 0:
            value -= 1e9
        if value > best:
            best, chosen = value, child
    return chosen


@njit
def _mcts(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: int) -> int:
    """UCT (Kocsis and Szepesvari 2006) with one-look values for new children and proven wins and losses.

    The root position is kept at ``ws.states[STACK - 1]``; ``ws.states[0]`` walks down the tree.
    """
    root = ws.states[STACK - 1]
    copy(ws.states[0], root)
    ws.tree_info[0, :] = 0
    ws.tree_sums[0] = 0.0
    used = _grow(rules, agent, weights, ws, salt, 0, 1)
    line = scratch(256)
    _prove(ws, 0, seat(rules, root))
    for _ in range(agent.simulations):
        if ws.tree_info[0, TREE_PROVEN] != 0:
            break
        ws.counters[SIMULATIONS] += 1
        state = ws.states[0]
        copy(root, state)
        node, length = 0, 0
        while ws.tree_info[node, TREE_CHILDREN] > 0 and ws.tree_info[node, TREE_PROVEN] == 0 and length < 250:
            line[length] = node
            length += 1
            node = _select(ws, node, seat(rules, state), agent.exploration)
            play(rules, state, ws.tree_info[node, TREE_MOVE])
        proven = ws.tree_info[node, TREE_PROVEN]
        if proven == 0 and ws.tree_info[node, TREE_VISITS] >= 2 and ws.tree_info[node, TREE_CHILDREN] == 0:
            result, _ = terminal(rules, state, ws.moves[0])
            if result == ONGOING:
                used = _grow(rules, agent, weights, ws, salt, node, used)
                _prove(ws, node, seat(rules, state))
                proven = ws.tree_info[node, TREE_PROVEN]
        if proven != 0:
            value = 1.0 if proven == FIRST else -1.0
        else:
            value = _rollout(rules, agent, weights, ws, salt, rng)
        line[length] = node
        for i in range(length, -1, -1):
            ws.tree_info[line[i], TREE_VISITS] += 1
            ws.tree_sums[line[i]] += value
        # Proofs climb as far as they hold.
        if proven != 0:
            for i in range(length - 1, -1, -1):
                if ws.tree_info[line[i], TREE_PROVEN] != 0:
                    continue
                copy(root, state)
                for j in range(1, i + 1):
                    play(rules, state, ws.tree_info[line[j], TREE_MOVE])
                _prove(ws, line[i], seat(rules, state))
                if ws.tree_info[line[i], TREE_PROVEN] == 0:
                    break
    who = seat(rules, root)
    chosen = _most_visited(ws, who)
    # A move that was hardly looked at may still allow a win in one: look once more, and take the next best if so.
    while ws.tree_info[chosen, TREE_PROVEN] == 0 and ws.tree_info[chosen, TREE_CHILDREN] == 0:
        copy(root, ws.states[0])
        play(rules, ws.states[0], ws.tree_info[chosen, TREE_MOVE])
        result, _ = terminal(rules, ws.states[0], ws.moves[0])
        if result != ONGOING:
            break
        before = used
        used = _grow(rules, agent, weights, ws, salt, chosen, used)
        if used == before:
            break
        _prove(ws, chosen, seat(rules, ws.states[0]))
        chosen = _most_visited(ws, who)
    copy(root, ws.states[0])
    return ws.tree_info[chosen, TREE_MOVE]


@njit
def _optimal(rules: Any, ws: Any, rng: Any, n: int) -> int:
    """The move to the best state for the mover, by the solution's values; among equals each equally likely."""
    sign = 1 if seat(rules, ws.states[0]) == 0 else -1
    best, ties, chosen = -(1 << 40), 0, 0
    child = ws.states[1]
    for i in range(n):
        copy(ws.states[0], child)
        play(rules, child, ws.moves[0, i])
        value = sign * look_up(ws.solution_words, ws.solution_values, state_word(child))
        if value > best:
            best, ties, chosen = value, 1, i
        elif value == best:
            ties += 1
            if below(rng, ties) == 0:
                chosen = i
    return ws.moves[0, chosen]


@spliced
def choose(rules: Any, state: Any, moves: Any, n: int, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any) -> int:
    """The move that an agent plays in ``state``, whose n legal moves are ``moves[:n]``; n is at least 1."""
    if agent.style != 0:
        n = preferred(rules, state, moves, n, agent.style)
    if n == 1:
        return moves[0]
    if agent.kind == RANDOM or (agent.epsilon > 0.0 and unit(draw(rng)) < agent.epsilon):
        return moves[below(rng, n)]
    copy(state, ws.states[0])
    for i in range(n):
        ws.moves[0, i] = moves[i]
    if agent.kind == GREEDY:
        return _greedy(rules, agent, weights, ws, salt, rng, n)
    if agent.kind == ALPHABETA:
        return _alphabeta(rules, agent, weights, ws, salt, rng, n)
    if agent.kind == OPTIMAL:
        return _optimal(rules, ws, rng, n)
    return _mcts(rules, agent, weights, ws, salt, rng, n)


@njit
def judged(rules: Any, state: Any, moves: Any, n: int, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any) -> float:
    """The first seat's expected score, from -1 to 1, of a position with n legal moves, as an agent sees it.

    It is the value of the move that the agent thinks best: from its search (or, for greedy, one look at each move), its
    simulations, or the solution.
    """
    copy(state, ws.states[0])
    for i in range(n):
        ws.moves[0, i] = moves[i]
    if agent.kind == OPTIMAL:
        known = look_up(ws.solution_words, ws.solution_values, state_word(state))
        return 1.0 if known > 0 else -1.0 if known < 0 else 0.0
    if agent.kind == MCTS:
        move = _mcts(rules, agent, weights, ws, salt, rng, n)
        child = ws.tree_info[0, TREE_CHILD]
        while ws.tree_info[child, TREE_MOVE] != move:
            child += 1
        proven = ws.tree_info[child, TREE_PROVEN]
        if proven != 0:
            return 1.0 if proven == FIRST else -1.0
        return ws.tree_sums[child] / ws.tree_info[child, TREE_VISITS]
    # Greedy has depth 0: no round of the search is played, and each move keeps the value of one look.
    _alphabeta(rules, agent, weights, ws, salt, rng, n)
    best = ws.values[0, 0]
    for i in range(1, n):
        best = max(best, ws.values[0, i])
    return chance(best if seat(rules, state) == 0 else -best)
