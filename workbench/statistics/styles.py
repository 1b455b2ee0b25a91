"""What players choose for themselves against each other (styles, armies, places), and how it scores."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import linprog

from workbench import games as families
from workbench.statistics.intervals import Floats, score_interval
from workbench.statistics.setup import Setup
from workbench.statistics.tables import CELL

MATRICES = ["ruleset", "choice", "agents", "row", "column", "games", "score", "score_low", "score_high"]
EQUILIBRIA = [
    "ruleset", "choice", "agents", "seat", "option", "share", "mean_score", "value", "value_low", "value_high", "pure",
]  # fmt: skip
STYLE = "style"
"""What players choose where the agents themselves differ."""
PLACEMENTS = [
    *CELL, "seat", "landmark", "cell", "column", "row", "games", "share", "finished", "score", "score_low",
    "score_high",
]  # fmt: skip


def equilibrium(matrix: npt.ArrayLike) -> tuple[Floats, Floats, float]:
    """How often each row and each column is played at the equilibrium of a zero-sum game, and the game's value.

    The first player chooses a row to make the expected entry large, the second a column to make it small. Where several
    equilibria exist, it is one of them; the value is the same for all.

    Source: J. von Neumann, "Zur Theorie der Gesellschaftsspiele", Mathematische Annalen 100, 1928; as two linear
    programs, G. B. Dantzig, 1951, solved by SciPy (HiGHS).
    Limits: of exact entries; for estimates see `equilibria`.
    """
    a = np.asarray(matrix, dtype=np.float64)

    def best(payoff: Floats) -> tuple[Floats, float]:
        """The mixture of rows whose worst column is best, and that column's value."""
        m, n = payoff.shape
        found = linprog(
            np.append(np.zeros(m), -1.0),
            A_ub=np.hstack([-payoff.T, np.ones((n, 1))]),
            b_ub=np.zeros(n),
            A_eq=[[1.0] * m + [0.0]],
            b_eq=[1.0],
            bounds=[(0, None)] * m + [(None, None)],
        )
        mixture = np.clip(found.x[:m], 0.0, None)
        return mixture / mixture.sum(), float(found.x[m])

    mine, value = best(a)
    theirs, _ = best(-a.T)
    return mine, theirs, value


def matrices(cells: pd.DataFrame, setup: Setup) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The first seat's score for each two options that meet, and the equilibrium of the choice among them.

    Options are agents (``choice`` is `STYLE`, ``agents`` empty), or what the family says that each player chooses for
    himself, such as armies; ``agents`` then says who played, and ``ruleset`` is the first of those that differ in
    nothing else. Only options of which every one meets every one, itself included, in both ways of seating; where there
    are fewer than two of them there are no rows. ``row`` is the option of the first seat, ``column`` of the second.

    ``mean_score`` is the ``seat``'s own score with the ``option``, the mean over all options of the other seat.
    ``share`` is how often the seat chooses the option at the equilibrium; ``value`` the first seat's score there: the
    first mover's value if both are free to choose, before the game, without knowing the other's choice. ``pure``: both
    always choose the same.

    Source: `equilibrium`; the value's interval takes the mixtures as given: its variance is Σ (share share' error)².
    Limits: entries are estimates, so that small differences may pick another mixture, and the value leans a little
    towards neither seat only if both have as many close choices. With capped games the score is that of the others.
    """
    entries: list[list[object]] = []
    found: list[list[object]] = []
    finished = cells[cells["finished"] > 0]
    for what, table in itertools.chain(_by_agents(finished), _by_own_choice(finished, setup)):
        options = _complete(list(table.index))
        if len(options) < 2:
            continue
        names = ["games", "first_score", "first_score_low", "first_score_high"]
        pairs = [(a, b) for a in options for b in options]
        wanted = table.reindex(pairs)[names].to_numpy(dtype=np.float64)
        entries += [[*what, *pair, int(row[0]), *row[1:]] for pair, row in zip(pairs, wanted, strict=True)]
        score, low, high = (wanted[:, i].reshape(len(options), -1) for i in (1, 2, 3))
        mine, theirs, value = equilibrium(score)
        z = setup.critical(int(wanted[:, 0].min()))
        error = (high - low) / (2 * z)
        half = z * math.sqrt(float(((mine[:, None] * theirs[None, :] * error) ** 2).sum()))
        pure = bool(max(mine) > 1 - 1e-6 and max(theirs) > 1 - 1e-6)
        seats = (("first", mine, score.mean(axis=1)), ("second", theirs, 1 - score.mean(axis=0)))
        for seat, mixture, means in seats:
            for option, share, mean in zip(options, mixture, means, strict=True):
                ends = (value - half, value + half)
                found.append([*what, seat, option, float(share), float(mean), value, *ends, pure])
    return pd.DataFrame(entries, columns=MATRICES), pd.DataFrame(found, columns=EQUILIBRIA)


def _by_agents(cells: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], pd.DataFrame]]:
    """Ruleset by ruleset, the cells with the agents as their index."""
    for ruleset, part in cells.groupby("ruleset", sort=False):
        yield (str(ruleset), STYLE, ""), part.set_index(["first", "second"])


def _by_own_choice(cells: pd.DataFrame, setup: Setup) -> Iterator[tuple[tuple[str, str, str], pd.DataFrame]]:
    """For rulesets that differ in nothing but the players' own choices, the cells with these as their index."""
    for choice, options in setup.own_choices:
        of_group = cells[cells["ruleset"].isin(list(options))]
        for (first, second), part in of_group.groupby(["first", "second"], sort=False):
            rows, columns = zip(*(options[name] for name in part["ruleset"]), strict=True)
            table = part.assign(row=rows, column=columns).set_index(["row", "column"])
            agents = str(first) if first == second else f"{first} v {second}"
            yield (next(iter(options)), choice, agents), table[~table.index.duplicated()]


