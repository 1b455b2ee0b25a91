"""Moves of draughts, compiled: captures, quiet moves and huffs.

A capture is a move of one piece over one or more enemy pieces, continued as long as possible. Captures with the same
origin, destination and set of captured pieces are one move.
"""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import highest, lowest
from workbench.engine.contract import INT, MOVES, STATE, separately_compiled
from workbench.engine.jit import inline_ir, njit, scratch
from workbench.games.draughts import kernel_board as b
from workbench.games.draughts.kernel_board import TOGGLES

SINGLE, MULTI = 1 << 29, 1 << 30
"""Marks of a capture of a single piece, whose square is included in the move, and of several pieces."""
CROWNED = 1 << 28
"""Marks a capture of several pieces by a man that ends as a king."""
MOST_CAPTURES = 4096
"""The maximum number of listed captures by one piece; no more than a few hundred are known to occur."""
LEVELS = 145
"""An upper bound on the number of pieces that one move can capture."""
ROOM = 2 * MOST_CAPTURES
"""The buffer size for the moves of a position."""
SET_ROOM, LEVEL_ROOM = 3 * MOST_CAPTURES, 3 * LEVELS
PENDING = 12000
ORDER = 40
"""The maximum number of captured pieces for which the order of captured kings counts."""
DEAD_END = 1 << 20
"""Marks a pending capture that cannot continue."""


@inline_ir
def is_last_row(rules: Any, g: int, side: int, square: int) -> bool:
    """Return whether a square is on the row where the side's men are crowned."""
    return (b.CROWN[g, side, square >> 6] >> (square & 63)) & 1 != 0


@inline_ir
def crowns_man(rules: Any, g: int, side: int, move: int) -> bool:
    """Return whether a move by a man crowns it."""
    return is_last_row(rules, g, side, move & 255) or (move >= MULTI and move & CROWNED != 0)


