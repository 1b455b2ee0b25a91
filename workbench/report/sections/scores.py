"""Scores of the first player, differences from the baseline, lengths and numbers of all cells, and openings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from workbench.base.language import capitalized, join, join_list, sentences, tr, trc, untranslated
from workbench.experiments.experiment_files import DrawnLines, GivenLines
from workbench.experiments.measures import FAIRNESS
from workbench.players.agent_kinds import PEOPLE
from workbench.report import labels
from workbench.report import model as m
from workbench.report.labels import format_percent, pairing_text
from workbench.report.names import (
    ByCell,
    Names,
    Pairing,
    Record,
    Results,
    cell_row,
    estimate,
    extreme_rows,
    pairing_rows,
    rows_by_cell,
    score_cell,
    score_text,
    unit_factor,
)
from workbench.report.verdicts import AHEAD, BALANCES, VERDICTS
from workbench.statistics import stopped_games, target_band
from workbench.statistics.analysis_plan import ALPHA

OPENINGS = tr("Openings")


def openings_section(results: Results) -> m.Section | None:
    """Return the numbers of openings and of balanced openings, or None if none were counted."""
    if results.openings.empty:
        return None
    openings = results.openings[results.openings["shown"].astype(bool)]
    pairings = results.pairings_in(openings)
    uncounted = [pair for pair in results.pairings_in(results.openings) if pair not in pairings]
    note = tr(
        "Between {players}, too many openings are new even after one ply, so their number cannot be estimated. "
        "More games would help."
    ).format(players=join_list(list(map(pairing_text, uncounted))))
    if openings.empty:
        return m.Section("openings", OPENINGS, [m.Paragraph(note)])

    def marks(record: Record) -> tuple[str, Sequence[m.Mark]]:
        value, low, high = (math.log2(n) if n > 0 else math.nan for n in estimate(record, "effective"))
        return untranslated(labels.format_kinds(record["effective"])), m.estimate_marks(value, low, high)

    rows = results.chart_rows(openings, pairings, marks)
    scale = m.fit_scale(m.interval_ends(rows), lambda exponent: f"{2**exponent:.0f}", whole=True)
    strongest = pairing_rows(openings, results.strongest)
    caption = []
    if len(strongest):
        fewest, most = extreme_rows(strongest, "effective")
        text = tr(
            "Between the strongest players ({level}), an estimated {low} ({least}) to {high} ({most}) different "
            "openings, including those not seen in these games."
        )
        low, high = (labels.format_kinds(row["effective"]) for row in (fewest, most))
        least_name, most_name = (results.short(row["ruleset"]) for row in (fewest, most))
        caption.append(text.format(level=results.level, low=low, high=high, least=least_name, most=most_name))
    text = tr(
        "Effective number of openings up to {ply}, the deepest ply at which nine of ten games repeat an opening seen "
        "before: the number of equally frequent openings with the same variety. The estimate may exceed the number of "
        "openings seen (table below). Logarithmic scale, 95 % intervals."
    )
    caption += [text.format(ply=_plies_text(openings, pairings)), *([note] if uncounted else [])]
    chart = m.Chart(
        "chart-openings", m.Panel(scale, tuple(rows)), sentences(caption), results.pairing_series(pairings), "openings",
        tr("Different openings"),
    )  # fmt: skip
    parts: list[m.Part] = [chart, _opening_counts(openings, results), *_opening_lines(results, strongest)]
    return m.Section("openings", OPENINGS, parts)


def _plies_text(openings: pd.DataFrame, pairings: Sequence[Pairing]) -> str:
    """Return the ply up to which openings are counted, by pairing if it differs between pairings."""
    plies = {pair: int(pairing_rows(openings, pair)["ply"].iloc[0]) for pair in pairings}
    if len(set(plies.values())) == 1:
        return tr("ply {ply}", ply=str(plies[pairings[0]]))
    return join_list([tr("ply {ply} ({level})", ply=str(ply), level=pairing_text(pair)) for pair, ply in plies.items()])


def _opening_counts(openings: pd.DataFrame, names: Names) -> m.Table:
    """Return a table of balanced and lopsided openings between the strongest players."""
    rows = (cell_row(openings, ruleset, names.strongest) for ruleset in names.rulesets)
    columns = (
        names.ruleset_column(), m.Column.amount(tr("openings seen in these games"), "different"),
        m.Column.amount(tr("common enough to judge"), "common"), m.Column.amount(tr("balanced"), "balanced"),
        m.Column.amount(tr("lopsided"), "lopsided"), m.Column.amount(tr("undecided"), "undecided"),
    )  # fmt: skip
    caption = tr(
        "Openings between the strongest players ({level}). An opening is balanced if the whole interval of its "
        "own score lies within the target, and lopsided if the interval lies entirely outside."
    )
    return m.Table.of(caption.format(level=names.level), columns, filter(None, rows))


def _opening_lines(results: Results, strongest: pd.DataFrame) -> list[m.Part]:
    lines = results.strongest_rows("opening_lines")
    if lines.empty or strongest.empty:
        return []
    lines = lines[lines["ply"] == int(strongest["ply"].iloc[0])]
    columns = (
        results.ruleset_column(), m.Column.text(tr("opening"), lambda line: untranslated(line["opening"])),
        m.Column.amount(tr("games"), "games"), m.Column.percent(tr("share"), "share"),
        m.Column.share(tr("first player's score"), "score"),
        m.Column.text(tr("who is ahead"), lambda line: BALANCES[line["status"]]),
    )  # fmt: skip
    caption = tr("The most common openings of each ruleset.")
    return [] if lines.empty else [m.Table.of(caption, columns, lines.to_dict("records"), folded=True)]


# Prescribed opening lines

MAX_LINES = 30
"""The most lines in a table; provenance.json has all."""
REASONS = {"won": tr("a side had practically won"), "ended": tr("the game was over")}
"""The reasons for omitting a line."""
NO_VARIETY = tr("The experiment sets the openings, so their variety and the players' own choice are unknown.")


def lines_section(results: Results, recorded: Mapping[str, Any]) -> m.Section | None:
    """Return the prescribed opening lines, or None if players choose every move; ``recorded`` is in the provenance."""
    openings = results.plan.experiment.openings
    if isinstance(openings, DrawnLines):
        return m.Section("openings", OPENINGS, _drawn_line_parts(openings, results, recorded))
    return m.Section("openings", OPENINGS, _given_line_parts(results)) if isinstance(openings, GivenLines) else None


def line_sentences(results: Results) -> list[str]:
    """Return sentences, one per ruleset, on the balance after each given line between the strongest players."""
    table = results.strongest_rows("given_lines")
    texts = []
    for ruleset in results.rulesets:
        rows = table[table["ruleset"] == ruleset].to_dict("records")
        groups = []
        for status in ("first", "second", "balanced", "undecided"):
            lines = [
                f"({row['line']}) {row['opening']} {format_percent(row['score'])}"
                for row in rows
                if row["status"] == status
            ]
            if lines:
                groups.append(tr("{who} after {lines}", who=BALANCES[status], lines=join_list(lines)))
        if groups:
            text = tr("Under {ruleset}, between the strongest players ({level}): {groups}.")
            name = results.short(ruleset)
            texts.append(text.format(ruleset=name, level=results.level, groups=tr("; ").join(groups)))
    return texts


def _drawn_line_parts(openings: DrawnLines, results: Results, recorded: Mapping[str, Any]) -> list[m.Part]:
    line_texts = results.plan.line_texts
    texts = [tr(
        "Every game begins with one of {lines} lines of {plies} random moves; then the players choose. Each "
        "player gets the lines in its own order, which is the same under all rulesets as far as the rules "
        "allow. Lines after which {judge} expects a score of {threshold} or more for a side were left out.",
        lines=f"{max(map(_count, line_texts.values()), default=openings.lines):,}", plies=str(openings.plies),
        threshold=format_percent(openings.threshold, 0), judge=openings.judge.label,
    )]  # fmt: skip
    effects = results.cells.get("first_score_design_effect")
    if effects is not None and effects.notna().any():
        text = tr(
            "Games with the same line are correlated. Intervals account for this: the design effect of the "
            "score (the factor by which the effective number of games is reduced) is {low} to {high}. Rulesets "
            "are compared line by line."
        )
        low, high = (labels.format_amount(float(end), 1) for end in (effects.min(), effects.max()))
        texts.append(text.format(low=low, high=high))
    parts: list[m.Part] = [m.Paragraph(sentences([*texts, NO_VARIETY])), _line_counts(results, recorded)]
    ruleset = results.plan.baseline if results.plan.baseline in line_texts else next(iter(line_texts), "")
    if numbered := [(i, text) for i, text in enumerate(line_texts.get(ruleset, ())) if text][:MAX_LINES]:
        columns = (
            m.Column.number(tr("line"), lambda line: m.numeric_cell(str(line[0]), line[0])),
            m.Column.text(trc("lines", "moves"), lambda line: untranslated(line[1])),
        )
        caption = tr("The first lines of {ruleset}; the lines of all rulesets are in provenance.json.")
        parts.append(m.Table.of(caption.format(ruleset=results.short(ruleset)), columns, numbered, folded=True))
    return parts


def _count(texts: Sequence[str]) -> int:
    return len(list(filter(None, texts)))


def _line_counts(names: Names, recorded: Mapping[str, Any]) -> m.Table:
    """Return a table of each ruleset's lines, shared lines and omitted lines."""
    counts = [
        {"ruleset": ruleset, "lines": _count(entry["lines"]), "shared": int(entry["shared"])}
        | {reason: entry["left_out"].get(reason, 0) for reason in REASONS}
        for ruleset in names.rulesets
        if (entry := recorded.get(ruleset)) is not None
    ]
    columns = (
        names.ruleset_column(), m.Column.amount(tr("lines"), "lines"), m.Column.amount(tr("shared"), "shared"),
        *(m.Column.amount(tr("left out: {why}", why=text), reason) for reason, text in REASONS.items()),
    )  # fmt: skip
    caption = tr(
        "Lines of each ruleset. Shared: lines with the same number that lead to the same position as under "
        "{baseline}; the order of moves may differ."
    ).format(baseline=names.baseline if names.plan.baseline else untranslated("–"))
    return m.Table.of(caption, columns, counts)


