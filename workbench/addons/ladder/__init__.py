"""Ladders: the strength of players under a ruleset, in Elo."""

from __future__ import annotations

from pathlib import Path

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.ladder import command as command


@offers
def write_page(folder: Path, language: str | None) -> bool | None:
    """Write the page of a ladder again, and print what it says."""
    from workbench.records.provenance import LADDER_FILE, load_ladder

    kept = load_ladder(folder / LADDER_FILE)
    if kept is None:
        return None
    from workbench.addons.ladder import command

    command.show_ladder(kept, folder, language)
    return True
