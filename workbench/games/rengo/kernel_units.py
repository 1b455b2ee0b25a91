"""What the units of the mixed game can do, as NumPy tables made from the declaration (`UNITS`); no compiled code."""

from __future__ import annotations

import re

import numpy as np

from workbench.games.rengo.rules import CHOOSES_ON_LAST_ROW as CHOOSES_ON_LAST_ROW
from workbench.games.rengo.rules import KEEPS as KEEPS
from workbench.games.rengo.rules import OTHELLO as OTHELLO
from workbench.games.rengo.rules import PROMOTES_AT_WILL as PROMOTES_AT_WILL
from workbench.games.rengo.rules import PROMOTES_IN_ZONE as PROMOTES_IN_ZONE
from workbench.games.rengo.rules import PROMOTES_PAST_MIDDLE as PROMOTES_PAST_MIDDLE
from workbench.games.rengo.rules import SHOGI as SHOGI
from workbench.games.rengo.rules import UNITS

LETTERS = ("", *(unit.letter for unit in UNITS))
KIND = {letter: kind for kind, letter in enumerate(LETTERS) if letter}

KINDS = 64
"""Room of the tables: a kind is six bits of a cell."""
KINGS = 5
"""Kinds 1 to 5 are the kings."""
SHOGI_KING, CHESS_KING, XIANGQI_KING, JANGGI_KING, MAKRUK_KING = range(1, 6)
PAWN = KIND["歩"]
LANCE, KNIGHT = KIND["香"], KIND["桂"]
QUEEN, BISHOP, HORSE, ROOK = KIND["后"], KIND["僧"], KIND["騎"], KIND["城"]
CANNON, HOPPER = KIND["炮"], KIND["包"]
MAN, CROWN = KIND["平"], KIND["冠"]
GO_STONE, OTHELLO_STONE, RENJU_STONE = KIND["碁"], KIND["翻"], KIND["珠"]
FIRST_STONE = GO_STONE
"""This kind and those above it are stones: they never move."""

HELD = ("金", "銀", "桂", "香", "飛", "角", "歩", "翻", "碁", "珠")
"""What a hand can hold."""
SLOTS = len(HELD)

DIRECTIONS = ((0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, -1), (-1, 1), (1, 1))
"""Steps (columns, rows) as the first player sees them; the second player's are these turned by 180 degrees."""
LEAPS = tuple(
    (dx, dy)
    for near, far in ((1, 2), (2, 2), (2, 3))
    for dx in range(-far, far + 1)
    for dy in range(-far, far + 1)
    if sorted((abs(dx), abs(dy))) == [near, far]
)
"""All leaps of any unit, as `DIRECTIONS`."""

_STEPS = {"W": range(4), "F": range(4, 8), "K": range(8)}
_RIDES = {"R": range(4), "B": range(4, 8), "Q": range(8)}
_LEAPS = {"N": (1, 2), "A": (2, 2), "Z": (2, 3)}


def _allowed(modifiers: str, dx: int, dy: int) -> bool:
    """Return whether a direction or leap is one that the modifiers of a Betza atom leave open."""
    if "ff" in modifiers:
        return dy < 0 and abs(dy) > abs(dx)
    if "f" in modifiers:
        return dy < 0
    return "s" not in modifiers or dy == 0


def _tables() -> tuple[np.ndarray, ...]:
    """Bit masks of each kind: quiet steps, capturing steps, quiet rides, capturing rides, leaps; and what is lame."""
    quiet, takes, rides, ride_takes, leaps, lame = (np.zeros(KINDS, np.int64) for _ in range(6))
    for kind, unit in enumerate(UNITS, start=1):
        for modifiers, atom in re.findall(r"([a-z]*)([A-Z])", unit.betza):
            if "p" in modifiers:
                continue
            if atom in _LEAPS:
                for i, (dx, dy) in enumerate(LEAPS):
                    if sorted((abs(dx), abs(dy))) == [*_LEAPS[atom]] and _allowed(modifiers, dx, dy):
                        leaps[kind] |= 1 << i
                lame[kind] |= "n" in modifiers
                continue
            riding = atom in _RIDES
            for d in _RIDES[atom] if riding else _STEPS[atom]:
                if _allowed(modifiers, *DIRECTIONS[d]):
                    if "c" not in modifiers:
                        (rides if riding else quiet)[kind] |= 1 << d
                    if "m" not in modifiers:
                        (ride_takes if riding else takes)[kind] |= 1 << d
    return quiet, takes, rides, ride_takes, leaps, lame


