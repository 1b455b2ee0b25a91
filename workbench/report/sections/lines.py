"""Openings that the experiment chose: which lines its games begin with, and what each given line is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from workbench.language import listed, sentences, tr, trc, verbatim
from workbench.questions.lines import DrawnLines, GivenLines
from workbench.report.labels import pairing_text
from workbench.report.marks import Bounds, Dot, Interval, Panel, Row, fit_scale
from workbench.report.model import Chart, Paragraph, Part, Section, Table, TableCell, numeric_cell
from workbench.report.names import BALANCES, Names
from workbench.report.numbers import format_amount, format_difference, format_interval, format_percent, format_share
from workbench.report.sections.rows import Record, pairing_line, pairing_rows, pairing_series, rows_by_cell
from workbench.statistics import Analysis
from workbench.statistics.sequential import ALPHA

TITLE = tr("Openings")
MAX_LINES = 30
"""Lines that are drawn, of those that the report shows; all are in provenance.json."""
REASONS = {
    "won": tr("a side had as good as won"),
    "ended": tr("the game was over"),
}
"""Why a line was left out."""
YARDSTICK = tr("a yardstick")
NO_VARIETY = tr(
    "The experiment chose how its games begin: how varied openings are, and which ones players choose, cannot be said."
)


def lines_section(analysis: Analysis, names: Names, recorded: Mapping[str, Any]) -> Section | None:
    """The lines that the games begin with; ``recorded`` is what the provenance says of them. None without lines."""
    openings = names.plan.experiment.openings
    if isinstance(openings, DrawnLines):
        return Section("openings", TITLE, _drawn_line_parts(openings, analysis, names, recorded))
    if isinstance(openings, GivenLines):
        return Section("openings", TITLE, _given_line_parts(openings, analysis, names))
    return None


def line_sentences(analysis: Analysis, names: Names) -> list[str]:
    """Who is ahead after each given line, ruleset by ruleset, between the strongest players."""
    table = pairing_rows(analysis.given_lines, names.strongest)
    texts = []
    for ruleset in names.rulesets:
        rows = table[table["ruleset"] == ruleset].to_dict("records")
        groups = [
            tr("{who} after {lines}").format(
                who=BALANCES[status], lines=listed([_line_with_score(row) for row in rows if row["status"] == status])
            )
            for status in ("first", "second", "balanced", "undecided")
            if any(row["status"] == status for row in rows)
        ]
        if groups:
            text = tr("Under {ruleset}, between the strongest players ({level}): {groups}.")
            texts.append(
                text.format(
                    ruleset=names.short(ruleset),
                    level=pairing_text(names.strongest),
                    groups=tr("; ").join(groups),
                )
            )
    return texts


def _line_with_score(row: Record) -> str:
    return f"({row['line']}) {row['opening']} {format_percent(row['score'])}"


# Lines that were drawn


def _drawn_line_parts(
    openings: DrawnLines, analysis: Analysis, names: Names, recorded: Mapping[str, Any]
) -> list[Part]:
    text = tr(
        "Every game begins with one of {lines} lines of {plies} random moves. Each player meets them in an "
        "order of its own, the same, as far as the rules allow, under all rulesets; from there on the players choose. "
        "Lines after which a side's expected score is {threshold} or more, as {judge} sees it, were left out."
    ).format(
        lines=f"{max(map(_count, names.plan.line_texts.values()), default=openings.lines):,}",
        plies=str(openings.plies),
        threshold=format_percent(openings.threshold, 0),
        judge=openings.judge.label,
    )
    effects = analysis.cells.get("first_score_design_effect")
    about = [text]
    if effects is not None and effects.notna().any():
        about.append(
            tr(
                "Games of one line belong together: intervals allow for it (design effect of the score "
                "{low} to {high}: the games are worth that many times fewer), and rulesets are compared "
                "line by line."
            ).format(low=format_amount(float(effects.min()), 1), high=format_amount(float(effects.max()), 1))
        )
    parts: list[Part] = [Paragraph(sentences([*about, NO_VARIETY]))]
    parts.append(_line_counts(names, recorded))
    texts = names.plan.line_texts
    first = names.plan.baseline if names.plan.baseline in texts else next(iter(texts), "")
    shown = [(place, text) for place, text in enumerate(texts.get(first, ())) if text][:MAX_LINES]
    rows = [[numeric_cell(str(place), place), TableCell(verbatim(text))] for place, text in shown]
    caption = tr("The first lines of {ruleset}; those of all rulesets are in provenance.json.").format(
        ruleset=names.short(first)
    )
    heads = [TableCell(tr("line"), kind="number"), TableCell(trc("lines", "moves"))]
    return [*parts, Table(caption, heads, rows, folded=True)] if rows else parts


def _count(texts: Sequence[str]) -> int:
    """Return how many lines some game has."""
    return len(list(filter(None, texts)))


def _line_counts(names: Names, recorded: Mapping[str, Any]) -> Table:
    """How many lines each ruleset has, shares, and did without."""
    rows = []
    for ruleset in names.rulesets:
        entry = recorded.get(ruleset)
        if entry is None:
            continue
        counts = [_count(entry["lines"]), int(entry["shared"]), *(entry["left_out"].get(name, 0) for name in REASONS)]
        rows.append([names.ruleset_cell(ruleset), *(numeric_cell(format_amount(count), count) for count in counts)])
    heads = [
        TableCell(tr("ruleset")),
        TableCell(tr("lines"), kind="number"),
        TableCell(tr("shared"), kind="number"),
        *(TableCell(tr("left out: {why}").format(why=why), kind="number") for why in REASONS.values()),
    ]
    caption = tr(
        "Lines of each ruleset. Shared: those after which the position is that of {baseline}, at the "
        "same number; the moves may have come in another order."
    ).format(baseline=names.short(names.plan.baseline) if names.plan.baseline else verbatim("–"))
    return Table(caption, heads, rows)


# Lines that were given


def _given_line_parts(openings: GivenLines, analysis: Analysis, names: Names) -> list[Part]:
    text = tr(
        "Every game begins with one of the lines that the experiment names, each as often as the "
        "others; from there on the players choose. What is said of a ruleset as a whole is said "
        "of these lines together."
    )
    parts: list[Part] = [Paragraph(sentences([text, NO_VARIETY]))]
    if len(analysis.given_lines):
        parts += [_chart(analysis, names), _table(analysis.given_lines, names)]
    if len(analysis.line_differences):
        parts.append(_line_differences(analysis.line_differences, names))
    return parts


def _chart(analysis: Analysis, names: Names) -> Chart:
    rows: list[Row] = []
    values = [0.45, 0.55]
    for ruleset in names.rulesets:
        of_ruleset = analysis.given_lines[analysis.given_lines["ruleset"] == ruleset]
        for line in dict.fromkeys(of_ruleset["line"]):
            of_line = of_ruleset[of_ruleset["line"] == line]
            by_cell = rows_by_cell(of_line)
            marks = []
            for pair in names.plan.pairings:
                row = by_cell.get((ruleset, *pair))
                if row is None:
                    continue
                bar = Interval(row["score_low"], row["score_high"])
                dot = Dot(row["score"], hollow=row["status"] == "undecided")
                beyond = Bounds(row["simultaneous_low"], row["simultaneous_high"])
                text = format_share(row["score"], row["score_low"], row["score_high"])
                marks.append(pairing_line(names, pair, text, beyond, bar, dot))
                values += [value for value in (bar.low, bar.high, beyond.low, beyond.high) if value == value]
            opening = str(of_line["opening"].iloc[0])
            label = verbatim(f"({line}) {opening}")
            rows.append(Row(f"{ruleset} {line}", label, tuple(marks), verbatim(names.short(ruleset))))
    goal = names.plan.experiment.targets.get("first_score")
    left, right = BALANCES["second"], BALANCES["first"]
    scale = fit_scale(values, lambda value: f"{100 * value:.3g} %", 0.5, names.plan.score_band() if goal else None,
                      left, right)  # fmt: skip
    caption = tr(
        "The first player's score in the games that begin with each line. Bar: 95 % interval of "
        "the line; thin line: the interval that holds for all lines at once. Hollow: who is "
        "ahead is undecided."
    )
    sense = [*line_sentences(analysis, names), caption]
    return Chart(
        "chart-lines",
        Panel(scale, tuple(rows)),
        sentences(sense),
        pairing_series(names, names.plan.pairings),
        "lines",
        tr("Score after each line"),
    )


def _headings(names: Names, row: Record) -> list[TableCell]:
    pair = (str(row["first"]), str(row["second"]))
    return [
        TableCell(verbatim(names.short(str(row["ruleset"]))), sort=float(names.rulesets.index(row["ruleset"]))),
        TableCell(pairing_text(pair), sort=float(names.series_number(pair))),
        TableCell(verbatim(f"({row['line']}) {row['opening']}"), sort=float(row["line"])),
    ]


HEADS = (
    TableCell(tr("ruleset")),
    TableCell(tr("players")),
    TableCell(tr("line")),
)


def _table(table: pd.DataFrame, names: Names) -> Table:
    rows = [
        [
            *_headings(names, row),
            numeric_cell(format_amount(row["games"]), row["games"]),
            numeric_cell(format_share(row["score"], row["score_low"], row["score_high"]), row["score"]),
            TableCell(verbatim(format_interval(row["simultaneous_low"], row["simultaneous_high"])), kind="number"),
            numeric_cell(_format_p_value(row["p_holm"]), row["p_holm"]),
            TableCell(YARDSTICK if _is_yardstick(row, names) else BALANCES[row["status"]]),
        ]
        for row in table.to_dict("records")
    ]
    heads = [
        *HEADS,
        TableCell(tr("games"), kind="number"),
        TableCell(tr("first player's score"), kind="number"),
        TableCell(tr("interval, all lines at once"), kind="number"),
        TableCell(tr("p (Holm)"), kind="number"),
        TableCell(tr("who is ahead")),
    ]
    caption = tr(
        "What each line is worth to the first player. A side is ahead if p, the chance of so "
        "uneven a score after an even line, corrected for all lines of all rulesets and players, "
        "is at most 5 %; balanced if the interval that holds for all at once lies in the target. "
        "Random players beside others are a yardstick and are not judged."
    )
    return Table(caption, heads, rows)


def _line_differences(table: pd.DataFrame, names: Names) -> Table:
    rows = [
        [
            *_headings(names, row),
            TableCell(verbatim(f"({row['line2']}) {row['opening2']}"), sort=float(row["line2"])),
            numeric_cell(format_difference(row["difference"], row["low"], row["high"]), row["difference"]),
            numeric_cell(_format_p_value(row["p_holm"]), row["p_holm"]),
            TableCell(YARDSTICK if _is_yardstick(row, names) else _better_line(row, names)),
        ]
        for row in table.to_dict("records")
    ]
    heads = [
        *HEADS,
        TableCell(trc("lines", "against")),
        TableCell(tr("difference in points"), kind="number"),
        TableCell(tr("p (Holm)"), kind="number"),
        TableCell(tr("better for the first player")),
    ]
    caption = tr(
        "By how many points the first player scores more after one line than after another; p is "
        "corrected for all rows of this table."
    )
    return Table(caption, heads, rows, folded=len(rows) > MAX_LINES)


def _is_yardstick(row: Record, names: Names) -> bool:
    return (str(row["first"]), str(row["second"])) in names.plan.yardsticks


def _better_line(row: Record, names: Names) -> str:
    if not row["p_holm"] <= ALPHA or (names.plan.games and not names.plan.finished):
        return BALANCES["undecided"]
    return verbatim(f"({row['line' if row['difference'] > 0 else 'line2']})")


def _format_p_value(value: float) -> str:
    return "–" if value != value else "<0.001" if value < 0.001 else f"{value:.3f}"
