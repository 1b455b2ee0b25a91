"""Verdicts about strong play beside the truth, of players whose scores are given."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.calibration.verdicts import PLAYED, StrongCalibration, calibrate, together, write
from tests.test_strong_play import plan_of, records, specs
from tests.toy import ruleset, with_keys
from workbench.questions.agents import AgentSpec
from workbench.questions.kinds import Published, PublishedEstimate

NAMES = ("toy/a", "toy/b", "toy/c")


def calibrated(
    scores: dict[str, dict[int, float]], best_play: dict[str, str], published: Published | None = None
) -> StrongCalibration:
    """The calibration of players that all score the same by ruleset and budget."""
    players = specs(trainings=(0, 1, 2))

    def score(name: str, player: AgentSpec, line: np.ndarray) -> np.ndarray:
        return np.full(len(line), scores[name][player.nodes])

    trials = records(score, players, 2_000, 2_000, 5, NAMES).drop(columns="line")
    plan = with_keys(plan_of(players, names=NAMES), rulesets=tuple(ruleset(name) for name in NAMES))
    return calibrate(trials, plan, best_play, published, "controls", "0123abcd")


STEADY = {name: dict.fromkeys((1_000, 3_000, 9_000), value) for name, value in zip(NAMES, (0.5, 0.7, 0.3), strict=True)}


@pytest.mark.thorough
def test_players_that_play_as_best_play_does_are_right() -> None:
    checked = calibrated(STEADY, {"toy/a": "draw", "toy/b": "first", "toy/c": "second"})
    # Three rulesets, and two differences from the first one.
    assert checked.counts("hidden") == {"right": 5, "not_settled": 0, "wrong": 0}
    assert checked.counts("best_play") == {"right": 5, "not_settled": 0, "wrong": 0}
    assert checked.passed
    truths = checked.table[checked.table["asked"] == "best_play"].set_index(["ruleset", "baseline"])["truth"].to_dict()
    assert truths == {
        ("toy/a", ""): 0.0, ("toy/b", ""): 0.5, ("toy/b", "toy/a"): 0.5, ("toy/c", ""): -0.5, ("toy/c", "toy/a"): -0.5,
    }  # fmt: skip


@pytest.mark.thorough
def test_best_play_that_says_otherwise_makes_a_verdict_wrong() -> None:
    checked = calibrated(STEADY, {"toy/a": "draw", "toy/b": "second", "toy/c": "second"})
    assert checked.counts("best_play") == {"right": 3, "not_settled": 0, "wrong": 2}
    assert not checked.passed


@pytest.mark.thorough
def test_what_turns_round_where_nobody_looked_is_wrong() -> None:
    """The strongest players say the opposite of the others, and nothing foretold it."""
    late = STEADY | {"toy/b": {1_000: 0.7, 3_000: 0.7, 9_000: 0.3}}
    table = calibrated(late, {}).table
    of = table[table["ruleset"] == "toy/b"]
    assert list(of["asked"]) == ["hidden", "hidden"] and list(of["outcome"]) == ["wrong", "wrong"]
    jumped = STEADY | {"toy/b": {1_000: 0.6, 3_000: 0.6, 9_000: 0.9}}
    table = calibrated(jumped, {}).table
    of = table[(table["ruleset"] == "toy/b") & (table["baseline"] == "")]
    assert list(of["outcome"]) == ["wrong"], "its direction is right, but it had not settled"


@pytest.mark.thorough
def test_the_page_counts_and_names_the_wrong_ones(tmp_path: Path) -> None:
    checked = calibrated(STEADY, {"toy/a": "draw", "toy/b": "second", "toy/c": "second"})
    page = write(checked, tmp_path)
    names = ["strong-play-games.csv", "strong-play.csv", "strong-play.md", "strong-play.png", "strong-play.svg"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert "* What best play says: **3 right, 0 not settled, 2 wrong** of 5." in page
    assert "40.0 % of them were wrong (wanted: at most 5 %)" in page
    assert "| toy/b | ½ | score | best play | settled, first player ahead | +20." in page
    assert "Made by `python -m tests.calibration reports/controls`;" in page
    ended = pd.read_csv(tmp_path / "strong-play-games.csv")
    assert ended.columns.tolist() == PLAYED and len(ended) == len(NAMES) * 18
    of = ended[(ended["ruleset"] == "toy/b") & (ended["games"] == 2_000)].iloc[0]
    assert of["first_wins"] / 2_000 == pytest.approx(0.7, abs=0.05)
    assert (ended["games"] == ended[PLAYED[4:]].sum(axis=1)).all()


def test_published_results_answer_where_they_have_a_direction() -> None:
    """That b scores more is right and that c scores more is not; a difference within its error asks nothing."""
    told = {
        "toy/a": PublishedEstimate(0.5, 0.01),
        "toy/b": PublishedEstimate(0.6, 0.01),
        "toy/c": PublishedEstimate(0.6, 0.01),
    }
    results = {name: {"first_score": each, "draw_rate": PublishedEstimate(0.2, 0.05)} for name, each in told.items()}
    checked = calibrated(STEADY, {}, Published("S", results))
    of = checked.table[checked.table["asked"] == "published"].set_index("ruleset")
    assert set(of["measure"]) == {"first_score"}
    assert dict(of["outcome"]) == {"toy/b": "right", "toy/c": "wrong"}
    assert of["truth"].tolist() == pytest.approx([0.1, 0.1])
    assert not checked.passed, "one of them contradicts what was published"


@pytest.mark.thorough
def test_several_experiments_are_told_together(tmp_path: Path) -> None:
    one = calibrated(STEADY, {"toy/a": "draw", "toy/b": "first", "toy/c": "second"})
    other = dataclasses.replace(
        one,
        table=one.table.assign(experiment="others"),
        budgets={"others": (500, 2_000)},
        played=one.played.assign(experiment="others"),
        digests={"others": "4567"},
    )
    both = together([one, other])
    assert both.counts("best_play") == {"right": 10, "not_settled": 0, "wrong": 0}
    page = write(both, tmp_path)
    assert (
        "* `controls`: 3 rulesets; players search 1,000, 3,000 and 9,000 nodes a move; 108,000 games, digest 0123abcd"
        in page
    )
    assert "* `others`: 3 rulesets; players search 500 and 2,000 nodes a move; 108,000 games, digest 4567" in page
    assert "`python -m tests.calibration reports/controls reports/others`" in page
