"""Designs of experiments that vary several factors: which combinations of levels are played.

A factor is a toggle with some of its values, or a name of the author's with levels that set several toggles at once.
Combinations that the rules refuse never take part.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.games.declaration import Setting
from workbench.language import tr

DESIGNS: Mapping[str, str] = {
    "full": tr("Every combination."),
    "fractional": tr("As few combinations as tell apart all main effects and all effects of two factors together."),
    "pairs": tr(
        "As few combinations as show every two levels of two factors together at least once: to find what breaks."
    ),
    "one-at-a-time": tr("The first level of every factor, and every other level of one factor alone."),
}
ONE_AT_A_TIME = "one-at-a-time"
MOST_COMBINATIONS = 20_000
"""Combinations that may be looked through."""
PATIENCE, MOST_WORK = 20_000, 10**9
"""Exchanges tried in a round, at most, and the operations that they may take; beyond that a fractional design stays as
it was first chosen."""
LARGEST_MODEL = 2 * 10**8
"""Combinations times the square of the number of effects, at most, of a fractional design: a second or two."""


@dataclass(frozen=True)
class Level:
    """One setting of a factor."""

    name: str
    settings: Mapping[str, Setting]


@dataclass(frozen=True)
class Factor:
    """What is varied."""

    name: str
    title: str
    levels: tuple[Level, ...]
    title_ja: str = ""


def combined_changes(settings: Sequence[Mapping[str, Setting]], baseline: int = 0) -> dict[tuple[int, ...], list[str]]:
    """Return the changes that rulesets combine: the level of each ruleset -> the toggles that change so together.

    Empty if they combine none: if there are as many effects of changes as rulesets besides the baseline.
    """
    groups: dict[tuple[int, ...], list[str]] = {}
    for toggle, usual in settings[baseline].items() if settings else ():
        numbers = {str(usual): 0}
        levels = tuple(numbers.setdefault(str(each.get(toggle)), len(numbers)) for each in settings)
        if any(levels):
            groups.setdefault(levels, []).append(toggle)
    return groups if groups and sum(map(max, groups)) < len(settings) - 1 else {}


@dataclass(frozen=True)
class LeftOut:
    """Combinations that the rules refuse for the same reason."""

    count: int
    shared: str
    """The levels that all of them have, or the one combination itself."""
    reason: str


def group_left_out(notes: Iterable[str]) -> list[LeftOut]:
    """The combinations of notes such as ``chatra/C with size=9, stuck=loss: too small``, one for each reason.

    >>> group_left_out(["A with a=1, b=2: no", "A with a=1, b=3: no"])
    [LeftOut(count=2, shared='a=1', reason='no')]
    """
    reasons: dict[str, list[str]] = {}
    for note in notes:
        combination, _, reason = note.partition(": ")
        # A message tells the author of a ruleset what to write instead; here nobody wrote anything.
        reasons.setdefault(reason.partition(": write ")[0], []).append(combination)
    groups = []
    for reason, combinations in reasons.items():
        levels = [combination.partition(" with ")[2].split(", ") for combination in combinations]
        shared = ", ".join(level for level in levels[0] if all(level in others for others in levels))
        groups.append(LeftOut(len(combinations), shared if len(combinations) > 1 else combinations[0], reason))
    return groups


Point = tuple[int, ...]
"""For each factor the number of its level."""


def design_points(
    factors: Sequence[Factor], design: str, allowed: Callable[[Point], bool]
) -> tuple[list[Point], list[Point]]:
    """The combinations that the design plays, in the order of the levels, the last factor fastest; and those refused.

    Raises:
        ValueError: there are more combinations than can be looked through, or no design to speak of.
    """
    if math.prod(len(factor.levels) for factor in factors) > MOST_COMBINATIONS:
        raise ValueError(
            tr("expected at most {most_combinations:,} combinations, found more", most_combinations=MOST_COMBINATIONS)
        )
    every = list(itertools.product(*(range(len(factor.levels)) for factor in factors)))
    if design == ONE_AT_A_TIME:
        # What is not played need not be allowed.
        every = [point for point in every if sum(level > 0 for level in point) <= 1]
    good = [point for point in every if allowed(point)]
    kept = set(good)
    refused = [point for point in every if point not in kept]
    if not good:
        return [], refused
    chosen = {
        "full": _full_design,
        "fractional": _fractional_design,
        "pairs": _pairwise_design,
        ONE_AT_A_TIME: _full_design,
    }[design](good)
    return sorted(chosen), refused


def _full_design(good: list[Point]) -> list[Point]:
    return good


def _pairwise_design(good: list[Point]) -> list[Point]:
    """Few combinations that hold every allowed pair of levels, chosen greedily: always the one that adds most pairs.

    Source: D. M. Cohen, S. R. Dalal, M. L. Fredman, G. C. Patton, "The AETG system: an approach to testing based on
    combinatorial design", IEEE Transactions on Software Engineering 23, 1997; here over all combinations.
    Limits: near the smallest number, not always the smallest.
    """

    def shows(point: Point) -> frozenset[tuple[int, int, int, int]]:
        spots = list(enumerate(point))
        if len(spots) == 1:
            return frozenset({(0, point[0], 0, point[0])})
        return frozenset((i, a, j, b) for (i, a), (j, b) in itertools.combinations(spots, 2))

    shown = {point: shows(point) for point in good}
    missing = set().union(*shown.values())
    chosen = []
    # What a combination adds only shrinks: one that still adds what it did when it was last looked at is the best.
    heap = [(-len(shown[point]), number) for number, point in enumerate(good)]
    heapq.heapify(heap)
    while missing:
        added, number = heapq.heappop(heap)
        adds = shown[good[number]] & missing
        if len(adds) == -added:
            chosen.append(good[number])
            missing -= adds
        elif adds:
            heapq.heappush(heap, (-len(adds), number))
    return chosen


def _fractional_design(good: list[Point]) -> list[Point]:
    """As many combinations as the model of main effects and two-factor interactions has parameters, D-optimal.

    They are exchanged for others one by one as long as the determinant of the information grows (D-optimality). With
    five factors of two levels this is the half fraction of resolution V, 16 of 32.

    Source: V. V. Fedorov, "Theory of Optimal Experiments", 1972; T. J. Mitchell, Technometrics 16, 1974.
    Limits: a local optimum. Effects of three factors together, if there are any, are mistaken for others.

    Raises:
        ValueError: there are so many levels that it would take long.
    """
    import numpy as np

    last = [max(column) for column in zip(*good, strict=True)]
    effects = 1 + sum(last) + sum(one * two for one, two in itertools.combinations(last, 2))
    if len(good) * effects**2 > LARGEST_MODEL:
        raise ValueError(
            tr(
                "expected fewer levels for a fractional design, found {count:,} combinations with "
                "{effects:,} effects of one or two factors; leave levels out, or write 'design: pairs'",
                count=len(good),
                effects=effects,
            )
        )
    rows = np.array([_model_row(point, last) for point in good])
    rank = int(np.linalg.matrix_rank(rows))
    if rank == len(good):
        return good
    # A tiny ridge keeps the determinant above 0 while the design is still incomplete.
    spread = np.linalg.inv(rows.T @ rows / len(good) * 1e-3 + 1e-9 * np.eye(rows.shape[1]))
    chosen: list[int] = []
    gains = np.zeros(len(good))
    # Where it is quick enough, gains are computed anew in an order of sums that is the same on every machine.
    quick = len(good) * effects**2 * rank <= MOST_WORK
    for number in range(rank):
        if quick:
            gains = np.einsum("ij,jk,ik->i", rows, spread, rows)
        elif number == 0:
            gains = ((rows @ spread) * rows).sum(axis=1)
        gains[chosen] = -1.0
        chosen.append(int(np.argmax(np.round(gains, 9))))
        row = rows[chosen[-1]]
        moved = spread @ row
        spread -= np.outer(moved, moved) / (1 + row @ moved)
        if not quick:
            gains -= (rows @ moved) ** 2 / (1 + row @ moved)

    def worth(which: list[int]) -> float:
        some = rows[which]
        return float(np.linalg.slogdet(some.T @ some + 1e-9 * np.eye(rows.shape[1]))[1])

    best = worth(chosen)
    exchanges = rank * len(good)
    for _ in range(10 if exchanges <= PATIENCE and exchanges * effects**3 <= MOST_WORK else 0):
        before = best
        for place in range(rank):
            for other in range(len(good)):
                if other not in chosen:
                    changed = [*chosen[:place], other, *chosen[place + 1 :]]
                    if (determinant := worth(changed)) > best + 1e-6:
                        chosen, best = changed, determinant
        if best <= before:
            break
    return [good[i] for i in chosen]


def _model_row(point: Point, last: Sequence[int]) -> list[float]:
    """The row of a combination: 1, the levels in ±1 (sum) coding, and the products of two factors' levels.

    ``last`` is the highest level of each factor.
    """
    coded = [
        [-1.0 if level == highest else float(level == one) for one in range(highest)]
        for level, highest in zip(point, last, strict=True)
    ]
    row = [1.0, *itertools.chain.from_iterable(coded)]
    row += [a * b for one, two in itertools.combinations(coded, 2) for a, b in itertools.product(one, two)]
    return row
