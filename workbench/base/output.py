"""Atomic file writing that never follows links and never replaces foreign files.

A file is written under a random name in its folder, flushed to disk and renamed, so that readers see either the old or
the new file, and a full disk, a kill or a power cut preserves the old one. Partial files are deleted when the folder is
next written to; a running process locks its own.

Every folder that the workbench writes contains a mark (``.workbench``), which lists the workbench's files there. Only
these are ever replaced or deleted. A name is added to the list before its file is written, so that a kill leaves no
file that would later appear to be somebody else's.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import importlib.util
import itertools
import json
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from workbench.base import errors
from workbench.base.errors import InputError, WorkbenchError, display_path, expected, input_error, system_reason
from workbench.base.language import sentences, tr

fcntl: Any = importlib.import_module("fcntl") if importlib.util.find_spec("fcntl") else None
"""File locks; not available on Windows."""

MARK = ".workbench"
_TEMPORARY = ".workbench-{}.tmp"
_TEMPORARY_PATTERN = ".workbench-*.tmp"
_NAME = re.compile(r"(?!\.{1,2}(?:/|$))[^/\\\0]+(?:/(?!\.{1,2}$)[^/\\\0]+)?")
"""A file of a folder, or of one of its subfolders."""
ABANDONED_AFTER, LOCKED_AFTER = 3600, 10
"""Seconds after which a temporary file is considered abandoned where files cannot be locked, and after which a running
process must have locked its file."""


class Unwritable(WorkbenchError):
    """A file cannot be written, for instance because the disk is full; existing files are unchanged."""

    def __init__(self, folder: Path, reason: str, note: str = "") -> None:
        """Create the error; ``note`` says what is preserved and how to continue."""
        self.folder, self.reason = folder, reason
        message = tr("{folder} cannot be written: {reason}.", folder=display_path(folder), reason=reason)
        super().__init__(sentences([message, note]))


def require_regular_file(path: Path) -> Path:
    """Return the path of a regular file; raise `OSError` for anything else, since a pipe may never end."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, expected(tr("a file"), tr("a folder, a pipe or a device")), str(path))
    return path


def write_file(path: Path, content: bytes, new: bool = False, private: bool = False) -> Path:
    """Write a file atomically and return its path; see `atomic_write`."""
    with atomic_write(path, new, private) as stream:
        stream.write(content)
    return path


