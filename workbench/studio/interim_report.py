"""The results of a run that is still played: counts of its games, and verdicts so far; computed in a worker process."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from workbench.base.errors import InputError
from workbench.base.language import join_list, sentences, tr
from workbench.experiments.measures import FAIRNESS
from workbench.games.results import BY_POINTS
from workbench.records import provenance, records
from workbench.studio import opponents

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from workbench.records.trials import CellName
    from workbench.report.model import Chart
    from workbench.report.names import Results
    from workbench.statistics import Analysis


NOT_YET = tr("Not decided yet.")


AFTER = tr("After {games} games.")


INTERVALS = tr("A 95 % interval holds the true value in 19 of 20 cases: compare bars, not dots.")


NEXT_LOOK = tr("{players} still play; the next look comes after {games} games of each ruleset.")


FINISHED = tr("Finished: {players}.")


def load_statistics() -> None:
    """Load what `interim_markup` needs."""
    import workbench.report.reading
    import workbench.report.sections.answer
    import workbench.report.sections.scores
    import workbench.statistics  # noqa: F401


def interim_markup(folder: Path) -> str:
    """The answer so far with its charts, in all languages; nothing where there are no games, or they cannot be read.

    Verdicts are taken at the looks that were fixed beforehand, and without such looks when all games are there.
    """
    import pandas as pd

    from workbench.report.names import Results
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
    results = Results.of(analyse_interim(trials, plan))
    compared = results.primary_comparisons["difference"].notna().any()
    charts = [gain_chart(results, steady=True)] if compared else []
    if plan.question_measure.name == FAIRNESS or not charts:
        charts.insert(0, _on_whole_scale(score_chart(results, pd.DataFrame())))
    said = list(_answer(results, games_per_cell(trials, plan))) if compared else []
    lines = [Markup('<p class="{}">{}</p>').format("quiet" if n else "headline", text) for n, text in enumerate(said)]
    counted = AFTER.format(games=f"{int(results.cells['games'].sum()):,}")
    explained = Markup('<p class="quiet">{} {}</p>').format(counted, INTERVALS)
    return Markup("").join([*lines, *map(_figure, charts), explained])


def _answer(results: Results, wanted: Mapping[CellName, int]) -> Iterator[str]:
    """Yield the verdict between the strongest players in a sentence, then what else is known, and who plays on.

    ``wanted``: the games of each cell up to its next look, or those with which it ended.
    """
    from workbench.report.sections.answer import headline, other_differences

    best = results.strongest_rows("primary_comparisons")
    waits = best["verdict"].eq("undecided").all() and not best["reason"].eq("not_finished").all()
    yield NOT_YET if waits else headline(results)
    besides = [tr("Besides, {each}.", each=each) for each in other_differences(results)]
    if results.plan.experiment.until:
        besides += _who_plays_on(results.analysis, wanted)
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
    said = [opponents.pair_name(*pair) for pair in pairs if pair not in running]
    coming = f"{min(ahead.values()):,}"
    next_look = NEXT_LOOK.format(players=join_list([opponents.pair_name(*pair) for pair in running]), games=coming)
    return [next_look, *([FINISHED.format(players=join_list(said))] if said else [])]


def _on_whole_scale(chart: Chart) -> Chart:
    """Return the chart of a share with all of its scale, which stays as it is while games are played."""
    from workbench.report.model import fit_scale

    old = chart.panel.scale
    scale = fit_scale((0.0, 1.0), lambda share: f"{100 * share:.0f} %", old.even, old.band, old.left, old.right)
    return replace(chart, panel=replace(chart.panel, scale=scale))


def _figure(chart: Chart) -> Markup:
    from workbench.report.render.svg import legend_key, panel_svg

    keys = [
        Markup("<li>{}{}</li>").format(legend_key(one.number), opponents.display_name(one.label))
        for one in chart.series
    ]
    return Markup(
        '<figure><h3>{}</h3><ul class="legend">{}</ul>{}<figcaption class="quiet" id="{}">{}</figcaption></figure>'
    ).format(chart.title, Markup("").join(keys), panel_svg(chart.panel, chart.id), chart.id, chart.caption)


MAX_CELLS = 60
"""Cells that are told."""


@dataclass(frozen=True)
class CellResults:
    """The games of a ruleset and a pairing."""

    ruleset: str
    first: str
    second: str
    counts: tuple[int, ...]
    """In the order of `BY_POINTS`."""


_Cell = tuple[str, str, str]


_Piece = tuple[_Cell, int, int, tuple[int, ...]]
"""A cell, its games from and up to, and how they ended."""


def live_results(folder: Path) -> list[CellResults]:
    """The results of a folder, in the order of the experiment's rulesets and pairings; of at most `MAX_CELLS` cells."""
    pieces: dict[_Cell, list[_Piece]] = {}
    for path in records.file_paths(folder):
        try:
            found = _pieces(records.read_unchanged(path).path)
        except (records.Unreadable, records.Unavailable):
            continue  # the run has just replaced it
        for piece in found:
            pieces.setdefault(piece[0], []).append(piece)
    return [
        CellResults(*cell, counts)
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
    """Return the games of a file, each cell's in one piece."""
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
