"""The mixed game's board, compiled: cells, lists of pieces, hands, attacks on a cell, groups and what encloses them.

A cell is the index of its word in the state. Around the n×n cells lie three rows and columns of `WALL`, so that no step
or leap needs to ask for the edge; the right margin of a row is the left margin of the next:

    cell (x, y) = BOARD + (n + 3) * (y + 3) + x + 3     x from the left, y from the top; the first player sits below

A cell's word is 0 if it is empty, else ``kind | side << 6 | place << 9``: kinds are those of `kernel_units`, ``place``
is where a piece that moves stands in its side's list. Lists share one room behind the board, the first player's from
its begin, the second's from its end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.jit import by_reference, inline_ir, njit, scratch
from workbench.engine.rng import mix
from workbench.games.declaration import kernel_names, rules_type
from workbench.games.rengo import kernel_units as u
from workbench.games.rengo.rules import DECLARATION

Rules = by_reference(rules_type(DECLARATION, __name__))
"""The toggles; an array for each army (see `armies`)."""
TOGGLES, FEATURES, EVENTS, ENDINGS, STYLES, UNITS = kernel_names(DECLARATION)

TURN = 0
PLIES = 1
PASSES = 2
"""Passes just made in succession."""
KO = 3
"""The cell that ko forbids in this ply, or 0."""
HASH = 4
"""Of cells and hands, kept up with every change; 62 bits."""
RESULT = 5
ENDING = 6
"""Result and termination, once the last move has ended the game."""
SECOND_KING = 7
"""The kind of king that the second player has or had: it decides stalemate and repetition."""
KING = 8
"""The cells of both kings, or 0."""
PRISONERS = 10
"""What each player has taken that went to no hand."""
STREAK = 12
"""How many of each player's last moves gave check, without a break."""
GROUP_COUNT = 14
"""Units on the board by group, eight words a side."""
HAND = 30
MOVERS = HAND + 2 * u.SLOTS
"""The length of each side's list."""
RING = MOVERS + 2
RING_WORDS = 64
"""Keys of the last positions, by ply: what perpetual check is read from."""
BOARD = RING + RING_WORDS
LARGEST_STATE = BOARD + 25 * 22 + 3 + 361
MOST_CELLS = 361

WALL = 128
MARK = 256
"""Set and cleared by a search that must not come to a cell twice."""
KIND_MASK = 63
PLACE_SHIFT = 9

HITS = u.TAKES | u.RIDE_TAKES
"""The directions in which a kind takes what stands next to it."""


@inline_ir
def kind_of(word: int) -> int:
    """Return the kind of unit of a cell's word; 0 for an empty cell and for the wall."""
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
    """Return the cell of a column and row, both from 0 and from the top left."""
    return BOARD + (rules.board + 3) * (y + 3) + x + 3


@inline_ir
def step_of(rules: Any, d: int) -> int:
    """Return the step from a cell to its neighbour in direction d, as the first player sees it."""
    return u.STEP_X[d] + u.STEP_Y[d] * (rules.board + 3)


@inline_ir
def from_rank(rules: Any, side: int, cell: int, rank: int) -> bool:
    """Return whether a cell lies on a row from ``rank`` on, counted from the side's own edge (1)."""
    pitch = rules.board + 3
    if side == 0:
        return cell - BOARD < (rules.board - rank + 4) * pitch
    return cell - BOARD >= (rank + 2) * pitch


@inline_ir
def lists(rules: Any) -> int:
    """Where the room of the lists begins."""
    return BOARD + (rules.board + 6) * (rules.board + 3) + 3


@inline_ir
def listed(rules: Any, side: int, place: int) -> int:
    """Return the word that holds the piece at ``place`` of a side's list."""
    if side == 0:
        return lists(rules) + place
    return lists(rules) + rules.board * rules.board - 1 - place


@inline_ir
def cell_hash(cell: int, word: int) -> int:
    """What a unit on a cell adds to the hash."""
    return np.int64(mix(np.uint64((cell << 7) | (word & 127))) >> np.uint64(2))


