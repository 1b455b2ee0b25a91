"""Ruleset documents, the lists of rulesets, and the store of all documents.

A document's text is its only state. Choices on a page edit the text (`edits`), and pages show what the checks of the
command line read from it. If a text cannot be read, edited or saved, an `InputError` with all problems is raised.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from workbench import games
from workbench.base import output, yamlfile
from workbench.base.errors import InputError, input_error
from workbench.base.language import bilingual, in_all, join, translated, untranslated
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
    short_name,
)
from workbench.rules.ruleset_files import Library
from workbench.rules.rulesets import NamedRules, Ruleset
from workbench.rules.settings import visible_entries
from workbench.studio.documents import Autosave, History, change_stamp, file_text, is_shipped

Kind = Literal["new", "file"]
"""A new ruleset that extends another and has no file, or a ruleset's file."""
MAX_EVENTS = 40
"""The most events in a proposal's history."""
_NUMBER = re.compile(r"~([2-9]|[1-9][0-9])$")
"""The end of the address of another draft that extends the same ruleset."""


class NameTaken(Exception):
    """Raised before writing if another file has the name, or the file has changed since it was opened."""


@dataclass(kw_only=True)
class RulesetDocument(History):
    """The text of a ruleset's file with its history."""

    project: Project
    name: str
    """The file's name, or an unused name for a new file."""
    new: bool
    """True if there is no file yet."""
    viewers: list[Callable[[], None]] = field(default_factory=list)
    """Functions that redraw the document's pages."""
    base: str
    """The ruleset that new rules extend, or a file's own name."""
    page: str
    """The name used in addresses; that of a second draft that extends a ruleset ends with ~2."""
    named: Sequence[NamedChange] = ()
    """The family's named proposals."""

    @property
    def kind(self) -> Kind:
        """The kind of the document's page."""
        return "new" if self.new else "file"

    @property
    def key(self) -> str:
        """The name for autosaving."""
        return f"{self.kind} {self.page}"

    @property
    def shipped(self) -> bool:
        """True if the file is shipped with the workbench."""
        return not self.new and is_shipped("rulesets", self.name)

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

    def entitle(self, title: str, language: str) -> None:
        """Set the title in a language; if the text has only an English title, that title is set.

        The other title is removed if it was generated from the changes.
        """
        english, japanese = self.read().titles
        is_japanese = language == "ja" and bool(japanese or not english)
        (key, _), (other_key, _) = TITLES[::-1] if is_japanese else TITLES
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

    @functools.cached_property
    def _base_title(self) -> str:
        return short_name(self.base, self.project)

    def destination(self, name: str) -> tuple[str, Path]:
        """Return the full name and path for saving under a typed name; raises `InputError`."""
        path = workspace.ruleset_path(name.strip(), self.game, self.project)
        full_name = f"{self.game}/{path.stem}"
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
        return bilingual(**rulesets.short_titles(self.heading))


MOST_OWN = 2
"""The most settings of a proposal that is a switch."""


class DraftStore:
    """The documents and rulesets of a project; documents are restored from earlier studios."""

    def __init__(self, project: Project, autosave: Autosave) -> None:
        self.project, self.autosave = project, autosave
        self._open: dict[str, RulesetDocument] = {}
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
        base = _NUMBER.sub("", name) if kind == "new" else name
        library = Library(self.project)
        path = library.catalogue.get(base) or library.examine(base)[0].path
        self.project.require_place(path)
        key = f"{kind} {name}"
        current = self._open.get(key)
        if current is not None and current.dirty:
            return current
        full = name if kind == "file" else f"{game}/{_unused_name('my-rules', game, self.project)}"
        text = file_text(path) if kind == "file" else new_ruleset(base, full, self.project).text
        if current is not None and current.saved == text:
            current.name = full
            return current
        document = RulesetDocument(
            text, project=self.project, name=full, new=kind == "new", base=base, page=name,
            named=self.named_changes(game),
        )  # fmt: skip
        if current is None:
            document.resume(self.autosave.load("drafts", key))
        self._open[key] = document
        return document

    def save_draft(self, document: RulesetDocument) -> None:
        """Store a document's history for the next studio and redraw its pages."""
        self.autosave.store("drafts", document.key, document.as_json())
        for redraw in list(document.viewers):
            redraw()

    def discard(self, document: RulesetDocument) -> None:
        """Forget a document's changes."""
        self._open = {key: other for key, other in self._open.items() if other is not document}
        self.autosave.store("drafts", document.key, None)

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

    def save(self, document: RulesetDocument, name: str, replace: bool) -> str:
        """Write a document atomically under a name, also in its history, and return the full name.

        ``replace``: the user has agreed to replace a file, which is `NameTaken` otherwise.
        """
        full_name, path = document.destination(name)
        self.project.require_place(path)
        is_own = not document.new and full_name == document.name
        exists = os.path.lexists(path)
        if exists and not replace and not (is_own and _has_text(path, document.saved)):
            raise NameTaken
        text = document.text if document.text.endswith("\n") else f"{document.text}\n"
        output.write_file(output.make_folder(path.parent) / path.name, text.encode(), new=not exists)
        events = self.history(document)
        if is_own:
            document.saved = document.text
        else:
            self.discard(document)
        saved = self.peek(full_name, "file")
        if saved.key != document.key:
            self.autosave.store("history", saved.key, {"events": [*self.history(saved), *events]})
            self.autosave.store("history", document.key, None)
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


def _has_text(path: Path, text: str) -> bool:
    with contextlib.suppress(OSError, InputError):
        return file_text(path) == text
    return False


def _unused_name(title: str, game: str, project: Project) -> str:
    """Return a file name made from a title that no ruleset of a game has."""
    used = [name.partition("/")[2] for name in Library(project).catalogue if name.startswith(f"{game}/")]
    return edits.unused_name([title], used)


def named_settings(toggle: Toggle, project: Project, family: Declaration) -> list[Setting]:
    """Return a toggle's named settings."""
    values: list[Setting] = [value.name for value in toggle.values]
    return [*values, *file_names(family, toggle, project)] if toggle.files else values


def file_names(family: Declaration, toggle: Toggle, project: Project) -> dict[str, str]:
    """Return the files that a toggle's setting may name, with their titles."""
    assert toggle.files
    folder = project.rulesets / family.name / toggle.files.folder
    paths = tuple(folder / name for name in visible_entries(folder) if name.endswith(".yaml"))
    return _file_titles(paths, change_stamp(paths))


@functools.lru_cache(maxsize=10)
def _file_titles(paths: Sequence[Path], stamp: object) -> dict[str, str]:
    """Return the titles of files by name; ``stamp`` changes with the files."""
    titles = {path.stem: untranslated(path.stem) for path in paths}
    for path in paths:
        with contextlib.suppress(InputError):
            keys = yamlfile.read_yaml(path).plain()
            titles[path.stem] = bilingual(en=str(keys["title"]), ja=str(keys.get("title_ja", keys["title"])))
    return titles