@inline_ir
def _rank(choice: int, pieces: int, by_king: int, kings: int, order: int) -> int:
    """Return a capture's rank under the choice rule; only captures with the highest rank are legal.

    ``kings`` is the number of captured kings, and ``order`` has a bit for each captured king, higher bits (below
    `ORDER`) for earlier captures.
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
def _push_capture(rules: Any, prey: Any, occupied: Any, offset: int, w: int, victim: int) -> None:
    """Copy the sets at word ``offset`` to the next level and capture ``victim`` there."""
    for word in range(w):
        prey[offset + w + word] = prey[offset + word]
        occupied[offset + w + word] = occupied[offset + word]
    prey[offset + w + (victim >> 6)] ^= b.bit(victim)
    if rules.removal == TOGGLES.removal.at_once:
        occupied[offset + w + (victim >> 6)] ^= b.bit(victim)


@inline_ir
def _king_can_continue(rules: Any, g: int, entry: int, square: int, prey: Any, occupied: Any, offset: int) -> bool:
    """Return whether a flying king that arrived in direction ``entry`` can continue to capture."""
    remaining = b.king_directions(rules)
    while remaining:
        d = lowest(remaining)
        remaining &= remaining - 1
        if rules.reverse_turn == TOGGLES.reverse_turn.forbidden and d == entry ^ 3:
            continue
        victim = b.first_on_ray(rules, g, d, square, occupied, offset)
        if victim >= 0 and b.has(prey, offset, victim):
            landing = b.NEXT[g, victim, d]
            if landing >= 0 and not b.has(occupied, offset, landing):
                return True
    return False


@njit
def captures_from(
    rules: Any, state: Any, origin: int, choice: int, best: int, captures: Any, sets: Any
) -> tuple[int, int]:
    """Fill ``captures`` with the highest-ranking captures by the piece on ``origin``, of rank ``best`` or higher.

    Returns their number and rank. ``sets`` receives the set of captured pieces of each capture. Sequences with the same
    ends and captured pieces count once. ``choice`` is the rule on the choice among captures.
    """
    g, side, w = b.geometry(rules), state[b.TURN], b.words(rules)
    own, enemy, kings = b.SETS + side * w, b.SETS + (1 - side) * w, b.SETS + b.KINGS * w
    directions = b.man_directions(rules, side)
    is_king = 1 if b.has(state, kings, origin) else 0
    # By level: capturable pieces, occupied squares, number and order of captured kings.
    prey, occupied = scratch(LEVEL_ROOM), scratch(LEVEL_ROOM)
    king_counts, order = scratch(LEVELS), scratch(LEVELS)
    pending = scratch(PENDING)
    for word in range(w):
        prey[word] = state[enemy + word]
        occupied[word] = state[own + word] | state[enemy + word]
    occupied[origin >> 6] ^= b.bit(origin)
    king_counts[0] = 0
    order[0] = 0
    pending[0] = origin | is_king << 19
    top = 1
    n = 0
    while top > 0:
        top -= 1
        node = pending[top]
        square, over, entry, king, level = node & 255, (node >> 8) & 255, (node >> 16) & 7, (node >> 19) & 1, node >> 21
        offset = level * w
        ended = node & DEAD_END != 0
        if level > 0:
            _push_capture(rules, prey, occupied, offset - w, w, over)
            captures_king = 1 if b.has(state, kings, over) else 0
            king_counts[level] = king_counts[level - 1] + captures_king
            order[level] = order[level - 1] | captures_king << max(0, ORDER - level)
            if king == 0 and is_last_row(rules, g, side, square):
                if rules.crowning_in_capture == TOGGLES.crowning_in_capture.ends_move:
                    ended = True
                elif rules.crowning_in_capture == TOGGLES.crowning_in_capture.becomes_king_and_goes_on:
                    king = 1
        old_top = top
        if not ended:
            flies = king != 0 and rules.king_capture != TOGGLES.king_capture.adjacent
            remaining = b.king_directions(rules) if king else directions
            while remaining:
                d = lowest(remaining)
                remaining &= remaining - 1
                if rules.reverse_turn == TOGGLES.reverse_turn.forbidden and level > 0 and d == entry ^ 3:
                    continue
                if flies:
                    victim = b.first_on_ray(rules, g, d, square, occupied, offset)
                else:
                    victim = b.NEXT[g, square, d]
                if victim < 0 or not b.has(prey, offset, victim):
                    continue
                if king == 0 and rules.men_may_take_kings == 0 and b.has(state, kings, victim):
                    continue
                landing = b.NEXT[g, victim, d]
                if landing < 0 or b.has(occupied, offset, landing):
                    continue
                child = victim << 8 | d << 16 | king << 19 | (level + 1) << 21
                if not flies or rules.king_capture == TOGGLES.king_capture.land_behind:
                    pending[top] = landing | child
                    top += 1
                    continue
                # If a flying king can continue from some of the squares behind its victim, it must land on one of them.
                _push_capture(rules, prey, occupied, offset, w, victim)
                first, continuing = top, 0
                while landing >= 0 and not b.has(occupied, offset, landing):
                    continues = _king_can_continue(rules, g, d, landing, prey, occupied, offset + w)
                    pending[top] = landing | child | (0 if continues else DEAD_END)
                    top += 1
                    if continues:
                        pending[first + continuing] = landing | child
                        continuing += 1
                    landing = b.NEXT[g, landing, d]
                if continuing > 0:
                    top = first + continuing
                elif rules.king_capture == TOGGLES.king_capture.flying_but_behind_a_king and b.has(
                    state, kings, victim
                ):
                    top = first + 1
        if top > old_top or level == 0:
            continue
        rank = _rank(choice, level, is_king, king_counts[level], order[level])
        if rank < best:
            continue
        if rank > best:
            best = rank
            n = 0
        is_duplicate = n == MOST_CAPTURES
        for i in range(n):
            if captures[i] & 255 == square:
                is_same = True
                for word in range(w):
                    is_same &= sets[i * w + word] == state[enemy + word] ^ prey[offset + word]
                if is_same:
                    is_duplicate = True
                    break
        if is_duplicate:
            continue
        for word in range(w):
            sets[n * w + word] = state[enemy + word] ^ prey[offset + word]
        if level == 1:
            captures[n] = SINGLE | over << 16 | origin << 8 | square
        else:
            crowned = is_king == 0 and (king != 0 or is_last_row(rules, g, side, square))
            captures[n] = MULTI | (CROWNED if crowned else 0) | n << 16 | origin << 8 | square
        n += 1
    return n, best


@inline_ir
def _jump(squares: int, g: int, d: int) -> int:
    """Return the landing squares of short jumps in one direction."""
    return b.step(b.step(squares, g, d), g, d)


@inline_ir
def split_jumps(rules: Any, g: int, side: int, men: int, shorts: int, by_man: Any, by_king: Any) -> Any:
    """Return the pieces whose short jumps capture only one victim, by direction, and those that need a search.

    A jump continues if another is possible from its landing square, except back over the captured piece. Neither that
    piece nor the vacated origin affects the second jump otherwise. ``by_man`` and ``by_king`` are the origins of
    possible jumps by direction. On boards of more than one word, all pieces need a search.
    """
    man_0, man_1, man_2, man_3 = men & by_man[0], men & by_man[1], men & by_man[2], men & by_man[3]
    king_0, king_1, king_2, king_3 = shorts & by_king[0], shorts & by_king[1], shorts & by_king[2], shorts & by_king[3]
    if b.wide(rules):
        return (0, 0, 0, 0), man_0 | man_1 | man_2 | man_3 | king_0 | king_1 | king_2 | king_3
    deep_0 = _jump(man_0, g, 0) & (by_man[0] | by_man[1] | by_man[2])
    deep_1 = _jump(man_1, g, 1) & (by_man[0] | by_man[1] | by_man[3])
    deep_2 = _jump(man_2, g, 2) & (by_man[0] | by_man[2] | by_man[3])
    deep_3 = _jump(man_3, g, 3) & (by_man[1] | by_man[2] | by_man[3])
    crown = b.CROWN[g, side, 0]
    if rules.crowning_in_capture == TOGGLES.crowning_in_capture.ends_move:
        deep_0, deep_1, deep_2, deep_3 = deep_0 & ~crown, deep_1 & ~crown, deep_2 & ~crown, deep_3 & ~crown
    elif rules.crowning_in_capture == TOGGLES.crowning_in_capture.becomes_king_and_goes_on:
        deep_0, deep_1 = deep_0 | (_jump(man_0, g, 0) & crown), deep_1 | (_jump(man_1, g, 1) & crown)
        deep_2, deep_3 = deep_2 | (_jump(man_2, g, 2) & crown), deep_3 | (_jump(man_3, g, 3) & crown)
    deep_0 |= _jump(king_0, g, 0) & (by_king[0] | by_king[1] | by_king[2])
    deep_1 |= _jump(king_1, g, 1) & (by_king[0] | by_king[1] | by_king[3])
    deep_2 |= _jump(king_2, g, 2) & (by_king[0] | by_king[2] | by_king[3])
    deep_3 |= _jump(king_3, g, 3) & (by_king[1] | by_king[2] | by_king[3])
    deep = _jump(deep_0, g, 3) | _jump(deep_1, g, 2) | _jump(deep_2, g, 1) | _jump(deep_3, g, 0)
    return (
        (man_0 | king_0) & ~deep,
        (man_1 | king_1) & ~deep,
        (man_2 | king_2) & ~deep,
        (man_3 | king_3) & ~deep,
    ), deep


@inline_ir
def _flying_capture(rules: Any, state: Any, g: int, side: int, square: int, occupied: Any) -> bool:
    """Return whether the king on a square can capture at a distance along the main lines."""
    enemy = b.SETS + (1 - side) * b.words(rules)
    for d in range(4):
        victim = b.first_on_ray(rules, g, d, square, occupied, 0)
        if victim >= 0 and b.has(state, enemy, victim):
            landing = b.NEXT[g, victim, d]
            if landing >= 0 and not b.has(occupied, 0, landing):
                return True
    return False


@inline_ir
def flying_capture(rules: Any, state: Any, g: int, kings: int, enemies: int, empty: int) -> bool:
    """Return whether any of the kings can capture at a distance along the main lines, on a board of one word."""
    occupied = state[b.SETS] | state[b.SETS + 1]
    while kings:
        square = lowest(kings)
        kings &= kings - 1
        for d in range(4):
            blockers = b.RAY[g, d, square] & occupied
            if blockers != 0:
                victim = blockers & -blockers if d & 2 == 0 else b.bit(highest(blockers))
                if victim & enemies and b.step(victim, g, d) & empty:
                    return True
    return False


@inline_ir
def can_capture(rules: Any, state: Any) -> bool:
    """Return whether the side to move can capture."""
    if b.wide(rules) | (rules.capture_lines != TOGGLES.capture_lines.own):
        return _can_capture_general(rules, state)
    g, side = b.geometry(rules), state[b.TURN]
    men, kings, theirs, all_kings, empty = b.window_pieces(rules, state, g, side, 0, -1)
    by_man, by_king = b.jump_origins(rules, g, b.man_captures(rules, side), theirs, all_kings, empty)
    if men & (by_man[0] | by_man[1] | by_man[2] | by_man[3]):
        return True
    if rules.king_capture == TOGGLES.king_capture.adjacent:
        return kings & (by_king[0] | by_king[1] | by_king[2] | by_king[3]) != 0
    return flying_capture(rules, state, g, kings, theirs, empty)


@njit
def count_jumps(rules: Any, state: Any, side: int, square: int, lines: int) -> tuple[int, int]:
    """Count a piece's jumps along some lines (0 own, 1 others), and those over royal pieces.

    The square must have a piece of the side, which is assumed to capture along these lines.
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
        victim = b.NEXT[g, square, d]
        while flies and victim >= 0 and not (b.has(state, b.SETS, victim) or b.has(state, b.SETS + w, victim)):
            victim = b.NEXT[g, victim, d]
        if (directions >> (d & 3)) & 1 == 0 or victim < 0 or not b.has(state, enemy, victim):
            continue
        if not king and rules.men_may_take_kings == 0 and b.has(state, kings, victim):
            continue
        landing = b.NEXT[g, victim, d]
        if landing >= 0 and not (b.has(state, b.SETS, landing) or b.has(state, b.SETS + w, landing)):
            jumps += 1
            over_royals += 1 if rules.royal and b.has(state, b.SETS + b.ROYALS * w, victim) else 0
    return jumps, over_royals


