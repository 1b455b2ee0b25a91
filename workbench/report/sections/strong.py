"""What stronger players would say: the headline about strong play, the verdicts, and the answer by strength."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from workbench.language.text import EMPTY, Text, sentences, verbatim
from workbench.questions.agent_kinds import KINDS
from workbench.questions.measures import FAIRNESS, FIRST_SCORE
from workbench.report.marks import Dot, Interval, Line, Panel, Row, Series, fit_scale
from workbench.report.model import Chart, Paragraph, Part, Section, SmallMultiples, Table, TableCell, numeric
from workbench.report.names import Names
from workbench.report.numbers import amount, difference, elo, points_label, share, signed
from workbench.report.sections.lookup import Record
from workbench.report.sections.phrases import named
from workbench.report.sections.rows import ruleset_row
from workbench.report.standings import Standings
from workbench.statistics import Analysis, davidson

WORDS = {
    "settled": (Text("settled", "定まった"), "✓", "good"),
    "grows": (Text("grows with strength", "強いほど広がる"), "↗", ""),
    "shrinks": (Text("shrinks with strength", "強いほど縮まる"), "↘", ""),
    "reverses": (Text("reverses with strength", "強くなると逆転する"), "⇄", ""),
    "not_settled": (Text("not settled", "定まらない"), "?", "open"),
}
"""Verdict about strong play -> its words, a sign that needs no colour, and how it is shown."""
FAIRER = {
    "fairer": (Text("fairer", "より公平"), "▲", "good"),
    "less_fair": (Text("less fair", "より不公平"), "▼", "bad"),
    "same": (Text("no meaningful difference", "意味のある差なし"), "=", ""),
    "": (Text("not sure", "確かではない"), "?", "open"),
}
DIRECTIONS = {
    ("first_score", True): {
        "more": Text("the first player scores more", "先手の得点率が上がる"),
        "less": Text("the first player scores less", "先手の得点率が下がる"),
        "none": Text("no meaningful difference", "意味のある差なし"),
    },
    ("draw_rate", True): {
        "more": Text("more draws", "引き分けが増える"),
        "less": Text("fewer draws", "引き分けが減る"),
        "none": Text("no meaningful difference", "意味のある差なし"),
    },
    ("first_score", False): {
        "more": Text("first player ahead", "先手有利"),
        "less": Text("second player ahead", "後手有利"),
        "none": Text("balanced", "互角"),
    },
}
"""Measure, and whether it is compared with the baseline -> what a direction means."""
REASONS = {
    "one_strength": Text(
        "asks for two budgets of nodes within a factor of ten", "10倍以内の二つ以上の探索局面数が必要"
    ),
    "one_search": Text(
        "one family of search alone: add the other ({families})",
        "探索が1種類だけ：もう一方（{families}）も必要",
    ),
    "players": Text(
        "the two families of search contradict each other: stronger players of both must tell",
        "2種類の探索の答えが食い違う：両方のより強いプレイヤーが必要",
    ),
    "games": Text("about {times} times as many games would tell", "約{times}倍の対局数で分かる見込み"),
    "games_never": Text(
        "these players differ too much: stronger ones, or more trainings, must tell",
        "プレイヤーの間の違いが大きい：より強いプレイヤーか、より多くの学習が必要",
    ),
    "strength": Text(
        "still changing: ask players of {nodes} nodes (at most {positions} positions to look at)",
        "まだ変わりつつある：{nodes}局面の探索で確かめること（最大{positions}局面）",
    ),
    "not_finished": Text("the run is not finished", "実験が完了していない"),
    "capped_games": Text(
        "too many capped games: raise max_plies, or let a rule end them",
        "打ち切りが多い：max_pliesを増やすか、対局が終わる規則が必要",
    ),
}
UNKNOWN = Text(
    "What strong play would say, this report cannot tell: it takes searches of both families with two budgets of "
    "nodes, such as alphabeta: {nodes: [500, 2000]} and best-first: {nodes: [500, 2000]}.",
    "強いプレイヤーならどうなるかは、この報告からは分からない。それには、2種類の探索のそれぞれに二つの探索局面数が必要である"
    "（例：alphabeta: {nodes: [500, 2000]} と best-first: {nodes: [500, 2000]}）。",
)
"""Of a report without verdicts about strong play."""
LIMITS = Text(
    "Strong play here is at most one doubling beyond the strongest players of this experiment. An advantage may grow, "
    "fade or turn round later: no law says how.",
    "ここで言う強いプレイヤーとは、この実験で最も強いプレイヤーの探索局面数の2倍までである。その先で有利さが広がるか、"
    "薄れるか、逆転するかを決める法則はない。",
)


def nodes_text(nodes: int) -> str:
    """A budget as agents are called: 10k, 2500."""
    return f"{nodes // 1000}k" if nodes % 1000 == 0 else f"{nodes}"


def strong_headline(analysis: Analysis, names: Names) -> list[Part]:
    """What strong play says of the proposals, in a sentence and a table; nothing without searches by nodes."""
    table = analysis.strong_verdicts
    if table.empty:
        return []
    compared = table[table["compared"].astype(bool) & (table["measure"] == "first_score")]
    if compared.empty:
        alone = table[~table["compared"].astype(bool)].to_dict("records")
        return [Paragraph(sentences(_level(row, names) for row in alone[:3]), "lead")]
    texts = [_fairness_in_words(compared, names), *_asked_in_words(table, names)]
    levels = table[(table["ruleset"] == names.plan.baseline) & ~table["compared"].astype(bool)]
    texts += [_level(row, names) for row in levels.to_dict("records")]
    texts += _who_is_ahead(table, names)
    return [Paragraph(sentences(texts), "lead"), _verdict_table(analysis, names)]


def _fairness_in_words(compared: pd.DataFrame, names: Names) -> Text:
    """Who is fairer with strong play, and of whom nothing can be told."""
    sure = compared[compared["verdict"] != "not_settled"]
    clauses = []
    for code, text in (
        ("fairer", Text("{names}: fairer than {baseline}", "{names}は{baseline}より公平")),
        ("less_fair", Text("{names}: less fair", "{names}はより不公平")),
        ("same", Text("{names}: no meaningful difference", "{names}は意味のある差なし")),
        ("", Text("{names}: whether it is fairer is not sure", "{names}は公平さについて確かではない")),
    ):
        group = [str(name) for name in sure.loc[sure["fairness"] == code, "ruleset"]]
        if group:
            clauses.append(
                text.format(names=named(group, names, proposals=True), baseline=names.short(names.plan.baseline))
            )
    open_ones = [str(name) for name in compared.loc[compared["verdict"] == "not_settled", "ruleset"]]
    if open_ones:
        text = Text("{names}: not settled (the table says why)", "{names}は定まらない（理由は表のとおり）")
        clauses.append(text.format(names=named(open_ones, names, proposals=True)))
    lead = Text(
        "With strong play (searches of up to {nodes} nodes, {players} players of {searches} families): {clauses}.",
        "強いプレイヤー（{nodes}局面までの探索、{searches}種類の探索・{players}人）では、{clauses}。",
    )
    top = compared.iloc[0]
    return lead.format(
        nodes=nodes_text(int(compared["nodes"].max())),
        players=int(top["players"]),
        searches=int(top["searches"]),
        clauses=Text("; ", "、").join(clauses),
    )


def _asked_in_words(table: pd.DataFrame, names: Names) -> list[Text]:
    """What strong play says of the measure that the experiment asks for, where that is not fairness."""
    asked = names.plan.question_measure.name
    if asked in (FAIRNESS, FIRST_SCORE):
        return []
    if asked != "draw_rate":
        return [
            Text(
                "Of strong play only the first player's score, fairness and draws are judged, not what was asked.",
                "強いプレイヤーについて判定するのは先手の得点率・公平さ・引き分けだけで、問われた量は判定しない。",
            )
        ]
    told = table[table["compared"].astype(bool) & (table["measure"] == "draw_rate")]
    clauses = _by_direction(told, DIRECTIONS["draw_rate", True], Text("{names}: {said}", "{names}は{said}"), names)
    return [Text("Draws: {clauses}.", "引き分け：{clauses}。").format(clauses=clauses)]


def _level(row: Record, names: Names) -> Text:
    """The first player's score under a ruleset with strong play."""
    value, low, high = (0.5 + float(row[f"now{end}"]) for end in ("", "_low", "_high"))
    text = Text(
        "Under {name} the first player scores {score} among them: {word}.",
        "{name}での先手の得点率は{score}：{word}。",
    )
    return text.format(name=names.short(str(row["ruleset"])), score=share(value, low, high), word=_word(row))


