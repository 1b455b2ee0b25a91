"""Report folders for tests: a small experiment of four cells, its runs, and the commands that read them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
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

SAMPLE = ROOT / "reports" / "sample"
TEXT = """\
title: A test
rulesets: [chatra/base, chatra/C]
agents: [random, {{alphabeta: {{depth: 2}}}}]
games: {games}
max_plies: 100
seed: 7
block: {block}
"""


def load(place: Path, games: int = 40, block: int = 7) -> Experiment:
    """A project with two rulesets and one experiment of four cells."""
    own = place / "project"
    (own / "rulesets" / "chatra").mkdir(parents=True, exist_ok=True)
    (own / "experiments").mkdir(exist_ok=True)
    for name, rules in (("base", "{}"), ("C", "{opening: objects-first}")):
        text = f"game: chatra\ntitle: {name}\nrules: {rules}\n"
        (own / "rulesets" / "chatra" / f"{name}.yaml").write_text(text, encoding="utf-8")
    path = own / "experiments" / "test.yaml"
    path.write_text(TEXT.format(games=games, block=block), encoding="utf-8")
    return experiment.load_experiment(path, project.Project(own))


def run(
    what: Experiment, folder: Path, workers: int = 1, play: PlayBlock = fake_engine.play, **options: Any
) -> runner.RunOutcome:
    """A run with the fake engine."""
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
    """A run that is interrupted halfway."""
    with pytest.raises(progress.RunInterrupted):
        run(what, folder, on_progress=stop_after(games))


def record_bytes(folder: Path) -> dict[str, bytes]:
    """The record files of a folder, by their places."""
    return {
        name: content
        for name, content in contents(folder).items()
        if name.startswith("trials/") and name.endswith(".parquet")
    }


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
