"""Where the records of a report folder lie.

``trials.parquet`` holds all games of a finished run. Of more than `MANY` games there is the folder ``trials/`` in its
place: the same rows, cut into files of at most `PART` games of one cell. ``blocks/`` holds the games of a run that has
not ended. Every one of these files proves itself (`workbench.store.records`); whether a finished run has all of its
own, ``provenance.json`` says by the digests that `digests` makes.

A file of ``trials/`` or ``blocks/`` is named by the digest of its cell and its first game. When a run is continued with
more games, each file of ``trials/`` is replaced by one with all of its games: a kill in between loses none.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

TRIALS = "trials.parquet"
PARTS = "trials"
BLOCKS = "blocks"
FINISHED = (TRIALS, PARTS)
MANY = 1 << 22
"""Games of a run up to which they are in one file: some 150 megabytes."""
PART = 1 << 20
"""Games of a file of `PARTS`. It never changes: a part must hold all games of the one that it replaces."""
_OF_A_CELL = re.compile(r"[0-9a-f]{16}-[0-9]{8}\.parquet")


def name(cell: str, start: int) -> str:
    """The file of `PARTS` or `BLOCKS` with games of a cell, which its digest names, from ``start`` on."""
    return f"{cell}-{start:08d}.parquet"


def is_of_a_cell(file: str) -> bool:
    """Whether a file of `PARTS` or `BLOCKS` with this name holds games."""
    return _OF_A_CELL.fullmatch(file) is not None


def finished(folder: Path) -> list[Path]:
    """The files of a finished run that are there: the one, or the parts by their names."""
    one = folder / TRIALS
    return [*([one] if one.exists() else []), *_of_cells(folder / PARTS)]


def blocks(folder: Path) -> list[Path]:
    """The files of a run that has not ended, by their names; a link is not followed."""
    return _of_cells(folder / BLOCKS)


def _of_cells(folder: Path) -> list[Path]:
    if folder.is_symlink():
        return []
    return sorted(path for path in folder.glob("*.parquet") if is_of_a_cell(path.name))


def digests(found: Mapping[Path, str]) -> dict[str, str]:
    """`TRIALS` or `PARTS` with its SHA-256, by those of the files of a finished run.

    That of `PARTS` is taken of the lines that ``sha256sum *`` prints in it.
    """
    parts = sorted((path.name, sha256) for path, sha256 in found.items() if path.name != TRIALS)
    whole = "".join(f"{sha256}  {name}\n" for name, sha256 in parts)
    one = {path.name: sha256 for path, sha256 in found.items() if path.name == TRIALS}
    return one | ({PARTS: hashlib.sha256(whole.encode()).hexdigest()} if parts else {})


def recorded(said: Mapping[str, str] | None) -> dict[str, str]:
    """Of the digests that a provenance holds, those of the games."""
    return {name: said[name] for name in FINISHED if name in said} if said else {}
