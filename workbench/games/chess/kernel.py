"""Chess, its 007 relatives and proposed changes, compiled: the functions required by the engine.

The board is explained in `kernel_board`, the moves in `kernel_moves`. The colours always alternate; the chooser is
stored separately (``SEAT``), so the runs of 007 chess do not affect move generation.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from workbench.engine.bits import bits_for, get_bits, popcount, put_bits
from workbench.engine.contract import DRAW, ONGOING, REPETITION, implement
from workbench.engine.jit import inline_ir, njit
from workbench.engine.rng import mix
from workbench.games.chess import kernel_board as b
from workbench.games.chess import kernel_general as g
from workbench.games.chess import kernel_rays as r
from workbench.games.chess.kernel_board import EVENTS, FEATURES, TOGGLES, Rules
from workbench.games.chess.kernel_features import board_size as board_size
from workbench.games.chess.kernel_features import events as events
from workbench.games.chess.kernel_features import features as features
from workbench.games.chess.kernel_features import gain as gain
from workbench.games.chess.kernel_features import outcome as outcome
from workbench.games.chess.kernel_features import units as units
from workbench.games.chess.kernel_moves import any_move, is_capture, list_captures, passant_exists
from workbench.games.chess.kernel_moves import legal_moves as legal_moves
from workbench.games.chess.kernel_moves import sample_move as sample_move
from workbench.games.chess.rules import DECLARATION

BACK_RANK = (b.ROOK, b.KNIGHT, b.BISHOP, b.QUEEN, b.KING, b.BISHOP, b.KNIGHT, b.ROOK)
RUN_SALT = np.int64(0x2545F4914F6CDD1D)
MOVED_SALT = np.int64(0x5851F42D4C957F2D)
WAIT_SALT = np.int64(0x14057B7EF767814F)
GIVEN_SALT = np.int64(0x369DEA0F31A53F85)
HAND_SALT = np.int64(0x27BB2EE687B0B0FD)
PROMOTED_SALT = np.int64(0x60642E2A34326F15)


@njit
def state_size(rules: Any) -> int:
    """Return the number of words in a state."""
    return b.MORE_WORDS if rules.checks_to_win or b.rule_changes(rules) & b.GENERAL else b.STATE_WORDS


@njit
def max_moves(rules: Any) -> int:
    """Return an upper bound on the number of legal moves."""
    if b.rule_changes(rules) & (b.BY_RAYS | b.GENERAL):
        return r.ROOM_BY_RAYS
    return b.MOST_MOVES if rules.self_capture == TOGGLES.self_capture.none else b.ROOM_FOR_MOVES


@njit
def put(state: Any, colour: int, piece: int, square: int) -> None:
    """Put a piece on an empty square."""
    state[piece] |= b.bit(square)
    state[b.WHITE + colour] |= b.bit(square)


@njit
def begin_run(rules: Any, state: Any) -> None:
    """Initialise the schedule of turns."""
    state[b.RUN] = 3 if rules.turns == TOGGLES.turns.triple else 2 if rules.turns == TOGGLES.turns.double else 1
    state[b.DONE] = 0
    state[b.SEAT] = 1 - state[b.COLOUR] if rules.turns == TOGGLES.turns.balanced else state[b.COLOUR]


@njit
def complete(rules: Any, state: Any) -> None:
    """Compute the words that depend on others: checkers, hash, and whether a promotion must be chosen.

    Impossible en passant captures and castling rights are discarded.
    """
    colour = state[b.COLOUR]
    if rules.castling == TOGGLES.castling.never:
        state[b.CASTLING] = 0
    if rules.castling != TOGGLES.castling.after_move_10 or state[b.CASTLING] == 0:
        state[b.WAIT] = 0
    state[b.CHECKERS] = 0
    state[b.CHOICE] = 0
    if state[b.CHANGED] & b.GENERAL:
        g.complete_general(rules, state)
        state[b.HASH] = g.position_hash(state)
        return
    if rules.promotion_by == TOGGLES.promotion_by.owner and state[b.PAWN] & state[b.WHITE + colour] & b.LAST_RANKS:
        state[b.CHOICE] = 1
    elif rules.king == TOGGLES.king.checkmate:
        occupied = state[b.WHITE] | state[b.BLACK]
        state[b.CHECKERS] = r.attackers(rules, state, b.king_square(state, colour), 1 - colour, occupied)
    if state[b.PASSANT] and not passant_exists(rules, state, state[b.PASSANT]):
        state[b.PASSANT] = 0
    state[b.HASH] = g.position_hash(state)


@njit
def start(rules: Any, state: Any) -> None:
    """Write the array of chess, or the start position in the rules."""
    state[:] = 0
    state[b.CHANGED] = b.rule_changes(rules)
    setup = rules.start_position
    if setup.shape[0] > 0:
        # The format is that of `drawings.read`.
        for word in range(b.BLACK + 1):
            state[word] = setup[word]
        state[b.COLOUR], state[b.CASTLING] = setup[b.BLACK + 1], setup[b.BLACK + 2]
    else:
        for x in range(8):
            for colour in range(2):
                put(state, colour, BACK_RANK[x], x + 56 * colour)
                put(state, colour, b.PAWN, x + 8 + 40 * colour)
        state[b.CASTLING] = 15
    state[b.WAIT] = b.LONGEST_WAIT - state[b.COLOUR]
    if state[b.CHANGED] & b.GENERAL:
        g.set_board(rules, state)
        if rules.drops == TOGGLES.drops.placement:
            g.fill_hands(state)
    begin_run(rules, state)
    complete(rules, state)


@njit
def seat(rules: Any, state: Any) -> int:
    """Return the seat that chooses the next ply, which for a promotion may be that of the pawn's owner."""
    return state[b.SEAT]