def _given_line_parts(results: Results) -> list[m.Part]:
    text = tr(
        "Every game begins with one of the experiment's lines, each used equally often; then the players "
        "choose. Statements about a ruleset refer to these lines together."
    )
    parts: list[m.Part] = [m.Paragraph(sentences([text, NO_VARIETY]))]
    if len(results.given_lines):
        parts += [_line_chart(results), _line_table(results)]
    if len(results.line_differences):
        parts.append(_line_differences(results))
    return parts


def _line_chart(results: Results) -> m.Chart:
    rows: list[m.Row] = []
    values = [0.45, 0.55]
    for (ruleset, line), table in results.given_lines.groupby(["ruleset", "line"], sort=False):
        by_cell = rows_by_cell(table)
        lines = []
        for pair in results.plan.pairings:
            row = by_cell.get((str(ruleset), *pair))
            if row is None:
                continue
            bounds = m.Bounds(row["simultaneous_low"], row["simultaneous_high"])
            bar, dot = m.estimate_marks(*estimate(row, "score"), hollow=row["status"] == "undecided")
            lines.append(results.pairing_line(pair, labels.share_text(row, "score"), bounds, bar, dot))
            values += [bounds.low, bounds.high, bar.low, bar.high]
        label = untranslated(f"({line}) {table['opening'].iloc[0]}")
        rows.append(m.Row(f"{ruleset} {line}", label, tuple(lines), untranslated(results.short(str(ruleset)))))
    rows.sort(key=lambda row: results.rulesets.index(row.name.rpartition(" ")[0]))
    band = results.plan.score_band() if "first_score" in results.plan.experiment.targets else None
    scale = m.fit_scale(values, labels.percent_tick, 0.5, band, BALANCES["second"], BALANCES["first"])
    caption = tr(
        "The first player's score in the games that begin with each line. Bar: 95 % interval of the line; thin "
        "line: the interval that holds for all lines at once. Hollow: cannot tell yet who is ahead."
    )
    return m.Chart(
        "chart-lines", m.Panel(scale, tuple(rows)), sentences([*line_sentences(results), caption]),
        results.pairing_series(results.plan.pairings), "lines", tr("Score after each line"),
    )  # fmt: skip


