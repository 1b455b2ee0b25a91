"""Lengths of games: survival curves with their quartiles, and a table."""

from __future__ import annotations

import math

import pandas as pd

from workbench.language import sentences, tr, trc
from workbench.questions.agent_kinds import PEOPLE
from workbench.report.labels import pairing_text
from workbench.report.marks import Interval, Line, Median, Panel, Survival, fit_scale
from workbench.report.model import Chart, Section, SmallMultiples, Table, TableCell, numeric_cell
from workbench.report.names import Names, Pairing
from workbench.report.numbers import format_amount, format_amounts, format_percent
from workbench.report.sections.rows import (
    Record,
    cell_headings,
    extreme_rows,
    pairing_line,
    pairing_rows,
    rows_by_cell,
    ruleset_row,
    without_empty_columns,
)
from workbench.statistics import Analysis, stopped_games


def lengths_section(analysis: Analysis, names: Names, exact: pd.DataFrame) -> Section:
    """How long the games are: the curve of games that still go on, and the quartiles."""
    title = tr("How long the games are")
    charts = [survival_chart(analysis, names, pair) for pair in names.plan.pairings]
    drawn = [chart for chart in charts if chart is not None]
    curves = SmallMultiples(_caption(analysis, names), drawn, "lengths", title)
    return Section("lengths", title, [curves, length_table(analysis, names, exact)])


def survival_chart(analysis: Analysis, names: Names, pair: Pairing) -> Chart | None:
    """How many games of each ruleset still go on after so many plies, for a pairing."""
    cells = pairing_rows(analysis.cells, pair)
    if cells.empty:
        return None
    curves = pairing_rows(analysis.lengths, pair)
    # Where no game ended, up to the cap.
    longest = (float(curves["plies"].max()) if len(curves) else 0.0) or float(names.plan.experiment.max_plies or 1)
    scale = fit_scale([longest], lambda value: f"{value:.0f}", from_zero=True, whole=True)
    by_cell = rows_by_cell(cells)
    records = [(ruleset, by_cell.get((ruleset, *pair))) for ruleset in names.rulesets]
    rows = [
        ruleset_row(names, ruleset, [_survival_line(cell, curves, names, pair)], titled=True)
        for ruleset, cell in records
        if cell is not None
    ]
    capped = stopped_games(cells).sum() / max(1, int(cells["games"].sum()))
    caption = tr("{pair}: {capped} of the games were stopped at {cap} plies.")
    if names.plan.agents[pair[0]].kind == PEOPLE:
        caption = tr("{pair}: {capped} of the games have no result.")
    return Chart(
        f"chart-lengths-{names.series_number(pair)}",
        Panel(scale, tuple(rows)),
        caption.format(
            pair=pairing_text(pair), capped=format_percent(capped), cap=names.plan.experiment.max_plies or "–"
        ),
        title=pairing_text(pair),
    )


def _caption(analysis: Analysis, names: Names) -> str:
    """The shortest and the longest median, and what the curves show."""
    cells = pairing_rows(analysis.cells, names.strongest).dropna(subset=["plies_median"])
    texts = []
    if len(cells):
        low, high = extreme_rows(cells, "plies_median")
        text = tr(
            "Between the strongest players ({level}) the median game takes from {low} plies "
            "({shortest}) to {high} ({longest})."
        )
        texts.append(
            text.format(
                level=pairing_text(names.strongest),
                low=format_amount(low["plies_median"]),
                high=format_amount(high["plies_median"]),
                shortest=names.short(str(low["ruleset"])),
                longest=names.short(str(high["ruleset"])),
            )
        )
    texts.append(
        tr(
            "Shaded: the share of games that still go on after so many plies (Kaplan–Meier: a game "
            "stopped at the cap counts as longer, not as ended). Bar: the middle half of the games, "
            "with the median; an arrow where it runs beyond the cap."
        )
    )
    return sentences(texts)


def _survival_line(cell: Record, curves: pd.DataFrame, names: Names, pair: Pairing) -> Line:
    """The curve of a cell's games, with their quartiles."""
    curve = curves[curves["ruleset"] == cell["ruleset"]].sort_values("plies")
    steps = drawn_steps(curve, int(cell["games"]))
    if steps:
        open_end = cell["unfinished"] or cell.get("ended_by_adjudicated")
        end = names.plan.experiment.max_plies if open_end else float(curve["plies"].iloc[-1])
        steps.append((float(end), float(curve["alive"].iloc[-1])))
    median = float(cell["plies_median"])
    beyond = f">{names.plan.experiment.max_plies}" if names.plan.experiment.max_plies else "∞"
    text = tr("{n} plies", n=beyond if math.isinf(median) else format_amount(median))
    if not cell["games"]:
        text = tr("no games yet")
    lower, upper = float(cell["plies_lower_quartile"]), float(cell["plies_upper_quartile"])
    if math.isinf(lower):
        lower = math.nan
    return pairing_line(names, pair, text, Survival(tuple(steps)), Interval(lower, upper), Median(median))


def drawn_steps(curve: pd.DataFrame, games: int) -> list[tuple[float, float]]:
    """The plies and shares of a curve that are drawn: what moves it by less than a pixel, a fiftieth, is not."""
    steps: list[tuple[float, float]] = []
    drawn = games
    for plies, alive in zip(curve["plies"], curve["alive"], strict=True):
        # Of shares the last digit would decide.
        going_on = round(games * float(alive))
        if not steps or 50 * (drawn - going_on) >= games or not going_on:
            steps.append((float(plies), float(alive)))
            drawn = going_on
    return steps


def length_table(analysis: Analysis, names: Names, exact: pd.DataFrame) -> Table:
    """The lengths of all cells."""
    truths = rows_by_cell(exact)
    rows = []
    for cell in analysis.cells.to_dict("records"):
        truth = truths.get((cell["ruleset"], cell["first"], cell["second"]))
        rows.append(
            [
                *cell_headings(names, cell),
                *(
                    numeric_cell(format_amount(cell[column]), cell[column])
                    for column in ("plies_lower_quartile", "plies_median", "plies_upper_quartile")
                ),
                numeric_cell(
                    format_amount(cell["plies_mean"], 1),
                    cell["plies_mean"],
                    format_amounts(cell["plies_mean_low"], cell["plies_mean_high"], 1),
                ),
                numeric_cell(format_amount(truth["plies_exact"], 2), truth["plies_exact"]) if truth else TableCell(),
                numeric_cell(format_amount(cell["legal_moves"], 1), cell["legal_moves"]),
            ]
        )
    heads = [
        TableCell(tr("ruleset")),
        TableCell(tr("players")),
        TableCell(tr("a quarter ends by"), kind="number"),
        TableCell(tr("half"), kind="number"),
        TableCell(tr("three quarters"), kind="number"),
        TableCell(tr("mean, up to the cap"), kind="number"),
        TableCell(tr("exact mean"), kind="number"),
        TableCell(trc("lengths", "legal moves at a ply"), kind="number"),
    ]
    caption = tr("Plies of all cells; ∞: beyond the cap.")
    return Table(caption, *without_empty_columns(heads, rows), folded=True)
