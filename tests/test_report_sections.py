"""What the sections say of given tables: every verdict, warning and chart in both languages."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.toy import plan_from, ruleset, with_keys
from workbench import statistics
from workbench.language import given, translated
from workbench.report.marks import Mark
from workbench.report.model import Bullets, Chart, Diagram, Document, HeatMap, Paragraph, Section, SmallMultiples, Table
from workbench.report.names import BALANCES, REASONS, VERDICTS, Names
from workbench.report.reading import opening_sequence_counts
from workbench.report.render.documents import render_markdown
from workbench.report.sections.answer import WARNINGS, answer_section
from workbench.report.sections.choices import styles_section
from workbench.report.sections.rules import VARIANTS as VARIANT_TEXTS
from workbench.report.sections.run import MOST_SHOWN, run_section
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
    assert names.list_rulesets(["chatra/A", "chatra/B"]) == given(en="A and B", ja="A、B")
    long = [f"chatra/{'x' * 70}{i}" for i in range(3)]
    assert names.list_rulesets(long) == given(en="3 of 7 rulesets", ja="7ルールのうち3")
    assert names.list_rulesets(["chatra/A"] * 13) == "13 of 7 rulesets"


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


@functools.cache
def asked_of_the_sample(question: str) -> Analysis:
    provenance = json.loads((SAMPLE / "provenance.json").read_text(encoding="utf-8"))
    plan = with_keys(AnalysisPlan.from_provenance(provenance), question=question)
    return statistics.analyse(pd.read_parquet(SAMPLE / "trials"), plan)


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
    changed = dataclasses.replace(asked_of_the_sample("draw_rate"), effects=table, plan=plan)
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


def test_the_report_knows_how_many_openings_there_are(provenance: dict[str, Any]) -> None:
    counted = opening_sequence_counts(AnalysisPlan.from_provenance(provenance).rulesets)
    assert counted["chatra/2007-09"] == (128, 15416)
    assert set(counted) == {variant["name"] for variant in provenance["rulesets"]}
    assert opening_sequence_counts([ruleset("toy/a")]) == {}


def test_a_long_table_of_rulesets_is_folded() -> None:
    for count, folded in ((MOST_SHOWN, False), (MOST_SHOWN + 1, True)):
        plan = plan_from([ruleset(f"toy/{number}") for number in range(count)], [("greedy", "greedy")])
        section = run_section({"experiment": {}, "pairings": []}, Names(plan))
        assert [part.folded for part in section.parts if isinstance(part, Table)] == [folded]