def _line_cell(row: Record, suffix: str = "") -> m.TableCell:
    """Return a row's line; the suffix "2" selects the line it is compared with."""
    line = row[f"line{suffix}"]
    return m.TableCell(untranslated(f"({line}) {row[f'opening{suffix}']}"), sort=float(line))


def _simultaneous_cell(row: Record) -> m.TableCell:
    interval = labels.format_interval(row["simultaneous_low"], row["simultaneous_high"])
    return m.TableCell(untranslated(interval), kind="number")


def _p_value_cell(row: Record) -> m.TableCell:
    value = float(row["p_holm"])
    return m.numeric_cell("–" if math.isnan(value) else "<0.001" if value < 0.001 else f"{value:.3f}", value)


def _line_table(results: Results) -> m.Table:
    def ahead(row: Record) -> str:
        return VERDICTS["yardstick"].text if _is_yardstick(row, results) else BALANCES[row["status"]]

    columns = (
        *results.cell_columns(), m.Column.plain(tr("line"), _line_cell), m.Column.amount(tr("games"), "games"),
        m.Column.share(tr("first player's score"), "score"),
        m.Column.number(tr("interval, all lines at once"), _simultaneous_cell),
        m.Column.number(tr("p (Holm)"), _p_value_cell), m.Column.text(tr("who is ahead"), ahead),
    )  # fmt: skip
    caption = tr(
        "The first player's score after each line. A side is ahead if p, the probability of a score this uneven after "
        "an even line, corrected for all lines, rulesets and players, is at most 5 %; a line is balanced if its "
        "simultaneous interval lies within the target. Random players serve as a yardstick and get no verdict."
    )
    return m.Table.of(caption, columns, results.given_lines.to_dict("records"))


