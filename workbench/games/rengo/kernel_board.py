"""The mixed game's board, compiled: cells, lists of pieces, hands, attacks on a cell, groups and what encloses them.

A cell is the index of its word in the state. The n×n cells are surrounded by three rows and columns of `WALL`, so that
steps and leaps need no check for the edge; the right margin of a row is the left margin of the next:

    cell (x, y) = BOARD + (n + 3) * (y + 3) + x + 3     x from the left, y from the top; first player at the bottom

A cell's word is 0 if it is empty, else ``kind | side << 6 | place << 9``: kinds are indices of `rules.UNITS` plus
one, ``place`` is a moving piece's index in its side's list. Both lists share one buffer behind the board, the first
player's starting at its beginning, the second's at its end.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from workbench.engine.jit import by_reference, inline_ir, njit, scratch
from workbench.engine.rng import mix
from workbench.games.declaration import kernel_names, rules_type
from workbench.games.rengo import rules as r
from workbench.games.rengo.rules import DECLARATION, KIND, SOLDIER_ROW

KINDS = 64
"""The number of kinds: a kind takes six bits of a cell."""
KINGS = 5
"""Kinds 1 to 5 are the kings."""
SHOGI_KING, CHESS_KING, XIANGQI_KING, JANGGI_KING, MAKRUK_KING = range(1, 6)
PAWN = KIND["歩"]
LANCE, KNIGHT = KIND["香"], KIND["桂"]
QUEEN, BISHOP, HORSE, ROOK = KIND["后"], KIND["僧"], KIND["騎"], KIND["城"]
CANNON, HOPPER = KIND["炮"], KIND["包"]
MAN, CROWN = KIND["平"], KIND["冠"]
GO_STONE, OTHELLO_STONE, RENJU_STONE = KIND["碁"], KIND["翻"], KIND["珠"]
FIRST_STONE = GO_STONE
"""The first kind of stone; stones never move."""

HELD = ("金", "銀", "桂", "香", "飛", "角", "歩", "翻", "碁", "珠")
"""The kinds that can be in hand."""
SLOTS = len(HELD)

DIRECTIONS = ((0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, -1), (-1, 1), (1, 1))
"""Steps (columns, rows) from the first player's viewpoint; the second player's are rotated by 180 degrees."""
LEAPS = tuple(
    (dx, dy)
    for near, far in ((1, 2), (2, 2), (2, 3))
    for dx in range(-far, far + 1)
    for dy in range(-far, far + 1)
    if sorted((abs(dx), abs(dy))) == [near, far]
)
"""The leaps of all units, in the format of `DIRECTIONS`."""

_STEPS = {"W": range(4), "F": range(4, 8), "K": range(8)}
_RIDES = {"R": range(4), "B": range(4, 8), "Q": range(8)}
_LEAPS = {"N": (1, 2), "A": (2, 2), "Z": (2, 3)}


def _allowed(modifiers: str, dx: int, dy: int) -> bool:
    """Return whether a Betza atom's modifiers allow a direction or leap."""
    if "ff" in modifiers:
        return dy < 0 and abs(dy) > abs(dx)
    if "f" in modifiers:
        return dy < 0
    return "s" not in modifiers or dy == 0


def _tables() -> tuple[np.ndarray, ...]:
    """Return by kind the bit masks of quiet and capturing steps, quiet and capturing rides, and leaps; and lameness."""
    quiet, captures, rides, ride_captures, leaps, lame = (np.zeros(KINDS, np.int64) for _ in range(6))
    for kind, unit in enumerate(r.UNITS, start=1):
        for modifiers, atom in re.findall(r"([a-z]*)([A-Z])", unit.betza):
            if "p" in modifiers:
                continue
            if atom in _LEAPS:
                for i, (dx, dy) in enumerate(LEAPS):
                    if sorted((abs(dx), abs(dy))) == [*_LEAPS[atom]] and _allowed(modifiers, dx, dy):
                        leaps[kind] |= 1 << i
                lame[kind] |= "n" in modifiers
                continue
            riding = atom in _RIDES
            for d in _RIDES[atom] if riding else _STEPS[atom]:
                if _allowed(modifiers, *DIRECTIONS[d]):
                    if "c" not in modifiers:
                        (rides if riding else quiet)[kind] |= 1 << d
                    if "m" not in modifiers:
                        (ride_captures if riding else captures)[kind] |= 1 << d
    return quiet, captures, rides, ride_captures, leaps, lame


