"""Trial records: what each column is, and how they are written to Parquet and read back.

One row is one game. A block file holds some games of one cell; the finished file holds all games in canonical order
(cell, game) and is the same, byte for byte, however the games were played: its rows are written in groups of fixed
size, with fixed settings, without dates and without a pandas index.

Import of this module starts neither pandas nor pyarrow.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.games.declaration import Declaration, Named

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa


FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What text begins with that spreadsheets take for a formula."""


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
    Column("termination", "string", "", "Why the game ended: cap, repetition, or an ending of the family."),
    Column("plies", "int32", "plies", "Moves played by both seats."),
    Column("turns", "int32", "turns", "Turns played; a turn is the plies that one seat makes in a row."),
    Column("legal_moves", "double", "moves", "Number of legal moves, as the mean over the plies of the game."),
    Column(
        "lead_changes",
        "double",
        "count",
        "How often the lead changed, as the heuristic sees it; NaN if both are random.",
    ),
    Column(
        "drama", "double", "", "How far the later winner was behind, 0 to 1, over the plies where it was; see metrics."
    ),
    Column("drama_max", "double", "", "How far the later winner was behind at worst, 0 to 1."),
    Column("opening", "string", "", "The first six plies in the family's notation, with spaces between."),
    Column("game_hash", "string", "", "Hash of the whole list of moves, 16 hex digits: equal for equal games."),
)
JUDGED = ["ruleset", "first", "second", "game", "result", "termination", "plies", "legal_moves", "game_hash"]
"""The columns by which experiments that may end early are judged."""
TRACES = ("lead_changes", "drama", "drama_max")
OPENING_PLIES = 6
RESULTS = ("unfinished", "first", "second", "draw")
"""Words for the engine's result codes 0 to 3."""
ENDINGS: Mapping[int, Named] = {
    1: Named(
        "cap",
        "The game was stopped at the experiment's max_plies; it counts as unfinished, not as a draw.",
        ja="実験の上限の手数に達したので打ち切った。引き分けではなく、未決着として数える。",
    ),
    2: Named("repetition", "A position occurred too often.", ja="同じ局面が規定の回数現れた。"),
}
"""Endings that the engine itself declares; each family adds its own."""

GROUP = 1 << 16
"""Rows in a row group of the finished file: fixed, so that the size of the blocks leaves no trace in it."""
_KEY = b"workbench"


class Unreadable(Exception):
    """A record file that is truncated, damaged or not what its name says."""


def event_columns(declarations: Iterable[Declaration]) -> tuple[Column, ...]:
    """The count columns of the families' events, ``event_<name>``; families may share one."""
    found: dict[str, Column] = {}
    for declaration in declarations:
        for event in declaration.events:
            name = f"event_{event.name}"
            found.setdefault(name, Column(name, "int32", "count", event.sentence))
    return tuple(found.values())


def schema(columns: Sequence[Column]) -> pa.Schema:
    """The Arrow schema of the columns, in their order."""
    import pyarrow as pa

    return pa.schema([(column.name, pa.type_for_alias(column.dtype)) for column in columns])


def table(
    names: Mapping[str, str | int],
    start: int,
    seeds: np.ndarray[Any, Any],
    arrays: Mapping[str, np.ndarray[Any, Any]],
    declaration: Declaration,
    columns: Sequence[Column],
    as_text: Callable[[list[int]], list[str]],
) -> pa.Table:
    """The records of one block of games.

    Args:
        names: the columns that are the same for all games of the cell.
        start: number of the block's first game in its cell.
        seeds: uint64, one a game.
        arrays: what the engine returned for the block.
        declaration: the game family; its events come in this order in ``arrays["events"]``.
        columns: `COLUMNS` and the event columns of the experiment; events of other families stay empty.
        as_text: turns the codes of a game's first moves into its family's notation.

    Raises:
        ValueError: the engine returned a code that nobody declared, or a number of games other than that of seeds.
    """
    import pyarrow as pa

    count = len(seeds)
    per_game = ("result", "termination", "plies", "turns", "legal_moves", "game_hash", "events", "opening")
    wrong = [f"{name} has {len(arrays[name])}" for name in per_game if len(arrays[name]) != count]
    if wrong:
        raise ValueError(f"the engine returned another number of games than the {count} it got: {', '.join(wrong)}")
    endings = {**ENDINGS, **declaration.terminations}
    codes = {int(code) for code in arrays["termination"]} - set(endings)
    if codes:
        raise ValueError(f"the engine returned endings that {declaration.name} does not declare: {sorted(codes)}")
    openings: dict[tuple[int, ...], str] = {}
    lines = [tuple(int(move) for move in line if move >= 0) for line in arrays["opening"][:, :OPENING_PLIES]]
    for line in lines:
        if line not in openings:
            openings[line] = " ".join(as_text(list(line)))
    content: dict[str, Any] = {name: [value] * count for name, value in names.items()}
    content |= {
        "game": range(start, start + count),
        "seed": seeds,
        "result": [RESULTS[int(code)] for code in arrays["result"]],
        "termination": [endings[int(code)].name for code in arrays["termination"]],
        "plies": arrays["plies"],
        "turns": arrays["turns"],
        "legal_moves": arrays["legal_moves"],
        "opening": [openings[line] for line in lines],
        "game_hash": [f"{int(code):016x}" for code in arrays["game_hash"]],
    }
    content |= {name: arrays[name] for name in TRACES if name in arrays}
    content |= {f"event_{event.name}": arrays["events"][:, i] for i, event in enumerate(declaration.events)}
    fields = schema(columns)
    return pa.table(
        [
            pa.array(content[field.name], type=field.type) if field.name in content else pa.nulls(count, field.type)
            for field in fields
        ],
        schema=fields,
    )


