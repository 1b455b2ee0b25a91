"""Progress of runs: live progress, the errors that end a run early, and the games in report folders.

Record files identify their games (see `workbench.records.records`), so a folder itself shows what has been played.
Every file is verified before use; damaged ones count as missing. The files of a finished run depend on the experiment
and the engine alone, not on workers, block sizes or interruptions.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench import games
from workbench.base import output, project
from workbench.base.errors import BAD_INPUT, INTERRUPTED, InputError, display_path, error_text
from workbench.base.language import join, tr, trn
from workbench.experiments.experiment import Block, Cell, Experiment
from workbench.records import provenance, records
from workbench.records.records import TRIALS, Note, RecordFile, Segment, Unreadable
from workbench.runs.executor import Stopped, format_duration, terminal_bar
from workbench.runs.worker import engine_digests

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console


@dataclass
class Progress:
    """The progress of a run."""

    total: int
    """Games to play up to the next interim analysis, if any."""
    kept: int
    """Games that were already on disk."""
    played: int = 0
    """Games played by this run."""
    most: int = 0
    """Games at the end of the run if no further cell ends early."""
    pace: float = 0.0
    """Games per second: the rate expected for the remaining games, or the rate so far until every pairing is timed."""
    left: float | None = None
    """Seconds left if no further cell ends early, once every pairing has been timed."""
    workers: int = 1
    """Workers that are playing."""

    @property
    def done(self) -> int:
        """Games on disk."""
        return self.kept + self.played

    def __str__(self) -> str:
        counts = {"done": self.done, "most": self.most or self.total}
        if self.left is None:
            return str(tr("{done:,} of {most:,} games played.", **counts))
        text = tr("{done:,} of {most:,} games played, {pace:,.0f} per second; {left} left.")
        return str(text.format(**counts, pace=self.pace, left=format_duration(self.left)))


class Clock:
    """Updates the `Progress` of a run from times measured per pairing, as agents' speeds differ a thousandfold."""

    def __init__(self, progress: Progress) -> None:
        self.start_time = time.perf_counter()
        self.progress = progress
        self.missing: Counter[tuple[str, str, str]] = Counter()
        self.timed: dict[tuple[str, str, str], tuple[float, int]] = {}

    def begin_stage(self, blocks: Iterable[Block], later: Iterable[tuple[Cell, int]]) -> None:
        """Set the blocks up to the next interim analysis, and the games that may follow in each cell."""
        self.missing = Counter()
        for cell, count in [*((block.cell, block.count) for block in blocks), *later]:
            self.missing[_pairing(cell)] += count
        self.progress.most = self.progress.done + sum(self.missing.values())
        self._update()

    def add(self, block: Block, seconds: float) -> None:
        """Add a finished block and the seconds that its worker took."""
        pairing = _pairing(block.cell)
        self.missing[pairing] -= block.count
        earlier_seconds, count = self.timed.get(pairing, (0.0, 0))
        self.timed[pairing] = (earlier_seconds + seconds, count + block.count)
        self.progress.played += block.count
        self._update()

    def _update(self) -> None:
        progress, elapsed = self.progress, time.perf_counter() - self.start_time
        progress.pace, progress.left = progress.played / elapsed if elapsed else 0.0, None
        remaining = {pairing: games for pairing, games in self.missing.items() if games}
        if remaining.keys() <= self.timed.keys():
            work = sum(games * self.timed[pairing][0] / self.timed[pairing][1] for pairing, games in remaining.items())
            progress.left = work / progress.workers
            progress.pace = sum(remaining.values()) / progress.left if progress.left else progress.pace


def _pairing(cell: Cell) -> tuple[str, str, str]:
    return (cell.ruleset.game, cell.first.label, cell.second.label)


@contextlib.contextmanager
def progress_bar(console: Console | None, progress: Progress) -> Iterator[Callable[[Progress], None]]:
    """Show a bar in a terminal; yield a function that redraws it."""
    counts = tr("{task.completed:,.0f} of {task.total:,.0f} games")
    with terminal_bar(console, progress.most, counts, "workers", "pace", "left") as update:
        yield lambda progress: update(
            completed=progress.done, total=progress.most,
            workers=trn("{n:,} worker", "{n:,} workers", progress.workers),
            pace=tr("{pace:,.0f} games/s", pace=progress.pace) if progress.played else "",
            left="" if progress.left is None else tr("{time} left", time=format_duration(progress.left)),
        )  # fmt: skip


