"""How surely an experiment will say what rules do for strong play, before a game is played."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.questions.lines import DrawnLines
from workbench.statistics.intervals import Floats
from workbench.statistics.joint_model import TYPICAL, CellEstimates, JointModel, rule_factors
from workbench.statistics.plan import AnalysisPlan
from workbench.statistics.search_games import RungNumbers, rung_of
from workbench.statistics.sequential import ALPHA
from workbench.statistics.strong_play import WINDOW_DOUBLINGS
from workbench.statistics.strong_verdicts import SimultaneousLevel

LINE_SHARE = 0.1
"""What lines add to the variance of a game's result under all rulesets, as estimated in Chatra, November 2026."""
DRAWS = 4_000


class Reach(NamedTuple):
    """Half of an interval that holds for all of its kind at once, in shares: the mean over all of them."""

    proposals: float
    """Of the difference of a proposal from the baseline."""
    effects: float | None
    """Of the effect of a change of the rules, where rulesets combine a few."""


def foreseen_reach(plan: AnalysisPlan) -> Reach | None:
    """That of an experiment that is played whole; None where no searches by nodes, or no proposals, take part.

    Limits: results near one half without draws, and players that differ as they did in Chatra and chess (`TYPICAL`).
    """
    rungs = [rung for first, _ in plan.mirrors if (rung := rung_of(first, plan.agents.get(first)))]
    if not rungs or not plan.proposals or not plan.games:
        return None
    most = max(rung.nodes for rung in rungs)
    rungs = [rung for rung in rungs if rung.nodes >= most / 2**WINDOW_DOUBLINGS]
    names = [plan.baseline, *plan.proposals]
    players = RungNumbers.of(rungs)
    cells = len(names) * len(rungs)
    drawn = isinstance(plan.experiment.openings, DrawnLines)
    share = LINE_SHARE if drawn else 0.0
    lines = min(plan.experiment.line_count, plan.games) if drawn else plan.games
    covariance = np.eye(cells) * 0.25 * (1 - share) / plan.games + 0.25 * share / lines
    model = JointModel(
        CellEstimates(
            np.full(cells, 0.5),
            covariance,
            np.repeat(np.arange(len(names)), len(rungs)),
            np.tile(np.arange(len(rungs)), len(names)),
            np.ones(len(names)),
            players.configuration,
            players.family,
            players.doublings,
        ),
        rule_factors([plan.ruleset(name).settings for name in names]),
    )
    answers = model.covariance(TYPICAL)
    now = answers[model.slices["now"], model.slices["now"]]
    change = np.eye(len(names))[1:] - np.eye(len(names))[0]
    effects = answers[model.slices["effects"], model.slices["effects"]]
    return Reach(_reach(change @ now @ change.T), _reach(effects) if len(effects) else None)


def _reach(covariance: Floats) -> float:
    """The mean half width of simultaneous intervals of numbers with this covariance."""
    values, vectors = np.linalg.eigh(covariance)
    normal = np.random.default_rng(0).standard_normal((DRAWS, len(values)))
    draws = normal @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    critical = SimultaneousLevel.of(draws, ALPHA, np.inf).critical
    return float(critical * np.sqrt(np.diag(covariance)).mean())
