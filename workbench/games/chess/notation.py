"""Notation of chess moves, positions and games, and reasons why a move is illegal.

Moves are read in standard algebraic notation (SAN) and in UCI notation. They are written in SAN, except for pawn steps
sideways and back, which use UCI notation. `notation_positions` defines the format of positions.

Source: FIDE, Laws of Chess, 2023, appendix C; S. J. Edwards, Portable Game Notation Specification, 1994.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from workbench.base.language import OR, tr
from workbench.engine import contract
from workbench.games.chess import kernel_board as b
from workbench.games.chess import kernel_general as g
from workbench.games.chess import kernel_moves
from workbench.games.chess import kernel_rays as r
from workbench.games.chess.kernel_board import TOGGLES
from workbench.games.chess.notation_positions import COLOURS, LETTERS, hand, parse_square, piece_on, size
from workbench.games.chess.notation_positions import fens as fens
from workbench.games.chess.notation_positions import position as position
from workbench.games.chess.notation_positions import set_up as set_up
from workbench.games.chess.notation_positions import square as square
from workbench.games.declaration import Board

NAMES = (tr("pawn"), tr("knight"), tr("bishop"), tr("rook"), tr("queen"), tr("king"))
ALL: Any = b.ALL
CASTLE = re.compile(r"(O-O(?:-O)?|0-0(?:-0)?)[+#]*")
DOUBLE_STEP_FROM = {
    TOGGLES.pawn_double_step.from_start: tr("A pawn moves two squares only from its initial square."),
    TOGGLES.pawn_double_step.second_and_third: tr("A pawn moves two squares only from its second or third rank."),
    TOGGLES.pawn_double_step.first_and_second: tr("A pawn moves two squares only from its first or second rank."),
    TOGGLES.pawn_double_step.never: tr("Pawns move only one square."),
}
"""The reason why a pawn's double step is illegal, by setting of `pawn_double_step`."""


def is_general(state: Any) -> bool:
    """Return whether moves come from the general generator and therefore have additional bits."""
    return bool(state[b.CHANGED] & b.GENERAL)


def legal(rules: Any, state: Any) -> list[int]:
    """Return the legal moves."""
    moves = np.zeros(int(contract.max_moves(rules)), np.int32)
    return [int(move) for move in moves[: contract.legal_moves(rules, state, moves)]]


def without_detente(rules: Any, state: Any) -> list[int]:
    """Return the moves that are legal if the Detente rules are ignored."""
    moves, all_squares = np.zeros(int(contract.max_moves(rules)), np.int32), ALL
    return [int(move) for move in moves[: kernel_moves.list_moves(rules, state, all_squares, moves)]]


def parts(move: int) -> tuple[int, int, int, int]:
    """Split a move into origin, target, kind of piece and promotion."""
    return move & 63, (move >> 6) & 63, (move >> 12) & 7, (move >> 15) & 7


def uci(rules: Any, state: Any, move: int) -> str:
    """Return a move in UCI notation; an owner's choice of promotion, which UCI lacks, is written as "=q"."""
    origin, target, kind, promotion = parts(move)
    if move & g.DROP:
        return f"{LETTERS[kind]}@{square(target)}"
    if origin == target:
        return f"={LETTERS[promotion].lower()}"
    return square(origin) + square(target) + (LETTERS[promotion].lower() if promotion else "")


def is_extra_step(colour: int, kind: int, origin: int, target: int) -> bool:
    """Return whether a move is a pawn's step sideways or back."""
    ahead = (target - origin) * (1 - 2 * colour)
    return kind == b.PAWN and ahead in (-8, -1, 1)


