"""Strong play: the headline, the verdicts, and the answer by strength."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from workbench.base import project
from workbench.base.language import COMMA, join, join_list, sentences, tr, trc, untranslated
from workbench.experiments.experiment_files import DrawnLines
from workbench.experiments.measures import FAIRNESS, FIRST_SCORE
from workbench.games.results import SEATS
from workbench.players.agent_kinds import KINDS, training_key
from workbench.records.provenance import best_ladder_for, saved_ladders
from workbench.report import labels
from workbench.report import model as m
from workbench.report.names import Names, Record
from workbench.report.verdicts import DIRECTIONS, REASONS, VERDICTS
from workbench.statistics import Analysis, intervals
from workbench.statistics.intervals import Estimate
from workbench.statistics.portrait import Depth, ladder_depths

Standings = Mapping[str, tuple[Mapping[str, Any], Mapping[str, Mapping[str, Any]]]]
"""Ruleset -> a kept ladder of its rules, and label -> the player's entry in it."""


def ladder_standings(provenance: Mapping[str, Any]) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """For each ruleset of an experiment with a kept ladder, that ladder and the entries of its players.

    A ladder counts if its rules have the same fingerprint, and the same engine played.
    """
    reports = project.find_project().reports
    players = {
        str(pairing[seat]): pairing[f"{seat}_options"]
        for pairing in provenance["pairings"]
        for seat in SEATS
        if pairing.get(f"{seat}_options")
    }
    engines = provenance.get("engines") or {}
    placed = {
        str(ruleset["name"]): best_ladder_for(
            reports,
            str(ruleset["fingerprint"]),
            str(engines.get(ruleset.get("game"), "")),
            {label: _with_learned(options, provenance, str(ruleset["name"])) for label, options in players.items()},
        )
        for ruleset in provenance["rulesets"]
    }
    return {name: standing for name, standing in placed.items() if standing}


def depths_by_ruleset(provenance: Mapping[str, Any]) -> dict[str, list[Depth]]:
    """For each ruleset with a kept ladder, how deep it is; of several ladders, that with most games counts.

    A ladder counts as in `ladder_standings`, but for its players: they need not be the experiment's.
    """
    reports = project.find_project().reports
    engines = provenance.get("engines") or {}
    found: dict[str, list[Depth]] = {}
    for ruleset in provenance["rulesets"]:
        engine = str(engines.get(ruleset.get("game"), ""))
        whole = (one for one in saved_ladders(reports, str(ruleset["fingerprint"])) if one["engine"] == engine)
        if ladder := next(whole, None):
            found[str(ruleset["name"])] = ladder_depths(ladder)
    return found


def _with_learned(options: Mapping[str, Any], provenance: Mapping[str, Any], ruleset: str) -> dict[str, Any]:
    """Return the options of a player, with the digest of what it has learned of a ruleset."""
    learned = (provenance.get("learned") or {}).get(ruleset) or {}
    key = training_key(str(options.get("evaluation") or ""), int(options.get("training") or 0))
    entry = learned.get(key)
    return {**options, "learned": entry["digest"]} if entry else dict(options)


def strength_section(standings: Standings, analysis: Analysis, names: Names) -> m.Section | None:
    """Scores of players against each other, and their places on the ladders of the rulesets; None without both."""
    parts: list[m.Part] = []
    if not analysis.strength.empty:
        columns = (
            m.Column.text(tr("player"), lambda row: untranslated(row["agent"])),
            m.Column.text(tr("opponent"), lambda row: untranslated(row["opponent"])),
            m.Column.share(tr("score"), "score"),
            m.Column.amount(tr("games"), "games"),
        )
        caption = tr("Both ways of seating and all rulesets added together; draws and capped games count half.")
        parts.append(m.Table.of(caption, columns, analysis.strength.to_dict("records"), printed=True))
    if standings:
        parts += _ladder_parts(standings, names)
    return m.Section("strength", tr("How strong the players are"), parts) if parts else None


