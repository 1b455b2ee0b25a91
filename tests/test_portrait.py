"""Portraits of games, on courses and ladders whose truth is known; and what the report says of them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.toy import games, plan_for, traces
from workbench import statistics
from workbench.base.language import untranslated
from workbench.report.model import Cards, Document, Section
from workbench.report.names import Results
from workbench.report.render.documents import render_html, render_markdown
from workbench.report.sections import games as section
from workbench.statistics import Analysis
from workbench.statistics.portrait import (
    FEWEST_TRACED,
    decision_ply,
    ladder_depths,
    portraits,
    sample_course,
    step_in_elo,
)


def rows_of(table: pd.DataFrame, **values: object) -> pd.DataFrame:
    for name, value in values.items():
        table = table[table[name] == value]
    return table


@pytest.mark.parametrize(
    ("course", "ply"),
    [
        ([0.6, 0.7, 0.8], 1), ([0.0, 0.9, 0.4, 0.6, 0.7], 4), ([0.9], 1),
        ([0.0, 0.9, 0.5, 0.6], 4),  # a clear lead is more than one half
        ([-0.2, 0.1, 0.3], 3),  # never clear: decided by the last move
    ],
)  # fmt: skip
def test_a_game_is_decided_where_its_winner_stays_clear(course: Sequence[float], ply: int) -> None:
    assert decision_ply(np.array(course)) == ply


@pytest.mark.parametrize("plies", [1, 7, 20, 61, 400])
def test_the_course_of_a_game_ends_with_its_last_ply(plies: int) -> None:
    seen = sample_course(np.arange(1.0, plies + 1))
    assert (seen[0], seen[-1]) == (1, plies)
    assert seen[10] == max(1, math.ceil(plies / 2))
    assert (np.diff(seen) >= 0).all()


def portrait(results: str, courses: Sequence[Sequence[float]], legal: int = 5) -> tuple[pd.DataFrame, pd.DataFrame]:
    trials = games(results, plies=[len(course) for course in courses])
    return portraits(trials, traces("toy/base", courses, legal), plan_for("toy/base"))


def test_games_that_share_lines_tell_less_of_when_games_are_decided() -> None:
    chance = np.random.default_rng(1)
    begins = np.repeat(chance.integers(2, 19, 20), 4)
    courses = [[0.0] * begin + [0.9] * (20 - begin) for begin in begins]
    trials = games("w" * 80, plies=[20] * 80, cluster=np.repeat(np.arange(20), 4).tolist())
    widths = []
    for of_lines in (trials, trials.drop(columns="cluster")):
        (row,) = portraits(of_lines, traces("toy/base", courses), plan_for("toy/base"))[0].to_dict("records")
        widths.append(row["decided_at_high"] - row["decided_at_low"])
    assert widths[0] > 1.4 * widths[1] > 0


def test_courses_are_of_the_winner_and_of_the_first_seat() -> None:
    """Ten games that the first seat won with a lead of 0.8 from the third of four plies on, thirty that it lost so."""
    rising = [0.0, 0.2, 0.8, 0.8]
    courses = [rising] * 10 + [[-lead for lead in rising]] * 30
    table, found = portrait("w" * 10 + "l" * 30, courses)
    (row,) = table.to_dict("records")
    assert (row["traced"], row["traced_decided"], row["decided_at"], row["plies_after_decision"]) == (40, 40, 0.75, 1)
    winner, first = (rows_of(found, view=view) for view in ("winner", "first"))
    for name in ("lower_decile", "median", "upper_decile"):
        assert winner[name].tolist() == pytest.approx([0.0] * 6 + [0.2] * 5 + [0.8] * 10)
    assert first["median"].tolist() == pytest.approx((-winner["median"]).tolist())
    # A quarter of the games was won: the ninetieth percentile is that of the winners.
    assert first["upper_decile"].tolist() == pytest.approx(winner["median"].tolist())
    assert first["at"].tolist() == pytest.approx([part / 20 for part in range(21)])


def test_draws_are_seen_by_the_first_seat_alone() -> None:
    table, found = portrait("w" * 25 + "d" * 25, [[0.4] * 5] * 25 + [[0.0] * 5] * 25)
    assert table["traced_decided"].tolist() == [25]
    assert set(rows_of(found, view="winner")["median"]) == {0.4}
    assert set(rows_of(found, view="first")["median"].round(6)) == {0.2}
    # A lead of 0.4 is never clear: such games are decided by their last ply.
    assert table["decided_at"].tolist() == [1.0] and table["plies_after_decision"].tolist() == [0.0]


def test_the_band_holds_four_games_in_five() -> None:
    levels = np.random.default_rng(5).permutation(np.linspace(-1, 1, 101))
    found = portrait("d" * 101, [[level] * 3 for level in levels])[1]
    first = rows_of(found, view="first")
    assert set(first["lower_decile"].round(6)) == {-0.8} and set(first["upper_decile"].round(6)) == {0.8}
    assert rows_of(found, view="winner").empty


def test_legal_moves_are_told_as_long_as_half_of_the_games_go_on() -> None:
    found = portrait("d" * 50, [[0.0] * 4] * 30 + [[0.0] * 9] * 20, legal=7)[1]
    legal = rows_of(found, view="legal_moves")
    assert legal["at"].tolist() == [1, 2, 3, 4] and set(legal["games"]) == {50}
    assert set(legal["median"]) == {7}


def test_few_games_have_no_courses() -> None:
    n = FEWEST_TRACED - 1
    table, found = portrait("w" * n, [[0.9] * 3] * n)
    assert found.empty
    assert table["traced"].tolist() == [n] and table["decided_at"].isna().all()


def test_a_trace_counts_only_if_it_is_of_the_game_on_record() -> None:
    courses = [[0.9] * 3] * 30
    trials = games("w" * 30, plies=[3] * 24 + [4] * 6)
    assert portraits(trials, traces("toy/base", courses), plan_for("toy/base"))[0]["traced"].tolist() == [24]
    cut = traces("toy/base", courses)
    cut["evaluations"] = [course[:2] for course in cut["evaluations"]]
    assert portraits(trials, cut, plan_for("toy/base"))[0]["traced"].tolist() == [0]
    assert portraits(trials, traces("toy/other", courses), plan_for("toy/base"))[0]["traced"].tolist() == [0]


def test_comebacks_are_counted_over_all_games_on_record() -> None:
    worst = [0.6] * 12 + [0.5] * 20 + [0.0] * 18 + [math.nan] * 10
    trials = games("w" * 30 + "l" * 20 + "d" * 10, drama_max=worst)
    (row,) = portraits(trials, None, plan_for("toy/base"))[0].to_dict("records")
    assert (row["comebacks"], row["won_games"], row["comeback_rate"]) == (12, 50, 0.24)
    for end in (row["comeback_rate_low"], row["comeback_rate_high"]):
        # Wilson's ends are the shares from which 12 of 50 are 1.96 standard errors away.
        assert abs(0.24 - end) == pytest.approx(1.96 * math.sqrt(end * (1 - end) / 50), abs=1e-4)
    without = portraits(games("wl"), None, plan_for("toy/base"))[0]
    assert without["won_games"].tolist() == [0] and without["comeback_rate"].isna().all()


# Depth


def test_a_step_is_seventy_elo_without_draws_and_longer_with_them() -> None:
    assert step_in_elo(0.0, 0.0) == pytest.approx(400 * math.log10(0.6 / 0.4))
    assert step_in_elo(0.5, 0.0) > 1.5 * step_in_elo(0.0, 0.0)
    # A large worth of the first move flattens the score over both seats.
    assert step_in_elo(0.0, 400.0) > step_in_elo(0.0, 0.0) == step_in_elo(0.0, -0.0)
    assert step_in_elo(0.2, 150.0) == pytest.approx(step_in_elo(0.2, -150.0))


def player(label: str, elo: float, low: float | None, high: float | None, **options: Any) -> dict[str, Any]:
    return {"player": label, "options": options, "elo": {"value": elo, "low": low, "high": high}}


STEP = 400 * math.log10(1.5)
LADDER = {
    "zero": "random", "draws": {"value": 0.0}, "first_move": {"value": 0.0},
    "players": [
        player("random", 0.0, 0.0, 0.0, kind="random"),
        player("greedy", 2 * STEP, STEP, 3 * STEP, kind="greedy"),
        player("alphabeta-1", 3 * STEP, 2 * STEP, None, kind="alphabeta", depth=1),
        player("best-first-1k", 4 * STEP, 3 * STEP, 5 * STEP, kind="best-first", nodes=1000),
        player("alphabeta-2", 5 * STEP, 4 * STEP, None, kind="alphabeta", depth=2),
        player("alphabeta-9k", 6 * STEP, 5 * STEP, 7 * STEP, kind="alphabeta", nodes=9000),
    ],
}  # fmt: skip


def test_depth_is_counted_for_each_family_of_players() -> None:
    found = {depth.kind: depth for depth in ladder_depths(LADDER)}
    assert list(found) == ["alphabeta, nodes", "alphabeta, depth", "best-first", "greedy"]
    assert {kind: depth.steps for kind, depth in found.items()} == pytest.approx(
        {"alphabeta, nodes": 6, "alphabeta, depth": 5, "best-first": 4, "greedy": 2}
    )
    searched = found["alphabeta, depth"]
    assert (searched.strongest, searched.weakest, searched.high) == ("alphabeta-2", "random", None)
    assert searched.low == pytest.approx(4)


def test_a_ladder_counted_from_another_player_has_no_interval_of_its_depth() -> None:
    found = ladder_depths({**LADDER, "zero": "greedy"})
    assert {(depth.low, depth.high) for depth in found} == {(None, None)}


# What the report says


COURSE = [0.0, 0.1, 0.8, 0.9]


def analysis_of(*names: str, count: int = 30, **options: Any) -> Analysis:
    trials = pd.concat(
        games("w" * count, name, plies=[4] * count, drama_max=[0.0] * count, lead_changes=[1.0] * count,
              drama=[0.1] * count).assign(opening=["a b"] * (count - 6) + ["a c"] * 6)
        for name in names
    )  # fmt: skip
    traced = pd.concat(traces(name, [COURSE] * count) for name in names)
    return statistics.analyse(trials, plan_for(*names, **options), traced)


def said(analysis: Analysis) -> tuple[Section, Cards]:
    told = section.portraits_section(Results.of(analysis), {})
    assert told is not None
    (cards,) = [part for part in told.parts if isinstance(part, Cards)]
    return told, cards


@pytest.mark.thorough
def test_many_rulesets_are_folded() -> None:
    names = [f"toy/r{number}" for number in range(12)]
    told, cards = said(analysis_of(*names))
    assert (cards.shown, len(cards.cards), cards.more) == (6, 12, "The other 6 rulesets")
    document = Document(untranslated("t"), untranslated("a"), untranslated("c"), [told])
    page = render_html(document)
    folded = page[page.index("<summary>") :]
    assert folded.count('<article class="card">') == 6 and page.count('<article class="card">') == 12
    paths = re.findall(r'<path d="(M[^"]*)" class="(?:area|course|behind)"', page)
    assert len(paths) == 12 * 6 + 11 * 3 and not any("nan" in path or "inf" in path for path in paths)
    for lang in ("en", "ja"):
        text = render_markdown(document, lang)
        assert "![" in text and "portraits.png" in text and text.count("\n### ") == 12


def test_without_traces_a_sentence_says_so() -> None:
    plan = plan_for("toy/base")
    _, cards = said(statistics.analyse(games("wl" * 20), plan))
    assert "cannot be shown" in cards.sheet.caption
    assert not cards.sheet.items and not cards.sheet.stem
    assert cards.cards[0].note == "No game was traced, so no course is shown."
    _, few = said(analysis_of("toy/base", count=7))
    assert few.cards[0].note.startswith("Only 7 games were traced")
    assert section.portraits_section(Results.of(statistics.analyse(games(""), plan)), {}) is None
