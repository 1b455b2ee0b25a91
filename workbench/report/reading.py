"""The records and the provenance that a run left in its folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from workbench.files.yamlfile import InputError, Problem
from workbench.statistics.tables import places
from workbench.store import provenance as provenances
from workbench.store import records, traces

AGAIN = "workbench run makes it again, and plays nothing that is there"


def read_provenance(folder: Path) -> dict[str, Any]:
    """What the run says of itself.

    Raises:
        InputError: the folder has none, or it is damaged.
    """
    path = folder / provenances.FILE
    try:
        return provenances.load(folder)
    except FileNotFoundError:
        hint = "a report is made from the folder that a run wrote; if its records are there, run the experiment again"
        raise InputError([Problem(str(path), None, None, "there is no such file", hint)]) from None
    except (provenances.Damaged, records.Unavailable) as error:
        message = f"cannot be read as what a run writes ({str(error).removeprefix(f'{path}: ')})"
        raise InputError([Problem(str(path), None, None, message, AGAIN)]) from error


def read_trials(
    folder: Path, provenance: Mapping[str, Any], pairings: Sequence[tuple[str, str]]
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The records of all cells, each from its first game up to the first that is missing, and notes on the files."""
    # A run that was continued with more games has a finished file and blocks beside it.
    blocks = sorted((folder / provenances.BLOCKS).glob("*.parquet"))
    paths = [path for path in (folder / provenances.TRIALS, *blocks) if path.exists()]
    try:
        checked = [records.check(path) for path in paths]
        parts = [records.read(path, one) for path, one in zip(paths, checked, strict=True)]
    except (records.Unreadable, records.Unavailable) as error:
        again = "run the experiment again: what is missing or damaged is played again, and that alone"
        hint = again if isinstance(error, records.Unreadable) else "make it readable"
        raise InputError([Problem(str(folder), None, None, f"cannot be read: {error}", hint)]) from error
    digest = provenance.get("digests", {}).get(provenances.TRIALS)
    # A run that was killed after it wrote its records has not written their digest, and left its blocks.
    if digest and not blocks and paths and checked[0].sha256 != digest:
        message = f"{provenances.TRIALS} is whole, but not the file that {provenances.FILE} speaks of"
        hint = "run the experiment again: it tells whether these are its games, and plays nothing that is there"
        raise InputError([Problem(str(folder), None, None, message, hint)])
    if not sum(len(part) for part in parts):
        raise InputError([Problem(str(folder), None, None, "no games are in it yet")])
    notes: tuple[str, ...] = ()
    if not digest and not all(one.sealed for one in checked):
        notes = ("These records are of version 0.1, without digests: the checksums of their pages were compared.",)
    trials = pd.concat([part for part in parts if len(part)], ignore_index=True)
    cell = ["ruleset", "first", "second"]
    planned = [(str(one["name"]), *pairing) for one in provenance["rulesets"] for pairing in pairings]
    trials = trials[places(trials, list(dict.fromkeys(planned))) >= 0]
    trials = trials.drop_duplicates([*cell, "game"]).sort_values("game", kind="stable")
    return trials[trials["game"] == trials.groupby(cell, sort=False).cumcount()].reset_index(drop=True), notes


def read_traces(folder: Path, provenance: Mapping[str, Any]) -> tuple[pd.DataFrame, list[Path]]:
    """The traces of the first games of each cell, as far as there are any, and the files that are damaged."""
    return traces.read(folder, folder / provenances.BLOCKS, provenance.get("digests", {}).get(traces.FILE))
