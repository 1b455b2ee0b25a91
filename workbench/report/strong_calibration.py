"""The page that shows how often verdicts about strong play are right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from workbench.exact.strong_calibration import ASKED, BEST_PLAY, GIVEN, HIDDEN, PUBLISHED, WRONG, StrongCalibration
from workbench.files import output
from workbench.language.text import EMPTY, Text, joined, verbatim
from workbench.report.bilingual_page import BilingualPage
from workbench.report.marks import Interval, Line, Panel, Row, Series, fit_scale
from workbench.report.model import Chart, SmallMultiples
from workbench.report.numbers import signed
from workbench.report.sections.strong import DIRECTIONS, WORDS
from workbench.store import records

PAGE = BilingualPage("strong-play", ("strong-play.csv", "strong-play-games.csv"))
OUTCOMES = {
    "right": Text("right", "正しい"),
    "not_settled": Text("not settled", "定まらない"),
    "wrong": Text("wrong", "誤り"),
}
QUESTIONS = {
    HIDDEN: Text("What stronger players say, who were hidden", "隠しておいた、より強いプレイヤーの答え"),
    BEST_PLAY: Text("What best play says", "最善手順の答え"),
    PUBLISHED: Text("What others published", "公表された結果"),
}
SHORT = {
    HIDDEN: Text("hidden players", "隠したプレイヤー"),
    BEST_PLAY: Text("best play", "最善手順"),
    PUBLISHED: Text("others", "公表された結果"),
}
REASONS = {
    "games": Text("too few games", "対局数の不足"),
    "players": Text("the two families of search contradict each other", "2種類の探索の食い違い"),
    "strength": Text("still changing with strength", "強さによる変化の途中"),
    "capped_games": Text("too many games without an end", "終わらない対局"),
    "one_strength": Text("too few budgets", "探索局面数の種類の不足"),
    "one_search": Text("one family of search alone", "探索が1種類だけ"),
    "not_finished": Text("games are missing", "対局の欠け"),
}
MEASURES = {"first_score": Text("score", "得点率"), "draw_rate": Text("draws", "引き分け")}
TITLE = Text("Calibration: are verdicts about strong play right?", "較正：強いプレイヤーについての判定は正しいか")
INTRODUCTION = Text(
    """Of the rulesets of these experiments it is known who wins with best play, or others have published what
strong players did:""",
    "次の実験のルールについては、最善手順でどちらが勝つかが分かっているか、強いプレイヤーの結果が公表されている。",
)
EXPERIMENT = Text(
    "* `{name}`: {rulesets} rulesets; players search {budgets} nodes a move; {games} games, digest {digest}",
    "* `{name}`：ルール{rulesets}種、1手に{budgets}局面を探索するプレイヤー、{games}局、ダイジェスト{digest}",
)
ASKED_OF = Text(
    """Of each ruleset it was asked whether the first seat scores more than one half, and of each difference from
the first ruleset of its game which way it goes. First the strongest budget was hidden, and what the others
foretold was compared with what the hidden players did; then all spoke, and best play answered, or those
published results that have a direction. A balanced score, or no meaningful difference, is wrong where best
play wins: players may agree, hardly change from budget to budget, and still not see it.""",
    """各ルールについて先手の得点率が5割を超えるかを、また同じゲームの最初のルールとの差がどちら向きかを問うた。
