"""Calls come out the same in processes of this machine and on a real cluster of Dask, whatever happens to workers."""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests import fake_engine
from tests.patience import PATIENCE
from tests.report_folders import record_bytes
from workbench.base import project
from workbench.base.errors import InputError
from workbench.engine.players import Agent, Player
from workbench.experiments import experiment
from workbench.experiments.experiment import Block, Experiment
from workbench.experiments.experiment_files import DrawnLines
from workbench.players import trainer
from workbench.players.trainer import Budget
from workbench.runs import executor, planning, runner, training, worker
from workbench.runs.executor import Executor, open_executor, parse_cluster_address
from workbench.runs.progress import Progress
from workbench.runs.worker import Call, Preparation

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
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(**options) as cluster:
        yield cluster


@pytest.fixture
def dask(cluster: Any) -> Iterator[Executor]:
    with open_executor(f"dask:{cluster.scheduler_address}") as dask:
        # A test before may have ended one, which comes back later on a busy machine.
        dask.client.wait_for_workers(2, timeout=PATIENCE)  # type: ignore[attr-defined]
        yield dask


@pytest.fixture(params=["here", "dask"])
def two(request: pytest.FixtureRequest) -> Executor:
    """Two workers, of this machine or of the cluster."""
    return Executor(2) if request.param == "here" else request.getfixturevalue("dask")


@pytest.fixture
def what(tmp_path: Path) -> Experiment:
    path = tmp_path / "question.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return experiment.load_experiment(path, project.Project(ROOT))


def fake(what: Experiment, **options: Any) -> Any:
    """A run's options for the engine without a game, which knows no openings."""
    return {"play": functools.partial(fake_engine.play, **options), "opening_texts": fake_engine.opening_texts}


def square(number: int, flags: str = "") -> int:
    """The square; 99 kills the worker, only once if there is a folder for its mark."""
    if number < 0:
        raise ValueError("less than nothing")
    if number == 99 and not (flags and (Path(flags) / "99").exists()):
        if flags:
            (Path(flags) / "99").touch()
        os._exit(1)
    time.sleep(0.01)
    return number * number


def squares(two: Executor, numbers: Sequence[int], flags: str = "", said: Sequence[str] = ()) -> dict[int, int]:
    say = said.append if isinstance(said, list) else print
    return dict(two.as_completed(numbers, lambda number: Call(square, (number, flags), f"number {number}"), say))


def test_every_call_is_made_when_it_is_needed_and_answered(two: Executor) -> None:
    made: list[int] = []

    def call(number: int) -> Call:
        made.append(number)
        return Call(square, (number,), "")

    found = {}
    for number, value in two.as_completed(range(30), call):
        found[number] = value
        assert len(made) <= len(found) + max(2 * 2, executor.MIN_CALLS_IN_FLIGHT)
    assert found == {number: number**2 for number in range(30)} and made == [*range(30)]


@pytest.mark.thorough
def test_an_error_ends_it_all(two: Executor) -> None:
    with pytest.raises(ValueError, match="less than nothing"):
        squares(two, [3, -1, 4])
    assert squares(two, range(3)) == {0: 0, 1: 1, 2: 4}


@pytest.mark.thorough
def test_what_a_worker_died_of_once_is_begun_anew(two: Executor, tmp_path: Path) -> None:
    said: list[str] = []
    assert len(squares(two, [*range(19), 99], str(tmp_path), said)) == 20 and (tmp_path / "99").exists()
    if not two.remote:
        assert len(said) == 1 and said[0].startswith("A worker died; restarting its work (")


def test_one_worker_or_one_call_is_this_process() -> None:
    for alone, numbers in ((Executor(1), range(3)), (Executor(2), range(1))):
        calls = alone.as_completed(numbers, lambda number: Call(os.getpid, (), ""))
        assert {process for _, process in calls} == {os.getpid()}