@inline_ir
def hand_hash(place: int, count: int) -> int:
    """What a number of units in hand adds to the hash."""
    return np.int64(mix(np.uint64((1 << 20) | (place << 10) | count)) >> np.uint64(2))


@njit
def put(rules: Any, state: Any, cell: int, side: int, kind: int) -> None:
    """Put a unit on an empty cell."""
    word = kind | side << 6
    state[HASH] ^= cell_hash(cell, word)
    state[GROUP_COUNT + 8 * side + u.GROUP[kind]] += 1
    if kind < u.FIRST_STONE:
        place = state[MOVERS + side]
        state[listed(rules, side, place)] = cell
        state[MOVERS + side] = place + 1
        word |= place << PLACE_SHIFT
        if kind <= u.KINGS:
            state[KING + side] = cell
    state[cell] = word


@njit
def lift(rules: Any, state: Any, cell: int) -> None:
    """Take the unit off a cell."""
    word = state[cell]
    side, kind = side_of(word), kind_of(word)
    state[HASH] ^= cell_hash(cell, word)
    state[GROUP_COUNT + 8 * side + u.GROUP[kind]] -= 1
    if kind < u.FIRST_STONE:
        place, last = word >> PLACE_SHIFT, state[MOVERS + side] - 1
        moved = state[listed(rules, side, last)]
        state[listed(rules, side, place)] = moved
        state[moved] = (state[moved] & 511) | place << PLACE_SHIFT
        state[MOVERS + side] = last
        if kind <= u.KINGS:
            state[KING + side] = 0
    state[cell] = 0


@njit
def add_to_hand(state: Any, side: int, slot: int, number: int) -> None:
    """Changes how many units of a slot are in hand."""
    place = side * u.SLOTS + slot
    before = state[HAND + place]
    state[HASH] ^= hand_hash(place, before) ^ hand_hash(place, before + number)
    state[HAND + place] = before + number


@njit
def capture(rules: Any, state: Any, cell: int) -> None:
    """Take a unit for its owner's enemy: shogi pieces and 翻 to the hand, all others as prisoners; a king wins."""
    word = state[cell]
    taker, kind = 1 - side_of(word), kind_of(word)
    lift(rules, state, cell)
    if kind <= u.KINGS:
        state[RESULT] = 1 + taker
        state[ENDING] = ENDINGS.mate
    elif u.GAME[kind] == u.SHOGI or u.GAME[kind] == u.OTHELLO:
        add_to_hand(state, taker, u.SLOT[kind], 1)
    else:
        state[PRISONERS + taker] += 1


@njit
def attacked(rules: Any, state: Any, side: int, target: int) -> bool:
    """Whether a unit of ``side`` could move onto ``target``, where an enemy unit (not a 包) stands; jumps aside."""
    pitch = rules.board + 3
    screened = state[GROUP_COUNT + 8 * side + u.SCREENED] > 0
    for d in range(8):
        step = u.STEP_X[d] + u.STEP_Y[d] * pitch
        back = u.OPPOSITE[d] if side == 0 else d
        cell = target + step
        word = state[cell]
        if word == 0:
            while word == 0:
                cell += step
                word = state[cell]
            if belongs(word, side) and (u.RIDE_TAKES[kind_of(word)] >> back) & 1:
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
            if belongs(word, side) and (kind == u.CANNON or (kind == u.HOPPER and screen != u.HOPPER)):
                return True
    if state[GROUP_COUNT + 8 * side + u.LEAPERS] > 0:
        turned = 1 - 2 * side
        for i in range(20):
            cell = target - turned * (u.LEAP_X[i] + u.LEAP_Y[i] * pitch)
            word = state[cell]
            leaps = belongs(word, side) and (u.LEAPING[kind_of(word)] >> i) & 1
            if leaps and (not u.LAME[kind_of(word)] or unblocked(rules, state, side, cell, i)):
                return True
    return False


@inline_ir
def unblocked(rules: Any, state: Any, side: int, cell: int, leap: int) -> bool:
    """Return whether the cells that a lame leap from ``cell`` passes are empty."""
    turned, pitch = 1 - 2 * side, rules.board + 3
    near = cell + turned * (u.LEGS[leap, 0] + u.LEGS[leap, 1] * pitch)
    far = cell + turned * (u.LEGS[leap, 2] + u.LEGS[leap, 3] * pitch)
    return state[near] == 0 and state[far] == 0


