"""The studio's queue: runs in processes of their own, stopped, continued, seen from elsewhere."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.report_folders import record_bytes
from tests.studio import own_project, run_apart
from workbench.errors import InputError
from workbench.files.project import Project
from workbench.questions import experiment as experiments
from workbench.run import runner
from workbench.run.status import FolderStatus, folder_status, hold_folder_lock
from workbench.studio import shelf
from workbench.studio.jobs import FolderState, Job, Queue
from workbench.studio.words import Visitor

EXPERIMENT = """\
title: A question
rulesets: [star/4x4, star/5x5]
agents: [{agent}]
games: {games}
block: {block}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(own_project(tmp_path, "star"))
    return Project(tmp_path)


def written(project: Project, name: str = "question", agent: str = "greedy", games: int = 60, block: int = 10) -> Path:
    path = project.experiments / f"{name}.yaml"
    path.write_text(EXPERIMENT.format(agent=agent, games=games, block=block))
    return path


def alone(project: Project, path: Path, folder: str) -> dict[str, bytes]:
    """The records of an uninterrupted run in a folder of its own."""
    runner.run_experiment(experiments.load_experiment(path, project), project.root / folder)
    return record_bytes(project.root / folder)


def in_loop(project: Project, do: Callable[[Queue], Awaitable[None]]) -> None:
    async def whole() -> None:
        queue = Queue(project)
        try:
            await asyncio.wait_for(do(queue), PATIENCE)
        finally:
            await queue.close()

    run_apart(whole())


async def until(queue: Queue, condition: Callable[[], bool]) -> None:
    changed = asyncio.Event()
    queue.listeners.append(changed.set)
    while not condition():
        changed.clear()
        await changed.wait()
    queue.listeners.remove(changed.set)


def ended(job: Job) -> Callable[[], bool]:
    return lambda: not job.active


def test_what_is_still_to_be_played_is_saved_at_each_change_and_taken_up(project: Project) -> None:
    first, second = written(project, "first", games=20), written(project, "second", games=20)
    saved: list[tuple[str, ...]] = []

    async def whole() -> None:
        queue = Queue(project, save=saved.append)
        queue.resume(["gone", "second", "first"])
        assert queue.running is not None and queue.running.path == second
        assert [job.path for job in queue.waiting] == [first]
        queue.stop(project.reports / "first")
        await queue.close()

    run_apart(whole())
    assert saved == [("second",), ("second", "first"), ("second",), ()]


@pytest.mark.slow
def test_what_is_stopped_or_dies_keeps_its_blocks_and_is_continued_with_the_same_records(project: Project) -> None:
    # Seconds of play in blocks of a tenth of one: whoever stops it at the first news is early.
    path, short = written(project, agent="alphabeta-4", games=120, block=2), written(project, "short", games=20)

    async def do(queue: Queue) -> None:
        assert folder_status(project.reports / "question").state is FolderState.NOT_BEGUN
        job, other = queue.add(path), queue.add(short)
        assert queue.add(path) is job
        assert (job.state, other.state) == (FolderState.RUNNING, FolderState.QUEUED)
        queue.stop(other.folder)
        assert other.state is FolderState.STOPPED and not queue.waiting
        await until(queue, lambda: job.games > 0)
        during = job.games
        assert during < job.total == 240
        queue.stop(job.folder)
        assert job.phase == "stopping"
        await until(queue, ended(job))
        kept = folder_status(job.folder)
        assert (job.state, kept.state, job.trouble) == (FolderState.STOPPED, FolderState.STOPPED, "")
        assert during <= kept.games < 240

        job, other = queue.add(path), queue.add(short, "ja")
        await until(queue, lambda: job.games > kept.games)
        assert queue._process is not None
        os.kill(queue._process.pid, signal.SIGKILL)
        await until(queue, lambda: queue.running is other)
        assert job.trouble == "Its process was killed (signal 9): for want of memory, perhaps."
        again = queue.add(path)
        await until(queue, ended(again))
        assert (other.state, again.state, again.trouble) == (FolderState.DONE, FolderState.DONE, "")
        assert folder_status(again.folder) == FolderStatus(FolderState.DONE, 240, 240)
        assert (again.folder / "report.html").is_file()
        told = [(each.folder / "report.md").read_text(encoding="utf-8") for each in (again, other)]
        assert "結論" not in told[0] and "結論" in told[1], "in the language of who asked for it"

    in_loop(project, do)
    assert record_bytes(project.reports / "question") == alone(project, path, "alone/question")