QUIET, TAKES, RIDES, RIDE_TAKES, LEAPING, LAME = _tables()

LEAP_X = np.array([dx for dx, _ in LEAPS], np.int64)
LEAP_Y = np.array([dy for _, dy in LEAPS], np.int64)


def _legs() -> np.ndarray:
    """Return the two cells that block each lame leap, relative to its origin: x, y, x, y (equal if only one does)."""
    legs = []
    for dx, dy in LEAPS:
        diagonal = (dx // abs(dx), dy // abs(dy))
        first = diagonal if abs(dx) == abs(dy) else (diagonal[0], 0) if abs(dx) > abs(dy) else (0, diagonal[1])
        second = (first[0] + diagonal[0], first[1] + diagonal[1]) if max(abs(dx), abs(dy)) == 3 else first
        legs.append((*first, *second))
    return np.array(legs, np.int64)


LEGS = _legs()
STEP_X = np.array([dx for dx, _ in DIRECTIONS], np.int64)
STEP_Y = np.array([dy for _, dy in DIRECTIONS], np.int64)
OPPOSITE = np.array([DIRECTIONS.index((-dx, -dy)) for dx, dy in DIRECTIONS], np.int64)

GAME, COST, PROMOTION, PROMOTED, SLOT, GROUP = (np.zeros(KINDS, np.int64) for _ in range(6))
"""By kind: game, cost in the source's table, type and result of promotion, slot in hand (or -1) and `GROUP`."""
UNGROUPED, LEAPERS, SCREENED, JUMPERS, GO_STONES, OTHELLO_STONES, RENJU_STONES = range(7)
"""Groups of kinds with counters in the state, by which searches skip absent groups."""
GROUPS = 7
SLOT[:] = -1
for _kind, _unit in enumerate(r.UNITS, start=1):
    GAME[_kind], COST[_kind], PROMOTION[_kind] = _unit.game, _unit.cost, _unit.promotion
    PROMOTED[_kind] = KIND[_unit.promoted] if _unit.promoted else 0
    if _unit.letter.removeprefix("+") in HELD:
        SLOT[_kind] = HELD.index(_unit.letter.removeprefix("+"))
    if LEAPING[_kind]:
        GROUP[_kind] = LEAPERS
for _group, _kinds in (
    (SCREENED, (CANNON, HOPPER)),
    (JUMPERS, (MAN, CROWN)),
    (GO_STONES, (GO_STONE,)),
    (OTHELLO_STONES, (OTHELLO_STONE,)),
    (RENJU_STONES, (RENJU_STONE,)),
):
    for _kind in _kinds:
        GROUP[_kind] = _group
SOLDIER = np.array([0, *(unit.role == "soldier" and unit.most > 0 for unit in r.UNITS)], np.int64)
LAST_ROWS = np.zeros(KINDS, np.int64)
"""The number of rows at the far edge on which a shogi piece could not move."""
LAST_ROWS[PAWN] = LAST_ROWS[LANCE] = 1
LAST_ROWS[KNIGHT] = 2
HELD_KIND = np.array([KIND[letter] for letter in HELD], np.int64)

SOLDIERS = np.zeros(20, np.int64)
for _n, _row in SOLDIER_ROW.items():
    SOLDIERS[_n] = _row


Rules = by_reference(rules_type(DECLARATION, __name__))
"""The toggles, and an array for each army (see `armies`)."""
TOGGLES, FEATURES, EVENTS, ENDINGS, *_ = kernel_names(DECLARATION)

TURN = 0
PLIES = 1
PASSES = 2
"""The number of consecutive passes."""
KO = 3
"""The cell that ko forbids in this ply, or 0."""
HASH = 4
"""The hash of cells and hands, updated incrementally; 62 bits."""
RESULT = 5
ENDING = 6
"""Result and ending of a finished game."""
SECOND_KING = 7
"""The kind of the second player's king, even if captured; it determines stalemate and repetition."""
KING = 8
"""The cells of both kings, or 0."""
PRISONERS = 10
"""The number of units captured by each player that did not go to the hand."""
STREAK = 12
"""The number of each player's last moves that gave check without interruption."""
GROUP_COUNT = 14
"""The numbers of units on the board by group, eight words per side."""
HAND = 30
MOVERS = HAND + 2 * SLOTS
"""The length of each side's list."""
RING = MOVERS + 2
RING_WORDS = 64
"""Keys of the last positions, by ply, used to detect perpetual check."""
BOARD = RING + RING_WORDS
LARGEST_STATE = BOARD + 25 * 22 + 3 + 361
MOST_CELLS = 361

WALL = 128
MARK = 256
"""A mark for visited cells, set and cleared by each search."""
KIND_MASK = 63
PLACE_SHIFT = 9

HITS = TAKES | RIDE_TAKES
"""The directions in which a kind captures adjacent units."""


@inline_ir
def kind_of(word: int) -> int:
    """Return the kind of unit in a cell's word; 0 for empty cells and the wall."""
    return word & KIND_MASK


@inline_ir
def side_of(word: int) -> int:
    """Return the side that owns a unit."""
    return (word >> 6) & 1


@inline_ir
def belongs(word: int, side: int) -> bool:
    """Return whether a cell's word is a unit of this side."""
    return (word & KIND_MASK) != 0 and ((word >> 6) & 3) == side


@inline_ir
def cell_at(rules: Any, x: int, y: int) -> int:
    """Return the cell in a column and row, both counted from 0 at the top left."""
    return BOARD + (rules.board + 3) * (y + 3) + x + 3


@inline_ir
def step_of(rules: Any, d: int) -> int:
    """Return the offset to the neighbouring cell in direction d, as seen by the first player."""
    return STEP_X[d] + STEP_Y[d] * (rules.board + 3)


@inline_ir
def from_rank(rules: Any, side: int, cell: int, rank: int) -> bool:
    """Return whether a cell is on row ``rank`` or beyond, counting from 1 at the side's edge."""
    pitch = rules.board + 3
    if side == 0:
        return cell - BOARD < (rules.board - rank + 4) * pitch
    return cell - BOARD >= (rank + 2) * pitch


@inline_ir
def lists_start(rules: Any) -> int:
    """Return the index of the first word of the piece lists."""
    return BOARD + (rules.board + 6) * (rules.board + 3) + 3


@inline_ir
def list_word(rules: Any, side: int, index: int) -> int:
    """Return the word that contains the cell of the piece at an index of a side's list."""
    if side == 0:
        return lists_start(rules) + index
    return lists_start(rules) + rules.board * rules.board - 1 - index


@inline_ir
def cell_hash(cell: int, word: int) -> int:
    """Return the hash of a unit on a cell."""
    return np.int64(mix(np.uint64((cell << 7) | (word & 127))) >> np.uint64(2))


@inline_ir
def hand_hash(slot: int, count: int) -> int:
    """Return the hash of a number of units in a slot."""
    return np.int64(mix(np.uint64((1 << 20) | (slot << 10) | count)) >> np.uint64(2))


@njit
def put(rules: Any, state: Any, cell: int, side: int, kind: int) -> None:
    """Put a unit on an empty cell."""
    word = kind | side << 6
    state[HASH] ^= cell_hash(cell, word)
    state[GROUP_COUNT + 8 * side + GROUP[kind]] += 1
    if kind < FIRST_STONE:
        index = state[MOVERS + side]
        state[list_word(rules, side, index)] = cell
        state[MOVERS + side] = index + 1
        word |= index << PLACE_SHIFT
        if kind <= KINGS:
            state[KING + side] = cell
    state[cell] = word


@njit
def lift(rules: Any, state: Any, cell: int) -> None:
    """Remove the unit on a cell."""
    word = state[cell]
    side, kind = side_of(word), kind_of(word)
    state[HASH] ^= cell_hash(cell, word)
    state[GROUP_COUNT + 8 * side + GROUP[kind]] -= 1
    if kind < FIRST_STONE:
        index, last = word >> PLACE_SHIFT, state[MOVERS + side] - 1
        last_cell = state[list_word(rules, side, last)]
        state[list_word(rules, side, index)] = last_cell
        state[last_cell] = (state[last_cell] & 511) | index << PLACE_SHIFT
        state[MOVERS + side] = last
        if kind <= KINGS:
            state[KING + side] = 0
    state[cell] = 0


@njit
def add_to_hand(state: Any, side: int, slot: int, number: int) -> None:
    """Add units of one slot to a hand."""
    index = side * SLOTS + slot
    count = state[HAND + index]
    state[HASH] ^= hand_hash(index, count) ^ hand_hash(index, count + number)
    state[HAND + index] = count + number


@njit
def capture(rules: Any, state: Any, cell: int) -> None:
    """Capture a unit: shogi pieces and 翻 go to the captor's hand, others become prisoners; a captured king wins."""
    word = state[cell]
    captor, kind = 1 - side_of(word), kind_of(word)
    lift(rules, state, cell)
    if kind <= KINGS:
        state[RESULT] = 1 + captor
        state[ENDING] = ENDINGS.mate
    elif GAME[kind] == r.SHOGI or GAME[kind] == r.OTHELLO:
        add_to_hand(state, captor, SLOT[kind], 1)
    else:
        state[PRISONERS + captor] += 1


@njit
def attacked(rules: Any, state: Any, side: int, target: int) -> bool:
    """Return whether ``side`` could capture on ``target``, the cell of an enemy unit (not 包), without jumping."""
    pitch = rules.board + 3
    screened = state[GROUP_COUNT + 8 * side + SCREENED] > 0
    for d in range(8):
        step = STEP_X[d] + STEP_Y[d] * pitch
        back = OPPOSITE[d] if side == 0 else d
        cell = target + step
        word = state[cell]
        if word == 0:
            while word == 0:
                cell += step
                word = state[cell]
            if belongs(word, side) and (RIDE_TAKES[kind_of(word)] >> back) & 1:
                return True
        elif belongs(word, side) and (HITS[kind_of(word)] >> back) & 1:
            return True
        if screened and d < 4 and word != WALL:
            screen = kind_of(word)
            cell += step
            while state[cell] == 0:
                cell += step
            word = state[cell]
            kind = kind_of(word)
            if belongs(word, side) and (kind == CANNON or (kind == HOPPER and screen != HOPPER)):
                return True
    if state[GROUP_COUNT + 8 * side + LEAPERS] > 0:
        sign = 1 - 2 * side
        for i in range(20):
            cell = target - sign * (LEAP_X[i] + LEAP_Y[i] * pitch)
            word = state[cell]
            leaps = belongs(word, side) and (LEAPING[kind_of(word)] >> i) & 1
            if leaps and (not LAME[kind_of(word)] or unblocked(rules, state, side, cell, i)):
                return True
    return False


@inline_ir
def unblocked(rules: Any, state: Any, side: int, cell: int, leap: int) -> bool:
    """Return whether the cells that can block a lame leap from ``cell`` are empty."""
    sign, pitch = 1 - 2 * side, rules.board + 3
    near = cell + sign * (LEGS[leap, 0] + LEGS[leap, 1] * pitch)
    far = cell + sign * (LEGS[leap, 2] + LEGS[leap, 3] * pitch)
    return state[near] == 0 and state[far] == 0


@inline_ir
def facing(rules: Any, state: Any, kind: int) -> bool:
    """Return whether both kings are of this kind and face each other on an open column."""
    first, second = state[KING], state[KING + 1]
    if first == 0 or second == 0 or kind_of(state[first]) != kind or kind_of(state[second]) != kind:
        return False
    pitch = rules.board + 3
    low, high = min(first, second), max(first, second)
    if (high - low) % pitch != 0:
        return False
    low += pitch
    while low < high and state[low] == 0:
        low += pitch
    return low == high


@njit
def generals_facing(rules: Any, state: Any) -> bool:
    """Return whether two 帥 face each other although the rules forbid it."""
    return rules.facing_generals == TOGGLES.facing_generals.forbidden and facing(rules, state, XIANGQI_KING)


@njit
def bikjang(rules: Any, state: Any) -> bool:
    """Return whether two 楚 face each other under rules that may make it a draw."""
    return rules.bikjang == TOGGLES.bikjang.draw and facing(rules, state, JANGGI_KING)


@njit
def enclosed(rules: Any, state: Any, start: int, cells: Any) -> int:
    """List the group at ``start`` in ``cells``; return its size if enemy 碁 alone enclose it, otherwise 0."""
    origin_word = state[start]
    side = side_of(origin_word)
    stones_only = rules.go_capture == TOGGLES.go_capture.go_stones_only
    if rules.go_capture == TOGGLES.go_capture.off or (stones_only and kind_of(origin_word) != GO_STONE):
        return 0
    state[start] = origin_word | MARK
    cells[0] = start
    count, expanded = 1, 0
    closed, touched = True, False
    while closed and expanded < count:
        for d in range(4):
            cell = cells[expanded] + step_of(rules, d)
            word = state[cell]
            if word == 0:
                closed = False
                break
            kind = kind_of(word)
            if kind == 0 or (word & MARK) != 0:
                continue
            if side_of(word) == side:
                if stones_only and kind != GO_STONE:
                    closed = False
                    break
                state[cell] = word | MARK
                cells[count] = cell
                count += 1
            elif kind == GO_STONE:
                touched = True
            else:
                closed = False
                break
        expanded += 1
    for i in range(count):
        state[cells[i]] &= ~MARK
    return count if closed and touched else 0


@njit
def liberties(rules: Any, state: Any, start: int, limit: int) -> int:
    """Count the liberties of the group at ``start``, up to ``limit`` (2 or 3).

    An adjacent enemy unit other than 碁, which makes enclosure impossible, counts as ``limit`` liberties.
    """
    side = side_of(state[start])
    cells = scratch(MOST_CELLS)
    state[start] |= MARK
    cells[0] = start
    count, expanded = 1, 0
    last = previous = number = 0
    while number < limit and expanded < count:
        for d in range(4):
            cell = cells[expanded] + step_of(rules, d)
            word = state[cell]
            if word == 0:
                if cell not in (last, previous):
                    last, previous = cell, last
                    number += 1
            elif kind_of(word) != 0 and (word & MARK) == 0:
                if side_of(word) == side:
                    state[cell] = word | MARK
                    cells[count] = cell
                    count += 1
                elif kind_of(word) != GO_STONE:
                    number = limit
        expanded += 1
    for i in range(count):
        state[cells[i]] &= ~MARK
    return min(number, limit)


@inline_ir
def is_flying(rules: Any, kind: int) -> bool:
    """Return whether a draughts unit moves and jumps any distance."""
    return kind == CROWN and rules.crown != TOGGLES.crown.short


@njit
def can_jump_from(rules: Any, state: Any, cell: int) -> bool:
    """Return whether the draughts unit on ``cell`` can jump."""
    word = state[cell]
    side, flying = side_of(word), is_flying(rules, kind_of(word))
    for d in range(4, 8):
        step = step_of(rules, d)
        victim = cell + step
        while flying and state[victim] == 0:
            victim += step
        if belongs(state[victim], 1 - side) and state[victim + step] == 0:
            return True
    return False


MOST_JUMPS = 120
"""The maximum length of a jump chain."""
MOST_CHAINS = 512
"""The maximum number of distinct chains of one unit."""
MOST_TRIES = 20_000
"""The maximum number of jumps tried for one unit, since a crown among many stones has countless chains."""


@njit
def find_jump_chains(
    rules: Any, state: Any, origin: int, prey: int, end: int, index: int, ends: Any, sizes: Any, victims: Any
) -> int:
    """Find the distinct jump chains of the unit on ``origin`` and return their number.

    Chains are distinct if their ends or jumped units differ. ``ends`` receives each chain's end, ``sizes`` its number
    of jumped units. If ``prey`` is a cell (not 0), the search returns 1 as soon as a jump passes it, or 0 if none does.
    If ``end`` is a cell (not 0), the search stops at the chain with this end and ``index``, fills ``victims`` with the
    jumped cells and returns their number.
    """
    piece = state[origin]
    side, flying = side_of(piece), is_flying(rules, kind_of(piece))
    cells, directions, landing = scratch(MOST_JUMPS), scratch(MOST_JUMPS), scratch(MOST_JUMPS)
    crossed, jumped = scratch(MOST_JUMPS), scratch(MOST_JUMPS)
    hashes = scratch(MOST_CHAINS)
    state[origin] = 0
    depth, count, chain_hash, tries, result = 0, 0, 0, 0, -1
    cells[0], directions[0], landing[0], jumped[0] = origin, 3, 0, 0
    while depth >= 0:
        # Try the next landing cell of the same jump, or else the next direction.
        can_advance = False
        if landing[depth] != 0 and flying and state[landing[depth] + step_of(rules, directions[depth])] == 0:
            landing[depth] += step_of(rules, directions[depth])
            can_advance = True
        while not can_advance and directions[depth] < 7 and depth < MOST_JUMPS - 1 and tries < MOST_TRIES:
            directions[depth] += 1
            step = step_of(rules, directions[depth])
            cell = cells[depth] + step
            while flying and state[cell] == 0:
                cell += step
            if belongs(state[cell], 1 - side) and (state[cell] & MARK) == 0 and state[cell + step] == 0:
                crossed[depth] = cell
                landing[depth] = cell + step
                can_advance = True
        if can_advance:
            tries += 1
            jumped[depth] = 1
            if crossed[depth] == prey:
                result = 1
                break
            state[crossed[depth]] |= MARK
            chain_hash ^= cell_hash(crossed[depth], 0)
            depth += 1
            cells[depth], directions[depth], landing[depth], jumped[depth] = landing[depth - 1], 3, 0, 0
            continue
        if jumped[depth] == 0 and depth > 0 and prey == 0 and count < MOST_CHAINS:
            number, duplicate = 0, False
            for i in range(count):
                if ends[i] == cells[depth]:
                    number += 1
                    duplicate |= hashes[i] == chain_hash
            if not duplicate:
                if end == cells[depth] and number == index:
                    for i in range(depth):
                        victims[i] = crossed[i]
                    result = depth
                    break
                ends[count], sizes[count], hashes[count] = cells[depth], depth, chain_hash
                count += 1
        depth -= 1
        if depth >= 0:
            state[crossed[depth]] &= ~MARK
            chain_hash ^= cell_hash(crossed[depth], 0)
    while depth > 0:
        depth -= 1
        state[crossed[depth]] &= ~MARK
    state[origin] = piece
    if prey != 0:
        return max(result, 0)
    return result if result >= 0 else count