@inline_ir
def facing(rules: Any, state: Any, kind: int) -> bool:
    """Return whether both kings are of this kind and look at each other along an open column."""
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
def generals_face(rules: Any, state: Any) -> bool:
    """Return whether two 帥 face each other where that is forbidden."""
    return rules.facing_generals == TOGGLES.facing_generals.forbidden and facing(rules, state, u.XIANGQI_KING)


@njit
def bikjang(rules: Any, state: Any) -> bool:
    """Return whether two 楚 face each other where that may be a draw."""
    return rules.bikjang == TOGGLES.bikjang.draw and facing(rules, state, u.JANGGI_KING)


@njit
def enclosed(rules: Any, state: Any, start: int, cells: Any) -> int:
    """The size of the group at ``start`` if the enemy's 碁 alone enclose it, which then is in ``cells``; else 0."""
    first = state[start]
    side = side_of(first)
    stones_only = rules.go_capture == TOGGLES.go_capture.go_stones_only
    if rules.go_capture == TOGGLES.go_capture.off or (stones_only and kind_of(first) != u.GO_STONE):
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
                if stones_only and kind != u.GO_STONE:
                    shut = False
                    break
                state[cell] = word | MARK
                cells[count] = cell
                count += 1
            elif kind == u.GO_STONE:
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
    """How many empty cells there are next to the group at ``start``, counted up to ``enough``, which is 2 or 3.

    An enemy unit other than 碁 next to it can never be shut in with it: that is enough, too.
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
                elif kind_of(word) != u.GO_STONE:
                    found = enough
        done += 1
    for i in range(count):
        state[cells[i]] &= ~MARK
    return min(found, enough)


@inline_ir
def flies(rules: Any, kind: int) -> bool:
    """Return whether a draughts unit moves and jumps any distance."""
    return kind == u.CROWN and rules.crown != TOGGLES.crown.short


@njit
def jump_beside(rules: Any, state: Any, cell: int) -> bool:
    """Return whether the draughts unit on ``cell`` can jump something."""
    word = state[cell]
    side, far = side_of(word), flies(rules, kind_of(word))
    for d in range(4, 8):
        step = step_of(rules, d)
        over = cell + step
        while far and state[over] == 0:
            over += step
        if belongs(state[over], 1 - side) and state[over + step] == 0:
            return True
    return False


MOST_JUMPS = 120
"""Jumps in a row that are followed."""
MOST_CHAINS = 512
"""Different chains of one unit that are told apart."""
MOST_TRIES = 20_000
"""Jumps that are tried for one unit: crowns among many scattered stones have chains without number."""


@njit
def chains(
    rules: Any, state: Any, origin: int, prey: int, end: int, wanted: int, ends: Any, sizes: Any, victims: Any
) -> int:
    """The different chains of jumps of the unit on ``origin``, each followed while it can go on; returns their number.

    Chains are different if they end elsewhere or jump other units. ``ends`` gets where each ends, ``sizes`` how many
    units it jumps. With a ``prey`` (a cell, else 0) the search returns 1 as soon as a jump leads over that cell, else
    0. With an ``end`` (else 0), it stops at the chain number ``wanted`` of those that end there: ``victims`` gets the
    cells jumped, and their number is returned.
    """
    piece = state[origin]
    side, far = side_of(piece), flies(rules, kind_of(piece))
    at, way, landing = scratch(MOST_JUMPS), scratch(MOST_JUMPS), scratch(MOST_JUMPS)
    over, jumped = scratch(MOST_JUMPS), scratch(MOST_JUMPS)
    hashes = scratch(MOST_CHAINS)
    state[origin] = 0
    depth, count, hashed, tries, answer = 0, 0, 0, 0, -1
    at[0], way[0], landing[0], jumped[0] = origin, 3, 0, 0
    while depth >= 0:
        # The next jump at this depth: a farther landing of the same jump, or another direction.
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
