"""Training data from self-play, and the fit of weights and nets to it.

Only quiet positions are stored, since heuristics evaluate quiet positions only. A fit sums in a fixed order and by
exact operations, including the logistic function, so that training gives the same numbers on every machine.

Sources: M. Buro, "From Simple Features to Sophisticated Evaluation Functions", 1998 (weights fitted by logistic
regression to the results of games, tapered by stages); P. Osterlund, "Evaluation function tuning", 2014 (quiet
positions of a program's own games); D. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from workbench.engine import contract
from workbench.engine.contract import features, play, units
from workbench.engine.jit import by_reference, copy, inline_ir, njit
from workbench.engine.players import DEEPEST, PRINCIPAL, Agent
from workbench.engine.rng import below, draw, mix, unit
from workbench.engine.search.evaluation import earliness, unit_place, unit_worth
from workbench.engine.search.memory import (
    EARLY_PLACES,
    FULL,
    LATE,
    LATE_PLACES,
    SIZE,
    WORTH,
    clear_positions,
    count_position,
    make_workspace,
)
from workbench.engine.search.principal import principal
from workbench.engine.search.units import HIDDEN

RANDOM_PLIES = 4, 12
"""Range (half-open) of the number of random plies at the start of a game."""
DECIDED = 0.9999
"""Expected score, from -1 to 1, beyond which a position is useless for training."""
SETTLED, SETTLED_PLIES = 0.93, 6
"""Expected score, from -1 to 1, and number of consecutive searches for one side after which a game is adjudicated.
Weak players often fail to win such games, and would learn that winning advantages are worth nothing."""
BRANCH_PLIES = 3
"""Maximum number of random plies from a game to a branch position."""
OFF_GAME = -1.0
"""Placeholder for the result of a branch position until the game has ended."""
SMALLEST = 0.5
"""Minimum typical size of a feature, for rare features."""
NOISE = 0.05
"""Noise with hand-tuned weights, equal to that of agents."""
FEWEST = 100
"""Minimum number of positions per search."""
GAMES_AT_ONCE = 10
"""Games between two checks of the budget."""
UNINTERRUPTED = 500_000
"""Maximum number of positions searched before Ctrl-C is handled, since compiled code cannot be interrupted."""
ROW_UNITS = 40
"""Assumed average number of units per stored position, for memory allocation."""


class Rows(NamedTuple):
    """Stored positions, as factors of the weights."""

    features: Any
    """float32, a row per position."""
    early: Any
    """float32: `evaluation.earliness`."""
    scores: Any
    """float32: the search's expected score of the first seat, from 0 to 1."""
    results: Any
    """float32: the score of the game's result."""
    offsets: Any
    """int64: index of each position's first unit, and of the end."""
    places: Any
    """uint16: the place of each unit."""
    counts: Any
    """int16: the count of each unit, negative for the second seat."""
    words: Any
    """int32: the word of each unit, without its count (`contract.unit_word`)."""
    movers: Any
    """int8: the seat to move."""
    games: Any
    """int32: the game's index."""


@by_reference
class _Games(NamedTuple):
    """Parameters and buffers of self-play in compiled code."""

    plies: int
    share: float
    branches: float
    state: Any
    moves: Any
    rng: Any
    results: Any


# Games


@njit
def _store(rules: Any, state: Any, weights: Any, ws: Any, score: float, rows: Any, n: int) -> int:
    """Write a position to row n and return the number of rows, which is unchanged if the arrays are full."""
    n_units = units(rules, state, ws.units)
    unit = rows.offsets[n]
    if n >= rows.early.shape[0] or unit + n_units > rows.places.shape[0]:
        return n
    on_board = 0
    features(rules, state, ws.features)
    for i in range(ws.features.shape[0]):
        rows.features[n, i] = ws.features[i]
    for i in range(n_units):
        word = ws.units[i]
        if contract.unit_cell(word) != contract.HAND:
            on_board += 1
        rows.places[unit] = unit_place(ws, word)
        rows.counts[unit] = contract.signed_count(word)
        rows.words[unit] = contract.strip_count(word)
        unit += 1
    rows.offsets[n + 1] = unit
    rows.early[n] = earliness(on_board, weights, ws)
    rows.scores[n], rows.results[n] = score, 0.0
    rows.movers[n] = contract.seat(rules, state)
    return n + 1


