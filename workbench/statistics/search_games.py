"""The games of an experiment's searches by nodes that play themselves: their means, and how these hang together.

Players here are searches with a budget of nodes, the workbench's own and engines from outside. A *configuration* is all
of a player but its budget: the family of its search (an engine is a family of its own), its evaluation, the training
whose weights it has. Engines count nodes in their own ways; what they share is only that more are better.

Errors are in proportion to the standard deviation of a game, which all players of a ruleset have together: were it that
of each cell, a cell that happened to be far from one half would seem to be the surer, and the means of all, weighed by
their errors, would be drawn away from one half. For single players, of which nothing is weighed, it is their own.

Means of cells that share opening lines err together. A line adds to a game's number what it does under all rulesets
and among all players, what it does under one ruleset, what it does to one player, and what it does in one cell; the
four variances, as shares of that of a game, are the same for all cells and are estimated from all of them together, so
that no single correlation of two cells rests on a few lines. Games of one player that have the same number begin with
the same line under all rulesets, and meet the same chance; so they may even be the same games, if the player has the
same weights under both. What they have in common beyond their line is a correlation for each two rulesets, one among
players with weights in common and one among those that learned each ruleset apart. It is drawn towards the mean of all
pairs of rulesets by as much as makes the expected error of all correlations the smallest.

Source: variance components by the method of moments, C. R. Henderson, "Estimation of variance and covariance
components", Biometrics 9, 1953; S. R. Searle, G. Casella, C. E. McCulloch, "Variance Components", 1992, chapter 5.
Correlations: O. Ledoit, M. Wolf, "Honey, I shrunk the sample covariance matrix", J. of Portfolio Management 30, 2004;
J. Schäfer, K. Strimmer, Statistical Applications in Genetics and Molecular Biology 4, 2005.
The pull of errors that are estimated from what they belong to: R. W. Peelle, 1987; G. D'Agostini, "On the use of the
covariance matrix to fit correlated data", Nuclear Instruments and Methods A 346, 1994.
Limits: twenty lines or more. A variance that comes out negative is chance, and taken to be 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.experiments import measures
from workbench.experiments.measures import DECISIVE_FIRST, FINISHED, FIRST_SCORE
from workbench.players.agent_kinds import KINDS, OWN, Program, fallback_training, shares_weights, split_training_key
from workbench.players.agents import AgentSpec
from workbench.records.trials import CELL, Trials
from workbench.statistics.intervals import UNSHARED_LINES, Floats, clusters_of, line_sums
from workbench.statistics.plan import AnalysisPlan

MEASURES = (measures.MEASURES[FIRST_SCORE], measures.MEASURES["draw_rate"], DECISIVE_FIRST)
"""The measures that are estimated, of games that ended."""
Configuration = tuple[str, str, tuple[Any, ...]]
"""The family of a search, its training ("": none), and its other settings."""
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Rung:
    """A configuration at one budget."""

    config: Configuration
    nodes: int
    label: str

    @property
    def evaluation(self) -> str:
        """The name of its evaluation; an engine from outside has one of its own, and its name."""
        family, training, _ = self.config
        return split_training_key(training)[0] if training else OWN if family in KINDS else family


@dataclass(frozen=True)
class RungNumbers:
    """Rungs by the numbers of their configurations and families; arrays have one entry for each rung."""

    configurations: tuple[Configuration, ...]
    families: tuple[str, ...]
    configuration: Indices
    """Into ``configurations``."""
    family: Indices
    """Into ``families``."""
    doublings: Floats
    """log2 of the nodes over the most nodes, 0 or less."""

    @classmethod
    def of(cls, rungs: Sequence[Rung]) -> RungNumbers:
        """Return the numbers of some rungs."""
        configurations = tuple(dict.fromkeys(rung.config for rung in rungs))
        families = tuple(sorted({config[0] for config in configurations}))
        nodes = np.array([rung.nodes for rung in rungs], dtype=np.float64)
        configuration = np.array([configurations.index(rung.config) for rung in rungs], dtype=np.intp)
        family = np.array([families.index(rung.config[0]) for rung in rungs], dtype=np.intp)
        return cls(configurations, families, configuration, family, np.log2(nodes / nodes.max()))


@dataclass(frozen=True)
class LineShares:
    """Shares of the variance of a game's number that are due to lines: everywhere, and what each level adds to that."""

    everywhere: float = 0.0
    ruleset: float = 0.0
    player: float = 0.0
    """To games with different numbers; what games with the same one have in common is told apart."""
    cell: float = 0.0

    @property
    def of_cell(self) -> float:
        """The correlation of two games of a cell that have the same line."""
        return self.everywhere + self.ruleset + self.player + self.cell


