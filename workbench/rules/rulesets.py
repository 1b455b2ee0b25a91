"""Rulesets: the rules of one variant of a game, with every toggle set.

`load_ruleset` reads the `Ruleset` of a YAML file; see `workbench.rules.ruleset_files`.
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
from workbench.base.errors import InputError, Problem, abbreviated, expected, guess, hide_internal_frames, input_error
from workbench.base.language import bilingual, in_all, join_list, tr, translated
from workbench.base.project import Project
from workbench.base.yamlfile import Node, node_from_value, read_small_file, snapshot
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
from workbench.rules.settings import combine_settings, find_conflicts, read_contents, read_settings

LONGEST_TITLE = {"en": 48, "ja": 24}
"""The maximum length of a title used as a name, and of an automatic title, in characters."""
LONGEST_LABEL = 40
"""In characters."""


@dataclass(frozen=True, repr=False)
class Ruleset:
    """The resolved rules of one variant. Their origin does not matter for equality."""

    name: str
    """Such as ``chatra/C+D``."""
    game: str
    """The family, such as ``chatra``."""
    title: str
    """In one line of English."""
    title_ja: str
    """The same in Japanese, or empty."""
    source: str = field(compare=False)
    """The origin of the rules."""
    parents: tuple[str, ...] = field(compare=False)
    """The names of the extended rulesets, nearest first."""
    own: Mapping[str, Setting] = field(compare=False)
    """The settings written in the ruleset's own file."""
    settings: Mapping[str, Setting]
    """All toggles of the family, in its order."""
    fingerprint: str
    """16 hex digits, equal for equal rules; see `rules_fingerprint`."""
    path: Path | None = field(compare=False)
    """The file of the ruleset, if any."""
    contents: Mapping[str, tuple[int, ...]] = field(default_factory=dict, compare=False)
    """The contents of files named by settings, and of drawings, by toggle: `declaration.Files`, `games.drawings`."""
    project: Project | None = field(default=None, compare=False)
    """The project of these files."""
    known: KnownValue | None = field(default=None, compare=False)
    """The known result of best play, from the ruleset's own file."""
    label: str = field(default="", compare=False)
    """Its name in charts and reports; by default a shortened `name`."""

    @property
    def swap_ply(self) -> int:
        """The ply after which the second player may take the first side; 0: never."""
        code = COMMON[0].code(self.settings.get(SWAP, NO_SWAP))
        assert isinstance(code, int)
        return code

    @property
    def unswapped(self) -> Ruleset:
        """The same rules without swapping sides, used for training, solving and ladders."""
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
        """Return the ruleset recorded in ``provenance.json``; without the game, the settings stay unchanged."""
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
        """Return a variant of the ruleset with some toggles changed.

        Examples:
            >>> load_ruleset("star/default").derive(pieces=2)
            <Ruleset star/default pieces=2: The star game as its author plays it; Pieces: 2>
            >>> load_ruleset("star/default").derive(pieces=2, label="few").name
            'star/few'

        Args:
            name: the name in records, by default the label, or else this ruleset's name followed by the changes.
            title: the title, by default this ruleset's title followed by the changes.
            label: the exact name in charts and reports, by default a shortened name.
            settings: toggles and their values, as under ``rules`` in a ruleset's file.

        Raises:
            InputError: a toggle or value does not exist, the settings conflict, or the label is not one short line;
                all problems are listed.
        """
        family = games.declaration(self.game)
        problems: list[Problem] = []
        if not isinstance(label, str) or not label.isprintable() or len(label) > LONGEST_LABEL:
            valid_label = tr("at most {most} characters on one line", most=LONGEST_LABEL)
            problems.append(Node("", 0, "label", None).expected(valid_label, found=abbreviated(repr(label))))
        nodes = {toggle: node_from_value(value, f"rules.{toggle}", problems) for toggle, value in settings.items()}
        invalid = {problem.key for problem in problems}
        valid_nodes = {toggle: node for toggle, node in nodes.items() if node.key not in invalid}
        changes = read_settings(family, valid_nodes, problems)
        if problems:
            raise InputError(replace(problem, line=None) for problem in problems)
        changed = ", ".join(f"{toggle}={setting_text(setting)}" for toggle, setting in changes.items())
        after = {**self.settings, **changes}
        phrases = [tr("{toggle}: {setting}", toggle=toggle.title, setting=setting_words(self.game, toggle, after))
                   for toggle in map(family.toggle, changes)]  # fmt: skip
        name = name or label or f"{self.name}{',' if ' ' in self.name and changed else ''} {changed}".rstrip()
        name = name if name.startswith(f"{self.game}/") else f"{self.game}/{name}"
        english = title or "; ".join(filter(None, (self.title, ", ".join(map(str, phrases)))))
        japanese = [self.title_ja or self.title, *(translated(phrase, "ja") for phrase in phrases)]
        derived = derive_ruleset(self, changes, name, english, title or "、".join(filter(None, japanese)))
        return replace(derived, label=label)

    def codes(self) -> dict[str, int | tuple[int, ...]]:
        """Return the integers read by the kernel, by toggle, in the family's order."""
        return games.declaration(self.game).codes(self.settings) | dict(self.contents)

    def rules(self) -> Any:
        """Return the kernel's ``Rules`` tuple (imports Numba)."""
        from workbench.engine.trials import make_rules

        return make_rules(self.game, self.codes())

    def text(self) -> list[str]:
        """Return the rules as sentences: the fixed part, one for each toggle, and the naming of squares."""
        family = games.declaration(self.game)
        toggles = (sentence for _, sentence in family.sentences(self.settings))
        return [*family.summary, *toggles, *family.square_naming(self.settings)]


