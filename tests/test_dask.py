"""A run on a real cluster of Dask, two worker processes on this machine, gives the records of one on this machine."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests import fake_engine
from tests.report_folders import record_bytes
from workbench.files import project
from workbench.learning import trainer
from workbench.learning.trainer import Budget
from workbench.questions import experiment
from workbench.questions.experiment import Experiment
from workbench.questions.lines import DrawnLines
from workbench.run import cutting, errors, node, places, runner, training
from workbench.run.cluster import Cluster
from workbench.run.progress import Progress

distributed = pytest.importorskip("distributed")
ROOT = Path(__file__).resolve().parent.parent
TEXT = """\
title: A test
rulesets: [star/default, star/two-pieces]
agents: [random, alphabeta-2]
games: 200
block: 20
seed: 3
"""


@pytest.fixture(scope="module")
def processes() -> Iterator[Any]:
    """A scheduler with two worker processes, which are begun anew when they die."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as processes:
        yield processes


@pytest.fixture
def cluster(processes: Any) -> Iterator[Cluster]:
    with places.open_cluster(f"dask:{processes.scheduler_address}") as cluster:
        assert cluster
        yield cluster


@pytest.fixture(autouse=True)
def _short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "MIN_BLOCK_SECONDS", 0.2)
    monkeypatch.setattr(cutting, "BLOCK_SECONDS", 0.2)


@pytest.fixture
def what(tmp_path: Path) -> Experiment:
    """Two rulesets of the star game and two players."""
    path = tmp_path / "question.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return experiment.load_experiment(path, project.Project(ROOT))


def process_ids(processes: Any) -> list[int]:
    with distributed.Client(processes, set_as_default=False) as client:
        return list(client.run(os.getpid).values())


@pytest.mark.thorough
def test_the_records_are_those_of_one_machine_though_a_worker_is_killed(
    what: Experiment, tmp_path: Path, processes: Any, cluster: Cluster
) -> None:
    what = replace(what, openings=DrawnLines(2, 20))
    runner.run_experiment(what, tmp_path / "here", workers=1)
    seen: list[Progress] = []

    def kill_one(progress: Progress) -> None:
        if not seen:
            os.kill(process_ids(processes)[0], signal.SIGKILL)
        seen.append(replace(progress))

    outcome = runner.run_experiment(what, tmp_path / "there", cluster=cluster, on_progress=kill_one)
    assert outcome.played == 800 and record_bytes(tmp_path / "there") == record_bytes(tmp_path / "here")
    assert len(seen) >= 8 and seen[-1].done == 800 and 1 <= seen[-1].workers <= 2


def fake(what: Experiment, **options: Any) -> Any:
    """A run's options for the engine without a game, which knows no openings."""
    return {"play": functools.partial(fake_engine.play, **options), "opening_texts": fake_engine.opening_texts}


@pytest.mark.thorough
def test_a_block_that_kills_two_workers_is_named_and_the_run_goes_on_without_the_cluster(
    what: Experiment, tmp_path: Path, cluster: Cluster
) -> None:
    deadly = fake_engine.deadly_game(what, 3, 150)
    with pytest.raises(errors.WorkerDied) as caught:
        runner.run_experiment(what, tmp_path / "r", cluster=cluster, **fake(what, deadly=deadly, delay=0.05))
    block = caught.value.block
    assert block.cell.index == 3 and block.start <= 150 < block.stop
    assert str(caught.value).startswith(
        "2 worker processes died, one after the other, while they played star/two-piece"
    )
    again = runner.run_experiment(what, tmp_path / "r", workers=1, **fake(what))
    assert 0 < again.resumed < 800 == again.resumed + again.played
    runner.run_experiment(what, tmp_path / "whole", workers=1, **fake(what))
    assert record_bytes(tmp_path / "r") == record_bytes(tmp_path / "whole")


@pytest.mark.thorough
def test_a_worker_that_dies_once_is_told_of(what: Experiment, tmp_path: Path, cluster: Cluster) -> None:
    deadly = fake_engine.deadly_game(what, 1, 10)
    options = fake(what, deadly=deadly, flag=str(tmp_path / "flag"), delay=0.05)
    outcome = runner.run_experiment(what, tmp_path / "r", cluster=cluster, **options)
    assert outcome.played == 800
    # Whether its successor is there at once is the machine's affair.
    notes = [note for note in outcome.notes if not note.startswith("Waiting for workers")]
    assert notes == ["A worker died; what it was at is begun anew (star/default, alphabeta-2 – alphabeta-2)"]


def test_workers_with_another_engine_play_nothing(
    what: Experiment, tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = node.engine_versions
    monkeypatch.setattr(node, "engine_versions", lambda families: versions(families) | {"star": "0123456789abcdef"})
    with pytest.raises(errors.Stopped) as caught:
        runner.run_experiment(what, tmp_path / "r", cluster=cluster, **fake(what))
    said = str(caught.value)
    assert "would play other games than this program (engine of star: " in said and "0123456789abcdef here" in said
    assert said.endswith(
        f"0 of 800 games are kept. To continue, on the cluster or without --on: workbench run {what.path}"
    )


def test_an_error_of_a_block_comes_through(what: Experiment, tmp_path: Path, cluster: Cluster) -> None:
    with pytest.raises(ValueError, match="sleep length"):
        runner.run_experiment(what, tmp_path / "r", cluster=cluster, **fake(what, delay=-1.0))


@pytest.mark.thorough
def test_a_training_learns_there_what_it_learns_here(
    tmp_path: Path, what: Experiment, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "default_budget", lambda ruleset: Budget(1_000, rounds=2, positions=1_000, match=4))
    wanted = [training.Training(what.rulesets[0], seed) for seed in (1, 2)]
    written = []
    for where, crew in (("here", None), ("there", cluster)):
        training.run_trainings(
            wanted, project.Project(tmp_path / where), say=lambda line: None, workers=1, cluster=crew
        )
        written.append({path.name: path.read_bytes() for path in (tmp_path / where).rglob("*.json")})
    assert len(written[0]) == 2 and written[0] == written[1]


@pytest.mark.thorough
def test_a_scheduler_that_is_gone_is_told_and_the_games_are_kept(what: Experiment, tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        own = stack.enter_context(
            distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=50,
                                     processes=False, protocol="tcp")
        )  # fmt: skip
        cluster = stack.enter_context(places.open_cluster(f"dask:{own.scheduler_address}"))

        def stop(progress: Progress) -> None:
            if progress.played >= 40:
                own.close()

        with pytest.raises(errors.Stopped, match=r"(?s)The scheduler of dask:.* is gone.*of 800 games are kept"):
            runner.run_experiment(what, tmp_path / "r", cluster=cluster, on_progress=stop, **fake(what, delay=0.05))
    outcome = runner.run_experiment(what, tmp_path / "r", workers=1, **fake(what))
    assert outcome.resumed >= 40 and outcome.resumed + outcome.played == 800
