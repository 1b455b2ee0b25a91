"""Chess with all its proposals and the 007 family, on a dictionary of squares: slow, and written from the rule text.

It exists to be compared with the compiled kernel and shares no code with it.

A square is a pair of file and rank from 0, a piece its letter in FEN, a colour 0 for White and 1 for Black. A seat is
that of a colour's player, whoever chooses a ply.

Source: Edward Jackman, 007 Chess, 1995 (Japanese translation: Katsutoshi Seki). Nenad Tomašev, Ulrich Paquet, Demis
Hassabis, Vladimir Kramnik, Assessing Game Balance with AlphaZero, 2020. Mark Watkins, Losing Chess, 2016.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from tests.games.chess import twin_betza as betza

Settings = Mapping[str, str | int | float | bool]
Square = tuple[int, int]
Pieces = Mapping[Square, str]

FILES = "abcdefgh"
ARRAY = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq"
MOVES = {"P": "pawn_moves", "N": "knight_moves", "B": "bishop_moves", "R": "rook_moves", "Q": "queen_moves",
         "K": "king_moves"}  # fmt: skip
OWN_TURNS = ("double", "double-balanced", "progressive-own")
AROUND = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
LONGEST_RUN = 100


@dataclass(frozen=True)
class Move:
    """A ply: of a piece, or a drop (then without origin)."""

    piece: str
    target: Square
    origin: Square | None = None
    promotion: str = ""
    captured: Square | None = None
    passed: Square | None = None
    """The square that a pawn has passed by a double step."""
    rook: Square | None = None
    """The rook that the king castles with."""


@dataclass(frozen=True)
class Position:
    """All that the rules ask of a game at one moment."""

    pieces: Pieces
    turn: int
    castling: frozenset[str]
    run: int
    place: int
    """Which ply of a run of so many is next, from 1."""
    passed: Square | None = None
    """The square on which a pawn may be captured en passant."""
    passing: Square | None = None
    """Where that pawn stands."""
    clock: int = 0
    ply: int = 0
    hands: tuple[str, str] = ("", "")
    promoted: frozenset[Square] = frozenset()
    given: tuple[int, int] = (0, 0)
    """The checks that White and Black have given."""
    homes: Mapping[str, tuple[Square, Square]] | None = None
    """For each right to castle where king and rook stand."""
    size: tuple[int, int] = (8, 8)
    drops: bool = False
    chooser: int = 0
    """The player who chooses the next ply; whose piece moves is another matter."""
    moved_first: frozenset[Square] = frozenset()
    """Where the pieces now stand that ply 1 of a Detente triple has moved."""
    moved_second: frozenset[Square] = frozenset()
    """The same for ply 2."""
    promoting: Move | None = None
    """A pawn's move to the last rank whose piece the owner has yet to choose; the pieces stand as before it."""
    known: dict[str, Move] = field(init=False, default_factory=dict, compare=False)
    """The legal moves, once they have been asked for."""

    def fen(self) -> str:
        """The FEN; its square to take on en passant and its move number do not matter."""
        rows = []
        for y in range(self.size[1] - 1, -1, -1):
            row = ""
            for x in range(self.size[0]):
                row += self.pieces.get((x, y), "1") + ("~" if (x, y) in self.promoted else "")
            for n in range(8, 0, -1):
                row = row.replace("1" * n, str(n))
            rows.append(row)
        hand = ""
        if self.drops:
            sides = [sorted(hand, key="KQRBNPkqrbnp".index) for hand in self.hands]
            hand = f"[{''.join(sides[0] + sides[1])}]"
        rights = "".join(right for right in "KQkq" if right in self.castling)
        return f"{'/'.join(rows)}{hand} {'wb'[self.turn]} {rights or '-'} - {self.clock} 1"


def goals(settings: Settings) -> Iterator[tuple[str, set[str]]]:
    """Each piece that has a goal, with the names of its squares."""
    for clause in "" if settings["flag"] == "none" else str(settings["flag"]).split(";"):
        letters, *places = clause.split()
        every = [file + rank for file in FILES for rank in "12345678"]
        there = {
            square
            for square in every
            for place in places
            if all(want in ("*", sign) for want, sign in zip(place, square, strict=True))
        }
        yield from ((letter, there) for letter in letters)


