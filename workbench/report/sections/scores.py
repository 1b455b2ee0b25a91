"""Scores of the first player, differences from the baseline, the numbers of all cells, and openings."""

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
from workbench.report.labels import ending_words
from workbench.report.names import (
    ByCell,
    Names,
    Pairing,
    Record,
    Results,
    cell_row,
    extreme_rows,
    pairing_rows,
    rows_by_cell,
    score_cell,
    score_text,
    unit_factor,
)
from workbench.report.verdicts import AHEAD, BALANCES, VERDICTS
from workbench.statistics import stopped_games, target_band
from workbench.statistics.plan import ALPHA

OPENINGS = tr("Openings")


def openings_section(results: Results) -> m.Section | None:
    """Return the number of openings, and of balanced ones."""
    if results.openings.empty:
        return None
    chosen = results.openings[results.openings["shown"].astype(bool)]
    pairings = [pair for pair in results.plan.pairings if not pairing_rows(chosen, pair).empty]
    hidden = [
        pair
        for pair in results.plan.pairings
        if pair not in pairings and not pairing_rows(results.openings, pair).empty
    ]
    if chosen.empty:
        return m.Section("openings", OPENINGS, [m.Paragraph(_uncounted_sentence(hidden))])

    def marks(record: Record) -> tuple[str, Sequence[m.Mark]]:
        numbers = (record[f"effective{end}"] for end in ("", "_low", "_high"))
        value, low, high = (math.log2(number) if number > 0 else math.nan for number in numbers)
        return untranslated(labels.format_kinds(record["effective"])), (m.Interval(low, high), m.Dot(value))

    rows = results.rows_of_cells(chosen, pairings, marks)
    scale = m.fit_scale(m.interval_ends(rows), lambda power: f"{2**power:.0f}", whole=True)
    best = pairing_rows(chosen, results.strongest)
    sense = []
    if len(best):
        fewest, most = extreme_rows(best, "effective")
        sense.append(
            tr(
                "Between the strongest players ({level}), from an estimated {low} different openings "
                "({least}) to {high} ({most}), those that these games did not show included.",
                level=results.level,
                low=labels.format_kinds(fewest["effective"]),
                high=labels.format_kinds(most["effective"]),
                least=results.short(str(fewest["ruleset"])),
                most=results.short(str(most["ruleset"])),
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
    chart = m.Chart(
        "chart-openings",
        m.Panel(scale, tuple(rows)),
        sentences(sense),
        results.pairing_series(pairings),
        "openings",
        tr("Different openings"),
    )
    parts: list[m.Part] = [chart, _opening_counts(chosen, results), *_opening_lines(results, best)]
    return m.Section("openings", OPENINGS, parts)


def _uncounted_sentence(pairings: Sequence[Pairing]) -> str:
    """For whom no number of openings is given, and why."""
    return tr(
        "Not counted between {players}: too many openings are new, even after one ply, to say "
        "how many there are. More games would tell."
    ).format(players=join_list([labels.pairing_text(pair) for pair in pairings]))


def _plies_sentence(chosen: pd.DataFrame, pairings: Sequence[Pairing]) -> str:
    """Return the plies of an opening: for each pair of players as many as leave 9 of 10 games in openings seen."""
    plies = {pair: int(pairing_rows(chosen, pair)["ply"].iloc[0]) for pair in pairings}
    if len(set(plies.values())) == 1:
        return tr("ply {ply}", ply=str(plies[pairings[0]]))
    each = [tr("ply {ply} ({level})", ply=str(ply), level=labels.pairing_text(pair)) for pair, ply in plies.items()]
    return join_list(each)


def _opening_counts(chosen: pd.DataFrame, names: Names) -> m.Table:
    """Return the numbers of balanced and lopsided openings between the strongest players."""
    found = (cell_row(chosen, ruleset, names.strongest) for ruleset in names.rulesets)
    columns = (
        names.ruleset_column(),
        m.Column.amount(tr("openings seen in these games"), "different"),
        m.Column.amount(tr("common enough to judge"), "common"),
        m.Column.amount(tr("balanced"), "balanced"),
        m.Column.amount(tr("lopsided"), "lopsided"),
        m.Column.amount(tr("undecided"), "undecided"),
    )
    caption = tr(
        "Openings between the strongest players ({level}): balanced if the whole interval of the "
        "opening's own score lies in the target, lopsided if all of it lies outside."
    )
    return m.Table.of(caption.format(level=names.level), columns, filter(None, found))


def _opening_lines(results: Results, best: pd.DataFrame) -> list[m.Part]:
    lines = results.opening_lines
    if lines.empty or best.empty:
        return []
    ply = int(best["ply"].iloc[0])
    lines = pairing_rows(lines[lines["ply"] == ply], results.strongest)
    if lines.empty:
        return []
    columns = (
        results.ruleset_column(),
        m.Column.text(tr("opening"), lambda line: untranslated(line["opening"])),
        m.Column.amount(tr("games"), "games"),
        m.Column.percent(tr("share"), "share"),
        m.Column.share(tr("first player's score"), "score"),
        m.Column.text(tr("who is ahead"), lambda line: BALANCES[line["status"]]),
    )
    caption = tr("The commonest openings of each ruleset.")
    return [m.Table.of(caption, columns, lines.to_dict("records"), folded=True)]


MAX_LINES = 30
"""Lines that are drawn, of those that the report shows; all are in provenance.json."""
REASONS = {"won": tr("a side had as good as won"), "ended": tr("the game was over")}
"""The reasons for leaving out a line."""
NO_VARIETY = tr(
    "The experiment chose how its games begin: how varied openings are, and which ones players choose, cannot be said."
)


def lines_section(results: Results, recorded: Mapping[str, Any]) -> m.Section | None:
    """The lines that the games begin with; ``recorded`` is what the provenance says of them. None without lines."""
    openings = results.plan.experiment.openings
    if isinstance(openings, DrawnLines):
        return m.Section("openings", OPENINGS, _drawn_line_parts(openings, results, recorded))
    if isinstance(openings, GivenLines):
        return m.Section("openings", OPENINGS, _given_line_parts(openings, results))
    return None


def line_sentences(results: Results) -> list[str]:
    """Return the balance after each given line, ruleset by ruleset, between the strongest players."""
    table = results.strongest_rows("given_lines")
    texts = []
    for ruleset in results.rulesets:
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
                    ruleset=results.short(ruleset),
                    level=results.level,
                    groups=tr("; ").join(groups),
                )
            )
    return texts


