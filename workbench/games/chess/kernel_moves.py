"""Legal moves of chess, all at once: a word of target squares for every direction of every kind of piece.

A move is ``from | to << 6 | piece << 12 | promotion << 15``, the piece being what stands on ``from``. The owner's
choice of a promotion has ``from == to``.

Each direction of the sliders, of the knights and of the pawns gives one word whose bits are legal targets: a target of
a direction is reached by one piece only, so moves need not be listed to be counted or drawn. Pieces that are pinned
take part in the directions of their pin; in check, only the squares that end it are targets.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.jit import highest, inlined, lowest, njit, popcount, scratch
from workbench.engine.rng import below
from workbench.games.chess.kernel_board import (
    ALL,
    BETWEEN,
    BISHOP,
    BLACK,
    CAPTURE,
    CASTLING,
    CHECKERS,
    CHOICE,
    COLOUR,
    EAST,
    KING,
    KING_STEPS,
    KNIGHT,
    LAST_RANKS,
    LINES,
    MOVED,
    NORTH,
    NORTH_EAST,
    NORTH_WEST,
    NOT_8,
    NOT_78,
    NOT_A,
    NOT_A8,
    NOT_AB,
    NOT_GH,
    NOT_H,
    NOT_H8,
    ONLY_IF_FORCED,
    OWNER,
    PASSANT,
    PAWN,
    PAWN_TAKES,
    QUEEN,
    RANK_3,
    RANK_6,
    RAYS,
    ROOK,
    SAFE,
    SEAT,
    WHITE,
    attackers,
    bit,
    diagonal,
    fill_down,
    fill_up,
    king_square,
    last_ply,
    leaps,
    orthogonal,
    pawn_attacks,
)

PUSH, PUSH_TWO, TAKE_WEST, TAKE_EAST = 0, 1, 2, 3
SLIDES, LEAPS = 4, 12
"""Where the words of the sliders' and the knights' directions begin."""
STEPS, CASTLES = 20, 21
"""The words of the king."""
WORDS = 22

LEAP = (17, 15, 10, 6, -17, -15, -10, -6)

DRAWS = 24
"""So often the sampler tries another king's step before it gives up."""


@inlined
def pinned_pieces(state: Any, colour: int, king: int, occupied: int) -> int:
    """The pieces of a colour that alone stand between their king and an enemy slider."""
    own, enemy, queens = state[WHITE + colour], state[BLACK - colour], state[QUEEN]
    rooks, bishops = state[ROOK] | queens, state[BISHOP] | queens
    snipers = enemy & (
        ((LINES[king, NORTH] | LINES[king, EAST]) & rooks)
        | ((LINES[king, NORTH_EAST] | LINES[king, NORTH_WEST]) & bishops)
    )
    pinned = 0
    while snipers:
        between = BETWEEN[king, lowest(snipers)] & occupied
        snipers &= snipers - 1
        if between & (between - 1) == 0:
            pinned |= between & own
    return pinned


