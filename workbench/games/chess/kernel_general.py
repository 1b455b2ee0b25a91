"""Chess by the general generator: every pseudo-legal move is tried and kept if the rules allow it.

It is used for rules that the fast generators of `kernel_moves` and `kernel_rays` do not support: other pawns, drops,
exploding captures, colours without a king, two plies a turn, castling from other squares, smaller boards. Squares
outside a small board count as occupied, by nobody. In addition to from, to, piece and promotion, a move may have one of
the bits below. A drop has ``from == to``; in other arrays the target of castling is the rook.
"""

from __future__ import annotations

from typing import Any

from workbench.engine.bits import lowest, popcount
from workbench.engine.jit import copy, inline_ir, njit, scratch
from workbench.games.chess import kernel_board as b
from workbench.games.chess import kernel_rays as r
from workbench.games.chess.kernel_board import MORE_WORDS, TOGGLES
from workbench.games.chess.kernel_rays import SURVEY, WORDS

DROP, CASTLE, PASSING, TWICE = 1 << 18, 1 << 19, 1 << 20, 1 << 21
"""Bits of moves: a drop, non-standard castling, a capture en passant, a pawn's double step."""
PARTS = DROP - 1
"""The bits of origin, target, piece and promotion."""
IN_HAND = 8
"""Number of bits for the pieces of a kind in hand."""
HOMES, OUTSIDE, RANKS, FILES = 10, 11, 12, 13
"""Further words of a start position: the castling squares of kings and rooks, the squares outside the board, and the
board's size."""
USUAL_HOMES = sum(int(square) << (6 * place) for place, square in enumerate((4, 60, *b.ROOK_FROM)))
START_COUNTS = (8, 2, 2, 2, 1, 1)


# --- The board --------------------------------------------------------------------------------------------------------


@njit
def set_board(rules: Any, state: Any) -> None:
    """Write the board's size into the state."""
    state[b.RANKS] = 8
    if rules.start_position.shape[0] > b.USUAL_WORDS:
        state[b.OUTSIDE], state[b.RANKS] = rules.start_position[OUTSIDE], rules.start_position[RANKS]


@njit
def king_home(rules: Any, colour: int) -> int:
    """Return the square from which a colour's king castles."""
    if rules.start_position.shape[0] > b.USUAL_WORDS:
        return (rules.start_position[HOMES] >> (6 * colour)) & 63
    return 4 + 56 * colour


@njit
def rook_home(rules: Any, right: int) -> int:
    """Return the square from which the rook of a castling right, 0 to 3, castles."""
    if rules.start_position.shape[0] > b.USUAL_WORDS:
        return (rules.start_position[HOMES] >> (12 + 6 * right)) & 63
    return b.ROOK_FROM[right]


@inline_ir
def first_rank(state: Any, colour: int) -> int:
    """Return the squares of a colour's first rank."""
    return b.FIRST_RANK << (8 * (state[b.RANKS] - 1) if colour else 0)


@njit
def promotion_squares(rules: Any, state: Any, colour: int) -> int:
    """Return a colour's promotion squares, except those on which pawns win."""
    squares = first_rank(state, 1 - colour)
    if rules.promotion_rank == TOGGLES.promotion_rank.seventh:
        squares |= squares >> 8 if colour == 0 else squares << 8
    if rules.flag.shape[0]:
        squares &= ~rules.flag[6 * colour + b.PAWN]
    return squares


@njit
def _start_count(rules: Any, colour: int, kind: int) -> int:
    """Return a colour's initial number of pieces of a kind."""
    if rules.start_position.shape[0]:
        return popcount(rules.start_position[kind] & rules.start_position[b.WHITE + colour])
    return START_COUNTS[kind]


@njit
def promotion_kinds(rules: Any, state: Any) -> int:
    """Return the kinds to which a pawn of the colour to move can promote, as a bit set."""
    colour = state[b.COLOUR]
    kinds = 0b011110
    if rules.promotion_to.shape[0]:
        kinds = rules.promotion_to[0]
    elif rules.king == TOGGLES.king.ordinary:
        kinds = 0b111110
    if rules.promotion_limit == TOGGLES.promotion_limit.captured:
        for kind in range(b.KNIGHT, b.KING + 1):
            count = popcount(state[kind] & state[b.WHITE + colour])
            if count >= _start_count(rules, colour, kind):
                kinds &= ~(1 << kind)
    return kinds


