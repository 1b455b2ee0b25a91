"""Legal moves of chess, all at once: a word of target squares for every direction of every kind of piece.

A move is ``from | to << 6 | piece << 12 | promotion << 15``, where the piece is the one on ``from``. The owner's
choice of a promotion has ``from == to``.

Each direction of sliders, knights and pawns has one word whose bits are legal targets. Since only one piece can reach a
target in a given direction, moves can be counted or drawn without listing them. Pinned pieces take part in the
directions of their pin. In check, only the squares that end the check are targets. Additional pawn steps in proposals
have words of their own. Changes of what may be captured, or of obligations, are beside the rule that they change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.bits import highest, lowest, popcount
from workbench.engine.contract import INT, MOVES, STATE, separately_compiled
from workbench.engine.jit import inline_ir, njit, scratch, scratch_moves
from workbench.engine.rng import below
from workbench.games.chess import kernel_board as b
from workbench.games.chess import kernel_general as g
from workbench.games.chess import kernel_rays as r
from workbench.games.chess.kernel_board import TOGGLES
from workbench.games.chess.kernel_rays import ROOM_BY_RAYS

PUSH, PUSH_TWO, TAKE_WEST, TAKE_EAST = 0, 1, 2, 3
SLIDES, LEAPS = 4, 12
"""The indices of the first words for the directions of sliders and knights."""
STEPS, CASTLES = 20, 21
"""The indices of the words of king steps and castling."""
WORDS = 22
RETREAT, SIDE_WEST, SIDE_EAST = 22, 23, 24
"""The indices of the words of extra pawn steps, which are only filled under `pawn_extra`."""
ALL_WORDS = 25

LEAP = (17, 15, 10, 6, -17, -15, -10, -6)

DRAWS = 24
"""The maximum number of king steps that the sampler tries."""


@inline_ir
def pinned_pieces(state: Any, colour: int, king: int, occupied: int) -> int:
    """Return a colour's pieces that are the only ones between their king and an enemy slider."""
    own, enemy, queens = state[b.WHITE + colour], state[b.BLACK - colour], state[b.QUEEN]
    rooks, bishops = state[b.ROOK] | queens, state[b.BISHOP] | queens
    snipers = enemy & (
        ((b.LINES[king, b.NORTH] | b.LINES[king, b.EAST]) & rooks)
        | ((b.LINES[king, b.NORTH_EAST] | b.LINES[king, b.NORTH_WEST]) & bishops)
    )
    pinned = 0
    while snipers:
        between = b.BETWEEN[king, lowest(snipers)] & occupied
        snipers &= snipers - 1
        if between & (between - 1) == 0:
            pinned |= between & own
    return pinned


