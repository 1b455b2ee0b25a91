"""Ruleset files: parsing, inheritance and validation.

`Library` reads a file and everything that it extends, and checks all of it against the family's declaration. The checks
are hand-written, since a validation library knows neither the lines of a file nor the nearest valid name, both of which
messages need.

Resolving ``extends``: each ruleset of the ancestry applies its own settings once, ancestors first, and later parents
override earlier ones. Toggles without a setting have the family's default. So a parent passes on only what it or its
ancestors *set*: ``extends: [A, C]`` has the rules of A and those of C, although each of them leaves the other's toggle
at its default.

Leaving a toggle unchanged is meaningful only relative to a common root. Parents may have different roots, which extend
nothing: C is based on the rules of 2007-09, limited-7 on those of 2008-02. If the roots differ in a toggle that nothing
above them sets, the order of the parents cannot decide, and the file must set it under ``rules``; see
`Library._check_origins`.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench import games
from workbench.base import project as projects
from workbench.base import yamlfile
from workbench.base.errors import MORE, NONE, InputError, Problem, display_path, guess, input_error, nearest
from workbench.base.keys import DeferredValue, Key, ListOf, MappingOf, OneOf, Text, key, key_map, read_file
from workbench.base.language import AND, OR, SEMICOLON, join, quoted, tr, trc
from workbench.base.project import Project, outside_problem
from workbench.base.yamlfile import Node
from workbench.games.declaration import Conflict, Declaration, Setting, equal_settings, setting_text
from workbench.games.results import RESULT_WORDS
from workbench.rules.settings import (
    combine_settings,
    find_conflicts,
    read_setting,
    toggles_by_name,
    unknown_toggle_problem,
    visible_entries,
)


@dataclass(frozen=True)
class KnownValue:
    """The known result of best play from the start."""

    best_play: str = key(
        OneOf(("first", "second", "draw")),
        tr("The winner with best play, first or second; draw if neither."),
        "draw",
        required=True,
    )
    source: str = key(
        Text(), tr("The author of the result and where it was published."), "J. Schaeffer et al., 2007", required=True
    )
    winning_first_moves: tuple[str, ...] = key(
        ListOf("moves", Text(), once="move"),
        tr("First moves known to win for the first player, in the game's notation."),
        ["22-18"],
        default=(),
    )
    losing_first_moves: tuple[str, ...] = key(
        ListOf("moves", Text(), once="move"),
        tr("First moves known to lose for the first player."),
        ["23-19", "24-20"],
        default=(),
    )
    nodes: tuple[Node, ...] = field(default=(), compare=False, repr=False)
    """The positions of the first moves in the file."""

    def as_json(self) -> dict[str, Any]:
        """Return plain data, as printed by ``workbench show --json``."""
        moves = {name: list(getattr(self, name)) for name in ("winning_first_moves", "losing_first_moves")}
        return {"best_play": self.best_play, "source": self.source} | moves

    def describe(self) -> Iterator[str]:
        """Yield a line for each known fact."""
        yield tr("best play: {result}", result=RESULT_WORDS[self.best_play])
        yield tr("known from: {source}", source=self.source)
        if self.winning_first_moves:
            yield tr("winning first moves: {moves}", moves=", ".join(self.winning_first_moves))
        if self.losing_first_moves:
            yield tr("losing first moves: {moves}", moves=", ".join(self.losing_first_moves))


class _Known(MappingOf):
    """A known value whose lists of moves must not contradict each other."""

    def read(self, node: Node, problems: list[Problem]) -> KnownValue | None:
        """Return the known value of a node; if it is invalid, append to ``problems`` and return None."""
        problem_count = len(problems)
        values = self.values(node, problems)
        lists = (node.descendant(name).value for name in ("winning_first_moves", "losing_first_moves"))
        winning, losing = (items if isinstance(items, tuple) else () for items in lists)
        problems += [
            item.expected(tr("a move in only one of the lists"), found=tr("{item} among both", item=item.text))
            for item in losing
            if item.text in {other.text for other in winning}
        ]
        if winning and values.get("best_play") in ("second", "draw"):
            requirement = tr("no winning first moves if best_play is {best_play}", best_play=values["best_play"])
            hint = tr("write best_play: first, or omit them")
            problems.append(node.descendant("winning_first_moves").expected(requirement, hint, found=len(winning)))
        return KnownValue(**values, nodes=(*winning, *losing)) if len(problems) == problem_count else None


KNOWN = _Known("known", key_map(KnownValue))
_NAME: dict[str, Any] = {"type": ["string", "number"]}
_GAME = DeferredValue(
    lambda: {"oneOf": [{"const": name, "description": games.declaration(name).title} for name in games.names()]}
)
_PARENTS = DeferredValue(
    lambda: {"anyOf": [_NAME, {"type": "array", "items": _NAME, "minItems": 1, "uniqueItems": True}]}
)
KEYS: Mapping[str, Key] = {
    declared.name: declared
    for declared in (
        Key("game", _GAME, tr("The game family. Must match the name of the file's folder."), "chatra"),
        Key(
            "extends", _PARENTS,
            tr(
                "The ruleset that this one extends, or a list of them. If several change a toggle, the last one wins. "
                "If they extend different rulesets, the toggles in which those differ must be set under rules."
            ), ["C", "D"],
        ),
        Key(
            "title", Text(),
            tr("The title, on one line; title_ja by default."),
            "Objects first", default="", required=True, instead="title_ja",
        ),
        Key(
            "title_ja", Text(),
            tr("The Japanese title; by default the same as title."), "", default="",
        ),
        Key("source", Text(), tr("Where the rules come from."), "", default=""),
        Key(
            "known", KNOWN,
            tr(
                "The known result of best play under these rules, with its source; not part of the "
                "rules, and not inherited."
            ), None,
        ),
        Key(
            "rules", DeferredValue(lambda: {"type": ["object", "null"]}),
            tr("The toggles set by this ruleset; others are inherited from the rulesets it extends, or keep "
               "their defaults."),
            None,
        ),
    )
}  # fmt: skip
"""The keys of a ruleset file."""

LONGEST_ANCESTRY = 50
SOLVED = "solved"
"""The subfolder of small solved rulesets in a family's folder: controls, not proposals."""
TRIED = "tried"
"""The subfolder of rules that were tried in the studio before being saved."""


