"""Packed states: what the solver keeps of a state holds all that its future depends on."""

from __future__ import annotations

import pytest

from workbench.laws.positions import packed_states_have_the_same_future
from workbench.laws.subject import Subject
from workbench.questions import rulesets

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("seed", [7, 8])
@pytest.mark.parametrize("name", rulesets.ruleset_names())
def test_a_state_that_was_packed_has_the_same_future(name: str, seed: int) -> None:
    packed_states_have_the_same_future(Subject(rulesets.load_ruleset(name), seed))
