"""The analysis plan is that of the provenance; and what a plan says about the games and the time of a certainty."""

from __future__ import annotations

import dataclasses
import io
import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from tests import few
from workbench.base import project
from workbench.base.project import Project
from workbench.engine.players import BlockArguments
from workbench.experiments import experiment
from workbench.experiments.experiment import Experiment
from workbench.players.agents import AgentSpec
from workbench.runs import planning, runner
from workbench.runs.executor import Executor
from workbench.runs.worker import PlayBlock
from workbench.statistics import AnalysisPlan
from workbench.statistics.analysis_plan import games_for_gain, games_for_precision

ROOT = Path(__file__).parent.parent


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def engine(clock: Clock, draws: float, capped: float, seconds: float) -> PlayBlock:
    """Plays games that are drawn, stopped, or won by the first seat, in these shares; greedy is ten times slower."""

    def play(block: BlockArguments) -> Any:
        n, kind = len(block.seeds), block.first.agent.kind
        clock.now += n * seconds * (10 if kind == 1 else 1)
        chance = (block.seeds % np.uint64(1000)).astype(np.float64) / 1000
        result = np.where(chance < draws, 3, np.where(chance < draws + (capped if kind == 0 else 0), 0, 1))
        return {"result": result, "plies": np.full(n, 50)}

    return play


def planned(loaded: Experiment, workers: int, *rates: float, pilot: float = 10.0, **options: Any) -> planning.CostPlan:
    clock = Clock()
    play = engine(clock, *rates)
    return planning.plan_experiment(loaded, pilot, Executor(workers), play=play, clock=clock, **options)


@pytest.fixture
def loaded(tmp_path: Path) -> experiment.Experiment:
    path = tmp_path / "some.yaml"
    text = "title: T\nrulesets: [chatra/2007-09, chatra/A, chatra/B]\ngames: 5000\n"
    path.write_text(text + "pairings: [[random, greedy], [greedy, greedy]]\n")
    return experiment.load_experiment(path, project.Project(ROOT))


def test_a_pilot_measures_pace_and_rates(loaded: experiment.Experiment) -> None:
    clock = Clock()
    plan = planning.plan_experiment(loaded, 10.0, Executor(4), play=engine(clock, 0.2, 0.01, 0.002), clock=clock)
    random, greedy = plan.paces
    assert (random.first, greedy.first) == ("random", "greedy")
    assert random.seconds == pytest.approx(0.002) and greedy.seconds == pytest.approx(0.02)
    assert 2_000 < random.games < 4_000 and 200 < greedy.games < 400, "half of the time each"
    assert random.draw_rate == pytest.approx(0.2, abs=0.03) and random.capped_rate == pytest.approx(0.01, abs=0.01)
    assert greedy.plies == 50 and greedy.variance == pytest.approx(0.2, abs=0.02)
    assert clock.now == pytest.approx(10, abs=2)


def test_wishes_cost_games_and_time(loaded: experiment.Experiment) -> None:
    plan = planned(loaded, 4, 0.0, 0.0, 0.002, precisions=(0.02,), gains=(0.05,))
    file, precision, gain = plan.wishes
    assert (file.kind, file.games, file.total) == ("file", (5000, 5000), 30_000)
    assert file.seconds == pytest.approx(5000 * 3 * (0.002 + 0.02) / 4)
    assert precision.games == (games_for_precision(0.02),) * 2 == (2401, 2401)
    assert plan.comparisons == 4 and gain.games == (games_for_gain(0.05, 4),) * 2
    assert gain.total == games_for_gain(0.05, 4) * 6


def test_capped_games_cost_more_or_make_a_wish_impossible(loaded: experiment.Experiment) -> None:
    plan = planned(loaded, 1, 0.0, 0.5, 0.002, precisions=(0.02,), gains=(0.05,))
    _, precision, gain = plan.wishes
    assert precision.games[0] == pytest.approx(4802, rel=0.1) and precision.games[1] == 2401
    assert gain.games == (None, games_for_gain(0.05, 4))


