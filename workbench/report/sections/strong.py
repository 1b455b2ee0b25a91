"""What stronger players would say: the headline about strong play, the verdicts, and the answer by strength."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from workbench.language import listed, sentences, tr, trc, verbatim
from workbench.questions.agent_kinds import KINDS
from workbench.questions.lines import DrawnLines
from workbench.questions.measures import FAIRNESS, FIRST_SCORE
from workbench.report.marks import Dot, Interval, Line, Panel, Row, Series, fit_scale
from workbench.report.model import Chart, Paragraph, Part, Section, SmallMultiples, Table, TableCell, numeric_cell
from workbench.report.names import Names
from workbench.report.numbers import (
    format_amount,
    format_difference,
    format_elo,
    format_share,
    format_signed,
    points_label,
)
from workbench.report.sections.lookup import Record
from workbench.report.sections.phrases import list_rulesets
from workbench.report.sections.rows import ruleset_row
from workbench.report.standings import Standings
from workbench.statistics import Analysis, davidson

WORDS = {
    "settled": (tr("settled"), "✓", "good"),
    "grows": (tr("grows with strength"), "↗", ""),
    "shrinks": (tr("shrinks with strength"), "↘", ""),
    "reverses": (tr("reverses with strength"), "⇄", ""),
    "not_settled": (tr("not settled"), "?", "open"),
}
"""Verdict about strong play -> its words, a sign that needs no colour, and how it is shown."""
FAIRER = {
    "fairer": (trc("strong", "fairer"), "▲", "good"),
    "less_fair": (trc("strong", "less fair"), "▼", "bad"),
    "same": (tr("no meaningful difference"), "=", ""),
    "": (tr("not sure"), "?", "open"),
}
DIRECTIONS = {
    ("first_score", True): {
        "more": tr("the first player scores more"),
        "less": tr("the first player scores less"),
        "none": tr("no meaningful difference"),
    },
    ("draw_rate", True): {
        "more": trc("strong", "more draws"),
        "less": trc("strong", "fewer draws"),
        "none": tr("no meaningful difference"),
    },
    ("first_score", False): {
        "more": tr("first player ahead"),
        "less": tr("second player ahead"),
        "none": tr("balanced"),
    },
}
"""Measure, and whether it is compared with the baseline -> what a direction means."""
REASONS = {
    "one_strength": tr("asks for two budgets of nodes within a factor of ten"),
    "one_search": tr("one family of search alone: add the other ({families})"),
    "players": tr("not all families of search agree: stronger players of each must tell"),
    "evaluations": tr("players of one evaluation say the opposite: see the table by evaluation"),
    "games": tr("about {times} times as many games would tell"),
    "games_never": tr("these players differ too much: stronger ones, or more trainings, must tell"),
    "strength": tr("still changing: ask players of {nodes} nodes (at most {positions} positions to look at)"),
    "not_finished": tr("the run is not finished"),
    "capped_games": tr("too many capped games: raise max_plies, or let a rule end them"),
}
UNKNOWN = tr(
    "What strong play would say, this report cannot tell: it takes players by both kinds of search, each of them at "
    "two strengths."
)
"""Of a report without verdicts about strong play."""
LIMITS = tr(
    "Strong play here is at most one doubling beyond the strongest players of this "
    "experiment. An advantage may grow, fade or turn round later: no law says how."
)


def nodes_text(nodes: int) -> str:
    """A budget as agents are called: 10k, 2500."""
    return f"{nodes // 1000}k" if nodes % 1000 == 0 else f"{nodes}"


def strong_play_headline(analysis: Analysis, names: Names) -> list[Part]:
    """What strong play says of the proposals, in a sentence and a table; nothing without searches by nodes."""
    table = analysis.strong_verdicts
    if table.empty:
        return []
    compared = table[table["compared"].astype(bool) & (table["measure"] == "first_score")]
    if compared.empty:
        alone = table[~table["compared"].astype(bool)].to_dict("records")
        text = tr("Strong play here: {players}.", players=asked_players(analysis, names))
        return [Paragraph(sentences([text, *(_level_text(row, names) for row in alone[:3]), _settled(names)]), "lead")]
    texts = [_fairness_sentence(compared, analysis, names), *_asked_sentences(table, names)]
    levels = table[(table["ruleset"] == names.plan.baseline) & ~table["compared"].astype(bool)]
    texts += [_level_text(row, names) for row in levels.to_dict("records")]
    texts += [*_ahead_sentences(table, names), _settled(names)]
    return [Paragraph(sentences(texts), "lead"), _verdict_table(analysis, names)]


def asked_players(analysis: Analysis, names: Names) -> str:
    """Return whom strong play was asked, by evaluation, and how their games begin: what an answer holds for."""
    players = analysis.strong_players
    strongest = players[players["nodes"] == players["nodes"].max()].drop_duplicates("player")
    counts = strongest["evaluation"].value_counts(sort=False).items()
    return tr(
        "searches of up to {nodes} nodes, {players} players of {searches} families, by evaluation {evaluations}; "
        "{begin}",
        nodes=nodes_text(int(players["nodes"].max())),
        players=len(strongest),
        searches=strongest["search"].nunique(),
        evaluations=listed([verbatim(f"{each} {n}") for each, n in counts]),
        begin=openings_clause(names),
    )


def openings_clause(names: Names) -> str:
    """Return how the games of an experiment begin."""
    openings = names.plan.experiment.openings
    if openings is None:
        return tr("they choose every move from the first on")
    if isinstance(openings, DrawnLines):
        return tr("games begin with {plies} random plies", plies=openings.plies)
    return tr("games begin with lines that were given")


def _settled(names: Names) -> str:
    text = tr(
        "“Settled” is about strength: twice the nodes would surely change the answer by less than {margin} points."
    )
    return text.format(margin=f"{100 * names.plan.margin:.3g}")


def _fairness_sentence(compared: pd.DataFrame, analysis: Analysis, names: Names) -> str:
    """Who is fairer with strong play, and of whom nothing can be told."""
    sure = compared[compared["verdict"] != "not_settled"]
    clauses = []
    for code, text in (
        ("fairer", tr("{names}: fairer than {baseline}")),
        ("less_fair", tr("{names}: less fair")),
        ("same", tr("{names}: no meaningful difference")),
        ("", tr("{names}: whether it is fairer is not sure")),
    ):
        group = [str(name) for name in sure.loc[sure["fairness"] == code, "ruleset"]]
        if group:
            clauses.append(
                text.format(
                    names=list_rulesets(group, names, proposals=True), baseline=names.short(names.plan.baseline)
                )
            )
    open_ones = [str(name) for name in compared.loc[compared["verdict"] == "not_settled", "ruleset"]]
    if open_ones:
        text = tr("{names}: not settled (the table says why)")
        clauses.append(text.format(names=list_rulesets(open_ones, names, proposals=True)))
    lead = tr("With strong play ({players}): {clauses}.")
    return lead.format(players=asked_players(analysis, names), clauses=tr("; ").join(clauses))


def _asked_sentences(table: pd.DataFrame, names: Names) -> list[str]:
    """What strong play says of the measure that the experiment asks for, where that is not fairness."""
    asked = names.plan.question_measure.name
    if asked in (FAIRNESS, FIRST_SCORE):
        return []
    if asked != "draw_rate":
        return [tr("Of strong play only the first player's score, fairness and draws are judged, not what was asked.")]
    compared = table[table["compared"].astype(bool) & (table["measure"] == "draw_rate")]
    clauses = _direction_clauses(compared, DIRECTIONS["draw_rate", True], tr("{names}: {said}"), names)
    return [tr("Draws: {clauses}.").format(clauses=clauses)]


def _level_text(row: Record, names: Names) -> str:
    """The first player's score under a ruleset with strong play."""
    value, low, high = (0.5 + float(row[f"now{end}"]) for end in ("", "_low", "_high"))
    text = tr("Under {name} the first player scores {score} among them: {word}.")
    return text.format(
        name=names.short(str(row["ruleset"])), score=format_share(value, low, high), word=_verdict_text(row)
    )


