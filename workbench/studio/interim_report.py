"""Results of a run in progress, counted in a worker process."""

from __future__ import annotations

import contextlib
import functools
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.games.results import BY_POINTS
from workbench.records import records

if TYPE_CHECKING:
    import pandas as pd


def load_statistics() -> None:
    """Import the modules that read reports, ahead of the first one."""
    import workbench.report.folders
    import workbench.report.sections.answer
    import workbench.report.sections.scores
    import workbench.statistics  # noqa: F401


CELL = ["ruleset", "first", "second"]
COUNTS = {f"{result} count": result for result in BY_POINTS}


def live_results(folder: Path) -> dict[tuple[str, ...], tuple[int, ...]]:
    """Return the numbers of games by result, in the order of `BY_POINTS`, for each ruleset and pairing.

    Each cell's games count up to the first missing one.
    """
    import pandas as pd

    blocks = []
    for path in records.file_paths(folder):
        # The run may just have replaced the file.
        with contextlib.suppress(records.Unreadable, records.Unavailable):
            blocks.append(_read_block(records.read_file_cached(path).path))
    if not blocks:
        return {}
    # After a kill, games may be in two files: the longest block with each start counts.
    games = pd.concat(blocks).sort_values(["start", "stop"], ascending=[True, False])
    cells = [games[name] for name in CELL]
    previous_stop = games["stop"].groupby(cells).cummax().groupby(cells).shift(fill_value=0)
    after_gap = (games["start"] > previous_stop).groupby(cells).cummax()
    counts = games[(games["start"] == previous_stop) & ~after_gap].groupby(CELL)[list(COUNTS)].sum()
    return {cell: tuple(map(int, row)) for cell, *row in counts[counts.sum(axis=1) > 0].itertuples(name=None)}


@functools.lru_cache(maxsize=20_000)
def _read_block(path: Path) -> pd.DataFrame:
    """Return a row for each cell in a file: first game, end of the range, and counts of results."""
    table = records.read_table(path, [*CELL, "result", "game"]).to_pandas()
    counts = {name: table["result"] == result for name, result in COUNTS.items()}
    rows: pd.DataFrame = (
        table.assign(stop=table["game"] + 1, **counts)
        .astype(dict.fromkeys(CELL, str))
        .groupby(CELL, as_index=False)
        .agg(start=("game", "min"), stop=("stop", "max"), **{name: (name, "sum") for name in COUNTS})
    )
    return rows
