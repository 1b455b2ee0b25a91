"""The boards of draughts as tables: which square lies where, which one comes next, and what it is worth in a hash.

A square is a bit of a set. Its column x is counted from the first seat's left, its row y from the first seat's back
row, so that the first seat moves towards higher bits. On a dark-square board of n×n only the squares with x + y even
exist, and ``bit = (y * w + x) / 2`` with w odd and greater than n: rows are so far apart that a diagonal step always
adds or subtracts the same number, and a step off the board meets a bit that is no square:

        5×5, w = 7:   y 1    4     5            steps +3 (left) and +4 (right) up, -4 (left) and -3 (right) down
                      y 0 0     1     2    (3)

On a board where all squares are used, ``bit = y * w + x``; 8×8 has no bit to spare (w = 8), so there what would run
over the edge is masked off.

Directions: 0 and 1 lead to higher bits, 2 and 3 to lower ones, and ``d ^ 3`` is the opposite of d. Those from 4 on are
of the other lines, which few games use; on dark squares their next square is two columns or rows away.

        dark squares   0 up and left, 1 up and right, 2 down and left, 3 down and right; 4 up, 5 right, 6 left, 7 down
        all squares    0 up, 1 right, 2 left, 3 down; 4 up and left, 5 up and right, 6 down and left, 7 down and right

Sets of more than 64 bits are looked at through windows of 64 bits, each wide enough for the jumps of its own pieces
along the own lines. Boards that are not square always have such sets, however small they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.games.draughts.rules import DECLARATION

CODES: list[Any] = [DECLARATION.toggle("size").code(value.name) for value in DECLARATION.toggle("size").values]
"""The codes of the sizes."""
DARK, ALL = 0, 1
BITS = 160
"""More than any board has, ghost squares included."""
WORDS = 3
WINDOWS = 12


def extent(code: int) -> tuple[int, int]:
    """Columns and rows of the board by the code of its size: a square one has its number, others both."""
    return code & 15, code >> 4 or code


def width(squares: int, size: tuple[int, int]) -> int:
    """How many bits (on dark squares: half bits) lie between two rows."""
    files = size[0]
    if squares == DARK:
        return files + 1 + files % 2
    return files if size == (8, 8) else files + 1


def bit_of(squares: int, size: tuple[int, int], x: int, y: int) -> int:
    """Return the bit of a square of a board of so many columns and rows, -1 if there is none."""
    if not (0 <= x < size[0] and 0 <= y < size[1]) or (squares == DARK and (x + y) % 2):
        return -1
    bit = y * width(squares, size) + x
    return bit // 2 if squares == DARK else bit


def steps(squares: int) -> tuple[tuple[int, int], ...]:
    """Return the eight directions as steps of column and row."""
    diagonal, straight = ((-1, 1), (1, 1), (-1, -1), (1, -1)), ((0, 1), (1, 0), (-1, 0), (0, -1))
    if squares == DARK:
        return (*diagonal, *((2 * x, 2 * y) for x, y in straight))
    return (*straight, *diagonal)


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


def _words(bits: int) -> list[int]:
    return [_signed((bits >> (64 * i)) & ((1 << 64) - 1)) for i in range(WORDS)]


COUNT = 2 * len(CODES)
GEOMETRY = np.full((2, 256), -1, np.int64)
"""The number of a board in the tables below, by the squares used and the code of the size."""
LAST = np.zeros(COUNT, np.int64)
"""The row on which the first seat's men are crowned."""
CROWN = np.zeros((COUNT, 2, WORDS), np.int64)
"""The squares on which the men of each seat are crowned."""
SHIFT = np.zeros((COUNT, 8), np.int64)
"""By how much a set is shifted, up for directions 0 and 1, 4 and 5, down for the others."""
ARRIVAL = np.zeros((COUNT, 8), np.int64)
"""Where a step may arrive; it also keeps the sign of a word from being shifted in."""
NEXT = np.full((COUNT, BITS, 8), -1, np.int64)
"""The next square in each direction, -1 off the board."""
RAY = np.zeros((COUNT, 8, 64), np.int64)
"""All squares in a direction, on boards of one word."""
BOARD = np.zeros((COUNT, WORDS), np.int64)
ROWS = np.zeros((COUNT, 12, WORDS), np.int64)
ROW = np.zeros((COUNT, BITS), np.int64)
CELL = np.zeros((COUNT, BITS), np.int64)
"""Where a square is shown: ``y << 5 | x`` with y from the top, the second seat's back row."""
CENTRE = np.zeros((COUNT, WORDS), np.int64)
"""The middle squares: those at least a third of the board away from every edge."""
BACK_CENTRE = np.full(COUNT, -1, np.int64)
"""The bit of the first seat's middle square of its back row; the second seat's is opposite."""
FAR_CENTRE = np.full(COUNT, -1, np.int64)
WINDOW_COUNT = np.ones(COUNT, np.int64)
WINDOW_BASE = np.zeros((COUNT, WINDOWS), np.int64)
"""The first bit of a window."""
WINDOW_OWN = np.zeros((COUNT, WINDOWS), np.int64)
"""The bits of a window whose pieces can be judged in it; each piece belongs to one window."""