def _who_is_ahead(table: pd.DataFrame, names: Names) -> list[Text]:
    """Who is ahead under the proposals by themselves, if that has settled for any of them."""
    alone = table[~table["compared"].astype(bool) & table["ruleset"].isin(names.plan.proposals)]
    if (alone["verdict"] == "not_settled").all():
        return []
    clause = Text("{said} under {names}", "{names}では{said}")
    clauses = _by_direction(alone, DIRECTIONS["first_score", False], clause, names)
    return [Text("The proposals by themselves: {clauses}.", "案ごとには、{clauses}。").format(clauses=clauses)]


def _by_direction(told: pd.DataFrame, directions: Mapping[str, Text], clause: Text, names: Names) -> Text:
    """Of which proposals each direction is said, and of which nothing: a clause for each."""
    sure = told["verdict"] != "not_settled"
    groups = [(said, sure & (told["direction"] == code)) for code, said in directions.items()]
    clauses = [
        clause.format(said=said, names=named([str(name) for name in told.loc[among, "ruleset"]], names, proposals=True))
        for said, among in [*groups, (WORDS["not_settled"][0], ~sure)]
        if among.any()
    ]
    return Text("; ", "、").join(clauses)


def _word(row: Record) -> Text:
    """A verdict with its direction, or why there is none."""
    verdict = str(row["verdict"])
    word = WORDS[verdict][0]
    if verdict == "not_settled":
        reason = Text("{word} ({reason})", "{word}（{reason}）")
        return reason.format(word=word, reason=reason_text(row))
    said = DIRECTIONS[str(row["measure"]), bool(row["compared"])][str(row["direction"])]
    return Text("{said}, {word}", "{said}（{word}）").format(said=said, word=word)


