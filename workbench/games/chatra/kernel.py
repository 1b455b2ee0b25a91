"""Chatra, compiled: the functions required by the engine. `kernel_board` explains the board.

A move is ``kind << 16 | from << 8 | to``.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from workbench.engine.bits import bits_for, get_bits, highest, lowest, popcount, put_bits
from workbench.engine.contract import DRAW, FIRST, ONGOING, REPETITION, SECOND, implement
from workbench.engine.jit import inline_ir, njit, scratch
from workbench.engine.rng import below, mix
from workbench.games.chatra import kernel_board as b
from workbench.games.chatra.kernel_board import ENDINGS, EVENTS, FEATURES, TOGGLES, Rules
from workbench.games.chatra.kernel_features import board_size as board_size
from workbench.games.chatra.kernel_features import events as events
from workbench.games.chatra.kernel_features import features as features
from workbench.games.chatra.kernel_features import preferred as preferred
from workbench.games.chatra.kernel_features import units as units
from workbench.games.chatra.kernel_moves import (
    ANY,
    CAPTURES,
    append_drops,
    drop_cells,
    exposes_object,
    find_overflown,
    gives_check,
    subject_moves,
    toggle_subjects,
)
from workbench.games.chatra.rules import DECLARATION


@njit
def state_size(rules: Any) -> int:
    """Return the number of words in a state."""
    return b.STATE_WORDS + (1 if rules.white_extra_moves else 0)


@njit
def max_moves(rules: Any) -> int:
    """Return an upper bound on the number of legal moves (about 250 in play): a drop per cell, 64 moves per subject."""
    return 225 * 65 + 8


@njit
def start(rules: Any, state: Any) -> None:
    """Set up the empty board, or the starting position given by the rules."""
    state[:] = 0
    state[b.OBJECT_CELL] = -1
    state[b.OBJECT_CELL + 1] = -1
    state[b.HAND] = b.supply(rules, 0)
    state[b.HAND + 1] = b.supply(rules, 1)
    if rules.white_extra_moves:
        state[b.EXTRA] = rules.white_extra_moves
    # As returned by `drawings.read`, each side's subjects and each side's objects take four words.
    setup = rules.start_position
    for word in range(setup.shape[0]):
        cells = setup[word]
        side = (word >> 2) & 1
        while cells:
            cell = 64 * (word & 3) + lowest(cells)
            cells &= cells - 1
            if word < 8:
                b.flip(state, side * b.SET_WORDS, cell)
                if rules.subjects:
                    state[b.HAND + side] -= 1
            else:
                b.flip(state, b.OBJECTS, cell)
                state[b.OBJECT_CELL + side] = cell


@njit
def seat(rules: Any, state: Any) -> int:
    """Return the side to move."""
    return state[b.TURN]


@njit
def opening_phase(rules: Any, state: Any) -> int:
    """Return what the opening requires: 1 for an object, 0 for a subject outside the centre zone, -1 for nothing."""
    ply = state[b.PLIES]
    if state[b.OBJECT_CELL] >= 0 and state[b.OBJECT_CELL + 1] >= 0:
        return -1
    return 1 if rules.opening == TOGGLES.opening.objects_first or ply > 0 else 0


@njit
def _placements(rules: Any, state: Any, moves: Any, limit: int) -> int:
    """Fill ``moves`` with up to ``limit`` legal placements of the mover's object and return their number."""
    s, side = b.size_index(rules), state[b.TURN]
    enemy_object = state[b.OBJECT_CELL + 1 - side]
    enemies = 0
    for word in range(4):
        enemies += popcount(state[(1 - side) * b.SET_WORDS + word])
    unlinked = enemies < 2
    n = 0
    for word in range(4):
        cells = b.BOARD[s, word]
        # An empty array is outside-centre, one number is away-from-centre, and four words are a map.
        if rules.object_area.shape[0] == 0:
            cells &= ~b.ZONE_CELLS[s, b.CENTRE_ZONE, word]
        elif rules.object_area.shape[0] == 1:
            cells &= ~b.CLOSED_RING[s, word]
        else:
            cells &= rules.object_area[word]
        cells &= ~(state[word] | state[b.SET_WORDS + word] | state[b.OBJECTS + word])
        if enemy_object >= 0:
            if rules.later_object == TOGGLES.later_object.outside_enemy_zone:
                cells &= ~b.ZONE_CELLS[s, b.ZONE[s, enemy_object], word]
            elif rules.later_object == TOGGLES.later_object.away_from_enemy_zone:
                cells &= ~b.TOUCHING[s, b.ZONE[s, enemy_object], word]
        while cells and n < limit:
            cell = word * 64 + lowest(cells)
            cells &= cells - 1
            if not (b.steps_onto(state, 1 - side, cell) if unlinked else b.attacked(rules, state, 1 - side, cell)):
                moves[n] = b.OBJECT << 16 | cell
                n += 1
    return n


