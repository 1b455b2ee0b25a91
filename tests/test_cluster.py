"""What does not depend on the cluster: which calls are under way, who is told what, how blocks are cut; and `--on`."""

from __future__ import annotations

import os
import platform
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests import fake_engine
from tests.patience import WHOLE_RUNS
from tests.report_folders import record_bytes
from workbench.engine.players import Agent, Player
from workbench.errors import InputError
from workbench.files import project
from workbench.questions import experiment
from workbench.questions.cells import Block
from workbench.questions.experiment import Experiment
from workbench.run import cluster as clusters
from workbench.run import cutting, errors, node, places, planning, pool, runner
from workbench.run.cluster import CallDone, CallFailed, ClusterLost, Event, Work, WorkerLost, WorkerNotice
from workbench.run.cutting import BlockCutter
from workbench.run.node import Answer, Call
from workbench.studio import child

ROOT = Path(__file__).resolve().parent.parent
TEXT = """\
title: A test
rulesets: [star/default, star/two-pieces]
agents: [random, greedy]
games: {games}
block: 20
"""


def load(folder: Path, games: int = 100) -> Experiment:
    path = folder / "question.yaml"
    path.write_text(TEXT.format(games=games), encoding="utf-8")
    return experiment.load_experiment(path, project.Project(ROOT))


class Answering:
    """A cluster in this process: calls are answered when they are asked for, in any order."""

    name = "dask:nowhere"

    def __init__(self, workers: int = 3, seed: int = 0, deadly: Sequence[int] = (), again: bool = True) -> None:
        self.workers, self.deadly, self.again = workers, list(deadly), again
        self.random = random.Random(seed)
        self.flying: list[tuple[int, Call, Sequence[Any]]] = []
        self.most = 0
        self.shared: list[bytes] = []
        self.told: list[Event] = []
        self.submitted: list[int] = []

    def size(self) -> int:
        return self.workers

    def upload(self, content: bytes) -> Any:
        self.shared.append(content)
        return content

    def submit(self, number: int, call: Call, contents: Sequence[Any]) -> None:
        self.submitted.append(number)
        self.flying.append((number, call, contents))
        self.most = max(self.most, len(self.flying))

    def wait_for_events(self, seconds: float) -> list[Event]:
        told, self.told = self.told, []
        if told:
            return told
        number, call, contents = self.flying[self.random.randrange(min(len(self.flying), self.workers))]
        if number in self.deadly:
            self.deadly.remove(number)
            self.flying = [each for each in self.flying if each[0] != number or not self.again]
            return [WorkerLost(number, self.again)]
        self.flying = [each for each in self.flying if each[0] != number]
        try:
            return [CallDone(number, node.answer_call(call, contents), "w")]
        except ValueError as error:
            return [CallFailed(number, error)]

    def exclude(self, worker: str) -> bool:
        return False

    def cancel_calls(self) -> None:
        self.flying.clear()

    def close(self) -> None:
        pass


def square(number: int) -> int:
    if number < 0:
        raise ValueError("less than nothing")
    return number * number


def asked(numbers: Sequence[int], versions: dict[str, str] | None = None) -> Iterator[Work]:
    for number in numbers:
        yield Work(number, Call(square, (number,), versions or node.engine_versions(["star"])))


def results(cluster: Answering, calls: Iterator[Work], **options: Any) -> list[tuple[Any, Any]]:
    said: list[str] = options.pop("said", [])
    gives_up = lambda item: errors.Stopped(f"gave up {item}")  # noqa: E731
    return list(clusters.run_calls(cluster, calls, said.append, gives_up, str, **options))


def test_every_call_is_answered_and_few_are_under_way() -> None:
    cluster = Answering(workers=3)
    found = results(cluster, asked(range(200)))
    assert sorted(found) == [(number, number**2) for number in range(200)]
    assert cluster.most == 6


def test_calls_are_made_when_they_are_needed() -> None:
    made: list[int] = []

    def calls() -> Iterator[Work]:
        for work in asked(range(50)):
            made.append(work.item)
            yield work

    found = clusters.run_calls(Answering(workers=2), calls(), print, ValueError, str)
    for count, _ in enumerate(found, 1):
        assert len(made) <= count + 4
    assert len(made) == 50


