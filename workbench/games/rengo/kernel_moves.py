"""Moves of the mixed game: generation, effects and legality.

A move is 31 bits: ``to | from << 10 | type << 20 | extra << 22``. A drop has the kind of unit in ``from``; ``extra`` is
the kind to which a move promotes (0: none), or distinguishes jump chains with the same ends.
"""

from __future__ import annotations

from typing import Any

from workbench.engine.contract import BOOL, INT, STATE, separately_compiled
from workbench.engine.jit import inline_ir, njit, scratch
from workbench.games.rengo import kernel_board as b
from workbench.games.rengo import rules as r
from workbench.games.rengo.kernel_board import LARGEST_STATE, MOST_CELLS, MOST_CHAINS, MOST_JUMPS, TOGGLES

DROP, MOVE, JUMP, PASS = 0, 1, 2, 3
"""Types of moves."""
THE_PASS = PASS << 20

IMPOSSIBLE, EXPOSED, LEGAL = 0, 1, 2
"""Values of `move_status`: a move forbidden for its unit or cell, one that exposes the king, or a legal move."""


@inline_ir
def move_type(move: int) -> int:
    """Return a move's type."""
    return (move >> 20) & 3


@inline_ir
def move_origin(move: int) -> int:
    """Return a move's origin, or a drop's kind of unit."""
    return (move >> 10) & 1023


@inline_ir
def move_target(move: int) -> int:
    """Return a move's target cell."""
    return move & 1023


@inline_ir
def can_flip(rules: Any, word: int, side: int) -> bool:
    """Return whether a cell's word is a unit of ``side`` that enemy 翻 can flip."""
    kind = b.kind_of(word)
    if not b.belongs(word, side):
        return False
    if rules.othello_flip == TOGGLES.othello_flip.stones_only:
        return kind == b.OTHELLO_STONE
    return kind > b.KINGS or rules.flip_king == TOGGLES.flip_king.captured


@njit
def find_bracketed(rules: Any, state: Any, side: int, cell: int, cells: Any) -> int:
    """Fill ``cells`` with the enemy units that a 翻 of ``side`` on ``cell`` flips, and return their number."""
    count = 0
    for d in range(8):
        step = b.step_of(rules, d)
        target = cell + step
        length = 0
        while can_flip(rules, state[target], 1 - side):
            cells[count + length] = target
            length += 1
            target += step
        if length > 0 and b.belongs(state[target], side) and b.kind_of(state[target]) == b.OTHELLO_STONE:
            count += length
    return count


@inline_ir
def must_bracket(rules: Any, state: Any, side: int) -> bool:
    """Return whether a 翻 dropped by ``side`` must bracket enemy units."""
    return rules.othello_flip != TOGGLES.othello_flip.off and state[b.GROUP_COUNT + 8 * side + b.OTHELLO_STONES] > 0


@njit
def apply_move(rules: Any, state: Any, move: int, changed: Any) -> int:
    """Apply a move to the board, hands, prisoners and ko, without changing the side to move.

    Fills ``changed`` with the cells that have a new unit of the mover, the target first, and returns their number.
    """
    side, action, origin, cell = state[b.TURN], move_type(move), move_origin(move), move_target(move)
    state[b.KO] = 0
    if action == PASS:
        return 0
    changed[0] = cell
    count = 1
    if action == MOVE:
        promoted = move >> 22
        kind = promoted if promoted != 0 else b.kind_of(state[origin])
        if state[cell] != 0:
            b.capture(rules, state, cell)
        b.lift(rules, state, origin)
        b.put(rules, state, cell, side, kind)
        return 1
    if action == JUMP:
        ends, sizes, victims = scratch(MOST_CHAINS), scratch(MOST_CHAINS), scratch(MOST_JUMPS)
        kind = b.kind_of(state[origin])
        number = b.find_jump_chains(rules, state, origin, 0, cell, move >> 22, ends, sizes, victims)
        for i in range(number):
            b.capture(rules, state, victims[i])
        b.lift(rules, state, origin)
        if kind == b.MAN and b.from_rank(rules, side, cell, rules.board):
            kind = b.CROWN
        b.put(rules, state, cell, side, kind)
        return 1
    if origin == b.OTHELLO_STONE and must_bracket(rules, state, side):
        flipped = scratch(MOST_CELLS)
        number = find_bracketed(rules, state, side, cell, flipped)
        for i in range(number):
            kind = b.kind_of(state[flipped[i]])
            if kind <= b.KINGS:
                b.capture(rules, state, flipped[i])
                continue
            b.lift(rules, state, flipped[i])
            b.put(rules, state, flipped[i], side, kind)
            changed[count] = flipped[i]
            count += 1
    b.put(rules, state, cell, side, origin)
    b.add_to_hand(state, side, b.SLOT[origin], -1)
    if rules.go_capture != TOGGLES.go_capture.off and (origin == b.GO_STONE or count > 1):
        _capture_enclosed(rules, state, side, changed, count)
    return count


