"""A run gives the same records whatever happens to it, and never loses or mixes up games."""

from __future__ import annotations

import contextlib
import csv
import functools
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import workbench as wb
from tests import fake_engine, few, report_folders
from tests.patience import PATIENCE
from tests.report_folders import partly, record_bytes, run, stop_after
from workbench import games, report
from workbench.base.errors import display_path
from workbench.engine import trials as engine
from workbench.engine.players import BlockArguments
from workbench.experiments.experiment import Block, Experiment
from workbench.games import results
from workbench.records import records
from workbench.runs import executor, progress, runner
from workbench.runs.progress import Clock, Progress
from workbench.runs.worker import PlayBlock, Preparation
from workbench.statistics import AnalysisPlan
from workbench.studio.interim_report import live_results

Load = Callable[..., Experiment]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    return functools.partial(report_folders.load, tmp_path, block=14)


def start(what: Experiment, folder: Path, workers: int, seconds: float) -> subprocess.Popen[str]:
    """The same run as a program of its own process group, as a shell would start it."""
    path = folder.parent / "project" / "experiments" / "test.yaml"
    assert what.name == path.stem
    command = [sys.executable, "-m", "tests.fake_engine", str(path), str(folder), str(workers), str(seconds)]
    root = Path(__file__).parent.parent
    return subprocess.Popen(command, cwd=root, start_new_session=True, stderr=subprocess.PIPE, text=True)


def wait_for_blocks(process: subprocess.Popen[str], folder: Path, count: int) -> None:
    limit = time.monotonic() + PATIENCE
    while len([*folder.glob("trials/*.parquet")]) < count:
        assert process.poll() is None and time.monotonic() < limit, "the run ended before it could be stopped"
        time.sleep(0.01)


def test_one_row_a_game_in_canonical_order(load: Load, tmp_path: Path) -> None:
    what = load()
    outcome = run(what, tmp_path / "r")
    assert (outcome.total, outcome.resumed, outcome.played, outcome.notes) == (160, 0, 160, ())
    table = pd.read_parquet(outcome.trials)
    events = [f"event_{event.name}" for event in games.declaration("chatra").events]
    traced = ["evaluation_by_ply", "legal_moves_by_ply"]
    assert list(table.columns) == [*(column.name for column in records.COLUMNS), *events, *traced]
    assert table["cell"].tolist() == [cell for cell in range(4) for _ in range(40)]
    assert table["game"].tolist() == list(range(40)) * 4
    for cell in what.cells():
        part = table[table["cell"] == cell.index]
        assert part["seed"].tolist() == what.seeds(cell, 0, 40).tolist()
        assert set(part["ruleset"]) == {cell.ruleset.name} and set(part["fingerprint"]) == {cell.ruleset.fingerprint}
        assert set(part["first"]) == set(part["second"]) == {cell.first.label}
        assert set(part["experiment"]) == {"test"}
    assert set(table["result"]) == {"first", "second", "draw", "unfinished"}
    assert ((table["result"] == "unfinished") == (table["termination"] == "cap")).all()
    assert [len(text.split()) for text in table["opening"]] == table["plies"].clip(upper=6).tolist()
    (path,) = outcome.trials.iterdir()
    assert set(pq.read_schema(path).metadata) == {b"workbench"}, "no dates and no pandas index"


def test_same_bytes_for_any_number_of_workers_and_any_block(load: Load, tmp_path: Path) -> None:
    for workers, block in ((1, "7"), (2, "11"), (4, "7"), (1, None)):
        run(load(block=block), tmp_path / f"{workers}{block}", workers)
        assert record_bytes(tmp_path / f"{workers}{block}") == record_bytes(tmp_path / "17")


