"""Start positions of chess: what a FEN in a ruleset means to the kernel, and whether games can begin there."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench.games.declaration import Board, Setting
from workbench.games.drawings import Misdrawn, Shown, rows_of, rows_of_signs, signed

LETTERS = "PNBRQK"
SYMBOLS = dict(zip("PNBRQKpnbrqk", "♙♘♗♖♕♔♟♞♝♜♛♚", strict=True))
PLACED = 8
"""The words of the pieces, as a state of the kernel begins: the squares of each kind, then those of each colour; behind
them stand the colour to move and the castling rights."""
ARRAY = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
COLOURS = ("White", "Black")
MOST_OF_A_KIND = (8, 2, 2, 2, 1, 1)
"""Pieces of a kind in the array; more of them must have been pawns."""
KNIGHT = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
STRAIGHT, DIAGONAL = ((1, 0), (-1, 0), (0, 1), (0, -1)), ((1, 1), (1, -1), (-1, 1), (-1, -1))

Pieces = Mapping[tuple[int, int], str]
"""Letters as FEN has them, by file and rank, both from 0."""


def read(toggle: str, text: str, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    """The words of the position (`PLACED`), the colour to move and the castling rights; nothing for the array.

    Raises:
        Misdrawn: no game can begin there.
    """
    placement, colour, castling = text.split()
    pieces = _pieces(placement)
    side = "wb".index(colour)
    rights = sum(1 << "KQkq".index(right) for right in castling.replace("-", ""))
    _check_numbers(pieces, settings)
    _check_castling(pieces, castling, settings)
    if side and settings["turns"] != "single":
        raise Misdrawn(f"w behind the pieces, since White begins with turns: {settings['turns']}", "b")
    idle = next((square for square, letter in pieces.items() if letter == ("kK"[side])), None)
    if settings["king"] == "checkmate" and idle is not None and _attacked(pieces, idle, side):
        raise Misdrawn(f"a position in which {COLOURS[1 - side]}'s king is not attacked", "one where it can be taken")
    usual = placement == ARRAY and side == 0
    if usual and castling == ("-" if settings["castling"] == "never" else "KQkq"):
        return ()
    words = [0] * PLACED
    for (x, y), letter in pieces.items():
        words[LETTERS.index(letter.upper())] |= 1 << (8 * y + x)
        words[6 + letter.islower()] |= 1 << (8 * y + x)
    return (*map(signed, words), side, rights)


def shown(toggle: str, setting: Setting, settings: Mapping[str, Setting]) -> Shown:
    """The pieces by their letters."""
    pieces = _pieces((ARRAY if setting == "array" else str(setting)).split()[0])
    signs = {(7 - y, x): letter for (x, y), letter in pieces.items()}
    squares = [(y, x) for y in range(8) for x in range(8)]
    board = Board(
        cells=tuple(tuple(SYMBOLS.get(signs.get((y, x), ""), "") for x in range(8)) for y in range(8)),
        columns=tuple("abcdefgh"),
        rows=tuple("87654321"),
        shaded=frozenset((y, x) for y, x in squares if (x + y) % 2),
    )
    return Shown(signs, {(y, x): f"{'abcdefgh'[x]}{8 - y}" for y, x in squares}, board)


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
        raise Misdrawn("eight ranks with / between", len(rows))
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
            raise Misdrawn(f"eight squares in rank {y + 1}", f"{x} ('{row}')")
    return pieces


def _check_numbers(pieces: Pieces, settings: Mapping[str, Setting]) -> None:
    """Refuses positions that the rules do not know, or whose moves the kernel has no room for."""
    for name, letters in zip(COLOURS, (LETTERS, LETTERS.lower()), strict=True):
        counts = [sum(piece == letter for piece in pieces.values()) for letter in letters]
        if not sum(counts):
            raise Misdrawn("pieces of both colours", f"none of {name}")
        if settings["king"] != "ordinary" and counts[5] != 1:
            raise Misdrawn("one king of each colour", f"{counts[5]} of {name}")
        grown = sum(max(0, count - first) for count, first in zip(counts[1:], MOST_OF_A_KIND[1:], strict=True))
        if counts[0] + grown > 8:
            raise Misdrawn("no more pieces than eight pawns can become", f"more of {name}")
    for (_, y), letter in pieces.items():
        if letter in "Pp" and y in (0, 7):
            raise Misdrawn("no pawn on the first or the last rank", f"one on rank {y + 1}")


def _check_castling(pieces: Pieces, castling: str, settings: Mapping[str, Setting]) -> None:
    if settings["castling"] == "never" and castling != "-":
        raise Misdrawn("- for the castling rights, since nobody castles with castling: never", castling)
    for right in castling.replace("-", ""):
        rank, corner = (0 if right.isupper() else 7), (7 if right in "Kk" else 0)
        king, rook = ("K", "R") if right.isupper() else ("k", "r")
        if (pieces.get((4, rank)), pieces.get((corner, rank))) != (king, rook):
            raise Misdrawn(f"king and rook on their first squares for castling {right}", f"{castling} without them")


def _attacked(pieces: Pieces, square: tuple[int, int], side: int) -> bool:
    """Whether a piece of a colour (0 White, 1 Black) attacks a square, as in chess."""
    x, y = square
    own = str.upper if side == 0 else str.lower
    ahead = 1 if side == 0 else -1
    if any(pieces.get((x + dx, y - ahead)) == own("p") for dx in (-1, 1)):
        return True
    if any(pieces.get((x + dx, y + dy)) == own("n") for dx, dy in KNIGHT):
        return True
    if any(pieces.get((x + dx, y + dy)) == own("k") for dx, dy in STRAIGHT + DIAGONAL):
        return True
    for steps, kind in ((STRAIGHT, "r"), (DIAGONAL, "b")):
        for dx, dy in steps:
            met = next((pieces[x + n * dx, y + n * dy] for n in range(1, 8) if (x + n * dx, y + n * dy) in pieces), "")
            if met in (own(kind), own("q")):
                return True
    return False
