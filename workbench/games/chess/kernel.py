"""Chess and its 007 relatives, compiled: the functions that the engine asks of them.

The board is explained in `kernel_board`, the moves in `kernel_moves`. The colours always move in turn; who chooses is
kept apart from it (``SEAT``), and so the runs of 007 chess change no move.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from workbench.engine.contract import DRAW, ONGOING, REPETITION, implement
from workbench.engine.jit import inlined, lowest, njit
from workbench.engine.rng import mix
from workbench.games.chess.kernel_board import (
    ALL,
    BALANCED,
    BISHOP,
    BLACK,
    CAPTURE,
    CASTLING,
    CHECKERS,
    CHOICE,
    CLOCK,
    COLOUR,
    DONE,
    EVENTS,
    FEATURES,
    HASH,
    HASH_BLACK,
    HASH_CASTLING,
    HASH_CHOICE,
    HASH_PASSANT,
    HASH_PIECE,
    KEPT_RIGHTS,
    KING,
    KING_AND_ROOK,
    KNIGHT,
    LAST_RANKS,
    MOST_MOVES,
    MOVED,
    ONLY_IF_FORCED,
    OWNER,
    PASSANT,
    PAWN,
    PAWN_TAKES,
    PROGRESSIVE,
    QUEEN,
    ROOK,
    ROOK_FROM,
    ROOK_TO,
    RUN,
    SAFE,
    SEAT,
    SINGLE,
    STATE_WORDS,
    TRIPLE,
    WHITE,
    Rules,
    attackers,
    bit,
    ending,
    king_square,
    last_ply,
)
from workbench.games.chess.kernel_features import events as events
from workbench.games.chess.kernel_features import features as features
from workbench.games.chess.kernel_moves import (
    any_move,
    draw_move,
    keep_detente,
    list_captures,
    list_moves,
    passant_exists,
)

BACK_RANK = (ROOK, KNIGHT, BISHOP, QUEEN, KING, BISHOP, KNIGHT, ROOK)
RUN_SALT = np.int64(0x2545F4914F6CDD1D)
MOVED_SALT = np.int64(0x5851F42D4C957F2D)


@njit
def state_size(rules: Any) -> int:
    """The words of a state."""
    return STATE_WORDS


@njit
def max_moves(rules: Any) -> int:
    """A bound of the number of legal moves."""
    return MOST_MOVES


@njit
def feature_count(rules: Any) -> int:
    """The number of features."""
    return FEATURES


@njit
def event_count(rules: Any) -> int:
    """The number of event counters."""
    return EVENTS


@njit
def put(state: Any, colour: int, piece: int, square: int) -> None:
    """Sets a piece on an empty square."""
    state[piece] |= bit(square)
    state[WHITE + colour] |= bit(square)


@njit
def begin_run(rules: Any, state: Any) -> None:
    """Begins the schedule of turns: the first run of a game."""
    state[RUN] = 3 if rules.turns == TRIPLE else 1
    state[DONE] = 0
    state[SEAT] = 1 - state[COLOUR] if rules.turns == BALANCED else state[COLOUR]


@njit
def complete(rules: Any, state: Any) -> None:
    """Fills in what follows from the other words: the pieces that give check, the hash, and whether a choice is due.

    En passant is forgotten if it is no legal move.
    """
    colour = state[COLOUR]
    state[CHECKERS] = 0
    state[CHOICE] = 0
    if rules.promotion_by == OWNER and state[PAWN] & state[WHITE + colour] & LAST_RANKS:
        state[CHOICE] = 1
    elif rules.king != CAPTURE:
        occupied = state[WHITE] | state[BLACK]
        state[CHECKERS] = attackers(state, king_square(state, colour), 1 - colour, occupied)
    if state[PASSANT] and not passant_exists(rules, state, state[PASSANT]):
        state[PASSANT] = 0
    word = HASH_CASTLING[state[CASTLING]]
    for side in range(2):
        for piece in range(6):
            rest = state[piece] & state[WHITE + side]
            while rest:
                word ^= HASH_PIECE[side, piece, lowest(rest)]
                rest &= rest - 1
    if colour:
        word ^= HASH_BLACK
    if state[PASSANT]:
        word ^= HASH_PASSANT[state[PASSANT] & 7]
    if state[CHOICE]:
        word ^= HASH_CHOICE
    state[HASH] = word


@njit
def start(rules: Any, state: Any) -> None:
    """Writes the array of chess."""
    state[:] = 0
    for x in range(8):
        for colour in range(2):
            put(state, colour, BACK_RANK[x], x + 56 * colour)
            put(state, colour, PAWN, x + 8 + 40 * colour)
    state[CASTLING] = 15
    begin_run(rules, state)
    complete(rules, state)


@njit
def seat(rules: Any, state: Any) -> int:
    """Who chooses the next ply; of a promotion, the pawn's owner."""
    return state[SEAT]


