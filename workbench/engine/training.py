"""Positions to learn from: games that a search plays against itself, and how well weights foretell their results.

Which weights fit best is found elsewhere; here is what must be fast. Only quiet positions are kept, since a heuristic
is asked of quiet positions only.

Sources: M. Buro, "From Simple Features to Sophisticated Evaluation Functions", 1998 (weights fitted by logistic
regression to the results of games, tapered by stages); P. Osterlund, "Evaluation function tuning", 2014 (quiet
positions of a program's own games).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from workbench.engine.contract import (
    FIRST,
    HAND,
    ONGOING,
    SECOND,
    cell_of_unit,
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
    start,
    state_size,
    surplus_of_unit,
    tactical_moves,
    units,
    without_count,
)
from workbench.engine.jit import copy, inline_ir, njit
from workbench.engine.players import DEEPEST, PRINCIPAL, Agent
from workbench.engine.rng import below, draw, mix, unit
from workbench.engine.search.evaluation import earliness, place_of_unit, worth_of_units
from workbench.engine.search.memory import (
    EARLY_PLACES,
    FULL,
    LATE,
    LATE_PLACES,
    SIZE,
    WORTH,
    forget,
    remember,
    workspace,
)
from workbench.engine.search.principal import principal
from workbench.engine.search.units import HIDDEN

RANDOM_PLIES = 4, 12
"""A game begins with so many random plies, from the first number on and fewer than the second, each equally likely."""
DECIDED = 0.9999
"""Beyond this expected score, from -1 to 1, a position teaches nothing more."""
SETTLED, SETTLED_PLIES = 0.93, 6
"""A game in which so many searches in a row expect more than this, from -1 to 1, for one side counts as won by it: weak
players do not always know how to win it, and would learn that what wins is worth nothing."""
BRANCH_PLIES = 3
"""Random plies that a position off the game is away from it, at most."""
OFF_GAME = -1.0
"""Stands for the result of such a position until the game has ended."""
SMALLEST = 0.5
"""No feature is taken to be smaller than this, however rare it is."""


class Rows(NamedTuple):
    """Positions as the heuristic sees them: what each weight is multiplied by."""

    features: Any
    """float32, a row a position."""
    early: Any
    """float32: how early in the game it is."""
    said: Any
    """float32: what the search said, the first seat's expected score from 0 to 1."""
    result: Any
    """float32: the same of the game's result."""
    begins: Any
    """int64: where the units of a position begin; one more for the end of the last."""
    places: Any
    """uint16: the place of each unit."""
    counts: Any
    """int16: how many there are, the second seat's negative."""
    words: Any
    """int32: what each unit is and where, without its count (`contract.unit_word`)."""
    movers: Any
    """int8: the seat to move."""
    games: Any
    """int32: the game that a position comes from."""


def _room(positions: int, features: int, most_units: int) -> Rows:
    return Rows(
        np.zeros((positions, features), np.float32),
        np.zeros(positions, np.float32),
        np.zeros(positions, np.float32),
        np.zeros(positions, np.float32),
        np.zeros(positions + 1, np.int64),
        np.zeros(most_units, np.uint16),
        np.zeros(most_units, np.int16),
        np.zeros(most_units, np.int32),
        np.zeros(positions, np.int8),
        np.zeros(positions, np.int32),
    )


@njit
def _keep(rules: Any, state: Any, row: Any, ws: Any, said: float, rows: Any, n: int) -> int:
    """Write a position to row n; returns the number of rows, which stays the same if there is no room."""
    n_units = units(rules, state, ws.units)
    at = rows.begins[n]
    if n >= rows.early.shape[0] or at + n_units > rows.places.shape[0]:
        return n
    on_board = 0
    features(rules, state, ws.features)
    for i in range(ws.features.shape[0]):
        rows.features[n, i] = ws.features[i]
    for i in range(n_units):
        word = ws.units[i]
        if cell_of_unit(word) != HAND:
            on_board += 1
        rows.places[at] = place_of_unit(ws, word)
        rows.counts[at] = surplus_of_unit(word)
        rows.words[at] = without_count(word)
        at += 1
    rows.begins[n + 1] = at
    rows.early[n] = earliness(on_board, row, ws)
    rows.said[n], rows.result[n] = said, 0.0
    rows.movers[n] = seat(rules, state)
    return n + 1