@inline_ir
def fill_targets(rules: Any, state: Any, allowed: int, words: Any) -> None:
    """Fill ``words`` with the ``allowed`` squares to which pieces other than the king may move, except en passant.

    Targets of pawns on their last rank are always included.
    """
    colour = state[b.COLOUR]
    own, enemy, queens = state[b.WHITE + colour], state[b.BLACK - colour], state[b.QUEEN]
    occupied = own | enemy
    free = ~occupied
    capturable = b.victims(rules, state, colour)
    legal_ends = free | capturable
    unpinned = file_free = rank_free = diagonal_free = anti_free = b.ALL
    if rules.king == TOGGLES.king.checkmate:
        king = b.king_square(state, colour)
        checkers = state[b.CHECKERS]
        if checkers:
            legal_ends &= (checkers | b.BETWEEN[king, lowest(checkers)]) if checkers & (checkers - 1) == 0 else 0
        unpinned = ~pinned_pieces(state, colour, king, occupied)
        file_free, rank_free = unpinned | b.LINES[king, b.NORTH], unpinned | b.LINES[king, b.EAST]
        diagonal_free, anti_free = unpinned | b.LINES[king, b.NORTH_EAST], unpinned | b.LINES[king, b.NORTH_WEST]
    landing = legal_ends & allowed
    rooks, bishops = own & (state[b.ROOK] | queens), own & (state[b.BISHOP] | queens)
    words[SLIDES] = b.fill_up(rooks & file_free, free, 8, b.ALL) & landing
    words[SLIDES + 1] = b.fill_up(rooks & rank_free, free, 1, b.NOT_A) & landing
    words[SLIDES + 2] = b.fill_up(bishops & diagonal_free, free, 9, b.NOT_A) & landing
    words[SLIDES + 3] = b.fill_up(bishops & anti_free, free, 7, b.NOT_H) & landing
    words[SLIDES + 4] = b.fill_down(rooks & file_free, free, 8, b.NOT_8) & landing
    words[SLIDES + 5] = b.fill_down(rooks & rank_free, free, 1, b.NOT_H) & landing
    words[SLIDES + 6] = b.fill_down(bishops & diagonal_free, free, 9, b.NOT_H8) & landing
    words[SLIDES + 7] = b.fill_down(bishops & anti_free, free, 7, b.NOT_A8) & landing
    knights = own & state[b.KNIGHT] & unpinned
    words[LEAPS] = (knights << 17) & b.NOT_A & landing
    words[LEAPS + 1] = (knights << 15) & b.NOT_H & landing
    words[LEAPS + 2] = (knights << 10) & b.NOT_AB & landing
    words[LEAPS + 3] = (knights << 6) & b.NOT_GH & landing
    words[LEAPS + 4] = (knights >> 17) & b.NOT_H & b.NOT_78 & landing
    words[LEAPS + 5] = (knights >> 15) & b.NOT_A & b.NOT_78 & landing
    words[LEAPS + 6] = (knights >> 10) & b.NOT_GH & b.NOT_8 & landing
    words[LEAPS + 7] = (knights >> 6) & b.NOT_AB & b.NOT_8 & landing
    pawns = own & state[b.PAWN]
    landing |= legal_ends & b.LAST_RANKS
    capturing = capturable & landing
    passed = b.DOUBLE_STEPS[rules.pawn_double_step, colour]
    if colour == 0:
        pushes = ((pawns & file_free) << 8) & free
        words[PUSH] = pushes & landing
        words[PUSH_TWO] = ((pushes & passed) << 8) & free & landing
        words[TAKE_WEST] = ((pawns & anti_free) << 7) & b.NOT_H & capturing
        words[TAKE_EAST] = ((pawns & diagonal_free) << 9) & b.NOT_A & capturing
    else:
        pushes = ((pawns & file_free) >> 8) & b.NOT_8 & free
        words[PUSH] = pushes & landing
        words[PUSH_TWO] = ((pushes & passed) >> 8) & free & landing
        words[TAKE_WEST] = ((pawns & diagonal_free) >> 9) & b.NOT_H8 & capturing
        words[TAKE_EAST] = ((pawns & anti_free) >> 7) & b.NOT_A8 & capturing
    if rules.pawn_extra != TOGGLES.pawn_extra.none:
        landing &= free
        words[RETREAT] = words[SIDE_WEST] = words[SIDE_EAST] = 0
        if rules.pawn_extra == TOGGLES.pawn_extra.sideways:
            words[SIDE_WEST] = ((pawns & rank_free) >> 1) & b.NOT_H & landing
            words[SIDE_EAST] = ((pawns & rank_free) << 1) & b.NOT_A & landing
        elif colour == 0:
            words[RETREAT] = ((pawns & file_free) >> 8) & b.NOT_8 & b.NOT_1 & landing
        else:
            words[RETREAT] = ((pawns & file_free) << 8) & b.NOT_8 & landing


@inline_ir
def castling_targets(rules: Any, state: Any) -> int:
    """Return the squares to which the king can castle."""
    colour = state[b.COLOUR]
    rights = (state[b.CASTLING] >> (2 * colour)) & 3
    targets = 0
    if rights == 0 or (state[b.CHECKERS] | state[b.WAIT]) != 0:
        return targets
    occupied = state[b.WHITE] | state[b.BLACK]
    home = 56 * colour
    royal = rules.king == TOGGLES.king.checkmate
    if (
        (rights & 1) != 0
        and (occupied >> (home + 5)) & 3 == 0
        and not (
            royal
            and (
                r.attackers(rules, state, home + 5, 1 - colour, occupied) != 0
                or r.attackers(rules, state, home + 6, 1 - colour, occupied) != 0
            )
        )
    ):
        targets |= b.bit(home + 6)
    if (
        (rights & 2) != 0
        and (occupied >> (home + 1)) & 7 == 0
        and not (
            royal
            and (
                r.attackers(rules, state, home + 3, 1 - colour, occupied) != 0
                or r.attackers(rules, state, home + 2, 1 - colour, occupied) != 0
            )
        )
    ):
        targets |= b.bit(home + 2)
    return targets


