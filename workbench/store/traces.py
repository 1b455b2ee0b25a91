"""Traces of games, ply by ply: of the first games of each cell, in ``traces.parquet`` beside the records.

Records say how every game ended; traces say how some of them came about. They are separate files: records do not depend
on them, and a report works without them. While games are missing, each block's traces lie beside its records. The files
hold digests of themselves as those of the records do.

Import of this module starts neither pandas nor pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.language import tr
from workbench.store import records

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

FILE = "traces.parquet"
SUFFIX = ".traces"
"""Suffix of a block's file."""
TRACED_GAMES = 100
"""Traced games of a cell: the first ones, so that players and workers have no influence on which."""
MAX_TRACED_PLIES = 2000
"""Most plies of a game that are traced."""
CELL_COLUMNS = ("ruleset", "first", "second")
"""The columns that name the cell of a game."""


def trace_schema() -> pa.Schema:
    """The Arrow schema: the cell (its names, and ``digest``, the hash of all that decides its games), game and course.

    ``plies`` is the whole length of the game; ``evaluations`` (the first seat's expected score after each ply, -1 to 1,
    in thousandths) and ``legal_moves`` (before each ply) end after `MAX_TRACED_PLIES` plies.
    """
    import pyarrow as pa

    return pa.schema(
        [
            *((name, pa.string()) for name in CELL_COLUMNS),
            ("digest", pa.string()),
            ("game", pa.int32()),
            ("plies", pa.int32()),
            ("evaluations", pa.list_(pa.int16())),
            ("legal_moves", pa.list_(pa.int32())),
        ]
    )


def trace_table(
    names: Mapping[str, Any], digest: str, numbers: Sequence[int], plies: Sequence[int], game_traces: Sequence[Any]
) -> pa.Table:
    """The traces of some games of a cell, by their numbers."""
    import pyarrow as pa

    count = len(game_traces)
    columns = {name: [names[name]] * count for name in CELL_COLUMNS} | {
        "digest": [digest] * count,
        "game": list(numbers),
        "plies": list(plies),
        "evaluations": [trace.evaluations for trace in game_traces],
        "legal_moves": [trace.legal_moves for trace in game_traces],
    }
    fields = trace_schema()
    return pa.table([pa.array(columns[field.name], type=field.type) for field in fields], schema=fields)


def read_trace_tables(
    paths: Iterable[Path], engines: Mapping[str, str] | None = None
) -> tuple[list[pa.Table], list[Path]]:
    """The tables of intact trace files, and the paths of files that are damaged or of another kind.

    With ``engines`` (the digest of a cell -> the engine that played its games) a block's file counts only if the same
    engine played it.
    """
    tables, damaged = [], []
    for path in paths:
        try:
            verification = records.verify_records(path)
            if verification.damaged:
                raise records.Unreadable(tr("{path}: damaged", path=path))
            engine = (engines or {}).get(str(verification.note.get("cell")))
            if engine and verification.note.get("engine") != engine:
                continue
            tables += list(records.iter_rows(path, trace_schema()))
        except (records.Unreadable, records.Unavailable):
            damaged.append(path)
    return tables, damaged


def read_traces(folder: Path, blocks: Path, digest: str | None) -> tuple[pd.DataFrame, list[Path]]:
    """The traces of a report folder, each game once, and the paths of damaged files.

    ``digest`` is the SHA-256 of the finished file in the provenance, if any: a file that differs counts as damaged.
    """
    import pandas as pd

    finished = folder / FILE
    paths = [path for path in (finished, *sorted(blocks.glob(f"*{SUFFIX}"))) if path.is_file()]
    tables, damaged = read_trace_tables(paths)
    if digest and finished in paths and finished not in damaged and records.verify_records(finished).sha256 != digest:
        tables, damaged = read_trace_tables(paths[1:])
        damaged = [finished, *damaged]
    frames = [part.to_pandas() for part in tables] or [trace_schema().empty_table().to_pandas()]
    whole = pd.concat(frames, ignore_index=True)
    return whole.drop_duplicates([*CELL_COLUMNS, "game"], ignore_index=True), damaged
