"""Ruleset documents, the lists of rulesets, and the store of all documents."""

from __future__ import annotations

import contextlib
import itertools
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

from workbench import games
from workbench.base import output, yamlfile
from workbench.base.errors import InputError, input_error
from workbench.base.language import bilingual, in_all, join, tr, translated
from workbench.base.project import Project
from workbench.base.yamlfile import snapshot
from workbench.experiments import workspace
from workbench.games.declaration import Declaration, Setting, Toggle
from workbench.rules import edits, rulesets
from workbench.rules.edits import (
    TITLES,
    NamedChange,
    RulesetReading,
    RulesetText,
    file_settings,
    new_ruleset,
    read_ruleset_text,
    short_title,
)
from workbench.rules.ruleset_files import Library
from workbench.rules.rulesets import NamedRules, Ruleset
from workbench.rules.settings import visible_entries
from workbench.studio.documents import (
    Autosave,
    AutosaveKind,
    Document,
    DocumentStore,
    change_stamp,
    file_text,
    is_shipped,
)

Kind = Literal["new", "file"]
"""A new ruleset that extends another and has no file, or a ruleset's file."""
MAX_EVENTS = 40
"""The most events in a proposal's history."""
_NUMBERED = re.compile(r"(.+)~([2-9]|[1-9][0-9])")
"""The address of another draft that extends the same ruleset."""


@dataclass(kw_only=True)
class RulesetDocument(Document):
    """The text of a ruleset's file with its history."""

    folder: ClassVar[str] = "rulesets"
    autosaved: ClassVar[AutosaveKind] = "drafts"
    base: str
    """The ruleset that new rules extend, or a file's own name."""
    number: int = 1
    """The draft's number among the drafts that extend the ruleset."""
    named: Sequence[NamedChange] = ()
    """The family's named proposals."""

    @property
    def kind(self) -> Kind:
        """The kind of the document's page."""
        return "new" if self.new else "file"

    @property
    def page(self) -> str:
        """The name used in addresses."""
        return self.base if self.number == 1 else f"{self.base}~{self.number}"

    @property
    def key(self) -> str:
        """The name for autosaving."""
        return f"{self.kind} {self.page}"

    @property
    def game(self) -> str:
        """The game family."""
        return self.name.partition("/")[0]

    def _edit(self) -> RulesetText:
        return RulesetText(self.project, self.name, self.text, self._base_title if self.new else "", self.named)

    def read(self) -> RulesetReading:
        """Parse the text, given the rulesets on disk."""
        return self._edit().read()

    def set_toggle(self, toggle: str, setting: Setting) -> None:
        """Set a toggle, or remove it from the text if that has the same effect."""
        self.step(self._edit().text_with({toggle: setting}))

    def switch(self, place: int) -> None:
        """Put one of the named proposals in force, or undo it."""
        proposal = self.named[place]
        in_force = proposal.in_force(self.read().settings)
        self.step(self._edit().text_with(proposal.before if in_force else proposal.settings))

    def set_title(self, title: str, japanese: bool) -> None:
        """Set the English or the Japanese title; the other title is removed if it was generated from the changes."""
        (key, _), (other_key, _) = TITLES if not japanese else TITLES[::-1]
        text = edits.set_text_key(self.text, key, " ".join(title.split()))
        if self.new and self._edit().is_named_by_changes(self.read()):
            text = edits.set_text_key(text, other_key, "")
        self.write(text)

    def title(self, reading: RulesetReading) -> str:
        """Return the title in the text, or a title generated from the changes to the base."""
        if not reading.understood:
            lines = {language: re.search(rf"^{key}:(.*)", self.text, re.MULTILINE) for key, language in TITLES}
            titles = {language: match[1].strip(" \"'") for language, match in lines.items() if match}
            return bilingual(**titles) if titles else self._base_title
        stated = bilingual(en=reading.file.title, ja=reading.file.title_ja)
        if not self.new or stated not in ("", self._base_title):
            return stated or self._base_title
        return self._edit().title_by_changes(reading, reading.settings)

    def file_name(self, title: str) -> str:
        """Return the name of the document's file, or for new rules an unused name made from a title."""
        return _unused_name(title, self.game, self.project) if self.new else self.name.partition("/")[2]

    @cached_property
    def _base_title(self) -> str:
        return short_title(self.base, self.project)

    def destination(self, name: str) -> tuple[str, Path]:
        """Return the full name and path for saving under a typed name; raises `InputError`."""
        path = workspace.ruleset_path(name.strip(), self.game, self.project)
        full_name = f"{self.game}/{path.stem}"
        file = self.read().file
        if any(other.name == full_name for other in file.ancestry if other is not file):
            message = tr("Rules cannot be saved under the name of a ruleset that they extend.")
            raise input_error(message, tr("choose another name"))
        if problems := read_ruleset_text(self.project, full_name, self.text).problems:
            raise InputError(problems)
        return full_name, path


