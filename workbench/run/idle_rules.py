"""Rules that change no game: among the rulesets of a space, those that games on the same seeds do not tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.learning import library
from workbench.questions.agents import AgentSpec
from workbench.questions.design import Point
from workbench.questions.rulesets import Ruleset

LOOKS, MOST_LOOKS = (20, 200, 2_000), 60_000
"""Random games of a ruleset, step by step, and how many of them a step may take in all."""
PAIRS, GREEDY_GAMES = 10, 40
"""Of each rule that changes no random game, how many pairs of rulesets are looked at by games of greedy players."""


@dataclass(frozen=True)
class IdleRules:
    """Factors of which no game of a space depends."""

    factors: tuple[int, ...]
    games: int
    """How many random games of each ruleset were looked at."""

    def classes(self, points: Sequence[Point], prices: Sequence[float]) -> list[list[int]]:
        """The rulesets that differ in idle factors alone, together; the cheapest of each class first."""
        together: dict[Point, list[int]] = {}
        for place, point in enumerate(points):
            rest = tuple(level for factor, level in enumerate(point) if factor not in self.factors)
            together.setdefault(rest, []).append(place)
        return sorted(sorted(members, key=lambda one: (prices[one], one)) for members in together.values())


def find_idle_rules(rulesets: Sequence[Ruleset], points: Sequence[Point], max_plies: int) -> IdleRules:
    """The factors none of whose levels changes a game, whatever the others are.

    ``points`` are the levels of the rulesets. Random games decide first, then some of greedy players: a rule about
    what only good play reaches may still be among them.
    """
    alike, games = _alike(rulesets, max_plies)
    idle = []
    for factor in range(len(points[0])):
        contexts: dict[Point, list[int]] = {}
        for place, point in enumerate(points):
            contexts.setdefault((*point[:factor], *point[factor + 1 :]), []).append(place)
        several = [members for members in contexts.values() if len(members) > 1]
        if several and all(len({alike[one] for one in members}) == 1 for members in several):
            chosen = several[:: max(1, len(several) // PAIRS)][:PAIRS]
            greedy = AgentSpec.of("greedy")
            seeds = np.arange(GREEDY_GAMES, dtype=np.uint64)
            if all(len({_games(rulesets[one], greedy, seeds, max_plies) for one in some}) == 1 for some in chosen):
                idle.append(factor)
    return IdleRules(tuple(idle), games)


def _alike(rulesets: Sequence[Ruleset], max_plies: int) -> tuple[list[int], int]:
    """For each ruleset a number that those share which no random game tells apart; and of how many games."""
    groups, begin = [list(range(len(rulesets)))], 0
    for most in LOOKS:
        waiting = sum(len(group) for group in groups if len(group) > 1)
        end = min(most, begin + MOST_LOOKS // max(waiting, 1))
        seeds = np.arange(begin, end, dtype=np.uint64)
        parted: list[list[int]] = []
        for group in groups:
            by_games: dict[bytes, list[int]] = {}
            for one in group:
                same = _games(rulesets[one], AgentSpec.of("random"), seeds, max_plies) if len(group) > 1 else b""
                by_games.setdefault(same, []).append(one)
            parted += by_games.values()
        groups, begin = parted, end
    number = {one: place for place, group in enumerate(groups) for one in group}
    return [number[one] for one in range(len(rulesets))], begin


def _games(
    ruleset: Ruleset, player: AgentSpec, seeds: np.ndarray[tuple[int], np.dtype[np.uint64]], plies: int
) -> bytes:
    """All that tells the games of these seeds from others."""
    from workbench.engine import trials

    numbers = library.engine_player(player, ruleset)
    arrays = trials.run_block(ruleset.game, ruleset.codes(), numbers, numbers, seeds, plies)
    return bytes(arrays["game_hash"].tobytes() + arrays["result"].tobytes())
