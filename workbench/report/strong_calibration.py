"""The page that shows how often verdicts about strong play are right."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from workbench.exact.strong_calibration import GIVEN, WRONG, StrongCalibration
from workbench.files import output
from workbench.report.marks import Interval, Line, Panel, Row, Series, fit_scale
from workbench.report.model import Chart, SmallMultiples
from workbench.report.numbers import signed
from workbench.report.render import matplotlib as drawing
from workbench.report.text import EMPTY, Text, verbatim
from workbench.store import records

FILES = ("strong-play.md", "strong-play.csv", "strong-play.png", "strong-play.svg")
OUTCOMES = {
    "right": Text("right", "正しい"),
    "not_settled": Text("not settled", "定まらない"),
    "wrong": Text("wrong", "誤り"),
}
ASKED = {
    "hidden": Text("What stronger players say, who were hidden", "隠しておいた、より強いプレイヤーの答え"),
    "best_play": Text("What best play says", "最善手順の答え"),
}


def write(calibration: StrongCalibration, folder: output.Folder, source: str) -> list[Path]:
    """Writes the page, its table and its picture into a folder; returns the files. ``source`` is the experiment."""
    with folder.edition("Nothing in it was changed.") as stage:
        page = output.write(stage / FILES[0], _page(calibration, source).encode())
        table = output.write(stage / FILES[1], records.csv(calibration.table, "%.6g").encode())
        figures = drawing.save(drawing.figure(_charts(calibration)), stage / "strong-play")
    return [folder.path / path.name for path in (page, table, *figures)]


def _charts(calibration: StrongCalibration) -> SmallMultiples:
    """How many verdicts are right, not settled and wrong, game by game."""
    series = [Series(i, text) for i, text in enumerate(OUTCOMES.values())]
    charts = []
    for asked, title in ASKED.items():
        table = calibration.table[calibration.table["asked"] == asked]
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


def _page(calibration: StrongCalibration, source: str) -> str:
    table = calibration.table
    budgets = ", ".join(f"{nodes:,}" for nodes in calibration.budgets)
    lines = [
        "# Calibration: are verdicts about strong play right?",
        "",
        f"The rulesets of `{source}` are solved: who wins with best play is known. Players search {budgets} nodes",
        "a move. Of each ruleset it was asked whether the first seat scores more than one half, and of each difference",
        "from the first ruleset of its game which way it goes. First the strongest budget was hidden, and what the",
        "others foretold was compared with what the hidden players did; then all spoke, and best play answered.",
        "",
    ]
    for asked, title in ASKED.items():
        counts = calibration.counts(asked)
        given = counts["right"] + counts["wrong"]
        every = sum(counts.values())
        share = f"{100 * counts['wrong'] / given:.1f} %" if given else "–"
        lines.append(
            f"* {title.en}: **{counts['right']} right, {counts['not_settled']} not settled, {counts['wrong']} wrong** "
            f"of {every}. Verdicts were given in {100 * given / max(1, every):.0f} % of the cases (wanted: at least "
            f"{100 * GIVEN:.0f} %), and {share} of them were wrong (wanted: at most {100 * WRONG:.0f} %)."
        )
    lines += ["", "![Right, not settled and wrong verdicts](strong-play.png)", ""]
    lines += [
        "| game | asked of | right | not settled | wrong |",
        "|---|---|---:|---:|---:|",
    ]
    for (game, question), of in table.groupby(["game", "asked"], sort=False):
        numbers = " | ".join(str(int((of["outcome"] == outcome).sum())) for outcome in OUTCOMES)
        lines.append(f"| {game} | {'hidden players' if question == 'hidden' else 'best play'} | {numbers} |")
    wrong = table[table["outcome"] == "wrong"]
    if len(wrong):
        lines += [
            "",
            "The wrong ones:",
            "",
            "| ruleset | less | asked of | verdict | now | truth |",
            "|---|---|---|---|---:|---:|",
        ]
        lines += [_wrong(row) for _, row in wrong.iterrows()]
    return "\n".join([*lines, "", f"Made by `workbench calibrate --strong-play reports/{source}`.", ""])


def _wrong(row: pd.Series) -> str:
    asked = "hidden players" if row["asked"] == "hidden" else "best play"
    now, truth = signed(100 * float(row["now"])), signed(100 * float(row["truth"]))
    verdict = f"{row['verdict']}, {row['direction']}"
    return f"| {row['ruleset']} | {row['baseline'] or '½'} | {asked} | {verdict} | {now} | {truth} |"
