"""Draughts' moves that capture nothing, compiled: steps and slides, and huffs."""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import lowest
from workbench.engine.jit import inline_ir, njit
from workbench.games.draughts import kernel_board as b
from workbench.games.draughts import kernel_tables as t
from workbench.games.draughts.kernel_board import TOGGLES


@inline_ir
def step_origins(rules: Any, g: int, side: int, men: int, kings: int, empty: int) -> Any:
    """Return the men and kings that can step: four sets, by direction."""
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
    shift = t.SHIFT[g, d] if d < 2 else -t.SHIFT[g, d]
    while origins:
        origin = base + lowest(origins)
        origins &= origins - 1
        moves[n] = origin << 8 | (origin + shift)
        n += 1
    return n


@njit
def append_along_others(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Append the moves along the other lines that capture nothing."""
    g, side, w = b.geometry(rules), state[b.TURN], b.words(rules)
    men, slides = b.OTHER_DIRECTIONS[rules.squares, rules.men_step, side], rules.king_move
    for word in range(w):
        pieces = state[b.SETS + side * w + word]
        while pieces:
            origin = 64 * word + lowest(pieces)
            pieces &= pieces - 1
            king = b.has(state, b.SETS + b.KINGS * w, origin)
            for d in range(4, 8):
                square = t.NEXT[g, origin, d] if king or (men >> (d - 4)) & 1 else -1
                while square >= 0 and not (b.has(state, b.SETS, square) or b.has(state, b.SETS + w, square)):
                    moves[n] = origin << 8 | square
                    n += 1
                    square = t.NEXT[g, square, d] if king and slides != TOGGLES.king_move.one_step else -1
    return n


@njit
def _rarely(rules: Any, state: Any, moves: Any, n: int) -> int:
    """The moves that capture nothing with those along the other lines, but without those of a king that rests."""
    if rules.step_lines != TOGGLES.step_lines.own:
        n = append_along_others(rules, state, moves, n)
    rests, kept = b.resting(rules, state, state[b.TURN]), 0
    for i in range(n):
        if moves[i] >> 8 != rests:
            moves[kept] = moves[i]
            kept += 1
    return kept


@njit
def append_huffs(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Append the removals of enemy pieces that did not capture."""
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
    """Return whether a move huffs a piece; captures that end where they began have a mark."""
    return (move >> 8) == (move & 255)


@njit
def append_quiet(rules: Any, state: Any, moves: Any) -> int:
    """Fill ``moves`` with the moves that capture nothing, whether or not a capture is obligatory."""
    g, side, w = b.geometry(rules), state[b.TURN], b.words(rules)
    n = 0
    for window in range(t.WINDOW_COUNT[g]):
        base = t.WINDOW_BASE[g, window]
        men, kings, _, _, empty = b.pieces_in(rules, state, g, side, base, t.WINDOW_OWN[g, window])
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
                    square = t.NEXT[g, origin, d]
                    while square >= 0 and not (b.has(state, b.SETS, square) or b.has(state, b.SETS + w, square)):
                        moves[n] = origin << 8 | square
                        n += 1
                        square = t.NEXT[g, square, d]
    return _rarely(rules, state, moves, n) if rules.step_lines | rules.king_run else n


@njit
def steps_along_others(rules: Any, state: Any, side: int) -> bool:
    """Return whether a piece can step along the other lines."""
    g, w, rests = b.geometry(rules), b.words(rules), b.resting(rules, state, side)
    men = b.OTHER_DIRECTIONS[rules.squares, rules.men_step, side]
    for word in range(w):
        pieces = state[b.SETS + side * w + word]
        while pieces:
            origin = 64 * word + lowest(pieces)
            pieces &= pieces - 1
            directions = 15 if b.has(state, b.SETS + b.KINGS * w, origin) else men
            for d in range(4, 8):
                square = t.NEXT[g, origin, d]
                if (
                    origin != rests
                    and (directions >> (d - 4)) & 1
                    and square >= 0
                    and not (b.has(state, b.SETS, square) or b.has(state, b.SETS + w, square))
                ):
                    return True
    return False
