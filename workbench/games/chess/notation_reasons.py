"""Why a move of chess is not allowed, in a sentence."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from workbench.base.language import tr
from workbench.engine.contract import MOVE, legal_moves, max_moves, state_size
from workbench.games.chess import kernel_board as b
from workbench.games.chess import kernel_general as g
from workbench.games.chess import kernel_moves
from workbench.games.chess import kernel_rays as r
from workbench.games.chess.kernel_board import TOGGLES
from workbench.games.chess.notation_positions import COLOURS, LETTERS, hand, piece_on, square

NAMES = (tr("pawn"), tr("knight"), tr("bishop"), tr("rook"), tr("queen"), tr("king"))
ALL: Any = b.ALL
CASTLE = re.compile(r"(O-O(?:-O)?|0-0(?:-0)?)[+#]*")
DOUBLE_STEP_FROM = {
    TOGGLES.pawn_double_step.from_start: tr("A pawn moves two squares from its first square only."),
    TOGGLES.pawn_double_step.second_and_third: tr("A pawn moves two squares from its second and its third rank only."),
    TOGGLES.pawn_double_step.first_and_second: tr("A pawn moves two squares from its first and its second rank only."),
    TOGGLES.pawn_double_step.never: tr("Pawns move one square only."),
}
"""Why a pawn does not step two squares."""


def is_general(state: Any) -> bool:
    """Return whether moves are found by the general way, which gives them further bits."""
    return bool(state[b.CHANGED] & b.GENERAL)


def legal(rules: Any, state: Any) -> list[int]:
    """Return the legal moves."""
    moves = np.zeros(int(max_moves(rules)), np.int32)
    return [int(move) for move in moves[: legal_moves(rules, state, moves)]]


def without_detente(rules: Any, state: Any) -> list[int]:
    """Return the legal moves if there were no Detente rules."""
    moves, everywhere = np.zeros(int(max_moves(rules)), np.int32), ALL
    return [int(move) for move in moves[: kernel_moves.list_moves(rules, state, everywhere, moves)]]


def parts(move: int) -> tuple[int, int, int, int]:
    """From, to, kind of piece and promotion of a move."""
    return move & 63, (move >> 6) & 63, (move >> 12) & 7, (move >> 15) & 7


def uci(rules: Any, state: Any, move: int) -> str:
    """Return a move as UCI writes it; the owner's choice of a promotion, which UCI does not know, as in "=q"."""
    origin, target, kind, promotion = parts(move)
    if move & g.DROP:
        return f"{LETTERS[kind]}@{square(target)}"
    if origin == target:
        return f"={LETTERS[promotion].lower()}"
    return square(origin) + square(target) + (LETTERS[promotion].lower() if promotion else "")


def extra_step(colour: int, kind: int, origin: int, target: int) -> bool:
    """Return whether a move is a pawn's step sideways or back."""
    ahead = (target - origin) * (1 - 2 * colour)
    return kind == b.PAWN and ahead in (-8, -1, 1)


def explain(rules: Any, state: Any, text: str, move: int) -> str:
    """Return the rule that forbids a move that is not legal, in a sentence; ``text`` is how it was typed."""
    origin, target, kind, promotion = parts(move)
    if move & g.DROP:
        return _why_no_drop(rules, state, target, kind) or _why_not_generally(rules, state, move)
    if origin == target:
        return tr("There is no pawn whose promotion has to be chosen now.")
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
        return tr("{colour} has pieces in hand, and places one of them first.", colour=COLOURS[colour])
    if is_general(state):
        reason = _why_not_generally(rules, state, move)
        if not reason:
            return _why_duty(rules, state, move)
        if reason != NO_SUCH_MOVE:
            return reason
    to_rook = rules.start_position.shape[0] > b.USUAL_WORDS and piece_on(state, target) == (colour, b.ROOK)
    if castle or (kind == b.KING and (to_rook or abs(target - origin) == 2)):
        long = castle[1].count("-") == 2 if castle else target < origin
        reason = _why_no_castling(rules, state, 2 * colour + long)
    else:
        reason = unreachable(rules, state, colour, kind, origin, target)
    return (
        reason
        or _why_no_promotion(rules, state, kind, target, promotion)
        or _why_duty(rules, state, move)
        or _why_detente(rules, state, origin, target, move)
        or (NO_SUCH_MOVE if is_general(state) else _why_in_check(rules, state, colour, kind, origin))
    )


NO_SUCH_MOVE = tr("No rule lets a piece move so.")


