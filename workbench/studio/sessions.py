"""What the studio of a project knows from one studio to the next: its cookie, its port, and its queue.

A page whose studio was killed finds the next one at the same address, and is let in; what was played or waited then
goes on. The key in the printed address is another one each time. What is remembered lies in the user's own
configuration folder, for nobody else to read: a project that comes from somebody else cannot say whom the studio lets
in, nor what it plays.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import stat
from dataclasses import dataclass, field, replace
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
    queue: tuple[str, ...] = ()
    """The experiments that the last one had still to play when it was killed, the one that ran first."""
    project: str = ""
    """The path of the project; empty for what is good for one studio only."""

    def save(self, **changes: Any) -> Session:
        """The session with these changes, kept for the next studio where this user has a folder for it."""
        session, file = replace(self, **changes), user.config_file(SESSIONS_FILE)
        if not self.project or file is None:
            return session
        others = {name: said for name, said in _read_sessions().items() if name != self.project}
        content = {"cookie": session.cookie, "port": session.port, "queue": session.queue}
        kept = dict([*others.items(), (self.project, content)][-MAX_SESSIONS:])
        with contextlib.suppress(WorkbenchError):
            output.write_file(
                output.make_folder(file.parent) / file.name, json.dumps({"sessions": kept}).encode(), private=True
            )
        return session


def load_session(project: Path) -> Session:
    """The session of a project's last studio; a new one if there is none, or if others may know it."""
    key = os.path.realpath(project)
    said = _read_sessions().get(key)
    match said:
        case {"cookie": str(cookie), "port": int(port)} if _COOKIE.fullmatch(cookie) and 0 < port < 65536:
            match said:
                case {"queue": [*names]}:
                    return Session(cookie, port, tuple(map(str, names)), key)
            return Session(cookie, port, project=key)
    return Session(project=key)


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