@pytest.mark.parametrize("again", [True, False])
def test_what_a_worker_died_of_once_is_begun_anew(again: bool) -> None:
    said: list[str] = []
    cluster = Answering(deadly=[7], again=again)
    assert len(results(cluster, asked(range(20)), said=said)) == 20
    assert said == ["A worker died; what it was at is begun anew (7)"]
    # A cluster that repeats it by itself is not given it twice.
    assert cluster.submitted.count(7) == 1 + again


def test_what_two_workers_died_of_is_named() -> None:
    cluster = Answering(deadly=[7, 7])
    with pytest.raises(errors.Stopped, match="gave up 7"):
        results(cluster, asked(range(20)))
    assert not cluster.flying


def test_an_error_ends_it_all() -> None:
    cluster = Answering()
    with pytest.raises(ValueError, match="less than nothing"):
        results(cluster, asked([3, -1, 4]))
    assert not cluster.flying


def test_a_cluster_that_would_play_other_games_is_refused() -> None:
    wanted = node.engine_versions(["star"]) | {"Numba": "0.1", "workbench": "9.9"}
    with pytest.raises(
        ClusterLost, match=r"would play other games than this program \(Numba: .* there, 0\.1 here, work"
    ):
        results(Answering(), asked([1], wanted))


def test_what_workers_tell_is_told_once() -> None:
    said: list[str] = []
    shares: list[tuple[int, str]] = []
    cluster = Answering()
    cluster.told = [
        WorkerNotice(0, node.COMPILING, "n1"),
        WorkerNotice(1, node.COMPILING, "n1"),
        WorkerNotice(1, node.PROGRESS, "0.5"),
    ]
    results(cluster, asked(range(3)), said=said, on_progress=lambda item, share: shares.append((item, share)))
    assert said == ["Preparing the games on n1 (takes a while after an installation)"] and shares == [(1, "0.5")]


def test_without_a_worker_the_user_is_told_and_calls_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "PATIENCE", -1.0)
    said: list[str] = []
    cluster = Answering(workers=1)
    monkeypatch.setattr(cluster, "size", lambda: 0)
    assert len(results(cluster, asked(range(9)), said=said)) == 9
    assert said == ["Waiting for workers of dask:nowhere: there are none at present."] and cluster.most == 4


# A run on it


def fake(**options: Any) -> Any:
    return {"play": fake_engine.play, "opening_texts": fake_engine.opening_texts, **options}


@pytest.mark.thorough
def test_a_run_has_the_same_records_in_other_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    monkeypatch.setattr(cutting, "MIN_BLOCK_SECONDS", 0.0001)
    for seed in range(3):
        outcome = runner.run_experiment(what, tmp_path / f"{seed}", cluster=Answering(seed=seed), **fake())
        assert outcome.played == 400
    runner.run_experiment(what, tmp_path / "here", workers=1, **fake())
    assert all(record_bytes(tmp_path / name) == record_bytes(tmp_path / "here") for name in ("0", "1", "2"))


def test_a_cluster_that_is_gone_keeps_what_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what, cluster = load(tmp_path), Answering()
    monkeypatch.setattr(cutting, "MAX_BLOCK_GAMES", 10)

    def lose(progress: object) -> None:
        def gone(seconds: float) -> list[Event]:
            raise ClusterLost("The scheduler of dask:nowhere is gone, or no longer knows this run.")

        monkeypatch.setattr(cluster, "wait_for_events", gone)

    with pytest.raises(errors.Stopped) as caught:
        runner.run_experiment(
            what, tmp_path / "r", cluster=cluster, command="workbench run x --on y", on_progress=lose, **fake()
        )
    assert str(caught.value).splitlines() == [
        "The scheduler of dask:nowhere is gone, or no longer knows this run.",
        "10 of 400 games are kept. To continue, on the cluster or without --on: workbench run x --on y",
    ]
    assert runner.run_experiment(what, tmp_path / "r", workers=1, **fake()).resumed == 10


def test_a_pilot_is_played_there_and_timed_there(tmp_path: Path) -> None:
    what, cluster = load(tmp_path), Answering(workers=40)
    made = planning.plan_experiment(what, 0.05, cluster=cluster)
    assert made.workers == 40 and len(made.paces) == 2 and len(cluster.submitted) >= 2
    assert all(0 < pace.seconds < 1 and pace.games > 0 for pace in made.paces)


