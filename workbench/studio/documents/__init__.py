"""A file in the making: every text that it was before, its meaning, and how it is saved.

The text is the one truth. Choices on a page change the text as a person would (`edits`), and all that the page shows is
read from the text by the same checks as the command line has. Whatever cannot be read, written or saved is an
`InputError` with all problems.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar, cast

from workbench.base import output, yamlfile
from workbench.base import project as projects
from workbench.base.errors import InputError, Problem, WorkbenchError, display_path, input_error
from workbench.base.keys import without_groups
from workbench.base.language import bilingual, tr
from workbench.base.project import Project
from workbench.base.yamlfile import snapshot
from workbench.rules import edits
from workbench.rules.edits import RulesetReading

MAX_STEPS = 500
"""Steps that can be undone."""
TYPING_SECONDS = 1.5
"""Seconds between two letters of one step."""
MAX_TEXT = 100_000
"""Characters of a text; the file of a ruleset or an experiment has one or two thousand."""
MAX_SAVED_TEXT = 200_000
"""Characters of all texts together that are kept on disk."""


@dataclass
class History:
    """A text with the steps that led to it, which can be undone and redone."""

    saved: str
    """The text as it is on disk, or as a new one begins."""
    texts: list[str] = field(default_factory=list)
    place: int = 0
    """The place of the current text; later ones can be redone."""
    _typed: float = 0.0

    def __post_init__(self) -> None:
        self.texts = self.texts or [self.saved]

    @property
    def text(self) -> str:
        """The current text."""
        return self.texts[self.place]

    @property
    def dirty(self) -> bool:
        """True if the text differs from the saved one."""
        return self.text != self.saved

    def step(self, text: str) -> None:
        """Make a text the current one, as a step of its own."""
        self._typed = 0.0
        if text == self.text:
            return
        del self.texts[self.place + 1 :]
        self.texts.append(text)
        del self.texts[: max(0, len(self.texts) - MAX_STEPS)]
        self.place = len(self.texts) - 1

    def write(self, text: str) -> None:
        """Make a typed text the current one; letters in quick succession are one step."""
        text = text.replace("\r\n", "\n")[:MAX_TEXT]
        now = time.monotonic()
        goes_on = now - self._typed < TYPING_SECONDS and self.place == len(self.texts) - 1 > 0
        if text != self.text and goes_on:
            self.texts[self.place] = text
        else:
            self.step(text)
        self._typed = now

    def undo(self) -> bool:
        """Undo the last step; return True if there are more."""
        self._typed = 0.0
        self.place -= self.place > 0
        return self.place > 0

    def redo(self) -> None:
        """Redo the step that was undone last."""
        self._typed = 0.0
        self.place = min(self.place + 1, len(self.texts) - 1)

    def revert(self) -> None:
        """Return to the saved text, as a step."""
        self.step(self.saved)

    def as_json(self) -> dict[str, Any] | None:
        """Plain data for `resume`: the text, and as many steps before and after it as fit; None if there are none."""
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

    def resume(self, state: Mapping[str, Any]) -> None:
        """Restore what `as_json` gave, if it says more than the file; anything else changes nothing."""
        match state:
            case {"saved": str(saved), "texts": [*texts], "place": int(place)} if (
                0 <= place < len(texts) <= MAX_STEPS
                and all(isinstance(text, str) and len(text) <= MAX_TEXT for text in (saved, *texts))
                and (saved == self.saved or texts[place] not in (saved, self.saved))
            ):
                self.saved, self.texts, self.place = saved, texts, place

    @contextmanager
    def unless_refused(self) -> Iterator[None]:
        """Undo the changes of the block if it ends in an error."""
        texts, place = list(self.texts), self.place
        try:
            yield
        except Exception:
            self.texts, self.place = texts, place
            raise


AutosaveKind = Literal["drafts", "experiments", "searches", "games"]
KINDS: tuple[AutosaveKind, ...] = ("drafts", "experiments", "searches", "games")
MAX_ENTRIES = 50
"""Files of a kind; the oldest goes when there are more."""
MAX_BYTES = 1_000_000
"""Bytes of a file."""


class Autosave:
    """The unsaved drafts and games of a project, a file each, which outlive the studio.

    NiceGUI's own storage survives a kill, too. But it is one file with one temporary name: of two studios on a project
    each wrote its own state over the other's drafts, and a tenth of what could be read between was half-written.
    """

    def __init__(self, project: Project, warn: Callable[[str], None] = lambda message: None) -> None:
        """``warn`` is called once if nothing can be written, with the reason."""
        self.folder = project.unsaved
        self._warn = warn
        self._waiting: dict[tuple[AutosaveKind, str], Mapping[str, Any] | None] = {}
        self._lock = threading.Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="autosave")
        self._claimed = self._warned = False

    def load(self, kind: AutosaveKind, name: str) -> dict[str, Any]:
        """Return the data stored under a name; empty if there is none, or it cannot be understood."""
        self.flush()
        content = _read(self._path(kind, name))
        return content if content.get("name") == name else {}

    def names(self, kind: AutosaveKind) -> list[str]:
        """Return the names under which data is stored, the latest first."""
        self.flush()
        files = [(path.lstat().st_mtime_ns, path) for path in (self.folder / kind).glob("*.json")]
        names = (_read(path).get("name") for _, path in sorted(files, reverse=True))
        return [name for name in names if isinstance(name, str)]

    def store(self, kind: AutosaveKind, name: str, content: Mapping[str, Any] | None) -> None:
        """Store plain data under a name, or delete it; a thread writes the latest, and no page waits for it."""
        with self._lock:
            idle = not self._waiting
            self._waiting[kind, name] = content
        if idle:
            self._writer.submit(self._write)

    def flush(self) -> None:
        """Wait until all is on disk."""
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

    def _put(self, kind: AutosaveKind, name: str, content: Mapping[str, Any] | None) -> None:
        path = self._path(kind, name)
        written = b"" if content is None else json.dumps({"name": name, **content}, ensure_ascii=False).encode()
        if not 0 < len(written) <= MAX_BYTES:
            if self.folder.is_dir():
                output.refuse_links(path)
                path.unlink(missing_ok=True)
            return
        if not self._claimed:
            ignored = self.folder / ".gitignore"
            owned = output.claim_folder(self.folder, [*KINDS, ignored.name])
            for each in KINDS:
                owned.sweep(each)
            output.write_file(ignored, b"*\n")
            self._claimed = True
        output.write_file(output.make_folder(path.parent) / path.name, written)
        files = [(each.lstat().st_mtime_ns, each) for each in path.parent.glob("*.json")]
        for _, oldest in sorted(files)[:-MAX_ENTRIES]:
            oldest.unlink(missing_ok=True)

    def _path(self, kind: AutosaveKind, name: str) -> Path:
        return self.folder / kind / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.json"


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_BYTES:
            return {}
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


class NameTaken(Exception):
    """There is another file of this name, or its content has changed since it was opened; nothing was written."""


class ShippedName(NameTaken):
    """The file is shipped with the workbench; nothing was written."""


def is_shipped(folder: str, name: str) -> bool:
    """True if a file of a project's folder, such as ``rulesets``, came with the workbench.

    In a clone of its repository all of them did.
    """
    path: Path = getattr(projects.shipped_project(), folder) / f"{name}.yaml"
    return path.is_file()


@dataclass(frozen=True)
class FileReading:
    """The meaning of the text of an experiment or a search."""

    keys: Mapping[str, Any]
    """The keys of the text as plain values, as far as it can be understood."""
    problems: tuple[Problem, ...]

    @property
    def titles(self) -> tuple[str, str]:
        """The titles in English and Japanese; "" for none."""
        return plain_word(self.keys.get("title")), plain_word(self.keys.get("title_ja"))

    @property
    def title(self) -> str:
        """The title in both languages; "" for none."""
        return bilingual(en=self.titles[0], ja=self.titles[1])


@dataclass(kw_only=True)
class Document(History, ABC):
    """The text of a file and its history."""

    folder: ClassVar[str]
    """The project's folder of such files."""
    autosaved: ClassVar[AutosaveKind]
    project: Project
    name: str
    """The name of the file; for a new one a name that no file has."""
    new: bool
    """True if there is no file yet."""
    viewers: list[Callable[[], None]] = field(default_factory=list)
    """Functions that draw its pages anew."""

    @property
    def key(self) -> str:
        """The name under which it is autosaved."""
        return "" if self.new else self.name

    @property
    def shipped(self) -> bool:
        """True if the file came with the workbench."""
        return not self.new and is_shipped(self.folder, self.name)

    def view(self) -> dict[str, Any]:
        """Return the text and the state of its buttons, as plain data."""
        return {
            "text": self.text,
            "undo": self.place > 0,
            "redo": self.place < len(self.texts) - 1,
            "changed": self.dirty,
            "dirty": self.dirty or self.new,
        }

    @abstractmethod
    def read(self) -> RulesetReading | FileReading:
        """Return the meaning of the text with the rulesets as they are on disk now."""

    @property
    @abstractmethod
    def titles(self) -> tuple[str, str]:
        """The titles in the text, in English and Japanese; "" for none."""

    @abstractmethod
    def destination(self, name: str) -> tuple[str, Path]:
        """Return the full name and the path of a file that is to be saved under a typed name."""

    def entitle(self, title: str, language: str) -> None:
        """Set the title in a language, or in English if that is the only title of the text."""
        english, own = self.titles
        self.set_title(title, language == "ja" and bool(own or not english))

    def set_title(self, title: str, japanese: bool) -> None:
        """Set the title in one of the languages."""
        self.write(edits.set_text_key(self.text, "title_ja" if japanese else "title", " ".join(title.split())))


