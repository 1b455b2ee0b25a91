"""Tables by which players find their weights for a unit: its place on the board, and its inputs of a net."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from workbench.engine.contract import FOLDS, HAND, KIND_SHIFT, board_size, unit_word
from workbench.engine.folds import SAME, Fold, Symmetry, moved


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


HIDDEN = 16
"""Hidden units of a net."""


def input_count(rules: Any) -> int:
    """Return the inputs of a net."""
    return 2 * len(FOLDS[type(rules)]) * (int(board_size(rules)) ** 2 + 1)


@functools.cache
def input_table(of_units: tuple[Fold, ...], size: int) -> Any:
    """int32, seats × words: the input of a unit as each seat sees it, by its word without its count."""
    table = np.zeros((2, len(of_units) << KIND_SHIFT), np.int32)
    per, last = size * size + 1, size - 1
    for kind, fold in enumerate(of_units):
        for owner in range(2):
            for viewer in range(2):
                begin = ((0 if owner == viewer else len(of_units)) + kind) * per
                view = fold.second if viewer else SAME
                for y in range(size):
                    for x in range(size):
                        across, down = moved(view, 2 * x - last, 2 * y - last)
                        place = (down + last) // 2 * size + (across + last) // 2
                        table[viewer, unit_word(kind, owner, y << 5 | x, 0)] = begin + place
                table[viewer, unit_word(kind, owner, HAND, 0)] = begin + size * size
    return table


def mirrored_inputs(rules: Any) -> Any:
    """int32, mirrorings × inputs: the input that stands in place of each where the board is mirrored or turned.

    All that every kind's fold allows; the first leaves the board as it is.
    """
    of_units, size = FOLDS[type(rules)], int(board_size(rules))
    per, last = size * size + 1, size - 1
    found: list[Any] = [np.arange(per)]
    shared = [each for each in of_units[0].symmetries if all(each in fold.symmetries for fold in of_units)]

    def turned(symmetry: Symmetry) -> Callable[[int], int]:
        def place(cell: int) -> int:
            if cell == size * size:
                return cell
            x, y = moved(symmetry, 2 * (cell % size) - last, 2 * (cell // size) - last)
            return (y + last) // 2 * size + (x + last) // 2

        return place

    more = found
    while more:
        made = [np.array([turned(symmetry)(int(cell)) for cell in each]) for each in more for symmetry in shared]
        more = []
        for each in made:
            if not any((each == known).all() for known in found):
                found.append(each)
                more.append(each)
    kinds = np.arange(2 * len(of_units))[:, None] * per
    return np.array([(kinds + each).reshape(-1) for each in found], np.int32)
