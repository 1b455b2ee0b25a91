"""Rulesets in the making: the text of a ruleset file, what it means, and every text that it was before.

The text is the one truth. A toggle that is chosen on the page changes the text as a person would (`edits`), and all
that the page shows is read from the text by the same checks as ``workbench check``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from workbench import games
from workbench.errors import InputError, display_path
from workbench.files import output, yamlfile
from workbench.files import project as projects
from workbench.files.project import Project
from workbench.files.yamlfile import snapshot
from workbench.games.declaration import Setting
from workbench.language import given, tr
from workbench.questions import edits, rulesets, workspace
from workbench.questions.edits import (
    TITLES,
    RulesetReading,
    RulesetText,
    is_named_by_changes,
    new_ruleset,
    read_ruleset_text,
    settings_of,
    short_title,
)
from workbench.questions.ideas import NamedRules
from workbench.questions.ruleset_files import Library
from workbench.studio.history import History, Unsaved

Kind = Literal["new", "file"]
"""Rules that extend a ruleset and have no file yet, or the text of a ruleset's own file."""
_NUMBERED = re.compile(r"(.+)~([2-9]|[1-9][0-9])")
"""A further draft of new rules that extend the same ruleset, as addresses call it."""


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

    @property
    def written(self) -> RulesetText:
        """The text that counts now."""
        return RulesetText(self.project, self.name, self.text, self._base_title if self.kind == "new" else "")

    def read(self) -> RulesetReading:
        """What the text means now, with what it extends as it is on disk now."""
        return self.written.read()

    def set_toggle(self, toggle: str, setting: Setting) -> None:
        """Sets a toggle, or leaves it out where that says the same.

        Raises:
            InputError: the text cannot be understood, so nothing can be written into it.
        """
        self.step(self.written.text_with({toggle: setting}))

    def set_title(self, title: str, japanese: bool) -> None:
        """Sets the title in one of the languages; in the other one, a title that the changes have given goes."""
        reading = self.read()
        (own, _), (other, _) = TITLES if not japanese else TITLES[::-1]
        text = edits.set_text_key(self.text, own, " ".join(title.split()))
        if self.kind == "new" and is_named_by_changes(reading, self._base_title):
            text = edits.set_text_key(text, other, "")
        self.write(text)

    def title(self, reading: RulesetReading) -> str:
        """What the rules are called: as the file says, or by what they change in their base or in their saved file."""
        written = given(en=reading.file.title, ja=reading.file.title_ja)
        if not reading.understood:
            lines = {language: re.search(rf"^{key}:(.*)", self.text, re.MULTILINE) for key, language in TITLES}
            titles = {language: found[1].strip(" \"'") for language, found in lines.items() if found}
            return given(**titles) if titles else self._base_title
        if self.kind == "new":
            named = written not in ("", self._base_title)
            before = reading.inherited
        else:
            saved = read_ruleset_text(self.project, self.name, self.saved) if self.dirty else reading
            before, named = saved.settings, saved.settings == reading.settings
        if named:
            return written
        return edits.changed_title(self._base_title, reading.family, before, reading.settings)

    def file_name(self, reading: RulesetReading, known: Collection[str]) -> str:
        """A name for the file of the rules that no ruleset of the family has."""
        before = reading.inherited
        if self.kind == "file":
            before = read_ruleset_text(self.project, self.name, self.saved).settings
        own = {name.rpartition("/")[2] for name in known}
        return edits.changed_name(self._base_name, reading.family, before, reading.settings, own)

    @cached_property
    def _base_title(self) -> str:
        return short_title(self.base, self.project)

    @property
    def _base_name(self) -> str:
        return self.base.rpartition("/")[2]


@dataclass(frozen=True)
class ListedRuleset(NamedRules):
    """A ruleset in a list; a family that may not play has no settings."""

    root: bool
    """Whether it extends no other."""
    shipped: bool
    """Whether it came with the workbench."""
    sound: bool = True
    """Whether nothing is wrong with its file."""