@njit
def checking_pieces(rules: Any, state: Any, colour: int) -> int:
    """Return the pieces that give check to a colour, or none if it has no royal king."""
    king = state[b.KING] & state[b.WHITE + colour]
    if king == 0 or rules.king != TOGGLES.king.checkmate:
        return 0
    square = lowest(king)
    attackers = r.attackers_by_rays(rules, state, square, 1 - colour, r.occupied(state))
    if rules.blast != TOGGLES.blast.none:
        # A king would explode by capturing, or by a capture on an adjacent square.
        other = state[b.KING] & state[b.BLACK - colour]
        if other == 0 or b.KING_STEPS[square] & other:
            return 0
        attackers &= ~state[b.KING]
    return attackers


@njit
def captures_to_hand(rules: Any) -> bool:
    """Return whether captured pieces go to the captor's hand."""
    return rules.drops == TOGGLES.drops.captured or rules.drops == TOGGLES.drops.captured_as_they_are


@njit
def fill_hands(state: Any) -> None:
    """Move the pieces on the first ranks, except pawns, into the hands."""
    for colour in range(2):
        remaining = state[b.WHITE + colour] & first_rank(state, colour) & ~state[b.PAWN]
        while remaining:
            state[b.HAND + colour] += 1 << (IN_HAND * _remove(state, remaining & -remaining))
            remaining &= remaining - 1
    state[b.CASTLING] = 0


# --- What a ply does to the pieces ------------------------------------------------------------------------------------


@njit
def _remove(state: Any, piece_bit: int) -> int:
    """Remove a piece, given as a bit, from the board and return its kind; promoted pieces count as pawns."""
    kind = 0
    while state[kind] & piece_bit == 0:
        kind += 1
    state[kind] &= ~piece_bit
    state[b.WHITE] &= ~piece_bit
    state[b.BLACK] &= ~piece_bit
    if state[b.PROMOTED] & piece_bit:
        state[b.PROMOTED] &= ~piece_bit
        return b.PAWN
    return kind


@inline_ir
def _place(state: Any, colour: int, kind: int, to: int) -> None:
    state[kind] |= to
    state[b.WHITE + colour] |= to


@njit
def _explode(state: Any, target: int) -> None:
    """Remove the piece on a square and all adjacent pieces except pawns."""
    remaining = (state[b.WHITE] | state[b.BLACK]) & ((b.KING_STEPS[target] & ~state[b.PAWN]) | b.bit(target))
    while remaining:
        _remove(state, remaining & -remaining)
        remaining &= remaining - 1


@njit
def _remove_rights(rules: Any, state: Any, origin: int, target: int) -> None:
    """Remove the castling rights of kings and rooks that have moved or been captured."""
    for right in range(4):
        colour = right >> 1
        king, rook = king_home(rules, colour), rook_home(rules, right)
        own = state[b.WHITE + colour]
        if (
            origin in (king, rook)
            or target in (king, rook)
            or own & state[b.KING] & b.bit(king) == 0
            or own & state[b.ROOK] & b.bit(rook) == 0
        ):
            state[b.CASTLING] &= ~(1 << right)


@njit
def _add_rights(rules: Any, state: Any) -> None:
    """Add the castling rights of kings and rooks that have been placed on their castling squares."""
    setup = rules.start_position
    initial_rights = setup[b.BLACK + 2] if setup.shape[0] else 15
    for right in range(4):
        own = state[b.WHITE + (right >> 1)]
        king, rook = b.bit(king_home(rules, right >> 1)), b.bit(rook_home(rules, right))
        if initial_rights >> right & 1 and own & state[b.KING] & king and own & state[b.ROOK] & rook:
            state[b.CASTLING] |= 1 << right


