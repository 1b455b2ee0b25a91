"""Trial records: columns, the table of a block of games, and the files in ``trials/``. One row is one game.

Files are immutable: each is written whole, then renamed to ``<digest of its first cell>-<its first game>-<first 16
digits of its SHA-256>.parquet``, so a file is verifiable as soon as it has its name. An unfinished run has a file per
block. A finished run has the games in the order of cells, `GAMES_PER_FILE` in a file, and ``provenance.json`` lists
their SHA-256. Two files may contain the same games, so a kill in between loses none.

This module does not import pandas.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from workbench.base import output
from workbench.base.errors import error_text, system_reason
from workbench.base.language import join, tr
from workbench.engine.players import NUMBERS
from workbench.games import results
from workbench.games.declaration import Declaration

if TYPE_CHECKING:
    import pandas as pd
    from pyarrow import dataset


FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r", "\n")
"""Prefixes of text that spreadsheets interpret as a formula."""
OPENING_PLIES = 6
"""Plies of a game that are recorded as its opening."""


@dataclass(frozen=True)
class Column:
    """One column of a trial record."""

    name: str
    dtype: str
    """The pyarrow type, by name."""
    unit: str
    meaning: str


COLUMNS = (
    Column("experiment", "string", "", "Name of the experiment: the stem of its file."),
    Column("ruleset", "string", "", "Full name of the ruleset, such as chatra/2008-02."),
    Column("fingerprint", "string", "", "Fingerprint of the resolved rules."),
    Column("first", "string", "", "Label of the agent in the first seat."),
    Column("second", "string", "", "Label of the agent in the second seat."),
    Column("cell", "int32", "", "Number of the cell (ruleset and pairing) in the experiment, from 0."),
    Column("game", "int32", "", "Number of the game in its cell, from 0."),
    Column("seed", "uint64", "", "Seed of this game's random numbers."),
    Column("result", "string", "", "first or second (the seat that won), draw, or unfinished (stopped at max_plies)."),
    Column(
        "termination", "string", "", "Why the game ended: cap, adjudicated, repetition, or an ending of the family."
    ),
    Column("plies", "int32", "plies", "Moves played by both seats."),
    Column("turns", "int32", "turns", "Turns played; a turn is the plies that one seat makes in a row."),
    Column("legal_moves", "double", "moves", "Number of legal moves, as the mean over the plies of the game."),
    *(Column(number.name, "double", number.unit, number.sentence) for number in NUMBERS),
    Column("opening", "string", "", f"The first {OPENING_PLIES} plies in the family's notation, with spaces between."),
    Column("game_hash", "string", "", "Hash of the whole list of moves, 16 hex digits: equal for equal games."),
)
LINE = Column(
    "line", "int32", "", tr("Index of the opening line, from 0, in its ruleset's list in provenance.json."),
)  # fmt: skip
"""A column of experiments with openings only."""
MOVES = Column(
    "moves",
    "string",
    "",
    tr("All moves of the game as codes of the family's kernel, separated by spaces; empty if not recorded."),
)
"""A column of experiments that record moves; files without it are read as if it were empty."""
SWAPPED = Column(
    "swapped",
    "int32",
    "",
    tr("1 if the second player took the first side (the pie rule), else 0. Results refer to the players."),
)
"""A column of experiments in which sides may be swapped."""
TRACES = (
    Column(
        "evaluation_by_ply", "list<int16>", "thousandths", "The first seat's expected score after each ply, -1 to 1."
    ),
    Column("legal_moves_by_ply", "list<int32>", "moves", "Number of legal moves before each ply."),
)
"""Columns filled for the first games of each cell; data frames omit them."""
PEOPLE = (
    Column("first_rating", "int32", "Elo", tr("Rating of the first seat's player; empty if unknown.")),
    Column("second_rating", "int32", "Elo", tr("The second player's rating.")),
    Column("date", "string", "", tr("Date of the game, such as 2024.05.31; empty if unknown.")),
    Column("event", "string", "", tr("Event named in the file.")),
    Column("source_file", "string", "", tr("File that contains the game.")),
    Column("source_game", "int32", "", tr("Number of the game in that file, from 1.")),
)
"""Columns of imported games between people."""
JUDGED = ["ruleset", "first", "second", "game", "result", "termination", "plies", "legal_moves", "game_hash"]
"""The columns that interim analyses need."""
STOPPED = ("cap", "adjudicated")
"""Endings of games that were stopped at max_plies."""


def event_columns(declarations: Iterable[Declaration]) -> tuple[Column, ...]:
    """Return the count columns of the families' events, ``event_<name>``, which families may share."""
    columns: dict[str, Column] = {}
    for declaration in declarations:
        for event in declaration.events:
            name = f"event_{event.name}"
            columns.setdefault(name, Column(name, "int32", "count", event.sentence))
    return tuple(columns.values())