def is_shipped(name: str) -> bool:
    """Whether a ruleset of this name came with the workbench; in a clone of its repository all of them do."""
    return (projects.shipped_project().rulesets / f"{name}.yaml").is_file()


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
        return rulesets.current_ruleset(game, Library(self.project))

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
                    settings_of(one),
                    not one.parents,
                    is_shipped(one.name),
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
            raise InputError.of(reason)
        numbered = _NUMBERED.fullmatch(name) if kind == "new" else None
        base, number = (numbered[1], int(numbered[2])) if numbered else (name, 1)
        path = self.ruleset_path(base)
        kept = self._drafts.get((name, kind))
        if kept is not None and kept.dirty:
            return kept
        if kind == "file":
            text = file_text(path)
            if kept is not None and kept.saved == text:
                return kept
            draft = Draft(text, project=self.project, name=name, kind=kind, base=name)
        elif kept is not None:
            return kept
        else:
            own = self.unused_name(game)
            text = new_ruleset(base, own, self.project).text
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
        return next((page for page in self._pages(name) if not self.kept_draft(page, "new").dirty), name)

    @staticmethod
    def _pages(name: str) -> Iterable[str]:
        return (name, *(f"{name}~{number}" for number in range(2, 100)))

    def draft_with(self, base: str, settings: Mapping[str, Setting]) -> Draft:
        """New rules that extend a ruleset and set just this: a draft that says so, or one that says nothing yet.

        Raises:
            InputError: there is no such ruleset, or no such setting.
        """
        begun = new_ruleset(base, self.unused_name(base.partition("/")[0]), self.project)
        text = begun.text_with(settings)
        drafts = (self.kept_draft(page, "new") for page in self._pages(base))
        draft = next((one for one in drafts if one.text == text or not one.dirty), self.kept_draft(base, "new"))
        draft.step(text)
        self.save_draft(draft)
        return draft

    def page_of_tried(self, name: str) -> str:
        """What addresses call a draft of new rules that says what rules say which were tried out before.

        It is the one that they came from, if that is still there, else one that begins with them.

        Raises:
            InputError: there are no such rules, or their file has problems.
        """
        tried = rulesets.load_ruleset(name, self.project)
        [base, *_] = [*tried.parents, self.current_ruleset(tried.game)]
        for page in (base, *(f"{base}~{number}" for number in range(2, 100))):
            draft = self.kept_draft(page, "new")
            own = draft.read().ruleset
            if own is not None and own.fingerprint == tried.fingerprint:
                return page
            if not draft.dirty:
                draft.step(draft.written.text_with(tried.settings))
                self.save_draft(draft)
                return page
        return base

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
        require_inside(self.project, path)
        return path

    def unused_name(self, game: str) -> str:
        """A name that no ruleset of a family has, such as ``chatra/my-rules``."""
        own = [one.partition("/")[2] for one in Library(self.project).catalogue if one.startswith(f"{game}/")]
        return f"{game}/{edits.unused_name(['my-rules'], own)}"

    def discard_draft(self, draft: Draft) -> None:
        """Discards a draft: its page starts again from the file."""
        self._drafts = {key: kept for key, kept in self._drafts.items() if kept is not draft}
        self.unsaved.store("drafts", _draft_key(draft), None)


def _draft_key(draft: Draft) -> str:
    return f"{draft.kind} {draft.page}"


class NameTaken(Exception):
    """There is another file of this name, or its content has changed since it was opened; nothing was written."""


class ShippedName(NameTaken):
    """The file came with the workbench; nothing was written."""


def resolve_name(draft: Draft, name: str) -> tuple[str, Path]:
    """The full name of a ruleset that is to be saved under a name that somebody typed, and its file.

    Raises:
        InputError: the name cannot be used, or the text would not be a ruleset under it; all problems.
    """
    path = workspace.ruleset_path(name.strip(), draft.game, draft.project)
    full = f"{draft.game}/{path.stem}"
    own = draft.read().file
    if any(one.name == full for one in own.ancestry if one is not own):
        message = tr("Rules cannot be saved under the name of rules that they extend.")
        raise InputError.of(message, tr("choose another name"))
    if problems := read_ruleset_text(draft.project, full, draft.text).problems:
        raise InputError(problems)
    return full, path


def save_ruleset(draft: Draft, name: str, replace: bool) -> str:
    """Writes a draft as the ruleset of a name; returns the full name.

    ``replace``: the user has said that a file which is there already may be replaced.

    Raises:
        NameTaken: there is such a file, and nobody said that it may be replaced.
        ShippedName: it came with the workbench, even if these are its own rules.
        InputError: the name cannot be used, or the text has problems.
        Unwritable: the disk is full, say.
    """
    full, path = resolve_name(draft, name)
    draft.project.require_place(path)
    own = draft.kind == "file" and full == draft.name
    write_named(path, draft.text, replace, is_shipped(full), draft.saved if own else None)
    if own:
        draft.saved = draft.text
    return full


def is_shipped_experiment(name: str) -> bool:
    """Whether an experiment of this name came with the workbench."""
    return (projects.shipped_project().experiments / f"{name}.yaml").is_file()


def write_named(path: Path, text: str, replace: bool, shipped: bool, saved: str | None) -> None:
    """Writes the file of a name, whole or not at all; ``saved`` is what it should hold if the text was read from it.

    ``replace``: the user has said that a file which is there already may be replaced.

    Raises:
        NameTaken: there is such a file, and nobody said that it may be replaced; or it has changed meanwhile.
        ShippedName: it is ``shipped``.
        InputError, Unwritable: it cannot be written.
    """
    there = os.path.lexists(path)
    if there and not replace and shipped:
        raise ShippedName
    if there and not replace and (saved is None or not _holds_text(path, saved)):
        raise NameTaken
    content = text if text.endswith("\n") else f"{text}\n"
    try:
        output.write_file(output.make_folder(path.parent) / path.name, content.encode(), new=not there)
    except InputError:
        if replace or not os.path.lexists(path) or path.is_symlink() or path.parent.is_symlink():
            raise
        raise NameTaken from None  # somebody else was faster


def file_text(path: Path) -> str:
    """The text of a YAML file."""
    return yamlfile.read_small_file(path, "YAML file").decode("utf-8-sig", errors="replace").replace("\r\n", "\n")


def require_inside(project: Project, path: Path) -> None:
    """Raises an `InputError` of a file that a link leads to from outside of the project."""
    if not project.contains(path):
        message = tr("expected a file inside the project folder, found a link that leads out of it")
        raise InputError.of(message, tr("copy the file into the project"), file=display_path(path))


def _holds_text(path: Path, text: str) -> bool:
    try:
        return path.is_file() and path.read_bytes().decode("utf-8-sig", errors="replace").replace("\r\n", "\n") == text
    except OSError:
        return False