@njit
def _castle(rules: Any, state: Any, origin: int, rook: int) -> None:
    """Move king and rook to their squares after castling."""
    colour = state[b.COLOUR]
    direction = 1 if rook > origin else -1
    middle = 56 * colour + (5 if direction == 1 else 3)
    _remove(state, b.bit(origin))
    _remove(state, b.bit(rook))
    _place(state, colour, b.KING, b.bit(middle + direction))
    _place(state, colour, b.ROOK, b.bit(middle))


@njit
def move_pieces(rules: Any, state: Any, move: int) -> bool:
    """Move the pieces of a ply, without changing the colour to move; return whether a piece was captured."""
    origin, target, piece, promotion = move & 63, (move >> 6) & 63, (move >> 12) & 7, (move >> 15) & 7
    colour = state[b.COLOUR]
    to, passed = b.bit(target), state[b.PASSED]
    state[b.PASSANT] = state[b.PASSED] = 0
    if move & DROP:
        _place(state, colour, piece, to)
        state[b.HAND + colour] -= 1 << (IN_HAND * piece)
        if rules.drops == TOGGLES.drops.placement and rules.castling != TOGGLES.castling.never:
            _add_rights(rules, state)
        return False
    is_castling = move & CASTLE or (piece == b.KING and target - origin in (2, -2))
    if is_castling:
        _castle(rules, state, origin, rook_home(rules, 2 * colour + (1 if target < origin else 0)))
        _remove_rights(rules, state, origin, origin)
        return False
    victim = b.bit(passed) if move & PASSING else to
    captured = (state[b.WHITE] | state[b.BLACK]) & victim != 0
    if captured:
        kind = _remove(state, victim)
        if captures_to_hand(rules):
            state[b.HAND + colour] += 1 << (IN_HAND * kind)
    was_promoted = state[b.PROMOTED] & b.bit(origin)
    _remove(state, b.bit(origin))
    _place(state, colour, promotion or piece, to)
    if rules.drops == TOGGLES.drops.captured and (promotion or was_promoted):
        state[b.PROMOTED] |= to
    if captured and rules.blast != TOGGLES.blast.none:
        _explode(state, target)
    if state[b.CASTLING]:
        _remove_rights(rules, state, origin, target)
    return captured


# --- Moves ------------------------------------------------------------------------------------------------------------


@njit
def _double_steps(rules: Any, state: Any, colour: int) -> int:
    """Return the squares that pawns may pass in a double step."""
    if rules.pawn_double_step == TOGGLES.pawn_double_step.anywhere:
        return b.ALL
    if rules.pawn_double_step == TOGGLES.pawn_double_step.never:
        return 0
    rank = 2 if colour == 0 else state[b.RANKS] - 3
    squares = b.FIRST_RANK << (8 * rank)
    if rules.pawn_double_step == TOGGLES.pawn_double_step.second_and_third:
        squares |= squares << 8 if colour == 0 else squares >> 8
    elif rules.pawn_double_step == TOGGLES.pawn_double_step.first_and_second:
        squares |= squares >> 8 if colour == 0 else squares << 8
    return squares


@njit
def _append_pawn(state: Any, square: int, target: int, zone: int, kinds: int, flags: int, moves: Any, n: int) -> int:
    """Append a pawn's move, or all promotions if its target is in the promotion ``zone``."""
    code = square | target << 6 | flags
    if zone & b.bit(target) == 0:
        moves[n] = code
        return n + 1
    for kind in range(b.KING, b.PAWN, -1):
        if kinds >> kind & 1:
            moves[n] = code | kind << 15
            n += 1
    return n


@njit
def _double_ray_steps(rays: Any, state: Any, square: int, free: int, passed: int) -> int:
    """Return the targets of a pawn that steps one rank ahead twice."""
    colour = state[b.COLOUR]
    sign = 1 - 2 * colour
    targets = 0
    first, last = r.bounds(rays, colour)
    for i in range(first, last, WORDS):
        if rays[i + 1] != 1 or rays[i + 2] == 0:
            continue
        x, y = (square & 7) + sign * rays[i], (square >> 3) + sign
        beyond, above = x + sign * rays[i], y + sign
        if (x | y | beyond | above) & r.OFF:
            continue
        if free & passed & b.bit(8 * y + x) and free & b.bit(8 * above + beyond):
            targets |= b.bit(8 * above + beyond)
    return targets


