"""What a report says of strong play: the headline, the table below it and the charts."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from tests.test_strong_play import plan_of, records, specs
from tests.toy import with_keys
from workbench.language import translated
from workbench.report.model import Paragraph, Table
from workbench.report.names import Names
from workbench.report.sections import strong
from workbench.statistics import Analysis, analyse

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
    assert "more than 64 times as many games" in strong.reason_text(never.strong_verdicts.iloc[0].to_dict())


def test_draws_are_told_where_they_were_asked(analysis: Analysis) -> None:
    about = dataclasses.replace(analysis, plan=with_keys(analysis.plan, question="draw_rate"))
    lead = strong.strong_play_headline(about, Names(about.plan))[0]
    assert isinstance(lead, Paragraph)
    assert "Draws: new and same: no meaningful difference." in lead.text
    assert "引き分け：" in translated(lead.text, "ja")
    plies = dataclasses.replace(analysis, plan=with_keys(analysis.plan, question="plies"))
    lead = strong.strong_play_headline(plies, Names(plies.plan))[0]
    assert isinstance(lead, Paragraph) and "are judged, not what was asked." in lead.text
