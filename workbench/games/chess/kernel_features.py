"""What the heuristic of chess sees in a position, and what is counted in a game.

Features belong to a colour, and so to a seat, whoever chooses the next ply: White's pieces are good for the first seat
also while the second seat moves them.
"""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import popcount
from workbench.engine.contract import ONGOING
from workbench.engine.jit import inline_ir, njit, scratch, scratch_moves
from workbench.games.chess import kernel_board as b
from workbench.games.chess import kernel_general as g
from workbench.games.chess import kernel_rays as r
from workbench.games.chess.kernel_board import EVENTS, FEATURES, TOGGLES
from workbench.games.chess.kernel_endings import ending, lacks_material
from workbench.games.chess.kernel_moves import any_move, list_moves, number_of_moves
from workbench.games.chess.kernel_rays import ROOM_BY_RAYS


@inline_ir
def _behind(word: int, colour: int) -> int:
    """Return the squares of a word and all squares behind them, seen by a colour."""
    if colour == 0:
        word |= (word >> 8) & 0x00FFFFFFFFFFFFFF
        word |= (word >> 16) & 0x0000FFFFFFFFFFFF
        return word | ((word >> 32) & 0x00000000FFFFFFFF)
    word |= word << 8
    word |= word << 16
    return word | (word << 32)


@inline_ir
def _advance(pawns: int, colour: int) -> int:
    """Return the sum over pawns of the squares of the steps that they have made beyond the first."""
    total = 0
    for steps in range(2, 6):
        rank = 1 + steps if colour == 0 else 6 - steps
        total += (steps - 1) * (steps - 1) * popcount((pawns >> (8 * rank)) & 255)
    return total


@njit
def _kind(rays: Any, state: Any, colour: int, pieces: int, sums: Any, base: int) -> int:
    """Corrects ``sums[base:]`` by the pieces of a kind that moves by rays; returns the squares that they attack."""
    own, enemy = state[b.WHITE + colour], state[b.BLACK - colour]
    free = ~r.occupied(state)
    attacks = r.attacked(rays, colour, pieces, free)
    reached = r.reached(rays, colour, pieces, free, enemy)
    sums[base + 2] += popcount(reached)
    if state[b.KING] & enemy:
        target = b.king_square(state, 1 - colour)
        sums[base + 3] += popcount(attacks & (b.KING_STEPS[target] | b.bit(target)))
        sums[base + 4] += popcount(reached & r.seen_from(rays, colour, target, own | enemy))
    return attacks


@njit
def _by_rays(rules: Any, state: Any, colour: int, sums: Any, base: int) -> None:
    """Add to the sums of `_side`, made without them, what pieces do that move otherwise than in chess."""
    own = state[b.WHITE + colour]
    attacks = 0
    if rules.knight_moves.shape[0]:
        knights = _kind(rules.knight_moves, state, colour, own & state[b.KNIGHT], sums, base)
        sums[base + 7] += popcount(b.CENTRE & knights & ~sums[base + 1])
        attacks |= knights
    if rules.bishop_moves.shape[0]:
        attacks |= _kind(rules.bishop_moves, state, colour, own & state[b.BISHOP], sums, base)
    if rules.rook_moves.shape[0]:
        attacks |= _kind(rules.rook_moves, state, colour, own & state[b.ROOK], sums, base)
    if rules.queen_moves.shape[0]:
        attacks |= _kind(rules.queen_moves, state, colour, own & state[b.QUEEN], sums, base)
    if rules.king_moves.shape[0]:
        attacks |= r.attacked(rules.king_moves, colour, own & state[b.KING], ~(own | state[b.BLACK - colour]))
    sums[base] |= attacks


