"""The table of rulesets from several reports as plain data in one language, computed in a worker process."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.errors import InputError
from workbench.base.language import tr, translated, trc
from workbench.experiments.measures import FAIRNESS, FIRST_SCORE
from workbench.studio.opponents import description
from workbench.studio.visitor import View, localized

if TYPE_CHECKING:
    import pandas as pd

    from workbench.records.trials import Trials
    from workbench.report.names import Names, Record
    from workbench.rules.rulesets import Ruleset
    from workbench.statistics import AnalysisPlan

DRAWS, LENGTH, VARIETY = "draw_rate", "plies_mean", "variety"
GAINS = {FIRST_SCORE: FAIRNESS}
"""Columns that show the difference in another measure: scores are compared by fairness."""
STRONG = tr("strong play (estimate)")
STRONG_FILE = Path("tables", "strong_verdicts.csv")
Estimate = tuple[float, float, float]
"""A number with its interval."""
DIFFERENCE = ("difference", "low", "high")
NO_CERTAINTY: View = {"text": "", "kind": "", "chance": ""}


@dataclass(frozen=True)
class Source:
    """A report to compare; ``changed`` is its time stamp, which is part of the key of the record cache."""

    name: str
    folder: Path
    title: str
    changed: float


@dataclass(frozen=True)
class _Records:
    plan: AnalysisPlan
    trials: Trials
    strong: pd.DataFrame
    """The table of strong play; empty if no player is limited by nodes."""


def compare_reports(
    sources: Sequence[Source], base: tuple[str, str], language: str, alone: Mapping[str, Ruleset] | None = None
) -> View:
    """Return the rows of all reports in one language, and the toggles in which their rulesets differ.

    ``base``: the report and the ruleset to compare with; rows of other reports are compared with their own baseline.
    ``alone``: rulesets without a report.
    """
    reports: list[View] = []
    rulesets: list[tuple[str, Ruleset]] = []
    for source in sources:
        try:
            plan = _read_records(source).plan
            baseline = base[1] if base[0] == source.name and base[1] in plan.names else plan.baseline or plan.names[0]
            reports.append(_report_view(source, baseline, language))
        except InputError as error:
            view = {"name": source.name, "title": source.title, "trouble": error.problems[0].text}
            reports.append(localized(view, language))
            continue
        rulesets += [(f"{source.name}|{ruleset.name}", ruleset) for ruleset in plan.rulesets]
    # Rulesets of a report are not listed twice.
    listed = {ruleset.fingerprint for _, ruleset in rulesets}
    others = [(f"|{name}", rules) for name, rules in (alone or {}).items() if rules.fingerprint not in listed]
    return {"reports": reports, "toggles": [*_differing_toggles([*others, *rulesets], language)]}


@functools.lru_cache(maxsize=8)
def _read_records(source: Source) -> _Records:
    import pandas as pd

    from workbench.report.folders import checked_provenance, planned_records
    from workbench.statistics.analysis_plan import prepare_trials

    with checked_provenance(source.folder) as provenance:
        plan, trials, _ = planned_records(source.folder, provenance)
    try:
        strong = pd.read_csv(source.folder / STRONG_FILE)
    except (OSError, ValueError):
        strong = pd.DataFrame(columns=["ruleset", "measure", "compared", "now"])
    return _Records(plan, prepare_trials(trials, plan), strong)


@functools.lru_cache(maxsize=64)
def _report_view(source: Source, baseline: str, language: str) -> View:
    from workbench.report.labels import pairing_text
    from workbench.report.names import Names

    records = _read_records(source)
    plan, names = records.plan, Names(records.plan)
    rows = [*_strong_rows(records, names, baseline), *_cell_rows(records, names, baseline)]
    rows.sort(key=lambda row: plan.names.index(row["ruleset"]))
    rulesets = [{"name": item.name, "short": names.short(item.name)} for item in plan.rulesets]
    view = {
        "name": source.name, "title": source.title, "baseline": baseline, "rulesets": rulesets, "rows": rows,
        "strongest": pairing_text(names.strongest), "strong": STRONG,
    }  # fmt: skip
    return localized(view, language)


def _cell_rows(records: _Records, names: Names, baseline: str) -> Iterator[View]:
    """Yield a row for each cell, compared with the same players' cell under ``baseline``."""
    from workbench.report.labels import pairing_text
    from workbench.report.names import rows_by_cell
    from workbench.report.verdicts import SILENT
    from workbench.statistics.openings import opening_tables
    from workbench.statistics.tables import cell_table

    plan = records.plan
    openings = opening_tables(records.trials, plan)[0]
    openings_by_cell = rows_by_cell(openings[openings["shown"].astype(bool)]) if len(openings) else {}
    differences = _differences(records, baseline)
    silent = _silent_rulesets(records, baseline)
    for row in cell_table(records.trials, plan.names, plan.pairings, plan.baseline, plan.critical).to_dict("records"):
        cell = (str(row["ruleset"]), str(row["first"]), str(row["second"]))
        compared = differences.get(cell, {})
        estimates: dict[str, Estimate | None] = {name: _estimate(row, name) for name in (FIRST_SCORE, DRAWS, LENGTH)}
        estimates[VARIETY] = _estimate(openings_by_cell[cell], "effective") if cell in openings_by_cell else None
        yield {
            "ruleset": cell[0],
            "players": pairing_text(cell[1:]),
            "reading": description(cell[1]) if cell[1] == cell[2] else "",
            "games": int(row["games"]),
            "values": {
                name: _value(name, value, compared.get(GAINS.get(name, name))) for name, value in estimates.items()
            },
            "certainty": NO_CERTAINTY | {"text": SILENT, "kind": "open"}
            if cell[0] in silent
            else _cell_certainty(records, names, baseline, cell, compared),
        }


