"""Where players may swap sides: how often they do, what the first side scores, and which first moves are even."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtri

from workbench.games.results import BY_POINTS, SWAP
from workbench.statistics.intervals import Z, bounded_score, wilson
from workbench.statistics.plan import AnalysisPlan
from workbench.statistics.sequential import ALPHA
from workbench.statistics.variety import COMMON_GAMES, FirstMoves
from workbench.statistics.verdicts import band_verdict
from workbench.store.records import LINE, SWAPPED
from workbench.store.trials import CELL, CellName, Trials

OTHER_SIDE = {"first": "second", "second": "first"}
MOST_MOVES = 40
"""First moves of a cell that are listed, the commonest first."""
SWAP_COLUMNS = [
    *CELL, "games", "swapped", "share", "share_low", "share_high", "side_score", "side_score_low", "side_score_high",
    "without", "score_without", "score_without_low", "score_without_high",
]  # fmt: skip
FIRST_MOVE_COLUMNS = [
    *CELL, "move", "games", "share", "share_low", "share_high", "swapped", "score", "score_low", "score_high",
    "simultaneous_low", "simultaneous_high", "status",
]  # fmt: skip


def side_results(trials: Trials, cell: CellName) -> npt.NDArray[np.object_]:
    """The results of a cell's games by the sides, whoever played them: ``first`` is the side that moved first."""
    results = trials.cell(cell)["result"].astype(str)
    if SWAPPED.name not in trials.columns:
        return results.to_numpy(dtype=object)
    swapped = trials.column(cell, SWAPPED.name) == 1
    return results.mask(swapped, results.replace(OTHER_SIDE)).to_numpy(dtype=object)


def simultaneous_critical(plan: AnalysisPlan, games: int, count: int) -> float:
    """The critical value of intervals that hold for ``count`` of them at once, in a cell of so many games.

    Source: C. E. Bonferroni, 1936.
    """
    return plan.critical(games) / Z * -float(ndtri(ALPHA / max(count, 1) / 2))


def swap_table(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """One row per cell whose players may swap sides.

    How often they did (``share``), what the side that moved first scored, and what it scored ``without`` the swap: in
    the ruleset of the experiment that is the same but for the swap, if there is one. The players' own scores are in
    `cell_table`.

    Source: Wilson 1927 for the share; `bounded_score` for scores: games that were stopped may have ended either way.
    Limits: each interval stands alone.
    """
    rows = []
    trials = Trials.of(trials)
    same_but_swap = {ruleset.fingerprint: ruleset.name for ruleset in plan.rulesets}
    for cell in _swapping_cells(trials, plan):
        without = same_but_swap.get(plan.ruleset(cell[0]).unswapped.fingerprint, "")
        z = plan.critical(len(trials.cell(cell)))
        swapped = int((trials.column(cell, SWAPPED.name) == 1).sum())
        share = wilson(swapped, len(trials.cell(cell)), z)
        rows.append([
            *cell, len(trials.cell(cell)), swapped, swapped / len(trials.cell(cell)), float(share[0]), float(share[1]),
            *side_score(side_results(trials, cell), z), without,
            *side_score(side_results(trials, (without, *cell[1:])), z),
        ])  # fmt: skip
    return pd.DataFrame(rows, columns=SWAP_COLUMNS)


def first_move_table(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """One row per cell whose players may swap sides, and first move: how often it was made, and how even it is.

    ``score`` is that of the side that made the move, whoever played it afterwards, and ``swapped`` the share of its
    games in which sides were swapped. ``status``: ``balanced``, if the interval that holds for all moves of the cell at
    once lies in the target (or ½ ± margin); ``first`` or ``second``, the side that is ahead, if it leaves out ½; else
    ``undecided``.

    Source: `bounded_score`; Schuirmann 1987 for "balanced" (see `balance_verdicts`); C. E. Bonferroni, 1936.
    Limits: says what these players make of a move. Moves that are the same by a symmetry of the board count apart.
    Nothing is said where the experiment chooses how games begin.
    """
    rows: list[list[object]] = []
    trials = Trials.of(trials)
    band = plan.score_band()
    for cell in _swapping_cells(trials, plan) if plan.experiment.openings is None else ():
        moves = FirstMoves.from_openings(trials.column(cell, "opening"))
        codes = moves.codes[:, 0]
        results, swapped = side_results(trials, cell), trials.column(cell, SWAPPED.name).to_numpy() == 1
        counts = np.bincount(codes[codes >= 0], minlength=len(moves.words))
        common = np.argsort(-counts, kind="stable")[: min(MOST_MOVES, int((counts > 0).sum()))]
        z, at_once = plan.critical(len(codes)), simultaneous_critical(plan, len(codes), len(common))
        for code in common:
            made = codes == code
            score = side_score(results[made], z)
            _, low, high = side_score(results[made], at_once)
            share = wilson(int(counts[code]), len(codes), z)
            status = "undecided" if plan.games and not plan.finished else band_verdict(low, high, band)
            rows.append([
                *cell, moves.words[code], int(counts[code]), counts[code] / len(codes), float(share[0]),
                float(share[1]), float(swapped[made].mean()), *score, low, high, status,
            ])  # fmt: skip
    return pd.DataFrame(rows, columns=FIRST_MOVE_COLUMNS)


def _swapping_cells(trials: Trials, plan: AnalysisPlan) -> Iterator[CellName]:
    if SWAPPED.name in trials.columns:
        yield from (cell for cell in plan.cells if plan.ruleset(cell[0]).swap_ply and len(trials.cell(cell)))


def side_score(results: npt.NDArray[np.object_], z: float) -> tuple[float, float, float]:
    """The score of the finished games, and its interval, in which games that were stopped may have ended either way."""
    wins, draws, losses, stopped = (float((results == word).sum()) for word in BY_POINTS)
    finished = wins + draws + losses
    if not len(results):
        return np.nan, np.nan, np.nan
    ends = bounded_score(wins, draws, losses, stopped, z)
    return (wins + draws / 2) / finished if finished else np.nan, float(ends.low), float(ends.high)


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