@dataclass(frozen=True)
class ListedRuleset(NamedRules):
    """A ruleset in a list; it has no settings if its family is refused."""

    parents: tuple[str, ...]
    own: Mapping[str, Setting]
    """The settings in the ruleset's own file."""
    shipped: bool
    sound: bool = True
    """True if the file has no problems."""

    @property
    def short(self) -> str:
        """The start of its title, such as ``A``; the whole title if that has no such start."""
        return bilingual(en=self.title.partition(":")[0], ja=re.split("：|（", self.title_ja)[0])

    @property
    def combined(self) -> bool:
        """True if the ruleset only combines others."""
        return len(self.parents) > 1 and not self.own


MOST_OWN = 2
"""The most settings of a proposal that is a switch."""


class DraftStore(DocumentStore):
    """The documents and rulesets of a project."""

    def __init__(self, project: Project, autosave: Autosave) -> None:
        super().__init__(project, autosave)
        self.latest = ""
        """The kind and name of the rules opened last."""
        self._listed: dict[str, tuple[object, list[ListedRuleset]]] = {}

    def games(self) -> list[str]:
        """Return the families of the project's rulesets."""
        return list(dict.fromkeys(name.partition("/")[0] for name in Library(self.project).catalogue))

    def current_ruleset(self, game: str) -> str:
        """Return the family's current ruleset or a ruleset that extends no other, or "" if there is none."""
        return rulesets.current_ruleset(game, Library(self.project))

    def last_page(self, game: str = "") -> str:
        """Return the rules opened last, such as ``file/star/5x5``, or a game's current rules, or ""."""
        if self.latest and (not game or self.latest.split("/")[1] == game):
            return self.latest
        families = sorted(self.games(), key=lambda family: family in games.refused())
        current = self.current_ruleset(game or next(iter(families), ""))
        return f"new/{current}" if current else ""

    @snapshot()
    def family_rulesets(self, game: str) -> list[ListedRuleset]:
        """Return a family's rulesets: the user's, the current one, other roots, and the others by name."""
        library = Library(self.project)
        paths = {name: path for name, path in library.catalogue.items() if name.startswith(f"{game}/")}
        state = (*paths, *change_stamp(paths.values()))
        cached = self._listed.get(game)
        if cached is None or cached[0] != state:
            current = f"{game}/{games.declaration(game).current}" if game in games.names() else ""
            entries = [
                ListedRuleset(
                    file.name, file.title, file.title_ja or file.title, file_settings(file),
                    parents=tuple(name for name, _ in file.parents), own=file.own,
                    shipped=is_shipped("rulesets", file.name), sound=not problems,
                )
                for file, problems in map(library.examine, paths)
            ]  # fmt: skip
            cached = state, sorted(entries, key=lambda file: (file.shipped, file.name != current, bool(file.parents)))
            self._listed[game] = cached
        return cached[1]

    def named_changes(self, game: str) -> list[NamedChange]:
        """Return a family's proposals that rules switch on and off, such as A–E.

        Their files extend a ruleset without parents by one or two settings, and have the names that begin their titles.
        """
        listed = {ruleset.name: ruleset for ruleset in self.family_rulesets(game)}
        return [
            NamedChange(
                ruleset.short, ruleset.heading, ruleset.own, {name: base.settings[name] for name in ruleset.own}
            )
            for ruleset in sorted(listed.values(), key=lambda ruleset: ruleset.name)
            for base in map(listed.get, ruleset.parents[:1])
            if base is not None and not base.parents and base.settings and len(ruleset.parents) == 1
            if 0 < len(ruleset.own) <= MOST_OWN and ":" in ruleset.title
            if translated(ruleset.short, "en").casefold().replace(" ", "-") == ruleset.name.partition("/")[2].casefold()
        ]

    def heading(self, name: str) -> str:
        """Return a ruleset's title in lists."""
        listed = self.family_rulesets(name.partition("/")[0])
        return next((ruleset.heading for ruleset in listed if ruleset.name == name and ruleset.heading), name)

    def title(self, draft: RulesetDocument) -> str:
        """Return the title of a draft's page, which for unchanged drafts is the ruleset's title in lists."""
        return draft.title(draft.read()) if draft.dirty else self.heading(draft.base)

    def free_title(self, game: str, title: str) -> str:
        """Return a title, with a number if a ruleset of the family has it already."""
        taken = {
            text for listed in self.family_rulesets(game) for text in (*in_all(listed.heading), *in_all(listed.short))
        }
        titles = itertools.chain([title], (join(" ", [title, str(number)]) for number in itertools.count(2)))
        return next(title for title in titles if not taken.intersection(in_all(title)))

    def draft(self, name: str, kind: str) -> RulesetDocument:
        """Return a ruleset page's document and record it as the latest."""
        draft = self.peek(name, kind)
        self.latest = f"{kind}/{name}"
        return draft

    def peek(self, name: str, kind: str) -> RulesetDocument:
        """Return a ruleset page's document; ``kind`` is a `Kind`."""
        if kind not in get_args(Kind):
            raise InputError([])
        game = name.partition("/")[0]
        if reason := games.refused().get(game):
            raise input_error(reason)
        numbered = _NUMBERED.fullmatch(name) if kind == "new" else None
        base, number = (numbered[1], int(numbered[2])) if numbered else (name, 1)
        library = Library(self.project)
        path = library.catalogue.get(base) or library.examine(base)[0].path
        self.project.require_place(path)

        def create() -> RulesetDocument:
            full = name if kind == "file" else f"{game}/{_unused_name('my-rules', game, self.project)}"
            text = file_text(path) if kind == "file" else new_ruleset(base, full, self.project).text
            return RulesetDocument(
                text, project=self.project, name=full, new=kind == "new", base=base, number=number,
                named=self.named_changes(game),
            )  # fmt: skip

        return self.open(RulesetDocument, f"{kind} {name}", create)

    def record(self, draft: RulesetDocument, event: str, address: str = "") -> None:
        """Add an event (``saved``, ``asked`` or ``played``) with the present rules to a proposal's history."""
        entry = {"at": time.time(), "event": event, "address": address, "text": draft.text}
        events = [*self.history(draft), entry][-MAX_EVENTS:]
        self.autosave.store("history", draft.key, {"events": events})

    def history(self, draft: RulesetDocument) -> list[dict[str, Any]]:
        """Return the recorded events of a proposal, oldest first."""
        events = self.autosave.load("history", draft.key).get("events")
        kinds = {"at": int | float, "event": str, "address": str, "text": str}
        return [
            event for event in (events if isinstance(events, list) else [])
            if isinstance(event, dict) and all(isinstance(event.get(key), kind) for key, kind in kinds.items())
        ]  # fmt: skip

    @snapshot()
    def rename_asked(self, draft: RulesetDocument) -> list[str]:
        """Give a draft's title to what was asked about its rules without a file, and return the experiments' names."""
        renamed = []
        reading, library = draft.read(), Library(self.project)
        title = draft.title(reading)
        end = f"-{reading.ruleset.fingerprint[:8]}" if reading.ruleset else "/"
        for name in rulesets.tried_ruleset_names(self.project):
            if not (name.startswith(f"{draft.game}/") and name.endswith(end)):
                continue
            asked = library.examine(name)[0]
            olds = {"title": asked.title, "title_ja": asked.title_ja}
            news = {key: translated(title, language) for key, language in TITLES}
            for path in (asked.path, *self.project.experiments.glob("*.yaml")) if olds != news else ():
                text = file_text(path)
                if path == asked.path or name in text:
                    keys = yamlfile.parse_yaml(text, path.name, []).plain()
                    for key, new in news.items():
                        # An old title such as "C" must not be found within other words.
                        old = rf"(?<!\w){re.escape(olds[key] or new)}(?!\w)"
                        named = re.sub(old, lambda _, new=new: new, str(keys.get(key) or ""), count=1)  # type: ignore[misc]
                        text = edits.set_text_key(text, key, named)
                    output.write_file(path, text.encode())
                    renamed += [path.stem] if path != asked.path else []
        return renamed

    def save(self, document: Document, name: str, replace: bool) -> str:
        """Write a document as `DocumentStore.save` does; a proposal's history goes with its rules."""
        events = self.history(document) if isinstance(document, RulesetDocument) else []
        key = document.key
        full_name = super().save(document, name, replace)
        if isinstance(document, RulesetDocument):
            saved = self.peek(full_name, "file")
            if saved.key != key:
                self.autosave.store("history", saved.key, {"events": [*self.history(saved), *events]})
                self.autosave.store("history", key, None)
            self.record(saved, "saved")
        return full_name

    def _drafts(self, base: str) -> Iterator[RulesetDocument]:
        for number in range(1, 100):
            yield self.peek(f"{base}~{number}" if number > 1 else base, "new")

    def unchanged_page(self, base: str) -> str:
        """Return the address of an unchanged draft that extends a ruleset."""
        return next((draft.page for draft in self._drafts(base) if not draft.dirty), base)

    def draft_with(self, base: str, settings: Mapping[str, Setting]) -> RulesetDocument:
        """Return a draft that changes a ruleset only by ``settings``: an existing one, or one that was unchanged."""
        game = base.partition("/")[0]
        new = new_ruleset(base, f"{game}/{_unused_name('my-rules', game, self.project)}", self.project)
        text = new.text_with(settings)
        target = read_ruleset_text(self.project, new.name, text).settings
        for draft in self._drafts(base):
            if not draft.dirty:
                draft.step(text)
                self.save_draft(draft)
            if draft.read().settings == target:
                return draft
        return self.peek(base, "new")

    def asked_page(self, name: str) -> tuple[Kind, str]:
        """Return the kind and name of rules that were asked about without a file: by now a file, or else a draft."""
        asked = rulesets.load_ruleset(name, self.project)
        base = [*asked.parents, self.current_ruleset(asked.game)][0]
        return self.present_page(asked) or ("new", self.draft_with(base, asked.settings).page)

    def present_page(self, asked: Ruleset) -> tuple[Kind, str] | None:
        """Return the kind and name of the user's file or draft with the same rules, or else of a shipped file."""
        alike = [listed for listed in self.family_rulesets(asked.game) if listed.settings == asked.settings]
        if alike and not alike[0].shipped:
            return "file", alike[0].name
        for draft in self.changed_drafts(asked.game):
            if draft.read().settings == asked.settings:
                return draft.kind, draft.page
        return ("file", alike[0].name) if alike else None

    def changed_drafts(self, game: str = "") -> Iterator[RulesetDocument]:
        """Yield the drafts of a game, or of all, that differ from their files, the latest first."""
        for key in self.autosave.names("drafts"):
            kind, _, name = key.partition(" ")
            with contextlib.suppress(InputError):
                if game in ("", name.partition("/")[0]) and (draft := self.peek(name, kind)).dirty:
                    yield draft


def _unused_name(title: str, game: str, project: Project) -> str:
    """Return a file name made from a title that no ruleset of a game has."""
    used = [name.partition("/")[2] for name in Library(project).catalogue if name.startswith(f"{game}/")]
    return edits.unused_name([title], used)


def named_settings(toggle: Toggle, project: Project, family: Declaration) -> list[Setting]:
    """Return a toggle's named settings."""
    values: list[Setting] = [value.name for value in toggle.values]
    return [*values, *file_names(family, toggle, project)] if toggle.files else values


def file_names(family: Declaration, toggle: Toggle, project: Project) -> list[str]:
    """Return the names of the files that a toggle's setting may name."""
    assert toggle.files
    folder = project.rulesets / family.name / toggle.files.folder
    return [name.removesuffix(".yaml") for name in visible_entries(folder) if name.endswith(".yaml")]
