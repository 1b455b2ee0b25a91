"""What players have learned, as files: some come with the rulesets, others were trained in the project.

A file is found by the fingerprint of the ruleset, the version of the trainer and the seed. Those that come with the
rulesets lie in ``rulesets/<game>/players/``, those that were trained later in ``reports/players/<game>/``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SEEDS = (1, 2, 3)
"""The trainings of a ruleset that an answer rests on, if nobody says otherwise."""


@dataclass(frozen=True)
class Match:
    """How what was learned did against the game's own weights, at equal nodes."""

    wins: int
    draws: int
    """Games without a result among them."""
    losses: int

    @property
    def games(self) -> int:
        """How many games there were."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The share of the points that what was learned has won."""
        return (self.wins + self.draws / 2) / self.games


@dataclass(frozen=True)
class Learned:
    """What a player has learned of a ruleset."""

    game: str
    ruleset: str
    """The name of the ruleset; what counts is the fingerprint."""
    fingerprint: str
    seed: int
    version: int
    """Of the trainer."""
    budget: Mapping[str, Any]
    weights: tuple[float, ...]
    """A row as `engine.search.memory` lays it out."""
    games: int
    """Games that it has learned from."""
    positions: int
    match: Match

    @property
    def accepted(self) -> bool:
        """Whether it did no worse than the game's own weights."""
        return self.match.score >= 0.5

    @property
    def digest(self) -> str:
        """Of all that decides how it plays."""
        return hashlib.sha256(json.dumps([self.weights]).encode()).hexdigest()[:16]
