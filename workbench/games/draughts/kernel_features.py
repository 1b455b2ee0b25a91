"""Features, units and events of draughts."""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import lowest, popcount
from workbench.engine.contract import unit_word
from workbench.engine.jit import inline_ir, njit, scratch, scratch_moves
from workbench.games.draughts import kernel_board as b
from workbench.games.draughts import kernel_moves as m
from workbench.games.draughts.kernel_board import EVENTS, FEATURES, TOGGLES, UNITS
from workbench.games.draughts.kernel_moves import ROOM


@inline_ir
def _count_side(rules: Any, state: Any, g: int, side: int, sign: float, out: Any) -> None:
    """Add one side's features, times ``sign``, to ``out``; its possible captures count against the enemy."""
    w = b.words(rules)
    own, enemy = b.SETS + side * w, b.SETS + (1 - side) * w
    flying = rules.king_capture != TOGGLES.king_capture.adjacent
    attacked, last = FEATURES.hanging if state[b.TURN] == side else FEATURES.threatened, b.LAST[g]
    steps, captures = b.man_steps(rules, side), b.man_captures(rules, side)
    for word in range(w):
        pieces, kings = state[own + word], state[b.SETS + b.KINGS * w + word]
        men, royals = pieces & ~kings, state[b.SETS + b.ROYALS * w + word]
        out[FEATURES.men] += sign * popcount(men)
        out[FEATURES.flying_kings if flying else FEATURES.kings] += sign * popcount(
            pieces & kings & ~(royals & -rules.royal)
        )
        out[FEATURES.centre] += sign * popcount(pieces & b.CENTRE[g, word])
        out[FEATURES.back_row] += sign * popcount(men & b.CROWN[g, 1 - side, word])
        advanced = 0
        for row in range(last + 1):
            advanced += popcount(men & b.ROWS[g, row, word]) * (last - row if side else row)
        out[FEATURES.advancement] += sign * advanced
    for window in range(b.WINDOW_COUNT[g]):
        base = b.WINDOW_BASE[g, window]
        men, kings, theirs, all_kings, empty = b.window_pieces(rules, state, g, side, base, b.WINDOW_OWN[g, window])
        royals = 0
        if rules.royal:
            royals = b.window_bits(state, b.SETS + b.ROYALS * w, base) if b.wide(rules) else state[b.SETS + b.ROYALS]
        by_man, by_king = b.jump_origins(rules, g, captures, theirs, all_kings, empty)
        shorts = 0 if flying else kings
        for d in range(4):
            movers = (men & -((steps >> d) & 1)) | (kings if rules.king_move == TOGGLES.king_move.one_step else 0)
            out[FEATURES.mobility] += sign * popcount(b.step(movers, g, d) & empty)
            origins = (men & by_man[d]) | (shorts & by_king[d])
            out[attacked] -= sign * popcount(origins)
            if royals:
                out[FEATURES.royal_attacked] -= sign * popcount(b.step(origins, g, d) & royals)
    if rules.king_move == TOGGLES.king_move.one_step:
        return
    occupied = scratch(3)
    for word in range(w):
        occupied[word] = state[b.SETS + word] | state[b.SETS + w + word]
    for word in range(w):
        kings = state[own + word] & state[b.SETS + b.KINGS * w + word]
        while kings:
            origin = 64 * word + lowest(kings)
            kings &= kings - 1
            for d in range(4):
                square = b.NEXT[g, origin, d]
                while square >= 0 and not b.has(occupied, 0, square):
                    out[FEATURES.mobility] += sign
                    square = b.NEXT[g, square, d]
                if flying and square >= 0 and b.has(state, enemy, square):
                    landing = b.NEXT[g, square, d]
                    if landing >= 0 and not b.has(occupied, 0, landing):
                        out[attacked] -= sign
                        if rules.royal and b.has(state, b.SETS + b.ROYALS * w, square):
                            out[FEATURES.royal_attacked] -= sign


@njit
def _count_other_lines(rules: Any, state: Any, g: int, side: int, sign: float, out: Any) -> None:
    """Add a side's moves and jumps along the other lines, and subtract main-line jumps that are not captures."""
    w, attacked = b.words(rules), FEATURES.hanging if state[b.TURN] == side else FEATURES.threatened
    flies, men = rules.king_move != TOGGLES.king_move.one_step, b.OTHER_DIRECTIONS[rules.squares, rules.men_step, side]
    for word in range(w):
        pieces = state[b.SETS + side * w + word]
        while pieces:
            origin = 64 * word + lowest(pieces)
            pieces &= pieces - 1
            king = b.has(state, b.SETS + b.KINGS * w, origin)
            for d in range(4, 8 if rules.step_lines != TOGGLES.step_lines.own else 4):
                square = b.NEXT[g, origin, d]
                while (
                    (king or (men >> (d - 4)) & 1)
                    and square >= 0
                    and not (b.has(state, b.SETS, square) or b.has(state, b.SETS + w, square))
                ):
                    out[FEATURES.mobility] += sign
                    square = b.NEXT[g, square, d] if king and flies else -1
            for lines in range(0 if rules.capture_lines == TOGGLES.capture_lines.other else 1, b.lines_end(rules)):
                jumps, over_royals = m.count_jumps(rules, state, side, origin, lines)
                out[attacked] -= sign * (jumps if lines else -jumps)
                out[FEATURES.royal_attacked] -= sign * (over_royals if lines else -over_royals)


