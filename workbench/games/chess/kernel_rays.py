"""Pieces that move by rays, for rulesets that define the moves of knights, bishops, rooks, queens or kings.

A toggle such as `knight_moves` is then an array with four words per ray: squares to the right and ahead from White's
view, and the maximum number of consecutive leaps for quiet moves and for captures. If the colours differ, White's rays
come first, and the last word is their number of words. The array is empty for a kind with standard moves, for which
functions use the tables of `kernel_board`. If all arrays are empty, only `is_nonstandard` runs from this module.
"""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import lowest
from workbench.engine.jit import inline_ir, njit, scratch
from workbench.games.chess import kernel_board as b
from workbench.games.chess.kernel_board import TOGGLES

WORDS = 4
"""Number of words per ray."""
ROOM_BY_RAYS = 4096
"""An upper bound on the number of moves: from all pieces of a colour to all other squares, and drops."""
OFF = ~7
"""The bits that are set only in a file or rank off the board."""


@inline_ir
def is_nonstandard(state: Any) -> bool:
    """Return whether any kind of piece has non-standard moves, or the general generator is used."""
    return state[b.CHANGED] & (b.BY_RAYS | b.GENERAL) != 0


@inline_ir
def occupied(state: Any) -> int:
    """Return the occupied squares and those outside a small board."""
    squares = state[b.WHITE] | state[b.BLACK]
    if state[b.CHANGED] & b.GENERAL:
        squares |= state[b.OUTSIDE]
    return squares


@njit
def moved_by_rays(rules: Any, state: Any) -> int:
    """Return the squares of all pieces with non-standard moves."""
    pieces = 0
    if rules.knight_moves.shape[0]:
        pieces |= state[b.KNIGHT]
    if rules.bishop_moves.shape[0]:
        pieces |= state[b.BISHOP]
    if rules.rook_moves.shape[0]:
        pieces |= state[b.ROOK]
    if rules.queen_moves.shape[0]:
        pieces |= state[b.QUEEN]
    if rules.king_moves.shape[0]:
        pieces |= state[b.KING]
    return pieces


# --- One kind of piece ------------------------------------------------------------------------------------------------


@inline_ir
def bounds(rays: Any, colour: int) -> tuple[int, int]:
    """Return the start and end of a colour's rays."""
    n = rays.shape[0]
    if n % WORDS == 0:
        return 0, n
    return (0, rays[n - 1]) if colour == 0 else (rays[n - 1], n - 1)


@njit
def reached(rays: Any, colour: int, pieces: int, free: int, capturable: int) -> int:
    """Return the squares to which pieces of a kind can move or capture."""
    sign = 1 - 2 * colour
    targets = 0
    first, last = bounds(rays, colour)
    while pieces:
        square = lowest(pieces)
        pieces &= pieces - 1
        for i in range(first, last, WORDS):
            x, y = square & 7, square >> 3
            for leap in range(max(rays[i + 2], rays[i + 3])):
                x += sign * rays[i]
                y += sign * rays[i + 1]
                if (x | y) & OFF:
                    break
                to = b.bit(8 * y + x)
                if free & to:
                    if leap < rays[i + 2]:
                        targets |= to
                else:
                    if capturable & to and leap < rays[i + 3]:
                        targets |= to
                    break
    return targets


@njit
def attacked(rays: Any, colour: int, pieces: int, free: int) -> int:
    """Return the squares that pieces of a kind attack."""
    return _attacked(rays, colour, 1 - 2 * colour, pieces, free)


@njit
def _attacked(rays: Any, colour: int, sign: int, pieces: int, free: int) -> int:
    """Return the squares that pieces attack along a colour's rays, unchanged (``sign`` 1) or rotated (-1)."""
    squares = 0
    first, last = bounds(rays, colour)
    while pieces:
        square = lowest(pieces)
        pieces &= pieces - 1
        for i in range(first, last, WORDS):
            x, y = square & 7, square >> 3
            for _ in range(rays[i + 3]):
                x += sign * rays[i]
                y += sign * rays[i + 1]
                if (x | y) & OFF:
                    break
                squares |= b.bit(8 * y + x)
                if free & b.bit(8 * y + x) == 0:
                    break
    return squares


@njit
def attack_origins(rays: Any, colour: int, square: int, occupied: int) -> int:
    """Return the squares from which a piece of a kind attacks a square."""
    return _attacked(rays, colour, 2 * colour - 1, b.bit(square), ~occupied)


# --- What attacks a square --------------------------------------------------------------------------------------------


