"""Signs of full width, which keyboards for Japanese type, where YAML or a key wants those of half width."""

from __future__ import annotations

import pytest

from workbench.base.errors import InputError, guess, half_width
from workbench.base.yamlfile import Node, parse_yaml


def hints(text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(InputError) as raised:
        parse_yaml(text, "a.yaml")
    return [(problem.line, problem.hint) for problem in raised.value.problems]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("game：star\n", "line 1 has the full-width character '：': write :"),
        ("title: x\ngames： 100\nseed: 1\n", "line 2 has the full-width character '：': write :"),
        ("agents: [random, greedy］\nseed: 1\n", "line 1 has the full-width character '］': write ]"),
        ("targets: {plies: 3｝\n", "line 1 has the full-width character '｝': write }"),
    ],
)
def test_in_the_structure_of_a_file_are_named_with_their_line(text: str, hint: str) -> None:
    assert hint in [said for _, said in hints(text)]


def test_in_a_quoted_title_are_no_cause_of_a_mistake_below() -> None:
    assert hints('title: "問い：公平か"\nagents: [a\n')[0][1] == ""


@pytest.mark.parametrize(
    ("written", "meant"),
    [("１００", "100"), ("“loss”", "loss"), ("ｓｔａｒ", "star"), ("［a、b］", "[a,b]"), ("−１", "-1")],
)
def test_in_a_value_are_said_as_they_were_meant(written: str, meant: str) -> None:
    problem = Node("a.yaml", 1, "games", written, written).problem("expected a whole number", "did you mean 'x'?")
    assert problem.hint == f"write {meant} in half-width characters"


@pytest.mark.parametrize("text", ["歩", "公平か、どうか", "greedy", "100", "王手ー", ""])
def test_are_not_seen_in_japanese_and_in_ascii(text: str) -> None:
    assert half_width(text) == ""


def test_in_a_key_lead_to_the_key_that_was_meant() -> None:
    assert guess("ｓｅｅｄ", ["seed", "games"]) == "write seed in half-width characters"
    assert guess("\u3000seed", ["seed", "games"]) == "indent with ASCII spaces"
    assert guess("sead", ["seed", "games"]) == "did you mean 'seed'?"
