"""Settings of toggles: validation, conflicts, and the contents of the files, drawings and prices that they name.

Files such as the army of a game are in ``rulesets/<game>/<folder>``; see `workbench.games.declaration.Files`.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from workbench import games
from workbench.base import project as projects
from workbench.base import yamlfile
from workbench.base.addons import addons
from workbench.base.errors import InputError, Problem, error_text, guess, input_error, narrowed, nearest
from workbench.base.language import OR, tr
from workbench.base.project import Project, outside_problem
from workbench.base.yamlfile import Node, parse_scalar
from workbench.games import drawings
from workbench.games.declaration import Conflict, Declaration, Files, Setting, Toggle, all_match, setting_text
from workbench.games.drawings import Drawing, DrawingError
from workbench.games.prices import EACH, FREE, PriceList, Unit

SPELLING, SPELT_WORD = 0.75, 0.7
"""The minimum similarity (`difflib`) of a misspelt name to a toggle, and of their words."""
_TRUTH = {"yes": True, "on": True, "no": False, "off": False}
"""Booleans of other YAML versions."""


def toggles_by_name(family: Declaration) -> dict[str, Toggle]:
    """Return a family's toggles by name."""
    return {toggle.name: toggle for toggle in family.toggles}


_EXCLUDED: dict[int, tuple[Declaration, list[Conflict]]] = {}


def unknown_toggle_problem(family: Declaration, name: str, node: Node, hint: str = "") -> Problem:
    """Return the problem with an unknown toggle; ``hint`` replaces the usual suggestions."""
    hint = hint or _misspelt(family, name) or _nearest_rule(family, name, node)
    return node.unknown_key(tr("a toggle of {family}", family=family.name), name, hint=hint)


def _misspelt(family: Declaration, name: str) -> str:
    """Return a hint with the toggle whose spelling a name resembles; "" if there is none."""

    def similar(word: str, other: str, threshold: float) -> bool:
        return difflib.SequenceMatcher(None, word, other).ratio() >= threshold

    candidate = nearest(name, toggles_by_name(family))
    for typed in {name.casefold(), narrowed(name).casefold()} if candidate else ():
        words, expected = re.split("[_ -]", typed), candidate.split("_")
        pairs = zip(words, expected, strict=True) if len(words) == len(expected) else ()
        subset = set(words) < set(expected) or set(expected) < set(words)
        if not subset and similar(typed, candidate, SPELLING) and all(similar(*pair, SPELT_WORD) for pair in pairs):
            return guess(name, toggles_by_name(family))
    return ""


def _nearest_rule(family: Declaration, name: str, node: Node) -> str:
    """Return a hint with the toggles whose words resemble those of an unknown name and its value."""
    words = name.replace("_", " ").replace("-", " ")
    if isinstance(node.value, str):
        words += f" {node.text}"
    if similar := (addons().similar_toggles(game=family.name, text=words) or [])[:3]:
        return tr("similar toggles: {toggles}; all toggles: workbench rules {family}",
                  toggles=", ".join(similar), family=family.name)  # fmt: skip
    return tr("workbench rules {family} lists all toggles", family=family.name)


def read_setting(toggle: Toggle, node: Node, problems: list[Problem]) -> Setting | None:
    """Return a toggle's setting from a file; if it is invalid, append to ``problems`` and return None."""
    if isinstance(toggle, PriceList) and isinstance(node.value, dict):
        return read_price_list(toggle, node, problems)
    try:
        if isinstance(node.value, bool | int | float | str) and toggle.allows(node.value):
            if isinstance(toggle, Drawing) and toggle.is_drawn(node.value):
                toggle.validate(str(node.value))
            return node.value
        names = [setting_text(value.name) for value in toggle.values]
        looks_drawn = set(node.text) & set("./0123456789:\n") and not nearest(node.text, names)
        if isinstance(toggle, Drawing) and isinstance(node.value, str) and looks_drawn:
            text = toggle.canonical(node.value)
            toggle.validate(text)
            return text
    except DrawingError as error:
        problems.append(drawing_problem(node, error))
        return None
    hint = "" if isinstance(node.value, tuple | dict) else _remedy(toggle, node)
    problems.append(node.expected(toggle.choices(), hint))
    return None


def read_settings(family: Declaration, entries: Mapping[str, Node], problems: list[Problem]) -> dict[str, Setting]:
    """Return the valid settings in a mapping of toggles; report the others in ``problems``."""
    toggles, settings = toggles_by_name(family), {}
    for name, node in entries.items():
        if name not in toggles:
            problems.append(unknown_toggle_problem(family, name, node))
        elif (setting := read_setting(toggles[name], node, problems)) is not None:
            settings[name] = setting
    return settings


