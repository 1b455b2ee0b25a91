"""The games of an experiment on disk: those that its report folder holds, how far they are, and the lock of its run.

A record file tells by its name which games it holds; see `workbench.records.records`. So "what is already played" is
read off the folder itself. Every file is checked before anything is made of it; what is damaged is named and counts as
not there. The files of a finished run depend on the experiment and the engine alone: not on the number of workers, the
size of the blocks or on how often the run was interrupted.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench import games
from workbench.base import output, project
from workbench.base.errors import InputError, text_of
from workbench.base.language import tr
from workbench.experiments.experiment import Block, Cell, Experiment
from workbench.records import provenance, records
from workbench.records.records import TRIALS, Note, RecordFile, Segment, Unreadable
from workbench.runs.progress import FolderBusy
from workbench.runs.worker import engine_digests

if TYPE_CHECKING:
    import pandas as pd


class FolderState(StrEnum):
    """The state of a report folder."""

    NOT_BEGUN = "not_begun"
    QUEUED = "queued"
    """It waits for its turn in the queue of this studio."""
    RUNNING = "running"
    """This studio plays its games."""
    ELSEWHERE = "elsewhere"
    """Another process plays its games: it holds the folder's lock."""
    STOPPED = "stopped"
    """Some of its games are there; a run plays the others."""
    DONE = "done"
    DAMAGED = "damaged"
    """A file of it is not as it was written; a run mends that, and plays again only what is lost."""


@dataclass(frozen=True)
class FolderStatus:
    """The state of a folder, and the number of its games."""

    state: FolderState
    games: int = 0
    """Games on disk, in whole files."""
    total: int = 0
    """Games that there are to be; 0 if that is not known."""
    at_most: bool = False
    """True if fewer than the total may do, since the experiment ends its cells as soon as it has its answer."""
    damaged: tuple[str, ...] = ()
    """A line for each file that is damaged."""
    differs: bool = False
    """True if the folder holds other games than the experiment asks for: a run refuses to continue it."""


def folder_status(folder: Path, experiment: Experiment | None = None) -> FolderStatus:
    """Return the state of a report folder; with the experiment whose games it is to hold, also their total.

    `FolderState.QUEUED` and `FolderState.RUNNING` are never among the answers: who runs here knows it himself.

    A file is read whole the first time, and then only when it has changed.
    """
    if not folder.is_dir():
        return FolderStatus(FolderState.NOT_BEGUN, **_requested_games(experiment))
    busy = is_folder_in_use(folder)
    damaged: list[str] = []
    recorded: dict[str, Any] | None = None
    try:
        recorded = provenance.load_provenance(folder)
    except provenance.Damaged as error:
        damaged.append(text_of(error))
    except (FileNotFoundError, records.Unavailable):
        pass
    files = _read_files(folder, damaged)
    if files and recorded is None and not damaged:
        damaged.append(tr("{folder} is missing or damaged", folder=folder / provenance.FILE))
    listed = (recorded or {}).get("digests") or {}
    if not damaged and not busy:
        damaged += [
            tr("{place} is missing, though {file} lists it", place=folder / place, file=provenance.FILE)
            for place in records.missing_files(listed, files)[:1]
        ]
    have = _count_games(segment for file in files for segment in file.note.segments)
    asked = _requested_games(experiment)
    question = (recorded or {}).get("experiment") or {}
    if not asked and recorded:
        cells = len(recorded["rulesets"]) * len(recorded["pairings"])
        asked = {"total": question["games"] * cells}
        asked |= {"at_most": bool(question.get("until") or question.get("precision"))}
    games = sum(have.values())
    differs = False
    if experiment is not None:
        own = {cell.digest for cell in _with_learned_digests(experiment).cells()}
        differs = any(cell not in own for cell in have) or (not have.keys() >= own and bool(listed))
        differs |= recorded is not None and bool(provenance.changed_keys(question, experiment.canonical()))
    finished = bool(files) and all(file.place in listed for file in files)
    done = finished and not differs and (experiment is None or experiment.games == question.get("games"))
    if busy:
        state = FolderState.ELSEWHERE
    elif damaged:
        state = FolderState.DAMAGED
    elif not games:
        state = FolderState.NOT_BEGUN
    else:
        state = FolderState.DONE if done else FolderState.STOPPED
    if state is FolderState.DONE:
        asked |= {"total": games, "at_most": False}
    return FolderStatus(state, games, damaged=tuple(damaged), differs=differs, **asked)


