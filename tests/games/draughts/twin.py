"""Draughts written from the rules, sentence by sentence: slow, without tables, without cleverness.

It exists to be compared with the compiled kernel and shares no code with it. A cell is ``(x, y)``: column and row from
the top left corner, both from 0. Black stands at the top and moves down the page, White at the bottom and moves up,
in every game; which of them begins and so is the seat "first" is a custom of each game (`first_colour`).

Moves are written ``origin-destination`` or ``originxdestination:captured,captured``, the captured squares sorted by
their names; what agrees in these is one move. Squares have the names of PDN: numbers (`counted`), or files and ranks
with a1 in the lower left corner (`numbered`).

Sources: "Checkers", a page of 27 Dec 2019 that quotes the Japanese Wikipedia (English rules; kings that glide but
capture as in English; the games in outline); Federazione Italiana Dama, "Brief rules of Italian draughts"; Wikipedia,
"Turkish draughts" and "Philosophy shogi checkers" (the 9×9 game); M. Fierz, "Suicide checkers" (who has no piece or no
move wins); World Draughts Forum, September 2017, "Breakthrough draughts" (who makes the first king wins); A. Millett,
"Portable Draughts Notation" (squares and FEN); Official Rules for Frisian Draughts, 2011; English Wikipedia, "Armenian
draughts" and "Huff (board games)"; C. Freeling, "Killer Draughts".
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

Square = tuple[int, int]
Run = tuple[str, Square, int]
"""A colour, one of its kings, and how many moves in a row this has made without a capture."""
Settings = Mapping[str, str | int | float | bool]

BLACK, WHITE = "B", "W"
MAN, KING, ROYAL = "man", "king", "royal"
FILES = "abcdefghijkl"


@dataclass(frozen=True)
class Piece:
    """A piece on the board."""

    colour: str
    kind: str


Board = dict[Square, Piece]


@dataclass(frozen=True)
class Position:
    """All that the rules ask of a game at one moment. Nothing in it is changed after it is made."""

    board: Board
    to_move: str
    quiet: int = 0
    """Plies since the last capture or move of a man."""
    left: int | None = None
    """Plies that the rule on endings still allows; None where it says nothing of the pieces on the board."""
    huffable: frozenset[Square] = frozenset()
    """The pieces of the side that moved last which could have captured instead, where they stand now."""
    runs: tuple[Run, ...] = ()
    """Of each colour with a man whose last move was a king's without a capture: colour, king, its moves in a row."""


@dataclass(frozen=True)
class Capture:
    """A whole capture of one piece: one of the paths that a move may take."""

    origin: Square
    destination: Square
    captured: tuple[Square, ...]
    """In the order in which they are jumped."""
    by_king: bool
    """Whether the piece was a king when the capture began."""
    kings: tuple[bool, ...]
    """For each captured piece, whether it is a king."""
    crowned: bool
    """Whether a man became a king on the way or at the end."""


# --- Squares and their names ------------------------------------------------------------------------------------------


def files(settings: Settings) -> int:
    """The columns of the board, whose size is a number, or columns and rows such as 10x8."""
    return int(str(settings["size"]).split("x")[0])


def ranks(settings: Settings) -> int:
    """The rows of the board."""
    return int(str(settings["size"]).split("x")[-1])


def on_board(settings: Settings, cell: Square) -> bool:
    """Whether the cell lies on the board."""
    return 0 <= cell[0] < files(settings) and 0 <= cell[1] < ranks(settings)


def squares(settings: Settings) -> tuple[Square, ...]:
    """The squares of the game in the order of reading."""
    return squares_of(files(settings), ranks(settings), str(settings["squares"]))


@cache
def squares_of(columns: int, rows: int, used: str) -> tuple[Square, ...]:
    """The squares of a board, either all or those of one colour, in the order of reading.

    The diagonal game uses the colour that has a square in the lower left corner: on an odd board that is the colour of
    all four corners.
    """
    every_cell = [(x, y) for y in range(rows) for x in range(columns)]
    return tuple((x, y) for x, y in every_cell if used == "all" or (x + y) % 2 == (rows - 1) % 2)


def numbered(settings: Settings) -> bool:
    """Whether squares have numbers and not the names of files and ranks.

    Numbers are for boards of 10 and more, for games whose kings capture what is next to them, for the Spanish one and
    American pool checkers; files and ranks for the other games on 8×8 or less, such as the Russian and Brazilian one,
    for boards of which all squares are used, for odd boards and for those that are not square.
    """
    if settings["squares"] == "all" or files(settings) % 2 or files(settings) != ranks(settings):
        return False
    large, short = files(settings) >= 10, settings["king_capture"] == "adjacent"
    american = settings["endgame_limits"] == "pool"
    return large or short or american or settings["capture_choice"] in ("italian", "spanish")