@njit
def legal_moves(rules: Any, state: Any, moves: Any) -> int:
    """Fills ``moves`` with the legal moves."""
    n = list_moves(rules, state, ALL, moves)
    if state[MOVED] and last_ply(state):
        n = keep_detente(rules, state, moves, n)
    return n


@njit
def has_move(rules: Any, state: Any, moves: Any) -> bool:
    """Whether there is a legal move."""
    return any_move(rules, state)


@njit
def sample_move(rules: Any, state: Any, rng: Any) -> int:
    """A uniformly random legal move, or -1: list them."""
    return draw_move(rules, state, rng)


@njit
def tactical_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """All answers to a check, and all choices of a promotion; otherwise captures and promotions to a queen.

    Where a player moves an enemy piece, its captures are no threat of his: such a position is quiet.
    """
    if state[CHECKERS] | state[CHOICE]:
        return legal_moves(rules, state, moves), False
    if state[SEAT] != state[COLOUR]:
        return 0, True
    return list_captures(rules, state, moves), True


@inlined
def _end_ply(rules: Any, state: Any) -> None:
    """Passes the move to the other colour, and the choice to the other seat if the run is over."""
    colour = 1 - state[COLOUR]
    state[COLOUR] = colour
    if rules.turns == SINGLE:
        state[SEAT] = colour
    else:
        done = state[DONE] + 1
        if done < state[RUN]:
            state[DONE] = done
        else:
            state[DONE] = 0
            state[MOVED] = 0
            state[SEAT] = 1 - state[SEAT]
            if rules.turns == PROGRESSIVE or (rules.turns == BALANCED and state[RUN] < 3):
                state[RUN] += 1
    if rules.king != CAPTURE:
        king = king_square(state, colour)
        state[CHECKERS] = attackers(state, king, 1 - colour, state[WHITE] | state[BLACK])


@njit
def _choose(rules: Any, state: Any, square: int, piece: int) -> None:
    """Carries out the owner's choice of a promotion, and ends the ply that brought the pawn there."""
    colour = state[COLOUR]
    owner_chose_for = state[SEAT]
    state[PAWN] ^= bit(square)
    state[piece] |= bit(square)
    state[HASH] ^= HASH_PIECE[colour, PAWN, square] ^ HASH_PIECE[colour, piece, square] ^ HASH_CHOICE ^ HASH_BLACK
    state[CHOICE] = 0
    state[SEAT] = 1 - owner_chose_for
    _end_ply(rules, state)


