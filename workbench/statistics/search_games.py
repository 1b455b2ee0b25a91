"""Self-play of an experiment's searches by nodes: the means of their games, and the covariance of these means.

Players here are searches with a budget of nodes, built-in ones and external engines. A *configuration* is a player
without its budget: the family of its search (an engine is a family of its own), its evaluation, the training of its
weights. Engines count nodes in their own ways; they only share that more are better.

Errors are proportional to the standard deviation of a game, pooled over all players of a ruleset: with that of each
cell, a cell that happened to be far from one half would seem more certain, and the weighted mean of all would be drawn
away from one half. Single players, which are not weighted, have their own.

Means of cells that share opening lines have correlated errors. A line adds to a game's number a term under all rulesets
and for all players, one under each ruleset, one for each player, and one for each cell; the four variances, as shares
of that of a game, are the same for all cells and are estimated from all of them together, so that no single correlation
depends on a few lines. Games of one player with the same number begin with the same line under all rulesets, and have
the same random numbers; they may even be identical, if the player has the same weights under both. Their correlation
beyond the line is estimated for each two rulesets, separately for players with weights in common and for those that
learned each ruleset. It is shrunk towards the mean over all pairs of rulesets to minimize the expected error.

Source: variance components by the method of moments, C. R. Henderson, "Estimation of variance and covariance
components", Biometrics 9, 1953; S. R. Searle, G. Casella, C. E. McCulloch, "Variance Components", 1992, chapter 5.
Correlations: O. Ledoit, M. Wolf, "Honey, I shrunk the sample covariance matrix", J. of Portfolio Management 30, 2004;
J. Schäfer, K. Strimmer, Statistical Applications in Genetics and Molecular Biology 4, 2005.
The bias of errors estimated from the data they belong to: R. W. Peelle, 1987; G. D'Agostini, "On the use of the
covariance matrix to fit correlated data", Nuclear Instruments and Methods A 346, 1994.
Limits: at least twenty lines. Negative variance estimates are due to chance, and set to 0.
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
from workbench.statistics.analysis_plan import AnalysisPlan
from workbench.statistics.intervals import UNSHARED_LINES, Floats, game_clusters, line_sums

MEASURES = (measures.MEASURES[FIRST_SCORE], measures.MEASURES["draw_rate"], DECISIVE_FIRST)
"""The measures that are estimated from finished games."""
Configuration = tuple[str, str, tuple[Any, ...]]
"""The family of a search, its training ("" if none), and its other settings."""
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Rung:
    """A configuration at one budget."""

    config: Configuration
    nodes: int
    label: str

    @property
    def evaluation(self) -> str:
        """The name of the configuration's evaluation; for an external engine, the engine's name."""
        family, training, _ = self.config
        return split_training_key(training)[0] if training else OWN if family in KINDS else family


@dataclass(frozen=True)
class RungIndices:
    """Indices of the configurations and families of rungs; arrays are over rungs."""

    configurations: tuple[Configuration, ...]
    families: tuple[str, ...]
    configuration: Indices  # Into ``configurations``
    family: Indices  # Into ``families``
    doublings: Floats  # log2 of the nodes over the most nodes, 0 or less

    @classmethod
    def of(cls, rungs: Sequence[Rung]) -> RungIndices:
        """Return the indices for these rungs."""
        configurations = tuple(dict.fromkeys(rung.config for rung in rungs))
        families = tuple(sorted({config[0] for config in configurations}))
        nodes = np.array([rung.nodes for rung in rungs], dtype=np.float64)
        configuration = np.array([configurations.index(rung.config) for rung in rungs], dtype=np.intp)
        family = np.array([families.index(rung.config[0]) for rung in rungs], dtype=np.intp)
        return cls(configurations, families, configuration, family, np.log2(nodes / nodes.max()))


@dataclass(frozen=True)
class LineShares:
    """Shares of a game's variance due to lines: in all cells, and the additional ones at each level."""

    everywhere: float = 0.0
    ruleset: float = 0.0
    player: float = 0.0  # Between games with different numbers; pairs with equal numbers are separate
    cell: float = 0.0

    @property
    def within_cell(self) -> float:
        """The correlation of two games of a cell with the same line."""
        return self.everywhere + self.ruleset + self.player + self.cell