def _ladder_parts(standings: Standings, names: Names) -> list[m.Part]:
    players = list(dict.fromkeys(label for pairing in names.plan.pairings for label in pairing))
    placed = [
        {**standings[ruleset][1][label], "ruleset": ruleset, "label": label, "games": standings[ruleset][0]["games"]}
        for ruleset in names.rulesets
        if ruleset in standings
        for label in players
        if label in standings[ruleset][1]
    ]

    def elo_column(head: str, name: str) -> m.Column:
        return m.Column.number(
            head, lambda row: m.numeric_cell(labels.format_elo_estimate(row[name]), row[name]["value"])
        )

    columns = (
        names.ruleset_column(),
        m.Column.plain(
            tr("player"), lambda row: m.TableCell(untranslated(row["label"]), sort=float(players.index(row["label"])))
        ),
        elo_column("Elo", "elo"),
        elo_column(tr("worth of moving first"), "first_move"),
        m.Column.amount(tr("games of the ladder"), "games"),
    )
    zeros = join_list(list(dict.fromkeys(str(ladder["zero"]) for ladder, _ in standings.values())))
    caption = tr(
        "The players of this experiment on the ladders that were kept of its rulesets (workbench ladder), in Elo, with "
        "95 % intervals; {zeros} is 0. Ladders of different rulesets have no common scale but that one player."
    ).format(zeros=zeros)
    parts: list[m.Part] = [m.Table.of(caption, columns, placed)]
    without = [names.short(ruleset) for ruleset in names.rulesets if ruleset not in standings]
    if without:
        parts.append(m.Paragraph(tr("No ladder is kept of {rulesets}.", rulesets=join_list(without)), "note"))
    return parts


UNKNOWN = tr(
    "What strong play would say, this report cannot tell: it takes players by both kinds of search, each of them at "
    "two strengths."
)
"""The note in a report without verdicts about strong play."""
LIMITS = tr(
    "Strong play here is at most one doubling beyond the strongest players of this "
    "experiment. An advantage may grow, fade or turn round later: no law says how."
)


def nodes_text(nodes: int) -> str:
    """Return a budget as agents are called: 10k, 2500."""
    return f"{nodes // 1000}k" if nodes % 1000 == 0 else f"{nodes}"


def strong_play_headline(analysis: Analysis, names: Names) -> list[m.Part]:
    """Return the verdicts about strong play in a sentence and a table; nothing without searches by nodes."""
    table = analysis.strong_verdicts
    if table.empty:
        return []
    compared = table[table["compared"].astype(bool) & (table["measure"] == "first_score")]
    if compared.empty:
        alone = table[~table["compared"].astype(bool)].to_dict("records")
        text = _players_text(analysis, names)
        return [
            m.Paragraph(sentences([text, *(_level_text(row, names) for row in alone[:3]), _settled(names)]), "lead")
        ]
    texts = [_fairness_sentence(compared, analysis, names), *_asked_sentences(table, names)]
    levels = table[(table["ruleset"] == names.plan.baseline) & ~table["compared"].astype(bool)]
    texts += [_level_text(row, names) for row in levels.to_dict("records")]
    texts += [*_ahead_sentences(table, names), _settled(names)]
    return [m.Paragraph(sentences(texts), "lead"), _verdict_table(analysis, names)]


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
        evaluations=join_list([untranslated(f"{each} {n}") for each, n in counts]),
        begin=openings_clause(names),
    )


def _players_text(analysis: Analysis, names: Names) -> str:
    return tr("Players asked: {players}.", players=asked_players(analysis, names))


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
    """Return a sentence on fairness with strong play, proposal by proposal."""
    sure = compared["verdict"] != "not_settled"
    groups = [
        (sure & (compared["fairness"] == "fairer"), tr("{names}: fairer than {baseline}")),
        (sure & (compared["fairness"] == "less_fair"), tr("{names}: less fair")),
        (sure & (compared["fairness"] == "same"), tr("{names}: no meaningful difference")),
        (sure & (compared["fairness"] == ""), tr("{names}: whether it is fairer is not sure")),
        (~sure, tr("{names}: not settled (the table says why)")),
    ]
    base = names.baseline
    clauses = [
        text.format(names=names.list_rulesets(list(compared.loc[among, "ruleset"]), proposals=True), baseline=base)
        for among, text in groups
        if among.any()
    ]
    lead = tr("With strong play ({players}): {clauses}.")
    return lead.format(players=asked_players(analysis, names), clauses=tr("; ").join(clauses))


