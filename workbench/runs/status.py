"""How far the games of a report folder are, read off it by anybody, and the lock of the run that works in it."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from workbench.base import project
from workbench.base.errors import InputError, text_of
from workbench.base.language import tr
from workbench.experiments.experiment import Experiment
from workbench.experiments.experiment_files import DrawnLines
from workbench.records import provenance, records
from workbench.records.records import RecordFile, Segment
from workbench.runs.errors import FolderBusy


class FolderState(StrEnum):
    """What a report folder is at present."""

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
    """How far the games of a folder are."""

    state: FolderState
    games: int = 0
    """On disk, whole."""
    total: int = 0
    """That there are to be; 0: nobody knows."""
    at_most: bool = False
    """Whether fewer than the total may do, since the experiment ends its cells as soon as it has its answer."""
    damaged: tuple[str, ...] = ()
    """A line for each file that is damaged."""
    differs: bool = False
    """Whether the folder holds other games than the experiment asks for: a run refuses to continue it."""


def folder_status(folder: Path, experiment: Experiment | None = None) -> FolderStatus:
    """How far a report folder is; with the experiment whose games it is to hold, also of how many.

    `FolderState.QUEUED` and `FolderState.RUNNING` are never among the answers: who runs here knows it himself.

    A file is read whole the first time, and then only when it has changed.
    """
    if not folder.is_dir():
        return FolderStatus(FolderState.NOT_BEGUN, **_requested_games(experiment))
    busy = is_folder_in_use(folder)
    damaged: list[str] = []
    said: dict[str, Any] | None = None
    try:
        said = provenance.load_provenance(folder)
    except provenance.Damaged as error:
        damaged.append(text_of(error))
    except (FileNotFoundError, records.Unavailable):
        pass
    files = _read_files(folder, damaged)
    if files and said is None and not damaged:
        damaged.append(tr("{folder} is missing or damaged", folder=folder / provenance.FILE))
    listed = (said or {}).get("digests") or {}
    if not damaged and not busy:
        damaged += [
            tr("{place} is missing, though {file} lists it", place=folder / place, file=provenance.FILE)
            for place in records.missing_files(listed, files)[:1]
        ]
    have = _count_games(segment for file in files for segment in file.note.segments)
    asked = _requested_games(experiment)
    recorded = (said or {}).get("experiment") or {}
    if not asked:
        per_cell = int(recorded.get("games") or 0)
        cells = len((said or {}).get("rulesets") or ()) * len((said or {}).get("pairings") or ())
        asked = {"total": per_cell * cells, "at_most": bool(recorded.get("until") or recorded.get("precision"))}
    games = sum(have.values())
    differs = False
    if experiment is not None:
        own = {cell.digest for cell in _with_learned_digests(experiment).cells()}
        differs = any(cell not in own for cell in have) or (not have.keys() >= own and bool(listed))
        differs |= said is not None and bool(provenance.changed_keys(recorded, experiment.canonical()))
    finished = bool(files) and all(file.place in listed for file in files)
    done = finished and not differs and (experiment is None or experiment.games == recorded.get("games"))
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
    judge = [experiment.openings.judge] if isinstance(experiment.openings, DrawnLines) else []
    if not any(player.training for player in [*experiment.players, *judge]):
        return experiment
    # It brings the compiler along, which lists of experiments are not to wait for.
    from workbench.runs import training

    with contextlib.suppress(InputError):  # they have not learned it yet
        return training.with_learned_digests(experiment, project.find_project())
    return experiment


def _requested_games(experiment: Experiment | None) -> dict[str, Any]:
    return {"total": experiment.total_games, "at_most": experiment.sequential} if experiment else {}


def _read_files(folder: Path, damaged: list[str]) -> list[RecordFile]:
    """The whole files of games in a folder; notes which are damaged."""
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
"""How often the lock is tried, and the seconds in between: `is_folder_in_use` holds it for a moment."""


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
    """Whether a run works in the folder at this moment; where there are no locks nobody knows, and it is False."""
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
