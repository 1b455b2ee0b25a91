"""Start positions of draughts: what a FEN in a ruleset means to the kernel, and whether games can begin there."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench.games.declaration import Board, Setting
from workbench.games.draughts.kernel_tables import ALL, DARK, bit_of
from workbench.games.drawings import Misdrawn, Shown

LETTERS = "abcdefghijkl"
ENTRY = re.compile(r"([KR]?)([a-l]?[0-9]+)(?:-[KR]?([a-l]?[0-9]+))?")
KIND_SHIFT = 16
KING, ROYAL = 2, 4
"""What is added to the owner's seat: the bits above `KIND_SHIFT`, with the square's bit below."""
KINDS = {"": 0, "K": KING, "R": KING | ROYAL}
LETTERS_OF = {("W", ""): "w", ("W", "K"): "W", ("W", "R"): "R", ("B", ""): "b", ("B", "K"): "B", ("B", "R"): "r"}
"""The letter of a piece by its colour, and by what FEN writes before its square."""
SYMBOLS = dict(zip("wWRbBr", "○◎☆●◉★", strict=True))


def read(toggle: str, text: str, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    """The seat that moves first, then each piece, sorted; nothing for the rows of men that the rules would set up.

    Raises:
        Misdrawn: no game can begin there.
    """
    turn, *parts = text.split(":")
    first = _first_colour(settings)
    if sorted(part[:1] for part in parts) != ["B", "W"]:
        raise Misdrawn("the pieces of W and of B, each behind a colon", f"'{text[:60]}'")
    squares = _squares(settings)
    order = list(squares)
    placed: dict[str, int] = {}
    for part in parts:
        seat = int(part[0] != first)
        for entry in filter(None, part[1:].split(",")):
            match = ENTRY.fullmatch(entry)
            ends = (match[2], match[3] or match[2]) if match else ("", "")
            if match is None or not set(ends) <= set(squares):
                size = settings["size"]
                raise Misdrawn(f"squares of the {size}×{size} board such as {order[0]} or K{order[-1]}", f"'{entry}'")
            for square in order[order.index(ends[0]) : order.index(ends[1]) + 1]:
                if square in placed:
                    raise Misdrawn("one piece on a square", f"two on {square}")
                placed[square] = seat | KINDS[match[1]]
    _check(placed, squares, settings)
    words = sorted(kind << KIND_SHIFT | squares[square][0] for square, kind in placed.items())
    seat = int(turn != first)
    return () if seat == 0 and words == _rows(squares, settings) else (seat, *words)


def shown(toggle: str, setting: Setting, settings: Mapping[str, Setting]) -> Shown:
    """The pieces by letters: w and b, kings in capitals, royal pieces R and r; W's side is below."""
    size, squares = int(settings["size"]), _squares(settings)
    names = dict(zip(_cells(settings), squares, strict=True))
    signs: dict[tuple[int, int], str] = {}
    if setting == "rows":
        words, first = _rows(squares, settings), _first_colour(settings)
        kinds = {word & 0xFFFF: word >> KIND_SHIFT for word in words}
        for cell, name in names.items():
            if (kind := kinds.get(squares[name][0])) is not None:
                signs[cell] = "wb"[kind ^ (first == "B")]
    else:
        cells = {name: cell for cell, name in names.items()}
        _, *parts = str(setting).split(":")
        for part in parts:
            for entry in filter(None, part[1:].split(",")):
                match = ENTRY.fullmatch(entry)
                ends = (match[2], match[3] or match[2]) if match else ("", "")
                if match is None or not set(ends) <= set(cells):
                    raise Misdrawn(f"squares of the {size}×{size} board", f"'{entry}'")
                order = list(cells)
                for name in order[order.index(ends[0]) : order.index(ends[1]) + 1]:
                    signs[cells[name]] = LETTERS_OF[part[0], match[1]]
    board = Board(
        cells=tuple(tuple(SYMBOLS.get(signs.get((y, x), ""), "") for x in range(size)) for y in range(size)),
        columns=tuple(LETTERS[:size]) if not names[min(names)].isdigit() else (" ",) * size,
        rows=tuple(next(name for cell, name in names.items() if cell[0] == y).lstrip(LETTERS) for y in range(size)),
        shaded=frozenset(cell for cell in names if (sum(cell) + size) % 2),
    )
    return Shown(signs, names, board)