DocumentType = TypeVar("DocumentType", bound=Document)
ReadingType = TypeVar("ReadingType", bound=FileReading)


@dataclass(kw_only=True)
class FileDocument(Document, Generic[ReadingType]):
    """An experiment or a search: a file of keys, each with a name of its own."""

    unnamed: ClassVar[str]
    """The name of a new one until it has its own."""
    keys: ClassVar[Collection[str]]
    """The keys of a file, in their order."""
    names: ClassVar[staticmethod[[Project], list[str]]]
    path_of: ClassVar[staticmethod[[Project, str], Path]]
    """The file of a name, be it there or not."""
    new_path: ClassVar[staticmethod[[str, Project], Path]]
    """The path for a file with a typed name; raises `InputError`."""
    load: ClassVar[staticmethod[..., Any]]
    """The content of a file with this text; raises `InputError`."""
    reading: ClassVar[type[FileReading]]

    @property
    def path(self) -> Path:
        """The file."""
        return self.path_of(self.project, self.name)

    @property
    def titles(self) -> tuple[str, str]:
        """The titles in the text, in English and Japanese; "" for none."""
        return self.read().titles

    def read(self) -> ReadingType:
        """Return the meaning of the text with the rulesets as they are on disk now."""
        return self.read_as(self.path)

    @snapshot()
    def read_as(self, path: Path) -> ReadingType:
        """Return the meaning of the text as a file of this path."""
        keys: Mapping[str, Any] = {}
        problems: list[Problem] = []
        content = None
        try:
            keys = yamlfile.parse_yaml(self.text, display_path(path), []).plain()
            content = self.load(path, self.project, self.text)
        except InputError as error:
            problems = error.problems
        reading: Any = self.reading
        return cast(ReadingType, reading(keys, tuple(dict.fromkeys(problems)), content))

    def destination(self, name: str) -> tuple[str, Path]:
        """Return the name and the path of a file that is to be saved under a typed name; raises `InputError`."""
        own = not self.new and name == self.name
        path = self.path if own and not self.project.shipped else self.new_path(name, self.project)
        if problems := self.read_as(path).problems:
            raise InputError(problems)
        return path.stem, path

    def with_key(self, text: str, key: str, written: str | None) -> str:
        """Return a text with a key set to some YAML, at the key's place among the others; None leaves it out."""
        return edits.set_value(text, key, written, self.before(key))

    def before(self, key: str) -> list[str]:
        """Return the keys that precede a key in files, nearest first."""
        order = list(self.keys)
        return order[: order.index(key)][::-1]

    def set(self, key: str, value: str | float | None) -> None:
        """Set a key to a word or a number; None leaves it out."""
        self.step(self.with_key(self.text, key, None if value is None else as_yaml(value)))


