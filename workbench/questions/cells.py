"""The cells of an experiment, a ruleset and two agents each, and the blocks in which their games are played."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.questions.agents import AgentSpec
from workbench.questions.rulesets import Ruleset


@dataclass(frozen=True)
class Cell:
    """A ruleset and the agents of the two seats."""

    index: int
    ruleset: Ruleset
    first: AgentSpec
    second: AgentSpec
    digest: str
    """16 hex digits of a hash of all that decides the cell's games, their number aside."""

    @property
    def title(self) -> str:
        """The cell in words."""
        return f"{self.ruleset.name}, {self.first.label} – {self.second.label}"


@dataclass(frozen=True)
class Block:
    """The games from ``start`` up to, without, ``stop`` of a cell."""

    cell: Cell
    start: int
    stop: int

    @property
    def count(self) -> int:
        """How many games these are."""
        return self.stop - self.start