def _fill(squares: int, size: tuple[int, int], g: int) -> None:
    files, ranks = size
    cells = {bit_of(squares, size, x, y): (x, y) for y in range(ranks) for x in range(files)}
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
    BACK_CENTRE[g] = bit_of(squares, size, files // 2, 0) if files % 2 else -1
    FAR_CENTRE[g] = bit_of(squares, size, files // 2, ranks - 1) if files % 2 else -1
    w = width(squares, size)
    diagonal = ((w - 1) // 2, (w + 1) // 2) if squares == DARK else (w - 1, w + 1)
    shifts = (*diagonal, w, 1) if squares == DARK else (w, 1, *diagonal)
    for d, (dx, dy) in enumerate(steps(squares)):
        # A direction leads up by as much as its opposite leads down.
        shift = shifts[2 * (d // 4) + (d & 1 if d & 2 == 0 else (d & 1) ^ 1)]
        SHIFT[g, d] = shift
        ARRIVAL[g, d] = -1 if d & 2 == 0 else (1 << (64 - shift)) - 1
        for bit, (x, y) in cells.items():
            ROW[g, bit] = y
            CELL[g, bit] = (ranks - 1 - y) << 5 | x
            NEXT[g, bit, d] = bit_of(squares, size, x + dx, y + dy)
        if total > 64:
            continue
        for bit in cells:
            ray, met = 0, bit
            while (met := int(NEXT[g, met, d])) >= 0:
                ray |= 1 << met
            RAY[g, d, bit] = _signed(ray)
        if dx and (w == files or abs(dx) == 2):
            edge = range(abs(dx)) if dx > 0 else range(files - abs(dx), files)
            ARRIVAL[g, d] &= ~_words(sum(1 << bit for bit, cell in cells.items() if cell[0] in edge))[0]
    jump = 2 * max(shifts[:2])
    begin, k = 0, 0
    while begin < total:
        base = max(0, begin - jump)
        end = total if base + 64 >= total else base + 64 - jump
        WINDOW_BASE[g, k] = base
        WINDOW_OWN[g, k] = _signed(sum(1 << (bit - base) for bit in range(begin, end)))
        begin, k = end, k + 1
    WINDOW_COUNT[g] = k


for _squares in (DARK, ALL):
    for _i, _code in enumerate(CODES):
        GEOMETRY[_squares, _code] = len(CODES) * _squares + _i
        _fill(_squares, extent(_code), len(CODES) * _squares + _i)


def _numbers(count: int, state: int) -> list[int]:
    """Random 63-bit numbers of SplitMix64."""
    numbers = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & ((1 << 64) - 1)
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & ((1 << 64) - 1)
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & ((1 << 64) - 1)
        numbers.append(_signed(z ^ (z >> 31)))
    return numbers


ZOBRIST = np.array(_numbers(6 * BITS, 1), np.int64).reshape(6, BITS)
"""Men of the first and the second seat, their kings, and what marks their royal pieces, by square."""
ZOBRIST_TURN = _numbers(1, 2)[0]
"""What a change of turn does to the hash."""