def _why_not_generally(rules: Any, state: Any, move: int) -> str:
    """Why a move is not legal where each is tried out: `NO_SUCH_MOVE`, or what it would do; "" if it is legal."""
    moves, everywhere = np.zeros(int(max_moves(rules)), np.int32), ALL
    n, matters = g.list_as_if_free(rules, state, everywhere, moves), g.PARTS | g.DROP | move & g.CASTLE
    tried = next((int(each) for each in moves[:n] if int(each) & matters == move & matters), None)
    if tried is None:
        return NO_SUCH_MOVE
    after = np.zeros(int(state_size(rules)), np.int64)
    if g.is_allowed(rules, state, MOVE(tried), after):
        return ""
    colour: Any = state[b.COLOUR]
    own = int(after[b.KING]) & int(after[b.WHITE + colour])
    if rules.blast != TOGGLES.blast.none and not own:
        return tr("No ply may blow up the own king.")
    if g.in_danger(rules, after, colour):
        return _why_in_check(rules, state, int(colour), *_moved_part(move))
    return tr("A ply that gives check is not legal.")


def _moved_part(move: int) -> tuple[int, int]:
    """Kind and origin of a move."""
    origin, _, kind, _ = parts(move)
    return kind, origin


def _why_no_drop(rules: Any, state: Any, target: int, kind: int) -> str:
    if rules.drops == TOGGLES.drops.none:
        return tr("Captured pieces are not dropped.")
    placed = rules.drops == TOGGLES.drops.placement
    if not hand(state, int(state[b.COLOUR]))[kind]:
        return tr("There is no {piece} in hand.", piece=NAMES[kind])
    if piece_on(state, target):
        return tr("{square} is occupied.", square=square(target))
    if placed and not int(g.first_rank(state, state[b.COLOUR])) >> target & 1:
        return tr("Pieces are placed on the own first rank.")
    if placed and not int(g.placements(state, MOVE(kind))) >> target & 1:
        return tr("A player's bishops stand on squares of unlike colours, in turn.")
    if kind == b.PAWN and target >> 3 in (0, int(state[b.RANKS]) - 1):
        return tr("A pawn is not dropped on the first or the last rank.")
    return ""


def _why_no_castling(rules: Any, state: Any, right: int) -> str:
    colour = right >> 1
    if rules.castling == TOGGLES.castling.never:
        return tr("There is no castling.")
    if state[b.WAIT]:
        return tr(
            "{colour} may castle from move 11 on, and this is move {number}.",
            colour=COLOURS[colour],
            number=11 - (int(state[b.WAIT]) + 1) // 2,
        )
    if not (int(state[b.CASTLING]) >> right) & 1:
        return tr("The king cannot castle there: king or rook has moved, or is not there.")
    king, rook = castling_homes(rules, right)
    goal, beside = (56 * colour + x for x in ((2, 3) if right & 1 else (6, 5)))
    places = king, rook, goal, beside
    for cell in range(min(places), max(places) + 1):
        if piece_on(state, cell) and cell not in (king, rook):
            return tr("The king cannot castle: {square} is occupied.", square=square(cell))
    side: Any = np.int64(colour)
    if g.in_danger(rules, state, side):
        return tr("The king cannot castle out of check.")
    others: Any = np.int64(r.occupied(state) & ~(b.bit(king) | b.bit(rook)))
    for cell in range(min(king, goal), max(king, goal) + 1) if rules.king == TOGGLES.king.checkmate else ():
        on: Any = np.int64(cell)
        if g.attacked_on_the_way(rules, state, on, others):
            return tr("The king cannot castle: {square} is attacked.", square=square(cell))
    return ""


def castling_homes(rules: Any, right: int) -> tuple[Any, Any]:
    """Return the squares from which king and rook castle by a right, 0 to 3."""
    side: Any = np.int64(right >> 1)
    which: Any = np.int64(right)
    return np.int64(g.king_home(rules, side)), np.int64(g.rook_home(rules, which))


def _why_no_promotion(rules: Any, state: Any, kind: int, target: int, promotion: int) -> str:
    last = kind == b.PAWN and target >> 3 in (0, 7)
    kinds = sum(1 << each for each in range(b.KNIGHT, b.highest_promotion(rules) + 1))
    if is_general(state):
        crown = int(g.crown(rules, state, state[b.COLOUR]))
        last, kinds = kind == b.PAWN and bool(crown >> target & 1), int(g.crown_kinds(rules, state))
    if promotion and not last and target >> 3 in (0, 7) and kind == b.PAWN:
        return tr("A pawn that reaches its goal does not become another piece.")
    if promotion and not last:
        return tr("Only a pawn that reaches its last rank becomes another piece.")
    if promotion and not kinds >> promotion & 1:
        return tr("A pawn does not become a {piece} now.", piece=NAMES[promotion])
    if last and not kinds:
        return tr("There is no piece that the pawn could become.")
    if last and promotion and not kernel_moves.chooses(rules, state):
        return tr(
            "The pawn's owner chooses what it becomes: write the move without ={letters}.", letters=LETTERS[promotion]
        )
    if last and not promotion and kernel_moves.chooses(rules, state):
        return tr("Say what the pawn becomes, for instance {square}=Q.", square=square(target))
    return ""


