"""How long games last; a game that was stopped at the cap lasted longer than it shows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.statistics.clusters import ClusterWidths
from workbench.statistics.intervals import Floats, Z, wilson

MOST_POINTS = 200
"""Most points of a curve that are kept."""


def survival_curve(plies: npt.ArrayLike, finished: npt.ArrayLike, width: ClusterWidths | None = None) -> pd.DataFrame:
    """The share of games that still go on after so many plies: ``plies``, ``alive`` (with interval), ``at_risk``.

    ``finished`` is false for games that were stopped at the cap: they are known to have lasted at least so long.
    ``at_risk`` counts the games that had not ended before. It begins with all games at ply 0; curves of more than
    `MOST_POINTS` plies are thinned. ``width`` is what its intervals are made with, that of 95 % if left out.

    Source: E. L. Kaplan, P. Meier, "Nonparametric estimation from incomplete observations", JASA 53, 1958. Every game
    has the same cap, so that the curve is a share of all games, counted in whole games, with `wilson`'s interval.
    Limits: the curve ends at the cap; what comes after is not known.
    """
    lengths, ended = np.asarray(plies, dtype=np.float64), np.asarray(finished, dtype=bool)
    n = len(lengths)
    columns = ["plies", "alive", "alive_low", "alive_high", "at_risk"]
    if n == 0:
        return pd.DataFrame(columns=columns, dtype=np.float64)
    times, going_on = (
        np.append(start, after) for start, after in zip((0.0, n), _survivors(lengths, ended), strict=True)
    )
    at_risk = np.append(n, going_on[:-1])
    if len(times) > MOST_POINTS:
        thinned = np.arange(MOST_POINTS) * (len(times) - 1) // (MOST_POINTS - 1)
        times, going_on, at_risk = times[thinned], going_on[thinned], at_risk[thinned]
    width = width or ClusterWidths(Z)
    z: npt.ArrayLike = width.z
    if width.clusters is not None:
        z = width.criticals((lengths > times[:, None]).astype(np.float64))
    low, high = wilson(going_on, np.full(len(times), n), z)
    values = (times, going_on / n, low, high, at_risk.astype(np.float64))
    return pd.DataFrame(dict(zip(columns, values, strict=True)))


def _survivors(lengths: Floats, ended: npt.NDArray[np.bool_]) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The plies at which games ended, and how many games go on after each."""
    times, counts = np.unique(lengths[ended], return_counts=True)
    return times, len(lengths) - np.cumsum(counts)


def length_quantiles(plies: Floats, finished: npt.NDArray[np.bool_], shares: Sequence[float]) -> list[float]:
    """The lengths that a share of the games does not exceed; infinite beyond the cap, NaN without games.

    Source: Kaplan and Meier 1958: the first ply after which fewer than the rest go on. Where exactly half go on, and
    were stopped, the median is not known.
    """
    if len(plies) == 0:
        return [math.nan] * len(shares)
    times, going_on = _survivors(plies, finished)
    below = [np.flatnonzero(going_on < (1 - share) * len(plies)) for share in shares]
    return [float(times[plies_below[0]]) if len(plies_below) else math.inf for plies_below in below]
