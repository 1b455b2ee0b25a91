"""Board symmetries that leave the worth of a unit unchanged. Importing this module starts no compiler."""

from __future__ import annotations

from typing import Any, NamedTuple

Symmetry = tuple[int, int, int, int]
"""A rotation or reflection about the centre of a board: (a, b, c, d) moves the cell x columns and y rows from the
centre to (ax + by, cx + dy)."""
SAME, HALF_TURN, LEFT_RIGHT, DIAGONAL = (1, 0, 0, 1), (-1, 0, 0, -1), (-1, 0, 0, 1), (0, 1, 1, 0)
HEXAGON_SIXTH, HEXAGON_LEFT_RIGHT = (0, -1, 1, 1), (-1, -1, 0, 1)
"""Symmetries of hexagons, where each row is half a cell to the right of the row above (`games.declaration.Board`);
``DIAGONAL`` again reflects in the line from the upper left to the lower right corner."""


def apply_symmetry(symmetry: Symmetry, x: Any, y: Any) -> tuple[Any, Any]:
    """Return the image of a cell, or of arrays of cells, x columns and y rows from the centre."""
    a, b, c, d = symmetry
    return a * x + b * y, c * x + d * y


class Fold(NamedTuple):
    """A set of symmetries under which a cell keeps its worth for a kind of unit, as seen by its owner."""

    symmetries: tuple[Symmetry, ...] = ()
    """Generators of the symmetry group."""
    second: Symmetry = HALF_TURN
    """The symmetry that turns the second seat's view of the board into the first seat's."""

    def images(self, size: int, x: int, y: int) -> set[tuple[int, int]]:
        """Return all cells equivalent to (x, y) on a board of ``size`` columns and rows."""
        last = size - 1
        # Coordinates are in half cells, since the centre may lie between cells.
        images: set[tuple[int, int]] = set()
        new = {(2 * x - last, 2 * y - last)}
        while new:
            images |= new
            new = {apply_symmetry(symmetry, *place) for symmetry in self.symmetries for place in new} - images
        return {((x + last) // 2, (y + last) // 2) for x, y in images}

    def representative(self, owner: int, size: int, x: int, y: int) -> tuple[int, int]:
        """Return the smallest cell equivalent to (x, y) for a unit of ``owner`` (0 or 1)."""
        last = size - 1
        x, y = apply_symmetry(self.second if owner else SAME, 2 * x - last, 2 * y - last)
        return min(self.images(size, (x + last) // 2, (y + last) // 2))


UNFOLDED = Fold()
"""No symmetry."""
MIRRORED = Fold((LEFT_RIGHT,))
"""The left-right reflection of a board of squares."""
SQUARE = Fold((LEFT_RIGHT, DIAGONAL))
"""The 8 symmetries of a square."""
RHOMBUS = Fold((HALF_TURN, DIAGONAL))
"""The 4 symmetries of a rhombus of hexagons."""
HEX = Fold((HALF_TURN,), second=DIAGONAL)
"""A rhombus on which one seat connects top and bottom and the other left and right, as in Hex."""
HEXAGON = Fold((HEXAGON_SIXTH, HEXAGON_LEFT_RIGHT))
"""The 12 symmetries of a regular hexagon; its board has an odd number of rows and no cells in its upper left and lower
right corners."""
HEXAGON_MIRRORED = Fold((HEXAGON_LEFT_RIGHT,))
"""The left-right reflection of that hexagon, for games played up and down the board."""
