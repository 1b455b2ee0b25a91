"""Do the estimates agree with the truth? Random games of solved rulesets against their exact values.

Three questions are asked of each cell: does the 95 % interval of one large experiment hold the exact score, how often
do the intervals of many small experiments, and do lengths and results follow the exact distribution (Pearson's χ²)?
The same questions are asked of games with a slightly biased player: they must be answered no, or the method is blind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from workbench import statistics
from workbench.console import stoppable
from workbench.engine.trials import run_block
from workbench.errors import InputError, Problem
from workbench.exact import solutions
from workbench.games.results import RESULTS
from workbench.questions.experiment import Cell, Experiment

EXPERIMENTS, SIZE = 200, 1000
"""Small experiments, cut from the first games of the large one, and the games of each."""
COVERAGE = (0.92, 0.98)
"""How many of the small experiments' 95 % intervals should hold the exact value."""
ALPHA = 0.01
"""Chance that some cell of honest games is called wrong, all rulesets and questions together."""
LEAST = 10.0
"""Expected games in each class of the χ² test; rarer lengths are taken together."""
_RANDOM = ("random", 0.0)


@dataclass(frozen=True)
class Calibration:
    """Estimates beside the exact values of the same games."""

    experiment: Experiment
    table: pd.DataFrame
    """A row for each cell: ``ruleset``, ``first``, ``second``; ``honest``: whether both seats play at random;
    ``games``; the ``exact`` score of the first seat in random play, its estimate ``first_score`` with
    ``first_score_low`` and ``first_score_high``, whether the exact score lies ``inside``, and the distance in exact
    standard errors
    ``score_z``; the same for the mean length: ``plies_exact``, ``plies_mean``, ``plies_z``; ``coverage``, the share of
    the small experiments whose interval holds the exact score; ``p``, the χ² test's; ``agrees``: whether all questions
    together are answered yes."""

    @property
    def passed(self) -> bool:
        """Whether every cell of honest games agrees with the truth, and no cell of biased games does."""
        return bool((self.table["agrees"] == self.table["honest"]).all())


def calibrate(experiment: Experiment, progress: Callable[[int, int], None] = lambda done, total: None) -> Calibration:
    """Plays the experiment's cells and compares them with the exact values of random play.

    ``progress`` hears how many cells are done, and of how many.

    Raises:
        InputError: a ruleset cannot be solved, or the experiment chooses how its games begin.
    """
    if experiment.openings is not None:
        message = "expected games from the start, whose values are exact; found openings"
        raise InputError([Problem(experiment.path, None, "openings", message, "leave the key out")])
    solved: dict[str, solutions.Solution] = {}
    rows = []
    cells = experiment.cells()
    for done, cell in enumerate(cells):
        progress(done, len(cells))
        name = cell.ruleset.name
        if name not in solved:
            solved[name] = solutions.solve(cell.ruleset)
            if solved[name].exact.random is None:
                message = f"expected rulesets whose random play is known exactly, found {name}, where repetition draws"
                raise InputError([Problem(experiment.path, None, "rulesets", message, "leave it out")])
        rows.append(_compare(cell, _games(experiment, cell), solved[name]))
    progress(len(cells), len(cells))
    table = pd.DataFrame(rows)
    # Each honest cell is asked for its score, its length and its distribution.
    limit = ALPHA / max(3 * int(table["honest"].sum()), 1)
    score, plies = (_two_sided(table[name].to_numpy()) for name in ("score_z", "plies_z"))
    table["agrees"] = (np.minimum(np.minimum(score, plies), table["p"].to_numpy()) >= limit).tolist()
    return Calibration(experiment, table)


def _games(experiment: Experiment, cell: Cell) -> pd.DataFrame:
    """The games of a cell as the runner would record them, as far as statistics look at them."""
    codes = cell.ruleset.codes()
    players = [solutions.player(agent, cell.ruleset) for agent in (cell.first, cell.second)]
    parts = []
    for start in range(0, experiment.games, experiment.block_size(cell)):
        stop = min(start + experiment.block_size(cell), experiment.games)
        seeds = experiment.seeds(cell, start, stop)
        with stoppable():
            arrays = run_block(cell.ruleset.game, codes, players[0], players[1], seeds, experiment.max_plies)
        parts.append({name: arrays[name] for name in ("result", "plies", "legal_moves", "game_hash")})
    columns: dict[str, Any] = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    words = pd.Categorical.from_codes(columns["result"].astype(int), pd.Index(RESULTS))
    return pd.DataFrame(columns | {"result": words, "termination": "", "first": "", "second": ""})


def _compare(cell: Cell, games: pd.DataFrame, solution: solutions.Solution) -> dict[str, Any]:
    exact, n = solution.exact, len(games)
    lengths = solution.lengths
    ends = np.arange(len(lengths))
    chances = lengths.sum(axis=1)
    score = exact.first_score
    assert score is not None and exact.random is not None
    spread = np.sqrt(exact.random["first"] + exact.random["draw"] / 4 - score**2)
    plies = exact.random["plies"]
    plies_spread = np.sqrt(chances @ ends**2 - plies**2)
    large = statistics.cells(games.assign(ruleset="")).iloc[0]
    small = games.iloc[: min(EXPERIMENTS, n // SIZE) * SIZE]
    small = statistics.cells(small.assign(ruleset=np.arange(len(small)) // SIZE))
    covers = (small["first_score_low"] <= score) & (score <= small["first_score_high"])
    kinds = {(agent.kind, agent.epsilon) for agent in (cell.first, cell.second)}
    return {
        "ruleset": cell.ruleset.name,
        "first": cell.first.label,
        "second": cell.second.label,
        "honest": kinds == {_RANDOM},
        "games": n,
        "exact": score,
        **{name: float(large[name]) for name in ("first_score", "first_score_low", "first_score_high")},
        "inside": bool(large["first_score_low"] <= score <= large["first_score_high"]),
        "score_z": float((large["first_score"] - score) / (spread / np.sqrt(n))),
        "plies_exact": plies,
        "plies_mean": float(games["plies"].mean()),
        "plies_z": float((games["plies"].mean() - plies) / (plies_spread / np.sqrt(n))),
        "coverage": float(covers.mean()),
        "p": _chi_square(games, lengths),
    }


def _chi_square(games: pd.DataFrame, lengths: Any) -> float:
    """The p-value of Pearson's test that lengths and results together follow the exact distribution.

    Limits: 1 where there are so few games that only one class of them is expected often enough.
    """
    from scipy.stats import chisquare

    result = games["result"].cat.codes.to_numpy()
    finished = result > 0
    plies = np.minimum(games["plies"].to_numpy()[finished], len(lengths) - 1)
    observed = np.zeros(lengths.shape)
    np.add.at(observed, (plies, result[finished] - 1), 1)
    expected = lengths * finished.sum() / lengths.sum()
    often = expected >= LEAST
    seen, awaited = [*observed[often], observed[~often].sum()], [*expected[often], expected[~often].sum()]
    if awaited[-1] < LEAST and len(awaited) > 1:
        seen[-2:], awaited[-2:] = [seen[-2] + seen[-1]], [awaited[-2] + awaited[-1]]
    if len(awaited) == 1 or not sum(seen):
        return 1.0
    return float(chisquare(seen, np.array(awaited) * sum(seen) / sum(awaited)).pvalue)


def _two_sided(z: Any) -> Any:
    from scipy.stats import norm

    return 2 * norm.sf(np.abs(z))