@snapshot()
def load_ruleset(name_or_path: str | Path, project: Project | None = None, library: Library | None = None) -> Ruleset:
    """Return the ruleset with a name such as ``chatra/C``, or the ruleset of any YAML file.

    Names are looked up in the project. A file elsewhere belongs to the game that it names, and may extend the project's
    rulesets. To load several rulesets, pass a ``library`` instead of the project. Raises `InputError` with all problems
    of the file and of the rulesets that it extends.
    """
    library = library or Library(project)
    file = library.resolve(name_or_path)
    assert file.family is not None
    settings = file.settings()
    nodes = {name: node for ancestor in file.ancestry for name, node in ancestor.nodes.items()}
    contents = read_contents(file.family, settings, nodes, library.project)
    return Ruleset(
        file.name, file.family.name, file.title, file.title_ja, file.source, tuple(name for name, _ in file.parents),
        file.own, settings, rules_fingerprint(file.family, settings, contents), file.path, contents, library.project,
        file.known,
    )  # fmt: skip


@snapshot()
def load_all_rulesets(project: Project | None = None) -> list[Ruleset]:
    """Return all rulesets of the project, sorted by name."""
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
    """Return the known results of best play by fingerprint; files with problems are skipped.

    Only the given families' files are opened (by default all), and parsed only if they contain the key.
    """
    values: dict[str, KnownValue] = {}
    try:
        library = Library(project)
    except InputError:
        return values
    for name, path in (library.catalogue | library.unlisted).items():
        if families is None or name.partition("/")[0] in families:
            with contextlib.suppress(InputError):
                if b"known" in read_small_file(path, "YAML file"):
                    ruleset = load_ruleset(name, library=library)
                    values |= {ruleset.fingerprint: ruleset.known} if ruleset.known else {}
    return values


def ruleset_names(project: Project | None = None) -> list[str]:
    """Return the names of the project's rulesets, sorted, without reading their files."""
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
    """Return a family's current ruleset, or else one without parents; "" if the family has no ruleset."""
    listed = [name for name in library.catalogue if name.startswith(f"{game}/")]
    if game in games.names() and (current := f"{game}/{games.declaration(game).current}") in listed:
        return current
    return min(listed, key=lambda name: bool(library.examine(name)[0].parents), default="")


def tried_ruleset_names(project: Project | None = None) -> list[str]:
    """Return the names of rules that were tried before being saved, which no list of rulesets contains."""
    return [name for name in Library(project).unlisted if name.split("/")[1] == TRIED]


@snapshot()
def with_saved_titles(rulesets: Sequence[Ruleset], project: Project | None = None) -> tuple[Ruleset, ...]:
    """Return the rulesets; tried ones have the title of a saved ruleset with the same rules, or of their file."""
    tried_games = {ruleset.game for ruleset in rulesets if is_tried(ruleset.name)}
    if not tried_games:
        return tuple(rulesets)
    saved_rulesets: dict[str, Ruleset] = {}
    library = Library(project)
    for name in library.catalogue:
        if name.partition("/")[0] in tried_games:
            with contextlib.suppress(InputError):
                saved = load_ruleset(name, library=library)
                saved_rulesets.setdefault(saved.fingerprint, saved)
    renamed = []
    for ruleset in rulesets:
        if is_tried(ruleset.name) and ruleset.fingerprint in saved_rulesets:
            saved = saved_rulesets[ruleset.fingerprint]
            name = saved.name.rpartition("/")[2]
            title, title_ja = saved.title or name, saved.title_ja or name
            ruleset = replace(ruleset, title=title, title_ja=title_ja, label=saved.heading or name)
        elif is_tried(ruleset.name):
            with contextlib.suppress(InputError):
                present = load_ruleset(ruleset.name, library=library)
                ruleset = replace(ruleset, title=present.title, title_ja=present.title_ja)
        renamed.append(ruleset)
    return tuple(renamed)


