"""The figures of docs/results.md are those of the tables that are kept beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tests.report_folders import SAMPLE
from tests.results import CELLS, KEPT, keep

PAGE = KEPT.with_suffix(".md")
TEXT = " ".join(PAGE.read_text(encoding="utf-8").split()) if PAGE.exists() else ""
KEEPS = sorted(folder.name for folder in KEPT.glob("*/"))


def table(experiment: str, name: str = "summary") -> pd.DataFrame:
    return pd.read_csv(KEPT / experiment / f"{name}.csv")


def national() -> list[str]:
    cells = table("draughts-national")
    cells = cells[cells["first"] == "alphabeta-3"].set_index("ruleset")
    draws = {str(name).removeprefix("draughts/"): f"{100 * rate:.0f} %" for name, rate in cells["draw_rate"].items()}
    aside = cells[(cells["first_score_low"] > 0.5) | (cells["first_score_high"] < 0.5)]
    score, low, high = 100 * aside[["first_score", "first_score_low", "first_score_high"]].to_numpy()[0]
    assert len(aside) == 1, "one interval leaves 50 % out"
    return [
        f"the encyclopedia's game below, {score:.1f} % ({low:.1f}–{high:.1f}), one of fourteen",
        f"{draws['english']} in English and {draws['italian']} in Italian draughts, {draws['russian']} in Russian",
        f"{draws['international']} in international, {draws['tobishogo']} in Inoue Enryō's philosophers' game",
        f"{draws['giveaway']} in giveaway",
        f"as one encyclopedia words Russian draughts, it is {draws[str(aside.index[0]).removeprefix('draughts/')]}",
    ]


def toggles() -> list[str]:
    effects = table("draughts-toggles", "effects")
    main = effects[(effects["kind"] == "main") & (effects["first"] == "alphabeta-3")]
    of = {(row["measure"], row["factor"]): row for row in main.to_dict("records")}
    assert of["draw_rate", "capture_choice"]["p_holm"] > 0.05, "the duty to take the most pieces shows no effect"

    def size(measure: str, factor: str, digits: int = 1) -> tuple[str, str]:
        factor_of = 1 if measure == "plies_mean" else 100
        value, *around = (abs(factor_of * float(of[measure, factor][name])) for name in ("effect", "low", "high"))
        return f"{value:.{digits}f}", f"({min(around):.{digits}f}–{max(around):.{digits}f})"

    def points(factor: str, measure: str = "draw_rate", what: str = "") -> str:
        value, around = size(measure, factor)
        return f"{value} points {what}{around}"

    flying, backwards, optional = "base", "men_capture", "capture"
    return [
        f"cost {points(flying, what='of the draws ')}",
        " plies of the length ".join(size("plies_mean", flying, 0)),
        f"backwards, too, {points(backwards)} and {size('plies_mean', backwards, 0)[0]} plies",
        f"optional {points(optional)} and {size('plies_mean', optional)[0]} plies",
        points(optional, "first_score", "of the first player's score "),
    ]


FIGURES: dict[str, Callable[[], list[str]]] = {"draughts-national": national, "draughts-toggles": toggles}
"""What the page says, as the tables of each experiment say it."""


@pytest.mark.parametrize("experiment", KEEPS)
def test_figures_of_the_page_are_those_of_its_tables(experiment: str) -> None:
    said = FIGURES[experiment]()
    assert [words for words in said if words not in TEXT] == []


def test_the_page_says_of_every_experiment_whether_its_tables_are_kept() -> None:
    cited = set(re.findall(r"`workbench run ([\w-]+)`", TEXT)) | set(re.findall(r"`(rengo-toggles)`, 200 games", TEXT))
    listed = TEXT.partition("## What the figures come from")[2].partition(" ## ")[0]
    kept, _, left = listed.partition("are not shipped")
    assert set(re.findall(r"\]\(results/([\w-]+)/summary\.csv\)", kept)) == set(KEEPS)
    assert set(re.findall(r"`([\w-]+)`", left)) == cited - set(KEEPS)


@pytest.mark.parametrize("experiment", KEEPS)
def test_what_is_kept_is_small_and_says_where_it_comes_from(experiment: str) -> None:
    assert sum(path.stat().st_size for path in (KEPT / experiment).iterdir()) < 100_000
    said = json.loads((KEPT / experiment / "provenance.json").read_text(encoding="utf-8"))
    assert said["experiment"]["name"] == experiment and said["engines"] and said["digests"]["trials.parquet"]
    assert set(said["rulesets"]) == set(table(experiment)["ruleset"])
    assert (table(experiment)["games"] == said["experiment"]["games"]).all()


def test_the_tables_of_a_report_folder_are_kept(tmp_path: Path) -> None:
    kept = keep(SAMPLE, tmp_path)
    assert kept.name == "quickstart" and {path.name for path in kept.iterdir()} == {"summary.csv", "provenance.json"}
    mine, whole = pd.read_csv(kept / "summary.csv"), pd.read_csv(SAMPLE / "summary.csv")
    assert list(mine) == CELLS and mine["first_score"].to_numpy() == pytest.approx(whole["first_score"], rel=1e-5)
