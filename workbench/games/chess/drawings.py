"""Start positions and piece moves of chess: conversion of FENs and Betza notation for the kernel."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

from workbench.base.language import quoted, tr
from workbench.games.chess import betza
from workbench.games.chess.betza import Ray
from workbench.games.chess.rules_moves import COLOURS, LETTERS, OTHER_TURNS, extinctions, goals
from workbench.games.declaration import Board, Setting
from workbench.games.drawings import MARKED, DrawingError, Shown, check_first_mover, drawing_rows, signed

SYMBOLS = dict(zip("PNBRQKpnbrqk", "♙♘♗♖♕♔♟♞♝♜♛♚", strict=True))
PLACED = 8
"""Number of words for the squares of each kind and each colour, as in a kernel state. The colour to move and the
castling rights follow."""
ARRAY = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
MOST_OF_A_KIND = (8, 2, 2, 2, 1, 1)
"""The number of each kind in the array; additional pieces are promoted pawns."""
USUAL = {
    "knight_moves": "N", "bishop_moves": "B", "rook_moves": "R", "queen_moves": "Q", "king_moves": "K",
    "pawn_moves": "fmWfcF",
}  # fmt: skip
"""The standard moves of each kind of piece, by toggle; except for pawns, also its letter in FEN."""
FEW_MATE = ("knight_moves", "bishop_moves", "king_moves")
"""The toggles of kinds that cannot mate alone with their standard moves."""
SMALLEST = 5
"""Number of files and ranks of the smallest board."""
SHOWN = 3
"""Minimum number of squares on each side of the piece in a picture of its moves."""
ONLY_MOVES, ONLY_TAKES = "m", "c"
"""The signs of target squares for quiet moves only and for captures only."""

Pieces = Mapping[tuple[int, int], str]
"""FEN letters by file and rank, both from 0."""


def read(toggle: str, text: str, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    """Return the kernel's words for a position, or the rays for moves (`kernel_rays`); () if they are those of chess.

    A position consists of the words of the pieces (`PLACED`), the colour to move and the castling rights.

    Raises:
        DrawingError: the position or the moves are invalid.
    """
    if toggle in USUAL:
        return _read_moves(toggle, text, settings)
    if toggle == "flag":
        return _read_flag(text, settings)
    if toggle == "start_position":
        return _read_position(text, settings)
    _check_own_turns(toggle, settings)
    return _read_promotions(text, settings) if toggle == "promotion_to" else _read_extinction(text, settings)


def _check_own_turns(toggle: str, settings: Mapping[str, Setting]) -> None:
    """Refuse a toggle for turns in which players move enemy pieces, since its effect would be undefined."""
    if settings["turns"] in OTHER_TURNS:
        raise DrawingError(tr("turns: single with {toggle}", toggle=toggle), settings["turns"])


def _read_promotions(text: str, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    """Return the kinds as a bit set, or an empty tuple for the kinds allowed in chess."""
    if "K" in text and settings["king"] != "ordinary":
        raise DrawingError(tr("no K, since a second king requires king: ordinary"), quoted(text))
    if set(text) == set("NBRQK" if settings["king"] == "ordinary" else "NBRQ"):
        return ()
    return (sum(1 << LETTERS.index(letter) for letter in text),)


def _read_extinction(text: str, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    """Return, for each rule, its colour, its kinds as a bit set, and the largest number that counts as extinct."""
    _check_play_on(settings)
    if settings["blast"] != "none":
        raise DrawingError(
            tr("blast: none with extinction, because no rule states which takes precedence"), settings["blast"]
        )
    pieces = start_pieces(settings)
    words: list[int] = []
    for rule in extinctions(text):
        if sum(letter in rule.letters for letter in pieces.values()) <= rule.number:
            requirement = tr(
                "more of {pieces} at the start than the number that counts as too few", pieces=rule.letters
            )
            raise DrawingError(requirement, quoted(f"{rule.letters}{rule.number}"))
        kinds = sum({1 << LETTERS.index(letter.upper()) for letter in rule.letters})
        words += [int(rule.letters.islower()), kinds, rule.number]
    return tuple(words)


def start_pieces(settings: Mapping[str, Setting]) -> Pieces:
    """Return the start position's pieces."""
    start = settings["start_position"]
    return parse_placement((ARRAY if start == "array" else str(start)).split()[0])[0]