@pytest.mark.thorough
def test_the_studio_plays_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.report.write_report", lambda folder, **how: None)
    shutil.copytree(ROOT / "rulesets" / "star", tmp_path / "rulesets" / "star")
    (tmp_path / "experiments").mkdir()
    monkeypatch.chdir(tmp_path)
    what, cluster = load(tmp_path / "experiments", 30), Answering()
    phases: list[Any] = []

    class Teller:
        def __call__(self, **content: Any) -> None:
            phases.append(content.get("phase"))

        def progress(self, progress: object, last: bool = False) -> None:
            pass

    child._run_experiment(what.path, False, cluster, Teller())  # type: ignore[arg-type]
    runner.run_experiment(what, tmp_path / "here", workers=1)
    assert record_bytes(tmp_path / "reports" / "question") == record_bytes(tmp_path / "here")
    assert phases == ["starting", "starting", "reporting", "done"] and cluster.submitted


# Blocks by their pace


def cut(cutter: BlockCutter, pace: float) -> list[Block]:
    """All blocks, each timed at once."""
    blocks = []
    for block in cutter:
        blocks.append(block)
        cutter.record_time(block, pace * block.count)
    return blocks


def given(what: Experiment, size: int = 20) -> list[Block]:
    cells = what.cells()
    return [Block(cell, at, min(at + size, what.games)) for at in range(0, what.games, size) for cell in cells]


@pytest.mark.parametrize(("pace", "workers"), [(0.001, 8), (0.05, 8), (3.0, 8), (50.0, 2)])
def test_blocks_are_every_game_once_and_last_about_half_a_minute(tmp_path: Path, pace: float, workers: int) -> None:
    what = load(tmp_path, 3_000)
    cutter = BlockCutter(given(what))
    cutter.workers = workers
    blocks = cut(cutter, pace)
    played = sorted((block.cell.index, game) for block in blocks for game in range(block.start, block.stop))
    assert played == [(cell, game) for cell in range(4) for game in range(3_000)]
    whole = 4 * 3_000 * pace
    # While there is enough for all workers, and but for the ends of cells.
    middle = [block for block in blocks if block.start > 4 and block.stop < 2_000]
    if whole > 20 * workers * cutting.BLOCK_SECONDS:
        assert all(10 <= block.count * pace <= 60 for block in middle)
    least = [block.count * pace for block in blocks[:-4]]
    assert min(least) >= min(cutting.MIN_BLOCK_SECONDS, 20 * pace) * 0.6


def test_few_games_are_shared_by_all_workers(tmp_path: Path) -> None:
    what = load(tmp_path, 1_000)
    cutter = BlockCutter(given(what))
    cutter.workers = 10
    blocks = cut(cutter, 0.1)
    lasted = [block.count * 0.1 for block in blocks]
    assert len(blocks) >= 30 and max(lasted) <= 400 / 30 * 1.5 and lasted[-1] < 3


def test_quick_games_come_in_blocks_that_the_driver_can_hold(tmp_path: Path) -> None:
    what = load(tmp_path, 300_000)
    blocks = cut(BlockCutter(given(what, 10_000)), 1e-6)
    assert max(block.count for block in blocks) < 1.5 * cutting.MAX_BLOCK_GAMES and len(blocks) >= 60


def test_what_is_on_disk_is_not_played_again(tmp_path: Path) -> None:
    what = load(tmp_path)
    cell = what.cells()[0]
    blocks = cut(
        BlockCutter([Block(cell, 0, 20), Block(cell, 20, 33), Block(cell, 60, 80), Block(cell, 80, 100)]), 0.001
    )
    assert sorted(game for block in blocks for game in range(block.start, block.stop)) == [*range(33), *range(60, 100)]


# A worker


def test_what_a_player_plays_by_travels_with_the_call(tmp_path: Path) -> None:
    book = tmp_path / "book.npz"
    book.write_bytes(b"solution")
    plain = Player(Agent(0, 0, 0.0, 0.0, 0), (1.0,))
    player = plain._replace(solution=str(book))
    assert [*pool.solution_files((1, (plain, (player, 0.9))))] == [str(book)]
    call = Call(read, ((plain, player),), {}, files=(str(book),))
    content = book.read_bytes()
    book.unlink()
    assert node.answer_call(call, [content]).value == b"solution"
    cluster = Answering()
    book.write_bytes(content)
    results(cluster, iter([Work(number, call) for number in range(9)]))
    assert cluster.shared == [b"solution"]


def read(players: tuple[Player, Player]) -> bytes:
    assert not players[0].solution
    return Path(players[1].solution).read_bytes()


