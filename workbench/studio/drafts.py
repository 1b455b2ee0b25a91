"""Rulesets in the making: the text of a ruleset file, what it means, and every text that it was before.

The text is the one truth. A toggle that is chosen on the page changes the text as a person would (`edits`), and all
that the page shows is read from the text by the same checks as ``workbench check``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from workbench import games
from workbench.errors import InputError, Problem, display_path
from workbench.files import project as projects
from workbench.files import yamlfile
from workbench.files.project import Project
from workbench.files.yamlfile import snapshot
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings
from workbench.games.drawings import Drawing
from workbench.games.prices import EACH, FREE, PriceList
from workbench.language import given, tr, translated
from workbench.questions import rulesets
from workbench.questions.ruleset_files import Library, RulesetFile
from workbench.questions.rulesets import Ruleset
from workbench.questions.settings import combine_settings
from workbench.studio import edits, naming
from workbench.studio.history import History
from workbench.studio.unsaved import Unsaved

Kind = Literal["new", "file"]
"""Rules that extend a ruleset and have no file yet, or the text of a ruleset's own file."""
_NUMBERED = re.compile(r"(.+)~([2-9]|[1-9][0-9])")
"""A further draft of new rules that extend the same ruleset, as addresses call it."""
_TITLES = (("title", "en"), ("title_ja", "ja"))
"""The keys of titles, with their languages."""


@dataclass(frozen=True)
class RulesetReading:
    """What the text of a ruleset file means."""

    family: Declaration
    file: RulesetFile
    """The text, as far as it could be read."""
    settings: Mapping[str, Setting]
    """Every toggle, as far as the text can be understood."""
    inherited: Mapping[str, Setting]
    """The same without what the text itself writes: the base."""
    problems: tuple[Problem, ...]
    ruleset: Ruleset | None
    """The rules; None while there are problems."""

    @property
    def understood(self) -> bool:
        """Whether the text is YAML of keys and values, so that it can say anything."""
        return bool(self.file.family or self.ruleset)

    def is_changed(self, toggle: Toggle) -> bool:
        """Whether a toggle differs from the base."""
        return not equal_settings(self.settings[toggle.name], self.inherited[toggle.name])


