"""What a shell can do to a command: no streams, no reader, no folder, few files. It says so and ends."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import call
from tests.patience import PATIENCE
from tests.report_folders import contents

resource = pytest.importorskip("resource")
ROOT = Path(__file__).parent.parent
EXPERIMENT = "title: t\nrulesets: [star/a]\nagents: [random, greedy]\ngames: 400\nblock: 50\nseed: 1\n"
WORKBENCH = f"{shlex.quote(sys.executable)} -m workbench"


def shell(script: str, folder: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    """What a script says in which `workbench` is the command."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    done = subprocess.run(
        ["bash", "-c", f"workbench() {{ {WORKBENCH} \"$@\"; }}\n{script}"],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr, done.stderr
    return done


@pytest.mark.thorough
def test_a_reader_that_has_seen_enough() -> None:
    reading, writing = os.pipe()
    os.close(reading)  # as `head -1` does after its line
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "rules", "chatra"], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE,
        text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.thorough
def test_closed_streams() -> None:
    done = shell("workbench rules chatra >&-")
    assert (done.returncode, done.stderr) == (0, "stdout is closed: output is lost.\n")
    assert shell("workbench rules chatar >&- 2>&-").returncode == 2
    assert shell("workbench rules chatra <&-").returncode == 0


def test_a_full_disk_behind_stdout() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    done = shell("workbench rules chatra > /dev/full")
    assert (done.returncode, done.stderr) == (2, "No space left on device\n")


def played(folder: Path, limits: str, workers: int) -> subprocess.CompletedProcess[str]:
    path = folder / "project" / "experiments" / "test.yaml"
    ruleset = folder / "project" / "rulesets" / "star" / "a.yaml"
    for file, text in ((path, EXPERIMENT), (ruleset, "game: star\ntitle: a\n")):
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
    return shell(
        f"{limits}; {shlex.quote(sys.executable)} -m tests.fake_engine "
        f"{shlex.quote(str(path))} {shlex.quote(str(folder / 'r'))} {workers} 0"
    )


@pytest.mark.thorough
def test_too_few_open_files_for_so_many_workers(tmp_path: Path) -> None:
    done = played(tmp_path, "ulimit -n 90", workers=4)
    assert done.returncode == 3
    assert "a run with 4 workers needs 96 open files, but the system allows 90" in done.stderr


@pytest.mark.thorough
def test_files_that_may_not_grow(tmp_path: Path) -> None:
    done = played(tmp_path, "ulimit -f 4", workers=1)
    assert done.returncode == 3
    assert "cannot be written: File too large" in done.stderr and "are saved. To continue: workbench run" in done.stderr
    assert not list((tmp_path / "r").rglob("*.tmp"))


@pytest.mark.parametrize(
    "error", [MemoryError(), ImportError("x.so: failed to map segment from shared object"), ImportError("no x")]
)
def test_too_little_memory(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr("workbench.experiments.workspace.check_files", fails)
    done = call("check")
    if "no x" in str(error):
        assert done.exception is error
    else:
        assert done.exit_code == 2 and done.stderr.startswith("There is not enough memory: raise the limit")


@pytest.mark.slow
@pytest.mark.parametrize("limit", range(400_000, 2_400_000, 200_000))
def test_so_much_address_space_and_no_more(tmp_path: Path, limit: int) -> None:
    folder = tmp_path / "sample"
    shutil.copytree(ROOT / "tests" / "data" / "sample", folder)
    before = visible(folder)
    done = shell(f"ulimit -v {limit}; workbench report {shlex.quote(str(folder))}")
    # Libraries in machine code may end the process in their own words.
    assert done.returncode == 0 or (done.stderr and visible(folder) == before)


def visible(folder: Path) -> dict[str, bytes]:
    """The files of a folder, but for what an end of a process leaves, which is swept away later."""
    return {name: content for name, content in contents(folder).items() if not name.startswith(".")}