def _line_differences(results: Results) -> m.Table:
    def difference(row: Record) -> m.TableCell:
        return m.numeric_cell(labels.format_difference(row["difference"], row["low"], row["high"]), row["difference"])

    def better(row: Record) -> str:
        if _is_yardstick(row, results):
            return VERDICTS["yardstick"].text
        if not row["p_holm"] <= ALPHA or (results.plan.games and not results.plan.finished):
            return BALANCES["undecided"]
        return untranslated(f"({row['line' if row['difference'] > 0 else 'line2']})")

    table = results.line_differences
    columns = (
        *results.cell_columns(), m.Column.plain(tr("line"), _line_cell),
        m.Column.plain(trc("lines", "against"), lambda row: _line_cell(row, "2")),
        m.Column.number(tr("difference in points"), difference), m.Column.number(tr("p (Holm)"), _p_value_cell),
        m.Column.text(tr("better for the first player"), better),
    )  # fmt: skip
    caption = tr(
        "How many more points the first player scores after one line than after another; p is corrected for "
        "all rows of this table."
    )
    return m.Table.of(caption, columns, table.to_dict("records"), folded=len(table) > MAX_LINES)


def _is_yardstick(row: Record, names: Names) -> bool:
    return (row["first"], row["second"]) in names.plan.yardsticks


# The pie rule


def swaps_section(results: Results) -> m.Section | None:
    """Return the frequency of swaps and the scores, or None if no ruleset has a pie rule."""
    if results.swaps.empty:
        return None
    cells = rows_by_cell(results.cells)
    texts = [tr(
        "The second player may swap sides, and does so if the first side looks better, so the first player "
        "tries to make the sides look even. Results are those of the players, not of the sides."
    )]  # fmt: skip
    for row in results.strongest_rows("swaps").to_dict("records"):
        text = tr(
            "Between the strongest players ({level}), sides were swapped in {share} of the games under "
            "{ruleset}, and the first player scores {score}"
        ).format(
            level=results.level, share=format_percent(row["share"]), ruleset=results.short(row["ruleset"]),
            score=score_text(cells[row["ruleset"], *results.strongest]),
        )  # fmt: skip
        if row["without"]:
            score = labels.share_text(row, "score_without")
            text = tr("{told}; without the swap: {score}").format(told=text, score=score)
        texts.append(tr("{told}.", told=text))
    parts: list[m.Part] = [m.Paragraph(sentences(texts)), _swap_table(results, cells)]
    if not results.first_moves.empty:
        parts.append(_first_moves(results))
    return m.Section("swaps", tr("Swapping sides"), parts)


def _swap_table(results: Results, cells: ByCell) -> m.Table:
    columns = (
        *results.cell_columns(), m.Column.amount(tr("games"), "games"),
        m.Column.share(tr("sides were swapped"), "share"),
        m.Column.number(tr("first player's score"),
                        lambda row: score_cell(cells[row["ruleset"], row["first"], row["second"]])),
        m.Column.share(tr("without the swap"), "score_without"),
        m.Column.share(tr("score of the side that moved first"), "side_score"),
    )  # fmt: skip
    caption = tr(
        "The first player's score with the swap, and without it if the experiment includes the same rules without a "
        "swap; and the score of the side that moved first, whoever played it in the end."
    )
    return m.Table.of(caption, columns, results.swaps.to_dict("records"))


def _first_moves(results: Results) -> m.Table:
    columns = (
        *results.cell_columns(), m.Column.text(tr("first move"), lambda row: untranslated(row["move"])),
        m.Column.amount(tr("games"), "games"), m.Column.share(tr("share"), "share"),
        m.Column.percent(tr("sides were swapped"), "swapped"),
        m.Column.share(tr("score of the side that moved first"), "score"),
        m.Column.number(tr("interval, all moves at once"), _simultaneous_cell),
        m.Column.text(tr("who is ahead"), lambda row: BALANCES[row["status"]]),
    )  # fmt: skip
    caption = tr(
        "The players' first moves, and the score of the side that made them, whoever played it afterwards. A move is "
        "balanced if its simultaneous interval lies within the target."
    )
    table = results.first_moves
    return m.Table.of(caption, columns, table.to_dict("records"), folded=len(table) > MAX_LINES)


# Scores and differences

ADJUDICATED = "ended_by_adjudicated"


def scores_section(results: Results, exact: pd.DataFrame) -> m.Section:
    """Return the first player's scores and each proposal's gain."""
    parts: list[m.Part] = [score_chart(results, exact)]
    if not results.primary_comparisons.empty and results.plan.question_measure.name == FAIRNESS:
        parts.append(gain_chart(results))
    parts.append(_cell_table(results, exact))
    return m.Section("scores", tr("Who is ahead, and by how much"), parts)


