"""The board of the mixed game for its twin: cells, how each unit moves and jumps, and groups that are enclosed.

Written from the rule text, like `tests.games.rengo.twin`, which plays the game.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

Square = tuple[int, int]
Setting = str | int | float | bool
Settings = Mapping[str, Setting]
Hand = Mapping[str, int]

SIZES = {"go9": 9, "go13": 13, "go19": 19, "othello8": 8, "renju15": 15, "draughts10": 10}
SOLDIER_ROWS = {"go9": 3, "go13": 4, "go19": 4, "othello8": 2, "renju15": 4, "draughts10": 4}
"""The row of the soldiers, counted from the own edge; the enemy's is where shogi pieces and 貝 begin to promote."""
COLUMNS = "abcdefghijklmnopqrs"
RESULT_OF_WINNER = ("first", "second")

KINGS = "玉王帥楚君"
SHOGI_PIECES = "玉金銀桂香飛角歩"
STONES = "碁翻珠"


class Unit(NamedTuple):
    """A unit on the board."""

    kind: str
    side: int


Stage = dict[Square, Unit]


# --- Cells ------------------------------------------------------------------------------------------------------------


def name(cell: Square) -> str:
    """The cell in the notation of the rules: a1 is the upper left corner."""
    return COLUMNS[cell[0]] + str(cell[1] + 1)


def cell_of(text: str) -> Square:
    """The cell that a name such as "k12" stands for."""
    return COLUMNS.index(text[0]), int(text[1:]) - 1


@functools.cache
def cells(size: int) -> tuple[Square, ...]:
    """Every cell of the board."""
    return tuple((x, y) for y in range(size) for x in range(size))


@functools.cache
def neighbours(size: int, cell: Square) -> tuple[Square, ...]:
    """The up to four cells that share an edge with the cell."""
    x, y = cell
    around = ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1))
    return tuple((i, j) for i, j in around if 0 <= i < size and 0 <= j < size)


def rank(size: int, side: int, cell: Square) -> int:
    """The row of the cell counted from the side's own edge, from 1."""
    return size - cell[1] if side == 0 else cell[1] + 1


def between(a: Square, b: Square) -> list[Square]:
    """The cells strictly between two cells of one row, column or diagonal."""
    distance = max(abs(b[0] - a[0]), abs(b[1] - a[1]))
    dx, dy = (b[0] - a[0]) // distance, (b[1] - a[1]) // distance
    return [(a[0] + i * dx, a[1] + i * dy) for i in range(1, distance)]


# --- How units move ---------------------------------------------------------------------------------------------------

# Steps are (to the side, forward). W, F, N as in Betza's notation.
W = {(0, 1), (0, -1), (1, 0), (-1, 0)}
F = {(1, 1), (1, -1), (-1, 1), (-1, -1)}
N = {(1, 2), (1, -2), (-1, 2), (-1, -2), (2, 1), (2, -1), (-2, 1), (-2, -1)}
GOLD = W | {(1, 1), (-1, 1)}
SILVER = F | {(0, 1)}

STEPS: dict[str, set[tuple[int, int]]] = {
    **dict.fromkeys("玉王君士", W | F),
    **dict.fromkeys("帥楚", W),
    **dict.fromkeys(("金", "+銀", "+桂", "+香", "+歩"), GOLD),
    **dict.fromkeys("銀根", SILVER),
    **dict.fromkeys("仕種核", F),
    **dict.fromkeys("騎午", N),
    "桂": {(1, 2), (-1, 2)},
    "歩": {(0, 1)},
    "卒": {(0, 1)},
    "卆": {(0, 1), (1, 0), (-1, 0)},
    "+卒": {(0, 1), (1, 0), (-1, 0)},
    "+飛": F,
    "+角": W,
}
ROOKS = {"飛", "+飛", "城", "俥", "车", "船", "后"}
BISHOPS = {"角", "+角", "僧", "后"}


def goes(settings: Settings, stage: Stage, start: Square, end: Square) -> bool:
    """Whether the unit on start moves to end, taking what stands there; jumps of 平 and 冠 apart."""
    kind, side = stage[start]
    target = stage.get(end)
    if start == end or (target is not None and target.side == side):
        return False
    right, down = end[0] - start[0], end[1] - start[1]
    forward = -down if side == 0 else down
    if (right, forward) in STEPS.get(kind, ()):
        return True
    straight = right == 0 or down == 0
    diagonal = abs(right) == abs(down)
    if kind in "傌马":
        return sorted((abs(right), abs(down))) == [1, 2] and empty(stage, lame_path(start, end)[:1])
    if kind == "象":
        return sorted((abs(right), abs(down))) == [2, 3] and empty(stage, lame_path(start, end))
    if not straight and not diagonal:
        return False
    if (kind in ROOKS and straight) or (kind in BISHOPS and diagonal):
        return empty(stage, between(start, end))
    if kind == "香":
        return right == 0 and forward > 0 and empty(stage, between(start, end))
    if kind in "兵貝":
        return forward == 1 and (right == 0 if target is None else abs(right) == 1)
    if kind == "相":
        return abs(right) == abs(down) == 2 and empty(stage, between(start, end))
    if kind == "炮" and straight:
        screens = [cell for cell in between(start, end) if cell in stage]
        return len(screens) == (0 if target is None else 1)
    if kind == "包" and straight:
        screens = [cell for cell in between(start, end) if cell in stage]
        if target is not None and target.kind == "包":
            return False
        return len(screens) == 1 and stage[screens[0]].kind != "包"
    if kind == "平":
        return forward == 1 and abs(right) == 1 and target is None
    if kind == "冠" and diagonal:
        near = settings["crown"] == "flying" or abs(right) == 1
        return near and target is None and empty(stage, between(start, end))
    return False