def counted(settings: Settings) -> list[Square]:
    """The squares by their numbers, from 1 on.

    On the usual board they are counted in the order of reading. Italian and Spanish boards are mirrored, so that the
    lower right corner is played on. Here the board is never mirrored: what is the next square to the right there is the
    next one to the left here. Italian squares are counted in the order of reading of their board, Spanish ones from the
    lower right corner of theirs, to the left and upwards.
    """
    rows = [[cell for cell in squares(settings) if cell[1] == y] for y in range(ranks(settings))]
    if files(settings) <= 8 and settings["capture_choice"] == "italian":
        rows = [row[::-1] for row in rows]
    if files(settings) <= 8 and settings["capture_choice"] == "spanish":
        rows.reverse()
    return [cell for row in rows for cell in row]


def name(settings: Settings, cell: Square) -> str:
    """The square's number, or its file and rank."""
    if numbered(settings):
        return str(counted(settings).index(cell) + 1)
    return f"{FILES[cell[0]]}{ranks(settings) - cell[1]}"


def cell_of(settings: Settings, text: str) -> Square:
    """The cell that a name such as "32" or "a1" stands for.

    Raises:
        ValueError: there is no such square.
    """
    every_square = squares(settings)
    if text.isdecimal() and settings["squares"] == "dark" and files(settings) % 2 == 0:
        # Where squares have files and ranks, older texts number them in the order of reading.
        if 1 <= int(text) <= len(every_square):
            return (counted(settings) if numbered(settings) else list(every_square))[int(text) - 1]
    elif text and text[0] in FILES and text[1:].isdecimal():
        cell = FILES.index(text[0]), ranks(settings) - int(text[1:])
        if cell in every_square:
            return cell
    raise ValueError(f"there is no square {text}")


def quiet_text(settings: Settings, origin: Square, destination: Square) -> str:
    """A quiet move as text."""
    return f"{name(settings, origin)}-{name(settings, destination)}"


def capture_text(settings: Settings, origin: Square, destination: Square, captured: Sequence[Square]) -> str:
    """A capture as text, whatever way it takes."""
    names = [name(settings, cell) for cell in captured]
    names.sort(key=int if numbered(settings) else str)
    return f"{name(settings, origin)}x{name(settings, destination)}:{','.join(names)}"


# --- Directions -------------------------------------------------------------------------------------------------------


def other(colour: str) -> str:
    """The opponent's colour."""
    return BLACK if colour == WHITE else WHITE


def forward(colour: str) -> int:
    """The step in y that takes a colour's men towards the opponent."""
    return -1 if colour == WHITE else 1


def last_row(settings: Settings, colour: str) -> int:
    """The row on which a colour's men are crowned."""
    return 0 if colour == WHITE else ranks(settings) - 1


def lines(settings: Settings, which: str) -> list[Square]:
    """Directions: the own ones of the squares (diagonals on one colour, else rows and columns), the other ones, or all.

    On squares of one colour the next square of a row or column is two cells away.
    """
    diagonal = [(-1, -1), (1, -1), (-1, 1), (1, 1)]
    straight = [(0, -1), (-1, 0), (1, 0), (0, 1)]
    if settings["squares"] == "dark":
        own, others = diagonal, [(2 * x, 2 * y) for x, y in straight]
    else:
        own, others = straight, diagonal
    return {"own": own, "other": others, "all": own + others}[which]


def allowed_to_men(settings: Settings, piece: Piece, directions: list[Square]) -> list[Square]:
    """Those of some directions that are open to a man that goes forward, or sideways or backwards, too."""
    ahead = forward(piece.colour)
    if settings["men_step"] == "all-directions":
        return directions
    sideways = settings["men_step"] == "forward-and-sideways"
    return [(x, y) for x, y in directions if y * ahead > 0 or (sideways and y == 0)]


def step_directions(settings: Settings, piece: Piece) -> list[Square]:
    """The directions in which the piece moves without capturing."""
    directions = lines(settings, str(settings["step_lines"]))
    return directions if piece.kind != MAN else allowed_to_men(settings, piece, directions)