def _read_position(text: str, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    placement, colour, castling = text.split()
    pieces, files, ranks = parse_placement(placement)
    side = "wb".index(colour)
    large_army = _check_numbers(pieces, ranks, settings)
    if castling != "-" and (files, ranks) != (8, 8):
        raise DrawingError(tr("- for the castling rights on boards other than 8×8"), castling)
    homes = castling_homes(pieces, castling, settings)
    if side and settings["turns"] != "single":
        white = tr("w after the pieces, since White moves first under turns: {setting}", setting=settings["turns"])
        raise DrawingError(white, "b")
    check_first_mover(settings, side)
    waiting_king = next((square for square, letter in pieces.items() if letter == ("kK"[side])), None)
    if settings["king"] == "checkmate" and waiting_king is not None and _attacked(pieces, waiting_king, side, settings):
        requirement = tr("a position in which {colour}'s king is not attacked", colour=COLOURS[1 - side])
        raise DrawingError(requirement, tr("one in which it can be captured"))
    standard = placement == ARRAY and side == 0
    if standard and len(homes) == (0 if settings["castling"] == "never" else 4):
        return ()
    words = [0] * PLACED
    for (x, y), letter in pieces.items():
        words[LETTERS.index(letter.upper())] |= 1 << (8 * y + x)
        words[6 + letter.islower()] |= 1 << (8 * y + x)
    rights = sum(1 << right for right in homes)
    return (*map(signed, words), side, rights, *_extra_words(homes, files, ranks, settings, large_army))


def _extra_words(
    homes: Mapping[int, tuple[int, int]], files: int, ranks: int, settings: Mapping[str, Setting], large_army: bool
) -> list[int]:
    """Return the board, castling and size words of a position (`kernel_general`), or [] for standard chess."""
    standard = {right: (4, (7, 0)[right & 1]) for right in range(4)}
    if (files, ranks) == (8, 8) and not large_army and all(standard[right] == home for right, home in homes.items()):
        return []
    _check_own_turns("start_position", settings)
    homes_word = 0
    for right in range(4):
        base = 56 * (right >> 1)
        colour_homes = [homes[other] for other in (right, right ^ 1) if other in homes]
        king = colour_homes[0][0] if colour_homes else 4
        rook = homes[right][1] if right in homes else standard[right][1]
        homes_word |= (base + king) << (6 * (right >> 1)) | (base + rook) << (12 + 6 * right)
    outside = sum(1 << (8 * y + x) for y in range(8) for x in range(8) if x >= files or y >= ranks)
    return [homes_word, signed(outside), ranks, files]


def _read_moves(toggle: str, text: str, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    white, black = map(betza.rays, betza.by_colour(text))
    if white == black == betza.rays(USUAL[toggle]):
        return ()
    if toggle == "king_moves":
        for ray in {*white, *black}:
            if ray.ahead == 0 and (2 % ray.right == 0 and max(ray.moves, ray.takes) >= abs(2 // ray.right)):
                raise DrawingError(tr("no two-square sideways move for kings, since it means castling"), quoted(text))
    if toggle == "pawn_moves":
        _check_own_turns(toggle, settings)
        if settings["pawn_extra"] != "none":
            raise DrawingError(tr("pawn_extra: none, since pawn_moves replaces it"), settings["pawn_extra"])
        if any(ray.ahead < 1 for ray in {*white, *black}):
            raise DrawingError(tr("pawns that only move forward"), quoted(text))
    if toggle in FEW_MATE and settings["insufficient_material"] == "draw":
        requirement = tr("insufficient_material: play-on, since even a few pieces may mate with such moves")
        raise DrawingError(requirement, settings["insufficient_material"])
    words = [number for ray in white for number in ray]
    if white == black:
        return tuple(words)
    return (*words, *(number for ray in black for number in ray), len(words))


def _read_flag(text: str, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    """Return the winning squares of each kind, first White's, then Black's."""
    pieces = start_pieces(settings)
    words = [0] * 12
    for goal in goals(text):
        for letter in goal.letters:
            for x, y in goal.squares():
                if pieces.get((x, y)) == letter:
                    raise DrawingError(tr("squares on which no such piece starts"), f"{letter} {'abcdefgh'[x]}{y + 1}")
                words[LETTERS.index(letter.upper()) + 6 * letter.islower()] |= 1 << (8 * y + x)
    _check_play_on(settings)
    if words[0] >> 56 or words[6] & 0xFF:  # pawns on their last rank
        _check_own_turns("flag", settings)
    return tuple(map(signed, words))


def _check_play_on(settings: Mapping[str, Setting]) -> None:
    if settings["insufficient_material"] == "draw":
        requirement = tr("insufficient_material: play-on, since the game can be won without mate")
        raise DrawingError(requirement, settings["insufficient_material"])


def piece_rays(toggle: str, side: int, settings: Mapping[str, Setting]) -> tuple[Ray, ...]:
    """Return the rays of a colour's pieces from a toggle's setting, or the standard rays if it is invalid."""
    try:
        return betza.rays(betza.by_colour(str(settings.get(toggle, USUAL[toggle])))[side])
    except DrawingError:
        return betza.rays(USUAL[toggle])


def shown(toggle: str, setting: Setting, settings: Mapping[str, Setting]) -> Shown:
    """Return the pieces by letter; for moves, the piece and its targets as `MARKED`, `ONLY_MOVES` or `ONLY_TAKES`."""
    if toggle in USUAL:
        white, black = betza.by_colour(str(setting))
        return _shown_moves("P" if toggle == "pawn_moves" else USUAL[toggle], betza.rays(white), white != black)
    if toggle == "flag":
        return _shown_flag(str(setting))
    if toggle != "start_position":
        raise DrawingError(tr("a picture"), tr("a text"))
    pieces, files, ranks = parse_placement((ARRAY if setting == "array" else str(setting)).split()[0])
    return _shown_signs({(ranks - 1 - y, x): letter for (x, y), letter in pieces.items()}, files, ranks)


def _shown_flag(text: str) -> Shown:
    """Return a board on which the winning squares are marked."""
    places = [square for goal in goals(text) for square in goal.squares()] if text != "none" else []
    return _shown_signs({(7 - y, x): MARKED for x, y in places})


def _shown_signs(signs: Mapping[tuple[int, int], str], files: int = 8, ranks: int = 8) -> Shown:
    """Return a board with pieces or marks."""
    columns, rows = "abcdefgh"[:files], "87654321"[8 - ranks :]
    squares = [(y, x) for y in range(ranks) for x in range(files)]
    board = Board(
        cells=tuple(tuple(SYMBOLS.get(signs.get((y, x), ""), "") for x in range(files)) for y in range(ranks)),
        columns=tuple(columns),
        rows=tuple(rows),
        shaded=frozenset((y, x) for y, x in squares if (x + y + ranks) % 2),
    )
    return Shown(signs, {(y, x): f"{columns[x]}{rows[y]}" for y, x in squares}, board)


def _shown_moves(letter: str, rays: tuple[Ray, ...], colours_differ: bool) -> Shown:
    """Return a diagram around the piece (White's if ``colours_differ``), large enough to show where its lines end."""
    limits = [(max(ray.moves, ray.takes), max(abs(ray.ahead), abs(ray.right))) for ray in rays]
    ends = [(leaps + 1) * length for leaps, length in limits if 1 < leaps < betza.FARTHEST]
    middle = max(SHOWN, min(max(ends, default=0), betza.FARTHEST))
    signs = {(middle, middle): letter}
    for ray in rays:
        for leaps in range(1, max(ray.moves, ray.takes) + 1):
            square = (middle - leaps * ray.ahead, middle + leaps * ray.right)
            if all(0 <= coordinate <= 2 * middle for coordinate in square):
                both = leaps <= ray.moves and leaps <= ray.takes
                sign = MARKED if both else ONLY_MOVES if leaps <= ray.moves else ONLY_TAKES
                signs[square] = sign if signs.get(square, sign) == sign else MARKED
    size = range(2 * middle + 1)
    symbols = {**SYMBOLS, MARKED: ""}
    note = tr(
        "{marked} moves and captures, {only_moves} only moves, {only_takes} only captures",
        marked=MARKED, only_moves=ONLY_MOVES, only_takes=ONLY_TAKES,
    )  # fmt: skip
    board = Board(
        cells=tuple(tuple(symbols.get(sign := signs.get((y, x), ""), sign) for x in size) for y in size),
        columns=("",) * len(size),
        rows=("",) * len(size),
        shaded=frozenset((y, x) for y in size for x in size if (x + y) % 2),
        notes=(note, *([tr("the moves of White's pieces")] if colours_differ else [])),
    )
    return Shown(signs, {}, board)


def text(toggle: str, signs: Mapping[tuple[int, int], str], settings: Mapping[str, Setting]) -> str:
    """Return the FEN with the new pieces, the old side to move and the castling rights that remain possible."""
    old_fen = str(settings[toggle]).split() if settings[toggle] != "array" else [ARRAY, "w", "KQkq"]
    _, files, ranks = parse_placement(old_fen[0])
    rows = [
        re.sub(r"\.+", lambda gap: str(len(gap[0])), "".join(signs.get((y, x), ".") for x in range(files)))
        for y in range(ranks)
    ]
    pieces = {(x, ranks - 1 - y): letter for (y, x), letter in signs.items()}
    castling = ""
    for right in old_fen[2].replace("-", "") if settings["castling"] != "never" else "":
        with suppress(DrawingError):
            castling_homes(pieces, right, settings)
            castling += right
    return f"{'/'.join(rows)} {old_fen[1]} {castling or '-'}"


def parse_placement(placement: str) -> tuple[Pieces, int, int]:
    """Return the pieces in a FEN's placement field, and the numbers of files and ranks."""
    rows = drawing_rows(placement)
    ranks = len(rows)
    if not SMALLEST <= ranks <= 8:
        raise DrawingError(tr("{smallest} to 8 ranks separated by /", smallest=SMALLEST), ranks)
    pieces: dict[tuple[int, int], str] = {}
    files = 0
    for y, row in zip(range(ranks - 1, -1, -1), rows, strict=True):
        x = 0
        for sign in row:
            if sign.isdigit():
                x += int(sign)
            elif sign.upper() not in (*LETTERS, "."):
                expected = tr("piece letters ({letters})", letters=LETTERS + LETTERS.lower())
                raise DrawingError(expected, tr("'{sign}' in rank {y} ('{row}')", sign=sign, y=y + 1, row=row))
            else:
                pieces[x, y] = sign
                x += 1
        files = files or x
        if x != files or not SMALLEST <= files <= 8:
            requirement = tr("the same number of squares in each rank, from {smallest} to 8", smallest=SMALLEST)
            raise DrawingError(requirement, tr("{count} in rank {y} ('{row}')", count=x, y=y + 1, row=row))
    return pieces, files, ranks


def _check_numbers(pieces: Pieces, ranks: int, settings: Mapping[str, Setting]) -> bool:
    """Refuse illegal material; return whether there are more pieces than the standard generator has room for."""
    extinct = extinctions(str(settings["extinction"]))
    large_army = False
    # The buffers for non-standard moves are large enough for a full board (`kernel_rays`).
    standard = all(piece_rays(name, side, settings) == betza.rays(USUAL[name]) for name in USUAL for side in (0, 1))
    for name, letters in zip(COLOURS, (LETTERS, LETTERS.lower()), strict=True):
        counts = [sum(piece == letter for piece in pieces.values()) for letter in letters]
        if not sum(counts):
            raise DrawingError(tr("pieces of both colours"), tr("none of {name}", name=name))
        kingless = settings["king"] == "checkmate" and any(rule.letters[0] in letters for rule in extinct)
        if settings["king"] != "ordinary" and counts[5] != 1 and not (kingless and counts[5] == 0):
            requirement = tr("one king of each colour (a colour named in `extinction` may have none)")
            raise DrawingError(requirement, tr("{counts} of {name}", counts=counts[5], name=name))
        promoted = sum(max(0, count - first) for count, first in zip(counts[1:], MOST_OF_A_KIND[1:], strict=True))
        if counts[0] + promoted > 8 and not extinct and standard:
            large_army = True
            if settings["turns"] in OTHER_TURNS:
                template = tr("with turns: {turns}, no more pieces than eight promoted pawns allow")
                raise DrawingError(template.format(turns=settings["turns"]), tr("more of {name}", name=name))
    for (_, y), letter in pieces.items():
        # The pawns of a colour without a king may start on their first rank, as in Horde.
        first, last = (0, ranks - 1) if letter == "P" else (ranks - 1, 0)
        if letter in "Pp" and (y == last or (y == first and not extinct)):
            raise DrawingError(tr("no pawn on the first or the last rank"), tr("one on rank {y}", y=y + 1))
    return large_army


def castling_homes(pieces: Pieces, castling: str, settings: Mapping[str, Setting]) -> dict[int, tuple[int, int]]:
    """Return the files of king and rook for each castling right, 0 to 3 for KQkq.

    K and Q mean the outermost rook on that side of the king; another letter means the rook on that file.

    Raises:
        DrawingError: there is no such king or rook, or the rules have no castling.
    """
    if castling == "-":
        return {}
    if settings["castling"] == "never":
        raise DrawingError(tr("- for the castling rights, because of castling: never"), castling)
    homes: dict[int, tuple[int, int]] = {}
    for right in castling:
        rank, signs = (0, "KR") if right.isupper() else (7, "kr")
        kings = [x for x in range(8) if pieces.get((x, rank)) == signs[0]]
        rooks = [x for x in range(8) if kings and pieces.get((x, rank)) == signs[1]]
        if right.upper() == "K":
            rooks = [x for x in rooks if x > kings[0]][-1:]
        elif right.upper() == "Q":
            rooks = [x for x in rooks if x < kings[0]][:1]
        else:
            rooks = [x for x in rooks if x == "ABCDEFGH".index(right.upper())]
        if len(kings) != 1 or not rooks:
            requirement = tr("king and rook on their first rank for castling {right}", right=right)
            raise DrawingError(requirement, tr("{castling} without them", castling=castling))
        number = 2 * right.islower() + (rooks[0] < kings[0])
        if number in homes:
            raise DrawingError(tr("only one castling rook on each side of the king"), castling)
        homes[number] = (kings[0], rooks[0])
    return homes


def _attacked(pieces: Pieces, square: tuple[int, int], side: int, settings: Mapping[str, Setting]) -> bool:
    """Return whether a piece of a colour (0 White, 1 Black) attacks a square."""
    x, y = square
    set_case = str.upper if side == 0 else str.lower
    ahead = 1 if side == 0 else -1
    for toggle, standard in USUAL.items():
        letter = "P" if toggle == "pawn_moves" else standard
        for ray in piece_rays(toggle, side, settings):
            path = [(x - n * ahead * ray.right, y - n * ahead * ray.ahead) for n in range(1, ray.takes + 1)]
            if next((pieces[cell] for cell in path if cell in pieces), "") == set_case(letter):
                return True
    return False
