"""What a move of the mixed game does to the board, whether a king could be taken, and so which moves are legal.

A move is 31 bits: ``to | from << 10 | type << 20 | extra << 22``. A drop has the kind of unit in ``from``; ``extra`` is
the kind that a move promotes to (0: none), or tells chains of jumps apart that begin and end alike.
"""

from __future__ import annotations

from typing import Any

from workbench.engine.jit import inline_ir, njit, scratch
from workbench.games.rengo import kernel_board as b
from workbench.games.rengo import kernel_units as u
from workbench.games.rengo.kernel_board import LARGEST_STATE, MOST_CELLS, MOST_CHAINS, MOST_JUMPS, TOGGLES

DROP, MOVE, JUMP, PASS = 0, 1, 2, 3
"""Types of moves."""
THE_PASS = PASS << 20

IMPOSSIBLE, EXPOSED, LEGAL = 0, 1, 2
"""What `tried` says of a move: against the rules of its unit or cell, leaving the own king capturable, or legal."""


@inline_ir
def type_of(move: int) -> int:
    """Return a move's type."""
    return (move >> 20) & 3


@inline_ir
def from_of(move: int) -> int:
    """Where a move begins; the kind of unit of a drop."""
    return (move >> 10) & 1023


@inline_ir
def to_of(move: int) -> int:
    """Where a move ends."""
    return move & 1023


@inline_ir
def turns_over(rules: Any, word: int, side: int) -> bool:
    """Return whether 翻 of the enemy of ``side`` can turn this unit of ``side``."""
    kind = b.kind_of(word)
    if not b.belongs(word, side):
        return False
    if rules.othello_flip == TOGGLES.othello_flip.stones_only:
        return kind == u.OTHELLO_STONE
    return kind > u.KINGS or rules.flip_king == TOGGLES.flip_king.captured


@njit
def bracketed(rules: Any, state: Any, side: int, cell: int, cells: Any) -> int:
    """Return the number of enemy units that 翻 of ``side`` dropped on ``cell`` turns over; ``cells`` gets them."""
    count = 0
    for d in range(8):
        step = b.step_of(rules, d)
        at = cell + step
        length = 0
        while turns_over(rules, state[at], 1 - side):
            cells[count + length] = at
            length += 1
            at += step
        if length > 0 and b.belongs(state[at], side) and b.kind_of(state[at]) == u.OTHELLO_STONE:
            count += length
    return count


@inline_ir
def may_turn(rules: Any, state: Any, side: int) -> bool:
    """Return whether a 翻 that ``side`` drops must bracket something."""
    return rules.othello_flip != TOGGLES.othello_flip.off and state[b.GROUP_COUNT + 8 * side + u.STONES_OF_OTHELLO] > 0


@njit
def apply(rules: Any, state: Any, move: int, changed: Any) -> int:
    """Does to the board, hands, prisoners and ko what a move does; the turn stays.

    Returns how many cells have a unit of the mover that was not there before, or not his; ``changed`` gets them, the
    one where the move ends first.
    """
    side, kind_of_move, origin, cell = state[b.TURN], type_of(move), from_of(move), to_of(move)
    state[b.KO] = 0
    if kind_of_move == PASS:
        return 0
    changed[0] = cell
    count = 1
    if kind_of_move == MOVE:
        promoted = move >> 22
        kind = promoted if promoted != 0 else b.kind_of(state[origin])
        if state[cell] != 0:
            b.capture(rules, state, cell)
        b.lift(rules, state, origin)
        b.put(rules, state, cell, side, kind)
        return 1
    if kind_of_move == JUMP:
        ends, sizes, victims = scratch(MOST_CHAINS), scratch(MOST_CHAINS), scratch(MOST_JUMPS)
        kind = b.kind_of(state[origin])
        number = b.chains(rules, state, origin, 0, cell, move >> 22, ends, sizes, victims)
        for i in range(number):
            b.capture(rules, state, victims[i])
        b.lift(rules, state, origin)
        if kind == u.MAN and b.from_rank(rules, side, cell, rules.board):
            kind = u.CROWN
        b.put(rules, state, cell, side, kind)
        return 1
    if origin == u.OTHELLO_STONE and may_turn(rules, state, side):
        turned = scratch(MOST_CELLS)
        number = bracketed(rules, state, side, cell, turned)
        for i in range(number):
            kind = b.kind_of(state[turned[i]])
            if kind <= u.KINGS:
                b.capture(rules, state, turned[i])
                continue
            b.lift(rules, state, turned[i])
            b.put(rules, state, turned[i], side, kind)
            changed[count] = turned[i]
            count += 1
    b.put(rules, state, cell, side, origin)
    b.add_to_hand(state, side, u.SLOT[origin], -1)
    if rules.go_capture != TOGGLES.go_capture.off and (origin == u.GO_STONE or count > 1):
        _enclose(rules, state, side, changed, count)
    return count


