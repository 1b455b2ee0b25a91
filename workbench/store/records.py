"""Trial records: their columns, and how they are written to Parquet and read back.

One row is one game. A block file holds some games of one cell; the finished file holds all games in canonical order
(cell, game) and is the same, byte for byte, however the games were played: its rows are written in groups of fixed
size, with fixed settings, without dates and without a pandas index.

A file proves itself: its footer holds a digest of every row group and one of the footer, so no changed bit is read, and
what is whole of a damaged file is known. `verify_records` says so; nothing is read from a file that was not checked.

Import of this module starts neither pandas nor pyarrow.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from workbench.engine.game_numbers import NUMBERS
from workbench.errors import reason_of, text_of
from workbench.files import output
from workbench.games import results
from workbench.games.declaration import Declaration
from workbench.language import SEMICOLON, join, tr

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa


FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r", "\n")
"""Prefixes of text that spreadsheets take for a formula."""


OPENING_PLIES = 6
"""Plies of a game that its record holds as its opening."""


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
    "line",
    "int32",
    "",
    tr("Number of the line that the game began with, from 0, in the list of its ruleset in provenance.json."),
)
"""A column of experiments with openings; others do not have it."""
MOVES = Column(
    "moves",
    "string",
    "",
    tr("The moves of the whole game, as the family's kernel numbers them, with spaces between; empty if not kept."),
)
"""A column of experiments that keep the moves. It is read of files without it, too: as empty."""
SWAPPED = Column(
    "swapped",
    "int32",
    "",
    tr("1 where the second player took the first side (the pie rule), else 0. The result is that of the players."),
)
"""A column of experiments in which sides may be swapped; others do not have it."""
PEOPLE = (
    Column("first_rating", "int32", "Elo", tr("Rating of the first seat's player; empty if not known.")),
    Column("second_rating", "int32", "Elo", tr("Rating of the second seat's player.")),
    Column("date", "string", "", tr("When people played it, such as 2024.05.31; empty if not known.")),
    Column("event", "string", "", tr("The event that its file names.")),
    Column("source_file", "string", "", tr("The file that it was read from.")),
    Column("source_game", "int32", "", tr("Its number in that file, from 1.")),
)
"""Columns of games that people have played elsewhere; experiments do not have them."""
JUDGED = ["ruleset", "first", "second", "game", "result", "termination", "plies", "legal_moves", "game_hash"]
"""The columns by which experiments that may end early are judged."""
STOPPED = ("cap", "adjudicated")
"""Endings of games that were stopped at max_plies, whatever their result: they would have lasted longer."""

ROWS_PER_GROUP = 1 << 11
"""Rows in a row group of the finished file: fixed, so that the size of the blocks leaves no trace in it, and few, since
damage costs all games of a row group."""
_KEY, _DIGESTS = b"workbench", b"workbench.digests"
_SEAL_PATTERN = re.compile(rb'\{"footer": "([0-9a-f]{64})", "groups": (\[[0-9a-f", \[\]]*\])\}')
_UNSEALED = "0" * 64
"""Placeholder for the footer's digest while that is computed."""


class Unreadable(Exception):
    """A record file that is truncated, damaged or not what its name says."""


class Unavailable(Exception):
    """A record file that exists but cannot be read at present, so its content is unknown."""


@dataclass(frozen=True)
class Verification:
    """The result of `verify_records`: the parts of a record file that are intact."""

    note: Mapping[str, Any]
    count: int
    """Rows, damaged ones included."""
    damaged: tuple[tuple[int, int], ...]
    """Ranges of damaged rows: from, and up to without."""
    sha256: str
    """Of all bytes of the file."""

    def cells(self) -> list[tuple[str, int]]:
        """The cells of a finished file in order: digest, and number of games in this file."""
        return [(str(line[0]), int(line[4])) for line in self.note["cells"]]

    @property
    def start(self) -> int:
        """The number of the first game in its cell."""
        return int(self.note.get("start", 0))

    def intact_ranges(self, first: int, last: int) -> list[tuple[int, int]]:
        """The ranges of undamaged rows from ``first`` up to ``last``."""
        pieces = []
        position = first
        for low, high in [*self.damaged, (last, last)]:
            low, high = min(max(low, first), last), min(max(high, first), last)
            if position < low:
                pieces.append((position, low))
            position = max(position, high)
        return pieces


def event_columns(declarations: Iterable[Declaration]) -> tuple[Column, ...]:
    """The count columns of the families' events, ``event_<name>``; families may share one."""
    columns: dict[str, Column] = {}
    for declaration in declarations:
        for event in declaration.events:
            name = f"event_{event.name}"
            columns.setdefault(name, Column(name, "int32", "count", event.sentence))
    return tuple(columns.values())


