"""Differences from the baseline beside those that others published."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import pandas as pd

from workbench.questions.published import MEASURES, NORMAL_95, Published
from workbench.statistics.plan import AnalysisPlan

PUBLISHED_COLUMNS = [
    "ruleset", "measure", "first", "second", "published", "published_low", "published_high", "usable",
    "strong", "difference", "low", "high", "agrees",
]  # fmt: skip


def published_differences(
    published: Published | None, comparisons: pd.DataFrame, strong_verdicts: pd.DataFrame, plan: AnalysisPlan
) -> pd.DataFrame:
    """A row for each ruleset, measure (first_score, draw_rate) and pairing of which results were published.

    ``published``: the ruleset's value less the baseline's, with its 95 % interval; ``usable``: whether that leaves 0
    out, and so has a direction. ``difference``, ``low``, ``high``: the same of this experiment (see
    `comparison_table`). ``agrees``: yes or no, if both intervals leave 0 out, on the same side or on different ones;
    else "".

    The verdict about strong play (see `strong_play_tables`), where there is one, is ``strong`` in a row without
    players. Its direction is compared, and its ``difference`` is that of the strongest players.

    Source: two independent samples, normal approximation of their shares.
    Limits: each interval is that of one comparison; of twenty directions that are really none, one is told on average.
    """
    if published is None:
        return pd.DataFrame(columns=PUBLISHED_COLUMNS)
    results: list[dict[Any, Any]] = [
        {"first": "", "second": "", "strong": row["verdict"], "difference": row["now"]}
        | {"low": row["now_low"], "high": row["now_high"], "ruleset": row["ruleset"], "measure": row["measure"]}
        | {"direction": {"more": 1, "less": -1}.get(row["direction"], 0)}
        for row in strong_verdicts.to_dict("records")
        if row["compared"]
    ]
    results += [
        row | {"strong": "", "direction": (row["low"] > 0) - (row["high"] < 0)}
        for row in comparisons.to_dict("records")
    ]  # fmt: skip
    rows = []
    for expected in differences_from_baseline(published, plan):
        published_columns = {
            "published": expected.difference,
            "published_low": expected.low,
            "published_high": expected.high,
        }
        for row in results:
            if (row["ruleset"], row["measure"]) == (expected.ruleset, expected.measure):
                agrees = {1: "yes", -1: "no", 0: ""}[row["direction"] * expected.direction]
                rows.append(row | published_columns | {"usable": bool(expected.direction), "agrees": agrees})
    return pd.DataFrame(rows, columns=PUBLISHED_COLUMNS)


class PublishedDifference(NamedTuple):
    """What others published of a ruleset, less what they did of the baseline, with its 95 % interval."""

    ruleset: str
    measure: str
    difference: float
    low: float
    high: float

    @property
    def direction(self) -> int:
        """1 for more, -1 for less; 0 if the interval holds 0."""
        return (self.low > 0) - (self.high < 0)


def differences_from_baseline(published: Published, plan: AnalysisPlan) -> Iterator[PublishedDifference]:
    """The published differences of the proposals, ruleset by ruleset."""
    base = published.results.get(plan.baseline, {})
    for ruleset in plan.proposals:
        for measure in MEASURES:
            estimate, reference = published.results.get(ruleset, {}).get(measure), base.get(measure)
            if estimate is not None and reference is not None:
                difference, error = estimate.value - reference.value, math.hypot(estimate.error, reference.error)
                yield PublishedDifference(
                    ruleset, measure, difference, difference - NORMAL_95 * error, difference + NORMAL_95 * error
                )