def _asked_sentences(table: pd.DataFrame, names: Names) -> list[str]:
    """Return a sentence on strong play and the measure in question, where that is not fairness."""
    asked = names.plan.question_measure.name
    if asked in (FAIRNESS, FIRST_SCORE):
        return []
    if asked != "draw_rate":
        return [tr("Of strong play only the first player's score, fairness and draws are judged, not what was asked.")]
    compared = table[table["compared"].astype(bool) & (table["measure"] == "draw_rate")]
    clauses = _direction_clauses(compared, DIRECTIONS["draw_rate", True], tr("{names}: {said}"), names)
    return [tr("Draws: {clauses}.", clauses=clauses)]


def _level_text(row: Record, names: Names) -> str:
    value, low, high = (0.5 + each for each in _numbers(row, "now"))
    text = tr("Under {name} the first player scores {score} among them: {word}.")
    return text.format(
        name=names.short(str(row["ruleset"])), score=labels.format_share(value, low, high), word=_verdict_text(row)
    )


def _ahead_sentences(table: pd.DataFrame, names: Names) -> list[str]:
    """Return a sentence on the balance under the proposals by themselves, if it has settled for any of them."""
    alone = table[~table["compared"].astype(bool) & table["ruleset"].isin(names.plan.proposals)]
    if (alone["verdict"] == "not_settled").all():
        return []
    clause = tr("{said} under {names}")
    clauses = _direction_clauses(alone, DIRECTIONS["first_score", False], clause, names)
    return [tr("The proposals by themselves: {clauses}.", clauses=clauses)]


def _direction_clauses(table: pd.DataFrame, directions: Mapping[str, str], clause: str, names: Names) -> str:
    """Return a clause for each direction with its proposals, and for those that have not settled."""
    sure = table["verdict"] != "not_settled"
    groups = [(phrase, sure & (table["direction"] == code)) for code, phrase in directions.items()]
    clauses = [
        clause.format(said=phrase, names=names.list_rulesets(list(table.loc[among, "ruleset"]), proposals=True))
        for phrase, among in [*groups, (VERDICTS["not_settled"].text, ~sure)]
        if among.any()
    ]
    return tr("; ").join(clauses)


def _verdict_text(row: Record) -> str:
    verdict = str(row["verdict"])
    word = VERDICTS[verdict].text
    if verdict == "not_settled":
        return tr("{word} ({reason})", word=word, reason=reason_text(row))
    phrase = DIRECTIONS[str(row["measure"]), bool(row["compared"])][str(row["direction"])]
    return tr("{said}, {word}", said=phrase, word=word)


def reason_text(row: Record) -> str:
    """Return the reason why a verdict is not settled, with a remedy."""
    reason = str(row["reason"])
    times = float(row["more_games"])
    if reason == "games" and not math.isfinite(times):
        reason = "games_never"
    by_nodes = [kind.name for kind in KINDS.values() if kind.by_nodes]
    return REASONS[reason].format(
        families=join_list(by_nodes),
        times=labels.format_amount(times),
        nodes=nodes_text(2 * int(row["nodes"])),
        positions=labels.format_amount(float(row["next_positions"])),
        evaluations=evaluations_text(row),
    )


def evaluations_text(row: Record) -> str:
    """Return what the strongest players of each evaluation say by their own games, in points; "" where all have one."""
    said = [each.split("=") for each in str(row["evaluations"]).split("; ") if "=" in each]
    texts = [untranslated(f"{name} {labels.format_signed(100 * float(mean))}") for name, mean in said]
    return join(COMMA, texts if len(texts) > 1 else [])


def verdict_cell(row: Record) -> m.TableCell:
    """Return a verdict in a table."""
    if row["verdict"] == "not_settled":
        small = reason_text(row)
    else:
        small = DIRECTIONS[str(row["measure"]), bool(row["compared"])][str(row["direction"])]
    return VERDICTS[str(row["verdict"])].cell(small)


