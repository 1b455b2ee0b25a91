"""The chessboard as bitboards: state, geometry and attacks.

Square a1 is bit 0, h1 bit 7, h8 bit 63::

    56 57 .. 63   rank 8         +7 +8 +9
     .  .     .                  -1  .  +1
     0  1 ..  7   rank 1         -9 -8 -7

A state contains a word for each kind of piece of both colours, a word for each colour, and the words below. Words are
signed, so the results of right shifts, which copy the sign, are always masked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.bits import highest, lowest
from workbench.engine.jit import by_reference, inline_ir, njit
from workbench.engine.rng import random_words
from workbench.games.chess.rules import DECLARATION
from workbench.games.declaration import kernel_names, rules_type

Rules = by_reference(rules_type(DECLARATION, __name__))
"""The toggles."""
TOGGLES, FEATURES, EVENTS, ENDINGS, STYLES, UNITS = kernel_names(DECLARATION)

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = 0, 1, 2, 3, 4, 5
"""The kinds of pieces, and the state words with their squares."""
WHITE, BLACK = 6, 7
"""The state words of the colours; colour 0 (White) belongs to the first seat."""
HASH = 8
"""The Zobrist hash of pieces, colour to move, castling rights and en passant."""
COLOUR, SEAT = 9, 10
"""The colour to move, and the seat that chooses the move."""
RUN, DONE = 11, 12
"""The length of the chooser's run of plies, and the number played so far."""
CASTLING = 13
"""Castling rights: 1 White king's side, 2 White queen's side, 4 and 8 Black's."""
PASSANT = 14
"""The en passant square if the capture is legal, otherwise 0."""
CLOCK = 15
"""Plies since the last capture or pawn move."""
CHECKERS = 16
"""The pieces that give check to the colour to move."""
MOVED = 17
"""Under the Detente rules, the relevant squares of pieces moved in this run."""
CHOICE = 18
"""1 while the owner of a pawn on its last rank must choose the promotion."""
WAIT = 19
"""The number of plies until castling is allowed, if there are castling rights."""
CHANGED = 20
"""The bits of `rule_changes`, which are read often, and faster from here than from the toggles."""
STATE_WORDS = 21
GIVEN = 21
"""Checks given by White in the low eight bits and by Black above, if the rules count them."""
HAND = 22
"""White's pieces in hand, eight bits for each kind; the next word has Black's."""
PROMOTED = 24
"""The squares of promoted pawns, if the rules need them."""
PASSED = 25
"""For the general generator: the square of the pawn that can be captured en passant."""
OUTSIDE, RANKS = 26, 27
"""For the general generator: the squares outside a small board, and its number of ranks."""
MORE_WORDS = 28
"""The number of state words under rules that need more."""

BY_RAYS, ENDS, GENERAL = 1, 2, 4
"""Bits of `CHANGED`: some pieces have non-standard moves (`kernel_rays`); games may end by rules that chess lacks; the
general generator makes the moves (`kernel_general`)."""

USUAL_WORDS = 10
"""The number of words of a start position on the standard board with standard castling."""

LONGEST_WAIT = 20
"""Number of plies in ten moves of both colours."""

MOST_MOVES = 256
"""An upper bound on the number of moves in chess, for which the known maximum is 218."""
ROOM_FOR_MOVES = 324
"""An upper bound under all rules: the moves of nine queens, two rooks, bishops and knights and a king, each alone on
the board. It is only approached if players may capture their own pieces."""

# Directions 0 to 3 lead to higher bits; direction d + 4 is the opposite of d.
STEPS = (8, 1, 9, 7, -8, -1, -9, -7)
NORTH, EAST, NORTH_EAST, NORTH_WEST, SOUTH, WEST, SOUTH_WEST, SOUTH_EAST = range(8)
_DELTAS = ((0, 1), (1, 0), (1, 1), (-1, 1), (0, -1), (-1, 0), (-1, -1), (1, -1))
_LEAPS = ((1, 2), (-1, 2), (2, 1), (-2, 1), (-1, -2), (1, -2), (-2, -1), (2, -1))


