"""The JSON Schema of ruleset files: what editors complete, explain and underline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from workbench import games
from workbench.files import yamlfile
from workbench.files.project import Project
from workbench.games.declaration import Toggle
from workbench.language import speaking
from workbench.questions import rulesets, workspace

SHIPPED = Project(Path(__file__).parent.parent)
TOGGLES = [(family, toggle) for family in games.names() for toggle in games.declaration(family).toggles]


def test_schema_is_valid_and_accepts_the_shipped_files() -> None:
    schemas = {family: workspace.ruleset_schema(family) for family in ("", *games.names())}
    for each in schemas.values():
        jsonschema.Draft202012Validator.check_schema(each)
    validators = {family: jsonschema.Draft202012Validator(each) for family, each in schemas.items()}
    for ruleset in rulesets.load_all_rulesets(SHIPPED):
        assert ruleset.path is not None
        content = yamlfile.read_yaml(ruleset.path).plain()
        for family in ("", ruleset.game):
            validators[family].validate(content)


@pytest.mark.parametrize(("family", "toggle"), TOGGLES, ids=lambda part: getattr(part, "name", part))
def test_schema_allows_what_the_loader_allows_and_says_what_it_means(family: str, toggle: Toggle) -> None:
    validator = jsonschema.Draft202012Validator(workspace.ruleset_schema())
    low, high = (toggle.span.low, toggle.span.high) if toggle.span else (0, 0)
    ends = [low - 1, low, high, high + 1] if toggle.span else []
    values: list[Any] = [each.name for each in toggle.values]
    values += [*ends, "nonsense", None, 1, 0, True, False, "true", "1", [], {}]
    for value in values:
        accepted = validator.is_valid({"game": family, "title": "x", "rules": {toggle.name: value}})
        assert accepted == toggle.allows(value), value
    written = workspace.ruleset_schema(family)["$defs"][family]["properties"][toggle.name]
    assert written["default"] == toggle.default
    assert toggle.source in written["description"]
    sentences = {entry["const"]: entry["description"] for entry in written["oneOf"] if "const" in entry}
    assert sentences == {value.name: value.sentence for value in toggle.values}


@pytest.mark.parametrize(
    "content",
    [
        {"game": "chatra"},
        {"title": "x"},
        {"game": "nothing", "title": "x"},
        {"game": "chatra", "title": "x", "colour": "red"},
        {"game": "chatra", "title": "x", "rules": {"openning": "objects-first"}},
        {"game": "chatra", "title": "x", "rules": 5},
        {"game": "chatra", "title": ["x"]},
        {"game": "chatra", "title": "x", "extends": []},
        {"game": "chatra", "title": "x", "extends": {"a": "b"}},
    ],
)
def test_schema_refuses_what_the_loader_refuses(content: dict[str, Any]) -> None:
    assert not jsonschema.Draft202012Validator(workspace.ruleset_schema()).is_valid(content)


def test_an_editor_offers_the_names_of_a_games_rulesets_where_one_extends_another() -> None:
    offered = workspace.ruleset_schema(known=["star/default", "star/no-foul", "chess/007"])
    of_star = next(each["then"] for each in offered["allOf"] if each["if"]["properties"]["game"]["const"] == "star")
    names = of_star["properties"]["extends"]["anyOf"][0]["anyOf"][0]["enum"]
    assert names == ["default", "no-foul"]
    validator = jsonschema.Draft202012Validator(offered)
    for extends in ("default", "mine", ["default", "no-foul"]):
        assert validator.is_valid({"game": "star", "title": "x", "extends": extends})
    assert not validator.is_valid({"game": "star", "title": "x", "extends": []})


def test_descriptions_are_in_the_language_that_is_spoken() -> None:
    english = workspace.ruleset_schema("star")
    assert workspace.translated_schema(english) == english
    with speaking("ja"):
        japanese = workspace.translated_schema(english)
    toggle = japanese["$defs"]["star"]["properties"]["stuck"]
    assert (
        toggle["title"] == "行動できないとき" and toggle["oneOf"][0]["description"] == "行動できないプレイヤーは負け。"
    )
    assert toggle["oneOf"][0]["const"] == "loss" and toggle["default"] == "loss"
