"""Rulesets of several reports in one table, as plain data in one language; computed in a worker process."""

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
"""Columns with the difference of another measure: reports compare scores by their fairness."""
STRONG = tr("strong play (estimate)")
STRONG_FILE = Path("tables", "strong_verdicts.csv")
Estimate = tuple[float, float, float]
"""A number with its interval."""
DIFFERENCE = ("difference", "low", "high")
NO_CERTAINTY: View = {"text": "", "kind": "", "chance": "", "sort": None}


@dataclass(frozen=True)
class Source:
    """A report whose rulesets are compared; its records are cached until it has ``changed``."""

    name: str
    folder: Path
    title: str
    changed: float


@dataclass(frozen=True)
class _Records:
    plan: AnalysisPlan
    trials: Trials
    strong: pd.DataFrame
    """The table of strong play; empty without players by nodes."""


def compare_reports(sources: Sequence[Source], base: tuple[str, str], language: str) -> View:
    """Return the rows of some reports in a language, and the toggles in which their rulesets differ.

    ``base``: the report and the ruleset to compare with; rows of other reports are compared with their baseline.
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
        rulesets += [(f"{source.name}|{one.name}", one) for one in plan.rulesets]
    return {"reports": reports, "toggles": [*_differing_toggles(rulesets, language)]}


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

    read = _read_records(source)
    plan, names = read.plan, Names(read.plan)
    rows = [*_strong_rows(read, names, baseline), *_cell_rows(read, names, baseline)]
    rows.sort(key=lambda row: plan.names.index(row["ruleset"]))
    rulesets = [
        {"name": each.name, "short": names.short(each.name), "title": names.title(each.name), "game": each.game}
        for each in plan.rulesets
    ]
    view = {
        "name": source.name,
        "title": source.title,
        "baseline": baseline,
        "strongest": pairing_text(names.strongest),
        "strong": STRONG,
        "rulesets": rulesets,
        "rows": rows,
    }
    return localized(view, language)


def _cell_rows(read: _Records, names: Names, baseline: str) -> Iterator[View]:
    """Yield a row for each ruleset and its players, compared with the same players under ``baseline``."""
    from workbench.report.labels import pairing_text
    from workbench.report.names import rows_by_cell
    from workbench.report.verdicts import SILENT
    from workbench.statistics.openings import opening_tables
    from workbench.statistics.tables import cell_table

    plan = read.plan
    openings = opening_tables(read.trials, plan)[0]
    counted = rows_by_cell(openings[openings["shown"].astype(bool)]) if len(openings) else {}
    differences = _differences(read, baseline)
    silent = _silent(read, baseline)
    for row in cell_table(read.trials, plan.names, plan.pairings, plan.baseline, plan.critical).to_dict("records"):
        cell = (str(row["ruleset"]), str(row["first"]), str(row["second"]))
        compared = differences.get(cell, {})
        estimates: dict[str, Estimate | None] = {name: _estimate(row, name) for name in (FIRST_SCORE, DRAWS, LENGTH)}
        estimates[VARIETY] = _estimate(counted[cell], "effective") if cell in counted else None
        other_game = plan.ruleset(cell[0]).game != plan.ruleset(baseline).game
        why = tr("another game") if other_game else tr("the players choose it themselves")
        yield {
            "ruleset": cell[0],
            "players": pairing_text(cell[1:]),
            "reading": description(cell[1]) if cell[1] == cell[2] else "",
            "games": int(row["games"]),
            "values": {
                name: _value(name, each, compared.get(GAINS.get(name, name))) for name, each in estimates.items()
            },
            "why": "" if compared or cell[0] == baseline else why,
            "certainty": NO_CERTAINTY | {"text": SILENT, "kind": "open"}
            if cell[0] in silent
            else _cell_certainty(read, names, baseline, cell, compared),
        }


def _silent(read: _Records, baseline: str) -> frozenset[str]:
    from workbench.statistics.overview import idle_toggles_and_events, silent_proposals

    plan = replace(read.plan, experiment=replace(read.plan.experiment, baseline=baseline))
    idle = idle_toggles_and_events(read.trials, plan)
    return silent_proposals(((name, about) for code, name, about in idle if code == "toggle_never_fired"), plan)


def _estimate(row: Record, name: str) -> Estimate:
    value, low, high = (float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return value, low, high


def _value(name: str, estimate: Estimate | None, difference: Record | None) -> View:
    """Return a number with its interval and its difference from the baseline, if known."""
    from workbench.report import labels

    if estimate is None or math.isnan(estimate[0]):
        return {"text": "–", "ends": trc("shelf words", "not known"), "sort": None, "difference": ""}
    value, low, high = estimate
    is_share = name in (FIRST_SCORE, DRAWS)
    change = ""
    if difference is not None and not math.isnan(difference["difference"]):
        gap, least, most = (float(difference[key]) for key in DIFFERENCE)
        change = labels.format_difference(gap, least, most, 100 if is_share else 1)
    if is_share:
        text, interval = labels.format_percent(value), labels.format_interval(low, high)
    elif name == VARIETY:
        text, interval = labels.format_kinds(value), "–".join(map(labels.format_kinds, (low, high)))
    else:
        text, interval = labels.format_amount(value, 1), labels.format_amounts(low, high, 1)
    return {"text": text, "ends": interval, "sort": value, "difference": change}


def _differences(read: _Records, baseline: str) -> dict[tuple[str, ...], dict[str, Record]]:
    """Return the differences from the same players under ``baseline``, by cell and measure."""
    from workbench.statistics.comparisons import comparison_table

    experiment = replace(read.plan.experiment, baseline=baseline)
    differences: dict[tuple[str, ...], dict[str, Record]] = {}
    measures = dict.fromkeys((read.plan.question_measure.name, *read.plan.primary_measures, FAIRNESS, DRAWS, LENGTH))
    # Openings are counted only if they are the question.
    for question, names in ((experiment.question, tuple(measures)), (VARIETY, (VARIETY,))):
        plan = replace(read.plan, experiment=replace(experiment, question=question))
        for row in comparison_table(read.trials, plan, names).to_dict("records"):
            cell = (str(row["ruleset"]), str(row["first"]), str(row["second"]))
            differences.setdefault(cell, {}).setdefault(str(row["measure"]), row)
    return differences


def _cell_certainty(
    read: _Records, names: Names, baseline: str, cell: tuple[str, str, str], compared: Mapping[str, Record]
) -> View:
    """Return the certainty of more of the question's measure; only planned comparisons reach a verdict."""
    from workbench.report.verdicts import SIDES, VERDICTS, likely_more

    measure = read.plan.question_measure
    row = compared.get(measure.name)
    if row is None:
        return NO_CERTAINTY
    if cell[1:] in read.plan.yardsticks:
        return NO_CERTAINTY | {"text": VERDICTS["yardstick"].text, "kind": "open"}
    verdict = SIDES.get(str(row["verdict"]), "") if baseline == read.plan.baseline else ""
    return _certainty(likely_more(row, measure), verdict, names)


