"""How far the games of a report folder are, read off the folder by anybody, while a run works in it or not."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from workbench.files import project
from workbench.files.yamlfile import InputError
from workbench.questions.experiment import Experiment
from workbench.questions.lines import Drawn
from workbench.run.guards import in_use
from workbench.store import provenance, records


class State(StrEnum):
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
class Standing:
    """How far the games of a folder are."""

    state: State
    games: int = 0
    """On disk, whole."""
    total: int = 0
    """That there are to be; 0: nobody knows."""
    at_most: bool = False
    """Whether fewer than the total may do, since the experiment ends its cells as soon as it has its answer."""
    blocks: int = 0
    """Blocks whose games are all on disk."""
    blocks_total: int = 0
    """0: only the experiment's file would say it."""
    damaged: tuple[str, ...] = ()
    """A line for each file that is damaged."""
    differs: bool = False
    """Whether the folder holds other games than the experiment asks for: a run refuses to continue it."""

    @property
    def share(self) -> float:
        """Of the games that there are to be, those that are there: 0 to 1."""
        if self.state is State.DONE:
            return 1.0
        return min(self.games / self.total, 1.0) if self.total else 0.0


def standing(folder: Path, experiment: Experiment | None = None) -> Standing:
    """How far a report folder is; with the experiment whose games it is to hold, also of how many.

    `State.QUEUED` and `State.RUNNING` are never among the answers: who runs here knows it himself.

    A file is read whole the first time, and then only when it has changed.
    """
    if not folder.is_dir():
        return Standing(State.NOT_BEGUN, **_asked(experiment, {}))
    busy = in_use(folder)
    damaged: list[str] = []
    said: dict[str, Any] | None = None
    try:
        said = provenance.load(folder)
    except provenance.Damaged as error:
        damaged.append(str(error))
    except (FileNotFoundError, records.Unavailable):
        pass
    pieces, finished = _pieces(folder, damaged)
    if pieces and said is None and not damaged:
        damaged.append(f"{folder / provenance.FILE} is missing or damaged")
    digest = ((said or {}).get("digests") or {}).get(provenance.TRIALS)
    left_over = any(path.name != provenance.TRIALS for path, *_ in pieces)
    if finished and digest and digest != finished.sha256 and not left_over:
        damaged.append(f"{folder / provenance.TRIALS} is not the file that {provenance.FILE} speaks of")
    have = _games(pieces)
    asked = _asked(experiment, have)
    recorded = (said or {}).get("experiment") or {}
    if not asked:
        per_cell = int(recorded.get("games") or 0)
        cells = len((said or {}).get("rulesets") or ()) * len((said or {}).get("pairings") or ())
        asked = {"total": per_cell * cells, "at_most": bool(recorded.get("until") or recorded.get("precision"))}
    games = sum(have.values())
    differs = False
    wanted = int(recorded.get("games") or 0)
    if experiment is not None:
        own = {cell.digest for cell in _attached(experiment).cells()}
        differs = any(cell not in own for cell in have) or (not have.keys() >= own and finished is not None)
        wanted = experiment.games
    whole = finished is not None and not finished.damaged and not left_over
    done = whole and not differs and finished is not None and int(finished.note.get("games") or wanted) == wanted
    if busy:
        state = State.ELSEWHERE
    elif damaged:
        state = State.DAMAGED
    elif not games:
        state = State.NOT_BEGUN
    else:
        state = State.DONE if done else State.STOPPED
    if state is State.DONE:
        asked |= {"total": games, "at_most": False}
    return Standing(state, games, damaged=tuple(damaged), differs=differs, **asked)


def _attached(experiment: Experiment) -> Experiment:
    judge = [experiment.openings.judge] if isinstance(experiment.openings, Drawn) else []
    if not any(player.training for player in [*experiment.players, *judge]):
        return experiment
    # It brings the compiler along, which lists of experiments are not to wait for.
    from workbench.run import training

    with contextlib.suppress(InputError):  # they have not learned it yet
        return training.attached(experiment, project.find())
    return experiment


def _asked(experiment: Experiment | None, have: dict[str, int]) -> dict[str, Any]:
    """The games and blocks that an experiment asks for, and the blocks of these that are there."""
    if experiment is None:
        return {}
    sizes = {cell.digest: experiment.block_size(cell) for cell in _attached(experiment).cells()}
    return {
        "total": experiment.games * len(sizes),
        "at_most": experiment.sequential,
        "blocks": sum(have.get(cell, 0) // size for cell, size in sizes.items())
        + sum(have.get(cell) == experiment.games and experiment.games % size > 0 for cell, size in sizes.items()),
        "blocks_total": sum(-(-experiment.games // size) for size in sizes.values()),
    }


Piece = tuple[Path, str, int, int]
"""A file, the digest of a cell, and the games of that cell in the file: from, and up to without."""


def _pieces(folder: Path, damaged: list[str]) -> tuple[list[Piece], records.Checked | None]:
    """Which games the files of a folder hold, and the finished file if it can be read; notes what is damaged."""
    pieces: list[Piece] = []
    finished = None
    for path in _files(folder):
        try:
            about = path.stat()
            checked = _checked(path, about.st_mtime_ns, about.st_size)
            if checked is None:
                raise records.Unreadable(str(path))
            if path.name == provenance.TRIALS:
                finished = checked
                pieces += _of_finished(path, checked)
            else:
                note = checked.note
                pieces.append((path, str(note["cell"]), int(note["start"]), int(note["stop"])))
            if checked.damaged:
                damaged.append(f"{path} is damaged")
        except (records.Unreadable, KeyError, TypeError, ValueError, IndexError):
            damaged.append(f"{path} is damaged")
        except (records.Unavailable, OSError):
            continue  # the run has just merged it
    return pieces, finished


def _files(folder: Path) -> Iterator[Path]:
    if (folder / provenance.TRIALS).is_file():
        yield folder / provenance.TRIALS
    for path in sorted((folder / provenance.BLOCKS).glob("*.parquet")):
        if provenance.is_block(path.name):
            yield path


@lru_cache(maxsize=100_000)
def _checked(path: Path, changed: int, size: int) -> records.Checked | None:
    """What can be relied on in a file; None: nothing. The time of change and the size are its identity."""
    try:
        return records.check(path)
    except records.Unreadable:
        return None


def _of_finished(path: Path, checked: records.Checked) -> list[Piece]:
    sizes = [(str(line[0]), int(line[4] if len(line) > 4 else checked.note["games"])) for line in checked.note["cells"]]
    pieces: list[Piece] = []
    row = 0
    for cell, size in sizes:
        at = 0
        for low, high in [*checked.damaged, (row + size, row + size)]:
            low, high = min(max(low - row, 0), size), min(max(high - row, 0), size)
            if at < low:
                pieces.append((path, cell, at, low))
            at = max(at, high)
        row += size
    return pieces


def _games(pieces: list[Piece]) -> dict[str, int]:
    """Cell digest -> its games; one that is in two files counts once."""
    have: dict[str, int] = {}
    upto: dict[str, int] = {}
    for _, cell, start, stop in sorted(pieces, key=lambda piece: piece[2]):
        start = max(start, upto.get(cell, 0))
        have[cell] = have.get(cell, 0) + max(0, stop - start)
        upto[cell] = max(upto.get(cell, 0), stop)
    return have