@njit
def play(rules: Any, state: Any, move: int) -> None:
    """Applies a legal move."""
    origin, target, piece, promotion = move & 63, (move >> 6) & 63, (move >> 12) & 7, (move >> 15) & 7
    if origin == target:
        _choose(rules, state, target, promotion)
        return
    colour = state[COLOUR]
    to = bit(target)
    both = bit(origin) | to
    word = state[HASH] ^ HASH_PIECE[colour, piece, origin] ^ HASH_PIECE[colour, piece, target] ^ HASH_BLACK
    state[piece] ^= both
    state[WHITE + colour] ^= both
    state[CLOCK] += 1
    taken = state[BLACK - colour] & to
    if taken:
        # The mover's own kind has both pieces' bits merged on the target: it is set apart here.
        state[piece] |= to
        kind = piece
        for other in range(6):
            if other != piece and state[other] & to:
                kind = other
        if kind != piece:
            state[kind] ^= to
        state[BLACK - colour] ^= to
        word ^= HASH_PIECE[1 - colour, kind, target]
        state[CLOCK] = 0
    rights = state[CASTLING]
    if rights:
        kept = rights & KEPT_RIGHTS[origin] & KEPT_RIGHTS[target]
        word ^= HASH_CASTLING[rights] ^ HASH_CASTLING[kept]
        state[CASTLING] = kept
    if state[PASSANT]:
        word ^= HASH_PASSANT[state[PASSANT] & 7]
        passant = state[PASSANT]
        state[PASSANT] = 0
        if piece == PAWN and target == passant and not taken:
            square = target - 8 + 16 * colour
            state[PAWN] ^= bit(square)
            state[BLACK - colour] ^= bit(square)
            state[MOVED] &= ~bit(square)
            word ^= HASH_PIECE[1 - colour, PAWN, square]
    if rules.moved_enemy == SAFE or rules.same_piece == ONLY_IF_FORCED:
        _remember_piece(rules, state, both, to)
    if piece == PAWN:
        state[CLOCK] = 0
        if promotion:
            state[PAWN] ^= to
            state[promotion] |= to
            word ^= HASH_PIECE[colour, PAWN, target] ^ HASH_PIECE[colour, promotion, target]
        elif to & LAST_RANKS and (rules.king != CAPTURE or state[KING] & state[BLACK - colour]):
            state[HASH] = word ^ HASH_BLACK ^ HASH_CHOICE
            state[CHOICE] = 1
            state[CHECKERS] = 0
            state[SEAT] = 1 - state[SEAT]
            return
    elif piece == KING and (target - origin == 2 or origin - target == 2):
        which = 2 * colour + (1 if target < origin else 0)
        rook = bit(ROOK_FROM[which]) | bit(ROOK_TO[which])
        state[ROOK] ^= rook
        state[WHITE + colour] ^= rook
        word ^= HASH_PIECE[colour, ROOK, ROOK_FROM[which]] ^ HASH_PIECE[colour, ROOK, ROOK_TO[which]]
        if rules.castling_moves == KING_AND_ROOK and state[MOVED] & to:
            state[MOVED] |= bit(ROOK_TO[which])
    _end_ply(rules, state)
    if piece == PAWN and (target - origin == 16 or origin - target == 16):
        square = (origin + target) >> 1
        if PAWN_TAKES[colour, square] & state[PAWN] & state[BLACK - colour] and passant_exists(rules, state, square):
            state[PASSANT] = square
            word ^= HASH_PASSANT[square & 7]
    state[HASH] = word


@njit
def _remember_piece(rules: Any, state: Any, both: int, to: int) -> None:
    """Keeps in mind where a piece now stands that was moved in this run, if a later ply of the run asks for it."""
    moved = state[MOVED] & ~both
    own = state[COLOUR] == state[SEAT]
    if (rules.same_piece == ONLY_IF_FORCED) if own else (rules.moved_enemy == SAFE):
        moved |= to
    state[MOVED] = moved


@njit
def outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Result and termination of a position with n legal moves."""
    return ending(rules, state, n)


@njit
def counts_positions(rules: Any) -> bool:
    """Whether there is a rule about repetition."""
    return rules.repetition != 0


@njit
def repetition(rules: Any, state: Any, count: int) -> tuple[int, int]:
    """A draw when the position occurs too often."""
    if rules.repetition == 0 or count < rules.repetition:
        return ONGOING, 0
    return DRAW, REPETITION


@njit
def key(rules: Any, state: Any) -> Any:
    """A hash of board, colour to move, castling, en passant if it is legal, and the place in the run.

    Under the Detente rules, the pieces that were moved in the run belong to it, too.
    """
    word = state[HASH]
    if rules.turns != SINGLE:
        word ^= (2 * (256 * state[RUN] + state[DONE]) + state[SEAT]) * RUN_SALT ^ state[MOVED] * MOVED_SALT
        return mix(np.uint64(word))
    return np.uint64(word)


implement(Rules, sys.modules[__name__])