def combine_settings(
    family: Declaration, settings: Mapping[str, Setting], *changes: Mapping[str, Setting]
) -> dict[str, Setting]:
    """Return settings after successive changes; price lists are merged, later values replace all others."""
    after = dict(settings)
    for change in changes:
        after |= change
    for toggle in family.toggles:
        if isinstance(toggle, PriceList):
            lists = [layer[toggle.name] for layer in (settings, *changes) if toggle.name in layer]
            after[toggle.name] = toggle.merged(lists)
    return after


def _remedy(toggle: Toggle, node: Node) -> str:
    """Return a hint for correcting an invalid scalar, or ``""``."""
    truth = _TRUTH.get(node.text.casefold())
    if toggle.allows(yamlfile.parse_scalar(node.text)):
        return tr("write {node} without quotes", node=node.text)
    if isinstance(node.value, float) and node.value.is_integer() and toggle.allows(int(node.value)):
        return tr("write {number}", number=int(node.value))
    if (side := re.fullmatch(r"(\d+)[x×]\1", node.text.strip())) and toggle.allows(int(side[1])):
        return tr("write {number}", number=int(side[1]))
    if truth is not None and toggle.allows(truth):
        return tr("write {truth}", truth=setting_text(truth))
    if (truth is False or node.value is False) and toggle.allows("off"):
        return tr("write off")
    suggestion = nearest(node.text, [setting_text(value.name) for value in toggle.values])
    return tr("did you mean '{near}'?", near=suggestion) if suggestion and isinstance(node.value, str) else ""


def find_conflicts(family: Declaration, settings: Mapping[str, Setting]) -> list[Conflict]:
    """Return the declared conflicts among the settings of all toggles."""
    # Computing these is slow, and every ruleset needs them. Storing the declaration keeps its id from being reused.
    if id(family) not in _EXCLUDED:
        _EXCLUDED[id(family)] = family, family.excluded()
    return [conflict for conflict in _EXCLUDED[id(family)][1] if all_match(conflict.settings, settings)]


def read_contents(
    family: Declaration,
    settings: Mapping[str, Setting],
    nodes: Mapping[str, Node] | None = None,
    project: Project | None = None,
) -> dict[str, tuple[int, ...]]:
    """Return the contents of files named by settings, and of drawings, by toggle.

    ``nodes`` are the settings' positions. Files are looked up in the project, then among the shipped ones. Raises
    `InputError` for missing or invalid files and drawings, also for those that do not fit the other settings.
    """
    contents: dict[str, tuple[int, ...]] = {}
    problems: list[Problem] = []
    sources = [project or projects.find_project(), projects.shipped_project()]
    for toggle in family.toggles:
        if isinstance(toggle, Drawing) and toggle.is_drawn(settings[toggle.name]):
            try:
                contents[toggle.name] = drawings.read(family.name, toggle, settings[toggle.name], settings)
            except DrawingError as error:
                node = (nodes or {}).get(toggle.name) or Node("", 0, f"rules.{toggle.name}", None)
                problems.append(drawing_problem(node, error))
        if toggle.files is None:
            continue
        name = str(settings[toggle.name])
        folders = [source.rulesets / family.name / toggle.files.folder for source in sources]
        paths = [folder / f"{name}.yaml" for folder in folders if f"{name}.yaml" in visible_entries(folder)]
        if not paths:
            names = sorted({entry.removesuffix(".yaml") for folder in folders for entry in visible_entries(folder)})
            node = (nodes or {}).get(toggle.name) or Node("", 0, f"rules.{toggle.name}", name, name)
            problems.append(node.unknown(toggle.choices(), name, hint=guess(name, names, tr("there are {names}"))))
            continue
        try:
            contents[toggle.name] = _reader(family, toggle.files).read(_read_tree(paths[0], sources), settings)
        except InputError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise InputError(problems)
    return contents


def content_paths(project: Project) -> dict[Path, tuple[Declaration, Files]]:
    """Return every file of the project that a setting could name, with its family and its declaration."""
    paths = {}
    for family in map(games.declaration, games.names()):
        for files in {toggle.files.folder: toggle.files for toggle in family.toggles if toggle.files}.values():
            folder = project.rulesets / family.name / files.folder
            paths.update({folder / name: (family, files) for name in visible_entries(folder) if name.endswith(".yaml")})
    return paths


