"""Rulesets in the making, the lists of rulesets, and the store of all documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal, get_args

from workbench import games
from workbench.base.errors import InputError, input_error
from workbench.base.language import bilingual, tr
from workbench.base.project import Project
from workbench.base.yamlfile import snapshot
from workbench.experiments import workspace
from workbench.games.declaration import Declaration, Setting, Toggle
from workbench.rules import edits, rulesets
from workbench.rules.edits import (
    TITLES,
    RulesetReading,
    RulesetText,
    is_named_by_changes,
    new_ruleset,
    read_ruleset_text,
    settings_of,
    short_title,
)
from workbench.rules.ruleset_files import Library
from workbench.rules.rulesets import NamedRules
from workbench.rules.settings import visible_entries
from workbench.studio.documents import (
    Autosave,
    AutosaveKind,
    Document,
    DocumentStore,
    file_text,
    is_shipped,
)

Kind = Literal["new", "file"]
"""Rules that extend a ruleset and have no file yet, or the text of a ruleset's own file."""
_NUMBERED = re.compile(r"(.+)~([2-9]|[1-9][0-9])")
"""The address of a further draft of new rules that extend the same ruleset."""


@dataclass(kw_only=True)
class RulesetDocument(Document):
    """The text of a ruleset's file and its history."""

    folder: ClassVar[str] = "rulesets"
    autosaved: ClassVar[AutosaveKind] = "drafts"
    base: str
    """The ruleset that new rules extend; for a file its own name."""
    number: int = 1
    """The number of the draft among those that extend this ruleset."""

    @property
    def kind(self) -> Kind:
        """The kind of its page."""
        return "new" if self.new else "file"

    @property
    def page(self) -> str:
        """The name in addresses."""
        return self.base if self.number == 1 else f"{self.base}~{self.number}"

    @property
    def key(self) -> str:
        """The name under which it is autosaved."""
        return f"{self.kind} {self.page}"

    @property
    def game(self) -> str:
        """The family of the rules."""
        return self.name.partition("/")[0]

    @property
    def written(self) -> RulesetText:
        """The current text as a ruleset's."""
        return RulesetText(self.project, self.name, self.text, self._base_title if self.new else "")

    def read(self) -> RulesetReading:
        """Return the meaning of the text with the rulesets as they are on disk now."""
        return self.written.read()

    @property
    def titles(self) -> tuple[str, str]:
        """The titles in the text, in English and Japanese; "" for none."""
        file = self.read().file
        return file.title, file.title_ja

    def set_toggle(self, toggle: str, setting: Setting) -> None:
        """Set a toggle, or leave it out where that means the same."""
        self.step(self.written.text_with({toggle: setting}))

    def set_title(self, title: str, japanese: bool) -> None:
        """Set the title in one of the languages; a title in the other one that was made of the changes goes."""
        (own, _), (other, _) = TITLES if not japanese else TITLES[::-1]
        text = edits.set_text_key(self.text, own, " ".join(title.split()))
        if self.new and is_named_by_changes(self.read(), self._base_title):
            text = edits.set_text_key(text, other, "")
        self.write(text)

    def title(self, reading: RulesetReading) -> str:
        """Return the title in the text, or one made of the changes in its base or in its saved file."""
        if not reading.understood:
            lines = {language: re.search(rf"^{key}:(.*)", self.text, re.MULTILINE) for key, language in TITLES}
            titles = {language: found[1].strip(" \"'") for language, found in lines.items() if found}
            return bilingual(**titles) if titles else self._base_title
        written = bilingual(en=reading.file.title, ja=reading.file.title_ja)
        before = self._before(reading)
        if written not in ("", self._base_title) if self.new else before == reading.settings:
            return written
        return edits.changed_title(self._base_title, reading.family, before, reading.settings)

    def file_name(self, reading: RulesetReading, known: Collection[str]) -> str:
        """Return a name for the file of the rules that no ruleset of the family has."""
        own = {name.rpartition("/")[2] for name in known}
        base = self.base.rpartition("/")[2]
        return edits.changed_name(base, reading.family, self._before(reading), reading.settings, own)

    def _before(self, reading: RulesetReading) -> Mapping[str, Setting]:
        """Return the settings before all changes: of the base, or of the saved file."""
        if self.new:
            return reading.inherited
        return read_ruleset_text(self.project, self.name, self.saved).settings if self.dirty else reading.settings

    @cached_property
    def _base_title(self) -> str:
        return short_title(self.base, self.project)

    def destination(self, name: str) -> tuple[str, Path]:
        """Return the full name and the path of a file that is to be saved under a typed name; raises `InputError`."""
        path = workspace.ruleset_path(name.strip(), self.game, self.project)
        full = f"{self.game}/{path.stem}"
        own = self.read().file
        if any(one.name == full for one in own.ancestry if one is not own):
            message = tr("Rules cannot be saved under the name of rules that they extend.")
            raise input_error(message, tr("choose another name"))
        if problems := read_ruleset_text(self.project, full, self.text).problems:
            raise InputError(problems)
        return full, path


@dataclass(frozen=True)
class ListedRuleset(NamedRules):
    """A ruleset in a list; of a family that may not play without settings."""

    root: bool
    """True if it extends no other."""
    shipped: bool
    """True if it came with the workbench."""
    sound: bool = True
    """True if its file has no problems."""


