"""The first screen of a report: the answer in a sentence, and a card for each proposal."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.test_strong_play import plan_of, records, specs
from tests.toy import drawn, games, plan_for, plan_from, ruleset
from workbench import games as families
from workbench.language import translated
from workbench.questions.agents import AgentSpec
from workbench.report.model import Document, Facts, Finding, Findings, Paragraph, Part, Section, Table
from workbench.report.names import Names
from workbench.report.render.html import render_html
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


def facts(analysis: Analysis, **provenance: Any) -> dict[str, str]:
    """The lines between the headline and the cards."""
    part = first_screen(analysis, Names(analysis.plan), [], None, provenance)[1]
    assert isinstance(part, Facts)
    return {str(name): str(value) for name, value in part.items}


def section(found: Section | None) -> Section:
    assert found is not None
    return found


def tables(parts: Iterable[Part]) -> list[Table]:
    """The tables among parts."""
    return [part for part in parts if isinstance(part, Table)]


@pytest.fixture(scope="module")
def strong() -> Analysis:
    """A game that favours the first player, a proposal that makes it nearly even, one without effect, a worse one."""
    scores = {"toy/base": 0.65, "toy/even": 0.52, "toy/same": 0.65, "toy/worse": 0.72}
    players = specs(nodes=(1_000, 3_000), trainings=(0, 1))
    trials = records(
        lambda name, player, line: np.full(len(line), scores[name]), players, 2_500, 2_500, 3, tuple(scores)
    ).drop(columns="line")
    return analyse(trials, plan_of(players, names=tuple(scores), margin=0.04))


def test_the_headline_says_what_helps_and_how_far_from_even_the_game_is(strong: Analysis) -> None:
    text, _ = screen(strong)
    assert text.startswith("Under base, between strong players, the first player scores 6") and "far from even." in text
    assert re.search(r"Fairer: even \(6\d\.\d.% → 5\d\.\d.%\)\. Less fair: worse \(6\d\.\d.% → 7\d\.\d.%\)\.", text)
    assert "Not decided yet" not in text
    told = facts(strong)
    assert told["Makes it worse"] == "worse"
    assert told["Fairest of all"].startswith("even with a probability of > 99\N{NO-BREAK SPACE}%, 6")
    assert told["Stronger players"] == "what is sure stays so for players of up to 6,000 positions a move"
    assert told["Besides"] == "no other difference is shown"
    assert "より公平：even（6" in translated(text, "ja")


def test_cards_say_what_a_proposal_does_and_how_sure_that_is_the_best_first(strong: Analysis) -> None:
    _, cards = screen(strong)
    names = list(cards)
    assert (names[0], names[-1]) == ("even", "worse")
    assert cards["even"].ends == ("less fair < 1\N{NO-BREAK SPACE}%", "fairer > 99\N{NO-BREAK SPACE}%")
    assert (cards["even"].certainty, cards["even"].kind) == ("fairer: settled", "good")
    assert (cards["worse"].certainty, cards["worse"].kind) == ("less fair: settled", "bad")
    assert cards["same"].kind not in ("good", "bad") and 0.02 < cards["same"].likely < 0.98
    assert cards["even"].likely > 0.99 and cards["worse"].likely < 0.01
    before, after = (
        float(word) for word in cards["even"].score.removeprefix("First player ").replace("%", "").split("→")
    )
    assert before == pytest.approx(65, abs=1.5) and after == pytest.approx(52, abs=1.5)
    assert "nodes" not in " ".join(str(each.certainty) + str(each.next_step) for each in cards.values())


def test_few_games_are_not_far_from_even_and_no_proposal_stands_out() -> None:
    trials = pd.concat([games("l" * 7 + "w" * 13, ruleset=name) for name in ("toy/base", "toy/a", "toy/b")])
    text, _ = screen(analyse(trials, plan_for("toy/base", "toy/a", "toy/b", games=20)))
    assert "scores 65.0" in text and "far from even" not in text and "who is ahead is undecided" in text
    assert "none stands out" in text and "most promising" not in text


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


def test_few_games_of_weak_players_are_little_evidence() -> None:
    chance = np.random.default_rng(1)
    trials = [drawn(chance, 200, score, ruleset=name) for name, score in (("toy/base", 0.55), ("toy/new", 0.62))]
    analysis = analyse(pd.concat(trials, ignore_index=True), plan_for("toy/base", "toy/new", games=200))
    _, cards = screen(analysis)
    assert 0.05 < cards["new"].likely < 0.5
    assert cards["new"].certainty.startswith("undecided"), "one verdict, as in the tables"
    share = round(100 * (1 - cards["new"].likely))
    assert cards["new"].chance == f"probability of “less fair”: {share}\N{NO-BREAK SPACE}%"
    assert cards["new"].ends[0] == f"less fair {share}\N{NO-BREAK SPACE}%"
    text, _ = screen(analysis)
    assert text.endswith(f"new: less fair with a probability of {share}\N{NO-BREAK SPACE}%."), "as its card says"


def test_a_title_of_ones_own_stands_in_quotation_marks_in_japanese() -> None:
    plan = plan_from(
        [ruleset("toy/base"), dataclasses.replace(ruleset("toy/new"), title="初手から", title_ja="初手から")],
        [(AgentSpec.of("greedy"),) * 2],
        games=20,
    )
    trials = pd.concat([games("l" * 7 + "w" * 13, ruleset=name) for name in ("toy/base", "toy/new")])
    text, _ = screen(analyse(trials, plan))
    assert "「初手から」についてはまだ分からない" in translated(text, "ja")


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


def test_a_change_that_never_acted_has_no_probability_but_says_so() -> None:
    base = families.declaration("chatra").defaults()
    settings = {"x": base, "still": {**base, "stuck": "loss"}, "acts": {**base, "stuck": "loss", "offside": "any-two"}}
    rulesets = [ruleset(f"chatra/{name}", "chatra", each) for name, each in settings.items()]
    counts: dict[str, Any] = {f"event_{event.name}": [1] * 400 for event in families.declaration("chatra").events}
    results = {"x": "wwl" * 133 + "l", "still": "wl" * 200, "acts": "wwwl" * 100}
    trials = pd.concat([games(results[name], f"chatra/{name}", **counts) for name in settings], ignore_index=True)
    analysis = analyse(trials, plan_from(rulesets, [(AgentSpec.of("greedy"),) * 2], games=400))
    text, cards = screen(analysis)
    assert cards["still"].certainty.startswith("cannot say") and cards["acts"].certainty == "less fair: settled"
    assert math.isnan(cards["still"].likely) and cards["still"].chance == "" == bar_of(cards["still"])
    assert "Of still these games say nothing" in text and "promising" not in text


def test_players_who_cannot_tell_what_strong_play_says_are_followed_by_the_command_that_asks_others(
    strong: Analysis,
) -> None:
    trials = [drawn(np.random.default_rng(1), 50, 0.6, ruleset=name) for name in ("toy/base", "toy/new")]
    plan = plan_for("toy/base", "toy/new", games=50)
    plan = dataclasses.replace(plan, experiment=dataclasses.replace(plan.experiment, name="mine"))
    analysis = analyse(pd.concat(trials, ignore_index=True), plan)
    told, command = facts(analysis), first_screen(analysis, Names(plan), [], None, {})[2]
    assert told["Stronger players"].startswith("not asked")
    # 2 rulesets, 2 families, 2 budgets, 4 evaluations, 150 games.
    assert told["To know more"] == "ask strong players: 4,800 games"
    assert isinstance(command, Paragraph) and command.text == "workbench run mine --strong"
    # No experiment is called as what confirms a search is.
    plan = dataclasses.replace(plan, experiment=dataclasses.replace(plan.experiment, name="mine.confirmed"))
    of_search = first_screen(analysis, Names(plan), [], None, {})
    of_strong = first_screen(strong, Names(strong.plan), [], None, {})
    assert not any(getattr(part, "kind", "") == "command" for part in of_search)
    assert not any(getattr(part, "kind", "") == "command" for part in of_strong)


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


@pytest.mark.thorough
def test_what_else_changes_stands_beside_the_headline() -> None:
    chance = np.random.default_rng(2)
    longer = drawn(chance, 400, 0.5, ruleset="toy/new")
    trials = [drawn(chance, 400, 0.5, ruleset="toy/base"), longer.assign(plies=longer["plies"] + 30)]
    analysis = analyse(pd.concat(trials, ignore_index=True), plan_for("toy/base", "toy/new", games=400))
    assert "Besides, longer games with new (+29.7" in screen(analysis)[0] and "Besides" not in facts(analysis)
    names = [f"toy/{letter}" for letter in "abcde"]
    trials[1:] = [longer.assign(ruleset=name, plies=longer["plies"] + 30) for name in names]
    analysis = analyse(pd.concat(trials, ignore_index=True), plan_for("toy/base", *names, games=400))
    assert screen(analysis)[0].endswith("Besides, longer games with 5 of 5 proposals."), "many are counted"


@pytest.mark.parametrize("weaker", [0.55, 0.75])
def test_other_players_who_point_the_other_way_are_named_in_the_headline(weaker: float) -> None:
    chance, pairs = np.random.default_rng(5), [(AgentSpec.of(name),) * 2 for name in ("greedy", "alphabeta")]
    scores = {("toy/base", "greedy"): 0.65, ("toy/new", "greedy"): weaker}
    scores |= {("toy/base", pairs[1][0].label): 0.65, ("toy/new", pairs[1][0].label): 0.55}
    trials = [
        drawn(chance, 1_500, score, ruleset=name).assign(first=player, second=player)
        for (name, player), score in scores.items()
    ]
    plan = plan_from([ruleset("toy/base"), ruleset("toy/new")], pairs, games=1_500)
    text, cards = screen(analyse(pd.concat(trials, ignore_index=True), plan))
    assert cards["new"].certainty == "fairer: settled"
    other_way = "Other players point the other way: between greedy new is very likely less fair."
    assert (other_way in text) == (weaker > 0.65)
    assert "between players of alphabeta-2 (“Looks 2 plies ahead”), the first player scores" in text
    assert "2手先まで読むプレイヤー（alphabeta-2）どうしの対局で" in translated(text, "ja")


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


@pytest.mark.thorough
def test_no_cards_without_proposals_or_before_the_run_is_finished() -> None:
    trials = drawn(np.random.default_rng(1), 50, 0.5)
    plan = plan_for("toy/base")
    assert first_screen(analyse(trials, plan), Names(plan), [], None, {}) == []
    both = pd.concat([trials, drawn(np.random.default_rng(2), 50, 0.5, ruleset="toy/new")], ignore_index=True)
    plan = plan_for("toy/base", "toy/new", games=100, finished=False)
    assert first_screen(analyse(both, plan), Names(plan), [], None, {}) == []


def test_in_japanese_rulesets_are_called_by_their_titles_and_keep_the_names_of_files_beside() -> None:
    titles = {
        "2008-02": "2008年2月版ルール（現行）",
        "C": "C案：初手でオブジェクトを打つ",
        "no-slides": "滑走なし",
        "x": "長" * 30,
    }
    plan = plan_from(
        [dataclasses.replace(ruleset(f"chatra/{name}"), title_ja=title) for name, title in titles.items()],
        [(AgentSpec.of("greedy"),) * 2],
    )
    names = Names(plan)
    told = {name: (names.short(f"chatra/{name}"), names.title(f"chatra/{name}")) for name in titles}
    assert [str(short) for short, _ in told.values()] == list(titles), "in English by the names of files"
    assert [tuple(translated(text, "ja") for text in pair) for pair in told.values()] == [
        ("2008年2月版ルール", "現行\N{IDEOGRAPHIC SPACE}2008-02"),
        ("C案", "初手でオブジェクトを打つ"),
        ("滑走なし", "no-slides"),
        ("x", "長" * 30),
    ]