@dataclass(eq=False)
class RulesetFile:
    """A ruleset file as far as it is valid, with its problems."""

    name: str
    path: Path
    family: Declaration | None = None
    title: str = ""
    title_ja: str = ""
    source: str = ""
    known: KnownValue | None = None
    parents: list[tuple[str, Node]] = field(default_factory=list)
    """Full names with their nodes."""
    own: dict[str, Setting] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    """The positions of the settings in `own`."""
    unclear: set[str] = field(default_factory=set)
    """Toggles with an invalid setting."""
    problems: list[Problem] = field(default_factory=list)
    complete: bool = True
    """True if all its rules and parents are known, so that conflicts can be detected."""
    ancestry: list[RulesetFile] = field(default_factory=list)
    """Ancestors in the order of application, itself last; filled in by `Library.resolve`."""
    depth: int = 1
    """The length of the longest chain of ancestors, itself included."""
    conflicts: list[Conflict] = field(default_factory=list)

    def settings(self) -> dict[str, Setting]:
        """Return all toggles of the family, as set by the ancestry."""
        assert self.family is not None
        return combine_settings(self.family, self.family.defaults(), *(file.own for file in self.ancestry))

    def refuse(self, problem: Problem) -> None:
        """Add a problem that hides rules or parents."""
        self.problems.append(problem)
        self.complete = False

    def origin(self, toggle: str) -> str:
        """Return a hint that tells where a toggle's setting comes from."""
        if file := next((file for file in reversed(self.ancestry) if toggle in file.nodes), None):
            node = file.nodes[toggle]
            return tr("{toggle} is set in {file}:{line}", toggle=toggle, file=node.file, line=node.line)
        return tr("{toggle} has its default value", toggle=toggle)


