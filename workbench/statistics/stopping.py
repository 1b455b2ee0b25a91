"""How many games each cell of an experiment is to have, given the games played so far.

The answer follows from the records alone, one interim analysis (a "look" in experiment files) after the other: whoever
asks again, with more or fewer workers, after a kill or a year later, gets the same one. An interim analysis takes all
games of a cell up to a fixed number, never "those that are ready": were quick games the first to count, they would win
the race.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from workbench.questions.measures import FAIRNESS, FIRST_SCORE
from workbench.statistics.clusters import t_from_normal
from workbench.statistics.comparisons import FUTILITY_CHANCE, comparison_table
from workbench.statistics.intervals import Z, score_interval
from workbench.statistics.plan import AnalysisPlan, prepare_trials
from workbench.statistics.search_games import MEASURES, SearchGames, rung_of
from workbench.statistics.strong_play import StrongPlay, undecided_rulesets
from workbench.statistics.tables import cell_indices, cell_table
from workbench.statistics.tallies import error_inflation, fewest_lines, tally
from workbench.statistics.verdicts import target_table
from workbench.store.trials import CELL, CellName, Trials


def games_per_cell(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> dict[CellName, int]:
    """The games that each cell should have, as far as can be said from the games that there are.

    Without ``until`` and ``precision``: the number that the experiment names. Else all cells are played up to the first
    interim analysis, and after each one those go on to the next that are not done. With ``until`` these are:

    * where there are the players for a verdict about strong play (`decides_by_strong_play`), the rulesets of which it
      is open, of scores only those that may be the fairest (`strong_play.undecided_rulesets`);
    * else the proposals, with the baseline's cells of the same agents, whose verdict on the question is undecided;
    * in an experiment of a single ruleset, cells with an undecided target;

    in all cases but for those of a yardstick (`AnalysisPlan.yardsticks`). With ``precision`` they are cells in which
    the interval of the first seat's score reaches further than that on either side. Verdicts that the stopped games
    alone keep open are not waited for, nor those that the games up to the ceiling hardly can bring any more: with a
    chance below `FUTILITY_CHANCE`, see `decision_chance`. Nothing goes on beyond the experiment's number of games.
    Where ``games`` was raised, cells that are decided stay as they are, and all others go on (`AnalysisPlan.stages`).

    Source: for ``until``, `comparison_table`. For ``precision``, Y. S. Chow, H. Robbins, "On the asymptotic theory of
    fixed-width sequential confidence intervals", Annals of Mathematical Statistics 36, 1965.
    For ends that only spare games: J. M. Lachin, "A review of methods for futility stopping based on conditional
    power", Statistics in Medicine 24, 2005.
    Limits: to give up costs power, less than two points of it, and never adds a wrong verdict: the critical values are
    those of an experiment that goes on. An end by precision depends on the spread of the results, hardly on the score
    itself, so that the intervals stay as good as they are; with fewer than a few hundred games at the first analysis
    they are slightly too narrow.
    """
    return InterimAnalyses(plan).games_per_cell(trials)


class InterimAnalyses:
    """The interim analyses of an experiment while it is played; each is made once, as soon as its games are there."""

    def __init__(self, plan: AnalysisPlan) -> None:
        self.plan = plan
        self.sizes = plan.interim_sizes if plan.experiment.sequential else [plan.games]
        self._analyses_made = 0
        self._games_per_cell = dict.fromkeys(plan.cells, self.sizes[0])
        self._is_open = len(self.sizes) > 1

    def games_per_cell(self, trials: Trials | pd.DataFrame) -> dict[CellName, int]:
        """The games that each cell should have; ``trials`` has at least the games of earlier calls."""
        if not self._is_open:
            return dict(self._games_per_cell)
        trials = prepare_trials(trials, self.plan)
        cells = self.plan.cells
        cell_of_game = cell_indices(trials.games, cells)
        played = np.bincount(cell_of_game[cell_of_game >= 0], minlength=len(cells))
        while self._is_open and all(n >= self._games_per_cell[cell] for cell, n in zip(cells, played, strict=True)):
            # Of other cells, in the last place, nothing is seen.
            limits = np.array([*(self._games_per_cell[cell] for cell in cells), 0])[cell_of_game]
            analysed = trials.select(trials.games["game"].to_numpy() < limits)
            still_running = {
                cell for cell, games in self._games_per_cell.items() if games == self.sizes[self._analyses_made]
            }
            following = self.sizes[self._analyses_made + 1]
            continuing = _open_cells(analysed, self.plan.until_games(following))
            # An extension takes up again what was given up.
            if self.sizes[self._analyses_made] not in self.plan.earlier_games:
                continuing &= still_running
            self._analyses_made += 1
            self._games_per_cell |= dict.fromkeys(continuing, following)
            self._is_open = bool(continuing) and self._analyses_made + 1 < len(self.sizes)
        return dict(self._games_per_cell)


def _open_cells(analysed: Trials, plan: AnalysisPlan) -> set[CellName]:
    """Cells still running after the interim analyses so far."""
    if plan.experiment.precision:
        return _imprecise_cells(analysed, plan)
    if decides_by_strong_play(plan):
        return _cells_of_contenders(analysed, plan)
    if plan.proposals:
        compared = comparison_table(analysed, plan, plan.primary_measures)
        # Where the games that are stopped leave open more than any gain can be, no number of games decides.
        hopeless = (compared["most"] - compared["least"] >= 1) | (
            (compared["chance_left"] < FUTILITY_CHANCE)
            & ~compared["reason"].isin(("not_finished", "no_look", "no_games"))
        )
        undecided = (compared["measure"] == plan.question_measure.name) & (compared["verdict"] == "undecided")
        undecided_rows = compared[undecided & ~hopeless]
        undecided_cells = set(undecided_rows[CELL].itertuples(index=False, name=None))
        return undecided_cells | {(plan.baseline, first, second) for _, first, second in undecided_cells}
    table = cell_table(analysed, plan.names, plan.pairings, plan.baseline, plan.critical, plan.margin)
    target_verdicts = target_table(table, plan.experiment.targets, plan.critical)
    open_cells = set(
        target_verdicts.loc[target_verdicts["verdict"] == "undecided", CELL].itertuples(index=False, name=None)
    )
    return {cell for cell in open_cells if cell[1:] not in plan.yardsticks}


def decides_by_strong_play(plan: AnalysisPlan) -> bool:
    """Whether there are two families of search with two budgets each, which a verdict about strong play takes."""
    if not plan.proposals or _strong_measure(plan) not in [one.name for one in MEASURES]:
        return False
    of_plan = [rung_of(first, plan.agents.get(first)) for first, _ in plan.mirrors]
    rungs = {(rung.config[0], rung.nodes) for rung in of_plan if rung}
    families = {family for family, _ in rungs}
    return len(families) > 1 and all(sum(of == family for of, _ in rungs) > 1 for family in families)


def _cells_of_contenders(analysed: Trials, plan: AnalysisPlan) -> set[CellName]:
    """The cells of `undecided_rulesets`."""
    games, measure = SearchGames(analysed, plan), _strong_measure(plan)
    names = [each.name for each in plan.rulesets if each.game == plan.ruleset(plan.baseline).game]
    means = games.means(names, measure)
    undecided = undecided_rulesets(StrongPlay(games, means, measure)) if means is not None else []
    return {cell for cell in plan.cells if cell[0] in undecided and cell[1:] not in plan.yardsticks}


def _strong_measure(plan: AnalysisPlan) -> str:
    """What is estimated of strong play where the question is about fairness, or a share."""
    question = plan.question_measure.name
    return FIRST_SCORE if question == FAIRNESS else question


def _imprecise_cells(analysed: Trials, plan: AnalysisPlan) -> set[CellName]:
    """Cells whose interval of the score is wider than the plan's precision."""
    assert plan.experiment.precision is not None
    counts = tally(analysed, plan.cells)
    z = t_from_normal(Z, fewest_lines(counts, counts)) * error_inflation(counts, "first_score")
    low, high = score_interval(counts["first"], counts["draw"], counts["second"], z)
    # A cell without a finished game has no interval.
    precise = (high - low) / 2 <= plan.experiment.precision
    return {cell for cell, is_precise in zip(plan.cells, precise, strict=True) if not is_precise}
