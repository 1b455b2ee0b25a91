"""Blocks for a cluster, cut by the pace that is measured: each keeps a worker busy for about half a minute.

How games are cut changes no record. Small blocks would drown the driver in files and messages; large ones would leave
workers idle at the end, and cost more when a worker dies.
"""

from __future__ import annotations

import bisect
import collections
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.questions.cells import Block, Cell

BLOCK_SECONDS = 30.0
"""What a block lasts, while there is enough to play."""
MIN_BLOCK_SECONDS = 1.0
"""What it lasts at least when little is left, so that all workers have some of it."""
BLOCKS_PER_WORKER = 3
"""Into how many blocks for each worker what is left is cut, at least."""
MAX_BLOCK_GAMES = 20_000
"""Games of a block: their records take some megabytes, and the driver holds several blocks at a time."""

PairingKey = tuple[str, str, str]
"""A family and the players of the two seats."""


@dataclass
class Timing:
    """Games that were timed."""

    seconds: float = 0.0
    games: int = 0

    @property
    def seconds_per_game(self) -> float:
        """Seconds a game."""
        return self.seconds / self.games

    def add(self, block: Block, seconds: float) -> None:
        """Counts a block that took so many seconds of a worker."""
        self.seconds += seconds
        self.games += block.count


class BlockCutter:
    """Gives out games as blocks, those first that come first in their cells."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self.workers = 1
        """How many there are at present."""
        ranges: dict[str, list[list[int]]] = {}
        self._cells: dict[str, Cell] = {}
        self._declared: dict[str, int] = {}
        for block in blocks:
            digest = block.cell.digest
            self._cells[digest] = block.cell
            of_cell = ranges.setdefault(digest, [])
            if of_cell and of_cell[-1][1] == block.start:
                of_cell[-1][1] = block.stop
            else:
                of_cell.append([block.start, block.stop])
            self._declared[digest] = max(self._declared.get(digest, 1), block.count)
        self._left = sorted(
            (start, self._cells[digest].index, stop, digest)
            for digest, of_cell in ranges.items()
            for start, stop in of_cell
        )
        self._games: collections.Counter[PairingKey] = collections.Counter()
        for start, _, stop, digest in self._left:
            self._games[_pairing_key(self._cells[digest])] += stop - start
        self._of_cell: dict[str, Timing] = {}
        self._of_kind: dict[PairingKey, Timing] = {}

    def record_time(self, block: Block, seconds: float) -> None:
        """Notes that a worker played a block in so many seconds."""
        self._of_cell.setdefault(block.cell.digest, Timing()).add(block, seconds)
        self._of_kind.setdefault(_pairing_key(block.cell), Timing()).add(block, seconds)

    def __iter__(self) -> Iterator[Block]:
        while self._left:
            start, index, stop, digest = self._left.pop(0)
            cell = self._cells[digest]
            size = min(self._next_size(cell), MAX_BLOCK_GAMES)
            # No crumbs at the end of a cell.
            end = stop if stop - start < 1.5 * size else start + size
            if end < stop:
                bisect.insort(self._left, (end, index, stop, digest))
            self._games[_pairing_key(cell)] -= end - start
            yield Block(cell, start, end)

    def _next_size(self, cell: Cell) -> int:
        """The games of the next block of a cell; as many as the players are thought to play, until they were timed."""
        timed = self._of_cell.get(cell.digest) or self._of_kind.get(_pairing_key(cell))
        if timed is None:
            return self._declared[cell.digest]
        work = sum(self._games[kind] * of_kind.seconds_per_game for kind, of_kind in self._of_kind.items())
        seconds = min(max(work / (BLOCKS_PER_WORKER * self.workers), MIN_BLOCK_SECONDS), BLOCK_SECONDS)
        return max(1, round(seconds / max(timed.seconds_per_game, 1e-9)))


def _pairing_key(cell: Cell) -> PairingKey:
    return (cell.ruleset.game, cell.first.label, cell.second.label)
