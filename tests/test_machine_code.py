"""The folder of machine code: what is damaged in it is compiled anew, and where nothing can be kept, all works."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.engine import jit

pytestmark = pytest.mark.skipif(jit.DISABLED, reason="there is no machine code")
ROOT = Path(__file__).resolve().parent.parent


def _double(x: int) -> int:
    return 2 * x


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own folder of machine code, in which nothing has been said yet."""
    monkeypatch.setattr(jit, "CACHE", tmp_path)
    monkeypatch.setattr(jit, "_said", set())
    return tmp_path


def hits() -> int:
    """Compiles a function or finds it in the folder, and says whether it was there."""
    compiled = jit.njit(_double)
    assert compiled(21) == 42
    return sum(compiled.stats.cache_hits.values())  # type: ignore[attr-defined]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "cut by a byte": lambda content: content[:-1],
    "altered": lambda content: content[: len(content) // 2] + b"\0\1\2\3" + content[len(content) // 2 + 4 :],
}


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_compiled_anew(
    kept: Path, capsys: pytest.CaptureFixture[str], ending: str, damage: str
) -> None:
    assert (hits(), hits()) == (0, 1)
    (file,) = kept.rglob(f"*.{ending}")
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    assert hits() == 0
    said = capsys.readouterr().err
    assert said.startswith(f"the machine code in {kept} is damaged or cannot be read (") and said.count("\n") == 1
    assert hits() == 1 and not capsys.readouterr().err


def test_a_file_that_is_missing_is_compiled_anew(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert hits() == 0
    (file,) = kept.rglob("*.nbc")
    file.unlink()
    assert (hits(), hits()) == (0, 1) and not capsys.readouterr().err


def test_where_nothing_can_be_written_nothing_is_kept(
    kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "x")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        assert (hits(), hits()) == (0, 0)
    line = f"the machine code cannot be kept in {kept} (No space left on device): every command compiles anew\n"
    assert capsys.readouterr().err == line
    assert not [path for path in kept.rglob("*") if path.is_file()]
    assert (hits(), hits()) == (0, 1)


def test_a_folder_that_cannot_be_made_is_told_and_not_needed() -> None:
    script = "from workbench.engine import jit; print(jit.CACHE, jit.NO_CACHE, jit.njit(lambda x: 2 * x)(21))"
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=os.environ | {"NUMBA_CACHE_DIR": "/dev/null/x"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.stdout.startswith("None /dev/null") and "Not a directory" in found.stdout, found.stderr
    assert found.stdout.endswith(" 42\n")
