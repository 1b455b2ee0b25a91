"""Which places on a board are worth the same to a unit. Plain names: starts no compiler."""

from __future__ import annotations

UNFOLDED, MIRRORED, SQUARE = "unfolded", "mirrored", "square"
"""Each place its own; those that mirror each other left and right; those that any turn or mirroring of a square board
exchanges."""
FOLDS = (UNFOLDED, MIRRORED, SQUARE)


def folded(fold: str, size: int, x: int, y: int) -> tuple[int, int]:
    """The cell that stands for all those that are worth as much, on a square board of ``size`` cells a side."""
    if fold == UNFOLDED:
        return x, y
    mirrored = min(x, size - 1 - x)
    if fold == MIRRORED:
        return mirrored, y
    near, far = sorted((mirrored, min(y, size - 1 - y)))
    return near, far
