"""The lines that an experiment names: the first seat's score from each of them, and from one as against another."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtr, ndtri

from workbench.questions.lines import Given
from workbench.statistics.corrections import holm
from workbench.statistics.intervals import Floats, Range, Z, bounded_score, difference, imbens_manski, reach
from workbench.statistics.plan import AnalysisPlan
from workbench.statistics.sequential import ALPHA
from workbench.store.records import LINE
from workbench.store.trials import CELL, CellName, Trials

COMPARED = 12
"""Most lines of which each is compared with each."""
LINES = [
    *CELL, "line", "opening", "games", "finished", "first_wins", "draws", "second_wins", "unfinished", "score",
    "score_low", "score_high", "simultaneous_low", "simultaneous_high", "p", "p_holm", "status",
]  # fmt: skip
DIFFERENCES = [
    *CELL, "line", "opening", "line2", "opening2", "difference", "low", "high", "simultaneous_low",
    "simultaneous_high", "p", "p_holm",
]  # fmt: skip


def given_lines(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
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
    rows, counts, cells = _counts(trials, plan)
    if not rows:
        return pd.DataFrame(columns=LINES)
    wins, draws, losses, capped = counts.T
    tested = np.array([cell[1:] not in plan.yardsticks for cell in cells])

    def score(z: npt.ArrayLike) -> Range:
        return bounded_score(wins, draws, losses, capped, z)

    sharp = imbens_manski(score)
    alone, claims = _judged(sharp, 0.5, _factors(counts, cells, plan), tested)
    finished = wins + draws + losses
    table = pd.DataFrame(rows, columns=[*CELL, "line", "opening"]).assign(
        games=counts.sum(axis=1).astype(int),
        finished=finished.astype(int),
        first_wins=wins.astype(int),
        draws=draws.astype(int),
        second_wins=losses.astype(int),
        unfinished=capped.astype(int),
        score=np.divide(wins + draws / 2, finished, out=np.full(len(rows), np.nan), where=finished > 0),
        score_low=alone.low,
        score_high=alone.high,
        **claims,
    )
    low, high = plan.score_band()
    sure = (table["p_holm"] <= ALPHA).to_numpy()
    inside = ((table["simultaneous_low"] >= low) & (table["simultaneous_high"] <= high)).to_numpy()
    ahead = np.where(table["score_low"] > 0.5, "first", "second")
    words = np.where(inside, "balanced", np.where(sure, ahead, "undecided"))
    table["status"] = np.where(_open(plan), "undecided", words).astype(object)
    return table[LINES]


def line_differences(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """One row per cell and two of its lines: the first seat's score from ``line`` less that from ``line2``.

    Intervals and p-values as in `given_lines`, corrected over all rows of this table; none where an experiment names
    more than `COMPARED` lines.

    Source: `difference`; as `given_lines`.
    """
    rows, counts, cells = _counts(trials, plan)
    count = len(plan.openings.lines) if isinstance(plan.openings, Given) else 0
    if not rows or not 2 <= count <= COMPARED:
        return pd.DataFrame(columns=DIFFERENCES)
    place = {(*row[:3], row[3]): i for i, row in enumerate(rows)}
    pairs = [
        (place[*cell, one], place[*cell, two])
        for cell in dict.fromkeys(cells)
        for one, two in itertools.combinations(range(1, count + 1), 2)
        if (*cell, one) in place and (*cell, two) in place
    ]
    if not pairs:
        return pd.DataFrame(columns=DIFFERENCES)
    a, b = (counts[[pair[side] for pair in pairs]] for side in (0, 1))
    tested = np.array([cells[one][1:] not in plan.yardsticks for one, _ in pairs])

    def score(of: Floats, z: npt.ArrayLike) -> Range:
        wins, draws, losses, capped = of.T
        return bounded_score(wins, draws, losses, capped, z)

    sharp = imbens_manski(lambda z: difference(score(a, z), score(b, z)))
    alone, claims = _judged(sharp, 0.0, _factors(counts, cells, plan)[[one for one, _ in pairs]], tested)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = [(each[:, 0] + each[:, 1] / 2) / each[:, :3].sum(axis=1) for each in (a, b)]
    table = pd.DataFrame(
        [[*rows[one], *rows[two][3:]] for one, two in pairs], columns=[*CELL, "line", "opening", "line2", "opening2"]
    ).assign(
        difference=scores[0] - scores[1],
        low=alone.low,
        high=alone.high,
        **claims,
    )
    return table[DIFFERENCES]


def _counts(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> tuple[list[list[object]], Floats, list[CellName]]:
    """Cells and their lines that were played, the results of each (wins, draws, losses, unfinished), and the cells."""
    rows: list[list[object]] = []
    counts: list[list[float]] = []
    cells: list[CellName] = []
    trials = Trials.of(trials)
    if isinstance(plan.openings, Given) and LINE.name in trials.games:
        for cell in plan.cells:
            part = trials.cell(cell)
            for number, opening in enumerate(plan.openings.lines):
                results = part.loc[part[LINE.name] == number, "result"].astype(str)
                if len(results):
                    rows.append([*cell, number + 1, opening])
                    counts.append(
                        [float((results == word).sum()) for word in ("first", "draw", "second", "unfinished")]
                    )
                    cells.append(cell)
    return rows, np.array(counts, dtype=np.float64).reshape(-1, 4), cells


def _judged(
    interval: Callable[[npt.ArrayLike], Range], value: float, looked: Floats, tested: npt.NDArray[np.bool_]
) -> tuple[Range, dict[str, Floats]]:
    """Each row's interval alone; and as columns its interval among all rows at once, and its p-values for a value.

    ``looked`` are the rows' `_factors`. Rows that are not ``tested`` count for no other row, and have neither an
    interval among all nor a corrected p-value.
    """
    alone, together = (interval(looked * -ndtri(ALPHA / at_once / 2)) for at_once in (1, max(int(tested.sum()), 1)))

    def distance(z: Floats) -> Floats:
        ends = interval(z)
        return np.fmax(ends.low - value, value - ends.high)

    p = np.asarray(2 * ndtr(-reach(distance, looked) / looked), dtype=np.float64)
    return alone, {
        "simultaneous_low": np.where(tested, together.low, np.nan),
        "simultaneous_high": np.where(tested, together.high, np.nan),
        "p": p,
        "p_holm": _holm(p, tested),
    }


def _factors(counts: Floats, cells: Sequence[CellName], plan: AnalysisPlan) -> Floats:
    """By what the critical values of each row's cell are larger than those of games that are judged once."""
    games: dict[CellName, float] = {}
    for cell, count in zip(cells, counts.sum(axis=1), strict=True):
        games[cell] = games.get(cell, 0.0) + float(count)
    return np.array([plan.critical(int(games[cell])) / Z for cell in cells], dtype=np.float64)


def _open(plan: AnalysisPlan) -> bool:
    """Whether games are still to come, so that nothing is decided yet."""
    return bool(plan.games) and not plan.finished


def _holm(p: Floats, tested: npt.NDArray[np.bool_] | Sequence[bool]) -> Floats:
    corrected = np.full(len(p), np.nan)
    some = np.asarray(tested) & ~np.isnan(p)
    if some.any():
        corrected[some] = holm(p[some])
    return corrected
