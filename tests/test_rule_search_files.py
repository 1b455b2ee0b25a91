"""Files of searches: what they say, what is wrong with them, and the rulesets that they let be played."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from workbench.errors import InputError
from workbench.files import yamlfile
from workbench.files.project import Project
from workbench.questions import rule_search as searches
from workbench.questions import workspace
from workbench.questions.rule_search import Candidates, RuleSearch, list_candidates

SHIPPED = Project(Path(__file__).parent.parent)
SMALL = """
title: A fair star game
title_ja: 公平な星の遊び
base: star/default
space:
  pieces: {from: 2, to: 4}
  foul: [no-undo, shape, "off"]
  stuck: [loss, draw]
targets: {first_score: [0.45, 0.55]}
"""


def search_of(text: str) -> RuleSearch:
    return searches.load_search("small.yaml", SHIPPED, text)


def candidates_of(text: str) -> tuple[RuleSearch, Candidates]:
    search = search_of(text)
    return search, list_candidates(search)


def problems_of(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        list_candidates(search_of(text))
    return [f"{problem.line} {problem.key}: {problem.message}" for problem in caught.value.problems]


def test_a_file_says_what_is_looked_for_and_the_rest_has_defaults() -> None:
    search = search_of(SMALL)
    assert search.base.name == "star/default"
    assert [factor.name for factor in search.factors] == ["pieces", "foul", "stuck"]
    assert [level.name for level in search.factors[0].levels] == ["2", "3", "4"]
    assert search.base_point() == (1, 0, 0)
    assert search.numbers() == ((0, 1, 2), (), ())
    assert (search.confirm, search.budget, search.finalists) == (0.4, {"hours": 1.0}, 4)
    assert {player.kind for player in search.players_of_rounds()} == {"alphabeta", "best-first"}
    assert any(player.training for player in search.players_of_confirmation())
    assert not any(player.training for player in search.players_of_rounds())


def test_every_mistake_is_named_with_its_line() -> None:
    text = """
title: A fair star game
base: star/nothing
space: {pieces: [2, 9], colour: [red]}
targets: {first_score: [0.6, 0.4], beauty: [0, 1]}
budget: {hours: 1, games: 1000}
openings: [a1]
finalists: 0
sede: 1
"""
    found = " | ".join(problems_of(text))
    for words in ("star/nothing", "[0.6, 0.4]", "beauty", "hours or games", "finalists", "sede", "lines to draw"):
        assert words in found, words
    wrong = problems_of(SMALL.replace("from: 2, to: 4", "from: 2, to: 9").replace("stuck: [loss", "stuck: [lose"))
    assert wrong[0].startswith("6 space.pieces.to") and "2 to 4" in wrong[0]
    assert wrong[1].startswith("8 space.stuck") and "'lose'" in wrong[1]


def test_weights_prices_and_what_is_never_wanted_speak_of_what_there_is() -> None:
    text = SMALL + "weights: {first_score: 1, beauty: 2}\nprice: {each: 1, size: 2}\nnever: [{pieces: 2, sise: 3}]\n"
    found = " | ".join(problems_of(text))
    assert "'beauty'" in found and "'size'" in found and "'sise'" in found


def test_candidates_are_all_combinations_but_those_refused_unwanted_or_told_already() -> None:
    search, candidates = candidates_of(SMALL + "never: [{pieces: 2, stuck: draw}]\n")
    assert (candidates.combinations, len(candidates), candidates.unwanted) == (18, 15, 3)
    assert candidates.base is not None and candidates.rulesets[candidates.base].name == "star/default"
    assert candidates.prices[candidates.base] == 0
    assert len({ruleset.fingerprint for ruleset in candidates.rulesets}) == 15
    both = next(one for one, point in enumerate(candidates.points) if point == (2, 1, 0))
    assert candidates.prices[both] == 2
    assert [(factor.name, level.name) for factor, level in candidates.changes(search, both)] == [
        ("pieces", "4"),
        ("foul", "shape"),
    ]


def test_a_number_may_cost_by_the_step() -> None:
    search, candidates = candidates_of(SMALL + "price: {each: 3, pieces: {step: 0.5, most: 0.75}}\n")
    price = dict(zip(candidates.points, candidates.prices, strict=True))
    assert (price[1, 0, 0], price[2, 0, 0], price[1, 1, 0]) == (0, 0.5, 3)
    wider = SMALL.replace("pieces: {from: 2, to: 4}", "repetition: {values: [0], from: 2, to: 20, step: 6}")
    search, candidates = candidates_of(wider + "price: {repetition: {step: 0.1, most: 1}}\n")
    names = [level.name for level in search.factors[0].levels]
    assert names == ["0", "2", "8", "14", "20"]


def test_rulesets_that_make_no_sense_are_refused_with_the_reason() -> None:
    text = SMALL.replace("star/default", "draughts/english").partition("space")[0]
    _, candidates = candidates_of(text + "space: {size: [6, 8], stuck: [loss, draw]}\ntargets: {draw_rate: '<0.2'}\n")
    assert len(candidates) == 2
    assert [(group.count, group.shared) for group in candidates.refused] == [(2, "size=6")]
    found = problems_of(text + "space: {size: [6], stuck: [draw]}\ntargets: {draw_rate: '<0.2'}\n")
    assert "no combination of the space is left" in found[0]


def test_of_a_large_space_a_part_is_looked_at_that_holds_all_single_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "MOST_CANDIDATES", 14)
    text = SMALL + "seed: 3\n"
    (search, candidates), (_, again) = candidates_of(text), candidates_of(text)
    assert not candidates.complete and candidates.points == again.points
    assert 1 < len(candidates) <= 14
    base = search.base_point()
    changed = [sum(a != b for a, b in zip(point, base, strict=True)) for point in candidates.points]
    assert changed.count(0) == 1 and changed.count(1) == 5


def test_the_schema_knows_every_key_and_the_shipped_files() -> None:
    described = workspace.search_schema()
    validator = jsonschema.Draft202012Validator(described)
    validator.check_schema(described)
    assert set(described["properties"]) == set(searches.KEYS)
    names = searches.search_names(SHIPPED)
    assert names
    for name in names:
        path = searches.find_search(name, SHIPPED)
        validator.validate(yamlfile.read_yaml(path).plain())
        assert len(list_candidates(searches.load_search(path, SHIPPED))) > 1
    assert not validator.is_valid({"title": "x", "base": "star/default", "space": {}, "targets": {}, "colour": 1})
