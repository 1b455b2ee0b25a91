"""The games of an experiment for those who count them: what is compared of all of them, the rest cell by cell.

Of few games every column is in memory. Of `MANY` and more these are the columns by which experiments are judged, some
thirty bytes a game; others are read from the files when they are asked for, those of one cell at a time.
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
import pyarrow.parquet as pq
from pyarrow import csv

from workbench.store import records

CELL = ["ruleset", "first", "second"]
"""The columns that name a cell: a ruleset and the agents in its two seats."""
CellName = tuple[str, str, str]
MANY = 1 << 19
"""Games from which on only some columns are in memory."""
BUNDLE = 1 << 24
"""Numbers of a cell that are read at once, whether or not they were asked for."""
BATCH = 1 << 18
"""Rows that are read at once."""
KEPT = {
    "ruleset": "", "first": "", "second": "", "game": "int32", "result": "", "termination": "", "plies": "int32",
    "legal_moves": "float64",
}  # fmt: skip
"""The columns that are kept of all games, with their types; "" for words."""

Rows = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Trials:
    """The games of an experiment, or some of them."""

    games: pd.DataFrame
    """A row a game; all columns, or `KEPT` and those that were asked for besides. Cell names may be categories."""
    columns: tuple[str, ...]
    """All columns that there are."""
    files: tuple[Path, ...] = ()
    """Where the other columns are; none if all are in ``games``."""
    at: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """For each game its row in the files, as if they were one."""
    edges: tuple[int, ...] = (0,)
    """The row where each file begins, and the one behind the last."""

    @staticmethod
    def of(games: Trials | pd.DataFrame) -> Trials:
        """The same games; records that are in memory as they are."""
        return games if isinstance(games, Trials) else Trials(games, tuple(map(str, games.columns)))

    def __len__(self) -> int:
        return len(self.games)

    def kept(self, some: npt.NDArray[np.bool_] | pd.Series) -> Trials:
        """Some of the games."""
        where = np.asarray(some, dtype=np.bool_)
        return replace(self, games=self.games[where], at=self.at[where] if self.files else self.at)

    def taken(self, places: npt.NDArray[np.intp]) -> Trials:
        """The games at these places, in this order, numbered anew."""
        games = self.games.iloc[places].reset_index(drop=True)
        return replace(self, games=games, at=self.at[places] if self.files else self.at)

    def assign(self, **columns: Any) -> Trials:
        """The same games with other columns, or more of them."""
        games = self.games.assign(**columns)
        return replace(self, games=games, columns=tuple(dict.fromkeys([*self.columns, *map(str, games.columns)])))

    @cached_property
    def places(self) -> dict[CellName, npt.NDArray[np.intp]]:
        """Where the games of each cell are, in the order in which cells first occur."""
        if self.files and len(self):
            number = np.zeros(len(self), dtype=np.int32)
            for name in CELL:
                words = self.games[name].cat
                number = number * len(words.categories) + words.codes.to_numpy()
            starts = np.flatnonzero(np.diff(number, prepend=-1))
            # One cell after the other, as a run leaves them.
            if len(np.unique(number[starts])) == len(starts):
                names = self.games[CELL].iloc[starts].itertuples(index=False, name=None)
                runs = zip(starts, [*starts[1:], len(self)], strict=True)
                return {_name(name): np.arange(*run) for name, run in zip(names, runs, strict=True)}
        grouped = self.games.groupby(CELL, sort=False, observed=True)
        places = {_name(key): np.asarray(rows, dtype=np.intp) for key, rows in grouped.indices.items() if len(rows)}
        return dict(sorted(places.items(), key=lambda item: int(item[1][0])))

    @property
    def cells(self) -> list[CellName]:
        """The cells that have games, in the order in which they first occur."""
        return list(self.places)

    def cell(self, name: CellName) -> pd.DataFrame:
        """The games of a cell, with the columns that are in memory; no rows if it has none."""
        places = self.places.get(name)
        if places is None:
            return self.games.iloc[:0]
        if len(places) == places[-1] - places[0] + 1:
            return self.games.iloc[int(places[0]) : int(places[-1]) + 1]
        return self.games.iloc[places]

    def column(self, name: CellName, column: str) -> pd.Series:
        """A column of the games of a cell, whether or not it is in memory.

        Raises:
            records.Unreadable: the files are no longer as they were.
        """
        games = self.cell(name)
        if column in games or not self.files or not len(games):
            return games[column] if column in games else pd.Series(dtype=np.float64)
        others = [each for each in self.columns if each not in self.games]
        wanted = others if len(games) * len(others) <= BUNDLE else [column]
        known = self._read.get("cell")
        if known is None or known[0] != (name, tuple(wanted)):
            known = (name, tuple(wanted)), self._from_files(self.at[self.places[name]], wanted).set_axis(games.index)
            self._read["cell"] = known
        return known[1][column]

    @cached_property
    def _read(self) -> dict[str, tuple[Any, pd.DataFrame]]:
        """The columns that were read last, of which cell."""
        return {}

    def rows(self, labels: Sequence[Any]) -> pd.DataFrame:
        """Whole records of some games, by their labels in the index of ``games``."""
        if not self.files:
            return self.games.loc[list(labels)]
        return self._records(self.games.index.get_indexer(pd.Index(labels)), self.columns)

    def _records(self, places: npt.NDArray[np.intp], columns: Sequence[str]) -> pd.DataFrame:
        """Some columns of the games at these places."""
        some = self.games[[each for each in columns if each in self.games]].iloc[places]
        some = some.astype({name: str for name in some if not KEPT.get(str(name), "numbers")})
        others = [each for each in columns if each not in self.games]
        if others and len(some):
            some = some.join(self._from_files(self.at[places], others).set_axis(some.index))
        return some[list(columns)] if len(some) else some

    def digest(self) -> str:
        """The SHA-256 of the games, as text: equal if and only if the same games of the same rules were played.

        It is taken of the columns `records.PLAYED`, in the order of the games, written as CSV: neither the version of a
        library nor the order of rulesets in an experiment changes it.
        """
        whole = hashlib.sha256()
        alike: dict[tuple[str, str, str], list[CellName]] = {}
        for cell in self.cells:
            # Two names of the same rules are one.
            for fingerprint in self.column(cell, "fingerprint").unique():
                alike.setdefault((str(fingerprint), *cell[1:]), []).append(cell)
        header = True
        for (fingerprint, _, _), cells in sorted(alike.items()):
            played = {name: _joined([self.column(cell, name) for cell in cells]) for name in records.PLAYED}
            there = np.flatnonzero(played["fingerprint"] == fingerprint)
            order = there[np.argsort(played["game"].to_numpy()[there], kind="stable")]
            for start in range(0, len(order), BATCH):
                part = pd.DataFrame({name: each.iloc[order[start : start + BATCH]] for name, each in played.items()})
                part = part.astype({name: str for name in records.PLAYED if part[name].dtype.kind not in "iu"})
                stream = pa.BufferOutputStream()
                table = pa.Table.from_pandas(part, preserve_index=False)
                csv.write_csv(table, stream, csv.WriteOptions(include_header=header))
                whole.update(stream.getvalue())
                header = False
        return whole.hexdigest()

    def frame(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """All games in memory, with some columns or all."""
        columns = self.columns if columns is None else columns
        if not self.files:
            return self.games if tuple(columns) == self.columns else self.games[list(columns)]
        return self._records(np.arange(len(self)), columns)

    def _from_files(self, at: Rows, columns: Sequence[str]) -> pd.DataFrame:
        """Columns of the rows ``at``."""
        order = np.argsort(at, kind="stable")
        at = at[order]
        parts = []
        for number, path in enumerate(self.files):
            first, last = self.edges[number : number + 2]
            low, high = np.searchsorted(at, [first, last])
            if low < high:
                parts.append(_rows_of(path, last - first, at[low:high] - first, columns))
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return pd.concat(parts, ignore_index=True).iloc[back]


def _rows_of(path: Path, size: int, at: Rows, columns: Sequence[str]) -> pd.DataFrame:
    """Columns of some rows, which are sorted, of a file with ``size`` rows."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            about = file.metadata
            edges = np.cumsum([0, *(about.row_group(group).num_rows for group in range(about.num_row_groups))])
            if edges[-1] != size:
                raise records.Unreadable(f"{path}: {edges[-1]:,} rows, not {size:,}")
            groups = np.unique(np.searchsorted(edges, at, side="right") - 1)
            before = np.cumsum([0, *np.diff(edges)[groups]])
            place = np.searchsorted(groups, np.searchsorted(edges, at, side="right") - 1)
            table = file.read_row_groups(groups.tolist(), columns=list(columns), use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise records.Unreadable(f"{path}: {error}") from error
    rows = before[place] + at - edges[groups[place]]
    if len(rows) == rows[-1] - rows[0] + 1:
        some = table.slice(int(rows[0]), len(rows))
    else:
        some = table.take(pa.array(rows))
    frame: pd.DataFrame = some.to_pandas()
    return frame


def read(paths: Sequence[Path], also: Iterable[str] = ()) -> Trials:
    """All games of record files that were checked, one file after the other; ``also`` names columns to be kept.

    Raises:
        records.Unreadable: a file is damaged, or they have different columns.
    """
    schemas, counts = [], []
    for path in paths:
        try:
            with pq.ParquetFile(path) as file:
                schemas.append(file.schema_arrow)
                counts.append(file.metadata.num_rows)
        except (OSError, pa.ArrowException) as error:
            raise records.Unreadable(f"{path}: {error}") from error
    columns = tuple(dict.fromkeys(name for schema in schemas for name in schema.names))
    edges = tuple(int(edge) for edge in np.cumsum([0, *counts]))
    if edges[-1] < MANY:
        parts = [_whole(path) for path in paths]
        return Trials.of(pd.concat([part for part in parts if len(part)] or parts, ignore_index=True))
    kept = {name: kind for name, kind in KEPT.items() if name in columns}
    kept |= {name: "numbers" for name in (records.LINE.name, *also) if name in columns and name not in kept}
    pieces: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in kept}
    words: dict[str, dict[str, int]] = {name: {} for name, kind in kept.items() if not kind}
    # Players of both seats are compared with one another.
    words |= {"second": words["first"]} if "second" in words else {}
    for path in paths:
        try:
            with pq.ParquetFile(path, read_dictionary=list(words), page_checksum_verification=True) as file:
                for batch in file.iter_batches(BATCH, columns=list(kept), use_threads=False):
                    for name, kind in kept.items():
                        pieces[name].append(_compact(batch.column(name), kind, words.get(name)))
        except (OSError, pa.ArrowException) as error:
            raise records.Unreadable(f"{path}: {error}") from error
    content: dict[str, Any] = {}
    for name in kept:
        whole = np.concatenate(pieces.pop(name))
        content[name] = pd.Categorical.from_codes(whole, pd.Index(list(words[name]))) if name in words else whole
    at: Rows = np.arange(edges[-1]).astype(np.int32 if edges[-1] < 1 << 31 else np.int64)
    return Trials(pd.DataFrame(content, copy=False), columns, tuple(paths), at, edges)


def _whole(path: Path) -> pd.DataFrame:
    try:
        table: pd.DataFrame = pq.read_table(path, page_checksum_verification=True).to_pandas()
    except (OSError, pa.ArrowException) as error:
        raise records.Unreadable(f"{path}: {error}") from error
    return table


def _compact(column: Any, kind: str, words: dict[str, int] | None) -> npt.NDArray[Any]:
    """A column of a batch in as few bytes as it takes; of words the codes, in a dictionary that grows."""
    if words is None:
        numbers: npt.NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return numbers if kind == "numbers" else numbers.astype(kind)
    column = column if isinstance(column, pa.DictionaryArray) else column.dictionary_encode()
    codes = np.array([words.setdefault(str(word), len(words)) for word in column.dictionary.to_pylist()], np.int16)
    coded: npt.NDArray[Any] = codes[column.indices.to_numpy(zero_copy_only=False)]
    return coded


def _joined(parts: Sequence[pd.Series]) -> pd.Series:
    return parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)


def _name(key: Any) -> CellName:
    ruleset, first, second = (str(part) for part in key)
    return ruleset, first, second
