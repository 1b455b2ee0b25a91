"""Whether the code of a project's game families may run: only if the user has said so, for that folder and that code.

Two ways to say it. ``--trust`` notes the folder's path and a digest of its files in the user's own configuration
folder: no file of a project can do that, a copy elsewhere is another folder, and what is changed must be trusted anew.
The variable ``WORKBENCH_TRUST`` names folders whose families are trusted whatever they hold, for machines without a
user, and for those who are writing a family.

A process that has loaded a family hands its path and digest down in the same variable, so that workers load that very
code or none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.errors import reason_of
from workbench.files import project
from workbench.language import tr

VARIABLE = "WORKBENCH_TRUST"
"""Folders, separated as in PATH: those of families, or such that hold some; ``folder=digest`` if handed down."""
FILE = "trusted-games.json"

_HANDED = re.compile(r"(.+)=([0-9a-f]{64})")


class Untrustworthy(Exception):
    """A folder cannot be trusted; the text says why."""


def digest(folder: Path) -> str:
    """The SHA-256 of the names and contents of all files of a folder, those that are hidden and byte code left out.

    Raises:
        Untrustworthy: it is a link or holds one, or cannot be read.
    """
    hashed = hashlib.sha256()
    for one in (folder.parent, folder):
        if one.is_symlink():
            raise Untrustworthy(tr("{one} is a link, and code is run through none", one=one.name))
    try:
        for path in sorted(_files(folder)):
            content = path.read_bytes()
            hashed.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    except OSError as error:
        raise Untrustworthy(tr("cannot be read: {strerror}", strerror=reason_of(error))) from None
    return hashed.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for entry in os.scandir(folder):
        kind = entry.stat(follow_symlinks=False).st_mode
        if entry.name.startswith(".") or entry.name == "__pycache__":
            continue
        if stat.S_ISDIR(kind):
            yield from _files(Path(entry.path))
        elif stat.S_ISREG(kind):
            yield Path(entry.path)
        else:
            raise Untrustworthy(
                tr("{entry} is a link or no plain file, and code is run through none", entry=entry.name)
            )


def holds(folder: Path, digest: str) -> bool:
    """Whether the user trusts the code of a folder as it is now.

    If it was handed down, only as it was then: else processes of one command could run different code.
    """
    if handed := _handed(folder):
        return digest in handed
    named = [Path(os.path.realpath(entry)) for entry in _entries() if Path(entry).is_absolute()]
    return folder in named or folder.parent in named or _remembered().get(str(folder)) == digest


def knew(folder: Path) -> bool:
    """Whether the user has trusted what the folder held before."""
    return str(folder) in _remembered()


def began_with_another(folder: Path, digest: str) -> bool:
    """Whether the process that started this one, or this one, loaded other code from the folder."""
    handed = _handed(folder)
    return bool(handed) and digest not in handed


def give(folder: Path, digest: str) -> bool:
    """Trusts the code of a folder as it is now; False if that can be remembered by this process alone."""
    hand_down(folder, digest)
    from workbench.errors import WorkbenchError
    from workbench.files import output

    file = project.config_file(FILE)
    if file is None:
        return False
    content = {"trusted": {**_remembered(), str(folder): digest}}
    try:
        output.make_folder(file.parent)
        output.write_file(file, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())
    except WorkbenchError:
        return False
    return True


def hand_down(folder: Path, digest: str) -> None:
    """Tells the processes that this one starts that a family may be loaded as it is now."""
    if (entry := f"{folder}={digest}") not in _entries():
        os.environ[VARIABLE] = os.pathsep.join([*_entries(), entry])


def handed_down() -> list[Path]:
    """The folders of families that the process which started this one had loaded, and of those that this one has."""
    return [Path(handed[1]) for handed in map(_HANDED.fullmatch, _entries()) if handed]


def _handed(folder: Path) -> list[str]:
    """The digests with which a folder was handed down."""
    return [one[2] for one in map(_HANDED.fullmatch, _entries()) if one and Path(one[1]) == folder]


def _entries() -> list[str]:
    return [entry for entry in os.environ.get(VARIABLE, "").split(os.pathsep) if entry]


def _remembered() -> dict[str, str]:
    """Folders and digests that were trusted; nothing where the file cannot be understood."""
    file = project.config_file(FILE)
    with contextlib.suppress(OSError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
        content: Any = json.loads(file.read_text(encoding="utf-8")) if file and file.is_file() else {}
        return {str(folder): str(digest) for folder, digest in content["trusted"].items()}
    return {}