# Lines that were drawn


def _drawn_line_parts(openings: DrawnLines, results: Results, recorded: Mapping[str, Any]) -> list[m.Part]:
    text = tr(
        "Every game begins with one of {lines} lines of {plies} random moves. Each player meets them in an "
        "order of its own, the same, as far as the rules allow, under all rulesets; from there on the players choose. "
        "Lines after which a side's expected score is {threshold} or more, as {judge} sees it, were left out.",
        lines=f"{max(map(_count, results.plan.line_texts.values()), default=openings.lines):,}",
        plies=str(openings.plies),
        threshold=labels.format_percent(openings.threshold, 0),
        judge=openings.judge.label,
    )
    effects = results.cells.get("first_score_design_effect")
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
    parts: list[m.Part] = [m.Paragraph(sentences([*about, NO_VARIETY]))]
    parts.append(_line_counts(results, recorded))
    texts = results.plan.line_texts
    first = results.plan.baseline if results.plan.baseline in texts else next(iter(texts), "")
    shown = [(place, text) for place, text in enumerate(texts.get(first, ())) if text][:MAX_LINES]
    columns = (
        m.Column.number(tr("line"), lambda line: m.numeric_cell(str(line[0]), line[0])),
        m.Column.text(trc("lines", "moves"), lambda line: untranslated(line[1])),
    )
    caption = tr("The first lines of {ruleset}; those of all rulesets are in provenance.json.").format(
        ruleset=results.short(first)
    )
    return [*parts, m.Table.of(caption, columns, shown, folded=True)] if shown else parts


def _count(texts: Sequence[str]) -> int:
    return len(list(filter(None, texts)))


def _line_counts(names: Names, recorded: Mapping[str, Any]) -> m.Table:
    """Return the numbers of lines that each ruleset has, shares, and left out."""
    counts = [
        {"ruleset": ruleset, "lines": _count(entry["lines"]), "shared": int(entry["shared"])}
        | {name: entry["left_out"].get(name, 0) for name in REASONS}
        for ruleset in names.rulesets
        if (entry := recorded.get(ruleset)) is not None
    ]
    columns = (
        names.ruleset_column(),
        m.Column.amount(tr("lines"), "lines"),
        m.Column.amount(tr("shared"), "shared"),
        *(m.Column.amount(tr("left out: {why}", why=why), name) for name, why in REASONS.items()),
    )
    caption = tr(
        "Lines of each ruleset. Shared: those after which the position is that of {baseline}, at the "
        "same number; the moves may have come in another order."
    ).format(baseline=names.baseline if names.plan.baseline else untranslated("–"))
    return m.Table.of(caption, columns, counts)


