"""What draughts' heuristic sees in a position, and what is counted in a game."""

from __future__ import annotations

from typing import Any

from workbench.engine.jit import inlined, lowest, njit, popcount, scratch
from workbench.games.draughts.kernel_board import (
    ADJACENT,
    ANY,
    KING_FIRST,
    KINGS,
    LOSE_ALL,
    MOST_PIECES,
    OBLIGATORY,
    ONE_STEP,
    QUIET,
    ROYALS,
    SETS,
    TURN,
    geometry,
    has,
    jump_origins,
    man_captures,
    man_steps,
    step,
    view,
    wide,
    windowed,
    words,
)
from workbench.games.draughts.kernel_captures import (
    MULTI,
    ROOM,
    SINGLE,
    append_captures,
    last_row,
)
from workbench.games.draughts.kernel_tables import CENTRE, NEXT, ROWS, WINDOW_BASE, WINDOW_COUNT, WINDOW_OWN

FEATURES = 11
EVENTS = 6

MEN, KING, FLYING_KING, MOBILITY, BACK_ROW, ADVANCEMENT, MIDDLE, HANGING, THREATENED, ROYAL_ATTACKED, TEMPO = range(11)


@inlined
def _count_side(rules: Any, state: Any, g: int, side: int, sign: float, out: Any) -> None:
    """Adds what one side has, times ``sign``, to ``out``; what it could capture counts for the other side."""
    w = words(rules)
    own, enemy = SETS + side * w, SETS + (1 - side) * w
    flying = rules.king_capture != ADJACENT
    attacked = HANGING if state[TURN] == side else THREATENED
    steps, captures = man_steps(rules, side), man_captures(rules, side)
    for word in range(w):
        mine, kings = state[own + word], state[SETS + KINGS * w + word]
        men, royals = mine & ~kings, state[SETS + ROYALS * w + word]
        out[MEN] += sign * popcount(men)
        out[FLYING_KING if flying else KING] += sign * popcount(mine & kings & ~royals)
        out[MIDDLE] += sign * popcount(mine & CENTRE[g, word])
        out[BACK_ROW] += sign * popcount(men & ROWS[g, rules.size - 1 if side else 0, word])
        advanced = 0
        for row in range(rules.size):
            advanced += popcount(men & ROWS[g, row, word]) * (rules.size - 1 - row if side else row)
        out[ADVANCEMENT] += sign * advanced
    for window in range(WINDOW_COUNT[g]):
        base = WINDOW_BASE[g, window]
        men, kings, theirs, all_kings, empty = view(rules, state, g, side, base, WINDOW_OWN[g, window])
        royals = 0
        if rules.royal:
            royals = windowed(state, SETS + ROYALS * w, base) if wide(rules) else state[SETS + ROYALS]
        by_man, by_king = jump_origins(rules, g, captures, theirs, all_kings, empty)
        shorts = 0 if flying else kings
        for d in range(4):
            movers = (men & -((steps >> d) & 1)) | (kings if rules.king_move == ONE_STEP else 0)
            out[MOBILITY] += sign * popcount(step(movers, g, d) & empty)
            origins = (men & by_man[d]) | (shorts & by_king[d])
            out[attacked] -= sign * popcount(origins)
            if royals:
                out[ROYAL_ATTACKED] -= sign * popcount(step(origins, g, d) & royals)
    if rules.king_move == ONE_STEP:
        return
    occupied = scratch(3)
    for word in range(w):
        occupied[word] = state[SETS + word] | state[SETS + w + word]
    for word in range(w):
        kings = state[own + word] & state[SETS + KINGS * w + word]
        while kings:
            origin = 64 * word + lowest(kings)
            kings &= kings - 1
            for d in range(4):
                square = NEXT[g, origin, d]
                while square >= 0 and not has(occupied, 0, square):
                    out[MOBILITY] += sign
                    square = NEXT[g, square, d]
                if flying and square >= 0 and has(state, enemy, square):
                    landing = NEXT[g, square, d]
                    if landing >= 0 and not has(occupied, 0, landing):
                        out[attacked] -= sign
                        if rules.royal and has(state, SETS + ROYALS * w, square):
                            out[ROYAL_ATTACKED] -= sign


@njit
def features(rules: Any, state: Any, out: Any) -> None:
    """Fills ``out`` with each feature of the declaration: the first seat's number less the second's.

    Where the goal is to lose all pieces, what is good elsewhere is bad: every number changes its sign.
    """
    g = geometry(rules)
    sign = -1.0 if rules.goal == LOSE_ALL else 1.0
    for i in range(FEATURES):
        out[i] = 0.0
    for side in range(2):
        _count_side(rules, state, g, side, -sign if side else sign, out)
    out[TEMPO] = -sign if state[TURN] else sign


@inlined
def _has_quiet(rules: Any, state: Any) -> bool:
    """Whether the side to move could move without capturing."""
    g, side = geometry(rules), state[TURN]
    steps = man_steps(rules, side)
    for window in range(WINDOW_COUNT[g]):
        men, kings, _, _, empty = view(rules, state, g, side, WINDOW_BASE[g, window], WINDOW_OWN[g, window])
        for d in range(4):
            # A king that flies has a move where it has a step.
            if step((men & -((steps >> d) & 1)) | kings, g, d) & empty:
                return True
    return False


@njit
def _capture_events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    w = words(rules)
    counts[0] += 1
    if move >= MULTI:
        counts[1] += 1
    if rules.capture == OBLIGATORY and _has_quiet(rules, before):
        counts[2] += 1
    by_king = has(before, SETS + KINGS * w, (move >> 8) & 255)
    choice = rules.capture_choice
    # A capture of one piece, and one by a man, tell by themselves that nothing better was possible.
    if choice != ANY and not (choice == MOST_PIECES and move < MULTI) and not (choice == KING_FIRST and not by_king):
        moves = scratch(ROOM)
        possible = append_captures(rules, before, ANY, moves, 0)
        if append_captures(rules, before, choice, moves, 0) < possible:
            counts[3] += 1
    if not by_king and has(after, SETS + KINGS * w, move & 255):
        counts[4] += 1
        counts[5] += 1


@inlined
def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Counts what a move did."""
    if move >= SINGLE:
        _capture_events(rules, before, move, after, counts)
    elif after[QUIET] == 0 and last_row(rules, geometry(rules), before[TURN], move & 255):
        counts[4] += 1
