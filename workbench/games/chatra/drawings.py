"""Areas and start positions of Chatra: conversion for the kernel, and checks of the position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.base.language import tr
from workbench.games.chatra.rules import PLAYERS
from workbench.games.declaration import Board, Setting
from workbench.games.drawings import MARKED, UNMARKED, DrawingError, Shown, drawing_rows, join_signs, marked, signed

AREAS = {"object_area": 2, "drop_area": 1}
"""The toggles that mark squares, with the minimum number of marked squares."""
AWAY_FROM_CENTRE = (1,)
"""The code of ``object_area: away-from-centre``."""
SYMBOLS = dict(zip("bwBW", "●○★☆", strict=True))
SIGNS = "bwBW"
"""The letters of Black's and White's subjects and objects in drawings."""

Cell = tuple[int, int]
"""Row and column, from the top left."""


def read(toggle: str, text: str, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    """Return the four words of a map or, for a start position, the four words of each sign in `SIGNS`.

    A map with the meaning of a named value is converted to that value's code.

    Raises:
        DrawingError: the drawing does not fit the board, or no game can start from it.
    """
    size = int(settings["size"])
    if toggle == "start_position":
        return _start(text, size, settings)
    _check_signs(text, (MARKED, UNMARKED))
    cells = marked(text, size)
    if len(cells) < AREAS[toggle]:
        raise DrawingError(tr("at least {areas} squares marked x", areas=AREAS[toggle]), len(cells))
    all_cells = [(y, x) for y in range(size) for x in range(size)]
    if toggle == "drop_area":
        return () if cells == all_cells else _words(cells)
    third = size // 3
    for code, low in (((), third), (AWAY_FROM_CENTRE, third - 1)):
        if cells == [(y, x) for y, x in all_cells if not (low <= y < size - low and low <= x < size - low)]:
            return code
    return _words(cells)


def shown(toggle: str, setting: Setting, settings: Mapping[str, Setting]) -> Shown:
    """Return the marked squares, or the letters of subjects and objects."""
    size = int(settings["size"])
    all_cells, third = [(y, x) for y in range(size) for x in range(size)], size // 3
    signs: dict[Cell, str] = {}
    if toggle == "start_position":
        rows = [] if setting == "empty" else drawing_rows(str(setting))
        signs = {(y, x): sign for y, row in enumerate(rows) for x, sign in enumerate(row) if sign != "."}
        if not set(signs) <= set(all_cells):
            raise DrawingError(tr("{size} rows of {size} squares", size=size), f"{len(rows)}")
    elif setting == "everywhere":
        signs = dict.fromkeys(all_cells, MARKED)
    elif setting in ("outside-centre", "away-from-centre"):
        low = third - (setting == "away-from-centre")
        signs = {(y, x): MARKED for y, x in all_cells if not (low <= y < size - low and low <= x < size - low)}
    else:
        signs = dict.fromkeys(marked(str(setting), size), MARKED)
    board = Board(
        cells=tuple(tuple(SYMBOLS.get(signs.get((y, x), ""), "") for x in range(size)) for y in range(size)),
        columns=tuple("abcdefghijklmno"[:size]),
        rows=tuple(str(y + 1) for y in range(size)),
        shaded=frozenset((y, x) for y, x in all_cells if (3 * (y // third) + x // third) % 2 == 0),
    )
    return Shown(signs, {(y, x): f"{'abcdefghijklmno'[x]}{y + 1}" for y, x in all_cells}, board)


def text(toggle: str, signs: Mapping[Cell, str], settings: Mapping[str, Setting]) -> str:
    """Return a drawing as text, with its rows separated by slashes."""
    return "/".join(join_signs(signs, int(settings["size"])))


def _start(text: str, size: int, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    rows = drawing_rows(text)
    _check_signs(text, (*SIGNS, "."))
    if len(rows) != size:
        raise DrawingError(tr("{size} rows", size=size), len(rows))
    for number, row in enumerate(rows):
        if len(row) != size:
            raise DrawingError(
                tr("{size} squares", size=size), tr("{count} in row {row}", count=len(row), row=number + 1), number
            )
    signs_by_cell = [((y, x), sign) for y, row in enumerate(rows) for x, sign in enumerate(row)]
    cells = {sign: [cell for cell, other in signs_by_cell if other == sign] for sign in SIGNS}
    object_counts = len(cells["B"]), len(cells["W"])
    if object_counts not in ((0, 0), (1, 1)):
        counts = tr("{black} for Black and {white} for White", black=object_counts[0], white=object_counts[1])
        raise DrawingError(tr("one object for each player (B and W), or none"), counts)
    if settings["subjects"] != "unlimited":
        black, white = settings["subjects"], settings["white_supply"]
        limits = {"b": int(black), "w": int(black if white == "as-black" else white)}
        for sign, player in zip("bw", PLAYERS, strict=True):
            if len(cells[sign]) > limits[sign]:
                raise DrawingError(
                    tr("at most {most} subjects of {player}", most=limits[sign], player=player), len(cells[sign])
                )
    if not any(cells.values()):
        return ()
    if settings["opening"] == "subject-first" and object_counts == (0, 0):
        requirement = tr("both objects on the board too, or opening: objects-first")
        raise DrawingError(requirement, tr("subjects placed before the opening's first subject"))
    for player, sign, enemy in zip(PLAYERS, "BW", "wb", strict=True):
        for cell in cells[sign]:
            if _in_reach(cell, cells[enemy]):
                requirement = tr("{player}'s object out of reach of the enemy subjects", player=player)
                raise DrawingError(requirement, tr("an object within their reach"))
    return tuple(word for sign in SIGNS for word in _words(cells[sign]))


def _in_reach(cell: Cell, subjects: Iterable[Cell]) -> bool:
    """Return whether subjects could attack a square if all of them were linked and nothing were in the way."""
    y, x = cell
    subjects = list(subjects)
    for v, u in subjects:
        if abs(y - v) <= 1 and abs(x - u) <= 1:
            return True
        for w, t in subjects:
            # The subject may fly about the one at (w, t), or slide away from it by at most their distance.
            if (w, t) == (v, u):
                continue
            if (2 * w - v, 2 * t - u) == cell:
                return True
            arm, offset = (v - w, u - t), (y - v, x - u)
            in_line = arm[0] == 0 or arm[1] == 0 or abs(arm[0]) == abs(arm[1])
            steps, length = max(map(abs, offset)), max(map(abs, arm))
            parallel = all(length * a == steps * b for a, b in zip(offset, arm, strict=True))
            if in_line and steps <= length and parallel:
                return True
    return False


def _check_signs(text: str, signs: Iterable[str]) -> None:
    for number, row in enumerate(drawing_rows(text)):
        if invalid := set(row) - set(signs):
            problem = tr("'{sign}' in row {row}", sign=min(invalid), row=number + 1)
            raise DrawingError(tr("the signs {signs}", signs=" ".join(signs)), problem, number)


def _words(cells: Iterable[Cell]) -> tuple[int, ...]:
    """Return a set of squares in the kernel's format, with a 16-bit lane per row and four rows per word."""
    words = [0, 0, 0, 0]
    for y, x in cells:
        words[y >> 2] |= 1 << (((y & 3) << 4) + x)
    return tuple(map(signed, words))
