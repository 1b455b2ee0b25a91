"""The games of an experiment for statistics.

Below `MANY_GAMES` games every column is in memory. Beyond that only the columns of verdicts are, some thirty bytes per
game; others are read on demand, one cell at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from pyarrow import csv

from workbench.base.errors import error_text
from workbench.base.language import tr
from workbench.records import records
from workbench.records.records import RecordFile, Unreadable

CELL = ["ruleset", "first", "second"]
"""The columns that name a cell."""
CellName = tuple[str, str, str]
MANY_GAMES = 1 << 19
"""The number of games at which only some columns are in memory."""
MAX_CACHED_NUMBERS = 1 << 24
"""The largest cell, in numbers, whose other columns are all read and cached together."""
BATCH_ROWS = 1 << 18
"""Rows per batch."""
COLUMNS_IN_MEMORY = {
    "ruleset": "", "first": "", "second": "", "game": "int32", "result": "", "termination": "", "plies": "int32",
    "legal_moves": "float64",
}  # fmt: skip
"""The columns that are always in memory, with their types; "" for text."""

RowNumbers = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Trials:
    """The games of an experiment, or some of them."""

    games: pd.DataFrame
    """One row per game, with all columns or `COLUMNS_IN_MEMORY` and extra ones. Cell names may be categories."""
    columns: tuple[str, ...]
    """All columns, in memory or not."""
    files: tuple[Path, ...] = ()
    """The files with the other columns, if any."""
    file_rows: RowNumbers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The row of each game in the concatenated files."""
    edges: tuple[int, ...] = (0,)
    """The first row of each file, and the total number of rows."""

    @staticmethod
    def of(games: Trials | pd.DataFrame) -> Trials:
        """Return the games, wrapped if they are a data frame."""
        return games if isinstance(games, Trials) else Trials(games, tuple(map(str, games.columns)))

    def __len__(self) -> int:
        return len(self.games)

    def select(self, mask: npt.NDArray[np.bool_] | pd.Series) -> Trials:
        """Return the games for which the mask is true."""
        kept = np.asarray(mask, dtype=np.bool_)
        return replace(self, games=self.games[kept], file_rows=self.file_rows[kept] if self.files else self.file_rows)

    def take(self, positions: npt.NDArray[np.intp]) -> Trials:
        """Return the games at these positions, with a new index."""
        games = self.games.iloc[positions].reset_index(drop=True)
        return replace(self, games=games, file_rows=self.file_rows[positions] if self.files else self.file_rows)

    def assign(self, **columns: Any) -> Trials:
        """Return the games with columns replaced or added."""
        games = self.games.assign(**columns)
        return replace(self, games=games, columns=tuple(dict.fromkeys([*self.columns, *map(str, games.columns)])))

    @cached_property
    def positions(self) -> dict[CellName, npt.NDArray[np.intp]]:
        """The positions of each cell's games, in the order in which cells first occur."""
        if self.files and len(self):
            cell_numbers = np.zeros(len(self), dtype=np.int32)
            for name in CELL:
                column = self.games[name].cat
                cell_numbers = cell_numbers * len(column.categories) + column.codes.to_numpy()
            starts = np.flatnonzero(np.diff(cell_numbers, prepend=-1))
            # The games are in the order of a finished run.
            if len(np.unique(cell_numbers[starts])) == len(starts):
                names = self.games[CELL].iloc[starts].itertuples(index=False, name=None)
                runs = zip(starts, [*starts[1:], len(self)], strict=True)
                return {_cell_name(name): np.arange(*run) for name, run in zip(names, runs, strict=True)}
        grouped = self.games.groupby(CELL, sort=False, observed=True)
        positions = {
            _cell_name(key): np.asarray(rows, dtype=np.intp) for key, rows in grouped.indices.items() if len(rows)
        }
        return dict(sorted(positions.items(), key=lambda item: int(item[1][0])))

    @property
    def cells(self) -> list[CellName]:
        """The cells that have games, in order of appearance."""
        return list(self.positions)

    def cell(self, name: CellName) -> pd.DataFrame:
        """Return the in-memory columns of a cell's games."""
        return self.games.iloc[self._cell_rows(name)]

    def _cell_rows(self, name: CellName) -> slice | RowNumbers:
        """Return the positions of a cell's games, as a slice if they are consecutive."""
        positions = self.positions.get(name)
        if positions is None:
            return slice(0)
        if len(positions) == positions[-1] - positions[0] + 1:
            return slice(int(positions[0]), int(positions[-1]) + 1)
        return positions

    def column(self, name: CellName, column: str) -> pd.Series:
        """Return a column of a cell's games, read if necessary; raise `Unreadable` if the files have changed."""
        if column in self.games:
            return self.games[column].iloc[self._cell_rows(name)]
        if not self.files or name not in self.positions:
            return pd.Series(dtype=np.float64)
        others = [other for other in self.columns if other not in self.games]
        names = tuple(others) if len(self.positions[name]) * len(others) <= MAX_CACHED_NUMBERS else (column,)
        cached = self._last_read.get("cell")
        if cached is None or cached[0] != (name, names):
            read = self._from_files(self.file_rows[self.positions[name]], names)
            cached = (name, names), read.set_axis(self.games.index[self._cell_rows(name)])
            self._last_read["cell"] = cached
        return cached[1][column]

    @cached_property
    def _last_read(self) -> dict[str, tuple[Any, pd.DataFrame]]:
        """A cache of one entry: the columns read last, with their cell."""
        return {}

    def rows(self, labels: Sequence[Any]) -> pd.DataFrame:
        """Return all columns of some games, given their labels in the index of ``games``."""
        if not self.files:
            return self.games.loc[list(labels)]
        return self._records(self.games.index.get_indexer(pd.Index(labels)), self.columns)

    def _records(self, positions: npt.NDArray[np.intp], columns: Sequence[str]) -> pd.DataFrame:
        """Return columns of the games at these positions."""
        selected = self.games[[column for column in columns if column in self.games]].iloc[positions]
        selected = selected.astype({name: str for name in selected if not COLUMNS_IN_MEMORY.get(str(name), "numbers")})
        others = [column for column in columns if column not in self.games]
        if others and len(selected):
            selected = selected.join(self._from_files(self.file_rows[positions], others).set_axis(selected.index))
        return selected[list(columns)] if len(selected) else selected

    def digest(self) -> str:
        """Return a SHA-256 in hex that is equal if and only if the same games were played under the same rules.

        It covers the columns `records.GAME_COLUMNS` as CSV, in the order of the games, and depends neither on library
        versions nor on the order or names of rulesets.
        """
        sha256 = hashlib.sha256()
        cells_of_rules: dict[tuple[str, str, str], list[CellName]] = {}
        for cell in self.cells:
            # Rulesets with the same rules count as one.
            for fingerprint in self.column(cell, "fingerprint").unique():
                cells_of_rules.setdefault((str(fingerprint), *cell[1:]), []).append(cell)
        header = True
        for (fingerprint, _, _), cells in sorted(cells_of_rules.items()):
            played = {
                name: pd.concat([self.column(cell, name) for cell in cells], ignore_index=True)
                for name in records.GAME_COLUMNS
            }
            rows = np.flatnonzero(played["fingerprint"] == fingerprint)
            order = rows[np.argsort(played["game"].to_numpy()[rows], kind="stable")]
            for start in range(0, len(order), BATCH_ROWS):
                part = pd.DataFrame(
                    {name: column.iloc[order[start : start + BATCH_ROWS]] for name, column in played.items()}
                )
                part = part.astype({name: str for name in records.GAME_COLUMNS if part[name].dtype.kind not in "iu"})
                stream = pa.BufferOutputStream()
                table = pa.Table.from_pandas(part, preserve_index=False)
                csv.write_csv(table, stream, csv.WriteOptions(include_header=header))
                sha256.update(stream.getvalue())
                header = False
        return sha256.hexdigest()

    def frame(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return all games as a data frame, with all columns by default."""
        columns = self.columns if columns is None else columns
        if not self.files:
            return self.games if tuple(columns) == self.columns else self.games[list(columns)]
        return self._records(np.arange(len(self)), columns)

    def _from_files(self, file_rows: RowNumbers, columns: Sequence[str]) -> pd.DataFrame:
        order = np.argsort(file_rows, kind="stable")
        file_rows = file_rows[order]
        parts = []
        for number, path in enumerate(self.files):
            first, last = self.edges[number : number + 2]
            low, high = np.searchsorted(file_rows, [first, last])
            if low < high:
                parts.append(_read_rows(path, last - first, file_rows[low:high] - first, columns))
        inverse = np.empty_like(order)
        inverse[order] = np.arange(len(order))
        return pd.concat(parts, ignore_index=True).iloc[inverse]


def _read_rows(path: Path, size: int, rows: RowNumbers, columns: Sequence[str]) -> pd.DataFrame:
    """Return columns of some sorted ``rows`` of a file, which must have ``size`` rows in all."""
    table = records.read_table(path, columns)
    if table.num_rows != size:
        raise Unreadable(tr("{path}: {rows:,} rows, not {size:,}", path=path, rows=table.num_rows, size=size))
    selected = [table[name] if name in table.column_names else pa.nulls(size) for name in columns]
    frame: pd.DataFrame = pa.table(selected, names=list(columns)).take(pa.array(rows)).to_pandas()
    return frame


def load_trials(files: Sequence[RecordFile], extra_columns: Iterable[str] = ()) -> Trials:
    """Load games in the order of the files, with ``extra_columns``; raise `Unreadable` if a file has changed."""
    if not files:
        return Trials.of(pd.DataFrame())
    edges = tuple(int(edge) for edge in np.cumsum([0, *(file.rows for file in files)]))
    paths = tuple(file.path for file in files)
    dataset = records.open_dataset(paths)
    columns = tuple(name for name in dataset.schema.names if name not in {trace.name for trace in records.TRACES})
    try:
        if edges[-1] < MANY_GAMES:
            return Trials.of(dataset.to_table(columns=list(columns), use_threads=False).to_pandas())
        column_kinds = {name: kind for name, kind in COLUMNS_IN_MEMORY.items() if name in columns}
        extra = [name for name in (records.LINE.name, *extra_columns) if name in columns and name not in column_kinds]
        column_kinds |= dict.fromkeys(extra, "numbers")
        batches: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in column_kinds}
        words: dict[str, dict[str, int]] = {name: {} for name, kind in column_kinds.items() if not kind}
        # Both seats share their categories, so that players can be compared.
        words |= {"second": words["first"]} if "second" in words else {}
        for batch in dataset.to_batches(columns=list(column_kinds), use_threads=False):
            for name, kind in column_kinds.items():
                batches[name].append(_compact_column(batch.column(name), kind, words.get(name)))
    except (OSError, pa.ArrowException) as error:
        raise Unreadable(error_text(error)) from error
    content: dict[str, Any] = {}
    for name in column_kinds:
        codes = np.concatenate(batches.pop(name))
        content[name] = pd.Categorical.from_codes(codes, pd.Index(list(words[name]))) if name in words else codes
    file_rows: RowNumbers = np.arange(edges[-1]).astype(np.int32 if edges[-1] < 1 << 31 else np.int64)
    return Trials(pd.DataFrame(content, copy=False), columns, paths, file_rows, edges)


def _compact_column(column: Any, kind: str, words: dict[str, int] | None) -> npt.NDArray[Any]:
    """Return a column in a compact type; text becomes codes of the dictionary ``words``, which grows."""
    if words is None:
        numbers: npt.NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return numbers if kind == "numbers" else numbers.astype(kind)
    column = column if isinstance(column, pa.DictionaryArray) else column.dictionary_encode()
    codes = np.array([words.setdefault(str(word), len(words)) for word in column.dictionary.to_pylist()], np.int16)
    coded: npt.NDArray[Any] = codes[column.indices.to_numpy(zero_copy_only=False)]
    return coded


def _cell_name(key: Any) -> CellName:
    ruleset, first, second = (str(part) for part in key)
    return ruleset, first, second
