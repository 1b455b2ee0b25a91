"""The mixed game's board, compiled: cells, lists of pieces, hands, attacks on a cell, groups and what encloses them.

A cell is the index of its word in the state. Around the n×n cells lie three rows and columns of `WALL`, so that no step
or leap needs to ask for the edge; the right margin of a row is the left margin of the next:

    cell (x, y) = BOARD + (n + 3) * (y + 3) + x + 3     x from the left, y from the top; the first player sits below

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
"""The first stone; stones never move."""

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
    """Return whether the modifiers of a Betza atom allow a direction or leap."""
    if "ff" in modifiers:
        return dy < 0 and abs(dy) > abs(dx)
    if "f" in modifiers:
        return dy < 0
    return "s" not in modifiers or dy == 0


def _tables() -> tuple[np.ndarray, ...]:
    """Return bit masks by kind: quiet and capturing steps, quiet and capturing rides, leaps; and lameness."""
    quiet, takes, rides, ride_takes, leaps, lame = (np.zeros(KINDS, np.int64) for _ in range(6))
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
                        (ride_takes if riding else takes)[kind] |= 1 << d
    return quiet, takes, rides, ride_takes, leaps, lame


QUIET, TAKES, RIDES, RIDE_TAKES, LEAPING, LAME = _tables()

LEAP_X = np.array([dx for dx, _ in LEAPS], np.int64)
LEAP_Y = np.array([dy for _, dy in LEAPS], np.int64)


def _legs() -> np.ndarray:
    """Return the cells that block each lame leap, relative to its origin: x, y, x, y (the same twice if one)."""
    legs = []
    for dx, dy in LEAPS:
        diagonal = (dx // abs(dx), dy // abs(dy))
        straight = diagonal if abs(dx) == abs(dy) else (diagonal[0], 0) if abs(dx) > abs(dy) else (0, diagonal[1])
        second = (straight[0] + diagonal[0], straight[1] + diagonal[1]) if max(abs(dx), abs(dy)) == 3 else straight
        legs.append((*straight, *second))
    return np.array(legs, np.int64)


LEGS = _legs()
STEP_X = np.array([dx for dx, _ in DIRECTIONS], np.int64)
STEP_Y = np.array([dy for _, dy in DIRECTIONS], np.int64)
OPPOSITE = np.array([DIRECTIONS.index((-dx, -dy)) for dx, dy in DIRECTIONS], np.int64)

GAME, COST, PROMOTION, PROMOTED, SLOT, GROUP = (np.zeros(KINDS, np.int64) for _ in range(6))
"""By kind: game, cost by the source's table, type and result of promotion, slot in hand (or -1) and `GROUP`."""
UNGROUPED, LEAPERS, SCREENED, JUMPERS, GO_STONES, OTHELLO_STONES, RENJU_STONES = range(7)
"""Groups of kinds with counters in the state, so that searches skip absent ones."""
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
"""The number of rows at the far edge where a shogi piece has no further moves."""
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
"""Result and ending, once the game is over."""
SECOND_KING = 7
"""The kind of the second player's king, present or captured: it determines stalemate and repetition."""
KING = 8
"""The cells of both kings, or 0."""
PRISONERS = 10
"""The number of captured units of each player that went to no hand."""
STREAK = 12
"""The number of consecutive checks in each player's last moves."""
GROUP_COUNT = 14
"""The number of units on the board by group, eight words per side."""
HAND = 30
MOVERS = HAND + 2 * SLOTS
"""The length of each side's list."""
RING = MOVERS + 2
RING_WORDS = 64
"""Keys of the last positions, by ply, for detecting perpetual check."""
BOARD = RING + RING_WORDS
LARGEST_STATE = BOARD + 25 * 22 + 3 + 361
MOST_CELLS = 361

WALL = 128
MARK = 256
"""A mark of visited cells, which a search sets and clears."""
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
    """Return the owner of a unit."""
    return (word >> 6) & 1


@inline_ir
def belongs(word: int, side: int) -> bool:
    """Return whether a cell's word is a unit of this side."""
    return (word & KIND_MASK) != 0 and ((word >> 6) & 3) == side