@dataclass(kw_only=True)
class Draft(History):
    """The text of a ruleset's file and its history."""

    project: Project
    name: str
    """The ruleset whose file it is; of new rules a name that no file has."""
    kind: Kind
    base: str
    """The ruleset that new rules extend; of a file its own name."""
    number: int = 1
    """Which of the drafts it is that extend this ruleset."""

    @property
    def page(self) -> str:
        """What addresses call it."""
        return self.base if self.number == 1 else f"{self.base}~{self.number}"

    @property
    def game(self) -> str:
        """The family of the rules."""
        return self.name.partition("/")[0]

    @snapshot()
    def read(self) -> RulesetReading:
        """What the text means now, with what it extends as it is on disk now."""
        return read_ruleset_text(self.project, self.name, self.text)

    def set_toggle(self, toggle: str, setting: Setting) -> None:
        """Sets a toggle, or leaves it out where that says the same.

        Raises:
            InputError: the text cannot be understood, so nothing can be written into it.
        """
        self.step(self.text_with({toggle: setting}))

    def text_with(self, settings: Mapping[str, Setting]) -> str:
        """The text with toggles set, or left out where that says the same, and with the title that this gives it.

        Raises:
            InputError: the text cannot be understood, so nothing can be written into it.
        """
        reading = self.read()
        text = self.text
        for toggle, setting in settings.items():
            text = self._text_with(text, toggle, setting)
        if self.kind == "new" and self._is_named_by_changes(reading):
            after = {**reading.settings, **settings}
            title = naming.changed_title(self._base_name, reading.family, reading.inherited, after)
            for key, language in _TITLES:
                text = edits.set_text_key(text, key, translated(title, language))
        return text

    def _text_with(self, text: str, toggle: str, setting: Setting) -> str:
        reading = read_ruleset_text(self.project, self.name, text)
        if toggle not in reading.settings or not reading.family.toggle(toggle).allows(setting):
            raise InputError([Problem("", None, f"rules.{toggle}", tr("is no such setting"))])
        written = edits.set_rule(text, toggle, _yaml_of_setting(reading, toggle, setting))
        if equal_settings(reading.inherited[toggle], setting):
            without = edits.set_rule(text, toggle, None)
            left_out = read_ruleset_text(self.project, self.name, without)
            # Parents that start from different rulesets may leave the toggle unclear unless it is written.
            if len(left_out.problems) <= len(read_ruleset_text(self.project, self.name, written).problems):
                return without
        return written

    def set_title(self, title: str, japanese: bool) -> None:
        """Sets the title in one of the languages; in the other one, a title that the changes have given goes."""
        reading = self.read()
        (own, _), (other, _) = _TITLES if not japanese else _TITLES[::-1]
        text = edits.set_text_key(self.text, own, " ".join(title.split()))
        if self.kind == "new" and self._is_named_by_changes(reading):
            text = edits.set_text_key(text, other, "")
        self.write(text)

    def title(self, reading: RulesetReading) -> str:
        """What the rules are called: as the file says, or by what they change in their base or in their saved file."""
        written = given(en=reading.file.title, ja=reading.file.title_ja)
        if not reading.understood:
            lines = {language: re.search(rf"^{key}:(.*)", self.text, re.MULTILINE) for key, language in _TITLES}
            titles = {language: found[1].strip(" \"'") for language, found in lines.items() if found}
            return given(**titles) if titles else self._base_name
        if self.kind == "new":
            named = written not in ("", self._base_name)
            before = reading.inherited
        else:
            saved = read_ruleset_text(self.project, self.name, self.saved) if self.dirty else reading
            before, named = saved.settings, saved.settings == reading.settings
        if named:
            return written
        return naming.changed_title(self._base_name, reading.family, before, reading.settings)

    def file_name(self, reading: RulesetReading, known: Collection[str]) -> str:
        """A name for the file of the rules that no ruleset of the family has."""
        before = reading.inherited
        if self.kind == "file":
            before = read_ruleset_text(self.project, self.name, self.saved).settings
        own = {name.rpartition("/")[2] for name in known}
        return naming.changed_name(self._base_name, reading.family, before, reading.settings, own)

    @property
    def _base_name(self) -> str:
        return self.base.rpartition("/")[2]

    def _is_named_by_changes(self, reading: RulesetReading) -> bool:
        """Whether the file has the titles that the changes have given."""
        title = naming.changed_title(self._base_name, reading.family, reading.inherited, reading.settings)
        return [reading.file.title, reading.file.title_ja] == [translated(title, language) for _, language in _TITLES]


def _yaml_of_setting(reading: RulesetReading, name: str, setting: Setting) -> str:
    """What a file writes to set a toggle: of a price list what differs from the one that is inherited."""
    toggle = reading.family.toggle(name)
    if isinstance(toggle, Drawing) and toggle.is_drawn(setting) and "/" in str(setting) and not toggle.fields:
        return edits.BLOCK + str(setting).replace("/", "\n")
    if not isinstance(toggle, PriceList) or setting == toggle.default:
        return edits.yaml_scalar(setting)
    before, after = toggle.table(reading.inherited[name]), toggle.table(setting)
    entries = []
    for unit, price in after.items():
        said = {EACH: price.each, FREE: price.free}
        differing = [f"{what}: {number}" for what, number in said.items() if number != getattr(before[unit], what)]
        if differing == [f"{EACH}: {price.each}"]:
            entries.append(f"{edits.yaml_scalar(unit)}: {price.each}")
        elif differing:
            entries.append(f"{edits.yaml_scalar(unit)}: {{{', '.join(differing)}}}")
    return f"{{{', '.join(entries)}}}" if entries else edits.yaml_scalar(setting)


