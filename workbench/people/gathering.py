"""Records of people's games, gathered by cell and merged at the end, with those of a run beside them."""

from __future__ import annotations

import hashlib
import itertools
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import games
from workbench.errors import InputError, Problem, display_path, text_of
from workbench.files import output
from workbench.games.declaration import Declaration
from workbench.language import tr
from workbench.people.reading import Games
from workbench.people.replaying import PLIES, RESULT, TERMINATION, TURNS
from workbench.questions.agent_kinds import PEOPLE
from workbench.questions.rulesets import Ruleset
from workbench.run.sources import engine_digests
from workbench.store import provenance as provenances
from workbench.store import record_files, records
from workbench.store.record_files import Note, Segment

if TYPE_CHECKING:
    import pyarrow as pa

GATHERED = 1 << 13
"""Games of a cell that are in memory."""
Cell = tuple[str, str, str]
"""A ruleset, and the labels of the players of both seats."""
FEW_GAMES, FEW_SHARE = 10, 0.02
"""Bands at both ends with fewer games, or a smaller share of all, are one with the next."""
CONTINUED = ("weights", "learned", "players", "openings", "engines")
"""Keys of a provenance that tell of players, and are taken over with their games."""


def band_of(label: str) -> tuple[int, int]:
    """The lowest and the highest rating of a label; zeros where ratings are not known."""
    _, *ends = label.split("-")
    return (int(ends[0]), int(ends[1])) if len(ends) == 2 else (0, 0)


class Beside:
    """The records of another folder, of a run or of people, that are to stand beside the new ones."""

    def __init__(self, folder: Path) -> None:
        """Reads what the folder says of itself.

        Raises:
            InputError: it has no records, or its games began with lines that were given to the players.
        """
        self.folder = folder
        try:
            self.provenance = provenances.load_provenance(folder)
        except (FileNotFoundError, provenances.Damaged, record_files.Unavailable) as error:
            message = tr("expected a report folder with its records ({error})", error=text_of(error))
            raise InputError([Problem(display_path(folder), None, "--beside", message)]) from error
        if self.provenance["experiment"].get("openings"):
            message = tr("expected games that players began at the start, found some that began with given lines")
            raise InputError([Problem(display_path(folder), None, "--beside", message)])
        self.rulesets: Sequence[Mapping[str, Any]] = self.provenance["rulesets"]
        self.pairings: Sequence[Mapping[str, Any]] = self.provenance["pairings"]
        if not self.provenance.get("digests"):
            message = tr("expected the records of a finished run, found none")
            raise InputError([Problem(display_path(folder), None, "--beside", message)])

    def require_rules(self, ruleset: Ruleset) -> None:
        """Raises `InputError` if its games of a ruleset of that name were played under other rules."""
        for one in self.rulesets:
            if one["name"] == ruleset.name and one["fingerprint"] != ruleset.fingerprint:
                message = tr("its games of {name} were played under other rules", name=ruleset.name)
                raise InputError([Problem(display_path(self.folder), None, "--beside", message)])

    def cells(self, columns: Sequence[records.Column]) -> Iterator[tuple[Cell, str, pa.Table]]:
        """Its cells, each with the digest that its files give it, and its games with these columns.

        Raises:
            InputError: a file is damaged.
        """
        import pyarrow as pa

        fields = records.arrow_schema(columns)
        for place in self.provenance["digests"]:
            path = self.folder / place
            try:
                file = record_files.read_file(path)
                whole = record_files.read_table(path)
            except (record_files.Unreadable, record_files.Unavailable) as error:
                raise InputError([Problem(str(path), None, "--beside", text_of(error))]) from error
            parts = [
                whole[field.name].cast(field.type) if field.name in whole.column_names
                else pa.nulls(whole.num_rows, field.type)
                for field in fields
            ]  # fmt: skip
            table = pa.table(parts, schema=fields)
            for one, row in zip(file.note.segments, file.note.rows(), strict=True):
                yield (one.ruleset, one.first, one.second), one.cell, table.slice(row, one.count)