def _why_duty(rules: Any, state: Any, move: int) -> str:
    chess = without_detente(rules, state)
    if rules.capture != TOGGLES.capture.obligatory or move not in chess:
        return ""
    capture = next(other for other in chess if kernel_moves.takes(state, MOVE(other)))
    return tr(
        "{colour} can capture, and has to: {capture} is a capture.",
        colour=COLOURS[state[b.COLOUR]],
        capture=uci(rules, state, capture),
    )


def _why_detente(rules: Any, state: Any, origin: int, target: int, move: int) -> str:
    if not b.last_ply(state):
        return ""
    chess = without_detente(rules, state)
    moved = int(state[b.MOVED])
    passant = -1
    met = piece_on(state, origin)
    if met and met[1] == b.PAWN and not piece_on(state, target) and (target - origin) % 8:
        passant = (target & 7) + 8 * (origin >> 3)
    for cell in (target, passant):
        if cell >= 0 and (moved >> cell) & 1 and (other := piece_on(state, cell)) and other[0] != state[b.COLOUR]:
            return tr(
                "Detente: the {piece} on {square} was moved with the ply before and is safe.",
                piece=NAMES[other[1]],
                square=square(cell),
            )
    if move in chess and (moved >> origin) & 1:
        return tr(
            "Detente: the piece on {square} was moved in this turn, and another piece has a legal move.",
            square=square(origin),
        )
    return ""


def _why_in_check(rules: Any, state: Any, colour: int, kind: int, origin: int) -> str:
    who = COLOURS[colour]
    if kind == b.KING:
        return tr("{who}'s king would stand in check there.", who=who)
    if (_pinned(rules, state, colour) >> origin) & 1:
        return tr(
            "The piece on {square} is pinned: without it {who}'s king would stand in check.",
            square=square(origin),
            who=who,
        )
    if state[b.CHECKERS]:
        return tr("{who} is in check, and this move does not end the check.", who=who)
    return tr("After this move {who}'s king would stand in check.", who=who)


def _pinned(rules: Any, state: Any, colour: int) -> int:
    """Return the pieces that alone stand between the king of the colour to move and an enemy piece."""
    if r.changed(state):
        survey = np.zeros(r.SURVEY, np.int64)
        r.look_around(rules, state, survey)
        return int(survey[r.PINNED])
    occupied: Any = np.int64(state[b.WHITE] | state[b.BLACK])
    side: Any = np.int64(colour)
    king: Any = np.int64(b.king_square(state, side))
    return int(kernel_moves.pinned_pieces(state, side, king, occupied))


def passes(state: Any, target: int) -> bool:
    """Return whether there is a pawn to take en passant on a square, were it not for the Detente rules."""
    behind = target - 8 + 16 * int(state[b.COLOUR])
    safe = b.last_ply(state) and (int(state[b.MOVED]) >> behind) & 1 if 0 <= behind < 64 else 0
    just_moved = safe and target >> 3 in (2, 5) and piece_on(state, behind) == (1 - int(state[b.COLOUR]), b.PAWN)
    return bool(state[b.PASSANT] and target == state[b.PASSANT]) or bool(just_moved)


