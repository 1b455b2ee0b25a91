"""Where a unit stands, as players learn it: its kind's cells, folded, seen by its owner."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from workbench.engine.contract import FOLDS, HAND, KIND_SHIFT, board_size, unit_word
from workbench.engine.folds import folded


class Placing(NamedTuple):
    """The places of a ruleset's units."""

    kinds: int
    of_words: Any
    """int32: the place of a unit, by its word (`contract.unit_word`) without its count; in hand is a kind's last place.
    """
    total: int
    """Places of all kinds."""


def placing(rules: Any) -> Placing:
    """The places of the units of a ruleset."""
    return _placing(FOLDS[type(rules)], int(board_size(rules)))


@functools.cache
def _placing(of_units: tuple[str, ...], size: int) -> Placing:
    of_words = np.zeros(len(of_units) << KIND_SHIFT, np.int32)
    begin = 0
    for kind, fold in enumerate(of_units):
        cells = sorted({folded(fold, size, x, y) for x in range(size) for y in range(size)})
        for owner in range(2):
            for x in range(size):
                for y in range(size):
                    seen = (x, y) if owner == 0 else (size - 1 - x, size - 1 - y)
                    of_words[unit_word(kind, owner, y << 5 | x, 0)] = begin + cells.index(folded(fold, size, *seen))
            of_words[unit_word(kind, owner, HAND, 0)] = begin + len(cells)
        begin += len(cells) + 1
    return Placing(len(of_units), of_words, begin)
