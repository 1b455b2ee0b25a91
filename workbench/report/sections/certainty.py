"""How sure it is that a change of the rules brings more of what was asked, in the words of a report's cards."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtr

from workbench.language import capitalized, tr
from workbench.questions.measures import FAIRNESS, Measure
from workbench.report.names import VERDICTS as JUDGED
from workbench.report.names import Names
from workbench.report.numbers import format_percent
from workbench.report.sections.lookup import Record
from workbench.statistics.intervals import Z
from workbench.statistics.joint_model import probability_above

UNDECIDED, SAME = JUDGED["undecided"][0], JUDGED["no_meaningful_difference"][0]
CERTAINTIES = (
    (0.95, tr("undecided; very likely {what}")),
    (0.8, tr("undecided; probably {what}")),
    (0.6, tr("undecided; more likely {what}")),
    (0.5, UNDECIDED),
)
"""From which probability of a direction on, what is said of it where there is no verdict."""
VERY_LIKELY = CERTAINTIES[0][0]
SURE = tr("{what}: settled")
SILENT = tr("cannot say: what it changes never happened in these games")
"""Of a proposal of `silent_proposals`, instead of a probability."""
VERDICTS = {
    "fairer": "more", "less_fair": "less", "no_meaningful_difference": "same", "more": "more", "less": "less",
}  # fmt: skip
"""Verdict on a proposal -> whether it brings more of what was asked."""


@dataclass(frozen=True)
class Words:
    """What more and less of what was asked are called: on a card, and at the beginning of a sentence."""

    more: str
    less: str
    more_lead: str
    less_lead: str
    more_is_better: bool

    @classmethod
    def of(cls, names: Names) -> Words:
        """Those of the question of an experiment."""
        measure = names.plan.question_measure
        if measure.name == FAIRNESS:
            return cls(JUDGED["fairer"][0], JUDGED["less_fair"][0], tr("Fairer"), tr("Less fair"), True)
        more, less = (names.more_or_less(measure.name, which) for which in (True, False))
        return cls(more, less, capitalized(more), capitalized(less), False)


def likely_more(row: Record, asked: Measure) -> float:
    """The probability that a difference is above 0, given what rules typically do: few games are little evidence."""
    error = (float(row["high"]) - float(row["low"])) / (2 * Z)
    if not error > 0:
        return math.nan
    difference = float(row["difference"])
    return probability_above(difference, error) if asked.is_share else float(ndtr(difference / error))


def direction(row: Record, likely: float) -> str:
    """Whether something surely brings more or less of what was asked, or the same."""
    if row["verdict"] == "not_settled":
        return ""
    return "same" if row["direction"] == "none" else "more" if likely > 0.5 else "less"


def strong_certainty(row: Record, asked: str) -> tuple[float, str]:
    """The probability that a ruleset brings more of what was asked under strong play, and the verdict where it is sure.

    ``row`` is one of `Analysis.strong_verdicts` that compares; ``asked`` the measure.
    """
    if asked != FAIRNESS:
        return float(row["likely"]), direction(row, float(row["likely"]))
    verdict = {"fairer": "more", "less_fair": "less", "same": "same"}.get(str(row["fairness"]), "")
    return float(row["likely_fairer"]), verdict if row["verdict"] != "not_settled" else ""


def certainty(likely: float, verdict: str, words: Words) -> tuple[str, str, str]:
    """How sure it is what a change does, in words, how that is shown, and the probability of the likelier side."""
    if math.isnan(likely):
        return (SAME if verdict == "same" else UNDECIDED), "open", ""
    is_more = verdict == "more" or (verdict != "less" and likely >= 0.5)
    what, probability = (words.more, likely) if is_more else (words.less, 1 - likely)
    chance = tr("probability of “{what}”: {chance}", what=what, chance=chance_text(probability))
    if verdict == "same":
        return SAME, "", chance
    text = SURE if verdict else next(text for least, text in CERTAINTIES if probability >= least)
    kind = ("good" if is_more else "bad") if words.more_is_better else ""
    if not verdict and probability < VERY_LIKELY:
        kind = "open"
    return text.format(what=what), kind, chance


def chance_text(probability: float) -> str:
    """A probability, which is never said to be 0 or 1."""
    if probability > 0.995:
        return "> 99\N{NO-BREAK SPACE}%"
    return "< 1\N{NO-BREAK SPACE}%" if probability < 0.005 else format_percent(probability, 0)
