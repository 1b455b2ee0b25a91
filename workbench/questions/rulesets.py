"""Rulesets: YAML files that name a game, the rulesets they extend, and the toggles that they set.

The way of a file: `load` reads it and everything that it extends, checks all of it against the family's declaration,
and gives a `Ruleset` with every toggle set. The checks are written by hand against the declaration, since a validation
library knows neither the lines of a file nor the nearest valid name, and both are what a message is for.

How ``extends`` resolves: each ruleset of the ancestry writes its own rules once, ancestors before what extends them,
and among several parents later ones win. What nobody writes has the family's default. So a parent passes on only
what it or its ancestors *write*: ``extends: [A, C]`` has the rules of A and those of C, although each of them leaves
the other's toggle at its default.

That a parent left a toggle as it was means something only against a ruleset that both parents start from. Parents may
start from two different ones (rulesets that extend nothing): C from the rules of 2007-09, limited-7 from those of
2008-02. Where these two differ and nothing above them writes the toggle, neither order of the parents says which rule
is meant, and the file has to write it under ``rules``; see `_Loader.check_origins`.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from workbench import games
from workbench.files import project as project_module
from workbench.files import yamlfile
from workbench.files.project import Project
from workbench.files.yamlfile import InputError, Node, Problem, guess, nearest
from workbench.games.declaration import Conflict, Declaration, Files, Setting, Toggle, same, text

KEYS = {
    "game": "The game family. Must be the name of the folder that holds the file.",
    "extends": "The ruleset that this one starts from, or a list of them. Of toggles that several of them change, the "
    "later one's value counts. If they start from different rulesets, where these differ has to be said under rules.",
    "title": "What the rules are called, in a line; title_ja stands in for it where it is left out.",
    "title_ja": "The same in Japanese; title stands in for it where it is left out.",
    "source": "Where the rules come from.",
    "rules": "The toggles that this ruleset sets. All others are as in the rulesets it extends, or at their defaults.",
}
"""What a ruleset file may hold."""

LONGEST_ANCESTRY = 50


@dataclass(frozen=True)
class Ruleset:
    """The rules of one variant, resolved."""

    name: str
    """Such as ``chatra/C+D``."""
    game: str
    title: str
    title_ja: str
    source: str
    parents: tuple[str, ...]
    own: Mapping[str, Setting]
    """What the ruleset itself writes."""
    settings: Mapping[str, Setting]
    """Every toggle of the family, in its order."""
    fingerprint: str
    """16 hex digits, equal for equal rules; see `fingerprint`."""
    path: Path | None
    contents: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """What the files hold that settings name, by toggle; see `declaration.Files`."""
    project: Project | None = None
    """Where such files are looked up."""

    def codes(self) -> dict[str, int | tuple[int, ...]]:
        """The integers that the kernel reads, by toggle, in the family's order."""
        toggles = games.declaration(self.game).toggles
        return {t.name: self.contents.get(t.name, t.code(self.settings[t.name])) for t in toggles}

    def rules(self) -> Any:
        """The kernel's ``Rules`` tuple (imports Numba)."""
        from workbench.engine.trials import rules_of

        return rules_of(self.game, tuple(self.codes().values()))

    def text(self) -> list[str]:
        """The rules in plain language: what no toggle touches, then a sentence for each toggle."""
        family = games.declaration(self.game)
        return [*family.summary, *(t.sentence(self.settings[t.name]) for t in family.toggles)]


def load(name_or_path: str | Path, project: Project | None = None) -> Ruleset:
    """The ruleset of a name such as ``chatra/C``, or of a YAML file anywhere.

    Names are looked up in the project. A file outside of its ``rulesets/`` belongs to the game that it names, and may
    extend the project's rulesets.

    Raises:
        InputError: all problems of the file and of the rulesets that it extends.
    """
    return _Loader(project).ruleset(name_or_path)


def load_all(project: Project | None = None) -> list[Ruleset]:
    """Every ruleset of the project, sorted by name; reads each file once.

    Raises:
        InputError: the problems of all of them.
    """
    loader = _Loader(project)
    found, problems = [], []
    for name in loader.catalogue:
        try:
            found.append(loader.ruleset(name))
        except InputError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise InputError(problems)
    return found


def names(project: Project | None = None) -> list[str]:
    """The names of the project's rulesets, sorted; the files are not read."""
    return list(_Loader(project).catalogue)