@inline_ir
def cell_at(rules: Any, x: int, y: int) -> int:
    """Return the cell at a column and row, both from 0 at the top left."""
    return BOARD + (rules.board + 3) * (y + 3) + x + 3


@inline_ir
def step_of(rules: Any, d: int) -> int:
    """Return the step from a cell to its neighbour in direction d, as the first player sees it."""
    return STEP_X[d] + STEP_Y[d] * (rules.board + 3)


@inline_ir
def from_rank(rules: Any, side: int, cell: int, rank: int) -> bool:
    """Return whether a cell is on row ``rank`` or beyond, counting from the side's own edge (1)."""
    pitch = rules.board + 3
    if side == 0:
        return cell - BOARD < (rules.board - rank + 4) * pitch
    return cell - BOARD >= (rank + 2) * pitch


@inline_ir
def lists(rules: Any) -> int:
    """Return the first word of the piece lists."""
    return BOARD + (rules.board + 6) * (rules.board + 3) + 3


@inline_ir
def listed(rules: Any, side: int, place: int) -> int:
    """Return the index of the word for the piece at ``place`` in a side's list."""
    if side == 0:
        return lists(rules) + place
    return lists(rules) + rules.board * rules.board - 1 - place


@inline_ir
def cell_hash(cell: int, word: int) -> int:
    """Return the hash of a unit on a cell."""
    return np.int64(mix(np.uint64((cell << 7) | (word & 127))) >> np.uint64(2))


@inline_ir
def hand_hash(place: int, count: int) -> int:
    """Return the hash of a number of units in hand."""
    return np.int64(mix(np.uint64((1 << 20) | (place << 10) | count)) >> np.uint64(2))


@njit
def put(rules: Any, state: Any, cell: int, side: int, kind: int) -> None:
    """Put a unit on an empty cell."""
    word = kind | side << 6
    state[HASH] ^= cell_hash(cell, word)
    state[GROUP_COUNT + 8 * side + GROUP[kind]] += 1
    if kind < FIRST_STONE:
        place = state[MOVERS + side]
        state[listed(rules, side, place)] = cell
        state[MOVERS + side] = place + 1
        word |= place << PLACE_SHIFT
        if kind <= KINGS:
            state[KING + side] = cell
    state[cell] = word


@njit
def lift(rules: Any, state: Any, cell: int) -> None:
    """Take the unit off a cell."""
    word = state[cell]
    side, kind = side_of(word), kind_of(word)
    state[HASH] ^= cell_hash(cell, word)
    state[GROUP_COUNT + 8 * side + GROUP[kind]] -= 1
    if kind < FIRST_STONE:
        place, last = word >> PLACE_SHIFT, state[MOVERS + side] - 1
        moved = state[listed(rules, side, last)]
        state[listed(rules, side, place)] = moved
        state[moved] = (state[moved] & 511) | place << PLACE_SHIFT
        state[MOVERS + side] = last
        if kind <= KINGS:
            state[KING + side] = 0
    state[cell] = 0


@njit
def add_to_hand(state: Any, side: int, slot: int, number: int) -> None:
    """Add a number of units of a slot to a hand."""
    place = side * SLOTS + slot
    before = state[HAND + place]
    state[HASH] ^= hand_hash(place, before) ^ hand_hash(place, before + number)
    state[HAND + place] = before + number


@njit
def capture(rules: Any, state: Any, cell: int) -> None:
    """Capture a unit: shogi pieces and 翻 go to the captor's hand, others become prisoners; a king wins."""
    word = state[cell]
    taker, kind = 1 - side_of(word), kind_of(word)
    lift(rules, state, cell)
    if kind <= KINGS:
        state[RESULT] = 1 + taker
        state[ENDING] = ENDINGS.mate
    elif GAME[kind] == r.SHOGI or GAME[kind] == r.OTHELLO:
        add_to_hand(state, taker, SLOT[kind], 1)
    else:
        state[PRISONERS + taker] += 1


