"""What a report says of strong play: the headline, the table below it and the charts."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from tests.test_strong_play import plan_of, records, specs
from tests.toy import with_keys
from workbench.language import translated
from workbench.report.model import Paragraph, SmallMultiples, Table
from workbench.report.names import Names
from workbench.report.sections import strong
from workbench.statistics import Analysis, analyse
from workbench.statistics.search_games import MEASURES

SCORES = {"toy/base": 0.5, "toy/new": 0.65, "toy/same": 0.5}


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    """Games of six players at three budgets under three rulesets, of which one changes something."""
    players = specs()
    trials = records(
        lambda name, player, line: np.full(len(line), SCORES[name]), players, 3_000, 3_000, 3, tuple(SCORES)
    ).drop(columns="line")
    return analyse(trials, plan_of(players, names=tuple(SCORES)))


def with_verdicts(analysis: Analysis, **columns: Any) -> Analysis:
    """The analysis with other verdicts on all proposals."""
    return dataclasses.replace(analysis, strong_verdicts=analysis.strong_verdicts.assign(**columns))


@pytest.mark.thorough
def test_the_headline_says_what_strong_play_says(analysis: Analysis) -> None:
    lead, table = strong.strong_play_headline(analysis, Names(analysis.plan))
    assert isinstance(lead, Paragraph) and isinstance(table, Table)
    assert lead.text.startswith(
        "With strong play (searches of up to 9k nodes, 6 players of 2 families, by evaluation own 2 and "
        "learned 4; they choose every move from the first on): new: less fair; same: no meaningful difference"
    )
    assert (
        "強いプレイヤー（9k局面までの探索、2種類の探索・6人、評価はown 2、learned 4、初手から自分で選ぶ）では、"
        "newはより不公平、sameは意味のある差なし" in translated(lead.text, "ja")
    )
    assert "The proposals by themselves: first player ahead under new; balanced under same." in lead.text
    assert "案ごとには、newでは先手有利、sameでは互角。" in translated(lead.text, "ja")
    assert lead.text.endswith(
        "“Settled” is about strength: twice the nodes would surely change the answer by less than 2.5 points."
    )
    said = {row[0].text: [cell.text for cell in row[1:3]] for row in table.rows}
    assert said == {"new": ["✓ settled", "▼ less fair"], "same": ["✓ settled", "= no meaningful difference"]}


def test_what_is_not_settled_says_what_would_tell(analysis: Analysis) -> None:
    open_ones = with_verdicts(
        analysis, verdict="not_settled", direction="", reason="strength", more_games=np.nan, next_positions=2.4e9
    )
    lead, table = strong.strong_play_headline(open_ones, Names(analysis.plan))
    assert isinstance(lead, Paragraph) and isinstance(table, Table)
    assert "new and same: not settled (the table says why)" in lead.text
    assert "by themselves" not in lead.text
    assert table.rows[0][1].small == (
        "still changing: ask players of 18k nodes (at most 2,400,000,000 positions to look at)"
    )
    assert table.rows[0][2].text == "? not sure", "what is not settled is not called fairer either"
    more = with_verdicts(analysis, verdict="not_settled", direction="", reason="games", more_games=4.0)
    assert "about 4 times as many games would tell" in strong.reason_text(more.strong_verdicts.iloc[0].to_dict())
    never = with_verdicts(analysis, verdict="not_settled", direction="", reason="games", more_games=np.inf)
    assert "these players differ too much" in strong.reason_text(never.strong_verdicts.iloc[0].to_dict())


def test_every_strength_has_its_line_and_the_next_doubling_its_own(analysis: Analysis) -> None:
    section = strong.strong_play_section(analysis, Names(analysis.plan), {})
    assert section is not None
    differences, levels = (part for part in section.parts if isinstance(part, SmallMultiples))
    scores = differences.items[0].panel  # type: ignore[union-attr]
    assert [row.name for row in scores.rows] == ["toy/new", "toy/same"]
    assert [line.name for line in scores.rows[0].lines] == ["1k", "3k", "9k", "×2"]
    assert scores.scale.band == (-0.025, 0.025)
    assert len(levels.items) == len(MEASURES)
    assert [row.name for row in levels.items[0].panel.rows] == list(SCORES)  # type: ignore[union-attr]


def test_each_family_of_search_has_its_own_row_below_all_players(analysis: Analysis) -> None:
    section = strong.strong_play_section(analysis, Names(analysis.plan), {})
    assert section is not None
    table = next(part for part in section.parts if isinstance(part, Table) and "gamma" in part.caption)
    heads = [head.text for head in table.heads]
    search, players = heads.index("search"), heads.index("players")
    rows = [(row[0].text, row[1].text, row[search].text, row[players].text) for row in table.rows]
    of_base = [(which, n) for name, nodes, which, n in rows if "base" in name and nodes == "9k"]
    assert [which for which, _ in of_base] == ["all", "alphabeta", "best-first"]
    assert int(of_base[0][1]) == int(of_base[1][1]) + int(of_base[2][1])
    # Nothing but a chart's own families is counted twice: charts show all players together.
    charts = [part for part in section.parts if isinstance(part, SmallMultiples)]
    assert [line.name for line in charts[1].items[0].panel.rows[0].lines] == ["1k", "3k", "9k"]  # type: ignore[union-attr]


def test_a_kept_ladder_gives_the_axis_its_elo(analysis: Analysis) -> None:
    """The players of a budget stand where the mean of their Elo is; a ruleset without a ladder has none."""
    labels = analysis.strong_players.loc[analysis.strong_players["nodes"] == 9_000, "player"].unique()
    entries = {str(label): {"elo": {"value": 300.0 + 20 * i}} for i, label in enumerate(labels[:3])}
    section = strong.strong_play_section(analysis, Names(analysis.plan), {"toy/new": ({}, entries)})
    assert section is not None
    levels = [part for part in section.parts if isinstance(part, SmallMultiples)][1]
    names = {row.name: [line.name for line in row.lines] for row in levels.items[0].panel.rows}  # type: ignore[union-attr]
    assert names == {
        "toy/base": ["1k", "3k", "9k"],
        "toy/new": ["1k", "3k", "9k · +320 Elo"],
        "toy/same": ["1k", "3k", "9k"],
    }
    tables = [part for part in section.parts if isinstance(part, Table)]
    heads = [[head.text for head in table.heads] for table in tables]
    (table,) = (table for table, names in zip(tables, heads, strict=True) if "strength (Elo)" in names)
    words = [head.text for head in table.heads]
    at, search = words.index("strength (Elo)"), words.index("search")
    rows = [row for row in table.rows if row[0].text == "new"]
    assert [row[at].text for row in rows if row[search].text == "all"] == ["", "", "+320"]


def test_who_is_ahead_under_every_ruleset_has_its_verdict(analysis: Analysis) -> None:
    section = strong.strong_play_section(analysis, Names(analysis.plan), {})
    assert section is not None
    by_evaluation, table = (part for part in section.parts if isinstance(part, Table) and not part.folded)
    assert [head.text for head in by_evaluation.heads] == ["ruleset", "own (players: 2)", "learned (players: 4)"]
    assert [row[0].text for row in by_evaluation.rows] == ["new", "same"]
    assert [cell.sort for cell in by_evaluation.rows[0][1:]] == pytest.approx([15, 15], abs=3)
    assert table.caption.endswith("a verdict on 3 of 3.")
    said = {row[0].text: (row[1].text, row[1].small) for row in table.rows}
    assert said == {
        "base": ("✓ settled", "balanced"),
        "new": ("✓ settled", "first player ahead"),
        "same": ("✓ settled", "balanced"),
    }
    score = {row[0].text: row[2].sort for row in table.rows}
    assert score["new"] == pytest.approx(0.65, abs=0.02) and score["base"] == pytest.approx(0.5, abs=0.02)


def test_one_further_player_may_lie_farther_off_than_the_mean(analysis: Analysis) -> None:
    _, table = strong.strong_play_headline(analysis, Names(analysis.plan))
    assert isinstance(table, Table)
    verdicts = analysis.strong_verdicts
    new = verdicts[(verdicts["ruleset"] == "toy/new") & verdicts["compared"] & (verdicts["measure"] == "first_score")]
    low, high = (100 * float(new[f"player_{end}"].iloc[0]) for end in ("low", "high"))
    assert low < 100 * float(new["next_low"].iloc[0]) and high > 100 * float(new["next_high"].iloc[0])
    cell = table.rows[0][[head.text for head in table.heads].index("players differ by")]
    assert cell.small == f"{low:+.1f}…{high:+.1f}"


def test_draws_are_told_where_they_were_asked(analysis: Analysis) -> None:
    about = dataclasses.replace(analysis, plan=with_keys(analysis.plan, question="draw_rate"))
    lead = strong.strong_play_headline(about, Names(about.plan))[0]
    assert isinstance(lead, Paragraph)
    assert "Draws: new and same: no meaningful difference." in lead.text
    assert "引き分け：" in translated(lead.text, "ja")
    plies = dataclasses.replace(analysis, plan=with_keys(analysis.plan, question="plies"))
    lead = strong.strong_play_headline(plies, Names(plies.plan))[0]
    assert isinstance(lead, Paragraph) and "are judged, not what was asked." in lead.text