@njit
def capturing_pieces(rules: Any, state: Any, out: Any) -> bool:
    """Fill ``out`` with the mover's pieces that can capture; return whether there are any."""
    side, w, any_found = state[b.TURN], b.words(rules), False
    for word in range(w):
        out[word] = 0
        pieces = state[b.SETS + side * w + word]
        while pieces:
            square = 64 * word + lowest(pieces)
            pieces &= pieces - 1
            for lines in range(b.lines_begin(rules), b.lines_end(rules)):
                if count_jumps(rules, state, side, square, lines)[0] > 0:
                    out[word] |= b.bit(square)
                    any_found = True
    return any_found


@njit
def _can_capture_general(rules: Any, state: Any) -> bool:
    """Return whether the side to move can capture, for wide boards and captures along the other lines."""
    g, side = b.geometry(rules), state[b.TURN]
    if rules.capture_lines != TOGGLES.capture_lines.own:
        movers = scratch(3)
        if b.wide(rules):
            return capturing_pieces(rules, state, movers)
        men, kings, theirs, all_kings, empty = b.window_pieces(rules, state, g, side, 0, -1)
        if rules.king_capture == TOGGLES.king_capture.adjacent or kings == 0:
            return b.jumpers(rules, g, side, men, kings, theirs, all_kings, empty) != 0
        jumpers = b.jumpers(rules, g, side, men, 0, theirs, all_kings, empty)
        return jumpers != 0 or capturing_pieces(rules, state, movers)
    for window in range(b.WINDOW_COUNT[g]):
        base, own = b.WINDOW_BASE[g, window], b.WINDOW_OWN[g, window]
        men, kings, theirs, all_kings, empty = b.window_pieces(rules, state, g, side, base, own)
        by_man, by_king = b.jump_origins(rules, g, b.man_captures(rules, side), theirs, all_kings, empty)
        if men & (by_man[0] | by_man[1] | by_man[2] | by_man[3]):
            return True
        if rules.king_capture == TOGGLES.king_capture.adjacent and kings & (
            by_king[0] | by_king[1] | by_king[2] | by_king[3]
        ):
            return True
    if rules.king_capture != TOGGLES.king_capture.adjacent:
        occupied = scratch(3)
        b.fill_occupied(state, occupied)
        for word in range(b.WORDS):
            kings = state[b.SETS + side * b.WORDS + word] & state[b.SETS + b.KINGS * b.WORDS + word]
            while kings:
                square = 64 * word + lowest(kings)
                kings &= kings - 1
                if _flying_capture(rules, state, g, side, square, occupied):
                    return True
    return False


