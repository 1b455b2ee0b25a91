"""The lines that an experiment names: the first seat's score from each of them, and from one as against another."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtr, ndtri

from workbench.games.results import BY_POINTS
from workbench.questions.lines import GivenLines
from workbench.statistics.intervals import (
    Floats,
    Range,
    Z,
    bounded_score,
    holm,
    imbens_manski,
    interval_of_difference,
    largest_critical,
)
from workbench.statistics.plan import AnalysisPlan
from workbench.statistics.sequential import ALPHA
from workbench.store.records import LINE
from workbench.store.trials import CELL, CellName, Trials

MOST_LINES_COMPARED = 12
"""Most lines of which each is compared with each."""
GIVEN_LINE_COLUMNS = [
    *CELL, "line", "opening", "games", "finished", "first_wins", "draws", "second_wins", "unfinished", "score",
    "score_low", "score_high", "simultaneous_low", "simultaneous_high", "p", "p_holm", "status",
]  # fmt: skip
LINE_DIFFERENCE_COLUMNS = [
    *CELL, "line", "opening", "line2", "opening2", "difference", "low", "high", "simultaneous_low",
    "simultaneous_high", "p", "p_holm",
]  # fmt: skip


def given_line_table(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """One row per cell and line: the first seat's score in the games that begin with the line. Lines count from 1.

    ``score_low`` and ``score_high`` hold the score of all games, however those that were stopped would have ended;
    ``simultaneous_low`` and ``simultaneous_high`` do so for all rows at once. ``p`` tests a score of ½; ``p_holm`` is
    corrected for all lines of all rulesets and players; random players beside others are a yardstick and have none
    (`AnalysisPlan.yardsticks`). ``status``: ``first`` or ``second``, the seat that is ahead (p_holm ≤ 5 %);
    ``balanced``: the simultaneous interval lies in the target (or ½ ± margin); else ``undecided``.

    Source: `score_interval`, with capped games `imbens_manski`; C. E. Bonferroni, 1936; S. Holm, Scandinavian J. of
    Statistics 6, 1979.
    Limits: says what these players make of a line. Where cells may end early, or games were judged before, intervals
    are wider and p-values larger by the factor of `AnalysisPlan.critical`, which is more than lines need, since nothing
    ends by them. Of a run that is not finished nothing is decided.
    """
    rows, counts, cells = _result_counts(trials, plan)
    if not rows:
        return pd.DataFrame(columns=GIVEN_LINE_COLUMNS)
    wins, draws, losses, capped = counts.T
    tested = np.array([cell[1:] not in plan.yardsticks for cell in cells])

    def score(z: npt.ArrayLike) -> Range:
        return bounded_score(wins, draws, losses, capped, z)

    interval = imbens_manski(score)
    pointwise, claims = _intervals_and_p_values(interval, 0.5, _critical_factors(counts, cells, plan), tested)
    finished = wins + draws + losses
    table = pd.DataFrame(rows, columns=[*CELL, "line", "opening"]).assign(
        games=counts.sum(axis=1).astype(int),
        finished=finished.astype(int),
        first_wins=wins.astype(int),
        draws=draws.astype(int),
        second_wins=losses.astype(int),
        unfinished=capped.astype(int),
        score=np.divide(wins + draws / 2, finished, out=np.full(len(rows), np.nan), where=finished > 0),
        score_low=pointwise.low,
        score_high=pointwise.high,
        **claims,
    )
    low, high = plan.score_band()
    significant = (table["p_holm"] <= ALPHA).to_numpy()
    inside = ((table["simultaneous_low"] >= low) & (table["simultaneous_high"] <= high)).to_numpy()
    ahead = np.where(table["score_low"] > 0.5, "first", "second")
    statuses = np.where(inside, "balanced", np.where(significant, ahead, "undecided"))
    table["status"] = np.where(bool(plan.games) and not plan.finished, "undecided", statuses).astype(object)
    return table[GIVEN_LINE_COLUMNS]


def line_difference_table(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """One row per cell and two of its lines: the first seat's score from ``line`` less that from ``line2``.

    Intervals and p-values as in `given_line_table`, corrected over all rows of this table; none where an experiment
    names more than `MOST_LINES_COMPARED` lines.

    Source: `interval_of_difference`; as `given_line_table`.
    """
    rows, counts, cells = _result_counts(trials, plan)
    count = len(plan.experiment.openings.lines) if isinstance(plan.experiment.openings, GivenLines) else 0
    if not rows or not 2 <= count <= MOST_LINES_COMPARED:
        return pd.DataFrame(columns=LINE_DIFFERENCE_COLUMNS)
    row_of_line = {(*row[:3], row[3]): i for i, row in enumerate(rows)}
    pairs = [
        (row_of_line[*cell, line], row_of_line[*cell, line2])
        for cell in dict.fromkeys(cells)
        for line, line2 in itertools.combinations(range(1, count + 1), 2)
        if (*cell, line) in row_of_line and (*cell, line2) in row_of_line
    ]
    if not pairs:
        return pd.DataFrame(columns=LINE_DIFFERENCE_COLUMNS)
    a, b = (counts[[pair[side] for pair in pairs]] for side in (0, 1))
    tested = np.array([cells[line][1:] not in plan.yardsticks for line, _ in pairs])

    def score(of: Floats, z: npt.ArrayLike) -> Range:
        wins, draws, losses, capped = of.T
        return bounded_score(wins, draws, losses, capped, z)

    interval = imbens_manski(lambda z: interval_of_difference(score(a, z), score(b, z)))
    pointwise, claims = _intervals_and_p_values(
        interval, 0.0, _critical_factors(counts, cells, plan)[[line for line, _ in pairs]], tested
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = [(each[:, 0] + each[:, 1] / 2) / each[:, :3].sum(axis=1) for each in (a, b)]
    table = pd.DataFrame(
        [[*rows[line], *rows[line2][3:]] for line, line2 in pairs],
        columns=[*CELL, "line", "opening", "line2", "opening2"],
    ).assign(difference=scores[0] - scores[1], low=pointwise.low, high=pointwise.high, **claims)
    return table[LINE_DIFFERENCE_COLUMNS]


def _result_counts(
    trials: Trials | pd.DataFrame, plan: AnalysisPlan
) -> tuple[list[list[object]], Floats, list[CellName]]:
    """Cells and their lines that were played, the results of each (wins, draws, losses, unfinished), and the cells."""
    rows: list[list[object]] = []
    counts: list[list[float]] = []
    cells: list[CellName] = []
    trials = Trials.of(trials)
    if isinstance(plan.experiment.openings, GivenLines) and LINE.name in trials.games:
        for cell in plan.cells:
            part = trials.cell(cell)
            for number, opening in enumerate(plan.experiment.openings.lines):
                results = part.loc[part[LINE.name] == number, "result"].astype(str)
                if len(results):
                    rows.append([*cell, number + 1, opening])
                    counts.append([float((results == word).sum()) for word in BY_POINTS])
                    cells.append(cell)
    return rows, np.array(counts, dtype=np.float64).reshape(-1, 4), cells


def _intervals_and_p_values(
    interval: Callable[[npt.ArrayLike], Range], value: float, factors: Floats, tested: npt.NDArray[np.bool_]
) -> tuple[Range, dict[str, Floats]]:
    """Each row's interval alone; and as columns its interval among all rows at once, and its p-values for a value.

    ``factors`` are the rows' `_critical_factors`. Rows that are not ``tested`` count for no other row, and have neither
    an interval among all nor a corrected p-value.
    """
    pointwise, simultaneous = (
        interval(factors * -ndtri(ALPHA / at_once / 2)) for at_once in (1, max(int(tested.sum()), 1))
    )

    def distance(z: Floats) -> Floats:
        ends = interval(z)
        return np.fmax(ends.low - value, value - ends.high)

    p = np.asarray(2 * ndtr(-largest_critical(distance, factors) / factors), dtype=np.float64)
    return pointwise, {
        "simultaneous_low": np.where(tested, simultaneous.low, np.nan),
        "simultaneous_high": np.where(tested, simultaneous.high, np.nan),
        "p": p,
        "p_holm": _holm_of_tested(p, tested),
    }


def _critical_factors(counts: Floats, cells: Sequence[CellName], plan: AnalysisPlan) -> Floats:
    """By what the critical values of each row's cell are larger than those of games that are judged once."""
    games: dict[CellName, float] = {}
    for cell, count in zip(cells, counts.sum(axis=1), strict=True):
        games[cell] = games.get(cell, 0.0) + float(count)
    return np.array([plan.critical(int(games[cell])) / Z for cell in cells], dtype=np.float64)


def _holm_of_tested(p: Floats, tested: npt.NDArray[np.bool_] | Sequence[bool]) -> Floats:
    corrected = np.full(len(p), np.nan)
    included = np.asarray(tested) & ~np.isnan(p)
    if included.any():
        corrected[included] = holm(p[included])
    return corrected
