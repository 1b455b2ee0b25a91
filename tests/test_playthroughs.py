"""Every ruleset plays the game that its playthrough records."""

from __future__ import annotations

import pytest

from tests.playthroughs import FOLDER, path_of, playthrough
from workbench.questions import rulesets


@pytest.mark.parametrize("name", rulesets.names())
def test_game_is_the_recorded_one(name: str) -> None:
    assert path_of(name).exists(), "write it: python -m tests.playthroughs --write"
    recorded = path_of(name).read_text(encoding="utf-8")
    assert playthrough(name).splitlines() == recorded.splitlines()


def test_every_playthrough_has_its_ruleset() -> None:
    assert set(FOLDER.rglob("*.txt")) == {path_of(name) for name in rulesets.names()}
