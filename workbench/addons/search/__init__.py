"""Search for rulesets that meet targets in a space of rule changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.base.addons import FileKind, offers
from workbench.base.project import SEARCH


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.search import command as command


@offers
def file_kinds() -> FileKind:
    """Return the file kind of searches."""
    from workbench.addons.search.question import KIND

    return KIND


@offers
def write_page(folder: Path, language: str | None) -> bool | None:
    """Rewrite the page of a search and print its summary; returns None if the folder has no search."""
    if not (folder / SEARCH).is_file():
        return None
    from workbench.addons.search import command

    command.show_search(folder, language)
    return True


@offers
def play_file(kind: str, path: Path, executor: Any, tell: Any) -> bool | None:
    """Play a search for the studio; returns None for files of other kinds."""
    if kind != "search":
        return None
    from workbench.addons.search.progress import play_search

    play_search(path, executor, tell)
    return True


@offers
def studio_page() -> Any:
    """Return the studio pages of searches."""
    from workbench.addons.search import page

    return page