@inlined
def fill_targets(rules: Any, state: Any, wanted: int, words: Any) -> None:
    """Fills ``words`` with the wanted legal targets of all but the king and of captures en passant.

    Targets of pawns on their last rank are always wanted.
    """
    colour = state[COLOUR]
    own, enemy, queens = state[WHITE + colour], state[BLACK - colour], state[QUEEN]
    occupied = own | enemy
    free = ~occupied
    ending = ~own
    loose = up_down = across = rising = falling = ALL
    if rules.king != CAPTURE:
        king = king_square(state, colour)
        checkers = state[CHECKERS]
        if checkers:
            ending &= (checkers | BETWEEN[king, lowest(checkers)]) if checkers & (checkers - 1) == 0 else 0
        loose = ~pinned_pieces(state, colour, king, occupied)
        up_down, across = loose | LINES[king, NORTH], loose | LINES[king, EAST]
        rising, falling = loose | LINES[king, NORTH_EAST], loose | LINES[king, NORTH_WEST]
    landing = ending & wanted
    rooks, bishops = own & (state[ROOK] | queens), own & (state[BISHOP] | queens)
    words[SLIDES] = fill_up(rooks & up_down, free, 8, ALL) & landing
    words[SLIDES + 1] = fill_up(rooks & across, free, 1, NOT_A) & landing
    words[SLIDES + 2] = fill_up(bishops & rising, free, 9, NOT_A) & landing
    words[SLIDES + 3] = fill_up(bishops & falling, free, 7, NOT_H) & landing
    words[SLIDES + 4] = fill_down(rooks & up_down, free, 8, NOT_8) & landing
    words[SLIDES + 5] = fill_down(rooks & across, free, 1, NOT_H) & landing
    words[SLIDES + 6] = fill_down(bishops & rising, free, 9, NOT_H8) & landing
    words[SLIDES + 7] = fill_down(bishops & falling, free, 7, NOT_A8) & landing
    knights = own & state[KNIGHT] & loose
    words[LEAPS] = (knights << 17) & NOT_A & landing
    words[LEAPS + 1] = (knights << 15) & NOT_H & landing
    words[LEAPS + 2] = (knights << 10) & NOT_AB & landing
    words[LEAPS + 3] = (knights << 6) & NOT_GH & landing
    words[LEAPS + 4] = (knights >> 17) & NOT_H & NOT_78 & landing
    words[LEAPS + 5] = (knights >> 15) & NOT_A & NOT_78 & landing
    words[LEAPS + 6] = (knights >> 10) & NOT_GH & NOT_8 & landing
    words[LEAPS + 7] = (knights >> 6) & NOT_AB & NOT_8 & landing
    pawns = own & state[PAWN]
    landing |= ending & LAST_RANKS
    taken = enemy & landing
    if colour == 0:
        one = ((pawns & up_down) << 8) & free
        words[PUSH] = one & landing
        words[PUSH_TWO] = ((one & RANK_3) << 8) & free & landing
        words[TAKE_WEST] = ((pawns & falling) << 7) & NOT_H & taken
        words[TAKE_EAST] = ((pawns & rising) << 9) & NOT_A & taken
    else:
        one = ((pawns & up_down) >> 8) & NOT_8 & free
        words[PUSH] = one & landing
        words[PUSH_TWO] = ((one & RANK_6) >> 8) & free & landing
        words[TAKE_WEST] = ((pawns & rising) >> 9) & NOT_H8 & taken
        words[TAKE_EAST] = ((pawns & falling) >> 7) & NOT_A8 & taken


@inlined
def castles(rules: Any, state: Any) -> int:
    """Where the king can castle to."""
    colour = state[COLOUR]
    rights = (state[CASTLING] >> (2 * colour)) & 3
    found = 0
    if rights == 0 or state[CHECKERS] != 0:
        return found
    occupied = state[WHITE] | state[BLACK]
    home = 56 * colour
    careful = rules.king != CAPTURE
    if (
        (rights & 1) != 0
        and (occupied >> (home + 5)) & 3 == 0
        and not (
            careful
            and (
                attackers(state, home + 5, 1 - colour, occupied) != 0
                or attackers(state, home + 6, 1 - colour, occupied) != 0
            )
        )
    ):
        found |= bit(home + 6)
    if (
        (rights & 2) != 0
        and (occupied >> (home + 1)) & 7 == 0
        and not (
            careful
            and (
                attackers(state, home + 3, 1 - colour, occupied) != 0
                or attackers(state, home + 2, 1 - colour, occupied) != 0
            )
        )
    ):
        found |= bit(home + 2)
    return found


@inlined
def king_targets(rules: Any, state: Any) -> int:
    """The legal steps of the king."""
    colour = state[COLOUR]
    own = state[WHITE + colour]
    king = king_square(state, colour)
    steps = KING_STEPS[king] & ~own
    if rules.king == CAPTURE or steps == 0:
        return steps
    enemy, queens = state[BLACK - colour], state[QUEEN]
    free = ~((own | enemy) ^ bit(king))
    steps &= ~(pawn_attacks(enemy & state[PAWN], 1 - colour) | leaps(enemy & state[KNIGHT]))
    steps &= ~KING_STEPS[king_square(state, 1 - colour)]
    rooks, bishops = enemy & (state[ROOK] | queens), enemy & (state[BISHOP] | queens)
    return steps & ~(orthogonal(rooks, free) | diagonal(bishops, free))