@njit
def _append_pawn_moves(rules: Any, state: Any, allowed: int, moves: Any, n: int) -> int:
    """Append the pawn moves to allowed squares, all promotions and en passant captures."""
    colour = state[b.COLOUR]
    free, capturable = ~r.occupied(state), b.victims(rules, state, colour)
    zone, kinds = promotion_squares(rules, state, colour), promotion_kinds(rules, state)
    passed = _double_steps(rules, state, colour)
    forward = 8 - 16 * colour
    home = 0 if colour == 0 else state[b.RANKS] - 1
    by_rays = rules.pawn_moves.shape[0] != 0
    landing = allowed | zone
    passant = b.bit(state[b.PASSANT]) if state[b.PASSANT] else 0
    pawns = state[b.PAWN] & state[b.WHITE + colour]
    while pawns:
        square = lowest(pawns)
        pawn = pawns & -pawns
        pawns &= pawns - 1
        if by_rays:
            quiet = r.reached(rules.pawn_moves, colour, pawn, free, 0)
            captures = r.reached(rules.pawn_moves, colour, pawn, free, capturable) & capturable
            passing = r.attacked(rules.pawn_moves, colour, pawn, free) & passant
            twice = _double_ray_steps(rules.pawn_moves, state, square, free, passed) & ~quiet
        else:
            ahead = (pawn << 8) if colour == 0 else (pawn >> 8) & b.NOT_8
            quiet = ahead & free
            beyond = quiet & passed
            twice = ((beyond << 8) if colour == 0 else (beyond >> 8) & b.NOT_8) & free
            captures = b.PAWN_TAKES[colour, square] & capturable
            passing = b.PAWN_TAKES[colour, square] & passant
            if rules.pawn_extra == TOGGLES.pawn_extra.sideways:
                quiet |= (((pawn << 1) & b.NOT_A) | ((pawn >> 1) & b.NOT_H)) & free
            elif rules.pawn_extra == TOGGLES.pawn_extra.back and (square >> 3) not in (home, home + forward // 8):
                quiet |= b.bit(square - forward) & free
        targets = ((quiet & ~passing) | captures) & landing
        while targets:
            n = _append_pawn(state, square, lowest(targets), zone, kinds, 0, moves, n)
            targets &= targets - 1
        targets = twice & landing
        while targets:
            n = _append_pawn(state, square, lowest(targets), zone, kinds, TWICE, moves, n)
            targets &= targets - 1
        if passing:
            n = _append_pawn(state, square, state[b.PASSANT], zone, kinds, PASSING, moves, n)
    return n


@njit
def _append_castling(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Append the castling moves whose squares are empty and not attacked."""
    colour = state[b.COLOUR]
    if state[b.CASTLING] == 0 or state[b.WAIT] or checking_pieces(rules, state, colour):
        return n
    king = king_home(rules, colour)
    for right in range(2 * colour, 2 * colour + 2):
        if state[b.CASTLING] >> right & 1 == 0:
            continue
        rook = rook_home(rules, right)
        middle = 56 * colour + (5 if rook > king else 3)
        goal = middle + (1 if rook > king else -1)
        other_pieces = r.occupied(state) & ~(b.bit(king) | b.bit(rook))
        path = b.BETWEEN[king, goal] | b.bit(goal)
        if other_pieces & (path | b.BETWEEN[rook, middle] | b.bit(middle)):
            continue
        to_check = path if rules.king == TOGGLES.king.checkmate else 0
        while to_check and not castling_is_attacked(rules, state, lowest(to_check), other_pieces):
            to_check &= to_check - 1
        if to_check == 0:
            standard = rules.start_position.shape[0] <= b.USUAL_WORDS or rules.start_position[HOMES] == USUAL_HOMES
            moves[n] = king | (goal if standard else rook) << 6 | b.KING << 12 | (0 if standard else CASTLE)
            n += 1
    return n


@njit
def castling_is_attacked(rules: Any, state: Any, square: int, occupied: int) -> bool:
    """Return whether a castling king would be in check on a square."""
    colour = state[b.COLOUR]
    attackers = r.attackers_by_rays(rules, state, square, 1 - colour, occupied)
    if rules.blast != TOGGLES.blast.none:
        if b.KING_STEPS[square] & state[b.KING] & state[b.BLACK - colour]:
            return False
        attackers &= ~state[b.KING]
    return attackers != 0


@njit
def placements(state: Any, kind: int) -> int:
    """Return the squares for placing a piece before the game, reserving squares for the remaining bishops."""
    colour = state[b.COLOUR]
    free = ~r.occupied(state) & first_rank(state, colour)
    bishops = state[b.BISHOP] & state[b.WHITE + colour]
    bishops_left = (state[b.HAND + colour] >> (IN_HAND * b.BISHOP)) & 255
    light, dark = popcount(bishops & b.LIGHT), popcount(bishops & ~b.LIGHT)
    if kind == b.BISHOP:
        return free & (b.ALL if light == dark else b.LIGHT if light < dark else ~b.LIGHT)
    half = (light + dark + bishops_left) // 2
    if popcount(free & b.LIGHT) <= min(bishops_left, half - light):
        free &= ~b.LIGHT
    if popcount(free & ~b.LIGHT) <= min(bishops_left, half - dark):
        free &= b.LIGHT
    return free


@njit
def _drop_targets(rules: Any, state: Any, kind: int) -> int:
    """Return the squares on which a piece in hand can be dropped."""
    if rules.drops == TOGGLES.drops.placement:
        return placements(state, kind)
    free = ~r.occupied(state)
    return free & ~(first_rank(state, 0) | first_rank(state, 1)) if kind == b.PAWN else free


@njit
def _append_drops(rules: Any, state: Any, moves: Any, n: int) -> int:
    """Append the drops of pieces in hand."""
    hand = state[b.HAND + state[b.COLOUR]]
    for kind in range(6):
        targets = _drop_targets(rules, state, kind) if (hand >> (IN_HAND * kind)) & 255 else 0
        while targets:
            target = lowest(targets)
            targets &= targets - 1
            moves[n] = target | target << 6 | kind << 12 | DROP
            n += 1
    return n


@njit
def pseudo_legal_moves(rules: Any, state: Any, allowed: int, moves: Any) -> int:
    """Fill ``moves`` with the pseudo-legal moves; castling and drops only if all squares are allowed."""
    if rules.drops == TOGGLES.drops.placement and state[b.HAND + state[b.COLOUR]]:
        return _append_drops(rules, state, moves, 0) if allowed == b.ALL else 0
    survey = scratch(SURVEY)
    survey[r.EVASIONS], survey[r.PINNED] = b.ALL, 0
    n = _append_pawn_moves(rules, state, allowed, moves, 0)
    n = r.append_kind(rules.knight_moves, rules, state, b.KNIGHT, allowed, survey, moves, n)
    n = r.append_kind(rules.bishop_moves, rules, state, b.BISHOP, allowed, survey, moves, n)
    n = r.append_kind(rules.rook_moves, rules, state, b.ROOK, allowed, survey, moves, n)
    n = r.append_kind(rules.queen_moves, rules, state, b.QUEEN, allowed, survey, moves, n)
    n = r.append_kind(rules.king_moves, rules, state, b.KING, allowed, survey, moves, n)
    if allowed == b.ALL:
        n = _append_castling(rules, state, moves, n)
        if captures_to_hand(rules):
            n = _append_drops(rules, state, moves, n)
    return n


@njit
def is_legal(rules: Any, state: Any, move: int, after: Any) -> bool:
    """Return whether a pseudo-legal move leaves the king safe and gives no forbidden check; ``after`` is a buffer."""
    if rules.king != TOGGLES.king.checkmate:
        return True
    colour = state[b.COLOUR]
    copy(state, after)
    move_pieces(rules, after, move)
    if rules.blast != TOGGLES.blast.none:
        if state[b.KING] & state[b.WHITE + colour] and after[b.KING] & after[b.WHITE + colour] == 0:
            return False
        if state[b.KING] & state[b.BLACK - colour] and after[b.KING] & after[b.BLACK - colour] == 0:
            return True
    if checking_pieces(rules, after, colour):
        return False
    return rules.giving_check == TOGGLES.giving_check.allowed or checking_pieces(rules, after, 1 - colour) == 0


@njit
def general_moves(rules: Any, state: Any, allowed: int, moves: Any) -> int:
    """Fill ``moves`` with the legal moves to allowed squares, ignoring obligatory captures."""
    after = scratch(MORE_WORDS)
    n = pseudo_legal_moves(rules, state, allowed, moves)
    kept = 0
    for i in range(n):
        if is_legal(rules, state, moves[i], after):
            moves[kept] = moves[i]
            kept += 1
    return kept


@njit
def en_passant_exists(rules: Any, state: Any) -> bool:
    """Return whether the colour to move has a legal en passant capture."""
    colour = state[b.COLOUR]
    attackers = r.attackers_by_rays(rules, state, state[b.PASSANT], colour, r.occupied(state)) & state[b.PAWN]
    after = scratch(MORE_WORDS)
    while attackers:
        move = lowest(attackers) | state[b.PASSANT] << 6 | PASSING
        if is_legal(rules, state, move, after):
            return True
        attackers &= attackers - 1
    return False


# --- Plies ------------------------------------------------------------------------------------------------------------


@njit
def position_hash(state: Any) -> int:
    """Return the hash of board, colour to move, castling and en passant, excluding hands."""
    hash_value = b.HASH_CASTLING[state[b.CASTLING]]
    for side in range(2):
        for piece in range(6):
            remaining = state[piece] & state[b.WHITE + side]
            while remaining:
                hash_value ^= b.HASH_PIECE[side, piece, lowest(remaining)]
                remaining &= remaining - 1
    if state[b.COLOUR]:
        hash_value ^= b.HASH_BLACK
    if state[b.PASSANT]:
        hash_value ^= b.HASH_PASSANT[state[b.PASSANT]]
    if state[b.CHOICE]:
        hash_value ^= b.HASH_CHOICE
    return hash_value


@njit
def _pass_turn(rules: Any, state: Any, gives_check: bool) -> bool:
    """End the ply and return whether the other colour is to move; a check ends a turn of several plies."""
    colour = state[b.COLOUR]
    if state[b.WAIT]:
        state[b.WAIT] = state[b.WAIT] - 1 if state[b.CASTLING] else 0
    if b.own_turns(rules):
        if state[b.DONE] + 1 < state[b.RUN] and not gives_check:
            state[b.DONE] += 1
            return False
        state[b.RUN] = state[b.RUN] + 1 if rules.turns == TOGGLES.turns.progressive_own else 2
    state[b.DONE] = 0
    state[b.COLOUR] = state[b.SEAT] = 1 - colour
    return True


@njit
def play_general(rules: Any, state: Any, move: int) -> None:
    """Apply a legal move."""
    origin, target, piece, promotion = move & 63, (move >> 6) & 63, (move >> 12) & 7, (move >> 15) & 7
    colour = state[b.COLOUR]
    captured = move_pieces(rules, state, move)
    state[b.CLOCK] += 1
    if captured or (piece == b.PAWN and move & DROP == 0 and rules.pawn_extra != TOGGLES.pawn_extra.back):
        state[b.CLOCK] = 0
    checkers = checking_pieces(rules, state, 1 - colour)
    if rules.checks_to_win and checkers:
        state[b.GIVEN] += 1 << (8 * colour)
    state[b.CHECKERS] = 0
    if _pass_turn(rules, state, checkers != 0):
        state[b.CHECKERS] = checkers
        from_first_rank = origin >> 3 == (0 if colour == 0 else state[b.RANKS] - 1)
        if move & TWICE and promotion == 0 and not from_first_rank:
            state[b.PASSANT], state[b.PASSED] = (origin + target) >> 1, target
            if not en_passant_exists(rules, state):
                state[b.PASSANT] = state[b.PASSED] = 0
    state[b.HASH] = position_hash(state)


@njit
def complete_general(rules: Any, state: Any) -> None:
    """Compute the checkers and the en passant square."""
    state[b.CHECKERS] = checking_pieces(rules, state, state[b.COLOUR])
    if state[b.PASSANT] and not en_passant_exists(rules, state):
        state[b.PASSANT] = state[b.PASSED] = 0
