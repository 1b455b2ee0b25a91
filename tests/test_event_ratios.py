"""Events that are counted for each of another: questions, estimates and what the report shows."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from tests.toy import games, plan_from, ruleset
from workbench.experiments import measures
from workbench.statistics import AnalysisPlan
from workbench.statistics.analysis import event_table as events_table
from workbench.statistics.tables import measure_estimate, measure_ranges, tally_with_correlations

NAMES = ("chatra/base", "chatra/few")


def plan(question: str = measures.FIRST_SCORE) -> AnalysisPlan:
    rulesets = tuple(ruleset(name, "chatra", fingerprint=name) for name in NAMES)
    return plan_from(rulesets, [("greedy", "greedy")], question=question)


def records() -> pd.DataFrame:
    base = games("wldw", NAMES[0], plies=[10, 20, 30, 40], event_drops=[8, 10, 20, 22], event_moves=[1, 8, 9, 12],
                 event_checks=[1, 0, 2, 0])  # fmt: skip
    few = games("ww", NAMES[1], plies=[10, 10], event_drops=[0, 0], event_moves=[8, 7], event_checks=[0, 0])
    return pd.concat([base, few], ignore_index=True)


def test_questions_about_ratios_are_those_that_are_declared() -> None:
    asked = measures.possible_questions(["chatra"])
    assert {"event_drops_per_plies", "event_moves_per_drops", "event_fights_corner_per_plies_corner"} <= set(asked)
    assert not {"event_checks_per_plies", "event_moves_per_plies"} & set(asked)
    assert "event_drops_per_plies" not in measures.possible_questions(["chatra", "star"])
    question = measures.measure_by_name("event_moves_per_drops")
    assert (question.event, question.per, question.unit, question.columns) == (
        "moves", "drops", "ratio", ("event_moves", "event_drops"),
    )  # fmt: skip
    assert measures.measure_by_name("event_drops_per_plies").columns == ("event_drops", "plies")
    assert measures.measure_by_name("event_drops_mean").per == ""


def test_a_ratio_is_that_of_the_sums() -> None:
    table = events_table(records(), plan()).to_dict("records")
    rows = {(str(row["ruleset"]), str(row["event"])): row for row in table}
    drops, moves, checks = (rows[NAMES[0], event] for event in ("drops", "moves", "checks"))
    assert (drops["per"], drops["ratio"]) == ("plies", 60 / 100)
    assert (moves["per"], moves["ratio"]) == ("drops", 30 / 60)
    assert moves["ratio_low"] < 0.5 < moves["ratio_high"]
    assert checks["per"] == "" and math.isnan(checks["ratio"])
    # Nothing was dropped: there is no ratio to it.
    assert rows[NAMES[1], "drops"]["ratio"] == 0 and math.isnan(rows[NAMES[1], "moves"]["ratio"])


def test_an_event_is_counted_in_the_games_that_recorded_it() -> None:
    trials = games("wldw", NAMES[0], plies=[10] * 4, event_drops=[8, 0, 1, 3], event_checks=[1, 0, math.nan, 4])
    rows = {str(row["event"]): row for row in events_table(trials, plan()).to_dict("records")}
    counted = {name: [row[key] for key in ("games", "mean", "share", "when_fired")] for name, row in rows.items()}
    assert counted == {"drops": [4, 3, 0.75, 4], "checks": [3, pytest.approx(5 / 3), pytest.approx(2 / 3), 2.5]}


def test_no_ratio_lies_below_nothing() -> None:
    trials = games("w" * 40, NAMES[0], plies=[10] * 40, event_drops=[1] + [0] * 39)
    [drops] = events_table(trials, plan()).to_dict("records")
    assert drops["ratio_low"] == 0 < drops["ratio"] == 1 / 400 < drops["ratio_high"] < 0.01


def test_the_table_and_the_verdicts_estimate_the_same() -> None:
    rng = np.random.default_rng(3)
    n = 400
    drops, plies = rng.poisson(20, n) + 1, rng.integers(20, 60, n)
    trials = games("w" * n, NAMES[0], plies=plies.tolist(), event_drops=drops.tolist(),
                   event_moves=rng.poisson(0.3 * drops).tolist())  # fmt: skip
    cells = [(NAMES[0], "greedy", "greedy")]
    tallied, _ = tally_with_correlations(trials, cells, extra_measures=("event_moves_per_drops",))
    row = next(row for row in events_table(trials, plan()).to_dict("records") if row["event"] == "moves")
    assert measure_estimate(tallied, "event_moves_per_drops")[0] == pytest.approx(row["ratio"])
    ends = measure_ranges(tallied, "event_moves_per_drops", 1.959964)
    assert (ends.low[0], ends.high[0]) == pytest.approx((row["ratio_low"], row["ratio_high"]), rel=1e-4)
    # The interval holds what the bootstrap holds.
    again = [rng.integers(0, n, n) for _ in range(400)]
    moves = trials["event_moves"].to_numpy()
    spread = np.std([moves[some].sum() / drops[some].sum() for some in again])
    assert (row["ratio_high"] - row["ratio_low"]) / 3.92 == pytest.approx(spread, rel=0.2)
