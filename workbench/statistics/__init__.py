"""Trial records -> tidy tables. Every number comes with what it is a share of, and how sure it is.

What may be called:

* `cells`: one row per ruleset and pairing: results, lengths, variety, events;
* `strength`: one row per pair of different agents: who beats whom;
* `targets`: one row per cell and target of the experiment: met, missed or undecided;
* `differing_events`: the events that some ruleset makes more or less frequent than another;
* `wilson` and `median_interval`: the two intervals that all of the above use, at 95 % (`CONFIDENCE`).

Columns: ``x`` is an estimate, ``x_low`` and ``x_high`` its 95 % interval, ``x_lowest`` and ``x_highest`` the bounds
that follow from games that reached the cap and so have no result. A cap is not a draw.
"""

from __future__ import annotations

from workbench.statistics.intervals import CONFIDENCE, median_interval, open_quantile, wilson
from workbench.statistics.tables import cells, differing_events, strength
from workbench.statistics.verdicts import BALANCED_WITHIN, TARGET_NAMES, balance, band, targets

__all__ = [
    "BALANCED_WITHIN",
    "CONFIDENCE",
    "TARGET_NAMES",
    "balance",
    "band",
    "cells",
    "differing_events",
    "median_interval",
    "open_quantile",
    "strength",
    "targets",
    "wilson",
]