def arrow_schema(columns: Sequence[Column]) -> pa.Schema:
    """Return the Arrow schema of the columns, in their order."""
    types = {name: pa.type_for_alias(name) for name in ("string", "int32", "uint64", "double")}
    types |= {f"list<{name}>": pa.list_(pa.type_for_alias(name)) for name in ("int16", "int32")}
    return pa.schema([(column.name, types[column.dtype]) for column in columns])


def block_table(
    names: Mapping[str, str | int], start: int, seeds: np.ndarray[Any, Any], arrays: Mapping[str, Any],
    declaration: Declaration, columns: Sequence[Column],
) -> pa.Table:  # fmt: skip
    """Return the records of a block of games as a table.

    Args:
        names: the columns that are constant in the cell.
        start: index of the block's first game in its cell.
        seeds: uint64, one per game.
        arrays: the engine's arrays for the block, with ``opening`` as text.
        declaration: the game family, whose events are the columns of ``arrays["events"]``.
        columns: the columns of the experiment; events of other families are null.

    Raises:
        ValueError: the engine returned an undeclared code, or a wrong number of games.
    """
    count = len(seeds)
    per_game = ("result", "termination", "plies", "turns", "legal_moves", "game_hash", "events", "opening")
    if unequal := [name for name in per_game if len(arrays[name]) != count]:
        message = tr("the engine was given {count} games but returned a different number: {names}")
        raise ValueError(message.format(count=count, names=unequal))
    endings = results.all_endings(declaration)
    if codes := {int(code) for code in np.unique(arrays["termination"])} - set(endings):
        undeclared = tr("the engine returned endings not declared by {declaration}: {codes}")
        raise ValueError(undeclared.format(declaration=declaration.name, codes=sorted(codes)))
    fields = arrow_schema(columns)
    types = {field.name: field.type for field in fields}
    content: dict[str, Any] = {name: pa.repeat(pa.scalar(value, types[name]), count) for name, value in names.items()}
    content |= {name: values for name, values in arrays.items() if name in types}
    content |= {
        "game": np.arange(start, start + count), "seed": seeds,
        "result": [str(results.RESULTS[code]) for code in arrays["result"].tolist()],
        "termination": [endings[code].name for code in arrays["termination"].tolist()],
        "game_hash": [f"{number:016x}" for number in arrays["game_hash"].tolist()],
    }  # fmt: skip
    content |= {f"event_{event.name}": arrays["events"][:, i] for i, event in enumerate(declaration.events)}
    arrow_columns = []
    for field in fields:
        values = content.get(field.name, pa.nulls(count, field.type))
        arrow_columns.append(values if isinstance(values, pa.Array) else pa.array(values, type=field.type))
    return pa.table(arrow_columns, schema=fields)


def to_csv(table: pd.DataFrame, float_format: str) -> str:
    """Return a table as CSV text, with numbers formatted by a format such as ``%.6g``.

    Text that begins with one of `FORMULA_PREFIXES` is escaped by an apostrophe.

    Source: OWASP, "CSV Injection".
    """

    def escape(value: Any) -> Any:
        return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_PREFIXES) else value

    is_text = {name: column.dtype.kind not in "biuf" for name, column in table.items()}
    quoted = table.astype({name: object for name, text in is_text.items() if text})
    for name, text in is_text.items():
        if text:
            quoted[name] = quoted[name].map(escape)
    return str(quoted.rename(columns=escape).to_csv(index=False, float_format=float_format, lineterminator="\n"))