@njit
def attacked(rules: Any, state: Any, side: int, target: int) -> bool:
    """Return whether ``side`` could move onto ``target``, where an enemy unit (not a 包) stands, jumps aside."""
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
        turned = 1 - 2 * side
        for i in range(20):
            cell = target - turned * (LEAP_X[i] + LEAP_Y[i] * pitch)
            word = state[cell]
            leaps = belongs(word, side) and (LEAPING[kind_of(word)] >> i) & 1
            if leaps and (not LAME[kind_of(word)] or unblocked(rules, state, side, cell, i)):
                return True
    return False


@inline_ir
def unblocked(rules: Any, state: Any, side: int, cell: int, leap: int) -> bool:
    """Return whether the cells that a lame leap from ``cell`` passes are empty."""
    turned, pitch = 1 - 2 * side, rules.board + 3
    near = cell + turned * (LEGS[leap, 0] + LEGS[leap, 1] * pitch)
    far = cell + turned * (LEGS[leap, 2] + LEGS[leap, 3] * pitch)
    return state[near] == 0 and state[far] == 0


@inline_ir
def facing(rules: Any, state: Any, kind: int) -> bool:
    """Return whether both kings are of this kind and face each other on an open column."""
    one, other = state[KING], state[KING + 1]
    if one == 0 or other == 0 or kind_of(state[one]) != kind or kind_of(state[other]) != kind:
        return False
    pitch = rules.board + 3
    low, high = min(one, other), max(one, other)
    if (high - low) % pitch != 0:
        return False
    low += pitch
    while low < high and state[low] == 0:
        low += pitch
    return low == high


@njit
def generals_facing(rules: Any, state: Any) -> bool:
    """Return whether two 帥 face each other where that is forbidden."""
    return rules.facing_generals == TOGGLES.facing_generals.forbidden and facing(rules, state, XIANGQI_KING)


@njit
def bikjang(rules: Any, state: Any) -> bool:
    """Return whether two 楚 face each other where that may be a draw."""
    return rules.bikjang == TOGGLES.bikjang.draw and facing(rules, state, JANGGI_KING)


@njit
def enclosed(rules: Any, state: Any, start: int, cells: Any) -> int:
    """Return the size of the group at ``start``, listed in ``cells``, if enemy 碁 alone enclose it; else 0."""
    first = state[start]
    side = side_of(first)
    stones_only = rules.go_capture == TOGGLES.go_capture.go_stones_only
    if rules.go_capture == TOGGLES.go_capture.off or (stones_only and kind_of(first) != GO_STONE):
        return 0
    state[start] = first | MARK
    cells[0] = start
    count, done = 1, 0
    shut, touched = True, False
    while shut and done < count:
        for d in range(4):
            cell = cells[done] + step_of(rules, d)
            word = state[cell]
            if word == 0:
                shut = False
                break
            kind = kind_of(word)
            if kind == 0 or (word & MARK) != 0:
                continue
            if side_of(word) == side:
                if stones_only and kind != GO_STONE:
                    shut = False
                    break
                state[cell] = word | MARK
                cells[count] = cell
                count += 1
            elif kind == GO_STONE:
                touched = True
            else:
                shut = False
                break
        done += 1
    for i in range(count):
        state[cells[i]] &= ~MARK
    return count if shut and touched else 0


@njit
def liberties(rules: Any, state: Any, start: int, enough: int) -> int:
    """Return the number of liberties of the group at ``start``, at most ``enough`` (2 or 3).

    An adjacent enemy unit other than 碁, which can never be enclosed together with it, is sufficient, too.
    """
    side = side_of(state[start])
    cells = scratch(MOST_CELLS)
    state[start] |= MARK
    cells[0] = start
    count, done = 1, 0
    one = other = found = 0
    while found < enough and done < count:
        for d in range(4):
            cell = cells[done] + step_of(rules, d)
            word = state[cell]
            if word == 0:
                if cell not in (one, other):
                    one, other = cell, one
                    found += 1
            elif kind_of(word) != 0 and (word & MARK) == 0:
                if side_of(word) == side:
                    state[cell] = word | MARK
                    cells[count] = cell
                    count += 1
                elif kind_of(word) != GO_STONE:
                    found = enough
        done += 1
    for i in range(count):
        state[cells[i]] &= ~MARK
    return min(found, enough)


