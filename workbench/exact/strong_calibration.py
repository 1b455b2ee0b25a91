"""Are verdicts about strong play right? Asked of solved rulesets, whose best play is known, and of stronger players.

It is asked of each ruleset whether the first seat scores more than one half, and of each difference between a ruleset
and the first one of its game which way it goes. First the strongest budget of the experiment is *hidden*: what do the
others say, and do the hidden players say the same? Then all players speak, and *best play* answers. Where an experiment
names *published* results of stronger players, those that have a direction answer, too, for scores and for draws.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from workbench.games.results import SCORES
from workbench.questions.published import Published
from workbench.statistics import AnalysisPlan
from workbench.statistics.plan import prepared
from workbench.statistics.published import Difference, differences
from workbench.statistics.strong_play import Estimates, Strengths, estimates, ruled
from workbench.store.trials import Trials

COLUMNS = [
    "experiment", "game", "ruleset", "baseline", "measure", "asked", "verdict", "direction", "reason", "now", "truth",
    "truth_low", "truth_high", "outcome",
]  # fmt: skip
HIDDEN, BEST_PLAY, PUBLISHED = ASKED = ("hidden", "best_play", "published")
PLAYED = ["experiment", "ruleset", "player", "games", "first_wins", "second_wins", "draws", "capped"]
WRONG, GIVEN = 0.05, 0.5
"""At most so many of the verdicts given may be wrong, and at least so many must be given."""


@dataclass(frozen=True)
class StrongCalibration:
    """Verdicts about strong play beside the truth."""

    table: pd.DataFrame
    """A row for each question (`COLUMNS`): ``asked`` is one of `ASKED`; ``truth``, of hidden players and of published
    results with its interval, in the unit of ``now``: a score less one half, or a difference of two rulesets;
    ``outcome`` is ``right``, ``wrong`` or ``not_settled``."""
    budgets: Mapping[str, tuple[int, ...]]
    """Of each experiment, weakest first."""
    played: pd.DataFrame
    """The records in short: a row for each ruleset and player who played itself (`PLAYED`); a game stopped at the cap
    is none of the others."""
    digests: Mapping[str, str]
    """Of each experiment that of its records."""

    def counts(self, asked: str) -> dict[str, int]:
        """How many outcomes of each kind there are."""
        of = self.table.loc[self.table["asked"] == asked, "outcome"]
        return {outcome: int((of == outcome).sum()) for outcome in ("right", "not_settled", "wrong")}

    @property
    def passed(self) -> bool:
        """Whether few enough verdicts are wrong, and enough are given; none may contradict what was published."""
        for asked in (HIDDEN, BEST_PLAY):
            counts = self.counts(asked)
            given = counts["right"] + counts["wrong"]
            if not given or counts["wrong"] > WRONG * given or given < GIVEN * sum(counts.values()):
                return False
        return not self.counts(PUBLISHED)["wrong"]


def together(calibrations: Sequence[StrongCalibration]) -> StrongCalibration:
    """Those of several experiments as one."""
    return StrongCalibration(
        pd.concat([each.table for each in calibrations], ignore_index=True),
        {name: each for calibration in calibrations for name, each in calibration.budgets.items()},
        pd.concat([each.played for each in calibrations], ignore_index=True),
        {name: each for calibration in calibrations for name, each in calibration.digests.items()},
    )


def calibrate(
    trials: Trials | pd.DataFrame,
    plan: AnalysisPlan,
    best_play: Mapping[str, str],
    published: Published | None = None,
    experiment: str = "",
    digest: str = "",
) -> StrongCalibration:
    """The verdicts of an experiment's records.

    ``best_play`` is first, second or draw for each ruleset of which it is known; ``experiment`` is the name of the
    experiment, ``digest`` that of its records.
    """
    strengths = Strengths(prepared(trials, plan), plan)
    rows: list[dict[str, Any]] = []
    firsts: dict[str, str] = {}
    for ruleset in plan.rulesets:
        base = firsts.setdefault(ruleset.game, ruleset.name)
        for baseline in ("", base) if base != ruleset.name else ("",):
            terms = {ruleset.name: 1.0, **({baseline: -1.0} if baseline else {})}
            constant = 0.0 if baseline else -0.5
            found = estimates(strengths, "first_score", terms, constant)
            if not len(found.values):
                continue
            about = {"game": ruleset.game, "ruleset": ruleset.name, "baseline": baseline, "measure": "first_score"}
            rows += [about | row for row in _hidden(strengths, found, tuple(terms))]
            if all(name in best_play for name in terms):
                truth = constant + sum(factor * SCORES[best_play[name]] for name, factor in terms.items())
                rows.append(about | _best_play(strengths, found, tuple(terms), truth))
    games = {ruleset.name: ruleset.game for ruleset in plan.rulesets}
    for theirs in differences(published, plan) if published else ():
        found = estimates(strengths, theirs.measure, {theirs.ruleset: 1.0, plan.baseline: -1.0})
        if theirs.usable and len(found.values):
            about = {"ruleset": theirs.ruleset, "baseline": plan.baseline, "measure": theirs.measure}
            rows.append({"game": games[theirs.ruleset]} | about | _published(strengths, found, theirs))
    budgets = tuple(sorted({rung.nodes for rung in strengths.rungs.values()}))
    table = pd.DataFrame(rows, columns=COLUMNS).assign(experiment=experiment)
    played = _played(Trials.of(trials), {rung.label for rung in strengths.rungs.values()}).assign(experiment=experiment)
    return StrongCalibration(table, {experiment: budgets}, played[PLAYED], {experiment: digest})


def _played(trials: Trials, players: Collection[str]) -> pd.DataFrame:
    """How the games of these players with themselves ended."""
    rows = []
    for ruleset, first, second in trials.cells:
        if first == second and first in players:
            results = trials.column((ruleset, first, second), "result").astype(str)
            counts = {name: int((results == name).sum()) for name in ("first", "second", "draw", "unfinished")}
            numbers = dict(zip(PLAYED[3:], (len(results), *counts.values()), strict=True))
            rows.append({"ruleset": ruleset, "player": first} | numbers)
    return pd.DataFrame(rows, columns=PLAYED)


def _hidden(strengths: Strengths, found: Estimates, rulesets: tuple[str, ...]) -> list[dict[str, Any]]:
    """What the weaker players say beside what the strongest do; nothing with fewer than three budgets.

    A verdict is wrong if the strongest surely say otherwise: that the direction is another, or, of what has settled,
    that it moved by more than the margin for each doubling.
    """
    budgets = sorted(set(found.nodes.tolist()))
    if len(budgets) < 3:
        return []
    told = ruled(strengths, found.among(np.flatnonzero(found.nodes < budgets[-1])), rulesets)
    strongest = found.among(np.flatnonzero(found.nodes == budgets[-1])).trend().now
    low, high = strongest.interval()
    margin = strengths.plan.margin
    outcome = "not_settled"
    if told["verdict"] != "not_settled":
        otherwise = {"more": high <= 0, "less": low >= 0, "none": low > margin or high < -margin}[told["direction"]]
        most = margin * np.log2(budgets[-1] / budgets[-2])
        moved = told["verdict"] == "settled" and (low > told["now_high"] + most or high < told["now_low"] - most)
        outcome = "wrong" if otherwise or moved else "right"
    return [_row(HIDDEN, told, strongest.value, low, high, outcome)]


def _best_play(strengths: Strengths, found: Estimates, rulesets: tuple[str, ...], truth: float) -> dict[str, Any]:
    """What all players say beside best play."""
    told = ruled(strengths, found, rulesets)
    return _row(BEST_PLAY, told, truth, truth, truth, _outcome(told, truth, strengths.plan.margin))


def _published(strengths: Strengths, found: Estimates, theirs: Difference) -> dict[str, Any]:
    """What all players say beside the players of others, whose difference has a direction."""
    told = ruled(strengths, found, (theirs.ruleset, strengths.plan.baseline))
    outcome = _outcome(told, theirs.difference, strengths.plan.margin)
    return _row(PUBLISHED, told, theirs.difference, theirs.low, theirs.high, outcome)


def _outcome(told: Mapping[str, Any], truth: float, margin: float) -> str:
    """Whether a verdict's direction is that of the truth."""
    if told["verdict"] == "not_settled":
        return "not_settled"
    right = {"more": truth > 0, "less": truth < 0, "none": abs(truth) <= margin}[told["direction"]]
    return "right" if right else "wrong"


def _row(asked: str, told: Mapping[str, Any], truth: float, low: float, high: float, outcome: str) -> dict[str, Any]:
    said = {name: told[name] for name in ("verdict", "direction", "reason", "now")}
    return {"asked": asked} | said | {"truth": truth, "truth_low": low, "truth_high": high, "outcome": outcome}