@inline_ir
def _append_piece(
    rules: Any, state: Any, origin: int, choice: int, moves: Any, kept: int, n: int, best: int, captures: Any, sets: Any
) -> tuple[int, int]:
    """Append a piece's captures of at least the best rank so far; a higher rank replaces all but the first ``kept``."""
    count, rank = captures_from(rules, state, origin, choice, best, captures, sets)
    if count > 0 and rank > best:
        n = kept
    for i in range(min(count, moves.shape[0] - n)):
        moves[n] = captures[i]
        n += 1
    return n, max(rank, best)


@inline_ir
def _append_singles(
    rules: Any, state: Any, g: int, d: int, origins: int, choice: int, moves: Any, kept: int, n: int, best: int
) -> tuple[int, int]:
    """Append single captures by short jumps in one direction."""
    shift = b.SHIFT[g, d] if d < 2 else -b.SHIFT[g, d]
    while origins:
        origin = lowest(origins)
        origins &= origins - 1
        victim = origin + shift
        if choice != TOGGLES.capture_choice.any:
            captures_king = 1 if b.has(state, b.SETS + b.KINGS, victim) else 0
            by_king = 1 if b.has(state, b.SETS + b.KINGS, origin) else 0
            rank = _rank(choice, 1, by_king, captures_king, captures_king << (ORDER - 1))
            if rank < best:
                continue
            if rank > best:
                best = rank
                n = kept
        moves[n] = SINGLE | victim << 16 | origin << 8 | (victim + shift)
        n += 1
    return n, best


