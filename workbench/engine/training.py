"""Training data from self-play, and the fit of weights and nets to it.

Only quiet positions are stored, since heuristics evaluate quiet positions only. A fit sums in a fixed order and by
exact operations, including the logistic function, so that a training gives the same numbers on every machine.

Sources: M. Buro, "From Simple Features to Sophisticated Evaluation Functions", 1998 (weights fitted by logistic
regression to the results of games, tapered by stages); P. Osterlund, "Evaluation function tuning", 2014 (quiet
positions of a program's own games); D. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from workbench.engine.contract import (
    FIRST,
    HAND,
    MOVE,
    ONGOING,
    SECOND,
    counts_positions,
    features,
    gain,
    key,
    legal_moves,
    max_moves,
    outcome,
    play,
    repetition,
    seat,
    signed_count,
    start,
    state_size,
    strip_count,
    tactical_moves,
    unit_cell,
    units,
)
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
"""Expected score, from -1 to 1, beyond which a position has nothing to teach."""
SETTLED, SETTLED_PLIES = 0.93, 6
"""Expected score, from -1 to 1, and number of consecutive searches for one side at which a game counts as won by it:
weak players do not always know how to win, and would learn that what wins is worth nothing."""
BRANCH_PLIES = 3
"""Maximum random plies from the game to a position off the game."""
OFF_GAME = -1.0
"""Placeholder for the result of such a position until the game has ended."""
SMALLEST = 0.5
"""Minimum size of a feature, however rare it is."""
NOISE = 0.05
"""Noise with hand-tuned weights, as for agents."""
FEWEST = 100
"""Minimum number of positions per search."""
GAMES_AT_ONCE = 10
"""Games between two checks of the budget."""
UNINTERRUPTED = 500_000
"""Maximum number of searched positions without a response to Ctrl-C, since compiled code cannot be interrupted."""
ROW_UNITS = 40
"""Average units per stored position for which memory is allocated."""


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
    """int64: index of each position's first unit, and the end of the last."""
    places: Any
    """uint16: the place of each unit."""
    counts: Any
    """int16: its count, negative for the second seat."""
    words: Any
    """int32: its word without count (`contract.unit_word`)."""
    movers: Any
    """int8: the seat to move."""
    games: Any
    """int32: the index of the game."""


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
def _store(rules: Any, state: Any, row: Any, ws: Any, score: float, rows: Any, n: int) -> int:
    """Write a position to row n; return the number of rows, unchanged if the arrays are full."""
    n_units = units(rules, state, ws.units)
    at = rows.offsets[n]
    if n >= rows.early.shape[0] or at + n_units > rows.places.shape[0]:
        return n
    on_board = 0
    features(rules, state, ws.features)
    for i in range(ws.features.shape[0]):
        rows.features[n, i] = ws.features[i]
    for i in range(n_units):
        word = ws.units[i]
        if unit_cell(word) != HAND:
            on_board += 1
        rows.places[at] = unit_place(ws, word)
        rows.counts[at] = signed_count(word)
        rows.words[at] = strip_count(word)
        at += 1
    rows.offsets[n + 1] = at
    rows.early[n] = earliness(on_board, row, ws)
    rows.scores[n], rows.results[n] = score, 0.0
    rows.movers[n] = seat(rules, state)
    return n + 1


@njit
def _only_adds(rules: Any, state: Any, move: int, ws: Any) -> bool:
    """Return whether a move gives its mover more units and captures none."""
    side = seat(rules, state)
    gained = lost = 0
    for sign in (-1, 1):
        for i in range(units(rules, state if sign < 0 else ws.states[1], ws.units)):
            count = signed_count(ws.units[i])
            if (count > 0) == (side == 0):
                gained += sign * abs(count)
            else:
                lost -= sign * abs(count)
        if sign < 0:
            copy(state, ws.states[1])
            play(rules, ws.states[1], move)
    return gained > 0 and lost <= 0


@njit
def _store_quiet(rules: Any, state: Any, move: int, row: Any, ws: Any, rows: Any, n: int) -> int:
    """Store a position after a search, with its best move, if it is quiet and undecided; return like `_store`.

    It is quiet if its family's rules define it so and the move wins no units except added ones.
    """
    score = ws.score[0]
    if abs(score) >= DECIDED:
        return n
    _, quiet = tactical_moves(rules, state, ws.moves[1])
    wins = gain(rules, state, move, row[ws.layout[WORTH] : ws.layout[LATE]], ws.states[1]) > 0.0
    if quiet and (not wins or _only_adds(rules, state, move, ws)):
        return _store(rules, state, row, ws, 0.5 + 0.5 * score, rows, n)
    return n


