"""Players with different styles against each other, and the places that players choose."""

from __future__ import annotations

import math
import re

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import linprog

from workbench import games as families
from workbench.statistics.intervals import Floats, score_interval
from workbench.statistics.setup import Setup
from workbench.statistics.tables import CELL

MATRICES = ["ruleset", "row", "column", "games", "score", "score_low", "score_high"]
EQUILIBRIA = ["ruleset", "seat", "agent", "share", "value", "value_low", "value_high", "pure"]
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
    """The first seat's score for each two agents that meet, and the equilibrium of the choice of agents.

    Only agents of which every one meets every one, itself included, in both ways of seating; a ruleset with fewer than
    two of them has no rows. ``row`` is the agent in the first seat, ``column`` the one in the second.

    ``share`` is how often the ``agent`` is chosen by the ``seat`` at the equilibrium; ``value`` the first seat's score
    there: the first mover's value if both are free to choose their style, before the game, without knowing the other's.
    ``pure``: both always choose the same.

    Source: `equilibrium`; the value's interval takes the mixtures as given: its variance is Σ (share share' error)².
    Limits: entries are estimates, so that small differences may pick another mixture, and the value leans a little
    towards neither seat only if both have as many close choices. With capped games the score is that of the others.
    """
    entries: list[list[object]] = []
    found: list[list[object]] = []
    for ruleset, of_ruleset in cells[cells["finished"] > 0].groupby("ruleset", sort=False):
        table = of_ruleset.set_index(["first", "second"])
        agents = _complete(list(table.index))
        if len(agents) < 2:
            continue
        names = ("games", "first_score", "first_score_low", "first_score_high")
        pairs = [(a, b) for a in agents for b in agents]
        wanted = table.reindex(pairs)[list(names)].to_numpy(dtype=np.float64)
        entries += [[ruleset, *pair, int(row[0]), *row[1:]] for pair, row in zip(pairs, wanted, strict=True)]
        score, low, high = (wanted[:, i].reshape(len(agents), -1) for i in (1, 2, 3))
        mine, theirs, value = equilibrium(score)
        z = setup.critical(int(of_ruleset["games"].min()))
        error = (high - low) / (2 * z)
        half = z * math.sqrt(float(((mine[:, None] * theirs[None, :] * error) ** 2).sum()))
        pure = bool(max(mine) > 1 - 1e-6 and max(theirs) > 1 - 1e-6)
        for seat, mixture in (("first", mine), ("second", theirs)):
            for agent, share in zip(agents, mixture, strict=True):
                found.append([ruleset, seat, agent, float(share), value, value - half, value + half, pure])
    return pd.DataFrame(entries, columns=MATRICES), pd.DataFrame(found, columns=EQUILIBRIA)


def _complete(pairs: list[tuple[str, str]]) -> list[str]:
    """The agents of which each meets each in both seats: those without a gap are kept, in order of appearance."""
    met = set(pairs)
    agents = list(dict.fromkeys(agent for pair in pairs for agent in pair))
    while True:
        gaps = {a: sum((a, b) not in met or (b, a) not in met for b in agents) for a in agents}
        if not any(gaps.values()):
            return agents
        worst = max(gaps.values())
        agents.remove([agent for agent in agents if gaps[agent] == worst][-1])


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
            for opening, result in zip(part["opening"].fillna(""), part["result"], strict=True):
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