@pytest.mark.thorough
def test_the_records_are_those_of_one_process(what: Experiment, tmp_path: Path, two: Executor) -> None:
    what = replace(what, openings=DrawnLines(2, 20))
    runner.run_experiment(what, tmp_path / "one", workers=1)
    seen: list[Progress] = []
    options: Any = {"executor": two, "on_progress": lambda progress: seen.append(replace(progress))}
    outcome = runner.run_experiment(what, tmp_path / "two", **options)
    assert outcome.played == 800 and record_bytes(tmp_path / "two") == record_bytes(tmp_path / "one")
    assert len(seen) >= 8 and seen[-1].done == 800 and 1 <= seen[-1].workers <= 2


@pytest.mark.thorough
def test_a_block_that_kills_is_named_and_the_run_goes_on(what: Experiment, tmp_path: Path, two: Executor) -> None:
    deadly = fake_engine.deadly_game(what, 3, 150)
    with pytest.raises(executor.Stopped) as caught:
        runner.run_experiment(what, tmp_path / "r", executor=two, **fake(what, deadly=deadly, delay=0.05))
    said = str(caught.value)
    assert said.startswith("Workers repeatedly died during star/two-pieces, alphabeta-2 – alphabeta-2")
    assert "of 800 games are saved. To continue: workbench run" in said
    again = runner.run_experiment(what, tmp_path / "r", workers=1, **fake(what))
    assert 0 < again.resumed < 800 == again.resumed + again.played
    runner.run_experiment(what, tmp_path / "whole", workers=1, **fake(what))
    assert record_bytes(tmp_path / "r") == record_bytes(tmp_path / "whole")


