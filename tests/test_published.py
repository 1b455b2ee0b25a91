"""Published results of an experiment: what a file may say, and what reports set beside them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest
import yaml

from workbench import statistics
from workbench.errors import InputError
from workbench.files.project import Project
from workbench.questions import experiment, kinds
from workbench.questions.experiment import Experiment
from workbench.questions.kinds import Published, PublishedEstimate
from workbench.report.model import Bullets, Section, Table
from workbench.report.names import Names
from workbench.report.sections import elsewhere
from workbench.report.sections.elsewhere import published_section as section_of
from workbench.statistics import Analysis, AnalysisPlan

ROOT = Path(__file__).resolve().parent.parent
COUNTS = "{first_wins: 772, draws: 8820, second_wins: 409}"
SHARES = "{first_score: 0.533, draw_rate: 0.844, games: 10000}"
Load = Callable[[str], Experiment]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Loads an experiment on two rulesets of chess with these published results."""
    (tmp_path / "rulesets" / "chess").mkdir(parents=True)
    (tmp_path / "experiments").mkdir()
    for name, rules in (("base", "{}"), ("late", "{castling: after-move-10}")):
        text = f"game: chess\ntitle: {name}\nrules: {rules}\n"
        (tmp_path / "rulesets" / "chess" / f"{name}.yaml").write_text(text, encoding="utf-8")

    def read(said: str) -> Experiment:
        path = tmp_path / "experiments" / "test.yaml"
        head = "title: T\nrulesets: [chess/base, chess/late]\nagents: [random]\ngames: 10\npublished: "
        path.write_text(head + said + "\n", encoding="utf-8")
        return experiment.load_experiment(path, Project(tmp_path))

    return read


def results(base: str = COUNTS, late: str = SHARES, source: str = "source: S") -> str:
    return f"{{{source}, results: {{chess/base: {base}, chess/late: {late}}}}}"


# --- Files ------------------------------------------------------------------------------------------------------------


def test_counts_and_shares_become_estimates_with_their_errors(load: Load) -> None:
    said = load(results()).published
    assert said is not None and said.source == "S" and said.players == ""
    score = said.results["chess/base"]["first_score"]
    assert score.value == pytest.approx((772 + 4410) / 10001)
    # 772 wins at 1 - s, 8820 draws at ½ - s and 409 losses at -s from the mean, squared.
    by_hand = sum(n * (x - score.value) ** 2 for n, x in ((772, 1), (8820, 0.5), (409, 0))) / 10001
    assert score.error == pytest.approx(math.sqrt(by_hand / 10001))
    late = said.results["chess/late"]
    expected = (0.844, math.sqrt(0.844 * 0.156 / 10_000))
    assert (late["draw_rate"].value, late["draw_rate"].error) == pytest.approx(expected)
    # Of shares with draws, the score spreads as much as that of the counts that they stand for.
    counted = load(results(late="{first_wins: 1110, draws: 8440, second_wins: 450}")).published
    assert counted is not None and late["first_score"] == pytest.approx(counted.results["chess/late"]["first_score"])


def test_an_interval_tells_its_error_and_a_share_alone_spreads_most(load: Load) -> None:
    said = load(results("{first_score: [0.50, 0.54]}", "{first_score: 0.5, games: 400}")).published
    assert said is not None
    base = said.results["chess/base"]
    assert list(base) == ["first_score"]
    assert (base["first_score"].value, base["first_score"].error) == pytest.approx((0.52, 0.02 / 1.96), rel=1e-4)
    assert said.results["chess/late"]["first_score"].error == pytest.approx(0.025)


def test_they_are_recorded_and_decide_no_game(load: Load) -> None:
    with_results = load(results())
    recorded = json.loads(json.dumps(with_results.canonical()["published"]))
    assert kinds.published_from_provenance(recorded) == with_results.published
    others = load(results("{first_score: 0.6, games: 10}", "{draw_rate: 0.1, games: 10}"))
    assert [cell.digest for cell in others.cells()] == [cell.digest for cell in with_results.cells()]


