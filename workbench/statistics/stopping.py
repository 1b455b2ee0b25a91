"""How many games each cell of an experiment is to have, given the games played so far.

The answer follows from the records alone, one interim analysis (a "look" in experiment files) after the other: whoever
asks again, with more or fewer workers, after a kill or a year later, gets the same one. An interim analysis takes all
games of a cell up to a fixed number, never "those that are ready": were quick games the first to count, they would win
the race.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from workbench.statistics.clusters import widened
from workbench.statistics.comparisons import FUTILE, comparisons
from workbench.statistics.intervals import Z, score_interval
from workbench.statistics.plan import AnalysisPlan, prepared
from workbench.statistics.tables import cells, places
from workbench.statistics.tallies import inflation, lines_of, tally
from workbench.statistics.verdicts import targets
from workbench.store.trials import CELL, CellName, Trials


def wanted(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> dict[CellName, int]:
    """The games that each cell should have, as far as can be said from the games that there are.

    Without ``until`` and ``precision``: the number that the experiment names. Else all cells are played up to the first
    interim analysis, and after each one those go on to the next that are not done: with ``until``, the proposals (and
    the baseline's cells with the same agents) whose verdict on the question is undecided, or, in an experiment of a
    single ruleset, cells with an undecided target, in both cases but for those of a yardstick
    (`AnalysisPlan.yardsticks`); with ``precision``, cells in which the interval of the first seat's score reaches
    further than that on either side. Verdicts that the stopped games alone keep open are not waited for, nor those that
    the games up to the ceiling hardly can bring any more: with a chance below `FUTILE`, see `decision_chance`. Nothing
    goes on beyond the experiment's number of games. Cells that earlier designs of the folder ended stay as they are:
    see `AnalysisPlan.stages`.

    Source: for ``until``, `comparisons`. For ``precision``, Y. S. Chow, H. Robbins, "On the asymptotic theory of
    fixed-width sequential confidence intervals", Annals of Mathematical Statistics 36, 1965.
    For ends that only spare games: J. M. Lachin, "A review of methods for futility stopping based on conditional
    power", Statistics in Medicine 24, 2005.
    Limits: to give up costs power, less than two points of it, and never adds a wrong verdict: the critical values are
    those of an experiment that goes on. An end by precision depends on the spread of the results, hardly on the score
    itself, so that the intervals stay as good as they are; with fewer than a few hundred games at the first analysis
    they are slightly too narrow.
    """
    return InterimAnalyses(plan).goal(trials)


class InterimAnalyses:
    """The interim analyses of an experiment while it is played; each is made once, as soon as its games are there."""

    def __init__(self, plan: AnalysisPlan) -> None:
        self.plan = plan
        self.sizes = plan.sizes if plan.until or plan.precision else [plan.games]
        self._made = 0
        self._goal = dict.fromkeys(plan.cells, self.sizes[0])
        self._goes_on = len(self.sizes) > 1

    def goal(self, trials: Trials | pd.DataFrame) -> dict[CellName, int]:
        """The games that each cell should have, see `wanted`; ``trials`` has at least the games of earlier calls."""
        if not self._goes_on:
            return dict(self._goal)
        trials = prepared(trials, self.plan)
        cells = self.plan.cells
        at = places(trials.games, cells)
        have = np.bincount(at[at >= 0], minlength=len(cells))
        while self._goes_on and all(n >= self._goal[cell] for cell, n in zip(cells, have, strict=True)):
            # Of other cells, in the last place, nothing is seen.
            taken = np.array([*(self._goal[cell] for cell in cells), 0])[at]
            seen = trials.select(trials.games["game"].to_numpy() < taken)
            still_running = {cell for cell, games in self._goal.items() if games == self.sizes[self._made]}
            further = _unready(seen, self.plan) & still_running
            self._made += 1
            self._goal |= dict.fromkeys(further, self.sizes[self._made])
            self._goes_on = bool(further) and self._made + 1 < len(self.sizes)
        return dict(self._goal)


def _unready(seen: Trials, plan: AnalysisPlan) -> set[CellName]:
    """Cells still running after the interim analyses so far."""
    if plan.precision:
        return _wide(seen, plan)
    if plan.proposals:
        compared = comparisons(seen, plan, plan.chosen)
        # Where the games that are stopped leave open more than any gain can be, no number of games decides.
        hopeless = (compared["most"] - compared["least"] >= 1) | (
            (compared["chance_left"] < FUTILE) & ~compared["reason"].isin(("not_finished", "no_look", "no_games"))
        )
        undecided = (compared["measure"] == plan.asked.name) & (compared["verdict"] == "undecided")
        open_ones = compared[undecided & ~hopeless]
        undecided_cells = set(open_ones[CELL].itertuples(index=False, name=None))
        return undecided_cells | {(plan.baseline, first, second) for _, first, second in undecided_cells}
    table = cells(seen, plan.names, plan.pairings, plan.baseline, plan.critical, plan.margin)
    judged = targets(table, plan.targets, plan.critical)
    open_cells = set(judged.loc[judged["verdict"] == "undecided", CELL].itertuples(index=False, name=None))
    return {cell for cell in open_cells if cell[1:] not in plan.yardsticks}


def _wide(seen: Trials, plan: AnalysisPlan) -> set[CellName]:
    """Cells whose interval of the score is wider than the plan's precision."""
    assert plan.precision is not None
    counts = tally(seen, plan.cells)
    z = widened(Z, lines_of(counts, counts)) * inflation(counts, "first_score")
    low, high = score_interval(counts["first"], counts["draw"], counts["second"], z)
    # A cell without a finished game has no interval.
    enough = (high - low) / 2 <= plan.precision
    return {cell for cell, done in zip(plan.cells, enough, strict=True) if not done}
