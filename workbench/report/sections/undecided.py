"""Why verdicts are undecided, and what it would take to decide them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from workbench.language import listed, tr, verbatim
from workbench.questions.agent_kinds import PEOPLE
from workbench.report.labels import pairing_text
from workbench.report.names import REASONS, Names, capped_method_sentence
from workbench.report.numbers import format_amount, format_percent
from workbench.report.sections.lookup import Record, pairing_rows
from workbench.report.sections.phrases import MAX_NAMES
from workbench.statistics import Analysis, stopped_games
from workbench.statistics.comparisons import FUTILITY_CHANCE
from workbench.statistics.sequential import games_for_equivalence


def ended_early(row: Record) -> bool:
    """Whether the games of a comparison ended since the rest would hardly have decided."""
    return 0 < float(row["chance_left"]) < FUTILITY_CHANCE


def games_needed_sentences(group: Sequence[Record]) -> list[str]:
    """How many more games would decide the undecided."""
    needed = [float(row["games_needed"]) for row in group]
    some = [count for count in needed if 0 < count < math.inf]
    texts = []
    if some:
        text = tr(
            "Going by these games, a decision takes roughly {least} more games of each "
            "ruleset{most}; the further games may tell otherwise."
        )
        low, high = (f"{_round_up(count):,}" for count in (min(some), max(some)))
        most = tr(" for the clearest and {high} for the closest of them")
        texts.append(text.format(least=low, most=most.format(high=high) if low != high else verbatim("")))
    ended = [row for row in group if ended_early(row)]
    if ended:
        text = tr("{n} of them ended before all their games were played: the rest would hardly have decided.")
        texts.append(text.format(n=str(len(ended))))
    if any(count == math.inf for count in needed):
        text = tr("For {names} no number of games will: {reason}.")
        stuck = [row for row in group if row["games_needed"] == math.inf]
        reasons = {str(row["reason"]) or "capped_games" for row in stuck}
        texts.append(
            text.format(
                names=tr("{count} of them", count=len(stuck)),
                reason=listed([REASONS[reason] for reason in sorted(reasons)]),
            )
        )
    return texts


def capped_gain_sentences(group: Sequence[Record], names: Names) -> list[str]:
    """How much of the gain is left open by capped games where they, and not chance, keep a verdict from being taken."""
    wide = [row for row in group if row["reason"] == "capped_games" and row["most"] > row["least"]]
    if not wide:
        return []
    # A gain lies between -50 and 50 points; where the baseline may be on either side of 50 % its bounds are rough.
    open_points = [min(100.0, 100 * (row["most"] - row["least"])) for row in wide]
    low, high = format_amount(min(open_points), 1), format_amount(max(open_points), 1)
    text = tr("Games stopped at the cap leave up to {points} points of the gain open for {names}{remedy}.")
    remedy = tr(": more games help little, a larger max_plies or “capped: adjudicate” may help")
    if names.plan.experiment.adjudicator:
        remedy = tr(": more games help little, a larger max_plies may help")
    which = listed([names.short(row["ruleset"]) for row in wide])
    if len(wide) > MAX_NAMES:
        which = tr("{n} of them").format(n=len(wide))
    return [text.format(points=low if low == high else f"{low}–{high}", names=which, remedy=remedy)]


def capped_games_sentences(analysis: Analysis, names: Names) -> list[str]:
    """How many games between the strongest players were stopped at the cap, and what became of them."""
    cells = pairing_rows(analysis.cells, names.strongest)
    games, at_cap = int(cells["games"].sum()), int(stopped_games(cells).sum())
    if not at_cap:
        return []
    if names.plan.agents[names.strongest[0]].kind == PEOPLE:
        return [
            tr("{share} of the games of {people} have no result: intervals allow for either.").format(
                share=format_percent(at_cap / games), people=pairing_text(names.strongest)
            )
        ]
    text = tr("{share} of the games between the strongest players were stopped at the cap{adjudicated}. {method}")
    adjudicated = verbatim("")
    if names.plan.experiment.adjudicator:
        decided = format_percent((at_cap - int(cells["unfinished"].sum())) / games)
        adjudicated = tr(", {decided} were adjudicated").format(decided=decided)
    return [
        text.format(share=format_percent(at_cap / games), adjudicated=adjudicated, method=capped_method_sentence(names))
    ]


def unreachable_equivalence(names: Names) -> list[str]:
    """Whether "no meaningful difference" could not be shown from the outset."""
    plan = names.plan
    if not plan.question_measure.is_share:
        return []
    margin = plan.share_margin
    least = games_for_equivalence(margin, plan.primary_comparisons, plan.verdict_analyses, stage=plan.number)
    if not plan.games or plan.games >= least:
        return []
    text = tr(
        "“No meaningful difference” was out of reach: to show it to ±{margin} points takes at "
        "least {least} games of each ruleset and players, unless many are drawn; this experiment has {games}."
    )
    return [text.format(margin=f"{100 * margin:.3g}", least=f"{least:,}", games=f"{plan.games:,}")]


def _round_up(count: float) -> int:
    """The number rounded up to two leading digits: a forecast is no more exact than that."""
    size = 10 ** max(0, math.floor(math.log10(max(count, 1))) - 1)
    return int(math.ceil(count / size) * size)