# Lines that were given


def _given_line_parts(openings: GivenLines, results: Results) -> list[m.Part]:
    text = tr(
        "Every game begins with one of the lines that the experiment names, each as often as the others; from there on "
        "the players choose. What is said of a ruleset as a whole is said of these lines together."
    )
    parts: list[m.Part] = [m.Paragraph(sentences([text, NO_VARIETY]))]
    if len(results.given_lines):
        parts += [_chart(results), _table(results.given_lines, results)]
    if len(results.line_differences):
        parts.append(_line_differences(results.line_differences, results))
    return parts


def _chart(results: Results) -> m.Chart:
    rows: list[m.Row] = []
    values = [0.45, 0.55]
    for ruleset in results.rulesets:
        of_ruleset = results.given_lines[results.given_lines["ruleset"] == ruleset]
        for line in dict.fromkeys(of_ruleset["line"]):
            of_line = of_ruleset[of_ruleset["line"] == line]
            by_cell = rows_by_cell(of_line)
            marks = []
            for pair in results.plan.pairings:
                row = by_cell.get((ruleset, *pair))
                if row is None:
                    continue
                bar = m.Interval(row["score_low"], row["score_high"])
                dot = m.Dot(row["score"], hollow=row["status"] == "undecided")
                beyond = m.Bounds(row["simultaneous_low"], row["simultaneous_high"])
                text = labels.share_text(row, "score")
                marks.append(results.pairing_line(pair, text, beyond, bar, dot))
                values += [value for value in (bar.low, bar.high, beyond.low, beyond.high) if value == value]
            opening = str(of_line["opening"].iloc[0])
            label = untranslated(f"({line}) {opening}")
            rows.append(m.Row(f"{ruleset} {line}", label, tuple(marks), untranslated(results.short(ruleset))))
    goal = results.plan.experiment.targets.get("first_score")
    left, right = BALANCES["second"], BALANCES["first"]
    scale = m.fit_scale(values, labels.percent_tick, 0.5, results.plan.score_band() if goal else None,
                      left, right)  # fmt: skip
    caption = tr(
        "The first player's score in the games that begin with each line. Bar: 95 % interval of the line; thin line: "
        "the interval that holds for all lines at once. Hollow: who is ahead is undecided."
    )
    sense = [*line_sentences(results), caption]
    return m.Chart(
        "chart-lines",
        m.Panel(scale, tuple(rows)),
        sentences(sense),
        results.pairing_series(results.plan.pairings),
        "lines",
        tr("Score after each line"),
    )


def _line_cell(row: Record, second: str = "") -> m.TableCell:
    """Return a line, or with ``second`` "2" the one that it is compared with."""
    line = row[f"line{second}"]
    return m.TableCell(untranslated(f"({line}) {row[f'opening{second}']}"), sort=float(line))


def _simultaneous_cell(row: Record) -> m.TableCell:
    interval = labels.format_interval(row["simultaneous_low"], row["simultaneous_high"])
    return m.TableCell(untranslated(interval), kind="number")


def _p_value_cell(row: Record) -> m.TableCell:
    value = float(row["p_holm"])
    return m.numeric_cell("–" if math.isnan(value) else "<0.001" if value < 0.001 else f"{value:.3f}", value)


def _table(table: pd.DataFrame, names: Names) -> m.Table:
    def ahead(row: Record) -> str:
        return VERDICTS["yardstick"].text if _is_yardstick(row, names) else BALANCES[row["status"]]

    columns = (
        *names.cell_columns(),
        m.Column.plain(tr("line"), _line_cell),
        m.Column.amount(tr("games"), "games"),
        m.Column.share(tr("first player's score"), "score"),
        m.Column.number(tr("interval, all lines at once"), _simultaneous_cell),
        m.Column.number(tr("p (Holm)"), _p_value_cell),
        m.Column.text(tr("who is ahead"), ahead),
    )
    caption = tr(
        "What each line is worth to the first player. A side is ahead if p, the chance of so uneven a score after an "
        "even line, corrected for all lines of all rulesets and players, is at most 5 %; balanced if the interval that "
        "holds for all at once lies in the target. Random players beside others are a yardstick and are not judged."
    )
    return m.Table.of(caption, columns, table.to_dict("records"))


