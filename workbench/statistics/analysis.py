"""All tables of an experiment, and the number of games that each of its cells should have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

import numpy as np
import pandas as pd

from workbench import games as families
from workbench.experiments.measures import added_measures, measure_by_name
from workbench.records.records import STOPPED
from workbench.records.trials import CELL, CellName, Trials
from workbench.statistics import openings, tables
from workbench.statistics.analysis_plan import AnalysisPlan, error_share, prepare_trials, with_added_numbers
from workbench.statistics.comparisons import FUTILITY_CHANCE, comparison_table, factorial_effects
from workbench.statistics.intervals import Floats, Z, game_clusters, score_interval, t_from_normal
from workbench.statistics.overview import flip_table, scorecard_table, sensitivity_table, warning_table
from workbench.statistics.portrait import portraits
from workbench.statistics.search_games import MEASURES, SearchGames, agent_rung
from workbench.statistics.strong_play import StrongPlay, strong_play_tables, undecided_rulesets
from workbench.statistics.styles import placement_table, score_matrices

EVENT_COLUMNS = [
    *CELL, "event", "games", "mean", "mean_low", "mean_high", "share", "share_low", "share_high", "when_fired",
    "per", "ratio", "ratio_low", "ratio_high",
]  # fmt: skip


class Analysis:
    """The tables of an experiment as attributes, each computed on first access; see `TABLES`.

    Words in them are codes, not sentences; tables without rows keep their columns.
    """

    def __init__(
        self, trials: Trials, plan: AnalysisPlan, traces: pd.DataFrame | None = None, names: Collection[str] = ()
    ) -> None:
        """Take prepared ``trials`` and the available ``traces``; if ``names`` are given, all other tables are empty."""
        self.trials, self.plan, self.traces = trials, plan, traces
        self._names = names

    def __getattr__(self, name: str) -> pd.DataFrame:
        if name not in TABLE_NAMES:
            raise AttributeError(f"an analysis has no table '{name}'")
        names, make = TABLE_NAMES[name]
        if self._names and name not in self._names:
            frames: Sequence[pd.DataFrame] = [pd.DataFrame() for _ in names]
        else:
            result = make(self)
            frames = [result] if isinstance(result, pd.DataFrame) else result
        vars(self).update(zip(names, frames, strict=True))
        return frames[names.index(name)]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables, by their names."""
        return {name: getattr(self, name) for name in TABLE_NAMES}

    @cached_property
    def withheld(self) -> bool:
        """True if verdicts are withheld: a run without interim analyses is not finished."""
        plan = self.plan
        if not plan.games or plan.verdict_analyses > 1 or (plan.finished and plan.experiment.precision):
            return False
        return not plan.finished or (not plan.experiment.until and bool((self.counted["games"] < plan.games).any()))

    @cached_property
    def counted(self) -> pd.DataFrame:
        """The `cell_table`, with ``looks`` (completed analyses) and ``stopped`` (ended before the ceiling)."""
        plan = self.plan
        table = tables.cell_table(self.trials, plan.names, plan.pairings, plan.baseline, plan.critical, plan.margin)
        sizes = plan.interim_sizes if plan.games else []
        table["looks"] = [sum(n >= size for size in sizes) for n in table["games"]]
        # A cell that ended early has exactly the games of an earlier analysis; a cell that continues may have, too.
        sequential = plan.experiment.sequential
        table["stopped"] = [sequential and n in sizes[:-1] for n in table["games"]]
        return table.assign(**_added_columns(self.trials, plan))


def _cells(a: Analysis) -> pd.DataFrame:
    balance = a.counted["balance"]
    return a.counted.assign(balance=balance.mask(balance != "", "undecided")) if a.withheld else a.counted


def _targets(a: Analysis) -> pd.DataFrame:
    verdicts = tables.target_table(a.counted, a.plan.experiment.targets, a.plan.critical)
    if not a.withheld:
        return verdicts
    reasons = verdicts["reason"].where(verdicts["reason"] == "no_games", "not_finished")
    return verdicts.assign(verdict="undecided", reason=reasons)


def _effects_and_means(a: Analysis) -> tuple[pd.DataFrame, pd.DataFrame]:
    effects, means = factorial_effects(a.trials.games, a.plan)
    # An extended experiment has spent some of its error; see `error_share`.
    p_holm = np.minimum(effects["p_holm"] / error_share(a.plan.stage_number), 1.0)
    return effects.assign(p_holm=p_holm, withheld=a.withheld), means


