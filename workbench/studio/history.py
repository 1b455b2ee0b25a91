"""A text that is being written, and every text that it was before."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from workbench.errors import WorkbenchError
from workbench.files import output
from workbench.files.project import Project
from workbench.language import tr

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