@inline_ir
def is_flying(rules: Any, kind: int) -> bool:
    """Return whether a draughts unit moves and jumps any distance."""
    return kind == CROWN and rules.crown != TOGGLES.crown.short


@njit
def can_jump_from(rules: Any, state: Any, cell: int) -> bool:
    """Return whether the draughts unit on ``cell`` can jump."""
    word = state[cell]
    side, far = side_of(word), is_flying(rules, kind_of(word))
    for d in range(4, 8):
        step = step_of(rules, d)
        over = cell + step
        while far and state[over] == 0:
            over += step
        if belongs(state[over], 1 - side) and state[over + step] == 0:
            return True
    return False


MOST_JUMPS = 120
"""The maximum length of a jump chain."""
MOST_CHAINS = 512
"""The maximum number of distinct chains of one unit."""
MOST_TRIES = 20_000
"""The maximum number of jumps tried for one unit: a crown among many scattered stones has countless chains."""


@njit
def find_jump_chains(
    rules: Any, state: Any, origin: int, prey: int, end: int, wanted: int, ends: Any, sizes: Any, victims: Any
) -> int:
    """Find the distinct jump chains of the unit on ``origin`` and return their number.

    Chains are distinct if their ends or jumped units differ. ``ends`` receives each chain's end, ``sizes`` its number
    of jumped units. With a ``prey`` (a cell, else 0), the search returns 1 as soon as a jump passes that cell, else 0.
    With an ``end`` (else 0), it stops at the chain with index ``wanted`` among those with that end: ``victims``
    receives the jumped cells, and their number is returned.
    """
    piece = state[origin]
    side, far = side_of(piece), is_flying(rules, kind_of(piece))
    at, way, landing = scratch(MOST_JUMPS), scratch(MOST_JUMPS), scratch(MOST_JUMPS)
    over, jumped = scratch(MOST_JUMPS), scratch(MOST_JUMPS)
    hashes = scratch(MOST_CHAINS)
    state[origin] = 0
    depth, count, hashed, tries, answer = 0, 0, 0, 0, -1
    at[0], way[0], landing[0], jumped[0] = origin, 3, 0, 0
    while depth >= 0:
        # Advance at this depth: to a farther landing of the same jump, or to another direction.
        ready = False
        if landing[depth] != 0 and far and state[landing[depth] + step_of(rules, way[depth])] == 0:
            landing[depth] += step_of(rules, way[depth])
            ready = True
        while not ready and way[depth] < 7 and depth < MOST_JUMPS - 1 and tries < MOST_TRIES:
            way[depth] += 1
            step = step_of(rules, way[depth])
            cell = at[depth] + step
            while far and state[cell] == 0:
                cell += step
            if belongs(state[cell], 1 - side) and (state[cell] & MARK) == 0 and state[cell + step] == 0:
                over[depth] = cell
                landing[depth] = cell + step
                ready = True
        if ready:
            tries += 1
            jumped[depth] = 1
            if over[depth] == prey:
                answer = 1
                break
            state[over[depth]] |= MARK
            hashed ^= cell_hash(over[depth], 0)
            depth += 1
            at[depth], way[depth], landing[depth], jumped[depth] = landing[depth - 1], 3, 0, 0
            continue
        if jumped[depth] == 0 and depth > 0 and prey == 0 and count < MOST_CHAINS:
            number, known = 0, False
            for i in range(count):
                if ends[i] == at[depth]:
                    number += 1
                    known |= hashes[i] == hashed
            if not known:
                if end == at[depth] and number == wanted:
                    for i in range(depth):
                        victims[i] = over[i]
                    answer = depth
                    break
                ends[count], sizes[count], hashes[count] = at[depth], depth, hashed
                count += 1
        depth -= 1
        if depth >= 0:
            state[over[depth]] &= ~MARK
            hashed ^= cell_hash(over[depth], 0)
    while depth > 0:
        depth -= 1
        state[over[depth]] &= ~MARK
    state[origin] = piece
    if prey != 0:
        return max(answer, 0)
    return answer if answer >= 0 else count
