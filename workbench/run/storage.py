"""The games of an experiment on disk: which ones its report folder holds, which are damaged, which are missing.

A block file is named by its cell's digest (a hash of everything that decides its games) and its first game. So "what is
already played" is read off the folder itself. Every file is checked before anything is made of it; what is damaged is
named and counts as not there. The finished file depends on the experiment and the engine alone: not on the number of
workers, the size of the blocks or on how often the run was interrupted.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench import games
from workbench.files import output
from workbench.language import tr
from workbench.questions.cells import Block, Cell
from workbench.questions.experiment import Experiment
from workbench.run import manifest
from workbench.store import provenance, record_files, records, traces
from workbench.store.record_files import BLOCKS, PARTS, TRIALS

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_OF_A_RUN = ("experiment", "games", "engines")
"""What the notes of all files of a finished run say alike."""
_TRACE_FILE = re.compile(r"[0-9a-f]{16}-[0-9]{8}" + re.escape(traces.SUFFIX))


@dataclass
class Segment:
    """Games of one cell, without a gap, in a file."""

    path: Path
    start: int
    stop: int
    row: int = 0
    """Row of the file that holds game ``start``."""

    @property
    def count(self) -> int:
        """How many games these are."""
        return self.stop - self.start


@dataclass
class Inventory:
    """What a report folder holds of an experiment's games."""

    segments: dict[str, list[Segment]] = field(default_factory=dict)
    """Cell digest -> its games, without overlaps, in order."""
    finished_note: Mapping[str, Any] | None = None
    """The note of the finished files, put together, if all that are there are whole."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """Of the finished files, if all that are there are whole; see `record_files.combined_digests`."""
    foreign: bool = False
    """Whether there are games of cells, or beyond the number of games, that the experiment does not have."""
    damaged: list[str] = field(default_factory=list)
    """A line for each file that is damaged: its path and which games are lost."""
    engines: dict[str, set[str]] = field(default_factory=dict)
    """Family -> digests of the engines that played its games."""

    @property
    def games(self) -> int:
        """Games of all cells."""
        return sum(segment.count for segments in self.segments.values() for segment in segments)

    def count_games(self, cell: Cell) -> int:
        """Games of one cell."""
        return sum(segment.count for segment in self.segments.get(cell.digest, []))


class Storage:
    """The record files of one experiment in its report folder."""

    def __init__(self, experiment: Experiment, owned: output.Folder) -> None:
        self.experiment = experiment
        self.cells = experiment.cells()
        self.owned = owned
        self.folder = owned.path
        self.blocks = self.folder / BLOCKS
        self.declarations = {name: games.declaration(name) for name in experiment.families()}
        line = (records.LINE,) if experiment.openings else ()
        swapped = (records.SWAPPED,) if any(ruleset.swap_ply for ruleset in experiment.rulesets) else ()
        moves = (records.MOVES,) if experiment.keep_moves else ()
        self.columns = records.COLUMNS + line + swapped + moves + records.event_columns(self.declarations.values())
        self.fields = records.arrow_schema(self.columns)
        self._cell_of = {cell.digest: cell for cell in self.cells}

    def take_inventory(self) -> Inventory:
        """What the folder holds now.

        Raises:
            records.Unavailable: a file cannot be read at present.
        """
        inventory = Inventory()
        located: list[tuple[str, Segment, str]] = []
        finished: dict[Path, records.Verification] = {}
        for path in record_files.finished_files(self.folder):
            try:
                finished[path] = records.verify_records(path)
                located += self._finished_segments(path, finished[path], inventory)
            except (records.Unreadable, KeyError, TypeError, ValueError, IndexError, AttributeError):
                inventory.damaged.append(tr("{path} is damaged: all of its games", path=path))
        if not inventory.damaged:
            inventory.finished_note = self._finished_note([checked.note for checked in finished.values()])
            inventory.digests = record_files.combined_digests(
                {path: checked.sha256 for path, checked in finished.items()}
            )
        # Beside the whole file of a fixed number of games, blocks have nothing to add.
        everything = self.record_note({cell.digest: self.experiment.games_of(cell) for cell in self.cells}, {})
        complete = inventory.finished_note is not None and is_same_records(inventory.finished_note, everything)
        for path in [] if complete else record_files.block_files(self.folder):
            digest, _, start = path.stem.partition("-")
            cell = self._cell_of.get(digest)
            try:
                located.append(self._block_segment(path, digest, int(start), inventory))
            except (records.Unreadable, KeyError, TypeError, ValueError):
                lost = tr("games from {int:,} of {cell}", int=int(start), cell=cell.title) if cell else tr("its games")
                inventory.damaged.append(tr("{path} is damaged: {lost}", path=path, lost=lost))
        # The finished files came first and win over blocks that a killed run left beside it.
        located.sort(key=lambda item: item[1].start)
        for digest, segment, engine in located:
            cell = self._cell_of.get(digest)
            if cell is None or segment.stop > self.experiment.games_of(cell):
                inventory.foreign = True
                continue
            segments = inventory.segments.setdefault(digest, [])
            known = segments[-1].stop if segments else 0
            if known < segment.stop:
                # Beside parts that were replaced, blocks may hold games of which some are known already.
                skipped = max(0, known - segment.start)
                segments.append(Segment(segment.path, segment.start + skipped, segment.stop, segment.row + skipped))
                inventory.engines.setdefault(cell.ruleset.game, set()).add(engine)
        return inventory

    def _finished_segments(
        self, path: Path, checked: records.Verification, inventory: Inventory
    ) -> list[tuple[str, Segment, str]]:
        """The games of a finished file that are whole: the digest of their cell, where they are, who played them."""
        sizes = checked.cells()
        if checked.count != sum(size for _, size in sizes):
            raise records.Unreadable(tr("{path}: {count} rows", path=path, count=checked.count))
        located: list[tuple[str, Segment, str]] = []
        row = 0
        for digest, size in sizes:
            cell = self._cell_of.get(digest)
            engine = str(checked.note["engines"][cell.ruleset.game]) if cell else ""
            before = checked.start - row
            for low, high in checked.intact_ranges(row, row + size):
                located.append((digest, Segment(path, before + low, before + high, low), engine))
            row += size
        lost = records.games_in_words(checked.note, checked.damaged)
        inventory.damaged += [tr("{path} is damaged: {games}", path=path, games=games) for games in lost]
        return located

    def _finished_note(self, notes: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
        """What the finished files say together, as one would; None if they are not of one run, or there are none."""
        if not notes or any(note.get(name) != notes[0].get(name) for note in notes for name in _OF_A_RUN):
            return None
        if all("start" not in note for note in notes):
            return notes[0] if len(notes) == 1 else None
        lines = [line for note in notes for line in note["cells"]]
        names = {str(line[0]): line[1:4] for line in lines}
        games: dict[str, int] = dict.fromkeys(self._cell_of, 0)
        for digest, *_, count in lines:
            games[digest] = games.get(digest, 0) + count
        own = {cell.digest: [cell.ruleset.name, cell.first.label, cell.second.label] for cell in self.cells}
        cells = [[digest, *(names.get(digest) or own[digest]), count] for digest, count in games.items()]
        return {**{name: notes[0].get(name) for name in _OF_A_RUN}, "cells": cells}

    def _block_segment(self, path: Path, digest: str, start: int, inventory: Inventory) -> tuple[str, Segment, str]:
        """The games of a block file, if it is whole and what its name says."""
        checked = records.verify_records(path)
        note = checked.note
        segment = Segment(path, int(note["start"]), int(note["stop"]))
        whole = not checked.damaged and checked.count == segment.count
        if not whole or note["cell"] != digest or segment.start != start:
            raise records.Unreadable(tr("{path}: {count} rows", path=path, count=checked.count))
        if digest in self._cell_of:
            self._check_games(self._cell_of[digest], segment)
        return digest, segment, str(note["engine"])

    def _check_games(self, cell: Cell, segment: Segment) -> None:
        """Raises `Unreadable` unless the rows are the games that the file promises."""
        import numpy as np

        seeds = self.experiment.seeds(cell, segment.start, segment.stop)
        at = 0
        for part in self._rows(segment):
            size = part.num_rows
            right = (
                part["fingerprint"].unique().to_pylist() == [cell.ruleset.fingerprint]
                and np.array_equal(part["seed"].to_numpy(), seeds[at : at + size])
                and np.array_equal(part["game"].to_numpy(), np.arange(segment.start + at, segment.start + at + size))
            )
            if not right:
                raise records.Unreadable(tr("{path}: other games than its name says", path=segment.path))
            at += size

    def _rows(self, segment: Segment) -> Iterator[pa.Table]:
        return records.iter_rows(segment.path, self.fields, segment.row, segment.row + segment.count)

    def missing_blocks(self, inventory: Inventory, goal: Mapping[str, int]) -> list[Block]:
        """The blocks to play up to the ``goal`` of each cell digest, in an order that advances all cells together."""
        blocks = []
        for cell in self.cells:
            size = self.experiment.block_size(cell)
            at = 0
            edges = [(segment.start, segment.stop) for segment in inventory.segments.get(cell.digest, [])]
            for start, stop in [*edges, (goal[cell.digest], goal[cell.digest])]:
                while at < start:
                    end = min(start, at - at % size + size)
                    blocks.append(Block(cell, at, end))
                    at = end
                at = stop
        return sorted(blocks, key=lambda block: (block.start, block.cell.index))

    def games_table(self, inventory: Inventory, columns: list[str]) -> pd.DataFrame:
        """The games on disk, each cell from its first game up to the first that is missing."""
        import pandas as pd

        parts = []
        for cell in self.cells:
            at = 0
            for segment in inventory.segments.get(cell.digest, []):
                if segment.start != at:
                    break
                at = segment.stop
                names = self._cell_columns(cell)
                parts += [
                    records.with_constant_columns(part, names).select(columns).to_pandas()
                    for part in self._rows(segment)
                ]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)

    def save_block(self, block: Block, arrays: Mapping[str, Any]) -> None:
        """Writes the records of a block, after its traces; ``arrays`` is what its worker returned for it."""
        cell, start, stop = block.cell, block.start, block.stop
        game = cell.ruleset.game
        part = records.block_table(
            self._cell_columns(cell),
            start,
            self.experiment.seeds(cell, start, stop),
            {**arrays, records.LINE.name: self.experiment.line_numbers(cell.first, cell.second, start, stop)},
            self.declarations[game],
            self.columns,
        )
        engine = manifest.engine_digests([game])[game]
        note = {"cell": block.cell.digest, "start": block.start, "stop": block.stop, "engine": engine}
        path = self.blocks / record_files.record_file_name(block.cell.digest, block.start)
        self._write_traces(block, arrays, range(len(arrays.get("traces", ()))), engine)
        records.write_records(path, [part], self.fields, note)

    def save_traces(self, block: Block, arrays: Mapping[str, Any], hashes: Mapping[int, str], engine: str) -> int:
        """Writes the traces of games that were played once more, if they are those on record; returns how many are.

        ``hashes`` are those of the games on record, by their number, and ``engine`` is the one that played these.
        """
        same = [
            i
            for i, code in enumerate(arrays["game_hash"][: len(arrays["traces"])])
            if f"{int(code):016x}" == hashes.get(block.start + i)
        ]
        self._write_traces(block, arrays, same, engine)
        return len(same)

    def _write_traces(self, block: Block, arrays: Mapping[str, Any], which: Sequence[int], engine: str) -> None:
        """Writes the traces of some games of a block, if there are any."""
        if not which:
            return
        digest = block.cell.digest
        part = traces.trace_table(
            self._cell_columns(block.cell), digest, [block.start + i for i in which],
            [arrays["plies"][i] for i in which], [arrays["traces"][i] for i in which],
        )  # fmt: skip
        note = {"cell": digest, "start": block.start, "stop": block.stop, "engine": engine}
        path = self.blocks / f"{digest}-{block.start:08d}{traces.SUFFIX}"
        records.write_records(path, [part], traces.trace_schema(), note)

    def untraced_blocks(self, goal: Mapping[str, int], engines: Mapping[str, str]) -> list[Block]:
        """The blocks of games whose traces are missing, though games such as theirs are traced.

        Players from outside are not asked again: their games need not come out the same.
        """
        known: set[tuple[str, int]] = set()
        for part in self._traces(engines)[0]:
            known |= set(zip(part["digest"].to_pylist(), part["game"].to_pylist(), strict=True))
        blocks = []
        for cell in self.cells:
            size = self.experiment.block_size(cell)
            for start in range(0, goal[cell.digest], size):
                stop = start + traced_games(Block(cell, start, min(start + size, goal[cell.digest])))
                missing = any((cell.digest, game) not in known for game in range(start, stop))
                if missing and not (cell.first.outside or cell.second.outside):
                    blocks.append(Block(cell, start, stop))
        return blocks

    def _traces(self, engines: Mapping[str, str]) -> tuple[list[pa.Table], list[Path]]:
        """The traces of all files, and the files that are damaged; ``engines`` played the games on record."""
        finished = self.folder / traces.FILE
        paths = [path for path in (finished, *sorted(self.blocks.glob(f"*{traces.SUFFIX}"))) if path.is_file()]
        return traces.read_trace_tables(paths, {cell.digest: engines[cell.ruleset.game] for cell in self.cells})

    @property
    def finished_path(self) -> Path:
        """The finished file, or the folder of the parts."""
        parts = self.folder / PARTS
        return parts if parts.is_dir() and PARTS in self.owned.names else self.folder / TRIALS

    def claim_parts(self) -> None:
        """Makes the folder of the parts the workbench's own, if there may be so many games.

        Raises:
            InputError: there is one that the workbench did not make.
        """
        if self.experiment.total_games > record_files.MAX_GAMES_IN_ONE_FILE:
            self.owned.claim_files([PARTS])

    def merge_records(self, inventory: Inventory, note: Mapping[str, Any]) -> dict[str, str]:
        """Writes the finished files from the games on disk, in canonical order; returns their combined digests.

        The files that they replace stay until `clear` is called.
        """
        sizes = [int(line[4]) for line in note["cells"]]
        if sum(sizes) <= record_files.MAX_GAMES_IN_ONE_FILE:
            everything = (
                part
                for cell, size in zip(self.cells, sizes, strict=True)
                for part in self._merged(inventory, cell, 0, size)
            )
            path = self.folder / TRIALS
            return record_files.combined_digests({path: records.write_records(path, everything, self.fields, note)})
        folder = output.make_folder(self.folder / PARTS)
        self.owned.sweep(PARTS, min_age=0)
        written = {}
        for cell, line, size in zip(self.cells, note["cells"], sizes, strict=True):
            for start in range(0, size, record_files.GAMES_PER_PART):
                stop = min(start + record_files.GAMES_PER_PART, size)
                path = folder / record_files.record_file_name(cell.digest, start)
                said = {**note, "cells": [[*line[:4], stop - start]], "start": start}
                written[path] = records.write_records(
                    path, self._merged(inventory, cell, start, stop), self.fields, said
                )
        return record_files.combined_digests(written)

    def merge_traces(self, goal: Mapping[str, int], engines: Mapping[str, str]) -> tuple[dict[str, str], list[Path]]:
        """Writes the finished file of traces; returns its name with its SHA-256, and the files that are damaged.

        Where no game was traced there is no such file. ``engines`` are those that played the games of each family.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        parts, damaged = self._traces(engines)
        if not parts:
            return {}, damaged
        whole = pa.concat_tables(parts)
        kept = []
        for cell in self.cells:
            wanted = pc.and_(pc.equal(whole["digest"], cell.digest), pc.less(whole["game"], goal[cell.digest]))
            of_cell = whole.filter(wanted).sort_by("game")
            names = {name: value for name, value in self._cell_columns(cell).items() if name in traces.CELL_COLUMNS}
            numbers = of_cell["game"].to_pylist()
            # A run that was killed while it merged left the traces of some games in two files.
            once = [i for i, number in enumerate(numbers) if not i or numbers[i - 1] != number]
            kept.append(records.with_constant_columns(of_cell.take(pa.array(once, pa.int64())).combine_chunks(), names))
        self.owned.claim_files([traces.FILE])
        return {
            traces.FILE: records.write_records(
                self.folder / traces.FILE, kept, traces.trace_schema(), {"engines": dict(engines)}
            )
        }, damaged

    def traces_digest(self) -> dict[str, str]:
        """The name of the finished file of traces with its SHA-256; nothing where there is none, or it is damaged."""
        try:
            checked = records.verify_records(self.folder / traces.FILE)
        except (records.Unreadable, records.Unavailable):
            return {}
        return {} if checked.damaged else {traces.FILE: checked.sha256}

    def _merged(self, inventory: Inventory, cell: Cell, start: int, stop: int) -> Iterator[pa.Table]:
        """The games of a cell from ``start`` up to ``stop``, as far as they are on disk."""
        names = self._cell_columns(cell)
        for segment in inventory.segments.get(cell.digest, []):
            low, high = max(segment.start, start), min(segment.stop, stop)
            if low < high:
                for part in self._rows(Segment(segment.path, low, high, segment.row + low - segment.start)):
                    yield records.with_constant_columns(part, names)

    def remove_blocks(self, digests: Mapping[str, str]) -> None:
        """Removes the blocks, and finished files whose place those of ``digests`` have taken."""
        for path in run_files(self.folder):
            place = path.relative_to(self.folder).parts[0]
            if place == BLOCKS or (place in record_files.FINISHED and place not in digests):
                path.unlink()
        for place in [BLOCKS, *([] if PARTS in digests else [PARTS])]:
            self.owned.sweep(place, min_age=0)
            with contextlib.suppress(OSError):
                (self.folder / place).rmdir()

    def record_note(self, goal: Mapping[str, int], engines: Mapping[str, str]) -> dict[str, Any]:
        """What the finished file says of itself: enough to know whether it is the one that is asked for."""
        return {
            "experiment": self.experiment.name,
            "games": self.experiment.games,
            "cells": [
                [cell.digest, cell.ruleset.name, cell.first.label, cell.second.label, goal[cell.digest]]
                for cell in self.cells
            ],
            "engines": dict(engines),
        }

    def _cell_columns(self, cell: Cell) -> dict[str, str | int]:
        """The columns that are the same for all games of a cell."""
        return {
            "experiment": self.experiment.name,
            "ruleset": cell.ruleset.name,
            "fingerprint": cell.ruleset.fingerprint,
            "first": cell.first.label,
            "second": cell.second.label,
            "cell": cell.index,
        }


def traced_games(block: Block) -> int:
    """How many games at the beginning of a block are traced: none between players that both move at random."""
    if block.cell.first.declared.at_random and block.cell.second.declared.at_random:
        return 0
    return max(0, min(block.stop, traces.TRACED_GAMES) - block.start)


def is_same_records(note: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two notes ask for the same records, whoever played them."""
    return all(note.get(name) == other.get(name) for name in ("experiment", "games", "cells"))


def run_files(folder: Path) -> list[Path]:
    """The files that a run writes into its folder and that a fresh start deletes; nothing else is ever deleted."""
    if folder.is_symlink() or (folder / BLOCKS).is_symlink():
        return []
    blocks = [
        path
        for path in sorted((folder / BLOCKS).glob("*"))
        if record_files.is_cell_file(path.name) or _TRACE_FILE.fullmatch(path.name)
    ]
    paths = [*blocks, *record_files.finished_files(folder), folder / traces.FILE, folder / provenance.FILE]
    marked = output.listed_files(folder)
    own = {TRIALS, PARTS, BLOCKS, traces.FILE, provenance.FILE}
    if marked is not None:
        own &= marked
    return [path for path in paths if path.is_file() and path.relative_to(folder).parts[0] in own]