def capture_directions(settings: Settings, piece: Piece) -> list[Square]:
    """The directions in which the piece captures; men that do not capture in all do so in those in which they go."""
    directions = lines(settings, str(settings["capture_lines"]))
    if piece.kind != MAN or settings["men_capture"] == "all-directions":
        return directions
    return allowed_to_men(settings, piece, directions)


# --- Moves without a capture ------------------------------------------------------------------------------------------


def quiet_moves(settings: Settings, position: Position) -> list[tuple[Square, Square]]:
    """Origin and destination of every move that captures nothing."""
    moves = []
    for origin, piece in position.board.items():
        if piece.colour != position.to_move or (piece.colour, origin, settings["king_run"]) in position.runs:
            continue
        for dx, dy in step_directions(settings, piece):
            x, y = origin[0] + dx, origin[1] + dy
            while on_board(settings, (x, y)) and (x, y) not in position.board:
                moves.append((origin, (x, y)))
                if piece.kind == MAN or settings["king_move"] == "one-step":
                    break
                x, y = x + dx, y + dy
    return moves


# --- Captures ---------------------------------------------------------------------------------------------------------


def is_king(piece: Piece) -> bool:
    """Whether the piece counts as a king when captures are told apart; the royal piece moves and jumps like one."""
    return piece.kind != MAN


def may_take(settings: Settings, piece: Piece, victim: Piece) -> bool:
    """Whether the piece may capture the other one at all."""
    if victim.colour == piece.colour:
        return False
    return settings["men_may_take_kings"] is True or piece.kind != MAN or not is_king(victim)


def jump(
    settings: Settings, board: Board, jumped: tuple[Square, ...], piece: Piece, cell: Square, direction: Square
) -> tuple[Square, list[Square]] | None:
    """Whom the piece captures from a cell in a direction, and where it may land; None if it captures nobody.

    ``board`` is without the moving piece, and without captured pieces where these are removed at once.
    """
    dx, dy = direction
    from_afar = piece.kind != MAN and settings["king_capture"] != "adjacent"
    x, y = cell[0] + dx, cell[1] + dy
    while from_afar and on_board(settings, (x, y)) and (x, y) not in board:
        x, y = x + dx, y + dy
    victim = (x, y)
    if victim not in board or victim in jumped or not may_take(settings, piece, board[victim]):
        return None
    landings = []
    x, y = x + dx, y + dy
    while on_board(settings, (x, y)) and (x, y) not in board:
        landings.append((x, y))
        if piece.kind == MAN or settings["king_capture"] in ("adjacent", "land-behind"):
            break
        x, y = x + dx, y + dy
    return (victim, landings) if landings else None


@dataclass(frozen=True)
class Leg:
    """The rest of a capture: where it ends, what it takes on the way, and whether the piece is crowned in it."""

    destination: Square
    captured: tuple[Square, ...]
    crowned: bool


def legs(
    settings: Settings, board: Board, jumped: tuple[Square, ...], piece: Piece, cell: Square, came: Square | None
) -> list[Leg]:
    """Every way to capture on from a cell to the end; empty if nothing can be captured from there.

    ``came`` is the direction of the jump before; None at the beginning of a capture.
    """
    ways_on: list[Leg] = []
    for direction in capture_directions(settings, piece):
        if settings["reverse_turn"] == "forbidden" and came == (-direction[0], -direction[1]):
            continue
        target = jump(settings, board, jumped, piece, cell, direction)
        if target is None:
            continue
        victim, landings = target
        after = dict(board)
        if settings["removal"] == "at-once":
            del after[victim]
        goes_on: list[Leg] = []
        ends: list[Leg] = []
        for landing in landings:
            at_last_row = piece.kind == MAN and landing[1] == last_row(settings, piece.colour)
            crossing = settings["crowning_in_capture"]
            landed, crowned_here = piece, False
            if at_last_row and crossing == "becomes-king-and-goes-on":
                landed, crowned_here = Piece(piece.colour, KING), True
            rest: list[Leg] = []
            if not (at_last_row and crossing == "ends-move"):
                rest = legs(settings, after, (*jumped, victim), landed, landing, direction)
            for leg in rest:
                goes_on.append(Leg(leg.destination, (victim, *leg.captured), crowned_here or leg.crowned))
            if not rest:
                ends.append(Leg(landing, (victim,), at_last_row))
        # A capture is carried to its end: a king lands where it can capture on, if it can anywhere behind its victim.
        if settings["king_capture"] == "flying-but-behind-a-king" and board[victim].kind != MAN:
            ends = ends[:1]
        ways_on += goes_on or ends
    return ways_on