@inlined
def passant_is_legal(rules: Any, state: Any, origin: int, square: int) -> bool:
    """Whether a pawn of the colour to move that attacks ``square`` can take en passant there without danger."""
    if rules.king == CAPTURE:
        return True
    colour = state[COLOUR]
    taken = square - 8 + 16 * colour
    occupied = (state[WHITE] | state[BLACK]) ^ bit(origin) ^ bit(taken) ^ bit(square)
    return attackers(state, king_square(state, colour), 1 - colour, occupied) & ~bit(taken) == 0


@njit
def passant_exists(rules: Any, state: Any, square: int) -> bool:
    """Whether the colour to move has a legal capture en passant on ``square``."""
    colour = state[COLOUR]
    if rules.king == CAPTURE and state[KING] & state[WHITE + colour] == 0:
        return False
    if rules.moved_enemy == SAFE and last_ply(state) and state[MOVED] & bit(square - 8 + 16 * colour):
        return False
    pawns = PAWN_TAKES[1 - colour, square] & state[PAWN] & state[WHITE + colour]
    while pawns:
        if passant_is_legal(rules, state, lowest(pawns), square):
            return True
        pawns &= pawns - 1
    return False


@inlined
def origin_of(state: Any, word: int, target: int) -> int:
    """The square from which the piece comes whose target is in this word, a slider's, knight's or pawn's."""
    colour = state[COLOUR]
    if word < SLIDES:
        forward = 8 - 16 * colour
        if word == PUSH:
            return target - forward
        if word == PUSH_TWO:
            return target - 2 * forward
        return target - forward - (1 if word == TAKE_EAST else -1)
    if word < LEAPS:
        direction = word - SLIDES
        occupied = state[WHITE] | state[BLACK]
        if direction < 4:
            return highest(RAYS[target, direction + 4] & occupied)
        return lowest(RAYS[target, direction - 4] & occupied)
    return target - LEAP[word - LEAPS]


@inlined
def slider_on(state: Any, word: int, square: int) -> int:
    """The kind of the slider on a square that moves in a word's direction."""
    queen = (state[QUEEN] >> square) & 1
    return (BISHOP + 2 * queen) if (word - SLIDES) & 2 else (ROOK + queen)


@inlined
def _append_pawns(moves: Any, n: int, targets: int, offset: int, choose: bool) -> int:
    """Appends pawns' moves; ``choose``: who moves a pawn to its last rank says what it becomes."""
    while targets:
        target = lowest(targets)
        code = (target - offset) | target << 6
        if choose and targets & -targets & LAST_RANKS:
            for piece in range(QUEEN, KNIGHT - 1, -1):
                moves[n] = code | piece << 15
                n += 1
        else:
            moves[n] = code
            n += 1
        targets &= targets - 1
    return n


@inlined
def chooses(rules: Any, state: Any) -> bool:
    """Whether who moves a pawn to its last rank says what it becomes."""
    return rules.promotion_by != OWNER or state[SEAT] == state[COLOUR]


