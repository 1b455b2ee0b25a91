"""All tables of an experiment at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench import games as families
from workbench.questions.measures import PLIES
from workbench.statistics.clusters import Widths, clusters_of
from workbench.statistics.comparisons import comparisons
from workbench.statistics.diagnostics import warnings
from workbench.statistics.factorial import factorial
from workbench.statistics.given import given_lines, line_differences
from workbench.statistics.intervals import wilson
from workbench.statistics.lengths import curve
from workbench.statistics.overview import flips, scorecard, sensitivity
from workbench.statistics.plan import AnalysisPlan, prepared
from workbench.statistics.portrait import portraits
from workbench.statistics.sequential import share
from workbench.statistics.strong_play import strong_play
from workbench.statistics.styles import matrices, placements
from workbench.statistics.tables import cells, strength
from workbench.statistics.variety import openings
from workbench.statistics.verdicts import targets
from workbench.store.records import STOPPED
from workbench.store.trials import CELL, CellName, Trials

EVENTS = [
    *CELL, "event", "games", "mean", "mean_low", "mean_high", "share", "share_low", "share_high", "when_fired",
    "per", "ratio", "ratio_low", "ratio_high",
]  # fmt: skip


@dataclass(frozen=True)
class Analysis:
    """What the records of an experiment say. Every field is a table; words in it are codes, not sentences."""

    plan: AnalysisPlan
    cells: pd.DataFrame
    """`cells`, with ``looks`` (analyses that were made) and ``stopped`` (ended before the ceiling)."""
    comparisons: pd.DataFrame
    targets: pd.DataFrame
    flips: pd.DataFrame
    lengths: pd.DataFrame
    """`lengths.curve` of every cell."""
    openings: pd.DataFrame
    opening_lines: pd.DataFrame
    """No rows, nor of ``openings``, where the experiment chooses how games begin."""
    given_lines: pd.DataFrame
    line_differences: pd.DataFrame
    events: pd.DataFrame
    strength: pd.DataFrame
    strong_players: pd.DataFrame
    strong_rungs: pd.DataFrame
    strong_verdicts: pd.DataFrame
    """These three of `strong_play`; no rows where no search by nodes plays itself."""
    effects: pd.DataFrame
    means: pd.DataFrame
    scorecard: pd.DataFrame
    sensitivity: pd.DataFrame
    matrices: pd.DataFrame
    equilibria: pd.DataFrame
    placements: pd.DataFrame
    portraits: pd.DataFrame
    courses: pd.DataFrame
    """These two of `portrait.portraits`."""
    warnings: pd.DataFrame


def analyse(trials: Trials | pd.DataFrame, plan: AnalysisPlan, traces: pd.DataFrame | None = None) -> Analysis:
    """Every table of the experiment ``plan``, from its records and what ``traces`` there are.

    Tables without rows keep their columns.
    """
    trials = prepared(trials, plan)
    critical = plan.critical
    table = cells(trials, plan.names, plan.pairings, plan.baseline, critical, plan.margin)
    sizes = plan.sizes if plan.games else []
    table["looks"] = [sum(n >= size for size in sizes) for n in table["games"]]
    # A cell that ended early has all games of an analysis before the last one; so may one that goes on.
    sequential = bool(plan.until or plan.precision)
    table["stopped"] = [sequential and n in sizes[:-1] for n in table["games"]]
    compared = comparisons(trials, plan)
    per_ply, lines = openings(trials, plan)
    judged = targets(table, plan.targets, critical)
    effects, means = factorial(trials.games, plan)
    # An extended experiment has spent some of its error; see `share`.
    effects = effects.assign(p_holm=np.minimum(effects["p_holm"] / share(plan.number), 1.0), withheld=False)
    if plan.games and not plan.until and (not plan.finished or (table["games"] < plan.games).any()):
        table, judged, effects = _withheld(table, judged, effects, plan)
    entries, equilibria = matrices(table, plan)
    strong_players, strong_rungs, strong_verdicts = strong_play(trials, plan)
    drawn, courses = portraits(trials, traces, plan)
    return Analysis(
        plan=plan,
        cells=table,
        comparisons=compared,
        targets=judged,
        flips=flips(table, compared, plan),
        lengths=_lengths(trials, plan),
        openings=per_ply,
        opening_lines=lines,
        given_lines=given_lines(trials, plan),
        line_differences=line_differences(trials, plan),
        events=events(trials, plan),
        strength=strength(trials.games),
        strong_players=strong_players,
        strong_rungs=strong_rungs,
        strong_verdicts=strong_verdicts,
        effects=effects,
        means=means,
        scorecard=scorecard(table, per_ply, compared, plan),
        sensitivity=sensitivity(trials, compared, plan),
        matrices=entries,
        equilibria=equilibria,
        placements=placements(trials, plan),
        portraits=drawn,
        courses=courses,
        warnings=warnings(trials, table, plan),
    )


def _withheld(
    cells: pd.DataFrame, judged: pd.DataFrame, effects: pd.DataFrame, plan: AnalysisPlan
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The tables of a run that is not finished and has no interim analyses: estimates and intervals, but no verdicts.

    Who reads verdicts whenever he likes, and stops when he likes them, is wrong far more often than they say.
    """
    if plan.finished and plan.precision:
        return cells, judged, effects
    some = cells["balance"] != ""
    return (
        cells.assign(balance=cells["balance"].mask(some, "undecided")),
        judged.assign(
            verdict="undecided", reason=judged["reason"].where(judged["reason"] == "no_games", "not_finished")
        ),
        effects.assign(withheld=True),
    )


