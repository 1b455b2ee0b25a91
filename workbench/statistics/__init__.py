"""Trial records -> tidy tables. Every number has its denominator and its interval.

`analyse` makes all tables of an experiment from its records and its `AnalysisPlan`; `METRICS` has the formula, unit,
direction and source of every number. Columns: ``x`` is an estimate, ``x_low`` and ``x_high`` its 95 % interval,
``x_lowest`` and ``x_highest`` its bounds over all outcomes of games without a result, since they reached the cap. A cap
is not a draw. Words in tables are codes: they are translated where they are shown.
"""

from __future__ import annotations

from workbench.statistics.analysis import Analysis, analyse, analyse_interim
from workbench.statistics.analysis_plan import AnalysisPlan
from workbench.statistics.comparisons import comparison_table, published_differences
from workbench.statistics.intervals import CONFIDENCE, median_interval, score_interval, wilson
from workbench.statistics.metrics import METRICS
from workbench.statistics.tables import (
    BALANCED_WITHIN,
    balance_verdicts,
    cell_table,
    stopped_games,
    strength_table,
    target_band,
    target_table,
)

__all__ = [
    "BALANCED_WITHIN", "CONFIDENCE", "METRICS", "Analysis", "AnalysisPlan", "analyse", "analyse_interim",
    "balance_verdicts", "cell_table", "comparison_table", "median_interval", "published_differences",
    "score_interval", "stopped_games", "strength_table", "target_band", "target_table", "wilson",
]  # fmt: skip
