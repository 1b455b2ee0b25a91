"""Where a unit stands, as players learn it: its kind's cells, folded, seen by its owner."""

from __future__ import annotations

import functools
import itertools
from typing import Any, NamedTuple

import numpy as np

from workbench.engine.contract import FOLDS, HAND, KIND_SHIFT, board_size, unit_word
from workbench.engine.folds import Fold


class Placing(NamedTuple):
    """The places of a ruleset's units."""

    kinds: int
    of_words: Any
    """int32: the place of a unit, by its word (`contract.unit_word`) without its count; in hand is a kind's last place.
    """
    total: int
    """Places of all kinds."""


def placing(rules: Any) -> Placing:
    """Return the places of the units of a ruleset."""
    return _placing(FOLDS[type(rules)], int(board_size(rules)))


@functools.cache
def _placing(of_units: tuple[Fold, ...], size: int) -> Placing:
    of_words = np.zeros(len(of_units) << KIND_SHIFT, np.int32)
    begin = 0
    for kind, fold in enumerate(of_units):
        places = _folded(fold, size)
        for (owner, x, y), place in places.items():
            of_words[unit_word(kind, owner, y << 5 | x, 0)] = begin + place
        begin += 1 + max(places.values())
        for owner in range(2):
            of_words[unit_word(kind, owner, HAND, 0)] = begin
        begin += 1
    return Placing(len(of_units), of_words, begin)


@functools.cache
def _folded(fold: Fold, size: int) -> dict[tuple[int, int, int], int]:
    """Owner, column and row -> the number of the place that stands for it."""
    cells = itertools.product(range(2), range(size), range(size))
    seen = {(owner, x, y): fold.seen(owner, size, x, y) for owner, x, y in cells}
    numbers = {place: number for number, place in enumerate(sorted(set(seen.values())))}
    return {cell: numbers[place] for cell, place in seen.items()}
