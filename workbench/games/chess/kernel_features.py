"""Results, features, events and units of chess.

Features belong to a colour, and thus to a seat, regardless of who chooses the next ply: White's pieces count for the
first seat even while the second seat moves them.
"""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import lowest, popcount
from workbench.engine.contract import DRAW, FIRST, HAND, ONGOING, SECOND, unit_word
from workbench.engine.jit import inline_ir, njit, scratch, scratch_moves
from workbench.games.chess import kernel_board as b
from workbench.games.chess import kernel_general as g
from workbench.games.chess import kernel_rays as r
from workbench.games.chess.kernel_board import ENDINGS, EVENTS, FEATURES, TOGGLES
from workbench.games.chess.kernel_moves import any_move, is_capture, list_moves, number_of_moves
from workbench.games.chess.kernel_rays import ROOM_BY_RAYS


@inline_ir
def lacks_material(rules: Any, state: Any) -> bool:
    """Return whether the game is drawn by insufficient material.

    This is the case with kings alone, one minor piece, or any number of bishops on squares of one colour.
    """
    if (
        state[b.PAWN] | state[b.ROOK] | state[b.QUEEN]
        or rules.insufficient_material != TOGGLES.insufficient_material.draw
    ):
        return False
    knights, bishops = state[b.KNIGHT], state[b.BISHOP]
    if knights:
        return bishops == 0 and knights & (knights - 1) == 0
    return bishops & b.LIGHT == 0 or bishops & ~b.LIGHT == 0


@njit
def _at_goal(rules: Any, state: Any, colour: int) -> bool:
    """Return whether a colour has a piece on a winning square (`flag` has a word for each kind and colour)."""
    at_goal = 0
    for kind in range(6):
        at_goal |= rules.flag[6 * colour + kind] & state[kind]
    return at_goal & state[b.WHITE + colour] != 0


