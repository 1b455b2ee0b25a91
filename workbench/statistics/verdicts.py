"""Verdicts from intervals: which seat a score favours, and whether targets are met."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.language import tr
from workbench.questions.measures import MEASURES, RESULTS, TARGETS
from workbench.statistics.clusters import lines_and_inflation, t_from_normal
from workbench.statistics.intervals import Z, bounded_share, imbens_manski

BALANCED_WITHIN = 0.025
"""How far from 50 % the interval of a balanced score may reach, if the experiment does not say: 2.5 points."""

Target = str | Sequence[float]
"""``[low, high]``, both allowed themselves, or one limit as text: ``<0.05``, ``<=0.05``, ``>40``, ``>=40``."""


def balance_verdicts(low: npt.ArrayLike, high: npt.ArrayLike, margin: float = BALANCED_WITHIN) -> list[str]:
    """For each interval of the first seat's score a word: ``first``, ``second``, ``balanced`` or ``undecided``.

    * ``balanced``: all of the interval lies within ± ``margin`` of 50 %: what may be left to either seat is too little
      to matter. This goes before the next two: of very many games the interval may leave 50 % out, and yet lie there.
    * ``first``, ``second``: the seat that is ahead; all of the interval lies on its side of 50 %.
    * ``undecided``: it contains 50 %, and more. Few games never make a game balanced.
    * Empty where there is no interval.

    The interval to give is the one that allows for the capped games either way (``first_score_surely``).

    Source: D. J. Schuirmann, "A comparison of the two one-sided tests procedure ...", J. Pharmacokinetics and
    Biopharmaceutics 15, 1987, with 95 % intervals, which is the stricter side. ±2.5 points take at least 1,540 games.
    Limits: one cell at a time; of twenty balanced cells one is called ``first`` or ``second`` by chance.
    """
    verdicts = []
    for a, b in zip(np.atleast_1d(low).astype(float), np.atleast_1d(high).astype(float), strict=True):
        if math.isnan(a) or math.isnan(b):
            verdicts.append("")
        else:
            verdicts.append(band_verdict(a, b, (0.5 - margin, 0.5 + margin)))
    return verdicts


def band_verdict(low: float, high: float, band: tuple[float, float]) -> str:
    """The word of `balance_verdicts` for one interval; ``balanced`` is what lies in ``band``."""
    if low >= band[0] and high <= band[1]:
        return "balanced"
    return "first" if low > 0.5 else "second" if high < 0.5 else "undecided"


def target_band(target: Target) -> tuple[float, float]:
    """The smallest and the largest value that meet a target; ``<`` and ``>`` leave out the limit itself.

    >>> target_band([40, 120])
    (40.0, 120.0)
    >>> target_band(">=0.5")
    (0.5, inf)

    Raises:
        ValueError: it is neither two numbers in order nor a limit.
    """
    if isinstance(target, str):
        match = re.fullmatch(r"\s*([<>])(=?)\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*", target)
        if not match:
            raise ValueError(tr("expected [low, high] or a limit such as '<0.05', found {target!r}", target=target))
        sign, closed, number = match.groups()
        limit = float(number)
        if sign == "<":
            return -math.inf, limit if closed else math.nextafter(limit, -math.inf)
        return limit if closed else math.nextafter(limit, math.inf), math.inf
    try:
        low, high = (float(end) for end in target)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not low <= high:
        raise ValueError(tr("expected [low, high] or a limit such as '<0.05', found {target!r}", target=target))
    return low, high


def target_table(
    cells: pd.DataFrame, targets: Mapping[str, Target], critical: Callable[[int], float] = lambda games: Z
) -> pd.DataFrame:
    """One row per cell and target: ``met``, ``missed`` or ``undecided``, with the interval that says so.

    ``value`` is the estimate and ``low``, ``high`` the interval that is judged: ``met`` if all of it lies in the
    target, ``missed`` if none of it does, else ``undecided``, and ``reason`` says what is in the way: ``no_games``,
    ``too_few_games`` or ``capped_games``. The interval leaves open how capped games would have ended: it reaches from
    below the smallest value that they allow to above the largest (see `imbens_manski`); for ``plies`` it is that of the
    median (`median_interval`), with no upper end where that falls among the capped games. ``critical`` is that of
    `cell_table`, for the one interval that is not in the table.

    Source: Tango 1998, Wilson 1927; Imbens and Manski 2004 with capped games; order statistics for the median
    (`median_interval`).
    Limits: each verdict stands alone at 95 %. ``met`` says that the true value lies in the target, which takes far more
    games than an estimate that lies in it.

    Raises:
        ValueError: a target has another name than `TARGETS`, or is not a target.
    """
    rows = []
    for name, target in targets.items():
        if name not in TARGETS:
            raise ValueError(
                tr("there is no target {name!r}; targets are {targets}", name=name, targets=", ".join(TARGETS))
            )
        least, most = target_band(target)
        low, high, without_cap = _target_interval(cells, name, critical)
        value = cells["plies_median" if name == "plies" else name].to_numpy(dtype=np.float64)
        for row, cell in enumerate(cells[["ruleset", "first", "second"]].itertuples(index=False)):
            verdict = _target_verdict(low[row], high[row], least, most)
            reason = ""
            if math.isnan(low[row]):
                reason = "no_games"
            elif verdict == "undecided":
                plain = without_cap[row]
                few = _target_verdict(*plain, least, most) == "undecided" and not math.isnan(plain[0])
                reason = "too_few_games" if few else "capped_games"
            wanted = target if isinstance(target, str) else tr("{least:g} to {most:g}", least=least, most=most)
            rows.append((*cell, name, wanted, value[row], low[row], high[row], verdict, reason))
    columns = ["ruleset", "first", "second", "target", "wanted", "value", "low", "high", "verdict", "reason"]
    return pd.DataFrame(rows, columns=columns)


def _target_interval(
    cells: pd.DataFrame, name: str, critical: Callable[[int], float]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], list[tuple[float, float]]]:
    """The interval to judge in each cell, and the one that there would be without capped games."""

    def column(of: str) -> npt.NDArray[np.float64]:
        return cells[of].to_numpy(dtype=np.float64)

    if name == "plies":
        low, high = column("plies_median_low"), column("plies_median_high")
        capped = sum(column(name) for name in ("unfinished", "ended_by_adjudicated") if name in cells)
        stopped = np.isinf(high) & (capped > 0)
        median = column("plies_median")
        return low, high, list(zip(low, np.where(stopped, np.where(np.isinf(median), low, median), high), strict=True))
    if name == "first_score":
        low, high = column("first_score_surely_low"), column("first_score_surely_high")
        finished_only = column("first_score_low"), column("first_score_high")
        return low, high, list(zip(*finished_only, strict=True))
    low, high = column(f"{name}_low"), column(f"{name}_high")
    plain = list(zip(low, high, strict=True))
    if "unfinished" not in MEASURES[name].results:
        count = np.sum([column(RESULTS[word]) for word in MEASURES[name].results], axis=0)
        capped, games = column("unfinished"), column("games")
        lines, inflation = lines_and_inflation(cells, name)
        z = t_from_normal(np.array([critical(int(n)) for n in games], dtype=np.float64), lines)
        sure = imbens_manski(lambda c: bounded_share(count, capped, games, np.asarray(c) * inflation))(z)
        low, high = sure.low, sure.high
    return low, high, plain


def _target_verdict(low: float, high: float, least: float, most: float) -> str:
    if math.isnan(low) or math.isnan(high):
        return "undecided"
    if least <= low and high <= most:
        return "met"
    if high < least or low > most:
        return "missed"
    return "undecided"