@njit
def _enclose(rules: Any, state: Any, side: int, changed: Any, count: int) -> None:
    """Take the enemy's groups that the mover's 碁 on changed cells complete the enclosure of; notes ko."""
    cells = scratch(MOST_CELLS)
    taken, last = 0, 0
    for i in range(count):
        if b.kind_of(state[changed[i]]) != u.GO_STONE:
            continue
        for d in range(4):
            start = changed[i] + b.step_of(rules, d)
            if b.belongs(state[start], 1 - side):
                size = b.enclosed(rules, state, start, cells)
                for k in range(size):
                    b.capture(rules, state, cells[k])
                taken += size
                last = start if size > 0 else last
    if taken == 1 and rules.ko == TOGGLES.ko.forbidden:
        alone, open_cells = True, 0
        for d in range(4):
            word = state[changed[0] + b.step_of(rules, d)]
            open_cells += word == 0
            alone &= not b.belongs(word, side)
        beside = False
        for d in range(4):
            beside |= changed[0] + b.step_of(rules, d) == last
        if alone and open_cells == 1 and beside:
            state[b.KO] = last


@njit
def completes_five(rules: Any, state: Any, side: int, cell: int) -> bool:
    """Return whether five or more of the stones that count stand in line through ``cell``."""
    if rules.five == TOGGLES.five.off:
        return False
    lowest_kind = u.GO_STONE if rules.five == TOGGLES.five.any_own_stones else u.RENJU_STONE
    if not b.belongs(state[cell], side) or b.kind_of(state[cell]) < lowest_kind:
        return False
    for d in (0, 2, 4, 5):
        step = b.step_of(rules, d)
        length = 1
        at = cell + step
        while b.belongs(state[at], side) and b.kind_of(state[at]) >= lowest_kind:
            length += 1
            at += step
        at = cell - step
        while b.belongs(state[at], side) and b.kind_of(state[at]) >= lowest_kind:
            length += 1
            at -= step
        if length >= 5:
            return True
    return False


@njit
def has_five(rules: Any, state: Any, side: int, changed: Any, count: int) -> bool:
    """Return whether one of the changed cells completes five."""
    if rules.five == TOGGLES.five.off:
        return False
    stones = state[b.GROUP_COUNT + 8 * side + u.STONES_OF_RENJU]
    if rules.five == TOGGLES.five.any_own_stones:
        stones += (
            state[b.GROUP_COUNT + 8 * side + u.STONES_OF_GO] + state[b.GROUP_COUNT + 8 * side + u.STONES_OF_OTHELLO]
        )
    if stones < 5:
        return False
    completed = False
    for i in range(count):
        completed = completed or completes_five(rules, state, side, changed[i])
    return completed


@njit
def _jumped(rules: Any, state: Any, side: int, king: int) -> bool:
    """Return whether draughts units of ``side`` could jump over the enemy king."""
    beside = False
    for d in (4, 5):
        one, other = state[king + b.step_of(rules, d)], state[king - b.step_of(rules, d)]
        one_free = one == 0 or (b.belongs(one, side) and b.kind_of(one) in (u.MAN, u.CROWN))
        other_free = other == 0 or (b.belongs(other, side) and b.kind_of(other) in (u.MAN, u.CROWN))
        beside |= one_free and other_free
    if not beside:
        return False
    ends, sizes, victims = scratch(MOST_CHAINS), scratch(MOST_CHAINS), scratch(MOST_JUMPS)
    for place in range(state[b.MOVERS + side]):
        cell = state[b.listed(rules, side, place)]
        kind = b.kind_of(state[cell])
        if kind in (u.MAN, u.CROWN) and b.chains(rules, state, cell, king, 0, 0, ends, sizes, victims) > 0:
            return True
    return False