def test_workers_with_another_engine_play_nothing(
    what: Experiment, tmp_path: Path, dask: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = lambda families: worker.engine_versions(families) | {"star": "0123456789abcdef"}  # noqa: E731
    monkeypatch.setattr(executor, "engine_versions", others)
    with pytest.raises(executor.Stopped) as caught:
        runner.run_experiment(what, tmp_path / "r", executor=dask, **fake(what))
    said = str(caught.value)
    assert "would not play the same games as this program (engine of star: " in said and "0123456789abcdef here" in said
    assert said.endswith(f"0 of 800 games are saved. To continue: workbench run {what.path}")


@pytest.mark.thorough
def test_a_training_learns_there_what_it_learns_here(
    tmp_path: Path, what: Experiment, dask: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "default_budget", lambda ruleset: Budget(1_000, rounds=2, positions=1_000, match=4))
    wanted = [training.Training(what.rulesets[0], seed) for seed in (1, 2)]
    written, told = [], []
    for where, crew in (("one", Executor(1)), ("two", Executor(2)), ("dask", dask)):
        training.run_trainings(
            wanted, project.Project(tmp_path / where), say=lambda line: None, executor=crew,
            on_progress=lambda done, total, left: told.append((done, total, left is None)),
        )  # fmt: skip
        written.append({path.name: path.read_bytes() for path in (tmp_path / where).rglob("*.json")})
    assert len(written[0]) == 2 and written[0] == written[1] == written[2]
    assert told == 3 * [(0, 2, True), (1, 2, False), (2, 2, False)]


def test_a_pilot_is_played_and_timed_there(what: Experiment, dask: Executor) -> None:
    made = planning.plan_experiment(what, 0.05, dask)
    assert made.workers == 2 and len(made.paces) == 2
    assert all(0 < pace.seconds < 1 and pace.games > 0 for pace in made.paces)


@pytest.mark.thorough
def test_a_scheduler_that_is_gone_is_told_and_the_games_are_kept(what: Experiment, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with contextlib.ExitStack() as stack:
        own = stack.enter_context(
            distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=50,
                                     processes=False, protocol="tcp")
        )  # fmt: skip
        dask = stack.enter_context(open_executor(f"dask:{own.scheduler_address}"))

        def stop(progress: Progress) -> None:
            if progress.played >= 40:
                own.close()

        with pytest.raises(executor.Stopped, match=r"(?s)The scheduler of dask:.* is gone.*of 800 games are saved"):
            runner.run_experiment(what, tmp_path / "r", executor=dask, on_progress=stop, **fake(what, delay=0.05))
    outcome = runner.run_experiment(what, tmp_path / "r", workers=1, **fake(what))
    assert outcome.resumed >= 40 and outcome.resumed + outcome.played == 800


def test_blocks_for_a_cluster_are_every_game_once(what: Experiment, dask: Executor) -> None:
    cells = what.cells()
    given = [Block(cell, at, at + 10) for at in [*range(0, 2000, 10), 3000] for cell in cells]
    assert runner.join_blocks(given, Executor(2)) == given
    joined = runner.join_blocks(given, dask)
    spans = [[(block.cell.index, range(block.start, block.stop)) for block in some] for some in (given, joined)]
    played = [sorted((cell, game) for cell, span in some for game in span) for some in spans]
    assert played[0] == played[1] and max(block.count for block in joined) == 300
    few = given[:16]
    assert runner.join_blocks(few, dask) == [Block(cell, at, at + 20) for at in (0, 20) for cell in cells]


def test_what_a_player_plays_by_travels_with_the_call(tmp_path: Path, dask: Executor) -> None:
    book = tmp_path / "book.npz"
    book.write_bytes(b"solution")
    plain = Player(Agent(0, 0, 0.0, 0.0, 0), (1.0,))
    player = plain._replace(solution=str(book))
    assert runner.solution_files((1, (plain, (player, 0.9)))) == (str(book),)
    calls = dask.as_completed(range(3), lambda _: Call(read, ((plain, player),), "", files=(str(book),)))
    assert {value for _, value in calls} == {(b"solution", False)}


def read(players: tuple[Player, Player]) -> tuple[bytes, bool]:
    assert not players[0].solution
    return Path(players[1].solution).read_bytes(), players[1].solution.endswith("book.npz")


def test_machine_code_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.engine import jit

    made: list[str] = []
    monkeypatch.setattr(jit, "CACHE", tmp_path)
    monkeypatch.setattr(jit, "must_compile", lambda functions, families: not made)
    monkeypatch.setattr(worker, "_COMPILED", set())
    preparation = Preparation(("trials._play_block",), "star", made.append, ("star",))
    threads = [threading.Thread(target=worker.ensure_compiled, args=(preparation,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["star"]
    worker.ensure_compiled(preparation._replace(family="chess"))
    assert made == ["star", "star"]


@pytest.mark.parametrize(
    ("text", "hint"),
    [("dask", "did you mean dask:local?"), ("dask:host:8786", "did you mean dask:tcp://host:8786?"),
     ("host:8786", "did you mean dask:tcp://host:8786?"), ("tcp://host:8786", "did you mean dask:tcp://host:8786?"),
     ("spark:local", ""), ("dask:tcp://a b:1", "")],
)  # fmt: skip
def test_what_is_no_cluster_is_told_with_what_is_expected(text: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_cluster_address(text)
    said = str(caught.value)
    assert said.startswith("--on: expected a Dask cluster: dask:local, dask:tcp://HOST:PORT, or dask:FILE.json")
    assert f"found '{text}'" in said
    assert said.endswith(f"({hint})") if hint else said.endswith(f"'{text}'")


@pytest.mark.thorough
def test_what_is_not_installed_is_told_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError) as caught:
        parse_cluster_address("dask:local")
    assert str(caught.value) == "--on: Dask is not installed here (to install it: pip install 'rule-workbench[dask]')"


@pytest.mark.thorough
def test_a_scheduler_that_does_not_answer_or_has_workers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(executor, "CONNECT_TIMEOUT", 0.3)
    for text, workers, said in (
        ("dask:tcp://127.0.0.1:9", None, r"no Dask scheduler responds at tcp://127.* \(.*\) \('dask scheduler' s"),
        (f"dask:{tmp_path}/none.json", None, r"there is no file .*/none\.json"),
        ("dask:tcp://host:8786", 3, "--workers: expected no number of workers"),
    ):
        with pytest.raises(InputError, match=said), open_executor(text, workers):
            pass
