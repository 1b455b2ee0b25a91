"""The page that shows how the estimates agree with exact values."""

from __future__ import annotations

from pathlib import Path

from workbench.exact.calibration import ALPHA, COVERAGE, EXPERIMENTS, SIZE, Calibration
from workbench.files import output
from workbench.language.text import EMPTY, Text, verbatim
from workbench.report.bilingual_page import BilingualPage
from workbench.report.labels import short_names
from workbench.report.marks import Dot, Interval, Line, Panel, Row, Series, fit_scale
from workbench.report.model import Chart, SmallMultiples
from workbench.report.numbers import points_label, signed
from workbench.store import records

PAGE = BilingualPage("calibration", ("calibration.csv",))
INTRODUCTION = Text(
    """# Calibration: do the estimates agree with the truth?

The star game is small enough to be solved exactly (`workbench solve star/default`), so the true probability
of each result of random play is known to twelve digits. Here the workbench's estimates stand beside it.
""",
    """# 較正：推定値は真の値と一致するか

★のゲームは完全に解析できるほど小さい（`workbench solve star/default`）ので、ランダムな対局の各結果の真の確率が
12桁まで分かっている。ここでは推定値をそれと並べる。
""",
)
AGREE = Text(
    "* **{inside} of {rulesets}** 95 % intervals from {games} random games hold the exact score of the first seat (of "
    "twenty, one misses on average). Score, mean length and the whole distribution of lengths and results agree with "
    "the truth in **{agree} of {rulesets}** rulesets (all together wrongly doubted in {alpha} % of such pages).",
    "* ランダムな対局{games}局による95%信頼区間**{rulesets}個のうち{inside}個**が、先手の厳密な得点率を含む"
    "（平均して20個に1個は外れる）。得点率・平均手数・手数と結果の分布全体は、**{rulesets}ルールのうち{agree}ルール**で真の値と一致する（正しくても"
    "このようなページの{alpha}%では、いずれかが疑われる）。",
)
COVER = Text(
    "* Of {experiments} experiments of {size} games each, between {least} and {most} % have an interval that holds the "
    "exact score: within {low}–{high} % for **{covered} of {rulesets}** rulesets.",
    "* 各{size}局の実験{experiments}回のうち、区間が厳密な得点率を含むのは{least}〜{most}%。"
    "**{rulesets}ルールのうち{covered}ルール**で{low}〜{high}%の範囲にある。",
)
CAUGHT = Text(
    "* A player who lets a heuristic choose one of a hundred of its moves is **caught in {caught} of {biased}** "
    "rulesets.",
    "* 100手に1手だけ評価関数で指すプレイヤーは、**{biased}ルールのうち{caught}ルール**で見破られる。",
)
PICTURE = Text("Differences from the exact score, and coverage", "厳密値との差と、区間が厳密値を含む割合")
HEADS = Text(
    "| ruleset | first seat | exact score | estimate (95 %) | exact plies | estimate | coverage | χ² p | agrees |",
    "| ルール | 先手 | 厳密な得点率 | 推定値（95%） | 厳密な手数 | 推定値 | 被覆率 | χ² p | 一致 |",
)
MADE = Text(
    "Made by `workbench calibrate`: {games} games a cell, seed {seed}.",
    "`workbench calibrate`で作成：1組につき{games}局、シード{seed}。",
)


def write(calibration: Calibration, folder: output.Folder) -> list[Path]:
    """Writes the page, its table and its picture into a folder; returns the files."""
    tables = [records.csv(calibration.table, "%.9g").encode()]
    return PAGE.write(folder, _page(calibration), tables, _charts(calibration))


