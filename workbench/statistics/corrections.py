"""Corrections of p-values for the number of claims."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from workbench.statistics.intervals import Floats


def holm(p: npt.ArrayLike) -> Floats:
    """p-values corrected for one another: if those up to 5 % count, any false claim is made in at most 5 % of families.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian J. of Statistics 6, 1979.
    Limits: they may depend on each other in any way; none of them is NaN.
    """
    return step_down(p, np.arange(np.size(p), 0, -1))


def step_down(p: npt.ArrayLike, factors: npt.ArrayLike) -> Floats:
    """p-values, the smallest multiplied by the first factor, the next by the second …, and none below a smaller one."""
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    corrected = np.empty(len(values))
    corrected[order] = np.minimum(np.maximum.accumulate(values[order] * np.asarray(factors)), 1.0)
    return corrected
