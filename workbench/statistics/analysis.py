"""All tables of an experiment at once, and how many games each of its cells is to have."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench import games as families
from workbench.experiments.measures import PLIES, added_measures
from workbench.records.records import STOPPED
from workbench.records.trials import CELL, CellName, Trials
from workbench.statistics.comparisons import FUTILITY_CHANCE, comparison_table, factorial_effects
from workbench.statistics.intervals import ClusterWidths, Floats, Z, clusters_of, score_interval, t_from_normal, wilson
from workbench.statistics.openings import (
    first_move_table,
    given_line_table,
    line_difference_table,
    opening_tables,
    swap_table,
)
from workbench.statistics.overview import flip_table, scorecard_table, sensitivity_table, warning_table
from workbench.statistics.plan import AnalysisPlan, error_share, prepare_trials, with_added_numbers
from workbench.statistics.portrait import portraits
from workbench.statistics.search_games import MEASURES, SearchGames, rung_of
from workbench.statistics.strong_play import StrongPlay, StrongPlayTables, strong_play_tables, undecided_rulesets
from workbench.statistics.styles import placement_table, score_matrices
from workbench.statistics.tables import cell_indices, cell_table, strength_table, survival_curve, target_table
from workbench.statistics.tallies import error_inflation, fewest_lines, measure_ranges, score_behind, tally

EVENT_COLUMNS = [
    *CELL, "event", "games", "mean", "mean_low", "mean_high", "share", "share_low", "share_high", "when_fired",
    "per", "ratio", "ratio_low", "ratio_high",
]  # fmt: skip


class Analysis:
    """The tables of an experiment, as attributes; each is made when it is first asked for, as `TABLES` says.

    Words in them are codes, not sentences; tables without rows keep their columns.
    """

    def __init__(
        self, trials: Trials, plan: AnalysisPlan, traces: pd.DataFrame | None = None, names: Collection[str] = ()
    ) -> None:
        """Take prepared ``trials`` and what ``traces`` there are; with ``names`` all other tables are empty."""
        self.trials, self.plan, self.traces = trials, plan, traces
        self._names = names

    def __getattr__(self, name: str) -> pd.DataFrame:
        if name not in TABLES:
            raise AttributeError(f"an analysis has no table '{name}'")
        table = TABLES[name](self) if not self._names or name in self._names else pd.DataFrame()
        setattr(self, name, table)
        return table

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables, by their names."""
        return {name: getattr(self, name) for name in TABLES}

    @cached_property
    def withheld(self) -> bool:
        """True if a run without interim analyses is not finished: estimates, but no verdicts that could end it."""
        plan = self.plan
        if not plan.games or plan.verdict_analyses > 1 or (plan.finished and plan.experiment.precision):
            return False
        return not plan.finished or (not plan.experiment.until and bool((self.counted["games"] < plan.games).any()))

    @cached_property
    def counted(self) -> pd.DataFrame:
        """`cell_table`, with ``looks`` (analyses that were made) and ``stopped`` (ended before the ceiling)."""
        plan = self.plan
        table = cell_table(self.trials, plan.names, plan.pairings, plan.baseline, plan.critical, plan.margin)
        sizes = plan.interim_sizes if plan.games else []
        table["looks"] = [sum(n >= size for size in sizes) for n in table["games"]]
        # A cell that ended early has all games of an analysis before the last one; so may one that goes on.
        sequential = plan.experiment.sequential
        table["stopped"] = [sequential and n in sizes[:-1] for n in table["games"]]
        return table.assign(**_added_columns(self.trials, plan))

    @cached_property
    def factors(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """`factorial_effects`."""
        effects, means = factorial_effects(self.trials.games, self.plan)
        # An extended experiment has spent some of its error; see `error_share`.
        p_holm = np.minimum(effects["p_holm"] / error_share(self.plan.number), 1.0)
        return effects.assign(p_holm=p_holm, withheld=self.withheld), means

    @cached_property
    def opened(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """`opening_tables`; no rows where the experiment chooses how games begin."""
        return opening_tables(self.trials, self.plan)

    @cached_property
    def strong(self) -> StrongPlayTables:
        """`strong_play_tables`; no rows where no search by nodes plays itself."""
        return strong_play_tables(self.trials, self.plan)

    @cached_property
    def choices(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """`score_matrices`."""
        return score_matrices(self.cells, self.plan)

    @cached_property
    def portrayed(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """`portraits`."""
        return portraits(self.trials, self.traces, self.plan)


def _cells(of: Analysis) -> pd.DataFrame:
    balance = of.counted["balance"]
    return of.counted.assign(balance=balance.mask(balance != "", "undecided")) if of.withheld else of.counted


def _targets(of: Analysis) -> pd.DataFrame:
    verdicts = target_table(of.counted, of.plan.experiment.targets, of.plan.critical)
    if not of.withheld:
        return verdicts
    reasons = verdicts["reason"].where(verdicts["reason"] == "no_games", "not_finished")
    return verdicts.assign(verdict="undecided", reason=reasons)


TABLES: dict[str, Callable[[Analysis], pd.DataFrame]] = {
    "cells": _cells,
    "comparisons": lambda of: comparison_table(of.trials, of.plan),
    "targets": _targets,
    "flips": lambda of: flip_table(of.cells, of.comparisons, of.plan),
    "lengths": lambda of: _survival_curves(of.trials, of.plan),
    "openings": lambda of: of.opened[0],
    "opening_lines": lambda of: of.opened[1],
    "given_lines": lambda of: given_line_table(of.trials, of.plan),
    "line_differences": lambda of: line_difference_table(of.trials, of.plan),
    "events": lambda of: event_table(of.trials, of.plan),
    "strength": lambda of: strength_table(of.trials.games),
    "strong_players": lambda of: of.strong.players,
    "strong_rungs": lambda of: of.strong.rungs,
    "strong_verdicts": lambda of: of.strong.verdicts,
    "strong_effects": lambda of: of.strong.effects,
    "strong_ranks": lambda of: of.strong.ranks,
    "effects": lambda of: of.factors[0],
    "means": lambda of: of.factors[1],
    "scorecard": lambda of: scorecard_table(of.cells, of.openings, of.comparisons, of.plan),
    "sensitivity": lambda of: sensitivity_table(of.trials, of.comparisons, of.plan),
    "matrices": lambda of: of.choices[0],
    "equilibria": lambda of: of.choices[1],
    "placements": lambda of: placement_table(of.trials, of.plan),
    "swaps": lambda of: swap_table(of.trials, of.plan),
    "first_moves": lambda of: first_move_table(of.trials, of.plan),
    "portraits": lambda of: of.portrayed[0],
    "courses": lambda of: of.portrayed[1],
    "warnings": lambda of: warning_table(of.trials, of.cells, of.plan),
}
"""Every table of an analysis, by its name; a report writes each as ``tables/<name>.csv``."""


def analyse(trials: Trials | pd.DataFrame, plan: AnalysisPlan, traces: pd.DataFrame | None = None) -> Analysis:
    """Return the tables of the experiment ``plan``, from its records and what ``traces`` there are.

    Raises:
        InputError: a measure that was added fails.
    """
    return Analysis(prepare_trials(with_added_numbers(trials), plan), plan, traces)


def analyse_interim(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> Analysis:
    """Return the cells and comparisons while games are played; all other tables are empty, without columns."""
    return Analysis(prepare_trials(with_added_numbers(trials), plan), plan, names=("cells", "comparisons"))


def _added_columns(trials: Trials, plan: AnalysisPlan) -> dict[str, Floats]:
    """The columns of cells for measures that were added: estimates, intervals, and the games that have the number."""
    columns: dict[str, Floats] = {}
    if added := [one.name for one in added_measures()]:
        counted = tally(trials, plan.cells)
        z = t_from_normal([plan.critical(int(n)) for n in counted["games"]], counted["lines"])
        for name in added:
            value, _, low, high = measure_ranges(counted, name, z)
            games = counted[f"{name}_games"].astype(int)
            columns |= {name: value, f"{name}_low": low, f"{name}_high": high, f"{name}_games": games}
    return columns


def event_table(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """One row per cell and event of its family: ``mean`` a game, ``share`` of games in which it happened at all.

    ``when_fired`` is the mean over the games in which it happened: for an event that notes a ply, the mean ply. An
    event that is declared ``per`` another, or per ``plies``, has the ``ratio`` of both sums over the games.

    Source: the central limit theorem for the mean and, as W. G. Cochran, "Sampling Techniques", 1977, has it, for the
    ratio; Wilson 1927 for the share; `workbench.statistics.intervals`.
    Limits: each interval stands alone.
    """
    trials = Trials.of(trials)
    columns = [name for name in trials.columns if name.startswith("event_")]
    family = {ruleset.name: ruleset.game for ruleset in plan.rulesets}
    per = {
        game: {f"event_{event.name}": event.per for event in families.declaration(game).events if event.per}
        for game in dict.fromkeys(family.values())
        if game in families.names()
    }
    rows = []
    for key in trials.cells:
        games = trials.cell(key)
        width = ClusterWidths(plan.critical(len(games)), clusters_of(games))
        counted_per = per.get(family.get(key[0], ""), {})
        named = [name for name in (*columns, PLIES) if name in trials.columns]
        numbers = {name: trials.column(key, name).to_numpy(dtype=np.float64) for name in named}
        rows += [[*key, *row] for row in _event_rows(numbers, columns, counted_per, width)]
    return pd.DataFrame(rows, columns=EVENT_COLUMNS)


def _event_rows(
    numbers: Mapping[str, Floats], columns: Sequence[str], counted_per: Mapping[str, str], width: ClusterWidths
) -> list[list[object]]:
    """The rows of `event_table` for the events of a cell; those that the same games recorded are counted at once."""
    recorded = {name: ~np.isnan(numbers[name]) for name in columns}
    together: dict[bytes, list[str]] = {}
    for name in columns:
        if recorded[name].any():
            together.setdefault(recorded[name].tobytes(), []).append(name)
    rows: dict[str, list[object]] = {}
    for names in together.values():
        games = recorded[names[0]]
        n, widths = int(games.sum()), width.subset(games)
        counts = np.stack([numbers[name][games] for name in names])
        means = counts.mean(axis=1)
        errors = counts.std(axis=1, ddof=1) / np.sqrt(n) if n > 1 else np.full(len(names), np.nan)
        low, high = widths.intervals_of_means(means, errors, counts)
        fired = counts > 0
        games_fired = fired.sum(axis=1)
        share = wilson(games_fired, n, widths.criticals(fired.astype(np.float64)))
        when = np.divide(
            counts.sum(axis=1, where=fired), games_fired, np.full(len(names), np.nan), where=games_fired > 0
        )
        ratios = _ratios_of_sums(numbers, names, counts, counted_per, games, widths)
        for place, name in enumerate(names):
            rows[name] = [
                name.removeprefix("event_"), n, means[place], low[place], high[place], games_fired[place] / n,
                share[0][place], share[1][place], when[place], *ratios[name],
            ]  # fmt: skip
    return [rows[name] for name in columns if name in rows]


def _ratios_of_sums(
    numbers: Mapping[str, Floats], names: Sequence[str], counts: Floats, counted_per: Mapping[str, str],
    games: npt.NDArray[np.bool_], width: ClusterWidths,
) -> dict[str, tuple[str, float, float, float]]:  # fmt: skip
    """Return the divisor of each event, the ratio of both sums over the ``games``, and its interval."""
    columns = {name: per if per == PLIES else f"event_{per}" for name in names if (per := counted_per.get(name))}
    divisors = {name: numbers[column][games] for name, column in columns.items() if column in numbers}
    ratios_of = {name: (counted_per[name] if name in divisors else "", np.nan, np.nan, np.nan) for name in names}
    counted = [name for name, divisor in divisors.items() if divisor.sum() > 0]
    if counted:
        events = counts[[names.index(name) for name in counted]]
        denominators = np.stack([divisors[name] for name in counted])
        sums = denominators.sum(axis=1)
        ratios = events.sum(axis=1) / sums
        residuals = events - ratios[:, None] * denominators
        low, high = width.intervals_of_means(ratios, np.sqrt((residuals**2).sum(axis=1)) / sums, residuals)
        for name, ratio, least, most in zip(counted, ratios, low, high, strict=True):
            # Nothing is counted below 0.
            ratios_of[name] = (counted_per[name], ratio, max(least, 0.0), most)
    return ratios_of


def _survival_curves(trials: Trials, plan: AnalysisPlan) -> pd.DataFrame:
    """Return the Kaplan-Meier curves of all cells, one below the other."""
    parts = []
    for cell in plan.cells:
        games = trials.cell(cell)
        width = ClusterWidths(plan.critical(len(games)), clusters_of(games))
        survival = survival_curve(games["plies"], ~games["termination"].isin(STOPPED), width)
        parts.append(pd.DataFrame([cell] * len(survival), columns=CELL).join(survival))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=CELL)


def games_per_cell(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> dict[CellName, int]:
    """Return the games that each cell should have, as far as can be said from the games that there are.

    It follows from the records alone, one interim analysis (a "look" in experiment files) after the other: whoever asks
    again, with more or fewer workers, after a kill or a year later, gets the same answer. An interim analysis takes all
    games of a cell up to a fixed number, never "those that are ready": quick games would then win the race.

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
    fixed-width sequential confidence intervals", Annals of Mathematical Statistics 36, 1965. For ends that only spare
    games: J. M. Lachin, "A review of methods for futility stopping based on conditional
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
        """Return the games that each cell should have; ``trials`` has at least the games of earlier calls."""
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
    """Cells that are not done after the interim analyses so far."""
    if plan.experiment.precision:
        return _imprecise_cells(analysed, plan)
    if decides_by_strong_play(plan):
        games, measure = SearchGames(analysed, plan), score_behind(plan.question_measure.name)
        names = [each.name for each in plan.rulesets if each.game == plan.ruleset(plan.baseline).game]
        means = games.means(names, measure)
        undecided = undecided_rulesets(StrongPlay(games, means, measure)) if means is not None else []
        return {cell for cell in plan.cells if cell[0] in undecided and cell[1:] not in plan.yardsticks}
    if plan.proposals:
        compared = comparison_table(analysed, plan, plan.primary_measures)
        # Where the games that are stopped leave open more than any gain can be, no number of games decides.
        hopeless = (compared["most"] - compared["least"] >= 1) | (
            (compared["chance_left"] < FUTILITY_CHANCE)
            & ~compared["reason"].isin(("not_finished", "no_look", "no_games"))
        )
        is_open = (compared["measure"] == plan.question_measure.name) & (compared["verdict"] == "undecided")
        undecided_cells = set(compared.loc[is_open & ~hopeless, CELL].itertuples(index=False, name=None))
        return undecided_cells | {(plan.baseline, first, second) for _, first, second in undecided_cells}
    table = cell_table(analysed, plan.names, plan.pairings, plan.baseline, plan.critical, plan.margin)
    target_verdicts = target_table(table, plan.experiment.targets, plan.critical)
    undecided_targets = target_verdicts.loc[target_verdicts["verdict"] == "undecided", CELL]
    open_cells = set(undecided_targets.itertuples(index=False, name=None))
    return {cell for cell in open_cells if cell[1:] not in plan.yardsticks}


def decides_by_strong_play(plan: AnalysisPlan) -> bool:
    """True if there are two families of search with two budgets each, as a verdict about strong play needs."""
    if not plan.proposals or score_behind(plan.question_measure.name) not in [one.name for one in MEASURES]:
        return False
    of_plan = [rung_of(first, plan.agents.get(first)) for first, _ in plan.mirrors]
    rungs = {(rung.config[0], rung.nodes) for rung in of_plan if rung}
    families = {family for family, _ in rungs}
    return len(families) > 1 and all(sum(of == family for of, _ in rungs) > 1 for family in families)


def _imprecise_cells(analysed: Trials, plan: AnalysisPlan) -> set[CellName]:
    """Cells whose interval of the score is wider than the plan's precision."""
    assert plan.experiment.precision is not None
    counts = tally(analysed, plan.cells)
    z = t_from_normal(Z, fewest_lines(counts, counts)) * error_inflation(counts, "first_score")
    low, high = score_interval(counts["first"], counts["draw"], counts["second"], z)
    # A cell without a finished game has no interval.
    precise = (high - low) / 2 <= plan.experiment.precision
    return {cell for cell, is_precise in zip(plan.cells, precise, strict=True) if not is_precise}