@dataclass(frozen=True)
class CellMeans:
    """The means of a number in the cells of rulesets and rungs; arrays have one entry for each cell that has games."""

    names: tuple[str, ...]
    rungs: tuple[Rung, ...]
    ruleset: Indices
    """Into ``names``."""
    rung: Indices
    """Into ``rungs``."""
    values: Floats
    covariance: Floats
    """By the variance of a game that the players of a ruleset have together; see the head of the module."""
    own_deviation: Floats
    """The standard deviation of a game in each cell, over that of its ruleset."""
    games: Floats
    unit_variance: Floats
    """p (1 - p) of the share p that a mean is: a quarter near one half, little where it hardly ever happens."""
    lines: float
    """The lines with which the games began; infinite where each game is on its own."""
    cell_lines: Floats
    """The same for each cell."""
    shares: LineShares = LineShares()

    @cached_property
    def nodes(self) -> npt.NDArray[np.int64]:
        """The budget of each cell's player."""
        return np.array([rung.nodes for rung in self.rungs], dtype=np.int64)[self.rung]

    def unit(self, names: Sequence[str]) -> float:
        """2 √(p (1 - p)) of these rulesets' shares p on average: 1 near one half."""
        chosen = np.isin(self.ruleset, [self.names.index(name) for name in names])
        return 2 * math.sqrt(float(self.unit_variance[chosen].mean()))

    def columns(self, name: str, baseline: str = "") -> dict[Rung, tuple[int, ...]]:
        """Return the cell of each rung under a ruleset, and under the baseline; rungs that lack one are left out."""
        numbers = [self.names.index(each) for each in (name, baseline) if each]
        cells = {(int(r), int(p)): i for i, (r, p) in enumerate(zip(self.ruleset, self.rung, strict=True))}
        return {
            rung: tuple(cells[number, k] for number in numbers)
            for k, rung in enumerate(self.rungs)
            if all((number, k) in cells for number in numbers)
        }

    def contrast(self, cells: Sequence[Sequence[int]]) -> tuple[float, float]:
        """The mean over players, of each of which its cell is given, or the baseline's after it; and its variance."""
        weights = np.zeros(len(self.values))
        for first, *second in cells:
            weights[first] += 1 / len(cells)
            weights[second] -= 1 / len(cells)
        return self.weighted(weights)

    def weighted(self, weights: Floats) -> tuple[float, float]:
        """Return a sum with a weight for each cell, and its variance."""
        errors = weights * self.own_deviation
        return float(weights @ self.values), float(errors @ self.covariance @ errors)


class SearchGames:
    """The games of an experiment's searches by nodes that play themselves, up to ``most_nodes``."""

    def __init__(self, games: Trials | pd.DataFrame, plan: AnalysisPlan, most_nodes: float = math.inf) -> None:
        self.plan = plan
        of_plan = ((first, rung_of(first, plan.agents.get(first))) for first, _ in plan.mirrors)
        self.rungs = {label: rung for label, rung in of_plan if rung is not None and rung.nodes <= most_nodes}
        trials = Trials.of(games).games
        played = trials[(trials["first"] == trials["second"]) & trials["first"].isin(list(self.rungs))]
        self._clusters = clusters_of(played)
        self._result = played["result"].to_numpy(dtype=object)
        self._is_finished = np.isin(self._result, FINISHED)
        self._plies = played["plies"].to_numpy(dtype=np.float64)
        self._number = played["game"].to_numpy(dtype=np.intp)
        self._rows = played.groupby(CELL[:2], sort=False, observed=True).indices
        self.copies: dict[str, str] = {}
        """Players that played the same games as another one under every ruleset, which is named: they are left out."""
        hashes = pd.util.hash_pandas_object(played[["ruleset", "game", "result", "plies", "legal_moves"]], index=False)
        first_of: dict[tuple[int, ...], str] = {}
        for label, of_player in hashes.groupby(played["first"], observed=True, sort=False):
            first = first_of.setdefault(tuple(sorted(of_player)), str(label))
            if first != label:
                self.copies[str(label)] = first
                del self.rungs[str(label)]

    def rungs_of(self, ruleset: str) -> list[Rung]:
        """Return the rungs that were played under a ruleset; of players that play alike there, one."""
        refused = self.plan.refused_trainings.get(ruleset, frozenset())
        alike: dict[tuple[Configuration, int], Rung] = {}
        for label, rung in self.rungs.items():
            if (ruleset, label) in self._rows:
                kind, training, others = rung.config
                while training in refused:
                    training = fallback_training(training)
                same = (kind, training, others), rung.nodes
                if same not in alike or rung.config == same[0]:
                    alike[same] = rung
        return [rung for rung in self.rungs.values() if rung in alike.values()]

    def means(self, names: Sequence[str], measure: str) -> CellMeans | None:
        """Return the means of a measure in the cells of these rulesets; None where no game has the number."""
        rungs = tuple(dict.fromkeys(rung for name in names for rung in self.rungs_of(name)))
        asked = next(one for one in MEASURES if one.name == measure)
        values = np.full(len(self._result), np.nan)
        for word in FINISHED:
            values[self._result == word] = asked.value_of(word)
        cells: list[tuple[int, int]] = []
        rows, cell_of_game = [], []
        for number, name in enumerate(names):
            for rung in self.rungs_of(name):
                of_cell = np.asarray(self._rows[name, rung.label], dtype=np.intp)
                of_cell = of_cell[~np.isnan(values[of_cell])]
                if len(of_cell):
                    cell_of_game.append(np.full(len(of_cell), len(cells)))
                    cells.append((number, rungs.index(rung)))
                    rows.append(of_cell)
        if not cells:
            return None
        picked = np.concatenate(rows)
        lines = self._clusters[picked] if self._clusters is not None else None
        ruleset, rung = np.array(cells, dtype=np.intp).T
        cell = np.concatenate(cell_of_game)
        return cell_means(tuple(names), rungs, ruleset, rung, values[picked], cell, lines, self._number[picked])

    def unfinished_share(self, ruleset: str, label: str) -> float:
        """Return the share of a cell's games that have no result."""
        rows = self._rows.get((ruleset, label), np.zeros(0, np.intp))
        return float(1 - self._is_finished[rows].mean()) if len(rows) else 0.0

    def positions(self, ruleset: str, rung: Rung) -> float:
        """Return the positions that the searches of a cell's games looked at, at most."""
        rows = self._rows.get((ruleset, rung.label), np.zeros(0, np.intp))
        return float(self._plies[rows].sum()) * rung.nodes


