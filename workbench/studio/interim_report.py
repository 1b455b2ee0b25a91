"""Results of a run in progress, computed in a worker process: counts of games and interim verdicts."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from workbench.base.errors import InputError
from workbench.base.language import join_list, sentences, tr
from workbench.experiments.measures import FAIRNESS
from workbench.games.results import BY_POINTS
from workbench.records import provenance, records
from workbench.studio import opponents

if TYPE_CHECKING:
    import pandas as pd

    from workbench.records.trials import CellName
    from workbench.report.model import Chart
    from workbench.report.names import Results
    from workbench.statistics import Analysis


def load_statistics() -> None:
    """Import the modules that `interim_markup` needs."""
    import workbench.report.folders
    import workbench.report.sections.answer
    import workbench.report.sections.scores
    import workbench.statistics  # noqa: F401


def interim_markup(folder: Path) -> str:
    """Return the interim answer with its charts in all languages, or "" if no games are readable.

    Verdicts are reached only at planned interim analyses, or at the end if none are planned.
    """
    import pandas as pd

    from workbench.report.folders import read_report_trials, read_run_provenance
    from workbench.report.names import Results
    from workbench.report.sections.scores import gain_chart, score_chart
    from workbench.statistics import AnalysisPlan, analyse_interim
    from workbench.statistics.analysis import games_per_cell

    try:
        recorded = read_run_provenance(folder)
        plan = replace(AnalysisPlan.from_provenance(recorded), finished=False)
        trials = read_report_trials(folder, recorded, plan.pairings, plan.measure_columns)
    except InputError:
        return ""
    results = Results.of(analyse_interim(trials, plan))
    compared = results.primary_comparisons["difference"].notna().any()
    charts = [gain_chart(results, steady=True)] if compared else []
    if plan.question_measure.name == FAIRNESS or not charts:
        charts.insert(0, _on_full_scale(score_chart(results, pd.DataFrame())))
    answer = list(_answer(results, games_per_cell(trials, plan))) if compared else []
    lines = [Markup('<p class="{}">{}</p>').format("quiet" if n else "headline", text) for n, text in enumerate(answer)]
    note = Markup('<p class="quiet">{} {}</p>').format(
        tr("After {games} games.", games=f"{int(results.cells['games'].sum()):,}"),
        tr("A 95 % interval contains the true value in 19 of 20 cases: compare bars, not dots."),
    )
    return Markup("").join([*lines, *map(_figure, charts), note])


def _answer(results: Results, planned: Mapping[CellName, int]) -> Iterator[str]:
    """Yield what is decided between the strongest players, then the players' progress.

    ``planned`` is the number of games of each cell at its next interim analysis or at its end.
    """
    from workbench.report.sections.answer import interim_sentence

    yield interim_sentence(results)
    if results.plan.experiment.until and (states := _player_states(results.analysis, planned)):
        yield sentences(states)


def _player_states(analysis: Analysis, planned: Mapping[CellName, int]) -> list[str]:
    """Return sentences about players in progress, with the size of their next analysis, and about finished players."""
    played = analysis.cells.set_index(["ruleset", "first", "second"])["games"]
    missing = {cell: games for cell, games in planned.items() if played.get(cell, 0) < games}
    running = {cell[1:] for cell in missing}
    if not running:
        return []
    names: dict[bool, list[str]] = {True: [], False: []}
    for pair in dict.fromkeys(cell[1:] for cell in planned):
        names[pair in running].append(opponents.pair_name(*pair))
    text = tr(
        "{players} are still playing; the next interim analysis follows after {games} games of each ruleset.",
        players=join_list(names[True]),
        games=f"{min(missing.values()):,}",
    )
    return [text, *([tr("Finished: {players}.", players=join_list(names[False]))] if names[False] else [])]


def _on_full_scale(chart: Chart) -> Chart:
    """Return a chart of shares with a fixed scale from 0 to 100 %."""
    from workbench.report.model import fit_scale

    scale = chart.panel.scale
    full = fit_scale((0.0, 1.0), lambda share: f"{100 * share:.0f} %", scale.even, scale.band, scale.left, scale.right)
    return replace(chart, panel=replace(chart.panel, scale=full))


def _figure(chart: Chart) -> Markup:
    from workbench.report.render.svg import legend_key, panel_svg

    keys = [
        Markup("<li>{}{}</li>").format(legend_key(series.number), opponents.display_name(series.label))
        for series in chart.series
    ]
    return Markup(
        '<figure><h3>{}</h3><ul class="legend">{}</ul>{}<figcaption class="quiet" id="{}">{}</figcaption></figure>'
    ).format(chart.title, Markup("").join(keys), panel_svg(chart.panel, chart.id), chart.id, chart.caption)


MAX_CELLS = 60
CELL = ["ruleset", "first", "second"]
COUNTS = {f"{result} count": result for result in BY_POINTS}


class CellResults(NamedTuple):
    """The results of a ruleset and a pairing."""

    ruleset: str
    first: str
    second: str
    counts: tuple[int, ...]
    """The numbers of games by result, in the order of `BY_POINTS`."""


def live_results(folder: Path) -> list[CellResults]:
    """Return the results of at most `MAX_CELLS` cells, ordered by pairing and ruleset.

    Each cell's games count up to the first missing one.
    """
    import pandas as pd

    blocks = []
    for path in records.file_paths(folder):
        # The run may just have replaced the file.
        with contextlib.suppress(records.Unreadable, records.Unavailable):
            blocks.append(_read_block(records.read_file_cached(path).path))
    if not blocks:
        return []
    # After a kill, games may be in two files: the longest block with each start counts.
    games = pd.concat(blocks).sort_values(["start", "stop"], ascending=[True, False])
    cells = [games[name] for name in CELL]
    previous_stop = games["stop"].groupby(cells).cummax().groupby(cells).shift(fill_value=0)
    after_gap = (games["start"] > previous_stop).groupby(cells).cummax()
    counts = games[(games["start"] == previous_stop) & ~after_gap].groupby(CELL)[list(COUNTS)].sum()
    rulesets, pairings = _plan_order(folder)

    def order(cell: tuple[str, ...]) -> tuple[int, int]:
        return pairings.get(cell[1:], len(pairings)), rulesets.get(cell[0], len(rulesets))

    rows = sorted(counts[counts.sum(axis=1) > 0].itertuples(name=None), key=lambda row: order(row[0]))
    visible_cells = ((*cell, tuple(map(int, results))) for cell, *results in rows[:MAX_CELLS])
    return list(map(CellResults._make, visible_cells))


def _plan_order(folder: Path) -> tuple[dict[str, int], dict[tuple[str, ...], int]]:
    try:
        recorded = provenance.load_provenance(folder)
    except (FileNotFoundError, provenance.Damaged, records.Unavailable):
        return {}, {}
    rulesets = {str(ruleset["name"]): i for i, ruleset in enumerate(recorded["rulesets"])}
    return rulesets, {(pair["first"], pair["second"]): i for i, pair in enumerate(recorded["pairings"])}


@functools.lru_cache(maxsize=20_000)
def _read_block(path: Path) -> pd.DataFrame:
    """Return a row for each cell in a file: first game, end of the range, and counts of results."""
    table = records.read_table(path, [*CELL, "result", "game"]).to_pandas()
    counts = {name: table["result"] == result for name, result in COUNTS.items()}
    rows: pd.DataFrame = (
        table.assign(stop=table["game"] + 1, **counts)
        .astype(dict.fromkeys(CELL, str))
        .groupby(CELL, as_index=False)
        .agg(start=("game", "min"), stop=("stop", "max"), **{name: (name, "sum") for name in COUNTS})
    )
    return rows