def explain(rules: Any, state: Any, text: str, move: int) -> str:
    """Return the reason why a move is illegal, as a sentence; ``text`` is the move as typed."""
    origin, target, kind, promotion = parts(move)
    if move & g.DROP:
        return _drop_reason(rules, state, target, kind) or _general_reason(rules, state, move)
    if origin == target:
        return tr("No pawn is waiting to be promoted.")
    colour, castle = int(state[b.COLOUR]), CASTLE.fullmatch(text)
    piece = piece_on(state, origin)
    if not piece and not castle:
        return tr("There is no piece on {square}.", square=square(origin))
    if piece and piece[0] != colour and not castle:
        return tr(
            "{square} holds {colour}'s {piece}, but {other} is to move.",
            square=square(origin),
            colour=COLOURS[piece[0]],
            piece=NAMES[piece[1]],
            other=COLOURS[colour],
        )
    if rules.drops == TOGGLES.drops.placement and state[b.HAND + colour]:
        return tr("{colour} has pieces in hand and must place one first.", colour=COLOURS[colour])
    if is_general(state):
        reason = _general_reason(rules, state, move)
        if not reason:
            return _obligation_reason(rules, state, move)
        if reason != NO_SUCH_MOVE:
            return reason
    to_rook = rules.start_position.shape[0] > b.USUAL_WORDS and piece_on(state, target) == (colour, b.ROOK)
    if castle or (kind == b.KING and (to_rook or abs(target - origin) == 2)):
        long = castle[1].count("-") == 2 if castle else target < origin
        reason = _castling_reason(rules, state, 2 * colour + long)
    else:
        reason = unreachable_reason(rules, state, colour, kind, origin, target)
    return (
        reason
        or _promotion_reason(rules, state, kind, target, promotion)
        or _obligation_reason(rules, state, move)
        or _detente_reason(rules, state, origin, target, move)
        or (NO_SUCH_MOVE if is_general(state) else _check_reason(rules, state, colour, kind, origin))
    )


NO_SUCH_MOVE = tr("No rule allows a piece to move like that.")


def _general_reason(rules: Any, state: Any, move: int) -> str:
    """Return the reason why the general generator rejects a move (`NO_SUCH_MOVE`, or the effect of the move), or ""."""
    moves, all_squares = np.zeros(int(contract.max_moves(rules)), np.int32), ALL
    n, mask = g.pseudo_legal_moves(rules, state, all_squares, moves), g.PARTS | g.DROP | move & g.CASTLE
    candidate = next((int(pseudo_legal) for pseudo_legal in moves[:n] if int(pseudo_legal) & mask == move & mask), None)
    if candidate is None:
        return NO_SUCH_MOVE
    after = np.zeros(int(contract.state_size(rules)), np.int64)
    if g.is_legal(rules, state, contract.MOVE(candidate), after):
        return ""
    colour: Any = state[b.COLOUR]
    own_king = int(after[b.KING]) & int(after[b.WHITE + colour])
    if rules.blast != TOGGLES.blast.none and not own_king:
        return tr("A player may not blow up their own king.")
    if g.checking_pieces(rules, after, colour):
        origin, _, kind, _ = parts(move)
        return _check_reason(rules, state, int(colour), kind, origin)
    return tr("A ply may not give check.")


def _drop_reason(rules: Any, state: Any, target: int, kind: int) -> str:
    if rules.drops == TOGGLES.drops.none:
        return tr("Captured pieces may not be dropped.")
    in_placement = rules.drops == TOGGLES.drops.placement
    if not hand(state, int(state[b.COLOUR]))[kind]:
        return tr("There is no {piece} in hand.", piece=NAMES[kind])
    if piece_on(state, target):
        return tr("{square} is occupied.", square=square(target))
    if in_placement and not int(g.first_rank(state, state[b.COLOUR])) >> target & 1:
        return tr("Pieces must be placed on the player's own first rank.")
    if in_placement and not int(g.placements(state, contract.MOVE(kind))) >> target & 1:
        return tr("A player's bishops must be placed on alternating colours.")
    if kind == b.PAWN and target >> 3 in (0, int(state[b.RANKS]) - 1):
        return tr("A pawn may not be dropped on the first or last rank.")
    return ""