def _line_differences(table: pd.DataFrame, names: Names) -> m.Table:
    def difference(row: Record) -> m.TableCell:
        return m.numeric_cell(labels.format_difference(row["difference"], row["low"], row["high"]), row["difference"])

    def better(row: Record) -> str:
        if _is_yardstick(row, names):
            return VERDICTS["yardstick"].text
        if not row["p_holm"] <= ALPHA or (names.plan.games and not names.plan.finished):
            return BALANCES["undecided"]
        return untranslated(f"({row['line' if row['difference'] > 0 else 'line2']})")

    columns = (
        *names.cell_columns(),
        m.Column.plain(tr("line"), _line_cell),
        m.Column.plain(trc("lines", "against"), lambda row: _line_cell(row, "2")),
        m.Column.number(tr("difference in points"), difference),
        m.Column.number(tr("p (Holm)"), _p_value_cell),
        m.Column.text(tr("better for the first player"), better),
    )
    caption = tr(
        "By how many points the first player scores more after one line than after another; p is "
        "corrected for all rows of this table."
    )
    return m.Table.of(caption, columns, table.to_dict("records"), folded=len(table) > MAX_LINES)


def _is_yardstick(row: Record, names: Names) -> bool:
    return (str(row["first"]), str(row["second"])) in names.plan.yardsticks


def swaps_section(results: Results) -> m.Section | None:
    """Return the pie rule at work; None where nobody may swap sides."""
    if results.swaps.empty:
        return None
    about = tr(
        "The second player may swap sides, and does where the first side looks better; so the first player makes the "
        "sides as even as they look. The result of a game is that of the players, not of the sides."
    )
    parts: list[m.Part] = [m.Paragraph(sentences([about, *_said(results)])), _swaps(results)]
    if not results.first_moves.empty:
        parts.append(_first_moves(results))
    return m.Section("swaps", tr("Swapping sides"), parts)


def _said(results: Results) -> list[str]:
    """Sentences on swaps between the strongest players, ruleset by ruleset."""
    cells, texts = rows_by_cell(results.cells), []
    for row in results.strongest_rows("swaps").to_dict("records"):
        cell = cells[str(row["ruleset"]), *results.strongest]
        told = tr(
            "Between the strongest players ({level}) sides were swapped in {share} of the games under {ruleset}, and "
            "the first player scores {score}"
        )
        told = told.format(
            level=results.level,
            share=labels.format_percent(row["share"]),
            ruleset=results.short(str(row["ruleset"])),
            score=score_text(cell),
        )
        if row["without"]:
            told = tr("{told}; without the swap {score}").format(
                told=told, score=labels.share_text(row, "score_without")
            )
        texts.append(tr("{told}.", told=told))
    return texts


def _swaps(results: Results) -> m.Table:
    cells = rows_by_cell(results.cells)

    def score(row: Record) -> m.TableCell:
        cell = cells[str(row["ruleset"]), str(row["first"]), str(row["second"])]
        return m.numeric_cell(score_text(cell), cell["first_score"])

    columns = (
        *results.cell_columns(),
        m.Column.amount(tr("games"), "games"),
        m.Column.share(tr("sides were swapped"), "share"),
        m.Column.number(tr("first player's score"), score),
        m.Column.share(tr("without the swap"), "score_without"),
        m.Column.share(tr("score of the side that moved first"), "side_score"),
    )
    caption = tr(
        "The first player's score with the swap, and without it where the experiment has the same rules without a "
        "swap; and what the side that moved first scores, whoever played it in the end."
    )
    return m.Table.of(caption, columns, results.swaps.to_dict("records"))


def _first_moves(results: Results) -> m.Table:
    columns = (
        *results.cell_columns(),
        m.Column.text(tr("first move"), lambda row: untranslated(row["move"])),
        m.Column.amount(tr("games"), "games"),
        m.Column.share(tr("share"), "share"),
        m.Column.percent(tr("sides were swapped"), "swapped"),
        m.Column.share(tr("score of the side that moved first"), "score"),
        m.Column.number(tr("interval, all moves at once"), _simultaneous_cell),
        m.Column.text(tr("who is ahead"), lambda row: BALANCES[row["status"]]),
    )
    caption = tr(
        "The first moves that players chose, and what the side scores that made them, whoever played it afterwards. "
        "A move is balanced if the interval that holds for all moves at once lies in the target."
    )
    return m.Table.of(caption, columns, results.first_moves.to_dict("records"), folded=len(results.first_moves) > 30)


NO_BOUNDS = m.Bounds(math.nan, math.nan)
ADJUDICATED = "ended_by_adjudicated"


