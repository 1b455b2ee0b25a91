"""The page that shows how the estimates agree with exact values."""

from __future__ import annotations

from pathlib import Path

from workbench.exact.calibration import ALPHA, COVERAGE, EXPERIMENTS, SIZE, Calibration
from workbench.files import output
from workbench.report.labels import short_names
from workbench.report.marks import Dot, Interval, Line, Panel, Row, Series, fit_scale
from workbench.report.model import Chart, SmallMultiples
from workbench.report.numbers import points_label, signed
from workbench.report.render import matplotlib as drawing
from workbench.report.text import EMPTY, Text, verbatim
from workbench.store import records

FILES = ("calibration.md", "calibration.csv", "calibration.png", "calibration.svg")


def write(calibration: Calibration, folder: output.Folder) -> list[Path]:
    """Writes the page, its table and its picture into a folder; returns the files."""
    with folder.edition("Nothing in it was changed.") as stage:
        page = output.write(stage / FILES[0], _page(calibration).encode())
        table = output.write(stage / FILES[1], records.csv(calibration.table, "%.9g").encode())
        figures = drawing.save(drawing.figure(_charts(calibration)), stage / "calibration")
    return [folder.path / path.name for path in (page, table, *figures)]


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


def _page(calibration: Calibration) -> str:
    honest = calibration.table[calibration.table["honest"]]
    biased = calibration.table[~calibration.table["honest"]]
    inside, caught = int(honest["inside"].sum()), int((~biased["agrees"]).sum())
    low, high = (f"{100 * share:.0f}" for share in COVERAGE)
    covered = int(honest["coverage"].between(*COVERAGE).sum())
    lines = [
        "# Calibration: do the estimates agree with the truth?",
        "",
        "The star game is small enough to be solved exactly (`workbench solve star/default`), so the true probability",
        "of each result of random play is known to twelve digits. Here the workbench's estimates stand beside it.",
        "",
        f"* **{inside} of {len(honest)}** 95 % intervals from {calibration.experiment.games:,} random games hold the "
        "exact score of the first seat (of twenty, one misses on average). Score, mean length and the whole "
        "distribution of lengths and results agree with the truth in "
        f"**{int(honest['agrees'].sum())} of {len(honest)}** rulesets "
        f"(all together wrongly doubted in {100 * ALPHA:.0f} % of such pages).",
        f"* Of {EXPERIMENTS} experiments of {SIZE:,} games each, between "
        f"{100 * honest['coverage'].min():.1f} and {100 * honest['coverage'].max():.1f} % have an interval that holds "
        f"the exact score: within {low}–{high} % for **{covered} of {len(honest)}** rulesets.",
        f"* A player who lets a heuristic choose one of a hundred of its moves is **caught in {caught} of "
        f"{len(biased)}** rulesets.",
        "",
        "![Differences from the exact score, and coverage](calibration.png)",
        "",
        "| ruleset | first seat | exact score | estimate (95 %) | exact plies | estimate | coverage | χ² p | agrees |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in calibration.table.to_dict("records"):
        interval = f"{100 * row['first_score_low']:.3f}–{100 * row['first_score_high']:.3f}"
        lines.append(
            f"| {row['ruleset']} | {row['first']} | {100 * row['exact']:.4f} % | {100 * row['first_score']:.3f} % "
            f"({interval}) | {row['plies_exact']:.4f} | {row['plies_mean']:.4f} | {100 * row['coverage']:.1f} % | "
            f"{row['p']:.2g} | {'yes' if row['agrees'] else 'no'} |"
        )
    seed = calibration.experiment.seed
    lines += ["", f"Made by `workbench calibrate`: {calibration.experiment.games:,} games a cell, seed {seed}.", ""]
    return "\n".join(lines)
