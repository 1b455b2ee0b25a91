"""Plays rulesets one step beyond the space of a search beside its finalists, as one more experiment."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from workbench import games
from workbench.files import output
from workbench.files.names import BEYOND
from workbench.games.wording import changes_words
from workbench.language import LANGUAGES, in_all, tr, translated
from workbench.questions.experiment import Experiment
from workbench.questions.neighbours import Neighbour, neighbours
from workbench.run import runner
from workbench.run.rule_search import (
    COLUMNS,
    CONFIRMATION,
    LEAST_CONFIRMED,
    OPENINGS,
    Report,
    Search,
    Status,
    round_seed,
)
from workbench.run.search_files import BESIDES
from workbench.statistics.confirmation import FreshEstimates, fresh_estimates, judge_band
from workbench.statistics.search_measures import aim_of, measured_values

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
    players = search.players_of_rounds()
    played = (*finalists, *(step.ruleset for step in steps))
    return Experiment(
        name=BEYOND.format(name=search.name),
        path=begun.command,
        title=str(tr("{title}: one step beyond the space", title=search.title)),
        title_ja=translated(tr("{title}: one step beyond the space", title=search.heading), "ja"),
        rulesets=played,
        baseline=finalists[0].name,
        pairings=tuple((player, player) for player in players),
        games=max(LEAST_CONFIRMED, begun.confirm_games // (len(played) * len(players))),
        max_plies=search.max_plies,
        openings=search.openings or OPENINGS,
        targets=dict(search.targets) | dict(search.must),
        seed=round_seed(search.seed, ROUND),
    )


def play_beyond(begun: Search, most: int, report: Report = lambda status: None) -> Path | None:
    """Plays them and keeps what came out; the report folder, or None if there is nothing beyond the space."""
    steps = steps_beyond(begun, most)
    if not steps:
        return None
    experiment = beyond_experiment(begun, steps)
    folder = begun.project.report(experiment.name)
    outcome = runner.run_experiment(
        experiment, folder, workers=begun.workers, command=begun.command, cluster=begun.cluster,
        on_progress=lambda now: report(Status(CONFIRMATION, now.done, now.total)),
    )  # fmt: skip
    trials = pd.read_parquet(outcome.trials, columns=COLUMNS)
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
    search = begun.search
    aims = [aim_of(name, target) for name, target in (*search.targets.items(), *search.must.items())]
    fresh = {measure: _estimates(trials, measure, order) for measure in begun.allocation.measures}
    rows = []
    for place, (ruleset, change, beside) in enumerate(told):
        values = {}
        for name, estimates in fresh.items():
            low, high = estimates.interval()
            values[name] = {"value": float(estimates.mean[place]), "low": float(low[place]), "high": float(high[place])}
        rows.append({
            "ruleset": ruleset.name, "title": _in_all(_title(begun, ruleset)), "values": values,
            "targets": {aim.measure: judge_band(aim, values[aim.measure]["low"], values[aim.measure]["high"])
                        for aim in aims},
            "misses": sum(float(aim.misses(fresh[aim.measure].mean)[place]) for aim in aims),
            "change": _in_all(change), "beside": _in_all(_title(begun, beside)) if beside else None,
        })  # fmt: skip
    return sorted(rows, key=lambda row: row["misses"])


def _estimates(trials: pd.DataFrame, measure: str, order: list[str]) -> FreshEstimates:
    cells = (
        trials.assign(value=measured_values(trials, measure), ruleset=trials["ruleset"].astype(str))
        .dropna(subset=["value"])
        .groupby(["ruleset", trials["first"].astype(str)])["value"]
        .agg(["mean", "var", "count"])
    )
    noise = (cells["var"] / cells["count"]).unstack().loc[order].to_numpy(float)
    return fresh_estimates(cells["mean"].unstack().loc[order].to_numpy(float), noise)


def _title(begun: Search, ruleset: Any) -> str:
    base = begun.search.base
    family = games.declaration(base.game)
    words = changes_words(base.game, family.toggles, base.settings, ruleset.settings, len(family.toggles))
    return words or base.heading


def _in_all(text: str) -> dict[str, str]:
    return dict(zip(LANGUAGES, in_all(text), strict=True))


def keep_besides(folder: Path, more: Mapping[str, Any]) -> None:
    """Adds to what was asked besides a search."""
    path = folder / BESIDES
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    owned = output.claim_folder(folder, [BESIDES])
    text = json.dumps({**known, **more}, indent=1, ensure_ascii=False) + "\n"
    output.write_file(owned.path / BESIDES, text.encode())


def keep_notes(folder: Path, name: str, sentences: list[str]) -> None:
    """Keeps sentences of the page that were asked for besides, in all languages."""
    keep_besides(folder, {name: [_in_all(sentence) for sentence in sentences]})