WRONG: list[tuple[str, str]] = [
    (
        "S",
        "published: expected keys of published, found 'S' (for instance {source: \"D. Author, Games, 2020\", results: ",
    ),
    (results(source="sauce: S"), "published.sauce: expected a key of published, found the unknown key 'sauce'"),
    (results(source="sauce: S"), "published.source: expected this key, found none"),
    ("{source: S, results: {}}", "published.results: expected rulesets with their results"),
    (
        results("{first_wins: 5, draws: 3}"),
        "expected results such as {first_wins: 772, draws: 8820, second_wins: 409} or ",
    ),
    (
        results("{first_wins: 0, draws: 0, second_wins: 0}"),
        "second_wins: 409} or {first_score: 0.518, draw_rate: [0.88, 0.89], games: 10000}, found {first_wins: 0, ",
    ),
    (results("{first_score: 0.5}"), "games: 10000}, found {first_score: 0.5}"),
    (results("{first_score: 1.5, games: 10}"), "first_score: expected a share from 0 to 1, found"),
    (results("{first_score: [0.6, 0.5]}"), "expected [low, high] with low below high, found [0.6, 0.5]"),
    (results("{games: 10}"), "games: 10000}, found {games: 10}"),
    (results("[1]"), "published.results.chess/base: expected keys of published results, found a list"),
    ("{source: S, results: {chess/base: " + COUNTS + ", chess/lat: " + COUNTS + "}}", "did you mean 'chess/late'?"),
    ("{source: S, results: {chess/late: " + COUNTS + "}}", "expected results of the baseline chess/base, found none"),
]


