"""Where a user's rulesets, experiments and reports are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Project:
    """A folder that holds ``rulesets/`` and ``experiments/``."""

    root: Path
    shipped: bool = False
    """Whether these are the files that came with the workbench, because the user has no folder of their own here."""

    @property
    def rulesets(self) -> Path:
        """Holds a folder of YAML files for each game."""
        return self.root / "rulesets"

    @property
    def experiments(self) -> Path:
        """Holds the YAML files of experiments."""
        return self.root / "experiments"

    @property
    def reports(self) -> Path:
        """Where results go: never into an installed package."""
        return (Path.cwd() if self.shipped else self.root) / "reports"

    def inside(self, path: Path) -> bool:
        """Whether a path, its links followed, stays inside the project folder."""
        # realpath: Path.resolve raises on links that run in a circle
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self.root))


def find(start: Path | None = None) -> Project:
    """The project around a folder (default: the current one), or else the files that came with the workbench."""
    here = Path(start) if start else Path.cwd()
    for folder in (here.absolute(), *here.absolute().parents):
        if (folder / "rulesets").is_dir():
            return Project(folder)
    return shipped()


def shipped() -> Project:
    """The files that came with the workbench."""
    data = _PACKAGE / "_data"
    return Project(data if (data / "rulesets").is_dir() else _PACKAGE.parent, shipped=True)
