"""The files of a report: the page, its text, its tables and its charts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
from rich.console import Console

from workbench import statistics
from workbench.base.errors import display_path
from workbench.base.language import tr
from workbench.experiments import experiment_files
from workbench.records import provenance as provenances
from workbench.report.labels import games_command
from workbench.report.reading import AnalysedRecords, Report, analyse_records, best_play_table, checked_provenance
from workbench.report.render.documents import print_document, publish
from workbench.report.sections.document import build_document
from workbench.report.sections.strong import depths_by_ruleset, ladder_standings
from workbench.statistics.portrait import depth_table

GUIDES = {"en": "how-to-read.md", "ja": "how-to-read.ja.md"}
"""The long guide, in the folder that holds the report folders."""


ANALYSED, COMPOSED, WRITTEN = 0.5, 0.6, 0.7
"""The share of the time that a report of some ten thousand games takes, after which its tables, sections and page are
made; charts are the rest."""


def write_report(
    folder: Path, lang: str | None = None, on_progress: Callable[[float], object] = lambda share: None
) -> Report:
    """Return the report on a folder, after all its files were written into it; they open, and are drawn, in ``lang``.

    Without ``lang`` the page opens in the language of its reader's browser; the other files, and a page that runs no
    script, have the language that is spoken now.
    ``on_progress`` is called with the share of the work that is done, from 0 to 1, roughly by time.

    Raises:
        InputError: the folder holds no records of an experiment, or they cannot be read.
    """
    with checked_provenance(folder) as provenance:
        on_progress(0.0)
        analysed = analyse_records(folder, provenance)
        on_progress(ANALYSED)
        return _write_files(analysed, lang, on_progress)


def _write_files(found: AnalysedRecords, lang: str | None, on_progress: Callable[[float], object]) -> Report:
    folder, provenance, analysis, cells = found.folder, found.provenance, found.analysis, found.cells
    owned = provenances.claim_report_folder(folder)
    publication = experiment_files.published_from_provenance(provenance["experiment"].get("published"))
    published_table = statistics.published_differences(
        publication, analysis.comparisons, analysis.strong_verdicts, analysis.plan
    )
    best_play = best_play_table(provenance, found.trials, cells)
    deep = depths_by_ruleset(provenance)
    standings = ladder_standings(provenance)
    document = build_document(
        found.trials, provenance, analysis, found.exact, found.planned, standings, best_play, published_table, deep
    )
    named = {**analysis.tables, "exact": found.exact, "known": best_play, "published": published_table,
             "depths": depth_table(deep)}  # fmt: skip
    tables = {"summary.csv": cells.assign(games_again=_replay_commands(cells))} | {
        f"tables/{name}.csv": table for name, table in named.items() if len(table) and name != "cells"
    }
    kept = tr(
        "Nothing in it was changed, and its records are kept. To try again: workbench report {folder}",
        folder=display_path(folder),
    )
    on_progress(COMPOSED)
    files = publish(
        document, owned, lang, tables, kept, _guide_links(folder),
        lambda share: on_progress(WRITTEN + (1 - WRITTEN) * share),
    )  # fmt: skip
    return Report(**vars(found), document=document, files=tuple(files))


def _guide_links(folder: Path) -> dict[str, str]:
    """Return the addresses of the guide as seen from a report folder; none outside of a project that has it."""
    paths = {lang: folder.absolute().parent / name for lang, name in GUIDES.items()}
    return {lang: f"../{path.name}" for lang, path in paths.items() if path.is_file()}


def _replay_commands(cells: pd.DataFrame) -> list[str]:
    """For each cell, the command that gives its games, in the folder of the report; none for those without games."""
    rows = zip(*(cells[column] for column in ("ruleset", "first", "second", "games")), strict=True)
    return [games_command(str(name), (str(first), str(second))) if count else "" for name, first, second, count in rows]


def print_report(report: Report, console: Console) -> None:
    """Print the answer and the main tables of a report."""
    print_document(report.document, console)