def reason_text(row: Record) -> Text:
    """Why a verdict is not settled, and what would tell."""
    reason = str(row["reason"])
    times = float(row["more_games"])
    if reason == "games" and not math.isfinite(times):
        reason = "games_never"
    by_nodes = [kind.name for kind in KINDS.values() if kind.by_nodes]
    return REASONS[reason].format(
        families=Text(", ".join(by_nodes), "、".join(by_nodes)),
        times=amount(times),
        nodes=nodes_text(2 * int(row["nodes"])),
        positions=amount(float(row["next_positions"])),
    )


def _cell(row: Record) -> TableCell:
    """A verdict in a table."""
    text, sign, kind = WORDS[str(row["verdict"])]
    if row["verdict"] == "not_settled":
        small = reason_text(row)
    else:
        small = DIRECTIONS[str(row["measure"]), bool(row["compared"])][str(row["direction"])]
    return TableCell(Text(f"{sign} {text.en}", f"{sign} {text.ja}"), small, kind=f"verdict {kind}".strip())


def _range(row: Record, name: str) -> TableCell:
    """A number of a verdict in points, with its interval below."""
    value, low, high = (100 * float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return numeric(signed(value), value, f"{signed(low)}…{signed(high)}")


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
            names.cell(name, titled=True),
            _cell(row),
            TableCell(Text(f"{sign} {text.en}", f"{sign} {text.ja}"), kind=f"verdict {kind}".strip()),
            _range(row, "now"),
            _range(row, "change"),
            _range(row, "next"),
            numeric(
                f"{100 * float(row['spread']):.1f}",
                float(row["spread"]),
                f"{signed(100 * float(row['player_low']))}…{signed(100 * float(row['player_high']))}",
            ),
            _cell(draws[name]) if name in draws else TableCell(),
        ])  # fmt: skip
    heads = [
        TableCell(Text("proposal", "案")),
        TableCell(Text("strong play", "強いプレイヤー")),
        TableCell(Text("fairness", "公平さ")),
        TableCell(Text("difference now", "現在の差"), kind="number"),
        TableCell(Text("a doubling adds", "局面数2倍での変化"), kind="number"),
        TableCell(Text("after one more", "もう一度2倍にすると"), kind="number"),
        TableCell(Text("players differ by", "プレイヤー間の差"), kind="number"),
        TableCell(Text("draws", "引き分け")),
    ]
    caption = Text(
        "What players say as they get stronger: the first player's score less that under {baseline}, in points, of the "
        "strongest players, what each doubling of their nodes adds, and what one more would give; below, 95 % "
        "intervals that allow for the spread between players (the first and third for all proposals at once). Below "
        "how much players differ, where one more player would lie after that doubling, 19 times out of 20. Settled: "
        "one more doubling surely changes it by less than {margin} points.",
        "プレイヤーが強くなるにつれて何が言えるか：先手の得点率と{baseline}との差（ポイント）。最も強いプレイヤーの差、"
        "探索局面数が2倍になるごとの変化、もう一度2倍にしたときの予測。下は、プレイヤー間のばらつきを含む95%信頼区間"
        "（差と予測は全案同時）。プレイヤー間の差の下は、もう一度2倍にしたときの別のプレイヤー1人の95%予測区間。「定まった」とは、もう一度2倍にしても変化が{margin}ポイント未満であることが確かなこと。",
    )
    return Table(
        caption.format(baseline=names.short(names.plan.baseline), margin=f"{100 * names.plan.margin:.3g}"), heads, rows
    )


