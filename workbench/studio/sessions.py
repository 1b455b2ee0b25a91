"""By which cookie the studio of a project knows its browser, and at which port: from one studio to the next.

A page whose studio was killed finds the next one at the same address, and is let in. The key in the printed address
is another one each time. What is remembered lies in the user's own configuration folder, for nobody else to read: a
project that comes from somebody else cannot say whom the studio lets in.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError
from workbench.files import output, user

SESSIONS_FILE = "studio-sessions.json"
MAX_SESSIONS = 30
"""Projects that are remembered."""
_COOKIE = re.compile(r"[\w-]{43}")


@dataclass(frozen=True)
class Session:
    """What the studio of a project is known by."""

    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    port: int | None = None
    """Where the last one listened."""


def load_session(project: Path) -> Session:
    """The session of a project's last studio; a new one if there is none, or if others may know it."""
    said = _read_sessions().get(os.path.realpath(project))
    match said:
        case {"cookie": str(cookie), "port": int(port)} if _COOKIE.fullmatch(cookie) and 0 < port < 65536:
            return Session(cookie, port)
    return Session()


def save_session(project: Path, session: Session) -> None:
    """Keeps a session for the next studio of a project, where this user has a folder for it."""
    file, key = user.config_file(SESSIONS_FILE), os.path.realpath(project)
    others = {name: said for name, said in _read_sessions().items() if name != key}
    kept = dict([*others.items(), (key, {"cookie": session.cookie, "port": session.port})][-MAX_SESSIONS:])
    with contextlib.suppress(WorkbenchError):
        if file is not None:
            output.write_file(
                output.make_folder(file.parent) / file.name, json.dumps({"sessions": kept}).encode(), private=True
            )


def _read_sessions() -> dict[str, Any]:
    file = user.config_file(SESSIONS_FILE)
    with contextlib.suppress(OSError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
        if file is not None and _is_private(file):
            return dict(json.loads(file.read_text(encoding="utf-8"))["sessions"])
    return {}


def _is_private(file: Path) -> bool:
    """Whether it is a file of this user's that nobody else may read."""
    about = file.lstat()
    return stat.S_ISREG(about.st_mode) and (
        os.name != "posix" or (about.st_uid == os.geteuid() and not about.st_mode & 0o077)
    )