def differences_section(results: Results) -> m.Section | None:
    """Return the proposals' differences in a measure other than fairness, or None for fairness."""
    measure = results.plan.question_measure.name
    if measure == FAIRNESS or results.primary_comparisons.empty:
        return None
    title = tr("What changes: {measure}", measure=results.measure_name(measure))
    return m.Section("asked", title, [gain_chart(results)])


def all_cells_section(results: Results, exact: pd.DataFrame) -> m.Section:
    """Return the numbers of all cells, without charts."""
    return m.Section("scores", tr("All results"), [_cell_table(results, exact), length_table(results, exact)])


def score_chart(results: Results, exact: pd.DataFrame) -> m.Chart:
    """Return a chart of the first player's score in every cell."""
    exact_rows = rows_by_cell(exact)

    def marks(cell: Record) -> tuple[str, Sequence[m.Mark]]:
        exact_row = exact_rows.get((cell["ruleset"], cell["first"], cell["second"]))
        lowest, highest = cell["first_score_lowest"], cell["first_score_highest"]
        bounds = m.Bounds(lowest, highest) if cell["unfinished"] else m.Bounds(math.nan, math.nan)
        bar, dot = m.estimate_marks(*estimate(cell, "first_score"), hollow=cell["balance"] == "undecided")
        return score_text(cell), (bounds, bar, dot, m.Exact(exact_row["exact"] if exact_row else math.nan))

    rows = results.chart_rows(results.cells, results.plan.pairings, marks, titled=True)
    values = [0.45, 0.55, *(exact["exact"] if len(exact) else ()), *m.interval_ends(rows)]
    target = results.plan.experiment.targets.get("first_score")
    scale = m.fit_scale(
        values, labels.percent_tick, 0.5, target_band(target) if target else None, BALANCES["second"], BALANCES["first"]
    )
    caption = _score_caption(results)
    caption.append(tr(
        "Dot and bar: the first player's score in the finished games and its 95 % interval; hollow: cannot tell "
        "yet who is ahead."
    ))  # fmt: skip
    if results.cells["unfinished"].any():
        caption.append(tr("Thin line: the range of the score if all capped games were lost or won."))
    if target:
        caption.append(tr("Shaded: the target."))
    if len(exact) and exact["exact"].notna().any():
        caption.append(tr("Open diamond: the exact value."))
    title, series = tr("Score of the first player"), results.pairing_series(results.plan.pairings)
    return m.Chart("chart-score", m.Panel(scale, tuple(rows)), sentences(caption), series, "first_score", title)


def _score_caption(results: Results) -> list[str]:
    cells = results.strongest_rows("cells")
    texts = []
    for code in ("first", "second", "balanced"):
        if group := [results.short(name) for name in cells.loc[cells["balance"] == code, "ruleset"]]:
            texts.append(tr("{who} under {names}", who=BALANCES[code], names=join_list(group)))
    if count := int((cells["balance"] == "undecided").sum()):
        texts.append(tr("cannot tell yet under {n} of {all}", n=count, all=len(cells)))
    text = tr("Between the strongest players ({level}): {texts}.")
    return [text.format(level=results.level, texts=join_list(texts))] if texts else []