QUIET, TAKES, RIDES, RIDE_TAKES, LEAPING, LAME = _tables()

LEAP_X = np.array([dx for dx, _ in LEAPS], np.int64)
LEAP_Y = np.array([dy for _, dy in LEAPS], np.int64)


def _legs() -> np.ndarray:
    """The cells that block each leap of a lame unit, relative to where it starts: x, y, x, y; twice the same if one."""
    legs = []
    for dx, dy in LEAPS:
        diagonal = (dx // abs(dx), dy // abs(dy))
        straight = diagonal if abs(dx) == abs(dy) else (diagonal[0], 0) if abs(dx) > abs(dy) else (0, diagonal[1])
        second = (straight[0] + diagonal[0], straight[1] + diagonal[1]) if max(abs(dx), abs(dy)) == 3 else straight
        legs.append((*straight, *second))
    return np.array(legs, np.int64)


LEGS = _legs()
STEP_X = np.array([dx for dx, _ in DIRECTIONS], np.int64)
STEP_Y = np.array([dy for _, dy in DIRECTIONS], np.int64)
OPPOSITE = np.array([DIRECTIONS.index((-dx, -dy)) for dx, dy in DIRECTIONS], np.int64)

GAME, COST, PROMOTION, PROMOTED, SLOT, GROUP = (np.zeros(KINDS, np.int64) for _ in range(6))
"""By kind: its game, its cost by the source's table, how and into what it promotes, its slot in a hand or -1, and its
`GROUP`."""
NO_GROUP, LEAPERS, SCREENED, JUMPERS, STONES_OF_GO, STONES_OF_OTHELLO, STONES_OF_RENJU = range(7)
"""Groups of kinds that a state counts, so that what is not on the board is not looked for."""
GROUPS = 7
SLOT[:] = -1
for _kind, _unit in enumerate(UNITS, start=1):
    GAME[_kind], COST[_kind], PROMOTION[_kind] = _unit.game, _unit.cost, _unit.promotion
    PROMOTED[_kind] = KIND[_unit.promoted] if _unit.promoted else 0
    if _unit.letter.removeprefix("+") in HELD:
        SLOT[_kind] = HELD.index(_unit.letter.removeprefix("+"))
    if LEAPING[_kind]:
        GROUP[_kind] = LEAPERS
for _group, _kinds in (
    (SCREENED, (CANNON, HOPPER)),
    (JUMPERS, (MAN, CROWN)),
    (STONES_OF_GO, (GO_STONE,)),
    (STONES_OF_OTHELLO, (OTHELLO_STONE,)),
    (STONES_OF_RENJU, (RENJU_STONE,)),
):
    for _kind in _kinds:
        GROUP[_kind] = _group
SOLDIER = np.array([0, *(unit.role == "soldier" and unit.most > 0 for unit in UNITS)], np.int64)
LAST_ROWS = np.zeros(KINDS, np.int64)
"""On how many rows at the far edge a shogi piece could never move again."""
LAST_ROWS[PAWN] = LAST_ROWS[LANCE] = 1
LAST_ROWS[KNIGHT] = 2
HELD_KIND = np.array([KIND[letter] for letter in HELD], np.int64)

SOLDIER_ROW = {9: 3, 13: 4, 19: 4, 8: 2, 15: 4, 10: 4}
"""The row of soldiers by the size of the board, counted from the own edge: on go and renju boards that of the stars."""
SOLDIERS = np.zeros(20, np.int64)
for _n, _row in SOLDIER_ROW.items():
    SOLDIERS[_n] = _row
