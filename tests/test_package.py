"""The package: what it needs, what it carries, and that it works outside of a checkout."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import workbench

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DISTRIBUTIONS = {"yaml": "pyyaml"}
"""Modules whose distribution has another name."""


def data_files() -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for folder in ("rulesets", "experiments")
        for kind in ("yaml", "json")
        for path in (ROOT / folder).rglob(f"*.{kind}")
    }


def run(*arguments: str, folder: Path, path: Path) -> subprocess.CompletedProcess[str]:
    """Runs Python in a folder, with another one before all others on its path."""
    environment = os.environ | {"PYTHONPATH": str(path)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def build(kind: str, into: Path) -> Path:
    done = run("-m", "build", f"--{kind}", "--no-isolation", "--outdir", str(into), str(ROOT), folder=into, path=into)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = into.iterdir()
    return built


@pytest.mark.thorough
def test_dependencies_are_what_the_code_imports() -> None:
    imported = set()
    for file in (ROOT / "workbench").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add((node.module or "").partition(".")[0])
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("find_spec"):
                imported.add(ast.literal_eval(node.args[0]))
    # python-chess is what `bench --vs chess` measures, if it is there.
    foreign = imported - set(sys.stdlib_module_names) - {"workbench", "chess"}
    needed = {DISTRIBUTIONS.get(module, module.replace("_", "-")) for module in foreign}
    extras = PROJECT["project"]["optional-dependencies"]
    lines = [*PROJECT["project"]["dependencies"], *extras["dask"]]
    assert needed == {re.split(r"[<>=!~ \[;]", line)[0] for line in lines}


def test_the_command_starts_without_its_heavy_libraries() -> None:
    script = "import sys, workbench.cli; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    done = run("-c", script, folder=ROOT, path=ROOT)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert "typer" in loaded
    assert not loaded & {
        *("fastapi", "joblib", "matplotlib", "nicegui", "numba", "numpy", "pandas", "pyarrow", "scipy", "statsmodels"),
        *("rich", "uvicorn", "yaml"),
    }


@pytest.mark.slow
def test_the_wheel_carries_its_data_and_works_outside_of_the_checkout(tmp_path: Path) -> None:
    for name in ("dist", "site", "elsewhere"):
        (tmp_path / name).mkdir()
    wheel = build("wheel", tmp_path / "dist")
    assert wheel.name == f"rule_workbench-{workbench.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        files = set(archive.namelist())
        archive.extractall(tmp_path / "site")
    assert {f"workbench/_data/{file}" for file in data_files()} <= files
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / "workbench").rglob("*.py")} <= files
    assert not [file for file in files if file.startswith(("tests/", "reports/"))]
    where = {"folder": tmp_path / "elsewhere", "path": tmp_path / "site"}
    imported = run("-c", "import workbench; print(workbench.__file__)", **where)
    assert Path(imported.stdout.strip()).is_relative_to(tmp_path / "site")
    checked = run("-m", "workbench", "check", **where)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    # Nothing was written where the user stands, nor into the package.
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert not (tmp_path / "site" / "reports").exists()


@pytest.mark.slow
def test_the_source_archive_carries_what_a_wheel_and_the_tests_need(tmp_path: Path) -> None:
    archive = build("sdist", tmp_path)
    with tarfile.open(archive) as opened:
        files = {name.partition("/")[2] for name in opened.getnames()}
    assert data_files() | {"pyproject.toml", "LICENSE", "README.md", "workbench/cli/__init__.py"} <= files
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.txt")} <= files
    assert not [file for file in files if file.startswith(("reports/", "dist/"))]