def gain_chart(results: Results, steady: bool = False) -> m.Chart:
    """Return a chart of the proposals' differences in the question's measure.

    If ``steady``, the scale ends at ±1, 2 or 5 times a power of ten, so it rarely changes as games are added.
    """
    verdicts, measure = results.primary_comparisons, results.plan.question_measure.name
    factor, pairings = unit_factor(measure), results.pairings_in(verdicts)

    def marks(record: Record) -> tuple[str, Sequence[m.Mark]]:
        text = join(" ", [VERDICTS[record["verdict"]].sign, results.difference_text(record)])
        hollow = record["verdict"] in ("undecided", "yardstick")
        return text, m.estimate_marks(record["difference"], record["low"], record["high"], hollow)

    rows = results.chart_rows(verdicts, pairings, marks, results.plan.proposals)
    strongest = pairing_rows(verdicts, results.strongest)
    # The wide intervals of weak players, who leave many games unfinished, would make the others unreadable.
    values = [*verdicts["difference"], *strongest["low"], *strongest["high"]]
    if steady:
        largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
        half_width = m.round_up(largest) if largest else 0.0
        values = [-half_width, half_width]
    ranked = strongest.sort_values("difference", ascending=False).to_dict("records")
    margin = float(ranked[0]["margin"]) if ranked else math.nan
    label = labels.points_label if factor == 100 else labels.number_label
    band = None if math.isnan(margin) else (-margin, margin)
    scale = m.fit_scale(values, label, 0.0, band, results.words.less, results.words.more)
    caption = []
    if ranked and not math.isnan(ranked[0]["difference"]):
        largest_row = ranked[0] if measure == FAIRNESS else max(ranked, key=lambda row: abs(row["difference"]))
        text = tr("Largest gain between the strongest players ({level}): {name} with {gain}, {verdict}.")
        if measure != FAIRNESS:
            text = tr("Largest difference between the strongest players ({level}): {name} with {gain}, {verdict}.")
        name, verdict = results.short(largest_row["ruleset"]), VERDICTS[largest_row["verdict"]].text
        gain = results.change_text(measure, largest_row["difference"], largest_row["low"], largest_row["high"])
        caption.append(text.format(level=results.level, name=name, gain=gain, verdict=verdict))
    text = tr(
        "How many points closer to 50 % the score is than under {baseline}, with 95 % intervals. Shaded: "
        "differences too small to matter (up to {margin} {unit} either way). ▲ fairer, ▼ less fair, = no "
        "difference that matters, ? cannot tell yet."
    )
    if measure != FAIRNESS:
        text = tr(
            "Difference from {baseline} ({unit}), with 95 % intervals. Shaded: differences too small to matter "
            "(up to {margin} {unit} either way). ↑ {more}, ↓ {less}, = no difference that matters, ? cannot tell "
            "yet."
        )
    caption.append(text.format(
        baseline=results.baseline, margin=f"{factor * margin:.3g}", unit=results.unit_name(measure),
        more=results.words.more, less=results.words.less,
    ))  # fmt: skip
    if any(pair in results.plan.yardsticks for pair in pairings):
        caption.append(tr("·: random players, as a yardstick."))
    caption += results.footnotes(verdicts)
    title, series = capitalized(results.difference_name()), results.pairing_series(pairings)
    return m.Chart("chart-gain", m.Panel(scale, tuple(rows)), sentences(caption), series, "gain", title)


def _exact_cell(cell: Record, exact_rows: ByCell, name: str) -> m.TableCell:
    """Return a cell's exact value, or an empty cell if it is unknown."""
    exact_row = exact_rows.get((cell["ruleset"], cell["first"], cell["second"]))
    if exact_row is None:
        return m.TableCell()
    text = labels.format_amount(exact_row[name], 2) if name == "plies_exact" else format_percent(exact_row[name], 2)
    return m.numeric_cell(text, exact_row[name])


def _cell_table(results: Results, exact: pd.DataFrame) -> m.Table:
    exact_rows = rows_by_cell(exact)

    def capped(cell: Record) -> m.TableCell:
        if not cell["unfinished"]:
            return m.numeric_cell("0", cell["capped_rate"])
        bounds = f"{100 * cell['first_score_lowest']:.0f}–{100 * cell['first_score_highest']:.0f}"
        return m.numeric_cell(format_percent(cell["capped_rate"]), cell["capped_rate"], bounds)

    def adjudicated(cell: Record) -> m.TableCell:
        return m.share_cell(cell, f"{ADJUDICATED}_rate") if cell.get(ADJUDICATED) else m.TableCell()

    columns = (
        *results.cell_columns(), m.Column.amount(tr("games"), "games"),
        m.Column.number(tr("first player's score"), score_cell),
        m.Column.number(tr("exact"), lambda cell: _exact_cell(cell, exact_rows, "exact")),
        m.Column.text(tr("who is ahead"), lambda cell: AHEAD[cell["balance"]]),
        m.Column.share(trc("scores", "draws"), "draw_rate"), m.Column.number(tr("capped"), capped),
        m.Column.number(tr("adjudicated"), adjudicated), m.Column.percent(tr("distinct games"), "distinct_share"),
    )  # fmt: skip
    caption = tr("All cells. Below the capped games: the range of the score if all of them were lost or won.")
    return _all_cells_table(sentences([caption, results.capped_method_sentence()]), columns, results)


def _all_cells_table(caption: str, columns: Sequence[m.Column], results: Results) -> m.Table:
    """Return a collapsed table of all cells; the terminal prints it unless the rulesets represent players' choices."""
    printed = not results.plan.player_choices
    records = results.cells.to_dict("records")
    return m.Table.of(caption, columns, records, folded=True, printed=printed).without_empty_columns()