@njit
def has_move(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether there is a legal move."""
    return any_move(rules, state)


@njit
def tactical_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """Fill ``moves`` with check evasions, promotion choices or obligatory captures.

    Otherwise ``moves`` receives captures and promotions to a queen, unless captures are obligatory. Positions in which
    a player moves an enemy piece are quiet, since its captures are no threat by that player.
    """
    if state[b.CHECKERS] | state[b.CHOICE]:
        return legal_moves(rules, state, moves), False
    if rules.capture == TOGGLES.capture.obligatory:
        n = legal_moves(rules, state, moves)
        return (n, False) if n and is_capture(state, moves[0]) else (0, True)
    if state[b.SEAT] != state[b.COLOUR]:
        return 0, True
    return list_captures(rules, state, moves), True


@njit
def quiet(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether there is no check, promotion choice or obligatory capture."""
    if state[b.CHECKERS] | state[b.CHOICE]:
        return False
    if rules.capture == TOGGLES.capture.obligatory:
        n = legal_moves(rules, state, moves)
        return n == 0 or not is_capture(state, moves[0])
    return True


@inline_ir
def _end_ply(rules: Any, state: Any) -> None:
    """Pass the move to the other colour and, at the end of a run, the choice to the other seat."""
    colour = 1 - state[b.COLOUR]
    state[b.COLOUR] = colour
    if state[b.WAIT]:
        state[b.WAIT] = state[b.WAIT] - 1 if state[b.CASTLING] else 0
    if rules.turns == TOGGLES.turns.single:
        state[b.SEAT] = colour
    else:
        plies_done = state[b.DONE] + 1
        if plies_done < state[b.RUN]:
            state[b.DONE] = plies_done
        else:
            state[b.DONE] = 0
            state[b.MOVED] = 0
            state[b.SEAT] = 1 - state[b.SEAT]
            if rules.turns == TOGGLES.turns.progressive or (rules.turns == TOGGLES.turns.balanced and state[b.RUN] < 3):
                state[b.RUN] += 1
    if rules.king == TOGGLES.king.checkmate:
        king = b.king_square(state, colour)
        state[b.CHECKERS] = r.attackers(rules, state, king, 1 - colour, state[b.WHITE] | state[b.BLACK])
        if rules.checks_to_win and state[b.CHECKERS]:
            state[b.GIVEN] += 256 >> (8 * colour)


@njit
def _promote_by_owner(rules: Any, state: Any, square: int, piece: int) -> None:
    """Apply the owner's promotion choice and complete the ply in which the pawn moved."""
    colour = state[b.COLOUR]
    chooser = state[b.SEAT]
    state[b.PAWN] ^= b.bit(square)
    state[piece] |= b.bit(square)
    state[b.HASH] ^= (
        b.HASH_PIECE[colour, b.PAWN, square] ^ b.HASH_PIECE[colour, piece, square] ^ b.HASH_CHOICE ^ b.HASH_BLACK
    )
    state[b.CHOICE] = 0
    state[b.SEAT] = 1 - chooser
    _end_ply(rules, state)


@njit
def _capture_own(state: Any, colour: int, square: int) -> int:
    """Remove a piece captured by its own colour and return the change in the hash."""
    to = b.bit(square)
    kind = 0
    while state[kind] & to == 0:
        kind += 1
    state[kind] ^= to
    state[b.WHITE + colour] ^= to
    state[b.CLOCK] = 0
    return b.HASH_PIECE[colour, kind, square]


@inline_ir
def _survives(rules: Any, state: Any, colour: int) -> bool:
    """Return whether a colour is still in the game after losing a piece."""
    if rules.king == TOGGLES.king.checkmate:
        return True
    return state[b.WHITE + colour] & (state[b.KING] if rules.king == TOGGLES.king.capture else b.ALL) != 0


@njit
def play(rules: Any, state: Any, move: int) -> None:
    """Apply a legal move."""
    if state[b.CHANGED] & b.GENERAL:
        g.play_general(rules, state, move)
        return
    origin, target, piece, promotion = move & 63, (move >> 6) & 63, (move >> 12) & 7, (move >> 15) & 7
    if origin == target:
        _promote_by_owner(rules, state, target, promotion)
        return
    colour = state[b.COLOUR]
    to = b.bit(target)
    ends = b.bit(origin) | to
    word = state[b.HASH] ^ b.HASH_PIECE[colour, piece, origin] ^ b.HASH_PIECE[colour, piece, target] ^ b.HASH_BLACK
    state[b.CLOCK] += 1
    if rules.self_capture != TOGGLES.self_capture.none and state[b.WHITE + colour] & to:
        word ^= _capture_own(state, colour, target)
    state[piece] ^= ends
    state[b.WHITE + colour] ^= ends
    captured = state[b.BLACK - colour] & to
    if captured:
        # If mover and victim are of one kind, their bits on the target have merged, so this case is handled separately.
        state[piece] |= to
        kind = piece
        for other in range(6):
            if other != piece and state[other] & to:
                kind = other
        if kind != piece:
            state[kind] ^= to
        state[b.BLACK - colour] ^= to
        word ^= b.HASH_PIECE[1 - colour, kind, target]
        state[b.CLOCK] = 0
    rights = state[b.CASTLING]
    if rights:
        kept = rights & b.KEPT_RIGHTS[origin] & b.KEPT_RIGHTS[target]
        word ^= b.HASH_CASTLING[rights] ^ b.HASH_CASTLING[kept]
        state[b.CASTLING] = kept
    if state[b.PASSANT]:
        word ^= b.HASH_PASSANT[state[b.PASSANT]]
        passant = state[b.PASSANT]
        state[b.PASSANT] = 0
        if piece == b.PAWN and target == passant and not captured and (origin ^ target) > 7:
            square = target - 8 + 16 * colour
            state[b.PAWN] ^= b.bit(square)
            state[b.BLACK - colour] ^= b.bit(square)
            state[b.MOVED] &= ~b.bit(square)
            state[b.CLOCK] = 0
            word ^= b.HASH_PIECE[1 - colour, b.PAWN, square]
    if b.tracks_moved_pieces(rules):
        _record_moved(rules, state, ends, to)
    if piece == b.PAWN:
        if rules.pawn_extra != TOGGLES.pawn_extra.back:
            state[b.CLOCK] = 0
        if promotion:
            state[b.PAWN] ^= to
            state[promotion] |= to
            word ^= b.HASH_PIECE[colour, b.PAWN, target] ^ b.HASH_PIECE[colour, promotion, target]
        elif to & b.LAST_RANKS and _survives(rules, state, 1 - colour):
            state[b.HASH] = word ^ b.HASH_BLACK ^ b.HASH_CHOICE
            state[b.CHOICE] = 1
            state[b.CHECKERS] = 0
            state[b.SEAT] = 1 - state[b.SEAT]
            return
    elif piece == b.KING and (target - origin == 2 or origin - target == 2):
        castling = 2 * colour + (1 if target < origin else 0)
        rook = b.bit(b.ROOK_FROM[castling]) | b.bit(b.ROOK_TO[castling])
        state[b.ROOK] ^= rook
        state[b.WHITE + colour] ^= rook
        word ^= b.HASH_PIECE[colour, b.ROOK, b.ROOK_FROM[castling]] ^ b.HASH_PIECE[colour, b.ROOK, b.ROOK_TO[castling]]
        if rules.castling_moves == TOGGLES.castling_moves.king_and_rook and state[b.MOVED] & to:
            state[b.MOVED] |= b.bit(b.ROOK_TO[castling])
    _end_ply(rules, state)
    if piece == b.PAWN and (target - origin == 16 or origin - target == 16):
        square = (origin + target) >> 1
        if b.PAWN_TAKES[colour, square] & state[b.PAWN] & state[b.BLACK - colour] and passant_exists(
            rules, state, square
        ):
            state[b.PASSANT] = square
            word ^= b.HASH_PASSANT[square]
    state[b.HASH] = word


@njit
def _record_moved(rules: Any, state: Any, ends: int, to: int) -> None:
    """Record the moved piece's square if it restricts a later ply of the run under the Detente rules."""
    moved = state[b.MOVED] & ~ends
    own_piece = state[b.COLOUR] == state[b.SEAT]
    if (
        (rules.same_piece == TOGGLES.same_piece.only_if_forced)
        if own_piece
        else (rules.moved_enemy == TOGGLES.moved_enemy.safe)
    ):
        moved |= to
    state[b.MOVED] = moved


@njit
def counts_positions(rules: Any) -> bool:
    """Return whether there is a repetition rule."""
    return rules.repetition != 0


@njit
def repetition(rules: Any, state: Any, count: int) -> tuple[int, int]:
    """Return a draw if the position has occurred too often."""
    if rules.repetition == 0 or count < rules.repetition:
        return ONGOING, 0
    return DRAW, REPETITION


@njit
def key(rules: Any, state: Any) -> Any:
    """Return a hash of the board, colour to move, castling rights, legal en passant, and the place in the run.

    Under the Detente rules, it includes the pieces moved in the run.
    """
    word = state[b.HASH]
    if state[b.WAIT]:
        word ^= state[b.WAIT] * WAIT_SALT
    if rules.checks_to_win:
        word = np.int64(mix(np.uint64(word ^ state[b.GIVEN] * GIVEN_SALT)))
    if state[b.CHANGED] & b.GENERAL:
        for hand in (state[b.HAND], state[b.HAND + 1], state[b.PROMOTED] ^ PROMOTED_SALT):
            word = np.int64(mix(np.uint64(word ^ (hand * HAND_SALT))))
    if rules.turns != TOGGLES.turns.single:
        word ^= (2 * (256 * state[b.RUN] + state[b.DONE]) + state[b.SEAT]) * RUN_SALT ^ state[b.MOVED] * MOVED_SALT
        return mix(np.uint64(word))
    return np.uint64(word)


PIECE_BITS, RIGHTS_BITS, SQUARE_BITS = 4, 4, 6
"""Bits of a packed piece including its colour, of castling rights, and of the en passant square."""
GIVEN_BITS, MORE_BITS = 16, 4 * 64
"""Bits of counted checks, and of the words from `HAND` to `PASSED`."""
LONGEST_RUN_BITS = 16
"""Bits of the length of a run if runs grow without limit."""


@njit
def _piece_count(rules: Any) -> int:
    """Return the number of pieces at the start, which is never exceeded."""
    setup = rules.start_position
    return popcount(setup[b.WHITE] | setup[b.BLACK]) if setup.shape[0] > 0 else 32


@njit
def _run_bits(rules: Any) -> int:
    """Return the number of bits each for a run's length and its plies played; 0 if all runs are single plies."""
    if rules.turns == TOGGLES.turns.single:
        return 0
    unlimited = rules.turns == TOGGLES.turns.progressive or rules.turns == TOGGLES.turns.progressive_own
    return LONGEST_RUN_BITS if unlimited else 2


@njit
def _wait_bits(rules: Any) -> int:
    """Return the number of bits for the plies until castling is allowed."""
    return bits_for(b.LONGEST_WAIT) if rules.castling == TOGGLES.castling.after_move_10 else 0


@njit
def packed_bytes(rules: Any) -> int:
    """Return the size of a packed state in bytes."""
    bits = 64 + PIECE_BITS * _piece_count(rules) + 2 + RIGHTS_BITS + SQUARE_BITS
    bits += bits_for(rules.move_limit) + _wait_bits(rules) + 2 * _run_bits(rules)
    bits += GIVEN_BITS if rules.checks_to_win else 0
    bits += MORE_BITS if b.rule_changes(rules) & b.GENERAL else 0
    return (bits + (64 if b.tracks_moved_pieces(rules) else 0) + 7) // 8


@njit
def repetition_draws(rules: Any) -> bool:
    """Return True, since a repeated position can only be a draw."""
    return True


@njit
def pack(rules: Any, state: Any, packed: Any) -> None:
    """Pack everything that cannot be computed from the position."""
    for i in range(packed.shape[0]):
        packed[i] = 0
    remaining = state[b.WHITE] | state[b.BLACK]
    offset = put_bits(packed, 0, 64, remaining)
    offset = put_bits(packed, offset, 1, state[b.COLOUR])
    offset = put_bits(packed, offset, 1, state[b.SEAT])
    offset = put_bits(packed, offset, RIGHTS_BITS, state[b.CASTLING])
    offset = put_bits(packed, offset, SQUARE_BITS, state[b.PASSANT])
    offset = put_bits(packed, offset, bits_for(rules.move_limit), min(state[b.CLOCK], rules.move_limit))
    offset = put_bits(packed, offset, _wait_bits(rules), state[b.WAIT])
    offset = put_bits(packed, offset, _run_bits(rules), state[b.RUN])
    offset = put_bits(packed, offset, _run_bits(rules), state[b.DONE])
    if rules.checks_to_win:
        offset = put_bits(packed, offset, GIVEN_BITS, state[b.GIVEN])
    if state[b.CHANGED] & b.GENERAL:
        for word in range(b.HAND, b.PASSED + 1):
            offset = put_bits(packed, offset, 64, state[word])
    if b.tracks_moved_pieces(rules):
        offset = put_bits(packed, offset, 64, state[b.MOVED])
    # A position set up by hand may have more pieces than the start; pieces that do not fit are omitted.
    while remaining and offset + PIECE_BITS <= 8 * packed.shape[0]:
        square = remaining & -remaining
        remaining ^= square
        kind = 0
        while state[kind] & square == 0:
            kind += 1
        offset = put_bits(packed, offset, PIECE_BITS, 2 * kind + (1 if state[b.BLACK] & square else 0))


@njit
def unpack(rules: Any, packed: Any, state: Any) -> None:
    """Restore a packed state and complete it."""
    state[:] = 0
    state[b.CHANGED] = b.rule_changes(rules)
    remaining = get_bits(packed, 0, 64)
    state[b.COLOUR] = get_bits(packed, 64, 1)
    state[b.SEAT] = get_bits(packed, 65, 1)
    state[b.CASTLING] = get_bits(packed, 66, RIGHTS_BITS)
    offset = 66 + RIGHTS_BITS
    state[b.PASSANT] = get_bits(packed, offset, SQUARE_BITS)
    offset += SQUARE_BITS
    state[b.CLOCK] = get_bits(packed, offset, bits_for(rules.move_limit))
    offset += bits_for(rules.move_limit)
    state[b.WAIT] = get_bits(packed, offset, _wait_bits(rules))
    offset += _wait_bits(rules)
    state[b.RUN] = 1
    run = _run_bits(rules)
    if run:
        state[b.RUN], state[b.DONE] = get_bits(packed, offset, run), get_bits(packed, offset + run, run)
        offset += 2 * run
    if rules.checks_to_win:
        state[b.GIVEN] = get_bits(packed, offset, GIVEN_BITS)
        offset += GIVEN_BITS
    if state[b.CHANGED] & b.GENERAL:
        g.set_board(rules, state)
        for word in range(b.HAND, b.PASSED + 1):
            state[word] = get_bits(packed, offset, 64)
            offset += 64
    if b.tracks_moved_pieces(rules):
        state[b.MOVED] = get_bits(packed, offset, 64)
        offset += 64
    while remaining and offset + PIECE_BITS <= 8 * packed.shape[0]:
        square = remaining & -remaining
        remaining ^= square
        piece = get_bits(packed, offset, PIECE_BITS)
        state[piece >> 1] |= square
        state[b.WHITE + (piece & 1)] |= square
        offset += PIECE_BITS
    complete(rules, state)


implement(Rules, sys.modules[__name__], len(FEATURES), len(EVENTS), tuple(kind.fold for kind in DECLARATION.units))
