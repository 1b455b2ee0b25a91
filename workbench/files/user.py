"""Where the workbench remembers what a user has said, beside all projects: no file of a project can be there."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def file(name: str) -> Path | None:
    """A file of the user's own configuration folder; None if this user has no such folder."""
    try:
        if sys.platform == "win32":
            folder = Path(os.environ["APPDATA"])
        else:
            said = Path(os.environ.get("XDG_CONFIG_HOME") or "")
            folder = said if said.is_absolute() else Path.home() / ".config"
    except (KeyError, RuntimeError):
        return None
    return folder / "workbench" / name