def _charts(calibration: Calibration) -> SmallMultiples:
    """How far the estimates are from the exact score, and how often intervals hold it."""
    names = list(dict.fromkeys(calibration.table["ruleset"]))
    differences: dict[str, list[Line]] = {name: [] for name in names}
    coverages: dict[str, list[Line]] = {name: [] for name in names}
    ends = []
    for row in calibration.table.to_dict("records"):
        series, label = (0, "random") if row["honest"] else (1, "biased")
        middle, low, high = (float(row[f"first_score{end}"] - row["exact"]) for end in ("", "_low", "_high"))
        share = float(row["coverage"])
        text = verbatim(signed(100 * middle, 2))
        differences[row["ruleset"]].append(Line(series, (Interval(low, high), Dot(middle)), text, label))
        coverages[row["ruleset"]].append(Line(series, (Dot(share),), verbatim(f"{100 * share:.0f} %"), label))
        ends += [low, high]
    shares = calibration.table["coverage"].tolist()
    short = short_names(names)
    series_of_both = [
        Series(0, Text("random play", "ランダム")),
        Series(1, Text("one biased move in a hundred", "100手に1手は偏った手")),
    ]

    def rows(lines: dict[str, list[Line]]) -> tuple[Row, ...]:
        labelled = zip(names, short, strict=True)
        return tuple(Row(name, verbatim(label), tuple(lines[name])) for name, label in labelled)

    return SmallMultiples(
        Text(
            "Of each ruleset, with 95 % intervals. Shaded: where the share of small experiments whose interval holds "
            "the exact score should lie.",
            "各ルールの推定値と95%信頼区間。色の帯は、小さな実験の区間が厳密値を含む割合の望ましい範囲。",
        ),
        [
            Chart(
                "calibration-difference",
                Panel(fit_scale(ends, points_label, 0.0), rows(differences)),
                EMPTY,
                series_of_both,
                title=Text("Estimate less exact score, in points", "推定値と厳密値の差（ポイント）"),
            ),
            Chart(
                "calibration-coverage",
                Panel(fit_scale(shares, lambda share: f"{100 * share:.3g} %", band=COVERAGE), rows(coverages)),
                EMPTY,
                title=Text("Small experiments whose interval holds it", "区間が厳密値を含む小実験の割合"),
            ),
        ],
        "calibration",
        Text("Calibration: estimates beside exact values", "較正：推定値と厳密値"),
    )


def _page(calibration: Calibration) -> Text:
    """The page in both languages."""
    honest = calibration.table[calibration.table["honest"]]
    biased = calibration.table[~calibration.table["honest"]]
    low, high = (f"{100 * share:.0f}" for share in COVERAGE)
    rulesets, games = len(honest), f"{calibration.experiment.games:,}"
    lines = [
        INTRODUCTION,
        AGREE.format(
            inside=int(honest["inside"].sum()),
            rulesets=rulesets,
            games=games,
            agree=int(honest["agrees"].sum()),
            alpha=f"{100 * ALPHA:.0f}",
        ),
        COVER.format(
            experiments=EXPERIMENTS,
            size=f"{SIZE:,}",
            least=f"{100 * honest['coverage'].min():.1f}",
            most=f"{100 * honest['coverage'].max():.1f}",
            low=low,
            high=high,
            covered=int(honest["coverage"].between(*COVERAGE).sum()),
            rulesets=rulesets,
        ),
        CAUGHT.format(caught=int((~biased["agrees"]).sum()), biased=len(biased)),
        EMPTY,
        PAGE.picture(PICTURE),
        EMPTY,
        HEADS,
        verbatim("|---|---|---|---|---|---|---|---|---|"),
    ]
    for row in calibration.table.to_dict("records"):
        interval = f"{100 * row['first_score_low']:.3f}–{100 * row['first_score_high']:.3f}"
        cells = (
            f"| {row['ruleset']} | {row['first']} | {100 * row['exact']:.4f} % | {100 * row['first_score']:.3f} % "
            f"({interval}) | {row['plies_exact']:.4f} | {row['plies_mean']:.4f} | {100 * row['coverage']:.1f} % | "
            f"{row['p']:.2g} | "
        )
        agrees = Text("yes", "はい") if row["agrees"] else Text("no", "いいえ")
        lines.append(EMPTY.join([verbatim(cells), agrees, verbatim(" |")]))
    made = MADE.format(games=games, seed=calibration.experiment.seed)
    return verbatim("\n").join([*lines, EMPTY, made, EMPTY])
