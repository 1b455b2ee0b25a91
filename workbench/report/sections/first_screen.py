"""The first screen of a report: the answer in a sentence, and a card for each proposal or change of the rules."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy.special import ndtr

from workbench.language import listed, sentences, tr, trn, verbatim
from workbench.questions.measures import FAIRNESS
from workbench.report.model import Bullets, Finding, Findings, Paragraph, Part, ReplayList, RuleChange
from workbench.report.names import Names
from workbench.report.numbers import format_percent
from workbench.report.sections.answer import other_differences
from workbench.report.sections.games import TYPICAL
from workbench.report.sections.lookup import Record, cell_row, pairing_rows, primary_comparisons
from workbench.report.sections.rules import rule_name
from workbench.report.sections.strong import reason_text
from workbench.run.progress import format_duration
from workbench.statistics import Analysis
from workbench.statistics.intervals import Z
from workbench.statistics.sequential import TYPICAL_CHANGE

SHOWN = 8
"""Cards that the page shows unasked."""
CERTAINTIES = (
    (0.95, tr("very likely helps"), "good"),
    (0.8, tr("probably helps"), ""),
    (0.2, tr("cannot tell yet"), "open"),
    (0.05, tr("probably harms"), ""),
    (-1.0, tr("very likely harms"), "bad"),
)
"""From which probability of being fairer on, what is said of it, and how it is shown."""
SURE = {
    "fairer": (tr("helps: sure"), "good"),
    "less_fair": (tr("harms: sure"), "bad"),
    "same": (tr("no difference that matters"), ""),
}
FAR_FROM_EVEN = 0.1
"""A first player's score so far from one half is said in the headline."""


@dataclass(frozen=True)
class _Subject:
    """A proposal or a change of the rules, as the analysis sees it."""

    key: str
    """The ruleset that makes the change alone; "" if there is none."""
    name: str
    title: str
    likely: float
    verdict: str
    """A key of `SURE`, or nothing."""
    before: float
    after: float
    next_step: str


def first_screen(
    analysis: Analysis,
    names: Names,
    changes: Sequence[RuleChange],
    replays: ReplayList | None,
    provenance: Mapping[str, Any],
) -> list[Part]:
    """The headline and the cards; nothing where no proposals are asked about fairness."""
    if names.plan.question_measure.name != FAIRNESS or not names.proposals or len(analysis.equilibria):
        return []
    cost = _Cost(provenance)
    subjects = _strong_subjects(analysis, names, cost) or _compared_subjects(analysis, names, cost)
    if not subjects:
        return []
    subjects = sorted(subjects, key=lambda each: -each.likely)
    findings = [_finding(each, changes, replays) for each in subjects]
    more = tr("{n} more", n=len(findings) - SHOWN)
    besides = other_differences(analysis, names)
    lead = Paragraph(_headline(subjects, analysis, names), "lead")
    return [lead, *([Bullets(besides)] if besides else []), Findings(findings, SHOWN, more)]


class _Cost:
    """What further games cost."""

    def __init__(self, provenance: Mapping[str, Any]) -> None:
        timed = provenance.get("timed") or {}
        self.seconds = float(timed.get("seconds", math.nan)) / max(1, int(timed.get("games", 1)))
        self.workers = max(1, int(provenance.get("workers") or 1))

    def of_games(self, games: float) -> str:
        """So many games, rounded, and the time that they take."""
        size = 10 ** max(0, math.floor(math.log10(max(games, 1))) - 1)
        count = int(math.ceil(games / size) * size)
        if math.isnan(self.seconds):
            return tr("{count:,} more games", count=count)
        time = format_duration(count * self.seconds / self.workers)
        return tr("{count:,} more games ({time})", count=count, time=time)