class DraftStore(DocumentStore):
    """The documents of a project, and its rulesets."""

    def __init__(self, project: Project, autosave: Autosave) -> None:
        super().__init__(project, autosave)
        self.latest = ""
        """The kind and name of the rules that were opened last."""
        self._listed: dict[str, tuple[object, list[ListedRuleset]]] = {}

    def games(self) -> list[str]:
        """Return the families of the project's rulesets."""
        return list(dict.fromkeys(name.partition("/")[0] for name in Library(self.project).catalogue))

    def current_ruleset(self, game: str) -> str:
        """The ruleset of a family to begin with: the current one, or one that extends no other; "" if there is none."""
        return rulesets.current_ruleset(game, Library(self.project))

    def last_page(self, game: str = "") -> str:
        """The rules that were opened last, such as ``file/star/5x5``, or the current ones of a game; "" for none."""
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
        cached = self._listed.get(game)
        if cached is None or cached[0] != state:
            current = f"{game}/{games.declaration(game).current}" if game in games.names() else ""
            listed = [
                ListedRuleset(
                    file.name,
                    file.title,
                    file.title_ja or file.title,
                    settings_of(file),
                    not file.parents,
                    is_shipped("rulesets", file.name),
                    not problems,
                )
                for file, problems in map(library.examined, paths)
            ]
            cached = state, sorted(listed, key=lambda file: (file.shipped, file.name != current, not file.root))
            self._listed[game] = cached
        return cached[1]

    def heading(self, name: str) -> str:
        """Return the title of a ruleset in lists."""
        listed = self.family_rulesets(name.partition("/")[0])
        return next((one.heading for one in listed if one.name == name and one.heading), name)

    def title(self, draft: RulesetDocument) -> str:
        """Return the title of a page of rules: of the draft, or of the ruleset in lists where nothing was changed."""
        return draft.title(draft.read()) if draft.dirty else self.heading(draft.base)

    def draft(self, name: str, kind: str) -> RulesetDocument:
        """Return the document of a ruleset's page of a `Kind`, which becomes the latest."""
        draft = self.peek(name, kind)
        self.latest = f"{kind}/{name}"
        return draft

    def peek(self, name: str, kind: str) -> RulesetDocument:
        """Return the same, without its page being opened."""
        if kind not in get_args(Kind):
            raise InputError([])
        game = name.partition("/")[0]
        if reason := games.refused().get(game):
            raise input_error(reason)
        numbered = _NUMBERED.fullmatch(name) if kind == "new" else None
        base, number = (numbered[1], int(numbered[2])) if numbered else (name, 1)
        library = Library(self.project)
        path = library.catalogue.get(base) or library.examined(base)[0].path
        self.project.require_place(path)

        def begin() -> RulesetDocument:
            own = name if kind == "file" else self._unused_name(game)
            text = file_text(path) if kind == "file" else new_ruleset(base, own, self.project).text
            return RulesetDocument(text, project=self.project, name=own, new=kind == "new", base=base, number=number)

        return self.open(RulesetDocument, f"{kind} {name}", begin)

    def _unused_name(self, game: str) -> str:
        own = [one.partition("/")[2] for one in Library(self.project).catalogue if one.startswith(f"{game}/")]
        return f"{game}/{edits.unused_name(['my-rules'], own)}"

    def _drafts_of(self, base: str) -> Iterator[RulesetDocument]:
        """All drafts of new rules that extend a ruleset."""
        for number in range(1, 100):
            yield self.peek(f"{base}~{number}" if number > 1 else base, "new")

    def unchanged_page(self, base: str) -> str:
        """Return the address of a draft of new rules that extend a ruleset and change nothing yet."""
        return next((draft.page for draft in self._drafts_of(base) if not draft.dirty), base)

    def draft_with(self, base: str, settings: Mapping[str, Setting]) -> RulesetDocument:
        """New rules that extend a ruleset and change just this: a draft of them, or one without changes."""
        new = new_ruleset(base, self._unused_name(base.partition("/")[0]), self.project)
        text = new.text_with(settings)
        wanted = read_ruleset_text(self.project, new.name, text).settings
        for draft in self._drafts_of(base):
            if not draft.dirty:
                draft.step(text)
                self.save_draft(draft)
            if draft.read().settings == wanted:
                return draft
        return self.peek(base, "new")

    def page_of_tried(self, name: str) -> str:
        """The address of a draft with the rules of a try-out: the one that they came from, else one begun with them."""
        tried = rulesets.load_ruleset(name, self.project)
        [base, *_] = [*tried.parents, self.current_ruleset(tried.game)]
        return self.draft_with(base, tried.settings).page


def named_settings(toggle: Toggle, project: Project, family: Declaration) -> list[Setting]:
    """Return the settings of a toggle that have a name."""
    named: list[Setting] = [value.name for value in toggle.values]
    return [*named, *file_names(family, toggle, project)] if toggle.files else named


def file_names(family: Declaration, toggle: Toggle, project: Project) -> list[str]:
    """Return the files that a setting of a toggle may name."""
    assert toggle.files
    folder = project.rulesets / family.name / toggle.files.folder
    return [name.removesuffix(".yaml") for name in visible_entries(folder) if name.endswith(".yaml")]


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