@pytest.mark.thorough
def test_many_files_hold_the_rows_of_one(load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(load(), tmp_path / "one")
    monkeypatch.setattr(records, "GAMES_PER_FILE", 16)
    for block in ("7", "40", "16"):
        run(load(block=block), tmp_path / block)
        report.write_report(tmp_path / block)
    report.write_report(tmp_path / "one")
    assert record_bytes(tmp_path / "7") == record_bytes(tmp_path / "40") == record_bytes(tmp_path / "16")
    assert len(record_bytes(tmp_path / "7")) == 10 and len(record_bytes(tmp_path / "one")) == 1
    pd.testing.assert_frame_equal(wb.load(tmp_path / "7"), wb.load(tmp_path / "one"))
    assert live_results(tmp_path / "7") == live_results(tmp_path / "one")
    for name in ("summary.csv", "tables/openings.csv"):
        assert (tmp_path / "7" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()


def test_cells_advance_together(load: Load, tmp_path: Path) -> None:
    partly(load(block="7"), tmp_path / "r", games=4 * 14)
    kept = sorted(path.stem.split("-")[1] for path in (tmp_path / "r" / "trials").iterdir())
    assert kept == ["00000000"] * 4 + ["00000007"] * 4


@pytest.mark.thorough
def test_kill_and_resume_give_the_same_bytes(load: Load, tmp_path: Path) -> None:
    what = load()
    run(what, tmp_path / "whole")
    process = start(what, tmp_path / "killed", workers=2, seconds=0.15)
    try:
        wait_for_blocks(process, tmp_path / "killed", 5)
    finally:
        process.kill()
        # The workers go too; loky's resource tracker ignores SIGTERM and clears up after them.
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate()
    outcome = run(what, tmp_path / "killed")
    assert outcome.resumed >= 5 * 12 and outcome.resumed + outcome.played == 160
    assert record_bytes(tmp_path / "killed") == record_bytes(tmp_path / "whole")


def living(group: int) -> list[str]:
    """The processes of a group that are not zombies."""
    listed = subprocess.run(["ps", "-A", "-o", "pgid=,stat=,pid=,args="], capture_output=True, text=True, check=True)
    rows = [line.split(maxsplit=3) for line in listed.stdout.splitlines()]
    return [" ".join(row[2:]) for row in rows if row[0] == str(group) and not row[1].startswith("Z")]


def shared_memory(process: int) -> list[str]:
    place = Path("/dev/shm")
    return [path.name for path in place.glob("*") if re.search(rf"[-_]{process}[-_]", path.name)]


@pytest.mark.thorough
def test_workers_end_soon_after_their_parent_was_killed_and_free_shared_memory(load: Load, tmp_path: Path) -> None:
    process = start(load(), tmp_path / "r", workers=2, seconds=0.15)
    try:
        wait_for_blocks(process, tmp_path / "r", 3)
        assert len(living(process.pid)) >= 3
        assert shared_memory(process.pid) or sys.platform != "linux"
        process.kill()
        process.wait()
        limit = time.monotonic() + PATIENCE
        while left := living(process.pid):
            assert time.monotonic() < limit, left
            time.sleep(0.1)
        assert not shared_memory(process.pid)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("workers", "number"),
    few.first(1, [(1, signal.SIGTERM), (2, signal.SIGINT), (1, signal.SIGINT), (2, signal.SIGTERM)]),
)
def test_ctrl_c_and_term_stop_cleanly(load: Load, tmp_path: Path, workers: int, number: signal.Signals) -> None:
    what = load()
    process = start(what, tmp_path / "r", workers, seconds=0.15)
    try:
        wait_for_blocks(process, tmp_path / "r", 3)
        if number == signal.SIGINT:  # a terminal sends it to all, a service manager to the one it knows
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        _, said = process.communicate(timeout=PATIENCE)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert process.returncode == 3, said
    assert said.startswith("Stopped. ") and "of 160 games are saved. To continue: workbench run " in said
    assert len(said.splitlines()) == 1
    kept = int(said.split()[1])
    assert run(what, tmp_path / "r").resumed == kept > 0


def test_ctrl_c_while_merging_keeps_all_games(load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load()
    run(what, tmp_path / "whole")

    def press(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(records, "with_constant_columns", press)
        with pytest.raises(progress.RunInterrupted) as caught:
            run(what, tmp_path / "r")
    assert caught.value.kept == 160
    assert run(what, tmp_path / "r").played == 0
    assert record_bytes(tmp_path / "r") == record_bytes(tmp_path / "whole")


@pytest.mark.thorough
def test_after_two_deaths_there_are_fewer_workers(load: Load, tmp_path: Path) -> None:
    what = load()
    deadly, texts = fake_engine.deadly_game(what, 1, 20), fake_engine.opening_texts
    play = functools.partial(fake_engine.play, deadly=deadly, delay=0.02)
    console = Console(file=io.StringIO(), width=200)
    with pytest.raises(executor.Stopped, match="repeatedly died"):
        runner.run_experiment(what, tmp_path / "r", workers=5, console=console, play=play, opening_texts=texts)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert said.count("A worker died; restarting its work") == 2
    assert said.count("Continuing with 2 workers, which need less memory.") == 1


@pytest.mark.parametrize(("workers", "missing", "prepared"), [(2, False, 0), (2, True, 1), (1, False, 1)])
def test_machine_code_that_is_there_is_loaded_by_those_who_play(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int, missing: bool, prepared: int
) -> None:
    families: list[str] = []
    apart: list[int] = []
    monkeypatch.setattr(Preparation, "is_missing", lambda self: missing)
    monkeypatch.setattr(runner, "compile_in_parallel", lambda needed, processes, done: apart.append(processes))
    monkeypatch.setattr(engine, "warm_up", lambda game, *_: families.append(game))
    monkeypatch.setattr(engine, "run_block", fake_engine.play)
    what = load(agents="[random]", rulesets="[chatra/base]", games="14", block="7")
    outcome = runner.run_experiment(what, tmp_path / "r", workers=workers, opening_texts=fake_engine.opening_texts)
    assert outcome.played == 14 and families == ["chatra"] * prepared
    # What they left uncompiled is compiled, or refused, here.
    assert apart == ([workers] if missing else [])


def test_a_complete_folder_plays_nothing(load: Load, tmp_path: Path) -> None:
    run(load(), tmp_path / "r")
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "r").iterdir()}
    outcome = run(load(), tmp_path / "r", play=lambda *_: pytest.fail("played"))
    assert (outcome.resumed, outcome.played) == (160, 0)
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "r").iterdir()} == before


