"""The players that come with the rulesets."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench import games
from workbench.files.project import Project
from workbench.learning import library
from workbench.questions import rulesets
from workbench.questions.agent_kinds import SEEDS

PROJECT = Project(Path(__file__).resolve().parent.parent)
UNTRAINED = {
    "chatra": "five-in-a-row flown-over limited-10-12 no-slides white-twice",
    "chess": "bare-king berolina chess960-0 extinction gardner horde los-alamos "
    "marseillais racing-kings rookies-clobberers scottish two-kings",
    "draughts": "armenian frysk huffing jamaican spantsireti two-kings",
}
"""Rulesets of which nobody has made the trainings yet: one to two minutes each."""


@pytest.mark.parametrize("family", games.names())
def test_every_ruleset_comes_with_three_trainings_of_one_budget(family: str) -> None:
    named = [name for name in rulesets.ruleset_names(PROJECT) if name.startswith(f"{family}/")]
    assert named
    declaration = games.declaration(family)
    for name in named:
        ruleset = rulesets.load_ruleset(name, PROJECT)
        if name.partition("/")[2] in UNTRAINED.get(family, "").split():
            assert not list(
                library.shipped_folder(PROJECT, family).glob(f"*-{ruleset.unswapped.fingerprint}-*.json")
            ), name
            continue
        for seed in SEEDS:
            fingerprint = ruleset.unswapped.fingerprint
            files = list(library.shipped_folder(PROJECT, family).glob(f"*-{fingerprint}-{seed}.json"))
            learned = library.find_learned(PROJECT, ruleset, seed)
            assert len(files) == 1 and learned is not None, (name, seed)
            assert (learned.version, learned.budget["nodes"]) == (declaration.trainer, declaration.training_nodes)