@njit
def _only_adds(rules: Any, state: Any, move: int, ws: Any) -> bool:
    """Check whether a move increases the mover's units without capturing."""
    side = contract.seat(rules, state)
    gained = lost = 0
    for sign in (-1, 1):
        for i in range(units(rules, state if sign < 0 else ws.states[1], ws.units)):
            count = contract.signed_count(ws.units[i])
            if (count > 0) == (side == 0):
                gained += sign * abs(count)
            else:
                lost -= sign * abs(count)
        if sign < 0:
            copy(state, ws.states[1])
            play(rules, ws.states[1], move)
    return gained > 0 and lost <= 0


@njit
def _store_quiet(rules: Any, state: Any, move: int, weights: Any, ws: Any, rows: Any, n: int) -> int:
    """Store a searched position if it is quiet and undecided; return the number of rows.

    It must be quiet by the family's rules, and its best ``move`` must win no units other than added ones.
    """
    score = ws.score[0]
    if abs(score) >= DECIDED:
        return n
    _, quiet = contract.tactical_moves(rules, state, ws.moves[1])
    wins = contract.gain(rules, state, move, weights[ws.layout[WORTH] : ws.layout[LATE]], ws.states[1]) > 0.0
    if quiet and (not wins or _only_adds(rules, state, move, ws)):
        return _store(rules, state, weights, ws, 0.5 + 0.5 * score, rows, n)
    return n


@njit
def _search(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, state: Any, moves: Any, rng: Any, n: int) -> int:
    copy(state, ws.states[0])
    for i in range(n):
        ws.moves[0, i] = moves[i]
    return principal(rules, agent, weights, ws, salt, rng, n)


@njit
def _store_branch(rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, games: Any, rows: Any, n: int) -> int:
    """Store a position a few random plies after ``ws.branch`` and return the number of rows.

    The score of its search later becomes its result.
    """
    state, moves, rng = ws.branch, games.moves, games.rng
    for _ in range(1 + below(rng, BRANCH_PLIES)):
        count = contract.legal_moves(rules, state, moves)
        result, _ = contract.outcome(rules, state, count)
        if result != contract.ONGOING:
            return n
        play(rules, state, moves[below(rng, count)])
    count = contract.legal_moves(rules, state, moves)
    result, _ = contract.outcome(rules, state, count)
    if result != contract.ONGOING or count < 2:
        return n
    move = _search(rules, agent, weights, ws, salt, state, moves, rng, count)
    stored = _store_quiet(rules, state, move, weights, ws, rows, n)
    if stored > n:
        rows.results[n] = OFF_GAME
    return stored


@njit
def _play_game(
    rules: Any, agent: Any, weights: Any, ws: Any, games: Any, seed: Any, rows: Any, n: int
) -> tuple[int, int]:
    """Play a game and store a share of its quiet positions from row n; return its result and the new number of rows.

    With probability ``branches`` per ply, a position a few random plies off the game is stored as well. Rows of
    unfinished games are discarded.
    """
    state, moves, rng = games.state, games.moves, games.rng
    rng[0] = mix(seed)
    salt = mix(seed + np.uint64(1))
    counting = contract.counts_positions(rules)
    clear_positions(ws)
    ws.searches[:] = 0
    contract.start(rules, state)
    opening = RANDOM_PLIES[0] + below(rng, RANDOM_PLIES[1] - RANDOM_PLIES[0])
    result, first_row, lead = contract.ONGOING, n, 0
    for ply in range(games.plies):
        count = count_position(ws, contract.key(rules, state)) if counting else 1
        move_count = contract.legal_moves(rules, state, moves)
        result, _ = contract.outcome(rules, state, move_count)
        if result == contract.ONGOING:
            result, _ = contract.repetition(rules, state, count)
        if result != contract.ONGOING:
            break
        if ply < opening:
            move = moves[below(rng, move_count)]
        elif move_count == 1:
            move = moves[0]
        else:
            move = contract.MOVE(_search(rules, agent, weights, ws, salt, state, moves, rng, move_count))
            score = ws.score[0]
            if score > SETTLED:
                lead = max(1, lead + 1)
            elif score < -SETTLED:
                lead = min(-1, lead - 1)
            else:
                lead = 0
            if abs(lead) == SETTLED_PLIES:
                result = contract.FIRST if lead > 0 else contract.SECOND
                break
            if unit(draw(rng)) < games.share:
                n = _store_quiet(rules, state, move, weights, ws, rows, n)
            if games.branches > 0.0 and unit(draw(rng)) < games.branches:
                copy(state, ws.branch)
                n = _store_branch(rules, agent, weights, ws, salt, games, rows, n)
        play(rules, state, move)
    if result == contract.ONGOING:
        return result, first_row
    for i in range(first_row, n):
        if rows.results[i] == OFF_GAME:
            rows.results[i] = rows.scores[i]
        else:
            rows.results[i] = 1.0 if result == contract.FIRST else 0.0 if result == contract.SECOND else 0.5
    return result, n


