"""When files were written last, and what they call themselves."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from workbench.errors import InputError
from workbench.files import yamlfile
from workbench.language import given


def read_titles(path: Path) -> str | None:
    """What a file calls itself, though it may be wrong otherwise."""
    try:
        said = yamlfile.read_yaml(path, []).plain()
    except InputError:
        return None
    english, japanese = (said.get(key) for key in ("title", "title_ja"))
    words = [each if isinstance(each, str) else "" for each in (english, japanese)]
    return given(en=words[0], ja=words[1]) if any(words) else None


def change_stamp(paths: Iterable[Path]) -> tuple[int, int, int]:
    """What changes when one of some files does."""
    count = newest = size = 0
    for path in paths:
        with contextlib.suppress(OSError):
            about = path.stat()
            count, newest, size = count + 1, max(newest, about.st_mtime_ns), size + about.st_size
    return count, newest, size


def changed_at(path: Path) -> float:
    """When a file was written last, in seconds since 1970; 0 if it is not there."""
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return 0.0