def scores_section(results: Results, exact: pd.DataFrame) -> m.Section:
    """Return the first seat's scores, and the gain of each proposal."""
    parts: list[m.Part] = [score_chart(results, exact)]
    if not results.primary_comparisons.empty and results.plan.question_measure.name == FAIRNESS:
        parts.append(gain_chart(results))
    parts.append(_cell_table(results, exact))
    return m.Section("scores", tr("Who is ahead, and by how much"), parts)


def differences_section(results: Results) -> m.Section | None:
    """Return the differences of proposals in the primary measure; None for fairness, which `scores_section` shows."""
    measure = results.plan.question_measure.name
    if measure == FAIRNESS or results.primary_comparisons.empty:
        return None
    title = tr("What changes: {measure}", measure=results.measure_name(measure))
    return m.Section("asked", title, [gain_chart(results)])


def all_cells_section(results: Results, exact: pd.DataFrame) -> m.Section:
    """Return the numbers of all cells, without charts."""
    parts: list[m.Part] = [_cell_table(results, exact), length_table(results, exact)]
    return m.Section("scores", tr("All results"), parts)


def score_chart(results: Results, exact: pd.DataFrame) -> m.Chart:
    """Return the scores of the first player in all cells."""
    truths = rows_by_cell(exact)
    values = [0.45, 0.55, *exact["exact"]] if len(exact) else [0.45, 0.55]

    def marks(cell: Record) -> tuple[str, Sequence[m.Mark]]:
        truth = truths.get((cell["ruleset"], cell["first"], cell["second"]))
        bounds = m.Bounds(cell["first_score_lowest"], cell["first_score_highest"]) if cell["unfinished"] else NO_BOUNDS
        interval = m.Interval(cell["first_score_low"], cell["first_score_high"])
        dot = m.Dot(cell["first_score"], hollow=cell["balance"] == "undecided")
        return score_text(cell), (bounds, interval, dot, m.Exact(truth["exact"] if truth else math.nan))

    rows = results.rows_of_cells(results.cells, results.plan.pairings, marks, titled=True)
    values += m.interval_ends(rows)
    goal = results.plan.experiment.targets.get("first_score")
    scale = m.fit_scale(
        values, labels.percent_tick, 0.5, target_band(goal) if goal else None, BALANCES["second"], BALANCES["first"]
    )
    sense = _score_caption(results)
    sense.append(
        tr(
            "Dot and bar: the first player's score in the finished games and its 95 % interval; "
            "hollow where it is undecided who is ahead."
        )
    )
    if results.cells["unfinished"].any():
        sense.append(tr("Thin line: what the score could be if all games stopped at the cap were lost or won."))
    if goal:
        sense.append(tr("Shaded: the target."))
    if len(exact) and exact["exact"].notna().any():
        sense.append(tr("Open diamond: the exact value."))
    title = tr("Score of the first player")
    series = results.pairing_series(results.plan.pairings)
    return m.Chart("chart-score", m.Panel(scale, tuple(rows)), sentences(sense), series, "first_score", title)


def _score_caption(results: Results) -> list[str]:
    cells = results.strongest_rows("cells")
    texts = []
    for code in ("first", "second", "balanced"):
        group = [results.short(str(name)) for name in cells.loc[cells["balance"] == code, "ruleset"]]
        if group:
            texts.append(tr("{who} under {names}", who=BALANCES[code], names=join_list(group)))
    count = int((cells["balance"] == "undecided").sum())
    if count:
        texts.append(tr("undecided under {n} of {all}", n=count, all=len(cells)))
    text = tr("Between the strongest players ({level}): {texts}.")
    return [text.format(level=results.level, texts=join_list(texts))] if texts else []


def _either_side(values: Sequence[float]) -> list[float]:
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    half = m.round_up(largest) if largest else 0.0
    return [-half, half]