def _complete(pairs: list[tuple[str, str]]) -> list[str]:
    """The options of which each meets each in both seats: those without a gap are kept, in order of appearance."""
    met = set(pairs)
    options = list(dict.fromkeys(option for pair in pairs for option in pair))
    while True:
        gaps = {a: sum((a, b) not in met or (b, a) not in met for b in options) for a in options}
        if not any(gaps.values()):
            return options
        worst = max(gaps.values())
        options.remove([option for option in options if gaps[option] == worst][-1])


def placements(trials: pd.DataFrame, setup: Setup) -> pd.DataFrame:
    """One row per cell, seat and place: how often a seat chose the place, and the *first* seat's score from there.

    What is a place is declared by the family (`Landmark`); ``column`` and ``row`` are its names on the board.

    Source: `score_interval`.
    Limits: each place has its own 95 % interval. A place that is often chosen in good positions looks good: these are
    scores of choices as they were made, not of choices that were forced.
    """
    rows: list[list[object]] = []
    known = set(families.names())
    games_of = {ruleset.name: ruleset.game for ruleset in setup.rulesets}
    groups = {tuple(map(str, key)): part for key, part in trials.groupby(CELL, sort=False, observed=True)}
    for cell in setup.cells if "opening" in trials else []:
        part, game = groups.get(cell), games_of[cell[0]]
        if part is None or game not in known:
            continue
        for landmark in families.declaration(game).landmarks:
            pattern = re.compile(landmark.pattern)
            counts: dict[tuple[str, str, str, str], npt.NDArray[np.int64]] = {}
            for opening, result in zip(part["opening"].fillna("").tolist(), part["result"].tolist(), strict=True):
                seen: set[int] = set()
                for ply, move in enumerate(opening.split()):
                    match = pattern.fullmatch(move)
                    if match and ply % 2 not in seen:
                        seen.add(ply % 2)
                        key = (("first", "second")[ply % 2], move, match["column"], match["row"])
                        count = counts.setdefault(key, np.zeros(4, dtype=np.int64))
                        count[("first", "draw", "second", "unfinished").index(result)] += 1
            for (seat, _, column, row), (wins, draws, losses, capped) in sorted(counts.items()):
                finished = int(wins + draws + losses)
                low, high = score_interval(wins, draws, losses)
                score = (wins + draws / 2) / finished if finished else math.nan
                games = finished + int(capped)
                rows.append([*cell, seat, landmark.name, column + row, column, row, games, games / len(part), finished,
                             score, float(low), float(high)])  # fmt: skip
    return pd.DataFrame(rows, columns=PLACEMENTS)