@inline_ir
def king_targets(rules: Any, state: Any) -> int:
    """Return the legal targets of a colour's single king, excluding castling."""
    colour = state[b.COLOUR]
    own = state[b.WHITE + colour]
    king = b.king_square(state, colour)
    steps = b.KING_STEPS[king] & (b.victims(rules, state, colour) | ~own)
    if rules.king != TOGGLES.king.checkmate or steps == 0:
        return steps
    enemy, queens = state[b.BLACK - colour], state[b.QUEEN]
    free = ~((own | enemy) ^ b.bit(king))
    steps &= ~(b.pawn_attacks(enemy & state[b.PAWN], 1 - colour) | b.leaps(enemy & state[b.KNIGHT]))
    steps &= ~b.KING_STEPS[b.king_square(state, 1 - colour)]
    rooks, bishops = enemy & (state[b.ROOK] | queens), enemy & (state[b.BISHOP] | queens)
    return steps & ~(b.orthogonal(rooks, free) | b.diagonal(bishops, free))


@inline_ir
def passant_is_legal(rules: Any, state: Any, origin: int, square: int) -> bool:
    """Return whether a pawn on ``origin`` that attacks ``square`` can legally capture en passant."""
    if rules.king != TOGGLES.king.checkmate:
        return True
    colour = state[b.COLOUR]
    victim = square - 8 + 16 * colour
    occupied = (state[b.WHITE] | state[b.BLACK]) ^ b.bit(origin) ^ b.bit(victim) ^ b.bit(square)
    return r.attackers(rules, state, b.king_square(state, colour), 1 - colour, occupied) & ~b.bit(victim) == 0


@njit
def passant_exists(rules: Any, state: Any, square: int) -> bool:
    """Return whether the colour to move has a legal en passant capture on ``square``."""
    colour = state[b.COLOUR]
    if rules.king == TOGGLES.king.capture and state[b.KING] & state[b.WHITE + colour] == 0:
        return False
    if (
        rules.moved_enemy == TOGGLES.moved_enemy.safe
        and b.is_last_ply(state)
        and state[b.MOVED] & b.bit(square - 8 + 16 * colour)
    ):
        return False
    pawns = b.PAWN_TAKES[1 - colour, square] & state[b.PAWN] & state[b.WHITE + colour]
    while pawns:
        if passant_is_legal(rules, state, lowest(pawns), square):
            return True
        pawns &= pawns - 1
    return False


@inline_ir
def target_origin(state: Any, word: int, target: int) -> int:
    """Return the origin of the slider, knight or pawn whose target is in a word of `fill_targets`."""
    colour = state[b.COLOUR]
    if word >= RETREAT:
        if word == RETREAT:
            return target + 8 - 16 * colour
        return target + (1 if word == SIDE_WEST else -1)
    if word < SLIDES:
        forward = 8 - 16 * colour
        if word == PUSH:
            return target - forward
        if word == PUSH_TWO:
            return target - 2 * forward
        return target - forward - (1 if word == TAKE_EAST else -1)
    if word < LEAPS:
        direction = word - SLIDES
        occupied = state[b.WHITE] | state[b.BLACK]
        if direction < 4:
            return highest(b.RAYS[target, direction + 4] & occupied)
        return lowest(b.RAYS[target, direction - 4] & occupied)
    return target - LEAP[word - LEAPS]


@inline_ir
def slider_kind(state: Any, word: int, square: int) -> int:
    """Return the kind of the slider on a square that moves in a word's direction."""
    queen = (state[b.QUEEN] >> square) & 1
    return (b.BISHOP + 2 * queen) if (word - SLIDES) & 2 else (b.ROOK + queen)


@inline_ir
def _append_pawns(moves: Any, n: int, targets: int, offset: int, best: int) -> int:
    """Append pawn moves; ``best`` is the highest kind of promotion, or 0 if the mover does not choose."""
    while targets:
        target = lowest(targets)
        code = (target - offset) | target << 6
        if best and targets & -targets & b.LAST_RANKS:
            for piece in range(best, b.KNIGHT - 1, -1):
                moves[n] = code | piece << 15
                n += 1
        else:
            moves[n] = code
            n += 1
        targets &= targets - 1
    return n


@inline_ir
def mover_promotes(rules: Any, state: Any) -> bool:
    """Return whether the player who moves a pawn chooses its promotion."""
    return rules.promotion_by != TOGGLES.promotion_by.owner or state[b.SEAT] == state[b.COLOUR]


