"""A file of the working folder, which may come from others, has no say in how games are compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import few

ROOT = Path(__file__).resolve().parent.parent
FILES = ["disable_jit: 1\n", "{ nonsense\n", "opt: 9\n", "[1, 2]\n"]


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment |= {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("content", few.first(1, FILES))
def test_commands_and_programs_refuse_it_in_one_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / ".numba_config.yaml").write_text(content, encoding="utf-8")
    sentence = "The working folder contains .numba_config.yaml, which would change how Numba compiles games: remove it"
    done = python(tmp_path, "-m", "workbench", "play", "star/4x4", "--first", "random", "--second", "random")
    assert done.returncode == 2 and not done.stdout
    assert done.stderr.startswith(sentence) and done.stderr.count("\n") == 1
    program = (
        "import workbench as wb\ntry:\n    wb.play('star/4x4', 'random')\nexcept wb.WorkbenchError as error:\n"
        "    print(error)\n"
    )
    done = python(tmp_path, "-c", program)
    assert done.returncode == 0 and done.stdout.startswith(sentence), done.stderr


@pytest.mark.thorough
def test_it_is_not_obeyed_where_nobody_looks_before(tmp_path: Path) -> None:
    """As in a worker, or in a program that goes to another folder before something is compiled."""
    (tmp_path / ".numba_config.yaml").write_text("disable_jit: 1\nboundscheck: 1\n", encoding="utf-8")
    program = (
        "from numba import config\nimport os\nprint(config.DISABLE_JIT, config.BOUNDSCHECK)\n"
        "from workbench.engine import jit\nprint(jit.DISABLED, config.DISABLE_JIT, config.BOUNDSCHECK)\n"
        "config.reload_config()\nprint(config.DISABLE_JIT)\n"
    )
    done = python(tmp_path, "-c", program)
    assert done.stdout.splitlines() == ["1 1", "False 0 None", "0"], done.stderr
    os.mkdir(tmp_path / "clean")
    done = python(tmp_path / "clean", "-c", program.replace("config.reload", "os.chdir('..')\nconfig.reload"))
    assert done.stdout.splitlines() == ["0 None", "False 0 None", "0"], done.stderr
