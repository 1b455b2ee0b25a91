"""Start positions of draughts: conversion of a ruleset's FEN for the kernel, and checks of the position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.base.language import quoted, tr
from workbench.games.declaration import Board, Setting
from workbench.games.draughts.rules_squares import (
    ALL,
    DARK,
    EXTENTS,
    LETTERS,
    FenError,
    read_pieces,
    square_bit,
    square_naming,
    squares,
)
from workbench.games.drawings import DrawingError, Shown, check_first_mover

KIND_SHIFT = 16
KING, ROYAL = 2, 4
"""Bits of a piece, above its owner's seat; in a word they start at `KIND_SHIFT`, above the square."""
KINDS = {"": 0, "K": KING, "R": KING | ROYAL}
SIGNS = {("W", ""): "w", ("W", "K"): "W", ("W", "R"): "R", ("B", ""): "b", ("B", "K"): "B", ("B", "R"): "r"}
"""A piece's letter by colour and FEN prefix."""
SYMBOLS = dict(zip("wWRbBr", "○◎☆●◉★", strict=True))


def read(toggle: str, text: str, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    """Return the seat to move first, followed by the pieces in order; empty for the standard setup.

    Raises:
        DrawingError: the position is invalid.
    """
    turn, *parts = text.split(":")
    first, bits = square_naming(settings).first, _bits(settings)
    placed: dict[str, int] = {}
    for part, kind, square in _pieces(parts, settings):
        if square in placed:
            raise DrawingError(tr("one piece per square"), tr("two on {square}", square=square))
        placed[square] = int(part != first) | KINDS[kind]
    _check(placed, settings)
    words = sorted(kind << KIND_SHIFT | bits[square] for square, kind in placed.items())
    seat = int(turn != first)
    check_first_mover(settings, seat)
    return () if seat == 0 and words == _rows(settings) else (seat, *words)


def _pieces(parts: list[str], settings: Mapping[str, Setting]) -> Iterator[tuple[str, str, str]]:
    """Yield each piece's colour, kind and square from the parts of a FEN; raise `DrawingError` if it is invalid."""
    if sorted(part[:1] for part in parts) != ["B", "W"]:
        raise DrawingError(tr("the pieces of W and B, each after a colon"), quoted(":".join(parts)[:60]))
    try:
        for part in parts:
            for kind, square in read_pieces(part[1:], settings):
                yield part[0], kind, square
    except FenError as error:
        raise DrawingError(error.what, error.found) from None


def shown(toggle: str, setting: Setting, settings: Mapping[str, Setting]) -> Shown:
    """Return the pieces by letter, with W's side below: w and b, kings W and B, royal pieces R and r."""
    (files, ranks), squares_by_name = EXTENTS[settings["size"]], squares(settings)
    cells = {name: (square.row, square.column) for name, square in squares_by_name.items()}
    signs: dict[tuple[int, int], str] = {}
    if setting == "rows":
        bits, first = _bits(settings), square_naming(settings).first
        kinds = {word & 0xFFFF: word >> KIND_SHIFT for word in _rows(settings)}
        for name, cell in cells.items():
            if (kind := kinds.get(bits[name])) is not None:
                signs[cell] = "wb"[kind ^ (first == "B")]
    else:
        for colour, prefix, name in _pieces(str(setting).split(":")[1:], settings):
            signs[cells[name]] = SIGNS[colour, prefix]
    names = {cell: name for name, cell in cells.items()}
    lettered = square_naming(settings).lettered
    rows = [min((x, name) for (y, x), name in names.items() if y == row)[1] for row in range(ranks)]
    board = Board(
        cells=tuple(tuple(SYMBOLS.get(signs.get((y, x), ""), "") for x in range(files)) for y in range(ranks)),
        columns=tuple(LETTERS[:files]) if lettered else (" ",) * files,
        rows=tuple(name.lstrip(LETTERS) for name in rows),
        shaded=frozenset(cell for cell in names if settings["squares"] == "dark" or (sum(cell) + ranks) % 2),
    )
    return Shown(signs, names, board)


def text(toggle: str, signs: Mapping[tuple[int, int], str], settings: Mapping[str, Setting]) -> str:
    """Return the FEN, with the side to move unchanged."""
    old_fen = str(settings[toggle])
    turn = square_naming(settings).first if old_fen == "rows" else old_fen[0]
    pieces: dict[str, list[str]] = {"W": [], "B": []}
    for name, square in squares(settings).items():
        if sign := signs.get((square.row, square.column), ""):
            colour, kind = next(key for key, letter in SIGNS.items() if letter == sign)
            pieces[colour].append(kind + name)
    return f"{turn}:W{','.join(pieces['W'])}:B{','.join(pieces['B'])}"


def _bits(settings: Mapping[str, Setting]) -> dict[str, int]:
    """Return the kernel's bit for each square."""
    extent, used = EXTENTS[settings["size"]], DARK if settings["squares"] == "dark" else ALL
    return {name: square_bit(used, extent, square.x, square.y) for name, square in squares(settings).items()}


def _rows(settings: Mapping[str, Setting]) -> list[int]:
    """Return the pieces of the standard setup in rows; empty if there is a royal piece."""
    last, low = EXTENTS[settings["size"]][1] - 1, int(settings["empty_back_rows"])
    if settings["royal"] != "none":
        return []
    high = low + int(settings["rows"])
    rows = {bit: squares(settings)[name].y for name, bit in _bits(settings).items()}
    words = [bit for bit, row in rows.items() if low <= row < high]
    return sorted([*words, *(1 << KIND_SHIFT | bit for bit, row in rows.items() if low <= last - row < high)])


def _check(placed: Mapping[str, int], settings: Mapping[str, Setting]) -> None:
    last = EXTENTS[settings["size"]][1] - 1
    for square, kind in placed.items():
        if not kind & KING and squares(settings)[square].y == (0 if kind & 1 else last):
            raise DrawingError(tr("only kings on their owner's last row"), tr("a man on {square}", square=square))
        if kind & KING and settings["goal"] == "first-king":
            raise DrawingError(tr("only men, since the first king wins"), tr("a king on {square}", square=square))
        if settings["goal"] == "two-kings" and [*placed.values()].count(kind) > 1 and kind & KING:
            limit = tr("at most one king per player, since two win")
            raise DrawingError(limit, tr("a king on {square}", square=square))
    royal = int(settings["royal"] != "none")
    for seat, name in enumerate(("first", "second")):
        pieces = [kind for kind in placed.values() if kind & 1 == seat]
        if not pieces:
            raise DrawingError(tr("pieces of both players"), tr("none for the {name} player", name=name))
        if (count := sum(bool(kind & ROYAL) for kind in pieces)) != royal:
            rule = tr("one royal piece (R) for each player") if royal else tr("no royal pieces (R) under these rules")
            raise DrawingError(rule, tr("{count} for the {name} player", count=count, name=name))
