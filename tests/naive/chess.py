"""The 007 family of chess, and proposed changes of chess, on top of python-chess: slow, and obvious.

It exists to be compared with the compiled kernel and shares no code with it. The legal moves of orthodox chess are
those of python-chess; who chooses, what Detente forbids, taking kings, promotion by the owner, the draws and the
proposals (castling, pawns, captures of own pieces, antichess) are written out here, from the rule text.

Pieces that move by Betza's notation are asked square by square (`tests.naive.betza`), and so is then every attack.
Rules under which this is not enough have a twin of their own, `tests.naive.chess_general`.

Colours are python-chess's, True for White; a seat is 0 for White's player ("first") and 1 for Black's ("second").

Source: Edward Jackman, 007 Chess, 1995 (Japanese translation: Katsutoshi Seki). Nenad Tomašev, Ulrich Paquet, Demis
Hassabis, Vladimir Kramnik, Assessing Game Balance with AlphaZero, 2020. Mark Watkins, Losing Chess, 2016.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import chess

from tests.naive import betza, chess_endings, chess_general

Settings = Mapping[str, str | int | float | bool]

PIECE_OF_LETTER = {"q": chess.QUEEN, "r": chess.ROOK, "b": chess.BISHOP, "n": chess.KNIGHT, "k": chess.KING}
MOVES = {
    chess.KNIGHT: ("knight_moves", "N"),
    chess.BISHOP: ("bishop_moves", "B"),
    chess.ROOK: ("rook_moves", "R"),
    chess.QUEEN: ("queen_moves", "Q"),
    chess.KING: ("king_moves", "K"),
}
"""The toggles that say how pieces move, and how they do in chess."""
NO_CASTLING_BEFORE_MOVE = 11
LONGEST_RUN = 100
NEVER = (
    chess.STATUS_NO_WHITE_KING
    | chess.STATUS_NO_BLACK_KING
    | chess.STATUS_TOO_MANY_KINGS
    | chess.STATUS_PAWNS_ON_BACKRANK
    | chess.STATUS_BAD_CASTLING_RIGHTS
    | chess.STATUS_INVALID_EP_SQUARE
)
"""What no position may be, whatever the rules."""


@dataclass(frozen=True)
class Slot:
    """A ply in the schedule of turns."""

    chooser: chess.Color
    """The player who chooses the ply; whose piece moves is another matter."""
    run: int
    """How many plies this player chooses in a row."""
    place: int
    """Which of them this ply is, from 1."""


@dataclass(frozen=True)
class Position:
    """All that the rules ask of a game at one moment. Nothing in it is changed after it is made."""

    board: chess.Board
    slot: Slot
    moved_first: frozenset[chess.Square] = frozenset()
    """Where the pieces now stand that ply 1 of a Detente triple has moved."""
    moved_second: frozenset[chess.Square] = frozenset()
    """The same for ply 2."""
    given: tuple[int, int] = (0, 0)
    """Plies of Black and of White that gave check (by python-chess's colours, so Black is first)."""
    promoting: chess.Move | None = None
    """A pawn's move to the last rank whose piece the owner has yet to choose; the board is the one before the move."""


# --- Whose turn it is -------------------------------------------------------------------------------------------------


def first_slot(settings: Settings) -> Slot:
    """The first ply of a game."""
    return {
        "single": Slot(chess.WHITE, 1, 1),
        "triple": Slot(chess.WHITE, 3, 1),
        "balanced": Slot(chess.BLACK, 1, 1),
        "progressive": Slot(chess.WHITE, 1, 1),
    }[str(settings["turns"])]


def next_slot(settings: Settings, slot: Slot) -> Slot:
    """The ply after a ply: the next of the run, or the first of the other player's run."""
    if slot.place < slot.run:
        return replace(slot, place=slot.place + 1)
    length = {
        "single": 1,
        "triple": 3,
        "balanced": min(slot.run + 1, 3),
        "progressive": slot.run + 1,
    }[str(settings["turns"])]
    return Slot(not slot.chooser, length, 1)


def schedule(settings: Settings) -> Iterator[tuple[chess.Color, Slot]]:
    """The colour that moves and the slot of every ply of a game: White and Black always move alternately."""
    colour, slot = chess.WHITE, first_slot(settings)
    while True:
        yield colour, slot
        colour, slot = not colour, next_slot(settings, slot)


def ply_of_triple(settings: Settings, slot: Slot) -> int:
    """Which ply of own, enemy, own piece this is for Detente, or 0: the run of two is the second and the third."""
    if settings["turns"] == "triple" or (settings["turns"] == "balanced" and slot.run == 3):
        return slot.place
    if settings["turns"] == "balanced" and slot.run == 2:
        return slot.place + 1
    return 0


def seat(settings: Settings, position: Position) -> int:
    """Who decides next: the owner of a pawn that waits for its promotion, else the chooser of the ply."""
    if chess_general.concerns(settings):
        return chess_general.seat(settings, position)  # type: ignore[arg-type]
    if position.promoting is not None:
        return seat_of(position.board.turn)
    return seat_of(position.slot.chooser)


def seat_of(colour: chess.Color) -> int:
    """The seat of a colour's player."""
    return 0 if colour == chess.WHITE else 1


# --- What may be moved ------------------------------------------------------------------------------------------------


def moves_of_chess(settings: Settings, board: chess.Board) -> list[chess.Move]:
    """The moves of the colour to move without a thought of Detente or of a duty to capture."""
    moves = list(board.pseudo_legal_moves) if settings["king"] != "checkmate" else list(board.legal_moves)
    castlings = [move for move in moves if castles(board, move)]
    if settings["king"] == "capture":
        castlings = castlings_across_attacks(board)
    elif settings["king"] == "checkmate" and not pieces_as_in_chess(settings):
        castlings = [
            move
            for move in castlings_across_attacks(board)
            if not any(
                is_attacked(settings, board, not board.turn, square)
                for square in (move.from_square, (move.from_square + move.to_square) // 2, move.to_square)
            )
        ]
    if settings["castling"] == "after-move-10" and board.fullmove_number < NO_CASTLING_BEFORE_MOVE:
        castlings = []
    if pawns_and_captures_as_in_chess(settings):
        return [move for move in moves if not castles(board, move)] + castlings
    steps = [*steps_of_pieces(settings, board), *steps_of_pawns(settings, board)]
    if settings["king"] == "checkmate":
        steps = [move for move in steps if not leaves_king_attacked(settings, board, move)]
    return steps + castlings


def pawns_and_captures_as_in_chess(settings: Settings) -> bool:
    """Whether python-chess knows how everything moves."""
    return (
        settings["pawn_double_step"] == "from-start"
        and settings["pawn_extra"] == "none"
        and settings["self_capture"] == "none"
        and settings["king"] != "ordinary"
        and pieces_as_in_chess(settings)
    )


def pieces_as_in_chess(settings: Settings) -> bool:
    """Whether all pieces but pawns move as in chess."""
    return all(settings[toggle] == usual for toggle, usual in MOVES.values())


def squares_on_the_way(
    settings: Settings, board: chess.Board, square: chess.Square
) -> Iterator[tuple[chess.Square, bool, bool]]:
    """Where the piece on a square can get to at all, and whether it may go there, and whether it may capture there."""
    piece = board.piece_at(square)
    assert piece is not None
    turned = 1 if piece.color == chess.WHITE else -1
    white, _, black = str(settings[MOVES[piece.piece_type][0]]).partition("/")
    for (right, ahead), often, goes, captures in betza.ways(white if piece.color == chess.WHITE else black or white):
        file, rank = chess.square_file(square), chess.square_rank(square)
        for _ in range(often):
            file, rank = file + turned * right, rank + turned * ahead
            if not (0 <= file < 8 and 0 <= rank < 8):
                break
            yield chess.square(file, rank), goes, captures
            if board.piece_at(chess.square(file, rank)) is not None:
                break


def is_attacked(settings: Settings, board: chess.Board, colour: chess.Color, target: chess.Square) -> bool:
    """Whether a piece of a colour attacks a square."""
    if pieces_as_in_chess(settings):
        return board.is_attacked_by(colour, target)
    return any(
        target in board.attacks(square)
        if piece.piece_type == chess.PAWN
        else any(to == target and captures for to, _, captures in squares_on_the_way(settings, board, square))
        for square, piece in board.piece_map().items()
        if piece.color == colour
    )


def may_take(settings: Settings, board: chess.Board, square: chess.Square) -> bool:
    """Whether the colour to move may capture what stands on a square."""
    piece = board.piece_at(square)
    if piece is None:
        return False
    if piece.color != board.turn:
        return True
    return settings["self_capture"] == "any-but-king" and piece.piece_type != chess.KING


def steps_of_pieces(settings: Settings, board: chess.Board) -> Iterator[chess.Move]:
    """What all but the pawns can do, castling and checks aside."""
    for square, piece in board.piece_map().items():
        if piece.color == board.turn and piece.piece_type != chess.PAWN:
            ways = set(squares_on_the_way(settings, board, square))
            free = {to for to, goes, _ in ways if goes and board.piece_at(to) is None}
            taken = {to for to, _, captures in ways if captures and may_take(settings, board, to)}
            yield from (chess.Move(square, target) for target in free | taken)


def steps_of_pawns(settings: Settings, board: chess.Board) -> Iterator[chess.Move]:
    """What the pawns can do, checks aside; a pawn on its last rank becomes something."""
    kinds = [chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT]
    if settings["king"] == "ordinary":
        kinds.append(chess.KING)
    for square in board.pieces(chess.PAWN, board.turn):
        for target in targets_of_pawn(settings, board, square):
            if chess.square_rank(target) in (0, 7):
                yield from (chess.Move(square, target, kind) for kind in kinds)
            else:
                yield chess.Move(square, target)


def targets_of_pawn(settings: Settings, board: chess.Board, square: chess.Square) -> list[chess.Square]:
    """Where a pawn can go."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    ahead = 1 if board.turn == chess.WHITE else -1
    rank_from_home = rank + 1 if board.turn == chess.WHITE else 8 - rank

    def is_empty(to_file: int, to_rank: int) -> bool:
        on_board = 0 <= to_file < 8 and 0 <= to_rank < 8
        return on_board and board.piece_at(chess.square(to_file, to_rank)) is None

    from_ranks = {
        "first-and-second": [1, 2],
        "from-start": [2],
        "second-and-third": [2, 3],
        "anywhere": range(8),
        "never": [],
    }
    targets = []
    if is_empty(file, rank + ahead):
        targets.append((file, rank + ahead))
        if rank_from_home in from_ranks[str(settings["pawn_double_step"])] and is_empty(file, rank + 2 * ahead):
            targets.append((file, rank + 2 * ahead))
    if settings["pawn_extra"] == "back" and rank_from_home > 2 and is_empty(file, rank - ahead):
        targets.append((file, rank - ahead))
    if settings["pawn_extra"] == "sideways":
        targets += [(side, rank) for side in (file - 1, file + 1) if is_empty(side, rank)]
    captures = [
        target for target in board.attacks(square) if may_take(settings, board, target) or target == board.ep_square
    ]
    return [chess.square(*target) for target in targets] + captures


def leaves_king_attacked(settings: Settings, board: chess.Board, move: chess.Move) -> bool:
    """Whether the king of the colour that moves could be captured after a move."""
    after = after_move(settings, board, move)
    king = after.king(board.turn)
    return king is not None and is_attacked(settings, after, not board.turn, king)


def after_move(settings: Settings, board: chess.Board, move: chess.Move) -> chess.Board:
    """The board after a move, with the pawn that may be captured en passant and the plies without progress."""
    after = board.copy(stack=False)
    is_pawn = board.piece_type_at(move.from_square) == chess.PAWN
    takes_own = not castles(board, move) and board.color_at(move.to_square) == board.turn
    if takes_own:
        after.remove_piece_at(move.to_square)
    after.push(move)
    if is_pawn and abs(move.to_square - move.from_square) == 16:
        after.ep_square = (move.from_square + move.to_square) // 2
    if takes_own:
        after.halfmove_clock = 0
    elif is_pawn and settings["pawn_extra"] == "back" and captured_square(board, move) is None:
        after.halfmove_clock = board.halfmove_clock + 1
    return after


def castles(board: chess.Board, move: chess.Move) -> bool:
    """Whether the king goes two squares to the side."""
    files = abs(chess.square_file(move.from_square) - chess.square_file(move.to_square))
    return board.piece_type_at(move.from_square) == chess.KING and files == 2


def castlings_across_attacks(board: chess.Board) -> list[chess.Move]:
    """The castling moves, where attacks on the king and on its way do not matter."""
    rank = "1" if board.turn == chess.WHITE else "8"
    castlings = []
    for allowed, king_goes_to, between in (
        (board.has_kingside_castling_rights(board.turn), "g", "fg"),
        (board.has_queenside_castling_rights(board.turn), "c", "bcd"),
    ):
        if allowed and all(board.piece_at(chess.parse_square(file + rank)) is None for file in between):
            castlings.append(chess.Move.from_uci(f"e{rank}{king_goes_to}{rank}"))
    return castlings


def captured_square(board: chess.Board, move: chess.Move) -> chess.Square | None:
    """Where the piece stands that a move captures."""
    if board.is_en_passant(move):
        return chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    return move.to_square if board.piece_at(move.to_square) is not None else None


def moves_that_may_be_chosen(settings: Settings, position: Position) -> list[chess.Move]:
    """The moves of chess that Detente leaves, or a duty to capture."""
    board = position.board
    moves = moves_of_chess(settings, board)
    if settings["capture"] == "obligatory":
        return [move for move in moves if captured_square(board, move) is not None] or moves
    if ply_of_triple(settings, position.slot) != 3:
        return moves
    if settings["moved_enemy"] == "safe":
        moves = [move for move in moves if captured_square(board, move) not in position.moved_second]
    if settings["same_piece"] == "only-if-forced":
        by_other_pieces = [move for move in moves if move.from_square not in position.moved_first]
        if by_other_pieces:
            return by_other_pieces
    return moves


def owner_promotes(settings: Settings, position: Position) -> bool:
    """Whether a pawn that is promoted now gets its piece from the other player, who owns it."""
    return settings["promotion_by"] == "owner" and position.board.turn != position.slot.chooser


def legal_moves(settings: Settings, position: Position) -> set[str]:
    """The legal moves in UCI; a promotion by the owner is "e7e8" and then one of "=q", "=r", "=b", "=n"."""
    if chess_general.concerns(settings):
        return chess_general.legal_moves(settings, position)  # type: ignore[arg-type]
    if position.promoting is not None:
        return {"=" + letter for letter in PIECE_OF_LETTER if letter != "k" or settings["king"] == "ordinary"}
    texts = set()
    for move in moves_that_may_be_chosen(settings, position):
        text = move.uci()
        texts.add(text[:4] if move.promotion and owner_promotes(settings, position) else text)
    return texts


# --- The game ---------------------------------------------------------------------------------------------------------


def start(settings: Settings) -> Position:
    """The initial position: that of chess, or the one that the rules draw as a FEN without its last three fields."""
    if chess_general.concerns(settings):
        return chess_general.start(settings)  # type: ignore[return-value]
    if settings["start_position"] != "array":
        fen = f"{settings['start_position']} - 0 1"
        return from_setup(settings, {"fen": fen, "run": f"{first_slot(settings).run}/1"})
    board = chess.Board()
    if settings["castling"] == "never":
        board.castling_rights = chess.BB_EMPTY
    return Position(board, first_slot(settings))


def from_setup(settings: Settings, setup: Mapping[str, str]) -> Position:
    """The position of a FEN at a place in the run: "3/2" is ply 2 of a run of three. Nothing has yet moved in the run.

    Raises:
        ValueError: the FEN is none, the position cannot occur, or the turns have no such place for that colour.
    """
    if chess_general.concerns(settings):
        return chess_general.from_setup(settings, setup)  # type: ignore[return-value]
    board = chess.Board(setup["fen"])
    if settings["castling"] == "never":
        board.castling_rights = chess.BB_EMPTY
    wrong = board.status() & (chess.STATUS_PAWNS_ON_BACKRANK if settings["king"] == "ordinary" else NEVER)
    if settings["king"] == "checkmate":
        wrong |= board.status() & chess.STATUS_OPPOSITE_CHECK
    if wrong:
        raise ValueError(f"{setup['fen']}: {wrong!r}")
    idle = board.king(not board.turn)
    if settings["king"] == "checkmate" and idle is not None and is_attacked(settings, board, board.turn, idle):
        raise ValueError(f"{setup['fen']}: a king could be taken")
    run, place = (int(number) for number in setup["run"].split("/"))
    for colour, slot in islice(schedule(settings), LONGEST_RUN**2):
        if (colour, slot.run, slot.place) == (board.turn, run, place):
            white, black = (int(number) for number in setup.get("checks", "0+0").split("+"))
            return Position(board, slot, given=(black, white))
    raise ValueError(f"with turns: {settings['turns']} there is no place {setup['run']} for the colour to move")


def play(settings: Settings, position: Position, move_text: str) -> Position:
    """The position after a legal move; the given one stays as it was."""
    if chess_general.concerns(settings):
        return chess_general.play(settings, position, move_text)  # type: ignore[return-value, arg-type]
    if move_text.startswith("="):
        assert position.promoting is not None
        waiting = position.promoting
        promoted = chess.Move(waiting.from_square, waiting.to_square, PIECE_OF_LETTER[move_text[1]])
        return completed(settings, position, promoted)
    move = chess.Move.from_uci(move_text)
    is_pawn = position.board.piece_type_at(move.from_square) == chess.PAWN
    last = position.board.piece_type_at(move.to_square) == chess.KING
    if settings["king"] == "ordinary":
        others = position.board.occupied_co[not position.board.turn]
        last = others == chess.BB_SQUARES[move.to_square]
    if is_pawn and chess.square_rank(move.to_square) in (0, 7) and move.promotion is None and not last:
        return replace(position, promoting=move)
    # A pawn that takes the king, or the last piece, ends the game, and nobody is asked what it becomes.
    return completed(settings, position, move)


def completed(settings: Settings, position: Position, move: chess.Move) -> Position:
    """The position after a ply with nothing left to decide."""
    before = position.board
    board = after_move(settings, before, move)
    moved = {move.to_square}
    if castles(before, move) and settings["castling_moves"] == "king-and-rook":
        rank = chess.square_rank(move.to_square)
        kingside = chess.square_file(move.to_square) == chess.square_file(chess.G1)
        moved.add(chess.square(chess.square_file(chess.F1 if kingside else chess.D1), rank))
    moved_first: frozenset[chess.Square] = frozenset()
    moved_second: frozenset[chess.Square] = frozenset()
    if ply_of_triple(settings, position.slot) == 1:
        moved_first = frozenset(moved)
    if ply_of_triple(settings, position.slot) == 2:
        captured = captured_square(before, move)
        moved_first = frozenset(square for square in position.moved_first if square != captured)
        moved_second = frozenset(moved)
    given = list(position.given)
    king = board.king(board.turn)
    if settings["king"] == "checkmate" and king is not None and is_attacked(settings, board, before.turn, king):
        given[before.turn] += 1
    return Position(board, next_slot(settings, position.slot), moved_first, moved_second, (given[0], given[1]))


def repetition_key(settings: Settings, position: Position) -> Hashable:
    """What two positions must share to count as the same."""
    if chess_general.concerns(settings):
        return chess_general.repetition_key(settings, position)  # type: ignore[arg-type]
    board = position.board
    en_passant = board.ep_square is not None and any(
        board.is_en_passant(move) for move in moves_of_chess(settings, board)
    )
    return (
        board.board_fen(),
        board.turn,
        board.clean_castling_rights(),
        board.ep_square if en_passant else None,
        moves_before_castling(settings, board),
        (position.slot.run, position.slot.place),
        position.moved_first if settings["same_piece"] == "only-if-forced" else None,
        position.moved_second if settings["moved_enemy"] == "safe" else None,
        position.promoting,
        position.given if settings["checks_to_win"] else None,
    )


def moves_before_castling(settings: Settings, board: chess.Board) -> int:
    """How many moves have still to be made before a king may castle that has the right to."""
    if settings["castling"] != "after-move-10" or not board.clean_castling_rights():
        return 0
    return max(0, NO_CASTLING_BEFORE_MOVE - board.fullmove_number)


def too_little_to_mate(board: chess.Board) -> bool:
    """Whether no series of legal moves can mate: bare kings but for one knight, or for bishops of one square colour."""
    others = [(square, piece) for square, piece in board.piece_map().items() if piece.piece_type != chess.KING]
    if all(piece.piece_type == chess.BISHOP for _, piece in others):
        return len({(chess.square_file(square) + chess.square_rank(square)) % 2 for square, _ in others}) <= 1
    return len(others) == 1 and others[0][1].piece_type == chess.KNIGHT


def outcome(settings: Settings, position: Position, history: Sequence[Hashable]) -> tuple[str, str | None]:
    """The result ("ongoing", "first", "second", "draw") and how it came about, from the keys of all earlier positions.

    Players are named by the colour they own: who chose the last move does not matter.
    """
    if chess_general.concerns(settings):
        return chess_general.outcome(settings, position, history)  # type: ignore[arg-type]
    board = position.board
    if position.promoting is not None:
        return "ongoing", None
    wins = {chess.WHITE: "first", chess.BLACK: "second"}
    for colour in chess.COLORS:
        if settings["goal"] == "lose-all" and not board.occupied_co[colour]:
            return wins[colour], "lose-all"
        if settings["king"] == "capture" and board.king(colour) is None:
            return wins[not colour], "king-captured"
    is_stuck = not moves_that_may_be_chosen(settings, position)
    by_proposal = chess_endings.ending(
        settings, board, dict(enumerate(position.given)), is_stuck, board.turn == chess.WHITE
    )
    if by_proposal:
        return by_proposal
    if is_stuck:
        king = board.king(board.turn)
        if settings["king"] == "checkmate" and king is not None and is_attacked(settings, board, not board.turn, king):
            return wins[not board.turn], "mate"
        return chess_endings.stalemate(settings, board.turn), "stalemate"
    if settings["insufficient_material"] == "draw" and too_little_to_mate(board):
        return "draw", "insufficient-material"
    if settings["move_limit"] != 0 and board.halfmove_clock >= int(settings["move_limit"]):
        return "draw", "move-limit"
    if settings["repetition"] != 0:
        occurrence = 1 + list(history).count(repetition_key(settings, position))
        if occurrence >= int(settings["repetition"]):
            return "draw", "repetition"
    return "ongoing", None


def positions(settings: Settings, moves: Sequence[str], begin: Position | None = None) -> Iterator[Position]:
    """Every position of a game, the first included.

    Raises:
        ValueError: a move is not legal where it is played.
    """
    position = start(settings) if begin is None else begin
    yield position
    for ply, move_text in enumerate(moves, start=1):
        if move_text not in legal_moves(settings, position):
            raise ValueError(f"move {ply}, {move_text}, is not legal")
        position = play(settings, position, move_text)
        yield position