@njit
def _side(rules: Any, state: Any, colour: int, sums: Any, base: int) -> None:
    """Write what one colour attacks and owns to ``sums[base:]``.

    0 all attacks, 1 attacks by pawns; then numbers: 2 mobility, 3 attacks around the enemy king, 4 checks available,
    5 advanced pawns, 6 shelter of the own king, 7 attacks on the centre.
    """
    own, enemy = state[b.WHITE + colour], state[b.BLACK - colour]
    occupied = r.occupied(state)
    free, room = ~occupied, ~own & ~(occupied ^ (own | enemy))
    as_in_chess = own
    if r.changed(state):
        as_in_chess = own & ~r.moved_by_rays(rules, state)
    pawns = b.pawn_attacks(own & state[b.PAWN], colour)
    knights = b.leaps(as_in_chess & state[b.KNIGHT])
    bishops = b.diagonal(as_in_chess & state[b.BISHOP], free)
    rooks = b.orthogonal(as_in_chess & state[b.ROOK], free)
    mine = as_in_chess & state[b.QUEEN]
    ladies = (b.diagonal(mine, free) | b.orthogonal(mine, free)) if mine else mine
    everything = pawns | knights | bishops | rooks | ladies
    sums[base + 2] = (
        popcount(knights & room) + popcount(bishops & room) + popcount(rooks & room) + popcount(ladies & room)
    )
    sums[base + 3] = 0
    sums[base + 4] = 0
    if state[b.KING] & enemy:
        target = b.king_square(state, 1 - colour)
        zone = b.KING_STEPS[target] | b.bit(target)
        sums[base + 3] = (
            popcount(pawns & zone)
            + popcount(knights & zone)
            + popcount(bishops & zone)
            + popcount(rooks & zone)
            + popcount(ladies & zone)
        )
        straight, slanted = b.rook_attacks(target, occupied) & room, b.bishop_attacks(target, occupied) & room
        sums[base + 4] = (
            popcount(b.KNIGHT_STEPS[target] & knights & room)
            + popcount(slanted & bishops)
            + popcount(straight & rooks)
            + popcount((straight | slanted) & ladies)
        )
    sums[base + 5] = _advance(own & state[b.PAWN], colour)
    sums[base + 6] = 0
    if state[b.KING] & own:
        king = b.king_square(state, colour)
        if as_in_chess & state[b.KING]:
            everything |= b.KING_STEPS[king]
        sums[base + 6] = popcount(b.KING_STEPS[king] & own & state[b.PAWN])
    sums[base + 7] = popcount(b.CENTRE & (pawns | knights)) + popcount(b.CENTRE & own & state[b.PAWN])
    sums[base] = everything
    sums[base + 1] = pawns
    if r.changed(state):
        _by_rays(rules, state, colour, sums, base)


@inline_ir
def _more(state: Any, piece: int) -> int:
    """How many more pieces of a kind White has than Black, those in hand with them."""
    more = popcount(state[piece] & state[b.WHITE]) - popcount(state[piece] & state[b.BLACK])
    if state[b.CHANGED] & b.GENERAL:
        more += (state[b.HAND] >> (8 * piece) & 255) - (state[b.HAND + 1] >> (8 * piece) & 255)
    return more


@njit
def features(rules: Any, state: Any, out: Any) -> None:
    """Fill ``out`` with each feature of the declaration: White's number less Black's.

    Where the goal is to lose all pieces, what is good elsewhere is bad: every number changes its sign.
    """
    for i in range(out.shape[0]):
        out[i] = 0.0
    if lacks_material(rules, state):
        return
    sums = scratch(16)
    _side(rules, state, 0, sums, 0)
    _side(rules, state, 1, sums, 8)
    out[FEATURES.pawns] = _more(state, b.PAWN)
    out[FEATURES.knights] = _more(state, b.KNIGHT)
    out[FEATURES.bishops] = _more(state, b.BISHOP)
    out[FEATURES.rooks] = _more(state, b.ROOK)
    out[FEATURES.queens] = _more(state, b.QUEEN)
    out[FEATURES.mobility] = sums[2] - sums[10]
    out[FEATURES.king_attack] = sums[3] - sums[11]
    out[FEATURES.advanced_pawns] = sums[5] - sums[13]
    out[FEATURES.checks] = sums[4] - sums[12]
    out[FEATURES.shelter] = sums[6] - sums[14]
    out[FEATURES.centre] = sums[7] - sums[15]
    # A pawn is passed if no enemy pawn is in front of it, on its file or beside it.
    for colour in range(2):
        sign = 1 - 2 * colour
        own, enemy = state[b.WHITE + colour], state[b.BLACK - colour]
        theirs = enemy & state[b.PAWN]
        theirs |= ((theirs << 1) & ~b.FILE_A) | ((theirs >> 1) & ~b.FILE_H)
        out[FEATURES.passed_pawns] += sign * popcount(own & state[b.PAWN] & ~_behind(theirs, colour))
        pieces = own & ~state[b.PAWN] & ~state[b.KING]
        base, other = 8 * colour, 8 - 8 * colour
        out[FEATURES.hanging] += sign * popcount(pieces & (sums[other + 1] | (sums[other] & ~sums[base])))
    if state[b.CHECKERS]:
        out[FEATURES.in_check] = 1.0 - 2.0 * state[b.COLOUR]
    out[FEATURES.tempo] = 1.0 - 2.0 * state[b.SEAT]
    if rules.goal == TOGGLES.goal.lose_all:
        for i in range(out.shape[0]):
            out[i] = -out[i]