def rung_of(label: str, agent: AgentSpec | None) -> Rung | None:
    """Return a search with a budget of nodes and no errors of its own; None for other players."""
    if agent is None or agent.epsilon or agent.style:
        return None
    if isinstance(agent.outside, Program) and agent.outside.limit == "nodes":
        return Rung((Path(agent.outside.command).name, "", agent.outside.options), agent.outside.amount, label)
    if not agent.nodes or agent.depth or agent.outside:
        return None
    others = (agent.temperature, agent.weights)
    return Rung((agent.kind, agent.training_key, others), agent.nodes, label)


def cell_means(
    names: tuple[str, ...], rungs: tuple[Rung, ...], ruleset: Indices, rung: Indices, values: Floats, cell: Indices,
    lines: Indices | None, numbers: Indices | None = None,
) -> CellMeans:  # fmt: skip
    """The means of ``values``, which are those of each game, with its cell, its line and its number in the cell."""
    count = len(ruleset)
    games = np.bincount(cell, minlength=count).astype(np.float64)
    mean = np.bincount(cell, values, count) / games
    residuals = values - mean[cell]
    squares = np.bincount(cell, residuals**2, count)
    # With one more game of either kind, so that what never happened is not taken to be impossible.
    squares_and_more = squares + mean**2 + (1 - mean) ** 2
    own = squares_and_more / (games + 1)
    variance = (np.bincount(ruleset, squares_and_more) / np.bincount(ruleset, games + 1).clip(1))[ruleset]
    share = (mean * games + 1) / (games + 2)
    residuals /= np.sqrt(variance)[cell]
    shares, line_count, cell_lines, played = LineShares(), math.inf, np.full(count, math.inf), np.zeros((count, 1))
    together, products = _same_numbers(residuals, cell, numbers, ruleset, rung)
    if lines is not None:
        _, lines = np.unique(lines, return_inverse=True)
        line_count = float(max(2, int(lines.max()) + 1))
        played = line_sums(np.ones(len(values)), lines, cell, count)
        cell_lines = np.maximum((played > 0).sum(axis=1), 2.0)
        of_line = line_sums(residuals, lines, cell, count)
        # A game is no pair with itself, and with the one that has its number it has more in common than the line.
        of_lines = of_line @ of_line.T - np.diag(squares / variance) - products
        chances = played @ played.T - np.diag(games) - together
        shares = _line_shares(of_lines, chances, cell_lines, ruleset, rung)
    same_ruleset, same_rung = ruleset[:, None] == ruleset[None, :], rung[:, None] == rung[None, :]
    by_line = shares.everywhere + shares.ruleset * same_ruleset + shares.player * same_rung
    by_line += shares.cell * (same_ruleset & same_rung)
    joint = by_line * (played @ played.T) + np.diag(games * (1 - shares.of_cell))
    common_weights = np.array([shares_weights(each.config[1]) for each in rungs])[rung]
    line = shares.everywhere + shares.player
    for of_kind in (common_weights, ~common_weights):
        joint += _of_same_numbers(together, products, games, ruleset, of_kind, line, 1 - shares.of_cell)
    scale = np.sqrt(variance) / games
    return CellMeans(
        names, rungs, ruleset, rung, mean, joint * scale[:, None] * scale[None, :], np.sqrt(own / variance), games,
        share * (1 - share), line_count, cell_lines, shares,
    )  # fmt: skip