def arrow_schema(columns: Sequence[Column]) -> pa.Schema:
    """The Arrow schema of the columns, in their order."""
    import pyarrow as pa

    return pa.schema([(column.name, pa.type_for_alias(column.dtype)) for column in columns])


def block_table(
    names: Mapping[str, str | int],
    start: int,
    seeds: np.ndarray[Any, Any],
    arrays: Mapping[str, Any],
    declaration: Declaration,
    columns: Sequence[Column],
) -> pa.Table:
    """The records of one block of games.

    Args:
        names: the columns that are the same for all games of the cell.
        start: number of the block's first game in its cell.
        seeds: uint64, one a game.
        arrays: what the engine returned for the block, but for ``opening``: the text of each game's first moves.
        declaration: the game family; its events come in this order in ``arrays["events"]``.
        columns: `COLUMNS` and the event columns of the experiment; events of other families stay empty.

    Raises:
        ValueError: the engine returned a code that nobody declared, or a number of games other than that of seeds.
    """
    import numpy as np
    import pyarrow as pa

    count = len(seeds)
    per_game = ("result", "termination", "plies", "turns", "legal_moves", "game_hash", "events", "opening")
    wrong = [
        tr("{name} has {count}", name=name, count=len(arrays[name])) for name in per_game if len(arrays[name]) != count
    ]
    if wrong:
        raise ValueError(
            tr(
                "the engine returned another number of games than the {count} it got: {wrong}",
                count=count,
                wrong=", ".join(wrong),
            )
        )
    endings = results.all_endings(declaration)
    if codes := {int(code) for code in np.unique(arrays["termination"])} - set(endings):
        raise ValueError(
            tr(
                "the engine returned endings that {declaration} does not declare: {codes}",
                declaration=declaration.name,
                codes=sorted(codes),
            )
        )
    types = {column.name: pa.type_for_alias(column.dtype) for column in columns}
    content: dict[str, Any] = {name: pa.repeat(pa.scalar(value, types[name]), count) for name, value in names.items()}
    content |= {
        "game": np.arange(start, start + count),
        "seed": seeds,
        "result": _words_of_codes(arrays["result"], {code: str(name) for code, name in enumerate(results.RESULTS)}),
        "termination": _words_of_codes(arrays["termination"], {code: ending.name for code, ending in endings.items()}),
        "plies": arrays["plies"],
        "turns": arrays["turns"],
        "legal_moves": arrays["legal_moves"],
        "opening": arrays["opening"],
        "game_hash": _hexadecimal(arrays["game_hash"]),
    }
    content |= {
        name: arrays[name]
        for name in (*(number.name for number in NUMBERS), LINE.name, SWAPPED.name, MOVES.name)
        if name in arrays
    }
    content |= {f"event_{event.name}": arrays["events"][:, i] for i, event in enumerate(declaration.events)}
    fields = arrow_schema(columns)
    arrays_in_order = []
    for field in fields:
        values = content.get(field.name, pa.nulls(count, field.type))
        arrays_in_order.append(values if isinstance(values, pa.Array) else pa.array(values, type=field.type))
    return pa.table(arrays_in_order, schema=fields)


def _words_of_codes(codes: Any, words: Mapping[int, str]) -> pa.Array:
    """The word of each code."""
    import numpy as np
    import pyarrow as pa

    codes_in_order = sorted(words)
    positions = np.searchsorted(codes_in_order, np.asarray(codes, dtype=np.int64)).astype(np.int32)
    return pa.DictionaryArray.from_arrays(positions, [words[code] for code in codes_in_order]).cast(pa.string())


def _hexadecimal(numbers: Any) -> pa.Array:
    """Numbers of 64 bits as 16 hex digits each."""
    import numpy as np
    import pyarrow as pa

    count = len(numbers)
    digits = np.asarray(numbers, dtype=np.uint64).astype(">u8").tobytes().hex().encode()
    ends = np.arange(0, 16 * count + 1, 16, dtype=np.int32)
    return pa.StringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(digits))


