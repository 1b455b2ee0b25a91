"""Plays rulesets one step beyond the space of a search beside its finalists, as one more experiment."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from workbench.files import output
from workbench.files.project import BEYOND
from workbench.language import tr
from workbench.questions.experiment import Experiment
from workbench.questions.neighbours import Neighbour, neighbours
from workbench.run import runner
from workbench.run.rule_search import CONFIRMATION, FRESH_COLUMNS, Report, Search, Status, in_languages
from workbench.run.search_files import BESIDES
from workbench.statistics.rule_search import estimate_fresh

ROUND = -1
"""The number of these games among the rounds, whose seed follows from it."""


def steps_beyond(begun: Search, most: int) -> list[Neighbour]:
    """The rulesets one step from the finalists that the space does not have."""
    finalists = [begun.rulesets[one] for one in begun.chosen]
    known = {begun.search.base.fingerprint, *(ruleset.fingerprint for ruleset in begun.candidates.rulesets)}
    return neighbours(finalists, known, most)


def beyond_experiment(begun: Search, steps: list[Neighbour]) -> Experiment:
    """The finalists, of which the best is the baseline, and what lies beside them, by the players of the rounds."""
    search = begun.search
    finalists = [begun.rulesets[one] for one in begun.chosen]
    played = (*finalists, *(step.ruleset for step in steps))
    title = tr("{title}: one step beyond the space", title=search.heading)
    return begun.fresh_experiment(BEYOND.format(name=search.name), title, played, search.players_of_rounds(), ROUND)


def play_beyond(begun: Search, most: int, report: Report = lambda status: None) -> Path | None:
    """Plays them and keeps what came out; the report folder, or None if there is nothing beyond the space."""
    steps = steps_beyond(begun, most)
    if not steps:
        return None
    experiment = beyond_experiment(begun, steps)
    folder = begun.project.report(experiment.name)
    outcome = runner.run_experiment(
        experiment, folder, executor=begun.executor, command=begun.command,
        on_progress=lambda now: report(Status(CONFIRMATION, now.done, now.total)),
    )  # fmt: skip
    trials = pd.read_parquet(outcome.trials, columns=FRESH_COLUMNS)
    keep_besides(begun.folder, {"beyond": told_beyond(begun, steps, trials)})
    return folder


def told_beyond(begun: Search, steps: list[Neighbour], trials: pd.DataFrame) -> list[dict[str, Any]]:
    """Finalists and what lies beside them, as plain data, those first that miss the targets by least.

    Intervals of a measure hold at once with 95 %. ``change`` is the step in words, ``beside`` the finalist.
    """
    finalists = [begun.rulesets[one] for one in begun.chosen]
    told: list[tuple[Any, str, Any]] = [(ruleset, "", None) for ruleset in finalists]
    told += [(step.ruleset, step.change, step.beside) for step in steps]
    order = [ruleset.name for ruleset, _, _ in told]
    aims = (*begun.allocation.goal.aims, *begun.allocation.goal.musts)
    fresh = {measure: estimate_fresh(trials, measure, order) for measure in begun.allocation.measures}
    rows = [
        begun.describe(ruleset, fresh, place)
        | {
            "misses": sum(float(aim.misses(fresh[aim.measure].mean)[place]) for aim in aims),
            "change": in_languages(change),
            "beside": in_languages(begun.title_of(beside)) if beside else None,
        }
        for place, (ruleset, change, beside) in enumerate(told)
    ]
    return sorted(rows, key=lambda row: row["misses"])


def keep_besides(folder: Path, more: Mapping[str, Any]) -> None:
    """Adds to what was asked besides a search."""
    path = folder / BESIDES
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    owned = output.claim_folder(folder, [BESIDES])
    text = json.dumps({**known, **more}, indent=1, ensure_ascii=False) + "\n"
    output.write_file(owned.path / BESIDES, text.encode())


def keep_notes(folder: Path, name: str, sentences: list[str]) -> None:
    """Keeps sentences of the page that were asked for besides, in all languages."""
    keep_besides(folder, {name: [in_languages(sentence) for sentence in sentences]})