@inline_ir
def _object_step(rules: Any, state: Any, direction: int) -> int:
    """Return the object's move in one of eight directions, or -1 if illegal; its cell must have been cleared."""
    s, side = b.size_index(rules), state[b.TURN]
    own, enemy = side * b.SET_WORDS, (1 - side) * b.SET_WORDS
    origin = state[b.OBJECT_CELL + side]
    cell = (origin + b.KING[direction]) & 255
    word, bit = cell >> 6, cell & 63
    if not b.INSIDE[direction, origin] or not (b.BOARD[s, word] >> bit) & 1:
        return -1
    if ((state[own + word] | state[b.OBJECTS + word]) >> bit) & 1:
        return -1
    if (
        rules.object_into_centre == TOGGLES.object_into_centre.after_first_check
        and not state[b.CHECKED]
        and b.ZONE[s, cell] == b.CENTRE_ZONE
        and b.ZONE[s, origin] != b.CENTRE_ZONE
    ):
        return -1
    captures = b.has(state, enemy, cell)
    if captures:
        b.flip(state, enemy, cell)
    safe = not b.attacked(rules, state, 1 - side, cell)
    if captures:
        b.flip(state, enemy, cell)
    return b.OBJECT << 16 | cell if safe else -1


@njit
def _object_steps(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Append the object's legal moves and return the new ``n``."""
    origin = state[b.OBJECT_CELL + state[b.TURN]]
    b.flip(state, b.OBJECTS, origin)
    for direction in range(8):
        move = _object_step(rules, state, direction)
        if move >= 0:
            moves[n] = move
            n += 1
    b.flip(state, b.OBJECTS, origin)
    return n


@njit
def legal_moves(rules: Any, state: Any, moves: Any) -> int:
    """Fill ``moves`` with the legal drops, object moves and subject moves, in this order; return their number."""
    phase = opening_phase(rules, state)
    if phase == 1:
        return _placements(rules, state, moves, moves.shape[0])
    n = append_drops(rules, state, moves, 0)
    if phase == 0:
        return n
    n = _object_steps(rules, state, moves, n)
    return subject_moves(rules, state, ANY, moves, n)


@njit
def _has_free_step(rules: Any, state: Any) -> bool:
    """Return whether a subject off the lines of its object, which is not in check, can step to an empty square."""
    s, side = b.size_index(rules), state[b.TURN]
    own, object_cell = side * b.SET_WORDS, state[b.OBJECT_CELL + side]
    for word in range(4):
        subjects = state[own + word]
        while subjects:
            origin = word * 64 + lowest(subjects)
            subjects &= subjects - 1
            dx, dy = (origin & 15) - (object_cell & 15), (origin >> 4) - (object_cell >> 4)
            if dx == 0 or dy == 0 or dx == dy or dx == -dy:
                continue
            for w in range(4):
                occupied = state[w] | state[b.SET_WORDS + w] | state[b.OBJECTS + w]
                if b.AROUND[origin, w] & b.BOARD[s, w] & ~occupied:
                    return True
    return False


@njit
def has_move(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether there is a legal move, trying the cheapest first: subject steps or, in check, object steps."""
    phase = opening_phase(rules, state)
    if phase == 1:
        return _placements(rules, state, moves, 1) > 0
    if phase < 0 and not state[b.IN_CHECK] and _has_free_step(rules, state):
        return True
    if state[b.IN_CHECK]:
        origin = state[b.OBJECT_CELL + state[b.TURN]]
        can_step = False
        b.flip(state, b.OBJECTS, origin)
        for direction in range(8):
            can_step = can_step or _object_step(rules, state, direction) >= 0
        b.flip(state, b.OBJECTS, origin)
        if can_step:
            return True
    if append_drops(rules, state, moves, 0) > 0:
        return True
    return phase < 0 and legal_moves(rules, state, moves) > 0


@njit
def sample_move(rules: Any, state: Any, rng: Any) -> int:
    """Return a uniformly random legal move without listing all moves, or -1 if they must be listed.

    Candidates are drawn from a larger set that is easy to number, until one is legal: each allowed drop, eight steps of
    each piece, each ordered pair for a flight, and each subject, direction and length for a slide. Since every legal
    move is exactly one candidate, all are equally likely; giving up after a fixed number of draws does not change that.
    """
    special = rules.middle_piece | rules.link_moves | rules.flight_captures
    if opening_phase(rules, state) >= 0 or state[b.IN_CHECK] or special:
        return -1
    s, side = b.size_index(rules), state[b.TURN]
    own, enemy = side * b.SET_WORDS, (1 - side) * b.SET_WORDS
    object_cell, target = state[b.OBJECT_CELL + side], state[b.OBJECT_CELL + 1 - side]
    cells, subjects = scratch(4), scratch(256)
    drops = 0
    if not rules.subjects or state[b.HAND + side] > 0:
        drop_cells(rules, state, cells)
        for word in range(4):
            drops += popcount(cells[word])
    count = 0
    for word in range(4):
        remaining = state[own + word]
        while remaining:
            subjects[count] = word * 64 + lowest(remaining)
            remaining &= remaining - 1
            count += 1
    lengths = (rules.size - 1) // 2 - 1
    object_steps = drops + 8
    steps = object_steps + 8 * count
    flights = steps + count * (count - 1)
    total = flights + 8 * lengths * count
    for _ in range(400):
        pick = below(rng, total)
        if pick < drops:
            word = 0
            while pick >= popcount(cells[word]):
                pick -= popcount(cells[word])
                word += 1
            remaining = cells[word]
            for _ in range(pick):
                remaining &= remaining - 1
            cell = word * 64 + lowest(remaining)
            if rules.drop_check != TOGGLES.drop_check.forbidden or not gives_check(rules, state, side, cell, target):
                return cell
            continue
        if pick < object_steps:
            b.flip(state, b.OBJECTS, object_cell)
            move = _object_step(rules, state, pick - drops)
            b.flip(state, b.OBJECTS, object_cell)
            if move >= 0:
                return move
            continue
        if pick < steps:
            origin = subjects[(pick - object_steps) >> 3]
            direction = (pick - object_steps) & 7
            cell = (origin + b.KING[direction]) & 255
            if not b.INSIDE[direction, origin]:
                continue
        elif pick < flights:
            pair = pick - steps
            i = pair // (count - 1)
            j = pair - i * (count - 1)
            origin, pivot = subjects[i], subjects[j + 1 if j >= i else j]
            x, y = 2 * (pivot & 15) - (origin & 15), 2 * (pivot >> 4) - (origin >> 4)
            if x < 0 or y < 0 or x >= rules.size or y >= rules.size:
                continue
            cell = 16 * y + x
            if b.has(state, own, cell):
                continue
            if rules.enemy_object_cuts and b.between(origin, target, pivot):
                continue
            if b.in_middle(rules, state, side, origin, target) or b.in_middle(rules, state, side, pivot, target):
                continue
        else:
            slide = pick - flights
            origin = subjects[slide // (8 * lengths)]
            slide %= 8 * lengths
            kind, up, length = slide & 3, (slide >> 2) & 1, (slide >> 3) + 2
            lane = b.segment(rules, state, side, kind, origin, target)
            position = b.POSITION[kind, origin]
            low, high = lane & ((1 << position) - 1), lane >> (position + 1)
            occupied = b.occupied_on(state, kind, origin)
            if up:
                if high != 0 or low == 0 or length > b.ROOM_UP[s, kind, origin] or length > position - lowest(low):
                    continue
                ahead = occupied >> (position + 1)
                if ahead != 0 and lowest(ahead) + 1 < length:
                    continue
                cell = origin + length * b.STEPS[kind]
                partner = origin - (position - lowest(low)) * b.STEPS[kind]
            else:
                if low != 0 or high == 0 or length > b.ROOM_DOWN[s, kind, origin] or length > highest(high) + 1:
                    continue
                ahead = occupied & ((1 << position) - 1)
                if ahead != 0 and position - highest(ahead) < length:
                    continue
                cell = origin - length * b.STEPS[kind]
                partner = origin + (highest(high) + 1) * b.STEPS[kind]
            if b.in_middle(rules, state, side, origin, target) or b.in_middle(rules, state, side, partner, target):
                continue
        if (
            not b.has(state, own, cell)
            and (b.BOARD[s, cell >> 6] >> (cell & 63)) & 1
            and cell != object_cell
            and cell != target
        ):
            captures = b.has(state, enemy, cell)
            dx, dy = (origin & 15) - (object_cell & 15), (origin >> 4) - (object_cell >> 4)
            shields = dx == 0 or dy == 0 or dx == dy or dx == -dy
            risky = shields or (captures and b.may_free_links(state, enemy, cell))
            if not risky or not exposes_object(rules, state, side, origin, cell):
                return b.MOVE << 16 | origin << 8 | cell
    return -1


@njit
def tactical_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """Fill ``moves`` with all check evasions; return their number and whether the position is quiet."""
    if state[b.IN_CHECK]:
        return legal_moves(rules, state, moves), False
    return 0, True


@njit
def _keep_captures(state: Any, moves: Any, n: int) -> int:
    """Keep the moves among ``moves[:n]`` that capture, en route or on landing, and return their number."""
    side, overflown, kept = state[b.TURN], scratch(4), 0
    for i in range(n):
        origin, cell = (moves[i] >> 8) & 255, moves[i] & 255
        if b.has(state, (1 - side) * b.SET_WORDS, cell) or find_overflown(state, side, origin, cell, overflown):
            moves[kept] = moves[i]
            kept += 1
    return kept


@njit
def followed_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """Fill ``moves`` with all check evasions, or with captures if there is no check.

    Without a check the object cannot capture, since an adjacent subject would give check.
    """
    n, is_quiet = tactical_moves(rules, state, moves)
    if is_quiet and opening_phase(rules, state) < 0:
        if rules.flight_captures == TOGGLES.flight_captures.landing:
            n = subject_moves(rules, state, CAPTURES, moves, 0)
        else:
            n = _keep_captures(state, moves, subject_moves(rules, state, ANY, moves, 0))
    return n, is_quiet


@njit
def quiet(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether the side to move is not in check."""
    return state[b.IN_CHECK] == 0


@njit
def _capture_overflown(rules: Any, state: Any, side: int, origin: int, cell: int) -> None:
    """Capture the enemy subjects over which a subject's move flies."""
    overflown = scratch(4)
    find_overflown(state, side, origin, cell, overflown)
    captured = toggle_subjects(state, 1 - side, overflown)
    if rules.subjects:
        state[b.HAND + side] += captured


@njit
def play(rules: Any, state: Any, move: int) -> None:
    """Apply a legal move."""
    s, side = b.size_index(rules), state[b.TURN]
    own, enemy = side * b.SET_WORDS, (1 - side) * b.SET_WORDS
    kind, origin, cell = move >> 16, (move >> 8) & 255, move & 255
    entered_centre = False
    opening_over = state[b.OBJECT_CELL] >= 0 and state[b.OBJECT_CELL + 1] >= 0
    if kind == b.DROP:
        b.flip(state, own, cell)
        if rules.subjects:
            state[b.HAND + side] -= 1
    else:
        if b.has(state, enemy, cell):
            b.flip(state, enemy, cell)
            if rules.subjects:
                state[b.HAND + side] += 1
        if kind == b.OBJECT:
            old_cell = state[b.OBJECT_CELL + side]
            if old_cell >= 0:
                b.flip(state, b.OBJECTS, old_cell)
                entered_centre = b.ZONE[s, cell] == b.CENTRE_ZONE and b.ZONE[s, old_cell] != b.CENTRE_ZONE
            b.flip(state, b.OBJECTS, cell)
            state[b.OBJECT_CELL + side] = cell
        else:
            if rules.flight_captures != TOGGLES.flight_captures.landing:
                _capture_overflown(rules, state, side, origin, cell)
            b.flip(state, own, origin)
            b.flip(state, own, cell)
    state[b.TURN] = 1 - side
    state[b.PLIES] += 1
    target = state[b.OBJECT_CELL + 1 - side]
    check = target >= 0 and b.attacked(rules, state, side, target)
    state[b.IN_CHECK] = 1 if check else 0
    if check:
        state[b.CHECKED] = 1
        if rules.limits_end != TOGGLES.limits_end.never:
            state[b.LIMITS_ENDED] = 1
    if entered_centre and rules.limits_end == TOGGLES.limits_end.check_or_centre:
        state[b.LIMITS_ENDED] = 1
    if rules.white_extra_moves and side == 1 and opening_over and state[b.EXTRA] > 0:
        state[b.EXTRA] = 0 if check else state[b.EXTRA] - 1
        state[b.TURN] = 0 if check else 1


@njit
def _has_row(rules: Any, state: Any, side: int) -> bool:
    """Return whether a side has a winning row of adjacent subjects."""
    for word in range(b.SET_WORDS):
        lanes = state[side * b.SET_WORDS + word]
        rows = lanes
        for i in range(1, rules.row_wins):
            rows &= lanes >> i
        if rows:
            return True
    return False


@njit
def outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Return the result and the ending: a winning row, mate, or no legal move."""
    if rules.row_wins:
        for owner in (1 - state[b.TURN], state[b.TURN]):
            if _has_row(rules, state, owner):
                return (SECOND if owner else FIRST), ENDINGS.row
    if n > 0:
        return ONGOING, 0
    winner = FIRST if state[b.TURN] == 1 else SECOND
    if state[b.IN_CHECK]:
        return winner, ENDINGS.mate
    return (DRAW if rules.stuck == TOGGLES.stuck.draw else winner), ENDINGS.stuck


@njit
def counts_positions(rules: Any) -> bool:
    """Return whether there is a repetition rule."""
    return rules.repetition != TOGGLES.repetition.off


@njit
def repetition(rules: Any, state: Any, count: int) -> tuple[int, int]:
    """Return a draw, or a loss for the side to move, which initiated the sequence, if the position occurs too often."""
    if rules.repetition == TOGGLES.repetition.off or count < rules.repetition_count:
        return ONGOING, 0
    if rules.repetition == TOGGLES.repetition.initiator_loses:
        return (FIRST if state[b.TURN] == 1 else SECOND), REPETITION
    return DRAW, REPETITION


@njit
def key(rules: Any, state: Any) -> Any:
    """Return a hash of the board, the side to move, whether the limits have ended and, if limited, the hands.

    Under ``object_into_centre: after-first-check`` it includes whether there has been a check.
    """
    fields = (
        (state[b.OBJECT_CELL] + 1)
        | (state[b.OBJECT_CELL + 1] + 1) << 9
        | state[b.TURN] << 18
        | state[b.LIMITS_ENDED] << 19
        | (state[b.CHECKED] & rules.object_into_centre) << 20
    )
    if rules.subjects:
        fields |= state[b.HAND] << 24 | state[b.HAND + 1] << 36
    if rules.white_extra_moves:
        fields |= state[b.EXTRA] << 21
    hash_value = mix(np.uint64(fields))
    for i in range(4):
        hash_value = mix(hash_value ^ np.uint64(state[i])) + np.uint64(i)
        hash_value = mix(hash_value ^ np.uint64(state[b.SET_WORDS + i])) + np.uint64(i)
    return hash_value


@njit
def packed_bytes(rules: Any) -> int:
    """Return the size of a packed state in bytes."""
    cells = rules.size * rules.size
    bits = 2 * cells + 2 * bits_for(cells) + 2 * _hand_bits(rules) + 4 + bits_for(rules.white_extra_moves)
    return (bits + 7) // 8


@njit
def _hand_bits(rules: Any) -> int:
    """Return the number of bits needed for a hand, which may hold all subjects."""
    return bits_for(b.supply(rules, 0) + b.supply(rules, 1))


@njit
def repetition_draws(rules: Any) -> bool:
    """Return whether a repeated position is a draw."""
    return rules.repetition == b.TOGGLES.repetition.draw


@njit
def _has_begun(state: Any) -> bool:
    """Return whether there are pieces on the board."""
    if state[b.OBJECT_CELL] >= 0 or state[b.OBJECT_CELL + 1] >= 0:
        return True
    subjects = 0
    for word in range(4):
        subjects |= state[word] | state[b.SET_WORDS + word]
    return subjects != 0


@njit
def pack(rules: Any, state: Any, packed: Any) -> None:
    """Pack everything except the number of plies, omitting words that the rules do not use."""
    for i in range(packed.shape[0]):
        packed[i] = 0
    n, offset = rules.size, 0
    for side in range(2):
        for y in range(n):
            row = (state[side * b.SET_WORDS + (y >> 2)] >> ((y & 3) << 4)) & ((1 << n) - 1)
            offset = put_bits(packed, offset, n, row)
    for side in range(2):
        cell = state[b.OBJECT_CELL + side]
        offset = put_bits(packed, offset, bits_for(n * n), n * (cell >> 4) + (cell & 15) + 1 if cell >= 0 else 0)
        offset = put_bits(packed, offset, _hand_bits(rules), state[b.HAND + side])
    offset = put_bits(packed, offset, 1, state[b.TURN])
    offset = put_bits(packed, offset, 1, state[b.IN_CHECK])
    offset = put_bits(packed, offset, 1, state[b.LIMITS_ENDED])
    if rules.object_into_centre == b.TOGGLES.object_into_centre.after_first_check:
        put_bits(packed, offset, 1, state[b.CHECKED])
    if rules.white_extra_moves:
        put_bits(packed, offset + 1, bits_for(rules.white_extra_moves), state[b.EXTRA])


@njit
def unpack(rules: Any, packed: Any, state: Any) -> None:
    """Restore a packed state, assuming that the opening is over."""
    n, offset = rules.size, 0
    state[:] = 0
    for side in range(2):
        for y in range(n):
            row = get_bits(packed, offset, n)
            offset += n
            for x in range(n):
                if (row >> x) & 1:
                    b.flip(state, side * b.SET_WORDS, 16 * y + x)
    for side in range(2):
        number = get_bits(packed, offset, bits_for(n * n))
        offset += bits_for(n * n)
        state[b.HAND + side] = get_bits(packed, offset, _hand_bits(rules))
        offset += _hand_bits(rules)
        state[b.OBJECT_CELL + side] = -1
        if number > 0:
            cell = 16 * ((number - 1) // n) + (number - 1) % n
            state[b.OBJECT_CELL + side] = cell
            b.flip(state, b.OBJECTS, cell)
    state[b.TURN] = get_bits(packed, offset, 1)
    state[b.IN_CHECK] = get_bits(packed, offset + 1, 1)
    state[b.LIMITS_ENDED] = get_bits(packed, offset + 2, 1)
    state[b.CHECKED] = get_bits(packed, offset + 3, 1)
    if rules.white_extra_moves:
        state[b.EXTRA] = get_bits(packed, offset + 4, bits_for(rules.white_extra_moves))
    state[b.PLIES] = 4 + state[b.TURN] if _has_begun(state) else 0


implement(Rules, sys.modules[__name__], len(FEATURES), len(EVENTS), tuple(kind.fold for kind in DECLARATION.units))