def text(toggle: str, signs: Mapping[tuple[int, int], str], settings: Mapping[str, Setting]) -> str:
    """The FEN, with the colour that moved first before."""
    drawn = str(settings[toggle])
    turn = _first_colour(settings) if drawn == "rows" else drawn[0]
    names = dict(zip(_cells(settings), _squares(settings), strict=True))
    pieces: dict[str, list[str]] = {"W": [], "B": []}
    for cell, name in names.items():
        if sign := signs.get(cell, ""):
            colour, kind = next(key for key, letter in LETTERS_OF.items() if letter == sign)
            pieces[colour].append(kind + name)
    return f"{turn}:W{','.join(pieces['W'])}:B{','.join(pieces['B'])}"


def _first_colour(settings: Mapping[str, Setting]) -> str:
    """The colour of the first seat, as the notation has it."""
    numbered = settings["squares"] == "dark" and settings["size"] != 9
    english = settings["king_capture"] == "adjacent" and settings["capture_choice"] == "any"
    return "B" if numbered and int(settings["size"]) <= 8 and english else "W"


def _squares(settings: Mapping[str, Setting]) -> dict[str, tuple[int, int]]:
    """The squares by name in reading order: bit, and row from the first seat's back row."""
    size, used = int(settings["size"]), DARK if settings["squares"] == "dark" else ALL
    turned, lettered = _first_colour(settings) == "B", used == ALL or size == 9
    squares: dict[str, tuple[int, int]] = {}
    for y, x in _cells(settings):
        column, row = (size - 1 - x, y) if turned else (x, size - 1 - y)
        name = f"{LETTERS[x]}{size - y}" if lettered else str(len(squares) + 1)
        squares[name] = bit_of(used, size, column, row), row
    return squares


def _cells(settings: Mapping[str, Setting]) -> list[tuple[int, int]]:
    """Row and column of every square that is played on, as the board is drawn."""
    size, used = int(settings["size"]), DARK if settings["squares"] == "dark" else ALL
    every = [(y, x) for y in range(size) for x in range(size)]
    return [(y, x) for y, x in every if bit_of(used, size, x, size - 1 - y) >= 0]


def _rows(squares: Mapping[str, tuple[int, int]], settings: Mapping[str, Setting]) -> list[int]:
    """The pieces as the rules set them up where nothing is drawn; a royal piece is no such man."""
    last, begin = int(settings["size"]) - 1, int(settings["empty_back_rows"])
    if settings["royal"] != "none":
        return []
    end = begin + int(settings["rows"])
    words = [bit for bit, row in squares.values() if begin <= row < end]
    return sorted([*words, *(1 << KIND_SHIFT | bit for bit, row in squares.values() if begin <= last - row < end)])


def _check(placed: Mapping[str, int], squares: Mapping[str, tuple[int, int]], settings: Mapping[str, Setting]) -> None:
    last = int(settings["size"]) - 1
    for square, kind in placed.items():
        if not kind & KING and squares[square][1] == (0 if kind & 1 else last):
            raise Misdrawn("kings on the last row of their owner", f"a man on {square}")
        if kind & KING and settings["goal"] == "first-king":
            raise Misdrawn("men, since the first king wins", f"a king on {square}")
    royal = int(settings["royal"] != "none")
    for seat, name in enumerate(("first", "second")):
        own = [kind for kind in placed.values() if kind & 1 == seat]
        if not own:
            raise Misdrawn("pieces of both players", f"none of the {name} player")
        if (count := sum(bool(kind & ROYAL) for kind in own)) != royal:
            wanted = "one royal piece (R) of each player" if royal else "no royal pieces (R) under these rules"
            raise Misdrawn(wanted, f"{count} of the {name} player")