class FolderMismatch(Stopped):
    """The folder contains the games of a different question."""

    exit_code = BAD_INPUT

    def __init__(self, folder: Path, differences: Sequence[str], command: str = "") -> None:
        """Build the text from a line per difference; ``command`` is the command for the new question."""
        self.folder = folder
        self.differences = tuple(differences)
        lines = join("\n", (join("  ", ("", line)) for line in differences))
        text = tr("{folder} contains the games of a different question:\n{lines}", folder=folder, lines=lines)
        advice = tr("A folder answers one question. Undo the change, or start again with --fresh.")
        if command:
            folder_path = folder.absolute()
            free_path = next(path for n in itertools.count(2) if not (path := Path(f"{folder_path}-{n}")).exists())
            advice = tr(
                "A folder answers one question. Undo the change, start again with --fresh, or use another "
                "folder: {command} --out {other}",
                command=re.sub(r" --out ('[^']*'|\S+)", "", command),
                other=shlex.quote(display_path(free_path)),
            )
        super().__init__(join("\n", (text, advice)))


class ProgramsNotAllowed(Stopped):
    """The experiment would start external programs or classes, which the user has not allowed."""

    exit_code = BAD_INPUT

    def __init__(self, starts: Sequence[str], command: str) -> None:
        lines = join("\n", (join("  ", ("", start)) for start in starts))
        text = tr(
            "This experiment starts external programs or classes, which can do everything that you can do:\n{lines}\n"
            "To allow it: {command} --allow-programs"
        )
        super().__init__(text.format(lines=lines, command=command))


class FolderBusy(Stopped):
    """Another run is using the folder."""

    exit_code = BAD_INPUT

    def __init__(self, folder: Path) -> None:
        super().__init__(tr("{folder} is in use by another run; wait for it to finish, or stop it.", folder=folder))


class FolderUnwritable(Stopped):
    """The folder cannot be written, for instance because its disk is full."""

    exit_code = BAD_INPUT

    def __init__(self, folder: Path, error: output.Unwritable, kept: int, total: int, command: str) -> None:
        self.kept, self.total = kept, total
        advice = tr("{kept:,} of {total:,} games are saved. To continue: {command}")
        advice = advice.format(kept=kept, total=total, command=command)
        super().__init__(str(output.Unwritable(folder, error.reason, advice)))


class FolderUnreadable(Stopped):
    """A file of the folder cannot be read at present, so its content is unknown."""

    exit_code = BAD_INPUT

    def __init__(self, error: records.Unavailable, command: str) -> None:
        text = tr(
            "{error}. Nothing was changed. Make it readable, then: {command}\nIf it is lost for good, delete it: its "
            "games are then played again."
        )
        super().__init__(text.format(error=error, command=command))


class RunInterrupted(Stopped):
    """The user stopped the run."""

    exit_code = INTERRUPTED

    def __init__(self, kept: int, total: int, command: str) -> None:
        self.kept, self.total = kept, total
        text = tr("Stopped. {kept:,} of {total:,} games are saved. To continue: {command}")
        super().__init__(text.format(kept=kept, total=total, command=command))


class FolderState(StrEnum):
    """The state of a report folder."""

    NOT_BEGUN = "not_begun"
    QUEUED = "queued"
    """It is waiting in the queue of this studio."""
    RUNNING = "running"
    """This studio is playing its games."""
    ELSEWHERE = "elsewhere"
    """Another process holds the folder's lock."""
    STOPPED = "stopped"
    """It is incomplete; a run plays the missing games."""
    DONE = "done"
    DAMAGED = "damaged"
    """A file is damaged; a run replays the lost games."""


@dataclass(frozen=True)
class FolderStatus:
    """The state of a folder and the number of its games."""

    state: FolderState
    games: int = 0
    """Games in undamaged files."""
    total: int = 0
    """Games of a complete run; 0 if unknown."""
    at_most: bool = False
    """True if cells may end early, before the total is reached."""
    damaged: tuple[str, ...] = ()
    """A line for each damaged file."""
    differs: bool = False
    """True if the folder contains games of a different question, so that a run refuses to continue it."""


