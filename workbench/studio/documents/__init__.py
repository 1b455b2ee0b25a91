"""Documents: texts of rulesets with their history, content and saving.

The text is the only state. Choices on a page edit the text (`edits`), and pages show what the checks of the command
line read from it. If a text cannot be read, edited or saved, an `InputError` with all problems is raised.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar, get_args

from workbench.base import output, yamlfile
from workbench.base import project as projects
from workbench.base.errors import InputError, WorkbenchError
from workbench.base.language import tr
from workbench.base.project import Project
from workbench.rules import edits
from workbench.rules.edits import RulesetReading

MAX_STEPS = 500
TYPING_SECONDS = 1.5
"""Longest pause between letters of the same step, in seconds."""
MAX_TEXT = 100_000
"""Maximum number of characters of a text; typical files have one or two thousand."""
MAX_SAVED_TEXT = 200_000
"""Maximum number of characters of a saved history."""


@dataclass
class History:
    """A text with steps that can be undone and redone."""

    saved: str
    """The text on disk, or the initial text of a new file."""
    texts: list[str] = field(default_factory=list)
    place: int = 0
    """The index of the current text; later texts can be redone."""
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
        """Add a text as a separate step."""
        self._typed = 0.0
        if text != self.text:
            self.texts = [*self.texts[: self.place + 1], text][-MAX_STEPS:]
            self.place = len(self.texts) - 1

    def write(self, text: str) -> None:
        """Add a typed text; letters typed in quick succession form one step."""
        text = text.replace("\r\n", "\n")[:MAX_TEXT]
        now = time.monotonic()
        extends_step = now - self._typed < TYPING_SECONDS and self.place == len(self.texts) - 1 > 0
        if text != self.text and extends_step:
            self.texts[self.place] = text
        else:
            self.step(text)
        self._typed = now

    def undo(self) -> bool:
        """Undo the last step and return True if there are more."""
        self._typed = 0.0
        self.place -= self.place > 0
        return self.place > 0

    def redo(self) -> None:
        """Redo the last undone step."""
        self._typed = 0.0
        self.place = min(self.place + 1, len(self.texts) - 1)

    def revert(self) -> None:
        """Return to the saved text as a new step."""
        self.step(self.saved)

    def as_json(self) -> dict[str, Any] | None:
        """Return plain data for `resume`, with as many neighbouring steps as fit, or None if there are none."""
        if len(self.texts) == 1:
            return None
        start, stop, capacity = self.place, self.place + 1, MAX_SAVED_TEXT - len(self.text)
        while start and len(self.texts[start - 1]) <= capacity:
            start -= 1
            capacity -= len(self.texts[start])
        while stop < len(self.texts) and len(self.texts[stop]) <= capacity:
            capacity -= len(self.texts[stop])
            stop += 1
        return {"saved": self.saved, "texts": self.texts[start:stop], "place": self.place - start}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Restore the result of `as_json` if it differs from the file; other data is ignored."""
        match state:
            case {"saved": str(saved), "texts": [*texts], "place": int(place)} if (
                0 <= place < len(texts) <= MAX_STEPS
                and all(isinstance(text, str) and len(text) <= MAX_TEXT for text in (saved, *texts))
                and (saved == self.saved or texts[place] not in (saved, self.saved))
            ):
                self.saved, self.texts, self.place = saved, texts, place

    @contextmanager
    def restored_on_error(self) -> Iterator[None]:
        """Return a context manager that undoes changes to the text if its block raises an exception."""
        texts, place = list(self.texts), self.place
        try:
            yield
        except Exception:
            self.texts, self.place = texts, place
            raise


AutosaveKind = Literal["drafts", "games", "history"]
KINDS: tuple[AutosaveKind, ...] = get_args(AutosaveKind)
MAX_ENTRIES = 50
"""Maximum number of files of a kind; older files are deleted."""
MAX_BYTES = 1_000_000
"""Maximum size of a file in bytes."""


