"""A run on a real cluster of Ray, two worker processes on this machine, gives the records of one on this machine."""

from __future__ import annotations

import functools
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import fake_engine
from workbench.files import project
from workbench.questions import experiment
from workbench.questions.experiment import Experiment
from workbench.run import cutting, errors, places, runner
from workbench.run.cluster import Cluster
from workbench.run.progress import Progress

pytest.importorskip("ray")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # Ray has warnings of its own
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
def cluster() -> Iterator[Cluster]:
    with places.cluster("ray:local", 2) as cluster:
        assert cluster
        yield cluster


@pytest.fixture
def what(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """Two rulesets of the star game and two players, in short blocks."""
    monkeypatch.setattr(cutting, "SHORTEST", 0.2)
    monkeypatch.setattr(cutting, "SECONDS", 0.2)
    path = tmp_path / "question.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return experiment.load(path, project.Project(ROOT))


def records(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "trials.parquet").read_bytes(), (folder / "traces.parquet").read_bytes()


def process_id() -> int:
    return os.getpid()


def test_the_records_are_those_of_one_machine_though_a_worker_is_killed(
    what: Experiment, tmp_path: Path, cluster: Cluster
) -> None:
    import ray

    runner.run(what, tmp_path / "here", workers=1)
    killed: list[int] = []

    def kill_one(progress: Progress) -> None:
        if not killed:
            killed.append(ray.get(ray.remote(process_id).remote()))
            os.kill(killed[0], signal.SIGKILL)

    outcome = runner.run(what, tmp_path / "there", cluster=cluster, on_progress=kill_one)
    assert outcome.played == 800 and killed and records(tmp_path / "there") == records(tmp_path / "here")


def fake(**options: Any) -> Any:
    return {"play": functools.partial(fake_engine.play, **options), "opening_texts": fake_engine.opening_texts}


def test_a_worker_that_dies_once_is_told_of(what: Experiment, tmp_path: Path, cluster: Cluster) -> None:
    deadly = int(what.seeds(what.cells()[1], 10, 11)[0])
    options = fake(deadly=deadly, flag=str(tmp_path / "flag"), delay=0.05)
    outcome = runner.run(what, tmp_path / "r", cluster=cluster, **options)
    assert outcome.played == 800
    assert outcome.notes == ("A worker died; what it was at is begun anew (star/default, alphabeta-2 – alphabeta-2)",)


def test_a_block_that_kills_two_workers_is_named_and_the_run_goes_on_without_the_cluster(
    what: Experiment, tmp_path: Path, cluster: Cluster
) -> None:
    deadly = int(what.seeds(what.cells()[3], 150, 151)[0])
    with pytest.raises(errors.WorkerDied, match="2 worker processes died") as caught:
        runner.run(what, tmp_path / "r", cluster=cluster, **fake(deadly=deadly, delay=0.05))
    block = caught.value.block
    assert block.cell.index == 3 and block.start <= 150 < block.stop
    assert 0 < runner.run(what, tmp_path / "r", workers=1, **fake()).kept < 800
    runner.run(what, tmp_path / "whole", workers=1, **fake())
    assert (tmp_path / "r" / "trials.parquet").read_bytes() == (tmp_path / "whole" / "trials.parquet").read_bytes()


def test_an_error_of_a_block_comes_through(what: Experiment, tmp_path: Path, cluster: Cluster) -> None:
    with pytest.raises(ValueError, match="sleep length"):
        runner.run(what, tmp_path / "r", cluster=cluster, **fake(delay=-1.0))
