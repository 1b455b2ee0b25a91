"""Draughts' captures, compiled: whether there is one, and all of them.

A capture is a move of one piece over one or more enemies; it goes on as long as it can. Captures that agree in origin,
destination and the set of captured pieces are one move.
"""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import highest, lowest
from workbench.engine.contract import INT, MOVES, STATE, separately_compiled
from workbench.engine.jit import inline_ir, njit, scratch
from workbench.games.draughts import kernel_board as b
from workbench.games.draughts import kernel_tables as t
from workbench.games.draughts.kernel_board import TOGGLES

SINGLE, MULTI = 1 << 29, 1 << 30
"""Marks of a move: a capture of one piece, whose square it names, or of several."""
CROWNED = 1 << 28
"""Marks a capture of several pieces by a man that ends as a king."""
MOST_FROM_ONE = 4096
"""A bound of the captures of one piece; more would be left out. Some hundred are the most that was met."""
LEVELS = 145
"""More than the pieces that one move can capture."""
ROOM = 2 * MOST_FROM_ONE
"""Room for the moves of a position."""
SET_ROOM, LEVEL_ROOM = 3 * MOST_FROM_ONE, 3 * LEVELS
PENDING = 12000
ORDER = 40
"""Captures of more pieces than this do not tell when they take their kings."""
DEAD_END = 1 << 20
"""Marks a pending capture that cannot go on."""


@inline_ir
def last_row(rules: Any, g: int, side: int, square: int) -> bool:
    """Return whether a man is crowned on a square."""
    return (t.CROWN[g, side, square >> 6] >> (square & 63)) & 1 != 0


@inline_ir
def crowns_man(rules: Any, g: int, side: int, move: int) -> bool:
    """Return whether a man becomes a king by its move."""
    return last_row(rules, g, side, move & 255) or (move >= MULTI and move & CROWNED != 0)


@inline_ir
def _rank(choice: int, pieces: int, by_king: int, kings: int, order: int) -> int:
    """Return the rank of a capture under the rule of choice; only captures of the highest rank are legal.

    ``kings`` is the number of kings captured, ``order`` says at which places of the sequence, earlier ones in higher
    bits below `ORDER`.
    """
    if choice == TOGGLES.capture_choice.any:
        return 0
    if choice == TOGGLES.capture_choice.most_pieces:
        return pieces
    if choice == TOGGLES.capture_choice.king_first:
        return by_king
    if choice == TOGGLES.capture_choice.frisian:
        return ((2 * pieces + kings) << 8 | kings) << 1 | by_king
    if choice == TOGGLES.capture_choice.spanish:
        return pieces << 8 | kings
    return ((pieces << 1 | by_king) << 8 | kings) << ORDER | order


@inline_ir
def _after(rules: Any, prey: Any, occupied: Any, at: int, w: int, victim: int) -> None:
    """Copy the sets at word ``at`` to the words behind them, and captures ``victim`` there."""
    for word in range(w):
        prey[at + w + word] = prey[at + word]
        occupied[at + w + word] = occupied[at + word]
    prey[at + w + (victim >> 6)] ^= b.bit(victim)
    if rules.removal == TOGGLES.removal.at_once:
        occupied[at + w + (victim >> 6)] ^= b.bit(victim)


@inline_ir
def _king_goes_on(rules: Any, g: int, came: int, square: int, prey: Any, occupied: Any, at: int) -> bool:
    """Return whether a flying king that came to a square in a direction can go on capturing."""
    rest = b.king_lines(rules)
    while rest:
        d = lowest(rest)
        rest &= rest - 1
        if rules.reverse_turn == TOGGLES.reverse_turn.forbidden and d == came ^ 3:
            continue
        victim = b.first_on_ray(rules, g, d, square, occupied, at)
        if victim >= 0 and b.has(prey, at, victim):
            landing = t.NEXT[g, victim, d]
            if landing >= 0 and not b.has(occupied, at, landing):
                return True
    return False