def _word(bits: int) -> Any:
    """Return 64 bits as a signed word."""
    bits &= 0xFFFFFFFFFFFFFFFF
    return np.int64(bits - (bits >> 63 << 64))


def _cells(square: int, deltas: tuple[tuple[int, int], ...], slides: bool) -> int:
    """Return the squares one step away in the given directions, or all squares in these directions if ``slides``."""
    squares = 0
    for dx, dy in deltas:
        x, y = square % 8 + dx, square // 8 + dy
        while 0 <= x < 8 and 0 <= y < 8:
            squares |= 1 << (8 * y + x)
            x, y = x + dx, y + dy
            if not slides:
                break
    return squares


def _table(rows: list[Any]) -> Any:
    return np.array(rows, np.int64)


ALL = _word(-1)
FILE_A, FILE_H = _word(0x0101010101010101), _word(0x8080808080808080)
NOT_A, NOT_H, NOT_8 = _word(~0x0101010101010101), _word(~0x8080808080808080), _word((1 << 56) - 1)
NOT_AB, NOT_GH = _word(~0x0303030303030303), _word(~0xC0C0C0C0C0C0C0C0)
NOT_78 = _word((1 << 48) - 1)
NOT_A8, NOT_H8 = NOT_A & NOT_8, NOT_H & NOT_8
FIRST_RANK = _word(0xFF)
LAST_RANKS = _word(0xFF000000000000FF)
RANK_3, RANK_6 = _word(0xFF << 16), _word(0xFF << 40)
RANK_2, RANK_7 = _word(0xFF << 8), _word(0xFF << 48)
RANKS_34, RANKS_56 = _word(0xFFFF << 16), _word(0xFFFF << 32)
NOT_1, INNER_RANKS = _word(~0xFF), _word(0x00FFFFFFFFFFFF00)
LIGHT = _word(0x55AA55AA55AA55AA)
CENTRE = _word(0x0000001818000000)

RAYS = _table([[_word(_cells(s, (d,), True)) for d in _DELTAS] for s in range(64)])
"""The squares of an empty board in each of the eight directions."""
LINES = _table([[RAYS[s, d] | RAYS[s, d + 4] for d in range(4)] for s in range(64)])
KNIGHT_STEPS = _table([_word(_cells(s, _LEAPS, False)) for s in range(64)])
KING_STEPS = _table([_word(_cells(s, _DELTAS, False)) for s in range(64)])
PAWN_TAKES = _table([[_word(_cells(s, ((-1, dy), (1, dy)), False)) for s in range(64)] for dy in (1, -1)])
"""The squares attacked by a pawn of each colour."""


def _between() -> Any:
    between = np.zeros((64, 64), np.int64)
    for a in range(64):
        for d in range(8):
            ray = RAYS[a, d]
            for b in range(64):
                if (int(ray) >> b) & 1:
                    between[a, b] = ray & RAYS[b, (d + 4) % 8]
    return between


BETWEEN = _between()
"""The squares between two squares on a line, or none."""


_RANDOM = random_words(2 * 6 * 64 + 16 + 8 + 2 + 64, 0x007)
HASH_PIECE = _RANDOM[:768].reshape(2, 6, 64).copy()
HASH_CASTLING = _RANDOM[768:784].copy()
HASH_PASSANT = _RANDOM[794:858].copy()
HASH_PASSANT[16:24] = HASH_PASSANT[40:48] = _RANDOM[784:792]
HASH_BLACK, HASH_CHOICE = _RANDOM[792], _RANDOM[793]

KEPT_RIGHTS = _table([15 & ~({4: 3, 60: 12, 0: 2, 7: 1, 56: 8, 63: 4}.get(square, 0)) for square in range(64)])
"""The castling rights that remain after a move from or to a square."""


def _double_steps() -> Any:
    steps = np.zeros((5, 2), np.int64)
    values = TOGGLES.pawn_double_step
    steps[values.from_start] = RANK_3, RANK_6
    steps[values.first_and_second] = RANK_3 | RANK_2, RANK_6 | RANK_7
    steps[values.second_and_third] = RANKS_34, RANKS_56
    steps[values.anywhere] = ALL
    return steps


