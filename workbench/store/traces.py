"""Traces of games, ply by ply: of the first games of each cell, in ``traces.parquet`` beside the records.

The records of all games say how each ended; the traces of some say how it came about. They are kept apart, so that
records are what they were before there were any, and a report does without them where there are none. While games are
missing, each block's traces lie beside its records. The files prove themselves as those of the records do.

Import of this module starts neither pandas nor pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.store import records

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

FILE = "traces.parquet"
SUFFIX = ".traces"
"""Ends the name of a block's file."""
GAMES = 100
"""Games of a cell that are traced: the first ones, so neither the players nor the workers choose which."""
LONGEST = 2000
"""Plies of a game that are traced at most."""
NAMES = ("ruleset", "first", "second")
"""The columns that say of which cell a game is, in words."""


def schema() -> pa.Schema:
    """The columns: the cell (its names, and ``digest``, the hash of all that decides its games), game and course.

    ``plies`` is the whole length of the game; ``evaluations`` (the first seat's expected score after each ply, -1 to 1,
    in thousandths) and ``legal_moves`` (before each ply) end after `LONGEST` plies.
    """
    import pyarrow as pa

    return pa.schema(
        [
            *((name, pa.string()) for name in NAMES),
            ("digest", pa.string()),
            ("game", pa.int32()),
            ("plies", pa.int32()),
            ("evaluations", pa.list_(pa.int16())),
            ("legal_moves", pa.list_(pa.int32())),
        ]
    )


def table(
    names: Mapping[str, Any], digest: str, numbers: Sequence[int], plies: Sequence[int], traced: Sequence[Any]
) -> pa.Table:
    """The traces of some games of a cell, by their numbers."""
    import pyarrow as pa

    count = len(traced)
    columns = {name: [names[name]] * count for name in NAMES} | {
        "digest": [digest] * count,
        "game": list(numbers),
        "plies": list(plies),
        "evaluations": [trace.evaluations for trace in traced],
        "legal_moves": [trace.legal_moves for trace in traced],
    }
    fields = schema()
    return pa.table([pa.array(columns[field.name], type=field.type) for field in fields], schema=fields)


def rows(paths: Iterable[Path], engines: Mapping[str, str] | None = None) -> tuple[list[pa.Table], list[Path]]:
    """What whole files hold, and the files of which that is not known: they are damaged, or of another kind.

    With ``engines`` (the digest of a cell -> the engine that played its games) a block's file counts only if the same
    engine played it.
    """
    found, damaged = [], []
    for path in paths:
        try:
            checked = records.check(path)
            if checked.damaged or not checked.sealed:
                raise records.Unreadable(f"{path}: damaged")
            engine = (engines or {}).get(str(checked.note.get("cell")))
            if engine and checked.note.get("engine") != engine:
                continue
            found += list(records.rows(path, schema()))
        except (records.Unreadable, records.Unavailable):
            damaged.append(path)
    return found, damaged


def read(folder: Path, blocks: Path, digest: str | None) -> tuple[pd.DataFrame, list[Path]]:
    """The traces of a report folder, each game once, and the files that are damaged.

    ``digest`` is the SHA-256 that the provenance tells of the finished file, if it does: another file is damaged.
    """
    import pandas as pd

    finished = folder / FILE
    paths = [path for path in (finished, *sorted(blocks.glob(f"*{SUFFIX}"))) if path.is_file()]
    parts, damaged = rows(paths)
    if digest and finished in paths and finished not in damaged and records.check(finished).sha256 != digest:
        parts, damaged = rows(paths[1:])
        damaged = [finished, *damaged]
    frames = [part.to_pandas() for part in parts] or [schema().empty_table().to_pandas()]
    whole = pd.concat(frames, ignore_index=True)
    return whole.drop_duplicates([*NAMES, "game"], ignore_index=True), damaged