def write(path: Path, parts: Iterable[pa.Table], fields: pa.Schema, note: Mapping[str, Any]) -> None:
    """Writes the parts, one after the other, as one Parquet file that appears whole or not at all.

    ``note`` is kept in the file; `note_of` reads it back.
    """
    import pyarrow.parquet as pq

    text = json.dumps(note, sort_keys=True, ensure_ascii=False).encode()
    fields = fields.with_metadata({_KEY: text})
    beside = path.with_name(path.name + ".tmp")
    try:
        with (
            open(beside, "wb") as stream,
            pq.ParquetWriter(stream, fields, compression="zstd", version="2.6", write_page_checksum=True) as writer,
        ):
            for group in _groups(parts):
                writer.write_table(group, row_group_size=GROUP)
        settle(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def settle(beside: Path, path: Path) -> None:
    """Moves a finished file to its name and sees to it that both survive a power cut."""
    with open(beside, "rb+") as stream:
        os.fsync(stream.fileno())
    os.replace(beside, path)
    if hasattr(os, "O_DIRECTORY"):
        place = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def regular(path: Path) -> Path:
    """The path of a file that can be read to its end: a pipe may never end, or never begin.

    Raises:
        OSError: it is no file, or there is none.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "expected a file, found a folder, a pipe or a device", str(path))
    return path


def csv(table: pd.DataFrame, number: str) -> str:
    """A table as CSV, with numbers in a format such as ``%.6g``.

    Text that spreadsheets would run as a formula, since it begins with = + - @, a tab or a line break, has an
    apostrophe before it, with which they take it as text.

    Source: OWASP, "CSV Injection".
    """

    def harmless(value: Any) -> Any:
        return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value

    written = {name: column.dtype.kind not in "biuf" for name, column in table.items()}
    quoted = table.astype({name: object for name, text in written.items() if text})
    for name, text in written.items():
        if text:
            quoted[name] = quoted[name].map(harmless)
    return str(quoted.rename(columns=harmless).to_csv(index=False, float_format=number, lineterminator="\n"))


def note_of(path: Path) -> tuple[dict[str, Any], int]:
    """The note of a record file and its number of rows; reads no rows.

    Raises:
        Unreadable: the file is damaged or was not written by the workbench.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_metadata(regular(path))
        note = json.loads((found.metadata or {})[_KEY])
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise Unreadable(f"{path}: {error}") from error
    if not isinstance(note, dict):
        raise Unreadable(f"{path}: no note of the workbench in it")
    return note, int(found.num_rows)


def rows(path: Path, fields: pa.Schema, start: int = 0, stop: int | None = None) -> Iterator[pa.Table]:
    """The rows from ``start`` up to ``stop``, in pieces of at most a row group.

    Raises:
        Unreadable: the file is damaged or has other columns.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            if not file.schema_arrow.equals(fields):
                raise Unreadable(f"{path}: other columns than the experiment's")
            first = 0
            for group in range(file.num_row_groups):
                last = first + file.metadata.row_group(group).num_rows
                low, high = max(first, start), last if stop is None else min(last, stop)
                if low < high:
                    yield file.read_row_group(group).slice(low - first, high - low).replace_schema_metadata(None)
                first = last
    except (OSError, pa.ArrowException) as error:
        raise Unreadable(f"{path}: {error}") from error


def renamed(part: pa.Table, names: Mapping[str, str | int]) -> pa.Table:
    """The rows with the given columns set to one value each."""
    import pyarrow as pa

    for name, value in names.items():
        place = part.schema.get_field_index(name)
        field = part.schema.field(place)
        part = part.set_column(place, field, pa.array([value] * part.num_rows, type=field.type))
    return part


def read(path: Path) -> pd.DataFrame:
    """All records of a finished file.

    Raises:
        Unreadable: the file is damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found: pd.DataFrame = pq.read_table(regular(path)).to_pandas()
    except (OSError, pa.ArrowException) as error:
        raise Unreadable(f"{path}: {error}") from error
    return found


def _groups(parts: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The same rows in tables of `GROUP` rows, the last one shorter."""
    import pyarrow as pa

    waiting: list[pa.Table] = []
    count = 0
    for part in parts:
        waiting.append(part)
        count += part.num_rows
        while count >= GROUP:
            whole = pa.concat_tables(waiting)
            yield whole.slice(0, GROUP).combine_chunks()
            waiting, count = [whole.slice(GROUP)], count - GROUP
    if count:
        yield pa.concat_tables(waiting).combine_chunks()