@snapshot()
def read_ruleset_text(project: Project, name: str, text: str) -> RulesetReading:
    """What a text means as the file of a ruleset of that name."""
    library = Library(project, {name: text})
    file, problems = library.examined(name)
    family = games.declaration(name.partition("/")[0])
    ruleset = None
    if not problems:
        try:
            ruleset = rulesets.load_ruleset(name, library=library)
        except InputError as error:
            problems = error.problems
    settings, inherited = _base_and_settings(family, file)
    return RulesetReading(
        family=family,
        file=file,
        settings=settings,
        inherited=inherited,
        problems=tuple(dict.fromkeys(problems)),
        ruleset=ruleset,
    )


def _base_and_settings(family: Declaration, file: RulesetFile) -> tuple[dict[str, Setting], dict[str, Setting]]:
    before = [one.own for one in file.ancestry if one is not file and one.family is family]
    inherited = combine_settings(family, family.defaults(), *before)
    return combine_settings(family, inherited, file.own if file.family is family else {}), inherited


@dataclass(frozen=True)
class ListedRuleset:
    """A ruleset in a list."""

    name: str
    title: str
    title_ja: str
    root: bool
    """Whether it extends no other."""
    shipped: bool
    """Whether it came with the workbench."""
    settings: Mapping[str, Setting]
    """Every toggle, as far as its file can be understood; none of a family that may not play."""
    sound: bool = True
    """Whether nothing is wrong with its file."""

    @property
    def heading(self) -> str:
        """Its title in both languages."""
        return given(en=self.title, ja=self.title_ja)


def is_shipped(name: str) -> bool:
    """Whether a ruleset of this name came with the workbench; in a clone of its repository all of them do."""
    return (projects.shipped_project().rulesets / f"{name}.yaml").is_file()


