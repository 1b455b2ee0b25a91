"""What games of a search count for its measures, and the loss that its file asks for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from workbench.questions.kinds import Target
from workbench.questions.measures import MEASURES, PLIES
from workbench.questions.rule_search import PRICE, RuleSearch
from workbench.statistics.confirmation import FreshEstimates, fresh_estimates
from workbench.statistics.intervals import Floats
from workbench.statistics.rule_search import LEXICAL, Aim, Goal, Indices, Observations


def measured_values(trials: pd.DataFrame, name: str) -> Floats:
    """What each game counts for a measure; NaN where it does not count."""
    if name == PLIES:
        return np.asarray(trials["plies"], dtype=float)
    measure = MEASURES[name]
    values = {result: measure.value_of(result) for result in ("first", "draw", "second", "unfinished")}
    return np.asarray(trials["result"].astype(str).map(values), dtype=float)


def observed_sums(rows: Indices, columns: Indices, values: Floats, shape: tuple[int, int]) -> Observations:
    """Games, sums and sums of squares of rulesets × players; NaN does not count."""
    counted = ~np.isnan(values)
    cells = np.ravel_multi_index((rows[counted], columns[counted]), shape)
    values = values[counted]

    def total(weights: Floats | None = None) -> Floats:
        return np.bincount(cells, weights=weights, minlength=shape[0] * shape[1]).astype(float).reshape(shape)

    return Observations(total(), total(values), total(values**2))


def estimate_fresh(trials: pd.DataFrame, measure: str, order: Sequence[str]) -> FreshEstimates:
    """What fresh games say of a measure of the rulesets of these names, in their order."""
    rows = pd.Index(order).get_indexer(pd.Index(trials["ruleset"].astype(str)))
    columns, players = pd.factorize(trials["first"].astype(str))
    number = trials["game"].to_numpy(dtype=np.intp)
    shape = len(players), int(number.max()) + 1
    values, lines = np.full((len(order), *shape), np.nan), np.zeros(shape, dtype=np.intp)
    values[rows, columns, number] = measured_values(trials, measure)
    lines[columns, number] = trials["line"]
    return fresh_estimates(values, lines)


def goal_of(search: RuleSearch, prices: Sequence[float]) -> Goal:
    """The loss that a file asks for."""
    weights = search.weights
    aims = tuple(
        aim_of(name, target, weights.get(name, 0.0 if weights else LEXICAL)) for name, target in search.targets.items()
    )
    musts = tuple(aim_of(name, target) for name, target in search.must.items())
    return Goal(aims, musts, (weights.get(PRICE, 0.0) if weights else 1.0) * np.array(prices, dtype=float))


def aim_of(measure: str, target: Target, weight: float = 1.0) -> Aim:
    """A target as a band; the unit of a limit is half of it, that of a point is a hundredth."""
    if isinstance(target, str):
        limit = float(target.lstrip("<>= "))
        low, high = (-math.inf, limit) if target.startswith("<") else (limit, math.inf)
        return Aim(measure, low, high, max(limit / 2, 0.01), weight)
    low, high = target
    return Aim(measure, low, high, (high - low) / 2 or 0.01, weight)
