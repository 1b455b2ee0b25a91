"""Differences from the baseline beside those that others published."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

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
    for theirs in differences(published, plan) if published else ():
        usable, apart = theirs.usable, theirs.difference
        about = _strong(strong_verdicts, theirs.ruleset, theirs.measure, apart if usable else 0.0)
        about |= {
            "published": apart, "published_low": theirs.low, "published_high": theirs.high, "usable": usable,
        }  # fmt: skip
        of = comparisons[(comparisons["ruleset"] == theirs.ruleset) & (comparisons["measure"] == theirs.measure)]
        for ours in of.to_dict("records"):
            decided = usable and (ours["low"] > 0 or ours["high"] < 0)
            agrees = ("no", "yes")[(ours["difference"] > 0) == (apart > 0)] if decided else ""
            rows.append({name: ours[name] for name in COLUMNS if name in ours} | about | {"agrees": agrees})
    return pd.DataFrame(rows, columns=COLUMNS)


@dataclass(frozen=True)
class Difference:
    """What others published of a ruleset, less what they did of the baseline, with its 95 % interval."""

    ruleset: str
    measure: str
    difference: float
    low: float
    high: float

    @property
    def usable(self) -> bool:
        """Whether it has a direction: its interval leaves 0 out."""
        return self.low > 0 or self.high < 0


def differences(published: Published, plan: AnalysisPlan) -> Iterator[Difference]:
    """The published differences of the proposals, ruleset by ruleset."""
    base = published.results.get(plan.baseline, {})
    for ruleset in plan.proposals:
        for measure in MEASURES:
            theirs, reference = published.results.get(ruleset, {}).get(measure), base.get(measure)
            if theirs is not None and reference is not None:
                apart, error = theirs.value - reference.value, math.hypot(theirs.error, reference.error)
                yield Difference(ruleset, measure, apart, apart - NORMAL_95 * error, apart + NORMAL_95 * error)


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