def codes_of(game: str, settings: Mapping[str, Setting]) -> tuple[int | tuple[int, ...], ...]:
    """What the kernel reads for settings of every toggle, whether or not a ruleset may combine them.

    Raises:
        InputError: a file that a setting names cannot be read.
    """
    toggles = games.declaration(game).toggles
    contents = _contents(games.declaration(game), settings, {}, None, {})
    return tuple(contents.get(toggle.name, toggle.code(settings[toggle.name])) for toggle in toggles)


def derive(ruleset: Ruleset, changes: Mapping[str, Setting], name: str, title: str, title_ja: str = "") -> Ruleset:
    """The ruleset with some toggles set otherwise.

    Raises:
        InputError: a change is not allowed, or makes no sense with the rest; all such problems.
    """
    family = games.declaration(ruleset.game)
    problems = []
    for toggle_name, setting in changes.items():
        toggle = _toggles(family).get(toggle_name)
        written = text(setting) if isinstance(setting, bool) else str(setting)
        node = Node("", 0, f"rules.{toggle_name}", setting, written)
        wrong = unknown_toggle(family, node) if toggle is None else wrong_setting(toggle, node)
        if wrong:
            problems.append(Problem("", None, wrong.key, wrong.message, wrong.hint))
    settings = {**ruleset.settings, **changes}
    if not problems:
        problems = [
            Problem("", None, ", ".join(f"rules.{toggle}" for toggle in conflict.settings), conflict.message)
            for conflict in _conflicts(family, settings)
        ]
    if problems:
        raise InputError(problems)
    contents = _contents(family, settings, {}, ruleset.project, {})
    return Ruleset(
        name=name,
        game=ruleset.game,
        title=title,
        title_ja=title_ja,
        source=ruleset.source,
        parents=(ruleset.name,),
        own=dict(changes),
        settings=settings,
        fingerprint=fingerprint(family, settings, contents),
        path=None,
        contents=contents,
        project=ruleset.project,
    )


def difference(a: Ruleset, b: Ruleset) -> list[tuple[Toggle, Setting, Setting]]:
    """The toggles that two rulesets of one game set differently, with both settings.

    Raises:
        ValueError: they are rulesets of two games.
    """
    if a.game != b.game:
        raise ValueError(f"{a.name} and {b.name} are rulesets of two games")
    return [
        (toggle, a.settings[toggle.name], b.settings[toggle.name])
        for toggle in games.declaration(a.game).toggles
        if not same(a.settings[toggle.name], b.settings[toggle.name])
    ]


def fingerprint(
    family: Declaration, settings: Mapping[str, Setting], contents: Mapping[str, tuple[int, ...]] | None = None
) -> str:
    """16 hex digits that stand for the rules: equal if and only if the resolved rules are.

    They are the start of the SHA-256 of ``{"game", "rules", "version"}`` as compact JSON with sorted keys and ASCII
    only, where ``rules`` holds only the settings that differ from the family's default. Hence spelling out a default
    changes nothing, and neither does a toggle that the family gains later, as long as its default is the old rule.
    Titles, sources, file names and parents have no part in it. Of a file that a setting names, what it holds counts,
    whatever its name: ``contents`` maps the toggle to it.
    """
    rules: dict[str, Any] = {
        name: setting
        for name, setting in settings.items()
        if family.toggle(name).files is None and not same(setting, family.toggle(name).default)
    }
    content = {"game": family.name, "version": family.version, "rules": rules | dict(contents or {})}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()[:16]


def unknown_toggle(family: Declaration, node: Node) -> Problem:
    """The problem of a toggle name (the last part of the node's key) that the family does not have."""
    name = node.key.rpartition("rules.")[2]
    hint = f"{name} belongs at the top level, not under rules" if name in KEYS else ""
    hint = hint or guess(name, _toggles(family), f"the toggles of {family.name} are")
    return node.problem(f"expected a toggle of {family.name}, found the unknown key '{name}'", hint)