@njit
def _turned_or_shut_in(rules: Any, state: Any, side: int, king: int) -> bool:
    """Whether a 翻 that ``side`` drops could take the enemy king: by bracketing it, or by turning what surrounds it."""
    take = rules.flip_king == TOGGLES.flip_king.captured and rules.othello_flip == TOGGLES.othello_flip.all_units
    if take:
        for d in (0, 2, 4, 5):
            step = b.step_of(rules, d)
            one = king + step
            while turns_over(rules, state[one], 1 - side):
                one += step
            other = king - step
            while turns_over(rules, state[other], 1 - side):
                other -= step
            here, there = state[one], state[other]
            if here == 0 and b.belongs(there, side) and b.kind_of(there) == u.OTHELLO_STONE:
                return True
            if there == 0 and b.belongs(here, side) and b.kind_of(here) == u.OTHELLO_STONE:
                return True
    # Only a king that has neither an empty cell nor an enemy other than 碁 beside it can be shut in by turning stones.
    stones = False
    for d in range(4):
        word = state[king + b.step_of(rules, d)]
        kind = b.kind_of(word)
        if word == 0 or (b.belongs(word, side) and kind != u.GO_STONE):
            return False
        stones |= b.belongs(word, 1 - side) and kind == u.GO_STONE
    if (
        not stones
        or rules.go_capture != TOGGLES.go_capture.all_units
        or rules.othello_flip != TOGGLES.othello_flip.all_units
    ):
        return False
    cells, group = scratch(MOST_CELLS), scratch(MOST_CELLS)
    n = rules.board
    shut_in = False
    for y in range(n):
        for x in range(n):
            cell = b.BOARD + (n + 3) * (y + 3) + x + 3
            if state[cell] != 0 or shut_in:
                continue
            count = bracketed(rules, state, side, cell, cells)
            if count == 0:
                continue
            # Tried out on the words of the cells alone: side is bit 6.
            state[cell] = u.OTHELLO_STONE | side << 6
            for i in range(count):
                state[cells[i]] ^= 64
            shut_in = b.enclosed(rules, state, king, group) > 0
            for i in range(count):
                state[cells[i]] ^= 64
            state[cell] = 0
    return shut_in


@njit
def capturable(rules: Any, state: Any, side: int) -> bool:
    """Return whether some move of the enemy would take the king of ``side``.

    The enemy's own king, the draughts duty, ko and forbidden cells do not matter.
    """
    king, enemy = state[b.KING + side], 1 - side
    if king == 0:
        return False
    if b.attacked(rules, state, enemy, king) or b.generals_face(rules, state):
        return True
    if state[b.GROUP_COUNT + 8 * enemy + u.JUMPERS] > 0 and _jumped(rules, state, enemy, king):
        return True
    stones = state[b.HAND + u.SLOTS * enemy + u.SLOT[u.GO_STONE]]
    if rules.go_capture == TOGGLES.go_capture.all_units and stones > 0 and b.liberties(rules, state, king, 2) == 1:
        return True
    if state[b.HAND + u.SLOTS * enemy + u.SLOT[u.OTHELLO_STONE]] > 0 and may_turn(rules, state, enemy):
        return _turned_or_shut_in(rules, state, enemy, king)
    return False


@njit
def size_of_state(rules: Any) -> int:
    """Return the words of a state."""
    return b.lists(rules) + rules.board * rules.board


@njit
def _own_shut_in(rules: Any, state: Any, side: int, changed: Any, count: int) -> bool:
    """Return whether the mover's own group at one of the changed cells is enclosed by the enemy's 碁."""
    if rules.go_capture == TOGGLES.go_capture.off or state[b.GROUP_COUNT + 8 * (1 - side) + u.STONES_OF_GO] == 0:
        return False
    cells = scratch(MOST_CELLS)
    shut_in = False
    for i in range(count):
        shut_in = shut_in or b.enclosed(rules, state, changed[i], cells) > 0
    return shut_in


