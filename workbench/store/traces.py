"""Traces of games, ply by ply, in the records of the first games of each cell: how they came about.

Import of this module starts neither pandas nor pyarrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.errors import text_of
from workbench.store import record_files, records

if TYPE_CHECKING:
    import pandas as pd

TRACED_GAMES = 100
"""Traced games of a cell: the first ones, so that players and workers have no influence on which."""
MAX_TRACED_PLIES = 2000
"""Most plies of a game that are traced."""
CELL_COLUMNS = ("ruleset", "first", "second")
"""The columns that name the cell of a game."""


def trace_columns(traced: Sequence[Any], games: int) -> dict[str, Any]:
    """The columns `records.TRACES` of a block, of whose games the first are traced."""
    rest = [None] * (games - len(traced))
    evaluations, legal_moves = records.TRACES
    return {
        evaluations.name: [trace.evaluations for trace in traced] + rest,
        legal_moves.name: [trace.legal_moves for trace in traced] + rest,
    }


def read_traces(folder: Path) -> pd.DataFrame:
    """The traces of a report folder, each game once.

    ``plies`` is the whole length of the game; ``evaluations`` (the first seat's expected score after each ply, -1 to 1,
    in thousandths) and ``legal_moves`` (before each ply) end after `MAX_TRACED_PLIES` plies.

    Raises:
        record_files.Unreadable: a file is damaged.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    evaluations, legal_moves = records.TRACES
    columns = {name: pc.field(name) for name in (*CELL_COLUMNS, "game", "plies")}
    columns |= {"evaluations": pc.field(evaluations.name), "legal_moves": pc.field(legal_moves.name)}
    known = pc.field(evaluations.name).is_valid()
    whole = record_files.open_dataset(record_files.file_paths(folder), records.arrow_schema(records.TRACES))
    try:
        table = whole.to_table(columns=columns, filter=known, use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise record_files.Unreadable(text_of(error)) from error
    frame: pd.DataFrame = table.to_pandas()
    return frame.drop_duplicates([*CELL_COLUMNS, "game"], ignore_index=True)