@njit
def _play_games(rules: Any, agent: Any, weights: Any, ws: Any, games: Any, seeds: Any, rows: Any, n: int) -> int:
    for i in range(seeds.shape[0]):
        first_row = n
        result, n = _play_game(rules, agent, weights, ws, games, seeds[i], rows, n)
        rows.games[first_row:n] = games.results.sum()
        games.results[result] += 1
    return n


@njit
def _sample(rules: Any, ws: Any, state: Any, moves: Any, rng: Any, largest: Any, squares: Any) -> tuple[int, int]:
    """Play random games; return the numbers of positions and of legal moves.

    Fills ``largest`` with each game's maximum number of units on the board, and ``squares`` with the features' sums of
    squares.
    """
    positions = move_count = 0
    for game in range(largest.shape[0]):
        contract.start(rules, state)
        for _ in range(300):
            on_board = 0
            for i in range(units(rules, state, ws.units)):
                if contract.unit_cell(ws.units[i]) != contract.HAND:
                    on_board += 1
            largest[game] = max(largest[game], on_board)
            features(rules, state, ws.features)
            for i in range(squares.shape[0]):
                squares[i] += ws.features[i] * ws.features[i]
            positions += 1
            n = contract.legal_moves(rules, state, moves)
            move_count += n
            result, _ = contract.outcome(rules, state, n)
            if result != contract.ONGOING:
                break
            play(rules, state, moves[below(rng, n)])
    return positions, move_count