@njit
def _tried_in_full(rules: Any, state: Any, move: int) -> int:
    """As `tried`, by doing the move on a copy."""
    copy, changed = scratch(LARGEST_STATE), scratch(MOST_CELLS)
    for i in range(size_of_state(rules)):
        copy[i] = state[i]
    side = state[b.TURN]
    count = apply(rules, copy, move, changed)
    if copy[b.RESULT] != state[b.RESULT]:
        return LEGAL
    if _own_shut_in(rules, copy, side, changed, count):
        return IMPOSSIBLE
    if rules.five_ignores_check and has_five(rules, copy, side, changed, count):
        return LEGAL
    return EXPOSED if capturable(rules, copy, side) else LEGAL


@njit
def _completes_enclosure(rules: Any, state: Any, side: int, cell: int) -> bool:
    """Return whether the 碁 of ``side`` on ``cell`` leaves an enemy group beside it enclosed."""
    cells = scratch(MOST_CELLS)
    for d in range(4):
        beside = cell + b.step_of(rules, d)
        if b.belongs(state[beside], 1 - side) and b.enclosed(rules, state, beside, cells) > 0:
            return True
    return False


@njit
def shuts_in(rules: Any, state: Any, side: int, cell: int) -> bool:
    """Return whether a 碁 that ``side`` drops on an empty cell completes the enclosure of an enemy group."""
    state[cell] = u.GO_STONE | side << 6
    completes = _completes_enclosure(rules, state, side, cell)
    state[cell] = 0
    return completes


TURNS, BESIDE = 1, 2
"""Marks of an empty cell: 翻 dropped there turns enemy units over; an enemy unit stands beside it."""


@njit
def mark_takings(rules: Any, state: Any, side: int, turns: bool, beside: bool, marks: Any) -> None:
    """Mark the empty cells where a stone that ``side`` drops may take or turn enemy units, as far as is asked.

    ``marks`` has a word for each of the state; what it says of cells that are not empty means nothing.
    """
    for i in range(size_of_state(rules)):
        marks[i] = 0
    for y in range(rules.board):
        start = b.cell_at(rules, 0, y)
        for cell in range(start, start + rules.board):
            word = state[cell]
            if beside and b.belongs(word, 1 - side):
                for d in range(4):
                    marks[cell + b.step_of(rules, d)] |= BESIDE
            if turns and b.belongs(word, side) and b.kind_of(word) == u.OTHELLO_STONE:
                for d in range(8):
                    step = b.step_of(rules, d)
                    end = cell + step
                    while turns_over(rules, state[end], 1 - side):
                        end += step
                    if end != cell + step and state[end] == 0:
                        marks[end] |= TURNS


@njit
def tried(rules: Any, state: Any, move: int) -> int:
    """What becomes of a move that its unit can make: `IMPOSSIBLE`, `EXPOSED` or `LEGAL`.

    The draughts duty and mate by a dropped 歩 are not looked at.
    """
    side, kind_of_move, origin, cell = state[b.TURN], type_of(move), from_of(move), to_of(move)
    if kind_of_move == PASS:
        return EXPOSED if capturable(rules, state, side) else LEGAL
    if kind_of_move == DROP:
        return dropped(rules, state, move, False)
    if cell == state[b.KO]:
        return IMPOSSIBLE
    if kind_of_move == JUMP:
        return _tried_in_full(rules, state, move)
    changed = scratch(1)
    changed[0] = cell
    # Tried out on the words of two cells: lists, counts and hands do not matter for attacks.
    piece, target = state[origin], state[cell]
    king = state[b.KING + side]
    state[origin] = 0
    state[cell] = piece
    if origin == king:
        state[b.KING + side] = cell
    if b.belongs(target, 1 - side) and b.kind_of(target) <= u.KINGS:
        answer = LEGAL
    elif _own_shut_in(rules, state, side, changed, 1):
        answer = IMPOSSIBLE
    else:
        answer = EXPOSED if capturable(rules, state, side) else LEGAL
    state[b.KING + side] = king
    state[cell] = target
    state[origin] = piece
    return answer