DOUBLE_STEPS = _double_steps()
"""The squares that a pawn may pass by a double step, by setting and colour."""

ROOK_FROM = _table([7, 0, 63, 56])
ROOK_TO = _table([5, 3, 61, 59])
"""The rook's squares for each castling move."""


@inline_ir
def bit(square: Any) -> int:
    """Return a word with only the bit of ``square`` set."""
    return np.int64(1) << square


@inline_ir
def along(square: int, axis: int, occupied: int) -> int:
    """Return the squares that a slider attacks along one of the four lines through its square."""
    up, down = RAYS[square, axis], RAYS[square, axis + 4]
    above, below = up & occupied, down & occupied
    return (up & (above ^ (above - 1))) | (down & (ALL << highest(below | 1)))


@inline_ir
def rook_attacks(square: int, occupied: int) -> int:
    """Return the squares attacked by a rook."""
    return along(square, NORTH, occupied) | along(square, EAST, occupied)


@inline_ir
def bishop_attacks(square: int, occupied: int) -> int:
    """Return the squares attacked by a bishop."""
    return along(square, NORTH_EAST, occupied) | along(square, NORTH_WEST, occupied)


@inline_ir
def fill_up(sliders: int, free: int, step: int, landing: int) -> int:
    """Return the squares that sliders attack in one direction towards higher bits (Kogge-Stone fill).

    ``landing`` contains the possible targets of one step. Each square is attacked by at most one slider, the nearest.
    """
    path = free & landing
    sliders |= path & (sliders << step)
    path &= path << step
    sliders |= path & (sliders << (2 * step))
    path &= path << (2 * step)
    sliders |= path & (sliders << (4 * step))
    return (sliders << step) & landing


@inline_ir
def fill_down(sliders: int, free: int, step: int, landing: int) -> int:
    """Return the squares that sliders attack in one direction towards lower bits; see `fill_up`."""
    path = free & landing
    sliders |= path & (sliders >> step)
    path &= path >> step
    sliders |= path & (sliders >> (2 * step))
    path &= path >> (2 * step)
    sliders |= path & (sliders >> (4 * step))
    return (sliders >> step) & landing


@inline_ir
def orthogonal(sliders: int, free: int) -> int:
    """Return the squares attacked by rooks."""
    return (
        fill_up(sliders, free, 8, ALL)
        | fill_up(sliders, free, 1, NOT_A)
        | fill_down(sliders, free, 8, NOT_8)
        | fill_down(sliders, free, 1, NOT_H)
    )


@inline_ir
def diagonal(sliders: int, free: int) -> int:
    """Return the squares attacked by bishops."""
    return (
        fill_up(sliders, free, 9, NOT_A)
        | fill_up(sliders, free, 7, NOT_H)
        | fill_down(sliders, free, 9, NOT_H8)
        | fill_down(sliders, free, 7, NOT_A8)
    )


@inline_ir
def leaps(knights: int) -> int:
    """Return the squares attacked by knights."""
    return (
        ((knights << 17) & NOT_A)
        | ((knights << 15) & NOT_H)
        | ((knights << 10) & NOT_AB)
        | ((knights << 6) & NOT_GH)
        | ((knights >> 17) & NOT_H & NOT_78)
        | ((knights >> 15) & NOT_A & NOT_78)
        | ((knights >> 10) & NOT_GH & NOT_8)
        | ((knights >> 6) & NOT_AB & NOT_8)
    )


@inline_ir
def pawn_attacks(pawns: int, colour: int) -> int:
    """Return the squares attacked by pawns of one colour."""
    if colour == 0:
        return ((pawns << 7) & NOT_H) | ((pawns << 9) & NOT_A)
    return ((pawns >> 9) & NOT_H8) | ((pawns >> 7) & NOT_A8)


