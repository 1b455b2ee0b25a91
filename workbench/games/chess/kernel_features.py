"""What the heuristic of chess sees in a position, and what is counted in a game.

Features belong to a colour, and so to a seat, whoever chooses the next ply: White's pieces are good for the first seat
also while the second seat moves them.
"""

from __future__ import annotations

from typing import Any

from workbench.engine.contract import ONGOING
from workbench.engine.jit import inlined, njit, popcount, scratch
from workbench.games.chess.kernel_board import (
    ALL,
    BISHOP,
    BLACK,
    CENTRE,
    CHECKERS,
    CHOICE,
    COLOUR,
    DONE,
    FEATURES,
    FILE_A,
    FILE_H,
    KING,
    KING_STEPS,
    KNIGHT,
    KNIGHT_STEPS,
    LAST_RANKS,
    MOVED,
    ONLY_IF_FORCED,
    PAWN,
    QUEEN,
    ROOK,
    SAFE,
    SEAT,
    SINGLE,
    WHITE,
    bishop_attacks,
    bit,
    diagonal,
    ending,
    king_square,
    lacks_material,
    last_ply,
    leaps,
    orthogonal,
    pawn_attacks,
    rook_attacks,
)
from workbench.games.chess.kernel_moves import any_move, count_moves, list_moves

(
    CAPTURES,
    CHECKS,
    CASTLINGS,
    PROMOTIONS,
    PROMOTIONS_BY_OPPONENT,
    OWN_PIECES_TAKEN,
    MATES_GIVEN,
    SELF_MATES,
    SAFE_PIECE_FORBADE,
    SAME_PIECE_FORBADE,
    FORCED_REPLIES,
    TURNS_CUT_SHORT,
) = range(12)


@inlined
def _behind(word: int, colour: int) -> int:
    """The squares of a word and all squares behind them, seen by a colour."""
    if colour == 0:
        word |= (word >> 8) & 0x00FFFFFFFFFFFFFF
        word |= (word >> 16) & 0x0000FFFFFFFFFFFF
        return word | ((word >> 32) & 0x00000000FFFFFFFF)
    word |= word << 8
    word |= word << 16
    return word | (word << 32)


@inlined
def _advance(pawns: int, colour: int) -> int:
    """The sum over pawns of the squares of the steps that they have made beyond the first."""
    total = 0
    for steps in range(2, 6):
        rank = 1 + steps if colour == 0 else 6 - steps
        total += (steps - 1) * (steps - 1) * popcount((pawns >> (8 * rank)) & 255)
    return total


@njit
def _side(state: Any, colour: int, sums: Any, base: int) -> None:
    """Writes what one colour attacks and owns to ``sums[base:]``.

    0 all attacks, 1 attacks by pawns; then numbers: 2 mobility, 3 attacks around the enemy king, 4 checks available,
    5 advanced pawns, 6 shelter of the own king, 7 attacks on the centre.
    """
    own, enemy, queens = state[WHITE + colour], state[BLACK - colour], state[QUEEN]
    occupied = own | enemy
    free, room = ~occupied, ~own
    pawns = pawn_attacks(own & state[PAWN], colour)
    knights = leaps(own & state[KNIGHT])
    bishops = diagonal(own & state[BISHOP], free)
    rooks = orthogonal(own & state[ROOK], free)
    mine = own & queens
    ladies = (diagonal(mine, free) | orthogonal(mine, free)) if mine else mine
    everything = pawns | knights | bishops | rooks | ladies
    sums[base + 2] = (
        popcount(knights & room) + popcount(bishops & room) + popcount(rooks & room) + popcount(ladies & room)
    )
    sums[base + 3] = 0
    sums[base + 4] = 0
    if state[KING] & enemy:
        target = king_square(state, 1 - colour)
        zone = KING_STEPS[target] | bit(target)
        sums[base + 3] = (
            popcount(pawns & zone)
            + popcount(knights & zone)
            + popcount(bishops & zone)
            + popcount(rooks & zone)
            + popcount(ladies & zone)
        )
        straight, slanted = rook_attacks(target, occupied) & room, bishop_attacks(target, occupied) & room
        sums[base + 4] = (
            popcount(KNIGHT_STEPS[target] & knights & room)
            + popcount(slanted & bishops)
            + popcount(straight & rooks)
            + popcount((straight | slanted) & ladies)
        )
    sums[base + 5] = _advance(own & state[PAWN], colour)
    sums[base + 6] = 0
    if state[KING] & own:
        king = king_square(state, colour)
        everything |= KING_STEPS[king]
        sums[base + 6] = popcount(KING_STEPS[king] & own & state[PAWN])
    sums[base + 7] = popcount(CENTRE & (pawns | knights)) + popcount(CENTRE & own & state[PAWN])
    sums[base] = everything
    sums[base + 1] = pawns


