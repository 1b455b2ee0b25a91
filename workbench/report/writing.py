"""The files of a report: the page, its text, its tables and its charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from workbench import statistics
from workbench.errors import display_path
from workbench.files import output
from workbench.language import LANGUAGES, tr, translated
from workbench.questions import published
from workbench.report.judged import Judged, fitting, judged
from workbench.report.known_values import known_values
from workbench.report.labels import games_command
from workbench.report.model import Bullets, Cards, Chart, Document, HeatMap, Paragraph, Report, SmallMultiples
from workbench.report.render import matplotlib as drawing
from workbench.report.render.html import html
from workbench.report.render.markdown import markdown
from workbench.report.sections.document import build
from workbench.report.standings import depths_of, standings
from workbench.statistics.portrait import depth_table
from workbench.store import provenance as provenances
from workbench.store import records

GUIDES = {"en": "how-to-read.md", "ja": "how-to-read.ja.md"}
"""The long guide, in the folder that holds the report folders."""


def write(folder: Path, lang: str | None = None) -> Report:
    """The report on a folder, after all its files were written into it; they open, and are named, in ``lang``.

    Without ``lang`` the page opens in the language of its reader's browser, and the other files are in English.

    Raises:
        InputError: the folder holds no records of an experiment, or they cannot be read.
    """
    with fitting(folder) as provenance:
        return _write(judged(folder, provenance), lang)


def _write(found: Judged, asked: str | None) -> Report:
    folder, provenance, plan, trials = found.folder, found.provenance, found.analysis.plan, found.trials
    analysis, cells, planned = found.analysis, found.cells, found.planned
    follow, lang = asked is None, asked or LANGUAGES[0]
    owned = provenances.claim_report_folder(folder)
    said = published.published_from_provenance(provenance["experiment"].get("published"))
    beside = statistics.published_differences(said, analysis.comparisons, analysis.strong_verdicts, plan)
    best_play = known_values(provenance, trials, cells)
    deep = depths_of(provenance)
    document = build(trials, provenance, analysis, found.exact, planned, standings(provenance), best_play, beside, deep)
    kept = tr(
        "Nothing in it was changed, and its records are kept. To try again: workbench report {folder}",
        folder=display_path(folder),
    )
    # An older report may have had tables and charts that these records do not bear.
    with owned.transaction(kept, replaces=("tables/*.csv", "*.png", "*.svg")) as stage:
        files = [
            _text(stage / "report.html", html(document, lang, _guides(folder), follow)),
            _text(stage / "report.md", markdown(document, lang)),
            _csv(cells.assign(games_again=_games_again(cells)), stage / "summary.csv"),
        ]
        others = {"exact": found.exact, "known": best_play, "published": beside, "depths": depth_table(deep)}
        files += _tables({**vars(analysis), **others}, stage / "tables")
        files += _charts(document, stage, lang)
    files = [folder / path.relative_to(stage) for path in files]
    return Report(
        folder, translated(document.title, lang), provenance, trials, cells, analysis.targets, analysis.strength,
        found.exact,
        best_play, planned,
        answer=tuple(translated(text, lang) for text in _answer(document)),
        margin=plan.margin,
        own_choices=bool(plan.player_choices),
        files=tuple(files),
        notes=found.notes,
    )  # fmt: skip


def _answer(document: Document) -> Iterator[str]:
    """What the first section says, tables and warnings aside."""
    for part in document.sections[0].parts:
        if isinstance(part, Paragraph) and part.kind == "lead":
            yield part.text
        elif isinstance(part, Bullets):
            yield from part.items


def _guides(folder: Path) -> dict[str, str]:
    """Where the guide to the report lies, seen from a report folder; nothing outside of a project that has it."""
    paths = {lang: folder.absolute().parent / name for lang, name in GUIDES.items()}
    return {lang: f"../{path.name}" for lang, path in paths.items() if path.is_file()}


def _charts(document: Document, folder: Path, lang: str) -> list[Path]:
    """The charts of the page, as files."""
    files: list[Path] = []
    heading = translated(document.title, lang)
    for part in document.parts:
        if isinstance(part, Cards):
            part = part.sheet
        if isinstance(part, Chart | SmallMultiples) and part.stem:
            files += drawing.save(drawing.figure(part, lang, heading), folder / part.stem)
        elif isinstance(part, HeatMap):
            files += drawing.save(drawing.heat_map(part, lang, heading), folder / part.stem)
    return files


def _tables(named: Mapping[str, Any], folder: Path) -> list[Path]:
    """Every table that has rows, as CSV; the cells are told in ``summary.csv``."""
    tables = {name: table for name, table in named.items() if isinstance(table, pd.DataFrame) and len(table)}
    folder.mkdir()
    return [_csv(table, folder / f"{name}.csv") for name, table in tables.items() if name != "cells"]


def _csv(table: pd.DataFrame, path: Path) -> Path:
    return _text(path, records.to_csv(table, "%.6g"))


def _games_again(cells: pd.DataFrame) -> list[str]:
    """For each cell, the command that gives its games, in the folder of the report; none for those without games."""
    rows = zip(*(cells[column] for column in ("ruleset", "first", "second", "games")), strict=True)
    return [games_command(str(name), (str(first), str(second))) if count else "" for name, first, second, count in rows]


def _text(path: Path, text: str) -> Path:
    return output.write_file(path, text.encode())
