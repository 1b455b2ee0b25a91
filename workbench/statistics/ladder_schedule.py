"""Which games a ladder needs next: neighbours and next neighbours first, then where steps are least certain.

Strengths need a chain of games, not all pairs: games between players of very unequal strength say next to nothing. Each
player meets the two next ones of the list, on the same lines and with seats swapped. Then the ladder is fitted, and as
long as the interval of a step (a player's strength above the next weaker one, in the order that the games gave) reaches
too far, more lines go to the pair of neighbours or next neighbours that narrows it most by the information that its
games would have: a c-optimal design, one batch of lines after the other. The records alone decide; whoever asks again,
with more or fewer workers, or after a kill, gets the same games.

Source: c-optimality, and designs that are improved one after the other, V. V. Fedorov, "Theory of Optimal Experiments",
1972; neighbours rather than all pairs, M. E. Glickman, S. T. Jensen, "Adaptive paired comparison design", J. of
Statistical Planning and Inference 127, 2005. Ends by precision: Chow and Robbins, as in `stopping.games_per_cell`.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from workbench.statistics.intervals import Floats
from workbench.statistics.ladder import ELO, LadderGames, Likelihood

LEAST_LINES = 20
"""Lines of every pair of neighbours and next neighbours, each played twice; fewer do not tell how much lines differ."""
HIGH_ENOUGH = 400.0
"""A step that is surely as high is high enough: ten wins to one loss."""
GROWTH = 4
"""A batch of further lines is one part in so many of those that a pair has, and at least `LEAST_LINES`."""
PlayerPair = tuple[int, int]


def count_first_games(players: int) -> int:
    """The games with which a ladder begins."""
    return 2 * LEAST_LINES * len(_neighbours(range(players)))


def _neighbours(order: Sequence[int]) -> list[PlayerPair]:
    """The pairs of neighbours and next neighbours, each with the smaller number first."""
    chained = [*itertools.pairwise(order), *zip(order, order[2:], strict=False)]
    return [(min(pair), max(pair)) for pair in chained]


class LadderSchedule:
    """The games of a ladder while it is played; what was decided once is not decided again."""

    def __init__(self, players: Sequence[str], precision: float, games: int, most_lines: int) -> None:
        """``precision``: how far the interval of a step may reach, in Elo; ``games``: at most so many in all.

        ``most_lines``: at most so many games of a pair in each seating. The ``players`` are in the order in which they
        are thought to be strong.
        """
        self.players = tuple(players)
        self.precision, self.games, self.most_lines = precision, games, most_lines
        self.lines: dict[PlayerPair, int] = dict.fromkeys(_neighbours(range(len(self.players))), LEAST_LINES)
        self._is_open = True

    def games_per_seating(self, trials: pd.DataFrame) -> dict[tuple[str, str], int]:
        """The games of each first and second player; ``trials`` have at least the games of earlier calls."""
        while self._is_open and (requested := self._requested_games(trials)) is not None:
            self._is_open = self._extend(LadderGames(requested, self.players))
        wanted: dict[tuple[str, str], int] = {}
        for (one, other), lines in self.lines.items():
            wanted |= dict.fromkeys(self._seatings(one, other), lines)
        # Nothing that was played is taken back: earlier calls may have asked for more certainty.
        played = Counter(zip(trials["first"].astype(str), trials["second"].astype(str), strict=True))
        for seating, count in played.items():
            wanted[seating] = max(wanted.get(seating, 0), count)
        return wanted

    def _seatings(self, one: int, other: int) -> list[tuple[str, str]]:
        return [(self.players[one], self.players[other]), (self.players[other], self.players[one])]

    def _requested_games(self, trials: pd.DataFrame) -> pd.DataFrame | None:
        """The games that were asked for so far; None if some are missing."""
        wanted = {
            seating: lines for (one, other), lines in self.lines.items() for seating in self._seatings(one, other)
        }
        names = zip(trials["first"].astype(str), trials["second"].astype(str), strict=True)
        limits = np.array([wanted.get(seating, 0) for seating in names], dtype=np.intp)
        requested = trials[trials["game"].to_numpy(dtype=np.intp) < limits]
        return requested if len(requested) == sum(wanted.values()) else None

    def _extend(self, games: LadderGames) -> bool:
        """Asks for further lines where steps are wide; returns whether it did."""
        inference = games.inference
        order = games.order
        open_steps: list[tuple[float, Floats]] = []
        for lower, upper in itertools.pairwise(order):
            contrast = games.contrast(upper, lower)
            step = inference.estimate(contrast).scaled(ELO)
            if step.wider_side > self.precision and step.low < HIGH_ENOUGH:
                open_steps.append((step.wider_side, contrast))
        information = inference.likelihood.information(inference.likelihood.outcome_chances(inference.theta))
        information += 1e-12 * np.eye(len(information))
        extended = False
        candidates = _neighbours(order)
        for _, contrast in sorted(open_steps, key=lambda step: -step[0]):
            best: tuple[float, PlayerPair, int, Floats] | None = None
            for pair in candidates:
                batch = self._batch(pair)
                if not batch:
                    continue
                more = information + batch * self._information(games, pair)
                # The variance of the step by each game that is played for it.
                gain = float(contrast @ (np.linalg.inv(information) - np.linalg.inv(more)) @ contrast) / batch
                if best is None or gain > best[0] * (1 + 1e-9):
                    best = gain, pair, batch, more
            if best is not None:
                _, pair, batch, information = best
                self.lines[pair] = self.lines.get(pair, 0) + batch
                extended = True
        return extended

    def _batch(self, pair: PlayerPair) -> int:
        """The further lines that a pair may have."""
        current = self.lines.get(pair, 0)
        remaining = (self.games - 2 * sum(self.lines.values())) // 2
        return max(0, min(max(LEAST_LINES, current // GROWTH), self.most_lines - current, remaining))

    @staticmethod
    def _information(games: LadderGames, pair: PlayerPair) -> Floats:
        """What one line, played twice with seats swapped, would tell."""
        one_line = Likelihood(games.design(np.array([pair, pair[::-1]])), np.array([[1.0, 0.0, 0.0]] * 2))
        return one_line.information(one_line.outcome_chances(games.inference.theta))
