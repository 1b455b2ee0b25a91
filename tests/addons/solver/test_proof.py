"""Proofs forward from the start: they say of a game what its whole list of states says."""

from __future__ import annotations

import pytest

from tests import few
from tests.command_line import as_json, refused
from workbench.addons.solver import solving
from workbench.base.errors import InputError
from workbench.rules import rulesets

FORWARD = [
    "star/solved/two-own-pieces",
    "star/solved/four-own-pieces-stuck-draws",
    "star/solved/two-repetition",
    "star/solved/two-own-actions",
]
SMALL, TINY = 1 << 24, 1 << 12


@pytest.mark.thorough
@pytest.mark.parametrize("memory", [SMALL, TINY])
@pytest.mark.parametrize("name", few.first(1, FORWARD))
def test_it_is_the_value_of_the_solution(name: str, memory: int) -> None:
    ruleset = rulesets.load_ruleset(name)
    proof = solving.prove_value(ruleset, memory)
    solved = solving.solve_ruleset(ruleset, random=False).exact
    assert proof.value == solved.value


@pytest.mark.thorough
def test_a_small_table_costs_more_and_finds_the_same() -> None:
    ruleset = rulesets.load_ruleset(FORWARD[1])
    roomy, cramped = (solving.prove_value(ruleset, memory) for memory in (SMALL, TINY))
    assert roomy.value == cramped.value == "draw"
    assert roomy.looked_at < cramped.looked_at


@pytest.mark.thorough
def test_a_path_longer_than_its_room_is_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = rulesets.load_ruleset(FORWARD[0])
    wide = solving.prove_value(ruleset, SMALL)
    monkeypatch.setattr(solving, "PLIES", 2)
    assert solving.prove_value(ruleset, SMALL).value == wide.value


def test_positions_that_come_again_are_refused() -> None:
    with pytest.raises(InputError, match="positions can repeat"):
        solving.prove_value(rulesets.load_ruleset("star/default"), SMALL)


def test_rules_with_a_swap_are_refused() -> None:
    with pytest.raises(InputError, match="may swap sides"):
        solving.prove_value(rulesets.load_ruleset("star/pie"), SMALL)


@pytest.mark.usefixtures("in_the_checkout")
def test_the_command_says_who_wins() -> None:
    assert as_json("solve", FORWARD[0], "--forward", "--memory", "0.01", "--json")["value"] == "first"
    assert "--save" in refused("solve", FORWARD[0], "--forward", "--save")
