"""Scores of the first player, differences from the baseline, and the numbers of all cells."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from workbench.base.language import capitalized, join, join_list, sentences, tr, trc, untranslated
from workbench.experiments.measures import FAIRNESS
from workbench.players.agent_kinds import PEOPLE
from workbench.report import labels
from workbench.report.labels import ending_words
from workbench.report.marks import Bounds, Dot, Exact, Interval, Line, Median, Panel, Row, Survival, fit_scale, round_up
from workbench.report.model import (
    Chart,
    Column,
    Part,
    Section,
    SmallMultiples,
    Table,
    TableCell,
    numeric_cell,
    share_cell,
)
from workbench.report.names import (
    ByCell,
    Names,
    Pairing,
    Record,
    extreme_rows,
    footnotes,
    pairing_rows,
    primary_comparisons,
    rows_by_cell,
    score_cell,
    score_text,
    unit_factor,
)
from workbench.report.verdicts import AHEAD, BALANCES, VERDICTS
from workbench.statistics import Analysis, stopped_games, target_band

NO_BOUNDS = Bounds(math.nan, math.nan)
ADJUDICATED = "ended_by_adjudicated"


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
            lines.append(names.pairing_line(pair, score_text(cell), bounds, interval, dot, Exact(known)))
            values += [interval.low, interval.high, known]
        rows.append(names.ruleset_row(ruleset, lines, titled=True))
    goal = names.plan.experiment.targets.get("first_score")
    scale = fit_scale(
        values, labels.percent_tick, 0.5, target_band(goal) if goal else None, BALANCES["second"], BALANCES["first"]
    )
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
    series = names.pairing_series(pairings)
    return Chart("chart-score", Panel(scale, tuple(rows)), sentences(sense), series, "first_score", title)


def _score_caption(analysis: Analysis, names: Names) -> list[str]:
    cells = pairing_rows(analysis.cells, names.strongest)
    texts = []
    for code in ("first", "second", "balanced"):
        group = [names.short(str(name)) for name in cells.loc[cells["balance"] == code, "ruleset"]]
        if group:
            texts.append(tr("{who} under {names}", who=BALANCES[code], names=join_list(group)))
    count = int((cells["balance"] == "undecided").sum())
    if count:
        texts.append(tr("undecided under {n} of {all}", n=count, all=len(cells)))
    text = tr("Between the strongest players ({level}): {texts}.")
    return [text.format(level=labels.pairing_text(names.strongest), texts=join_list(texts))] if texts else []


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
    for ruleset in names.plan.proposals:
        lines = []
        for pair in pairings:
            record = by_cell.get((ruleset, *pair))
            if record is None:
                continue
            text = join(" ", [VERDICTS[record["verdict"]].sign, names.difference_text(record)])
            dot = Dot(record["difference"], hollow=record["verdict"] in ("undecided", "yardstick"))
            interval = Interval(record["low"], record["high"])
            lines.append(names.pairing_line(pair, text, interval, dot))
            # Weak players leave many games unfinished: their intervals may be so wide that no other could be read.
            values += [interval.low, interval.high] if pair == names.strongest else [dot.value]
        rows.append(names.ruleset_row(ruleset, lines))
    best = pairing_rows(verdicts, names.strongest).sort_values("difference", ascending=False).to_dict("records")
    margin = float(best[0]["margin"]) if best else math.nan
    label = labels.points_label if times == 100 else labels.number_label
    band_of = None if math.isnan(margin) else (-margin, margin)
    scale = fit_scale(
        _either_side(values) if steady else values, label, 0.0, band_of, names.words.less, names.words.more
    )
    sense = []
    if best and not math.isnan(best[0]["difference"]):
        top = best[0] if measure == FAIRNESS else max(best, key=lambda row: abs(row["difference"]))
        text = tr("Largest gain between the strongest players ({level}): {name} with {gain}, {verdict}.")
        if measure != FAIRNESS:
            text = tr("Largest difference between the strongest players ({level}): {name} with {gain}, {verdict}.")
        sense.append(
            text.format(
                level=labels.pairing_text(names.strongest),
                name=names.short(top["ruleset"]),
                gain=names.change_text(measure, top["difference"], top["low"], top["high"]),
                verdict=VERDICTS[top["verdict"]].text,
            )
        )
    text = tr(
        "By how many points the score comes nearer to 50 % than under {baseline}, with 95 % "
        "intervals. Shaded: differences too small to matter (up to {margin} {unit} either way). ▲ fairer, ▼ less "
        "fair, = no meaningful difference, ? undecided."
    )
    if measure != FAIRNESS:
        text = tr(
            "Difference from {baseline} ({unit}), with 95 % intervals. Shaded: differences too small to matter (up to "
            "{margin} {unit} either way). ↑ {more}, ↓ {less}, = no meaningful difference, ? undecided."
        )
    sense.append(
        text.format(
            baseline=names.short(names.plan.baseline),
            margin=f"{times * margin:.3g}",
            unit=names.unit_name(measure),
            more=names.words.more,
            less=names.words.less,
        )
    )
    if any(pair in names.plan.yardsticks for pair in pairings):
        sense.append(tr("·: random players, a yardstick."))
    sense += footnotes(verdicts, analysis)
    title = capitalized(names.difference_name())
    series = names.pairing_series(pairings)
    return Chart("chart-gain", Panel(scale, tuple(rows)), sentences(sense), series, "gain", title)


def _exact_cell(cell: Record, truths: ByCell, name: str) -> TableCell:
    """What is known exactly of a cell; empty where nothing is."""
    truth = truths.get((cell["ruleset"], cell["first"], cell["second"]))
    if truth is None:
        return TableCell()
    text = labels.format_amount(truth[name], 2) if name == "plies_exact" else labels.format_percent(truth[name], 2)
    return numeric_cell(text, truth[name])


def _cell_table(analysis: Analysis, names: Names, exact: pd.DataFrame) -> Table:
    truths = rows_by_cell(exact)
    columns = (
        *names.cell_columns(),
        Column.amount(tr("games"), "games"),
        Column.number(tr("first player's score"), score_cell),
        Column.number(tr("exact"), lambda cell: _exact_cell(cell, truths, "exact")),
        Column.text(tr("who is ahead"), lambda cell: AHEAD[cell["balance"]]),
        Column.share(trc("scores", "draws"), "draw_rate"),
        Column.number(tr("capped"), _capped_cell),
        Column.number(
            tr("adjudicated"),
            lambda cell: share_cell(cell, f"{ADJUDICATED}_rate") if cell.get(ADJUDICATED) else TableCell(),
        ),
        Column.percent(tr("distinct games"), "distinct_share"),
    )
    caption = tr("All cells. Below the capped games: the range of the score if all of them were lost or won.")
    caption = sentences([caption, names.capped_method_sentence()])
    return _table_of_cells(caption, columns, analysis)


def _capped_cell(cell: Record) -> TableCell:
    """The share of the games that were capped, and the bounds of the score where some have no result."""
    if not cell["unfinished"]:
        return numeric_cell("0", cell["capped_rate"])
    bounds = f"{100 * cell['first_score_lowest']:.0f}–{100 * cell['first_score_highest']:.0f}"
    return numeric_cell(labels.format_percent(cell["capped_rate"]), cell["capped_rate"], bounds)


SCORED = (FAIRNESS, "variety", "decisive_rate")
"""Measures that the scorecard has a column for, whatever was asked."""


def scorecard_section(analysis: Analysis, names: Names) -> Section | None:
    """The criteria side by side, for the strongest players."""
    chosen = pairing_rows(analysis.scorecard, names.strongest)
    if chosen.empty:
        return None
    measure = names.plan.question_measure.name
    columns = [
        names.ruleset_column(),
        Column.amount(tr("rules changed"), "changed_toggles"),
        Column.amount(tr("words in the rules"), "rule_words"),
        Column.number(tr("points from even"), _unfairness_cell),
        Column.number(tr("different openings (estimate)"), _variety_cell),
        Column.amount(tr("median plies"), "plies_median"),
        Column.percent(tr("decided games"), "decisive_rate"),
    ]
    if measure not in SCORED:
        compared = rows_by_cell(primary_comparisons(analysis))

        def asked_cell(row: Record) -> TableCell:
            verdict = compared.get((row["ruleset"], *names.strongest))
            value = names.measure_text(analysis, row["ruleset"], names.strongest)
            small = VERDICTS[verdict["verdict"]].signed if verdict else untranslated("")
            return TableCell(value, small, labels.sort_value(verdict["value"]) if verdict else None, "number")

        columns.insert(1, Column.number(names.measure_name(measure), asked_cell))
    if "drama" in chosen and chosen["drama"].notna().any():
        columns.append(Column.percent(tr("drama"), "drama"))
    columns.append(Column.plain(tr("all in all"), lambda row: _pareto_cell(row, names)))
    caption = tr(
        "Simplicity (first two columns), fairness and variety, and how games go, between the strongest players "
        "({level}). Unbeaten: no other ruleset is at least as good on simplicity, fairness and variety and better on "
        "one; that is no verdict on a ruleset, the more criteria the more rulesets are unbeaten. Below it, how sure "
        "that is: the share of cases in which it holds when the numbers vary within their uncertainty."
    )
    caption = caption.format(level=labels.pairing_text(names.strongest))
    if chosen["variety"].isna().all():
        unknown = tr("How many openings there are is not known (see Openings): variety decides nothing here.")
        caption = sentences([caption, unknown])
    baseline = next((i for i, row in enumerate(chosen["ruleset"]) if row == names.plan.baseline), None)
    table = Table.of(caption, columns, chosen.to_dict("records"), baseline)
    return Section("scorecard", tr("Scorecard"), [table])


def _unfairness_cell(row: Record) -> TableCell:
    value, low, high = (100 * row[f"unfairness{end}"] for end in ("", "_low", "_high"))
    return numeric_cell(labels.format_amount(value, 1), row["unfairness"], labels.format_amounts(low, high, 1))


def _variety_cell(row: Record) -> TableCell:
    value, low, high = (row[f"variety{end}"] for end in ("", "_low", "_high"))
    interval = "" if math.isnan(value) else f"{labels.format_kinds(low)}–{labels.format_kinds(high)}"
    return numeric_cell(labels.format_kinds(value), value, interval)


def _pareto_cell(row: Record, names: Names) -> TableCell:
    share = float(row["pareto_share"])
    held = tr("certainty {share}", share=labels.format_percent(share if row["pareto"] else 1 - share, 0))
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
        names.ruleset_row(ruleset, [_survival_line(cell, curves, names, pair)], titled=True)
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
            pair=labels.pairing_text(pair),
            capped=labels.format_percent(capped),
            cap=names.plan.experiment.max_plies or "–",
        ),
        title=labels.pairing_text(pair),
    )


def _caption(analysis: Analysis, names: Names) -> str:
    """The shortest and the longest median, and what the curves show."""
    cells = pairing_rows(analysis.cells, names.strongest).dropna(subset=["plies_median"])
    texts = []
    if len(cells):
        low, high = extreme_rows(cells, "plies_median")
        texts.append(
            tr(
                "Between the strongest players ({level}) the median game takes from {low} plies "
                "({shortest}) to {high} ({longest}).",
                level=labels.pairing_text(names.strongest),
                low=labels.format_amount(low["plies_median"]),
                high=labels.format_amount(high["plies_median"]),
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
        open_end = cell["unfinished"] or cell.get(ADJUDICATED)
        end = names.plan.experiment.max_plies if open_end else float(curve["plies"].iloc[-1])
        steps.append((float(end), float(curve["alive"].iloc[-1])))
    median = float(cell["plies_median"])
    beyond = f">{names.plan.experiment.max_plies}" if names.plan.experiment.max_plies else "∞"
    text = tr("{n} plies", n=beyond if math.isinf(median) else labels.format_amount(median))
    if not cell["games"]:
        text = tr("no games yet")
    lower, upper = float(cell["plies_lower_quartile"]), float(cell["plies_upper_quartile"])
    if math.isinf(lower):
        lower = math.nan
    return names.pairing_line(pair, text, Survival(tuple(steps)), Interval(lower, upper), Median(median))


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

    def mean(cell: Record) -> TableCell:
        interval = labels.format_amounts(cell["plies_mean_low"], cell["plies_mean_high"], 1)
        return numeric_cell(labels.format_amount(cell["plies_mean"], 1), cell["plies_mean"], interval)

    columns = (
        *names.cell_columns(),
        Column.amount(tr("a quarter ends by"), "plies_lower_quartile"),
        Column.amount(tr("half"), "plies_median"),
        Column.amount(tr("three quarters"), "plies_upper_quartile"),
        Column.number(tr("mean, up to the cap"), mean),
        Column.number(tr("exact mean"), lambda cell: _exact_cell(cell, truths, "plies_exact")),
        Column.amount(trc("lengths", "legal moves at a ply"), "legal_moves", 1),
    )
    caption = tr("Plies of all cells; ∞: beyond the cap.")
    return _table_of_cells(sentences([caption, _endings_sentence(analysis, names)]), columns, analysis)


def _table_of_cells(caption: str, columns: Sequence[Column], analysis: Analysis) -> Table:
    """A folded table with a row for each cell; the terminal shows it unless each player's choices make a ruleset."""
    printed = not analysis.plan.player_choices
    records = analysis.cells.to_dict("records")
    return Table.of(caption, columns, records, folded=True, printed=printed).without_empty_columns()


def _endings_sentence(analysis: Analysis, names: Names) -> str:
    """How the games between the strongest players ended, the commonest way first."""
    cells = pairing_rows(analysis.cells, names.strongest)
    columns = [str(name) for name in cells if str(name).startswith("ended_by_")]
    counts = cells[[name for name in columns if not name.endswith(("_rate", "_low", "_high"))]].sum()
    ranked = counts[counts > 0].sort_values(ascending=False, kind="stable") / cells["games"].sum()
    if ranked.empty:
        return untranslated("")
    each = [
        tr("{ending} {share}", ending=ending_words(names.rulesets[0], str(name).removeprefix("ended_by_")),
           share=labels.format_rough_percent(share))
        for name, share in ranked.items()
    ]  # fmt: skip
    players = labels.pairing_text(names.strongest)
    return tr(
        "Games between the strongest players ({level}) ended by {endings}.", level=players, endings=join_list(each)
    )
