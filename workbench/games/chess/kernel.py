"""Chess, its 007 relatives and proposed changes of it, compiled: the functions that the engine asks of them.

The board is explained in `kernel_board`, the moves in `kernel_moves`. The colours always move in turn; who chooses is
kept apart from it (``SEAT``), and so the runs of 007 chess change no move.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from workbench.engine.contract import DRAW, ONGOING, REPETITION, implement
from workbench.engine.jit import inline_ir, njit
from workbench.engine.rng import mix
from workbench.games.chess import kernel_board as b
from workbench.games.chess import kernel_general as g
from workbench.games.chess import kernel_rays as r
from workbench.games.chess.kernel_board import EVENTS, FEATURES, TOGGLES, Rules
from workbench.games.chess.kernel_endings import ending
from workbench.games.chess.kernel_features import events as events
from workbench.games.chess.kernel_features import features as features
from workbench.games.chess.kernel_moves import (
    all_moves,
    any_move,
    draw_move,
    list_captures,
    passant_exists,
    takes,
)
from workbench.games.chess.kernel_units import board_size as board_size
from workbench.games.chess.kernel_units import gain as gain
from workbench.games.chess.kernel_units import units as units
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
    """Return the words of a state."""
    return b.MORE_WORDS if rules.checks_to_win or b.changes(rules) & b.GENERAL else b.STATE_WORDS


@njit
def max_moves(rules: Any) -> int:
    """Return a bound of the number of legal moves."""
    if b.changes(rules) & (b.BY_RAYS | b.GENERAL):
        return r.ROOM_BY_RAYS
    return b.MOST_MOVES if rules.self_capture == TOGGLES.self_capture.none else b.ROOM_FOR_MOVES


@njit
def put(state: Any, colour: int, piece: int, square: int) -> None:
    """Set a piece on an empty square."""
    state[piece] |= b.bit(square)
    state[b.WHITE + colour] |= b.bit(square)


@njit
def begin_run(rules: Any, state: Any) -> None:
    """Begin the schedule of turns: the first run of a game."""
    state[b.RUN] = 3 if rules.turns == TOGGLES.turns.triple else 2 if rules.turns == TOGGLES.turns.double else 1
    state[b.DONE] = 0
    state[b.SEAT] = 1 - state[b.COLOUR] if rules.turns == TOGGLES.turns.balanced else state[b.COLOUR]


@njit
def complete(rules: Any, state: Any) -> None:
    """Fill in what follows from the other words: the pieces that give check, the hash, and whether a choice is due.

    En passant is forgotten if it is no legal move, and so is castling where there is none.
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
        state[b.HASH] = g.hash_of(state)
        return
    if rules.promotion_by == TOGGLES.promotion_by.owner and state[b.PAWN] & state[b.WHITE + colour] & b.LAST_RANKS:
        state[b.CHOICE] = 1
    elif rules.king == TOGGLES.king.checkmate:
        occupied = state[b.WHITE] | state[b.BLACK]
        state[b.CHECKERS] = r.attackers(rules, state, b.king_square(state, colour), 1 - colour, occupied)
    if state[b.PASSANT] and not passant_exists(rules, state, state[b.PASSANT]):
        state[b.PASSANT] = 0
    state[b.HASH] = g.hash_of(state)


@njit
def start(rules: Any, state: Any) -> None:
    """Write the array of chess, or the position that the rules draw."""
    state[:] = 0
    state[b.CHANGED] = b.changes(rules)
    drawn = rules.start_position
    if drawn.shape[0] > 0:
        # As `drawings.read` gives it.
        for word in range(b.BLACK + 1):
            state[word] = drawn[word]
        state[b.COLOUR], state[b.CASTLING] = drawn[b.BLACK + 1], drawn[b.BLACK + 2]
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
            g.take_up(state)
    begin_run(rules, state)
    complete(rules, state)


@njit
def seat(rules: Any, state: Any) -> int:
    """Who chooses the next ply; of a promotion, the pawn's owner."""
    return state[b.SEAT]


@njit
def legal_moves(rules: Any, state: Any, moves: Any) -> int:
    """Fill ``moves`` with the legal moves."""
    return all_moves(rules, state, moves)