@njit
def captures_from(
    rules: Any, state: Any, origin: int, choice: int, best: int, captures: Any, sets: Any
) -> tuple[int, int]:
    """Fill ``captures`` with those of the piece on ``origin`` that have the highest rank, at least ``best``.

    Returns their number and their rank. ``sets`` receives the set of captured pieces of each. All sequences are walked
    through; a sequence that captures what another did, from and to the same squares, adds nothing. ``choice`` is the
    rule on the choice among captures.
    """
    g, side, w = b.geometry(rules), state[b.TURN], b.words(rules)
    own, enemy, kings = b.SETS + side * w, b.SETS + (1 - side) * w, b.SETS + b.KINGS * w
    directions = b.man_lines(rules, side)
    is_king = 1 if b.has(state, kings, origin) else 0
    # What may still be captured, what is occupied, how many kings were captured and when: after each capture.
    prey, occupied = scratch(LEVEL_ROOM), scratch(LEVEL_ROOM)
    taken_kings, order = scratch(LEVELS), scratch(LEVELS)
    pending = scratch(PENDING)
    for word in range(w):
        prey[word] = state[enemy + word]
        occupied[word] = state[own + word] | state[enemy + word]
    occupied[origin >> 6] ^= b.bit(origin)
    taken_kings[0] = 0
    order[0] = 0
    pending[0] = origin | is_king << 19
    top = 1
    n = 0
    while top > 0:
        top -= 1
        node = pending[top]
        square, over, came, king, level = node & 255, (node >> 8) & 255, (node >> 16) & 7, (node >> 19) & 1, node >> 21
        at = level * w
        ended = node & DEAD_END != 0
        if level > 0:
            _after(rules, prey, occupied, at - w, w, over)
            takes_king = 1 if b.has(state, kings, over) else 0
            taken_kings[level] = taken_kings[level - 1] + takes_king
            order[level] = order[level - 1] | takes_king << max(0, ORDER - level)
            if king == 0 and last_row(rules, g, side, square):
                if rules.crowning_in_capture == TOGGLES.crowning_in_capture.ends_move:
                    ended = True
                elif rules.crowning_in_capture == TOGGLES.crowning_in_capture.becomes_king_and_goes_on:
                    king = 1
        before = top
        if not ended:
            flies = king != 0 and rules.king_capture != TOGGLES.king_capture.adjacent
            rest = b.king_lines(rules) if king else directions
            while rest:
                d = lowest(rest)
                rest &= rest - 1
                if rules.reverse_turn == TOGGLES.reverse_turn.forbidden and level > 0 and d == came ^ 3:
                    continue
                if flies:
                    victim = b.first_on_ray(rules, g, d, square, occupied, at)
                else:
                    victim = t.NEXT[g, square, d]
                if victim < 0 or not b.has(prey, at, victim):
                    continue
                if king == 0 and rules.men_may_take_kings == 0 and b.has(state, kings, victim):
                    continue
                landing = t.NEXT[g, victim, d]
                if landing < 0 or b.has(occupied, at, landing):
                    continue
                child = victim << 8 | d << 16 | king << 19 | (level + 1) << 21
                if not flies or rules.king_capture == TOGGLES.king_capture.land_behind:
                    pending[top] = landing | child
                    top += 1
                    continue
                # A king that can go on from one of the squares behind its victim must land on one of those.
                _after(rules, prey, occupied, at, w, victim)
                first, going_on = top, 0
                while landing >= 0 and not b.has(occupied, at, landing):
                    goes_on = _king_goes_on(rules, g, d, landing, prey, occupied, at + w)
                    pending[top] = landing | child | (0 if goes_on else DEAD_END)
                    top += 1
                    if goes_on:
                        pending[first + going_on] = landing | child
                        going_on += 1
                    landing = t.NEXT[g, landing, d]
                if going_on > 0:
                    top = first + going_on
                elif rules.king_capture == TOGGLES.king_capture.flying_but_behind_a_king and b.has(
                    state, kings, victim
                ):
                    top = first + 1
        if top > before or level == 0:
            continue
        rank = _rank(choice, level, is_king, taken_kings[level], order[level])
        if rank < best:
            continue
        if rank > best:
            best = rank
            n = 0
        known = n == MOST_FROM_ONE
        for i in range(n):
            if captures[i] & 255 == square:
                same = True
                for word in range(w):
                    same &= sets[i * w + word] == state[enemy + word] ^ prey[at + word]
                if same:
                    known = True
                    break
        if known:
            continue
        for word in range(w):
            sets[n * w + word] = state[enemy + word] ^ prey[at + word]
        if level == 1:
            captures[n] = SINGLE | over << 16 | origin << 8 | square
        else:
            crowned = is_king == 0 and (king != 0 or last_row(rules, g, side, square))
            captures[n] = MULTI | (CROWNED if crowned else 0) | n << 16 | origin << 8 | square
        n += 1
    return n, best