def _silent_rulesets(records: _Records, baseline: str) -> frozenset[str]:
    from workbench.statistics.overview import idle_toggles_and_events, silent_proposals

    plan = replace(records.plan, experiment=replace(records.plan.experiment, baseline=baseline))
    unused = idle_toggles_and_events(records.trials, plan)
    return silent_proposals(((name, subject) for code, name, subject in unused if code == "toggle_never_fired"), plan)


def _estimate(row: Record, name: str) -> Estimate:
    value, low, high = (float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return value, low, high


def _value(name: str, estimate: Estimate | None, difference: Record | None) -> View:
    """Return a number with its interval and, if available, its difference from the baseline."""
    from workbench.report import labels

    if estimate is None or math.isnan(estimate[0]):
        return {"text": "–", "ends": trc("shelf words", "not known"), "sort": None, "difference": ""}
    value, low, high = estimate
    is_share = name in (FIRST_SCORE, DRAWS)
    difference_text = ""
    if difference is not None and not math.isnan(difference["difference"]):
        change, lower, upper = (float(difference[key]) for key in DIFFERENCE)
        difference_text = labels.format_difference(change, lower, upper, 100 if is_share else 1)
    if is_share:
        text, interval = labels.format_percent(value), labels.format_interval(low, high)
    elif name == VARIETY:
        text, interval = labels.format_kinds(value), "–".join(map(labels.format_kinds, (max(low, 0), high)))
    else:
        text, interval = labels.format_amount(value, 1), labels.format_amounts(low, high, 1)
    return {"text": text, "ends": interval, "sort": value, "difference": difference_text}


def _differences(data: _Records, baseline: str) -> dict[tuple[str, ...], dict[str, Record]]:
    """Return the differences from the same players' results under ``baseline``, by cell and measure."""
    from workbench.statistics.comparisons import comparison_table

    experiment = replace(data.plan.experiment, baseline=baseline)
    differences: dict[tuple[str, ...], dict[str, Record]] = {}
    measures = dict.fromkeys((data.plan.question_measure.name, *data.plan.primary_measures, FAIRNESS, DRAWS, LENGTH))
    # Openings are counted only if variety is the question.
    for question, names in ((experiment.question, tuple(measures)), (VARIETY, (VARIETY,))):
        plan = replace(data.plan, experiment=replace(experiment, question=question))
        for row in comparison_table(data.trials, plan, names).to_dict("records"):
            cell = (str(row["ruleset"]), str(row["first"]), str(row["second"]))
            differences.setdefault(cell, {}).setdefault(str(row["measure"]), row)
    return differences


def _cell_certainty(
    records: _Records, names: Names, baseline: str, cell: tuple[str, str, str], compared: Mapping[str, Record]
) -> View:
    """Return the certainty that the question's measure increases; only planned comparisons have a verdict."""
    from workbench.report.verdicts import SIDES, VERDICTS, chance_of_more

    measure = records.plan.question_measure
    row = compared.get(measure.name)
    if row is None:
        return NO_CERTAINTY
    if cell[1:] in records.plan.yardsticks:
        return NO_CERTAINTY | {"text": VERDICTS["yardstick"].text, "kind": "open"}
    verdict = SIDES.get(str(row["verdict"]), "") if baseline == records.plan.baseline else ""
    return _certainty(chance_of_more(row, measure), verdict, names)


def _certainty(probability: float, verdict: str, names: Names, strong: bool = False) -> View:
    from workbench.report.verdicts import certainty

    known = certainty(probability, verdict, names.words, strong)
    return {"text": known.text, "kind": known.kind, "chance": known.chance}


def _strong_rows(records: _Records, names: Names, baseline: str) -> Iterator[View]:
    """Yield a row for each ruleset with estimated strong play."""
    from workbench.report.verdicts import fairness_gain, strong_certainty
    from workbench.statistics import intervals

    question = records.plan.question_measure.name
    table, planned = records.strong.to_dict("records"), baseline == records.plan.baseline
    comparisons = {(row["ruleset"], row["measure"]): row for row in table if row["compared"] and planned}
    score_rows = [row for row in table if row["measure"] == FIRST_SCORE and not row["compared"]]
    base = sum(float(row["now"]) for row in score_rows if row["ruleset"] == baseline)
    for row in score_rows:
        name = str(row["ruleset"])
        comparison = comparisons.get((name, FIRST_SCORE))
        change = intervals.Estimate(*_estimate(comparison, "now")) if comparison else None
        difference = dict(zip(DIFFERENCE, fairness_gain(base, change), strict=True)) if change and base else None
        value, low, high = (number + 0.5 for number in _estimate(row, "now"))
        verdict = comparisons.get((name, FIRST_SCORE if question == FAIRNESS else question))
        yield {
            "ruleset": name,
            "players": STRONG,
            "reading": "",
            "games": None,
            "values": {
                FIRST_SCORE: _value(FIRST_SCORE, (value, low, high), difference),
                **{measure: _value(measure, None, None) for measure in (DRAWS, LENGTH, VARIETY)},
            },
            "certainty": _certainty(*strong_certainty(verdict, question), names, strong=True)
            if verdict
            else NO_CERTAINTY,
        }


def _differing_toggles(rulesets: Sequence[tuple[str, Ruleset]], language: str) -> Iterator[View]:
    """Yield the toggles in which rulesets of the same game differ, with each ruleset's sentence about the toggle."""
    from workbench import games
    from workbench.games.wording import is_picture, sentence_beside
    from workbench.studio.pages.rules.view import picture

    for game in dict.fromkeys(item.game for _, item in rulesets):
        if game not in games.names():
            continue
        declaration = games.declaration(game)
        settings = {key: {**declaration.defaults(), **item.settings} for key, item in rulesets if item.game == game}
        without_effect = {key: declaration.without_effect(values) for key, values in settings.items()}
        for toggle in declaration.toggles:
            texts = {}
            for key, values in settings.items():
                image = picture(toggle, game, values) if is_picture(toggle, values[toggle.name]) else ""
                texts[key] = translated(sentence_beside(toggle, values[toggle.name]), language), image
            distinct = list(dict.fromkeys(texts.values()))
            if len(distinct) > 1:
                yield {
                    "game": game,
                    "title": translated(toggle.title, language),
                    "sentences": [{"text": text, "picture": image} for text, image in distinct],
                    "of": {key: distinct.index(text) for key, text in texts.items()},
                    "idle": [key for key in settings if toggle.name in without_effect[key]],
                }
