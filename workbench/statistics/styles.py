"""The players' own choices (styles, armies, places), and their scores against each other."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import linprog
from scipy.special import bdtr

from workbench import games as families
from workbench.engine.folds import Fold
from workbench.games.declaration import Landmark
from workbench.games.results import BY_POINTS, SEATS, SWAP
from workbench.records.records import SWAPPED
from workbench.records.trials import CELL, Trials
from workbench.statistics.analysis_plan import AnalysisPlan
from workbench.statistics.intervals import CONFIDENCE, Floats, holm, lines_and_inflation, score_interval, t_from_normal
from workbench.statistics.openings import FirstMoves, side_results

MATRIX_COLUMNS = ["ruleset", "choice", "agents", "row", "column", "games", "score", "score_low", "score_high"]
EQUILIBRIUM_COLUMNS = [
    "ruleset", "choice", "agents", "seat", "option", "share", "mean_score", "value", "value_low", "value_high", "pure",
]  # fmt: skip
LEAST_CLIMB = 1e-4
"""The least improvement per step towards a bound: a hundredth of a point."""
STYLE = "style"
"""The name of the choice between agents."""
PLACEMENT_COLUMNS = [
    *CELL, "seat", "landmark", "cell", "cells", "column", "row", "games", "share", "finished", "score", "score_low",
    "score_high", "p", "p_holm",
]  # fmt: skip


def equilibrium(matrix: npt.ArrayLike) -> tuple[Floats, Floats, float]:
    """Return the shares of each row and each column at the equilibrium of a zero-sum game, and the game's value.

    The first player chooses a row to maximize the expected entry, the second a column to minimize it. If there are
    several equilibria, one of them is returned; the value is unique.

    Source: J. von Neumann, "Zur Theorie der Gesellschaftsspiele", Mathematische Annalen 100, 1928; as two linear
    programs, G. B. Dantzig, 1951, solved by SciPy (HiGHS).
    Limits: for exact entries; for estimates see `score_matrices`.
    """
    a = np.asarray(matrix, dtype=np.float64)
    row_mixture, value = _maximin_mixture(a)
    column_mixture, _ = _maximin_mixture(-a.T)
    return row_mixture, column_mixture, value


def _maximin_mixture(payoff: Floats) -> tuple[Floats, float]:
    """Return the mixture of rows that maximizes the smallest column value, and that value."""
    m, n = payoff.shape
    constraints = np.hstack([-payoff.T, np.ones((n, 1))])
    bounds = [(0, None)] * m + [(None, None)]
    optimum = linprog(np.append(np.zeros(m), -1.0), constraints, np.zeros(n), [[1.0] * m + [0.0]], [1.0], bounds)
    mixture = np.clip(optimum.x[:m], 0.0, None)
    return mixture / mixture.sum(), float(optimum.x[m])


def value_bound(scores: Floats, margins: Floats) -> float:
    """Return an upper bound on a game's value for the row player; entries may exceed ``scores`` by their ``margins``.

    It is the maximum, over all mixtures x of the rows, of min over columns j of Σ xᵢ scoreᵢⱼ + √Σ (xᵢ marginᵢⱼ)². With
    the truly best mixture, every column is truly worth at least the game's value; so the bound is valid if ``margins``
    are for one mixture and all columns at once, whichever mixture looks best.

    Source: errors of a sum of independent means, G. Y. Zou, A. Donner, Statistics in Medicine 27, 2008. The search
    starts from every row, from all rows equally and from the equilibrium; each step maximizes a linear lower bound of
    the root: D. R. Hunter, K. Lange, "A tutorial on MM algorithms", The American Statistician 58, 2004.
    Limits: the search may end at a local maximum, slightly below the global one.
    """
    rows = len(scores)
    best = -math.inf
    for mixture in [*np.eye(rows), np.full(rows, 1 / rows), _maximin_mixture(scores)[0]]:
        last_bound = -math.inf
        while True:
            spread = np.sqrt(((mixture[:, None] * margins) ** 2).sum(axis=0))
            bound = float((mixture @ scores + spread).min())
            if bound <= last_bound + LEAST_CLIMB:
                break
            last_bound = bound
            slope = np.divide(mixture[:, None] * margins**2, spread, out=np.zeros_like(margins), where=spread > 0)
            mixture, _ = _maximin_mixture(scores + slope)
        best = max(best, last_bound, bound)
    return best


def score_matrices(cells: pd.DataFrame, plan: AnalysisPlan) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the first seat's score for each pair of options, and the equilibrium of the choice between them.

    Options are agents (``choice`` is `STYLE`; ``agents`` is empty, or the common prefix of their names if several sets
    of agents do not meet), or the players' own choices in the family, such as armies; then ``agents`` are the players,
    and ``ruleset`` is the first of those that differ only in the choice. Only options that all meet each other and
    themselves, in both seatings, count; with fewer than two of them there are no rows. ``row`` is the option of the
    first seat, ``column`` that of the second.

    ``mean_score`` is the ``seat``'s own score with the ``option``, the mean over all options of the other seat.
    ``share`` is the frequency of the option at the equilibrium, ``value`` the first seat's score there: the first
    mover's value if both choose freely before the game, without knowing the other's choice. ``pure`` is true if each
    always chooses the same option.

    ``value_low`` and ``value_high`` hold for all choices at once (`value_bound`): the error of each end is 2.5 % over
    all options of one seat together, Z. Šidák, "Rectangular confidence regions for the means of multivariate normal
    distributions", JASA 62, 1967, with the ends of `score_interval`.

    Source: `equilibrium`, `value_bound`.
    Limits: a choice between estimates favours lucky ones, so ``value`` and ``share`` are biased towards the side with
    more options of similar strength: with 8 options each and 100 games per entry, by up to 6 points if one row is best
    and no column is. The interval allows for this bias and covers more than 95 %. Capped games are ignored.
    """
    entries: list[list[object]] = []
    equilibria: list[list[object]] = []
    lines, inflation = lines_and_inflation(cells, "first_score")
    cells = cells.assign(lines=lines, inflation=inflation)
    finished = cells[cells["finished"] > 0]
    for labels, table, options in itertools.chain(_agent_matrices(finished), _choice_matrices(finished, plan)):
        names = ["games", "first_score", "first_score_low", "first_score_high", "first_wins", "draws", "second_wins"]
        names += ["lines", "inflation"]
        pairs = [(a, b) for a in options for b in options]
        results = table.reindex(pairs)[names].to_numpy(dtype=np.float64)
        entries += [[*labels, *pair, int(row[0]), *row[1:4]] for pair, row in zip(pairs, results, strict=True)]
        score = results[:, 1].reshape(len(options), -1)
        row_mixture, column_mixture, value = equilibrium(score)
        ends = _value_interval(results, score, plan)
        pure = bool(max(row_mixture) > 1 - 1e-6 and max(column_mixture) > 1 - 1e-6)
        seats = (("first", row_mixture, score.mean(axis=1)), ("second", column_mixture, 1 - score.mean(axis=0)))
        for seat, mixture, means in seats:
            for option, share, mean in zip(options, mixture, means, strict=True):
                equilibria.append([*labels, seat, option, float(share), float(mean), value, *ends, pure])
    return pd.DataFrame(entries, columns=MATRIX_COLUMNS), pd.DataFrame(equilibria, columns=EQUILIBRIUM_COLUMNS)