@njit
def _capture_enclosed(rules: Any, state: Any, side: int, changed: Any, count: int) -> None:
    """Capture the enclosed enemy groups adjacent to 碁 on changed cells, and record ko."""
    cells = scratch(MOST_CELLS)
    captured, last_captured = 0, 0
    for i in range(count):
        if b.kind_of(state[changed[i]]) != b.GO_STONE:
            continue
        for d in range(4):
            neighbour = changed[i] + b.step_of(rules, d)
            if b.belongs(state[neighbour], 1 - side):
                size = b.enclosed(rules, state, neighbour, cells)
                for k in range(size):
                    b.capture(rules, state, cells[k])
                captured += size
                last_captured = neighbour if size > 0 else last_captured
    if captured == 1 and rules.ko == TOGGLES.ko.forbidden:
        isolated, open_cells = True, 0
        for d in range(4):
            word = state[changed[0] + b.step_of(rules, d)]
            open_cells += word == 0
            isolated &= not b.belongs(word, side)
        adjacent = False
        for d in range(4):
            adjacent |= changed[0] + b.step_of(rules, d) == last_captured
        if isolated and open_cells == 1 and adjacent:
            state[b.KO] = last_captured


@njit
def completes_five(rules: Any, state: Any, side: int, cell: int) -> bool:
    """Return whether ``cell`` is in a line of at least five stones that count."""
    if rules.five == TOGGLES.five.off:
        return False
    lowest_kind = b.GO_STONE if rules.five == TOGGLES.five.any_own_stones else b.RENJU_STONE
    if not b.belongs(state[cell], side) or b.kind_of(state[cell]) < lowest_kind:
        return False
    for d in (0, 2, 4, 5):
        step = b.step_of(rules, d)
        length = 1
        neighbour = cell + step
        while b.belongs(state[neighbour], side) and b.kind_of(state[neighbour]) >= lowest_kind:
            length += 1
            neighbour += step
        neighbour = cell - step
        while b.belongs(state[neighbour], side) and b.kind_of(state[neighbour]) >= lowest_kind:
            length += 1
            neighbour -= step
        if length >= 5:
            return True
    return False


@njit
def makes_five(rules: Any, state: Any, side: int, changed: Any, count: int) -> bool:
    """Return whether a stone on any of the changed cells completes five in a row."""
    if rules.five == TOGGLES.five.off:
        return False
    stones = state[b.GROUP_COUNT + 8 * side + b.RENJU_STONES]
    if rules.five == TOGGLES.five.any_own_stones:
        stones += state[b.GROUP_COUNT + 8 * side + b.GO_STONES] + state[b.GROUP_COUNT + 8 * side + b.OTHELLO_STONES]
    if stones < 5:
        return False
    completed = False
    for i in range(count):
        completed = completed or completes_five(rules, state, side, changed[i])
    return completed