TABLES: dict[str, Callable[[Analysis], pd.DataFrame | Sequence[pd.DataFrame]]] = {
    "cells": _cells,
    "comparisons": lambda a: comparison_table(a.trials, a.plan),
    "targets": _targets,
    "flips": lambda a: flip_table(a.cells, a.comparisons, a.plan),
    "lengths": lambda a: _survival_curves(a.trials, a.plan),
    "openings opening_lines": lambda a: openings.opening_tables(a.trials, a.plan),
    "given_lines": lambda a: openings.given_line_table(a.trials, a.plan),
    "line_differences": lambda a: openings.line_difference_table(a.trials, a.plan),
    "events": lambda a: event_table(a.trials, a.plan),
    "strength": lambda a: tables.strength_table(a.trials.games),
    "strong_players strong_rungs strong_verdicts strong_effects strong_ranks": lambda a: strong_play_tables(
        a.trials, a.plan
    ),
    "effects means": _effects_and_means,
    "scorecard": lambda a: scorecard_table(a.cells, a.openings, a.comparisons, a.plan),
    "sensitivity": lambda a: sensitivity_table(a.trials, a.comparisons, a.plan),
    "matrices equilibria": lambda a: score_matrices(a.cells, a.plan),
    "placements": lambda a: placement_table(a.trials, a.plan),
    "swaps": lambda a: openings.swap_table(a.trials, a.plan),
    "first_moves": lambda a: openings.first_move_table(a.trials, a.plan),
    "portraits courses": lambda a: portraits(a.trials, a.traces, a.plan),
    "warnings": lambda a: warning_table(a.trials, a.cells, a.plan),
}
"""All tables of an analysis, by name; a function with several names returns several. Reports write each to
``tables/<name>.csv``."""
TABLE_NAMES = {name: (names.split(), make) for names, make in TABLES.items() for name in names.split()}


def analyse(trials: Trials | pd.DataFrame, plan: AnalysisPlan, traces: pd.DataFrame | None = None) -> Analysis:
    """Return the tables of the experiment ``plan``, from its records and the available ``traces``.

    Raises:
        InputError: an added measure fails.
    """
    return Analysis(prepare_trials(with_added_numbers(trials), plan), plan, traces)