def _ahead_sentences(table: pd.DataFrame, names: Names) -> list[str]:
    """Who is ahead under the proposals by themselves, if that has settled for any of them."""
    alone = table[~table["compared"].astype(bool) & table["ruleset"].isin(names.plan.proposals)]
    if (alone["verdict"] == "not_settled").all():
        return []
    clause = tr("{said} under {names}")
    clauses = _direction_clauses(alone, DIRECTIONS["first_score", False], clause, names)
    return [tr("The proposals by themselves: {clauses}.").format(clauses=clauses)]


def _direction_clauses(table: pd.DataFrame, directions: Mapping[str, str], clause: str, names: Names) -> str:
    """Of which proposals each direction is said, and of which nothing: a clause for each."""
    sure = table["verdict"] != "not_settled"
    groups = [(phrase, sure & (table["direction"] == code)) for code, phrase in directions.items()]
    clauses = [
        clause.format(
            said=phrase, names=list_rulesets([str(name) for name in table.loc[among, "ruleset"]], names, proposals=True)
        )
        for phrase, among in [*groups, (WORDS["not_settled"][0], ~sure)]
        if among.any()
    ]
    return tr("; ").join(clauses)


def _verdict_text(row: Record) -> str:
    """A verdict with its direction, or why there is none."""
    verdict = str(row["verdict"])
    word = WORDS[verdict][0]
    if verdict == "not_settled":
        reason = tr("{word} ({reason})")
        return reason.format(word=word, reason=reason_text(row))
    phrase = DIRECTIONS[str(row["measure"]), bool(row["compared"])][str(row["direction"])]
    return tr("{said}, {word}").format(said=phrase, word=word)