def gain_chart(results: Results, steady: bool = False) -> m.Chart:
    """Return the differences of the proposals in the measure that was asked.

    ``steady``: on a scale of 1, 2 or 5 times a power of ten on either side, which holds while games come.
    """
    verdicts = results.primary_comparisons
    measure = results.plan.question_measure.name
    times = unit_factor(measure)
    pairings = [pair for pair in results.plan.pairings if not pairing_rows(verdicts, pair).empty]

    def marks(record: Record) -> tuple[str, Sequence[m.Mark]]:
        text = join(" ", [VERDICTS[record["verdict"]].sign, results.difference_text(record)])
        dot = m.Dot(record["difference"], hollow=record["verdict"] in ("undecided", "yardstick"))
        return text, (m.Interval(record["low"], record["high"]), dot)

    rows = results.rows_of_cells(verdicts, pairings, marks, results.plan.proposals)
    strongest = pairing_rows(verdicts, results.strongest)
    # Weak players leave many games unfinished: their intervals may be so wide that no other could be read.
    values = [*verdicts["difference"], *strongest["low"], *strongest["high"]]
    best = strongest.sort_values("difference", ascending=False).to_dict("records")
    margin = float(best[0]["margin"]) if best else math.nan
    label = labels.points_label if times == 100 else labels.number_label
    band_of = None if math.isnan(margin) else (-margin, margin)
    scale = m.fit_scale(
        _either_side(values) if steady else values, label, 0.0, band_of, results.words.less, results.words.more
    )
    sense = []
    if best and not math.isnan(best[0]["difference"]):
        top = best[0] if measure == FAIRNESS else max(best, key=lambda row: abs(row["difference"]))
        text = tr("Largest gain between the strongest players ({level}): {name} with {gain}, {verdict}.")
        if measure != FAIRNESS:
            text = tr("Largest difference between the strongest players ({level}): {name} with {gain}, {verdict}.")
        sense.append(
            text.format(
                level=results.level,
                name=results.short(top["ruleset"]),
                gain=results.change_text(measure, top["difference"], top["low"], top["high"]),
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
            baseline=results.baseline,
            margin=f"{times * margin:.3g}",
            unit=results.unit_name(measure),
            more=results.words.more,
            less=results.words.less,
        )
    )
    if any(pair in results.plan.yardsticks for pair in pairings):
        sense.append(tr("·: random players, a yardstick."))
    sense += results.footnotes(verdicts)
    title = capitalized(results.difference_name())
    series = results.pairing_series(pairings)
    return m.Chart("chart-gain", m.Panel(scale, tuple(rows)), sentences(sense), series, "gain", title)


def _exact_cell(cell: Record, truths: ByCell, name: str) -> m.TableCell:
    """Return the exact value of a cell; empty where it is not known."""
    truth = truths.get((cell["ruleset"], cell["first"], cell["second"]))
    if truth is None:
        return m.TableCell()
    text = labels.format_amount(truth[name], 2) if name == "plies_exact" else labels.format_percent(truth[name], 2)
    return m.numeric_cell(text, truth[name])


def _cell_table(results: Results, exact: pd.DataFrame) -> m.Table:
    truths = rows_by_cell(exact)
    columns = (
        *results.cell_columns(),
        m.Column.amount(tr("games"), "games"),
        m.Column.number(tr("first player's score"), score_cell),
        m.Column.number(tr("exact"), lambda cell: _exact_cell(cell, truths, "exact")),
        m.Column.text(tr("who is ahead"), lambda cell: AHEAD[cell["balance"]]),
        m.Column.share(trc("scores", "draws"), "draw_rate"),
        m.Column.number(tr("capped"), _capped_cell),
        m.Column.number(
            tr("adjudicated"),
            lambda cell: m.share_cell(cell, f"{ADJUDICATED}_rate") if cell.get(ADJUDICATED) else m.TableCell(),
        ),
        m.Column.percent(tr("distinct games"), "distinct_share"),
    )
    caption = tr("All cells. Below the capped games: the range of the score if all of them were lost or won.")
    caption = sentences([caption, results.capped_method_sentence()])
    return _table_of_cells(caption, columns, results)


def _capped_cell(cell: Record) -> m.TableCell:
    """Return the share of the games that were capped, and the bounds of the score where some have no result."""
    if not cell["unfinished"]:
        return m.numeric_cell("0", cell["capped_rate"])
    bounds = f"{100 * cell['first_score_lowest']:.0f}–{100 * cell['first_score_highest']:.0f}"
    return m.numeric_cell(labels.format_percent(cell["capped_rate"]), cell["capped_rate"], bounds)


SCORED = (FAIRNESS, "variety", "decisive_rate")
"""Measures that the scorecard has a column for, whatever was asked."""


