"""Texts of files in the making: every text that they were before, what they mean, and how they are saved.

The text is the one truth. What is chosen on a page changes the text as a person would (`edits`), and all that the page
shows is read from the text by the same checks as the command line has.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

from workbench import games
from workbench.addons.ideas.ideas import NamedRules
from workbench.base import output, yamlfile
from workbench.base import project as projects
from workbench.base.errors import InputError, Problem, WorkbenchError, display_path, input_error
from workbench.base.keys import without_groups
from workbench.base.language import bilingual, tr
from workbench.base.project import Project
from workbench.base.yamlfile import snapshot
from workbench.experiments import workspace
from workbench.games.declaration import Setting
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

MAX_STEPS = 500
"""Steps that can be taken back."""
TYPING_SECONDS = 1.5
"""Seconds between two letters of one step."""
MAX_TEXT = 100_000
"""Characters of a text; the file of a ruleset or an experiment has one or two thousand."""
MAX_SAVED_TEXT = 200_000
"""Characters of all texts together that are kept on disk."""


@dataclass
class History:
    """A text with the steps that led to it, which can be taken back and done again."""

    saved: str
    """The text as it is on disk, or as a new one begins."""
    texts: list[str] = field(default_factory=list)
    place: int = 0
    """Which of the texts counts; those behind it can be had again."""
    _typed: float = 0.0

    def __post_init__(self) -> None:
        self.texts = self.texts or [self.saved]

    @property
    def text(self) -> str:
        """The text that counts."""
        return self.texts[self.place]

    @property
    def dirty(self) -> bool:
        """Whether something would be lost."""
        return self.text != self.saved

    def write(self, text: str) -> None:
        """Takes a text that was typed; letters in quick succession are one step."""
        text = text.replace("\r\n", "\n")[:MAX_TEXT]
        now = time.monotonic()
        goes_on = now - self._typed < TYPING_SECONDS and self.place == len(self.texts) - 1 > 0
        if text != self.text and goes_on:
            self.texts[self.place] = text
        else:
            self.step(text)
        self._typed = now

    def undo(self) -> bool:
        """Takes the last step back; False if there is none."""
        self._typed = 0.0
        self.place -= self.place > 0
        return self.place > 0

    def redo(self) -> None:
        """Does again what was taken back."""
        self._typed = 0.0
        self.place = min(self.place + 1, len(self.texts) - 1)

    def revert(self) -> None:
        """Goes back to the text on disk; that is a step, too."""
        self.step(self.saved)

    def as_json(self) -> dict[str, Any] | None:
        """Plain data for `resume`: the text, and the steps before and behind it as far as there is room.

        None if nothing was written.
        """
        if len(self.texts) == 1:
            return None
        first, last, room = self.place, self.place + 1, MAX_SAVED_TEXT - len(self.text)
        while first and len(self.texts[first - 1]) <= room:
            first -= 1
            room -= len(self.texts[first])
        while last < len(self.texts) and len(self.texts[last]) <= room:
            room -= len(self.texts[last])
            last += 1
        return {"saved": self.saved, "texts": self.texts[first:last], "place": self.place - first}

    def resume(self, kept: Mapping[str, Any]) -> None:
        """Takes what `as_json` gave, if there is more in it than in the file; anything else changes nothing."""
        match kept:
            case {"saved": str(saved), "texts": [*texts], "place": int(place)} if (
                0 <= place < len(texts) <= MAX_STEPS
                and all(isinstance(text, str) and len(text) <= MAX_TEXT for text in (saved, *texts))
                and (saved == self.saved or texts[place] not in (saved, self.saved))
            ):
                self.saved, self.texts, self.place = saved, texts, place

    @contextmanager
    def unless_refused(self) -> Iterator[None]:
        """Forgets what is written within if that ends in an error."""
        texts, place = list(self.texts), self.place
        try:
            yield
        except Exception:
            self.texts, self.place = texts, place
            raise

    def step(self, text: str) -> None:
        """Takes a text as a step of its own."""
        self._typed = 0.0
        if text == self.text:
            return
        del self.texts[self.place + 1 :]
        self.texts.append(text)
        del self.texts[: max(0, len(self.texts) - MAX_STEPS)]
        self.place = len(self.texts) - 1


UnsavedKind = Literal["drafts", "experiments", "searches", "games"]
KINDS: tuple[UnsavedKind, ...] = ("drafts", "experiments", "searches", "games")
MAX_ENTRIES = 50
"""Files of a kind; the one that was written first goes when there are more."""
MAX_BYTES = 1_000_000
"""Bytes of a file."""


class Unsaved:
    """The drafts and games of a project."""

    def __init__(self, project: Project, warn: Callable[[str], None] = lambda message: None) -> None:
        """``warn`` hears once that nothing can be written, and why."""
        self.folder = project.unsaved
        self._warn = warn
        self._waiting: dict[tuple[UnsavedKind, str], Mapping[str, Any] | None] = {}
        self._lock = threading.Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="unsaved")
        self._claimed = self._warned = False

    def load(self, kind: UnsavedKind, name: str) -> dict[str, Any]:
        """What was kept under a name; nothing if there is none, or it cannot be understood."""
        self.flush()
        content = _read(self._path(kind, name))
        return content if content.get("name") == name else {}

    def names(self, kind: UnsavedKind) -> list[str]:
        """Under which names something was kept, the latest first."""
        self.flush()
        found = [(path.lstat().st_mtime_ns, path) for path in (self.folder / kind).glob("*.json")]
        names = (_read(path).get("name") for _, path in sorted(found, reverse=True))
        return [name for name in names if isinstance(name, str)]

    def store(self, kind: UnsavedKind, name: str, content: Mapping[str, Any] | None) -> None:
        """Keeps plain data under a name, or nothing any more; a thread writes the latest, and no page waits for it."""
        with self._lock:
            idle = not self._waiting
            self._waiting[kind, name] = content
        if idle:
            self._writer.submit(self._write)

    def flush(self) -> None:
        """Waits until all is on disk."""
        self._writer.submit(int).result()

    def _write(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        try:
            for (kind, name), content in waiting.items():
                self._put(kind, name, content)
        except (WorkbenchError, OSError) as error:
            if not self._warned:
                self._warned = True
                self._warn(tr("What is not saved ends with the studio: {error}", error=error))

    def _put(self, kind: UnsavedKind, name: str, content: Mapping[str, Any] | None) -> None:
        path = self._path(kind, name)
        written = b"" if content is None else json.dumps({"name": name, **content}, ensure_ascii=False).encode()
        if not 0 < len(written) <= MAX_BYTES:
            if self.folder.is_dir():
                output.refuse_links(path)
                path.unlink(missing_ok=True)
            return
        self._claim()
        output.write_file(output.make_folder(path.parent) / path.name, written)
        files = [(one.lstat().st_mtime_ns, one) for one in path.parent.glob("*.json")]
        for _, oldest in sorted(files)[: max(0, len(files) - MAX_ENTRIES)]:
            oldest.unlink(missing_ok=True)

    def _claim(self) -> None:
        if self._claimed:
            return
        ignored = self.folder / ".gitignore"
        owned = output.claim_folder(self.folder, [*KINDS, ignored.name])
        for kind in KINDS:
            owned.sweep(kind)
        if not ignored.is_file():
            output.write_file(ignored, b"*\n")
        self._claimed = True

    def _path(self, kind: UnsavedKind, name: str) -> Path:
        return self.folder / kind / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.json"


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_BYTES:
            return {}
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


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
        written = bilingual(en=reading.file.title, ja=reading.file.title_ja)
        if not reading.understood:
            lines = {language: re.search(rf"^{key}:(.*)", self.text, re.MULTILINE) for key, language in TITLES}
            titles = {language: found[1].strip(" \"'") for language, found in lines.items() if found}
            return bilingual(**titles) if titles else self._base_title
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
            raise input_error(reason)
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
        for page in self._pages(base):
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
        return draft.title(draft.read()) if draft.dirty else self.heading(draft.base)

    def heading(self, name: str) -> str:
        """What lists call a ruleset."""
        listed = self.family_rulesets(name.partition("/")[0])
        return next((one.heading for one in listed if one.name == name and one.heading), name)

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
        raise input_error(message, tr("choose another name"))
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
        raise input_error(message, tr("copy the file into the project"), file=display_path(path))


def _holds_text(path: Path, text: str) -> bool:
    try:
        return path.is_file() and path.read_bytes().decode("utf-8-sig", errors="replace").replace("\r\n", "\n") == text
    except OSError:
        return False


@dataclass(frozen=True)
class Reading:
    """What the text of a file means."""

    said: Mapping[str, Any]
    """The keys of the text as plain values, as far as it can be understood."""
    problems: tuple[Problem, ...]

    @property
    def title(self) -> str:
        """What the file calls itself, in both languages; "" if it says nothing."""
        return bilingual(en=plain_word(self.said.get("title")), ja=plain_word(self.said.get("title_ja")))


ReadingType = TypeVar("ReadingType", bound=Reading)


@dataclass(frozen=True)
class Files(Generic[ReadingType]):
    """A kind of files that are edited as texts."""

    kind: UnsavedKind
    unnamed: str
    """What a new one is called until it has a name."""
    keys: Collection[str]
    """The keys of a file, in their order."""
    names: Callable[[Project], Collection[str]]
    path: Callable[[Project, str], Path]
    """The file of a name, whether it is there or not."""
    new_path: Callable[[str, Project], Path]
    """Where a file is written that is to have a name that was typed; raises `InputError`."""
    is_shipped: Callable[[str], bool]
    """Whether a file of this name came with the workbench."""
    load: Callable[[Path, Project, str], Any]
    reading: Callable[[Mapping[str, Any], tuple[Problem, ...], Any], ReadingType]

    @snapshot()
    def read(self, path: Path, project: Project, text: str) -> ReadingType:
        """What a text means as a file."""
        said: Mapping[str, Any] = {}
        try:
            said = yamlfile.parse_yaml(text, display_path(path), []).plain()
            loaded = self.load(path, project, text)
        except InputError as error:
            return self.reading(said, tuple(dict.fromkeys(error.problems)), None)
        return self.reading(said, (), loaded)

    def preceding_keys(self, key: str) -> list[str]:
        """The keys behind which a file has a key, nearest first."""
        order = list(self.keys)
        return order[: order.index(key)][::-1]


@dataclass(kw_only=True)
class Sheet(History, Generic[ReadingType]):
    """The text of a file and its history."""

    files: ClassVar[Files[Any]]
    project: Project
    name: str
    """The stem of the file; a name that none has where there is no file yet."""
    new: bool
    """Whether there is no file yet."""

    @property
    def path(self) -> Path:
        """The file."""
        return self.files.path(self.project, self.name)

    @property
    def shipped(self) -> bool:
        """Whether the file came with the workbench."""
        return not self.new and self.files.is_shipped(self.name)

    def read(self) -> ReadingType:
        """What the text means now, with the rulesets as they are on disk now."""
        meaning: ReadingType = self.files.read(self.path, self.project, self.text)
        return meaning

    def set_title(self, title: str, japanese: bool) -> None:
        """Sets the title in one of the languages."""
        words = " ".join(title.split())
        quoted = json.dumps(words, ensure_ascii=False) if words else None
        self.write(edits.set_value(self.text, "title_ja" if japanese else "title", quoted, ("title", "title_ja")))


SheetType = TypeVar("SheetType", bound=Sheet[Any])


class Sheets(Generic[SheetType]):
    """The sheets of one project, each as it was left, if need be in an earlier studio."""

    sheet_type: type[SheetType]

    def __init__(self, project: Project, unsaved: Unsaved) -> None:
        self.project, self.unsaved, self.files = project, unsaved, self.sheet_type.files
        self._kept: dict[str, SheetType] = {}
        """By the name of the file; "" for the new one."""

    def sheet(self, name: str) -> SheetType:
        """The sheet of a file, as it was left.

        Raises:
            InputError: there is no such file, or it cannot be read.
        """
        path = self.files.path(self.project, name)
        if name not in self.files.names(self.project):
            raise input_error(tr("there is no such file"), file=display_path(path))
        require_inside(self.project, path)
        kept = self._kept.get(name)
        if kept is not None and kept.dirty:
            return kept
        text = file_text(path)
        if kept is None or kept.saved != text:
            sheet = self._kept[name] = self.sheet_type(text, project=self.project, name=name, new=False)
            if kept is None:
                sheet.resume(self.unsaved.load(self.files.kind, _sheet_key(sheet)))
            return sheet
        return kept

    def resumed(self, blank: str) -> SheetType:
        """The new sheet as it was left, or as ``blank`` has it."""
        kept = self._kept.get("")
        name = edits.unused_name([self.files.unnamed], self.files.names(self.project))
        sheet = self.sheet_type(blank, project=self.project, name=name, new=True)
        if kept is None:
            sheet.resume(self.unsaved.load(self.files.kind, _sheet_key(sheet)))
        elif kept.dirty:
            sheet = kept
        self._kept[""] = sheet
        return sheet

    def replace_text(self, sheet: SheetType, text: str) -> None:
        """Begins a new sheet anew with a text; what was there before can be had again by a step back."""
        replaces = sheet.dirty
        sheet.step(text)
        if replaces:
            self.save_sheet_draft(sheet)

    def save_sheet_draft(self, sheet: SheetType) -> None:
        """Saves a sheet, so that the next studio has it, too."""
        self.unsaved.store(self.files.kind, _sheet_key(sheet), sheet.as_json())

    def save(self, sheet: SheetType, name: str, replace: bool) -> str:
        """Writes a sheet as the file of a name, whole or not at all; returns the name.

        ``replace``: the user has said that a file which is there already may be replaced.

        Raises:
            NameTaken: there is such a file, and nobody said that it may be replaced; or it has changed meanwhile.
            ShippedName: it came with the workbench.
            InputError: the name cannot be used, or the text has problems.
            Unwritable: the disk is full, say.
        """
        own = not sheet.new and name == sheet.name
        path = sheet.path if own and not self.project.shipped else self.files.new_path(name, self.project)
        if problems := self.files.read(path, self.project, sheet.text).problems:
            raise InputError(problems)
        self.project.require_place(path)
        write_named(path, sheet.text, replace, self.files.is_shipped(path.stem), sheet.saved if own else None)
        if own:
            sheet.saved = sheet.text
        for name in {path.stem, "" if sheet.new else sheet.name}:
            self._kept.pop(name, None)
            self.unsaved.store(self.files.kind, name, None)
        return path.stem


def _sheet_key(sheet: Sheet[Any]) -> str:
    return "" if sheet.new else sheet.name


def plain_item(written: str) -> str:
    """The word that an item of a list is; its text if it is no word."""
    try:
        node = yamlfile.parse_yaml(f"x: {written}", "").descendant("x")
    except InputError:
        return written
    return node.text if node.is_scalar else written


def plain_word(value: Any) -> str:
    """What a file says for a word; "" if it is none."""
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def plain_number(value: Any) -> float | None:
    """The number that a file says; None if it says none."""
    value = without_groups(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def quoted(word: str) -> str:
    """A word as YAML writes it."""
    plain = re.fullmatch(r"\w[\w./+-]*", word) and isinstance(yamlfile.parse_scalar(word), str)
    return word if plain else json.dumps(word, ensure_ascii=False)
