"""The first screen of a report: the answer in a sentence, and a card for each proposal."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.test_strong_play import plan_of, records, specs
from tests.toy import drawn, plan_for, plan_from, ruleset
from workbench.report.model import Document, Facts, Finding, Findings, Paragraph, Part, Section, Table
from workbench.report.names import Names
from workbench.report.render.documents import render_html
from workbench.report.sections import rules
from workbench.report.sections.first_screen import first_screen
from workbench.report.sections.rules import further_rule_tables, rule_effects_section
from workbench.statistics import Analysis, analyse


def screen(analysis: Analysis, **provenance: Any) -> tuple[str, dict[str, Finding]]:
    """The headline, and the cards by their names."""
    parts = first_screen(analysis, Names(analysis.plan), [], None, provenance)
    (findings,) = [part for part in parts if isinstance(part, Findings)]
    assert isinstance(parts[0], Paragraph)
    return parts[0].text, {str(each.name): each for each in findings.items}


def section(found: Section | None) -> Section:
    assert found is not None
    return found


def tables(parts: Iterable[Part]) -> list[Table]:
    """The tables among parts."""
    return [part for part in parts if isinstance(part, Table)]


def facts(analysis: Analysis, **provenance: Any) -> dict[str, str]:
    """The lines between the headline and the cards."""
    part = first_screen(analysis, Names(analysis.plan), [], None, provenance)[1]
    assert isinstance(part, Facts)
    return {str(name): str(value) for name, value in part.items}


@pytest.fixture(scope="module")
def strong() -> Analysis:
    """A game that favours the first player, a proposal that makes it nearly even, one without effect, a worse one."""
    scores = {"toy/base": 0.65, "toy/even": 0.52, "toy/same": 0.65, "toy/worse": 0.72}
    players = specs(nodes=(1_000, 3_000), trainings=(0, 1))
    trials = records(
        lambda name, player, line: np.full(len(line), scores[name]), players, 2_500, 2_500, 3, tuple(scores)
    ).drop(columns="line")
    return analyse(trials, plan_of(players, names=tuple(scores), margin=0.04))


@pytest.mark.thorough
def test_changes_of_rules_have_the_cards_where_rulesets_combine_them() -> None:
    players = specs(nodes=(1_000, 3_000), trainings=(0, 1))
    settings = {f"toy/{a}{b}": {"first": a, "second": b} for a in "xy" for b in "pq"}
    rulesets = [ruleset(name, settings=each) for name, each in settings.items()]
    plan = plan_from(rulesets, [(one, one) for one in players], margin=0.04)
    trials = records(
        lambda name, player, line: np.full(len(line), 0.66 if name[4] == "x" else 0.55), players, 600, 600, 5,
        tuple(settings),
    ).drop(columns="line")  # fmt: skip
    analysis = analyse(trials, plan)
    _, cards = screen(analysis)
    assert list(cards) == ["yp", "xq"], "a card for each change, and none for both together"
    (pairs,) = tables(further_rule_tables(analysis, Names(plan)))
    assert pairs.folded and {str(row[0].text) for row in pairs.rows} == {"yp with xq"}
    (effects, _) = tables(section(rule_effects_section(analysis, Names(plan))).parts)
    assert [str(row[0].text) for row in effects.rows][:2] == ["yp", "xq"], "names alone"
    assert cards["yp"].likely > 0.99 > cards["xq"].likely


def test_the_answer_ranks_the_fairest_and_the_appendix_all(strong: Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "RANKS_SHOWN", 4)
    assert tables(further_rule_tables(strong, Names(strong.plan))) == []
    monkeypatch.setattr(rules, "RANKS_SHOWN", 2)
    (shown,) = tables(section(rule_effects_section(strong, Names(strong.plan))).parts)
    assert str(shown.rows[0][0].text) == "even" and len(shown.rows) == 2
    assert shown.caption.endswith("These are the 2 fairest of 4; the appendix has all.")
    (every,) = tables(further_rule_tables(strong, Names(strong.plan)))
    assert every.folded and len(every.rows) == 4 and "the appendix" not in every.caption


def bar_of(finding: Finding) -> str:
    """The bar of a card as the page draws it."""
    section = Section("answer", "", [Findings([finding], 8)])
    page = render_html(Document("", "", "", [section]))
    found = re.search(r'<div class="(likely[^"]*)"[^>]*><span style="width:([^"]*)"', page)
    return " ".join(found.groups()) if found else ""


def test_the_bar_fills_from_the_end_of_the_likelier_word() -> None:
    card = Finding("x", "", "", "", 0.41, "open", ("less fair 59 %", "fairer 41 %"), chance="less fair: 59 %")
    assert bar_of(card) == "likely open 59.0%"
    assert bar_of(dataclasses.replace(card, likely=0.65)) == "likely open more 65.0%"
    graded = dataclasses.replace(card, kind="", graded=True)
    assert bar_of(graded) == "likely bad 59.0%", "what is worse has another colour"
    assert bar_of(dataclasses.replace(graded, likely=0.65)) == "likely more good 65.0%"


@pytest.mark.thorough
def test_what_more_games_cost_is_told_in_time_where_games_were_timed() -> None:
    players = specs(nodes=(1_000, 3_000), trainings=(0, 1, 2))
    trials = records(
        lambda name, player, line: np.full(len(line), 0.62 if name == "toy/base" else 0.5), players, 40, 40, 3
    )
    analysis = analyse(trials.drop(columns="line"), plan_of(players, margin=0.08, games=40))
    untimed = facts(analysis)["To know more"]
    found = re.fullmatch(r"set games to (\d+) and run it again: ([\d,]+) more games in all", untimed)
    assert found
    wanted, games = int(found[1]), int(found[2].replace(",", ""))
    # Two rulesets, twelve players.
    assert wanted % 40 == 0 and games == (wanted - 40) * 24
    # 6 seconds each, by two workers.
    timed = facts(analysis, timed={"games": 400, "seconds": 2_400.0}, workers=2)["To know more"]
    assert f"{games:,} more games ({games * 6 // 2 // 60} min" in timed


def test_other_questions_have_cards_without_good_and_bad() -> None:
    chance = np.random.default_rng(3)
    trials = [drawn(chance, 1_500, 0.5, draws, ruleset=name) for name, draws in (("toy/base", 0.1), ("toy/new", 0.3))]
    plan = plan_for("toy/base", "toy/new", games=1_500, question="draw_rate")
    text, cards = screen(analyse(pd.concat(trials, ignore_index=True), plan))
    assert "More draws: new (1" in text
    assert (cards["new"].certainty, cards["new"].kind, cards["new"].ends[1][:10]) == (
        "more draws: settled",
        "",
        "more draws",
    )
    assert cards["new"].likely > 0.999 and " → " in cards["new"].score
