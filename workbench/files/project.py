"""Where a user's rulesets, experiments and reports are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import WorkbenchError

_PACKAGE = Path(__file__).resolve().parents[1]
_SETTINGS = ".numba_config.yaml"
"""The file of the working folder that Numba reads when it is imported, before anybody can keep it from that."""


def refuse_settings_of_the_compiler() -> None:
    """Raises `WorkbenchError` if the working folder would have a say in how games are compiled."""
    if os.path.exists(_SETTINGS):
        raise WorkbenchError(
            f"The working folder holds {_SETTINGS}, by which Numba would compile games otherwise: remove it, or work "
            "in another folder. Settings of Numba are taken from the environment alone (NUMBA_...)."
        )


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

    @property
    def unsaved(self) -> Path:
        """Where the studio keeps what is not saved yet: never in an installed package."""
        return self.reports.parent / ".studio"

    def report(self, name: str) -> Path:
        """The folder of an experiment among the reports, which no link leads elsewhere.

        A folder of rulesets that was copied from somebody else may hold links.

        Raises:
            InputError: a link leads out of the project folder.
        """
        from workbench.errors import InputError, Problem, display_path

        folder = self.reports / name
        if not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(self.reports.parent)):
            message = f"a link leads out of the project folder, to {os.path.realpath(folder)}"
            raise InputError([Problem(display_path(folder), None, None, message, "to write there, name it with --out")])
        return folder

    def existing_report(self, said: str | Path) -> Path:
        """The report folder of a path, or of a name among the reports.

        Raises:
            InputError: there is none.
        """
        from workbench.errors import InputError, Problem, guess

        path = Path(said)
        if not path.is_dir() and (self.reports / path).is_dir():
            path = self.reports / path
        if not path.is_dir():
            there = sorted(self.reports.iterdir()) if self.reports.is_dir() else []
            hint = guess(path.name, [one.name for one in there if one.is_dir()], "there are")
            message = "there is no such report folder"
            raise InputError([Problem(str(said), None, None, message, hint or "workbench run makes one")])
        return path

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