class Library:
    """The ruleset files of one project, each read once; ``drafts`` replace the texts of files by name."""

    def __init__(self, project: Project | None = None, drafts: Mapping[str, str] | None = None) -> None:
        self.project = project or projects.find_project()
        self.drafts = drafts or {}
        paths = {name: self.project.rulesets / f"{name}.yaml" for name in self.drafts}
        self.catalogue = dict(sorted((_catalogue(self.project) | paths).items()))
        """The files by name, sorted."""
        self._files: dict[str, RulesetFile] = {}

    @functools.cached_property
    def unlisted(self) -> dict[str, Path]:
        """Files in special subfolders such as ``star/solved/tiny``: never listed, suggested or extended."""
        return _catalogue(self.project, SOLVED) | _catalogue(self.project, TRIED)

    def resolve(self, name_or_path: str | Path) -> RulesetFile:
        """Return a named ruleset's file, or any YAML file, with its ancestry; raise `InputError` with all problems."""
        file, problems = self.examine(name_or_path)
        if problems:
            raise InputError(problems)
        return file

    def examine(self, name_or_path: str | Path) -> tuple[RulesetFile, list[Problem]]:
        """Return a file as far as it is valid, with all problems of the file and its ancestors."""
        file = self._requested(name_or_path)
        self._resolve_ancestry(file, ())
        problems = [sorted(each.problems, key=lambda problem: problem.line or 0) for each in reversed(file.ancestry)]
        return file, list(itertools.chain.from_iterable(problems))

    def known_settings(self, game: str) -> list[dict[str, Setting]]:
        """Return the settings of all valid rulesets of a game, the defaults first."""
        settings = [games.declaration(game).defaults()]
        for name in (*self.catalogue, *self.unlisted):
            if name.startswith(f"{game}/"):
                with contextlib.suppress(InputError):
                    settings.append(self.resolve(name).settings())
        return settings

    def _requested(self, name_or_path: str | Path) -> RulesetFile:
        """Return the file with the name or path typed by a user."""
        text = str(name_or_path)
        if text in self.catalogue:
            return self._named(text)
        paths = self.catalogue | self.unlisted
        if isinstance(name_or_path, Path) or text.endswith((".yaml", ".yml")):
            path = Path(name_or_path)
            for name, other in paths.items():
                if os.path.abspath(path) == os.path.abspath(other):
                    return self._named(name)
            if not os.path.lexists(path):
                similar = _near_ruleset(f"{path.parent.name}/{path.stem}", self.catalogue)
                hint = tr("did you mean the ruleset '{near}'?", near=similar) if similar else ""
                raise input_error(tr("there is no such file"), hint, file=display_path(path))
            return self._read(path, None)
        name = unicodedata.normalize("NFC", text)
        if name not in paths:
            similar = _near_ruleset(name, self.catalogue)
            family = [other for other in self.catalogue if other.startswith(name.partition("/")[0] + "/")]
            hint = tr("did you mean '{near}'?", near=similar) if similar else guess("", family or self.catalogue)
            raise InputError([Node("", 0, "", text).unknown(tr("the name of a ruleset"), text, hint=hint)])
        return self._named(name)

    def _named(self, name: str) -> RulesetFile:
        if name not in self._files:
            self._files[name] = self._read(self.catalogue.get(name) or self.unlisted[name], name)
        return self._files[name]

    def _resolve_ancestry(self, file: RulesetFile, trail: tuple[RulesetFile, ...]) -> None:
        """Determine a file's ancestry, and the problems that depend on it."""
        if file.ancestry:
            return
        chain = (*trail, file)
        for position, (name, node) in enumerate(file.parents):
            parent = self._named(name)
            if parent in chain:
                names = " -> ".join(member.name for member in (*chain[chain.index(parent) :], parent))
                cycle = tr("the circle {names}", names=names)
                file.refuse(node.expected(tr("rulesets without circular extension"), found=cycle))
                continue
            if len(chain) <= LONGEST_ANCESTRY:
                self._resolve_ancestry(parent, chain)
            if len(chain) > LONGEST_ANCESTRY or parent.depth > LONGEST_ANCESTRY:
                limit = tr("at most {most} levels of extension", most=LONGEST_ANCESTRY)
                file.refuse(node.expected(limit, found=MORE))
                continue
            file.depth = max(file.depth, parent.depth + 1)
            new = [ancestor for ancestor in parent.ancestry if ancestor not in file.ancestry]
            if position > 0 and not any(ancestor.own or ancestor.problems for ancestor in new):
                redundant = tr("'{name}', which adds no rules to the previous ones", name=node.text)
                hint = tr("omit it, or write the intended settings under rules")
                file.problems.append(node.expected(tr("a ruleset that adds rules"), hint, found=redundant))
            file.ancestry += new
        file.ancestry.append(file)
        if file.family is not None and all(ancestor.complete for ancestor in file.ancestry):
            self._check_origins(file, file.family)
            self._check_conflicts(file, file.family)

    def _check_origins(self, file: RulesetFile, family: Declaration) -> None:
        """Report toggles that differ between the roots of a file's parents, unless a setting overrides them."""
        defaults = family.defaults()
        for position, (name, node) in enumerate(file.parents):
            roots = self._origins(name)
            earlier_roots = [root for earlier, _ in file.parents[:position] for root in self._origins(earlier)]
            refused = any((problem.line, problem.key) == (node.line, node.key) for problem in file.problems)
            if not earlier_roots or refused or any(root in earlier_roots for root in roots):
                continue
            written = set().union(*(member.own for member in file.ancestry if member.parents or member is file))
            unclear = set().union(*(member.unclear for member in file.ancestry))
            here, there = (combine_settings(family, defaults, root.own) for root in (roots[-1], earlier_roots[-1]))
            differing = [
                toggle.name
                for toggle in family.toggles
                if not equal_settings(here[toggle.name], there[toggle.name]) and toggle.name not in written | unclear
            ]
            if differing:
                other = earlier_roots[-1]
                earlier = next(each for each, _ in reversed(file.parents[:position]) if other in self._origins(each))
                starts = tr("{first} extends {first_base} and {second} extends {second_base}").format(
                    first=_own_name(earlier), first_base=_own_name(other.name),
                    second=_own_name(name), second_base=_own_name(roots[-1].name),
                )  # fmt: skip
                choices = [[f"{key}: {setting_text(base[key])}" for base in (there, here)] for key in differing]
                names, both = ", ".join(differing), ", ".join(map(" / ".join, choices))
                needed = tr("{names} under rules, since the bases differ: {starts}", names=names, starts=starts)
                either = AND.join(map(OR.join, choices))
                file.problems.append(node.expected(needed, tr("write {either} under rules", either=either), found=both))

    def _origins(self, name: str) -> list[RulesetFile]:
        """Return the roots of a ruleset's ancestry, in order of application."""
        return [file for file in self._named(name).ancestry if not file.parents]

    def _check_conflicts(self, file: RulesetFile, family: Declaration) -> None:
        file.conflicts = find_conflicts(family, file.settings())
        inherited = [conflict for name, _ in file.parents for conflict in self._named(name).conflicts]
        unclear = set().union(*(member.unclear for member in file.ancestry))
        for conflict in file.conflicts:
            if conflict in inherited or not unclear.isdisjoint(conflict.settings):
                continue
            writers = [member for member in file.ancestry if any(name in member.own for name in conflict.settings)]
            nodes = (node for name, node in writers[-1].nodes.items() if name in conflict.settings)
            last = max(nodes, key=lambda node: node.line)
            other_names, settings = [name for name in conflict.settings if f"rules.{name}" != last.key], file.settings()
            names = (last.key.removeprefix("rules."), *other_names)
            combined = [f"{name}: {setting_text(settings[name])}" for name in names]
            place_text = "" if writers[-1] is file else tr(" in {file}", file=file.name)
            separator = trc("settings", " with ")
            message = tr("found {combined}{where}; {message}").format(
                combined=join(separator, combined), where=place_text, message=conflict.message
            )
            file.problems.append(last.problem(message, SEMICOLON.join(map(file.origin, other_names))))

    def _read(self, path: Path, name: str | None) -> RulesetFile:
        """Read a file and check it without its parents; ``name`` is None outside the project."""
        file = RulesetFile(name or str(path), path)
        if name_problem := projects.name_problem(path.stem):
            file.problems.append(Problem(display_path(path), 1, None, name_problem, tr("rename the file")))
        if name and not self.project.contains(path):
            file.refuse(outside_problem(path))
            return file
        try:
            if name and name in self.drafts:
                root = yamlfile.parse_yaml(self.drafts[name], display_path(path), file.problems)
            else:
                root = yamlfile.read_yaml(path, file.problems)
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
        toggles = toggles_by_name(file.family).keys() - KEYS.keys() if file.family else set()
        for yaml_key, node in entries.items():
            if yaml_key in toggles:
                hint = tr("{key} belongs under rules", key=yaml_key)
                file.refuse(node.unknown_key(tr("a key of {owner}", owner=tr("a ruleset")), yaml_key, hint=hint))
            # A misspelt extends or rules may hide settings.
            file.complete &= yaml_key in KEYS or nearest(yaml_key, KEYS) not in ("extends", "rules")
        known = replace(root, value={yaml_key: node for yaml_key, node in entries.items() if yaml_key not in toggles})
        values = read_file(known, KEYS, tr("a ruleset"), file.problems)
        file.title, file.title_ja = values["title"] or values["title_ja"], values["title_ja"]
        file.source, file.known = values["source"], values["known"]
        if "extends" in entries:
            self._read_parents(file, entries["extends"])
        if "rules" in entries:
            _read_rules(file, entries["rules"])
        return file

    def _read_parents(self, file: RulesetFile, node: Node) -> None:
        items = node.value if isinstance(node.value, tuple) else (node,)
        if not items:
            file.refuse(node.expected(tr("the name of a ruleset or a list of them")))
        for item in items:
            if not item.is_scalar:
                file.refuse(item.expected(tr("the name of a ruleset")))
                continue
            if file.family is None:
                continue
            game = file.family.name
            name = unicodedata.normalize("NFC", item.text)
            folder, _, stem = name.rpartition("/")
            full_name = f"{folder or game}/{stem}"
            if full_name in self.catalogue and folder in ("", game):
                file.parents.append((full_name, item))
                continue
            noun, actual = tr("the name of a ruleset of {game}", game=game), quoted(item.text)
            if full_name in self.catalogue:
                file.refuse(item.expected(noun, found=tr("'{name}', a ruleset of {game}", name=name, game=folder)))
                continue
            siblings = [_own_name(name) for name in self.catalogue if name.startswith(f"{game}/") and name != file.name]
            similar = _near_ruleset(stem.removesuffix(".yaml"), siblings)
            if "/" in folder or name.startswith((".", "/", "~")) or stem.endswith((".yaml", ".yml")):
                actual, hint = tr("the path '{path}'", path=name), tr("rulesets are given by name, not as files")
            else:
                hint = guess("", siblings, tr("the rulesets of {game} are {names}", game=game))
            hint = tr("did you mean '{near}'?", near=similar) if similar else hint
            file.refuse(item.expected(noun, hint, found=actual))


