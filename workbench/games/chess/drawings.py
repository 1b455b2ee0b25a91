"""Start positions and moves of pieces: what a FEN and Betza's notation in a ruleset mean to the kernel of chess."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench.games import betza
from workbench.games.betza import Ray
from workbench.games.chess.rules_endings import COLOURS, LETTERS, goals
from workbench.games.declaration import Board, Setting
from workbench.games.drawings import MARKED, Misdrawn, Shown, rows_of, rows_of_signs, signed
from workbench.language import tr

SYMBOLS = dict(zip("PNBRQKpnbrqk", "♙♘♗♖♕♔♟♞♝♜♛♚", strict=True))
PLACED = 8
"""The words of the pieces, as a state of the kernel begins: the squares of each kind, then those of each colour; behind
them stand the colour to move and the castling rights."""
ARRAY = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
MOST_OF_A_KIND = (8, 2, 2, 2, 1, 1)
"""Pieces of a kind in the array; more of them must have been pawns."""
USUAL = {"knight_moves": "N", "bishop_moves": "B", "rook_moves": "R", "queen_moves": "Q", "king_moves": "K"}
"""By toggle how a kind of piece moves in chess, which is its letter in FEN, too."""
FEW_MATE = ("knight_moves", "bishop_moves", "king_moves")
"""The kinds that are too few to mate when they are alone, as long as they move as in chess."""
SHOWN = 3
"""Squares on each side of the piece in the picture of its moves."""
ONLY_MOVES, ONLY_TAKES = "m", "c"
"""The signs of squares where a piece can only go, and where it only captures; elsewhere it does both."""

Pieces = Mapping[tuple[int, int], str]
"""Letters as FEN has them, by file and rank, both from 0."""


def read(toggle: str, text: str, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    """What the kernel reads: of a position its words, of moves their rays (`kernel_rays`); nothing for those of chess.

    Words of a position: those of the pieces (`PLACED`), the colour to move and the castling rights.

    Raises:
        Misdrawn: no game can begin there, or no piece can move so.
    """
    if toggle in USUAL:
        return _read_moves(toggle, text, settings)
    return _read_flag(text, settings) if toggle == "flag" else _read_position(text, settings)


def _read_position(text: str, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    placement, colour, castling = text.split()
    pieces = _pieces(placement)
    side = "wb".index(colour)
    rights = sum(1 << "KQkq".index(right) for right in castling.replace("-", ""))
    _check_numbers(pieces, settings)
    _check_castling(pieces, castling, settings)
    if side and settings["turns"] != "single":
        raise Misdrawn(
            tr("w behind the pieces, since White begins with turns: {settings}", settings=settings["turns"]), "b"
        )
    idle = next((square for square, letter in pieces.items() if letter == ("kK"[side])), None)
    if settings["king"] == "checkmate" and idle is not None and _attacked(pieces, idle, side, settings):
        raise Misdrawn(
            tr("a position in which {colour}'s king is not attacked", colour=COLOURS[1 - side]),
            tr("one where it can be taken"),
        )
    usual = placement == ARRAY and side == 0
    if usual and castling == ("-" if settings["castling"] == "never" else "KQkq"):
        return ()
    words = [0] * PLACED
    for (x, y), letter in pieces.items():
        words[LETTERS.index(letter.upper())] |= 1 << (8 * y + x)
        words[6 + letter.islower()] |= 1 << (8 * y + x)
    return (*map(signed, words), side, rights)


def _read_moves(toggle: str, text: str, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    rays = betza.rays(text)
    if rays == betza.rays(USUAL[toggle]):
        return ()
    if toggle == "king_moves":
        for ray in rays:
            if ray.ahead == 0 and (2 % ray.right == 0 and max(ray.moves, ray.takes) >= abs(2 // ray.right)):
                raise Misdrawn(tr("no two squares to the side for kings, as castling is written so"), f"'{text}'")
    if toggle in FEW_MATE and settings["insufficient_material"] == "draw":
        few = tr("insufficient_material: play-on beside it, since few pieces may mate that move so")
        raise Misdrawn(few, settings["insufficient_material"])
    return tuple(number for ray in rays for number in ray)


def _read_flag(text: str, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    """For each kind of White, then of Black, the squares on which it wins."""
    start = settings["start_position"]
    pieces = _pieces((ARRAY if start == "array" else str(start)).split()[0])
    words = [0] * 12
    for goal in goals(text):
        for letter in goal.letters:
            for x, y in goal.squares():
                if pieces.get((x, y)) == letter:
                    raise Misdrawn(tr("squares on which no such piece begins"), f"{letter} {'abcdefgh'[x]}{y + 1}")
                words[LETTERS.index(letter.upper()) + 6 * letter.islower()] |= 1 << (8 * y + x)
    _check_play_on(settings)
    return tuple(map(signed, words))


def _check_play_on(settings: Mapping[str, Setting]) -> None:
    if settings["insufficient_material"] == "draw":
        few = tr("insufficient_material: play-on beside it, since the game can be won without a mate")
        raise Misdrawn(few, settings["insufficient_material"])


def rays_of(letter: str, settings: Mapping[str, Setting]) -> tuple[Ray, ...]:
    """How a kind of piece but pawns moves under the settings, by its letter; as in chess if they cannot be read."""
    toggle = next(name for name, usual in USUAL.items() if usual == letter)
    try:
        return betza.rays(str(settings.get(toggle, letter)))
    except Misdrawn:
        return betza.rays(letter)


def shown(toggle: str, setting: Setting, settings: Mapping[str, Setting]) -> Shown:
    """The pieces by their letters; of moves the piece by its letter, and where it can go by `MARKED` or a sign."""
    if toggle in USUAL:
        return _shown_moves(USUAL[toggle], betza.rays(str(setting)))
    if toggle == "flag":
        return _shown_flag(str(setting))
    pieces = _pieces((ARRAY if setting == "array" else str(setting)).split()[0])
    return _shown_signs({(7 - y, x): letter for (x, y), letter in pieces.items()})


def _shown_flag(text: str) -> Shown:
    """The squares that win, if a text says any."""
    places = [square for goal in goals(text) for square in goal.squares()] if text != "none" else []
    return _shown_signs({(7 - y, x): MARKED for x, y in places})


def _shown_signs(signs: Mapping[tuple[int, int], str]) -> Shown:
    """A board with pieces or marks."""
    squares = [(y, x) for y in range(8) for x in range(8)]
    board = Board(
        cells=tuple(tuple(SYMBOLS.get(signs.get((y, x), ""), "") for x in range(8)) for y in range(8)),
        columns=tuple("abcdefgh"),
        rows=tuple("87654321"),
        shaded=frozenset((y, x) for y, x in squares if (x + y) % 2),
    )
    return Shown(signs, {(y, x): f"{'abcdefgh'[x]}{8 - y}" for y, x in squares}, board)


def _shown_moves(letter: str, rays: tuple[Ray, ...]) -> Shown:
    """A diagram around the piece, large enough to show where a line ends before the edge of the board."""
    limits = [(max(ray.moves, ray.takes), max(abs(ray.ahead), abs(ray.right))) for ray in rays]
    ends = [(leaps + 1) * length for leaps, length in limits if 1 < leaps < betza.FARTHEST]
    middle = max(SHOWN, min(max(ends, default=0), betza.FARTHEST))
    signs = {(middle, middle): letter}
    for ray in rays:
        for leaps in range(1, max(ray.moves, ray.takes) + 1):
            square = (middle - leaps * ray.ahead, middle + leaps * ray.right)
            if all(0 <= place <= 2 * middle for place in square):
                both = leaps <= ray.moves and leaps <= ray.takes
                sign = MARKED if both else ONLY_MOVES if leaps <= ray.moves else ONLY_TAKES
                signs[square] = sign if signs.get(square, sign) == sign else MARKED
    size = range(2 * middle + 1)
    symbols = {**SYMBOLS, MARKED: ""}
    board = Board(
        cells=tuple(tuple(symbols.get(sign := signs.get((y, x), ""), sign) for x in size) for y in size),
        columns=("",) * len(size),
        rows=("",) * len(size),
        shaded=frozenset((y, x) for y in size for x in size if (x + y) % 2),
        notes=(
            tr(
                "{marked} goes there and captures, {only_moves} only goes there, {only_takes} only captures",
                marked=MARKED,
                only_moves=ONLY_MOVES,
                only_takes=ONLY_TAKES,
            ),
        ),
    )
    return Shown(signs, {}, board)


def text(toggle: str, signs: Mapping[tuple[int, int], str], settings: Mapping[str, Setting]) -> str:
    """The FEN, with the colour that moved first before, and castling as far as king and rook still stand there."""
    before = str(settings[toggle]).split() if settings[toggle] != "array" else [ARRAY, "w", "KQkq"]
    rows = [re.sub(r"\.+", lambda gap: str(len(gap[0])), row) for row in rows_of_signs(signs, 8)]
    castling = ""
    for right in before[2].replace("-", "") if settings["castling"] != "never" else "":
        y, corner = (7 if right.isupper() else 0), (7 if right in "Kk" else 0)
        if (signs.get((y, 4), "") + signs.get((y, corner), "")) == ("KR" if right.isupper() else "kr"):
            castling += right
    return f"{'/'.join(rows)} {before[1]} {castling or '-'}"


def _pieces(placement: str) -> Pieces:
    rows = rows_of(placement)
    if len(rows) != 8:
        raise Misdrawn(tr("eight ranks with / between"), len(rows))
    pieces: dict[tuple[int, int], str] = {}
    for y, row in zip(range(7, -1, -1), rows, strict=True):
        x = 0
        for sign in row:
            if sign.isdigit():
                x += int(sign)
            else:
                pieces[x, y] = sign
                x += 1
        if x != 8:
            raise Misdrawn(tr("eight squares in rank {y}", y=y + 1), f"{x} ('{row}')")
    return pieces


def _check_numbers(pieces: Pieces, settings: Mapping[str, Setting]) -> None:
    """Refuses positions that the rules do not know, or whose moves the kernel has no room for."""
    for name, letters in zip(COLOURS, (LETTERS, LETTERS.lower()), strict=True):
        counts = [sum(piece == letter for piece in pieces.values()) for letter in letters]
        if not sum(counts):
            raise Misdrawn(tr("pieces of both colours"), tr("none of {name}", name=name))
        if settings["king"] != "ordinary" and counts[5] != 1:
            raise Misdrawn(tr("one king of each colour"), tr("{counts} of {name}", counts=counts[5], name=name))
        grown = sum(max(0, count - first) for count, first in zip(counts[1:], MOST_OF_A_KIND[1:], strict=True))
        if counts[0] + grown > 8:
            raise Misdrawn(tr("no more pieces than eight pawns can become"), tr("more of {name}", name=name))
    for (_, y), letter in pieces.items():
        if letter in "Pp" and y in (0, 7):
            raise Misdrawn(tr("no pawn on the first or the last rank"), tr("one on rank {y}", y=y + 1))


def _check_castling(pieces: Pieces, castling: str, settings: Mapping[str, Setting]) -> None:
    if settings["castling"] == "never" and castling != "-":
        raise Misdrawn(tr("- for the castling rights, since nobody castles with castling: never"), castling)
    for right in castling.replace("-", ""):
        rank, corner = (0 if right.isupper() else 7), (7 if right in "Kk" else 0)
        king, rook = ("K", "R") if right.isupper() else ("k", "r")
        if (pieces.get((4, rank)), pieces.get((corner, rank))) != (king, rook):
            raise Misdrawn(
                tr("king and rook on their first squares for castling {right}", right=right),
                tr("{castling} without them", castling=castling),
            )


def _attacked(pieces: Pieces, square: tuple[int, int], side: int, settings: Mapping[str, Setting]) -> bool:
    """Whether a piece of a colour (0 White, 1 Black) attacks a square."""
    x, y = square
    own = str.upper if side == 0 else str.lower
    ahead = 1 if side == 0 else -1
    if any(pieces.get((x + dx, y - ahead)) == own("p") for dx in (-1, 1)):
        return True
    for letter in USUAL.values():
        for ray in rays_of(letter, settings):
            way = [(x - n * ahead * ray.right, y - n * ahead * ray.ahead) for n in range(1, ray.takes + 1)]
            if next((pieces[one] for one in way if one in pieces), "") == own(letter):
                return True
    return False
