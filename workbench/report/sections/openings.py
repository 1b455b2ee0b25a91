"""The variety of openings, how many are balanced, and the commonest lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from workbench.base.language import join_list, sentences, tr, trc, untranslated
from workbench.experiments.experiment_files import DrawnLines, GivenLines
from workbench.report import labels
from workbench.report.marks import Bounds, Dot, Interval, Panel, Row, fit_scale, interval_ends
from workbench.report.model import Chart, Column, Paragraph, Part, Section, Table, TableCell, numeric_cell
from workbench.report.names import (
    Names,
    Pairing,
    Record,
    cell_row,
    extreme_rows,
    pairing_rows,
    rows_by_cell,
    score_text,
)
from workbench.report.verdicts import BALANCES, VERDICTS
from workbench.statistics import Analysis
from workbench.statistics.sequential import ALPHA

TITLE = tr("Openings")


def openings_section(analysis: Analysis, names: Names) -> Section | None:
    """How many openings there are, and how many of them are balanced."""
    if analysis.openings.empty:
        return None
    chosen = analysis.openings[analysis.openings["shown"].astype(bool)]
    pairings = [pair for pair in names.plan.pairings if not pairing_rows(chosen, pair).empty]
    hidden = [
        pair for pair in names.plan.pairings if pair not in pairings and not pairing_rows(analysis.openings, pair).empty
    ]
    if chosen.empty:
        return Section("openings", TITLE, [Paragraph(_uncounted_sentence(hidden))])
    by_cell = rows_by_cell(chosen)
    rows: list[Row] = []
    for ruleset in names.rulesets:
        lines = []
        for pair in pairings:
            record = by_cell.get((ruleset, *pair))
            if record is None:
                continue
            numbers = (record[f"effective{end}"] for end in ("", "_low", "_high"))
            value, low, high = (math.log2(number) if number > 0 else math.nan for number in numbers)
            text = untranslated(labels.format_kinds(record["effective"]))
            lines.append(names.pairing_line(pair, text, Interval(low, high), Dot(value)))
        rows.append(names.ruleset_row(ruleset, lines))
    scale = fit_scale(interval_ends(rows), lambda power: f"{2**power:.0f}", whole=True)
    best = pairing_rows(chosen, names.strongest)
    sense = []
    if len(best):
        fewest, most = extreme_rows(best, "effective")
        sense.append(
            tr(
                "Between the strongest players ({level}), from an estimated {low} different openings "
                "({least}) to {high} ({most}), those that these games did not show included.",
                level=labels.pairing_text(names.strongest),
                low=labels.format_kinds(fewest["effective"]),
                high=labels.format_kinds(most["effective"]),
                least=names.short(str(fewest["ruleset"])),
                most=names.short(str(most["ruleset"])),
            )
        )
    sense.append(
        tr(
            "Effective number of openings up to {ply}, the deepest at which nine of ten games open in a way that was "
            "seen before: as many equally frequent ones would be as varied. It is an estimate for any number of games, "
            "and so may exceed the number of those seen in these games (table below). Doubling scale, 95 % intervals."
        ).format(ply=_plies_sentence(chosen, pairings))
    )
    if hidden:
        sense.append(_uncounted_sentence(hidden))
    chart = Chart(
        "chart-openings",
        Panel(scale, tuple(rows)),
        sentences(sense),
        names.pairing_series(pairings),
        "openings",
        tr("Different openings"),
    )
    parts: list[Part] = [chart, _opening_counts(chosen, names), *_opening_lines(analysis, names, best)]
    return Section("openings", TITLE, parts)


def _uncounted_sentence(pairings: Sequence[Pairing]) -> str:
    """For whom no number of openings is given, and why."""
    return tr(
        "Not counted between {players}: too many openings are new, even after one ply, to say "
        "how many there are. More games would tell."
    ).format(players=join_list([labels.pairing_text(pair) for pair in pairings]))


def _plies_sentence(chosen: pd.DataFrame, pairings: Sequence[Pairing]) -> str:
    """How many plies an opening has: for each pair of players as many as leave 9 of 10 games in openings seen."""
    plies = {pair: int(pairing_rows(chosen, pair)["ply"].iloc[0]) for pair in pairings}
    if len(set(plies.values())) == 1:
        return tr("ply {ply}", ply=str(plies[pairings[0]]))
    each = [tr("ply {ply} ({level})", ply=str(ply), level=labels.pairing_text(pair)) for pair, ply in plies.items()]
    return join_list(each)


def _opening_counts(chosen: pd.DataFrame, names: Names) -> Table:
    """How many of the common openings are balanced, for the strongest players."""
    found = (cell_row(chosen, ruleset, names.strongest) for ruleset in names.rulesets)
    columns = (
        names.ruleset_column(),
        Column.amount(tr("openings seen in these games"), "different"),
        Column.amount(tr("common enough to judge"), "common"),
        Column.amount(tr("balanced"), "balanced"),
        Column.amount(tr("lopsided"), "lopsided"),
        Column.amount(tr("undecided"), "undecided"),
    )
    caption = tr(
        "Openings between the strongest players ({level}): balanced if the whole interval of the "
        "opening's own score lies in the target, lopsided if all of it lies outside."
    )
    return Table.of(caption.format(level=labels.pairing_text(names.strongest)), columns, filter(None, found))


def _opening_lines(analysis: Analysis, names: Names, best: pd.DataFrame) -> list[Part]:
    lines = analysis.opening_lines
    if lines.empty or best.empty:
        return []
    ply = int(best["ply"].iloc[0])
    lines = pairing_rows(lines[lines["ply"] == ply], names.strongest)
    if lines.empty:
        return []
    columns = (
        names.ruleset_column(),
        Column.text(tr("opening"), lambda line: untranslated(line["opening"])),
        Column.amount(tr("games"), "games"),
        Column.percent(tr("share"), "share"),
        Column.share(tr("first player's score"), "score"),
        Column.text(tr("who is ahead"), lambda line: BALANCES[line["status"]]),
    )
    caption = tr("The commonest openings of each ruleset.")
    return [Table.of(caption, columns, lines.to_dict("records"), folded=True)]


MAX_LINES = 30
"""Lines that are drawn, of those that the report shows; all are in provenance.json."""
REASONS = {"won": tr("a side had as good as won"), "ended": tr("the game was over")}
"""Why a line was left out."""
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
        groups = []
        for status in ("first", "second", "balanced", "undecided"):
            lines = [
                f"({row['line']}) {row['opening']} {labels.format_percent(row['score'])}"
                for row in rows
                if row["status"] == status
            ]
            if lines:
                groups.append(tr("{who} after {lines}", who=BALANCES[status], lines=join_list(lines)))
        if groups:
            text = tr("Under {ruleset}, between the strongest players ({level}): {groups}.")
            texts.append(
                text.format(
                    ruleset=names.short(ruleset),
                    level=labels.pairing_text(names.strongest),
                    groups=tr("; ").join(groups),
                )
            )
    return texts


# Lines that were drawn


def _drawn_line_parts(
    openings: DrawnLines, analysis: Analysis, names: Names, recorded: Mapping[str, Any]
) -> list[Part]:
    text = tr(
        "Every game begins with one of {lines} lines of {plies} random moves. Each player meets them in an "
        "order of its own, the same, as far as the rules allow, under all rulesets; from there on the players choose. "
        "Lines after which a side's expected score is {threshold} or more, as {judge} sees it, were left out.",
        lines=f"{max(map(_count, names.plan.line_texts.values()), default=openings.lines):,}",
        plies=str(openings.plies),
        threshold=labels.format_percent(openings.threshold, 0),
        judge=openings.judge.label,
    )
    effects = analysis.cells.get("first_score_design_effect")
    about = [text]
    if effects is not None and effects.notna().any():
        about.append(
            tr(
                "Games of one line belong together: intervals allow for it (design effect of the score {low} to "
                "{high}: the games are worth that many times fewer), and rulesets are compared line by line."
            ).format(
                low=labels.format_amount(float(effects.min()), 1), high=labels.format_amount(float(effects.max()), 1)
            )
        )
    parts: list[Part] = [Paragraph(sentences([*about, NO_VARIETY]))]
    parts.append(_line_counts(names, recorded))
    texts = names.plan.line_texts
    first = names.plan.baseline if names.plan.baseline in texts else next(iter(texts), "")
    shown = [(place, text) for place, text in enumerate(texts.get(first, ())) if text][:MAX_LINES]
    columns = (
        Column.number(tr("line"), lambda line: numeric_cell(str(line[0]), line[0])),
        Column.text(trc("lines", "moves"), lambda line: untranslated(line[1])),
    )
    caption = tr("The first lines of {ruleset}; those of all rulesets are in provenance.json.").format(
        ruleset=names.short(first)
    )
    return [*parts, Table.of(caption, columns, shown, folded=True)] if shown else parts


def _count(texts: Sequence[str]) -> int:
    return len(list(filter(None, texts)))


def _line_counts(names: Names, recorded: Mapping[str, Any]) -> Table:
    """How many lines each ruleset has, shares, and did without."""
    counts = [
        {"ruleset": ruleset, "lines": _count(entry["lines"]), "shared": int(entry["shared"])}
        | {name: entry["left_out"].get(name, 0) for name in REASONS}
        for ruleset in names.rulesets
        if (entry := recorded.get(ruleset)) is not None
    ]
    columns = (
        names.ruleset_column(),
        Column.amount(tr("lines"), "lines"),
        Column.amount(tr("shared"), "shared"),
        *(Column.amount(tr("left out: {why}", why=why), name) for name, why in REASONS.items()),
    )
    caption = tr(
        "Lines of each ruleset. Shared: those after which the position is that of {baseline}, at the "
        "same number; the moves may have come in another order."
    ).format(baseline=names.short(names.plan.baseline) if names.plan.baseline else untranslated("–"))
    return Table.of(caption, columns, counts)


# Lines that were given


def _given_line_parts(openings: GivenLines, analysis: Analysis, names: Names) -> list[Part]:
    text = tr(
        "Every game begins with one of the lines that the experiment names, each as often as the others; from there on "
        "the players choose. What is said of a ruleset as a whole is said of these lines together."
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
                text = labels.share_text(row, "score")
                marks.append(names.pairing_line(pair, text, beyond, bar, dot))
                values += [value for value in (bar.low, bar.high, beyond.low, beyond.high) if value == value]
            opening = str(of_line["opening"].iloc[0])
            label = untranslated(f"({line}) {opening}")
            rows.append(Row(f"{ruleset} {line}", label, tuple(marks), untranslated(names.short(ruleset))))
    goal = names.plan.experiment.targets.get("first_score")
    left, right = BALANCES["second"], BALANCES["first"]
    scale = fit_scale(values, labels.percent_tick, 0.5, names.plan.score_band() if goal else None,
                      left, right)  # fmt: skip
    caption = tr(
        "The first player's score in the games that begin with each line. Bar: 95 % interval of the line; thin line: "
        "the interval that holds for all lines at once. Hollow: who is ahead is undecided."
    )
    sense = [*line_sentences(analysis, names), caption]
    return Chart(
        "chart-lines",
        Panel(scale, tuple(rows)),
        sentences(sense),
        names.pairing_series(names.plan.pairings),
        "lines",
        tr("Score after each line"),
    )


def _line_cell(row: Record, second: str = "") -> TableCell:
    """A line, or with ``second`` "2" the one that it is compared with."""
    line = row[f"line{second}"]
    return TableCell(untranslated(f"({line}) {row[f'opening{second}']}"), sort=float(line))


def _simultaneous_cell(row: Record) -> TableCell:
    interval = labels.format_interval(row["simultaneous_low"], row["simultaneous_high"])
    return TableCell(untranslated(interval), kind="number")


def _p_value_cell(row: Record) -> TableCell:
    value = float(row["p_holm"])
    return numeric_cell("–" if math.isnan(value) else "<0.001" if value < 0.001 else f"{value:.3f}", value)


def _table(table: pd.DataFrame, names: Names) -> Table:
    def ahead(row: Record) -> str:
        return VERDICTS["yardstick"].text if _is_yardstick(row, names) else BALANCES[row["status"]]

    columns = (
        *names.cell_columns(),
        Column.plain(tr("line"), _line_cell),
        Column.amount(tr("games"), "games"),
        Column.share(tr("first player's score"), "score"),
        Column.number(tr("interval, all lines at once"), _simultaneous_cell),
        Column.number(tr("p (Holm)"), _p_value_cell),
        Column.text(tr("who is ahead"), ahead),
    )
    caption = tr(
        "What each line is worth to the first player. A side is ahead if p, the chance of so uneven a score after an "
        "even line, corrected for all lines of all rulesets and players, is at most 5 %; balanced if the interval that "
        "holds for all at once lies in the target. Random players beside others are a yardstick and are not judged."
    )
    return Table.of(caption, columns, table.to_dict("records"))


def _line_differences(table: pd.DataFrame, names: Names) -> Table:
    def difference(row: Record) -> TableCell:
        return numeric_cell(labels.format_difference(row["difference"], row["low"], row["high"]), row["difference"])

    def better(row: Record) -> str:
        if _is_yardstick(row, names):
            return VERDICTS["yardstick"].text
        if not row["p_holm"] <= ALPHA or (names.plan.games and not names.plan.finished):
            return BALANCES["undecided"]
        return untranslated(f"({row['line' if row['difference'] > 0 else 'line2']})")

    columns = (
        *names.cell_columns(),
        Column.plain(tr("line"), _line_cell),
        Column.plain(trc("lines", "against"), lambda row: _line_cell(row, "2")),
        Column.number(tr("difference in points"), difference),
        Column.number(tr("p (Holm)"), _p_value_cell),
        Column.text(tr("better for the first player"), better),
    )
    caption = tr(
        "By how many points the first player scores more after one line than after another; p is "
        "corrected for all rows of this table."
    )
    return Table.of(caption, columns, table.to_dict("records"), folded=len(table) > MAX_LINES)


def _is_yardstick(row: Record, names: Names) -> bool:
    return (str(row["first"]), str(row["second"])) in names.plan.yardsticks


def swaps_section(analysis: Analysis, names: Names) -> Section | None:
    """The pie rule at work; None where nobody may swap sides."""
    if analysis.swaps.empty:
        return None
    about = tr(
        "The second player may swap sides, and does where the first side looks better; so the first player makes the "
        "sides as even as they look. The result of a game is that of the players, not of the sides."
    )
    parts: list[Part] = [Paragraph(sentences([about, *_said(analysis, names)])), _swaps(analysis, names)]
    if not analysis.first_moves.empty:
        parts.append(_first_moves(analysis, names))
    return Section("swaps", tr("Swapping sides"), parts)


def _said(analysis: Analysis, names: Names) -> list[str]:
    """What comes of it between the strongest players, ruleset by ruleset."""
    cells, texts = rows_by_cell(analysis.cells), []
    for row in pairing_rows(analysis.swaps, names.strongest).to_dict("records"):
        cell = cells[str(row["ruleset"]), *names.strongest]
        told = tr(
            "Between the strongest players ({level}) sides were swapped in {share} of the games under {ruleset}, and "
            "the first player scores {score}"
        )
        told = told.format(
            level=labels.pairing_text(names.strongest),
            share=labels.format_percent(row["share"]),
            ruleset=names.short(str(row["ruleset"])),
            score=score_text(cell),
        )
        if row["without"]:
            told = tr("{told}; without the swap {score}").format(
                told=told, score=labels.share_text(row, "score_without")
            )
        texts.append(tr("{told}.", told=told))
    return texts


def _swaps(analysis: Analysis, names: Names) -> Table:
    cells = rows_by_cell(analysis.cells)

    def score(row: Record) -> TableCell:
        cell = cells[str(row["ruleset"]), str(row["first"]), str(row["second"])]
        return numeric_cell(score_text(cell), cell["first_score"])

    columns = (
        *names.cell_columns(),
        Column.amount(tr("games"), "games"),
        Column.share(tr("sides were swapped"), "share"),
        Column.number(tr("first player's score"), score),
        Column.share(tr("without the swap"), "score_without"),
        Column.share(tr("score of the side that moved first"), "side_score"),
    )
    caption = tr(
        "The first player's score with the swap, and without it where the experiment has the same rules without a "
        "swap; and what the side that moved first scores, whoever played it in the end."
    )
    return Table.of(caption, columns, analysis.swaps.to_dict("records"))


def _first_moves(analysis: Analysis, names: Names) -> Table:
    columns = (
        *names.cell_columns(),
        Column.text(tr("first move"), lambda row: untranslated(row["move"])),
        Column.amount(tr("games"), "games"),
        Column.share(tr("share"), "share"),
        Column.percent(tr("sides were swapped"), "swapped"),
        Column.share(tr("score of the side that moved first"), "score"),
        Column.number(tr("interval, all moves at once"), _simultaneous_cell),
        Column.text(tr("who is ahead"), lambda row: BALANCES[row["status"]]),
    )
    caption = tr(
        "The first moves that players chose, and what the side scores that made them, whoever played it afterwards. "
        "A move is balanced if the interval that holds for all moves at once lies in the target."
    )
    return Table.of(caption, columns, analysis.first_moves.to_dict("records"), folded=len(analysis.first_moves) > 30)
