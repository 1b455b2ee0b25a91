"""Files of the user's configuration folder, outside of all projects."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def config_file(name: str) -> Path | None:
    """The path of a file in the user's configuration folder; None if this user has no such folder."""
    try:
        if sys.platform == "win32":
            folder = Path(os.environ["APPDATA"])
        else:
            configured = Path(os.environ.get("XDG_CONFIG_HOME") or "")
            folder = configured if configured.is_absolute() else Path.home() / ".config"
    except (KeyError, RuntimeError):
        return None
    return folder / "workbench" / name