@njit
def features(rules: Any, state: Any, out: Any) -> None:
    """Fill ``out`` with each feature's value for the first seat minus that for the second.

    The signs are reversed if the goal is to lose all pieces.
    """
    g = b.geometry(rules)
    sign = -1.0 if rules.goal == TOGGLES.goal.lose_all else 1.0
    for i in range(out.shape[0]):
        out[i] = 0.0
    for side in range(2):
        _count_side(rules, state, g, side, -sign if side else sign, out)
        if rules.step_lines | rules.capture_lines:
            _count_other_lines(rules, state, g, side, -sign if side else sign, out)
    out[FEATURES.tempo] = -sign if state[b.TURN] else sign


@njit
def board_size(rules: Any) -> int:
    """Return the length of the board's longer side."""
    files, last = rules.size & 15, b.LAST[b.geometry(rules)]
    return max(files, last + 1)


@njit
def units(rules: Any, state: Any, words: Any) -> int:
    """Fill ``words`` with men, kings and royal pieces; return their number."""
    g, w = b.geometry(rules), b.words(rules)
    n = 0
    for side in range(2):
        for word in range(w):
            kings, royals = state[b.SETS + b.KINGS * w + word], state[b.SETS + b.ROYALS * w + word]
            remaining = state[b.SETS + side * w + word]
            while remaining:
                bit = remaining & -remaining
                kind = UNITS.royal if rules.royal and royals & bit else UNITS.king if kings & bit else UNITS.man
                words[n] = unit_word(kind, side, b.CELL[g, 64 * word + lowest(remaining)], 1)
                n += 1
                remaining ^= bit
    return n


@inline_ir
def _can_move_quietly(rules: Any, state: Any) -> bool:
    """Return whether the side to move has a quiet move, ignoring obligatory captures."""
    g, side = b.geometry(rules), state[b.TURN]
    steps = b.man_steps(rules, side)
    for window in range(b.WINDOW_COUNT[g]):
        base = b.WINDOW_BASE[g, window]
        men, kings, _, _, empty = b.window_pieces(rules, state, g, side, base, b.WINDOW_OWN[g, window])
        kings &= ~b.barred_king_in_window(rules, state, side, base)
        for d in range(4):
            # A flying king can move if and only if it can step.
            if b.step((men & -((steps >> d) & 1)) | kings, g, d) & empty:
                return True
    return rules.step_lines != TOGGLES.step_lines.own and m.can_step_other_lines(rules, state, side)


@njit
def _capture_events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    w = b.words(rules)
    counts[EVENTS.captures] += 1
    if move >= m.MULTI:
        counts[EVENTS.multi_captures] += 1
    if rules.capture == TOGGLES.capture.obligatory and _can_move_quietly(rules, before):
        counts[EVENTS.forced_captures] += 1
    by_king = b.has(before, b.SETS + b.KINGS * w, (move >> 8) & 255)
    choice = rules.capture_choice
    # If a single capture or a capture by a man was legal, the rule did not forbid others.
    if (
        choice != TOGGLES.capture_choice.any
        and not (choice == TOGGLES.capture_choice.most_pieces and move < m.MULTI)
        and not (choice == TOGGLES.capture_choice.king_first and not by_king)
    ):
        moves = scratch_moves(ROOM)
        possible = m.append_captures(rules, before, TOGGLES.capture_choice.any, moves, 0)
        if m.append_captures(rules, before, choice, moves, 0) < possible:
            counts[EVENTS.choice_bound] += 1
    if not by_king and b.has(after, b.SETS + b.KINGS * w, move & 255):
        counts[EVENTS.crownings] += 1
        counts[EVENTS.crownings_in_capture] += 1


@inline_ir
def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Count the events of a move."""
    if move >= m.SINGLE:
        _capture_events(rules, before, move, after, counts)
    elif (
        m.is_last_row(rules, b.geometry(rules), before[b.TURN], move & 255)
        and not b.has(before, b.SETS + b.KINGS * b.words(rules), (move >> 8) & 255)
        and not m.is_huff(move)
    ):
        counts[EVENTS.crownings] += 1