def reason_text(row: Record) -> str:
    """Why a verdict is not settled, and what would tell."""
    reason = str(row["reason"])
    times = float(row["more_games"])
    if reason == "games" and not math.isfinite(times):
        reason = "games_never"
    by_nodes = [kind.name for kind in KINDS.values() if kind.by_nodes]
    return REASONS[reason].format(
        families=listed(by_nodes),
        times=format_amount(times),
        nodes=nodes_text(2 * int(row["nodes"])),
        positions=format_amount(float(row["next_positions"])),
    )


def verdict_cell(row: Record) -> TableCell:
    """A verdict in a table."""
    text, sign, kind = WORDS[str(row["verdict"])]
    if row["verdict"] == "not_settled":
        small = reason_text(row)
    else:
        small = DIRECTIONS[str(row["measure"]), bool(row["compared"])][str(row["direction"])]
    return TableCell(tr("{sign} {text}", sign=sign, text=text), small, kind=f"verdict {kind}".strip())


def estimate_cell(row: Record, name: str) -> TableCell:
    """A number of a verdict in points, with its interval below."""
    value, low, high = (100 * float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return numeric_cell(format_signed(value), value, f"{format_signed(low)}…{format_signed(high)}")


def _verdict_table(analysis: Analysis, names: Names) -> Table:
    """The verdicts of all proposals on the first player's score, on fairness and on draws."""
    table = analysis.strong_verdicts
    compared = table[table["compared"].astype(bool)]
    scores = {str(row["ruleset"]): row for row in compared[compared["measure"] == "first_score"].to_dict("records")}
    draws = {str(row["ruleset"]): row for row in compared[compared["measure"] == "draw_rate"].to_dict("records")}
    rows = []
    for name in names.proposals:
        if name not in scores:
            continue
        row = scores[name]
        text, sign, kind = FAIRER[str(row["fairness"]) if row["verdict"] != "not_settled" else ""]
        rows.append([
            names.ruleset_cell(name, titled=True),
            verdict_cell(row),
            TableCell(tr("{sign} {text}", sign=sign, text=text), kind=f"verdict {kind}".strip()),
            estimate_cell(row, "now"),
            estimate_cell(row, "change"),
            estimate_cell(row, "next"),
            numeric_cell(
                f"{100 * float(row['spread']):.1f}",
                float(row["spread"]),
                f"{format_signed(100 * float(row['player_low']))}…{format_signed(100 * float(row['player_high']))}",
            ),
            verdict_cell(draws[name]) if name in draws else TableCell(),
        ])  # fmt: skip
    heads = [
        TableCell(tr("proposal")),
        TableCell(tr("strong play")),
        TableCell(tr("fairness")),
        TableCell(tr("difference now"), kind="number"),
        TableCell(tr("a doubling adds"), kind="number"),
        TableCell(tr("after one more"), kind="number"),
        TableCell(tr("players differ by"), kind="number"),
        TableCell(trc("strong", "draws")),
    ]
    caption = tr(
        "What players say as they get stronger: the first player's score less that under "
        "{baseline}, in points, of the strongest players, what each doubling of their nodes "
        "adds, and what one more would give; below, 95 % intervals that allow for the spread "
        "between players (the first and third for all proposals at once). Below how much players "
        "differ, where one more player of these families would lie after that doubling, 19 times out of 20."
    )
    return Table(caption.format(baseline=names.short(names.plan.baseline)), heads, rows)


def strong_play_section(analysis: Analysis, names: Names, standings: Standings) -> Section | None:
    """How the answer changes as players get stronger; nothing without searches by nodes.

    Where a ladder of a ruleset was kept, its Elo says how strong the players of each budget are (``standings``).
    """
    rungs = analysis.strong_rungs
    groups, rungs = rungs[rungs["evaluation"] != ""], rungs[(rungs["search"] == "") & (rungs["evaluation"] == "")]
    if rungs.empty:
        return None
    budgets = sorted({int(nodes) for nodes in rungs["nodes"]})
    series = [Series(i, tr("{n} nodes").format(n=nodes_text(nodes))) for i, nodes in enumerate(budgets)]
    after = Series(len(budgets), tr("one more doubling"))
    charts = []
    verdicts = analysis.strong_verdicts
    for measure, title, stem in (
        ("first_score", tr("First player's score, less the baseline's"), "strong-difference"),
        ("draw_rate", tr("Share of draws, less the baseline's"), "strong-draws"),
    ):
        compared = rungs[rungs["compared"].astype(bool) & (rungs["measure"] == measure)]
        if len(compared):
            nexts = verdicts[verdicts["compared"].astype(bool) & (verdicts["measure"] == measure)]
            charts.append(_difference_chart(compared, nexts, names, budgets, [*series, after], title, f"chart-{stem}"))
    parts: list[Part] = [Paragraph(_method_note(rungs, names), "note")]
    if charts:
        caption = tr(
            "How the answer changes as players get stronger. Each line is a budget of nodes, weak "
            "above strong: the mean over all players with that budget and its 95 % interval, which "
            "allows for how much they differ; hollow, what one more doubling would give. Shaded: "
            "differences too small to matter."
        )
        heading = tr("The answer by strength")
        parts.append(SmallMultiples(caption, charts, "strong-differences", heading))
    strengths = _elo_by_budget(analysis, standings)
    parts.append(_level_charts(rungs[~rungs["compared"].astype(bool)], names, budgets, series, strengths))
    parts += [*_evaluation_table(groups, names), _level_table(verdicts, names)]
    parts.append(_rung_table(analysis, names, strengths))
    parts.append(_player_table(analysis, names))
    return Section("strong-play", tr("What stronger players say"), parts)


def _method_note(rungs: pd.DataFrame, names: Names) -> str:
    """What the strengths are, and what is not claimed."""
    text = tr(
        "Players that search a given number of positions a move play themselves; each number is "
        "the mean over {n} players that differ in the family of their search and in their "
        "settings (evaluation, training, noise)."
    )
    return sentences([text.format(n=int(rungs["players"].max())), LIMITS])


def _difference_chart(
    rungs: pd.DataFrame,
    nexts: pd.DataFrame,
    names: Names,
    budgets: Sequence[int],
    series: Sequence[Series],
    title: str,
    chart: str,
) -> Chart:
    """The differences of all proposals, budget by budget, and after one more doubling."""
    rows: list[Row] = []
    values: list[float] = []
    by_name = {str(row["ruleset"]): row for row in nexts.to_dict("records")}
    for name in names.proposals:
        lines = []
        for row in rungs[rungs["ruleset"] == name].to_dict("records"):
            low, high, value = float(row["low"]), float(row["high"]), float(row["value"])
            number = budgets.index(int(row["nodes"]))
            text = verbatim(format_difference(value, low, high))
            lines.append(Line(number, (Interval(low, high), Dot(value)), text, nodes_text(int(row["nodes"]))))
            values += [low, high]
        after = by_name.get(name)
        if after is not None and after["reason"] != "one_strength":
            low, high, value = (float(after[f"next{end}"]) for end in ("_low", "_high", ""))
            marks = (Interval(low, high), Dot(value, hollow=True))
            lines.append(Line(len(budgets), marks, verbatim(format_difference(value, low, high)), "×2"))
            values += [low, high]
        if lines:
            rows.append(ruleset_row(names, name, lines, titled=True))
    margin = names.plan.margin
    left, right = trc("strong", "less"), trc("strong", "more")
    scale = fit_scale(values, points_label, 0.0, (-margin, margin), left, right)
    return Chart(chart, Panel(scale, tuple(rows)), "", series, title=title)


def _elo_by_budget(analysis: Analysis, standings: Standings) -> dict[tuple[str, int], float]:
    """The mean Elo of a ruleset's players with one budget, of those that stand on its ladder."""
    players = analysis.strong_players[["ruleset", "player", "nodes"]].drop_duplicates()
    found: dict[tuple[str, int], list[float]] = {}
    for row in players.to_dict("records"):
        entry = standings[row["ruleset"]][1].get(str(row["player"])) if row["ruleset"] in standings else None
        if entry is not None:
            found.setdefault((str(row["ruleset"]), int(row["nodes"])), []).append(float(entry["elo"]["value"]))
    return {place: sum(values) / len(values) for place, values in found.items()}


def _level_charts(
    levels: pd.DataFrame,
    names: Names,
    budgets: Sequence[int],
    series: Sequence[Series],
    strengths: Mapping[tuple[str, int], float],
) -> SmallMultiples:
    """The first player's score, draws, and the decisive games of every ruleset by strength."""
    charts = []
    for measure, title, even in (
        ("first_score", tr("First player's score"), 0.5),
        ("draw_rate", tr("Share of draws"), None),
        (
            "decisive_first",
            tr("First player's share of decisive games"),
            0.5,
        ),
    ):
        rows_of_measure = levels[levels["measure"] == measure]
        rows, values = [], []
        for name in names.rulesets:
            lines = []
            for row in rows_of_measure[rows_of_measure["ruleset"] == name].to_dict("records"):
                low, high = max(0.0, float(row["low"])), min(1.0, float(row["high"]))
                value = float(row["value"])
                number = budgets.index(int(row["nodes"]))
                told_text = format_share(value, low, high)
                label = nodes_text(int(row["nodes"]))
                if (name, int(row["nodes"])) in strengths:
                    label += f" · {format_elo(strengths[name, int(row['nodes'])])} Elo"
                lines.append(Line(number, (Interval(low, high), Dot(value)), told_text, label))
                values += [low, high]
            if lines:
                rows.append(ruleset_row(names, name, lines))
        if rows:
            scale = fit_scale(values, lambda each: f"{100 * each:.3g} %", even)
            panel = Panel(scale, tuple(rows))
            charts.append(Chart(f"chart-strong-{measure}", panel, "", series, title=title))
    caption = tr(
        "The rulesets themselves by strength. Where draws grow, the score nears 50 % although "
        "those who win may more and more often be the first: see the share of decisive games."
    )
    return SmallMultiples(caption, charts, "strong-levels", tr("Rulesets by strength"))


def _level_table(verdicts: pd.DataFrame, names: Names) -> Table:
    """Who is ahead under every ruleset with strong play."""
    of = {
        str(row["ruleset"]): row
        for row in verdicts[~verdicts["compared"].astype(bool) & (verdicts["measure"] == "first_score")].to_dict(
            "records"
        )
    }
    rows = [
        [
            names.ruleset_cell(name),
            verdict_cell(of[name]),
            numeric_cell(*_score_estimate(of[name], "now")),
            estimate_cell(of[name], "change"),
            numeric_cell(*_score_estimate(of[name], "next")),
        ]
        for name in names.rulesets
        if name in of
    ]
    heads = [
        TableCell(tr("ruleset")),
        TableCell(tr("strong play")),
        TableCell(tr("first player's score now"), kind="number"),
        TableCell(tr("a doubling adds"), kind="number"),
        TableCell(tr("after one more"), kind="number"),
    ]
    caption = tr(
        "Who is ahead under each ruleset by itself, by the same rules of judgement: a verdict on {judged} of {total}."
    )
    judged = sum(of[name]["verdict"] != "not_settled" for name in of)
    return Table(caption.format(judged=judged, total=len(of)), heads, rows)


def _evaluation_table(groups: pd.DataFrame, names: Names) -> list[Table]:
    """What the strongest players of each evaluation say by themselves; nothing where all have one."""
    groups = groups[(groups["measure"] == FIRST_SCORE) & (groups["nodes"] == groups["nodes"].max())]
    compared = groups["compared"].astype(bool)
    groups = groups[compared] if compared.any() else groups
    evaluations = list(dict.fromkeys(groups["evaluation"]))
    if len(evaluations) < 2:
        return []
    said = {(str(row["ruleset"]), str(row["evaluation"])): row for row in groups.to_dict("records")}
    rows = [
        [names.ruleset_cell(name)] + [
            _group_cell(said[name, each]) if (name, each) in said else TableCell() for each in evaluations
        ]
        for name in dict.fromkeys(map(str, groups["ruleset"]))
    ]  # fmt: skip
    players = groups.groupby("evaluation")["players"].max()
    heads = [
        TableCell(tr("{evaluation} (players: {n})", evaluation=each, n=int(players[each])), kind="number")
        for each in evaluations
    ]
    caption = tr(
        "By evaluation ({measure}): means of the strongest players by their own games alone, with 95 % intervals. A "
        "direction is settled only if the players of each evaluation have it.",
        measure=tr("score less the baseline's (points)") if compared.any() else tr("first player's score"),
    )
    return [Table(caption, [TableCell(tr("ruleset")), *heads], rows)]


def _group_cell(row: Record) -> TableCell:
    if not row["compared"]:
        return numeric_cell(*_budget_estimate(row))
    return estimate_cell({f"now{end}": row[end.strip("_") or "value"] for end in ("", "_low", "_high")}, "now")


def _score_estimate(row: Record, name: str) -> tuple[str, float]:
    """The first player's score of a verdict, with its interval."""
    return _share_estimate(*(0.5 + float(row[f"{name}{end}"]) for end in ("", "_low", "_high")))


def _share_estimate(value: float, low: float, high: float) -> tuple[str, float]:
    """A share with its interval, as far as a share can go."""
    return format_share(value, max(0.0, low), min(1.0, high)), value


def _budget_estimate(row: Record) -> tuple[str, float]:
    """A share at a budget, with its interval."""
    return _share_estimate(*(float(row[name]) for name in ("value", "low", "high")))


def _rung_table(analysis: Analysis, names: Names, strengths: Mapping[tuple[str, int], float]) -> Table:
    """Every ruleset at every budget: score, draws, the worth of the first move, and how much players differ.

    Below all players of a budget, those of each family of search.
    """
    rungs = analysis.strong_rungs[~analysis.strong_rungs["compared"].astype(bool)]
    rungs = rungs[rungs["evaluation"] == ""]
    rows = []
    for (name, budget, search), group in rungs.groupby(["ruleset", "nodes", "search"], sort=False):
        nodes, family = int(str(budget)), str(search)
        of = {str(row["measure"]): row for row in group.to_dict("records")}
        score, draws, decisive = (of.get(measure) for measure in ("first_score", "draw_rate", "decisive_first"))
        if score is None or draws is None:
            continue
        elo = None if family else strengths.get((str(name), nodes))
        strength = TableCell() if elo is None else numeric_cell(format_elo(elo), elo)
        rows.append([
            names.ruleset_cell(str(name)),
            numeric_cell(nodes_text(nodes), float(nodes)),
            TableCell(verbatim(family) if family else tr("all")),
            *([strength] if strengths else []),
            numeric_cell(*_budget_estimate(score)),
            numeric_cell(*_budget_estimate(draws)),
            *(_davidson_cells(draws, decisive) if decisive is not None else (TableCell(), TableCell())),
            numeric_cell(f"{int(score['players'])}", float(score["players"])),
            numeric_cell(f"{100 * float(score['spread']):.1f}", float(score["spread"])),
        ])  # fmt: skip
    heads = [TableCell(tr("ruleset"))] + [
        TableCell(text, kind=kind)
        for text, kind in (
            (tr("nodes"), "number"),
            (tr("search"), ""),
            *([(tr("strength (Elo)"), "number")] if strengths else []),
            (tr("first player's score"), "number"),
            (trc("strong", "draws"), "number"),
            (tr("worth of moving first (Elo)"), "number"),
            (tr("drawishness"), "number"),
            (trc("strong", "players"), "number"),
            (tr("τ (points)"), "number"),
        )
    ]
    caption = tr(
        "Rulesets by strength, all players together and each family of search by itself, with 95 "
        "% intervals over players. The worth of moving first is that of the odds (gamma) of its "
        "wins to its losses, drawishness (nu) is draws over the geometric mean of wins and "
        "losses, both after Davidson's model; τ is by how much players of one strength differ in "
        "what rules do to them, beyond chance in games. Strength, where a ladder of the ruleset was "
        "kept, is the mean Elo of the players that stand on it."
    )
    return Table(caption, heads, rows, folded=True)


def _davidson_cells(draws: Record, decisive: Record) -> tuple[TableCell, TableCell]:
    """The worth of moving first and drawishness, with their intervals."""
    drawn, won = (
        davidson.ShareInterval(*(min(1.0, max(0.0, float(row[end]))) for end in ("value", "low", "high")))
        for row in (draws, decisive)
    )
    worth = davidson.ShareInterval(*map(davidson.first_move_elo, won))
    nu = davidson.drawishness(drawn, won)
    return (
        TableCell(
            verbatim(format_elo(worth.value)),
            verbatim(f"{format_elo(worth.low)} … {format_elo(worth.high)}"),
            worth.value,
            "number",
        ),
        TableCell(verbatim(_ratio(nu.value)), verbatim(f"{_ratio(nu.low)}–{_ratio(nu.high)}"), nu.value, "number"),
    )


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value < 100 else "∞" if math.isinf(value) else format_amount(value)


def _player_table(analysis: Analysis, names: Names) -> Table:
    """What each single player says."""
    players = analysis.strong_players
    players = players[players["measure"] == "first_score"]
    compared = players[players["compared"].astype(bool)]
    shown = compared if len(compared) else players
    rows = []
    for row in shown.to_dict("records"):
        value, low, high = (float(row[name]) for name in ("value", "low", "high"))
        text = verbatim(format_difference(value, low, high)) if len(compared) else format_share(value, low, high)
        rows.append([
            names.ruleset_cell(str(row["ruleset"])),
            TableCell(verbatim(row["player"])),
            numeric_cell(nodes_text(int(row["nodes"])), float(row["nodes"])),
            numeric_cell(text, value),
            numeric_cell(format_amount(float(row["games"])), float(row["games"])),
        ])  # fmt: skip
    heads = [
        TableCell(tr("ruleset")),
        TableCell(tr("player")),
        TableCell(tr("nodes"), kind="number"),
        TableCell(
            tr("score less the baseline's (points)") if len(compared) else tr("first player's score"),
            kind="number",
        ),
        TableCell(tr("games"), kind="number"),
    ]
    caption = tr("What each player says by itself.")
    return Table(caption, heads, rows, folded=True)