def captures(settings: Settings, position: Position) -> list[Capture]:
    """Every path of every capture, before any rule chooses among them."""
    paths = []
    for origin, piece in position.board.items():
        if piece.colour != position.to_move:
            continue
        board = {cell: standing for cell, standing in position.board.items() if cell != origin}
        for leg in legs(settings, board, (), piece, origin, None):
            kings = tuple(is_king(position.board[cell]) for cell in leg.captured)
            paths.append(Capture(origin, leg.destination, leg.captured, is_king(piece), kings, leg.crowned))
    return paths


def chosen(settings: Settings, choices: list[Capture]) -> list[Capture]:
    """The captures among which the side to move may choose."""
    choice = settings["capture_choice"]
    if choice == "king-first" and any(capture.by_king for capture in choices):
        choices = [capture for capture in choices if capture.by_king]
    if choice == "frisian":
        # Two men are more than a king, three less than two kings: a king is one man and a half, and a little more.
        worth = {capture: sum(151 if king else 100 for king in capture.kings) for capture in choices}
        choices = [capture for capture in choices if worth[capture] == max(worth.values())]
        if any(capture.by_king for capture in choices):
            choices = [capture for capture in choices if capture.by_king]
    if choice in ("most-pieces", "spanish", "italian"):
        most = max((len(capture.captured) for capture in choices), default=0)
        choices = [capture for capture in choices if len(capture.captured) == most]
    if choice == "italian" and any(capture.by_king for capture in choices):
        choices = [capture for capture in choices if capture.by_king]
    if choice in ("spanish", "italian"):
        most_kings = max((sum(capture.kings) for capture in choices), default=0)
        choices = [capture for capture in choices if sum(capture.kings) == most_kings]
    if choice == "italian":
        kings_soonest = max((capture.kings for capture in choices), default=())
        choices = [capture for capture in choices if capture.kings == kings_soonest]
    return choices


# --- The game ---------------------------------------------------------------------------------------------------------


def first_colour(settings: Settings) -> str:
    """The colour that begins the game: the seat "first".

    White, but for English draughts and what is next to it: numbered squares, 8×8 or less, kings that capture what is
    next to them, any capture at choice; and for American pool checkers, which its rule on endings tells. It is a matter
    of names and of the side of the board alone.
    """
    english = numbered(settings) and files(settings) <= 8 and settings["capture_choice"] not in ("italian", "spanish")
    free = settings["king_capture"] == "adjacent" and settings["capture_choice"] == "any"
    if english and (free or settings["endgame_limits"] == "pool"):
        return BLACK
    return WHITE


def allowed(settings: Settings, board: Board) -> int | None:
    """The plies that the rule on endings allows from a position on that has just come about.

    FMJD, international draughts: three pieces with a king among them against one king, 16 moves of each player; two or
    one, 5 moves. FMJD and IDF, draughts 64, if both players have kings: two or three pieces on the board, 5 moves of
    each player; four or five, 30; six or seven, 60; three kings or more against one king, 15. Frisian draughts: two
    kings against one, 7 moves of each player; one against one, 2. APCA, pool checkers: three kings against one, 13.
    """
    men_and_kings = {
        colour: [piece.kind != MAN for piece in board.values() if piece.colour == colour] for colour in (BLACK, WHITE)
    }
    small, large = sorted(men_and_kings.values(), key=len)
    if not (any(small) and any(large)):
        return None
    moves = None
    if settings["endgame_limits"] == "international" and len(small) == 1:
        moves = {1: 5, 2: 5, 3: 16}.get(len(large))
    if settings["endgame_limits"] == "russian":
        moves = {2: 5, 3: 5, 4: 30, 5: 30, 6: 60, 7: 60}.get(len(small) + len(large))
        if len(small) == 1 and len(large) >= 3 and all(large):
            moves = 15
    if settings["endgame_limits"] == "frisian" and all(small) and all(large):
        moves = {(1, 1): 2, (1, 2): 7}.get((len(small), len(large)))
    if settings["endgame_limits"] == "pool" and all(large) and (len(small), len(large)) == (1, 3):
        moves = 13
    return None if moves is None else 2 * moves


def one_king_each(settings: Settings, position: Position) -> bool:
    """Whether each side has a king alone, of which the one to move cannot take the other."""
    kinds = sorted((piece.colour, piece.kind) for piece in position.board.values())
    return kinds == [(BLACK, KING), (WHITE, KING)] and not captures(settings, position)