def _game(file: RulesetFile, root: Node, node: Node | None, folder: str | None) -> Declaration | None:
    """Return the family to check a file against, and report problems with its ``game``."""
    game_names = games.names()
    fallback = games.declaration(folder) if folder in game_names else None
    expected_game = tr("a game ({games})", games=OR.join(game_names))
    if node is None:
        file.refuse(replace(root, key="game").expected(expected_game, found=NONE))
        return fallback
    if node.is_scalar and node.text in (refused := games.refused()):
        file.refuse(node.problem(refused[node.text]))
        return None
    if not node.is_scalar or node.text not in game_names:
        hint = guess(node.text, game_names) if node.is_scalar else ""
        file.refuse(node.expected(expected_game, hint))
        return fallback
    if folder and node.text != folder:
        expected_folder = tr("'{folder}', the name of the file's folder", folder=folder)
        file.refuse(node.expected(expected_folder, tr("or move the file to rulesets/{game}", game=node.text)))
    return games.declaration(node.text)


def _read_rules(file: RulesetFile, node: Node) -> None:
    if node.value is None:
        return
    if not isinstance(node.value, dict):
        file.refuse(node.expected(tr("toggles and their values")))
        return
    if file.family is None:
        return
    toggles = toggles_by_name(file.family)
    for name, entry in node.value.items():
        toggle = toggles.get(name)
        if toggle is None:
            hint = tr("{name} belongs at the top level, not under rules", name=name) if name in KEYS else ""
            file.refuse(unknown_toggle_problem(file.family, name, entry, hint))
        elif (setting := read_setting(toggle, entry, file.problems)) is None:
            file.unclear.add(name)
        else:
            file.own[name] = setting
            file.nodes[name] = entry


