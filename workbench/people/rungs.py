"""Players of a kept ladder that people resemble: the share of moves that each would have made, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from workbench.engine.advice import best_move
from workbench.errors import InputError
from workbench.learning import library
from workbench.people.reading import Games
from workbench.questions.agents import AgentSpec
from workbench.questions.rulesets import Ruleset
from workbench.run.worker import engine_digests
from workbench.store import ladders

EARLIEST = 8
"""Plies of a game before any position is asked about: openings are learned by heart, and by few players here."""
MOST_NODES = 20_000
"""Players that look at more positions a move are left out: they would take hours."""


class Asked:
    """Positions of people's games, by cell: one of a game, at a ply that its number decides."""

    def __init__(self, most: int) -> None:
        """``most`` positions of a cell, those of its first games."""
        self.most = most
        self.lines: dict[str, list[list[int]]] = {}
        """The moves up to the one that was made, which is the last."""

    def add(self, some: Games, labels: Sequence[str]) -> None:
        """Adds positions of some games."""
        for game, label in enumerate(labels):
            lines = self.lines.setdefault(label, [])
            plies = int((some.block.moves[game] >= 0).sum())
            if len(lines) < self.most and plies > EARLIEST:
                ply = EARLIEST + int(some.numbers[game]) * 2654435761 % 2**32 % (plies - EARLIEST)
                lines.append(some.block.moves[game, : ply + 1].tolist())

    def by_cell(self, bands: Mapping[str, Sequence[str]]) -> dict[str, list[list[int]]]:
        """The positions of each cell, of which some may have been put together."""
        return {
            label: [line for member in members for line in self.lines.get(member, ())][: self.most]
            for label, members in bands.items()
        }


def agreements(
    ruleset: Ruleset,
    asked: Mapping[str, Sequence[Sequence[int]]],
    reports: Path,
    on_progress: Callable[[str], object] = lambda label: None,
) -> dict[str, Any]:
    """For each player of the ladder that was kept of the rules, how often it agrees with the people of each cell.

    ``asked`` are the lines of `Asked`, by cell.

    Nothing if there is no ladder by this engine. Random players make no moves of their own, and are left out.
    """
    engine = engine_digests([ruleset.game])[ruleset.game]
    kept = (one for one in ladders.saved_ladders(reports, ruleset.fingerprint) if one["engine"] == engine)
    ladder: Mapping[str, Any] | None = next(kept, None)
    if ladder is None or not any(asked.values()):
        return {}
    found: dict[str, Any] = {}
    for entry in ladder["players"]:
        agent = AgentSpec.from_provenance(str(entry["player"]), entry["options"]).judge()
        if agent.outside or agent.declared.at_random or agent.nodes > MOST_NODES:
            continue
        on_progress(agent.label)
        try:
            player = library.engine_player(agent, ruleset)
        except InputError:
            continue
        found[str(entry["player"])] = {
            "elo": entry["elo"]["value"],
            "agrees": {
                label: [
                    sum(
                        best_move(ruleset.game, ruleset.codes(), player, number, line[:-1]) == line[-1]
                        for number, line in enumerate(lines)
                    ),
                    len(lines),
                ]
                for label, lines in asked.items()
                if lines
            },
        }
    return found


def interval(agrees: int, asked: int) -> tuple[float, float]:
    """The 95 % interval of the share of moves that agree."""
    from workbench.statistics.intervals import wilson

    low, high = wilson(np.array([agrees]), np.array([asked]))
    return float(low[0]), float(high[0])
