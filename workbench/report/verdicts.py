"""Words, signs and colours of all verdicts, and the four words of sureness, for reports, terminal and studio."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from workbench.base.language import tr, trc, untranslated
from workbench.experiments.measures import FAIRNESS, FIRST_SCORE, Measure
from workbench.report.labels import format_percent
from workbench.report.model import Certainty, TableCell
from workbench.statistics.intervals import Estimate


class Verdict(NamedTuple):
    """A verdict in words, with a sign for readers who see no colours, and its display."""

    text: str
    sign: str
    kind: str
    """``good``, ``bad``, ``open`` or empty."""
    rank: int

    @property
    def signed(self) -> str:
        """The sign and the words."""
        return tr("{sign} {text}", sign=self.sign, text=self.text)

    def cell(self, small: str = "", sort: float | None = None) -> TableCell:
        """Return a table cell with the sign and the words, sorted by ``sort`` or else by the verdict's rank."""
        return TableCell(self.signed, small, float(self.rank) if sort is None else sort, f"verdict {self.kind}".strip())

    def unsigned_cell(self, small: str = "", sort: float | None = None) -> TableCell:
        """Return a table cell with only the words."""
        return TableCell(self.text, small, sort, f"verdict {self.kind}".strip())


_SAME = tr("no difference that matters"), "=", ""
_OPEN = tr("cannot tell yet"), "?", "open"
_WORDS = {
    # Comparisons, targets and differences of measures
    "fairer": (trc("names", "fairer"), "▲", "good"), "met": (tr("met"), "▲", "good"), "higher": (tr("higher"), "↑", ""),
    "more": (tr("more"), "↑", ""), "no_meaningful_difference": _SAME,
    "less_fair": (trc("names", "less fair"), "▼", "bad"), "lower": (tr("lower"), "↓", ""),
    "less": (tr("less"), "↓", ""), "no_difference_shown": _OPEN,
    "undecided": _OPEN, "missed": (tr("missed"), "▼", "bad"),
    "yardstick": (tr("yardstick"), "·", "open"),
    # Strong play
    "settled": (tr("settled"), "✓", "good"), "grows": (tr("grows with strength"), "↗", ""),
    "shrinks": (tr("shrinks with strength"), "↘", ""), "reverses": (tr("reverses with strength"), "⇄", ""),
    "same": _SAME, "not_settled": _OPEN,
    # Agreement with outside sources
    "yes": (tr("yes"), "", "good"), "no": (tr("no"), "", "bad"), "agrees": (tr("agrees"), "", "good"),
    "contradicts": (tr("contradicts"), "", "bad"),
}  # fmt: skip
VERDICTS = {code: Verdict(*words, rank) for rank, (code, words) in enumerate(_WORDS.items())}
"""Verdicts by code, in sort order."""
UNDECIDED, SAME = VERDICTS["undecided"].text, VERDICTS["same"].text
SIDES = {
    "fairer": "more", "less_fair": "less", "no_meaningful_difference": "same", "more": "more", "less": "less",
    "higher": "more", "lower": "less",
}  # fmt: skip
"""Verdict on a proposal -> its direction in the question's measure."""
BALANCES = {
    "first": tr("first player ahead"), "second": tr("second player ahead"), "balanced": tr("balanced"),
    "undecided": UNDECIDED, "": tr("no result"),
}  # fmt: skip
AHEAD = BALANCES | {"first": trc("ahead", "first"), "second": trc("ahead", "second")}
"""Balances for a column that names the leader."""
DIRECTIONS = {
    ("first_score", True): {
        "more": tr("the first player scores more"), "less": tr("the first player scores less"), "none": SAME,
    },
    ("draw_rate", True): {"more": trc("strong", "more draws"), "less": trc("strong", "fewer draws"), "none": SAME},
    ("first_score", False): {"more": BALANCES["first"], "less": BALANCES["second"], "none": BALANCES["balanced"]},
}  # fmt: skip
"""(Measure, True if compared with the baseline) -> the meaning of each direction under strong play."""
MOVED = {
    side: tr("{change}; fairer or not: cannot tell yet", change=DIRECTIONS["first_score", True][side])
    for side in ("more", "less")
}
"""Certain direction of the first player's score -> the words for open fairness."""
REASONS = {
    "": untranslated(""), "too_few_games": tr("too few games"),
    "capped_games": tr("too many games were stopped before they ended: a rule that ends games would help"),
    "too_few_lines": tr("there are too few opening lines, and further games would begin with the same ones"),
    "no_games": tr("no games"), "together": tr("not significant yet after correction for the number of comparisons"),
    "no_look": tr("no verdict is due yet"), "not_finished": tr("the run is unfinished"),
    "one_strength": tr("needs two node budgets within a factor of ten"),
    "one_search": tr("only one family of search: add the other ({families})"),
    "players": tr("the families of search disagree: use stronger players of each"),
    "evaluations": tr("players of one evaluation contradict the others ({evaluations})"),
    "games": tr("about {times} times as many games would settle it"),
    "games_never": tr("this would probably take more than 64 times as many games: add more or stronger players"),
    "strength": tr("still changing: use players with {nodes} nodes (at most {positions} positions to search)"),
}  # fmt: skip
"""Reasons for being undecided or not settled, some with a remedy."""
NOTES = {
    "together": (
        "†",
        tr(
            "† Cannot tell yet although the interval excludes 0: it is the interval of a single comparison; "
            "corrected for {others} others (Holm), it is not significant yet."
        ),
    ),
    "no_look": (
        "‡",
        tr(
            "‡ Cannot tell yet because verdicts are given only at planned numbers of games, the first of which, "
            "{first_look}, has not been reached yet."
        ),
    ),
}
"""Reason of an undecided verdict -> its footnote's mark and text."""