@njit
def _only_adds(rules: Any, state: Any, move: int, ws: Any) -> bool:
    """Whether a move gives its mover more units and takes none of the enemy: no capture, though it wins something."""
    side = seat(rules, state)
    gained = lost = 0
    for sign in (-1, 1):
        for i in range(units(rules, state if sign < 0 else ws.states[1], ws.units)):
            surplus = surplus_of_unit(ws.units[i])
            if (surplus > 0) == (side == 0):
                gained += sign * abs(surplus)
            else:
                lost -= sign * abs(surplus)
        if sign < 0:
            copy(state, ws.states[1])
            play(rules, ws.states[1], move)
    return gained > 0 and lost <= 0


@njit
def _keep_quiet(rules: Any, state: Any, move: int, row: Any, ws: Any, rows: Any, n: int) -> int:
    """Keep a position, of which a search has just chosen a move, if it is quiet and not decided; as `_keep`.

    It is quiet if the rules of its family say so and the move wins no units, but for those that it adds.
    """
    said = ws.score[0]
    if abs(said) >= DECIDED:
        return n
    _, quiet = tactical_moves(rules, state, ws.moves[1])
    wins = gain(rules, state, move, row[ws.layout[WORTH] : ws.layout[LATE]], ws.states[1]) > 0.0
    if quiet and (not wins or _only_adds(rules, state, move, ws)):
        return _keep(rules, state, row, ws, 0.5 + 0.5 * said, rows, n)
    return n


@njit
def _branch_off(rules: Any, agent: Any, row: Any, ws: Any, salt: Any, moves: Any, rng: Any, rows: Any, n: int) -> int:
    """Keep what a search says a few random plies off the game, from the position in ``ws.branch`` on; as `_keep`.

    Such a position has no result: what the search said stands for it.
    """
    state = ws.branch
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
    copy(state, ws.states[0])
    for i in range(listed):
        ws.moves[0, i] = moves[i]
    move = principal(rules, agent, row, ws, salt, rng, listed)
    kept = _keep_quiet(rules, state, move, row, ws, rows, n)
    if kept > n:
        rows.result[n] = OFF_GAME
    return kept


@njit
def _play_game(
    rules: Any,
    agent: Any,
    row: Any,
    ws: Any,
    seed: Any,
    plies: int,
    state: Any,
    moves: Any,
    rng: Any,
    rows: Any,
    n: int,
    share: float,
    branches: float,
) -> tuple[int, int]:
    """Plays a game and keeps a share of its quiet positions as rows from n on; returns its result and the new n.

    At a share of its plies, ``branches``, a position a few random plies off is kept, too. A game without a result
    leaves nothing.
    """
    rng[0] = mix(seed)
    salt = mix(seed + np.uint64(1))
    counting = counts_positions(rules)
    forget(ws)
    ws.searches[:] = 0
    start(rules, state)
    opening = RANDOM_PLIES[0] + below(rng, RANDOM_PLIES[1] - RANDOM_PLIES[0])
    result, begin, lead = ONGOING, n, 0
    for ply in range(plies):
        count = remember(ws, key(rules, state)) if counting else 1
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
            copy(state, ws.states[0])
            for i in range(listed):
                ws.moves[0, i] = moves[i]
            move = principal(rules, agent, row, ws, salt, rng, listed)
            said = ws.score[0]
            if said > SETTLED:
                lead = max(1, lead + 1)
            elif said < -SETTLED:
                lead = min(-1, lead - 1)
            else:
                lead = 0
            if abs(lead) == SETTLED_PLIES:
                result = FIRST if lead > 0 else SECOND
                break
            if unit(draw(rng)) < share:
                n = _keep_quiet(rules, state, move, row, ws, rows, n)
            if branches > 0.0 and unit(draw(rng)) < branches:
                copy(state, ws.branch)
                n = _branch_off(rules, agent, row, ws, salt, moves, rng, rows, n)
        play(rules, state, move)
    if result == ONGOING:
        return result, begin
    for i in range(begin, n):
        if rows.result[i] == OFF_GAME:
            rows.result[i] = rows.said[i]
        else:
            rows.result[i] = 1.0 if result == FIRST else 0.0 if result == SECOND else 0.5
    return result, n


@njit
def _play_games(
    rules: Any,
    agent: Any,
    row: Any,
    ws: Any,
    seeds: Any,
    plies: int,
    state: Any,
    moves: Any,
    rng: Any,
    rows: Any,
    n: int,
    share: float,
    branches: float,
    results: Any,
) -> int:
    for i in range(seeds.shape[0]):
        begin = n
        result, n = _play_game(rules, agent, row, ws, seeds[i], plies, state, moves, rng, rows, n, share, branches)
        rows.games[begin:n] = results.sum()
        results[result] += 1
    return n