def split_seeds(seeds: Any, nodes: int, plies: int) -> list[Any]:
    """Split seeds into batches of games, each short enough to run uninterrupted with ``nodes`` positions per search."""
    size = max(1, UNINTERRUPTED // (nodes * plies))
    return [seeds[i : i + size] for i in range(0, len(seeds), size)]


class SelfPlay:
    """Self-play of a player, the stored positions, and the loss of weights on them."""

    def __init__(
        self, rules: Any, weights: Sequence[float], effort: float, plies: int, size: int, follows: bool
    ) -> None:
        """Prepare games of at most ``plies`` plies and memory for ``size`` positions.

        ``weights`` has the initial weight of each feature. A search visits ``effort`` positions per legal move of a
        typical position. With ``follows``, it follows captures and moves that must be answered instead of pruning them
        (`Agent.follows`).
        """
        self.rules = rules
        self.ws = make_workspace(rules, plies + 1)
        self.layout = self.ws.layout
        self.row = np.zeros(self.layout[SIZE])
        """The player's weights (`memory.WORTH` and so on)."""
        self.plies = plies
        n_features, n_units = len(weights), size * ROW_UNITS
        self.rows = Rows(
            features=np.zeros((size, n_features), np.float32),
            early=np.zeros(size, np.float32),
            scores=np.zeros(size, np.float32),
            results=np.zeros(size, np.float32),
            offsets=np.zeros(size + 1, np.int64),
            places=np.zeros(n_units, np.uint16),
            counts=np.zeros(n_units, np.int16),
            words=np.zeros(n_units, np.int32),
            movers=np.zeros(size, np.int8),
            games=np.zeros(size, np.int32),
        )
        self.stored = 0
        """Number of stored positions."""
        self.games = 0
        state, moves, rng = (
            np.zeros(contract.state_size(rules), np.int64),
            np.zeros(contract.max_moves(rules), np.int32),
            np.ones(1, np.uint64),
        )
        self._memory = _Games(plies, 0.0, 0.0, state, moves, rng, np.zeros(4, np.int64))
        self.row[:n_features] = self.row[self.layout[LATE] : self.layout[LATE] + n_features] = weights
        largest, squares = np.zeros(20, np.int64), np.zeros(n_features)
        positions, move_count = _sample(rules, self.ws, state, moves, rng, largest, squares)
        # A board counts as full at the median of the largest numbers of units.
        self.row[self.layout[FULL]] = max(1, np.sort(largest)[len(largest) // 2])
        self.sizes = np.maximum(SMALLEST, np.sqrt(squares / positions))
        """Typical size of each feature."""
        self.search = max(FEWEST, round(effort * move_count / positions))
        """Number of positions per search."""
        self.agent = Agent(
            PRINCIPAL, DEEPEST, 0.0, NOISE, 0, nodes=self.search, reductions=1, follows=int(follows), learned=1
        )
        self.update_unit_worth()

    def scale_noise(self, scale: float) -> None:
        """Set the noise, as a multiple of the noise used with hand-tuned weights."""
        self.agent = self.agent._replace(temperature=NOISE * scale)

    @property
    def nodes(self) -> int:
        """The number of positions searched so far."""
        return int(self.ws.nodes[0])

    @property
    def results(self) -> Any:
        """Number of games by result, with unfinished games first."""
        return self._memory.results

    def update_unit_worth(self) -> None:
        """Recompute the worth of units, which orders captures, from the current weights."""
        self.row[self.layout[WORTH] : self.layout[LATE]] = unit_worth(self.rules, self.agent, self.row, self.ws)

    def use_weights(self, weights: Any, learned: int) -> None:
        """Continue with another row of weights; ``learned`` is `Agent.learned`."""
        self.row, self.agent = weights.copy(), self.agent._replace(learned=learned)

    def play(self, seed: int, until: int, share: float, branches: float = 0.0) -> Iterator[int]:
        """Play games until ``until`` positions have been searched in total; yield the number so far.

        A ``share`` of the quiet positions is stored until memory is full. With probability ``branches`` per ply, a
        position a few random plies off the game is stored as well, with its search score as its result.
        """
        games = self._memory._replace(share=float(share), branches=float(branches))
        while self.nodes < until:
            numbers = np.arange(self.games, self.games + GAMES_AT_ONCE)
            seeds = np.array([mix(np.uint64(seed) ^ mix(np.uint64(number))) for number in numbers], np.uint64)
            for part in split_seeds(seeds, self.search, self.plies):
                self.stored = _play_games(
                    self.rules, self.agent, self.row, self.ws, games, part, self.rows, self.stored
                )
            self.games += GAMES_AT_ONCE
            yield self.nodes

    def trust_results(self) -> None:
        """Replace search scores by game results in all stored positions."""
        self.rows.scores[: self.stored] = self.rows.results[: self.stored]

    def stored_rows(self) -> Rows:
        """Return views of the stored positions."""
        end = int(self.rows.offsets[self.stored])
        ends = {"places": end, "counts": end, "words": end, "offsets": self.stored + 1}
        return Rows(*(getattr(self.rows, name)[: ends.get(name, self.stored)] for name in Rows._fields))

    def loss(self, weights: Any, trust: float) -> tuple[float, Any]:
        """Return the mean cross entropy of weights on the stored positions, and its gradient."""
        gradient = np.zeros(len(weights))
        return float(_loss(weights, self.layout, self.rows, self.stored, trust, gradient)), gradient


# The fit of weights


@inline_ir
def _row_value(weights: Any, layout: Any, rows: Any, r: int) -> float:
    """Return the value of a stored position by learned weights, in log-odds of a first-seat win."""
    late, places_early, places_late = layout[LATE], layout[EARLY_PLACES], layout[LATE_PLACES]
    early = np.float64(rows.early[r])
    early_sum, late_sum = 0.0, 0.0
    for i in range(rows.features.shape[1]):
        early_sum += weights[i] * rows.features[r, i]
        late_sum += weights[late + i] * rows.features[r, i]
    for u in range(rows.offsets[r], rows.offsets[r + 1]):
        early_sum += weights[places_early + rows.places[u]] * rows.counts[u]
        late_sum += weights[places_late + rows.places[u]] * rows.counts[u]
    return early * early_sum + (1.0 - early) * late_sum


@njit
def row_values(weights: Any, layout: Any, rows: Any, values: Any) -> None:
    """Fill ``values`` with the positions' values by learned weights, in log-odds of a first-seat win."""
    for r in range(values.shape[0]):
        values[r] = _row_value(weights, layout, rows, r)


@njit
def _loss(weights: Any, layout: Any, rows: Any, n: int, trust: float, gradient: Any) -> float:
    """Return the mean cross entropy of the first n rows and fill ``gradient``.

    The target is the weighted mean of the game result (``trust``) and the search score (1 - ``trust``).
    """
    gradient[:] = 0.0
    late, places_early, places_late = layout[LATE], layout[EARLY_PLACES], layout[LATE_PLACES]
    total = 0.0
    for r in range(n):
        # Without machine code, float32 values would otherwise remain in single precision.
        early, result, score = np.float64(rows.early[r]), np.float64(rows.results[r]), np.float64(rows.scores[r])
        value = _row_value(weights, layout, rows, r)
        target = trust * result + (1.0 - trust) * score
        predicted = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, value))))
        total -= target * math.log(predicted + 1e-12) + (1.0 - target) * math.log(1.0 - predicted + 1e-12)
        error = predicted - target
        early_error, late_error = error * early, error * (1.0 - early)
        for i in range(rows.features.shape[1]):
            gradient[i] += early_error * rows.features[r, i]
            gradient[late + i] += late_error * rows.features[r, i]
        for u in range(rows.offsets[r], rows.offsets[r + 1]):
            gradient[places_early + rows.places[u]] += early_error * rows.counts[u]
            gradient[places_late + rows.places[u]] += late_error * rows.counts[u]
    for i in range(gradient.shape[0]):
        gradient[i] /= n
    return total / n


