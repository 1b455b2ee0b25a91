"""A small project of the star game, and an experiment in it, for tests of what players learn."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from workbench.base.project import Project
from workbench.experiments import experiment
from workbench.players import library

ROOT = Path(__file__).resolve().parent.parent
FILE = """\
title: Who has learned more?
rulesets: [{rulesets}]
agents: [{agents}]
games: 6
max_plies: 60
block: 2
"""


def star_project(folder: Path, monkeypatch: pytest.MonkeyPatch, names: Iterable[str]) -> Project:
    """Make a folder a project with these rulesets, which is the current one; no trainings come with them."""
    (folder / "rulesets" / "star").mkdir(parents=True)
    for name in names:
        text = (ROOT / "rulesets" / "star" / f"{name}.yaml").read_text(encoding="utf-8")
        (folder / "rulesets" / "star" / f"{name}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(library, "shipped_folder", lambda project, game: folder / "rulesets" / game / "players")
    return Project(folder)


def star_experiment(project: Project, rulesets: str, agents: str) -> experiment.Experiment:
    """Write and load the experiment of these rulesets and agents, as a file lists them."""
    path = project.experiments / "mine.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(FILE.format(rulesets=rulesets, agents=agents), encoding="utf-8")
    return experiment.load_experiment(path, project)