@pytest.mark.parametrize(("said", "message"), WRONG)
def test_what_is_wrong_is_said_with_its_place(load: Load, said: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load(said)
    assert any(message in str(problem) and "test.yaml:5" in str(problem) for problem in caught.value.problems), [
        str(problem) for problem in caught.value.problems
    ]


def test_the_schema_allows_what_is_shipped_and_no_other_keys() -> None:
    text = (ROOT / "experiments" / "chess-proposals.yaml").read_text(encoding="utf-8")
    shipped = yaml.safe_load(text)
    rule = kinds.PUBLISHED.schema()
    jsonschema.validate(shipped["published"], rule)
    for wrong in ({"source": "S"}, shipped["published"] | {"sauce": "S"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, rule)


# --- Reports ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sample() -> tuple[pd.DataFrame, Analysis]:
    folder = ROOT / "reports" / "sample"
    provenance = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    trials = pd.read_parquet(folder / "trials")
    return trials, statistics.analyse(trials, AnalysisPlan.from_provenance(provenance))


def strong(analysis: Analysis, ruleset: str, direction: str) -> pd.DataFrame:
    """A verdict about strong play on a ruleset's score; none without a direction."""
    columns = list(analysis.strong_verdicts.columns)
    row = {"ruleset": ruleset, "measure": "first_score", "compared": True, "verdict": "settled", "direction": direction}
    row |= {"now": 0.03, "now_low": 0.01, "now_high": 0.05}
    return pd.DataFrame([row] if direction else [], columns=columns)


def told(
    analysis: Analysis, base: PublishedEstimate, other: PublishedEstimate, ruleset: str, direction: str = ""
) -> tuple[pd.DataFrame, Section | None]:
    """Table and section, if this had been published of the first player's score."""
    said = Published("S", {analysis.plan.baseline: {"first_score": base}, ruleset: {"first_score": other}}, "P")
    table = statistics.published_differences(
        said, analysis.comparisons, strong(analysis, ruleset, direction), analysis.plan
    )
    return table, section_of(table, said, Names(analysis.plan))


def clearest(analysis: Analysis) -> dict[str, Any]:
    """The comparison of scores that is surest of its direction."""
    scores = analysis.comparisons[analysis.comparisons["measure"] == "first_score"]
    sure = scores[((scores["low"] > 0) | (scores["high"] < 0)) & scores["difference"].notna()]
    return {str(name): value for name, value in sure.iloc[0].items()}


@pytest.mark.thorough
@pytest.mark.parametrize(("sign", "code", "word"), [(1, "yes", "agrees"), (-1, "no", "contradicts")])
def test_a_direction_is_the_published_one_or_the_other(
    sample: tuple[pd.DataFrame, Analysis], sign: int, code: str, word: str
) -> None:
    ours = clearest(sample[1])
    shift = sign * math.copysign(0.1, ours["difference"])
    table, section = told(
        sample[1], PublishedEstimate(0.5, 0.003), PublishedEstimate(0.5 + shift, 0.004), ours["ruleset"]
    )
    row = table[(table["first"] == ours["first"]) & (table["second"] == ours["second"])].iloc[0]
    assert row["usable"] and row["agrees"] == code
    assert row["published"] == pytest.approx(shift)
    assert row["published_high"] - row["published"] == pytest.approx(1.96 * 0.005, rel=1e-4)
    assert row["difference"] == ours["difference"]
    assert section is not None
    page = next(part for part in section.parts if isinstance(part, Table))
    assert word in {cell.text for cell in page.rows[0]}
    (counts,) = [part for part in section.parts if isinstance(part, Bullets)]
    assert any("of 1 published directions" in item for item in counts.items)


def test_a_published_difference_that_is_not_significant_has_no_direction(
    sample: tuple[pd.DataFrame, Analysis],
) -> None:
    ours = clearest(sample[1])
    table, section = told(sample[1], PublishedEstimate(0.5, 0.03), PublishedEstimate(0.55, 0.04), ours["ruleset"])
    assert not table["usable"].any() and set(table["agrees"]) == {""}
    assert section is not None
    page = next(part for part in section.parts if isinstance(part, Table))
    assert page.rows[0][1].small == "not significant: no direction"


def test_of_many_pairs_of_players_the_strongest_is_shown(
    sample: tuple[pd.DataFrame, Analysis], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "MOST_COLUMNS", 1)
    analysis = sample[1]
    ruleset = clearest(analysis)["ruleset"]
    _, section = told(analysis, PublishedEstimate(0.5, 0.003), PublishedEstimate(0.6, 0.004), ruleset)
    assert section is not None
    (shown,) = [part for part in section.parts if isinstance(part, Table)]
    assert len(shown.heads) == 3 < 2 + len(analysis.plan.pairings)


def test_our_interval_around_0_decides_nothing(sample: tuple[pd.DataFrame, Analysis]) -> None:
    scores = sample[1].comparisons
    open_ones = scores[(scores["measure"] == "first_score") & (scores["low"] < 0) & (scores["high"] > 0)]
    ours = open_ones.iloc[0].to_dict()
    table, _ = told(sample[1], PublishedEstimate(0.5, 0.001), PublishedEstimate(0.6, 0.001), ours["ruleset"])
    row = table[(table["first"] == ours["first"]) & (table["second"] == ours["second"])].iloc[0]
    assert row["usable"] and row["agrees"] == ""


def test_the_usable_directions_of_the_chess_paper() -> None:
    """Of White's score all but pawn-one-square; of draws all but this, pawn-sideways and self-capture."""
    said = experiment.load_experiment(ROOT / "experiments" / "chess-proposals.yaml", Project(ROOT)).published
    assert said is not None
    base = said.results["chess/orthodox"]

    def usable(measure: str) -> dict[str, float]:
        apart = {
            name.removeprefix("chess/"): (each[measure].value - base[measure].value)
            / math.hypot(each[measure].error, base[measure].error)
            for name, each in said.results.items()
            if name != "chess/orthodox"
        }
        return {name: z for name, z in apart.items() if abs(z) > kinds.NORMAL_95}

    scores, draws = usable("first_score"), usable("draw_rate")
    assert len(scores) == 8 and "pawn-one-square" not in scores
    assert set(scores) - set(draws) == {"pawn-sideways", "self-capture"} and len(draws) == 6
    assert scores["torpedo"] == pytest.approx(16, abs=0.5) and draws["torpedo"] == pytest.approx(-29, abs=0.5)
