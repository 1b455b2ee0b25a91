"""The one way in which the workbench writes files: whole or not at all, through no link, over no file of others.

A file is written under an unpredictable name beside its place, flushed to the disk, and renamed. So a reader finds the
old file or the new one; a full disk, a kill or a power cut leaves the old one. What is left half-written goes when the
folder is next written into: a process locks what it is at work on.

In every folder that the workbench fills lies a mark (``.workbench``), which lists its own files there. It replaces and
deletes those, and no others. A name is added to the list before its file is written, so a kill leaves no file that the
workbench would later take for somebody else's.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import itertools
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from workbench.errors import InputError, Problem, WorkbenchError, display_path

fcntl: Any = importlib.import_module("fcntl") if importlib.util.find_spec("fcntl") else None
"""Locks of files; there are none on Windows."""

MARK = ".workbench"
_TEMPORARY = ".workbench-{}.tmp"
_TEMPORARIES = ".workbench-*.tmp"
_NAME = re.compile(r"(?!\.{1,2}(?:/|$))[^/\\\0]+(?:/(?!\.{1,2}$)[^/\\\0]+)?")
"""A file of a folder, or of a folder in it."""
ABANDONED, BEGUN = 3600, 10
"""Seconds after which a temporary file belongs to no process that is still at work, where nobody can lock files; and
after which its process has locked it, if it is at work."""


class Unwritable(WorkbenchError):
    """A file cannot be written: the disk is full, say, or the folder read-only. What was there is still there."""

    def __init__(self, folder: Path, reason: str, kept: str = "") -> None:
        """Says which folder and why; ``kept`` is what has not been lost, and how to go on."""
        self.folder, self.reason = folder, reason
        super().__init__(f"{display_path(folder)} cannot be written: {reason}.{f' {kept}' if kept else ''}")


def write(path: Path, content: bytes, new: bool = False, private: bool = False) -> Path:
    """Writes a file that is there whole or not at all, and returns its path; see `writing`."""
    with writing(path, new, private) as stream:
        stream.write(content)
    return path


@contextlib.contextmanager
def writing(path: Path, new: bool = False, private: bool = False) -> Iterator[BinaryIO]:
    """A stream, readable too, whose content becomes the file when the block ends without an exception.

    ``new``: the file must not exist; ``private``: nobody but its owner may read it.

    Raises:
        Unwritable: the system refuses; nothing has changed.
        InputError: the file or its folder is a link, or there is a file where none must be; nothing has changed.
    """
    refuse_links(path)
    beside = path.with_name(_TEMPORARY.format(secrets.token_hex(8)))
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(beside, flags, 0o600 if private else 0o666), "w+b") as stream:
            _lock(stream.fileno())
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if new:
            _link(beside, path)
        else:
            os.replace(beside, path)
        _settle(path.parent)
    except OSError as error:
        raise unwritable(path.parent, error) from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def unwritable(folder: Path, error: OSError, kept: str = "") -> Unwritable:
    """What an error of the system says to a user."""
    return Unwritable(folder, error.strerror or str(error), kept)


def make(folder: Path) -> Path:
    """The folder, made if it does not exist.

    Raises:
        Unwritable: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError([Problem(display_path(folder), None, None, "expected a folder, found a file")]) from None
    except OSError as error:
        raise unwritable(folder, error) from error
    return folder


def refuse_links(path: Path) -> None:
    """Raises `InputError` if a file or the folder that holds it is a symbolic link: it may lead anywhere."""
    for one in (path.parent, path):
        if one.is_symlink():
            message = f"is a link (to {os.readlink(one)}), and the workbench writes through none"
            raise InputError(
                [Problem(display_path(one), None, None, message, "remove it, or name the place it leads to")]
            )


def _lock(opened: int) -> None:
    """Shows others that a process is at work on a file or folder, until it closes it or ends."""
    if fcntl:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_left(path: Path) -> bool:
    """Whether no process is at work on a file or folder any more; False where that cannot be seen."""
    if not fcntl:
        return False
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(opened)
    return True


def _link(beside: Path, path: Path) -> None:
    taken = InputError([Problem(display_path(path), None, None, "there is such a file already")])
    try:
        os.link(beside, path)
    except FileExistsError:
        raise taken from None
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            raise taken from None
        beside.rename(path)


def _settle(folder: Path) -> None:
    """Sees to it that the names of a folder survive a power cut."""
    if hasattr(os, "O_DIRECTORY"):
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