# The fit of a net together with the weights

LOG2, HIGH, LOW = 1.4426950408889634, 0.693145751953125, 1.4286068203094172e-06
"""1 / ln 2, and ln 2 split into a sum whose first term has few digits."""
TERMS = 12
"""Number of terms of the exponential series, for arguments within ln 2 / 2 of 0."""
FIRST_MOMENT, SECOND_MOMENT, TINY = 0.9, 0.999, 1e-8


class Fit(NamedTuple):
    """Fitted weights, their gradient, or a moment of the gradient: float32 arrays."""

    inputs: Any
    """Inputs × hidden units."""
    bias: Any
    out: Any
    """(early, late) × (mover, other seat) × hidden units."""
    even: Any
    """The worth of having the move, early and late."""
    features: Any
    """(early, late) × features."""
    places: Any
    """(early, late) × places."""


def zero_fit(inputs: int, features: int, places: int) -> Fit:
    """Return a fit of zeros."""
    shapes = ((inputs, HIDDEN), (HIDDEN,), (2, 2, HIDDEN), (2,), (2, features), (2, places))
    return Fit(*(np.zeros(shape, np.float32) for shape in shapes))


def initial_fit(weights: Any, layout: Any, sizes: Any, inputs: int) -> Fit:
    """Return a fit that equals learned weights, with features scaled by their sizes and a net that adds nothing."""
    features, places = int(layout[0]), int(layout[LATE_PLACES] - layout[EARLY_PLACES])
    fit = zero_fit(inputs, features, places)
    late, early_places, late_places = (int(layout[part]) for part in (LATE, EARLY_PLACES, LATE_PLACES))
    fit.features[0], fit.features[1] = weights[:features] * sizes, weights[late : late + features] * sizes
    fit.places[0], fit.places[1] = weights[early_places:late_places], weights[late_places : late_places + places]
    return fit


@inline_ir
def logistic(z: float) -> float:
    """Return 1 / (1 + e^-z), equal on every machine, which library functions do not guarantee."""
    x = -min(30.0, abs(z))
    k = math.floor(x * LOG2 + 0.5)
    r = x - k * HIGH - k * LOW
    term, power = 1.0, 1.0
    for i in range(1, TERMS + 1):
        term *= r / i
        power += term
    power = math.ldexp(power, int(k))
    return 1.0 / (1.0 + power) if z >= 0.0 else power / (1.0 + power)