@njit
def attackers_by_rays(rules: Any, state: Any, square: int, colour: int, occupied: int) -> int:
    """Return the `attackers` of a square under rules that give some kinds non-standard moves."""
    bishops = attack_origins(rules.bishop_moves, colour, square, occupied)
    rooks = attack_origins(rules.rook_moves, colour, square, occupied)
    queens = attack_origins(rules.queen_moves, colour, square, occupied)
    diagonal, orthogonal = b.bishop_attacks(square, occupied), b.rook_attacks(square, occupied)
    knights = b.KNIGHT_STEPS[square]
    if rules.knight_moves.shape[0]:
        knights = attack_origins(rules.knight_moves, colour, square, occupied)
    kings = b.KING_STEPS[square]
    if rules.king_moves.shape[0]:
        kings = attack_origins(rules.king_moves, colour, square, occupied)
    pawns = b.PAWN_TAKES[1 - colour, square]
    if rules.pawn_moves.shape[0]:
        pawns = attack_origins(rules.pawn_moves, colour, square, occupied)
    if rules.bishop_moves.shape[0] == 0:
        bishops = diagonal
    if rules.rook_moves.shape[0] == 0:
        rooks = orthogonal
    if rules.queen_moves.shape[0] == 0:
        queens = diagonal | orthogonal
    return state[b.WHITE + colour] & (
        (knights & state[b.KNIGHT])
        | (bishops & state[b.BISHOP])
        | (rooks & state[b.ROOK])
        | (queens & state[b.QUEEN])
        | (kings & state[b.KING])
        | (pawns & state[b.PAWN])
    )


@inline_ir
def attackers(rules: Any, state: Any, square: int, colour: int, occupied: int) -> int:
    """Return the pieces of a colour that attack a square, given the occupied squares."""
    if is_nonstandard(state):
        return attackers_by_rays(rules, state, square, colour, occupied)
    return b.attackers(state, square, colour, occupied)


# --- Checks and pins --------------------------------------------------------------------------------------------------

EVASIONS, PINNED, ALLOWED = 64, 65, 0
"""The words of a survey: the targets of non-king moves that end a check, the pinned pieces and, starting at `ALLOWED`,
the targets of the pinned piece on each square."""
SURVEY = 66


@inline_ir
def _pin(survey: Any, blocker: int, line: int) -> None:
    """Restrict a pinned piece to a line; it may be pinned on several lines."""
    square = lowest(blocker)
    survey[ALLOWED + square] = line if survey[PINNED] & blocker == 0 else survey[ALLOWED + square] & line
    survey[PINNED] |= blocker


@njit
def _survey_rays(rays: Any, state: Any, colour: int, pieces: int, survey: Any) -> None:
    """Record the checks and pins by enemy pieces of a kind with rays."""
    if pieces == 0:
        return
    own = state[b.WHITE + colour]
    occupied = own | state[b.BLACK - colour]
    king = b.king_square(state, colour)
    # Follow the enemy's rays in reverse.
    sign = 1 - 2 * colour
    first, last = bounds(rays, 1 - colour)
    for i in range(first, last, WORDS):
        x, y = king & 7, king >> 3
        line = blocker = 0
        for _ in range(rays[i + 3]):
            x += sign * rays[i]
            y += sign * rays[i + 1]
            if (x | y) & OFF:
                break
            to = b.bit(8 * y + x)
            line |= to
            if occupied & to == 0:
                continue
            if pieces & to:
                if blocker == 0:
                    survey[EVASIONS] &= line
                else:
                    _pin(survey, blocker, line)
                break
            if own & to == 0 or blocker != 0:
                break
            blocker = to


@njit
def survey_checks(rules: Any, state: Any, survey: Any) -> None:
    """Fill ``survey`` with the evasions and pins of the colour to move."""
    colour = state[b.COLOUR]
    survey[EVASIONS], survey[PINNED] = b.ALL, 0
    if rules.king != TOGGLES.king.checkmate:
        return
    own, enemy = state[b.WHITE + colour], state[b.BLACK - colour]
    occupied = own | enemy
    king = b.king_square(state, colour)
    leapers = b.PAWN_TAKES[colour, king] & state[b.PAWN]
    if rules.knight_moves.shape[0] == 0:
        leapers |= b.KNIGHT_STEPS[king] & state[b.KNIGHT]
    leapers &= enemy
    while leapers:
        survey[EVASIONS] &= leapers & -leapers
        leapers &= leapers - 1
    rooks = bishops = 0
    if rules.rook_moves.shape[0] == 0:
        rooks |= state[b.ROOK]
    if rules.bishop_moves.shape[0] == 0:
        bishops |= state[b.BISHOP]
    if rules.queen_moves.shape[0] == 0:
        rooks |= state[b.QUEEN]
        bishops |= state[b.QUEEN]
    snipers = enemy & (
        ((b.LINES[king, b.NORTH] | b.LINES[king, b.EAST]) & rooks)
        | ((b.LINES[king, b.NORTH_EAST] | b.LINES[king, b.NORTH_WEST]) & bishops)
    )
    while snipers:
        between = b.BETWEEN[king, lowest(snipers)]
        line = between | (snipers & -snipers)
        blockers = between & occupied
        if blockers == 0:
            survey[EVASIONS] &= line
        elif blockers & (blockers - 1) == 0 and blockers & own:
            _pin(survey, blockers, line)
        snipers &= snipers - 1
    _survey_rays(rules.knight_moves, state, colour, enemy & state[b.KNIGHT], survey)
    _survey_rays(rules.bishop_moves, state, colour, enemy & state[b.BISHOP], survey)
    _survey_rays(rules.rook_moves, state, colour, enemy & state[b.ROOK], survey)
    _survey_rays(rules.queen_moves, state, colour, enemy & state[b.QUEEN], survey)
    _survey_rays(rules.king_moves, state, colour, enemy & state[b.KING], survey)