@njit
def features(rules: Any, state: Any, out: Any) -> None:
    """Fills ``out`` with each feature of the declaration: White's number less Black's."""
    for i in range(FEATURES):
        out[i] = 0.0
    if lacks_material(rules, state):
        return
    sums = scratch(16)
    _side(state, 0, sums, 0)
    _side(state, 1, sums, 8)
    white, black = state[WHITE], state[BLACK]
    for piece in range(5):
        out[piece] = popcount(state[piece] & white) - popcount(state[piece] & black)
    out[5] = sums[2] - sums[10]
    out[6] = sums[3] - sums[11]
    out[7] = sums[5] - sums[13]
    out[8] = sums[4] - sums[12]
    out[9] = sums[6] - sums[14]
    out[10] = sums[7] - sums[15]
    # A pawn is passed if no enemy pawn is in front of it, on its file or beside it.
    for colour in range(2):
        sign = 1 - 2 * colour
        own, enemy = state[WHITE + colour], state[BLACK - colour]
        theirs = enemy & state[PAWN]
        theirs |= ((theirs << 1) & ~FILE_A) | ((theirs >> 1) & ~FILE_H)
        out[11] += sign * popcount(own & state[PAWN] & ~_behind(theirs, colour))
        pieces = own & ~state[PAWN] & ~state[KING]
        base, other = 8 * colour, 8 - 8 * colour
        out[12] += sign * popcount(pieces & (sums[other + 1] | (sums[other] & ~sums[base])))
    if state[CHECKERS]:
        out[13] = 1.0 - 2.0 * state[COLOUR]
    out[14] = 1.0 - 2.0 * state[SEAT]


@njit
def _forbidden(rules: Any, state: Any, counts: Any) -> None:
    """Counts the Detente rules that forbid a move in a position."""
    colour = state[COLOUR]
    moves = scratch(256)
    n = list_moves(rules, state, ALL, moves)
    safe = state[MOVED] & state[BLACK - colour] if rules.moved_enemy == SAFE else 0
    used = state[MOVED] & state[WHITE + colour] if rules.same_piece == ONLY_IF_FORCED else 0
    takes = same = others = 0
    for i in range(n):
        if safe & bit((moves[i] >> 6) & 63):
            takes += 1
        elif used & bit(moves[i] & 63):
            same += 1
        else:
            others += 1
    if takes:
        counts[SAFE_PIECE_FORBADE] += 1
    if same and others:
        counts[SAME_PIECE_FORBADE] += 1


@njit
def _events_of_runs(rules: Any, before: Any, after: Any, counts: Any) -> None:
    """Counts what can only happen where one player chooses several plies in a row."""
    if before[CHOICE] == 0 and before[SEAT] != before[COLOUR] and count_moves(rules, before) == 1:
        counts[FORCED_REPLIES] += 1
    if after[MOVED] and last_ply(after) and after[CHOICE] == 0:
        _forbidden(rules, after, counts)
    if after[DONE] and after[CHOICE] == 0:
        result, _ = ending(rules, after, 1 if any_move(rules, after) else 0)
        if result != ONGOING:
            counts[TURNS_CUT_SHORT] += 1


@njit
def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Counts what a move did."""
    target, piece = (move >> 6) & 63, (move >> 12) & 7
    colour, chooser = before[COLOUR], before[SEAT]
    fallen = popcount(before[BLACK - colour]) - popcount(after[BLACK - colour])
    if fallen:
        counts[CAPTURES] += 1
        if chooser != colour:
            counts[OWN_PIECES_TAKEN] += 1
    if piece == PAWN and bit(target) & LAST_RANKS and before[CHOICE] == 0:
        counts[PROMOTIONS] += 1
        if chooser != colour:
            counts[PROMOTIONS_BY_OPPONENT] += 1
    if piece == KING and abs((move & 63) - target) == 2:
        counts[CASTLINGS] += 1
    if after[CHECKERS]:
        counts[CHECKS] += 1
        if not any_move(rules, after):
            counts[SELF_MATES if chooser == after[COLOUR] else MATES_GIVEN] += 1
    if rules.turns != SINGLE:
        _events_of_runs(rules, before, after, counts)