def _value_interval(entries: Floats, score: Floats, plan: AnalysisPlan) -> tuple[float, float]:
    """Return the interval for the game's value; ``entries`` has the columns used in `score_matrices`."""
    # Simultaneous over the columns (rows); each side has half of the error.
    alpha = 2 * (1 - ((1 + CONFIDENCE) / 2) ** (1 / len(score)))
    z = np.array([plan.critical(int(games), alpha) for games in entries[:, 0]])
    wins, draws, losses, lines, inflation = entries[:, 4:].T
    z = t_from_normal(z, lines) * inflation
    low, high = (end.reshape(score.shape) for end in score_interval(wins, draws, losses, z))
    return max(0.0, -value_bound(-score.T, (score - low).T)), min(1.0, value_bound(score, high - score))


def _agent_matrices(cells: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], pd.DataFrame, list[str]]]:
    """Yield the labels, the cells by agents, and the agents of each complete set, ruleset by ruleset."""
    for ruleset, part in cells.groupby("ruleset", sort=False):
        table = part.set_index(["first", "second"])
        sets = list(_complete_sets(list(table.index)))
        # The words with which all names in a set begin.
        words = [zip(*(name.split("-") for name in options), strict=False) for options in sets]
        shared = [itertools.takewhile(lambda word: len(set(word)) == 1, set_words) for set_words in words]
        set_names = [""] if len(sets) == 1 else ["-".join(word[0] for word in common) for common in shared]
        if len(set(set_names)) < len(sets):
            set_names = [", ".join(options) for options in sets]
        for set_name, options in zip(set_names, sets, strict=True):
            yield (str(ruleset), STYLE, set_name), table, options


