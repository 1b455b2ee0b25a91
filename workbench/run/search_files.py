"""The folder of a search for rulesets: what lies in it, and what it says of how far the search is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workbench.errors import InputError, Problem, display_path
from workbench.files.names import SEARCH, SEARCHES
from workbench.files.project import Project

FILE, ROUNDS, CANDIDATES, EFFECTS = SEARCH, "rounds", "candidates.csv", "effects.csv"
BESIDES = "besides.json"
"""What was asked besides the search: rulesets beyond its space, why its changes act."""


def search_folder(project: Project, name: str) -> Path:
    """Where a search keeps its games."""
    return project.report(f"{SEARCHES}/{name}")


def kept_search(folder: Path) -> dict[str, Any]:
    """What ``search.json`` of a folder holds, and what was asked besides; nothing where there is none."""
    content: dict[str, Any] = {}
    for name in (FILE, BESIDES):
        try:
            read = json.loads((folder / name).read_text("utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            raise InputError([Problem(display_path(folder / name), None, None, str(error))]) from None
        content |= read if isinstance(read, dict) else {}
    return content
