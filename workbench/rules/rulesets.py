"""Rulesets: the rules of one variant of a game, with every toggle set.

`load_ruleset` gives the `Ruleset` of a YAML file that names a game, the rulesets it extends and the toggles that it
sets; see `workbench.rules.ruleset_files`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench import games
from workbench.base.errors import InputError, Problem, abbreviated, guess, hide_internal_frames
from workbench.base.language import bilingual, tr, translated
from workbench.base.project import Project
from workbench.base.yamlfile import Node, node_of_value, read_small_file, snapshot
from workbench.games.declaration import (
    COMMON,
    NO_SWAP,
    SWAP,
    Declaration,
    Setting,
    Toggle,
    equal_settings,
    setting_text,
)
from workbench.games.drawings import Drawing
from workbench.games.wording import setting_words
from workbench.rules.ruleset_files import TRIED, KnownValue, Library
from workbench.rules.settings import (
    combine_settings,
    find_conflicts,
    read_contents,
    read_settings,
)

LONGEST_HEAD = 24
"""Letters of a title that is a name."""
LONGEST_LABEL = 40
"""Characters."""


@dataclass(frozen=True, repr=False)
class Ruleset:
    """The rules of one variant, resolved. Where they come from has no part in whether two are equal."""

    name: str
    """Such as ``chatra/C+D``."""
    game: str
    """The family, such as ``chatra``."""
    title: str
    """One line of English."""
    title_ja: str
    """The same in Japanese, or nothing."""
    source: str = field(compare=False)
    """Where the rules are from."""
    parents: tuple[str, ...] = field(compare=False)
    """The names of the rulesets that it extends, nearest first."""
    own: Mapping[str, Setting] = field(compare=False)
    """The settings that the ruleset itself writes."""
    settings: Mapping[str, Setting]
    """Every toggle of the family, in its order."""
    fingerprint: str
    """16 hex digits, equal for equal rules; see `rules_fingerprint`."""
    path: Path | None = field(compare=False)
    """The file that it was read from, if any."""
    contents: Mapping[str, tuple[int, ...]] = field(default_factory=dict, compare=False)
    """The content of the files that settings name, and of drawings, by toggle: `declaration.Files`,
    `games.drawings`."""
    project: Project | None = field(default=None, compare=False)
    """Where such files are looked up."""
    known: KnownValue | None = field(default=None, compare=False)
    """The result of best play, as the ruleset's own file gives it."""
    label: str = field(default="", compare=False)
    """Its name in charts and reports; where it is empty, they shorten the names of all."""

    @property
    def swap_ply(self) -> int:
        """The ply after which the second player may take the first side; 0: never."""
        code = COMMON[0].code(self.settings.get(SWAP, NO_SWAP))
        assert isinstance(code, int)
        return code

    @property
    def unswapped(self) -> Ruleset:
        """The same rules where players keep their sides: what players learn, what is solved, and what ladders play."""
        if not self.swap_ply:
            return self
        settings = {**self.settings, SWAP: NO_SWAP}
        fingerprint = rules_fingerprint(games.declaration(self.game), settings, self.contents)
        return replace(self, settings=settings, fingerprint=fingerprint)

    @property
    def heading(self) -> str:
        """Its title in both languages."""
        return bilingual(en=self.title, ja=self.title_ja)

    @classmethod
    def from_provenance(cls, entry: Mapping[str, Any]) -> Ruleset:
        """Return the ruleset of an entry of ``provenance.json``.

        Of a game that is not here the settings stay as they are written.
        """
        name, game, title, title_ja, fingerprint = (
            str(entry.get(key) or "") for key in ("name", "game", "title", "title_ja", "fingerprint")
        )
        settings, contents = dict(entry.get("settings") or {}), {}
        if game in games.names():
            family = games.declaration(game)
            settings = {**family.defaults(), **settings}
            contents = read_contents(family, settings)
        label = str(entry.get("label") or "")
        return cls(name, game, title, title_ja, "", (), {}, settings, fingerprint, None, contents, label=label)

    def __repr__(self) -> str:
        return f"<Ruleset {self.name}: {self.title}>"

    def __hash__(self) -> int:
        return hash((self.name, self.fingerprint))

    @hide_internal_frames
    def derive(self, /, name: str = "", title: str = "", *, label: str = "", **settings: Any) -> Ruleset:
        """Return the ruleset with some toggles set otherwise.

        Examples:
            >>> load_ruleset("star/default").derive(pieces=2)
            <Ruleset star/default pieces=2: The star game as its author plays it; Pieces: 2>
            >>> load_ruleset("star/default").derive(pieces=2, label="few").name
            'star/few'

        Args:
            name: its name in records; if left out, the label, or else the name of this one and what is set.
            title: its title; if left out, that of this one and what is set.
            label: what charts and reports call it, to the letter; if left out, they shorten its name.
            settings: toggles and their values, as under ``rules`` in a ruleset's file.

        Raises:
            InputError: there is no such toggle or value, it makes no sense with the rest, or the label is no text of
                one short line; all problems.
        """
        family = games.declaration(self.game)
        problems: list[Problem] = []
        if not isinstance(label, str) or not label.isprintable() or len(label) > LONGEST_LABEL:
            what = tr("at most {most} characters on one line", most=LONGEST_LABEL)
            problems.append(Node("", 0, "label", None).expected(what, found=abbreviated(repr(label))))
        nodes: dict[str, Node] = {}
        for toggle, value in settings.items():
            before = len(problems)
            node = node_of_value(value, f"rules.{toggle}", problems)
            if len(problems) == before:
                nodes[toggle] = node
        changes = read_settings(family, nodes, problems)
        if problems:
            raise InputError(replace(problem, line=None) for problem in problems)
        changed = ", ".join(f"{toggle}={setting_text(setting)}" for toggle, setting in changes.items())
        after = {**self.settings, **changes}
        set_to = [tr("{toggle}: {setting}", toggle=one.title, setting=setting_words(self.game, one, after))
                  for one in map(family.toggle, changes)]  # fmt: skip
        own = name or label or f"{self.name}{',' if ' ' in self.name and changed else ''} {changed}".rstrip()
        derived = derive_ruleset(
            self,
            changes,
            own if own.startswith(f"{self.game}/") else f"{self.game}/{own}",
            title or "; ".join(filter(None, (self.title, ", ".join(map(str, set_to))))),
            title or "、".join(filter(None, (self.title_ja or self.title, *(translated(one, "ja") for one in set_to)))),
        )
        return replace(derived, label=label)

    def codes(self) -> dict[str, int | tuple[int, ...]]:
        """Return the integers that the kernel reads, by toggle, in the family's order."""
        return games.declaration(self.game).codes(self.settings) | dict(self.contents)

    def rules(self) -> Any:
        """Return the kernel's ``Rules`` tuple (imports Numba)."""
        from workbench.engine.trials import make_rules

        return make_rules(self.game, self.codes())

    def text(self) -> list[str]:
        """The rules in plain language: what no toggle touches, a sentence for each toggle, how squares are named."""
        family = games.declaration(self.game)
        toggles = (sentence for _, sentence in family.sentences(self.settings))
        return [*family.summary, *toggles, *family.square_naming(self.settings)]


