"""Games by chance of rulesets whose scores are known, dealt as those of a search: lines, and chance that is shared."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workbench.addons.search.statistics import Indices, Observations
from workbench.statistics.intervals import Floats


def observed(values: Floats, rulesets: Indices, shape: tuple[int, ...]) -> Observations:
    """Sums of the games of some rulesets by the first players, for all of rulesets × players."""
    sums = Observations.empty(*shape)
    place = np.ix_(rulesets, np.arange(values.shape[1]))
    sums.games[place] = (~np.isnan(values)).sum(axis=2)
    sums.total[place], sums.squares[place] = np.nansum(values, axis=2), np.nansum(values**2, axis=2)
    return sums


@dataclass(frozen=True)
class Chance:
    """How games come about beside the score of their ruleset and player; standard deviations are of scores."""

    line: float = 0.0
    """What a line adds under all rulesets."""
    line_ruleset: float = 0.0
    """What it adds under one."""
    player: float = 0.0
    """What a player adds about one ruleset; `everywhere` about all."""
    everywhere: float = 0.0
    common: float = 0.0
    """The share of games that have their chance in common with those of the same number under other rulesets."""
    drawn: float = 0.0
    """The share of games between equals that are drawn."""
    pool: int = 400

    def round(
        self, scores: Floats, asked: Indices, games: Indices, players: int, rng: np.random.Generator
    ) -> Observations:
        """Sums of a round: so many games of each asked ruleset, shared by the first players; chance is not shared."""
        each = -(-games // players)
        lines = self.lines(players, int(each.max()), rng)
        values = replace(self, common=0.0).games(scores[asked, :players], lines, rng)
        values[np.arange(lines.shape[1]) >= np.broadcast_to(each[:, None, None], values.shape)] = np.nan
        return observed(values, asked, scores.shape)

    def lines(self, players: int, games: int, rng: np.random.Generator) -> Indices:
        """The lines of players × games: each player has its own order of the pool."""
        orders = [rng.permutation(self.pool) for _ in range(players)]
        return np.array([np.resize(order, games) for order in orders], dtype=np.intp)

    def games(self, scores: Floats, lines: Indices, rng: np.random.Generator) -> Floats:
        """The results of rulesets × players × games, for scores of rulesets × players."""
        shape = (len(scores), *lines.shape)
        extra = rng.normal(0, self.line, self.pool)[lines]
        extra = extra + rng.normal(0, self.line_ruleset, (len(scores), self.pool))[:, lines]
        expected = np.clip(scores[:, :, None] + extra, 0.01, 0.99)
        own, shared = rng.random(shape), rng.random(lines.shape)
        luck = np.where(rng.random(lines.shape) < self.common, shared, own)
        draws = self.drawn * (1 - np.abs(2 * expected - 1))
        return np.asarray(np.where(luck < expected - draws / 2, 1.0, np.where(luck < expected + draws / 2, 0.5, 0.0)))

    def of_players(self, scores: Floats, players: int, rng: np.random.Generator) -> Floats:
        """The scores of rulesets × players, for those of rulesets."""
        spread = rng.normal(0, self.player, (len(scores), players)) + rng.normal(0, self.everywhere, players)
        return np.asarray(np.clip(scores[:, None] + spread, 0.01, 0.99))