@njit
def list_moves(rules: Any, state: Any, wanted: int, moves: Any) -> int:
    """Fills ``moves`` with the legal moves to wanted squares, the Detente rules aside; returns how many.

    Promotions, captures en passant and castling are always wanted.
    """
    n = 0
    if state[CHOICE]:
        square = lowest(state[PAWN] & state[WHITE + state[COLOUR]] & LAST_RANKS)
        for piece in range(QUEEN, KNIGHT - 1, -1):
            moves[n] = square | square << 6 | piece << 15
            n += 1
        return n
    colour = state[COLOUR]
    if rules.king == CAPTURE and state[KING] & state[WHITE + colour] == 0:
        return 0
    words = scratch(22)
    fill_targets(rules, state, wanted, words)
    choose = chooses(rules, state)
    forward = 8 - 16 * colour
    n = _append_pawns(moves, n, words[PUSH], forward, choose)
    n = _append_pawns(moves, n, words[PUSH_TWO], 2 * forward, False)
    n = _append_pawns(moves, n, words[TAKE_WEST], forward - 1, choose)
    n = _append_pawns(moves, n, words[TAKE_EAST], forward + 1, choose)
    square = state[PASSANT]
    if square:
        pawns = PAWN_TAKES[1 - colour, square] & state[PAWN] & state[WHITE + colour]
        while pawns:
            origin = lowest(pawns)
            pawns &= pawns - 1
            if passant_is_legal(rules, state, origin, square):
                moves[n] = origin | square << 6
                n += 1
    for word in range(LEAPS, LEAPS + 8):
        targets = words[word]
        while targets:
            target = lowest(targets)
            targets &= targets - 1
            moves[n] = (target - LEAP[word - LEAPS]) | target << 6 | KNIGHT << 12
            n += 1
    for word in range(SLIDES, SLIDES + 8):
        targets = words[word]
        while targets:
            target = lowest(targets)
            targets &= targets - 1
            origin = origin_of(state, word, target)
            moves[n] = origin | target << 6 | slider_on(state, word, origin) << 12
            n += 1
    king = king_square(state, colour)
    targets = (king_targets(rules, state) & wanted) | castles(rules, state)
    while targets:
        moves[n] = king | lowest(targets) << 6 | KING << 12
        targets &= targets - 1
        n += 1
    return n