@njit
def has_move(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether there is a legal move."""
    return any_move(rules, state)


@njit
def sample_move(rules: Any, state: Any, rng: Any) -> int:
    """Return a uniformly random legal move, or -1: list them."""
    return draw_move(rules, state, rng)


@njit
def tactical_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """All answers to a check, all choices of a promotion and all captures of who must capture.

    Otherwise captures and promotions to a queen; none of them wins anything where captures are obligatory.

    Where a player moves an enemy piece, its captures are no threat of his: such a position is quiet.
    """
    if state[b.CHECKERS] | state[b.CHOICE]:
        return legal_moves(rules, state, moves), False
    if rules.capture == TOGGLES.capture.obligatory:
        n = legal_moves(rules, state, moves)
        return (n, False) if n and takes(state, moves[0]) else (0, True)
    if state[b.SEAT] != state[b.COLOUR]:
        return 0, True
    return list_captures(rules, state, moves), True


@njit
def quiet(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether there is no check to answer, no promotion to choose and no duty to capture."""
    if state[b.CHECKERS] | state[b.CHOICE]:
        return False
    if rules.capture == TOGGLES.capture.obligatory:
        n = legal_moves(rules, state, moves)
        return n == 0 or not takes(state, moves[0])
    return True


@inline_ir
def _end_ply(rules: Any, state: Any) -> None:
    """Passes the move to the other colour, and the choice to the other seat if the run is over."""
    colour = 1 - state[b.COLOUR]
    state[b.COLOUR] = colour
    if state[b.WAIT]:
        state[b.WAIT] = state[b.WAIT] - 1 if state[b.CASTLING] else 0
    if rules.turns == TOGGLES.turns.single:
        state[b.SEAT] = colour
    else:
        done = state[b.DONE] + 1
        if done < state[b.RUN]:
            state[b.DONE] = done
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
def _choose(rules: Any, state: Any, square: int, piece: int) -> None:
    """Carries out the owner's choice of a promotion, and ends the ply that brought the pawn there."""
    colour = state[b.COLOUR]
    owner_chose_for = state[b.SEAT]
    state[b.PAWN] ^= b.bit(square)
    state[piece] |= b.bit(square)
    state[b.HASH] ^= (
        b.HASH_PIECE[colour, b.PAWN, square] ^ b.HASH_PIECE[colour, piece, square] ^ b.HASH_CHOICE ^ b.HASH_BLACK
    )
    state[b.CHOICE] = 0
    state[b.SEAT] = 1 - owner_chose_for
    _end_ply(rules, state)


@njit
def _take_own(state: Any, colour: int, square: int) -> int:
    """Take a piece off the board that one of its own colour captures; returns what that does to the hash."""
    to = b.bit(square)
    kind = 0
    while state[kind] & to == 0:
        kind += 1
    state[kind] ^= to
    state[b.WHITE + colour] ^= to
    state[b.CLOCK] = 0
    return b.HASH_PIECE[colour, kind, square]


@inline_ir
def _goes_on(rules: Any, state: Any, colour: int) -> bool:
    """Return whether the game goes on after a capture of this colour's pieces."""
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
        _choose(rules, state, target, promotion)
        return
    colour = state[b.COLOUR]
    to = b.bit(target)
    both = b.bit(origin) | to
    word = state[b.HASH] ^ b.HASH_PIECE[colour, piece, origin] ^ b.HASH_PIECE[colour, piece, target] ^ b.HASH_BLACK
    state[b.CLOCK] += 1
    if rules.self_capture != TOGGLES.self_capture.none and state[b.WHITE + colour] & to:
        word ^= _take_own(state, colour, target)
    state[piece] ^= both
    state[b.WHITE + colour] ^= both
    taken = state[b.BLACK - colour] & to
    if taken:
        # The mover's own kind has both pieces' bits merged on the target: it is set apart here.
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
        if piece == b.PAWN and target == passant and not taken and (origin ^ target) > 7:
            square = target - 8 + 16 * colour
            state[b.PAWN] ^= b.bit(square)
            state[b.BLACK - colour] ^= b.bit(square)
            state[b.MOVED] &= ~b.bit(square)
            state[b.CLOCK] = 0
            word ^= b.HASH_PIECE[1 - colour, b.PAWN, square]
    if b.remembers_pieces(rules):
        _remember_piece(rules, state, both, to)
    if piece == b.PAWN:
        if rules.pawn_extra != TOGGLES.pawn_extra.back:
            state[b.CLOCK] = 0
        if promotion:
            state[b.PAWN] ^= to
            state[promotion] |= to
            word ^= b.HASH_PIECE[colour, b.PAWN, target] ^ b.HASH_PIECE[colour, promotion, target]
        elif to & b.LAST_RANKS and _goes_on(rules, state, 1 - colour):
            state[b.HASH] = word ^ b.HASH_BLACK ^ b.HASH_CHOICE
            state[b.CHOICE] = 1
            state[b.CHECKERS] = 0
            state[b.SEAT] = 1 - state[b.SEAT]
            return
    elif piece == b.KING and (target - origin == 2 or origin - target == 2):
        which = 2 * colour + (1 if target < origin else 0)
        rook = b.bit(b.ROOK_FROM[which]) | b.bit(b.ROOK_TO[which])
        state[b.ROOK] ^= rook
        state[b.WHITE + colour] ^= rook
        word ^= b.HASH_PIECE[colour, b.ROOK, b.ROOK_FROM[which]] ^ b.HASH_PIECE[colour, b.ROOK, b.ROOK_TO[which]]
        if rules.castling_moves == TOGGLES.castling_moves.king_and_rook and state[b.MOVED] & to:
            state[b.MOVED] |= b.bit(b.ROOK_TO[which])
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
def _remember_piece(rules: Any, state: Any, both: int, to: int) -> None:
    """Record where the piece that moved now stands, if the Detente rules restrict a later ply of the run by it."""
    moved = state[b.MOVED] & ~both
    own = state[b.COLOUR] == state[b.SEAT]
    if (
        (rules.same_piece == TOGGLES.same_piece.only_if_forced)
        if own
        else (rules.moved_enemy == TOGGLES.moved_enemy.safe)
    ):
        moved |= to
    state[b.MOVED] = moved


@njit
def outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Result and termination of a position with n legal moves."""
    return ending(rules, state, n)


@njit
def counts_positions(rules: Any) -> bool:
    """Return whether there is a rule about repetition."""
    return rules.repetition != 0


@njit
def repetition(rules: Any, state: Any, count: int) -> tuple[int, int]:
    """Return a draw when the position occurs too often."""
    if rules.repetition == 0 or count < rules.repetition:
        return ONGOING, 0
    return DRAW, REPETITION


@njit
def key(rules: Any, state: Any) -> Any:
    """A hash of board, colour to move, castling and its waiting time, en passant if legal, and the place in the run.

    Under the Detente rules, the pieces that were moved in the run belong to it, too.
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


implement(Rules, sys.modules[__name__], len(FEATURES), len(EVENTS), tuple(kind.fold for kind in DECLARATION.units))