def _choice_matrices(
    cells: pd.DataFrame, plan: AnalysisPlan
) -> Iterator[tuple[tuple[str, str, str], pd.DataFrame, list[str]]]:
    """Yield labels, cells by option and options for rulesets that differ only in the players' own choices."""
    for choice, options in plan.player_choices:
        group = cells[cells["ruleset"].isin(list(options))]
        for (first, second), part in group.groupby(["first", "second"], sort=False):
            rows, columns = zip(*(options[name] for name in part["ruleset"]), strict=True)
            table = part.assign(row=rows, column=columns).set_index(["row", "column"])
            agents = str(first) if first == second else f"{first} v {second}"
            table = table[~table.index.duplicated()]
            for complete_set in itertools.islice(_complete_sets(list(table.index)), 1):
                yield (next(iter(options)), choice, agents), table, complete_set


def _complete_sets(pairs: list[tuple[str, str]]) -> Iterator[list[str]]:
    """Yield disjoint sets of at least two options that all meet each other in both seatings.

    An option with the most gaps is removed until there are no gaps; then the removed options are searched.
    """
    meetings = set(pairs)
    remaining = list(dict.fromkeys(option for pair in pairs for option in pair))
    while remaining:
        options = list(remaining)
        while True:
            gaps = {a: sum((a, b) not in meetings or (b, a) not in meetings for b in options) for a in options}
            if not any(gaps.values()):
                break
            most_gaps = max(gaps.values())
            options.remove([option for option in options if gaps[option] == most_gaps][-1])
        if not options:
            return
        if len(options) > 1:
            yield options
        remaining = [option for option in remaining if option not in options]