@inline_ir
def _jump(squares: int, g: int, d: int) -> int:
    """Where short jumps from some squares land."""
    return b.step(b.step(squares, g, d), g, d)


@inline_ir
def split_jumps(rules: Any, g: int, side: int, men: int, shorts: int, by_man: Any, by_king: Any) -> Any:
    """The pieces whose captures by short jumps all end after one piece, by direction, and those that must be walked.

    A jump goes on where another is possible from its landing square, but not back over the captured piece: neither
    that nor the empty origin opens or closes anything else for the second jump. ``by_man`` and ``by_king`` are the
    jumpable squares, by direction. On boards of more than a word all pieces must be walked.
    """
    man_0, man_1, man_2, man_3 = men & by_man[0], men & by_man[1], men & by_man[2], men & by_man[3]
    king_0, king_1, king_2, king_3 = shorts & by_king[0], shorts & by_king[1], shorts & by_king[2], shorts & by_king[3]
    if b.wide(rules):
        return (0, 0, 0, 0), man_0 | man_1 | man_2 | man_3 | king_0 | king_1 | king_2 | king_3
    goes_0 = _jump(man_0, g, 0) & (by_man[0] | by_man[1] | by_man[2])
    goes_1 = _jump(man_1, g, 1) & (by_man[0] | by_man[1] | by_man[3])
    goes_2 = _jump(man_2, g, 2) & (by_man[0] | by_man[2] | by_man[3])
    goes_3 = _jump(man_3, g, 3) & (by_man[1] | by_man[2] | by_man[3])
    crown = t.CROWN[g, side, 0]
    if rules.crowning_in_capture == TOGGLES.crowning_in_capture.ends_move:
        goes_0, goes_1, goes_2, goes_3 = goes_0 & ~crown, goes_1 & ~crown, goes_2 & ~crown, goes_3 & ~crown
    elif rules.crowning_in_capture == TOGGLES.crowning_in_capture.becomes_king_and_goes_on:
        goes_0, goes_1 = goes_0 | (_jump(man_0, g, 0) & crown), goes_1 | (_jump(man_1, g, 1) & crown)
        goes_2, goes_3 = goes_2 | (_jump(man_2, g, 2) & crown), goes_3 | (_jump(man_3, g, 3) & crown)
    goes_0 |= _jump(king_0, g, 0) & (by_king[0] | by_king[1] | by_king[2])
    goes_1 |= _jump(king_1, g, 1) & (by_king[0] | by_king[1] | by_king[3])
    goes_2 |= _jump(king_2, g, 2) & (by_king[0] | by_king[2] | by_king[3])
    goes_3 |= _jump(king_3, g, 3) & (by_king[1] | by_king[2] | by_king[3])
    deep = _jump(goes_0, g, 3) | _jump(goes_1, g, 2) | _jump(goes_2, g, 1) | _jump(goes_3, g, 0)
    return (
        (man_0 | king_0) & ~deep,
        (man_1 | king_1) & ~deep,
        (man_2 | king_2) & ~deep,
        (man_3 | king_3) & ~deep,
    ), deep


@inline_ir
def _flying_capture(rules: Any, state: Any, g: int, side: int, square: int, occupied: Any) -> bool:
    """Return whether the king on a square can capture from afar along the own lines."""
    enemy = b.SETS + (1 - side) * b.words(rules)
    for d in range(4):
        victim = b.first_on_ray(rules, g, d, square, occupied, 0)
        if victim >= 0 and b.has(state, enemy, victim):
            landing = t.NEXT[g, victim, d]
            if landing >= 0 and not b.has(occupied, 0, landing):
                return True
    return False


@inline_ir
def flying_capture(rules: Any, state: Any, g: int, kings: int, theirs: int, empty: int) -> bool:
    """Return whether one of some kings can capture from afar along the own lines; on boards of one word."""
    occupied = state[b.SETS] | state[b.SETS + 1]
    while kings:
        square = lowest(kings)
        kings &= kings - 1
        for d in range(4):
            met = t.RAY[g, d, square] & occupied
            if met != 0:
                victim = met & -met if d & 2 == 0 else b.bit(highest(met))
                if victim & theirs and b.step(victim, g, d) & empty:
                    return True
    return False