@inline_ir
def _value_of_row(weights: Any, layout: Any, rows: Any, r: int) -> float:
    """What learned weights say of a position that is kept, in log-odds of the first seat."""
    late, places_early, places_late = layout[LATE], layout[EARLY_PLACES], layout[LATE_PLACES]
    early = np.float64(rows.early[r])
    first, second = 0.0, 0.0
    for i in range(rows.features.shape[1]):
        first += weights[i] * rows.features[r, i]
        second += weights[late + i] * rows.features[r, i]
    for u in range(rows.begins[r], rows.begins[r + 1]):
        first += weights[places_early + rows.places[u]] * rows.counts[u]
        second += weights[places_late + rows.places[u]] * rows.counts[u]
    return early * first + (1.0 - early) * second


@njit
def values_of_rows(weights: Any, layout: Any, rows: Any, values: Any) -> None:
    """Fill ``values`` with what learned weights say of each position, in log-odds of the first seat."""
    for r in range(values.shape[0]):
        values[r] = _value_of_row(weights, layout, rows, r)


@njit
def _loss(weights: Any, layout: Any, rows: Any, n: int, trust: float, gradient: Any) -> float:
    """Return the mean cross entropy of the first n rows, and its gradient.

    What is foretold is a mixture: ``trust`` of the result, the rest what the search said.
    """
    gradient[:] = 0.0
    known, late, places_early, places_late = (
        rows.features.shape[1],
        layout[LATE],
        layout[EARLY_PLACES],
        layout[LATE_PLACES],
    )
    total = 0.0
    for r in range(n):
        # Of double precision, with machine code and without.
        early, result, said_then = np.float64(rows.early[r]), np.float64(rows.result[r]), np.float64(rows.said[r])
        said = _value_of_row(weights, layout, rows, r)
        told = trust * result + (1.0 - trust) * said_then
        chance = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, said))))
        total -= told * math.log(chance + 1e-12) + (1.0 - told) * math.log(1.0 - chance + 1e-12)
        error = chance - told
        first, second = error * early, error * (1.0 - early)
        for i in range(known):
            gradient[i] += first * rows.features[r, i]
            gradient[late + i] += second * rows.features[r, i]
        for u in range(rows.begins[r], rows.begins[r + 1]):
            gradient[places_early + rows.places[u]] += first * rows.counts[u]
            gradient[places_late + rows.places[u]] += second * rows.counts[u]
    for i in range(gradient.shape[0]):
        gradient[i] /= n
    return total / n


@njit
def _look_around(rules: Any, ws: Any, state: Any, moves: Any, rng: Any, most: Any, squares: Any) -> tuple[int, int]:
    """Looks at the positions of some random games; returns how many there are, and their legal moves in all.

    Fills ``most`` with the largest number of units on the board in each game, and ``squares`` with the sums of the
    features' squares.
    """
    positions = listed = 0
    for game in range(most.shape[0]):
        start(rules, state)
        for _ in range(300):
            on_board = 0
            for i in range(units(rules, state, ws.units)):
                if cell_of_unit(ws.units[i]) != HAND:
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


NOISE = 0.05
"""The noise on evaluations beside the game's own weights: that of agents."""
FEWEST = 100
"""Positions that a search looks at at least."""
GAMES_AT_ONCE = 10
"""Between two looks at how much of the budget is left."""
HEARD = 500_000
"""Positions that searches look at, at most, while Ctrl-C is not heard: what runs compiled cannot be interrupted."""
ROW_UNITS = 40
"""Units that there is room for, on average, in a position that is kept."""