def check_content_file(path: Path, project: Project, rules: Callable[[str], Iterable[Mapping[str, Setting]]]) -> bool:
    """Check a file that settings could name, whether or not a ruleset does; return False for other files.

    ``rules`` returns the settings of a game's rulesets, defaults first; the file is valid if it fits some of them.
    """
    for content_path, (family, files) in content_paths(project).items():
        if os.path.abspath(path) == os.path.abspath(content_path):
            _reader(family, files).check(_read_tree(content_path, [project]), rules(family.name))
            return True
    return False


def drawing_problem(node: Node, error: DrawingError) -> Problem:
    """Return the problem with a drawing, at the line of the affected row if known."""
    problem = node.problem(error_text(error))
    if error.row is None or problem.line is None or "\n" not in node.text.strip():
        return problem
    # A multi-line block begins on the line after its key.
    return replace(problem, line=problem.line + 1 + error.row)


def visible_entries(folder: Path) -> list[str]:
    """Return the sorted entries of a folder without hidden files; empty if it cannot be read."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []


def _read_tree(path: Path, sources: Iterable[Project]) -> Node:
    """Return the root node of a file named by a setting."""
    if not any(source.contains(path) for source in sources):
        raise InputError([outside_problem(path)])
    root = yamlfile.read_yaml(path)
    if problem := projects.name_problem(path.stem):
        raise input_error(problem, tr("rename the file"), file=root.file, line=root.line)
    return root


def _reader(family: Declaration, files: Files) -> ModuleType:
    return games.module(family.name, files.folder)


PRICE_KEYS = {EACH: tr("Points for each unit beyond the free ones."), FREE: tr("Number of free units in an army.")}
"""The keys of a unit in a price list."""


def read_price_list(toggle: PriceList, node: Node, problems: list[Problem]) -> str | None:
    """Return the setting for a mapping of units to prices; if invalid, append to ``problems`` and return None."""
    entries = node.value
    assert isinstance(entries, dict)
    problem_count = len(problems)
    changes: dict[str, dict[str, int]] = {}
    if not entries:
        problems.append(node.expected(toggle.choices(), tr("write {default}", default=toggle.default)))
    for name, entry in entries.items():
        unit = toggle.unit(name)
        if unit is None:
            unit_names = [unit.name for unit in toggle.units]
            hint = "" if nearest(name, unit_names) else tr("units with a price: {known}", known=" ".join(unit_names))
            problems.append(entry.unknown(tr("a unit that can be placed"), name, unit_names, hint))
        elif isinstance(entry.value, dict):
            changes[name] = _read_unit(unit, entry, problems)
        else:
            changes[name] = _read_price(unit, EACH, entry, problems)
    return toggle.text(changes) if len(problems) == problem_count else None


def _read_unit(unit: Unit, node: Node, problems: list[Problem]) -> dict[str, int]:
    """Return the prices of a unit from a mapping."""
    assert isinstance(node.value, dict)
    numbers: dict[str, int] = {}
    if not node.value:
        problems.append(node.expected(tr("{each}, {free} or both", each=EACH, free=FREE)))
    for key, entry in node.value.items():
        if key in PRICE_KEYS:
            numbers |= _read_price(unit, key, entry, problems)
        else:
            problems.append(entry.unknown(OR.join(PRICE_KEYS), key, PRICE_KEYS))
    return numbers


def _read_price(unit: Unit, key: str, node: Node, problems: list[Problem]) -> dict[str, int]:
    """Return one number of a unit by its key; if it is invalid, append a problem and return an empty dictionary."""
    low, high = unit.bounds(key)
    if type(node.value) is int and low <= node.value <= high:
        return {key: node.value}
    noun = tr("the number of free {unit}") if key == FREE else tr("the price of {unit}")
    noun = noun.format(unit=unit.name)
    hint, number = "", parse_scalar(node.text) if isinstance(node.value, str) else node.value
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if type(number) is int:
        if type(node.value) is not int and low <= number <= high:
            hint = tr("write {meant}", meant=number)
        elif number < 0 and key == EACH and not unit.gives_back:
            hint = tr("only a king may give points back")
        elif key == FREE and number > unit.most:
            hint = tr("a player has at most {most} {unit}", most=unit.most, unit=unit.name)
    expected = tr("{expected}, a whole number from {low} to {high}", expected=noun, low=low, high=high)
    problems.append(node.expected(expected, hint))
    return {}


def price_list_schemas(toggle: PriceList) -> list[dict[str, Any]]:
    """Return the JSON Schemas of a price list as a mapping and as text."""
    units: dict[str, Any] = {}
    for unit in toggle.units:
        numbers = {}
        for key, description in PRICE_KEYS.items():
            low, high = unit.bounds(key)
            default = getattr(unit.price, key)
            numbers[key] = {
                "type": "integer", "minimum": low, "maximum": high, "default": default, "description": description
            }  # fmt: skip
        each_schema = {name: entry for name, entry in numbers[EACH].items() if name != "description"}
        detailed = {"type": "object", "minProperties": 1, "additionalProperties": False, "properties": numbers}
        units[unit.name] = {
            "description": tr("{group}: {price} in the rules' own table.", group=unit.group, price=unit.price.words()),
            "anyOf": [each_schema, detailed],
        }
    names = "|".join(unit.name for unit in toggle.units)
    entry = rf"({names})(( -?[0-9]{{1,4}})( free [0-9]{{1,4}})?| free [0-9]{{1,4}})"
    return [
        {
            "type": "object", "description": toggle.differs.format(prices=tr("these")), "minProperties": 1,
            "additionalProperties": False, "properties": units,
        },
        {
            "type": "string", "pattern": f"^{entry}(; {entry})*$",
            "description": tr("The same prices as a string, in the form used in results."),
        },
    ]  # fmt: skip


class Cost(NamedTuple):
    """The cost of an army."""

    toggle: Toggle
    """The toggle that sets up the army, which also identifies its player."""
    name: str
    points: int
    left: int
    """The rest of the budget; negative if the army is too expensive."""


def price_list(family: Declaration) -> PriceList | None:
    """Return the price list of a family, or None in games without prices."""
    return next((toggle for toggle in family.toggles if isinstance(toggle, PriceList)), None)


def _cost(prices: PriceList, settings: Mapping[str, Setting], toggle: Toggle, name: str, units: Any) -> Cost:
    points, budget = sum(prices.costs(units, settings[prices.name]).values()), settings[prices.budget]
    assert isinstance(budget, int)
    return Cost(toggle, name, points, budget - points)


def army_costs(
    family: Declaration, settings: Mapping[str, Setting], contents: Mapping[str, tuple[int, ...]]
) -> list[Cost]:
    """Return the costs of both players' armies; ``contents`` maps toggles to the contents of their files."""
    prices = price_list(family)
    costs = []
    for toggle in family.toggles:
        if prices is not None and toggle.name in prices.paid and toggle.files and toggle.name in contents:
            units = _reader(family, toggle.files).content_counts(contents[toggle.name])
            costs.append(_cost(prices, settings, toggle, str(settings[toggle.name]), units))
    return costs


