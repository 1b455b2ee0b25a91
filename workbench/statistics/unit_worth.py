"""What a unit of each kind is worth to players that have learned, and how far their trainings differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SMALLEST = 0.05
"""Log-odds: of a commonest kind that is worth less than this, no other is a multiple."""


@dataclass(frozen=True)
class UnitWorth:
    """The worth of a unit of one kind under a ruleset: the mean of its trainings, and the ends of what they say."""

    kind: str
    mean: float
    low: float
    high: float


def unit_worths(learned: Mapping[str, Mapping[str, Any]]) -> tuple[dict[str, list[UnitWorth]], bool]:
    """For each ruleset the worth of the kinds, in their order, and whether it is in units of the commonest kind.

    ``learned`` is what provenance says: ruleset -> training -> ``worth`` by kind in log-odds of winning, and the
    ``commonest`` kind. It is told as multiples of that kind's worth in the same training, unless one of them has
    next to none; then it is told in log-odds, in all rulesets.

    Limits: the ends are those of a few trainings, and no confidence interval.
    """
    commonest = [abs(each["worth"].get(each["commonest"], 0.0))
                 for by_training in learned.values() for each in by_training.values()]  # fmt: skip
    relative = bool(commonest) and min(commonest) >= SMALLEST
    by_ruleset: dict[str, list[UnitWorth]] = {}
    for ruleset, by_training in learned.items():
        worths = []
        for kind in next(iter(by_training.values()))["worth"]:
            values = [
                each["worth"].get(kind, 0.0) / (abs(each["worth"][each["commonest"]]) if relative else 1.0)
                for each in by_training.values()
            ]
            worths.append(UnitWorth(kind, sum(values) / len(values), min(values), max(values)))
        by_ruleset[ruleset] = worths
    return by_ruleset, relative