def in_pieces(seeds: Any, nodes: int, plies: int) -> list[Any]:
    """Seeds of games, in pieces that are played without a break; a search looks at ``nodes`` positions.

    The games are the same as if they were played in one piece.
    """
    size = max(1, HEARD // (nodes * plies))
    return [seeds[begin : begin + size] for begin in range(0, len(seeds), size)]


class Practice:
    """A player that plays against itself, the positions that were kept, and how well weights foretell the results."""

    def __init__(self, rules: Any, begin: Sequence[float], looks: float, plies: int, room: int, follows: bool) -> None:
        """The ruleset, weights of features to begin with, looks, the longest game, and positions to keep.

        ``looks`` are the positions that a search looks at for each legal move that there is in a typical position; it
        follows captures and moves that must be answered, or leaves them out as any other (`Agent.follows`).
        """
        self.rules = rules
        self.ws = workspace(rules, plies + 1, 1, (np.zeros(0, np.uint64), np.zeros(0, np.int32)))
        self.layout = self.ws.layout
        self.row = np.zeros(self.layout[SIZE])
        """The player's weights (`memory.WORTH` …)."""
        self.plies = plies
        self.rows = _room(room, len(begin), room * ROW_UNITS)
        self.kept = 0
        """Positions that are kept."""
        self.games = 0
        self.results = np.zeros(4, np.int64)
        """Games by result; those without one first."""
        self._state = np.zeros(state_size(rules), np.int64)
        self._moves, self._rng = np.zeros(max_moves(rules), np.int32), np.zeros(1, np.uint64)
        known = len(begin)
        self.row[:known] = self.row[self.layout[LATE] : self.layout[LATE] + known] = begin
        most, squares = np.zeros(20, np.int64), np.zeros(known)
        self._rng[0] = 1
        positions, listed = _look_around(rules, self.ws, self._state, self._moves, self._rng, most, squares)
        # A full board: in half of all random games it has as many units.
        self.row[self.layout[FULL]] = max(1, np.sort(most)[len(most) // 2])
        self.sizes = np.maximum(SMALLEST, np.sqrt(squares / positions))
        """How large each feature typically is."""
        self.search = max(FEWEST, round(looks * listed / positions))
        """Positions that a search looks at."""
        self.agent = Agent(
            PRINCIPAL, DEEPEST, 0.0, NOISE, 0, nodes=self.search, reductions=1, follows=int(follows), learned=1
        )
        self.weigh_units()

    def scale_noise(self, scale: float) -> None:
        """Make the noise on evaluations so many times as large as beside the game's own weights."""
        self.agent = self.agent._replace(temperature=NOISE * scale)

    @property
    def nodes(self) -> int:
        """Positions that the searches have looked at so far."""
        return int(self.ws.nodes[0])

    def weigh_units(self) -> None:
        """Find out what a unit of each kind is worth to the weights: captures are ordered by it."""
        worth = worth_of_units(self.rules, self.agent, self.row, self.ws)
        self.row[self.layout[WORTH] : self.layout[LATE]] = worth

    def play_by(self, row: Any, how: int) -> None:
        """Play on by another row of weights; ``how`` is that of `Agent.learned`."""
        self.row, self.agent = row.copy(), self.agent._replace(learned=how)

    def play(self, seed: int, until: int, share: float, branches: float = 0.0) -> Iterator[int]:
        """Plays games until the searches have looked at so many positions in all; yields how many they are so far.

        Of the quiet positions a ``share`` is kept, as far as there is room; at a share of the plies, ``branches``,
        one a few random plies off the game, too, with what a search says of it for the result.
        """
        while self.nodes < until:
            numbers = np.arange(self.games, self.games + GAMES_AT_ONCE)
            seeds = np.array([mix(np.uint64(seed) ^ mix(np.uint64(number))) for number in numbers], np.uint64)
            for some in in_pieces(seeds, self.search, self.plies):
                self.kept = _play_games(
                    self.rules,
                    self.agent,
                    self.row,
                    self.ws,
                    some,
                    self.plies,
                    self._state,
                    self._moves,
                    self._rng,
                    self.rows,
                    self.kept,
                    share,
                    branches,
                    self.results,
                )
            self.games += GAMES_AT_ONCE
            yield self.nodes

    def trust_results(self) -> None:
        """Take the result of its game for what the search said, in all positions that are kept so far."""
        self.rows.said[: self.kept] = self.rows.result[: self.kept]

    def kept_rows(self) -> Rows:
        """Views of the positions that are kept."""
        end = int(self.rows.begins[self.kept])
        by_unit = "places", "counts", "words"
        return Rows(*(
            getattr(self.rows, name)[: end if name in by_unit else self.kept + (name == "begins")]
            for name in Rows._fields
        ))  # fmt: skip

    def loss(self, row: Any, trust: float) -> tuple[float, Any]:
        """How badly weights foretell what is kept (the mean cross entropy), and the slope of that by weight."""
        slope = np.zeros(len(row))
        return float(_loss(row, self.layout, self.rows, self.kept, trust, slope)), slope


LOG2, HIGH, LOW = 1.4426950408889634, 0.693145751953125, 1.4286068203094172e-06
"""1 / ln 2, and ln 2 in two parts, of which the first has few digits."""
TERMS = 12
"""Of the series of the exponential function, within half of ln 2 of 0."""
FIRST_MOMENT, SECOND_MOMENT, TINY = 0.9, 0.999, 1e-8


class Fit(NamedTuple):
    """What is fitted, its gradient, or a moment of it: float32 arrays."""

    inputs: Any
    """Inputs × hidden units."""
    bias: Any
    out: Any
    """(early, late) × (mover, other seat) × hidden units."""
    even: Any
    """Early and late: what the right to move is worth."""
    features: Any
    """Early and late × features."""
    places: Any
    """Early and late × places."""


def no_fit(inputs: int, features: int, places: int) -> Fit:
    """One that is 0 everywhere."""
    shapes = ((inputs, HIDDEN), (HIDDEN,), (2, 2, HIDDEN), (2,), (2, features), (2, places))
    return Fit(*(np.zeros(shape, np.float32) for shape in shapes))


@inline_ir
def logistic(z: float) -> float:
    """1 / (1 + e^-z), the same on every machine: libraries round the exponential function differently."""
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
    order: Any, mirrors: Any, rows: Any, table: Any, mirrored: Any, target: Any, fit: Any, slope: Any, sums: Any
) -> float:
    """Add the gradients at the rows of ``order`` to ``slope``; returns the sum of squared errors.

    Each row is seen as its place in ``mirrors`` says. With ``slope`` empty only errors are summed. ``sums`` is
    float32, seats × hidden units.
    """
    squares = 0.0
    learn = slope.bias.shape[0] > 0
    one, none = np.float32(1.0), np.float32(0.0)
    for q in range(order.shape[0]):
        r, mirror = order[q], mirrored[mirrors[q]]
        early = rows.early[r]
        late = one - early
        begin, end = rows.begins[r], rows.begins[r + 1]
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
            many = abs(count)
            for viewer in range(2):
                row = fit.inputs[mirror[table[viewer, rows.words[u]]]]
                for h in range(HIDDEN):
                    sums[viewer, h] += many * row[h]
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
            slope.features[0, i] += at_early * rows.features[r, i]
            slope.features[1, i] += at_late * rows.features[r, i]
        slope.even[0] += sign * at_early
        slope.even[1] += sign * at_late
        for side in range(2):
            seen = sums[who if side == 0 else 1 - who]
            for h in range(HIDDEN):
                x = min(one, max(none, seen[h]))
                slope.out[0, side, h] += sign * at_early * x * x
                slope.out[1, side, h] += sign * at_late * x * x
                steep = x + x if seen[h] < one else none
                weight = early * fit.out[0, side, h] + late * fit.out[1, side, h]
                seen[h] = sign * error * steep * weight
                slope.bias[h] += seen[h]
        for u in range(begin, end):
            count = np.float32(rows.counts[u])
            slope.places[0, rows.places[u]] += at_early * count
            slope.places[1, rows.places[u]] += at_late * count
            many = abs(count)
            for viewer in range(2):
                row = slope.inputs[mirror[table[viewer, rows.words[u]]]]
                for h in range(HIDDEN):
                    row[h] += many * sums[viewer, h]
    return squares


@njit
def step(
    weights: Any, slope: Any, first: Any, second: Any, begin: Any, rate: float, decay: float, rows: int, ones: Any
) -> None:
    """A step of Adam along a gradient that was summed over so many rows, which is emptied.

    ``decay`` draws towards ``begin``. ``ones`` are 1 less the powers of the moments' shares. All arrays are flat.
    """
    share, pull, length = np.float32(1.0 / rows), np.float32(decay), np.float32(rate)
    a, b = np.float32(FIRST_MOMENT), np.float32(SECOND_MOMENT)
    one = np.float32(1.0)
    for i in range(weights.shape[0]):
        g = slope[i] * share + pull * (weights[i] - begin[i])
        first[i] = a * first[i] + (one - a) * g
        second[i] = b * second[i] + (one - b) * g * g
        weights[i] -= length * (first[i] / ones[0]) / (np.sqrt(second[i] / ones[1]) + np.float32(TINY))
        slope[i] = np.float32(0.0)


@njit
def fill_uniform(numbers: Any, rng: Any) -> None:
    """Fill an array with random numbers from 0 to 1."""
    for i in range(numbers.shape[0]):
        numbers[i] = unit(draw(rng))


@njit
def shuffle(order: Any, rng: Any) -> None:
    """Bring numbers into a random order."""
    for i in range(order.shape[0] - 1, 0, -1):
        j = below(rng, i + 1)
        order[i], order[j] = order[j], order[i]


def start_fit(row: Any, layout: Any, sizes: Any, inputs: int) -> Fit:
    """The fit that says what learned weights say: features in units of their sizes, and a net that adds nothing."""
    features, places = int(layout[0]), int(layout[LATE_PLACES] - layout[EARLY_PLACES])
    fit = no_fit(inputs, features, places)
    late, early_places, late_places = (int(layout[part]) for part in (LATE, EARLY_PLACES, LATE_PLACES))
    fit.features[0], fit.features[1] = row[:features] * sizes, row[late : late + features] * sizes
    fit.places[0], fit.places[1] = row[early_places:late_places], row[late_places : late_places + places]
    return fit
