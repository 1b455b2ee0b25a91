"""Search for the handicap that makes a game even."""

from __future__ import annotations

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.handicap import command as command