@njit
def _king_can_be_jumped(rules: Any, state: Any, side: int, king: int) -> bool:
    """Return whether draughts units of ``side`` could jump over the enemy king."""
    has_line = False
    for d in (4, 5):
        front, back = state[king + b.step_of(rules, d)], state[king - b.step_of(rules, d)]
        front_free = front == 0 or (b.belongs(front, side) and b.kind_of(front) in (b.MAN, b.CROWN))
        back_free = back == 0 or (b.belongs(back, side) and b.kind_of(back) in (b.MAN, b.CROWN))
        has_line |= front_free and back_free
    if not has_line:
        return False
    ends, sizes, victims = scratch(MOST_CHAINS), scratch(MOST_CHAINS), scratch(MOST_JUMPS)
    for place in range(state[b.MOVERS + side]):
        cell = state[b.list_word(rules, side, place)]
        kind = b.kind_of(state[cell])
        if kind in (b.MAN, b.CROWN) and b.find_jump_chains(rules, state, cell, king, 0, 0, ends, sizes, victims) > 0:
            return True
    return False


@njit
def _flips_capture_king(rules: Any, state: Any, side: int, king: int) -> bool:
    """Return whether ``side`` could capture the enemy king by dropping a 翻: bracketed, or enclosed after flips."""
    captures = rules.flip_king == TOGGLES.flip_king.captured and rules.othello_flip == TOGGLES.othello_flip.all_units
    if captures:
        for d in (0, 2, 4, 5):
            step = b.step_of(rules, d)
            front = king + step
            while can_flip(rules, state[front], 1 - side):
                front += step
            back = king - step
            while can_flip(rules, state[back], 1 - side):
                back -= step
            front_word, back_word = state[front], state[back]
            if front_word == 0 and b.belongs(back_word, side) and b.kind_of(back_word) == b.OTHELLO_STONE:
                return True
            if back_word == 0 and b.belongs(front_word, side) and b.kind_of(front_word) == b.OTHELLO_STONE:
                return True
    # Flips cannot enclose a king that has an adjacent empty cell or enemy unit other than 碁.
    has_stone = False
    for d in range(4):
        word = state[king + b.step_of(rules, d)]
        kind = b.kind_of(word)
        if word == 0 or (b.belongs(word, side) and kind != b.GO_STONE):
            return False
        has_stone |= b.belongs(word, 1 - side) and kind == b.GO_STONE
    if (
        not has_stone
        or rules.go_capture != TOGGLES.go_capture.all_units
        or rules.othello_flip != TOGGLES.othello_flip.all_units
    ):
        return False
    cells, group = scratch(MOST_CELLS), scratch(MOST_CELLS)
    n = rules.board
    is_enclosed = False
    for y in range(n):
        for x in range(n):
            cell = b.BOARD + (n + 3) * (y + 3) + x + 3
            if state[cell] != 0 or is_enclosed:
                continue
            count = find_bracketed(rules, state, side, cell, cells)
            if count == 0:
                continue
            # The trial changes only the words of cells, in which bit 6 is the side.
            state[cell] = b.OTHELLO_STONE | side << 6
            for i in range(count):
                state[cells[i]] ^= 64
            is_enclosed = b.enclosed(rules, state, king, group) > 0
            for i in range(count):
                state[cells[i]] ^= 64
            state[cell] = 0
    return is_enclosed


@njit
def capturable(rules: Any, state: Any, side: int) -> bool:
    """Return whether an enemy move could capture the king of ``side``.

    The enemy king's safety, the draughts duty, ko and forbidden cells are ignored.
    """
    king, enemy = state[b.KING + side], 1 - side
    if king == 0:
        return False
    if b.attacked(rules, state, enemy, king) or b.generals_facing(rules, state):
        return True
    if state[b.GROUP_COUNT + 8 * enemy + b.JUMPERS] > 0 and _king_can_be_jumped(rules, state, enemy, king):
        return True
    stones = state[b.HAND + b.SLOTS * enemy + b.SLOT[b.GO_STONE]]
    if rules.go_capture == TOGGLES.go_capture.all_units and stones > 0 and b.liberties(rules, state, king, 2) == 1:
        return True
    if state[b.HAND + b.SLOTS * enemy + b.SLOT[b.OTHELLO_STONE]] > 0 and must_bracket(rules, state, enemy):
        return _flips_capture_king(rules, state, enemy, king)
    return False