def _strong_subjects(analysis: Analysis, names: Names, cost: _Cost) -> list[_Subject]:
    """The changes of the rules where rulesets combine them, or else the proposals, with strong play."""
    verdicts = analysis.strong_verdicts
    scores = verdicts[verdicts["measure"] == "first_score"].to_dict("records")
    levels = {str(row["ruleset"]): 0.5 + float(row["now"]) for row in scores if not row["compared"]}
    games = int(analysis.cells["games"].sum())
    effects = analysis.strong_effects
    subjects = []
    for row in effects[(effects["measure"] == "first_score") & (effects["kind"] == "main")].to_dict("records"):
        alone, before = str(row["alone"]), float(row["without"])
        name = verbatim(names.short(alone)) if alone else rule_name(row, names)
        title = names.title(alone) if alone else ""
        step = _strong_step(row, games, cost)
        likely, verdict = float(row["likely_fairer"]), _sure_effect(row)
        subjects.append(_Subject(alone, name, title, likely, verdict, before, before + float(row["now"]), step))
    if subjects:
        return subjects
    for row in scores:
        name = str(row["ruleset"])
        if not row["compared"] or names.plan.baseline not in levels or name not in levels:
            continue
        verdict = str(row["fairness"]) if row["verdict"] != "not_settled" else ""
        likely, step = float(row["likely_fairer"]), _strong_step(row, games, cost)
        before, after = levels[names.plan.baseline], levels[name]
        subjects.append(
            _Subject(name, verbatim(names.short(name)), names.title(name), likely, verdict, before, after, step)
        )
    return subjects


def _sure_effect(row: Record) -> str:
    """Whether a change of the rules surely makes games fairer, or less fair, or changes nothing."""
    if row["verdict"] == "not_settled":
        return ""
    if row["direction"] == "none":
        return "same"
    return "fairer" if float(row["likely_fairer"]) > 0.5 else "less_fair"


def _strong_step(row: Record, games: int, cost: _Cost) -> str:
    """What would tell more of a verdict about strong play."""
    if row["verdict"] != "not_settled":
        return tr(
            "Nothing more to ask: this is settled, among such players and after one more doubling of their search."
        )
    times = float(row["more_games"])
    if row["reason"] == "games" and math.isfinite(times):
        return tr("To know more: {games} of all rulesets.", games=cost.of_games((times - 1) * games))
    if row["reason"] == "one_strength":
        return tr("Whether it lasts as players get stronger was not asked: that takes two budgets of nodes.")
    return tr("To know more: {reason}.", reason=reason_text(row))


def _compared_subjects(analysis: Analysis, names: Names, cost: _Cost) -> list[_Subject]:
    """The proposals as the strongest players of the experiment see them."""
    table = pairing_rows(primary_comparisons(analysis), names.strongest)
    base = cell_row(analysis.cells, names.plan.baseline, names.strongest)
    subjects = []
    for row in table.to_dict("records") if base else ():
        name = str(row["ruleset"])
        cell = cell_row(analysis.cells, name, names.strongest)
        assert base is not None
        if cell is None or not (base["finished"] and cell["finished"]):
            continue
        verdict = {"fairer": "fairer", "less_fair": "less_fair", "no_meaningful_difference": "same"}
        likely = _likely_gain(float(row["difference"]), (float(row["high"]) - float(row["low"])) / (2 * Z))
        needed = float(row["games_needed"])
        step = _ask_search()
        if str(row["verdict"]) == "undecided" and 0 < needed < math.inf:
            step = sentences(
                [tr("To know more of these players: {games} of each ruleset.", games=cost.of_games(needed)), step]
            )
        subjects.append(
            _Subject(
                name, verbatim(names.short(name)), names.title(name), likely, verdict.get(str(row["verdict"]), ""),
                float(base["first_score"]), float(cell["first_score"]), step,
            )
        )  # fmt: skip
    return subjects


def _likely_gain(gain: float, error: float) -> float:
    """The probability that a gain is above 0, seen what rules typically do: few games are little evidence."""
    if not error > 0:
        return math.nan
    return float(ndtr(gain / error * math.sqrt(TYPICAL_CHANGE**2 / (TYPICAL_CHANGE**2 + error**2))))


def _ask_search() -> str:
    return tr("What strong players say was not asked.")


