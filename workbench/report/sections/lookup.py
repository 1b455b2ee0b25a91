"""Finding rows in the tables of the analysis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from workbench.report.names import Pairing
from workbench.statistics import Analysis
from workbench.statistics.strong_verdicts import Estimate

Record = Mapping[Any, Any]
ByCell = Mapping[tuple[str, str, str], Record]
"""Rows by ruleset, agent in the first seat and agent in the second."""


def primary_comparisons(analysis: Analysis) -> pd.DataFrame:
    """The comparisons that give the verdicts: those of the measure that the experiment asks about."""
    chosen: pd.DataFrame = analysis.comparisons[analysis.comparisons["measure"] == analysis.plan.question_measure.name]
    return chosen


def pairing_rows(table: pd.DataFrame, pairing: Pairing) -> pd.DataFrame:
    """The rows of a pairing."""
    return table[(table["first"] == pairing[0]) & (table["second"] == pairing[1])]


def cell_row(table: pd.DataFrame, ruleset: str, pairing: Pairing) -> Record | None:
    """The row of a cell."""
    rows = pairing_rows(table[table["ruleset"] == ruleset], pairing).to_dict("records")
    return rows[0] if rows else None


def rows_by_cell(table: pd.DataFrame) -> ByCell:
    """The rows of a table that has one for each cell, by ruleset and pairing; for loops, where `cell_row` is slow."""
    rows = table.to_dict("records")
    return {(str(row["ruleset"]), str(row["first"]), str(row["second"])): row for row in reversed(rows)}


def strong_levels(analysis: Analysis) -> dict[str, Estimate]:
    """The first player's score with strong play, by ruleset; empty where it was not asked."""
    table = analysis.strong_verdicts
    rows = table[(table["measure"] == "first_score") & ~table["compared"].astype(bool)].to_dict("records")
    return {
        str(row["ruleset"]): Estimate(*(float(row[f"now{end}"]) for end in ("", "_low", "_high"))).plus(0.5)
        for row in rows
    }


def extreme_rows(table: pd.DataFrame, column: str) -> tuple[Record, Record]:
    """The rows with the smallest and with the largest value."""
    rows = table.dropna(subset=[column]).to_dict("records")
    return min(rows, key=lambda row: float(row[column])), max(rows, key=lambda row: float(row[column]))
