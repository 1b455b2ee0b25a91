"""What games say so far while others are played, and the rulesets of several reports in one table.

Both run in a process beside the server's, on the records. What is not judged at once (openings, portraits, strong play)
is left to the report. A report compares with its baseline alone, a reader of the table with any ruleset.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from workbench.base.errors import InputError
from workbench.base.language import listed, sentences, tr, translated, trc
from workbench.experiments.measures import FAIRNESS, FIRST_SCORE
from workbench.games.results import BY_POINTS
from workbench.records import provenance, records
from workbench.studio import opponents
from workbench.studio.opponents import reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd

    from workbench.games.declaration import Setting, Toggle
    from workbench.records.trials import CellName, Trials
    from workbench.report.model import Chart
    from workbench.report.names import Names, Record
    from workbench.rules.rulesets import Ruleset
    from workbench.statistics import Analysis, AnalysisPlan


NOT_YET = tr("Not decided yet.")
AFTER = tr("After {games} games.")
INTERVALS = tr("A 95 % interval holds the true value in 19 of 20 cases: compare bars, not dots.")
NEXT_LOOK = tr("{players} still play; the next look comes after {games} games of each ruleset.")
FINISHED = tr("Finished: {players}.")


def load_statistics() -> None:
    """Loads what `interim_markup` needs."""
    import workbench.report.reading
    import workbench.report.sections.answer
    import workbench.report.sections.scores
    import workbench.statistics  # noqa: F401


def interim_markup(folder: Path) -> str:
    """The answer so far with its charts, in all languages; nothing where there are no games, or they cannot be read.

    Verdicts are taken at the looks that were fixed beforehand, and without such looks when all games are there.
    """
    from dataclasses import replace

    import pandas as pd

    from workbench.base.errors import InputError
    from workbench.experiments.measures import FAIRNESS
    from workbench.report.names import Names, primary_comparisons
    from workbench.report.reading import read_report_trials, read_run_provenance
    from workbench.report.sections.scores import gain_chart, score_chart
    from workbench.statistics import AnalysisPlan, analyse_interim
    from workbench.statistics.analysis import games_per_cell

    try:
        provenance = read_run_provenance(folder)
        plan = replace(AnalysisPlan.from_provenance(provenance), finished=False)
        trials = read_report_trials(folder, provenance, plan.pairings, plan.measure_columns)
    except InputError:
        return ""
    analysis, names = analyse_interim(trials, plan), Names(plan)
    compared = primary_comparisons(analysis)["difference"].notna().any()
    charts = [gain_chart(analysis, names, steady=True)] if compared else []
    if plan.question_measure.name == FAIRNESS or not charts:
        charts.insert(0, _on_whole_scale(score_chart(analysis, names, pd.DataFrame())))
    said = list(_answer(analysis, names, games_per_cell(trials, plan))) if compared else []
    lines = [Markup('<p class="{}">{}</p>').format("quiet" if n else "headline", text) for n, text in enumerate(said)]
    counted = AFTER.format(games=f"{int(analysis.cells['games'].sum()):,}")
    explained = Markup('<p class="quiet">{} {}</p>').format(counted, INTERVALS)
    return Markup("").join([*lines, *map(_figure, charts), explained])


def _answer(analysis: Analysis, names: Names, wanted: Mapping[CellName, int]) -> Iterator[str]:
    """The verdict between the strongest players in a sentence, then what else is known, and who plays on.

    ``wanted``: the games of each cell up to its next look, or those with which it ended.
    """
    from workbench.report.names import pairing_rows, primary_comparisons
    from workbench.report.sections.answer import headline, other_differences

    verdicts = primary_comparisons(analysis)
    best = pairing_rows(verdicts, names.strongest)
    waits = best["verdict"].eq("undecided").all() and not best["reason"].eq("not_finished").all()
    yield NOT_YET if waits else headline(verdicts, analysis, names)
    besides = [tr("Besides, {each}.", each=each) for each in other_differences(analysis, names)]
    if names.plan.experiment.until:
        besides += _who_plays_on(analysis, wanted)
    if besides:
        yield sentences(besides)


def _who_plays_on(analysis: Analysis, wanted: Mapping[CellName, int]) -> list[str]:
    """Up to how many games the next look is of players who still play, and who has finished."""
    rows = analysis.cells[["ruleset", "first", "second", "games"]].itertuples(index=False, name=None)
    played = {(ruleset, first, second): games for ruleset, first, second, games in rows}
    ahead = {cell: games for cell, games in wanted.items() if played.get(cell, 0) < games}
    pairs = list(dict.fromkeys((first, second) for _, first, second in wanted))
    running = [pair for pair in pairs if any(cell[1:] == pair for cell in ahead)]
    if not running:
        return []
    said = [opponents.pair_called(*pair) for pair in pairs if pair not in running]
    coming = f"{min(ahead.values()):,}"
    next_look = NEXT_LOOK.format(players=listed([opponents.pair_called(*pair) for pair in running]), games=coming)
    return [next_look, *([FINISHED.format(players=listed(said))] if said else [])]


def _on_whole_scale(chart: Chart) -> Chart:
    """The chart of a share with all of its scale, which stays as it is while games are played."""
    from dataclasses import replace

    from workbench.report.marks import fit_scale

    old = chart.panel.scale
    scale = fit_scale((0.0, 1.0), lambda share: f"{100 * share:.0f} %", old.even, old.band, old.left, old.right)
    return replace(chart, panel=replace(chart.panel, scale=scale))


def _figure(chart: Chart) -> Markup:
    from workbench.report.render.svg import legend_key, panel_svg

    keys = [Markup("<li>{}{}</li>").format(legend_key(one.number), opponents.called(one.label)) for one in chart.series]
    return Markup(
        '<figure><h3>{}</h3><ul class="legend">{}</ul>{}<figcaption class="quiet" id="{}">{}</figcaption></figure>'
    ).format(chart.title, Markup("").join(keys), panel_svg(chart.panel, chart.id), chart.id, chart.caption)


MAX_CELLS = 60
"""Cells that are told."""


@dataclass(frozen=True)
class Tally:
    """The games of a ruleset and a pairing."""

    ruleset: str
    first: str
    second: str
    counts: tuple[int, ...]
    """In the order of `BY_POINTS`."""


_Cell = tuple[str, str, str]
_Piece = tuple[_Cell, int, int, tuple[int, ...]]
"""A cell, its games from and up to, and how they ended."""


def tally_games(folder: Path) -> list[Tally]:
    """The tallies of a folder, in the order of the experiment's rulesets and pairings; of at most `MAX_CELLS` cells."""
    pieces: dict[_Cell, list[_Piece]] = {}
    for path in records.file_paths(folder):
        try:
            found = _pieces(records.read_unchanged(path).path)
        except (records.Unreadable, records.Unavailable):
            continue  # the run has just replaced it
        for piece in found:
            pieces.setdefault(piece[0], []).append(piece)
    return [
        Tally(*cell, counts)
        for cell in sorted(pieces, key=_cell_order(folder))
        if sum(counts := _results_before_gap(pieces[cell]))
    ][:MAX_CELLS]