def empty(stage: Stage, path: Sequence[Square]) -> bool:
    """Whether nothing stands on the cells."""
    return not any(cell in stage for cell in path)


def lame_path(start: Square, end: Square) -> list[Square]:
    """The cells passed by one orthogonal step along the longer axis and diagonal steps outward from there."""
    right, down = end[0] - start[0], end[1] - start[1]
    sx, sy = (1 if right > 0 else -1), (1 if down > 0 else -1)
    x, y = start
    if abs(down) > abs(right):
        return [(x, y + sy), (x + sx, y + 2 * sy)]
    return [(x + sx, y), (x + 2 * sx, y + sy)]


class Chain(NamedTuple):
    """A series of jumps of one 平 or 冠."""

    end: Square
    over: frozenset[Square]
    continues: bool
    """Whether it could jump on."""


def chains(settings: Settings, size: int, stage: Stage, start: Square) -> set[Chain]:
    """All series of jumps, also those that stop too early."""
    unit = stage[start]
    without = {cell: other for cell, other in stage.items() if cell != start}
    series: set[Chain] = set()
    waiting: list[tuple[Square, frozenset[Square]]] = [(start, frozenset())]
    seen = set(waiting)
    while waiting:
        here, over = waiting.pop()
        further = list(jumps(settings, size, without, unit, here, over))
        if over:
            series.add(Chain(here, over, bool(further)))
        for victim, landing in further:
            after = (landing, over | {victim})
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return series


def jumps(
    settings: Settings, size: int, stage: Stage, unit: Unit, here: Square, over: frozenset[Square]
) -> Iterator[tuple[Square, Square]]:
    """The single jumps from a cell: what is jumped and where it lands."""
    flies = unit.kind == "冠" and settings["crown"] == "flying"
    for dx, dy in F:
        ray = [(here[0] + i * dx, here[1] + i * dy) for i in range(1, size)]
        ray = [cell for cell in ray if 0 <= cell[0] < size and 0 <= cell[1] < size]
        occupied = [i for i, cell in enumerate(ray) if cell in stage]
        if not occupied or (occupied[0] > 0 and not flies):
            continue
        first = occupied[0]
        victim = ray[first]
        if stage[victim].side == unit.side or victim in over:
            continue
        until = occupied[1] if len(occupied) > 1 else len(ray)
        landings = ray[first + 1 : until]
        for landing in landings if flies else landings[:1]:
            yield victim, landing


# --- Go ---------------------------------------------------------------------------------------------------------------


def group_of(settings: Settings, size: int, stage: Stage, cell: Square) -> set[Square]:
    """The connected units of one side of which the unit on the cell is one; only 碁 where only they are taken."""
    side = stage[cell].side
    group, waiting = {cell}, [cell]
    while waiting:
        for other in neighbours(size, waiting.pop()):
            if other in group or other not in stage or stage[other].side != side:
                continue
            if settings["go_capture"] == "go-stones-only" and stage[other].kind != "碁":
                continue
            group.add(other)
            waiting.append(other)
    return group


def around(size: int, group: set[Square]) -> set[Square]:
    """The cells beside a group."""
    return {other for cell in group for other in neighbours(size, cell)} - group


def is_enclosed(settings: Settings, size: int, stage: Stage, group: set[Square]) -> bool:
    """Whether a group has neighbouring cells and all of them hold enemy 碁."""
    side = stage[next(iter(group))].side
    if settings["go_capture"] == "off":
        return False
    if settings["go_capture"] == "go-stones-only" and any(stage[cell].kind != "碁" for cell in group):
        return False
    outside = around(size, group)
    stone = Unit("碁", 1 - side)
    return bool(outside) and all(stage.get(cell) == stone for cell in outside)


def enclosed(settings: Settings, size: int, stage: Stage, side: int) -> set[Square]:
    """All cells of a side's groups that are enclosed."""
    looked_at: set[Square] = set()
    shut_in: set[Square] = set()
    stone = Unit("碁", 1 - side)
    for beside in [cell for cell, unit in stage.items() if unit == stone]:
        for cell in neighbours(size, beside):
            if cell in stage and stage[cell].side == side and cell not in looked_at:
                group = group_of(settings, size, stage, cell)
                looked_at |= group
                if is_enclosed(settings, size, stage, group):
                    shut_in |= group
    return shut_in
