"""The record files of a report folder: how one is written, proved and read.

The games of a run lie in ``trials/``. Each file is immutable: it is written whole, then renamed to ``<digest of its
first cell>-<its first game>-<first 16 digits of its SHA-256>.parquet``, so that it proves itself from the moment it has
its name, and two files never disagree about a game. While games are missing there is a file for each block; at the end
all games lie in the order of cells, `GAMES_PER_FILE` in a file, and ``provenance.json`` lists these with their SHA-256.
Files may hold the same games twice: a kill in between loses none.
"""

from __future__ import annotations

import errno
import hashlib
import itertools
import json
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import reason_of, text_of
from workbench.files import output
from workbench.language import join, tr

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import dataset

TRIALS = "trials"
GAMES_PER_FILE = 20_000
"""Games in a file of a finished run: some megabytes, and what damage costs at most."""
_NAME = re.compile(r"([0-9a-f]{16})-([0-9]{8})-([0-9a-f]{16})\.parquet")
_KEY = b"workbench"


class Unreadable(Exception):
    """A record file that is truncated, damaged or not what its name says."""


class Unavailable(Exception):
    """A record file that exists but cannot be read at present, so its content is unknown."""


@dataclass(frozen=True)
class Segment:
    """Games of a cell without a gap, and the names of the cell."""

    cell: str
    """The digest of all that decides the games."""
    index: int
    ruleset: str
    first: str
    second: str
    start: int
    stop: int

    @property
    def count(self) -> int:
        """How many games these are."""
        return self.stop - self.start


@dataclass(frozen=True)
class Note:
    """What a record file says of its games."""

    experiment: str
    segments: tuple[Segment, ...]
    """In the order of the rows."""
    engines: Mapping[str, str]
    """Family -> digest of the engine that played."""

    def rows(self) -> list[int]:
        """The row where each segment begins."""
        return [0, *itertools.accumulate(one.count for one in self.segments)][:-1]

    def as_json(self) -> str:
        """The note as it stands in the file."""
        cells = [[*vars(one).values()] for one in self.segments]
        content = {"experiment": self.experiment, "cells": cells, "engines": dict(self.engines)}
        return json.dumps(content, sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True)
class RecordFile:
    """A whole record file."""

    path: Path
    sha256: str
    note: Note
    rows: int

    @property
    def place(self) -> str:
        """The file in its report folder, such as ``trials/NAME``."""
        return f"{TRIALS}/{self.path.name}"


def file_paths(folder: Path) -> list[Path]:
    """The record files of a report folder, sorted by name; a link is not followed."""
    if (folder / TRIALS).is_symlink():
        return []
    return sorted(path for path in (folder / TRIALS).glob("*.parquet") if _NAME.fullmatch(path.name))


def named_games(path: Path) -> tuple[str, int]:
    """The digest of the first cell and the first game, by the name of a file."""
    match = _NAME.fullmatch(path.name)
    assert match
    return match[1], int(match[2])


def cut(segments: Iterable[Segment]) -> Iterator[list[Segment]]:
    """The segments of each file of a finished run: `GAMES_PER_FILE` games, the last file fewer."""
    part: list[Segment] = []
    room = GAMES_PER_FILE
    for whole in segments:
        start = whole.start
        while start < whole.stop:
            stop = min(whole.stop, start + room)
            part.append(replace(whole, start=start, stop=stop))
            room -= stop - start
            start = stop
            if not room:
                yield part
                part, room = [], GAMES_PER_FILE
    if part:
        yield part


def digests_of(files: Iterable[RecordFile]) -> dict[str, str]:
    """The list of files for the provenance: their places with their SHA-256."""
    return {file.place: file.sha256 for file in files}


def missing_files(digests: Mapping[str, str] | None, files: Iterable[RecordFile]) -> list[str]:
    """The files that a provenance lists and that are not there, or others."""
    there = digests_of(files)
    return [place for place, sha256 in (digests or {}).items() if there.get(place) != sha256]


def write_file(folder: Path, table: pa.Table, note: Note) -> RecordFile:
    """Writes a record file that appears whole or not at all.

    Numbers that are missing are null, never NaN.

    Raises:
        output.Unwritable: the disk is full, say; nothing has changed.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = table.combine_chunks()
    for i, field in enumerate(table.schema):
        # Readers that are not pandas take NaN for a number, the greatest of all.
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


def require_regular_file(path: Path) -> Path:
    """The path, if it is that of a regular file: a pipe may never end, or never begin.

    Raises:
        OSError: it is not, or does not exist.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, tr("expected a file, found a folder, a pipe or a device"), str(path))
    return path


def read_file(path: Path) -> RecordFile:
    """Reads a whole record file and compares it with its name.

    Raises:
        Unreadable: it is damaged.
        Unavailable: it exists, but cannot be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        content = require_regular_file(path).read_bytes()
    except OSError as error:
        raise Unavailable(join(": ", (str(path), reason_of(error)))) from error
    sha256 = hashlib.sha256(content).hexdigest()
    match = _NAME.fullmatch(path.name)
    if not match or match[3] != sha256[:16]:
        raise Unreadable(tr("{path}: damaged", path=path))
    try:
        schema = pq.read_metadata(pa.BufferReader(content))
        said = json.loads(schema.metadata[_KEY])
        note = Note(said["experiment"], tuple(Segment(*one) for one in said["cells"]), said["engines"])
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError) as error:
        raise Unreadable(join(": ", (str(path), text_of(error)))) from error
    return RecordFile(path, sha256, note, schema.num_rows)


@lru_cache(maxsize=100_000)
def _read_cached(path: Path, changed: int, size: int) -> RecordFile | None:
    """The file, or None if it is damaged; the time of change and the size are its identity."""
    try:
        return read_file(path)
    except Unreadable:
        return None


def read_unchanged(path: Path) -> RecordFile:
    """The file as `read_file` gives it, read once as long as it does not change.

    Raises:
        Unreadable: it is damaged.
        Unavailable: it cannot be read, or is gone.
    """
    try:
        about = path.stat()
    except OSError as error:
        raise Unavailable(join(": ", (str(path), reason_of(error)))) from error
    if file := _read_cached(path, about.st_mtime_ns, about.st_size):
        return file
    raise Unreadable(tr("{path}: damaged", path=path))


def read_table(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """The rows of a file, with some columns or all.

    Raises:
        Unreadable: it is damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            return file.read(columns=columns, use_threads=False).replace_schema_metadata(None)
    except (OSError, pa.ArrowException) as error:
        raise Unreadable(join(": ", (str(path), text_of(error)))) from error


def open_dataset(paths: Sequence[Path], also: pa.Schema | None = None) -> dataset.Dataset:
    """The files as one table that is not read yet; columns that some lack are null there, as those of ``also`` are.

    Raises:
        Unreadable: a file is damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow import dataset

    checking = dataset.ParquetFragmentScanOptions(page_checksum_verification=True)
    form = dataset.ParquetFileFormat(default_fragment_scan_options=checking)
    try:
        schemas = [pq.read_schema(path).remove_metadata() for path in paths]
        schema = pa.unify_schemas([*schemas, also or pa.schema([])])
        return dataset.dataset([str(path) for path in paths], schema=schema, format=form)
    except (OSError, pa.ArrowException) as error:
        raise Unreadable(text_of(error)) from error