def _numbers(row: Record, name: str) -> tuple[float, ...]:
    """Return a number of a verdict with the ends of its interval; without a name that of a budget."""
    return tuple(
        float(row[end]) for end in ((name, f"{name}_low", f"{name}_high") if name else ("value", "low", "high"))
    )


def estimate_cell(row: Record, name: str = "") -> m.TableCell:
    """Return a number of a verdict in points, with its interval below."""
    value, low, high = (100 * each for each in _numbers(row, name))
    return m.numeric_cell(
        labels.format_signed(value), value, f"{labels.format_signed(low)}…{labels.format_signed(high)}"
    )


def _by_ruleset(verdicts: pd.DataFrame, measure: str) -> dict[str, Record]:
    return {str(row["ruleset"]): row for row in verdicts[verdicts["measure"] == measure].to_dict("records")}


def _estimate_field(head: str, name: str) -> m.Column:
    return m.Column.number(head, lambda row: estimate_cell(row, name))


def _verdict_table(analysis: Analysis, names: Names) -> m.Table:
    """Return the verdicts of all proposals on the first player's score, on fairness and on draws."""
    table = analysis.strong_verdicts
    compared = table[table["compared"].astype(bool)]
    scores, draws = _by_ruleset(compared, "first_score"), _by_ruleset(compared, "draw_rate")

    def fairness(row: Record) -> m.TableCell:
        known = str(row["fairness"]) if row["verdict"] != "not_settled" else ""
        return VERDICTS[known or "undecided"].cell()

    def spread(row: Record) -> m.TableCell:
        low, high = (labels.format_signed(100 * float(row[f"player_{end}"])) for end in ("low", "high"))
        return m.numeric_cell(f"{100 * float(row['spread']):.1f}", float(row["spread"]), f"{low}…{high}")

    def of_draws(row: Record) -> m.TableCell:
        return verdict_cell(draws[str(row["ruleset"])]) if row["ruleset"] in draws else m.TableCell()

    columns = (
        m.Column.plain(tr("proposal"), lambda row: names.ruleset_cell(str(row["ruleset"]), titled=True)),
        m.Column.plain(tr("strong play"), verdict_cell),
        m.Column.plain(tr("fairness"), fairness),
        _estimate_field(tr("difference now"), "now"),
        _estimate_field(tr("a doubling adds"), "change"),
        _estimate_field(tr("after one more"), "next"),
        m.Column.number(tr("players differ by"), spread),
        m.Column.plain(trc("strong", "draws"), of_draws),
    )
    caption = tr(
        "What players say as they get stronger: the first player's score less that under "
        "{baseline}, in points, of the strongest players, what each doubling of their nodes "
        "adds, and what one more would give; below, 95 % intervals that allow for the spread "
        "between players (the first and third for all proposals at once). Below how much players "
        "differ, where one more player of these families would lie after that doubling, 19 times out of 20."
    )
    records = [scores[name] for name in names.plan.proposals if name in scores]
    return m.Table.of(caption.format(baseline=names.baseline), columns, records)


