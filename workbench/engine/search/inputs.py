"""The inputs of a net: units as each seat sees them, by kind, whether they are the viewer's, and cell or hand."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from workbench.engine.contract import FOLDS, HAND, KIND_SHIFT, board_size, unit_word
from workbench.engine.folds import SAME, Fold, Symmetry, moved

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
