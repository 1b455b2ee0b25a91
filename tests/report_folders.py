"""Report folders for tests: a small experiment of four cells, its runs, and the commands that read them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests import fake_engine
from tests.command_line import ROOT
from workbench.base import project
from workbench.experiments import experiment
from workbench.experiments.experiment import Experiment
from workbench.runs import progress, runner
from workbench.runs.progress import Progress
from workbench.runs.worker import PlayBlock

SAMPLE = ROOT / "tests" / "data" / "sample"
RULESETS = {"base": "{}", "C": "{opening: objects-first}", "D": "{object_area: away-from-centre}"}
KEYS = {"title": "A test", "rulesets": "[chatra/base, chatra/C]", "agents": "[random, {alphabeta: {depth: 2}}]",
        "games": 40, "max_plies": 100, "seed": 7, "block": 7}  # fmt: skip


def load(place: Path, rulesets_changed: Mapping[str, str] | None = None, **changes: Any) -> Experiment:
    """Write a project with one experiment of four cells, and load it; None leaves out a key."""
    own = place / "project"
    (own / "rulesets" / "chatra").mkdir(parents=True, exist_ok=True)
    (own / "experiments").mkdir(exist_ok=True)
    for name, rules in (RULESETS | {**(rulesets_changed or {})}).items():
        text = f"game: chatra\ntitle: {name}\nrules: {rules}\n"
        (own / "rulesets" / "chatra" / f"{name}.yaml").write_text(text, encoding="utf-8")
    path = own / "experiments" / "test.yaml"
    keys = {key: value for key, value in (KEYS | changes).items() if value is not None}
    path.write_text("".join(f"{key}: {value}\n" for key, value in keys.items()), encoding="utf-8")
    return experiment.load_experiment(path, project.Project(own))


def run(
    what: Experiment, folder: Path, workers: int = 1, play: PlayBlock = fake_engine.play, **options: Any
) -> runner.RunOutcome:
    return runner.run_experiment(
        what, folder, workers=workers, play=play, opening_texts=fake_engine.opening_texts, **options
    )


def stop_after(games: int) -> Callable[[Progress], None]:
    """Presses Ctrl-C, so to speak, once so many games were played."""

    def look(progress: Progress) -> None:
        if progress.played >= games:
            raise KeyboardInterrupt

    return look


def partly(what: Experiment, folder: Path, games: int = 60) -> None:
    with pytest.raises(progress.RunInterrupted):
        run(what, folder, on_progress=stop_after(games))


def record_bytes(folder: Path) -> dict[str, bytes]:
    return {f"trials/{path.name}": path.read_bytes() for path in sorted(folder.glob("trials/*.parquet"))}


def copy_records(source: Path, target: Path) -> None:
    """Copies the records and the provenance of a folder, and no report."""
    shutil.copytree(source / "trials", target / "trials")
    shutil.copy(source / "provenance.json", target)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def flip(path: Path, at: int, bit: int = 0) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1 << bit
    path.write_bytes(content)