def scorecard_section(results: Results) -> m.Section | None:
    """Return the criteria side by side, for the strongest players."""
    chosen = results.strongest_rows("scorecard")
    if chosen.empty:
        return None
    measure = results.plan.question_measure.name
    columns = [
        results.ruleset_column(),
        m.Column.amount(tr("rules changed"), "changed_toggles"),
        m.Column.amount(tr("words in the rules"), "rule_words"),
        m.Column.number(tr("points from even"), _unfairness_cell),
        m.Column.number(tr("different openings (estimate)"), _variety_cell),
        m.Column.amount(tr("median plies"), "plies_median"),
        m.Column.percent(tr("decided games"), "decisive_rate"),
    ]
    if measure not in SCORED:
        compared = rows_by_cell(results.primary_comparisons)

        def asked_cell(row: Record) -> m.TableCell:
            verdict = compared.get((row["ruleset"], *results.strongest))
            value = results.measure_text(row["ruleset"], results.strongest)
            small = VERDICTS[verdict["verdict"]].signed if verdict else untranslated("")
            return m.TableCell(value, small, labels.sort_value(verdict["value"]) if verdict else None, "number")

        columns.insert(1, m.Column.number(results.measure_name(measure), asked_cell))
    if "drama" in chosen and chosen["drama"].notna().any():
        columns.append(m.Column.percent(tr("drama"), "drama"))
    columns.append(m.Column.plain(tr("all in all"), lambda row: _pareto_cell(row, results)))
    caption = tr(
        "Simplicity (first two columns), fairness and variety, and how games go, between the strongest players "
        "({level}). Unbeaten: no other ruleset is at least as good on simplicity, fairness and variety and better on "
        "one; that is no verdict on a ruleset, the more criteria the more rulesets are unbeaten. Below it, how sure "
        "that is: the share of cases in which it holds when the numbers vary within their uncertainty."
    )
    caption = caption.format(level=results.level)
    if chosen["variety"].isna().all():
        unknown = tr("How many openings there are is not known (see Openings): variety decides nothing here.")
        caption = sentences([caption, unknown])
    baseline = next((i for i, row in enumerate(chosen["ruleset"]) if row == results.plan.baseline), None)
    table = m.Table.of(caption, columns, chosen.to_dict("records"), baseline)
    return m.Section("scorecard", tr("Scorecard"), [table])


def _unfairness_cell(row: Record) -> m.TableCell:
    value, low, high = (100 * row[f"unfairness{end}"] for end in ("", "_low", "_high"))
    return m.numeric_cell(labels.format_amount(value, 1), row["unfairness"], labels.format_amounts(low, high, 1))


def _variety_cell(row: Record) -> m.TableCell:
    value, low, high = (row[f"variety{end}"] for end in ("", "_low", "_high"))
    interval = "" if math.isnan(value) else f"{labels.format_kinds(low)}–{labels.format_kinds(high)}"
    return m.numeric_cell(labels.format_kinds(value), value, interval)


def _pareto_cell(row: Record, names: Names) -> m.TableCell:
    share = float(row["pareto_share"])
    held = tr("certainty {share}", share=labels.format_percent(share if row["pareto"] else 1 - share, 0))
    if row["pareto"]:
        # A verdict on its games is another matter: unbeaten is what most rulesets are, and no reason to take one.
        return m.TableCell(tr("unbeaten"), held, -share, "whole")
    by = names.short(str(row["beaten_by"]))
    beaten = tr("beaten by {by}", by=by) if row["beaten_by"] else tr("no")
    return m.TableCell(beaten, held, 1 - share, "whole quiet" if len(by) <= 16 else "quiet")


def lengths_section(results: Results, exact: pd.DataFrame) -> m.Section:
    """Return the lengths of games: the curve of games that still go on, and the quartiles."""
    title = tr("How long the games are")
    charts = [survival_chart(results, pair) for pair in results.plan.pairings]
    drawn = [chart for chart in charts if chart is not None]
    curves = m.SmallMultiples(_caption(results), drawn, "lengths", title)
    return m.Section("lengths", title, [curves, length_table(results, exact)])


def survival_chart(results: Results, pair: Pairing) -> m.Chart | None:
    """Return the share of games of each ruleset that still go on after so many plies, for a pairing."""
    cells = pairing_rows(results.cells, pair)
    if cells.empty:
        return None
    curves = pairing_rows(results.lengths, pair)
    # Where no game ended, up to the cap.
    longest = (float(curves["plies"].max()) if len(curves) else 0.0) or float(results.plan.experiment.max_plies or 1)
    scale = m.fit_scale([longest], lambda value: f"{value:.0f}", from_zero=True, whole=True)
    by_cell = rows_by_cell(cells)
    records = [(ruleset, by_cell.get((ruleset, *pair))) for ruleset in results.rulesets]
    rows = [
        results.ruleset_row(ruleset, [_survival_line(cell, curves, results, pair)], titled=True)
        for ruleset, cell in records
        if cell is not None
    ]
    capped = stopped_games(cells).sum() / max(1, int(cells["games"].sum()))
    caption = tr("{pair}: {capped} of the games were stopped at {cap} plies.")
    if results.plan.agents[pair[0]].kind == PEOPLE:
        caption = tr("{pair}: {capped} of the games have no result.")
    return m.Chart(
        f"chart-lengths-{results.series_number(pair)}",
        m.Panel(scale, tuple(rows)),
        caption.format(
            pair=labels.pairing_text(pair),
            capped=labels.format_percent(capped),
            cap=results.plan.experiment.max_plies or "–",
        ),
        title=labels.pairing_text(pair),
    )