class Autosave:
    """The unsaved drafts and games of a project in one file each, which outlive the studio.

    NiceGUI's storage also survives a kill, but it is a single file with one temporary name: two studios on a project
    overwrote each other's drafts, and a tenth of concurrent reads were incomplete.
    """

    def __init__(self, project: Project, warn: Callable[[str], None] = lambda message: None) -> None:
        """``warn`` receives the first reason why a file cannot be written."""
        self.folder = project.unsaved
        self._warn = warn
        self._waiting: dict[tuple[AutosaveKind, str], Mapping[str, Any] | None] = {}
        self._lock = threading.Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="autosave")
        self._claimed = self._warned = False

    def load(self, kind: AutosaveKind, name: str) -> dict[str, Any]:
        """Return the data stored under a name, or an empty dictionary if it is missing or damaged."""
        self.flush()
        content = _read(self._path(kind, name))
        return content if content.get("name") == name else {}

    def names(self, kind: AutosaveKind) -> list[str]:
        """Return the names of stored data, latest first."""
        self.flush()
        files = [(path.lstat().st_mtime_ns, path) for path in (self.folder / kind).glob("*.json")]
        names = (_read(path).get("name") for _, path in sorted(files, reverse=True))
        return [name for name in names if isinstance(name, str)]

    def store(self, kind: AutosaveKind, name: str, content: Mapping[str, Any] | None) -> None:
        """Store plain data under a name, or delete it if ``content`` is None, in a background thread."""
        with self._lock:
            is_idle = not self._waiting
            self._waiting[kind, name] = content
        if is_idle:
            self._writer.submit(self._write)

    def flush(self) -> None:
        """Wait until all data is on disk."""
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
                self._warn(tr("Unsaved changes will be lost when the studio stops: {error}", error=error))

    def _put(self, kind: AutosaveKind, name: str, content: Mapping[str, Any] | None) -> None:
        path = self._path(kind, name)
        data = b"" if content is None else json.dumps({"name": name, **content}, ensure_ascii=False).encode()
        if not 0 < len(data) <= MAX_BYTES:
            if self.folder.is_dir():
                output.refuse_links(path)
                path.unlink(missing_ok=True)
            return
        if not self._claimed:
            gitignore = self.folder / ".gitignore"
            target = output.claim_folder(self.folder, [*KINDS, gitignore.name])
            for kind_name in KINDS:
                target.sweep(kind_name)
            output.write_file(gitignore, b"*\n")
            self._claimed = True
        output.write_file(output.make_folder(path.parent) / path.name, data)
        files = [(file.lstat().st_mtime_ns, file) for file in path.parent.glob("*.json")]
        for _, oldest in sorted(files)[:-MAX_ENTRIES]:
            oldest.unlink(missing_ok=True)

    def _path(self, kind: AutosaveKind, name: str) -> Path:
        return self.folder / kind / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.json"


def _read(path: Path) -> dict[str, Any]:
    with contextlib.suppress(OSError, ValueError, RecursionError):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= MAX_BYTES:
            content = json.loads(path.read_text(encoding="utf-8"))
            return content if isinstance(content, dict) else {}
    return {}


class NameTaken(Exception):
    """Raised before writing if another file has the name or the file has changed since it was opened."""


class ShippedName(NameTaken):
    """Raised before writing if the file is shipped with the workbench."""


def is_shipped(folder: str, name: str) -> bool:
    """Return True if a file in a project folder such as ``rulesets`` is shipped with the workbench."""
    path: Path = getattr(projects.shipped_project(), folder) / f"{name}.yaml"
    return path.is_file()


def change_stamp(paths: Iterable[Path]) -> tuple[int, int, int]:
    """Return the number of files, their latest modification time and their total size, for detecting changes."""
    count = newest = size = 0
    for path in paths:
        with contextlib.suppress(OSError):
            status = path.stat()
            count, newest, size = count + 1, max(newest, status.st_mtime_ns), size + status.st_size
    return count, newest, size


