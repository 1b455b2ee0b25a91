"""What rulesets say of best play: how it is read, where it is shown, and that it is not what the workbench refutes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.command_line import ROOT, call
from tests.toy import altered
from workbench import statistics
from workbench.base import yamlfile
from workbench.base.errors import Problem
from workbench.base.language import translated
from workbench.base.project import Project
from workbench.base.yamlfile import Node
from workbench.experiments import workspace
from workbench.players import library
from workbench.records.trials import Trials
from workbench.report import folders
from workbench.report.model import Bullets, Paragraph, Section, Table
from workbench.report.names import Results
from workbench.report.sections.strong import best_play_section
from workbench.rules import rulebook, rulesets
from workbench.rules.ruleset_files import KnownValue
from workbench.statistics import Analysis, AnalysisPlan

SHIPPED = Project(ROOT)
KNOWN = tuple(library.load_exact_results(SHIPPED).values())
HEAD = "game: draughts\ntitle: mine\n"
DRAWN = "{best_play: draw, source: A, losing_first_moves"
WON = "\n  best_play: first\n  source: A\n  winning_first_moves"
ALL = "9-13, 9-14, 10-14, 10-15, 11-15, 11-16, 12-16"
Write = Callable[..., Project]
Sample = tuple[dict[str, Any], pd.DataFrame, Analysis]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a ruleset of draughts into a project of its own."""

    def write(text: str, name: str = "mine") -> Project:
        path = tmp_path / "rulesets" / "draughts" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return Project(tmp_path)

    return write


def test_it_is_no_part_of_the_rules_and_is_not_inherited(write: Write) -> None:
    write(HEAD + "rules: {rows: 2}\n", "without")
    write(HEAD + "known: {best_play: draw, source: Somebody}\nrules: {rows: 2}\n", "with")
    project = write("game: draughts\ntitle: child\nextends: with\nrules: {size: 10}\n", "child")
    names = ("with", "without", "child")
    having, without, child = (rulesets.load_ruleset(f"draughts/{name}", project) for name in names)
    assert having.fingerprint == without.fingerprint
    assert having.known and without.known is None and child.known is None
    # Whoever has the same rules is spoken of, whatever the name.
    assert rulesets.known_values_by_fingerprint(project) == {without.fingerprint: having.known}