def _caption(results: Results) -> str:
    """Return the shortest and the longest median, and what the curves show."""
    cells = results.strongest_rows("cells").dropna(subset=["plies_median"])
    texts = []
    if len(cells):
        low, high = extreme_rows(cells, "plies_median")
        texts.append(
            tr(
                "Between the strongest players ({level}) the median game takes from {low} plies "
                "({shortest}) to {high} ({longest}).",
                level=results.level,
                low=labels.format_amount(low["plies_median"]),
                high=labels.format_amount(high["plies_median"]),
                shortest=results.short(str(low["ruleset"])),
                longest=results.short(str(high["ruleset"])),
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


def _survival_line(cell: Record, curves: pd.DataFrame, names: Names, pair: Pairing) -> m.Line:
    """Return the curve of a cell's games, with their quartiles."""
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
    return names.pairing_line(pair, text, m.Survival(tuple(steps)), m.Interval(lower, upper), m.Median(median))


def drawn_steps(curve: pd.DataFrame, games: int) -> list[tuple[float, float]]:
    """Return the plies and shares of a curve that are drawn: what moves it by less than a pixel, a fiftieth, is not."""
    steps: list[tuple[float, float]] = []
    drawn = games
    for plies, alive in zip(curve["plies"], curve["alive"], strict=True):
        # Of shares the last digit would decide.
        going_on = round(games * float(alive))
        if not steps or 50 * (drawn - going_on) >= games or not going_on:
            steps.append((float(plies), float(alive)))
            drawn = going_on
    return steps


def length_table(results: Results, exact: pd.DataFrame) -> m.Table:
    """Return the lengths of all cells."""
    truths = rows_by_cell(exact)

    def mean(cell: Record) -> m.TableCell:
        interval = labels.format_amounts(cell["plies_mean_low"], cell["plies_mean_high"], 1)
        return m.numeric_cell(labels.format_amount(cell["plies_mean"], 1), cell["plies_mean"], interval)

    columns = (
        *results.cell_columns(),
        m.Column.amount(tr("a quarter ends by"), "plies_lower_quartile"),
        m.Column.amount(tr("half"), "plies_median"),
        m.Column.amount(tr("three quarters"), "plies_upper_quartile"),
        m.Column.number(tr("mean, up to the cap"), mean),
        m.Column.number(tr("exact mean"), lambda cell: _exact_cell(cell, truths, "plies_exact")),
        m.Column.amount(trc("lengths", "legal moves at a ply"), "legal_moves", 1),
    )
    caption = tr("Plies of all cells; ∞: beyond the cap.")
    return _table_of_cells(sentences([caption, _endings_sentence(results)]), columns, results)


def _table_of_cells(caption: str, columns: Sequence[m.Column], results: Results) -> m.Table:
    """A folded table with a row for each cell; the terminal shows it unless each player's choices make a ruleset."""
    printed = not results.plan.player_choices
    records = results.cells.to_dict("records")
    return m.Table.of(caption, columns, records, folded=True, printed=printed).without_empty_columns()


def _endings_sentence(results: Results) -> str:
    """Return a sentence on the endings of games between the strongest players, the commonest first."""
    cells = results.strongest_rows("cells")
    columns = [str(name) for name in cells if str(name).startswith("ended_by_")]
    counts = cells[[name for name in columns if not name.endswith(("_rate", "_low", "_high"))]].sum()
    ranked = counts[counts > 0].sort_values(ascending=False, kind="stable") / cells["games"].sum()
    if ranked.empty:
        return untranslated("")
    each = [
        tr("{ending} {share}", ending=ending_words(results.rulesets[0], str(name).removeprefix("ended_by_")),
           share=labels.format_rough_percent(share))
        for name, share in ranked.items()
    ]  # fmt: skip
    players = results.level
    return tr(
        "Games between the strongest players ({level}) ended by {endings}.", level=players, endings=join_list(each)
    )