@snapshot()
def load_ruleset(name_or_path: str | Path, project: Project | None = None, library: Library | None = None) -> Ruleset:
    """Return the ruleset of a name such as ``chatra/C``, or of a YAML file anywhere.

    Names are looked up in the project. A file outside of its ``rulesets/`` belongs to the game that it names, and may
    extend the project's rulesets. To load several rulesets, pass a ``library`` instead of the project.

    Raises:
        InputError: all problems of the file and of the rulesets that it extends.
    """
    library = library or Library(project)
    file = library.resolved(name_or_path)
    assert file.family is not None
    settings = file.settings()
    nodes = {name: node for one in file.ancestry for name, node in one.nodes.items()}
    contents = read_contents(file.family, settings, nodes, library.project)
    return Ruleset(
        name=file.name,
        game=file.family.name,
        title=file.title,
        title_ja=file.title_ja,
        source=file.source,
        parents=tuple(name for name, _ in file.parents),
        own=file.own,
        settings=settings,
        fingerprint=rules_fingerprint(file.family, settings, contents),
        path=file.path,
        contents=contents,
        project=library.project,
        known=file.known,
    )


@snapshot()
def load_all_rulesets(project: Project | None = None) -> list[Ruleset]:
    """Every ruleset of the project, sorted by name; reads each file once."""
    library = Library(project)
    loaded, problems = [], []
    for name in library.catalogue:
        try:
            loaded.append(load_ruleset(name, library=library))
        except InputError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise InputError(problems)
    return loaded


