"""The commands that play experiments and write reports: run, and what play and report make of its games."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from tests import few
from tests.command_line import EXPERIMENT, SMALL, printed, refused
from workbench.questions import experiment
from workbench.questions.lines import DrawnLines
from workbench.statistics import AnalysisPlan
from workbench.statistics.analysis import decides_by_strong_play
from workbench.store import records

pytestmark = pytest.mark.usefixtures("in_the_checkout")


@pytest.mark.thorough
def test_play_plays_the_games_of_an_experiment(tmp_path: Path) -> None:
    path = tmp_path / "tiny.yaml"
    path.write_text(EXPERIMENT, encoding="utf-8")
    out = tmp_path / "out"
    text = printed("run", str(path), "--out", str(out), "--workers", "1")
    assert "2 cells, 3 games each: 6 games" in text
    assert "Played 6 games." in text
    for name in (
        "report.html",
        "report.md",
        "summary.csv",
        "first_score.png",
        "first_score.svg",
        "lengths.png",
        "lengths.svg",
    ):
        assert f"{name}\n" in text
        assert (out / name).stat().st_size > 0
    trial = pd.read_parquet(out / records.TRIALS).iloc[4]
    assert (trial["first"], trial["second"]) == ("random", "greedy")
    words = ("--first", trial["first"], "--second", trial["second"], "--seed", str(int(trial["seed"])))
    game = json.loads(printed("play", SMALL, *words, "--max-plies", "40", "--json"))
    assert (game["result"], game["termination"], game["plies"]) == (
        trial["result"],
        trial["termination"],
        trial["plies"],
    )
    assert " ".join(game["moves"][: records.OPENING_PLIES]) == trial["opening"]
    # The same command again plays nothing; records are only deleted by those who mean it.
    assert "nothing to do" in printed("run", str(path), "--out", str(out))
    assert "--yes" in refused("run", str(path), "--out", str(out), "--fresh")
    assert (out / records.TRIALS).exists()
    path.write_text(EXPERIMENT.replace("seed: 5", "seed: 6"), encoding="utf-8")
    assert "seed: was 5, is now 6" in refused("run", str(path), "--out", str(out))
    assert "A test of the command line" in printed("report", str(out))


def test_strong_players_are_asked_in_a_folder_of_their_own(own: Path) -> None:
    asked = experiment.load_experiment(experiment.find_experiment("quickstart"))
    strong = experiment.with_strong_players(asked)
    assert (strong.name, strong.rulesets, strong.margin) == ("quickstart.strong", asked.rulesets, asked.margin)
    assert isinstance(strong.openings, DrawnLines) and not strong.until and len(strong.pairings) == 16
    assert not decides_by_strong_play(AnalysisPlan(asked)) and decides_by_strong_play(AnalysisPlan(strong))
    (own / "experiments/tiny.strong.yaml").write_text(EXPERIMENT, encoding="utf-8")
    assert "strong players and what a search" in refused("check", str(own / "experiments/tiny.strong.yaml"))


FACTORIAL = """\
title: Long names
vary: {base: chatra/9x9, middle_piece: [no-links, no-links-on-that-line], enemy_object_cuts: [true, false]}
agents: [random]
games: 2
max_plies: 8
"""


@pytest.mark.parametrize("columns", few.first(0, ["60", None]))
def test_pipes_lose_nothing_of_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_charts: None, columns: str | None
) -> None:
    monkeypatch.delenv("COLUMNS")
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    (tmp_path / "long.yaml").write_text(FACTORIAL, encoding="utf-8")
    text = printed("run", str(tmp_path / "long.yaml"), "--out", str(tmp_path / "out"), "--workers", "1")
    lines = [line for line in text.splitlines() if "no game finished" in line or ("%" in line and "(" in line)]
    assert any(line.rstrip().endswith("100 %") for line in lines)
    name = "middle_piece=no-links-on-that-line + enemy_object_cuts=false"
    assert any(line.startswith(name) and "100 %" in line for line in text.splitlines()) == (columns is None)
