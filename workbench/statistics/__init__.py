"""Trial records -> tidy tables. Every number comes with what it is a share of, and how sure it is.

`analyse` makes all tables of an experiment from its records and its `AnalysisPlan`; `METRICS` has the formula, unit,
direction and source of every number. Columns: ``x`` is an estimate, ``x_low`` and ``x_high`` its 95 % interval,
``x_lowest`` and ``x_highest`` the bounds that follow from games that reached the cap and so have no result. A cap is
not a draw. Words in tables are codes: whoever shows them translates them.
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
