"""How the games of a run that still goes on have ended so far; runs in a process beside the server.

Of each cell the games count from the first one up to the first that is missing, as in a report: were every block
counted that happens to be there, quick games would be too many.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.games.results import BY_POINTS
from workbench.store import provenance, record_files

MAX_CELLS = 60
"""Cells that are told."""


@dataclass(frozen=True)
class Tally:
    """The games of a ruleset and a pairing."""

    ruleset: str
    first: str
    second: str
    counts: tuple[int, ...]
    """In the order of `BY_POINTS`."""


_Cell = tuple[str, str, str]
_Piece = tuple[_Cell, int, int, tuple[int, ...]]
"""A cell, its games from and up to, and how they ended."""


def tally_games(folder: Path) -> list[Tally]:
    """The tallies of a folder, in the order of the experiment's rulesets and pairings; of at most `MAX_CELLS` cells."""
    pieces: dict[_Cell, list[_Piece]] = {}
    for path in record_files.file_paths(folder):
        try:
            found = _pieces(record_files.read_unchanged(path).path)
        except (record_files.Unreadable, record_files.Unavailable):
            continue  # the run has just replaced it
        for piece in found:
            pieces.setdefault(piece[0], []).append(piece)
    return [
        Tally(*cell, counts)
        for cell in sorted(pieces, key=_cell_order(folder))
        if sum(counts := _results_before_gap(pieces[cell]))
    ][:MAX_CELLS]


def _results_before_gap(pieces: list[_Piece]) -> tuple[int, ...]:
    """How the games of a cell ended, up to the first that is missing."""
    counts = [0] * len(BY_POINTS)
    at = 0
    for _, start, stop, ends in sorted(pieces, key=lambda piece: (piece[1], -piece[2])):
        if start > at:
            break
        # A killed run left two files with the same games.
        if start == at:
            counts = [one + more for one, more in zip(counts, ends, strict=True)]
            at = stop
    return tuple(counts)


def _cell_order(folder: Path) -> functools.partial[tuple[int, int]]:
    try:
        said = provenance.load_provenance(folder)
    except (FileNotFoundError, provenance.Damaged, record_files.Unavailable):
        said = {"rulesets": [], "pairings": []}
    rulesets = {str(one["name"]): place for place, one in enumerate(said["rulesets"])}
    pairings = {(one["first"], one["second"]): place for place, one in enumerate(said["pairings"])}
    return functools.partial(_place, rulesets, pairings)


def _place(rulesets: Mapping[str, int], pairings: Mapping[tuple[str, str], int], cell: _Cell) -> tuple[int, int]:
    return pairings.get(cell[1:], len(pairings)), rulesets.get(cell[0], len(rulesets))


@functools.lru_cache(maxsize=100_000)
def _pieces(path: Path) -> tuple[_Piece, ...]:
    """The games of a file, each cell's in one piece."""
    table = record_files.read_table(path, ["ruleset", "first", "second", "result", "game"])
    grouped = table.group_by(["ruleset", "first", "second"]).aggregate([("game", "min"), ("game", "max")])
    ended = table.group_by(["ruleset", "first", "second", "result"]).aggregate([([], "count_all")])
    counts: dict[_Cell, list[int]] = {}
    for row in ended.to_pylist():
        cell = (row["ruleset"], row["first"], row["second"])
        if row["result"] in BY_POINTS:
            counts.setdefault(cell, [0] * len(BY_POINTS))[BY_POINTS.index(row["result"])] += row["count_all"]
    return tuple(
        (cell, row["game_min"], row["game_max"] + 1, tuple(counts.get(cell, [0] * len(BY_POINTS))))
        for row in grouped.to_pylist()
        for cell in [(row["ruleset"], row["first"], row["second"])]
    )