def write_records(path: Path, parts: Iterable[pa.Table], fields: pa.Schema, note: Mapping[str, Any]) -> str:
    """Writes the parts in order as one Parquet file that appears whole or not at all; returns its SHA-256.

    Numbers that are missing are null, never NaN. ``note`` is stored in the file; `verify_records` returns it.

    Raises:
        output.Unwritable: the disk is full, say; the file is as it was before.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    text = json.dumps({**note, "format": 2}, sort_keys=True, ensure_ascii=False).encode()
    fields = fields.with_metadata({_KEY: text})
    with output.atomic_write(path) as stream:
        sink = _Sink(stream)
        with pq.ParquetWriter(
            sink, fields, compression="zstd", version="2.6", write_page_checksum=True, write_statistics=False
        ) as writer:
            for group in _regrouped(parts):
                for i, field in enumerate(fields):
                    # Readers that are not pandas take NaN for a number, the greatest of all.
                    if pa.types.is_floating(field.type):
                        group = group.set_column(i, field, pc.if_else(pc.is_nan(group[i]), None, group[i]))
                writer.write_table(group, row_group_size=ROWS_PER_GROUP)
                sink.end_group()
            digests = json.dumps({"footer": _UNSEALED, "groups": sink.groups})
            writer.add_key_value_metadata({_DIGESTS.decode(): digests})
        return sink.seal()


class _Sink:
    """A stream that computes the digest of each row group while the file is written, and then the footer's."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.group = hashlib.sha256()
        self.position = 0
        self.groups: list[list[int | str]] = []
        """Of each row group, the byte where it ends and its digest."""
        self.closed = False

    def write(self, content: Any) -> int:
        written = self.stream.write(content)
        self.group.update(content)
        self.position += len(content)
        return written

    def tell(self) -> int:
        return self.position

    def flush(self) -> None:
        self.stream.flush()

    def end_group(self) -> None:
        self.groups.append([self.position, self.group.hexdigest()])
        self.group = hashlib.sha256()

    def seal(self) -> str:
        """Writes the digest of the footer into it; returns the SHA-256 of the file."""
        start = int(self.groups[-1][0]) if self.groups else 0
        self.stream.seek(start)
        footer = self.stream.read()
        (place,) = _SEAL_PATTERN.finditer(footer)
        self.stream.seek(start + place.start(1))
        self.stream.write(hashlib.sha256(footer).hexdigest().encode())
        self.stream.seek(0)
        whole = hashlib.sha256()
        for content in iter(lambda: self.stream.read(1 << 20), b""):
            whole.update(content)
        return whole.hexdigest()


def require_regular_file(path: Path) -> Path:
    """The path, if it is that of a regular file: a pipe may never end, or never begin.

    Raises:
        OSError: it is not, or does not exist.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, tr("expected a file, found a folder, a pipe or a device"), str(path))
    return path


def to_csv(table: pd.DataFrame, float_format: str) -> str:
    """A table as CSV, with numbers in a format such as ``%.6g``.

    Text that spreadsheets would run as a formula, since it begins with = + - @, a tab or a line break, has an
    apostrophe before it, with which they take it as text.

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