@pytest.mark.parametrize("finished", few.first(1, [False, True]))
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": "8"}, "seed: was 7, is now 8"),
        ({"max_plies": "101"}, "max_plies: was 100, is now 101"),
        ({"games": "3"}, "games per cell: was 40, is now 3"),
        ({"margin": "0.1"}, "margin: was not set, is now 0.1"),
        ({"targets": '{draw_rate: "<0.05"}'}, 'targets: was {}, is now {"draw_rate": "<0.05"}'),
        ({"question": "draw_rate"}, 'question: was not set, is now "draw_rate"'),
        ({"rulesets": "[chatra/base, chatra/C, chatra/D]"}, "ruleset chatra/D was added"),
        ({"agents": "[random, {alphabeta: {depth: 2}}, greedy]"}, "pairing greedy – greedy was added"),
        ({"rulesets": "[chatra/base]"}, "ruleset chatra/C is no longer in the experiment"),
        ({"rulesets_changed": {"C": "{opening: objects-first, stuck: loss}"}},
         'ruleset chatra/C: stuck: was "draw", is now "loss"'),
        ({"agents": "[random]"}, "pairing alphabeta-2 – alphabeta-2 is no longer in the experiment"),
        ({"agents": "[random, {alphabeta: {depth: 2, temperature: 0.5}}]"},
         "agent alphabeta-2: temperature: was 0.05, is now 0.5"),
    ],
)  # fmt: skip
def test_mixes_no_experiments(load: Load, tmp_path: Path, changes: dict[str, Any], said: str, finished: bool) -> None:
    (run if finished else partly)(load(), tmp_path / "r")
    before = {path: path.read_bytes() for path in (tmp_path / "r").rglob("*") if path.is_file()}
    with pytest.raises(progress.FolderMismatch) as caught:
        run(load(**changes), tmp_path / "r")
    assert caught.value.differences == (said,)
    assert said in str(caught.value) and "--fresh" in str(caught.value)
    assert str(caught.value).endswith(f"/test.yaml --out {display_path(tmp_path / 'r-2')}")
    assert {path: path.read_bytes() for path in (tmp_path / "r").rglob("*") if path.is_file()} == before


def test_refuses_records_without_provenance_unless_they_are_its_own(load: Load, tmp_path: Path) -> None:
    partly(load(), tmp_path / "r")
    (tmp_path / "r" / "provenance.json").write_text("{}")
    with pytest.raises(progress.FolderMismatch, match="provenance"):
        run(load(seed="8"), tmp_path / "r")
    assert run(load(), tmp_path / "r").resumed > 0


@pytest.mark.thorough
@pytest.mark.parametrize("finished", few.first(1, [False, True]))
def test_more_games_continue(load: Load, tmp_path: Path, finished: bool) -> None:
    (run if finished else partly)(load(), tmp_path / "r")
    grown = {"games": "50", "title": "Another title", "block": "9"}
    outcome = run(load(**grown), tmp_path / "r")
    assert outcome.resumed >= 60 and outcome.resumed + outcome.played == 4 * 50
    assert outcome.notes == ("Changed since the last run: games per cell: was 40, is now 50",)
    run(load(**grown), tmp_path / "new")
    assert record_bytes(tmp_path / "r") == record_bytes(tmp_path / "new")