def test_machine_code_is_made_once_by_one_process_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.engine import jit

    made: list[str] = []
    told: list[str] = []
    monkeypatch.setattr(jit, "CACHE", tmp_path)
    monkeypatch.setattr(jit, "must_compile", lambda functions, families: not made)
    monkeypatch.setattr(node, "_COMPILED", set())
    preparation = node.Preparation(("trials._play_block",), "star", made.append, ("star",))
    threads = [
        threading.Thread(target=node.ensure_compiled, args=(preparation, lambda: told.append("node"))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["star"] and told == ["node"]
    node.ensure_compiled(preparation._replace(family="chess"), lambda: told.append("chess"))
    assert made == ["star", "star"] and told == ["node"]


def test_a_worker_needs_the_compiled_world_only() -> None:
    code = "import sys, workbench.run.node, workbench.run.worker; print(*sys.modules)"
    completed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"pandas", "pyarrow", "yaml", "rich", "distributed", "numba"} & set(completed.stdout.split())


def test_a_worker_names_what_it_would_play_otherwise() -> None:
    wanted = node.engine_versions(["star", "chess"])
    assert set(wanted) == {"workbench", "Numba", "star", "chess"}
    assert node.version_differences(wanted) == ()
    assert node.answer_call(Call(os.abort, (), wanted | {"star": "0"})) == Answer(
        platform.node(), differences=(f"engine of star: {wanted['star']} there, 0 here",)
    )


# --on


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("dask", "did you mean dask:local?"),
        ("dask:host:8786", "did you mean dask:tcp://host:8786?"),
        ("host:8786", "did you mean dask:tcp://host:8786?"),
        ("tcp://host:8786", "did you mean dask:tcp://host:8786?"),
        ("dask:tcp://host", ""),
        ("spark:local", ""),
        ("ray:auto", ""),
        ("Dask:local", ""),
        ("dask:tcp://a b:1", ""),
    ],
)
def test_what_is_no_cluster_is_told_with_what_is_expected(text: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        places.parse_cluster_address(text)
    said = str(caught.value)
    assert said.startswith("--on: expected a Dask cluster: dask:local, dask:tcp://HOST:PORT, or dask:FILE.json")
    assert f"found '{text}'" in said
    assert said.endswith(f"({hint})") if hint else said.endswith(f"'{text}'")


def test_what_is_not_installed_is_told_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError) as caught:
        places.parse_cluster_address("dask:local")
    assert str(caught.value) == "--on: Dask is not installed here (to install it: pip install 'rule-workbench[dask]')"


def test_without_a_place_it_is_this_machine() -> None:
    with places.open_cluster(None, 3) as cluster:
        assert cluster is None


def test_a_cluster_of_others_has_its_own_workers() -> None:
    pytest.importorskip("distributed")
    with (
        pytest.raises(InputError, match="--workers: expected no number of workers"),
        places.open_cluster("dask:tcp://host:8786", 3),
    ):
        pass


def test_a_scheduler_that_does_not_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    from workbench.run import cluster_dask

    monkeypatch.setattr(cluster_dask, "CONNECT_TIMEOUT", 0.3)
    for text, said in (
        ("dask:tcp://127.0.0.1:9", r"no Dask scheduler answers at tcp://127\.0\.0\.1:9 \(.*\) \(dask scheduler starts"),
        (f"dask:{tmp_path}/none.json", r"there is no file .*/none\.json"),
    ):
        with pytest.raises(InputError, match=said), places.open_cluster(text):
            pass


LOSING = """
import contextlib, signal, subprocess, sys, time
from pathlib import Path
from workbench.run import cluster_dask
from workbench.run.cluster import ClusterLost

cluster_dask.CONNECT_TIMEOUT = 60.0
file = Path(sys.argv[1])
command = [sys.executable, "-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
scheduler = subprocess.Popen([*command, "--scheduler-file", str(file)], stderr=subprocess.DEVNULL)
while not file.exists():
    time.sleep(0.1)
cluster = cluster_dask.connect_dask(str(file), "dask:here", None)
scheduler.kill()
with contextlib.suppress(ClusterLost):
    while True:
        cluster.wait_for_events(0.2)
print("lost")
cluster.close()
"""


@pytest.mark.slow
def test_a_scheduler_that_is_gone_is_told_by_the_run_alone(tmp_path: Path) -> None:
    """And by no library's traceback before it."""
    pytest.importorskip("distributed")
    command = [sys.executable, "-c", LOSING, str(tmp_path / "scheduler.json")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=WHOLE_RUNS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "lost\n", "")
