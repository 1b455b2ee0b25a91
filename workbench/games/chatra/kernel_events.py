"""What is counted in a game of Chatra."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.bits import popcount
from workbench.engine.jit import njit, scratch
from workbench.games.chatra import kernel_board as b
from workbench.games.chatra.kernel_board import EVENTS, TOGGLES
from workbench.games.chatra.kernel_drops import drop_cells, open_zones
from workbench.games.chatra.kernel_moves import flown_over


def _by_zones() -> tuple[np.ndarray, np.ndarray]:
    """Return the counters of a ply before the first check, by the zones of two objects, numbered row by row.

    The first table, by both zones: how the objects stand, and fights begun there. The second, by the seat that plays,
    the zone of its object and that of the other: its plies, and the squares that are open to its drops.
    """
    relations = {
        "one zone": (EVENTS.plies_one_zone, EVENTS.fights_one_zone),
        "side by side": (EVENTS.plies_side_by_side, EVENTS.fights_side_by_side),
        "corner": (EVENTS.plies_corner, EVENTS.fights_corner),
        "facing": (EVENTS.plies_facing, EVENTS.fights_facing),
        "far": (EVENTS.plies_far, EVENTS.fights_far),
    }
    places = {
        (0, "one zone"): (EVENTS.first_plies_one_zone, EVENTS.first_squares_one_zone),
        (0, "both centre"): (EVENTS.first_plies_both_centre, EVENTS.first_squares_both_centre),
        (0, "own centre"): (EVENTS.first_plies_own_centre, EVENTS.first_squares_own_centre),
        (0, "enemy centre"): (EVENTS.first_plies_enemy_centre, EVENTS.first_squares_enemy_centre),
        (0, "elsewhere"): (EVENTS.first_plies_elsewhere, EVENTS.first_squares_elsewhere),
        (1, "one zone"): (EVENTS.second_plies_one_zone, EVENTS.second_squares_one_zone),
        (1, "both centre"): (EVENTS.second_plies_both_centre, EVENTS.second_squares_both_centre),
        (1, "own centre"): (EVENTS.second_plies_own_centre, EVENTS.second_squares_own_centre),
        (1, "enemy centre"): (EVENTS.second_plies_enemy_centre, EVENTS.second_squares_enemy_centre),
        (1, "elsewhere"): (EVENTS.second_plies_elsewhere, EVENTS.second_squares_elsewhere),
    }
    by_relation = np.zeros((9, 9, 2), np.int64)
    by_place = np.zeros((2, 9, 9, 2), np.int64)
    steps = {(0, 0): "one zone", (0, 1): "side by side", (1, 1): "corner", (0, 2): "facing"}
    for own in range(9):
        for enemy in range(9):
            columns, rows = abs(own % 3 - enemy % 3), abs(own // 3 - enemy // 3)
            by_relation[own, enemy] = relations[steps.get((min(columns, rows), max(columns, rows)), "far")]
            place = {own: "own centre", enemy: "enemy centre"}.get(b.CENTRE_ZONE, "elsewhere")
            if own == enemy:
                place = "both centre" if own == b.CENTRE_ZONE else "one zone"
            for side in range(2):
                by_place[side, own, enemy] = places[side, place]
    return by_relation, by_place


BY_RELATION, BY_PLACE = _by_zones()


@njit
def _before_the_fighting(rules: Any, before: Any, fights: bool, counts: Any) -> None:
    """Count a ply that is played with both objects on the board and before which there has been no check.

    ``fights``: whether it gives the first check.
    """
    s, side = b.size_index(rules), before[b.TURN]
    own, enemy = b.ZONE[s, before[b.OBJECT_CELL + side]], b.ZONE[s, before[b.OBJECT_CELL + 1 - side]]
    counts[EVENTS.early_plies] += 1
    counts[BY_RELATION[own, enemy, 0]] += 1
    counts[BY_PLACE[side, own, enemy, 0]] += 1
    if fights:
        counts[BY_RELATION[own, enemy, 1]] += 1
    if not rules.subjects or before[b.HAND + side] > 0:
        cells = scratch(4)
        drop_cells(rules, before, cells)
        squares = popcount(cells[0]) + popcount(cells[1]) + popcount(cells[2]) + popcount(cells[3])
        counts[BY_PLACE[side, own, enemy, 1]] += squares


@njit
def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Count what a move did; ``limits_ended_by_…`` hold the ply after which the limits ended."""
    s, side = b.size_index(rules), before[b.TURN]
    kind, origin, cell = move >> 16, (move >> 8) & 255, move & 255
    both = before[b.OBJECT_CELL] >= 0 and before[b.OBJECT_CELL + 1] >= 0
    if both and not before[b.CHECKED]:
        _before_the_fighting(rules, before, after[b.CHECKED] != 0, counts)
    if kind == b.DROP:
        counts[EVENTS.drops] += 1
        if both and not before[b.LIMITS_ENDED]:
            zones = scratch(4)
            open_zones(rules, before, side, zones)
            if not b.has(zones, 0, cell):
                counts[EVENTS.offside_drops] += 1
    elif kind == b.MOVE or before[b.OBJECT_CELL + side] >= 0:
        counts[EVENTS.moves] += 1
        if not before[b.IN_CHECK] and not after[b.IN_CHECK]:
            counts[EVENTS.quiet_moves] += 1
    if kind == b.MOVE:
        dx, dy = (cell & 15) - (origin & 15), (cell >> 4) - (origin >> 4)
        if max(abs(dx), abs(dy)) > 1:
            # A slide never passes an own subject, and a flight's midpoint always is one.
            flew = (dx | dy) & 1 == 0 and b.has(before, side * b.SET_WORDS, (origin + cell) >> 1)
            counts[EVENTS.flights if flew else EVENTS.slides] += 1
    if kind != b.DROP and b.has(before, (1 - side) * b.SET_WORDS, cell):
        counts[EVENTS.captures] += 1
    if kind == b.MOVE and rules.flight_captures != TOGGLES.flight_captures.landing:
        taken = scratch(4)
        flown_over(before, side, origin, cell, taken)
        counts[EVENTS.captures] += popcount(taken[0]) + popcount(taken[1]) + popcount(taken[2]) + popcount(taken[3])
    entered = False
    if kind == b.OBJECT and before[b.OBJECT_CELL + side] >= 0:
        counts[EVENTS.object_moves] += 1
        entered = b.ZONE[s, cell] == b.CENTRE_ZONE and b.ZONE[s, before[b.OBJECT_CELL + side]] != b.CENTRE_ZONE
    if after[b.IN_CHECK]:
        counts[EVENTS.checks] += 1
    if entered:
        counts[EVENTS.centre_entries] += 1
    if after[b.LIMITS_ENDED] and not before[b.LIMITS_ENDED]:
        counts[EVENTS.limits_ended_by_check if after[b.IN_CHECK] else EVENTS.limits_ended_by_centre] = after[b.PLIES]