def wrong_setting(toggle: Toggle, node: Node) -> Problem | None:
    """The problem of a value that the toggle does not allow; None if it does."""
    if toggle.allows(node.value):
        return None
    hint = ""
    if not isinstance(node.value, tuple | dict):
        meant = {"yes": True, "on": True, "no": False, "off": False}.get(node.text.casefold())
        unquoted = yamlfile.scalar(node.text)
        words = [text(value.name) for value in toggle.values]
        if toggle.allows(unquoted):
            hint = f"write {node.text} without quotes"
        elif isinstance(node.value, float) and node.value.is_integer() and toggle.allows(int(node.value)):
            hint = f"write {int(node.value)}"
        elif meant is not None and toggle.allows(meant):
            hint = f"write {text(meant)}"
        elif (meant is False or node.value is False) and toggle.allows("off"):
            hint = "write off"
        elif isinstance(node.value, str) and (near := nearest(node.text, words)):
            hint = f"did you mean '{near}'?"
    return node.problem(f"expected {toggle.choices()}, found {node.found()}", hint)


def schema(game: str | None = None) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ruleset files, for editors; of one game's files if it is named.

    Raises:
        KeyError: there is no such game.
    """
    families = [games.declaration(name) for name in ([game] if game else games.names())]
    name = {"type": ["string", "number"]}
    properties: dict[str, Any] = {
        "game": {"oneOf": [{"const": family.name, "description": family.title} for family in families]},
        "extends": {"anyOf": [name, {"type": "array", "items": name, "minItems": 1, "uniqueItems": True}]},
        "title": {"type": ["string", "number"], "minLength": 1},
        "title_ja": {"type": ["string", "number"], "minLength": 1},
        "source": {"type": ["string", "number"], "minLength": 1},
        "rules": {"type": ["object", "null"]},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Ruleset",
        "description": "Rules of a game: the rulesets it extends, and the toggles that it sets otherwise.",
        "type": "object",
        "properties": {key: {"description": KEYS[key], **rest} for key, rest in properties.items()},
        "required": ["game"],
        "anyOf": [{"required": ["title"]}, {"required": ["title_ja"]}],
        "additionalProperties": False,
        "allOf": [
            {
                "if": {"properties": {"game": {"const": family.name}}, "required": ["game"]},
                "then": {"properties": {"rules": {"$ref": f"#/$defs/{family.name}"}}},
            }
            for family in families
        ],
        "$defs": {family.name: _schema_of_rules(family) for family in families},
    }


def _schema_of_rules(family: Declaration) -> dict[str, Any]:
    return {
        "description": f"Toggles of {family.title}.",
        "type": ["object", "null"],
        "properties": {
            toggle.name: {
                "title": toggle.title,
                "description": f"{toggle.title}. Default: {text(toggle.default)}. Source: {toggle.source}.",
                "default": toggle.default,
                "oneOf": _schema_of_values(toggle),
            }
            for toggle in family.toggles
        },
        "additionalProperties": False,
    }


def _schema_of_values(toggle: Toggle) -> list[dict[str, Any]]:
    values: list[dict[str, Any]] = [{"const": v.name, "description": v.sentence} for v in toggle.values]
    if toggle.files:
        values.append({"type": "string", "description": toggle.files.sentence.replace("{n}", "so named")})
    if toggle.span:
        numbers: dict[str, Any] = {
            "type": "integer" if toggle.span.step == 1 else "number",
            "minimum": toggle.span.low,
            "maximum": toggle.span.high,
            "description": toggle.span.sentence.replace("{n}", "n"),
        }
        if toggle.span.step != 1:
            numbers["multipleOf"] = toggle.span.step
        if named := [v.name for v in toggle.values if type(v.name) is int]:
            numbers["not"] = {"enum": named}
        values.append(numbers)
    return values


def _toggles(family: Declaration) -> dict[str, Toggle]:
    return {toggle.name: toggle for toggle in family.toggles}


def _conflicts(family: Declaration, settings: Mapping[str, Setting]) -> list[Conflict]:
    return [
        conflict
        for conflict in family.conflicts
        if all(any(same(settings[name], one) for one in part) for name, part in conflict.settings.items())
    ]


@dataclass(eq=False)
class _File:
    """A ruleset file as far as it could be read, and what is wrong with it."""

    name: str
    path: Path
    family: Declaration | None = None
    title: str = ""
    title_ja: str = ""
    source: str = ""
    parents: list[tuple[str, Node]] = field(default_factory=list)
    """Full names, and where they are written."""
    own: dict[str, Setting] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    """Where each setting of `own` is written."""
    unclear: set[str] = field(default_factory=set)
    """Toggles that are set to what they do not allow."""
    problems: list[Problem] = field(default_factory=list)
    complete: bool = True
    """Whether all its rules and parents are known, so that conflicts can be told."""
    ancestry: list[_File] = field(default_factory=list)
    """In the order of writing, itself last; filled by `_Loader.climb`."""
    conflicts: list[Conflict] = field(default_factory=list)

    def settings(self) -> dict[str, Setting]:
        assert self.family is not None
        settings = self.family.defaults()
        for file in self.ancestry:
            settings.update(file.own)
        return settings

    def refuse(self, problem: Problem) -> None:
        self.problems.append(problem)
        self.complete = False


class _Loader:
    """Reads the rulesets of one project, each file once."""

    def __init__(self, where: Project | None) -> None:
        self.project = where or project_module.find()
        self.catalogue = _catalogue(self.project)
        self.files: dict[str, _File] = {}
        self.read_files: Read = {}

    def ruleset(self, name_or_path: str | Path) -> Ruleset:
        file = self.requested(name_or_path)
        self.climb(file, ())
        problems = [
            problem
            for one in reversed(file.ancestry)
            for problem in sorted(one.problems, key=lambda problem: problem.line or 0)
        ]
        if problems:
            raise InputError(problems)
        assert file.family is not None
        settings = file.settings()
        nodes = {name: node for one in file.ancestry for name, node in one.nodes.items()}
        contents = _contents(file.family, settings, nodes, self.project, self.read_files)
        return Ruleset(
            name=file.name,
            game=file.family.name,
            title=file.title,
            title_ja=file.title_ja,
            source=file.source,
            parents=tuple(name for name, _ in file.parents),
            own=file.own,
            settings=settings,
            fingerprint=fingerprint(file.family, settings, contents),
            path=file.path,
            contents=contents,
            project=self.project,
        )

    def requested(self, name_or_path: str | Path) -> _File:
        """The file that a user asks for.

        Raises:
            InputError: there is no ruleset of that name.
        """
        asked = str(name_or_path)
        if isinstance(name_or_path, Path) or asked.endswith((".yaml", ".yml")):
            path = Path(name_or_path)
            for name, known in self.catalogue.items():
                if os.path.abspath(path) == os.path.abspath(known):
                    return self.named(name)
            if not os.path.lexists(path):
                near = _near_ruleset(f"{path.parent.name}/{path.stem}", self.catalogue)
                hint = f"did you mean the ruleset '{near}'?" if near else ""
                raise InputError([Problem(yamlfile.shown(path), None, None, "there is no such file", hint)])
            return self.read(path, None)
        name = unicodedata.normalize("NFC", asked)
        if name not in self.catalogue:
            near = _near_ruleset(name, self.catalogue)
            family = [one for one in self.catalogue if one.startswith(name.partition("/")[0] + "/")]
            hint = f"did you mean '{near}'?" if near else guess("", family or self.catalogue)
            raise InputError([Problem("", None, None, f"expected the name of a ruleset, found '{asked}'", hint)])
        return self.named(name)

    def named(self, name: str) -> _File:
        if name not in self.files:
            self.files[name] = self.read(self.catalogue[name], name)
        return self.files[name]

    def climb(self, file: _File, trail: tuple[_File, ...]) -> None:
        """Fills in the ancestry of a file, and the problems that only its ancestry shows."""
        if file.ancestry:
            return
        below = (*trail, file)
        for position, (name, node) in enumerate(file.parents):
            parent = self.named(name)
            if parent in below:
                names = " -> ".join(one.name for one in (*below[below.index(parent) :], parent))
                file.refuse(node.problem(f"expected rulesets that do not extend each other, found the circle {names}"))
                continue
            if len(below) > LONGEST_ANCESTRY:
                file.refuse(node.problem(f"expected at most {LONGEST_ANCESTRY} rulesets in a row, found more"))
                continue
            self.climb(parent, below)
            new = [one for one in parent.ancestry if one not in file.ancestry]
            if position > 0 and not any(one.own or one.problems for one in new):
                file.problems.append(
                    node.problem(
                        f"expected a ruleset that adds something, found '{node.text}', which writes no rules that "
                        "those before it have not",
                        "leave it out, or write the rules you want under rules",
                    )
                )
            file.ancestry += new
        file.ancestry.append(file)
        if file.family is not None and all(one.complete for one in file.ancestry):
            self.check_origins(file, file.family)
            self.check_conflicts(file, file.family)

    def check_origins(self, file: _File, family: Declaration) -> None:
        """Notes the toggles in which the rulesets that a file's parents start from differ, unless something sets them.

        A ruleset that extends nothing sets every toggle: what it writes, and all others to the defaults.
        """
        defaults = family.defaults()
        for position, (name, node) in enumerate(file.parents):
            mine = self.origins(name)
            known = [one for earlier, _ in file.parents[:position] for one in self.origins(earlier)]
            told = any((problem.line, problem.key) == (node.line, node.key) for problem in file.problems)
            if not known or told or any(one in known for one in mine):
                continue
            written = set().union(*(one.own for one in file.ancestry if one.parents or one is file))
            unclear = set().union(*(one.unclear for one in file.ancestry))
            here, there = (defaults | one.own for one in (mine[-1], known[-1]))
            differing = [
                toggle.name
                for toggle in family.toggles
                if not same(here[toggle.name], there[toggle.name]) and toggle.name not in written | unclear
            ]
            if differing:
                earlier = next(one for one, _ in reversed(file.parents[:position]) if known[-1] in self.origins(one))
                wanted = ", ".join(differing)
                found = ", ".join(f"{each}: {text(there[each])} / {text(here[each])}" for each in differing)
                file.problems.append(
                    node.problem(
                        f"expected {wanted} under rules, since {_last(earlier)} starts from {_last(known[-1].name)} "
                        f"and {_last(name)} from {_last(mine[-1].name)}, which differ; found {found}",
                        "write " + " and ".join(
                            f"{each}: {text(there[each])} or {each}: {text(here[each])}" for each in differing
                        ) + " under rules",
                    )
                )  # fmt: skip

    def origins(self, name: str) -> list[_File]:
        """The rulesets that extend nothing among a ruleset and its ancestors, in the order of writing."""
        return [one for one in self.named(name).ancestry if not one.parents]

    def check_conflicts(self, file: _File, family: Declaration) -> None:
        file.conflicts = _conflicts(family, file.settings())
        inherited = [conflict for name, _ in file.parents for conflict in self.named(name).conflicts]
        unclear = set().union(*(one.unclear for one in file.ancestry))
        for conflict in file.conflicts:
            if conflict in inherited or not unclear.isdisjoint(conflict.settings):
                continue
            writers = [one for one in file.ancestry if any(name in one.own for name in conflict.settings)]
            last = max(
                (node for name, node in writers[-1].nodes.items() if name in conflict.settings),
                key=lambda node: node.line,
            )
            others = [name for name in conflict.settings if f"rules.{name}" != last.key]
            found = [f"{name}: {text(file.settings()[name])}" for name in (last.key.removeprefix("rules."), *others)]
            where = "" if writers[-1] is file else f" in {file.name}"
            message = f"found {' with '.join(found)}{where}; {conflict.message}"
            file.problems.append(last.problem(message, "; ".join(_writer(file, name) for name in others)))

    def read(self, path: Path, name: str | None) -> _File:
        """A file with the problems that show without its parents; `name` is None outside of the project."""
        file = _File(name or str(path), path)
        if name and not self.project.inside(path):
            target = os.path.realpath(path)
            message = f"expected a file inside the project folder, found a link to {target}"
            file.refuse(Problem(yamlfile.shown(path), None, None, message, "copy the file into the project"))
            return file
        try:
            root = yamlfile.read(path, file.problems)
        except InputError as error:
            file.problems, file.complete = error.problems, False
            return file
        file.complete = not file.problems
        assert isinstance(root.value, dict)
        entries = root.value
        folder = name.partition("/")[0] if name else None
        file.family = _game(file, root, entries.get("game"), folder)
        if name is None and file.family is not None:
            file.name = f"{file.family.name}/{unicodedata.normalize('NFC', path.stem)}"
        toggles = _toggles(file.family) if file.family else {}
        for key, node in entries.items():
            if key not in KEYS:
                hint = f"{key} belongs under rules" if key in toggles else guess(key, KEYS)
                file.problems.append(node.problem(f"expected {_either(KEYS)}, found the unknown key '{key}'", hint))
                # a key that was to be extends, rules or a toggle may hide settings
                file.complete &= key not in toggles and nearest(key, KEYS) not in ("extends", "rules")
        if "title" not in entries and "title_ja" not in entries:
            file.problems.append(Problem(root.file, root.line, "title", "expected a title (or title_ja), found none"))
        file.title, file.title_ja, file.source = (
            _line_of_text(file, entries.get(key)) for key in ("title", "title_ja", "source")
        )
        file.title = file.title or file.title_ja
        if "extends" in entries:
            self.read_parents(file, entries["extends"])
        if "rules" in entries:
            _read_rules(file, entries["rules"])
        return file

    def read_parents(self, file: _File, node: Node) -> None:
        items = node.value if isinstance(node.value, tuple) else (node,)
        if not items:
            file.refuse(node.problem("expected the name of a ruleset or a list of them, found an empty list"))
        for item in items:
            if not item.is_scalar:
                file.refuse(item.problem(f"expected the name of a ruleset, found {item.found()}"))
                continue
            if file.family is None:
                continue
            game = file.family.name
            name = unicodedata.normalize("NFC", item.text)
            folder, _, own = name.rpartition("/")
            full = f"{folder or game}/{own}"
            if full in self.catalogue and folder in ("", game):
                file.parents.append((full, item))
                continue
            expected = f"expected the name of a ruleset of {game}"
            if full in self.catalogue:
                file.refuse(item.problem(f"{expected}, found '{item.text}', which is one of {folder}"))
                continue
            known = [_last(one) for one in self.catalogue if one.startswith(f"{game}/") and one != file.name]
            near = _near_ruleset(own.removesuffix(".yaml"), known)
            if "/" in folder or name.startswith((".", "/", "~")) or own.endswith((".yaml", ".yml")):
                expected, hint = f"{expected}, found the path '{item.text}'", "rulesets are named, not given as files"
            else:
                expected, hint = f"{expected}, found '{item.text}'", guess("", known, f"the rulesets of {game} are")
            file.refuse(item.problem(expected, f"did you mean '{near}'?" if near else hint))


Read = dict[Path, tuple[Node, list[Problem]]]
"""Files that were read, each with what is wrong with it as a file."""


def _contents(
    family: Declaration,
    settings: Mapping[str, Setting],
    nodes: Mapping[str, Node],
    project: Project | None,
    known: Read,
) -> dict[str, tuple[int, ...]]:
    """What the files hold that settings name, by toggle; ``nodes`` are the places where the settings are written.

    They are looked up in the project and, where it has none of the name, among those that came with the workbench.

    Raises:
        InputError: there is no such file, or it is wrong, or does not go with the other settings.
    """
    found: dict[str, tuple[int, ...]] = {}
    problems: list[Problem] = []
    places = [project or project_module.find(), project_module.shipped()]
    for toggle in family.toggles:
        if toggle.files is None:
            continue
        name = str(settings[toggle.name])
        folders = [(place, place.rulesets / family.name / toggle.files.folder) for place in places]
        paths = [folder / f"{name}.yaml" for _, folder in folders if f"{name}.yaml" in _listed(folder)]
        if not paths:
            names = {entry.removesuffix(".yaml"): 0 for _, folder in folders for entry in _listed(folder)}
            node = nodes.get(toggle.name, Node("", 0, f"rules.{toggle.name}", name, name))
            problem = node.problem(f"expected {toggle.choices()}, found '{name}'", guess(name, names, "there are"))
            problems.append(problem if node.file else Problem("", None, node.key, problem.message, problem.hint))
            continue
        try:
            root = _content_file(paths[0], places, known)
            found[toggle.name] = _reader(family, toggle.files).read(root, settings)
        except InputError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise InputError(problems)
    return found


def _content_file(path: Path, places: Iterable[Project], known: Read) -> Node:
    """The tree of a file that a setting names; read once.

    Raises:
        InputError: it cannot be read, or is a link that leads out of the project.
    """
    if path not in known:
        if not any(place.inside(path) for place in places):
            message = f"expected a file inside the project folder, found a link to {os.path.realpath(path)}"
            raise InputError([Problem(yamlfile.shown(path), None, None, message, "copy the file into the project")])
        problems: list[Problem] = []
        known[path] = yamlfile.read(path, problems), problems
    root, problems = known[path]
    if problems:
        raise InputError(problems)
    return root


def _reader(family: Declaration, files: Files) -> ModuleType:
    return importlib.import_module(f"workbench.games.{family.name}.{files.folder}")


def content_files(where: Project) -> dict[Path, tuple[Declaration, Files]]:
    """Every file of the project that a setting could name, such as an army, with the family and what it is."""
    found = {}
    for family in map(games.declaration, games.names()):
        for files in {toggle.files.folder: toggle.files for toggle in family.toggles if toggle.files}.values():
            folder = where.rulesets / family.name / files.folder
            found.update({folder / name: (family, files) for name in _listed(folder) if name.endswith(".yaml")})
    return found


def check_content(path: Path, where: Project) -> bool:
    """Checks a file that settings could name, whatever ruleset names it; False if this is no such file.

    Raises:
        InputError: all that is wrong with it.
    """
    for known, (family, files) in content_files(where).items():
        if os.path.abspath(path) == os.path.abspath(known):
            _reader(family, files).check(_content_file(known, [where], {}))
            return True
    return False


def _catalogue(where: Project) -> dict[str, Path]:
    """The ruleset files of a project by name, sorted.

    Raises:
        InputError: two names look the same.
    """
    return yamlfile.by_name(
        (f"{folder}/{os.path.splitext(entry)[0]}", where.rulesets / folder / entry)
        for folder in _listed(where.rulesets)
        for entry in _listed(where.rulesets / folder)
        if os.path.splitext(entry)[1] == ".yaml"
    )


def _listed(folder: Path) -> list[str]:
    """What a folder holds, hidden files left out; nothing if it is no folder that this user may read."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []


def _near_ruleset(name: str, known: Iterable[str]) -> str:
    """The known name that has the same parts (``D+C`` for ``C+D``) or is spelt alike, whatever the game; or ``""``."""
    wanted = _last(name).casefold()
    ends: dict[str, str] = {}
    for candidate in known:
        end = _last(candidate)
        if sorted(wanted.split("+")) == sorted(end.casefold().split("+")):
            return candidate
        ends.setdefault(end, candidate)
    near = nearest(wanted, ends)
    return ends[near] if near else ""


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _game(file: _File, root: Node, node: Node | None, folder: str | None) -> Declaration | None:
    """The family whose toggles a file is checked against; notes what is wrong with its ``game``."""
    known = games.names()
    fallback = games.declaration(folder) if folder in known else None
    if node is None:
        file.refuse(Problem(root.file, root.line, "game", f"expected a game ({_either(known)}), found none"))
        return fallback
    if not node.is_scalar or node.text not in known:
        hint = guess(node.text, known) if node.is_scalar else ""
        file.refuse(node.problem(f"expected a game ({_either(known)}), found {node.found()}", hint))
        return fallback
    if folder and node.text != folder:
        message = f"expected '{folder}', the folder that holds the file, found '{node.text}'"
        file.refuse(node.problem(message, f"or move the file to rulesets/{node.text}"))
    return games.declaration(node.text)


