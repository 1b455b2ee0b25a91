"""The players that come with the rulesets."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench import games
from workbench.files.project import Project
from workbench.learning import library
from workbench.questions import rulesets
from workbench.questions.agents import SEEDS

PROJECT = Project(Path(__file__).resolve().parent.parent)
UNTRAINED = {
    "draughts": [
        *((f"draughts/{name}", seed) for name in ("brazilian", "canadian") for seed in SEEDS),
        ("draughts/international", 3),
        *((f"draughts/{name}", seed) for name in ("russian", "turkish") for seed in SEEDS),
    ]
}
"""Trainings that are wanting since the rules have the limits of endings of the federations.

``workbench train NAME --shipped`` makes them.
"""


@pytest.mark.parametrize("family", games.names())
def test_every_ruleset_comes_with_three_trainings_of_one_budget(family: str) -> None:
    named = [name for name in rulesets.names(PROJECT) if name.startswith(f"{family}/")]
    assert named
    declaration, missing = games.declaration(family), []
    for name in named:
        ruleset = rulesets.load(name, PROJECT)
        for seed in SEEDS:
            files = list(library.shipped_folder(PROJECT, family).glob(f"*-{ruleset.fingerprint}-{seed}.json"))
            learned = library.find(PROJECT, ruleset, seed)
            if len(files) != 1 or learned is None:
                assert not files
                missing.append((name, seed))
                continue
            assert (learned.version, learned.budget["nodes"]) == (declaration.trainer, declaration.training_nodes)
    assert missing == UNTRAINED.get(family, [])
