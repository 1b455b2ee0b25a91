"""YAML files that settings name, such as the armies of a game: finding, reading and checking them.

They lie in ``rulesets/<game>/<folder>``; see `workbench.games.declaration.Files`.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType

from workbench import games
from workbench.files import project as projects
from workbench.files import yamlfile
from workbench.files.project import Project
from workbench.files.yamlfile import InputError, Node, Problem, guess
from workbench.games.declaration import Declaration, Files, Setting


def contents(
    family: Declaration,
    settings: Mapping[str, Setting],
    nodes: Mapping[str, Node] | None = None,
    project: Project | None = None,
) -> dict[str, tuple[int, ...]]:
    """What the files hold that settings name, by toggle; ``nodes`` are the places where the settings are written.

    They are looked up in the project and, where it has none of the name, among those that came with the workbench.

    Raises:
        InputError: there is no such file, or it is wrong, or does not go with the other settings.
    """
    by_toggle: dict[str, tuple[int, ...]] = {}
    problems: list[Problem] = []
    places = [project or projects.find(), projects.shipped()]
    for toggle in family.toggles:
        if toggle.files is None:
            continue
        name = str(settings[toggle.name])
        folders = [place.rulesets / family.name / toggle.files.folder for place in places]
        paths = [folder / f"{name}.yaml" for folder in folders if f"{name}.yaml" in listed(folder)]
        if not paths:
            names = dict.fromkeys(entry.removesuffix(".yaml") for folder in folders for entry in listed(folder))
            message, hint = f"expected {toggle.choices()}, found '{name}'", guess(name, names, "there are")
            if nodes and toggle.name in nodes:
                problems.append(nodes[toggle.name].problem(message, hint))
            else:
                problems.append(Problem("", None, f"rules.{toggle.name}", message, hint))
            continue
        try:
            by_toggle[toggle.name] = _reader(family, toggle.files).read(_tree(paths[0], places), settings)
        except InputError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise InputError(problems)
    return by_toggle


def all_of(project: Project) -> dict[Path, tuple[Declaration, Files]]:
    """Every file of the project that a setting could name, with its family and what it is."""
    paths = {}
    for family in map(games.declaration, games.names()):
        for files in {toggle.files.folder: toggle.files for toggle in family.toggles if toggle.files}.values():
            folder = project.rulesets / family.name / files.folder
            paths.update({folder / name: (family, files) for name in listed(folder) if name.endswith(".yaml")})
    return paths


def check(path: Path, project: Project) -> bool:
    """Checks a file that settings could name, whatever ruleset names it; False if this is no such file.

    Raises:
        InputError: all that is wrong with it.
    """
    for known, (family, files) in all_of(project).items():
        if os.path.abspath(path) == os.path.abspath(known):
            _reader(family, files).check(_tree(known, [project]))
            return True
    return False


def listed(folder: Path) -> list[str]:
    """What a folder holds, hidden files left out; nothing if it is no folder that this user may read."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []


def _tree(path: Path, places: Iterable[Project]) -> Node:
    """The tree of a file that a setting names.

    Raises:
        InputError: it cannot be read, or is a link that leads out of the project.
    """
    if not any(place.inside(path) for place in places):
        message = f"expected a file inside the project folder, found a link to {os.path.realpath(path)}"
        raise InputError([Problem(yamlfile.shown(path), None, None, message, "copy the file into the project")])
    return yamlfile.read(path)


def _reader(family: Declaration, files: Files) -> ModuleType:
    return importlib.import_module(f"workbench.games.{family.name}.{files.folder}")