def verify_records(path: Path) -> Verification:
    """Reads a whole record file, compares it with its digests and returns which rows are intact.

    Raises:
        Unreadable: nothing in the file is intact.
        Unavailable: the file exists, but cannot be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        sha256, is_intact = _compare_digests(require_regular_file(path))
    except OSError as error:
        raise Unavailable(join(": ", (str(path), reason_of(error)))) from error
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            metadata = file.metadata
            note = json.loads((metadata.metadata or {}).get(_KEY, b"{}"))
            if not isinstance(note, dict):
                raise Unreadable(tr("{path}: no note of the workbench in it", path=path))
            edges = [0]
            for group in range(metadata.num_row_groups):
                edges.append(edges[-1] + metadata.row_group(group).num_rows)
            if len(is_intact) != metadata.num_row_groups:
                raise Unreadable(tr("{path}: other row groups than digests", path=path))
    except (OSError, pa.ArrowException, ValueError, RecursionError) as error:
        raise Unreadable(join(": ", (str(path), text_of(error)))) from error
    damaged = [(edges[i], edges[i + 1]) for i, intact in enumerate(is_intact) if not intact]
    return Verification(note, edges[-1], tuple(damaged), sha256)


def _compare_digests(path: Path) -> tuple[str, list[bool]]:
    """The SHA-256 of a file, and whether each row group matches its digest.

    Raises:
        Unreadable: it holds no digests, or the footer does not match its digest.
        OSError: the file cannot be read.
    """
    with open(path, "rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(0, size - 8))
        tail = stream.read(8)
        length = int.from_bytes(tail[:4], "little") + 8
        seals: list[re.Match[bytes]] = []
        if tail[4:] == b"PAR1" and 8 < length <= size:
            stream.seek(size - length)
            footer = stream.read()
            seals = list(_SEAL_PATTERN.finditer(footer))
        if len(seals) != 1:
            raise Unreadable(tr("{path}: its digests are missing or damaged", path=path))
        (seal,) = seals
        try:
            groups = [(int(end), str(digest)) for end, digest in json.loads(seal[2])]
        except (ValueError, TypeError) as error:
            raise Unreadable(tr("{path}: its digests are missing or damaged", path=path)) from error
        ends = [0, *(end for end, _ in groups)]
        if ends != sorted(ends) or ends[-1] > size - length:
            raise Unreadable(tr("{path}: its digests are missing or damaged", path=path))
        stream.seek(ends[-1])
        gap = stream.read(size - length - ends[-1])
        unsealed = gap + footer[: seal.start(1)] + _UNSEALED.encode() + footer[seal.end(1) :]
        if hashlib.sha256(unsealed).hexdigest().encode() != seal[1]:
            raise Unreadable(tr("{path}: its footer is damaged", path=path))
        stream.seek(0)
        whole, is_intact = hashlib.sha256(), []
        for start, (end, digest) in zip(ends, groups, strict=False):
            group = hashlib.sha256()
            while start < end and (content := stream.read(min(1 << 20, end - start))):
                group.update(content)
                whole.update(content)
                start += len(content)
            is_intact.append(group.hexdigest() == digest)
        whole.update(gap + footer)
        return whole.hexdigest(), is_intact


def games_in_words(note: Mapping[str, Any], damaged: Iterable[tuple[int, int]]) -> list[str]:
    """The games in damaged rows of a finished file, in words."""
    sentences = []
    row, start = 0, int(note.get("start", 0))
    for _, ruleset, first, second, count in note.get("cells", ()):
        for low, high in damaged:
            low, high = max(low - row, 0), min(high - row, count)
            if low < high:
                sentences.append(
                    tr(
                        "games {low:,} to {high:,} of {ruleset}, {first} – {second}",
                        low=start + low,
                        high=start + high - 1,
                        ruleset=ruleset,
                        first=first,
                        second=second,
                    )
                )
        row += count
    return sentences


def iter_rows(path: Path, fields: pa.Schema, start: int = 0, stop: int | None = None) -> Iterator[pa.Table]:
    """The rows from ``start`` up to ``stop``, in pieces of at most a row group.

    Raises:
        Unreadable: the file is damaged or has other columns.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            file_schema = file.schema_arrow
            if [field for field in file_schema if field.name != MOVES.name] != [
                field for field in fields if field.name != MOVES.name
            ]:
                raise Unreadable(tr("{path}: other columns than the experiment's", path=path))
            first = 0
            for group in range(file.num_row_groups):
                last = first + file.metadata.row_group(group).num_rows
                low, high = max(first, start), last if stop is None else min(last, stop)
                if low < high:
                    part = file.read_row_group(group, use_threads=False).slice(low - first, high - low)
                    if MOVES.name not in part.column_names:
                        part = part.append_column(MOVES.name, pa.nulls(part.num_rows, pa.string()))
                    yield part.select(fields.names).replace_schema_metadata(None)
                first = last
    except (OSError, pa.ArrowException) as error:
        raise Unreadable(join(": ", (str(path), text_of(error)))) from error


def with_constant_columns(table: pa.Table, names: Mapping[str, str | int]) -> pa.Table:
    """The table with each of the given columns set to one value."""
    import pyarrow as pa

    for name, value in names.items():
        index = table.schema.get_field_index(name)
        field = table.schema.field(index)
        table = table.set_column(index, field, pa.repeat(pa.scalar(value, field.type), table.num_rows))
    return table


def raise_if_damaged(path: Path, verification: Verification) -> None:
    """Raises `Unreadable`, with the damaged games, if a file has any.

    Raises:
        Unreadable: the file is not intact.
    """
    if verification.damaged:
        rows = [tr("rows {low:,} to {high:,}", low=low, high=high - 1) for low, high in verification.damaged]
        lost = games_in_words(verification.note, verification.damaged) or rows
        more = tr(" and {count:,} more such parts", count=len(lost) - 3) if len(lost) > 3 else ""
        raise Unreadable(tr("{path}: damaged: {lost}{more}", path=path, lost=SEMICOLON.join(lost[:3]), more=more))


GAME_COLUMNS = ("fingerprint", "first", "second", "game", "seed", "result", "termination", "plies", "game_hash")
"""The columns that identify which games were played; names of rulesets and experiments do not."""


def _regrouped(parts: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The same rows in tables of `ROWS_PER_GROUP` rows, the last one shorter."""
    import pyarrow as pa

    pending: list[pa.Table] = []
    count = 0
    for part in parts:
        pending.append(part)
        count += part.num_rows
        while count >= ROWS_PER_GROUP:
            whole = pa.concat_tables(pending)
            yield whole.slice(0, ROWS_PER_GROUP).combine_chunks()
            pending, count = [whole.slice(ROWS_PER_GROUP)], count - ROWS_PER_GROUP
    if count:
        yield pa.concat_tables(pending).combine_chunks()
