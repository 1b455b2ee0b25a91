"""The page that shows how often verdicts about strong play are right."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from workbench.exact.strong_calibration import ASKED, BEST_PLAY, GIVEN, HIDDEN, PUBLISHED, WRONG, StrongCalibration
from workbench.files import output
from workbench.report.marks import Interval, Line, Panel, Row, Series, fit_scale
from workbench.report.model import Chart, SmallMultiples
from workbench.report.numbers import signed
from workbench.report.render import matplotlib as drawing
from workbench.report.text import EMPTY, Text, joined, verbatim
from workbench.store import records

FILES = ("strong-play.md", "strong-play.csv", "strong-play.png", "strong-play.svg")
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
SHORT = {HIDDEN: "hidden players", BEST_PLAY: "best play", PUBLISHED: "others"}
REASONS = {
    "games": "too few games",
    "players": "the two families of search contradict each other",
    "strength": "still changing with strength",
    "capped_games": "too many games without an end",
    "one_strength": "too few budgets",
    "one_search": "one family of search alone",
    "not_finished": "games are missing",
}
MEASURES = {"first_score": "score", "draw_rate": "draws"}


def write(calibration: StrongCalibration, folder: output.Folder) -> list[Path]:
    """Writes the page, its table and its picture into a folder; returns the files."""
    with folder.edition("Nothing in it was changed.") as stage:
        page = output.write(stage / FILES[0], _page(calibration).encode())
        table = output.write(stage / FILES[1], records.csv(calibration.table, "%.6g").encode())
        figures = drawing.save(drawing.figure(_charts(calibration)), stage / "strong-play")
    return [folder.path / path.name for path in (page, table, *figures)]


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


def _page(calibration: StrongCalibration) -> str:
    table = calibration.table
    lines = ["# Calibration: are verdicts about strong play right?", ""]
    lines += [
        "Of the rulesets of these experiments it is known who wins with best play, or others have published what",
        "strong players did:",
        "",
    ]
    lines += [
        f"* `{name}`: {table.loc[table['experiment'] == name, 'ruleset'].nunique()} rulesets; players search "
        f"{joined([f'{nodes:,}' for nodes in budgets]).en} nodes a move;"
        for name, budgets in calibration.budgets.items()
    ]
    lines[-1] = lines[-1].removesuffix(";") + "."
    lines += [
        "",
        "Of each ruleset it was asked whether the first seat scores more than one half, and of each difference from",
        "the first ruleset of its game which way it goes. First the strongest budget was hidden, and what the others",
        "foretold was compared with what the hidden players did; then all spoke, and best play answered, or those",
        "published results that have a direction. A balanced score, or no meaningful difference, is wrong where best",
        "play wins: players may agree, hardly change from budget to budget, and still not see it.",
        "",
    ]
    for asked in ASKED:
        of = table[table["asked"] == asked]
        if of.empty:
            continue
        counts = calibration.counts(asked)
        given, every = counts["right"] + counts["wrong"], len(of)
        wanted = "none" if asked == PUBLISHED else f"at most {100 * WRONG:.0f} %"
        enough = "" if asked == PUBLISHED else f" (wanted: at least {100 * GIVEN:.0f} %)"
        share = f"{100 * counts['wrong'] / given:.1f} % of them were wrong" if given else "none could be wrong"
        lines.append(
            f"* {QUESTIONS[asked].en}: **{counts['right']} right, {counts['not_settled']} not settled, "
            f"{counts['wrong']} wrong** of {every}. Verdicts were given in {100 * given / every:.0f} % of the "
            f"cases{enough}, and {share} (wanted: {wanted})."
        )
    lines += ["", "![Right, not settled and wrong verdicts](strong-play.png)", ""]
    lines += ["| game | asked of | right | not settled | wrong |", "|---|---|---:|---:|---:|"]
    for (game, question), of in table.groupby(["game", "asked"], sort=False):
        numbers = " | ".join(str(int((of["outcome"] == outcome).sum())) for outcome in OUTCOMES)
        lines.append(f"| {game} | {SHORT[str(question)]} | {numbers} |")
    reasons = table.loc[table["outcome"] == "not_settled", "reason"].value_counts()
    if len(reasons):
        words = joined([f"{REASONS[str(reason)]} ({count})" for reason, count in reasons.items()]).en
        lines += ["", f"Why nothing was settled: {words}."]
    wrong = table[table["outcome"] == "wrong"]
    if len(wrong):
        lines += ["", "The wrong ones:", ""]
        lines += ["| ruleset | less | measure | asked of | verdict | now | truth |", "|---|---|---|---|---|---:|---:|"]
        lines += [_wrong(row) for _, row in wrong.iterrows()]
    folders = " ".join(f"--strong-play reports/{name}" for name in calibration.budgets)
    return "\n".join([*lines, "", f"Made by `workbench calibrate {folders}`.", ""])


def _wrong(row: pd.Series) -> str:
    now, truth = signed(100 * float(row["now"])), signed(100 * float(row["truth"]))
    verdict = f"{row['verdict']}, {row['direction']}"
    of = f"{row['ruleset']} | {row['baseline'] or '½'} | {MEASURES[row['measure']]} | {SHORT[row['asked']]}"
    return f"| {of} | {verdict} | {now} | {truth} |"