@njit
def state_size(rules: Any) -> int:
    """Return the number of words in a state."""
    return b.lists_start(rules) + rules.board * rules.board


@njit
def _is_self_enclosed(rules: Any, state: Any, side: int, changed: Any, count: int) -> bool:
    """Return whether enemy 碁 enclose the mover's group on any of the changed cells."""
    if rules.go_capture == TOGGLES.go_capture.off or state[b.GROUP_COUNT + 8 * (1 - side) + b.GO_STONES] == 0:
        return False
    cells = scratch(MOST_CELLS)
    is_enclosed = False
    for i in range(count):
        is_enclosed = is_enclosed or b.enclosed(rules, state, changed[i], cells) > 0
    return is_enclosed


@njit
def _status_on_copy(rules: Any, state: Any, move: int) -> int:
    """Return the `move_status` of a move by applying it to a copy of the state."""
    copy, changed = scratch(LARGEST_STATE), scratch(MOST_CELLS)
    for i in range(state_size(rules)):
        copy[i] = state[i]
    side = state[b.TURN]
    count = apply_move(rules, copy, move, changed)
    if copy[b.RESULT] != state[b.RESULT]:
        return LEGAL
    if _is_self_enclosed(rules, copy, side, changed, count):
        return IMPOSSIBLE
    if rules.five_ignores_check and makes_five(rules, copy, side, changed, count):
        return LEGAL
    return EXPOSED if capturable(rules, copy, side) else LEGAL


@njit
def _completes_enclosure(rules: Any, state: Any, side: int, cell: int) -> bool:
    """Return whether the 碁 of ``side`` on ``cell`` completes the enclosure of an adjacent enemy group."""
    cells = scratch(MOST_CELLS)
    for d in range(4):
        neighbour = cell + b.step_of(rules, d)
        if b.belongs(state[neighbour], 1 - side) and b.enclosed(rules, state, neighbour, cells) > 0:
            return True
    return False


@njit
def encloses_by_drop(rules: Any, state: Any, side: int, cell: int) -> bool:
    """Return whether dropping 碁 on an empty cell completes an enclosure for ``side``."""
    state[cell] = b.GO_STONE | side << 6
    completes = _completes_enclosure(rules, state, side, cell)
    state[cell] = 0
    return completes


FLIPS, ADJACENT = 1, 2
"""Marks of an empty cell: a 翻 dropped there flips enemy units, or an enemy unit is adjacent."""


@njit
def mark_captures(rules: Any, state: Any, side: int, flips: bool, encloses: bool, marks: Any) -> None:
    """Mark the empty cells on which a stone dropped by ``side`` may capture or flip enemy units.

    ``marks`` has a word for each word of the state; words of occupied cells are meaningless.
    """
    for i in range(state_size(rules)):
        marks[i] = 0
    for y in range(rules.board):
        start = b.cell_at(rules, 0, y)
        for cell in range(start, start + rules.board):
            word = state[cell]
            if encloses and b.belongs(word, 1 - side):
                for d in range(4):
                    marks[cell + b.step_of(rules, d)] |= ADJACENT
            if flips and b.belongs(word, side) and b.kind_of(word) == b.OTHELLO_STONE:
                for d in range(8):
                    step = b.step_of(rules, d)
                    end = cell + step
                    while can_flip(rules, state[end], 1 - side):
                        end += step
                    if end != cell + step and state[end] == 0:
                        marks[end] |= FLIPS


@njit
def move_status(rules: Any, state: Any, move: int) -> int:
    """Return the status of a pseudo-legal move: `IMPOSSIBLE`, `EXPOSED` or `LEGAL`.

    The draughts duty and mate by a dropped 歩 are ignored.
    """
    side, action, origin, cell = state[b.TURN], move_type(move), move_origin(move), move_target(move)
    if action == PASS:
        return EXPOSED if capturable(rules, state, side) else LEGAL
    if action == DROP:
        return drop_status(rules, state, move, False)
    if cell == state[b.KO]:
        return IMPOSSIBLE
    if action == JUMP:
        return _status_on_copy(rules, state, move)
    changed = scratch(1)
    changed[0] = cell
    # The trial changes only the words of two cells, since attacks do not depend on lists, counts or hands.
    piece, target = state[origin], state[cell]
    king = state[b.KING + side]
    state[origin] = 0
    state[cell] = piece
    if origin == king:
        state[b.KING + side] = cell
    if b.belongs(target, 1 - side) and b.kind_of(target) <= b.KINGS:
        status = LEGAL
    elif _is_self_enclosed(rules, state, side, changed, 1):
        status = IMPOSSIBLE
    else:
        status = EXPOSED if capturable(rules, state, side) else LEGAL
    state[b.KING + side] = king
    state[cell] = target
    state[origin] = piece
    return status