# --- Moves ------------------------------------------------------------------------------------------------------------


@njit
def _standard_attacks(kind: int, square: int, occupied: int) -> int:
    """Return the squares attacked by a piece with standard moves."""
    if kind == b.KNIGHT:
        return b.KNIGHT_STEPS[square]
    if kind == b.KING:
        return b.KING_STEPS[square]
    targets = 0
    if kind != b.ROOK:
        targets |= b.bishop_attacks(square, occupied)
    if kind != b.BISHOP:
        targets |= b.rook_attacks(square, occupied)
    return targets


@njit
def append_kind(rays: Any, rules: Any, state: Any, kind: int, allowed: int, survey: Any, moves: Any, n: int) -> int:
    """Append the moves of a kind of piece to allowed squares; royal kings avoid attacked squares.

    With the general generator attacked squares are included, and legality is checked later.
    """
    colour = state[b.COLOUR]
    own = state[b.WHITE + colour]
    blocked = occupied(state)
    capturable = b.victims(rules, state, colour)
    pieces = own & state[kind]
    royal = kind == b.KING and rules.king == TOGGLES.king.checkmate and state[b.CHANGED] & b.GENERAL == 0
    landing = allowed if kind == b.KING else allowed & survey[EVASIONS]
    while pieces:
        square = lowest(pieces)
        piece = pieces & -pieces
        pieces &= pieces - 1
        if rays.shape[0]:
            targets = reached(rays, colour, piece, ~blocked, capturable) & landing
        else:
            targets = _standard_attacks(kind, square, blocked) & (capturable | ~blocked) & landing
        if survey[PINNED] & piece:
            targets &= survey[ALLOWED + square]
        while targets:
            target = lowest(targets)
            targets &= targets - 1
            if royal and attackers_by_rays(rules, state, target, 1 - colour, blocked ^ piece):
                continue
            moves[n] = square | target << 6 | kind << 12
            n += 1
    return n


@njit
def _append_pawn_moves(rules: Any, state: Any, allowed: int, best: int, survey: Any, moves: Any) -> int:
    """Fill ``moves`` with pawn moves to allowed squares and promotions, except en passant; return their number."""
    colour = state[b.COLOUR]
    own = state[b.WHITE + colour]
    free = ~(own | state[b.BLACK - colour])
    capturable = b.victims(rules, state, colour)
    landing = (allowed | b.LAST_RANKS) & survey[EVASIONS]
    passed = b.DOUBLE_STEPS[rules.pawn_double_step, colour]
    forward = 8 - 16 * colour
    pawns = own & state[b.PAWN]
    n = 0
    while pawns:
        square = lowest(pawns)
        pawn = pawns & -pawns
        pawns &= pawns - 1
        push = b.bit(square + forward) & free
        targets = push | (b.PAWN_TAKES[colour, square] & capturable)
        if push & passed & b.INNER_RANKS:
            targets |= b.bit(square + 2 * forward) & free
        if rules.pawn_extra == TOGGLES.pawn_extra.sideways:
            targets |= (((pawn << 1) & b.NOT_A) | ((pawn >> 1) & b.NOT_H)) & free
        elif rules.pawn_extra == TOGGLES.pawn_extra.back and (square - forward) >> 3 != 7 * colour:
            targets |= b.bit(square - forward) & free
        targets &= landing
        if survey[PINNED] & pawn:
            targets &= survey[ALLOWED + square]
        while targets:
            target = lowest(targets)
            code = square | target << 6
            if best and targets & -targets & b.LAST_RANKS:
                for piece in range(best, b.KNIGHT - 1, -1):
                    moves[n] = code | piece << 15
                    n += 1
            else:
                moves[n] = code
                n += 1
            targets &= targets - 1
    return n


@njit
def ray_moves(rules: Any, state: Any, allowed: int, best: int, moves: Any) -> int:
    """Fill ``moves`` with the legal moves to allowed squares, except en passant captures and castling.

    ``best`` is the highest kind of promotion, or 0 if the mover does not choose.
    """
    survey = scratch(SURVEY)
    survey_checks(rules, state, survey)
    n = _append_pawn_moves(rules, state, allowed, best, survey, moves)
    n = append_kind(rules.knight_moves, rules, state, b.KNIGHT, allowed, survey, moves, n)
    n = append_kind(rules.bishop_moves, rules, state, b.BISHOP, allowed, survey, moves, n)
    n = append_kind(rules.rook_moves, rules, state, b.ROOK, allowed, survey, moves, n)
    n = append_kind(rules.queen_moves, rules, state, b.QUEEN, allowed, survey, moves, n)
    return append_kind(rules.king_moves, rules, state, b.KING, allowed, survey, moves, n)