def _settings(file: RulesetFile) -> Mapping[str, Setting]:
    return _base_and_settings(file.family, file)[0] if file.family else {}


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@dataclass
class Desk:
    """The drafts of one project, by the page that shows them, each as it was left, if need be in an earlier studio."""

    project: Project
    unsaved: Unsaved
    latest: str = ""
    """The rules that were looked at last: their kind and name."""
    _listed: dict[str, tuple[object, list[ListedRuleset]]] = field(default_factory=dict)
    _drafts: dict[tuple[str, Kind], Draft] = field(default_factory=dict)

    def games(self) -> list[str]:
        """The families of which the project has rulesets."""
        return list(dict.fromkeys(name.partition("/")[0] for name in Library(self.project).catalogue))

    def current_ruleset(self, game: str) -> str:
        """The ruleset of a family to begin with: the current one, or one that extends no other; "" if there is none."""
        listed = self.family_rulesets(game)
        current = f"{game}/{games.declaration(game).current}" if game in games.names() else ""
        ranked = sorted(listed, key=lambda one: (one.name != current, not one.root))
        return ranked[0].name if ranked else ""

    def last_page(self, game: str = "") -> str:
        """The rules that were looked at last, such as ``file/star/5x5``, or the current ones of a game; "" for none."""
        if self.latest and (not game or self.latest.split("/")[1] == game):
            return self.latest
        known = sorted(self.games(), key=lambda one: one in games.refused())
        current = self.current_ruleset(game or next(iter(known), ""))
        return f"new/{current}" if current else ""

    @snapshot()
    def family_rulesets(self, game: str) -> list[ListedRuleset]:
        """The rulesets of a family: those of the user first, then the current one, other bases, the rest by name."""
        library = Library(self.project)
        paths = {name: path for name, path in library.catalogue.items() if name.startswith(f"{game}/")}
        state = tuple((name, _changed_at(path)) for name, path in paths.items())
        kept = self._listed.get(game)
        if kept is None or kept[0] != state:
            files = [library.examined(name) for name in paths]
            current = f"{game}/{games.declaration(game).current}" if game in games.names() else ""
            listed = [
                ListedRuleset(
                    one.name,
                    one.title,
                    one.title_ja or one.title,
                    not one.parents,
                    is_shipped(one.name),
                    _settings(one),
                    not problems,
                )
                for one, problems in files
            ]
            kept = state, sorted(listed, key=lambda one: (one.shipped, one.name != current, not one.root))
            self._listed[game] = kept
        return kept[1]

    def draft(self, name: str, kind: Kind) -> Draft:
        """The draft of a ruleset's page, as it was left.

        Raises:
            InputError: there is no such ruleset, or its file cannot be read.
        """
        draft = self.kept_draft(name, kind)
        self.latest = f"{kind}/{name}"
        return draft

    def kept_draft(self, name: str, kind: Kind) -> Draft:
        """The same, without its page being opened."""
        game = name.partition("/")[0]
        if reason := games.refused().get(game):
            raise InputError([Problem("", None, None, reason)])
        numbered = _NUMBERED.fullmatch(name) if kind == "new" else None
        base, number = (numbered[1], int(numbered[2])) if numbered else (name, 1)
        path = self.ruleset_path(base)
        kept = self._drafts.get((name, kind))
        if kept is not None and kept.dirty:
            return kept
        if kind == "file":
            text = (
                yamlfile.read_small_file(path, "YAML file").decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
            )
            if kept is not None and kept.saved == text:
                return kept
            draft = Draft(text, project=self.project, name=name, kind=kind, base=name)
        elif kept is not None:
            return kept
        else:
            own = self.unused_name(game)
            text = new_ruleset_text(base)
            draft = Draft(text, project=self.project, name=own, kind=kind, base=base, number=number)
        if kept is None:
            draft.resume(self.unsaved.load("drafts", _draft_key(draft)))
        self._drafts[name, kind] = draft
        return draft

    def unchanged_page(self, name: str) -> str:
        """What addresses call a draft of new rules that extend a ruleset and change nothing yet.

        Raises:
            InputError: there is no such ruleset, or its file cannot be read.
        """
        pages = (name, *(f"{name}~{number}" for number in range(2, 100)))
        return next((page for page in pages if not self.kept_draft(page, "new").dirty), name)

    def save_draft(self, draft: Draft) -> None:
        """Saves a draft, so that the next studio has it, too."""
        self.unsaved.store("drafts", _draft_key(draft), draft.as_json())

    def title(self, draft: Draft) -> str:
        """What the rules of a page are called: by what was changed, or as lists call the ruleset."""
        if draft.dirty:
            return draft.title(draft.read())
        listed = self.family_rulesets(draft.game)
        return next((one.heading for one in listed if one.name == draft.base and one.heading), draft.base)

    def ruleset_path(self, name: str) -> Path:
        """The file of a ruleset.

        Raises:
            InputError: there is no such ruleset.
        """
        library = Library(self.project)
        path = library.catalogue.get(name) or library.examined(name)[0].path
        if not self.project.contains(path):
            message = tr("expected a file inside the project folder, found a link that leads out of it")
            raise InputError([Problem(display_path(path), None, None, message, tr("copy the file into the project"))])
        return path

    def unused_name(self, game: str) -> str:
        """A name that no ruleset of a family has, such as ``chatra/my-rules``."""
        known = set(Library(self.project).catalogue)
        number = 1
        while (name := f"{game}/my-rules{f'-{number}' if number > 1 else ''}") in known:
            number += 1
        return name

    def discard_draft(self, draft: Draft) -> None:
        """Discards a draft: its page starts again from the file."""
        self._drafts = {key: kept for key, kept in self._drafts.items() if kept is not draft}
        self.unsaved.store("drafts", _draft_key(draft), None)


def _draft_key(draft: Draft) -> str:
    return f"{draft.kind} {draft.page}"


def new_ruleset_text(base: str) -> str:
    """The text with which new rules begin that extend a ruleset, called by its name in each language."""
    own = base.rpartition("/")[2]
    plain = re.fullmatch(r"[\w+.-]+", own) and isinstance(yamlfile.parse_scalar(own), str)
    return (
        "# yaml-language-server: $schema=../ruleset.schema.json\n"
        f"game: {base.partition('/')[0]}\n"
        f"extends: {own if plain else json.dumps(own, ensure_ascii=False)}\n"
        + "".join(f"{key}: {json.dumps(own, ensure_ascii=False)}\n" for key, _ in _TITLES)
        + "rules:\n"
    )
