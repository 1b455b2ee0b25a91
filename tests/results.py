"""What figures of docs/results.md come from: ``python -m tests.results FOLDER…`` keeps it of finished report folders.

To docs/results/NAME go the counts and estimates of every cell, the tables of the headline and where the games come
from. The records themselves, which may take hundreds of megabytes, do not.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pandas as pd

from workbench.questions import measures
from workbench.questions.measures import FIRST_SCORE
from workbench.store import provenance

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
        asked = measures.measure_of_question(said["experiment"].get("question") or FIRST_SCORE)
        compared = pd.read_csv(path)
        tables["comparisons"] = compared.loc[compared["measure"] == asked.name, COMPARED]
    if (path := folder / "tables" / "openings.csv").exists():
        openings = pd.read_csv(path)
        openings = openings[openings["shown"].astype(bool)]
        if len(openings) <= MOST_OPENINGS:
            tables["openings"] = openings
    for name, table in tables.items():
        if not table.empty:
            table.to_csv(kept / f"{name}.csv", index=False, float_format="%.5g")
    fingerprints = {each["name"]: each["fingerprint"] for each in said["rulesets"]}
    content = {name: said[name] for name in SAID if name in said} | {"rulesets": fingerprints}
    (kept / "provenance.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return kept


if __name__ == "__main__":
    for each in sys.argv[1:]:
        print(keep(Path(each)))
