"""Scores of the first player, differences from the baseline, and the numbers of all cells."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from workbench.language import capitalized, join, listed, sentences, tr, trc, verbatim
from workbench.questions.agent_kinds import PEOPLE
from workbench.questions.measures import FAIRNESS
from workbench.report.labels import (
    format_amount,
    format_amounts,
    format_change,
    format_kinds,
    format_percent,
    format_share,
    pairing_text,
    points_label,
    sort_value,
)
from workbench.report.marks import Bounds, Dot, Exact, Interval, Line, Median, Panel, Row, Survival, fit_scale, round_up
from workbench.report.model import Chart, Part, Section, SmallMultiples, Table, TableCell, numeric_cell
from workbench.report.names import BALANCES, VERDICTS, Names, Pairing, capped_method_sentence, unit_factor
from workbench.report.sections.rows import (
    Record,
    cell_headings,
    difference_name,
    difference_text,
    extreme_rows,
    footnotes,
    measure_text,
    number_label,
    pairing_line,
    pairing_rows,
    pairing_series,
    primary_comparisons,
    rows_by_cell,
    ruleset_row,
    score_text,
    without_empty_columns,
)
from workbench.statistics import Analysis, stopped_games, target_band

FIRST = tr("first player ahead")
SECOND = tr("second player ahead")
FAIRER = trc("scores", "fairer")
LESS_FAIR = trc("scores", "less fair")
NO_BOUNDS = Bounds(math.nan, math.nan)


def scores_section(analysis: Analysis, names: Names, exact: pd.DataFrame) -> Section:
    """How much the first seat scores, and what each proposal gains."""
    parts: list[Part] = [score_chart(analysis, names, exact)]
    if not primary_comparisons(analysis).empty and names.plan.question_measure.name == FAIRNESS:
        parts.append(gain_chart(analysis, names))
    parts.append(_cell_table(analysis, names, exact))
    return Section("scores", tr("Who is ahead, and by how much"), parts)


def differences_section(analysis: Analysis, names: Names) -> Section | None:
    """What each proposal changes in the primary measure; None for fairness, which `scores_section` shows."""
    measure = names.plan.question_measure.name
    if measure == FAIRNESS or primary_comparisons(analysis).empty:
        return None
    title = tr("What changes: {measure}", measure=names.measure_name(measure))
    return Section("asked", title, [gain_chart(analysis, names)])


def all_cells_section(analysis: Analysis, names: Names, exact: pd.DataFrame) -> Section:
    """The numbers of all cells, without charts."""
    parts: list[Part] = [_cell_table(analysis, names, exact), length_table(analysis, names, exact)]
    return Section("scores", tr("All results"), parts)


def _percent_label(value: float) -> str:
    return f"{100 * value:.3g} %"


def score_chart(analysis: Analysis, names: Names, exact: pd.DataFrame) -> Chart:
    """The scores of the first player in all cells."""
    pairings = list(names.plan.pairings)
    rows: list[Row] = []
    values = [0.45, 0.55]
    exact_shown = False
    cells, truths = rows_by_cell(analysis.cells), rows_by_cell(exact)
    for ruleset in names.rulesets:
        lines = []
        for pair in pairings:
            cell = cells.get((ruleset, *pair))
            if cell is None:
                continue
            truth = truths.get((ruleset, *pair))
            known = truth["exact"] if truth else math.nan
            exact_shown |= math.isfinite(known)
            bounds = (
                Bounds(cell["first_score_lowest"], cell["first_score_highest"]) if cell["unfinished"] else NO_BOUNDS
            )
            interval = Interval(cell["first_score_low"], cell["first_score_high"])
            dot = Dot(cell["first_score"], hollow=cell["balance"] == "undecided")
            lines.append(pairing_line(names, pair, score_text(cell), bounds, interval, dot, Exact(known)))
            values += [interval.low, interval.high, known]
        rows.append(ruleset_row(names, ruleset, lines, titled=True))
    goal = names.plan.experiment.targets.get("first_score")
    scale = fit_scale(values, _percent_label, 0.5, target_band(goal) if goal else None, SECOND, FIRST)
    sense = _score_caption(analysis, names)
    sense.append(
        tr(
            "Dot and bar: the first player's score in the finished games and its 95 % interval; "
            "hollow where it is undecided who is ahead."
        )
    )
    if analysis.cells["unfinished"].any():
        sense.append(tr("Thin line: what the score could be if all games stopped at the cap were lost or won."))
    if goal:
        sense.append(tr("Shaded: the target."))
    if exact_shown:
        sense.append(tr("Open diamond: the exact value."))
    title = tr("Score of the first player")
    series = pairing_series(names, pairings)
    return Chart("chart-score", Panel(scale, tuple(rows)), sentences(sense), series, "first_score", title)


def _score_caption(analysis: Analysis, names: Names) -> list[str]:
    cells = pairing_rows(analysis.cells, names.strongest)
    texts = []
    for code, who in (("first", FIRST), ("second", SECOND), ("balanced", BALANCES["balanced"])):
        group = [names.short(str(name)) for name in cells.loc[cells["balance"] == code, "ruleset"]]
        if group:
            texts.append(tr("{who} under {names}", who=who, names=listed(group)))
    count = int((cells["balance"] == "undecided").sum())
    if count:
        texts.append(tr("undecided under {n} of {all}", n=count, all=len(cells)))
    text = tr("Between the strongest players ({level}): {texts}.")
    return [text.format(level=pairing_text(names.strongest), texts=listed(texts))] if texts else []


def _either_side(values: Sequence[float]) -> list[float]:
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    half = round_up(largest) if largest else 0.0
    return [-half, half]


def gain_chart(analysis: Analysis, names: Names, steady: bool = False) -> Chart:
    """The differences of the proposals in the measure that was asked.

    ``steady``: on a scale of 1, 2 or 5 times a power of ten on either side, which holds while games come.
    """
    verdicts = primary_comparisons(analysis)
    measure = names.plan.question_measure.name
    times = unit_factor(measure)
    pairings = [pair for pair in names.plan.pairings if not pairing_rows(verdicts, pair).empty]
    by_cell = rows_by_cell(verdicts)
    rows: list[Row] = []
    values: list[float] = []
    for ruleset in names.proposals:
        lines = []
        for pair in pairings:
            record = by_cell.get((ruleset, *pair))
            if record is None:
                continue
            text = join(" ", [VERDICTS[record["verdict"]][1], difference_text(record, names)])
            dot = Dot(record["difference"], hollow=record["verdict"] in ("undecided", "yardstick"))
            interval = Interval(record["low"], record["high"])
            lines.append(pairing_line(names, pair, text, interval, dot))
            # Weak players leave many games unfinished: their intervals may be so wide that no other could be read.
            values += [interval.low, interval.high] if pair == names.strongest else [dot.value]
        rows.append(ruleset_row(names, ruleset, lines))
    best = pairing_rows(verdicts, names.strongest).sort_values("difference", ascending=False).to_dict("records")
    margin = float(best[0]["margin"]) if best else math.nan
    label = points_label if times == 100 else number_label
    less, more = (names.more_or_less(measure, more) for more in (False, True))
    band_of = None if math.isnan(margin) else (-margin, margin)
    sides = (LESS_FAIR, FAIRER) if measure == FAIRNESS else (less, more)
    scale = fit_scale(_either_side(values) if steady else values, label, 0.0, band_of, *sides)
    sense = []
    if best and not math.isnan(best[0]["difference"]):
        top = best[0] if measure == FAIRNESS else max(best, key=lambda row: abs(row["difference"]))
        text = tr("Largest gain between the strongest players ({level}): {name} with {gain}, {verdict}.")
        if measure != FAIRNESS:
            text = tr("Largest difference between the strongest players ({level}): {name} with {gain}, {verdict}.")
        sense.append(
            text.format(
                level=pairing_text(names.strongest),
                name=names.short(top["ruleset"]),
                gain=_difference_text(top, names),
                verdict=VERDICTS[top["verdict"]][0],
            )
        )
    text = tr(
        "By how many points the score comes nearer to 50 % than under {baseline}, with 95 % "
        "intervals. Shaded: differences too small to matter (up to {margin} {unit} either way). ▲ fairer, ▼ less "
        "fair, = no meaningful difference, ? undecided."
    )
    if measure != FAIRNESS:
        text = tr(
            "Difference from {baseline} ({unit}), with 95 % intervals. Shaded: differences too small "
            "to matter (up to {margin} {unit} either way). ↑ {more}, ↓ {less}, = no meaningful difference, ? "
            "undecided."
        )
    sense.append(
        text.format(
            baseline=names.short(names.plan.baseline),
            margin=f"{times * margin:.3g}",
            unit=names.unit_name(measure),
            more=more,
            less=less,
        )
    )
    if any(pair in names.plan.yardsticks for pair in pairings):
        sense.append(tr("·: random players, a yardstick."))
    sense += footnotes(verdicts, analysis)
    title = capitalized(difference_name(names))
    series = pairing_series(names, pairings)
    return Chart("chart-gain", Panel(scale, tuple(rows)), sentences(sense), series, "gain", title)


def _difference_text(row: Record, names: Names) -> str:
    measure = names.plan.question_measure.name
    return format_change(row["difference"], row["low"], row["high"], names.unit_name(measure), unit_factor(measure))


def _cell_table(analysis: Analysis, names: Names, exact: pd.DataFrame) -> Table:
    truths = rows_by_cell(exact)
    rows = []
    for cell in analysis.cells.to_dict("records"):
        truth = truths.get((cell["ruleset"], cell["first"], cell["second"]))
        bounds = ""
        if cell["unfinished"]:
            bounds = f"{100 * cell['first_score_lowest']:.0f}–{100 * cell['first_score_highest']:.0f} %"
        rows.append(
            [
                *cell_headings(names, cell),
                numeric_cell(format_amount(cell["games"]), cell["games"]),
                numeric_cell(score_text(cell), cell["first_score"]),
                numeric_cell(format_percent(truth["exact"], 2), truth["exact"]) if truth else TableCell(),
                TableCell(BALANCES[cell["balance"]]),
                numeric_cell(
                    format_share(cell["draw_rate"], cell["draw_rate_low"], cell["draw_rate_high"]), cell["draw_rate"]
                ),
                numeric_cell(
                    format_percent(cell["capped_rate"]) if cell["unfinished"] else "0", cell["capped_rate"], bounds
                ),
                _adjudicated_cell(cell),
                numeric_cell(format_percent(cell["distinct_share"]), cell["distinct_share"]),
            ]
        )
    heads = [
        TableCell(tr("ruleset")),
        TableCell(tr("players")),
        TableCell(tr("games"), kind="number"),
        TableCell(tr("first player's score"), kind="number"),
        TableCell(tr("exact"), kind="number"),
        TableCell(tr("who is ahead")),
        TableCell(trc("scores", "draws"), kind="number"),
        TableCell(tr("capped"), kind="number"),
        TableCell(tr("adjudicated"), kind="number"),
        TableCell(tr("distinct games"), kind="number"),
    ]
    caption = tr("All cells. Below the capped games: the range of the score if all of them were lost or won.")
    return Table(sentences([caption, capped_method_sentence(names)]), *without_empty_columns(heads, rows), folded=True)


def _adjudicated_cell(cell: Record) -> TableCell:
    """The share of the games that were adjudicated; empty where none was."""
    if not cell.get("ended_by_adjudicated"):
        return TableCell()
    rate, low, high = (cell[f"ended_by_adjudicated_rate{end}"] for end in ("", "_low", "_high"))
    return numeric_cell(format_share(rate, low, high), rate)


SCORED = (FAIRNESS, "variety", "decisive_rate")
"""Measures that the scorecard has a column for, whatever was asked."""


def scorecard_section(analysis: Analysis, names: Names) -> Section | None:
    """The criteria side by side, for the strongest players."""
    chosen = pairing_rows(analysis.scorecard, names.strongest) if not analysis.scorecard.empty else analysis.scorecard
    if chosen.empty:
        return None
    compared = rows_by_cell(primary_comparisons(analysis))
    rows = []
    measure = names.plan.question_measure.name
    drama = "drama" in chosen and chosen["drama"].notna().any()
    for row in chosen.to_dict("records"):
        cells = [
            names.ruleset_cell(row["ruleset"]),
            numeric_cell(format_amount(row["changed_toggles"]), row["changed_toggles"]),
            numeric_cell(format_amount(row["rule_words"]), row["rule_words"]),
            numeric_cell(
                format_amount(100 * row["unfairness"], 1),
                row["unfairness"],
                format_amounts(100 * row["unfairness_low"], 100 * row["unfairness_high"], 1),
            ),
            numeric_cell(
                format_kinds(row["variety"]),
                row["variety"],
                ""
                if math.isnan(row["variety"])
                else f"{format_kinds(row['variety_low'])}–{format_kinds(row['variety_high'])}",
            ),
            numeric_cell(format_amount(row["plies_median"]), row["plies_median"]),
            numeric_cell(format_percent(row["decisive_rate"]), row["decisive_rate"]),
        ]
        if measure not in SCORED:
            verdict = compared.get((row["ruleset"], *names.strongest))
            value = measure_text(analysis, names, row["ruleset"], names.strongest)
            below = VERDICTS[verdict["verdict"]] if verdict else None
            small = tr("{sign} {text}", sign=below[1], text=below[0]) if below else verbatim("")
            cells.insert(1, TableCell(value, small, sort_value(verdict["value"]) if verdict else None, "number"))
        if drama:
            cells.append(numeric_cell(format_percent(row["drama"]), row["drama"]))
        cells.append(_pareto_cell(row, names))
        rows.append(cells)
    heads = [
        TableCell(tr("ruleset")),
        TableCell(tr("rules changed"), kind="number"),
        TableCell(tr("words in the rules"), kind="number"),
        TableCell(tr("points from even"), kind="number"),
        TableCell(tr("different openings (estimate)"), kind="number"),
        TableCell(tr("median plies"), kind="number"),
        TableCell(tr("decided games"), kind="number"),
    ]
    if measure not in SCORED:
        heads.insert(1, TableCell(names.measure_name(measure), kind="number"))
    if drama:
        heads.append(TableCell(tr("drama"), kind="number"))
    heads.append(TableCell(tr("all in all")))
    caption = tr(
        "Simplicity (first two columns), fairness and variety, and how games go, between the "
        "strongest players ({level}). Unbeaten: no other ruleset is at least as good on "
        "simplicity, fairness and variety and better on one; that is no verdict on a ruleset, "
        "the more criteria the more rulesets are unbeaten. Below it, how sure that is: the share of "
        "cases in which it holds when the numbers vary within their uncertainty."
    )
    caption = caption.format(level=pairing_text(names.strongest))
    if chosen["variety"].isna().all():
        unknown = tr("How many openings there are is not known (see Openings): variety decides nothing here.")
        caption = sentences([caption, unknown])
    baseline = next((i for i, row in enumerate(chosen["ruleset"]) if row == names.plan.baseline), None)
    table = Table(caption, heads, rows, baseline)
    return Section("scorecard", tr("Scorecard"), [table])


def _pareto_cell(row: Record, names: Names) -> TableCell:
    share = float(row["pareto_share"])
    held = tr("certainty {share}", share=format_percent(share if row["pareto"] else 1 - share, 0))
    if row["pareto"]:
        # A verdict on its games is another matter: unbeaten is what most rulesets are, and no reason to take one.
        return TableCell(tr("unbeaten"), held, -share, "whole")
    by = names.short(str(row["beaten_by"]))
    beaten = tr("beaten by {by}", by=by) if row["beaten_by"] else tr("no")
    return TableCell(beaten, held, 1 - share, "whole quiet" if len(by) <= 16 else "quiet")


def lengths_section(analysis: Analysis, names: Names, exact: pd.DataFrame) -> Section:
    """How long the games are: the curve of games that still go on, and the quartiles."""
    title = tr("How long the games are")
    charts = [survival_chart(analysis, names, pair) for pair in names.plan.pairings]
    drawn = [chart for chart in charts if chart is not None]
    curves = SmallMultiples(_caption(analysis, names), drawn, "lengths", title)
    return Section("lengths", title, [curves, length_table(analysis, names, exact)])


def survival_chart(analysis: Analysis, names: Names, pair: Pairing) -> Chart | None:
    """How many games of each ruleset still go on after so many plies, for a pairing."""
    cells = pairing_rows(analysis.cells, pair)
    if cells.empty:
        return None
    curves = pairing_rows(analysis.lengths, pair)
    # Where no game ended, up to the cap.
    longest = (float(curves["plies"].max()) if len(curves) else 0.0) or float(names.plan.experiment.max_plies or 1)
    scale = fit_scale([longest], lambda value: f"{value:.0f}", from_zero=True, whole=True)
    by_cell = rows_by_cell(cells)
    records = [(ruleset, by_cell.get((ruleset, *pair))) for ruleset in names.rulesets]
    rows = [
        ruleset_row(names, ruleset, [_survival_line(cell, curves, names, pair)], titled=True)
        for ruleset, cell in records
        if cell is not None
    ]
    capped = stopped_games(cells).sum() / max(1, int(cells["games"].sum()))
    caption = tr("{pair}: {capped} of the games were stopped at {cap} plies.")
    if names.plan.agents[pair[0]].kind == PEOPLE:
        caption = tr("{pair}: {capped} of the games have no result.")
    return Chart(
        f"chart-lengths-{names.series_number(pair)}",
        Panel(scale, tuple(rows)),
        caption.format(
            pair=pairing_text(pair), capped=format_percent(capped), cap=names.plan.experiment.max_plies or "–"
        ),
        title=pairing_text(pair),
    )


def _caption(analysis: Analysis, names: Names) -> str:
    """The shortest and the longest median, and what the curves show."""
    cells = pairing_rows(analysis.cells, names.strongest).dropna(subset=["plies_median"])
    texts = []
    if len(cells):
        low, high = extreme_rows(cells, "plies_median")
        text = tr(
            "Between the strongest players ({level}) the median game takes from {low} plies "
            "({shortest}) to {high} ({longest})."
        )
        texts.append(
            text.format(
                level=pairing_text(names.strongest),
                low=format_amount(low["plies_median"]),
                high=format_amount(high["plies_median"]),
                shortest=names.short(str(low["ruleset"])),
                longest=names.short(str(high["ruleset"])),
            )
        )
    texts.append(
        tr(
            "Shaded: the share of games that still go on after so many plies (Kaplan–Meier: a game "
            "stopped at the cap counts as longer, not as ended). Bar: the middle half of the games, "
            "with the median; an arrow where it runs beyond the cap."
        )
    )
    return sentences(texts)


def _survival_line(cell: Record, curves: pd.DataFrame, names: Names, pair: Pairing) -> Line:
    """The curve of a cell's games, with their quartiles."""
    curve = curves[curves["ruleset"] == cell["ruleset"]].sort_values("plies")
    steps = drawn_steps(curve, int(cell["games"]))
    if steps:
        open_end = cell["unfinished"] or cell.get("ended_by_adjudicated")
        end = names.plan.experiment.max_plies if open_end else float(curve["plies"].iloc[-1])
        steps.append((float(end), float(curve["alive"].iloc[-1])))
    median = float(cell["plies_median"])
    beyond = f">{names.plan.experiment.max_plies}" if names.plan.experiment.max_plies else "∞"
    text = tr("{n} plies", n=beyond if math.isinf(median) else format_amount(median))
    if not cell["games"]:
        text = tr("no games yet")
    lower, upper = float(cell["plies_lower_quartile"]), float(cell["plies_upper_quartile"])
    if math.isinf(lower):
        lower = math.nan
    return pairing_line(names, pair, text, Survival(tuple(steps)), Interval(lower, upper), Median(median))


