"""The studio's pages of experiments, in Chromium: the list, the making of one, its cost, its run; and the queue."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.patience import PATIENCE
from tests.report_folders import record_bytes, run, stop_after
from tests.studio import DESK, ROOT, Studio, WorkersHere, opened, own_project, page_of, run_apart, store_of
from workbench.base.project import Project
from workbench.experiments import experiment
from workbench.games.results import BY_POINTS
from workbench.runs import progress, runner
from workbench.runs.progress import FolderState, FolderStatus, folder_status, hold_folder_lock
from workbench.studio import runs
from workbench.studio.interim_report import live_results
from workbench.studio.jobs import Job, Queue
from workbench.studio.visitor import Visitor

TEXT = "title: {title}\nrulesets: [star/two-pieces, star/4x4]\nagents: [random, greedy]\ngames: 40\nblock: 5\nseed: 3\n"


def write(project: Path, name: str, title: str = "A small question") -> None:
    path = project / "experiments" / f"{name}.yaml"
    path.write_text(TEXT.format(title=json.dumps(title)), encoding="utf-8")


def played(project: Path, name: str, games: int = 1000) -> Path:
    """The folder of an experiment of which so many games were played, by an engine that takes no time."""
    folder = project / "reports" / name
    what = experiment.load_experiment(project / "experiments" / f"{name}.yaml", Project(project))
    with suppress(progress.RunInterrupted):
        run(what, folder, on_progress=stop_after(games))
    return folder


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    project = own_project(tmp_path_factory.mktemp("mine"), "star")
    write(project, "tiny")
    with opened(project) as studio:
        yield studio


@contextmanager
def visit(chromium: Browser, studio: Studio, path: str = "/answers", **options: Any) -> Iterator[Page]:
    with page_of(chromium, studio, path, **{"viewport": DESK} | options) as page:
        page.wait_for_selector("#main")
        yield page


def test_games_count_up_to_the_first_that_is_missing(tmp_path: Path) -> None:
    project = own_project(tmp_path, "star")
    write(project, "whole")
    folder = played(project, "whole", games=100)
    blocks = sorted((folder / "trials").iterdir())
    games = pd.read_parquet(blocks[0])
    cell = [games[name][0] for name in ("ruleset", "first", "second")]
    told = live_results(folder)
    assert sum(map(sum, told.values())) >= 100
    of_cell = pd.concat([pd.read_parquet(path) for path in blocks if path.stem.startswith(blocks[0].stem[:16])])
    assert told[tuple(cell)] == tuple((of_cell["result"] == name).sum() for name in BY_POINTS)
    # Without its first block nothing of a cell counts; damage costs what is behind it.
    blocks[0].unlink()
    assert tuple(cell) not in live_results(folder)
    second = next(path for path in blocks if path.stem[:16] != blocks[0].stem[:16] and "-00000005-" in path.stem)
    second.write_bytes(b"PAR1")
    assert min(map(sum, live_results(folder).values())) == 5
    assert {*map(sum, live_results(played(project, "whole")).values())} == {40}


def test_all_experiments_and_reports_are_listed_with_what_they_answer(project: Project) -> None:
    shutil.copy(ROOT / "experiments" / "star.yaml", project.experiments)
    write(project.root, "zeta")
    shutil.copytree(ROOT / "tests" / "data" / "sample", project.reports / "sample")
    names = runs.list_names(project)
    assert set(names) == {"zeta", "star", "sample"}
    entries = runs.load_runs(project, names)
    assert "None of the 6 proposals looks fairer" in entries["sample"].answer and entries["zeta"].answer == ""
    (project.rulesets / "star" / "zoo.yaml").write_text(
        "game: star\nextends: default\ntitle: x\nrules:\n  stuck: draw\n"
    )
    assert store_of(project).family_rulesets("star")[0].name == "star/zoo"


def test_every_experiment_is_listed_with_how_far_it_is(tmp_path: Path) -> None:
    project = own_project(tmp_path, "star")
    for name in ("fresh", "half", "cut"):
        write(project, name)
    played(project, "half", games=80)
    (cut,) = (played(project, "cut") / "trials").iterdir()
    cut.write_bytes(cut.read_bytes()[:-50])
    (project / "experiments" / "broken.yaml").write_text("title: Broken\nrulesets: [star/nope]\ngames: many\n")
    shutil.copytree(ROOT / "tests" / "data" / "sample", project / "reports" / "gone")
    workers: Any = WorkersHere()
    shelf = runs.Runs(Project(project), Queue(Project(project)), workers)
    run_apart(shelf.refresh())
    views = {view["name"]: view for view in shelf.rows(Visitor("en", "auto"))}
    assert [(name, views[name]["told"], views[name]["can"]) for name in ("fresh", "cut", "gone")] == [
        ("fresh", "not begun", "play"), ("cut", "damaged", "mend"), ("gone", "done", ""),
    ]  # fmt: skip
    assert views["fresh"]["games"] == "0 of at most 160 games" and views["gone"]["page"] and not views["gone"]["url"]
    count = int(views["half"]["games"].split()[0])
    assert 80 <= count < 160 and views["half"]["told"] == f"{100 * count // 160} % played"
    assert views["half"]["can"] == "continue" and "/trials/" in views["cut"]["notes"][0]
    assert "found 'star/nope'" in " ".join(views["broken"]["notes"]) and views["broken"]["can"] == ""


# The run


@pytest.mark.thorough
def test_a_run_is_queued_watched_and_its_report_opens(chromium: Browser, studio: Studio) -> None:
    with visit(chromium, studio, "/report/tiny") as page:
        page.click("[data-do=play]")
        page.wait_for_selector(".report-view .lead")
        page.emulate_media(media="print")
        expect(page.locator(".report-view .lead")).to_be_visible()
    with visit(chromium, studio) as page:
        row = page.locator("[data-report=tiny]")
        expect(row).to_have_attribute("data-state", "done")
        expect(row.locator("h2 a")).to_have_attribute("href", "/report/tiny")


# The queue


EXPERIMENT = "title: A question\nrulesets: [star/4x4, star/5x5]\nagents: [{agent}]\ngames: {games}\nblock: {block}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(own_project(tmp_path, "star"))
    return Project(tmp_path)


def written(project: Project, name: str = "question", agent: str = "greedy", games: int = 60, block: int = 10) -> Path:
    path = project.experiments / f"{name}.yaml"
    path.write_text(EXPERIMENT.format(agent=agent, games=games, block=block))
    return path


def alone(project: Project, path: Path, folder: str) -> dict[str, bytes]:
    runner.run_experiment(experiment.load_experiment(path, project), project.root / folder)
    return record_bytes(project.root / folder)


def in_loop(project: Project, do: Callable[[Queue], Awaitable[None]]) -> None:
    async def whole() -> None:
        queue = Queue(project)
        try:
            await asyncio.wait_for(do(queue), PATIENCE)
        finally:
            await queue.close()

    run_apart(whole())


async def holds(queue: Queue, condition: Callable[[], bool]) -> None:
    changed = asyncio.Event()
    queue.listeners.append(changed.set)
    while not condition():
        changed.clear()
        await changed.wait()
    queue.listeners.remove(changed.set)


def ended(job: Job) -> Callable[[], bool]:
    return lambda: not job.active


def test_what_is_still_to_be_played_is_saved_at_each_change_and_taken_up(project: Project) -> None:
    for name in ("first", "second", "third"):
        written(project, name, games=20)
    saved: list[tuple[str, ...]] = []

    async def whole() -> None:
        queue = Queue(project, save=saved.append)
        queue.resume(["gone", "second", "first"])
        assert queue.running is not None and queue.running.name == "second"
        assert [job.name for job in queue.waiting] == ["first"]
        queue.add("third")
        assert [job.name for job in queue.waiting] == ["first", "third"]
        queue.stop("third")
        queue.stop("first")
        await queue.close()

    run_apart(whole())
    ones = [("second",), ("second", "first")]
    assert saved == [*ones, ("second", "first", "third"), ones[1], ones[0], ()]


@pytest.mark.slow
def test_what_is_stopped_or_dies_keeps_its_blocks_and_is_continued_with_the_same_records(project: Project) -> None:
    # Seconds of play in blocks of a tenth of one: whoever stops it at the first news is early.
    path = written(project, agent="alphabeta-4", games=120, block=2)
    written(project, "short", games=20)

    async def do(queue: Queue) -> None:
        assert folder_status(project.reports / "question").state is FolderState.NOT_BEGUN
        job, other = queue.add("question"), queue.add("short")
        assert queue.add("question") is job
        assert (job.state, other.state) == (FolderState.RUNNING, FolderState.QUEUED)
        queue.stop("short")
        assert other.state is FolderState.STOPPED and not queue.waiting
        await holds(queue, lambda: job.games > 0)
        during = job.games
        assert during < job.total == 240
        queue.stop("question")
        assert job.phase == "stopping"
        await holds(queue, ended(job))
        kept = folder_status(project.reports / "question")
        assert (job.state, kept.state, job.trouble) == (FolderState.STOPPED, FolderState.STOPPED, "")
        assert during <= kept.games < 240

        job, other = queue.add("question"), queue.add("short", "ja")
        await holds(queue, lambda: job.games > kept.games)
        assert queue._process is not None
        os.kill(queue._process.pid, signal.SIGKILL)
        await holds(queue, lambda: queue.running is other)
        assert job.trouble == "Its process was killed (signal 9), perhaps due to lack of memory."
        again = queue.add("question")
        await holds(queue, ended(again))
        assert (other.state, again.state, again.trouble) == (FolderState.DONE, FolderState.DONE, "")
        assert folder_status(project.reports / "question") == FolderStatus(FolderState.DONE, 240, 240)
        assert (project.reports / "question" / "report.html").is_file()
        told = [(project.reports / name / "report.md").read_text(encoding="utf-8") for name in ("question", "short")]
        assert "結論" not in told[0] and "結論" in told[1], "in the language of who asked for it"

    in_loop(project, do)
    assert record_bytes(project.reports / "question") == alone(project, path, "alone/question")


def test_a_folder_that_another_process_fills_is_seen(project: Project) -> None:
    written(project)
    folder = project.reports / "question"
    folder.mkdir(parents=True)

    async def do(queue: Queue) -> None:
        job = queue.add("question")
        await holds(queue, ended(job))
        assert "is in use by another run" in job.trouble

    with hold_folder_lock(folder):
        in_loop(project, do)
        assert folder_status(folder).state is FolderState.ELSEWHERE
    assert folder_status(folder).state is FolderState.NOT_BEGUN
