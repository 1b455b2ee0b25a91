"""How a game of chess ends: by mate and stalemate, by what is taken, by the goals of proposals, or as a draw."""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import popcount
from workbench.engine.contract import DRAW, FIRST, ONGOING, SECOND
from workbench.engine.jit import inline_ir, njit
from workbench.games.chess import kernel_board as b
from workbench.games.chess.kernel_board import ENDINGS, TOGGLES


@inline_ir
def lacks_material(rules: Any, state: Any) -> bool:
    """Return whether the game is drawn because no moves could mate either side.

    Kings alone, with one minor piece, or with any bishops that all stand on squares of one colour.
    """
    if (
        state[b.PAWN] | state[b.ROOK] | state[b.QUEEN]
        or rules.insufficient_material != TOGGLES.insufficient_material.draw
    ):
        return False
    knights, bishops = state[b.KNIGHT], state[b.BISHOP]
    if knights:
        return bishops == 0 and knights & (knights - 1) == 0  # type: ignore[no-any-return]
    return bishops & b.LIGHT == 0 or bishops & ~b.LIGHT == 0  # type: ignore[no-any-return]


@njit
def _at_goal(rules: Any, state: Any, colour: int) -> bool:
    """Whether a piece of a colour stands where it wins; `flag` has a word of squares for each kind of each colour."""
    there = 0
    for kind in range(6):
        there |= rules.flag[6 * colour + kind] & state[kind]
    return there & state[b.WHITE + colour] != 0  # type: ignore[no-any-return]


@njit
def _goal(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Return whether a piece has reached its goal, and Black has had its answer."""
    midst = state[b.COLOUR] != 0 or (state[b.DONE] != 0 and b.own_turns(rules))
    if rules.flag_when == TOGGLES.flag_when.end_of_round and n and midst:
        return ONGOING, 0
    white, black = _at_goal(rules, state, 0), _at_goal(rules, state, 1)
    if white and black:
        return DRAW, ENDINGS.both_at_goal
    if white or black:
        return (FIRST if white else SECOND), ENDINGS.flag
    return ONGOING, 0


@inline_ir
def _bare(state: Any, colour: int) -> bool:
    return state[b.WHITE + colour] & ~state[b.KING] == 0  # type: ignore[no-any-return]


@njit
def _bare_kings(rules: Any, state: Any) -> tuple[int, int]:
    """Return whether a king has been left alone, and could not bare the other."""
    colour = state[b.COLOUR]
    mover, other = _bare(state, colour), _bare(state, 1 - colour)
    if mover and other:
        return DRAW, ENDINGS.both_bare
    if other:
        return FIRST + colour, ENDINGS.bare_king
    if mover and rules.bare_king == TOGGLES.bare_king.loses:
        return SECOND - colour, ENDINGS.bare_king
    return ONGOING, 0


@njit
def _extinct(rules: Any, state: Any, colour: int) -> bool:
    """Whether a colour has too few of some pieces: `extinction` has colour, kinds and number of each such rule."""
    for i in range(0, rules.extinction.shape[0], 3):
        if rules.extinction[i] == colour:
            there = 0
            for kind in range(6):
                if rules.extinction[i + 1] >> kind & 1:
                    there += popcount(state[kind] & state[b.WHITE + colour])
                    there += (state[b.HAND + colour] >> (8 * kind)) & 255
            if there <= rules.extinction[i + 2]:
                return True
    return False


@njit
def _by_pieces_lost(rules: Any, state: Any) -> tuple[int, int]:
    """Return whether a king was blown up, or a colour has too few pieces, of both the one that moved last."""
    colour = state[b.COLOUR]
    if rules.blast != TOGGLES.blast.none:
        for side in range(2):
            if state[b.KING] & state[b.WHITE + side] == 0:
                return SECOND - side, ENDINGS.blown_up
    if rules.extinction.shape[0]:
        for side in (1 - colour, colour):
            if _extinct(rules, state, side):
                loses = rules.extinction_result == TOGGLES.extinction_result.loss
                return (SECOND - side if loses else FIRST + side), ENDINGS.extinction
    return ONGOING, 0


@njit
def _by_proposals(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """How the game has ended by what chess knows not; without a legal move nobody answers any more."""
    result, why = _by_pieces_lost(rules, state)
    if result != ONGOING:
        return result, why
    if rules.flag.shape[0]:
        result, why = _goal(rules, state, n)
        if result != ONGOING:
            return result, why
    if rules.checks_to_win:
        if state[b.GIVEN] & 255 >= rules.checks_to_win:
            return FIRST, ENDINGS.checks
        if state[b.GIVEN] >> 8 >= (rules.checks_of_black or rules.checks_to_win):
            return SECOND, ENDINGS.checks
    if rules.bare_king != TOGGLES.bare_king.plays_on:
        return _bare_kings(rules, state)
    return ONGOING, 0


@inline_ir
def _stalemate(rules: Any, colour: int) -> int:
    """What it means that a colour has no legal move and is not in check."""
    if colour == 0 or rules.stalemate_black == TOGGLES.stalemate_black.as_white:
        draws, loses = rules.stalemate == TOGGLES.stalemate.draw, rules.stalemate == TOGGLES.stalemate.loss
    else:
        draws = rules.stalemate_black == TOGGLES.stalemate_black.draw
        loses = rules.stalemate_black == TOGGLES.stalemate_black.loss
    if draws:
        return DRAW
    return SECOND - colour if loses else FIRST + colour


@inline_ir
def ending(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """How the game has ended: by the goal, by a king taken, by no legal move, or by a rule about draws."""
    colour = state[b.COLOUR]
    if rules.goal == TOGGLES.goal.lose_all:
        if state[b.WHITE] == 0:
            return FIRST, ENDINGS.lose_all
        if state[b.BLACK] == 0:
            return SECOND, ENDINGS.lose_all
    if rules.king == TOGGLES.king.capture:
        if state[b.KING] & state[b.WHITE] == 0:
            return SECOND, ENDINGS.king_captured
        if state[b.KING] & state[b.BLACK] == 0:
            return FIRST, ENDINGS.king_captured
    if state[b.CHANGED] & b.ENDS:
        result, why = _by_proposals(rules, state, n)
        if result != ONGOING:
            return result, why
    if n == 0:
        if state[b.CHECKERS]:
            return SECOND - colour, ENDINGS.mate
        return _stalemate(rules, colour), ENDINGS.stalemate
    if lacks_material(rules, state) and not (state[b.CHANGED] & b.GENERAL and state[b.HAND] | state[b.HAND + 1]):
        return DRAW, ENDINGS.insufficient_material
    if rules.move_limit and state[b.CLOCK] >= rules.move_limit:
        return DRAW, ENDINGS.move_limit
    return ONGOING, 0
