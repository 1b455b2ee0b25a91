"""Which places on a board are worth the same to a unit. Plain tuples: starts no compiler."""

from __future__ import annotations

from typing import NamedTuple

Symmetry = tuple[int, int, int, int]
"""A turning or mirroring about the middle of a board: (a, b, c, d) moves what lies x columns and y rows from there to
(ax + by, cx + dy)."""
SAME, HALF_TURN, LEFT_RIGHT, DIAGONAL = (1, 0, 0, 1), (-1, 0, 0, -1), (-1, 0, 0, 1), (0, 1, 1, 0)
HEXAGON_SIXTH, HEXAGON_LEFT_RIGHT = (0, -1, 1, 1), (-1, -1, 0, 1)
"""On hexagons, each row half a cell farther to the right than the one above it (`games.declaration.Board`): there
``DIAGONAL`` mirrors along the line from the left upper corner to the right lower one, too."""


class Fold(NamedTuple):
    """Places that are worth the same to a unit, seen by its owner."""

    symmetries: tuple[Symmetry, ...] = ()
    """What exchanges them, as does all that follows from these."""
    second: Symmetry = HALF_TURN
    """How the second seat's board is moved, to be seen as the first sees its own."""

    def images(self, size: int, x: int, y: int) -> set[tuple[int, int]]:
        """Return the places worth as much as one, on a board of ``size`` columns and rows."""
        last = size - 1
        # In halves of a cell, since the middle may lie between cells.
        found: set[tuple[int, int]] = set()
        more = {(2 * x - last, 2 * y - last)}
        while more:
            found |= more
            more = {moved(symmetry, *place) for symmetry in self.symmetries for place in more} - found
        return {((x + last) // 2, (y + last) // 2) for x, y in found}

    def seen(self, owner: int, size: int, x: int, y: int) -> tuple[int, int]:
        """Return the place that stands for all those that are worth as much to a unit of an owner (0 or 1) on one."""
        last = size - 1
        x, y = moved(self.second if owner else SAME, 2 * x - last, 2 * y - last)
        return min(self.images(size, (x + last) // 2, (y + last) // 2))


def moved(symmetry: Symmetry, x: int, y: int) -> tuple[int, int]:
    """Where a symmetry moves what lies x columns and y rows from the middle."""
    a, b, c, d = symmetry
    return a * x + b * y, c * x + d * y


UNFOLDED = Fold()
"""Each place is its own."""
MIRRORED = Fold((LEFT_RIGHT,))
"""Places that mirror each other left and right, on a board of squares."""
SQUARE = Fold((LEFT_RIGHT, DIAGONAL))
"""Those that any of the 8 turnings and mirrorings of a square board exchanges."""
RHOMBUS = Fold((HALF_TURN, DIAGONAL))
"""Those that any of the 4 of a rhombus of hexagons exchanges."""
HEX = Fold((HALF_TURN,), second=DIAGONAL)
"""The same, where one seat joins the top and the bottom of the rhombus and the other its left and right, as in Hex."""
HEXAGON = Fold((HEXAGON_SIXTH, HEXAGON_LEFT_RIGHT))
"""Those that any of the 12 of a regular hexagon exchanges; its board has an odd number of rows, and its left
upper and right lower corner have no cells."""
HEXAGON_MIRRORED = Fold((HEXAGON_LEFT_RIGHT,))
"""Those that mirror each other left and right there, where the seats play up and down the board."""