def strong_play_section(analysis: Analysis, names: Names, standings: Standings) -> m.Section | None:
    """Return the answer by the strength of players; None without searches by nodes.

    Where a ladder of a ruleset was kept, its Elo says how strong the players of each budget are (``standings``).
    """
    rungs = analysis.strong_rungs
    groups, rungs = rungs[rungs["evaluation"] != ""], rungs[(rungs["search"] == "") & (rungs["evaluation"] == "")]
    if rungs.empty:
        return None
    budgets = sorted({int(nodes) for nodes in rungs["nodes"]})
    series = [m.Series(i, tr("{n} nodes", n=nodes_text(nodes))) for i, nodes in enumerate(budgets)]
    after = m.Series(len(budgets), tr("one more doubling"))
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
    note = m.Paragraph(sentences([_players_text(analysis, names), LIMITS]), "note")
    parts: list[m.Part] = [note, *_curvature_note(verdicts, names)]
    if charts:
        caption = tr(
            "How the answer changes as players get stronger. Each line is a budget of nodes, weak above strong: the "
            "mean over all players with that budget and its 95 % interval, which allows for how much they differ; "
            "hollow, what one more doubling would give. Shaded: differences too small to matter."
        )
        heading = tr("The answer by strength")
        parts.append(m.SmallMultiples(caption, charts, "strong-differences", heading))
    strengths = _elo_by_budget(analysis, standings)
    parts.append(_level_charts(rungs[~rungs["compared"].astype(bool)], names, budgets, series, strengths))
    parts += [*_evaluation_table(groups, names), _level_table(verdicts, names)]
    parts.append(_rung_table(analysis, names, strengths))
    parts.append(_player_table(analysis, names))
    return m.Section("strong-play", tr("What stronger players say"), parts)


def _curvature_note(verdicts: pd.DataFrame, names: Names) -> list[m.Part]:
    """Return where the score surely follows no straight line through three budgets or more."""
    compared = verdicts["compared"].astype(bool)
    of_score = (verdicts["measure"] == FIRST_SCORE) & (compared if compared.any() else ~compared)
    bent = verdicts[of_score & (verdicts["curvature_low"] * verdicts["curvature_high"] > 0)]
    if bent.empty:
        return []
    text = tr(
        "No straight line: what a doubling of the nodes adds to the first player's score changes itself with each "
        "doubling, by {changes} points. Such an answer is settled only if the next doubling changes it by less than "
        "the margin along the curve, too."
    )
    changes = [
        tr("{change} ({name})", name=names.short(str(row["ruleset"])), change=labels.format_difference(
            float(row["curvature"]), float(row["curvature_low"]), float(row["curvature_high"])
        ))
        for row in bent.to_dict("records")
    ]  # fmt: skip
    return [m.Paragraph(text.format(changes=join_list(changes)), "note")]


def _difference_chart(
    rungs: pd.DataFrame, nexts: pd.DataFrame, names: Names, budgets: Sequence[int], series: Sequence[m.Series],
    title: str, chart: str,
) -> m.Chart:  # fmt: skip
    """Return the differences of all proposals, budget by budget, and after one more doubling."""
    rows: list[m.Row] = []
    by_name = {str(row["ruleset"]): row for row in nexts.to_dict("records")}
    for name in names.plan.proposals:
        lines = [
            _line(budgets.index(int(row["nodes"])), _numbers(row, ""), _difference_text, nodes_text(int(row["nodes"])))
            for row in rungs[rungs["ruleset"] == name].to_dict("records")
        ]
        after = by_name.get(name)
        if after is not None and after["reason"] != "one_strength":
            lines.append(_line(len(budgets), _numbers(after, "next"), _difference_text, "×2", hollow=True))
        if lines:
            rows.append(names.ruleset_row(name, lines, titled=True))
    margin = names.plan.margin
    left, right = trc("strong", "less"), trc("strong", "more")
    scale = m.fit_scale(m.interval_ends(rows), labels.points_label, 0.0, (-margin, margin), left, right)
    return m.Chart(chart, m.Panel(scale, tuple(rows)), "", series, title=title)


def _difference_text(value: float, low: float, high: float) -> str:
    return untranslated(labels.format_difference(value, low, high))


def _line(
    number: int, numbers: Sequence[float], text: Callable[[float, float, float], str], label: str, hollow: bool = False
) -> m.Line:
    value, low, high = numbers
    return m.Line(number, (m.Interval(low, high), m.Dot(value, hollow=hollow)), text(value, low, high), label)


def _elo_by_budget(analysis: Analysis, standings: Standings) -> dict[tuple[str, int], float]:
    """Return the mean Elo of a ruleset's players with one budget, of those that stand on its ladder."""
    players = analysis.strong_players[["ruleset", "player", "nodes"]].drop_duplicates()
    found: dict[tuple[str, int], list[float]] = {}
    for row in players.to_dict("records"):
        entry = standings[row["ruleset"]][1].get(str(row["player"])) if row["ruleset"] in standings else None
        if entry is not None:
            found.setdefault((str(row["ruleset"]), int(row["nodes"])), []).append(float(entry["elo"]["value"]))
    return {place: sum(values) / len(values) for place, values in found.items()}