class Folder:
    """A folder that the workbench may fill, and which of the files in it are its own."""

    def __init__(self, path: Path, names: Iterable[str]) -> None:
        self.path = path
        self.names = set(names)

    def own(self, names: Iterable[str]) -> None:
        """Adds files, or folders whole, to the workbench's own; they are about to be written.

        Raises:
            InputError: there are such files, and the workbench did not write them.
        """
        added = set(names) - self.names
        problems = [
            Problem(
                display_path(self.path / name), None, None,
                "is not the workbench's own, and would have to be overwritten", "rename it, or name another folder",
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
            "about": "The rule workbench made the files that are listed here. It replaces and deletes no others.",
            "files": sorted(self.names),
        }
        write(self.path / MARK, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())

    @contextlib.contextmanager
    def edition(self, kept: str = "", replaces: Sequence[str] = ()) -> Iterator[Path]:
        """A place to write a set of files to: all of them move into the folder when the block ends, or none does.

        Own files that fit one of the patterns ``replaces`` and are not of the new set are deleted. ``kept`` ends the
        message if the set cannot be written.

        Raises:
            Unwritable: the disk is full, say; the folder is as it was.
            InputError: a file of the set would replace one that is not the workbench's own; the folder is as it was.
        """
        stage = self.path / _TEMPORARY.format(secrets.token_hex(8))
        lock = -1
        try:
            stage.mkdir()
            if fcntl:
                lock = os.open(stage, os.O_RDONLY)
                _lock(lock)
            yield stage
            made = sorted(path.relative_to(stage).as_posix() for path in stage.rglob("*") if path.is_file())
            for name in made:
                refuse_links(self.path / name)
            self.own(made)
            for name in made:
                (self.path / name).parent.mkdir(exist_ok=True)
                os.replace(stage / name, self.path / name)
            for path in itertools.chain.from_iterable(self.path.glob(pattern) for pattern in replaces):
                name = path.relative_to(self.path).as_posix()
                if name in self.names and name not in made:
                    path.unlink()
            _settle(self.path)
        except Unwritable as error:
            raise Unwritable(self.path, error.reason, kept) from error
        except OSError as error:
            raise unwritable(self.path, error, kept) from error
        finally:
            shutil.rmtree(stage, ignore_errors=True)
            if lock >= 0:
                os.close(lock)

    def sweep(self, folder: str = "", after: float = ABANDONED) -> None:
        """Deletes what killed processes left half-written, in the folder or in one in it.

        What is younger than ``after`` seconds goes, too, if its process can be seen to have ended.
        """
        if (self.path / folder).is_symlink():
            return
        for path in (self.path / folder).glob(_TEMPORARIES):
            with contextlib.suppress(OSError):
                age = time.time() - path.lstat().st_mtime
                if age >= after or (age >= BEGUN and _is_left(path)):
                    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def marked(path: Path) -> set[str] | None:
    """The names that the mark of a folder lists; None if there is no mark that can be read."""
    if path.is_symlink() or (path / MARK).is_symlink() or not (path / MARK).is_file():
        return None
    try:
        content: Any = json.loads((path / MARK).read_text(encoding="utf-8"))
        names = content["files"]
        return {name for name in names if isinstance(name, str) and _NAME.fullmatch(name)}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _emptied(path: Path) -> bool:
    """Whether a path is a mark whose content a disk has lost, in spite of all."""
    return path.name == MARK and not path.is_symlink() and path.is_file() and not path.stat().st_size


def claim(
    path: Path, names: Collection[str], before: Collection[str] | None = None, into_existing: bool = False
) -> Folder:
    """A folder to write into: a new or empty one, or one that the workbench made; it bears the mark from now on.

    Args:
        path: the folder; made if it does not exist.
        names: the files that are about to be written; see `Folder.own`.
        before: the files that the workbench wrote there when it made no marks yet; None if it never did.
        into_existing: also a folder that holds other things, which are left alone.

    Raises:
        InputError: the folder holds other things or is a link, or holds files of others under these names; it is as it
            was.
        Unwritable: it cannot be made or written.
    """
    if path.is_symlink():
        message = f"is a link (to {os.readlink(path)}), and the workbench writes through none"
        raise InputError([Problem(display_path(path), None, None, message, "name the folder it leads to")])
    listed = marked(path) if path.is_dir() else None
    if listed is not None:
        made = Folder(path, listed)
        made.own(names)
        made.sweep()
        return made
    make(path)
    try:
        held = any(not one.match(_TEMPORARIES) and not _emptied(one) for one in path.iterdir())
    except OSError as error:
        raise unwritable(path, error) from error
    if held and before is None and not into_existing:
        message = "expected a new or empty folder, or one that the workbench made; found other things in it"
        hint = "name another one, or say --into-existing: files that are not the workbench's are never replaced"
        raise InputError([Problem(display_path(path), None, None, message, hint)])
    made = Folder(path, [name for name in before or () if os.path.lexists(path / name)])
    made.own(names)
    if not (path / MARK).exists():
        made._mark()
    made.sweep()
    return made
