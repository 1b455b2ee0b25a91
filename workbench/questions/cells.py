"""The cells of an experiment, a ruleset and two agents each, and the blocks in which their games are played."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.questions.agents import AgentSpec
from workbench.questions.rulesets import Ruleset

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Seeds = np.ndarray[Any, np.dtype[np.uint64]]


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


def game_seeds(seed: int, first: AgentSpec, second: AgentSpec, start: int, stop: int) -> Seeds:
    """Return the seeds of a cell's games ``start`` to ``stop - 1``: one 64-bit number for each game, uint64.

    Their stream (see `splitmix`) is that of the experiment's seed and both agents' options. It leaves out the rules, so
    that a game meets the same chance under all of them: differences of rulesets are then differences of the rules.

    Source: common random numbers, A. M. Law, "Simulation Modeling and Analysis", 5th edition, 2015, section 11.2.
    """
    return splitmix((seed, first.canonical(), second.canonical()), start, stop)


def line_order(seed: int, first: AgentSpec, second: AgentSpec, lines: int) -> npt.NDArray[np.intp]:
    """Return the order, a permutation of ``lines`` numbers, in which two players meet the lines of an experiment.

    It is the same for both orders of seats and under all rulesets.
    """
    import numpy as np

    players = sorted(canonical_json(player.canonical()).decode() for player in (first, second))
    return np.argsort(splitmix(("lines", seed, players), 0, lines), kind="stable")


def splitmix(about: tuple[Any, ...], start: int, stop: int) -> Seeds:
    """The numbers ``start`` to ``stop - 1`` of a stream, uint64.

    The stream starts at ``b``, the first 8 bytes (big-endian) of the SHA-256 of the JSON text of what it is ``about``.
    Number ``n`` is output ``n`` of splitmix64 from state ``b``: ``mix(b + (n + 1) * 0x9E3779B97F4A7C15)``, so all
    numbers of a stream differ.

    Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    """
    import numpy as np

    digest = hashlib.sha256(canonical_json(about)).digest()
    begin = np.array([int.from_bytes(digest[:8], "big")], dtype=np.uint64)
    z: Seeds = begin + np.arange(start + 1, stop + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def canonical_json(value: Any) -> bytes:
    """Plain data as the one JSON text that there is of it, in UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