@dataclass(frozen=True)
class CellMeans:
    """Means of a number by ruleset and rung; arrays are over cells with games."""

    names: tuple[str, ...]
    rungs: tuple[Rung, ...]
    ruleset: Indices  # Into ``names``
    rung: Indices  # Into ``rungs``
    values: Floats
    covariance: Floats
    """From the variance of a game pooled over the players of a ruleset; see the head of the module."""
    own_deviation: Floats  # The standard deviation of a game in each cell, over that of its ruleset
    games: Floats
    unit_variance: Floats
    """p (1 - p) of the share p that a mean is: a quarter near one half, little where it hardly ever happens."""
    lines: float  # The lines with which the games began; infinite where each game is on its own
    cell_lines: Floats  # The same for each cell
    shares: LineShares = LineShares()

    @cached_property
    def nodes(self) -> npt.NDArray[np.int64]:
        """The budget of each cell's player."""
        return np.array([rung.nodes for rung in self.rungs], dtype=np.int64)[self.rung]

    def unit(self, names: Sequence[str]) -> float:
        """Return 2 √(p (1 - p)) for the mean share p of these rulesets: 1 near one half."""
        chosen = np.isin(self.ruleset, [self.names.index(name) for name in names])
        return 2 * math.sqrt(float(self.unit_variance[chosen].mean()))

    def columns(self, name: str, baseline: str = "") -> dict[Rung, tuple[int, ...]]:
        """Return each rung's cells under a ruleset and an optional baseline, omitting incomplete rungs."""
        indices = [self.names.index(ruleset) for ruleset in (name, baseline) if ruleset]
        cells = {pair: i for i, pair in enumerate(zip(self.ruleset.tolist(), self.rung.tolist(), strict=True))}
        return {
            rung: tuple(cells[index, rung_index] for index in indices)
            for rung_index, rung in enumerate(self.rungs)
            if all((index, rung_index) in cells for index in indices)
        }

    def contrast(self, cells: Sequence[Sequence[int]]) -> tuple[float, float]:
        """Return the mean over players, each with a cell and perhaps a baseline cell to subtract, and its variance."""
        weights = np.zeros(len(self.values))
        for cell, *baseline_cell in cells:
            weights[cell] += 1 / len(cells)
            weights[baseline_cell] -= 1 / len(cells)
        return self.weighted(weights)

    def weighted(self, weights: Floats) -> tuple[float, float]:
        """Return a weighted sum of the cells' means, and its variance."""
        errors = weights * self.own_deviation
        return float(weights @ self.values), float(errors @ self.covariance @ errors)


class SearchGames:
    """Self-play of an experiment's searches by nodes, up to ``most_nodes``."""

    def __init__(self, games: Trials | pd.DataFrame, plan: AnalysisPlan, most_nodes: float = math.inf) -> None:
        self.plan = plan
        candidates = ((first, agent_rung(first, plan.agents.get(first))) for first, _ in plan.mirrors)
        self.rungs = {label: rung for label, rung in candidates if rung is not None and rung.nodes <= most_nodes}
        trials = Trials.of(games).games
        played = trials[(trials["first"] == trials["second"]) & trials["first"].isin(list(self.rungs))]
        self._clusters = game_clusters(played)
        self._result = played["result"].to_numpy(dtype=object)
        self._is_finished = np.isin(self._result, FINISHED)
        self._plies = played["plies"].to_numpy(dtype=np.float64)
        self._game_numbers = played["game"].to_numpy(dtype=np.intp)
        self._rows = played.groupby(CELL[:2], sort=False, observed=True).indices
        self.copies: dict[str, str] = {}
        """Omitted players with the same games as another player under all rulesets -> that player."""
        hashes = pd.util.hash_pandas_object(played[["ruleset", "game", "result", "plies", "legal_moves"]], index=False)
        first_labels: dict[tuple[int, ...], str] = {}
        for label, player_hashes in hashes.groupby(played["first"], observed=True, sort=False):
            first = first_labels.setdefault(tuple(sorted(player_hashes)), str(label))
            if first != label:
                self.copies[str(label)] = first
                del self.rungs[str(label)]

    def ruleset_rungs(self, ruleset: str) -> list[Rung]:
        """Return the rungs played under a ruleset, keeping only one of several with identical play."""
        refused = self.plan.refused_trainings.get(ruleset, frozenset())
        rungs_by_play: dict[tuple[Configuration, int], Rung] = {}
        for label, rung in self.rungs.items():
            if (ruleset, label) in self._rows:
                kind, training, settings = rung.config
                while training in refused:
                    training = fallback_training(training)
                play = (kind, training, settings), rung.nodes
                if play not in rungs_by_play or rung.config == play[0]:
                    rungs_by_play[play] = rung
        return [rung for rung in self.rungs.values() if rung in rungs_by_play.values()]

    def means(self, names: Sequence[str], measure: str) -> CellMeans | None:
        """Return the means of a measure in the cells of these rulesets, or None if no game has a value."""
        rungs = tuple(dict.fromkeys(rung for name in names for rung in self.ruleset_rungs(name)))
        definition = next(candidate for candidate in MEASURES if candidate.name == measure)
        values = np.full(len(self._result), np.nan)
        for result in FINISHED:
            values[self._result == result] = definition.result_value(result)
        cell_keys: list[tuple[int, int]] = []
        rows, game_cells = [], []
        for ruleset_index, name in enumerate(names):
            for rung in self.ruleset_rungs(name):
                cell_games = np.asarray(self._rows[name, rung.label], dtype=np.intp)
                cell_games = cell_games[~np.isnan(values[cell_games])]
                if len(cell_games):
                    game_cells.append(np.full(len(cell_games), len(cell_keys)))
                    cell_keys.append((ruleset_index, rungs.index(rung)))
                    rows.append(cell_games)
        if not cell_keys:
            return None
        selected = np.concatenate(rows)
        lines = self._clusters[selected] if self._clusters is not None else None
        ruleset, rung = np.array(cell_keys, dtype=np.intp).T
        cell = np.concatenate(game_cells)
        return cell_means(
            tuple(names), rungs, ruleset, rung, values[selected], cell, lines, self._game_numbers[selected]
        )

    def unfinished_share(self, ruleset: str, label: str) -> float:
        """Return the share of a cell's games without a result."""
        rows = self._rows.get((ruleset, label), np.zeros(0, np.intp))
        return float(1 - self._is_finished[rows].mean()) if len(rows) else 0.0

    def positions(self, ruleset: str, rung: Rung) -> float:
        """Return an upper bound on the number of positions searched in a cell's games."""
        rows = self._rows.get((ruleset, rung.label), np.zeros(0, np.intp))
        return float(self._plies[rows].sum()) * rung.nodes


