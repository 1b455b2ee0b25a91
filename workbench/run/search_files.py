"""The folder of a search for rulesets: what lies in it, and what it says of how far the search is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workbench.errors import InputError, Problem, display_path
from workbench.files.names import SEARCHES
from workbench.files.project import Project

FILE, ROUNDS, CANDIDATES, EFFECTS = "search.json", "rounds", "candidates.csv", "effects.csv"


def search_folder(project: Project, name: str) -> Path:
    """Where a search keeps its games."""
    return project.report(f"{SEARCHES}/{name}")


def kept_search(folder: Path) -> dict[str, Any]:
    """What ``search.json`` of a folder holds; nothing where there is none."""
    try:
        content = json.loads((folder / FILE).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InputError([Problem(display_path(folder / FILE), None, None, str(error))]) from None
    return content if isinstance(content, dict) else {}
