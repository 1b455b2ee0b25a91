"""What figures of docs/results.md come from: ``python -m tests.results FOLDER…`` keeps it of finished report folders.

To docs/results/NAME go the counts and estimates of every cell, the tables of the headline and where the games come
from. The records themselves, which may take hundreds of megabytes, do not.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

import workbench as wb
from workbench.experiments import measures
from workbench.experiments.measures import FIRST_SCORE
from workbench.records import provenance
from workbench.statistics.analysis_plan import AnalysisPlan, prepare_trials
from workbench.statistics.intervals import Estimate, Z
from workbench.statistics.search_games import SearchGames
from workbench.statistics.strong_play import StrongPlay

KEPT = Path(__file__).resolve().parent.parent / "docs" / "results"
CELLS = [
    "ruleset", "first", "second", "games", "finished", "first_wins", "draws", "second_wins", "unfinished",
    *(f"{name}{end}" for name in ("first_score", "draw_rate", "plies_mean") for end in ("", "_low", "_high")),
    "plies_median",
]  # fmt: skip
"""The columns of summary.csv that are kept."""
COMPARED = ["ruleset", "first", "second", "measure", "games", "value", "baseline_value", "difference", "low", "high",
            "p_holm", "verdict"]  # fmt: skip
"""The columns that are kept of the comparisons in the measure of the question."""
TABLES = ("effects", "strong_verdicts", "strong_effects", "strong_ranks", "equilibria", "matrices", "given_lines",
          "swaps", "first_moves")  # fmt: skip
"""The tables that are kept, where a report has them."""
MOST_OPENINGS = 200
"""Of more cells the variety of openings is not kept."""
DRAW_RATE = "draw_rate"
SAID = ("experiment", "pairings", "versions", "engines", "cpu", "command", "started", "digests")
"""What is kept of provenance.json, besides the fingerprints of the rulesets."""


def keep(folder: Path, place: Path = KEPT) -> Path:
    """The folder in ``place`` with what is kept of a report folder."""
    said = provenance.load_provenance(folder)
    kept = place / str(said["experiment"]["name"])
    kept.mkdir(parents=True, exist_ok=True)
    tables = {"summary": pd.read_csv(folder / "summary.csv")[CELLS]}
    tables |= {name: pd.read_csv(path) for name in TABLES if (path := folder / "tables" / f"{name}.csv").exists()}
    if (path := folder / "tables" / "comparisons.csv").exists():
        asked = measures.measure_for_question(said["experiment"].get("question") or FIRST_SCORE)
        compared = pd.read_csv(path)
        tables["comparisons"] = compared.loc[compared["measure"] == asked.name, COMPARED]
    if (path := folder / "tables" / "openings.csv").exists():
        openings = pd.read_csv(path)
        openings = openings[openings["shown"].astype(bool)]
        if len(openings) <= MOST_OPENINGS:
            tables["openings"] = openings
    if "strong_verdicts" in tables and said["experiment"].get("question") == DRAW_RATE:
        tables |= levels_at_once(folder, said)
    for name, table in tables.items():
        if not table.empty:
            table.to_csv(kept / f"{name}.csv", index=False, float_format="%.5g")
    fingerprints = {each["name"]: each["fingerprint"] for each in said["rulesets"]}
    content = {name: said[name] for name in SAID if name in said} | {"rulesets": fingerprints}
    (kept / "provenance.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return kept


def levels_at_once(folder: Path, said: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Of an experiment about draws and one game: levels of all rulesets, and the differences of any two of them.

    ``levels``: the first seat's score and draws of strong play (`StrongPlay`) at the largest and the smallest budget,
    and what a doubling adds, each measure's intervals at once over rulesets and budgets, and over rulesets; the mean
    length of the games of these players, over rulesets and budgets. ``pairs``: both measures at the largest budget, at
    once over all pairs.
    """
    plan = AnalysisPlan.from_provenance(said)
    games = SearchGames(prepare_trials(wb.load(folder), plan), plan)
    levels: list[dict[str, Any]] = []
    pairs: list[dict[str, Any]] = []
    for measure in (FIRST_SCORE, DRAW_RATE):
        means = games.means([ruleset.name for ruleset in plan.rulesets], measure)
        assert means is not None
        play = StrongPlay(games, means, measure)
        budgets = sorted({int(nodes) for nodes in means.nodes[play.near_top]})
        doublings = {nodes: np.log2(nodes / play.most_nodes) for nodes in (budgets[0], budgets[-1])}
        contrasts = {name: play.contrast(name) for name in play.modelled}
        steps = [(name, each, nodes) for name, each in contrasts.items() for nodes in doublings]
        asked = {(name, nodes): each.now + doublings[nodes] * each.change for name, each, nodes in steps}
        critical = play.simultaneous_level(np.array(list(asked.values()))).critical
        changes = play.simultaneous_level(np.array([each.change for each in contrasts.values()])).critical
        for (name, nodes), weights in asked.items():
            estimate = play.estimate(weights, critical)
            # A share; the model knows no ends.
            estimate = Estimate(*np.clip(estimate, 0.0, 1.0).tolist())
            levels.append({"ruleset": name, "measure": measure, "nodes": nodes, **estimate.columns("value")})
        for name, each in contrasts.items():
            change = play.estimate(each.change, changes)
            levels.append({"ruleset": name, "measure": f"{measure} a doubling", **change.columns("value")})
        between = {two: contrasts[two[0]] - contrasts[two[1]] for two in itertools.combinations(play.modelled, 2)}
        critical = play.simultaneous(list(between.values())).critical
        for (one, other), each in between.items():
            difference = play.estimate(each.now, critical)
            pairs.append({"ruleset": one, "other": other, "measure": measure, **difference.columns("difference")})
    return {"levels": pd.concat([pd.DataFrame(levels), lengths_at_once(folder, said)]), "pairs": pd.DataFrame(pairs)}