LIKELY = 0.8
"""The smallest probability of a direction that is called likely; a smaller one tells nothing yet."""
SETTLED, SURE_HERE = tr("settled"), tr("sure for these players")
SILENT = tr("unknown: what it changes never happened in these games")
"""The certainty of a proposal whose changed rule never applied (`silent_proposals`)."""


class Words(NamedTuple):
    """The words for an increase and a decrease in the question's measure."""

    more: str
    less: str
    more_is_better: bool


def chance_of_more(row: Mapping[Any, Any], measure: Measure) -> float:
    """Return the probability of a positive difference; for shares, a prior allows for the typical effects of rules."""
    from scipy.special import ndtr

    from workbench.statistics.intervals import Z
    from workbench.statistics.joint_model import probability_above

    sigma, difference = (float(row["high"]) - float(row["low"])) / (2 * Z), float(row["difference"])
    if not sigma > 0:
        return math.nan
    return probability_above(difference, sigma) if measure.is_share else float(ndtr(difference / sigma))


def direction(row: Mapping[Any, Any], more_chance: float) -> str:
    """Return the settled direction of a change: ``more``, ``less`` or ``same``; "" if it is not settled."""
    if row["verdict"] == "not_settled":
        return ""
    return "same" if row["direction"] == "none" else "more" if more_chance > 0.5 else "less"


def strong_certainty(row: Mapping[Any, Any], measure: str) -> tuple[float, str]:
    """Return the probability that ``measure`` increases under strong play, and the verdict if it is settled.

    ``row`` is a comparing row of `Analysis.strong_verdicts`.
    """
    if measure != FAIRNESS:
        return float(row["likely"]), direction(row, float(row["likely"]))
    verdict = {"fairer": "more", "less_fair": "less", "same": "same"}.get(str(row["fairness"]), "")
    return float(row["likely_fairer"]), verdict if row["verdict"] != "not_settled" else ""


def score_moves(comparisons: Iterable[Mapping[Any, Any]], question: Measure) -> dict[str, str]:
    """Return the directions by ruleset of first player's scores that certainly change, in a question about fairness."""
    sides = {row["ruleset"]: SIDES.get(row["verdict"], "") for row in comparisons if row["measure"] == FIRST_SCORE}
    return {name: side for name, side in sides.items() if question.name == FAIRNESS and side in MOVED}


def certainty(more_chance: float, verdict: str, words: Words, strong: bool = False, moved: str = "") -> Certainty:
    """Return how sure an effect is; ``strong``: players of two strengths were asked, so a verdict holds beyond them.

    ``moved`` is the certain direction of the first player's score, in a question about fairness.
    """
    if verdict == "same":
        return Certainty("", SAME, "")
    is_more = verdict == "more" or (verdict != "less" and more_chance >= 0.5)
    probability = more_chance if is_more else 1 - more_chance
    if not verdict and not probability >= LIKELY:
        return Certainty("", MOVED.get(moved, UNDECIDED), "open")
    kind = ("good" if is_more else "bad") if words.more_is_better else ""
    claim = words.more if is_more else words.less
    if verdict:
        return Certainty(claim, SETTLED if strong else SURE_HERE, kind)
    return Certainty(claim, tr("likely"), kind, chance_text(probability))


def fairness_gain(offset: float, change: Estimate) -> Estimate:
    """Return how much closer to one half a change brings a score that is ``offset`` above one half."""
    value, *ends = (abs(offset) - abs(offset + end) for end in change)
    return Estimate(value, min(ends), abs(offset) if change.low <= -offset <= change.high else max(ends))


def chance_text(probability: float) -> str:
    """Return a probability as text; it is never rounded to 0 or 1."""
    if probability >= 0.9945:
        return "> 99\N{NO-BREAK SPACE}%"
    return "< 1\N{NO-BREAK SPACE}%" if probability < 0.005 else format_percent(probability, 0)