def pawn_goals(settings: Settings, turn: int) -> set[str]:
    """The squares on which pawns of a colour win."""
    return {square for letter, squares in goals(settings) if letter == "Pp"[turn] for square in squares}


def name(square: Square) -> str:
    """A square as UCI names it."""
    return FILES[square[0]] + str(square[1] + 1)


def colour_of(letter: str) -> int:
    """0 for a white piece, 1 for a black one."""
    return int(letter.islower())


# --- Whose turn it is -------------------------------------------------------------------------------------------------


def schedule(settings: Settings) -> Iterator[tuple[int, int, int, int]]:
    """The colour that moves and the player who chooses every ply of a game, with the run of plies and its place there.

    Where players move enemy pieces, White and Black move alternately all the same.
    """
    turns = str(settings["turns"])
    chooser, run = int(turns == "balanced"), {"triple": 3, "double": 2}.get(turns, 1)
    colour = 0
    while True:
        for place in range(1, run + 1):
            yield (chooser if turns in OWN_TURNS else colour), chooser, run, place
            colour = 1 - colour
        chooser = 1 - chooser
        run = {"single": 1, "triple": 3, "balanced": min(run + 1, 3), "double": 2, "double-balanced": 2}.get(
            turns, run + 1
        )


def ply_of_triple(settings: Settings, position: Position) -> int:
    """Which ply of own, enemy, own piece this is for Detente, or 0: the run of two is the second and the third."""
    if settings["turns"] == "triple" or (settings["turns"] == "balanced" and position.run == 3):
        return position.place
    return position.place + 1 if settings["turns"] == "balanced" and position.run == 2 else 0


# --- Where games begin ------------------------------------------------------------------------------------------------


def read_board(text: str) -> tuple[dict[Square, str], frozenset[Square], tuple[int, int]]:
    """The pieces of a FEN's first field, those that were pawns, and files and ranks."""
    rows = text.split("/")
    pieces: dict[Square, str] = {}
    promoted = set()
    x = 0
    for y, row in zip(range(len(rows) - 1, -1, -1), rows, strict=True):
        x = 0
        for sign in row:
            if sign == "~":
                promoted.add((x - 1, y))
            elif sign.isdigit():
                x += int(sign)
            else:
                pieces[x, y] = sign
                x += 1
    return pieces, frozenset(promoted), (x, len(rows))


def homes_of(pieces: Pieces, castling: str) -> dict[str, tuple[Square, Square]]:
    """For each right, as KQkq, where king and rook stand."""
    homes = {}
    for letter in castling.replace("-", ""):
        rank, rook = (0, "R") if letter.isupper() else (7, "r")
        king = next(square for square, piece in pieces.items() if piece == ("K" if rook == "R" else "k"))
        rooks = sorted(square for square, piece in pieces.items() if piece == rook and square[1] == rank)
        if letter in "Kk":
            found = rooks[-1]
        elif letter in "Qq":
            found = rooks[0]
        else:
            found = ("ABCDEFGH".index(letter.upper()), rank)
        side = "Q" if found < king else "K"
        homes[side if rook == "R" else side.lower()] = (king, found)
    return homes


def start(settings: Settings) -> Position:
    """The initial position."""
    text = ARRAY if settings["start_position"] == "array" else str(settings["start_position"])
    board, colour, castling = text.split()
    pieces, _, size = read_board(board)
    homes = homes_of(pieces, castling)
    rights = frozenset(homes) if settings["castling"] != "never" else frozenset()
    side = "wb".index(colour)
    _, chooser, run, _ = next(schedule(settings))
    position = Position(pieces, side, rights, run, 1, ply=side, homes=homes, size=size, chooser=chooser ^ side)
    position = replace(position, drops=settings["drops"] != "none")
    if settings["drops"] != "placement":
        return position
    ranks = {0: 0, 1: size[1] - 1}
    up = {at: each for at, each in pieces.items() if each not in "Pp" and at[1] == ranks[colour_of(each)]}
    hands = ["".join(each for each in up.values() if colour_of(each) == colour) for colour in (0, 1)]
    left = {at: each for at, each in pieces.items() if at not in up}
    return replace(position, pieces=left, hands=(hands[0], hands[1]), castling=frozenset())


