"""The pieces of a position of chess, and what a capture wins."""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import lowest, popcount
from workbench.engine.contract import HAND, unit_word
from workbench.engine.jit import inline_ir, njit, scratch
from workbench.games.chess import kernel_board as b
from workbench.games.chess import kernel_general as g
from workbench.games.chess import kernel_rays as r
from workbench.games.chess.kernel_board import TOGGLES
from workbench.games.chess.kernel_moves import takes

MOST_CAPTURES = 32


@njit
def board_size(rules: Any) -> int:
    """Return the cells of a side of the board."""
    if rules.start_position.shape[0] > b.USUAL_WORDS:
        return max(rules.start_position[g.RANKS], rules.start_position[g.FILES])  # type: ignore[no-any-return]
    return 8


@inline_ir
def _kind_on(state: Any, to: int) -> int:
    """Return the kind of the piece on the one square of a word; the king's if there is none."""
    for kind in range(5):
        if state[kind] & to:
            return kind
    return b.KING


@njit
def _units_in_hand(state: Any, words: Any) -> int:
    """Fill ``words`` with the pieces in hand."""
    n = 0
    for owner in range(2):
        for kind in range(6):
            count = (state[b.HAND + owner] >> (g.IN_HAND * kind)) & 255
            if count:
                words[n] = unit_word(kind, owner, HAND, count)
                n += 1
    return n


@njit
def _gain_by_general(state: Any, move: int, worth: Any) -> float:
    """What a capture or promotion wins by the general way, without a thought of recaptures."""
    target, promotion = (move >> 6) & 63, (move >> 15) & 7
    if move & (g.DROP | g.CASTLE):
        return 0.0
    won: Any = worth[promotion] - worth[b.PAWN] if promotion else 0.0
    if move & g.PASSING:
        return won + worth[b.PAWN]  # type: ignore[no-any-return]
    to, colour = b.bit(target), state[b.COLOUR]
    if state[b.BLACK - colour] & to:
        won += worth[_kind_on(state, to)]
    elif state[b.WHITE + colour] & to:
        won -= worth[_kind_on(state, to)]
    return won  # type: ignore[no-any-return]


@njit
def _gain_by_blast(state: Any, move: int, worth: Any) -> float:
    """What a capture wins that explodes."""
    origin, target, piece = move & 63, (move >> 6) & 63, (move >> 12) & 7
    colour = state[b.COLOUR]
    won: Any = -worth[piece]
    if move & g.PASSING:
        won += worth[b.PAWN]
    there = (b.KING_STEPS[target] & ~state[b.PAWN] & ~b.bit(origin)) | b.bit(target)
    for kind in range(6):
        own, enemy = state[b.WHITE + colour], state[b.BLACK - colour]
        won += worth[kind] * (popcount(there & state[kind] & enemy) - popcount(there & state[kind] & own))
    return won  # type: ignore[no-any-return]


@njit
def units(rules: Any, state: Any, words: Any) -> int:
    """Fill ``words`` with the pieces; a kind's code is that of its word in the state."""
    n = 0
    white = state[b.WHITE]
    top = board_size(rules) - 1
    if state[b.CHANGED] & b.GENERAL:
        n = _units_in_hand(state, words)
    for kind in range(6):
        rest = state[kind]
        while rest:
            square = lowest(rest)
            owner = 1 - ((white >> square) & 1)
            words[n] = unit_word(kind, owner, (top - (square >> 3)) << 5 | (square & 7), 1)
            n += 1
            rest &= rest - 1
    return n


@njit
def gain(rules: Any, state: Any, move: int, worth: Any, after: Any) -> float:
    """What a capture or promotion wins, and where both sides move in turn, what is left of it after all recaptures.

    On the target square the least valuable piece captures first, pieces behind it join in, and either side stops when
    that is better for it; kings, who capture last, and pins are no obstacle. Who moves an enemy piece wins what that
    piece loses. Where the goal is to lose all pieces, nothing is said of recaptures.
    """
    if rules.blast != TOGGLES.blast.none and takes(state, move):
        return _gain_by_blast(state, move, worth)
    if state[b.CHANGED] & b.GENERAL:
        return _gain_by_general(state, move, worth)
    origin, target, piece, promotion = move & 63, (move >> 6) & 63, (move >> 12) & 7, (move >> 15) & 7
    colour = state[b.COLOUR]
    own = 1.0 if state[b.SEAT] == colour else -1.0
    if origin == target:
        # The choice of a promotion: of the pawn's owner.
        return worth[promotion] - worth[b.PAWN]  # type: ignore[no-any-return]
    to, enemies = b.bit(target), state[b.BLACK - colour]
    won: Any = 0.0
    if enemies & to:
        won = worth[_kind_on(state, to)]
    elif state[b.WHITE + colour] & to:
        won = -worth[_kind_on(state, to)]
    elif piece == b.PAWN and b.takes_passing(state, origin, target):
        won = worth[b.PAWN]
    standing = worth[piece]
    if promotion:
        standing = worth[promotion]
        won += standing - worth[b.PAWN]
    if rules.turns != TOGGLES.turns.single or rules.goal == TOGGLES.goal.lose_all:
        return own * won  # type: ignore[no-any-return]
    # wins[i]: what the i-th capture wins, in hundredths, if nothing follows; then who stops where is found backwards.
    wins = scratch(MOST_CAPTURES)
    occupied = (state[b.WHITE] | state[b.BLACK]) & ~b.bit(origin)
    wins[0] = int(100.0 * won)
    count, side = 1, 1 - colour
    while count < MOST_CAPTURES:
        takers = r.attackers(rules, state, target, side, occupied) & occupied
        if takers == 0:
            break
        kind = 0
        while kind < 5 and takers & state[kind] == 0:
            kind += 1
        if kind == b.KING and r.attackers(rules, state, target, 1 - side, occupied) & occupied:
            break
        wins[count] = int(100.0 * standing) - wins[count - 1]
        standing = worth[kind]
        taker = takers & state[kind]
        occupied &= ~(taker & -taker)
        count += 1
        side = 1 - side
    for i in range(count - 1, 0, -1):
        wins[i - 1] = min(wins[i - 1], -wins[i])
    return wins[0] / 100.0  # type: ignore[no-any-return]
