"""Chatra's moves of subjects, compiled: steps, flights and slides that leave the own object safe."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.bits import highest, lowest
from workbench.engine.contract import INT, MOVES, STATE, separately_compiled
from workbench.engine.jit import njit, scratch
from workbench.games.chatra import kernel_board as b
from workbench.games.chatra.kernel_board import PAIRS, SLIDES, TOGGLES


@njit
def exposes(rules: Any, state: Any, side: int, origin: int, cell: int) -> bool:
    """Return whether moving a subject from ``origin`` to ``cell`` leaves the own object attacked: by trying it."""
    if rules.flight_captures != TOGGLES.flight_captures.landing:
        return _exposes_flying_over(rules, state, side, origin, cell)
    own, enemy = side * b.SET_WORDS, (1 - side) * b.SET_WORDS
    captures = b.has(state, enemy, cell)
    b.flip(state, own, origin)
    b.flip(state, own, cell)
    if captures:
        b.flip(state, enemy, cell)
    exposed = b.attacked(rules, state, 1 - side, state[b.OBJECT_CELL + side])
    if captures:
        b.flip(state, enemy, cell)
    b.flip(state, own, cell)
    b.flip(state, own, origin)
    return exposed


@njit
def take(state: Any, side: int, taken: Any) -> int:
    """Take a set of a side's subjects off the board, or puts them back; returns how many they are."""
    n = 0
    for word in range(4):
        rest = taken[word]
        while rest:
            b.flip(state, side * b.SET_WORDS, word * 64 + lowest(rest))
            rest &= rest - 1
            n += 1
    return n


@njit
def flown_over(state: Any, side: int, origin: int, cell: int, taken: Any) -> bool:
    """Fill ``taken`` with the enemy subjects that a subject's move flies over; whether there are any.

    A flight has an own subject at its midpoint, which no slide passes.
    """
    enemy, found = (1 - side) * b.SET_WORDS, False
    for word in range(4):
        taken[word] = 0
    dx, dy = (cell & 15) - (origin & 15), (cell >> 4) - (origin >> 4)
    if (dx | dy) & 1 or not b.has(state, side * b.SET_WORDS, (origin + cell) >> 1):
        return False
    parts, rest = abs(dx), abs(dy)
    while rest:
        parts, rest = rest, parts % rest
    step = (cell - origin) // parts
    for i in range(1, parts):
        met = origin + i * step
        if b.has(state, enemy, met):
            taken[met >> 6] |= np.int64(1) << np.int64(met & 63)
            found = True
    return found


@njit
def _exposes_flying_over(rules: Any, state: Any, side: int, origin: int, cell: int) -> bool:
    """As `exposes`, where flights capture what they fly over."""
    own, taken = side * b.SET_WORDS, scratch(4)
    flown_over(state, side, origin, cell, taken)
    if b.has(state, (1 - side) * b.SET_WORDS, cell):
        taken[cell >> 6] |= np.int64(1) << np.int64(cell & 63)
    b.flip(state, own, origin)
    b.flip(state, own, cell)
    take(state, 1 - side, taken)
    exposed = b.attacked(rules, state, 1 - side, state[b.OBJECT_CELL + side])
    take(state, 1 - side, taken)
    b.flip(state, own, cell)
    b.flip(state, own, origin)
    return exposed


@njit
def _pinned(rules: Any, state: Any, side: int, pinned: Any) -> None:
    """Fill ``pinned`` with the subjects that may shield the own object from a slide: each the only piece between."""
    target = state[b.OBJECT_CELL + side]
    own, enemy = side * b.SET_WORDS, (1 - side) * b.SET_WORDS
    for word in range(4):
        pinned[word] = 0
    for kind in range(4):
        threat = b.lane_of(state, enemy, kind, target)
        if threat & (threat - 1) == 0:
            continue
        place = b.POSITION[kind, target]
        mine = b.lane_of(state, own, kind, target)
        occupied = b.occupied_on(state, kind, target)
        up, down = threat >> (place + 1), threat & ((1 << place) - 1)
        if up & (up - 1) and highest(up) - lowest(up) >= lowest(up) + 1:
            inner = (occupied >> (place + 1)) & ((up & -up) - 1)
            if inner != 0 and inner & (inner - 1) == 0 and inner & (mine >> (place + 1)):
                cell = target + (lowest(inner) + 1) * b.STEPS[kind]
                pinned[cell >> 6] |= 1 << (cell & 63)
        if down & (down - 1) and highest(down) - lowest(down) >= place - highest(down):
            inner = (occupied & ((1 << place) - 1)) >> (highest(down) + 1)
            if inner != 0 and inner & (inner - 1) == 0 and inner & (mine >> (highest(down) + 1)):
                cell = target - (place - highest(down) - 1 - lowest(inner)) * b.STEPS[kind]
                pinned[cell >> 6] |= 1 << (cell & 63)


