"""Draughts' board, compiled: geometry, the words of a state, and sets of squares that step and slide.

A square is a bit of a set. Its column x is counted from the first seat's left, its row y from the first seat's back
row, so that the first seat moves towards higher bits. On a dark-square board of n×n only the squares with x + y even
exist, and ``bit = (y * w + x) / 2`` with w odd and greater than n: rows are so far apart that a diagonal step always
adds or subtracts the same number, and a step off the board hits a bit that is no square:

        5×5, w = 7:   y 1    4     5            steps +3 (left) and +4 (right) up, -4 (left) and -3 (right) down
                      y 0 0     1     2    (3)

If all squares are used, ``bit = y * w + x``; 8×8 has no bit to spare (w = 8), so steps over the edge are masked off.

Directions: 0 and 1 lead to higher bits, 2 and 3 to lower ones, and ``d ^ 3`` is the opposite of d. Directions 4 to 7
are those of the other lines, which few games use; on dark squares their next square is two columns or rows away.

        dark squares   0 up and left, 1 up and right, 2 down and left, 3 down and right; 4 up, 5 right, 6 left, 7 down
        all squares    0 up, 1 right, 2 left, 3 down; 4 up and left, 5 up and right, 6 down and left, 7 down and right

Sets of more than 64 bits (`wide` boards, and all boards that are not square) have `WORDS` words. They are processed in
windows of 64 bits, each wide enough for the jumps of its pieces along the main lines.

A state contains the words named below and four sets: the pieces of each seat, the kings of both, and the royal pieces
of both (a royal piece is a king, too).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.bits import highest, lowest, popcount
from workbench.engine.jit import by_reference, inline_ir, njit
from workbench.engine.rng import random_words
from workbench.games.declaration import kernel_names, rules_type
from workbench.games.draughts.rules import DECLARATION
from workbench.games.draughts.rules_squares import ALL, DARK, extent, square_bit, steps, width

CODES: list[Any] = [DECLARATION.toggle("size").code(value.name) for value in DECLARATION.toggle("size").values]
"""The codes of all board sizes."""
BITS = 160
"""An upper bound on the bits of a board, including bits that are no squares."""
WORDS = 3
WINDOWS = 12


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


def _words(bits: int) -> list[int]:
    return [_signed((bits >> (64 * i)) & ((1 << 64) - 1)) for i in range(WORDS)]


COUNT = 2 * len(CODES)
GEOMETRY = np.full((2, 256), -1, np.int64)
"""The index of a board in the tables below, by squares used and size code."""
LAST = np.zeros(COUNT, np.int64)
"""The row on which the first seat's men are crowned."""
CROWN = np.zeros((COUNT, 2, WORDS), np.int64)
"""The squares on which the men of each seat are crowned."""
SHIFT = np.zeros((COUNT, 8), np.int64)
"""The shift of a set by direction: left for directions 0, 1, 4 and 5, right for the others."""
ARRIVAL = np.zeros((COUNT, 8), np.int64)
"""The squares on which a step may end; also masks off the sign of a shifted word."""
NEXT = np.full((COUNT, BITS, 8), -1, np.int64)
"""The next square in each direction, or -1 off the board."""
RAY = np.zeros((COUNT, 8, 64), np.int64)
"""All squares in a direction, for boards of one word."""
BOARD = np.zeros((COUNT, WORDS), np.int64)
ROWS = np.zeros((COUNT, 12, WORDS), np.int64)
ROW = np.zeros((COUNT, BITS), np.int64)
CELL = np.zeros((COUNT, BITS), np.int64)
"""The displayed cell of a square: ``y << 5 | x`` with y from the top, the second seat's back row."""
CENTRE = np.zeros((COUNT, WORDS), np.int64)
"""The middle squares, at least a third of the board away from every edge."""
BACK_CENTRE = np.full(COUNT, -1, np.int64)
"""The bit of the first seat's middle square of its back row; the second seat's is opposite."""
FAR_CENTRE = np.full(COUNT, -1, np.int64)
WINDOW_COUNT = np.ones(COUNT, np.int64)
WINDOW_BASE = np.zeros((COUNT, WINDOWS), np.int64)
"""The first bit of a window."""
WINDOW_OWN = np.zeros((COUNT, WINDOWS), np.int64)
"""The bits of a window for the pieces processed in it; each piece belongs to one window."""