def strong_play(analysis: Analysis, names: Names, standings: Standings) -> Section | None:
    """How the answer changes as players get stronger; nothing without searches by nodes.

    Where a ladder of a ruleset was kept, its Elo says how strong the players of each budget are (``standings``).
    """
    rungs = analysis.strong_rungs[analysis.strong_rungs["search"] == ""]
    if rungs.empty:
        return None
    budgets = sorted({int(nodes) for nodes in rungs["nodes"]})
    series = [Series(i, Text("{n} nodes", "{n}局面").format(n=nodes_text(nodes))) for i, nodes in enumerate(budgets)]
    after = Series(len(budgets), Text("one more doubling", "もう一度2倍"))
    charts = []
    verdicts = analysis.strong_verdicts
    for measure, title, stem in (
        ("first_score", Text("First player's score, less the baseline's", "先手の得点率の差"), "strong-difference"),
        ("draw_rate", Text("Share of draws, less the baseline's", "引き分けの割合の差"), "strong-draws"),
    ):
        told = rungs[rungs["compared"].astype(bool) & (rungs["measure"] == measure)]
        if len(told):
            nexts = verdicts[verdicts["compared"].astype(bool) & (verdicts["measure"] == measure)]
            charts.append(_differences(told, nexts, names, budgets, [*series, after], title, f"chart-{stem}"))
    parts: list[Part] = [Paragraph(_how(rungs, names), "note")]
    if charts:
        caption = Text(
            "How the answer changes as players get stronger. Each line is a budget of nodes, weak above strong: the "
            "mean over all players with that budget and its 95 % interval, which allows for how much they differ; "
            "hollow, what one more doubling would give. Shaded: differences too small to matter.",
            "プレイヤーが強くなると答えがどう変わるか。各行は探索局面数（上が弱い）：同じ局面数の全プレイヤーの平均と、"
            "プレイヤー間の違いを含む95%信頼区間。白抜きはもう一度2倍にした場合の予測。色の帯：意味のない差。",
        )
        heading = Text("The answer by strength", "強さによる答えの変化")
        parts.append(SmallMultiples(caption, charts, "strong-differences", heading))
    strengths = _elo_by_budget(analysis, standings)
    parts.append(_levels(rungs[~rungs["compared"].astype(bool)], names, budgets, series, strengths))
    parts.append(_level_table(verdicts, names))
    parts.append(_rung_table(analysis, names, strengths))
    parts.append(_player_table(analysis, names))
    return Section("strong-play", Text("What stronger players say", "強いプレイヤーの答え"), parts)


