"""Differences from the baseline beside those that others published."""

from __future__ import annotations

import math

import pandas as pd

from workbench.questions.published import MEASURES, NORMAL_95, Published
from workbench.statistics.plan import AnalysisPlan

COLUMNS = [
    *("ruleset", "measure", "first", "second", "published", "published_low", "published_high", "usable"),
    *("difference", "low", "high", "agrees"),
]  # fmt: skip


def published_differences(published: Published | None, comparisons: pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """A row for each ruleset, measure (first_score, draw_rate) and pairing of which results were published.

    ``published``: the ruleset's value less the baseline's, with its 95 % interval; ``usable``: whether that leaves 0
    out, and so has a direction. ``difference``, ``low``, ``high``: the same of this experiment (see `comparisons`).
    ``agrees``: yes or no, if both intervals leave 0 out, on the same side or on different ones; else "".

    Source: two independent samples, normal approximation of their shares.
    Limits: each interval is that of one comparison; of twenty directions that are really none, one is told on average.
    """
    rows: list[dict[str, object]] = []
    base = published.results.get(plan.baseline, {}) if published else {}
    for ruleset in plan.proposals if published else ():
        assert published is not None
        for measure in MEASURES:
            theirs, reference = published.results.get(ruleset, {}).get(measure), base.get(measure)
            if theirs is None or reference is None:
                continue
            apart, error = theirs.value - reference.value, math.hypot(theirs.error, reference.error)
            low, high = apart - NORMAL_95 * error, apart + NORMAL_95 * error
            of = comparisons[(comparisons["ruleset"] == ruleset) & (comparisons["measure"] == measure)]
            for ours in of.to_dict("records"):
                usable = low > 0 or high < 0
                decided = usable and (ours["low"] > 0 or ours["high"] < 0)
                rows.append(
                    {
                        name: ours[name]
                        for name in ("ruleset", "measure", "first", "second", "difference", "low", "high")
                    }
                    | {"published": apart, "published_low": low, "published_high": high, "usable": usable}
                    | {"agrees": ("no", "yes")[(ours["difference"] > 0) == (apart > 0)] if decided else ""}
                )
    return pd.DataFrame(rows, columns=COLUMNS)