def _level_charts(
    levels: pd.DataFrame, names: Names, budgets: Sequence[int], series: Sequence[m.Series],
    strengths: Mapping[tuple[str, int], float],
) -> m.SmallMultiples:  # fmt: skip
    """Return the first player's score, draws, and the decisive games of every ruleset by strength."""
    charts = []
    for measure, title, even in (
        ("first_score", tr("First player's score"), 0.5),
        ("draw_rate", tr("Share of draws"), None),
        ("decisive_first", tr("First player's share of decisive games"), 0.5),
    ):
        of_measure = levels[levels["measure"] == measure]
        rows = []
        for name in names.rulesets:
            lines = []
            for row in of_measure[of_measure["ruleset"] == name].to_dict("records"):
                (value, low, high), nodes = _numbers(row, ""), int(row["nodes"])
                label = nodes_text(nodes)
                if (name, nodes) in strengths:
                    label += f" · {labels.format_elo(strengths[name, nodes])} Elo"
                shown = value, max(0.0, low), min(1.0, high)
                lines.append(_line(budgets.index(nodes), shown, labels.format_share, label))
            if lines:
                rows.append(names.ruleset_row(name, lines))
        if rows:
            scale = m.fit_scale(m.interval_ends(rows), labels.percent_tick, even)
            charts.append(m.Chart(f"chart-strong-{measure}", m.Panel(scale, tuple(rows)), "", series, title=title))
    caption = tr(
        "The rulesets themselves by strength. Where draws grow, the score nears 50 % although "
        "those who win may more and more often be the first: see the share of decisive games."
    )
    return m.SmallMultiples(caption, charts, "strong-levels", tr("Rulesets by strength"))


def _level_table(verdicts: pd.DataFrame, names: Names) -> m.Table:
    """Return the balance of every ruleset with strong play."""
    of = _by_ruleset(verdicts[~verdicts["compared"].astype(bool)], "first_score")
    columns = (
        names.ruleset_column(),
        m.Column.plain(tr("strong play"), verdict_cell),
        m.Column.number(tr("first player's score now"), lambda row: _share_cell(row, "now", 0.5)),
        _estimate_field(tr("a doubling adds"), "change"),
        m.Column.number(tr("after one more"), lambda row: _share_cell(row, "next", 0.5)),
    )
    caption = tr(
        "Who is ahead under each ruleset by itself, by the same rules of judgement: a verdict on {judged} of {total}."
    )
    judged = sum(of[name]["verdict"] != "not_settled" for name in of)
    records = [of[name] for name in names.rulesets if name in of]
    return m.Table.of(caption.format(judged=judged, total=len(of)), columns, records)


def _evaluation_table(groups: pd.DataFrame, names: Names) -> list[m.Table]:
    """Return the means of the strongest players of each evaluation; nothing where all have one."""
    groups = groups[(groups["measure"] == FIRST_SCORE) & (groups["nodes"] == groups["nodes"].max())]
    compared = groups["compared"].astype(bool)
    groups = groups[compared] if compared.any() else groups
    evaluations = list(dict.fromkeys(groups["evaluation"]))
    if len(evaluations) < 2:
        return []
    cell = estimate_cell if compared.any() else _share_cell
    said = {(str(row["ruleset"]), str(row["evaluation"])): row for row in groups.to_dict("records")}
    players = groups.groupby("evaluation")["players"].max()

    def of_evaluation(each: str) -> m.Column:
        head = tr("{evaluation} (players: {n})", evaluation=each, n=players[each])
        return m.Column.of_found(head, lambda name: said.get((name, each)), cell, kind="number")

    columns = [m.Column.plain(tr("ruleset"), names.ruleset_cell), *map(of_evaluation, evaluations)]
    caption = tr(
        "By evaluation ({measure}): means of the strongest players by their own games alone, with 95 % intervals. A "
        "direction is settled only if the players of each evaluation have it.",
        measure=tr("score less the baseline's (points)") if compared.any() else tr("first player's score"),
    )
    return [m.Table.of(caption, columns, dict.fromkeys(map(str, groups["ruleset"])))]