@separately_compiled(INT, STATE, INT, MOVES, INT)
def append_captures(rules: Any, state: Any, choice: int, moves: Any, kept: int) -> int:
    """Append the legal captures to ``moves[:kept]`` and return the new length.

    Captures that require a search come first, single captures by short jumps last.
    """
    g, side, w = b.geometry(rules), state[b.TURN], b.words(rules)
    captures, sets, occupied = scratch(MOST_CAPTURES), scratch(SET_ROOM), scratch(3)
    n, best = kept, -1
    if rules.capture_lines != TOGGLES.capture_lines.own:
        capturing_pieces(rules, state, occupied)
        for word in range(w):
            while occupied[word]:
                square = 64 * word + lowest(occupied[word])
                occupied[word] &= occupied[word] - 1
                n, best = _append_piece(rules, state, square, choice, moves, kept, n, best, captures, sets)
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
                    n, best = _append_piece(rules, state, square, choice, moves, kept, n, best, captures, sets)
    for window in range(b.WINDOW_COUNT[g]):
        base = b.WINDOW_BASE[g, window]
        men, kings, theirs, all_kings, empty = b.window_pieces(rules, state, g, side, base, b.WINDOW_OWN[g, window])
        if rules.king_capture != TOGGLES.king_capture.adjacent:
            kings = 0
        by_man, by_king = b.jump_origins(rules, g, b.man_captures(rules, side), theirs, all_kings, empty)
        single, deep = split_jumps(rules, g, side, men, kings, by_man, by_king)
        while deep:
            origin = base + lowest(deep)
            deep &= deep - 1
            n, best = _append_piece(rules, state, origin, choice, moves, kept, n, best, captures, sets)
        n, best = _append_singles(rules, state, g, 0, single[0], choice, moves, kept, n, best)
        n, best = _append_singles(rules, state, g, 1, single[1], choice, moves, kept, n, best)
        n, best = _append_singles(rules, state, g, 2, single[2], choice, moves, kept, n, best)
        n, best = _append_singles(rules, state, g, 3, single[3], choice, moves, kept, n, best)
    return n


@inline_ir
def step_origins(rules: Any, g: int, side: int, men: int, kings: int, empty: int) -> Any:
    """Return the men and kings that can step, as four sets by direction."""
    directions = b.man_steps(rules, side)
    return (
        ((men & -(directions & 1)) | kings) & b.step(empty, g, 3),
        ((men & -((directions >> 1) & 1)) | kings) & b.step(empty, g, 2),
        ((men & -((directions >> 2) & 1)) | kings) & b.step(empty, g, 1),
        ((men & -(directions >> 3)) | kings) & b.step(empty, g, 0),
    )


@inline_ir
def _append_steps(g: int, d: int, base: int, origins: int, moves: Any, n: int) -> int:
    """Append the steps in one direction."""
    shift = b.SHIFT[g, d] if d < 2 else -b.SHIFT[g, d]
    while origins:
        origin = base + lowest(origins)
        origins &= origins - 1
        moves[n] = origin << 8 | (origin + shift)
        n += 1
    return n