def folder_status(folder: Path, experiment: Experiment | None = None) -> FolderStatus:
    """Return the state of a report folder, except `FolderState.QUEUED` and `FolderState.RUNNING`.

    The ``experiment`` determines the total; by default it is read from the provenance. Files are read again only if
    they have changed.
    """
    if not folder.is_dir():
        return FolderStatus(FolderState.NOT_BEGUN, **_requested_games(experiment))
    busy = is_folder_in_use(folder)
    damaged: list[str] = []
    recorded: dict[str, Any] | None = None
    try:
        recorded = provenance.load_provenance(folder)
    except provenance.Damaged as error:
        damaged.append(error_text(error))
    except (FileNotFoundError, records.Unavailable):
        pass
    files = []
    for path in records.file_paths(folder):
        try:
            files.append(records.read_file_cached(path))
        except records.Unreadable:
            damaged.append(tr("{path} is damaged", path=path))
        except records.Unavailable:
            continue  # just replaced by a run
    if files and recorded is None and not damaged:
        damaged.append(tr("{folder} is missing or damaged", folder=folder / provenance.FILE))
    listed = (recorded or {}).get("digests") or {}
    if not damaged and not busy:
        damaged += [
            tr("{place} is listed in {file} but missing", place=folder / path, file=provenance.FILE)
            for path in records.missing_files(listed, files)[:1]
        ]
    counts = _count_games(segment for file in files for segment in file.note.segments)
    requested = _requested_games(experiment)
    question = (recorded or {}).get("experiment") or {}
    if not requested and recorded:
        cells = len(recorded["rulesets"]) * len(recorded["pairings"])
        early = bool(question.get("until") or question.get("precision"))
        requested = {"total": question["games"] * cells, "at_most": early}
    games = sum(counts.values())
    differs = False
    if experiment is not None:
        digests = {cell.digest for cell in _with_learned_digests(experiment).cells()}
        differs = not counts.keys() <= digests or (bool(listed) and counts.keys() != digests)
        differs |= recorded is not None and bool(provenance.changed_keys(question, experiment.canonical()))
    finished = bool(files) and all(file.place in listed for file in files)
    is_done = finished and not differs and (experiment is None or experiment.games == question.get("games"))
    if busy:
        state = FolderState.ELSEWHERE
    elif damaged:
        state = FolderState.DAMAGED
    elif not games:
        state = FolderState.NOT_BEGUN
    else:
        state = FolderState.DONE if is_done else FolderState.STOPPED
    if state is FolderState.DONE:
        requested |= {"total": games, "at_most": False}
    return FolderStatus(state, games, damaged=tuple(damaged), differs=differs, **requested)


def _with_learned_digests(experiment: Experiment) -> Experiment:
    if not any(player.training for player in experiment.players_and_judge):
        return experiment
    # This imports the compiler, for which lists of experiments should not wait.
    from workbench.runs import training

    with contextlib.suppress(InputError):  # not yet trained
        return training.with_learned_digests(experiment, project.find_project())
    return experiment


def _requested_games(experiment: Experiment | None) -> dict[str, Any]:
    return {"total": experiment.total_games, "at_most": experiment.sequential} if experiment else {}


def _count_games(segments: Iterable[Segment]) -> Counter[str]:
    """Count the games of each cell digest once, even if two files contain them."""
    counts: Counter[str] = Counter()
    stops: Counter[str] = Counter()
    for segment in sorted(segments, key=lambda segment: segment.start):
        counts[segment.cell] += max(0, segment.stop - max(segment.start, stops[segment.cell]))
        stops[segment.cell] = max(stops[segment.cell], segment.stop)
    return counts


LOCK_ATTEMPTS, LOCK_PAUSE = 10, 0.02
"""The attempts to take the lock, which `is_folder_in_use` briefly holds, and the seconds between them."""


@contextlib.contextmanager
def hold_folder_lock(folder: Path) -> Iterator[None]:
    """Lock the folder within the context or until the process ends; raise `FolderBusy` if another run holds it."""
    try:
        import fcntl
    except ImportError:  # Windows, where folders have no locks
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        for attempt in range(LOCK_ATTEMPTS):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                # Some network file systems do not support locks.
                if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                    break
                if attempt == LOCK_ATTEMPTS - 1:
                    raise FolderBusy(folder) from None
                time.sleep(LOCK_PAUSE)
            else:
                break
        yield
    finally:
        os.close(descriptor)


