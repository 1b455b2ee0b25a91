"""Strong play and its players' strength, and results known from elsewhere: best play, and published differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from workbench.base import project
from workbench.base.language import COMMA, bilingual, join, join_list, sentences, tr, trc, untranslated
from workbench.experiments.experiment_files import DrawnLines, Published
from workbench.experiments.measures import FIRST_SCORE
from workbench.games.results import RESULT_WORDS, SCORES, SEATS
from workbench.players.agent_kinds import KINDS, training_key
from workbench.records.provenance import best_ladder_for, saved_ladders
from workbench.report import labels
from workbench.report import model as m
from workbench.report.names import ByCell, Names, Pairing, Record, Results, estimate, rows_by_cell, score_cell
from workbench.report.verdicts import BALANCES, DIRECTIONS, REASONS, VERDICTS
from workbench.statistics import intervals
from workbench.statistics.intervals import Estimate
from workbench.statistics.portrait import Depth, ladder_depths

Standings = Mapping[str, tuple[Mapping[str, Any], Mapping[str, Mapping[str, Any]]]]
"""Ruleset -> (its saved ladder, the players' entries on it by label)."""


def ladder_standings(provenance: Mapping[str, Any]) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Return each ruleset's best saved ladder with the same engine and its entries for the experiment's players."""
    reports = project.find_project().reports
    players = {
        str(pairing[seat]): pairing[f"{seat}_options"]
        for pairing in provenance["pairings"]
        for seat in SEATS
        if pairing.get(f"{seat}_options")
    }
    engines = provenance.get("engines") or {}
    standings = {}
    for ruleset in provenance["rulesets"]:
        name, engine = str(ruleset["name"]), str(engines.get(ruleset.get("game"), ""))
        options = {label: _with_training_digest(values, provenance, name) for label, values in players.items()}
        if standing := best_ladder_for(reports, str(ruleset["fingerprint"]), engine, options):
            standings[name] = standing
    return standings


def depths_by_ruleset(provenance: Mapping[str, Any]) -> dict[str, list[Depth]]:
    """Return the depths from each ruleset's largest saved ladder with the same engine and any players."""
    reports = project.find_project().reports
    engines = provenance.get("engines") or {}
    depths: dict[str, list[Depth]] = {}
    for ruleset in provenance["rulesets"]:
        engine = str(engines.get(ruleset.get("game"), ""))
        ladders = saved_ladders(reports, str(ruleset["fingerprint"]))
        if ladder := next((candidate for candidate in ladders if candidate["engine"] == engine), None):
            depths[str(ruleset["name"])] = ladder_depths(ladder)
    return depths


def _with_training_digest(options: Mapping[str, Any], provenance: Mapping[str, Any], ruleset: str) -> dict[str, Any]:
    """Return a player's options with the digest of its weights if it was trained on the ruleset."""
    learned = (provenance.get("learned") or {}).get(ruleset) or {}
    entry = learned.get(training_key(str(options.get("evaluation") or ""), int(options.get("training") or 0)))
    return {**options, "learned": entry["digest"]} if entry else dict(options)


def strength_section(standings: Standings, results: Results) -> m.Section | None:
    """Return the players' scores against each other and their ladder ratings, or None if neither exists."""
    parts: list[m.Part] = []
    if not results.strength.empty:
        columns = (
            m.Column.text(tr("player"), lambda row: untranslated(row["agent"])),
            m.Column.text(tr("opponent"), lambda row: untranslated(row["opponent"])),
            m.Column.share(tr("score"), "score"),
            m.Column.amount(tr("games"), "games"),
        )
        caption = tr("Both seatings and all rulesets combined; draws and capped games count half.")
        parts.append(m.Table.of(caption, columns, results.strength.to_dict("records"), printed=True))
    if standings:
        parts += _ladder_parts(standings, results)
    return m.Section("strength", tr("How strong the players are"), parts) if parts else None


def _ladder_parts(standings: Standings, names: Names) -> list[m.Part]:
    players = list(dict.fromkeys(label for pairing in names.plan.pairings for label in pairing))
    entries = [
        {**standings[ruleset][1][label], "ruleset": ruleset, "label": label, "games": standings[ruleset][0]["games"]}
        for ruleset in names.rulesets
        if ruleset in standings
        for label in players
        if label in standings[ruleset][1]
    ]

    def player(row: Record) -> m.TableCell:
        return m.TableCell(untranslated(row["label"]), sort=float(players.index(row["label"])))

    def elo_column(heading: str, name: str) -> m.Column:
        return m.Column.number(
            heading, lambda row: m.numeric_cell(labels.format_elo_estimate(row[name]), row[name]["value"])
        )

    columns = (
        names.ruleset_column(), m.Column.plain(tr("player"), player), elo_column("Elo", "elo"),
        elo_column(tr("value of moving first"), "first_move"), m.Column.amount(tr("ladder games"), "games"),
    )  # fmt: skip
    zeros = join_list(list(dict.fromkeys(str(ladder["zero"]) for ladder, _ in standings.values())))
    caption = tr(
        "This experiment's players on the saved ladders of its rulesets (workbench ladder), in Elo, with 95 % "
        "intervals; {zeros} is 0. Ladders of different rulesets share only that player, not a scale."
    ).format(zeros=zeros)
    parts: list[m.Part] = [m.Table.of(caption, columns, entries)]
    if missing := [names.short(ruleset) for ruleset in names.rulesets if ruleset not in standings]:
        parts.append(m.Paragraph(tr("No ladder has been saved for {rulesets}.", rulesets=join_list(missing)), "note"))
    return parts


# Verdicts on strong play

LIMITS = tr(
    "Strong play here means at most one doubling beyond this experiment's strongest players. Beyond that, an "
    "advantage may grow, fade or reverse."
)


def nodes_text(nodes: int) -> str:
    """Return a node budget in the form of player labels, such as 10k or 2500."""
    return f"{nodes // 1000}k" if nodes % 1000 == 0 else f"{nodes}"


def strong_level_sentences(results: Results) -> list[str]:
    """Return sentences on the first player's score under strong play if rulesets are not compared."""
    table = results.strong_verdicts
    if table.empty or table["compared"].astype(bool).any():
        return []
    levels = [_level_sentence(row, results) for row in table.to_dict("records")[:3]]
    return [_players_sentence(results), *levels]


def strong_verdict_tables(results: Results) -> list[m.Part]:
    """Return a table of the verdicts on strong play, or an empty list if there are none."""
    table = results.strong_verdicts
    compared = table[table["compared"].astype(bool) & (table["measure"] == "first_score")] if len(table) else table
    return [] if compared.empty else [_verdict_table(results)]


def judged_players(results: Results) -> str:
    """Describe the players by which strong play is judged and the openings of their games."""
    strongest = _strongest_players(results)
    return tr(
        "{players} computer players ({searches} kinds of search, up to {nodes:,} positions a move); {begin}",
        nodes=int(strongest["nodes"].max()), players=len(strongest), searches=strongest["search"].nunique(),
        begin=openings_clause(results),
    )  # fmt: skip


def _strongest_players(results: Results) -> pd.DataFrame:
    players = results.strong_players
    strongest: pd.DataFrame = players[players["nodes"] == players["nodes"].max()].drop_duplicates("player")
    return strongest


def _players_sentence(results: Results) -> str:
    counts = _strongest_players(results)["evaluation"].value_counts(sort=False).items()
    evaluations = join_list([untranslated(f"{evaluation} {n}") for evaluation, n in counts])
    text = tr("Players asked: {players}. By evaluation: {evaluations}.")
    return text.format(players=judged_players(results), evaluations=evaluations)


def openings_clause(names: Names) -> str:
    """Describe how an experiment's games start."""
    openings = names.plan.experiment.openings
    if openings is None:
        return tr("they choose all moves themselves")
    if isinstance(openings, DrawnLines):
        return tr("games begin with {plies} random plies", plies=openings.plies)
    return tr("games begin with given lines")


def _level_sentence(row: Record, names: Names) -> str:
    score = labels.format_share(*estimate(row, "now").plus(0.5))
    verdict = VERDICTS[row["verdict"]].text
    if row["verdict"] == "not_settled":
        verdict = tr("{word} ({reason})", word=verdict, reason=reason_text(row))
    else:
        verdict = tr("{said}, {word}", said=_direction_text(row), word=verdict)
    text = tr("Under {name}, the first player scores {score} between them: {word}.")
    return text.format(name=names.short(row["ruleset"]), score=score, word=verdict)


def _direction_text(row: Record) -> str:
    return DIRECTIONS[row["measure"], bool(row["compared"])][row["direction"]]


def reason_text(row: Record) -> str:
    """Return the reason why a verdict is not settled, with a remedy."""
    reason, times = row["reason"], float(row["more_games"])
    if reason == "games" and not math.isfinite(times):
        reason = "games_never"
    return REASONS[reason].format(
        families=join_list([kind.name for kind in KINDS.values() if kind.has_node_budget]),
        times=labels.format_amount(times),
        nodes=nodes_text(2 * int(row["nodes"])),
        positions=labels.format_amount(float(row["next_positions"])),
        evaluations=evaluations_text(row),
    )


def evaluations_text(row: Record) -> str:
    """Return the strongest players' results in points by evaluation, or "" if they share one evaluation."""
    means = [part.split("=") for part in str(row["evaluations"]).split("; ") if "=" in part]
    texts = [untranslated(f"{name} {labels.format_signed(100 * float(mean))}") for name, mean in means]
    return join(COMMA, texts if len(texts) > 1 else [])


def verdict_cell(row: Record) -> m.TableCell:
    """Return a verdict with its reason or direction."""
    settled = row["verdict"] != "not_settled"
    return VERDICTS[row["verdict"]].cell(_direction_text(row) if settled else reason_text(row))


def estimate_cell(row: Record, name: str = "") -> m.TableCell:
    """Return a verdict's estimate ``name`` in points with its interval; if it is "", a node budget's estimate."""
    value, low, high = _estimate(row, name).scaled(100)
    return m.numeric_cell(
        labels.format_signed(value), value, f"{labels.format_signed(low)}…{labels.format_signed(high)}"
    )


def _estimate(row: Record, name: str = "") -> Estimate:
    return estimate(row, name) if name else Estimate(*(float(row[end]) for end in ("value", "low", "high")))


def _by_ruleset(verdicts: pd.DataFrame, measure: str) -> dict[str, Record]:
    return {row["ruleset"]: row for row in verdicts[verdicts["measure"] == measure].to_dict("records")}


def _estimate_column(heading: str, name: str) -> m.Column:
    return m.Column.number(heading, lambda row: estimate_cell(row, name))


def _verdict_table(results: Results) -> m.Table:
    """Return a table of the verdicts on all proposals: first player's score, fairness and draws."""
    compared = results.strong_verdicts[results.strong_verdicts["compared"].astype(bool)]
    scores, draws = _by_ruleset(compared, "first_score"), _by_ruleset(compared, "draw_rate")

    def fairness(row: Record) -> m.TableCell:
        settled = row["fairness"] if row["verdict"] != "not_settled" else ""
        return VERDICTS[settled or "undecided"].cell()

    def spread(row: Record) -> m.TableCell:
        low, high = (labels.format_signed(100 * float(row[f"player_{end}"])) for end in ("low", "high"))
        return m.numeric_cell(f"{100 * float(row['spread']):.1f}", float(row["spread"]), f"{low}…{high}")

    columns = (
        m.Column.plain(tr("proposal"), lambda row: results.ruleset_cell(row["ruleset"], titled=True)),
        m.Column.plain(tr("strong play"), verdict_cell), m.Column.plain(tr("fairness"), fairness),
        _estimate_column(tr("difference now"), "now"), _estimate_column(tr("a doubling adds"), "change"),
        _estimate_column(tr("after one more"), "next"), m.Column.number(tr("players differ by"), spread),
        m.Column.optional(trc("strong", "draws"), lambda row: draws.get(row["ruleset"]), verdict_cell),
    )  # fmt: skip
    caption = tr(
        "The effect as players get stronger: the first player's score minus that under {baseline}, in points, for the "
        "strongest players; its change with each doubling of their nodes; and the prediction for one more doubling. "
        "Below: 95 % intervals that account for the spread between players (the first and third simultaneous for all "
        "proposals) and, below the spread, the interval for one further player of these families after that doubling."
    )
    records = [scores[name] for name in results.plan.proposals if name in scores]
    return m.Table.of(caption.format(baseline=results.baseline), columns, records)


def strong_play_section(results: Results, standings: Standings) -> m.Section | None:
    """Return the section on strong play, or None if no search is limited by nodes.

    ``standings`` supply the players' Elo ratings.
    """
    rungs = results.strong_rungs
    groups, rungs = rungs[rungs["evaluation"] != ""], rungs[(rungs["search"] == "") & (rungs["evaluation"] == "")]
    if rungs.empty:
        return None
    budgets = sorted({int(nodes) for nodes in rungs["nodes"]})
    series = [m.Series(i, tr("{n} nodes", n=nodes_text(nodes))) for i, nodes in enumerate(budgets)]
    verdicts = results.strong_verdicts
    note = m.Paragraph(sentences([_players_sentence(results), LIMITS]), "note")
    parts: list[m.Part] = [note, *_curvature_note(verdicts, results)]
    charts = []
    for measure, title, stem in (
        ("first_score", tr("First player's score minus the baseline's"), "strong-difference"),
        ("draw_rate", tr("Share of draws minus the baseline's"), "strong-draws"),
    ):
        compared, next_level = (
            table[table["compared"].astype(bool) & (table["measure"] == measure)] for table in (rungs, verdicts)
        )
        if len(compared):
            rows = _difference_rows(compared, next_level, results, budgets)
            margin = results.plan.margin
            left, right = trc("strong", "less"), trc("strong", "more")
            scale = m.fit_scale(m.interval_ends(rows), labels.points_label, 0.0, (-margin, margin), left, right)
            all_series = [*series, m.Series(len(budgets), tr("one more doubling"))]
            charts.append(m.Chart(f"chart-{stem}", m.Panel(scale, tuple(rows)), "", all_series, title=title))
    if charts:
        caption = tr(
            "How the answer changes as players get stronger. Each line is a node budget, the weakest at the top: the "
            "mean over all players with that budget and its 95 % interval, which accounts for their differences; "
            "hollow: the prediction for one more doubling. Shaded: differences too small to matter."
        )
        parts.append(m.SmallMultiples(caption, charts, "strong-differences", tr("The answer by playing strength")))
    elo = _elo_by_budget(results, standings)
    parts.append(_level_charts(rungs[~rungs["compared"].astype(bool)], results, budgets, series, elo))
    parts += [*_evaluation_table(groups, results), _level_table(verdicts, results)]
    parts += [_rung_table(results, elo), _player_table(results)]
    return m.Section("strong-play", tr("What stronger players say"), parts)


def _curvature_note(verdicts: pd.DataFrame, names: Names) -> list[m.Part]:
    """Return a note if scores deviate significantly from a straight line over three or more budgets."""
    compared = verdicts["compared"].astype(bool)
    is_score = (verdicts["measure"] == FIRST_SCORE) & (compared if compared.any() else ~compared)
    curved = verdicts[is_score & (verdicts["curvature_low"] * verdicts["curvature_high"] > 0)]
    if curved.empty:
        return []
    text = tr(
        "Not a straight line: the effect of doubling the nodes on the first player's score itself changes by "
        "{changes} points with each doubling. Such an answer is settled only if the next doubling along the "
        "curve also changes it by less than the margin."
    )
    changes = [
        tr("{change} ({name})", name=names.short(row["ruleset"]),
           change=labels.format_difference(*estimate(row, "curvature")))
        for row in curved.to_dict("records")
    ]  # fmt: skip
    return [m.Paragraph(text.format(changes=join_list(changes)), "note")]


def _difference_rows(
    rungs: pd.DataFrame, next_level: pd.DataFrame, names: Names, budgets: Sequence[int]
) -> list[m.Row]:
    """Return the proposals' differences at each budget and after one more doubling."""

    def line(number: int, difference: Estimate, label: str, hollow: bool = False) -> m.Line:
        text = untranslated(labels.format_difference(*difference))
        return m.Line(number, m.estimate_marks(*difference, hollow=hollow), text, label)

    rows: list[m.Row] = []
    by_name = {row["ruleset"]: row for row in next_level.to_dict("records")}
    for name in names.plan.proposals:
        lines = [
            line(budgets.index(int(row["nodes"])), _estimate(row), nodes_text(int(row["nodes"])))
            for row in rungs[rungs["ruleset"] == name].to_dict("records")
        ]
        prediction = by_name.get(name)
        if prediction is not None and prediction["reason"] != "one_strength":
            lines.append(line(len(budgets), estimate(prediction, "next"), "×2", hollow=True))
        if lines:
            rows.append(names.ruleset_row(name, lines, titled=True))
    return rows


def _elo_by_budget(results: Results, standings: Standings) -> dict[tuple[str, int], float]:
    """Return the mean ladder Elo of players by ruleset and node budget."""
    players = results.strong_players[["ruleset", "player", "nodes"]].drop_duplicates()
    elo: dict[tuple[str, int], list[float]] = {}
    for row in players.to_dict("records"):
        entry = standings[row["ruleset"]][1].get(row["player"]) if row["ruleset"] in standings else None
        if entry is not None:
            elo.setdefault((row["ruleset"], int(row["nodes"])), []).append(float(entry["elo"]["value"]))
    return {key: sum(values) / len(values) for key, values in elo.items()}


def _level_charts(
    levels: pd.DataFrame, names: Names, budgets: Sequence[int], series: Sequence[m.Series],
    elo: Mapping[tuple[str, int], float],
) -> m.SmallMultiples:  # fmt: skip
    """Return charts by strength: the first player's score, draws and decisive games under every ruleset."""
    charts = []
    for measure, title, even in (
        ("first_score", tr("First player's score"), 0.5),
        ("draw_rate", tr("Share of draws"), None),
        ("decisive_first", tr("First player's share of decisive games"), 0.5),
    ):
        table = levels[levels["measure"] == measure]
        rows = []
        for name in names.rulesets:
            lines = []
            for row in table[table["ruleset"] == name].to_dict("records"):
                nodes, share = int(row["nodes"]), _share_estimate(row)
                label = nodes_text(nodes)
                if (name, nodes) in elo:
                    label += f" · {labels.format_elo(elo[name, nodes])} Elo"
                text = labels.format_share(*share)
                lines.append(m.Line(budgets.index(nodes), m.estimate_marks(*share), text, label))
            if lines:
                rows.append(names.ruleset_row(name, lines))
        if rows:
            scale = m.fit_scale(m.interval_ends(rows), labels.percent_tick, even)
            charts.append(m.Chart(f"chart-strong-{measure}", m.Panel(scale, tuple(rows)), "", series, title=title))
    caption = tr(
        "The rulesets themselves by playing strength. As draws increase, the score approaches 50 % even if the "
        "first player wins more of the decisive games: see the first player's share of those."
    )
    return m.SmallMultiples(caption, charts, "strong-levels", tr("Rulesets by strength"))


def _level_table(verdicts: pd.DataFrame, names: Names) -> m.Table:
    """Return a table of every ruleset's balance under strong play."""
    rows = _by_ruleset(verdicts[~verdicts["compared"].astype(bool)], "first_score")
    columns = (
        names.ruleset_column(),
        m.Column.plain(tr("strong play"), verdict_cell),
        m.Column.number(tr("first player's score now"), lambda row: _share_cell(row, "now", 0.5)),
        _estimate_column(tr("a doubling adds"), "change"),
        m.Column.number(tr("after one more"), lambda row: _share_cell(row, "next", 0.5)),
    )
    caption = tr(
        "Who is ahead under each ruleset by itself, judged by the same criteria: {judged} of {total} have a verdict."
    )
    judged = sum(row["verdict"] != "not_settled" for row in rows.values())
    records = [rows[name] for name in names.rulesets if name in rows]
    return m.Table.of(caption.format(judged=judged, total=len(rows)), columns, records)


def _evaluation_table(groups: pd.DataFrame, names: Names) -> list[m.Table]:
    """Return a table of the strongest players' means by evaluation; empty if they share one evaluation."""
    groups = groups[(groups["measure"] == FIRST_SCORE) & (groups["nodes"] == groups["nodes"].max())]
    compared = groups["compared"].astype(bool)
    groups = groups[compared] if compared.any() else groups
    evaluations = list(dict.fromkeys(groups["evaluation"]))
    if len(evaluations) < 2:
        return []
    cell = estimate_cell if compared.any() else _share_cell
    by_key = {(row["ruleset"], row["evaluation"]): row for row in groups.to_dict("records")}
    players = groups.groupby("evaluation")["players"].max()

    def evaluation_column(evaluation: str) -> m.Column:
        heading = tr("{evaluation} (players: {n})", evaluation=evaluation, n=players[evaluation])
        return m.Column.optional(heading, lambda name: by_key.get((name, evaluation)), cell, kind="number")

    columns = [m.Column.plain(tr("ruleset"), names.ruleset_cell), *map(evaluation_column, evaluations)]
    caption = tr(
        "By evaluation ({measure}): means of the strongest players from their own games alone, with 95 % "
        "intervals. A direction is settled only if the players of all evaluations agree on it.",
        measure=tr("score minus the baseline's (points)") if compared.any() else tr("first player's score"),
    )
    return [m.Table.of(caption, columns, dict.fromkeys(groups["ruleset"]))]


def _share_estimate(row: Record, name: str = "", constant: float = 0.0) -> Estimate:
    """Return a share plus a ``constant``, with its interval clipped to [0, 1]."""
    value, low, high = _estimate(row, name).plus(constant)
    return Estimate(value, max(0.0, low), min(1.0, high))


def _share_cell(row: Record, name: str = "", constant: float = 0.0) -> m.TableCell:
    share = _share_estimate(row, name, constant)
    return m.numeric_cell(labels.format_share(*share), share.value)


def _rung_table(results: Results, elo: Mapping[tuple[str, int], float]) -> m.Table:
    """Return a table of every ruleset's results by node budget, for all players and for each family of search."""
    rungs = results.strong_rungs
    rungs = rungs[~rungs["compared"].astype(bool) & (rungs["evaluation"] == "")]
    records = []
    for (ruleset, nodes, search), group in rungs.groupby(["ruleset", "nodes", "search"], sort=False):
        by_measure = {row["measure"]: row for row in group.to_dict("records")}
        if not {"first_score", "draw_rate"} <= set(by_measure):
            continue
        rating = None if str(search) else elo.get((str(ruleset), int(str(nodes))))
        score = by_measure["first_score"]
        records.append({**score, **by_measure, "search": search, "elo": rating, **_davidson_estimates(by_measure)})

    def elo_cell(value: float) -> m.TableCell:
        return m.numeric_cell(labels.format_elo(value), value)

    def first_move_cell(advantage: Estimate) -> m.TableCell:
        value, low, high = map(labels.format_elo, advantage)
        return m.TableCell(untranslated(value), untranslated(f"{low} … {high}"), advantage.value, "number")

    def drawishness_cell(drawishness: Estimate) -> m.TableCell:
        value, low, high = map(_ratio, drawishness)
        return m.TableCell(untranslated(value), untranslated(f"{low}–{high}"), drawishness.value, "number")

    def spread_cell(row: Record) -> m.TableCell:
        return m.numeric_cell(f"{100 * float(row['spread']):.1f}", float(row["spread"]))

    optional = m.Column.optional
    columns = [
        results.ruleset_column(), m.Column.number(tr("nodes"), _nodes_cell),
        m.Column.text(tr("search"), lambda row: untranslated(row["search"]) if row["search"] else tr("all")),
        *([optional(tr("strength (Elo)"), lambda row: row["elo"], elo_cell, kind="number")] if elo else []),
        m.Column.number(tr("first player's score"), lambda row: _share_cell(row["first_score"])),
        m.Column.number(trc("strong", "draws"), lambda row: _share_cell(row["draw_rate"])),
        optional(tr("value of moving first (Elo)"), lambda row: row.get("first_move"), first_move_cell, kind="number"),
        optional(tr("drawishness"), lambda row: row.get("drawishness"), drawishness_cell, kind="number"),
        m.Column.amount(trc("strong", "players"), "players"), m.Column.number(tr("τ (points)"), spread_cell),
    ]  # fmt: skip
    caption = tr(
        "Rulesets by strength, for all players together and for each family of search, with 95 % intervals "
        "over players. The value of moving first is derived from the odds (gamma) of its wins to its losses; "
        "drawishness (nu) is draws over the geometric mean of wins and losses, both in Davidson's model; τ is "
        "the spread of the rules' effects between players of one strength, beyond chance. Strength is the mean "
        "Elo of the players on the ruleset's saved ladder."
    )
    return m.Table.of(caption, columns, records, folded=True)


def _davidson_estimates(by_measure: Mapping[str, Record]) -> dict[str, Estimate]:
    """Return the advantage of moving first and the drawishness; empty if no game was decisive."""
    if "decisive_first" not in by_measure:
        return {}
    draws, wins = (
        Estimate(*(min(1.0, max(0.0, end)) for end in _estimate(by_measure[measure])))
        for measure in ("draw_rate", "decisive_first")
    )
    advantage = Estimate(*map(intervals.first_move_elo, wins))
    return {"first_move": advantage, "drawishness": intervals.drawishness(draws, wins)}


def _nodes_cell(row: Record) -> m.TableCell:
    return m.numeric_cell(nodes_text(int(row["nodes"])), float(row["nodes"]))


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value < 100 else "∞" if math.isinf(value) else labels.format_amount(value)


def _player_table(results: Results) -> m.Table:
    players = results.strong_players
    players = players[players["measure"] == "first_score"]
    compared = players[players["compared"].astype(bool)]
    heading, format_estimate = tr("first player's score"), labels.format_share
    if len(compared):
        heading, format_estimate = tr("score minus the baseline's (points)"), labels.format_difference
    columns = (
        results.ruleset_column(),
        m.Column.text(tr("player"), lambda row: untranslated(row["player"])),
        m.Column.number(tr("nodes"), _nodes_cell),
        m.Column.number(
            heading, lambda row: m.numeric_cell(untranslated(format_estimate(*_estimate(row))), float(row["value"]))
        ),
        m.Column.amount(tr("games"), "games"),
    )
    caption = tr("Results of each individual player.")
    rows = compared if len(compared) else players
    return m.Table.of(caption, columns, rows.to_dict("records"), folded=True)


# Results from other sources


def best_play_section(table: pd.DataFrame, results: Results) -> m.Section | None:
    """Return a comparison of the results with the known values in a `best_play_table`, or None if it is empty."""
    if table.empty:
        return None
    cells = rows_by_cell(results.cells)
    records = [{**cells[row["ruleset"], row["first"], row["second"]], **row} for row in table.to_dict("records")]
    columns = (
        results.ruleset_column(), m.Column.text(tr("best play"), lambda row: RESULT_WORDS[row["best_play"]]),
        m.Column.text(tr("solved here"), lambda row: RESULT_WORDS.get(row["solved"], "")), results.players_column(),
        m.Column.number(tr("first player's score"), score_cell), m.Column.percent(trc("known", "draws"), "draw_rate"),
        m.Column.text(tr("who is ahead"), lambda row: BALANCES[row["balance"]]),
        m.Column.plain(tr("like best play?"), lambda row: VERDICTS[row["agrees"] or "undecided"].unsigned_cell()),
        _known_share_column(tr("began with a winning move"), "wins"),
        _known_share_column(tr("began with a losing move"), "loses"),
    )  # fmt: skip
    caption = tr(
        "Best play compared with the players' scores. Like best play: the side that wins with best play is ahead or, "
        "if best play is a draw, the score is balanced. Imperfect players may favour the other side; then their score "
        "does not reflect the value of the game."
    )
    rulesets = table.drop_duplicates("ruleset").to_dict("records")
    unsolved = [row for row in rulesets if not str(row["source"]).startswith(labels.SOLVED_BY)]
    solved = [row for row in rulesets if row["solved"]]
    text = tr("On {ruleset}, the source says: {said}. Solved here: {solved}. One of the two is wrong.")
    contradictions = [
        text.format(ruleset=results.short(row["ruleset"]), said=RESULT_WORDS[row["best_play"]],
                    solved=RESULT_WORDS[row["solved"]])
        for row in solved
        if row["solved"] != row["best_play"]
    ]  # fmt: skip
    parts: list[m.Part] = [
        *([m.Bullets([_known_value_sentence(row, results) for row in unsolved])] if unsolved else []),
        *([_random_play_table(solved, cells, results)] if solved else []),
        m.Table.of(caption, columns, records, printed=True).without_empty_columns(),
        *(m.Paragraph(warning, "warning") for warning in contradictions),
    ]
    return m.Section("known", tr("What is known about best play"), parts)


def _known_share_column(heading: str, name: str) -> m.Column:
    """Return a column of shares with empty cells for unknown ones."""

    def cell(row: Record) -> m.TableCell:
        unknown = row[name] is None or math.isnan(row[name])
        return m.TableCell() if unknown else m.numeric_cell(labels.format_percent(row[name]), row[name])

    return m.Column.number(heading, cell)


def _random_play_table(solved: Sequence[Record], cells: ByCell, names: Names) -> m.Table:
    """Return a table of the scores of best play, random play and the players for each solved ruleset."""

    def plies(row: Record) -> m.TableCell:
        value = row["best_plies"]
        return m.TableCell() if value is None or math.isnan(value) else m.numeric_cell(f"{value:.0f}", value)

    def best_score(row: Record) -> m.TableCell:
        return m.numeric_cell(labels.format_percent(SCORES[row["solved"]]), SCORES[row["solved"]])

    def score_column(pair: Pairing) -> m.Column:
        heading = labels.pairing_text(pair)
        return m.Column.optional(heading, lambda row: cells.get((row["ruleset"], *pair)), score_cell, kind="number")

    columns = (
        names.ruleset_column(), m.Column.text(tr("best play"), lambda row: RESULT_WORDS[row["solved"]]),
        m.Column.number(tr("plies of best play"), plies), m.Column.number(tr("score with best play"), best_score),
        _known_share_column(tr("exact score in random play"), "random_score"),
        *(score_column(pair) for pair in names.plan.pairings if pair[0] == pair[1]),
    )  # fmt: skip
    caption = tr(
        "Solved rulesets: who wins with best play and in how many plies (the winner hurries, the loser delays), and "
        "the first player's score with best play, in random play, and between this experiment's players."
    )
    return m.Table.of(caption, columns, solved).without_empty_columns()


def _known_value_sentence(row: Record, names: Names) -> str:
    """Return a ruleset's known value with its source."""
    statements = [RESULT_WORDS[row["best_play"]]]
    for moves, text in (
        (row["winning_moves"], tr("winning first moves: {moves}")),
        (row["losing_moves"], tr("losing first moves: {moves}")),
    ):
        if moves:
            statements.append(text.format(moves=join_list(moves.split())))
    text = tr("{ruleset}: {said} ({source}).")
    value = trc("known", "; ").join(statements)
    return text.format(ruleset=names.short(row["ruleset"]), said=value, source=row["source"])


STRONG_PLAY = ("", "")
"""The pairing that represents strong play."""
MOST_COLUMNS = 4
"""The most pairings in a table; if there are more, it shows only the strongest."""
NOT_USABLE = tr("not significant: no direction")


def published_section(table: pd.DataFrame, source: Published | None, names: Names) -> m.Section | None:
    """Return the table of `statistics.published_differences`, or None if nothing was published."""
    if source is None or table.empty:
        return None
    about = tr(
        "Published results ({source}) compared with the same differences in this experiment.", source=source.source
    )
    if source.players:
        players = bilingual(en=source.players, ja=source.players_ja)
        about = join("", [about, tr(" Players: {players}.", players=players)])
    parts: list[m.Part] = [m.Paragraph(about)]
    shown_pairings = names.plan.pairings if len(names.plan.pairings) <= MOST_COLUMNS else (names.strongest,)
    for measure, rows in table.groupby("measure", sort=False):
        compared = set(zip(rows["first"], rows["second"], strict=True))
        pairings = [pair for pair in (STRONG_PLAY, *shown_pairings) if pair in compared]
        parts.append(m.Bullets([_agreement_sentence(rows, str(measure), pair, names) for pair in pairings]))
        parts.append(_published_table(rows, str(measure), pairings, names))
    return m.Section("published", tr("Beside published results"), parts)


def _pairing_text(pair: Pairing) -> str:
    return tr("strong play") if pair == STRONG_PLAY else labels.pairing_text(pair)


def _agreement_sentence(table: pd.DataFrame, measure: str, pair: Pairing, names: Names) -> str:
    """Return a sentence on how many published directions the pairing's games confirm."""
    usable = table["usable"].astype(bool) & (table["first"] == pair[0]) & (table["second"] == pair[1])
    agrees = table.loc[usable, "agrees"]
    yes, no = (int((agrees == code).sum()) for code in ("yes", "no"))
    return tr(
        "{measure}, {players}: of {usable} published directions, {yes} agree, {no} contradict, {open} are undecided.",
        measure=names.measure_name(measure), players=_pairing_text(pair), usable=len(agrees), yes=yes, no=no,
        open=len(agrees) - yes - no,
    )  # fmt: skip


def _published_table(table: pd.DataFrame, measure: str, pairings: Sequence[Pairing], names: Names) -> m.Table:
    """Return a table with a row for each ruleset and a column for strong play and for each pairing."""
    caption = tr(
        "Difference from {baseline} in points, with its 95 % interval ({measure}). Agrees or contradicts: both "
        "intervals exclude 0, on the same side or on opposite sides; for strong play, the verdict has a direction."
    ).format(measure=names.measure_name(measure), baseline=names.baseline)
    by_cell = rows_by_cell(table)

    def published(row: Record) -> m.TableCell:
        number = untranslated(labels.format_difference(*estimate(row, "published")))
        return m.TableCell(number, "" if row["usable"] else NOT_USABLE, float(row["published"]), "number")

    def pairing_column(pair: Pairing) -> m.Column:
        return m.Column.optional(_pairing_text(pair), lambda row: by_cell.get((row["ruleset"], *pair)), _agreement_cell)

    columns = (names.ruleset_column(), m.Column.number(tr("published"), published), *map(pairing_column, pairings))
    return m.Table.of(caption, columns, table.drop_duplicates("ruleset").to_dict("records"))


def _agreement_cell(row: Record) -> m.TableCell:
    """Return a difference in this experiment and its agreement with the published one."""
    sort = float(row["difference"])
    number = untranslated(labels.format_difference(row["difference"], row["low"], row["high"]))
    if row["strong"]:
        verdict = VERDICTS[row["strong"]].text
        if not row["agrees"]:
            return m.TableCell(verdict, number, sort, "verdict open")
        number = tr("{verdict}: {now}", verdict=verdict, now=number)
    elif not row["usable"]:
        return m.TableCell(number, sort=sort)
    agreement = VERDICTS[{"yes": "agrees", "no": "contradicts", "": "undecided"}[row["agrees"]]]
    return agreement.unsigned_cell(number, sort)