class Gathered:
    """Records by cell, in temporary files as soon as there are many."""

    def __init__(self, ruleset: Ruleset, folder: Path, beside: Beside | None = None) -> None:
        self.ruleset = ruleset
        self.folder = folder
        self.beside = beside
        self.declaration = games.declaration(ruleset.game)
        families = dict.fromkeys([ruleset.game, *(str(one["game"]) for one in (beside.rulesets if beside else ()))])
        declarations: list[Declaration] = [games.declaration(name) for name in families]
        self.columns = (*records.COLUMNS, records.MOVES, *records.PEOPLE, *records.event_columns(declarations))
        self.fields = records.arrow_schema(self.columns)
        self._waiting: dict[str, list[pa.Table]] = {}
        self._sizes: Counter[str] = Counter()
        self._blocks: dict[str, list[Path]] = {}
        self._place = tempfile.TemporaryDirectory(prefix=".workbench-", suffix=".tmp", dir=folder)

    @cached_property
    def bands(self) -> dict[str, list[str]]:
        """The label of each cell's players, and the labels that were gathered in it; to be asked when all is there.

        Of the lowest and the highest bands, those with few games are one with the next.
        """
        few = max(FEW_GAMES, FEW_SHARE * sum(self._sizes.values()))
        rated = sorted((low, high, label) for label in self._sizes for low, high in [band_of(label)] if high)
        cells = [(low, high, [label]) for low, high, label in rated]
        for end in (0, -1):
            while len(cells) > 1 and sum(self._sizes[label] for label in cells[end][2]) < few:
                one, other = cells.pop(end), cells.pop(end)
                lowest, highest = sorted((one, other))
                cells.insert(0 if end == 0 else len(cells), (lowest[0], highest[1], lowest[2] + highest[2]))
        unrated = {label: [label] for label in self._sizes if not band_of(label)[1]}
        return unrated | {f"{PEOPLE}-{low}-{high}": members for low, high, members in cells}

    def add(self, some: Games, labels: Sequence[str], openings: Sequence[str], file: str) -> None:
        """Adds games, each to the cell of its label."""
        if not some.told:
            return
        whole = self._table(some, openings, file)
        names = np.array(labels, object)
        import pyarrow as pa

        for label in dict.fromkeys(labels):
            rows = np.flatnonzero(names == label)
            part = whole.take(pa.array(rows))
            self._sizes[label] += len(rows)
            waiting = self._waiting.setdefault(label, [])
            waiting.append(part)
            if sum(each.num_rows for each in waiting) >= GATHERED:
                self._write(label)

    def _table(self, some: Games, openings: Sequence[str], file: str) -> pa.Table:
        import pyarrow as pa

        block, told = some.block, some.told
        n = len(told)
        plies = block.found[:, PLIES]
        table = records.block_table(
            {"experiment": self.folder.name, "ruleset": self.ruleset.name, "fingerprint": self.ruleset.fingerprint,
             "first": "", "second": "", "cell": 0},
            0,
            np.zeros(n, np.uint64),
            {
                "result": block.found[:, RESULT],
                "termination": np.maximum(block.found[:, TERMINATION], 1),
                "plies": plies, "turns": block.found[:, TURNS], "legal_moves": block.legal, "game_hash": block.hashes,
                "events": block.counts, "opening": openings,
                records.MOVES.name: [
                    " ".join(map(str, line[:length])) for line, length in zip(block.moves.tolist(), plies, strict=True)
                ],
            },
            self.declaration,
            self.columns,
        )  # fmt: skip
        people = {
            "result": [one.end.result for one in told], "termination": [one.end.termination for one in told],
            "first_rating": [one.first_rating for one in told], "second_rating": [one.second_rating for one in told],
            "date": [one.date for one in told], "event": [one.event for one in told],
            "source_file": [file] * n, "source_game": some.numbers,
        }  # fmt: skip
        for name, values in people.items():
            place = table.schema.get_field_index(name)
            table = table.set_column(place, table.schema.field(place), pa.array(values, table.schema.field(place).type))
        return table

    def _digest(self, label: str) -> str:
        return hashlib.sha256(f"{self.ruleset.fingerprint} {label}".encode()).hexdigest()[:16]

    def _write(self, label: str) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        paths = self._blocks.setdefault(label, [])
        path = Path(self._place.name) / f"{self._digest(label)}-{len(paths)}.parquet"
        stream = pa.BufferOutputStream()
        pq.write_table(pa.concat_tables(self._waiting.pop(label)), stream)
        paths.append(output.write_file(path, stream.getvalue()))

    def finish(self, names: Sequence[str], pairings: Sequence[tuple[str, str]]) -> dict[str, str]:
        """Writes the records, cell by cell, in the order of rulesets and pairings; returns the digests of the files.

        Raises:
            InputError: the folder beside has games of a cell that was gathered.
        """
        import pyarrow as pa

        order = {(name, *pair): number for number, (name, pair) in enumerate(itertools.product(names, pairings))}
        cells: list[tuple[Cell, str, pa.Table | None]] = []
        cells += [((self.ruleset.name, label, label), self._digest(label), None) for label in self.bands]
        mine = {cell for cell, _, _ in cells}
        if self.beside:
            for cell, digest, table in self.beside.cells(self.columns):
                if cell in mine:
                    message = tr(
                        "has games of {label} under {name}, too: import all files at once", label=cell[1], name=cell[0]
                    )
                    raise InputError([Problem(display_path(self.beside.folder), None, "--beside", message)])
                if table.num_rows:
                    cells.append((cell, digest, table))
        cells.sort(key=lambda each: order[each[0]])
        totals: Counter[Cell] = Counter()
        digests: dict[Cell, str] = {}
        for cell, digest, table in cells:
            mine_of_cell = (self._sizes[label] for label in self.bands[cell[1]]) if table is None else (table.num_rows,)
            totals[cell] += sum(mine_of_cell)
            digests.setdefault(cell, digest)
        rows = _Pieces(part for cell, _, table in cells for part in self._rows(cell, order[cell], table))
        engines = engine_digests([self.ruleset.game])
        files = []
        whole = [Segment(digests[cell], order[cell], *cell, 0, total) for cell, total in totals.items()]
        for segments in record_files.cut(whole):
            part = pa.concat_tables(rows.take(sum(one.count for one in segments)))
            note = Note(self.folder.name, tuple(segments), engines)
            files.append(record_files.write_file(self.folder, part, note))
        return record_files.digests_of(files)

    def _rows(self, cell: Cell, number: int, table: pa.Table | None) -> Iterator[pa.Table]:
        own: dict[str, str | int] = {
            "experiment": self.folder.name,
            "first": cell[1],
            "second": cell[2],
            "cell": number,
        }
        if table is not None:
            yield records.with_constant_columns(table, own)
            return
        import pyarrow as pa

        game, place = 0, self.fields.get_field_index("game")
        for part in self._gathered(self.bands[cell[1]]):
            numbers = pa.array(np.arange(game, game + part.num_rows), pa.int32())
            game += part.num_rows
            yield records.with_constant_columns(part.set_column(place, self.fields.field(place), numbers), own)

    def _gathered(self, labels: Sequence[str]) -> Iterator[pa.Table]:
        for label in labels:
            for path in self._blocks.get(label, ()):
                yield record_files.read_table(path)
            yield from self._waiting.get(label, ())

    def close(self) -> None:
        """Deletes the temporary files."""
        self._place.cleanup()


class _Pieces:
    """Tables that follow each other, cut elsewhere."""

    def __init__(self, tables: Iterable[pa.Table]) -> None:
        self._tables = iter(tables)
        self._rest: pa.Table | None = None

    def take(self, rows: int) -> Iterator[pa.Table]:
        """The next so many rows."""
        while rows:
            table = self._rest if self._rest is not None else next(self._tables)
            self._rest = table.slice(rows) if table.num_rows > rows else None
            yield table.slice(0, rows)
            rows -= min(rows, table.num_rows)