@inline_ir
def can_capture(rules: Any, state: Any) -> bool:
    """Return whether the side to move can capture."""
    if b.wide(rules) | (rules.capture_lines != TOGGLES.capture_lines.own):
        return _can_capture_rarely(rules, state)
    g, side = b.geometry(rules), state[b.TURN]
    men, kings, theirs, all_kings, empty = b.pieces_in(rules, state, g, side, 0, -1)
    by_man, by_king = b.jump_origins(rules, g, b.man_captures(rules, side), theirs, all_kings, empty)
    if men & (by_man[0] | by_man[1] | by_man[2] | by_man[3]):
        return True
    if rules.king_capture == TOGGLES.king_capture.adjacent:
        return kings & (by_king[0] | by_king[1] | by_king[2] | by_king[3]) != 0
    return flying_capture(rules, state, g, kings, theirs, empty)


@njit
def jumps_of(rules: Any, state: Any, side: int, square: int, lines: int) -> tuple[int, int]:
    """In how many directions of some lines (0 the own ones, 1 the others) a piece can jump, and over how many royals.

    It is a side's piece on a square; whether the rules let it capture along these lines is not asked.
    """
    g, w = b.geometry(rules), b.words(rules)
    enemy, kings = b.SETS + (1 - side) * w, b.SETS + b.KINGS * w
    king = b.has(state, kings, square)
    flies = king and rules.king_capture != TOGGLES.king_capture.adjacent
    directions = 15
    if not king and rules.men_capture != TOGGLES.men_capture.all_directions:
        table = b.OTHER_DIRECTIONS if lines else b.STEP_DIRECTIONS
        directions = table[rules.squares, rules.men_step, side]
    jumps = over_royals = 0
    for d in range(4 * lines, 4 * lines + 4):
        victim = t.NEXT[g, square, d]
        while flies and victim >= 0 and not (b.has(state, b.SETS, victim) or b.has(state, b.SETS + w, victim)):
            victim = t.NEXT[g, victim, d]
        if (directions >> (d & 3)) & 1 == 0 or victim < 0 or not b.has(state, enemy, victim):
            continue
        if not king and rules.men_may_take_kings == 0 and b.has(state, kings, victim):
            continue
        landing = t.NEXT[g, victim, d]
        if landing >= 0 and not (b.has(state, b.SETS, landing) or b.has(state, b.SETS + w, landing)):
            jumps += 1
            over_royals += 1 if rules.royal and b.has(state, b.SETS + b.ROYALS * w, victim) else 0
    return jumps, over_royals


@njit
def captors(rules: Any, state: Any, out: Any) -> bool:
    """Fill the words of ``out`` with the pieces of the side to move that can capture; whether there are any."""
    side, w, found = state[b.TURN], b.words(rules), False
    for word in range(w):
        out[word] = 0
        pieces = state[b.SETS + side * w + word]
        while pieces:
            square = 64 * word + lowest(pieces)
            pieces &= pieces - 1
            for lines in range(b.lines_begin(rules), b.lines_end(rules)):
                if jumps_of(rules, state, side, square, lines)[0] > 0:
                    out[word] |= b.bit(square)
                    found = True
    return found


@njit
def _can_capture_rarely(rules: Any, state: Any) -> bool:
    """Return whether the side to move can capture, on boards of more than a word or along the other lines."""
    g, side = b.geometry(rules), state[b.TURN]
    if rules.capture_lines != TOGGLES.capture_lines.own:
        able = scratch(3)
        if b.wide(rules):
            return captors(rules, state, able)
        men, kings, theirs, all_kings, empty = b.pieces_in(rules, state, g, side, 0, -1)
        if rules.king_capture == TOGGLES.king_capture.adjacent or kings == 0:
            return b.jumpers(rules, g, side, men, kings, theirs, all_kings, empty) != 0
        return b.jumpers(rules, g, side, men, 0, theirs, all_kings, empty) != 0 or captors(rules, state, able)
    for window in range(t.WINDOW_COUNT[g]):
        base, own = t.WINDOW_BASE[g, window], t.WINDOW_OWN[g, window]
        men, kings, theirs, all_kings, empty = b.pieces_in(rules, state, g, side, base, own)
        by_man, by_king = b.jump_origins(rules, g, b.man_captures(rules, side), theirs, all_kings, empty)
        if men & (by_man[0] | by_man[1] | by_man[2] | by_man[3]):
            return True
        if rules.king_capture == TOGGLES.king_capture.adjacent and kings & (
            by_king[0] | by_king[1] | by_king[2] | by_king[3]
        ):
            return True
    if rules.king_capture != TOGGLES.king_capture.adjacent:
        occupied = scratch(3)
        b.wide_occupied(state, occupied)
        for word in range(t.WORDS):
            kings = state[b.SETS + side * t.WORDS + word] & state[b.SETS + b.KINGS * t.WORDS + word]
            while kings:
                square = 64 * word + lowest(kings)
                kings &= kings - 1
                if _flying_capture(rules, state, g, side, square, occupied):
                    return True
    return False