def _how(rungs: pd.DataFrame, names: Names) -> Text:
    """What the strengths are, and what is not claimed."""
    text = Text(
        "Players that search a given number of positions a move play themselves; each number is the mean over {n} "
        "players that differ in the family of their search and in their settings (evaluation, training, noise).",
        "1手ごとに決まった数の局面を探索するプレイヤーどうしの対局。各数値は、探索の種類と設定（評価関数・学習・ノイズ）の異なる"
        "最大{n}人のプレイヤーの平均である。",
    )
    return sentences([text.format(n=int(rungs["players"].max())), LIMITS])


def _differences(
    told: pd.DataFrame,
    nexts: pd.DataFrame,
    names: Names,
    budgets: Sequence[int],
    series: Sequence[Series],
    title: Text,
    chart: str,
) -> Chart:
    """The differences of all proposals, budget by budget, and after one more doubling."""
    rows: list[Row] = []
    values: list[float] = []
    by_name = {str(row["ruleset"]): row for row in nexts.to_dict("records")}
    for name in names.proposals:
        lines = []
        for row in told[told["ruleset"] == name].to_dict("records"):
            low, high, value = float(row["low"]), float(row["high"]), float(row["value"])
            number = budgets.index(int(row["nodes"]))
            text = verbatim(difference(value, low, high))
            lines.append(Line(number, (Interval(low, high), Dot(value)), text, nodes_text(int(row["nodes"]))))
            values += [low, high]
        after = by_name.get(name)
        if after is not None and after["reason"] != "one_strength":
            low, high, value = (float(after[f"next{end}"]) for end in ("_low", "_high", ""))
            marks = (Interval(low, high), Dot(value, hollow=True))
            lines.append(Line(len(budgets), marks, verbatim(difference(value, low, high)), "×2"))
            values += [low, high]
        if lines:
            rows.append(ruleset_row(names, name, lines, titled=True))
    margin = names.plan.margin
    left, right = Text("less", "減る"), Text("more", "増える")
    scale = fit_scale(values, points_label, 0.0, (-margin, margin), left, right)
    return Chart(chart, Panel(scale, tuple(rows)), EMPTY, series, title=title)


def _elo_by_budget(analysis: Analysis, standings: Standings) -> dict[tuple[str, int], float]:
    """The mean Elo of a ruleset's players with one budget, of those that stand on its ladder."""
    players = analysis.strong_players[["ruleset", "player", "nodes"]].drop_duplicates()
    found: dict[tuple[str, int], list[float]] = {}
    for row in players.to_dict("records"):
        entry = standings[row["ruleset"]][1].get(str(row["player"])) if row["ruleset"] in standings else None
        if entry is not None:
            found.setdefault((str(row["ruleset"]), int(row["nodes"])), []).append(float(entry["elo"]["value"]))
    return {place: sum(values) / len(values) for place, values in found.items()}