def drawn_steps(curve: pd.DataFrame, games: int) -> list[tuple[float, float]]:
    """The plies and shares of a curve that are drawn: what moves it by less than a pixel, a fiftieth, is not."""
    steps: list[tuple[float, float]] = []
    drawn = games
    for plies, alive in zip(curve["plies"], curve["alive"], strict=True):
        # Of shares the last digit would decide.
        going_on = round(games * float(alive))
        if not steps or 50 * (drawn - going_on) >= games or not going_on:
            steps.append((float(plies), float(alive)))
            drawn = going_on
    return steps


def length_table(analysis: Analysis, names: Names, exact: pd.DataFrame) -> Table:
    """The lengths of all cells."""
    truths = rows_by_cell(exact)
    rows = []
    for cell in analysis.cells.to_dict("records"):
        truth = truths.get((cell["ruleset"], cell["first"], cell["second"]))
        rows.append(
            [
                *cell_headings(names, cell),
                *(
                    numeric_cell(format_amount(cell[column]), cell[column])
                    for column in ("plies_lower_quartile", "plies_median", "plies_upper_quartile")
                ),
                numeric_cell(
                    format_amount(cell["plies_mean"], 1),
                    cell["plies_mean"],
                    format_amounts(cell["plies_mean_low"], cell["plies_mean_high"], 1),
                ),
                numeric_cell(format_amount(truth["plies_exact"], 2), truth["plies_exact"]) if truth else TableCell(),
                numeric_cell(format_amount(cell["legal_moves"], 1), cell["legal_moves"]),
            ]
        )
    heads = [
        TableCell(tr("ruleset")),
        TableCell(tr("players")),
        TableCell(tr("a quarter ends by"), kind="number"),
        TableCell(tr("half"), kind="number"),
        TableCell(tr("three quarters"), kind="number"),
        TableCell(tr("mean, up to the cap"), kind="number"),
        TableCell(tr("exact mean"), kind="number"),
        TableCell(trc("lengths", "legal moves at a ply"), kind="number"),
    ]
    caption = tr("Plies of all cells; ∞: beyond the cap.")
    return Table(caption, *without_empty_columns(heads, rows), folded=True)
