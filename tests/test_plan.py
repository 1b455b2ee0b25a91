"""The analysis plan: the same one from an experiment and from the provenance that a run of it writes."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from tests import few
from workbench.files.project import Project
from workbench.questions import experiment
from workbench.questions.agents import AgentSpec
from workbench.questions.experiment import Experiment
from workbench.run import runner
from workbench.statistics import AnalysisPlan

ROOT = Path(__file__).resolve().parent.parent
PROJECT = Project(ROOT)
UNRECORDED = ("path", "agents", "block", "learned")
"""Fields that provenance does not record, or records elsewhere."""


def alike(one: AnalysisPlan, other: AnalysisPlan) -> bool:
    """Whether two plans judge alike: what provenance does not record of an experiment changes no verdict."""
    unrecorded = {name: getattr(other.experiment, name) for name in UNRECORDED}
    return dataclasses.replace(one, experiment=dataclasses.replace(one.experiment, **unrecorded)) == other


def provenance(loaded: Experiment) -> Any:
    """What a run of the experiment writes, read back."""
    return json.loads(json.dumps(runner.run_manifest(loaded, loaded.cells(), 1, "")))


@pytest.mark.parametrize("name", few.first(8, experiment.experiment_names(PROJECT)))
def test_the_plan_of_an_experiment_is_that_of_its_provenance(name: str) -> None:
    loaded = experiment.load_experiment(experiment.find_experiment(name, PROJECT), PROJECT)
    plan = AnalysisPlan(loaded)
    stored = AnalysisPlan.from_provenance(provenance(loaded))
    # Which weights were accepted, and when it began, is known to the run alone.
    stored = dataclasses.replace(stored, refused_trainings={}, date="")
    for field in dataclasses.fields(loaded):
        if field.compare and field.name not in UNRECORDED:
            assert getattr(stored.experiment, field.name) == getattr(loaded, field.name), field.name
    assert alike(stored, plan)
    assert [ruleset.codes() for ruleset in stored.rulesets] == [ruleset.codes() for ruleset in plan.rulesets]
    assert plan.cells == [(cell.ruleset.name, cell.first.label, cell.second.label) for cell in loaded.cells()]


FILES = {
    "a question with a margin": "question: draw_rate\nmargin: 0.04\nmeasures: [plies_mean]",
    "interim analyses": "until: decided\nlooks: 3",
    "a precision": "precision: 0.05",
    "targets": 'targets: {first_score: [0.47, 0.53], capped_rate: "<0.05"}',
    "adjudication": "capped: {adjudicate: {threshold: 0.95}}",
    "a cap": "max_plies: 77\nseed: 5",
}


@pytest.mark.parametrize("lines", FILES.values(), ids=list(FILES))
def test_every_key_reaches_the_plan_on_both_ways(lines: str, tmp_path: Path) -> None:
    path = tmp_path / "some.yaml"
    players = "[{random: {name: dice}}, {greedy: {epsilon: 0.25, weights: {mobility: 2}}}, alphabeta]"
    path.write_text(f"title: T\nrulesets: [chatra/2007-09, chatra/A]\nagents: {players}\ngames: 500\n{lines}\n")
    loaded = experiment.load_experiment(path, PROJECT)
    plan = AnalysisPlan(loaded, earlier_games=(100,))
    assert alike(AnalysisPlan.from_provenance(provenance(loaded) | {"earlier_games": [100]}), plan)
    plain = AnalysisPlan(dataclasses.replace(loaded, question="legal_moves", margin=None))
    assert plan != plain, "another question is another plan"
    assert plan.yardsticks == {("dice", "dice")}


def test_an_agent_is_read_back_from_what_provenance_says_of_it() -> None:
    plain = AgentSpec.of("alphabeta", depth=4)
    named = AgentSpec.of("best-first", "wild", {"mobility": 2.0}, nodes=50, epsilon=0.25)
    for agent in (plain, named):
        assert AgentSpec.from_provenance(agent.label, json.loads(json.dumps(agent.canonical()))) == agent
    later = {**plain.canonical(), "an option of tomorrow": 3}
    assert AgentSpec.from_provenance(plain.label, later) == plain
