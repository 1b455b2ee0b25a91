"""Ladders, which measure players' strengths under a ruleset in Elo."""

from __future__ import annotations

from pathlib import Path

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.ladder import command as command


@offers
def write_page(folder: Path, language: str | None) -> bool | None:
    """Rewrite a ladder's page and print its summary; returns None if the folder has no ladder."""
    from workbench.records.provenance import LADDER_FILE, load_ladder

    ladder = load_ladder(folder / LADDER_FILE)
    if ladder is None:
        return None
    from workbench.addons.ladder import command

    command.show_ladder(ladder, folder, language)
    return True
