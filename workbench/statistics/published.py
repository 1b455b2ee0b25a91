"""Differences from the baseline beside those that others published."""

from __future__ import annotations

import math

import pandas as pd

from workbench.questions.published import MEASURES, NORMAL_95, Published
from workbench.statistics.plan import AnalysisPlan

COLUMNS = [
    *("ruleset", "measure", "first", "second", "published", "published_low", "published_high", "usable"),
    *("difference", "low", "high", "agrees", "strong", "strong_now", "strong_low", "strong_high", "strong_agrees"),
]  # fmt: skip


def published_differences(
    published: Published | None, comparisons: pd.DataFrame, strong_verdicts: pd.DataFrame, plan: AnalysisPlan
) -> pd.DataFrame:
    """A row for each ruleset, measure (first_score, draw_rate) and pairing of which results were published.

    ``published``: the ruleset's value less the baseline's, with its 95 % interval; ``usable``: whether that leaves 0
    out, and so has a direction. ``difference``, ``low``, ``high``: the same of this experiment (see `comparisons`).
    ``agrees``: yes or no, if both intervals leave 0 out, on the same side or on different ones; else "".

    The same for all pairings: ``strong``, the verdict about strong play (see `strong_play`; "" where there is none),
    ``strong_now`` with its interval, and ``strong_agrees``: yes or no, if that verdict has a direction and the
    published difference has one, too; else "".

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
            usable = low > 0 or high < 0
            about = _strong(strong_verdicts, ruleset, measure, apart if usable else 0.0)
            about |= {"published": apart, "published_low": low, "published_high": high, "usable": usable}
            of = comparisons[(comparisons["ruleset"] == ruleset) & (comparisons["measure"] == measure)]
            for ours in of.to_dict("records"):
                decided = usable and (ours["low"] > 0 or ours["high"] < 0)
                agrees = ("no", "yes")[(ours["difference"] > 0) == (apart > 0)] if decided else ""
                rows.append({name: ours[name] for name in COLUMNS if name in ours} | about | {"agrees": agrees})
    return pd.DataFrame(rows, columns=COLUMNS)


def _strong(verdicts: pd.DataFrame, ruleset: str, measure: str, apart: float) -> dict[str, object]:
    """The verdict about strong play on a difference, beside a published one; 0: that has no direction."""
    of = verdicts[
        (verdicts["ruleset"] == ruleset) & (verdicts["measure"] == measure) & verdicts["compared"].astype(bool)
    ]
    if of.empty:
        return {
            "strong": "",
            "strong_now": math.nan,
            "strong_low": math.nan,
            "strong_high": math.nan,
            "strong_agrees": "",
        }
    said = of.iloc[0]
    agrees = ""
    if apart and said["direction"] in ("more", "less"):
        agrees = ("no", "yes")[(said["direction"] == "more") == (apart > 0)]
    return {
        "strong": said["verdict"],
        "strong_now": said["now"],
        "strong_low": said["now_low"],
        "strong_high": said["now_high"],
        "strong_agrees": agrees,
    }