@njit
def _goal_result(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Return the result if a piece has reached its goal, after Black's reply if the rules allow one."""
    unfinished_round = state[b.COLOUR] != 0 or (state[b.DONE] != 0 and b.own_turns(rules))
    if rules.flag_when == TOGGLES.flag_when.end_of_round and n and unfinished_round:
        return ONGOING, 0
    white, black = _at_goal(rules, state, 0), _at_goal(rules, state, 1)
    if white and black:
        return DRAW, ENDINGS.both_at_goal
    if white or black:
        return (FIRST if white else SECOND), ENDINGS.flag
    return ONGOING, 0


@inline_ir
def _is_bare(state: Any, colour: int) -> bool:
    return state[b.WHITE + colour] & ~state[b.KING] == 0


@njit
def _bare_king_result(rules: Any, state: Any) -> tuple[int, int]:
    """Return the result if a king is bare; it may first bare the other in reply, unless ``bare_king`` is ``loses``."""
    colour = state[b.COLOUR]
    mover, other = _is_bare(state, colour), _is_bare(state, 1 - colour)
    if mover and other:
        return DRAW, ENDINGS.both_bare
    if other:
        return FIRST + colour, ENDINGS.bare_king
    if mover and rules.bare_king == TOGGLES.bare_king.loses:
        return SECOND - colour, ENDINGS.bare_king
    return ONGOING, 0


@njit
def _is_extinct(rules: Any, state: Any, colour: int) -> bool:
    """Return whether a colour is extinct; a rule in `extinction` consists of a colour, kinds and a number."""
    for i in range(0, rules.extinction.shape[0], 3):
        if rules.extinction[i] == colour:
            count = 0
            for kind in range(6):
                if rules.extinction[i + 1] >> kind & 1:
                    count += popcount(state[kind] & state[b.WHITE + colour])
                    count += (state[b.HAND + colour] >> (8 * kind)) & 255
            if count <= rules.extinction[i + 2]:
                return True
    return False


@njit
def _loss_result(rules: Any, state: Any) -> tuple[int, int]:
    """Return the result of a king's explosion or of extinction, checking the last mover's extinction first."""
    colour = state[b.COLOUR]
    if rules.blast != TOGGLES.blast.none:
        for side in range(2):
            if state[b.KING] & state[b.WHITE + side] == 0:
                return SECOND - side, ENDINGS.blown_up
    if rules.extinction.shape[0]:
        for side in (1 - colour, colour):
            if _is_extinct(rules, state, side):
                loses = rules.extinction_result == TOGGLES.extinction_result.loss
                return (SECOND - side if loses else FIRST + side), ENDINGS.extinction
    return ONGOING, 0


@njit
def _variant_result(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Return the result and the ending under rules that standard chess does not have."""
    result, ending = _loss_result(rules, state)
    if result != ONGOING:
        return result, ending
    if rules.flag.shape[0]:
        result, ending = _goal_result(rules, state, n)
        if result != ONGOING:
            return result, ending
    if rules.checks_to_win:
        if state[b.GIVEN] & 255 >= rules.checks_to_win:
            return FIRST, ENDINGS.checks
        if state[b.GIVEN] >> 8 >= (rules.checks_of_black or rules.checks_to_win):
            return SECOND, ENDINGS.checks
    if rules.bare_king != TOGGLES.bare_king.plays_on:
        return _bare_king_result(rules, state)
    return ONGOING, 0


@inline_ir
def _stalemate_result(rules: Any, colour: int) -> int:
    """Return the result if a colour is stalemated."""
    if colour == 0 or rules.stalemate_black == TOGGLES.stalemate_black.as_white:
        draws, loses = rules.stalemate == TOGGLES.stalemate.draw, rules.stalemate == TOGGLES.stalemate.loss
    else:
        draws = rules.stalemate_black == TOGGLES.stalemate_black.draw
        loses = rules.stalemate_black == TOGGLES.stalemate_black.loss
    if draws:
        return DRAW
    return SECOND - colour if loses else FIRST + colour


@njit
def outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Return the result and the ending: goal, loss of the king, mate or stalemate, or a draw rule."""
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
        result, ending = _variant_result(rules, state, n)
        if result != ONGOING:
            return result, ending
    if n == 0:
        if state[b.CHECKERS]:
            return SECOND - colour, ENDINGS.mate
        return _stalemate_result(rules, colour), ENDINGS.stalemate
    if lacks_material(rules, state) and not (state[b.CHANGED] & b.GENERAL and state[b.HAND] | state[b.HAND + 1]):
        return DRAW, ENDINGS.insufficient_material
    if rules.move_limit and state[b.CLOCK] >= rules.move_limit:
        return DRAW, ENDINGS.move_limit
    return ONGOING, 0


@inline_ir
def _behind(squares: int, colour: int) -> int:
    """Return the given squares and all squares behind them, from a colour's point of view."""
    if colour == 0:
        squares |= (squares >> 8) & 0x00FFFFFFFFFFFFFF
        squares |= (squares >> 16) & 0x0000FFFFFFFFFFFF
        return squares | ((squares >> 32) & 0x00000000FFFFFFFF)
    squares |= squares << 8
    squares |= squares << 16
    return squares | (squares << 32)


@inline_ir
def _advance(pawns: int, colour: int) -> int:
    """Return the sum, over the pawns, of the squared number of steps beyond the first."""
    total = 0
    for steps in range(2, 6):
        rank = 1 + steps if colour == 0 else 6 - steps
        total += (steps - 1) * (steps - 1) * popcount((pawns >> (8 * rank)) & 255)
    return total


@njit
def _add_ray_kind(rays: Any, state: Any, colour: int, pieces: int, sums: Any, base: int) -> int:
    """Add the pieces of a kind that moves by rays to ``sums[base:]`` and return the squares that they attack."""
    own, enemy = state[b.WHITE + colour], state[b.BLACK - colour]
    free = ~r.occupied(state)
    attacks = r.attacked(rays, colour, pieces, free)
    reached = r.reached(rays, colour, pieces, free, enemy)
    sums[base + 2] += popcount(reached)
    if state[b.KING] & enemy:
        target = b.king_square(state, 1 - colour)
        sums[base + 3] += popcount(attacks & (b.KING_STEPS[target] | b.bit(target)))
        sums[base + 4] += popcount(reached & r.attack_origins(rays, colour, target, own | enemy))
    return attacks


@njit
def _add_ray_pieces(rules: Any, state: Any, colour: int, sums: Any, base: int) -> None:
    """Add all pieces with non-standard moves to the sums of `_survey_side`, which omits them."""
    own = state[b.WHITE + colour]
    attacks = 0
    if rules.knight_moves.shape[0]:
        knights = _add_ray_kind(rules.knight_moves, state, colour, own & state[b.KNIGHT], sums, base)
        sums[base + 7] += popcount(b.CENTRE & knights & ~sums[base + 1])
        attacks |= knights
    if rules.bishop_moves.shape[0]:
        attacks |= _add_ray_kind(rules.bishop_moves, state, colour, own & state[b.BISHOP], sums, base)
    if rules.rook_moves.shape[0]:
        attacks |= _add_ray_kind(rules.rook_moves, state, colour, own & state[b.ROOK], sums, base)
    if rules.queen_moves.shape[0]:
        attacks |= _add_ray_kind(rules.queen_moves, state, colour, own & state[b.QUEEN], sums, base)
    if rules.king_moves.shape[0]:
        attacks |= r.attacked(rules.king_moves, colour, own & state[b.KING], ~(own | state[b.BLACK - colour]))
    sums[base] |= attacks


@njit
def _survey_side(rules: Any, state: Any, colour: int, sums: Any, base: int) -> None:
    """Write a colour's attacks and counts to ``sums[base:]``.

    0 and 1 are the squares attacked by any piece and by pawns, respectively. The others are counts: 2 mobility, 3
    attacks around the enemy king, 4 available checks, 5 advanced pawns, 6 pawns near its king, 7 attacks on the centre.
    """
    own, enemy = state[b.WHITE + colour], state[b.BLACK - colour]
    occupied = r.occupied(state)
    free, reach = ~occupied, ~own & ~(occupied ^ (own | enemy))
    standard = own
    if r.is_nonstandard(state):
        standard = own & ~r.moved_by_rays(rules, state)
    pawns = b.pawn_attacks(own & state[b.PAWN], colour)
    knights = b.leaps(standard & state[b.KNIGHT])
    bishops = b.diagonal(standard & state[b.BISHOP], free)
    rooks = b.orthogonal(standard & state[b.ROOK], free)
    own_queens = standard & state[b.QUEEN]
    queens = (b.diagonal(own_queens, free) | b.orthogonal(own_queens, free)) if own_queens else own_queens
    all_attacks = pawns | knights | bishops | rooks | queens
    sums[base + 2] = (
        popcount(knights & reach) + popcount(bishops & reach) + popcount(rooks & reach) + popcount(queens & reach)
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
            + popcount(queens & zone)
        )
        orthogonal, diagonal = b.rook_attacks(target, occupied) & reach, b.bishop_attacks(target, occupied) & reach
        sums[base + 4] = (
            popcount(b.KNIGHT_STEPS[target] & knights & reach)
            + popcount(diagonal & bishops)
            + popcount(orthogonal & rooks)
            + popcount((orthogonal | diagonal) & queens)
        )
    sums[base + 5] = _advance(own & state[b.PAWN], colour)
    sums[base + 6] = 0
    if state[b.KING] & own:
        king = b.king_square(state, colour)
        if standard & state[b.KING]:
            all_attacks |= b.KING_STEPS[king]
        sums[base + 6] = popcount(b.KING_STEPS[king] & own & state[b.PAWN])
    sums[base + 7] = popcount(b.CENTRE & (pawns | knights)) + popcount(b.CENTRE & own & state[b.PAWN])
    sums[base] = all_attacks
    sums[base + 1] = pawns
    if r.is_nonstandard(state):
        _add_ray_pieces(rules, state, colour, sums, base)


@inline_ir
def _surplus(state: Any, piece: int) -> int:
    """Return White's surplus of a kind of piece, on the board and in hand."""
    surplus = popcount(state[piece] & state[b.WHITE]) - popcount(state[piece] & state[b.BLACK])
    if state[b.CHANGED] & b.GENERAL:
        surplus += (state[b.HAND] >> (8 * piece) & 255) - (state[b.HAND + 1] >> (8 * piece) & 255)
    return surplus


@njit
def features(rules: Any, state: Any, out: Any) -> None:
    """Fill ``out`` with each feature's value for White minus that for Black.

    The signs are reversed if the goal is to lose all pieces.
    """
    for i in range(out.shape[0]):
        out[i] = 0.0
    if lacks_material(rules, state):
        return
    sums = scratch(16)
    _survey_side(rules, state, 0, sums, 0)
    _survey_side(rules, state, 1, sums, 8)
    out[FEATURES.pawns] = _surplus(state, b.PAWN)
    out[FEATURES.knights] = _surplus(state, b.KNIGHT)
    out[FEATURES.bishops] = _surplus(state, b.BISHOP)
    out[FEATURES.rooks] = _surplus(state, b.ROOK)
    out[FEATURES.queens] = _surplus(state, b.QUEEN)
    out[FEATURES.mobility] = sums[2] - sums[10]
    out[FEATURES.king_attack] = sums[3] - sums[11]
    out[FEATURES.advanced_pawns] = sums[5] - sums[13]
    out[FEATURES.checks] = sums[4] - sums[12]
    out[FEATURES.shelter] = sums[6] - sums[14]
    out[FEATURES.centre] = sums[7] - sums[15]
    # A pawn is passed if no enemy pawn is in front of it, on its file or an adjacent one.
    for colour in range(2):
        sign = 1 - 2 * colour
        own, enemy = state[b.WHITE + colour], state[b.BLACK - colour]
        enemy_pawns = enemy & state[b.PAWN]
        enemy_pawns |= ((enemy_pawns << 1) & ~b.FILE_A) | ((enemy_pawns >> 1) & ~b.FILE_H)
        out[FEATURES.passed_pawns] += sign * popcount(own & state[b.PAWN] & ~_behind(enemy_pawns, colour))
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
def _count_detente(rules: Any, state: Any, counts: Any) -> None:
    """Count the Detente rules that forbid a move in a position."""
    colour = state[b.COLOUR]
    moves = scratch_moves(ROOM_BY_RAYS)
    n = list_moves(rules, state, b.ALL, moves)
    safe = state[b.MOVED] & state[b.BLACK - colour] if rules.moved_enemy == TOGGLES.moved_enemy.safe else 0
    used = state[b.MOVED] & state[b.WHITE + colour] if rules.same_piece == TOGGLES.same_piece.only_if_forced else 0
    captures = repeats = others = 0
    for i in range(n):
        if safe & b.bit((moves[i] >> 6) & 63):
            captures += 1
        elif used & b.bit(moves[i] & 63):
            repeats += 1
        else:
            others += 1
    if captures:
        counts[EVENTS.safe_piece_forbade] += 1
    if repeats and others:
        counts[EVENTS.same_piece_forbade] += 1


@njit
def _run_events(rules: Any, before: Any, after: Any, counts: Any) -> None:
    """Count the events of runs of several plies."""
    if before[b.CHOICE] == 0 and before[b.SEAT] != before[b.COLOUR] and number_of_moves(rules, before) == 1:
        counts[EVENTS.forced_replies] += 1
    if after[b.MOVED] and b.is_last_ply(after) and after[b.CHOICE] == 0:
        _count_detente(rules, after, counts)
    if after[b.DONE] and after[b.CHOICE] == 0:
        result, _ = outcome(rules, after, 1 if any_move(rules, after) else 0)
        if result != ONGOING:
            counts[EVENTS.turns_cut_short] += 1


@njit
def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Count the events of a move."""
    target, piece = (move >> 6) & 63, (move >> 12) & 7
    colour, chooser = before[b.COLOUR], before[b.SEAT]
    n_captured = popcount(before[b.BLACK - colour]) - popcount(after[b.BLACK - colour])
    if n_captured:
        counts[EVENTS.captures] += 1
        if chooser != colour:
            counts[EVENTS.own_pieces_taken] += 1
    elif rules.self_capture != TOGGLES.self_capture.none and popcount(before[b.WHITE + colour]) != popcount(
        after[b.WHITE + colour]
    ):
        counts[EVENTS.captures] += 1
        if chooser == colour:
            counts[EVENTS.own_pieces_taken] += 1
    promoting = b.bit(target) & b.LAST_RANKS
    if before[b.CHANGED] & b.GENERAL:
        promoting = (move >> 15) & 7
    if piece == b.PAWN and promoting and before[b.CHOICE] == 0:
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
        _run_events(rules, before, after, counts)


MOST_CAPTURES = 32


@njit
def board_size(rules: Any) -> int:
    """Return the length of the board's longer side."""
    if rules.start_position.shape[0] > b.USUAL_WORDS:
        return max(rules.start_position[g.RANKS], rules.start_position[g.FILES])
    return 8


@inline_ir
def _kind_at(state: Any, to: int) -> int:
    """Return the kind of the piece on a square, given as a one-bit mask; an empty square counts as a king."""
    for kind in range(5):
        if state[kind] & to:
            return kind
    return b.KING


@njit
def _units_in_hand(state: Any, words: Any) -> int:
    """Fill ``words`` with the pieces in hand as units; return their number."""
    n = 0
    for owner in range(2):
        for kind in range(6):
            count = (state[b.HAND + owner] >> (g.IN_HAND * kind)) & 255
            if count:
                words[n] = unit_word(kind, owner, HAND, count)
                n += 1
    return n


@njit
def _general_gain(state: Any, move: int, worth: Any) -> float:
    """Return the gain of a capture or promotion under the general generator, ignoring recaptures."""
    target, promotion = (move >> 6) & 63, (move >> 15) & 7
    if move & (g.DROP | g.CASTLE):
        return 0.0
    balance: Any = worth[promotion] - worth[b.PAWN] if promotion else 0.0
    if move & g.PASSING:
        return balance + worth[b.PAWN]
    to, colour = b.bit(target), state[b.COLOUR]
    if state[b.BLACK - colour] & to:
        balance += worth[_kind_at(state, to)]
    elif state[b.WHITE + colour] & to:
        balance -= worth[_kind_at(state, to)]
    return balance


@njit
def _blast_gain(state: Any, move: int, worth: Any) -> float:
    """Return the gain of an exploding capture."""
    origin, target, piece = move & 63, (move >> 6) & 63, (move >> 12) & 7
    colour = state[b.COLOUR]
    balance: Any = -worth[piece]
    if move & g.PASSING:
        balance += worth[b.PAWN]
    blast = (b.KING_STEPS[target] & ~state[b.PAWN] & ~b.bit(origin)) | b.bit(target)
    for kind in range(6):
        own, enemy = state[b.WHITE + colour], state[b.BLACK - colour]
        balance += worth[kind] * (popcount(blast & state[kind] & enemy) - popcount(blast & state[kind] & own))
    return balance


@njit
def units(rules: Any, state: Any, words: Any) -> int:
    """Fill ``words`` with the pieces and return their number; a kind's code is the index of its word in the state."""
    n = 0
    white = state[b.WHITE]
    top = board_size(rules) - 1
    if state[b.CHANGED] & b.GENERAL:
        n = _units_in_hand(state, words)
    for kind in range(6):
        remaining = state[kind]
        while remaining:
            square = lowest(remaining)
            owner = 1 - ((white >> square) & 1)
            words[n] = unit_word(kind, owner, (top - (square >> 3)) << 5 | (square & 7), 1)
            n += 1
            remaining &= remaining - 1
    return n


@njit
def gain(rules: Any, state: Any, move: int, worth: Any, after: Any) -> float:
    """Return the gain of a capture or promotion after the static exchange on the target square.

    In the exchange the least valuable piece captures first, counting pieces uncovered behind others, and either side
    stops when that is better for it. Kings capture last, and pins are ignored. A player who moves an enemy piece gains
    what that piece loses. Recaptures are ignored if the goal is to lose all pieces.
    """
    if rules.blast != TOGGLES.blast.none and is_capture(state, move):
        return _blast_gain(state, move, worth)
    if state[b.CHANGED] & b.GENERAL:
        return _general_gain(state, move, worth)
    origin, target, piece, promotion = move & 63, (move >> 6) & 63, (move >> 12) & 7, (move >> 15) & 7
    colour = state[b.COLOUR]
    sign = 1.0 if state[b.SEAT] == colour else -1.0
    if origin == target:
        return worth[promotion] - worth[b.PAWN]
    to, enemies = b.bit(target), state[b.BLACK - colour]
    balance: Any = 0.0
    if enemies & to:
        balance = worth[_kind_at(state, to)]
    elif state[b.WHITE + colour] & to:
        balance = -worth[_kind_at(state, to)]
    elif piece == b.PAWN and b.is_en_passant(state, origin, target):
        balance = worth[b.PAWN]
    occupant_worth = worth[piece]
    if promotion:
        occupant_worth = worth[promotion]
        balance += occupant_worth - worth[b.PAWN]
    if rules.turns != TOGGLES.turns.single or rules.goal == TOGGLES.goal.lose_all:
        return sign * balance
    # gains[i] is the gain of the i-th capture, in hundredths, ignoring recaptures; it is then resolved backwards.
    gains = scratch(MOST_CAPTURES)
    occupied = (state[b.WHITE] | state[b.BLACK]) & ~b.bit(origin)
    gains[0] = int(100.0 * balance)
    count, side = 1, 1 - colour
    while count < MOST_CAPTURES:
        attackers = r.attackers(rules, state, target, side, occupied) & occupied
        if attackers == 0:
            break
        kind = 0
        while kind < 5 and attackers & state[kind] == 0:
            kind += 1
        if kind == b.KING and r.attackers(rules, state, target, 1 - side, occupied) & occupied:
            break
        gains[count] = int(100.0 * occupant_worth) - gains[count - 1]
        occupant_worth = worth[kind]
        capturers = attackers & state[kind]
        occupied &= ~(capturers & -capturers)
        count += 1
        side = 1 - side
    for i in range(count - 1, 0, -1):
        gains[i - 1] = min(gains[i - 1], -gains[i])
    return gains[0] / 100.0