@snapshot()
def known_values_by_fingerprint(
    project: Project | None = None, families: Collection[str] | None = None
) -> dict[str, KnownValue]:
    """The known results of best play under the project's rulesets, by fingerprint; files with problems are passed over.

    Only files of the families are opened, of all if none are named, and only those parsed that have the key's letters.
    """
    found: dict[str, KnownValue] = {}
    try:
        library = Library(project)
    except InputError:
        return found
    for name, path in (library.catalogue | library.apart).items():
        if families is None or name.partition("/")[0] in families:
            with contextlib.suppress(InputError):
                if b"known" in read_small_file(path, "YAML file") and library.resolved(name).known is not None:
                    ruleset = load_ruleset(name, library=library)
                    assert ruleset.known is not None
                    found[ruleset.fingerprint] = ruleset.known
    return found


def ruleset_names(project: Project | None = None) -> list[str]:
    """Return the names of the project's rulesets, sorted; the files are not read."""
    return list(Library(project).catalogue)


@dataclass(frozen=True)
class NamedRules:
    """The settings of a ruleset with its name and titles."""

    name: str
    title: str
    title_ja: str
    settings: Mapping[str, Setting]

    @property
    def heading(self) -> str:
        """Its title in both languages."""
        return bilingual(en=self.title, ja=self.title_ja)


def current_ruleset(game: str, library: Library) -> str:
    """The ruleset of a family to begin with: the current one, or one that extends no other; "" if there is none."""
    listed = [name for name in library.catalogue if name.startswith(f"{game}/")]
    if game in games.names() and (current := f"{game}/{games.declaration(game).current}") in listed:
        return current
    return min(listed, key=lambda name: bool(library.examined(name)[0].parents), default="")


def tried_ruleset_names(project: Project | None = None) -> list[str]:
    """The names of the rules that were tried out before they were saved, which no list of rulesets shows, sorted."""
    return [name for name in Library(project).apart if name.split("/")[1] == TRIED]


@snapshot()
def with_saved_titles(rulesets: Sequence[Ruleset], project: Project | None = None) -> tuple[Ruleset, ...]:
    """The rulesets, those that were tried out called as the ruleset of the project that has the same rules, if any."""
    named: dict[str, Ruleset] = {}
    tried = [each for each in rulesets if is_tried(each.name)]
    library = Library(project) if tried else None
    for name in library.catalogue if library else ():
        if any(name.startswith(f"{each.game}/") for each in tried):
            with contextlib.suppress(InputError):
                saved = load_ruleset(name, library=library)
                named.setdefault(saved.fingerprint, saved)

    def called(ruleset: Ruleset) -> Ruleset:
        saved = named.get(ruleset.fingerprint)
        if saved is None or ruleset not in tried:
            return ruleset
        own = saved.name.rpartition("/")[2]
        return replace(ruleset, title=saved.title or own, title_ja=saved.title_ja or own, label=saved.heading or own)

    return tuple(map(called, rulesets))


def title_head(ruleset: Ruleset) -> str:
    """The Japanese title up to what explains it: "C案" of "C案：…"; nothing if it is long, or says what is varied."""
    head = re.split("：|（", ruleset.title_ja)[0]
    return "" if " " in ruleset.name or len(head) > LONGEST_HEAD else head


def is_tried(name: str) -> bool:
    """Return whether a name is that of rules that were tried out before they had a file of their own."""
    return name.split("/")[1:2] == [TRIED]


def kernel_codes(game: str, settings: Mapping[str, Setting]) -> dict[str, int | tuple[int, ...]]:
    """Return the kernel's numbers for settings of every toggle, whether or not a ruleset may combine them."""
    declaration = games.declaration(game)
    return declaration.codes(settings) | read_contents(declaration, settings)