def _levels(
    levels: pd.DataFrame,
    names: Names,
    budgets: Sequence[int],
    series: Sequence[Series],
    strengths: Mapping[tuple[str, int], float],
) -> SmallMultiples:
    """The first player's score, draws, and the decisive games of every ruleset by strength."""
    charts = []
    for measure, title, even in (
        ("first_score", Text("First player's score", "先手の得点率"), 0.5),
        ("draw_rate", Text("Share of draws", "引き分けの割合"), None),
        (
            "decisive_first",
            Text("First player's share of decisive games", "勝敗のついた対局での先手の勝率"),
            0.5,
        ),
    ):
        told = levels[levels["measure"] == measure]
        rows, values = [], []
        for name in names.rulesets:
            lines = []
            for row in told[told["ruleset"] == name].to_dict("records"):
                low, high = max(0.0, float(row["low"])), min(1.0, float(row["high"]))
                value = float(row["value"])
                number = budgets.index(int(row["nodes"]))
                told_text = share(value, low, high)
                label = nodes_text(int(row["nodes"]))
                if (name, int(row["nodes"])) in strengths:
                    label += f" · {elo(strengths[name, int(row['nodes'])])} Elo"
                lines.append(Line(number, (Interval(low, high), Dot(value)), told_text, label))
                values += [low, high]
            if lines:
                rows.append(ruleset_row(names, name, lines))
        if rows:
            scale = fit_scale(values, lambda each: f"{100 * each:.3g} %", even)
            panel = Panel(scale, tuple(rows))
            charts.append(Chart(f"chart-strong-{measure}", panel, EMPTY, series, title=title))
    caption = Text(
        "The rulesets themselves by strength. Where draws grow, the score nears 50 % although those who win may more "
        "and more often be the first: see the share of decisive games.",
        "各ルールの強さによる変化。引き分けが増えると得点率は50%に近づくが、勝敗のついた対局では先手の勝ちが増えることも"
        "ある（勝敗のついた対局での勝率を参照）。",
    )
    return SmallMultiples(caption, charts, "strong-levels", Text("Rulesets by strength", "強さによるルールの姿"))


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
            names.cell(name),
            _cell(of[name]),
            numeric(*_score(of[name], "now")),
            _range(of[name], "change"),
            numeric(*_score(of[name], "next")),
        ]
        for name in names.rulesets
        if name in of
    ]
    heads = [
        TableCell(Text("ruleset", "ルール")),
        TableCell(Text("strong play", "強いプレイヤー")),
        TableCell(Text("first player's score now", "現在の先手の得点率"), kind="number"),
        TableCell(Text("a doubling adds", "局面数2倍での変化"), kind="number"),
        TableCell(Text("after one more", "もう一度2倍にすると"), kind="number"),
    ]
    caption = Text(
        "Who is ahead under each ruleset by itself, by the same rules of judgement: a verdict on {judged} of {total}.",
        "各ルールでどちらが有利か（判定の規則は同じ）。{total}のうち{judged}に判定が出た。",
    )
    judged = sum(of[name]["verdict"] != "not_settled" for name in of)
    return Table(caption.format(judged=judged, total=len(of)), heads, rows)


def _score(row: Record, name: str) -> tuple[Text, float]:
    """The first player's score of a verdict, with its interval."""
    return _clipped(*(0.5 + float(row[f"{name}{end}"]) for end in ("", "_low", "_high")))


def _clipped(value: float, low: float, high: float) -> tuple[Text, float]:
    """A share with its interval, as far as a share can go."""
    return share(value, max(0.0, low), min(1.0, high)), value


def _at_budget(row: Record) -> tuple[Text, float]:
    """A share at a budget, with its interval."""
    return _clipped(*(float(row[name]) for name in ("value", "low", "high")))


def _rung_table(analysis: Analysis, names: Names, strengths: Mapping[tuple[str, int], float]) -> Table:
    """Every ruleset at every budget: score, draws, the worth of the first move, and how much players differ.

    Below all players of a budget, those of each family of search.
    """
    rungs = analysis.strong_rungs[~analysis.strong_rungs["compared"].astype(bool)]
    rows = []
    for (name, budget, search), group in rungs.groupby(["ruleset", "nodes", "search"], sort=False):
        nodes, family = int(str(budget)), str(search)
        of = {str(row["measure"]): row for row in group.to_dict("records")}
        score, draws, decisive = (of.get(measure) for measure in ("first_score", "draw_rate", "decisive_first"))
        if score is None or draws is None:
            continue
        i2 = float(score["i2"])
        of_ladder = None if family else strengths.get((str(name), nodes))
        rows.append([
            names.cell(str(name)),
            numeric(nodes_text(nodes), float(nodes)),
            TableCell(verbatim(family) if family else Text("all", "全体")),
            *([numeric(elo(of_ladder), of_ladder)] if of_ladder is not None else [TableCell()] if strengths else []),
            numeric(*_at_budget(score)),
            numeric(*_at_budget(draws)),
            *(_davidson(draws, decisive) if decisive is not None else (TableCell(), TableCell())),
            numeric(f"{int(score['players'])}", float(score["players"])),
            numeric(f"{float(score['q']):.1f}", float(score["q"]), _p_text(float(score["q_p"]))),
            numeric("–" if math.isnan(i2) else f"{100 * i2:.0f} %", i2),
            numeric(f"{100 * float(score['spread']):.1f}", float(score["spread"])),
        ])  # fmt: skip
    heads = [TableCell(Text("ruleset", "ルール"))] + [
        TableCell(text, kind=kind)
        for text, kind in (
            (Text("nodes", "局面数"), "number"),
            (Text("search", "探索"), ""),
            *([(Text("strength (Elo)", "強さ（Elo）"), "number")] if strengths else []),
            (Text("first player's score", "先手の得点率"), "number"),
            (Text("draws", "引き分け"), "number"),
            (Text("worth of moving first (Elo)", "先手の価値（Elo）"), "number"),
            (Text("drawishness", "引き分けやすさ"), "number"),
            (Text("players", "プレイヤー数"), "number"),
            (Text("Q", "Q"), "number"),
            (Text("I²", "I²"), "number"),
            (Text("τ (points)", "τ（ポイント）"), "number"),
        )
    ]
    caption = Text(
        "Rulesets by strength, all players together and each family of search by itself, with 95 % intervals over "
        "players. The worth of moving first is that of the odds (gamma) of its wins to its losses, drawishness (nu) is "
        "draws over the geometric mean of wins and losses, both after Davidson's model; Q, its p-value, I² and τ say "
        "how much players of one strength differ beyond chance in games. Strength, where a ladder of the ruleset was "
        "kept, is the mean Elo of the players that stand on it.",
        "強さごとの各ルールの値（全プレイヤーと、探索の種類ごと）と、プレイヤー間のばらつきを含む95%信頼区間。"
        "先手の価値は先手勝ちと後手勝ちのオッズ（ガンマ）による。"
        "引き分けやすさは、引き分けの割合を先手勝ちと後手勝ちの割合の幾何平均で割ったもの（デビッドソンのモデルのニュー）。"
        "Q・そのp値・I²・τは、同じ強さのプレイヤーが偶然以上にどれだけ異なるかを示す。強さは、そのルールのはしごが保存されて"
        "いる場合に、はしごにいるプレイヤーのEloの平均。",
    )
    return Table(caption, heads, rows, folded=True)