@njit
def drop_status(rules: Any, state: Any, move: int, safe: bool) -> int:
    """Return the status of a drop that `droppable` allows (see `move_status`).

    If ``safe``, as determined by `drops_are_safe`, only drops adjacent to the mover's king can expose it.
    """
    side, kind, cell = state[b.TURN], move_origin(move), move_target(move)
    if cell == state[b.KO]:
        return IMPOSSIBLE
    if kind == b.OTHELLO_STONE and must_bracket(rules, state, side):
        return _status_on_copy(rules, state, move)
    changed = scratch(1)
    changed[0] = cell
    state[cell] = kind | side << 6
    if kind == b.GO_STONE and _completes_enclosure(rules, state, side, cell):
        state[cell] = 0
        return _status_on_copy(rules, state, move)
    status = LEGAL
    if _is_self_enclosed(rules, state, side, changed, 1):
        status = IMPOSSIBLE
    elif not safe or _adjacent(rules, state[b.KING + side], cell):
        wins = rules.five_ignores_check and completes_five(rules, state, side, cell)
        if not wins and capturable(rules, state, side):
            status = EXPOSED
    state[cell] = 0
    return status


@inline_ir
def _adjacent(rules: Any, cell: int, other: int) -> bool:
    """Return whether two cells share an edge."""
    return abs(cell - other) in (1, rules.board + 3)


@njit
def drops_are_safe(rules: Any, state: Any, side: int) -> bool:
    """Return whether no drop of ``side`` can expose its king, except captures, flips and drops next to the king.

    Dropped units block lines. They can expose the king only as a screen, as a unit to jump over, as the end of a
    flipped row, or on one of the last liberties of the king's group.
    """
    king, enemy = state[b.KING + side], 1 - side
    if king == 0:
        return True
    counts, hand = b.GROUP_COUNT + 8 * enemy, b.HAND + b.SLOTS * enemy
    if state[counts + b.SCREENED] > 0 or state[counts + b.JUMPERS] > 0:
        return False
    if state[hand + b.SLOT[b.OTHELLO_STONE]] > 0 and must_bracket(rules, state, enemy):
        # Flips cannot enclose a king that has an adjacent empty cell.
        has_liberty = False
        for d in range(4):
            has_liberty |= state[king + b.step_of(rules, d)] == 0
        if not has_liberty or rules.flip_king == TOGGLES.flip_king.captured:
            return False
    can_enclose = rules.go_capture == TOGGLES.go_capture.all_units and state[hand + b.SLOT[b.GO_STONE]] > 0
    return not (can_enclose and b.liberties(rules, state, king, 3) < 3) and not capturable(rules, state, side)


