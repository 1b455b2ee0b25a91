"""Measures of one's own: estimated, compared and reported beside those that are always there."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from tests.report_folders import SAMPLE
from workbench.questions import measures
from workbench.store.trials import CELL


@pytest.fixture(autouse=True)
def only_for_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "_added", {})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "sample"
    shutil.copytree(SAMPLE, path)
    return path


def odd(trials: pd.DataFrame) -> pd.Series:
    return trials["plies"] % 2 == 1


@pytest.mark.thorough
def test_a_number_of_each_game_is_compared_as_a_mean(folder: Path) -> None:
    wb.measure("double_plies", lambda trials: 2 * trials["plies"], title="twice the length", unit="plies")
    mine, lengths = (wb.compare(folder, name) for name in ("double_plies", "plies_mean"))
    for column in ("value", "baseline_value", "difference", "low", "high"):
        np.testing.assert_allclose(mine[column], 2 * lengths[column], rtol=1e-9)
    np.testing.assert_allclose(mine["p"], lengths["p"], atol=1e-9)


@pytest.mark.thorough
def test_a_share_of_games_is_compared_as_a_share(folder: Path) -> None:
    wb.measure("odd", odd, title="games of an odd length", share=True)
    trials = wb.load(folder)
    table = wb.compare(folder, "odd")
    for row in table.to_dict("records"):
        played = trials[(trials[CELL] == [row[name] for name in CELL]).all(axis=1)]
        assert row["value"] == pytest.approx((played["plies"] % 2 == 1).mean())
    assert len(table) and table["low"].between(-1, table["difference"]).all()


@pytest.mark.thorough
def test_games_without_the_number_are_left_out(folder: Path) -> None:
    wb.measure("long_games", lambda trials: trials["plies"].where(trials["plies"] > 60))
    trials = wb.load(folder)
    row = wb.compare(folder, "long_games").iloc[0]
    played = trials[(trials["ruleset"] == row["ruleset"]) & (trials["first"] == row["first"]) & (trials["plies"] > 60)]
    assert row["value"] == pytest.approx(played["plies"].mean())


@pytest.mark.thorough
def test_reports_have_it_and_commands_of_others_do_not(reported: Path, no_charts: None) -> None:
    wb.measure("odd", odd, title="games of an odd length", share=True)
    page = wb.write_report(reported).read_text(encoding="utf-8")
    assert "games of an odd length between" in page
    measures._added.clear()
    assert "odd length" not in wb.write_report(reported).read_text(encoding="utf-8")
    assert "odd" not in set(wb.compare(reported)["measure"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("draw_rate", "there is a measure draw_rate already"),
        ("event_x_mean", "already"),
        ("Two", "small letters"),
        ("plies", "records have a column plies"),
        ("event_shout", "records have a column"),
    ],
)
def test_names_that_are_taken_or_no_names_are_refused(name: str, message: str) -> None:
    with pytest.raises(wb.InputError, match=message):
        wb.measure(name, odd)