def _davidson(draws: Record, decisive: Record) -> tuple[TableCell, TableCell]:
    """The worth of moving first and drawishness, with their intervals."""
    drawn, won = (
        davidson.ShareInterval(*(min(1.0, max(0.0, float(row[end]))) for end in ("value", "low", "high")))
        for row in (draws, decisive)
    )
    worth = davidson.ShareInterval(*map(davidson.first_move_elo, won))
    nu = davidson.drawishness(drawn, won)
    return (
        TableCell(verbatim(elo(worth.value)), verbatim(f"{elo(worth.low)} … {elo(worth.high)}"), worth.value, "number"),
        TableCell(verbatim(_ratio(nu.value)), verbatim(f"{_ratio(nu.low)}–{_ratio(nu.high)}"), nu.value, "number"),
    )


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value < 100 else "∞" if math.isinf(value) else amount(value)


def _p_text(p: float) -> str:
    return "" if math.isnan(p) else f"p {p:.2g}"


def _player_table(analysis: Analysis, names: Names) -> Table:
    """What each single player says."""
    players = analysis.strong_players
    players = players[players["measure"] == "first_score"]
    compared = players[players["compared"].astype(bool)]
    shown = compared if len(compared) else players
    rows = []
    for row in shown.to_dict("records"):
        value, low, high = (float(row[name]) for name in ("value", "low", "high"))
        text = verbatim(difference(value, low, high)) if len(compared) else share(value, low, high)
        rows.append([
            names.cell(str(row["ruleset"])),
            TableCell(verbatim(row["player"])),
            numeric(nodes_text(int(row["nodes"])), float(row["nodes"])),
            numeric(text, value),
            numeric(amount(float(row["games"])), float(row["games"])),
        ])  # fmt: skip
    heads = [
        TableCell(Text("ruleset", "ルール")),
        TableCell(Text("player", "プレイヤー")),
        TableCell(Text("nodes", "局面数"), kind="number"),
        TableCell(
            Text("score less the baseline's (points)", "基準との差（ポイント）")
            if len(compared)
            else Text("first player's score", "先手の得点率"),
            kind="number",
        ),
        TableCell(Text("games", "対局数"), kind="number"),
    ]
    caption = Text("What each player says by itself.", "プレイヤーごとの値。")
    return Table(caption, heads, rows, folded=True)