def lengths_at_once(folder: Path, said: Mapping[str, Any]) -> pd.DataFrame:
    """The mean length of the games of each ruleset and budget, between these players, with intervals at once."""
    agents = {each["first"]: each["first_options"] for each in said["pairings"]}
    columns = ["ruleset", "first", "plies_mean", "plies_mean_low", "plies_mean_high"]
    cells = pd.read_csv(folder / "summary.csv", usecols=columns)
    cells["nodes"] = [agents[label].get("nodes", 0) for label in cells["first"]]
    cells = cells[cells["nodes"] > 0].copy()
    cells["error"] = (cells["plies_mean_high"] - cells["plies_mean_low"]) / 2 / Z
    found = cells.groupby(["ruleset", "nodes"], sort=False)
    critical = -ndtri((1 - 0.95 ** (1 / len(found))) / 2)
    rows = []
    for (name, nodes), group in found:
        half = critical * np.sqrt(np.square(group["error"]).sum()) / len(group)
        estimate = Estimate.around(group["plies_mean"].mean(), half)
        rows.append({"ruleset": name, "measure": "plies_mean", "nodes": nodes, **estimate.columns("value")})
    return pd.DataFrame(rows)


def table_of_levels(kept: Path) -> str:
    """The table of the page that such an experiment has, by its draws, and how many pairs of rulesets differ."""
    levels = pd.read_csv(kept / "levels.csv").set_index(["ruleset", "measure", "nodes"]).sort_index()
    by_key: dict[object, Any] = dict(zip(levels.index, levels.to_numpy(), strict=True))
    pairs = pd.read_csv(kept / "pairs.csv")

    def told(ruleset: str, measure: str, nodes: float, shape: str = "{:.1f} % ({:.1f}–{:.1f})", unit: int = 100) -> str:
        return shape.format(*(unit * by_key[ruleset, measure, nodes])).replace("-", "−")

    asked = levels.index[levels.index.get_level_values("measure") == DRAW_RATE]
    least, most = (float(end) for end in (min(asked.get_level_values("nodes")), max(asked.get_level_values("nodes"))))
    strong = levels["value"].xs((DRAW_RATE, most), level=("measure", "nodes")).sort_values(ascending=False)
    steps = levels.loc[(slice(None), f"{DRAW_RATE} a doubling"), :].droplevel(["measure", "nodes"])
    lines = [
        f"| ruleset | draws, {least:,.0f} nodes | draws, {most:,.0f} | a doubling | first seat's score, {most:,.0f} "
        f"| plies, {least:,.0f} | plies, {most:,.0f} |",
        "|---|---|---|---|---|---|---|",
    ]
    for ruleset in strong.index:
        change = "{:+.1f} ({:+.1f}…{:+.1f})".format(*(100 * steps.loc[ruleset])).replace("-", "−")
        lengths = [told(ruleset, "plies_mean", nodes, "{:.0f} ({:.0f}–{:.0f})", 1) for nodes in (least, most)]
        cells = [
            told(ruleset, DRAW_RATE, least),
            told(ruleset, DRAW_RATE, most),
            change,
            told(ruleset, FIRST_SCORE, most),
        ]
        lines.append(f"| {' | '.join([ruleset.partition('/')[2], *cells, *lengths])} |")
    for measure, of in pairs.groupby("measure"):
        apart = of[(of["difference_low"] > 0) | (of["difference_high"] < 0)]
        lines.append(f"{measure}: {len(apart)} of {len(of)} pairs differ")
        for ruleset in strong.index if measure == DRAW_RATE else ():
            others = apart["ruleset"].where(apart["ruleset"] != ruleset, apart["other"])
            others = others[(apart["ruleset"] == ruleset) | (apart["other"] == ruleset)]
            same = [name.partition("/")[2] for name in strong.index if name not in {ruleset, *others}]
            lines.append(f"    {ruleset.partition('/')[2]} is not told from {' '.join(same)}")
    return "\n".join(lines)


if __name__ == "__main__":
    for each in sys.argv[1:]:
        print(folder := keep(Path(each)))
        if (folder / "levels.csv").exists():
            print(table_of_levels(folder))