def start(settings: Settings) -> Position:
    """The initial position: rows of men, or the one that the rules draw as a FEN."""
    if settings["start_position"] != "rows":
        return from_setup(settings, {"fen": str(settings["start_position"])})
    size, empty = ranks(settings), int(settings["empty_back_rows"])
    board: Board = {}
    for x, y in squares(settings):
        if empty <= y < empty + int(settings["rows"]):
            board[(x, y)] = Piece(BLACK, MAN)
        if empty <= size - 1 - y < empty + int(settings["rows"]):
            board[(x, y)] = Piece(WHITE, MAN)
    if settings["royal"] == "back-centre":
        board[(size // 2, empty)] = Piece(BLACK, ROYAL)
        board[(size // 2, size - 1 - empty)] = Piece(WHITE, ROYAL)
    return Position(board, first_colour(settings), left=allowed(settings, board))


def from_setup(settings: Settings, setup: Mapping[str, str]) -> Position:
    """The position that ``setup["fen"]`` describes, such as ``W:WK31-K33,28:B1,2``, with no quiet plies behind it.

    The first letter is the colour to move. K before a square is a king, R a royal piece; ``1-12`` and ``12-1`` are all
    squares from one to the other in the order of their numbers, or by rank and file from a1 on.

    Raises:
        ValueError: the text is no such position.
    """
    to_move, *sides = setup["fen"].removesuffix(".").split(":")
    if to_move not in (BLACK, WHITE) or sorted(side[:1] for side in sides) != [BLACK, WHITE]:
        raise ValueError(f"not a position: {setup['fen']}")
    board: Board = {}
    for side in sides:
        colour = side[0]
        for entry in filter(None, side[1:].split(",")):
            kind = {"K": KING, "R": ROYAL}.get(entry[0], MAN)
            ends = [cell_of(settings, part.lstrip("KR")) for part in entry.split("-")]
            order = counted(settings)
            if not entry.lstrip("KR")[0].isdecimal():
                order.sort(key=lambda cell: (-cell[1], cell[0]))
            low, high = sorted(order.index(end) for end in (ends[0], ends[-1]))
            for cell in order[low : high + 1]:
                if cell in board:
                    raise ValueError(f"two pieces on {name(settings, cell)}")
                board[cell] = Piece(colour, kind)
    return Position(board, to_move, left=allowed(settings, board))


def fen(settings: Settings, position: Position) -> str:
    """The position as `from_setup` reads it: White first, squares by their numbers, or by rank and file from a1 on."""
    letters = {MAN: "", KING: "K", ROYAL: "R"}
    sides = []
    for colour in (WHITE, BLACK):
        cells = [cell for cell in counted(settings) if cell in position.board and position.board[cell].colour == colour]
        if not numbered(settings):
            cells.sort(key=lambda cell: (-cell[1], cell[0]))
        sides.append(colour + ",".join(letters[position.board[cell].kind] + name(settings, cell) for cell in cells))
    return ":".join([position.to_move, *sides])


def legal_moves(settings: Settings, position: Position) -> set[str]:
    """The legal moves of the side to move."""
    capturing = {
        capture_text(settings, capture.origin, capture.destination, capture.captured)
        for capture in chosen(settings, captures(settings, position))
    }
    if capturing and settings["capture"] == "obligatory":
        return capturing
    huffs = {f"huff{name(settings, cell)}" for cell in position.huffable}
    return capturing | {quiet_text(settings, *move) for move in quiet_moves(settings, position)} | huffs


def still_running(board: Board, runs: Iterable[Run]) -> tuple[Run, ...]:
    """Those of some kings' moves in a row that count on: the king is there, and its side has a man."""
    men = {piece.colour for piece in board.values() if piece.kind == MAN}
    kings = {(piece.colour, cell) for cell, piece in board.items() if piece.kind != MAN}
    return tuple(sorted(run for run in runs if run[0] in men and run[:2] in kings))


def play(settings: Settings, position: Position, move_text: str) -> Position:
    """The position after a legal move; the given one stays as it was."""
    if move_text.startswith("huff"):
        # The opponent's piece goes, and who huffed it moves, unless it was the last one.
        board = dict(position.board)
        del board[cell_of(settings, move_text.removeprefix("huff"))]
        left = None if position.left is None else position.left - 1
        if settings["endgame_limits"] == "international" and None not in (left, allowed(settings, board)):
            left = min(left or 0, allowed(settings, board) or 0)
        else:
            left = allowed(settings, board)
        over = all(piece.colour == position.to_move for piece in board.values())
        to_move = other(position.to_move) if over else position.to_move
        return Position(board, to_move, 0, left, runs=still_running(board, position.runs))
    way, _, taken = move_text.partition(":")
    origin, destination = (cell_of(settings, part) for part in way.replace("x", "-").split("-"))
    captured = [cell_of(settings, part) for part in taken.split(",")] if taken else []
    piece = position.board[origin]
    board = {cell: standing for cell, standing in position.board.items() if cell != origin and cell not in captured}
    if piece.kind == MAN and (
        destination[1] == last_row(settings, piece.colour) or crowned_on_the_way(settings, position, move_text)
    ):
        piece_after = Piece(piece.colour, KING)
    else:
        piece_after = piece
    board[destination] = piece_after
    quiet = 0 if captured or piece.kind == MAN else position.quiet + 1
    left = None if position.left is None else position.left - 1
    if captured or piece_after != piece:
        before, left = left, allowed(settings, board)
        if settings["endgame_limits"] == "international" and None not in (before, left):
            # A piece taken during these moves does not make them more.
            left = min(before or 0, left or 0)
    huffable: set[Square] = set()
    if settings["capture"] == "huffing" and not captured:
        could = {capture.origin for capture in captures(settings, position)}
        huffable = {destination if cell == origin else cell for cell in could}
    runs = [run for run in position.runs if run[0] != piece.colour]
    limit = int(settings["king_run"])
    if limit and piece.kind != MAN and not captured:
        moved = sum(count for colour, cell, count in position.runs if (colour, cell) == (piece.colour, origin))
        runs.append((piece.colour, destination, min(moved + 1, limit)))
    return Position(board, other(position.to_move), quiet, left, frozenset(huffable), still_running(board, runs))


def crowned_on_the_way(settings: Settings, position: Position, move_text: str) -> bool:
    """Whether the move is a capture of which some path crowns the man."""
    if "x" not in move_text or settings["crowning_in_capture"] != "becomes-king-and-goes-on":
        return False
    return any(
        capture.crowned
        for capture in chosen(settings, captures(settings, position))
        if capture_text(settings, capture.origin, capture.destination, capture.captured) == move_text
    )


def seat(settings: Settings, position: Position) -> int:
    """The seat to move: 0 for the side that begins the game."""
    return 0 if position.to_move == first_colour(settings) else 1


def repetition_key(settings: Settings, position: Position) -> Hashable:
    """What two positions must share to count as the same."""
    return frozenset(position.board.items()), position.to_move, position.huffable, position.runs


def outcome(settings: Settings, position: Position, history: Sequence[Hashable]) -> tuple[str, str | None]:
    """The result ("ongoing", "first", "second", "draw") and how it came about, from the keys of all earlier positions.

    Where the goal is to lose all, who has no piece or no move wins; who captures the royal piece wins always. Where it
    is the first king, who has a king after a move has won; who has no piece or no move loses as usual.
    """
    own, enemy = position.to_move, other(position.to_move)
    winner = {first_colour(settings): "first", other(first_colour(settings)): "second"}
    if settings["royal"] == "back-centre":
        for colour in (own, enemy):
            if Piece(colour, ROYAL) not in position.board.values():
                return winner[other(colour)], "royal-captured"
    if settings["goal"] == "first-king":
        # A game ends with the first king; where a position is set up with kings of both, that of the last move counts.
        for colour in (enemy, own):
            if Piece(colour, KING) in position.board.values():
                return winner[colour], "first-king"
    if settings["goal"] == "two-kings":
        for colour in (enemy, own):
            if list(position.board.values()).count(Piece(colour, KING)) >= 2:
                return winner[colour], "two-kings"
    losing = settings["goal"] == "lose-all"
    for colour in (own, enemy):
        if not any(piece.colour == colour for piece in position.board.values()):
            return (winner[colour], "lose-all") if losing else (winner[other(colour)], "no-pieces")
    if not legal_moves(settings, position):
        if settings["stuck"] == "draw":
            return "draw", "stuck"
        return winner[own if losing else enemy], "stuck"
    if position.left == 0 or (settings["endgame_limits"] == "turkish" and one_king_each(settings, position)):
        return "draw", "endgame-limit"
    limit = int(settings["quiet_limit"])
    if limit and position.quiet >= limit:
        return "draw", "quiet-limit"
    times = int(settings["repetition"])
    if times and 1 + list(history).count(repetition_key(settings, position)) >= times:
        return "draw", "repetition"
    return "ongoing", None
