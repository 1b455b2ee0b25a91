"""What the sections say of given tables: every verdict, warning and chart in both languages."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests import few
from tests.toy import drawn, plan_from, ruleset, with_keys
from workbench import statistics
from workbench.language import given, translated
from workbench.report.marks import Dot, Exact, Mark
from workbench.report.model import Bullets, Chart, Diagram, Document, HeatMap, Paragraph, Section, SmallMultiples, Table
from workbench.report.names import BALANCES, REASONS, VERDICTS, Names
from workbench.report.reading import opening_sequence_counts
from workbench.report.render.markdown import render_markdown
from workbench.report.sections.answer import WARNINGS, answer_section
from workbench.report.sections.openings import openings_section
from workbench.report.sections.rows import list_rulesets
from workbench.report.sections.rules import VARIANTS as VARIANT_TEXTS
from workbench.report.sections.rules import effects_section
from workbench.report.sections.scores import differences_section, lengths_section, scorecard_section, scores_section
from workbench.report.sections.styles import styles_section
from workbench.statistics import Analysis, AnalysisPlan
from workbench.statistics.overview import VARIANTS, WARNING_CODES

SAMPLE = Path(__file__).resolve().parent.parent / "reports" / "sample"
STRONGEST = ("alphabeta-2", "alphabeta-2")


@pytest.fixture(scope="module")
def provenance() -> dict[str, Any]:
    analysis = json.loads((SAMPLE / "provenance.json").read_text(encoding="utf-8"))
    assert isinstance(analysis, dict)
    return analysis


@pytest.fixture(scope="module")
def analysis(provenance: dict[str, Any]) -> Analysis:
    plan = AnalysisPlan.from_provenance(provenance)
    return statistics.analyse(pd.read_parquet(SAMPLE / "trials"), plan)


def put(table: pd.DataFrame, rows: pd.Series[bool], **values: Any) -> pd.DataFrame:
    """The table with other values in some rows."""
    return table.assign(**{name: table[name].mask(rows, value) for name, value in values.items()})


def judged(analysis: Analysis, verdicts: dict[str, str], pairing: tuple[str, str] = STRONGEST) -> Analysis:
    """The analysis with other verdicts on some proposals."""
    table = analysis.comparisons
    for name, verdict in verdicts.items():
        rows = (table["ruleset"] == f"chatra/{name}") & (table["measure"] == "fairness")
        rows &= table["first"] == pairing[0]
        table = put(table, rows, verdict=verdict, reason="", games_needed=0.0)
    return dataclasses.replace(analysis, comparisons=table)


@pytest.mark.thorough
def test_long_lists_of_rulesets_are_counted(analysis: Analysis) -> None:
    names = Names(analysis.plan)
    assert list_rulesets(["chatra/A", "chatra/B"], names) == given(en="A and B", ja="A、B")
    long = [f"chatra/{'x' * 70}{i}" for i in range(3)]
    assert list_rulesets(long, names) == given(en="3 of 7 rulesets", ja="7ルールのうち3")
    assert list_rulesets(["chatra/A"] * 13, names) == "13 of 7 rulesets"


def marks(chart: Chart) -> list[Mark]:
    """All marks of a chart."""
    return [mark for row in chart.panel.rows for line in row.lines for mark in line.marks]


def shades(matrix: HeatMap) -> list[list[float]]:
    """The shades of a matrix."""
    return [[cell.shade for cell in line] for line in matrix.heat.cells]


def said(section: Section) -> str:
    """All sentences of a section."""
    texts = [part.text for part in section.parts if isinstance(part, Paragraph)]
    texts += [item for part in section.parts if isinstance(part, Bullets) for item in part.items]
    return given(en=" ".join(texts), ja="".join(translated(text, "ja") for text in texts))


def lead(analysis: Analysis) -> str:
    section = answer_section(analysis, Names(analysis.plan), None)
    return next(part.text for part in section.parts if isinstance(part, Paragraph) and part.kind == "lead")


def test_the_headline_follows_the_verdicts_of_the_strongest(analysis: Analysis) -> None:
    assert lead(analysis).startswith("These games do not decide the question")
    fairer = lead(judged(analysis, {"A": "fairer", "C": "fairer", "D": "less_fair"}))
    assert fairer.startswith("A and C are fairer than 2007-09") and "A案、C案は2007年9月版ルールより公平" in translated(
        fairer, "ja"
    )
    assert lead(judged(analysis, {"A": "fairer"})).startswith("A is fairer than 2007-09")
    weak = judged(analysis, {"A": "fairer"}, ("random", "random"))
    assert lead(weak).startswith("These games do not decide"), "weak players decide nothing"
    assert lead(judged(analysis, {"D": "less_fair"})).startswith("No proposal is shown to be fairer")


def test_every_verdict_is_told_with_its_gain(analysis: Analysis) -> None:
    verdicts = {"A": "fairer", "B": "less_fair", "C": "no_meaningful_difference"}
    section = answer_section(judged(analysis, verdicts), Names(analysis.plan), None)
    text = said(section)
    assert "Fairer than 2007-09: A (−3.5 (" in text
    assert "Less fair than 2007-09: B (+4.5 (" in text
    assert "No meaningful difference from 2007-09: C (" in text
    assert "Undecided: D, E and 2008-02." in text and "まだ分からない：D案、E案、2008年2月版ルール" in translated(
        text, "ja"
    )
    assert re.search(r"a decision takes roughly [\d,]+ more games", text) and "80 %" not in text
    table = next(part for part in section.parts if isinstance(part, Table))
    assert [row[3].text for row in table.rows[:3]] == ["▲ fairer", "▼ less fair", "= no meaningful difference"]


@functools.cache
def asked_of_the_sample(question: str) -> Analysis:
    provenance = json.loads((SAMPLE / "provenance.json").read_text(encoding="utf-8"))
    plan = with_keys(AnalysisPlan.from_provenance(provenance), question=question)
    return statistics.analyse(pd.read_parquet(SAMPLE / "trials"), plan)


def asking(question: str, verdicts: dict[str, str]) -> Analysis:
    """The analysis of the same games if that had been asked, with these verdicts on proposals."""
    asked = asked_of_the_sample(question)
    plan, table = asked.plan, asked.comparisons
    for name, verdict in verdicts.items():
        rows = (table["ruleset"] == f"chatra/{name}") & (table["measure"] == plan.question_measure.name)
        rows &= table["first"] == STRONGEST[0]
        table = put(table, rows, verdict=verdict, reason="", games_needed=0.0)
    return dataclasses.replace(asked, comparisons=table)


ASKED = {
    "draw_rate": ("more draws", "fewer draws", "引き分けが多い", "Draws under 2007-09: 0.0", "points",
                  "Difference in draws"),
    "plies": ("longer games", "shorter games", "対局が長い", "Mean length under 2007-09: 51.8 plies", "plies",
              "Difference in mean length"),
    "event_drops_mean": ("more of “Subjects dropped”", "less of “Subjects dropped”", "「打ったサブジェクトの数」が多い",
                         "“Subjects dropped” under 2007-09: 20.1 a game", "a game", "Difference in “Subjects dropped”"),
}  # fmt: skip


@pytest.mark.parametrize("question", few.first(0, ASKED))
def test_the_headline_answers_the_question_that_was_asked(question: str) -> None:
    more, less, more_ja, base, unit, title = ASKED[question]
    verdicts = {"A": "more", "B": "less", "C": "no_meaningful_difference", "D": "undecided", "E": "more"}
    asked = asking(question, verdicts | {"2008-02": "undecided"})
    names = Names(asked.plan)
    head = lead(asked)
    assert head == (
        "Compared with 2007-09, between the strongest players of this experiment (alphabeta-2): "
        f"{more} with A and E; {less} with B; no meaningful difference with C; undecided: D and 2008-02."
    )
    assert f"A案、E案は{more_ja}" in translated(head, "ja") and "D案、2008年2月版ルールはまだ分からない" in translated(
        head, "ja"
    )
    section = answer_section(asked, names, None)
    text = said(section)
    assert base in text and f"{more[0].upper()}{more[1:]} than 2007-09: A (" in text
    assert re.search(rf"A \([+−±][\d.]+\N{{NO-BREAK SPACE}}{unit} \(", text)
    assert "No meaningful difference from 2007-09: C (" in text and "Undecided: D and 2008-02." in text
    table = next(part for part in section.parts if isinstance(part, Table))
    assert [row[3].text for row in table.rows[:4]] == [
        "↑ more",
        "↓ less",
        "= no meaningful difference",
        "? undecided",
    ]
    assert all(row[1].text == "· yardstick" for row in table.rows)
    chart = differences_section(asked, names)
    assert chart is not None and isinstance(chart.parts[0], Chart)
    assert (chart.parts[0].stem, chart.parts[0].title) == ("gain", title) and unit in chart.parts[0].caption
    assert not any(part.stem == "gain" for part in scores_section(asked, names, pd.DataFrame(
        columns=["ruleset", "first", "second"])).parts if isinstance(part, Chart))  # fmt: skip
    card = scorecard_section(asked, names)
    assert card is not None and isinstance(card.parts[0], Table)
    assert "↑ more" in [row[1].small for row in card.parts[0].rows]
    undecided = asking(question, dict.fromkeys(("A", "B", "C", "D", "E", "2008-02"), "undecided"))
    assert lead(undecided).startswith("These games do not decide the question")
    assert f"to have {more} or {less} than 2007-09" in lead(undecided)


def test_what_was_not_asked_follows(analysis: Analysis) -> None:
    table = analysis.comparisons
    rows = (table["ruleset"] == "chatra/D") & (table["measure"] == "plies_mean") & (table["first"] == STRONGEST[0])
    changed = dataclasses.replace(analysis, comparisons=put(table, rows, verdict="higher"))
    section = answer_section(changed, Names(analysis.plan), None)
    text = said(section)
    assert (
        "Besides, longer games with D (+" in text and "plies (" in text and "ほかに、D案（+" in translated(text, "ja")
    )
    assert text.index("Undecided:") < text.index("Besides, longer games")


def test_the_effects_that_were_found_come_first(analysis: Analysis) -> None:
    def effect(measure: str, level: str, size: float, p: float, kind: str = "main") -> dict[str, Any]:
        row = [*STRONGEST, measure, kind, "opening", level, "subject-first"]
        pair = ["offside", "off", "front"] if kind == "interaction" else ["", "", ""]
        numbers = [size, size - abs(size) / 2, size + abs(size) / 2, p / 10, p, 800, False]
        return dict(zip(analysis.effects.columns, [*row, *pair, *numbers], strict=True))

    rows = [
        effect("draw_rate", "b", 0.02, 0.01), effect("draw_rate", "c", -0.2, 0.01), effect("draw_rate", "d", 0.3, 0.9),
        effect("draw_rate", "c", 0.11, 0.02, "interaction"),
        effect("first_score", "b", 0.1, 0.8), effect("plies_mean", "d", -27.0, 0.001),
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=analysis.effects.columns)
    plan = with_keys(analysis.plan, question="draw_rate")
    changed = dataclasses.replace(asking("draw_rate", {}), effects=table, plan=plan)
    head = lead(changed)
    space = "\N{NO-BREAK SPACE}"
    assert head == (
        f"Draws between the strongest players (alphabeta-2): Opening: c instead of subject-first −20.0{space}points "
        f"(−30.0…−10.0) and Opening: b instead of subject-first +2.0{space}points (+1.0…+3.0). "
        f"Mean length: Opening: d instead of subject-first −27.0{space}plies (−40.5…−13.5)."
    )
    assert "引き分けの割合（最も強いプレイヤー：alphabeta-2）への効果" in translated(
        head, "ja"
    ) and "−27.0手" in translated(head, "ja")
    section = answer_section(changed, Names(plan), None)
    items = [item for part in section.parts if isinstance(part, Bullets) for item in part.items]
    assert items[0].startswith("Together beyond the sum of what each does alone, draws: Opening: c × Offside")
    assert items[1] == "No effect on draws is shown beyond chance (Holm): Opening: d instead of subject-first."
    assert items[2].startswith("No effect on first player's score is shown")
    nothing = dataclasses.replace(changed, effects=table[table["p_holm"] > 0.5])
    assert lead(nothing).startswith(("Compared with 2007-09", "These games do not decide"))


def test_an_undecided_verdict_that_no_games_decide_says_so(analysis: Analysis) -> None:
    rows = analysis.comparisons["measure"] == "fairness"
    table = put(analysis.comparisons, rows, games_needed=math.inf, reason="capped_games")
    text = said(answer_section(dataclasses.replace(analysis, comparisons=table), Names(analysis.plan), None))
    assert "no number of games will" in text and "too many games were stopped at the cap" in text
    assert "more games of each ruleset" not in text


def test_verdicts_that_turn_round_with_strength_are_called_out(analysis: Analysis) -> None:
    flips = put(analysis.flips, analysis.flips["ruleset"] == "chatra/B", verdict_flips=True, side_flips=True)
    section = answer_section(dataclasses.replace(analysis, flips=flips), Names(analysis.plan), None)
    assert "The verdict on B turns round" in said(section) and "B案の判定は" in translated(said(section), "ja")
    table = next(part for part in section.parts if isinstance(part, Table))
    assert [row[-1].text for row in table.rows] == ["", "turns round", "", "", "", ""]


def test_an_unfinished_run_says_so_first(analysis: Analysis) -> None:
    section = answer_section(analysis, Names(analysis.plan), (100, 4200))
    first = section.parts[0]
    assert isinstance(first, Paragraph) and first.kind == "warning" and "100 of 4,200 games" in first.text


def test_without_a_baseline_the_first_score_is_told(analysis: Analysis) -> None:
    alone = dataclasses.replace(
        analysis, plan=with_keys(analysis.plan, baseline=""), comparisons=analysis.comparisons.iloc[:0]
    )
    assert lead(alone).startswith("Under 2007-09 the first player scores 55.5")


def test_every_code_of_the_analysis_has_words_in_both_languages(analysis: Analysis) -> None:
    assert set(WARNING_CODES) == set(WARNINGS)
    assert set(analysis.comparisons["verdict"]) | {"met", "missed", "fairer", "less_fair"} <= set(VERDICTS)
    assert set(analysis.comparisons["reason"]) <= set(REASONS)
    # Only experiments that adjudicate ask what would be without that.
    assert set(analysis.sensitivity["variant"]) | {"unadjudicated"} == set(VARIANT_TEXTS) == set(VARIANTS)
    assert set(analysis.cells["balance"]) | set(analysis.opening_lines["status"]) <= set(BALANCES)
    for words in [*WARNINGS.values(), *VARIANT_TEXTS.values(), *BALANCES.values()]:
        assert words and translated(words, "ja") and words != translated(words, "ja")
        assert set(re.findall(r"{\w+}", words)) == set(re.findall(r"{\w+}", translated(words, "ja")))


def test_a_warning_of_many_cells_is_said_once(analysis: Analysis) -> None:
    cells = [(name, *pair) for name in analysis.plan.names for pair in analysis.plan.pairings]
    rows = [("few_games", *cell, "", 200.0, 1540.0, math.nan) for cell in cells]
    rows.append(("unsteady", "chatra/A", "greedy", "greedy", "plies", 9.0, math.nan, 1e-6))
    rows.append(("toggle_never_fired", "chatra/E", "", "", "object_into_centre", 0.0, math.nan, math.nan))
    rows.append(("equal_fingerprints", "chatra/E", "", "", "chatra/D", math.nan, math.nan, math.nan))
    table = pd.DataFrame(rows, columns=analysis.warnings.columns)
    section = answer_section(dataclasses.replace(analysis, warnings=table), Names(analysis.plan), None)
    warned = [part.text for part in section.parts if isinstance(part, Paragraph) and part.kind == "warning"]
    assert warned == [
        # What random players show is decided.
        "All rulesets (greedy and alphabeta-2): 200 games are too few to tell a difference of the size that matters.",
        "A (greedy): lengths change along the run by more than chance allows.",
        "E: what the rule “When an object may enter the centre” is about never happened, neither here nor under the "
        "baseline: the games say nothing of this change.",
        "E has the same rules as D.",
    ]


def test_games_are_not_called_too_few_where_the_question_is_decided(analysis: Analysis) -> None:
    pair = analysis.plan.pairings[0]
    rows = [("few_games", name, *pair, "", 200.0, 1540.0, math.nan) for name in analysis.plan.names]
    table = pd.DataFrame(rows, columns=analysis.warnings.columns)
    first, open_one = analysis.plan.proposals[0], analysis.plan.proposals[1]

    def warned(open_ones: set[str]) -> list[str]:
        compared = analysis.comparisons.copy()
        compared["verdict"] = ["undecided" if name in open_ones else "more" for name in compared["ruleset"]]
        changed = dataclasses.replace(analysis, warnings=table, comparisons=compared)
        parts = answer_section(changed, Names(analysis.plan), None).parts
        return [str(part.text) for part in parts if isinstance(part, Paragraph) and "too few" in str(part.text)]

    assert warned(set()) == []
    (text,) = warned({open_one})
    names = Names(analysis.plan)
    assert names.short(open_one) in text and not text.startswith("All") and names.short(first) not in text.split("(")[0]


def test_what_was_left_out_and_what_never_happened_is_said_in_a_sentence_each(analysis: Analysis) -> None:
    why = "nobody must take the most: write capture: obligatory"
    notes = [f"x/{base} with a={a}, b=2, c=3: {why}" for base in "EG" for a in (1, 2)] + ["x/E with d=1: no board"]
    rows = [("left_out", "", "", "", note, math.nan, math.nan, math.nan) for note in notes]
    rows += [("event_never", "", "", "", name, 0.0, math.nan, math.nan) for name in ("drops", "slides")]
    table = pd.DataFrame(rows, columns=analysis.warnings.columns)
    section = answer_section(dataclasses.replace(analysis, warnings=table), Names(analysis.plan), None)
    unknown, first, second = [
        part.text for part in section.parts if isinstance(part, Paragraph) and part.kind == "note"
    ]
    assert unknown.startswith(
        "What strong play would say, this report cannot tell: it takes players by both kinds of search"
    )
    assert first == (
        "Left out, since the rules refuse them: all 4 combinations with b=2, c=3: nobody must take the most; "
        "x/E with d=1: no board."
    )
    assert "b=2, c=3を含む4通り" in translated(first, "ja")
    assert second.startswith("Never happened in any game: “") and second.count("“") == 2


def test_unbeaten_is_no_verdict_and_says_nothing_where_all_are(analysis: Analysis) -> None:
    one = dataclasses.replace(analysis, scorecard=analysis.scorecard.assign(pareto=True, beaten_by=""))
    section = scorecard_section(one, Names(analysis.plan))
    assert section is not None
    (table,) = [part for part in section.parts if isinstance(part, Table)]
    marks = [row[-1] for row in table.rows]
    assert {mark.text for mark in marks} == {"unbeaten"}
    assert not any("verdict" in mark.kind or "good" in mark.kind for mark in marks)
    assert "▲" not in "".join(mark.text + translated(mark.text, "ja") for mark in marks)
    told = said(answer_section(one, Names(analysis.plan), None))
    assert "rule out none of the 7 rulesets" in told and "Not beaten on" not in told


def test_exact_values_stand_beside_the_estimates(analysis: Analysis) -> None:
    exact = pd.DataFrame(
        {"ruleset": ["chatra/A"], "first": ["random"], "second": ["random"], "exact": [0.51], "plies_exact": [123.4]}
    )
    names = Names(analysis.plan)
    section = scores_section(analysis, names, exact)
    chart, table = section.parts[0], section.parts[-1]
    assert isinstance(chart, Chart) and "exact value" in chart.caption
    assert [mark.value for mark in marks(chart) if isinstance(mark, Exact) and not math.isnan(mark.value)] == [0.51]
    assert isinstance(table, Table)
    column = [head.text for head in table.heads].index("exact")
    assert [row[column].text for row in table.rows if row[column].text] == ["51.00\N{NO-BREAK SPACE}%"]
    without = scores_section(analysis, names, exact.iloc[:0]).parts[-1]
    assert isinstance(without, Table) and "exact" not in [head.text for head in without.heads]
    of_lengths = lengths_section(analysis, names, exact).parts[-1]
    assert isinstance(of_lengths, Table) and "exact mean" in [head.text for head in of_lengths.heads]


def test_factors_are_told_by_their_titles(analysis: Analysis) -> None:
    columns = analysis.effects.columns
    main = dict(
        zip(columns, [*STRONGEST, "first_score", "main", "opening", "objects-first", "subject-first"], strict=False)
    )
    rows = [
        main | {"factor2": "", "level2": "", "reference2": "", "effect": -0.06, "low": -0.1, "high": -0.02,
                "p": 0.003, "p_holm": 0.006, "games": 800},
        main | {"kind": "interaction", "factor2": "offside", "level2": "off", "reference2": "front", "effect": 0.01,
                "low": -0.03, "high": 0.05, "p": 0.6, "p_holm": 0.6, "games": 800},
    ]  # fmt: skip
    section = effects_section(
        dataclasses.replace(analysis, effects=pd.DataFrame(rows, columns=columns)), Names(analysis.plan)
    )
    assert section is not None
    (chart,) = section.parts
    assert isinstance(chart, Chart)
    assert "objects-first instead of subject-first −6.0\N{NO-BREAK SPACE}points (−10.0…−2.0)" in chart.caption
    assert "開始の手順：subject-first→objects-first" in translated(chart.caption, "ja")
    assert [mark.hollow for mark in marks(chart) if isinstance(mark, Dot)] == [False, True]


def test_openings_say_that_their_number_is_an_estimate(analysis: Analysis) -> None:
    counted = analysis.openings.assign(
        shown=analysis.openings["ply"] == 1, effective=9.0, effective_low=8.0, effective_high=10.0
    )
    section = openings_section(dataclasses.replace(analysis, openings=counted), Names(analysis.plan))
    assert section is not None
    chart = section.parts[0]
    assert isinstance(chart, Chart)
    assert "may exceed the number of those seen in these games" in chart.caption
    assert "推定" in translated(chart.caption, "ja")
    heads = [head.text for part in section.parts if isinstance(part, Table) for head in part.heads]
    assert given(en="openings seen in these games", ja="この対局で現れた序盤") in heads


def test_styles_have_a_matrix_and_its_equilibrium(analysis: Analysis, provenance: dict[str, Any]) -> None:
    names = ["centre", "edge"]
    matrices = pd.DataFrame(
        [("chatra/2007-09", "style", "", a, b, 100, 0.5 + 0.1 * (i - j), 0.4 + 0.08 * i, 0.6) for i, a in
         enumerate(names) for j, b in enumerate(names)], columns=analysis.matrices.columns,
    )  # fmt: skip
    equilibria = pd.DataFrame(
        [("chatra/2007-09", "style", "", seat, name, float(name == "edge"), 0.5, 0.5, 0.45, 0.55, True)
         for seat in ("first", "second") for name in names], columns=analysis.equilibria.columns,
    )  # fmt: skip
    changed = dataclasses.replace(analysis, matrices=matrices, equilibria=equilibria)
    section = styles_section(changed, Names(analysis.plan))
    assert section is not None and section.title == "Free choice of style"
    table, sentence = section.parts[:2]
    assert isinstance(table, HeatMap)
    assert shades(table) == [[0.0, 0.0], [0.0, 0.0]], "each interval holds one half"
    shown = dataclasses.replace(changed, matrices=matrices.assign(score_low=matrices["score"] - 0.05,
                                                                  score_high=matrices["score"] + 0.05))  # fmt: skip
    coloured = styles_section(shown, Names(analysis.plan))
    assert coloured is not None and isinstance(coloured.parts[0], HeatMap)
    assert shades(coloured.parts[0]) == [[0.0, pytest.approx(-0.2)], [pytest.approx(0.2), 0.0]]
    assert isinstance(sentence, Paragraph)
    assert "Black plays edge 100" in sentence.text and "先手はedge" in translated(sentence.text, "ja")
    (boards,) = [part for part in section.parts if isinstance(part, SmallMultiples)]
    places = [board for board in boards.items if isinstance(board, Diagram)]
    assert places and all("heat-" in kind for place in places for kind in place.highlights)
    # Of 200 games for each ruleset few squares are shown to favour anybody: without the correction there were dozens.
    colours = [[kind.split()[0] for kind, squares in place.highlights.items() for _ in squares] for place in places]
    assert sum(colour != "even" for of_board in colours for colour in of_board) <= 16
    assert all(len(of_board) % 4 == 0 for of_board in colours), "turned and mirrored squares look alike"


def test_markdown_has_every_table_and_no_stray_markup(analysis: Analysis) -> None:
    names = Names(analysis.plan)
    sections = [answer_section(analysis, names, None)]
    text = render_markdown(
        Document(
            given(en="What | is _fair_?", ja="公平？"), given(en="7 rulesets", ja="7種"), given(en="", ja=""), sections
        )
    )
    assert text.startswith("# What \\| is \\_fair\\_?\n")
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.replace("\\|", "").count("|") for line in lines[:8]}) == 1
    assert "<span" not in text


def test_armies_are_answered_by_who_beats_whom() -> None:
    armies = ("stone-wall", "renju-rush")
    rulesets, trials, levels = [], [], {}
    rng = np.random.default_rng(5)
    for board in ("go9", "othello8"):
        for one in armies:
            for other in armies:
                name = f"rengo/{board}-{one}-{other}"
                settings = {"board": board, "first_army": one, "second_army": other}
                rulesets.append(ruleset(name, "rengo", settings))
                levels[name] = settings
                trials.append(
                    drawn(rng, 60, 0.5 if one == other else 0.9 if one == "stone-wall" else 0.2, ruleset=name)
                )
    pairings = (("greedy", "greedy"),)
    plan = plan_from(rulesets, pairings, games=60, levels=levels)
    analysis = statistics.analyse(pd.concat(trials), plan)
    names = Names(plan)
    section = answer_section(analysis, names, None)
    lead, ranking = section.parts[:2]
    assert isinstance(lead, Paragraph) and isinstance(ranking, Bullets)
    assert lead.text.count("First plays stone-wall 100") == lead.text.count("to the first player") == 2
    assert "Board go9 (greedy)" in lead.text and "盤：othello8（greedy）" in translated(lead.text, "ja")
    assert ranking.items[0].index("stone-wall") < ranking.items[0].index("renju-rush")
    assert analysis.comparisons.empty and "few_games" not in set(analysis.warnings["code"])
    choice = styles_section(analysis, names)
    assert choice is not None and choice.title == "Free choice of army" and translated(choice.title, "ja") == "軍の選択"
    # Beside another ruleset it is rules that are compared.
    beside = with_keys(plan, rulesets=(*rulesets, ruleset("rengo/other", "rengo")))
    assert beside.player_choices == [] and len(beside.proposals) == len(rulesets)


def test_an_undecided_verdict_beside_a_clear_interval_is_explained(analysis: Analysis) -> None:
    exact = pd.DataFrame(columns=["ruleset", "first", "second", "exact"])
    others = int(analysis.comparisons["chosen"].sum()) - 1
    for reason, mark, english, japanese in (
        ("together", "†", f"judged together with {others} others (Holm) it is not sure yet", f"他の{others}件"),
        ("no_look", "‡", f"the first of them, {analysis.plan.games}, is not reached yet", "まだ達していない"),
    ):
        rows = (analysis.comparisons["ruleset"] == "chatra/D") & (analysis.comparisons["measure"] == "fairness")
        table = put(analysis.comparisons, rows, verdict="undecided", reason=reason, low=0.01, high=0.09)
        changed = dataclasses.replace(analysis, comparisons=table)
        names = Names(analysis.plan)
        told = next(part for part in answer_section(changed, names, None).parts if isinstance(part, Table))
        assert english in told.caption and japanese in translated(told.caption, "ja")
        marked = [row[0].text for row in told.rows if any(cell.small.endswith(mark) for cell in row)]
        assert marked == ["D"]
        charts = [part for part in scores_section(changed, names, exact).parts if isinstance(part, Chart)]
        assert english in charts[1].caption and any(
            mark in line.text for row in charts[1].panel.rows for line in row.lines
        )
    plain = next(part for part in answer_section(analysis, Names(analysis.plan), None).parts if isinstance(part, Table))
    assert "†" not in plain.caption or "together" in set(analysis.comparisons["reason"])


def test_openings_that_are_nearly_all_new_are_named_instead_of_counted(analysis: Analysis) -> None:
    names = Names(analysis.plan)
    at_first = analysis.openings.assign(shown=analysis.openings["ply"] == 1, effective=9.0)
    at_first = at_first.assign(effective_low=8.0, effective_high=10.0)
    hidden = put(at_first, at_first["first"] == "random", shown=False)
    section = openings_section(dataclasses.replace(analysis, openings=hidden), names)
    assert section is not None
    chart = next(part for part in section.parts if isinstance(part, Chart))
    assert "Not counted between random" in chart.caption and "randomでは" in translated(chart.caption, "ja")
    section = openings_section(dataclasses.replace(analysis, openings=hidden.assign(shown=False)), names)
    assert section is not None and "Not counted between random, greedy and alphabeta-2" in said(section)
    unknown = dataclasses.replace(analysis, scorecard=analysis.scorecard.assign(variety=math.nan))
    assert "simplicity and fairness together" in said(answer_section(unknown, names, None))
    known = dataclasses.replace(analysis, scorecard=analysis.scorecard.assign(variety=9.0))
    assert "simplicity, fairness and variety together" in said(answer_section(known, names, None))
    for each, words in ((unknown, True), (known, False)):
        card = scorecard_section(each, names)
        assert card is not None and isinstance(card.parts[0], Table)
        assert ("variety decides nothing here" in card.parts[0].caption) == words


def test_the_report_knows_how_many_openings_there_are(provenance: dict[str, Any]) -> None:
    counted = opening_sequence_counts(AnalysisPlan.from_provenance(provenance).rulesets)
    assert counted["chatra/2007-09"] == (128, 15416)
    assert set(counted) == {variant["name"] for variant in provenance["rulesets"]}
    assert opening_sequence_counts([ruleset("toy/a")]) == {}