@njit
def keep_detente(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Keeps those of ``moves[:n]``, all legal chess moves, that the Detente rules allow; returns how many.

    Source: E. Jackman, "007 Chess", 1995, Detente Variation, rules 1 and 2.
    """
    colour = state[COLOUR]
    if rules.moved_enemy == SAFE:
        safe = state[MOVED] & state[BLACK - colour]
        kept = 0
        for i in range(n):
            # An unsafe capture en passant is never among the moves: see `passant_exists`.
            if not safe & bit((moves[i] >> 6) & 63):
                moves[kept] = moves[i]
                kept += 1
        n = kept
    if rules.same_piece == ONLY_IF_FORCED:
        used = state[MOVED] & state[WHITE + colour]
        others = 0
        for i in range(n):
            if not used & bit(moves[i] & 63):
                others += 1
        if 0 < others < n:
            kept = 0
            for i in range(n):
                if not used & bit(moves[i] & 63):
                    moves[kept] = moves[i]
                    kept += 1
            n = kept
    return n


@njit
def list_captures(rules: Any, state: Any, moves: Any) -> int:
    """Fills ``moves`` with the legal captures and promotions to a queen, the most valuable victims first."""
    enemy = state[BLACK - state[COLOUR]]
    if state[MOVED] and last_ply(state):
        n = keep_detente(rules, state, moves, list_moves(rules, state, ALL, moves))
    else:
        n = list_moves(rules, state, enemy, moves)
    kept = 0
    for i in range(n):
        move = np.int64(moves[i])
        to = bit((move >> 6) & 63)
        promotion = move >> 15
        if (to & enemy or promotion) and (promotion == 0 or promotion == QUEEN):
            value = promotion
            for kind in range(6):
                if state[kind] & to & enemy:
                    value += kind
            # The list is short: each capture is put in its place among those before it.
            place = kept
            while place > 0 and (moves[place - 1] >> 24) < value:
                moves[place] = moves[place - 1]
                place -= 1
            moves[place] = move | value << 24
            kept += 1
    for i in range(kept):
        moves[i] &= 0xFFFFFF
    return kept


@njit
def count_moves(rules: Any, state: Any) -> int:
    """The number of legal moves."""
    if state[CHOICE] | state[PASSANT] | state[MOVED] or (
        rules.king == CAPTURE and state[KING] & state[WHITE + state[COLOUR]] == 0
    ):
        moves = scratch(256)
        n = list_moves(rules, state, ALL, moves)
        return keep_detente(rules, state, moves, n) if state[MOVED] and last_ply(state) else n
    words = scratch(22)
    fill_targets(rules, state, ALL, words)
    n = popcount(king_targets(rules, state) | castles(rules, state))
    for word in range(STEPS):
        n += popcount(words[word])
    promotions = popcount(words[PUSH] & LAST_RANKS)
    promotions += popcount(words[TAKE_WEST] & LAST_RANKS) + popcount(words[TAKE_EAST] & LAST_RANKS)
    if promotions and chooses(rules, state):
        n += 3 * promotions
    return n


@njit
def any_move(rules: Any, state: Any) -> bool:
    """Whether there is a legal move: mostly seen from one that needs no look at pins and attacks."""
    if state[CHOICE]:
        return True
    colour = state[COLOUR]
    own = state[WHITE + colour]
    if rules.king == CAPTURE and state[KING] & own == 0:
        return False
    if state[MOVED] and last_ply(state):
        return count_moves(rules, state) > 0
    if state[CHECKERS] == 0:
        # What stands on no line with its king is not pinned.
        king = king_square(state, colour)
        loose = own & ~(LINES[king, NORTH] | LINES[king, EAST] | LINES[king, NORTH_EAST] | LINES[king, NORTH_WEST])
        pawns, open_squares = loose & state[PAWN], ~own
        pushed = pawns << 8 if colour == 0 else (pawns >> 8) & NOT_8
        if (pushed & ~state[BLACK - colour] | leaps(loose & state[KNIGHT])) & open_squares:
            return True
        rooks, bishops = loose & (state[ROOK] | state[QUEEN]), loose & (state[BISHOP] | state[QUEEN])
        steps = rooks << 8 | (rooks >> 8) & NOT_8 | (rooks << 1) & NOT_A | (rooks >> 1) & NOT_H
        steps |= (bishops << 9) & NOT_A | (bishops << 7) & NOT_H | (bishops >> 9) & NOT_H8 | (bishops >> 7) & NOT_A8
        if steps & open_squares:
            return True
    return king_targets(rules, state) != 0 or count_moves(rules, state) > 0


@njit
def draw_move(rules: Any, state: Any, rng: Any) -> int:
    """A uniformly random legal move without listing them, or -1 where a special rule asks for the list.

    The king's steps are drawn as if no square were attacked; an attacked one is drawn again.
    """
    if (state[CHOICE] | state[PASSANT] | state[MOVED]) != 0:
        return -1
    colour = state[COLOUR]
    words = scratch(22)
    fill_targets(rules, state, ALL, words)
    if (words[PUSH] | words[TAKE_WEST] | words[TAKE_EAST]) & LAST_RANKS:
        return -1
    king = king_square(state, colour)
    words[STEPS] = KING_STEPS[king] & ~state[WHITE + colour]
    words[CASTLES] = castles(rules, state)
    total = 0
    for word in range(WORDS):
        total += popcount(words[word])
    if total == 0:
        return -1
    for _ in range(DRAWS):
        left = below(rng, total)
        word = 0
        count = popcount(words[0])
        while left >= count:
            left -= count
            word += 1
            count = popcount(words[word])
        targets = words[word]
        while left:
            targets &= targets - 1
            left -= 1
        target = lowest(targets)
        if word >= STEPS:
            if word == STEPS and rules.king != CAPTURE:
                occupied = (state[WHITE] | state[BLACK]) ^ bit(king)
                if attackers(state, target, 1 - colour, occupied) != 0:
                    continue
            return king | target << 6 | KING << 12
        origin = origin_of(state, word, target)
        piece = PAWN
        if word >= LEAPS:
            piece = KNIGHT
        elif word >= SLIDES:
            piece = slider_on(state, word, origin)
        return origin | target << 6 | piece << 12
    return -1