FileType = TypeVar("FileType", bound=FileDocument[Any])


class DocumentStore:
    """The documents of a project, each as it was left, if need be in an earlier studio."""

    def __init__(self, project: Project, autosave: Autosave) -> None:
        self.project, self.autosave = project, autosave
        self._open: dict[tuple[AutosaveKind, str], Document] = {}

    def open(self, document_type: type[DocumentType], key: str, begin: Callable[[], DocumentType]) -> DocumentType:
        """Return the document of a key as it was left, or as it begins where nothing was changed."""
        current = self._open.get((document_type.autosaved, key))
        assert current is None or isinstance(current, document_type)
        if current is not None and current.dirty:
            return current
        document = begin()
        if current is not None and current.saved == document.saved:
            current.name = document.name
            return current
        if current is None:
            document.resume(self.autosave.load(document.autosaved, key))
        self._open[document.autosaved, key] = document
        return document

    def open_file(self, document_type: type[FileType], name: str) -> FileType:
        """Return the document of a file."""
        path = document_type.path_of(self.project, name)
        if name not in document_type.names(self.project):
            raise input_error(tr("there is no such file"), file=display_path(path))
        self.project.require_place(path)
        return self.open(
            document_type, name, lambda: document_type(file_text(path), project=self.project, name=name, new=False)
        )

    def open_new(self, document_type: type[FileType], blank: str, text: str = "") -> FileType:
        """Return the new document as it was left, or as ``blank``; a ``text`` replaces it, which can be undone."""
        name = edits.unused_name([document_type.unnamed], document_type.names(self.project))
        document = self.open(document_type, "", lambda: document_type(blank, project=self.project, name=name, new=True))
        if text:
            replaces = document.dirty
            document.step(text)
            if replaces:
                self.save_draft(document)
        return document

    def save_draft(self, document: Document) -> None:
        """Save a document's history for the next studio, and draw its pages anew."""
        self.autosave.store(document.autosaved, document.key, document.as_json())
        for draw in list(document.viewers):
            draw()

    def discard(self, document: Document) -> None:
        """Forget a document: its page begins with the file again."""
        self._open = {key: other for key, other in self._open.items() if other is not document}
        self.autosave.store(document.autosaved, document.key, None)

    def save(self, document: Document, name: str, replace: bool) -> str:
        """Write a document as the file of a name, whole or not at all; return the full name.

        ``replace``: the user has agreed that an existing file is replaced.

        Raises:
            NameTaken: there is such a file, and nobody agreed; or it has changed meanwhile.
            ShippedName: it came with the workbench, even if this is its own text.
            InputError: the name cannot be used, or the text has problems.
            Unwritable: the disk is full, say.
        """
        full, path = document.destination(name)
        self.project.require_place(path)
        own = not document.new and full == document.name
        exists = os.path.lexists(path)
        if exists and not replace:
            if is_shipped(document.folder, full):
                raise ShippedName
            if not own or not _holds_text(path, document.saved):
                raise NameTaken
        text = document.text if document.text.endswith("\n") else f"{document.text}\n"
        output.write_file(output.make_folder(path.parent) / path.name, text.encode(), new=not exists)
        if own:
            document.saved = document.text
        else:
            self.discard(document)
        return full


def file_text(path: Path) -> str:
    """Return the text of a YAML file."""
    return yamlfile.read_small_file(path, "YAML file").decode("utf-8-sig", errors="replace").replace("\r\n", "\n")


def _holds_text(path: Path, text: str) -> bool:
    with contextlib.suppress(OSError, InputError):
        return file_text(path) == text
    return False


def plain_item(written: str) -> str:
    """Return the word that an item of a list is; its text if it is no word."""
    try:
        node = yamlfile.parse_yaml(f"x: {written}", "").descendant("x")
    except InputError:
        return written
    return node.text if node.is_scalar else written


def plain_word(value: Any) -> str:
    """Return the value of a file as a word; "" if it is none."""
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def plain_number(value: Any) -> float | None:
    """Return the value of a file as a number; None if it is none."""
    value = without_groups(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def as_yaml(value: str | float) -> str:
    """Return a word or a number as YAML writes it."""
    if not isinstance(value, str):
        return f"{value:.12g}"
    plain = re.fullmatch(r"\w[\w./+-]*", value) and isinstance(yamlfile.parse_scalar(value), str)
    return value if plain else json.dumps(value, ensure_ascii=False)
