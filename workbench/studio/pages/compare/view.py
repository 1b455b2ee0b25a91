"""Rulesets of several reports in one table, as plain data in one language; computed in a worker process."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.base.errors import InputError
from workbench.base.language import tr, translated, trc
from workbench.experiments.measures import FAIRNESS, FIRST_SCORE
from workbench.studio.opponents import description
from workbench.studio.visitor import localized

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd

    from workbench.games.declaration import Setting, Toggle
    from workbench.records.trials import Trials
    from workbench.report.names import Names, Record
    from workbench.rules.rulesets import Ruleset
    from workbench.statistics import AnalysisPlan

DRAWS, LENGTH, VARIETY = "draw_rate", "plies_mean", "variety"
GAINS = {FIRST_SCORE: FAIRNESS}
"""Column -> the measure whose difference stands in it: of scores what they gain in fairness, as reports say it."""
STRONG = tr("strong play (estimate)")
ONLY_WITH = tr("strong play is compared with {baseline} only")
OTHER_GAME = tr("another game")
CHOSEN_BY_PLAYERS = tr("the players choose it themselves")
STRONG_FILE = Path("tables", "strong_verdicts.csv")
View = dict[str, Any]
Estimate = tuple[float, float, float]
"""A number with its interval."""
DIFFERENCE = ("difference", "low", "high")
NO_CERTAINTY: View = {"text": "", "kind": "", "chance": "", "sort": None}


@dataclass(frozen=True)
class Source:
    """A report whose rulesets are compared; what was read of it counts until it is ``changed``."""

    name: str
    folder: Path
    title: str
    changed: float


@dataclass(frozen=True)
class _Records:
    plan: AnalysisPlan
    trials: Trials
    strong: pd.DataFrame
    """`strong_verdicts` of the report; no rows without searches by nodes."""


def compare_reports(sources: Sequence[Source], base: tuple[str, str], language: str) -> View:
    """Return the rows of some reports, and the toggles in which their rulesets differ, as plain data in a language.

    ``base``: the report and the ruleset that rows of the same report are compared with; those of other reports are
    compared with the baseline of their own.
    """
    reports: list[View] = []
    rulesets: list[tuple[str, Ruleset]] = []
    for source in sources:
        try:
            plan = _read_records(source).plan
            baseline = base[1] if base[0] == source.name and base[1] in plan.names else plan.baseline or plan.names[0]
            reports.append(_report_view(source, baseline, language))
        except InputError as error:
            told = translated(error.problems[0].text, language)
            reports.append({"name": source.name, "title": translated(source.title, language), "trouble": told})
            continue
        rulesets += [(f"{source.name}|{one.name}", one) for one in plan.rulesets]
    return {"reports": reports, "toggles": [*_differing_toggles(rulesets, language)]}


@functools.lru_cache(maxsize=8)
def _read_records(source: Source) -> _Records:
    import pandas as pd

    from workbench.report.reading import checked_provenance, planned_records
    from workbench.statistics.plan import prepare_trials

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
    return {
        "name": source.name,
        "title": translated(source.title, language),
        "baseline": baseline,
        "strongest": translated(pairing_text(names.strongest), language),
        "strong": translated(STRONG, language),
        "rulesets": [
            {
                "name": each.name,
                "short": translated(names.short(each.name), language),
                "title": translated(names.title(each.name), language),
                "game": each.game,
            }
            for each in plan.rulesets
        ],
        "rows": [localized(row, language) for row in rows],
    }


def _cell_rows(read: _Records, names: Names, baseline: str) -> Iterator[View]:
    """Yield a row for each ruleset and its players; compared with the same players under ``baseline``."""
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
        why = OTHER_GAME if plan.ruleset(cell[0]).game != plan.ruleset(baseline).game else CHOSEN_BY_PLAYERS
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
    """Return a number with its interval, and its difference from the baseline; empty where it is not known."""
    from workbench.report.labels import (
        format_amount,
        format_amounts,
        format_difference,
        format_interval,
        format_kinds,
        format_percent,
    )

    if estimate is None or math.isnan(estimate[0]):
        return {"text": "–", "ends": trc("shelf words", "not known"), "sort": None, "difference": ""}
    value, low, high = estimate
    is_share = name in (FIRST_SCORE, DRAWS)
    told = ""
    if difference is not None and not math.isnan(difference["difference"]):
        gap, least, most = (float(difference[key]) for key in DIFFERENCE)
        told = format_difference(gap, least, most, 100 if is_share else 1)
    if is_share:
        text, ends = format_percent(value), format_interval(low, high)
    else:
        text, *both = (format_kinds(each) if name == VARIETY else format_amount(each, 1) for each in estimate)
        ends = "–".join(both) if name == VARIETY else format_amounts(low, high, 1)
    return {"text": text, "ends": ends, "sort": value, "difference": told}


def _differences(read: _Records, baseline: str) -> dict[tuple[str, ...], dict[str, Record]]:
    """By cell and measure, what differs from the same players under ``baseline``, with intervals."""
    from workbench.statistics.comparisons import comparison_table

    experiment = replace(read.plan.experiment, baseline=baseline)
    found: dict[tuple[str, ...], dict[str, Record]] = {}
    asked = dict.fromkeys((read.plan.question_measure.name, *read.plan.primary_measures, FAIRNESS, DRAWS, LENGTH))
    # Openings are counted only where they are what is asked.
    for question, measures in ((experiment.question, tuple(asked)), (VARIETY, (VARIETY,))):
        plan = replace(read.plan, experiment=replace(experiment, question=question))
        for row in comparison_table(read.trials, plan, measures).to_dict("records"):
            cell = (str(row["ruleset"]), str(row["first"]), str(row["second"]))
            found.setdefault(cell, {}).setdefault(str(row["measure"]), row)
    return found


def _cell_certainty(
    read: _Records, names: Names, baseline: str, cell: tuple[str, str, str], compared: Mapping[str, Record]
) -> View:
    """How sure it is that a ruleset brings more of what was asked; sure is only what was judged beforehand."""
    from workbench.report.verdicts import SIDES, VERDICTS, likely_more

    asked = read.plan.question_measure
    row = compared.get(asked.name)
    if row is None:
        return NO_CERTAINTY
    if cell[1:] in read.plan.yardsticks:
        return NO_CERTAINTY | {"text": VERDICTS["yardstick"].text, "kind": "open"}
    verdict = SIDES.get(str(row["verdict"]), "") if baseline == read.plan.baseline else ""
    return _certain(likely_more(row, asked), verdict, names)


def _certain(likely: float, verdict: str, names: Names) -> View:
    from workbench.report.verdicts import certainty

    text, kind, chance = certainty(likely, verdict, names.words)
    return {"text": text, "kind": kind, "chance": chance, "sort": None if math.isnan(likely) else likely}


def _strong_rows(read: _Records, names: Names, baseline: str) -> Iterator[View]:
    """Yield a row for what strong play would be under each ruleset, where a report estimates it."""
    from workbench.report.verdicts import strong_certainty

    asked = read.plan.question_measure.name
    compared = {
        (str(row["ruleset"]), str(row["measure"])): row
        for row in read.strong.to_dict("records")
        if row["compared"] and baseline == read.plan.baseline
    }
    levels = [row for row in read.strong.to_dict("records") if row["measure"] == FIRST_SCORE and not row["compared"]]
    base = sum(float(row["now"]) for row in levels if row["ruleset"] == baseline)
    for row in levels:
        name = str(row["ruleset"])
        differs = compared.get((name, FIRST_SCORE))
        difference = _gain(base, _estimate(differs, "now")) if differs and base else None
        value, low, high = (each + 0.5 for each in _estimate(row, "now"))
        judged = compared.get((name, FIRST_SCORE if asked == FAIRNESS else asked))
        yield {
            "ruleset": name,
            "players": STRONG,
            "reading": "",
            "games": None,
            "values": {
                FIRST_SCORE: _value(FIRST_SCORE, (value, low, high), difference),
                **{each: _value(each, None, None) for each in (DRAWS, LENGTH, VARIETY)},
            },
            "why": "" if differs or name == baseline else ONLY_WITH.format(baseline=names.short(read.plan.baseline)),
            "certainty": _certain(*strong_certainty(judged, asked), names) if judged else NO_CERTAINTY,
        }


def _gain(base: float, change: Estimate) -> dict[str, float]:
    """By how much a score comes nearer to one half, with its interval; ``base`` is how far above it the baseline is."""
    value, *ends = (abs(base) - abs(base + each) for each in change)
    low, high = min(ends), abs(base) if change[1] <= -base <= change[2] else max(ends)
    return dict(zip(DIFFERENCE, (value, low, high), strict=True))


def _sentence(toggle: Toggle, game: str, settings: Mapping[str, Setting], language: str) -> tuple[str, str]:
    """What rules say by a toggle, and the picture of what they draw."""
    from workbench.games.wording import is_picture, sentence_beside
    from workbench.studio.pages.rules.view import picture

    setting = settings[toggle.name]
    drawn = picture(toggle, game, settings) if is_picture(toggle, setting) else ""
    return translated(sentence_beside(toggle, setting), language), drawn


def _differing_toggles(rulesets: Sequence[tuple[str, Ruleset]], language: str) -> Iterator[View]:
    """Yield the toggles in which rulesets of one game differ: what each ruleset says, and where that has no effect."""
    from workbench import games

    for game in dict.fromkeys(one.game for _, one in rulesets):
        if game not in games.names():
            continue
        declaration = games.declaration(game)
        settings = {key: {**declaration.defaults(), **one.settings} for key, one in rulesets if one.game == game}
        idle = {key: declaration.without_effect(each) for key, each in settings.items()}
        for toggle in declaration.toggles:
            told = {key: _sentence(toggle, game, each, language) for key, each in settings.items()}
            distinct = list(dict.fromkeys(told.values()))
            if len(distinct) > 1:
                yield {
                    "game": game,
                    "title": translated(toggle.title, language),
                    "sentences": [{"text": text, "picture": picture} for text, picture in distinct],
                    "of": {key: distinct.index(text) for key, text in told.items()},
                    "idle": [key for key in settings if toggle.name in idle[key]],
                }