def unreachable(rules: Any, state: Any, colour: int, kind: int, origin: int, target: int) -> str:
    """Why a piece cannot go to a square by the way it moves, as a sentence; "" if it can."""
    occupied = int(state[b.WHITE]) | int(state[b.BLACK])
    word: Any = np.int64(state[b.WHITE] | state[b.BLACK])
    met = piece_on(state, target)
    who = tr("The {piece} on {square}", piece=NAMES[kind], square=square(origin))
    self_capture = rules.self_capture != TOGGLES.self_capture.none
    if met and met[0] == colour and not (self_capture and met[1] != b.KING):
        return tr(
            "{square} is occupied by {colour}'s {piece}.",
            square=square(target),
            colour=COLOURS[colour],
            piece=NAMES[met[1]],
        )
    if kind == b.PAWN and not rules.pawn_moves.shape[0]:
        forward = 8 - 16 * colour
        if extra_step(colour, kind, origin, target) and abs(origin % 8 - target % 8) <= 1:
            return _why_no_extra_step(rules, colour, origin, target, bool(met))
        if (target - origin) in (forward, 2 * forward):
            passed = int(b.DOUBLE_STEPS[rules.pawn_double_step, colour])
            if target - origin == 2 * forward and not (passed >> (origin + forward)) & 1:
                return DOUBLE_STEP_FROM[rules.pawn_double_step]
            blocked = [cell for cell in (origin + forward, target) if (occupied >> cell) & 1]
            return (
                tr("A pawn cannot pass or take straight ahead: {square} is occupied.", square=square(blocked[0]))
                if blocked
                else ""
            )
        if not (int(b.PAWN_TAKES[colour, origin]) >> target) & 1:
            return tr("{who} cannot go to {square}.", who=who, square=square(target))
        if met or passes(state, target):
            return ""
        return tr(
            "A pawn moves diagonally only to take, and there is nothing to take on {square}.", square=square(target)
        )
    if (rays := _rays(rules, kind, colour)).size:
        return _why_no_ray(state, rays, colour, kind, origin, target)
    start_cell: Any = np.int64(origin)
    reach = int({b.KNIGHT: b.KNIGHT_STEPS, b.KING: b.KING_STEPS}.get(kind, np.zeros(64, np.int64))[origin])
    if kind in (b.BISHOP, b.QUEEN):
        reach |= int(b.bishop_attacks(start_cell, word))
    if kind in (b.ROOK, b.QUEEN):
        reach |= int(b.rook_attacks(start_cell, word))
    if (reach >> target) & 1:
        return ""
    line = int(b.BETWEEN[origin, target]) & occupied
    if line and kind in (b.BISHOP, b.ROOK, b.QUEEN):
        blocker = next(cell for cell in range(64) if (line >> cell) & 1)
        straight = origin & 7 == target & 7 or origin >> 3 == target >> 3
        if kind == b.QUEEN or straight == (kind == b.ROOK):
            return tr("{who} cannot pass the piece on {square}.", who=who, square=square(blocker))
    return tr(
        "{who} cannot go to {square}: a {piece} does not move so.", who=who, square=square(target), piece=NAMES[kind]
    )


def _rays(rules: Any, kind: int, colour: int) -> Any:
    """Return the rays of a colour's kind of piece, a row each (see `kernel_rays`); none if it moves as in chess."""
    pieces = (rules.knight_moves, rules.bishop_moves, rules.rook_moves, rules.queen_moves, rules.king_moves)
    moves = (rules.pawn_moves, *pieces)[kind]
    first, last = (int(n) for n in r.bounds(moves, colour))
    return moves[first:last].reshape(-1, r.WORDS)


def _why_no_ray(state: Any, rays: Any, colour: int, kind: int, origin: int, target: int) -> str:
    """Why a piece that moves by rays cannot go to a square, as a sentence; "" if it can."""
    who, sign = tr("The {piece} on {square}", piece=NAMES[kind], square=square(origin)), 1 - 2 * colour
    reason = tr(
        "{who} cannot go to {square}: a {piece} does not move so.", who=who, square=square(target), piece=NAMES[kind]
    )
    met = piece_on(state, target)
    for right, ahead, moves, takes in rays.tolist():
        way = []
        for leap in range(1, max(moves, takes) + 1):
            x, y = (origin & 7) + sign * leap * right, (origin >> 3) + sign * leap * ahead
            way.append(8 * y + x if 0 <= x < 8 and 0 <= y < 8 else -1)
        if target not in way:
            continue
        leaps = way.index(target) + 1
        blocked = [cell for cell in way[: leaps - 1] if piece_on(state, cell)]
        if blocked:
            reason = tr("{who} cannot pass the piece on {square}.", who=who, square=square(blocked[0]))
        elif leaps <= (takes if met else moves):
            return ""
        elif met:
            reason = tr(
                "{who} cannot capture on {square}: a {piece} goes there only if it is empty.",
                who=who,
                square=square(target),
                piece=NAMES[kind],
            )
        else:
            reason = tr(
                "{who} goes to {square} only to capture, and there is nothing to take.", who=who, square=square(target)
            )
    return reason


def _why_no_extra_step(rules: Any, colour: int, origin: int, target: int, occupied: bool) -> str:
    """Why a pawn cannot step sideways or back to a square, as a sentence; "" if it can."""
    sideways = origin >> 3 == target >> 3
    extra = TOGGLES.pawn_extra.sideways if sideways else TOGGLES.pawn_extra.back
    way = "sideways" if sideways else "back"
    if rules.pawn_extra != extra:
        return tr("A pawn does not step {way}.", way=way)
    if occupied:
        return tr("A pawn does not capture {way}: {square} is occupied.", way=way, square=square(target))
    if target >> 3 == 7 * colour:
        return tr("A pawn never steps back to its own first rank.")
    return ""