def _finding(subject: _Subject, changes: Sequence[RuleChange], replays: ReplayList | None) -> Finding:
    """The card of a subject."""
    own = [change for change in changes if subject.key in change.proposals]
    text, kind = SURE.get(subject.verdict) or next(
        (words, kind) for least, words, kind in CERTAINTIES if not subject.likely < least
    )
    if math.isnan(subject.likely):
        text, kind = CERTAINTIES[2][1:]
    if not subject.verdict and kind == "open" and not math.isnan(subject.likely):
        side = tr("helps") if subject.likely >= 0.5 else tr("harms")
        text = tr("{text}; more likely it {side}", text=text, side=side)
    score = tr(
        "First player {before} → {after}", before=format_percent(subject.before), after=format_percent(subject.after)
    )
    first = own[0] if own else None
    now = (
        [first.now[1], *([trn("And {n} more change.", "And {n} more changes.", len(own) - 1)] if own[1:] else [])]
        if first
        else []
    )
    with_position = next((change for change in own if change.position), None)
    game = ""
    for replay in replays.replays if replays else ():
        if replay.ruleset == subject.key and replay.moves is not None and (not game or TYPICAL in replay.reasons):
            game = f"{replay.ruleset}/{replay.first}/{replay.second}/{replay.game + 1}"
    return Finding(
        subject.name, subject.title, score, text, subject.likely, kind,
        first.was[1] if first else "", sentences(now) if now else "",
        with_position.position if with_position else None, with_position.number if with_position else 0,
        subject.next_step, game,
    )  # fmt: skip


def _headline(subjects: Sequence[_Subject], analysis: Analysis, names: Names) -> str:
    """Which to take, how sure, and how even the game is today."""
    texts = []
    level = _baseline_level(analysis, names)
    if level is not None:
        text = tr("Under {baseline} the first player scores {score}.")
        if abs(level - 0.5) >= FAR_FROM_EVEN:
            text = tr("Under {baseline} the first player scores {score}, far from even.")
        texts.append(text.format(baseline=names.short(names.plan.baseline), score=format_percent(level)))
    sure = [each for each in subjects if each.verdict == "fairer"]
    likely = [each for each in subjects if each.likely >= CERTAINTIES[0][0] and each not in sure]
    harm = [each for each in subjects if each.verdict == "less_fair" or each.likely <= CERTAINTIES[3][0]]
    if sure:
        texts.append(tr("Fairer, surely: {names}.", names=_which(sure)))
    if likely:
        texts.append(tr("Very likely fairer: {names}.", names=_which(likely)))
    if not sure and not likely:
        best = max(subjects, key=lambda each: each.likely if not math.isnan(each.likely) else -1.0)
        text = tr("Nothing is shown to make it fairer yet; most likely {name} does (probability {likely}).")
        if best.likely < 0.5:
            text = tr("Nothing is likely to make it fairer; the best of all is {name} (probability {likely}).")
        texts.append(text.format(name=best.name, likely=format_percent(best.likely, 0)))
    if harm:
        texts.append(tr("Less fair, surely or very likely: {names}.", names=_which(harm)))
    if len(analysis.strong_ranks) > 2:
        best_row = analysis.strong_ranks.sort_values("loss", kind="stable").iloc[0]
        text = tr("If fairness is all that counts, take {name}: the fairest of all with a probability of {likely}.")
        texts.append(
            text.format(
                name=names.short(str(best_row["ruleset"])), likely=format_percent(float(best_row["fairest"]), 0)
            )
        )
    return sentences(texts)


def _which(subjects: Sequence[_Subject]) -> str:
    return listed([each.name for each in subjects])


def _baseline_level(analysis: Analysis, names: Names) -> float | None:
    """The first player's score under the baseline, of strong play where it was asked."""
    for row in analysis.strong_verdicts.to_dict("records"):
        if row["ruleset"] == names.plan.baseline and row["measure"] == "first_score" and not row["compared"]:
            return 0.5 + float(row["now"])
    cell = cell_row(analysis.cells, names.plan.baseline, names.strongest)
    return float(cell["first_score"]) if cell and cell["finished"] else None