def test_another_order_plays_nothing_but_orders_the_records(load: Load, tmp_path: Path) -> None:
    run(load(), tmp_path / "r")
    turned = load(rulesets="[chatra/C, chatra/base]", baseline="chatra/base")
    assert run(turned, tmp_path / "r").played == 0
    run(turned, tmp_path / "new")
    assert record_bytes(tmp_path / "r") == record_bytes(tmp_path / "new")


@pytest.mark.thorough
def test_one_run_at_a_time(load: Load, tmp_path: Path) -> None:
    what = load()

    def again(_: Progress) -> None:
        with pytest.raises(progress.FolderBusy, match="in use by another run"):
            run(what, tmp_path / "r")

    run(what, tmp_path / "r", on_progress=again)


def test_provenance(load: Load, tmp_path: Path) -> None:
    what = load(title_ja="試験", targets='{draw_rate: "<0.05", plies: [40, 120]}')
    partly(what, tmp_path / "r")
    path = tmp_path / "r" / "provenance.json"
    recorded = json.loads(path.read_text(encoding="utf-8"))
    assert recorded["experiment"] == what.canonical()
    assert [ruleset["name"] for ruleset in recorded["rulesets"]] == ["chatra/base", "chatra/C"]
    assert recorded["rulesets"][1]["settings"]["opening"] == "objects-first"
    first, second = recorded["pairings"]
    assert (first["second_options"], second["first_options"]["depth"]) == ({"kind": "random"}, 2)
    assert set(recorded["versions"]) - {"commit"} == {"python", "numpy", "numba", "workbench", "pandas", "pyarrow"}
    assert set(recorded["engines"]) == {"chatra"} and len(recorded["engines"]["chatra"]) == 16
    run(what, tmp_path / "r")
    again = json.loads(path.read_text(encoding="utf-8"))
    assert again["started"] == recorded["started"] and len(again["continued"]) == 1


def earlier_games(folder: Path) -> list[int]:
    found: list[int] = json.loads((folder / "provenance.json").read_text(encoding="utf-8")).get("earlier_games", [])
    return found


@pytest.mark.thorough
def test_numbers_of_games_at_which_a_folder_was_judged_are_not_forgotten(load: Load, tmp_path: Path) -> None:
    partly(load(games="30"), tmp_path / "r")
    run(load(), tmp_path / "r")
    run(load(block="9"), tmp_path / "r")
    assert earlier_games(tmp_path / "r") == [], "nothing is judged before the run is finished"
    run(load(games="50"), tmp_path / "r")
    run(load(games="60"), tmp_path / "r")
    assert earlier_games(tmp_path / "r") == [40, 50]
    plan = AnalysisPlan.from_provenance(json.loads((tmp_path / "r" / "provenance.json").read_text(encoding="utf-8")))
    assert (plan.stage_number, plan.earlier_games) == (3, (40, 50))
    # With the same seed a fresh start plays the same games; with another one it is another question.
    run(load(games="60"), tmp_path / "r", fresh=True)
    assert earlier_games(tmp_path / "r") == [40, 50]
    run(load(games="60", seed="8"), tmp_path / "r", fresh=True)
    assert earlier_games(tmp_path / "r") == []


def leaning(what: Experiment, *scores: float) -> PlayBlock:
    codes: list[Any] = [tuple(ruleset.codes().values()) for ruleset in what.rulesets]
    return functools.partial(fake_engine.play, lean=dict(zip(codes, scores, strict=True)))


SEQUENTIAL = {"rulesets": "[chatra/base, chatra/C, chatra/D]", "agents": "[greedy]", "games": "3000", "block": "333"}


def counts(outcome: runner.RunOutcome) -> dict[str, int]:
    return {str(name): int(n) for name, n in pd.read_parquet(outcome.trials)["ruleset"].value_counts().items()}