@njit
def _forbidden(rules: Any, state: Any, counts: Any) -> None:
    """Count the Detente rules that forbid a move in a position."""
    colour = state[b.COLOUR]
    moves = scratch_moves(ROOM_BY_RAYS)
    n = list_moves(rules, state, b.ALL, moves)
    safe = state[b.MOVED] & state[b.BLACK - colour] if rules.moved_enemy == TOGGLES.moved_enemy.safe else 0
    used = state[b.MOVED] & state[b.WHITE + colour] if rules.same_piece == TOGGLES.same_piece.only_if_forced else 0
    takes = same = others = 0
    for i in range(n):
        if safe & b.bit((moves[i] >> 6) & 63):
            takes += 1
        elif used & b.bit(moves[i] & 63):
            same += 1
        else:
            others += 1
    if takes:
        counts[EVENTS.safe_piece_forbade] += 1
    if same and others:
        counts[EVENTS.same_piece_forbade] += 1


@njit
def _events_of_runs(rules: Any, before: Any, after: Any, counts: Any) -> None:
    """Count what can only happen where one player chooses several plies in a row."""
    if before[b.CHOICE] == 0 and before[b.SEAT] != before[b.COLOUR] and number_of_moves(rules, before) == 1:
        counts[EVENTS.forced_replies] += 1
    if after[b.MOVED] and b.last_ply(after) and after[b.CHOICE] == 0:
        _forbidden(rules, after, counts)
    if after[b.DONE] and after[b.CHOICE] == 0:
        result, _ = ending(rules, after, 1 if any_move(rules, after) else 0)
        if result != ONGOING:
            counts[EVENTS.turns_cut_short] += 1


@njit
def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Count what a move did."""
    target, piece = (move >> 6) & 63, (move >> 12) & 7
    colour, chooser = before[b.COLOUR], before[b.SEAT]
    fallen = popcount(before[b.BLACK - colour]) - popcount(after[b.BLACK - colour])
    if fallen:
        counts[EVENTS.captures] += 1
        if chooser != colour:
            counts[EVENTS.own_pieces_taken] += 1
    elif rules.self_capture != TOGGLES.self_capture.none and popcount(before[b.WHITE + colour]) != popcount(
        after[b.WHITE + colour]
    ):
        counts[EVENTS.captures] += 1
        if chooser == colour:
            counts[EVENTS.own_pieces_taken] += 1
    crowned = b.bit(target) & b.LAST_RANKS
    if before[b.CHANGED] & b.GENERAL:
        crowned = (move >> 15) & 7
    if piece == b.PAWN and crowned and before[b.CHOICE] == 0:
        counts[EVENTS.promotions] += 1
        if chooser != colour:
            counts[EVENTS.promotions_by_opponent] += 1
    if piece == b.KING and (abs((move & 63) - target) == 2 or move & g.CASTLE):
        counts[EVENTS.castlings] += 1
    if after[b.CHECKERS]:
        counts[EVENTS.checks] += 1
        if not any_move(rules, after):
            counts[EVENTS.self_mates if chooser == after[b.COLOUR] else EVENTS.mates_given] += 1
    if rules.turns != TOGGLES.turns.single:
        _events_of_runs(rules, before, after, counts)