def derive_ruleset(
    ruleset: Ruleset, changes: Mapping[str, Setting], name: str, title: str, title_ja: str = ""
) -> Ruleset:
    """Return the ruleset with some toggles set otherwise.

    Raises:
        InputError: a change is not allowed, or makes no sense with the rest; all such problems.
    """
    family = games.declaration(ruleset.game)
    problems: list[Problem] = []
    nodes = {toggle: node_of_value(setting, f"rules.{toggle}") for toggle, setting in changes.items()}
    read_settings(family, nodes, problems)
    problems = [replace(problem, line=None) for problem in problems]
    if not problems:
        settings = combine_settings(family, ruleset.settings, changes)
        problems = [
            Problem("", None, ", ".join(f"rules.{toggle}" for toggle in conflict.settings), conflict.message)
            for conflict in find_conflicts(family, settings)
        ]
    if problems:
        raise InputError(problems)
    contents = read_contents(family, settings, project=ruleset.project)
    return Ruleset(
        name=name,
        game=ruleset.game,
        title=title,
        title_ja=title_ja,
        source=ruleset.source,
        parents=(ruleset.name,),
        own=dict(changes),
        settings=settings,
        fingerprint=rules_fingerprint(family, settings, contents),
        path=None,
        contents=contents,
        project=ruleset.project,
    )


def setting_differences(a: Ruleset, b: Ruleset) -> list[tuple[Toggle, Setting, Setting]]:
    """Return the toggles that two rulesets of one game set differently, with both settings."""
    if a.game != b.game:
        raise ValueError(tr("{a} and {b} are rulesets of two games", a=a.name, b=b.name))
    return [
        (toggle, a.settings[toggle.name], b.settings[toggle.name])
        for toggle in games.declaration(a.game).toggles
        if not equal_settings(a.settings[toggle.name], b.settings[toggle.name])
    ]


def rules_fingerprint(
    family: Declaration, settings: Mapping[str, Setting], contents: Mapping[str, tuple[int, ...]] | None = None
) -> str:
    """16 hex digits that stand for the rules: equal if and only if the resolved rules are.

    They are the start of the SHA-256 of ``{"game", "rules", "version"}`` as compact JSON with sorted keys and ASCII
    only, where ``rules`` holds only the settings that differ from the family's default. Hence spelling out a default
    changes nothing, and neither does a toggle that the family gains later, as long as its default is the old rule.
    Titles, sources, file names and parents have no part in it. Of a file that a setting names, what it holds counts,
    whatever its name, and so does what a drawing means: ``contents`` maps the toggle to it.
    """
    contents = dict(contents or {})
    # What is drawn counts, however it is written: a drawing of what a named value says is that value.
    settings = dict(settings)
    for toggle in family.toggles:
        named = toggle.named(contents.get(toggle.name, (-1,))) if isinstance(toggle, Drawing) else None
        if named is not None:
            settings[toggle.name] = named
            contents.pop(toggle.name, None)
    rules: dict[str, Any] = {
        name: setting
        for name, setting in settings.items()
        if name not in contents
        and family.toggle(name).files is None
        and not equal_settings(setting, family.toggle(name).default)
    }
    content = {"game": family.name, "version": family.version, "rules": rules | contents}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()[:16]


def first_move_problems(ruleset: Ruleset) -> list[Problem]:
    """Return the problems of the first moves that a ruleset's file names; loads the kernel of the game if it names any.

    Each must be legal, and not all may lose where the first player does not.
    """
    known = ruleset.known
    if known is None or not known.nodes:
        return []
    from workbench.positions.game_state import GameState

    start = GameState(ruleset.game, ruleset.codes())
    legal = start.legal_texts()
    problems = [
        place.expected(
            tr("a legal first move"),
            guess(place.text, legal, tr("legal are {names}")),
            tr("{place}: {why_not}", place=place.text, why_not=start.why_not(place.text)),
        )
        for place in known.nodes
        if place.text not in legal
    ]
    if not problems and known.best_play != "second" and set(legal) <= set(known.losing_first_moves):
        what = tr("a first move that does not lose, since best_play is {best_play}", best_play=known.best_play)
        problems.append(known.nodes[0].expected(what, found=tr("all {count}", count=len(legal))))
    return problems