@njit
def add_gradients(
    order: Any, mirrors: Any, rows: Any, table: Any, mirrored: Any, target: Any, fit: Any, gradient: Any, sums: Any
) -> float:
    """Add the gradients of the rows in ``order`` to ``gradient`` and return the sum of squared errors.

    Each row is mirrored by its entry in ``mirrors``. If ``gradient`` is empty, only errors are summed. ``sums`` is a
    float32 buffer, seats × hidden units.
    """
    squares = 0.0
    has_gradient = gradient.bias.shape[0] > 0
    one, zero = np.float32(1.0), np.float32(0.0)
    for q in range(order.shape[0]):
        r, mirror = order[q], mirrored[mirrors[q]]
        early = rows.early[r]
        late = one - early
        first_unit, end_unit = rows.offsets[r], rows.offsets[r + 1]
        mover = rows.movers[r]
        value = zero
        for i in range(rows.features.shape[1]):
            value += (early * fit.features[0, i] + late * fit.features[1, i]) * rows.features[r, i]
        for viewer in range(2):
            for h in range(HIDDEN):
                sums[viewer, h] = fit.bias[h]
        for u in range(first_unit, end_unit):
            count = np.float32(rows.counts[u])
            value += count * (early * fit.places[0, rows.places[u]] + late * fit.places[1, rows.places[u]])
            units = abs(count)
            for viewer in range(2):
                row = fit.inputs[mirror[table[viewer, rows.words[u]]]]
                for h in range(HIDDEN):
                    sums[viewer, h] += units * row[h]
        net = early * fit.even[0] + late * fit.even[1]
        for side in range(2):
            side_sums = sums[mover if side == 0 else 1 - mover]
            for h in range(HIDDEN):
                x = min(one, max(zero, side_sums[h]))
                net += x * x * (early * fit.out[0, side, h] + late * fit.out[1, side, h])
        sign = one if mover == 0 else -one
        error = np.float32(logistic(np.float64(value + sign * net)) - np.float64(target[r]))
        squares += np.float64(error) * np.float64(error)
        if not has_gradient:
            continue
        early_error, late_error = error * early, error * late
        for i in range(rows.features.shape[1]):
            gradient.features[0, i] += early_error * rows.features[r, i]
            gradient.features[1, i] += late_error * rows.features[r, i]
        gradient.even[0] += sign * early_error
        gradient.even[1] += sign * late_error
        for side in range(2):
            side_sums = sums[mover if side == 0 else 1 - mover]
            for h in range(HIDDEN):
                x = min(one, max(zero, side_sums[h]))
                gradient.out[0, side, h] += sign * early_error * x * x
                gradient.out[1, side, h] += sign * late_error * x * x
                slope = x + x if side_sums[h] < one else zero
                weight = early * fit.out[0, side, h] + late * fit.out[1, side, h]
                side_sums[h] = sign * error * slope * weight
                gradient.bias[h] += side_sums[h]
        for u in range(first_unit, end_unit):
            count = np.float32(rows.counts[u])
            gradient.places[0, rows.places[u]] += early_error * count
            gradient.places[1, rows.places[u]] += late_error * count
            units = abs(count)
            for viewer in range(2):
                row = gradient.inputs[mirror[table[viewer, rows.words[u]]]]
                for h in range(HIDDEN):
                    row[h] += units * sums[viewer, h]
    return squares


@njit
def step(
    weights: Any, gradient: Any, first: Any, second: Any, prior: Any, rate: float, decay: float, rows: int, bias: Any
) -> None:
    """Make one Adam step along a gradient summed over ``rows`` rows, and clear the gradient.

    ``decay`` pulls the weights towards ``prior``; ``bias`` are the moments' bias corrections. All arrays are flat.
    """
    share, pull, length = np.float32(1.0 / rows), np.float32(decay), np.float32(rate)
    a, b = np.float32(FIRST_MOMENT), np.float32(SECOND_MOMENT)
    one = np.float32(1.0)
    for i in range(weights.shape[0]):
        g = gradient[i] * share + pull * (weights[i] - prior[i])
        first[i] = a * first[i] + (one - a) * g
        second[i] = b * second[i] + (one - b) * g * g
        weights[i] -= length * (first[i] / bias[0]) / (np.sqrt(second[i] / bias[1]) + np.float32(TINY))
        gradient[i] = np.float32(0.0)


@njit
def fill_uniform(values: Any, rng: Any) -> None:
    """Fill an array with random numbers distributed uniformly in [0, 1)."""
    for i in range(values.shape[0]):
        values[i] = unit(draw(rng))