def _with_learned_digests(experiment: Experiment) -> Experiment:
    if not any(player.training for player in experiment.players_and_judge):
        return experiment
    # It brings the compiler along, which lists of experiments are not to wait for.
    from workbench.runs import training

    with contextlib.suppress(InputError):  # they have not learned it yet
        return training.with_learned_digests(experiment, project.find_project())
    return experiment


def _requested_games(experiment: Experiment | None) -> dict[str, Any]:
    return {"total": experiment.total_games, "at_most": experiment.sequential} if experiment else {}


def _read_files(folder: Path, damaged: list[str]) -> list[RecordFile]:
    """Return the whole files of games in a folder; notes which are damaged."""
    files = []
    for path in records.file_paths(folder):
        try:
            files.append(records.read_unchanged(path))
        except records.Unreadable:
            damaged.append(tr("{path} is damaged", path=path))
        except records.Unavailable:
            continue  # the run has just replaced it
    return files


def _count_games(segments: Iterable[Segment]) -> dict[str, int]:
    """Cell digest -> its games; one that is in two files counts once."""
    have: dict[str, int] = {}
    upto: dict[str, int] = {}
    for one in sorted(segments, key=lambda segment: segment.start):
        start = max(one.start, upto.get(one.cell, 0))
        have[one.cell] = have.get(one.cell, 0) + max(0, one.stop - start)
        upto[one.cell] = max(upto.get(one.cell, 0), one.stop)
    return have


LOCK_ATTEMPTS, LOCK_PAUSE = 10, 0.02
"""Attempts to take the lock, and the seconds in between: `is_folder_in_use` holds it for a moment."""


