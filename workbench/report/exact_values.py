"""Estimates beside the values that are known exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from workbench.exact import solutions
from workbench.files import project
from workbench.games.declaration import NO_SWAP, SWAP
from workbench.games.results import SCORES, SEATS

EXACT_COLUMNS = (
    *("ruleset", "first", "second", "exact", "first_score", "first_score_low", "first_score_high", "inside"),
    *("plies_exact", "plies_mean"),
)


def exact_score_table(provenance: Mapping[str, Any], trials: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """A row for each cell of solved rulesets whose true score is known: both seats random, or both optimal.

    Columns: ``ruleset``, ``first``, ``second``; the ``exact`` score of the first seat, the estimate ``first_score``
    with ``first_score_low`` and ``first_score_high``, and whether the exact value lies ``inside``; ``plies_exact`` and
    ``plies_mean``. Games without a result are no part of the estimates.
    """
    # What is known exactly is the value of the start, not that of lines.
    known = {} if provenance["experiment"].get("openings") else solutions.load_exact_results(project.find_project())
    prints = {ruleset["name"]: ruleset.get("fingerprint") for ruleset in provenance["rulesets"]}
    swapping = {
        entry["name"] for entry in provenance["rulesets"] if entry.get("settings", {}).get(SWAP, NO_SWAP) != NO_SWAP
    }
    kinds = {
        (pairing["first"], pairing["second"]): {
            (options.get("kind"), options.get("epsilon", 0.0))
            for options in (pairing.get(f"{seat}_options", {}) for seat in SEATS)
        }
        for pairing in provenance["pairings"]
    }
    means = trials.groupby(["ruleset", "first", "second"], observed=True)["plies"].mean()
    rows = []
    for cell in cells.to_dict("records"):
        exact = known.get(str(prints[cell["ruleset"]]))
        pairing = kinds[cell["first"], cell["second"]]
        if exact is None or not cell["finished"] or pairing not in ({("random", 0.0)}, {("optimal", 0.0)}):
            continue
        if pairing == {("random", 0.0)}:
            if exact.random is None or exact.first_score is None:
                continue
            score, plies = exact.first_score, exact.random["plies"]
        else:
            score = SCORES[exact.value]
            # Where sides may be swapped, players who lose in any case do not delay it before that.
            plies = float(exact.plies) if exact.plies and cell["ruleset"] not in swapping else np.nan
        rows.append(
            {name: cell[name] for name in ("ruleset", "first", "second")}
            | {
                "exact": score,
                **{name: cell[name] for name in ("first_score", "first_score_low", "first_score_high")},
                "inside": cell["first_score_low"] <= score <= cell["first_score_high"],
                "plies_exact": plies,
                "plies_mean": means[cell["ruleset"], cell["first"], cell["second"]],
            }
        )
    return pd.DataFrame(rows, columns=EXACT_COLUMNS)