def army_offers(
    family: Declaration,
    settings: Mapping[str, Setting],
    project: Project | None = None,
    names: Collection[str] | None = None,
) -> list[Cost]:
    """Return the costs of armies that fit the board, the most expensive first, optionally only certain ``names``."""
    prices = price_list(family)
    if prices is None:
        return []
    toggle = family.toggle(prices.paid[0])
    assert toggle.files is not None
    projects_in_order = [project or projects.find_project(), projects.shipped_project()]
    offered: dict[str, Cost | None] = {}
    for folder in (source.rulesets / family.name / toggle.files.folder for source in projects_in_order):
        for name in (entry.removesuffix(".yaml") for entry in visible_entries(folder) if entry.endswith(".yaml")):
            if name not in offered and (names is None or name in names):
                offered[name] = None
                with contextlib.suppress(InputError):
                    tree = _read_tree(folder / f"{name}.yaml", projects_in_order)
                    if (units := _reader(family, toggle.files).unit_counts(tree, settings)) is not None:
                        offered[name] = _cost(prices, settings, toggle, name, units)
    return sorted(filter(None, offered.values()), key=lambda cost: (-cost.points, cost.name))


def armies_over_budget(
    family: Declaration, settings: Mapping[str, Setting], project: Project | None = None
) -> list[str]:
    """Return messages about armies over budget; empty if an army has other problems."""
    prices = price_list(family)
    if prices is None:
        return []
    names = {str(settings[name]) for name in prices.paid}
    costs = army_offers(family, settings, project, names)
    text = tr("{army} costs {points} of {budget} points")
    return [
        text.format(army=cost.name, points=cost.points, budget=cost.points + cost.left)
        for cost in (costs if len(costs) == len(names) else ())
        if cost.left < 0
    ]


def setting_from_text(toggle: Toggle, text: str) -> Setting:
    """Return the setting that a text stands for in files."""
    scalar = parse_scalar(text)
    return scalar if isinstance(scalar, bool | int | float) and toggle.allows(scalar) else text
