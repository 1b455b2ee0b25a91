"""Verdicts about strong play: what counts as settled, and how far intervals reach that hold at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from workbench.statistics.clusters import t_from_normal
from workbench.statistics.intervals import Floats
from workbench.statistics.sequential import ALPHA

FAMILY_SURE = 0.9
"""How sure a direction must be among the players of each family of search by themselves."""


class Estimate(NamedTuple):
    """A number with its interval."""

    value: float
    low: float
    high: float

    @classmethod
    def around(cls, value: float, reach: float) -> Estimate:
        """With the interval value ± reach."""
        return cls(value, value - reach, value + reach)

    def plus(self, constant: float) -> Estimate:
        """With a constant added."""
        return Estimate(self.value + constant, self.low + constant, self.high + constant)

    def columns(self, name: str) -> dict[str, float]:
        """As columns of a table: the name, and with ``_low`` and ``_high``."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}

    @property
    def is_positive(self) -> bool:
        """Whether all of the interval is."""
        return self.low > 0

    @property
    def is_negative(self) -> bool:
        """Whether all of the interval is."""
        return self.high < 0

    def direction(self, margin: float) -> str:
        """``none`` (surely no farther from 0 than the margin), ``more``, ``less``, or nothing."""
        if -margin <= self.low and self.high <= margin:
            return "none"
        return "more" if self.is_positive else "less" if self.is_negative else ""


@dataclass(frozen=True)
class Findings:
    """What players say of a number, as `judge` takes it."""

    now: Estimate
    change: Estimate
    next: Estimate
    by_family: Sequence[tuple[float, float]]
    """The mean and the standard deviation of ``now`` of each family."""
    weakest: Estimate
    """The value at the weakest budget."""
    budgets: int
    """Near the largest one."""
    by_evaluation: Sequence[float] = ()
    """The mean of the strongest players of each evaluation, by their own games alone."""
    bend: float = 0.0
    """What the next doubling adds beyond the straight line, where that surely is none."""


def judge(findings: Findings, margin: float) -> tuple[str, str, str]:
    """The verdict about strong play of a number, its direction, and why there is none.

    * ``settled``: one more doubling surely changes the number by less than the margin, and it surely has a
      direction (``more``, ``less``), now and after that doubling, or is surely ``none`` (within the margin) now. If
      the line through three budgets or more surely bends, the doubling with its bend must be within the margin, too;
    * ``grows``, ``shrinks``: it surely changes, away from 0 or towards it; what the strongest say has a sure direction,
      which one more doubling keeps (what shrinks may come to be ``none``);
    * ``reverses``: the weakest players surely said the opposite of what the strongest say, now and after that doubling;
    * ``not_settled``, with a reason: ``one_strength`` (fewer than two budgets near the largest), ``one_search`` (one
      family of search alone), ``players`` (not every family of search has the direction by itself), ``evaluations``
      (the players of one evaluation say the opposite), ``games`` (more games of these players would tell), ``strength``
      (it changes, and where to is not sure: stronger players must tell).
    """
    now, change, after = findings.now, findings.change, findings.next
    direction, direction_now = after.direction(margin), now.direction(margin)
    is_stable = -margin <= change.low and change.high <= margin
    is_changing = change.is_positive or change.is_negative
    if direction_now == "none" and is_stable and abs(after.value) <= margin:
        # What is too small to matter and hardly changes need not be extrapolated.
        direction = "none"
    reason = ""
    if findings.budgets < 2:
        reason = "one_strength"
    elif len(findings.by_family) < 2:
        reason = "one_search"
    elif not direction or not (is_stable or is_changing):
        reason = "strength" if is_changing and direction_now else "games"
    elif direction_now != direction and not (is_changing and direction_now and direction == "none"):
        # The direction would rest on the next doubling alone.
        reason = "strength" if is_changing else "games"
    elif not _families_agree(findings.by_family, direction_now, margin):
        reason = "players"
    elif any(mean * {"more": 1, "less": -1, "none": 0}[direction_now] < 0 for mean in findings.by_evaluation):
        reason = "evaluations"
    if not reason and is_stable and abs(change.value + findings.bend) > margin:
        reason = "strength"
    if reason:
        return "not_settled", "", reason
    if {findings.weakest.direction(margin), direction} == {"more", "less"}:
        return "reverses", direction, ""
    if is_stable and direction_now == direction:
        return "settled", direction, ""
    return ("grows" if change.value * now.value > 0 else "shrinks"), direction, ""


def _families_agree(by_family: Sequence[tuple[float, float]], direction: str, margin: float) -> bool:
    """Whether the direction is likely enough among the players of each family."""
    for mean, deviation in by_family:
        above, below = ndtr((mean + margin) / deviation), ndtr((mean - margin) / deviation)
        chance = {"more": ndtr(mean / deviation), "less": ndtr(-mean / deviation), "none": above - below}[direction]
        if chance < (FAMILY_SURE if direction != "none" else 0.5):
            return False
    return True


@dataclass(frozen=True)
class SimultaneousLevel:
    """How far intervals of several numbers reach, so that all of them hold at once."""

    comparisons: float
    """As many independent comparisons would be wrong as often."""
    alpha: float
    lines: float

    @classmethod
    def of(cls, draws: Floats, alpha: float, lines: float) -> SimultaneousLevel:
        """Of numbers with these ``draws`` (draw x number)."""
        if not draws.shape[1]:
            return cls(1.0, alpha, lines)
        deviations = draws.std(axis=0)
        farthest = (np.abs(draws - draws.mean(axis=0)) / np.maximum(deviations, 1e-12)).max(axis=1)
        single = 2 * float(ndtr(-np.quantile(farthest, 1 - ALPHA)))
        return cls(max(1.0, math.log1p(-ALPHA) / math.log1p(-single)), alpha, lines)

    def at(self, alpha: float) -> SimultaneousLevel:
        """The same numbers with another error."""
        return replace(self, alpha=alpha)

    @property
    def tail(self) -> float:
        """The two-sided error of each."""
        return -math.expm1(math.log1p(-self.alpha) / self.comparisons)

    @property
    def critical(self) -> float:
        """In standard deviations."""
        return float(t_from_normal(-ndtri(self.tail / 2), self.lines))