def analyse_interim(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> Analysis:
    """Return the cells and comparisons while games are played; all other tables are empty, without columns."""
    return Analysis(prepare_trials(with_added_numbers(trials), plan), plan, names=("cells", "comparisons"))


def _added_columns(trials: Trials, plan: AnalysisPlan) -> dict[str, Floats]:
    """Return the cell columns of added measures: estimates, intervals, and the numbers of games."""
    columns: dict[str, Floats] = {}
    if names := [measure.name for measure in added_measures()]:
        counted = tables.tally(trials, plan.cells)
        z = t_from_normal([plan.critical(int(n)) for n in counted["games"]], counted["lines"])
        for name in names:
            value, _, low, high = tables.measure_ranges(counted, name, z)
            games = counted[f"{name}_games"].astype(int)
            columns |= {name: value, f"{name}_low": low, f"{name}_high": high, f"{name}_games": games}
    return columns


def event_table(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """Return one row per cell and event: the ``mean`` count per game and the ``share`` of games with the event.

    ``when_fired`` is the mean over those games, or the mean ply for an event that records a ply. An event declared
    ``per`` another event, or per ``plies``, has the ``ratio`` of both sums over the games.

    Source: the central limit theorem for the mean and, following W. G. Cochran, "Sampling Techniques", 1977, for the
    ratio; Wilson 1927 for the share; `workbench.statistics.intervals`.
    Limits: intervals are pointwise.
    """
    trials = Trials.of(trials)
    columns = [name for name in trials.columns if name.startswith("event_")]
    family = {ruleset.name: ruleset.game for ruleset in plan.rulesets}
    divisors = {
        game: {f"event_{event.name}": event.per for event in families.declaration(game).events if event.per}
        for game in dict.fromkeys(family.values())
        if game in families.names()
    }
    rows = []
    for cell in trials.cells:
        per = divisors.get(family.get(cell[0], ""), {})
        names = [f"{column}_{kind}" for column in columns for kind in ("mean", "share")]
        names += [f"{event}_per_{divisor}" for event, divisor in per.items()]
        measures = [measure_by_name(name) for name in names]
        estimates = tables.cell_estimates(trials, cell, measures, plan.critical(len(trials.cell(cell))))

        def with_ends(name: str, estimates: Mapping[str, float] = estimates) -> list[float]:
            return [estimates.get(f"{name}{end}", np.nan) for end in ("", "_low", "_high")]

        for column in columns:
            if games := int(estimates[f"{column}_mean_games"]):
                divisor, occurred = per.get(column, ""), estimates[f"{column}_share_count"]
                ratio, low, high = with_ends(f"{column}_per_{divisor}")
                divisor = divisor if f"{column}_per_{divisor}" in estimates else ""
                # Nothing is counted below 0.
                ratios = [ratio, max(low, 0.0), high] if np.isfinite(ratio) else [np.nan] * 3
                mean = with_ends(f"{column}_mean")
                when_fired = mean[0] * games / occurred if occurred else np.nan
                event = column.removeprefix("event_")
                rows.append([*cell, event, games, *mean, *with_ends(f"{column}_share"), when_fired, divisor, *ratios])
    return pd.DataFrame(rows, columns=EVENT_COLUMNS)


def _survival_curves(trials: Trials, plan: AnalysisPlan) -> pd.DataFrame:
    """Return the Kaplan-Meier curves of all cells, concatenated."""
    parts = []
    for cell in plan.cells:
        games = trials.cell(cell)
        z, finished = plan.critical(len(games)), ~games["termination"].isin(STOPPED)
        survival = tables.survival_curve(games["plies"], finished, z, game_clusters(games))
        parts.append(pd.DataFrame([cell] * len(survival), columns=CELL).join(survival))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=CELL)


def games_per_cell(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> dict[CellName, int]:
    """Return the number of games that each cell should have, as far as the played games determine it.

    It follows from the records by one interim analysis (a "look" in experiment files) after the other, and does not
    depend on workers, interruptions or time. An interim analysis uses all games of a cell up to a fixed number, because
    using the games that are ready would favour quick games.

    Without ``until`` and ``precision`` it is the experiment's number. Otherwise all cells are played up to the first
    interim analysis, and open cells continue after each. With ``until`` the open cells are:

    * if the players suffice for a verdict about strong play (`decides_by_strong_play`), those of rulesets with an open
      verdict, for scores only of rulesets that may be the fairest (`strong_play.undecided_rulesets`);
    * otherwise those of proposals with an undecided verdict on the question, and the baseline's for the same agents;
    * in an experiment with a single ruleset, cells with an undecided target.

    Yardsticks (`AnalysisPlan.yardsticks`) never count. With ``precision`` the open cells are those whose interval of
    the first seat's score is wider. Cells end if only stopped games keep a verdict open, or if the probability that the
    games up to the ceiling decide is below `FUTILITY_CHANCE` (see `decision_chance`). The experiment's number is never
    exceeded. After ``games`` was raised, decided cells stay unchanged and all others continue (`AnalysisPlan.stages`).

    Source: for ``until``, `comparison_table`. For ``precision``, Y. S. Chow, H. Robbins, "On the asymptotic theory of
    fixed-width sequential confidence intervals", Annals of Mathematical Statistics 36, 1965. For futility: J. M.
    Lachin, "A review of methods for futility stopping based on conditional power", Statistics in Medicine 24, 2005.
    Limits: stopping for futility costs less than two points of power and never adds a wrong verdict, because the
    critical values are those of an experiment that continues. Stopping by precision depends on the spread of the
    results and hardly on the score, so the intervals remain valid; with fewer than a few hundred games at the first
    analysis they are slightly too narrow.
    """
    return InterimAnalyses(plan).games_per_cell(trials)


class InterimAnalyses:
    """The interim analyses of a running experiment; each is made once, as soon as its games are played."""

    def __init__(self, plan: AnalysisPlan) -> None:
        self.plan = plan
        self.sizes = plan.interim_sizes if plan.experiment.sequential else [plan.games]
        self._analyses_made = 0
        self._games_per_cell = dict.fromkeys(plan.cells, self.sizes[0])
        self._is_open = len(self.sizes) > 1

    def games_per_cell(self, trials: Trials | pd.DataFrame) -> dict[CellName, int]:
        """Return the number of games for each cell; ``trials`` includes the games of earlier calls."""
        if not self._is_open:
            return dict(self._games_per_cell)
        trials = prepare_trials(trials, self.plan)
        cells = self.plan.cells
        game_cells = tables.cell_indices(trials.games, cells)
        played = np.bincount(game_cells[game_cells >= 0], minlength=len(cells))
        while self._is_open and all(n >= self._games_per_cell[cell] for cell, n in zip(cells, played, strict=True)):
            # The last limit is for games of other cells.
            limits = np.array([*(self._games_per_cell[cell] for cell in cells), 0])[game_cells]
            analysed = trials.select(trials.games["game"].to_numpy() < limits)
            still_running = {
                cell for cell, games in self._games_per_cell.items() if games == self.sizes[self._analyses_made]
            }
            next_size = self.sizes[self._analyses_made + 1]
            continuing = _open_cells(analysed, self.plan.until_games(next_size))
            # An extension resumes cells that were stopped for futility.
            if self.sizes[self._analyses_made] not in self.plan.earlier_games:
                continuing &= still_running
            self._analyses_made += 1
            self._games_per_cell |= dict.fromkeys(continuing, next_size)
            self._is_open = bool(continuing) and self._analyses_made + 1 < len(self.sizes)
        return dict(self._games_per_cell)


def _open_cells(analysed: Trials, plan: AnalysisPlan) -> set[CellName]:
    """Return the cells that continue after this interim analysis."""
    if plan.experiment.precision:
        return _imprecise_cells(analysed, plan)
    if decides_by_strong_play(plan):
        games, measure = SearchGames(analysed, plan), tables.underlying_score(plan.question_measure.name)
        names = [rules.name for rules in plan.rulesets if rules.game == plan.ruleset(plan.baseline).game]
        means = games.means(names, measure)
        undecided = undecided_rulesets(StrongPlay(games, means, measure)) if means is not None else []
        return {cell for cell in plan.cells if cell[0] in undecided and cell[1:] not in plan.yardsticks}
    if plan.proposals:
        compared = comparison_table(analysed, plan, plan.primary_measures)
        # No number of games decides if stopped games leave more open than any gain.
        hopeless = (compared["most"] - compared["least"] >= 1) | (
            (compared["chance_left"] < FUTILITY_CHANCE)
            & ~compared["reason"].isin(("not_finished", "no_look", "no_games"))
        )
        is_open = (compared["measure"] == plan.question_measure.name) & (compared["verdict"] == "undecided")
        undecided_cells = set(compared.loc[is_open & ~hopeless, CELL].itertuples(index=False, name=None))
        return undecided_cells | {(plan.baseline, first, second) for _, first, second in undecided_cells}
    table = tables.cell_table(analysed, plan.names, plan.pairings, plan.baseline, plan.critical, plan.margin)
    target_verdicts = tables.target_table(table, plan.experiment.targets, plan.critical)
    undecided_targets = target_verdicts.loc[target_verdicts["verdict"] == "undecided", CELL]
    open_cells = set(undecided_targets.itertuples(index=False, name=None))
    return {cell for cell in open_cells if cell[1:] not in plan.yardsticks}


def decides_by_strong_play(plan: AnalysisPlan) -> bool:
    """Return whether two families of search have two budgets each, as verdicts about strong play require."""
    measures = [measure.name for measure in MEASURES]
    if not plan.proposals or tables.underlying_score(plan.question_measure.name) not in measures:
        return False
    players = [agent_rung(first, plan.agents.get(first)) for first, _ in plan.mirrors]
    rungs = {(rung.config[0], rung.nodes) for rung in players if rung}
    budgets = Counter(family for family, _ in rungs)
    return len(budgets) > 1 and min(budgets.values()) > 1


def _imprecise_cells(analysed: Trials, plan: AnalysisPlan) -> set[CellName]:
    """Return the cells whose score interval is wider than the plan's precision."""
    assert plan.experiment.precision is not None
    counts = tables.tally(analysed, plan.cells)
    z = t_from_normal(Z, tables.fewest_lines(counts, counts)) * tables.error_inflation(counts, "first_score")
    low, high = score_interval(counts["first"], counts["draw"], counts["second"], z)
    # A cell without a finished game has no interval.
    precise = (high - low) / 2 <= plan.experiment.precision
    return {cell for cell, is_precise in zip(plan.cells, precise, strict=True) if not is_precise}