def test_the_end_of_the_studio_is_that_of_what_runs(project: Project) -> None:
    path = written(project)

    async def do(queue: Queue) -> None:
        job = queue.add(path)
        await queue.close()
        assert job.state is FolderState.STOPPED and not job.trouble
        assert folder_status(job.folder).state is FolderState.NOT_BEGUN

    in_loop(project, do)


@pytest.mark.thorough
def test_a_run_that_refuses_says_why(project: Project) -> None:
    path = written(project)
    alone(project, path, "reports/question")

    async def do(queue: Queue) -> None:
        path.write_text(path.read_text().replace("block: 10", "block: 10\nseed: 7"))
        job = queue.add(path)
        assert folder_status(project.reports / "question", experiments.load_experiment(path, project)).differs
        await until(queue, ended(job))
        assert job.state is FolderState.STOPPED and "seed: was 0, is now 7" in job.trouble
        path.write_text("title: 3\n")
        with pytest.raises(InputError):
            queue.add(path)

    in_loop(project, do)


def test_a_folder_that_another_process_fills_is_seen(project: Project) -> None:
    path = written(project)
    folder = project.reports / "question"
    folder.mkdir(parents=True)
    with hold_folder_lock(folder):
        assert folder_status(folder).state is FolderState.ELSEWHERE

        async def do(queue: Queue) -> None:
            job = queue.add(path)
            await until(queue, ended(job))
            assert "is in use by another run" in job.trouble
            assert folder_status(folder).state is FolderState.ELSEWHERE

        in_loop(project, do)
    assert folder_status(folder).state is FolderState.NOT_BEGUN


@pytest.mark.thorough
def test_a_folder_tells_its_state_and_damage(project: Project) -> None:
    path = written(project, games=30)
    alone(project, path, "alone")
    folder, asked = project.root / "alone", experiments.load_experiment(path, project)
    assert folder_status(folder) == FolderStatus(FolderState.DONE, 60, 60)
    assert folder_status(folder, asked) == FolderStatus(FolderState.DONE, 60, 60)
    path.write_text(path.read_text().replace("games: 30", "games: 45"))
    more = folder_status(folder, experiments.load_experiment(path, project))
    assert more == FolderStatus(FolderState.STOPPED, 60, 90)
    (trials,) = (folder / "trials").iterdir()
    content = bytearray(trials.read_bytes())
    content[200] ^= 1
    trials.write_bytes(content)
    hurt = folder_status(folder, asked)
    assert hurt.state is FolderState.DAMAGED and str(trials) in hurt.damaged[0]
    (folder / "provenance.json").write_text("{}")
    assert len(folder_status(folder).damaged) == 2


def test_a_job_says_how_far_its_players_have_learned(tmp_path: Path) -> None:
    project = Project(own_project(tmp_path, "star"))
    path = project.experiments / "small.yaml"
    queue = Queue(project)
    job = Job(path, tmp_path, "Small")
    queue._read_message(job, {"phase": "training", "trained": [1, 2], "training_left": 300.0})
    visitor = Visitor("en", "auto")
    assert shelf._phase_text(job, visitor) == "players are learning (1 of 2 done), about 5 min left"
    begun = job.begun
    queue._read_message(job, {"phase": "starting"})
    assert job.begun > begun, "the first result is counted from here on"
