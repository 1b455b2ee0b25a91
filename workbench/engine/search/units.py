"""Tables indexed by unit words: places for learned weights, and inputs of a net."""

from __future__ import annotations

import functools
import itertools
from typing import Any, NamedTuple

import numpy as np

from workbench.engine.contract import FOLDS, HAND, KIND_SHIFT, board_size, unit_word
from workbench.engine.folds import SAME, Fold, Symmetry, apply_symmetry

HIDDEN = 16
"""Number of hidden units of a net."""


class UnitPlaces(NamedTuple):
    """The distinct places of a ruleset's units, with equivalent cells merged, as seen by the owner."""

    kinds: int
    by_word: Any
    """int32: the place of each unit word without count; the hand is the last place of a kind."""
    total: int
    """Number of places of all kinds."""


def unit_places(rules: Any) -> UnitPlaces:
    """Return the places of a ruleset's units."""
    return _unit_places(FOLDS[type(rules)], board_size(rules))


@functools.cache
def _unit_places(folds: tuple[Fold, ...], size: int) -> UnitPlaces:
    by_word = np.zeros(len(folds) << KIND_SHIFT, np.int32)
    first_place = 0
    for kind, fold in enumerate(folds):
        places = _fold_cells(fold, size)
        for (owner, x, y), place in places.items():
            by_word[unit_word(kind, owner, y << 5 | x, 0)] = first_place + place
        hand = first_place + 1 + max(places.values())
        for owner in range(2):
            by_word[unit_word(kind, owner, HAND, 0)] = hand
        first_place = hand + 1
    return UnitPlaces(len(folds), by_word, first_place)


@functools.cache
def _fold_cells(fold: Fold, size: int) -> dict[tuple[int, int, int], int]:
    """Return the index of the representative place for each owner, column and row."""
    cells = itertools.product(range(2), range(size), range(size))
    places = {(owner, x, y): fold.representative(owner, size, x, y) for owner, x, y in cells}
    indices = {place: index for index, place in enumerate(sorted(set(places.values())))}
    return {cell: indices[place] for cell, place in places.items()}


def input_count(rules: Any) -> int:
    """Return the number of a net's inputs: each kind of unit, own and opposing, on each cell and in hand."""
    return 2 * len(FOLDS[type(rules)]) * (board_size(rules) ** 2 + 1)


def _move_cells(symmetry: Symmetry, cells: Any, size: int) -> Any:
    """Apply a symmetry to cells numbered by rows; the hand, ``size * size``, is unchanged."""
    last = size - 1
    x, y = apply_symmetry(symmetry, 2 * (cells % size) - last, 2 * (cells // size) - last)
    return np.where(cells == size * size, cells, (y + last) // 2 * size + (x + last) // 2)


@functools.cache
def input_table(folds: tuple[Fold, ...], size: int) -> Any:
    """Return a net's input for each unit and viewer: int32, seats × unit words without count."""
    table = np.zeros((2, len(folds) << KIND_SHIFT), np.int32)
    cells = np.arange(size * size + 1)
    codes = np.where(cells == size * size, HAND, cells // size << 5 | cells % size)
    for (kind, fold), owner, viewer in itertools.product(enumerate(folds), range(2), range(2)):
        first_input = ((0 if owner == viewer else len(folds)) + kind) * len(cells)
        table[viewer, unit_word(kind, owner, codes, 0)] = first_input + _move_cells(
            fold.second if viewer else SAME, cells, size
        )
    return table


def mirrored_inputs(rules: Any) -> Any:
    """Return the inputs under each symmetry that all folds share: int32, symmetries × inputs, identity first."""
    folds, size = FOLDS[type(rules)], board_size(rules)
    shared = [symmetry for symmetry in folds[0].symmetries if all(symmetry in fold.symmetries for fold in folds)]
    boards: list[Any] = [np.arange(size * size + 1)]
    for board in boards:  # the list grows during the loop
        for symmetry in shared:
            mirrored = _move_cells(symmetry, board, size)
            if not any((mirrored == other).all() for other in boards):
                boards.append(mirrored)
    kind_offsets = np.arange(2 * len(folds))[:, None] * len(boards[0])
    return np.array([(kind_offsets + board).reshape(-1) for board in boards], np.int32)
