"""Where a unit stands, as players learn it: its kind's cells, folded, seen by its owner."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from workbench.engine import folds
from workbench.engine.contract import FOLDS, HAND, board_size
from workbench.engine.folds import folded


class Placing(NamedTuple):
    """The places of a ruleset's units."""

    of_kinds: Any
    """int64, shape (kinds, 2): where the places of a kind begin among those of all, and its fold."""
    of_cells: Any
    """int64, shape (folds, 2, HAND + 1): the place of a cell within a kind's, by fold and owner; in hand is the last
    place."""
    total: int
    """Places of all kinds."""


def placing(rules: Any) -> Placing:
    """The places of the units of a ruleset."""
    return _placing(FOLDS[type(rules)], int(board_size(rules)))


@functools.cache
def _placing(of_units: tuple[str, ...], size: int) -> Placing:
    of_cells = np.zeros((len(folds.FOLDS), 2, HAND + 1), np.int64)
    counts = []
    for number, fold in enumerate(folds.FOLDS):
        cells = sorted({folded(fold, size, x, y) for x in range(size) for y in range(size)})
        for x in range(size):
            for y in range(size):
                of_cells[number, 0, y << 5 | x] = cells.index(folded(fold, size, x, y))
                of_cells[number, 1, y << 5 | x] = cells.index(folded(fold, size, size - 1 - x, size - 1 - y))
        of_cells[number, :, HAND] = len(cells)
        counts.append(len(cells) + 1)
    of_kinds = np.zeros((len(of_units), 2), np.int64)
    begin = 0
    for kind, fold in enumerate(of_units):
        of_kinds[kind] = begin, folds.FOLDS.index(fold)
        begin += counts[folds.FOLDS.index(fold)]
    return Placing(of_kinds, of_cells, begin)