@njit
def _search(rules: Any, agent: Any, row: Any, ws: Any, salt: Any, state: Any, moves: Any, rng: Any, n: int) -> int:
    copy(state, ws.states[0])
    for i in range(n):
        ws.moves[0, i] = moves[i]
    return principal(rules, agent, row, ws, salt, rng, n)


@njit
def _store_branch(rules: Any, agent: Any, row: Any, ws: Any, salt: Any, games: Any, rows: Any, n: int) -> int:
    """Store a position a few random plies after ``ws.branch``; return like `_store`.

    It has no result, so the score of its search takes that place.
    """
    state, moves, rng = ws.branch, games.moves, games.rng
    for _ in range(1 + below(rng, BRANCH_PLIES)):
        listed = legal_moves(rules, state, moves)
        result, _ = outcome(rules, state, listed)
        if result != ONGOING:
            return n
        play(rules, state, moves[below(rng, listed)])
    listed = legal_moves(rules, state, moves)
    result, _ = outcome(rules, state, listed)
    if result != ONGOING or listed < 2:
        return n
    move = _search(rules, agent, row, ws, salt, state, moves, rng, listed)
    stored = _store_quiet(rules, state, move, row, ws, rows, n)
    if stored > n:
        rows.results[n] = OFF_GAME
    return stored


@njit
def _play_game(rules: Any, agent: Any, row: Any, ws: Any, games: Any, seed: Any, rows: Any, n: int) -> tuple[int, int]:
    """Play a game and store a share of its quiet positions as rows from n; return its result and the new n.

    At a share of the plies, ``branches``, a position a few random plies off the game is stored, too. A game without a
    result leaves no rows.
    """
    state, moves, rng = games.state, games.moves, games.rng
    rng[0] = mix(seed)
    salt = mix(seed + np.uint64(1))
    counting = counts_positions(rules)
    clear_positions(ws)
    ws.searches[:] = 0
    start(rules, state)
    opening = RANDOM_PLIES[0] + below(rng, RANDOM_PLIES[1] - RANDOM_PLIES[0])
    result, begin, lead = ONGOING, n, 0
    for ply in range(games.plies):
        count = count_position(ws, key(rules, state)) if counting else 1
        listed = legal_moves(rules, state, moves)
        result, _ = outcome(rules, state, listed)
        if result == ONGOING:
            result, _ = repetition(rules, state, count)
        if result != ONGOING:
            break
        if ply < opening:
            move = moves[below(rng, listed)]
        elif listed == 1:
            move = moves[0]
        else:
            move = MOVE(_search(rules, agent, row, ws, salt, state, moves, rng, listed))
            score = ws.score[0]
            if score > SETTLED:
                lead = max(1, lead + 1)
            elif score < -SETTLED:
                lead = min(-1, lead - 1)
            else:
                lead = 0
            if abs(lead) == SETTLED_PLIES:
                result = FIRST if lead > 0 else SECOND
                break
            if unit(draw(rng)) < games.share:
                n = _store_quiet(rules, state, move, row, ws, rows, n)
            if games.branches > 0.0 and unit(draw(rng)) < games.branches:
                copy(state, ws.branch)
                n = _store_branch(rules, agent, row, ws, salt, games, rows, n)
        play(rules, state, move)
    if result == ONGOING:
        return result, begin
    for i in range(begin, n):
        if rows.results[i] == OFF_GAME:
            rows.results[i] = rows.scores[i]
        else:
            rows.results[i] = 1.0 if result == FIRST else 0.0 if result == SECOND else 0.5
    return result, n


@njit
def _play_games(rules: Any, agent: Any, row: Any, ws: Any, games: Any, seeds: Any, rows: Any, n: int) -> int:
    for i in range(seeds.shape[0]):
        begin = n
        result, n = _play_game(rules, agent, row, ws, games, seeds[i], rows, n)
        rows.games[begin:n] = games.results.sum()
        games.results[result] += 1
    return n


@njit
def _sample(rules: Any, ws: Any, state: Any, moves: Any, rng: Any, most: Any, squares: Any) -> tuple[int, int]:
    """Play random games; return the number of positions and of their legal moves.

    Fills ``most`` with each game's maximum number of units on the board, and ``squares`` with the sums of squared
    features.
    """
    positions = listed = 0
    for game in range(most.shape[0]):
        start(rules, state)
        for _ in range(300):
            on_board = 0
            for i in range(units(rules, state, ws.units)):
                if unit_cell(ws.units[i]) != HAND:
                    on_board += 1
            most[game] = max(most[game], on_board)
            features(rules, state, ws.features)
            for i in range(squares.shape[0]):
                squares[i] += ws.features[i] * ws.features[i]
            positions += 1
            n = legal_moves(rules, state, moves)
            listed += n
            result, _ = outcome(rules, state, n)
            if result != ONGOING:
                break
            play(rules, state, moves[below(rng, n)])
    return positions, listed