def scorecard_section(results: Results) -> m.Section | None:
    """Return the criteria side by side for the strongest players, or None if there is no scorecard."""
    rows = results.strongest_rows("scorecard")
    if rows.empty:
        return None
    measure = results.plan.question_measure.name
    columns = [
        results.ruleset_column(), m.Column.amount(tr("rules changed"), "changed_toggles"),
        m.Column.amount(tr("words in the rules"), "rule_words"),
        m.Column.number(tr("points from even"), _unfairness_cell),
        m.Column.number(tr("different openings (estimate)"), _variety_cell),
        m.Column.amount(tr("median plies"), "plies_median"), m.Column.percent(tr("decided games"), "decisive_rate"),
    ]  # fmt: skip
    if measure not in (FAIRNESS, "variety", "decisive_rate"):
        compared = rows_by_cell(results.primary_comparisons)

        def measure_cell(row: Record) -> m.TableCell:
            verdict = compared.get((row["ruleset"], *results.strongest))
            value = results.measure_text(row["ruleset"], results.strongest)
            small = VERDICTS[verdict["verdict"]].signed if verdict else untranslated("")
            return m.TableCell(value, small, labels.sort_value(verdict["value"]) if verdict else None, "number")

        columns.insert(1, m.Column.number(results.measure_name(measure), measure_cell))
    if "drama" in rows and rows["drama"].notna().any():
        columns.append(m.Column.percent(tr("drama"), "drama"))
    columns.append(m.Column.plain(tr("overall"), lambda row: _pareto_cell(row, results)))
    caption = tr(
        "Simplicity (first two columns), fairness, variety and the course of games between the strongest players "
        "({level}). Unbeaten: no other ruleset is at least as good on simplicity, fairness and variety and better on "
        "one of them. This is not a verdict: the more criteria, the more rulesets are unbeaten. Below: its certainty, "
        "the share of cases in which it holds when the numbers vary within their uncertainty."
    ).format(level=results.level)
    if rows["variety"].isna().all():
        unknown = tr("The number of openings is unknown (see Openings), so variety does not count here.")
        caption = sentences([caption, unknown])
    baseline = next((i for i, row in enumerate(rows["ruleset"]) if row == results.plan.baseline), None)
    table = m.Table.of(caption, columns, rows.to_dict("records"), baseline)
    return m.Section("scorecard", tr("Scorecard"), [table])


def _unfairness_cell(row: Record) -> m.TableCell:
    value, low, high = estimate(row, "unfairness").scaled(100)
    return m.numeric_cell(labels.format_amount(value, 1), row["unfairness"], labels.format_amounts(low, high, 1))


def _variety_cell(row: Record) -> m.TableCell:
    value, low, high = map(labels.format_kinds, estimate(row, "variety"))
    return m.numeric_cell(value, row["variety"], "" if math.isnan(row["variety"]) else f"{low}–{high}")


def _pareto_cell(row: Record, names: Names) -> m.TableCell:
    share = float(row["pareto_share"])
    certainty = tr("certainty {share}", share=format_percent(share if row["pareto"] else 1 - share, 0))
    if row["pareto"]:
        # This is not a verdict: most rulesets are unbeaten.
        return m.TableCell(tr("unbeaten"), certainty, -share, "whole")
    winner = names.short(row["beaten_by"])
    text = tr("beaten by {by}", by=winner) if row["beaten_by"] else tr("no")
    return m.TableCell(text, certainty, 1 - share, "whole quiet" if len(winner) <= 16 else "quiet")


# Lengths of games


def lengths_section(results: Results, exact: pd.DataFrame) -> m.Section:
    """Return the survival curves of games and the quartiles of their lengths."""
    title = tr("How long the games are")
    optional_charts = [survival_chart(results, pair) for pair in results.plan.pairings]
    charts = [chart for chart in optional_charts if chart is not None]
    curves = m.SmallMultiples(_lengths_caption(results), charts, "lengths", title)
    return m.Section("lengths", title, [curves, length_table(results, exact)])


def survival_chart(results: Results, pair: Pairing) -> m.Chart | None:
    """Return a chart of the share of a pairing's games still in progress at each ply, or None if it has no games."""
    cells = pairing_rows(results.cells, pair)
    if cells.empty:
        return None
    curves, cap = pairing_rows(results.lengths, pair), results.plan.experiment.max_plies
    # If no game ended, the scale extends to the cap.
    longest = (float(curves["plies"].max()) if len(curves) else 0.0) or float(cap or 1)
    scale = m.fit_scale([longest], lambda value: f"{value:.0f}", from_zero=True, whole=True)
    by_ruleset = {row["ruleset"]: row for row in cells.to_dict("records")}
    rows = [
        results.ruleset_row(ruleset, [_survival_line(by_ruleset[ruleset], curves, results, pair)], titled=True)
        for ruleset in results.rulesets
        if ruleset in by_ruleset
    ]
    capped = format_percent(stopped_games(cells).sum() / max(1, int(cells["games"].sum())))
    caption = tr("{pair}: {capped} of the games were stopped at {cap} plies.")
    if results.plan.agents[pair[0]].kind == PEOPLE:
        caption = tr("{pair}: {capped} of the games have no result.")
    name = pairing_text(pair)
    caption = caption.format(pair=name, capped=capped, cap=cap or "–")
    return m.Chart(f"chart-lengths-{results.series_number(pair)}", m.Panel(scale, tuple(rows)), caption, title=name)


