"""The files of a report: the page, its text, its tables and its charts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from workbench import games, statistics
from workbench.files import output
from workbench.files.yamlfile import InputError, Problem, shown
from workbench.games.game_state import GameState
from workbench.questions import published
from workbench.questions.agents import REMOVED
from workbench.questions.rulesets import Ruleset
from workbench.report.exact_values import exact_values
from workbench.report.known_values import known_values
from workbench.report.model import Bullets, Cards, Chart, Document, HeatMap, Paragraph, Report, SmallMultiples
from workbench.report.reading import AGAIN, read_provenance, read_traces, read_trials
from workbench.report.render import matplotlib as drawing
from workbench.report.render.html import html
from workbench.report.render.markdown import markdown
from workbench.report.sections.document import build
from workbench.report.standings import depths_of, standings
from workbench.report.text import LANGUAGES, Text
from workbench.statistics import stopping
from workbench.statistics.portrait import depth_table
from workbench.store import provenance as provenances
from workbench.store import records
from workbench.store.records import OPENING_PLIES

GUIDES = {"en": "how-to-read.md", "ja": "how-to-read.ja.md"}
"""The long guide, in the folder that holds the report folders."""


def write(folder: Path, lang: str | None = None) -> Report:
    """The report on a folder, after all its files were written into it; they open, and are named, in ``lang``.

    Without ``lang`` the page opens in the language of its reader's browser, and the other files are in English.

    Of a run that is not finished, each cell counts the games from its first one up to the first that is missing: were
    every block counted that happens to be there, quick games would be too many.

    Raises:
        InputError: the folder holds no records of an experiment, or they cannot be read.
    """
    provenance = read_provenance(folder)
    try:
        return _write(folder, provenance, lang)
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        if provenances.SELF in provenance:
            raise
        # Without a digest, what it says may be anything.
        message = f"does not fit its records ({type(error).__name__}: {error})"
        raise InputError([Problem(str(folder / provenances.FILE), None, None, message, AGAIN)]) from error


def _write(folder: Path, provenance: Mapping[str, Any], asked: str | None) -> Report:
    follow, lang = asked is None, asked or LANGUAGES[0]
    plan = statistics.AnalysisPlan.from_provenance(provenance)
    trials, notes = read_trials(folder, provenance, plan.pairings)
    notes += tuple(
        f"{shown(folder / provenances.FILE)}: pairings: {agent.kind} was removed: the games of {label} count, but none "
        f"is played again to be looked at ({REMOVED[agent.kind]})."
        for label, agent in plan.agents.items()
        if agent.kind in REMOVED
    )
    owned = provenances.folder(folder)
    plan = dataclasses.replace(plan, sequences=sequences_of(plan.rulesets))
    planned = max(sum(stopping.wanted(trials, plan).values()), len(trials))
    plan = dataclasses.replace(plan, finished=len(trials) >= planned)
    traced, damaged = read_traces(folder, provenance)
    notes += tuple(f"{shown(path)} is damaged: the portraits of the games rest on fewer of them." for path in damaged)
    analysis = statistics.analyse(trials, plan, traced)
    cells = analysis.cells.copy()
    for name in plan.targets:
        cells[f"target_{name}"] = analysis.targets.loc[analysis.targets["target"] == name, "verdict"].to_numpy()
    exact = exact_values(provenance, trials, cells)
    best_play = known_values(provenance, trials, cells)
    said = published.from_provenance(provenance["experiment"].get("published"))
    beside = statistics.published_differences(said, analysis.comparisons, analysis.strong_verdicts, plan)
    deep = depths_of(provenance)
    document = build(trials, provenance, analysis, exact, planned, standings(provenance), best_play, beside, deep)
    kept = f"Nothing in it was changed, and its records are kept. To try again: workbench report {shown(folder)}"
    # An older report may have had tables and charts that these records do not bear.
    with owned.edition(kept, replaces=("tables/*.csv", "*.png", "*.svg")) as stage:
        files = [
            _text(stage / "report.html", html(document, lang, _guides(folder), follow)),
            _text(stage / "report.md", markdown(document, lang)),
            _csv(cells, stage / "summary.csv"),
        ]
        others = {"exact": exact, "known": best_play, "published": beside, "depths": depth_table(deep)}
        files += _tables({**vars(analysis), **others}, stage / "tables")
        files += _charts(document, stage, lang)
    files = [folder / path.relative_to(stage) for path in files]
    which = LANGUAGES.index(lang)
    return Report(
        folder, document.title[which], provenance, trials, cells, analysis.targets, analysis.strength, exact, best_play,
        planned,
        answer=tuple(text[which] for text in _answer(document)),
        margin=plan.margin,
        own_choices=bool(plan.own_choices),
        files=tuple(files),
        notes=notes,
    )  # fmt: skip


def _answer(document: Document) -> Iterator[Text]:
    """What the first section says, tables and warnings aside."""
    for part in document.sections[0].parts:
        if isinstance(part, Paragraph) and part.kind == "lead":
            yield part.text
        elif isinstance(part, Bullets):
            yield from part.items


def sequences_of(rulesets: Iterable[Ruleset]) -> dict[str, tuple[int, ...]]:
    """How many openings of each length the rulesets allow, where these are few enough to count and the game is here."""
    known = set(games.names())
    return {
        ruleset.name: GameState(ruleset.game, ruleset.codes()).sequences(OPENING_PLIES)
        for ruleset in rulesets
        if ruleset.game in known
    }


def _guides(folder: Path) -> dict[str, str]:
    """Where the guide to the report lies, seen from a report folder; nothing outside of a project that has it."""
    paths = {lang: folder.absolute().parent / name for lang, name in GUIDES.items()}
    return {lang: f"../{path.name}" for lang, path in paths.items() if path.is_file()}


def _charts(document: Document, folder: Path, lang: str) -> list[Path]:
    """The charts of the page, as files."""
    files: list[Path] = []
    heading = document.title[LANGUAGES.index(lang)]
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
    return _text(path, records.csv(table, "%.6g"))


def _text(path: Path, text: str) -> Path:
    return output.write(path, text.encode())
