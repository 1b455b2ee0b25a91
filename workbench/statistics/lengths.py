"""How long games last; a game that was stopped at the cap lasted longer than it shows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from statsmodels.duration.survfunc import SurvfuncRight

from workbench.statistics.clusters import Widths
from workbench.statistics.intervals import Floats, Z, wilson

POINTS = 200
"""Most points of a curve that are kept."""
ROUNDING = 1e-9


def curve(plies: npt.ArrayLike, finished: npt.ArrayLike, width: Widths | None = None) -> pd.DataFrame:
    """The share of games that still go on after so many plies: ``plies``, ``alive`` (with interval), ``at_risk``.

    ``finished`` is false for games that were stopped at the cap: they are known to have lasted at least so long.
    ``at_risk`` counts the games that had not ended before. It begins with all games at ply 0; curves of more than
    `POINTS` plies are thinned. ``width`` is what its intervals are made with, that of 95 % if left out.

    Source: E. L. Kaplan, P. Meier, "Nonparametric estimation from incomplete observations", JASA 53, 1958; computed by
    statsmodels. Every game has the same cap, so that the curve is a share of all games, with `wilson`'s interval.
    Limits: the curve ends at the cap; what comes after is not known.
    """
    lengths, ended = np.asarray(plies, dtype=np.float64), np.asarray(finished, dtype=bool)
    n = len(lengths)
    columns = ["plies", "alive", "alive_low", "alive_high", "at_risk"]
    if n == 0:
        return pd.DataFrame(columns=columns, dtype=np.float64)
    times, alive, at_risk = np.zeros(1), np.ones(1), np.full(1, float(n))
    if ended.any():
        survival = SurvfuncRight(lengths, ended)
        keep = survival.n_events > 0
        times = np.append(times, survival.surv_times[keep])
        alive = np.append(alive, survival.surv_prob[keep])
        at_risk = np.append(at_risk, survival.n_risk[keep])
    if len(times) > POINTS:
        kept = np.unique(np.linspace(0, len(times) - 1, POINTS).round().astype(int))
        times, alive, at_risk = times[kept], alive[kept], at_risk[kept]
    width = width or Widths(Z)
    z = [width.of((lengths > time).astype(np.float64)) for time in times] if width.clusters is not None else width.z
    low, high = wilson(alive * n, np.full(len(alive), n), z)
    return pd.DataFrame(dict(zip(columns, (times, alive, low, high, at_risk), strict=True)))


def quantiles(plies: Floats, finished: npt.NDArray[np.bool_], shares: Sequence[float]) -> list[float]:
    """The lengths that a share of the games does not exceed; infinite beyond the cap, NaN without games.

    Source: Kaplan and Meier 1958; their curve is read as statsmodels does: the first ply at which fewer than the rest
    go on. "Fewer" allows for rounding: where exactly half go on, and were stopped, the median is not known.
    """
    if len(plies) == 0:
        return [math.nan] * len(shares)
    if not finished.any():
        return [math.inf] * len(shares)
    survival = SurvfuncRight(plies, finished)
    fewer = [np.flatnonzero(survival.surv_prob < 1 - share - ROUNDING) for share in shares]
    return [float(survival.surv_times[which[0]]) if len(which) else math.inf for which in fewer]
