"""Draughts' board, compiled: the rules of a variant, the words of a state, and sets of squares that step and slide.

Boards and directions are explained in `kernel_tables`. A state holds the words named below and four sets: the pieces of
either seat, the kings of both, and the royal pieces of both (a royal piece is among the kings, too). A set is one word,
or `WORDS` words where the board is too large for one (`wide`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.bits import highest, lowest, popcount
from workbench.engine.jit import by_reference, inline_ir, njit
from workbench.games.declaration import kernel_names, rules_type
from workbench.games.draughts import kernel_tables as t
from workbench.games.draughts.rules import DECLARATION

Rules = by_reference(rules_type(DECLARATION, __name__))
"""The toggles."""
TOGGLES, FEATURES, EVENTS, ENDINGS, STYLES, UNITS = kernel_names(DECLARATION)

TURN, QUIET, HASH, LEFT, SETS = 0, 1, 2, 3, 4
"""The words of a state: side to move, plies since a capture or a man's move, hash, and one more than the plies that the
rule on endings leaves, 0 where it leaves any number; then the sets; then, if `Rules.king_run` limits it, for each seat
``moves << 8 | square`` of the king that moved last without a capture, 0 where none did or the seat has no men."""
KINGS, ROYALS = 2, 3
"""Which of the sets these are; the first two are the pieces of the seats."""
HUFFABLE = ROYALS
"""Where pieces are huffed there are none that are royal: the set holds those that could have captured and did not."""

STEP_DIRECTIONS = np.array(
    [
        [[0b0011, 0b1100], [0b0011, 0b1100], [0b1111, 0b1111]],
        [[0b0001, 0b1000], [0b0111, 0b1110], [0b1111, 0b1111]],
    ],
    np.int64,
)
"""Where men step along the own lines, as a set of directions: by the squares used, `Rules.men_step` and side."""
OTHER_DIRECTIONS = np.array(
    [
        [[0b0001, 0b1000], [0b0111, 0b1110], [0b1111, 0b1111]],
        [[0b0011, 0b1100], [0b0011, 0b1100], [0b1111, 0b1111]],
    ],
    np.int64,
)
"""The same of the other lines; the lowest bit is direction 4."""


@inline_ir
def geometry(rules: Any) -> int:
    """Return the number of the board in the tables."""
    return t.GEOMETRY[rules.squares, rules.size]


@inline_ir
def wide(rules: Any) -> bool:
    """Return whether a set of squares needs more than one word."""
    return rules.size > 10 - 2 * rules.squares


@inline_ir
def words(rules: Any) -> int:
    """Return the words of a set of squares."""
    return t.WORDS if wide(rules) else 1


@inline_ir
def bit(square: int) -> int:
    """Return the bit of a square within its word."""
    return np.int64(1) << np.int64(square & 63)


@inline_ir
def has(array: Any, at: int, square: int) -> bool:
    """Return whether the set that begins at word ``at`` holds a square."""
    return (array[at + (square >> 6)] >> (square & 63)) & 1 != 0


@inline_ir
def step(squares: int, g: int, d: int) -> int:
    """Return the squares one step away in a direction; for boards or windows of one word.

    Limits: on boards of more words only along the own lines.
    """
    if d & 2 == 0:
        return (squares << t.SHIFT[g, d]) & t.ARRIVAL[g, d]
    return (squares >> t.SHIFT[g, d]) & t.ARRIVAL[g, d]


@inline_ir
def man_steps(rules: Any, side: int) -> int:
    """Return the directions in which men step."""
    return STEP_DIRECTIONS[rules.squares, rules.men_step, side]


@inline_ir
def man_captures(rules: Any, side: int) -> int:
    """Return the directions in which men capture."""
    return (
        15
        if rules.men_capture == TOGGLES.men_capture.all_directions
        else STEP_DIRECTIONS[rules.squares, rules.men_step, side]
    )


@inline_ir
def lines_begin(rules: Any) -> int:
    """0 if pieces capture along the own lines, directions 0 to 3; 1 if only along the other ones, directions 4 to 7."""
    return 1 if rules.capture_lines == TOGGLES.capture_lines.other else 0


@inline_ir
def lines_end(rules: Any) -> int:
    """1 if pieces capture along the own lines alone; 2 if along the other ones."""
    return 1 if rules.capture_lines == TOGGLES.capture_lines.own else 2


@inline_ir
def king_lines(rules: Any) -> int:
    """Return the directions in which kings capture."""
    if rules.capture_lines == TOGGLES.capture_lines.own:
        return 0x0F
    return 0xFF if rules.capture_lines == TOGGLES.capture_lines.all else 0xF0


@inline_ir
def man_lines(rules: Any, side: int) -> int:
    """Return the directions in which men capture, those along the other lines among them."""
    own = man_captures(rules, side)
    if rules.capture_lines == TOGGLES.capture_lines.own:
        return own
    other = 15 if own == 15 else OTHER_DIRECTIONS[rules.squares, rules.men_step, side]
    return other << 4 | (own if rules.capture_lines == TOGGLES.capture_lines.all else 0)


@inline_ir
def runs(rules: Any) -> int:
    """Return the first of the two words that count moves in a row."""
    return SETS + 4 * words(rules)


@inline_ir
def resting(rules: Any, state: Any, side: int) -> int:
    """Return the square of the king that may not move without a capture, having moved often enough in a row; or -1."""
    run = state[runs(rules) + side] if rules.king_run else 0
    return run & 255 if run >> 8 == rules.king_run and run else -1


@inline_ir
def resting_in(rules: Any, state: Any, side: int, base: int) -> int:
    """That king as a set, in a window."""
    at = resting(rules, state, side) - base
    return bit(at) if 0 <= at < 64 else 0


@inline_ir
def free_ray(g: int, d: int, square: int, occupied: int) -> int:
    """Return the free squares from a square on up to the first piece in a direction; for boards of one word."""
    ray = t.RAY[g, d, square]
    met = ray & occupied
    if met == 0:
        return ray
    if d & 2 == 0:
        return ray & ((met & -met) - 1)
    return ray & ~(2 * (bit(highest(met)) - 1) + 1)


@inline_ir
def first_on_ray(rules: Any, g: int, d: int, square: int, array: Any, at: int) -> int:
    """Return the first square in a direction that the set at word ``at`` of ``array`` holds, or -1."""
    if not wide(rules):
        met = t.RAY[g, d, square] & array[at]
        if met == 0:
            return -1
        return lowest(met) if d & 2 == 0 else highest(met)
    reached = t.NEXT[g, square, d]
    while reached >= 0 and not has(array, at, reached):
        reached = t.NEXT[g, reached, d]
    return reached


@inline_ir
def windowed(array: Any, at: int, base: int) -> int:
    """Return the 64 bits from bit ``base`` on of the set of `WORDS` words at word ``at``."""
    word, shift = base >> 6, base & 63
    low = array[at + word]
    if shift == 0:
        return low
    low = (low >> shift) & (bit(64 - shift) - 1)
    return low | (array[at + word + 1] << (64 - shift)) if word + 1 < t.WORDS else low


@njit
def wide_occupied(state: Any, out: Any) -> None:
    """Fill ``out`` with the occupied squares of a wide board."""
    for word in range(t.WORDS):
        out[word] = state[SETS + word] | state[SETS + t.WORDS + word]


@inline_ir
def pieces_in(rules: Any, state: Any, g: int, side: int, base: int, own: int) -> tuple[int, int, int, int, int]:
    """What a side has in a window: its men and its kings within ``own``; and all enemies, kings and empty squares."""
    if not wide(rules):
        mine, theirs, kings = state[SETS + side], state[SETS + 1 - side], state[SETS + KINGS]
        return mine & ~kings, mine & kings, theirs, kings, t.BOARD[g, 0] & ~(mine | theirs)
    mine = windowed(state, SETS + side * t.WORDS, base)
    theirs = windowed(state, SETS + (1 - side) * t.WORDS, base)
    kings = windowed(state, SETS + KINGS * t.WORDS, base)
    low = windowed(t.BOARD[g], 0, base)
    return mine & ~kings & own, mine & kings & own, theirs, kings, low & ~(mine | theirs)


@njit
def pieces_and_kings(rules: Any, state: Any, side: int) -> tuple[int, int]:
    """How many pieces a side has, and how many of them are kings."""
    w, pieces, kings = words(rules), 0, 0
    for word in range(w):
        own = state[SETS + side * w + word]
        pieces += popcount(own)
        kings += popcount(own & state[SETS + KINGS * w + word])
    return pieces, kings


@njit
def ending_plies(rules: Any, state: Any) -> int:
    """Return the plies that the rule on endings gives the pieces on the board; 0 where it gives any number."""
    first, first_kings = pieces_and_kings(rules, state, 0)
    second, second_kings = pieces_and_kings(rules, state, 1)
    if first_kings == 0 or second_kings == 0:
        return 0
    lone, more, more_kings = (first, second, second_kings) if first <= second else (second, first, first_kings)
    if rules.endgame_limits == TOGGLES.endgame_limits.international:
        if lone > 1 or more > 3:
            return 0
        return 32 if more == 3 else 10
    if rules.endgame_limits == TOGGLES.endgame_limits.frisian:
        return 0 if lone > 1 or more > 2 or more != more_kings else 14 if more == 2 else 4
    if rules.endgame_limits == TOGGLES.endgame_limits.pool:
        return 26 if lone == 1 and more == 3 and more_kings == 3 else 0
    if rules.endgame_limits == TOGGLES.endgame_limits.russian:
        if lone == 1 and more >= 3 and more == more_kings:
            return 30
        if first + second > 7:
            return 0
        return 10 if first + second <= 3 else 60 if first + second <= 5 else 120
    return 0


@inline_ir
def jumpable(g: int, d: int, prey: int, empty: int) -> int:
    """Return the squares from which a short jump over ``prey`` is possible in one direction."""
    return step(step(empty, g, d ^ 3) & prey, g, d ^ 3)


@njit
def jumpers(rules: Any, g: int, side: int, men: int, shorts: int, theirs: int, kings: int, empty: int) -> int:
    """The men, and the kings that jump like one, that can jump along any line of captures; on boards of one word."""
    directions, found = man_lines(rules, side), 0
    prey = theirs if rules.men_may_take_kings else theirs & ~kings
    for d in range(4 * lines_begin(rules), 4 * lines_end(rules)):
        found |= shorts & jumpable(g, d, theirs, empty)
        if (directions >> d) & 1:
            found |= men & jumpable(g, d, prey, empty)
    return found


@inline_ir
def jump_origins(rules: Any, g: int, directions: int, theirs: int, kings: int, empty: int) -> Any:
    """Return the squares from which a man, and a king that jumps like one, can jump: four sets each, by direction.

    ``directions`` are those in which a man captures.
    """
    k0, k1 = jumpable(g, 0, theirs, empty), jumpable(g, 1, theirs, empty)
    k2, k3 = jumpable(g, 2, theirs, empty), jumpable(g, 3, theirs, empty)
    m0, m1, m2, m3 = k0, k1, k2, k3
    if rules.men_may_take_kings == 0 and kings & theirs:
        prey = theirs & ~kings
        m0, m1 = jumpable(g, 0, prey, empty), jumpable(g, 1, prey, empty)
        m2, m3 = jumpable(g, 2, prey, empty), jumpable(g, 3, prey, empty)
    return (
        (m0 & -(directions & 1), m1 & -((directions >> 1) & 1), m2 & -((directions >> 2) & 1), m3 & -(directions >> 3)),
        (k0, k1, k2, k3),
    )
