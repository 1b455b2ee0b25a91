"""What stands on pages and in no file of its user's, on disk as soon as it is there: drafts and games in play.

``.studio/`` in the project's folder has a file of JSON for each, so a studio that is killed loses none of them: the
next one on the same project finds them when their pages are opened. A project may come from somebody else, so
whoever reads one takes nothing in it on trust.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

from workbench.errors import WorkbenchError
from workbench.files import output
from workbench.files.project import Project
from workbench.language import tr

Kind = Literal["drafts", "experiments", "searches", "games"]
KINDS: tuple[Kind, ...] = ("drafts", "experiments", "searches", "games")
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
        self._waiting: dict[tuple[Kind, str], Mapping[str, Any] | None] = {}
        self._lock = threading.Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="unsaved")
        self._claimed = self._warned = False

    def load(self, kind: Kind, name: str) -> dict[str, Any]:
        """What was kept under a name; nothing if there is none, or it cannot be understood."""
        self.flush()
        content = _read(self._path(kind, name))
        return content if content.get("name") == name else {}

    def names(self, kind: Kind) -> list[str]:
        """Under which names something was kept, the latest first."""
        self.flush()
        found = [(path.lstat().st_mtime_ns, path) for path in (self.folder / kind).glob("*.json")]
        names = (_read(path).get("name") for _, path in sorted(found, reverse=True))
        return [name for name in names if isinstance(name, str)]

    def store(self, kind: Kind, name: str, content: Mapping[str, Any] | None) -> None:
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

    def _put(self, kind: Kind, name: str, content: Mapping[str, Any] | None) -> None:
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

    def _path(self, kind: Kind, name: str) -> Path:
        return self.folder / kind / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.json"


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_BYTES:
            return {}
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
