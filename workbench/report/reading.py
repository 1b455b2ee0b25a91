"""The records and the provenance that a run left in its folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.errors import InputError, Problem
from workbench.language import tr
from workbench.statistics.tables import cell_indices
from workbench.store import provenance as provenances
from workbench.store import record_files
from workbench.store.record_files import RecordFile
from workbench.store.trials import CellName, Trials, load_trials

REMEDY = "workbench run makes it again, and plays nothing that is there"


def read_run_provenance(folder: Path) -> dict[str, Any]:
    """What the run says of itself.

    Raises:
        InputError: the folder has none, or it is damaged.
    """
    path = folder / provenances.FILE
    try:
        return provenances.load_provenance(folder)
    except FileNotFoundError:
        hint = tr(
            "a report is made from the folder that a run wrote; if its records are there, run the experiment again"
        )
        raise InputError([Problem(str(path), None, None, tr("there is no such file"), hint)]) from None
    except (provenances.Damaged, record_files.Unavailable) as error:
        message = tr("cannot be read as what a run writes ({error})", error=str(error).removeprefix(f"{path}: "))
        raise InputError([Problem(str(path), None, None, message, REMEDY)]) from error


def read_report_trials(
    folder: Path, provenance: Mapping[str, Any], pairings: Sequence[tuple[str, str]], also: Sequence[str] = ()
) -> Trials:
    """The games of all cells, each from its first one up to the first that is missing.

    ``also`` names columns to be kept in memory, however many games there are.

    Raises:
        InputError: there are no games, or they cannot be read.
    """
    every = [(str(one["name"]), *pairing) for one in provenance["rulesets"] for pairing in pairings]
    planned = {cell: number for number, cell in enumerate(dict.fromkeys(every))}
    try:
        files = [record_files.read_file(path) for path in record_files.file_paths(folder)]
        files.sort(key=lambda file: _file_order(file, planned))
        trials = load_trials(files, also)
    except (record_files.Unreadable, record_files.Unavailable) as error:
        again = tr("run the experiment again: what is missing or damaged is played again, and that alone")
        hint = again if isinstance(error, record_files.Unreadable) else tr("make it readable")
        raise InputError(
            [Problem(str(folder), None, None, tr("cannot be read: {error}", error=error), hint)]
        ) from error
    if missing := record_files.missing_files(provenance.get("digests"), files):
        message = tr("{place} is missing, though {file} lists it", place=missing[0], file=provenances.FILE)
        hint = tr("run the experiment again: it tells whether these are its games, and plays nothing that is there")
        raise InputError([Problem(str(folder), None, None, message, hint)])
    if not len(trials):
        raise InputError([Problem(str(folder), None, None, tr("no games are in it yet"))])
    counted = _rows_before_gaps(trials.games, list(planned))
    everything = len(counted) == len(trials) and bool((np.diff(counted) == 1).all())
    return trials if everything else trials.take(counted)


def _file_order(file: RecordFile, planned: Mapping[CellName, int]) -> tuple[int, int]:
    """Where the first games of a file come."""
    first = file.note.segments[0]
    return planned.get((first.ruleset, first.first, first.second), len(planned)), first.start


def _rows_before_gaps(games: pd.DataFrame, cells: Sequence[CellName]) -> npt.NDArray[np.intp]:
    """The places of the games that count: cell by cell, from the first game up to the first that is missing."""
    cell, number = cell_indices(games, cells), games["game"].to_numpy()
    steps = np.diff(cell)
    in_order = (steps >= 0).all() and ((np.diff(number) > 0) | (steps > 0)).all()
    order = np.arange(len(games)) if in_order else np.lexsort((number, cell))
    order = order[cell[order] >= 0]
    # Of games that are in two files, the one that comes first.
    again = (np.diff(cell[order], prepend=-1) == 0) & (np.diff(number[order], prepend=-1) == 0)
    order = order[~again]
    starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
    before = np.repeat(starts, np.diff(starts, append=len(order)))
    first_ones: npt.NDArray[np.intp] = order[number[order] == np.arange(len(order)) - before]
    return first_ones
