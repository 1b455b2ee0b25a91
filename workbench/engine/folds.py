"""Symmetries under which a unit's worth does not depend on its place; starts no compiler."""

from __future__ import annotations

from typing import Any, NamedTuple

Symmetry = tuple[int, int, int, int]
"""A rotation or reflection about the centre of a board: (a, b, c, d) moves the cell x columns and y rows from the
centre to (ax + by, cx + dy)."""
SAME, HALF_TURN, LEFT_RIGHT, DIAGONAL = (1, 0, 0, 1), (-1, 0, 0, -1), (-1, 0, 0, 1), (0, 1, 1, 0)
HEXAGON_SIXTH, HEXAGON_LEFT_RIGHT = (0, -1, 1, 1), (-1, -1, 0, 1)
"""Symmetries of hexagons, where each row is half a cell to the right of the row above (`games.declaration.Board`);
``DIAGONAL`` is the reflection in the line from the upper left to the lower right corner there, too."""


def apply_symmetry(symmetry: Symmetry, x: Any, y: Any) -> tuple[Any, Any]:
    """Return the image of the cell (or cells) x columns and y rows from the centre."""
    a, b, c, d = symmetry
    return a * x + b * y, c * x + d * y


class Fold(NamedTuple):
    """Places that are worth the same to a unit, as seen by its owner."""

    symmetries: tuple[Symmetry, ...] = ()
    """Generators of the symmetry group."""
    second: Symmetry = HALF_TURN
    """The symmetry that shows the second seat's board as the first seat sees its own."""

    def images(self, size: int, x: int, y: int) -> set[tuple[int, int]]:
        """Return the places that are worth as much as one, on a board of ``size`` columns and rows."""
        last = size - 1
        # In halves of a cell, since the centre may be between cells.
        found: set[tuple[int, int]] = set()
        new = {(2 * x - last, 2 * y - last)}
        while new:
            found |= new
            new = {apply_symmetry(symmetry, *place) for symmetry in self.symmetries for place in new} - found
        return {((x + last) // 2, (y + last) // 2) for x, y in found}

    def representative(self, owner: int, size: int, x: int, y: int) -> tuple[int, int]:
        """Return the representative of the places that are worth as much as one to a unit of an owner (0 or 1)."""
        last = size - 1
        x, y = apply_symmetry(self.second if owner else SAME, 2 * x - last, 2 * y - last)
        return min(self.images(size, (x + last) // 2, (y + last) // 2))


UNFOLDED = Fold()
"""No symmetry."""
MIRRORED = Fold((LEFT_RIGHT,))
"""Left and right on a board of squares."""
SQUARE = Fold((LEFT_RIGHT, DIAGONAL))
"""The 8 symmetries of a square."""
RHOMBUS = Fold((HALF_TURN, DIAGONAL))
"""The 4 symmetries of a rhombus of hexagons."""
HEX = Fold((HALF_TURN,), second=DIAGONAL)
"""A rhombus in which one seat joins top and bottom and the other left and right, as in Hex."""
HEXAGON = Fold((HEXAGON_SIXTH, HEXAGON_LEFT_RIGHT))
"""The 12 symmetries of a regular hexagon; its board has an odd number of rows, and no cells in its upper left and lower
right corner."""
HEXAGON_MIRRORED = Fold((HEXAGON_LEFT_RIGHT,))
"""Left and right on that hexagon, where the seats play up and down the board."""