def split_seeds(seeds: Any, nodes: int, plies: int) -> list[Any]:
    """Split seeds into parts of games that run without interruption, with searches of ``nodes`` positions."""
    size = max(1, UNINTERRUPTED // (nodes * plies))
    return [seeds[begin : begin + size] for begin in range(0, len(seeds), size)]


class SelfPlay:
    """A player that plays against itself, the stored positions, and the loss of weights on them."""

    def __init__(self, rules: Any, begin: Sequence[float], looks: float, plies: int, room: int, follows: bool) -> None:
        """Prepare games of at most ``plies`` plies and memory for ``room`` positions.

        ``begin`` are the initial feature weights. A search has ``looks`` positions per legal move of a typical
        position, and follows captures and moves that must be answered, or prunes them like all others
        (`Agent.follows`).
        """
        self.rules = rules
        self.ws = make_workspace(rules, plies + 1)
        self.layout = self.ws.layout
        self.row = np.zeros(self.layout[SIZE])
        """The player's weights (`memory.WORTH` …)."""
        self.plies = plies
        known, n_units = len(begin), room * ROW_UNITS
        self.rows = Rows(
            features=np.zeros((room, known), np.float32),
            early=np.zeros(room, np.float32),
            scores=np.zeros(room, np.float32),
            results=np.zeros(room, np.float32),
            offsets=np.zeros(room + 1, np.int64),
            places=np.zeros(n_units, np.uint16),
            counts=np.zeros(n_units, np.int16),
            words=np.zeros(n_units, np.int32),
            movers=np.zeros(room, np.int8),
            games=np.zeros(room, np.int32),
        )
        self.stored = 0
        """Number of stored positions."""
        self.games = 0
        state, moves, rng = (
            np.zeros(state_size(rules), np.int64),
            np.zeros(max_moves(rules), np.int32),
            np.ones(1, np.uint64),
        )
        self._memory = _Games(plies, 0.0, 0.0, state, moves, rng, np.zeros(4, np.int64))
        self.row[:known] = self.row[self.layout[LATE] : self.layout[LATE] + known] = begin
        most, squares = np.zeros(20, np.int64), np.zeros(known)
        positions, listed = _sample(rules, self.ws, state, moves, rng, most, squares)
        # A full board: half of all random games have as many units.
        self.row[self.layout[FULL]] = max(1, np.sort(most)[len(most) // 2])
        self.sizes = np.maximum(SMALLEST, np.sqrt(squares / positions))
        """Typical size of each feature."""
        self.search = max(FEWEST, round(looks * listed / positions))
        """Number of positions per search."""
        self.agent = Agent(
            PRINCIPAL, DEEPEST, 0.0, NOISE, 0, nodes=self.search, reductions=1, follows=int(follows), learned=1
        )
        self.update_unit_worth()

    def scale_noise(self, scale: float) -> None:
        """Set the noise to a multiple of the noise with hand-tuned weights."""
        self.agent = self.agent._replace(temperature=NOISE * scale)

    @property
    def nodes(self) -> int:
        """The number of positions searched so far."""
        return int(self.ws.nodes[0])

    @property
    def results(self) -> Any:
        """Number of games by result, unfinished ones first."""
        return self._memory.results

    def update_unit_worth(self) -> None:
        """Recompute the worth of units, by which captures are ordered, from the weights."""
        self.row[self.layout[WORTH] : self.layout[LATE]] = unit_worth(self.rules, self.agent, self.row, self.ws)

    def use_weights(self, row: Any, how: int) -> None:
        """Continue with another row of weights; ``how`` is `Agent.learned`."""
        self.row, self.agent = row.copy(), self.agent._replace(learned=how)

    def play(self, seed: int, until: int, share: float, branches: float = 0.0) -> Iterator[int]:
        """Play games until searches have a total of ``until`` positions; yield the number of positions so far.

        A ``share`` of the quiet positions is stored, while there is memory; at a share of the plies, ``branches``, a
        position a few random plies off the game is stored, too, with the score of a search as its result.
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
        """Replace the scores of searches by the results of games in all stored positions."""
        self.rows.scores[: self.stored] = self.rows.results[: self.stored]

    def stored_rows(self) -> Rows:
        """Return views of the stored positions."""
        end = int(self.rows.offsets[self.stored])
        ends = {"places": end, "counts": end, "words": end, "offsets": self.stored + 1}
        return Rows(*(getattr(self.rows, name)[: ends.get(name, self.stored)] for name in Rows._fields))

    def loss(self, row: Any, trust: float) -> tuple[float, Any]:
        """Return the mean cross entropy of weights on the stored positions, and its gradient."""
        gradient = np.zeros(len(row))
        return float(_loss(row, self.layout, self.rows, self.stored, trust, gradient)), gradient


# The fit of weights


@inline_ir
def _row_value(weights: Any, layout: Any, rows: Any, r: int) -> float:
    """Return the value of a stored position by learned weights, in log-odds of the first seat."""
    late, places_early, places_late = layout[LATE], layout[EARLY_PLACES], layout[LATE_PLACES]
    early = np.float64(rows.early[r])
    first, second = 0.0, 0.0
    for i in range(rows.features.shape[1]):
        first += weights[i] * rows.features[r, i]
        second += weights[late + i] * rows.features[r, i]
    for u in range(rows.offsets[r], rows.offsets[r + 1]):
        first += weights[places_early + rows.places[u]] * rows.counts[u]
        second += weights[places_late + rows.places[u]] * rows.counts[u]
    return early * first + (1.0 - early) * second


@njit
def row_values(weights: Any, layout: Any, rows: Any, values: Any) -> None:
    """Fill ``values`` with the value of each position by learned weights, in log-odds of the first seat."""
    for r in range(values.shape[0]):
        values[r] = _row_value(weights, layout, rows, r)


@njit
def _loss(weights: Any, layout: Any, rows: Any, n: int, trust: float, gradient: Any) -> float:
    """Return the mean cross entropy of the first n rows and fill its gradient.

    The target is a mixture of the result, with weight ``trust``, and the search's score.
    """
    gradient[:] = 0.0
    late, places_early, places_late = layout[LATE], layout[EARLY_PLACES], layout[LATE_PLACES]
    total = 0.0
    for r in range(n):
        # Double precision, with and without machine code.
        early, result, score = np.float64(rows.early[r]), np.float64(rows.results[r]), np.float64(rows.scores[r])
        value = _row_value(weights, layout, rows, r)
        target = trust * result + (1.0 - trust) * score
        predicted = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, value))))
        total -= target * math.log(predicted + 1e-12) + (1.0 - target) * math.log(1.0 - predicted + 1e-12)
        error = predicted - target
        first, second = error * early, error * (1.0 - early)
        for i in range(rows.features.shape[1]):
            gradient[i] += first * rows.features[r, i]
            gradient[late + i] += second * rows.features[r, i]
        for u in range(rows.offsets[r], rows.offsets[r + 1]):
            gradient[places_early + rows.places[u]] += first * rows.counts[u]
            gradient[places_late + rows.places[u]] += second * rows.counts[u]
    for i in range(gradient.shape[0]):
        gradient[i] /= n
    return total / n


# The fit of a net and the weights beside it

LOG2, HIGH, LOW = 1.4426950408889634, 0.693145751953125, 1.4286068203094172e-06
"""1 / ln 2, and ln 2 as a sum, the first term of which has few digits."""
TERMS = 12
"""Terms of the exponential series, within half of ln 2 of 0."""
FIRST_MOMENT, SECOND_MOMENT, TINY = 0.9, 0.999, 1e-8


class Fit(NamedTuple):
    """The fitted weights, their gradient, or a moment of it: float32 arrays."""

    inputs: Any
    """Inputs × hidden units."""
    bias: Any
    out: Any
    """(early, late) × (mover, other seat) × hidden units."""
    even: Any
    """The worth of the move, early and late."""
    features: Any
    """(early, late) × features."""
    places: Any
    """(early, late) × places."""


def zero_fit(inputs: int, features: int, places: int) -> Fit:
    """Return a fit of zeros."""
    shapes = ((inputs, HIDDEN), (HIDDEN,), (2, 2, HIDDEN), (2,), (2, features), (2, places))
    return Fit(*(np.zeros(shape, np.float32) for shape in shapes))


def initial_fit(row: Any, layout: Any, sizes: Any, inputs: int) -> Fit:
    """Return a fit equal to learned weights: features in units of their sizes, and a net that adds nothing."""
    features, places = int(layout[0]), int(layout[LATE_PLACES] - layout[EARLY_PLACES])
    fit = zero_fit(inputs, features, places)
    late, early_places, late_places = (int(layout[part]) for part in (LATE, EARLY_PLACES, LATE_PLACES))
    fit.features[0], fit.features[1] = row[:features] * sizes, row[late : late + features] * sizes
    fit.places[0], fit.places[1] = row[early_places:late_places], row[late_places : late_places + places]
    return fit


@inline_ir
def logistic(z: float) -> float:
    """Return 1 / (1 + e^-z), the same on every machine; libraries round the exponential function differently."""
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
    """Add the gradients at the rows of ``order`` to ``gradient``; return the sum of squared errors.

    Each row is mirrored by its entry of ``mirrors``. With an empty ``gradient`` only errors are summed. ``sums`` is
    float32, seats × hidden units.
    """
    squares = 0.0
    learn = gradient.bias.shape[0] > 0
    one, none = np.float32(1.0), np.float32(0.0)
    for q in range(order.shape[0]):
        r, mirror = order[q], mirrored[mirrors[q]]
        early = rows.early[r]
        late = one - early
        begin, end = rows.offsets[r], rows.offsets[r + 1]
        who = rows.movers[r]
        value = none
        for i in range(rows.features.shape[1]):
            value += (early * fit.features[0, i] + late * fit.features[1, i]) * rows.features[r, i]
        for viewer in range(2):
            for h in range(HIDDEN):
                sums[viewer, h] = fit.bias[h]
        for u in range(begin, end):
            count = np.float32(rows.counts[u])
            value += count * (early * fit.places[0, rows.places[u]] + late * fit.places[1, rows.places[u]])
            units = abs(count)
            for viewer in range(2):
                row = fit.inputs[mirror[table[viewer, rows.words[u]]]]
                for h in range(HIDDEN):
                    sums[viewer, h] += units * row[h]
        net = early * fit.even[0] + late * fit.even[1]
        for side in range(2):
            seen = sums[who if side == 0 else 1 - who]
            for h in range(HIDDEN):
                x = min(one, max(none, seen[h]))
                net += x * x * (early * fit.out[0, side, h] + late * fit.out[1, side, h])
        sign = one if who == 0 else -one
        error = np.float32(logistic(np.float64(value + sign * net)) - np.float64(target[r]))
        squares += np.float64(error) * np.float64(error)
        if not learn:
            continue
        at_early, at_late = error * early, error * late
        for i in range(rows.features.shape[1]):
            gradient.features[0, i] += at_early * rows.features[r, i]
            gradient.features[1, i] += at_late * rows.features[r, i]
        gradient.even[0] += sign * at_early
        gradient.even[1] += sign * at_late
        for side in range(2):
            seen = sums[who if side == 0 else 1 - who]
            for h in range(HIDDEN):
                x = min(one, max(none, seen[h]))
                gradient.out[0, side, h] += sign * at_early * x * x
                gradient.out[1, side, h] += sign * at_late * x * x
                steep = x + x if seen[h] < one else none
                weight = early * fit.out[0, side, h] + late * fit.out[1, side, h]
                seen[h] = sign * error * steep * weight
                gradient.bias[h] += seen[h]
        for u in range(begin, end):
            count = np.float32(rows.counts[u])
            gradient.places[0, rows.places[u]] += at_early * count
            gradient.places[1, rows.places[u]] += at_late * count
            units = abs(count)
            for viewer in range(2):
                row = gradient.inputs[mirror[table[viewer, rows.words[u]]]]
                for h in range(HIDDEN):
                    row[h] += units * sums[viewer, h]
    return squares


@njit
def step(
    weights: Any, gradient: Any, first: Any, second: Any, begin: Any, rate: float, decay: float, rows: int, ones: Any
) -> None:
    """Make a step of Adam along a gradient summed over ``rows`` rows, and clear the gradient.

    ``decay`` pulls towards ``begin``; ``ones`` are 1 minus powers of the moments' decay rates. All arrays are flat.
    """
    share, pull, length = np.float32(1.0 / rows), np.float32(decay), np.float32(rate)
    a, b = np.float32(FIRST_MOMENT), np.float32(SECOND_MOMENT)
    one = np.float32(1.0)
    for i in range(weights.shape[0]):
        g = gradient[i] * share + pull * (weights[i] - begin[i])
        first[i] = a * first[i] + (one - a) * g
        second[i] = b * second[i] + (one - b) * g * g
        weights[i] -= length * (first[i] / ones[0]) / (np.sqrt(second[i] / ones[1]) + np.float32(TINY))
        gradient[i] = np.float32(0.0)


@njit
def fill_uniform(numbers: Any, rng: Any) -> None:
    """Fill an array with uniform random numbers from 0 to 1."""
    for i in range(numbers.shape[0]):
        numbers[i] = unit(draw(rng))