@inline_ir
def attackers(state: Any, square: int, colour: int, occupied: int) -> int:
    """Return the pieces of a colour that attack a square, given the occupied squares."""
    pieces = state[WHITE + colour]
    queens = state[QUEEN]
    return pieces & (
        (rook_attacks(square, occupied) & (state[ROOK] | queens))
        | (bishop_attacks(square, occupied) & (state[BISHOP] | queens))
        | (KNIGHT_STEPS[square] & state[KNIGHT])
        | (PAWN_TAKES[1 - colour, square] & state[PAWN])
        | (KING_STEPS[square] & state[KING])
    )


@inline_ir
def king_square(state: Any, colour: int) -> int:
    """Return the square of a colour's king, which must be on the board."""
    return lowest(state[KING] & state[WHITE + colour])


@inline_ir
def victims(rules: Any, state: Any, colour: int) -> int:
    """Return the pieces that a colour may capture."""
    if rules.self_capture == TOGGLES.self_capture.none:
        return state[BLACK - colour]
    return state[BLACK - colour] | (state[WHITE + colour] & ~state[KING])


@inline_ir
def by_rays(rules: Any) -> bool:
    """Return whether any kind of piece has non-standard moves."""
    return (
        rules.knight_moves.shape[0]
        | rules.bishop_moves.shape[0]
        | rules.rook_moves.shape[0]
        | rules.queen_moves.shape[0]
        | rules.king_moves.shape[0]
        | rules.pawn_moves.shape[0]
    ) != 0


@inline_ir
def own_turns(rules: Any) -> bool:
    """Return whether turns consist of several plies with the player's own pieces."""
    return (
        rules.turns == TOGGLES.turns.double
        or rules.turns == TOGGLES.turns.double_balanced
        or rules.turns == TOGGLES.turns.progressive_own
    )


@njit
def rule_changes(rules: Any) -> int:
    """Return the bits of `CHANGED` for these rules."""
    changed = BY_RAYS if by_rays(rules) else 0
    if rules.flag.shape[0] or rules.checks_to_win or rules.bare_king != TOGGLES.bare_king.plays_on:
        changed |= ENDS
    if rules.extinction.shape[0] or rules.blast != TOGGLES.blast.none:
        changed |= ENDS | GENERAL
    if (
        rules.pawn_moves.shape[0] | rules.promotion_to.shape[0]
        # Pawns that win on their last rank stay pawns there.
        or (rules.flag.shape[0] and rules.flag[PAWN] & ~NOT_8 | rules.flag[6 + PAWN] & FIRST_RANK)
        or rules.start_position.shape[0] > USUAL_WORDS
        or rules.promotion_rank != TOGGLES.promotion_rank.last
        or rules.promotion_limit != TOGGLES.promotion_limit.none
        or rules.drops != TOGGLES.drops.none
        or (rules.giving_check != TOGGLES.giving_check.allowed and rules.king == TOGGLES.king.checkmate)
        or (rules.king == TOGGLES.king.ordinary and rules.castling != TOGGLES.castling.never)
        or own_turns(rules)
    ):
        changed |= GENERAL
    return changed


@inline_ir
def tracks_moved_pieces(rules: Any) -> bool:
    """Return whether a later ply of a run depends on which pieces have moved."""
    return rules.moved_enemy == TOGGLES.moved_enemy.safe or rules.same_piece == TOGGLES.same_piece.only_if_forced


@inline_ir
def highest_promotion(rules: Any) -> int:
    """Return the last kind, starting with knights, to which a pawn can promote."""
    return KING if rules.king == TOGGLES.king.ordinary else QUEEN


@inline_ir
def is_en_passant(state: Any, origin: int, target: int) -> bool:
    """Return whether a pawn's move to an empty square is an en passant capture rather than a step sideways."""
    return state[PASSANT] != 0 and target == state[PASSANT] and (origin ^ target) > 7


@inline_ir
def is_last_ply(state: Any) -> bool:
    """Return whether the next ply is the last of a run of several, which the Detente rules restrict."""
    return state[RUN] > 1 and state[DONE] + 1 == state[RUN]