@inline_ir
def _append_passing(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Append the legal en passant captures."""
    square = state[b.PASSANT]
    if square:
        pawns = b.PAWN_TAKES[1 - state[b.COLOUR], square] & state[b.PAWN] & state[b.WHITE + state[b.COLOUR]]
        while pawns:
            origin = lowest(pawns)
            pawns &= pawns - 1
            if passant_is_legal(rules, state, origin, square):
                moves[n] = origin | square << 6
                n += 1
    return n


@separately_compiled(INT, STATE, INT, MOVES)
def list_moves(rules: Any, state: Any, allowed: int, moves: Any) -> int:
    """Fill ``moves`` with the legal moves to allowed squares, ignoring the Detente rules and the obligation to capture.

    Promotions, en passant captures and castling are always included.
    """
    n = 0
    if state[b.CHOICE]:
        square = lowest(state[b.PAWN] & state[b.WHITE + state[b.COLOUR]] & b.LAST_RANKS)
        for piece in range(b.highest_promotion(rules), b.KNIGHT - 1, -1):
            moves[n] = square | square << 6 | piece << 15
            n += 1
        return n
    colour = state[b.COLOUR]
    if rules.king == TOGGLES.king.capture and state[b.KING] & state[b.WHITE + colour] == 0:
        return 0
    if state[b.CHANGED] & b.GENERAL:
        return g.general_moves(rules, state, allowed, moves)
    best = b.highest_promotion(rules) if mover_promotes(rules, state) else 0
    if r.is_nonstandard(state):
        n = _append_passing(rules, state, moves, r.ray_moves(rules, state, allowed, best, moves))
        if rules.king == TOGGLES.king.ordinary:
            return n
        king, targets = b.king_square(state, colour), castling_targets(rules, state)
        while targets:
            moves[n] = king | lowest(targets) << 6 | b.KING << 12
            targets &= targets - 1
            n += 1
        return n
    words = scratch(ALL_WORDS)
    fill_targets(rules, state, allowed, words)
    forward = 8 - 16 * colour
    n = _append_pawns(moves, n, words[PUSH], forward, best)
    if rules.pawn_double_step == TOGGLES.pawn_double_step.anywhere:
        n = _append_pawns(moves, n, words[PUSH_TWO], 2 * forward, best)
    else:
        n = _append_pawns(moves, n, words[PUSH_TWO], 2 * forward, 0)
    n = _append_pawns(moves, n, words[TAKE_WEST], forward - 1, best)
    n = _append_pawns(moves, n, words[TAKE_EAST], forward + 1, best)
    if rules.pawn_extra != TOGGLES.pawn_extra.none:
        n = _append_pawns(moves, n, words[RETREAT], -forward, 0)
        n = _append_pawns(moves, n, words[SIDE_WEST], -1, 0)
        n = _append_pawns(moves, n, words[SIDE_EAST], 1, 0)
    n = _append_passing(rules, state, moves, n)
    for word in range(LEAPS, LEAPS + 8):
        targets = words[word]
        while targets:
            target = lowest(targets)
            targets &= targets - 1
            moves[n] = (target - LEAP[word - LEAPS]) | target << 6 | b.KNIGHT << 12
            n += 1
    for word in range(SLIDES, SLIDES + 8):
        targets = words[word]
        while targets:
            target = lowest(targets)
            targets &= targets - 1
            origin = target_origin(state, word, target)
            moves[n] = origin | target << 6 | slider_kind(state, word, origin) << 12
            n += 1
    if rules.king == TOGGLES.king.ordinary:
        return _append_ordinary_kings(state, allowed, moves, n)
    king = b.king_square(state, colour)
    targets = (king_targets(rules, state) & allowed) | castling_targets(rules, state)
    while targets:
        moves[n] = king | lowest(targets) << 6 | b.KING << 12
        targets &= targets - 1
        n += 1
    return n


@njit
def _append_ordinary_kings(state: Any, allowed: int, moves: Any, n: int) -> int:
    """Append the moves of non-royal kings, of which there may be any number."""
    own = state[b.WHITE + state[b.COLOUR]]
    kings = own & state[b.KING]
    while kings:
        king = lowest(kings)
        kings &= kings - 1
        targets = b.KING_STEPS[king] & ~own & allowed
        while targets:
            moves[n] = king | lowest(targets) << 6 | b.KING << 12
            targets &= targets - 1
            n += 1
    return n


@inline_ir
def is_capture(state: Any, move: int) -> bool:
    """Return whether a legal move captures an enemy piece."""
    origin, target = move & 63, (move >> 6) & 63
    if state[b.BLACK - state[b.COLOUR]] & b.bit(target):
        return True
    if state[b.CHANGED] & b.GENERAL:
        return move & g.PASSING != 0
    return (move >> 12) & 7 == b.PAWN and b.is_en_passant(state, origin, target)


@njit
def keep_captures(state: Any, moves: Any, n: int) -> int:
    """Keep only the captures among ``moves[:n]``, if there are any, and return the new ``n``."""
    kept = 0
    for i in range(n):
        if is_capture(state, moves[i]):
            moves[kept] = moves[i]
            kept += 1
    return kept or n


@njit
def keep_detente(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Keep the legal chess moves in ``moves[:n]`` that the Detente rules allow, and return the new ``n``.

    Source: E. Jackman, "007 Chess", 1995, Detente Variation, rules 1 and 2.
    """
    colour = state[b.COLOUR]
    if rules.moved_enemy == TOGGLES.moved_enemy.safe:
        safe = state[b.MOVED] & state[b.BLACK - colour]
        kept = 0
        for i in range(n):
            # The moves contain no en passant capture of a safe pawn: see `passant_exists`.
            if not safe & b.bit((moves[i] >> 6) & 63):
                moves[kept] = moves[i]
                kept += 1
        n = kept
    if rules.same_piece == TOGGLES.same_piece.only_if_forced:
        used = state[b.MOVED] & state[b.WHITE + colour]
        others = 0
        for i in range(n):
            if not used & b.bit(moves[i] & 63):
                others += 1
        if 0 < others < n:
            kept = 0
            for i in range(n):
                if not used & b.bit(moves[i] & 63):
                    moves[kept] = moves[i]
                    kept += 1
            n = kept
    return n


@njit
def legal_moves(rules: Any, state: Any, moves: Any) -> int:
    """Fill ``moves`` with the legal moves and return their number."""
    n = list_moves(rules, state, b.ALL, moves)
    if state[b.MOVED] and b.is_last_ply(state):
        return keep_detente(rules, state, moves, n)
    return n if rules.capture == TOGGLES.capture.optional else keep_captures(state, moves, n)


@njit
def list_captures(rules: Any, state: Any, moves: Any) -> int:
    """Fill ``moves`` with legal captures and queen promotions, most valuable victims first."""
    enemy = state[b.BLACK - state[b.COLOUR]]
    if state[b.MOVED] and b.is_last_ply(state):
        n = keep_detente(rules, state, moves, list_moves(rules, state, b.ALL, moves))
    else:
        n = list_moves(rules, state, enemy, moves)
    kept = 0
    for i in range(n):
        move = np.int64(moves[i])
        to = b.bit((move >> 6) & 63)
        promotion = (move >> 15) & 7
        if (to & enemy or promotion) and (promotion == 0 or promotion == b.QUEEN):
            value = promotion
            for kind in range(6):
                if state[kind] & to & enemy:
                    value += kind
            # The list is short, so insertion sort is sufficient.
            index = kept
            while index > 0 and (moves[index - 1] >> 24) < value:
                moves[index] = moves[index - 1]
                index -= 1
            moves[index] = move | value << 24
            kept += 1
    for i in range(kept):
        moves[i] &= 0xFFFFFF
    return kept


@separately_compiled(INT, STATE)
def number_of_moves(rules: Any, state: Any) -> int:
    """Return the number of legal moves."""
    must_list = rules.king == TOGGLES.king.ordinary or rules.capture == TOGGLES.capture.obligatory
    if (
        must_list
        or state[b.CHOICE] | state[b.PASSANT] | state[b.MOVED] | (state[b.CHANGED] & (b.BY_RAYS | b.GENERAL))
        or (rules.king == TOGGLES.king.capture and state[b.KING] & state[b.WHITE + state[b.COLOUR]] == 0)
    ):
        moves = scratch_moves(ROOM_BY_RAYS)
        return legal_moves(rules, state, moves)
    words = scratch(ALL_WORDS)
    fill_targets(rules, state, b.ALL, words)
    n = popcount(king_targets(rules, state) | castling_targets(rules, state))
    for word in range(STEPS):
        n += popcount(words[word])
    if rules.pawn_extra != TOGGLES.pawn_extra.none:
        n += popcount(words[RETREAT]) + popcount(words[SIDE_WEST]) + popcount(words[SIDE_EAST])
    promotions = popcount(words[PUSH] & b.LAST_RANKS) + popcount(words[PUSH_TWO] & b.LAST_RANKS)
    promotions += popcount(words[TAKE_WEST] & b.LAST_RANKS) + popcount(words[TAKE_EAST] & b.LAST_RANKS)
    if promotions and mover_promotes(rules, state):
        n += 3 * promotions
    return n


@njit
def any_move(rules: Any, state: Any) -> bool:
    """Return whether there is a legal move, first trying moves that can be tested without pins or attacks."""
    if state[b.CHOICE]:
        return True
    if rules.king == TOGGLES.king.ordinary or r.is_nonstandard(state):
        return number_of_moves(rules, state) > 0
    colour = state[b.COLOUR]
    own = state[b.WHITE + colour]
    if rules.king == TOGGLES.king.capture and state[b.KING] & own == 0:
        return False
    if state[b.MOVED] and b.is_last_ply(state):
        return number_of_moves(rules, state) > 0
    if state[b.CHECKERS] == 0:
        # A piece that is on no line with its king is not pinned.
        king = b.king_square(state, colour)
        unpinned = own & ~(
            b.LINES[king, b.NORTH] | b.LINES[king, b.EAST] | b.LINES[king, b.NORTH_EAST] | b.LINES[king, b.NORTH_WEST]
        )
        pawns, open_squares = unpinned & state[b.PAWN], ~own
        pushed = pawns << 8 if colour == 0 else (pawns >> 8) & b.NOT_8
        if (pushed & ~state[b.BLACK - colour] | b.leaps(unpinned & state[b.KNIGHT])) & open_squares:
            return True
        rooks, bishops = unpinned & (state[b.ROOK] | state[b.QUEEN]), unpinned & (state[b.BISHOP] | state[b.QUEEN])
        steps = rooks << 8 | (rooks >> 8) & b.NOT_8 | (rooks << 1) & b.NOT_A | (rooks >> 1) & b.NOT_H
        steps |= (
            (bishops << 9) & b.NOT_A | (bishops << 7) & b.NOT_H | (bishops >> 9) & b.NOT_H8 | (bishops >> 7) & b.NOT_A8
        )
        if steps & open_squares:
            return True
    return king_targets(rules, state) != 0 or number_of_moves(rules, state) > 0


@njit
def sample_move(rules: Any, state: Any, rng: Any) -> int:
    """Return a uniformly random legal move without listing all moves, or -1 if they must be listed.

    King steps are sampled regardless of attacks, and sampled again if the target is attacked.
    """
    if rules.king == TOGGLES.king.ordinary or rules.capture == TOGGLES.capture.obligatory:
        return -1
    if (state[b.CHOICE] | state[b.PASSANT] | state[b.MOVED] | (state[b.CHANGED] & (b.BY_RAYS | b.GENERAL))) != 0:
        return -1
    colour = state[b.COLOUR]
    words = scratch(ALL_WORDS)
    fill_targets(rules, state, b.ALL, words)
    if (words[PUSH] | words[PUSH_TWO] | words[TAKE_WEST] | words[TAKE_EAST]) & b.LAST_RANKS:
        return -1
    king = b.king_square(state, colour)
    words[STEPS] = b.KING_STEPS[king] & (b.victims(rules, state, colour) | ~state[b.WHITE + colour])
    words[CASTLES] = castling_targets(rules, state)
    total = 0
    word_count = WORDS if rules.pawn_extra == TOGGLES.pawn_extra.none else ALL_WORDS
    for word in range(word_count):
        total += popcount(words[word])
    if total == 0:
        return -1
    for _ in range(DRAWS):
        skip = below(rng, total)
        word = 0
        count = popcount(words[0])
        while skip >= count:
            skip -= count
            word += 1
            count = popcount(words[word])
        targets = words[word]
        while skip:
            targets &= targets - 1
            skip -= 1
        target = lowest(targets)
        if word >= STEPS:
            if word >= RETREAT:
                return target_origin(state, word, target) | target << 6
            if word == STEPS and rules.king == TOGGLES.king.checkmate:
                occupied = (state[b.WHITE] | state[b.BLACK]) ^ b.bit(king)
                if r.attackers(rules, state, target, 1 - colour, occupied) != 0:
                    continue
            return king | target << 6 | b.KING << 12
        origin = target_origin(state, word, target)
        piece = b.PAWN
        if word >= LEAPS:
            piece = b.KNIGHT
        elif word >= SLIDES:
            piece = slider_kind(state, word, origin)
        return origin | target << 6 | piece << 12
    return -1