def _catalogue(project: Project, subfolder: str = "") -> dict[str, Path]:
    """Return the sorted ruleset files in the families' folders, or in a subfolder of each, by name."""
    root = project.rulesets
    return yamlfile.index_by_name(
        (f"{folder}/{os.path.splitext(entry)[0]}", root / folder / entry)
        for folder in (f"{family}/{subfolder}" if subfolder else family for family in visible_entries(root))
        for entry in visible_entries(root / folder)
        if os.path.splitext(entry)[1] == ".yaml"
    )


def _near_ruleset(name: str, known: Collection[str]) -> str:
    """Return the known ruleset with the same parts or a similar name, also in a misspelt game; "" if none."""
    stem = _own_name(name).casefold()
    by_stem: dict[str, str] = {}
    for candidate in known:
        candidate_stem = _own_name(candidate)
        if sorted(stem.split("+")) == sorted(candidate_stem.casefold().split("+")):
            return candidate
        by_stem.setdefault(candidate_stem, candidate)
    game_part, slash, _ = name.partition("/")
    similar = nearest(stem, by_stem)
    misspelt = not slash or (not similar and game_part not in games.names())
    if misspelt and (game := nearest(game_part, games.names())):
        current = f"{game}/{games.declaration(game).current}"
        return current if current in known else next((name for name in known if name.startswith(f"{game}/")), "")
    return by_stem[similar] if similar else ""


def _own_name(name: str) -> str:
    return name.rpartition("/")[2]