@njit
def droppable(rules: Any, state: Any, side: int, kind: int, cell: int) -> bool:
    """Return whether the rules for a kind of unit allow it to be dropped on an empty cell."""
    if kind == b.OTHELLO_STONE:
        return not must_bracket(rules, state, side) or find_bracketed(rules, state, side, cell, scratch(MOST_CELLS)) > 0
    if kind == b.RENJU_STONE:
        return b.from_rank(rules, side, cell, rules.board // 2 + 1)
    return can_move_again(rules, side, kind, cell) and not (kind == b.PAWN and _doubles_pawn(rules, state, side, cell))


@inline_ir
def can_move_again(rules: Any, side: int, kind: int, cell: int) -> bool:
    """Return whether a unit could ever leave a cell: 歩 and 香 not on the last row, 桂 not on the last two."""
    return not b.from_rank(rules, side, cell, rules.board + 1 - b.LAST_ROWS[kind])


@njit
def _doubles_pawn(rules: Any, state: Any, side: int, cell: int) -> bool:
    """Return whether the side already has a 歩 in the column of ``cell``."""
    pitch = rules.board + 3
    for step in (-pitch, pitch):
        neighbour = cell + step
        while state[neighbour] != b.WALL:
            if (state[neighbour] & 127) == (b.PAWN | side << 6):
                return True
            neighbour += step
    return False


ROOM = 8192
"""The buffer size for the pseudo-legal moves of units, far above any number that occurs."""
MOST_JUMP_MOVES = 1024
MOST_MOVES = MOST_JUMP_MOVES + ROOM + b.SLOTS * MOST_CELLS + 1


@inline_ir
def _append_promotions(rules: Any, side: int, kind: int, origin: int, cell: int, out: Any, n: int) -> int:
    """Append the move from ``origin`` to ``cell`` once for each possible promotion; return the new n."""
    move = MOVE << 20 | origin << 10 | cell
    promotion, size = b.PROMOTION[kind], rules.board
    if promotion == r.KEEPS:
        out[n] = move
        return n + 1
    if promotion == r.PROMOTES_AT_WILL:
        if can_move_again(rules, side, kind, cell):
            out[n] = move
            n += 1
        if b.from_rank(rules, side, cell, size + 1 - b.SOLDIERS[size]):
            out[n] = move | b.PROMOTED[kind] << 22
            n += 1
        return n
    if promotion == r.CHOOSES_ON_LAST_ROW:
        if b.from_rank(rules, side, cell, size):
            for promoted in (b.QUEEN, b.ROOK, b.BISHOP, b.HORSE):
                out[n] = move | promoted << 22
                n += 1
            return n
        out[n] = move
        return n + 1
    if promotion == r.PROMOTES_IN_ZONE:
        rank = size + 1 - b.SOLDIERS[size]
    elif promotion == r.PROMOTES_PAST_MIDDLE:
        rank = size // 2 + 1
    else:
        rank = size
    out[n] = move | (b.PROMOTED[kind] << 22 if b.from_rank(rules, side, cell, rank) else 0)
    return n + 1


@njit
def unit_moves(rules: Any, state: Any, origin: int, out: Any, n: int) -> int:
    """Append the moves, other than jumps, of the piece on ``origin``, ignoring its king's safety; return the new n."""
    piece = state[origin]
    side, kind = (piece >> 6) & 1, b.kind_of(piece)
    pitch = rules.board + 3
    sign = 1 - 2 * side
    quiet, captures, rides, ride_captures = b.QUIET[kind], b.TAKES[kind], b.RIDES[kind], b.RIDE_TAKES[kind]
    if kind == b.CROWN and rules.crown == TOGGLES.crown.short:
        quiet, rides = rides, 0
    if (quiet | captures | rides) != 0:
        for d in range(8):
            step = sign * b.step_of(rules, d)
            cell = origin + step
            if (rides >> d) & 1:
                while state[cell] == 0:
                    n = _append_promotions(rules, side, kind, origin, cell, out, n)
                    cell += step
                if (ride_captures >> d) & 1 and b.belongs(state[cell], 1 - side):
                    n = _append_promotions(rules, side, kind, origin, cell, out, n)
                    continue
                cell = origin + step
            if state[cell] == 0:
                if (quiet >> d) & 1:
                    n = _append_promotions(rules, side, kind, origin, cell, out, n)
            elif (captures >> d) & 1 and b.belongs(state[cell], 1 - side):
                n = _append_promotions(rules, side, kind, origin, cell, out, n)
    if b.LEAPING[kind] != 0:
        for i in range(20):
            if (b.LEAPING[kind] >> i) & 1:
                cell = origin + sign * (b.LEAP_X[i] + b.LEAP_Y[i] * pitch)
                if state[cell] != 0 and not b.belongs(state[cell], 1 - side):
                    continue
                if b.LAME[kind] and not b.unblocked(rules, state, side, origin, i):
                    continue
                n = _append_promotions(rules, side, kind, origin, cell, out, n)
    if kind in (b.CANNON, b.HOPPER):
        for d in range(4):
            step = b.step_of(rules, d)
            cell = origin + step
            while state[cell] == 0:
                cell += step
            screen = b.kind_of(state[cell])
            if screen == 0 or (kind == b.HOPPER and screen == b.HOPPER):
                continue
            cell += step
            while state[cell] == 0:
                if kind == b.HOPPER:
                    n = _append_promotions(rules, side, kind, origin, cell, out, n)
                cell += step
            if b.belongs(state[cell], 1 - side) and not (kind == b.HOPPER and b.kind_of(state[cell]) == b.HOPPER):
                n = _append_promotions(rules, side, kind, origin, cell, out, n)
    return n


@njit
def side_moves(rules: Any, state: Any, side: int, out: Any) -> int:
    """Fill ``out`` with a side's moves other than jumps, ignoring its king's safety; return their number."""
    n = 0
    for place in range(state[b.MOVERS + side]):
        if n < ROOM - 1024:
            n = unit_moves(rules, state, state[b.list_word(rules, side, place)], out, n)
    return n


@njit
def can_jump(rules: Any, state: Any) -> bool:
    """Return whether a draughts unit of the side to move can jump."""
    side = state[b.TURN]
    if state[b.GROUP_COUNT + 8 * side + b.JUMPERS] == 0:
        return False
    for place in range(state[b.MOVERS + side]):
        cell = state[b.list_word(rules, side, place)]
        kind = b.kind_of(state[cell])
        if kind in (b.MAN, b.CROWN) and b.can_jump_from(rules, state, cell):
            return True
    return False


@njit
def _jumps(rules: Any, state: Any, out: Any) -> tuple[int, bool]:
    """Fill ``out`` with the legal jumps; return their number and whether a jump is obligatory."""
    side = state[b.TURN]
    ends, sizes, victims = scratch(MOST_CHAINS), scratch(MOST_CHAINS), scratch(MOST_JUMPS)
    count, longest = 0, 0
    possible = False
    for place in range(state[b.MOVERS + side]):
        cell = state[b.list_word(rules, side, place)]
        kind = b.kind_of(state[cell])
        if kind not in (b.MAN, b.CROWN) or not b.can_jump_from(rules, state, cell):
            continue
        chain_count = b.find_jump_chains(rules, state, cell, 0, 0, 0, ends, sizes, victims)
        for i in range(chain_count):
            number = 0
            for k in range(i):
                number += ends[k] == ends[i]
            if sizes[i] < longest and rules.draughts_duty != TOGGLES.draughts_duty.off:
                continue
            move = JUMP << 20 | cell << 10 | ends[i] | number << 22
            status = move_status(rules, state, move)
            if status == IMPOSSIBLE or (status == EXPOSED and rules.draughts_duty != TOGGLES.draughts_duty.above_check):
                continue
            possible = True
            if sizes[i] > longest and rules.draughts_duty != TOGGLES.draughts_duty.off:
                count = 0
            longest = max(longest, sizes[i])
            if status == LEGAL and count < MOST_JUMP_MOVES:
                out[count] = move
                count += 1
    return count, possible and rules.draughts_duty != TOGGLES.draughts_duty.off


@njit
def may_pass(rules: Any, state: Any, stuck: bool) -> bool:
    """Return whether the board allows a pass: always on go boards; if stuck on 8×8, or with a second 楚 on 15×15."""
    if rules.passing != TOGGLES.passing.by_board or rules.board == TOGGLES.board.draughts10:
        return False
    if rules.board == TOGGLES.board.othello8:
        return stuck
    if rules.board == TOGGLES.board.renju15:
        return stuck and state[b.SECOND_KING] == b.JANGGI_KING
    return True


@separately_compiled(INT, STATE, STATE, BOOL)
def collect_moves(rules: Any, state: Any, out: Any, first_only: bool) -> int:
    """Fill ``out`` with the legal moves, including mates by a dropped 歩; return their number.

    If ``first_only``, it stops after the first move.
    """
    side = state[b.TURN]
    if state[b.RESULT] != 0:
        return 0
    n, obligatory = 0, False
    if can_jump(rules, state):
        n, obligatory = _jumps(rules, state, out)
    if not obligatory and not (first_only and n > 0):
        pseudo, marks = scratch(ROOM), scratch(LARGEST_STATE)
        for place in range(state[b.MOVERS + side]):
            for i in range(unit_moves(rules, state, state[b.list_word(rules, side, place)], pseudo, 0)):
                if n < ROOM and move_status(rules, state, pseudo[i]) == LEGAL:
                    out[n] = pseudo[i]
                    n += 1
                    if first_only:
                        return n
        drops_safe = not first_only and drops_are_safe(rules, state, side)
        for slot in range(b.SLOTS):
            if state[b.HAND + b.SLOTS * side + slot] == 0:
                continue
            kind = b.HELD_KIND[slot]
            flips = kind == b.OTHELLO_STONE and must_bracket(rules, state, side)
            if flips:
                mark_captures(rules, state, side, True, False, marks)
            for y in range(rules.board):
                start = b.cell_at(rules, 0, y)
                for cell in range(start, start + rules.board):
                    if state[cell] != 0:
                        continue
                    if marks[cell] == 0 if flips else not droppable(rules, state, side, kind, cell):
                        continue
                    move = DROP << 20 | kind << 10 | cell
                    if drop_status(rules, state, move, drops_safe) == LEGAL:
                        out[n] = move
                        n += 1
                        if first_only:
                            return n
    if (not obligatory or n == 0) and may_pass(rules, state, n == 0) and not capturable(rules, state, side):
        out[n] = THE_PASS
        n += 1
    return n


@njit
def capturing_moves(rules: Any, state: Any, out: Any) -> int:
    """Fill ``out`` with the legal moves other than jumps that capture or flip enemy units; return their number."""
    side = state[b.TURN]
    pseudo = scratch(ROOM)
    n = 0
    for i in range(side_moves(rules, state, side, pseudo)):
        if state[move_target(pseudo[i])] != 0 and move_status(rules, state, pseudo[i]) == LEGAL:
            out[n] = pseudo[i]
            n += 1
    flips = must_bracket(rules, state, side) and state[b.HAND + b.SLOTS * side + b.SLOT[b.OTHELLO_STONE]] > 0
    encloses = rules.go_capture != TOGGLES.go_capture.off and state[b.HAND + b.SLOTS * side + b.SLOT[b.GO_STONE]] > 0
    if not (flips or encloses):
        return n
    marks = scratch(LARGEST_STATE)
    mark_captures(rules, state, side, flips, encloses, marks)
    for y in range(rules.board):
        start = b.cell_at(rules, 0, y)
        for cell in range(start, start + rules.board):
            if marks[cell] == 0 or state[cell] != 0:
                continue
            if marks[cell] & FLIPS:
                move = DROP << 20 | b.OTHELLO_STONE << 10 | cell
                if drop_status(rules, state, move, False) == LEGAL:
                    out[n] = move
                    n += 1
            if marks[cell] & ADJACENT and encloses_by_drop(rules, state, side, cell):
                move = DROP << 20 | b.GO_STONE << 10 | cell
                if drop_status(rules, state, move, False) == LEGAL:
                    out[n] = move
                    n += 1
    return n


@njit
def mates_by_dropped_pawn(rules: Any, state: Any, move: int) -> bool:
    """Return whether a legal move mates by dropping a 歩."""
    if move_type(move) != DROP or move_origin(move) != b.PAWN:
        return False
    copy, changed, replies = scratch(LARGEST_STATE), scratch(MOST_CELLS), scratch(ROOM)
    for i in range(state_size(rules)):
        copy[i] = state[i]
    apply_move(rules, copy, move, changed)
    copy[b.TURN] = 1 - state[b.TURN]
    return capturable(rules, copy, copy[b.TURN]) and collect_moves(rules, copy, replies, True) == 0