@dataclass(kw_only=True)
class Document(History, ABC):
    """The text of a file with its history."""

    folder: ClassVar[str]
    """The project folder that contains such files."""
    autosaved: ClassVar[AutosaveKind]
    project: Project
    name: str
    """The file's name, or an unused name for a new file."""
    new: bool
    """True if there is no file yet."""
    viewers: list[Callable[[], None]] = field(default_factory=list)
    """Functions that redraw the document's pages."""

    @property
    def key(self) -> str:
        """The name for autosaving."""
        return "" if self.new else self.name

    @property
    def shipped(self) -> bool:
        """True if the file is shipped with the workbench."""
        return not self.new and is_shipped(self.folder, self.name)

    def view(self) -> dict[str, Any]:
        """Return the text and the state of its buttons as plain data."""
        return {
            "text": self.text, "undo": self.place > 0, "redo": self.place < len(self.texts) - 1,
            "changed": self.dirty, "dirty": self.dirty or self.new,
        }  # fmt: skip

    @abstractmethod
    def read(self) -> RulesetReading:
        """Parse the text, given the rulesets on disk."""

    @abstractmethod
    def destination(self, name: str) -> tuple[str, Path]:
        """Return the full name and path for saving under a typed name; raises `InputError`."""

    def file_name(self, title: str) -> str:
        """Return the name of the file for saving under a title if the user gives no name."""
        return self.name

    def entitle(self, title: str, language: str) -> None:
        """Set the title in a language; if the text has only an English title, that title is set."""
        english, japanese = self.read().titles
        self.set_title(title, language == "ja" and bool(japanese or not english))

    def set_title(self, title: str, japanese: bool) -> None:
        """Set the English or the Japanese title."""
        self.write(edits.set_text_key(self.text, "title_ja" if japanese else "title", " ".join(title.split())))


DocumentType = TypeVar("DocumentType", bound=Document)


class DocumentStore:
    """The open documents of a project, which are restored from earlier studios."""

    def __init__(self, project: Project, autosave: Autosave) -> None:
        self.project, self.autosave = project, autosave
        self._open: dict[tuple[AutosaveKind, str], Document] = {}

    def open(self, document_type: type[DocumentType], key: str, factory: Callable[[], DocumentType]) -> DocumentType:
        """Return the document with a key and its changes, or the result of ``factory`` if there are no changes."""
        current = self._open.get((document_type.autosaved, key))
        assert current is None or isinstance(current, document_type)
        if current is not None and current.dirty:
            return current
        document = factory()
        if current is not None and current.saved == document.saved:
            current.name = document.name
            return current
        if current is None:
            document.resume(self.autosave.load(document.autosaved, key))
        self._open[document.autosaved, key] = document
        return document

    def save_draft(self, document: Document) -> None:
        """Store a document's history for the next studio and redraw its pages."""
        self.autosave.store(document.autosaved, document.key, document.as_json())
        for redraw in list(document.viewers):
            redraw()

    def discard(self, document: Document) -> None:
        """Forget a document's changes."""
        self._open = {key: other for key, other in self._open.items() if other is not document}
        self.autosave.store(document.autosaved, document.key, None)

    def save(self, document: Document, name: str, replace: bool) -> str:
        """Write a document atomically under a name and return the full name.

        ``replace``: the user has agreed to replace an existing file.

        Raises:
            NameTaken: another file has the name, or the file has changed since it was opened.
            ShippedName: the file is shipped with the workbench, even if it is this document's file.
            InputError: the name is invalid, or the text has problems.
            Unwritable: the file cannot be written, for example because the disk is full.
        """
        full_name, path = document.destination(name)
        self.project.require_place(path)
        is_own = not document.new and full_name == document.name
        exists = os.path.lexists(path)
        if exists and not replace:
            if is_shipped(document.folder, full_name):
                raise ShippedName
            if not is_own or not _has_text(path, document.saved):
                raise NameTaken
        text = document.text if document.text.endswith("\n") else f"{document.text}\n"
        output.write_file(output.make_folder(path.parent) / path.name, text.encode(), new=not exists)
        if is_own:
            document.saved = document.text
        else:
            self.discard(document)
        return full_name


def file_text(path: Path) -> str:
    """Return the text of a YAML file."""
    return yamlfile.read_small_file(path, "YAML file").decode("utf-8-sig", errors="replace").replace("\r\n", "\n")


def _has_text(path: Path, text: str) -> bool:
    with contextlib.suppress(OSError, InputError):
        return file_text(path) == text
    return False