def _line_of_text(file: _File, node: Node | None) -> str:
    """A text of a file with its line breaks turned into spaces."""
    if node is None:
        return ""
    words = " ".join(node.text.split())
    if not node.is_scalar or isinstance(node.value, bool) or not words:
        file.problems.append(node.problem(f"expected text, found {node.found()}"))
        return ""
    return words


def _read_rules(file: _File, node: Node) -> None:
    if node.value is None:
        return
    if not isinstance(node.value, dict):
        file.refuse(node.problem(f"expected toggles and their values, found {node.found()}"))
        return
    if file.family is None:
        return
    toggles = _toggles(file.family)
    for name, entry in node.value.items():
        toggle = toggles.get(name)
        wrong = unknown_toggle(file.family, entry) if toggle is None else wrong_setting(toggle, entry)
        if wrong and toggle:
            file.problems.append(wrong)
            file.unclear.add(name)
        elif wrong:
            file.refuse(wrong)
        elif isinstance(entry.value, bool | int | float | str):
            file.own[name] = entry.value
            file.nodes[name] = entry


def _writer(file: _File, toggle: str) -> str:
    """Where the setting of a toggle comes from, in words."""
    for one in reversed(file.ancestry):
        if toggle in one.nodes:
            return f"{toggle} is set in {one.nodes[toggle].file}:{one.nodes[toggle].line}"
    return f"{toggle} has its default"


def _either(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last