def _line_shares(products: Floats, chances: Floats, lines: Floats, ruleset: Indices, rung: Indices) -> LineShares:
    """The shares by the sums of the ``products`` of residuals of all ``chances`` two games with the same line."""
    # Residuals are those from the mean of all lines.
    bias = 1 - 1 / np.maximum(lines[:, None], lines[None, :])
    same_ruleset, same_rung = ruleset[:, None] == ruleset[None, :], rung[:, None] == rung[None, :]

    def share(pairs: npt.NDArray[np.bool_]) -> float:
        expected = float((chances * bias)[pairs].sum())
        return float(products[pairs].sum()) / expected if expected > 0 else 0.0

    everywhere = max(share(~same_ruleset & ~same_rung), 0.0)
    of_ruleset = max(share(same_ruleset & ~same_rung) - everywhere, 0.0)
    of_player = max(share(~same_ruleset & same_rung) - everywhere, 0.0)
    of_cell = max(share(same_ruleset & same_rung) - everywhere - of_ruleset - of_player, 0.0)
    return LineShares(everywhere, of_ruleset, of_player, of_cell)


def _same_numbers(
    residuals: Floats, cell: Indices, numbers: Indices | None, ruleset: Indices, rung: Indices
) -> tuple[Floats, Floats]:
    """Count the games of each two cells of one player that have the same number, and sum their products."""
    count = len(ruleset)
    together, products = np.zeros((count, count)), np.zeros((count, count))
    if numbers is None:
        return together, products
    for player in np.unique(rung):
        cells = np.flatnonzero(rung == player)
        of_player = np.flatnonzero(rung[cell] == player)
        place = np.searchsorted(cells, cell[of_player])
        _, number = np.unique(numbers[of_player], return_inverse=True)
        block = np.ix_(cells, cells)
        for matrix, values in ((together, np.ones(len(of_player))), (products, residuals[of_player])):
            sums = line_sums(values, number, place, len(cells))
            matrix[block] = sums @ sums.T
    for matrix in (together, products):
        np.fill_diagonal(matrix, 0.0)
    return together, products


def _of_same_numbers(
    together: Floats, products: Floats, games: Floats, ruleset: Indices, of_kind: npt.NDArray[np.bool_], line: float,
    own: float,
) -> Floats:  # fmt: skip
    """The part of the covariance of the sums of cells due to games with the same numbers, among players ``of_kind``.

    ``line``: what they have in common by their line, in variances of a game; ``own``: what a game has beyond its line.
    """
    pairs = together * np.outer(of_kind, of_kind)
    if not pairs.any():
        return pairs
    rulesets = int(ruleset.max()) + 1
    onehot = np.eye(rulesets)[ruleset]
    # Residuals are those from the means of both cells.
    bias = 1 - 1 / games[:, None] - 1 / games[None, :] + pairs / np.outer(games, games)
    count = onehot.T @ (pairs * bias) @ onehot
    # Few games in which two rulesets did the same do not make that certain.
    correlation = onehot.T @ (products * (pairs > 0)) @ onehot / (count + UNSHARED_LINES)
    known = count > 0
    mean = float((correlation * count).sum() / count.sum())
    of_pairs = known & ~np.eye(rulesets, dtype=np.bool_)
    errors = (1 - mean**2) / count[of_pairs]
    squares = (correlation[of_pairs] - mean) ** 2
    shrinkage = min(1.0, float(errors.sum()) / float(squares.sum())) if squares.sum() > 0 else 1.0
    shrunk = np.where(known, shrinkage * mean + (1 - shrinkage) * correlation, mean) - line
    np.fill_diagonal(shrunk, own)
    values, vectors = np.linalg.eigh(shrunk)
    possible = (vectors * np.maximum(values, 0.0)) @ vectors.T
    possible *= own / np.sqrt(np.outer(np.diag(possible), np.diag(possible)))
    return np.asarray(pairs * possible[np.ix_(ruleset, ruleset)])