def _share_cell(row: Record, name: str = "", constant: float = 0.0) -> m.TableCell:
    """Return a share with its interval, as far as a share can go."""
    value, low, high = (constant + each for each in _numbers(row, name))
    return m.numeric_cell(labels.format_share(value, max(0.0, low), min(1.0, high)), value)


def _rung_table(analysis: Analysis, names: Names, strengths: Mapping[tuple[str, int], float]) -> m.Table:
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
        strength = m.TableCell() if elo is None else m.numeric_cell(labels.format_elo(elo), elo)
        rows.append([
            names.ruleset_cell(str(name)),
            m.numeric_cell(nodes_text(nodes), float(nodes)),
            m.TableCell(untranslated(family) if family else tr("all")),
            *([strength] if strengths else []),
            _share_cell(score),
            _share_cell(draws),
            *(_davidson_cells(draws, decisive) if decisive is not None else (m.TableCell(), m.TableCell())),
            m.numeric_cell(f"{int(score['players'])}", float(score["players"])),
            m.numeric_cell(f"{100 * float(score['spread']):.1f}", float(score["spread"])),
        ])  # fmt: skip
    heads = [m.TableCell(tr("ruleset"))] + [
        m.TableCell(text, kind=kind)
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
        "Rulesets by strength, all players together and each family of search by itself, with 95 % intervals over "
        "players. The worth of moving first is that of the odds (gamma) of its wins to its losses, drawishness (nu) is "
        "draws over the geometric mean of wins and losses, both after Davidson's model; τ is by how much players of "
        "one strength differ in what rules do to them, beyond chance in games. Strength, where a ladder of the ruleset "
        "was kept, is the mean Elo of the players that stand on it."
    )
    return m.Table(caption, heads, rows, folded=True)


def _davidson_cells(draws: Record, decisive: Record) -> tuple[m.TableCell, m.TableCell]:
    """Return the worth of moving first and drawishness, with their intervals."""
    drawn, won = (
        Estimate(*(min(1.0, max(0.0, float(row[end]))) for end in ("value", "low", "high")))
        for row in (draws, decisive)
    )
    worth = Estimate(*map(intervals.first_move_elo, won))
    nu = intervals.drawishness(drawn, won)
    return (
        m.TableCell(
            untranslated(labels.format_elo(worth.value)),
            untranslated(f"{labels.format_elo(worth.low)} … {labels.format_elo(worth.high)}"),
            worth.value,
            "number",
        ),
        m.TableCell(
            untranslated(_ratio(nu.value)), untranslated(f"{_ratio(nu.low)}–{_ratio(nu.high)}"), nu.value, "number"
        ),
    )


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value < 100 else "∞" if math.isinf(value) else labels.format_amount(value)


def _player_table(analysis: Analysis, names: Names) -> m.Table:
    players = analysis.strong_players
    players = players[players["measure"] == "first_score"]
    compared = players[players["compared"].astype(bool)]
    shown = compared if len(compared) else players

    def said(row: Record) -> m.TableCell:
        value, low, high = _numbers(row, "")
        text = (
            untranslated(labels.format_difference(value, low, high))
            if len(compared)
            else labels.format_share(value, low, high)
        )
        return m.numeric_cell(text, value)

    columns = (
        names.ruleset_column(),
        m.Column.text(tr("player"), lambda row: untranslated(row["player"])),
        m.Column.number(tr("nodes"), lambda row: m.numeric_cell(nodes_text(int(row["nodes"])), float(row["nodes"]))),
        m.Column.number(
            tr("score less the baseline's (points)") if len(compared) else tr("first player's score"), said
        ),
        m.Column.amount(tr("games"), "games"),
    )
    caption = tr("What each player says by itself.")
    return m.Table.of(caption, columns, shown.to_dict("records"), folded=True)