def with_constant_columns(table: pa.Table, names: Mapping[str, str | int]) -> pa.Table:
    """Return the table with some columns replaced by constants."""
    for name, value in names.items():
        index = table.schema.get_field_index(name)
        field = table.schema.field(index)
        table = table.set_column(index, field, pa.repeat(pa.scalar(value, field.type), table.num_rows))
    return table


GAME_COLUMNS = ("fingerprint", "first", "second", "game", "seed", "result", "termination", "plies", "game_hash")
"""The columns that identify the games played, whatever the names of rulesets and experiments."""

TRACED_GAMES = 100
"""The number of games at the start of each cell that are traced."""
MAX_TRACED_PLIES = 2000
"""The most plies of a game that are traced."""
CELL_COLUMNS = ("ruleset", "first", "second")
"""The columns that name a cell."""


def read_traces(folder: Path) -> pd.DataFrame:
    """Return the traces of a report folder, without duplicate games.

    ``plies`` is the length of the game. ``evaluations`` (the first seat's expected score after each ply, -1 to 1, in
    thousandths) and ``legal_moves`` (before each ply) end after `MAX_TRACED_PLIES` plies.

    Raises:
        Unreadable: a file is damaged.
    """
    evaluations, legal_moves = TRACES
    columns = {name: pc.field(name) for name in (*CELL_COLUMNS, "game", "plies")}
    columns |= {"evaluations": pc.field(evaluations.name), "legal_moves": pc.field(legal_moves.name)}
    dataset = open_dataset(file_paths(folder), arrow_schema(TRACES))
    try:
        table = dataset.to_table(columns=columns, filter=pc.field(evaluations.name).is_valid(), use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise Unreadable(error_text(error)) from error
    frame: pd.DataFrame = table.to_pandas()
    return frame.drop_duplicates([*CELL_COLUMNS, "game"], ignore_index=True)


TRIALS = "trials"
GAMES_PER_FILE = 20_000
"""Games per file of a finished run: some megabytes, and the most that one damaged file loses."""
_NAME = re.compile(r"([0-9a-f]{16})-([0-9]{8})-([0-9a-f]{16})\.parquet")
_KEY = b"workbench"


class Unreadable(Exception):
    """A record file that is damaged or does not match its name."""


class Unavailable(Exception):
    """A record file that exists but cannot be read at present, so its content is unknown."""


@dataclass(frozen=True)
class Segment:
    """Consecutive games of a cell, and the names of the cell."""

    cell: str
    """The digest of everything that determines the games."""
    index: int
    ruleset: str
    first: str
    second: str
    start: int
    stop: int

    @property
    def count(self) -> int:
        """The number of games."""
        return self.stop - self.start


@dataclass(frozen=True)
class Note:
    """The metadata of a record file."""

    experiment: str
    segments: tuple[Segment, ...]
    """In the order of the rows."""
    engines: Mapping[str, str]
    """The digest of the engine for each family."""

    def first_rows(self) -> list[int]:
        """Return the first row of each segment."""
        return [0, *itertools.accumulate(segment.count for segment in self.segments)][:-1]

    def as_json(self) -> str:
        """Return the metadata as the JSON text to store in the file."""
        cells = [[*vars(segment).values()] for segment in self.segments]
        content = {"experiment": self.experiment, "cells": cells, "engines": dict(self.engines)}
        return json.dumps(content, sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True)
class RecordFile:
    """An undamaged record file."""

    path: Path
    sha256: str
    note: Note
    rows: int

    @property
    def place(self) -> str:
        """The path within the report folder, such as ``trials/NAME``."""
        return f"{TRIALS}/{self.path.name}"


def file_paths(folder: Path) -> list[Path]:
    """Return the record files of a report folder, sorted by name, without following links."""
    if (folder / TRIALS).is_symlink():
        return []
    return sorted(path for path in (folder / TRIALS).glob("*.parquet") if _NAME.fullmatch(path.name))


def file_segments(segments: Iterable[Segment]) -> Iterator[list[Segment]]:
    """Yield the segments of each file of a finished run; all files but the last have `GAMES_PER_FILE` games."""
    part: list[Segment] = []
    capacity = GAMES_PER_FILE
    for segment in segments:
        start = segment.start
        while start < segment.stop:
            stop = min(segment.stop, start + capacity)
            part.append(replace(segment, start=start, stop=stop))
            capacity -= stop - start
            start = stop
            if not capacity:
                yield part
                part, capacity = [], GAMES_PER_FILE
    if part:
        yield part


def file_digests(files: Iterable[RecordFile]) -> dict[str, str]:
    """Return the SHA-256 of files by their paths in the report folder."""
    return {file.place: file.sha256 for file in files}


def missing_files(digests: Mapping[str, str] | None, files: Iterable[RecordFile]) -> list[str]:
    """Return the listed files that are missing or have another digest."""
    present = file_digests(files)
    return [path for path, sha256 in (digests or {}).items() if present.get(path) != sha256]


def write_file(folder: Path, table: pa.Table, note: Note) -> RecordFile:
    """Write a record file atomically; raise `output.Unwritable` if the system refuses."""
    table = table.combine_chunks()
    for i, field in enumerate(table.schema):
        # Missing numbers are null, because readers other than pandas treat NaN as a number.
        if pa.types.is_floating(field.type):
            table = table.set_column(i, field, pc.if_else(pc.is_nan(table[i]), None, table[i]))
    stream = pa.BufferOutputStream()
    pq.write_table(
        table.replace_schema_metadata({_KEY: note.as_json().encode()}), stream, row_group_size=max(1, table.num_rows),
        compression="zstd", version="2.6", write_page_checksum=True, write_statistics=False,
    )  # fmt: skip
    content = stream.getvalue()
    sha256 = hashlib.sha256(content).hexdigest()
    first = note.segments[0]
    path = folder / TRIALS / f"{first.cell}-{first.start:08d}-{sha256[:16]}.parquet"
    output.make_folder(path.parent)
    if not (path.is_file() and path.read_bytes() == content):
        output.write_file(path, content)
    return RecordFile(path, sha256, note, table.num_rows)


def read_file(path: Path) -> RecordFile:
    """Verify a record file and return it; raise `Unreadable` if it is damaged, `Unavailable` if it cannot be read."""
    try:
        content = output.require_regular_file(path).read_bytes()
    except OSError as error:
        raise Unavailable(join(": ", (str(path), system_reason(error)))) from error
    sha256 = hashlib.sha256(content).hexdigest()
    match = _NAME.fullmatch(path.name)
    if not match or match[3] != sha256[:16]:
        raise Unreadable(tr("{path}: damaged", path=path))
    try:
        schema = pq.read_metadata(pa.BufferReader(content))
        stored = json.loads(schema.metadata[_KEY])
        note = Note(stored["experiment"], tuple(Segment(*cell) for cell in stored["cells"]), stored["engines"])
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError) as error:
        raise Unreadable(join(": ", (str(path), error_text(error)))) from error
    return RecordFile(path, sha256, note, schema.num_rows)