def agent_rung(label: str, agent: AgentSpec | None) -> Rung | None:
    """Return the rung of a search with a budget of nodes and no random errors; None for other players."""
    if agent is None or agent.epsilon or agent.style:
        return None
    if isinstance(agent.outside, Program) and agent.outside.limit == "nodes":
        return Rung((Path(agent.outside.command).name, "", agent.outside.options), agent.outside.amount, label)
    if not agent.nodes or agent.depth or agent.outside:
        return None
    settings = (agent.temperature, agent.weights)
    return Rung((agent.kind, agent.training_key, settings), agent.nodes, label)


def cell_means(
    names: tuple[str, ...], rungs: tuple[Rung, ...], ruleset: Indices, rung: Indices, values: Floats, cell: Indices,
    lines: Indices | None, numbers: Indices | None = None,
) -> CellMeans:  # fmt: skip
    """Return the means of ``values`` by cell; ``values``, ``cell``, ``lines`` and ``numbers`` are over games."""
    count = len(ruleset)
    games = np.bincount(cell, minlength=count).astype(np.float64)
    mean = np.bincount(cell, values, count) / games
    residuals = values - mean[cell]
    squares = np.bincount(cell, residuals**2, count)
    # One more game of either kind keeps unobserved results possible.
    smoothed_squares = squares + mean**2 + (1 - mean) ** 2
    own_variance = smoothed_squares / (games + 1)
    variance = (np.bincount(ruleset, smoothed_squares) / np.bincount(ruleset, games + 1).clip(1))[ruleset]
    share = (mean * games + 1) / (games + 2)
    residuals /= np.sqrt(variance)[cell]
    shares, line_count, cell_lines, line_games = LineShares(), math.inf, np.full(count, math.inf), np.zeros((count, 1))
    pair_counts, products = _equal_number_pairs(residuals, cell, numbers, ruleset, rung)
    if lines is not None:
        _, lines = np.unique(lines, return_inverse=True)
        line_count = float(max(2, int(lines.max()) + 1))
        line_games = line_sums(np.ones(len(values)), lines, cell, count)
        cell_lines = np.maximum((line_games > 0).sum(axis=1), 2.0)
        line_errors = line_sums(residuals, lines, cell, count)
        # Exclude pairs of a game with itself, and pairs with equal numbers, which share more than the line.
        line_products = line_errors @ line_errors.T - np.diag(squares / variance) - products
        line_pair_counts = line_games @ line_games.T - np.diag(games) - pair_counts
        shares = _line_shares(line_products, line_pair_counts, cell_lines, ruleset, rung)
    same_ruleset, same_rung = ruleset[:, None] == ruleset[None, :], rung[:, None] == rung[None, :]
    by_line = shares.everywhere + shares.ruleset * same_ruleset + shares.player * same_rung
    by_line += shares.cell * (same_ruleset & same_rung)
    joint = by_line * (line_games @ line_games.T) + np.diag(games * (1 - shares.within_cell))
    common_weights = np.array([shares_weights(player.config[1]) for player in rungs])[rung]
    line = shares.everywhere + shares.player
    for selected in (common_weights, ~common_weights):
        joint += _equal_number_covariance(pair_counts, products, games, ruleset, selected, line, 1 - shares.within_cell)
    scale = np.sqrt(variance) / games
    return CellMeans(
        names, rungs, ruleset, rung, mean, joint * scale[:, None] * scale[None, :], np.sqrt(own_variance / variance),
        games, share * (1 - share), line_count, cell_lines, shares,
    )  # fmt: skip