def test_only_files_that_may_say_something_are_parsed(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write(HEAD + "rules: {rows: 2}\n", "says-nothing")
    write(HEAD + "'known': {best_play: draw, source: Somebody}\n", "quoted")
    project = write(HEAD + "known: {best_play: second, source: Somebody}\nrules: {rows: 2}\n", "says")
    parsed: list[str] = []
    read = yamlfile.read_yaml

    def noted(path: str | Path, problems: list[Problem] | None = None) -> Node:
        parsed.append(Path(path).stem)
        return read(path, problems)

    monkeypatch.setattr(yamlfile, "read_yaml", noted)
    values = rulesets.known_values_by_fingerprint(project, {"draughts"}).values()
    assert sorted(value.best_play for value in values) == ["draw", "second"]
    assert sorted(set(parsed)) == ["quoted", "says"]
    parsed.clear()
    assert rulesets.known_values_by_fingerprint(project, {"chess"}) == {} and parsed == []


def test_a_ruleset_derived_from_it_has_none() -> None:
    english = rulesets.load_ruleset("draughts/english", SHIPPED)
    assert english.known and rulesets.derive_ruleset(english, {"stuck": "draw"}, "x", "x").known is None


def test_files_with_problems_do_not_hide_what_others_know(write: Write) -> None:
    write("- nothing", "broken")
    project = write(HEAD + "known: {best_play: draw, source: Somebody}\n")
    assert [value.best_play for value in rulesets.known_values_by_fingerprint(project).values()] == ["draw"]


@pytest.mark.parametrize(
    ("said", "line", "key", "words"),
    [
        ("draw", 3, "known", "expected keys of known, found 'draw'"),
        ("{best_play: draw}", 3, "known.source", "expected this key"),
        ("{best_play: drawn, source: A}", 3, "known.best_play", "expected first or second or draw, found 'drawn'"),
        ("{best_play: draw, source: []}", 3, "known.source", "expected text, found an empty list"),
        ("\n  best_play: draw\n  sources: A\n  source: A", 5, "known.sources", "found the unknown key 'sources'"),
        (f"{DRAWN}: 11-15}}", 3, "known.losing_first_moves", "expected a list of moves, found '11-15'"),
        (f"{DRAWN}: [9-13, 9-13]}}", 3, "known.losing_first_moves[1]", "expected each move once, found 9-13 again"),
        (f"{DRAWN}: [{ALL}]}}", 3, "known.losing_first_moves[0]", "expected a first move that does not lose, since "),
        (f"{WON}: [9-13]\n  losing_first_moves: [9-13]", 7, "known.losing_first_moves[0]", "found 9-13 among both"),
        (f"{WON}: [9-13, 9-12]", 6, "known.winning_first_moves[1]", "expected a legal first move, found 9-12"),
        (WON.replace("first", "second", 1) + ": [9-13]", 6, "known.winning_first_moves", "no winning first moves"),
    ],
)
def test_what_is_wrong_is_said_with_line_and_key(write: Write, said: str, line: int, key: str, words: str) -> None:
    project = write(f"{HEAD}known: {said}\n")
    (problem,) = workspace.check_files([str(project.rulesets / "draughts" / "mine.yaml")], project)[1]
    assert (problem.line, problem.key) == (line, key) and words in problem.message


def test_what_is_known_of_draughts() -> None:
    known = [rulesets.load_ruleset(f"draughts/{name}").known for name in ("english", "breakthrough", "kingscourt")]
    assert [value and value.best_play for value in known] == ["draw", "first", "second"]
    assert known[1] and known[1].winning_first_moves == ("c3-d4",) and len(known[1].losing_first_moves) == 6


@pytest.mark.family("chess", "draughts")
def test_shipped_first_moves_are_legal() -> None:
    for ruleset in rulesets.load_all_rulesets(SHIPPED):
        assert rulesets.first_move_problems(ruleset) == []


def test_what_is_shipped_is_not_refuted_by_what_was_solved() -> None:
    solved = library.load_exact_results(SHIPPED)
    known = rulesets.known_values_by_fingerprint(SHIPPED)
    assert known.keys() & solved.keys()
    assert [value for rules, value in known.items() if rules in solved and solved[rules].value != value.best_play] == []


def test_show_tells_it_with_its_source() -> None:
    ruleset = rulesets.load_ruleset("draughts/breakthrough", SHIPPED)
    told = " ".join(" ".join(rulebook.describe_ruleset(ruleset, SHIPPED)).split())
    assert "best play: the first player wins known from: B. Tuyt, 'Breakthrough draughts', World Draughts Forum" in told
    assert "負けになる初手：e3-f4" in call("show", "draughts/breakthrough", "--lang", "ja").stdout
    shown = json.loads(call("show", "draughts/kingscourt", "--json").stdout)["known"]
    assert shown["best_play"] == "second" and shown["source"].startswith("R. Halbersma")
    assert rulebook.ruleset_as_json(rulesets.load_ruleset("draughts/brazilian", SHIPPED), SHIPPED)["known"] is None


@pytest.fixture(scope="module")
def sample() -> Sample:
    folder = ROOT / "tests" / "data" / "sample"
    provenance = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    trials = pd.read_parquet(folder / "trials")
    return provenance, trials, statistics.analyse(trials, AnalysisPlan.from_provenance(provenance))


Told = Callable[..., tuple[pd.DataFrame, Section]]


@pytest.fixture
def told(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> Told:
    """Makes the table and the section of the sample's report, if a value were known of chatra/A."""

    def make(value: KnownValue, solved: str = "", of: Sample = sample) -> tuple[pd.DataFrame, Section]:
        provenance, trials, analysis = of
        name = next(each["fingerprint"] for each in provenance["rulesets"] if each["name"] == "chatra/A")
        star = next(one for one in KNOWN if one.ruleset == "star/default")
        exact = {name: replace(star, value=solved)} if solved else {}
        monkeypatch.setattr(rulesets, "known_values_by_fingerprint", lambda *_: {name: value})
        monkeypatch.setattr(library, "load_exact_results", lambda _: exact)
        table = folders.best_play_table(provenance, Trials.of(trials), analysis.cells)
        section = best_play_section(table, Results.of(analysis))
        assert section is not None
        return table, section

    return make


@pytest.mark.thorough
def test_a_report_sets_the_known_value_beside_the_score(sample: Sample, told: Told) -> None:
    trials = sample[1]
    of_a = trials[trials["ruleset"] == "chatra/A"]
    common, rare = of_a["opening"].str.partition(" ")[0].value_counts().index[[0, -1]]
    table, section = told(KnownValue("first", "Somebody, 2030", (common,), (rare,)))
    assert set(table["ruleset"]) == {"chatra/A"} and section.id == "known"
    assert len(table) == of_a.groupby(["first", "second"], observed=True).ngroups
    bullets, shown = section.parts
    assert isinstance(bullets, Bullets) and isinstance(shown, Table)
    assert f"winning first moves: {common}; losing first moves: {rare} (Somebody, 2030)." in str(bullets.items[0])
    heads = [head.text for head in shown.heads]
    assert "solved here" not in heads
    for row in table.to_dict("records"):
        games = of_a[(of_a["first"] == row["first"]) & (of_a["second"] == row["second"])]
        began = games["opening"].str.partition(" ")[0]
        assert row["wins"] == pytest.approx((began == common).sum() / len(games))
        assert row["loses"] == pytest.approx((began == rare).sum() / len(games))
    assert [translated(row[heads.index("best play")].text, "ja") for row in shown.rows] == ["先手の勝ち"] * len(table)


@pytest.mark.parametrize(
    ("best_play", "balance", "agrees"),
    [("first", "first", "yes"), ("first", "balanced", "no"), ("second", "first", "no"), ("draw", "balanced", "yes"),
     ("draw", "second", "no"), ("draw", "undecided", ""), ("first", "", "")],
)  # fmt: skip
def test_who_is_ahead_is_compared(sample: Sample, told: Told, best_play: str, balance: str, agrees: str) -> None:
    provenance, trials, analysis = sample
    changed = altered(analysis, cells=analysis.cells.assign(balance=balance))
    table, section = told(KnownValue(best_play, "A"), of=(provenance, trials, changed))
    assert set(table["agrees"]) == {agrees}
    shown = section.parts[1]
    assert isinstance(shown, Table)
    column = [head.text for head in shown.heads].index("like best play?")
    assert {row[column].text for row in shown.rows} == {agrees or "cannot tell yet"}
    assert not any("began" in head.text for head in shown.heads)


def test_first_moves_of_given_lines_are_not_counted(sample: Sample, told: Told) -> None:
    provenance, trials, analysis = sample
    with_lines = {**provenance, "experiment": {**provenance["experiment"], "openings": {"plies": 2}}}
    assert told(KnownValue("first", "A", ("f9",)), of=(with_lines, trials, analysis))[0]["wins"].isna().all()


def test_a_report_warns_where_the_solution_says_otherwise(told: Told) -> None:
    for solved, warnings in (("first", 0), ("second", 1)):
        parts = told(KnownValue("first", "A"), solved)[1].parts
        warned = [part.text for part in parts if isinstance(part, Paragraph) and part.kind == "warning"]
        assert len(warned) == warnings
        assert all("the first player wins. Solved here: the second player wins" in text for text in warned)


def test_a_solved_ruleset_has_best_play_beside_the_players(told: Told) -> None:
    table, section = told(KnownValue("first", "workbench solve chatra/A"), "first")
    truth = next(one for one in KNOWN if one.ruleset == "star/default")
    assert truth.random is not None
    assert set(table["random_score"]) == {truth.random["first"] + truth.random["draw"] / 2}
    beside_random, shown = section.parts  # no bullets: the table says it all
    assert isinstance(beside_random, Table) and isinstance(shown, Table)
    (row,) = beside_random.rows
    assert row[[head.text for head in beside_random.heads].index("score with best play")].sort == 1.0
