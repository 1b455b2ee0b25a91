"""The folder of a search for rulesets: what lies in it, and what it says of how far the search is."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from workbench.errors import display_path, input_error
from workbench.files.project import SEARCH, SEARCHES, Project
from workbench.run.storage import run_files

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
            raise input_error(str(error), file=display_path(folder / name)) from None
        content |= read if isinstance(read, dict) else {}
    return content


def files_of_search(folder: Path, *reports: Path) -> list[Path]:
    """The files of a search, and of its reports, that ``--fresh`` deletes."""
    own = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    return [*own, *(path for report in reports for path in run_files(report) if path.is_file())]


def forget(folder: Path, *reports: Path) -> None:
    """Deletes the files of a search, and the folders that are empty then."""
    for path in files_of_search(folder, *reports):
        path.unlink()
    for path in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
        with contextlib.suppress(OSError):
            path.rmdir()