@njit
def _keep_safe(rules: Any, state: Any, side: int, pinned: Any, moves: Any, begin: int, n: int) -> int:
    """Keep those of ``moves[begin:n]``, moves of subjects, that do not expose the own object; returns the new n.

    Only what may expose it is tried: answers to a check, moves of pinned subjects, and captures that may give the
    enemy new links.
    """
    enemy = (1 - side) * b.SET_WORDS
    # Where a flight captures on its way, any may answer a check, and expose the own object.
    in_check = state[b.IN_CHECK] != 0 or rules.flight_captures != TOGGLES.flight_captures.landing
    kept = begin
    for i in range(begin, n):
        move = moves[i]
        origin, cell = (move >> 8) & 255, move & 255
        risky = (
            in_check or b.has(pinned, 0, origin) or (b.has(state, enemy, cell) and b.frees_links(state, enemy, cell))
        )
        if not risky or not exposes(rules, state, side, origin, cell):
            moves[kept] = move
            kept += 1
    return kept


@njit
def _sort(numbers: Any, n: int) -> None:
    """Sort ``numbers[:n]``, the smallest first."""
    for i in range(1, n):
        number, j = numbers[i], i - 1
        while j >= 0 and numbers[j] > number:
            numbers[j + 1] = numbers[j]
            j -= 1
        numbers[j + 1] = number


ANY, CAPTURES = 1, 0
"""Which moves of the subjects are asked for."""


@separately_compiled(INT, STATE, INT, MOVES, INT)
def subject_moves(rules: Any, state: Any, which: int, moves: Any, n: int) -> int:
    """Append the legal moves of the subjects, or their captures alone.

    Squares are tried without branches: every candidate is written, and only counted if it is a move. Captures go to
    the other end of the buffer first, because some of them must be tried out.
    """
    s, side = b.size_index(rules), state[b.TURN]
    own, enemy = side * b.SET_WORDS, (1 - side) * b.SET_WORDS
    target = state[b.OBJECT_CELL + 1 - side]
    linked, pinned, open_cells, enemies = scratch(4), scratch(4), scratch(4), scratch(4)
    backwards, landing = scratch(12), scratch(4)
    slides = scratch(SLIDES)
    pairs = scratch(PAIRS)
    in_line = b.linked_set(rules, state, side, target, linked, backwards, pairs)
    _sort(pairs, in_line)
    _pinned(rules, state, side, pinned)
    any_pinned = (pinned[0] | pinned[1] | pinned[2] | pinned[3]) != 0
    for w in range(4):
        enemies[w] = state[enemy + w]
        open_cells[w] = b.BOARD[s, w] & ~(state[own + w] | state[b.OBJECTS + w] | enemies[w]) & -which
    over = rules.flight_captures != TOGGLES.flight_captures.landing
    if state[b.IN_CHECK] and not over:
        # Only a piece that lands on one of these cells can end the check.
        b.find_attack(rules, state, 1 - side, state[b.OBJECT_CELL + side], landing)
        for w in range(4):
            enemies[w] &= landing[w]
            open_cells[w] &= landing[w]
    begin = n
    spare = moves.shape[0] // 2
    captures = spare
    for word in range(4):
        subjects = state[own + word]
        while subjects:
            bit = subjects & -subjects
            subjects ^= bit
            origin = word * 64 + lowest(bit)
            code = b.MOVE << 16 | origin << 8
            for i in range(8):
                # Beyond the edge lies the empty 16th column or a cell outside of 0-255, brought back by the mask.
                cell = (origin + b.KING[i]) & 255
                moves[n] = code | cell
                n += (open_cells[cell >> 6] >> (cell & 63)) & 1 & b.INSIDE[i, origin]
                moves[captures] = code | cell
                captures += (enemies[cell >> 6] >> (cell & 63)) & 1 & b.INSIDE[i, origin]
            if linked[word] & bit:
                b.flights_about(rules, state, side, backwards, origin, target, landing)
                for w in range(4):
                    quiet = landing[w] & open_cells[w]
                    while quiet:
                        cell = w * 64 + lowest(quiet)
                        quiet &= quiet - 1
                        moves[n] = b.MOVE << 16 | (2 * origin - cell) << 8 | cell
                        n += 1
                    taken = landing[w] & enemies[w]
                    while taken:
                        cell = w * 64 + lowest(taken)
                        taken &= taken - 1
                        moves[captures] = b.MOVE << 16 | (2 * origin - cell) << 8 | cell
                        captures += 1
    for i in range(b.list_slides(rules, state, side, linked, pairs, in_line, slides)):
        origin, step, reach = slides[3 * i], slides[3 * i + 1], slides[3 * i + 2]
        last = origin + reach * step
        code = b.MOVE << 16 | origin << 8
        for k in range(2, reach if which == ANY else 2):
            moves[n] = code | (origin + k * step)
            n += 1
        if b.has(enemies, 0, last):
            moves[captures] = code | last
            captures += 1
        elif b.has(open_cells, 0, last):
            moves[n] = code | last
            n += 1
    if state[b.IN_CHECK] or any_pinned or over:
        n = _keep_safe(rules, state, side, pinned, moves, begin, n)
    captures = _keep_safe(rules, state, side, pinned, moves, spare, captures)
    for i in range(spare, captures):
        moves[n] = moves[i]
        n += 1
    return n