@njit
def dropped(rules: Any, state: Any, move: int, safe: bool) -> int:
    """What becomes of a drop that `droppable` allows, as `tried` says.

    ``safe``: `drops_are_safe` has said that the own king need be looked at only if the drop is beside it.
    """
    side, kind, cell = state[b.TURN], from_of(move), to_of(move)
    if cell == state[b.KO]:
        return IMPOSSIBLE
    if kind == u.OTHELLO_STONE and may_turn(rules, state, side):
        return _tried_in_full(rules, state, move)
    changed = scratch(1)
    changed[0] = cell
    state[cell] = kind | side << 6
    if kind == u.GO_STONE and _completes_enclosure(rules, state, side, cell):
        state[cell] = 0
        return _tried_in_full(rules, state, move)
    answer = LEGAL
    if _own_shut_in(rules, state, side, changed, 1):
        answer = IMPOSSIBLE
    elif not safe or _beside(rules, state[b.KING + side], cell):
        wins = rules.five_ignores_check and completes_five(rules, state, side, cell)
        if not wins and capturable(rules, state, side):
            answer = EXPOSED
    state[cell] = 0
    return answer


@inline_ir
def _beside(rules: Any, cell: int, other: int) -> bool:
    """Return whether two cells share an edge."""
    return abs(cell - other) in (1, rules.board + 3)


@njit
def drops_are_safe(rules: Any, state: Any, side: int) -> bool:
    """Whether no drop of ``side`` that takes and turns nothing leaves its own king capturable, unless beside the king.

    A dropped unit blocks lines. It could harm only as a screen, as something to jump over, as the end of a row that is
    turned, or on one of the last liberties of the king's group.
    """
    king, enemy = state[b.KING + side], 1 - side
    if king == 0:
        return True
    counts, held = b.GROUP_COUNT + 8 * enemy, b.HAND + u.SLOTS * enemy
    if state[counts + u.SCREENED] > 0 or state[counts + u.JUMPERS] > 0:
        return False
    if state[held + u.SLOT[u.OTHELLO_STONE]] > 0 and may_turn(rules, state, enemy):
        # With an empty cell beside it the king cannot be shut in by turning stones.
        free = False
        for d in range(4):
            free |= state[king + b.step_of(rules, d)] == 0
        if not free or rules.flip_king == TOGGLES.flip_king.captured:
            return False
    shuts = rules.go_capture == TOGGLES.go_capture.all_units and state[held + u.SLOT[u.GO_STONE]] > 0
    return not (shuts and b.liberties(rules, state, king, 3) < 3) and not capturable(rules, state, side)


@njit
def droppable(rules: Any, state: Any, side: int, kind: int, cell: int) -> bool:
    """Return whether a unit may be dropped on an empty cell as far as its own kind is concerned."""
    if kind == u.OTHELLO_STONE:
        return not may_turn(rules, state, side) or bracketed(rules, state, side, cell, scratch(MOST_CELLS)) > 0
    if kind == u.RENJU_STONE:
        return b.from_rank(rules, side, cell, rules.board // 2 + 1)
    return can_move_on(rules, side, kind, cell) and not (kind == u.PAWN and _second_pawn(rules, state, side, cell))


@inline_ir
def can_move_on(rules: Any, side: int, kind: int, cell: int) -> bool:
    """Return whether a unit could ever move again: not 歩 and 香 on the last row, nor 桂 on the last two."""
    return not b.from_rank(rules, side, cell, rules.board + 1 - u.LAST_ROWS[kind])


@njit
def _second_pawn(rules: Any, state: Any, side: int, cell: int) -> bool:
    """Return whether an own 歩 stands on the column of ``cell``."""
    pitch = rules.board + 3
    for step in (-pitch, pitch):
        at = cell + step
        while state[at] != b.WALL:
            if (state[at] & 127) == (u.PAWN | side << 6):
                return True
            at += step
    return False
