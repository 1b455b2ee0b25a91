"""What settings mean beyond their codes: drawings, and YAML files that settings name, such as the armies of a game.

The files lie in ``rulesets/<game>/<folder>``; see `workbench.games.declaration.Files`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from workbench import games
from workbench.errors import InputError, Problem, guess, text_of
from workbench.files import names, yamlfile
from workbench.files import project as projects
from workbench.files.project import Project, outside_problem
from workbench.files.yamlfile import Node
from workbench.games import drawings
from workbench.games.declaration import Declaration, Files, Setting
from workbench.games.drawings import Drawing, Misdrawn
from workbench.language import tr


def read_contents(
    family: Declaration,
    settings: Mapping[str, Setting],
    nodes: Mapping[str, Node] | None = None,
    project: Project | None = None,
) -> dict[str, tuple[int, ...]]:
    """What the files hold that settings name, and drawings mean, by toggle; ``nodes`` are where settings are written.

    Files are looked up in the project and, where it has none of the name, among those that came with the workbench.

    Raises:
        InputError: there is no such file, or it or a drawing is wrong, or does not go with the other settings.
    """
    by_toggle: dict[str, tuple[int, ...]] = {}
    problems: list[Problem] = []
    places = [project or projects.find_project(), projects.shipped_project()]
    for toggle in family.toggles:
        if isinstance(toggle, Drawing) and toggle.is_drawn(settings[toggle.name]):
            try:
                by_toggle[toggle.name] = drawings.read(family.name, toggle, settings[toggle.name], settings)
            except Misdrawn as error:
                node = (nodes or {}).get(toggle.name) or Node("", 0, f"rules.{toggle.name}", None)
                problems.append(drawing_problem(node, error))
        if toggle.files is None:
            continue
        name = str(settings[toggle.name])
        folders = [place.rulesets / family.name / toggle.files.folder for place in places]
        paths = [folder / f"{name}.yaml" for folder in folders if f"{name}.yaml" in visible_entries(folder)]
        if not paths:
            names = dict.fromkeys(
                entry.removesuffix(".yaml") for folder in folders for entry in visible_entries(folder)
            )
            node = (nodes or {}).get(toggle.name) or Node("", 0, f"rules.{toggle.name}", name, name)
            problems.append(node.unknown(toggle.choices(), name, hint=guess(name, names, tr("there are {names}"))))
            continue
        try:
            by_toggle[toggle.name] = _reader(family, toggle.files).read(_read_tree(paths[0], places), settings)
        except InputError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise InputError(problems)
    return by_toggle


def unit_counts(family: Declaration, files: Files, content: tuple[int, ...]) -> Mapping[str, int]:
    """How many units of each kind there are in what a file holds."""
    units: Mapping[str, int] = _reader(family, files).held(content)
    return units


def unit_counts_by_file(
    family: Declaration,
    files: Files,
    settings: Mapping[str, Setting],
    project: Project | None = None,
    names: Collection[str] | None = None,
) -> dict[str, Mapping[str, int] | None]:
    """For each file that a setting could name, how many units of each kind it sets up, whatever they cost.

    None for a file that does not go with the other settings, or is wrong. ``names`` are the only ones asked for.
    """
    places = [project or projects.find_project(), projects.shipped_project()]
    by_name: dict[str, Mapping[str, int] | None] = {}
    for place in places:
        folder = place.rulesets / family.name / files.folder
        for name in (entry.removesuffix(".yaml") for entry in visible_entries(folder) if entry.endswith(".yaml")):
            if name not in by_name and (names is None or name in names):
                try:
                    by_name[name] = _reader(family, files).numbers(
                        _read_tree(folder / f"{name}.yaml", places), settings
                    )
                except InputError:
                    by_name[name] = None
    return dict(sorted(by_name.items()))


def content_paths(project: Project) -> dict[Path, tuple[Declaration, Files]]:
    """Every file of the project that a setting could name, with its family and what it is."""
    paths = {}
    for family in map(games.declaration, games.names()):
        for files in {toggle.files.folder: toggle.files for toggle in family.toggles if toggle.files}.values():
            folder = project.rulesets / family.name / files.folder
            paths.update({folder / name: (family, files) for name in visible_entries(folder) if name.endswith(".yaml")})
    return paths


def check_content_file(path: Path, project: Project, known: Callable[[str], Iterable[Mapping[str, Setting]]]) -> bool:
    """Checks a file that settings could name, whatever ruleset names it; False if this is no such file.

    ``known`` gives the settings of a game's rulesets, the defaults first: a file is fine that fits some of them.

    Raises:
        InputError: all that is wrong with it.
    """
    for one, (family, files) in content_paths(project).items():
        if os.path.abspath(path) == os.path.abspath(one):
            _reader(family, files).check(_read_tree(one, [project]), known(family.name))
            return True
    return False


def drawing_problem(node: Node, error: Misdrawn) -> Problem:
    """The problem of a drawing, at its row where that is known."""
    problem = node.problem(text_of(error))
    if error.row is None or problem.line is None or "\n" not in node.text.strip():
        return problem
    # A block of several lines begins below its key.
    return replace(problem, line=problem.line + 1 + error.row)


def visible_entries(folder: Path) -> list[str]:
    """What a folder holds, hidden files left out; nothing if it is no folder that this user may read."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []


def _read_tree(path: Path, places: Iterable[Project]) -> Node:
    """The tree of a file that a setting names.

    Raises:
        InputError: it cannot be read, or is a link that leads out of the project.
    """
    if not any(place.contains(path) for place in places):
        raise InputError([outside_problem(path)])
    root = yamlfile.read_yaml(path)
    if trouble := names.name_problem(path.stem):
        raise InputError.of(trouble, tr("rename the file"), file=root.file, line=root.line)
    return root


def _reader(family: Declaration, files: Files) -> ModuleType:
    return games.module(family.name, files.folder)