def is_folder_in_use(folder: Path) -> bool:
    """Return whether a run holds the folder's lock; False if locks are not supported."""
    try:
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in (errno.EWOULDBLOCK, errno.EACCES)
    finally:
        os.close(descriptor)
    return False


@dataclass(frozen=True)
class GameRange:
    """Consecutive games of one cell in a file."""

    path: Path
    start: int
    stop: int
    row: int
    """The row of game ``start`` in the file."""


@dataclass
class Inventory:
    """The games of an experiment in a report folder."""

    files: list[RecordFile] = field(default_factory=list)
    """Undamaged record files."""
    ranges: dict[str, list[GameRange]] = field(default_factory=dict)
    """The games of each cell digest, in order and without overlaps."""
    foreign: bool = False
    """True if there are games of other cells, or more games than the experiment has."""
    damaged: dict[Path, str] = field(default_factory=dict)
    """Damaged files, with a message about the lost games."""
    engines: dict[str, set[str]] = field(default_factory=dict)
    """Digests of the engines that played, for each family."""

    @property
    def games(self) -> int:
        """The number of games of all cells."""
        return sum(map(self.count_games, self.ranges))

    def count_games(self, cell: str) -> int:
        """Return the number of games of a cell digest."""
        return sum(span.stop - span.start for span in self.ranges.get(cell, []))


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
        self._cells_by_digest = {cell.digest: cell for cell in self.cells}
        self._last_read: tuple[Path, pa.Table] | None = None

    def prepare(self) -> None:
        """Delete temporary files of killed runs; raise `InputError` if the folder of record files is a link."""
        output.refuse_links(self.folder / TRIALS)
        self.owned.sweep(TRIALS, min_age=0)

    def take_inventory(self) -> Inventory:
        """Read the folder's current content; raise `records.Unavailable` if a file cannot be read at present."""
        inventory = Inventory()
        for path in records.file_paths(self.folder):
            try:
                inventory.files.append(records.read_file(path))
            except Unreadable:
                digest, first_game, _ = path.name.split("-")
                lost = tr("its games")
                if cell := self._cells_by_digest.get(digest):
                    lost = tr("games of {cell} starting at {first_game:,}", first_game=int(first_game), cell=cell.title)
                inventory.damaged[path] = tr("{path} is damaged: {lost}", path=path, lost=lost)
        located = [
            (segment, file, row)
            for file in inventory.files
            for segment, row in zip(file.note.segments, file.note.first_rows(), strict=True)
        ]
        located.sort(key=lambda item: (item[0].start, -item[0].stop))
        for segment, file, row in located:
            cell = self._cells_by_digest.get(segment.cell)
            if cell is None or segment.stop > self.experiment.cell_games(cell):
                inventory.foreign = True
                continue
            ranges = inventory.ranges.setdefault(segment.cell, [])
            start = max(segment.start, ranges[-1].stop if ranges else 0)
            if start < segment.stop:
                ranges.append(GameRange(file.path, start, segment.stop, row + start - segment.start))
            inventory.engines.setdefault(cell.ruleset.game, set()).add(file.note.engines[cell.ruleset.game])
        return inventory

    def missing_blocks(self, inventory: Inventory, goal: Mapping[str, int]) -> list[Block]:
        """Return the blocks to play up to the ``goal`` of each cell digest, advancing all cells together."""
        blocks = []
        for cell in self.cells:
            size = self.experiment.block_size(cell)
            game = 0
            edges = [(span.start, span.stop) for span in inventory.ranges.get(cell.digest, [])]
            for start, stop in [*edges, (goal[cell.digest], goal[cell.digest])]:
                while game < start:
                    end = min(start, game - game % size + size)
                    blocks.append(Block(cell, game, end))
                    game = end
                game = stop
        return sorted(blocks, key=lambda block: (block.start, block.cell.index))

    def games_table(self, inventory: Inventory, columns: list[str]) -> pd.DataFrame:
        """Return each cell's games on disk, from the first game up to the first missing one."""
        import pandas as pd

        parts = []
        for cell in self.cells:
            count = 0
            for span in inventory.ranges.get(cell.digest, []):
                if span.start != count:
                    break
                count = span.stop
            parts += [part.select(columns) for part in self._rows(inventory, cell, 0, count)]
        return pa.concat_tables(parts).to_pandas() if parts else pd.DataFrame(columns=columns)

    def _rows(self, inventory: Inventory, cell: Cell, start: int, stop: int) -> Iterator[pa.Table]:
        """Yield the games of a cell from ``start`` up to ``stop`` that are on disk, with all columns."""
        for span in inventory.ranges.get(cell.digest, []):
            low, high = max(span.start, start), min(span.stop, stop)
            if low >= high:
                continue
            if self._last_read is None or self._last_read[0] != span.path:
                self._last_read = span.path, records.read_table(span.path)
            part = self._last_read[1].slice(span.row + low - span.start, high - low)
            # An earlier run may not have recorded moves.
            columns = [
                part[column.name] if column.name in part.column_names else pa.nulls(part.num_rows, column.type)
                for column in self.fields
            ]
            yield records.with_constant_columns(pa.table(columns, schema=self.fields), self._cell_columns(cell))

    def save_block(self, block: Block, arrays: Mapping[str, Any]) -> None:
        """Write the records of a block, given the arrays that its worker returned."""
        cell, start, stop = block.cell, block.start, block.stop
        game = cell.ruleset.game
        traces = arrays.get("traces", ())
        untraced = [None] * (block.count - len(traces))
        columns = {
            **arrays, "evaluation_by_ply": [*(trace.evaluations for trace in traces), *untraced],
            "legal_moves_by_ply": [*(trace.legal_moves for trace in traces), *untraced],
            records.LINE.name: self.experiment.line_numbers(cell.first, cell.second, start, stop),
        }  # fmt: skip
        seeds = self.experiment.seeds(cell, start, stop)
        part = records.block_table(
            self._cell_columns(cell), start, seeds, columns, self.declarations[game], self.columns
        )
        engine = engine_digests([game])[game]
        records.write_file(self.folder, part, self._note([_segment(cell, start, stop)], {game: engine}))

    def finish_records(
        self, inventory: Inventory, goal: Mapping[str, int], engines: Mapping[str, str]
    ) -> dict[str, str]:
        """Write a finished run's missing files, and return all digests; `clear` deletes the replaced files."""
        present = {file.note.as_json(): file for file in inventory.files}
        files = []
        for segments in records.file_segments(_segment(cell, 0, goal[cell.digest]) for cell in self.cells):
            note = self._note(segments, engines)
            if not (file := present.get(note.as_json())):
                parts = [
                    part
                    for span in note.segments
                    for part in self._rows(inventory, self._cells_by_digest[span.cell], span.start, span.stop)
                ]
                file = records.write_file(self.folder, pa.concat_tables(parts), note)
            files.append(file)
        return records.file_digests(files)

    def clear(self, digests: Mapping[str, str]) -> None:
        """Delete record files that are not in the list of a finished run."""
        for path in run_files(self.folder):
            if path.suffix == ".parquet" and path.relative_to(self.folder).as_posix() not in digests:
                path.unlink()
        self.owned.sweep(TRIALS, min_age=0)

    def _note(self, segments: Sequence[Segment], engines: Mapping[str, str]) -> Note:
        families = sorted({self._cells_by_digest[segment.cell].ruleset.game for segment in segments})
        return Note(self.experiment.name, tuple(segments), {family: engines[family] for family in families})

    def _cell_columns(self, cell: Cell) -> dict[str, str | int]:
        """Return the columns with a constant value in a cell."""
        return {
            "experiment": self.experiment.name, "ruleset": cell.ruleset.name, "fingerprint": cell.ruleset.fingerprint,
            "first": cell.first.label, "second": cell.second.label, "cell": cell.index,
        }  # fmt: skip


def _segment(cell: Cell, start: int, stop: int) -> Segment:
    return Segment(cell.digest, cell.index, cell.ruleset.name, cell.first.label, cell.second.label, start, stop)


def traced_games(block: Block) -> int:
    """Return the number of games to trace in a block, which is 0 if both players move at random."""
    if block.cell.first.declared.at_random and block.cell.second.declared.at_random:
        return 0
    return max(0, min(block.stop, records.TRACED_GAMES) - block.start)


def run_files(folder: Path) -> list[Path]:
    """Return the files that a run writes into its folder; a fresh start deletes only these."""
    if folder.is_symlink():
        return []
    marked = output.listed_files(folder)
    paths = [*records.file_paths(folder), folder / provenance.FILE]
    return [
        path for path in paths if path.is_file() and (marked is None or path.relative_to(folder).parts[0] in marked)
    ]
