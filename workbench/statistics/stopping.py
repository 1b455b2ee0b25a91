"""How far each cell of an experiment is to be played, seen what was played so far.

The answer follows from the records alone, look by look: whoever asks again, with more or fewer workers, after a kill or
a year later, gets the same one. A look takes all games of a cell up to a fixed number, never "those that are ready":
were quick games the first to count, they would win the race.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from workbench.statistics.comparisons import FUTILE, comparisons, tally
from workbench.statistics.intervals import Z, score_interval
from workbench.statistics.plan import AnalysisPlan, Cell
from workbench.statistics.tables import CELL, cells, places
from workbench.statistics.verdicts import targets


def wanted(trials: pd.DataFrame, plan: AnalysisPlan) -> dict[Cell, int]:
    """The games that each cell should have, as far as can be said from the games that there are.

    Without ``until`` and ``precision``: the number that the experiment names. Else all cells are played up to the first
    look, and after each look those go on to the next that are not done: with ``until``, the proposals (and the
    baseline's cells with the same agents) whose verdict on the question is undecided, or, in an experiment of a single
    ruleset, cells with an undecided target, in both cases but for those of a yardstick (`AnalysisPlan.yardsticks`);
    with ``precision``, cells in which the interval of the first seat's score reaches further than that on either side.
    Verdicts that the stopped games alone keep open are not waited for, nor those that the games up to the ceiling
    hardly can bring any more: with a chance below `FUTILE`, see `decision_chance`. Nothing goes on beyond the
    experiment's number of games. Cells that earlier designs of the folder ended stay as they are: see
    `AnalysisPlan.stages`.

    Source: for ``until``, `comparisons`. For ``precision``, Y. S. Chow, H. Robbins, "On the asymptotic theory of
    fixed-width sequential confidence intervals", Annals of Mathematical Statistics 36, 1965.
    For ends that only spare games: J. M. Lachin, "A review of methods for futility stopping based on conditional
    power", Statistics in Medicine 24, 2005.
    Limits: to give up costs power, less than two points of it, and never adds a wrong verdict: the critical values are
    those of an experiment that goes on. An end by precision depends on the spread of the results, hardly on the score
    itself, so that the intervals stay as good as they are; with fewer than a few hundred games at the first look they
    are slightly too narrow.
    """
    goal = dict.fromkeys(plan.cells, plan.games)
    if not plan.until and not plan.precision:
        return goal
    sizes = plan.sizes
    at = places(trials, plan.cells)
    have = dict(zip(plan.cells, np.bincount(at[at >= 0], minlength=len(plan.cells)), strict=True))
    goal = dict.fromkeys(plan.cells, sizes[0])
    for size in sizes[1:]:
        if any(have.get(cell, 0) < games for cell, games in goal.items()):
            break
        # Of other cells, in the last place, nothing is seen.
        seen = trials[trials["game"].to_numpy() < np.array([*(goal[cell] for cell in plan.cells), 0])[at]]
        further = _unready(seen, plan) & {cell for cell, games in goal.items() if games == _previous(sizes, size)}
        if not further:
            break
        goal |= dict.fromkeys(further, size)
    return goal


def _previous(sizes: list[int], size: int) -> int:
    return sizes[sizes.index(size) - 1]


def _unready(seen: pd.DataFrame, plan: AnalysisPlan) -> set[Cell]:
    """The cells that are not done, judged by the games of the looks that they had."""
    if plan.precision:
        return _wide(seen, plan)
    if plan.proposals:
        compared = comparisons(seen, plan, plan.chosen)
        # Where the games that are stopped leave open more than any gain can be, no number of games decides.
        hopeless = (compared["most"] - compared["least"] >= 1) | (
            (compared["chance_left"] < FUTILE) & ~compared["reason"].isin(("not_finished", "no_look", "no_games"))
        )
        undecided = (compared["measure"] == plan.asked.measure) & (compared["verdict"] == "undecided")
        open_ones = compared[undecided & ~hopeless]
        found = set(open_ones[CELL].itertuples(index=False, name=None))
        return found | {(plan.baseline, first, second) for _, first, second in found}
    table = cells(seen, plan.names, plan.pairings, plan.baseline, plan.critical, plan.margin)
    judged = targets(table, plan.targets, plan.critical)
    found = set(judged.loc[judged["verdict"] == "undecided", CELL].itertuples(index=False, name=None))
    return {cell for cell in found if cell[1:] not in plan.yardsticks}


def _wide(seen: pd.DataFrame, plan: AnalysisPlan) -> set[Cell]:
    assert plan.precision is not None
    found = tally(seen, plan.cells)
    low, high = score_interval(found["first"], found["draw"], found["second"], Z)
    # A cell without a finished game has no interval.
    enough = (high - low) / 2 <= plan.precision
    return {cell for cell, done in zip(plan.cells, enough, strict=True) if not done}