@contextlib.contextmanager
def atomic_write(path: Path, new: bool = False, private: bool = False) -> Iterator[BinaryIO]:
    """Yield a read-write stream whose content becomes the file unless the block raises.

    With ``new`` the file must not exist; with ``private`` only its owner may read it. Raises `Unwritable` if the system
    refuses, and `InputError` for a link or an existing file; either leaves everything unchanged.
    """
    refuse_links(path)
    temporary = path.with_name(_TEMPORARY.format(secrets.token_hex(8)))
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(temporary, flags, 0o600 if private else 0o666), "w+b") as stream:
            _lock(stream.fileno())
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        (_create_exclusively if new else os.replace)(temporary, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise unwritable_error(path.parent, error) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def unwritable_error(folder: Path, error: OSError, note: str = "") -> Unwritable:
    """Return a system error as `Unwritable`."""
    return Unwritable(folder, system_reason(error), note)


def make_folder(folder: Path) -> Path:
    """Create a folder if it does not exist, and return it; raise `Unwritable` if the system refuses."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise input_error(expected(tr("a folder"), tr("a file")), file=display_path(folder)) from None
    except OSError as error:
        raise unwritable_error(folder, error) from error
    return folder


def refuse_links(path: Path) -> None:
    """Raise `InputError` if a file or its folder is a symbolic link."""
    for candidate in (path.parent, path):
        if candidate.is_symlink():
            raise _link_error(candidate, tr("remove it, or use its target instead"))


def _link_error(path: Path, hint: str) -> InputError:
    message = tr("is a link (to {target}); the workbench does not write through links", target=os.readlink(path))
    return input_error(message, hint, file=display_path(path))


def _lock(descriptor: int) -> None:
    """Lock a file or folder until this process closes it or ends."""
    if fcntl:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_abandoned(path: Path) -> bool:
    """Return whether the process that locked a file or folder has ended; False if locks are not supported."""
    if not fcntl:
        return False
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _create_exclusively(temporary: Path, path: Path) -> None:
    exists_error = input_error(tr("the file already exists"), file=display_path(path))
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise exists_error from None
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            raise exists_error from None
        temporary.rename(path)


def _sync_folder(folder: Path) -> None:
    """Flush a folder's entries to disk, so that they survive a power cut."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class Folder:
    """A folder that the workbench may write to, and the names of the workbench's own files in it."""

    def __init__(self, path: Path, names: Iterable[str]) -> None:
        self.path = path
        self.names = set(names)

    def claim_files(self, names: Iterable[str]) -> None:
        """List files or subfolders as the workbench's own before writing them; raise `InputError` for foreign files."""
        added = set(names) - self.names
        problems = [
            errors.Problem(
                display_path(self.path / name), None, None,
                tr("was not written by the workbench and would be overwritten"),
                tr("rename it, or choose another folder"),
            )
            for name in sorted(added)
            if os.path.lexists(self.path / name)
        ]  # fmt: skip
        if problems:
            raise InputError(problems)
        if added:
            self.names |= added
            self._mark()

    def _mark(self) -> None:
        content = {
            "about": tr("The rule workbench created the files listed here. It never replaces or deletes any others."),
            "files": sorted(self.names),
        }
        write_file(self.path / MARK, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())

    @contextlib.contextmanager
    def transaction(self, note: str = "", replaces: Sequence[str] = ()) -> Iterator[Path]:
        """Yield a staging folder; all or none of the files written there move into this folder at the end.

        The workbench's files that match a pattern of ``replaces`` but are not rewritten are deleted. ``note`` extends
        the message if the files cannot be written. Raises `Unwritable`, or `InputError` if a file would
        replace a foreign one; either leaves the folder unchanged.
        """
        staging = self.path / _TEMPORARY.format(secrets.token_hex(8))
        lock = -1
        try:
            staging.mkdir()
            if fcntl:
                lock = os.open(staging, os.O_RDONLY)
                _lock(lock)
            yield staging
            written = sorted(path.relative_to(staging).as_posix() for path in staging.rglob("*") if path.is_file())
            for name in written:
                refuse_links(self.path / name)
            self.claim_files(written)
            for name in written:
                (self.path / name).parent.mkdir(exist_ok=True)
                os.replace(staging / name, self.path / name)
            for path in itertools.chain.from_iterable(self.path.glob(pattern) for pattern in replaces):
                name = path.relative_to(self.path).as_posix()
                if name in self.names and name not in written:
                    path.unlink()
            _sync_folder(self.path)
        except Unwritable as error:
            raise Unwritable(self.path, error.reason, note) from error
        except OSError as error:
            raise unwritable_error(self.path, error, note) from error
        finally:
            shutil.rmtree(staging, ignore_errors=True)
            if lock >= 0:
                os.close(lock)

    def sweep(self, folder: str = "", min_age: float = ABANDONED_AFTER) -> None:
        """Delete temporary files of processes that have ended, and any others older than ``min_age`` seconds."""
        if (self.path / folder).is_symlink():
            return
        for path in (self.path / folder).glob(_TEMPORARY_PATTERN):
            with contextlib.suppress(OSError):
                age = time.time() - path.lstat().st_mtime
                if age >= min_age or (age >= LOCKED_AFTER and _is_abandoned(path)):
                    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def listed_files(path: Path) -> set[str] | None:
    """Return the names listed in a folder's mark; None if there is no readable mark."""
    if path.is_symlink() or (path / MARK).is_symlink() or not (path / MARK).is_file():
        return None
    try:
        content: Any = json.loads((path / MARK).read_text(encoding="utf-8"))
        names = content["files"]
        return {name for name in names if isinstance(name, str) and _NAME.fullmatch(name)}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def claim_folder(
    path: Path, names: Collection[str], unmarked_files: Collection[str] | None = None, into_existing: bool = False
) -> Folder:
    """Prepare a new, empty or previously claimed folder for writing, and mark it; create it if necessary.

    ``names`` are the files about to be written; see `Folder.claim_files`. ``unmarked_files`` are the
    workbench's own files if the mark is lost, or None if it wrote none. ``into_existing`` accepts a folder with other
    files. Raises `InputError` if the folder is unsuitable, leaving it unchanged, and `Unwritable`.
    """
    if path.is_symlink():
        raise _link_error(path, tr("use its target instead"))
    listed = listed_files(path) if path.is_dir() else None
    if listed is not None:
        claimed = Folder(path, listed)
        claimed.claim_files(names)
        claimed.sweep()
        return claimed
    make_folder(path)
    try:
        # A mark may have lost its content in a power cut.
        occupied = any(
            entry.name != MARK or entry.is_symlink() or not entry.is_file() or entry.stat().st_size
            for entry in path.iterdir()
            if not entry.match(_TEMPORARY_PATTERN)
        )
    except OSError as error:
        raise unwritable_error(path, error) from error
    if occupied and unmarked_files is None and not into_existing:
        suitable_folder = tr("a new or empty folder, or one created by the workbench")
        hint = tr("choose another one, or add --into-existing: files not created by the workbench are never replaced")
        raise input_error(expected(suitable_folder, tr("one with other files")), hint, file=display_path(path))
    claimed = Folder(path, [name for name in unmarked_files or () if os.path.lexists(path / name)])
    claimed.claim_files(names)
    if not (path / MARK).exists():
        claimed._mark()
    claimed.sweep()
    return claimed
