"""The table of rulesets of reports: its numbers are those of the reports, and what is not compared says why."""

from __future__ import annotations

import csv
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.report_folders import SAMPLE
from workbench.studio import findings
from workbench.studio.findings import Source, compare

STRONG = """\
ruleset,measure,compared,verdict,direction,reason,now,now_low,now_high,likely,fairness,likely_fairer
chatra/2007-09,first_score,False,settled,more,,0.2,0.16,0.24,1,,
chatra/B,first_score,False,settled,more,,0.15,0.11,0.19,1,,
chatra/B,first_score,True,settled,less,,-0.05,-0.08,-0.02,0.001,fairer,0.999
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    folder = tmp_path_factory.mktemp("reports") / "sample"
    shutil.copytree(SAMPLE, folder)
    (folder / "tables" / "strong_verdicts.csv").write_text(STRONG)
    return Source("sample", folder, "A title", 0.0)


def rows_of(source: Source, baseline: str, language: str = "en") -> dict[tuple[str, str], Any]:
    """The rows of a report by ruleset and players."""
    (report,) = compare([source], (source.name, baseline), language)["reports"]
    assert report["baseline"] == baseline
    return {(row["ruleset"].partition("/")[2], row["players"]): row for row in report["rows"]}


def test_numbers_are_those_of_the_report(source: Source) -> None:
    rows = rows_of(source, "chatra/2007-09")
    with (SAMPLE / "tables" / "comparisons.csv").open(encoding="utf-8") as stream:
        compared = [row for row in csv.DictReader(stream) if row["measure"] == "plies_mean"]
    assert len(compared) == 18
    for row in compared:
        shown = rows[row["ruleset"].partition("/")[2], row["first"]]["values"]["plies_mean"]
        numbers = [
            float(each.replace("−", "-").replace("±", ""))
            for each in re.findall(r"[-+−±]?[\d.]*\d", shown["difference"])
        ]
        assert numbers == pytest.approx([float(row[key]) for key in ("difference", "low", "high")], abs=0.051)
        assert shown["sort"] == pytest.approx(float(row["value"]), rel=1e-4)
    certainty = rows["D", "alphabeta-2"]["certainty"]
    page = (SAMPLE / "report.html").read_text(encoding="utf-8")
    assert f'<span lang="en">{certainty["text"]}</span>' in page, "as on the card"
    assert f">{certainty['chance']}<" in page
    assert rows["D", "random"]["certainty"]["text"] == "yardstick"


def test_a_difference_has_the_sign_that_the_report_gives_it(source: Source) -> None:
    rows = rows_of(source, "chatra/2007-09")
    for name in ("A", "B", "C", "D", "E"):
        shown = rows[name, "alphabeta-2"]["values"]["first_score"]
        even = abs(rows["2007-09", "alphabeta-2"]["values"]["first_score"]["sort"] - 0.5) - abs(shown["sort"] - 0.5)
        assert shown["difference"].startswith("+" if even > 0 else "−"), "plus is nearer to 50 %"


def test_changes_that_never_acted_are_said_to_be_silent(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "_silent", lambda read, baseline: frozenset({"chatra/D"}))
    certainty = rows_of(replace(source, changed=1.0), "chatra/2007-09")["D", "alphabeta-2"]["certainty"]
    assert certainty["text"].startswith("cannot say") and certainty["chance"] == ""


def test_any_ruleset_may_be_the_baseline_but_is_sure_of_nothing(source: Source) -> None:
    rows = rows_of(source, "chatra/D", "ja")
    own, other = rows["D", "greedy"], rows["2007-09", "greedy"]
    assert (own["values"]["first_score"]["difference"], own["why"]) == ("", "")
    there = rows_of(source, "chatra/2007-09")["D", "greedy"]["values"]["first_score"]["difference"]
    signs = str.maketrans("+−", "−+")
    assert other["values"]["first_score"]["difference"].split()[0] == there.split()[0].translate(signs)
    assert "確実" not in other["certainty"]["text"]
    assert other["values"]["variety"] == {"text": "–", "ends": "不明", "sort": None, "difference": ""}
    strong = rows["B", "強いプレイヤー（推定）"]
    assert strong["why"] == "強いプレイヤーについての比較は2007年9月版ルールとだけ"
    assert strong["values"]["first_score"]["difference"] == strong["certainty"]["text"] == ""


def test_strong_play_is_as_the_report_estimates_it(source: Source) -> None:
    rows = rows_of(source, "chatra/2007-09")
    row = rows["B", "strong play (estimate)"]
    score = row["values"]["first_score"]
    assert (score["text"], score["ends"]) == ("65.0\N{NO-BREAK SPACE}%", "61.0–69.0")
    assert score["difference"] == "+5.0 (+2.0…+8.0)", "plus is fairer, as in the report"
    assert (row["certainty"]["text"], row["certainty"]["kind"]) == ("fairer: settled", "good")
    assert ("A", "strong play (estimate)") not in rows
    without = Source("sample", SAMPLE, "A title", 2.0)
    assert not any(players.startswith("strong") for _, players in rows_of(without, "chatra/2007-09"))


def test_toggles_that_differ_say_what_each_ruleset_says(source: Source) -> None:
    toggles = compare([source], ("", ""), "en")["toggles"]
    assert len(toggles) == 5 and all(len(toggle["sentences"]) > 1 for toggle in toggles)
    opening = toggles[0]
    said = {name: opening["sentences"][place]["text"] for name, place in opening["of"].items()}
    assert "proposal C" in said["sample|chatra/C"] and said["sample|chatra/A"] == said["sample|chatra/2007-09"]


def test_what_rulesets_draw_is_compared_by_pictures() -> None:
    base = wb.ruleset("chatra/9x9")
    rows = "xxxxxxxxx/" * 3 + "xxx...xxx/"
    drawn = [base.derive(object_area=rows + last) for last in ("xxx...xxx", "xx.....xx")]
    (toggle,) = findings._differing_toggles([(str(n), one) for n, one in enumerate((base, *drawn))], "en")
    assert toggle["of"] == {"0": 0, "1": 1, "2": 2}
    assert [each["text"] for each in toggle["sentences"][1:]] == ["Objects are placed only on the marked squares."] * 2
    pictures = [each["picture"] for each in toggle["sentences"]]
    assert not pictures[0] and "<svg" in pictures[1] and pictures[1] != pictures[2]


def test_what_cannot_be_read_says_so_and_leaves_the_others(source: Source, tmp_path: Path) -> None:
    found = compare([Source("gone", tmp_path, "Gone", 0.0), source], ("gone", "x"), "en")["reports"]
    assert "there is no such file" in found[0]["trouble"] and "rows" not in found[0]
    assert found[1]["baseline"] == "chatra/2007-09" and found[1]["rows"]