def _certainty(probability: float, verdict: str, names: Names) -> View:
    from workbench.report.verdicts import certainty

    text, kind, chance = certainty(probability, verdict, names.words)
    return {"text": text, "kind": kind, "chance": chance, "sort": None if math.isnan(probability) else probability}


def _strong_rows(read: _Records, names: Names, baseline: str) -> Iterator[View]:
    """Yield a row for the estimated strong play under each ruleset of a report that estimates it."""
    from workbench.report.verdicts import strong_certainty

    question = read.plan.question_measure.name
    table, planned = read.strong.to_dict("records"), baseline == read.plan.baseline
    compared = {(row["ruleset"], row["measure"]): row for row in table if row["compared"] and planned}
    levels = [row for row in table if row["measure"] == FIRST_SCORE and not row["compared"]]
    only_with = tr("strong play is compared with {baseline} only", baseline=names.short(read.plan.baseline))
    base = sum(float(row["now"]) for row in levels if row["ruleset"] == baseline)
    for row in levels:
        name = str(row["ruleset"])
        differs = compared.get((name, FIRST_SCORE))
        difference = _gain(base, _estimate(differs, "now")) if differs and base else None
        value, low, high = (each + 0.5 for each in _estimate(row, "now"))
        verdict = compared.get((name, FIRST_SCORE if question == FAIRNESS else question))
        yield {
            "ruleset": name,
            "players": STRONG,
            "reading": "",
            "games": None,
            "values": {
                FIRST_SCORE: _value(FIRST_SCORE, (value, low, high), difference),
                **{each: _value(each, None, None) for each in (DRAWS, LENGTH, VARIETY)},
            },
            "why": "" if differs or name == baseline else only_with,
            "certainty": _certainty(*strong_certainty(verdict, question), names) if verdict else NO_CERTAINTY,
        }


def _gain(base: float, change: Estimate) -> dict[str, float]:
    """Return how much nearer to one half a score comes, with its interval; ``base``: the baseline's excess over it."""
    value, *ends = (abs(base) - abs(base + each) for each in change)
    low, high = min(ends), abs(base) if change[1] <= -base <= change[2] else max(ends)
    return dict(zip(DIFFERENCE, (value, low, high), strict=True))


def _differing_toggles(rulesets: Sequence[tuple[str, Ruleset]], language: str) -> Iterator[View]:
    """Yield the toggles in which rulesets of one game differ, with the sentence and the effect in each ruleset."""
    from workbench import games
    from workbench.games.wording import is_picture, sentence_beside
    from workbench.studio.pages.rules.view import picture

    for game in dict.fromkeys(one.game for _, one in rulesets):
        if game not in games.names():
            continue
        declaration = games.declaration(game)
        settings = {key: {**declaration.defaults(), **one.settings} for key, one in rulesets if one.game == game}
        idle = {key: declaration.without_effect(each) for key, each in settings.items()}
        for toggle in declaration.toggles:
            texts = {}
            for key, each in settings.items():
                drawn = picture(toggle, game, each) if is_picture(toggle, each[toggle.name]) else ""
                texts[key] = translated(sentence_beside(toggle, each[toggle.name]), language), drawn
            distinct = list(dict.fromkeys(texts.values()))
            if len(distinct) > 1:
                yield {
                    "game": game,
                    "title": translated(toggle.title, language),
                    "sentences": [{"text": text, "picture": drawn} for text, drawn in distinct],
                    "of": {key: distinct.index(text) for key, text in texts.items()},
                    "idle": [key for key in settings if toggle.name in idle[key]],
                }