def _lengths_caption(results: Results) -> str:
    """Return sentences on the shortest and longest median and on how to read the curves."""
    cells = results.strongest_rows("cells").dropna(subset=["plies_median"])
    texts = []
    if len(cells):
        ends = extreme_rows(cells, "plies_median")
        text = tr(
            "Between the strongest players ({level}), the median game takes from {low} plies ({shortest}) to "
            "{high} ({longest})."
        )
        low, high = (labels.format_amount(row["plies_median"]) for row in ends)
        shortest, longest = (results.short(row["ruleset"]) for row in ends)
        texts.append(text.format(level=results.level, low=low, high=high, shortest=shortest, longest=longest))
    texts.append(tr(
        "Shaded: the share of games still in progress, by ply (Kaplan–Meier: a game stopped at the cap counts "
        "as longer, not as ended). Bar: the middle half of the games, with the median; an arrow if it extends "
        "beyond the cap."
    ))  # fmt: skip
    return sentences(texts)


def _survival_line(cell: Record, curves: pd.DataFrame, names: Names, pair: Pairing) -> m.Line:
    """Return the survival curve of a cell's games with their quartiles."""
    curve, cap = curves[curves["ruleset"] == cell["ruleset"]].sort_values("plies"), names.plan.experiment.max_plies
    steps = visible_steps(curve, int(cell["games"]))
    if steps:
        open_end = cell["unfinished"] or cell.get(ADJUDICATED)
        end = cap if open_end else float(curve["plies"].iloc[-1])
        steps.append((float(end), float(curve["alive"].iloc[-1])))
    median, lower = float(cell["plies_median"]), float(cell["plies_lower_quartile"])
    above_cap = f">{cap}" if cap else "∞"
    text = tr("{n} plies", n=above_cap if math.isinf(median) else labels.format_amount(median))
    if not cell["games"]:
        text = tr("no games yet")
    quartiles = m.Interval(math.nan if math.isinf(lower) else lower, float(cell["plies_upper_quartile"]))
    return names.pairing_line(pair, text, m.Survival(tuple(steps)), quartiles, m.Median(median))


def visible_steps(curve: pd.DataFrame, games: int) -> list[tuple[float, float]]:
    """Return a survival curve's plies and shares, omitting steps lower than a pixel (a fiftieth)."""
    steps: list[tuple[float, float]] = []
    previous = games
    for plies, alive in zip(curve["plies"], curve["alive"], strict=True):
        # Compare counts, because rounding errors would decide comparisons of shares.
        remaining = round(games * float(alive))
        if not steps or 50 * (previous - remaining) >= games or not remaining:
            steps.append((float(plies), float(alive)))
            previous = remaining
    return steps


def length_table(results: Results, exact: pd.DataFrame) -> m.Table:
    """Return the lengths of games in all cells."""
    exact_rows = rows_by_cell(exact)

    def mean(cell: Record) -> m.TableCell:
        interval = labels.format_amounts(cell["plies_mean_low"], cell["plies_mean_high"], 1)
        return m.numeric_cell(labels.format_amount(cell["plies_mean"], 1), cell["plies_mean"], interval)

    columns = (
        *results.cell_columns(), m.Column.amount(tr("a quarter ends by"), "plies_lower_quartile"),
        m.Column.amount(tr("half"), "plies_median"), m.Column.amount(tr("three quarters"), "plies_upper_quartile"),
        m.Column.number(tr("mean, up to the cap"), mean),
        m.Column.number(tr("exact mean"), lambda cell: _exact_cell(cell, exact_rows, "plies_exact")),
        m.Column.amount(trc("lengths", "legal moves per ply"), "legal_moves", 1),
    )  # fmt: skip
    caption = tr("Plies for all cells; ∞: beyond the cap.")
    return _all_cells_table(sentences([caption, _endings_sentence(results)]), columns, results)


def _endings_sentence(results: Results) -> str:
    """Return a sentence on the endings of games between the strongest players, most common first."""
    cells = results.strongest_rows("cells")
    columns = [str(name) for name in cells if str(name).startswith("ended_by_")]
    counts = cells[[name for name in columns if not name.endswith(("_rate", "_low", "_high"))]].sum()
    ranked = counts[counts > 0].sort_values(ascending=False, kind="stable") / cells["games"].sum()
    if ranked.empty:
        return untranslated("")
    endings = []
    for name, share in ranked.items():
        ending = labels.ending_words(results.rulesets[0], str(name).removeprefix("ended_by_"))
        endings.append(tr("{ending} {share}", ending=ending, share=labels.format_rough_percent(share)))
    text = tr("How games between the strongest players ({level}) ended: {endings}.")
    return text.format(level=results.level, endings=join_list(endings))