def from_setup(settings: Settings, setup: Mapping[str, str]) -> Position:
    """The position of a FEN at a place in the run.

    Raises:
        ValueError: a king could be taken, or the turns have no such place for that colour.
    """
    begin = start(settings)
    board, colour, castling, passed, clock, number = setup["fen"].split()
    board, _, hand = board.partition("[")
    pieces, promoted, _ = read_board(board)
    side = "wb".index(colour)
    hands = ["".join(letter for letter in hand.strip("]") if colour_of(letter) == each) for each in (0, 1)]
    white, black = (int(given) for given in setup.get("checks", "0+0").split("+"))
    wanted = tuple(int(n) for n in setup.get("run", f"{begin.run}/1").split("/"))
    plies = islice(schedule(settings), LONGEST_RUN**2)
    chooser = next((who for at, who, *there in plies if (at, *there) == (side, *wanted)), None)
    if chooser is None:
        raise ValueError(f"with turns: {settings['turns']} there is no place {wanted} for the colour to move")
    assert begin.homes is not None
    homes = homes_of(pieces, "".join(right for right in castling if right not in begin.homes))
    square = None if passed == "-" else (FILES.index(passed[0]), int(passed[1]) - 1)
    position = replace(
        begin,
        pieces=pieces,
        turn=side,
        castling=frozenset(castling.replace("-", "")) if settings["castling"] != "never" else frozenset(),
        homes={**homes, **begin.homes},
        passed=square,
        passing=None if square is None else (square[0], square[1] + (1 if side else -1)),
        clock=int(clock),
        ply=2 * (int(number) - 1) + side,
        hands=(hands[0], hands[1]),
        promoted=promoted,
        given=(white, black),
        run=wanted[0],
        place=wanted[1],
        chooser=chooser,
    )
    if in_check(settings, pieces, begin.size, 1 - side):
        raise ValueError(f"{setup['fen']}: a king could be taken")
    return position


# --- What attacks what ------------------------------------------------------------------------------------------------


def ways(settings: Settings, letter: str) -> tuple[tuple[Square, int, bool, bool], ...]:
    """The leaps of a piece on the board: how often in a row, whether it goes so, and whether it captures so."""
    white, _, black = str(settings[MOVES[letter.upper()]]).partition("/")
    return turned(black or white, -1) if colour_of(letter) else turned(white, 1)


@functools.cache
def turned(text: str, sign: int) -> tuple[tuple[Square, int, bool, bool], ...]:
    """The leaps of a text of Betza's, for White (1) or for Black (-1)."""
    return tuple(((sign * x, sign * y), often, goes, captures) for (x, y), often, goes, captures in betza.ways(text))


def reach(
    settings: Settings, pieces: Pieces, size: tuple[int, int], square: Square
) -> Iterator[tuple[Square, bool, bool]]:
    """The squares that a piece gets to, and whether it may go there if it is empty, or else capture there."""
    for (dx, dy), often, goes, captures in ways(settings, pieces[square]):
        x, y = square
        for _ in range(often):
            x, y = x + dx, y + dy
            if not (0 <= x < size[0] and 0 <= y < size[1]):
                break
            yield (x, y), goes, captures
            if (x, y) in pieces:
                break


def is_attacked(settings: Settings, pieces: Pieces, size: tuple[int, int], target: Square, by: int) -> bool:
    """Whether a colour attacks a square; where captures explode, kings do not."""
    for square, letter in pieces.items():
        if colour_of(letter) != by or (settings["blast"] != "none" and letter in "Kk"):
            continue
        right, ahead = target[0] - square[0], target[1] - square[1]
        # A piece none of whose leaps points there need not be followed.
        if any(
            dx * ahead == dy * right and dx * right + dy * ahead > 0 for (dx, dy), *_ in ways(settings, letter)
        ) and any(to == target and captures for to, _, captures in reach(settings, pieces, size, square)):
            return True
    return False