def _results_before_gap(pieces: list[_Piece]) -> tuple[int, ...]:
    """How the games of a cell ended, up to the first that is missing."""
    counts = [0] * len(BY_POINTS)
    at = 0
    for _, start, stop, ends in sorted(pieces, key=lambda piece: (piece[1], -piece[2])):
        if start > at:
            break
        # A killed run left two files with the same games.
        if start == at:
            counts = [one + more for one, more in zip(counts, ends, strict=True)]
            at = stop
    return tuple(counts)


def _cell_order(folder: Path) -> functools.partial[tuple[int, int]]:
    try:
        said = provenance.load_provenance(folder)
    except (FileNotFoundError, provenance.Damaged, records.Unavailable):
        said = {"rulesets": [], "pairings": []}
    rulesets = {str(one["name"]): place for place, one in enumerate(said["rulesets"])}
    pairings = {(one["first"], one["second"]): place for place, one in enumerate(said["pairings"])}
    return functools.partial(_place, rulesets, pairings)


def _place(rulesets: Mapping[str, int], pairings: Mapping[tuple[str, str], int], cell: _Cell) -> tuple[int, int]:
    return pairings.get(cell[1:], len(pairings)), rulesets.get(cell[0], len(rulesets))


@functools.lru_cache(maxsize=100_000)
def _pieces(path: Path) -> tuple[_Piece, ...]:
    """The games of a file, each cell's in one piece."""
    table = records.read_table(path, ["ruleset", "first", "second", "result", "game"])
    grouped = table.group_by(["ruleset", "first", "second"]).aggregate([("game", "min"), ("game", "max")])
    ended = table.group_by(["ruleset", "first", "second", "result"]).aggregate([([], "count_all")])
    counts: dict[_Cell, list[int]] = {}
    for row in ended.to_pylist():
        cell = (row["ruleset"], row["first"], row["second"])
        if row["result"] in BY_POINTS:
            counts.setdefault(cell, [0] * len(BY_POINTS))[BY_POINTS.index(row["result"])] += row["count_all"]
    return tuple(
        (cell, row["game_min"], row["game_max"] + 1, tuple(counts.get(cell, [0] * len(BY_POINTS))))
        for row in grouped.to_pylist()
        for cell in [(row["ruleset"], row["first"], row["second"])]
    )


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


def compare(sources: Sequence[Source], base: tuple[str, str], language: str) -> View:
    """The rows of some reports, and the toggles in which their rulesets differ, as plain data in a language.

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
        "rows": [_spoken(row, language) for row in rows],
    }


def _cell_rows(read: _Records, names: Names, baseline: str) -> Iterator[View]:
    """A row for each ruleset and its players; compared with the same players under ``baseline``."""
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
            "reading": reading(cell[1]) if cell[1] == cell[2] else "",
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
    """A number with its interval, and its difference from the baseline; empty where it is not known."""
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
    """A row for what strong play would be under each ruleset, where a report estimates it."""
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


def _spoken(view: Any, language: str) -> Any:
    if isinstance(view, dict):
        return {key: _spoken(value, language) for key, value in view.items()}
    return translated(view, language) if isinstance(view, str) else view


def _sentence(toggle: Toggle, game: str, settings: Mapping[str, Setting], language: str) -> tuple[str, str]:
    """What rules say by a toggle, and the picture of what they draw."""
    from workbench.games.wording import is_picture, sentence_beside
    from workbench.studio import rules_view

    setting = settings[toggle.name]
    picture = rules_view.picture(toggle, game, settings) if is_picture(toggle, setting) else ""
    return translated(sentence_beside(toggle, setting), language), picture


def _differing_toggles(rulesets: Sequence[tuple[str, Ruleset]], language: str) -> Iterator[View]:
    """The toggles in which rulesets of one game differ: what each ruleset says, and where that has no effect."""
    from workbench import games

    for game in dict.fromkeys(one.game for _, one in rulesets):
        if game not in games.names():
            continue
        declaration = games.declaration(game)
        settings = {key: {**declaration.defaults(), **one.settings} for key, one in rulesets if one.game == game}
        idle = {key: declaration.idle(each) for key, each in settings.items()}
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