@pytest.mark.thorough
def test_cells_end_when_their_verdict_is_sure(load: Load, tmp_path: Path) -> None:
    what = load(**SEQUENTIAL, until="decided")
    play = leaning(what, 0.9, 0.5, 0.9)
    outcome = run(what, tmp_path / "r", play=play)
    # C is clearly fairer at the first look; D has the very games of the baseline, which is sure at the second.
    assert counts(outcome) == {"chatra/C": 600, "chatra/D": 1200, "chatra/base": 1200}
    assert (outcome.played, outcome.total) == (3000, 3000)
    again = run(what, tmp_path / "r", play=lambda *_: pytest.fail("played"))
    assert (again.resumed, again.played) == (3000, 0)
    # A higher ceiling leaves alone what is decided.
    more = run(load(**(SEQUENTIAL | {"games": "6000"}), until="decided"), tmp_path / "r", play=play)
    assert counts(more) == counts(outcome)
    assert earlier_games(tmp_path / "r") == [3000]


@pytest.mark.thorough
def test_an_early_end_does_not_depend_on_workers_blocks_or_interruptions(load: Load, tmp_path: Path) -> None:
    what = load(**SEQUENTIAL, until="decided")
    play = leaning(what, 0.6, 0.5, 0.56)
    run(what, tmp_path / "a", play=play)
    run(load(**(SEQUENTIAL | {"block": "50"}), until="decided"), tmp_path / "b", workers=2, play=play)
    with pytest.raises(progress.RunInterrupted):
        run(what, tmp_path / "c", play=play, on_progress=stop_after(1_700))
    run(what, tmp_path / "c", play=play)
    assert record_bytes(tmp_path / "a") == record_bytes(tmp_path / "b") == record_bytes(tmp_path / "c")


def test_more_endings_than_declared_are_an_error(load: Load, tmp_path: Path) -> None:
    def play(block: BlockArguments) -> dict[str, object]:
        arrays = fake_engine.play(block)
        return {**arrays, "termination": arrays["termination"] * 0 + 77}

    with pytest.raises(ValueError, match=r"not declared by .*: \[?77"):
        run(load(), tmp_path / "r", play=play)


def test_endings_are_those_of_the_engine() -> None:
    contract = pytest.importorskip("workbench.engine.contract")
    assert {code: ending.name for code, ending in results.ENGINE_ENDINGS.items()} == {
        contract.CAP: "cap", contract.REPETITION: "repetition", contract.ADJUDICATED: "adjudicated"
    }  # fmt: skip
    assert set(records.STOPPED) == {results.ENGINE_ENDINGS[code].name for code in (contract.CAP, contract.ADJUDICATED)}


def test_spreadsheets_run_nothing_of_a_table() -> None:
    table = pd.DataFrame(
        {"=1+1": ["=cmd|'/C calc'!A0", "+1", "-1", "@SUM(A1)", "\tx", "fine", None],
         "number": [-1.0, 1.0, -0.5, np.nan, 3, 4, 5],
         "kind": pd.Categorical(["-a", "b", "-a", "b", "b", "b", "b"])}
    )  # fmt: skip
    before = table.copy()
    rows = list(csv.reader(io.StringIO(records.to_csv(table, "%.6g"))))
    assert rows[0] == ["'=1+1", "number", "kind"]
    assert [row[0] for row in rows[1:]] == ["'=cmd|'/C calc'!A0", "'+1", "'-1", "'@SUM(A1)", "'\tx", "fine", ""]
    assert [row[1] for row in rows[1:]] == ["-1", "1", "-0.5", "", "3", "4", "5"]
    assert [row[2] for row in rows[1:3]] == ["'-a", "b"]
    pd.testing.assert_frame_equal(table, before)


def test_pace_and_time_left_are_of_the_games_that_are_left(load: Load) -> None:
    """Random players are quick and come first: what they take says nothing of the others."""
    quick, slow = load(rulesets="[chatra/base]").cells()
    progress = Progress(total=80, kept=10)
    clock = Clock(progress)
    clock.begin_stage([Block(quick, 10, 20), Block(quick, 20, 30), Block(slow, 0, 10)], [(slow, 30)])
    assert progress.most == 10 + 30 + 30 and progress.left is None
    clock.add(Block(quick, 10, 20), 1.0)
    assert progress.left is None, "nobody knows yet what the slow ones take"
    clock.add(Block(slow, 0, 10), 100.0)
    assert [progress.left, progress.pace] == pytest.approx([10 * 0.1 + 30 * 10.0, 40 / 301.0])
    # At an interim analysis the slow cell ends; what was measured goes on to hold.
    clock.begin_stage([Block(quick, 20, 30)], [])
    assert progress.most == 40 and [progress.left, progress.pace] == pytest.approx([1.0, 10.0])