@inline_ir
def _append_from(
    rules: Any,
    state: Any,
    origin: int,
    choice: int,
    moves: Any,
    begin: int,
    n: int,
    best: int,
    captures: Any,
    sets: Any,
) -> tuple[int, int]:
    """Append the captures of one piece, unless a better one is known; those that are worse than they are go."""
    count, rank = captures_from(rules, state, origin, choice, best, captures, sets)
    if count > 0 and rank > best:
        n = begin
    for i in range(min(count, moves.shape[0] - n)):
        moves[n] = captures[i]
        n += 1
    return n, max(rank, best)


@inline_ir
def _append_singles(
    rules: Any, state: Any, g: int, d: int, origins: int, choice: int, moves: Any, begin: int, n: int, best: int
) -> tuple[int, int]:
    """Append captures of one piece by short jumps in one direction."""
    shift = t.SHIFT[g, d] if d < 2 else -t.SHIFT[g, d]
    while origins:
        origin = lowest(origins)
        origins &= origins - 1
        over = origin + shift
        if choice != TOGGLES.capture_choice.any:
            takes_king = 1 if b.has(state, b.SETS + b.KINGS, over) else 0
            by_king = 1 if b.has(state, b.SETS + b.KINGS, origin) else 0
            rank = _rank(choice, 1, by_king, takes_king, takes_king << (ORDER - 1))
            if rank < best:
                continue
            if rank > best:
                best = rank
                n = begin
        moves[n] = SINGLE | over << 16 | origin << 8 | (over + shift)
        n += 1
    return n, best


@separately_compiled(INT, STATE, INT, MOVES, INT)
def append_captures(rules: Any, state: Any, choice: int, moves: Any, begin: int) -> int:
    """Append the captures that are legal under a rule of choice to ``moves[:begin]``; returns how many moves it holds.

    Captures that must be walked come first, those by a short jump over one piece last.
    """
    g, side, w = b.geometry(rules), state[b.TURN], b.words(rules)
    captures, sets, occupied = scratch(MOST_FROM_ONE), scratch(SET_ROOM), scratch(3)
    n, best = begin, -1
    if rules.capture_lines != TOGGLES.capture_lines.own:
        captors(rules, state, occupied)
        for word in range(w):
            while occupied[word]:
                square = 64 * word + lowest(occupied[word])
                occupied[word] &= occupied[word] - 1
                n, best = _append_from(rules, state, square, choice, moves, begin, n, best, captures, sets)
        return n
    if rules.king_capture != TOGGLES.king_capture.adjacent:
        for word in range(w):
            occupied[word] = state[b.SETS + word] | state[b.SETS + w + word]
        for word in range(w):
            kings = state[b.SETS + side * w + word] & state[b.SETS + b.KINGS * w + word]
            while kings:
                square = 64 * word + lowest(kings)
                kings &= kings - 1
                if _flying_capture(rules, state, g, side, square, occupied):
                    n, best = _append_from(rules, state, square, choice, moves, begin, n, best, captures, sets)
    for window in range(t.WINDOW_COUNT[g]):
        base = t.WINDOW_BASE[g, window]
        men, kings, theirs, all_kings, empty = b.pieces_in(rules, state, g, side, base, t.WINDOW_OWN[g, window])
        if rules.king_capture != TOGGLES.king_capture.adjacent:
            kings = 0
        by_man, by_king = b.jump_origins(rules, g, b.man_captures(rules, side), theirs, all_kings, empty)
        single, deep = split_jumps(rules, g, side, men, kings, by_man, by_king)
        while deep:
            origin = base + lowest(deep)
            deep &= deep - 1
            n, best = _append_from(rules, state, origin, choice, moves, begin, n, best, captures, sets)
        n, best = _append_singles(rules, state, g, 0, single[0], choice, moves, begin, n, best)
        n, best = _append_singles(rules, state, g, 1, single[1], choice, moves, begin, n, best)
        n, best = _append_singles(rules, state, g, 2, single[2], choice, moves, begin, n, best)
        n, best = _append_singles(rules, state, g, 3, single[3], choice, moves, begin, n, best)
    return n
