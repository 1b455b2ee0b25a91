"""What outlives the studio: texts with the steps that led to them, and files that keep unsaved work."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from workbench.base import output, yamlfile
from workbench.base import project as projects
from workbench.base.errors import WorkbenchError
from workbench.base.language import tr
from workbench.base.project import Project

TYPING_SECONDS = 1.5
"""Longest pause between letters of the same step, in seconds."""
MAX_TEXT = 100_000
"""Maximum number of characters of a text; typical files have one or two thousand."""
MAX_SAVED_TEXT = 200_000
"""Maximum number of characters of a history."""


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
        """Add a text as a separate step; the oldest steps are forgotten."""
        self._typed = 0.0
        if text != self.text:
            self.texts = [*self.texts[: self.place + 1], text]
            while len(self.texts) > 1 and sum(map(len, self.texts)) > MAX_SAVED_TEXT:
                del self.texts[0]
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

    def undo(self) -> None:
        """Undo the last step."""
        self._typed = 0.0
        self.place -= self.place > 0

    def redo(self) -> None:
        """Redo the last undone step."""
        self._typed = 0.0
        self.place = min(self.place + 1, len(self.texts) - 1)

    def revert(self) -> None:
        """Return to the saved text as a new step."""
        self.step(self.saved)

    def as_json(self) -> dict[str, Any] | None:
        """Return plain data for `resume`, or None if there is only one step."""
        return {name: getattr(self, name) for name in ("saved", "texts", "place")} if len(self.texts) > 1 else None

    def resume(self, state: Mapping[str, Any]) -> None:
        """Restore the result of `as_json` if it differs from the file; other data is ignored."""
        match state:
            case {"saved": str(saved), "texts": [*texts], "place": int(place)} if (
                0 <= place < len(texts)
                and all(isinstance(text, str) for text in texts)
                and (saved == self.saved or texts[place] not in (saved, self.saved))
            ):
                self.saved, self.texts, self.place = saved, texts, place


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
        self._writer.submit(self._write, kind, name, content)

    def flush(self) -> None:
        """Wait until all data is on disk."""
        self._writer.submit(int).result()

    def _write(self, kind: AutosaveKind, name: str, content: Mapping[str, Any] | None) -> None:
        path = self._path(kind, name)
        data = b"" if content is None else json.dumps({"name": name, **content}, ensure_ascii=False).encode()
        try:
            if 0 < len(data) <= MAX_BYTES:
                self._claim()
                output.write_file(output.make_folder(path.parent) / path.name, data)
                files = [(file.lstat().st_mtime_ns, file) for file in path.parent.glob("*.json")]
                for _, oldest in sorted(files)[:-MAX_ENTRIES]:
                    oldest.unlink(missing_ok=True)
            elif self.folder.is_dir():
                output.refuse_links(path)
                path.unlink(missing_ok=True)
        except (WorkbenchError, OSError) as error:
            if not self._warned:
                self._warned = True
                self._warn(tr("Unsaved changes will be lost when the studio stops: {error}", error=error))

    def _claim(self) -> None:
        if not self._claimed:
            gitignore = self.folder / ".gitignore"
            target = output.claim_folder(self.folder, [*KINDS, gitignore.name])
            for kind in KINDS:
                target.sweep(kind)
            output.write_file(gitignore, b"*\n")
            self._claimed = True

    def _path(self, kind: AutosaveKind, name: str) -> Path:
        return self.folder / kind / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.json"


def _read(path: Path) -> dict[str, Any]:
    with contextlib.suppress(OSError, ValueError, RecursionError):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= MAX_BYTES:
            content = json.loads(path.read_text(encoding="utf-8"))
            return content if isinstance(content, dict) else {}
    return {}


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


def file_text(path: Path) -> str:
    """Return the text of a YAML file."""
    return yamlfile.read_small_file(path, "YAML file").decode("utf-8-sig", errors="replace").replace("\r\n", "\n")


def write_once(project: Project, path: Path, text: str) -> None:
    """Write a file of a project unless it exists; raises `InputError` if its folder is a link out of the project."""
    if not os.path.lexists(path):
        project.require_place(path)
        output.write_file(output.make_folder(path.parent) / path.name, text.encode(), new=True)