@lru_cache(maxsize=100_000)
def _read_version(path: Path, changed: int, size: int) -> RecordFile:
    return read_file(path)


def read_file_cached(path: Path) -> RecordFile:
    """Return the result of `read_file`, cached until the file's size or modification time changes."""
    try:
        status = path.stat()
    except OSError as error:
        raise Unavailable(join(": ", (str(path), system_reason(error)))) from error
    return _read_version(path, status.st_mtime_ns, status.st_size)


def read_table(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the rows of a file, with all columns by default; raise `Unreadable` if it is damaged."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            return file.read(columns=columns, use_threads=False).replace_schema_metadata(None)
    except (OSError, pa.ArrowException) as error:
        raise Unreadable(join(": ", (str(path), error_text(error)))) from error


def open_dataset(paths: Sequence[Path], extra_schema: pa.Schema | None = None) -> dataset.Dataset:
    """Return the files as one lazy table with nulls for missing columns; raise `Unreadable` for damaged files."""
    from pyarrow import dataset

    scan_options = dataset.ParquetFragmentScanOptions(page_checksum_verification=True)
    file_format = dataset.ParquetFileFormat(default_fragment_scan_options=scan_options)
    try:
        schemas = [pq.read_schema(path).remove_metadata() for path in paths]
        schema = pa.unify_schemas([*schemas, extra_schema or pa.schema([])])
        return dataset.dataset([str(path) for path in paths], schema=schema, format=file_format)
    except (OSError, pa.ArrowException) as error:
        raise Unreadable(error_text(error)) from error