@njit
def append_other_lines(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Append the quiet moves along the other lines."""
    g, side, w = b.geometry(rules), state[b.TURN], b.words(rules)
    men, king_move = b.OTHER_DIRECTIONS[rules.squares, rules.men_step, side], rules.king_move
    for word in range(w):
        pieces = state[b.SETS + side * w + word]
        while pieces:
            origin = 64 * word + lowest(pieces)
            pieces &= pieces - 1
            king = b.has(state, b.SETS + b.KINGS * w, origin)
            for d in range(4, 8):
                square = b.NEXT[g, origin, d] if king or (men >> (d - 4)) & 1 else -1
                while square >= 0 and not (b.has(state, b.SETS, square) or b.has(state, b.SETS + w, square)):
                    moves[n] = origin << 8 | square
                    n += 1
                    square = b.NEXT[g, square, d] if king and king_move != TOGGLES.king_move.one_step else -1
    return n


@njit
def _finish_quiet(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Append the quiet moves along other lines, remove those of the barred king, and return the number of moves."""
    if rules.step_lines != TOGGLES.step_lines.own:
        n = append_other_lines(rules, state, moves, n)
    barred, kept = b.barred_king(rules, state, state[b.TURN]), 0
    for i in range(n):
        if moves[i] >> 8 != barred:
            moves[kept] = moves[i]
            kept += 1
    return kept


@njit
def append_huffs(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Append the huffs, which remove enemy pieces that failed to capture."""
    w = b.words(rules)
    for word in range(w):
        pieces = state[b.SETS + b.HUFFABLE * w + word]
        while pieces:
            square = 64 * word + lowest(pieces)
            pieces &= pieces - 1
            moves[n] = square << 8 | square
            n += 1
    return n


@inline_ir
def is_huff(move: int) -> bool:
    """Return whether a move is a huff; captures that end on their origin are marked as captures."""
    return (move >> 8) == (move & 255)


@njit
def list_quiet(rules: Any, state: Any, moves: Any) -> int:
    """Fill ``moves`` with the quiet moves, even if a capture is obligatory."""
    g, side, w = b.geometry(rules), state[b.TURN], b.words(rules)
    n = 0
    for window in range(b.WINDOW_COUNT[g]):
        base = b.WINDOW_BASE[g, window]
        men, kings, _, _, empty = b.window_pieces(rules, state, g, side, base, b.WINDOW_OWN[g, window])
        kings = kings if rules.king_move == TOGGLES.king_move.one_step else 0
        origins = step_origins(rules, g, side, men, kings, empty)
        n = _append_steps(g, 0, base, origins[0], moves, n)
        n = _append_steps(g, 1, base, origins[1], moves, n)
        n = _append_steps(g, 2, base, origins[2], moves, n)
        n = _append_steps(g, 3, base, origins[3], moves, n)
    if rules.king_move != TOGGLES.king_move.one_step:
        for word in range(w):
            kings = state[b.SETS + side * w + word] & state[b.SETS + b.KINGS * w + word]
            while kings:
                origin = 64 * word + lowest(kings)
                kings &= kings - 1
                for d in range(4):
                    square = b.NEXT[g, origin, d]
                    while square >= 0 and not (b.has(state, b.SETS, square) or b.has(state, b.SETS + w, square)):
                        moves[n] = origin << 8 | square
                        n += 1
                        square = b.NEXT[g, square, d]
    return _finish_quiet(rules, state, moves, n) if rules.step_lines | rules.king_run else n


@njit
def can_step_other_lines(rules: Any, state: Any, side: int) -> bool:
    """Return whether the side has a piece that can step along the other lines."""
    g, w, barred = b.geometry(rules), b.words(rules), b.barred_king(rules, state, side)
    men = b.OTHER_DIRECTIONS[rules.squares, rules.men_step, side]
    for word in range(w):
        pieces = state[b.SETS + side * w + word]
        while pieces:
            origin = 64 * word + lowest(pieces)
            pieces &= pieces - 1
            directions = 15 if b.has(state, b.SETS + b.KINGS * w, origin) else men
            for d in range(4, 8):
                square = b.NEXT[g, origin, d]
                if (
                    origin != barred
                    and (directions >> (d - 4)) & 1
                    and square >= 0
                    and not (b.has(state, b.SETS, square) or b.has(state, b.SETS + w, square))
                ):
                    return True
    return False