def events(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """One row per cell and event of its family: ``mean`` a game, ``share`` of games in which it happened at all.

    ``when_fired`` is the mean over the games in which it happened: for an event that notes a ply, the mean ply. An
    event that is declared ``per`` another, or per ``plies``, has the ``ratio`` of both sums over the games.

    Source: the central limit theorem for the mean and, as W. G. Cochran, "Sampling Techniques", 1977, has it, for the
    ratio; Wilson 1927 for the share; `workbench.statistics.clusters`.
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
    rows: list[list[object]] = []
    for key in trials.cells:
        games = trials.cell(key)
        width = Widths(plan.critical(len(games)), clusters_of(games))
        own_per = per.get(family.get(key[0], ""), {})
        for column in columns:
            happened = trials.column(key, column)
            known = happened.notna().to_numpy()
            counts = happened.to_numpy(dtype=np.float64)[known]
            n = len(counts)
            if n == 0:
                continue
            own = width.among(known)
            fired = counts[counts > 0]
            error = counts.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
            low, high = own.of_mean(counts.mean(), error, counts)
            share = wilson(len(fired), n, own.of((counts > 0).astype(np.float64)))
            rows.append([
                *key, column.removeprefix("event_"), n, counts.mean(), low, high, len(fired) / n,
                float(share[0]), float(share[1]), fired.mean() if len(fired) else np.nan,
                *_ratio_of_sums(trials, key, column, own_per.get(column, ""), known, own),
            ])  # fmt: skip
    return pd.DataFrame(rows, columns=EVENTS)


def _ratio_of_sums(
    trials: Trials, cell: CellName, column: str, per: str, known: npt.NDArray[np.bool_], width: Widths
) -> tuple[str, float, float, float]:
    """What an event is counted per, the ratio of both sums over the ``known`` games of a cell, and its interval."""
    nothing = "", np.nan, np.nan, np.nan
    of = per if per == PLIES else f"event_{per}"
    if not per or of not in trials.columns:
        return nothing
    counts, each = (trials.column(cell, name).to_numpy(dtype=np.float64)[known] for name in (column, of))
    if not each.sum() > 0:
        return per, np.nan, np.nan, np.nan
    ratio = float(counts.sum() / each.sum())
    residuals = counts - ratio * each
    error = float(np.sqrt((residuals**2).sum()) / each.sum())
    low, high = width.of_mean(ratio, error, residuals)
    # Nothing is counted below 0.
    return per, ratio, max(low, 0.0), high


def _lengths(trials: Trials, plan: AnalysisPlan) -> pd.DataFrame:
    """The Kaplan-Meier curves of all cells, one below the other."""
    parts = []
    for cell in plan.cells:
        games = trials.cell(cell)
        survival = curve(
            games["plies"],
            ~games["termination"].isin(STOPPED),
            Widths(plan.critical(len(games)), clusters_of(games)),
        )
        parts.append(pd.DataFrame([cell] * len(survival), columns=CELL).join(survival))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=CELL)
