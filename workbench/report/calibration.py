"""The page that shows how the estimates agree with exact values."""

from __future__ import annotations

from pathlib import Path

from workbench.exact.calibration import ALPHA, COVERAGE, EXPERIMENTS, SIZE, Calibration
from workbench.files import output
from workbench.report import charts
from workbench.store import records

FILES = ("calibration.md", "calibration.csv", "calibration.png", "calibration.svg")


def write(found: Calibration, folder: output.Folder) -> list[Path]:
    """Writes the page, its table and its picture into a folder; returns the files."""
    with folder.edition("Nothing in it was changed.") as stage:
        page = output.write(stage / FILES[0], _page(found).encode())
        table = output.write(stage / FILES[1], records.csv(found.table, "%.9g").encode())
        made = [page, table, *charts.save(charts.calibration_chart(found.table, COVERAGE), stage / "calibration")]
    return [folder.path / path.name for path in made]


def _page(found: Calibration) -> str:
    honest = found.table[found.table["honest"]]
    biased = found.table[~found.table["honest"]]
    inside, caught = int(honest["inside"].sum()), int((~biased["agrees"]).sum())
    low, high = (f"{100 * share:.0f}" for share in COVERAGE)
    covered = int(honest["coverage"].between(*COVERAGE).sum())
    lines = [
        "# Calibration: do the estimates agree with the truth?",
        "",
        "The star game is small enough to be solved exactly (`workbench solve star/default`), so the true probability",
        "of each result of random play is known to twelve digits. Here the workbench's estimates stand beside it.",
        "",
        f"* **{inside} of {len(honest)}** 95 % intervals from {found.experiment.games:,} random games hold the exact "
        "score of the first seat (of twenty, one misses on average). Score, mean length and the whole distribution of "
        f"lengths and results agree with the truth in **{int(honest['agrees'].sum())} of {len(honest)}** rulesets "
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
    for row in found.table.to_dict("records"):
        interval = f"{100 * row['first_score_low']:.3f}–{100 * row['first_score_high']:.3f}"
        lines.append(
            f"| {row['ruleset']} | {row['first']} | {100 * row['exact']:.4f} % | {100 * row['first_score']:.3f} % "
            f"({interval}) | {row['plies_exact']:.4f} | {row['plies_mean']:.4f} | {100 * row['coverage']:.1f} % | "
            f"{row['p']:.2g} | {'yes' if row['agrees'] else 'no'} |"
        )
    seed = found.experiment.seed
    lines += ["", f"Made by `workbench calibrate`: {found.experiment.games:,} games a cell, seed {seed}.", ""]
    return "\n".join(lines)