def _castling_reason(rules: Any, state: Any, right: int) -> str:
    colour = right >> 1
    if rules.castling == TOGGLES.castling.never:
        return tr("Castling is not allowed.")
    if state[b.WAIT]:
        message = tr("{colour} may castle only from move 11 on, and this is move {number}.")
        return message.format(colour=COLOURS[colour], number=11 - (int(state[b.WAIT]) + 1) // 2)
    if not (int(state[b.CASTLING]) >> right) & 1:
        return tr("The king cannot castle there: the king or rook has moved or is missing.")
    king, rook = castling_homes(rules, right)
    goal, rook_goal = (56 * colour + x for x in ((2, 3) if right & 1 else (6, 5)))
    squares = king, rook, goal, rook_goal
    for cell in range(min(squares), max(squares) + 1):
        if piece_on(state, cell) and cell not in (king, rook):
            return tr("The king cannot castle: {square} is occupied.", square=square(cell))
    side: Any = np.int64(colour)
    if g.checking_pieces(rules, state, side):
        return tr("The king cannot castle out of check.")
    others: Any = np.int64(r.occupied(state) & ~(b.bit(king) | b.bit(rook)))
    for cell in range(min(king, goal), max(king, goal) + 1) if rules.king == TOGGLES.king.checkmate else ():
        cell_word: Any = np.int64(cell)
        if g.castling_is_attacked(rules, state, cell_word, others):
            return tr("The king cannot castle: {square} is attacked.", square=square(cell))
    return ""


def castling_homes(rules: Any, right: int) -> tuple[Any, Any]:
    """Return the initial squares of king and rook for a castling right, 0 to 3."""
    side: Any = np.int64(right >> 1)
    right_word: Any = np.int64(right)
    return np.int64(g.king_home(rules, side)), np.int64(g.rook_home(rules, right_word))


def _promotion_reason(rules: Any, state: Any, kind: int, target: int, promotion: int) -> str:
    promotes = kind == b.PAWN and target >> 3 in (0, 7)
    kinds = sum(1 << piece for piece in range(b.KNIGHT, b.highest_promotion(rules) + 1))
    if is_general(state):
        promotion_squares = int(g.promotion_squares(rules, state, state[b.COLOUR]))
        promotes, kinds = kind == b.PAWN and bool(promotion_squares >> target & 1), int(g.promotion_kinds(rules, state))
    if promotion and not promotes and target >> 3 in (0, 7) and kind == b.PAWN:
        return tr("A pawn that reaches its goal is not promoted.")
    if promotion and not promotes:
        return tr("Only a pawn that reaches its last rank is promoted.")
    if promotion and not kinds >> promotion & 1:
        return tr("A pawn cannot become a {piece} now.", piece=NAMES[promotion])
    if promotes and not kinds:
        return tr("There is no piece that the pawn could become.")
    if promotes and promotion and not kernel_moves.mover_promotes(rules, state):
        message = tr("The pawn's owner chooses what it becomes: write the move without ={letters}.")
        return message.format(letters=LETTERS[promotion])
    if promotes and not promotion and kernel_moves.mover_promotes(rules, state):
        return tr("State what the pawn becomes, for example {square}=Q.", square=square(target))
    return ""


def _obligation_reason(rules: Any, state: Any, move: int) -> str:
    chess_moves = without_detente(rules, state)
    if rules.capture != TOGGLES.capture.obligatory or move not in chess_moves:
        return ""
    capture = next(other for other in chess_moves if kernel_moves.is_capture(state, contract.MOVE(other)))
    message = tr("{colour} must capture, for example with {capture}.")
    return message.format(colour=COLOURS[state[b.COLOUR]], capture=uci(rules, state, capture))


def _detente_reason(rules: Any, state: Any, origin: int, target: int, move: int) -> str:
    if not b.is_last_ply(state):
        return ""
    chess_moves = without_detente(rules, state)
    moved = int(state[b.MOVED])
    passant = -1
    piece = piece_on(state, origin)
    if piece and piece[1] == b.PAWN and not piece_on(state, target) and (target - origin) % 8:
        passant = (target & 7) + 8 * (origin >> 3)
    for cell in (target, passant):
        if cell >= 0 and (moved >> cell) & 1 and (other := piece_on(state, cell)) and other[0] != state[b.COLOUR]:
            message = tr("Detente: the {piece} on {square} was moved on the previous ply and is safe.")
            return message.format(piece=NAMES[other[1]], square=square(cell))
    if move in chess_moves and (moved >> origin) & 1:
        message = tr("Detente: the piece on {square} was already moved this turn, and another piece has a legal move.")
        return message.format(square=square(origin))
    return ""


def _check_reason(rules: Any, state: Any, colour: int, kind: int, origin: int) -> str:
    name = COLOURS[colour]
    if kind == b.KING:
        return tr("{who}'s king would be in check there.", who=name)
    if (_pinned(rules, state, colour) >> origin) & 1:
        message = tr("The piece on {square} is pinned: without it {who}'s king would be in check.")
        return message.format(square=square(origin), who=name)
    if state[b.CHECKERS]:
        return tr("{who} is in check, and this move does not end the check.", who=name)
    return tr("This move would leave {who}'s king in check.", who=name)


def _pinned(rules: Any, state: Any, colour: int) -> int:
    """Return the pieces that are the only ones between the mover's king and an enemy slider."""
    if r.is_nonstandard(state):
        survey = np.zeros(r.SURVEY, np.int64)
        r.survey_checks(rules, state, survey)
        return int(survey[r.PINNED])
    occupied: Any = np.int64(state[b.WHITE] | state[b.BLACK])
    side: Any = np.int64(colour)
    king: Any = np.int64(b.king_square(state, side))
    return int(kernel_moves.pinned_pieces(state, side, king, occupied))


def can_capture_en_passant(state: Any, target: int) -> bool:
    """Return whether a pawn can be captured en passant on a square, ignoring the Detente rules."""
    behind = target - 8 + 16 * int(state[b.COLOUR])
    safe = b.is_last_ply(state) and (int(state[b.MOVED]) >> behind) & 1 if 0 <= behind < 64 else 0
    just_moved = safe and target >> 3 in (2, 5) and piece_on(state, behind) == (1 - int(state[b.COLOUR]), b.PAWN)
    return bool(state[b.PASSANT] and target == state[b.PASSANT]) or bool(just_moved)


def unreachable_reason(rules: Any, state: Any, colour: int, kind: int, origin: int, target: int) -> str:
    """Return the reason why a piece cannot move to a square, as a sentence, or ""."""
    occupied = int(state[b.WHITE]) | int(state[b.BLACK])
    occupied_word: Any = np.int64(state[b.WHITE] | state[b.BLACK])
    occupant = piece_on(state, target)
    subject = tr("The {piece} on {square}", piece=NAMES[kind], square=square(origin))
    self_capture = rules.self_capture != TOGGLES.self_capture.none
    if occupant and occupant[0] == colour and not (self_capture and occupant[1] != b.KING):
        message = tr("{square} is occupied by {colour}'s {piece}.")
        return message.format(square=square(target), colour=COLOURS[colour], piece=NAMES[occupant[1]])
    if kind == b.PAWN and not rules.pawn_moves.shape[0]:
        forward = 8 - 16 * colour
        if is_extra_step(colour, kind, origin, target) and abs(origin % 8 - target % 8) <= 1:
            return _extra_step_reason(rules, colour, origin, target, bool(occupant))
        if (target - origin) in (forward, 2 * forward):
            passed = int(b.DOUBLE_STEPS[rules.pawn_double_step, colour])
            if target - origin == 2 * forward and not (passed >> (origin + forward)) & 1:
                return DOUBLE_STEP_FROM[rules.pawn_double_step]
            blocked = [cell for cell in (origin + forward, target) if (occupied >> cell) & 1]
            if blocked:
                return tr(
                    "A pawn cannot move or capture straight ahead: {square} is occupied.", square=square(blocked[0])
                )
            return ""
        if not (int(b.PAWN_TAKES[colour, origin]) >> target) & 1:
            return tr("{who} cannot move to {square}.", who=subject, square=square(target))
        if occupant or can_capture_en_passant(state, target):
            return ""
        message = tr("A pawn moves diagonally only to capture, and there is nothing to capture on {square}.")
        return message.format(square=square(target))
    if (rays := _rays(rules, kind, colour)).size:
        return _ray_reason(state, rays, colour, kind, origin, target)
    start_cell: Any = np.int64(origin)
    reach = int({b.KNIGHT: b.KNIGHT_STEPS, b.KING: b.KING_STEPS}.get(kind, np.zeros(64, np.int64))[origin])
    if kind in (b.BISHOP, b.QUEEN):
        reach |= int(b.bishop_attacks(start_cell, occupied_word))
    if kind in (b.ROOK, b.QUEEN):
        reach |= int(b.rook_attacks(start_cell, occupied_word))
    if (reach >> target) & 1:
        return ""
    line = int(b.BETWEEN[origin, target]) & occupied
    if line and kind in (b.BISHOP, b.ROOK, b.QUEEN):
        blocker = next(cell for cell in range(64) if (line >> cell) & 1)
        straight = origin & 7 == target & 7 or origin >> 3 == target >> 3
        if kind == b.QUEEN or straight == (kind == b.ROOK):
            return tr("{who} cannot move past the piece on {square}.", who=subject, square=square(blocker))
    message = tr("{who} cannot move to {square}: a {piece} does not move like that.")
    return message.format(who=subject, square=square(target), piece=NAMES[kind])


def _rays(rules: Any, kind: int, colour: int) -> Any:
    """Return the rays of a colour's kind of piece, one per row (see `kernel_rays`); no rows for standard moves."""
    pieces = (rules.knight_moves, rules.bishop_moves, rules.rook_moves, rules.queen_moves, rules.king_moves)
    moves = (rules.pawn_moves, *pieces)[kind]
    first, last = (int(n) for n in r.bounds(moves, colour))
    return moves[first:last].reshape(-1, r.WORDS)


def _ray_reason(state: Any, rays: Any, colour: int, kind: int, origin: int, target: int) -> str:
    """Return the reason why a piece cannot move to a square along its rays, as a sentence, or ""."""
    subject, sign = tr("The {piece} on {square}", piece=NAMES[kind], square=square(origin)), 1 - 2 * colour
    text, obstacle = tr("{who} cannot move to {square}: a {piece} does not move like that."), target
    occupant = piece_on(state, target)
    for right, ahead, moves, takes in rays.tolist():
        path = []
        for leap in range(1, max(moves, takes) + 1):
            x, y = (origin & 7) + sign * leap * right, (origin >> 3) + sign * leap * ahead
            path.append(8 * y + x if 0 <= x < 8 and 0 <= y < 8 else -1)
        if target not in path:
            continue
        leaps = path.index(target) + 1
        blocked = [cell for cell in path[: leaps - 1] if piece_on(state, cell)]
        if blocked:
            text, obstacle = tr("{who} cannot move past the piece on {square}."), blocked[0]
        elif leaps <= (takes if occupant else moves):
            return ""
        elif occupant:
            text, obstacle = tr("{who} cannot capture on {square}: a {piece} moves there only if it is empty."), target
        else:
            text, obstacle = tr("{who} moves to {square} only to capture, and there is nothing to capture."), target
    return text.format(who=subject, square=square(obstacle), piece=NAMES[kind])


def _extra_step_reason(rules: Any, colour: int, origin: int, target: int, occupied: bool) -> str:
    """Return the reason why a pawn cannot step sideways or back to a square, as a sentence, or ""."""
    sideways = origin >> 3 == target >> 3
    extra = TOGGLES.pawn_extra.sideways if sideways else TOGGLES.pawn_extra.back
    way = "sideways" if sideways else "back"
    if rules.pawn_extra != extra:
        return tr("A pawn cannot step {way}.", way=way)
    if occupied:
        return tr("A pawn cannot capture {way}: {square} is occupied.", way=way, square=square(target))
    if target >> 3 == 7 * colour:
        return tr("A pawn never steps back to its first rank.")
    return ""


SYMBOLS = "♙♘♗♖♕♔♟♞♝♜♛♚"
UCI = re.compile(r"([a-h][1-8])([a-h][1-8])([nbrqk])?")
CHOICE = re.compile(r"=([NBRQKnbrqk])[+#]*")
DROP = re.compile(r"([PNBRQK])?@([a-h][1-8])[+#]*")
SAN = re.compile(r"([NBRQK])?([a-h])?([1-8])?(x)?([a-h][1-8])(?:=?([NBRQK]))?[+#]*")
WRITTEN = re.compile(r"P?([NBRQK])?([a-h])?([1-8])?[-x:]?([a-h])([1-8])?(?:=?([NBRQKnbrqk]))?[+#]*")
"""Moves as people write them, with more or fewer parts than SAN, except castling and drops."""
RESULTS = ("*", "1-0", "0-1", "1/2-1/2")


def _after(rules: Any, state: Any, move: int) -> Any:
    after = state.copy()
    contract.play(rules, after, move)
    return after


# --- Moves ------------------------------------------------------------------------------------------------------------


def format_move(rules: Any, state: Any, move: int) -> str:
    """Return a move in SAN, with + for check and # for mate; it is unambiguous even without the Detente rules."""
    origin, target, kind, promotion = parts(move)
    after = _after(rules, state, move)
    check = ""
    if after[b.CHECKERS]:
        check = "+" if legal(rules, after) else "#"
    if move & g.DROP:
        return f"{LETTERS[kind]}@{square(target)}{check}"
    if origin == target:
        return f"={LETTERS[promotion]}{check}"
    if kind == b.KING and (move & g.CASTLE or abs(target - origin) == 2):
        return ("O-O" if target > origin else "O-O-O") + check
    if is_extra_step(int(state[b.COLOUR]), kind, origin, target):
        return square(origin) + square(target) + check
    passant = bool(move & g.PASSING) if is_general(state) else kind == b.PAWN and (target - origin) % 8 != 0
    capture_mark = "x" if passant or piece_on(state, target) else ""
    if kind == b.PAWN:
        origin_name = square(origin)[0] if capture_mark else ""
        if rules.pawn_moves.shape[0]:
            origin_name = square(origin)
        return origin_name + capture_mark + square(target) + (f"={LETTERS[promotion]}" if promotion else "") + check
    rivals = [
        parts(other)[0]
        for other in without_detente(rules, state)
        if parts(other)[1:3] == (target, kind) and parts(other)[0] != origin
    ]
    origin_name = square(origin)
    if not rivals:
        origin_name = ""
    elif all(rival & 7 != origin & 7 for rival in rivals):
        origin_name = origin_name[0]
    elif all(rival >> 3 != origin >> 3 for rival in rivals):
        origin_name = origin_name[1]
    return LETTERS[kind] + origin_name + capture_mark + square(target) + check


def parse_move(rules: Any, state: Any, text: str) -> int:
    """Return the move that a SAN or UCI text denotes, whether legal or not.

    Raises:
        ValueError: no piece on the board has such a move, or an owner must choose a promotion first.
    """
    if match := CHOICE.fullmatch(text):
        cell = _last_rank_pawn(state)
        return cell | cell << 6 | LETTERS.index(match[1].upper()) << 15
    if state[b.CHOICE]:
        pawn = square(_last_rank_pawn(state))
        raise ValueError(tr("The pawn on {pawn} must be promoted first: write =Q, =R, =B or =N.", pawn=pawn))
    if match := DROP.fullmatch(text):
        cell = parse_square(match[2])
        return cell | cell << 6 | LETTERS.index(match[1] or "P") << 12 | g.DROP
    if match := UCI.fullmatch(text):
        origin, target = parse_square(match[1]), parse_square(match[2])
        piece = piece_on(state, origin)
        promotion = LETTERS.index(match[3].upper()) if match[3] else 0
        code = origin | target << 6 | (piece[1] if piece else 0) << 12 | promotion << 15
        return _with_move_bits(rules, state, code)
    if match := CASTLE.fullmatch(text):
        long = match[1].count("-") == 2
        king, rook = map(int, castling_homes(rules, 2 * int(state[b.COLOUR]) + long))
        if rules.start_position.shape[0] > b.USUAL_WORDS:
            return king | rook << 6 | b.KING << 12 | g.CASTLE
        return king | (king + (-2 if long else 2)) << 6 | b.KING << 12
    if match := SAN.fullmatch(text):
        return _parse_san(rules, state, text, match)
    message = tr("'{move}' is not a move; write e4, Nf3, exd5, O-O, e8=Q, or g1f3 and e7e8q as in UCI")
    raise ValueError(message.format(move=text))


def _with_move_bits(rules: Any, state: Any, code: int) -> int:
    """Return the legal move with these parts, including the general generator's bits, or the code itself."""
    moves = legal(rules, state) if is_general(state) else []
    return next((move for move in moves if not move & g.DROP and move & g.PARTS == code), code)


def _last_rank_pawn(state: Any) -> int:
    """Return the square of the pawn whose owner must choose its promotion, or 0."""
    pawns = int(state[b.PAWN]) & int(state[b.WHITE + state[b.COLOUR]]) & int(b.LAST_RANKS)
    return (pawns & -pawns).bit_length() - 1 if pawns else 0


def _parse_san(rules: Any, state: Any, text: str, match: re.Match[str]) -> int:
    letter, file, rank, takes, name, promoted = match.groups()
    kind, target = LETTERS.index(letter or "P"), parse_square(name)
    promotion = LETTERS.index(promoted) if promoted else 0
    if takes and not piece_on(state, target) and not (kind == b.PAWN and can_capture_en_passant(state, target)):
        raise ValueError(tr("there is nothing to capture on {name}", name=name))

    def fits(origin: int) -> bool:
        if is_extra_step(int(state[b.COLOUR]), kind, origin, target):
            return bool(file and rank and not takes) and square(origin) == f"{file}{rank}"
        agrees = (not file or square(origin)[0] == file) and (not rank or square(origin)[1] == rank)
        return agrees and (kind != b.PAWN or bool(file) or (target - origin) % 8 == 0)

    matching = [
        move
        for move in legal(rules, state)
        if parts(move)[1:] == (target, kind, promotion) and fits(parts(move)[0]) and parts(move)[0] != target
    ]
    # In standard notation, a king's move by two squares is only written O-O.
    matching = [
        move
        for move in matching
        if not move & (g.DROP | g.CASTLE) and (kind != b.KING or abs(target - parts(move)[0]) != 2)
    ]
    if len(matching) == 1:
        return matching[0]
    if matching:
        message = tr("'{move}' could be {moves}")
        raise ValueError(message.format(move=text, moves=OR.join(uci(rules, state, move) for move in matching)))
    colour = int(state[b.COLOUR])
    candidates = [cell for cell in range(64) if piece_on(state, cell) == (colour, kind) and fits(cell)]
    movable = [cell for cell in candidates if not unreachable_reason(rules, state, colour, kind, cell, target)]
    if not movable:
        origin_text = (
            tr("on file {file} ", file=file)
            if file and not rank
            else tr("on {file}{rank} ", file=file or "rank ", rank=rank)
            if rank
            else ""
        )
        message = tr("no {piece} of {colour} {of}can move to {name}")
        raise ValueError(message.format(piece=NAMES[kind], colour=COLOURS[colour], of=origin_text, name=name))
    return movable[0] | target << 6 | kind << 12 | promotion << 15


def pattern(rules: Any, word: str) -> tuple[int, int, int, int] | None:
    """Return the bits shared by all moves with this text (see `people.replaying.matched`), or None if not a move."""
    bits = g.CASTLE | g.DROP
    if match := CASTLE.fullmatch(word):
        files = bits | g.PARTS & ~0o7070
        return files, b.KING << 12 | (2 if match[1].count("-") == 2 else 6) << 6 | 4, -1, 0
    if match := DROP.fullmatch(word):
        cell = parse_square(match[2])
        return bits | g.PARTS, cell | cell << 6 | LETTERS.index(match[1] or "P") << 12 | g.DROP, -1, 0
    if not (match := WRITTEN.fullmatch(word)):
        return None
    letter, file, rank, to_file, to_rank, promoted = match.groups()
    kind, full_origin = LETTERS.index(letter or "P"), bool(file and rank)
    x, y = "abcdefgh".index(to_file), int(to_rank or 1) - 1
    if not (to_rank or (file and not letter)):
        return None
    origins = 0
    for cell in range(64):
        possible = kind != b.KING or full_origin or max(abs((cell & 7) - x), abs((cell >> 3) - y)) < 2
        on_line = (not file or "abcdefgh"[cell & 7] == file) and (not rank or cell >> 3 == int(rank) - 1)
        if possible and on_line and (letter or file or cell & 7 == x) and (cell != x + 8 * y or not to_rank):
            origins |= 1 << cell
    mask = bits | g.PARTS & ~63 & ~(0 if to_rank else 0o7000) & ~(0o70000 if full_origin and not letter else 0)
    value = x << 6 | y << 9 | kind << 12 | LETTERS.index((promoted or "P").upper()) << 15
    return mask, value & mask, origins - (origins >> 63 << 64), 0


# --- Positions --------------------------------------------------------------------------------------------------------


def chooser_note(state: Any) -> str:
    """Return a note on who chooses the next ply and on the place of that ply in the run."""
    name = tr("{seat}'s player", seat=COLOURS[state[b.SEAT]])
    if state[b.CHOICE]:
        return tr("{who} chooses what the pawn on {square} becomes", who=name, square=square(_last_rank_pawn(state)))
    texts = (tr("{who} moves a white piece, ply {n} of {all}"), tr("{who} moves a black piece, ply {n} of {all}"))
    return texts[state[b.COLOUR]].format(who=name, n=state[b.DONE] + 1, all=state[b.RUN])


def board(rules: Any, state: Any) -> Board:
    """Return the position as a grid with White at the bottom and shaded dark squares."""

    def symbol(cell: int) -> str:
        piece = piece_on(state, cell)
        return SYMBOLS[6 * piece[0] + piece[1]] if piece else ""

    files, ranks = size(rules)
    notes = [
        tr("{colour} to move", colour=COLOURS[state[b.COLOUR]])
        if rules.turns == TOGGLES.turns.single
        else chooser_note(state)
    ]
    if rules.checks_to_win:
        checks = [int(state[b.GIVEN]) & 255, int(state[b.GIVEN]) >> 8]
        notes.append(tr("checks given: White {white}, Black {black}", white=checks[0], black=checks[1]))
    if rules.drops != TOGGLES.drops.none:
        for colour, name in enumerate(COLOURS):
            pieces = "".join(SYMBOLS[6 * colour + kind] * count for kind, count in enumerate(hand(state, colour)))
            notes.append(tr("in {colour}'s hand: {pieces}", colour=name, pieces=pieces or "–"))
    check = tr("{colour} is in check", colour=COLOURS[state[b.COLOUR]]) if state[b.CHECKERS] else ""
    return Board(
        cells=tuple(tuple(symbol(8 * y + x) for x in range(files)) for y in range(ranks - 1, -1, -1)),
        columns=tuple("abcdefgh"[:files]),
        rows=tuple("87654321"[8 - ranks :]),
        shaded=frozenset((ranks - 1 - y, x) for y in range(ranks) for x in range(files) if (x + y) % 2 == 0),
        notes=(*notes, *filter(None, [check])),
        check=check,
    )


def uci_position(rules: Any, state: Any) -> str:
    """Return the position for UCI's command ``position``, including the number of checks still to be given.

    Returns "" if the colour to move has already reached its goal, since the game cannot continue.
    """
    colour = int(state[b.COLOUR])
    if rules.flag.shape[0] and any(
        int(rules.flag[6 * colour + kind]) & int(state[kind]) & int(state[b.WHITE + colour]) for kind in range(6)
    ):
        return ""
    fen = position(rules, state)["fen"]
    if rules.checks_to_win:
        checks, black_limit = int(state[b.GIVEN]), rules.checks_of_black or rules.checks_to_win
        white, black = rules.checks_to_win - (checks & 255), black_limit - (checks >> 8)
        fen = re.sub(r"(?= \S+ \S+$)", f" {white}+{black}", fen)
    return f"fen {fen}"


# --- Games as PGN -----------------------------------------------------------------------------------------------------


def pgn(
    rules: Any, moves: Iterable[int], tags: Mapping[str, str] | None = None, setup: Mapping[str, Any] | None = None
) -> str:
    """Return a game as PGN; if players choose runs of plies, comments name the chooser: {W} or {B}.

    ``tags`` extend or replace the seven mandatory tags. Under ``king: capture``, plies may be illegal in chess, and
    other programs may refuse them.
    """
    state = np.zeros(int(contract.state_size(rules)), np.int64)
    contract.start(rules, state)
    headers = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?", "Result": "*"}
    number = 1
    if setup is not None:
        set_up(rules, state, setup)
    if setup is not None or rules.start_position.shape[0]:
        # Runs have separate tags, because other programs accept only six or seven fields.
        words = fens(rules, [state], setup)[0].split()[: 7 if rules.checks_to_win else 6]
        number = int(words[-1])
        headers |= {"SetUp": "1", "FEN": " ".join(words)}
        if rules.turns != TOGGLES.turns.single:
            fields = position(rules, state)
            headers |= {name.capitalize(): fields[name] for name in ("run", "moved") if name in fields}
    keys = [int(contract.key(rules, state))]
    movetext = list(_pgn_words(rules, state, moves, keys, number))
    result, _ = contract.outcome(rules, state, len(legal(rules, state)))
    if result == contract.ONGOING:
        result, _ = contract.repetition(rules, state, keys.count(keys[-1]))
    headers["Result"] = RESULTS[int(result)]
    headers |= dict(tags or {})
    escaped = {name: str(value).replace("\\", "\\\\").replace('"', '\\"') for name, value in headers.items()}
    lines = [f'[{name} "{value}"]' for name, value in escaped.items()]
    # Non-breaking spaces keep a move on the line of its number and of the preceding comment.
    moves_text = " ".join(word.replace(" ", "\xa0") for word in [*movetext, headers["Result"]])
    wrapped = textwrap.fill(moves_text, 80, break_long_words=False, break_on_hyphens=False).replace("\xa0", " ")
    return "\n".join([*lines, "", wrapped]) + "\n"


EXPORT = "PGN"
"""The format of `export`."""
POSITION = "fen"
"""The key of `set_up` for a position on the command line."""


def export(
    rules: Any,
    moves: Sequence[int],
    texts: Sequence[str],
    result: str,
    players: tuple[str, str],
    tags: Mapping[str, str],
    setup: Mapping[str, Any] | None = None,
) -> str:
    """Return a finished or stopped game as PGN; ``result`` and ``players`` are by seat, White's player first."""
    ending = {"first": RESULTS[1], "second": RESULTS[2], "draw": RESULTS[3]}.get(result, RESULTS[0])
    all_tags = dict(tags) | {"White": players[0], "Black": players[1], "Result": ending}
    return pgn(rules, moves, all_tags, setup)


def _pgn_words(rules: Any, state: Any, moves: Iterable[int], keys: list[int], number: int) -> Iterator[str]:
    """Yield move numbers, comments and moves, playing them on ``state`` and appending its keys to ``keys``."""
    announced, pending, interrupted = -1, "", True
    for move in moves:
        seat, colour = int(state[b.SEAT]), int(state[b.COLOUR])
        text = format_move(rules, state, move)
        if state[b.CHOICE]:
            # The owner's choice is written with the preceding pawn move.
            yield pending + text
            yield f"{{{'WB'[seat]} promotes}}"
            pending, interrupted = "", True
        else:
            if rules.turns != TOGGLES.turns.single and seat != announced:
                yield f"{{{'WB'[seat]}}}"
                announced, interrupted = seat, True
            if colour == 0 or interrupted:
                yield f"{number}." if colour == 0 else f"{number}..."
            interrupted = False
        after = _after(rules, state, move)
        if after[b.CHOICE]:
            pending = text
        elif not state[b.CHOICE]:
            yield text
        if after[b.COLOUR] != colour:
            number += colour
        state[:] = after
        keys.append(int(contract.key(rules, state)))