def _fill(squares: int, size: tuple[int, int], g: int) -> None:
    files, ranks = size
    cells = {square_bit(squares, size, x, y): (x, y) for y in range(ranks) for x in range(files)}
    cells.pop(-1, None)
    total = max(cells) + 1
    LAST[g] = ranks - 1
    BOARD[g] = _words(sum(1 << bit for bit in cells))
    for y in range(ranks):
        ROWS[g, y] = _words(sum(1 << bit for bit, cell in cells.items() if cell[1] == y))
    CROWN[g] = ROWS[g, [ranks - 1, 0]]
    CENTRE[g] = _words(
        sum(
            1 << bit
            for bit, (x, y) in cells.items()
            if files // 3 <= x < files - files // 3 and ranks // 3 <= y < ranks - ranks // 3
        )
    )
    BACK_CENTRE[g] = square_bit(squares, size, files // 2, 0) if files % 2 else -1
    FAR_CENTRE[g] = square_bit(squares, size, files // 2, ranks - 1) if files % 2 else -1
    w = width(squares, size)
    diagonal = ((w - 1) // 2, (w + 1) // 2) if squares == DARK else (w - 1, w + 1)
    shifts = (*diagonal, w, 1) if squares == DARK else (w, 1, *diagonal)
    for d, (dx, dy) in enumerate(steps(squares)):
        # Opposite directions shift by the same amount.
        shift = shifts[2 * (d // 4) + (d & 1 if d & 2 == 0 else (d & 1) ^ 1)]
        SHIFT[g, d] = shift
        ARRIVAL[g, d] = -1 if d & 2 == 0 else (1 << (64 - shift)) - 1
        for bit, (x, y) in cells.items():
            ROW[g, bit] = y
            CELL[g, bit] = (ranks - 1 - y) << 5 | x
            NEXT[g, bit, d] = square_bit(squares, size, x + dx, y + dy)
        if total > 64:
            continue
        for bit in cells:
            ray, square = 0, bit
            while (square := int(NEXT[g, square, d])) >= 0:
                ray |= 1 << square
            RAY[g, d, bit] = _signed(ray)
        if dx and (w == files or abs(dx) == 2):
            edge = range(abs(dx)) if dx > 0 else range(files - abs(dx), files)
            ARRIVAL[g, d] &= ~_words(sum(1 << bit for bit, cell in cells.items() if cell[0] in edge))[0]
    jump = 2 * max(shifts[:2])
    first_bit, window = 0, 0
    while first_bit < total:
        base = max(0, first_bit - jump)
        end_bit = total if base + 64 >= total else base + 64 - jump
        WINDOW_BASE[g, window] = base
        WINDOW_OWN[g, window] = _signed(sum(1 << (bit - base) for bit in range(first_bit, end_bit)))
        first_bit, window = end_bit, window + 1
    WINDOW_COUNT[g] = window


for _squares in (DARK, ALL):
    for _i, _code in enumerate(CODES):
        GEOMETRY[_squares, _code] = len(CODES) * _squares + _i
        _fill(_squares, extent(_code), len(CODES) * _squares + _i)


ZOBRIST = random_words(6 * BITS, 1).reshape(6, BITS)
"""Hash words by square for men, kings and royal pieces, each of the first and second seat."""
ZOBRIST_TURN = int(random_words(1, 2)[0])
"""The hash word of the side to move."""


Rules = by_reference(rules_type(DECLARATION, __name__))
"""The toggles."""
TOGGLES, FEATURES, EVENTS, ENDINGS, STYLES, UNITS = kernel_names(DECLARATION)

TURN, QUIET, HASH, LEFT, SETS = 0, 1, 2, 3, 4
"""The words of a state: side to move, plies since a capture or a man's move, hash, the number of plies left under an
endgame limit plus one (0 without a limit), and the sets. If `Rules.king_run` limits a king's consecutive moves, two
more words have ``moves << 8 | square`` for each seat's king that moved last without a capture, or 0 if there is none or
the seat has no men."""
KINGS, ROYALS = 2, 3
"""The indices of the sets; the first two are the seats' pieces."""
HUFFABLE = ROYALS
"""Rules with huffing have no royal pieces: the set then has the pieces that failed to capture."""

STEP_DIRECTIONS = np.array(
    [[[0b0011, 0b1100], [0b0011, 0b1100], [0b1111, 0b1111]], [[0b0001, 0b1000], [0b0111, 0b1110], [0b1111, 0b1111]]],
    np.int64,
)
"""The directions of a man's steps along its main lines as a bit set, by squares used, `Rules.men_step` and side."""
OTHER_DIRECTIONS = np.array(
    [[[0b0001, 0b1000], [0b0111, 0b1110], [0b1111, 0b1111]], [[0b0011, 0b1100], [0b0011, 0b1100], [0b1111, 0b1111]]],
    np.int64,
)
"""The same for the other lines; the lowest bit is direction 4."""


@inline_ir
def geometry(rules: Any) -> int:
    """Return the index of the board in the tables."""
    return GEOMETRY[rules.squares, rules.size]


@inline_ir
def wide(rules: Any) -> bool:
    """Return whether a set of squares needs more than one word."""
    return rules.size > 10 - 2 * rules.squares


@inline_ir
def words(rules: Any) -> int:
    """Return the number of words in a set of squares."""
    return WORDS if wide(rules) else 1


@inline_ir
def bit(square: int) -> int:
    """Return the bit of a square within its word."""
    return np.int64(1) << np.int64(square & 63)


@inline_ir
def has(array: Any, offset: int, square: int) -> bool:
    """Return whether the set at word ``offset`` contains a square."""
    return (array[offset + (square >> 6)] >> (square & 63)) & 1 != 0


@inline_ir
def step(squares: int, g: int, d: int) -> int:
    """Shift squares by one step in a direction, on a board or window of one word.

    On boards of more than one word, this works only along the main lines.
    """
    if d & 2 == 0:
        return (squares << SHIFT[g, d]) & ARRIVAL[g, d]
    return (squares >> SHIFT[g, d]) & ARRIVAL[g, d]


@inline_ir
def man_steps(rules: Any, side: int) -> int:
    """Return the directions in which men step."""
    return STEP_DIRECTIONS[rules.squares, rules.men_step, side]


@inline_ir
def man_captures(rules: Any, side: int) -> int:
    """Return the directions in which men capture along the main lines."""
    return (
        15
        if rules.men_capture == TOGGLES.men_capture.all_directions
        else STEP_DIRECTIONS[rules.squares, rules.men_step, side]
    )


@inline_ir
def lines_begin(rules: Any) -> int:
    """Return 0 if pieces capture along the main lines (directions 0 to 3), 1 if only along the others (4 to 7)."""
    return 1 if rules.capture_lines == TOGGLES.capture_lines.other else 0


@inline_ir
def lines_end(rules: Any) -> int:
    """Return 1 if pieces capture along the main lines only, otherwise 2."""
    return 1 if rules.capture_lines == TOGGLES.capture_lines.own else 2


@inline_ir
def king_directions(rules: Any) -> int:
    """Return the directions in which kings capture."""
    if rules.capture_lines == TOGGLES.capture_lines.own:
        return 0x0F
    return 0xFF if rules.capture_lines == TOGGLES.capture_lines.all else 0xF0


@inline_ir
def man_directions(rules: Any, side: int) -> int:
    """Return the directions in which men capture, along all lines."""
    own = man_captures(rules, side)
    if rules.capture_lines == TOGGLES.capture_lines.own:
        return own
    other = 15 if own == 15 else OTHER_DIRECTIONS[rules.squares, rules.men_step, side]
    return other << 4 | (own if rules.capture_lines == TOGGLES.capture_lines.all else 0)


@inline_ir
def runs_start(rules: Any) -> int:
    """Return the index of the first of the two words that record consecutive king moves."""
    return SETS + 4 * words(rules)


@inline_ir
def barred_king(rules: Any, state: Any, side: int) -> int:
    """Return the square of a side's king that has made too many consecutive quiet moves, or -1."""
    run = state[runs_start(rules) + side] if rules.king_run else 0
    return run & 255 if run >> 8 == rules.king_run and run else -1


@inline_ir
def barred_king_in_window(rules: Any, state: Any, side: int, base: int) -> int:
    """Return a side's barred king as a set within a window."""
    offset = barred_king(rules, state, side) - base
    return bit(offset) if 0 <= offset < 64 else 0


@inline_ir
def free_ray(g: int, d: int, square: int, occupied: int) -> int:
    """Return the empty squares between a square and the first piece in a direction, on a board of one word."""
    ray = RAY[g, d, square]
    blockers = ray & occupied
    if blockers == 0:
        return ray
    if d & 2 == 0:
        return ray & ((blockers & -blockers) - 1)
    return ray & ~(2 * (bit(highest(blockers)) - 1) + 1)


@inline_ir
def first_on_ray(rules: Any, g: int, d: int, square: int, array: Any, offset: int) -> int:
    """Return the first square in a direction that is in the set at word ``offset`` of ``array``, or -1."""
    if not wide(rules):
        blockers = RAY[g, d, square] & array[offset]
        if blockers == 0:
            return -1
        return lowest(blockers) if d & 2 == 0 else highest(blockers)
    target = NEXT[g, square, d]
    while target >= 0 and not has(array, offset, target):
        target = NEXT[g, target, d]
    return target


@inline_ir
def window_bits(array: Any, offset: int, base: int) -> int:
    """Return 64 bits, starting at bit ``base``, of the wide set at word ``offset``."""
    word, shift = base >> 6, base & 63
    low = array[offset + word]
    if shift == 0:
        return low
    low = (low >> shift) & (bit(64 - shift) - 1)
    return low | (array[offset + word + 1] << (64 - shift)) if word + 1 < WORDS else low


@njit
def fill_occupied(state: Any, out: Any) -> None:
    """Fill ``out`` with the occupied squares of a wide board."""
    for word in range(WORDS):
        out[word] = state[SETS + word] | state[SETS + WORDS + word]


@inline_ir
def window_pieces(rules: Any, state: Any, g: int, side: int, base: int, own: int) -> tuple[int, int, int, int, int]:
    """Return a side's men and kings within ``own``, and all enemies, kings and empty squares in a window."""
    if not wide(rules):
        pieces, enemies, kings = state[SETS + side], state[SETS + 1 - side], state[SETS + KINGS]
        return pieces & ~kings, pieces & kings, enemies, kings, BOARD[g, 0] & ~(pieces | enemies)
    pieces = window_bits(state, SETS + side * WORDS, base)
    enemies = window_bits(state, SETS + (1 - side) * WORDS, base)
    kings = window_bits(state, SETS + KINGS * WORDS, base)
    low = window_bits(BOARD[g], 0, base)
    return pieces & ~kings & own, pieces & kings & own, enemies, kings, low & ~(pieces | enemies)


@njit
def pieces_and_kings(rules: Any, state: Any, side: int) -> tuple[int, int]:
    """Count a side's pieces and kings."""
    w, pieces, kings = words(rules), 0, 0
    for word in range(w):
        own = state[SETS + side * w + word]
        pieces += popcount(own)
        kings += popcount(own & state[SETS + KINGS * w + word])
    return pieces, kings


@njit
def ending_plies(rules: Any, state: Any) -> int:
    """Return the number of plies that the endgame limits allow, or 0 if none applies."""
    first, first_kings = pieces_and_kings(rules, state, 0)
    second, second_kings = pieces_and_kings(rules, state, 1)
    if first_kings == 0 or second_kings == 0:
        return 0
    fewer, larger, larger_kings = (first, second, second_kings) if first <= second else (second, first, first_kings)
    if rules.endgame_limits == TOGGLES.endgame_limits.international:
        if fewer > 1 or larger > 3:
            return 0
        return 32 if larger == 3 else 10
    if rules.endgame_limits == TOGGLES.endgame_limits.frisian:
        return 0 if fewer > 1 or larger > 2 or larger != larger_kings else 14 if larger == 2 else 4
    if rules.endgame_limits == TOGGLES.endgame_limits.pool:
        return 26 if fewer == 1 and larger == 3 and larger_kings == 3 else 0
    if rules.endgame_limits == TOGGLES.endgame_limits.russian:
        if fewer == 1 and larger >= 3 and larger == larger_kings:
            return 30
        if first + second > 7:
            return 0
        return 10 if first + second <= 3 else 60 if first + second <= 5 else 120
    return 0


@inline_ir
def jumpable(g: int, d: int, prey: int, empty: int) -> int:
    """Return the squares from which a piece can jump over a piece of ``prey`` in a direction."""
    return step(step(empty, g, d ^ 3) & prey, g, d ^ 3)


@njit
def jumpers(rules: Any, g: int, side: int, men: int, shorts: int, enemies: int, kings: int, empty: int) -> int:
    """Return the men and short-range kings that can jump along any capture line, on a board of one word."""
    directions, origins = man_directions(rules, side), 0
    prey = enemies if rules.men_may_take_kings else enemies & ~kings
    for d in range(4 * lines_begin(rules), 4 * lines_end(rules)):
        origins |= shorts & jumpable(g, d, enemies, empty)
        if (directions >> d) & 1:
            origins |= men & jumpable(g, d, prey, empty)
    return origins


@inline_ir
def jump_origins(rules: Any, g: int, directions: int, enemies: int, kings: int, empty: int) -> Any:
    """Return the squares from which men and short-range kings can jump, as four sets each, by direction.

    ``directions`` are the men's capture directions.
    """
    k0, k1 = jumpable(g, 0, enemies, empty), jumpable(g, 1, enemies, empty)
    k2, k3 = jumpable(g, 2, enemies, empty), jumpable(g, 3, enemies, empty)
    m0, m1, m2, m3 = k0, k1, k2, k3
    if rules.men_may_take_kings == 0 and kings & enemies:
        prey = enemies & ~kings
        m0, m1 = jumpable(g, 0, prey, empty), jumpable(g, 1, prey, empty)
        m2, m3 = jumpable(g, 2, prey, empty), jumpable(g, 3, prey, empty)
    return (
        (m0 & -(directions & 1), m1 & -((directions >> 1) & 1), m2 & -((directions >> 2) & 1), m3 & -(directions >> 3)),
        (k0, k1, k2, k3),
    )
