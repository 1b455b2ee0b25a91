"""Which openings are even: the first side's score after each, judged together."""

from __future__ import annotations

import pandas as pd

from workbench.games.results import SWAP
from workbench.statistics.plan import AnalysisPlan
from workbench.statistics.swaps import side_results, side_score, simultaneous_critical
from workbench.statistics.variety import COMMON_GAMES
from workbench.statistics.verdicts import band_verdict
from workbench.store.records import LINE
from workbench.store.trials import CELL, CellName, Trials

EVEN_COLUMNS = [*CELL, "opening", "games", "score", "low", "high", "status"]


def even_opening_table(trials: Trials | pd.DataFrame, plan: AnalysisPlan, plies: int) -> pd.DataFrame:
    """One row per cell and opening of so many plies, the most even first: the score of the side that moved first.

    Where the experiment chose how games begin, openings are its lines, whatever their length. Openings of fewer than
    `COMMON_GAMES` games are left out. ``low`` and ``high`` are ends of the interval that holds for all openings of the
    cell at once; ``status`` is ``balanced`` if it lies in the target (or ½ ± margin), ``first`` or ``second`` if it
    leaves out ½, else ``undecided``.

    Source: `bounded_score`; Schuirmann 1987 for "balanced" (see `balance_verdicts`); C. E. Bonferroni, 1936.
    Limits: says what these players make of an opening. Orders of moves, and images by a symmetry, count apart.
    """
    trials = Trials.of(trials)
    rows: list[list[object]] = []
    band = plan.score_band()
    for cell in plan.cells:
        openings, results = _openings(trials, plan, cell, plies), side_results(trials, cell)
        counts = openings.value_counts()
        common = [str(opening) for opening in counts[counts >= COMMON_GAMES].index]
        z = simultaneous_critical(plan, len(results), len(common))
        for opening in common:
            of_opening = results[(openings == opening).to_numpy()]
            score, low, high = side_score(of_opening, z)
            rows.append([*cell, opening, len(of_opening), score, low, high, band_verdict(low, high, band)])
    table = pd.DataFrame(rows, columns=EVEN_COLUMNS)
    order = (table["score"] - 0.5).abs().sort_values(kind="stable").index
    return table.loc[order].reset_index(drop=True)


def _openings(trials: Trials, plan: AnalysisPlan, cell: CellName, plies: int) -> pd.Series:
    """The opening of each game of a cell; missing where the game was shorter."""
    if (lines := plan.line_texts.get(cell[0])) and LINE.name in trials.columns:
        return trials.column(cell, LINE.name).map(dict(enumerate(lines)))
    moves = trials.column(cell, "opening").astype(str).str.split()
    texts = moves.map(lambda words: [word for word in words if word != SWAP][:plies])
    return texts.map(lambda words: " ".join(words) if len(words) == plies else None)