def test_the_pilots_games_are_the_experiments_first_ones(loaded: experiment.Experiment) -> None:
    clock, seen = Clock(), []
    inner = engine(clock, 0.0, 0.0, 0.1)

    def play(block: BlockArguments) -> Any:
        seen.append(block.seeds)
        return inner(block)

    planning.plan_experiment(loaded, 1.0, Executor(1), play=play, clock=clock)
    cell = loaded.cells()[0]
    assert seen[0].tolist() == loaded.seeds(cell, 0, len(seen[0])).tolist()


def test_a_smaller_gain_never_needs_fewer_games_and_no_player_is_dropped(loaded: experiment.Experiment) -> None:
    sizes = (0.03, 0.1, 0.035, 0.05)
    plan = planned(loaded, 1, 0.0, 0.03, 0.002, gains=sizes)
    gains = [wish for wish in plan.wishes if wish.kind == "gain"]
    assert [wish.size for wish in gains] == sorted(sizes, reverse=True)
    assert gains[0].all_games and gains[-1].all_games is None and gains[-1].total is None
    for before, after in itertools.pairwise(gains):
        assert (before.all_games or math.inf) <= (after.all_games or math.inf)
        for one, other in zip(before.games, after.games, strict=True):
            assert (one or math.inf) <= (other or math.inf)


def test_a_player_too_slow_for_the_pilot_is_told_of(loaded: experiment.Experiment) -> None:
    plan = planned(loaded, 1, 0.0, 1.0, 60.0, pilot=0.001)
    assert [pace.first for pace in plan.paces] == ["random", "greedy"] and all(pace.games for pace in plan.paces)
    console = Console(width=160, record=True, file=io.StringIO())
    few = tuple(dataclasses.replace(pace, games=1) for pace in plan.paces)
    planning.print_plan(dataclasses.replace(plan, paces=few), "T", console)
    text = console.export_text()
    for player in ("random – greedy", "greedy"):
        assert f"{player}: only 1 game in the pilot" in text
    assert "random – greedy: 100 % of its games were stopped at the cap" in text and "no number suffices" in text


def test_a_plan_is_about_the_question(tmp_path: Path) -> None:
    """Random players are a yardstick: two proposals are compared, by greedy players alone."""
    path = tmp_path / "some.yaml"
    path.write_text("title: T\nrulesets: [chatra/2007-09, chatra/A, chatra/B]\nagents: [random, greedy]\ngames: 5000\n")
    loaded = experiment.load_experiment(path, project.Project(ROOT))
    for question, kinds in (("draw_rate", {"difference"}), ("first_score", {"gain"}), ("plies", set())):
        plan = planned(dataclasses.replace(loaded, question=question), 4, 0.2, 0.4, 0.002)
        assert plan.comparisons == 2
        wishes = [wish for wish in plan.wishes if wish.kind in ("gain", "difference")]
        assert {wish.kind for wish in wishes} == kinds
        for wish in wishes:
            variance = plan.paces[1].question_variance(question)
            assert variance and wish.games[1] == games_for_gain(wish.size, 2, 1, (variance, variance))


PROJECT = Project(ROOT)
UNRECORDED = ("path", "agents", "block", "learned")
"""Fields that provenance does not record, or records elsewhere."""


def alike(one: AnalysisPlan, other: AnalysisPlan) -> bool:
    """Whether two plans judge alike: what provenance does not record of an experiment changes no verdict."""
    unrecorded = {name: getattr(other.experiment, name) for name in UNRECORDED}
    return dataclasses.replace(one, experiment=dataclasses.replace(one.experiment, **unrecorded)) == other


def provenance(loaded: Experiment) -> Any:
    return json.loads(json.dumps(runner.run_manifest(loaded, loaded.cells(), 1, "")))


@pytest.mark.family("chess")
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


FILES = {"a question with a margin": "question: draw_rate\nmargin: 0.04\nmeasures: [plies_mean]",
         "interim analyses": "until: decided\nlooks: 3", "a precision": "precision: 0.05",
         "targets": 'targets: {first_score: [0.47, 0.53], capped_rate: "<0.05"}',
         "adjudication": "capped: {adjudicate: {threshold: 0.95}}", "a cap": "max_plies: 77\nseed: 5"}  # fmt: skip


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
