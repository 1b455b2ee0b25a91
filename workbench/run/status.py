"""How far the games of a report folder are, read off the folder by anybody, while a run works in it or not."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from workbench.errors import InputError, text_of
from workbench.files import project
from workbench.language import tr
from workbench.questions.experiment import Experiment
from workbench.questions.lines import DrawnLines
from workbench.run.guards import is_folder_in_use
from workbench.store import provenance, record_files, records


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
    pieces, finished = _read_pieces(folder, damaged)
    if pieces and said is None and not damaged:
        damaged.append(tr("{folder} is missing or damaged", folder=folder / provenance.FILE))
    digest = record_files.digests_of_games((said or {}).get("digests"))
    left_over = any(path.parent.name == record_files.BLOCKS for path, *_ in pieces)
    found = {path: checked.sha256 for path, checked in finished.items()}
    if digest and finished and not left_over and record_files.combined_digests(found) != digest:
        place = folder / min(digest)
        damaged.append(tr("{place} is not what {file} speaks of", place=place, file=provenance.FILE))
    have = _count_games(pieces)
    asked = _requested_games(experiment)
    recorded = (said or {}).get("experiment") or {}
    if not asked:
        per_cell = int(recorded.get("games") or 0)
        cells = len((said or {}).get("rulesets") or ()) * len((said or {}).get("pairings") or ())
        asked = {"total": per_cell * cells, "at_most": bool(recorded.get("until") or recorded.get("precision"))}
    games = sum(have.values())
    differs = False
    wanted = int(recorded.get("games") or 0)
    if experiment is not None:
        own = {cell.digest for cell in _with_learned_digests(experiment).cells()}
        differs = any(cell not in own for cell in have) or (not have.keys() >= own and bool(finished))
        differs |= said is not None and bool(provenance.changed_keys(recorded, experiment.canonical()))
        wanted = experiment.games
    asked_then = {int(checked.note.get("games") or wanted) for checked in finished.values()}
    done = not left_over and not differs and asked_then == {wanted}
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
    from workbench.run import training

    with contextlib.suppress(InputError):  # they have not learned it yet
        return training.with_learned_digests(experiment, project.find_project())
    return experiment


def _requested_games(experiment: Experiment | None) -> dict[str, Any]:
    """The games that an experiment asks for."""
    return {"total": experiment.total_games, "at_most": experiment.sequential} if experiment else {}


Piece = tuple[Path, str, int, int]
"""A file, the digest of a cell, and the games of that cell in the file: from, and up to without."""


def _read_pieces(folder: Path, damaged: list[str]) -> tuple[list[Piece], dict[Path, records.Verification]]:
    """Which games the files of a folder hold, and the finished ones that can be read; notes what is damaged."""
    pieces: list[Piece] = []
    finished: dict[Path, records.Verification] = {}
    for path in (*record_files.finished_files(folder), *record_files.block_files(folder)):
        try:
            about = path.stat()
            checked = _verify_cached(path, about.st_mtime_ns, about.st_size)
            if checked is None:
                raise records.Unreadable(str(path))
            if path.parent.name != record_files.BLOCKS:
                finished[path] = checked
                pieces += _finished_pieces(path, checked)
            else:
                note = checked.note
                pieces.append((path, str(note["cell"]), int(note["start"]), int(note["stop"])))
            if checked.damaged:
                damaged.append(tr("{path} is damaged", path=path))
        except (records.Unreadable, KeyError, TypeError, ValueError, IndexError):
            damaged.append(tr("{path} is damaged", path=path))
        except (records.Unavailable, OSError):
            continue  # the run has just merged it
    return pieces, finished


@lru_cache(maxsize=100_000)
def _verify_cached(path: Path, changed: int, size: int) -> records.Verification | None:
    """What can be relied on in a file; None: nothing. The time of change and the size are its identity."""
    try:
        return records.verify_records(path)
    except records.Unreadable:
        return None


def _finished_pieces(path: Path, checked: records.Verification) -> list[Piece]:
    pieces: list[Piece] = []
    row = 0
    for cell, size in checked.cells():
        before = checked.start - row
        pieces += [(path, cell, before + low, before + high) for low, high in checked.intact_ranges(row, row + size)]
        row += size
    return pieces


def _count_games(pieces: list[Piece]) -> dict[str, int]:
    """Cell digest -> its games; one that is in two files counts once."""
    have: dict[str, int] = {}
    upto: dict[str, int] = {}
    for _, cell, start, stop in sorted(pieces, key=lambda piece: piece[2]):
        start = max(start, upto.get(cell, 0))
        have[cell] = have.get(cell, 0) + max(0, stop - start)
        upto[cell] = max(upto.get(cell, 0), stop)
    return have