def _line_shares(products: Floats, pair_counts: Floats, lines: Floats, ruleset: Indices, rung: Indices) -> LineShares:
    """Return the variance shares; ``products`` sum the residual products of ``pair_counts`` pairs that share a line."""
    # Residuals are deviations from the mean over all lines.
    bias = 1 - 1 / np.maximum(lines[:, None], lines[None, :])
    same_ruleset, same_rung = ruleset[:, None] == ruleset[None, :], rung[:, None] == rung[None, :]

    def share(pairs: npt.NDArray[np.bool_]) -> float:
        expected = float((pair_counts * bias)[pairs].sum())
        return float(products[pairs].sum()) / expected if expected > 0 else 0.0

    everywhere = max(share(~same_ruleset & ~same_rung), 0.0)
    by_ruleset = max(share(same_ruleset & ~same_rung) - everywhere, 0.0)
    by_player = max(share(~same_ruleset & same_rung) - everywhere, 0.0)
    by_cell = max(share(same_ruleset & same_rung) - everywhere - by_ruleset - by_player, 0.0)
    return LineShares(everywhere, by_ruleset, by_player, by_cell)


def _equal_number_pairs(
    residuals: Floats, cell: Indices, numbers: Indices | None, ruleset: Indices, rung: Indices
) -> tuple[Floats, Floats]:
    """Return how many pairs of games have equal numbers in any two cells of a player, and sums of their products."""
    count = len(ruleset)
    pair_counts, products = np.zeros((count, count)), np.zeros((count, count))
    if numbers is None:
        return pair_counts, products
    for player in np.unique(rung):
        cells = np.flatnonzero(rung == player)
        player_games = np.flatnonzero(rung[cell] == player)
        place = np.searchsorted(cells, cell[player_games])
        _, number = np.unique(numbers[player_games], return_inverse=True)
        block = np.ix_(cells, cells)
        for matrix, values in ((pair_counts, np.ones(len(player_games))), (products, residuals[player_games])):
            sums = line_sums(values, number, place, len(cells))
            matrix[block] = sums @ sums.T
    for matrix in (pair_counts, products):
        np.fill_diagonal(matrix, 0.0)
    return pair_counts, products


def _equal_number_covariance(
    pair_counts: Floats, products: Floats, games: Floats, ruleset: Indices, selected: npt.NDArray[np.bool_],
    line: float, own: float,
) -> Floats:  # fmt: skip
    """Return the covariance of the ``selected`` cells' sums due to games with equal numbers.

    ``line`` is the covariance due to their line, ``own`` a game's variance beyond it, both relative to that of a game.
    """
    pairs = pair_counts * np.outer(selected, selected)
    if not pairs.any():
        return pairs
    rulesets = int(ruleset.max()) + 1
    onehot = np.eye(rulesets)[ruleset]
    # Residuals are deviations from the means of both cells.
    bias = 1 - 1 / games[:, None] - 1 / games[None, :] + pairs / np.outer(games, games)
    count = onehot.T @ (pairs * bias) @ onehot
    # A few equal games of two rulesets do not make equality certain.
    correlation = onehot.T @ (products * (pairs > 0)) @ onehot / (count + UNSHARED_LINES)
    has_pairs = count > 0
    mean = float((correlation * count).sum() / count.sum())
    off_diagonal = has_pairs & ~np.eye(rulesets, dtype=np.bool_)
    errors = (1 - mean**2) / count[off_diagonal]
    squares = (correlation[off_diagonal] - mean) ** 2
    shrinkage = min(1.0, float(errors.sum()) / float(squares.sum())) if squares.sum() > 0 else 1.0
    shrunk = np.where(has_pairs, shrinkage * mean + (1 - shrinkage) * correlation, mean) - line
    np.fill_diagonal(shrunk, own)
    values, vectors = np.linalg.eigh(shrunk)
    covariance = (vectors * np.maximum(values, 0.0)) @ vectors.T
    covariance *= own / np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    return np.asarray(pairs * covariance[np.ix_(ruleset, ruleset)])