def placement_table(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """Return one row per cell, seat and place: how often a seat chose it, and the *first* seat's score with it.

    Places are declared by the family (`Landmark`). Squares that are equivalent under its fold are one place: ``cells``
    has all of them, ``cell`` with ``column`` and ``row`` the representative. ``p`` tests a score of ½; ``p_holm`` is
    corrected for all places of all rulesets with the same agents, since the report draws their boards side by side.

    Source: `score_interval`; the exact sign test on the decisive games (W. J. Dixon, A. M. Mood, JASA 41, 1946); Holm
    1979.
    Limits: intervals are pointwise. A place that is often chosen in good positions looks good: these are scores of free
    choices, not of forced ones. Agents that break ties by the order of the moves do not choose all images of a place
    equally often.
    """
    rows: list[list[object]] = []
    results_by_row: list[tuple[int, int, int]] = []
    installed = set(families.names())
    ruleset_games = {ruleset.name: ruleset.game for ruleset in plan.rulesets}
    trials = Trials.of(trials)
    # Players choose no places where the experiment chooses how games begin.
    for cell in plan.cells if "opening" in trials.columns and plan.experiment.openings is None else []:
        part, game = trials.cell(cell), ruleset_games[cell[0]]
        if not len(part) or game not in installed:
            continue
        # Places and results belong to the sides, so a swap of sides is not a move.
        openings = trials.column(cell, "opening")
        if SWAPPED.name in trials.columns:
            openings = openings.str.replace(f" {SWAP}", "")
        moves = FirstMoves.from_openings(openings)
        results = side_results(trials, cell)
        for landmark in families.declaration(game).landmarks:
            counts = _results_by_place(moves, results, landmark, plan.ruleset(cell[0]).settings.get(landmark.size))
            for (seat, images), (wins, draws, losses, capped) in sorted(counts.items(), key=lambda item: item[0]):
                finished = int(wins + draws + losses)
                score = (wins + draws / 2) / finished if finished else math.nan
                games = finished + int(capped)
                place = [images[0], " ".join(images), images[0][0], images[0][1:]]
                rows.append([*cell, seat, landmark.name, *place, games, games / len(part), finished, score])
                results_by_row.append((wins, draws, losses))
    wins, draws, losses = np.array(results_by_row, dtype=np.float64).reshape(-1, 3).T
    low, high = score_interval(wins, draws, losses)
    # By chance, either seat is equally likely to win a decisive game.
    decisive = (wins + losses).astype(np.int64)
    p = np.where(decisive > 0, np.minimum(2 * bdtr(np.minimum(wins, losses), decisive, 0.5), 1.0), np.nan)
    estimates = zip(low.tolist(), high.tolist(), p.tolist(), strict=True)
    rows = [[*row, *ends, math.nan] for row, ends in zip(rows, estimates, strict=True)]
    table = pd.DataFrame(rows, columns=PLACEMENT_COLUMNS)
    for _, family in table[table["p"].notna()].groupby(["first", "second"], sort=False):
        table.loc[family.index, "p_holm"] = holm(family["p"])
    return table


def _results_by_place(
    moves: FirstMoves, results: npt.NDArray[np.intp], landmark: Landmark, size: object
) -> dict[tuple[str, tuple[str, ...]], npt.NDArray[np.intp]]:
    """Count game results by seat and by the squares of the seat's first move to a landmark."""
    places: dict[tuple[str, ...], int] = {}
    # Other moves, and the padding after a game's end, have the place -1.
    code_places = np.full(len(moves.words) + 1, -1, dtype=np.intp)
    for code, word in enumerate(moves.words):
        if match := re.fullmatch(landmark.pattern, word):
            images = _mirror_images(match["column"], match["row"], landmark.fold, size)
            code_places[code] = places.setdefault(images, len(places))
    counts: dict[tuple[str, tuple[str, ...]], npt.NDArray[np.intp]] = {}
    for number, seat in enumerate(SEATS if places else ()):
        move_places = code_places[moves.codes[:, number::2]]
        first = move_places[np.arange(len(move_places)), np.argmax(move_places >= 0, axis=1)]
        has_place = first >= 0
        size = len(BY_POINTS)
        flat = np.bincount(first[has_place] * size + results[has_place], minlength=len(places) * size).reshape(-1, size)
        counts |= {(seat, images): flat[place] for images, place in places.items() if flat[place].any()}
    return counts


def _mirror_images(column: str, row: str, fold: Fold, size: object) -> tuple[str, ...]:
    """Return the images of a place under a board's fold, sorted; without a board size, only the place itself."""
    if not isinstance(size, int):
        return (column + row,)
    images = fold.images(size, ord(column) - ord("a"), int(row) - 1)
    return tuple(f"{chr(ord('a') + x)}{y + 1}" for x, y in sorted(images))
