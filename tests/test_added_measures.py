"""Custom measures: estimated, compared and reported beside those that are always there."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from tests import few
from tests.report_folders import SAMPLE
from tests.toy import games, plan_for
from workbench.experiments import measures
from workbench.records.trials import CELL


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
def test_reports_have_it_and_commands_of_others_do_not(reported: Path, no_charts: None) -> None:
    wb.measure("odd", odd, title="games of an odd length", share=True)
    page = wb.write_report(reported).read_text(encoding="utf-8")
    assert "games of an odd length between" in page
    measures._added.clear()
    assert "odd length" not in wb.write_report(reported).read_text(encoding="utf-8")
    assert "odd" not in set(wb.compare(reported)["measure"])


@pytest.mark.parametrize(
    ("name", "message"),
    [("draw_rate", "the measure draw_rate already exists"), ("event_x_mean", "already"), ("Two", "lower-case letters"),
     ("plies", "the records already have a column named plies"), ("event_shout", "records already have a column")],
)  # fmt: skip
def test_names_that_are_taken_or_no_names_are_refused(name: str, message: str) -> None:
    with pytest.raises(wb.InputError, match=message):
        wb.measure(name, odd)


def test_one_is_taken_away(reported: Path) -> None:
    wb.measure("odd", odd, share=True)
    assert "odd" in set(wb.compare(reported)["measure"])
    wb.remove_measure("odd")
    assert "odd" not in set(wb.compare(reported)["measure"]) and "odd" not in wb.summary(reported)
    with pytest.raises(wb.InputError, match="no measure named 'odd' has been added"):
        wb.remove_measure("odd")
    wb.measure("even", odd)
    with pytest.raises(wb.InputError, match="did you mean 'even'"):
        wb.remove_measure("evn")


@pytest.mark.parametrize(
    ("of_games", "message"),
    few.first(
        4,
        [(lambda trials: trials["shots"], "KeyError: 'shots'"), (lambda trials: 1 / 0, "ZeroDivisionError"),
         (lambda trials: trials["plies"].mean(), "one number for each of 80 games"),
         (lambda trials: trials["plies"].to_numpy()[1:], "one number for each of 80 games"),
         (lambda trials: trials.groupby("ruleset")["plies"].mean(), "one number for each of 80 games"),
         (lambda trials: trials[["plies", "game"]], "one number for each of 80 games"),
         (lambda trials: trials["result"], "could not convert"), (lambda trials: None, "failed"),
         (lambda trials: trials["plies"] * math.inf, "finite numbers")],
    ),
)  # fmt: skip
def test_one_that_fails_is_named_and_the_others_are_there_again_without_it(
    reported: Path, of_games: Callable[[pd.DataFrame], Any], message: str
) -> None:
    wb.measure("mine", of_games)
    wb.measure("odd", odd, share=True)
    for asked in (wb.compare, wb.summary, wb.write_report):
        with pytest.raises(wb.InputError, match="the measure 'mine' failed: ") as raised:
            asked(reported)
        assert message in str(raised.value) and "wb.remove_measure('mine')" in str(raised.value)
        assert "'odd'" not in str(raised.value)
    wb.remove_measure("mine")
    assert "odd" in set(wb.compare(reported)["measure"])
    wb.measure("mine", lambda trials: trials["plies"])
    assert "mine" in set(wb.compare(reported)["measure"])


def test_experiments_go_on_whatever_a_measure_does() -> None:
    from workbench.statistics.analysis import games_per_cell

    wb.measure("mine", lambda trials: 1 / 0)
    plan = plan_for("toy/base", "toy/new", until="decided", games=400, looks=40)
    played = pd.concat([games("wl" * 5, "toy/base"), games("wl" * 5, "toy/new")])
    assert set(games_per_cell(played, plan).values()) == {20}


def test_numbers_belong_to_the_games_whose_labels_they_have(reported: Path) -> None:
    wb.measure("kept", lambda trials: trials["plies"] + trials["game"])
    wb.measure("sorted", lambda trials: (trials["plies"] + trials["game"]).sort_values(ascending=False))
    wb.measure("nullable", lambda trials: (trials["plies"] + trials["game"]).astype("Int64"))

    def spoils_its_table(trials: pd.DataFrame) -> Any:
        trials["plies"] = -1
        return trials.pop("game") * 0.0

    wb.measure("aaa", spoils_its_table)
    wb.measure("later", lambda trials: trials["plies"] + trials["game"])
    table = wb.compare(reported)
    expected = table.loc[table["measure"] == "kept", ["value", "baseline_value", "low"]].to_numpy()
    for name in ("sorted", "nullable", "later"):
        np.testing.assert_array_equal(table.loc[table["measure"] == name, ["value", "baseline_value", "low"]], expected)


def test_games_without_a_value_are_counted(reported: Path, no_charts: None) -> None:
    wb.measure("early", lambda trials: -trials["plies"].where(trials["game"] < 10), title="earliness")
    wb.measure("odd", lambda trials: odd(trials).where(trials["ruleset"] == "toy/a"), share=True)
    [early], [share] = (wb.compare(reported, name).to_dict("records") for name in ("early", "odd"))
    assert (early["games"], early["baseline_games"]) == (10, 10)
    assert (share["games"], share["baseline_games"]) == (0, 40) and math.isnan(share["difference"])
    summary = wb.summary(reported)
    assert summary["early_games"].tolist() == [10, 10] and summary["odd_games"].tolist() == [40, 0]
    assert (summary["early"] < 0).all() and (summary["early_low"] == -math.inf).all()
    assert summary["odd"].notna().tolist() == [True, False]
    page = wb.write_report(reported).read_text(encoding="utf-8")
    assert "no value for 60 of 80 games" in page and "earliness between" in page