def touch(one: Square, other: Square) -> bool:
    """Whether two squares are neighbours."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) == 1


def in_check(settings: Settings, pieces: Pieces, size: tuple[int, int], colour: int) -> bool:
    """Whether a colour has a king that is in check."""
    if settings["king"] != "checkmate":
        return False
    kings = [square for square, letter in pieces.items() if letter == "Kk"[colour]]
    others = [square for square, letter in pieces.items() if letter == "kK"[colour]]
    if settings["blast"] != "none" and (not others or any(touch(king, other) for king in kings for other in others)):
        return False
    return any(is_attacked(settings, pieces, size, king, 1 - colour) for king in kings)


# --- Plies ------------------------------------------------------------------------------------------------------------


def own_rank(position: Position, rank: int) -> int:
    """A rank as the colour to move counts, from 1."""
    return position.size[1] - rank if position.turn else rank + 1


def may_take(settings: Settings, position: Position, square: Square) -> bool:
    """Whether the colour to move may capture what stands on a square."""
    letter = position.pieces.get(square)
    if letter is None:
        return False
    own = colour_of(letter) == position.turn
    return not own or (settings["self_capture"] == "any-but-king" and letter not in "Kk")


def promotions(settings: Settings, position: Position) -> str:
    """What a pawn can become now."""
    kinds = "QRBN" if settings["promotion_to"] == "usual" else str(settings["promotion_to"])
    if settings["promotion_to"] == "usual" and settings["king"] == "ordinary":
        kinds += "K"
    if settings["promotion_limit"] == "captured":
        begun, now = Counter(start(settings).pieces.values()), Counter(position.pieces.values())
        letters = {kind: kind.lower() if position.turn else kind for kind in kinds}
        kinds = "".join(kind for kind in kinds if now[letters[kind]] < begun[letters[kind]])
    return kinds


def pawn_moves(settings: Settings, position: Position, square: Square) -> Iterator[Move]:
    """What a pawn can do, checks aside."""
    pieces, letter = position.pieces, position.pieces[square]
    ahead = -1 if position.turn else 1
    found: dict[Square, Move] = {}
    rank = own_rank(position, square[1])

    def is_empty(x: int, y: int) -> bool:
        return 0 <= x < position.size[0] and 0 <= y < position.size[1] and (x, y) not in pieces

    from_ranks = {"from-start": [2], "second-and-third": [2, 3], "first-and-second": [1, 2],
                  "anywhere": range(9), "never": []}  # fmt: skip
    if rank in from_ranks[str(settings["pawn_double_step"])]:
        for (dx, dy), _, goes, _ in ways(settings, letter):
            middle, target = (square[0] + dx, square[1] + dy), (square[0] + 2 * dx, square[1] + 2 * dy)
            if dy == ahead and goes and is_empty(*middle) and is_empty(*target):
                found[target] = Move(letter, target, square, passed=middle if rank != 1 else None)
    steps = [to for to, goes, _ in reach(settings, pieces, position.size, square) if goes and to not in pieces]
    if settings["pawn_extra"] == "back" and rank > 2 and is_empty(square[0], square[1] - ahead):
        steps.append((square[0], square[1] - ahead))
    if settings["pawn_extra"] == "sideways":
        steps += [(x, square[1]) for x in (square[0] - 1, square[0] + 1) if is_empty(x, square[1])]
    found |= {to: Move(letter, to, square) for to in steps}
    for to, _, captures in reach(settings, pieces, position.size, square):
        if captures and may_take(settings, position, to):
            found[to] = Move(letter, to, square, captured=to)
        if captures and to == position.passed:
            found[to] = Move(letter, to, square, captured=position.passing)
    for to, move in found.items():
        last = own_rank(position, to[1]) >= position.size[1] - (settings["promotion_rank"] == "seventh")
        last = last and name(to) not in pawn_goals(settings, position.turn)
        if not last:
            yield move
        else:
            yield from (replace(move, promotion=kind, passed=None) for kind in promotions(settings, position))


def castlings(settings: Settings, position: Position) -> Iterator[Move]:
    """The castling moves."""
    pieces, size = position.pieces, position.size
    if settings["castling"] == "after-move-10" and position.ply // 2 < 10:
        return
    assert position.homes is not None
    for right in position.castling:
        if colour_of(right) != position.turn:
            continue
        king, rook = position.homes[right]
        rank = king[1]
        goal, beside = (6, 5) if right in "Kk" else (2, 3)
        rest = {square: letter for square, letter in pieces.items() if square not in (king, rook)}
        files = [
            *range(min(king[0], goal), max(king[0], goal) + 1),
            *range(min(rook[0], beside), max(rook[0], beside) + 1),
        ]
        if any((x, rank) in rest for x in files):
            continue
        way = range(min(king[0], goal), max(king[0], goal) + 1)
        if any(in_check(settings, {**rest, (x, rank): "Kk"[position.turn]}, size, position.turn) for x in way):
            continue
        if in_check(settings, pieces, size, position.turn):
            continue
        yield Move("Kk"[position.turn], (goal, rank), king, rook=rook)


def can_be_placed(hand: str, free: frozenset[Square], shades: tuple[int, ...]) -> bool:
    """Whether pieces can be placed, bishops in turn on squares of unlike colours; ``shades``: those of each colour."""
    if not hand:
        return True
    is_bishop = hand[0] in "Bb"
    for square in free:
        shade = sum(square) % 2
        if not is_bishop:
            return can_be_placed(hand[1:], free - {square}, shades)
        if shades[shade] <= shades[1 - shade]:
            more = tuple(count + (each == shade) for each, count in enumerate(shades))
            if can_be_placed(hand[1:], free - {square}, more):
                return True
    return False


def placements(position: Position) -> Iterator[Move]:
    """The pieces that can be placed so that the others find their squares."""
    hand, turn = position.hands[position.turn], position.turn
    rank = position.size[1] - 1 if turn else 0
    free = frozenset((x, rank) for x in range(position.size[0]) if (x, rank) not in position.pieces)
    bishops = [square for square, letter in position.pieces.items() if letter == "Bb"[turn]]
    shades = tuple(sum(sum(square) % 2 == shade for square in bishops) for shade in (0, 1))
    for letter in sorted(set(hand)):
        # Bishops first: where they find no square, nothing else does.
        rest = "".join(sorted(hand.replace(letter, "", 1), key=lambda each: each not in "Bb"))
        for square in sorted(free):
            shade = sum(square) % 2
            if letter in "Bb" and shades[shade] > shades[1 - shade]:
                continue
            more = tuple(count + (letter in "Bb" and each == shade) for each, count in enumerate(shades))
            if can_be_placed(rest, free - {square}, more):
                yield Move(letter, square)


def candidates(settings: Settings, position: Position) -> Iterator[Move]:
    """What the colour to move can do if checks did not matter."""
    if settings["drops"] == "placement" and position.hands[position.turn]:
        yield from placements(position)
        return
    for square, letter in position.pieces.items():
        if colour_of(letter) != position.turn:
            continue
        if letter in "Pp":
            yield from pawn_moves(settings, position, square)
            continue
        seen = set()
        for to, goes, captures in reach(settings, position.pieces, position.size, square):
            if to not in seen and (captures and may_take(settings, position, to)):
                yield Move(letter, to, square, captured=to)
                seen.add(to)
            elif to not in seen and goes and to not in position.pieces:
                yield Move(letter, to, square)
                seen.add(to)
    yield from castlings(settings, position)
    for letter in sorted(set(position.hands[position.turn])):
        for x in range(position.size[0]):
            for y in range(position.size[1]):
                if (x, y) not in position.pieces and not (letter in "Pp" and y in (0, position.size[1] - 1)):
                    yield Move(letter, (x, y))


def moved(settings: Settings, position: Position, move: Move) -> tuple[dict[Square, str], set[Square], str]:
    """The pieces after a ply, those that were pawns, and what goes to the hand."""
    pieces, promoted = dict(position.pieces), set(position.promoted)
    taken = ""
    if move.origin is None:
        pieces[move.target] = move.piece
        return pieces, promoted, taken
    if move.rook is not None:
        rook = pieces.pop(move.rook)
        del pieces[move.origin]
        pieces[move.target] = move.piece
        pieces[(5 if move.target[0] == 6 else 3), move.target[1]] = rook
        return pieces, promoted, taken
    was_promoted = move.origin in promoted
    promoted.discard(move.origin)
    if move.captured is not None:
        taken = pieces.pop(move.captured)
        if move.captured in promoted:
            promoted.discard(move.captured)
            taken = "p" if taken.islower() else "P"
    del pieces[move.origin]
    kind = move.promotion or move.piece
    pieces[move.target] = kind.lower() if position.turn else kind.upper()
    if settings["drops"] == "captured" and (was_promoted or move.promotion):
        promoted.add(move.target)
    if settings["blast"] != "none" and move.captured is not None:
        del pieces[move.target]
        for dx, dy in AROUND:
            beside = (move.target[0] + dx, move.target[1] + dy)
            if pieces.get(beside, "P") not in "Pp":
                del pieces[beside]
    return pieces, promoted, taken


def is_legal(settings: Settings, position: Position, move: Move) -> bool:
    """Whether a ply leaves no own king in danger, and gives no check where that is forbidden."""
    if settings["king"] != "checkmate":
        return True
    pieces, _, _ = moved(settings, position, move)
    own, enemy = "Kk"[position.turn], "kK"[position.turn]
    if settings["blast"] != "none":
        if own not in pieces.values():
            return False
        if enemy not in pieces.values():
            return True
    if in_check(settings, pieces, position.size, position.turn):
        return False
    return settings["giving_check"] == "allowed" or not in_check(settings, pieces, position.size, 1 - position.turn)


def text_of(position: Position, move: Move) -> str:
    """A move in UCI; castling of another array goes to the rook."""
    if move.origin is None:
        return f"{move.piece.upper()}@{name(move.target)}"
    assert position.homes is not None
    if move.rook is not None and any(
        (king[0], rook[0]) not in ((4, 7), (4, 0)) for king, rook in position.homes.values()
    ):
        return name(move.origin) + name(move.rook)
    return name(move.origin) + name(move.target) + move.promotion.lower().strip("?")


def left_by_detente(settings: Settings, position: Position, moves: list[Move]) -> list[Move]:
    """The moves that may be chosen with the third ply: what the second has moved is safe, and another piece moves."""
    if ply_of_triple(settings, position) != 3:
        return moves
    if settings["moved_enemy"] == "safe":
        moves = [move for move in moves if move.captured not in position.moved_second]
    if settings["same_piece"] == "only-if-forced":
        moves = [move for move in moves if move.origin not in position.moved_first] or moves
    return moves


def owner_promotes(settings: Settings, position: Position) -> bool:
    """Whether a pawn that is promoted now gets its piece from the other player, who owns it."""
    return settings["promotion_by"] == "owner" and position.turn != position.chooser


def moves_by_text(settings: Settings, position: Position) -> dict[str, Move]:
    """The legal moves; a promotion by the owner is "e7e8" and then one of "=q", "=r", "=b", "=n"."""
    if position.known:
        return position.known
    if position.promoting is not None:
        waiting = position.promoting
        moves = {f"={kind.lower()}": replace(waiting, promotion=kind) for kind in promotions(settings, position)}
    elif settings["king"] == "capture" and "Kk"[position.turn] not in position.pieces.values():
        return {}
    else:
        listed = [move for move in candidates(settings, position) if is_legal(settings, position, move)]
        if settings["capture"] == "obligatory":
            listed = [move for move in listed if move.captured is not None] or listed
        if owner_promotes(settings, position):
            listed = [replace(move, promotion="?" if move.promotion else "") for move in listed]
        moves = {text_of(position, move): move for move in left_by_detente(settings, position, listed)}
    position.known.update(moves)
    return moves


def legal_moves(settings: Settings, position: Position) -> set[str]:
    """The legal moves in UCI."""
    return set(moves_by_text(settings, position))


def play(settings: Settings, position: Position, text: str) -> Position:
    """The position after a legal move; the given one stays as it was."""
    move = moves_by_text(settings, position)[text]
    turn = position.turn
    if move.promotion == "?":
        move = replace(move, promotion="")
        # A pawn that takes the king, or the last piece, ends the game, and nobody is asked what it becomes.
        enemies = [square for square, letter in position.pieces.items() if colour_of(letter) != turn]
        ends = (
            enemies == [move.target]
            if settings["king"] == "ordinary"
            else position.pieces.get(move.target, "P") in "Kk"
        )
        if not ends:
            return replace(position, promoting=move)
    pieces, promoted, taken = moved(settings, position, move)
    hands = list(position.hands)
    if move.origin is None:
        hands[turn] = hands[turn].replace(move.piece, "", 1)
    elif taken and settings["drops"] in ("captured", "captured-as-they-are"):
        hands[turn] += taken.swapcase()
    assert position.homes is not None
    kept = frozenset(
        right
        for right in position.castling
        for king, rook in [position.homes[right]]
        if pieces.get(king) == ("K" if right.isupper() else "k")
        and pieces.get(rook) == ("R" if right.isupper() else "r")
        and not {king, rook} & {move.origin, move.target, move.rook}
    )
    if settings["drops"] == "placement" and move.origin is None and settings["castling"] != "never":
        kept |= {
            right
            for right, (king, rook) in position.homes.items()
            if pieces.get(king) == ("K" if right.isupper() else "k")
            and pieces.get(rook) == ("R" if right.isupper() else "r")
        }
    progress = move.captured is not None or (
        move.origin is not None and move.piece in "Pp" and settings["pawn_extra"] != "back"
    )
    checks = in_check(settings, pieces, position.size, 1 - turn)
    given = list(position.given)
    given[turn] += checks
    after = replace(
        position,
        pieces=pieces,
        castling=kept,
        passed=None,
        passing=None,
        clock=0 if progress else position.clock + 1,
        ply=position.ply + 1,
        hands=(hands[0], hands[1]),
        promoted=frozenset(promoted),
        given=(given[0], given[1]),
        moved_first=frozenset(),
        moved_second=frozenset(),
        promoting=None,
    )
    there = {move.target}
    if move.rook is not None and settings["castling_moves"] == "king-and-rook":
        there.add(((5 if move.target[0] == 6 else 3), move.target[1]))
    if ply_of_triple(settings, position) == 1:
        after = replace(after, moved_first=frozenset(there))
    if ply_of_triple(settings, position) == 2:
        after = replace(after, moved_first=position.moved_first - {move.captured}, moved_second=frozenset(there))
    if settings["turns"] in OWN_TURNS and position.place < position.run and not checks:
        return replace(after, place=position.place + 1)
    passing = move.target if move.passed is not None else None
    after = replace(after, turn=1 - turn, passed=move.passed, passing=passing)
    if settings["turns"] not in OWN_TURNS and position.place < position.run:
        return replace(after, place=position.place + 1)
    turns, longer = str(settings["turns"]), position.run + 1
    run = {"single": 1, "triple": 3, "balanced": min(longer, 3), "double": 2, "double-balanced": 2}.get(turns, longer)
    return replace(after, chooser=1 - position.chooser, run=run, place=1)


def seat(settings: Settings, position: Position) -> int:
    """Who decides next: the owner of a pawn that waits for its promotion, else the chooser of the ply."""
    return position.chooser if position.promoting is None else position.turn


def repetition_key(settings: Settings, position: Position) -> Hashable:
    """What two positions must share to count as the same."""
    passing = any(
        move.captured is not None and move.captured == position.passing and move.target == position.passed
        for move in moves_by_text(settings, position).values()
    )
    waiting = max(0, 20 - position.ply) if settings["castling"] == "after-move-10" and position.castling else 0
    return (
        tuple(position.fen().split()[:3]),
        position.passed if passing else None,
        (position.run, position.place),
        position.moved_first if settings["same_piece"] == "only-if-forced" else None,
        position.moved_second if settings["moved_enemy"] == "safe" else None,
        position.promoting,
        position.given if settings["checks_to_win"] else None,
        waiting,
    )


def too_few(settings: Settings, position: Position) -> set[int]:
    """The colours that have too few of some pieces."""
    if settings["extinction"] == "none":
        return set()
    colours = set()
    for clause in str(settings["extinction"]).split():
        letters, number = clause.rstrip("0123456789"), int(clause.lstrip("PNBRQKpnbrqk") or 0)
        there = [*position.pieces.values(), *"".join(position.hands)]
        if sum(letter in letters for letter in there) <= number:
            colours.add(colour_of(letters[0]))
    return colours


def by_proposal(settings: Settings, position: Position, is_stuck: bool) -> tuple[str, str] | None:
    """Result and termination by a goal, by checks or by a bare king; None while the game goes on."""
    pieces, wins = position.pieces, ("first", "second")
    is_round_over = position.turn == 0 and not (settings["turns"] in OWN_TURNS and position.place > 1)
    if settings["flag_when"] == "at-once" or is_round_over or is_stuck:
        there = {
            colour_of(letter)
            for letter, squares in goals(settings)
            if any(each == letter and name(square) in squares for square, each in pieces.items())
        }
        if there:
            return ("draw", "both-at-goal") if len(there) == 2 else (wins[there.pop()], "flag")
    for colour in (0, 1):
        enough = settings["checks_to_win"]
        if colour == 1 and settings["checks_of_black"] != "as-white":
            enough = settings["checks_of_black"]
        if settings["checks_to_win"] and position.given[colour] >= int(enough):
            return wins[colour], "checks"
    if settings["bare_king"] != "plays-on":
        bare = {colour for colour in (0, 1) if sum(colour_of(letter) == colour for letter in pieces.values()) == 1}
        if len(bare) == 2:
            return "draw", "both-bare"
        # Who is bared is to move, and may still bare the other by his next ply.
        if bare and not (bare == {position.turn} and settings["bare_king"] == "loses-unless-bared"):
            return wins[1 - bare.pop()], "bare-king"
    return None


def stalemate(settings: Settings, colour: int) -> str:
    """The result if a colour is stalemated."""
    rule = settings["stalemate_black"] if colour == 1 else "as-white"
    wins = ("first", "second")
    said = settings["stalemate"] if rule == "as-white" else rule
    return {"draw": "draw", "loss": wins[1 - colour], "win": wins[colour]}[str(said)]


def outcome(settings: Settings, position: Position, history: Sequence[Hashable]) -> tuple[str, str | None]:
    """The result and how it came about, from the keys of all earlier positions.

    Players are named by the colour they own: who chose the last move does not matter.
    """
    if position.promoting is not None:
        return "ongoing", None
    pieces, wins = position.pieces, ("first", "second")
    letters = "".join(pieces.values())
    for colour in (0, 1):
        if settings["goal"] == "lose-all" and not any(colour_of(letter) == colour for letter in letters):
            return wins[colour], "lose-all"
        if settings["king"] == "capture" and "Kk"[colour] not in letters:
            return wins[1 - colour], "king-captured"
        if settings["blast"] != "none" and "Kk"[colour] not in letters:
            return wins[1 - colour], "blown-up"
    if extinct := too_few(settings, position):
        colour = 1 - position.turn if 1 - position.turn in extinct else position.turn
        return wins[1 - colour if settings["extinction_result"] == "loss" else colour], "extinction"
    is_stuck = not legal_moves(settings, position)
    if ended := by_proposal(settings, position, is_stuck):
        return ended
    if is_stuck:
        if in_check(settings, pieces, position.size, position.turn):
            return wins[1 - position.turn], "mate"
        return stalemate(settings, position.turn), "stalemate"
    others = [(square, letter) for square, letter in pieces.items() if letter not in "Kk"]
    if (
        settings["insufficient_material"] == "draw"
        and not any(position.hands)
        and (
            (len(others) == 1 and others[0][1] in "Nn")
            or (all(letter in "Bb" for _, letter in others) and len({sum(square) % 2 for square, _ in others}) <= 1)
        )
    ):
        return "draw", "insufficient-material"
    if settings["move_limit"] and position.clock >= int(settings["move_limit"]):
        return "draw", "move-limit"
    if settings["repetition"] and 1 + list(history).count(repetition_key(settings, position)) >= int(
        settings["repetition"]
    ):
        return "draw", "repetition"
    return "ongoing", None
