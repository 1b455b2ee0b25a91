"""The players that come with the rulesets."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from workbench import games
from workbench.base.project import Project
from workbench.experiments.experiment import load_experiment
from workbench.players import library, trainer
from workbench.players.agent_kinds import NET, SEEDS, SHARED
from workbench.players.agents import AgentSpec
from workbench.rules import rulesets
from workbench.runs.training import experiment_trainings, missing_trainings

PROJECT = Project(Path(__file__).resolve().parent.parent)
UNTRAINED = {"chatra": "five-in-a-row flown-over limited-10-12 no-slides white-twice",
             "chess": "bare-king berolina chess960-0 extinction gardner horde los-alamos "
             "marseillais racing-kings rookies-clobberers scottish two-kings",
             "draughts": "huffing two-kings"}  # fmt: skip
"""Rulesets of which nobody has made the trainings yet: one to two minutes each."""
WITH_NETS = "chatra/2008-02 chess/007 chess/orthodox draughts/english"
"""Rulesets that come with three nets."""
MOST_BYTES = 40_000
"""Of the file of a net."""


@pytest.mark.parametrize("family", games.names())
def test_every_ruleset_comes_with_three_trainings_of_one_budget(family: str) -> None:
    named = [name for name in rulesets.ruleset_names(PROJECT) if name.startswith(f"{family}/")]
    assert named
    declaration = games.declaration(family)
    for name in named:
        ruleset = rulesets.load_ruleset(name, PROJECT)
        if name.partition("/")[2] in UNTRAINED.get(family, "").split():
            trained = library.shipped_folder(PROJECT, family).glob(f"*-{ruleset.unswapped.fingerprint}-*.json")
            assert not list(trained), name
            continue
        for seed in SEEDS:
            fingerprint = ruleset.unswapped.fingerprint
            files = list(library.shipped_folder(PROJECT, family).glob(f"*-{fingerprint}-{seed}.json"))
            learned = library.find_learned(PROJECT, ruleset, seed)
            assert len(files) == 1 and learned is not None, (name, seed)
            assert (learned.version, learned.budget["nodes"]) == (declaration.trainer, declaration.training_nodes)


@pytest.mark.parametrize("name", WITH_NETS.split())
def test_a_main_ruleset_comes_with_three_nets_that_its_weights_have_taught(name: str) -> None:
    ruleset = rulesets.load_ruleset(name, PROJECT)
    base = trainer.find_base(PROJECT, ruleset)
    for seed in SEEDS:
        net = library.find_learned(PROJECT, ruleset, seed, pytest.fail, NET)
        taught = library.find_learned(PROJECT, ruleset, seed)
        assert net is not None and taught is not None and net.accepted and net.scale == taught.scale
        assert net.base in (base.digest if base else "", ""), "of this base, or begun at random"


@pytest.mark.family("chess", "draughts")
def test_what_nets_come_along_is_small_and_counts() -> None:
    for file in PROJECT.rulesets.glob("*/players/*-net-*.json"):
        content = json.loads(file.read_text(encoding="utf-8"))
        ruleset = rulesets.load_ruleset(content["ruleset"], PROJECT)
        found = library.find_learned(PROJECT, ruleset, content["seed"], pytest.fail, NET)
        assert found is not None and found.digest == content["digest"], file.name
        base = trainer.find_base(PROJECT, ruleset) if found.base else None
        wanted = trainer.net_budget(ruleset.game, trainer.default_budget(ruleset), base)
        assert found.budget == asdict(wanted), f"{file.name} was learned with another budget"
        assert file.stat().st_size <= MOST_BYTES


def test_weights_that_rulesets_share_are_of_rulesets_that_come_along() -> None:
    for file in PROJECT.rulesets.glob("*/players/*-shared-*.json"):
        content = json.loads(file.read_text(encoding="utf-8"))
        learned_of = [rulesets.load_ruleset(name, PROJECT) for name in content["rulesets"]]
        player = AgentSpec.of("greedy", training=content["seed"], evaluation=SHARED).within(learned_of)
        found = library.require_learned(player, learned_of[0], PROJECT)
        assert found.digest == content["digest"] and found.budget == asdict(trainer.default_budget(learned_of[0]))


@pytest.mark.family("chess")
@pytest.mark.parametrize("path", sorted(PROJECT.experiments.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_nets_of_a_shipped_experiment_come_along(path: Path) -> None:
    needed = experiment_trainings(load_experiment(path, PROJECT))
    missing = missing_trainings([each for each in needed if each.evaluation == NET], PROJECT, pytest.fail)
    assert [each.title for each in missing] == [], "learning them would take longer than the games"


@pytest.mark.family("chess", "draughts")
def test_base_nets_are_of_rulesets_that_come_along() -> None:
    for file in PROJECT.rulesets.glob("*/players/base-*.json"):
        learned_of = json.loads(file.read_text(encoding="utf-8"))["rulesets"]
        for name in learned_of:
            base = trainer.find_base(PROJECT, rulesets.load_ruleset(name, PROJECT))
            assert base is not None and base.rulesets == tuple(learned_of)
