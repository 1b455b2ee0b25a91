"""Traces of games, ply by ply: of the first games of each cell, in ``traces/`` beside the records.

Records say how every game ended; traces say how some of them came about. Records do not depend on them, and a report
works without them. Their files are like those of the records; see `workbench.store.record_files`.

Import of this module starts neither pandas nor pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.store import record_files

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

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
    """The tables of whole trace files, and the paths of those that are damaged.

    With ``engines`` (family -> the engine that played the games on record) a file counts only if the same ones played.
    """
    tables, damaged = [], []
    for path in paths:
        try:
            played = record_files.read_file(path).note.engines
            if all((engines or played).get(family) == engine for family, engine in played.items()):
                tables.append(record_files.read_table(path))
        except (record_files.Unreadable, record_files.Unavailable):
            damaged.append(path)
    return tables, damaged


def read_traces(folder: Path, digests: Mapping[str, str]) -> tuple[pd.DataFrame, list[Path]]:
    """The traces of a report folder, each game once, and the paths of files that are damaged.

    ``digests`` are those in the provenance: other files than it lists count as damaged, too; none at all do not.
    """
    import pandas as pd

    paths = record_files.file_paths(folder, record_files.TRACES)
    tables, damaged = read_trace_tables(paths)
    listed = [folder / place for place in digests if place.startswith(record_files.TRACES)]
    missing = [path for path in listed if paths and path not in paths]
    frames = [part.to_pandas() for part in tables] or [trace_schema().empty_table().to_pandas()]
    whole = pd.concat(frames, ignore_index=True)
    return whole.drop_duplicates([*CELL_COLUMNS, "game"], ignore_index=True), [*damaged, *missing]
