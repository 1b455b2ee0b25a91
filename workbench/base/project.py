"""The folders of a project, and valid names for its files."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from workbench.base.errors import InputError, Problem, WorkbenchError, display_path, expected, guess, input_error
from workbench.base.language import quoted, tr

_PACKAGE = Path(__file__).resolve().parents[1]
_SETTINGS = ".numba_config.yaml"
"""A file in the working folder that Numba always reads on import."""


def reject_numba_config_file() -> None:
    """Raise `WorkbenchError` if the working folder contains settings that change the compilation of games."""
    if os.path.exists(_SETTINGS):
        message = tr(
            "The working folder contains {settings}, which would change how Numba compiles games: remove it, or work "
            "in another folder. Numba is configured by environment variables only (NUMBA_...)."
        )
        raise WorkbenchError(message.format(settings=_SETTINGS))


@dataclass(frozen=True)
class Project:
    """A folder that contains ``rulesets/`` and ``experiments/``."""

    root: Path
    shipped: bool = False
    """True for the files installed with the workbench, used if there is no project folder."""

    @property
    def rulesets(self) -> Path:
        """The folder of rulesets, with a subfolder for each game."""
        return self.root / "rulesets"

    @property
    def experiments(self) -> Path:
        """The folder of experiments."""
        return self.root / "experiments"

    @property
    def searches(self) -> Path:
        """The folder of searches for rulesets."""
        return self.root / "searches"

    @property
    def reports(self) -> Path:
        """The folder of results, never inside an installed package."""
        return (Path.cwd() if self.shipped else self.root) / "reports"

    @property
    def unsaved(self) -> Path:
        """The folder of the studio's unsaved work, never inside an installed package."""
        return self.reports.parent / ".studio"

    def report(self, name: str) -> Path:
        """Return the report folder of an experiment; reject links that lead out of the project."""
        folder = self.reports / name
        if not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(self.reports.parent)):
            message = tr("a link points outside the project folder, to {target}", target=os.path.realpath(folder))
            raise input_error(message, tr("use --out to write there"), file=display_path(folder))
        return folder

    def existing_report_folder(self, path_or_name: str | Path) -> Path:
        """Return an existing report folder, given its path or its name among the reports."""
        path = Path(path_or_name)
        if not path.is_dir() and (self.reports / path).is_dir():
            path = self.reports / path
        if not path.is_dir():
            existing = sorted(entry.name for entry in self.reports.iterdir()) if self.reports.is_dir() else []
            existing = [name for name in existing if (self.reports / name).is_dir() and name not in RESERVED_FOLDERS]
            hint = guess(path.name, existing, tr("there are {names}"))
            message = tr("there is no such report folder")
            raise input_error(message, hint or "workbench run makes one", file=str(path_or_name))
        return path

    def contains(self, path: Path) -> bool:
        """Return whether a path, after following links, lies inside the project folder."""
        # realpath: Path.resolve raises on links that run in a circle
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self.root))

    def require_place(self, path: Path) -> None:
        """Raise `InputError` if a path leads out of the project folder through a link."""
        if not self.contains(path):
            raise InputError([outside_problem(path)])


def outside_link_message(path: Path) -> str:
    """Return the message about a link that leads out of the project."""
    target = tr("a link to {target}", target=os.path.realpath(path))
    return expected(tr("a file in the project folder"), target)


def outside_problem(path: Path) -> Problem:
    """Return the problem of a path whose link leads out of the project."""
    return Problem(display_path(path), None, None, outside_link_message(path), tr("copy the file into the project"))


def find_project(start: Path | None = None) -> Project:
    """Return the project around a folder (default: the current one), or else the files installed with the workbench."""
    start_folder = Path(start) if start else Path.cwd()
    for folder in (start_folder.absolute(), *start_folder.absolute().parents):
        if (folder / "rulesets").is_dir():
            return Project(folder)
    return shipped_project()


def shipped_project() -> Project:
    """Return the files installed with the workbench, as a project."""
    data = _PACKAGE / "_data"
    return Project(data if (data / "rulesets").is_dir() else _PACKAGE.parent, shipped=True)


def config_file(name: str) -> Path | None:
    """Return the path of a file in the user's configuration folder; None if this user has no such folder."""
    try:
        if sys.platform == "win32":
            folder = Path(os.environ["APPDATA"])
        else:
            configured = Path(os.environ.get("XDG_CONFIG_HOME") or "")
            folder = configured if configured.is_absolute() else Path.home() / ".config"
    except (KeyError, RuntimeError):
        return None
    return folder / "workbench" / name


LADDERS, PLAYERS, SOLUTIONS, SEARCHES, WHY = RESERVED_FOLDERS = ("ladders", "players", "solutions", "searches", "why")
"""Folders of ``reports/`` that belong to no experiment."""
QUICK_LOOK = "{name}.games-{count}"
"""The report folder of a quick run of an experiment."""
STRONG = "{name}.strong"
"""The report folder of an experiment whose rulesets are played by strong players."""
SEARCH = "search.json"
"""The file that marks a folder of ``reports/searches/``."""
CONFIRMED = "{name}.confirmed"
"""The report folder of the games that confirm a search result."""
BEYOND = "{name}.beyond"
"""The report folder of games under neighbours of the rulesets that a search found."""

_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$"} | {
    f"{a}{n}" for a in ("com", "lpt") for n in "123456789¹²³"
}
"""Device names on Windows, whatever their extension. Source: Microsoft, *Naming Files, Paths, and Namespaces*."""
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f\ufffd]')
_PATTERNS = (QUICK_LOOK, STRONG, CONFIRMED, BEYOND)
_DERIVED = re.compile("|".join(each.replace(".", r"\.").format(name=".*", count="[0-9]+") for each in _PATTERNS))
"""Names made by the patterns above."""


def name_problem(name: str) -> str:
    """Return the reason why a name (without suffix) is invalid as a file name on some system; "" if it is valid."""
    valid_name = tr("a name that is a valid file name on every system")
    if character := _FORBIDDEN.search(name):
        return expected(valid_name, tr("'{name}' with {character!a}", name=name, character=character.group()))
    if not name or name != name.strip() or name[0] == "." or name[-1] == ".":
        return expected(tr("a name that neither begins nor ends with a dot or space"), quoted(name))
    if name.partition(".")[0].rstrip().casefold() in _DEVICES:
        return expected(valid_name, tr("'{name}', a Windows device name", name=name))
    return ""


def is_derived(name: str) -> bool:
    """Return whether a name matches one of the patterns above; no experiment may have such a name."""
    return bool(_DERIVED.fullmatch(name))


def experiment_name_problem(name: str) -> str:
    """Return the reason why a name is invalid for an experiment and its report folder; "" if it is valid."""
    if name.casefold() in RESERVED_FOLDERS:
        return expected(tr("a name not used by the workbench's own folders in reports/"), quoted(name))
    if is_derived(name):
        expected_name = tr("a name not used by quick runs, strong players or search results")
        return expected(expected_name, quoted(name))
    return name_problem(name)