def short_titles(heading: str) -> dict[str, str]:
    """Return in each language the start of a title such as "C: objects first", or else the title; "" if it is too long.

    >>> short_titles(bilingual(en="C: objects first", ja="C案（オブジェクトが先）"))
    {'en': 'C', 'ja': 'C案'}
    >>> short_titles("公園版（三つ並べ）")
    {'en': '公園版（三つ並べ）', 'ja': '公園版（三つ並べ）'}
    """
    english, japanese = in_all(heading)
    head = re.split(": " if ": " in english else ", ", english, maxsplit=1)[0]
    head_ja = re.split("：|（" if head != english else "：", japanese, maxsplit=1)[0]
    # Without a counterpart in the other language, "Chess: no castling" and words in brackets are whole names.
    if english == japanese:
        head = head_ja = english.partition(": ")[0]
    texts = {"en": head if head_ja != japanese or head == head_ja else english, "ja": head_ja}
    return {language: text if len(text) <= LONGEST_TITLE[language] else "" for language, text in texts.items()}


def is_tried(name: str) -> bool:
    """Return whether a name belongs to rules that were tried before being saved."""
    return name.split("/")[1:2] == [TRIED]


def kernel_codes(game: str, settings: Mapping[str, Setting]) -> dict[str, int | tuple[int, ...]]:
    """Return the kernel's integers for settings of all toggles, even if no ruleset may combine these."""
    declaration = games.declaration(game)
    return declaration.codes(settings) | read_contents(declaration, settings)


def derive_ruleset(
    ruleset: Ruleset, changes: Mapping[str, Setting], name: str, title: str, title_ja: str = ""
) -> Ruleset:
    """Return the ruleset with some toggles changed; raise `InputError` with all invalid changes and conflicts."""
    family = games.declaration(ruleset.game)
    problems: list[Problem] = []
    nodes = {toggle: node_from_value(setting, f"rules.{toggle}") for toggle, setting in changes.items()}
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
    return replace(
        ruleset, name=name, title=title, title_ja=title_ja, parents=(ruleset.name,), own=dict(changes),
        settings=settings, fingerprint=rules_fingerprint(family, settings, contents), path=None, contents=contents,
        known=None, label="",
    )  # fmt: skip


def setting_differences(a: Ruleset, b: Ruleset) -> list[tuple[Toggle, Setting, Setting]]:
    """Return the toggles that differ between two rulesets of one game, with both settings."""
    if a.game != b.game:
        raise input_error(expected(tr("rulesets of one game"), join_list((a.name, b.name))))
    return _differences(games.declaration(a.game), a.settings, b.settings)


def changes_from_default(ruleset: Ruleset) -> list[tuple[Toggle, Setting, Setting]]:
    """Return the toggles that differ from the family's defaults, with the default and the setting."""
    family = games.declaration(ruleset.game)
    return _differences(family, family.defaults(), ruleset.settings)


def _differences(
    family: Declaration, a: Mapping[str, Setting], b: Mapping[str, Setting]
) -> list[tuple[Toggle, Setting, Setting]]:
    return [
        (toggle, a[toggle.name], b[toggle.name])
        for toggle in family.toggles
        if not equal_settings(a[toggle.name], b[toggle.name])
    ]


def rules_fingerprint(
    family: Declaration, settings: Mapping[str, Setting], contents: Mapping[str, tuple[int, ...]] | None = None
) -> str:
    """Return 16 hex digits that are equal if and only if the resolved rules are.

    They start the SHA-256 of ``{"game", "rules", "version"}`` as compact ASCII JSON with sorted keys, where ``rules``
    has only settings that differ from the family's defaults. Hence neither an explicit default nor a toggle added to
    the family later, with the old rule as its default, changes them. Titles, sources, file names and parents do not
    matter. ``contents`` maps a toggle to the meaning of its file or drawing, which replaces the text.
    """
    contents = dict(contents or {})
    # A drawing equivalent to a named value counts as that value.
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
    """Return the problems with a file's first moves: illegal ones, or all losing although the first player does not."""
    value = ruleset.known
    if value is None or not value.nodes:
        return []
    from workbench.positions.game_state import GameState

    start = GameState(ruleset.game, ruleset.codes())
    legal = start.legal_texts()
    problems = [
        node.expected(
            tr("a legal first move"),
            guess(node.text, legal, tr("legal are {names}")),
            tr("{place}: {why_not}", place=node.text, why_not=start.why_not(node.text)),
        )
        for node in value.nodes
        if node.text not in legal
    ]
    if not problems and value.best_play != "second" and set(legal) <= set(value.losing_first_moves):
        expected_move = tr("a first move that does not lose, since best_play is {best_play}", best_play=value.best_play)
        problems.append(value.nodes[0].expected(expected_move, found=tr("all {count}", count=len(legal))))
    return problems
