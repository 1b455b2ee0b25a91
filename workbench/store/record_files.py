"""The files that hold the records of a report folder.

``trials.parquet`` holds all games of a finished run. More than `MAX_GAMES_IN_ONE_FILE` games lie in the folder
``trials/`` instead: the same rows, cut into files of at most `GAMES_PER_PART` games of one cell. ``blocks/`` holds the
games of an unfinished run. Each of these files holds digests of its own content (`workbench.store.records`); whether a
finished run is complete is checked by the `combined_digests` in ``provenance.json``.

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
MAX_GAMES_IN_ONE_FILE = 1 << 22
"""Runs with more games are split into parts; so many take some 150 megabytes."""
GAMES_PER_PART = 1 << 20
"""Most games in a file of `PARTS`. Never change it: a part must hold all games of the one that it replaces."""
_CELL_FILE = re.compile(r"[0-9a-f]{16}-[0-9]{8}\.parquet")


def record_file_name(cell: str, start: int) -> str:
    """The name of a file in `PARTS` or `BLOCKS`, by the digest of its cell and its first game."""
    return f"{cell}-{start:08d}.parquet"


def is_cell_file(file: str) -> bool:
    """Whether this is the name of a file with games in `PARTS` or `BLOCKS`."""
    return _CELL_FILE.fullmatch(file) is not None


def finished_files(folder: Path) -> list[Path]:
    """The existing files of a finished run: the single file, or the parts sorted by name."""
    single = folder / TRIALS
    return [*([single] if single.exists() else []), *_cell_files(folder / PARTS)]


def block_files(folder: Path) -> list[Path]:
    """The existing files of an unfinished run, sorted by name; a link is not followed."""
    return _cell_files(folder / BLOCKS)


def _cell_files(folder: Path) -> list[Path]:
    if folder.is_symlink():
        return []
    return sorted(path for path in folder.glob("*.parquet") if is_cell_file(path.name))


def combined_digests(sha256_by_path: Mapping[Path, str]) -> dict[str, str]:
    """The digests for the provenance: `TRIALS` or `PARTS` -> SHA-256, from those of the files of a finished run.

    The digest of `PARTS` is that of the output of ``sha256sum *`` in it.
    """
    parts = sorted((path.name, sha256) for path, sha256 in sha256_by_path.items() if path.name != TRIALS)
    listing = "".join(f"{sha256}  {name}\n" for name, sha256 in parts)
    single = {path.name: sha256 for path, sha256 in sha256_by_path.items() if path.name == TRIALS}
    return single | ({PARTS: hashlib.sha256(listing.encode()).hexdigest()} if parts else {})


def digests_of_games(digests: Mapping[str, str] | None) -> dict[str, str]:
    """Only the digests of games among those of a provenance."""
    return {name: digests[name] for name in FINISHED if name in digests} if digests else {}
