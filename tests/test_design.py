"""Which combinations a design plays."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from workbench.questions.design import DESIGNS, MOST_COMBINATIONS, Factor, Level, Point, _model_row, design_points


def factors(*levels: int) -> list[Factor]:
    return [Factor(f"f{i}", "", tuple(Level(str(k), {}) for k in range(count))) for i, count in enumerate(levels)]


def design(kind: str, *levels: int, refused: Sequence[Point] = ()) -> list[Point]:
    return design_points(factors(*levels), kind, lambda point: point not in refused)[0]


def test_full_is_everything_that_is_allowed() -> None:
    assert design("full", 2, 3) == list(itertools.product(range(2), range(3)))
    allowed, refused = design_points(factors(2, 2), "full", lambda point: point != (1, 1))
    assert (allowed, refused) == ([(0, 0), (0, 1), (1, 0)], [(1, 1)])
    assert design_points(factors(2), "pairs", lambda point: False) == ([], [(0,), (1,)])


def test_one_at_a_time_changes_one_factor_alone() -> None:
    chosen = design("one-at-a-time", 2, 3, 2)
    assert chosen == [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 2, 0), (1, 0, 0)]
    # What would not be played is not asked for.
    asked: list[Point] = []

    def allowed(point: Point) -> bool:
        asked.append(point)
        return point != (0, 1)

    assert design_points(factors(2, 2), "one-at-a-time", allowed) == ([(0, 0), (1, 0)], [(0, 1)])
    assert asked == [(0, 0), (0, 1), (1, 0)]


@pytest.mark.parametrize("levels", [(2, 2), (2, 2, 2, 2, 2), (3, 4, 2, 3), (2,) * 8, (4,)])
def test_pairs_show_every_two_levels_together(levels: tuple[int, ...]) -> None:
    chosen_points = design("pairs", *levels)
    for (i, a), (j, b) in itertools.combinations(enumerate(levels), 2):
        assert {(point[i], point[j]) for point in chosen_points} == set(itertools.product(range(a), range(b)))
    biggest = sorted(levels)[-2:]
    assert len(chosen_points) <= 2 * int(np.prod(biggest))


def test_pairs_are_those_that_add_most_the_first_of_them_first() -> None:
    good = [point for point in itertools.product(range(4), range(3), range(5)) if sum(point) != 4]
    pairs = {point: {(i, point[i], j, point[j]) for i, j in itertools.combinations(range(3), 2)} for point in good}
    missing, greedy = set().union(*pairs.values()), []
    while missing:
        greedy.append(max(good, key=lambda point: len(pairs[point] & missing)))
        missing -= pairs[greedy[-1]]
    assert design_points(factors(4, 3, 5), "pairs", lambda point: sum(point) != 4)[0] == sorted(greedy)


def test_pairs_of_many_levels_are_found() -> None:
    assert len(design("pairs", 112, 19, 4)) >= 112 * 19


def test_pairs_that_are_refused_do_not_matter() -> None:
    chosen_points = design("pairs", 2, 3, 2, refused=[(1, 2, 0), (1, 2, 1)])
    assert {(point[0], point[1]) for point in chosen_points} == set(itertools.product(range(2), range(3))) - {(1, 2)}


def test_a_fraction_of_five_factors_is_the_one_of_resolution_five() -> None:
    chosen_points = design("fractional", *(2,) * 5)
    rows = np.array([_model_row(point, [1] * 5) for point in chosen_points])
    np.testing.assert_allclose(rows.T @ rows, 16 * np.eye(16), atol=1e-9)


@pytest.mark.parametrize("levels", [(2, 2, 2, 2, 2, 2), (3, 3, 2), (3, 2, 2, 2), (100, 2, 2)])
def test_a_fraction_tells_all_effects_of_one_and_of_two_factors(levels: tuple[int, ...]) -> None:
    chosen_points = design("fractional", *levels)
    every = list(itertools.product(*map(range, levels)))
    rows = np.array([_model_row(point, [count - 1 for count in levels]) for point in chosen_points])
    assert len(chosen_points) < len(every) and np.linalg.matrix_rank(rows) == rows.shape[1] == len(chosen_points)


def test_a_fraction_goes_around_what_is_refused() -> None:
    refused = [point for point in itertools.product(range(2), repeat=5) if point[0] == point[1] == 1]
    chosen_points = design("fractional", *(2,) * 5, refused=refused)
    assert not set(chosen_points) & set(refused) and len(chosen_points) < 24


@pytest.mark.parametrize("levels", [(30, 19, 4), (112, 19, 9)])
def test_a_fraction_of_too_many_levels_is_an_error(levels: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="expected fewer levels for a fractional design, found .* or write 'design: p"):
        design("fractional", *levels)


def test_too_many_combinations_are_an_error() -> None:
    for kind in DESIGNS:
        with pytest.raises(ValueError, match=f"at most {MOST_COMBINATIONS:,}"):
            design(kind, *(2,) * 15)