まず最大の探索局面数のプレイヤーを隠し、残りのプレイヤーによる予測を、隠したプレイヤーの結果と比べた。次に全プレイヤーの
判定を、最善手順、または公表された結果のうち向きのあるものと比べた。最善手順で勝敗がつくときは、「互角」も「意味のある差なし」も
誤りとする。プレイヤーが一致し、局面数を増やしてもほとんど変わらなくても、見えていないことがあるからである。""",
)
COUNTS = Text(
    "* {question}: **{right} right, {not_settled} not settled, {wrong} wrong** of {every}. Verdicts were given in "
    "{given} % of the cases{enough}, and {share} (wanted: {most}).",
    "* {question}：{every}のうち**正しい{right}、定まらない{not_settled}、誤り{wrong}**。"
    "判定が出たのは{given}%{enough}、{share}（目標：{most}）。",
)
HEADS = (
    Text("| game | asked of | right | not settled | wrong |", "| ゲーム | 比べた相手 | 正しい | 定まらない | 誤り |"),
    verbatim("|---|---|---:|---:|---:|"),
)
WRONG_HEADS = (
    Text(
        "| ruleset | less | measure | asked of | verdict | now | truth |",
        "| ルール | 基準 | 量 | 比べた相手 | 判定 | 現在 | 真の値 |",
    ),
    verbatim("|---|---|---|---|---|---:|---:|"),
)


def write(calibration: StrongCalibration, folder: output.Folder) -> list[Path]:
    """Writes the page, its table and its picture into a folder; returns the files."""
    tables = [records.csv(table, "%.6g").encode() for table in (calibration.table, calibration.played)]
    return PAGE.write(folder, _page(calibration), tables, _charts(calibration))


def _charts(calibration: StrongCalibration) -> SmallMultiples:
    """How many verdicts are right, not settled and wrong, game by game."""
    series = [Series(i, text) for i, text in enumerate(OUTCOMES.values())]
    charts = []
    for asked, title in QUESTIONS.items():
        table = calibration.table[calibration.table["asked"] == asked]
        if table.empty:
            continue
        rows = []
        for game, of in [("", table), *table.groupby("game", sort=False)]:
            lines = []
            for i, outcome in enumerate(OUTCOMES):
                count = int((of["outcome"] == outcome).sum())
                bar = Interval(0.0, count / max(1, len(of)))
                lines.append(Line(i, (bar,), verbatim(f"{count}"), outcome))
            label = verbatim(game) if game else Text("all games", "すべて")
            rows.append(Row(str(game) or "all", label, tuple(lines)))
        scale = fit_scale([0.0, 1.0], lambda share: f"{100 * share:.0f} %", from_zero=True)
        charts.append(Chart(f"strong-play-{asked}", Panel(scale, tuple(rows)), EMPTY, series, title=title))
    caption = Text(
        "Verdicts about strong play beside the truth, game by game: how many were right, not settled, and wrong.",
        "強いプレイヤーについての判定と真実：ゲームごとに、正しい・定まらない・誤りの件数。",
    )
    return SmallMultiples(caption, charts, "strong-play", Text("Are verdicts right?", "判定は正しいか"))


def _page(calibration: StrongCalibration) -> Text:
    """The page in both languages."""
    table, played = calibration.table, calibration.played
    lines = [verbatim("# ").join([EMPTY, TITLE]), EMPTY, INTRODUCTION, EMPTY]
    for name, budgets in calibration.budgets.items():
        lines.append(
            EXPERIMENT.format(
                name=name,
                rulesets=table.loc[table["experiment"] == name, "ruleset"].nunique(),
                budgets=joined([f"{nodes:,}" for nodes in budgets]),
                games=f"{played.loc[played['experiment'] == name, 'games'].sum():,}",
                digest=calibration.digests[name],
            )
        )
    lines += [EMPTY, ASKED_OF, EMPTY]
    lines += [_counted(calibration, asked) for asked in ASKED if (table["asked"] == asked).any()]
    picture = Text("Right, not settled and wrong verdicts", "正しい判定・定まらない判定・誤った判定")
    lines += [EMPTY, PAGE.picture(picture), EMPTY, *HEADS]
    for (game, question), of in table.groupby(["game", "asked"], sort=False):
        numbers = [verbatim(int((of["outcome"] == outcome).sum())) for outcome in OUTCOMES]
        lines.append(_row([verbatim(game), SHORT[str(question)], *numbers]))
    reasons = table.loc[table["outcome"] == "not_settled", "reason"].value_counts()
    if len(reasons):
        number = Text("{reason} ({count})", "{reason}（{count}）")
        words = [number.format(reason=REASONS[str(reason)], count=count) for reason, count in reasons.items()]
        why = Text("Why nothing was settled: {words}.", "定まらなかった理由：{words}。")
        lines += [EMPTY, why.format(words=joined(words))]
    wrong = table[table["outcome"] == "wrong"]
    if len(wrong):
        lines += [EMPTY, Text("The wrong ones:", "誤った判定："), EMPTY, *WRONG_HEADS]
        lines += [_wrong(row) for _, row in wrong.iterrows()]
    command = "workbench calibrate " + " ".join(f"--strong-play reports/{name}" for name in calibration.budgets)
    made = Text(
        "Made by `{command}`; how the games of each ruleset and player ended is in "
        "[strong-play-games.csv](strong-play-games.csv).",
        "`{command}`で作成。ルールとプレイヤーごとの結果は[strong-play-games.csv](strong-play-games.csv)にある。",
    )
    return verbatim("\n").join([*lines, EMPTY, made.format(command=command), EMPTY])


def _counted(calibration: StrongCalibration, asked: str) -> Text:
    """How many verdicts are right, beside what is wanted."""
    counts = calibration.counts(asked)
    every, given = sum(counts.values()), counts["right"] + counts["wrong"]
    share = Text("none could be wrong", "誤りうるものはない")
    if given:
        share = Text("{share} % of them were wrong", "そのうち誤りは{share}%")
        share = share.format(share=f"{100 * counts['wrong'] / given:.1f}")
    enough = Text(" (wanted: at least {given} %)", "（目標：{given}%以上）").format(given=f"{100 * GIVEN:.0f}")
    most = Text("at most {wrong} %", "{wrong}%以下").format(wrong=f"{100 * WRONG:.0f}")
    return COUNTS.format(
        question=QUESTIONS[asked],
        **counts,
        every=every,
        given=f"{100 * given / every:.0f}",
        enough=EMPTY if asked == PUBLISHED else enough,
        share=share,
        most=Text("none", "なし") if asked == PUBLISHED else most,
    )


def _row(cells: Sequence[Text]) -> Text:
    """A line of a table."""
    return Text("| {cells} |", "| {cells} |").format(cells=verbatim(" | ").join(cells))


def _wrong(row: pd.Series) -> Text:
    now, truth = (verbatim(signed(100 * float(row[name]))) for name in ("now", "truth"))
    said = DIRECTIONS[row["measure"], bool(row["baseline"])][row["direction"]]
    verdict = Text(", ", "、").join([WORDS[row["verdict"]][0], said])
    of = (verbatim(row["ruleset"]), verbatim(row["baseline"] or "½"), MEASURES[row["measure"]], SHORT[row["asked"]])
    return _row([*of, verdict, now, truth])