@contextlib.contextmanager
def hold_folder_lock(folder: Path) -> Iterator[None]:
    """Holds the folder for this run alone; the lock ends with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows: no such lock, no protection
        yield
        return
    place = os.open(folder, os.O_RDONLY)
    try:
        for attempt in range(LOCK_ATTEMPTS):
            try:
                fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                # Some network file systems know no locks; that is no reason not to play.
                if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                    break
                if attempt == LOCK_ATTEMPTS - 1:
                    raise FolderBusy(folder) from None
                time.sleep(LOCK_PAUSE)
            else:
                break
        yield
    finally:
        os.close(place)


def is_folder_in_use(folder: Path) -> bool:
    """True if a run works in the folder at this moment; False where there are no locks."""
    try:
        import fcntl

        place = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        return False
    try:
        fcntl.flock(place, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in (errno.EWOULDBLOCK, errno.EACCES)
    finally:
        os.close(place)
    return False


@dataclass(frozen=True)
class Piece:
    """Games of one cell, without a gap, in a file."""

    path: Path
    start: int
    stop: int
    row: int
    """Row of the file that holds game ``start``."""


@dataclass
class Inventory:
    """The games of an experiment that a report folder holds."""

    files: list[RecordFile] = field(default_factory=list)
    """Record files that are whole."""
    pieces: dict[str, list[Piece]] = field(default_factory=dict)
    """Cell digest -> its games, without overlaps, in order."""
    foreign: bool = False
    """True if there are games of cells, or beyond the number of games, that the experiment does not have."""
    damaged: dict[Path, str] = field(default_factory=dict)
    """The damaged files, and a line about each: its path and which games are lost."""
    engines: dict[str, set[str]] = field(default_factory=dict)
    """Family -> digests of the engines that played its games."""

    @property
    def games(self) -> int:
        """Games of all cells."""
        return sum(map(self.count_games, self.pieces))

    def count_games(self, cell: str) -> int:
        """Games of one cell, by its digest."""
        return sum(piece.stop - piece.start for piece in self.pieces.get(cell, []))


class Storage:
    """The record files of one experiment in its report folder."""

    def __init__(self, experiment: Experiment, owned: output.Folder) -> None:
        self.experiment = experiment
        self.cells = experiment.cells()
        self.owned = owned
        self.folder = owned.path
        self.declarations = {name: games.declaration(name) for name in experiment.families()}
        line = (records.LINE,) if experiment.openings else ()
        swapped = (records.SWAPPED,) if any(ruleset.swap_ply for ruleset in experiment.rulesets) else ()
        moves = (records.MOVES,) if experiment.keep_moves else ()
        events = records.event_columns(self.declarations.values())
        self.columns = (*records.COLUMNS, *line, *swapped, *moves, *events, *records.TRACES)
        self.fields = records.arrow_schema(self.columns)
        self._cell_of = {cell.digest: cell for cell in self.cells}
        self._last_read: tuple[Path, pa.Table] | None = None

    def prepare(self) -> None:
        """Delete temporary files of killed runs.

        Raises:
            InputError: the folder of record files is a link.
        """
        output.refuse_links(self.folder / TRIALS)
        self.owned.sweep(TRIALS, min_age=0)

    def take_inventory(self) -> Inventory:
        """Read off the folder what it holds now.

        Raises:
            records.Unavailable: a file cannot be read at present.
        """
        inventory = Inventory()
        for path in records.file_paths(self.folder):
            try:
                inventory.files.append(records.read_file(path))
            except Unreadable:
                digest, first_game = records.named_games(path)
                lost = tr("its games")
                if cell := self._cell_of.get(digest):
                    lost = tr("games from {first_game:,} of {cell} on", first_game=first_game, cell=cell.title)
                inventory.damaged[path] = tr("{path} is damaged: {lost}", path=path, lost=lost)
        located = [
            (segment, file, row)
            for file in inventory.files
            for segment, row in zip(file.note.segments, file.note.rows(), strict=True)
        ]
        located.sort(key=lambda item: (item[0].start, -item[0].stop))
        for segment, file, row in located:
            cell = self._cell_of.get(segment.cell)
            if cell is None or segment.stop > self.experiment.games_of(cell):
                inventory.foreign = True
                continue
            pieces = inventory.pieces.setdefault(segment.cell, [])
            start = max(segment.start, pieces[-1].stop if pieces else 0)
            if start < segment.stop:
                pieces.append(Piece(file.path, start, segment.stop, row + start - segment.start))
            inventory.engines.setdefault(cell.ruleset.game, set()).add(file.note.engines[cell.ruleset.game])
        return inventory

    def missing_blocks(self, inventory: Inventory, goal: Mapping[str, int]) -> list[Block]:
        """The blocks to play up to the ``goal`` of each cell digest, in an order that advances all cells together."""
        blocks = []
        for cell in self.cells:
            size = self.experiment.block_size(cell)
            at = 0
            edges = [(piece.start, piece.stop) for piece in inventory.pieces.get(cell.digest, [])]
            for start, stop in [*edges, (goal[cell.digest], goal[cell.digest])]:
                while at < start:
                    end = min(start, at - at % size + size)
                    blocks.append(Block(cell, at, end))
                    at = end
                at = stop
        return sorted(blocks, key=lambda block: (block.start, block.cell.index))

    def games_table(self, inventory: Inventory, columns: list[str]) -> pd.DataFrame:
        """Return the games on disk, each cell from its first game up to the first that is missing."""
        import pandas as pd

        parts = []
        for cell in self.cells:
            count = 0
            for piece in inventory.pieces.get(cell.digest, []):
                if piece.start != count:
                    break
                count = piece.stop
            parts += [part.select(columns) for part in self._rows(inventory, cell, 0, count)]
        return pa.concat_tables(parts).to_pandas() if parts else pd.DataFrame(columns=columns)

    def _rows(self, inventory: Inventory, cell: Cell, start: int, stop: int) -> Iterator[pa.Table]:
        """Yield the games of a cell from ``start`` up to ``stop``, as far as they are on disk, with all columns."""
        for piece in inventory.pieces.get(cell.digest, []):
            low, high = max(piece.start, start), min(piece.stop, stop)
            if low >= high:
                continue
            if self._last_read is None or self._last_read[0] != piece.path:
                self._last_read = piece.path, records.read_table(piece.path)
            part = self._last_read[1].slice(piece.row + low - piece.start, high - low)
            # A run that keeps moves may continue one that did not.
            columns = [
                part[each.name] if each.name in part.column_names else pa.nulls(part.num_rows, each.type)
                for each in self.fields
            ]
            yield records.with_constant_columns(pa.table(columns, schema=self.fields), self._cell_columns(cell))

    def save_block(self, block: Block, arrays: Mapping[str, Any]) -> None:
        """Write the records of a block; ``arrays`` is what its worker returned for it."""
        cell, start, stop = block.cell, block.start, block.stop
        game = cell.ruleset.game
        part = records.block_table(
            self._cell_columns(cell), start, self.experiment.seeds(cell, start, stop),
            {
                **arrays, **records.trace_columns(arrays.get("traces", ()), block.count),
                records.LINE.name: self.experiment.line_numbers(cell.first, cell.second, start, stop),
            },
            self.declarations[game], self.columns,
        )  # fmt: skip
        engine = engine_digests([game])[game]
        records.write_file(self.folder, part, self._note([_segment(cell, start, stop)], {game: engine}))

    def finish_records(
        self, inventory: Inventory, goal: Mapping[str, int], engines: Mapping[str, str]
    ) -> dict[str, str]:
        """Leave the games in the files of a finished run, in the order of cells; returns their digests.

        Files that are there already are left as they are, those that they replace until `clear` is called.
        """
        there = {file.note.as_json(): file for file in inventory.files}
        files = []
        for note in self._finished_notes(goal, engines):
            if not (file := there.get(note.as_json())):
                parts = [
                    part
                    for one in note.segments
                    for part in self._rows(inventory, self._cell_of[one.cell], one.start, one.stop)
                ]
                file = records.write_file(self.folder, pa.concat_tables(parts), note)
            files.append(file)
        return records.digests_of(files)

    def is_finished(self, inventory: Inventory, goal: Mapping[str, int], engines: Mapping[str, str]) -> bool:
        """True if the files of a finished run are there."""
        there = {file.note.as_json() for file in inventory.files}
        return all(note.as_json() in there for note in self._finished_notes(goal, engines))

    def _finished_notes(self, goal: Mapping[str, int], engines: Mapping[str, str]) -> Iterator[Note]:
        for segments in records.cut(_segment(cell, 0, goal[cell.digest]) for cell in self.cells):
            yield self._note(segments, engines)

    def clear(self, digests: Mapping[str, str]) -> None:
        """Delete the record files that are not among those of a finished run."""
        for path in run_files(self.folder):
            if path.suffix == ".parquet" and path.relative_to(self.folder).as_posix() not in digests:
                path.unlink()
        self.owned.sweep(TRIALS, min_age=0)

    def _note(self, segments: Sequence[Segment], engines: Mapping[str, str]) -> Note:
        families = sorted({self._cell_of[one.cell].ruleset.game for one in segments})
        return Note(self.experiment.name, tuple(segments), {family: engines[family] for family in families})

    def _cell_columns(self, cell: Cell) -> dict[str, str | int]:
        """Return the columns that are the same for all games of a cell."""
        return {
            "experiment": self.experiment.name, "ruleset": cell.ruleset.name, "fingerprint": cell.ruleset.fingerprint,
            "first": cell.first.label, "second": cell.second.label, "cell": cell.index,
        }  # fmt: skip


def _segment(cell: Cell, start: int, stop: int) -> Segment:
    return Segment(cell.digest, cell.index, cell.ruleset.name, cell.first.label, cell.second.label, start, stop)


def traced_games(block: Block) -> int:
    """The number of games at the beginning of a block that are traced: none between two players that move at random."""
    if block.cell.first.declared.at_random and block.cell.second.declared.at_random:
        return 0
    return max(0, min(block.stop, records.TRACED_GAMES) - block.start)


def run_files(folder: Path) -> list[Path]:
    """The files that a run writes into its folder and that a fresh start deletes; nothing else is ever deleted."""
    if folder.is_symlink():
        return []
    own = {TRIALS, provenance.FILE}
    if (marked := output.listed_files(folder)) is not None:
        own &= marked
    return [
        path
        for path in [*records.file_paths(folder), folder / provenance.FILE]
        if path.is_file() and path.relative_to(folder).parts[0] in own
    ]
